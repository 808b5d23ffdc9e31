//! `epitome-bench`: what a compaction of one session costs, start-up and decoding apart. `bench/speed/run.py` calls it.
//!
//! A session is decoded once. Then, for each repetition, two compactions are timed, with everything from weighing the
//! conversation to the edited one, by the local summariser:
//!
//! - `cold`: engine and counter have never seen the session;
//! - `known`: the same engine and counter, the same history and one turn more.
//!
//! The session is compacted even if its window is half empty, as the side it is compared with does the same; `due` says
//! whether the engine would have. The vocabulary is loaded before the clock runs: that is start-up.

use std::hint::black_box;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use epitome_core::budget::{Budget, Policy};
use epitome_core::compaction::{Compaction, Endless, Tools, compact, weigh};
use epitome_core::edit::Edit;
use epitome_core::engine::{ContextEngine, Occasion, Reason, Rung};
use epitome_core::engines::compressor::Compressor;
use epitome_core::model::{Block, Conversation, Message, Role, ToolCall, ToolResult};
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::tokens::{BpeCounter, CachedCounter, Sizes, Tokens};
use epitome_wire::{DuplicateKeys, Format, Request};
use rustix::time::{ClockId, clock_gettime};
use serde::Serialize;

/// Times the compaction of one session and prints the figures as JSON.
#[derive(Parser)]
struct Options {
    /// The model's window, in tokens.
    #[arg(long, default_value_t = 200_000)]
    context_length: u64,
    /// How often each compaction is timed; the best counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    repetitions: u32,
    /// The session: a request in any dialect.
    session: PathBuf,
}

/// What is printed.
#[derive(Serialize)]
struct Report {
    bytes: usize,
    decode_cpu_ms: f64,
    /// Whether the engine would have compacted this session of its own accord.
    due: bool,
    cold: Figures,
    known: Figures,
}

/// One kind of compaction. Times are the best of the repetitions.
#[derive(Serialize)]
struct Figures {
    cpu_ms: f64,
    /// Putting the edits into the client's bytes; there are none of an added turn.
    splice_cpu_ms: Option<f64>,
    messages_in: usize,
    messages_out: usize,
    tokens_in: Tokens,
    tokens_out: Tokens,
    outputs_shortened: usize,
    rungs: Vec<Rung>,
}

/// One timed compaction.
struct Run {
    cpu: Duration,
    due: bool,
    compaction: Compaction,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let name = options.session.display().to_string();
    let bytes = std::fs::read(&options.session).with_context(|| name.clone())?;
    let size = bytes.len();
    let started = cpu_clock();
    let request = Request::read(bytes, Format::Detect, DuplicateKeys::Carry).context(name)?;
    let decoded = cpu_clock() - started;
    BpeCounter.warm();

    let history = request.conversation();
    let mut longer = history.clone();
    longer.messages.extend(one_turn());
    let (mut cold, mut known, mut splices) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..options.repetitions {
        let counter = CachedCounter::new(BpeCounter);
        let first = timed(history, Tokens(options.context_length), &counter)?;
        let started = cpu_clock();
        black_box(request.splice(&first.compaction.applied)?);
        splices.push(cpu_clock() - started);
        cold.push(first);
        known.push(timed(&longer, Tokens(options.context_length), &counter)?);
    }

    let report = Report {
        bytes: size,
        decode_cpu_ms: milliseconds(decoded),
        due: cold.first().is_some_and(|run| run.due),
        cold: figures(history, &cold, splices.into_iter().min())?,
        known: figures(&longer, &known, None)?,
    };
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, &report)?;
    Ok(writeln!(out)?)
}

/// From a decoded conversation to the edited one.
fn timed(conversation: &Conversation, window: Tokens, counter: &CachedCounter<BpeCounter>) -> anyhow::Result<Run> {
    let policy = Policy::default();
    let engine = Compressor::new(policy.clone());
    let summarizer = LocalSummarizer::new(counter);
    let trigger = Budget::new(window, Tokens(0), &policy).trigger;
    let tools = Tools { engine: &engine, summarizer: &summarizer, patience: &Endless, counter };

    let started = cpu_clock();
    let sizes = Sizes::of(conversation, counter);
    let used = weigh(conversation, &sizes, trigger, counter).tokens;
    let budget = Budget::new(window, used, &policy);
    let reason = engine.should_compress(&budget);
    let occasion = Occasion::new(reason.unwrap_or(Reason::Asked));
    let compaction = pollster::block_on(compact(conversation, &sizes, &budget, &occasion, tools))?;
    let cpu = cpu_clock() - started;
    Ok(Run { cpu, due: reason.is_some(), compaction })
}

fn figures(conversation: &Conversation, runs: &[Run], splice: Option<Duration>) -> anyhow::Result<Figures> {
    let best = runs.iter().min_by_key(|run| run.cpu).context("at least one repetition")?;
    let Compaction { plan, applied, before, after, .. } = &best.compaction;
    let shortened = applied.edits().iter().filter(|edit| matches!(edit, Edit::ShortenOutput { .. })).count();
    Ok(Figures {
        cpu_ms: milliseconds(best.cpu),
        splice_cpu_ms: splice.map(milliseconds),
        messages_in: conversation.messages.len(),
        messages_out: applied.conversation().messages.len(),
        tokens_in: *before,
        tokens_out: after.tokens,
        outputs_shortened: shortened,
        rungs: plan.rungs.iter().map(|climbed| climbed.rung).collect(),
    })
}

/// The turn that `hermes_side.py` adds too.
fn one_turn() -> Vec<Message> {
    let id = "call_speed_1";
    let call = ToolCall { id: id.into(), name: "terminal".into(), arguments: r#"{"command": "make test"}"#.into() };
    let cases: String = (0..12).map(|case| format!("test part::case_{case} ... ok\n")).collect();
    let output = format!("running 12 tests\n{cases}\ntest result: ok. 12 passed; 0 failed");
    let result = ToolResult { call_id: id.into(), content: vec![Block::Text(output.into())], is_error: false };
    let mut asks = Message::text(Role::Assistant, "I will run them.");
    asks.blocks.push(Block::ToolCall(call));
    let mut answers = Message::text(Role::Tool, "");
    answers.blocks = vec![Block::ToolResult(result)];
    let wish = "Thanks. Please run the tests of the part that you changed once more and tell me what they say.";
    vec![Message::text(Role::User, wish), asks, answers]
}

/// What this process has used so far, all threads together.
fn cpu_clock() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
