//! Deep trees, few values at each level: keys and values that stand in one place only, while all others come again.

use std::collections::BTreeMap;

use super::scan::{Document, Id, Kind, Tree};
use crate::outputs::outliers::{Cell, Column, outliers, summarize};

/// A key that comes again as often is usual.
const USUAL: usize = 5;
/// More are no exceptions.
const AT_MOST: usize = 6;
/// So many values of one object may be one column.
const MAP: usize = 20;
/// A path is not longer.
const DEPTH: usize = 64;
/// Larger trees are told by their records.
const LEAVES: usize = 200_000;

/// Values that are unlike all others, in the order of the text, each with its path.
pub(super) fn odd_leaves(tree: &Tree<'_>, documents: &[Document]) -> Vec<(Id, String)> {
    let mut parents: BTreeMap<Id, Id> = BTreeMap::new();
    let mut by_key: BTreeMap<&str, Vec<Id>> = BTreeMap::new();
    // With the number of arrays around each value: only what stands in lists within lists is not told by records.
    let mut open: Vec<(Id, usize)> = documents.iter().map(|document| (document.root, 0)).collect();
    let mut leaves = 0;
    while let Some((id, arrays)) = open.pop() {
        let arrays = arrays + usize::from(tree.kind(id) == Kind::Array);
        for child in tree.children(id) {
            parents.insert(child, id);
            match tree.kind(child) {
                Kind::Object | Kind::Array => open.push((child, arrays)),
                Kind::String | Kind::Number | Kind::Flag | Kind::Null => {
                    leaves += 1;
                    if let Some(key) = tree.key(child).filter(|_| arrays >= 2) {
                        by_key.entry(key).or_default().push(child);
                    }
                }
            }
        }
        if leaves > LEAVES {
            return Vec::new();
        }
    }
    by_key.values_mut().for_each(|ids| ids.sort_unstable());
    let all: usize = by_key.values().map(Vec::len).sum();
    let usual: usize = by_key.values().map(Vec::len).filter(|count| *count >= USUAL).sum();
    // Where most keys come once, as in settings, none of them is odd.
    if usual * 5 < all * 4 || all < 4 * USUAL {
        return Vec::new();
    }
    let mut odd: Vec<Id> = Vec::new();
    for ids in by_key.values() {
        if let [only] = ids.as_slice() {
            odd.push(*only);
            continue;
        }
        let cells = ids.iter().map(|id| cell(tree, *id));
        let summary = summarize(&Column { name: String::new(), cells: cells.collect() });
        odd.extend(outliers(&[summary], ids.len()).iter().filter_map(|odd| ids.get(odd.row)));
    }
    odd.sort_unstable();
    if odd.len() > AT_MOST {
        return Vec::new();
    }
    odd.into_iter().map(|id| (id, path(tree, &parents, id))).collect()
}

/// Values of one object that are unlike all others of it: one flag of eighty that is off.
pub(super) fn odd_values(tree: &Tree<'_>, object: Id) -> Vec<Id> {
    let plain = |id: &Id| !matches!(tree.kind(*id), Kind::Object | Kind::Array);
    let ids: Vec<Id> = tree.children(object).filter(plain).collect();
    if tree.kind(object) != Kind::Object || ids.len() < MAP || ids.len() > LEAVES {
        return Vec::new();
    }
    let summary = summarize(&Column { name: String::new(), cells: ids.iter().map(|id| cell(tree, *id)).collect() });
    let odd: Vec<Id> = outliers(&[summary], ids.len()).iter().filter_map(|odd| ids.get(odd.row)).copied().collect();
    if odd.len() > AT_MOST / 2 { Vec::new() } else { odd }
}

fn cell<'text>(tree: &Tree<'text>, id: Id) -> Cell<'text> {
    match tree.kind(id) {
        Kind::Number => Cell::Number(tree.written(id)),
        Kind::Flag => Cell::Flag(tree.written(id)),
        Kind::String => Cell::Text(tree.unquoted(id)),
        Kind::Null | Kind::Object | Kind::Array => Cell::Empty,
    }
}

/// `children[2].children[0].note`
fn path(tree: &Tree<'_>, parents: &BTreeMap<Id, Id>, id: Id) -> String {
    let mut steps: Vec<String> = Vec::new();
    let mut at = id;
    for _ in 0..DEPTH {
        let Some(parent) = parents.get(&at) else { break };
        match tree.key(at) {
            Some(key) => steps.push(format!(".{key}")),
            None => {
                let position = tree.children(*parent).take_while(|child| *child != at).count();
                steps.push(format!("[{position}]"));
            }
        }
        at = *parent;
    }
    steps.reverse();
    steps.concat().trim_start_matches('.').to_owned()
}
