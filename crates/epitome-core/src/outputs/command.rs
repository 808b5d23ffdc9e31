//! Any other output of a command: how it begins, every error and warning, how it ends; lines that repeat are told once.

use super::log::templates::{Likeness, Miner};
use super::measured::far_above;
use super::odd::odd_ones;
use super::options::options;
use super::reading::{Finding, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, cut_to_chars, dumps, events};
use crate::tokens::Tokens;

/// The kind's name.
pub(super) const NAME: &str = "command output";

/// So many lines of one template are told once.
const REPEATS: usize = 8;
/// Fewer lines are too few to be regular.
const REGULAR_LINES: usize = 40;
/// Of each template, so many lines from both ends stay.
const ENDS: usize = 2;
/// Templates told, at most.
const TEMPLATES: usize = 6;
/// A template longer than this is cut.
const TEMPLATE_CHARS: usize = 90;
/// Lines at the end in which results are looked for.
const RESULTS: usize = 20;
/// More blocks than these are no sections.
const BLOCKS: usize = 12;

/// The kind that takes what no other kind knows.
pub struct Command;

impl OutputKind for Command {
    fn name(&self) -> &'static str {
        NAME
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let mut reading = Reading::of_lines(&output.text);
        fold_repeats(&mut reading, &output.text, effort);
        raise_openings(&mut reading, &output.text);
        raise_results(&mut reading, &output.text);
        reading.facts.extend(options(&output.text));
        dumps::mark(&mut reading, &output.text);
        events::mark(&mut reading, &output.text);
        Some(reading)
    }
}

/// Tells lines that differ in values only once, with their number.
fn fold_repeats(reading: &mut Reading, text: &str, effort: Effort) {
    let likeness = match effort {
        Effort::Full => Likeness::Alike,
        Effort::Quick => Likeness::Masked,
    };
    if reading.pieces.len() < REPEATS * 2 {
        return;
    }
    let mut miner = Miner::new(likeness);
    let groups: Vec<Option<usize>> = reading
        .pieces
        .iter()
        .map(|piece| {
            let line = piece.text(text).trim();
            (!line.is_empty() && !events::is_error(line)).then(|| miner.add(line))
        })
        .collect();
    let repeated = |group: usize| miner.groups().get(group).map_or(0, |group| group.count) >= REPEATS;
    let mut said: Vec<(usize, usize)> = miner
        .groups()
        .iter()
        .enumerate()
        .filter(|(_, group)| group.count >= REPEATS && !is_bare(&group.text()))
        .map(|(at, group)| (group.count, at))
        .collect();
    said.sort_by_key(|(count, at)| (std::cmp::Reverse(*count), *at));
    said.truncate(TEMPLATES);
    for (count, at) in &said {
        let template = miner.groups().get(*at).map(|group| group.text()).unwrap_or_default();
        reading.say(format!("{}× {}", Tokens(*count as u64), cut_to_chars(&template, TEMPLATE_CHARS)));
    }
    keep_odd(reading, text, &groups, repeated);
    let mut seen = vec![0; miner.groups().len()];
    for (piece, group) in reading.pieces.iter_mut().zip(&groups) {
        let Some(group) = group.filter(|group| repeated(*group) && said.iter().any(|(_, said)| said == group)) else {
            continue;
        };
        let count = miner.groups().get(group).map_or(0, |group| group.count);
        let Some(seen) = seen.get_mut(group) else { continue };
        *seen += 1;
        if *seen > ENDS && *seen + ENDS <= count && piece.rank.finding().is_none() {
            piece.rank = Rank::Told;
        }
    }
}

/// Keeps the lines of a regular output that are unlike all others, and those with a value far above the usual.
fn keep_odd(reading: &mut Reading, text: &str, groups: &[Option<usize>], repeated: impl Fn(usize) -> bool) {
    let known: Vec<(usize, usize)> =
        groups.iter().enumerate().filter_map(|(index, group)| Some((index, (*group)?))).collect();
    let regular = known.iter().filter(|(_, group)| repeated(*group)).count();
    if known.len() < REGULAR_LINES || regular * 10 < known.len() * 9 {
        return;
    }
    let line = |index: usize| reading.pieces.get(index).map(|piece| piece.text(text).trim()).unwrap_or_default();
    let lines: Vec<&str> = known.iter().map(|(index, _)| line(*index)).collect();
    let odd = odd_ones(&lines).into_iter().filter_map(|at| known.get(at)).map(|(index, _)| *index);
    let far = far_above(known.iter().map(|(index, group)| (*index, *group, line(*index))));
    let found: Vec<usize> = odd.chain(far).collect();
    found.into_iter().for_each(|index| reading.raise(index, Rank::Finding(Finding::Outlier)));
}

/// Whether a template has no words: it would tell nothing.
fn is_bare(template: &str) -> bool {
    template.bytes().filter(u8::is_ascii_alphabetic).count() < 3
}

/// The first line of each block, if there are few.
fn raise_openings(reading: &mut Reading, text: &str) {
    let blank = |index: usize| reading.pieces.get(index).is_none_or(|piece| piece.text(text).trim().is_empty());
    let opens = |index: &usize| !blank(*index) && *index > 0 && blank(index - 1);
    let openings: Vec<usize> = (0..reading.pieces.len()).filter(opens).collect();
    if openings.len() <= BLOCKS {
        openings.into_iter().for_each(|index| reading.raise(index, Rank::Telling(4)));
    }
}

/// `key: value` lines near the end: totals and results.
fn raise_results(reading: &mut Reading, text: &str) {
    let from = reading.pieces.len().saturating_sub(RESULTS);
    for index in from..reading.pieces.len() {
        let line = reading.pieces.get(index).map(|piece| piece.text(text).trim()).unwrap_or_default();
        let told = reading.pieces.get(index).is_some_and(|piece| piece.rank == Rank::Told);
        let result = line.split_once([':', '=']).is_some_and(|(key, value)| {
            let words = key.split_whitespace().count();
            (1..=4).contains(&words)
                && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-'))
                && !value.trim().is_empty()
                && !value.starts_with('/')
                && value.len() < 60
        });
        if result && !told {
            reading.raise(index, Rank::Telling(2));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn the_end_the_start_and_every_error_are_kept() {
        let mut lines: Vec<String> = (0..400).map(|n| format!("compiling unit number {n} of four hundred")).collect();
        lines[211] = "error: unit 211 does not type-check".into();
        lines.push("make: done".into());
        insta::assert_snapshot!(check("make", &lines.join("\n")), @"
        [digest of command output: 6 of 401 lines kept, 16,694 bytes; original 0e26d7ce045f]
        399× compiling unit number * of four hundred
        compiling unit number 0 of four hundred
        compiling unit number 1 of four hundred
        [… 209 lines …]
        error: unit 211 does not type-check
        [… 186 lines …]
        compiling unit number 398 of four hundred
        compiling unit number 399 of four hundred
        make: done
        ");
    }

    #[test]
    fn progress_is_told_once_and_results_are_kept() {
        let packages = ["serde", "tokio", "hyper", "axum", "rand", "libc", "syn", "quote", "bytes", "http"];
        let mut text: String = (0..60)
            .map(|n| {
                format!("Downloading {}-{n}.tgz … {} %\n  unpacked into cache {n}\n", packages[n % 10], n * 7 % 100)
            })
            .collect();
        text.push_str("\nnpm ERR! code ELIFECYCLE\nnpm ERR! exit status 3\n\nLinking\nlinked everything\n\nfiles: 812\nsize: 14 MB\ntime: 3.2 s\n");
        insta::assert_snapshot!(check("npm install", &text), @"
        [digest of build output: 8 of 130 lines kept, 3,589 bytes; original 3259e6b97c7f]
        Downloading ×60
          unpacked into cache 0 [×60]
        npm ERR! code ELIFECYCLE
        npm ERR! exit status 3
        Linking
        linked everything
        files: 812
        size: 14 MB
        time: 3.2 s
        ");
    }

    #[test]
    fn the_lines_unlike_all_others_of_a_regular_output_are_kept() {
        let mut lines: Vec<String> = (0..200)
            .map(|n| format!("64 bytes from 10.0.0.7: icmp_seq={n} ttl=57 time=1{}.{} ms", n % 3, n % 10))
            .collect();
        lines[70] = "64 bytes from 10.0.0.7: icmp_seq=70 ttl=57 time=1840.2 ms".into();
        lines[90] = "no answer yet for icmp_seq=90".into();
        insta::assert_snapshot!(check("ping 10.0.0.7", &lines.join("\n")), @"
        [digest of command output: 6 of 200 lines kept, 11,265 bytes; original ab53953ab7da]
        199× * bytes from *: icmp_seq=* ttl=* time=* ms
        64 bytes from 10.0.0.7: icmp_seq=0 ttl=57 time=10.0 ms
        64 bytes from 10.0.0.7: icmp_seq=1 ttl=57 time=11.1 ms
        [… 68 lines …]
        64 bytes from 10.0.0.7: icmp_seq=70 ttl=57 time=1840.2 ms
        [… 19 lines …]
        no answer yet for icmp_seq=90
        [… 107 lines …]
        64 bytes from 10.0.0.7: icmp_seq=198 ttl=57 time=10.8 ms
        64 bytes from 10.0.0.7: icmp_seq=199 ttl=57 time=11.9 ms
        ");
    }
}
