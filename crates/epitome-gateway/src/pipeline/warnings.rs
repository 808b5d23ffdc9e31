//! What people are told of a session that fills up (M6). The model is never told: it would give up.

use epitome_core::budget::Budget;
use epitome_core::tokens::Tokens;
use epitome_store::records::SessionId;

use super::{Decided, Gateway};
use crate::received::{Kind, Received};
use crate::report::Action;

/// From this share on, of the trigger or of the window, somebody is told.
const NEARLY: f64 = 0.85;
/// A session that was not compacted has room again only below this share: what a request is taken to weigh wavers when its
/// provider has reported.
const ROOM_AGAIN: f64 = 0.75;

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
        Fullness::above(budget, NEARLY)
    }

    fn above(budget: &Budget, share: f64) -> Fullness {
        match budget.used {
            used if used >= budget.context_length.share(share) => Fullness::NearWindow,
            used if used >= budget.trigger.share(share) => Fullness::NearThreshold,
            _ => Fullness::Roomy,
        }
    }

    /// What a session that was `self` is taken to be at its next request.
    fn next(self, budget: &Budget, compacted: bool) -> Fullness {
        let now = Fullness::of(budget);
        if compacted { now } else { now.max(self.min(Fullness::above(budget, ROOM_AGAIN))) }
    }
}

impl Gateway {
    /// Tells once that a session fills up; again only when it had room meanwhile.
    pub(super) fn warn_if_full(&self, received: &Received, decided: &Decided) {
        // A question about a session says nothing of how it fills up.
        if received.kind == Kind::Aside {
            return;
        }
        // What is only watched is sent as it came.
        let observed = self.observes(received);
        let sent = if observed { decided.own.tokens } else { decided.sent.tokens };
        let compacted = decided.action == Action::Compacted && !observed;
        let budget = self.budget(self.window_for(received), sent, received.model());
        let (owner, first) = (&received.incoming.owner, received.prefixes.first().copied());
        let next = |before: Fullness| before.next(&budget, compacted);
        let (before, now) = self.0.sessions.fullness(owner, &received.session, first, next);
        if now > before {
            self.tell(&received.session, &budget, now);
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
    if budget.used >= budget.trigger {
        return format!("⚠️ Context is {percent}% of its compaction threshold ({used}/{trigger} tokens)");
    }
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
        insta::assert_snapshot!(near_threshold(&budget(60_000)), @"⚠️ Context is 120% of its compaction threshold (60,000/50,000 tokens)");
        insta::assert_snapshot!(near_window(&budget(90_999)), @"⚠️ Context is 90% of its window, and compaction does not make it smaller (90,999/100,000 tokens)");
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn an_estimate_that_wavers_is_told_once() {
        let mut now = Fullness::Roomy;
        let mut told = 0;
        for used in [42_400, 42_600, 42_400, 43_000, 41_000, 42_500, 39_000, 42_501] {
            let next = now.next(&budget(used), false);
            told += usize::from(next > now);
            now = next;
        }
        assert_eq!((told, now), (1, Fullness::NearThreshold));
        // A compaction makes room, and so does a client that goes back.
        assert_eq!(now.next(&budget(42_000), true), Fullness::Roomy);
        assert_eq!(now.next(&budget(37_000), false), Fullness::Roomy);
        assert_eq!(Fullness::NearWindow.next(&budget(60_000), false), Fullness::NearThreshold);
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
