//! Builds and installations: steps counted, every warning and error, the step that failed, and how it ended.

mod audit;

use std::collections::{BTreeMap, HashMap};

use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::template::template_id;
use super::{Effort, OutputKind, ToolOutput, events};
use crate::tokens::Tokens;

/// What package managers and build tools print.
pub struct Build;

/// Lines looked at to see whether this is a build.
const SAMPLE: usize = 120;
/// A line like others this often is shown once.
const REPEATED: usize = 4;
/// Fewer files say nothing of what is usual.
const ASSETS: usize = 6;
/// Of large files that a bundler made, so many.
const LARGE_ASSETS: usize = 3;
/// Of the output of the step that failed, so many lines.
const STEP_LINES: usize = 12;

impl OutputKind for Build {
    fn name(&self) -> &'static str {
        "build output"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        if let Some(reading) = audit::read(text) {
            return Some(reading);
        }
        if !looks_like_build(text) {
            return None;
        }
        let mut reading = Reading::of_lines(text);
        (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut first: HashMap<String, usize> = HashMap::new();
        let mut steps = vec![false; reading.pieces.len()];
        for (index, (piece, step)) in reading.pieces.iter_mut().zip(&mut steps).enumerate() {
            let line = piece.text(text);
            if let Some(verb) = verb(line) {
                *counts.entry(verb.clone()).or_default() += 1;
                first.entry(verb).or_insert(index);
                // `Compiling error-chain v0.12` reports nothing; `Building … FAILED` does.
                *step = !ends_badly(line);
                piece.rank = Rank::Told;
            } else if line.trim_start().starts_with("(!) ") {
                piece.rank = Rank::Finding(Finding::Warning);
            } else if is_end(line) {
                piece.rank = Rank::Frame;
            } else if is_trailer(line) && !line.contains(" code ") {
                *step = true;
                piece.rank = Rank::Telling(1);
            }
        }
        say_steps(&mut reading, &counts);
        tell_repeated(&mut reading, text);
        keep_failed_step(&mut reading, text);
        keep_large_assets(&mut reading, text);
        let end = reading.pieces.len();
        events::mark_where(&mut reading, text, 0..end, |index| steps.get(index) != Some(&true));
        Some(reading)
    }
}

/// Words that open a step, in whatever tool.
const VERBS: &[&str] = &[
    "Adding",
    "Archiving",
    "Blocking",
    "Building",
    "Bundling",
    "Checking",
    "Cloning",
    "Collecting",
    "Compiling",
    "Configuring",
    "Copying",
    "Created",
    "Creating",
    "Documenting",
    "Downloaded",
    "Downloading",
    "Extracting",
    "Fetched",
    "Fetching",
    "Fresh",
    "Generating",
    "Get:",
    "Hit:",
    "Ign:",
    "Installed",
    "Installing",
    "Linking",
    "Loading",
    "Locking",
    "Migrating",
    "Obtaining",
    "Packaging",
    "Packing",
    "Preparing",
    "Processing",
    "Publishing",
    "Pulling",
    "Pushing",
    "Reading",
    "Receiving",
    "Removing",
    "Requirement",
    "Resolving",
    "Running",
    "Scanning",
    "Selecting",
    "Setting",
    "Transforming",
    "Unpacking",
    "Updating",
    "Upgrading",
    "Using",
    "Validating",
    "Verifying",
    "Writing",
    "Attempting",
    "Uninstalling",
    "Found",
    "Stored",
    "Getting",
    "Progress",
    "Dirty",
    "Waiting",
    "Pull",
    "Verified",
    "Already",
    "Satisfied",
    "Retrieving",
    "Deploying",
    "Uploading",
];
/// Words that open a command of a build, written small.
const COMMANDS: &[&str] = &[
    "gcc",
    "g++",
    "cc",
    "c++",
    "clang",
    "clang++",
    "ar",
    "ld",
    "ranlib",
    "rustc",
    "javac",
    "CC",
    "CXX",
    "AR",
    "LD",
    "AS",
    "GEN",
    "HOSTCC",
    "LINK",
    "CCLD",
    "INSTALL",
    "copying",
    "creating",
    "running",
    "adding",
    "inflating:",
    "extracting:",
    "go:",
    "remote:",
    "Step",
    "RUN",
    "COPY",
];

/// Whether a line is a step of a build.
pub(super) fn is_step(line: &str) -> bool {
    verb(line).is_some()
}

/// What npm says below an error: where it was, not what.
pub(super) fn is_trailer(line: &str) -> bool {
    const FIELDS: &[&str] = &[
        "path ",
        "workspace ",
        "location ",
        "command ",
        "errno ",
        "syscall ",
        "code ",
        "A complete log",
        "Lifecycle script",
    ];
    let rest = line.strip_prefix("npm error ").or(line.strip_prefix("npm ERR! "));
    rest.is_some_and(|rest| FIELDS.iter().any(|field| rest.starts_with(field)))
}

/// The word by which steps like this one are counted.
fn verb(line: &str) -> Option<String> {
    let body = without_prefix(line);
    // gradle: `> Task :app:compileJava`; docker: `[3/8] RUN …`; buildkit's `sha256:… 12MB / 30MB`
    if body.starts_with("> Task :") {
        return Some("> Task".into());
    }
    if body.starts_with("sha256:") || body.starts_with("=> ") {
        return Some("layers".into());
    }
    let word = body.split([' ', '\t']).next()?;
    let named = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    let rest = body.get(word.len()..).unwrap_or_default();
    if rest.trim().is_empty() {
        return None;
    }
    let known = |list: &[&str]| list.iter().any(|verb| verb.trim_end_matches(':') == named);
    if known(VERBS) && word.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Some(if named == "Requirement" { "Requirement already satisfied".into() } else { named.to_owned() });
    }
    if COMMANDS.contains(&word) {
        return Some(word.trim_end_matches(':').to_owned());
    }
    // cmake: `[ 12%] Building …`
    None
}

/// A line without what a tool writes before each: `#12 0.345 `, `[INFO] `, `[ 12%] `, `[3/8] `, a time.
fn without_prefix(line: &str) -> &str {
    let mut body = line.trim();
    for _ in 0..3 {
        let rest = if let Some(inside) = body.strip_prefix('[') {
            let Some((mark, rest)) = inside.split_once(']') else { break };
            let plain = mark.len() <= 14 && !mark.contains("ERROR") && !mark.contains("WARN");
            if !plain {
                break;
            }
            rest
        } else if let Some(rest) = body.strip_prefix('#') {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                break;
            }
            rest.get(digits..).unwrap_or_default()
        } else {
            let (word, rest) = body.split_once(' ').unwrap_or((body, ""));
            let number = word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b':' | b'-' | b'T' | b'Z' | b'/'));
            if word.is_empty() || !number || rest.is_empty() {
                break;
            }
            rest
        };
        body = rest.trim_start();
    }
    body
}

/// How a build ended, or what it made.
fn is_end(line: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "Finished",
        "Successfully",
        "BUILD ",
        "added ",
        "removed ",
        "changed ",
        "up to date",
        "Done in",
        "✓ built in",
        "✨",
        "built in",
        "webpack ",
        "webpack compiled",
        "Build succeeded",
        "Build FAILED",
        "Total time",
        "Processing triggers",
        "naming to",
        "DONE",
        "packages in",
        "found 0 vulnerabilities",
        "0 upgraded",
        "dependencies:",
        "Packages:",
        "Compiled ",
        "Tagged",
        "Image ",
    ];
    let body = without_prefix(line);
    let counted = body.starts_with(|c: char| c.is_ascii_digit())
        && ["upgraded", "packages", "vulnerabilit", "modules transformed", "actionable tasks"]
            .iter()
            .any(|word| body.contains(word));
    OPENINGS.iter().any(|opening| body.starts_with(opening)) || counted || body.contains(" vulnerabilities")
}

fn ends_badly(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    [
        "error:",
        "failed",
        " error ",
        "fatal",
        "cannot ",
        "could not",
        "denied",
        "not found",
        "warning:",
        "killed",
        "timed out",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

fn looks_like_build(text: &str) -> bool {
    let count = text.lines().take(20_000).count();
    let step = (count / SAMPLE).max(1);
    let (mut seen, mut steps, mut ends, mut marks) = (0usize, 0usize, 0usize, 0usize);
    for (index, line) in text.lines().take(20_000).enumerate() {
        if (index >= 40 && index % step != 0 && index + 20 < count) || line.trim().is_empty() {
            continue;
        }
        seen += 1;
        steps += usize::from(is_step(line));
        ends += usize::from(is_end(line));
        let lower = line.trim_start();
        marks += usize::from(
            [
                "npm warn",
                "npm WARN",
                "npm error",
                "npm ERR!",
                "npm notice",
                "(!) ",
                "[INFO]",
                "[WARNING]",
                "[ERROR]",
                "> Task :",
                "warning ",
                "make[",
                "make:",
            ]
            .iter()
            .any(|opening| lower.starts_with(opening))
                || asset(line).is_some()
                || (lower.starts_with('#')
                    && lower.get(1..2).is_some_and(|digit| digit.bytes().all(|byte| byte.is_ascii_digit()))),
        );
    }
    seen >= 5
        && ((steps >= 4 && steps * 10 >= seen * if ends + marks > 0 { 4 } else { 6 })
            || (steps + marks >= 5 && (steps + marks + ends) * 10 >= seen * 6))
}

/// `Compiling ×212, Downloading ×40`
fn say_steps(reading: &mut Reading, counts: &BTreeMap<String, usize>) {
    let mut ordered: Vec<(&String, &usize)> = counts.iter().collect();
    ordered.sort_by(|one, other| other.1.cmp(one.1).then(one.0.cmp(other.0)));
    let said: Vec<String> =
        ordered.iter().take(10).map(|(verb, count)| format!("{verb} ×{}", Tokens(**count as u64))).collect();
    if !said.is_empty() {
        reading.say_always(said.join(", "));
    }
}

/// Lines that only differ in numbers are shown once.
fn tell_repeated(reading: &mut Reading, text: &str) {
    let id = |line: &str| template_id(without_prefix(line));
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for piece in reading.pieces.iter().filter(|piece| piece.rank == Rank::Ordinary) {
        *counts.entry(id(piece.text(text))).or_default() += 1;
    }
    let mut shown: HashMap<u64, ()> = HashMap::new();
    for piece in reading.pieces.iter_mut().filter(|piece| piece.rank == Rank::Ordinary) {
        let id = id(piece.text(text));
        let count = counts.get(&id).copied().unwrap_or_default();
        if count < REPEATED {
            continue;
        }
        if shown.insert(id, ()).is_none() {
            piece.rank = Rank::Telling(2);
            piece.note = Some(format!(" [×{count}]"));
        } else {
            piece.rank = Rank::Told;
        }
    }
}

/// A bundler lists what it made: what is far larger than the rest is kept.
fn keep_large_assets(reading: &mut Reading, text: &str) {
    let mut assets: Vec<(u64, usize)> = Vec::new();
    for (index, piece) in reading.pieces.iter().enumerate() {
        assets.extend(asset(piece.text(text)).map(|size| (size, index)));
    }
    if assets.len() < ASSETS {
        return;
    }
    assets.sort_unstable_by(|one, other| other.cmp(one));
    let median = assets.get(assets.len() / 2).map_or(1, |(size, _)| *size).max(1);
    for (position, (size, index)) in assets.into_iter().enumerate() {
        let large = position < LARGE_ASSETS && size / median >= 10;
        let rank = if large { Rank::Finding(Finding::Outlier) } else { Rank::Telling(3) };
        let largest = position < LARGE_ASSETS;
        if largest {
            reading.raise(index, rank);
        }
        if let Some(piece) = reading.pieces.get_mut(index).filter(|_| large) {
            piece.note = None;
        }
    }
}

/// The size of `dist/assets/index-3f2a.js   1,204.55 kB │ gzip: 300 kB`.
fn asset(line: &str) -> Option<u64> {
    let mut words = line.split_whitespace().map(|word| word.trim_end_matches(','));
    let has_path = line.split_whitespace().take(3).any(|word| super::place::is_path(word) && !word.ends_with(':'));
    let (mut number, mut size) = (None, None);
    while let (true, None, Some(word)) = (has_path, size, words.next()) {
        let factor = match word {
            "B" | "bytes" => Some(1.0),
            "kB" | "KB" | "KiB" => Some(1e3),
            "MB" | "MiB" => Some(1e6),
            _ => None,
        };
        size = number.zip(factor).map(|(number, factor): (f64, f64)| (number * factor) as u64);
        number = word.replace(',', "").parse::<f64>().ok().filter(|number| *number >= 0.0);
    }
    size
}

/// docker shows the step that failed again between two rules: its command and the last lines it printed.
fn keep_failed_step(reading: &mut Reading, text: &str) {
    let opens = |piece: &super::reading::Piece| {
        let line = piece.text(text);
        line.starts_with(" > [") && line.trim_end().ends_with(':')
    };
    let Some(first) = reading.pieces.iter().position(opens) else { return };
    let rule = |piece: &super::reading::Piece| piece.text(text).starts_with("-----");
    let length = reading.pieces.iter().skip(first).take_while(|piece| !rule(piece)).count();
    let from = (first + 1).max((first + length).saturating_sub(STEP_LINES));
    for index in std::iter::once(first).chain(from..first + length) {
        let blank = reading.pieces.get(index).is_none_or(|piece| piece.text(text).trim().is_empty());
        if !blank {
            reading.raise(index, Rank::Finding(Finding::Error));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::{check, made};

    #[test]
    fn steps_are_counted_and_the_warning_is_kept() {
        let mut text = String::from("    Updating index\n");
        (0..60).for_each(|n| text.push_str(&format!("  Downloaded crate_{n} v0.{n}.1\n")));
        (0..60).for_each(|n| text.push_str(&format!("   Compiling crate_{n} v0.{n}.1\n")));
        text.push_str("   Compiling error-chain v0.12.4\nwarning: the following packages contain code that will be rejected by a future version: nom v4.2.3\n    Finished `release` profile [optimized] target(s) in 1m 02s\n");
        insta::assert_snapshot!(check("cargo build --release", &text), @"
        [digest of build output: 2 of 124 lines kept, 3,774 bytes; original bfd4dfe0e265]
        Compiling ×61, Downloaded ×60, Updating ×1
        warning: the following packages contain code that will be rejected by a future version: nom v4.2.3
            Finished `release` profile [optimized] target(s) in 1m 02s
        ");
    }

    #[test]
    fn a_failed_docker_build_shows_its_step() {
        let mut text = String::from(
            "#0 building with \"default\" instance using docker driver\n\n#1 [internal] load build definition from Dockerfile\n#1 transferring dockerfile: 812B done\n#1 DONE 0.0s\n\n#5 [2/5] WORKDIR /app\n#5 CACHED\n\n#7 [4/5] RUN npm ci\n",
        );
        (0..60).for_each(|n| {
            text.push_str(&format!("#7 {n}.210 npm http fetch GET 200 package-{n} {}ms (cache miss)\n", n * 3))
        });
        text.push_str("#7 61.01 npm error code ERESOLVE\n#7 61.02 npm error Found: react@18.2.0\n#7 ERROR: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n------\n > [4/5] RUN npm ci:\n61.01 npm error code ERESOLVE\n61.02 npm error Found: react@18.2.0\n------\nDockerfile:12\n--------------------\n  10 |     COPY package.json .\n  12 | >>> RUN npm ci\n--------------------\nERROR: failed to solve: process \"/bin/sh -c npm ci\" did not complete successfully: exit code: 1\n");
        insta::assert_snapshot!(check("docker build .", &text), @r#"
        [digest of build output: 12 of 84 lines kept, 4,396 bytes; original 41b901a3bc62]
        RUN ×1
        #0 building with "default" instance using docker driver
        #1 DONE 0.0s
        #7 0.210 npm http fetch GET 200 package-0 0ms (cache miss) [×60]
        #7 61.01 npm error code ERESOLVE
        #7 61.02 npm error Found: react@18.2.0
        #7 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
         > [4/5] RUN npm ci:
        61.01 npm error code ERESOLVE
        61.02 npm error Found: react@18.2.0
          12 | >>> RUN npm ci
        --------------------
        ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
        "#);
    }

    #[test]
    fn what_pip_and_npm_installed_is_kept() {
        let mut text: String = (0..40)
            .map(|n| {
                format!("Collecting package-{n}>=1.{n}\n  Downloading package_{n}-1.{n}.0-py3-none-any.whl (12 kB)\n")
            })
            .collect();
        text.push_str("Installing collected packages: package-0, package-1\nERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\npackage-3 1.3.0 requires package-9<1.5, but you have package-9 1.9.0 which is incompatible.\nSuccessfully installed package-0-1.0.0 package-1-1.1.0\n");
        insta::assert_snapshot!(check("pip install -r requirements.txt", &text), @"
        [digest of build output: 3 of 84 lines kept, 3,666 bytes; original 0f0d8859ce4c]
        Collecting ×40, Downloading ×40, Installing ×1
        ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.
        package-3 1.3.0 requires package-9<1.5, but you have package-9 1.9.0 which is incompatible.
        Successfully installed package-0-1.0.0 package-1-1.1.0
        ");
    }

    #[test]
    fn of_a_bundle_the_large_file_and_the_warning_are_kept() {
        let mut text = String::from(
            "vite v5.0.0 building for production...\ntransforming...\n✓ 812 modules transformed.\nrendering chunks...\n",
        );
        (0..60).for_each(|n| {
            text.push_str(&format!("dist/assets/page{n}-3f{n}a.js   {}.20 kB │ gzip: 1.10 kB\n", n % 9 + 2))
        });
        text.push_str("dist/assets/vendor-77c1.js   2,804.55 kB │ gzip: 900.12 kB\n\n(!) Some chunks are larger than 500 kB after minification.\n✓ built in 8.12s\n");
        let digest = check("npm run build", &text);
        assert!(digest.contains("dist/assets/vendor-77c1.js   2,804.55 kB"), "{digest}");
        assert!(digest.contains("(!) Some chunks"), "{digest}");
    }

    #[test]
    fn sentences_are_no_steps() {
        let text = "Running late again, the team discussed the plan.\nThe plan was good and nobody objected to it.\n"
            .repeat(40);
        assert_ne!(made("", "cat notes", &text).map(|digest| digest.kind), Some("build output"));
    }
}
