//! What the agent edits and what it names stay as they stand.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Shown, Writing};
use crate::outputs::numbers::without_number;
use crate::outputs::surprise::Section;
use crate::tokens::Tokens;

/// What the agent names is kept up to this size.
const NAMED: Tokens = Tokens(400);
/// What the agent edits is kept up to this size.
const EDITED: Tokens = Tokens(800);
/// Lines around one that the agent edits.
const AROUND: usize = 3;
/// A line in more places than this does not say which of them the agent edits.
const PLACES: usize = 2;

impl Writing<'_> {
    /// Takes what the agent edits and names, in `at_most` if that is given.
    pub(super) fn take_edited(&mut self, at_most: Option<Tokens>) {
        if self.interest.is_empty() {
            return;
        }
        let sections = self.weighed.sections(self.text);
        let allowance = |spent: Tokens, usual: Tokens| at_most.unwrap_or(spent + usual).min(spent + usual);
        self.take_lines_edited(&sections, allowance(self.spent, EDITED));
        self.take_named(&sections, allowance(self.spent, NAMED));
    }

    /// The smallest first: who asks what a function does wants to see it.
    fn take_named(&mut self, sections: &[Section], allowance: Tokens) {
        let named = sections.iter().filter(|section| is_identifier(&section.name));
        let mut named: Vec<Range<usize>> =
            named.filter(|section| self.interest.names(&section.name)).map(|section| section.lines.clone()).collect();
        named.sort_by_key(|section| (section.len(), section.start));
        for section in named {
            self.take_verbatim(section, allowance);
        }
    }

    /// The innermost section around the lines, the one with most of them first, then the sections around it while they
    /// fit. Of a section that is too long, and outside of sections, the lines with what stands around them.
    fn take_lines_edited(&mut self, sections: &[Section], allowance: Tokens) {
        let mut edited = self.edited();
        if edited.is_empty() {
            return;
        }
        let mut sections: Vec<Range<usize>> = sections.iter().map(|section| section.lines.clone()).collect();
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
        inner.sort_by_key(|(section, own)| (std::cmp::Reverse(own.len()), section.len()));
        edited.clear();
        for (section, own) in inner {
            if !self.take_verbatim(section.clone(), allowance) {
                self.take_verbatim(section.start..section.start + 1, allowance);
                edited.extend(own);
            }
        }
        edited.extend(left);
        for index in edited {
            let end = (index + AROUND + 1).min(self.shown.len());
            let around = self.take_verbatim(index.saturating_sub(AROUND)..end, allowance);
            if !around && !self.take_verbatim(index..index + 1, allowance) {
                break;
            }
        }
        for section in outer {
            self.take_verbatim(section, allowance);
        }
    }

    /// Takes all of a range if it fits.
    fn take_verbatim(&mut self, range: Range<usize>, allowance: Tokens) -> bool {
        let cost = |line: usize| {
            let shown = self.shown.get(line).copied().unwrap_or(Shown::Out);
            self.cost(line, Shown::Verbatim) - self.cost(line, shown)
        };
        let mut spent = self.spent;
        for line in range.clone() {
            spent += cost(line);
            if spent > allowance {
                return false;
            }
        }
        range.for_each(|line| self.take(line, Shown::Verbatim));
        true
    }

    /// The lines that the agent edits. A line that stands in many places does not say where it works.
    fn edited(&self) -> Vec<usize> {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for line in 0..self.shown.len() {
            let text = self.text_of(line);
            let plain = without_number(text);
            if self.interest.works_on(text) || self.interest.works_on(plain) {
                places.entry(plain.trim()).or_default().push(line);
            }
        }
        let rare = places.into_values().filter(|places| places.len() <= PLACES);
        let edited: BTreeSet<usize> = rare.flatten().collect();
        edited.into_iter().collect()
    }
}

/// `load_batch`, `LoadBatch`, `src/load.rs`: a name that is not also a word of a sentence.
fn is_identifier(name: &str) -> bool {
    let humps = name.chars().zip(name.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    humps || name.contains(['_', '/', '.', ':'])
}
