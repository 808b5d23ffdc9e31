//! What quoting cannot say: how many lines speak of each file, and how many have each level.

use std::collections::BTreeMap;

use crate::outputs::place::{counted_paths, placed};
use crate::tokens::{Tokens, counted};

/// Of a hundred lines, so many begin with a place.
const MOST: usize = 60;
/// Fewer need not be counted.
const LINES: usize = 20;
/// So many lines speak of each, or counting tells nothing.
const EACH: usize = 3;
/// So many files are named.
const NAMED: usize = 12;

/// `190 lines of 4 files: src/a.rs 70, src/b.rs 33`.
pub(super) fn counts<'text>(lines: &[&'text str]) -> Option<String> {
    let found = most(lines, |line: &&'text str| Some(placed(line)?.path))?;
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    found.iter().for_each(|path| *files.entry(path).or_default() += 1);
    (files.len() * EACH <= found.len()).then(|| {
        let (lines, of) = (counted(found.len() as u64, "line"), counted(files.len() as u64, "file"));
        format!("{lines} of {of}: {}", counted_paths(&files, NAMED))
    })
}

/// What is found in lines, if it is found in most of them.
fn most<'text, Found>(lines: &[&'text str], find: impl Fn(&&'text str) -> Option<Found>) -> Option<Vec<Found>> {
    let mut without = lines.len() * (100 - MOST) / 100;
    let mut found = Vec::new();
    for line in lines {
        match find(line) {
            Some(it) => found.push(it),
            None => without = without.checked_sub(1)?,
        }
    }
    (found.len() >= LINES).then_some(found)
}

/// Levels of logs, the worst first.
const LEVELS: &[&str] =
    &["FATAL", "CRITICAL", "SEVERE", "ERROR", "WARN", "WARNING", "NOTICE", "INFO", "DEBUG", "TRACE"];
/// How far into a line its level stands.
const LEVEL_BYTES: usize = 80;

/// `2 ERROR, 398 INFO`, where most lines have a level.
pub(super) fn levels(lines: &[&str]) -> Option<String> {
    let level = |line: &&str| {
        let start = line.get(..line.floor_char_boundary(LEVEL_BYTES)).unwrap_or(line);
        let mut words = start.split(|c: char| !c.is_ascii_alphabetic());
        words.find_map(|word| LEVELS.iter().position(|level| word.eq_ignore_ascii_case(level)))
    };
    let found = most(lines, level)?;
    let count = |level: usize| found.iter().filter(|found| **found == level).count();
    let counts = LEVELS.iter().enumerate().map(|(at, level)| (count(at), level)).filter(|(count, _)| *count > 0);
    let said: Vec<String> = counts.map(|(count, level)| format!("{} {level}", Tokens(count as u64))).collect();
    (said.len() > 1).then(|| said.join(", "))
}
