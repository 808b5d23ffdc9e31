//! Runs whose lines each begin with a time, the name of a package or the number of a project: they are read without it.

use std::collections::HashMap;

use super::reading::{Rank, Reading, lines};

/// Lines looked at to see what they begin with.
const SAMPLE: usize = 200;
/// More names than these are no packages.
const NAMES: usize = 12;

/// What the lines of a run begin with.
enum Known<'text> {
    /// A time, perhaps behind a job and a step: it says nothing of a test.
    Times,
    /// The number of a project that is built beside others.
    Projects,
    /// The package that a line is of.
    Names(HashMap<&'text str, usize>),
}

impl Known<'_> {
    /// How much of a line it is.
    fn length(&self, line: &str) -> usize {
        match self {
            Known::Times => time(line),
            Known::Projects => project(line),
            Known::Names(names) => {
                name(line).filter(|length| line.get(..*length).is_some_and(|name| names.contains_key(name)))
            }
        }
        .unwrap_or(0)
    }
}

/// Reads the lines of a text without what each of them begins with. `None`: they begin with nothing of that kind, or
/// are not of the kind that `plain` reads without it.
pub(super) fn read(text: &str, plain: impl Fn(&str) -> Option<Reading>) -> Option<Reading> {
    let known = known(text)?;
    let mut stripped = String::with_capacity(text.len());
    for span in lines(text) {
        let line = text.get(span)?;
        stripped.push_str(line.get(known.length(line)..).unwrap_or(line));
        stripped.push('\n');
    }
    let mut reading = plain(&stripped)?;
    let whole = Reading::of_lines(text);
    if whole.pieces.len() != reading.pieces.len() {
        return None;
    }
    for (piece, whole) in reading.pieces.iter_mut().zip(whole.pieces) {
        let line = whole.text(text);
        piece.full = match (piece.full.take(), &known) {
            (Some(said), Known::Names(_) | Known::Projects) => {
                Some(format!("{}{said}", line.get(..known.length(line)).unwrap_or_default().trim_start()))
            }
            (None, Known::Times) if piece.rank != Rank::Told => Some(piece.text(&stripped).to_owned()),
            (said, Known::Times | Known::Projects | Known::Names(_)) => said,
        };
        piece.span = whole.span;
    }
    Some(reading)
}

fn known(text: &str) -> Option<Known<'_>> {
    let sample: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE).collect();
    let most = |count: usize| count >= 8 && count * 10 >= sample.len() * 8;
    if most(sample.iter().filter(|line| time(line).is_some()).count()) {
        return Some(Known::Times);
    }
    if most(sample.iter().filter(|line| project(line).is_some()).count()) {
        return Some(Known::Projects);
    }
    let mut names: HashMap<&str, usize> = HashMap::new();
    for line in &sample {
        if let Some(name) = name(line).and_then(|length| line.get(..length)) {
            *names.entry(name).or_default() += 1;
        }
    }
    names.retain(|_, count| *count >= 3);
    (names.len() <= NAMES && most(names.values().sum())).then_some(Known::Names(names))
}

/// `2024-05-01T10:00:00.123Z `, or a job, a step and a time between tabs.
fn time(line: &str) -> Option<usize> {
    let mut from = 0;
    for _ in 0..3 {
        let rest = line.get(from..)?;
        let end = rest.find([' ', '\t']).unwrap_or(rest.len());
        let word = rest.get(..end)?.as_bytes();
        let is_time = word.len() >= 19
            && word.iter().take(4).all(u8::is_ascii_digit)
            && word.get(10) == Some(&b'T')
            && word.get(13) == Some(&b':');
        if is_time {
            return Some((from + end + 1).min(line.len()));
        }
        from += rest.find('\t')? + 1;
    }
    None
}

/// `web:test: `, `web-1  | `
fn name(line: &str) -> Option<usize> {
    let end = line.find(' ').unwrap_or(line.len());
    let word = line.get(..end)?;
    if word.len() > 1 && word.ends_with(':') {
        return Some((end + 1).min(line.len()));
    }
    let behind = line.get(end..)?.trim_start();
    let bar = behind.strip_prefix('|')?;
    (!word.is_empty()).then(|| line.len() - bar.strip_prefix(' ').unwrap_or(bar).len())
}

/// msbuild: `    12>`
fn project(line: &str) -> Option<usize> {
    let words = line.trim_start();
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=4).contains(&digits) && words.get(digits..)?.starts_with('>');
    numbered.then_some(line.len() - words.len() + digits + 1)
}
