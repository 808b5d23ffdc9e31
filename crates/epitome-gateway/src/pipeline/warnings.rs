//! What people are told of a session that fills up (M6). The model is never told: it would give up.

use epitome_core::budget::Budget;
use epitome_core::tokens::Tokens;
use epitome_store::records::SessionId;

use super::{Decided, Gateway};
use crate::received::Received;

/// From this share on, of the trigger or of the window, somebody is told.
const NEARLY: f64 = 0.85;

/// How full a session is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fullness {
    /// There is room.
    #[default]
    Roomy,
    /// It will be compacted soon.
    NearThreshold,
    /// It nears its window, and what could be done about that was done.
    NearWindow,
}

impl Fullness {
    fn of(budget: &Budget) -> Fullness {
        match budget.used {
            used if used >= budget.context_length.share(NEARLY) => Fullness::NearWindow,
            used if used >= budget.trigger.share(NEARLY) => Fullness::NearThreshold,
            _ => Fullness::Roomy,
        }
    }
}

impl Gateway {
    /// Tells once that a session fills up; again only when it had room meanwhile.
    pub(super) fn warn_if_full(&self, received: &Received, decided: &Decided) {
        // What is only watched is sent as it came.
        let sent = if self.observes(received) { decided.own.tokens } else { decided.sent.tokens };
        let budget = Budget::new(self.window(received.model()), sent, &self.0.setup.policy);
        let fullness = Fullness::of(&budget);
        let before = self.0.sessions.fullness(&received.incoming.owner, &received.session, fullness);
        if fullness > before {
            self.tell(&received.session, &budget, fullness);
        }
    }

    fn tell(&self, session: &SessionId, budget: &Budget, fullness: Fullness) {
        match fullness {
            Fullness::Roomy => {}
            Fullness::NearThreshold => {
                self.0.setup.metrics.filling("threshold");
                tracing::warn!(%session, "{}", near_threshold(budget));
            }
            Fullness::NearWindow => {
                self.0.setup.metrics.filling("window");
                tracing::warn!(%session, "{}", near_window(budget));
            }
        }
    }
}

fn near_threshold(budget: &Budget) -> String {
    let (percent, used, trigger) = told(budget.used, budget.trigger);
    format!("⚠️ Context is {percent}% to compaction threshold ({used}/{trigger} tokens)")
}

fn near_window(budget: &Budget) -> String {
    let (percent, used, window) = told(budget.used, budget.context_length);
    format!("⚠️ Context is {percent}% of its window, and compaction does not make it smaller ({used}/{window} tokens)")
}

fn told(used: Tokens, of: Tokens) -> (u64, String, String) {
    (used.0.saturating_mul(100) / of.0.max(1), grouped(used.0), grouped(of.0))
}

/// With a comma between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && index % 3 == first {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use epitome_core::budget::Policy;

    use super::*;

    fn budget(used: u64) -> Budget {
        Budget::new(Tokens(100_000), Tokens(used), &Policy::default())
    }

    #[test]
    fn people_read_how_far_it_is() {
        insta::assert_snapshot!(near_threshold(&budget(42_500)), @"⚠️ Context is 85% to compaction threshold (42,500/50,000 tokens)");
        insta::assert_snapshot!(near_window(&budget(90_999)), @"⚠️ Context is 90% of its window, and compaction does not make it smaller (90,999/100,000 tokens)");
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn a_session_is_as_full_as_its_request() {
        for (used, expected) in [
            (0, Fullness::Roomy),
            (42_499, Fullness::Roomy),
            (42_500, Fullness::NearThreshold),
            (84_999, Fullness::NearThreshold),
            (85_000, Fullness::NearWindow),
        ] {
            assert_eq!(Fullness::of(&budget(used)), expected, "{used}");
        }
    }
}
