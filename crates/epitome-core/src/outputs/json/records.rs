//! A list of like records: its columns, its schema, and which records must not be lost.

use std::collections::HashMap;

use super::fields::{Fields, cell};
use super::scan::{Id, Kind, Tree};
use super::unlike::{Unlike, Usual};
use crate::outputs::outliers::{Outlier, SCHEMA_CHARS, Schema, Summary, outliers, schema, summarize};
use crate::outputs::reading::Finding;
use crate::outputs::trouble::{Report, Reports};
use crate::tokens::Tokens;

/// What was found in a list of records.
pub(super) struct Records {
    /// Said of all of them.
    pub(super) schema: String,
    /// Said if there is room: the keys for which the schema had none.
    pub(super) more: Option<String>,
    /// Records that are to be kept.
    pub(super) findings: HashMap<usize, Found>,
}

/// Why a record is to be kept.
pub(super) struct Found {
    pub(super) finding: Finding,
    /// A word on the reason.
    pub(super) note: String,
    /// Shown in place of a long record: its name, and what is unlike the others.
    pub(super) told: Option<String>,
}

impl Found {
    pub(super) fn new(finding: Finding, note: String) -> Found {
        Found { finding, note, told: None }
    }
}

/// Looks at all records of a list.
pub(super) fn look_at(tree: &Tree<'_>, path: &str, items: &[Id]) -> Records {
    // A record that breaks off lacks keys for no reason of its own.
    let whole = items.split_last().filter(|(last, _)| breaks_off(tree, **last)).map(|(_, whole)| whole);
    let mut fields = Fields::of(tree, whole.unwrap_or(items));
    let (columns, paths) = fields.take_columns();
    let summaries: Vec<Summary> = columns.iter().map(summarize).collect();
    let mut reports = Reports::default();
    columns.iter().enumerate().for_each(|(index, column)| reports.look_at(index, column));
    let mut findings: HashMap<usize, Found> = HashMap::new();
    let mut odd: HashMap<usize, Vec<usize>> = HashMap::new();
    for Outlier { row, columns: unlike } in outliers(&summaries, items.len()) {
        let names: Vec<&str> = unlike
            .iter()
            .take(3)
            .filter_map(|column| columns.get(*column))
            .map(|column| column.name.as_str())
            .collect();
        findings.insert(row, Found::new(Finding::Outlier, format!(" ← {}", names.join(", "))));
        odd.insert(row, unlike);
    }
    for Report { row, finding, repeats } in reports.shown(items.len()) {
        let note = repeats.map(|repeats| format!(" [×{}]", Tokens(repeats as u64))).unwrap_or_default();
        findings.insert(row, Found::new(finding, note));
    }
    if !findings.is_empty() {
        let usual = Usual::of(&columns);
        let mut unlike = Unlike { tree, fields: &mut fields, columns: &columns, paths: &paths, usual: &usual };
        for (row, found) in &mut findings {
            let item = items.get(*row).filter(|item| !breaks_off(tree, **item));
            let odd = odd.get(row).map(Vec::as_slice).unwrap_or_default();
            found.told = item.and_then(|item| unlike.told(*item, *row, odd));
            if found.told.is_some() && found.note.starts_with(" ← ") {
                found.note.clear();
            }
        }
    }
    let Schema { fields, more, .. } = schema(&columns, &summaries);
    let (open, close) =
        if columns.first().is_some_and(|column| column.name.starts_with('[')) { ('[', ']') } else { ('{', '}') };
    let count = Tokens(whole.unwrap_or(items).len() as u64);
    let broken = if whole.is_some() { " and one that breaks off" } else { "" };
    let schema = format!("{}{count} × {open}{fields}{close}{broken}", prefix(path));
    Records { schema, more, findings }
}

/// Whether a record is not closed.
pub(super) fn breaks_off(tree: &Tree<'_>, record: Id) -> bool {
    matches!(tree.kind(record), Kind::Object | Kind::Array) && !tree.written(record).ends_with(['}', ']'])
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
    let findings = shown.into_iter().map(|report| (report.row, Found::new(report.finding, String::new()))).collect();
    Records { schema: crate::outputs::cut_to_chars(&schema, SCHEMA_CHARS), more: None, findings }
}

fn prefix(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}
