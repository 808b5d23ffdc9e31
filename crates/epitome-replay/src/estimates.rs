//! Are sizes known before a call? What the calibrated count said, against what the provider reported afterwards.

use epitome_core::tokens::{Calibration, Tokens};

use crate::trace::Trace;

/// One call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// What was expected before it.
    pub expected: u64,
    /// What was reported.
    pub reported: u64,
}

impl Estimate {
    /// How far off it was, as a share of what was reported.
    pub fn error(&self) -> f64 {
        self.expected.abs_diff(self.reported) as f64 / self.reported.max(1) as f64
    }
}

/// From this call on something has been learnt.
const FROM: usize = 2;

/// Follows a session as a gateway would: count, estimate, send, learn from the report. A compaction by the agent itself
/// starts a new history, as the gateway sees one.
pub fn estimate(trace: &Trace) -> Vec<Estimate> {
    let mut calibration = Calibration::of_model(trace.model.as_deref().unwrap_or_default());
    let mut counted = trace.prefix_counted;
    let mut estimates = Vec::new();
    let mut calls = 0;
    for call in &trace.calls {
        counted += call.counted;
        if call.reset {
            // What else the prompt holds now was not recorded. It is another history, of a model that is known better.
            calibration = Calibration::from_prior(calibration.factor());
            (calls, counted) = (0, call.counted);
        }
        let Some(usage) = call.recorded else { continue };
        let reported = usage.total();
        if calls >= FROM {
            estimates.push(Estimate { expected: calibration.apply(Tokens(counted)).0, reported });
        }
        calibration.observe(Tokens(counted), Tokens(reported));
        calls += 1;
    }
    estimates
}

/// The error that this share of all estimates stays below.
pub fn quantile(estimates: &[Estimate], share: f64) -> Option<f64> {
    let mut errors: Vec<f64> = estimates.iter().map(Estimate::error).collect();
    errors.sort_by(f64::total_cmp);
    let at = ((errors.len() as f64 * share) as usize).min(errors.len().checked_sub(1)?);
    errors.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate_of(expected: u64, reported: u64) -> Estimate {
        Estimate { expected, reported }
    }

    #[test]
    fn errors_are_shares_of_what_was_reported() {
        let estimates: Vec<Estimate> = (0..100).map(|off| estimate_of(1_000 + off, 1_000)).collect();
        assert_eq!(quantile(&estimates, 0.5), Some(0.05));
        assert_eq!(quantile(&estimates, 0.95), Some(0.095));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_steady_model_is_known_from_the_third_call_on_and_again_after_a_compaction() {
        let trace = crate::generator::reported(30, Some(15));
        let estimates = estimate(&trace);
        // Two calls teach, at the start and behind the compaction.
        assert_eq!(estimates.len(), 31 - 4);
        assert!(quantile(&estimates, 0.95).is_some_and(|error| error < 0.01), "{estimates:?}");
    }
}
