//! What the agent looks for: what it edits and names is kept verbatim, what speaks of its words while there is room.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Choice, LINE_CHARS, Shown};
use crate::outputs::interest::{Hit, Interest};
use crate::outputs::numbers::without_number;
use crate::outputs::reading::{Piece, Rank};
use crate::outputs::template::template_id;
use crate::tokens::Tokens;

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
/// Of a long piece, so many places are shown that the agent looks for.
const ASKED_AT_MOST: usize = 3;
/// So many bytes behind such a place, and half as many before it.
const AROUND_ASKED: usize = 80;
/// A line in more places than this does not say which of them the agent edits.
const RARE_LINE: usize = 2;
/// A word tells something if it stands in a fourth of the pieces at most: ln 4.
const TELLING_WEIGHT: f64 = 1.386;

impl Choice<'_> {
    /// What the agent works on, and what it asks about.
    pub(super) fn take_wanted(&mut self, interest: &Interest, room: Tokens) {
        if interest.is_empty() {
            return;
        }
        self.take_worked_on(interest);
        self.take_named(interest);
        let allowance = self.spent + room.share(WANTED);
        let wanted = self.wanted(interest);
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
                let head = self.head(&section);
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

    /// The piece by which a section is known.
    fn head(&self, section: &Range<usize>) -> usize {
        let is_head = |index: &usize| self.reading.pieces.get(*index).is_some_and(|piece| piece.rank == Rank::Frame);
        section.clone().find(is_head).unwrap_or(section.start)
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

    /// What stands around the words that the agent looks for, where it was cut away.
    pub(super) fn asked_for(&self, index: usize, piece: &Piece, said: &str) -> String {
        let text = piece.text(self.text);
        let mut shown = String::new();
        for at in self.asked.get(&index).into_iter().flatten().map(|at| at - piece.span.start) {
            let word = text.get(at..).unwrap_or_default();
            let end = word.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(word.len());
            let word = word.get(..end).unwrap_or_default();
            if !said.contains(word) && !shown.contains(word) {
                let from = text.floor_char_boundary(at.saturating_sub(AROUND_ASKED / 2));
                let to = text.floor_char_boundary((at + word.len() + AROUND_ASKED).min(text.len()));
                let around = text.get(from..to).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
                shown.push_str(&format!(" [… {around} …]"));
            }
        }
        shown
    }

    /// The pieces that hold telling words, the best first, those unlike each other before repeats.
    fn wanted(&mut self, interest: &Interest) -> Vec<usize> {
        let pieces = &self.reading.pieces;
        let hits: Vec<Hit> = interest.hits(self.text).collect();
        // A line may be as long as a page.
        let places = pieces.len().max(self.text.len() / LINE_CHARS);
        let weights = Interest::weights(&hits, places);
        let mut scores: BTreeMap<usize, BTreeMap<usize, f64>> = BTreeMap::new();
        for hit in &hits {
            let index = pieces.partition_point(|piece| piece.span.end <= hit.at);
            let weight = weights.get(&hit.term).copied().unwrap_or_default();
            let inside = pieces.get(index).is_some_and(|piece| piece.span.start <= hit.at);
            if weight >= TELLING_WEIGHT && inside {
                let of_piece = scores.entry(index).or_default();
                let first = of_piece.insert(hit.term, weight).is_none();
                let long = pieces.get(index).is_some_and(|piece| piece.span.len() > LINE_CHARS);
                if first && long && of_piece.len() <= ASKED_AT_MOST {
                    self.asked.entry(index).or_default().push(hit.at);
                }
            }
        }
        let mut scored: Vec<(f64, usize)> =
            scores.into_iter().map(|(index, terms)| (terms.values().sum::<f64>(), index)).collect();
        for section in self.reading.sections.iter().filter(|section| interest.names(&section.name)) {
            // Its head before all else; the rest of it when every word was looked for.
            scored.push((f64::MAX, self.head(&section.pieces)));
            scored.extend(section.pieces.clone().take(NAMED_PIECES).map(|index| (0.0, index)));
        }
        scored.sort_by(by_score);
        let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
        for (score, index) in &mut scored {
            let id = pieces.get(*index).map_or(0, |piece| template_id(piece.text(self.text)));
            let repeats = seen.entry(id).or_default();
            // The second of its form tells half as much: a line with one of the words, but unlike it, may tell more.
            *repeats += 1;
            *score /= *repeats as f64;
        }
        scored.sort_by(by_score);
        scored.into_iter().map(|(_, index)| index).collect()
    }
}

fn by_score(one: &(f64, usize), other: &(f64, usize)) -> Ordering {
    other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
}

/// `load_batch`, `LoadBatch`, `src/load.rs`: a name that is not also a word of a sentence.
fn is_identifier(name: &str) -> bool {
    let humps = name.chars().zip(name.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    humps || name.contains(['_', '/', '.', ':'])
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check_for;

    #[test]
    fn a_line_with_more_of_the_words_comes_first() {
        let line = |n: usize| {
            let what = if n == 277 { "refund" } else { "sale" };
            format!("10:{:02}:{:02} DEBUG {what} customer={} amount={}\n", n / 60, n % 60, n % 9, n * 7 % 1000)
        };
        let text: String = (0..400).map(line).collect();
        let digest = check_for("the refund with amount=939 of customer=7", "cat sales.log", &text);
        assert!(digest.contains("refund customer=7 amount=939"), "{digest}");
    }

    #[test]
    fn what_is_asked_for_is_shown_in_the_midst_of_a_long_line() {
        let words = |n: usize| (0..n).map(|n| format!("word{} ", n % 37)).collect::<String>();
        let text = format!("{}pool_size=41 {}", words(700), words(900));
        let digest = check_for("what is the pool_size", "cat long", &text);
        assert!(digest.contains("pool_size=41") && digest.len() < 900, "{digest}");
    }
}
