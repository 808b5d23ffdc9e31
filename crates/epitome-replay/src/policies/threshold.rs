//! The engine as it is shipped: a compaction at half of the window (M6), by the real engine on the real messages.

use std::sync::Arc;

use epitome_core::budget::{self, Budget};
use epitome_core::engine::Rung;
use epitome_core::engines::compressor::Compressor;
use epitome_core::tokens::Tokens;

use super::{Deed, Moment, Policy, Request, When};
use crate::context::Transcript;
use crate::trace::Trace;

pub(super) struct Threshold<'a> {
    transcript: Transcript<'a>,
    budget: Budget,
}

impl<'a> Threshold<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64) -> Threshold<'a> {
        Threshold::following(trace, window, budget::Policy::default())
    }

    pub(super) fn following(trace: &'a Trace, window: u64, policy: budget::Policy) -> Threshold<'a> {
        let budget = Budget::new(Tokens(window), Tokens(0), &policy);
        Threshold { transcript: Transcript::new(trace, Arc::new(Compressor::new(policy))), budget }
    }
}

impl Policy for Threshold<'_> {
    fn request(&mut self, _: &Moment) -> Request {
        self.transcript.append();
        let compacted =
            self.transcript.is_due(&self.budget).then(|| self.transcript.compact(&self.budget, Rung::Prune, 0));
        let deed = compacted.flatten().map(|compacted| {
            self.budget.settled_at = compacted.fell_short.then(|| Tokens(self.transcript.size()));
            match compacted.summary {
                Some(written) => Deed::Summarized { written, when: When::AtCall, tail: compacted.tail },
                None => Deed::Trimmed,
            }
        });
        Request {
            pieces: self.transcript.pieces(),
            boundary: self.transcript.boundary(),
            deeds: deed.into_iter().collect(),
        }
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        None
    }
}
