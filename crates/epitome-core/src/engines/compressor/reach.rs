//! How far back the recent work refers: what a tail that adapts to the task has to hold (M18).
//!
//! An agent that goes through a list of small things needs little of what it did before; one that edits by what it read in
//! long outputs needs them. Both show in what it names: each name in its recent words and calls stood somewhere before,
//! so many tokens ago. A tail that holds most of these distances holds most of what the next turns will name.

use crate::keys::{KeyMap, key};
use crate::model::{Conversation, Role};
use crate::summary::terms;
use crate::tokens::Tokens;

/// Turns of the agent that count as recent.
const RECENT_TURNS: usize = 12;
/// Fewer names say nothing.
const FEWEST_NAMES: usize = 8;
/// The share of the distances that the tail is to hold.
const HELD: f64 = 0.75;
/// A tail adapts within these bounds of the one that is configured.
const SMALLEST: f64 = 0.5;
const LARGEST: f64 = 2.0;

/// The tail for a task, where `fixed` is configured; `before` tells how many tokens stand before a message.
pub(super) fn adapted(conversation: &Conversation, fixed: Tokens, before: impl Fn(usize) -> Tokens) -> Tokens {
    let mut distances = distances(conversation, before);
    if distances.len() < FEWEST_NAMES {
        return fixed;
    }
    distances.sort_unstable();
    let at = (distances.len() as f64 * HELD) as usize;
    let reach = distances.get(at).or(distances.last()).copied().unwrap_or(fixed);
    reach.max(fixed.share(SMALLEST)).min(fixed.share(LARGEST))
}

/// For each name in recent turns, how far before its turn it stood last.
fn distances(conversation: &Conversation, before: impl Fn(usize) -> Tokens) -> Vec<Tokens> {
    let messages = &conversation.messages;
    let turns = messages.iter().enumerate().rev().filter(|(_, message)| message.role == Role::Assistant);
    let first_recent = turns.take(RECENT_TURNS).last().map_or(messages.len(), |(index, _)| index);
    let mut last_seen: KeyMap<usize> = KeyMap::default();
    let mut distances = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let refers = index >= first_recent && message.role == Role::Assistant;
        message.each_text(|text| {
            terms::each(text, |term| {
                let earlier = last_seen.insert(key(term.text), index);
                // Named again in one turn, it was named once.
                if let Some(earlier) = earlier.filter(|earlier| refers && *earlier != index) {
                    distances.push(before(index) - before(earlier));
                }
            });
        });
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Message;

    /// A session in which names are said, then filler, then the names again.
    fn session(fillers: usize) -> Conversation {
        let names: String = (0..20).map(|n| format!("name_{n} ")).collect();
        let mut messages = vec![Message::text(Role::User, names.as_str())];
        messages.extend((0..fillers).map(|_| Message::text(Role::User, "and so on")));
        messages.push(Message::text(Role::Assistant, names.as_str()));
        Conversation { messages, ..Conversation::default() }
    }

    #[track_caller]
    fn check(fillers: usize, expected: u64) {
        let before = |message: usize| Tokens(100 * message as u64);
        assert_eq!(adapted(&session(fillers), Tokens(1_000), before), Tokens(expected));
    }

    #[test]
    fn a_tail_reaches_as_far_back_as_the_work_refers() {
        check(14, 1_500);
        check(7, 800);
    }

    #[test]
    fn it_stays_between_half_and_twice_of_what_is_configured() {
        check(0, 500);
        check(99, 2_000);
    }

    #[test]
    fn a_session_that_names_nothing_has_the_configured_tail() {
        let conversation = Conversation {
            messages: vec![Message::text(Role::User, "hello"), Message::text(Role::Assistant, "hello")],
            ..Conversation::default()
        };
        assert_eq!(adapted(&conversation, Tokens(1_000), |_| Tokens(0)), Tokens(1_000));
    }
}
