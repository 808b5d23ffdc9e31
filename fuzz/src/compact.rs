//! A compaction ends below its trigger or says why not, and leaves a request of the same dialect.

use epitome_core::budget::{Budget, Controller, Outputs, Policy, Tail};
use epitome_core::compaction::{Endless, Tools, compact, weigh};
use epitome_core::engine::{BUILT_IN, Occasion, Registry};
use epitome_core::model::{Block, Conversation, Message, Pairing, Role};
use epitome_core::summary::NOTE;
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::tokens::{Precision, RoughCounter, Sizes, Tokens, conversation_tokens};

use crate::splice::check_undone;
use crate::wild::{Texts, Wild};

pub fn check_compact(bytes: &[u8]) {
    let mut wild = Wild::new(bytes, Texts::Long);
    let policy = policy(&mut wild);
    let (window, forced, unseen) = (wild.number(4_000), wild.one_in(3), Tokens(wild.number(300) as u64));
    let focus = wild.one_in(4).then(|| wild.text());
    let Some(sample) = wild.request() else { return };
    let (request, before) = (&sample.request, sample.request.conversation());
    let counter = RoughCounter;
    let sizes = Sizes::of(before, &counter);
    let budget = |used| match forced {
        true => Budget::forced(Tokens(window as u64), used, &policy),
        false => Budget::new(Tokens(window as u64), used, &policy),
    };
    let used = weigh(before, &sizes, budget(Tokens(0)).trigger, &counter).tokens + unseen;
    let budget = Budget { unseen, ..budget(used) };
    let engine = Registry::new(&policy).resolve(BUILT_IN).engine;
    let Some(reason) = engine.should_compress(&budget) else { return };
    let summarizer = LocalSummarizer::new(counter);
    let tools = Tools { engine: &*engine, summarizer: &summarizer, patience: &Endless, counter: &counter };
    let occasion = Occasion { focus, ..Occasion::new(reason) };
    let once = || {
        let compaction = pollster::block_on(compact(before, &sizes, &budget, &occasion, tools));
        compaction.unwrap_or_else(|error| {
            let plan = engine.plan(before, &sizes, &budget, &occasion, &counter);
            panic!("{error}: {budget:?}\n{plan:?}\n{}", sample.text())
        })
    };
    let compaction = once();
    if bytes.len().is_multiple_of(16) {
        assert_eq!(once().applied, compaction.applied, "same input, other edits");
    }
    let edits = compaction.applied.edits();
    let spliced = request.splice(&compaction.applied);
    let spliced = spliced.unwrap_or_else(|error| panic!("{error}: {edits:?}\n{}", sample.text()));
    check_undone(request, &spliced);
    let Ok(result) = sample.read_again(spliced.bytes.clone()) else {
        panic!("cannot be read: {edits:?}\n{}\n{}", sample.text(), String::from_utf8_lossy(&spliced.bytes));
    };
    let after = result.conversation();
    let said = || format!("{budget:?}\n{:?}\n{}\n{after:#?}", compaction.plan, sample.text());
    check_kept(before, after, budget.forced, &said);
    let size = compaction.after.tokens;
    let explained = compaction.plan.shortfall.is_some();
    assert!(size < budget.trigger || explained, "{size} tokens without a reason: {}", said());
    // A note in a string is joined by an empty line, which the conversation does not have.
    let found = conversation_tokens(after, &counter, Precision::Exact) + budget.unseen;
    assert!(found.0.abs_diff(size.0) <= 4, "{found} found, {size} said: {}", said());
}

fn policy(wild: &mut Wild<'_>) -> Policy {
    Policy {
        threshold: wild.number(100) as f64 / 100.0,
        target_ratio: wild.number(100) as f64 / 100.0,
        protect_first_n: wild.number(5),
        protect_last_n: wild.number(12),
        tail: if wild.one_in(3) { Tail::Adaptive } else { Tail::Fixed },
        outputs: if wild.one_in(3) { Outputs::Clear } else { Outputs::Digest },
        controller: if wild.one_in(3) { Controller::LargestFirst } else { Controller::Off },
    }
}

/// Instructions, first request and newest message are there, and no call or result lost its partner.
fn check_kept(before: &Conversation, after: &Conversation, forced: bool, said: &dyn Fn() -> String) {
    let (was, is) = (Pairing::of(&before.messages), Pairing::of(&after.messages));
    assert!(is.orphan_results.len() <= was.orphan_results.len(), "a result lost its call: {}", said());
    assert!(is.unanswered_calls.len() <= was.unanswered_calls.len(), "a call lost its result: {}", said());
    // Where a size is forced, outputs of the newest message may become shorter.
    let newest = |conversation: &Conversation| {
        conversation.messages.last().map(|newest| if forced { newest.without_outputs() } else { newest.clone() })
    };
    assert_eq!(newest(before), newest(after), "the newest message changed: {}", said());
    assert_eq!(before.tools, after.tools, "the tools changed: {}", said());
    let instructions = |conversation: &Conversation| -> Vec<String> {
        let in_messages = conversation.messages.iter().filter(|message| message.role == Role::System);
        let texts = conversation.system.iter().filter_map(|block| block.as_text());
        let texts = texts.chain(in_messages.flat_map(Message::texts));
        let texts = texts.map(|text| text.trim_end_matches(NOTE).trim_end().to_owned());
        texts.filter(|text| !text.is_empty()).collect()
    };
    assert_eq!(instructions(before), instructions(after), "an instruction changed: {}", said());
    let first = before.first_user_message().and_then(|first| before.messages.get(first));
    // A result in it may have been shortened: its words are what must be there.
    let words = |message: &Message| message.texts().cloned().collect::<Vec<_>>();
    // A message of results alone is no request, and goes if they answer nothing.
    if let Some(words_of_first) = first.map(words).filter(|words| !words.is_empty()) {
        let is_first = |message: &Message| message.role == Role::User && words(message) == words_of_first;
        assert!(after.messages.iter().any(is_first), "the first request is gone: {}", said());
    }
}
