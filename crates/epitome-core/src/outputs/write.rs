//! Writes a digest: chooses among the pieces of a reading, and says what was left out.
//!
//! In this order: what must not be lost, what the agent looks for, what is said of the whole, what is telling, and at
//! last the ends of the output.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::events;
use super::interest::{Hit, Interest};
use super::numbers::without_number;
use super::reading::{Layout, Piece, Rank, Reading, Section, Unit};
use super::template::template_id;
use crate::tokens::{TokenCounter, Tokens};

/// Longer lines are cut: minified files and encoded data put a whole output on one line.
const LINE_CHARS: usize = 240;
/// A line that must not be lost may be this long.
pub const FINDING_CHARS: usize = 600;
/// A run of letters and digits this long is encoded data.
const BLOB_CHARS: usize = 120;
/// Of the room, what is left for orientation when findings have taken all of it.
const ORIENTATION: f64 = 0.3;
/// What the agent looks for may take so much beside the room.
const WANTED: f64 = 1.0;
/// What the agent names is kept verbatim up to this size.
const NAMED: Tokens = Tokens(400);
/// What the agent edits is kept verbatim up to this size.
const WORKED_ON: Tokens = Tokens(800);
/// Of a section that the agent names, so many pieces from its start.
const NAMED_PIECES: usize = 40;
/// Lines around one that the agent edits.
const AROUND_EDITED: usize = 3;
/// A line in more places than this does not say which of them the agent edits.
const RARE_LINE: usize = 2;
/// A word tells something if it stands in a fourth of the pieces at most: ln 4.
const TELLING_WEIGHT: f64 = 1.386;

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Facts and pieces.
    pub body: String,
    /// Units in it, shown at least in brief.
    pub units: usize,
}

/// Writes the body of a digest of about `room`.
pub fn write(reading: &Reading, text: &str, room: Tokens, interest: &Interest, counter: &dyn TokenCounter) -> Written {
    let mut choice = Choice {
        reading,
        text,
        counter,
        shown: vec![Shown::Out; reading.pieces.len()],
        facts: vec![false; reading.facts.len()],
        spent: Tokens(0),
        // Lines without a place or a number of their own get a mark where one is missing.
        mark: if reading.layout == Layout::Bare { Tokens(0) } else { Tokens(3) },
    };
    choice.take_musts();
    let free = room.max(choice.spent + room.share(ORIENTATION));
    choice.take_wanted(interest, room);
    choice.take_facts(free);
    choice.take_telling(free);
    choice.take_ends(free);
    choice.render()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Out,
    Brief,
    Full,
    /// As it stands in the text, uncut and without a note: the agent edits it.
    Verbatim,
}

struct Choice<'a> {
    reading: &'a Reading,
    text: &'a str,
    counter: &'a dyn TokenCounter,
    shown: Vec<Shown>,
    facts: Vec<bool>,
    spent: Tokens,
    mark: Tokens,
}

impl Choice<'_> {
    fn take_musts(&mut self) {
        for (said, fact) in self.facts.iter_mut().zip(&self.reading.facts) {
            if fact.always {
                *said = true;
                self.spent += self.counter.estimate(&fact.text) + Tokens(1);
            }
        }
        // The last line tells how a command ended. A file does not end in that sense.
        // What was written around an output counts for no unit, and is not its end.
        let is_end = |piece: &Piece| {
            let text = piece.text(self.text).trim();
            let tells = piece.rank != Rank::Told || text.contains(char::is_alphanumeric);
            piece.units > 0 && !text.is_empty() && tells
        };
        let end = self.reading.pieces.iter().rposition(is_end).filter(|_| self.reading.ends);
        for (index, piece) in self.reading.pieces.iter().enumerate() {
            match piece.rank {
                Rank::Finding(_) => self.take(index, Shown::Full),
                Rank::Frame if piece.brief.is_some() => self.take(index, Shown::Brief),
                Rank::Frame => self.take(index, Shown::Full),
                Rank::Telling(_) | Rank::Ordinary | Rank::Told if Some(index) == end => self.take(index, Shown::Full),
                Rank::Telling(_) | Rank::Ordinary | Rank::Told => {}
            }
        }
    }

    fn take(&mut self, index: usize, as_much: Shown) {
        let before = self.cost_shown(index);
        let Some(shown) = self.shown.get_mut(index) else { return };
        *shown = as_much.max(*shown);
        self.spent = self.spent + self.cost_shown(index) - before;
    }

    fn cost_shown(&self, index: usize) -> Tokens {
        self.shown.get(index).map_or(Tokens(0), |shown| self.cost(index, *shown))
    }

    fn cost(&self, index: usize, shown: Shown) -> Tokens {
        match self.reading.pieces.get(index) {
            Some(piece) if shown != Shown::Out => {
                self.counter.estimate(&self.said_of(piece, shown)) + Tokens(1) + self.mark
            }
            Some(_) | None => Tokens(0),
        }
    }

    /// Takes pieces while they fit.
    fn take_while_room(&mut self, free: Tokens, indices: impl Iterator<Item = usize>) {
        for index in indices {
            if self.shown.get(index).is_some_and(|shown| *shown >= Shown::Full) {
                continue;
            }
            let more = self.cost(index, Shown::Full) - self.cost_shown(index);
            if self.spent + more > free {
                break;
            }
            self.take(index, Shown::Full);
        }
    }

    /// What the agent works on, and what it asks about.
    fn take_wanted(&mut self, interest: &Interest, room: Tokens) {
        if interest.is_empty() {
            return;
        }
        self.take_worked_on(interest);
        self.take_named(interest);
        let sections: Vec<&Section> = self.reading.sections.iter().collect();
        let allowance = self.spent + room.share(WANTED);
        let wanted = self.wanted(interest, &sections);
        self.take_while_room(allowance, wanted.into_iter());
    }

    /// Keeps verbatim what the agent names, the smallest first: who asks what a function does wants to see it.
    fn take_named(&mut self, interest: &Interest) {
        let named = self.reading.sections.iter().filter(|section| is_identifier(&section.name));
        let mut named: Vec<Range<usize>> =
            named.filter(|section| interest.names(&section.name)).map(|section| section.pieces.clone()).collect();
        named.sort_by_key(|section| (section.len(), section.start));
        let allowance = self.spent + NAMED;
        for section in named {
            self.take_verbatim(section, allowance);
        }
    }

    /// Keeps verbatim what the agent edits: the innermost section around the lines, the one with most of them first, then
    /// the sections around it while they fit. Of a section that is too long, and outside of sections, the lines with
    /// what stands around them.
    fn take_worked_on(&mut self, interest: &Interest) {
        let mut edited = self.edited(interest);
        if edited.is_empty() {
            return;
        }
        let mut sections: Vec<Range<usize>> = self.reading.sections.iter().map(|one| one.pieces.clone()).collect();
        sections.sort_by_key(|section| (section.len(), section.start));
        let (mut inner, mut outer) = (Vec::new(), Vec::new());
        let mut left: BTreeSet<usize> = edited.iter().copied().collect();
        for section in sections.into_iter().filter(|section| !section.is_empty()) {
            let own: Vec<usize> = left.range(section.clone()).copied().collect();
            own.iter().for_each(|index| {
                left.remove(index);
            });
            let first = edited.partition_point(|index| *index < section.start);
            let holds = edited.get(first).is_some_and(|index| section.contains(index));
            match own.is_empty() {
                false => inner.push((section, own)),
                true if holds => outer.push(section),
                true => {}
            }
        }
        // The most edited first.
        inner.sort_by_key(|(section, own)| (std::cmp::Reverse(own.len()), section.len()));
        let allowance = self.spent + WORKED_ON;
        edited.clear();
        for (section, own) in inner {
            if !self.take_verbatim(section.clone(), allowance) {
                // Its head, by which it is known.
                let rank = |index: usize| self.reading.pieces.get(index).map(|piece| piece.rank);
                let head = section.clone().find(|index| rank(*index) == Some(Rank::Frame)).unwrap_or(section.start);
                self.take_verbatim(head..head + 1, allowance);
                edited.extend(own);
            }
        }
        edited.extend(left);
        for index in edited {
            let end = (index + AROUND_EDITED + 1).min(self.reading.pieces.len());
            let around = self.take_verbatim(index.saturating_sub(AROUND_EDITED)..end, allowance);
            if !around && !self.take_verbatim(index..index + 1, allowance) {
                break;
            }
        }
        for section in outer {
            self.take_verbatim(section, allowance);
        }
    }

    /// Takes all of a range if it fits.
    fn take_verbatim(&mut self, range: Range<usize>, allowance: Tokens) -> bool {
        let mut cost = Tokens(0);
        for index in range.clone() {
            cost += self.cost(index, Shown::Verbatim) - self.cost_shown(index);
            if self.spent + cost > allowance {
                return false;
            }
        }
        range.for_each(|index| self.take(index, Shown::Verbatim));
        true
    }

    /// The pieces with lines that the agent edits. A line that stands in many places does not say where it works.
    fn edited(&self, interest: &Interest) -> Vec<usize> {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, piece) in self.reading.pieces.iter().enumerate() {
            for line in piece.text(self.text).lines() {
                let plain = without_number(line);
                if interest.works_on(line) || interest.works_on(plain) {
                    places.entry(plain.trim()).or_default().push(index);
                }
            }
        }
        let rare = places.into_values().filter(|places| places.len() <= RARE_LINE);
        let edited: BTreeSet<usize> = rare.flatten().collect();
        edited.into_iter().collect()
    }

    /// The pieces that hold telling words, the best first, those unlike each other before repeats.
    fn wanted(&self, interest: &Interest, sections: &[&Section]) -> Vec<usize> {
        let pieces = &self.reading.pieces;
        let hits: Vec<Hit> = interest.hits(self.text).collect();
        let weights = Interest::weights(&hits, pieces.len());
        let mut scores: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for hit in &hits {
            let index = pieces.partition_point(|piece| piece.span.end <= hit.at);
            let weight = weights.get(&hit.term).copied().unwrap_or_default();
            let inside = pieces.get(index).is_some_and(|piece| piece.span.start <= hit.at);
            if weight >= TELLING_WEIGHT && inside {
                scores.entry(index).or_default().insert(hit.term, weight);
            }
        }
        let mut scored: Vec<(f64, usize)> =
            scores.into_iter().map(|(index, terms)| (terms.values().sum::<f64>(), index)).collect();
        for section in sections.iter().filter(|section| interest.names(&section.name)) {
            // Its head before all else; the rest of it when every word was looked for.
            let rank = |index: usize| pieces.get(index).map(|piece| piece.rank);
            let head = section.pieces.clone().find(|index| rank(*index) == Some(Rank::Frame));
            scored.push((f64::MAX, head.unwrap_or(section.pieces.start)));
            scored.extend(section.pieces.clone().take(NAMED_PIECES).map(|index| (0.0, index)));
        }
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
        let mut ordered: Vec<(usize, usize)> = Vec::new();
        for (position, (_, index)) in scored.iter().enumerate() {
            let id = pieces.get(*index).map_or(0, |piece| template_id(piece.text(self.text)));
            let repeats = seen.entry(id).or_default();
            ordered.push((position + *repeats * scored.len(), *index));
            *repeats += 1;
        }
        ordered.sort_unstable();
        ordered.into_iter().map(|(_, index)| index).collect()
    }

    fn take_facts(&mut self, free: Tokens) {
        for (said, fact) in self.facts.iter_mut().zip(&self.reading.facts) {
            if *said {
                continue;
            }
            let cost = self.counter.estimate(&fact.text) + Tokens(1);
            if self.spent + cost > free {
                break;
            }
            *said = true;
            self.spent += cost;
        }
    }

    fn take_telling(&mut self, free: Tokens) {
        let pieces = self.reading.pieces.iter().enumerate();
        let mut telling: Vec<(Rank, usize)> = pieces
            .filter(|(_, piece)| {
                matches!(piece.rank, Rank::Telling(_)) || (piece.rank == Rank::Frame && piece.brief.is_some())
            })
            .map(|(index, piece)| (piece.rank, index))
            .collect();
        telling.sort_unstable();
        self.take_while_room(free, telling.into_iter().map(|(_, index)| index));
    }

    /// The end of an output says how it ended, so it is asked first and twice as often as the beginning.
    fn take_ends(&mut self, free: Tokens) {
        let ordinary = |(_, piece): &(usize, &Piece)| piece.rank == Rank::Ordinary;
        let mut left = self.reading.pieces.iter().enumerate().filter(ordinary).map(|(index, _)| index);
        for turn in 0.. {
            let next = if turn % 3 == 2 { left.next() } else { left.next_back() };
            let Some(index) = next else { break };
            let more = self.cost(index, Shown::Full) - self.cost_shown(index);
            if self.spent + more > free {
                break;
            }
            self.take(index, Shown::Full);
        }
    }

    fn said_of(&self, piece: &Piece, shown: Shown) -> String {
        let limit = if piece.rank.finding().is_some() { FINDING_CHARS } else { LINE_CHARS };
        if shown == Shown::Verbatim {
            return piece.text(self.text).trim_end().to_owned();
        }
        let said: Cow<'_, str> = match (shown, &piece.brief, &piece.full) {
            (Shown::Brief, Some(brief), _) => Cow::Borrowed(brief),
            (_, _, Some(full)) => Cow::Borrowed(full),
            (_, _, None) => cut_lines(piece.text(self.text), limit),
        };
        let note = piece.note.as_deref().unwrap_or_default();
        format!("{}{note}", said.trim_end())
    }

    fn render(self) -> Written {
        let unit = self.reading.unit;
        let mut body = String::new();
        for (_, fact) in self.facts.iter().zip(&self.reading.facts).filter(|(said, _)| **said) {
            body.push_str(&fact.text);
            body.push('\n');
        }
        let (mut missing, mut kept) = (0, 0);
        let mut before = Shown::Out;
        let mut number = match self.reading.layout {
            Layout::Numbered(first) => first,
            Layout::Gaps | Layout::Bare => 0,
        };
        for (piece, shown) in self.reading.pieces.iter().zip(&self.shown) {
            if *shown == Shown::Out {
                // Empty lines are no loss; a gap of nothing else needs no mark.
                let blank = piece.units == 1 && piece.text(self.text).trim().is_empty();
                missing += if blank { 0 } else { piece.units };
                number += piece.units;
                before = Shown::Out;
                continue;
            }
            mark_gap(&mut body, &mut missing, self.reading.layout, unit);
            // What is edited stays a block that can be copied: only its first line has a number.
            let goes_on = *shown == Shown::Verbatim && before == Shown::Verbatim;
            if let Layout::Numbered(_) = self.reading.layout
                && !goes_on
                && piece.units > 0
            {
                body.push_str(&format!("{number}: "));
            }
            before = *shown;
            body.push_str(&self.said_of(piece, *shown));
            body.push('\n');
            number += piece.units;
            kept += piece.units;
        }
        mark_gap(&mut body, &mut missing, self.reading.layout, unit);
        body.truncate(body.trim_end_matches('\n').len());
        Written { body, units: kept }
    }
}

/// `load_batch`, `LoadBatch`, `src/load.rs`: a name that is not also a word of a sentence.
fn is_identifier(name: &str) -> bool {
    let humps = name.chars().zip(name.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    humps || name.contains(['_', '/', '.', ':'])
}

fn mark_gap(body: &mut String, missing: &mut usize, layout: Layout, unit: Unit) {
    if *missing > 0 && layout == Layout::Gaps {
        body.push_str(&format!("[… {} …]\n", unit.count(*missing)));
    }
    *missing = 0;
}

/// Each line cut to `limit` characters, with encoded data told by its size.
pub fn cut_lines(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit.min(BLOB_CHARS) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.lines().map(|line| cut_line(line, limit)).collect();
    match lines.as_slice() {
        [only] => only.clone(),
        lines => Cow::Owned(lines.join("\n")),
    }
}

/// Keeps the beginning, the end, and what stands around the word of an error.
fn cut_line(line: &str, limit: usize) -> Cow<'_, str> {
    let line = without_blobs(line);
    if line.chars().nth(limit).is_none() {
        return line;
    }
    let around = events::error_word(&line).unwrap_or(0);
    let start = line.get(..around).map_or(0, |before| before.chars().count());
    let length = line.chars().count();
    let (head, window) = if start > limit / 2 { (limit / 4, limit / 2) } else { (limit * 3 / 4, 0) };
    let take = |from: usize, count: usize| line.chars().skip(from).take(count).collect::<String>();
    let mut cut = take(0, head);
    let mut at = head;
    if window > 0 {
        let from = start.saturating_sub(window / 4).max(head);
        if from > at {
            cut.push_str(&format!("[… {} chars …]", Tokens((from - at) as u64)));
        }
        cut.push_str(&take(from, window));
        at = from + window;
    }
    let end = limit - head - window;
    let tail = length.saturating_sub(end).max(at);
    if tail > at {
        cut.push_str(&format!("[… {} chars …]", Tokens((tail - at) as u64)));
    }
    if length > tail {
        cut.push_str(&take(tail, length - tail));
    }
    Cow::Owned(cut)
}

/// Encoded data (base64 and the like) is told by its size.
pub fn without_blobs(line: &str) -> Cow<'_, str> {
    if line.len() < BLOB_CHARS {
        return Cow::Borrowed(line);
    }
    let is_code = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let mut shorter = String::new();
    let (mut at, mut copied) = (0, 0);
    let bytes = line.as_bytes();
    while at < bytes.len() {
        let run = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_code(**byte)).count();
        let word = line.get(at..at + run).unwrap_or_default();
        let mixed = |test: fn(&u8) -> bool| word.as_bytes().iter().filter(|byte| test(byte)).count() * 20 > run;
        let encoded = mixed(u8::is_ascii_digit) && mixed(u8::is_ascii_alphabetic);
        if run >= BLOB_CHARS && encoded {
            shorter.push_str(line.get(copied..at).unwrap_or_default());
            shorter.push_str(&format!("[{} chars of encoded data]", Tokens(run as u64)));
            copied = at + run;
        }
        at += run.max(1);
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    shorter.push_str(line.get(copied..).unwrap_or_default());
    Cow::Owned(shorter)
}
