//! Old tool outputs, made short: the seam, and what every shortened output says.
//!
//! Three lengths (M7): a *digest* keeps the lines that matter, a *one-liner* names call, outcome and size, and a
//! *cleared* output is a fixed sentence. Digest and one-liner carry the content hash by which the original is found.

pub mod events;
mod excerpt;
mod interest;
mod numbers;
mod page;
mod place;
mod read;
mod screen;
mod surprise;
mod survival;
mod template;
mod write;

pub use excerpt::excerpt;
pub use interest::Interest;
pub use read::{Read, Readings};
pub use survival::{Kept, Loss, Sure, cause_of, reported};

use std::borrow::Cow;
use std::sync::Arc;

use crate::fingerprint::ContentHash;
use crate::model::{Block, MediaKind, Message, Pairing, Role, ToolCall, ToolResult};
use crate::tokens::{TokenCounter, Tokens, counted};

/// What `compression.outputs: clear` leaves (M7).
pub const CLEARED: &str = "[Old tool output cleared to save context space]";
/// Cleared, or made a one-liner, from this length on (M7).
pub const CLEAR_ABOVE_CHARS: usize = 200;
/// Digested from this size on (M7, M13).
pub const DIGEST_ABOVE: Tokens = Tokens(500);

/// A digest of fewer tokens says too little.
pub const SMALLEST_DIGEST: Tokens = Tokens(150);
/// An output of no more lines stays as it is, if they are lines and not documents (M13).
const SHORT_LINES: usize = 30;
const LONG_LINE: usize = 400;

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

/// A shortened output.
#[derive(Debug, Clone, PartialEq)]
pub struct Digest {
    /// What the model sees instead of the output.
    pub text: String,
    /// The kind it was read as.
    pub kind: &'static str,
    /// What was kept of the original.
    pub loss: Loss,
    /// Digests that lost something, before this one was made larger.
    pub refused: usize,
}

impl ToolOutput {
    /// What a call printed, words alone.
    pub fn of_call(tool: &str, arguments: &str, text: &str) -> ToolOutput {
        ToolOutput {
            tool: tool.into(),
            arguments: arguments.into(),
            text: text.into(),
            media: Vec::new(),
            media_tokens: Tokens(0),
            is_error: false,
        }
    }

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

    /// The output at a place (message, block) of a conversation, with its call.
    pub fn at(messages: &[Message], pairing: &Pairing, (message, block): (usize, usize)) -> Option<ToolOutput> {
        let result = match messages.get(message)?.blocks.get(block)? {
            Block::ToolResult(result) => result,
            Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Media(_) | Block::Opaque(_) => {
                return None;
            }
        };
        let at = pairing.answers.partition_point(|(result, _)| *result < (message, block));
        let call = pairing.answers.get(at).filter(|(result, _)| *result == (message, block));
        let call = call.and_then(|(_, (message, block))| messages.get(*message)?.blocks.get(*block));
        let call = match call {
            Some(Block::ToolCall(call)) => Some(call),
            Some(_) | None => None,
        };
        Some(ToolOutput::new(call, result))
    }

    /// Where the outputs of a conversation stand (message, block), oldest first.
    pub fn places(messages: &[Message]) -> impl Iterator<Item = (usize, usize)> {
        let messages = messages.iter().enumerate().filter(|(_, message)| message.role != Role::System);
        messages.flat_map(|(index, message)| {
            let blocks = message.blocks.iter().enumerate();
            blocks.filter(|(_, block)| matches!(block, Block::ToolResult(_))).map(move |(at, _)| (index, at))
        })
    }

    /// Whether it is a digest or one-liner of ours already, or was cleared.
    pub fn is_shortened(&self) -> bool {
        let first = self.text.lines().next().unwrap_or_default();
        let ours = first.starts_with(DIGEST_OPENING)
            || (first.starts_with(ONE_LINE_OPENING) && first.len() == self.text.len());
        &*self.text == CLEARED || (ours && cites_original(first))
    }
}

const DIGEST_OPENING: &str = "[digest of ";
const ONE_LINE_OPENING: &str = "[output of ";

/// Whether a line ends as ours do: `; original 0e26d7ce045f]`. A tool that prints only the beginning of such a line cannot
/// keep its output from being shortened.
fn cites_original(line: &str) -> bool {
    let hash = line.strip_suffix(']').and_then(|line| line.rsplit_once("; original ")).map(|(_, hash)| hash);
    hash.is_some_and(|hash| {
        hash.len() == ContentHash::SHORT_DIGITS && hash.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// How long a digest may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// About this size; errors, a list of contents and what the agent works on may take more.
    Usual(Tokens),
    /// No more than this, whatever is lost.
    AtMost(Tokens),
}

impl Room {
    /// What an output of this size is worth: twice as much for one four times as large.
    pub fn usual(size: Tokens) -> Room {
        Room::Usual(Tokens(60 + (3.2 * (size.0 as f64).sqrt()) as u64))
    }

    /// Its size.
    pub fn tokens(self) -> Tokens {
        match self {
            Room::Usual(tokens) | Room::AtMost(tokens) => tokens,
        }
    }
}

/// A line that must not be lost may be this long.
const FINDING_CHARS: usize = 600;
/// What a digest says of what it has no room for.
const LAST_MARK: Tokens = Tokens(14);
/// How often a digest that lost something is written again with it.
const ATTEMPTS: usize = 2;

/// Makes a digest. `None`: nothing is gained.
pub fn digest(
    output: &ToolOutput,
    room: Room,
    interest: &Interest,
    counter: &dyn TokenCounter,
    readings: &Readings,
) -> Option<Digest> {
    if let Room::Usual(_) = room
        && is_short(output, counter)
    {
        return None;
    }
    let (shown, is_page) = shown(&output.text);
    let read = readings.read(&shown, is_page);
    digest_of(output, &shown, &read, room, interest, counter)
}

/// Whether an output is short enough to stay.
fn is_short(output: &ToolOutput, counter: &dyn TokenCounter) -> bool {
    let few_lines =
        || output.text.lines().nth(SHORT_LINES).is_none() && output.text.lines().all(|line| line.len() <= LONG_LINE);
    output.media.is_empty() && (counter.estimate(&output.text) <= DIGEST_ABOVE || few_lines())
}

fn digest_of(
    output: &ToolOutput,
    text: &str,
    read: &Read,
    room: Room,
    interest: &Interest,
    counter: &dyn TokenCounter,
) -> Option<Digest> {
    let of = read.weighed.pieces().len();
    let first_line = counter.estimate(&header(output, read.kind, Kept { kept: of, of }, counter));
    let room = match room {
        Room::Usual(_) => room,
        Room::AtMost(room) => Room::AtMost(room - first_line - LAST_MARK),
    };
    let mut must: Vec<usize> = Vec::new();
    let mut refused = 0;
    loop {
        let written = write::write(&read.weighed, text, room, &must, interest, counter);
        let (loss, sure) = survival::check(text, &written.body);
        if !sure.is_empty() && written.left_out == 0 && refused < ATTEMPTS {
            let pieces = read.weighed.pieces();
            must.extend(sure.iter().map(|at| pieces.partition_point(|piece| piece.end <= *at)));
            must.sort_unstable();
            must.dedup();
            refused += 1;
            continue;
        }
        let units = Kept { kept: written.lines, of };
        let loss = Loss { units, words: survival::words_kept(text, &written.body), ..loss };
        let text = format!("{}\n{}", header(output, read.kind, units, counter), written.body);
        let smaller = counter.estimate(&text) < weight(output, counter);
        // In bytes too: a digest must not be longer by any measure.
        let gained = smaller && (text.len() < output.text.len() || !output.media.is_empty());
        return gained.then_some(Digest { text, kind: read.kind, loss, refused });
    }
}

/// Whether every error and failed test that an earlier text reports beyond doubt is in a later one too.
pub fn has_errors_of(later: &str, earlier: &str) -> bool {
    survival::check(earlier, later).0.survived()
}

/// What an output is, as digests and reports name it.
pub fn kind(output: &ToolOutput, readings: &Readings) -> &'static str {
    let (shown, is_page) = shown(&output.text);
    readings.read(&shown, is_page).kind
}

/// The output as a terminal would have shown it, and a web page as text; and whether it is one.
fn shown(text: &str) -> (Cow<'_, str>, bool) {
    let shown = screen::shown(text);
    match page::shown(&shown) {
        Some(page) if page.contains(char::is_alphanumeric) => (page.into(), true),
        Some(_) | None => (shown, false),
    }
}

/// The rows of a table in a text: one a line, cells parted by tabs, without remarks.
fn rows<const CELLS: usize>(table: &str) -> impl Iterator<Item = [&str; CELLS]> {
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}

fn header(output: &ToolOutput, kind: &str, units: Kept, counter: &dyn TokenCounter) -> String {
    let kept = Tokens(units.kept as u64);
    format!("{DIGEST_OPENING}{kind}: {kept} of {} kept, {}]", counted(units.of as u64, "line"), cited(output, counter))
}

/// One line that names the call, its outcome and its size. A failure never looks like a success.
pub fn one_line(output: &ToolOutput, counter: &dyn TokenCounter) -> String {
    let call = crate::arguments::describe(&output.tool, &output.arguments, 80);
    let outcome = if output.is_error { "failed" } else { "answered" };
    let error = events::first_error(&output.text)
        .map(|line| format!(", first error: {}", cut_to_chars(line, 120)))
        .unwrap_or_default();
    format!("{ONE_LINE_OPENING}{call}: {outcome}{error}; {}]", size(output, counter))
}

/// One line in place of a reading that is followed by a newer one of the same.
pub fn read_again(output: &ToolOutput, counter: &dyn TokenCounter) -> String {
    let call = crate::arguments::describe(&output.tool, &output.arguments, 80);
    format!("{ONE_LINE_OPENING}{call}: read again later, the newer reading counts; {}]", size(output, counter))
}

fn size(output: &ToolOutput, counter: &dyn TokenCounter) -> String {
    format!("{}, {}", counted(output.text.lines().count() as u64, "line"), cited(output, counter))
}

/// What an output weighs, with its images and documents.
fn weight(output: &ToolOutput, counter: &dyn TokenCounter) -> Tokens {
    counter.estimate(&output.text) + output.media_tokens
}

/// What the original weighs, and by which hash it is found.
fn cited(output: &ToolOutput, counter: &dyn TokenCounter) -> String {
    let media = match output.media.len() {
        0 => String::new(),
        1 => ", 1 image or document".to_owned(),
        several => format!(", {several} images or documents"),
    };
    let hash = ContentHash::of(&*output.text).short();
    format!("{}{media}; original {hash}", counted(weight(output, counter).0, "token"))
}

/// The first `chars` characters, with an ellipsis if something was cut.
pub fn cut_to_chars(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or(text).trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
