//! What breaks a client's cache: the first place where its request differs from its last one (M21).
//!
//! Of the last request names and hashes are remembered, no words: what stands at the place is read from the new one.

use epitome_core::cache::{PrefixHash, Prompt, Section};
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::model::Block;
use epitome_core::tokens::Tokens;
use epitome_store::records::CacheBreak;
use xxhash_rust::xxh3::xxh3_64;

use crate::received::Received;

/// A client's last request, as far as it must be known to find where the next one differs.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    /// What its whole history was called, and how many messages that were.
    history: Option<(usize, PrefixFingerprint)>,
    blocks: Vec<PrefixHash>,
    /// Of each part of the system prompt.
    system: Vec<Vec<u64>>,
}

/// A system prompt is known by stretches of so many bytes …
const STRETCH: usize = 64;
/// … up to this length.
const MOST_STRETCHES: usize = 4_096;
/// More parts of a system prompt are not compared.
const MOST_PARTS: usize = 8;
/// More blocks than this are not compared: what changes early is what costs.
const MOST_BLOCKS: usize = 8_192;
/// Of what stands at the place, so much is told.
const EXCERPT: usize = 80;

impl Trail {
    /// Where a request parts from the last one, if it goes on from it; and the next is compared with this one.
    ///
    /// A request that rewinds, forks or asks something else is another conversation, and breaks nothing.
    pub(crate) fn follow(&mut self, received: &Received, prompt: &Prompt) -> Option<CacheBreak> {
        let goes_on = self.history.is_some_and(|(messages, name)| {
            messages.checked_sub(1).and_then(|last| received.prefixes.get(last)) == Some(&name)
        });
        let both = prompt.blocks.iter().zip(&self.blocks);
        let parted = if goes_on { both.clone().position(|(block, known)| block.prefix != *known) } else { None };
        let broke = parted.map(|parted| self.describe(received, prompt, parted));
        self.history = received.prefixes.last().map(|name| (received.prefixes.len(), *name));
        self.blocks = prompt.blocks.iter().take(MOST_BLOCKS).map(|block| block.prefix).collect();
        self.system = system_texts(received).iter().take(MOST_PARTS).map(|text| stretches(text)).collect();
        broke
    }

    fn describe(&self, received: &Received, prompt: &Prompt, parted: usize) -> CacheBreak {
        let section = prompt.blocks.get(parted).map(|block| block.section);
        let nth = |section: Section| prompt.blocks.iter().take(parted).filter(|block| block.section == section).count();
        let lost = prompt.blocks.iter().skip(parted).take(self.blocks.len().saturating_sub(parted));
        let lost: Tokens = lost.map(|block| block.tokens).sum();
        let conversation = received.own.conversation();
        let (place, at, text) = match section {
            Some(Section::Tools) => {
                let tool = conversation.tools.get(nth(Section::Tools));
                let name = tool.map(|tool| tool.name.to_string()).unwrap_or_default();
                (format!("tools: {name}"), 0, tool.map(|tool| tool.text.to_string()).unwrap_or_default())
            }
            Some(Section::System) => {
                let part = nth(Section::System);
                let text = system_texts(received).get(part).map(ToString::to_string).unwrap_or_default();
                let known = self.system.get(part).map(Vec::as_slice).unwrap_or_default();
                let same = stretches(&text).iter().zip(known).take_while(|(now, before)| now == before).count();
                ("system".to_owned(), same * STRETCH, text)
            }
            Some(Section::Message(number) | Section::Instruction(number)) => {
                let json = received.own.message_json(number).unwrap_or_default();
                (format!("message {number}"), 0, json.into_owned())
            }
            None => ("the end".to_owned(), 0, String::new()),
        };
        let at = text.floor_char_boundary(at);
        let excerpt: String = text.get(at..).unwrap_or_default().chars().take(EXCERPT).collect();
        CacheBreak { place, at: at as u64, excerpt, lost }
    }
}

/// The texts of the system prompt, wherever the dialect puts it.
fn system_texts(received: &Received) -> Vec<&str> {
    let conversation = received.own.conversation();
    let leading = conversation.messages.iter().take(conversation.leading_system_messages());
    let blocks = conversation.system.iter().chain(leading.flat_map(|message| &message.blocks));
    blocks.filter_map(Block::as_text).map(|text| &**text).collect()
}

fn stretches(text: &str) -> Vec<u64> {
    text.as_bytes().chunks(STRETCH).take(MOST_STRETCHES).map(xxh3_64).collect()
}
