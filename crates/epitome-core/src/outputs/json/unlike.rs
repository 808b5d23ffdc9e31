//! A long record that is unlike the others: what it is called, and the fields in which it differs from them.

use super::fields::{Fields, cell};
use super::reader::FINDING_CHARS;
use super::scan::{Id, Kind, Tree};
use super::show::{fits, one_line};
use crate::outputs::outliers::{Cell, Column};
use crate::outputs::trouble;

/// A record of this length is shown whole.
const WHOLE_CHARS: usize = 300;
/// A value that names the record, or tells more of it.
const NAME_CHARS: usize = 64;
/// A value that differs.
const VALUE_CHARS: usize = 300;
/// Keys that are missing, by their names.
const MISSING: usize = 3;

/// What nearly all records have in each column.
pub(super) struct Usual<'text>(Vec<Option<Cell<'text>>>);

impl<'text> Usual<'text> {
    pub(super) fn of(columns: &[Column<'text>]) -> Usual<'text> {
        Usual(columns.iter().map(|column| usual(&column.cells)).collect())
    }

    fn differs(&self, column: usize, cell: &Cell<'_>) -> bool {
        self.0.get(column).copied().flatten().is_some_and(|usual| usual != *cell)
    }

    fn is_usual(&self, column: usize) -> bool {
        self.0.get(column).copied().flatten().is_some()
    }
}

/// The value of four cells in five.
fn usual<'text>(cells: &[Cell<'text>]) -> Option<Cell<'text>> {
    // Whatever most cells hold is left when every other value has taken one of them away.
    let (mut most, mut votes) = (Cell::Absent, 0_usize);
    for cell in cells {
        match votes {
            0 => (most, votes) = (*cell, 1),
            _ if most == *cell => votes += 1,
            _ => votes -= 1,
        }
    }
    let count = cells.iter().filter(|cell| **cell == most).count();
    (count * 5 >= cells.len() * 4).then_some(most)
}

/// Long records of a list.
pub(super) struct Unlike<'look, 'tree, 'text> {
    pub(super) tree: &'tree Tree<'text>,
    pub(super) fields: &'look mut Fields<'tree, 'text>,
    pub(super) columns: &'look [Column<'text>],
    /// The path of each column.
    pub(super) paths: &'look [usize],
    pub(super) usual: &'look Usual<'text>,
}

impl Unlike<'_, '_, '_> {
    /// The record by its name and by what is unlike the others, if all of it would be long. `odd` are columns in which it
    /// is known to be unlike them.
    pub(super) fn told(&mut self, item: Id, row: usize, odd: &[usize]) -> Option<String> {
        if fits(self.tree, item, WHOLE_CHARS) {
            return None;
        }
        let values: Vec<(usize, Id)> = self.fields.values(item);
        let column = |path: usize| self.paths.binary_search(&path).ok();
        let values: Vec<(usize, Id)> = values.into_iter().filter_map(|(path, id)| Some((column(path)?, id))).collect();
        let names = self.naming(&values);
        let differs = |(column, id): &&(usize, Id)| {
            let cell = cell(self.tree, *id);
            odd.contains(column) || self.usual.differs(*column, &cell) || self.reports(*column, &cell)
        };
        let differing: Vec<&(usize, Id)> = values.iter().filter(differs).collect();
        let mut told = Told { parts: Vec::new(), chars: 0 };
        for (column, id) in names.iter().filter(|name| !differing.contains(name)) {
            told.push(self.name(*column), one_line(self.tree, *id, NAME_CHARS), FINDING_CHARS);
        }
        for (column, id) in &differing {
            let room = VALUE_CHARS.min(FINDING_CHARS.saturating_sub(told.chars));
            told.push(self.name(*column), one_line(self.tree, *id, room), FINDING_CHARS);
        }
        told.parts.extend(self.missing(row));
        for (column, id) in values.iter().filter(|value| !names.contains(value) && !differing.contains(value)) {
            let plain = !matches!(self.tree.kind(*id), Kind::Object | Kind::Array | Kind::Null);
            if plain && !self.usual.is_usual(*column) && self.tree.unquoted(*id).len() <= NAME_CHARS {
                told.push(self.name(*column), one_line(self.tree, *id, NAME_CHARS), WHOLE_CHARS);
            }
        }
        Some(format!("{{{}, …}}", told.parts.join(", ")))
    }

    fn name(&self, column: usize) -> &str {
        self.columns.get(column).map_or("", |column| column.name.as_str())
    }

    fn reports(&self, column: usize, cell: &Cell<'_>) -> bool {
        trouble::reported(self.name(column), cell).is_some()
    }

    /// What a record is called: its name, its id; else its first value.
    fn naming(&self, values: &[(usize, Id)]) -> Vec<(usize, Id)> {
        let find = |is: fn(&str) -> bool| {
            values.iter().copied().find(|(column, id)| {
                let path = self.name(*column);
                let last = path.rsplit('.').next().unwrap_or(path);
                let short = self.tree.unquoted(*id).len() <= NAME_CHARS;
                let tells = path.matches('.').count() <= 1 && !self.usual.is_usual(*column);
                short && tells && is(&last.to_ascii_lowercase())
            })
        };
        let name = find(|key| matches!(key, "name" | "title" | "key" | "slug" | "hostname" | "host" | "path" | "file"));
        let id = find(|key| matches!(key, "id" | "uid" | "uuid" | "number" | "arn" | "email") || key.ends_with("id"));
        let long = |(_, id): &(usize, Id)| self.tree.unquoted(*id).len() > NAME_CHARS / 2;
        let id = id.filter(|id| name.is_none() || !long(id));
        let named: Vec<(usize, Id)> = name.into_iter().chain(id).collect();
        if named.is_empty() { values.first().copied().into_iter().collect() } else { named }
    }

    /// Keys that nearly all others have.
    fn missing(&self, row: usize) -> Option<String> {
        let lacks = |(index, column): &(usize, &Column<'_>)| {
            column.cells.get(row) == Some(&Cell::Absent) && self.usual.differs(*index, &Cell::Absent)
        };
        let lacking = self.columns.iter().enumerate().filter(lacks).map(|(_, column)| column.name.as_str());
        let lacking: Vec<&str> = lacking.take(MISSING).collect();
        (!lacking.is_empty()).then(|| format!("no {}", lacking.join(", no ")))
    }
}

struct Told {
    parts: Vec<String>,
    chars: usize,
}

impl Told {
    /// One more field, if there is room for it.
    fn push(&mut self, name: &str, value: String, room: usize) {
        let part = format!("{name}: {value}");
        let chars = self.chars + part.chars().count() + 2;
        if chars <= room {
            self.chars = chars;
            self.parts.push(part);
        }
    }
}
