//! Where a conversation's tokens are: so many in tool results, so many in thinking.

use super::{TokenCounter, Tokens, memory};
use crate::model::{Block, Conversation, Message, Opaque, Role, ToolCall, ToolDefinition};

/// Where tokens come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Instructions, and the markup of their messages.
    System,
    /// What the harness puts in about earlier sessions, the project and how to do things, wherever it stands in a prompt.
    MemoryAndSkills,
    /// What the person says, or the harness in its place.
    User,
    /// What the model thought. It counts, since it is sent again.
    Thinking,
    /// What the model said.
    Text,
    /// Names and arguments of calls.
    ToolArguments,
    /// What tools answered.
    ToolResults,
    /// What the model may call.
    ToolDefinitions,
    /// Images, documents and sounds, wherever they stand.
    Media,
}

impl Source {
    /// All of them, in the order of a table.
    pub const ALL: [Source; 9] = [
        Source::System,
        Source::MemoryAndSkills,
        Source::User,
        Source::Thinking,
        Source::Text,
        Source::ToolArguments,
        Source::ToolResults,
        Source::ToolDefinitions,
        Source::Media,
    ];

    /// As a person says it.
    pub fn name(self) -> &'static str {
        match self {
            Source::System => "system",
            Source::MemoryAndSkills => "memory and skills",
            Source::User => "user",
            Source::Thinking => "thinking",
            Source::Text => "text",
            Source::ToolArguments => "tool arguments",
            Source::ToolResults => "tool results",
            Source::ToolDefinitions => "tool definitions",
            Source::Media => "media",
        }
    }
}

/// Which of a counter's numbers to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// What close decisions may rest on.
    Exact,
    /// A few percent off, and much cheaper.
    Estimate,
}

/// A message costs this much beyond its text: its opening and closing marks and its role (`<|start|>role<|message|>…<|end|>`).
/// OpenAI's cookbook says 3 and one more for a name; 4 is on the safe side.
pub const TOKENS_PER_MESSAGE: Tokens = Tokens(4);

/// A call or a definition costs this much beyond its name and JSON: the recipient, the channel and the marks around them.
/// Not measured by itself: the 8 that were added a call when the calibration was checked against reported usage.
pub const TOKENS_PER_CALL: Tokens = Tokens(8);

/// A block of a type that we do not know counts at most this: providers charge about 1,600 for an image of the largest
/// size they do not scale down, and base64 of a picture would count a hundred times that. With room for the JSON around it.
pub const OPAQUE_AT_MOST: Tokens = Tokens(1_600 + 400);

/// The tokens of `conversation`, each counted once; in the order of [`Source::ALL`], with zeros.
///
/// The sum is that of [`conversation_tokens`].
pub fn by_source(
    conversation: &Conversation,
    counter: &dyn TokenCounter,
    precision: Precision,
) -> Vec<(Source, Tokens)> {
    let mut tally = Tally::new(counter, precision);
    tally.memory = Memory::Apart;
    tally.conversation(conversation);
    Source::ALL.into_iter().zip(tally.sums).collect()
}

/// The tokens of everything that a request says.
pub fn conversation_tokens(conversation: &Conversation, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    let mut tally = Tally::new(counter, precision);
    tally.conversation(conversation);
    tally.total()
}

/// The tokens of one message with its markup. Those of a conversation are the sum over its messages, tools and system
/// blocks.
pub fn message_tokens(message: &Message, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    let mut tally = Tally::new(counter, precision);
    tally.message(message);
    tally.total()
}

/// The tokens of the system prompt outside the messages and of the tools: what every request opens with.
pub fn prefix_tokens(conversation: &Conversation, counter: &dyn TokenCounter, precision: Precision) -> Tokens {
    let mut tally = Tally::new(counter, precision);
    tally.prefix(conversation);
    tally.total()
}

struct Tally<'a> {
    counter: &'a dyn TokenCounter,
    precision: Precision,
    memory: Memory,
    sums: [Tokens; Source::ALL.len()],
}

/// Whether memory and skills are told from the text that they stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Only sums are asked for.
    Within,
    Apart,
}

impl<'a> Tally<'a> {
    fn new(counter: &'a dyn TokenCounter, precision: Precision) -> Tally<'a> {
        Tally { counter, precision, memory: Memory::Within, sums: [Tokens(0); Source::ALL.len()] }
    }
}

impl Tally<'_> {
    fn conversation(&mut self, conversation: &Conversation) {
        self.prefix(conversation);
        conversation.messages.iter().for_each(|message| self.message(message));
    }

    fn prefix(&mut self, conversation: &Conversation) {
        if !conversation.system.is_empty() {
            self.add(Source::System, TOKENS_PER_MESSAGE);
        }
        conversation.system.iter().for_each(|block| self.block(Role::System, block));
        for ToolDefinition { name: _, text } in &conversation.tools {
            // The JSON has the name in it.
            self.add(Source::ToolDefinitions, TOKENS_PER_CALL + self.count(text));
        }
    }

    fn message(&mut self, message: &Message) {
        self.add(words_of(message.role), TOKENS_PER_MESSAGE);
        message.blocks.iter().for_each(|block| self.block(message.role, block));
    }

    fn block(&mut self, role: Role, block: &Block) {
        match block {
            Block::Text(text) => {
                let all = self.count(text);
                let memory = if matches!(role, Role::System | Role::User) { self.memory_in(text) } else { Tokens(0) };
                // The parts may come to a little more than the whole.
                let memory = memory.min(all);
                self.add(Source::MemoryAndSkills, memory);
                self.add(words_of(role), all - memory);
            }
            Block::Thinking(text) => self.add(Source::Thinking, self.count(text)),
            Block::ToolCall(ToolCall { id: _, name, arguments }) => {
                let tokens = TOKENS_PER_CALL + self.count(name) + self.count(arguments);
                self.add(Source::ToolArguments, tokens);
            }
            // What a result holds is a result, whatever message carries it.
            Block::ToolResult(result) => result.content.iter().for_each(|block| self.block(Role::Tool, block)),
            Block::Media(media) => self.add(Source::Media, Tokens(media.tokens)),
            Block::Opaque(Opaque { kind: _, text }) => self.add(words_of(role), self.opaque(text)),
        }
    }

    fn memory_in(&self, text: &str) -> Tokens {
        match self.memory {
            Memory::Within => Tokens(0),
            Memory::Apart => {
                let sections = memory::sections(text).into_iter();
                sections.filter_map(|section| text.get(section)).map(|section| self.count(section)).sum()
            }
        }
    }

    fn opaque(&self, text: &str) -> Tokens {
        // The longest token of `o200k_base` has 128 bytes, so that a longer text is above the bound without being read.
        if text.len() as u64 > 128 * OPAQUE_AT_MOST.0 { OPAQUE_AT_MOST } else { self.count(text).min(OPAQUE_AT_MOST) }
    }

    fn count(&self, text: &str) -> Tokens {
        match self.precision {
            Precision::Exact => self.counter.count(text),
            Precision::Estimate => self.counter.estimate(text),
        }
    }

    fn add(&mut self, source: Source, tokens: Tokens) {
        if let Some(sum) = self.sums.get_mut(source as usize) {
            *sum += tokens;
        }
    }

    fn total(&self) -> Tokens {
        self.sums.iter().copied().sum()
    }
}

/// Whose words a message's plain text is.
fn words_of(role: Role) -> Source {
    match role {
        Role::System => Source::System,
        Role::User => Source::User,
        Role::Assistant => Source::Text,
        Role::Tool => Source::ToolResults,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Media, MediaKind, ToolResult};

    /// A token a byte.
    struct Bytes;

    impl TokenCounter for Bytes {
        fn count(&self, text: &str) -> Tokens {
            Tokens(text.len() as u64)
        }

        fn estimate(&self, text: &str) -> Tokens {
            Tokens(text.len() as u64 * 2)
        }
    }

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, injected: false, reported_prompt_tokens: None }
    }

    fn everything() -> Conversation {
        let image = Block::Media(Media { kind: MediaKind::Image, tokens: 1_000 });
        let call = ToolCall { id: "1".into(), name: "read".into(), arguments: "{}".into() };
        let content = vec![Block::Text("12345".into()), image];
        let result = ToolResult { call_id: "1".into(), content, is_error: false };
        let opaque = Opaque { kind: "scan".into(), text: "o".repeat(10_000_000).into() };
        Conversation {
            system: vec![Block::Text("be brief".into()), Block::Text("<memory>\na\n</memory>".into())],
            tools: vec![ToolDefinition { name: "read".into(), text: "{\"name\":\"read\"}".into() }],
            messages: vec![
                Message::text(Role::User, "hello"),
                message(
                    Role::Assistant,
                    vec![Block::Thinking("hm".into()), Block::Text("yes".into()), Block::ToolCall(call)],
                ),
                message(Role::User, vec![Block::ToolResult(result), Block::Text("go on".into())]),
                message(Role::Assistant, vec![Block::Opaque(opaque)]),
            ],
            results: Default::default(),
        }
    }

    #[test]
    fn every_token_has_its_source() {
        let found = by_source(&everything(), &Bytes, Precision::Exact);
        let expected = [
            (Source::System, 4 + 8),
            (Source::MemoryAndSkills, 20),
            (Source::User, 2 * 4 + 5 + 5),
            (Source::Thinking, 2),
            (Source::Text, 2 * 4 + 3 + 2_000),
            (Source::ToolArguments, 8 + 4 + 2),
            (Source::ToolResults, 5),
            (Source::ToolDefinitions, 8 + 15),
            (Source::Media, 1_000),
        ];
        assert_eq!(found, expected.map(|(source, tokens)| (source, Tokens(tokens))));
    }

    #[test]
    fn the_sources_and_the_messages_sum_up_to_the_conversation() {
        let conversation = everything();
        for precision in [Precision::Exact, Precision::Estimate] {
            let whole = conversation_tokens(&conversation, &Bytes, precision);
            let sources: Tokens = by_source(&conversation, &Bytes, precision).iter().map(|(_, tokens)| *tokens).sum();
            let messages: Tokens =
                conversation.messages.iter().map(|message| message_tokens(message, &Bytes, precision)).sum();
            assert_eq!([sources, messages + prefix_tokens(&conversation, &Bytes, precision)], [whole; 2]);
        }
    }

    #[test]
    fn the_table_of_sources_is_in_their_order() {
        for (index, source) in Source::ALL.into_iter().enumerate() {
            assert_eq!(source as usize, index);
        }
    }

    #[test]
    fn memory_inside_a_prompt_of_one_string_is_told_from_it() {
        let memory = "<memory>\n- likes tea\n</memory>\n";
        let prompt = format!("Be brief.\n{memory}Go on.");
        let conversation =
            Conversation { system: vec![Block::Text(prompt.as_str().into())], ..Conversation::default() };
        let found = by_source(&conversation, &Bytes, Precision::Exact);
        let of = |source: Source| found.iter().find(|(known, _)| *known == source).map(|(_, tokens)| tokens.0);
        assert_eq!(of(Source::MemoryAndSkills), Some(memory.len() as u64));
        assert_eq!(of(Source::System), Some(4 + (prompt.len() - memory.len()) as u64));
    }

    #[test]
    fn an_unknown_block_with_a_picture_inside_is_not_counted_by_its_length() {
        let picture = |length| {
            let opaque = Opaque { kind: "scan".into(), text: "A".repeat(length).into() };
            message_tokens(&message(Role::User, vec![Block::Opaque(opaque)]), &Bytes, Precision::Exact)
        };
        assert_eq!([picture(100), picture(50_000), picture(5_000_000)], [Tokens(104), Tokens(2_004), Tokens(2_004)]);
    }
}
