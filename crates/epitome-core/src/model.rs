//! A conversation between a person, a model and its tools, in no provider's dialect.
//!
//! `epitome-wire` reads a client's request into these types and remembers where each piece stands in the client's bytes.
//! A message here is what a *turn* holds: the reasoning, text and function calls that the Responses dialect spells as
//! separate items are one assistant message.

use std::sync::Arc;

/// Everything a request says to the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// The system prompt where it stands outside the messages (`system`, `instructions`); empty otherwise.
    pub system: Vec<Block>,
    /// What the model may call.
    pub tools: Vec<ToolDefinition>,
    /// The turns, oldest first.
    pub messages: Vec<Message>,
    /// Where this dialect puts a tool's result.
    pub results: ResultStyle,
}

/// Where a dialect puts a tool's result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ResultStyle {
    /// Each in a message of its own, with the role [`Role::Tool`] (Chat, Responses).
    #[default]
    OwnMessage,
    /// All results of a turn together, in the user message that follows it (Anthropic).
    NextUserMessage,
}

/// One turn, or one tool result where the dialect gives it a message of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order. May be empty: some clients send empty messages, and we carry them.
    pub blocks: Vec<Block>,
    /// The harness put it there; no person typed it (where the recording says so).
    pub injected: bool,
    /// Prompt tokens that the provider reported for the call which produced this message, where recorded.
    pub reported_prompt_tokens: Option<u64>,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions (`system`, `developer`).
    System,
    /// The person, or the harness on its behalf. Carries tool results in the Anthropic dialect.
    User,
    /// The model.
    Assistant,
    /// A tool's answer, where it is a message of its own (Chat, Responses).
    Tool,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Words.
    Text(Arc<str>),
    /// What the model thought; signed, encrypted or plain. Never edited.
    Thinking(Arc<str>),
    /// The model asks for a tool.
    ToolCall(ToolCall),
    /// A tool answers.
    ToolResult(ToolResult),
    /// An image or a document: its size comes from the provider's rule, not from its bytes.
    Media(Media),
    /// Something this version does not know. Carried untouched; `text` is what counting reads.
    Opaque(Opaque),
}

/// The model asks for a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Joins the call to its result.
    pub id: Arc<str>,
    /// The tool.
    pub name: Arc<str>,
    /// Arguments, usually JSON, as text.
    pub arguments: Arc<str>,
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: Arc<str>,
    /// Text, media and opaque blocks; never calls or results.
    pub content: Vec<Block>,
    /// The tool said that it failed.
    pub is_error: bool,
}

/// An image, a document, a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// What the provider will charge for it.
    pub tokens: u64,
}

/// What a [`Media`] block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaKind {
    /// A picture.
    Image,
    /// A PDF or another paged file.
    Document,
    /// A recording.
    Audio,
}

/// A block of a type this version does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Opaque {
    /// The type's name on the wire.
    pub kind: Arc<str>,
    /// Its JSON, for counting.
    pub text: Arc<str>,
}

/// A tool offered to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDefinition {
    /// Its name; empty where the dialect gives none.
    pub name: Arc<str>,
    /// Its JSON, for counting.
    pub text: Arc<str>,
}

/// An atomic run of messages: nothing may be cut inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Index of the first message.
    pub start: usize,
    /// Index behind the last message.
    pub end: usize,
}

impl Message {
    /// A message of one text block, as we insert them.
    pub fn text(role: Role, text: impl Into<Arc<str>>) -> Self {
        Message { role, blocks: vec![Block::Text(text.into())], injected: false, reported_prompt_tokens: None }
    }

    /// The calls it makes.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            Block::Text(_) | Block::Thinking(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => None,
        })
    }

    /// The results it carries.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result),
            Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Media(_) | Block::Opaque(_) => None,
        })
    }

    /// The same without what its results say: what is left of it where those may be made shorter.
    #[must_use]
    pub fn without_outputs(&self) -> Message {
        let mut message = self.clone();
        for block in &mut message.blocks {
            if let Block::ToolResult(result) = block {
                result.content.clear();
            }
        }
        message
    }

    /// Calls `found` with everything in it that is read as text: words, arguments, outputs; not with thinking.
    pub fn each_text(&self, mut found: impl FnMut(&str)) {
        for block in &self.blocks {
            match block {
                Block::Text(text) => found(text),
                Block::ToolCall(call) => found(&call.arguments),
                Block::ToolResult(result) => found(&result.text()),
                Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => {}
            }
        }
    }

    /// Its words, without thinking, calls and results.
    pub fn texts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.blocks.iter().filter_map(Block::as_text)
    }
}

impl Block {
    /// The words of a text block.
    pub fn as_text(&self) -> Option<&Arc<str>> {
        match self {
            Block::Text(text) => Some(text),
            Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => None,
        }
    }
}

impl ToolResult {
    /// The words of the result, joined. Borrowed in the usual case of one text block.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        let mut texts = self.content.iter().filter_map(Block::as_text);
        match (texts.next(), texts.next()) {
            (None, _) => "".into(),
            (Some(only), None) => (&**only).into(),
            (Some(first), Some(second)) => {
                let mut joined = format!("{first}\n{second}");
                for text in texts {
                    joined.push('\n');
                    joined.push_str(text);
                }
                joined.into()
            }
        }
    }
}

/// Which call each result answers, and the other way round.
///
/// Ids repeat in real sessions (some harnesses number from one in every turn), so a result answers the *latest* earlier
/// call of its id that has no answer yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairing {
    /// For each message, where the group that it belongs to starts and ends.
    segments: Vec<Segment>,
    /// Results whose call is nowhere before them: (message, block), in order.
    pub orphan_results: Vec<(usize, usize)>,
    /// Calls that no later result answers: (message, block), in order.
    pub unanswered_calls: Vec<(usize, usize)>,
    /// For each answered result its call: ((message, block) of the result, (message, block) of the call), in order.
    pub answers: Vec<((usize, usize), (usize, usize))>,
}

impl Pairing {
    /// Pairs calls and results of `messages`.
    pub fn of(messages: &[Message]) -> Self {
        let mut open: std::collections::HashMap<&str, Vec<(usize, usize)>> = std::collections::HashMap::new();
        let mut pairing = Pairing::default();
        // `reach[i]`: the last message that must stay together with message i.
        let mut reach: Vec<usize> = (0..messages.len()).collect();
        for (index, message) in messages.iter().enumerate() {
            for (position, block) in message.blocks.iter().enumerate() {
                match block {
                    Block::ToolCall(call) => open.entry(&call.id).or_default().push((index, position)),
                    Block::ToolResult(result) => match open.get_mut(&*result.call_id).and_then(Vec::pop) {
                        Some(call) => {
                            pairing.answers.push(((index, position), call));
                            if let Some(last) = reach.get_mut(call.0) {
                                *last = (*last).max(index);
                            }
                        }
                        None => pairing.orphan_results.push((index, position)),
                    },
                    Block::Text(_) | Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => {}
                }
            }
        }
        pairing.unanswered_calls = open.into_values().flatten().collect();
        pairing.unanswered_calls.sort_unstable();
        let mut start = 0;
        while start < messages.len() {
            let mut end = start + 1;
            let mut next = start;
            while next < end {
                end = end.max(reach.get(next).map_or(end, |last| last + 1));
                next += 1;
            }
            pairing.segments.push(Segment { start, end });
            start = end;
        }
        pairing
    }

    /// The atomic runs of messages, in order; they cover the conversation.
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The segment that holds a message.
    pub fn segment_of(&self, message: usize) -> Option<Segment> {
        let after = self.segments.partition_point(|segment| segment.end <= message);
        self.segments.get(after).copied().filter(|segment| segment.start <= message)
    }

    /// Whether `message` opens a segment, so that a cut may stand before it. The end of the conversation counts.
    pub fn may_cut_before(&self, message: usize) -> bool {
        self.segment_of(message).is_none_or(|segment| segment.start == message)
    }
}

impl Conversation {
    /// How many leading messages are the system prompt (Chat puts it there).
    pub fn leading_system_messages(&self) -> usize {
        self.messages.iter().take_while(|message| message.role == Role::System).count()
    }

    /// The first message of a person.
    pub fn first_user_message(&self) -> Option<usize> {
        self.messages.iter().position(|message| message.role == Role::User)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Block {
        Block::ToolCall(ToolCall { id: id.into(), name: "t".into(), arguments: "{}".into() })
    }

    fn result(id: &str) -> Block {
        Block::ToolResult(ToolResult { call_id: id.into(), content: vec![Block::Text("ok".into())], is_error: false })
    }

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, injected: false, reported_prompt_tokens: None }
    }

    #[track_caller]
    fn check_segments(messages: &[Message], expected: &[(usize, usize)]) {
        let pairing = Pairing::of(messages);
        let found: Vec<_> = pairing.segments().iter().map(|segment| (segment.start, segment.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn calls_and_their_results_are_one_segment() {
        check_segments(
            &[
                Message::text(Role::User, "go"),
                message(Role::Assistant, vec![call("a"), call("b")]),
                message(Role::Tool, vec![result("a")]),
                message(Role::Tool, vec![result("b")]),
                Message::text(Role::Assistant, "done"),
            ],
            &[(0, 1), (1, 4), (4, 5)],
        );
    }

    #[test]
    fn a_repeated_id_belongs_to_the_latest_open_call() {
        check_segments(
            &[
                message(Role::Assistant, vec![call("1")]),
                message(Role::Tool, vec![result("1")]),
                message(Role::Assistant, vec![call("1")]),
                message(Role::Tool, vec![result("1")]),
            ],
            &[(0, 2), (2, 4)],
        );
    }

    #[test]
    fn interleaved_groups_stay_together() {
        check_segments(
            &[
                message(Role::Assistant, vec![call("a")]),
                message(Role::Assistant, vec![call("b")]),
                message(Role::Tool, vec![result("a")]),
                message(Role::Tool, vec![result("b")]),
                Message::text(Role::User, "next"),
            ],
            &[(0, 4), (4, 5)],
        );
    }

    #[test]
    fn what_is_not_paired_is_named() {
        let pairing = Pairing::of(&[
            message(Role::Tool, vec![result("x")]),
            message(Role::Assistant, vec![call("y")]),
            Message::text(Role::User, "next"),
        ]);
        assert_eq!(pairing.orphan_results, [(0, 0)]);
        assert_eq!(pairing.unanswered_calls, [(1, 0)]);
    }
}
