//! The JSON reader accepts and refuses what serde_json does, and finds the same parts.
//!
//! The documented differences: a byte order mark is skipped, values may stand on lines of their own, and half a surrogate
//! pair is accepted.

use std::collections::HashSet;
use std::fmt;

use epitome_core::model::Block;
use epitome_wire::{Dialect, DuplicateKeys, Format, ReadError, Request};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

pub fn check_json(bytes: &[u8]) {
    let ours = read(bytes.to_vec(), DuplicateKeys::Carry);
    let theirs = std::str::from_utf8(bytes).is_ok_and(is_json);
    let accepted = !matches!(ours, Err(ReadError::Json(_) | ReadError::NotUtf8 { .. }));
    assert_eq!(accepted, theirs, "{ours:?}");
    if let Some(position) = ours.as_ref().err().and_then(ReadError::position) {
        assert!(position.offset <= bytes.len() && position.line > 0 && position.column > 0, "{position:?}");
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if text.starts_with('\u{feff}') {
        return;
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        check_parts(text, &value);
    }
    if let Ok(keys) = serde_json::from_str::<Keys>(text) {
        let refused = matches!(read(bytes.to_vec(), DuplicateKeys::Refuse), Err(ReadError::DuplicateKey { .. }));
        assert_eq!(refused, keys.twice, "a key that stands twice");
    }
}

fn read(bytes: Vec<u8>, duplicates: DuplicateKeys) -> Result<Request, ReadError> {
    Request::read(bytes, Format::Given(Dialect::OpenAiChat), duplicates)
}

/// Whether serde_json reads values that are parted by line breaks, and one at least.
fn is_json(text: &str) -> bool {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    // Skipping values, serde_json accepts half surrogate pairs, numbers of any size and any depth, as we do.
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let mut end = None;
    while let Some(value) = values.next() {
        if value.is_err() {
            return false;
        }
        let behind = values.byte_offset();
        if let Some(before) = end {
            let space = text[before..].bytes().take_while(|byte| b" \t\r\n".contains(byte)).collect::<Vec<_>>();
            if !space.contains(&b'\n') {
                return false;
            }
        }
        end = Some(behind);
    }
    end.is_some()
}

/// Reads a value as the content of a message, and compares what can be seen of it.
fn check_parts(text: &str, value: &Value) {
    let request = format!("{{\"model\":{text},\"messages\":[{{\"role\":\"user\",\"content\":{text}}}]}}");
    let request = read(request.into_bytes(), DuplicateKeys::Carry).expect("JSON in JSON is JSON");
    assert_eq!(request.model(), value.as_str());
    let [message] = &request.conversation().messages[..] else { panic!("one message was written") };
    let block = |value: &Value, block: &Block| match (value, block) {
        (Value::String(expected), Block::Text(found)) => assert_eq!(**found, **expected),
        (_, Block::Opaque(opaque)) => {
            assert_eq!(serde_json::from_str::<Value>(&opaque.text).ok().as_ref(), Some(value));
        }
        // What a part means is the dialects' matter.
        (value, _) => assert!(value.is_object(), "{value}"),
    };
    match value {
        Value::Null => assert_eq!(message.blocks, []),
        Value::String(empty) if empty.is_empty() => assert_eq!(message.blocks, []),
        Value::Array(values) => {
            assert_eq!(message.blocks.len(), values.len());
            values.iter().zip(&message.blocks).for_each(|(value, found)| block(value, found));
        }
        Value::String(_) | Value::Object(_) | Value::Number(_) | Value::Bool(_) => {
            let [found] = &message.blocks[..] else { panic!("one part was written") };
            block(value, found);
        }
    }
}

/// Whether a key stands twice in an object, at any depth.
struct Keys {
    twice: bool,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Keys, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
        Ok(Keys { twice: false })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Keys, A::Error> {
        let mut twice = false;
        while let Some(keys) = items.next_element::<Keys>()? {
            twice |= keys.twice;
        }
        Ok(Keys { twice })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Keys, A::Error> {
        let (mut twice, mut seen) = (false, HashSet::new());
        while let Some((key, value)) = entries.next_entry::<String, Keys>()? {
            twice |= value.twice | !seen.insert(key);
        }
        Ok(Keys { twice })
    }
}
