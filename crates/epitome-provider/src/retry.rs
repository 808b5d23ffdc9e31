//! When a call that failed is made again: later each time, never in step with others, and as the provider asks.

use std::time::Duration;

use crate::error::AskError;

/// How often, and how long to wait between.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Calls in all, the first included.
    pub calls: u32,
    /// The wait before the second call; it doubles.
    pub first: Duration,
    /// No wait of ours is longer.
    pub longest: Duration,
    /// A provider that asks for a longer wait is not waited for.
    pub longest_asked: Duration,
    /// Tells one process from another, so that not all ask again at once.
    pub seed: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            calls: 4,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(30),
            longest_asked: Duration::from_secs(60),
            seed: 0,
        }
    }
}

impl Retry {
    /// How long to wait before the call after `failed` failed ones. `None`: it is given up.
    pub fn wait(&self, failed: u32, error: &AskError) -> Option<Duration> {
        if failed >= self.calls || !error.is_worth_retrying() {
            return None;
        }
        match error.retry_after() {
            Some(asked) if asked > self.longest_asked => None,
            Some(asked) => Some(asked),
            None => Some(self.backoff(failed)),
        }
    }

    /// Between half and all of a wait that doubles with each failure.
    fn backoff(&self, failed: u32) -> Duration {
        let doubled = self.first.saturating_mul(1 << failed.saturating_sub(1).min(16)).min(self.longest);
        // SplitMix64: the next number after a seed, evenly spread.
        let mut mixed = self.seed.wrapping_add(u64::from(failed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let share = (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64;
        doubled.mul_f64(0.5 + 0.5 * share)
    }
}

/// What `Retry-After` says in seconds. A date would need a clock, and is taken for nothing.
pub fn retry_after(header: &str) -> Option<Duration> {
    let seconds: f64 = header.trim().parse().ok()?;
    (seconds.is_finite() && seconds >= 0.0).then(|| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, retry_after: Option<u64>) -> AskError {
        AskError::Status { host: "h".into(), status, kind: None, retry_after: retry_after.map(Duration::from_secs) }
    }

    #[test]
    fn waits_double_and_are_spread() {
        let retry = Retry { calls: 9, seed: 7, ..Retry::default() };
        for (failed, full) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (6, 30.0)] {
            let wait = retry.wait(failed, &status(503, None)).expect("it is tried again").as_secs_f64();
            assert!((full / 2.0..=full).contains(&wait), "{failed}: {wait}");
        }
        let other = Retry { seed: 8, ..retry.clone() };
        assert_ne!(retry.wait(1, &status(503, None)), other.wait(1, &status(503, None)));
        assert_eq!(retry.wait(1, &status(503, None)), retry.clone().wait(1, &status(503, None)));
    }

    #[test]
    fn the_provider_is_heard_within_reason() {
        let retry = Retry::default();
        assert_eq!(retry.wait(1, &status(429, Some(3))), Some(Duration::from_secs(3)));
        assert_eq!(retry.wait(1, &status(429, Some(3_600))), None);
    }

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        let retry = Retry::default();
        for (code, again) in [(429, true), (500, true), (502, true), (503, true), (504, true), (529, true)] {
            assert_eq!(retry.wait(1, &status(code, None)).is_some(), again, "{code}");
        }
        for code in [400, 401, 402, 403, 404, 422] {
            assert_eq!(retry.wait(1, &status(code, Some(1))), None, "{code}");
        }
        assert_eq!(retry.wait(4, &status(503, None)), None, "four calls are enough");
        let broke = AskError::Status {
            host: "h".into(),
            status: 429,
            kind: Some("insufficient_quota".into()),
            retry_after: None,
        };
        assert_eq!(retry.wait(1, &broke), None);
    }

    #[test]
    fn retry_after_is_read() {
        assert_eq!(retry_after(" 2 "), Some(Duration::from_secs(2)));
        assert_eq!(retry_after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(retry_after("1e300"), Some(Duration::MAX));
        for nothing in ["", "-1", "NaN", "Wed, 21 Oct 2026 07:28:00 GMT"] {
            assert_eq!(retry_after(nothing), None, "{nothing}");
        }
    }
}
