//! The strategy `system_and_3`: the system prompt and the last three messages (M19). It needs no memory.

use super::slots::Slots;
use super::{Breakpoint, Prompt, Rules, Section, Ttl, Unmarkable};

/// How many of the last messages have a marker.
const LAST_MESSAGES: usize = 3;

/// Marks the system prompt and the last three messages that are no instructions, as far as slots are free. Where they are
/// not, the last message goes first, then the system prompt: without the one nothing grows, without the other nothing
/// survives.
pub fn system_and_3(prompt: &Prompt, rules: &Rules, ttl: Ttl) -> Vec<Breakpoint> {
    // It promises markers, not entries: a prompt that is too short to be cached now may grow.
    let rules = Rules { minimum: crate::tokens::Tokens(0), ..*rules };
    let mut slots = Slots::new(prompt, &rules);
    let mut messages = last_messages(prompt, rules.unmarkable).into_iter();
    let mut mark = |index: Option<usize>| index.is_some_and(|index| slots.mark(index, ttl));
    mark(messages.next().flatten());
    mark(prompt.end_of(Section::System));
    messages.for_each(|index| {
        mark(index);
    });
    slots.into_added()
}

/// Where the markers of the last messages stand, newest first; `None` for a message that cannot carry one and is counted.
pub(super) fn last_messages(prompt: &Prompt, unmarkable: Unmarkable) -> Vec<Option<usize>> {
    let mut last: Vec<(usize, Option<usize>)> = Vec::new();
    for (index, block) in prompt.blocks.iter().enumerate().rev() {
        let Section::Message(number) = block.section else { continue };
        let carries = block.may_carry.then_some(index);
        match last.last_mut().filter(|(newest, _)| *newest == number) {
            Some((_, place)) => *place = place.or(carries),
            None => {
                if unmarkable == Unmarkable::Skipped {
                    last.retain(|(_, place)| place.is_some());
                }
                if last.len() == LAST_MESSAGES {
                    break;
                }
                last.push((number, carries));
            }
        }
    }
    last.into_iter().map(|(_, place)| place).collect()
}
