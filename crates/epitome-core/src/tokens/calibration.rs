//! Corrects counts by what the provider reports: its tokenizer is not ours, and it adds what we do not see.

use super::Tokens;

/// What was learnt about one model in one session: reported ≈ factor × counted + what is hidden.
///
/// A Kalman filter over these two numbers. The factor is about the model's tokenizer. What is hidden is a provider's own
/// prompt for tools, or a system prompt that was not recorded; it also takes up what the texts so far weigh more or less
/// than the factor says.
///
/// Serialized to be kept with a session, so that a restart does not forget.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Calibration {
    factor: f64,
    hidden: f64,
    /// How uncertain the two are, and how much they depend on each other.
    factor_variance: f64,
    hidden_variance: f64,
    covariance: f64,
    /// What was counted at the latest observation that was believed.
    latest: f64,
    /// How many were believed.
    observations: u32,
    /// How many since then were not.
    refused: u32,
}

/// What became of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Observed {
    /// It was learnt from.
    Believed,
    /// Far less was reported than expected: the client sent something else than what was counted, for example after it
    /// compacted its own history. Nothing was learnt.
    Refused,
}

/// The factor that a model's family had in the recorded sessions, relative to `o200k_base`; 1 for OpenAI and unknown ones.
pub fn prior_factor(model: &str) -> f64 {
    prior(model).0
}

/// The factor of a model's family, and how far a model may be from it.
fn prior(model: &str) -> (f64, f64) {
    let model = model.to_ascii_lowercase().replace('.', "-");
    let family = PRIOR_FACTORS.iter().find(|(family, ..)| model.contains(family));
    family.map_or((1.0, GUESSED), |(_, factor, deviation)| (*factor, *deviation))
}

/// The first that a name contains decides.
///
/// Medians over the sessions, by `bench/tokens`' program `calibrate`: what tools and people said between two calls, in the
/// tokens that the provider reported for it, divided by ours. (gpt-5.3-codex, 5.4, 5.5: 1.002 to 1.006.)
const PRIOR_FACTORS: [(&str, f64, f64); 11] = [
    ("gpt-", 1.0, MEASURED),
    ("opus-4-5", 1.28, MEASURED),
    ("opus-4-6", 1.29, MEASURED),
    ("opus-4-7", 1.63, MEASURED),
    ("opus-4-8", 1.54, MEASURED),
    ("sonnet-4-5", 1.22, MEASURED),
    // Taken to have the tokenizer that came with Opus 4.7.
    ("opus-5", 1.6, GUESSED),
    ("sonnet-5", 1.6, GUESSED),
    ("haiku-5", 1.6, GUESSED),
    ("claude-fable", 1.6, GUESSED),
    // Older ones, near to those that were measured.
    ("claude", 1.28, GUESSED),
];

/// How far a session of a family that was measured may be from the family's factor …
const MEASURED: f64 = 0.05;
/// … and of one that was not: the factors that were measured are all within two of these.
const GUESSED: f64 = 0.3;

/// Tokenizers of the families seen differ by no more.
const FACTORS: std::ops::RangeInclusive<f64> = 0.5..=3.0;

/// System prompts and tools of agents that do not record them are 5,000 to 50,000 tokens.
const HIDDEN_DEVIATION: f64 = 20_000.0;

/// One text's own factor is this far from the model's: code, prose and logs differ.
const TEXT_DEVIATION: f64 = 0.15;

/// The factor may drift, as the kind of work changes.
const FACTOR_DRIFT: f64 = 0.005;

/// Reported numbers are exact; what we counted for markup between messages is not.
const NOISE: f64 = 0.001;
const NOISE_FLOOR: f64 = 20.0;

/// An observation is strange when it is off by this share, and by this many deviations.
const STRANGE_SHARE: f64 = 0.15;
const STRANGE_DEVIATIONS: f64 = 4.0;

/// This many low ones in a row are no accident, if they are possible at all.
const REFUSED_AT_MOST: u32 = 3;

impl Calibration {
    /// Knows only the model's family.
    pub fn of_model(model: &str) -> Self {
        let (factor, deviation) = prior(model);
        Self::starting(factor, deviation)
    }

    /// Starts from a factor that is nearly right; 1 where the counter is that of the model.
    pub fn from_prior(factor: f64) -> Self {
        Self::starting(factor, MEASURED)
    }

    fn starting(factor: f64, deviation: f64) -> Self {
        Calibration {
            factor: factor.clamp(*FACTORS.start(), *FACTORS.end()),
            hidden: 0.0,
            factor_variance: deviation.powi(2),
            hidden_variance: HIDDEN_DEVIATION.powi(2),
            covariance: 0.0,
            latest: 0.0,
            observations: 0,
            refused: 0,
        }
    }

    /// What the provider will report for a request that we count `counted` tokens in.
    pub fn apply(&self, counted: Tokens) -> Tokens {
        Tokens(self.expected(counted.0 as f64).max(0.0).round() as u64)
    }

    /// Learns from the prompt tokens that were reported (cached ones included) for a request that we counted.
    pub fn observe(&mut self, counted: Tokens, reported: Tokens) -> Observed {
        let (counted, reported) = (counted.0 as f64, reported.0 as f64);
        // Nothing reported is no report.
        if reported <= 0.0 {
            return Observed::Refused;
        }
        // Since the latest observation texts came in or went, each with a factor of its own.
        let mut hidden_variance = self.hidden_variance;
        if self.observations > 0 {
            hidden_variance += (TEXT_DEVIATION * (counted - self.latest)).powi(2);
        }
        let factor_variance = self.factor_variance + FACTOR_DRIFT.powi(2);
        let noise = (NOISE * reported).max(NOISE_FLOOR).powi(2);

        let surprise = reported - self.expected(counted);
        let spread = |hidden_variance: f64| {
            factor_variance * counted * counted + 2.0 * self.covariance * counted + hidden_variance + noise
        };
        let strange = self.observations > 0
            && surprise.abs() > STRANGE_SHARE * reported.max(self.expected(counted))
            && surprise.abs() > STRANGE_DEVIATIONS * spread(hidden_variance).sqrt();
        if strange {
            // Less than expected cannot be believed where not even the tokens that we saw were charged, as small as the
            // factor may be.
            let least = self.factor - 2.0 * factor_variance.sqrt();
            let impossible = reported < least * counted * (1.0 - STRANGE_SHARE);
            if surprise < 0.0 && (impossible || self.refused < REFUSED_AT_MOST) {
                self.refused = self.refused.saturating_add(1);
                return Observed::Refused;
            }
            // More than expected is believed at once, since that is the direction in which requests fail. Either way
            // something hidden changed (tools came or went), not the tokenizer.
            hidden_variance += surprise.powi(2);
        }

        let total = spread(hidden_variance);
        let to_factor = (factor_variance * counted + self.covariance) / total;
        let to_hidden = (self.covariance * counted + hidden_variance) / total;
        self.factor += to_factor * surprise;
        self.hidden += to_hidden * surprise;
        let (factor_gain, hidden_gain) = (to_factor * total, to_hidden * total);
        self.factor_variance = (factor_variance - to_factor * factor_gain).max(1e-8);
        self.hidden_variance = (hidden_variance - to_hidden * hidden_gain).max(1.0);
        self.covariance -= to_factor * hidden_gain;
        self.keep_sane(counted, reported);
        self.latest = counted;
        self.observations = self.observations.saturating_add(1);
        self.refused = 0;
        Observed::Believed
    }

    /// The learnt ratio of the model's tokens to ours.
    pub fn factor(&self) -> f64 {
        self.factor
    }

    /// The learnt number of tokens that every request has beyond what we count.
    pub fn hidden(&self) -> Tokens {
        Tokens(self.hidden.max(0.0) as u64)
    }

    /// How many observations it rests on.
    pub fn observations(&self) -> u32 {
        self.observations
    }

    fn expected(&self, counted: f64) -> f64 {
        let latest = self.latest.max(1.0);
        if self.hidden < 0.0 && counted < latest {
            // Nothing hidden weighs less than nothing: the factor is too large by that, for what is smaller, too.
            return (self.factor * latest + self.hidden).max(0.0) * counted / latest;
        }
        self.factor * counted + self.hidden
    }

    /// No tokenizer is outside [`FACTORS`]; what the factor may not explain is hidden.
    fn keep_sane(&mut self, counted: f64, reported: f64) {
        if !FACTORS.contains(&self.factor) {
            self.factor = self.factor.clamp(*FACTORS.start(), *FACTORS.end());
            self.hidden = reported - self.factor * counted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A session that grows by uneven steps: what we count at each call.
    fn growing(calls: u64) -> impl Iterator<Item = u64> {
        (0..calls).map(|call| 2_000 + call * 1_500 + (call * call * 37) % 900)
    }

    #[track_caller]
    fn check_near(calibration: &Calibration, counted: u64, expected: u64) {
        let near = calibration.apply(Tokens(counted)).0 as f64;
        assert!((near / expected as f64 - 1.0).abs() < 0.01, "{near} for {expected}: {calibration:?}");
    }

    #[test]
    fn without_reports_the_prior_decides() {
        assert_eq!(Calibration::from_prior(1.25).apply(Tokens(1_000)), Tokens(1_250));
        assert_eq!(Calibration::of_model("gpt-5.4").apply(Tokens(1_000)), Tokens(1_000));
    }

    #[test]
    fn families_have_their_measured_factor() {
        let names = ["claude-opus-4.6", "anthropic/claude-opus-4-7", "claude-3-haiku", "gpt-5.4", "qwen3"];
        assert_eq!(names.map(prior_factor), [1.29, 1.63, 1.28, 1.0, 1.0]);
    }

    #[test]
    fn factor_and_hidden_prompt_are_learnt_from_the_third_call_on() {
        let mut calibration = Calibration::of_model("claude-opus-4-6");
        let report = |counted: u64| (counted as f64 * 1.31) as u64 + 18_000;
        for (call, counted) in growing(60).enumerate() {
            if call >= 2 {
                check_near(&calibration, counted, report(counted));
            }
            assert_eq!(calibration.observe(Tokens(counted), Tokens(report(counted))), Observed::Believed);
        }
        assert!((calibration.factor() - 1.31).abs() < 0.02, "{calibration:?}");
    }

    #[test]
    fn a_guess_that_is_wrong_is_given_up_soon() {
        let mut calibration = Calibration::of_model("claude-opus-5-5");
        for (call, counted) in growing(20).enumerate() {
            if call >= 8 {
                check_near(&calibration, counted, counted + 500);
            }
            assert_eq!(calibration.observe(Tokens(counted), Tokens(counted + 500)), Observed::Believed);
        }
        // Also where a compaction has made the prompt much smaller.
        assert!((calibration.apply(Tokens(8_000)).0 as f64 / 8_500.0 - 1.0).abs() < 0.15, "{calibration:?}");
    }

    #[test]
    fn a_factor_that_is_too_large_does_not_make_a_small_prompt_vanish() {
        let mut calibration = Calibration::from_prior(1.3);
        for counted in (40_000..60_000).step_by(1_000) {
            calibration.observe(Tokens(counted), Tokens(counted * 7 / 10));
        }
        // Half of it goes, and then nearly all.
        for counted in [30_000, 3_000] {
            let expected = calibration.apply(Tokens(counted)).0 as f64 / (counted as f64 * 0.7);
            assert!((expected - 1.0).abs() < 0.05, "{expected}: {calibration:?}");
        }
    }

    #[test]
    fn a_compaction_by_the_client_ruins_nothing() {
        let mut calibration = Calibration::from_prior(1.0);
        for counted in growing(40) {
            calibration.observe(Tokens(counted), Tokens(counted * 6 / 5));
        }
        let before = calibration.clone();
        for counted in (62_000..90_000).step_by(1_000) {
            assert_eq!(calibration.observe(Tokens(counted), Tokens(counted - 50_000)), Observed::Refused);
        }
        assert_eq!(calibration.apply(Tokens(60_000)), before.apply(Tokens(60_000)));
    }

    #[test]
    fn new_tools_are_believed_at_once_and_leave_the_factor_alone() {
        let mut calibration = Calibration::from_prior(1.0);
        for counted in growing(40) {
            calibration.observe(Tokens(counted), Tokens(counted + 1_000));
        }
        let factor = calibration.factor();
        assert_eq!(calibration.observe(Tokens(62_000), Tokens(93_000)), Observed::Believed);
        check_near(&calibration, 63_000, 94_000);
        assert!((calibration.factor() - factor).abs() < 0.02, "{calibration:?}");
    }

    #[test]
    fn no_report_makes_nonsense_of_it() {
        let mut calibration = Calibration::from_prior(1.0);
        for (counted, reported) in [(0, 0), (0, 5), (u64::MAX, 1), (1, u64::MAX), (u64::MAX, u64::MAX), (10, 10)] {
            calibration.observe(Tokens(counted), Tokens(reported));
            assert!(FACTORS.contains(&calibration.factor()), "{calibration:?}");
        }
    }

    #[test]
    fn it_survives_being_stored() {
        let mut calibration = Calibration::of_model("claude-opus-4-6");
        calibration.observe(Tokens(10_000), Tokens(31_234));
        let stored = serde_json::to_string(&calibration).unwrap();
        let read: Calibration = serde_json::from_str(&stored).unwrap();
        assert_eq!(read.apply(Tokens(90_000)), calibration.apply(Tokens(90_000)));
        assert_eq!(read.observations(), 1);
    }
}
