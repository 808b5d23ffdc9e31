//! OpenAI's chat completions: one message an element, tool results as messages of the role `tool`.
//!
//! Of an assistant's message, the order is: reasoning, content, calls. A message of a role that we do not know is taken
//! for an instruction that nothing ever shortens or removes.

use std::sync::Arc;

use epitome_core::model::{Block, Message, ResultStyle, Role, ToolCall, ToolResult};

use crate::dialect::{self, NoteInString, Rules, Turns, opaque};
use crate::error::ReadError;
use crate::json::{Kind, Value};
use crate::media;
use crate::strings::write_string;

/// The dialect `openai`.
pub(crate) struct OpenAiChat;

impl Rules for OpenAiChat {
    fn list_key(&self) -> &'static str {
        "messages"
    }

    fn system_key(&self) -> Option<&'static str> {
        None
    }

    fn result_key(&self) -> &'static str {
        "content"
    }

    fn results(&self) -> ResultStyle {
        ResultStyle::OwnMessage
    }

    fn turns(&self) -> Turns {
        Turns::OneElement
    }

    fn note_in_string(&self) -> NoteInString {
        NoteInString::Inside
    }

    fn decode(&self, element: Value<'_>) -> Result<Message, ReadError> {
        if element.kind() != Kind::Object {
            return Err(ReadError::NotAMessage { found: element.description(), position: element.position() });
        }
        let role = element.get("role").and_then(Value::str);
        let role = role.ok_or_else(|| ReadError::NoRole { position: element.position() })?;
        let content = || element.get("content").map(|content| self.content(content)).unwrap_or_default();
        Ok(match &*role {
            "assistant" => {
                let mut blocks: Vec<Block> = reasoning(element).into_iter().collect();
                blocks.extend(content());
                let refusal = element.get("refusal").and_then(Value::text).filter(|text| !text.is_empty());
                blocks.extend(refusal.map(Block::Text));
                blocks.extend(element.get("tool_calls").into_iter().flat_map(Value::items).map(tool_call));
                blocks.extend(element.get("function_call").and_then(legacy_call));
                dialect::message(element, Role::Assistant, blocks)
            }
            "user" => dialect::message(element, Role::User, content()),
            "tool" | "function" => {
                let answered = |key| element.get(key).and_then(Value::text);
                let block = match answered("tool_call_id").or_else(|| answered("name")) {
                    Some(call_id) => {
                        let is_error = element.get("is_error").is_some_and(Value::is_true);
                        Block::ToolResult(ToolResult { call_id, content: content(), is_error })
                    }
                    // Nobody can say what it answers, so nobody may say that it answers nothing.
                    None => opaque(element),
                };
                dialect::message(element, Role::Tool, vec![block])
            }
            role if dialect::instructs(role) => dialect::message(element, Role::System, content()),
            role => dialect::message(element, Role::System, dialect::of_unknown_role(role, content())),
        })
    }

    fn content(&self, content: Value<'_>) -> Vec<Block> {
        dialect::content(content, part)
    }

    fn write_message(&self, out: &mut Vec<u8>, role: Role, text: &str) {
        out.extend_from_slice(match role {
            Role::System => br#"{"role":"system","content":"#,
            Role::User => br#"{"role":"user","content":"#,
            Role::Assistant => br#"{"role":"assistant","content":"#,
            Role::Tool => br#"{"role":"tool","content":"#,
        });
        write_string(out, text);
        out.push(b'}');
    }

    fn write_answer(&self, out: &mut Vec<u8>, element: Value<'_>, call: &ToolCall, text: &str) {
        let has_calls = element.get("tool_calls").is_some_and(|calls| calls.items().next().is_some());
        out.extend_from_slice(if has_calls {
            br#"{"role":"tool","tool_call_id":"#
        } else {
            br#"{"role":"function","name":"#
        });
        write_string(out, &call.id);
        out.extend_from_slice(br#","content":"#);
        write_string(out, text);
        out.push(b'}');
    }

    fn write_system_part(&self, out: &mut Vec<u8>, text: &str) {
        out.extend_from_slice(br#"{"type":"text","text":"#);
        write_string(out, text);
        out.push(b'}');
    }
}

fn reasoning(element: Value<'_>) -> Option<Block> {
    // Servers call it one or the other; some send both, with the same text.
    let text = |key| element.get(key).and_then(Value::text).filter(|text| !text.is_empty());
    text("reasoning_content").or_else(|| text("reasoning")).map(Block::Thinking)
}

fn part(part: Value<'_>) -> Block {
    let text = |key| part.get(key).and_then(Value::text);
    let kind = part.get("type").and_then(Value::str);
    let found = match kind.as_deref() {
        Some("text") => text("text").map(Block::Text),
        Some("refusal") => text("refusal").map(Block::Text),
        Some("image_url") => {
            let image = part.get("image_url");
            // Some servers take the address itself here.
            let url = image.and_then(|image| image.str().or_else(|| image.get("url")?.str()));
            let detail = image.and_then(|image| image.get("detail")?.str());
            Some(media::openai_image(url.as_deref(), detail.as_deref()))
        }
        Some("input_audio") => Some(media::audio()),
        Some("file") => {
            let data = part.get("file").and_then(|file| file.get("file_data")?.str());
            Some(media::document(data.as_deref()))
        }
        Some(_) => None,
        None => part.text().map(Block::Text),
    };
    found.unwrap_or_else(|| opaque(part))
}

fn tool_call(call: Value<'_>) -> Block {
    let what = call.get("function").or_else(|| call.get("custom"));
    let name = what.and_then(|what| what.get("name")?.text());
    let name = name.or_else(|| call.get("type").and_then(Value::text));
    // Some servers leave the id out; then a result can only refer to the name.
    let id = call.get("id").and_then(Value::text).or_else(|| name.clone());
    let arguments = what.and_then(|what| what.get("arguments").or_else(|| what.get("input")));
    match (id, name) {
        (Some(id), Some(name)) => Block::ToolCall(ToolCall { id, name, arguments: arguments_text(arguments) }),
        (Some(id), None) => Block::ToolCall(ToolCall { id, name: "".into(), arguments: call.raw().into() }),
        (None, _) => opaque(call),
    }
}

/// The calls of 2023: one a message, and the name is the id.
fn legacy_call(call: Value<'_>) -> Option<Block> {
    let name = call.get("name")?.text()?;
    let arguments = arguments_text(call.get("arguments"));
    Some(Block::ToolCall(ToolCall { id: name.clone(), name, arguments }))
}

fn arguments_text(arguments: Option<Value<'_>>) -> Arc<str> {
    arguments.map_or_else(|| "".into(), |arguments| arguments.text().unwrap_or_else(|| arguments.raw().into()))
}
