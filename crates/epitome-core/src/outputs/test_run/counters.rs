//! Lines of counters: `12 passed, 1 failed`, `Tests run: 3, Failures: 0`.

use super::result::{without_time, word_status};

/// What is counted.
const THINGS: &[&str] = &[
    "test",
    "tests",
    "example",
    "examples",
    "suites",
    "assertions",
    "specs",
    "scenario",
    "scenarios",
    "steps",
    "checks",
    "total",
    "run",
];
/// How it went.
const STATES: &[&str] = &[
    "passed",
    "failed",
    "passing",
    "failing",
    "pending",
    "skipped",
    "error",
    "errors",
    "failure",
    "failures",
    "ignored",
    "xfailed",
    "xpassed",
    "xfail",
    "xpass",
    "deselected",
    "did",
    "todo",
    "flaky",
    "pass",
    "fail",
    "skip",
    "disabled",
    "rerun",
    "retried",
    "broken",
    "crashed",
    "cancelled",
    "interrupted",
    "succeeded",
    "undefined",
    "success",
    "successes",
];

/// Catch2: `1 failed as expected`.
const AS_EXPECTED: &str = " as expected";

/// Whether a counted word says that something went wrong.
pub(super) fn is_bad(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    ["fail", "error", "flaky", "xpass", "broken", "crashed", "interrupted", "unexpected"]
        .iter()
        .any(|opening| word.starts_with(opening))
        && !word.ends_with(AS_EXPECTED)
}

/// A word of a line of counters.
struct Word<'text> {
    text: &'text str,
    /// From it to the end of the line.
    rest: &'text str,
    /// What stands behind it up to the next word.
    behind: &'text str,
}

impl<'text> Word<'text> {
    fn is(&self, list: &[&str]) -> bool {
        list.iter().any(|known| known.eq_ignore_ascii_case(self.text))
    }

    fn is_counted(&self) -> bool {
        self.is(THINGS) || self.is(STATES)
    }

    fn is_label(&self) -> bool {
        self.behind.starts_with([':', '='])
    }

    /// `failed as expected`, which is no failure.
    fn expected(&self, next: Option<&Word<'text>>) -> &'text str {
        let length = self.text.len() + AS_EXPECTED.len();
        let longer = self.rest.get(..length).filter(|said| said.ends_with(AS_EXPECTED));
        longer.filter(|_| next.is_some_and(|next| next.text == "as")).unwrap_or(self.text)
    }

    /// unittest: `expected failures=1`, `unexpected successes=1`.
    fn behind_expected(&self, before: Option<&Word<'text>>) -> &'text str {
        let before = before.filter(|before| before.text.ends_with("expected") && before.behind == " ");
        before.and_then(|before| before.rest.get(..before.text.len() + 1 + self.text.len())).unwrap_or(self.text)
    }

    fn number(&self) -> Option<usize> {
        self.text.parse().ok().filter(|_| !self.behind.starts_with(['%', ':', '/']))
    }
}

/// Of a longer line only the beginning is taken apart.
const WORDS: usize = 60;

fn words(line: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut rest = line.trim_start_matches(|c: char| !c.is_alphanumeric() || c == 'ℹ');
    while !rest.is_empty() && words.len() < WORDS {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '.' && c != '_').unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        let behind = after.find(char::is_alphanumeric).unwrap_or(after.len());
        words.push(Word { text: text.trim_end_matches('.'), rest, behind: after.get(..behind).unwrap_or_default() });
        rest = after.get(behind..).unwrap_or_default();
    }
    words
}

/// `12 passed`, `Failures: 1`, `errors=2`, `# pass 3`: the numbers of a line with what they count.
pub(super) fn counts(line: &str) -> Vec<(usize, &str)> {
    let words = words(line);
    let mut counts = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(number) = word.number() else { continue };
        let next =
            words.get(at + 1).filter(|next| word.behind.trim().is_empty() && !next.is_label() && next.is_counted());
        let before = at.checked_sub(1).and_then(|before| words.get(before)).filter(|before| before.is_counted());
        let alone = words.len() == 2 && at == 1;
        if let Some(next) = next {
            // `2 tests failed`
            let state = words
                .get(at + 2)
                .filter(|state| next.behind == " " && next.is(THINGS) && state.is(STATES) && !state.is_label());
            counts.push((number, state.unwrap_or(next).expected(words.get(at + 2))));
        } else if let Some(before) = before.filter(|before| before.is_label() || alone) {
            counts.push((number, before.behind_expected(at.checked_sub(2).and_then(|two| words.get(two)))));
        }
    }
    // gtest says first how they ended: `[  PASSED  ] 50 tests.`
    if let (Some(first), [(_, thing)]) =
        (words.first().filter(|first| word_status(first.text).is_some()), counts.as_mut_slice())
        && line.starts_with('[')
    {
        *thing = first.text;
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
            "Results:",
        ];
        let counts = counts(trimmed);
        let begins = trimmed.starts_with(|c: char| c.is_ascii_digit());
        // TAP, node: `# pass 12`, `ℹ pass 12`; others: `Passed: 12`, `Total tests: 12`
        let words = words(trimmed);
        let remark = counts.len() == 1
            && (2..=3).contains(&words.len())
            && words.last().is_some_and(|last| last.number().is_some())
            && (trimmed.starts_with(['#', 'ℹ']) || words.iter().any(Word::is_label));
        opens.iter().any(|opening| trimmed.starts_with(opening))
            || remark
            || (begins && counts.len() == 1 && trimmed.len() <= 40 && trimmed.split(' ').count() <= 5)
    }
}

/// mocha: `40 passing (12s)`
fn is_passing(line: &str, counts: &[(usize, &str)]) -> bool {
    let one = matches!(counts, [(_, "passing" | "failing")]);
    one && line.starts_with(|c: char| c.is_ascii_digit()) && without_time(line).split(' ').count() == 2
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
        || is_passing(trimmed, &counts)
        || (line.starts_with('=') && line.trim_end().ends_with('=') && words >= 1 && trimmed.contains(" in "))
}
