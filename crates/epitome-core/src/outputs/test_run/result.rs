//! Lines that say how a test ended, and lines that add up.

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Passed,
    Failed,
    Skipped,
    /// It began: `=== RUN TestX`.
    Started,
}

/// A line that says how a test, a file or a package ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome<'text> {
    pub(super) status: Status,
    pub(super) name: &'text str,
    /// Said by a tick or a cross, which stand before other things too.
    pub(super) by_mark: bool,
    /// Said of a package of go and all its tests.
    pub(super) package: bool,
}

impl<'text> Outcome<'text> {
    fn of(status: Status, name: &'text str) -> Outcome<'text> {
        Outcome { status, name: name.trim(), by_mark: false, package: false }
    }

    /// The file or module the test is in, if its name says so.
    pub(super) fn file(&self) -> &'text str {
        match self.name.rfind("::") {
            Some(_) if self.name.contains(".py::") => self.name.split("::").next().unwrap_or_default(),
            Some(end) => self.name.get(..end).unwrap_or_default(),
            None => "",
        }
    }
}

/// How the line says that a test ended.
pub(super) fn outcome(line: &str) -> Option<Outcome<'_>> {
    let trimmed = line.trim();
    let package = ["ok  \t", "FAIL\t", "?   \t"].iter().any(|opening| line.starts_with(opening));
    let found = opening(trimmed).or_else(|| bracketed(trimmed)).or_else(|| closing(trimmed));
    found.map(|outcome| Outcome { package, ..outcome })
}

fn word_status(word: &str) -> Option<Status> {
    match word {
        "PASS" | "PASSED" | "XFAIL" | "OK" => Some(Status::Passed),
        "FAIL" | "FAILED" | "ERROR" | "XPASS" | "FAILURE" | "TIMEOUT" | "SIGABRT" | "SIGSEGV" | "ABORT" => {
            Some(Status::Failed)
        }
        "SKIP" | "SKIPPED" | "IGNORED" | "DISABLED" => Some(Status::Skipped),
        _ => None,
    }
}

fn opening(line: &str) -> Option<Outcome<'_>> {
    if let Some(rest) = line.strip_prefix("=== ") {
        let (word, name) = rest.split_once(' ')?;
        return matches!(word, "RUN" | "CONT" | "PAUSE" | "NAME").then(|| Outcome::of(Status::Started, name));
    }
    if let Some(rest) = line.strip_prefix("--- ") {
        let (word, name) = rest.split_once(": ")?;
        return word_status(word).map(|status| Outcome::of(status, name));
    }
    let first = line.chars().next()?;
    let mark = match first {
        '✓' | '✔' | '√' | '✅' => Some(Status::Passed),
        '✗' | '✘' | '✕' | '×' | '✖' | '❌' => Some(Status::Failed),
        '○' | '↓' | '⊘' | '◌' => Some(Status::Skipped),
        _ => None,
    };
    if let Some(status) = mark {
        let name = line.get(first.len_utf8()..)?.trim_start_matches('\u{fe0f}');
        return name.starts_with(' ').then(|| Outcome { by_mark: true, ..Outcome::of(status, name) });
    }
    if let Some(rest) = line.strip_prefix("not ok ") {
        return Some(Outcome::of(Status::Failed, rest));
    }
    if let Some(rest) = line.strip_prefix("ok ").or(line.strip_prefix("ok\t")) {
        let directive = rest.to_ascii_lowercase();
        let skipped = directive.contains("# skip") || directive.contains("# todo");
        let status = if skipped { Status::Skipped } else { Status::Passed };
        // TAP numbers its tests; go names a package and a time.
        let known = rest.starts_with(|c: char| c.is_ascii_digit()) || rest.contains('\t');
        return known.then(|| Outcome::of(status, rest));
    }
    if line.starts_with("?") && line.ends_with("[no test files]") {
        return Some(Outcome::of(Status::Skipped, line));
    }
    let (word, rest) = line.split_once([' ', '\t'])?;
    let status = word_status(word)?;
    let rest = rest.trim();
    // `ERROR something went wrong` is a line of a log: a name has no words.
    let name = rest.split(" - ").next().unwrap_or(rest);
    let like_name = name.contains("::")
        || rest.starts_with('[')
        || rest.starts_with('(')
        || (!matches!(word, "ERROR" | "OK" | "TIMEOUT" | "ABORT")
            && (!name.contains(' ') || name.contains('/') || name.contains(" > ") || name.contains('\t')));
    like_name.then(|| Outcome::of(status, rest))
}

/// `[gw0] [ 12%] PASSED name`, `[       OK ] name (0 ms)`.
fn bracketed(line: &str) -> Option<Outcome<'_>> {
    let mut rest = line;
    for _ in 0..3 {
        let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
        let after = after.trim_start();
        match inside.trim() {
            "RUN" => return Some(Outcome::of(Status::Started, after)),
            word => {
                if let Some(status) = word_status(word) {
                    // gtest fills the brackets; `[ERROR] …` is a line of a log.
                    let padded = inside.starts_with(' ') || inside.ends_with(' ');
                    let named = padded && after.starts_with(|c: char| !c.is_ascii_digit());
                    return named.then(|| Outcome::of(status, after));
                }
            }
        }
        if let Some((word, name)) = after.split_once(' ')
            && let Some(status) = word_status(word).filter(|_| name.contains("::"))
        {
            return Some(Outcome::of(status, name));
        }
        rest = after;
    }
    None
}

fn closing(line: &str) -> Option<Outcome<'_>> {
    if let Some((name, end)) = line.rsplit_once(" ... ") {
        let word = end.split([' ', ',', '(']).next().unwrap_or(end);
        let status = match word {
            "ok" | "expected" => Status::Passed,
            "FAILED" | "FAIL" | "ERROR" | "unexpected" => Status::Failed,
            "ignored" | "skipped" => Status::Skipped,
            _ => return None,
        };
        let name = name.strip_prefix("test ").unwrap_or(name);
        return Some(Outcome::of(status, name));
    }
    // ctest: `12/40 Test #12: name .......   Passed    0.01 sec`
    if line.ends_with(" sec") && line.contains("Test") {
        let failed = line.contains("***");
        let name = line.split_once(": ").map_or(line, |(_, name)| name);
        let name = name.split(" ..").next().unwrap_or(name);
        let known = failed || line.contains(" Passed ");
        return known.then(|| Outcome::of(if failed { Status::Failed } else { Status::Passed }, name));
    }
    let line = without_time(line);
    // pytest gives a reason: `name SKIPPED (no database)`
    let line = line.strip_suffix(')').and_then(|line| line.split_once(" (")).map_or(line, |(line, _)| line);
    let (name, word) = line.rsplit_once(' ')?;
    let status = word_status(word).filter(|_| word.len() > 4)?;
    let one = !name.trim().contains(' ') || name.contains(" > ") || name.contains("::");
    (one && !name.starts_with('[')).then(|| Outcome::of(status, name))
}

/// Without `[ 12%]` or `(0.01s)` at its end.
pub(super) fn without_time(line: &str) -> &str {
    let line = line.trim_end();
    let closes = |line: &str, open: char, close: char| {
        let inside = line.strip_suffix(close)?;
        let at = inside.rfind(open)?;
        let digits = inside.get(at..)?.bytes().any(|byte| byte.is_ascii_digit());
        let short = inside.len() - at <= 14;
        (digits && short).then_some(at)
    };
    let at = closes(line, '[', ']').or_else(|| closes(line, '(', ')'));
    at.and_then(|at| line.get(..at)).unwrap_or(line).trim_end()
}

/// What TAP announces: `TAP version 13`, `1..330`.
pub(super) fn is_plan(line: &str) -> bool {
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let plan = line.trim().strip_prefix("1..").map(|rest| rest.split(' ').next().unwrap_or_default());
    line.starts_with("TAP version ") || plan.is_some_and(number)
}

/// Dots and letters, one for each test; how many there are; what is done before them.
pub(super) fn is_progress(line: &str) -> bool {
    let line = line.trim();
    let dots = |word: &str| {
        let known = |byte: u8| {
            matches!(byte, b'.' | b'F' | b'E' | b's' | b'S' | b'x' | b'X' | b'R' | b'p' | b'*' | b'I' | b'W' | b'N')
        };
        !word.is_empty() && word.bytes().all(known) && (word.len() >= 8 || word.contains('.')) && word != "..."
    };
    let bare = without_time(line);
    let counted = bare.split_once(" [").or_else(|| bare.rsplit_once("  ")).map_or(bare, |(bare, _)| bare).trim_end();
    let named = counted.rsplit_once(' ').filter(|(path, _)| path.contains('.') && !path.contains(' '));
    dots(counted)
        || is_plan(line)
        || named.is_some_and(|(_, word)| dots(word))
        || line.starts_with("running ") && line.ends_with(['t', 's'])
        || line.starts_with("collected ")
        || line.starts_with("collecting ")
        || line.starts_with("Starting ") && line.contains(" tests ")
        || line.starts_with("rootdir: ")
        || line.starts_with("plugins: ")
        || line.starts_with("platform ")
        || line.starts_with("cachedir: ")
}

const COUNTED: &[&str] = &[
    "passed",
    "failed",
    "passing",
    "failing",
    "pending",
    "skipped",
    "error",
    "errors",
    "test",
    "tests",
    "example",
    "examples",
    "failure",
    "failures",
    "ignored",
    "xfailed",
    "xpassed",
    "deselected",
    "total",
    "assertions",
    "did",
    "todo",
    "flaky",
    "pass",
    "fail",
    "skip",
    "disabled",
    "run",
    "suites",
    "rerun",
    "retried",
    "tests)",
];

/// Whether a counted word says that something went wrong.
pub(super) fn is_bad(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["fail", "error", "flaky", "xpassed"].iter().any(|opening| word.starts_with(opening))
}

/// `12 passed`, `Failures: 1`, `errors=2`: the numbers of a line with what they count.
pub(super) fn counts(line: &str) -> Vec<(usize, &str)> {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '|' | '(' | ')' | '=' | '[' | ']'))
        .filter(|word| !word.is_empty())
        .take(60)
        .collect();
    let known = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        COUNTED.iter().any(|counted| counted.eq_ignore_ascii_case(word))
    };
    let number = |word: &str| word.trim_end_matches(['.', '%']).parse::<usize>().ok();
    let mut counts = Vec::new();
    for pair in words.windows(2) {
        let [one, other] = pair else { continue };
        if let Some(count) = number(one).filter(|_| known(other)) {
            counts.push((count, other.trim_matches(|c: char| !c.is_ascii_alphabetic())));
        } else if let Some(count) =
            number(other).filter(|_| known(one) && (one.ends_with(':') || line.contains(&format!("{one}="))))
        {
            counts.push((count, one.trim_matches(|c: char| !c.is_ascii_alphabetic())));
        }
    }
    counts
}

/// `PASS`, `FAIL` and nothing else: said by the totals too.
pub(super) fn is_bare(line: &str) -> bool {
    matches!(line.trim(), "OK" | "PASS" | "FAIL" | "FAILED")
}

/// Whether a line adds up a run.
pub(super) fn is_summary(line: &str) -> bool {
    let trimmed = line.trim().trim_matches('=').trim();
    let of_gtest = ["[  PASSED  ] ", "[  FAILED  ] ", "[==========] "]
        .iter()
        .any(|opening| line.strip_prefix(opening).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())));
    if of_gtest {
        return true;
    }
    if matches!(trimmed, "OK" | "PASS" | "FAIL" | "FAILED" | "FAILURES!" | "BUILD SUCCESS" | "BUILD FAILURE") {
        return true;
    }
    if trimmed.len() > 240 || !trimmed.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    is_strong_summary(line) || {
        let opens = [
            "Ran ",
            "Tests:",
            "Tests run:",
            "Test Suites:",
            "Test Files",
            "Summary [",
            "All tests passed",
            "OK (",
            "# pass",
            "# fail",
            "# tests",
            "# skip",
            "Results:",
        ];
        let counts = counts(trimmed);
        let begins = trimmed.starts_with(|c: char| c.is_ascii_digit());
        opens.iter().any(|opening| trimmed.starts_with(opening))
            || (begins && counts.len() == 1 && trimmed.len() <= 40 && trimmed.split(' ').count() <= 5)
    }
}

/// A summary that nothing but a test run has.
pub(super) fn is_strong_summary(line: &str) -> bool {
    let trimmed = line.trim().trim_matches('=').trim();
    if trimmed.len() > 240 {
        return false;
    }
    let telling = |word: &str| {
        let word = word.to_ascii_lowercase();
        ["pass", "fail", "skipped", "pending", "ignored", "error"].iter().any(|opening| word.starts_with(opening))
    };
    let counts = counts(trimmed);
    let words = counts.iter().filter(|(_, word)| telling(word)).count();
    trimmed.starts_with("test result: ")
        || trimmed.contains("% tests passed")
        || (trimmed.starts_with("Ran ") && trimmed.contains(" test") && trimmed.contains(" in "))
        || (counts.len() >= 2 && words >= 1 && counts.len() * 14 + 60 > trimmed.len())
        || (line.starts_with('=') && line.trim_end().ends_with('=') && words >= 1 && trimmed.contains(" in "))
}
