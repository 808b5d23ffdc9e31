//! What a compaction would leave, by sizes alone: asked at every call where prices decide when it is made.

use super::{Draft, Middle};
use crate::budget::Outputs;
use crate::cost::trigger::{Outcome, Outlook};
use crate::edit::{has_note, takes_note};
use crate::model::{Block, Message, ToolResult};
use crate::outputs::{CLEAR_ABOVE_CHARS, CLEARED, DIGEST_ABOVE, Room, ToolOutput};
use crate::summary::NOTE;
use crate::tokens::Tokens;

/// An output that is not worth a digest becomes a line of about this many tokens: the call, its outcome, its size.
const ONE_LINE: Tokens = Tokens(40);

/// A summary that saves less is not written, whatever it costs.
const WORTH_A_SUMMARY: Tokens = Tokens(1_000);

impl Draft<'_> {
    /// What shortening every old output would leave, and what a summary of the middle would.
    pub(super) fn outlook(mut self, outputs: Outputs) -> Outlook {
        let size = self.size();
        let trimmed = self.trimmed(outputs, size);
        let saves = |outcome: &Outcome| outcome.size + WORTH_A_SUMMARY <= size;
        let summarized = self.order_summary(self.tail_start).then(|| self.summarized()).flatten().filter(saves);
        Outlook { trimmed, summarized }
    }

    fn trimmed(&self, outputs: Outputs, size: Tokens) -> Option<Outcome> {
        let placeholder = self.counter.estimate(CLEARED);
        let left_of = |tokens: Tokens| match outputs {
            Outputs::Clear => placeholder,
            Outputs::Digest if tokens > DIGEST_ABOVE => Room::usual(tokens).tokens(),
            Outputs::Digest => ONE_LINE,
        };
        let mut first = None;
        let mut saved = Tokens(0);
        for (index, message) in self.zones.conversation.messages.iter().enumerate().take(self.tail_start) {
            let bytes: usize = message.blocks.iter().map(bytes_of).sum();
            for result in results_to_shorten(message) {
                let share = bytes_of_result(result) as f64 / bytes.max(1) as f64;
                let tokens = self.zones.size(index).share(share);
                let left = left_of(tokens);
                // A line that quotes an error is longer than most.
                if tokens > left + ONE_LINE {
                    first.get_or_insert(index);
                    saved += tokens - left;
                }
            }
        }
        let kept = self.zones.fixed + self.zones.weight(0, first?);
        Some(Outcome { size: size - saved, kept, written: Tokens(0) })
    }

    /// What the summary that was just ordered leads to.
    fn summarized(&self) -> Option<Outcome> {
        let Middle::Summarized { budget, .. } = self.middle else { return None };
        let conversation = self.zones.conversation;
        // The note about the first compaction stands behind the system prompt, and what follows it moves.
        let notes = takes_note(conversation) && !has_note(conversation, NOTE);
        let unmoved = if notes { conversation.leading_system_messages() } else { self.spans.first()?.0 };
        let kept = self.zones.fixed + self.zones.weight(0, unmoved);
        Some(Outcome { size: self.size(), kept, written: budget })
    }
}

/// The results of a message that are long enough, and whole.
fn results_to_shorten(message: &Message) -> impl Iterator<Item = &ToolResult> {
    message.results().filter(|result| {
        let output = ToolOutput::new(None, result);
        // No character has more than four bytes.
        let long = output.text.len() > 4 * CLEAR_ABOVE_CHARS || output.text.chars().count() > CLEAR_ABOVE_CHARS;
        long && !output.is_shortened()
    })
}

fn bytes_of(block: &Block) -> usize {
    match block {
        Block::Text(text) | Block::Thinking(text) => text.len(),
        Block::ToolCall(call) => call.name.len() + call.arguments.len(),
        Block::ToolResult(result) => bytes_of_result(result),
        // About as many bytes as a text of its weight has.
        Block::Media(media) => 4 * media.tokens as usize,
        Block::Opaque(opaque) => opaque.text.len(),
    }
}

fn bytes_of_result(result: &ToolResult) -> usize {
    result.content.iter().map(bytes_of).sum()
}
