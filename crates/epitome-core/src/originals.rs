//! The originals that digests and summaries cite by the beginning of their hash, so that whoever keeps them can find them.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::edit::{Edit, Inserted};
use crate::model::{Block, Conversation, Message};
use crate::summary::{reference, references};

/// The texts that the edits of a conversation cite: outputs that became digests, and what excerpts are taken from.
pub fn cited<'a>(conversation: &'a Conversation, edits: &[Edit]) -> Vec<Cow<'a, str>> {
    let digested = edits.iter().filter_map(|edit| digested(conversation, edit));
    let replaced = edits.iter().filter_map(|edit| {
        let Edit::Replace { start, end, with } = edit else { return None };
        Some((conversation.messages.get(*start..*end).unwrap_or_default(), with))
    });
    let said = replaced.clone().flat_map(|(_, with)| with);
    let named: HashSet<&str> = said.flat_map(|Inserted { text, .. }| references(text)).collect();
    let gone = replaced.flat_map(|(messages, _)| messages);
    let is_named = |text: &Cow<'_, str>| named.contains(reference(text).as_str());
    digested.chain(gone.flat_map(texts).filter(is_named)).collect()
}

fn digested<'a>(conversation: &'a Conversation, edit: &Edit) -> Option<Cow<'a, str>> {
    let Edit::ShortenOutput { message, block, .. } = edit else { return None };
    match conversation.messages.get(*message)?.blocks.get(*block)? {
        Block::ToolResult(result) => Some(result.text()),
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Media(_) | Block::Opaque(_) => None,
    }
}

/// What excerpts can be taken from.
fn texts(message: &Message) -> impl Iterator<Item = Cow<'_, str>> {
    message.blocks.iter().filter_map(|block| match block {
        Block::Text(text) => Some(Cow::Borrowed(&**text)),
        Block::ToolCall(call) => Some(Cow::Borrowed(&*call.arguments)),
        Block::ToolResult(result) => Some(result.text()),
        Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => None,
    })
}
