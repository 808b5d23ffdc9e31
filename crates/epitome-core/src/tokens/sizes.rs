//! What each part of a conversation weighs, found once and used everywhere.

use super::{Precision, TokenCounter, Tokens, message_tokens, prefix_tokens};
use crate::edit::{Applied, Origin};
use crate::model::Conversation;

/// Sizes of a conversation's parts, estimated or counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// System prompt and tools outside the messages.
    pub prefix: Tokens,
    /// Each message.
    pub messages: Vec<Tokens>,
}

impl Sizes {
    /// Estimates every part.
    pub fn of(conversation: &Conversation, counter: &dyn TokenCounter) -> Sizes {
        Sizes::found(conversation, counter, Precision::Estimate)
    }

    /// Counts every part.
    pub fn counted(conversation: &Conversation, counter: &dyn TokenCounter) -> Sizes {
        Sizes::found(conversation, counter, Precision::Exact)
    }

    fn found(conversation: &Conversation, counter: &dyn TokenCounter, precision: Precision) -> Sizes {
        let size = |message| message_tokens(message, counter, precision);
        Sizes {
            prefix: prefix_tokens(conversation, counter, precision),
            messages: conversation.messages.iter().map(size).collect(),
        }
    }

    /// The whole.
    pub fn total(&self) -> Tokens {
        self.prefix + self.messages.iter().copied().sum()
    }

    /// The same, so that the whole is `total`.
    #[must_use]
    pub fn scaled_to(&self, total: Tokens) -> Sizes {
        let estimated = self.total();
        if estimated == total || estimated == Tokens(0) {
            return self.clone();
        }
        let factor = total.0 as f64 / estimated.0 as f64;
        let scale = |size: &Tokens| Tokens((size.0 as f64 * factor).round() as u64);
        Sizes { prefix: scale(&self.prefix), messages: self.messages.iter().map(scale).collect() }
    }

    /// The sizes after edits: only what they touched is estimated again.
    #[must_use]
    pub fn after(&self, applied: &Applied, counter: &dyn TokenCounter) -> Sizes {
        let conversation = applied.conversation();
        let size = |(message, origin): (_, &Origin)| {
            let known = match origin {
                Origin::Kept(index) => self.messages.get(*index).copied(),
                Origin::Changed(_) | Origin::Inserted | Origin::Answers(_) => None,
            };
            known.unwrap_or_else(|| message_tokens(message, counter, Precision::Estimate))
        };
        Sizes {
            prefix: prefix_tokens(conversation, counter, Precision::Estimate),
            messages: conversation.messages.iter().zip(applied.origins()).map(size).collect(),
        }
    }
}
