//! Failures alike in everything but names and numbers: a few are shown, the others are told by their names.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use crate::outputs::diagnostics;
use crate::outputs::template::template;

/// Of failures that are alike, so many are shown.
const SHOWN: usize = 3;
/// The others are all named up to this number.
const NAMED: usize = 200;
/// Of more of them, so many.
const FIRST_NAMED: usize = 100;
/// A shorter name may be a part of other words.
const NAME_BYTES: usize = 4;

/// A test that failed, with what was said of it.
pub(super) struct Failure<'text> {
    pub(super) name: &'text str,
    pub(super) message: String,
}

/// How a failure is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Told {
    /// In full, with what is to be said of those like it.
    Shown(Option<String>),
    /// Beside one that is shown.
    Named,
}

/// How each of some failures is told.
pub(super) fn told(failures: &[Failure<'_>]) -> Vec<Told> {
    let mut groups: HashMap<u64, Vec<usize>> = HashMap::new();
    for (index, failure) in failures.iter().enumerate() {
        groups.entry(likeness(failure)).or_default().push(index);
    }
    let mut told = vec![Told::Shown(None); failures.len()];
    for members in groups.into_values().filter(|members| members.len() > SHOWN) {
        let of = |index: &usize| failures.get(*index);
        let Some(first) = members.first().and_then(of) else { continue };
        let mut names = Vec::new();
        for (position, index) in members.iter().enumerate().skip(1) {
            let Some(failure) = of(index) else { continue };
            // The very same again says nothing.
            let shown = position < SHOWN && failure.message != first.message;
            if let Some(told) = told.get_mut(*index).filter(|_| !shown) {
                *told = Told::Named;
                names.push(failure.name);
            }
        }
        if let Some(told) = members.first().and_then(|first| told.get_mut(*first)) {
            *told = Told::Shown(Some(note(first.name, &names)));
        }
    }
    told
}

/// What failures have in common that differ in names, numbers and quoted values.
fn likeness(failure: &Failure<'_>) -> u64 {
    let named = failure.name.len() >= NAME_BYTES && failure.message.contains(failure.name);
    let masked = if named { &failure.message.replace(failure.name, "#") } else { &failure.message };
    xxh3_64(template(&diagnostics::skeleton(masked)).as_bytes())
}

/// `[+12 alike: one, other]`, without what all the names begin with.
fn note(first: &str, names: &[&str]) -> String {
    let mut seen: HashSet<&str> = HashSet::from([first]);
    let other: Vec<&str> = names.iter().copied().filter(|name| seen.insert(name)).collect();
    if other.is_empty() {
        return format!(" [×{}]", names.len() + 1);
    }
    let common = other.iter().fold(first, |common, name| common_start(common, name));
    let marks = ["::", " › ", " > ", "/", ".", " "];
    let mut cuts: Vec<usize> = marks.iter().filter_map(|mark| common.rfind(mark).map(|at| at + mark.len())).collect();
    cuts.sort_unstable();
    // What is left must be more than a number.
    let tells =
        |cut: &usize| other.iter().all(|name| name.get(*cut..).is_some_and(|rest| rest.contains(char::is_alphabetic)));
    let cut = cuts.into_iter().rev().find(tells).unwrap_or(0);
    let short = |name: &'_ str| name.get(cut..).unwrap_or(name).to_owned();
    let limit = if other.len() > NAMED { FIRST_NAMED } else { NAMED };
    let said: Vec<String> = other.iter().take(limit).map(|name| short(name)).collect();
    let more = match other.len().saturating_sub(limit) {
        0 => String::new(),
        more => format!(", {more} more"),
    };
    format!(" [+{} alike: {}{more}]", names.len(), said.join(", "))
}

fn common_start<'text>(one: &'text str, other: &str) -> &'text str {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    one.get(..same.unwrap_or(one.len().min(other.len()))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(failures: &[(&str, &str)], expected: &[Told]) {
        let failures: Vec<Failure<'_>> =
            failures.iter().map(|(name, message)| Failure { name, message: (*message).to_owned() }).collect();
        assert_eq!(told(&failures), expected);
    }

    #[test]
    fn three_alike_are_shown() {
        let shown = Told::Shown(None);
        check(&[("a", "got 1"), ("b", "got 2"), ("c", "got 3")], &[shown.clone(), shown.clone(), shown]);
    }

    #[test]
    fn of_more_the_others_are_named() {
        let alike: Vec<String> = (0..6).map(|n| format!("got {n}, want {}", n + 1)).collect();
        let names = ["net::a", "net::b", "net::c", "net::d", "net::e", "net::f"];
        let mut failures: Vec<(&str, &str)> = names.iter().copied().zip(alike.iter().map(String::as_str)).collect();
        failures.insert(4, ("net::odd", "connection refused"));
        let note = Told::Shown(Some(" [+3 alike: d, e, f]".into()));
        let shown = Told::Shown(None);
        check(&failures, &[note, shown.clone(), shown.clone(), Told::Named, shown, Told::Named, Told::Named]);
    }

    #[test]
    fn the_very_same_is_shown_once_and_its_names_are_counted_where_there_are_many() {
        let names: Vec<String> = (0..260).map(|n| format!("case {n}")).collect();
        let failures: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "no database")).collect();
        let mut expected = vec![Told::Named; 260];
        let said: Vec<&str> = names.iter().skip(1).take(100).map(String::as_str).collect();
        expected[0] = Told::Shown(Some(format!(" [+259 alike: {}, 159 more]", said.join(", "))));
        check(&failures, &expected);
        check(&[("a", "x"); 4], &[Told::Shown(Some(" [×4]".into())), Told::Named, Told::Named, Told::Named]);
    }
}
