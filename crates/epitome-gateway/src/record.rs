//! What is noted of one request: a line in the log when it has ended, and the counters.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{HeaderMap, Method, StatusCode};

use crate::metrics::Metrics;
use crate::report::ACTION_HEADER;
use crate::route::Route;

/// One request, until it has ended. Written when it is dropped: with its answer's last byte, or when the client goes.
pub(crate) struct Record {
    metrics: Arc<Metrics>,
    method: Method,
    route: Route,
    began: Instant,
    status: Option<StatusCode>,
    received: Option<u64>,
    sent: u64,
    in_pipeline: Option<Duration>,
    asked: Option<Instant>,
    until_answer: Option<Duration>,
    action: Option<String>,
    end: &'static str,
}

impl Record {
    pub(crate) fn begin(metrics: Arc<Metrics>, method: Method, route: Route) -> Record {
        metrics.began();
        Record {
            metrics,
            method,
            route,
            began: Instant::now(),
            status: None,
            received: None,
            sent: 0,
            in_pipeline: None,
            asked: None,
            until_answer: None,
            action: None,
            end: "client_gone",
        }
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// So many bytes came from the client.
    pub(crate) fn received(&mut self, bytes: u64) {
        self.received = Some(bytes);
    }

    /// So many more bytes go to the client.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    pub(crate) fn in_pipeline(&mut self, took: Duration) {
        self.metrics.in_pipeline(took);
        self.in_pipeline = Some(took);
    }

    /// The provider is asked now.
    pub(crate) fn asks(&mut self) {
        if self.asked.is_none() {
            self.metrics.forwarded(self.began.elapsed());
        }
        self.asked = Some(Instant::now());
    }

    /// The provider answers now.
    pub(crate) fn answered(&mut self) {
        if let Some(asked) = self.asked {
            self.metrics.answered(asked.elapsed());
            self.until_answer = Some(asked.elapsed());
        }
    }

    /// What the client is answered.
    pub(crate) fn answers(&mut self, status: StatusCode, headers: &HeaderMap) {
        self.status = Some(status);
        self.action = headers.get(ACTION_HEADER).and_then(|action| action.to_str().ok()).map(str::to_owned);
    }

    /// How it ended.
    pub(crate) fn ended(&mut self, how: &'static str) {
        self.end = how;
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let status = self.status.map(|status| status.as_u16());
        self.metrics.ended(self.route.dialect(), status);
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        tracing::info!(
            target: "epitome::request",
            method = %self.method,
            route = self.route.name(),
            dialect = self.route.dialect().map(|dialect| dialect.name()),
            status,
            end = self.end,
            action = self.action.as_deref(),
            received = self.received,
            sent = self.sent,
            pipeline_ms = self.in_pipeline.map(milliseconds),
            upstream_ms = self.until_answer.map(milliseconds),
            total_ms = milliseconds(self.began.elapsed()),
        );
    }
}
