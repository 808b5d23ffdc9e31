//! Reads a digest again: is every error, failure and outlier of the original in it? What was lost is counted (M18).

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use super::events;
use super::log::templates::Repeats;
use super::reading::{Events, Finding, Reading};
use super::template::template;
use super::write::{Written, cut_lines};

/// What a digest kept of its original.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Loss {
    /// Errors that are no repeats.
    pub errors: Kept,
    /// Tests and checks that did not pass.
    pub failures: Kept,
    /// What is unlike everything around it.
    pub outliers: Kept,
    /// Warnings that are no repeats.
    pub warnings: Kept,
    /// Lines, rows or records.
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
        self.errors.is_all() && self.failures.is_all() && self.outliers.is_all() && self.warnings.is_all()
    }

    fn of(&mut self, finding: Finding) -> &mut Kept {
        match finding {
            Finding::Error => &mut self.errors,
            Finding::Failure => &mut self.failures,
            Finding::Outlier => &mut self.outliers,
            Finding::Warning => &mut self.warnings,
        }
    }
}

/// Looks for the findings of the reading, and for every line of the text that reports an error, in the digest's body.
/// Returns what was kept, and the pieces that were lost. The `parts`, which are in order, may differ in which of their
/// lines report something.
pub(super) fn check(
    reading: &Reading,
    parts: &[(Range<usize>, Events)],
    text: &str,
    written: &Written,
) -> (Loss, Vec<usize>) {
    let mut loss = Loss::default();
    let mut lost = Vec::new();
    let seen = Seen::new(&written.body);
    for (index, piece) in reading.pieces.iter().enumerate() {
        let Some(finding) = piece.rank.finding() else { continue };
        // What a kind has written in its own words is shown uncut.
        let kept = match &piece.full {
            _ if written.folded.binary_search(&index).is_ok() => true,
            Some(said) => seen.has_whole(said),
            None => seen.has(piece.text(text)),
        };
        loss.of(finding).add(kept);
        if !kept {
            lost.push(index);
        }
    }
    if reading.events != Events::Quiet {
        for (finding, at, line) in reported(reading, parts, text) {
            let index = reading.pieces.partition_point(|piece| piece.span.end < at + line.len());
            let counted = reading.pieces.get(index).is_some_and(|piece| piece.rank.finding().is_some());
            if counted {
                continue;
            }
            let kept = seen.has_like(line);
            loss.of(finding).add(kept);
            if !kept {
                lost.push(index);
            }
        }
    }
    (loss, lost)
}

/// The lines that report something and are no repeats, with where they stand.
fn reported<'text>(
    reading: &Reading,
    parts: &[(Range<usize>, Events)],
    text: &'text str,
) -> Vec<(Finding, usize, &'text str)> {
    let mut repeats = Repeats::default();
    let mut lines = Vec::new();
    for line in events::error_lines(text) {
        let at = line.as_ptr() as usize - text.as_ptr() as usize;
        let after = parts.partition_point(|(span, _)| span.end <= at);
        let here = parts.get(after).filter(|(span, _)| span.start <= at).map_or(reading.events, |(_, events)| *events);
        let reports = match here {
            Events::Any => true,
            Events::Strong => events::is_strong(line),
            Events::Quiet => false,
        };
        if reports {
            let finding = events::severity(line).unwrap_or(Finding::Error);
            lines.push((repeats.add(finding, line.trim()), (finding, at, line)));
        }
    }
    let one_of = repeats.finish();
    let mut told: BTreeSet<usize> = BTreeSet::new();
    lines.into_iter().filter(|(group, _)| told.insert(one_of.of(*group))).map(|(_, line)| line).collect()
}

/// Different words of a text that are kept in another: the measure of loss that knows nothing of kinds.
pub(super) fn words_kept(text: &str, body: &str) -> Kept {
    // Sorted lists, not trees: every digest is measured.
    let words = |text: &str| -> Vec<u64> {
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() >= 4);
        let mut words: Vec<u64> = words.map(|word| xxhash_rust::xxh3::xxh3_64(word.as_bytes())).collect();
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
    /// Whole lines, without their numbers, by their hash: thousands of findings are looked up, not searched.
    lines: HashSet<u64>,
    templates: String,
}

impl Seen {
    fn new(body: &str) -> Seen {
        let plain = spaced(body);
        let unnumbered = |line: &str| {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            line.get(digits..).and_then(|rest| rest.strip_prefix(": ")).map(line_hash)
        };
        let lines = body.lines().flat_map(|line| [Some(line_hash(line)), unnumbered(line)]).flatten().collect();
        Seen { lines, templates: template(&plain), plain }
    }

    /// Whether a finding is there. Of a long line, what a digest shows of one.
    fn has(&self, finding: &str) -> bool {
        self.has_whole(&cut_lines(finding, super::write::FINDING_CHARS))
    }

    fn has_whole(&self, finding: &str) -> bool {
        finding.lines().all(|line| self.lines.contains(&line_hash(line)) || self.plain.contains(spaced(line).trim()))
    }

    /// Whether a line with the same message is there: what stands before the word, a place or a time, may differ.
    fn has_like(&self, line: &str) -> bool {
        let shown = cut_lines(line, super::write::FINDING_CHARS);
        let message = events::error_word(&shown).and_then(|at| shown.get(at..)).unwrap_or(&shown);
        // A cut in the middle of the message: its beginning tells.
        let message = message.split("[…").next().unwrap_or(message);
        self.templates.contains(template(spaced(message).trim()).as_str())
    }
}

fn line_hash(line: &str) -> u64 {
    xxhash_rust::xxh3::xxh3_64(spaced(line).as_bytes())
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
    use crate::outputs::reading::Rank;

    /// How many errors a digest without any of them is said to have lost.
    #[track_caller]
    fn check_lost(events: Events, text: &str, expected: usize) {
        let mut reading = Reading::of_lines(text);
        reading.events = events;
        reading.pieces.iter_mut().for_each(|piece| piece.rank = Rank::Told);
        let written = Written { body: "nothing".to_owned(), units: 0, left_out: Vec::new(), folded: Vec::new() };
        let (loss, lost) = check(&reading, &[], text, &written);
        assert_eq!((loss.errors.of - loss.errors.kept, lost.len()), (expected, expected), "{text}");
    }

    #[test]
    fn strong_errors_are_looked_for_whatever_the_kind_says() {
        for strong in [
            "08:00 ERROR db is gone",
            "[FATAL] no disk",
            "level=error msg=x",
            "{\"level\": \"error\", \"msg\": \"x\"}",
            "error[E0308]: mismatched types",
            "src/a.c:3:5: error: no such thing",
            "panic: nil map",
            "Traceback (most recent call last):",
            "thread 'main' panicked at src/a.rs:3:5:",
            "java.io.IOException: closed",
        ] {
            check_lost(Events::Strong, strong, 1);
            check_lost(Events::Quiet, strong, 0);
        }
        for weak in ["test on_error ... ok", "0 ERROR", "connection refused", "ErrorBoundary mounted", "ERRORS.md"] {
            check_lost(Events::Strong, weak, 0);
        }
    }

    #[test]
    fn errors_of_other_words_are_other_errors() {
        let many: String = (0..40).map(|n| format!("ERROR job {n} of host{n}.lan timed out\n")).collect();
        check_lost(Events::Strong, &many, 1);
        check_lost(Events::Strong, &format!("{many}ERROR job 3 of host3.lan ran out\n"), 2);
    }
}
