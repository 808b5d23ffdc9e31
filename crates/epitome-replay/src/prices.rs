//! What tokens cost: relative to one token of uncached input, and in dollars where a model says so.

use epitome_core::cache::Billed;
use epitome_core::catalogue::{Catalogue, Lookup, Prices};
use epitome_core::cost::trigger::Rates;

/// The prices of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceSet {
    /// As it is typed.
    pub name: String,
    /// Read from the cache.
    pub read: f64,
    /// Written for five minutes.
    pub write: f64,
    /// Written for an hour.
    pub write_long: f64,
    /// Said by the model.
    pub output: f64,
    /// Dollars for a million tokens of uncached input, where a model was named.
    pub dollars: Option<f64>,
}

/// Prices that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PriceError {
    /// Neither a set of ours nor a model that is known.
    #[error("no prices are known for {name:?}")]
    Unknown {
        /// What was typed.
        name: String,
    },
    /// A model whose cache has no price.
    #[error("the catalogue does not say what {name:?} charges for {missing}")]
    Incomplete {
        /// The model.
        name: String,
        /// What is missing.
        missing: &'static str,
    },
}

/// Anthropic's multipliers: a write costs 1.25 for five minutes and 2 for an hour, and output five times the input.
const WRITE: f64 = 1.25;
const WRITE_LONG: f64 = 2.0;
const OUTPUT: f64 = 5.0;

impl PriceSet {
    /// Anthropic's multipliers with this price of reading.
    pub fn anthropic(name: &str, read: f64) -> PriceSet {
        PriceSet { name: name.to_owned(), read, write: WRITE, write_long: WRITE_LONG, output: OUTPUT, dollars: None }
    }

    /// `r0.10`, `r0.05`, any other `r` with a number, or a model of the catalogue.
    pub fn named(name: &str, catalogue: &Catalogue) -> Result<PriceSet, PriceError> {
        let read = name.strip_prefix('r').and_then(|read| read.parse::<f64>().ok());
        if let Some(read) = read.filter(|read| (0.0..=1.0).contains(read)) {
            return Ok(PriceSet::anthropic(name, read));
        }
        match catalogue.lookup(name) {
            Lookup::Known(facts) | Lookup::Family(facts, _) => PriceSet::of_model(name, &facts.prices),
            Lookup::Unknown(_) => Err(PriceError::Unknown { name: name.to_owned() }),
        }
    }

    fn of_model(name: &str, prices: &Prices) -> Result<PriceSet, PriceError> {
        let missing = |missing| PriceError::Incomplete { name: name.to_owned(), missing };
        let input = prices.input.filter(|input| *input > 0.0).ok_or_else(|| missing("input"))?;
        let output = prices.output.ok_or_else(|| missing("output"))? / input;
        let read = prices.cache_read.ok_or_else(|| missing("reading its cache"))? / input;
        // Where writing has no price of its own it is input.
        let write = prices.cache_write_5m.map_or(1.0, |price| price / input);
        let write_long = prices.cache_write_1h.map_or(write, |price| price / input);
        Ok(PriceSet { name: name.to_owned(), read, write, write_long, output, dollars: Some(input) })
    }

    /// The rates that the cost rule takes.
    pub fn rates(&self) -> Rates {
        Rates { read: self.read, write: self.write, output: self.output }
    }

    /// What a prompt costs.
    pub fn prompt(&self, billed: &Billed) -> Bill {
        Bill {
            read: self.read * billed.read.0 as f64,
            written: self.write * billed.written_short.0 as f64 + self.write_long * billed.written_long.0 as f64,
            uncached: billed.plain.0 as f64,
            ..Bill::default()
        }
    }
}

/// A bill, in tokens of uncached input.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bill {
    /// For reading the cache.
    pub read: f64,
    /// For writing it.
    pub written: f64,
    /// For input that was neither.
    pub uncached: f64,
    /// For answers.
    pub output: f64,
    /// For the summariser's calls.
    pub summaries: f64,
}

impl Bill {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.read + self.written + self.uncached + self.output + self.summaries
    }

    /// What depends on where breakpoints stand.
    pub fn prompts(&self) -> f64 {
        self.read + self.written + self.uncached
    }

    /// Adds another.
    pub fn add(&mut self, other: &Bill) {
        self.read += other.read;
        self.written += other.written;
        self.uncached += other.uncached;
        self.output += other.output;
        self.summaries += other.summaries;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_named_by_their_price_of_reading() {
        let set = PriceSet::named("r0.05", &Catalogue::embedded()).unwrap();
        assert_eq!((set.read, set.write, set.write_long, set.output, set.dollars), (0.05, 1.25, 2.0, 5.0, None));
    }

    #[test]
    fn a_models_prices_are_relative_to_its_input() {
        let set = PriceSet::named("claude-opus-4-6", &Catalogue::embedded()).unwrap();
        assert_eq!((set.read, set.write, set.output, set.dollars), (0.1, 1.25, 5.0, Some(5.0)));
    }

    #[test]
    fn a_model_nobody_knows_has_no_prices() {
        let error = PriceSet::named("r2d2", &Catalogue::embedded()).unwrap_err();
        assert_eq!(error, PriceError::Unknown { name: "r2d2".to_owned() });
    }
}
