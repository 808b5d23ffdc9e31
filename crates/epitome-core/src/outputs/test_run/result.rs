//! Lines that say how a test ended.

use crate::outputs::durations;
use crate::outputs::place::placed;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Passed,
    Failed,
    Skipped,
    /// It is still to be written, or to be made to pass: TAP's `# TODO`, jest's `test.todo`.
    Todo,
    /// It failed, as it was expected to: pytest's XFAIL.
    ExpectedFailure,
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

/// How a word in capitals says that a test ended.
pub(super) fn word_status(word: &str) -> Option<Status> {
    match word {
        "PASS" | "PASSED" | "OK" => Some(Status::Passed),
        "XFAIL" | "XFAILED" => Some(Status::ExpectedFailure),
        "TODO" => Some(Status::Todo),
        "FAIL" | "FAILED" | "ERROR" | "XPASS" | "XPASSED" | "FAILURE" | "TIMEOUT" | "SIGABRT" | "SIGSEGV" | "ABORT" => {
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
        '○' | '↓' | '⊘' | '◌' | '﹣' | '↷' => Some(Status::Skipped),
        '✎' => Some(Status::Todo),
        _ => None,
    };
    if let Some(status) = mark {
        let name = line.get(first.len_utf8()..)?.trim_start_matches('\u{fe0f}');
        // A heading (`✖ failing tests:`) is no test.
        let named = name.starts_with(' ') && !name.trim_end().ends_with(':');
        // vitest: `↓ name [todo]`; node: `✔ name (1ms) # TODO`
        let todo = name.trim_end().ends_with("[todo]");
        let status = if todo { Status::Todo } else { directive(name).map_or(status, |(_, said)| said) };
        return named.then(|| Outcome { by_mark: true, ..Outcome::of(status, name) });
    }
    if let Some(outcome) = planned(line) {
        return Some(outcome);
    }
    if let Some(rest) = line.strip_prefix("ok ").or(line.strip_prefix("ok\t")).filter(|rest| rest.contains('\t')) {
        // go: a package and a time.
        return Some(Outcome::of(Status::Passed, rest));
    }
    if line.starts_with("?") && line.ends_with("[no test files]") {
        return Some(Outcome::of(Status::Skipped, line));
    }
    let (word, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim();
    // bun: `(pass) suite > name [0.1ms]`
    if let Some(status) = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).and_then(of_bun) {
        return Some(Outcome::of(status, rest));
    }
    // dotnet: `Passed Shop.CartTests.Adds [3 ms]`
    if let Some(status) = small_status(word).filter(|_| is_capitalised(word)) {
        let name = without_time(rest);
        let dotted = name.split(['(', ' ']).next().is_some_and(|name| name.contains('.') && !name.ends_with('.'));
        return (dotted && (name.len() < rest.len() || !name.contains(' '))).then(|| Outcome::of(status, name));
    }
    // automake, DejaGnu: `XFAIL: a test in words`
    if let Some(status) = word.strip_suffix(':').filter(|word| *word != "ERROR").and_then(word_status) {
        return Some(Outcome::of(status, rest));
    }
    let status = word_status(word)?;
    // `ERROR something went wrong` is a line of a log: a name has no words.
    let name = rest.split(" - ").next().unwrap_or(rest);
    let like_name = name.contains("::")
        || rest.starts_with('[')
        || rest.starts_with('(')
        || (!matches!(word, "ERROR" | "OK" | "TIMEOUT" | "ABORT")
            && (!name.contains(' ') || name.contains('/') || name.contains(" > ") || name.contains('\t')));
    // nextest: `PASS [   0.012s] (3/40) crate module::test`
    let timed = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map(|(_, name)| name.trim_start());
    let counted = timed.and_then(|name| name.strip_prefix('(')?.split_once(") ")).map(|(_, name)| name);
    like_name.then(|| Outcome::of(status, counted.or(timed).filter(|name| !name.is_empty()).unwrap_or(rest)))
}

fn of_bun(word: &str) -> Option<Status> {
    match word {
        "pass" => Some(Status::Passed),
        "fail" => Some(Status::Failed),
        "skip" => Some(Status::Skipped),
        "todo" => Some(Status::Todo),
        _ => None,
    }
}

/// What TAP says behind a name: `name # TODO later`.
fn directive(name: &str) -> Option<(&str, Status)> {
    let (before, said) = name.rsplit_once('#')?;
    let said = said.trim_start().get(..4)?;
    let status = match said.to_ascii_lowercase().as_str() {
        "skip" => Status::Skipped,
        "todo" => Status::Todo,
        _ => return None,
    };
    Some((before, status))
}

fn is_capitalised(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_uppercase()) && bytes.all(|byte| byte.is_ascii_lowercase())
}

/// How a word of a sentence says that a test ended.
fn small_status(word: &str) -> Option<Status> {
    match word.trim_end_matches('.').to_ascii_lowercase().as_str() {
        "passed" => Some(Status::Passed),
        "failed" => Some(Status::Failed),
        "skipped" => Some(Status::Skipped),
        "started" => Some(Status::Started),
        _ => None,
    }
}

/// TAP: `ok 12 - name`, `not ok 12 - name # TODO later`.
fn planned(line: &str) -> Option<Outcome<'_>> {
    let (rest, status) = match line.strip_prefix("not ok") {
        Some(rest) => (rest, Status::Failed),
        None => (line.strip_prefix("ok")?, Status::Passed),
    };
    let rest = rest.strip_prefix(' ')?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, behind) = rest.split_at_checked(digits)?;
    let described = behind.trim_start();
    let numbered = digits > 0 && (behind.is_empty() || behind.starts_with(' '));
    if !(numbered || described.starts_with("- ")) {
        return None;
    }
    let name = described.strip_prefix('-').unwrap_or(described).trim_start();
    let (name, status) = directive(name).unwrap_or((name.split_once(" # ").map_or(name, |(name, _)| name), status));
    Some(Outcome::of(status, if name.trim().is_empty() { number } else { name }))
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
            "ok" => Status::Passed,
            // unittest: `expected failure`
            "expected" => Status::ExpectedFailure,
            "FAILED" | "FAIL" | "ERROR" | "unexpected" => Status::Failed,
            "ignored" | "skipped" => Status::Skipped,
            _ => return None,
        };
        let name = name.strip_prefix("test ").unwrap_or(name);
        return Some(Outcome::of(status, name));
    }
    // ctest: `12/40 Test #12: name .......   Passed    0.01 sec`
    if line.ends_with(" sec") && line.contains("Test") {
        let name = line.split_once(": ").map_or(line, |(_, name)| name);
        let name = name.split(" ..").next().unwrap_or(name);
        // `***Skipped`, `***Not Run (Disabled)`
        let status = match line.split_once("***").map(|(_, said)| said) {
            Some(said) if said.starts_with("Skipped") || said.starts_with("Not Run (Disabled)") => Status::Skipped,
            Some(_) => Status::Failed,
            None if line.contains(" Passed ") => Status::Passed,
            None => return None,
        };
        return Some(Outcome::of(status, name));
    }
    // Robot: `Valid Login      | PASS |`
    if let Some((name, word)) = line.strip_suffix(" |").and_then(|line| line.rsplit_once("| ")) {
        return word_status(word).map(|status| Outcome::of(status, name));
    }
    // XCTest: `Test Case '-[CartTests testAdds]' passed (0.001 seconds).`
    if line.starts_with("Test Case ") {
        let (name, word) = without_time(line.trim_end_matches('.')).rsplit_once(' ')?;
        return small_status(word).map(|status| Outcome::of(status, name));
    }
    // surefire: `com.x.OrderTest.rounds  Time elapsed: 0.1 s  <<< FAILURE!`
    if let Some((name, _)) = line.split_once("<<< ").filter(|(_, end)| matches!(*end, "FAILURE!" | "ERROR!")) {
        let name = name.split(" Time elapsed").next().unwrap_or(name);
        let name = name.strip_prefix("[ERROR] ").unwrap_or(name).trim_end_matches(['-', ' ']);
        return Some(Outcome::of(Status::Failed, name));
    }
    // Catch2: `tests/cart.cpp:12: FAILED:`
    if let Some((place, word)) = line.strip_suffix(':').and_then(|line| line.rsplit_once(": ")) {
        return word_status(word).filter(|_| placed(place).is_some()).map(|status| Outcome::of(status, place));
    }
    // doctest: `tests/cart.cpp:12: ERROR: CHECK( a == b ) is NOT correct!`
    if line.ends_with(" correct!") {
        let status = if line.ends_with(" is NOT correct!") { Status::Failed } else { Status::Passed };
        let (place, _) = line.split_once(": ").filter(|(place, _)| placed(place).is_some())?;
        return Some(Outcome::of(status, place));
    }
    let line = without_time(line);
    // bazel: `//cart:tax_test    FAILED in 0.1s`
    let line =
        line.rsplit_once(" in ").filter(|(_, time)| durations::duration(time).is_some()).map_or(line, |(line, _)| line);
    // pytest gives a reason: `name SKIPPED (no database)`
    let line = line.strip_suffix(')').and_then(|line| line.split_once(" (")).map_or(line, |(line, _)| line);
    let (name, word) = line.rsplit_once(' ')?;
    let status = word_status(word).filter(|_| word.len() > 4)?;
    let one = !name.trim().contains(' ') || name.starts_with("//") || name.contains(" > ") || name.contains("::");
    (one && !name.starts_with('[')).then(|| Outcome::of(status, name))
}

/// Without `[ 12%]` or `(0.01s)` at its end. The `[2]` and `(3)` of a test's own name stay.
pub(super) fn without_time(line: &str) -> &str {
    let line = line.trim_end();
    let open = line.strip_suffix(']').and_then(|inside| inside.rfind('['));
    let open = open.or_else(|| line.strip_suffix(')').and_then(|inside| inside.rfind('(')));
    let is_time = |at: &usize| {
        let inside = line.get(at + 1..line.len() - 1).unwrap_or_default().trim();
        let spaced = line.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']));
        let digits = inside.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')).count();
        let unit = inside.get(digits..).unwrap_or_default();
        spaced && digits > 0 && !unit.trim().is_empty() && inside.len() <= 14
    };
    open.filter(is_time).and_then(|at| line.get(..at)).unwrap_or(line).trim_end()
}

/// What TAP announces: `TAP version 13`, `1..330`.
pub(super) fn is_plan(line: &str) -> bool {
    let number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let plan = line.trim().strip_prefix("1..").map(|rest| rest.split(' ').next().unwrap_or_default());
    line.starts_with("TAP version ") || plan.is_some_and(number)
}

/// ctest: `Start 12: name`
fn is_start(line: &str) -> bool {
    let number = line.strip_prefix("Start ").and_then(|rest| rest.split_once(": ")).map(|(number, _)| number.trim());
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
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
    // phpunit: `......  63 / 1953 (3%)`
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    let numbers = rest.bytes().all(|byte| byte.is_ascii_digit() || b" /()%[]".contains(&byte));
    let named = counted.rsplit_once(' ').filter(|(path, _)| path.contains('.') && !path.contains(' '));
    dots(counted)
        || (dots(first) && numbers)
        || is_plan(line)
        || named.is_some_and(|(_, word)| dots(word))
        || line.starts_with("running ") && line.ends_with(['t', 's'])
        || line
            .strip_prefix("[INFO] Running ")
            .or(line.strip_prefix("Running "))
            .is_some_and(|name| name.contains('.') && !name.contains(' '))
        || line.starts_with("collected ")
        || line.starts_with("collecting ")
        || line.starts_with("Starting ") && line.contains(" tests ")
        || line.starts_with("rootdir: ")
        || line.starts_with("plugins: ")
        || line.starts_with("platform ")
        || line.starts_with("cachedir: ")
        || is_start(line)
        || line.starts_with("▶ ")
}
