//! What calls cost: tokens as providers report them, in dollars.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use serde::{Deserialize, Serialize};

use crate::catalogue::ModelFacts;
use crate::tokens::Tokens;

/// US dollars, in billionths, so that sums are exact. A saving may be negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "f64", into = "f64")]
pub struct Dollars(i64);

/// What a provider reported for one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The whole prompt, cached parts included.
    pub prompt: u64,
    /// Of it, read from a cache.
    pub cache_read: u64,
    /// Of it, written to a cache, for however long.
    pub cache_write: u64,
    /// Of what was written, for longer than usual (an hour at Anthropic).
    pub cache_write_long: u64,
    /// The answer, reasoning included.
    pub output: u64,
}

/// What a call costs; `None` where the model's prices are not known.
///
/// Long prompts may have other prices, and then all tokens of the call have them. A cache whose price is not known costs
/// what the prompt does.
pub fn cost(usage: &Usage, facts: &ModelFacts) -> Option<Dollars> {
    let prices = facts.prices_at(Tokens(usage.prompt));
    let (input, output) = (prices.input?, prices.output?);
    let write = prices.cache_write_5m.unwrap_or(input);
    let long = usage.cache_write_long.min(usage.cache_write);
    let plain = usage.prompt.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write);
    let parts = [
        (plain, input),
        (usage.cache_read, prices.cache_read.unwrap_or(input)),
        (usage.cache_write - long, write),
        (long, prices.cache_write_1h.unwrap_or(write)),
        (usage.output, output),
    ];
    // A dollar for a million tokens is a thousand billionths for one.
    Some(Dollars(parts.iter().map(|(tokens, price)| *tokens as f64 * price * 1e3).sum::<f64>().round() as i64))
}

impl Dollars {
    /// Nothing.
    pub const ZERO: Dollars = Dollars(0);

    /// From a number of dollars.
    pub fn new(dollars: f64) -> Dollars {
        Dollars((dollars * 1e9).round() as i64)
    }

    /// As a number of dollars.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl From<f64> for Dollars {
    fn from(dollars: f64) -> Dollars {
        Dollars::new(dollars)
    }
}

impl From<Dollars> for f64 {
    fn from(dollars: Dollars) -> f64 {
        dollars.as_f64()
    }
}

impl fmt::Display for Dollars {
    /// As people read it: cents, and as many digits more as there are below a dollar.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let dollars = self.as_f64().abs();
        let digits = if dollars >= 1.0 || self.0 == 0 { 2 } else { 4 };
        formatter.pad(&format!("{sign}${dollars:.digits$}"))
    }
}

impl Add for Dollars {
    type Output = Dollars;

    fn add(self, other: Dollars) -> Dollars {
        Dollars(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Dollars {
    fn add_assign(&mut self, other: Dollars) {
        *self = *self + other;
    }
}

impl Sub for Dollars {
    type Output = Dollars;

    fn sub(self, other: Dollars) -> Dollars {
        Dollars(self.0.saturating_sub(other.0))
    }
}

impl Neg for Dollars {
    type Output = Dollars;

    fn neg(self) -> Dollars {
        Dollars::ZERO - self
    }
}

impl Sum for Dollars {
    fn sum<I: Iterator<Item = Dollars>>(iter: I) -> Dollars {
        iter.fold(Dollars::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Catalogue;

    fn facts(json: &str) -> ModelFacts {
        let catalogue = Catalogue::embedded().with_overrides(&format!(r#"{{"m": {json}}}"#)).expect("right");
        catalogue.lookup("m").facts().clone()
    }

    const PRICES: &str = r#"{"context": 200000, "input": 3, "output": 15, "cache_read": 0.3, "cache_write_5m": 3.75,
        "cache_write_1h": 6, "above": {"200000": {"input": 6, "output": 22.5}}}"#;

    #[track_caller]
    fn check(prices: &str, usage: Usage, expected: Option<f64>) {
        assert_eq!(cost(&usage, &facts(prices)).map(Dollars::as_f64), expected);
    }

    const USAGE: Usage =
        Usage { prompt: 100_000, cache_read: 80_000, cache_write: 15_000, cache_write_long: 5_000, output: 1_000 };

    #[test]
    fn every_kind_of_token_has_its_price() {
        // 5,000 × 3 + 80,000 × 0.3 + 10,000 × 3.75 + 5,000 × 6 + 1,000 × 15, for a million each.
        check(PRICES, USAGE, Some(0.1215));
        check(PRICES, Usage::default(), Some(0.0));
    }

    #[test]
    fn long_prompts_cost_more_in_all_their_tokens() {
        // Twice the prices of the prompt, as its input's; the answer's is named.
        check(PRICES, Usage { prompt: 300_000, ..USAGE }, Some(1.4355));
    }

    #[test]
    fn a_cache_without_a_price_costs_what_the_prompt_does() {
        check(r#"{"context": 1000, "input": 1, "output": 2}"#, USAGE, Some(0.102));
        check(r#"{"context": 1000, "input": 1}"#, USAGE, None);
    }

    #[test]
    fn what_a_provider_says_need_not_make_sense() {
        let most = u64::MAX;
        let absurd = Usage { prompt: 0, cache_read: most, cache_write: 1, cache_write_long: most, output: most };
        assert!(cost(&absurd, &facts(PRICES)).is_some());
    }

    #[test]
    fn what_is_written_down_reads_back() {
        for billionths in [0, 1, -7, 123_456_789_012, 9_007_199_254_740_991] {
            let dollars = Dollars(billionths);
            let written = serde_json::to_string(&dollars).expect("a number");
            assert_eq!(serde_json::from_str::<Dollars>(&written).expect("a number"), dollars);
        }
    }

    #[test]
    fn a_loss_is_shown_as_one() {
        let shown = [-0.0123, 0.0, 0.5, 1234.567].map(|dollars| Dollars::new(dollars).to_string());
        assert_eq!(shown, ["-$0.0123", "$0.00", "$0.5000", "$1234.57"]);
        assert_eq!(-Dollars::new(2.0) + Dollars::new(0.5), Dollars::new(-1.5));
    }
}
