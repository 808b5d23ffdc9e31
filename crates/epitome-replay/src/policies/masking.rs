//! Rolling masks: at every call, the results of all calls but the last ten are masked, as some agents do.

use super::none::{forced_summary, request};
use super::{Deed, Moment, Policy, Request};
use crate::context::Outline;
use crate::trace::Trace;

/// Calls whose results stay.
const KEEP: usize = 10;
/// Summarised from this share of the window on, when masks are not enough.
const FULL: f64 = 0.95;

pub(super) struct Masking<'a> {
    outline: Outline<'a>,
    window: u64,
    calls: usize,
}

impl<'a> Masking<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64) -> Masking<'a> {
        Masking { outline: Outline::new(trace), window, calls: 0 }
    }
}

impl Policy for Masking<'_> {
    fn request(&mut self, _: &Moment) -> Request {
        self.outline.append();
        let masked = self.outline.mask_until_call(self.calls.saturating_sub(KEEP));
        self.calls += 1;
        let mut deeds: Vec<Deed> = masked.then_some(Deed::Trimmed).into_iter().collect();
        deeds.extend(forced_summary(&mut self.outline, (FULL * self.window as f64) as u64));
        request(&self.outline, deeds)
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        None
    }
}
