//! Finds what lines of a log have in common: lines that say the same of different things are one group.
//!
//! Numbers and ids are taken out of a line first; groups of lines with the same number of words are then joined where
//! most words are the same, and the words that differ become `*`.

use std::collections::HashMap;

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::super::reading::Finding;
use super::super::template::template;
use super::line::Weight;

/// Groups that a line is compared with before it gets its own.
const COMPARED: usize = 32;
/// Longer lines are compared by their beginning.
const WORDS_AT_MOST: usize = 40;

/// A word that takes so many values among errors that are the same otherwise is a value.
const VALUES_OF_A_WORD: usize = 8;
/// Errors with fewer words have none to spare.
const WORDS_WITH_A_VALUE: usize = 4;

/// Words of a long message.
const LONG: usize = 12;

/// How like each other lines of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// They differ in values only: numbers, ids, hosts, quoted names, what stands behind `key=`.
    Strict,
    /// They differ in values, paths too; long messages may differ in a word or two.
    Same,
    /// Most of their words are the same.
    Alike,
    /// They differ in numbers and ids only. The cheapest to find.
    Masked,
}

impl Likeness {
    /// What lines of one group have in common whatever their values are.
    fn bucket(self, words: &[&str]) -> u64 {
        let first = words.first().copied().unwrap_or_default();
        match self {
            // All words that are no values.
            Likeness::Strict => {
                let plain = words.iter().enumerate().filter(|(_, word)| is_plain(word));
                let hash = |(at, word): (usize, &&str)| xxh3_64_with_seed(word.as_bytes(), at as u64);
                plain.map(hash).fold(0, u64::wrapping_add)
            }
            // `node07` and `node12` may begin like lines.
            Likeness::Alike => xxh3_64(first.chars().filter(|c| !c.is_ascii_digit()).collect::<String>().as_bytes()),
            Likeness::Same | Likeness::Masked => xxh3_64(first.as_bytes()),
        }
    }
}

/// Puts lines into groups.
#[derive(Debug)]
pub(crate) struct Miner {
    likeness: Likeness,
    groups: Vec<Group>,
    by_mask: HashMap<u64, usize>,
    buckets: HashMap<(usize, u64), Vec<usize>>,
}

/// Lines that say the same of different things.
#[derive(Debug)]
pub(crate) struct Group {
    words: Vec<String>,
    /// Which of them were numbers or ids so far.
    valued: Vec<bool>,
    /// How many lines.
    pub(crate) count: usize,
}

impl Miner {
    pub(crate) fn new(likeness: Likeness) -> Miner {
        Miner { likeness, groups: Vec::new(), by_mask: HashMap::new(), buckets: HashMap::new() }
    }

    /// The group of a line.
    pub(crate) fn add(&mut self, line: &str) -> usize {
        let mask = template(line);
        let id = xxh3_64(mask.as_bytes());
        let group = match self.by_mask.get(&id) {
            Some(known) => *known,
            None => {
                // Numbers of other lengths in a column leave other gaps.
                let spaced = xxh3_64(mask.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes());
                let group = self.by_mask.get(&spaced).copied().unwrap_or_else(|| self.place(&mask));
                self.by_mask.extend([(id, group), (spaced, group)]);
                group
            }
        };
        if let Some(group) = self.groups.get_mut(group) {
            group.count += 1;
        }
        group
    }

    /// All groups, in the order of their first lines.
    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn place(&mut self, mask: &str) -> usize {
        let words: Vec<&str> = mask.split_whitespace().take(WORDS_AT_MOST).collect();
        let bucket = self.buckets.entry((words.len(), self.likeness.bucket(&words))).or_default();
        if self.likeness != Likeness::Masked {
            for at in bucket.iter().take(COMPARED) {
                let Some(group) = self.groups.get_mut(*at) else { continue };
                if group.is_like(&words, self.likeness) {
                    group.join(&words);
                    return *at;
                }
            }
        }
        let valued = words.iter().map(|word| *word == "#").collect();
        let words = words.into_iter().map(|word| word.replace('#', "*")).collect();
        self.groups.push(Group { words, valued, count: 0 });
        bucket.push(self.groups.len() - 1);
        self.groups.len() - 1
    }
}

/// Finds repeats among errors and warnings: errors are the same only if their words are, warnings if most are.
#[derive(Debug)]
pub(crate) struct Repeats {
    errors: Miner,
    warnings: Miner,
    /// The miners' groups, in the order of their first lines.
    groups: HashMap<(bool, usize), usize>,
}

impl Default for Repeats {
    fn default() -> Repeats {
        Repeats::new(Likeness::Strict, Likeness::Same)
    }
}

impl Repeats {
    pub(crate) fn new(errors: Likeness, warnings: Likeness) -> Repeats {
        Repeats { errors: Miner::new(errors), warnings: Miner::new(warnings), groups: HashMap::new() }
    }

    /// The group of a line.
    pub(crate) fn add(&mut self, finding: Finding, line: &str) -> usize {
        // `level=warning msg="failed to …"`: what went wrong was not so bad.
        let level = super::line::Line::of(line).level;
        let warns = finding == Finding::Warning || level.is_some_and(|level| level.weight == Weight::Warning);
        let group = if warns { self.warnings.add(line) } else { self.errors.add(line) };
        let next = self.groups.len();
        *self.groups.entry((warns, group)).or_insert(next)
    }

    /// Which groups are one after all: a word that takes many values is a value (`user ann not found`).
    pub(crate) fn finish(&self) -> OneOf {
        // Each group without one of its words, and without its paths: sorted, those that are alike stand together.
        let mut left: Vec<(usize, u64, usize)> = Vec::new();
        for (at, group) in self.errors.groups.iter().enumerate() {
            if group.words.len() >= WORDS_WITH_A_VALUE {
                group.without_a_word(|position, others| left.push((position, others, at)));
            }
        }
        left.sort_unstable();
        let runs = left.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1));
        let mut runs: Vec<Vec<usize>> = runs
            .filter(|run| run.len() >= VALUES_OF_A_WORD)
            .map(|run| run.iter().map(|(_, _, group)| *group).collect())
            .collect();
        runs.sort();
        let mut joined: HashMap<usize, usize> = HashMap::new();
        for run in runs {
            let first = run.iter().filter_map(|group| joined.get(group)).min().or(run.first()).copied();
            for (group, first) in run.iter().zip(std::iter::repeat(first)).filter_map(|(group, of)| Some((group, of?)))
            {
                joined.entry(*group).or_insert(first);
            }
        }
        let of = |group: usize| self.groups.get(&(false, group)).copied();
        OneOf(joined.into_iter().filter_map(|(group, first)| Some((of(group)?, of(first)?))).collect())
    }
}

/// The group that stands for each.
pub(crate) struct OneOf(HashMap<usize, usize>);

impl OneOf {
    pub(crate) fn of(&self, group: usize) -> usize {
        self.0.get(&group).copied().unwrap_or(group)
    }
}

impl Group {
    /// The words, with `*` for what differs.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut last = "";
        for word in self.words.iter().map(String::as_str).filter(|word| !word.is_empty()) {
            if word == "*" && last == "*" {
                continue;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word);
            last = word;
        }
        text
    }

    /// Names what is left of it without each of its words, and without all its paths.
    fn without_a_word(&self, mut name: impl FnMut(usize, u64)) {
        let length = (self.words.len() as u64) << 8;
        let hash = |(position, word): (usize, &String)| xxh3_64_with_seed(word.as_bytes(), position as u64 + length);
        let hashes: Vec<u64> = self.words.iter().enumerate().map(hash).collect();
        let all = hashes.iter().copied().fold(0, u64::wrapping_add);
        for (position, own) in hashes.iter().enumerate() {
            name(position, all.wrapping_sub(*own));
        }
        // Paths that differ in many errors are values too.
        let path = |word: &str| word.bytes().filter(|byte| *byte == b'/').count() > 1;
        let paths = self.words.iter().zip(&hashes).filter(|(word, _)| path(word)).map(|(_, hash)| *hash);
        name(usize::MAX, all.wrapping_sub(paths.fold(0, u64::wrapping_add)));
    }

    fn is_like(&self, words: &[&str], likeness: Likeness) -> bool {
        let strict = likeness == Likeness::Strict;
        let alike = likeness == Likeness::Alike;
        // Most groups are told apart by their first words: no need to look at the rest.
        let too_many = match likeness {
            // A long message with another word or two in it is the same message.
            Likeness::Same if words.len() >= LONG => words.len() / 6 + 1,
            Likeness::Masked | Likeness::Strict | Likeness::Same => 1,
            Likeness::Alike => words.len() * 2 / 5 + 1,
        };
        let mut different = 0;
        let mut same = 0;
        // Values say nothing of whether two lines are made alike.
        let mut telling = words.len();
        for ((mine, valued), other) in self.words.iter().zip(&self.valued).zip(words) {
            if *valued && alike && is_plain(other) {
                different += 1;
            } else if mine == "*" && !(strict && is_plain(other)) {
                telling -= usize::from(*other == "#");
            } else if is_masked_same(mine, other) {
                same += 1;
            } else if !is_value_pair(mine, other) || (strict && tells_apart(mine, other)) {
                different += 1;
            }
            if different >= too_many {
                return false;
            }
        }
        same > 0 && (!alike || (same * 2 >= telling && different * 5 <= telling * 2))
    }

    fn join(&mut self, words: &[&str]) {
        for ((mine, valued), other) in self.words.iter_mut().zip(&mut self.valued).zip(words) {
            *valued &= *other == "#";
            if mine == "*" || is_masked_same(mine, other) {
                continue;
            }
            *mine = match (key(mine), key(other)) {
                (Some(key), Some(others)) if key == others => format!("{key}*"),
                (_, _) => "*".to_owned(),
            };
        }
    }
}

fn is_masked_same(mine: &str, other: &str) -> bool {
    mine.len() == other.len()
        && mine.bytes().zip(other.bytes()).all(|(mine, other)| mine == other || (mine == b'*' && other == b'#'))
}

/// Both are values of the same thing: `user=ann` and `user=bob`, two quoted names, two paths, two names in brackets.
fn is_value_pair(mine: &str, other: &str) -> bool {
    let quoted = |word: &str| word.starts_with(['\'', '"', '`']);
    let path = |word: &str| word.bytes().filter(|byte| *byte == b'/').count() > 1;
    let keys = matches!((key(mine), key(other)), (Some(mine), Some(other)) if mine == other);
    let bracketed = |word: &str| word.starts_with('[') && word.ends_with(']');
    keys || (host(mine) && host(other))
        || (bracketed(mine) && bracketed(other))
        || (quoted(mine) && quoted(other))
        || (path(mine) && path(other))
}

/// `db.internal:5432`, `ann@example.org`: small letters with points between them.
fn host(word: &str) -> bool {
    let word = word.trim_end_matches([':', ',', '.', ';']);
    let points = word.bytes().filter(|byte| matches!(byte, b'.' | b'@')).count();
    let letters = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'.' | b'@' | b'-' | b':' | b'#' | b'*')
    };
    points > 0 && word.bytes().all(letters)
}

/// A word of a message, not one of the values that a template has a star for.
fn is_plain(word: &str) -> bool {
    !word.contains(['#', '=', '"', '\'', '`', '[', '/', '@']) && !host(word)
}

/// Values by which errors differ: what is said, by whatever key, and paths.
fn tells_apart(mine: &str, other: &str) -> bool {
    const SAYING: &[&str] =
        &["msg", "message", "err", "error", "reason", "cause", "exception", "event", "code", "type"];
    let says = |key: &str| SAYING.iter().any(|saying| key.trim_end_matches('=').eq_ignore_ascii_case(saying));
    let path = |word: &str| !word.contains('=') && word.contains('/');
    key(mine).is_some_and(says) || path(mine) || path(other)
}

/// Up to and with the equals sign.
fn key(word: &str) -> Option<&str> {
    let at = word.find('=')?;
    word.get(..at + 1).filter(|key| key.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(likeness: Likeness, lines: &[&str], expected: &[&str]) {
        let mut miner = Miner::new(likeness);
        lines.iter().for_each(|line| {
            miner.add(line);
        });
        let found: Vec<String> =
            miner.groups().iter().map(|group| format!("{}× {}", group.count, group.text())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn words_that_differ_become_stars() {
        let lines =
            ["INFO login of ann from web took 3ms", "INFO login of bob from app took 4ms", "INFO cache cleared"];
        check(Likeness::Alike, &lines, &["2× INFO login of * from * took *", "1× INFO cache cleared"]);
    }

    #[test]
    fn numbered_names_may_open_like_lines() {
        let lines = ["node07 has 3 free slots", "node11 has 4 free slots", "disk1 has 4 free slots"];
        check(Likeness::Alike, &lines, &["2× * has * free slots", "1× disk1 has * free slots"]);
        let lines = ["host1.example.org. 300 IN A 192.0.2.1", "host2.example.org. 300 IN A 192.0.2.9"];
        check(Likeness::Alike, &lines, &["2× * IN A *"]);
    }

    #[test]
    fn errors_with_other_words_are_other_errors() {
        let lines = ["ERROR connection refused by db", "ERROR connection dropped by db"];
        check(Likeness::Same, &lines, &["1× ERROR connection refused by db", "1× ERROR connection dropped by db"]);
        let lines = ["ERROR lost user=ann job=1", "ERROR lost user=bob job=22"];
        check(Likeness::Same, &lines, &["2× ERROR lost user=* job=*"]);
    }

    #[test]
    fn errors_that_say_something_else_by_a_key_or_a_path_are_others() {
        let lines = ["level=error msg=timeout job=1", "level=error msg=overflow job=2"];
        check(Likeness::Strict, &lines, &["1× level=error msg=timeout job=*", "1× level=error msg=overflow job=*"]);
        let lines = [
            "ERROR no answer from 'a' in time",
            "ERROR no answer from 'b' in time",
            "ERROR no answer from home in time",
        ];
        check(Likeness::Strict, &lines, &["2× ERROR no answer from * in time", "1× ERROR no answer from home in time"]);
    }

    #[test]
    fn a_word_that_takes_many_values_is_a_value() {
        let groups = |names: &[&str]| -> Vec<usize> {
            let mut repeats = Repeats::default();
            let added: Vec<usize> =
                names.iter().map(|name| repeats.add(Finding::Error, &format!("ERROR user {name} not found"))).collect();
            let one_of = repeats.finish();
            added.into_iter().map(|group| one_of.of(group)).collect()
        };
        assert_eq!(groups(&["ann", "bob", "eve"]), [0, 1, 2]);
        let paths: Vec<String> = ('a'..='i').map(|name| format!("/{name}/x or /{name}/y")).collect();
        assert_eq!(groups(&paths.iter().map(String::as_str).collect::<Vec<_>>()), [0; 9]);
        assert_eq!(groups(&["ann", "bob", "eve", "kim", "lea", "max", "ned", "ole"]), [0; 8]);
    }

    #[test]
    fn a_quick_look_takes_out_numbers_only() {
        check(Likeness::Masked, &["a 1", "a 2", "b 1", ""], &["2× a *", "1× b *", "1× "]);
    }
}
