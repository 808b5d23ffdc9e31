//! What an assistant said, rebuilt from its answer's bytes as they pass by: the elements that a client adds to its history.
//!
//! An answer is a stream of events or one piece of JSON. Strings are joined as they are spelled, and numbers are never
//! read, so that signatures, encrypted reasoning and arguments survive to the byte. What is not known is carried. Memory is
//! bounded: of an answer that is too large nothing is kept, and whoever asks for it is told so.
//!
//! One file a dialect; `growing` is what they build with.

mod anthropic_messages;
mod growing;
mod openai_chat;
mod openai_responses;

use crate::dialect::Dialect;
use crate::json::{Document, DuplicateKeys, Value};
use crate::sse::{Scanned, Scanner};

/// An event that is larger is not read.
pub const EVENT_BYTES: usize = 8 * 1024 * 1024;
/// An answer of which more is to be kept is not kept.
pub const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// What an assistant said: messages or items, each its JSON in the dialect of the answer. Empty if it said nothing.
pub type Answer = Vec<Vec<u8>>;

/// Why there is nothing to keep of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// The provider says itself that it failed.
    Failed,
    /// It broke off.
    Unfinished,
    /// More than [`ANSWER_BYTES`], or an event of more than [`EVENT_BYTES`].
    TooLarge,
    /// It is not as its dialect has it.
    Unreadable,
}

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
    /// Nothing can be kept of it.
    Lost(NoAnswer),
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
    /// The provider says that it failed.
    Failed,
    /// It makes no sense.
    Unreadable,
}

/// Whether an answer of this content type is a stream.
pub fn is_stream(content_type: &str) -> bool {
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
        let input = if stream { Input::Events(Scanner::new(EVENT_BYTES)) } else { Input::Whole(Vec::new()) };
        AnswerReader { said, input, kept: 0 }
    }

    /// The next bytes of the answer, decompressed.
    pub fn push(&mut self, bytes: &[u8]) {
        let AnswerReader { said, input, kept } = self;
        let mut lost = None;
        match input {
            Input::Events(scanner) => scanner.push(bytes, &mut |scanned| match scanned {
                Scanned::Event { name: _, data } if lost.is_none() => match said.hear(data) {
                    Heard::More(more) => {
                        *kept += more;
                        lost = (*kept > ANSWER_BYTES).then_some(NoAnswer::TooLarge);
                    }
                    Heard::Failed => lost = Some(NoAnswer::Failed),
                    Heard::Unreadable => lost = Some(NoAnswer::Unreadable),
                },
                Scanned::Event { .. } => {}
                Scanned::TooLarge => lost = Some(NoAnswer::TooLarge),
            }),
            Input::Whole(whole) if whole.len() + bytes.len() <= ANSWER_BYTES => whole.extend_from_slice(bytes),
            Input::Whole(_) => lost = Some(NoAnswer::TooLarge),
            Input::Lost(_) => {}
        }
        if let Some(why) = lost {
            *input = Input::Lost(why);
        }
    }

    /// Why nothing can be kept of the answer, as far as that is known by now.
    pub fn lost(&self) -> Option<NoAnswer> {
        match self.input {
            Input::Lost(why) => Some(why),
            Input::Events(_) | Input::Whole(_) => None,
        }
    }

    /// Whether a stream has said that it is over. Of an answer in one piece nobody knows before it has ended.
    pub fn has_ended(&self) -> bool {
        match &self.input {
            Input::Events(_) => self.said.has_ended(),
            Input::Whole(_) | Input::Lost(_) => false,
        }
    }

    /// What was said.
    pub fn finish(mut self) -> Result<Answer, NoAnswer> {
        if let Input::Events(_) = self.input {
            // A last event may lack the empty line behind it.
            self.push(b"\n\n");
        }
        match &self.input {
            Input::Events(_) if self.said.has_ended() => self.said.finish().ok_or(NoAnswer::Unreadable),
            Input::Events(_) => Err(NoAnswer::Unfinished),
            Input::Lost(why) => Err(*why),
            Input::Whole(whole) => {
                let text = std::str::from_utf8(whole).map_err(|_| NoAnswer::Unreadable)?;
                let document = Document::read(text, DuplicateKeys::Carry).map_err(|_| NoAnswer::Unreadable)?;
                let answer = document.single_root().ok_or(NoAnswer::Unreadable)?;
                // Some providers answer with a failure and the status 200.
                if answer.get("error").is_some_and(|error| !error.is_null()) {
                    return Err(NoAnswer::Failed);
                }
                self.said.whole(answer)
            }
        }
    }
}

impl Said {
    fn hear(&mut self, data: &[u8]) -> Heard {
        if data.trim_ascii() == b"[DONE]" {
            if let Said::Chat(choice) = self {
                choice.end();
            }
            return Heard::More(0);
        }
        // What is no JSON may be an event of a kind that is not known.
        let Ok(text) = std::str::from_utf8(data) else { return Heard::Unreadable };
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

    fn whole(&self, answer: Value<'_>) -> Result<Answer, NoAnswer> {
        match self {
            Said::Messages(_) => anthropic_messages::whole(answer).ok_or(NoAnswer::Unreadable),
            Said::Chat(_) => openai_chat::whole(answer).ok_or(NoAnswer::Unreadable),
            Said::Responses(_) => openai_responses::whole(answer),
        }
    }
}

#[cfg(test)]
mod tests;
