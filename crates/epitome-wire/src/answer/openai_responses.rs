//! Answers of OpenAI's responses: items, each of which is told whole when it is done, and all of them at the end.

use std::collections::BTreeMap;

use super::growing::{Growing, Object};
use super::{Answer, Heard, NoAnswer};
use crate::json::Value;

/// The items so far.
#[derive(Debug, Default)]
pub(crate) struct Items {
    items: BTreeMap<u64, Object>,
    ended: bool,
}

impl Items {
    pub(crate) fn hear(&mut self, event: Value<'_>) -> Heard {
        let kind = event.get("type").and_then(Value::str).unwrap_or_default();
        match &*kind {
            "error" | "response.failed" => return Heard::Failed,
            "response.completed" | "response.incomplete" => self.ended = true,
            "response.output_item.done" => {
                let number = event.get("output_index").and_then(Value::unsigned);
                let (Some(number), Some(item)) = (number, event.get("item")) else { return Heard::Unreadable };
                self.items.insert(number, Object::of(item));
                return Heard::More(item.raw().len());
            }
            // Beginnings and pieces: what is done is told whole.
            _ => {}
        }
        Heard::More(0)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn finish(self) -> Option<Answer> {
        Some(kept(self.items.into_values().collect()))
    }
}

/// What an answer in one piece says.
pub(crate) fn whole(answer: Value<'_>) -> Result<Answer, NoAnswer> {
    let status = answer.get("status").and_then(Value::str);
    if matches!(status.as_deref(), Some("failed" | "cancelled" | "queued" | "in_progress")) {
        return Err(NoAnswer::Failed);
    }
    let output = answer.get("output").ok_or(NoAnswer::Unreadable)?;
    Ok(kept(output.items().map(Object::of).collect()))
}

/// The items that can be sent again.
///
/// Reasoning that is not encrypted is known by its id to a provider that stores it, and to nobody else; without it, items
/// that name themselves would miss it. A call that broke off cannot be answered.
fn kept(mut items: Vec<Object>) -> Answer {
    let is_lost =
        |item: &Object| item.says("type", "reasoning") && item.get("encrypted_content").is_none_or(Growing::is_empty);
    let any_lost = items.iter().any(is_lost);
    let unfinished = |item: &Object| item.says("status", "incomplete") && item.get("call_id").is_some();
    items.retain(|item| !is_lost(item) && !unfinished(item));
    if any_lost {
        items.iter_mut().for_each(|item| item.retain(|key, _| key != "id"));
    }
    items.iter().map(Object::to_json).collect()
}
