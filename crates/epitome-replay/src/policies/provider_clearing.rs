//! What a provider offers: above 100,000 tokens, all tool results but the newest three are cleared on its side
//! (Anthropic's `clear_tool_uses`, with its defaults).

use super::none::{forced_summary, request};
use super::{Deed, Moment, Policy, Request};
use crate::context::Outline;
use crate::trace::Trace;

/// Clears from this size on: the provider's default.
const TRIGGER: u64 = 100_000;
/// Results that stay: the provider's default.
const KEEP: usize = 3;

pub(super) struct Clearing<'a> {
    outline: Outline<'a>,
    window: u64,
}

impl<'a> Clearing<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64) -> Clearing<'a> {
        Clearing { outline: Outline::new(trace), window }
    }
}

impl Policy for Clearing<'_> {
    fn request(&mut self, _: &Moment) -> Request {
        self.outline.append();
        // The client sends everything every time, so that it is the unedited request that triggers.
        let cleared = self.outline.unmasked_size() >= TRIGGER && self.outline.mask_but_newest(KEEP);
        let mut deeds: Vec<Deed> = cleared.then_some(Deed::Trimmed).into_iter().collect();
        deeds.extend(forced_summary(&mut self.outline, self.window));
        request(&self.outline, deeds)
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        None
    }
}
