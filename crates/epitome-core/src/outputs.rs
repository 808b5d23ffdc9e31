//! Old tool outputs, made short: the seam, the list of kinds, and what every shortened output says.
//!
//! Three lengths (M7): a *digest* keeps the lines that matter, a *one-liner* names call, outcome and size, and a
//! *cleared* output is a fixed sentence. Digest and one-liner carry the content hash by which the original is found.

pub mod excerpt;

use std::sync::Arc;

use crate::fingerprint::ContentHash;
use crate::model::{Block, MediaKind, ToolCall, ToolResult};
use crate::tokens::{TokenCounter, Tokens};

/// What `compression.outputs: clear` leaves (M7).
pub const CLEARED: &str = "[Old tool output cleared to save context space]";
/// Cleared, or made a one-liner, from this length on (M7).
pub const CLEAR_ABOVE_CHARS: usize = 200;
/// Digested from this size on (M7, M13).
pub const DIGEST_ABOVE: Tokens = Tokens(500);
/// What a digest aims at; more where errors ask for it (M13).
pub const DIGEST_TARGET: Tokens = Tokens(150);

/// A tool's output with the call that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    /// The tool; empty when the call is unknown.
    pub tool: Arc<str>,
    /// The call's arguments.
    pub arguments: Arc<str>,
    /// The words of the output.
    pub text: Arc<str>,
    /// Images and documents beside the words.
    pub media: Vec<MediaKind>,
    /// What those weigh.
    pub media_tokens: Tokens,
    /// The tool said that it failed.
    pub is_error: bool,
}

/// What the agent is looking for now. A digest keeps what matches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interest {
    /// Words, lower case.
    pub terms: Vec<String>,
}

/// One kind of output made short.
///
/// Deterministic in its arguments: what it returned is recorded and replayed, never computed again.
pub trait OutputCompressor: Send + Sync {
    /// The kind's name, as reports show it.
    fn name(&self) -> &'static str;

    /// The body of a digest of about `room`. `None`: not this kind, or nothing gained.
    fn compress(
        &self,
        output: &ToolOutput,
        room: Tokens,
        interest: &Interest,
        counter: &dyn TokenCounter,
    ) -> Option<String>;
}

impl ToolOutput {
    /// The output of `result`, with the call it answers, if that is known.
    pub fn new(call: Option<&ToolCall>, result: &ToolResult) -> ToolOutput {
        let mut texts = result.content.iter().filter_map(Block::as_text);
        let text = match (texts.next(), texts.next()) {
            (Some(only), None) => only.clone(),
            (None, _) | (Some(_), Some(_)) => result.text().into(),
        };
        let media = |block: &Block| match block {
            Block::Media(media) => Some((media.kind, Tokens(media.tokens))),
            Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Opaque(_) => None,
        };
        ToolOutput {
            tool: call.map_or_else(|| "".into(), |call| call.name.clone()),
            arguments: call.map_or_else(|| "".into(), |call| call.arguments.clone()),
            text,
            media: result.content.iter().filter_map(media).map(|(kind, _)| kind).collect(),
            media_tokens: result.content.iter().filter_map(media).map(|(_, tokens)| tokens).sum(),
            is_error: result.is_error,
        }
    }

    /// Whether it is a digest or one-liner of ours already, or was cleared.
    pub fn is_shortened(&self) -> bool {
        &*self.text == CLEARED || self.text.starts_with(DIGEST_OPENING) || self.text.starts_with(ONE_LINE_OPENING)
    }
}

impl Interest {
    /// The words of a text that are worth looking for.
    pub fn in_text(text: &str) -> Interest {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-' || c == '.' || c == '/'));
        let mut terms: Vec<String> = words.filter(|word| word.len() >= 3).map(str::to_lowercase).collect();
        terms.sort_unstable();
        terms.dedup();
        Interest { terms }
    }

    /// Whether a line is about it.
    pub fn matches(&self, line: &str) -> bool {
        if self.terms.is_empty() {
            return false;
        }
        let line = line.to_lowercase();
        self.terms.iter().any(|term| line.contains(term.as_str()))
    }
}

const DIGEST_OPENING: &str = "[digest of ";
const ONE_LINE_OPENING: &str = "[output of ";

/// Makes a digest: the first kind that takes the output writes the body. `None`: the original is shorter.
pub fn digest(output: &ToolOutput, room: Tokens, interest: &Interest, counter: &dyn TokenCounter) -> Option<String> {
    let kinds: [&dyn OutputCompressor; 1] = [&excerpt::Excerpt];
    let body = kinds.iter().find_map(|kind| kind.compress(output, room, interest, counter))?;
    let text = format!("{DIGEST_OPENING}{}]\n{body}", said_of(output));
    (counter.estimate(&text) < counter.estimate(&output.text) + output.media_tokens).then_some(text)
}

/// One line that names the call, its outcome and its size. A failure never looks like a success.
pub fn one_line(output: &ToolOutput) -> String {
    let call = crate::arguments::describe(&output.tool, &output.arguments, 80);
    let outcome = if output.is_error { "failed" } else { "answered" };
    let error = excerpt::first_error(&output.text)
        .map(|line| format!(", first error: {}", cut_to_chars(line, 120)))
        .unwrap_or_default();
    format!("{ONE_LINE_OPENING}{call}: {outcome}{error}; {}]", said_of(output))
}

fn said_of(output: &ToolOutput) -> String {
    let lines = output.text.lines().count();
    let media = match output.media.len() {
        0 => String::new(),
        1 => ", 1 image or document".to_owned(),
        several => format!(", {several} images or documents"),
    };
    let hash = ContentHash::of(&*output.text).short();
    format!("{} lines, {} bytes{media}; original {hash}", Tokens(lines as u64), Tokens(output.text.len() as u64))
}

/// The first `chars` characters, with an ellipsis if something was cut.
pub fn cut_to_chars(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text).trim_end()),
        None => text.to_owned(),
    }
}
