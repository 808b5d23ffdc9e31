//! What a client's history is called, message by message, so that edits made to its beginning are found again.
//!
//! The name depends on what was said alone. It is the same when a client moves its `cache_control` markers, spells a
//! string as a list of one text, drops thinking or reasoning, gives items other ids, or spells arguments otherwise.

use std::borrow::Cow;

use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::model::{Block, Message, Role, ToolResult};
use epitome_core::places::{Places, is_said};
use serde_json::Value as Json;

use crate::dialect::{Dialect, Turns};
use crate::json::{Document, Kind, Span, Value};
use crate::request::Request;

impl Request {
    /// The name of each beginning of the history: the first is of the first of `places`, the last of all of them.
    pub fn prefixes(&self, places: &Places) -> Vec<PrefixFingerprint> {
        let names = places.messages().iter().map(|message| self.name_of(*message));
        names
            .scan(PrefixFingerprint::EMPTY, |prefix, name| {
                *prefix = prefix.followed_by(name);
                Some(*prefix)
            })
            .collect()
    }

    fn name_of(&self, index: usize) -> ContentHash {
        match self.known_message(index) {
            Some(element) => *element.name.get_or_init(|| self.new_name_of(index)),
            None => self.new_name_of(index),
        }
    }

    fn new_name_of(&self, index: usize) -> ContentHash {
        let mut hasher = Hasher(blake3::Hasher::new());
        let Some(message) = self.conversation().messages.get(index) else { return hasher.finish() };
        hasher.tag(match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        });
        if message.blocks.iter().any(has_more_than_words) {
            for span in self.elements_of(index).into_iter().flatten().filter_map(|element| self.elements().get(element))
            {
                hasher.element(self.text(), *span, self.dialect());
            }
        }
        hasher.message(message);
        hasher.finish()
    }
}

/// Whether the model of the conversation does not hold everything: pictures, and what is unknown.
fn has_more_than_words(block: &Block) -> bool {
    match block {
        Block::Media(_) | Block::Opaque(_) => true,
        Block::ToolResult(result) => result.content.iter().any(has_more_than_words),
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) => false,
    }
}

struct Hasher(blake3::Hasher);

impl Hasher {
    fn finish(&self) -> ContentHash {
        ContentHash::from_bytes(*self.0.finalize().as_bytes())
    }

    /// A word of ours, and what follows is told apart from what stood before.
    fn tag(&mut self, tag: &str) {
        self.0.update(&[0xff]).update(tag.as_bytes()).update(&[0xff]);
    }

    fn text(&mut self, tag: &str, text: &str) {
        self.tag(tag);
        self.0.update(text.as_bytes());
    }

    fn message(&mut self, message: &Message) {
        message.blocks.iter().filter(|block| is_said(block)).for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text(text) => self.text("text", text),
            Block::ToolCall(call) => {
                self.text("call", &call.id);
                self.text("name", &call.name);
                self.arguments(&call.arguments);
            }
            Block::ToolResult(ToolResult { call_id, content, is_error }) => {
                self.text(if *is_error { "failed" } else { "result" }, call_id);
                content.iter().filter(|block| is_said(block)).for_each(|block| self.block(block));
            }
            // Their JSON was read.
            Block::Media(_) | Block::Opaque(_) | Block::Thinking(_) => self.tag("other"),
        }
    }

    fn arguments(&mut self, arguments: &str) {
        match serde_json::from_str::<Json>(arguments) {
            Ok(json) => self.json(&json),
            Err(_) => self.text("arguments", arguments),
        }
    }

    /// JSON as it means, not as it is spelled: keys in order, no blanks, one way to write a string. serde_json reads no more
    /// than 128 levels.
    fn json(&mut self, json: &Json) {
        match json {
            Json::Null => self.tag("null"),
            Json::Bool(value) => self.tag(if *value { "true" } else { "false" }),
            Json::Number(number) => self.text("number", &number.to_string()),
            Json::String(text) => self.text("string", text),
            Json::Array(items) => {
                self.tag("[");
                items.iter().for_each(|item| self.json(item));
                self.tag("]");
            }
            Json::Object(object) => {
                self.tag("{");
                let mut entries: Vec<_> = object.iter().collect();
                entries.sort_unstable_by_key(|(key, _)| *key);
                for (key, value) in entries {
                    self.text("key", key);
                    self.json(value);
                }
                self.tag("}");
            }
        }
    }

    /// An element of the client's list, for what the model of the conversation does not hold.
    fn element(&mut self, text: &str, span: Span, dialect: Dialect) {
        let Ok(document) = Document::read_value(text, span) else { return };
        let Some(element) = document.single_root() else { return };
        // Items of Responses have ids of their own, which change; elsewhere an id joins a call and its result.
        let items = dialect.rules().turns() == Turns::AssistantRuns;
        self.value(element, if items { &[MARKER, "id", "status"] } else { &[MARKER] });
    }

    /// A value but for some of its keys, and for markers deeper inside. Without recursion: no depth is too deep.
    fn value(&mut self, value: Value<'_>, but_for: &[&str]) {
        let mut open = vec![Step::Value(value, but_for)];
        while let Some(step) = open.pop() {
            let inside = open.len();
            match step {
                Step::End(bracket) => self.tag(bracket),
                Step::Entry(key, value) => {
                    self.text("key", &key);
                    open.push(Step::Value(value, &[MARKER]));
                }
                Step::Value(value, but_for) => match value.kind() {
                    Kind::Object if is_thinking(value) => {}
                    Kind::Object => {
                        self.tag("{");
                        let entries = value.entries().map(|(key, value)| (key.str().unwrap_or_default(), value));
                        let entries = entries.filter(|(key, _)| !but_for.contains(&&**key));
                        open.extend(entries.map(|(key, value)| Step::Entry(key, value)));
                        open.push(Step::End("}"));
                    }
                    Kind::Array => {
                        self.tag("[");
                        open.extend(value.items().map(|item| Step::Value(item, &[MARKER])));
                        open.push(Step::End("]"));
                    }
                    Kind::String => self.text("string", &value.str().unwrap_or_default()),
                    Kind::Number | Kind::Literal => self.text("value", value.raw()),
                },
            }
            // What comes first is taken first.
            if let Some(inside) = open.get_mut(inside..) {
                inside.reverse();
            }
        }
    }
}

/// A marker for the provider's cache: clients move it.
const MARKER: &str = "cache_control";

/// What is still to be hashed of a value.
enum Step<'value, 'keys> {
    /// All of it, but for these keys.
    Value(Value<'value>, &'keys [&'keys str]),
    Entry(Cow<'value, str>, Value<'value>),
    /// The bracket that closes it.
    End(&'static str),
}

fn is_thinking(object: Value<'_>) -> bool {
    let kind = object.get("type").and_then(Value::str);
    matches!(kind.as_deref(), Some("thinking" | "redacted_thinking" | "reasoning"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::DuplicateKeys;
    use crate::request::Format;

    fn prefixes(dialect: Dialect, body: &str) -> Vec<PrefixFingerprint> {
        let request = Request::read(body.into(), Format::Given(dialect), DuplicateKeys::Carry).unwrap();
        request.prefixes(&Places::of(request.conversation()))
    }

    #[track_caller]
    fn check_same(dialect: Dialect, one: &str, other: &str) {
        let [one, other] = [one, other].map(|messages| {
            let key = dialect.rules().list_key();
            prefixes(dialect, &format!(r#"{{"{key}":[{messages}]}}"#))
        });
        assert!(!one.is_empty());
        assert_eq!(one, other);
    }

    #[test]
    fn markers_and_shapes_do_not_matter() {
        check_same(
            Dialect::AnthropicMessages,
            r#"{"role":"user","content":"go"},{"role":"assistant","content":"gone"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]},
               {"content":[{"type":"text","text":"gone"}],"role":"assistant"}"#,
        );
        check_same(
            Dialect::OpenAiChat,
            r#"{"role":"system","content":"s"},{"role":"user","content":"go"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"g\u006f"}]}"#,
        );
    }

    #[test]
    fn thinking_and_the_spelling_of_arguments_do_not_matter() {
        check_same(
            Dialect::AnthropicMessages,
            r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},{"type":"tool_use","id":"1","name":"t","input":{"a":1,"b":[ 2 ]}}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"t","input":{"b":[2],"a":1}}]}"#,
        );
        check_same(
            Dialect::OpenAiResponses,
            r#"{"type":"reasoning","id":"rs_1","encrypted_content":"e"},{"type":"function_call","id":"fc_1","call_id":"1","name":"t","arguments":"{\"a\": 1}"}"#,
            r#"{"type":"function_call","id":"fc_2","status":"completed","call_id":"1","name":"t","arguments":"{\"a\":1}"}"#,
        );
    }

    #[test]
    fn ids_and_markers_of_unknown_things_do_not_matter_but_what_they_say_does() {
        let item = |id: &str, query: &str| {
            format!(r#"{{"type":"web_search_call","id":"{id}","status":"completed","action":{{"query":"{query}"}}}}"#)
        };
        check_same(Dialect::OpenAiResponses, &item("ws_1", "rust"), &item("ws_2", "rust"));
        let body = |item: &str| format!(r#"{{"input":[{item}]}}"#);
        let [one, other] = ["rust", "go"].map(|query| prefixes(Dialect::OpenAiResponses, &body(&item("ws", query))));
        assert_ne!(one, other);
    }

    #[test]
    fn pictures_are_told_apart() {
        let body = |data: &str| {
            format!(
                r#"{{"messages":[{{"role":"user","content":[{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}]}}]}}"#
            )
        };
        let [one, other] = ["AAAA", "AAAB"].map(|data| prefixes(Dialect::AnthropicMessages, &body(data)));
        assert_ne!(one, other);
    }

    #[test]
    fn words_results_and_their_order_matter() {
        let bodies = [
            r#"{"messages":[{"role":"user","content":"ab"},{"role":"assistant","content":"c"}]}"#,
            r#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"bc"}]}"#,
            r#"{"messages":[{"role":"assistant","content":"c"},{"role":"user","content":"ab"}]}"#,
            r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ab"}]},{"role":"assistant","content":"c"}]}"#,
            r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ab","is_error":true}]},{"role":"assistant","content":"c"}]}"#,
            r#"{"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"ab"}]},{"role":"assistant","content":"c"}]}"#,
        ];
        let names: std::collections::HashSet<_> =
            bodies.iter().map(|body| prefixes(Dialect::AnthropicMessages, body)[1]).collect();
        assert_eq!(names.len(), bodies.len());
    }
}
