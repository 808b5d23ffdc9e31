//! What an output teaches its reader to expect, and how much each line differs from it, in bits.
//!
//! What stands where something else nearly always stands is a surprise. Where all differ, as names and ids do, none is:
//! the share of what is as rare as a symbol, or rarer, counts, and not the share of the symbol alone.

use super::hashed::{Hashed, mix};
use super::structure::{Line, Structure};
use super::symbols::{Class, Token, number_of};

/// What of each line is unlike what was to be expected there.
#[derive(Debug, Default)]
pub(super) struct Surprises {
    places: Vec<Place>,
    /// Where the places of each line end.
    ends: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Place {
    pub(super) bits: f32,
    /// What is unlike what: the same of many lines is told by one of them.
    pub(super) identity: u32,
}

/// A context that was met less often gives way to a shorter one.
const MET: u32 = 8;
/// What is met this often is hardly more usual than what is met `count` times.
fn about_as_rare(count: u32) -> u32 {
    3 * count + 2
}
/// Fewer bits are no surprise.
const FLOOR: f32 = 2.0;
/// Places of a line that count.
pub(super) const PLACES: usize = 4;
/// Places that are remembered: of those that count, some are told by other lines.
const REMEMBERED: usize = 7;
/// Numbers that are needed to say what a number is like.
const NUMBERS: usize = 8;
/// Symbols of a line that make its template.
const TEMPLATE: usize = 10;

/// A symbol in a context.
struct Entry {
    context: u64,
    /// Contexts that take its place where it was met too seldom, or none.
    shorter: [u64; 2],
    symbol: u32,
    count: u32,
}

/// No context.
const NONE: u64 = 0;

/// Counts what stands where.
#[derive(Default)]
struct Counts {
    index: Hashed<u32>,
    entries: Vec<Entry>,
}

impl Counts {
    /// Counts a symbol in its context. `shorter` gives the contexts that may take its place.
    fn count(&mut self, context: u64, symbol: u32, shorter: impl FnOnce() -> [u64; 2]) -> u32 {
        let next = self.entries.len() as u32;
        let at = *self.index.entry(mix(context, u64::from(symbol))).or_insert(next);
        match self.entries.get_mut(at as usize) {
            Some(entry) => entry.count += 1,
            None => self.entries.push(Entry { context, shorter: shorter(), symbol, count: 1 }),
        }
        at
    }

    /// How surprising each entry is, in its own context, or in a shorter one where that was met more often.
    fn weigh(self) -> Vec<Place> {
        let own = weigh_in_contexts(self.entries.iter().map(|entry| (entry.context, entry.count)));
        let seldom = |at: &usize| own.get(*at).is_some_and(|weight| weight.total < MET);
        let entries = || self.entries.iter().enumerate();
        // Shorter contexts are counted where they are needed.
        let mut needed: Hashed<()> = Hashed::default();
        for (_, entry) in entries().filter(|(at, _)| seldom(at)) {
            needed.extend(entry.shorter.into_iter().filter(|context| *context != NONE).map(|context| (context, ())));
        }
        let mut index: Hashed<u32> = Hashed::default();
        let mut shorter: Vec<(u64, u32)> = Vec::new();
        let mut shorter_of: Vec<[u32; 2]> = vec![[u32::MAX; 2]; self.entries.len()];
        for ((_, entry), found) in entries().zip(&mut shorter_of) {
            for (context, found) in entry.shorter.into_iter().zip(found) {
                if context == NONE || !needed.contains_key(&context) {
                    continue;
                }
                let next = shorter.len() as u32;
                *found = *index.entry(mix(context, u64::from(entry.symbol))).or_insert(next);
                match shorter.get_mut(*found as usize) {
                    Some((_, count)) => *count += entry.count,
                    None => shorter.push((context, entry.count)),
                }
            }
        }
        let shorter = weigh_in_contexts(shorter.into_iter());
        let weigh = |(at, found): (usize, [u32; 2])| {
            let own = own.get(at).copied().unwrap_or_default();
            let others = found.into_iter().filter_map(|found| Some((found, shorter.get(found as usize)?)));
            match others.max_by_key(|(_, weight)| weight.total).filter(|_| own.total < MET) {
                Some((found, weight)) => Place { bits: weight.bits, identity: self.entries.len() as u32 + found },
                None => Place { bits: own.bits, identity: at as u32 },
            }
        };
        shorter_of.into_iter().enumerate().map(weigh).collect()
    }
}

/// How surprising a symbol is in a context, and how often that was met.
#[derive(Debug, Clone, Copy, Default)]
struct Weight {
    bits: f32,
    total: u32,
}

/// Weighs symbols by context and count: by the share of what stood there as rarely, about. Contexts that were met too
/// seldom surprise nobody.
fn weigh_in_contexts(counts: impl Iterator<Item = (u64, u32)>) -> Vec<Weight> {
    let mut numbers: Hashed<u32> = Hashed::default();
    let mut totals: Vec<u32> = Vec::new();
    let mut entries: Vec<(u32, u32)> = Vec::new();
    for (context, count) in counts {
        let next = totals.len() as u32;
        let number = *numbers.entry(context).or_insert(next);
        match totals.get_mut(number as usize) {
            Some(total) => *total += count,
            None => totals.push(count),
        }
        entries.push((number, count));
    }
    let total_of = |number: u32| totals.get(number as usize).copied().unwrap_or_default();
    let mut weights: Vec<Weight> =
        entries.iter().map(|(number, _)| Weight { bits: 0.0, total: total_of(*number) }).collect();
    // By context, then by count.
    let mut ends: Vec<usize> = vec![0; totals.len()];
    let often = || entries.iter().enumerate().filter(|(_, (number, _))| total_of(*number) >= MET);
    often().for_each(|(_, (number, _))| ends[*number as usize] += 1);
    let mut end = 0;
    for of_context in &mut ends {
        let start = end;
        end += *of_context;
        *of_context = start;
    }
    let mut members: Vec<(u32, u32)> = vec![(0, 0); end];
    for (at, (number, count)) in often() {
        let place = &mut ends[*number as usize];
        members[*place] = (*count, at as u32);
        *place += 1;
    }
    let mut start = 0;
    for (end, total) in ends.into_iter().zip(&totals).filter(|(_, total)| **total >= MET) {
        let of_context = &mut members[start..end];
        start = end;
        of_context.sort_unstable_by_key(|(count, _)| *count);
        let (mut rare, mut next) = (0, 0);
        for alike in of_context.chunk_by(|one, other| one.0 == other.0) {
            let about = alike.first().map_or(0, |(count, _)| about_as_rare(*count));
            while let Some((count, _)) = of_context.get(next).filter(|(count, _)| *count <= about) {
                rare += count;
                next += 1;
            }
            let bits = (f64::from(*total) / f64::from(rare.max(1))).log2() as f32;
            alike.iter().for_each(|(_, at)| weights[*at as usize].bits = bits);
        }
    }
    weights
}

/// No entry.
const NO_ENTRY: u32 = u32::MAX;

/// A number far out.
#[derive(Debug, Clone, Copy)]
struct Outlier {
    line: u32,
    place: u16,
    bits: f32,
}

/// A number at a place that has numbers.
struct Valued {
    slot: u64,
    value: f64,
    line: u32,
    place: u16,
}

// What a context is of: they must not be mistaken for each other.
const LINE_BEGINS: u64 = 1;
const WHOLE: u64 = 2;
const BEHIND_ONE: u64 = 3;
const BEHIND_THAT: u64 = 4;
const BETWEEN: u64 = 5;
const OF_KEY: u64 = 6;
const NAMED: u64 = 7;
const COLUMN: u64 = 1 << 40;
const TEMPLATES: u64 = 8;
const TEMPLATE_BEHIND: u64 = 9;

/// How unlike what was to be expected each line is.
pub(super) fn surprises(structure: &Structure, text: &str) -> Surprises {
    let mut counts = Counts::default();
    let mut met: Vec<[u32; 2]> = Vec::with_capacity(structure.tokens.len());
    let mut values: Vec<Valued> = Vec::new();
    for (index, line) in structure.lines.iter().enumerate() {
        read_line(structure, text, (index as u32, line), &mut counts, &mut met, &mut values);
    }
    let templates = read_templates(structure, &mut counts);
    let weights = counts.weigh();
    let weight = |entry: u32| weights.get(entry as usize).copied().unwrap_or_default();
    let largest = |entries: &[u32; 2]| {
        let [one, other] = entries.map(weight);
        if other.bits > one.bits { other } else { one }
    };
    let outliers = outliers(values);
    let mut outliers = outliers.iter().enumerate().peekable();
    let mut surprises = Surprises::default();
    let mut own: Vec<Place> = Vec::new();
    for (index, (line, template)) in structure.lines.iter().zip(&templates).enumerate() {
        let met = met.get(line.tokens.start as usize..line.tokens.end as usize).unwrap_or_default();
        own.clear();
        own.extend(met.iter().map(largest));
        while let Some((number, outlier)) = outliers.next_if(|(_, outlier)| outlier.line as usize <= index) {
            // No two numbers far out are alike.
            let identity = u32::MAX - number as u32;
            if let Some(place) = own.get_mut(usize::from(outlier.place)).filter(|place| place.bits < outlier.bits) {
                *place = Place { bits: outlier.bits, identity };
            }
        }
        own.push(largest(template));
        own.retain(|place| place.bits > FLOOR);
        own.sort_unstable_by(|one, other| other.bits.total_cmp(&one.bits).then(one.identity.cmp(&other.identity)));
        surprises.places.extend(own.iter().take(REMEMBERED));
        surprises.ends.push(surprises.places.len() as u32);
    }
    surprises
}

fn read_line(
    structure: &Structure,
    text: &str,
    (index, line): (u32, &Line),
    counts: &mut Counts,
    met: &mut Vec<[u32; 2]>,
    values: &mut Vec<Valued>,
) {
    let (mut before, mut last) = (LINE_BEGINS, mix(LINE_BEGINS, u64::from(line.level.min(16))));
    let mut name = last;
    let tokens = structure.tokens_of(line);
    let key = key_of(tokens);
    let table = is_row(tokens, text);
    let mut cells = 0;
    for (place, token) in tokens.iter().enumerate() {
        // A cell of a table begins as a line does: what stands in the cell before tells nothing.
        if table && place > 0 && begins_cell(tokens, place, text) {
            cells += 1;
            // Numbers stand on the right of their column, words on its left; behind a tab nothing has a fixed place.
            let tab = text.as_bytes().get(token.at as usize - 1) == Some(&b'\t');
            let column = match tab || token.class == Class::Number {
                true => mix(COLUMN, cells),
                false => mix(COLUMN, COLUMN + u64::from(token.at - line.span.start as u32)),
            };
            (before, last) = (COLUMN, column);
            name = last;
        }
        // What stands behind a name, whatever signs part them.
        let named = match name == last {
            true => NO_ENTRY,
            false => {
                let shorter = || [mix(name, NAMED ^ BEHIND_ONE), NONE];
                counts.count(mix(mix(name, last), NAMED), token.text, shorter)
            }
        };
        let shorter = || [mix(last, BEHIND_ONE), mix(before, BEHIND_THAT)];
        met.push([counts.count(mix(mix(before, last), WHOLE), token.text, shorter), named]);
        if token.class == Class::Number {
            let at = token.at as usize;
            let number = text.get(at..at + usize::from(token.length)).unwrap_or_default();
            if let Some(value) = number_of(number) {
                let next = tokens.get(place + 1).map_or(NONE, |token| u64::from(token.symbol));
                let mut note = |slot: u64| values.push(Valued { slot, value, line: index, place: place as u16 });
                note(mix(mix(before, last), WHOLE));
                note(mix(mix(last, next), BETWEEN));
                if let Some(key) = key {
                    note(mix(mix(key, next), OF_KEY));
                }
            }
        }
        (before, last) = (last, u64::from(token.symbol));
        if token.class != Class::Sign {
            name = last;
        }
    }
}

/// Whether a line has three cells, parted by tabs or several blanks.
fn is_row(tokens: &[Token], text: &str) -> bool {
    (1..tokens.len()).filter(|place| begins_cell(tokens, *place, text)).nth(1).is_some()
}

fn begins_cell(tokens: &[Token], place: usize, text: &str) -> bool {
    let (Some(before), Some(token)) = (place.checked_sub(1).and_then(|at| tokens.get(at)), tokens.get(place)) else {
        return false;
    };
    let end = before.at as usize + usize::from(before.length);
    let gap = token.at as usize - end;
    gap > 1 || gap == 1 && text.as_bytes().get(end) == Some(&b'\t')
}

/// The name before `=` or `:`, else how the line begins.
fn key_of(tokens: &[Token]) -> Option<u64> {
    let named = tokens.iter().take(5).position(|token| token.is_sign(":") || token.is_sign("=")).filter(|at| *at > 0);
    let key = tokens.iter().take(named.unwrap_or(3));
    key.map(|token| u64::from(token.symbol)).reduce(mix)
}

/// What lines are like as a whole, and what follows what.
fn read_templates(structure: &Structure, counts: &mut Counts) -> Vec<[u32; 2]> {
    let filled = || structure.lines.iter().filter(|line| !structure.is_blank(line));
    let first = |line: &Line| structure.tokens_of(line).iter().take(TEMPLATE).map(|token| token.symbol as usize);
    let mut lines_with: Vec<u32> = Vec::new();
    for symbol in filled().flat_map(first) {
        if lines_with.len() <= symbol {
            lines_with.resize(symbol + 1, 0);
        }
        lines_with[symbol] += 1;
    }
    let rare = 3.max(filled().count() as u32 / 50);
    let common = |symbol: usize| lines_with.get(symbol).is_some_and(|count| *count >= rare);
    let mut before = NONE;
    let template = |line: &Line| {
        if structure.is_blank(line) {
            return [NO_ENTRY; 2];
        }
        let symbols = first(line).map(|symbol| if common(symbol) { symbol as u64 } else { NONE });
        let template = symbols.fold(NONE, mix);
        let contexts = [TEMPLATES, mix(std::mem::replace(&mut before, template), TEMPLATE_BEHIND)];
        contexts.map(|context| counts.count(context, template as u32, || [NONE; 2]))
    };
    structure.lines.iter().map(template).collect()
}

/// Numbers far from the others of their place, by line.
fn outliers(mut values: Vec<Valued>) -> Vec<Outlier> {
    values.sort_unstable_by(|one, other| one.slot.cmp(&other.slot).then(one.value.total_cmp(&other.value)));
    let mut outliers = Vec::new();
    let mut distances: Vec<f64> = Vec::new();
    let mut far: Vec<(f64, usize)> = Vec::new();
    for slot in values.chunk_by(|one, other| one.slot == other.slot) {
        let (Some(first), Some(last)) = (slot.first(), slot.last()) else { continue };
        if slot.len() < NUMBERS || first.value == last.value {
            continue;
        }
        let median = slot.get(slot.len() / 2).map_or(0.0, |middle| middle.value);
        distances.clear();
        distances.extend(slot.iter().map(|valued| (valued.value - median).abs()));
        distances.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| distances.get((distances.len() as f64 * share) as usize).copied().unwrap_or_default();
        let scale = (1.5 * at(0.5)).max(at(0.9) / 2.0).max(0.02 * median.abs()).max(f64::MIN_POSITIVE);
        let usual = (at(0.95) / scale).max(1.0);
        far.clear();
        far.extend(slot.iter().enumerate().filter_map(|(at, valued)| {
            let distance = (valued.value - median).abs() / scale;
            (distance > 2.0 * usual).then_some((distance, at))
        }));
        far.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
        for (rank, (distance, at)) in far.iter().enumerate() {
            let Some(valued) = slot.get(*at) else { continue };
            let sure = ((distance / usual).log2() / 2.0).min(1.0);
            let bits = ((slot.len() as f64 / (rank + 1) as f64).log2() * sure) as f32;
            if bits > FLOOR {
                outliers.push(Outlier { line: valued.line, place: valued.place, bits });
            }
        }
    }
    outliers.sort_unstable_by_key(|outlier| (outlier.line, outlier.place));
    outliers
}

impl Surprises {
    /// How much memory they take.
    pub(super) fn bytes(&self) -> usize {
        self.places.len() * size_of::<Place>() + self.ends.len() * size_of::<u32>()
    }

    /// The places of a line, the largest first.
    pub(super) fn of(&self, line: usize) -> &[Place] {
        let end = |line: usize| self.ends.get(line).copied().unwrap_or_default() as usize;
        let start = line.checked_sub(1).map_or(0, end);
        self.places.get(start..end(line)).unwrap_or_default()
    }

    /// The sum of the largest of a line, each worth less the more often it was told.
    pub(super) fn bits(&self, line: usize, told: impl Fn(u32) -> u32) -> f32 {
        let mut largest = [0.0_f32; PLACES];
        for place in self.of(line) {
            let bits = place.bits * 0.5_f32.powi(told(place.identity).min(20) as i32);
            if let Some(smallest) = largest.iter_mut().min_by(|one, other| one.total_cmp(other))
                && *smallest < bits
            {
                *smallest = bits;
            }
        }
        largest.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a text with their bits, the most surprising first.
    fn ranked(text: &str) -> Vec<(&str, f32)> {
        let structure = Structure::of(text);
        let surprises = surprises(&structure, text);
        let mut ranked: Vec<(&str, f32)> = structure
            .pieces
            .iter()
            .enumerate()
            .map(|(line, piece)| (&text[piece.clone()], surprises.bits(line, |_| 0)))
            .collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
        ranked
    }

    #[track_caller]
    fn check_first(odd: &str, usual: impl Fn(usize) -> String) {
        let text: String = (0..80).map(|at| if at == 41 { format!("{odd}\n") } else { usual(at) + "\n" }).collect();
        let ranked = ranked(&text);
        assert_eq!(ranked[0].0, odd, "{ranked:?}");
        assert!(ranked[0].1 > 3.0 && ranked[1].1 < ranked[0].1, "{:?}", &ranked[..3]);
    }

    #[test]
    fn what_stands_where_something_else_nearly_always_stands_is_a_surprise() {
        check_first("job 41: state=stuck", |at| format!("job {at}: state=done"));
        check_first("GET /orders/41 503 12ms", |at| format!("GET /orders/{at} 200 {}ms", 10 + at % 5));
        check_first("took 94000 ms", |at| format!("took {} ms", 100 + at % 17));
        check_first("something else altogether", |at| format!("worker {} is ready", at % 7));
    }

    #[test]
    fn what_differs_in_every_line_is_none() {
        let text: String =
            (0..80).map(|at| format!("commit a{:07x} of {at}\n", (at as u32).wrapping_mul(2_654_435_761))).collect();
        assert!(ranked(&text)[0].1 < 3.0, "{:?}", &ranked(&text)[..2]);
    }
}
