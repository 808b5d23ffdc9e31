//! Tables whose columns are aligned by spaces below a heading.

use std::collections::HashMap;
use std::ops::Range;

use super::grid::{FEWEST_ROWS, FIRST_LINES, Grid, Row, Style, are_names, is_ruler, is_typed, line};

/// Tables of other columns than these are not looked at.
const TABLES: usize = 16;
/// Lines below a heading that are looked at before all others.
const LOOKED_AT: usize = 40;

/// Columns aligned by spaces below a heading: `ps`, `docker ps`, `kubectl get`.
pub(super) fn aligned(text: &str, all: &[Range<usize>]) -> Option<Grid> {
    let mut grids: Vec<Grid> = Vec::new();
    let openings = openings(text, all);
    let mut blank_before = true;
    let mut at = 0;
    // Where the lines without a blank one between them end; looked for once for all of them.
    let mut end = 0;
    while at < all.len() {
        let words = all.get(at).map(|span| line(text, span)).unwrap_or_default();
        let candidate = (blank_before || at < FIRST_LINES) && !words.trim().is_empty() && !is_ruler(words);
        blank_before = words.trim().is_empty();
        if candidate {
            if end <= at {
                let blank = all.iter().skip(at + 1).position(|span| line(text, span).trim().is_empty());
                end = blank.map_or(all.len(), |blank| at + 1 + blank);
            }
            let again = openings.get(words) > Some(&1);
            if let Some(grid) = all.get(at + 1..end).and_then(|body| below_heading(text, all.get(at)?, body, again)) {
                // Printed again and again, as `top -b` does: one table.
                if let Some(known) = grids.iter_mut().find(|known| known.names == grid.names) {
                    known.rows.extend(grid.rows);
                } else if grids.len() < TABLES {
                    grids.push(grid);
                }
                at = end;
                continue;
            }
        }
        at += 1;
    }
    // Of equally large ones the first.
    grids.into_iter().rev().max_by_key(|grid| grid.rows.len())
}

/// How often each line stands below a blank one.
fn openings<'text>(text: &'text str, all: &[Range<usize>]) -> HashMap<&'text str, usize> {
    let mut openings: HashMap<&str, usize> = HashMap::new();
    let mut blank_before = true;
    for words in all.iter().map(|span| line(text, span)) {
        if blank_before {
            *openings.entry(words).or_default() += 1;
        }
        blank_before = words.trim().is_empty();
    }
    openings
}

/// A heading that is printed again and again (`iostat 1`) is one though its words are not written like names.
fn below_heading(text: &str, heading: &Range<usize>, below: &[Range<usize>], again: bool) -> Option<Grid> {
    let words = line(text, heading);
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let ruled = below.first().is_some_and(|span| is_ruler(line(text, span)));
    if letters < 4 || words.len() > 400 || !words.is_ascii() {
        return None;
    }
    // Any line may be a heading: most are told by the first lines below them.
    let is_row = |span: &&Range<usize>| !is_ruler(line(text, span)) && line(text, span) != words;
    let first: Vec<&Range<usize>> = below.iter().filter(is_row).take(LOOKED_AT).collect();
    if first.len() < FEWEST_ROWS {
        return None;
    }
    let likely = grid_of(text, heading, &first, ruled, again)?;
    if first.len() < LOOKED_AT {
        return Some(likely);
    }
    let body: Vec<&Range<usize>> = below.iter().filter(is_row).collect();
    grid_of(text, heading, &body, ruled, again)
}

fn grid_of(text: &str, heading: &Range<usize>, body: &[&Range<usize>], ruled: bool, again: bool) -> Option<Grid> {
    let words = line(text, heading);
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let capitals = words.chars().filter(|c| c.is_uppercase()).count();
    let shouts = capitals * 10 >= letters * 7;
    let by_place = by_place(text, heading, body);
    let merged = by_place.as_ref().is_some_and(|grid| merges_columns(text, grid));
    let placed = by_place.is_some() && !merged;
    let grid = match by_place {
        Some(grid) if !merged => grid,
        Some(_) | None => {
            let runs = by_runs(text, heading, body);
            let merged = runs.as_ref().is_some_and(|grid| merges_columns(text, grid));
            let words = if merged || runs.is_none() { by_words(text, heading, body) } else { None };
            more_typed(text, runs, words)?
        }
    };
    let width = grid.names.len();
    let typed = (0..width).filter(|index| is_typed(text, &grid.rows, *index)).count();
    // A heading that is not in capitals must be one by its words, and what is below must not be words.
    let title = words
        .split_whitespace()
        .filter(|word| !word.starts_with(char::is_lowercase) && word.contains(char::is_alphabetic))
        .count();
    let titles = title * 7 >= words.split_whitespace().count() * 6;
    let strong = (titles || again) && typed > 0 && (placed || typed * 2 >= width);
    // Nothing but numbers below nothing but words: `r  b  swpd  free`.
    let counts = typed == width && width >= 6 && !words.bytes().any(|byte| byte.is_ascii_digit());
    (are_names(&grid.names) && width >= 2 && (ruled || counts || (shouts && width >= 3) || (strong && width >= 4)))
        .then_some(grid)
}

/// Columns that were taken apart have values of one sort: `1234 pts/0`, but not `3 days ago`.
fn more_typed(text: &str, runs: Option<Grid>, words: Option<Grid>) -> Option<Grid> {
    let typed = |grid: &Grid| (0..grid.names.len()).filter(|index| is_typed(text, &grid.rows, *index)).count();
    match (runs, words) {
        (Some(runs), Some(words)) if typed(&words) < typed(&runs) + 2 => Some(runs),
        (runs, words) => words.or(runs),
    }
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
