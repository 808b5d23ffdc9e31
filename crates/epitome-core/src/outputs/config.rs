//! Configuration: the keys of each block, values that are unlike those of the blocks beside, and what the agent works on.

mod entry;
mod odd;
mod outline;
mod tagged;

use std::collections::{BTreeMap, BTreeSet};

use super::reading::{Finding, Layout, Piece, Rank, Reading, Section, Unit};
use super::source::{call, language};
use super::{Effort, OutputKind, ToolOutput, cut_to_chars, events, numbers};
use crate::tokens::Tokens;
use entry::{Entry, Role, entries};
use outline::{Outline, cut_names, folded};

/// YAML, TOML, INI, environment and property files, units, blocks in braces, elements in tags.
pub struct Config;

/// A block is told with its values up to this length, else by its keys.
const BLOCK_CHARS: usize = 150;
/// The names of keys at the top are told up to this length.
const TOP_CHARS: usize = 800;
/// A key with its value on a line of its own.
const LINE_CHARS: usize = 100;
/// An item of a list with something odd in it.
const ITEM_CHARS: usize = 240;
/// More keys at the top are told together.
const KEYS_AT_TOP: usize = 24;
/// What is at the top is shown up to this length, whatever room there is.
const FRAME_CHARS: usize = 1_200;
/// Of blocks with one name at the top, so many.
const SAME_KEY: usize = 3;
/// So many blocks with the same keys are told by their names, and so many keys are compared.
const LIKE_BLOCKS: usize = 8;
const SAME_KEYS: usize = 12;
/// Of longer configurations only the upper blocks are told.
const LARGE: usize = 10_000;

impl OutputKind for Config {
    fn name(&self) -> &'static str {
        "configuration"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let shown = call::shown(output);
        if let language::Named::Code(known) = language::by_path(&shown.path)
            && !known.rules.is_empty()
        {
            return None;
        }
        // Pages begin with a few keys.
        if [".md", ".mdx", ".rst", ".txt"].iter().any(|ending| shown.path.ends_with(ending)) {
            return None;
        }
        if output.text.lines().filter(|line| is_message(line)).nth(1).is_some() {
            return None;
        }
        let entries = tagged::entries(&output.text).or_else(|| entries(&output.text))?;
        let count = |role: Role| entries.iter().filter(|entry| entry.role == role).count();
        // Lines in brackets without a key below them are messages.
        if count(Role::Section) > count(Role::Key) {
            return None;
        }
        let outline = Outline::of(&entries);
        let mut reading = reading(&outline, &output.text);
        mark_messages(&mut reading, &outline, output);
        mark_states(&mut reading, &outline, &output.text);
        if effort == Effort::Full {
            mark_odd(&mut reading, &outline, &output.text);
        }
        show_items(&mut reading, &outline);
        Some(reading)
    }
}

/// `src/a.cs: error CS0246: no such type`: what a compiler says of a file, which is no value of a key.
fn is_message(line: &str) -> bool {
    let Some((place, said)) = line.split_once(": ") else { return false };
    let word = said.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (level, rest) = said.split_at_checked(word).unwrap_or_default();
    let levels = ["error", "warning", "fatal", "note"];
    place.contains(['.', '/']) && levels.iter().any(|one| level.eq_ignore_ascii_case(one)) && rest.contains(": ")
}

fn reading(outline: &Outline<'_, '_>, text: &str) -> Reading {
    let mut reading = Reading { layout: Layout::Bare, ends: false, ..Reading::empty(Unit::Line) };
    let tops: Vec<usize> = outline.of_depth(0).collect();
    let single = tops.iter().filter(|top| !outline.is_block(**top)).count();
    say_keys(&mut reading, outline, &tops, single);
    let repeats = like_blocks(&mut reading, outline, &tops);
    let mut told_values = vec![false; outline.entries.len()];
    let mut frames = 0;
    let mut same: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, entry) in outline.entries.iter().enumerate() {
        let above_told = outline.parent(index).and_then(|above| told_values.get(above)) == Some(&true);
        let named = matches!(entry.role, Role::Key | Role::Item | Role::Section);
        let deep = entry.depth > 0 && outline.entries.len() > LARGE;
        let (mut rank, full) = match named {
            false => (unnamed(entry), None),
            true if deep => (Rank::Ordinary, None),
            true if outline.is_block(index) => {
                let (told, values) = outline.told(index, BLOCK_CHARS);
                told_values.get_mut(index).into_iter().for_each(|own| *own = values);
                let rank = if entry.depth == 0 { Rank::Frame } else { Rank::Telling(entry.depth as u8 - 1) };
                (rank, Some(format!("{}{told}", indent(entry))))
            }
            true => {
                let rank = match entry.depth {
                    _ if above_told => Rank::Told,
                    0 if single <= KEYS_AT_TOP => Rank::Frame,
                    depth => Rank::Telling((depth as u8).saturating_add(1)),
                };
                (rank, Some(one_line(outline, index, text)))
            }
        };
        if rank == Rank::Frame {
            let alike = same.entry(entry.key).or_insert(0);
            *alike += 1;
            let shown = *alike <= SAME_KEY && !repeats.contains(&index) && frames <= FRAME_CHARS;
            frames += if shown { full.as_ref().map_or(0, String::len) } else { 0 };
            rank = if shown { Rank::Frame } else { Rank::Telling(1) };
        }
        reading.pieces.push(Piece { rank, full, ..Piece::ordinary(entry.span.clone()) });
    }
    name_sections(&mut reading, outline);
    reading
}

/// Of many blocks at the top with the same keys the first few are shown, and all are named. Returns the others.
fn like_blocks(reading: &mut Reading, outline: &Outline<'_, '_>, tops: &[usize]) -> BTreeSet<usize> {
    let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for top in tops.iter().filter(|top| outline.is_block(**top)) {
        let keys = outline.children(*top).iter().filter_map(|child| outline.entry(*child)).map(|entry| entry.key);
        groups.entry(keys.take(SAME_KEYS).collect()).or_default().push(*top);
    }
    let mut others: BTreeSet<usize> = BTreeSet::new();
    for group in groups.values().filter(|group| group.len() >= LIKE_BLOCKS) {
        let names: Vec<String> = group.iter().map(|top| outline.name(*top)).collect();
        let told = cut_names(folded(&names), TOP_CHARS / 2);
        reading.say_always(format!("{} like blocks: {}", group.len(), told.join(", ")));
        others.extend(group.iter().skip(SAME_KEY));
    }
    others
}

fn indent(entry: &Entry<'_>) -> String {
    "  ".repeat(entry.depth.min(8))
}

/// What a line is worth that has no key.
fn unnamed(entry: &Entry<'_>) -> Rank {
    match entry.role {
        Role::Value if !entry.value.contains(char::is_alphanumeric) => Rank::Told,
        Role::Nothing => Rank::Told,
        Role::Value | Role::Foreign | Role::Key | Role::Item | Role::Section => Rank::Ordinary,
    }
}

fn one_line(outline: &Outline<'_, '_>, index: usize, text: &str) -> String {
    let Some(entry) = outline.entry(index) else { return String::new() };
    let words = text.get(entry.span.clone()).unwrap_or_default().trim();
    let more = match outline.value_lines(index) {
        0 => String::new(),
        lines => format!(" (+{lines} lines)"),
    };
    format!("{}{}{more}", indent(entry), cut_to_chars(numbers::without_number(words), LINE_CHARS))
}

/// How many keys there are; of many without blocks their names, those with one beginning together.
fn say_keys(reading: &mut Reading, outline: &Outline<'_, '_>, tops: &[usize], single: usize) {
    let count = |number: usize| Tokens(number as u64);
    let keys = count(outline.entries.iter().filter(|entry| !entry.key.is_empty()).count());
    let blocks = (0..outline.entries.len()).filter(|index| outline.is_block(*index)).count();
    if single <= KEYS_AT_TOP {
        reading.say_always(format!("{keys} keys in {} blocks", count(blocks)));
        return;
    }
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let top_keys = tops.iter().filter(|top| !outline.is_block(**top)).filter_map(|top| outline.entry(*top));
    for key in top_keys.map(|entry| entry.key).filter(|key| seen.insert(key)) {
        let end = key.find(['.', '_', '-', '/']).map_or(key.len(), |at| at + 1);
        let (first, rest) = key.split_at_checked(end).unwrap_or((key, ""));
        let group = groups.entry(first).or_default();
        if group.is_empty() {
            order.push(first);
        }
        group.push(rest.to_owned());
    }
    let told = |first: &&str| match groups.get(first)?.as_slice() {
        [only] => Some(format!("{first}{only}")),
        several => Some(format!("{first}{{{}}}", cut_names(folded(several), TOP_CHARS / 2).join(","))),
    };
    let told: Vec<String> = cut_names(folded(&order.iter().filter_map(told).collect::<Vec<_>>()), TOP_CHARS);
    reading.say_always(format!("{keys} keys: {}", told.join(", ")));
}

fn name_sections(reading: &mut Reading, outline: &Outline<'_, '_>) {
    let large = outline.entries.len() > LARGE;
    for (index, end) in outline.ends.iter().enumerate().filter(|(index, _)| outline.is_block(*index)) {
        if large && outline.entry(index).is_some_and(|entry| entry.depth > 1) {
            continue;
        }
        let (name, path) = (outline.name(index), outline.path(index));
        if path != name {
            reading.sections.push(Section { name: path, pieces: index..*end });
        }
        reading.sections.push(Section { name, pieces: index..*end });
    }
}

/// What a program says in the midst of a configuration, and rows of events below a key.
fn mark_messages(reading: &mut Reading, outline: &Outline<'_, '_>, output: &ToolOutput) {
    for (index, entry) in outline.entries.iter().enumerate() {
        let line = output.text.get(entry.span.clone()).unwrap_or_default();
        if let Some(finding) = events::tool_message(line, &output.arguments) {
            let Some(piece) = reading.pieces.get_mut(index) else { continue };
            (piece.rank, piece.full) = (Rank::Finding(finding), None);
        } else if entry.role == Role::Foreign {
            events::mark_within(reading, &output.text, index..index + 1);
        }
    }
    let foreign = |index: usize| outline.entry(index).is_some_and(|entry| entry.role == Role::Foreign);
    events::keep_around(reading, &output.text, foreign);
}

fn mark_states(reading: &mut Reading, outline: &Outline<'_, '_>, text: &str) {
    for (index, finding, repeats) in odd::states(outline) {
        mark(reading, outline, text, index, finding);
        if let (Some(count), Some(piece)) = (repeats, reading.pieces.get_mut(index)) {
            piece.note = Some(format!(" [×{}]", Tokens(count as u64)));
        }
    }
}

fn mark_odd(reading: &mut Reading, outline: &Outline<'_, '_>, text: &str) {
    for index in odd::odd_lines(outline) {
        if reading.pieces.get(index).is_some_and(|piece| piece.rank.finding().is_none()) {
            mark(reading, outline, text, index, Finding::Outlier);
        }
    }
}

/// A small item with something odd in it is shown whole, once.
fn show_items(reading: &mut Reading, outline: &Outline<'_, '_>) {
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    for index in 0..reading.pieces.len() {
        let found = reading.pieces.get(index).is_some_and(|piece| piece.rank.finding().is_some());
        let Some(item) = outline.item_around(index).filter(|_| found) else { continue };
        let Some(whole) = outline.whole(item, ITEM_CHARS) else { continue };
        let above = outline.parent(item).map(|above| format!("{}: ", outline.path(above))).unwrap_or_default();
        let Some(piece) = reading.pieces.get_mut(index) else { continue };
        if shown.insert(item) {
            piece.full = Some(format!("{above}{whole}"));
        } else {
            piece.rank = Rank::Told;
        }
    }
}

/// Makes a line a finding, with the names of the blocks around it.
fn mark(reading: &mut Reading, outline: &Outline<'_, '_>, text: &str, index: usize, finding: Finding) {
    let Some(piece) = reading.pieces.get_mut(index) else { return };
    let above = outline.parent(index).map(|above| format!("{}: ", outline.path(above))).unwrap_or_default();
    let words = numbers::without_number(piece.text(text)).trim();
    // A block that the others do not have is shown with what is in it.
    let block = outline.whole(index, ITEM_CHARS).filter(|_| outline.is_block(index));
    let shown = block.unwrap_or_else(|| cut_to_chars(words, 2 * LINE_CHARS));
    piece.full = Some(format!("{above}{shown}"));
    piece.rank = Rank::Finding(finding);
}

#[cfg(test)]
mod tests;
