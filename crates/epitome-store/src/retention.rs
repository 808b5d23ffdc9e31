//! What is forgotten first when a store may not hold everything: the same reckoning for every store.

use std::collections::HashMap;

use crate::records::{Prunable, SessionId};

/// A session, as far as it matters for how long it is kept.
pub(crate) struct Seen {
    pub(crate) id: SessionId,
    pub(crate) last_ms: u64,
    /// The archived session that it continues.
    pub(crate) continues: Option<SessionId>,
}

/// When each session was seen last, longest ago first. An archived one is seen whenever one is that continues it.
pub(crate) fn longest_unseen(sessions: Vec<Seen>) -> Vec<(u64, SessionId)> {
    let continues: HashMap<&SessionId, &SessionId> =
        sessions.iter().filter_map(|seen| Some((&seen.id, seen.continues.as_ref()?))).collect();
    let mut last: HashMap<&SessionId, u64> = sessions.iter().map(|seen| (&seen.id, seen.last_ms)).collect();
    for seen in &sessions {
        // Each has a smaller number than the one that continues it, so that this ends.
        let archived = std::iter::successors(continues.get(&seen.id), |id| continues.get(*id));
        for id in archived {
            if let Some(last) = last.get_mut(*id) {
                *last = (*last).max(seen.last_ms);
            }
        }
    }
    let mut order: Vec<(u64, u64, &SessionId)> = Vec::with_capacity(sessions.len());
    order.extend(sessions.iter().map(|seen| (last.get(&seen.id).copied().unwrap_or_default(), seen.last_ms, &seen.id)));
    order.sort();
    order.into_iter().map(|(last_ms, _, id)| (last_ms, id.clone())).collect()
}

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
    fn an_archived_session_is_seen_whenever_what_continues_it_is() {
        let seen = |name: &str, last_ms, continues: Option<&str>| Seen {
            id: SessionId::new(name),
            last_ms,
            continues: continues.map(SessionId::new),
        };
        let sessions = vec![
            seen("a", 1, None),
            seen("a~2", 2, Some("a")),
            seen("a~3", 9, Some("a~2")),
            seen("a~4", 4, Some("a")),
            seen("b", 5, None),
            seen("c~2", 3, None),
        ];
        let order = longest_unseen(sessions).into_iter().map(|(last_ms, id)| format!("{id} {last_ms}"));
        assert_eq!(order.collect::<Vec<_>>(), ["c~2 3", "a~4 4", "b 5", "a 9", "a~2 9", "a~3 9"]);
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
