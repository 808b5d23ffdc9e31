//! What keeps a conversation valid around what goes: roles that alternate, and calls with their results (M11).

use std::collections::BTreeSet;

use super::{Draft, MISSING_RESULT, within};
use crate::edit::{Edit, Inserted, joins_next};
use crate::engine::{Gap, Step};
use crate::model::{ResultStyle, Role};
use crate::summary;

impl Draft<'_> {
    pub(super) fn role(&self, index: usize) -> Option<Role> {
        self.message(index).map(|message| message.role)
    }

    /// Who speaks last in a message and in the answers behind it: where results are blocks of a user's message, a call
    /// that is answered and not followed by such a message gets one.
    pub(super) fn speakers(&self) -> impl Fn(usize) -> Option<Role> {
        let conversation = self.zones.conversation;
        let apart = |message: &usize| !joins_next(conversation, *message);
        let answered: BTreeSet<usize> = match conversation.results {
            ResultStyle::OwnMessage => BTreeSet::new(),
            ResultStyle::NextUserMessage => self.calls_to_answer().map(|(message, _)| message).filter(apart).collect(),
        };
        move |index| if answered.contains(&index) { Some(Role::User) } else { self.role(index) }
    }

    /// The gaps that the spans leave, with the roles that keep neighbours apart, and the role of what is said in the last
    /// one: what stands for all of them comes behind what stays between them.
    pub(super) fn gaps(&self) -> Option<(Role, Vec<Gap>)> {
        let speakers = self.speakers();
        let mut gaps = Vec::with_capacity(self.spans.len());
        // Some providers take instructions out of the conversation: who stands around them are neighbours then.
        let is_turn = |index: &usize| self.role(*index) != Some(Role::System);
        // Where results are a user's, an instruction must stand behind a user's message and before an assistant's.
        let placed = self.zones.conversation.results == ResultStyle::NextUserMessage;
        let instructs = |index: usize| placed && self.role(index) == Some(Role::System);
        let mut said_last = None;
        for (start, end) in self.spans.iter().copied() {
            let before = match (0..start).rev().find(is_turn) {
                Some(index) if within(&self.spans, index) => said_last,
                index => index.and_then(&speakers),
            };
            let after = if instructs(end) {
                Some(Role::Assistant)
            } else {
                let after = (end..).find(is_turn).filter(|index| !within(&self.spans, *index));
                after.and_then(|index| self.role(index))
            };
            if gaps.len() + 1 == self.spans.len() {
                let (role, bridge) = roles_between(before, after);
                gaps.push(Gap { start, end, bridges: bridge.into_iter().collect() });
                return Some((role, gaps));
            }
            let bridges = if instructs(end) && start.checked_sub(1).is_some_and(instructs) {
                vec![Role::Assistant, Role::User]
            } else {
                separator(before, after).into_iter().collect()
            };
            said_last = bridges.last().copied().or(before);
            gaps.push(Gap { start, end, bridges });
        }
        None
    }

    /// The calls in what stays that nothing answers, and that can be answered. Those of the newest input are still to be
    /// answered by the client.
    pub(super) fn calls_to_answer(&self) -> impl Iterator<Item = (usize, usize)> {
        let newest = self.zones.newest_input;
        let stays = |message: usize| !within(&self.spans, message);
        let unanswered = self.zones.pairing.unanswered_calls.iter().copied();
        unanswered.filter(move |(message, _)| {
            let joins = joins_next(self.zones.conversation, *message);
            let next_is_free = !joins || (message + 1 < newest && stays(message + 1));
            // A call that no assistant makes is none that a provider expects an answer to.
            let asked = self.role(*message) == Some(Role::Assistant);
            asked && stays(*message) && *message < newest && next_is_free
        })
    }

    /// Orphan results go, and calls without a result get one (M11), in what stays.
    pub(super) fn repairs(&self) -> Vec<Step> {
        let newest = self.zones.newest_input;
        let stays = |message: usize| !within(&self.spans, message);
        let speakers = self.speakers();
        let mut steps = Vec::new();
        let mut receives_answers = BTreeSet::new();
        for (message, block) in self.calls_to_answer() {
            steps.push(Step::Edit(Edit::AnswerCall { message, block, text: MISSING_RESULT.to_owned() }));
            receives_answers.extend(joins_next(self.zones.conversation, message).then_some(message + 1));
        }
        let mut gone = 0..0;
        for orphans in self.zones.pairing.orphan_results.chunk_by(|one, other| one.0 == other.0) {
            let Some(message) = orphans.first().map(|(message, _)| *message) else { continue };
            if !stays(message) || message >= newest || self.role(message) == Some(Role::System) {
                continue;
            }
            let free = |place: &(usize, usize)| !self.shortened.contains_key(place);
            let orphans: Vec<(usize, usize)> = orphans.iter().copied().filter(free).collect();
            let all = self.message(message).is_some_and(|message| message.blocks.len() == orphans.len());
            if all && !receives_answers.contains(&message) {
                // A message that goes with its only results must not bring two of one role together.
                let start = if gone.end == message { gone.start } else { message };
                let parted = match start.checked_sub(1) {
                    Some(before) => stays(before) && speakers(before) != self.role(message + 1),
                    None => self.role(message) == Some(Role::Tool),
                };
                if !parted || !stays(message + 1) {
                    continue;
                }
                gone = start..message + 1;
            }
            let remove = |(message, block)| Step::Edit(Edit::RemoveResult { message, block });
            steps.extend(orphans.into_iter().map(remove));
        }
        steps
    }
}

/// Edits that empty gaps and say something in the last of them.
pub fn fill_last_gap<'a>(gaps: &'a [Gap], said: &'a Inserted) -> impl Iterator<Item = Edit> + 'a {
    gaps.iter().enumerate().map(|(index, gap)| {
        let said = (index + 1 == gaps.len()).then(|| said.clone());
        let with = said.into_iter().chain(gap.bridges.iter().copied().map(bridge)).collect();
        Edit::Replace { start: gap.start, end: gap.end, with }
    })
}

/// The line that keeps two neighbours of one role apart.
fn bridge(role: Role) -> Inserted {
    Inserted { role, text: summary::BRIDGE.to_owned() }
}

/// In which role something is said between two messages, and whether a line in the other role must follow it (M11).
fn roles_between(before: Option<Role>, after: Option<Role>) -> (Role, Option<Role>) {
    match (before, after) {
        (Some(Role::User), Some(Role::Assistant)) => (Role::Assistant, Some(Role::User)),
        (Some(Role::Assistant), Some(Role::User)) => (Role::User, Some(Role::Assistant)),
        (Some(Role::User), _) | (_, Some(Role::User)) => (Role::Assistant, None),
        (_, _) => (Role::User, None),
    }
}

/// What must stand between two messages that become neighbours.
fn separator(before: Option<Role>, after: Option<Role>) -> Option<Role> {
    match (before, after) {
        (Some(Role::User), Some(Role::User)) => Some(Role::Assistant),
        (Some(Role::Assistant), Some(Role::Assistant)) => Some(Role::User),
        (_, _) => None,
    }
}
