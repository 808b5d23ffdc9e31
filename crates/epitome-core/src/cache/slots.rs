//! The markers that a request has room for: never more than the provider accepts, and never in an order that it refuses.

use super::{Breakpoint, Place, Prompt, Rules, Ttl};
use crate::tokens::Tokens;

/// A request that markers are being added to. The client's own stay where they are.
pub(super) struct Slots<'a> {
    prompt: &'a Prompt,
    rules: &'a Rules,
    /// The client's markers and those that were added, in the order of the prompt.
    marked: Vec<(usize, Ttl)>,
    free: usize,
    added: Vec<Breakpoint>,
}

impl<'a> Slots<'a> {
    pub(super) fn new(prompt: &'a Prompt, rules: &'a Rules) -> Slots<'a> {
        let free = rules.most.saturating_sub(prompt.markers());
        Slots { prompt, rules, marked: prompt.marked(), free, added: Vec::new() }
    }

    /// Marks a block, for as long as `ttl` if the markers around it allow that. `false`: there is no room, no use, or no
    /// order in which the provider would accept it.
    pub(super) fn mark(&mut self, index: usize, ttl: Ttl) -> bool {
        let markable = self.prompt.blocks.get(index).is_some_and(|block| block.may_carry);
        if !markable || self.end_of(index) < self.rules.minimum {
            return false;
        }
        self.add(index, ttl, Place::Block(index))
    }

    /// Has the provider mark the last block, whatever it is.
    pub(super) fn mark_automatically(&mut self, ttl: Ttl) -> bool {
        let Some(last) = self.prompt.last_block() else { return false };
        if self.end_of(last) < self.rules.minimum {
            return false;
        }
        self.add(last, ttl, Place::Automatic)
    }

    /// Whether a block has a marker.
    pub(super) fn is_marked(&self, index: usize) -> bool {
        self.ttl_at(index).is_some()
    }

    /// How long the marker of a block lives, if it has one.
    pub(super) fn ttl_at(&self, index: usize) -> Option<Ttl> {
        self.marked.iter().find(|(marked, _)| *marked == index).map(|(_, ttl)| *ttl)
    }

    /// How long a marker on this block could live.
    pub(super) fn longest_at(&self, index: usize) -> Option<Ttl> {
        let before = self.marked.iter().filter(|(marked, _)| *marked < index).map(|(_, ttl)| *ttl).min();
        let behind = self.marked.iter().filter(|(marked, _)| *marked > index).map(|(_, ttl)| *ttl).max();
        // What lives longer must stand before what lives shorter.
        let most = before.unwrap_or(Ttl::Long);
        (behind.unwrap_or(Ttl::Short) <= most).then_some(most)
    }

    /// Whether something that was written up to this block is found by a marker that there is.
    pub(super) fn finds(&self, written: usize, within: usize) -> bool {
        self.marked.iter().any(|(marked, _)| (written..written.saturating_add(within)).contains(marked))
    }

    pub(super) fn has_added(&self) -> bool {
        !self.added.is_empty()
    }

    /// What was added, in the order of the prompt.
    pub(super) fn into_added(mut self) -> Vec<Breakpoint> {
        self.added.sort_by_key(|breakpoint| breakpoint.place);
        self.added
    }

    fn add(&mut self, index: usize, ttl: Ttl, place: Place) -> bool {
        let Some(longest) = self.longest_at(index).filter(|_| self.free > 0 && !self.is_marked(index)) else {
            return false;
        };
        let behind = self.marked.iter().filter(|(marked, _)| *marked > index).map(|(_, ttl)| *ttl).max();
        let ttl = ttl.max(behind.unwrap_or(Ttl::Short)).min(longest);
        self.free -= 1;
        self.marked.push((index, ttl));
        self.marked.sort_unstable_by_key(|(index, _)| *index);
        self.added.push(Breakpoint { place, ttl });
        true
    }

    fn end_of(&self, index: usize) -> Tokens {
        self.prompt.blocks.iter().take(index + 1).map(|block| block.tokens).sum()
    }
}
