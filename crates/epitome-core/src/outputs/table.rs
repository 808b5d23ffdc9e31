//! Tables of all sorts: the columns once, and the rows that are unlike the others or report an error.

mod aligned;
mod expanded;
mod grid;

use std::collections::HashMap;

use super::outliers::{Cell, Column, Outlier, Schema, Summary, outliers, schema, summarize};
use super::reading::{Finding, Piece, Rank, Reading, Unit, lines};
use super::trouble::{Report, Reports};
use super::{Effort, OutputKind, ToolOutput, events};
use crate::tokens::Tokens;
use grid::{Grid, Row, Style};

/// Separated values, drawn tables, and columns aligned by spaces.
pub struct Table;

/// So many rows are kept as they are (M13), unless they are long.
const SMALL: usize = 10;
const SMALL_BYTES: usize = 2_000;
/// Rows at the beginning and at the end that are shown if there is room (M13).
const FIRST_ROWS: usize = 5;
const LAST_ROWS: usize = 3;
/// A row that must not be lost; less than what the writer cuts.
const FINDING_CHARS: usize = 560;
/// More lines among the rows that are no rows are no exceptions.
const BROKEN_AT_MOST: usize = 4;
/// More lines above a table are another output.
const SUMMARY_LINES: usize = 6;
/// So many lines behind the table belong to it.
const BEHIND_AT_MOST: usize = 12;
/// A short heading of separated values is shown as it stands.
const HEADING_NAMES: usize = 12;
const HEADING_CHARS: usize = 120;
/// Of a cell of several lines, so many at its beginning and its end.
const CELL_LINES: (usize, usize) = (2, 3);

impl OutputKind for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let text = &*output.text;
        let grid = grid::find(text, &output.arguments)?;
        let mut reading = Reading::empty(Unit::Row);
        let columns = columns(text, &grid);
        let findings = match effort {
            Effort::Full => {
                let summaries: Vec<Summary> = columns.iter().map(summarize).collect();
                let Schema { fields, more, names_all } = schema(&columns, &summaries);
                reading.say_always(format!("{}; {fields}", Unit::Row.count(grid.rows.len())));
                more.into_iter().for_each(|more| reading.say(more));
                push_rows(&mut reading, output, &grid, findings(&columns, &summaries, grid.rows.len()), names_all);
                return Some(reading);
            }
            Effort::Quick => reports(&columns, grid.rows.len()),
        };
        push_rows(&mut reading, output, &grid, findings, false);
        Some(reading)
    }
}

fn columns<'text>(text: &'text str, grid: &Grid) -> Vec<Column<'text>> {
    let of = |row: &Row, index: usize| match row.cells.get(index).and_then(|cell| text.get(cell.clone())) {
        Some(cell) if grid.style == Style::Drawn => Cell::of_text(cell.trim().trim_matches(['*', '`', '"'])),
        Some(cell) => Cell::of_text(cell.trim().trim_matches('"')),
        None => Cell::Empty,
    };
    let column = |(index, name): (usize, &String)| Column {
        name: name.clone(),
        cells: grid.rows.iter().map(|row| of(row, index)).collect(),
    };
    grid.names.iter().enumerate().map(column).collect()
}

type Findings = HashMap<usize, (Finding, String)>;

fn reports(columns: &[Column<'_>], rows: usize) -> Findings {
    let mut reports = Reports::default();
    columns.iter().enumerate().for_each(|(index, column)| reports.look_at(index, column));
    let note =
        |repeats: Option<usize>| repeats.map(|count| format!(" [×{}]", Tokens(count as u64))).unwrap_or_default();
    reports.shown(rows).into_iter().map(|Report { row, finding, repeats }| (row, (finding, note(repeats)))).collect()
}

fn findings(columns: &[Column<'_>], summaries: &[Summary], rows: usize) -> Findings {
    let mut findings: Findings = HashMap::new();
    for Outlier { row, columns: unlike } in outliers(summaries, rows) {
        let names: Vec<&str> =
            unlike.iter().take(3).filter_map(|index| columns.get(*index)).map(|column| column.name.as_str()).collect();
        findings.insert(row, (Finding::Outlier, format!(" ← {}", names.join(", "))));
    }
    findings.extend(reports(columns, rows));
    findings
}

/// Every line of the text: rows, heading, lines of the frame, and what stands around the table.
fn push_rows(reading: &mut Reading, output: &ToolOutput, grid: &Grid, findings: Findings, told_names: bool) {
    let text = &*output.text;
    let rows = grid.rows.len();
    let table = grid.rows.first().map_or(0, |row| row.span.start)..grid.rows.last().map_or(0, |row| row.span.end);
    let small = rows <= SMALL && text.len() <= SMALL_BYTES;
    let mut at = 0;
    for (index, row) in grid.rows.iter().enumerate() {
        push_lines(reading, output, grid, at..row.span.start, told_names);
        at = row.span.end;
        let finding = findings.get(&index);
        let rank = match finding {
            Some((finding, _)) => Rank::Finding(*finding),
            None if small => Rank::Frame,
            None if index < FIRST_ROWS => Rank::Telling(index as u8 * 2),
            None if index + LAST_ROWS >= rows => Rank::Telling((rows - index) as u8 * 2 - 1),
            None => Rank::Ordinary,
        };
        let note = finding.map(|(_, note)| note.clone()).filter(|note| !note.is_empty());
        let full = shown(text, grid, row);
        reading.pieces.push(Piece { units: 1, rank, full, note, ..Piece::ordinary(row.span.clone()) });
    }
    let behind = reading.pieces.len();
    push_lines(reading, output, grid, at..text.len(), told_names);
    keep_summary(reading, text, table.start);
    // A few lines behind the rows say something of all of them: indexes, totals.
    if reading.pieces.len() - behind <= BEHIND_AT_MOST {
        let lines = reading.pieces.iter_mut().skip(behind).filter(|piece| piece.rank == Rank::Ordinary);
        lines.for_each(|piece| piece.rank = Rank::Telling(0));
    }
    keep_broken(reading, text, table);
}

/// What is said above a table in few lines is said of all of it: loads, totals, how it was made.
fn keep_summary(reading: &mut Reading, text: &str, table: usize) {
    let plain = |piece: &Piece| piece.rank == Rank::Ordinary && !piece.text(text).trim().is_empty();
    let above = reading.pieces.iter().take_while(|piece| piece.span.start < table);
    let above: Vec<usize> = above.enumerate().filter(|(_, piece)| plain(piece)).map(|(index, _)| index).collect();
    if above.len() <= SUMMARY_LINES {
        above.into_iter().for_each(|index| reading.raise(index, Rank::Frame));
    }
}

/// A few lines among the rows that are no rows: a row that lacks a cell, or something else.
fn keep_broken(reading: &mut Reading, text: &str, table: std::ops::Range<usize>) {
    let among = |piece: &Piece| piece.units == 0 && piece.span.start > table.start && piece.span.end < table.end;
    let plain = |piece: &Piece| piece.rank == Rank::Ordinary && !piece.text(text).trim().is_empty();
    let broken: Vec<usize> = (0..reading.pieces.len())
        .filter(|index| reading.pieces.get(*index).is_some_and(|piece| among(piece) && plain(piece)))
        .collect();
    if broken.len() <= BROKEN_AT_MOST {
        broken.into_iter().for_each(|index| reading.raise(index, Rank::Finding(Finding::Outlier)));
    }
}

fn push_lines(
    reading: &mut Reading,
    output: &ToolOutput,
    grid: &Grid,
    within: std::ops::Range<usize>,
    told_names: bool,
) {
    let text = &*output.text;
    let first = reading.pieces.len();
    let part = text.get(within.clone()).unwrap_or_default();
    for line in lines(part) {
        let span = within.start + line.start..within.start + line.end;
        let words = text.get(span.clone()).unwrap_or_default().trim();
        if words.is_empty() {
            continue;
        }
        // Tables that are printed again and again have their heading each time.
        let again =
            || first > 0 && grid.heading.as_ref().is_some_and(|heading| grid::line(text, heading).trim() == words);
        let is_heading =
            grid.heading.as_ref().is_some_and(|heading| heading.start < span.end && span.start < heading.end);
        let counts_rows = words.len() < 40 && words.contains("row") && words.bytes().any(|byte| byte.is_ascii_digit());
        let rank = match (is_heading, grid::is_ruler(words)) {
            (true, _) if told_names && !is_short_line(grid, words) => Rank::Told,
            (true, _) => Rank::Frame,
            (false, true) => Rank::Told,
            (false, false) if again() => Rank::Told,
            (false, false) if counts_rows => Rank::Frame,
            (false, false) => match events::tool_message(words, &output.arguments) {
                Some(finding) => Rank::Finding(finding),
                None => Rank::Ordinary,
            },
        };
        let full = (is_heading && grid.style != Style::Separated).then(|| single_spaced(words));
        reading.pieces.push(Piece { units: 0, rank, full, ..Piece::ordinary(span) });
    }
    let until = reading.pieces.len();
    for index in first..until {
        let is_line = reading.pieces.get(index).is_some_and(|piece| piece.rank == Rank::Ordinary);
        if is_line {
            events::mark_within(reading, text, index..index + 1);
        }
    }
}

/// Whether a heading is worth a line though its names are told: that is how a file of separated values begins.
fn is_short_line(grid: &Grid, heading: &str) -> bool {
    grid.style == Style::Separated && grid.names.len() <= HEADING_NAMES && heading.len() <= HEADING_CHARS
}

/// The row without padding, if it has any; of cells of many lines the ends. `None`: as it is.
fn shown(text: &str, grid: &Grid, row: &Row) -> Option<String> {
    let words = text.get(row.span.clone())?;
    if grid.style == Style::Expanded {
        let cells =
            grid.names.iter().zip(&row.cells).filter_map(|(name, cell)| Some((name, text.get(cell.clone())?.trim())));
        let cells: Vec<String> =
            cells.filter(|(_, cell)| !cell.is_empty()).map(|(name, cell)| format!("{name}: {cell}")).collect();
        return Some(super::write::cut_lines(&cells.join(", "), FINDING_CHARS).into_owned());
    }
    if words.contains('\n') {
        let lines: Vec<&str> = words.lines().collect();
        let (head, tail) = CELL_LINES;
        let cut = |line: &&str| super::write::cut_lines(line, FINDING_CHARS).into_owned();
        if lines.len() <= head + tail + 1 {
            return None;
        }
        let left_out = lines.len() - head - tail;
        let first = lines.iter().take(head).map(cut);
        let mark = std::iter::once(format!("[… {left_out} lines …]"));
        return Some(
            first.chain(mark).chain(lines.iter().skip(head + left_out).map(cut)).collect::<Vec<_>>().join("\n"),
        );
    }
    match grid.style {
        Style::Separated | Style::Expanded => None,
        Style::Drawn => Some(super::write::cut_lines(&single_spaced(words), FINDING_CHARS).into_owned()),
        // Where a cell is empty only the padding tells whose place it is.
        Style::Aligned
            if row.cells.iter().any(|cell| text.get(cell.clone()).is_none_or(|cell| cell.trim().is_empty())) =>
        {
            None
        }
        Style::Aligned => {
            let cells: Vec<&str> = row.cells.iter().filter_map(|cell| text.get(cell.clone())).map(str::trim).collect();
            Some(super::write::cut_lines(&cells.join("  "), FINDING_CHARS).into_owned())
        }
    }
}

fn single_spaced(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
