//! What a run of tests or checks adds up to, as it says itself.

use memchr::memmem;

use crate::outputs::cut_to_chars;

/// Lines at the end in which a run says how it went.
const LAST_LINES: usize = 60;
const TOTALS_CHARS: usize = 100;

/// What the totals of a run say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Totals {
    /// Something failed, by this line.
    Failing(String),
    /// Nothing did; the line that counts most, and where the last one ends.
    Fine { said: String, end: usize },
}

/// How programs say that all of it went well.
const FINE: &[&str] = &[
    "All checks passed",
    "Success: no issues found",
    "BUILD SUCCESS",
    "Build succeeded",
    "✓ built in",
    "0 issues.",
    "[INFO] BUILD SUCCESS",
];
/// How lines open that count tests or findings, beside those that open with a number.
const OPENINGS: &[&str] = &[
    "Tests",
    "Test Files",
    "Test Suites",
    "test result:",
    "Failed!",
    "Passed!",
    "FAILED (",
    "✖ ",
    "✕ ",
    "Found ",
    "Summary",
    "Ran ",
    "Total",
    "Errors ",
    "OK (",
    "Failures:",
];
/// What stands behind a number that opens such a line.
const COUNTED: &[&str] = &[
    "failed",
    "failing",
    "failure",
    "failures",
    "passed",
    "passing",
    "error",
    "errors",
    "problem",
    "problems",
    "examples",
    "example",
    "tests",
    "test",
    "specs",
    "warnings",
    "warning",
    "scenarios",
    "scenario",
];
const GOOD: &[&str] = &["passed", "passing", "pass", "succeeded", "examples", "example", "specs"];
const BAD: &[&str] = &["failed", "failing", "failure", "failures", "error", "errors", "errored", "fail"];

/// What the last lines of an output add up to; `None` if they count nothing.
pub(super) fn totals(text: &str) -> Option<Totals> {
    let last = last_lines(text, LAST_LINES);
    let offset = last.as_ptr() as usize - text.as_ptr() as usize;
    let mut best: Option<(u64, String)> = None;
    let (mut packages, mut end, mut at) = (0, 0, offset);
    for whole in last.split('\n') {
        at += whole.len() + 1;
        let line = undecorated(whole);
        if whole.starts_with("ok  \t") || whole.starts_with("ok\t") {
            (packages, end) = (packages + 1, at);
        } else if FINE.iter().any(|said| line.starts_with(said)) {
            best = best.or_else(|| Some((0, cut_to_chars(line, TOTALS_CHARS))));
            end = at;
        } else if let Some((good, bad)) = tally(line) {
            if bad > 0 {
                return Some(Totals::Failing(cut_to_chars(line, TOTALS_CHARS)));
            }
            if good > 0 {
                end = at;
                best = best.filter(|(most, _)| *most > good).or_else(|| Some((good, cut_to_chars(line, TOTALS_CHARS))));
            }
        }
    }
    let said = best.map(|(_, line)| line).or_else(|| (packages > 0).then(|| format!("{packages} packages ok")))?;
    Some(Totals::Fine { said, end: end.min(text.len()) })
}

/// How much went well and how much did not, if a line counts that.
fn tally(line: &str) -> Option<(u64, u64)> {
    let counts_something = line.bytes().any(|byte| byte.is_ascii_digit());
    if !counts_something || line.len() > 200 {
        return None;
    }
    let mut runs = runs(line);
    let opens_with_count = || {
        let mut words = line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
        number && words.next().is_some_and(|word| COUNTED.contains(&&*word.to_lowercase()))
    };
    // `# fail 1`
    if let Some(said) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
        let (word, number) = said.split_once(' ')?;
        let number = number.trim().parse().ok()?;
        return match word {
            "pass" => Some((number, 0)),
            "fail" => Some((0, number)),
            _ => None,
        };
    }
    if !OPENINGS.iter().any(|opening| line.starts_with(opening)) && !opens_with_count() {
        return None;
    }
    let (mut good, mut bad, mut found) = (0, 0, false);
    let mut count = |word: &str, number: u64| {
        let word = word.to_lowercase();
        if GOOD.contains(&&*word) {
            (good, found) = (good + number, true);
        } else if BAD.contains(&&*word) {
            (bad, found) = (bad + number, true);
        }
    };
    let mut before: Option<&str> = runs.next().map(|(_, word)| word);
    let mut is_expected = false;
    for (between, word) in runs {
        let Some(last) = before.replace(word) else { continue };
        // `expected failures=1`: it failed as it was expected to.
        if std::mem::replace(&mut is_expected, last == "expected") && word.parse::<u64>().is_ok() {
            continue;
        }
        // `1 failed`, `Failed: 1`, `failures=1`
        match (last.parse::<u64>(), word.parse::<u64>()) {
            (Ok(number), Err(_)) if between.trim().is_empty() => count(word, number),
            (Err(_), Ok(number)) if matches!(between.trim(), ":" | "=") => count(last, number),
            (_, _) => {}
        }
    }
    found.then_some((good, bad))
}

/// The words and numbers of a line, each with what stands before it.
fn runs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(char::is_alphanumeric)?;
        let (between, behind) = rest.split_at(start);
        let end = behind.find(|c: char| !c.is_alphanumeric()).unwrap_or(behind.len());
        let (word, left) = behind.split_at(end);
        rest = left;
        Some((between, word))
    })
}

fn undecorated(line: &str) -> &str {
    let line = line.trim().trim_matches('=').trim().trim_start_matches(['│', '|', '─']).trim_start();
    let line = ["[ERROR] ", "[INFO] ", "[WARNING] ", "error: "]
        .iter()
        .find_map(|mark| line.strip_prefix(mark))
        .unwrap_or(line);
    line.trim()
}

fn last_lines(text: &str, count: usize) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let start = memchr::memrchr_iter(b'\n', text.as_bytes()).nth(count - 1).map_or(0, |newline| newline + 1);
    text.get(start..).unwrap_or(text)
}

/// Whether a build says at its end that it is finished; a run of tests says so before it begins.
pub(super) fn is_built(text: &str) -> bool {
    let last = last_lines(text, 3);
    memmem::find(last.as_bytes(), b"Finished ").is_some()
        && last.lines().any(|line| line.trim_start().starts_with("Finished "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_with_a_failure_are_no_success() {
        for text in [
            "Tests:       1 failed, 3 passed, 4 total\nTime: 1.2 s",
            " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 30 passed (31)",
            "  3 passing (12ms)\n  1 failing\n\n  1) Parser",
            "1 failed, 3 passed in 0.12s",
            "===== 1 failed, 3 passed in 0.12s =====",
            "Failed!  - Failed:     1, Passed:     3, Skipped:     0, Total:     4",
            "[ERROR] Tests run: 4, Failures: 1, Errors: 0, Skipped: 0",
            "✖ 1 problem (1 error, 0 warnings)",
            "Found 3 errors.\n[*] 2 fixable with the `--fix` option.",
            "Found 1 error in 1 file (checked 1 source file)",
            "Ran 4 tests in 0.1s\n\nFAILED (failures=1)",
            "4 examples, 1 failure",
            "Tests: 4, Assertions: 9, Failures: 1.",
            "test result: ok. 2 passed; 0 failed\ntest result: FAILED. 3 passed; 1 failed; 0 ignored",
            "     Summary [   7.620s] 100 tests run: 98 passed, 2 failed, 4 skipped",
            "  1 failed\n    [chromium] › a.spec.ts\n  5 passed (3.2s)",
            "# pass 3\n# fail 1",
        ] {
            assert!(matches!(totals(text), Some(Totals::Failing(_))), "{text}: {:?}", totals(text));
        }
    }

    #[test]
    fn totals_without_a_failure_are_a_success() {
        for (text, expected) in [
            ("Tests:       3 passed, 3 total", "Tests:       3 passed, 3 total"),
            ("===== 3 passed, 1 warning in 0.12s =====", "3 passed, 1 warning in 0.12s"),
            (
                "test result: ok. 41 passed; 0 failed\ntest result: ok. 0 passed; 0 failed",
                "test result: ok. 41 passed; 0 failed",
            ),
            ("ok  \ta/b\t0.1s\nok  \ta/c\t0.1s", "2 packages ok"),
            ("4 examples, 0 failures", "4 examples, 0 failures"),
            ("2 passed, 1 xfailed in 0.1s", "2 passed, 1 xfailed in 0.1s"),
            ("All checks passed!", "All checks passed!"),
            ("Success: no issues found in 3 source files", "Success: no issues found in 3 source files"),
        ] {
            let Some(Totals::Fine { said, .. }) = totals(text) else { panic!("{text}: {:?}", totals(text)) };
            assert_eq!(said, expected);
        }
    }

    #[test]
    fn other_lines_count_nothing() {
        for text in [
            "✓ handles 2 errors gracefully",
            "retry 1 failed, trying again",
            "============ no tests ran in 0.01s ============",
            "test result: ok. 0 passed; 0 failed",
            "3 xfailed in 0.1s",
            "OK (expected failures=2)",
            "",
        ] {
            assert_eq!(totals(text), None, "{text}");
        }
    }
}
