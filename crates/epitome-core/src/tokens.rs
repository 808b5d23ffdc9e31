//! Tokens: the unit of windows and bills, and how they are counted.

mod bpe;
mod cache;
mod calibration;
mod doubt;
mod estimate;
mod memory;
mod scaled;
mod segments;
mod sizes;
mod sources;

pub use bpe::BpeCounter;
pub use cache::CachedCounter;
pub use calibration::{Calibration, Observed, prior_factor};
pub use doubt::doubtful_share;
pub use estimate::{ESTIMATE_MARGIN, RoughCounter, estimate};
pub use scaled::ScaledCounter;
pub use sizes::Sizes;
pub use sources::{
    OPAQUE_AT_MOST, Precision, Source, TOKENS_PER_CALL, TOKENS_PER_MESSAGE, by_source, conversation_tokens,
    message_tokens, prefix_tokens,
};

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// A number of tokens. Subtraction stops at zero: a size is never negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Tokens(pub u64);

/// Counts the tokens of a text.
///
/// Every implementation is deterministic in its arguments and cheap to call again.
pub trait TokenCounter: Send + Sync {
    /// The number that decisions may rest on when they are close.
    fn count(&self, text: &str) -> Tokens;

    /// A number that is a few percent off at most on ordinary text and much cheaper to have.
    fn estimate(&self, text: &str) -> Tokens;
}

impl<C: TokenCounter + ?Sized> TokenCounter for &C {
    fn count(&self, text: &str) -> Tokens {
        (**self).count(text)
    }

    fn estimate(&self, text: &str) -> Tokens {
        (**self).estimate(text)
    }
}

impl Tokens {
    /// `share` of this number, rounded down.
    #[must_use]
    pub fn share(self, share: f64) -> Tokens {
        // Sizes of conversations are far below 2^52, where every integer is a float.
        Tokens((self.0 as f64 * share) as u64)
    }
}

/// A number and what is counted: `1 message`, `1,234 messages`. The plural ends with an s.
pub fn counted(number: u64, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {what}{plural}", Tokens(number))
}

impl fmt::Display for Tokens {
    /// With thousands separated, as people read them: `94,900`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index).is_multiple_of(3) {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        formatter.pad(&grouped)
    }
}

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        *self = *self + other;
    }
}

impl Sub for Tokens {
    type Output = Tokens;

    fn sub(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_sub(other.0))
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(iter: I) -> Tokens {
        iter.fold(Tokens(0), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        assert_eq!(counted(0, "message"), "0 messages");
        assert_eq!(counted(1, "message"), "1 message");
        assert_eq!(counted(1_234, "message"), "1,234 messages");
    }

    #[test]
    fn numbers_are_written_as_people_read_them() {
        let written: Vec<_> = [0, 999, 1_000, 94_900, 1_234_567].iter().map(|n| Tokens(*n).to_string()).collect();
        assert_eq!(written, ["0", "999", "1,000", "94,900", "1,234,567"]);
    }
}
