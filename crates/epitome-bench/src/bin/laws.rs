//! `laws`: compacts every session of a corpus in every dialect at several windows, and checks what must hold.
//!
//! Independent of the checks that `edit::apply` makes: everything is read again from the bytes that came out.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, bail, ensure};
use clap::Parser;
use epitome_core::budget::{Budget, Policy};
use epitome_core::compaction::{Compaction, Endless, Tools, compact, weigh};
use epitome_core::engine::{BUILT_IN, Occasion, Registry, Rung};
use epitome_core::live;
use epitome_core::model::{Conversation, Message, Pairing, Role};
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::summary::{NOTE, is_ours};
use epitome_core::tokens::{BpeCounter, CachedCounter, Precision, Sizes, Tokens, conversation_tokens};
use epitome_wire::{Dialect, DuplicateKeys, Format, Request, Spliced, convert, unsplice};

/// Checks the laws of compaction on every session of a directory.
#[derive(Parser)]
struct Options {
    /// Sessions: `*.jsonl` and `*.json`, but no `*.probes.json`.
    corpus: PathBuf,
    /// Windows to compact for, in tokens.
    #[arg(long, value_delimiter = ',', default_value = "32000,64000,128000,200000,1000000")]
    windows: Vec<u64>,
    /// Also with these forced sizes, in percent of the session.
    #[arg(long, value_delimiter = ',', default_value = "10,30")]
    targets: Vec<u64>,
    /// Counters at work.
    #[arg(long, default_value_t = 2)]
    threads: usize,
}

/// What happened, by dialect and window.
#[derive(Default)]
struct Tally {
    sessions: usize,
    compacted: usize,
    untouched: usize,
    /// Ended above the trigger with a typed reason.
    explained: usize,
    before: u64,
    after: u64,
    rungs: BTreeMap<String, usize>,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let sessions = sessions(&options.corpus)?;
    ensure!(!sessions.is_empty(), "{}: no sessions", options.corpus.display());
    let counter = CachedCounter::with_capacity(BpeCounter, 1_000_000);
    let tallies: Mutex<BTreeMap<(&'static str, String), Tally>> = Mutex::default();
    let broken: Mutex<Vec<String>> = Mutex::default();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..options.threads.max(1) {
            scope.spawn(|| {
                while let Some(path) = sessions.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(error) = check_session(path, &options, &counter, &tallies) {
                        broken.lock().expect("no thread panics").push(format!("{}: {error:#}", path.display()));
                    }
                }
            });
        }
    });
    let broken = broken.into_inner().expect("no thread panics");
    let mut out = std::io::stdout().lock();
    report(&mut out, &tallies.into_inner().expect("no thread panics"))?;
    for line in &broken {
        writeln!(out, "BROKEN {line}")?;
    }
    writeln!(out, "{} sessions, {} broken", sessions.len(), broken.len())?;
    if broken.is_empty() { Ok(()) } else { bail!("a law was broken") }
}

fn sessions(corpus: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(corpus).with_context(|| corpus.display().to_string())?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    let is_session = |path: &PathBuf| {
        let name = path.to_string_lossy();
        (name.ends_with(".jsonl") || name.ends_with(".json")) && !name.ends_with(".probes.json")
    };
    paths.retain(is_session);
    paths.sort();
    Ok(paths)
}

type Counter = CachedCounter<BpeCounter>;

fn check_session(
    path: &Path,
    options: &Options,
    counter: &Counter,
    tallies: &Mutex<BTreeMap<(&'static str, String), Tally>>,
) -> anyhow::Result<()> {
    let bytes = std::fs::read(path)?;
    let original = read(bytes)?;
    for dialect in Dialect::ALL {
        let converted = match dialect {
            // The recording itself, with all its extra fields.
            Dialect::OpenAiChat => original.bytes().to_vec(),
            Dialect::AnthropicMessages | Dialect::OpenAiResponses => convert::write(original.conversation(), dialect),
        };
        let request = read(converted.clone()).with_context(|| dialect.name())?;
        ensure!(request.dialect() == dialect, "read as {} in place of {}", request.dialect().name(), dialect.name());
        let size = conversation_tokens(request.conversation(), counter, Precision::Exact);
        let policy = Policy::default();
        let sizes = Sizes::of(request.conversation(), counter);
        let windows = options.windows.iter().map(|window| {
            let trigger = Budget::new(Tokens(*window), Tokens(0), &policy).trigger;
            let used = weigh(request.conversation(), &sizes, trigger, counter).tokens;
            (format!("{}K", window / 1_000), Budget::new(Tokens(*window), used, &policy))
        });
        let targets = options.targets.iter().map(|percent| {
            let target = Tokens(size.0 * percent / 100);
            let used = weigh(request.conversation(), &sizes, target, counter).tokens;
            (format!("to {percent} %"), Budget::forced(target, used, &policy))
        });
        for (label, budget) in windows.chain(targets) {
            let outcome = check(&request, &sizes, &budget, &policy, counter);
            let outcome = outcome.with_context(|| format!("{} at {label}", dialect.name()))?;
            let mut tallies = tallies.lock().expect("no thread panics");
            tallies.entry((dialect.name(), label)).or_default().add(size, outcome.as_ref(), counter);
        }
    }
    Ok(())
}

fn read(bytes: Vec<u8>) -> anyhow::Result<Request> {
    Ok(Request::read(bytes, Format::Detect, DuplicateKeys::Refuse)?)
}

/// Compacts, and checks every law on what came out. `None`: below the trigger.
fn check(
    request: &Request,
    sizes: &Sizes,
    budget: &Budget,
    policy: &Policy,
    counter: &Counter,
) -> anyhow::Result<Option<Compaction>> {
    let engine = Registry::new(policy).resolve(BUILT_IN).engine;
    let untouched = request.bytes().to_vec();
    let before = request.conversation();
    let Some(reason) = engine.should_compress(budget) else {
        let nothing = epitome_core::edit::apply(before, Vec::new())?;
        ensure!(request.splice(&nothing)?.bytes == request.bytes(), "no edit, and other bytes");
        return Ok(None);
    };
    let summarizer = LocalSummarizer::new(counter);
    let tools = Tools { engine: &*engine, summarizer: &summarizer, patience: &Endless, counter };
    let once = || pollster::block_on(compact(before, sizes, budget, &Occasion::new(reason), tools));
    let compaction = once()?;
    let spliced = request.splice(&compaction.applied)?;
    ensure!(request.bytes() == untouched, "the input was changed");
    ensure!(request.splice(&once()?.applied)?.bytes == spliced.bytes, "same input, other bytes");
    ensure!(undo(request, &spliced).as_deref() == Some(request.bytes()), "the original does not come back");
    // What is left may hold nothing that tells the dialects apart, so it is named.
    let result = Request::read(spliced.bytes.clone(), Format::Given(request.dialect()), DuplicateKeys::Refuse);
    let result = result.context("the result cannot be read")?;
    let after = result.conversation();
    // Where a size was asked for, or the window is too small, the outputs of the newest input may be shortened.
    let shortens = budget.forced || compaction.plan.rungs.iter().any(|climbed| climbed.rung == Rung::ShortenNewest);
    laws(before, after, shortens, budget.forced)?;
    let size = conversation_tokens(after, counter, Precision::Exact);
    if size >= budget.trigger && compaction.plan.shortfall.is_none() {
        bail!("{size} tokens, and the trigger is {}, without a reason", budget.trigger);
    }
    if size < budget.trigger {
        let again = Budget { used: size, ..budget.clone() };
        ensure!(engine.should_compress(&again).is_none(), "a result below its trigger would be compacted again");
    }
    Ok(Some(compaction))
}

fn undo(request: &Request, spliced: &Spliced) -> Option<Vec<u8>> {
    let piece =
        |patch: &epitome_wire::Patch| Some((patch.replacement.clone(), request.bytes().get(patch.original.clone())?));
    let pieces: Option<Vec<_>> = spliced.patches.iter().map(piece).collect();
    unsplice(&spliced.bytes, &pieces?)
}

fn laws(before: &Conversation, after: &Conversation, shortens_newest: bool, forced: bool) -> anyhow::Result<()> {
    let (was, is) = (Pairing::of(&before.messages), Pairing::of(&after.messages));
    ensure!(is.orphan_results.len() <= was.orphan_results.len(), "a result lost its call");
    ensure!(is.unanswered_calls.len() <= was.unanswered_calls.len(), "a call lost its result");
    for pair in after.messages.windows(2) {
        let [one, other] = pair else { continue };
        let same = one.role == other.role && matches!(one.role, Role::User | Role::Assistant);
        let new = is_ours(one) || is_ours(other) || !before.messages.windows(2).any(|old| old == pair);
        // An output of one of them may have been shortened: then they were neighbours before, too.
        let shortened = one.results().chain(other.results()).next().is_some();
        ensure!(!(same && new && !shortened), "two new neighbours of role {:?}", one.role);
    }
    let instructions = |conversation: &Conversation| -> Vec<String> {
        let overtaken = live::overtaken(conversation);
        let messages = conversation.messages.iter().enumerate();
        let in_messages =
            messages.filter(|(index, message)| message.role == Role::System && !overtaken.contains(index));
        let in_messages = in_messages.flat_map(|(_, message)| message.texts());
        let texts = conversation.system.iter().filter_map(|block| block.as_text()).chain(in_messages);
        texts.map(|text| text.trim_end_matches(NOTE).trim_end().to_owned()).filter(|text| !text.is_empty()).collect()
    };
    // The sessions have fewer instructions than there is room for.
    ensure!(instructions(before) == instructions(after), "an instruction changed");
    let asked = |conversation: &Conversation| -> Vec<Message> {
        let request = live::request(conversation).into_iter().flatten();
        request.filter_map(|at| conversation.messages.get(at).cloned()).collect()
    };
    ensure!(forced || asked(before).iter().all(|asked| after.messages.contains(asked)), "the newest request changed");
    let first = |conversation: &Conversation| {
        conversation.first_user_message().and_then(|at| conversation.messages.get(at).cloned())
    };
    ensure!(first(before) == first(after), "the first request changed");
    let newest = |conversation: &Conversation, pairing: &Pairing| -> Vec<Message> {
        let input = conversation.messages.iter().skip(live::newest_input(&conversation.messages, pairing));
        input.map(|newest| if shortens_newest { newest.without_outputs() } else { newest.clone() }).collect()
    };
    ensure!(newest(before, &was) == newest(after, &is), "the newest input changed");
    ensure!(
        after.messages.iter().filter(|message| epitome_core::summary::body_of(message).is_some()).count() <= 1,
        "two summaries"
    );
    Ok(())
}

impl Tally {
    fn add(&mut self, before: Tokens, compaction: Option<&Compaction>, counter: &Counter) {
        self.sessions += 1;
        let Some(compaction) = compaction else {
            self.untouched += 1;
            return;
        };
        self.compacted += 1;
        self.before += before.0;
        self.after += conversation_tokens(compaction.applied.conversation(), counter, Precision::Exact).0;
        self.explained += usize::from(compaction.plan.shortfall.is_some());
        for climbed in &compaction.plan.rungs {
            *self.rungs.entry(format!("{:?}", climbed.rung)).or_default() += 1;
        }
    }
}

fn report(out: &mut dyn Write, tallies: &BTreeMap<(&'static str, String), Tally>) -> std::io::Result<()> {
    writeln!(
        out,
        "{:<10} {:>8} {:>9} {:>9} {:>9} {:>9}  rungs",
        "dialect", "window", "compacted", "untouched", "explained", "kept %"
    )?;
    for ((dialect, label), tally) in tallies {
        let kept = 100.0 * tally.after as f64 / tally.before.max(1) as f64;
        let rungs: Vec<String> = tally.rungs.iter().map(|(rung, times)| format!("{rung} {times}")).collect();
        let Tally { compacted, untouched, explained, .. } = tally;
        writeln!(
            out,
            "{dialect:<10} {label:>8} {compacted:>9} {untouched:>9} {explained:>9} {kept:>9.1}  {}",
            rungs.join(", ")
        )?;
    }
    Ok(())
}
