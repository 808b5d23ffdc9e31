//! The provider's tokens for one of ours, from how recorded prompts grew.

/// What is known of one request.
pub(super) struct Observed {
    /// What it added, in our tokens.
    pub(super) counted: u64,
    /// What the provider reported for the whole.
    pub(super) reported: Option<u64>,
    /// The agent compacted its prompt just before.
    pub(super) reset: bool,
}

/// What was learnt.
pub(super) struct Learnt {
    /// The provider's tokens for one of ours.
    pub(super) factor: f64,
    /// For each request, whether the prompt was compacted before it.
    pub(super) resets: Vec<bool>,
}

/// Of Claude's models of 2025, relative to `o200k_base`: where a recording reports nothing.
const UNKNOWN: f64 = 1.15;
/// Less growth teaches nothing.
const ENOUGH: u64 = 2_000;
/// A prompt that shrinks to this was compacted, even where the recording does not say so.
const SHRUNK: f64 = 0.7;
/// No tokenizer is outside of this, with the thinking that was not recorded.
const FACTORS: std::ops::RangeInclusive<f64> = 0.8..=3.0;

pub(super) fn learn(requests: &[Observed]) -> Learnt {
    let (mut grown, mut counted) = (0.0, 0);
    let mut previous: Option<u64> = None;
    let mut resets = Vec::with_capacity(requests.len());
    for request in requests {
        let mut reset = request.reset;
        if let (Some(reported), Some(before)) = (request.reported, previous) {
            let shrunk = reported as f64 <= SHRUNK * before as f64;
            if !reset && !shrunk {
                grown += reported as f64 - before as f64;
                counted += request.counted;
            }
            reset |= shrunk;
        }
        resets.push(reset);
        previous = request.reported;
    }
    let known = counted > ENOUGH && grown > 0.0;
    let factor = if known { grown / counted as f64 } else { UNKNOWN };
    Learnt { factor: factor.clamp(*FACTORS.start(), *FACTORS.end()), resets }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(requests: &[(u64, u64)], factor: f64, resets: &[bool]) {
        let observed = |(counted, reported): &(u64, u64)| Observed {
            counted: *counted,
            reported: (*reported > 0).then_some(*reported),
            reset: false,
        };
        let learnt = learn(&requests.iter().map(observed).collect::<Vec<_>>());
        assert!((learnt.factor - factor).abs() < 1e-9, "{}", learnt.factor);
        assert_eq!(learnt.resets, resets);
    }

    #[test]
    fn growth_tells_the_factor_and_the_first_prompt_does_not() {
        check(&[(100, 20_000), (1_000, 21_300), (2_000, 23_900)], 1.3, &[false; 3]);
    }

    #[test]
    fn too_little_growth_tells_nothing() {
        check(&[(100, 20_000), (1_000, 21_300)], UNKNOWN, &[false; 2]);
        check(&[(5_000, 0), (5_000, 0)], UNKNOWN, &[false; 2]);
    }

    #[test]
    fn a_prompt_that_shrinks_was_compacted() {
        check(&[(100, 90_000), (1_000, 30_000), (4_000, 34_000)], 1.0, &[false, true, false]);
    }
}
