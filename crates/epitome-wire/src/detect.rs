//! Which dialect a request is in, as a function of the evidence in it.

use crate::dialect::Dialect;
use crate::json::{Kind, Value};

/// The dialect of a conversation: `envelope` is the object around it, if there is one.
///
/// Calls and results decide first, as no two dialects spell them alike; then the weaker signs. Without any, it is Chat,
/// which most servers speak.
pub(crate) fn detect<'doc>(envelope: Option<Value<'doc>>, elements: impl Iterator<Item = Value<'doc>>) -> Dialect {
    let mut strongest = envelope.map_or(Evidence::None, of_envelope);
    for element in elements {
        strongest = strongest.max(of_element(element));
        if strongest == Evidence::AnthropicCalls {
            break;
        }
    }
    match strongest {
        Evidence::AnthropicCalls | Evidence::Anthropic => Dialect::AnthropicMessages,
        Evidence::ChatCalls | Evidence::None => Dialect::OpenAiChat,
        Evidence::Responses => Dialect::OpenAiResponses,
    }
}

/// Whether the object around a conversation is that of a Responses request.
pub(crate) fn has_responses_list(envelope: Value<'_>) -> bool {
    envelope.get("input").is_some() && !envelope.get("messages").is_some_and(|list| list.kind() == Kind::Array)
}

/// Whether an object is a whole session, rather than a message or an item. (Items may have an `input`, too.)
pub(crate) fn is_session(object: Value<'_>) -> bool {
    let is_item = object.get("role").is_some() || object.get("type").is_some_and(|kind| kind.kind() == Kind::String);
    object.get("messages").is_some_and(|list| list.kind() == Kind::Array) || (object.get("input").is_some() && !is_item)
}

/// From weak to strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    None,
    /// Items with a type of their own.
    Responses,
    /// Blocks, and keys of the envelope, that only Anthropic has.
    Anthropic,
    /// `tool_calls` and their results.
    ChatCalls,
    /// `tool_use` and `tool_result` blocks.
    AnthropicCalls,
}

fn of_envelope(envelope: Value<'_>) -> Evidence {
    let mut tools = envelope.get("tools").into_iter().flat_map(Value::items);
    let anthropic_tools = tools.any(|tool| tool.get("input_schema").is_some());
    if anthropic_tools || envelope.get("system").is_some() || envelope.get("anthropic_version").is_some() {
        Evidence::Anthropic
    } else {
        Evidence::None
    }
}

fn of_element(element: Value<'_>) -> Evidence {
    let blocks = element.get("content").into_iter().flat_map(Value::items).map(of_block);
    let strongest_block = blocks.max().unwrap_or(Evidence::None);
    let role = element.get("role").and_then(Value::str);
    let is_list = |value: Value<'_>| value.kind() == Kind::Array;
    let calls = element.get("tool_calls").is_some_and(is_list)
        || element.get("function_call").is_some_and(|call| call.kind() == Kind::Object)
        || matches!(role.as_deref(), Some("tool" | "function"));
    let itself = if calls {
        Evidence::ChatCalls
    } else if element.get("type").and_then(Value::str).is_some_and(|kind| is_item(&kind)) {
        Evidence::Responses
    } else {
        Evidence::None
    };
    itself.max(strongest_block)
}

fn of_block(block: Value<'_>) -> Evidence {
    let kind = block.get("type").and_then(Value::str);
    match kind.as_deref() {
        Some("tool_use" | "tool_result" | "server_tool_use") => Evidence::AnthropicCalls,
        Some("thinking" | "redacted_thinking") => Evidence::Anthropic,
        Some("image" | "document") if block.get("source").is_some() => Evidence::Anthropic,
        // Chat's alone, where it may stand among items that look like those of Responses.
        Some("image_url") => Evidence::ChatCalls,
        Some(_) | None => Evidence::None,
    }
}

fn is_item(kind: &str) -> bool {
    kind.ends_with("_call")
        || kind.ends_with("_output")
        || matches!(kind, "message" | "reasoning" | "item_reference" | "compaction")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Document, DuplicateKeys};

    #[track_caller]
    fn check(list: &str, expected: Dialect) {
        let document = Document::read(list, DuplicateKeys::Refuse).unwrap();
        assert_eq!(detect(None, document.single_root().unwrap().items()), expected);
    }

    #[track_caller]
    fn check_envelope(envelope: &str, expected: Dialect) {
        let document = Document::read(envelope, DuplicateKeys::Refuse).unwrap();
        let envelope = document.single_root().unwrap();
        assert_eq!(detect(Some(envelope), envelope.get("messages").unwrap().items()), expected);
    }

    #[test]
    fn nothing_decisive_is_chat() {
        check("[]", Dialect::OpenAiChat);
        check(r#"[{"role":"system","content":"s"},{"role":"user","content":"u"}]"#, Dialect::OpenAiChat);
        check_envelope(r#"{"messages":[{"role":"user","content":[{"type":"text","text":"u"}]}]}"#, Dialect::OpenAiChat);
    }

    #[test]
    fn blocks_of_anthropic_win_over_a_system_role() {
        let block = |kind: &str| {
            format!(
                r#"[{{"role":"system","content":"s"}},{{"role":"user","content":[{{"type":"{kind}","source":{{}}}}]}}]"#
            )
        };
        for kind in ["tool_use", "tool_result", "thinking", "redacted_thinking", "image", "document"] {
            check(&block(kind), Dialect::AnthropicMessages);
        }
        check(r#"[{"type":"message","role":"assistant","content":[{"type":"tool_use"}]}]"#, Dialect::AnthropicMessages);
    }

    #[test]
    fn the_envelope_of_anthropic_is_known() {
        for key in [r#""system":"s""#, r#""anthropic_version":"v""#, r#""tools":[{"name":"t","input_schema":{}}]"#] {
            let messages = r#""messages":[{"role":"user","content":"u"}]"#;
            check_envelope(&format!("{{{key},{messages}}}"), Dialect::AnthropicMessages);
        }
    }

    #[test]
    fn calls_of_chat_win_over_the_envelope() {
        check_envelope(
            r#"{"system":"recorded","messages":[{"role":"tool","tool_call_id":"1","content":"x"}]}"#,
            Dialect::OpenAiChat,
        );
        check(
            r#"[{"role":"assistant","content":[{"type":"thinking"}],"tool_calls":[{"id":"1"}]}]"#,
            Dialect::OpenAiChat,
        );
    }

    #[test]
    fn items_are_responses() {
        for kind in ["function_call", "function_call_output", "reasoning", "message", "web_search_call"] {
            check(&format!(r#"[{{"role":"developer","content":"d"}},{{"type":"{kind}"}}]"#), Dialect::OpenAiResponses);
        }
    }
}
