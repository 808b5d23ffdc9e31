//! Counts in another model's tokens: those of a known vocabulary, times a factor.

use super::{TokenCounter, Tokens};

/// A counter whose numbers are multiplied by a factor, for models whose vocabulary is not public.
#[derive(Debug, Clone, Copy)]
pub struct ScaledCounter<C> {
    counter: C,
    factor: f64,
}

impl<C> ScaledCounter<C> {
    /// `counter`, times `factor`.
    pub fn new(counter: C, factor: f64) -> Self {
        ScaledCounter { counter, factor }
    }
}

impl<C: TokenCounter> TokenCounter for ScaledCounter<C> {
    fn count(&self, text: &str) -> Tokens {
        scale(self.counter.count(text), self.factor)
    }

    fn estimate(&self, text: &str) -> Tokens {
        scale(self.counter.estimate(text), self.factor)
    }
}

fn scale(tokens: Tokens, factor: f64) -> Tokens {
    Tokens((tokens.0 as f64 * factor).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::RoughCounter;

    #[test]
    fn a_text_that_is_there_is_never_counted_as_nothing() {
        let counter = ScaledCounter::new(RoughCounter, 0.3);
        assert_eq!(counter.count("a"), Tokens(1));
        assert_eq!(counter.count(""), Tokens(0));
    }
}
