//! The cost rule of the core, carried out by the real engine on the real messages.

use std::sync::Arc;

use epitome_core::budget::{self, Budget, Outputs, Thrift, Trigger};
use epitome_core::cost::trigger::{Action, Decision, Foregone, Outcome, Outlook, Pause, Rule, Situation};
use epitome_core::engine::Rung;
use epitome_core::engines::compressor::Compressor;
use epitome_core::tokens::Tokens;

use super::{Deed, Moment, Policy, Request, When};
use crate::context::Transcript;
use crate::prices::PriceSet;
use crate::trace::Trace;

/// How the cost rule is set up.
#[derive(Debug, Clone, PartialEq)]
pub struct CostSettings {
    /// What is kept, and what tokens cost beyond their bill.
    pub thrift: Thrift,
    /// What becomes of old outputs, and the threshold above which something is done whatever it costs.
    pub policy: budget::Policy,
}

impl Default for CostSettings {
    fn default() -> Self {
        // Digests of what will be summarised soon cost about 1 % more than a sentence in their place. The ceiling is
        // where hygiene starts (M2).
        let policy = budget::Policy { outputs: Outputs::Clear, threshold: 0.85, ..budget::Policy::default() };
        CostSettings { thrift: Thrift::default(), policy }
    }
}

pub(super) struct CostRule<'a> {
    trace: &'a Trace,
    transcript: Transcript<'a>,
    budget: Budget,
    rule: Rule,
    foregone: Foregone,
    /// Kept at the end, at least.
    tail: u64,
    /// The last request, as it was sent.
    last: u64,
    calls: usize,
}

impl<'a> CostRule<'a> {
    pub(super) fn new(trace: &'a Trace, window: u64, prices: &PriceSet, settings: &CostSettings) -> CostRule<'a> {
        let thrift = settings.thrift;
        let policy = settings.policy.for_model(trace.model.as_deref().unwrap_or_default());
        let policy = budget::Policy { trigger: Trigger::Cost(thrift), ..policy };
        let budget = Budget::new(Tokens(window), Tokens(0), &policy);
        CostRule {
            trace,
            transcript: Transcript::new(trace, Arc::new(Compressor::new(policy))),
            tail: budget.tail.0,
            budget,
            rule: Rule { shadow: thrift.shadow, ..Rule::new(prices.rates()) },
            foregone: Foregone::default(),
            last: 0,
            calls: 0,
        }
    }

    fn outlook(&self) -> Outlook {
        self.transcript.outlook(&self.budget)
    }

    fn consider(&mut self, cached: u64) -> Decision {
        let now = Situation {
            size: Tokens(self.transcript.size()),
            cached: Tokens(cached),
            outlook: self.outlook(),
            ceiling: self.budget.trigger,
        };
        self.rule.consider(&mut self.foregone, &now)
    }

    /// What the rule says about a pause, before anything new has come in.
    fn consider_pause(&mut self) -> Option<Outcome> {
        let Outlook { trimmed, summarized } = self.outlook();
        let summarized = summarized?;
        // Outputs can be shortened for nothing when the cache is cold.
        let on_return = trimmed.map_or(Tokens(self.transcript.size()), |trimmed| trimmed.size);
        let pause = Pause {
            last: Tokens(self.last),
            answer: Tokens(if self.calls < self.trace.calls.len() { self.trace.answered(self.calls) } else { ANSWER }),
            size_on_return: on_return,
            summarized,
        };
        let decision = self.rule.consider_pause(&mut self.foregone, &pause);
        decision.action.map(|_| summarized)
    }

    fn act(&mut self, action: Action, when: When) -> Option<Deed> {
        let from = match action {
            Action::Trim => Rung::Prune,
            Action::Summarize => Rung::Summarize,
        };
        let used = Tokens(self.transcript.size());
        let budget = Budget { used, ..self.budget.clone() }.paying(action);
        let compacted = self.transcript.compact(&budget, from, self.tail)?;
        Some(match compacted.summary {
            Some(written) => Deed::Summarized { written, when, tail: compacted.tail },
            None => Deed::Trimmed,
        })
    }
}

/// An answer that was not recorded.
const ANSWER: u64 = 400;

impl Policy for CostRule<'_> {
    fn request(&mut self, moment: &Moment) -> Request {
        let mut deeds = Vec::new();
        if moment.paused && self.consider_pause().is_some() {
            deeds.extend(self.act(Action::Summarize, When::InPause));
        }
        self.transcript.append();
        let first = self.calls == 0;
        if !first && let Some(action) = self.consider(moment.cached).action {
            deeds.extend(self.act(action, When::AtCall));
        }
        self.calls += 1;
        self.last = self.transcript.size();
        Request { pieces: self.transcript.pieces(), boundary: self.transcript.boundary(), deeds }
    }

    fn at_the_end(&mut self) -> Option<Deed> {
        let written = self.consider_pause()?.written.0;
        let (_, tail) = self.transcript.tail(self.tail);
        Some(Deed::Summarized { written, when: When::InPause, tail })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};

    #[test]
    fn its_ceiling_is_the_threshold_of_the_sessions_model() {
        let prices = PriceSet::anthropic("r0.10", 0.1);
        let mut trace = generate(&Shape::with_pauses(4), 1);
        trace.model = Some("anthropic/claude-opus-4.6".to_owned());
        let ceiling = |change: &dyn Fn(&mut budget::Policy)| {
            let mut settings = CostSettings::default();
            change(&mut settings.policy);
            CostRule::new(&trace, 1_000_000, &prices, &settings).budget.trigger
        };
        assert_eq!(ceiling(&|_| {}), Tokens(850_000));
        assert_eq!(ceiling(&|policy| policy.threshold_tokens = Some(Tokens(256_000))), Tokens(256_000));
        let opus = [("claude-opus".to_owned(), budget::Threshold::Share(0.4))];
        assert_eq!(ceiling(&|policy| policy.model_thresholds = opus.clone().into()), Tokens(400_000));
    }
}
