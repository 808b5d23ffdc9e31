//! The fields of like records: a column for each path of keys.

use std::collections::HashMap;

use super::scan::{Id, Kind, Tree};
use crate::outputs::outliers::{Cell, Column};

/// Objects are looked into to this depth.
const DEPTH: usize = 4;
/// Arrays of so many elements at most are looked into: pairs, rows.
const ROW: usize = 8;
/// Further keys are not looked at: a map from ids is no record.
const COLUMNS: usize = 160;
/// Cells of all columns together.
const CELLS: usize = 4_000_000;

/// The values below each path of keys.
pub(super) struct Fields<'tree, 'text> {
    tree: &'tree Tree<'text>,
    /// Every path in the order in which it was met; those that only lead to others have no cells.
    paths: Vec<Column<'text>>,
    known: HashMap<(usize, &'text str, usize), usize>,
    most: usize,
}

impl<'tree, 'text> Fields<'tree, 'text> {
    pub(super) fn of(tree: &'tree Tree<'text>, items: &[Id]) -> Fields<'tree, 'text> {
        let most = COLUMNS.min(CELLS / items.len().max(1));
        let mut fields = Fields { tree, paths: Vec::new(), known: HashMap::new(), most };
        for (row, item) in items.iter().enumerate() {
            for (path, id) in fields.values(*item) {
                if let Some(column) = fields.paths.get_mut(path) {
                    // A key that stands twice in a record counts once.
                    column.cells.resize(row, Cell::Absent);
                    column.cells.push(cell(tree, id));
                }
            }
        }
        let filled = fields.paths.iter_mut().filter(|column| !column.cells.is_empty());
        filled.for_each(|column| column.cells.resize(items.len(), Cell::Absent));
        fields
    }

    /// Gives away the columns, a cell for each record; the second: the path of each, as [`Fields::values`] numbers it.
    pub(super) fn take_columns(&mut self) -> (Vec<Column<'text>>, Vec<usize>) {
        let filled = self.paths.iter_mut().enumerate().filter(|(_, column)| !column.cells.is_empty());
        let taken =
            |column: &mut Column<'text>| Column { name: column.name.clone(), cells: std::mem::take(&mut column.cells) };
        filled.map(|(path, column)| (taken(column), path)).unzip()
    }

    /// The values of a record in their order, each with its path.
    pub(super) fn values(&mut self, item: Id) -> Vec<(usize, Id)> {
        let tree = self.tree;
        let mut values: Vec<(usize, Id)> = Vec::new();
        // Values that are still to be looked at: with the path of the parent, and how deep they are.
        let mut open: Vec<(Id, Option<usize>, usize)> = vec![(item, None, 0)];
        while let Some((id, path, depth)) = open.pop() {
            let empty = tree.node(id).is_none_or(|node| node.children == 0);
            if empty || !self.looks_into(item, id, depth) {
                values.extend(path.map(|path| (path, id)));
                continue;
            }
            let first = open.len();
            for (position, child) in tree.children(id).enumerate() {
                if let Some(below) = self.path(path, child, position) {
                    open.push((child, Some(below), depth + 1));
                }
            }
            open.get_mut(first..).unwrap_or_default().reverse();
        }
        values
    }

    fn looks_into(&self, item: Id, id: Id, depth: usize) -> bool {
        let tree = self.tree;
        match tree.kind(id) {
            Kind::Object => depth < DEPTH,
            // Rows of a table and pairs of records; a list inside a record is told by its length.
            Kind::Array => {
                let is_row = tree.node(id).is_some_and(|node| (1..=ROW).contains(&node.children));
                let plain = |child: Id| !matches!(tree.kind(child), Kind::Object | Kind::Array);
                let pairs = || depth == 1 && tree.kind(item) == Kind::Array && !tree.children(id).all(plain);
                is_row && (depth == 0 || pairs())
            }
            Kind::String | Kind::Number | Kind::Flag | Kind::Null => false,
        }
    }

    /// The number of a path: of a key, or of a position, below another path. `None`: there are too many.
    fn path(&mut self, above: Option<usize>, child: Id, position: usize) -> Option<usize> {
        let key = self.tree.key(child).unwrap_or_default();
        let place = if self.tree.key(child).is_some() { 0 } else { position + 1 };
        let at = (above.map_or(0, |above| above + 1), key, place);
        if let Some(known) = self.known.get(&at) {
            return Some(*known);
        }
        if self.paths.len() >= self.most {
            return None;
        }
        let own = if place == 0 { key.to_owned() } else { format!("[{position}]") };
        let name = match above.and_then(|above| self.paths.get(above)) {
            Some(above) if place == 0 => format!("{}.{own}", above.name),
            Some(above) => format!("{}{own}", above.name),
            None => own,
        };
        self.known.insert(at, self.paths.len());
        self.paths.push(Column { name, cells: Vec::new() });
        Some(self.paths.len() - 1)
    }
}

pub(super) fn cell<'text>(tree: &Tree<'text>, id: Id) -> Cell<'text> {
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
