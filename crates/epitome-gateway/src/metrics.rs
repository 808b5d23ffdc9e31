//! Counters and histograms, in the text format of Prometheus. Labels are names out of our own code, never content.
//!
//! The server counts what it sees itself: requests, statuses, times, what providers reported. The pipeline adds what it
//! alone knows: [`Metrics::saved`], [`Metrics::compaction`], [`Metrics::summary`], [`Metrics::untouched`],
//! [`Metrics::store_error`].

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use epitome_core::engine::Rung;
use epitome_core::money::Dollars;
use epitome_store::records::{Spending, TurnUsage};
use epitome_wire::Dialect;

use crate::exchange::Complaint;

/// Everything that is counted. One for a gateway, shared.
#[derive(Default)]
pub struct Metrics {
    /// By dialect (the last: none) and class of status.
    requests: [[Counter; 6]; 4],
    in_flight: Counter,
    ended: Counter,
    prompt: Counter,
    output: Counter,
    saved: Counter,
    cache_read: Counter,
    cache_write: Counter,
    /// Markers for providers' caches that were added.
    markers: Counter,
    spending: Mutex<Spending>,
    /// What requests that were only watched have cost, and what they would have.
    watched: Mutex<WatchedSpending>,
    /// What compactions took out and put in, of watched requests too.
    edited: Mutex<BTreeMap<String, i64>>,
    compactions: [Counter; Rung::ALL.len()],
    summaries: Named,
    summary_time: Histogram,
    untouched: Named,
    marked_only: Named,
    filling: Named,
    store_errors: Named,
    /// Requests that were sent a second time, smaller.
    too_long: Counter,
    /// Requests that were sent again with something else done about thinking.
    thinking: Counter,
    /// Requests that the built-in engine worked on because the configured one does not exist.
    engine_fallbacks: Counter,
    panics: Counter,
    pipeline_time: Histogram,
    forward_time: Histogram,
    upstream_time: Histogram,
    memory_time: Histogram,
    thread_time: Histogram,
}

/// What requests cost that were sent as they came because they were only watched.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WatchedSpending {
    /// What they cost.
    pub paid: Dollars,
    /// What they would have cost, had they been sent as we would have made them; summaries by models left out.
    pub with_us: Dollars,
    /// How many they are.
    pub calls: u64,
}

impl Metrics {
    /// Nothing was counted yet.
    pub fn new() -> Metrics {
        Metrics::default()
    }

    /// Tokens that the client had and the provider was not sent, for one request.
    pub fn saved(&self, tokens: u64) {
        self.saved.add(tokens);
    }

    /// A compaction that ended on this rung, the hardest that it climbed.
    pub fn compaction(&self, rung: Rung) {
        if let Some((_, counter)) = Rung::ALL.iter().zip(&self.compactions).find(|(known, _)| **known == rung) {
            counter.add(1);
        }
    }

    /// How many compactions there were, by the hardest rung that they climbed.
    pub fn compactions(&self) -> Vec<(Rung, u64)> {
        Rung::ALL.into_iter().zip(self.compactions.iter().map(Counter::get)).collect()
    }

    /// Tokens that each kind of edit of a compaction saves; what an edit adds is negative.
    pub(crate) fn edited(&self, saved_by: &BTreeMap<String, i64>) {
        let mut edited = self.edited.lock().unwrap_or_else(PoisonError::into_inner);
        for (kind, tokens) in saved_by {
            *edited.entry(kind.clone()).or_default() += tokens;
        }
    }

    /// The sum of that over all compactions.
    pub fn saved_by_edits(&self) -> BTreeMap<String, i64> {
        self.edited.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A summary was asked for. `outcome` names in our own words how that went (`written`, `prepared`, `timed_out`).
    pub fn summary(&self, outcome: &'static str, took: Duration) {
        self.summaries.add(outcome);
        self.summary_time.add(took);
    }

    /// A request was sent as it came. `reason` is a name of ours (`fits`, `server_state`, `unreadable`).
    pub fn untouched(&self, reason: &'static str) {
        self.untouched.add(reason);
    }

    /// A request was sent as it came but for what it needs to be cached. `reason` as in [`Metrics::untouched`].
    pub fn marked_only(&self, reason: &'static str) {
        self.marked_only.add(reason);
    }

    /// A session nears the end of its room: `of` is which.
    pub(crate) fn filling(&self, of: &'static str) {
        self.filling.add(of);
    }

    /// The store did not do what it was asked to; `operation` is its name.
    pub fn store_error(&self, operation: &'static str) {
        self.store_errors.add(operation);
    }

    pub(crate) fn began(&self) {
        self.in_flight.add(1);
    }

    pub(crate) fn ended(&self, dialect: Option<Dialect>, status: Option<u16>) {
        self.ended.add(1);
        let counters = self.requests.get(row(dialect));
        let class = status.map_or(0, |status| usize::from(status / 100)).min(5);
        if let Some(counter) = counters.and_then(|counters| counters.get(class)) {
            counter.add(1);
        }
    }

    pub(crate) fn reported(&self, usage: TurnUsage) {
        self.prompt.add(usage.prompt);
        self.output.add(usage.output);
        self.cache_read.add(usage.cache_read);
        self.cache_write.add(usage.cache_write);
    }

    /// Markers for a provider's cache that a request got.
    pub(crate) fn marked(&self, markers: usize) {
        self.markers.add(markers as u64);
    }

    /// What a call cost.
    pub(crate) fn spent(&self, spending: Spending) {
        *self.spending.lock().unwrap_or_else(PoisonError::into_inner) += spending;
    }

    /// What all calls have cost.
    pub fn spending(&self) -> Spending {
        *self.spending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a call cost that was only watched, and what it would have cost with us.
    pub(crate) fn watched(&self, paid: Dollars, with_us: Dollars) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.paid += paid;
        watched.with_us += with_us;
        watched.calls += 1;
    }

    /// What calls that were only watched have cost, and would have.
    pub fn watched_spending(&self) -> WatchedSpending {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn sent_again(&self, complaint: Complaint) {
        match complaint {
            Complaint::TooLong(_) => self.too_long.add(1),
            Complaint::Thinking(_) => self.thinking.add(1),
        }
    }

    pub(crate) fn engine_fell_back(&self) {
        self.engine_fallbacks.add(1);
    }

    pub(crate) fn panicked(&self) {
        self.panics.add(1);
    }

    pub(crate) fn in_pipeline(&self, took: Duration) {
        self.pipeline_time.add(took);
    }

    pub(crate) fn forwarded(&self, took: Duration) {
        self.forward_time.add(took);
    }

    pub(crate) fn waited_for_memory(&self, took: Duration) {
        self.memory_time.add(took);
    }

    pub(crate) fn waited_for_a_thread(&self, took: Duration) {
        self.thread_time.add(took);
    }

    pub(crate) fn answered(&self, took: Duration) {
        self.upstream_time.add(took);
    }
}

/// As Prometheus reads it.
impl fmt::Display for Metrics {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CLASSES: [&str; 6] = ["none", "1xx", "2xx", "3xx", "4xx", "5xx"];
        head(out, "epitome_requests_total", "counter", "Requests, by dialect and class of the answer's status")?;
        for (row, dialect) in self.requests.iter().zip(DIALECTS) {
            for (counter, class) in row.iter().zip(CLASSES) {
                let count = counter.get();
                if count > 0 {
                    writeln!(out, "epitome_requests_total{{dialect=\"{dialect}\",status=\"{class}\"}} {count}")?;
                }
            }
        }
        // Read in this order, so that a request that ends meanwhile does not make it negative.
        let ended = self.ended.get();
        head(out, "epitome_requests_in_flight", "gauge", "Requests whose answers have not ended")?;
        writeln!(out, "epitome_requests_in_flight {}", self.in_flight.get().saturating_sub(ended))?;

        head(
            out,
            "epitome_tokens_total",
            "counter",
            "Tokens as providers reported them (in, out), and tokens not sent",
        )?;
        for (direction, counter) in [("in", &self.prompt), ("out", &self.output), ("saved", &self.saved)] {
            writeln!(out, "epitome_tokens_total{{direction=\"{direction}\"}} {}", counter.get())?;
        }
        head(
            out,
            "epitome_cache_tokens_total",
            "counter",
            "Prompt tokens that providers read from and wrote to caches",
        )?;
        for (kind, counter) in [("read", &self.cache_read), ("write", &self.cache_write)] {
            writeln!(out, "epitome_cache_tokens_total{{kind=\"{kind}\"}} {}", counter.get())?;
        }
        head(out, "epitome_cache_markers_total", "counter", "Markers for providers' caches that were added")?;
        writeln!(out, "epitome_cache_markers_total {}", self.markers.get())?;
        let spending = self.spending();
        let help = "Dollars by the catalogue: calls, summaries, and what the calls would have cost without us";
        head(out, "epitome_cost_dollars_total", "counter", help)?;
        for (kind, dollars) in
            [("paid", spending.paid), ("summaries", spending.summaries), ("without_us", spending.without_us)]
        {
            writeln!(out, "epitome_cost_dollars_total{{kind=\"{kind}\"}} {}", dollars.as_f64())?;
        }
        head(out, "epitome_saved_dollars", "gauge", "Dollars saved; negative if we cost more than we saved")?;
        writeln!(out, "epitome_saved_dollars {}", spending.net().as_f64())?;
        let watched = self.watched_spending();
        let help = "Dollars of requests that were only watched: what they cost, and what they would have cost with us";
        head(out, "epitome_watched_dollars_total", "counter", help)?;
        for (kind, dollars) in [("paid", watched.paid), ("with_us", watched.with_us)] {
            writeln!(out, "epitome_watched_dollars_total{{kind=\"{kind}\"}} {}", dollars.as_f64())?;
        }
        head(out, "epitome_unpriced_calls_total", "counter", "Calls of models whose prices are not known")?;
        writeln!(out, "epitome_unpriced_calls_total {}", spending.unpriced)?;
        head(out, "epitome_compactions_total", "counter", "Compactions, by the hardest rung that they climbed")?;
        for (counter, rung) in self.compactions.iter().zip(Rung::ALL) {
            writeln!(out, "epitome_compactions_total{{rung=\"{}\"}} {}", rung_label(rung), counter.get())?;
        }
        self.summaries.write(out, "epitome_summaries_total", "outcome", "Summaries that were asked for, by outcome")?;
        self.summary_time.write(out, "epitome_summary_seconds", "How long summaries took")?;
        self.untouched.write(out, "epitome_untouched_total", "reason", "Requests that were sent as they came")?;
        let marked = "Requests that were changed for the provider's cache alone, by why they were not compacted";
        self.marked_only.write(out, "epitome_marked_total", "reason", marked)?;
        let filling = "Sessions that came to 85 % of their threshold, or of their window";
        self.filling.write(out, "epitome_filling_total", "of", filling)?;
        self.store_errors.write(out, "epitome_store_errors_total", "operation", "What the store failed to do")?;
        head(out, "epitome_too_long_total", "counter", "Requests that were too long for the provider and sent again")?;
        writeln!(out, "epitome_too_long_total {}", self.too_long.get())?;
        let help = "Requests that were refused for their thinking and sent again";
        head(out, "epitome_thinking_refused_total", "counter", help)?;
        writeln!(out, "epitome_thinking_refused_total {}", self.thinking.get())?;
        let help = "Requests that the built-in engine worked on because the engine of context.engine does not exist";
        head(out, "epitome_engine_fallbacks_total", "counter", help)?;
        writeln!(out, "epitome_engine_fallbacks_total {}", self.engine_fallbacks.get())?;
        head(out, "epitome_panics_total", "counter", "Faults of ours; the requests were sent as they came")?;
        writeln!(out, "epitome_panics_total {}", self.panics.get())?;
        self.pipeline_time.write(out, "epitome_pipeline_seconds", "How long requests were in the pipeline")?;
        let forward = "From a request's first byte until it is sent on";
        self.forward_time.write(out, "epitome_forward_seconds", forward)?;
        self.upstream_time.write(out, "epitome_upstream_seconds", "Until the provider began to answer")?;
        let memory = "How long bodies waited until there was memory to read them into";
        self.memory_time.write(out, "epitome_memory_wait_seconds", memory)?;
        let thread = "How long heavy requests waited until there was a thread to work on them";
        self.thread_time.write(out, "epitome_thread_wait_seconds", thread)
    }
}

const DIALECTS: [&str; 4] = ["openai", "anthropic", "responses", "none"];

fn row(dialect: Option<Dialect>) -> usize {
    match dialect {
        Some(Dialect::OpenAiChat) => 0,
        Some(Dialect::AnthropicMessages) => 1,
        Some(Dialect::OpenAiResponses) => 2,
        None => 3,
    }
}

fn rung_label(rung: Rung) -> &'static str {
    match rung {
        Rung::Prune => "prune",
        Rung::Summarize => "summarize",
        Rung::ShortenTail => "shorten_tail",
        Rung::ShrinkTail => "shrink_tail",
        Rung::ShortenNewest => "shorten_newest",
        Rung::Aggressive => "aggressive",
        Rung::Drop => "drop",
        Rung::Restart => "restart",
    }
}

fn head(out: &mut dyn Write, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(out, "# HELP {name} {help}.\n# TYPE {name} {kind}")
}

#[derive(Default)]
struct Counter(AtomicU64);

impl Counter {
    fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters whose names their callers know.
#[derive(Default)]
struct Named(Mutex<BTreeMap<&'static str, u64>>);

impl Named {
    fn add(&self, name: &'static str) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default() += 1;
    }

    fn write(&self, out: &mut dyn Write, metric: &str, label: &str, help: &str) -> fmt::Result {
        head(out, metric, "counter", help)?;
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        counts.iter().try_for_each(|(name, count)| writeln!(out, "{metric}{{{label}=\"{name}\"}} {count}"))
    }
}

/// Upper ends of the classes, in microseconds: from what a known session takes to what a slow model takes.
const CLASSES: [u64; 15] = [
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    100_000,
    250_000,
    1_000_000,
    2_500_000,
    10_000_000,
    30_000_000,
    120_000_000,
];

#[derive(Default)]
struct Histogram {
    classes: [Counter; CLASSES.len()],
    beyond: Counter,
    microseconds: Counter,
}

impl Histogram {
    fn add(&self, took: Duration) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let class = CLASSES.iter().zip(&self.classes).find(|(end, _)| took <= **end);
        class.map_or(&self.beyond, |(_, class)| class).add(1);
        self.microseconds.add(took);
    }

    fn write(&self, out: &mut dyn Write, metric: &str, help: &str) -> fmt::Result {
        head(out, metric, "histogram", help)?;
        let mut sum = 0;
        for (end, class) in CLASSES.iter().zip(&self.classes) {
            sum += class.get();
            writeln!(out, "{metric}_bucket{{le=\"{}\"}} {sum}", seconds(*end))?;
        }
        sum += self.beyond.get();
        writeln!(out, "{metric}_bucket{{le=\"+Inf\"}} {sum}")?;
        writeln!(out, "{metric}_sum {}\n{metric}_count {sum}", seconds(self.microseconds.get()))
    }
}

fn seconds(microseconds: u64) -> f64 {
    microseconds as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_told() {
        let metrics = Metrics::new();
        metrics.began();
        metrics.began();
        metrics.ended(Some(Dialect::AnthropicMessages), Some(200));
        metrics.reported(TurnUsage {
            prompt: 900,
            cache_read: 800,
            cache_write: 50,
            output: 20,
            ..TurnUsage::default()
        });
        metrics.saved(5_000);
        metrics.compaction(Rung::ShortenTail);
        metrics.summary("written", Duration::from_millis(1_500));
        metrics.untouched("fits");
        metrics.untouched("fits");
        metrics.store_error("append");
        metrics.in_pipeline(Duration::from_micros(300));
        let text = metrics.to_string();
        let told: Vec<&str> = text.lines().filter(|line| !line.starts_with('#') && !line.ends_with(" 0")).collect();
        insta::assert_snapshot!(told.join("\n"));
    }
}
