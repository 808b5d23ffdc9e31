//! Every rung of the ladder (M17), with every summariser: what it does, and that it ends.

mod support;

use epitome_core::budget::{Budget, Controller, Outputs, Policy};
use epitome_core::compaction::{Author, Compaction};
use epitome_core::edit::Edit;
use epitome_core::engine::{Cause, ContextEngine, Occasion, Reason, Rung, Step};
use epitome_core::engines::compressor::Compressor;
use epitome_core::model::{Conversation, Message, ResultStyle, Role};
use epitome_core::outputs::CLEARED;
use epitome_core::shape::shape;
use epitome_core::summary::template::{Section, Sections};
use epitome_core::summary::{self, LOCAL, archived};
use epitome_core::tokens::{RoughCounter, Sizes, Tokens};
use support::{Behaviour, budget, call, compacted, message, result, weight};

/// `turns` calls with outputs of about `tokens` each, behind a prompt and a request.
fn session(turns: usize, tokens: usize) -> Conversation {
    let mut messages = vec![Message::text(Role::System, "You are an agent."), Message::text(Role::User, "Port it.")];
    for turn in 0..turns {
        let id = format!("c{turn}");
        messages
            .push(message(Role::Assistant, vec![call(&id, "bash", &format!(r#"{{"command":"make step{turn}"}}"#))]));
        messages.push(message(Role::Tool, vec![result(&id, &output(turn, tokens))]));
    }
    messages.push(Message::text(Role::Assistant, "All steps are made. Next I will run the tests."));
    Conversation { messages, ..Conversation::default() }
}

fn output(turn: usize, tokens: usize) -> String {
    let line = |n: usize| format!("step {turn} line {n:05} of its output\n");
    (0..tokens.div_ceil(8)).map(line).collect()
}

fn rungs(compaction: &Compaction) -> Vec<Rung> {
    compaction.plan.rungs.iter().map(|climbed| climbed.rung).collect()
}

/// Compacts with every summariser and checks that each ends on the same rungs, below the trigger or with a reason.
#[track_caller]
fn check(conversation: &Conversation, budget: &Budget, policy: &Policy, expected: &[Rung], cause: Option<Cause>) {
    for behaviour in Behaviour::ALL {
        let compaction = compacted(conversation, budget, policy, behaviour);
        assert_eq!(rungs(&compaction), expected, "{behaviour:?}");
        assert_eq!(compaction.plan.shortfall.as_ref().map(|shortfall| shortfall.cause), cause, "{behaviour:?}");
        assert_eq!(
            compaction.after.tokens < budget.trigger,
            cause.is_none(),
            "{behaviour:?}: {:?}",
            compaction.after.tokens
        );
        let at_most = compaction.plan.rungs.last().map_or(compaction.before, |climbed| climbed.at_most);
        assert!(
            compaction.after.tokens <= at_most,
            "{behaviour:?}: {} is more than {at_most}",
            compaction.after.tokens
        );
        let summarised = compaction.plan.steps.iter().any(|step| matches!(step, Step::Summarize(_)));
        match (compaction.author, behaviour) {
            (None, _) => assert!(!summarised),
            (Some(Author::Asked { .. }), Behaviour::Good) => {}
            // There is room for some sentences, and no model is asked for them.
            (Some(Author::Asked { name, .. }), _) if name == LOCAL => {}
            (Some(Author::StoodIn { why, .. }), _) => assert!(!why.is_empty()),
            (Some(Author::Asked { .. }), _) => panic!("{behaviour:?} was accepted"),
        }
    }
}

#[test]
fn the_middle_is_summarised() {
    let conversation = session(60, 400);
    let policy = Policy::default();
    check(&conversation, &budget(&conversation, 40_000, &policy), &policy, &[Rung::Summarize], None);
}

#[test]
fn outputs_in_a_heavy_tail_are_shortened() {
    // Twenty protected messages weigh more than the trigger.
    let conversation = session(30, 2_000);
    let policy = Policy::default();
    let budget = budget(&conversation, 30_000, &policy);
    check(&conversation, &budget, &policy, &[Rung::Summarize, Rung::ShortenTail], None);
}

#[test]
fn a_tail_that_cannot_be_shortened_shrinks() {
    // Many messages that are too small to be digested and too many to be kept.
    let conversation = session(40, 450);
    let policy = Policy { protect_last_n: 60, ..Policy::default() };
    let budget = budget(&conversation, 20_000, &policy);
    check(&conversation, &budget, &policy, &[Rung::Summarize, Rung::ShrinkTail], None);
}

#[test]
fn a_compaction_leaves_room_for_the_next_turns() {
    let conversation = session(60, 450);
    let mut climbed = std::collections::BTreeSet::new();
    // Whatever the tail weighs: with some of them the summary alone leads just below the trigger.
    for protect_last_n in 20..100 {
        let policy = Policy { protect_last_n, ..Policy::default() };
        let budget = budget(&conversation, 40_000, &policy);
        let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
        let at_most = compaction.plan.rungs.last().expect("it is due").at_most;
        assert!(at_most < budget.trigger.share(0.9), "{at_most} of {}, {protect_last_n}", budget.trigger);
        climbed.insert(rungs(&compaction));
    }
    assert_eq!(climbed.len(), 2, "{climbed:?}");
}

#[test]
fn between_trigger_and_the_window_a_heavy_newest_exchange_is_accepted_with_its_reason() {
    let mut conversation = session(30, 400);
    conversation.messages.push(Message::text(Role::User, output(99, 12_000)));
    let policy = Policy::default();
    let budget = budget(&conversation, 20_000, &policy);
    let expected = &[Rung::Summarize, Rung::ShrinkTail];
    check(&conversation, &budget, &policy, expected, Some(Cause::NewestExchange));
}

#[test]
fn close_to_the_window_only_head_and_newest_exchange_are_kept() {
    let mut conversation = session(30, 400);
    conversation.messages.push(Message::text(Role::User, output(99, 18_000)));
    let policy = Policy::default();
    let budget = budget(&conversation, 20_000, &policy);
    let expected = &[Rung::Summarize, Rung::ShrinkTail, Rung::Aggressive, Rung::Drop];
    check(&conversation, &budget, &policy, expected, Some(Cause::NewestExchange));
}

#[test]
fn outputs_of_a_newest_message_that_never_fits_are_shortened_and_nothing_else_of_it() {
    let mut conversation = session(30, 400);
    let calls = (0..9).map(|nth| call(&format!("n{nth}"), "bash", r#"{"command":"make all"}"#)).collect();
    conversation.messages.push(Message::text(Role::User, "Make all of it."));
    conversation.messages.push(message(Role::Assistant, calls));
    let results = (0..9).map(|nth| result(&format!("n{nth}"), &output(100 + nth, 4_000))).collect();
    conversation.messages.push(message(Role::User, results));
    conversation.results = ResultStyle::NextUserMessage;
    let policy = Policy::default();
    let budget = budget(&conversation, 20_000, &policy);
    let expected = &[Rung::Summarize, Rung::ShrinkTail, Rung::ShortenNewest];
    check(&conversation, &budget, &policy, expected, Some(Cause::NewestExchange));
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
    let newest = |conversation: &Conversation| conversation.messages.last().map(Message::without_outputs);
    assert_eq!(newest(&conversation), newest(compaction.applied.conversation()));
}

/// What only the last rung makes fit: a long head, and a newest message that leaves little room.
fn session_to_archive() -> (Conversation, Policy) {
    let mut conversation = session(30, 400);
    for turn in 0..4 {
        conversation.messages.insert(2 + 2 * turn, Message::text(Role::Assistant, output(turn, 900)));
        conversation.messages.insert(3 + 2 * turn, Message::text(Role::User, output(turn, 900)));
    }
    conversation.messages.push(Message::text(Role::User, output(99, 14_000)));
    (conversation, Policy { protect_first_n: 9, ..Policy::default() })
}

#[test]
fn what_never_fits_is_archived_and_begins_anew_from_300_words_at_most() {
    let (conversation, policy) = session_to_archive();
    let budget = budget(&conversation, 20_000, &policy);
    for behaviour in Behaviour::ALL {
        let compaction = compacted(&conversation, &budget, &policy, behaviour);
        assert_eq!(rungs(&compaction).last(), Some(&Rung::Restart));
        assert!(compaction.plan.restarts());
        let after = compaction.applied.conversation();
        let body = summary_in(after).unwrap();
        assert!(body.split_whitespace().count() <= 300, "{behaviour:?}: {body}");
        assert!(compaction.after.tokens <= budget.context_length.share(0.95), "{}", compaction.after.tokens);
        let notice = archived::notice(compaction.applied.edits()).unwrap();
        assert!(notice.starts_with("[New session created] Original session archived. Summary: ## Goal"), "{notice}");
        if behaviour == Behaviour::Good {
            continue;
        }
        // The local summariser says all four: the task, what was done, where it stands, what is next.
        let sections = Sections::read(body);
        let says = |section: Section, words: &str| sections.get(section).iter().any(|item| item.contains(words));
        assert!(says(Section::Goal, "Port it."), "{body}");
        assert!(says(Section::Done, "make step"), "{body}");
        assert!(says(Section::InProgress, "All steps are made."), "{body}");
        assert!(says(Section::NextSteps, "I will run the tests"), "{body}");
    }
}

#[test]
fn the_round_after_an_archive_updates_the_summary_that_the_session_began_from() {
    let (conversation, policy) = session_to_archive();
    let budget_before = budget(&conversation, 20_000, &policy);
    let archived = compacted(&conversation, &budget_before, &policy, Behaviour::Fails);
    let mut conversation = archived.applied.conversation().clone();
    let began_from = summary_in(&conversation).unwrap().to_owned();
    let opening = |message: &Message| {
        message.texts().any(|text| text.starts_with("[CONTEXT COMPACTION] Earlier turns were compacted"))
    };
    assert_eq!(conversation.messages.iter().filter(|message| opening(message)).count(), 1);
    conversation.messages.push(Message::text(Role::Assistant, "It is read. I decided to use sqlite."));
    conversation.messages.push(Message::text(Role::User, "Go on with part two."));
    conversation.messages.extend(session(30, 400).messages.split_off(2));
    let budget = budget(&conversation, 30_000, &policy);
    let next = compacted(&conversation, &budget, &policy, Behaviour::Fails);
    let after = next.applied.conversation();
    assert!(!next.plan.restarts());
    assert_eq!(after.messages.iter().filter(|message| opening(message)).count(), 1);
    let updated = summary_in(after).unwrap();
    assert!(updated != began_from && updated.contains("Port it.") && updated.contains("use sqlite"), "{updated}");
}

const DEMAND: &str = "The port is 8484. Never push to main.";

/// A long session whose earlier turns were compacted before, with a demand and open work among them.
fn long_session() -> Conversation {
    let mut conversation = session(490, 30);
    conversation.messages.insert(4, Message::text(Role::Assistant, "What about the port?"));
    conversation.messages.insert(5, Message::text(Role::User, DEMAND));
    let policy = Policy::default();
    let compaction = compacted(&conversation, &budget(&conversation, 20_000, &policy), &policy, Behaviour::Fails);
    conversation = compaction.applied.conversation().clone();
    let mut more = session(200, 30).messages.split_off(2);
    conversation.messages.append(&mut more);
    conversation
}

fn summary_in(conversation: &Conversation) -> Option<&str> {
    conversation.messages.iter().find_map(summary::body_of)
}

#[test]
fn where_the_goal_is_out_of_reach_nothing_is_given_up_for_it() {
    let too_large = [
        // The newest message is larger than the window …
        |conversation: &mut Conversation| {
            conversation.messages.push(Message::text(Role::User, output(99, 30_000)));
        },
        // … or system prompt and tools are.
        |conversation: &mut Conversation| conversation.messages[0] = Message::text(Role::System, output(0, 30_000)),
    ];
    for make in too_large {
        let mut conversation = long_session();
        make(&mut conversation);
        let policy = Policy::default();
        let budget = budget(&conversation, 20_000, &policy);
        let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
        assert!(compaction.plan.shortfall.is_some());
        assert!(rungs(&compaction).iter().all(|rung| *rung < Rung::Aggressive), "{:?}", rungs(&compaction));
        let after = compaction.applied.conversation();
        let body = summary_in(after).unwrap();
        // It stays where it is the newest request.
        let stays = after.messages.contains(&Message::text(Role::User, DEMAND));
        assert!(stays || body.contains("Never push to main."), "{body}");
        assert!(Tokens(body.len() as u64 / 4) > Tokens(400), "a whole summary: {}", body.len());
    }
}

#[test]
fn what_a_provider_refused_becomes_as_small_as_it_can() {
    let mut conversation = long_session();
    conversation.messages.push(Message::text(Role::User, output(99, 12_000)));
    let policy = Policy::default();
    let budget = budget(&conversation, 10_000, &policy);
    let usual = compacted(&conversation, &budget, &policy, Behaviour::Good);
    let refused = Budget { refused: true, ..budget };
    let smallest = compacted(&conversation, &refused, &policy, Behaviour::Good);
    assert!(smallest.after.tokens < usual.after.tokens, "{} of {}", smallest.after.tokens, usual.after.tokens);
    assert!(summary_in(smallest.applied.conversation()).is_some());
}

#[test]
fn no_rung_ends_without_a_summary() {
    let mut climbed = std::collections::BTreeSet::new();
    let mut sentences = 0;
    for newest in (4_000..12_000).step_by(100) {
        let mut conversation = long_session();
        conversation.messages.push(Message::text(Role::User, output(99, newest)));
        for window in [5_000, 10_000] {
            let policy = Policy::default();
            let budget = budget(&conversation, window, &policy);
            let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
            let after = compaction.applied.conversation();
            let body = summary_in(after).unwrap_or_else(|| panic!("{newest} in {window}: {}", shape(after, 80)));
            let words = body.split_whitespace().count();
            match rungs(&compaction).last() {
                Some(Rung::Drop) => {
                    sentences += 1;
                    assert!(body.contains("Never push to main."), "{body}");
                    for heading in ["## Goal", "## Constraints & Preferences", "### In Progress", "## Next Steps"] {
                        assert!(body.contains(heading), "{body}");
                    }
                    assert!(words <= 100, "{body}");
                }
                Some(Rung::Aggressive | Rung::Restart) => assert!(words <= 300, "{body}"),
                Some(_) | None => {}
            }
            climbed.extend(rungs(&compaction));
        }
    }
    assert!(sentences > 0 && climbed.contains(&Rung::Aggressive), "{climbed:?}");
}

#[test]
fn a_newest_output_larger_than_the_window_gets_the_room_that_the_window_has() {
    let lines = output(7, 14_000);
    let one_line = lines.replace('\n', " ");
    let records: String = (0..3_000).map(|n| format!("{{\"id\": {n}, \"name\": \"n{n}\"}},")).collect();
    let policy = Policy::default();
    for (text, error) in [
        (lines.clone(), None),
        (one_line, None),
        (format!("[{}]", records.trim_end_matches(',')), None),
        (
            lines.replace("step 7 line 00700 of its output", "error: the linker failed at 0x7"),
            Some("the linker failed"),
        ),
    ] {
        for several in [1, 3] {
            let mut conversation = session(30, 400);
            let make = |nth: usize| call(&format!("n{nth}"), "bash", &format!(r#"{{"command":"make {nth}"}}"#));
            conversation.messages.push(Message::text(Role::User, "Make all of it."));
            conversation.messages.push(message(Role::Assistant, (0..several).map(make).collect()));
            let own = |nth: usize| text.replace("0", &nth.to_string());
            let results = (0..several).map(|nth| message(Role::Tool, vec![result(&format!("n{nth}"), &own(nth))]));
            conversation.messages.extend(results);
            let budget = budget(&conversation, 10_000, &policy);
            let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
            let after = compaction.after.tokens;
            assert!(after < Tokens(9_000) && after > Tokens(7_500), "{several}: {after}");
            let messages = &compaction.applied.conversation().messages;
            let kept: Vec<String> =
                messages.iter().flat_map(Message::results).map(|result| result.text().into_owned()).collect();
            for (nth, kept) in kept[kept.len() - several..].iter().enumerate() {
                let own: Vec<char> = own(nth).chars().collect();
                let part = |range: std::ops::Range<usize>| own[range].iter().collect::<String>();
                assert!(kept.len() / 4 * several > 6_000, "{several}: {}", kept.len());
                assert!(kept.contains(&part(0..40)) && kept.contains(&part(own.len() - 400..own.len())), "{kept}");
                assert!(error.is_none_or(|error| kept.contains(error)), "{kept}");
            }
        }
    }
}

#[test]
fn a_long_live_request_and_a_long_newest_output_fit_together() {
    let policy = Policy::default();
    for (prompt, live, newest, window) in
        [(7_000, 1_500, 1_500, 10_120), (600, 5_000, 5_000, 7_440), (300, 2_400, 2_400, 6_000)]
    {
        let mut conversation = session(20, 200);
        conversation.messages[0] = Message::text(Role::System, output(0, prompt));
        let request = output(1, live);
        conversation.messages.push(Message::text(Role::User, request.as_str()));
        conversation.messages.push(message(Role::Assistant, vec![call("n", "bash", r#"{"command":"make"}"#)]));
        conversation.messages.push(message(Role::Tool, vec![result("n", &output(2, newest))]));
        let budget = budget(&conversation, window, &policy);
        let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
        let after = compaction.applied.conversation();
        assert!(compaction.after.tokens < Tokens(window), "{} of {window}", compaction.after.tokens);
        assert!(compaction.after.tokens > Tokens(window).share(0.8), "{} of {window}", compaction.after.tokens);
        assert!(after.messages.iter().any(|message| message.texts().any(|text| **text == *request)), "{window}");
        assert!(summary_in(after).is_some());
    }
}

#[test]
fn a_prompt_that_fills_the_window_is_named() {
    let mut conversation = session(10, 400);
    conversation.messages[0] = Message::text(Role::System, output(0, 12_000));
    let policy = Policy::default();
    let compaction = compacted(&conversation, &budget(&conversation, 20_000, &policy), &policy, Behaviour::Good);
    let shortfall = compaction.plan.shortfall.unwrap();
    assert_eq!(shortfall.cause, Cause::SystemAndTools);
    insta::assert_snapshot!(shortfall, @"system prompt and tool definitions alone take 12,004 tokens");
}

#[test]
fn a_short_session_that_is_too_large_says_that_nothing_is_old() {
    let conversation = Conversation {
        messages: vec![Message::text(Role::User, "look"), Message::text(Role::Assistant, output(0, 9_000))],
        ..Conversation::default()
    };
    let policy = Policy::default();
    check(&conversation, &budget(&conversation, 15_000, &policy), &policy, &[], Some(Cause::NothingOld));
}

#[test]
fn the_controller_shortens_the_largest_outputs_first_and_stops_at_half() {
    let mut conversation = session(40, 600);
    let large = message(Role::Tool, vec![result("c3", &output(3, 9_000))]);
    conversation.messages[9] = large;
    let policy = Policy { controller: Controller::LargestFirst, protect_last_n: 4, ..Policy::default() };
    let budget = budget(&conversation, weight(&conversation).0 * 5 / 4, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
    assert_eq!(rungs(&compaction), [Rung::Prune]);
    assert!(compaction.after.tokens <= budget.context_length.share(0.5));
    assert!(
        compaction.after.tokens > budget.context_length.share(0.45),
        "no further than needed: {}",
        compaction.after.tokens
    );
    assert!(compaction.applied.edits().iter().any(|edit| matches!(edit, Edit::ShortenOutput { message: 9, .. })));
    assert_eq!(compaction.applied.conversation().messages.len(), conversation.messages.len());
}

#[test]
fn cleared_outputs_say_what_the_guide_says() {
    let conversation = session(40, 600);
    let policy = Policy {
        controller: Controller::LargestFirst,
        outputs: Outputs::Clear,
        protect_last_n: 4,
        ..Policy::default()
    };
    let budget = budget(&conversation, weight(&conversation).0 * 5 / 4, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
    let results = compaction.applied.conversation().messages.iter().flat_map(Message::results);
    let cleared = results.filter(|result| result.text() == CLEARED).count();
    assert_eq!(cleared, compaction.applied.edits().len());
    assert!(cleared > 5, "{cleared}");
}

#[test]
fn outputs_of_200_characters_stay_and_longer_ones_become_a_line() {
    let mut conversation = session(60, 200);
    // Half of the window is out of reach, so that no old output is spared.
    conversation.messages[0] = Message::text(Role::System, "You are an agent. ".repeat(6_700));
    let words = "word ".repeat(40);
    conversation.messages[3] = message(Role::Tool, vec![result("c0", &words)]);
    conversation.messages[5] = message(Role::Tool, vec![result("c1", &format!("{words}!"))]);
    for (outputs, expected) in [(Outputs::Clear, CLEARED), (Outputs::Digest, "[output of bash make step1: ")] {
        let policy = Policy { controller: Controller::LargestFirst, outputs, target_ratio: 0.1, ..Policy::default() };
        let budget = budget(&conversation, weight(&conversation).0 * 5 / 4, &policy);
        let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
        assert_eq!(rungs(&compaction), [Rung::Prune], "{outputs:?}");
        let after = &compaction.applied.conversation().messages;
        let output = |index: usize| after[index].results().next().expect("an output").text().into_owned();
        assert_eq!(output(3), words, "{outputs:?}");
        assert!(output(5).starts_with(expected), "{outputs:?}: {}", output(5));
    }
}

#[test]
fn a_forced_size_is_met_and_used() {
    let conversation = session(60, 400);
    let used = weight(&conversation);
    for share in [0.1, 0.2, 0.3, 0.5] {
        let target = used.share(share);
        let policy = Policy::default();
        let compaction = compacted(&conversation, &Budget::forced(target, used, &policy), &policy, Behaviour::Fails);
        assert!(compaction.after.tokens <= target, "{} of {target}", compaction.after.tokens);
        // What was kept comes near what was asked for; a step of this session is as large as one output.
        assert!(compaction.after.tokens + Tokens(900) >= target.share(0.75), "{} of {target}", compaction.after.tokens);
    }
}

/// Five compactions in a row, with work in between (M12).
#[test]
fn later_compactions_update_the_summary() {
    let mut conversation = session(30, 400);
    conversation.messages.insert(6, Message::text(Role::User, "The port is 8484. Never push to main."));
    conversation.messages.insert(6, Message::text(Role::Assistant, "I decided to use sqlite instead of postgres."));
    let policy = Policy::default();
    for round in 0..5 {
        let mut more = session(30, 400).messages.split_off(2);
        conversation.messages.push(Message::text(Role::User, format!("Go on with part {round}.")));
        conversation.messages.append(&mut more);
        let budget = budget(&conversation, 30_000, &policy);
        let compaction = compacted(&conversation, &budget, &policy, Behaviour::Fails);
        conversation = compaction.applied.conversation().clone();
        let summaries: Vec<&str> = conversation.messages.iter().filter_map(summary::body_of).collect();
        let [body] = summaries[..] else { panic!("{} summaries", summaries.len()) };
        assert!(Tokens(body.len() as u64 / 4) <= Tokens(1_500), "round {round}: the block grew to {}", body.len() / 4);
        assert!(body.contains("Never push to main."), "round {round}: {body}");
        assert!(body.contains("sqlite instead of postgres"), "round {round}: {body}");
        let asked = |round: usize| Message::text(Role::User, format!("Go on with part {round}."));
        assert!(conversation.messages.contains(&asked(round)), "round {round}: the live request stays");
        for earlier in 0..round {
            assert!(!conversation.messages.contains(&asked(earlier)), "round {round}: request {earlier} is not live");
            assert!(body.contains(&format!("Go on with part {earlier}.")), "round {round}: {body}");
        }
        let notes = conversation.messages[0].texts().filter(|text| text.starts_with("[Note: Some earlier")).count();
        assert_eq!(notes, 1, "round {round}");
    }
}

#[test]
fn continue_after_a_compaction_does_not_restart_a_finished_task() {
    let mut conversation = session(40, 400);
    conversation.messages.push(Message::text(Role::User, "continue"));
    let policy = Policy { protect_last_n: 1, ..Policy::default() };
    let compaction = compacted(&conversation, &budget(&conversation, 20_000, &policy), &policy, Behaviour::Fails);
    let after = compaction.applied.conversation();
    insta::assert_snapshot!(shape(after, 90), @r#"
    00 system    "You are an agent." "[Note: Some earlier conversation turns have been compacted into a summary that stands amon…"
    01 user      "Port it."
    02 assistant "[CONTEXT COMPACTION] Earlier turns were compacted into this summary, to save space. It is…"
    03 user      "[The conversation goes on below.]"
    04 assistant call bash#c36
    05 tool      output #c36 "step 36 line 00000 of its output\nstep 36 line 00001 of its output\nstep 36 line 00002 of it…"
    06 assistant call bash#c37
    07 tool      output #c37 "step 37 line 00000 of its output\nstep 37 line 00001 of its output\nstep 37 line 00002 of it…"
    08 assistant call bash#c38
    09 tool      output #c38 "step 38 line 00000 of its output\nstep 38 line 00001 of its output\nstep 38 line 00002 of it…"
    10 assistant call bash#c39
    11 tool      output #c39 "step 39 line 00000 of its output\nstep 39 line 00001 of its output\nstep 39 line 00002 of it…"
    12 assistant "All steps are made. Next I will run the tests."
    13 user      "continue"
    "#);
    let body = after.messages.iter().find_map(summary::body_of).unwrap();
    // Nothing in the summary reads like an open request: what was asked stands in the messages that stay.
    assert!(!body.contains("<request>"), "{body}");
}

#[test]
fn a_quoted_summary_is_not_taken_for_ours() {
    let mut conversation = session(40, 400);
    let quoted = format!("Is this right?\n{}", summary::seal("## Goal\n- to be quoted", "0 messages"));
    conversation.messages.insert(10, Message::text(Role::User, quoted.clone()));
    conversation.messages.push(Message::text(Role::User, "Go on."));
    let policy = Policy::default();
    let compaction = compacted(&conversation, &budget(&conversation, 20_000, &policy), &policy, Behaviour::Fails);
    let after = compaction.applied.conversation();
    let bodies: Vec<&str> = after.messages.iter().filter_map(summary::body_of).collect();
    assert_eq!(bodies.len(), 1);
    assert!(bodies[0].contains("Is this right?"), "a request like any other: {}", bodies[0]);
}

#[test]
fn neighbouring_orphans_go_only_if_that_brings_no_two_of_one_role_together() {
    let policy = Policy { controller: Controller::LargestFirst, ..Policy::default() };
    let mut conversation = session(20, 400);
    let end = conversation.messages.len();
    conversation.messages.extend([
        Message::text(Role::User, "Well?"),
        message(Role::Tool, vec![result("lost", "x")]),
        message(Role::Tool, vec![result("gone", "x")]),
        Message::text(Role::User, "Go on."),
    ]);
    let budget = budget(&conversation, 10_000, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
    let removed: Vec<usize> = compaction.applied.edits().iter().filter_map(removed_result).collect();
    assert_eq!(removed, [end + 1]);
}

fn removed_result(edit: &Edit) -> Option<usize> {
    match edit {
        Edit::RemoveResult { message, .. } => Some(*message),
        Edit::Replace { .. } | Edit::ShortenOutput { .. } | Edit::NoteInSystem { .. } | Edit::AnswerCall { .. } => None,
    }
}

#[test]
fn a_summary_behind_an_answer_that_is_a_users_message_is_not_a_users_too() {
    let mut conversation = session(20, 400);
    // An instruction calls, so that what answers it stays; and what answers it calls in vain.
    conversation.messages.splice(
        ..2,
        [
            message(Role::System, vec![call("a", "bash", "{}")]),
            message(Role::Assistant, vec![result("a", "done"), call("lost", "bash", "{}")]),
        ],
    );
    conversation.messages.push(Message::text(Role::User, "Go on."));
    conversation.results = ResultStyle::NextUserMessage;
    let policy = Policy::default();
    let budget = budget(&conversation, 9_000, &policy);
    let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
    let roles: Vec<Role> =
        compaction.applied.conversation().messages.iter().take(4).map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::Assistant, Role::User, Role::Assistant]);
}

#[test]
fn the_answers_to_lost_calls_are_part_of_the_size() {
    // Each of the lost calls gets an answer, which together weigh more than what is saved.
    let lost = |index: usize| call(&format!("lost{index}"), "bash", "{}");
    let mut conversation = session(1, 2_000);
    conversation.messages.push(message(Role::Assistant, (0..60).map(lost).collect()));
    conversation.messages.push(Message::text(Role::User, "Go on."));
    let policy = Policy::default();
    for window in (1_000..8_000).step_by(100) {
        let budget = budget(&conversation, window, &policy);
        if !budget.is_due() {
            continue;
        }
        let compaction = compacted(&conversation, &budget, &policy, Behaviour::Good);
        assert!(compaction.after.tokens < budget.trigger || compaction.plan.shortfall.is_some(), "{window}");
        let at_most = compaction.plan.rungs.last().map_or(compaction.before, |climbed| climbed.at_most);
        assert!(compaction.after.tokens <= at_most, "{window}: {} is more than {at_most}", compaction.after.tokens);
    }
}

#[test]
fn what_a_digest_saves_is_weighed_like_the_output_it_stands_for() {
    // Text that estimates get wrong by half: sizes are scaled to an exact count, and so must be what is saved.
    let conversation = session(2, 4_000);
    let policy = Policy::default();
    let sizes = Sizes::of(&conversation, &RoughCounter);
    let exact = Tokens(sizes.total().0 * 2);
    let budget = Budget::new(exact.share(0.9), exact, &policy);
    let occasion = Occasion::new(Reason::Threshold);
    let plan = Compressor::new(policy).plan(&conversation, &sizes.scaled_to(exact), &budget, &occasion, &RoughCounter);
    let climbed: Vec<Rung> = plan.rungs.iter().map(|climbed| climbed.rung).collect();
    assert_eq!(climbed, [Rung::ShortenTail], "{:?}", plan.rungs);
}
