//! Which of many like lines are unlike the others.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

use super::template::template_id;

/// Fewer lines say nothing of what is usual.
const ENOUGH: usize = 16;
/// More than these are no exceptions.
const AT_MOST: usize = 8;

/// The indices of the texts that are unlike the others: they hold a word that no other text holds, or are made like no
/// other. Empty when there are too many of them, as in prose, or too few texts.
pub(super) fn odd_ones(texts: &[&str]) -> Vec<usize> {
    if texts.len() < ENOUGH {
        return Vec::new();
    }
    let few = (texts.len() / 20).clamp(2, AT_MOST);
    let by_word = holding_rare_words(texts, few);
    let by_template = of_rare_templates(texts, few);
    let mut odd: Vec<usize> = by_word.iter().chain(&by_template).copied().collect();
    odd.sort_unstable();
    odd.dedup();
    if odd.len() > few { if by_word.is_empty() { by_template } else { by_word } } else { odd }
}

/// In how many texts each word stands, and which texts hold one that stands nowhere else.
fn holding_rare_words(texts: &[&str], few: usize) -> Vec<usize> {
    let mut holders: HashMap<u64, Option<usize>> = HashMap::new();
    for (index, text) in texts.iter().enumerate() {
        for word in words(text) {
            let only = holders.entry(xxh3_64(word.as_bytes())).or_insert(Some(index));
            if *only != Some(index) {
                *only = None;
            }
        }
    }
    let mut odd: Vec<usize> = holders.into_values().flatten().collect();
    odd.sort_unstable();
    odd.dedup();
    if odd.len() > few { Vec::new() } else { odd }
}

fn of_rare_templates(texts: &[&str], few: usize) -> Vec<usize> {
    let ids: Vec<u64> = texts.iter().map(|text| template_id(text.trim())).collect();
    let mut counts: HashMap<u64, usize> = HashMap::new();
    ids.iter().for_each(|id| *counts.entry(*id).or_default() += 1);
    let single = |(_, id): &(usize, &u64)| counts.get(*id) == Some(&1);
    let odd: Vec<usize> = ids.iter().enumerate().filter(single).map(|(index, _)| index).collect();
    if odd.len() > few { Vec::new() } else { odd }
}

/// More texts of rare shapes than one of so many: nothing is usual here.
const IRREGULAR: usize = 4;
/// A shape is rare with so many texts at most.
const RARE_SHAPE: usize = 2;

/// The indices of the texts that are made unlike the others, whatever names they use: words that few texts hold are left
/// open. Of many, those with most that stands nowhere else.
pub(super) fn odd_in_shape(texts: &[&str]) -> Vec<usize> {
    if texts.len() < ENOUGH {
        return Vec::new();
    }
    let Shapes { shapes, holders } = Shapes::of(texts);
    let held_by = |word: &str| holders.get(word).map_or(0, |(count, _)| *count);
    let mut counts: HashMap<u64, usize> = HashMap::new();
    shapes.iter().for_each(|shape| *counts.entry(*shape).or_default() += 1);
    let rare = |shape: &u64| counts.get(shape).is_some_and(|count| *count <= RARE_SHAPE);
    let mut odd: Vec<usize> =
        shapes.iter().enumerate().filter(|(_, shape)| rare(shape)).map(|(index, _)| index).collect();
    if odd.len() * IRREGULAR > texts.len() {
        return Vec::new();
    }
    let weight = |index: &usize| {
        let text = texts.get(*index).copied().unwrap_or_default();
        let single = parts(text).filter(|part| is_word(part) && held_by(part) == 1).count();
        std::cmp::Reverse(single + 4 * usize::from(alarms(text)))
    };
    odd.sort_by_cached_key(weight);
    odd.truncate(AT_MOST);
    odd.sort_unstable();
    odd
}

/// How texts are made, whatever names they use.
pub(super) struct Shapes<'text> {
    /// Of each text.
    pub(super) shapes: Vec<u64>,
    /// Each word with the number of texts it stands in, and the last of them.
    holders: HashMap<&'text str, (usize, usize)>,
}

impl<'text> Shapes<'text> {
    pub(super) fn of(texts: &[&'text str]) -> Shapes<'text> {
        Shapes::with_names(texts, (texts.len() / 50).max(RARE_SHAPE))
    }

    /// A word that no more than `free` texts hold is a name.
    pub(super) fn with_names(texts: &[&'text str], free: usize) -> Shapes<'text> {
        let mut holders: HashMap<&str, (usize, usize)> = HashMap::new();
        for (index, text) in texts.iter().enumerate() {
            for word in parts(text).filter(|part| is_word(part)) {
                let (count, last) = holders.entry(word).or_insert((0, usize::MAX));
                if *last != index {
                    (*count, *last) = (*count + 1, index);
                }
            }
        }
        let held_by = |word: &str| holders.get(word).map_or(0, |(count, _)| *count);
        let shapes: Vec<u64> = texts.iter().map(|text| shape(text, |word| held_by(word) <= free)).collect();
        Shapes { shapes, holders }
    }
}

/// Whether somebody who reads on would stop here.
fn alarms(text: &str) -> bool {
    let marked = ["HACK", "FIXME", "XXX", "TODO"].iter().any(|word| text.contains(word));
    let lower = text.to_ascii_lowercase();
    let off = ["unsafe", "disable", "insecure", "bypass"].iter().any(|word| lower.contains(word));
    let number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let negative = parts(text).zip(parts(text).skip(1)).any(|(before, part)| number(part) && before.ends_with("=-"));
    marked || off || negative || parts(text).any(|part| part == "0")
}

/// The text with numbers and free words left open, and lists of them as one.
fn shape(text: &str, free: impl Fn(&str) -> bool) -> u64 {
    let mut shape = String::with_capacity(text.len());
    for part in parts(text) {
        if part.starts_with(|c: char| c.is_ascii_digit()) {
            // Nothing is another thing than any number.
            shape.push(if part == "0" { '0' } else { '#' });
        } else if is_word(part) && free(part) {
            let before = shape.trim_end_matches([' ', '.', ',', '/', '-', ':', '*']);
            if shape.get(before.len()..).is_some_and(|between| between.starts_with('*')) {
                shape.truncate(before.len());
            }
            shape.push('*');
        } else {
            shape.push_str(if part.trim().is_empty() { " " } else { part });
        }
    }
    xxh3_64(shape.as_bytes())
}

fn is_word(part: &str) -> bool {
    part.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Words with their digits, numbers, and what stands between them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let sort = |c: char| if c.is_alphanumeric() || c == '_' { 1 } else { 2 };
    let mut rest = text.trim();
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|c| sort(c) != sort(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        Some(part)
    })
}

/// Words, without numbers and ids.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() >= 2 && !word.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_stands_nowhere_else_makes_a_line_odd() {
        let mut texts = vec!["retry(request, attempts)"; 40];
        texts[7] = "retry(request, forever)";
        assert_eq!(odd_ones(&texts), [7]);
    }

    #[test]
    fn names_that_differ_everywhere_hide_no_odd_shape() {
        let name = |n: usize| format!("{}{}", (b'a' + (n % 26) as u8) as char, ["ax", "oru", "ilo", "emp"][n / 26]);
        let mut texts: Vec<String> = (0..100)
            .map(|n| match n % 3 {
                0 => format!("{}.retry(times={})", name(n), n % 7 + 1),
                1 => format!("await {}.retry(times={})", name(n), n % 5 + 1),
                _ => format!("def split_{}(self, retry=3):", name(n)),
            })
            .collect();
        texts[40] = "while not done: retry(forever)".to_owned();
        texts[60] = "zeta.retry(times=-1)".to_owned();
        assert_eq!(odd_in_shape(&texts.iter().map(String::as_str).collect::<Vec<_>>()), [40, 60]);
    }

    #[test]
    fn where_every_line_is_its_own_none_is_odd() {
        let texts: Vec<String> = (b'a'..=b'z').map(|c| format!("word{0}{0}x other", c as char)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(odd_ones(&texts), Vec::<usize>::new());
        assert_eq!(odd_ones(&["same", "other"]), Vec::<usize>::new());
    }
}
