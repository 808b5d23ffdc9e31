//! Answers of OpenAI's chat completions: a message, or chunks that are joined to one. Of several choices the first counts.

use super::growing::{Growing, Object};
use super::{Answer, Heard};
use crate::json::{Kind, Value};

/// The message so far.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    message: Object,
    ended: bool,
}

/// What is told about a message and is no part of it: a request that holds it is refused by some.
const TOLD_BESIDE: [&str; 3] = ["annotations", "audio", "logprobs"];

impl Choice {
    pub(crate) fn hear(&mut self, chunk: Value<'_>) -> Heard {
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Heard::Failed;
        }
        let Some(choice) = first_choice(chunk) else { return Heard::More(0) };
        self.ended |= choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
        let Some(delta) = choice.get("delta").filter(|delta| delta.kind() == Kind::Object) else {
            return Heard::More(0);
        };
        match self.message.merge(delta) {
            Some(()) => Heard::More(delta.raw().len()),
            None => Heard::Unreadable,
        }
    }

    /// The stream says that it is over. Not everybody says before how an answer ended.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn finish(self) -> Option<Answer> {
        Some(message(self.message))
    }
}

/// What an answer in one piece says.
pub(crate) fn whole(answer: Value<'_>) -> Option<Answer> {
    let said = first_choice(answer)?.get("message").filter(|message| message.kind() == Kind::Object)?;
    Some(message(Object::of(said)))
}

fn first_choice(answer: Value<'_>) -> Option<Value<'_>> {
    let mut choices = answer.get("choices")?.items();
    choices.find(|choice| choice.get("index").is_none_or(|index| index.unsigned() == Some(0)))
}

fn message(mut message: Object) -> Answer {
    message.retain(|key, value| !TOLD_BESIDE.contains(&key) && !value.is_empty());
    let calls = match message.get("tool_calls") {
        Some(Growing::List(calls)) => Some(calls.clone()),
        Some(Growing::Fixed(_) | Growing::Words(_) | Growing::Object(_)) | None => None,
    };
    if let Some(mut calls) = calls {
        // Numbers tell chunks apart; a request has none.
        for call in &mut calls {
            if let Growing::Object(call) = call {
                call.retain(|key, _| key != "index");
            }
        }
        message.set("tool_calls", Growing::List(calls));
    }
    let says = |key| message.get(key).is_some();
    if !["content", "tool_calls", "function_call", "refusal"].into_iter().any(says) {
        return Vec::new();
    }
    let mut whole = Object::default();
    whole.set("role", Growing::Words("assistant".to_owned()));
    if message.get("content").is_none() {
        // Some want the key wherever there is no text.
        whole.set("content", Growing::Fixed("null".to_owned()));
    }
    whole.append(message);
    vec![whole.to_json()]
}
