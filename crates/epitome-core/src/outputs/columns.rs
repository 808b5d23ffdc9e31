//! What stands at the same place of lines that are made alike is a column: one value of it may be far out, or rare.
//!
//! A request that took a hundred times as long, one `destroyed` among many `created`, one status unlike all others.

use std::collections::{BTreeMap, BTreeSet};

use xxhash_rust::xxh3::xxh3_64;

use super::outliers::{Cell, Column, Unlike, summarize};
use super::template;

/// Lines needed to know what is common.
const LINES_AT_LEAST: usize = 20;
/// Longer lines are looked at by their beginning.
const WORDS_AT_MOST: usize = 40;
/// Lines unlike the others are kept up to this number, those of the most frequent groups first.
const AT_MOST: usize = 10;
/// So many with the same rare value are all kept; of more, the first stands for them.
const ALL_REPEATS: usize = 2;

/// The lines with such a value, from top to bottom. Each line comes with its index and the group of lines it is like.
pub(super) fn unlike_in_a_column<'text>(lines: impl Iterator<Item = (usize, usize, &'text str)>) -> Vec<usize> {
    let mut groups: BTreeMap<usize, Vec<(usize, &str)>> = BTreeMap::new();
    lines.for_each(|(index, group, line)| groups.entry(group).or_default().push((index, line)));
    let mut groups: Vec<Vec<(usize, &str)>> =
        groups.into_values().filter(|group| group.len() >= LINES_AT_LEAST).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut found: Vec<usize> = groups.iter().flat_map(|group| of_group(group)).take(AT_MOST).collect();
    found.sort_unstable();
    found
}

fn of_group(lines: &[(usize, &str)]) -> Vec<usize> {
    let mut columns: BTreeMap<u64, Vec<Cell<'_>>> = BTreeMap::new();
    for (row, (_, line)) in lines.iter().enumerate() {
        for (place, cell) in cells(line) {
            let column = columns.entry(place).or_insert_with(|| vec![Cell::Absent; lines.len()]);
            // What stands twice under one name is told by the first.
            if let Some(empty @ Cell::Absent) = column.get_mut(row) {
                *empty = cell;
            }
        }
    }
    columns.values_mut().for_each(|cells| join_hashes(cells));
    let columns = columns.into_values().filter(|cells| varies(cells));
    // The most extreme of each column before the second of any.
    let mut unlike: Vec<(usize, Unlike)> = Vec::new();
    for cells in columns {
        let mut found = without_repeats(summarize(&Column { name: String::new(), cells }).unlike);
        found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.row.cmp(&other.row)));
        unlike.extend(found.into_iter().enumerate());
    }
    unlike.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.score.total_cmp(&one.1.score)));
    let mut rows: Vec<usize> = Vec::new();
    for (_, Unlike { row, .. }) in unlike {
        if rows.len() < AT_MOST && !rows.contains(&row) {
            rows.push(row);
        }
    }
    rows.into_iter().filter_map(|row| lines.get(row)).map(|(index, _)| *index).collect()
}

/// A value that stands in several lines is told by the first of them.
fn without_repeats(unlike: Vec<Unlike>) -> Vec<Unlike> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    unlike.iter().for_each(|one| *counts.entry(one.group).or_default() += 1);
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    let few = |group: u64| counts.get(&group).is_some_and(|count| *count <= ALL_REPEATS);
    unlike.into_iter().filter(|one| seen.insert(one.group) || few(one.group)).collect()
}

/// A hash without a letter in it is no number.
fn join_hashes(cells: &mut [Cell<'_>]) {
    if cells.iter().filter(|cell| **cell == HASH).count() * 2 > cells.len() {
        let long = |cell: &&mut Cell<'_>| matches!(cell, Cell::Number(number) if number.len() >= HASH_DIGITS);
        cells.iter_mut().filter(long).for_each(|cell| *cell = HASH);
    }
}

/// Most columns of like lines hold one word: nothing is unlike it.
fn varies(cells: &[Cell<'_>]) -> bool {
    cells.first().is_some_and(|first| cells.iter().any(|cell| cell != first))
}

/// The cells of a line, each with its place: the key it stands behind, or else the number of its word.
fn cells(line: &str) -> Vec<(u64, Cell<'_>)> {
    let is_record = line.trim_start().starts_with('{') || line.contains("\":");
    let between = |c: char| c.is_whitespace() || (is_record && matches!(c, ',' | '{' | '}'));
    let words = line.split(between).filter(|word| !word.is_empty()).take(WORDS_AT_MOST);
    let mut cells = Vec::new();
    let mut behind = None;
    for (position, word) in words.enumerate() {
        let (key, value) = match keyed(word) {
            Some((key, value)) => (Some(key), value),
            None => (behind.take(), word),
        };
        // `"ms": 12`
        if value.is_empty() {
            behind = key;
            continue;
        }
        // The words of a record's message stand at no place of their own.
        let place = match key {
            Some(key) => xxh3_64(key.as_bytes()),
            None if is_record => continue,
            None => position as u64,
        };
        let (text, numbers) = parts(value);
        cells.push((place, text));
        // Places are few, or hashes: the highest bits make others of them.
        cells.extend(numbers.into_iter().zip(1_u64..).map(|(number, nth)| (place ^ (nth << 60), number)));
    }
    cells
}

/// `ms=12`, `"ms":12`, `ms:12`.
fn keyed(word: &str) -> Option<(&str, &str)> {
    if is_address(word) {
        return None;
    }
    let (key, value) = word.split_once('=').or_else(|| word.split_once("\":")).or_else(|| word.split_once(':'))?;
    let key = key.trim_matches(['"', '\'', '(', '[', ',']);
    let named = key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'.'));
    (named && !key.is_empty()).then_some((key, value))
}

/// Fewer digits are no hash.
const HASH_DIGITS: usize = 7;
/// Stands for all hashes: none is more like another than the next.
const HASH: Cell<'_> = Cell::Text("#");
/// Of the numbers in one word, so many are looked at.
const NUMBERS: usize = 3;

/// What a word says, and the numbers in it: `/orders/1077` is `/orders/` and 1077, a hash nothing but a hash.
fn parts(word: &str) -> (Cell<'_>, Vec<Cell<'_>>) {
    let word =
        word.trim_matches(|c: char| matches!(c, '(' | ')' | '[' | ']' | ',' | ';' | '"' | '\'' | ':' | '<' | '>'));
    let whole = Cell::of_text(word);
    if is_address(word) {
        return (HASH, Vec::new());
    }
    let Some(digit) = word.find(|c: char| c.is_ascii_digit()) else { return (whole, Vec::new()) };
    if matches!(whole, Cell::Number(_)) {
        // A number that is too long to be one is an id.
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        return (if digits > 12 { HASH } else { whole }, Vec::new());
    }
    let values = template::values(word);
    match values.as_slice() {
        [] => (whole, Vec::new()),
        // A version or an address may be as rare as a word, a hash is rare always.
        [only] if only.len() == word.len() => (if is_hash(word) { HASH } else { whole }, Vec::new()),
        [..] => {
            let numbers = values.iter().take(NUMBERS).map(|value| Cell::of_text(value));
            let numbers = numbers.filter(|cell| matches!(cell, Cell::Number(_))).collect();
            (Cell::Text(word.get(..digit).unwrap_or_default()), numbers)
        }
    }
}

/// `52:8e:41:9b:ce:6e`: pairs of hexadecimal digits, as of a network card or a fingerprint.
fn is_address(word: &str) -> bool {
    let pairs = || word.split([':', '-']);
    pairs().count() >= 4 && pairs().all(|pair| pair.len() == 2 && pair.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn is_hash(word: &str) -> bool {
    word.len() >= HASH_DIGITS && word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[String], expected: &[usize]) {
        let lines = lines.iter().enumerate().map(|(index, line)| (index, 0, line.as_str()));
        assert_eq!(unlike_in_a_column(lines), expected);
    }

    fn with(at: usize, odd: &str, usual: impl Fn(usize) -> String) -> Vec<String> {
        (0..80).map(|n| if n == at { odd.to_owned() } else { usual(n) }).collect()
    }

    #[test]
    fn a_number_far_out_is_found_with_and_without_a_unit() {
        check(&with(31, "took 900ms", |n| format!("took {}ms", 20 + n % 5)), &[31]);
        check(&with(31, "took 2.1s", |n| format!("took {}ms", 20 + n % 5)), &[31]);
        check(&with(31, "part 31 [12/1031] stored", |n| format!("part {n} [{0}/{0}] stored", 1000 + n)), &[31]);
        check(&with(12, "lag=77000 part=3", |n| format!("lag={} part={}", n % 9, n % 4)), &[12]);
        check(
            &with(55, "{\"job\":55,\"msg\":\"done, all\",\"ms\": 64000}", |n| {
                format!("{{\"job\":{n},\"msg\":\"done\",\"ms\": {}}}", 30 + n % 11)
            }),
            &[55],
        );
        check(
            &with(60, "read block 60 from disk-7 in 3 ms", |n| format!("read block {n} from disk-{} in 3 ms", n % 3)),
            &[60],
        );
    }

    #[test]
    fn a_word_that_hardly_ever_stands_there_is_found() {
        check(&with(40, "volume vol-40 was detached", |n| format!("volume vol-{n} was attached")), &[40]);
        check(&with(40, "\"GET /a/40 HTTP/1.1\" 401 90", |n| format!("\"GET /a/{n} HTTP/1.1\" 200 90")), &[40]);
        check(&with(40, "agent-40 runs v1.27.9", |n| format!("agent-{n} runs v1.29.3")), &[40]);
        check(&with(40, "lease ok host=b retry=yes", |n| format!("lease ok host={}", ["a", "b"][n % 2])), &[40]);
    }

    #[test]
    fn addresses_of_network_cards_are_not_unlike() {
        let pair = |n: usize| format!("{:02x}", n * 37 % 256);
        let address = |n: usize| (n..n + 6).map(|n| pair(n * n)).collect::<Vec<_>>().join(":");
        check(&with(99, "", |n| format!("card {} seen", address(n))), &[]);
    }

    #[test]
    fn counters_ids_and_names_are_not_unlike() {
        let names = ["ann", "bob", "eve", "kim", "lea", "max"];
        let id = |n: usize| format!("{:x}", xxh3_64(&n.to_le_bytes()));
        check(
            &with(99, "", |n| {
                format!("{n} of 80 user={} id={} from 10.0.{}.{}:5{n}", names[n * n % 6], id(n), n % 7, n * 3 % 250)
            }),
            &[],
        );
        let hash = |n: usize| {
            if n == 7 { "12345678".to_owned() } else { format!("{:08x}", 0xa1b2_c3d4_u32.rotate_left(n as u32)) }
        };
        check(&with(99, "", |n| format!("stored {} in time", hash(n))), &[]);
        check(&with(99, "", |n| format!("slow query {} ms", (n * 37 % 80) * (n * 37 % 80))), &[]);
    }
}
