//! What is nested deeply: in requests, in answers and in what tools print. Whoever reads it needs no deeper stack for it.
//!
//! A test of `epitome-wire` runs this too, on a thread with a small stack.

use epitome_core::edit::apply;
use epitome_core::outputs::{self, Interest, Readings, Room, ToolOutput};
use epitome_core::places::Places;
use epitome_core::summary::redaction::redact;
use epitome_core::summary::tidy::check_structure;
use epitome_core::tokens::{RoughCounter, TokenCounter, Tokens, doubtful_share};
use epitome_wire::answer::AnswerReader;
use epitome_wire::asking::{AskDialect, complaint};
use epitome_wire::caching::Layout;
use epitome_wire::usage::UsageReader;
use epitome_wire::{Dialect, DuplicateKeys, Format, Known, Request, convert, forking, history};

/// What opens a level, and what closes it, in the languages that tools print.
pub(crate) const LEVELS: &[(&str, &str)] = &[
    ("[", "]"),
    ("{\"a\":", "}"),
    ("[{\"a\":", "}]"),
    ("(", ")"),
    ("<div>", "</div>"),
    ("<a b='", "'/>"),
    ("{\n", "}\n"),
    ("if (x) {\n", "}\n"),
    ("f(", ")"),
    ("$(", ")"),
    ("\"\\\"", "\""),
    ("> ", ""),
    ("- ", ""),
    ("a.", ""),
    ("a:\n ", ""),
    ("def f():\n ", ""),
    ("/*", "*/"),
    ("!", ""),
    ("Vec<", ">"),
    ("begin\n", "end\n"),
];

/// Levels that are JSON.
pub(crate) const JSON_LEVELS: &[(&str, &str)] =
    &[("[", "]"), ("{\"a\":", "}"), ("[[],{\"type\":\"x\",\"content\":[", "]}]")];

/// `inside` with so many levels around it.
pub(crate) fn nested((open, close): (&str, &str), levels: usize, inside: &str) -> String {
    [&open.repeat(levels), inside, &close.repeat(levels)].concat()
}

/// The first byte chooses the level, the next two how many; the rest stands inside.
pub fn check_nest(bytes: &[u8]) {
    let [level, high, low, inside @ ..] = bytes else { return };
    let inside = String::from_utf8_lossy(inside);
    let levels = usize::from(u16::from_be_bytes([*high, *low]));
    let pick = |of: &[(&'static str, &'static str)]| of[usize::from(*level) % of.len()];
    let number = inside.len().to_string();
    check_json_of(pick(JSON_LEVELS), levels, &number);
    check_text(&nested(pick(LEVELS), levels, &inside));
}

/// A value of so many levels, wherever a request or an answer may have one.
pub(crate) fn check_json_of(level: (&str, &str), levels: usize, inside: &str) {
    let value = nested(level, levels, inside);
    let quoted = serde_json::to_string(&value).expect("a string");
    for dialect in Dialect::ALL {
        for request in requests(dialect, &value, &quoted) {
            check_request(dialect, request);
        }
        check_answers(dialect, &value, &quoted);
    }
}

/// What a tool printed, a person typed, or a model said.
pub(crate) fn check_text(text: &str) {
    let arguments = ["{}", "{\"command\":\"cat a.rs\"}", "{\"command\":\"cat a.py\"}", "{\"path\":\"x.tsx\"}", text];
    for arguments in arguments {
        let output = ToolOutput::of_call("bash", arguments, text);
        let interest = Interest::default();
        for room in [Room::usual(RoughCounter.estimate(text)), Room::AtMost(Tokens(200))] {
            outputs::digest(&output, room, &interest, &RoughCounter, &Readings::default());
        }
        outputs::one_line(&output, &RoughCounter);
    }
    redact(text);
    let _ = check_structure(text);
}

fn requests(dialect: Dialect, value: &str, quoted: &str) -> Vec<String> {
    match dialect {
        Dialect::AnthropicMessages => vec![
            format!(r#"{{"messages":[{{"role":"user","content":{value}}}]}}"#),
            format!(r#"{{"messages":[{{"role":"user","content":[{{"type":"odd","x":{value}}}]}}]}}"#),
            format!(
                r#"{{"messages":[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"1","content":[{{"type":"odd","x":{value}}}]}}]}}]}}"#
            ),
            format!(
                r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"1","name":"t","input":{value}}}]}}]}}"#
            ),
            format!(
                r#"{{"messages":[{{"role":"assistant","content":[{{"type":"thinking","thinking":"t","signature":{value}}}]}}]}}"#
            ),
            format!(
                r#"{{"messages":[{{"role":"user","content":"go"}}],"system":{value},"tools":[{{"name":"t","input_schema":{value}}}],"metadata":{value},"odd":{value}}}"#
            ),
            format!(r#"{{"messages":{value}}}"#),
            value.to_owned(),
        ],
        Dialect::OpenAiChat => vec![
            format!(r#"{{"messages":[{{"role":"user","content":{value}}}]}}"#),
            format!(r#"{{"messages":[{{"role":"user","content":[{{"type":"odd","x":{value}}}]}}]}}"#),
            format!(r#"{{"messages":[{{"role":"user","content":"go","odd":{value}}},{{"role":"odd","x":{value}}}]}}"#),
            format!(
                r#"{{"messages":[{{"role":"assistant","content":null,"tool_calls":[{{"id":"1","type":"function","function":{{"name":"t","arguments":{quoted}}}}}]}}]}}"#
            ),
            format!(r#"{{"messages":[{{"role":"assistant","content":null,"tool_calls":{value}}}]}}"#),
            format!(
                r#"{{"messages":[{{"role":"user","content":"go"}}],"tools":[{{"type":"function","function":{{"name":"t","parameters":{value}}}}}],"response_format":{value}}}"#
            ),
        ],
        Dialect::OpenAiResponses => vec![
            format!(r#"{{"input":[{{"role":"user","content":{value}}}]}}"#),
            format!(r#"{{"input":[{{"role":"user","content":[{{"type":"odd","x":{value}}}]}}]}}"#),
            format!(r#"{{"input":[{{"type":"odd","x":{value}}}]}}"#),
            format!(
                r#"{{"input":[{{"type":"function_call","call_id":"1","name":"t","arguments":{quoted}}},{{"type":"function_call_output","call_id":"1","output":{value}}}]}}"#
            ),
            format!(r#"{{"input":[{{"type":"reasoning","summary":{value}}}]}}"#),
            format!(
                r#"{{"input":"go","instructions":{value},"tools":[{{"type":"function","name":"t","parameters":{value}}}],"text":{value}}}"#
            ),
        ],
    }
}

/// Read, named, weighed, compared, spliced, marked, converted, asked behind, kept as a history.
fn check_request(dialect: Dialect, request: String) {
    let known = Known::with_room_for(1 << 20);
    let body = request.into_bytes();
    drop(Request::read(body.clone(), Format::Detect, DuplicateKeys::Refuse));
    let again = || Request::read_again(body.clone(), Format::Given(dialect), DuplicateKeys::Carry, &known);
    // What is no conversation passes through: that it is found to be none is all.
    let Ok(request) = again() else { return };
    let places = Places::of(request.conversation());
    let names = request.prefixes(&places);
    assert_eq!(again().expect("what was read can be read").prefixes(&places), names);
    request.sizes(&RoughCounter);
    doubtful_share(request.conversation());
    assert_eq!(request.clone().conversation(), request.conversation());
    let nothing = apply(request.conversation(), Vec::new()).expect("no edits break nothing");
    assert_eq!(request.splice(&nothing).expect("no edits have their place").bytes, request.bytes());
    for layout in [Layout::Messages, Layout::ChatNative, Layout::OpenRouter, Layout::OpenAi] {
        let cached = request.cached(layout);
        drop(request.mark(&cached, &[]));
    }
    request.cache_markers();
    request.own_thinking();
    drop(request.without_thinking_before(usize::MAX));
    for other in Dialect::ALL {
        convert::write(request.conversation(), other);
    }
    forking::fork(request.bytes(), dialect, "what was done?", 100);
    let turns = request.turns();
    let kept = history::of_elements(dialect, &turns);
    if let Ok(kept) = Request::read(kept, Format::Given(dialect), DuplicateKeys::Carry) {
        drop(kept.behind(&turns));
    }
}

/// Answers whole and streamed, and complaints.
fn check_answers(dialect: Dialect, value: &str, quoted: &str) {
    let whole = format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"odd","x":{value}}}],"choices":[{{"index":0,"finish_reason":"stop","message":{{"role":"assistant","content":null,"x":{value}}}}}],"status":"completed","output":[{{"type":"odd","x":{value}}}],"usage":{{"input_tokens":1,"x":{value}}},"error":{{"message":{value}}}}}"#
    );
    let events = [
        format!(
            r#"{{"type":"content_block_start","index":0,"content_block":{{"type":"tool_use","id":"1","name":"t","input":{value}}}}}"#
        ),
        format!(
            r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"input_json_delta","partial_json":{quoted}}}}}"#
        ),
        r#"{"type":"content_block_stop","index":0}"#.to_owned(),
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"x":{value}}},"finish_reason":"stop"}}],"usage":{{"x":{value}}}}}"#
        ),
        format!(r#"{{"type":"response.output_item.done","item":{{"type":"odd","x":{value}}}}}"#),
        format!(
            r#"{{"type":"response.completed","response":{{"output":[{{"type":"odd","x":{value}}}],"usage":{{"x":{value}}}}}}}"#
        ),
        format!(r#"{{"type":"error","error":{{"message":{value}}}}}"#),
        r#"{"type":"message_stop"}"#.to_owned(),
    ];
    let streamed: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    for (kind, bytes) in [("application/json", &whole), ("text/event-stream", &streamed)] {
        let (mut answer, mut usage) = (AnswerReader::new(dialect, kind), UsageReader::new(dialect, kind));
        answer.push(bytes.as_bytes());
        usage.push(bytes.as_bytes());
        drop((answer.finish(), usage.finish()));
    }
    complaint(whole.as_bytes());
    for asked in [AskDialect::OpenAiChat, AskDialect::AnthropicMessages, AskDialect::OpenAiResponses] {
        asked.whole(whole.as_bytes());
    }
}
