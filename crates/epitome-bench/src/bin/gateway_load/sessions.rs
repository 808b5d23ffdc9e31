//! Many sessions at once, each of which grows past its window and streams its answers: no error, and no edit is lost.
//!
//! The provider (`upstream --watch`) says of each request whether the session begins otherwise than in the request before.
//! That may be so when the gateway says that it compacted, and only then.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use clap::Args;
use epitome_provider::http::{Encryption, Http, whole};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Uri};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::process::{cpu, memory};
use crate::question::{body, call_and_result};
use crate::upstream::{MOVED, SESSION};

#[derive(Args)]
pub(crate) struct Sessions {
    /// Whom: `http://host:port`.
    #[arg(long)]
    url: String,
    /// The process whose CPU time and memory are read.
    #[arg(long)]
    pid: u32,
    /// So many sessions.
    #[arg(long, default_value_t = 500)]
    sessions: usize,
    /// For so long.
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// A turn adds so many bytes.
    #[arg(long, default_value_t = 2_000)]
    growth: usize,
    /// A session of so many turns ends, and another one begins in its place, as sessions do.
    #[arg(long, default_value_t = 60)]
    turns: usize,
}

#[derive(Default)]
struct Counts {
    turns: AtomicU64,
    replayed: AtomicU64,
    compacted: AtomicU64,
    untouched: AtomicU64,
    ended: AtomicU64,
    /// A session that was compacted was sent as it came.
    forgotten: AtomicU64,
    /// The beginning moved, and nobody said why.
    moved: AtomicU64,
    errors: AtomicU64,
}

struct Asking {
    http: Http,
    uri: Uri,
    growth: usize,
    until: Instant,
    turns: usize,
    counts: Counts,
}

impl Sessions {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let asking = Arc::new(Asking {
            http: Http::for_streams(Encryption::Never)?,
            uri: format!("{}/v1/messages?stream", self.url).parse()?,
            growth: self.growth,
            until: Instant::now() + Duration::from_secs(self.seconds),
            turns: self.turns,
            counts: Counts::default(),
        });
        let before = cpu(self.pid)?;
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..self.sessions {
            let asking = asking.clone();
            tasks.spawn(async move { asking.session_after_session(number).await });
        }
        // Memory over time, in twelve steps.
        let mut memories = vec![memory(self.pid).round()];
        let step = Duration::from_secs(self.seconds) / 12;
        for _ in 0..12 {
            tokio::time::sleep(step).await;
            memories.push(memory(self.pid).round());
        }
        let mut worst = Vec::new();
        while let Some(done) = tasks.join_next().await {
            worst.push(done?);
        }
        let mut times: Vec<Duration> = worst.into_iter().flatten().collect();
        times.sort_unstable();
        let at =
            |share: f64| times.get((times.len().saturating_sub(1) as f64 * share) as usize).map(Duration::as_millis);
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &asking.counts;
        let turns = get(&counts.turns);
        let line = json!({
            "sessions_at_once": self.sessions,
            "sessions_ended": get(&counts.ended),
            "seconds": self.seconds,
            "turns": turns,
            "untouched": get(&counts.untouched),
            "compacted": get(&counts.compacted),
            "replayed": get(&counts.replayed),
            "errors": get(&counts.errors),
            "forgotten": get(&counts.forgotten),
            "moved": get(&counts.moved),
            "first_byte_p50_ms": at(0.5),
            "first_byte_p99_ms": at(0.99),
            "cpu_us_per_request": (cpu(self.pid)?.saturating_sub(before).as_secs_f64() * 1e6 / turns.max(1) as f64).round(),
            "memory_mb": memories,
        });
        writeln!(std::io::stdout(), "{line}")?;
        ensure!(get(&counts.errors) + get(&counts.forgotten) + get(&counts.moved) == 0, "something went wrong");
        Ok(())
    }
}

impl Asking {
    /// Until the time is over. How long each answer took to begin.
    async fn session_after_session(&self, number: usize) -> Vec<Duration> {
        let mut times = Vec::new();
        for generation in 0.. {
            // They begin at different sizes, so that they are not all compacted at the same moment.
            let mut session = Session::new(format!("s-{number}-{generation}"), number);
            for _ in number % 20..self.turns {
                if Instant::now() >= self.until {
                    return times;
                }
                match self.turn(&mut session).await {
                    Ok(time) => times.push(time),
                    Err(error) => {
                        drop(writeln!(std::io::stderr(), "{}: {error:#}", session.name));
                        self.counts.errors.fetch_add(1, Ordering::Relaxed);
                    }
                }
            }
            self.counts.ended.fetch_add(1, Ordering::Relaxed);
        }
        times
    }

    async fn turn(&self, session: &mut Session) -> anyhow::Result<Duration> {
        session.grow(self.growth);
        let began = Instant::now();
        let request = Request::post(self.uri.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("anthropic-version", "2023-06-01")
            .header(SESSION, &session.name);
        let text = body(session.messages.clone(), true).to_string();
        let response = self.http.send(request.body(whole(text.into()))?).await?;
        ensure!(response.status().is_success(), "{}", response.status());
        let time = began.elapsed();
        self.look_at(response.headers(), session)?;
        let mut body = response.into_body();
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            bytes.extend(frame?.into_data().unwrap_or_default());
        }
        ensure!(bytes.ends_with(b"{\"type\":\"message_stop\"}\n\n"), "the answer has no end");
        self.counts.turns.fetch_add(1, Ordering::Relaxed);
        Ok(time)
    }

    fn look_at(&self, headers: &HeaderMap, session: &mut Session) -> anyhow::Result<()> {
        let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let action = value("x-epitome-action").context("nobody says what was done")?;
        let counter = match action {
            "compacted" => {
                session.compacted = true;
                &self.counts.compacted
            }
            "replayed" => &self.counts.replayed,
            _ => &self.counts.untouched,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        if session.compacted && !matches!(action, "compacted" | "replayed") {
            self.counts.forgotten.fetch_add(1, Ordering::Relaxed);
        }
        if value(MOVED) == Some("yes") && action != "compacted" {
            self.counts.moved.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }
}

struct Session {
    name: String,
    messages: Vec<Value>,
    compacted: bool,
    exchanges: usize,
}

impl Session {
    fn new(name: String, number: usize) -> Session {
        let wish = format!("This is {name}: make the import of orders work.");
        let messages = vec![json!({"role": "user", "content": wish})];
        Session { name, messages, compacted: false, exchanges: number * 1_000 }
    }

    fn grow(&mut self, bytes: usize) {
        self.exchanges += 1;
        self.messages.extend(call_and_result(self.exchanges, bytes));
    }
}
