//! A recorded conversation, call by call: what not compacting it has cost until its last request.

use super::trigger::{Decision, Foregone, Rule, Situation};
use crate::budget::Budget;
use crate::engine::ContextEngine;
use crate::model::{Conversation, Role};
use crate::summary;
use crate::tokens::{Sizes, TokenCounter, Tokens};

/// What the rule says about a conversation whose last request is still to be sent.
///
/// Every answer in it was a call, each a moment after the one before, so that its prompt was read from the cache; what was
/// foregone counts from the last summary of ours on.
pub fn decide(
    conversation: &Conversation,
    sizes: &Sizes,
    budget: &Budget,
    rule: &Rule,
    engine: &dyn ContextEngine,
    counter: &dyn TokenCounter,
) -> Decision {
    let last_summary = conversation.messages.iter().rposition(|message| summary::body_of(message).is_some());
    let mut foregone = Foregone::default();
    let mut so_far = Conversation { messages: Vec::new(), ..conversation.clone() };
    let mut so_far_sizes = Sizes { prefix: sizes.prefix, messages: Vec::new() };
    let mut last_call = Tokens(0);
    let size_of = |sizes: &Sizes| sizes.total() + budget.unseen;
    for (index, (message, size)) in conversation.messages.iter().zip(&sizes.messages).enumerate() {
        let behind_a_message = so_far.messages.last().is_some_and(|last| last.role != Role::Assistant);
        if message.role == Role::Assistant && behind_a_message && last_summary.is_none_or(|last| index > last) {
            let used = size_of(&so_far_sizes);
            let outlook = engine.outlook(&so_far, &so_far_sizes, &Budget { used, ..budget.clone() }, counter);
            rule.wait(&mut foregone, used, &outlook);
            last_call = used;
        }
        so_far.messages.push(message.clone());
        so_far_sizes.messages.push(*size);
    }
    let size = size_of(&so_far_sizes);
    let outlook = engine.outlook(conversation, sizes, budget, counter);
    rule.consider(&mut foregone, &Situation { size, cached: last_call.min(size), outlook, ceiling: budget.trigger })
}
