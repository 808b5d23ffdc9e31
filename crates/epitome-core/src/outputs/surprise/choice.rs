//! Fills the room of a digest by worth per token, each line with the lines that name what it belongs to.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use xxhash_rust::xxh3::xxh3_64;

use super::Weighed;
use crate::outputs::interest::Interest;
use crate::tokens::Tokens;

/// Bits of a word that the agent asks for, at most.
const ASKED_AT_MOST: f32 = 8.0;
/// A name counts for more than a plain word.
const ASKED_NAME: f32 = 1.5;
const ASKED_WORD: f32 = 0.6;
/// A name that stands in more lines, of a hundred, tells nothing; a plain word even sooner.
const TELLING_NAME: usize = 5;
const TELLING_WORD: usize = 2;
const ALWAYS_TELLING: usize = 3;
/// A line is worth the less the more lines of its form, or of its outline, were taken.
const TAKEN: f32 = 0.85;
const TAKEN_OUTLINE: f32 = 0.4;
/// A line of more bits lends some of them to the deeper lines right below it.
const LENDS: f32 = 6.0;
const LENT: f32 = 0.5;
const LENT_ON: f32 = 0.8;
const LENT_LINES: usize = 12;
/// Of many lines, so many of the best are looked at.
const CANDIDATES: usize = 4_000;
/// Of lines that say the very same, so many are looked at.
const COPIES: u32 = 3;
/// A record that is asked for is kept whole up to this many lines, if its name is in few.
const RECORD_LINES: usize = 40;
const RECORD_NAMES: usize = 6;
/// Gaps of so few lines are closed.
const BRIDGE: usize = 3;

/// Of the room: how much of it is used, how much more gaps may take that are closed, and what a list of contents gets
/// beside it.
const AIM: f64 = 0.94;
const BRIDGED: f64 = 1.06;
const OUTLINE: f64 = 0.4;
const OUTLINE_OF_CODE: f64 = 1.0;
/// A line stands under no more than so many others.
const CLIMBED: usize = 16;

/// Below this share of the room, a line of fewer bits will do.
const ENOUGH: f64 = 0.45;
const HARDLY_WORTH: f32 = 0.5;
/// A line of fewer bits is not worth its room.
const WORTHLESS: f32 = 2.5;

/// What a line costs.
pub(in crate::outputs) trait Cost {
    /// Of all of it.
    fn whole(&self, line: usize) -> Tokens;
    /// Of as much as its outline says.
    fn short(&self, line: usize) -> Tokens;
}

/// Which lines are taken, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::outputs) enum Taken {
    Out,
    Short,
    Whole,
}

/// Chooses lines.
pub(in crate::outputs) struct Choosing<'a> {
    weighed: &'a Weighed,
    text: &'a str,
    cost: &'a dyn Cost,
    asked: Vec<f32>,
    lent: Vec<f32>,
    outline_share: f32,
    /// The names of all records stand above the lines.
    listed: bool,
    taken: Vec<Taken>,
    shown: HashMap<u32, u32>,
    forms: HashMap<u64, u32>,
    outlines: HashMap<u64, u32>,
    used: Tokens,
    costs: HashMap<(usize, Taken), Tokens>,
}

#[derive(Clone, Copy, PartialEq)]
struct Candidate {
    gain: f32,
    line: usize,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.gain.total_cmp(&other.gain).then(other.line.cmp(&self.line))
    }
}

impl<'a> Choosing<'a> {
    /// Chooses among the lines of `text`, some of which are taken already.
    pub(in crate::outputs) fn new(
        weighed: &'a Weighed,
        text: &'a str,
        interest: &Interest,
        room: Tokens,
        cost: &'a dyn Cost,
        (already, listed): (Vec<Taken>, bool),
    ) -> Choosing<'a> {
        let lines = weighed.structure.lines.len();
        let mut choosing = Choosing {
            weighed,
            text,
            cost,
            asked: asked(weighed, text, interest),
            lent: Vec::new(),
            outline_share: 1.0,
            listed,
            taken: vec![Taken::Out; lines],
            shown: HashMap::new(),
            forms: HashMap::new(),
            outlines: HashMap::new(),
            used: Tokens(0),
            costs: HashMap::new(),
        };
        choosing.lent = choosing.lent();
        choosing.outline_share = choosing.outline_share(room);
        for (line, taken) in already.into_iter().enumerate().filter(|(_, taken)| *taken != Taken::Out) {
            choosing.note(line, taken);
        }
        choosing.used = Tokens(0);
        choosing
    }

    /// Takes lines until the room is used.
    pub(in crate::outputs) fn fill(mut self, room: Tokens, may_exceed: bool) -> Vec<Taken> {
        // A list of contents is worth some room of its own.
        let extra = if self.weighed.structure.code { OUTLINE_OF_CODE } else { OUTLINE };
        let room = if may_exceed { room + self.outline_need().min(room).share(extra) } else { room };
        let slack = if may_exceed { room.share(0.02) + Tokens(5) } else { Tokens(0) };
        let (enough, aim) = (room.share(ENOUGH), room.share(AIM));
        let mut heap = self.candidates();
        while let Some(candidate) = heap.pop() {
            if self.used >= aim {
                break;
            }
            let line = candidate.line;
            if self.taken.get(line) == Some(&Taken::Whole) {
                continue;
            }
            let (worth, form) = (self.value(line), self.form(line));
            let least = if self.used < enough { HARDLY_WORTH } else { WORTHLESS };
            if worth < least && self.outline(line) < 1.0 {
                continue;
            }
            // Without its headers it can only cost less.
            let own = self.cost_once(line, form);
            let at_most = worth / (own.0 as f32).sqrt();
            if heap.peek().is_some_and(|next| at_most < next.gain) {
                heap.push(Candidate { gain: at_most, line });
                continue;
            }
            let headers = self.headers(line);
            let cost = own + headers.iter().map(|at| self.cost.short(*at)).sum::<Tokens>();
            let gain = worth / (cost.0 as f32).sqrt();
            if heap.peek().is_some_and(|next| gain < next.gain) {
                heap.push(Candidate { gain, line });
                continue;
            }
            if self.used + cost > room + slack {
                continue;
            }
            headers.into_iter().for_each(|at| self.take(at, Taken::Short));
            self.take(line, form);
        }
        self.bridge(if may_exceed { room.share(BRIDGED) } else { room });
        self.taken
    }

    /// Lines by their first gain, the best of them.
    fn candidates(&self) -> BinaryHeap<Candidate> {
        let gain = |line: usize| {
            let bytes = self.weighed.structure.lines.get(line).map_or(0, |line| line.span.len().min(500));
            self.value(line) / (2.0 + bytes as f32 / 4.0).sqrt()
        };
        let mut candidates: Vec<Candidate> = (0..self.taken.len())
            .filter(|line| self.taken.get(*line) == Some(&Taken::Out))
            .map(|line| Candidate { gain: gain(line), line })
            .filter(|candidate| candidate.gain > 0.0)
            .collect();
        // Lines that say the very same tell nothing new.
        let mut said: HashMap<u64, u32> = HashMap::new();
        candidates.retain(|candidate| {
            let copies = said.entry(self.outline_of(candidate.line)).or_default();
            *copies += 1;
            *copies <= COPIES
        });
        if candidates.len() > CANDIDATES {
            candidates.select_nth_unstable_by(CANDIDATES, |one, other| other.cmp(one));
            candidates.truncate(CANDIDATES);
        }
        // Whatever was estimated comes first once, and is weighed then.
        candidates.iter_mut().for_each(|candidate| candidate.gain *= 2.0);
        candidates.into()
    }

    fn value(&self, line: usize) -> f32 {
        let weighed = self.weighed;
        let of = |values: &[f32]| values.get(line).copied().unwrap_or_default();
        let told = |identity: u32| self.shown.get(&identity).copied().unwrap_or_default();
        let surprise = weighed.surprises.bits(line, told);
        let priors = of(&self.asked) + of(&weighed.errors) + of(&self.lent);
        let again = match priors > 0.0 {
            true => TAKEN.powi(self.forms.get(&self.form_of(line)).copied().unwrap_or(0).min(60) as i32),
            false => 1.0,
        };
        (surprise - weighed.usual).max(0.0) + of(&weighed.ends) + priors * again + self.outline(line)
    }

    fn outline(&self, line: usize) -> f32 {
        if self.listed && self.weighed.names.is_listed(line) {
            return 0.0;
        }
        let bits = self.weighed.outline.get(line).copied().unwrap_or_default() * self.outline_share;
        match bits > 0.0 {
            true => {
                let again = self.outlines.get(&self.outline_of(line)).copied().unwrap_or(0);
                bits * TAKEN_OUTLINE.powi(again.min(20) as i32)
            }
            false => 0.0,
        }
    }

    /// What a candidate costs, reckoned once.
    fn cost_once(&mut self, line: usize, form: Taken) -> Tokens {
        if let Some(cost) = self.costs.get(&(line, form)) {
            return *cost;
        }
        let cost = self.cost_of(line, form);
        self.costs.insert((line, form), cost);
        cost
    }

    /// A line that is taken for the outline is written in short.
    fn form(&self, line: usize) -> Taken {
        let outline = self.outline(line);
        if outline > 0.0 && outline * 2.0 > self.value(line) { Taken::Short } else { Taken::Whole }
    }

    fn cost_of(&self, line: usize, form: Taken) -> Tokens {
        match form {
            Taken::Out => Tokens(0),
            Taken::Short => self.cost.short(line),
            Taken::Whole => self.cost.whole(line),
        }
    }

    fn take(&mut self, line: usize, form: Taken) {
        let before = self.taken.get(line).copied().unwrap_or(Taken::Out);
        if form > before {
            self.used = self.used + self.cost_of(line, form) - self.cost_of(line, before);
            self.note(line, form);
        }
    }

    fn note(&mut self, line: usize, form: Taken) {
        let Some(taken) = self.taken.get_mut(line) else { return };
        *taken = form;
        for place in self.weighed.surprises.of(line) {
            *self.shown.entry(place.identity).or_default() += 1;
        }
        *self.forms.entry(self.form_of(line)).or_default() += 1;
        *self.outlines.entry(self.outline_of(line)).or_default() += 1;
    }

    fn form_of(&self, line: usize) -> u64 {
        self.weighed.form(line)
    }

    fn outline_of(&self, line: usize) -> u64 {
        let span = self.weighed.structure.lines.get(line).map(|line| line.span.clone()).unwrap_or_default();
        let words = self.text.get(span).unwrap_or_default().trim();
        xxh3_64(words.get(..words.floor_char_boundary(90)).unwrap_or_default().as_bytes())
    }

    /// The lines that say what a line belongs to and are not taken yet: the nearest, and the outermost of several.
    fn headers(&self, line: usize) -> Vec<usize> {
        let lines = &self.weighed.structure.lines;
        let mut headers: Vec<usize> = Vec::new();
        let mut above = lines.get(line).and_then(|line| line.parent);
        let structure = &self.weighed.structure;
        let (mut nearest, mut own) = (None, None);
        let mut named: Vec<usize> = Vec::new();
        let mut climbed = 0;
        while let Some(at) = above.map(|at| at as usize).filter(|_| climbed < CLIMBED) {
            let Some(parent) = lines.get(at) else { break };
            nearest = nearest.or(structure.has_words(parent).then_some(at));
            let name = self.weighed.names.name(structure, at);
            own = own.or(name.filter(|name| *name == at));
            named.extend(name);
            (above, climbed) = (parent.parent, climbed + 1);
        }
        // What it stands under, by what that is known, and what all of that is in.
        headers.extend(nearest);
        headers.extend(named.first());
        headers.extend(own);
        headers.extend(named.last());
        headers.sort_unstable();
        headers.dedup();
        headers.retain(|at| *at != line && self.taken.get(*at) == Some(&Taken::Out));
        headers
    }

    /// What a line of many bits lends to the deeper lines below it.
    fn lent(&self) -> Vec<f32> {
        let lines = &self.weighed.structure.lines;
        let mut lent = vec![0.0_f32; lines.len()];
        for (at, line) in lines.iter().enumerate() {
            let own = self.asked.get(at).copied().unwrap_or_default()
                + self.weighed.errors.get(at).copied().unwrap_or_default()
                + (self.weighed.surprises.bits(at, |_| 0) - self.weighed.usual).max(0.0);
            if own < LENDS {
                continue;
            }
            let mut bits = own.min(12.0) * LENT;
            let below = lines.iter().enumerate().skip(at + 1).take(LENT_LINES);
            for (below, _) in below.take_while(|(_, below)| below.level > line.level) {
                if let Some(lent) = lent.get_mut(below) {
                    *lent = lent.max(bits);
                }
                bits *= LENT_ON;
            }
        }
        lent
    }

    /// A list of contents is worth having if it fits.
    fn outline_share(&self, room: Tokens) -> f32 {
        let need = self.outline_need().0;
        let share = (0.7 * room.0 as f32 / need.max(1) as f32).min(1.0);
        if self.weighed.structure.code { share.sqrt() } else { share }
    }

    /// What all headings and definitions cost.
    fn outline_need(&self) -> Tokens {
        self.weighed.contents().map(|line| self.cost.short(line)).sum()
    }

    /// Closes small gaps where there is room left.
    fn bridge(&mut self, room: Tokens) {
        let mut gaps: Vec<(Tokens, std::ops::Range<usize>)> = Vec::new();
        let mut last: Option<usize> = None;
        for (at, taken) in self.taken.iter().enumerate() {
            if *taken == Taken::Out {
                continue;
            }
            let wordy = |line: usize| {
                let structure = &self.weighed.structure;
                structure.lines.get(line).is_some_and(|line| structure.has_words(line))
            };
            if let Some(from) =
                last.filter(|from| at - from > 1 && at - from <= BRIDGE + 1 && (from + 1..at).any(wordy))
            {
                let cost = (from + 1..at).map(|line| self.cost.whole(line)).sum();
                gaps.push((cost, from + 1..at));
            }
            last = Some(at);
        }
        let worth = |at: usize| self.value(at);
        let order = |cost: Tokens, gap: &std::ops::Range<usize>| {
            cost.0 as f32 / (1.0 + worth(gap.start.saturating_sub(1)).max(worth(gap.end)))
        };
        let mut gaps: Vec<(f32, Tokens, std::ops::Range<usize>)> =
            gaps.into_iter().map(|(cost, gap)| (order(cost, &gap), cost, gap)).collect();
        gaps.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.2.start.cmp(&other.2.start)));
        for (_, cost, gap) in gaps {
            if self.used + cost <= room {
                gap.for_each(|line| self.take(line, Taken::Whole));
            }
        }
    }
}

/// How much each line is asked for.
fn asked(weighed: &Weighed, text: &str, interest: &Interest) -> Vec<f32> {
    let lines = &weighed.structure.lines;
    let mut asked = vec![0.0_f32; lines.len()];
    let mut places: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for hit in interest.hits_and_pairs(text) {
        let line = lines.partition_point(|line| line.span.end <= hit.at);
        let of = places.entry(hit.term).or_default();
        if of.last() != Some(&(line as u32)) {
            of.push(line as u32);
        }
    }
    let filled = lines.iter().filter(|line| !weighed.structure.is_blank(line)).count();
    for (term, found) in places {
        let name = interest.is_name(term);
        let telling = if name { TELLING_NAME } else { TELLING_WORD };
        if found.len() > ALWAYS_TELLING && found.len() * 100 > filled * telling {
            continue;
        }
        let bits = (filled as f32 / found.len() as f32).log2().clamp(0.0, ASKED_AT_MOST);
        let bits = bits * if name { ASKED_NAME } else { ASKED_WORD };
        found.iter().filter_map(|line| asked.get_mut(*line as usize).map(|asked| *asked += bits)).count();
        // A record that is asked for is wanted whole.
        if name && found.len() <= RECORD_NAMES {
            found.iter().for_each(|line| ask_for_record(weighed, *line as usize, bits, &mut asked));
        }
    }
    asked
}

/// Asks for what stands beside a line under the same head, if that is little.
fn ask_for_record(weighed: &Weighed, line: usize, bits: f32, asked: &mut [f32]) {
    let lines = &weighed.structure.lines;
    let Some(own) = lines.get(line) else { return };
    let under = match own.opens {
        true => Some(line),
        false => own.parent.map(|parent| parent as usize),
    };
    let Some(head) = under else { return };
    let Some(level) = lines.get(head).map(|head| head.level) else { return };
    let end = lines.iter().enumerate().skip(head + 1).take(RECORD_LINES + 1);
    let end = end.take_while(|(_, line)| line.level > level || line.tokens.is_empty()).last();
    let Some((last, _)) = end.filter(|(last, _)| last - head <= RECORD_LINES) else { return };
    asked.get_mut(head..=last).into_iter().flatten().for_each(|asked| *asked = asked.max(bits * 0.6));
}
