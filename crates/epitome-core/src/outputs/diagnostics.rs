//! Compilers and linters: every error with its message and place, the same message in many places told once.

mod item;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::place::{common_directory, plural};
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, build, events, prefixed};
use item::{Item, Severity};

/// What compilers, type checkers and linters print.
pub struct Diagnostics;

/// Lines looked at to see whether this is a compiler's.
const SAMPLE: usize = 120;
/// Messages of one sort are placed one by one up to this number.
const PLACES: usize = 6;
/// Of a sort with more of them, so many places are named.
const FIRST_PLACES: usize = 4;
/// More sorts than this of the same rule differ only in names that their tool does not quote.
const SORTS_OF_A_RULE: usize = 6;

impl OutputKind for Diagnostics {
    fn name(&self) -> &'static str {
        "compiler output"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        read_lines(&output.text).or_else(|| prefixed::read(&output.text, read_lines))
    }
}

fn read_lines(text: &str) -> Option<Reading> {
    if !looks_like_diagnostics(text) {
        return None;
    }
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
    let lines: Vec<&str> = reading.pieces.iter().map(|piece| piece.text(text)).collect();
    let (items, mut parts) = item::items(&lines);
    for (part, line) in parts.iter_mut().zip(&lines) {
        // What follows the last message may be another program that says that this one failed.
        if *part == Part::Help && !line.starts_with([' ', '\t']) && events::is_error(line) {
            *part = Part::Other;
        }
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let known = parts.iter().filter(|part| !matches!(part, Part::Other | Part::Blank)).count();
    if items.is_empty() || known * 10 < filled * 4 {
        return None;
    }
    for (piece, part) in reading.pieces.iter_mut().zip(&parts) {
        piece.rank = match part {
            Part::Item | Part::Frame | Part::Blank | Part::Heading | Part::Step => Rank::Told,
            Part::Help => Rank::Telling(1),
            Part::Total => Rank::Frame,
            Part::Other => Rank::Ordinary,
        };
    }
    let groups = grouped(&items);
    rank_help(&mut reading, text, &parts, &groups);
    let directory = common_directory(items.iter().map(|item| item.path));
    say_totals(&mut reading, &items, groups.len(), directory);
    for group in &groups {
        tell(&mut reading, text, group, directory);
    }
    let end = reading.pieces.len();
    events::mark_where(&mut reading, text, 0..end, |index| parts.get(index) == Some(&Part::Other));
    Some(reading)
}

/// Whether a line is a message of a compiler, with its place: `a.go:12:3: undefined: x`.
pub(super) fn is_message(line: &str) -> bool {
    item::in_one_line(line)
}

/// A message without what is quoted and counted in it.
pub(super) fn skeleton(message: &str) -> String {
    item::split(message).0
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A message with a place.
    Item,
    /// The source around it.
    Frame,
    /// More words of a message.
    Help,
    /// The file that the messages below are of.
    Heading,
    /// `Found 3 errors`
    Total,
    /// `Checking foo v0.1`
    Step,
    Blank,
    Other,
}

fn looks_like_diagnostics(text: &str) -> bool {
    let count = text.lines().take(20_000).count();
    let step = (count / SAMPLE).max(1);
    let (mut seen, mut found, mut known) = (0usize, 0usize, 0usize);
    for (index, line) in text.lines().take(20_000).enumerate() {
        if index >= 40 && index % step != 0 {
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        seen += 1;
        let is_item = item::opens(line);
        found += usize::from(is_item);
        known += usize::from(is_item || item::is_frame(line) || item::is_total(line) || build::is_step(line));
    }
    found > 0 && known * 2 >= seen && found * 25 >= seen
}

/// What stands below a message is shown with it, the same words once. Below those that are told with another, nothing is.
fn rank_help(reading: &mut Reading, text: &str, parts: &[Part], groups: &[Group<'_>]) {
    let members: HashMap<usize, usize> = groups.iter().map(|group| (group.first, group.members.len())).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut rank = Rank::Telling(1);
    for (index, (piece, part)) in reading.pieces.iter_mut().zip(parts).enumerate() {
        match part {
            Part::Item => {
                rank = match members.get(&index) {
                    Some(1) => Rank::Telling(0),
                    Some(_) => Rank::Telling(1),
                    None => Rank::Told,
                }
            }
            Part::Help if seen.insert(piece.text(text)) => piece.rank = rank,
            Part::Help => piece.rank = Rank::Told,
            Part::Frame | Part::Heading | Part::Total | Part::Step | Part::Blank | Part::Other => {}
        }
    }
}

/// Items that say the same of different places.
struct Group<'text> {
    first: usize,
    members: Vec<&'text Item<'text>>,
}

fn grouped<'text>(items: &'text [Item<'text>]) -> Vec<Group<'text>> {
    let mut groups: Vec<Group<'text>> = Vec::new();
    let mut known: HashMap<(Severity, &str, String), usize> = HashMap::new();
    for item in items {
        let name = (item.severity, item.code, item.skeleton());
        let index = *known.entry(name).or_insert_with(|| {
            groups.push(Group { first: item.line, members: Vec::new() });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(index) {
            group.members.push(item);
        }
    }
    merged(groups)
}

/// What a rule says of one name after the other, without quoting them (`undefined: x`), is one sort.
fn merged<'text>(groups: Vec<Group<'text>>) -> Vec<Group<'text>> {
    let rule = |group: &Group<'text>| {
        let first = group.members.first().filter(|_| group.members.len() < FIRST_PLACES)?;
        let opening = if first.code.is_empty() { first.opening() } else { String::new() };
        Some((first.severity, first.code, opening))
    };
    let mut sorts: HashMap<(Severity, &str, String), usize> = HashMap::new();
    groups.iter().filter_map(rule).for_each(|rule| *sorts.entry(rule).or_default() += 1);
    let mut kept: Vec<Group<'_>> = Vec::new();
    let mut known: HashMap<(Severity, &str, String), usize> = HashMap::new();
    for group in groups {
        let rule = rule(&group).filter(|rule| sorts.get(rule).is_some_and(|sorts| *sorts > SORTS_OF_A_RULE));
        let Some(rule) = rule else {
            kept.push(group);
            continue;
        };
        let index = *known.entry(rule).or_insert(kept.len());
        match kept.get_mut(index) {
            Some(first) => first.members.extend(group.members),
            None => kept.push(group),
        }
    }
    kept
}

fn say_totals(reading: &mut Reading, items: &[Item<'_>], sorts: usize, directory: &str) {
    let count = |severity: Severity| items.iter().filter(|item| item.severity == severity).count();
    let mut said = Vec::new();
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        let number = count(severity);
        if number > 0 {
            said.push(plural(number, one, many));
        }
    }
    let files: BTreeSet<&str> = items.iter().map(|item| item.path).collect();
    let files = plural(files.len(), "file", "files");
    let sorts = if sorts < items.len() { format!(", {sorts} different") } else { String::new() };
    let within = if directory.is_empty() { String::new() } else { format!(" under {directory}") };
    reading.say_always(format!("{} in {files}{within}{sorts}", said.join(", ")));
}

fn tell(reading: &mut Reading, text: &str, group: &Group<'_>, directory: &str) {
    let Some(first) = group.members.first() else { return };
    let path = first.path.strip_prefix(directory).unwrap_or(first.path);
    let rank = match first.severity {
        Severity::Error => Rank::Finding(Finding::Error),
        Severity::Warning => Rank::Finding(Finding::Warning),
        Severity::Note => Rank::Telling(0),
    };
    let head = match (first.code, first.severity.word()) {
        ("", word) => word.to_owned(),
        (code, word) => format!("{word} {code}"),
    };
    let Some(piece) = reading.pieces.get_mut(group.first) else { return };
    let line = piece.text(text).trim();
    let message = first.message();
    piece.full = if group.members.len() > 1 {
        let places = places(&group.members, directory);
        Some(format!("{head} ×{}: {message}: {places}", group.members.len()))
    } else if line.contains(first.path) {
        // As the tool wrote it, so that it can be looked for.
        None
    } else {
        let label = message.rsplit_once(" (").map(|(_, label)| label).filter(|label| !line.contains(*label));
        let label = label.map(|label| format!(" ({label}")).unwrap_or_default();
        Some(format!("{line} --> {path}{}{label}", first.at))
    };
    piece.rank = rank;
}

/// `a.ts 10:5, 12:3 'x'; b.ts 1:1; +20 more in 3 files`: the places, with what the message says otherwise there.
fn places(members: &[&Item<'_>], directory: &str) -> String {
    let limit = if members.len() > PLACES { FIRST_PLACES } else { PLACES };
    let usual = members.first().map(|item| item.values()).unwrap_or_default();
    let mut files: BTreeMap<usize, (&str, Vec<String>)> = BTreeMap::new();
    let mut order: HashMap<&str, usize> = HashMap::new();
    let mut seen: BTreeSet<(&str, String)> = BTreeSet::new();
    for item in members.iter().take(limit) {
        let next = order.len();
        let at = *order.entry(item.path).or_insert(next);
        let place = format!("{}{}", item.at, otherwise(&item.values(), &usual));
        // A project built twice says everything twice.
        if seen.insert((item.path, place.clone())) {
            files.entry(at).or_insert_with(|| (item.path, Vec::new())).1.push(place);
        }
    }
    let short = |path: &str| path.strip_prefix(directory).unwrap_or(path).to_owned();
    let mut said: Vec<String> =
        files.into_values().map(|(path, places)| format!("{}{}", short(path), places.join(", "))).collect();
    let more: BTreeSet<&str> = members.iter().skip(limit).map(|item| item.path).collect();
    if !more.is_empty() {
        said.push(format!("+{} more in {}", members.len() - limit, plural(more.len(), "file", "files")));
    }
    said.join("; ")
}

/// The values in which a message differs from the usual one.
fn otherwise(values: &[String], usual: &[String]) -> String {
    let differs = |position: usize, value: &String| usual.get(position) != Some(value) || values.len() != usual.len();
    let other = values.iter().enumerate().filter(|(position, value)| differs(*position, value));
    other.map(|(_, value)| format!(" {value}")).collect()
}

#[cfg(test)]
mod tests;
