//! Any other output of a command: how it begins, every error and warning, how it ends; lines that repeat are told once.

use std::collections::HashMap;

use super::columns::unlike_in_a_column;
use super::log::templates::{Likeness, Miner};
use super::odd::{Shapes, odd_ones};
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

/// A word that no more than one of so many lines holds is a name.
const NAMES: usize = 10;
/// More lines that are made like no other are no exceptions.
const ODD_SHAPES: usize = 4;
/// Of lines that begin with a cross, so many must not be lost.
const CROSSED: usize = 12;

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
        raise_crossed(&mut reading, &output.text);
        events::keep_around(&mut reading, &output.text, |_| true);
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

/// Keeps the lines with a value unlike those of like lines, and of a regular output those unlike all others.
fn keep_odd(reading: &mut Reading, text: &str, groups: &[Option<usize>], repeated: impl Fn(usize) -> bool) {
    let known: Vec<(usize, usize)> =
        groups.iter().enumerate().filter_map(|(index, group)| Some((index, (*group)?))).collect();
    let line = |index: usize| reading.pieces.get(index).map(|piece| piece.text(text).trim()).unwrap_or_default();
    let mut found = unlike_in_a_column(known.iter().map(|(index, group)| (*index, *group, line(*index))));
    found.extend(unlike_of_a_key(&known, line));
    let regular = known.iter().filter(|(_, group)| repeated(*group)).count();
    if known.len() >= REGULAR_LINES && regular * 10 >= known.len() * 9 {
        let lines: Vec<&str> = known.iter().map(|(index, _)| line(*index)).collect();
        found.extend(odd_ones(&lines).into_iter().filter_map(|at| known.get(at)).map(|(index, _)| *index));
    } else if known.len() >= REGULAR_LINES {
        let lines: Vec<&str> = known.iter().map(|(index, _)| line(*index)).collect();
        found.extend(unlike_in_shape(&lines).into_iter().filter_map(|at| known.get(at)).map(|(index, _)| *index));
    }
    found.into_iter().for_each(|index| reading.raise(index, Rank::Finding(Finding::Outlier)));
}

/// The few lines that are made like no other, where nearly all are made like many, whatever names are in them.
fn unlike_in_shape(lines: &[&str]) -> Vec<usize> {
    let shapes = Shapes::with_names(lines, lines.len() / NAMES).shapes;
    let mut counts: HashMap<u64, usize> = HashMap::new();
    shapes.iter().for_each(|shape| *counts.entry(*shape).or_default() += 1);
    let count = |shape: &u64| counts.get(shape).copied().unwrap_or_default();
    let regular = shapes.iter().filter(|shape| count(shape) >= REPEATS).count();
    let single: Vec<usize> =
        shapes.iter().enumerate().filter(|(_, shape)| count(shape) == 1).map(|(index, _)| index).collect();
    if regular * 20 >= lines.len() * 19 && single.len() <= ODD_SHAPES { single } else { Vec::new() }
}

/// Lines with one key have one column, however many words their values are: one `License: AGPL` among many `License: MIT`.
fn unlike_of_a_key<'text>(known: &[(usize, usize)], line: impl Fn(usize) -> &'text str) -> Vec<usize> {
    let mut keys: HashMap<&str, usize> = HashMap::new();
    let mut keyed: Vec<(usize, usize, &str)> = Vec::new();
    for (index, _) in known {
        let Some((key, value)) = line(*index).split_once(": ").filter(|(key, _)| is_key(key)) else { continue };
        let next = keys.len();
        keyed.push((*index, *keys.entry(key).or_insert(next), value));
    }
    unlike_in_a_column(keyed.into_iter())
}

/// A few words without numbers.
fn is_key(key: &str) -> bool {
    let named = |c: char| c.is_alphabetic() || matches!(c, ' ' | '_' | '-');
    key.len() <= 40 && key.split_whitespace().count() <= 3 && !key.is_empty() && key.chars().all(named)
}

/// Whether a template has no words: it would tell nothing.
fn is_bare(template: &str) -> bool {
    template.chars().filter(|c| c.is_alphabetic()).count() < 3
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

/// What did not go well among what did.
fn raise_crossed(reading: &mut Reading, text: &str) {
    let crossed = reading.pieces.iter().enumerate().filter(|(_, piece)| events::is_crossed(piece.text(text)));
    let crossed: Vec<usize> = crossed.map(|(index, _)| index).take(CROSSED).collect();
    crossed.into_iter().for_each(|index| reading.raise(index, Rank::Finding(Finding::Failure)));
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
        [digest of command output: 6 of 401 lines kept, 4,174 tokens; original 0e26d7ce045f]
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
        [digest of build output: 8 of 130 lines kept, 898 tokens; original 3259e6b97c7f]
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
        [digest of command output: 6 of 200 lines kept, 2,817 tokens; original ab53953ab7da]
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

    #[test]
    fn the_one_other_value_of_a_key_is_kept_with_what_it_is_of() {
        let names = ["oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "may", "gum", "tea"];
        let part = |n: usize| {
            let licence = if n == 33 { "AGPL-3.0 or later" } else { "MIT" };
            format!("Package {}-{n}:\n  Version: 1.{n}.2\n  License: {licence}\n  Status: ok\n", names[n % 11])
        };
        let digest = check("licences", &(0..60).map(part).collect::<String>());
        assert!(digest.contains("Package oak-33:") && digest.contains("  License: AGPL-3.0 or later"), "{digest}");
    }

    #[test]
    fn a_line_that_only_one_record_has_is_kept_with_its_record() {
        let names = ["oak", "elm", "ash", "fir", "yew", "box", "bay", "fig", "may", "gum", "tea"];
        let record = |n: usize| {
            let note = if n == 31 { "note: seal was broken on arrival\n" } else { "" };
            format!("*** parcel {n}\n{note}from: {}\nto: /{}/{n}\nstate: done\n\n", names[n % 11], names[n * 7 % 11])
        };
        let digest = check("parcels", &(0..60).map(record).collect::<String>());
        assert!(digest.contains("*** parcel 31\nnote: seal was broken on arrival\n"), "{digest}");
    }

    #[test]
    fn a_cross_among_ticks_is_kept_with_what_is_said_of_it() {
        let tick = |n: usize| format!("     ✓ page {} answers\n", ["cart", "till", "home", "help", "menu"][n % 5]);
        let mut text: String = (0..60).map(|n| format!("running {n} s, 20 users, {} done\n", n * 37)).collect();
        text.extend((0..10).map(tick));
        text.push_str("     ✗ checkout answers in 300 ms\n      ↳  91% — ✓ 1834 / ✗ 181\n");
        text.extend((0..10).map(tick));
        text.push_str("\n     checks: 99.1%\n");
        let digest = check("load run", &text);
        let kept = "     ✗ checkout answers in 300 ms\n      ↳  91% — ✓ 1834 / ✗ 181\n";
        assert!(digest.contains(kept), "{digest}");
    }

    #[test]
    fn a_word_that_hardly_ever_stands_there_is_kept() {
        let mut text = String::from("Release plan:\n");
        for n in 0..40 {
            let fate = if n == 17 { "deleted" } else { "updated" };
            text.push_str(&format!("  ~ module.queue[{n}] will be {fate} in place\n      size: {}\n", n * 3 + 1));
        }
        insta::assert_snapshot!(check("pulumi preview", &text), @"
        [digest of command output: 10 of 81 lines kept, 612 tokens; original c7a1335f1550]
        40× ~ module.queue[*] will be * in place
        40× size: *
        Release plan:
          ~ module.queue[0] will be updated in place
              size: 1
          ~ module.queue[1] will be updated in place
              size: 4
        [… 30 lines …]
          ~ module.queue[17] will be deleted in place
        [… 41 lines …]
          ~ module.queue[38] will be updated in place
              size: 115
          ~ module.queue[39] will be updated in place
              size: 118
        ");
    }
}
