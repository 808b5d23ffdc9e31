//! How a call ended, by what its tool says, and where that says nothing, by what a program would only print if it failed
//! or went well.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::FAILED;
use super::frame::{Frame, State};
use super::totals::{Totals, is_built, totals};
use crate::lines::line_around;
use crate::outputs::events::error_lines;
use crate::outputs::{cause_of, cut_to_chars, reported};
use crate::summary::notes::shell::Script;

/// An error is told in so many.
const ERROR_CHARS: usize = 160;
const SAID_CHARS: usize = 120;
/// Of lines that speak of errors, so many are looked at.
const ERROR_LINES: usize = 60;
/// Lines at either end in which a program complains under its own name.
const COMPLAINTS: usize = 5;
const NOT_KNOWN: &str = "outcome not known: ";

/// How tools say that a call failed, in dialects that have no mark for it.
const FAILURES: &[&str] = &[
    "<tool_use_error>",
    "Error:",
    "error:",
    "ERROR:",
    "Error ",
    "Failed to ",
    "apply_patch verification failed",
    "Could not find",
    "File has not been read",
    "File has been modified since",
    "File does not exist",
    "String to replace not found",
    "Your proposed edit has introduced",
    "exec_command failed",
    "Permission to use",
    "Permission denied",
    "No replacement was performed",
    "InputValidationError",
    "patch failed",
    "MCP error",
    "ENOENT",
    "EACCES",
];
/// How answers in JSON say it.
const JSON_FAILURES: &[&str] = &[
    "\"success\":false",
    "\"success\": false",
    "\"ok\":false",
    "\"ok\": false",
    "\"isError\":true",
    "\"isError\": true",
];

/// How lines begin in which a test or a build says that it failed.
const FAILING: &[&str] = &["FAIL", "--- FAIL", "not ok ", "BUILD FAILED", "✗ ", "✘ "];

/// What is printed only where something failed, and what must stand before it in its line.
const SIGNS: &[(&str, Before)] = &[
    ("npm ERR! ", Before::Nothing),
    ("npm error ", Before::Nothing),
    ("fatal: ", Before::Nothing),
    ("error: failed to push", Before::Nothing),
    ("! [rejected]", Before::Nothing),
    ("! [remote rejected]", Before::Nothing),
    ("make: *** ", Before::Nothing),
    ("]: *** ", Before::Anything),
    ("Traceback (most recent call last):", Before::Nothing),
    ("Error from server", Before::Nothing),
    ("ERROR: failed to solve", Before::Nothing),
    ("BUILD FAILURE", Before::Anything),
    ("FAILURE: Build failed", Before::Nothing),
    ("FAILURES!", Before::Nothing),
    ("curl: (", Before::Nothing),
    ("error TS", Before::Anything),
    ("ELIFECYCLE", Before::Nothing),
    ("ERR_PNPM", Before::Nothing),
    (": command not found", Before::Anything),
    ("command not found: ", Before::Anything),
    (": not found\n", Before::Shell),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    /// The name of a shell.
    Shell,
    Anything,
}

static SIGN_FINDER: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(SIGNS.iter().map(|(sign, _)| sign)).expect("a short list of words"));

/// How a call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::summary::notes) enum End {
    Failed,
    /// It is known that it went well.
    Well,
    /// It came to its end, and nothing says that it failed.
    Unsaid,
    /// It has not ended, or what it said is lost.
    NotKnown,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::summary::notes) struct Outcome {
    pub(in crate::summary::notes) end: End,
    pub(in crate::summary::notes) said: String,
    /// Under this name later calls ask how it goes on.
    pub(in crate::summary::notes) runs_as: Option<String>,
}

impl Outcome {
    fn new(end: End, said: String) -> Outcome {
        Outcome { end, said, runs_as: None }
    }

    fn failure(text: &str) -> Outcome {
        Outcome::new(End::Failed, format!("{FAILED}{}", error_in(text)))
    }

    pub(in crate::summary::notes) fn failed(&self) -> bool {
        self.end == End::Failed
    }

    /// Whether it came to its end, and did not fail.
    pub(in crate::summary::notes) fn is_done(&self) -> bool {
        matches!(self.end, End::Well | End::Unsaid)
    }

    /// How a shell command ended.
    pub(in crate::summary::notes) fn of_command(script: &Script, text: &str, is_error: bool) -> Outcome {
        let frame = Frame::read(text);
        let body = &*frame.body;
        match frame.state {
            State::Running(id) => {
                let said = format!("{NOT_KNOWN}it was still running");
                Outcome { runs_as: id, ..Outcome::new(End::NotKnown, said) }
            }
            State::Lost(why) => Outcome::new(End::NotKnown, format!("{NOT_KNOWN}{why}")),
            State::TimedOut => Outcome::new(End::Failed, format!("{FAILED}timed out")),
            // Nothing was found, which is no failure of what was searched.
            State::Exited(1) if script.is_filtered() && body.trim().is_empty() => {
                Outcome::new(End::Unsaid, briefly(script, body))
            }
            State::Exited(0) if !is_error && script.code_is_its_own() => Outcome::well(script, body),
            State::Exited(0) | State::Unsaid if !is_error => Outcome::by_words(script, body),
            State::Exited(_) | State::Unsaid => Outcome::failure(body),
        }
    }

    fn well(script: &Script, body: &str) -> Outcome {
        let said = match (script.checks(), totals(body)) {
            (true, Some(Totals::Fine { said, .. })) => format!("passed, {said}"),
            (true, Some(Totals::Failing(_)) | None) => "passed".to_owned(),
            (false, _) => briefly(script, body),
        };
        Outcome::new(End::Well, said)
    }

    /// How a command ended whose tool does not say it.
    fn by_words(script: &Script, body: &str) -> Outcome {
        // What is shown speaks of something else.
        if script.shows() {
            let first = body.lines().next().unwrap_or_default();
            let failed = Outcome::is_failure(first, false) || script.complains(first);
            return if failed { Outcome::failure(first) } else { Outcome::new(End::Unsaid, briefly(script, body)) };
        }
        let totals = if script.checks() { totals(body) } else { None };
        let counted = match totals {
            Some(Totals::Failing(line)) => {
                let error = error_lines(body).take(ERROR_LINES).find(|line| reported(line).is_some());
                let error = error.map_or(line, |line| cut_to_chars(cause_of(body, line).trim(), ERROR_CHARS));
                return Outcome::new(End::Failed, format!("{FAILED}{error}"));
            }
            Some(Totals::Fine { said, end }) => Some((said, end)),
            None => None,
        };
        // Tests that go well may print errors; what comes behind their totals is about the run.
        let behind = counted.as_ref().and_then(|(_, end)| body.get(*end..)).unwrap_or(body);
        let failing = script.checks()
            && (says_failing(body) || error_lines(behind).take(ERROR_LINES).any(|line| reported(line).is_some()));
        let opens_so = counted.is_none() && Outcome::is_failure(body, false);
        if failing || opens_so || has_sign(script, behind) || complains(script, behind) {
            return Outcome::failure(if failing { body } else { behind });
        }
        match counted {
            // Of what is filtered, package by package, the others may be missing.
            Some((said, _)) if !(script.is_filtered() && said.ends_with("packages ok")) => {
                Outcome::new(End::Well, format!("passed, {said}"))
            }
            None if script.checks() && !script.tests() && !script.is_filtered() && is_built(body) => {
                Outcome::new(End::Well, "passed".to_owned())
            }
            Some(_) | None => Outcome::new(End::Unsaid, briefly(script, body)),
        }
    }

    /// How any other call ended.
    pub(in crate::summary::notes) fn of_call(text: &str, is_error: bool) -> Outcome {
        if text.starts_with("[Request interrupted") {
            return Outcome::new(End::NotKnown, format!("{NOT_KNOWN}it was interrupted"));
        }
        if Outcome::is_failure(text, is_error) {
            return Outcome::failure(text);
        }
        Outcome::new(End::Unsaid, briefly(&Script::default(), text))
    }

    /// Whether a call that runs no command failed.
    pub(in crate::summary::notes) fn is_failure(text: &str, is_error: bool) -> bool {
        let text = text.trim_start();
        let in_json = || {
            let end = (0..=text.len().min(300)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
            let head = text.get(..end).unwrap_or_default();
            head.starts_with('{') && JSON_FAILURES.iter().any(|said| head.contains(said))
        };
        is_error || FAILURES.iter().any(|opening| text.starts_with(opening)) || in_json()
    }
}

fn says_failing(text: &str) -> bool {
    // Most lines are told by their first byte.
    let may =
        |line: &str| line.as_bytes().first().is_some_and(|first| matches!(first, b'F' | b'-' | b'n' | b'B' | 0xe2));
    text.lines().any(|line| may(line) && FAILING.iter().any(|word| line.starts_with(word)))
}

fn has_sign(script: &Script, text: &str) -> bool {
    SIGN_FINDER.find_iter(text).any(|hit| {
        let Some((sign, before)) = SIGNS.get(hit.pattern().as_usize()) else { return false };
        let line = line_around(text, hit.start());
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let opening = text.get(start..hit.start()).unwrap_or_default().trim();
        match (*sign, before) {
            ("fatal: ", _) => opening.is_empty() && script.runs("git"),
            ("]: *** ", _) => opening.starts_with("make["),
            ("error TS", _) => {
                line.get(hit.end() - start..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            }
            (_, Before::Nothing) => opening.is_empty(),
            (_, Before::Shell) => {
                ["sh:", "bash:", "zsh:", "/bin/sh:", "/bin/bash:"].iter().any(|shell| opening.starts_with(shell))
            }
            // A shell says no more than that in its line.
            (_, Before::Anything) => line.len() < 300,
        }
    })
}

fn complains(script: &Script, text: &str) -> bool {
    let (first, last) = (text.lines().take(COMPLAINTS), text.lines().rev().take(COMPLAINTS));
    first.chain(last).any(|line| script.complains(line))
}

fn error_in(text: &str) -> String {
    let lines: Vec<&str> = error_lines(text).take(ERROR_LINES).map(str::trim).collect();
    let strong = lines.iter().copied().find(|line| reported(line).is_some());
    let line = strong.or_else(|| lines.first().copied()).or_else(|| last_line(text)).unwrap_or("it said nothing");
    cut_to_chars(cause_of(text, line).trim(), ERROR_CHARS)
}

fn last_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next();
    lines.find(|line| line.chars().any(char::is_alphanumeric)).or(first)
}

/// What an output says in a line.
fn briefly(script: &Script, text: &str) -> String {
    let text = text.trim();
    let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1;
    // `[main 1234567] what was recorded`
    let recorded = || text.lines().find(|line| line.starts_with('[') && line.contains("] "));
    let said = match (text, lines) {
        ("", _) => "no output".to_owned(),
        (_, _) if script.records() && recorded().is_some() => recorded().unwrap_or_default().to_owned(),
        (text, 1 | 2) => cut_to_chars(text, SAID_CHARS).split_whitespace().collect::<Vec<_>>().join(" "),
        (text, _) if script.checks() => last_line(text).unwrap_or_default().to_owned(),
        (_, lines) => format!("{lines} lines"),
    };
    let said = cut_to_chars(&said, SAID_CHARS);
    // What is read back as a failure must have been one.
    if said.starts_with(FAILED) { format!("it said: {said}") } else { said }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(command: &str, text: &str) -> Outcome {
        Outcome::of_command(&Script::read(command), text, false)
    }

    #[track_caller]
    fn check(command: &str, text: &str, end: End, said: &str) {
        let outcome = outcome(command, text);
        assert_eq!((outcome.end, &*outcome.said), (end, said), "{command}: {text}");
    }

    #[test]
    fn a_traceback_is_told_by_its_last_line() {
        let text = "start\nTraceback (most recent call last):\n  File \"job.py\", line 4, in run\n    settle(order)\nmy.Missing: 'tenant_id'\n";
        check("python job.py", text, End::Failed, "failed: my.Missing: 'tenant_id'");
    }

    #[test]
    fn the_exit_code_decides_where_the_tool_says_it() {
        check(
            "make",
            "Chunk ID: 1\nProcess exited with code 0\nOutput:\nerror: is a word in a log",
            End::Well,
            "passed",
        );
        check("make", "Exit code 2\nmake: *** [all] Error 2", End::Failed, "failed: make: *** [all] Error 2");
        check("make", "main\n<shellId: 0 completed with exit code 0>", End::Well, "passed");
        check("make", "src/a.c:3: error: expected ';'", End::Failed, "failed: src/a.c:3: error: expected ';'");
        check("make", "all fine", End::Unsaid, "all fine");
        check(
            "cargo test",
            "note: the runner returns exit code 0 for warnings\ntest result: FAILED. 3 passed; 1 failed",
            End::Failed,
            "failed: test result: FAILED. 3 passed; 1 failed",
        );
    }

    #[test]
    fn behind_a_pipe_the_exit_code_says_nothing_of_a_check() {
        let failing = "Process exited with code 0\nOutput:\nFAIL\ta/b\t0.1s";
        for command in ["go test ./... 2>&1 | tail -3", "go test ./...; ls", "go test ./... && echo ok || echo no"] {
            assert!(outcome(command, failing).failed(), "{command}");
        }
        check("go test ./... | grep -c x", "Exit code 0\n3", End::Unsaid, "3");
        check("go test ./... | grep FAIL", "Exit code 1\n", End::Unsaid, "no output");
        check("go test ./... | grep ok", "ok  \ta/b\t0.1s", End::Unsaid, "ok a/b 0.1s");
        check("go test ./... | tail -3", "ok  \ta/b\t0.1s\nok  \ta/c\t0.1s", End::Well, "passed, 2 packages ok");
        check("go vet ./...", "Exit code 1\n# a\nb.go:3: undefined: x", End::Failed, "failed: b.go:3: undefined: x");
    }

    #[test]
    fn nothing_is_said_to_have_passed_without_evidence() {
        check("cargo build -p m", "", End::Unsaid, "no output");
        check(
            "cargo build",
            "   Compiling x v0.1.0\n    Finished dev [unoptimized] target(s) in 0.5s",
            End::Well,
            "passed",
        );
        check(
            "pytest -k no",
            "collected 0 items\n\n=== no tests ran in 0.01s ===",
            End::Unsaid,
            "=== no tests ran in 0.01s ===",
        );
        for text in [
            "Command running in background with ID: b67e323. Output is being written to: /tmp/b67e323.output",
            "Chunk ID: 1\nProcess running with session ID 7\nOutput:\nok  \ta\t1s",
            "[Request interrupted by user for tool use]",
            "[Old tool result content cleared]",
        ] {
            let outcome = outcome("cargo test", text);
            assert_eq!(outcome.end, End::NotKnown, "{text}");
            assert!(outcome.said.starts_with(NOT_KNOWN), "{outcome:?}");
        }
    }

    #[test]
    fn what_a_run_says_itself_decides_otherwise() {
        for (command, text) in [
            ("npx jest a", "Tests:       1 failed, 3 passed, 4 total\nTime: 1.2 s"),
            ("npx tsc --noEmit", "src/a.ts(1,2): error TS2304: Cannot find name 'foo'."),
            ("npx eslint h", "/w/a.js\n  1:1  error  Unexpected var\n\n✖ 1 problem (1 error, 0 warnings)"),
            ("go test ./i", "Command timed out after 2m 0s"),
            ("make o", "make: *** [Makefile:3: o] Error 2"),
            ("make o", "cc a.c\nmake[1]: *** [o] Error 2"),
            ("npm test", "bash: npm: command not found"),
            ("npx playwright test a", "sh: playwright: command not found"),
            ("npm run build", "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1"),
            ("npm install left-pad", "npm ERR! 404 Not Found - GET https://x/left-pad"),
            ("ruff check r.py", "Found 3 errors.\n[*] 2 fixable"),
            ("git push origin main", " ! [rejected]        main -> main\nerror: failed to push some refs to 'origin'"),
            ("git checkout -b x", "fatal: A branch named 'x' already exists."),
            ("kubectl apply -f y", "Error from server (Forbidden): error when creating"),
            ("docker build .", "ERROR: failed to solve: process did not complete: exit code: 1"),
            ("python a.py", "start\nTraceback (most recent call last):\n  File \"a.py\"\nValueError: x"),
            ("phpunit z", "FAILURES!\nTests: 4, Assertions: 9, Failures: 1."),
            ("mv a b", "mv: cannot stat 'a': No such file or directory"),
            ("sed -i s/a/b/ x", "sed: can't read x: No such file or directory"),
            ("curl -sS http://localhost/", "curl: (7) Failed to connect to localhost port 80"),
        ] {
            assert!(outcome(command, text).failed(), "{command}: {text}");
        }
    }

    #[test]
    fn a_log_that_is_shown_is_not_the_outcome() {
        check(
            "gh run view 1 --log-failed | tail -5",
            "E2E\tError: x\n##[error]Process completed with exit code 1.",
            End::Unsaid,
            "E2E Error: x ##[error]Process completed with exit code 1.",
        );
        check("kubectl logs api", "a\nTraceback (most recent call last):\nx", End::Unsaid, "3 lines");
        assert!(outcome("kubectl logs api", "Error from server (NotFound): pods \"api\" not found").failed());
        check(
            "git commit -m 'lint: fix it'",
            "[main 1234567] lint: fix it",
            End::Unsaid,
            "[main 1234567] lint: fix it",
        );
    }

    #[test]
    fn edits_that_were_not_made_are_known() {
        for text in [
            "Permission to use Write has been denied.",
            "No replacement was performed, old_str `foo` did not appear verbatim in d.py.",
            "{\"success\": false, \"error\": \"EACCES: permission denied\"}",
        ] {
            assert!(Outcome::of_call(text, false).failed(), "{text}");
        }
        assert_eq!(Outcome::of_call("[Request interrupted by user for tool use]", false).end, End::NotKnown);
        assert!(Outcome::of_call("[Old tool result content cleared]", false).is_done());
    }
}
