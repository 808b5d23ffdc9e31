//! `git blame`: who wrote which line of a file, and the lines of whom the file has hardly any.

use std::collections::{BTreeMap, BTreeSet};

use crate::outputs::log::Times;
use crate::outputs::reading::{Events, Finding, Layout, Rank, Reading};

/// Lines looked at.
const SAMPLE: usize = 40;
/// Fewer lines are read at a glance.
const ENOUGH: usize = 12;
/// A commit or an author with so few lines is rare.
const RARE: usize = 2;
/// More rare ones are nothing special.
const RARE_AT_MOST: usize = 3;

struct Blamed<'text> {
    commit: &'text str,
    author: &'text str,
    date: &'text str,
    number: &'text str,
    source: &'text str,
}

/// Reads the lines of a file with their commits, if most lines are made like that.
pub(super) fn read(text: &str) -> Option<Reading> {
    let sample = || text.lines().take(SAMPLE);
    let known = sample().filter(|line| blamed(line).is_some()).count();
    if known < ENOUGH || known * 10 < sample().count() * 9 {
        return None;
    }
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events, reading.ends) = (Layout::Bare, Events::Quiet, false);
    let lines: Vec<(usize, Blamed<'_>)> = reading
        .pieces
        .iter()
        .enumerate()
        .filter_map(|(index, piece)| Some((index, blamed(piece.text(text))?)))
        .collect();
    let mut times = Times::default();
    for (_, line) in &lines {
        times.add(line.date);
    }
    let span = times.say().map(|span| format!("; {span}")).unwrap_or_default();
    let authors = super::counted(lines.iter().map(|(_, line)| line.author), super::NAMED);
    let commits = super::counted(lines.iter().map(|(_, line)| line.commit), super::NAMED);
    reading.say_always(format!("lines by {authors}{span}; commits {commits}"));
    let mut rare = rare_ones(&lines, |line| line.author);
    rare.extend(rare_ones(&lines, |line| line.commit));
    for (index, line) in &lines {
        let Some(piece) = reading.pieces.get_mut(*index) else { continue };
        if rare.contains(index) {
            piece.rank = Rank::Finding(Finding::Outlier);
        } else {
            piece.full = Some(format!("{}: {}", line.number, line.source));
        }
    }
    Some(reading)
}

fn rare_ones(
    lines: &[(usize, Blamed<'_>)],
    of: impl for<'line> Fn(&'line Blamed<'_>) -> &'line str,
) -> BTreeSet<usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    lines.iter().for_each(|(_, line)| *counts.entry(of(line)).or_default() += 1);
    let rare = counts.values().filter(|count| **count <= RARE).count();
    if rare > RARE_AT_MOST || rare == counts.len() {
        return BTreeSet::new();
    }
    let few = |line: &Blamed<'_>| counts.get(of(line)).is_some_and(|count| *count <= RARE);
    lines.iter().filter(|(_, line)| few(line)).map(|(index, _)| *index).collect()
}

/// `12ab34cd (Ann Lee 2025-09-15 08:00:00 +0200 17) source`, with or without a file behind the commit.
fn blamed(line: &str) -> Option<Blamed<'_>> {
    let digits = line.trim_start_matches('^').bytes().take_while(u8::is_ascii_hexdigit).count();
    let (commit, rest) = line.split_once(' ').filter(|_| digits >= 7)?;
    let (head, source) = rest.split_once('(')?.1.split_once(')')?;
    let (head, number) = head.rsplit_once(' ')?;
    let date = head.find(|c: char| c.is_ascii_digit()).filter(|_| number.parse::<usize>().is_ok())?;
    let date = (date..head.len()).find(|at| head.get(*at..*at + 5).is_some_and(is_year))?;
    let author = head.get(..date)?.trim();
    Some(Blamed {
        commit,
        author,
        date: head.get(date..)?.trim(),
        number,
        source: source.strip_prefix(' ').unwrap_or(source),
    })
}

fn is_year(start: &str) -> bool {
    start.ends_with('-') && start.bytes().take(4).all(|byte| byte.is_ascii_digit())
}
