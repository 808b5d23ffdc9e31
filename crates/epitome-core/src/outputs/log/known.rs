//! Whether an output is a log: most of its lines begin with a time or a level.

use super::line::{self, Line, json_message};
use crate::outputs::events;

/// Lines looked at before the output is taken for a log: from its beginning, its middle and its end.
const SAMPLE: usize = 40;
/// Fewer lines than these are no log.
const LINES_AT_LEAST: usize = 5;

/// Whether most lines of a sample begin with a time or a level.
pub(super) fn is_log(text: &str) -> bool {
    let middle = text.len() / 2;
    let middle = (middle..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (first, last) = text.split_at(middle);
    let own = |line: &&str| !line.trim().is_empty() && !line.starts_with([' ', '\t']) && !events::is_frame(line);
    // The end of the first half and the beginning of the second may be halves of one line.
    let sample: Vec<&str> = first
        .lines()
        .filter(own)
        .take(SAMPLE)
        .chain(last.lines().skip(1).filter(own).take(SAMPLE))
        .chain(last.lines().rev().filter(own).take(SAMPLE / 2))
        .collect();
    let (mut logged, mut quiet, mut timed) = (0, 0, 0);
    for line in &sample {
        let read = Line::of(line);
        let message = read.time.as_ref().is_some_and(|time| has_message(line, time.start, time.end));
        let levelled = read.level.is_some() && (leads(line) || json_message(line).is_some());
        logged += usize::from(message || levelled);
        timed += usize::from(message);
        quiet += usize::from(read.level.is_some_and(|level| level.weight == line::Weight::Quiet));
    }
    // Without times, levels alone make a log if some of them are quiet: a compiler's warnings are none.
    let told = timed * 2 >= sample.len() || quiet * 5 >= sample.len();
    text.lines().take(LINES_AT_LEAST).count() == LINES_AT_LEAST
        && logged * 2 > sample.len()
        && told
        && !is_table(&sample)
}

/// Whether words follow a time. In a listing it stands behind rights and sizes, in a table between tabs.
fn has_message(line: &str, start: usize, end: usize) -> bool {
    let before = line.get(..start).unwrap_or_default();
    let after = line.get(end..).unwrap_or_default();
    let rights = line.len() > 10 && line.bytes().take(10).all(|byte| b"-dlrwxsStTbcp".contains(&byte));
    let columns = before.bytes().filter(|byte| *byte == b'\t').count() > 2;
    let words = after.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let history = before.starts_with("Date:") || before.starts_with("commit ") || is_blamed(before, after);
    !(rights || columns || history) && words >= 1
}

/// `12ab34cd (Ann Lee 2025-09-15 08:00:00 +0200 17) source`: who wrote a line of a file is no log.
fn is_blamed(before: &str, after: &str) -> bool {
    let commit = before.trim_start_matches('^').bytes().take_while(u8::is_ascii_hexdigit).count();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = after.trim_start();
    let number = digits(numbered);
    commit >= 7
        && before.contains('(')
        && number > 0
        && numbered.get(number..).is_some_and(|rest| rest.starts_with(')'))
}

/// Whether a level stands at the beginning of a line.
fn leads(line: &str) -> bool {
    let beginning = line.get(..24).unwrap_or(line);
    Line::of(beginning).level.is_some() || line.contains("level=")
}

/// Rows of equal length below a head are a table, whatever is in their columns.
fn is_table(sample: &[&str]) -> bool {
    let Some((head, rows)) = sample.split_first() else { return false };
    let separators = |line: &str| line.bytes().filter(|byte| matches!(byte, b',' | b'\t' | b';')).count();
    let columns = separators(head);
    let like = rows.iter().filter(|row| separators(row) == columns).count();
    columns >= 2 && line::time(head).is_none() && !head.starts_with('{') && like * 10 >= rows.len() * 9
}
