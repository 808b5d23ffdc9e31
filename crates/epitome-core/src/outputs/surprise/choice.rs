//! Fills the room of a digest by worth per token, each line with the lines that name what it belongs to.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::Weighed;
use super::hashed::Hashed;
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
const RECORD_LINES: usize = 60;
const RECORD_NAMES: usize = 6;
/// Of the bits of its name, what each of its lines gets.
const WANTED: f32 = 0.6;
/// Gaps of so few lines are closed.
const BRIDGE: usize = 3;

/// Of the room: how much of it is filled line by line, and what a list of contents gets beside it. The rest is for longer
/// forms of lines and for small gaps.
const AIM: f64 = 0.86;
const OUTLINE: f64 = 0.3;
const OUTLINE_OF_CODE: f64 = 1.0;
/// Records that are asked for get so much of it beside it, at most.
const MORE_WANTED: f64 = 0.8;
/// A line stands under no more than so many others.
const CLIMBED: usize = 16;

/// Ranks of lines in the outline.
const RANKS: usize = 5;
/// Below this share of the room, a line of fewer bits will do.
const ENOUGH: f64 = 0.33;
const HARDLY_WORTH: f32 = 0.5;
/// A line of fewer bits is not worth its room.
const WORTHLESS: f32 = 3.0;

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
    /// Bits of the records that are asked for by name.
    wanted: Vec<f32>,
    lent: Vec<f32>,
    /// Of the bits of the outline, what a line gets: by its rank.
    outline_shares: [f32; RANKS],
    /// What all headings and definitions cost.
    outline_need: Tokens,
    /// The names of all records stand above the lines.
    listed: bool,
    taken: Vec<Taken>,
    shown: HashMap<u32, u32>,
    forms: Hashed<u32>,
    outlines: Hashed<u32>,
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
        let (asked, wanted) = asked(weighed, text, interest);
        let mut choosing = Choosing {
            weighed,
            text,
            cost,
            asked,
            wanted,
            lent: Vec::new(),
            outline_shares: [1.0; RANKS],
            outline_need: Tokens(0),
            listed,
            taken: vec![Taken::Out; lines],
            shown: HashMap::new(),
            forms: Hashed::default(),
            outlines: Hashed::default(),
            used: Tokens(0),
            costs: HashMap::new(),
        };
        choosing.lent = choosing.lent();
        let needs = choosing.outline_needs();
        choosing.outline_need = needs.into_iter().sum();
        choosing.outline_shares = choosing.outline_shares(needs, room);
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
        let room = match may_exceed {
            true => room + self.outline_need.min(room).share(extra) + self.wanted_need().min(room.share(MORE_WANTED)),
            false => room,
        };
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
        self.lengthen(room);
        self.bridge(room);
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
        let mut said: Hashed<u32> = Hashed::default();
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
        (surprise - weighed.usual).max(0.0) + of(&weighed.ends) + of(&self.wanted) + priors * again + self.outline(line)
    }

    fn outline(&self, line: usize) -> f32 {
        if self.listed && self.weighed.names.is_listed(line) {
            return 0.0;
        }
        let bits = self.weighed.outline.get(line).copied().unwrap_or_default()
            * self.outline_shares.get(self.rank(line)).copied().unwrap_or_default();
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
                + self.wanted.get(at).copied().unwrap_or_default()
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

    /// A list of contents is worth having if it fits: definitions first, then the outermost heads.
    fn outline_shares(&self, needs: [Tokens; RANKS], room: Tokens) -> [f32; RANKS] {
        let mut left = 0.7 * room.0 as f32;
        needs.map(|need| {
            let share = (left.max(0.0) / need.0.max(1) as f32).min(1.0);
            left -= need.0 as f32;
            if self.weighed.structure.code { share.sqrt() } else { share }
        })
    }

    /// How early a line is in the outline: definitions, then heads by their depth.
    fn rank(&self, line: usize) -> usize {
        let line = self.weighed.structure.lines.get(line);
        line.map_or(0, |line| if line.defines || !line.opens { 0 } else { usize::from(line.depth) + 1 }).min(RANKS - 1)
    }

    /// What headings and definitions cost, by their rank.
    fn outline_needs(&self) -> [Tokens; RANKS] {
        let mut needs = [Tokens(0); RANKS];
        for line in self.weighed.contents() {
            if let Some(need) = needs.get_mut(self.rank(line)) {
                *need += self.cost.short(line);
            }
        }
        needs
    }

    /// Writes lines whole that are written in short, if there is room: the cheapest for what they are worth first.
    fn lengthen(&mut self, room: Tokens) {
        let short = self.taken.iter().enumerate().filter(|(_, taken)| **taken == Taken::Short);
        let mut short: Vec<(f32, usize)> = short
            .map(|(line, _)| {
                let more = self.cost.whole(line) - self.cost.short(line);
                (more.0 as f32 / (1.0 + self.value(line)), line)
            })
            .collect();
        short.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (_, line) in short {
            if self.used + self.cost.whole(line) - self.cost.short(line) <= room {
                self.take(line, Taken::Whole);
            }
        }
    }

    /// What the records cost that are asked for.
    fn wanted_need(&self) -> Tokens {
        let wanted = self.wanted.iter().enumerate().filter(|(_, bits)| **bits > 0.0);
        wanted.map(|(line, _)| self.cost.whole(line)).sum()
    }

    /// Closes small gaps where there is room left.
    fn bridge(&mut self, room: Tokens) {
        let mut gaps: Vec<(Tokens, Range<usize>)> = Vec::new();
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
        let order = |cost: Tokens, gap: &Range<usize>| {
            cost.0 as f32 / (1.0 + worth(gap.start.saturating_sub(1)).max(worth(gap.end)))
        };
        let mut gaps: Vec<(f32, Tokens, Range<usize>)> =
            gaps.into_iter().map(|(cost, gap)| (order(cost, &gap), cost, gap)).collect();
        gaps.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.2.start.cmp(&other.2.start)));
        for (_, cost, gap) in gaps {
            if self.used + cost <= room {
                gap.for_each(|line| self.take(line, Taken::Whole));
            }
        }
    }
}

/// How much each line is asked for, by its words and as part of a record that is asked for by name.
fn asked(weighed: &Weighed, text: &str, interest: &Interest) -> (Vec<f32>, Vec<f32>) {
    let lines = &weighed.structure.lines;
    let mut asked = vec![0.0_f32; lines.len()];
    let mut wanted = asked.clone();
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
            found.iter().for_each(|line| ask_for_record(weighed, text, *line as usize, bits, &mut wanted));
        }
    }
    (asked, wanted)
}

/// Asks for what stands beside a line, if that is little: under the same head, or under the same path.
fn ask_for_record(weighed: &Weighed, text: &str, line: usize, bits: f32, wanted: &mut [f32]) {
    let record = under_one_head(weighed, line).or_else(|| under_one_path(weighed, text, line));
    let wanted = record.and_then(|record| wanted.get_mut(record));
    wanted.into_iter().flatten().for_each(|wanted| *wanted = wanted.max(bits * WANTED));
}

fn under_one_head(weighed: &Weighed, line: usize) -> Option<Range<usize>> {
    let lines = &weighed.structure.lines;
    let own = lines.get(line)?;
    let head = if own.opens { line } else { own.parent? as usize };
    let level = lines.get(head)?.level;
    let end = lines.iter().enumerate().skip(head + 1).take(RECORD_LINES + 1);
    let (last, _) = end.take_while(|(_, line)| line.level > level || line.tokens.is_empty()).last()?;
    (last - head <= RECORD_LINES).then_some(head..last + 1)
}

/// Lines in a row that begin with the same path, `net.eth0.`: the longest such row that is short enough.
fn under_one_path(weighed: &Weighed, text: &str, line: usize) -> Option<Range<usize>> {
    let lines = &weighed.structure.lines;
    let words = |at: usize| lines.get(at).and_then(|line| text.get(line.span.clone())).unwrap_or_default();
    let own = words(line);
    let name = own.get(..own.find(['=', ' ', '\t']).unwrap_or(own.len())).unwrap_or_default();
    let row = |path: &str| {
        let before = (0..line).rev().take(RECORD_LINES).take_while(|at| words(*at).starts_with(path)).count();
        let behind = (line + 1..lines.len()).take(RECORD_LINES).take_while(|at| words(*at).starts_with(path)).count();
        line - before..line + behind + 1
    };
    let rows = name.match_indices('.').filter_map(|(end, _)| name.get(..=end)).map(row);
    rows.filter(|row| (2..=RECORD_LINES).contains(&row.len())).max_by_key(ExactSizeIterator::len)
}
