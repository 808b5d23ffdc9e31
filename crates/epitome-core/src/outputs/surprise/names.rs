//! By which lines records are known: a key whose values are nearly all different names what it stands in.

use xxhash_rust::xxh3::xxh3_64;

use super::hashed::{Hashed, mix};
use super::structure::{Line, Structure};
use super::symbols::{Class, Token};
use crate::tokens::Tokens;

/// Which lines name others.
#[derive(Debug)]
pub(super) struct Names {
    /// For each line under which others stand, the one below it that names it.
    below: Vec<Option<u32>>,
    /// Whether no other line says the same.
    unique: Vec<bool>,
    /// The lines that name the records of the largest kind.
    of_records: Vec<u32>,
}

/// The values of a key at one depth.
#[derive(Default)]
struct Values {
    count: usize,
    /// That no other line has.
    single: usize,
    /// With words that no other has.
    worded: usize,
    numbers: usize,
}

/// Of ten lines with a key, so many differ where the key is a name.
const DIFFERENT: usize = 8;
/// Fewer records are not listed.
const RECORDS: usize = 4;
/// A longer name is none.
const NAME_BYTES: usize = 60;

/// The key of a line, and the first token of its value.
pub(super) fn key(tokens: &[Token]) -> Option<(u64, usize)> {
    let ends = if tokens.first()?.is_sign("<") { [">", ">"] } else { [":", "="] };
    let at = tokens.iter().take(6).position(|token| ends.iter().any(|end| token.is_sign(end))).filter(|at| *at > 0)?;
    let key = tokens.iter().take(at).filter(|token| token.class == Class::Word);
    let key = key.map(|token| u64::from(token.symbol)).reduce(mix)?;
    Some((key, at + 1))
}

/// What a name must have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Words,
    Number,
    Nothing,
}

/// The words in the value of a line, if it has some.
fn words_of(structure: &Structure, line: &Line) -> Option<u64> {
    let tokens = structure.tokens_of(line);
    let value = key(tokens).and_then(|(_, value)| tokens.get(value..))?;
    let words = value.iter().filter(|token| token.class == Class::Word && token.length > 1);
    words.map(|token| u64::from(token.symbol)).reduce(mix)
}

/// Whether the value of a line is one number.
fn is_number(structure: &Structure, line: &Line) -> bool {
    let tokens = structure.tokens_of(line);
    let value = key(tokens).and_then(|(_, value)| tokens.get(value..)).unwrap_or_default();
    let mut valued = value.iter().filter(|token| token.class != Class::Sign);
    valued.next().is_some_and(|token| token.class == Class::Number) && valued.next().is_none()
}

impl Names {
    pub(super) fn of(structure: &Structure, text: &str) -> Names {
        let lines = &structure.lines;
        let said = |line: &Line| xxh3_64(text.get(line.span.clone()).unwrap_or_default().trim().as_bytes());
        let mut same: Hashed<u32> = Hashed::default();
        let said: Vec<u64> = lines.iter().map(said).collect();
        said.iter().for_each(|said| *same.entry(*said).or_default() += 1);
        let unique: Vec<bool> = said.iter().map(|said| same.get(said) == Some(&1)).collect();
        // Keys, with how often they stand at their depth, and with how many values that no other has.
        let mut keys: Hashed<Values> = Hashed::default();
        let mut words_seen: Hashed<()> = Hashed::default();
        let keyed: Vec<Option<u64>> = lines
            .iter()
            .map(|line| {
                let tokens = structure.tokens_of(line);
                let (key, value) = key(tokens)?;
                let valued = tokens.get(value..)?.iter().any(|token| token.class != Class::Sign);
                valued.then_some(mix(key, u64::from(line.level)))
            })
            .collect();
        for ((line, key), unique) in lines.iter().zip(&keyed).zip(&unique) {
            let Some(key) = key else { continue };
            let values = keys.entry(*key).or_default();
            values.count += 1;
            values.single += usize::from(*unique);
            let words = words_of(structure, line);
            values.worded += usize::from(words.is_some_and(|words| words_seen.insert(mix(*key, words), ()).is_none()));
            values.numbers += usize::from(is_number(structure, line));
        }
        let wordy = |key: &u64| keys.get(key).is_some_and(|values| values.worded * 2 >= values.count);
        let numeric = |key: &u64| keys.get(key).is_some_and(|values| values.numbers * 2 >= values.count);
        let several = lines.iter().filter(|line| line.depth == 0 && line.opens).nth(1).is_some();
        let names = |key: &u64| {
            keys.get(key).is_some_and(|values| values.count >= 2 && values.single * 10 >= values.count * DIFFERENT)
        };
        let mut below: Vec<Option<u32>> = vec![None; lines.len()];
        let mut named_by: Hashed<Vec<u32>> = Hashed::default();
        // A name of words is better than a number or a hash, and one right below better than one deeper.
        for (needs, height) in
            [(Needs::Words, 1), (Needs::Words, 2), (Needs::Words, 3), (Needs::Number, 1), (Needs::Nothing, 1)]
        {
            let worded = needs == Needs::Words;
            for (index, (line, key)) in lines.iter().zip(&keyed).enumerate() {
                let Some(key) = key.filter(|key| !line.opens && names(key)) else { continue };
                let fits = match needs {
                    Needs::Words => wordy(&key),
                    Needs::Number => numeric(&key),
                    Needs::Nothing => true,
                };
                if !fits {
                    continue;
                }
                let above = |at: Option<u32>| at.and_then(|at| lines.get(at as usize)).and_then(|line| line.parent);
                let parent = (1..height).fold(line.parent, |parent, _| above(parent));
                // What everything stands under needs no name.
                let parent = parent.filter(|parent| several || above(Some(*parent)).is_some());
                if let Some(below) = parent.and_then(|parent| below.get_mut(parent as usize))
                    && below.is_none()
                {
                    *below = Some(index as u32);
                    if worded {
                        named_by.entry(key).or_default().push(index as u32);
                    }
                }
            }
        }
        // The first line of an item may name it itself.
        for (index, (line, key)) in lines.iter().zip(&keyed).enumerate() {
            if let Some(key) = key.filter(|key| line.opens && names(key) && wordy(key)) {
                named_by.entry(key).or_default().push(index as u32);
            }
        }
        named_by.values_mut().for_each(|lines| {
            lines.sort_unstable();
            lines.dedup();
        });
        let largest = named_by
            .into_iter()
            .map(|(key, lines)| (lines.len(), key, lines))
            .max_by_key(|(count, key, _)| (*count, *key));
        let of_records = largest.filter(|(count, ..)| *count >= RECORDS).map(|(_, _, lines)| lines).unwrap_or_default();
        Names { below, unique, of_records }
    }

    /// The line by which what stands under `parent` is known: itself, or one below it. None if it is like others.
    pub(super) fn name(&self, structure: &Structure, parent: usize) -> Option<usize> {
        let line = structure.lines.get(parent)?;
        let named = structure.has_words(line) && self.unique.get(parent) == Some(&true);
        if named { Some(parent) } else { self.below.get(parent).copied().flatten().map(|at| at as usize) }
    }

    /// Whether a line names one of the records that are listed.
    pub(super) fn is_listed(&self, line: usize) -> bool {
        self.of_records.binary_search(&(line as u32)).is_ok()
    }

    /// The names of all records, up to a size.
    pub(super) fn list(&self, structure: &Structure, text: &str, room: Tokens) -> Option<String> {
        let names: Vec<&str> = self
            .of_records
            .iter()
            .filter_map(|at| {
                let line = structure.lines.get(*at as usize)?;
                let tokens = structure.tokens_of(line);
                let (_, value) = key(tokens)?;
                let from = tokens.get(value)?.at as usize;
                // `Item 3: Library`: without its number it is half a name.
                let numbered = text.get(line.span.start..from)?.contains(|c: char| c.is_ascii_digit());
                let from = if numbered { line.span.start } else { from };
                let value = text.get(from..line.span.end)?.trim_start_matches(['#', '-', '*', ' ']);
                let value = value.split("</").next().unwrap_or(value);
                let name =
                    value.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';' | '{' | '['));
                (!name.is_empty()).then(|| name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name))
            })
            .collect();
        let mut list = format!("{} records: ", names.len());
        let most = room.0 as usize * 4;
        if names.iter().map(|name| name.len() + 2).sum::<usize>() > most {
            return None;
        }
        let first_length = list.len();
        for (at, name) in names.iter().enumerate() {
            if list.len() + name.len() > most {
                list.push_str(&format!(", … {} more", names.len() - at));
                break;
            }
            if at > 0 {
                list.push_str(", ");
            }
            list.push_str(name);
        }
        (names.len() >= RECORDS && list.len() > first_length).then_some(list)
    }
}
