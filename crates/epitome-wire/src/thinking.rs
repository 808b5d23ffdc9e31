//! Thinking that a provider binds to what stands before it: whose it is, what the provider can be asked to do about it,
//! and how it is left out.
//!
//! The models of [`binds_thinking`] sign each thinking block together with the prompt that it was made for. Where
//! something before it was edited the provider refuses the request, unless it is asked to leave such blocks out itself,
//! or they are left out of turns that are finished. Of the dialects, Messages alone has errors about it.

use epitome_core::edit::Applied;
use epitome_core::model::{Block, Role};

use crate::dialect::{Dialect, NoteInString, Rules};
use crate::error::SpliceError;
use crate::json::{Document, Kind, Span, Value};
use crate::request::Request;
use crate::splice::{Change, Spliced, Splicer, finish, json_string};

/// What must stand in `anthropic-beta` for [`Ask::DropBlock`] to be understood.
pub const DROP_BLOCK_BETA: &str = "thinking-binding-controls-2026-08-01";

/// The models that bind thinking: families, each from a version on.
const BINDING: [(&str, (u32, u32)); 5] =
    [("opus", (5, 5)), ("sonnet", (5, 5)), ("haiku", (5, 5)), ("fable", (5, 1)), ("mythos", (5, 1))];

/// What the object `thinking` says about blocks that no longer fit.
const BINDING_KEY: &str = "block_binding";
const BEHAVIOR_KEY: &str = "prefix_mismatch_behavior";
const DROP_BLOCK: &str = "drop_block";

/// What a message that was nothing but thinking says without it: providers accept no empty ones.
const LEFT_OUT: &str = "(thinking left out)";

/// What the provider is asked to do about thinking that no longer fits what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Nothing.
    Nothing,
    /// To leave it out (`thinking.block_binding.prefix_mismatch_behavior`). A request that has no place for that, or
    /// says something about it itself, is not changed.
    DropBlock,
}

/// What a request itself says about its thinking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnThinking {
    /// It wants none: nobody misses the blocks of earlier turns, and there is no place to ask for anything.
    Off,
    /// Thinking is on, and nothing is said about blocks that do not fit.
    On,
    /// They are to be left out.
    Drops,
    /// Something else is to be done about them.
    Insists,
}

/// Whether a model binds its thinking to what stands before it, whoever offers it under whatever name.
pub fn binds_thinking(model: &str) -> bool {
    let model = model.to_ascii_lowercase();
    BINDING.iter().any(|(family, since)| {
        let behind = model.find(family).and_then(|at| model.get(at + family.len()..));
        behind.and_then(version).is_some_and(|version| version >= *since)
    })
}

/// Whether a model may come to bind its thinking: its provider does so by model and by account, and both lists grow.
pub fn may_bind_thinking(model: &str) -> bool {
    model.to_ascii_lowercase().contains("claude") || binds_thinking(model)
}

/// The version that a name goes on with: `-5-5-20260901`, `-5.1`, `-6`. A date is none.
fn version(name: &str) -> Option<(u32, u32)> {
    let mut numbers = name.strip_prefix(['-', '.', ' '])?.split(['-', '.', '@', ':', '/', ' ']);
    let number = |part: Option<&str>| part.filter(|digits| digits.len() <= 2)?.parse().ok();
    Some((number(numbers.next())?, number(numbers.next()).unwrap_or(0)))
}

impl Request {
    /// What it says about its thinking.
    pub fn own_thinking(&self) -> OwnThinking {
        let own = self.thinking_object(|thinking| {
            let is_off = thinking.get("type").is_none_or(|kind| kind.is_string("disabled"));
            let behavior = thinking.get(BINDING_KEY).filter(|binding| !binding.is_null());
            let behavior = behavior.and_then(|binding| binding.get(BEHAVIOR_KEY));
            match behavior {
                _ if is_off => OwnThinking::Off,
                None => OwnThinking::On,
                Some(behavior) if behavior.is_string(DROP_BLOCK) => OwnThinking::Drops,
                Some(_) => OwnThinking::Insists,
            }
        });
        own.unwrap_or(OwnThinking::Off)
    }

    /// As [`Request::splice`] for a provider of which is known how a note gets into a string, and asks it for something
    /// besides.
    pub fn splice_asking(&self, applied: &Applied, note: NoteInString, ask: Ask) -> Result<Spliced, SpliceError> {
        let asked = match (ask, self.own_thinking()) {
            (Ask::DropBlock, OwnThinking::On) => self.thinking_object(drop_block).flatten(),
            (Ask::DropBlock, OwnThinking::Off | OwnThinking::Drops | OwnThinking::Insists) | (Ask::Nothing, _) => None,
        };
        self.splice_with(applied, note, asked.into_iter().collect())
    }

    /// Whether a message of its history holds thinking.
    pub fn has_thinking(&self) -> bool {
        self.thinking_messages(0..self.conversation().messages.len()).next().is_some()
    }

    /// The messages of a stretch that hold thinking.
    pub fn thinking_messages(&self, stretch: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
        let messages = self.conversation().messages.iter().enumerate().take(stretch.end).skip(stretch.start);
        let thinks = |block: &Block| matches!(block, Block::Thinking(_));
        let assistants = messages.filter(|(_, message)| message.role == Role::Assistant);
        assistants.filter(move |(_, message)| message.blocks.iter().any(thinks)).map(|(index, _)| index)
    }

    /// The request without the thinking of the messages before `message`. All else is as it was, to the byte.
    ///
    /// In the other dialects nothing is bound, and nothing is left out.
    pub fn without_thinking_before(&self, message: usize) -> Result<Spliced, SpliceError> {
        let rules = self.dialect().rules();
        let mut splicer = Splicer { request: self, rules, note: rules.note_in_string(), changes: Vec::new() };
        let bound = self.dialect() == Dialect::AnthropicMessages;
        for index in self.thinking_messages(0..if bound { message } else { 0 }) {
            splicer.leave_out_thinking(index, rules)?;
        }
        finish(self.bytes(), splicer.changes)
    }

    fn thinking_object<T>(&self, look: impl FnOnce(Value<'_>) -> T) -> Option<T> {
        let document = Document::read_value(self.text(), self.thinking_span()?).ok()?;
        let thinking = document.single_root()?;
        (thinking.kind() == Kind::Object).then(|| look(thinking))
    }
}

impl Splicer<'_> {
    fn leave_out_thinking(&mut self, message: usize, rules: &dyn Rules) -> Result<(), SpliceError> {
        let unlocated = || SpliceError::Unlocated { message };
        let document = self.document(self.only_element(message)?, message)?;
        let content = document.single_root().and_then(|element| element.get("content"));
        let list = content.filter(|content| content.kind() == Kind::Array).ok_or_else(unlocated)?;
        let blocks = self.request.conversation().messages.get(message).ok_or_else(unlocated)?.blocks.iter().enumerate();
        let thoughts = blocks.filter(|(_, block)| matches!(block, Block::Thinking(_)));
        let thoughts: Vec<usize> = thoughts.map(|(index, _)| index).collect();
        let spans: Vec<Span> = list.items().map(Value::span).collect();
        let mut instead = Vec::new();
        if thoughts.len() == spans.len() {
            let mut part = Vec::new();
            rules.write_system_part(&mut part, LEFT_OUT);
            instead.push(part);
        }
        self.change_list(list, &spans, &thoughts, &instead);
        Ok(())
    }
}

/// What makes a `thinking` object ask for [`Ask::DropBlock`]; `None`: it has an answer of its own.
fn drop_block(thinking: Value<'_>) -> Option<Change> {
    let behavior = [&json_string(BEHAVIOR_KEY)[..], b":", &json_string(DROP_BLOCK)].concat();
    let binding = [b"{", &behavior[..], b"}"].concat();
    match thinking.get(BINDING_KEY) {
        None => Some(added(thinking, [&json_string(BINDING_KEY)[..], b":", &binding].concat())),
        Some(own) if own.is_null() => Some(Change { range: own.span().range(), bytes: binding }),
        Some(own) if own.kind() == Kind::Object && own.get(BEHAVIOR_KEY).is_none() => Some(added(own, behavior)),
        Some(_) => None,
    }
}

/// One more entry of an object, behind the others.
fn added(object: Value<'_>, entry: Vec<u8>) -> Change {
    match object.entries().last() {
        Some((_, last)) => {
            let end = last.span().range().end;
            Change { range: end..end, bytes: [b",", &entry[..]].concat() }
        }
        None => {
            let inside = object.span().range().start + 1;
            Change { range: inside..inside, bytes: entry }
        }
    }
}

#[cfg(test)]
mod tests;
