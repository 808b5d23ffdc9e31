//! A provider's cache as its rules describe it: what was written, and what a request would read.

use std::collections::HashMap;

use super::{Block, Caching, PrefixHash, Prompt, Rules, Ttl};
use crate::tokens::Tokens;

/// What one lineage of requests has left in the provider's cache, as far as its rules tell.
///
/// Entries are found by what they hold, so that an edit of the prompt loses those behind it and no others.
#[derive(Debug, Clone, Default)]
pub struct ProviderCache {
    written: HashMap<PrefixHash, Written>,
    /// The last request, where everything is cached.
    chain: Vec<PrefixHash>,
    /// When the last request came.
    last_ms: Option<u64>,
    /// Whether a request came so late that [`Ttl::Short`] was over.
    paused: bool,
}

#[derive(Debug, Clone, Copy)]
struct Written {
    ttl: Ttl,
    used_ms: u64,
}

/// What the tokens of one prompt are billed as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Billed {
    /// Read from the cache.
    pub read: Tokens,
    /// Written to it for [`Ttl::Short`].
    pub written_short: Tokens,
    /// Written to it for [`Ttl::Long`].
    pub written_long: Tokens,
    /// Neither.
    pub plain: Tokens,
}

/// More entries than this are not remembered; the longest unused go. A request writes four at most.
const MOST_ENTRIES: usize = 256;
/// Of the last request, no more blocks than these are remembered.
const MOST_BLOCKS: usize = 8_192;

impl ProviderCache {
    /// Whether nothing was seen yet.
    pub fn is_empty(&self) -> bool {
        self.written.is_empty() && self.chain.is_empty()
    }

    /// Whether a request that was seen came so late after the one before it that what lives for [`Ttl::Short`] was
    /// forgotten.
    pub fn has_paused(&self) -> bool {
        self.paused
    }

    /// The same, with a request that comes now.
    pub fn has_paused_by(&self, rules: &Rules, now_ms: u64) -> bool {
        self.paused || self.last_ms.is_some_and(|last| now_ms > last.saturating_add(rules.lifetime_ms(Ttl::Short)))
    }

    /// The deepest block of a prompt up to which something alive was written.
    pub fn deepest(&self, prompt: &Prompt, rules: &Rules, now_ms: u64) -> Option<usize> {
        prompt.blocks.iter().rposition(|block| self.alive(block.prefix, rules, now_ms))
    }

    /// What a request with this prompt would be billed as, and what it leaves behind.
    pub fn request(&mut self, prompt: &Prompt, rules: &Rules, now_ms: u64) -> Billed {
        let billed = match rules.caching {
            Caching::Marked { lookback } => self.marked(prompt, rules, lookback, now_ms),
            Caching::Automatic { step } => self.automatic(prompt, rules, step, now_ms),
            Caching::None => Billed { plain: prompt.tokens(), ..Billed::default() },
        };
        self.paused = self.has_paused_by(rules, now_ms);
        self.last_ms = Some(now_ms);
        billed
    }

    fn marked(&mut self, prompt: &Prompt, rules: &Rules, lookback: usize, now_ms: u64) -> Billed {
        let marked = prompt.marked();
        let ends = ends(&prompt.blocks);
        let end = |index: Option<usize>| index.and_then(|index| ends.get(index)).copied().unwrap_or_default();
        let hit = marked.iter().filter_map(|(index, _)| self.found_from(*index, prompt, rules, lookback, now_ms)).max();
        for index in marked.iter().map(|(index, _)| *index).chain(hit).filter(|index| Some(*index) <= hit) {
            // Using it keeps it alive.
            let entry = prompt.blocks.get(index).and_then(|block| self.written.get_mut(&block.prefix));
            if let Some(entry) = entry.filter(|entry| now_ms <= entry.used_ms + rules.lifetime_ms(entry.ttl)) {
                entry.used_ms = now_ms;
            }
        }
        let mut billed = Billed { read: end(hit), ..Billed::default() };
        let mut last = hit;
        for (index, ttl) in marked {
            let Some(block) = prompt.blocks.get(index).filter(|_| Some(index) > last) else { continue };
            if end(Some(index)) < rules.minimum {
                continue;
            }
            let tokens = end(Some(index)) - end(last);
            match ttl {
                Ttl::Short => billed.written_short += tokens,
                Ttl::Long => billed.written_long += tokens,
            }
            last = Some(index);
            self.written.insert(block.prefix, Written { ttl, used_ms: now_ms });
        }
        billed.plain = prompt.tokens() - end(last);
        self.forget(rules, now_ms);
        billed
    }

    /// What the provider finds when it looks back from a marker.
    fn found_from(&self, marker: usize, prompt: &Prompt, rules: &Rules, lookback: usize, now_ms: u64) -> Option<usize> {
        let looked_at = prompt.blocks.iter().enumerate().take(marker + 1).rev().take(lookback);
        looked_at.filter(|(_, block)| self.alive(block.prefix, rules, now_ms)).map(|(index, _)| index).next()
    }

    fn automatic(&mut self, prompt: &Prompt, rules: &Rules, step: u64, now_ms: u64) -> Billed {
        let alive = self.last_ms.is_some_and(|last| now_ms <= last.saturating_add(rules.lifetime_ms(Ttl::Short)));
        let same = prompt.blocks.iter().zip(&self.chain).take_while(|(block, known)| block.prefix == **known);
        let common: Tokens = if alive { same.map(|(block, _)| block.tokens).sum() } else { Tokens(0) };
        let steps = common.0.checked_div(step).map_or(common.0, |steps| steps * step);
        let read = if common >= rules.minimum { Tokens(steps) } else { Tokens(0) };
        self.chain = prompt.blocks.iter().take(MOST_BLOCKS).map(|block| block.prefix).collect();
        Billed { read, plain: prompt.tokens() - read, ..Billed::default() }
    }

    fn alive(&self, prefix: PrefixHash, rules: &Rules, now_ms: u64) -> bool {
        let entry = self.written.get(&prefix);
        entry.is_some_and(|entry| now_ms <= entry.used_ms.saturating_add(rules.lifetime_ms(entry.ttl)))
    }

    fn forget(&mut self, rules: &Rules, now_ms: u64) {
        self.written.retain(|_, entry| now_ms <= entry.used_ms.saturating_add(rules.lifetime_ms(entry.ttl)));
        if self.written.len() > MOST_ENTRIES {
            let mut used: Vec<u64> = self.written.values().map(|entry| entry.used_ms).collect();
            used.sort_unstable_by(|one, other| other.cmp(one));
            let oldest = used.get(MOST_ENTRIES / 2).copied().unwrap_or_default();
            self.written.retain(|_, entry| entry.used_ms > oldest);
        }
    }
}

impl Billed {
    /// All of the prompt.
    pub fn prompt(&self) -> Tokens {
        self.read + self.written_short + self.written_long + self.plain
    }
}

/// How many tokens there are up to the end of each block.
fn ends(blocks: &[Block]) -> Vec<Tokens> {
    let sum = |sum: &mut Tokens, block: &Block| {
        *sum += block.tokens;
        Some(*sum)
    };
    blocks.iter().scan(Tokens(0), sum).collect()
}
