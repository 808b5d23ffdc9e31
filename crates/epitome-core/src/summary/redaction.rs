//! Secrets in a transcript: found by their format, by the name they are assigned to, or by their place, and taken out.
//!
//! A summary model is a third party. What it is shown holds no key, token, password or private key that can be told
//! from other text. One automaton finds all places that are worth a look, and every detector looks at a bounded stretch
//! around one, so that the whole is linear.

mod commands;
mod formats;
mod keys;
mod manifests;
mod matching;
mod memory;
mod names;
mod places;
mod tables;
mod values;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use formats::FORMATS;
pub use memory::Redactor;

/// The text without its secrets. Each reads `[redacted: password]`, or whatever it was.
pub fn redact(text: &str) -> Cow<'_, str> {
    Redactor::default().redact(text)
}

/// How sure a detector is of the kind of what it found. The surest names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// The name or the place says that it is a secret.
    Place,
    /// It was found elsewhere in the transcript.
    Known,
    /// It has the format of one.
    Format,
}

/// A secret.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    range: Range<usize>,
    kind: &'static str,
    rank: Rank,
}

/// What was found so far.
#[derive(Debug, Default)]
struct Found {
    spans: Vec<Span>,
    /// Where the last name ends that was looked at: several anchors may stand in it.
    name: usize,
    /// Up to here the lines belong to a table, and the document to a manifest, that was read.
    table: usize,
    manifest: usize,
    /// Up to here a long stretch was read for a format, for a name's value, for a block in base64, for a command: what
    /// begins inside of it was seen with it.
    key: (&'static str, usize),
    value: usize,
    block: usize,
    command: (usize, usize),
}

impl Found {
    fn push(&mut self, range: Range<usize>, kind: &'static str, rank: Rank) {
        self.spans.push(Span { range, kind, rank });
    }
}

/// Looks at one place of a text.
type Detector = fn(&str, Range<usize>, &mut Found);

/// Words, in either case, and what looks at the places where they stand.
const DETECTORS: &[(&[&str], Detector)] = &[
    (names::ANCHORS, names::look),
    (&["-----BEGIN "], keys::beginning),
    (&["-----END "], keys::end),
    (&["LS0tLS1CRUdJTi"], keys::encoded),
    (&["Private-Lines:"], keys::putty),
    (&["://"], places::address),
    (&["bearer ", "basic "], places::scheme),
    (&["cookie"], places::cookies),
    (&[":AA"], places::telegram),
    (&["8Q~", "7Q~"], places::azure),
    (&["-us"], places::mailchimp),
    (&[":5432:", ":5433:", ":6432:", ":6543:", ":*:"], places::pgpass),
    (&["AKIA", "ASIA"], places::beside_key_id),
    (&["kind: Secret", "kind\":\"Secret\"", "kind\": \"Secret\""], manifests::look),
    (&["curl ", "sshpass ", "mysql", "mariadb", "redis-cli ", "docker login"], commands::look),
];

/// What stands behind an anchor's number.
#[derive(Debug, Clone, Copy)]
enum Anchor {
    Format(usize),
    Detector(usize),
}

struct Anchors {
    finder: AhoCorasick,
    anchors: Vec<Anchor>,
}

static ANCHORS: LazyLock<Anchors> = LazyLock::new(|| {
    let formats = FORMATS.iter().enumerate();
    let formats = formats.flat_map(|(at, row)| row.openings.iter().map(move |word| (*word, Anchor::Format(at))));
    let detectors = DETECTORS.iter().enumerate();
    let detectors = detectors.flat_map(|(at, row)| row.0.iter().map(move |word| (*word, Anchor::Detector(at))));
    let (words, anchors): (Vec<&str>, Vec<Anchor>) = formats.chain(detectors).unzip();
    // Overlapping hits are wanted, and read fastest from a table.
    let built = AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(words);
    Anchors { finder: built.expect("the anchors are few and short"), anchors }
});

/// All secrets of a text, in order, none touching another.
fn secrets(text: &str) -> Vec<Span> {
    let mut found = Found::default();
    for hit in ANCHORS.finder.find_overlapping_iter(text) {
        match ANCHORS.anchors.get(hit.pattern().as_usize()) {
            Some(Anchor::Format(at)) => {
                if let Some(format) = FORMATS.get(*at) {
                    matching::look(text, hit.range(), format, &mut found);
                }
            }
            Some(Anchor::Detector(at)) => {
                if let Some((_, detector)) = DETECTORS.get(*at) {
                    detector(text, hit.range(), &mut found);
                }
            }
            None => {}
        }
    }
    places::discord(text, &mut found);
    merged(found.spans)
}

/// What overlaps is one secret, of the kind that is surest.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.range.is_empty());
    spans.sort_by_key(|span| (span.range.start, span.range.end));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut().filter(|last| span.range.start < last.range.end) {
            Some(last) => {
                last.range.end = last.range.end.max(span.range.end);
                if span.rank > last.rank {
                    (last.kind, last.rank) = (span.kind, span.rank);
                }
            }
            None => merged.push(span),
        }
    }
    merged
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether the byte is the second of `\n`, `\t` or `\r` in a quoted text.
pub(in crate::summary) fn is_escape(bytes: &[u8], at: usize) -> bool {
    let escaped = bytes.get(at).is_some_and(|byte| b"ntr".contains(byte));
    escaped && at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\')
}

/// How many bytes from `start` on, of at most `most`, belong.
fn run(bytes: &[u8], start: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes.get(start..).unwrap_or_default().iter().take(most).take_while(|byte| belongs(**byte)).count()
}

/// How many bytes that end right before `end`, of at most `most`, belong.
fn run_back(bytes: &[u8], end: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes.get(..end).unwrap_or_default().iter().rev().take(most).take_while(|byte| belongs(**byte)).count()
}

/// The text from `start` to `end`, or to the last character that ends before it.
fn piece(text: &str, start: usize, end: usize) -> Range<usize> {
    start..(start..=end).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(start)
}

#[cfg(test)]
mod tests;
