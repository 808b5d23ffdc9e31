//! Anthropic's answers: blocks that begin, grow and end, told apart by their number.

use std::collections::BTreeMap;

use super::growing::{Growing, Object};
use super::{Answer, Heard};
use crate::json::{Document, DuplicateKeys, Value};

/// The blocks of a message so far.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: BTreeMap<u64, Block>,
    ended: bool,
}

#[derive(Debug)]
struct Block {
    fields: Object,
    /// The arguments of a call: JSON that comes as text.
    arguments: String,
}

impl Blocks {
    pub(crate) fn hear(&mut self, event: Value<'_>) -> Heard {
        let kind = event.get("type").and_then(Value::str).unwrap_or_default();
        let number = event.get("index").and_then(Value::unsigned);
        match (&*kind, number) {
            ("error", _) => return Heard::Failed,
            ("message_stop", _) => self.ended = true,
            ("content_block_start", Some(number)) => {
                let Some(block) = event.get("content_block") else { return Heard::Unreadable };
                let block_bytes = block.raw().len();
                self.blocks.insert(number, Block { fields: Object::of(block), arguments: String::new() });
                return Heard::More(block_bytes);
            }
            ("content_block_delta", Some(number)) => {
                let (Some(block), Some(delta)) = (self.blocks.get_mut(&number), event.get("delta")) else {
                    return Heard::Unreadable;
                };
                block.grow(delta);
                return Heard::More(delta.raw().len());
            }
            // Pings, ends of blocks, what the message costs, and what may come one day.
            (_, _) => {}
        }
        Heard::More(0)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn finish(self) -> Option<Answer> {
        let blocks: Option<Vec<Object>> = self.blocks.into_values().map(Block::finish).collect();
        Some(message(blocks?.iter().filter(|block| !is_empty_text(block)).map(Object::to_json)))
    }
}

impl Block {
    fn grow(&mut self, delta: Value<'_>) {
        let kind = delta.get("type").and_then(Value::str).unwrap_or_default();
        for (key, value) in delta.entries() {
            let key = key.str().unwrap_or_default();
            match (&*kind, &*key) {
                (_, "type") => {}
                ("input_json_delta", "partial_json") => self.arguments.push_str(&value.str().unwrap_or_default()),
                ("citations_delta", "citation") => self.fields.push("citations", value),
                // It comes whole, behind an empty one.
                ("signature_delta", "signature") => self.fields.set("signature", Growing::of(value)),
                (_, _) => self.fields.lengthen(&key, value),
            }
        }
    }

    /// `None`: the arguments broke off.
    fn finish(self) -> Option<Object> {
        let Block { mut fields, arguments } = self;
        if !arguments.trim().is_empty() {
            let document = Document::read(&arguments, DuplicateKeys::Carry).ok()?;
            document.single_root()?;
            fields.set("input", Growing::Fixed(arguments));
        }
        Some(fields)
    }
}

/// What an answer in one piece says.
pub(crate) fn whole(answer: Value<'_>) -> Option<Answer> {
    let content =
        answer.get("content").filter(|_| answer.get("role").is_some_and(|role| role.is_string("assistant")))?;
    let blocks = content.items().filter(|block| !is_empty_text(&Object::of(*block)));
    Some(message(blocks.map(|block| block.raw().as_bytes().to_vec())))
}

/// The provider refuses a text that is empty, though it may have said it itself.
fn is_empty_text(block: &Object) -> bool {
    block.says("type", "text") && block.get("text").is_none_or(Growing::is_empty)
}

fn message(blocks: impl Iterator<Item = Vec<u8>>) -> Answer {
    let blocks: Vec<Vec<u8>> = blocks.collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    vec![[br#"{"role":"assistant","content":["#, &blocks.join(&b","[..])[..], b"]}"].concat()]
}
