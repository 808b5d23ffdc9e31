//! Plays a session: call by call, a policy makes the request, a simulated provider answers, and a bill adds up.

use epitome_core::cache::{Billed, Ttl};

use crate::policies::{Deed, Moment, Policy, Request, When};
use crate::prices::{Bill, PriceSet};
use crate::provider::Provider;
use crate::trace::Trace;

/// What a summariser is told beside the conversation.
pub(crate) const INSTRUCTION: u64 = 300;

/// A session that was played.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Played {
    /// What it cost.
    pub bill: Bill,
    /// Its calls.
    pub calls: Vec<PlayedCall>,
    /// How many summaries were written.
    pub summaries: usize,
    /// How many times outputs were shortened.
    pub trims: usize,
    /// The smallest tail that a summary left verbatim.
    pub smallest_tail: Option<u64>,
}

/// A call that was played.
#[derive(Debug, Clone, PartialEq)]
pub struct PlayedCall {
    /// Its prompt.
    pub billed: Billed,
    /// What was done before it.
    pub did: Option<Did>,
}

/// What was done before a call, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// Outputs were shortened.
    Trimmed,
    /// A summary was written.
    Summarized,
}

/// One call, for whoever looks on.
#[derive(Debug)]
pub struct Seen<'a> {
    /// Its number. The number of calls, for what is done behind the last.
    pub call: usize,
    /// What left; `None` behind the last call.
    pub request: Option<&'a Request>,
    /// What was done.
    pub deeds: &'a [Deed],
    /// The breakpoints it went with.
    pub breakpoints: &'a [(usize, Ttl)],
}

/// Plays a session to its end. `look` sees every call.
pub fn play(
    trace: &Trace,
    policy: &mut dyn Policy,
    mut provider: Provider,
    prices: &PriceSet,
    look: &mut dyn FnMut(&Seen<'_>),
) -> Played {
    let mut played = Played::default();
    let mut now = 0.0;
    let mut last = 0;
    for (index, call) in trace.calls.iter().enumerate() {
        now += call.gap;
        let warm = index > 0 && call.gap <= provider.lifetime();
        let cached = if warm { last } else { provider.prefix_after(call.gap, trace.prefix).min(last) };
        let moment = Moment { paused: index > 0 && !warm, cached };
        let request = policy.request(&moment);
        for deed in &request.deeds {
            let read = Read { last, warm, appended: trace.appended(index), answered: trace.answered(index) };
            played.count(deed, &read, prices);
        }
        let answered = provider.request(&request.pieces, request.boundary, now);
        let mut bill = prices.prompt(&answered.billed);
        bill.output = prices.output * call.output as f64;
        played.bill.add(&bill);
        last = answered.billed.prompt().0;
        played.calls.push(PlayedCall { billed: answered.billed, did: did(&request.deeds) });
        look(&Seen { call: index, request: Some(&request), deeds: &request.deeds, breakpoints: &answered.breakpoints });
    }
    if let Some(deed) = policy.at_the_end() {
        played.count(&deed, &Read { last, warm: true, appended: 0, answered: 0 }, prices);
        look(&Seen { call: trace.calls.len(), request: None, deeds: &[deed], breakpoints: &[] });
    }
    played
}

/// What a summariser reads: it forks the last request, through its cache where that is warm.
struct Read {
    last: u64,
    warm: bool,
    appended: u64,
    answered: u64,
}

impl Played {
    fn count(&mut self, deed: &Deed, read: &Read, prices: &PriceSet) {
        match deed {
            Deed::Trimmed => self.trims += 1,
            Deed::Summarized { written, when, tail } => {
                self.summaries += 1;
                self.smallest_tail = Some(self.smallest_tail.map_or(*tail, |smallest| smallest.min(*tail)));
                let (cached, new) = match when {
                    When::AtCall => (read.warm, read.appended),
                    When::InPause => (true, read.answered),
                };
                let rate = if cached { prices.read } else { 1.0 };
                let input = rate * read.last as f64 + (new + INSTRUCTION) as f64;
                self.bill.summaries += input + prices.output * *written as f64;
            }
        }
    }

    /// Tokens of all prompts.
    pub fn prompt_tokens(&self) -> u64 {
        self.calls.iter().map(|call| call.billed.prompt().0).sum()
    }

    /// Tokens of prompts that were read from the cache.
    pub fn read_tokens(&self) -> u64 {
        self.calls.iter().map(|call| call.billed.read.0).sum()
    }

    /// The largest prompt.
    pub fn peak(&self) -> u64 {
        self.calls.iter().map(|call| call.billed.prompt().0).max().unwrap_or(0)
    }
}

fn did(deeds: &[Deed]) -> Option<Did> {
    let summarized = deeds.iter().any(|deed| matches!(deed, Deed::Summarized { .. }));
    let what = if summarized { Did::Summarized } else { Did::Trimmed };
    (!deeds.is_empty()).then_some(what)
}
