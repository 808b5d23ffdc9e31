//! Notebooks: the headings of their words, the first lines of their code, and what went wrong in a cell.

use super::scan::{Id, Kind, Tree};
use crate::outputs::cut_to_chars;
use crate::outputs::reading::{Finding, Rank};

/// A line of a cell.
const LINE_CHARS: usize = 100;
/// Characters of what an error says.
const ERROR_CHARS: usize = 200;
/// So many headings are always shown.
const HEADINGS: usize = 20;

/// The cells of a notebook, each with what is shown of it and its worth. `None`: this is no notebook.
pub(super) fn cells(tree: &Tree<'_>, root: Id) -> Option<Vec<(Id, String, Rank)>> {
    child(tree, root, "nbformat")?;
    let cells = child(tree, root, "cells").filter(|cells| tree.kind(*cells) == Kind::Array)?;
    let mut headings = 0;
    let shown = tree.children(cells).enumerate().map(|(position, cell)| {
        let sort = child(tree, cell, "cell_type").map_or("", |sort| tree.unquoted(sort));
        let source = child(tree, cell, "source").map(|source| lines(tree, source)).unwrap_or_default();
        let number = position + 1;
        if let Some(error) = error(tree, cell) {
            let failing = cut_to_chars(source.last().map_or("", String::as_str), LINE_CHARS);
            return (cell, format!("[{number}] {failing} → {error}"), Rank::Finding(Finding::Error));
        }
        let heading = source.iter().find(|line| line.starts_with('#')).filter(|_| sort == "markdown");
        headings += usize::from(heading.is_some());
        let line = heading.or(source.first()).map_or("", String::as_str);
        let more = if source.len() > 1 && heading.is_none() {
            format!(" (+{} lines)", source.len() - 1)
        } else {
            String::new()
        };
        let rank = match heading {
            Some(_) if headings <= HEADINGS => Rank::Frame,
            Some(_) => Rank::Telling(0),
            None if sort == "markdown" => Rank::Telling(1),
            None => Rank::Telling(2),
        };
        (cell, format!("[{number}] {}{more}", cut_to_chars(line, LINE_CHARS)), rank)
    });
    Some(shown.collect())
}

/// `KeyError: weight`, of a cell that raised something.
fn error(tree: &Tree<'_>, cell: Id) -> Option<String> {
    let outputs = child(tree, cell, "outputs")?;
    let (name, value) = tree
        .children(outputs)
        .find_map(|output| Some((child(tree, output, "ename")?, child(tree, output, "evalue")?)))?;
    Some(format!("{}: {}", tree.unquoted(name), cut_to_chars(tree.unquoted(value), ERROR_CHARS)))
}

fn child(tree: &Tree<'_>, id: Id, key: &str) -> Option<Id> {
    tree.children(id).find(|child| tree.key(*child) == Some(key))
}

/// The lines of a source, which is a list of lines or one string; those that say something.
fn lines(tree: &Tree<'_>, source: Id) -> Vec<String> {
    let parts: Vec<Id> = match tree.kind(source) {
        Kind::Array => tree.children(source).collect(),
        Kind::String => vec![source],
        Kind::Object | Kind::Number | Kind::Flag | Kind::Null => Vec::new(),
    };
    let lines = parts.iter().flat_map(|part| tree.unquoted(*part).split("\\n"));
    let said =
        lines.map(|line| line.replace("\\\"", "\"").trim_end().to_owned()).filter(|line| !line.trim().is_empty());
    said.collect()
}
