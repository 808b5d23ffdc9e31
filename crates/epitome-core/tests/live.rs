//! What is live stays, whatever is compacted: the newest request of a person, the newest input, the instructions that hold.

#[expect(dead_code, reason = "other tests need the rest of it")]
mod support;

use std::collections::BTreeSet;

use epitome_core::budget::{Budget, Policy};
use epitome_core::engine::Rung;
use epitome_core::live;
use epitome_core::model::{Block, Conversation, Message, Pairing, ResultStyle, Role};
use epitome_core::shape::shape;
use epitome_core::summary;
use epitome_core::tokens::Tokens;
use support::{Behaviour, budget, call, compacted, message, result, weight};

const STYLES: [ResultStyle; 2] = [ResultStyle::OwnMessage, ResultStyle::NextUserMessage];

fn output(round: usize, tokens: usize) -> String {
    (0..tokens.div_ceil(8)).map(|n| format!("round {round} line {n:05} of its output\n")).collect()
}

fn left(tokens: usize) -> Message {
    Message::text(Role::System, format!("{tokens} tokens are left in your context window."))
}

/// Calls two tools at once and has their results.
fn round(conversation: &mut Conversation, name: &str, nth: usize, tokens: usize) {
    let ids = [format!("{name}{nth}a"), format!("{name}{nth}b")];
    let calls = ids.iter().map(|id| call(id, "bash", &format!(r#"{{"command":"make {id}"}}"#))).collect();
    conversation.messages.push(message(Role::Assistant, calls));
    let mut results: Vec<Block> = ids.iter().map(|id| result(id, &output(nth, tokens))).collect();
    match conversation.results {
        ResultStyle::OwnMessage => {
            conversation.messages.extend(results.into_iter().map(|result| message(Role::Tool, vec![result])));
        }
        ResultStyle::NextUserMessage => {
            results.push(Block::Text("<system-reminder>\nBe brief.\n</system-reminder>".into()));
            conversation.messages.push(message(Role::User, results));
        }
    }
}

const FIRST: &str = "Write the parser.";
const LIVE: &str = "Now port it to `no_std`.\n\n  Keep `src/legacy.rs` as it is.";

/// A finished task, and another with `rounds` of tools behind it, reminded at each.
fn long_turn(style: ResultStyle, rounds: usize, tokens: usize) -> Conversation {
    let mut conversation = Conversation { results: style, ..Conversation::default() };
    conversation.messages.push(Message::text(Role::System, "You are an agent."));
    conversation.messages.push(Message::text(Role::User, FIRST));
    (0..8).for_each(|nth| round(&mut conversation, "w", nth, tokens));
    conversation.messages.push(Message::text(Role::Assistant, "The parser is written and tested."));
    conversation.messages.push(Message::text(Role::User, LIVE));
    conversation.messages.push(left(401_000));
    for nth in 0..rounds {
        round(&mut conversation, "p", nth, tokens);
        conversation.messages.push(left(400_000 - 1_000 * nth));
    }
    conversation
}

fn newest_input(conversation: &Conversation) -> &[Message] {
    let start = live::newest_input(&conversation.messages, &Pairing::of(&conversation.messages));
    &conversation.messages[start..]
}

fn user(text: &str) -> Message {
    Message::text(Role::User, text)
}

fn texts(conversation: &Conversation) -> impl Iterator<Item = &str> {
    conversation.messages.iter().flat_map(Message::texts).map(|text| &**text)
}

/// Compacts, checks what is live, and says which rungs were climbed.
#[track_caller]
fn check(conversation: &Conversation, window: u64, policy: &Policy) -> Vec<Rung> {
    let compaction = compacted(conversation, &budget(conversation, window, policy), policy, Behaviour::Fails);
    let after = compaction.applied.conversation();
    let rungs: Vec<Rung> = compaction.plan.rungs.iter().map(|climbed| climbed.rung).collect();
    for asked in [user(FIRST), user(LIVE)] {
        let times = after.messages.iter().filter(|message| **message == asked).count();
        assert_eq!(times, 1, "{rungs:?}: {}", shape(after, 40));
    }
    let newest = |of: &Conversation| -> Vec<Message> {
        let shortened = rungs.contains(&Rung::ShortenNewest);
        let input = newest_input(of).iter();
        input.map(|message| if shortened { message.without_outputs() } else { message.clone() }).collect()
    };
    assert_eq!(newest(conversation), newest(after), "{rungs:?}");
    rungs
}

#[test]
fn the_live_request_stays_a_users_message_at_every_rung_with_forty_rounds_behind_it() {
    for style in STYLES {
        let mut climbed = BTreeSet::new();
        for tokens in [60, 600] {
            let conversation = long_turn(style, 40, tokens);
            for part in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
                climbed.extend(check(&conversation, 2 * weight(&conversation).0 / part, &Policy::default()));
            }
        }
        // A long head, and newest words that cannot be shortened.
        let mut conversation = long_turn(style, 40, 600);
        for nth in 0..4 {
            conversation.messages.insert(2 + 2 * nth, Message::text(Role::Assistant, output(nth, 900)));
            conversation.messages.insert(3 + 2 * nth, user(&output(nth, 900)));
        }
        round(&mut conversation, "n", 0, 10);
        let speaks = conversation.messages.iter().rposition(|message| message.role == Role::Assistant).unwrap();
        conversation.messages[speaks].blocks.insert(0, Block::Text(output(0, 14_000).into()));
        climbed.extend(check(&conversation, 20_000, &Policy { protect_first_n: 9, ..Policy::default() }));
        for rung in [Rung::Summarize, Rung::ShortenTail, Rung::ShrinkTail, Rung::ShortenNewest, Rung::Restart] {
            assert!(climbed.contains(&rung), "{rung} was not tried: {climbed:?}");
        }
    }
}

#[test]
fn a_turn_is_compacted_around_its_request() {
    let policy = Policy { protect_last_n: 1, ..Policy::default() };
    let conversation = long_turn(ResultStyle::OwnMessage, 40, 600);
    let budget = budget(&conversation, 20_000, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
    insta::assert_snapshot!(shape(compaction.applied.conversation(), 50), @r#"
    00 system    "You are an agent." "[Note: Some earlier conversation turns have been c…"
    01 user      "Write the parser."
    02 assistant "[The conversation goes on below.]"
    03 user      "Now port it to `no_std`.\n\n  Keep `src/legacy.rs` a…"
    04 assistant "[CONTEXT COMPACTION] Earlier turns were compacted…"
    05 user      "[The conversation goes on below.]"
    06 system    "362000 tokens are left in your context window."
    07 assistant call bash#p39a call bash#p39b
    08 tool      output #p39a "round 39 line 00000 of its output\nround 39 line 00…"
    09 tool      output #p39b "round 39 line 00000 of its output\nround 39 line 00…"
    10 system    "361000 tokens are left in your context window."
    "#);
}

/// The request changes over time: the one that was live before may go, the first one may not.
#[test]
fn a_request_that_is_not_live_any_more_is_compacted_again_and_again() {
    let policy = Policy::default();
    for style in STYLES {
        let mut conversation = long_turn(style, 40, 300);
        for part in 0..5 {
            let asked = |part: usize| user(&format!("Go on with part {part}."));
            conversation.messages.push(Message::text(Role::Assistant, "That is done."));
            conversation.messages.push(asked(part));
            for half in ["a", "b"] {
                (0..40).for_each(|nth| round(&mut conversation, &format!("{part}{half}"), nth, 300));
                let budget = budget(&conversation, 30_000, &policy);
                let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
                assert!(compaction.plan.shortfall.is_none(), "{style:?} {part}");
                conversation = compaction.applied.conversation().clone();
                let count = |message: &Message| conversation.messages.iter().filter(|other| *other == message).count();
                assert_eq!((count(&user(FIRST)), count(&asked(part))), (1, 1), "{style:?} {part}");
                assert_eq!(part.checked_sub(1).map_or(0, |before| count(&asked(before))), 0, "{style:?} {part}");
                let [body] = conversation.messages.iter().filter_map(summary::body_of).collect::<Vec<_>>()[..] else {
                    panic!("one summary")
                };
                let quoted =
                    part.checked_sub(1).is_none_or(|before| body.contains(&format!("Go on with part {before}.")));
                assert!(quoted, "{style:?} {part}: {body}");
                // What stays need not be quoted, and an earlier request is none that is open.
                assert!(!body.contains("<request>"), "{style:?} {part}: {body}");
            }
        }
    }
}

#[test]
fn a_forced_size_keeps_the_live_request_if_there_is_room_and_quotes_it_if_not() {
    let mut conversation = long_turn(ResultStyle::OwnMessage, 40, 100);
    let request = user(&format!("{LIVE}\n{}", output(0, 1_200)));
    let live = live::request(&conversation).unwrap();
    conversation.messages[live.start] = request.clone();
    let used = weight(&conversation);
    let policy = Policy::default();
    let forced = |target: u64| {
        let budget = Budget::forced(Tokens(target), used, &policy);
        compacted(&conversation, &budget, &policy, Behaviour::Fails).applied.into_conversation()
    };
    assert!(forced(3_000).messages.contains(&request));
    let tiny = forced(1_500);
    assert!(!tiny.messages.contains(&request), "{}", shape(&tiny, 60));
    assert!(texts(&tiny).any(|text| text.contains("Now port it")), "{}", shape(&tiny, 500));
}

#[test]
fn an_instruction_behind_the_newest_output_does_not_cost_it() {
    // 36 KB in a window of 24,000 survive, and do with an instruction behind them.
    for style in STYLES {
        for instructions in 0..3 {
            for letters in [3_000, 9_000] {
                let mut conversation = long_turn(style, 12, 500);
                round(&mut conversation, "n", 0, letters / 2);
                conversation.messages.extend((0..instructions).map(|nth| left(500 - nth)));
                let policy = Policy::default();
                let budget = budget(&conversation, 24_000, &policy);
                let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
                let after = compaction.applied.conversation();
                assert_eq!(newest_input(&conversation), newest_input(after), "{style:?}, {instructions}, {letters}");
            }
        }
    }
}

#[test]
fn a_new_request_with_an_instruction_behind_it_is_the_newest_input() {
    for style in STYLES {
        let mut conversation = long_turn(style, 30, 500);
        conversation.messages.push(Message::text(Role::Assistant, "Ported."));
        conversation.messages.push(user("Publish it."));
        conversation.messages.push(left(500));
        let policy = Policy { protect_last_n: 1, ..Policy::default() };
        let compaction = compacted(&conversation, &budget(&conversation, 6_000, &policy), &policy, Behaviour::Fails);
        let after = &compaction.applied.conversation().messages;
        assert_eq!(after[after.len() - 2..], [user("Publish it."), left(500)]);
        assert!(!after.contains(&user(LIVE)), "it is not live any more");
    }
}

#[test]
fn calls_that_are_still_to_be_answered_get_no_invented_results() {
    for style in STYLES {
        for answered in 0..3 {
            for instructions in 0..2 {
                let mut conversation = long_turn(style, 30, 500);
                let ids = ["x", "y", "z"];
                let calls = ids.iter().map(|id| call(id, "bash", "{}")).collect();
                conversation.messages.push(message(Role::Assistant, calls));
                let results: Vec<Block> = ids.iter().take(answered).map(|id| result(id, "made")).collect();
                if style == ResultStyle::OwnMessage {
                    conversation.messages.extend(results.into_iter().map(|result| message(Role::Tool, vec![result])));
                } else if answered > 0 {
                    conversation.messages.push(message(Role::User, results));
                }
                conversation.messages.extend((0..instructions).map(left));
                let policy = Policy::default();
                let compaction =
                    compacted(&conversation, &budget(&conversation, 9_000, &policy), &policy, Behaviour::Fails);
                let after = compaction.applied.conversation();
                assert_eq!(newest_input(&conversation), newest_input(after), "{style:?} {answered} {instructions}");
                assert_eq!(Pairing::of(&after.messages).unanswered_calls.len(), 3 - answered);
            }
        }
    }
}

#[test]
fn old_instructions_are_compacted_and_the_newest_of_each_form_stays() {
    let mut conversation = long_turn(ResultStyle::OwnMessage, 369, 30);
    conversation.messages.insert(25, Message::text(Role::System, "Answer in French."));
    let policy = Policy { protect_last_n: 4, ..Policy::default() };
    let budget = budget(&conversation, 24_000, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
    assert!(compaction.plan.shortfall.is_none());
    let after = compaction.applied.conversation();
    let instructions: Vec<&Message> = after.messages.iter().filter(|message| message.role == Role::System).collect();
    assert_eq!(instructions[1], &Message::text(Role::System, "Answer in French."));
    // Those of the tail stay as they are; of those before it none is the newest of its form.
    let tail = compaction.plan.tail_start;
    let in_tail = conversation.messages[tail..].iter().filter(|message| message.role == Role::System).count();
    assert_eq!(instructions.len(), 2 + in_tail);
    assert!(in_tail < 60, "{in_tail}");
    // Nobody takes them for a person's words, and what has been overtaken is not told.
    let body = after.messages.iter().find_map(summary::body_of).unwrap();
    assert!(!body.contains("tokens are left"), "{body}");
}

#[test]
fn too_many_forms_of_instructions_are_compacted_too_the_oldest_first() {
    // Each brings other documents, as applications do that look them up at every turn.
    let mut conversation = long_turn(ResultStyle::OwnMessage, 1, 100);
    let documents = |nth: usize| {
        let name: String = nth.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect();
        Message::text(Role::System, format!("Documents about {name}: {}", output(0, 300)))
    };
    for nth in 0..100 {
        conversation.messages.push(documents(nth));
        round(&mut conversation, "d", nth, 30);
    }
    let policy = Policy::default();
    let budget = budget(&conversation, 24_000, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
    assert!(compaction.plan.shortfall.is_none(), "{:?}", compaction.plan.shortfall);
    let after = compaction.applied.conversation();
    assert!(after.messages.contains(&documents(99)) && !after.messages.contains(&documents(50)));
    let body = after.messages.iter().find_map(summary::body_of).unwrap();
    assert!(!body.contains("asked earlier: Documents") && body.contains("Documents about"), "{body}");
}
