//! Builds and installations: steps counted, every warning and error, the step that failed, and how it ended.

mod asset;
mod audit;
mod step;

use std::collections::{BTreeMap, HashMap};

use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::template::template_id;
use super::{Effort, OutputKind, ToolOutput, durations, events};
use crate::tokens::Tokens;
use asset::{asset, keep_large_assets};
use step::{ends_badly, is_end, verb, without_prefix};
pub(super) use step::{is_step, is_trailer};

/// What package managers and build tools print.
pub struct Build;

/// Lines looked at to see whether this is a build.
const SAMPLE: usize = 120;
/// A line like others this often is shown once.
const REPEATED: usize = 4;
/// Of the output of the step that failed, so many lines.
const STEP_LINES: usize = 12;
/// The name of a step stands at most so many lines above its end.
const STEP_LOOK: usize = 400;

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
        tell_repeated_ends(&mut reading, text);
        keep_slow_steps(&mut reading, text);
        keep_failed_step(&mut reading, text);
        keep_large_assets(&mut reading, text);
        let end = reading.pieces.len();
        let told: Vec<usize> = (0..end).filter(|index| is_told_step(&reading, &steps, *index)).collect();
        events::mark_where(&mut reading, text, 0..end, |index| steps.get(index) != Some(&true));
        // The steps below a warning are no part of it, though they are indented.
        for index in told {
            if let Some(piece) = reading.pieces.get_mut(index) {
                piece.rank = Rank::Told;
            }
        }
        Some(reading)
    }
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
pub(super) fn tell_repeated(reading: &mut Reading, text: &str) {
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

fn is_told_step(reading: &Reading, steps: &[bool], index: usize) -> bool {
    steps.get(index) == Some(&true) && reading.pieces.get(index).is_some_and(|piece| piece.rank == Rank::Told)
}

/// What ends in the same way again and again has not ended: the last one tells it.
fn tell_repeated_ends(reading: &mut Reading, text: &str) {
    let mut alike: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, piece) in reading.pieces.iter().enumerate().filter(|(_, piece)| piece.rank == Rank::Frame) {
        alike.entry(template_id(without_prefix(piece.text(text)))).or_default().push(index);
    }
    for ends in alike.values().filter(|ends| ends.len() >= REPEATED) {
        for index in ends.iter().rev().skip(1) {
            if let Some(piece) = reading.pieces.get_mut(*index) {
                piece.rank = Rank::Told;
            }
        }
        if let Some(last) = ends.last().and_then(|last| reading.pieces.get_mut(*last)) {
            last.note = Some(format!(" [×{}]", ends.len()));
        }
    }
}

/// docker: `#12 DONE 412.3s` where others take a second.
fn keep_slow_steps(reading: &mut Reading, text: &str) {
    let done = reading.pieces.iter().enumerate().filter_map(|(index, piece)| {
        let line = piece.text(text);
        Some((index, durations::duration(line).filter(|_| without_prefix(line).starts_with("DONE "))?))
    });
    for index in durations::far_longer(done.collect()) {
        reading.raise(index, Rank::Finding(Finding::Outlier));
        // What it was stands above it, under the same number.
        let number = |index: usize| reading.pieces.get(index).and_then(|piece| piece.text(text).split(' ').next());
        let named = (0..index).rev().take(STEP_LOOK).take_while(|above| number(*above) == number(index)).last();
        if let Some(named) = named {
            reading.raise(named, Rank::Finding(Finding::Outlier));
        }
    }
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
        [digest of build output: 2 of 124 lines kept, 944 tokens; original bfd4dfe0e265]
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
        [digest of build output: 11 of 84 lines kept, 1,099 tokens; original 41b901a3bc62]
        CACHED ×1, DONE ×1, RUN ×1, layers ×1
        #0 building with "default" instance using docker driver
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
    fn what_each_docker_step_says_again_is_counted_and_the_slow_one_is_kept() {
        let mut text = String::new();
        (1..15).for_each(|n| text.push_str(&format!("#{n} [builder {n}/14] RUN prepare {n}\n#{n} CACHED\n\n")));
        for n in 15..40 {
            text.push_str(&format!("#{n} [web {n}/39] COPY part{n} .\n#{n} sha256:{n:032x} 3.1MB / 3.1MB 0.2s done\n#{n} extracting sha256:{n:032x} 0.1s done\n#{n} DONE 0.{n}s\n\n"));
        }
        text.push_str("#40 [web 40/40] RUN npm run bundle\n#40 DONE 388.4s\n\n#41 exporting to image\n#41 naming to registry.local/shop:1 done\n#41 DONE 1.1s\n");
        insta::assert_snapshot!(check("docker build .", &text), @"
        [digest of build output: 5 of 173 lines kept, 1,307 tokens; original 5319612399b8]
        layers ×50, DONE ×27, COPY ×25, RUN ×15, CACHED ×14
        #40 [web 40/40] RUN npm run bundle
        #40 DONE 388.4s
        #41 exporting to image
        #41 naming to registry.local/shop:1 done
        #41 DONE 1.1s
        ");
    }

    #[test]
    fn the_steps_below_a_warning_are_no_part_of_it() {
        let mut text = String::new();
        for n in 0..60 {
            text.push_str(&format!("  CC       fs/part{n}.o\n"));
            match n {
                20 => text.push_str("fs/part20.c:8:7: warning: unused variable 'left' [-Wunused-variable]\n    8 |   int left;\n      |       ^~~~\n"),
                41 => text.push_str("fs/part41.c:2:10: fatal error: quota.h: No such file or directory\ncompilation terminated.\n"),
                _ => {}
            }
        }
        text.push_str("make: *** [Makefile:31: fs] Error 2\n");
        insta::assert_snapshot!(check("make -j8", &text), @"
        [digest of build output: 6 of 66 lines kept, 401 tokens; original 275ea3347fa5]
        CC ×60
        fs/part20.c:8:7: warning: unused variable 'left' [-Wunused-variable]
            8 |   int left;
              |       ^~~~
        fs/part41.c:2:10: fatal error: quota.h: No such file or directory
        compilation terminated.
        make: *** [Makefile:31: fs] Error 2
        ");
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
        [digest of build output: 3 of 84 lines kept, 917 tokens; original 0f0d8859ce4c]
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
