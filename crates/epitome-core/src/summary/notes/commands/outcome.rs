//! How a call ended, by what its tool says.

use memchr::memmem;

use super::FAILED;
use crate::outputs::cut_to_chars;
use crate::outputs::events::{error_lines, is_strong};
use crate::summary::notes::shell::Script;

/// An error is told in so many.
const ERROR_CHARS: usize = 160;
/// Lines at the end in which a run says how it went.
const LAST_LINES: usize = 60;
/// Where tools say the exit code: so many bytes from either end.
const EXIT_WITHIN: usize = 400;

/// How tools say that a call failed, in dialects that have no mark for it.
const FAILURES: &[&str] = &[
    "<tool_use_error>",
    "Error:",
    "error:",
    "ERROR:",
    "Failed to ",
    "apply_patch verification failed",
    "Could not find",
    "File has not been read",
    "File has been modified since",
    "String to replace not found",
    "Your proposed edit has introduced",
    "exec_command failed",
];

/// How lines begin in which a test or a build says that it failed.
const FAILING: &[&str] = &["FAIL", "--- FAIL", "not ok ", "BUILD FAILED", "✗ ", "✘ "];

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::summary::notes) struct Outcome {
    pub(in crate::summary::notes) failed: bool,
    pub(in crate::summary::notes) said: String,
}

impl Outcome {
    /// How a shell command ended.
    pub(in crate::summary::notes) fn of_command(script: &Script, text: &str, is_error: bool) -> Outcome {
        let body = body(text);
        // Behind a pipe the exit code is that of what comes last in it.
        let code = exit_code(text);
        let told = code.filter(|code| *code != 0 || !script.is_piped());
        let failed = is_error
            || Outcome::is_failure(text, false) && code.is_none()
            || match told {
                Some(code) => code != 0,
                None => script.checks() && (says_failing(body) || error_lines(body).any(is_strong)),
            };
        if failed {
            return Outcome { failed, said: format!("{FAILED}{}", error_in(body)) };
        }
        let said = match (script.checks(), totals(body)) {
            (true, Some(totals)) => format!("passed, {totals}"),
            (true, None) if !script.is_filtered() => "passed".to_owned(),
            (true | false, _) => briefly(script, body),
        };
        Outcome { failed, said }
    }

    /// How any other call ended.
    pub(in crate::summary::notes) fn of_call(text: &str, is_error: bool) -> Outcome {
        if Outcome::is_failure(text, is_error) {
            return Outcome { failed: true, said: format!("{FAILED}{}", error_in(text)) };
        }
        Outcome { failed: false, said: briefly(&Script::default(), text) }
    }

    /// Whether a call that runs no command failed.
    pub(in crate::summary::notes) fn is_failure(text: &str, is_error: bool) -> bool {
        is_error || FAILURES.iter().any(|opening| text.starts_with(opening))
    }
}

fn says_failing(text: &str) -> bool {
    // Most lines are told by their first byte.
    let may =
        |line: &str| line.as_bytes().first().is_some_and(|first| matches!(first, b'F' | b'-' | b'n' | b'B' | 0xe2));
    text.lines().any(|line| may(line) && FAILING.iter().any(|word| line.starts_with(word)))
}

/// What the program printed: some tools say more around it.
fn body(text: &str) -> &str {
    const OUTPUT: &[u8] = b"\nOutput:\n";
    let head = text.as_bytes().get(..1_000).unwrap_or(text.as_bytes());
    match memmem::find(head, OUTPUT) {
        Some(at) => text.get(at + OUTPUT.len()..).unwrap_or(text),
        None if text.starts_with("Exit code ") => text.split_once('\n').map_or("", |(_, body)| body),
        None => text,
    }
}

/// The exit code, where a tool says it: `Exit code 1`, `Process exited with code 0`, `"exit_code":2`.
fn exit_code(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let ends = [bytes.get(..bytes.len().min(EXIT_WITHIN)), bytes.get(bytes.len().saturating_sub(EXIT_WITHIN)..)];
    ends.into_iter().flatten().find_map(|part| {
        [&b"xit code "[..], b"xit code: ", b"xited with code ", b"xit status ", b"\"exit_code\":"].iter().find_map(
            |said| {
                let at = memmem::find(part, said)? + said.len();
                let rest = part.get(at..)?;
                let digits = rest
                    .iter()
                    .skip_while(|byte| **byte == b' ')
                    .take_while(|byte| byte.is_ascii_digit() || **byte == b'-');
                let digits: Vec<u8> = digits.copied().collect();
                std::str::from_utf8(&digits).ok()?.parse().ok()
            },
        )
    })
}

fn error_in(text: &str) -> String {
    let lines: Vec<&str> = error_lines(text).take(LAST_LINES).map(str::trim).collect();
    let strong = lines.iter().copied().find(|line| is_strong(line));
    let last = || text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let line = strong.or_else(|| lines.first().copied()).or_else(last).unwrap_or("it said nothing");
    cut_to_chars(line, ERROR_CHARS)
}

/// What a run adds up to, as it says itself.
fn totals(text: &str) -> Option<String> {
    let last = last_lines(text, LAST_LINES);
    if memmem::find(last.as_bytes(), b"passed").is_some() {
        let number_before = |line: &str, word: &str| {
            let (before, _) = line.split_once(word)?;
            before.trim_end().rsplit(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
        };
        let passed = last.lines().rev().filter_map(|line| Some((number_before(line, "passed")?, line)));
        if let Some((_, line)) = passed.max_by_key(|(number, _)| *number) {
            return Some(cut_to_chars(line.trim(), 100));
        }
    }
    let packages = last.lines().filter(|line| line.starts_with("ok  \t") || line.starts_with("ok\t")).count();
    (packages > 0).then(|| format!("{packages} packages ok"))
}

fn last_lines(text: &str, count: usize) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let start = memchr::memrchr_iter(b'\n', text.as_bytes()).nth(count - 1).map_or(0, |newline| newline + 1);
    text.get(start..).unwrap_or(text)
}

fn briefly(script: &Script, text: &str) -> String {
    let lines = memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() + 1;
    // `[main 1234567] what was recorded`
    let recorded = || text.lines().find(|line| line.starts_with('[') && line.contains("] "));
    if let Some(line) = script.records().then(recorded).flatten() {
        return cut_to_chars(line, 120);
    }
    match (text.trim(), lines) {
        ("", _) => "done".to_owned(),
        (text, 1 | 2) => cut_to_chars(text, 120).split_whitespace().collect::<Vec<_>>().join(" "),
        (_, lines) => format!("{lines} lines"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_decides_where_it_is_said() {
        let check = |text: &str, failed: bool| {
            assert_eq!(Outcome::of_command(&Script::read("make"), text, false).failed, failed, "{text}");
        };
        check("Chunk ID: 1\nProcess exited with code 0\nOutput:\nerror: is a word in a log", false);
        check("Exit code 2\nmake: *** [all] Error 2", true);
        check("main\n<shellId: 0 completed with exit code 0>", false);
        check("src/a.c:3: error: expected ';'", true);
        check("all fine", false);
    }

    #[test]
    fn behind_a_pipe_the_exit_code_says_nothing_of_a_check() {
        let outcome = |command: &str, text: &str| Outcome::of_command(&Script::read(command), text, false);
        assert!(outcome("go test ./... 2>&1 | tail -3", "Process exited with code 0\nOutput:\nFAIL\ta/b\t0.1s").failed);
        assert_eq!(outcome("go test ./... | grep -c x", "Exit code 0\n3").said, "3");
        assert_eq!(
            outcome("go test ./... | tail -3", "ok  \ta/b\t0.1s\nok  \ta/c\t0.1s").said,
            "passed, 2 packages ok"
        );
        assert_eq!(
            outcome("go vet ./...", "Exit code 1\n# a\nb.go:3: undefined: x").said,
            "failed: b.go:3: undefined: x"
        );
    }
}
