//! What is forgotten first when a store may not hold everything: the same reckoning for every store.

use std::collections::HashMap;

use crate::records::{Prunable, SessionId};

/// What a tenant has: its sessions, longest unseen first, and the contents that each of them holds.
#[derive(Default)]
pub(crate) struct Stock {
    sessions: Vec<Prunable>,
    /// Of each content its bytes, and the last session that holds it: it goes when that one goes.
    contents: HashMap<i64, (u64, usize)>,
}

impl Stock {
    /// Adds a session that was seen no earlier than those before it, with the contents it holds and their bytes.
    pub(crate) fn add(&mut self, id: SessionId, last_ms: u64, contents: impl IntoIterator<Item = (i64, u64)>) {
        let place = self.sessions.len();
        self.sessions.push(Prunable { id, last_ms, bytes: 0 });
        self.contents.extend(contents.into_iter().map(|(content, bytes)| (content, (bytes, place))));
    }

    /// The sessions that have to go, in the order in which they go.
    pub(crate) fn prunable(mut self, not_seen_since_ms: Option<u64>, most_bytes: Option<u64>) -> Vec<Prunable> {
        let mut left = 0u64;
        for (bytes, place) in self.contents.into_values() {
            left = left.saturating_add(bytes);
            if let Some(session) = self.sessions.get_mut(place) {
                session.bytes = session.bytes.saturating_add(bytes);
            }
        }
        let mut going = 0;
        for session in &self.sessions {
            let too_old = not_seen_since_ms.is_some_and(|since| session.last_ms < since);
            let too_large = most_bytes.is_some_and(|most| left > most);
            if !too_old && !too_large {
                break;
            }
            left = left.saturating_sub(session.bytes);
            going += 1;
        }
        self.sessions.truncate(going);
        self.sessions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sessions a, b, c, seen at 100, 200, 300. The first content is held by all, the others by one each.
    #[track_caller]
    fn check(since: Option<u64>, most: Option<u64>, expected: &[(&str, u64)]) {
        let mut stock = Stock::default();
        for (number, name) in (1u64..).zip(["a", "b", "c"]) {
            stock.add(SessionId::new(name), number * 100, [(0, 1_000), (number as i64, number)]);
        }
        let prunable = stock.prunable(since, most);
        let found: Vec<_> = prunable.iter().map(|session| (session.id.as_str(), session.bytes)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_all_hold_goes_with_the_last() {
        check(None, None, &[]);
        check(Some(200), None, &[("a", 1)]);
        check(Some(301), None, &[("a", 1), ("b", 2), ("c", 1_003)]);
        check(None, Some(1_006), &[]);
        check(None, Some(1_005), &[("a", 1)]);
        check(None, Some(1_004), &[("a", 1), ("b", 2)]);
        check(None, Some(900), &[("a", 1), ("b", 2), ("c", 1_003)]);
        check(Some(101), Some(1_004), &[("a", 1), ("b", 2)]);
    }
}
