//! Sessions as requests: an object with `messages` or `input`, a bare list, or one message a line.
//!
//! Beside what a provider takes, a message may say when it came (`timestamp`), what the provider reported for it (`usage`),
//! and what it has to do with a compaction by the agent (`compaction`, `after_compaction`).

use std::sync::Arc;

use epitome_core::model::{Block, Message};
use epitome_wire::{Dialect, Format};
use serde_json::Value;

use super::elements::{is_said_by_model, messages, read as read_request};
use super::{Compaction, Entry, Json, Recording, RecordingError, Usage, moment};

pub(super) fn read(name: &str, json: &Json) -> Option<Result<Recording, RecordingError>> {
    let whole = match json {
        Json::Whole(whole) => whole.clone(),
        Json::Lines(lines) => Value::Array(lines.clone()),
    };
    let list = whole.get("messages").or_else(|| whole.get("input")).unwrap_or(&whole).as_array()?;
    // A list of anything else is no conversation.
    let is_message = |element: &Value| element.get("role").is_some() || element.get("call_id").is_some();
    list.iter().any(is_message).then(|| recording(name, &whole, list))
}

fn recording(name: &str, whole: &Value, list: &[Value]) -> Result<Recording, RecordingError> {
    let request = read_request(whole, Format::Detect)?;
    let conversation = request.conversation();
    let system = conversation.system.iter().filter_map(Block::as_text).cloned();
    let tools = conversation.tools.iter().map(|tool| tool.text.clone());
    let prefix: Vec<Arc<str>> = system.chain(tools).collect();
    let entries = match request.dialect() {
        Dialect::OpenAiChat | Dialect::AnthropicMessages => {
            list.iter().zip(&conversation.messages).map(|(element, message)| entry(element, message.clone())).collect()
        }
        Dialect::OpenAiResponses => items(list)?,
    };
    let text = |key: &str| whole.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(Recording {
        id: text("id").unwrap_or_else(|| name.to_owned()),
        agent: text("agent"),
        model: text("model"),
        prefix,
        entries,
    })
}

/// Neighbouring items of the model are one message.
fn items(list: &[Value]) -> Result<Vec<Entry>, RecordingError> {
    let runs = list.chunk_by(|one, other| is_said_by_model(one) && is_said_by_model(other));
    let mut entries = Vec::new();
    for run in runs {
        let elements: Vec<&Value> = run.iter().collect();
        let read = messages(Dialect::OpenAiResponses, &elements)?;
        let told = run.iter().rev().find(|element| element.get("usage").is_some()).or(run.last());
        entries.extend(read.into_iter().map(|message| entry(told.unwrap_or(&Value::Null), message)));
    }
    Ok(entries)
}

fn entry(element: &Value, message: Message) -> Entry {
    let says = |key: &str| element.get(key).is_some_and(|value| !value.is_null() && *value != Value::Bool(false));
    let compaction = if says("compaction") {
        Compaction::Summary
    } else if says("after_compaction") {
        Compaction::Follows
    } else {
        Compaction::None
    };
    let usage = element.get("usage").filter(|usage| usage.is_object()).map(Usage::of);
    Entry { message, at: moment::seconds(element.get("timestamp")), usage, compaction }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording;
    use epitome_core::model::Role;

    fn roles(recording: &Recording) -> Vec<Role> {
        recording.entries.iter().map(|entry| entry.message.role).collect()
    }

    #[test]
    fn a_chat_session_has_times_usage_and_compactions() {
        let text = r#"{"id":"a","agent":"b","model":"m","messages":[
            {"role":"system","content":"be brief"},
            {"role":"user","content":"hi","timestamp":"1970-01-01T00:00:10Z"},
            {"role":"assistant","content":"ho","timestamp":12,"usage":{"input_tokens":5,"output_tokens":2}},
            {"role":"user","content":"all of it","compaction":true},
            {"role":"user","content":"go on","after_compaction":true}]}"#;
        let read = recording::read("file", text).unwrap();
        assert_eq!((read.id.as_str(), read.agent.as_deref(), read.model.as_deref()), ("a", Some("b"), Some("m")));
        assert_eq!(roles(&read), [Role::System, Role::User, Role::Assistant, Role::User, Role::User]);
        assert_eq!(read.entries[1].at, Some(10.0));
        assert_eq!(read.entries[2].usage.and_then(|usage| usage.output), Some(2));
        let kinds: Vec<Compaction> = read.entries.iter().map(|entry| entry.compaction).collect();
        assert_eq!(kinds[2..], [Compaction::None, Compaction::Summary, Compaction::Follows]);
    }

    #[test]
    fn an_anthropic_request_has_its_system_prompt_and_tools_before_the_messages() {
        let text = r#"{"system":"be brief","tools":[{"name":"t","input_schema":{}}],"messages":[
            {"role":"user","content":"hi"},
            {"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}]}"#;
        let read = recording::read("file", text).unwrap();
        assert_eq!((read.id.as_str(), read.prefix.len()), ("file", 2));
        assert_eq!(roles(&read), [Role::User, Role::Assistant, Role::User]);
    }

    #[test]
    fn items_of_one_answer_are_one_message() {
        let text = r#"{"input":[{"type":"message","role":"user","content":"hi"},{"type":"reasoning","summary":[]},
            {"type":"function_call","call_id":"1","name":"t","arguments":"{}"},
            {"type":"function_call_output","call_id":"1","output":"x"}]}"#;
        let read = recording::read("file", text).unwrap();
        assert_eq!(roles(&read), [Role::User, Role::Assistant, Role::Tool]);
    }
}
