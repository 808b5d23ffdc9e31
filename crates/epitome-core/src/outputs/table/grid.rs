//! Finds a table in a text: where its heading, its rows and their cells are.

use std::collections::BTreeMap;
use std::ops::Range;

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
}

/// A row, which may go over several lines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) span: Range<usize>,
    pub(super) cells: Vec<Range<usize>>,
}

/// Fewer rows are no table.
const FEWEST_ROWS: usize = 4;
/// The heading is one of the first lines, behind a prompt or a summary.
const FIRST_LINES: usize = 16;
/// Lines that are looked at to find the separator.
const SAMPLE: usize = 24;
/// Lines below a heading that are looked at before all others.
const LOOKED_AT: usize = 40;
/// A quoted cell is not longer: else the quote is no quote.
const CELL_BYTES: usize = 20_000;

/// The table that most of the text is, if it is.
pub(super) fn find(text: &str, arguments: &str) -> Option<Grid> {
    let all: Vec<Range<usize>> = lines(text).collect();
    if all.len() <= FEWEST_ROWS {
        return None;
    }
    let grid = drawn(text, &all).or_else(|| separated(text, &all, arguments)).or_else(|| aligned(text, &all))?;
    let bytes: usize = grid.rows.iter().map(|row| row.span.len()).sum();
    (bytes * 10 >= text.trim().len() * 6).then_some(grid)
}

fn line<'text>(text: &'text str, span: &Range<usize>) -> &'text str {
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
        let above = at.checked_sub(1).and_then(|above| all.get(above)).filter(|span| bars(line(text, span)).is_some());
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
fn is_typed(text: &str, rows: &[Row], index: usize) -> bool {
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
fn are_names(names: &[String]) -> bool {
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

/// Columns aligned by spaces below a heading: `ps`, `docker ps`, `kubectl get`.
fn aligned(text: &str, all: &[Range<usize>]) -> Option<Grid> {
    let mut best: Option<Grid> = None;
    let mut blank_before = true;
    let mut at = 0;
    while at < all.len() {
        let words = all.get(at).map(|span| line(text, span)).unwrap_or_default();
        let candidate = (blank_before || at < FIRST_LINES) && !words.trim().is_empty() && !is_ruler(words);
        blank_before = words.trim().is_empty();
        if candidate {
            let end = all
                .iter()
                .skip(at + 1)
                .position(|span| line(text, span).trim().is_empty())
                .map_or(all.len(), |blank| at + 1 + blank);
            if let Some(grid) = all.get(at + 1..end).and_then(|body| below_heading(text, all.get(at)?, body)) {
                if best.as_ref().is_none_or(|best| best.rows.len() < grid.rows.len()) {
                    best = Some(grid);
                }
                at = end;
                continue;
            }
        }
        at += 1;
    }
    best
}

fn below_heading(text: &str, heading: &Range<usize>, below: &[Range<usize>]) -> Option<Grid> {
    let words = line(text, heading);
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = words.chars().filter(|c| c.is_uppercase()).count();
    let ruled = below.first().is_some_and(|span| is_ruler(line(text, span)));
    let body: Vec<&Range<usize>> = below.iter().filter(|span| !is_ruler(line(text, span))).collect();
    if letters < 4 || body.len() < FEWEST_ROWS || words.len() > 400 || !words.is_ascii() {
        return None;
    }
    let shouts = capitals * 10 >= letters * 7;
    // Any line may be a heading: most are told by the first lines below them.
    if let Some(first) = body.get(..LOOKED_AT)
        && by_place(text, heading, first).is_none()
        && by_runs(text, heading, first).is_none()
        && by_words(text, heading, first).is_none()
    {
        return None;
    }
    let by_place = by_place(text, heading, &body);
    let merged = by_place.as_ref().is_some_and(|grid| merges_columns(text, grid));
    let placed = by_place.is_some() && !merged;
    let grid = match by_place {
        Some(grid) if !merged => grid,
        Some(_) | None => match by_runs(text, heading, &body) {
            Some(grid) => grid,
            None => by_words(text, heading, &body)?,
        },
    };
    let width = grid.names.len();
    let typed = (0..width).filter(|index| is_typed(text, &grid.rows, *index)).count();
    // A heading that is not in capitals must be one by its words, and what is below must not be words.
    let title = words
        .split_whitespace()
        .filter(|word| !word.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit()))
        .count();
    let titles = title * 7 >= words.split_whitespace().count() * 6;
    let strong = titles && typed > 0 && (placed || typed * 2 >= width);
    (are_names(&grid.names) && width >= 2 && (ruled || (shouts && width >= 3) || (strong && width >= 4)))
        .then_some(grid)
}

/// Cells begin where their heading begins.
fn by_place(text: &str, heading: &Range<usize>, body: &[&Range<usize>]) -> Option<Grid> {
    let words = line(text, heading);
    let mut starts: Vec<usize> = Vec::new();
    let mut spaces = 2;
    for (at, byte) in words.bytes().enumerate() {
        if byte == b' ' || byte == b'\t' {
            spaces += 1;
        } else {
            if spaces >= 2 {
                starts.push(at);
            }
            spaces = 0;
        }
    }
    if starts.len() < 2 {
        return None;
    }
    let names: Vec<String> = slices(words, &starts)
        .iter()
        .map(|cell| words.get(cell.clone()).unwrap_or_default().trim().to_owned())
        .collect();
    let mut rows = Vec::new();
    for span in body {
        let row = line(text, span);
        // Columns are counted in characters: `"/entrypoint.…"`.
        let at: Vec<usize> = match row.is_ascii() {
            true => starts.clone(),
            false => {
                let offsets: Vec<usize> = row.char_indices().map(|(at, _)| at).collect();
                starts.iter().map(|start| offsets.get(*start).copied().unwrap_or(row.len())).collect()
            }
        };
        let blank_before = |start: &usize| {
            row.len() <= *start
                || start.checked_sub(1).and_then(|at| row.as_bytes().get(at)).is_none_or(|byte| *byte == b' ')
        };
        let fits = at.iter().skip(1).all(blank_before);
        let filled = at.get(1).is_some_and(|second| row.len() > *second);
        if fits && filled {
            let cells =
                slices(row, &at).into_iter().map(|cell| span.start + cell.start..span.start + cell.end).collect();
            rows.push(Row { span: (*span).clone(), cells });
        }
    }
    (rows.len() * 10 >= body.len() * 9).then_some(Grid {
        style: Style::Aligned,
        heading: Some(heading.clone()),
        names,
        rows,
    })
}

/// Cells are divided by two spaces or more, as many as the heading has.
fn by_runs(text: &str, heading: &Range<usize>, body: &[&Range<usize>]) -> Option<Grid> {
    let names: Vec<String> = runs(text, heading).iter().map(|cell| line(text, cell).to_owned()).collect();
    let rows: Vec<Row> = body
        .iter()
        .map(|span| Row { span: (*span).clone(), cells: runs(text, span) })
        .filter(|row| row.cells.len() == names.len())
        .collect();
    (names.len() >= 3 && rows.len() * 10 >= body.len() * 8).then_some(Grid {
        style: Style::Aligned,
        heading: Some(heading.clone()),
        names,
        rows,
    })
}

/// What stands between tabs, or two spaces and more.
fn runs(text: &str, span: &Range<usize>) -> Vec<Range<usize>> {
    let words = line(text, span);
    let mut cells: Vec<Range<usize>> = Vec::new();
    let mut at = span.start;
    for part in words.split("  ").flat_map(|part| part.split('\t')) {
        // Each separator is at least one byte: the place is found by the part itself.
        let start = at + text.get(at..span.end).and_then(|rest| rest.find(part)).unwrap_or_default();
        at = (start + part.len()).min(span.end);
        let trimmed = part.trim();
        if !trimmed.is_empty() {
            let start = start + (part.len() - part.trim_start().len());
            cells.push(start..start + trimmed.len());
        }
    }
    cells
}

fn slices(row: &str, starts: &[usize]) -> Vec<Range<usize>> {
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(usize::MAX));
    starts.iter().zip(ends).map(|(start, end)| (*start).min(row.len())..end.min(row.len())).collect()
}

/// `RSS TTY` above `1234 pts/0` are two columns; `CONTAINER ID` above `9f3a77c1` is one.
fn merges_columns(text: &str, grid: &Grid) -> bool {
    grid.names.iter().enumerate().any(|(index, name)| {
        let words = name.split_whitespace().count();
        let cells = grid
            .rows
            .iter()
            .take(50)
            .filter_map(|row| row.cells.get(index))
            .map(|cell| line(text, cell).split_whitespace().count());
        // The last cell is often a sentence, and its heading two words.
        let last = index + 1 == grid.names.len();
        let (needed, least) = if last { (3, words.saturating_sub(1)) } else { (2, words) };
        let several = cells.filter(|count| *count >= least).count();
        words >= needed && several * 10 >= grid.rows.len().min(50) * 8
    })
}

/// As many words as the heading has; the last cell is the rest of the line.
fn by_words(text: &str, heading: &Range<usize>, body: &[&Range<usize>]) -> Option<Grid> {
    let mut names: Vec<String> = line(text, heading).split_whitespace().map(str::to_owned).collect();
    let fewest = |width: usize| {
        body.iter().filter(|span| line(text, span).split_whitespace().count() >= width).count() * 10 >= body.len() * 9
    };
    // `Mounted on` is one heading.
    if !fewest(names.len()) && names.len() > 3 {
        let last = names.pop()?;
        names.last_mut()?.push_str(&format!(" {last}"));
    }
    if names.len() < 3 || !fewest(names.len()) {
        return None;
    }
    let width = names.len();
    let mut rows = Vec::new();
    for span in body {
        let words = line(text, span);
        let mut cells: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        while cells.len() < width {
            let rest = words.get(at..).unwrap_or_default();
            let start = at + (rest.len() - rest.trim_start().len());
            let end = words
                .get(start..)
                .and_then(|rest| rest.find(char::is_whitespace))
                .map_or(words.len(), |end| start + end);
            let end = if cells.len() + 1 == width { words.len() } else { end };
            if start >= words.len() {
                break;
            }
            cells.push(span.start + start..span.start + end);
            at = end;
        }
        if cells.len() == width {
            rows.push(Row { span: (*span).clone(), cells });
        }
    }
    Some(Grid { style: Style::Aligned, heading: Some(heading.clone()), names, rows })
}
