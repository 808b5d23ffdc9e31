//! The steps of a build, by the word they begin with, and the lines that say how it ended.

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
pub(in crate::outputs) fn is_step(line: &str) -> bool {
    verb(line).is_some()
}

/// What npm says below an error: where it was, not what.
pub(in crate::outputs) fn is_trailer(line: &str) -> bool {
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
pub(super) fn verb(line: &str) -> Option<String> {
    let body = without_prefix(line);
    // gradle: `> Task :app:compileJava`; docker: `[3/8] RUN …`; buildkit's `sha256:… 12MB / 30MB`
    if body.starts_with("> Task :") {
        return Some("> Task".into());
    }
    if body.starts_with("sha256:") || body.starts_with("=> ") {
        return Some("layers".into());
    }
    // buildkit: how each of its numbered steps went.
    let numbered = line.trim_start().starts_with('#') && body.len() < line.len();
    if numbered && (body == "CACHED" || body.starts_with("DONE ")) {
        return Some(body.split(' ').next().unwrap_or(body).into());
    }
    if numbered && (body.starts_with("extracting sha256:") || body.ends_with(" done")) && !body.starts_with("naming ") {
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
pub(super) fn without_prefix(line: &str) -> &str {
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
pub(super) fn is_end(line: &str) -> bool {
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

/// Whether a step says that it did not come to its end.
pub(super) fn ends_badly(line: &str) -> bool {
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
