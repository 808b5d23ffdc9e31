//! OpenAI's responses: a list of items, where reasoning, words and calls of one turn are items of their own.
//!
//! A run of the assistant's items is one message. Calls and outputs are known by their names' endings, so that the next
//! kind of tool is understood before we hear of it. Calls without a `call_id` ran at the provider and need no answer.

use std::sync::Arc;

use epitome_core::model::{Block, Message, ResultStyle, Role, ToolCall, ToolResult};

use crate::dialect::{self, NoteInString, Rules, Turns, opaque};
use crate::error::ReadError;
use crate::json::{Kind, Value};
use crate::media;
use crate::strings::write_string;

/// The dialect `responses`.
pub(crate) struct OpenAiResponses;

impl Rules for OpenAiResponses {
    fn list_key(&self) -> &'static str {
        "input"
    }

    fn system_key(&self) -> Option<&'static str> {
        Some("instructions")
    }

    fn result_key(&self) -> &'static str {
        "output"
    }

    fn results(&self) -> ResultStyle {
        ResultStyle::OwnMessage
    }

    fn turns(&self) -> Turns {
        Turns::AssistantRuns
    }

    fn note_in_string(&self) -> NoteInString {
        NoteInString::Inside
    }

    fn decode(&self, element: Value<'_>) -> Result<Message, ReadError> {
        if element.kind() != Kind::Object {
            return Err(ReadError::NotAMessage { found: element.description(), position: element.position() });
        }
        let kind = element.get("type").and_then(Value::str);
        let spelled = element.get("role").and_then(Value::str);
        let role = spelled.as_deref().map(|role| match role {
            "assistant" => Role::Assistant,
            "user" => Role::User,
            _ => Role::System,
        });
        let call_id = element.get("call_id").and_then(Value::text);
        let (role, blocks) = match (kind.as_deref(), role, call_id) {
            (None | Some("message"), Some(role), _) => {
                let said = element.get("content").map(|content| self.content(content)).unwrap_or_default();
                match spelled.as_deref() {
                    Some(spelled) if role == Role::System && !dialect::instructs(spelled) => {
                        (role, dialect::of_unknown_role(spelled, said))
                    }
                    _ => (role, said),
                }
            }
            (Some("reasoning"), _, _) => (Role::Assistant, vec![Block::Thinking(thoughts(element))]),
            (Some(kind), _, Some(id)) if kind.ends_with("_call") => {
                (Role::Assistant, vec![Block::ToolCall(tool_call(element, kind, id))])
            }
            (Some(kind), _, Some(call_id)) if kind.ends_with("_output") => {
                (Role::Tool, vec![Block::ToolResult(tool_result(element, call_id))])
            }
            (_, role, _) => (role.unwrap_or(Role::Assistant), vec![opaque(element)]),
        };
        Ok(dialect::message(element, role, blocks))
    }

    fn content(&self, content: Value<'_>) -> Vec<Block> {
        dialect::content(content, part)
    }

    fn write_message(&self, out: &mut Vec<u8>, role: Role, text: &str) {
        out.extend_from_slice(match role {
            Role::System => br#"{"type":"message","role":"system","content":[{"type":"input_text","text":"#,
            Role::User | Role::Tool => br#"{"type":"message","role":"user","content":[{"type":"input_text","text":"#,
            Role::Assistant => br#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"#,
        });
        write_string(out, text);
        out.extend_from_slice(b"}]}");
    }

    fn write_answer(&self, out: &mut Vec<u8>, element: Value<'_>, call: &ToolCall, text: &str) {
        let kind = element.get("type").and_then(Value::str);
        let kind = match kind.as_deref() {
            // The one output that is not named after its call.
            Some("tool_search_call") => "tool_search_output".to_owned(),
            Some(kind) => format!("{kind}_output"),
            None => "function_call_output".to_owned(),
        };
        out.extend_from_slice(br#"{"type":"#);
        write_string(out, &kind);
        out.extend_from_slice(br#","call_id":"#);
        write_string(out, &call.id);
        out.extend_from_slice(br#","output":"#);
        write_string(out, text);
        out.push(b'}');
    }

    fn write_system_part(&self, out: &mut Vec<u8>, text: &str) {
        out.extend_from_slice(br#"{"type":"input_text","text":"#);
        write_string(out, text);
        out.push(b'}');
    }
}

/// What can be read of a reasoning item. Nothing, when it is encrypted.
fn thoughts(item: Value<'_>) -> Arc<str> {
    let parts = ["summary", "content"].into_iter().filter_map(|key| item.get(key)).flat_map(Value::items);
    let texts: Vec<_> = parts.filter_map(|part| part.get("text")?.str()).collect();
    texts.join("\n").into()
}

fn tool_call(item: Value<'_>, kind: &str, id: Arc<str>) -> ToolCall {
    let name = item.get("name").and_then(Value::text).unwrap_or_else(|| kind.into());
    let arguments = ["arguments", "input", "action", "operation"].into_iter().find_map(|key| item.get(key));
    let text = |arguments: Value<'_>| arguments.text().unwrap_or_else(|| arguments.raw().into());
    ToolCall { id, name, arguments: arguments.map_or_else(|| "".into(), text) }
}

fn tool_result(item: Value<'_>, call_id: Arc<str>) -> ToolResult {
    // An output that keeps its content elsewhere is carried, and counted, whole.
    let content = item.get("output").map_or_else(|| vec![opaque(item)], |output| dialect::content(output, part));
    ToolResult { call_id, content, is_error: item.get("is_error").is_some_and(Value::is_true) }
}

fn part(part: Value<'_>) -> Block {
    let str = |key| part.get(key).and_then(Value::str);
    let text = |key| part.get(key).and_then(Value::text);
    let found = match str("type").as_deref() {
        Some("input_text" | "output_text" | "text" | "summary_text") => text("text").map(Block::Text),
        Some("refusal") => text("refusal").map(Block::Text),
        Some("input_image" | "computer_screenshot") => {
            Some(media::openai_image(str("image_url").as_deref(), str("detail").as_deref()))
        }
        Some("input_file") => Some(media::document(str("file_data").as_deref())),
        Some("input_audio") => Some(media::audio()),
        Some(_) | None => None,
    };
    found.unwrap_or_else(|| opaque(part))
}
