//! Histories of commits: how many by whom and when, and the commits unlike all others.

mod blame;
mod commit;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::log::Times;
use super::odd::odd_ones;
use super::outliers::{Cell, Column, summarize};
use super::place::plural;
use super::reading::{Finding, Layout, Piece, Rank, Reading, Unit, lines};
use super::{Effort, OutputKind, ToolOutput};
use commit::Commit;

/// What `git log` with or without `--stat`, `--oneline`, `--graph`, `git reflog` and `git blame` show.
pub struct History;

/// Fewer commits are read at a glance.
const ENOUGH: usize = 8;
/// So many of the newest are shown while there is room.
const NEWEST: usize = 6;
/// Named at most: authors, sorts of commits.
const NAMED: usize = 5;
/// Files named at most.
const NAMED_FILES: usize = 3;
/// Commits unlike the others, of each sort.
const ODD: usize = 3;
/// Of a commit that is nothing special, so many characters.
const SUBJECT_CHARS: usize = 110;

impl OutputKind for History {
    fn name(&self) -> &'static str {
        "history"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        if let Some(reading) = blame::read(text) {
            return Some(reading);
        }
        let first = text.lines().find(|line| !line.trim().is_empty())?;
        commit::opening(first)?;
        let spans: Vec<_> = lines(text).collect();
        let commits = commit::commits(text, &spans)?;
        if commits.len() < ENOUGH {
            return None;
        }
        let mut reading = Reading::empty(Unit::Line);
        (reading.layout, reading.ends) = (Layout::Bare, false);
        say(&mut reading, &commits);
        reading.pieces = commits.iter().enumerate().map(|(at, commit)| piece(at, commit)).collect();
        for (at, why) in odd(&commits) {
            if let Some(piece) = reading.pieces.get_mut(at) {
                piece.rank = Rank::Finding(Finding::Outlier);
                let said = commits.get(at).map(Commit::whole).unwrap_or_default();
                piece.full = Some(if why.is_empty() { said } else { format!("{said} [{why}]") });
            }
        }
        Some(reading)
    }
}

fn piece(at: usize, commit: &Commit<'_>) -> Piece {
    let rank = match at {
        // Where the history stands.
        0 => Rank::Frame,
        _ if commit.subject.starts_with("Revert") => Rank::Telling(0),
        1..NEWEST => Rank::Telling(1),
        _ => Rank::Ordinary,
    };
    let full = Some(super::cut_to_chars(&commit.short(), SUBJECT_CHARS));
    Piece { units: commit.lines, full, ..Piece::ordinary(commit.span.clone()).ranked(rank) }
}

/// `60 commits, 2025-01-02–2025-03-04, by Ann 51, Bob 9`
fn say(reading: &mut Reading, commits: &[Commit<'_>]) {
    let mut times = Times::default();
    for commit in commits.iter().filter(|commit| !commit.date.is_empty()) {
        times.add(commit.date);
    }
    let span = times.say().map(|span| format!(", {span}")).unwrap_or_default();
    let authors = counted(commits.iter().map(|commit| commit.author), NAMED);
    let authors = if authors.is_empty() { String::new() } else { format!(", by {authors}") };
    let (added, removed) = commits.iter().fold((0, 0), |sum, commit| (sum.0 + commit.added, sum.1 + commit.removed));
    let changed = if added + removed > 0 { format!(", +{added} −{removed}") } else { String::new() };
    reading.say_always(format!("{}{span}{authors}{changed}", plural(commits.len(), "commit", "commits")));
    let sorts: Vec<&str> = commits.iter().map(Commit::sort).filter(|sort| !sort.is_empty()).collect();
    if sorts.len() * 2 > commits.len() {
        reading.say(format!("sorts: {}", counted(sorts.into_iter(), NAMED)));
    }
    let files = commits.iter().flat_map(|commit| commit.files.iter().copied());
    if files.clone().next().is_some() {
        reading.say(format!("most often changed: {}", counted(files, NAMED_FILES)));
    }
}

/// `Ann 51, Bob 9, 3 others`: the most frequent first.
fn counted<'text>(names: impl Iterator<Item = &'text str>, at_most: usize) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    names.filter(|name| !name.is_empty()).for_each(|name| *counts.entry(name).or_default() += 1);
    let mut ordered: Vec<(&str, usize)> = counts.into_iter().collect();
    ordered.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let rest = ordered.split_off(ordered.len().min(at_most));
    let mut said: Vec<String> = ordered.iter().map(|(name, count)| format!("{name} {count}")).collect();
    if !rest.is_empty() {
        said.push(format!("{} others", rest.len()));
    }
    said.join(", ")
}

/// The commits unlike all others, and why.
fn odd(commits: &[Commit<'_>]) -> Vec<(usize, String)> {
    let mut odd: BTreeMap<usize, String> = BTreeMap::new();
    let rare = rare_ones(commits, |commit| vec![commit.author]);
    odd.extend(rare.into_iter().map(|(at, _)| (at, String::new())));
    let sizes: Vec<String> = commits.iter().map(|commit| (commit.added + commit.removed).to_string()).collect();
    let cells = sizes.iter().map(|size| Cell::of_text(size)).collect();
    let far = summarize(&Column { name: String::new(), cells }).unlike;
    odd.extend(far.into_iter().take(ODD).map(|unlike| (unlike.row, String::new())));
    for part in [directory, extension] {
        for (at, rare) in rare_ones(commits, |commit| commit.files.iter().map(|file| part(file)).collect()) {
            let file = commits.get(at).and_then(|commit| commit.files.iter().find(|file| part(file) == rare));
            odd.insert(at, file.copied().unwrap_or_default().to_owned());
        }
    }
    let subjects: Vec<&str> = commits.iter().map(|commit| commit.subject).collect();
    let unlike = odd_ones(&subjects);
    odd.extend(unlike.into_iter().take(ODD).map(|at| (at, String::new())));
    odd.into_iter().collect()
}

/// The commits with something that no other has, where nearly all have what others have too. Says what it is.
fn rare_ones<'text>(commits: &[Commit<'text>], of: impl Fn(&Commit<'text>) -> Vec<&'text str>) -> Vec<(usize, String)> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let sets: Vec<HashSet<&str>> = commits.iter().map(|commit| of(commit).into_iter().collect()).collect();
    sets.iter().flatten().for_each(|value| *counts.entry(value).or_default() += 1);
    let single = |set: &HashSet<&'text str>| -> Option<String> {
        let mut alone: Vec<&str> = set.iter().copied().filter(|value| counts.get(value) == Some(&1)).collect();
        alone.sort_unstable();
        Some(alone.first().filter(|value| !value.is_empty())?.to_string())
    };
    let found: Vec<(usize, String)> =
        sets.iter().enumerate().filter_map(|(at, set)| Some((at, single(set)?))).collect();
    if commits.len() >= 2 * ENOUGH && found.len() <= ODD { found } else { Vec::new() }
}

fn directory(path: &str) -> &str {
    path.rfind('/').and_then(|slash| path.get(..=slash)).unwrap_or("./")
}

fn extension(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rfind('.').and_then(|dot| name.get(dot..)).unwrap_or(name)
}

#[cfg(test)]
mod tests;
