//! What people see of a replay: sums over sessions, and a page with plots.

mod bars;
mod html;
mod lines;
mod svg;

pub use html::page;

use crate::policies::Name;
use crate::prices::Bill;
use crate::study::Study;
use crate::validation::Validated;

/// One policy over all sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    /// Which.
    pub policy: Name,
    /// What it cost.
    pub bill: Bill,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Of these, read from the cache.
    pub read_tokens: u64,
    /// Of these, written to it.
    pub written_tokens: u64,
    /// Summaries that were written.
    pub summaries: usize,
    /// Times that outputs were shortened.
    pub trims: usize,
    /// The largest prompt.
    pub peak: u64,
    /// Sessions with a prompt that is larger than the window: no provider would have answered it.
    pub beyond_window: usize,
    /// The smallest tail that a summary left verbatim.
    pub smallest_tail: Option<u64>,
}

impl Total {
    /// The share of all prompts that was read from the cache.
    pub fn read_share(&self) -> f64 {
        self.read_tokens as f64 / self.prompt_tokens.max(1) as f64
    }
}

/// What hindsight costs, where its prompts fit the window: otherwise nothing can be measured by it.
pub fn optimum(totals: &[Total]) -> Option<f64> {
    let optimum = totals.iter().find(|total| total.policy == Name::Optimum && total.beyond_window == 0);
    optimum.map(|total| total.bill.total())
}

/// Sums each policy up.
pub fn totals(studies: &[Study], window: u64) -> Vec<Total> {
    let names = studies.first().map(|study| study.runs.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    names.unwrap_or_default().into_iter().map(|policy| total(policy, studies, window)).collect()
}

fn total(policy: Name, studies: &[Study], window: u64) -> Total {
    let mut total = Total {
        policy,
        bill: Bill::default(),
        prompt_tokens: 0,
        read_tokens: 0,
        written_tokens: 0,
        summaries: 0,
        trims: 0,
        peak: 0,
        beyond_window: 0,
        smallest_tail: None,
    };
    for (_, run) in studies.iter().flat_map(|study| &study.runs).filter(|(name, _)| *name == policy) {
        total.bill.add(&run.bill);
        total.prompt_tokens += run.prompt_tokens();
        total.read_tokens += run.read_tokens();
        let written = run.calls.iter().map(|call| call.billed.written_short.0 + call.billed.written_long.0);
        total.written_tokens += written.sum::<u64>();
        total.summaries += run.summaries;
        total.trims += run.trims;
        total.peak = total.peak.max(run.peak());
        total.beyond_window += usize::from(run.peak() > window);
        total.smallest_tail = [total.smallest_tail, run.smallest_tail].into_iter().flatten().min();
    }
    total
}

/// The simulated cache against the recorded one, over all sessions that say enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ValidatedAll {
    /// The sum.
    pub all: Validated,
    /// How many sessions.
    pub sessions: usize,
    /// The median difference of a session's share, whatever its sign.
    pub median_error: f64,
}

/// Sums the validation up. `None`: no session says enough.
pub fn validated(studies: &[Study]) -> Option<ValidatedAll> {
    let each: Vec<Validated> = studies.iter().filter_map(|study| study.validated).collect();
    let mut all = Validated::default();
    each.iter().for_each(|one| all.add(one));
    let mut errors: Vec<f64> = each.iter().map(|one| (one.share() - one.recorded_share()).abs()).collect();
    errors.sort_by(f64::total_cmp);
    let median_error = *errors.get(errors.len() / 2)?;
    Some(ValidatedAll { all, sessions: each.len(), median_error })
}
