//! What was done with the calls of one run, for the lines at its end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use epitome_core::engine::Rung;
use epitome_core::money::Dollars;
use epitome_core::tokens::Tokens;
use epitome_gateway::exchange::{Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use epitome_store::records::Spending;
use serde_json::json;

use crate::commands::sessions::money;
use crate::units::counted;

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
    /// What the client had, and what was sent or would have been, over all calls.
    client: Tokens,
    sent: Tokens,
    /// The largest request, and the size from which on it would have been compacted.
    largest: Tokens,
    trigger: Tokens,
    /// How many calls each session made.
    sessions: BTreeMap<String, u64>,
}

/// What the user may want to do after the run.
pub(super) struct Next<'a> {
    /// The program that was run.
    pub(super) program: &'a str,
    /// The store, where a flag names it.
    pub(super) store: Option<&'a str>,
    /// Whether the store is still there after the run.
    pub(super) remembered: bool,
    /// Whether requests were only watched.
    pub(super) observed: bool,
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
        let before = tokens("x-epitome-tokens-before");
        self.client += before;
        self.sent += tokens("x-epitome-tokens-after");
        if before >= self.largest {
            (self.largest, self.trigger) = (before, tokens("x-epitome-trigger"));
        }
        if let Some(session) = header("x-epitome-session") {
            *self.sessions.entry(session.to_owned()).or_default() += 1;
        }
    }

    /// The session with the most calls.
    fn main_session(&self) -> Option<&str> {
        self.sessions.iter().max_by_key(|(_, calls)| **calls).map(|(name, _)| name.as_str())
    }

    /// For people, a line each.
    pub(super) fn lines(&self, metrics: &Metrics, next: &Next<'_>) -> Vec<String> {
        if self.calls == 0 {
            let program = next.program;
            return vec![
                format!(
                    "no call came through the gateway: {program} asked nothing, or takes its address from elsewhere"
                ),
                "next: epitome serve --help shows how each agent is given an address".to_owned(),
            ];
        }
        let mut lines = vec![self.what_was_done(metrics), self.tokens(next.observed)];
        if next.observed {
            lines.extend(removed(metrics));
        }
        lines.push(dollars(metrics, next.observed));
        lines.extend(self.why_nothing_was_compacted(metrics));
        lines.push(self.next_step(next));
        lines
    }

    fn what_was_done(&self, metrics: &Metrics) -> String {
        let rungs = climbed(metrics);
        let compactions: u64 = rungs.iter().map(|(_, count)| count).sum();
        let mut line = format!("{}, {}", counted(self.calls, "call"), counted(compactions, "compaction"));
        if !rungs.is_empty() {
            let rungs: Vec<String> = rungs.into_iter().map(|(rung, count)| format!("{rung}: {count}")).collect();
            line.push_str(&format!(" ({})", rungs.join(", ")));
        }
        match (self.main_session(), self.sessions.len()) {
            (Some(session), 1) => line.push_str(&format!(", session {session}")),
            (Some(session), sessions) => line.push_str(&format!(", {sessions} sessions, most of it {session}")),
            (None, _) => {}
        }
        line
    }

    fn tokens(&self, observed: bool) -> String {
        let share = 100.0 * (self.client - self.sent).0 as f64 / self.client.0.max(1) as f64;
        if observed {
            let (client, sent) = (self.client, self.sent);
            return format!(
                "nothing was changed; with epitome {sent} of {client} tokens would have been sent: {share:.1} % saved"
            );
        }
        format!("the agent had {} tokens, {} were sent: {share:.1} % saved", self.client, self.sent)
    }

    fn why_nothing_was_compacted(&self, metrics: &Metrics) -> Option<String> {
        let replayed = self.by_action.contains_key("replayed");
        if replayed || !climbed(metrics).is_empty() {
            return None;
        }
        let usual = |action: &String| ["below_threshold", "observe"].contains(&action.as_str());
        let why = if self.by_action.keys().all(usual) {
            let (largest, trigger) = (self.largest, self.trigger);
            format!("the largest request had {largest} tokens, compaction begins at {trigger}")
        } else if self.by_action.keys().all(|action| action == "off") {
            "compression is off (compression.enabled)".to_owned()
        } else {
            let reasons = self.by_action.iter().map(|(reason, count)| format!("{reason}: {count}"));
            format!("{}; see docs/gateway.md", reasons.collect::<Vec<_>>().join(", "))
        };
        Some(format!("nothing was compacted: {why}"))
    }

    fn next_step(&self, next: &Next<'_>) -> String {
        match (next.observed, self.main_session().filter(|_| next.remembered), next.store) {
            (true, _, _) => format!("next: epitome wrap {}", next.program),
            (false, Some(session), None) => format!("next: epitome sessions show {session}"),
            (false, Some(session), Some(store)) => format!("next: epitome sessions show {session} --store {store}"),
            (false, None, _) => {
                "next: --store FILE remembers sessions; epitome sessions shows what was done to each message".to_owned()
            }
        }
    }

    /// For programs.
    pub(super) fn json(&self, metrics: &Metrics, next: &Next<'_>) -> serde_json::Value {
        let rungs: BTreeMap<String, u64> =
            climbed(metrics).into_iter().map(|(rung, count)| (rung.to_string(), count)).collect();
        let spending = metrics.spending();
        let watched = metrics.watched_spending();
        json!({
            "calls": self.calls,
            "compactions": rungs.values().sum::<u64>(),
            "compactions_by_rung": rungs,
            "calls_by_action": self.by_action,
            "client_tokens": self.client.0,
            "sent_tokens": self.sent.0,
            "observed": next.observed,
            "sessions": self.sessions,
            "largest_request": self.largest.0,
            "trigger": self.trigger.0,
            "tokens_saved_by_edits": metrics.saved_by_edits(),
            "spending": money::to_json(&spending),
            "with_epitome_usd": (watched.calls > 0).then_some(watched.with_us),
        })
    }
}

/// What compactions would have taken out and put in.
fn removed(metrics: &Metrics) -> Option<String> {
    let kinds = metrics.saved_by_edits();
    let saved =
        |kind: &str| kinds.get(kind).copied().filter(|tokens| *tokens > 0).map(|tokens| Tokens(tokens.unsigned_abs()));
    let parts: Vec<String> =
        [("digests", "shortened tool outputs"), ("summaries", "summarised messages"), ("dropped", "dropped messages")]
            .into_iter()
            .filter_map(|(kind, what)| Some(format!("{} tokens of {what}", saved(kind)?)))
            .collect();
    (!parts.is_empty()).then(|| format!("compactions would have taken out {}", parts.join(", ")))
}

/// What it cost, and what it would have.
fn dollars(metrics: &Metrics, observed: bool) -> String {
    let spending = metrics.spending();
    let paid = spending.paid + spending.summaries;
    if spending == Spending::default() {
        return "what it cost is not known: the provider reported no usage".to_owned();
    }
    if spending.paid == Dollars::ZERO && spending.unpriced > 0 {
        return "what it cost is not known: the model has no price here (--models FILE adds one)".to_owned();
    }
    let unpriced = match spending.unpriced {
        0 => String::new(),
        calls => format!(", and {} of models without a price", counted(calls, "call")),
    };
    let watched = metrics.watched_spending();
    if observed {
        return format!(
            "{paid} paid{unpriced}; with epitome about {}, summaries by a model not counted",
            watched.with_us
        );
    }
    let (without, saved) = (spending.without_us, spending.net());
    format!("{paid} paid{unpriced}; {without} without epitome: {saved} saved")
}

fn climbed(metrics: &Metrics) -> Vec<(Rung, u64)> {
    metrics.compactions().into_iter().filter(|(_, count)| *count > 0).collect()
}
