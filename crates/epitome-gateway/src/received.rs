//! A request as it was understood: what it says, what its history is called, and what may be done with it.

use std::sync::Arc;

use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::live;
use epitome_core::model::{Block, Conversation, Role};
use epitome_core::places::Places;
use epitome_core::tokens::Tokens;
use epitome_store::records::{SessionId, Thinking, Wish};
use epitome_wire::{DuplicateKeys, Format, Known, Request, SpliceError};
use http::HeaderMap;

use crate::exchange::{Incoming, Purpose};
use crate::identity;
use crate::report::Reason;
use crate::thinking::left_out_before;

/// A request that was read.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) incoming: Incoming,
    /// As the client wrote it.
    pub(crate) own: Arc<Request>,
    /// What edits are put into: the same, perhaps without the thinking of older turns.
    pub(crate) request: Arc<Request>,
    pub(crate) places: Places,
    /// What each beginning of its history is called.
    pub(crate) prefixes: Vec<PrefixFingerprint>,
    pub(crate) session: SessionId,
    pub(crate) kind: Kind,
    /// A compaction that a person asked for, as far as it was looked for.
    pub(crate) wish: Option<Wish>,
    /// What must be sent now is smaller than what the provider has refused.
    pub(crate) limit: Option<Limit>,
}

/// What a provider has refused as too long.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limit {
    /// What of its window is left for the prompt.
    pub(crate) room: Tokens,
    /// What was refused, as we count it and not corrected.
    pub(crate) refused: Tokens,
}

/// A request that is sent as it came.
pub(crate) struct Unread {
    pub(crate) incoming: Box<Incoming>,
    pub(crate) reason: Reason,
}

impl Unread {
    fn new(incoming: Incoming, reason: Reason) -> Unread {
        Unread { incoming: Box::new(incoming), reason }
    }
}

/// What a request is to the session that it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Its next turn.
    Turn,
    /// A question about it: how large it is, or what to keep of it. It gets the edits that the session has, and new ones
    /// only if it would not fit; nothing is remembered of it.
    Aside,
}

impl Received {
    /// Understands a request, or says why it is sent as it came.
    pub(crate) fn read(incoming: Incoming, known: &Known) -> Result<Received, Unread> {
        let body = incoming.body.to_vec();
        let format = Format::Given(incoming.dialect);
        let Ok(request) = Request::read_again(body, format, DuplicateKeys::Carry, known) else {
            return Err(Unread::new(incoming, Reason::Unreadable));
        };
        if request.envelope().history_elsewhere.is_some() {
            return Err(Unread::new(incoming, Reason::ServerState));
        }
        let places = Places::of(request.conversation());
        let prefixes = request.prefixes(&places);
        let session = identity::session_of(&incoming.headers, request.envelope(), prefixes.first());
        let aside = incoming.purpose == Purpose::Count || asks_for_summary(&incoming.headers, request.conversation());
        let kind = if aside { Kind::Aside } else { Kind::Turn };
        let request = Arc::new(request);
        let own = request.clone();
        Ok(Received { incoming, own, request, places, prefixes, session, kind, wish: None, limit: None })
    }

    /// The request without the thinking that is to be left out; `None`: none is. Its places and its names are the same, as
    /// thinking is not in them.
    pub(crate) fn with_thinking(&self, thinking: Thinking) -> Result<Option<Received>, SpliceError> {
        let before = left_out_before(thinking, self);
        if self.own.thinking_messages(0..before).next().is_none() {
            return Ok(None);
        }
        let bytes = self.own.without_thinking_before(before)?.bytes;
        let read = Request::read(bytes, Format::Given(self.own.dialect()), DuplicateKeys::Carry);
        let request = Arc::new(read.map_err(|_| SpliceError::AnotherConversation)?);
        Ok(Some(Received { request, ..self.clone() }))
    }

    /// Where in the client's messages a place of the ledger is; behind the last, if there are not so many.
    pub(crate) fn message_at(&self, place: u32) -> usize {
        let message = usize::try_from(place).ok().and_then(|place| self.places.messages().get(place));
        message.copied().unwrap_or(self.own.conversation().messages.len())
    }

    pub(crate) fn conversation(&self) -> &Conversation {
        self.request.conversation()
    }

    pub(crate) fn model(&self) -> &str {
        self.request.model().unwrap_or_default()
    }
}

/// How agents begin when they ask the model to summarise the whole session, so that they can go on from that.
const SUMMARY_WISHES: &[&str] = &[
    "you are performing a context checkpoint compaction",
    "respond with text only",
    "your task is to create a detailed summary of the conversation",
];

/// Of a request's newest words, where such a wish stands: at its beginning or at its end.
const LOOKED_AT: usize = 2_000;

/// Whether the client compacts its own history with this request (Claude Code's `/compact`, Codex's).
fn asks_for_summary(headers: &HeaderMap, conversation: &Conversation) -> bool {
    let turn = headers.get("x-codex-turn-metadata").and_then(|value| value.to_str().ok());
    if turn.is_some_and(|turn| turn.contains("\"request_kind\":\"compaction\"")) {
        return true;
    }
    let newest = conversation.messages.iter().rfind(|message| !live::is_instruction(message));
    let newest = newest.filter(|newest| newest.role == Role::User);
    let Some(words) = newest.and_then(|newest| newest.blocks.iter().rev().find_map(Block::as_text)) else {
        return false;
    };
    let lower: String = words.chars().take(LOOKED_AT).collect::<String>().to_lowercase();
    SUMMARY_WISHES.iter().any(|wish| lower.contains(wish))
}

#[cfg(test)]
mod tests {
    use epitome_core::model::Message;

    use super::*;

    fn conversation(newest: &str) -> Conversation {
        Conversation { messages: vec![Message::text(Role::User, newest)], ..Conversation::default() }
    }

    #[test]
    fn an_agents_own_compaction_is_known() {
        let headers = HeaderMap::new();
        for wish in [
            "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary",
            "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is …",
        ] {
            assert!(asks_for_summary(&headers, &conversation(wish)), "{wish}");
        }
        assert!(!asks_for_summary(&headers, &conversation("Summarise the file README.md")));
        let told = [("x-codex-turn-metadata", r#"{"request_kind":"compaction"}"#)];
        let headers = told.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        assert!(asks_for_summary(&headers, &conversation("go on")));
    }
}
