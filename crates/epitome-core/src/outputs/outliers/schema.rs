//! All columns in a few words, as far as there is room for them.

use super::{Column, Summary};
use crate::outputs::cut_to_chars;

/// What is always said of the columns.
pub const SCHEMA_CHARS: usize = 420;
/// Of so few rows more is shown, and less said.
const FEW: usize = 12;

/// What is said of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// `id: 1–500, flags: {beta: false, mfa: true}`, and the names of those for which there was no room.
    pub fields: String,
    /// Those, if there is room.
    pub more: Option<String>,
    /// Every column is named in `fields`.
    pub names_all: bool,
}

/// Says what the columns are. Columns below one key stand together.
pub fn schema(columns: &[Column<'_>], summaries: &[Summary]) -> Schema {
    let mut groups: Vec<(&str, Vec<(&str, String)>)> = Vec::new();
    for (column, summary) in columns.iter().zip(summaries) {
        let (top, rest) = column.name.split_once('.').unwrap_or((&column.name, ""));
        let optional = if summary.optional { "?" } else { "" };
        let member = (rest, format!("{optional}: {}", summary.says));
        match groups.iter_mut().find(|(name, _)| *name == top && !rest.is_empty()) {
            Some((_, members)) => members.push(member),
            None => groups.push((top, vec![member])),
        }
    }
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let mut room = if rows <= FEW { SCHEMA_CHARS / 2 } else { SCHEMA_CHARS };
    let mut told: Vec<String> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for (top, members) in &groups {
        // A large group is told as far as there is room, too.
        let fitting = members.iter().take_while(|(rest, says)| {
            let length = rest.chars().count() + says.chars().count() + 2;
            let fits = room.checked_sub(length + top.chars().count().min(length));
            room = fits.unwrap_or_default();
            fits.is_some()
        });
        let fitting = fitting.count();
        if let Some(first) = members.get(..fitting).filter(|first| !first.is_empty()) {
            told.push(said(top, first, members.len() - fitting));
        }
        if let Some(rest) = members.get(fitting..).filter(|rest| !rest.is_empty()) {
            left_out.push(said(top, rest, 0));
            names.extend((fitting == 0).then(|| (*top).to_owned()));
        }
    }
    let all_names = names.join(", ");
    let names_shown = cut_to_chars(&all_names, SCHEMA_CHARS / 2);
    if !names.is_empty() {
        told.push(format!("and {} more: {names_shown}", names.len()));
    }
    let more = cut_to_chars(&left_out.join(", "), SCHEMA_CHARS * 2);
    Schema { fields: told.join(", "), more: (!more.is_empty()).then_some(more), names_all: names_shown == all_names }
}

fn said(top: &str, members: &[(&str, String)], left_out: usize) -> String {
    match members {
        [("", says)] => format!("{top}{says}"),
        [(rest, says)] if left_out == 0 => format!("{top}.{rest}{says}"),
        several => {
            let several: Vec<String> = several.iter().map(|(rest, says)| format!("{rest}{says}")).collect();
            let more = if left_out > 0 { format!(", {left_out} more") } else { String::new() };
            format!("{top}: {{{}{more}}}", several.join(", "))
        }
    }
}
