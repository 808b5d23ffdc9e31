//! The messages as a summary model reads them: who said what, calls in one line, outputs as digests, no secrets.

use std::borrow::Cow;
use std::sync::Arc;

use crate::arguments::{self, CallKind};
use crate::fingerprint::ContentHash;
use crate::model::{Block, MediaKind, Message, Pairing, Role};
use crate::outputs::{self, Interest, Readings, Room, SMALLEST_DIGEST, ToolOutput, cut_to_chars};
use crate::summary::redaction::Redactor;
use crate::summary::{NewestRequest, SummaryRequest, requests};
use crate::tokens::{TokenCounter, Tokens};

/// A summariser reads thousands of outputs: each in little.
const ROOM: Room = Room::AtMost(SMALLEST_DIGEST);
/// An output up to this size is shown whole.
const WHOLE_OUTPUT: Tokens = Tokens(200);
/// An output of which no digest can be made is cut to this.
const CUT_OUTPUT: Tokens = Tokens(400);
/// What of a person's words is shown at most.
const PERSON: Tokens = Tokens(2_000);
/// What of the agent's words is shown at most.
const AGENT: Tokens = Tokens(800);
/// What of words that a harness put there is shown at most.
const HARNESS: Tokens = Tokens(150);

/// All messages of a request, ready to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    entries: Vec<Entry>,
    fence: String,
    redactor: Arc<Redactor>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    text: String,
    weight: Tokens,
}

/// A part of a transcript that fits one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// The messages, one behind the other.
    pub text: String,
    /// The entry behind the last one: where the next chunk starts.
    pub end: usize,
    /// Stands in the tags around it. Nobody who writes into the transcript can know it: it is the hash of all of it.
    pub fence: String,
    /// Knows the secrets of the whole transcript.
    pub(super) redactor: Arc<Redactor>,
}

impl Transcript {
    /// Renders the messages of a request.
    pub fn of(request: &SummaryRequest, counter: &dyn TokenCounter) -> Transcript {
        let fence = fence(request);
        let tag: String = fence.chars().take(4).collect();
        let redactor = Arc::new(redactor(request));
        let mut work = Rendering {
            counter,
            redactor: &redactor,
            interest: interest(request),
            readings: Readings::default(),
            pairing: Pairing::of(&request.messages),
            messages: &request.messages,
        };
        let mut entries = Vec::new();
        for (index, message) in request.messages.iter().enumerate() {
            let said = work.message(index, message);
            if said.is_empty() {
                continue;
            }
            let text: String =
                said.into_iter().map(|(who, text)| format!("[{tag} {who}]\n{}\n", text.trim_end())).collect();
            let text = harmless(&text);
            entries.push(Entry { weight: counter.estimate(&text) + Tokens(1), text });
        }
        Transcript { entries, fence, redactor }
    }

    /// How many entries there are; a message that says nothing is none.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the entries from `start` on take.
    pub fn weight_from(&self, start: usize) -> Tokens {
        self.entries.get(start..).unwrap_or_default().iter().map(|entry| entry.weight).sum()
    }

    /// The entries from `start` on that fit `room`, at least one: what does not fit alone is cut in its middle. The chunks
    /// that are still needed come out about equally long. `None` behind the last entry.
    pub fn chunk(&self, start: usize, room: Tokens, counter: &dyn TokenCounter) -> Option<Chunk> {
        let first = self.entries.get(start)?;
        let room = room.max(Tokens(1));
        let left = self.weight_from(start);
        let calls = left.0.div_ceil(room.0).max(1);
        let fair = Tokens(left.0.div_ceil(calls));
        let mut text = String::new();
        let mut weight = Tokens(0);
        let mut end = start;
        for entry in self.entries.get(start..).unwrap_or_default() {
            if weight + entry.weight > room || (weight >= fair && end > start) {
                break;
            }
            text.push_str(&entry.text);
            weight += entry.weight;
            end += 1;
        }
        if end == start {
            text = cut_middle(&first.text, room, counter);
            text.push('\n');
            end += 1;
        }
        Some(Chunk { text, end, fence: self.fence.clone(), redactor: self.redactor.clone() })
    }

    /// A chunk without a message, to weigh what stands around one.
    pub fn nothing(&self, start: usize) -> Chunk {
        Chunk { text: String::new(), end: start, fence: self.fence.clone(), redactor: self.redactor.clone() }
    }
}

/// Knows the secrets of everything that is shown: one that is named in one message is known in all others.
fn redactor(request: &SummaryRequest) -> Redactor {
    let blocks = request.messages.iter().flat_map(|message| &message.blocks).filter_map(shown_text);
    let asked = request.previous.as_deref().into_iter().chain(request.focus.as_deref()).map(Cow::Borrowed);
    Redactor::of(blocks.chain(asked))
}

fn shown_text(block: &Block) -> Option<Cow<'_, str>> {
    match block {
        Block::Text(text) => Some(Cow::Borrowed(text)),
        Block::ToolCall(call) => Some(Cow::Borrowed(&call.arguments)),
        Block::ToolResult(result) => Some(result.text()),
        Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => None,
    }
}

/// What all messages hash to: known to nobody who wrote one of them.
fn fence(request: &SummaryRequest) -> String {
    let mut all = String::new();
    for block in request.messages.iter().flat_map(|message| &message.blocks) {
        match block {
            Block::Text(text) | Block::Thinking(text) => all.push_str(text),
            Block::ToolCall(call) => all.push_str(&call.arguments),
            Block::ToolResult(result) => all.push_str(&result.text()),
            Block::Media(_) => {}
            Block::Opaque(opaque) => all.push_str(&opaque.text),
        }
        all.push('\0');
    }
    ContentHash::of(all).short()
}

/// What looks like one of our tags is made to look like something else.
pub(super) fn harmless(text: &str) -> String {
    const TAGS: [&str; 4] = ["<transcript-", "</transcript-", "<summary-", "</summary-"];
    if !TAGS.iter().any(|tag| text.contains(tag)) {
        return text.to_owned();
    }
    TAGS.iter().fold(text.to_owned(), |text, tag| text.replace(tag, &tag.replace('<', "(")))
}

fn interest(request: &SummaryRequest) -> Interest {
    let newest = match &request.newest_request {
        NewestRequest::Goes { request, .. } => Some(request.as_str()),
        NewestRequest::InPrevious | NewestRequest::Stays => None,
    };
    Interest::in_texts(request.focus.as_deref().into_iter().chain(newest))
}

struct Rendering<'a> {
    counter: &'a dyn TokenCounter,
    redactor: &'a Redactor,
    interest: Interest,
    readings: Readings,
    /// Of outputs, so far.
    pairing: Pairing,
    messages: &'a [Message],
}

impl Rendering<'_> {
    /// Who speaks, and what is said, for each part of a message.
    fn message(&mut self, index: usize, message: &Message) -> Vec<(String, String)> {
        let typed = requests::typed(message).is_some();
        let (who, room) = match (message.role, typed) {
            (Role::User, true) => ("person", PERSON),
            (Role::User | Role::System | Role::Tool, _) => ("harness", HARNESS),
            (Role::Assistant, _) => ("agent", AGENT),
        };
        let mut said: Vec<(String, String)> = Vec::new();
        for (position, block) in message.blocks.iter().enumerate() {
            let (who, text) = match block {
                Block::Text(text) if text.trim().is_empty() => continue,
                Block::Text(text) => {
                    (who.to_owned(), cut_middle(&self.redactor.redact(text.trim()), room, self.counter))
                }
                // Long, and what came of it is said aloud.
                Block::Thinking(_) => continue,
                Block::ToolCall(call) => {
                    // Before anything is cut: a part of a key is not known as one.
                    let arguments = self.redactor.redact(&call.arguments);
                    let line = called(&call.name, &arguments);
                    ("agent calls".to_owned(), self.redactor.redact(&line).into_owned())
                }
                Block::ToolResult(_) => {
                    let Some(output) = ToolOutput::at(self.messages, &self.pairing, (index, position)) else {
                        continue;
                    };
                    let arguments = self.redactor.redact(&output.arguments);
                    let call = arguments::describe(&output.tool, &arguments, 60);
                    let call = self.redactor.redact(&call).into_owned();
                    let failed = if output.is_error { ", failed" } else { "" };
                    (format!("output of {call}{failed}"), self.output(output))
                }
                Block::Media(media) => (who.to_owned(), shown(media.kind).to_owned()),
                Block::Opaque(opaque) => (who.to_owned(), format!("[{}]", cut_to_chars(&opaque.kind, 40))),
            };
            match said.last_mut().filter(|(last, _)| *last == who) {
                Some((_, earlier)) => {
                    earlier.push('\n');
                    earlier.push_str(&text);
                }
                None => said.push((who, text)),
            }
        }
        said
    }

    fn output(&mut self, output: ToolOutput) -> String {
        let media = output.media.iter().map(|kind| format!("{}\n", shown(*kind))).collect::<String>();
        // Before the digest is made: a digest may keep the middle of a key whose beginning it drops.
        let text = self.redactor.redact(&output.text).into_owned();
        if self.counter.estimate(&text) <= WHOLE_OUTPUT {
            return media + &text;
        }
        let output = ToolOutput { text: text.into(), ..output };
        let digest = outputs::digest(&output, ROOM, &self.interest, self.counter, &self.readings);
        let shortened = digest.map_or_else(|| output.text.to_string(), |digest| without_citation(&digest.text));
        // Errors may make a digest long; not longer than this.
        media + &cut_middle(&shortened, CUT_OUTPUT, self.counter)
    }
}

/// A digest's first line cites the original by its hash, which a summary has no use for.
fn without_citation(digest: &str) -> String {
    let (header, body) = digest.split_once('\n').unwrap_or((digest, ""));
    let header = header.split_once("; original ").map_or(header.to_owned(), |(header, _)| format!("{header}]"));
    format!("{header}\n{body}")
}

/// A call in a line or two. What is written into a file is shown by its beginning.
fn called(tool: &str, arguments: &str) -> String {
    match CallKind::of(tool) {
        CallKind::Reads | CallKind::Runs => arguments::describe(tool, arguments, 300),
        CallKind::Writes => {
            let named = arguments::describe(tool, arguments, 120);
            format!("{named}\n{}", cut_to_chars(&arguments.split_whitespace().collect::<Vec<_>>().join(" "), 300))
        }
    }
}

fn shown(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image => "[image]",
        MediaKind::Document => "[document]",
        MediaKind::Audio => "[audio]",
    }
}

/// The text, or its beginning and its end within `room`.
fn cut_middle(text: &str, room: Tokens, counter: &dyn TokenCounter) -> String {
    let weight = counter.estimate(text);
    if weight <= room {
        return text.to_owned();
    }
    let chars = text.chars().count();
    let mut share = 0.95 * room.0 as f64 / weight.0 as f64;
    // A few rounds, as tokens are not spread evenly over a text.
    for _ in 0..8 {
        let kept = (share * chars as f64) as usize;
        let (opening, closing) = (kept * 3 / 5, kept * 2 / 5);
        let start: String = text.chars().take(opening).collect();
        let end: String = text.chars().skip(chars - closing).collect();
        let cut = format!("{start}\n[… {} characters left out …]\n{end}", Tokens((chars - opening - closing) as u64));
        if counter.estimate(&cut) <= room || kept == 0 {
            return cut;
        }
        share *= 0.7;
    }
    cut_to_chars(text, 40)
}
