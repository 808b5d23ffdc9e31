//! What the parts of a conversation weigh.

use super::{TokenCounter, Tokens};
use crate::model::{Block, Conversation, Message};

/// How a weight is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Counted.
    Exact,
    /// Estimated.
    Estimate,
}

/// What a message weighs.
pub fn message_tokens(message: &Message, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    message.blocks.iter().map(|block| block_tokens(block, counter, precision)).sum::<Tokens>() + Tokens(4)
}

/// What a conversation weighs.
pub fn conversation_tokens(conversation: &Conversation, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    let messages = conversation.messages.iter().map(|message| message_tokens(message, counter, precision));
    let system = conversation.system.iter().map(|block| block_tokens(block, counter, precision));
    let tools = conversation.tools.iter().map(|tool| text_tokens(&tool.text, counter, precision));
    messages.chain(system).chain(tools).sum()
}

fn block_tokens(block: &Block, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    match block {
        Block::Text(text) | Block::Thinking(text) => text_tokens(text, counter, precision),
        Block::ToolCall(call) => {
            text_tokens(&call.name, counter, precision) + text_tokens(&call.arguments, counter, precision) + Tokens(8)
        }
        Block::ToolResult(result) => {
            result.content.iter().map(|block| block_tokens(block, counter, precision)).sum::<Tokens>() + Tokens(4)
        }
        Block::Media(media) => Tokens(media.tokens),
        Block::Opaque(opaque) => text_tokens(&opaque.text, counter, precision),
    }
}

fn text_tokens(text: &str, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    match precision {
        Precision::Exact => counter.count(text),
        Precision::Estimate => counter.estimate(text),
    }
}
