//! Columns of secrets: the header of a table names them, and its rows hold them. CSV, and what databases print.

use std::ops::Range;

use super::names::kind_of;
use super::values::{is_a_word, is_placeholder, is_random};
use super::{Found, Rank};

/// A longer line is no header.
const LONGEST_HEADER: usize = 400;
/// A longer line is no row.
const LONGEST_ROW: usize = 8_000;

/// Reads the rows of a table in whose header a name stands.
pub(super) fn look(text: &str, name: Range<usize>, found: &mut Found) {
    if name.start < found.table {
        return;
    }
    let Some(header) = line_around(text, name) else { return };
    let Some(line) = text.get(header.clone()) else { return };
    let Some(delimiter) = [',', '\t', '|', ';'].into_iter().find(|delimiter| line.contains(*delimiter)) else { return };
    let cells: Vec<&str> = line.trim_end().split(delimiter).map(bare).collect();
    let is_label = |cell: &&str| cell.len() <= 40 && cell.chars().all(|c| c.is_alphanumeric() || " _-.".contains(c));
    if cells.len() < 2 || !cells.iter().all(is_label) {
        return;
    }
    let kinds: Vec<Option<&'static str>> =
        cells.iter().map(|cell| kind_of("", 0, &cell.replace([' ', '.'], ""))).collect();
    if kinds.iter().all(Option::is_none) {
        return;
    }
    found.table = header.end;
    let mut start = header.end + 1;
    while let Some(row) = row_at(text, start) {
        let Some(line) = text.get(row.clone()) else { break };
        if !line.is_empty() && line.trim().chars().all(|c| "-+|: ".contains(c)) {
            start = row.end + 1;
            continue;
        }
        let cells = cells_of(line.trim_end(), delimiter);
        if cells.len() != kinds.len() {
            break;
        }
        for (cell, kind) in cells.into_iter().zip(&kinds) {
            let (Some(kind), Some(value)) = (*kind, line.get(cell.clone())) else { continue };
            let value = bare(value);
            let is_secret = match kind {
                "password" => value.len() >= 4 && !is_a_word(value),
                _ => value.len() >= 12 && is_random(value),
            };
            if is_secret && !value.contains(' ') && !is_placeholder(value) {
                let at = row.start + cell.start + line.get(cell).and_then(|cell| cell.find(value)).unwrap_or_default();
                found.push(at..at + value.len(), kind, Rank::Place);
            }
        }
        found.table = row.end;
        start = row.end + 1;
    }
}

fn bare(cell: &str) -> &str {
    cell.trim().trim_matches('"').trim()
}

/// The line in which something stands, if it is short and another follows.
fn line_around(text: &str, place: Range<usize>) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let before = bytes.get(place.start.saturating_sub(LONGEST_HEADER)..place.start)?;
    let start = match memchr::memrchr(b'\n', before) {
        Some(newline) => place.start - before.len() + newline + 1,
        None if before.len() < LONGEST_HEADER => place.start - before.len(),
        None => return None,
    };
    let after = bytes.get(place.end..)?;
    let newline = memchr::memchr(b'\n', after.get(..after.len().min(LONGEST_HEADER))?)?;
    Some(start..place.end + newline)
}

fn row_at(text: &str, start: usize) -> Option<Range<usize>> {
    let rest = text.as_bytes().get(start..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest.get(..rest.len().min(LONGEST_ROW))?).unwrap_or(rest.len());
    (length <= LONGEST_ROW).then_some(start..start + length)
}

/// The cells of a row: a delimiter between quotes is none.
fn cells_of(line: &str, delimiter: char) -> Vec<Range<usize>> {
    let mut cells = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, c) in line.char_indices() {
        match c {
            '"' => quoted = !quoted,
            c if c == delimiter && !quoted => {
                cells.push(start..at);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    cells.push(start..line.len());
    cells
}
