//! Session files of Claude Code (`~/.claude/projects/…/*.jsonl`): one event a line, one line for each block of an answer.
//!
//! System prompt and tools are not recorded. Sub-agents' lines (`isSidechain`) are conversations of their own, and out.

use epitome_wire::Dialect;
use serde_json::{Value, json};

use super::elements::messages;
use super::{Compaction, Entry, Json, Recording, RecordingError, Usage, moment};

pub(super) fn read(name: &str, json: &Json) -> Option<Result<Recording, RecordingError>> {
    let Json::Lines(lines) = json else { return None };
    let is_ours = |line: &Value| line.get("sessionId").is_some() && line.get("message").is_some_and(Value::is_object);
    lines.iter().any(is_ours).then(|| recording(name, lines))
}

/// An answer, gathered from its lines.
struct Answer<'a> {
    id: Option<&'a str>,
    blocks: Vec<Value>,
    at: Option<f64>,
    usage: Option<&'a Value>,
}

fn recording(name: &str, lines: &[Value]) -> Result<Recording, RecordingError> {
    let mut session = None;
    let mut model = None;
    let mut entries = Vec::new();
    let mut answer: Option<Answer<'_>> = None;
    let flag = |line: &Value, key: &str| line.get(key).and_then(Value::as_bool).unwrap_or(false);
    for line in lines.iter().filter(|line| !flag(line, "isSidechain")) {
        let Some(message) = line.get("message").filter(|message| message.is_object()) else { continue };
        let at = moment::seconds(line.get("timestamp"));
        session = session.or_else(|| line.get("sessionId").and_then(Value::as_str));
        match line.get("type").and_then(Value::as_str) {
            Some("assistant") => {
                let id = message.get("id").and_then(Value::as_str);
                if answer.as_ref().is_some_and(|answer| id.is_none() || answer.id != id) {
                    finish(answer.take(), &mut entries)?;
                }
                // Errors of the client stand in the place of answers, as said by nobody.
                let by = message.get("model").and_then(Value::as_str).filter(|model| *model != "<synthetic>");
                model = by.or(model);
                let answer = answer.get_or_insert_with(|| Answer { id, blocks: Vec::new(), at, usage: None });
                answer.blocks.extend(message.get("content").and_then(Value::as_array).into_iter().flatten().cloned());
                // The last line has the whole answer's output tokens.
                answer.usage = message.get("usage").filter(|_| by.is_some()).or(answer.usage);
            }
            Some("user") => {
                finish(answer.take(), &mut entries)?;
                let compaction = if flag(line, "isCompactSummary") { Compaction::Summary } else { Compaction::None };
                let read = messages(Dialect::AnthropicMessages, &[message])?;
                entries.extend(read.into_iter().map(|mut message| {
                    message.injected |= flag(line, "isMeta");
                    Entry { message, at, usage: None, compaction }
                }));
            }
            Some(_) | None => {}
        }
    }
    finish(answer, &mut entries)?;
    Ok(Recording {
        id: session.unwrap_or(name).to_owned(),
        agent: Some("Claude Code".to_owned()),
        model: model.map(str::to_owned),
        prefix: Vec::new(),
        entries,
    })
}

fn finish(answer: Option<Answer<'_>>, entries: &mut Vec<Entry>) -> Result<(), RecordingError> {
    let Some(answer) = answer else { return Ok(()) };
    let message = json!({"role": "assistant", "content": answer.blocks});
    let usage = answer.usage.map(Usage::of);
    for message in messages(Dialect::AnthropicMessages, &[&message])? {
        entries.push(Entry { message, at: answer.at, usage, compaction: Compaction::None });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::recording::{self, Compaction};
    use epitome_core::model::Role;

    const SESSION: &str = r#"{"type":"summary","summary":"earlier"}
{"type":"user","sessionId":"s","timestamp":"1970-01-01T00:00:01Z","message":{"role":"user","content":"hi"}}
{"type":"assistant","sessionId":"s","timestamp":"1970-01-01T00:00:03Z","message":{"id":"m1","model":"claude-opus-4-6","content":[{"type":"thinking","thinking":"hm"}],"usage":{"input_tokens":3,"cache_read_input_tokens":10,"output_tokens":1}}}
{"type":"assistant","sessionId":"s","timestamp":"1970-01-01T00:00:04Z","message":{"id":"m1","model":"claude-opus-4-6","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}],"usage":{"input_tokens":3,"cache_read_input_tokens":10,"output_tokens":44}}}
{"type":"user","sessionId":"s","isSidechain":true,"message":{"role":"user","content":"for a sub-agent"}}
{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
{"type":"user","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"This session is being continued"}}
{"type":"assistant","sessionId":"s","message":{"id":"m2","model":"<synthetic>","content":[{"type":"text","text":"API error"}],"usage":{"input_tokens":0}}}"#;

    #[test]
    fn lines_of_one_answer_are_one_message() {
        let read = recording::read("file", SESSION).unwrap();
        assert_eq!((read.id.as_str(), read.model.as_deref()), ("s", Some("claude-opus-4-6")));
        let roles: Vec<(Role, usize)> =
            read.entries.iter().map(|entry| (entry.message.role, entry.message.blocks.len())).collect();
        let expected = [(Role::User, 1), (Role::Assistant, 2), (Role::User, 1), (Role::User, 1), (Role::Assistant, 1)];
        assert_eq!(roles, expected);
        let usage = read.entries[1].usage.unwrap();
        assert_eq!((usage.prompt.unwrap().total(), usage.output), (13, Some(44)));
        assert_eq!(read.entries[3].compaction, Compaction::Summary);
        assert_eq!(read.entries[4].usage, None);
    }
}
