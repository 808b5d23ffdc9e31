//! Lists of files: how many of what kind and where, the largest and the newest, and the files unlike the others.

mod entry;
mod status;

use std::collections::{BTreeMap, HashMap};

use super::odd::odd_ones;
use super::place::{by_directory, common_directory, plural};
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, events};
use crate::tokens::Tokens;
use entry::{Entry, Shape};

/// What `ls`, `find`, `tree`, `du`, `git status` and the file lists of agents show.
pub struct Listing;

/// Lines looked at to see whether this is a list of files.
const SAMPLE: usize = 60;
/// Fewer entries are read at a glance.
const ENOUGH: usize = 12;
/// Of files unlike the others, so many of each sort.
const ODD: usize = 4;
/// Of files with an extension of their own, so many.
const RARE_EXTENSIONS: usize = 10;
/// Of a list of sizes, so many of the largest are named first.
const LARGEST: usize = 5;

impl OutputKind for Listing {
    fn name(&self) -> &'static str {
        "listing"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        if let Some(reading) = status::read(text) {
            return Some(reading);
        }
        let shape = shape(text, lists(&output.tool, &output.arguments))?;
        let mut reading = Reading::of_lines(text);
        (reading.layout, reading.events, reading.ends) = (Layout::Bare, Events::Quiet, false);
        let mut directory = "";
        let mut below_blank = true;
        let mut above: Vec<&str> = Vec::new();
        let mut strays: Vec<usize> = Vec::new();
        let entries: Vec<Option<Entry<'_>>> = reading
            .pieces
            .iter()
            .enumerate()
            .map(|(index, piece)| {
                let line = piece.text(text);
                // `ls -R` names the directory above its entries.
                let heading =
                    line.strip_suffix(':').filter(|name| (below_blank || name.contains('/')) && !name.contains(": "));
                below_blank = line.trim().is_empty();
                if let Some(name) = heading {
                    directory = name;
                    return None;
                }
                let Some(mut entry) = entry::entry(line, shape) else {
                    strays.push(index);
                    return None;
                };
                if shape == Shape::Tree {
                    above.truncate(entry.depth);
                    entry.parent = above.last().copied().unwrap_or_default();
                    above.push(entry.path);
                } else {
                    entry.parent = directory;
                }
                Some(entry)
            })
            .collect();
        let found: Vec<(usize, Entry<'_>)> =
            entries.into_iter().enumerate().filter_map(|(index, entry)| Some((index, entry?))).collect();
        let filled = reading.pieces.iter().filter(|piece| piece.rank != Rank::Told).count();
        if found.len() < ENOUGH || found.len() * 10 < filled * 7 {
            return None;
        }
        let prefix = say(&mut reading, &found);
        rank(&mut reading, text, &found, prefix, shape);
        let end = reading.pieces.len();
        events::mark_where(&mut reading, text, 0..end, |index| strays.binary_search(&index).is_ok());
        events::keep_strays(&mut reading, text, &output.arguments, &strays);
        Some(reading)
    }
}

/// Whether the call says that it lists files.
fn lists(tool: &str, arguments: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let words = arguments.split(|c: char| !c.is_alphanumeric() && c != '-');
    ["glob", "ls", "list", "list_dir", "list_files", "find"].contains(&tool.as_str())
        || words.take(60).any(|word| matches!(word, "ls" | "find" | "fd" | "tree" | "ls-files" | "dir" | "du" | "-l"))
        || arguments.contains("files_with_matches")
}

fn shape(text: &str, listed: bool) -> Option<Shape> {
    let count = text.lines().take(4_000).count();
    let step = (count / SAMPLE).max(1);
    let sample: Vec<&str> =
        text.lines().take(4_000).step_by(step).filter(|line| !line.trim().is_empty() && !line.ends_with(':')).collect();
    if sample.len() < 5 {
        return None;
    }
    let fits = |shape: Shape| {
        let known = sample.iter().filter(|line| entry::entry(line, shape).is_some()).count();
        let needed = if listed { 7 } else { 9 };
        known * 10 >= sample.len() * needed
    };
    if fits(Shape::Long) {
        return Some(Shape::Long);
    }
    if fits(Shape::Tree) && sample.iter().any(|line| line.contains("├")) {
        return Some(Shape::Tree);
    }
    let paths = |line: &&&str| entry::entry(line, Shape::Sizes).is_some_and(|entry| entry.path.contains(['/', '.']));
    if fits(Shape::Sizes) && (listed || sample.iter().filter(paths).count() * 2 >= sample.len()) {
        return Some(Shape::Sizes);
    }
    // Single words could be anything: enough of them must look like files.
    let paths = sample.iter().filter(|line| entry::is_surely_file(line.trim())).count();
    let sure = if listed { paths * 10 >= sample.len() * 3 } else { paths * 10 >= sample.len() * 9 };
    (fits(Shape::Paths) && sure).then_some(Shape::Paths)
}

/// Says what there is. Returns the directory that all of it is in.
fn say<'text>(reading: &mut Reading, found: &[(usize, Entry<'text>)]) -> &'text str {
    let prefix = common_directory(found.iter().map(|(_, entry)| entry.path));
    let prefix = if found.iter().all(|(_, entry)| entry.parent.is_empty()) { prefix } else { "" };
    let folders = found.iter().filter(|(_, entry)| entry.is_folder).count();
    let within = if prefix.is_empty() { String::new() } else { format!(" under {prefix}") };
    let kinds = counted(found.iter().filter(|(_, entry)| !entry.is_folder).map(|(_, entry)| entry.extension()), 10);
    let folders = match folders {
        0 => String::new(),
        some => format!("{}, ", plural(some, "directory", "directories")),
    };
    reading.say_always(format!("{}{within}: {folders}{kinds}", plural(found.len(), "entry", "entries")));
    if found.iter().all(|(_, entry)| entry.parent.is_empty()) {
        let paths: Vec<&str> =
            found.iter().map(|(_, entry)| entry.path.strip_prefix(prefix).unwrap_or(entry.path)).collect();
        let said = by_directory(&paths, 12);
        let said: Vec<String> = said.iter().map(|(at, members)| format!("{at} {}", members.len())).collect();
        if !said.is_empty() {
            reading.say(format!("by directory: {}", said.join(", ")));
        }
    } else {
        let said =
            counted(found.iter().map(|(_, entry)| if entry.parent.is_empty() { "./" } else { entry.parent }), 12);
        reading.say(format!("by directory: {said}"));
    }
    say_extremes(reading, found, prefix);
    prefix
}

fn say_extremes(reading: &mut Reading, found: &[(usize, Entry<'_>)], prefix: &str) {
    let name = |entry: &Entry<'_>| entry.path.strip_prefix(prefix).unwrap_or(entry.path).to_owned();
    let sized: Vec<&Entry<'_>> =
        found.iter().map(|(_, entry)| entry).filter(|entry| !entry.is_folder && entry.size.is_some()).collect();
    let mut said = Vec::new();
    if let Some(largest) = sized.iter().max_by_key(|entry| entry.size) {
        let total: u64 = sized.iter().filter_map(|entry| entry.size).fold(0, u64::saturating_add);
        said.push(format!("{} bytes, largest {} {}", Tokens(total), name(largest), largest.written));
    }
    let dated: Vec<&Entry<'_>> = found.iter().map(|(_, entry)| entry).filter(|entry| entry.when.is_some()).collect();
    let newest = dated.iter().max_by_key(|entry| entry.when);
    let oldest = dated.iter().min_by_key(|entry| entry.when);
    if let (Some(newest), Some(oldest)) = (newest, oldest) {
        said.push(format!("newest {} {}, oldest {}", name(newest), newest.date, oldest.date));
    }
    if !said.is_empty() {
        reading.say(said.join("; "));
    }
}

/// `.rs 40, .toml 2`: the most frequent first.
fn counted<'text>(names: impl Iterator<Item = &'text str>, at_most: usize) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let mut ordered: Vec<(&str, usize)> = counts.into_iter().collect();
    ordered.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let rest = ordered.split_off(ordered.len().min(at_most));
    let mut said: Vec<String> =
        ordered.iter().map(|(name, count)| format!("{name} {}", Tokens(*count as u64))).collect();
    if !rest.is_empty() {
        let more: usize = rest.iter().map(|(_, count)| count).sum();
        said.push(format!("{more} in {} others", rest.len()));
    }
    said.join(", ")
}

fn rank(reading: &mut Reading, text: &str, found: &[(usize, Entry<'_>)], prefix: &str, shape: Shape) {
    for (index, entry) in found {
        let Some(piece) = reading.pieces.get_mut(*index) else { continue };
        let path = entry.path.strip_prefix(prefix).unwrap_or(entry.path);
        piece.full = Some(match shape {
            Shape::Long => entry.in_short(path),
            Shape::Sizes | Shape::Paths => piece.text(text).replacen(prefix, "", usize::from(!prefix.is_empty())),
            Shape::Tree => piece.text(text).trim_end().to_owned(),
        });
        let dots = matches!(path.trim_end_matches('/'), "." | ".." | "");
        piece.rank = match (dots, entry.is_folder) {
            (true, _) => Rank::Told,
            (false, true) => Rank::Telling(1),
            (false, false) => Rank::Ordinary,
        };
    }
    if shape == Shape::Sizes {
        let mut largest: Vec<&(usize, Entry<'_>)> = found.iter().collect();
        largest.sort_by_key(|(_, entry)| std::cmp::Reverse(entry.size));
        largest.into_iter().take(LARGEST).for_each(|(index, _)| reading.raise(*index, Rank::Telling(0)));
    }
    let mut odd = odd_files(found);
    odd.sort_unstable();
    odd.dedup();
    for index in odd {
        let entry = found.iter().find(|(at, _)| *at == index).map(|(_, entry)| entry);
        if let (Some(piece), Some(entry)) = (reading.pieces.get_mut(index), entry) {
            let path = match entry.parent.trim_end_matches('/') {
                "" => entry.path.to_owned(),
                parent => format!("{parent}/{}", entry.path),
            };
            piece.full = match shape {
                Shape::Long => Some(entry.in_short(&path)),
                Shape::Sizes => None,
                Shape::Tree | Shape::Paths => Some(path),
            };
        }
        reading.raise(index, Rank::Finding(Finding::Outlier));
    }
}

/// Files unlike the others: by extension, by size, by mode, by name.
fn odd_files(found: &[(usize, Entry<'_>)]) -> Vec<usize> {
    let files: Vec<&(usize, Entry<'_>)> = found.iter().filter(|(_, entry)| !entry.is_folder).collect();
    if files.len() < ENOUGH {
        return Vec::new();
    }
    let few = (files.len() / 20).clamp(1, ODD);
    let mut odd = rare_extensions(&files);
    odd.extend(rare(&files, few, |entry| (!entry.mode.is_empty()).then_some(entry.mode)));
    odd.extend(far_larger(&files));
    let mut sizes: Vec<u64> = files.iter().filter_map(|(_, entry)| entry.size).collect();
    sizes.sort_unstable();
    if let Some(median) = sizes.get(sizes.len() / 2).copied().filter(|median| *median > 0) {
        let huge = |size: u64| size / median >= 50 && size > 100_000;
        let unusual = |entry: &Entry<'_>| entry.size.is_some_and(|size| size == 0 || huge(size));
        let indices: Vec<usize> = files.iter().filter(|(_, entry)| unusual(entry)).map(|(index, _)| *index).collect();
        odd.extend(indices.iter().copied().filter(|_| indices.len() <= few.max(2)));
    }
    let names: Vec<&str> = files.iter().map(|(_, entry)| entry.path).collect();
    odd.extend(
        odd_ones(&names).into_iter().take(ODD).filter_map(|position| files.get(position)).map(|(index, _)| *index),
    );
    odd
}

/// The files whose extension, or lack of one, hardly any other has.
fn rare_extensions(files: &[&(usize, Entry<'_>)]) -> Vec<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    files.iter().for_each(|(_, entry)| *counts.entry(entry.extension()).or_default() += 1);
    let few = (files.len() / 50).clamp(1, 2);
    let is_rare = |entry: &Entry<'_>| counts.get(entry.extension()).is_some_and(|count| *count <= few);
    let rare: Vec<usize> = files.iter().filter(|(_, entry)| is_rare(entry)).map(|(index, _)| *index).collect();
    // Where every file has its own, that says nothing.
    if rare.len() * 6 > files.len() { Vec::new() } else { rare.into_iter().take(RARE_EXTENSIONS).collect() }
}

/// The few files between whose sizes and all other sizes there is a gap. A directory is as large as what is in it.
fn far_larger(files: &[&(usize, Entry<'_>)]) -> Vec<usize> {
    let mut sized: Vec<(u64, usize)> = files.iter().filter_map(|(index, entry)| Some((entry.size?, *index))).collect();
    sized.sort_unstable_by(|one, other| other.cmp(one));
    let median = sized.get(sized.len() / 2).map_or(0, |(size, _)| *size).max(1);
    let size = |position: usize| sized.get(position).map_or(0, |(size, _)| *size);
    let gap = (1..=ODD).rev().find(|count| {
        let (last, next) = (size(count - 1), size(*count));
        last / median >= 20 && last / next.max(1) >= 4
    });
    sized.iter().take(gap.unwrap_or_default()).map(|(_, index)| *index).collect()
}

/// The files whose property few share, where most share one.
fn rare<'text>(
    files: &[&(usize, Entry<'text>)],
    few: usize,
    property: impl Fn(&Entry<'text>) -> Option<&'text str>,
) -> Vec<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    files.iter().filter_map(|(_, entry)| property(entry)).for_each(|value| *counts.entry(value).or_default() += 1);
    let most = counts.values().max().copied().unwrap_or_default();
    if most * 10 < files.len() * 8 {
        return Vec::new();
    }
    let is_rare = |entry: &Entry<'text>| {
        property(entry).is_some_and(|value| counts.get(value).is_some_and(|count| *count <= few))
    };
    let rare: Vec<usize> = files.iter().filter(|(_, entry)| is_rare(entry)).map(|(index, _)| *index).collect();
    if rare.len() <= few * 2 { rare } else { Vec::new() }
}

#[cfg(test)]
mod tests;
