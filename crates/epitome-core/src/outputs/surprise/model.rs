//! What an output teaches its reader to expect, and how much each line differs from it, in bits.
//!
//! What stands where something else nearly always stands is a surprise. Where all differ, as names and ids do, none is:
//! the share of what is as rare as a symbol, or rarer, counts, and not the share of the symbol alone.

use xxhash_rust::xxh3::xxh3_64;

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

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub(super) bits: f32,
    /// What is unlike what: the same of many lines is told by one of them.
    pub(super) identity: u32,
}

/// A context that was met less often gives way to a shorter one.
const MET: u32 = 8;
/// Fewer bits are no surprise.
const FLOOR: f32 = 2.0;
/// Places of a line that count.
pub(super) const PLACES: usize = 4;
/// Places that are remembered: of those that count, some are told by other lines.
const REMEMBERED: usize = 7;
/// Numbers that are needed to say what a number is like.
const NUMBERS: usize = 8;
/// A row of more columns is a sentence.
const FIELDS: usize = 16;
/// Symbols of a line that make its template.
const TEMPLATE: usize = 10;

/// Counts what stands where.
#[derive(Default)]
struct Counts {
    contexts: Hashed<u32>,
    totals: Vec<u32>,
    entries: Hashed<u32>,
    counted: Vec<Entry>,
}

struct Entry {
    context: u32,
    count: u32,
    bits: f32,
}

impl Counts {
    fn count(&mut self, context: u64, symbol: u64) -> u32 {
        let next = self.totals.len() as u32;
        let at = *self.contexts.entry(context).or_insert(next);
        if at == next {
            self.totals.push(0);
        }
        if let Some(total) = self.totals.get_mut(at as usize) {
            *total += 1;
        }
        let next = self.counted.len() as u32;
        let entry = *self.entries.entry(mix(context, symbol)).or_insert(next);
        match self.counted.get_mut(entry as usize) {
            Some(entry) => entry.count += 1,
            None => self.counted.push(Entry { context: at, count: 1, bits: 0.0 }),
        }
        entry
    }

    /// How surprising each symbol is in its context.
    fn weigh(&mut self) {
        let mut rare = vec![0_u32; self.totals.len()];
        let mut frequent: Vec<(u32, u32, u32)> = Vec::new();
        for (index, entry) in self.counted.iter().enumerate() {
            match entry.count {
                1 => rare[entry.context as usize] += 1,
                count => frequent.push((entry.context, count, index as u32)),
            }
        }
        let mut most = vec![1_u32; self.totals.len()];
        for entry in &self.counted {
            let most = &mut most[entry.context as usize];
            *most = (*most).max(entry.count);
        }
        // Where one symbol nearly always stands another one says something; where many stand, rare ones are nothing odd.
        let sureness = |context: usize, totals: &[u32]| {
            let total = totals.get(context).copied().unwrap_or(1).max(1);
            (most.get(context).copied().unwrap_or(1) as f32 / total as f32).sqrt()
        };
        let share = |total: u32, run: u32| (f64::from(total) / f64::from(run.max(1))).log2() as f32;
        for entry in self.counted.iter_mut().filter(|entry| entry.count == 1) {
            let context = entry.context as usize;
            entry.bits = share(self.totals[context], rare[context]) * sureness(context, &self.totals);
        }
        frequent.sort_unstable();
        for of_context in frequent.chunk_by(|one, other| one.0 == other.0) {
            let Some((context, ..)) = of_context.first() else { continue };
            let mut run = rare[*context as usize];
            for alike in of_context.chunk_by(|one, other| one.1 == other.1) {
                run += alike.iter().map(|(_, count, _)| count).sum::<u32>();
                for (_, _, index) in alike {
                    self.counted[*index as usize].bits =
                        share(self.totals[*context as usize], run) * sureness(*context as usize, &self.totals);
                }
            }
        }
    }

    fn total(&self, entry: u32) -> u32 {
        self.counted.get(entry as usize).and_then(|entry| self.totals.get(entry.context as usize)).copied().unwrap_or(0)
    }

    /// The entry of the longest context that was met often enough.
    fn chosen(&self, chain: [u32; 3]) -> u32 {
        let [longest, shorter @ ..] = chain;
        if self.total(longest) >= MET {
            return longest;
        }
        shorter.into_iter().max_by_key(|entry| self.total(*entry)).unwrap_or(longest)
    }
}

/// A symbol in its contexts.
struct Met {
    line: u32,
    place: u16,
    chain: [u32; 3],
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
const COLUMN: u64 = 8;
const DAYS: u64 = 9;
const TEMPLATES: u64 = 10;
const TEMPLATE_BEHIND: u64 = 11;
const TEMPLATE_PLACE: u16 = u16::MAX;

/// How unlike what was to be expected each line is.
pub(super) fn surprises(structure: &Structure, text: &str) -> Surprises {
    let mut counts = Counts::default();
    let mut met: Vec<Met> = Vec::with_capacity(structure.tokens.len());
    let mut values: Vec<Valued> = Vec::new();
    let mut columns: Vec<usize> = Vec::new();
    for (index, line) in structure.lines.iter().enumerate() {
        columns.clear();
        if !structure.diff && !structure.code {
            fields(structure.tokens_of(line), text, &mut columns);
        }
        read_line(structure, text, (index as u32, line, &columns), &mut counts, &mut met, &mut values);
    }
    read_templates(structure, &mut counts, &mut met);
    counts.weigh();
    let mut found: Vec<(u32, u16, f32, u32)> = Vec::new();
    for met in &met {
        let entry = counts.chosen(met.chain);
        let bits = counts.counted.get(entry as usize).map_or(0.0, |entry| entry.bits);
        if bits > FLOOR {
            found.push((met.line, met.place, bits, entry));
        }
    }
    outliers(values, counts.counted.len() as u32, &mut found);
    found.sort_unstable_by(|one, other| (one.0, one.1).cmp(&(other.0, other.1)).then(other.2.total_cmp(&one.2)));
    found.dedup_by_key(|(line, place, ..)| (*line, *place));
    let mut surprises = Surprises::default();
    let mut found = found.as_slice();
    for line in 0..structure.lines.len() as u32 {
        let count = found.iter().take_while(|(of, ..)| *of == line).count();
        let (own, rest) = found.split_at(count);
        found = rest;
        let start = surprises.places.len();
        surprises.places.extend(own.iter().map(|(_, _, bits, identity)| Place { bits: *bits, identity: *identity }));
        if let Some(own) = surprises.places.get_mut(start..) {
            own.sort_unstable_by(|one, other| other.bits.total_cmp(&one.bits));
        }
        surprises.places.truncate(start + REMEMBERED);
        surprises.ends.push(surprises.places.len() as u32);
    }
    surprises
}

fn read_line(
    structure: &Structure,
    text: &str,
    (index, line, fields): (u32, &Line, &[usize]),
    counts: &mut Counts,
    met: &mut Vec<Met>,
    values: &mut Vec<Valued>,
) {
    let (mut before, mut last) = (LINE_BEGINS, mix(LINE_BEGINS, u64::from(line.level.min(16))));
    let mut name = last;
    let tokens = structure.tokens_of(line);
    let key = key_of(tokens);
    for (place, token) in tokens.iter().enumerate() {
        let column = fields.binary_search(&place).ok().map(|at| mix(mix(fields.len() as u64, at as u64), COLUMN));
        if let Some(column) = column {
            let entry = counts.count(column, token.text);
            met.push(Met { line: index, place: place as u16, chain: [entry; 3] });
        }
        if token.class == Class::Time
            && let Some(day) = day_of(text, token)
        {
            let slot = column.unwrap_or_else(|| mix(before, last));
            values.push(Valued { slot: mix(slot, DAYS), value: day, line: index, place: place as u16 });
        }
        let pair = mix(before, last);
        if name != last {
            // What stands behind a name, whatever signs part them.
            let entry = [
                counts.count(mix(mix(name, last), NAMED), token.text),
                counts.count(mix(name, NAMED ^ BEHIND_ONE), token.text),
            ];
            let [whole, shorter] = entry;
            met.push(Met { line: index, place: place as u16, chain: [whole, shorter, shorter] });
        }
        let chain = [
            counts.count(mix(pair, WHOLE), token.text),
            counts.count(mix(last, BEHIND_ONE), token.text),
            counts.count(mix(before, BEHIND_THAT), token.text),
        ];
        met.push(Met { line: index, place: place as u16, chain });
        if token.class == Class::Number {
            let at = token.at as usize;
            let number = text.get(at..at + usize::from(token.length)).unwrap_or_default();
            if let Some(value) = number_of(number) {
                let next = tokens.get(place + 1).map_or(0, |token| token.symbol);
                let mut note = |slot: u64| values.push(Valued { slot, value, line: index, place: place as u16 });
                note(pair);
                note(mix(mix(last, next), BETWEEN));
                if let Some(column) = column {
                    note(mix(column, next));
                }
                if let Some(key) = key {
                    note(mix(mix(key, next), OF_KEY));
                }
            }
        }
        (before, last) = (last, token.symbol);
        if token.class != Class::Sign {
            name = token.symbol;
        }
    }
}

/// The tokens at which the columns of a row begin; none if it is no row.
fn fields(tokens: &[Token], text: &str, into: &mut Vec<usize>) {
    let end = |token: &Token| token.at as usize + usize::from(token.length);
    let mut starts = |least: usize, parts: fn(&str) -> bool| {
        into.clear();
        into.push(0);
        for (at, pair) in tokens.windows(2).enumerate() {
            if let [one, next] = pair
                && text.get(end(one)..next.at as usize).is_some_and(parts)
            {
                into.push(at + 1);
                if into.len() > FIELDS {
                    break;
                }
            }
        }
        if !(least..=FIELDS).contains(&into.len()) {
            into.clear();
        }
        !into.is_empty()
    };
    let _ = starts(3, |gap| gap.len() > 1 || gap == "\t") || starts(4, |gap| !gap.is_empty());
}

/// A date as a number of days, about.
fn day_of(text: &str, token: &Token) -> Option<f64> {
    let at = token.at as usize;
    let date = text.get(at..at + 10).filter(|_| token.length >= 10)?;
    let number = |from: usize, to: usize| date.get(from..to)?.parse::<f64>().ok();
    Some(number(0, 4)? * 365.25 + number(5, 7)? * 30.44 + number(8, 10)?)
}

/// The name before `=` or `:`, else how the line begins.
fn key_of(tokens: &[Token]) -> Option<u64> {
    let assigns = [xxh3_64(b":"), xxh3_64(b"=")];
    let named = tokens.iter().take(5).position(|token| assigns.contains(&token.symbol)).filter(|at| *at > 0);
    let key = tokens.iter().take(named.unwrap_or(3));
    key.map(|token| token.symbol).reduce(mix)
}

/// What lines are like as a whole, and what follows what.
fn read_templates(structure: &Structure, counts: &mut Counts, met: &mut Vec<Met>) {
    let mut lines_with: Hashed<u32> = Hashed::default();
    let filled = structure.lines.iter().filter(|line| !structure.is_blank(line)).count();
    for line in &structure.lines {
        for token in structure.tokens_of(line).iter().take(TEMPLATE) {
            *lines_with.entry(token.symbol).or_default() += 1;
        }
    }
    let rare = 3.max(filled as u32 / 50);
    let mut before = 0;
    for (index, line) in structure.lines.iter().enumerate().filter(|(_, line)| !structure.is_blank(line)) {
        let mut template = 0;
        for token in structure.tokens_of(line).iter().take(TEMPLATE) {
            let common = lines_with.get(&token.symbol).is_some_and(|count| *count >= rare);
            template = mix(template, if common { token.symbol } else { 0 });
        }
        for context in [TEMPLATES, mix(before, TEMPLATE_BEHIND)] {
            let entry = counts.count(context, template);
            met.push(Met { line: index as u32, place: TEMPLATE_PLACE, chain: [entry; 3] });
        }
        before = template;
    }
}

/// Numbers far from the others of their place.
fn outliers(mut values: Vec<Valued>, first_identity: u32, found: &mut Vec<(u32, u16, f32, u32)>) {
    values.sort_unstable_by(|one, other| one.slot.cmp(&other.slot).then(one.value.total_cmp(&other.value)));
    let mut identity = first_identity;
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
                found.push((valued.line, valued.place, bits, identity));
                identity += 1;
            }
        }
    }
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
