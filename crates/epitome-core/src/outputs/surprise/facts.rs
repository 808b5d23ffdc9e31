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
pub(super) fn counts<'text>(lines: impl Iterator<Item = &'text str>) -> Option<String> {
    let (mut filled, mut hits) = (0, 0);
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        filled += 1;
        if let Some(placed) = placed(line) {
            hits += 1;
            *files.entry(placed.path).or_default() += 1;
        }
    }
    let worth = hits >= LINES && hits * 100 >= filled * MOST && files.len() * EACH <= hits;
    worth.then(|| {
        let (lines, of) = (counted(hits as u64, "line"), counted(files.len() as u64, "file"));
        format!("{lines} of {of}: {}", counted_paths(&files, NAMED))
    })
}

/// Levels of logs, the worst first.
const LEVELS: &[&str] =
    &["FATAL", "CRITICAL", "SEVERE", "ERROR", "WARN", "WARNING", "NOTICE", "INFO", "DEBUG", "TRACE"];
/// How far into a line its level stands.
const LEVEL_BYTES: usize = 80;

/// `2 ERROR, 398 INFO`, where most lines have a level.
pub(super) fn levels<'text>(lines: impl Iterator<Item = &'text str>) -> Option<String> {
    let mut counts: Vec<usize> = vec![0; LEVELS.len()];
    let (mut filled, mut found) = (0, 0);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        filled += 1;
        let start = line.get(..line.floor_char_boundary(LEVEL_BYTES)).unwrap_or(line);
        let mut words = start.split(|c: char| !c.is_ascii_alphabetic());
        let level = words.find_map(|word| LEVELS.iter().position(|level| word.eq_ignore_ascii_case(level)));
        if let Some(count) = level.and_then(|level| counts.get_mut(level)) {
            *count += 1;
            found += 1;
        }
    }
    let said: Vec<String> = LEVELS
        .iter()
        .zip(counts)
        .filter(|(_, count)| *count > 0)
        .map(|(level, count)| format!("{} {level}", Tokens(count as u64)))
        .collect();
    (found >= LINES && found * 100 >= filled * MOST && said.len() > 1).then(|| said.join(", "))
}
