//! Hindsight: the decisions of [`crate::optimum`], one after the other.

use std::collections::BTreeMap;

use super::none::request;
use super::{Deed, Moment, Policy, Request, When};
use crate::context::{Outline, SUMMARY, TAIL};
use crate::optimum::{Act, best};
use crate::prices::PriceSet;
use crate::trace::Trace;

pub(super) struct Hindsight<'a> {
    outline: Outline<'a>,
    acts: BTreeMap<usize, Act>,
    calls: usize,
}

impl<'a> Hindsight<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64, prices: &PriceSet) -> Hindsight<'a> {
        Hindsight { outline: Outline::new(trace), acts: best(trace, window, prices).acts, calls: 0 }
    }
}

impl Policy for Hindsight<'_> {
    fn request(&mut self, moment: &Moment) -> Request {
        self.outline.append();
        let act = self.acts.get(&self.calls);
        self.calls += 1;
        let deed = match act {
            None => None,
            Some(Act::Mask { until }) => self.outline.mask_until_call(*until).then_some(Deed::Trimmed),
            Some(Act::Summarize { until }) => {
                // Whoever knows that the cache will be cold has the summary written while it is warm.
                let when = if moment.paused { When::InPause } else { When::AtCall };
                let deed = Deed::Summarized { written: SUMMARY, when, tail: TAIL };
                self.outline.summarize(*until, SUMMARY).then_some(deed)
            }
        };
        request(&self.outline, deed.into_iter().collect())
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        None
    }
}
