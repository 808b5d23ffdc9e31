//! The dialects we speak, and what each must tell us about itself.

use std::fmt;
use std::str::FromStr;

use epitome_core::model::{Block, Message, Opaque, ResultStyle, Role, ToolCall};

use crate::anthropic_messages::AnthropicMessages;
use crate::error::ReadError;
use crate::json::{Kind, Value};
use crate::openai_chat::OpenAiChat;
use crate::openai_responses::OpenAiResponses;

/// How a provider wants to be spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// OpenAI's chat completions, and the many servers that copy them: `openai`.
    OpenAiChat,
    /// Anthropic's messages: `anthropic`.
    AnthropicMessages,
    /// OpenAI's responses: `responses`.
    OpenAiResponses,
}

/// Not the name of a dialect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a dialect: openai, anthropic or responses is expected")]
pub struct NotADialect(String);

/// What a dialect tells us about itself. A new dialect is a file with an implementation, and a line in [`Dialect::rules`].
///
/// Every implementation reads back what it writes: [`Rules::decode`] of a written message is that message.
pub(crate) trait Rules {
    /// The key of the list of messages or items.
    fn list_key(&self) -> &'static str;

    /// The key of the system prompt, where it stands outside of the list.
    fn system_key(&self) -> Option<&'static str>;

    /// The key of a tool result's content, in the element or block that is the result.
    fn result_key(&self) -> &'static str;

    /// Where tool results stand.
    fn results(&self) -> ResultStyle;

    /// Whether each element of the list is a message.
    fn turns(&self) -> Turns;

    /// How a note gets into a system prompt that is a string, where nobody knows what the provider takes.
    fn note_in_string(&self) -> NoteInString;

    /// What one element of the list says.
    fn decode(&self, element: Value<'_>) -> Result<Message, ReadError>;

    /// What a content says: a string, a list of parts, or nothing.
    fn content(&self, content: Value<'_>) -> Vec<Block>;

    /// Writes a message of ours, which has one text.
    fn write_message(&self, out: &mut Vec<u8>, role: Role, text: &str);

    /// Writes the answer to `call`, which `element` holds: an element, or a block in [`ResultStyle::NextUserMessage`].
    fn write_answer(&self, out: &mut Vec<u8>, element: Value<'_>, call: &ToolCall, text: &str);

    /// Writes a text as a part of a system prompt.
    fn write_system_part(&self, out: &mut Vec<u8>, text: &str);
}

/// Whether each element of the list is a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turns {
    /// It is.
    OneElement,
    /// Neighbouring elements of the assistant are one message.
    AssistantRuns,
}

/// How a note gets into a system prompt that is a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteInString {
    /// At the end of the string: some servers take nothing else than a string here.
    Inside,
    /// The string becomes a list of two parts, so that the first part's bytes stay as they are for the cache. Where the
    /// dialect has no list it is put inside.
    AsPart,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 3] = [Dialect::OpenAiChat, Dialect::AnthropicMessages, Dialect::OpenAiResponses];

    pub(crate) fn rules(self) -> &'static dyn Rules {
        match self {
            Dialect::OpenAiChat => &OpenAiChat,
            Dialect::AnthropicMessages => &AnthropicMessages,
            Dialect::OpenAiResponses => &OpenAiResponses,
        }
    }

    /// How a text that a client writes is called, as JSON.
    pub(crate) fn text_type(self) -> &'static str {
        match self {
            Dialect::AnthropicMessages | Dialect::OpenAiChat => r#""text""#,
            Dialect::OpenAiResponses => r#""input_text""#,
        }
    }

    /// Whether the system prompt beside the messages may be a list: `instructions` is a string and nothing else.
    pub(crate) fn system_takes_parts(self) -> bool {
        self == Dialect::AnthropicMessages
    }

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::OpenAiChat => "openai",
            Dialect::AnthropicMessages => "anthropic",
            Dialect::OpenAiResponses => "responses",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Dialect {
    type Err = NotADialect;

    fn from_str(name: &str) -> Result<Dialect, NotADialect> {
        let found = Dialect::ALL.into_iter().find(|dialect| dialect.name() == name);
        found.ok_or_else(|| NotADialect(name.to_owned()))
    }
}

/// A message of these blocks, with what recordings note beside it.
pub(crate) fn message(element: Value<'_>, role: Role, mut blocks: Vec<Block>) -> Message {
    blocks.shrink_to_fit();
    Message {
        role,
        blocks,
        injected: element.get("meta").is_some_and(Value::is_true),
        reported_prompt_tokens: element.get("usage").and_then(prompt_tokens),
    }
}

/// Whether a role is that of instructions.
pub(crate) fn instructs(role: &str) -> bool {
    matches!(role, "system" | "developer")
}

/// What a message says whose role we do not know. It is taken for an instruction, and the block in front of it that we do
/// not know either keeps everybody from shortening or removing it.
pub(crate) fn of_unknown_role(role: &str, said: Vec<Block>) -> Vec<Block> {
    let unknown = Block::Opaque(Opaque { kind: role.into(), text: role.into() });
    std::iter::once(unknown).chain(said).collect()
}

/// Something we do not know, which is carried.
pub(crate) fn opaque(value: Value<'_>) -> Block {
    let kind = value.get("type").and_then(Value::text).unwrap_or_else(|| value.description().into());
    Block::Opaque(Opaque { kind, text: value.raw().into() })
}

/// What a content says that is a string, a list of parts, nothing, or something that we do not know.
///
/// An empty string says nothing: assistants that only call tools have it.
pub(crate) fn content(content: Value<'_>, part: impl Fn(Value<'_>) -> Block) -> Vec<Block> {
    match content.kind() {
        Kind::String => content.text().filter(|text| !text.is_empty()).map(Block::Text).into_iter().collect(),
        Kind::Array => content.items().map(part).collect(),
        Kind::Literal if content.is_null() => Vec::new(),
        Kind::Object | Kind::Number | Kind::Literal => vec![part(content)],
    }
}

/// The whole prompt of the call that `usage` is about, with what was read from and written to a cache.
fn prompt_tokens(usage: Value<'_>) -> Option<u64> {
    let tokens = |key: &str| usage.get(key).and_then(Value::unsigned);
    if let Some(all) = tokens("prompt_tokens") {
        return Some(all);
    }
    // Anthropic's names, and those of our recordings.
    const PARTS: [&str; 5] = [
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation_input_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
    ];
    let parts: Vec<u64> = PARTS.into_iter().filter_map(tokens).collect();
    let sum = parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part));
    Some(sum).filter(|sum| *sum > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dialect_is_known_by_the_name_it_gives() {
        for dialect in Dialect::ALL {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        assert_eq!("gemini".parse::<Dialect>(), Err(NotADialect("gemini".to_owned())));
    }
}
