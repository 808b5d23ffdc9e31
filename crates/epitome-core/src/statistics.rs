//! What compactions have saved so far (M16).

use serde::{Deserialize, Serialize};

use crate::tokens::Tokens;

/// One compaction, as it is logged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompactionRecord {
    /// When, in milliseconds since 1970; given by the caller, as this crate has no clock.
    pub at_ms: u64,
    /// Tokens before.
    pub before: Tokens,
    /// Tokens after.
    pub after: Tokens,
    /// Messages before.
    pub messages_before: usize,
    /// Messages after.
    pub messages_after: usize,
}

/// Totals over compactions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// How many.
    pub total_compressions: u64,
    /// Tokens before minus tokens after, summed.
    pub total_tokens_saved: Tokens,
    /// The mean of the ratios.
    pub average_compression_ratio: f64,
}

impl CompactionRecord {
    /// (before − after) / before; 0 for an empty request.
    pub fn ratio(&self) -> f64 {
        if self.before.0 == 0 { 0.0 } else { 1.0 - self.after.0 as f64 / self.before.0 as f64 }
    }
}

impl Statistics {
    /// Adds a compaction.
    pub fn add(&mut self, record: &CompactionRecord) {
        let sum = self.average_compression_ratio * self.total_compressions as f64 + record.ratio();
        self.total_compressions += 1;
        self.total_tokens_saved += record.before - record.after;
        self.average_compression_ratio = sum / self.total_compressions as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_those_of_the_chapter() {
        let mut statistics = Statistics::default();
        for (before, after) in [(100_000, 40_000), (80_000, 60_000)] {
            let record = CompactionRecord {
                at_ms: 0,
                before: Tokens(before),
                after: Tokens(after),
                messages_before: 45,
                messages_after: 25,
            };
            statistics.add(&record);
        }
        assert_eq!(statistics.total_compressions, 2);
        assert_eq!(statistics.total_tokens_saved, Tokens(80_000));
        assert!((statistics.average_compression_ratio - 0.425).abs() < 1e-9);
    }
}
