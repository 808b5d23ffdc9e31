//! Lines of a configuration that are unlike those of the blocks beside, or that state that something is wrong.

use std::collections::{BTreeSet, HashMap};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::entry::{Entry, Role};
use super::outline::{Outline, like};
use crate::outputs::outliers::{Cell, Column, outliers, summarize};
use crate::outputs::reading::Finding;
use crate::outputs::trouble;

/// So many blocks are enough to say that one is unlike the others.
const FEWEST_ALIKE: usize = 5;
/// More lines than these are no exceptions.
const ODD_AT_MOST: usize = 4;
/// Of a whole configuration.
const ALL_AT_MOST: usize = 24;
/// Keys are compared to this depth below a block.
const DEPTH: usize = 4;
/// So many keys of one form make another one odd.
const FORM_AT_LEAST: usize = 12;
/// An attribute is another thing than a key of the same name.
const ATTRIBUTE: u64 = 1;
/// States that are shown, at most.
const STATES_AT_MOST: usize = 16;

/// Lines that say something else than the same key of the blocks beside, or that stand in one of them only.
pub(super) fn odd_lines(outline: &Outline<'_, '_>) -> Vec<usize> {
    let mut odd: BTreeSet<usize> = BTreeSet::new();
    let documents = outline.documents();
    if documents.len() >= FEWEST_ALIKE {
        let rows: Vec<(Option<usize>, &[usize])> = documents.iter().map(|tops| (None, tops.as_slice())).collect();
        odd.extend(unlike_others(outline, &rows));
    }
    let groups = (0..outline.entries.len()).map(|index| outline.children(index)).filter(|group| !group.is_empty());
    let tops: Vec<usize> = if documents.len() > 1 { Vec::new() } else { outline.of_depth(0).collect() };
    for group in groups.chain(std::iter::once(tops.as_slice())) {
        if group.len() < FEWEST_ALIKE {
            continue;
        }
        let blocks: Vec<usize> = group.iter().copied().filter(|index| outline.is_block(*index)).collect();
        if blocks.len() >= FEWEST_ALIKE && blocks.len() * 4 >= group.len() * 3 {
            let item = |block: usize| outline.entry(block).filter(|entry| entry.role == Role::Item).map(|_| block);
            let rows: Vec<(Option<usize>, &[usize])> =
                blocks.iter().map(|block| (item(*block), outline.children(*block))).collect();
            odd.extend(unlike_others(outline, &rows));
        } else if blocks.is_empty() {
            odd.extend(of_other_form(outline, group));
        }
    }
    without_usual(outline, odd)
}

/// What is odd in many places is usual.
fn without_usual(outline: &Outline<'_, '_>, odd: BTreeSet<usize>) -> Vec<usize> {
    let said = |index: usize| outline.entry(index).map(|entry| (entry.key, entry.value)).unwrap_or_default();
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    odd.iter().for_each(|index| *counts.entry(said(*index)).or_default() += 1);
    let rare = |index: &usize| counts.get(&said(*index)).is_some_and(|count| *count < FEWEST_ALIKE);
    odd.into_iter().filter(rare).take(ALL_AT_MOST).collect()
}

/// Lines whose key states a condition, and whose value says that it is bad: `reason: OOMKilled`. The second: how many
/// say the same, where one stands for them.
pub(super) fn states(outline: &Outline<'_, '_>) -> Vec<(usize, Finding, Option<usize>)> {
    let mut same: HashMap<(&str, &str), Vec<(usize, Finding)>> = HashMap::new();
    for (index, entry) in outline.entries.iter().enumerate() {
        let named = matches!(entry.role, Role::Key | Role::Item) && !outline.is_block(index);
        if let Some(finding) = trouble::stated(entry.key, entry.value).filter(|_| named && !entry.value.is_empty()) {
            same.entry((entry.key, entry.value)).or_default().push((index, finding));
        }
    }
    let mut shown: Vec<(usize, Finding, Option<usize>)> = same
        .into_values()
        // What nearly every second line says is the usual.
        .filter(|lines| lines.len() * 8 <= outline.entries.len().max(8))
        .flat_map(|lines| {
            let repeats = (lines.len() > 2).then_some(lines.len());
            let shown = if repeats.is_some() { 1 } else { 2 };
            lines.into_iter().take(shown).map(move |(index, finding)| (index, finding, repeats))
        })
        .collect();
    shown.sort_unstable_by_key(|(index, finding, repeats)| (*finding, repeats.unwrap_or(1), *index));
    shown.truncate(STATES_AT_MOST);
    shown
}

/// A line below a block: its row, its index, its value.
type Place<'text> = (usize, usize, &'text str);

fn unlike_others(outline: &Outline<'_, '_>, blocks: &[(Option<usize>, &[usize])]) -> Vec<usize> {
    let lines = by_key(outline, blocks);
    let usual = lines.values().filter(|places| places.len() * 2 > blocks.len()).count();
    if usual < 2 {
        return Vec::new();
    }
    let (mut single, mut other): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
    for places in lines.values() {
        if let [(_, line, _)] = places.as_slice() {
            single.push(*line);
            continue;
        }
        let mut cells = vec![Cell::Absent; blocks.len()];
        for (row, _, value) in places {
            let cell = Cell::of_text(value.trim_matches(['"', '\'']));
            cells.get_mut(*row).into_iter().for_each(|own| *own = cell);
        }
        let summary = summarize(&Column { name: String::new(), cells });
        let rows = outliers(&[summary], blocks.len());
        let line_of = |row: usize| places.iter().find(|(of, _, _)| *of == row).map(|(_, line, _)| *line);
        other.extend(rows.iter().filter_map(|odd| line_of(odd.row)));
    }
    // What is below a block that stands once stands once, too.
    let alone: BTreeSet<usize> = single.iter().copied().collect();
    single.retain(|line| outline.parent(*line).is_none_or(|above| !alone.contains(&above)));
    // Settings of all sorts have keys of their own; then only other values tell.
    match () {
        () if single.len() + other.len() <= ODD_AT_MOST => single.into_iter().chain(other).collect(),
        () if other.len() <= ODD_AT_MOST => other,
        () => Vec::new(),
    }
}

/// The lines below each block by their keys and those above them; of an item the first key stands on its own line.
fn by_key<'text>(
    outline: &Outline<'_, 'text>,
    blocks: &[(Option<usize>, &[usize])],
) -> HashMap<u64, Vec<Place<'text>>> {
    let mut lines: HashMap<u64, Vec<Place<'text>>> = HashMap::new();
    for (row, (item, below)) in blocks.iter().enumerate() {
        let own = item.and_then(|item| Some((item, outline.entry(item)?))).filter(|(_, entry)| !entry.key.is_empty());
        let mut open: Vec<(usize, u64, usize)> = below.iter().rev().map(|child| (*child, 0, 1)).collect();
        if let Some((item, entry)) = own {
            lines.entry(xxh3_64_with_seed(entry.key.as_bytes(), 0)).or_default().push((row, item, entry.value));
            push_attributes(&mut lines, (row, item), entry, ATTRIBUTE);
        }
        while let Some((line, above, depth)) = open.pop() {
            let Some(entry) = outline.entry(line).filter(|entry| !entry.key.is_empty()) else { continue };
            let key = xxh3_64_with_seed(entry.key.as_bytes(), above);
            lines.entry(key).or_default().push((row, line, entry.value));
            push_attributes(&mut lines, (row, line), entry, key ^ ATTRIBUTE);
            if depth < DEPTH {
                open.extend(outline.children(line).iter().rev().map(|child| (*child, key, depth + 1)));
            }
        }
    }
    lines
}

fn push_attributes<'text>(
    lines: &mut HashMap<u64, Vec<Place<'text>>>,
    (row, line): (usize, usize),
    entry: &Entry<'text>,
    seed: u64,
) {
    for (name, value) in entry.attributes() {
        lines.entry(xxh3_64_with_seed(name.as_bytes(), seed)).or_default().push((row, line, value));
    }
}

/// Keys that are made unlike nearly all others of their block, which differ in a number only; values too.
fn of_other_form(outline: &Outline<'_, '_>, group: &[usize]) -> Vec<usize> {
    if group.len() < FORM_AT_LEAST {
        return Vec::new();
    }
    let lines: Vec<(usize, &str, &str)> =
        group.iter().filter_map(|index| outline.entry(*index).map(|entry| (*index, entry.key, entry.value))).collect();
    let keys: Vec<String> = lines.iter().map(|(_, key, _)| like(key)).collect();
    let values: Vec<String> = lines.iter().map(|(_, _, value)| like(value)).collect();
    let mut odd: BTreeSet<usize> = other_values(&lines, &keys).into_iter().collect();
    for forms in [keys, values] {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        forms.iter().for_each(|form| *counts.entry(form).or_default() += 1);
        let Some((usual, count)) = counts.into_iter().max_by_key(|(form, count)| (*count, *form)) else { continue };
        if usual.contains('0') || usual.contains('#') || forms.len() == count + 1 {
            let others = forms.iter().zip(&lines).filter(|(form, _)| *form != usual).map(|(_, (index, _, _))| *index);
            let others: Vec<usize> = if forms.len() - count <= ODD_AT_MOST { others.collect() } else { Vec::new() };
            odd.extend(others);
        }
    }
    odd.into_iter().collect()
}

/// Of keys that differ in a number only, values that are unlike the others: `module12.timeout=30000`.
fn other_values(lines: &[(usize, &str, &str)], forms: &[String]) -> Vec<usize> {
    let mut of_form: HashMap<&str, Vec<(usize, &str)>> = HashMap::new();
    for ((index, _, value), form) in lines.iter().zip(forms) {
        of_form.entry(form).or_default().push((*index, value));
    }
    let mut odd: Vec<usize> = Vec::new();
    for lines in of_form.values().filter(|lines| lines.len() >= FEWEST_ALIKE) {
        let cells = lines.iter().map(|(_, value)| Cell::of_text(value.trim_matches(['"', '\'']))).collect();
        let rows = outliers(&[summarize(&Column { name: String::new(), cells })], lines.len());
        odd.extend(rows.iter().filter_map(|odd| lines.get(odd.row)).map(|(index, _)| *index));
    }
    if odd.len() > ODD_AT_MOST { Vec::new() } else { odd }
}
