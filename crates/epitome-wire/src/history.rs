//! A request that tells only what is new, and the history that was kept for it: the two become one whole request.

use crate::dialect::Dialect;
use crate::error::SpliceError;
use crate::json::{Document, DuplicateKeys, Kind, Value};
use crate::request::{Container, Request};
use crate::splice::{Change, Spliced, finish};

/// What marks a place for the provider's cache. A request has few, so that those of earlier requests are not kept.
const MARKER: &str = "cache_control";

impl Request {
    /// What it says besides its leading instructions, as a history keeps it: messages or items, each its JSON, without
    /// markers for the provider's cache.
    pub fn turns(&self) -> Vec<Vec<u8>> {
        let elements = self.elements().iter().skip(self.first_turn());
        elements.filter_map(|element| self.text().get(element.range())).map(kept).collect()
    }

    /// The request with a history before its own turns, behind its leading instructions. All else is as it was.
    pub fn behind(&self, history: &[Vec<u8>]) -> Result<Spliced, SpliceError> {
        let nowhere = SpliceError::NoPlaceForHistory;
        let first = *self.elements().get(self.first_turn()).ok_or(nowhere.clone())?;
        if self.container() != Container::Object {
            return Err(nowhere);
        }
        let mut changes = Vec::new();
        if !history.is_empty() {
            let range = first.range();
            let history = history.join(&b","[..]);
            let own = self.text().get(range.clone()).unwrap_or_default();
            changes.push(if own.starts_with('"') {
                // A whole conversation that is a text, as Responses allows it.
                Change { range, bytes: [b"[", &history[..], b",", &kept(own)[..], b"]"].concat() }
            } else {
                Change { range: range.start..range.start, bytes: [&history[..], b","].concat() }
            });
        }
        finish(self.bytes(), changes)
    }

    /// The index of the first element that is no leading instruction.
    fn first_turn(&self) -> usize {
        let leading = self.conversation().leading_system_messages();
        self.elements_of(leading).map_or(self.elements().len(), |elements| elements.start)
    }
}

/// An element of a list as a history keeps it.
fn kept(element: &str) -> Vec<u8> {
    if element.starts_with('"') {
        return [br#"{"type":"message","role":"user","content":"#, element.as_bytes(), b"}"].concat();
    }
    let without = without_markers(element).map(|spliced| spliced.bytes);
    without.unwrap_or_else(|| element.as_bytes().to_vec())
}

/// Markers stand in messages, in their blocks, and in the blocks of results; what a tool is given or says is not ours.
fn without_markers(element: &str) -> Option<Spliced> {
    let document = Document::read(element, DuplicateKeys::Carry).ok()?;
    let message = document.single_root()?;
    let mut marked = vec![message];
    for block in message.get("content").into_iter().flat_map(Value::items) {
        marked.push(block);
        marked.extend(block.get("content").into_iter().flat_map(Value::items));
    }
    let changes = marked.into_iter().filter_map(|object| without_entry(object, MARKER)).collect();
    finish(element.as_bytes(), changes).ok()
}

/// Takes an entry out of an object, with the comma that it has.
fn without_entry(object: Value<'_>, key: &str) -> Option<Change> {
    if object.kind() != Kind::Object {
        return None;
    }
    let entries: Vec<_> = object.entries().collect();
    let at = entries.iter().position(|(found, _)| found.is_string(key))?;
    let (name, value) = entries.get(at)?;
    let before = at.checked_sub(1).and_then(|before| entries.get(before));
    let range = match (before, entries.get(at + 1)) {
        (Some((_, before)), _) => before.span().range().end..value.span().range().end,
        (None, Some((next, _))) => name.span().range().start..next.span().range().start,
        (None, None) => name.span().range().start..value.span().range().end,
    };
    Some(Change { range, bytes: Vec::new() })
}

/// A request that holds these elements and nothing else, for reading what they say.
pub fn of_elements(dialect: Dialect, elements: &[Vec<u8>]) -> Vec<u8> {
    let key = dialect.rules().list_key();
    [b"{\"", key.as_bytes(), b"\":[", &elements.join(&b","[..])[..], b"]}"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::Format;

    #[track_caller]
    fn check(dialect: Dialect, body: &str, history: &[&str], expected: &str, turns: &[&str]) {
        let request = Request::read(body.into(), Format::Given(dialect), DuplicateKeys::Carry).unwrap();
        let history: Vec<Vec<u8>> = history.iter().map(|element| element.as_bytes().to_vec()).collect();
        let joined = request.behind(&history).unwrap();
        assert_eq!(String::from_utf8(joined.bytes).unwrap(), expected);
        let found: Vec<String> = request.turns().into_iter().map(|turn| String::from_utf8(turn).unwrap()).collect();
        assert_eq!(found, turns);
    }

    #[test]
    fn a_history_stands_before_what_is_new_and_behind_the_instructions() {
        check(
            Dialect::OpenAiChat,
            r#"{"model":"m","messages":[ {"role":"system","content":"s"}, {"role":"user","content":"new"} ],"x":1.0}"#,
            &[r#"{"role":"user","content":"old"}"#, r#"{"role":"assistant","content":"yes"}"#],
            r#"{"model":"m","messages":[ {"role":"system","content":"s"}, {"role":"user","content":"old"},{"role":"assistant","content":"yes"},{"role":"user","content":"new"} ],"x":1.0}"#,
            &[r#"{"role":"user","content":"new"}"#],
        );
        check(
            Dialect::AnthropicMessages,
            r#"{"system":"s","messages":[{"role":"user","content":"new"}]}"#,
            &[],
            r#"{"system":"s","messages":[{"role":"user","content":"new"}]}"#,
            &[r#"{"role":"user","content":"new"}"#],
        );
    }

    #[test]
    fn a_text_becomes_an_item_behind_a_history() {
        check(
            Dialect::OpenAiResponses,
            r#"{"input": "n\u0065w" }"#,
            &[r#"{"type":"message","role":"user","content":"old"}"#],
            r#"{"input": [{"type":"message","role":"user","content":"old"},{"type":"message","role":"user","content":"n\u0065w"}] }"#,
            &[r#"{"type":"message","role":"user","content":"n\u0065w"}"#],
        );
        check(
            Dialect::OpenAiResponses,
            r#"{"input":"a"}"#,
            &[],
            r#"{"input":"a"}"#,
            &[r#"{"type":"message","role":"user","content":"a"}"#],
        );
    }

    #[test]
    fn markers_are_not_kept_and_a_tools_words_are_not_touched() {
        let marked = r#"{"cache_control":{},"role":"user","content":[{"type":"tool_result","tool_use_id":"1","cache_control":{"type":"ephemeral"},"content":[{"type":"text","text":"\"cache_control\":1","cache_control":null}]},{"type":"tool_use","input":{"cache_control":1}}]}"#;
        let plain = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"\"cache_control\":1"}]},{"type":"tool_use","input":{"cache_control":1}}]}"#;
        let body = format!(r#"{{"messages":[{marked}]}}"#);
        check(Dialect::AnthropicMessages, &body, &[], &body, &[plain]);
    }

    #[test]
    fn without_anything_new_there_is_no_place() {
        for body in [r#"{"messages":[]}"#, r#"{"messages":[{"role":"system","content":"s"}]}"#] {
            let read = Request::read(body.into(), Format::Given(Dialect::OpenAiChat), DuplicateKeys::Carry).unwrap();
            assert_eq!(read.behind(&[b"{}".to_vec()]), Err(SpliceError::NoPlaceForHistory));
            assert!(read.turns().is_empty());
        }
    }
}
