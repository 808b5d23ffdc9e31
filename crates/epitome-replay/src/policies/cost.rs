//! The cost rule of the core, carried out by the real engine on the real messages.

use std::sync::Arc;

use epitome_core::budget::{self, Budget, Outputs};
use epitome_core::cost::trigger::{Action, Decision, Foregone, Outcome, Pause, Rule, Situation};
use epitome_core::engine::{Plan, Rung, Step};
use epitome_core::engines::compressor::Compressor;
use epitome_core::outputs::{DIGEST_ABOVE, DIGEST_TARGET};
use epitome_core::tokens::Tokens;

use super::{Deed, Moment, Policy, Request, When};
use crate::context::{SUMMARY, TAIL, Transcript};
use crate::prices::PriceSet;
use crate::trace::Trace;

/// How the cost rule is set up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostSettings {
    /// Kept at the end, at least.
    pub tail: u64,
    /// A summary is never longer.
    pub summary: u64,
    /// What becomes of old outputs.
    pub outputs: Outputs,
    /// Above this share of the window something is done whatever it costs.
    pub ceiling: f64,
}

impl Default for CostSettings {
    fn default() -> Self {
        // Digests of what will be summarised soon cost about 1 % more than a sentence in their place. The ceiling is
        // where hygiene starts (M2).
        CostSettings { tail: TAIL, summary: SUMMARY, outputs: Outputs::Clear, ceiling: 0.85 }
    }
}

/// Results that are smaller are not worth a line in their place.
const WORTH_SHORTENING: u64 = 60;
/// A result that is not worth a digest becomes a line of about this many tokens: the call, its outcome, its size.
const ONE_LINE: u64 = 40;
/// A result that is cleared becomes a sentence of about this many tokens.
const PLACEHOLDER: u64 = 20;
/// Less in the middle is not summarised.
const WORTH_SUMMARIZING: u64 = 2_000;

pub(super) struct CostRule<'a> {
    trace: &'a Trace,
    transcript: Transcript<'a>,
    budget: Budget,
    rule: Rule,
    foregone: Foregone,
    settings: CostSettings,
    ceiling: u64,
    /// The last request, as it was sent.
    last: u64,
    calls: usize,
}

impl<'a> CostRule<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64, prices: &PriceSet, settings: CostSettings) -> CostRule<'a> {
        let policy = budget::Policy { outputs: settings.outputs, ..budget::Policy::default() };
        let mut budget = Budget::new(Tokens(window), Tokens(0), &policy);
        budget.summary_ceiling = Tokens(settings.summary);
        // The tail is counted in tokens.
        budget.protect_last_n = 1;
        CostRule {
            trace,
            transcript: Transcript::new(trace, Arc::new(Compressor::new(policy))),
            budget,
            rule: Rule::new(prices.rates()),
            foregone: Foregone::default(),
            settings,
            ceiling: Tokens(window).share(settings.ceiling).0,
            last: 0,
            calls: 0,
        }
    }

    /// A compaction may end anywhere below what there is, and keeps a tail that is at least as long as it should be.
    fn budget_now(&self) -> Budget {
        let size = self.transcript.size();
        let (_, tail) = self.transcript.tail(self.settings.tail);
        Budget { trigger: Tokens(size.min(self.ceiling)), tail: Tokens(tail), ..self.budget.clone() }
    }

    /// What a summary would leave, by the engine's own plan.
    fn if_summarized(&self) -> Option<Outcome> {
        let (start, tail) = self.transcript.tail(self.settings.tail);
        if start == 0 || self.transcript.size() < self.trace.prefix + tail + WORTH_SUMMARIZING {
            return None;
        }
        summarized(&self.transcript.plan(&self.budget_now(), Rung::Summarize), &self.transcript)
    }

    /// What is left of a result that is shortened, about.
    fn shortened(&self, tokens: u64) -> u64 {
        let in_ours = |tokens: Tokens| (tokens.0 as f64 * self.trace.factor) as u64;
        match self.settings.outputs {
            Outputs::Clear => tokens.min(PLACEHOLDER),
            Outputs::Digest if tokens > in_ours(DIGEST_ABOVE) => in_ours(DIGEST_TARGET),
            Outputs::Digest => tokens.min(ONE_LINE),
        }
    }

    /// What would be left if every old result were shortened.
    fn if_trimmed(&self) -> Option<Outcome> {
        let (start, _) = self.transcript.tail(self.settings.tail);
        let large = || self.transcript.results_before(start).filter(|(_, tokens)| *tokens > WORTH_SHORTENING);
        let (first, _) = large().next()?;
        let saved: u64 = large().map(|(_, tokens)| tokens - self.shortened(tokens)).sum();
        let size = Tokens(self.transcript.size() - saved);
        Some(Outcome { size, kept: Tokens(self.transcript.size_until(first)), written: Tokens(0) })
    }

    fn consider(&mut self, cached: u64) -> Decision {
        let now = Situation {
            size: Tokens(self.transcript.size()),
            cached: Tokens(cached),
            trimmed: self.if_trimmed(),
            summarized: self.if_summarized(),
            ceiling: Tokens(self.ceiling),
        };
        self.rule.consider(&mut self.foregone, &now)
    }

    /// What the rule says about a pause, before anything new has come in.
    fn consider_pause(&mut self) -> Option<Outcome> {
        let summarized = self.if_summarized()?;
        // Outputs can be shortened for nothing when the cache is cold.
        let on_return = self.if_trimmed().map_or(Tokens(self.transcript.size()), |trimmed| trimmed.size);
        let pause = Pause {
            last: Tokens(self.last),
            answer: Tokens(if self.calls < self.trace.calls.len() { self.trace.answered(self.calls) } else { ANSWER }),
            size_on_return: on_return,
            summarized,
        };
        let decision = self.rule.consider_pause(&mut self.foregone, &pause);
        decision.action.map(|_| summarized)
    }

    fn summarize(&mut self, when: When) -> Option<Deed> {
        let budget = self.budget_now();
        let compacted = self.transcript.compact(&budget, Rung::Summarize, self.settings.tail)?;
        Some(match compacted.summary {
            Some(written) => Deed::Summarized { written, when, tail: compacted.tail },
            None => Deed::Trimmed,
        })
    }

    fn trim(&mut self) -> Option<Deed> {
        let budget = Budget { shorten_down_to: Some(Tokens(0)), ..self.budget_now() };
        self.transcript.compact(&budget, Rung::Prune, self.settings.tail).map(|_| Deed::Trimmed)
    }
}

/// An answer that was not recorded.
const ANSWER: u64 = 400;

impl Policy for CostRule<'_> {
    fn request(&mut self, moment: &Moment) -> Request {
        let mut deeds = Vec::new();
        if moment.paused && self.consider_pause().is_some() {
            deeds.extend(self.summarize(When::InPause));
        }
        self.transcript.append();
        let first = self.calls == 0;
        if !first {
            deeds.extend(match self.consider(moment.cached).action {
                None => None,
                Some(Action::Trim) => self.trim(),
                Some(Action::Summarize) => self.summarize(When::AtCall),
            });
        }
        self.calls += 1;
        self.last = self.transcript.size();
        Request { pieces: self.transcript.pieces(), boundary: self.transcript.boundary(), deeds }
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        let written = self.consider_pause()?.written.0;
        let (_, tail) = self.transcript.tail(self.settings.tail);
        Some(Deed::Summarized { written, when: When::InPause, tail })
    }
}

/// Where a plan that summarises leads.
fn summarized(plan: &Plan, transcript: &Transcript<'_>) -> Option<Outcome> {
    let climbed = plan.rungs.iter().find(|climbed| climbed.rung == Rung::Summarize)?;
    let order = plan.steps.iter().find_map(|step| match step {
        Step::Summarize(order) => Some(order),
        Step::Edit(_) => None,
    })?;
    let first = order.gaps.first()?.start;
    let kept = Tokens(transcript.size_until(first));
    Some(Outcome { size: climbed.at_most, kept, written: order.budget })
}
