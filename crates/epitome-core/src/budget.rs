//! What a request may weigh, and what of it is protected.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::catalogue::without_providers;
use crate::cost::trigger::{Action, ShadowPrices};
use crate::tokens::Tokens;

/// What the configuration says about compaction (M4).
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Compaction starts at this share of the window.
    pub threshold: f64,
    /// Compaction starts at this many tokens at the latest, whatever the share of the window is.
    pub threshold_tokens: Option<Tokens>,
    /// Models with a threshold of their own, by the beginning of their name.
    pub model_thresholds: BTreeMap<String, Threshold>,
    /// The protected tail, as a share of the threshold.
    pub target_ratio: f64,
    /// Messages protected at the start; the system prompt counts as one.
    pub protect_first_n: usize,
    /// Messages protected at the end, at least.
    pub protect_last_n: usize,
    /// What becomes of old tool outputs.
    pub outputs: Outputs,
    /// Whether the largest old outputs go first (M15).
    pub controller: Controller,
    /// How large the protected tail is.
    pub tail: Tail,
    /// What decides that it is time.
    pub trigger: Trigger,
}

/// Where compaction starts for a model that has a threshold of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Threshold {
    /// At this share of the window.
    Share(f64),
    /// At this many tokens.
    Tokens(Tokens),
}

/// What decides that it is time for a compaction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trigger {
    /// The threshold, and nothing else (M6).
    Threshold,
    /// What a compaction costs against what it saves; the threshold is a ceiling above that.
    Cost(Thrift),
}

/// How compactions are made whose price decides when.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thrift {
    /// Kept at the end, at least; counted in tokens, whatever number of messages that is.
    pub tail: Tokens,
    /// A summary is never longer.
    pub summary: Tokens,
    /// What tokens cost beyond their bill.
    pub shadow: ShadowPrices,
}

impl Default for Thrift {
    fn default() -> Self {
        // About where more tail, or more summary, costs more than it is worth in recorded sessions.
        Thrift { tail: Tokens(20_000), summary: Tokens(4_000), shadow: ShadowPrices::default() }
    }
}

/// How large the protected tail is (M18).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tail {
    /// As large as the budget says.
    Fixed,
    /// Between half and twice as large, by how far back the recent work refers.
    Adaptive,
}

/// What becomes of old tool outputs (M7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outputs {
    /// A digest that keeps what matters.
    Digest,
    /// A fixed placeholder.
    Clear,
}

/// Whether old outputs are shortened largest first, from 75 % of the window down to 50 % (M15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Controller {
    /// No: compaction summarises.
    Off,
    /// Yes: summarising starts only when that is not enough.
    LargestFirst,
}

/// What one request may weigh.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Budget {
    /// The model's window.
    pub context_length: Tokens,
    /// Compaction starts here and must end below it.
    pub trigger: Tokens,
    /// What the request weighs now.
    pub used: Tokens,
    /// What of that nobody can see in the conversation: the provider reports it, and no edit changes it.
    pub unseen: Tokens,
    /// Kept at the end, in tokens.
    pub tail: Tokens,
    /// Kept at the start, in messages.
    pub protect_first_n: usize,
    /// Kept at the end, in messages, at least.
    pub protect_last_n: usize,
    /// A summary is never longer.
    pub summary_ceiling: Tokens,
    /// Where shortening outputs alone should lead (M15), if it is asked for.
    pub shorten_down_to: Option<Tokens>,
    /// What the last compaction ended at, if it had to end above the trigger.
    pub settled_at: Option<Tokens>,
    /// A size was asked for, whatever it costs: the tail takes what the summary leaves.
    pub forced: bool,
    /// It pays as it is: nothing harder than that is done for more room.
    pub pays: bool,
    /// A provider has refused it as too long: the smallest result counts, even where it is larger than the window seems.
    pub refused: bool,
}

/// A summary is at most this share of the window … (M9)
const SUMMARY_SHARE_OF_WINDOW: f64 = 0.05;
/// … and at most this long.
const SUMMARY_MAX: Tokens = Tokens(12_000);
/// A summary takes this share of what it stands for … (M9)
const SUMMARY_SHARE_OF_CONTENT: f64 = 0.20;
/// … but is allowed at least this much, if the maximum allows it.
const SUMMARY_MIN: Tokens = Tokens(2_000);
/// The controller of M15 starts here and leads down to [`CONTROLLER_TARGET`].
const CONTROLLER_TRIGGER: f64 = 0.75;
const CONTROLLER_TARGET: f64 = 0.50;
/// How far a request must grow after a compaction that could not reach its trigger, before the next is tried (M17).
const GROWTH_BEFORE_RETRY: f64 = 0.10;
/// From this share of the window on nobody waits for that: the next request may not fit.
const NO_WAITING_ABOVE: f64 = 0.90;

impl Default for Policy {
    fn default() -> Self {
        Policy {
            threshold: 0.50,
            threshold_tokens: None,
            model_thresholds: BTreeMap::new(),
            target_ratio: 0.20,
            protect_first_n: 3,
            protect_last_n: 20,
            outputs: Outputs::Digest,
            controller: Controller::Off,
            tail: Tail::Fixed,
            trigger: Trigger::Threshold,
        }
    }
}

impl Policy {
    /// The policy for one model. Where several of [`Policy::model_thresholds`] fit its name, the longest counts.
    ///
    /// A name is compared without regard to capitals, and also without its providers: `claude-opus` fits
    /// `anthropic/claude-opus-4.6`.
    #[must_use]
    pub fn for_model(&self, model: &str) -> Policy {
        let model = model.to_ascii_lowercase();
        let fits = |beginning: &str| {
            let beginning = beginning.to_ascii_lowercase();
            without_providers(&model).any(|name| name.starts_with(&beginning))
        };
        let own = self.model_thresholds.iter().filter(|(beginning, _)| fits(beginning));
        let own = own.max_by_key(|(beginning, _)| beginning.len()).map(|(_, threshold)| *threshold);
        let (threshold, threshold_tokens) = match own {
            None => (self.threshold, self.threshold_tokens),
            Some(Threshold::Share(share)) => (share, self.threshold_tokens),
            Some(Threshold::Tokens(tokens)) => (1.0, Some(self.threshold_tokens.map_or(tokens, |cap| cap.min(tokens)))),
        };
        let model_thresholds = BTreeMap::new();
        Policy { threshold, threshold_tokens, model_thresholds, ..*self }
    }

    /// A threshold of this share of a window, or of [`Policy::threshold_tokens`] if that is less.
    fn threshold_at(&self, share: f64, context_length: Tokens) -> Tokens {
        let threshold = context_length.share(share);
        self.threshold_tokens.map_or(threshold, |cap| threshold.min(cap))
    }
}

/// A thrifty tail takes at most this share of the threshold, or a small window would be all tail.
const MOST_TAIL: f64 = 0.5;

impl Budget {
    /// The budget of a request that weighs `used`, for a window of `context_length` (M5). The policy is that of its model.
    pub fn new(context_length: Tokens, used: Tokens, policy: &Policy) -> Budget {
        let threshold = policy.threshold_at(policy.threshold, context_length);
        let (trigger, shorten_down_to) = match policy.controller {
            Controller::Off => (threshold, None),
            Controller::LargestFirst => {
                let trigger = policy.threshold_at(CONTROLLER_TRIGGER, context_length);
                let target = context_length.share(CONTROLLER_TARGET);
                // A trigger that is capped leads down by as much as the usual one.
                (trigger, Some(target.min(Tokens(trigger.0.div_ceil(3) * 2))))
            }
        };
        let summary_ceiling = context_length.share(SUMMARY_SHARE_OF_WINDOW).min(SUMMARY_MAX);
        let (tail, protect_last_n, summary_ceiling) = match policy.trigger {
            Trigger::Threshold => (threshold.share(policy.target_ratio), policy.protect_last_n, summary_ceiling),
            Trigger::Cost(thrift) => {
                (thrift.tail.min(threshold.share(MOST_TAIL)), 1, thrift.summary.min(summary_ceiling))
            }
        };
        Budget {
            context_length,
            // A threshold of 0 would fire on an empty request, and nothing is below it.
            trigger: trigger.max(Tokens(1)),
            used,
            unseen: Tokens(0),
            tail,
            protect_first_n: policy.protect_first_n,
            protect_last_n: protect_last_n.max(1),
            summary_ceiling,
            shorten_down_to,
            settled_at: None,
            forced: false,
            pays: false,
            refused: false,
        }
    }

    /// The budget of a request that must end at `target` at most; overrides tail and `protect_last_n`.
    pub fn forced(target: Tokens, used: Tokens, policy: &Policy) -> Budget {
        Budget {
            context_length: target,
            trigger: target + Tokens(1),
            used,
            unseen: Tokens(0),
            tail: target,
            protect_first_n: policy.protect_first_n,
            protect_last_n: 1,
            summary_ceiling: target,
            shorten_down_to: None,
            settled_at: None,
            forced: true,
            pays: false,
            refused: false,
        }
    }

    /// What a summary of `content` may take (M9), of which `earlier` is the summary that it updates.
    pub fn summary_of(&self, content: Tokens, earlier: Tokens) -> Tokens {
        if self.forced {
            return self.summary_ceiling.min(content.share(0.9));
        }
        let least = SUMMARY_MIN.max(earlier);
        let budget = content.share(SUMMARY_SHARE_OF_CONTENT).max(least).min(self.summary_ceiling);
        // A summary that is hardly shorter than what it stands for helps nobody; what was summarised once is short.
        budget.min(earlier + (content - earlier).share(0.5))
    }

    /// The same for a compaction that is made because it pays, wherever the request stands: it ends below what there is.
    #[must_use]
    pub fn paying(mut self, action: Action) -> Budget {
        self.trigger = self.trigger.min(self.used);
        self.pays = true;
        self.shorten_down_to = match action {
            Action::Trim => Some(Tokens(0)),
            Action::Summarize => None,
        };
        self
    }

    /// Whether the request has reached its trigger, and a compaction has not just tried in vain.
    pub fn is_due(&self) -> bool {
        let no_waiting = self.context_length.share(NO_WAITING_ABOVE);
        let retry_at =
            self.settled_at.map(|size| (size + self.context_length.share(GROWTH_BEFORE_RETRY)).min(no_waiting));
        self.used >= self.trigger && retry_at.is_none_or(|retry_at| self.used >= retry_at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guides_example_is_reproduced() {
        let budget = Budget::new(Tokens(200_000), Tokens(0), &Policy::default());
        assert_eq!((budget.trigger, budget.tail), (Tokens(100_000), Tokens(20_000)));
        assert_eq!(budget.summary_of(Tokens(80_000), Tokens(0)), Tokens(10_000));
    }

    #[track_caller]
    fn check_trigger(policy: &Policy, model: &str, window: u64, expected: u64) {
        let budget = Budget::new(Tokens(window), Tokens(0), &policy.for_model(model));
        assert_eq!(
            (budget.trigger, budget.tail),
            (Tokens(expected), Tokens(expected).share(policy.target_ratio)),
            "{model}"
        );
    }

    #[test]
    fn the_smaller_of_the_share_and_the_cap_in_tokens_counts() {
        let capped = Policy { threshold_tokens: Some(Tokens(150_000)), ..Policy::default() };
        check_trigger(&capped, "m", 200_000, 100_000);
        check_trigger(&capped, "m", 1_000_000, 150_000);
        let controlled = Policy { controller: Controller::LargestFirst, ..capped };
        let budget = |window: u64| Budget::new(Tokens(window), Tokens(0), &controlled);
        let leads = |budget: Budget| (budget.trigger, budget.shorten_down_to);
        assert_eq!(leads(budget(100_000)), (Tokens(75_000), Some(Tokens(50_000))));
        assert_eq!(leads(budget(1_000_000)), (Tokens(150_000), Some(Tokens(100_000))));
    }

    #[test]
    fn the_longest_beginning_of_a_models_name_decides_its_threshold() {
        let of = |pairs: &[(&str, Threshold)]| pairs.iter().map(|(name, own)| ((*name).to_owned(), *own)).collect();
        let model_thresholds = of(&[
            ("claude", Threshold::Share(0.4)),
            ("claude-opus-4", Threshold::Share(0.2)),
            ("GPT-5", Threshold::Tokens(Tokens(90_000))),
            ("openrouter/z-ai/", Threshold::Tokens(Tokens(9_000_000))),
        ]);
        let policy = Policy { model_thresholds, ..Policy::default() };
        check_trigger(&policy, "claude-sonnet-4-5", 200_000, 80_000);
        check_trigger(&policy, "anthropic/Claude-Opus-4.6", 200_000, 40_000);
        check_trigger(&policy, "us.anthropic.claude-opus-4-6-v1:0", 200_000, 40_000);
        check_trigger(&policy, "gpt-5-mini", 400_000, 90_000);
        check_trigger(&policy, "my-gpt-5", 400_000, 200_000);
        // Not beyond its window.
        check_trigger(&policy, "openrouter/z-ai/glm-5.2", 200_000, 200_000);
        check_trigger(&policy, "", 200_000, 100_000);
        let capped = Policy { threshold_tokens: Some(Tokens(50_000)), ..policy };
        check_trigger(&capped, "claude-sonnet-4-5", 200_000, 50_000);
        check_trigger(&capped, "gpt-5-mini", 400_000, 50_000);
    }

    #[test]
    fn a_thrifty_tail_is_counted_in_tokens_and_leaves_room_in_small_windows() {
        let thrifty = Policy { trigger: Trigger::Cost(Thrift::default()), ..Policy::default() };
        let budget = |window: u64| Budget::new(Tokens(window), Tokens(0), &thrifty);
        let parts = |budget: Budget| (budget.trigger.0, budget.tail.0, budget.protect_last_n, budget.summary_ceiling.0);
        assert_eq!(parts(budget(200_000)), (100_000, 20_000, 1, 4_000));
        assert_eq!(parts(budget(1_000_000)), (500_000, 20_000, 1, 4_000));
        assert_eq!(parts(budget(32_000)), (16_000, 8_000, 1, 1_600));
    }

    #[track_caller]
    fn check_summary(window: u64, content: u64, expected: u64) {
        let budget = Budget::new(Tokens(window), Tokens(0), &Policy::default());
        assert_eq!(budget.summary_of(Tokens(content), Tokens(0)), Tokens(expected));
    }

    #[test]
    fn a_summary_that_is_updated_keeps_its_room() {
        let budget = Budget::new(Tokens(200_000), Tokens(0), &Policy::default());
        assert_eq!(budget.summary_of(Tokens(9_000), Tokens(8_000)), Tokens(8_000));
        assert_eq!(budget.summary_of(Tokens(50_000), Tokens(8_000)), Tokens(10_000));
        assert_eq!(budget.summary_of(Tokens(15_000), Tokens(14_000)), Tokens(10_000));
    }

    #[test]
    fn a_summary_is_a_fifth_of_its_content_within_bounds() {
        check_summary(200_000, 30_000, 6_000);
        check_summary(200_000, 6_000, 2_000);
        check_summary(1_000_000, 500_000, 12_000);
        // 5 % of a small window is under the minimum, and wins.
        check_summary(32_000, 30_000, 1_600);
        // Never more than half of what it stands for.
        check_summary(200_000, 1_000, 500);
    }

    #[test]
    fn a_compaction_that_fell_short_is_not_tried_again_at_once() {
        let mut budget = Budget::new(Tokens(100_000), Tokens(60_000), &Policy::default());
        assert!(budget.is_due());
        budget.settled_at = Some(Tokens(58_000));
        assert!(!budget.is_due());
        budget.used = Tokens(68_000);
        assert!(budget.is_due());
    }

    #[test]
    fn above_nine_tenths_of_the_window_nobody_waits_for_growth() {
        let mut budget = Budget::new(Tokens(10_000), Tokens(9_100), &Policy::default());
        budget.settled_at = Some(Tokens(9_050));
        assert!(budget.is_due());
        budget.settled_at = Some(Tokens(8_500));
        assert!(budget.is_due());
        budget.used = Tokens(8_999);
        assert!(!budget.is_due());
    }

    #[test]
    fn the_controller_acts_at_75_percent_of_the_window_and_leads_to_50() {
        let policy = Policy { controller: Controller::LargestFirst, ..Policy::default() };
        let budget = |used: u64| Budget::new(Tokens(200_000), Tokens(used), &policy);
        assert_eq!((budget(0).trigger, budget(0).shorten_down_to), (Tokens(150_000), Some(Tokens(100_000))));
        assert!(!budget(149_999).is_due() && budget(150_000).is_due());
    }

    #[test]
    fn a_half_empty_window_is_left_alone() {
        assert!(!Budget::new(Tokens(100_000), Tokens(49_999), &Policy::default()).is_due());
        assert!(Budget::new(Tokens(100_000), Tokens(50_000), &Policy::default()).is_due());
    }
}
