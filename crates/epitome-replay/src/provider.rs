//! A simulated provider: the rules of its cache, and who places the breakpoints of a request.

use epitome_core::cache::{
    Billed, Block, Breakpoint, Caching, End, Memory, Place, PrefixHash, Prompt, ProviderCache, Rules, Section, Ttl,
    Wanted, stateful, system_and_3,
};
use epitome_core::tokens::Tokens;

use crate::trace::{Kind, Piece};

/// Who places breakpoints, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// By what was written before.
    Stateful {
        /// How long system prompt and tools are kept, once the session has paused for more than five minutes.
        prefix_after_pause: Ttl,
    },
    /// The system prompt and the last three messages.
    SystemAnd3 {
        /// What counts as a message.
        messages: Messages,
    },
    /// As Claude Code does: the system prompt and the last two messages, as it sends them.
    Client {
        /// How long everything is kept.
        ttl: Ttl,
    },
    /// Every block ends a cached prefix, for five minutes: what no provider offers, as a measure.
    Unlimited,
    /// None are needed.
    Automatic,
}

/// What counts as a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Messages {
    /// Every tool result is one, as OpenAI's dialect has it.
    Single,
    /// The results of a turn are one, as providers see them.
    Merged,
}

/// A provider, and what is in its cache.
#[derive(Debug, Clone)]
pub struct Provider {
    rules: Rules,
    strategy: Strategy,
    cache: ProviderCache,
}

/// What a request was billed as, and the breakpoints it went with.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Its tokens.
    pub billed: Billed,
    /// Where its breakpoints stood, and for how long.
    pub breakpoints: Vec<(usize, Ttl)>,
}

/// The shortest prefix that is cached, for most models.
const MINIMUM: Tokens = Tokens(1_024);

impl Provider {
    /// Anthropic, or OpenAI if breakpoints are not needed.
    pub fn new(strategy: Strategy) -> Provider {
        let rules = match strategy {
            Strategy::Automatic => Rules::automatic(),
            // The last request is all there is to find, to the token; what is not found is written.
            Strategy::Unlimited => {
                Rules { caching: Caching::Automatic { step: 1 }, minimum: Tokens(0), ..Rules::anthropic(MINIMUM) }
            }
            Strategy::Stateful { .. } | Strategy::SystemAnd3 { .. } | Strategy::Client { .. } => {
                Rules::anthropic(MINIMUM)
            }
        };
        Provider { rules, strategy, cache: ProviderCache::default() }
    }

    /// With other rules.
    #[must_use]
    pub fn with_rules(mut self, rules: Rules) -> Provider {
        self.rules = rules;
        self
    }

    /// From now on breakpoints are placed otherwise; what was written stays.
    pub fn set_strategy(&mut self, strategy: Strategy) {
        self.strategy = strategy;
    }

    /// How long messages stay cached, in seconds.
    pub fn lifetime(&self) -> f64 {
        self.rules.lifetime_ms(Ttl::Short) as f64 / 1_000.0
    }

    /// How much of the last request's prefix of `prefix` tokens is cached after a pause that the messages do not survive.
    pub fn prefix_after(&self, gap: f64, prefix: u64) -> u64 {
        let keeps_long = matches!(self.strategy, Strategy::Stateful { prefix_after_pause: Ttl::Long });
        // The last request was marked so if there was a pause before it.
        let kept_long = keeps_long && self.cache.has_paused();
        let lives = gap * 1_000.0 <= self.rules.lifetime_ms(Ttl::Long) as f64;
        if kept_long && lives { prefix } else { 0 }
    }

    /// Answers a request that comes at `now` (in seconds), with `boundary` as the last block of the newest summary.
    pub fn request(&mut self, pieces: &[Piece], boundary: Option<usize>, now: f64) -> Answered {
        let now_ms = (now * 1_000.0).round() as u64;
        let single = matches!(self.strategy, Strategy::SystemAnd3 { messages: Messages::Single });
        let prompt = prompt(pieces, if single { Messages::Single } else { Messages::Merged });
        let placed = match self.strategy {
            Strategy::Stateful { prefix_after_pause } => {
                let memory = Memory { cache: &self.cache, boundary, now_ms };
                let wanted = Wanted { ttl: Ttl::Short, prefix_after_pause, end: End::Walk };
                stateful(&prompt, &self.rules, memory, wanted)
            }
            Strategy::SystemAnd3 { .. } => system_and_3(&prompt, &self.rules, Ttl::Short),
            Strategy::Client { ttl } => client(&prompt, ttl),
            Strategy::Unlimited | Strategy::Automatic => Vec::new(),
        };
        let prompt = prompt.with(&placed);
        let mut billed = self.cache.request(&prompt, &self.rules, now_ms);
        if self.strategy == Strategy::Unlimited {
            billed.written_short = std::mem::take(&mut billed.plain);
        }
        let at = |breakpoint: &Breakpoint| match breakpoint.place {
            Place::Block(index) => (index, breakpoint.ttl),
            Place::Automatic => (pieces.len().saturating_sub(1), breakpoint.ttl),
        };
        Answered { billed, breakpoints: placed.iter().map(at).collect() }
    }
}

fn prompt(pieces: &[Piece], messages: Messages) -> Prompt {
    let mut prefix = PrefixHash::default();
    let block = |piece: &Piece| {
        prefix = prefix.followed_by(piece.key);
        let number = match messages {
            Messages::Single => piece.turn,
            Messages::Merged => piece.merged,
        };
        let section = if piece.kind == Kind::Prefix { Section::System } else { Section::Message(number) };
        let may_carry = piece.kind.takes_breakpoint();
        Block { section, tokens: Tokens(piece.tokens), prefix, may_carry, marker: None }
    };
    Prompt { blocks: pieces.iter().map(block).collect(), ..Prompt::default() }
}

/// The system prompt and the ends of the last two messages.
fn client(prompt: &Prompt, ttl: Ttl) -> Vec<Breakpoint> {
    let is_end = |index: usize, block: &Block| {
        prompt.blocks.get(index + 1).is_none_or(|next| next.section != block.section) && block.may_carry
    };
    let ends = prompt.blocks.iter().enumerate().rev().filter(|(index, block)| is_end(*index, block));
    let messages = ends.clone().filter(|(_, block)| block.section != Section::System).take(2);
    let system = ends.filter(|(_, block)| block.section == Section::System).take(1);
    let mut places: Vec<usize> = messages.chain(system).map(|(index, _)| index).collect();
    places.sort_unstable();
    places.into_iter().map(|index| Breakpoint { place: Place::Block(index), ttl }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};
    use crate::play::play;
    use crate::policies::{CostSettings, Name};
    use crate::prices::PriceSet;

    /// What the prompts of generated sessions with up to 30 calls a turn cost, relative to unlimited breakpoints.
    fn relative_cost(strategy: Strategy) -> f64 {
        let prices = PriceSet::anthropic("r0.10", 0.1);
        let cost = |strategy: Strategy| -> f64 {
            let sessions = (1..5).map(|seed| generate(&Shape::fan_out(60), seed));
            let played = sessions.map(|trace| {
                let mut policy = Name::None.build(&trace, 10_000_000, &prices, &CostSettings::default());
                play(&trace, &mut *policy, Provider::new(strategy), &prices, &mut |_| {}).bill.prompts()
            });
            played.sum()
        };
        cost(strategy) / cost(Strategy::Unlimited)
    }

    #[test]
    fn remembering_what_was_written_survives_turns_with_many_calls_and_system_and_3_does_not() {
        let stateful = relative_cost(Strategy::Stateful { prefix_after_pause: Ttl::Short });
        assert!(stateful <= 1.01, "{stateful}");
        let merged = relative_cost(Strategy::SystemAnd3 { messages: Messages::Merged });
        assert!(merged <= 1.02, "{merged}");
        let single = relative_cost(Strategy::SystemAnd3 { messages: Messages::Single });
        assert!(single > 1.3, "{single}");
    }

    #[test]
    fn clients_mark_the_system_prompt_and_the_last_two_messages() {
        let piece = |kind, merged, key| Piece { kind, tokens: 2_000, key, turn: merged, merged };
        let pieces = [
            piece(Kind::Prefix, 0, 1),
            piece(Kind::User, 1, 2),
            piece(Kind::Text, 2, 3),
            piece(Kind::Call, 2, 4),
            piece(Kind::Result, 3, 5),
            piece(Kind::Result, 3, 6),
        ];
        let mut provider = Provider::new(Strategy::Client { ttl: Ttl::Short });
        let answered = provider.request(&pieces, None, 0.0);
        assert_eq!(answered.breakpoints, [0, 3, 5].map(|at| (at, Ttl::Short)));
        assert_eq!(provider.request(&pieces, None, 299.0).billed.read, Tokens(12_000));
        assert_eq!(provider.request(&pieces, None, 700.0).billed.read, Tokens(0));
    }
}
