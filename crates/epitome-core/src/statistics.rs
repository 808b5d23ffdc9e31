//! What compactions have saved so far (M16).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::edit::Edit;
use crate::model::{Block, Conversation, Message};
use crate::tokens::{Precision, TokenCounter, Tokens, message_tokens};

/// One compaction, as it is logged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompactionRecord {
    /// When, in milliseconds since 1970; given by the caller, as this crate has no clock.
    pub at_ms: u64,
    /// Tokens before.
    pub before: Tokens,
    /// Tokens after.
    pub after: Tokens,
    /// Messages before.
    pub messages_before: usize,
    /// Messages after.
    pub messages_after: usize,
    /// Messages that went into a summary or in which an output became shorter; `None` where an earlier version noted it.
    #[serde(default)]
    pub messages_compressed: Option<u64>,
}

/// Totals over compactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// How many.
    pub total_compressions: u64,
    /// Tokens before minus tokens after, summed.
    pub total_tokens_saved: Tokens,
    /// The mean of the ratios.
    pub average_compression_ratio: f64,
    /// Messages that went into a summary or in which an output became shorter, summed.
    #[serde(default)]
    pub messages_compressed: u64,
}

/// Tokens that each kind of edit saves in a conversation, by the kind's name; what an edit adds is negative.
pub fn saved_by_kind(
    conversation: &Conversation,
    edits: &[Edit],
    counter: &dyn TokenCounter,
) -> BTreeMap<&'static str, i64> {
    let signed = |Tokens(tokens)| i64::try_from(tokens).unwrap_or(i64::MAX);
    let text = |text: &str| signed(counter.estimate(text));
    let size = |message: &Message| signed(message_tokens(message, counter, Precision::Estimate));
    let result = |message: usize, block: usize| match conversation.messages.get(message)?.blocks.get(block)? {
        Block::ToolResult(result) => Some(text(&result.text())),
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Media(_) | Block::Opaque(_) => None,
    };
    let mut saved = BTreeMap::new();
    for edit in edits {
        let (kind, tokens) = match edit {
            Edit::ShortenOutput { message, block, text: digest } => {
                ("digests", result(*message, *block).unwrap_or_default() - text(digest))
            }
            Edit::Replace { start, end, with } => {
                let gone = conversation.messages.iter().take(*end).skip(*start).map(size).sum::<i64>();
                let put: i64 = with.iter().map(|inserted| text(&inserted.text)).sum();
                (if with.is_empty() { "dropped" } else { "summaries" }, gone - put)
            }
            Edit::RemoveResult { message, block } => ("repairs", result(*message, *block).unwrap_or_default()),
            Edit::NoteInSystem { text: added } | Edit::AnswerCall { text: added, .. } => ("repairs", -text(added)),
        };
        *saved.entry(kind).or_default() += tokens;
    }
    saved
}

/// How many messages edits compress: those that go, and those in which an output becomes shorter.
pub fn messages_compressed(edits: &[Edit]) -> u64 {
    let messages = edits.iter().flat_map(|edit| match edit {
        Edit::Replace { start, end, .. } => *start..*end,
        Edit::ShortenOutput { message, .. } => *message..*message + 1,
        Edit::NoteInSystem { .. } | Edit::AnswerCall { .. } | Edit::RemoveResult { .. } => 0..0,
    });
    messages.collect::<BTreeSet<usize>>().len() as u64
}

impl CompactionRecord {
    /// (before − after) / before; 0 for an empty request.
    pub fn ratio(&self) -> f64 {
        if self.before.0 == 0 { 0.0 } else { 1.0 - self.after.0 as f64 / self.before.0 as f64 }
    }

    /// How many messages were compressed; as many as there are fewer now, where that was not noted.
    pub fn compressed(&self) -> u64 {
        let fewer = self.messages_before.saturating_sub(self.messages_after) as u64;
        self.messages_compressed.unwrap_or(fewer)
    }
}

impl Statistics {
    /// Adds a compaction.
    pub fn add(&mut self, record: &CompactionRecord) {
        let sum = self.average_compression_ratio * self.total_compressions as f64 + record.ratio();
        self.total_compressions += 1;
        self.total_tokens_saved += record.before - record.after;
        self.average_compression_ratio = sum / self.total_compressions as f64;
        self.messages_compressed += record.compressed();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Inserted;
    use crate::model::Role;
    use crate::tokens::RoughCounter;

    #[test]
    fn what_is_saved_is_told_by_kind() {
        let words = "word ".repeat(400);
        let conversation = Conversation {
            messages: [Role::User, Role::Assistant, Role::User].map(|role| Message::text(role, &*words)).to_vec(),
            ..Conversation::default()
        };
        let summary = Inserted { role: Role::User, text: "in short".into() };
        let edits = [
            Edit::NoteInSystem { text: "a note".into() },
            Edit::Replace { start: 0, end: 1, with: vec![summary] },
            Edit::Replace { start: 1, end: 2, with: Vec::new() },
        ];
        let saved = saved_by_kind(&conversation, &edits, &RoughCounter);
        assert_eq!(saved.keys().copied().collect::<Vec<_>>(), ["dropped", "repairs", "summaries"]);
        assert!(saved["dropped"] > saved["summaries"] && saved["summaries"] > 0 && saved["repairs"] < 0, "{saved:?}");
    }

    #[test]
    fn messages_that_are_compressed_are_counted_once() {
        let edits = [
            Edit::NoteInSystem { text: "a note".into() },
            Edit::Replace { start: 2, end: 6, with: Vec::new() },
            Edit::ShortenOutput { message: 8, block: 0, text: "short".into() },
            Edit::ShortenOutput { message: 8, block: 1, text: "short".into() },
            Edit::AnswerCall { message: 9, block: 0, text: "none".into() },
        ];
        assert_eq!(messages_compressed(&edits), 5);
    }

    #[test]
    fn totals_are_those_of_the_chapter() {
        let mut statistics = Statistics::default();
        // The first as an earlier version noted it.
        for (before, after, messages_compressed) in [(100_000, 40_000, None), (80_000, 60_000, Some(7))] {
            let record = CompactionRecord {
                at_ms: 0,
                before: Tokens(before),
                after: Tokens(after),
                messages_before: 45,
                messages_after: 25,
                messages_compressed,
            };
            statistics.add(&record);
        }
        assert_eq!(statistics.total_compressions, 2);
        assert_eq!(statistics.total_tokens_saved, Tokens(80_000));
        assert!((statistics.average_compression_ratio - 0.425).abs() < 1e-9);
        assert_eq!(statistics.messages_compressed, 20 + 7);
    }
}
