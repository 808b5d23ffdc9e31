//! What an assistant said, rebuilt from its answer's bytes as they pass by: the elements that a client adds to its history.
//!
//! An answer is a stream of events or one piece of JSON. Strings are joined as they are spelled, and numbers are never
//! read, so that signatures, encrypted reasoning and arguments survive to the byte. What is not known is carried. Memory is
//! bounded: of an answer that is too large nothing is kept.
//!
//! One file a dialect; `growing` is what they build with.

mod anthropic_messages;
mod growing;
mod openai_chat;
mod openai_responses;

use crate::dialect::Dialect;
use crate::json::{Document, DuplicateKeys, Value};
use crate::sse::{Scanned, Scanner};

/// An event, or an answer in one piece, that is larger is not read.
const PIECE_BYTES: usize = 8 * 1024 * 1024;
/// An answer of which more is to be kept is not kept.
const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// What an assistant said: messages or items, each its JSON in the dialect of the answer. Empty if it said nothing.
pub type Answer = Vec<Vec<u8>>;

/// Reads an answer's bytes. Splits anywhere give the same answer.
#[derive(Debug)]
pub struct AnswerReader {
    said: Said,
    input: Input,
    kept: usize,
}

/// How the answer comes.
#[derive(Debug)]
enum Input {
    Events(Scanner),
    Whole(Vec<u8>),
    /// Something was not as it should be, or too large. Nothing is said of it.
    Lost,
}

/// What was said so far.
#[derive(Debug)]
enum Said {
    Messages(anthropic_messages::Blocks),
    Chat(openai_chat::Choice),
    Responses(openai_responses::Items),
}

/// What an event means for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It goes on; so many bytes of the event were kept, about.
    More(usize),
    /// It is over, and has failed or makes no sense.
    Lost,
}

/// Whether an answer of this content type is a stream.
pub(crate) fn is_stream(content_type: &str) -> bool {
    const STREAM: &str = "text/event-stream";
    content_type.trim_start().get(..STREAM.len()).is_some_and(|kind| kind.eq_ignore_ascii_case(STREAM))
}

impl AnswerReader {
    /// For an answer of this content type: `text/event-stream` is a stream, anything else one piece.
    pub fn new(dialect: Dialect, content_type: &str) -> AnswerReader {
        let said = match dialect {
            Dialect::AnthropicMessages => Said::Messages(anthropic_messages::Blocks::default()),
            Dialect::OpenAiChat => Said::Chat(openai_chat::Choice::default()),
            Dialect::OpenAiResponses => Said::Responses(openai_responses::Items::default()),
        };
        let stream = is_stream(content_type);
        let input = if stream { Input::Events(Scanner::new(PIECE_BYTES)) } else { Input::Whole(Vec::new()) };
        AnswerReader { said, input, kept: 0 }
    }

    /// The next bytes of the answer, decompressed.
    pub fn push(&mut self, bytes: &[u8]) {
        let AnswerReader { said, input, kept } = self;
        let mut lost = false;
        match input {
            Input::Events(scanner) => scanner.push(bytes, &mut |scanned| match scanned {
                Scanned::Event { name: _, data } if !lost => match said.hear(data) {
                    Heard::More(more) => {
                        *kept += more;
                        lost |= *kept > ANSWER_BYTES;
                    }
                    Heard::Lost => lost = true,
                },
                Scanned::Event { .. } => {}
                Scanned::TooLarge => lost = true,
            }),
            Input::Whole(whole) if whole.len() + bytes.len() <= PIECE_BYTES => whole.extend_from_slice(bytes),
            Input::Whole(_) => lost = true,
            Input::Lost => {}
        }
        if lost {
            *input = Input::Lost;
        }
    }

    /// Whether a stream has said that it is over. Of an answer in one piece nobody knows before it has ended.
    pub fn has_ended(&self) -> bool {
        match &self.input {
            Input::Events(_) => self.said.has_ended(),
            Input::Whole(_) | Input::Lost => false,
        }
    }

    /// Whether the answer comes in one piece, so that a client can do nothing with a part of it.
    pub fn is_whole(&self) -> bool {
        matches!(self.input, Input::Whole(_))
    }

    /// What was said. `None`: the answer broke off, failed, was too large or was not understood.
    pub fn finish(mut self) -> Option<Answer> {
        if let Input::Events(_) = self.input {
            // A last event may lack the empty line behind it.
            self.push(b"\n\n");
        }
        match &self.input {
            Input::Events(_) if self.said.has_ended() => self.said.finish(),
            Input::Events(_) | Input::Lost => None,
            Input::Whole(whole) => {
                let text = std::str::from_utf8(whole).ok()?;
                let document = Document::read(text, DuplicateKeys::Carry).ok()?;
                self.said.whole(document.single_root()?)
            }
        }
    }
}

impl Said {
    fn hear(&mut self, data: &[u8]) -> Heard {
        if data.trim_ascii() == b"[DONE]" {
            return Heard::More(0);
        }
        // What is no JSON may be an event of a kind that is not known.
        let Ok(text) = std::str::from_utf8(data) else { return Heard::Lost };
        let Ok(document) = Document::read(text, DuplicateKeys::Carry) else { return Heard::More(0) };
        let Some(event) = document.single_root() else { return Heard::More(0) };
        match self {
            Said::Messages(blocks) => blocks.hear(event),
            Said::Chat(choice) => choice.hear(event),
            Said::Responses(items) => items.hear(event),
        }
    }

    fn has_ended(&self) -> bool {
        match self {
            Said::Messages(blocks) => blocks.has_ended(),
            Said::Chat(choice) => choice.has_ended(),
            Said::Responses(items) => items.has_ended(),
        }
    }

    fn finish(self) -> Option<Answer> {
        match self {
            Said::Messages(blocks) => blocks.finish(),
            Said::Chat(choice) => choice.finish(),
            Said::Responses(items) => items.finish(),
        }
    }

    fn whole(&self, answer: Value<'_>) -> Option<Answer> {
        match self {
            Said::Messages(_) => anthropic_messages::whole(answer),
            Said::Chat(_) => openai_chat::whole(answer),
            Said::Responses(_) => openai_responses::whole(answer),
        }
    }
}

#[cfg(test)]
mod tests;
