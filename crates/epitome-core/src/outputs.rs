//! Old tool outputs, made short: the seam, the list of kinds, and what every shortened output says.
//!
//! Three lengths (M7): a *digest* keeps the lines that matter, a *one-liner* names call, outcome and size, and a
//! *cleared* output is a fixed sentence. Digest and one-liner carry the content hash by which the original is found.

pub mod build;
mod columns;
pub mod command;
pub mod config;
pub mod diagnostics;
pub mod diff;
mod dumps;
mod durations;
pub mod events;
mod excerpt;
pub mod history;
mod interest;
pub mod json;
pub mod listing;
pub mod log;
mod mixture;
pub mod numbers;
mod odd;
pub mod options;
pub mod outliers;
mod place;
mod prefixed;
pub mod reading;
mod readings;
pub mod report;
mod screen;
pub mod search;
pub mod source;
mod survival;
pub mod table;
pub mod template;
pub mod test_run;
pub mod text;
pub mod trouble;
pub mod web_page;
pub mod write;

pub use excerpt::excerpt;
pub use interest::Interest;
pub use readings::{Read, Readings};
pub use survival::{Kept, Loss};

use std::borrow::Cow;
use std::sync::Arc;

use reading::{Reading, Unit};
use readings::read_as_one;

use crate::fingerprint::ContentHash;
use crate::model::{Block, MediaKind, Message, Pairing, Role, ToolCall, ToolResult};
use crate::tokens::{TokenCounter, Tokens, counted};

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

/// How much work a reading may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effort {
    /// Whatever gives the best digest: grammars, templates of lines.
    Full,
    /// One quick pass: the work that one compaction may do is used up.
    Quick,
}

/// One kind of output: how to take it apart.
///
/// Deterministic in its arguments, and knows neither room nor interest: what it returns is kept and used again.
pub trait OutputKind: Send + Sync {
    /// The kind's name, as digests and reports show it: `log`, `test run`.
    fn name(&self) -> &'static str;

    /// What it finds in the output. `None`: not this kind. Says so after a look at some lines of an output that is another
    /// kind's; the tool's name and arguments help but do not decide.
    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading>;
}

/// Every kind, the one that is surest of its own first; the last takes anything.
pub const KINDS: &[&dyn OutputKind] = &[
    &history::History,
    &diff::Diff,
    &test_run::TestRun,
    &diagnostics::Diagnostics,
    &search::Search,
    &web_page::WebPage,
    &options::Manual,
    &log::Log,
    &build::Build,
    &report::Report,
    &listing::Listing,
    &json::Json,
    &table::Table,
    &config::Config,
    &source::Source,
    &text::Text,
    &command::Command,
];

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

/// How often a digest that lost something is made larger before the original stays.
const ATTEMPTS: usize = 3;

/// Makes a digest of about `room`, larger where the survival check asks for it. `None`: nothing is gained, or something
/// would be lost.
pub fn digest(
    output: &ToolOutput,
    room: Tokens,
    interest: &Interest,
    counter: &dyn TokenCounter,
    readings: &Readings,
    effort: Effort,
) -> Option<Digest> {
    let cleaned = cleaned(output);
    let read = readings.read(&cleaned, effort)?;
    digest_of(output, &cleaned, &read, room, interest, counter)
}

/// The same, read as one kind alone: for tests that must reach it. `None` too if it is not of this kind.
pub fn digest_as(
    kind: &dyn OutputKind,
    output: &ToolOutput,
    room: Tokens,
    interest: &Interest,
    counter: &dyn TokenCounter,
    effort: Effort,
) -> Option<Digest> {
    let cleaned = cleaned(output);
    let read = Read { kind: kind.name(), reading: kind.read(&cleaned, effort)?, parts: Vec::new() };
    digest_of(output, &cleaned, &read, room, interest, counter)
}

fn digest_of(
    output: &ToolOutput,
    cleaned: &ToolOutput,
    read: &Read,
    room: Tokens,
    interest: &Interest,
    counter: &dyn TokenCounter,
) -> Option<Digest> {
    let mut reading = Cow::Borrowed(&read.reading);
    for refused in 0..ATTEMPTS {
        let written = write::write(&reading, &cleaned.text, room, interest, counter);
        let (loss, lost) = survival::check(&reading, &read.parts, &cleaned.text, &written);
        let lost: Vec<usize> =
            lost.into_iter().filter(|piece| written.left_out.binary_search(piece).is_err()).collect();
        if lost.is_empty() {
            let units = Kept { kept: written.units, of: reading.units() };
            let loss = Loss { units, words: survival::words_kept(&cleaned.text, &written.body), ..loss };
            let text = format!("{}\n{}", header(output, read.kind, reading.unit, units, counter), written.body);
            let smaller = counter.estimate(&text) < weight(output, counter);
            // In bytes too: a digest must not be longer by any measure.
            let gained = smaller && (text.len() < output.text.len() || !output.media.is_empty());
            return gained.then_some(Digest { text, kind: read.kind, loss, refused });
        }
        let larger = reading.to_mut();
        lost.into_iter().for_each(|piece| larger.keep_whole(piece));
    }
    None
}

/// The output as a kind reads it.
pub fn read(output: &ToolOutput, effort: Effort, readings: &Readings) -> Option<Arc<Read>> {
    readings.read(&cleaned(output), effort)
}

/// The output as a terminal would have shown it.
fn cleaned(output: &ToolOutput) -> ToolOutput {
    match screen::shown(&output.text) {
        Cow::Borrowed(_) => output.clone(),
        Cow::Owned(shown) => ToolOutput { text: shown.into(), ..output.clone() },
    }
}

fn header(output: &ToolOutput, kind: &str, unit: Unit, units: Kept, counter: &dyn TokenCounter) -> String {
    let kept = Tokens(units.kept as u64);
    format!("{DIGEST_OPENING}{kind}: {kept} of {} kept, {}]", unit.count(units.of), cited(output, counter))
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
