//! Tables with a line for each cell: `\\x` of psql, `\\G` of mysql.

use std::collections::HashMap;
use std::ops::Range;

use super::grid::{FEWEST_ROWS, Grid, Row, Style, line};

/// More columns are none.
const COLUMNS: usize = 200;

/// Records below each other, each below a line with its number.
pub(super) fn expanded(text: &str, all: &[Range<usize>]) -> Option<Grid> {
    let heads: Vec<usize> =
        (0..all.len()).filter(|at| all.get(*at).is_some_and(|span| is_head(line(text, span)))).collect();
    if heads.len() < FEWEST_ROWS {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut rows: Vec<Row> = Vec::new();
    let ends = heads.iter().skip(1).copied().chain(std::iter::once(all.len()));
    for (head, end) in heads.iter().zip(ends) {
        let mut row = Row { span: all.get(*head)?.clone(), cells: Vec::new() };
        for span in all.get(head + 1..end).unwrap_or_default() {
            let Some((name, cell)) = cell(text, span) else { break };
            let index = *known.entry(name).or_insert(names.len());
            if index == names.len() && index < COLUMNS {
                names.push(name.to_owned());
            }
            // What is missing is nothing, at the end of the line above.
            row.cells.resize(row.cells.len().max(index + 1).min(COLUMNS), row.span.end..row.span.end);
            row.cells.get_mut(index).into_iter().for_each(|own| *own = cell.clone());
            row.span.end = span.end;
        }
        rows.push(row);
    }
    (names.len() >= 2).then_some(Grid { style: Style::Expanded, heading: None, names, rows })
}

/// `-[ RECORD 12 ]-+----`, `****** 12. row ******`
fn is_head(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("-[ RECORD ") || (line.starts_with("***") && line.ends_with("***") && line.contains(". row *"))
}

/// `name   | value`, `  name: value`
fn cell<'text>(text: &'text str, span: &Range<usize>) -> Option<(&'text str, Range<usize>)> {
    let words = line(text, span);
    let at = words.find(" | ").map(|at| at + 1).or_else(|| words.find([':', '|']))?;
    let name = words.get(..at)?.trim();
    (!name.is_empty() && !name.contains(' ')).then_some((name, span.start + at + 1..span.end))
}
