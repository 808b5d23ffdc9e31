//! What a provider's cache sees of one element of the list, and where a marker would stand in it.
//!
//! It depends on the element's bytes and its dialect alone, so that it is read once for each message.

use epitome_core::cache::Ttl;
use epitome_core::summary::NOTE;
use xxhash_rust::xxh3::Xxh3;

use super::{Layout, offset};
use crate::dialect::Dialect;
use crate::json::{Kind, Value};
use crate::splice::{Change, json_string};

/// A block of an element.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(super) speaker: Speaker,
    /// Of what it says, markers and the spelling of a single text apart.
    pub(super) hash: u64,
    /// In bytes.
    pub(super) weight: u32,
    pub(super) carrier: Carrier,
    /// The client's own marker.
    pub(super) marker: Option<Ttl>,
    /// How many more it holds, deeper inside.
    pub(super) others: u16,
    /// From the beginning of the element.
    pub(super) spot: Spot,
}

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    Instructor,
    User,
    Assistant,
    Tool,
}

/// What carries the marker of a block. Layouts differ on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    /// A part of a content that the assistant did not write.
    Content,
    /// A part of the assistant's.
    Answer,
    /// A message without content.
    Message,
    /// A tool's message.
    Tool,
    /// Nothing can: thinking, what is empty, a call beside words.
    Nothing,
}

/// Where a marker would stand, in the bytes of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    /// In an object that has other entries: before its closing brace.
    Object {
        /// Where that brace is.
        inside: u32,
    },
    /// In place of a marker that is `null`.
    Null {
        /// Where it begins.
        start: u32,
    },
    /// Around a string, which becomes a list of one text.
    Text {
        /// Where its first quote is.
        start: u32,
        /// Behind its last quote.
        end: u32,
    },
    /// Nowhere.
    Nowhere,
}

/// A marker, as it is written.
pub(super) struct Mark {
    key: &'static str,
    value: &'static str,
}

/// The client's markers in a block.
#[derive(Default)]
pub(super) struct Markers {
    /// The block's own.
    pub(super) own: Option<Ttl>,
    /// Deeper ones, and its own if it has two.
    pub(super) others: u16,
}

const CACHE_CONTROL: &str = "cache_control";
const BREAKPOINT: &str = "prompt_cache_breakpoint";

/// A picture or a document is about this much text, whatever its bytes.
const MEDIA_BYTES: usize = 6_400;
/// A string that is longer and has no blank near its beginning is data.
const DATA_FROM: usize = 4_096;

impl Mark {
    pub(super) fn of(layout: Layout, ttl: Ttl) -> Mark {
        match (layout, ttl) {
            (Layout::OpenAi, Ttl::Short | Ttl::Long) => Mark { key: BREAKPOINT, value: r#"{"mode":"explicit"}"# },
            (_, Ttl::Short) => Mark { key: CACHE_CONTROL, value: r#"{"type":"ephemeral"}"# },
            (_, Ttl::Long) => Mark { key: CACHE_CONTROL, value: r#"{"type":"ephemeral","ttl":"1h"}"# },
        }
    }

    /// As an entry of an object.
    pub(super) fn entry(&self) -> Vec<u8> {
        [&json_string(self.key)[..], b":", self.value.as_bytes()].concat()
    }
}

impl Spot {
    pub(super) fn moved_by(self, start: u32) -> Spot {
        match self {
            Spot::Object { inside } => Spot::Object { inside: inside + start },
            Spot::Null { start: null } => Spot::Null { start: null + start },
            Spot::Text { start: from, end } => Spot::Text { start: from + start, end: end + start },
            Spot::Nowhere => Spot::Nowhere,
        }
    }

    /// What puts a marker here.
    pub(super) fn changes(self, mark: &Mark, dialect: Dialect) -> Vec<Change> {
        let insert = |at: u32, bytes: Vec<u8>| Change { range: at as usize..at as usize, bytes };
        match self {
            Spot::Object { inside } => vec![insert(inside, [b",", &mark.entry()[..]].concat())],
            Spot::Null { start } => {
                let null = start as usize..start as usize + "null".len();
                vec![Change { range: null, bytes: mark.value.as_bytes().to_vec() }]
            }
            Spot::Text { start, end } => {
                let opening = format!(r#"[{{"type":{},"text":"#, dialect.text_type()).into_bytes();
                let closing = [b",", &mark.entry()[..], b"}]"].concat();
                vec![insert(start, opening), insert(end, closing)]
            }
            Spot::Nowhere => Vec::new(),
        }
    }
}

/// The blocks of a system prompt that stands outside of the list; places are those of the whole text.
pub(super) fn system_pieces(system: Value<'_>, dialect: Dialect) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let carrier = if dialect.system_takes_parts() { Carrier::Content } else { Carrier::Nothing };
    content(&mut pieces, system, Parts::All(dialect), Speaker::Instructor, carrier, 0);
    pieces
}

/// The blocks of an element.
pub(super) fn pieces_of(element: Value<'_>, dialect: Dialect) -> Box<[Piece]> {
    let mut pieces = Vec::new();
    match dialect {
        Dialect::AnthropicMessages => message(&mut pieces, element),
        Dialect::OpenAiChat => chat_message(&mut pieces, element),
        Dialect::OpenAiResponses => item(&mut pieces, element),
    }
    let start = element.span().start;
    pieces.iter_mut().for_each(|piece| piece.spot = piece.spot.back_by(start));
    pieces.into_boxed_slice()
}

impl Spot {
    fn back_by(self, start: u32) -> Spot {
        match self {
            Spot::Object { inside } => Spot::Object { inside: inside.saturating_sub(start) },
            Spot::Null { start: null } => Spot::Null { start: null.saturating_sub(start) },
            Spot::Text { start: from, end } => {
                Spot::Text { start: from.saturating_sub(start), end: end.saturating_sub(start) }
            }
            Spot::Nowhere => Spot::Nowhere,
        }
    }
}

/// Which parts of a list can be marked: Chat has one marker for a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    All(Dialect),
    Last,
}

fn message(pieces: &mut Vec<Piece>, element: Value<'_>) {
    let speaker = speaker(element);
    let Some(said) = element.get("content") else { return };
    let carrier = if speaker == Speaker::Assistant { Carrier::Answer } else { Carrier::Content };
    content(pieces, said, Parts::All(Dialect::AnthropicMessages), speaker, carrier, seed(speaker));
}

fn chat_message(pieces: &mut Vec<Piece>, element: Value<'_>) {
    let speaker = speaker(element);
    let mut hasher = Hasher::new(seed(speaker));
    for (key, value) in element.entries() {
        let told_elsewhere = ["role", "content", "tool_calls", CACHE_CONTROL].iter().any(|known| key.is_string(known));
        if !told_elsewhere {
            hasher.feed(key.raw());
            hasher.value(value);
        }
    }
    let carrier = match speaker {
        Speaker::Assistant => Carrier::Answer,
        Speaker::Tool => Carrier::Tool,
        Speaker::User | Speaker::Instructor => Carrier::Content,
    };
    let seed = hasher.finish();
    if let Some(said) = element.get("content") {
        content(pieces, said, Parts::Last, speaker, carrier, seed);
    }
    let is_empty = pieces.is_empty();
    for call in element.get("tool_calls").into_iter().flat_map(Value::items) {
        pieces.push(block(call, speaker, Carrier::Nothing, seed));
    }
    if pieces.is_empty() {
        // Its own marker is read below.
        pieces.push(Piece { marker: None, ..block(element, speaker, Carrier::Nothing, seed) });
    }
    let Some(last) = pieces.last_mut() else { return };
    // A tool's message that answers nothing we know of is carried as it is.
    let answers = || ["tool_call_id", "name"].iter().any(|key| element.get(key).and_then(Value::str).is_some());
    match speaker {
        Speaker::Tool => {
            last.carrier = if answers() { Carrier::Tool } else { Carrier::Nothing };
            last.spot = spot_in(element);
        }
        Speaker::Assistant | Speaker::User | Speaker::Instructor if is_empty => {
            last.carrier = Carrier::Message;
            last.spot = spot_in(element);
        }
        Speaker::Assistant | Speaker::User | Speaker::Instructor => {}
    }
    if let Some(own) = element.get(CACHE_CONTROL).filter(|marker| !marker.is_null()) {
        let before = last.marker.replace(ttl(own));
        last.others += u16::from(before.is_some());
    }
}

fn item(pieces: &mut Vec<Piece>, element: Value<'_>) {
    let kind = element.get("type").and_then(Value::str);
    let is_message = matches!(kind.as_deref(), None | Some("message")) && element.get("role").is_some();
    let speaker = match kind.as_deref() {
        _ if is_message => speaker(element),
        Some(kind) if kind.ends_with("_output") => Speaker::Tool,
        Some(_) => Speaker::Assistant,
        None => Speaker::User,
    };
    let carrier = if speaker == Speaker::Assistant { Carrier::Answer } else { Carrier::Content };
    match element.get("content").filter(|_| is_message) {
        Some(said) => {
            content(pieces, said, Parts::All(Dialect::OpenAiResponses), speaker, carrier, seed(speaker));
        }
        None => pieces.push(block(element, speaker, Carrier::Nothing, seed(speaker))),
    }
}

/// The blocks of a content: a string, a list of parts, or nothing.
fn content(pieces: &mut Vec<Piece>, content: Value<'_>, parts: Parts, speaker: Speaker, carrier: Carrier, seed: u64) {
    match content.kind() {
        Kind::String if content.is_string("") => {}
        Kind::String => {
            let raw = content.raw();
            let mut hasher = Hasher::new(seed);
            // As the list of one text that it may become, or was.
            let text_type = match parts {
                Parts::All(dialect) => dialect.text_type(),
                Parts::Last => Dialect::OpenAiChat.text_type(),
            };
            ["{", r#""type""#, text_type, r#""text""#, raw].into_iter().for_each(|leaf| hasher.feed(leaf));
            let span = content.span();
            let spot = if is_blank(content) { Spot::Nowhere } else { Spot::Text { start: span.start, end: span.end } };
            let (hash, weight) = (hasher.finish(), hasher.weight);
            pieces.push(Piece { speaker, hash, weight: offset(weight), carrier, marker: None, others: 0, spot });
        }
        Kind::Array => {
            let first = pieces.len();
            pieces.extend(content.items().map(|part| block(part, speaker, carrier, seed)));
            // The client's text before our note ends where it ended before there was one.
            let note = content.items().last().filter(|last| speaker == Speaker::Instructor && is_note(*last));
            if let Some(piece) = note.and_then(|_| pieces.last_mut()) {
                piece.carrier = Carrier::Nothing;
            }
            let carries = pieces.len().saturating_sub(1 + usize::from(note.is_some()));
            if parts == Parts::Last {
                pieces.iter_mut().take(carries).skip(first).for_each(|piece| piece.carrier = Carrier::Nothing);
            }
        }
        Kind::Object => pieces.push(block(content, speaker, carrier, seed)),
        Kind::Number | Kind::Literal => {}
    }
}

fn block(block: Value<'_>, speaker: Speaker, carrier: Carrier, seed: u64) -> Piece {
    let mut hasher = Hasher::new(seed);
    hasher.value(block);
    let Markers { own, others } = markers(block);
    let carrier = if can_be_marked(block) { carrier } else { Carrier::Nothing };
    let (hash, weight) = (hasher.finish(), offset(hasher.weight));
    Piece { speaker, hash, weight, carrier, marker: own, others, spot: spot_in(block) }
}

/// Thinking and empty texts are refused; of what we do not know we cannot tell.
fn can_be_marked(block: Value<'_>) -> bool {
    let kind = block.get("type").and_then(Value::str);
    match kind.as_deref() {
        Some("text" | "input_text") => block.get("text").is_some_and(|text| !is_blank(text)),
        Some("tool_use") => block.get("id").and_then(Value::str).is_some(),
        Some("tool_result") => block.get("tool_use_id").and_then(Value::str).is_some(),
        Some("image" | "document") => block.get("source").is_some(),
        Some("image_url" | "input_audio" | "file" | "input_image" | "input_file") => true,
        Some(_) | None => false,
    }
}

/// Whether a part of a system prompt is the note that a compaction put there.
fn is_note(part: Value<'_>) -> bool {
    // What is long is not unescaped for this.
    part.get("text").is_some_and(|text| text.raw().len() < 2 * NOTE.len() && text.is_string(NOTE))
}

fn is_blank(text: Value<'_>) -> bool {
    // What is long is not unescaped for this.
    text.raw().len() < 64 && text.str().is_none_or(|text| text.trim().is_empty())
}

fn spot_in(object: Value<'_>) -> Spot {
    match object.get(CACHE_CONTROL) {
        _ if object.kind() != Kind::Object || object.entries().next().is_none() => Spot::Nowhere,
        Some(null) if null.is_null() => Spot::Null { start: null.span().start },
        Some(_) => Spot::Nowhere,
        None => Spot::Object { inside: object.span().end.saturating_sub(1) },
    }
}

/// How long a marker keeps what it marks.
pub(crate) fn ttl(marker: Value<'_>) -> Ttl {
    if marker.get("ttl").is_some_and(|ttl| ttl.is_string("1h")) { Ttl::Long } else { Ttl::Short }
}

/// The client's markers in a block.
pub(super) fn markers(block: Value<'_>) -> Markers {
    let marker = |object: Value<'_>| {
        let set = [CACHE_CONTROL, BREAKPOINT].into_iter().filter_map(|key| object.get(key));
        set.filter(|marker| !marker.is_null()).map(ttl).next()
    };
    let own = marker(block);
    if memchr::memmem::find(block.raw().as_bytes(), b"cache_").is_none() {
        return Markers { own, others: 0 };
    }
    let all = block.inside().filter(|value| value.kind() == Kind::Object && marker(*value).is_some()).count();
    Markers { own, others: u16::try_from(all).unwrap_or(u16::MAX) }
}

/// Names what a block says, markers apart.
pub(super) fn content_hash(block: Value<'_>, seed: u64) -> u64 {
    let mut hasher = Hasher::new(seed);
    hasher.value(block);
    hasher.finish()
}

fn speaker(element: Value<'_>) -> Speaker {
    let role = element.get("role").and_then(Value::str);
    match role.as_deref() {
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        Some("tool" | "function") => Speaker::Tool,
        Some(_) | None => Speaker::Instructor,
    }
}

fn seed(speaker: Speaker) -> u64 {
    match speaker {
        Speaker::Instructor => 1,
        Speaker::User => 2,
        Speaker::Assistant => 3,
        Speaker::Tool => 4,
    }
}

struct Hasher {
    state: Xxh3,
    weight: usize,
}

impl Hasher {
    fn new(seed: u64) -> Hasher {
        Hasher { state: Xxh3::with_seed(seed), weight: 0 }
    }

    fn feed(&mut self, leaf: &str) {
        let bytes = leaf.as_bytes();
        self.state.update(bytes);
        // What follows is told apart from what stood before.
        self.state.update(&[0xff]);
        let opening = bytes.get(..bytes.len().min(512)).unwrap_or_default();
        let is_data = bytes.len() >= DATA_FROM && memchr::memchr(b' ', opening).is_none();
        self.weight += if is_data { MEDIA_BYTES } else { bytes.len() };
    }

    /// Everything that a value holds, in order, but for markers. Without recursion: no depth is too deep.
    fn value(&mut self, value: Value<'_>) {
        let has_markers = memchr::memmem::find(value.raw().as_bytes(), b"cache_").is_some();
        let mut skipped_to = 0;
        let mut marker_spans: Vec<(u32, u32)> = Vec::new();
        for inner in std::iter::once(value).chain(value.inside()) {
            let span = inner.span();
            if span.start < skipped_to {
                continue;
            }
            if let Some((_, end)) = marker_spans.iter().find(|(start, _)| *start == span.start) {
                skipped_to = *end;
                continue;
            }
            match inner.kind() {
                Kind::Object => {
                    if has_markers {
                        let marks = inner.entries();
                        let marks = marks.filter(|(key, _)| key.is_string(CACHE_CONTROL) || key.is_string(BREAKPOINT));
                        marker_spans.extend(marks.map(|(key, value)| (key.span().start, value.span().end)));
                    }
                    self.feed("{");
                }
                Kind::Array => self.feed("["),
                Kind::String | Kind::Number | Kind::Literal => self.feed(inner.raw()),
            }
        }
    }

    fn finish(&self) -> u64 {
        self.state.digest()
    }
}
