//! A list of like records: its columns, its schema, and which records must not be lost.

use std::collections::HashMap;

use super::scan::{Id, Kind, Tree};
use crate::outputs::outliers::{Cell, Column, Outlier, SCHEMA_CHARS, Schema, Summary, outliers, schema, summarize};
use crate::outputs::reading::Finding;
use crate::outputs::trouble::{Report, Reports};
use crate::tokens::Tokens;

/// Objects are looked into to this depth.
const DEPTH: usize = 4;
/// Arrays of so many elements at most are looked into: pairs, rows.
const ROW: usize = 8;
/// Further keys are not looked at: a map from ids is no record.
const COLUMNS: usize = 160;
/// Cells of all columns together.
const CELLS: usize = 4_000_000;

/// What was found in a list of records.
pub(super) struct Records {
    /// Said of all of them.
    pub(super) schema: String,
    /// Said if there is room: the keys for which the schema had none.
    pub(super) more: Option<String>,
    /// Records that are to be kept, with a word on the reason.
    pub(super) findings: HashMap<usize, (Finding, String)>,
}

/// Looks at all records of a list.
pub(super) fn look_at(tree: &Tree<'_>, path: &str, items: &[Id]) -> Records {
    // A record that breaks off lacks keys for no reason of its own.
    let whole =
        items.split_last().filter(|(last, _)| !tree.written(**last).ends_with(['}', ']'])).map(|(_, whole)| whole);
    let columns = columns(tree, whole.unwrap_or(items));
    let summaries: Vec<Summary> = columns.iter().map(summarize).collect();
    let mut reports = Reports::default();
    columns.iter().enumerate().for_each(|(index, column)| reports.look_at(index, column));
    let mut findings: HashMap<usize, (Finding, String)> = HashMap::new();
    for Outlier { row, columns: unlike } in outliers(&summaries, items.len()) {
        let names: Vec<&str> = unlike
            .iter()
            .take(3)
            .filter_map(|column| columns.get(*column))
            .map(|column| column.name.as_str())
            .collect();
        findings.insert(row, (Finding::Outlier, format!(" ← {}", names.join(", "))));
    }
    for Report { row, finding, repeats } in reports.shown(items.len()) {
        let note = repeats.map(|repeats| format!(" [×{}]", Tokens(repeats as u64))).unwrap_or_default();
        findings.insert(row, (finding, note));
    }
    let Schema { fields, more, .. } = schema(&columns, &summaries);
    let (open, close) =
        if columns.first().is_some_and(|column| column.name.starts_with('[')) { ('[', ']') } else { ('{', '}') };
    let schema = format!("{}{} × {open}{fields}{close}", prefix(path), Tokens(items.len() as u64));
    Records { schema, more, findings }
}

/// What can be said without looking at all of them.
pub(super) fn glance_at(tree: &Tree<'_>, path: &str, items: &[Id]) -> Records {
    let keys: Vec<&str> =
        items.first().into_iter().flat_map(|first| tree.children(*first)).filter_map(|id| tree.key(id)).collect();
    let schema = format!("{}{} × {{{}}}", prefix(path), Tokens(items.len() as u64), keys.join(", "));
    let mut reports = Reports::default();
    for (row, item) in items.iter().enumerate() {
        for id in tree.children(*item) {
            reports.look(row, 0, &tree.key(id).unwrap_or_default().to_ascii_lowercase(), &cell(tree, id));
        }
    }
    let shown = reports.shown(items.len());
    let findings = shown.into_iter().map(|report| (report.row, (report.finding, String::new()))).collect();
    Records { schema: crate::outputs::cut_to_chars(&schema, SCHEMA_CHARS), more: None, findings }
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

fn cell<'text>(tree: &Tree<'text>, id: Id) -> Cell<'text> {
    let children = tree.node(id).map_or(0, |node| node.children);
    match tree.kind(id) {
        Kind::Object if children == 0 => Cell::Empty,
        Kind::Object => Cell::Object,
        Kind::Array => Cell::List(children),
        Kind::String if tree.unquoted(id).is_empty() => Cell::Empty,
        Kind::String => Cell::Text(tree.unquoted(id)),
        Kind::Number => Cell::Number(tree.written(id)),
        Kind::Flag => Cell::Flag(tree.written(id)),
        Kind::Null => Cell::Empty,
    }
}

/// The values below each path of keys, a cell for each record.
fn columns<'text>(tree: &Tree<'text>, items: &[Id]) -> Vec<Column<'text>> {
    let mut columns: Vec<Column<'text>> = Vec::new();
    let mut known: HashMap<(usize, &'text str, usize), usize> = HashMap::new();
    let most = COLUMNS.min(CELLS / items.len().max(1));
    for (row, item) in items.iter().enumerate() {
        // Values that are still to be looked at: with the column of the parent, and their position among its elements.
        let mut open: Vec<(Id, usize, usize)> = vec![(*item, 0, 0)];
        while let Some((id, parent, depth)) = open.pop() {
            let is_row =
                tree.kind(id) == Kind::Array && tree.node(id).is_some_and(|node| (1..=ROW).contains(&node.children));
            let plain_list = tree.children(id).all(|child| !matches!(tree.kind(child), Kind::Object | Kind::Array));
            let looked_into = match tree.kind(id) {
                Kind::Object => depth < DEPTH,
                // Rows of a table and pairs of records; a list inside a record is told by its length.
                Kind::Array => is_row && (depth == 0 || (depth == 1 && !plain_list && tree.kind(*item) == Kind::Array)),
                Kind::String | Kind::Number | Kind::Flag | Kind::Null => false,
            };
            let empty = tree.node(id).is_none_or(|node| node.children == 0);
            if looked_into && !empty {
                let first = open.len();
                for (position, child) in tree.children(id).enumerate() {
                    let key = tree.key(child).unwrap_or_default();
                    let place = if tree.key(child).is_some() { 0 } else { position + 1 };
                    let next = columns.len();
                    let column = match known.get(&(parent, key, place)) {
                        Some(column) => *column,
                        None if next >= most => continue,
                        None => {
                            let above = parent
                                .checked_sub(1)
                                .and_then(|above| columns.get(above))
                                .map(|above| above.name.clone());
                            let own = if place == 0 { key.to_owned() } else { format!("[{}]", place - 1) };
                            let name = match above {
                                Some(above) if place == 0 => format!("{above}.{own}"),
                                Some(above) => format!("{above}{own}"),
                                None => own,
                            };
                            columns.push(Column { name, cells: Vec::new() });
                            known.insert((parent, key, place), next + 1);
                            next + 1
                        }
                    };
                    open.push((child, column, depth + 1));
                }
                open.get_mut(first..).unwrap_or_default().reverse();
            }
            let own = parent.checked_sub(1).filter(|_| !looked_into || empty);
            if let Some(column) = own.and_then(|own| columns.get_mut(own)) {
                // A key that stands twice in a record counts once.
                column.cells.resize(row, Cell::Absent);
                column.cells.push(cell(tree, id));
            }
        }
    }
    // Paths that only lead to others have no cells of their own.
    columns.retain(|column| !column.cells.is_empty());
    columns.iter_mut().for_each(|column| column.cells.resize(items.len(), Cell::Absent));
    columns
}
