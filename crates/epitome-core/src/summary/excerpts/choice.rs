//! Choosing lines: each time the one that shows most of what is not shown yet, for its cost.
//!
//! A term counts when it is shown first, and once more when one of its lines stands between the lines that stood around
//! it: a name in a shredded line says little.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::salience::Salience;
use super::sources::Transcript;

/// What the mark costs that says that lines were left out.
const GAP_COST: f32 = 2.0;

/// Less room is not worth looking for a line that fits.
const SMALLEST_PICK: f32 = 6.0;
/// What a token is worth that shows nothing new: little, but there may be room.
const PLAIN: f32 = 1e-4;

/// Lines taken so far.
pub(super) struct Choice<'a> {
    transcript: &'a Transcript<'a>,
    salience: &'a Salience,
    pub(super) taken: Vec<bool>,
    pub(super) open: Vec<bool>,
    /// Terms that stand somewhere.
    shown: Vec<bool>,
    /// Terms that stand in a line between its neighbours.
    settled: Vec<bool>,
    /// The evaluation in which each term was last counted.
    counted: Vec<u32>,
    evaluation: u32,
    passage: f32,
    heap: BinaryHeap<Candidate>,
    /// What was taken, in order: lines, whether the source was opened for them, and what they cost.
    pub(super) picks: Vec<Pick>,
}

/// What was taken at once.
pub(super) struct Pick {
    pub(super) lines: std::ops::Range<usize>,
    /// Lines of the range that had been taken before.
    pub(super) had: [bool; 3],
    pub(super) opened: Option<usize>,
    /// The line that names the source, if it was taken for that.
    pub(super) naming: Option<usize>,
    pub(super) cost: f32,
}

struct Candidate {
    rate: f32,
    line: u32,
}

/// What one line, or it with its neighbours, would bring.
struct Offer {
    lines: std::ops::Range<usize>,
    rate: f32,
    cost: f32,
}

impl<'a> Choice<'a> {
    pub(super) fn new(transcript: &'a Transcript<'a>, salience: &'a Salience, passage: f32) -> Choice<'a> {
        let terms = salience.worth.len();
        Choice {
            transcript,
            salience,
            taken: vec![false; transcript.lines.len()],
            open: vec![false; transcript.sources.len()],
            shown: vec![false; terms],
            settled: vec![false; terms],
            counted: vec![0; terms],
            evaluation: 0,
            passage,
            heap: BinaryHeap::new(),
            picks: Vec::new(),
        }
    }

    /// Terms that stand elsewhere need not be shown; where they stand in their passage, not again.
    pub(super) fn is_shown(&mut self, text: &str, in_passage: bool) {
        let (shown, settled) = (&mut self.shown, &mut self.settled);
        self.salience.lexicon.known_in(text, |id| {
            shown[id as usize] = true;
            settled[id as usize] |= in_passage;
        });
    }

    /// Takes lines until `room` is full. May be called again if it turns out that there is more.
    pub(super) fn fill(&mut self, mut room: f32) {
        let mut heap = std::mem::take(&mut self.heap);
        if self.picks.is_empty() {
            for line in 0..self.taken.len() {
                if !self.transcript.lines[line].repeated {
                    self.push(&mut heap, line);
                }
            }
        }
        while let Some(Candidate { rate, line }) = heap.pop() {
            if room < SMALLEST_PICK {
                heap.push(Candidate { rate, line });
                break;
            }
            let line = line as usize;
            let Some(offer) = self.offer(line) else { continue };
            if offer.rate < rate * 0.999 {
                if offer.rate > 0.0 {
                    heap.push(Candidate { rate: offer.rate, line: line as u32 });
                }
                continue;
            }
            if offer.cost > room {
                continue;
            }
            room -= offer.cost;
            let near = offer.lines.start.saturating_sub(2)..offer.lines.end + 2;
            self.take(offer);
            // Neighbours have become cheaper: they complete what is there.
            for line in near {
                if line < self.taken.len() && !self.taken[line] {
                    self.push(&mut heap, line);
                }
            }
        }
        self.heap = heap;
    }

    fn push(&mut self, heap: &mut BinaryHeap<Candidate>, line: usize) {
        if let Some(offer) = self.offer(line).filter(|offer| offer.rate > 0.0) {
            heap.push(Candidate { rate: offer.rate, line: line as u32 });
        }
    }

    /// The better of a line alone and a line between its neighbours.
    fn offer(&mut self, line: usize) -> Option<Offer> {
        let part = self.transcript.part(&self.transcript.lines[line])?.lines.clone();
        let around = line.saturating_sub(1).max(part.start)..(line + 2).min(part.end);
        let wide = self.offer_of(around, &part);
        let alone = self.offer_of(line..line + 1, &part);
        if wide.rate >= alone.rate { Some(wide) } else { Some(alone) }
    }

    fn offer_of(&mut self, lines: std::ops::Range<usize>, part: &std::ops::Range<usize>) -> Offer {
        self.evaluation += 2;
        let source = self.transcript.parts[self.transcript.lines[lines.start].part as usize].source;
        let mut cost = 0.0;
        let mut gain = 0.0;
        let mut adjoins = false;
        if !self.open[source] {
            cost += super::HEADING_COST;
            if let Some(naming) = self.naming(source, &lines) {
                cost += self.transcript.lines[naming].cost;
                gain += self.gain_of_showing(self.salience.of_line(naming));
            }
        }
        for line in lines.clone() {
            if self.taken[line] {
                adjoins = true;
            } else {
                let own = self.transcript.lines[line].cost;
                cost += own;
                gain += PLAIN * own * self.recency(line);
                gain += self.gain_of_showing(self.salience.of_line(line));
            }
        }
        if cost == 0.0 {
            return Offer { lines, rate: 0.0, cost };
        }
        adjoins |= lines.start > part.start && self.taken[lines.start - 1];
        adjoins |= lines.end < part.end && self.taken[lines.end];
        if !adjoins {
            cost += GAP_COST;
        }
        let completed = lines.start.saturating_sub(1).max(part.start)..(lines.end + 1).min(part.end);
        for line in completed {
            let is_in = |line: usize| self.taken[line] || lines.contains(&line);
            let whole =
                is_in(line) && (line == part.start || is_in(line - 1)) && (line + 1 >= part.end || is_in(line + 1));
            if whole {
                gain += self.passage * self.gain_of_settling(self.salience.of_line(line));
            }
        }
        Offer { lines, rate: gain / cost, cost }
    }

    /// The line that names a source, if it is not among `lines`.
    fn naming(&self, source: usize, lines: &std::ops::Range<usize>) -> Option<usize> {
        self.transcript.sources[source].naming.filter(|line| !lines.contains(line) && !self.taken[*line])
    }

    /// Between 0 and 1, by place alone.
    fn recency(&self, line: usize) -> f32 {
        (line + 1) as f32 / self.taken.len() as f32
    }

    fn gain_of_showing(&mut self, terms: &[u32]) -> f32 {
        let mut gain = 0.0;
        for id in terms {
            let id = *id as usize;
            if !self.shown[id] && self.counted[id] < self.evaluation {
                self.counted[id] = self.evaluation;
                gain += self.salience.worth[id];
            }
        }
        gain
    }

    fn gain_of_settling(&mut self, terms: &[u32]) -> f32 {
        let mut gain = 0.0;
        for id in terms {
            let id = *id as usize;
            if !self.settled[id] && self.counted[id] <= self.evaluation {
                self.counted[id] = self.evaluation + 1;
                gain += self.salience.worth[id];
            }
        }
        gain
    }

    fn take(&mut self, offer: Offer) {
        let Offer { lines, cost, .. } = offer;
        let part = &self.transcript.parts[self.transcript.lines[lines.start].part as usize];
        let source = part.source;
        let opened = (!self.open[source]).then_some(source);
        if opened.is_some() {
            self.open[source] = true;
        }
        let naming = opened.and_then(|source| self.naming(source, &lines));
        if let Some(naming) = naming {
            self.taken[naming] = true;
            for id in self.salience.of_line(naming) {
                self.shown[*id as usize] = true;
            }
        }
        let mut had = [true; 3];
        for (line, had) in lines.clone().zip(&mut had) {
            *had = std::mem::replace(&mut self.taken[line], true);
            for id in self.salience.of_line(line) {
                self.shown[*id as usize] = true;
            }
        }
        for line in lines.start.saturating_sub(1).max(part.lines.start)..(lines.end + 1).min(part.lines.end) {
            let before = line == part.lines.start || self.taken[line - 1];
            let after = line + 1 >= part.lines.end || self.taken[line + 1];
            if self.taken[line] && before && after {
                for id in self.salience.of_line(line) {
                    self.settled[*id as usize] = true;
                }
            }
        }
        self.picks.push(Pick { lines, had, opened, naming, cost });
    }

    /// Gives back what was taken last.
    pub(super) fn give_back(&mut self) -> Option<f32> {
        let pick = self.picks.pop()?;
        for (line, had) in pick.lines.zip(pick.had) {
            self.taken[line] = had;
        }
        if let Some(source) = pick.opened {
            self.open[source] = false;
        }
        if let Some(naming) = pick.naming {
            self.taken[naming] = false;
        }
        Some(pick.cost)
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Candidate) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The best first; of equals the newest.
impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.rate.total_cmp(&other.rate).then(self.line.cmp(&other.line))
    }
}
