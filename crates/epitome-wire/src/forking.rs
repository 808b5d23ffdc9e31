//! A question behind a conversation that a model has just read: the request as it was sent, and one text more.
//!
//! Everything before the question stays as it is, to the byte: a provider that has cached it reads it from its cache.

use std::ops::Range;

use crate::dialect::Dialect;
use crate::json::{Document, DuplicateKeys, Kind, Value};
use crate::strings::{write_inner, write_string};

/// The request `sent` with `question` behind its last message, to be answered as a stream and within `most_tokens`.
///
/// `None` where that would not bring an answer in words: the request forces a tool or a form, wants several answers, stops
/// at words of its own, or ends with words of the assistant; and where it is no request.
pub fn fork(sent: &[u8], dialect: Dialect, question: &str, most_tokens: u64) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(sent).ok()?;
    let document = Document::read(text, DuplicateKeys::Carry).ok()?;
    let root = document.single_root().filter(|root| root.kind() == Kind::Object)?;
    if !is_free(root) {
        return None;
    }
    let mut changes = vec![asked(root, dialect, question)?];
    changes.extend(streamed(root, dialect));
    changes.extend(limited(root, most_tokens));
    changes.extend(not_asked(root));
    changes.sort_by_key(|change| change.range.start);
    let mut bytes = Vec::with_capacity(sent.len() + question.len() + 256);
    let mut done = 0;
    for change in changes {
        bytes.extend_from_slice(sent.get(done..change.range.start)?);
        bytes.extend_from_slice(&change.bytes);
        done = change.range.end;
    }
    bytes.extend_from_slice(sent.get(done..)?);
    Some(bytes)
}

/// A stretch of the request, and what stands in its place.
struct Change {
    range: Range<usize>,
    bytes: Vec<u8>,
}

impl Change {
    fn insert(at: usize, bytes: Vec<u8>) -> Change {
        Change { range: at..at, bytes }
    }
}

fn said<'doc>(object: Value<'doc>, key: &str) -> Option<Value<'doc>> {
    object.get(key).filter(|value| !value.is_null())
}

/// Whether the model may answer in words, all of them, and once.
fn is_free(root: Value<'_>) -> bool {
    let is_one_of = |value: Value<'_>, kinds: &[&str]| {
        let kind = said(value, "type").unwrap_or(value);
        kinds.iter().any(|known| kind.is_string(known))
    };
    let chooses = said(root, "tool_choice").is_none_or(|choice| is_one_of(choice, &["auto", "none"]));
    let formats = [
        said(root, "response_format"),
        said(root, "output_format"),
        said(root, "text").and_then(|text| said(text, "format")),
        said(root, "output_config").and_then(|output| said(output, "format")),
    ];
    let plain = formats.into_iter().flatten().all(|format| is_one_of(format, &["text"]));
    let once = said(root, "n").is_none_or(|n| n.unsigned() == Some(1));
    let stops = ["stop", "stop_sequences"].into_iter().filter_map(|key| said(root, key));
    let unstopped = stops.into_iter().all(|stop| stop.kind() == Kind::Array && stop.items().next().is_none());
    let waits = said(root, "background").is_none_or(|background| !background.is_true());
    chooses && plain && once && unstopped && waits
}

/// The question behind the last message. Where that is the user's it is joined, as some providers want roles to alternate.
fn asked(root: Value<'_>, dialect: Dialect, question: &str) -> Option<Change> {
    let list = root.get(dialect.rules().list_key()).filter(|list| list.kind() == Kind::Array)?;
    let last = list.items().last()?;
    let role = said(last, "role").and_then(Value::str);
    let behind = |message: String| Some(Change::insert(last.span().range().end, message.into_bytes()));
    match (dialect, role.as_deref()) {
        (_, Some("assistant")) => None,
        (Dialect::OpenAiResponses, _) => {
            let content = format!(r#"[{{"type":"input_text","text":{}}}]"#, string(question));
            behind(format!(r#",{{"type":"message","role":"user","content":{content}}}"#))
        }
        (Dialect::OpenAiChat, Some("tool" | "function")) => {
            behind(format!(r#",{{"role":"user","content":{}}}"#, string(question)))
        }
        (Dialect::OpenAiChat | Dialect::AnthropicMessages, Some("user")) => joined(said(last, "content")?, question),
        (Dialect::OpenAiChat | Dialect::AnthropicMessages, Some(_) | None) => None,
    }
}

/// The question at the end of a content.
fn joined(content: Value<'_>, question: &str) -> Option<Change> {
    let inside = content.span().range().end.checked_sub(1)?;
    match content.kind() {
        Kind::String => {
            let mut bytes = Vec::new();
            write_inner(&mut bytes, &format!("\n\n{question}"));
            Some(Change::insert(inside, bytes))
        }
        Kind::Array => {
            let comma = if content.items().next().is_some() { "," } else { "" };
            let part = format!(r#"{comma}{{"type":"text","text":{}}}"#, string(question));
            Some(Change::insert(inside, part.into_bytes()))
        }
        Kind::Object | Kind::Number | Kind::Literal => None,
    }
}

fn string(text: &str) -> String {
    let mut bytes = Vec::new();
    write_string(&mut bytes, text);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An answer that is long in the making is streamed, or nobody could tell whether it is still being made.
fn streamed(root: Value<'_>, dialect: Dialect) -> Vec<Change> {
    let first = root.span().range().start + 1;
    let mut changes = Vec::new();
    match root.get("stream") {
        Some(stream) if stream.is_true() => {}
        Some(stream) => changes.push(Change { range: stream.span().range(), bytes: b"true".to_vec() }),
        None => changes.push(Change::insert(first, br#""stream":true,"#.to_vec())),
    }
    let reports = dialect != Dialect::OpenAiChat || root.get("stream_options").is_some();
    if !reports {
        changes.push(Change::insert(first, br#""stream_options":{"include_usage":true},"#.to_vec()));
    }
    changes
}

/// A limit that is lower than what the answer may take is raised; what is thought before it counts too.
fn limited(root: Value<'_>, most_tokens: u64) -> Option<Change> {
    let keys = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    let limit = keys.into_iter().find_map(|key| said(root, key))?;
    let thoughts = said(root, "thinking").and_then(|thinking| said(thinking, "budget_tokens")?.unsigned());
    let wanted = most_tokens.saturating_add(thoughts.unwrap_or(0));
    let is_lower = limit.unsigned().is_some_and(|limit| limit < wanted);
    is_lower.then(|| Change { range: limit.span().range(), bytes: wanted.to_string().into_bytes() })
}

/// Fields of a request that say what a model reads, how it answers, or who pays for it.
const ASKED: &[&str] = &[
    "anthropic_version",
    "background",
    "cache_control",
    "context_management",
    "include",
    "inference_geo",
    "input",
    "instructions",
    "max_completion_tokens",
    "max_output_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "models",
    "n",
    "output_config",
    "output_format",
    "parallel_tool_calls",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "provider",
    "reasoning",
    "reasoning_effort",
    "response_format",
    "route",
    "safety_identifier",
    "service_tier",
    "speed",
    "stop",
    "stop_sequences",
    "store",
    "stream",
    "stream_options",
    "system",
    "temperature",
    "text",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
    "transforms",
    "user",
    "verbosity",
];

/// Other fields are left out: what they would make of a question that is not the client's is not known, and somebody may
/// take it for one of the client's own.
fn not_asked(root: Value<'_>) -> Vec<Change> {
    let entries: Vec<(bool, Range<usize>)> = root
        .entries()
        .map(|(key, value)| {
            let is_asked = key.str().is_some_and(|key| ASKED.contains(&&*key));
            (is_asked, key.span().range().start..value.span().range().end)
        })
        .collect();
    // Each with the comma behind it; those at the end with the comma before them.
    let last_asked = entries.iter().rposition(|(is_asked, _)| *is_asked);
    let Some((last_asked, end)) = last_asked.zip(entries.last().map(|(_, last)| last.end)) else { return Vec::new() };
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (entry, next) in entries.iter().zip(entries.iter().skip(1)).take(last_asked) {
        if !entry.0 {
            ranges.push(entry.1.start..next.1.start);
        }
    }
    ranges.extend(entries.get(last_asked).map(|(_, last)| last.end..end).filter(|range| !range.is_empty()));
    ranges.into_iter().map(|range| Change { range, bytes: Vec::new() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, sent: &str, expected: Option<&str>) {
        let forked = fork(sent.as_bytes(), dialect, "what\nnow?", 900);
        let forked = forked.map(|bytes| String::from_utf8(bytes).expect("text"));
        assert_eq!(forked.as_deref(), expected, "{sent}");
        if let Some(forked) = forked {
            serde_json::from_str::<serde_json::Value>(&forked).expect("JSON");
        }
    }

    #[test]
    fn the_question_stands_behind_everything_that_was_sent() {
        check(
            Dialect::AnthropicMessages,
            r#"{"max_tokens": 100, "messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{}} ]}] , "stream":true}"#,
            Some(
                r#"{"max_tokens": 900, "messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{}} ,{"type":"text","text":"what\nnow?"}]}] , "stream":true}"#,
            ),
        );
        check(
            Dialect::AnthropicMessages,
            r#"{"max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":3500},"messages":[{"role":"user","content":"a\"b"}],"stream":true}"#,
            Some(
                r#"{"max_tokens":4400,"thinking":{"type":"enabled","budget_tokens":3500},"messages":[{"role":"user","content":"a\"b\n\nwhat\nnow?"}],"stream":true}"#,
            ),
        );
        check(
            Dialect::OpenAiChat,
            r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant"},{"role":"tool","content":"b"}],"stream":false,"tool_choice":"auto"}"#,
            Some(
                r#"{"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"a"},{"role":"assistant"},{"role":"tool","content":"b"},{"role":"user","content":"what\nnow?"}],"stream":true,"tool_choice":"auto"}"#,
            ),
        );
        check(
            Dialect::OpenAiResponses,
            r#"{"input":[{"type":"function_call_output","call_id":"c","output":"b"}],"stream":true,"text":{"format":{"type":"text"},"verbosity":"low"}}"#,
            Some(
                r#"{"input":[{"type":"function_call_output","call_id":"c","output":"b"},{"type":"message","role":"user","content":[{"type":"input_text","text":"what\nnow?"}]}],"stream":true,"text":{"format":{"type":"text"},"verbosity":"low"}}"#,
            ),
        );
    }

    #[test]
    fn what_is_not_known_is_not_asked_with() {
        let messages = r#""messages":[{"role":"user","content":"a"}]"#;
        let forked = r#""messages":[{"role":"user","content":"a\n\nwhat\nnow?"}]"#;
        for (sent, expected) in [
            (format!(r#"{{"x":1, "y":{{}},{messages},"stream":true}}"#), format!(r#"{{{forked},"stream":true}}"#)),
            (format!(r#"{{{messages}, "x":1 ,"stream":true}}"#), format!(r#"{{{forked}, "stream":true}}"#)),
            (format!(r#"{{"stream":true,{messages} ,"x":[1] , "y":2 }}"#), format!(r#"{{"stream":true,{forked} }}"#)),
        ] {
            check(Dialect::AnthropicMessages, &sent, Some(&expected));
        }
    }

    #[test]
    fn a_limit_is_not_lowered() {
        let sent = r#"{"stream":true,"max_tokens":64000,"messages":[{"role":"user","content":"a"}]}"#;
        let forked = fork(sent.as_bytes(), Dialect::AnthropicMessages, "b", 900).expect("a fork");
        assert!(String::from_utf8(forked).expect("text").contains(r#""max_tokens":64000,"#));
    }

    #[test]
    fn who_cannot_answer_in_words_is_not_asked() {
        let chat = |more: &str| format!(r#"{{"messages":[{{"role":"user","content":"a"}}]{more}}}"#);
        for more in [
            r#","tool_choice":"required""#,
            r#","tool_choice":{"type":"function","function":{"name":"f"}}"#,
            r#","response_format":{"type":"json_object"}"#,
            r#","n":2"#,
            r#","stop":["\n"]"#,
            r#","stop":"x""#,
        ] {
            check(Dialect::OpenAiChat, &chat(more), None);
        }
        assert!(fork(chat(r#","stop":null,"n":1"#).as_bytes(), Dialect::OpenAiChat, "b", 9).is_some());
        let prefilled = r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#;
        check(Dialect::AnthropicMessages, prefilled, None);
        check(Dialect::AnthropicMessages, r#"{"messages":[]}"#, None);
        check(Dialect::OpenAiResponses, r#"{"input":"a"}"#, None);
        check(Dialect::OpenAiResponses, r#"{"input":[{"role":"user"}],"background":true}"#, None);
        check(Dialect::OpenAiChat, "[]", None);
        check(Dialect::OpenAiChat, "no", None);
    }
}
