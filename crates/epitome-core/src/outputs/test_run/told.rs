//! What of the failures a digest must keep: each once, with the lines that say why and where.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::alike::{self, Failure, Told};
use super::failure::{Block, key, plain_name};
use super::why::{compares, is_frame, own_place, reasons};
use crate::outputs::place::placed;
use crate::outputs::reading::{Finding, Rank, Reading};

/// Of one failure, so many lines must not be lost.
const KEPT: usize = 6;
/// And so many more are telling.
const TELLING: usize = 4;

/// Ranks what tells of failures.
pub(super) fn rank(reading: &mut Reading, text: &str, blocks: &[Block<'_>]) {
    tell_names(reading, text, blocks);
    let mentions = Mentions::of(reading, text, blocks);
    let (mut detailed, mut listed) = (Vec::new(), Vec::new());
    for (block, mention) in blocks.iter().zip(&mentions.all) {
        match mention {
            Mention::Again => {}
            Mention::Detailed => detailed.push(Why::of(reading, text, block)),
            Mention::Listed if mentions.is_needed(block) => listed.push(block),
            Mention::Listed => {}
        }
    }
    let failures: Vec<Failure<'_>> = detailed.iter().map(|why| why.failure(reading, text)).collect();
    let mut said: HashSet<u64> = HashSet::new();
    for (why, told) in detailed.iter().zip(alike::told(&failures)) {
        if let Told::Shown(note) = told {
            rank_details(reading, text, why, &mut said);
            let header = reading.pieces.get_mut(why.block.header);
            if let Some((name, header)) = mentions.longer_name(why.block).zip(header) {
                header.full = Some(name.to_owned());
            }
            add_note(reading, why.block.header, note);
        }
    }
    let line = |block: &&Block<'_>| reading.pieces.get(block.header).map_or("", |piece| piece.text(text)).to_owned();
    let failures: Vec<Failure<'_>> =
        listed.iter().map(|block| Failure { name: plain_name(block.name), message: line(block) }).collect();
    for (block, told) in listed.iter().zip(alike::told(&failures)) {
        if let Told::Shown(note) = told {
            reading.raise(block.header, Rank::Finding(Finding::Failure));
            add_note(reading, block.header, note);
        }
    }
}

fn add_note(reading: &mut Reading, piece: usize, note: Option<String>) {
    if let (Some(note), Some(piece)) = (note, reading.pieces.get_mut(piece)) {
        piece.note = Some(format!("{}{note}", piece.note.as_deref().unwrap_or_default()));
    }
}

/// A list of the failed names and nothing else is told by them.
fn tell_names(reading: &mut Reading, text: &str, blocks: &[Block<'_>]) {
    let known: HashSet<&str> = blocks.iter().map(|block| plain_name(block.name)).collect();
    for piece in reading.pieces.iter_mut().filter(|piece| piece.rank == Rank::Ordinary) {
        if known.contains(piece.text(text).trim()) {
            piece.rank = Rank::Told;
        }
    }
}

/// How a failure is mentioned.
enum Mention {
    /// With the lines that tell of it.
    Detailed,
    /// With the very same lines as before.
    Again,
    /// By its name, perhaps with a message.
    Listed,
}

/// All mentions of failures, by the last part of their names.
struct Mentions<'text> {
    all: Vec<Mention>,
    details: HashMap<&'text str, usize>,
    listed: HashMap<&'text str, HashSet<&'text str>>,
    /// Of several mentions without details the longest has the message.
    longest: HashMap<&'text str, (usize, Reverse<usize>)>,
}

impl<'text> Mentions<'text> {
    fn of(reading: &Reading, text: &str, blocks: &[Block<'text>]) -> Mentions<'text> {
        let mut mentions =
            Mentions { all: Vec::new(), details: HashMap::new(), listed: HashMap::new(), longest: HashMap::new() };
        let mut seen: HashSet<(&str, u64)> = HashSet::new();
        for block in blocks {
            let (key, name) = (key(block.name), plain_name(block.name));
            let lines = block.lines.clone().filter_map(|index| reading.pieces.get(index));
            let words: Vec<&str> = lines.map(|piece| piece.text(text).trim()).filter(|line| !line.is_empty()).collect();
            let mention = if words.is_empty() {
                mentions.listed.entry(key).or_default().insert(name);
                let length = reading.pieces.get(block.header).map_or(0, |piece| piece.text(text).trim().len());
                let best = mentions.longest.entry(name).or_default();
                *best = (*best).max((length, Reverse(block.header)));
                Mention::Listed
            } else if seen.insert((name, xxh3_64(words.join("\n").as_bytes()))) {
                *mentions.details.entry(key).or_default() += 1;
                Mention::Detailed
            } else {
                Mention::Again
            };
            mentions.all.push(mention);
        }
        mentions
    }

    /// One failure of this name: what a list calls it.
    fn only(&self, block: &Block<'text>) -> Option<&'text str> {
        let key = key(block.name);
        let listed = self.listed.get(key).filter(|names| names.len() == 1)?;
        listed.iter().next().copied().filter(|_| self.details.get(key) == Some(&1))
    }

    /// The list's name says more, and is what the test can be run again by.
    fn longer_name(&self, block: &Block<'text>) -> Option<&'text str> {
        self.only(block).filter(|name| name.len() > plain_name(block.name).len())
    }

    /// Whether a line of a list says what is not said elsewhere.
    fn is_needed(&self, block: &Block<'text>) -> bool {
        let best = self.longest.get(plain_name(block.name)).is_some_and(|(_, header)| header.0 == block.header);
        best && self.only(block).is_none()
    }
}

/// Why a test failed: the lines that say so.
struct Why<'a, 'text> {
    block: &'a Block<'text>,
    messages: BTreeSet<usize>,
    place: Option<usize>,
}

impl<'a, 'text> Why<'a, 'text> {
    fn of(reading: &Reading, text: &str, block: &'a Block<'text>) -> Why<'a, 'text> {
        let lines = block.lines.clone().filter_map(|index| Some((index, reading.pieces.get(index)?.text(text))));
        let lines: Vec<(usize, &str)> = lines.collect();
        Why { block, messages: reasons(&lines).into_iter().collect(), place: own_place(&lines) }
    }

    fn failure(&self, reading: &Reading, text: &str) -> Failure<'text> {
        let line = |index: usize| reading.pieces.get(index).map_or("", |piece| piece.text(text).trim());
        // What differs in a comparison is not in the message, and may be in other words.
        let tells = |index: &usize| self.messages.contains(index) || is_difference(line(*index));
        let lines: Vec<&str> = self.block.lines.clone().filter(tells).map(|index| message(line(index))).collect();
        let place = self.place.filter(|_| lines.is_empty()).map(line);
        Failure { name: plain_name(self.block.name), message: place.map_or_else(|| lines.join("\n"), str::to_owned) }
    }
}

/// `- expected this`, `+ got that`
fn is_difference(line: &str) -> bool {
    line.strip_prefix(['-', '+']).is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['-', '+', '=']))
}

/// A line without the place it begins with.
fn message(line: &str) -> &str {
    placed(line).map_or(line, |found| found.rest.trim())
}

fn rank_details(reading: &mut Reading, text: &str, why: &Why<'_, '_>, said: &mut HashSet<u64>) {
    let lines: BTreeSet<usize> = why.messages.iter().copied().chain(why.place).collect();
    let mut kept = 0;
    let mut new = 0;
    let mut elsewhere = String::new();
    let hash_at =
        |index: &usize| reading.pieces.get(*index).map(|piece| xxh3_64(message(piece.text(text).trim()).as_bytes()));
    let fresh = why.messages.iter().filter_map(hash_at).any(|hash| !said.contains(&hash));
    for index in &lines {
        let Some(line) = reading.pieces.get(*index).map(|piece| piece.text(text).trim()) else { continue };
        // The same message in many tests is said once; where it was is said of each.
        let message = message(line);
        // Of two sides that were compared, one says nothing.
        let side = fresh && compares(line);
        if !said.insert(xxh3_64(message.as_bytes())) && why.messages.contains(index) && !side {
            reading.raise(*index, Rank::Told);
            if message.len() < line.len() && said.insert(xxh3_64(line.as_bytes())) {
                elsewhere.push_str(line.get(..line.len() - message.len()).unwrap_or_default().trim_end());
                elsewhere.push(' ');
            }
            continue;
        }
        said.insert(xxh3_64(line.as_bytes()));
        new += usize::from(why.messages.contains(index));
        if kept < KEPT || Some(*index) == why.place {
            kept += 1;
            reading.raise(*index, Rank::Finding(Finding::Failure));
        } else {
            reading.raise(*index, Rank::Telling(1));
        }
    }
    let titles = why.block.titles.iter().copied();
    titles.chain([why.block.header]).for_each(|index| reading.raise(index, Rank::Finding(Finding::Failure)));
    if let Some(header) = reading.pieces.get_mut(why.block.header) {
        let name = header.text(text).trim().trim_matches(|c: char| matches!(c, '_' | '─' | '=')).trim();
        header.full = Some(name.to_owned());
        header.note = (new == 0 && !why.messages.is_empty()).then(|| format!(" [{elsewhere}as above]"));
    }
    let mut others = Vec::new();
    for index in why.block.lines.clone().filter(|index| !lines.contains(index)) {
        let line = reading.pieces.get(index).map_or("", |piece| piece.text(text));
        if !line.trim().is_empty() && !is_frame(line) {
            others.push(index);
        }
    }
    for index in others.into_iter().take(TELLING) {
        reading.raise(index, Rank::Telling(3));
    }
}
