//! The blocks of a request, as a provider's cache sees them: something that is the same as before, or not, and its size.

use epitome_core::model::{Block, Message, Role};
use epitome_core::tokens::{TOKENS_PER_MESSAGE, TokenCounter};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A block of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// What it weighs.
    pub tokens: u64,
    /// Changes with its bytes.
    pub key: u64,
    /// The message it is in, where every tool result is one.
    pub turn: usize,
    /// The message it is in, where results of one turn and what follows are one.
    pub merged: usize,
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// System prompt and tools.
    Prefix,
    /// Words of the person, or of the harness.
    User,
    /// Words of the model.
    Text,
    /// A call of a tool.
    Call,
    /// What the model thought: there, but of no weight here.
    Thinking,
    /// A tool's answer.
    Result,
    /// Ours, in the place of what went.
    Summary,
}

impl Kind {
    /// Whether the model said it.
    pub fn is_said_by_model(self) -> bool {
        match self {
            Kind::Text | Kind::Call | Kind::Thinking => true,
            Kind::Prefix | Kind::User | Kind::Result | Kind::Summary => false,
        }
    }

    /// Whether a provider takes a breakpoint on it.
    pub fn takes_breakpoint(self) -> bool {
        match self {
            Kind::Thinking => false,
            Kind::Prefix | Kind::User | Kind::Text | Kind::Call | Kind::Result | Kind::Summary => true,
        }
    }
}

impl Piece {
    /// From our tokens to the provider's. What is there weighs something.
    pub(crate) fn scale(&mut self, factor: f64) {
        if self.kind != Kind::Thinking {
            self.tokens = ((factor * self.tokens as f64).round() as u64).max(1);
        }
    }
}

/// A key for something that has no bytes of its own.
pub(crate) fn key_of(what: &str, number: u64) -> u64 {
    xxh3_64_with_seed(what.as_bytes(), number)
}

/// The blocks of a message, in the counter's tokens.
pub(crate) fn pieces_of(message: &Message, counter: &dyn TokenCounter) -> Vec<Piece> {
    let by_model = message.role == Role::Assistant;
    let markup = if by_model { 0 } else { TOKENS_PER_MESSAGE.0 };
    let mut pieces: Vec<Piece> = message.blocks.iter().map(|block| piece(block, by_model, markup, counter)).collect();
    if pieces.is_empty() {
        let kind = if by_model { Kind::Text } else { Kind::User };
        pieces.push(new(kind, markup.max(1), ""));
    }
    pieces
}

fn piece(block: &Block, by_model: bool, markup: u64, counter: &dyn TokenCounter) -> Piece {
    let words = if by_model { Kind::Text } else { Kind::User };
    match block {
        Block::Text(text) => new(words, counter.count(text).0 + markup, text),
        // It is sent, but what it weighs is in the growth of the prompt, and so in the factor.
        Block::Thinking(text) => new(Kind::Thinking, 0, text),
        Block::ToolCall(call) => {
            let said = format!("{} {}", call.name, call.arguments);
            new(Kind::Call, counter.count(&said).0, &said)
        }
        Block::ToolResult(result) => {
            let media = result.content.iter().map(media_tokens).sum::<u64>();
            let text = result.text();
            new(Kind::Result, counter.count(&text).0 + media + markup, &text)
        }
        Block::Media(media) => new(words, media.tokens + markup, &media.tokens.to_string()),
        Block::Opaque(opaque) => new(words, counter.count(&opaque.text).0 + markup, &opaque.text),
    }
}

fn media_tokens(block: &Block) -> u64 {
    match block {
        Block::Media(media) => media.tokens,
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Opaque(_) => 0,
    }
}

fn new(kind: Kind, tokens: u64, bytes: &str) -> Piece {
    Piece { kind, tokens, key: key_of(bytes, kind as u64), turn: 0, merged: 0 }
}
