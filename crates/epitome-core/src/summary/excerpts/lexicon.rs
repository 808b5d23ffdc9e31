//! The terms of a transcript, by number.
//!
//! The same paths come again and again: what stands between two blanks, and is more than a word, is taken apart once.

use crate::keys::{KeyMap, key};
use crate::summary::terms::{self, Kind, Run, Term};

/// All terms that were met.
pub(super) struct Lexicon {
    kinds: Vec<Kind>,
    ids: KeyMap<u32>,
    /// Where the terms of each joined run stand in `of_runs`.
    runs: KeyMap<(u32, u32)>,
    of_runs: Vec<u32>,
}

impl Lexicon {
    /// Has room for the terms of so many lines.
    pub(super) fn for_lines(lines: usize) -> Lexicon {
        let runs = KeyMap::with_capacity_and_hasher(lines, Default::default());
        let ids = KeyMap::with_capacity_and_hasher(lines / 2, Default::default());
        Lexicon { kinds: Vec::new(), ids, runs, of_runs: Vec::with_capacity(lines) }
    }

    /// What each term is, by number.
    pub(super) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    /// Calls `found` with each term of a run; those that are new get a number.
    pub(super) fn each_of_run(&mut self, run: Run<'_>, mut found: impl FnMut(u32)) {
        let Lexicon { kinds, ids, runs, of_runs } = self;
        let mut id_of = |term: Term<'_>| {
            *ids.entry(key(term.text)).or_insert_with(|| {
                kinds.push(term.kind);
                kinds.len() as u32 - 1
            })
        };
        if !run.is_joined() {
            return run.word().into_iter().for_each(|term| found(id_of(term)));
        }
        let (start, end) = *runs.entry(key(run.text)).or_insert_with(|| {
            let start = of_runs.len() as u32;
            run.each_term(|term| of_runs.push(id_of(term)));
            (start, of_runs.len() as u32)
        });
        slice_of(of_runs, start, end).iter().copied().for_each(found);
    }

    /// Calls `found` with each known term of a text.
    pub(super) fn known_in(&self, text: &str, mut found: impl FnMut(u32)) {
        terms::each_run(text, |run| {
            // A single word is as quickly looked up as its run.
            let known = if run.is_joined() { self.runs.get(&key(run.text)) } else { None };
            match known {
                Some((start, end)) => slice_of(&self.of_runs, *start, *end).iter().copied().for_each(&mut found),
                None => run.each_term(|term| self.ids.get(&key(term.text)).copied().into_iter().for_each(&mut found)),
            }
        });
    }
}

fn slice_of(all: &[u32], start: u32, end: u32) -> &[u32] {
    all.get(start as usize..end as usize).unwrap_or_default()
}
