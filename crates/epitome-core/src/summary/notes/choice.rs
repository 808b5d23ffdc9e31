//! Which notes are said when there is not room for all.

use super::{Item, SUPERSEDED};
use crate::summary::template::Section;
use crate::tokens::Tokens;

/// How the room is shared out first; what a section leaves goes to the others, in this order.
pub(super) const SHARES: [(Section, f64); 9] = [
    (Section::Goal, 0.06),
    (Section::Constraints, 0.08),
    (Section::InProgress, 0.08),
    (Section::NextSteps, 0.07),
    (Section::Blocked, 0.07),
    (Section::Files, 0.26),
    (Section::Decisions, 0.16),
    (Section::Critical, 0.07),
    (Section::Done, 0.15),
];

/// What a section may take first.
pub(super) fn share_of(section: Section) -> f64 {
    SHARES.iter().find(|(shared, _)| *shared == section).map_or(0.0, |(_, share)| *share)
}

/// Items chosen so far, by section.
pub(super) struct Choice {
    pub(super) left: Tokens,
    pub(super) taken: [Vec<bool>; 9],
}

impl Choice {
    /// Takes what fits into `share` and ranks `least` at least, the highest rank first; returns what that costs.
    pub(super) fn take(&mut self, section: Section, items: &[Item], share: Tokens, least: u8) -> Tokens {
        let taken = &mut self.taken[section as usize];
        let mut room = share.min(self.left);
        let before = room;
        for at in in_turn(section, items) {
            let (Some(item), Some(taken)) = (items.get(at), taken.get_mut(at)) else { continue };
            if *taken || item.rank < least || item.cost > room {
                continue;
            }
            *taken = true;
            room = room - item.cost;
            self.left = self.left - item.cost;
        }
        before - room
    }
}

/// The highest rank first; within one, two new ones and an old one take turns, so that neither pushes the other out, and
/// what was kept from the beginning is kept again (M12). Of constraints the old ones have the larger part.
fn in_turn(section: Section, items: &[Item]) -> Vec<usize> {
    let mut by_rank: std::collections::BTreeMap<std::cmp::Reverse<u8>, Vec<usize>> = std::collections::BTreeMap::new();
    for (at, item) in items.iter().enumerate().filter(|(_, item)| item.rank != SUPERSEDED) {
        by_rank.entry(std::cmp::Reverse(item.rank)).or_default().push(at);
    }
    let mut order = Vec::with_capacity(items.len());
    for of_rank in by_rank.values() {
        let last = of_rank.len() - 1;
        let at = |position: usize| match section {
            Section::Constraints => last - position,
            Section::Goal
            | Section::Done
            | Section::InProgress
            | Section::Blocked
            | Section::Decisions
            | Section::Files
            | Section::NextSteps
            | Section::Critical => position,
        };
        order.extend(newest_and_oldest(of_rank.len()).into_iter().filter_map(|position| of_rank.get(at(position))));
    }
    order
}

/// Positions of `length` things: the newest, the oldest, two new ones, the next oldest, two new ones …
pub(super) fn newest_and_oldest(length: usize) -> Vec<usize> {
    let (mut first, mut last) = (0, length);
    let mut order = Vec::with_capacity(length);
    while first < last {
        if order.len() % 3 == 1 {
            order.push(first);
            first += 1;
        } else {
            last -= 1;
            order.push(last);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_and_old_take_turns() {
        assert_eq!(newest_and_oldest(7), [6, 0, 5, 4, 1, 3, 2]);
        assert_eq!(newest_and_oldest(0), Vec::<usize>::new());
    }

    #[test]
    fn the_shares_are_all_there_is() {
        let sum: f64 = SHARES.iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
}
