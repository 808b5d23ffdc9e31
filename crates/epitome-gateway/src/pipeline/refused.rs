//! When the provider refuses what was done about a request's thinking: something else is done, and remembered.

use epitome_core::model::Conversation;
use epitome_core::statistics::CompactionRecord;
use epitome_core::tokens::Tokens;
use epitome_store::records::{CompactionLog, NewEntry, Original, Replay, Thinking};
use epitome_store::store::Appended;

use super::{Decided, Failure, Gateway, Weighed};
use crate::ledger::Replayed;
use crate::received::{Kind, Received};
use crate::removed::removed_messages;
use crate::thinking::{depth_of, instead_of, left_out_before};

impl Gateway {
    /// Makes the edits that the history had before, and does something else about its thinking, as the provider refused
    /// what was done. `None`: somebody else was faster.
    pub(super) async fn otherwise(
        &self,
        received: &Received,
        replayed: Replayed,
        weighed: &Weighed<'_>,
    ) -> Result<Option<Decided>, Failure> {
        let refused = replayed.thinking();
        let binding = self.binding(received, &replayed);
        let thinking = instead_of(refused, binding, received).ok_or(Failure::Bound)?;
        let replayed = replayed.with_thinking(received, thinking).ok_or(Failure::Bound)?;
        let decided = self.replayed_with(received, &replayed, weighed, thinking)?;
        let entry = replayed.entry.as_ref().filter(|_| received.kind == Kind::Turn);
        let Some(entry) = entry else { return Ok(Some(decided)) };
        let replay = Replay { thinking, ..Replay::clone(&entry.replay) };
        let depth = usize::try_from(entry.depth).unwrap_or(usize::MAX).max(depth_of(thinking));
        let anchor = depth.checked_sub(1).and_then(|last| received.prefixes.get(last)).ok_or(Failure::NoPlace)?;
        let new = NewEntry {
            session: replayed.session_of(received),
            anchor: *anchor,
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            parent: Some(entry.id),
            replay,
            log: refusal(replayed.conversation(received), weighed.weight.tokens),
            archives: false,
            removed: self.thoughts(received, refused, thinking),
            fulfils: None,
        };
        let stored = self.ledger_of(received).append(received, replayed.seen, new);
        Ok(match stored.await? {
            Appended::Stored(_) => Some(decided),
            Appended::Overtaken(_) => None,
        })
    }

    /// The messages that lose their thinking now, so that it can be found again.
    pub(super) fn thoughts(&self, received: &Received, before: Thinking, now: Thinking) -> Vec<Original> {
        match (now, self.0.setup.keep_originals) {
            (Thinking::AsItIs | Thinking::DropBlock, _) | (Thinking::StrippedBefore(_), false) => Vec::new(),
            (Thinking::StrippedBefore(_), true) => {
                let [before, now] = [before, now].map(|thinking| left_out_before(thinking, received));
                removed_messages(&received.own, received.own.thinking_messages(before..now))
            }
        }
    }
}

/// What is noted where nothing changes but what is done about thinking.
fn refusal(sent: &Conversation, tokens: Tokens) -> CompactionLog {
    CompactionLog {
        record: CompactionRecord {
            at_ms: crate::clock::now_ms(),
            before: tokens,
            after: tokens,
            messages_before: sent.messages.len(),
            messages_after: sent.messages.len(),
            messages_compressed: Some(0),
        },
        reason: "thinking refused".to_owned(),
        rungs: Vec::new(),
        author: None,
        stood_in: None,
        wait_ms: 0,
        saved_by: std::collections::BTreeMap::new(),
        compared: None,
    }
}
