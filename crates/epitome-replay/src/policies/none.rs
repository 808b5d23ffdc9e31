//! Nothing is done until a request does not fit the window; then everything but the tail is summarised.

use super::{Deed, Moment, Policy, Request, When};
use crate::context::{Outline, SUMMARY, TAIL};
use crate::trace::Trace;

pub(super) struct Nothing<'a> {
    outline: Outline<'a>,
    window: u64,
}

impl<'a> Nothing<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64) -> Nothing<'a> {
        Nothing { outline: Outline::new(trace), window }
    }
}

impl Policy for Nothing<'_> {
    fn request(&mut self, _: &Moment) -> Request {
        self.outline.append();
        let deeds = forced_summary(&mut self.outline, self.window).into_iter().collect();
        request(&self.outline, deeds)
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        None
    }
}

/// What is done about a request that does not fit, whatever the policy.
pub(super) fn forced_summary(outline: &mut Outline<'_>, window: u64) -> Option<Deed> {
    let tail = outline.tail_call();
    let summarized = outline.size() > window && outline.summarize(tail, SUMMARY);
    summarized.then_some(Deed::Summarized { written: SUMMARY, when: When::AtCall, tail: TAIL })
}

/// The request as the outline has it.
pub(super) fn request(outline: &Outline<'_>, deeds: Vec<Deed>) -> Request {
    Request { pieces: outline.pieces(), boundary: outline.boundary(), deeds }
}
