//! `hostile`: what each step of a request's life costs on texts that nobody would write, at one size and at four times it.
//!
//! `hostile [BYTES] [TEXT] [STEP]` prints, for each text and step, the CPU milliseconds per MB at BYTES (1 MB) and at four times
//! as many. Work in proportion to the text has a ratio of about one. For counts of instructions, run one of them:
//! `valgrind --tool=callgrind hostile BYTES TEXT STEP`.

use std::hint::black_box;
use std::time::Duration;

use epitome_core::budget::{Budget, Policy};
use epitome_core::compaction::{Endless, Tools, compact};
use epitome_core::engine::{Occasion, Reason};
use epitome_core::engines::compressor::Compressor;
use epitome_core::fingerprint::ContentHash;
use epitome_core::model::{Message, Role};
use epitome_core::outputs::{self, Interest, Readings, Room, ToolOutput};
use epitome_core::places::Places;
use epitome_core::summary::audit::audit;
use epitome_core::summary::local::{self, LocalSummarizer};
use epitome_core::summary::redaction::redact;
use epitome_core::summary::tidy::tidy;
use epitome_core::summary::{SummaryRequest, appendix};
use epitome_core::tokens::{BpeCounter, RoughCounter, TokenCounter, Tokens, doubtful_share};
use epitome_wire::caching::Layout;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use rustix::time::{ClockId, clock_gettime};

/// Texts, each repeated or drawn up to a size.
const TEXTS: &[(&str, &str)] = &[
    ("letter", "a"),
    ("letters", ""),
    ("base64", ""),
    ("chinese", "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年"),
    ("prose", "The build failed because the file was not found in this directory; run the tests again and check.\n"),
    ("long-line", "The build failed because the file was not found in src/main.rs:12; run the tests again and check. "),
    ("spaces", " "),
    ("odd-spaces", "\u{a0}\u{a0}1"),
    ("newlines", "\n"),
    ("short-lines", "x\n"),
    ("numbered", ""),
    ("punctuation", "=-"),
    ("brackets", "["),
    ("objects", "{\"a\":"),
    ("closed", "[]"),
    ("bracket-lines", "{[(\n"),
    ("json-line", "{\"id\":1,\"name\":\"a\",\"tags\":[1,2,3]},"),
    ("json-lines", "{\"id\":1,\"name\":\"a\",\"tags\":[1,2,3]}\n"),
    ("array", "1,"),
    ("tags", "<div>"),
    ("angles", "<"),
    ("quotes", "\""),
    ("backslashes", "\\"),
    ("pipes", "| a | b |\n"),
    ("commas", "a,b,c\n"),
    ("code", "fn f(x: u8) {\n    if x {\n"),
    ("indented", ""),
    ("calls", "f("),
    ("errors", "error: it failed at src/main.rs:12:3\n"),
    ("failures", "FAILED tests/test_a.py::test_b - assert 1 == 2\n"),
    ("traces", "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\nKeyError: 'x'\n"),
    ("diffs", "diff --git a/x.py b/x.py\n@@ -1,2 +1,2 @@\n+    x()\n"),
    ("logs", "2025-09-15T08:01:02Z ERROR worker failed after 12ms\n"),
    ("reminders", "<system-reminder>x\n"),
    ("escapes", "\u{1b}[31m"),
    ("carriage", "x\r"),
    ("keys", "sk-ant-api03-"),
    ("assignments", "password="),
    ("paths", "a/b."),
    ("urls", "https://a.b/?key="),
    ("at", "a@b."),
    ("begin-key", "-----BEGIN RSA PRIVATE KEY-----\n"),
    ("headings", "## Goal\n"),
    ("bullets", "- x\n"),
    ("echoes", "$ ls\n"),
    ("percent", "%20"),
    ("emoji", "🚀"),
    ("marks", "a\u{300}"),
];

fn text(name: &str, of: &str, bytes: usize) -> String {
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let alphabet = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";
    let mut drawn = |among: usize| -> String {
        (0..bytes).map(|_| char::from(alphabet.get(random() % among).copied().unwrap_or(b'a'))).collect()
    };
    match name {
        "letters" => drawn(26),
        "base64" => drawn(64),
        "numbered" => (0..bytes / 12).map(|number| format!("line {number:06}\n")).collect(),
        "indented" => {
            (0_usize..).map(|depth| format!("{}x:\n", " ".repeat(depth % 2_000))).take(bytes / 1_000).collect()
        }
        _ => of.repeat(bytes / of.len().max(1)),
    }
}

/// One step of a request's life.
type Step = (String, Box<dyn Fn(&str)>);

fn steps() -> Vec<Step> {
    vec![
        ("count".to_owned(), Box::new(|text| _ = black_box(BpeCounter.count(text)))),
        ("estimate".to_owned(), Box::new(|text| _ = black_box(BpeCounter.estimate(text)))),
        ("hash".to_owned(), Box::new(|text| _ = black_box(ContentHash::of(text)))),
        ("redact".to_owned(), Box::new(|text| drop(black_box(redact(text))))),
        (
            "one-line".to_owned(),
            Box::new(|text| drop(black_box(outputs::one_line(&output("{}", text), &RoughCounter)))),
        ),
        ("digest".to_owned(), Box::new(digest)),
        ("local".to_owned(), Box::new(|text| drop(black_box(local::write(&asked(text), &RoughCounter))))),
        ("previous".to_owned(), Box::new(previous)),
        ("audit".to_owned(), Box::new(audited)),
        ("read".to_owned(), Box::new(|text| drop(black_box(read(&body(text)))))),
        ("raw".to_owned(), Box::new(|text| drop(Request::read(text.into(), Format::Detect, DuplicateKeys::Refuse)))),
        ("names".to_owned(), Box::new(names)),
        ("mark".to_owned(), Box::new(mark)),
        ("compact".to_owned(), Box::new(|text| compacted(&body(text)))),
        ("compact-typed".to_owned(), Box::new(|text| compacted(&typed(text)))),
    ]
}

fn output(arguments: &str, text: &str) -> ToolOutput {
    ToolOutput::of_call("bash", arguments, text)
}

fn digest(text: &str) {
    let interest = Interest::in_text("value of main test_one a1");
    let output = output("{\"command\":\"cat a.py\"}", text);
    black_box(outputs::digest(&output, Room::AtMost(Tokens(400)), &interest, &RoughCounter, &Readings::default()));
}

/// A transcript in which a person, a model and a tool say it.
fn asked(text: &str) -> SummaryRequest {
    let body = body(text);
    let messages = read(&body).map(|request| request.conversation().messages.clone()).unwrap_or_default();
    SummaryRequest::new(messages, Tokens(4_000))
}

fn previous(text: &str) {
    let mut request = SummaryRequest::new(vec![Message::text(Role::User, "go on")], Tokens(4_000));
    request.previous = Some(text.to_owned());
    black_box(local::write(&request, &RoughCounter));
}

fn audited(text: &str) {
    let request = SummaryRequest::new(vec![Message::text(Role::User, text)], Tokens(4_000));
    let tidied = tidy(&request, text, &RoughCounter);
    let audited = audit(&request, &tidied);
    black_box(appendix::write(&request, None, &audited.body, Tokens(200), &RoughCounter));
}

fn read(body: &str) -> Option<Request> {
    Request::read(body.into(), Format::Given(Dialect::OpenAiChat), DuplicateKeys::Carry).ok()
}

/// A session in which tools print it, and a model says it.
fn body(text: &str) -> String {
    let quoted = serde_json::json!(text);
    let arguments = serde_json::json!(serde_json::json!({ "command": text }).to_string());
    let turns: String = (0..3)
        .map(|turn| {
            format!(
                r#",{{"role":"assistant","content":"next","tool_calls":[{{"id":"c{turn}","type":"function","function":{{"name":"bash","arguments":{}}}}}]}},{{"role":"tool","tool_call_id":"c{turn}","content":{quoted}}}"#,
                if turn == 1 { arguments.to_string() } else { "\"{}\"".to_owned() }
            )
        })
        .collect();
    format!(
        r#"{{"model":"m","messages":[{{"role":"system","content":"s"}},{{"role":"user","content":"do it"}}{turns},{{"role":"assistant","content":{quoted}}},{{"role":"user","content":"go on"}}]}}"#
    )
}

/// A session in which a person types it.
fn typed(text: &str) -> String {
    let turns: String = (0..3)
        .map(|_| {
            format!(
                r#"{{"role":"user","content":{}}},{{"role":"assistant","content":"yes"}},"#,
                serde_json::json!(text)
            )
        })
        .collect();
    format!(r#"{{"model":"m","messages":[{turns}{{"role":"user","content":"go on"}}]}}"#)
}

fn names(text: &str) {
    let unknown =
        format!(r#"{{"messages":[{{"role":"user","content":[{{"type":"odd","x":{}}}]}}]}}"#, serde_json::json!(text));
    if let Some(request) = read(&unknown) {
        black_box(request.prefixes(&Places::of(request.conversation())));
        black_box(doubtful_share(request.conversation()));
    }
}

fn mark(text: &str) {
    if let Some(request) = read(&body(text)) {
        let cached = request.cached(Layout::OpenAi);
        black_box(request.mark(&cached, &[]).is_ok());
    }
}

fn compacted(body: &str) {
    let Some(request) = read(body) else { return };
    let policy = Policy::default();
    let engine = Compressor::new(policy.clone());
    let summarizer = LocalSummarizer::new(BpeCounter);
    let sizes = request.sizes(&BpeCounter);
    let budget = Budget::new(Tokens(20_000), sizes.total(), &policy);
    let tools = Tools { engine: &engine, summarizer: &summarizer, patience: &Endless, counter: &BpeCounter };
    let occasion = Occasion::new(Reason::Asked);
    if let Ok(done) = pollster::block_on(compact(request.conversation(), &sizes, &budget, &occasion, tools)) {
        black_box(request.splice(&done.applied).is_ok());
    }
}

#[expect(clippy::print_stdout, reason = "a program that prints what it measured")]
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let bytes = arguments.first().and_then(|bytes| bytes.parse().ok()).unwrap_or(1_000_000);
    let chosen = |place: usize, name: &str| arguments.get(place).is_none_or(|only| only == name || only == "all");
    BpeCounter.warm();
    for (name, of) in TEXTS.iter().filter(|(name, _)| chosen(1, name)) {
        for (step, work) in steps().iter().filter(|(step, _)| chosen(2, step)) {
            let per_megabyte = [bytes, 4 * bytes].map(|bytes| {
                let text = text(name, of, bytes);
                let started = cpu_clock();
                work(&text);
                (cpu_clock() - started).as_secs_f64() * 1e3 / (bytes as f64 / 1e6)
            });
            let [one, four] = per_megabyte;
            let remark = if four > 1.6 * one && four > 20.0 { " <-- more than linear" } else { "" };
            println!("{name:14} {step:18} {one:10.1} {four:10.1} ms/MB{remark}");
        }
    }
}

/// What this process has used so far, all threads together.
fn cpu_clock() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
}
