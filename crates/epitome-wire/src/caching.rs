//! A request as a provider's cache sees it, and the markers in it.
//!
//! [`Request::cached`] reads the blocks, the core says where markers go, [`Request::mark`] splices them in. Nothing else
//! moves; only a string that is to carry a marker becomes a list of one text.

mod difference;
mod pieces;

pub use difference::{Difference, first_difference};
pub(crate) use pieces::{Piece, Spot, ttl};

use epitome_core::cache::{Block, Breakpoint, Place, PrefixHash, Prompt, Section, Ttl};
use epitome_core::tokens::Tokens;
use memchr::memmem;

use self::pieces::{Carrier, Mark, Speaker, content_hash, pieces_of, system_pieces};
use crate::dialect::Dialect;
use crate::error::SpliceError;
use crate::json::{Document, Span};
use crate::request::{Container, Envelope, OwnCache, Request};
use crate::splice::{Change, Spliced, finish, json_string};

/// Where a provider reads its markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Anthropic's messages: on blocks, tools and parts of the system prompt.
    Messages,
    /// Chat messages that somebody turns into Anthropic's: on parts of a content, or on a message itself where it has no
    /// content or is a tool's.
    ChatNative,
    /// Chat messages through OpenRouter: the same, but for tools' messages, which carry none.
    OpenRouter,
    /// OpenAI's own, in both of its dialects: `prompt_cache_breakpoint` on parts that the assistant did not write. The end
    /// is marked by the provider itself.
    OpenAi,
}

/// A request as a provider's cache sees it.
#[derive(Debug, Clone)]
pub struct Cached {
    /// What the core plans with. Sizes are rough: bytes, a quarter of them.
    pub prompt: Prompt,
    layout: Layout,
    /// Where a marker of each block would stand.
    spots: Vec<Spot>,
}

impl Request {
    /// The blocks of this request, in the order in which the provider reads them, with the client's own markers.
    pub fn cached(&self, layout: Layout) -> Cached {
        let mut reading =
            Reading { layout, prefix: PrefixHash::default(), prompt: Prompt::default(), spots: Vec::new() };
        self.read_tools(&mut reading);
        self.read_system(&mut reading);
        let mut leading = self.dialect() != Dialect::AnthropicMessages;
        for (number, span) in self.elements().iter().enumerate() {
            let fresh;
            let pieces = match self.known_elements().get(number) {
                Some(known) => known.pieces.get_or_init(|| self.pieces_at(*span)),
                None => {
                    fresh = self.pieces_at(*span);
                    &fresh
                }
            };
            let speaker = pieces.first().map(|piece| piece.speaker);
            leading &= speaker == Some(Speaker::Instructor);
            let section = match speaker {
                Some(Speaker::Instructor) if leading => Section::System,
                Some(Speaker::Instructor) => Section::Instruction(number),
                Some(Speaker::Assistant | Speaker::Tool | Speaker::User) | None => Section::Message(number),
            };
            pieces.iter().for_each(|piece| reading.push(piece, section, span.start));
        }
        let implicit = (layout == Layout::OpenAi).then_some(Ttl::Short);
        reading.prompt.automatic = self.envelope().automatic_marker.or(implicit);
        Cached { prompt: reading.prompt, layout, spots: reading.spots }
    }

    /// The last block of a message.
    pub fn last_block_of(&self, cached: &Cached, message: usize) -> Option<usize> {
        let number = self.elements_of(message)?.end.checked_sub(1)?;
        cached.prompt.blocks.iter().rposition(|block| block.section == Section::Message(number))
    }

    /// The client's bytes with markers in them, as planned for `cached`, which this request gave.
    pub fn mark(&self, cached: &Cached, breakpoints: &[Breakpoint]) -> Result<Spliced, SpliceError> {
        let mut changes = Vec::new();
        for breakpoint in breakpoints {
            let mark = Mark::of(cached.layout, breakpoint.ttl);
            match breakpoint.place {
                Place::Block(index) => {
                    let spot = cached.spots.get(index).ok_or(SpliceError::AnotherConversation)?;
                    changes.extend(spot.changes(&mark, self.dialect()));
                }
                Place::Automatic => changes.push(self.beside_messages(mark.entry())?),
            }
        }
        finish(self.bytes(), changes)
    }

    /// One more entry of the object around the messages, behind the others.
    fn beside_messages(&self, entry: Vec<u8>) -> Result<Change, SpliceError> {
        if self.container() != Container::Object {
            return Err(SpliceError::AnotherConversation);
        }
        behind_the_last_entry(self.bytes(), &entry).ok_or(SpliceError::AnotherConversation)
    }

    fn read_tools(&self, reading: &mut Reading) {
        let tools = &self.conversation().tools;
        let (Some(span), Some(last)) = (self.tools_span(), tools.len().checked_sub(1)) else { return };
        // Only the end of the list is ever marked by us, so that the others need no place.
        let list = self.text().get(span.range()).unwrap_or_default();
        let inside = list.strip_suffix(']').map(str::trim_end).filter(|inside| inside.ends_with('}'));
        for (index, tool) in tools.iter().enumerate() {
            let marked = memmem::find(tool.text.as_bytes(), b"cache_control").is_some();
            let deferred = memmem::find(tool.text.as_bytes(), b"defer_loading").is_some();
            let document =
                if marked { Document::read(&tool.text, crate::json::DuplicateKeys::Carry).ok() } else { None };
            let root = document.as_ref().and_then(Document::single_root);
            let (hash, markers) = match root {
                Some(root) => (content_hash(root, 0), pieces::markers(root)),
                None => (xxhash_rust::xxh3::xxh3_64(tool.text.as_bytes()), Default::default()),
            };
            let end = inside.filter(|_| index == last).map(|inside| span.start + offset(inside.len()));
            let spot = match end.filter(|_| !marked && !deferred) {
                Some(end) => Spot::Object { inside: end - 1 },
                None => Spot::Nowhere,
            };
            let carrier =
                if self.dialect() == Dialect::AnthropicMessages { Carrier::Content } else { Carrier::Nothing };
            let piece = Piece {
                speaker: Speaker::Instructor,
                hash,
                weight: offset(tool.text.len()),
                carrier,
                marker: markers.own,
                others: markers.others,
                spot,
            };
            reading.push(&piece, Section::Tools, 0);
        }
    }

    fn read_system(&self, reading: &mut Reading) {
        let Some(span) = self.system_span() else { return };
        let Ok(document) = Document::read_value(self.text(), span) else { return };
        let Some(system) = document.single_root() else { return };
        for piece in system_pieces(system, self.dialect()) {
            reading.push(&piece, Section::System, 0);
        }
    }

    /// What stands at an element of the list; places count from its beginning.
    fn pieces_at(&self, span: Span) -> Box<[Piece]> {
        let Ok(document) = Document::read_value(self.text(), span) else { return Box::default() };
        document.single_root().map(|element| pieces_of(element, self.dialect())).unwrap_or_default()
    }
}

/// A request with a `prompt_cache_key`, where `envelope` is what it says beside its conversation. `None`: it has one, or
/// says itself how it is cached.
pub fn with_cache_key(request: &[u8], envelope: &Envelope, key: &str) -> Option<Vec<u8>> {
    if envelope.own_cache != OwnCache::default() {
        return None;
    }
    let entry = [&json_string("prompt_cache_key")[..], b":", &json_string(key)].concat();
    let spliced = finish(request, vec![behind_the_last_entry(request, &entry)?]).ok()?;
    Some(spliced.bytes)
}

/// One more entry of the object that a request is. Requests have others before it.
fn behind_the_last_entry(request: &[u8], entry: &[u8]) -> Option<Change> {
    let inside = request.trim_ascii_end().len().checked_sub(1)?;
    Some(Change { range: inside..inside, bytes: [b",", entry].concat() })
}

/// A prompt that is being read.
struct Reading {
    layout: Layout,
    prefix: PrefixHash,
    prompt: Prompt,
    spots: Vec<Spot>,
}

impl Reading {
    fn push(&mut self, piece: &Piece, section: Section, start: u32) {
        self.prefix = self.prefix.followed_by(piece.hash);
        let spot = piece.spot.moved_by(start);
        // What carries the client's own marker can carry one, though not another.
        let has_place = spot != Spot::Nowhere || piece.marker.is_some();
        self.prompt.blocks.push(Block {
            section,
            tokens: Tokens(u64::from(piece.weight) / 4 + 1),
            prefix: self.prefix,
            may_carry: has_place && self.layout.takes(piece.carrier),
            marker: piece.marker,
        });
        self.prompt.nested += usize::from(piece.others);
        self.spots.push(spot);
    }
}

impl Layout {
    fn takes(self, carrier: Carrier) -> bool {
        match (self, carrier) {
            (_, Carrier::Nothing) => false,
            (Layout::Messages | Layout::ChatNative | Layout::OpenRouter, Carrier::Content | Carrier::Answer) => true,
            (Layout::ChatNative | Layout::OpenRouter, Carrier::Message) => true,
            (Layout::ChatNative, Carrier::Tool) => true,
            (Layout::OpenAi, Carrier::Content) => true,
            (Layout::OpenAi, Carrier::Answer | Carrier::Message | Carrier::Tool) => false,
            (Layout::Messages, Carrier::Message | Carrier::Tool) | (Layout::OpenRouter, Carrier::Tool) => false,
        }
    }
}

/// Texts above 4 GiB are refused when they are read.
fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
