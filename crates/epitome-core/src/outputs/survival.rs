//! Reads a digest again: is every error and every failed test of the original in it? What was lost is counted (M18).
//!
//! What counts is decided here, by a list of its own (`words/surely.txt`), and not by what chose the lines.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::write::cut_lines;
use super::{FINDING_CHARS, rows};
use crate::lines::line_around;

/// What a digest kept of its original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Loss {
    /// Errors that are no repeats.
    pub errors: Kept,
    /// Tests and checks that did not pass.
    pub failures: Kept,
    /// Lines, or parts of long lines.
    pub units: Kept,
    /// Different words of four letters and more.
    pub words: Kept,
}

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Kept {
    /// Still there.
    pub kept: usize,
    /// In the original.
    pub of: usize,
}

impl Kept {
    fn add(&mut self, kept: bool) {
        self.of += 1;
        self.kept += usize::from(kept);
    }

    /// All of them.
    pub fn is_all(self) -> bool {
        self.kept == self.of
    }
}

impl Loss {
    /// Whether everything is still there that must not be lost.
    pub fn survived(&self) -> bool {
        self.errors.is_all() && self.failures.is_all()
    }
}

/// What a line reports beyond doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sure {
    /// Something went wrong.
    Error,
    /// A test or a check did not pass.
    Failure,
}

struct Row {
    words: &'static str,
    stands: &'static str,
    reports: Sure,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let sure = |name: &str| if name == "failure" { Sure::Failure } else { Sure::Error };
    let rows = rows::<5>(include_str!("words/surely.txt"));
    rows.map(|[words, stands, reports, ..]| Row { words, stands, reports: sure(reports) }).collect()
});

/// What a line reports beyond doubt, if it does.
pub fn reported(line: &str) -> Option<Sure> {
    let trimmed = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let found = |row: &&Row| match row.stands {
        "level" => has_level(line.as_bytes(), row.words.as_bytes()),
        "opening" => opens(trimmed, row.words),
        _ => line.find(row.words).is_some_and(|at| {
            let before = line.get(..at).unwrap_or_default();
            let ends = line.get(at + row.words.len()..).unwrap_or_default().bytes().next();
            !counts_none(before.as_bytes())
                && (row.reports == Sure::Error || ends.is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'='))
        }),
    };
    ROWS.iter().find(found).map(|row| row.reports)
}

/// Whether a line begins with these words, or with a place, a colon and these words.
fn opens(line: &str, words: &str) -> bool {
    let starts = |text: &str| {
        if is_none(text.get(words.len()..).unwrap_or_default().as_bytes()) {
            return false;
        }
        let start = text.get(..words.len());
        start.is_some_and(|start| start == words || (words.ends_with([':', '[']) && start.eq_ignore_ascii_case(words)))
    };
    let placed = || {
        let place = line.split(": ").next().unwrap_or_default();
        let digit = place.bytes().any(|byte| byte.is_ascii_digit());
        let path = place.contains(['.', '/']) && !place.contains(' ');
        (digit && path).then(|| line.get(place.len() + 2..)).flatten()
    };
    starts(line) || placed().is_some_and(starts)
}

/// Whether a level stands in a line: alone and in capitals, or behind the key of a level.
fn has_level(line: &[u8], level: &[u8]) -> bool {
    let capitals = level.to_ascii_uppercase();
    let mut from = 0;
    while let Some(at) = find_ignoring_case(line.get(from..).unwrap_or_default(), level).map(|at| at + from) {
        from = at + level.len();
        let (before, word, after) = (
            line.get(..at).unwrap_or_default(),
            line.get(at..from).unwrap_or_default(),
            line.get(from..).unwrap_or_default(),
        );
        let alone = before.last().is_none_or(|byte| b" \t[(|<\"=:/".contains(byte))
            && after.first().is_none_or(|byte| b" \t])|>\":,;".contains(byte));
        if alone && word == capitals && !counts_none(before) && !is_none(after) {
            return true;
        }
        let near = before.get(before.len().saturating_sub(16)..).unwrap_or_default();
        let key: Vec<u8> = near.iter().filter(|byte| !b"\" '".contains(byte)).copied().collect();
        let ends = after.first().is_none_or(|byte| !byte.is_ascii_alphanumeric());
        if ends
            && [&b"level="[..], b"level:", b"severity=", b"severity:", b"lvl="].iter().any(|name| key.ends_with(name))
        {
            return true;
        }
    }
    false
}

fn find_ignoring_case(text: &[u8], word: &[u8]) -> Option<usize> {
    let (first, rest) = word.split_first()?;
    memchr::memchr2_iter(*first, first.to_ascii_uppercase(), text)
        .find(|at| text.get(at + 1..at + 1 + rest.len()).is_some_and(|found| found.eq_ignore_ascii_case(rest)))
}

/// `0 ERROR`, `no ERROR`
fn counts_none(before: &[u8]) -> bool {
    let before = before.trim_ascii_end();
    let zero = before
        .strip_suffix(b"0")
        .is_some_and(|rest| rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b".,:".contains(byte)));
    zero || before.ends_with(b" no") || before == b"no"
}

/// `ERROR: 0`, `ERROR 0,`
fn is_none(after: &[u8]) -> bool {
    let value = after.trim_ascii_start();
    let value = value.strip_prefix(b":").or(value.strip_prefix(b"=")).unwrap_or(value).trim_ascii_start();
    value.strip_prefix(b"0").is_some_and(|rest| rest.first().is_none_or(|byte| b" ,;)|".contains(byte)))
}

/// The lines that may report something: those with one of the words.
static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let words = ROWS.iter().map(|row| row.words);
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
});

/// The lines that report something, one of each form, with where they stand.
fn sure_lines(text: &str) -> Vec<(Sure, usize, &str)> {
    let mut forms: HashSet<(Sure, u64)> = HashSet::new();
    let mut lines: Vec<(Sure, usize, &str)> = Vec::new();
    let mut note = |sure: Sure, line: &'_ str| forms.insert((sure, form(line)));
    let mut from = 0;
    let mut around = "";
    while let Some(found) = FINDER.as_ref().and_then(|finder| finder.find(text.get(from..)?)) {
        // A long line is measured once, however many of the words it has.
        let end = around.as_ptr() as usize + around.len();
        let at = from + found.start();
        if around.is_empty() || text.as_ptr() as usize + at >= end {
            around = line_around(text, at);
        }
        let (line, end) = shown_around(text, around, at);
        from = end.max(from + found.end());
        let Some(sure) = reported(line) else { continue };
        if note(sure, line) {
            lines.push((sure, at, line));
        }
        if line.contains(TRACEBACK)
            && let Some(cause) = cause(text.get(from..).unwrap_or_default())
            && note(sure, cause)
        {
            lines.push((sure, cause.as_ptr() as usize - text.as_ptr() as usize, cause));
        }
    }
    lines
}

/// The line, and where it ends. Of a document on one line only what stands around the word at `at`.
fn shown_around<'text>(text: &'text str, line: &'text str, at: usize) -> (&'text str, usize) {
    let start = line.as_ptr() as usize - text.as_ptr() as usize;
    let end = start + line.len();
    if line.len() <= DOCUMENT {
        return (line, end);
    }
    // No further: the line may have the words in a hundred thousand places.
    let rest = text.get(at..text.floor_char_boundary((at + AROUND).min(end))).unwrap_or_default();
    let end = at + rest.find(['}', '\\']).unwrap_or(rest.len());
    let before = text.floor_char_boundary(at.saturating_sub(LEVEL_KEY)).max(start);
    (text.get(before..end).unwrap_or_default(), end)
}

const TRACEBACK: &str = "Traceback (most recent";
/// A longer line is a document of its own.
const DOCUMENT: usize = 2_000;
/// So much behind a word is what it reports.
const AROUND: usize = FINDING_CHARS / 4;
/// The key of a level stands right before it.
const LEVEL_KEY: usize = 16;
/// A traceback is not followed further.
const TRACE_LINES: usize = 400;

/// What a line says went wrong: of the first line of a Python traceback, its last one.
pub fn cause_of<'text>(text: &'text str, line: &'text str) -> &'text str {
    if !line.contains(TRACEBACK) {
        return line;
    }
    let behind = text.find(line).map(|at| at + line.len());
    behind.and_then(|behind| text.get(behind..)).and_then(cause).unwrap_or(line)
}

/// The last line of a Python traceback is the first behind it that is not indented: it says what went wrong.
fn cause(behind: &str) -> Option<&str> {
    let own = |line: &&str| !line.starts_with(char::is_whitespace) && !line.is_empty();
    behind.lines().skip(1).take(TRACE_LINES).find(own)
}

/// What a line says, without the time and the place before it.
fn message(line: &str) -> &str {
    let words = super::events::error_word(line).and_then(|at| line.get(at..));
    words.unwrap_or(line).trim()
}

/// Looks for every line of a text that reports something in a digest's body. Returns what was kept, and where all of the
/// lines stand if some were lost.
pub(super) fn check(text: &str, body: &str) -> (Loss, Vec<usize>) {
    let mut loss = Loss::default();
    let mut sure_at = Vec::new();
    let sure = sure_lines(text);
    if sure.is_empty() {
        return (loss, sure_at);
    }
    let seen = Seen::new(body);
    for (sure, at, line) in sure {
        let kept = seen.has_like(line);
        match sure {
            Sure::Error => loss.errors.add(kept),
            Sure::Failure => loss.failures.add(kept),
        }
        sure_at.push(at);
    }
    if loss.survived() {
        sure_at.clear();
    }
    (loss, sure_at)
}

/// Different words of a text that are kept in another: a measure of loss that knows nothing of errors.
pub(super) fn words_kept(text: &str, body: &str) -> Kept {
    // Sorted lists, not trees: every digest is measured.
    let words = |text: &str| -> Vec<u64> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() >= 4);
        let mut words: Vec<u64> = words.map(|word| xxh3_64(word.as_bytes())).collect();
        words.sort_unstable();
        words.dedup();
        words
    };
    let (of, left) = (words(text), words(body));
    Kept { kept: left.iter().filter(|word| of.binary_search(word).is_ok()).count(), of: of.len() }
}

/// A digest, prepared for looking.
struct Seen {
    plain: String,
    /// What its lines say, by their hash: thousands are looked up, not searched.
    forms: HashSet<u64>,
}

impl Seen {
    fn new(body: &str) -> Seen {
        Seen { plain: spaced(body), forms: body.lines().map(form).collect() }
    }

    /// Whether a line that says the same is there: what stands before the words, a place or a time, may differ.
    fn has_like(&self, line: &str) -> bool {
        if self.forms.contains(&form(line)) {
            return true;
        }
        let shown = cut_lines(line, FINDING_CHARS);
        // A cut in the middle of the message: its beginning tells.
        let message = message(&shown).split("[…").next().unwrap_or_default();
        self.plain.contains(spaced(message).trim())
    }
}

/// What a line says, whatever it says it of: its message without the words that have a digit.
fn form(line: &str) -> u64 {
    let mut form = Xxh3Default::new();
    for word in message(line).split_whitespace().filter(|word| !word.bytes().any(|byte| byte.is_ascii_digit())) {
        form.update(word.as_bytes());
        form.update(b" ");
    }
    form.digest()
}

fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        spaced.push(' ');
        spaced.push_str(word);
    }
    spaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_reports_what_it_says_and_nothing_else() {
        for [words, stands, reports, line, other] in rows(include_str!("words/surely.txt")) {
            assert!(["level", "opening", "anywhere"].contains(&stands), "{words}: {stands}");
            let expected = if reports == "failure" { Sure::Failure } else { Sure::Error };
            assert_eq!(reported(line), Some(expected), "{words}: {line}");
            assert_eq!(reported(other), None, "{words}: {other}");
        }
    }

    #[test]
    fn none_counted_and_names_report_nothing() {
        for line in [
            "ERROR: 0",
            "0 ERROR, 3 WARN",
            "test on_error ... ok",
            "connection refused",
            "ErrorBoundary mounted",
            "ERRORS.md",
            "no ERROR",
            "",
        ] {
            assert_eq!(reported(line), None, "{line}");
        }
    }

    #[test]
    fn errors_of_other_words_are_other_errors() {
        let many: String = (0..40).map(|n| format!("ERROR job {n} of host{n}.lan timed out\n")).collect();
        let lost = |text: &str| check(text, "nothing").1.len();
        assert_eq!((lost(&many), lost(&format!("{many}ERROR job 3 of host3.lan ran out\n"))), (1, 2));
    }

    #[test]
    fn every_error_of_a_document_on_one_line_is_found_where_it_stands() {
        let entry = |word: &str| format!("{{\"at\":\"ééééééééé\",\"level\":\"error\",\"msg\":\"{word} gone\"}},");
        let words = ["disk", "cable", "queue", "lamp", "door", "pump", "valve"];
        let text = words.map(|word| entry(word) + &"{\"at\":\"é\"},".repeat(40)).concat();
        let (loss, at) = check(&text, "nothing");
        assert_eq!((loss.errors.of, at.len()), (7, 7));
        assert!(at.iter().all(|at| text[*at..].starts_with("error")), "{at:?}");
    }

    #[test]
    fn the_last_line_of_a_traceback_is_looked_for() {
        let text = "x\nTraceback (most recent call last):\n  File \"a.py\", line 1\n    f()\nmy.Odd: 'gone'\nx\n";
        let (loss, lost) = check(text, "Traceback (most recent call last):\n");
        assert_eq!((loss.errors, lost.len()), (Kept { kept: 1, of: 2 }, 2));
        assert!(text[lost[1]..].starts_with("my.Odd"));
    }
}
