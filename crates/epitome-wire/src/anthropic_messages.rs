//! Anthropic's messages: a list of blocks each, tool results as blocks of the user message behind the calls.
//!
//! Each element of a content list is exactly one block, so positions of blocks are positions in the list.

use epitome_core::model::{Block, Message, ResultStyle, Role, ToolCall, ToolResult};

use crate::dialect::{self, NoteInString, Rules, Turns, opaque};
use crate::error::ReadError;
use crate::json::{Kind, Value};
use crate::media;
use crate::strings::write_string;

/// The dialect `anthropic`.
pub(crate) struct AnthropicMessages;

impl Rules for AnthropicMessages {
    fn list_key(&self) -> &'static str {
        "messages"
    }

    fn system_key(&self) -> Option<&'static str> {
        Some("system")
    }

    fn result_key(&self) -> &'static str {
        "content"
    }

    fn results(&self) -> ResultStyle {
        ResultStyle::NextUserMessage
    }

    fn turns(&self) -> Turns {
        Turns::OneElement
    }

    fn note_in_string(&self) -> NoteInString {
        NoteInString::AsPart
    }

    fn decode(&self, element: Value<'_>) -> Result<Message, ReadError> {
        if element.kind() != Kind::Object {
            return Err(ReadError::NotAMessage { found: element.description(), position: element.position() });
        }
        let role = element.get("role").and_then(Value::str);
        let role = role.ok_or_else(|| ReadError::NoRole { position: element.position() })?;
        let blocks = element.get("content").map(|content| self.content(content)).unwrap_or_default();
        Ok(match &*role {
            "assistant" => dialect::message(element, Role::Assistant, blocks),
            "user" => dialect::message(element, Role::User, blocks),
            role if dialect::instructs(role) => dialect::message(element, Role::System, blocks),
            role => dialect::message(element, Role::System, dialect::of_unknown_role(role, blocks)),
        })
    }

    fn content(&self, content: Value<'_>) -> Vec<Block> {
        dialect::content(content, block)
    }

    fn write_message(&self, out: &mut Vec<u8>, role: Role, text: &str) {
        out.extend_from_slice(match role {
            Role::System => br#"{"role":"system","content":["#,
            Role::User | Role::Tool => br#"{"role":"user","content":["#,
            Role::Assistant => br#"{"role":"assistant","content":["#,
        });
        self.write_system_part(out, text);
        out.extend_from_slice(b"]}");
    }

    fn write_answer(&self, out: &mut Vec<u8>, _element: Value<'_>, call: &ToolCall, text: &str) {
        out.extend_from_slice(br#"{"type":"tool_result","tool_use_id":"#);
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

/// Writes a user message of tool results, where there is none to put them into.
pub(crate) fn write_results_message(out: &mut Vec<u8>, results: &[Vec<u8>]) {
    out.extend_from_slice(br#"{"role":"user","content":["#);
    out.extend_from_slice(&results.join(&b","[..]));
    out.extend_from_slice(b"]}");
}

fn block(block: Value<'_>) -> Block {
    let text = |key| block.get(key).and_then(Value::text);
    let kind = block.get("type").and_then(Value::str);
    let found = match kind.as_deref() {
        Some("text") => text("text").map(Block::Text),
        Some("thinking") => text("thinking").map(Block::Thinking),
        // Encrypted: nobody here can read it, but it has a size.
        Some("redacted_thinking") => text("data").map(Block::Thinking),
        Some("tool_use") => tool_use(block),
        Some("tool_result") => tool_result(block),
        Some("image") => block.get("source").map(image),
        Some("document") => block.get("source").map(document),
        Some(_) | None => None,
    };
    found.unwrap_or_else(|| opaque(block))
}

fn tool_use(block: Value<'_>) -> Option<Block> {
    let arguments = block.get("input").map_or("{}", Value::raw).into();
    Some(Block::ToolCall(ToolCall { id: block.get("id")?.text()?, name: block.get("name")?.text()?, arguments }))
}

fn tool_result(result: Value<'_>) -> Option<Block> {
    let content = result.get("content").map(|content| dialect::content(content, self::result_part)).unwrap_or_default();
    let is_error = result.get("is_error").is_some_and(Value::is_true);
    Some(Block::ToolResult(ToolResult { call_id: result.get("tool_use_id")?.text()?, content, is_error }))
}

/// A part of a tool's result: no calls, results or thoughts.
fn result_part(part: Value<'_>) -> Block {
    let kind = part.get("type").and_then(Value::str);
    match kind.as_deref() {
        Some("text" | "image" | "document") => block(part),
        Some(_) | None => opaque(part),
    }
}

fn image(source: Value<'_>) -> Block {
    let data = source.get("data").and_then(Value::str);
    media::anthropic_image(data.as_deref())
}

fn document(source: Value<'_>) -> Block {
    let kind = source.get("type").and_then(Value::str);
    let data = source.get("data").and_then(Value::str);
    match (kind.as_deref(), data) {
        (Some("text"), Some(text)) => media::text_document(&text),
        (Some("content"), _) => media::text_document(source.get("content").map_or("", Value::raw)),
        (_, data) => media::document(data.as_deref()),
    }
}
