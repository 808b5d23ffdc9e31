//! What a provider's cache accepts and promises, as data.

use std::time::Duration;

use super::Ttl;
use crate::tokens::Tokens;

/// The rules of a provider's prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// How a prompt gets into the cache.
    pub caching: Caching,
    /// So many markers are accepted in one request; one more is an error.
    pub most: usize,
    /// A prefix that is shorter is silently not cached.
    pub minimum: Tokens,
    /// How long [`Ttl::Short`] is.
    pub short: Duration,
    /// How long [`Ttl::Long`] is.
    pub long: Duration,
    /// What becomes of a message that cannot carry a marker, where the last messages are to have one.
    pub unmarkable: Unmarkable,
}

/// How a prompt gets into a provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caching {
    /// At markers alone. A request finds what was written up to `lookback` positions before one of its own markers, the
    /// marked block being the first of them.
    Marked {
        /// How many positions are looked at.
        lookback: usize,
    },
    /// All of it, without being asked; what is found again is rounded down to `step` tokens. Writing costs nothing.
    Automatic {
        /// The size of a step.
        step: u64,
    },
    /// Nothing is.
    None,
}

/// What becomes of a message that cannot carry a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmarkable {
    /// The one before it gets the marker.
    Skipped,
    /// It takes its place among the last messages, without a marker.
    Counted,
}

impl Rules {
    /// Anthropic's, natively or passed on by somebody. The minimum depends on the model.
    pub const fn anthropic(minimum: Tokens) -> Rules {
        Rules {
            caching: Caching::Marked { lookback: 20 },
            most: 4,
            minimum,
            short: Duration::from_secs(5 * 60),
            long: Duration::from_secs(60 * 60),
            unmarkable: Unmarkable::Skipped,
        }
    }

    /// OpenAI's since GPT-5.6: breakpoints like Anthropic's, found again however far back they are (of the latest 80).
    pub const fn openai_marked() -> Rules {
        Rules {
            caching: Caching::Marked { lookback: usize::MAX },
            most: 4,
            minimum: Tokens(1_024),
            short: Duration::from_secs(30 * 60),
            long: Duration::from_secs(12 * 60 * 60),
            unmarkable: Unmarkable::Skipped,
        }
    }

    /// A cache that needs no markers: OpenAI's before that, and those of most who speak its dialects.
    pub const fn automatic() -> Rules {
        Rules {
            caching: Caching::Automatic { step: 128 },
            most: 0,
            minimum: Tokens(1_024),
            // It is kept for five to ten minutes.
            short: Duration::from_secs(10 * 60),
            long: Duration::from_secs(60 * 60),
            unmarkable: Unmarkable::Skipped,
        }
    }

    /// How long something written so is kept after it was last used, in milliseconds.
    pub fn lifetime_ms(&self, ttl: Ttl) -> u64 {
        let lifetime = match ttl {
            Ttl::Short => self.short,
            Ttl::Long => self.long,
        };
        u64::try_from(lifetime.as_millis()).unwrap_or(u64::MAX)
    }

    /// How many positions before a marker are looked at, itself included.
    pub(super) fn lookback(&self) -> usize {
        match self.caching {
            Caching::Marked { lookback } => lookback,
            Caching::Automatic { .. } | Caching::None => 0,
        }
    }
}
