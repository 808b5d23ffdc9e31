//! Session files of Codex (`~/.codex/sessions/…/rollout-*.jsonl`): items as they were sent, and counts of tokens between.

use std::sync::Arc;

use epitome_wire::Dialect;
use serde_json::Value;

use super::elements::{is_said_by_model, messages};
use super::{Compaction, Entry, Json, Recording, RecordingError, Usage, moment};

pub(super) fn read(name: &str, json: &Json) -> Option<Result<Recording, RecordingError>> {
    let Json::Lines(lines) = json else { return None };
    let is_ours = |line: &Value| {
        kind(line) == Some("session_meta") || (kind(line) == Some("response_item") && line.get("payload").is_some())
    };
    lines.iter().any(is_ours).then(|| recording(name, lines))
}

fn kind(value: &Value) -> Option<&str> {
    value.get("type").and_then(Value::as_str)
}

/// What is gathered while the lines are read.
#[derive(Default)]
struct Gathered<'a> {
    entries: Vec<Entry>,
    /// Items of the answer that is being read.
    answer: Vec<&'a Value>,
    answered_at: Option<f64>,
    /// The next message is the first behind a compaction.
    compacted: bool,
}

fn recording(name: &str, lines: &[Value]) -> Result<Recording, RecordingError> {
    let (mut id, mut model, mut prefix) = (None, None, Vec::new());
    let mut gathered = Gathered::default();
    for line in lines {
        let Some(payload) = line.get("payload") else { continue };
        let at = moment::seconds(line.get("timestamp"));
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        match kind(line) {
            Some("session_meta") => {
                id = id.or(text("id"));
                let instructions = payload.get("base_instructions").and_then(|given| given.get("text"));
                let instructions = instructions.and_then(Value::as_str).or(text("instructions"));
                prefix.extend(instructions.map(Arc::<str>::from));
            }
            Some("turn_context") => model = text("model").or(model),
            Some("response_item") => gathered.item(payload, at)?,
            Some("compacted") => {
                gathered.finish_answer()?;
                gathered.compacted = true;
            }
            Some("event_msg") if kind(payload) == Some("token_count") => {
                gathered.finish_answer()?;
                let last = payload.get("info").and_then(|info| info.get("last_token_usage"));
                gathered.report(last.map(Usage::of));
            }
            Some(_) | None => {}
        }
    }
    gathered.finish_answer()?;
    Ok(Recording {
        id: id.unwrap_or(name).to_owned(),
        agent: Some("Codex".to_owned()),
        model: model.map(str::to_owned),
        prefix,
        entries: gathered.entries,
    })
}

impl<'a> Gathered<'a> {
    fn item(&mut self, item: &'a Value, at: Option<f64>) -> Result<(), RecordingError> {
        if is_said_by_model(item) {
            self.answer.push(item);
            self.answered_at = self.answered_at.or(at);
            return Ok(());
        }
        self.finish_answer()?;
        for message in messages(Dialect::OpenAiResponses, &[item])? {
            let compaction = if std::mem::take(&mut self.compacted) { Compaction::Follows } else { Compaction::None };
            self.entries.push(Entry { message, at, usage: None, compaction });
        }
        Ok(())
    }

    fn finish_answer(&mut self) -> Result<(), RecordingError> {
        let items = std::mem::take(&mut self.answer);
        let at = self.answered_at.take();
        if items.is_empty() {
            return Ok(());
        }
        for message in messages(Dialect::OpenAiResponses, &items)? {
            self.entries.push(Entry { message, at, usage: None, compaction: Compaction::None });
        }
        Ok(())
    }

    /// The count belongs to the latest answer. Counts are said again when nothing was asked; the first one counts.
    fn report(&mut self, usage: Option<Usage>) {
        let answered = |entry: &&mut Entry| entry.message.role == epitome_core::model::Role::Assistant;
        if let (Some(usage), Some(entry)) = (usage, self.entries.iter_mut().rev().find(answered)) {
            entry.usage.get_or_insert(usage);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::recording::{self, Compaction};
    use epitome_core::model::Role;

    const SESSION: &str = r#"{"timestamp":"1970-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s","base_instructions":{"text":"be brief"}}}
{"timestamp":"1970-01-01T00:00:01Z","type":"turn_context","payload":{"model":"gpt-5.4"}}
{"timestamp":"1970-01-01T00:00:02Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}
{"timestamp":"1970-01-01T00:00:03Z","type":"response_item","payload":{"type":"reasoning","summary":[],"encrypted_content":"x"}}
{"timestamp":"1970-01-01T00:00:04Z","type":"response_item","payload":{"type":"function_call","call_id":"1","name":"shell","arguments":"{}"}}
{"timestamp":"1970-01-01T00:00:05Z","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":60,"output_tokens":7}}}}
{"timestamp":"1970-01-01T00:00:06Z","type":"response_item","payload":{"type":"function_call_output","call_id":"1","output":"ok"}}
{"timestamp":"1970-01-01T00:00:07Z","type":"compacted","payload":{"message":""}}
{"timestamp":"1970-01-01T00:00:08Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}
{"timestamp":"1970-01-01T00:00:09Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}"#;

    #[test]
    fn items_become_messages_with_their_counts() {
        let read = recording::read("file", SESSION).unwrap();
        assert_eq!((read.id.as_str(), read.model.as_deref(), read.prefix.len()), ("s", Some("gpt-5.4"), 1));
        let roles: Vec<Role> = read.entries.iter().map(|entry| entry.message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::User, Role::Assistant]);
        let usage = read.entries[1].usage.unwrap();
        assert_eq!((usage.prompt.unwrap().read, usage.prompt.unwrap().uncached, usage.output), (60, 40, Some(7)));
        assert_eq!((read.entries[1].at, read.entries[3].compaction), (Some(3.0), Compaction::Follows));
    }
}
