//! `epitome inspect`: where the tokens of a session are, and what a compaction would do.

use std::collections::HashMap;
use std::process::ExitCode;

use epitome_core::arguments::describe;
use epitome_core::budget::Budget;
use epitome_core::engine::{ContextEngine, Occasion, Plan, Reason};
use epitome_core::fingerprint::ContentHash;
use epitome_core::model::{Conversation, Pairing};
use epitome_core::outputs::ToolOutput;
use epitome_core::tokens::{
    BpeCounter, Calibration, Precision, Source, Tokens, by_source, message_tokens, prefix_tokens,
};
use epitome_gateway::caching::Support;
use epitome_gateway::upstream::Upstream;
use epitome_provider::Service;
use epitome_wire::caching::{Difference, first_difference};
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use serde_json::{Value, json};

use super::serve::prompt_caching;
use super::{configuration, print, print_json, say};
use crate::arguments::{Common, InspectArguments};
use crate::engine::choose_engine;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::session::Session;
use crate::table::{Column, rows};
use crate::terminal::{Style, bar};
use crate::units::counted;

/// What there is to say about a session.
struct Findings {
    total: Tokens,
    sources: Vec<(Source, Tokens)>,
    largest: Vec<Output>,
    repeats: Vec<Repeat>,
    budget: Budget,
    plan: Option<Plan>,
    /// System prompt, tools and head: what a compaction leaves in the provider's cache.
    stable: Tokens,
    /// What the provider reported, where the recording has it.
    reported: Option<Reported>,
    /// Whether it would be marked for the provider's cache, for people.
    caching: String,
    /// Where the session's next request parts from it, if one was given.
    next: Option<Option<Difference>>,
}

/// What reported usage teaches about our counts.
struct Reported {
    calibration: Calibration,
    /// What the whole session comes to by it.
    expected: Tokens,
}

struct Output {
    message: usize,
    call: String,
    tokens: Tokens,
}

/// The same output several times.
struct Repeat {
    call: String,
    times: usize,
    /// What all but the newest take.
    wasted: Tokens,
}

/// Inspects a session.
pub(crate) fn run(arguments: &InspectArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, sources) = configuration(common, arguments.session.flags())?;
    let engine = choose_engine(&loaded, &sources)?.engine;
    let progress = Progress::start("counting");
    let session = Session::read(&arguments.session, &loaded)?;
    let mut findings = find(&session, &*engine, &loaded.config, arguments.top);
    findings.next = match &arguments.next {
        Some(file) => Some(next(&session, file)?),
        None => None,
    };
    drop(progress);
    if let Some(warning) = &session.window.warning {
        say(&format!("warning: {warning}"));
    }
    if common.json {
        print_json(&as_json(&session, &findings))?;
    } else {
        print(&as_text(&session, &findings, Style::of_stdout(&sources.environment)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn find(session: &Session, engine: &dyn ContextEngine, config: &crate::config::Config, top: usize) -> Findings {
    let conversation = session.conversation();
    let counter = &*session.counter;
    // Counting exactly is what takes time here, so the whole is the sum of its sources.
    let sources = by_source(conversation, counter, Precision::Exact);
    let total = sources.iter().map(|(_, tokens)| *tokens).sum();
    let budget = Budget::new(session.window.length, total, &session.policy(config));
    let plan = engine
        .should_compress(&budget)
        .map(|reason| engine.plan(conversation, &session.sizes, &budget, &Occasion::new(reason), counter));
    let head_end = match &plan {
        Some(plan) => plan.head_end,
        None => engine.plan(conversation, &session.sizes, &budget, &Occasion::new(Reason::Asked), counter).head_end,
    };
    let head = conversation.messages.iter().take(head_end);
    let head: Tokens = head.map(|message| message_tokens(message, counter, Precision::Exact)).sum();
    let (largest, repeats) = outputs(conversation, session, top);
    Findings {
        total,
        sources,
        largest,
        repeats,
        budget,
        plan,
        stable: prefix_tokens(conversation, counter, Precision::Exact) + head,
        reported: reported(conversation, session.model.as_deref().unwrap_or_default()),
        caching: caching(session, config),
        next: None,
    }
}

/// What the gateway would say about it (M22).
fn caching(session: &Session, config: &crate::config::Config) -> String {
    let dialect = session.request.dialect();
    let model = session.model.as_deref().unwrap_or("a model that is not named");
    // Nobody else serves Claude in Chat's dialect and takes markers.
    let of_chat = if model.to_ascii_lowercase().contains("claude") { Service::OpenRouter } else { Service::OpenAi };
    let own = match dialect {
        Dialect::AnthropicMessages => (&config.gateway.upstream_anthropic, Service::Anthropic),
        Dialect::OpenAiChat => (&config.gateway.upstream_chat, of_chat),
        Dialect::OpenAiResponses => (&config.gateway.upstream_responses, Service::OpenAi),
    };
    let address = own.0.as_deref().or(config.gateway.upstream.as_deref()).unwrap_or(own.1.base_url());
    let upstream = Upstream::new(address).ok();
    let caching = prompt_caching(&config.prompt_caching);
    let host = caching.provider.or(upstream.as_ref().map(Upstream::domain)).unwrap_or_default();
    caching.status(&Support::of(dialect, host, model, &session.facts))
}

/// Where a session's next request parts from it.
fn next(session: &Session, file: &std::path::Path) -> Result<Option<Difference>, Failure> {
    let (name, bytes) = crate::files::read(Some(file))?;
    let request = Request::read(bytes, Format::Given(session.request.dialect()), DuplicateKeys::Refuse);
    let request = request.map_err(|error| Failure::unreadable(&name, &error))?;
    Ok(first_difference(&session.request, &request))
}

/// Learns from the usage that was recorded with each call, in tokens of the public vocabulary.
fn reported(conversation: &Conversation, model: &str) -> Option<Reported> {
    conversation.messages.iter().find(|message| message.reported_prompt_tokens.is_some())?;
    let mut calibration = Calibration::of_model(model);
    let mut counted = prefix_tokens(conversation, &BpeCounter, Precision::Exact);
    for message in &conversation.messages {
        if let Some(reported) = message.reported_prompt_tokens {
            calibration.observe(counted, Tokens(reported));
        }
        counted += message_tokens(message, &BpeCounter, Precision::Exact);
    }
    let expected = calibration.apply(counted);
    (calibration.observations() > 0).then_some(Reported { calibration, expected })
}

fn outputs(conversation: &Conversation, session: &Session, top: usize) -> (Vec<Output>, Vec<Repeat>) {
    let pairing = Pairing::of(&conversation.messages);
    let messages = &conversation.messages;
    let mut all = Vec::new();
    let mut same: HashMap<ContentHash, Repeat> = HashMap::new();
    for place in ToolOutput::places(messages) {
        let Some(output) = ToolOutput::at(messages, &pairing, place) else { continue };
        let named = describe(&output.tool, &output.arguments, 60);
        let tokens = session.counter.count(&output.text);
        if output.text.len() >= REPEAT_FROM_BYTES {
            let repeat = same.entry(ContentHash::of(&*output.text)).or_insert_with(|| Repeat {
                call: named.clone(),
                times: 0,
                wasted: Tokens(0),
            });
            repeat.wasted += if repeat.times > 0 { tokens } else { Tokens(0) };
            repeat.times += 1;
        }
        all.push(Output { message: place.0, call: named, tokens });
    }
    all.sort_by_key(|output| (std::cmp::Reverse(output.tokens), output.message));
    all.truncate(top);
    let mut repeats: Vec<Repeat> = same.into_values().filter(|repeat| repeat.times > 1).collect();
    repeats.sort_by(|one, other| (other.wasted, &one.call).cmp(&(one.wasted, &other.call)));
    repeats.truncate(top);
    (all, repeats)
}

/// Shorter outputs say the same without meaning the same.
const REPEAT_FROM_BYTES: usize = 200;

fn as_text(session: &Session, findings: &Findings, style: Style) -> String {
    let percent = |part: Tokens, whole: Tokens| 100.0 * part.0 as f64 / whole.0.max(1) as f64;
    let mut lines = vec![style.bold(&format!(
        "{}: {}, {}, {:.0} % of a window of {} ({})",
        session.name,
        counted(session.conversation().messages.len() as u64, "message"),
        counted(findings.total.0, "token"),
        percent(findings.total, session.window.length),
        session.window.length,
        session.window.said_by,
    ))];
    lines.push(format!(
        "format {}, model {}",
        session.request.dialect().name(),
        session.model.as_deref().unwrap_or("not named")
    ));
    lines.push(String::new());
    lines.push(style.bold("tokens by source"));
    let largest = findings.sources.iter().map(|(_, tokens)| tokens.0).max().unwrap_or(1).max(1);
    let cells: Vec<Vec<String>> = findings
        .sources
        .iter()
        .filter(|(_, tokens)| tokens.0 > 0)
        .map(|(source, tokens)| {
            vec![
                format!("  {}", source.name()),
                tokens.to_string(),
                format!("{:.1} %", percent(*tokens, findings.total)),
                bar(tokens.0 as f64 / largest as f64, 30),
            ]
        })
        .collect();
    lines.extend(rows(&[Column::Left, Column::Right, Column::Right, Column::Left], &cells));
    if !findings.largest.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("largest outputs"));
        let cells: Vec<Vec<String>> = findings
            .largest
            .iter()
            .map(|output| vec![format!("  message {}", output.message), output.tokens.to_string(), output.call.clone()])
            .collect();
        lines.extend(rows(&[Column::Left, Column::Right, Column::Left], &cells));
    }
    if !findings.repeats.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("the same output again"));
        let cells: Vec<Vec<String>> = findings
            .repeats
            .iter()
            .map(|repeat| {
                vec![format!("  {}×", repeat.times), format!("{} too many", repeat.wasted), repeat.call.clone()]
            })
            .collect();
        lines.extend(rows(&[Column::Right, Column::Right, Column::Left], &cells));
    }
    if let Some(Reported { calibration, expected }) = &findings.reported {
        lines.push(String::new());
        lines.push(style.bold("what the provider reported"));
        lines.push(format!(
            "  {}: {:.2} × the tokens of o200k_base, and {} that the session does not show",
            counted(u64::from(calibration.observations()), "call"),
            calibration.factor(),
            calibration.hidden()
        ));
        lines.push(format!("  by that, the whole session would be a prompt of {expected}"));
    }
    lines.push(String::new());
    lines.push(style.bold("what a compaction would do"));
    lines.push(format!("  {}", outlook(findings)));
    lines.push(String::new());
    lines.push(style.bold("prompt cache"));
    lines.extend(cache_lines(session, findings).into_iter().map(|line| format!("  {line}")));
    lines.push(String::new());
    lines.join("\n")
}

fn outlook(findings: &Findings) -> String {
    let trigger = findings.budget.trigger;
    match &findings.plan {
        None => format!("nothing yet: the trigger is {trigger}, and {} are left", trigger - findings.total),
        Some(plan) => {
            let at_most = plan.rungs.last().map_or(findings.total, |climbed| climbed.at_most);
            let rungs: Vec<String> = plan.rungs.iter().map(|climbed| climbed.rung.to_string()).collect();
            let what = if rungs.is_empty() { "nothing that helps".to_owned() } else { rungs.join(", then ") };
            match &plan.shortfall {
                None => format!("{what}: at most {at_most} tokens would be left (the trigger is {trigger})"),
                Some(shortfall) => format!("{what}; still not below the trigger: {shortfall}"),
            }
        }
    }
}

fn cache_lines(session: &Session, findings: &Findings) -> Vec<String> {
    let mut lines = vec![findings.caching.clone()];
    let markers = session.request.cache_markers();
    lines.push(match markers {
        0 => "no cache_control markers in the request".to_owned(),
        some => {
            let too_many = if some > 4 { "; providers accept 4" } else { "" };
            format!("{} in the request{too_many}", counted(some as u64, "cache_control marker"))
        }
    });
    let stable = counted(findings.stable.0, "token");
    lines.push(format!("{stable} at the start would stay cached across a compaction"));
    if let Some(minimum) = session.facts.cache_min {
        let verdict = if findings.stable >= minimum { "enough" } else { "too little" };
        lines.push(format!("{verdict} for this model, which caches from {minimum} tokens on"));
    }
    match &findings.next {
        None => {}
        Some(None) => lines.push("the next request goes on where this one ends: nothing breaks its cache".to_owned()),
        Some(Some(Difference { place, at, before, after })) => {
            lines.push(format!("the next request breaks its cache: {place}, from character {} on", Tokens(*at as u64)));
            lines.push(format!("  {before:?}"));
            lines.push(format!("  {after:?}"));
        }
    }
    lines
}

fn as_json(session: &Session, findings: &Findings) -> Value {
    let sources: serde_json::Map<String, Value> =
        findings.sources.iter().map(|(source, tokens)| (source.name().to_owned(), json!(tokens))).collect();
    let largest: Vec<Value> = findings
        .largest
        .iter()
        .map(|output| json!({"message": output.message, "call": output.call, "tokens": output.tokens}))
        .collect();
    let repeats: Vec<Value> = findings
        .repeats
        .iter()
        .map(|repeat| json!({"call": repeat.call, "times": repeat.times, "tokens_too_many": repeat.wasted}))
        .collect();
    session.described(json!({
        "messages": session.conversation().messages.len(),
        "tokens": findings.total,
        "tokens_by_source": sources,
        "largest_outputs": largest,
        "repeated_outputs": repeats,
        "reported": findings.reported.as_ref().map(|reported| json!({
            "calls": reported.calibration.observations(),
            "factor": reported.calibration.factor(),
            "hidden_tokens": reported.calibration.hidden(),
            "expected_prompt_tokens": reported.expected,
        })),
        "trigger": findings.budget.trigger,
        "plan": findings.plan,
        "cache": {
            "markers": session.request.cache_markers(),
            "stable_prefix_tokens": findings.stable,
            "minimum": session.facts.cache_min,
            "status": findings.caching,
            "next_request": findings.next.as_ref().map(|difference| match difference {
                None => json!({"breaks": false}),
                Some(Difference { place, at, before, after }) => {
                    json!({"breaks": true, "place": place, "at": at, "before": before, "after": after})
                }
            }),
        },
    }))
}
