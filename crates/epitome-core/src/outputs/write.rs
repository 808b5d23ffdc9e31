//! Writes a digest: chooses among the pieces of a reading, and says what was left out.
//!
//! In this order: what must not be lost, what the agent looks for, what is said of the whole, what is telling, and at
//! last the ends of the output.

mod cut;
mod findings;
mod wanted;

pub use cut::{cut_lines, without_blobs};

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::cut_to_chars;
use super::interest::Interest;
use super::reading::{Fact, Layout, Piece, Rank, Reading, Unit};
use crate::tokens::{TokenCounter, Tokens};

/// Longer lines are cut: minified files and encoded data put a whole output on one line.
const LINE_CHARS: usize = 240;
/// A line that must not be lost may be this long.
pub const FINDING_CHARS: usize = 600;
/// What a kind says in place of a piece is cut above this length.
const LONGEST_SAID: usize = 4_000;
/// Of the room, what is left for orientation when findings have taken all of it.
const ORIENTATION: f64 = 0.3;
/// A fact is no longer than this: a configuration may have a hundred thousand keys.
const FACT_CHARS: usize = 1_500;
/// What is always said, and what frames the output, takes no more than this each.
const FRAME_AT_MOST: Tokens = Tokens(2_000);

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Facts and pieces.
    pub body: String,
    /// Units in it, shown at least in brief.
    pub units: usize,
    /// Findings beyond what a digest can hold, by their pieces, in order. The body says how many.
    pub left_out: Vec<usize>,
    /// Warnings that others stand for: the same of other names. The body says how many.
    pub folded: Vec<usize>,
}

/// Writes the body of a digest of about `room`.
pub fn write(reading: &Reading, text: &str, room: Tokens, interest: &Interest, counter: &dyn TokenCounter) -> Written {
    let mut choice = Choice {
        reading,
        text,
        counter,
        shown: vec![Shown::Out; reading.pieces.len()],
        facts: vec![false; reading.facts.len()],
        left_out: Vec::new(),
        folded: Vec::new(),
        asked: BTreeMap::new(),
        spent: Tokens(0),
        // Lines without a place or a number of their own get a mark where one is missing.
        mark: if reading.layout == Layout::Bare { Tokens(0) } else { Tokens(3) },
    };
    choice.take_musts(room);
    let free = room.max(choice.spent + room.share(ORIENTATION));
    choice.take_wanted(interest, room);
    choice.take_facts(free, 0..reading.facts.len());
    choice.take_telling(free);
    choice.take_ends(free);
    choice.take_something();
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
    left_out: Vec<usize>,
    folded: Vec<usize>,
    /// Where in long pieces words stand that the agent looks for.
    asked: BTreeMap<usize, Vec<usize>>,
    spent: Tokens,
    mark: Tokens,
}

impl Choice<'_> {
    fn take_musts(&mut self, room: Tokens) {
        let always: Vec<usize> =
            (0..self.facts.len()).filter(|at| self.fact(*at).is_some_and(|it| it.always)).collect();
        self.take_facts(FRAME_AT_MOST.max(room), always);
        self.take_end();
        self.take_findings(room);
        self.take_frame(room);
    }

    /// The last line tells how a command ended. A file does not end in that sense.
    fn take_end(&mut self) {
        // What was written around an output counts for no unit, and is not its end.
        let is_end = |piece: &Piece| {
            let text = piece.text(self.text).trim();
            let tells = piece.rank != Rank::Told || text.contains(char::is_alphanumeric);
            piece.units > 0 && !text.is_empty() && tells
        };
        let end = self.reading.pieces.iter().rposition(is_end).filter(|_| self.reading.ends);
        if let Some(end) = end {
            self.take(end, Shown::Full);
        }
    }

    /// The names of what is in it.
    fn take_frame(&mut self, room: Tokens) {
        let at_most = self.spent + FRAME_AT_MOST.max(room);
        let frame = self.reading.pieces.iter().enumerate().filter(|(_, piece)| piece.rank == Rank::Frame);
        for (index, piece) in frame {
            let shown = if piece.brief.is_some() { Shown::Brief } else { Shown::Full };
            self.take(index, shown);
            if self.spent > at_most {
                break;
            }
        }
    }

    /// A text of nothing but white space still has lines.
    fn take_something(&mut self) {
        if self.shown.iter().all(|shown| *shown == Shown::Out) {
            self.take(0, Shown::Full);
        }
    }

    fn take(&mut self, index: usize, as_much: Shown) {
        let before = self.cost_shown(index);
        let Some(shown) = self.shown.get_mut(index) else { return };
        *shown = as_much.max(*shown);
        self.spent = self.spent + self.cost_shown(index) - before;
    }

    /// Shows a piece in full that was not, for a cost that is known already.
    fn show(&mut self, index: usize, cost: Tokens, before: Tokens) {
        let Some(shown) = self.shown.get_mut(index) else { return };
        *shown = Shown::Full;
        self.spent = self.spent + cost - before;
    }

    fn cost_shown(&self, index: usize) -> Tokens {
        self.shown.get(index).map_or(Tokens(0), |shown| self.cost(index, *shown))
    }

    fn cost(&self, index: usize, shown: Shown) -> Tokens {
        match self.reading.pieces.get(index) {
            Some(piece) if shown != Shown::Out => {
                self.counter.estimate(&self.said_of(index, piece, shown)) + Tokens(1) + self.mark
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
            let (cost, before) = (self.cost(index, Shown::Full), self.cost_shown(index));
            if self.spent + (cost - before) > free {
                break;
            }
            self.show(index, cost, before);
        }
    }

    /// Says facts while they fit.
    fn take_facts(&mut self, free: Tokens, facts: impl IntoIterator<Item = usize>) {
        for index in facts {
            let Some(fact) = self.fact(index).filter(|_| self.facts.get(index) == Some(&false)) else { continue };
            let cost = self.counter.estimate(&said(fact)) + Tokens(1);
            if self.spent + cost > free {
                break;
            }
            self.facts[index] = true;
            self.spent += cost;
        }
    }

    fn fact(&self, index: usize) -> Option<&Fact> {
        self.reading.facts.get(index)
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
        let turns = (0..).map_while(|turn| if turn % 3 == 2 { left.next() } else { left.next_back() });
        self.take_while_room(free, turns);
    }

    fn said_of(&self, index: usize, piece: &Piece, shown: Shown) -> String {
        let limit = if piece.rank.finding().is_some() { FINDING_CHARS } else { LINE_CHARS };
        if shown == Shown::Verbatim {
            return piece.text(self.text).trim_end().to_owned();
        }
        let said: Cow<'_, str> = match (shown, &piece.brief, &piece.full) {
            (Shown::Brief, Some(brief), _) => Cow::Borrowed(brief),
            // A kind says little, but a value may be as long as the output.
            (_, _, Some(full)) if full.len() > LONGEST_SAID && piece.rank.finding().is_none() => cut_lines(full, limit),
            (_, _, Some(full)) => Cow::Borrowed(full),
            (_, _, None) => cut_lines(piece.text(self.text), limit),
        };
        let note = piece.note.as_deref().unwrap_or_default();
        let asked_for = if shown == Shown::Full { self.asked_for(index, piece, &said) } else { String::new() };
        format!("{}{asked_for}{note}", said.trim_end())
    }

    fn render(self) -> Written {
        let unit = self.reading.unit;
        let mut body = String::new();
        for (_, fact) in self.facts.iter().zip(&self.reading.facts).filter(|(said, _)| **said) {
            body.push_str(&said(fact));
            body.push('\n');
        }
        let (mut missing, mut kept) = (0, 0);
        let mut before = Shown::Out;
        let mut number = match self.reading.layout {
            Layout::Numbered(first) => first,
            Layout::Gaps | Layout::Bare => 0,
        };
        for (index, (piece, shown)) in self.reading.pieces.iter().zip(&self.shown).enumerate() {
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
            body.push_str(&self.said_of(index, piece, *shown));
            body.push('\n');
            number += piece.units;
            kept += piece.units;
        }
        mark_gap(&mut body, &mut missing, self.reading.layout, unit);
        body.push_str(&self.said_of_left_out());
        body.truncate(body.trim_end_matches('\n').len());
        Written { body, units: kept, left_out: self.left_out, folded: self.folded }
    }
}

fn said(fact: &Fact) -> Cow<'_, str> {
    if fact.text.len() <= FACT_CHARS { Cow::Borrowed(&fact.text) } else { cut_to_chars(&fact.text, FACT_CHARS).into() }
}

fn mark_gap(body: &mut String, missing: &mut usize, layout: Layout, unit: Unit) {
    if *missing > 0 && layout == Layout::Gaps {
        body.push_str(&format!("[… {} …]\n", unit.count(*missing)));
    }
    *missing = 0;
}
