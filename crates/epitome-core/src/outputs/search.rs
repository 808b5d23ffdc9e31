//! Search hits: how many in which files, definitions, hits unlike all others, and one example of each kind of hit.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::columns::unlike_in_a_column;
use super::odd::{Shapes, odd_in_shape, odd_ones};
use super::place::{Form, common_directory, counted_paths, is_path, placed, plural};
use super::reading::{Events, Finding, Layout, Rank, Reading, Section};
use super::template::template_id;
use super::{Effort, OutputKind, ToolOutput, events};

/// What `grep`, `rg` and the search tools of agents answer.
pub struct Search;

/// Lines looked at to see whether this is a search.
const SAMPLE: usize = 60;
/// Files named with their number of hits.
const NAMED_FILES: usize = 8;
/// Of a hit that is nothing special, so much is shown.
const HIT_CHARS: usize = 120;
/// So many hits that differ in names only are told by an example.
const LIKE_IT: usize = 5;
/// Hits unlike the others are kept up to this number.
const ODD_HITS: usize = 8;
/// A text found so often is shown once.
const REPEATED: usize = 3;

impl OutputKind for Search {
    fn name(&self) -> &'static str {
        "search hits"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        let searched = searches(&output.tool, &output.arguments);
        if !looks_like_hits(text, searched) {
            return None;
        }
        let mut reading = Reading::of_lines(text);
        (reading.layout, reading.events, reading.ends) = (Layout::Bare, Events::Quiet, false);
        let lines = classify(&reading, text);
        let hits: Vec<(usize, Hit<'_>)> = lines
            .iter()
            .enumerate()
            .filter_map(|(index, line)| match line {
                Line::Hit(hit) => Some((index, *hit)),
                Line::Context | Line::Heading | Line::Total | Line::Other => None,
            })
            .collect();
        let known = lines.iter().filter(|line| !matches!(line, Line::Other)).count();
        let filled = reading.pieces.iter().filter(|piece| piece.rank != Rank::Told).count();
        if hits.len() < if searched { 1 } else { 2 } || known * 10 < filled * 6 {
            return None;
        }
        let directory = say_files(&mut reading, &hits, &lines);
        rank_hits(&mut reading, text, &hits, directory);
        rank_rest(&mut reading, text, &lines, hits.len());
        reading.sections = sections(&hits);
        let strays: Vec<usize> =
            (0..lines.len()).filter(|index| matches!(lines.get(*index), Some(Line::Other))).collect();
        let end = reading.pieces.len();
        events::mark_where(&mut reading, text, 0..end, |index| strays.binary_search(&index).is_ok());
        events::keep_strays(&mut reading, text, &output.arguments, &strays);
        Some(reading)
    }
}

#[derive(Debug, Clone, Copy)]
struct Hit<'text> {
    /// Empty where one file was searched.
    path: &'text str,
    /// The number of the line; with a count, nothing.
    at: &'text str,
    found: &'text str,
}

#[derive(Debug, Clone, Copy)]
enum Line<'text> {
    Hit(Hit<'text>),
    /// A line around a hit, or what separates two.
    Context,
    /// The file that the hits below are in.
    Heading,
    /// `Found 27 matches`
    Total,
    Other,
}

/// Whether the call says that it searches.
fn searches(tool: &str, arguments: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    let words = arguments.split(|c: char| !c.is_alphanumeric());
    ["grep", "rg", "search", "codesearch", "ripgrep", "ag"].contains(&tool.as_str())
        || words.take(40).any(|word| matches!(word, "grep" | "rg" | "egrep" | "fgrep" | "ag" | "ack" | "ripgrep"))
}

fn looks_like_hits(text: &str, searched: bool) -> bool {
    let count = text.lines().take(2_000).count();
    let step = (count / SAMPLE).max(1);
    let (mut seen, mut hits, mut spaced, mut numbered) = (0usize, 0usize, 0usize, 0usize);
    let mut last = 0usize;
    let mut places: HashSet<(&str, &str)> = HashSet::new();
    let mut reports = 0usize;
    for line in text.lines().take(2_000).step_by(step).filter(|line| !line.trim().is_empty() && *line != "--") {
        seen += 1;
        if let Some(found) = placed(line) {
            hits += 1;
            let sentence = found.rest.starts_with(' ') && !found.rest.starts_with("  ");
            spaced += usize::from(sentence && found.form != Form::Dashes);
            places.insert((found.path, found.at));
            reports += usize::from(events::is_error(found.rest));
        } else if line.trim_start().starts_with("Line ") && numbered_line(line).is_some() {
            hits += 1;
        } else if let Some((number, _, _)) = numbered_line(line) {
            // Numbers of one file's lines go up; with headings they begin again.
            numbered += usize::from(number > last || searched);
            last = number;
        } else if is_path(line.trim_end_matches(':')) || counted(line).is_some() {
            numbered += 1;
        }
    }
    let known = hits + numbered;
    // `a.rs:12:5: error: …` is a compiler's, and a program that says from where it speaks does so again and again.
    let reported = reports * 4 > hits || places.len() * 10 < hits * 9;
    let sentences = spaced * 2 > hits && !searched && reported;
    let enough = if searched {
        known * 10 >= seen * 5
    } else {
        hits * 10 >= seen * 8
            || (known == seen && hits * 2 > seen)
            || (numbered > hits && known * 20 >= seen * 19 && hits * 4 > seen)
    };
    seen > 0 && enough && !sentences && (hits > 0 || numbered > 0) && (searched || hits > 0)
}

/// `12:text`, `12-context`, `  Line 12: text`.
fn numbered_line(line: &str) -> Option<(usize, char, &str)> {
    let rest = line.trim_start();
    let indented = rest.len() < line.len();
    let (rest, named) = match rest.strip_prefix("Line ").or(rest.strip_prefix("L")) {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let number = rest.get(..digits)?.parse().ok()?;
    let mark = rest.get(digits..)?.chars().next().filter(|mark| matches!(mark, ':' | '-'))?;
    let text = rest.get(digits + 1..)?;
    (digits <= 7 && (named || !indented || digits + (line.len() - line.trim_start().len()) <= 8))
        .then_some((number, mark, text))
}

/// `path:12`: hits counted.
fn counted(line: &str) -> Option<(&str, &str)> {
    let (path, count) = line.rsplit_once(':')?;
    let digits = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    (digits && is_path(path)).then_some((path, count))
}

fn classify<'text>(reading: &Reading, text: &'text str) -> Vec<Line<'text>> {
    let mut heading = "";
    let one = |line: &'text str| -> Line<'text> {
        if line == "--" || line.trim().is_empty() {
            return Line::Context;
        }
        if let Some((path, count)) = counted(line) {
            return Line::Hit(Hit { path, at: "", found: count });
        }
        if let Some(found) = placed(line) {
            return match found.form {
                Form::Dashes => Line::Context,
                Form::Colons | Form::Brackets => Line::Hit(Hit { path: found.path, at: found.at, found: found.rest }),
            };
        }
        if let Some((_, mark, found)) = numbered_line(line) {
            let at = line.trim_start().trim_start_matches("Line ").trim_start_matches('L');
            let at = at.get(..at.bytes().take_while(u8::is_ascii_digit).count()).unwrap_or_default();
            return if mark == '-' { Line::Context } else { Line::Hit(Hit { path: heading, at, found }) };
        }
        let name = line.trim_end_matches(':');
        if is_path(name) {
            heading = name;
            return Line::Heading;
        }
        let total = line.starts_with("Found ")
            || (line.contains(" match") && line.starts_with(|c: char| c.is_ascii_digit()))
            || line.starts_with("(Results are truncated");
        if total { Line::Total } else { Line::Other }
    };
    reading.pieces.iter().map(|piece| piece.text(text)).map(one).collect()
}

/// Says where the hits are. Returns the directory they are all in.
fn say_files<'text>(reading: &mut Reading, hits: &[(usize, Hit<'text>)], lines: &[Line<'_>]) -> &'text str {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let directory = common_directory(hits.iter().map(|(_, hit)| hit.path));
    let mut total = 0usize;
    for (_, hit) in hits {
        let number = if hit.at.is_empty() { hit.found.parse().unwrap_or(1) } else { 1 };
        total = total.saturating_add(number);
        *counts.entry(hit.path.strip_prefix(directory).unwrap_or(hit.path)).or_default() += number;
    }
    let around = lines.iter().filter(|line| matches!(line, Line::Context)).count();
    let around = if around > hits.len() { format!(" (+ {around} lines around them)") } else { String::new() };
    if counts.len() == 1 && counts.contains_key("") {
        reading.say_always(format!("{}{around}", plural(total, "hit", "hits")));
        return "";
    }
    if let (1, Some((path, _))) = (counts.len(), counts.first_key_value()) {
        reading.say_always(format!("{} in {directory}{path}{around}", plural(total, "hit", "hits")));
        return directory;
    }
    // Few files are named by their whole paths.
    let few = counts.len() <= NAMED_FILES;
    let within = if directory.is_empty() || few { String::new() } else { format!(" under {directory}") };
    let named = if few {
        let mut files: Vec<(&str, usize)> = counts.iter().map(|(path, count)| (*path, *count)).collect();
        files.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let files: Vec<String> = files.iter().map(|(path, count)| format!("{directory}{path} {count}")).collect();
        files.join(", ")
    } else {
        counted_paths(&counts, NAMED_FILES)
    };
    reading.say_always(format!(
        "{} in {}{within}{around}: {named}",
        plural(total, "hit", "hits"),
        plural(counts.len(), "file", "files"),
    ));
    directory
}

fn rank_hits(reading: &mut Reading, text: &str, hits: &[(usize, Hit<'_>)], directory: &str) {
    let texts: Vec<&str> = hits.iter().map(|(_, hit)| hit.found.trim()).collect();
    let ids: Vec<u64> = texts.iter().map(|text| template_id(text)).collect();
    let mut counts: HashMap<u64, usize> = HashMap::new();
    ids.iter().for_each(|id| *counts.entry(*id).or_default() += 1);
    let Shapes { shapes, .. } = Shapes::of(&texts);
    let mut alike: HashMap<u64, usize> = HashMap::new();
    shapes.iter().for_each(|shape| *alike.entry(*shape).or_default() += 1);
    let mut seen: HashMap<u64, usize> = HashMap::new();
    let mut shown: HashMap<u64, ()> = HashMap::new();
    let mut last_path = None;
    for (((index, hit), id), shape) in hits.iter().zip(&ids).zip(&shapes) {
        let Some(piece) = reading.pieces.get_mut(*index) else { continue };
        let found = hit.found.trim();
        let path = hit.path.strip_prefix(directory).unwrap_or(hit.path);
        let at = if path.is_empty() { hit.at.to_owned() } else { format!("{path}:{}", hit.at) };
        let count = counts.get(id).copied().unwrap_or_default();
        let first_of_file = last_path != Some(hit.path);
        last_path = Some(hit.path);
        // A count stands in the fact.
        if hit.at.is_empty() {
            piece.rank = Rank::Told;
            continue;
        }
        piece.full = Some(format!("{at}: {}", super::write::cut_lines(found, HIT_CHARS)));
        let like_it = alike.get(shape).copied().unwrap_or_default();
        let before = seen.entry(*shape).or_default();
        *before += 1;
        if count >= REPEATED {
            let first = shown.insert(*id, ()).is_none();
            piece.rank = if first { Rank::Telling(1) } else { Rank::Told };
            piece.note = first.then(|| format!(" [×{count}]"));
        } else if like_it >= LIKE_IT && *before == 1 {
            piece.rank = Rank::Telling(1);
            piece.note = Some(format!(" [{like_it} like it]"));
        } else {
            piece.rank = if first_of_file { Rank::Telling(2) } else { Rank::Ordinary };
        }
        // Of definitions that are made alike, one or two will do.
        if defines(found) && *before <= 2 {
            piece.rank = piece.rank.min(Rank::Telling(0));
        }
    }
    let mut odd = odd_in_shape(&texts);
    let room = ODD_HITS.saturating_sub(odd.len());
    // `timeout: 0` where all others have 30.
    let mut groups: HashMap<u64, usize> = HashMap::new();
    let grouped = texts.iter().zip(&ids).enumerate().map(|(at, (text, id))| {
        let next = groups.len();
        (at, *groups.entry(*id).or_insert(next), *text)
    });
    let unlike = unlike_in_a_column(grouped);
    odd.extend(odd_ones(&texts).into_iter().chain(unlike).take(room));
    for odd in odd {
        if let Some((index, hit)) = hits.get(odd).filter(|(_, hit)| !hit.at.is_empty()) {
            if let Some(piece) = reading.pieces.get_mut(*index) {
                let place = if hit.path.is_empty() { hit.at.to_owned() } else { format!("{}:{}", hit.path, hit.at) };
                // As it stands, where it names its file.
                let whole = !hit.path.is_empty() && piece.text(text).starts_with(hit.path);
                piece.full = (!whole).then(|| {
                    format!("{place}: {}", super::write::cut_lines(hit.found.trim(), super::write::FINDING_CHARS))
                });
            }
            reading.raise(*index, Rank::Finding(Finding::Outlier));
        }
    }
}

fn rank_rest(reading: &mut Reading, text: &str, lines: &[Line<'_>], hits: usize) {
    let around = lines.iter().filter(|line| matches!(line, Line::Context)).count();
    // With few hits the lines around them are what was asked for.
    let context = if around > hits * 5 { Rank::Ordinary } else { Rank::Told };
    for (piece, line) in reading.pieces.iter_mut().zip(lines) {
        match line {
            Line::Context => {
                piece.rank = piece.rank.max(context);
                // The hit beside it names the file.
                let around = placed(piece.text(text)).filter(|found| found.form == Form::Dashes);
                piece.full = around.map(|found| format!("{}-{}", found.at, found.rest));
            }
            Line::Heading | Line::Total => piece.rank = Rank::Told,
            Line::Hit(_) | Line::Other => {}
        }
    }
}

/// Whether a line defines what was looked for, rather than use it.
fn defines(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "fn",
        "def",
        "class",
        "func",
        "function",
        "struct",
        "enum",
        "trait",
        "interface",
        "type",
        "const",
        "macro_rules!",
        "module",
        "CREATE",
        "create",
    ];
    const BEFORE: &[&str] = &[
        "pub",
        "pub(crate)",
        "pub(super)",
        "export",
        "default",
        "async",
        "public",
        "private",
        "protected",
        "static",
        "abstract",
        "final",
        "unsafe",
        "declare",
    ];
    let mut words = line.split_whitespace().skip_while(|word| BEFORE.contains(word));
    words.next().is_some_and(|word| WORDS.contains(&word)) && words.next().is_some()
}

fn sections(hits: &[(usize, Hit<'_>)]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (index, hit) in hits.iter().filter(|(_, hit)| !hit.path.is_empty()) {
        match sections.last_mut() {
            Some(section) if section.name == hit.path => section.pieces.end = index + 1,
            Some(_) | None => sections.push(Section { name: hit.path.to_owned(), pieces: *index..index + 1 }),
        }
    }
    sections
}

#[cfg(test)]
mod tests;
