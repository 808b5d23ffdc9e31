//! Where the breakpoints of a provider's prompt cache go: strategies are functions, what a provider accepts is data.
//!
//! Reading order: this file (a prompt as a cache sees it) → [`Rules`] → [`ProviderCache`] (what was written, and what a
//! request would read) → the strategies [`system_and_3`] and [`stateful`].

mod provider;
mod rules;
mod slots;
mod stateful;
mod system_and_3;

pub use provider::{Billed, ProviderCache};
pub use rules::{Caching, Rules, Unmarkable};
pub use stateful::{End, Memory, Wanted, stateful};
pub use system_and_3::system_and_3;

use crate::tokens::Tokens;

/// How long the provider keeps what was written, since it was last used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ttl {
    /// Five minutes at Anthropic; what a marker without a word about it means.
    Short,
    /// An hour at Anthropic.
    Long,
}

/// Names a prompt from its beginning up to the end of a block: each block's name is chained to those before it, markers
/// apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PrefixHash(u64);

impl PrefixHash {
    /// With one block more, by the hash of what it says.
    #[must_use]
    pub fn followed_by(self, content: u64) -> PrefixHash {
        // Odd multipliers of the golden ratio: order matters, and a block that hashes to zero does not vanish.
        let mixed = (self.0.rotate_left(23) ^ content).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        PrefixHash(mixed ^ (mixed >> 29))
    }
}

/// In which part of a prompt a block stands. Providers read them in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Section {
    /// A tool definition.
    Tools,
    /// The system prompt, wherever the dialect puts it.
    System,
    /// A message, by its number.
    Message(usize),
    /// An instruction among the messages. It is no turn, and strategies do not count it as one.
    Instruction(usize),
}

/// The smallest thing that a provider's cache can end at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Where it stands.
    pub section: Section,
    /// Its size.
    pub tokens: Tokens,
    /// Everything up to its end.
    pub prefix: PrefixHash,
    /// Whether a marker can stand on it: not on thinking, not on what is empty, and not where the layout has no place for
    /// one.
    pub may_carry: bool,
    /// The client's own marker.
    pub marker: Option<Ttl>,
}

/// A prompt as a cache sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prompt {
    /// In the order in which the provider reads them.
    pub blocks: Vec<Block>,
    /// The provider marks the last block itself, because the client asks for it (a `cache_control` beside the messages)
    /// or because it always does. It takes one of the slots.
    pub automatic: Option<Ttl>,
    /// The client's markers that stand deeper inside blocks. They take slots too.
    pub nested: usize,
}

/// A marker that is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breakpoint {
    /// Where.
    pub place: Place,
    /// For how long.
    pub ttl: Ttl,
}

/// Where a marker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// On a block, by its index.
    Block(usize),
    /// Beside the messages, so that the provider puts it on the last block.
    Automatic,
}

impl Prompt {
    /// All of it.
    pub fn tokens(&self) -> Tokens {
        self.blocks.iter().map(|block| block.tokens).sum()
    }

    /// How many markers the client has set, which count against the provider's limit.
    pub fn markers(&self) -> usize {
        let explicit = self.blocks.iter().filter(|block| block.marker.is_some()).count();
        explicit + self.nested + usize::from(self.automatic.is_some())
    }

    /// The same prompt with sizes that come to `total`, if it has any.
    #[must_use]
    pub fn scaled_to(mut self, total: Tokens) -> Prompt {
        let factor = total.0 as f64 / self.tokens().0.max(1) as f64;
        let (mut exact, mut given) = (0.0, 0);
        for block in &mut self.blocks {
            // What was given so far is never a token off, so that the whole is not either.
            exact += block.tokens.0 as f64 * factor;
            block.tokens = Tokens((exact.round() as u64).saturating_sub(given));
            given += block.tokens.0;
        }
        self
    }

    /// The same prompt with markers added.
    #[must_use]
    pub fn with(mut self, breakpoints: &[Breakpoint]) -> Prompt {
        for breakpoint in breakpoints {
            match breakpoint.place {
                Place::Block(index) => {
                    if let Some(block) = self.blocks.get_mut(index) {
                        block.marker = Some(breakpoint.ttl);
                    }
                }
                Place::Automatic => self.automatic = Some(breakpoint.ttl),
            }
        }
        self
    }

    /// The markers in the order of the prompt, by block; the automatic one is where the provider puts it.
    fn marked(&self) -> Vec<(usize, Ttl)> {
        let mut marked: Vec<(usize, Ttl)> =
            self.blocks.iter().enumerate().filter_map(|(index, block)| Some((index, block.marker?))).collect();
        if let Some((index, ttl)) = self.last_block().zip(self.automatic)
            && marked.last().is_none_or(|(last, _)| *last < index)
        {
            marked.push((index, ttl));
        }
        marked
    }

    /// The last block, whether we could mark it or not: the provider marks what clients cannot.
    fn last_block(&self) -> Option<usize> {
        self.blocks.len().checked_sub(1)
    }

    /// The last block of a section that can carry a marker.
    fn end_of(&self, section: Section) -> Option<usize> {
        let here = |block: &Block| block.section == section && block.may_carry;
        self.blocks.iter().rposition(here)
    }
}

#[cfg(test)]
mod tests;
