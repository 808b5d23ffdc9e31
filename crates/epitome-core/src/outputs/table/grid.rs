//! Finds a table in a text: where its heading, its rows and their cells are.

use std::collections::BTreeMap;
use std::ops::Range;

use super::aligned::aligned;
use super::expanded::expanded;
use crate::outputs::outliers::Cell;
use crate::outputs::reading::lines;

/// A table in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    pub(super) style: Style,
    /// Where the heading stands, if there is one.
    pub(super) heading: Option<Range<usize>>,
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// How cells are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// By a character: CSV and its like.
    Separated,
    /// By lines drawn with characters.
    Drawn,
    /// By their place on the line.
    Aligned,
    /// Each on a line of its own, behind the name of its column.
    Expanded,
}

/// A row, which may go over several lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) span: Range<usize>,
    pub(super) cells: Vec<Range<usize>>,
}

/// Fewer rows are no table.
pub(super) const FEWEST_ROWS: usize = 4;
/// The heading is one of the first lines, behind a prompt or a summary.
pub(super) const FIRST_LINES: usize = 16;
/// Lines that are looked at to find the separator.
const SAMPLE: usize = 24;
/// A quoted cell is not longer: else the quote is no quote.
const CELL_BYTES: usize = 20_000;

/// The table that most of the text is, if it is.
pub(super) fn find(text: &str, arguments: &str) -> Option<Grid> {
    let all: Vec<Range<usize>> = lines(text).collect();
    if all.len() <= FEWEST_ROWS {
        return None;
    }
    let grid = expanded(text, &all)
        .or_else(|| drawn(text, &all))
        .or_else(|| separated(text, &all, arguments))
        .or_else(|| aligned(text, &all))?;
    let bytes: usize = grid.rows.iter().map(|row| row.span.len()).sum();
    (bytes * 10 >= text.trim().len() * 6).then_some(grid)
}

pub(super) fn line<'text>(text: &'text str, span: &Range<usize>) -> &'text str {
    text.get(span.clone()).unwrap_or_default()
}

/// A line that only draws: `----+----`, `|---|---|`, `├───┼───┤`, `----  ----`.
pub(super) fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    let draws = |c: char| matches!(c, '-' | '=' | '+' | '|' | ':' | ' ' | '\u{2500}'..='\u{257f}');
    line.len() >= 3 && line.chars().all(draws) && line.contains(['-', '=', '─', '━', '═'])
}

fn has_joints(ruler: &str) -> bool {
    ruler.trim().trim_matches(['|', '+']).contains(['+', '|', '┼', '┬', '┴', '╪', '╬', '╦', '╋'])
}

/// Tables drawn with lines: psql, mysql, markdown, boxes.
fn drawn(text: &str, all: &[Range<usize>]) -> Option<Grid> {
    let mut best: Option<Grid> = None;
    let mut at = 0;
    while at < all.len() {
        let is_start = all.get(at).is_some_and(|span| is_ruler(line(text, span)) && has_joints(line(text, span)));
        if !is_start {
            at += 1;
            continue;
        }
        // The heading stands above the first line that is drawn, or below it in a box.
        // A title has one cell.
        let divided = |span: &&Range<usize>| bars(line(text, span)).is_some_and(|bar| cells(text, span, bar).len() > 1);
        let above = at.checked_sub(1).and_then(|above| all.get(above)).filter(divided);
        let heading = above.or_else(|| all.get(at + 1)).cloned();
        let Some((heading, bar)) = heading.and_then(|span| bars(line(text, &span)).map(|bar| (span, bar))) else {
            at += 1;
            continue;
        };
        let names: Vec<String> =
            cells(text, &heading, bar).iter().map(|cell| line(text, cell).trim().to_owned()).collect();
        let mut rows = Vec::new();
        let mut next = if above.is_some() { at + 1 } else { at + 2 };
        while let Some(span) = all.get(next) {
            let words = line(text, span);
            if !is_ruler(words) {
                let found = cells(text, span, bar);
                if found.len() < names.len() || !words.contains(bar) {
                    break;
                }
                rows.push(Row { span: span.clone(), cells: found });
            }
            next += 1;
        }
        at = next.max(at + 1);
        let larger = rows.len() >= FEWEST_ROWS && best.as_ref().is_none_or(|best| best.rows.len() < rows.len());
        if larger && names.len() >= 2 {
            best = Some(Grid { style: Style::Drawn, heading: Some(heading), names, rows });
        }
    }
    best
}

fn bars(line: &str) -> Option<char> {
    ['|', '│', '┃', '║'].into_iter().find(|bar| line.contains(*bar)).filter(|_| !is_ruler(line))
}

/// The cells between bars, without the outer ones.
fn cells(text: &str, span: &Range<usize>, bar: char) -> Vec<Range<usize>> {
    let words = line(text, span);
    let trimmed = words.trim();
    let mut start = span.start + (words.len() - words.trim_start().len());
    let mut end = start + trimmed.len();
    if trimmed.starts_with(bar) {
        start += bar.len_utf8();
    }
    if trimmed.len() > bar.len_utf8() && trimmed.ends_with(bar) {
        end -= bar.len_utf8();
    }
    let mut cells = Vec::new();
    let mut from = start;
    for (at, _) in text.get(start..end).unwrap_or_default().match_indices(bar) {
        cells.push(from..start + at);
        from = start + at + bar.len_utf8();
    }
    cells.push(from..end.max(from));
    cells
}

/// Values separated by a character.
fn separated(text: &str, all: &[Range<usize>], arguments: &str) -> Option<Grid> {
    let candidates = [b'\t', b',', b';', b'|'].into_iter().filter_map(|by| Some((usual_count(text, all, by)?, by)));
    let ((_, count), by) = candidates.max()?;
    let width = count + 1;
    let first = all.iter().take(FIRST_LINES).position(|span| split(text, span.start, by).cells.len() == width)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut at = all.get(first)?.start;
    let (mut odd, mut since) = (0, 0);
    while at < text.len() {
        let record = split(text, at, by);
        at = record.next;
        if record.span.is_empty() || is_ruler(line(text, &record.span)) {
            continue;
        }
        if record.cells.len() == width {
            odd += since;
            since = 0;
            rows.push(Row { span: record.span, cells: record.cells });
        } else {
            // What stands at the end is not part of the table.
            since += 1;
        }
    }
    if rows.len() <= FEWEST_ROWS || odd * 10 > rows.len() {
        return None;
    }
    let head = rows.first().map(|row| row.cells.clone()).unwrap_or_default();
    let names: Vec<String> = head.iter().map(|cell| line(text, cell).trim().trim_matches('"').to_owned()).collect();
    let body = rows.get(1..).unwrap_or_default();
    let typed = (0..width).filter(|index| is_typed(text, body, *index)).count();
    let named = ["csv", "tsv", "sql"].iter().any(|word| arguments.contains(word));
    let is_heading = are_names(&names) && (typed > 0 || named) && (width >= 3 || typed > 0);
    if is_code(text, &rows, by) {
        return None;
    }
    if is_heading {
        let heading = rows.remove(0).span;
        return Some(Grid { style: Style::Separated, heading: Some(heading), names, rows });
    }
    let cells = rows.len() * width;
    let empty = rows.iter().flat_map(|row| &row.cells).filter(|cell| line(text, cell).trim().is_empty()).count();
    let regular = (0..width).filter(|index| is_typed(text, &rows, *index) || repeats(text, &rows, *index)).count();
    if width < 4 || regular * 2 < width || typed == 0 || empty * 5 > cells * 2 {
        return None;
    }
    let names = (1..=width).map(|number| format!("#{number}")).collect();
    Some(Grid { style: Style::Separated, heading: None, names, rows })
}

/// How often the separator stands on most lines, and on how many of a sample.
fn usual_count(text: &str, all: &[Range<usize>], by: u8) -> Option<(usize, usize)> {
    let step = (all.len() / SAMPLE).max(1);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let mut looked_at = 0;
    for span in all.iter().step_by(step).filter(|span| !line(text, span).trim().is_empty()) {
        looked_at += 1;
        let mut quoted = false;
        let count = line(text, span).bytes().filter(|byte| {
            quoted ^= *byte == b'"';
            *byte == by && !quoted
        });
        *counts.entry(count.count()).or_default() += 1;
    }
    let (count, lines) =
        counts.into_iter().filter(|(count, _)| *count > 0).max_by_key(|(count, lines)| (*lines, *count))?;
    (lines * 3 >= looked_at * 2 && lines >= FEWEST_ROWS).then_some((lines, count))
}

struct Record {
    span: Range<usize>,
    cells: Vec<Range<usize>>,
    next: usize,
}

/// The record that begins at `start`: up to the end of its line, unless that stands within quotes.
fn split(text: &str, start: usize, by: u8) -> Record {
    let bytes = text.as_bytes();
    let mut cells = Vec::new();
    let (mut at, mut from) = (start, start);
    loop {
        let quoted =
            bytes.get(from..at).is_some_and(|before| before.trim_ascii().is_empty()) && bytes.get(at) == Some(&b'"');
        if let Some(end) = quoted.then(|| quote_end(bytes, at, by)).flatten() {
            at = end;
            continue;
        }
        match bytes.get(at) {
            Some(byte) if *byte == by => {
                cells.push(from..at);
                from = at + 1;
            }
            Some(b'\n') | None => {
                let end = if at > from && bytes.get(at - 1) == Some(&b'\r') { at - 1 } else { at };
                let blank = bytes.get(start..end).is_none_or(|line| line.trim_ascii().is_empty());
                cells.push(from..end.max(from));
                let span = if blank { start..start } else { start..end };
                return Record { span, cells, next: at + 1 };
            }
            Some(_) => {}
        }
        at += 1;
    }
}

/// Behind the quote that closes the cell.
fn quote_end(bytes: &[u8], start: usize, by: u8) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += memchr::memchr(b'"', bytes.get(at..(start + CELL_BYTES).min(bytes.len()))?)? + 1;
        match bytes.get(at) {
            Some(b'"') => at += 1,
            Some(byte) if *byte == by || matches!(byte, b'\n' | b'\r' | b' ') => return Some(at),
            None => return Some(at),
            Some(_) => return None,
        }
    }
}

/// Whether nearly all cells of a column are numbers, times or the like.
pub(super) fn is_typed(text: &str, rows: &[Row], index: usize) -> bool {
    let mut typed = 0;
    let mut filled = 0;
    for row in rows.iter().take(200) {
        let cell = row.cells.get(index).map(|cell| line(text, cell)).unwrap_or_default();
        match Cell::of_text(cell.trim().trim_matches('"')) {
            Cell::Empty | Cell::Absent => {}
            Cell::Number(_) | Cell::Flag(_) => (typed, filled) = (typed + 1, filled + 1),
            Cell::Text(text) => {
                filled += 1;
                typed += usize::from(crate::outputs::outliers::has_form(text));
            }
            Cell::List(_) | Cell::Object => filled += 1,
        }
    }
    filled > 0 && typed * 5 >= filled * 4
}

/// Whether a column says few different things again and again.
fn repeats(text: &str, rows: &[Row], index: usize) -> bool {
    let sample = || rows.iter().take(200).filter_map(|row| row.cells.get(index)).map(|cell| line(text, cell));
    let different: std::collections::BTreeSet<&str> = sample().collect();
    different.len() * 4 <= sample().count()
}

/// Names of columns: short, different, no numbers.
pub(super) fn are_names(names: &[String]) -> bool {
    let mut seen: Vec<&str> = Vec::new();
    let is_name = |name: &String| {
        let good = |c: char| {
            c.is_alphanumeric()
                || matches!(c, '_' | ' ' | '-' | '.' | '%' | '(' | ')' | '/' | '#' | ':' | '$' | '[' | ']' | '+' | '*')
        };
        name.chars().count() <= 40 && name.chars().all(good) && !name.chars().all(|c| c.is_ascii_digit() || c == '.')
    };
    let empty = names.iter().filter(|name| name.is_empty()).count();
    empty * 4 <= names.len()
        && names.iter().filter(|name| !name.is_empty()).all(|name| {
            let new = !seen.contains(&name.as_str());
            seen.push(name);
            new && is_name(name)
        })
}

/// Lines of source and prose have separators too.
fn is_code(text: &str, rows: &[Row], by: u8) -> bool {
    let sample = || rows.iter().take(200).map(|row| line(text, &row.span));
    let code = sample()
        .filter(|row| {
            row.trim_end().ends_with(['{', '}', ')']) || row.trim_start().starts_with(['{', '}', '/', '#', '*'])
        })
        .count();
    let spaced = sample().filter(|row| by == b',' && row.contains(", ") && !row.contains('"')).count();
    let count = rows.len().min(200);
    code * 3 > count || spaced * 2 > count
}
