//! The cost of one request: a session of a known size is asked about again and again.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::Args;
use epitome_provider::http::{Encryption, Http, whole};
use http::header::CONTENT_TYPE;
use http::{Request, Uri};
use http_body_util::BodyExt;
use serde_json::json;

use crate::process::{cpu, memory};
use crate::question::Question;

#[derive(Args)]
pub(crate) struct Load {
    /// Whom: `http://host:port`.
    #[arg(long)]
    url: String,
    /// What the measurement is called.
    #[arg(long, default_value = "")]
    name: String,
    /// The process whose CPU time is read, with those that it started.
    #[arg(long)]
    pid: Option<u32>,
    /// So many questions.
    #[arg(long, default_value_t = 2_000)]
    requests: usize,
    /// So many at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Of this size.
    #[arg(long, default_value_t = 200)]
    kilobytes: usize,
    /// So many messages in each.
    #[arg(long, default_value_t = 200)]
    messages: usize,
    /// Answers are streams.
    #[arg(long)]
    stream: bool,
    /// What the gateway must say that it did (`x-epitome-action`), so that the right thing is measured.
    #[arg(long)]
    expect: Option<String>,
}

impl Load {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let path = if self.stream { "/v1/messages?stream" } else { "/v1/messages" };
        let asking = Arc::new(Asking {
            http: Http::for_streams(Encryption::Never)?,
            uri: format!("{}{path}", self.url).parse()?,
            question: Question::of(self.kilobytes, self.messages),
            asked: AtomicUsize::new(0),
            expect: self.expect,
        });
        // Connections are made, code is warm and the session is known before anything is measured.
        ask_all(&asking, (self.concurrency * 20).min(self.requests), self.concurrency, Measured::No).await?;
        let before = self.pid.map(cpu).transpose()?;
        let began = Instant::now();
        let mut times = ask_all(&asking, self.requests, self.concurrency, Measured::Yes).await?;
        let took = began.elapsed();
        let after = self.pid.map(cpu).transpose()?;
        times.sort_unstable();
        let at = |share: f64| times.get(((times.len() - 1) as f64 * share) as usize).map(Duration::as_micros);
        let spent = before
            .zip(after)
            .map(|(before, after)| (after.saturating_sub(before)).as_secs_f64() * 1e6 / self.requests as f64);
        let line = json!({
            "name": self.name,
            "concurrency": self.concurrency,
            "requests": self.requests,
            "body_bytes": asking.question.bytes(),
            "stream": self.stream,
            "p50_us": at(0.5),
            "p99_us": at(0.99),
            "per_second": (self.requests as f64 / took.as_secs_f64()).round(),
            "cpu_us_per_request": spent.map(f64::round),
            "memory_mb": self.pid.map(memory).map(f64::round),
        });
        writeln!(std::io::stdout(), "{line}")?;
        Ok(())
    }
}

struct Asking {
    http: Http,
    uri: Uri,
    question: Question,
    asked: AtomicUsize,
    expect: Option<String>,
}

/// The first answers may say something else than later ones, as nothing is known of the session yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measured {
    No,
    Yes,
}

impl Asking {
    async fn ask(&self, measured: Measured) -> anyhow::Result<Duration> {
        let body = self.question.nth(self.asked.fetch_add(1, Ordering::Relaxed));
        let began = Instant::now();
        let request = Request::post(self.uri.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("anthropic-version", "2023-06-01")
            .header("x-api-key", "sk-ant-none");
        let response = self.http.send(request.body(whole(body))?).await?;
        ensure!(response.status().is_success(), "{}", response.status());
        let action = response.headers().get("x-epitome-action").and_then(|action| action.to_str().ok());
        let as_expected = self.expect.is_none() || self.expect.as_deref() == action;
        ensure!(as_expected || measured == Measured::No, "{action:?} was done");
        let mut body = response.into_body();
        while let Some(frame) = body.frame().await {
            frame?;
        }
        Ok(began.elapsed())
    }
}

async fn ask_all(
    asking: &Arc<Asking>,
    all: usize,
    at_once: usize,
    measured: Measured,
) -> anyhow::Result<Vec<Duration>> {
    let left = Arc::new(AtomicUsize::new(all));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..at_once {
        let (asking, left) = (asking.clone(), left.clone());
        tasks.spawn(async move {
            let mut times = Vec::new();
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                times.push(asking.ask(measured).await?);
            }
            anyhow::Ok(times)
        });
    }
    let mut times = Vec::with_capacity(all);
    while let Some(done) = tasks.join_next().await {
        times.extend(done??);
    }
    Ok(times)
}
