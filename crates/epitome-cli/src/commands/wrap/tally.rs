//! What was done with the calls of one run, for the lines at its end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use epitome_core::engine::Rung;
use epitome_core::tokens::Tokens;
use epitome_gateway::exchange::{Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use serde_json::json;

/// A gateway whose calls are counted, by what it tells the client of each.
pub(super) struct Counted {
    pub(super) pipeline: Arc<dyn Pipeline>,
    pub(super) tally: Arc<Mutex<Tally>>,
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tally {
    calls: u64,
    /// By action, and why not where it was left alone.
    by_action: BTreeMap<String, u64>,
    /// What the client had, and what was sent, over all calls.
    client: Tokens,
    sent: Tokens,
}

#[async_trait]
impl Pipeline for Counted {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        let purpose = incoming.purpose;
        let outgoing = self.pipeline.outgoing(incoming).await;
        match purpose {
            Purpose::Answer => self.tally.lock().unwrap_or_else(PoisonError::into_inner).count(&outgoing),
            Purpose::Count => {}
        }
        outgoing
    }
}

impl Tally {
    fn count(&mut self, outgoing: &Outgoing) {
        let header = |name: &str| {
            let found = outgoing.answer_headers.iter().find(|(known, _)| known == name);
            found.and_then(|(_, value)| value.to_str().ok())
        };
        let tokens = |name: &str| header(name).and_then(|tokens| tokens.parse().ok()).map(Tokens).unwrap_or_default();
        let action = header("x-epitome-action").unwrap_or_default();
        let action = header("x-epitome-reason").unwrap_or(action).to_owned();
        self.calls += 1;
        *self.by_action.entry(action).or_default() += 1;
        self.client += tokens("x-epitome-tokens-before");
        self.sent += tokens("x-epitome-tokens-after");
    }

    fn compactions(&self) -> u64 {
        let of = |action: &str| self.by_action.get(action).copied().unwrap_or_default();
        of("compacted") + of("compacted-once")
    }

    /// For people, a line each.
    pub(super) fn lines(&self, metrics: &Metrics) -> Vec<String> {
        if self.calls == 0 {
            return vec!["no call came through the gateway".to_owned()];
        }
        let mut first = format!("{}, {}", plural(self.calls, "call"), plural(self.compactions(), "compaction"));
        let rungs: Vec<String> = climbed(metrics).into_iter().map(|(rung, count)| format!("{rung}: {count}")).collect();
        if !rungs.is_empty() {
            first.push_str(&format!(" ({})", rungs.join(", ")));
        }
        let saved = self.client - self.sent;
        let share = 100.0 * saved.0 as f64 / self.client.0.max(1) as f64;
        vec![first, format!("the agent had {} tokens, {} were sent: {share:.1} % saved", self.client, self.sent)]
    }

    /// For programs.
    pub(super) fn json(&self, metrics: &Metrics) -> serde_json::Value {
        let rungs: BTreeMap<String, u64> =
            climbed(metrics).into_iter().map(|(rung, count)| (rung.to_string(), count)).collect();
        json!({
            "calls": self.calls,
            "compactions": self.compactions(),
            "compactions_by_rung": rungs,
            "calls_by_action": self.by_action,
            "client_tokens": self.client.0,
            "sent_tokens": self.sent.0,
        })
    }
}

fn climbed(metrics: &Metrics) -> Vec<(Rung, u64)> {
    metrics.compactions().into_iter().filter(|(_, count)| *count > 0).collect()
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
