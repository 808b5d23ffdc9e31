//! Compaction with the local summariser: where its summary stands, what it cites, and that one odd text spoils nothing.

#[expect(dead_code, reason = "other tests need the rest of it")]
mod support;

use std::collections::HashSet;

use epitome_core::budget::{Budget, Policy};
use epitome_core::compaction::{Author, Compaction, Endless, Tools, compact, weigh};
use epitome_core::engine::{Occasion, Reason};
use epitome_core::engines::compressor::Compressor;
use epitome_core::fingerprint::ContentHash;
use epitome_core::model::{Conversation, Message, Role};
use epitome_core::originals;
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::summary::{body_of, is_ours};
use epitome_core::tokens::{BpeCounter, Precision, Sizes, Tokens, conversation_tokens};
use support::{call, message, result};

/// Turns that read a file each.
fn turns(messages: &mut Vec<Message>, numbers: std::ops::Range<usize>) {
    for turn in numbers {
        let id = format!("c{turn}");
        let path = format!(r#"{{"path":"src/part_{turn}.rs"}}"#);
        messages.push(message(Role::Assistant, vec![call(&id, "read_file", &path)]));
        let line = |n: usize| format!("    let value_{turn}_{n} = load_setting(\"key_{n}\");\n");
        messages.push(message(Role::Tool, vec![result(&id, &(0..30).map(line).collect::<String>())]));
    }
}

fn compacted(messages: Vec<Message>, budget: impl FnOnce(Tokens, &Policy) -> Budget) -> (Conversation, Compaction) {
    let conversation = Conversation { messages, ..Conversation::default() };
    let policy = Policy::default();
    let sizes = Sizes::of(&conversation, &BpeCounter);
    let used = weigh(&conversation, &sizes, Tokens(0), &BpeCounter).tokens;
    let budget = budget(used, &policy);
    let (engine, summarizer) = (Compressor::new(policy), LocalSummarizer::new(BpeCounter));
    let tools = Tools { engine: &engine, summarizer: &summarizer, patience: &Endless, counter: &BpeCounter };
    let occasion = Occasion::new(Reason::Threshold);
    let compaction = pollster::block_on(compact(&conversation, &sizes, &budget, &occasion, tools)).expect("valid");
    (conversation, compaction)
}

fn in_window(window: u64) -> impl FnOnce(Tokens, &Policy) -> Budget {
    move |used, policy| Budget::new(Tokens(window), used, policy)
}

fn count(compaction: &Compaction) -> Tokens {
    conversation_tokens(compaction.applied.conversation(), &BpeCounter, Precision::Exact)
}

#[test]
fn a_request_that_a_harness_spoke_before_stands_before_the_summary() {
    let mut messages = vec![Message::text(Role::System, "You are an agent.")];
    messages.push(Message::text(Role::User, "<command-name>/clear</command-name>"));
    turns(&mut messages, 0..2);
    messages.push(Message::text(Role::User, "Port the parser, please."));
    turns(&mut messages, 2..80);
    let (_, compaction) = compacted(messages, in_window(40_000));
    let after = &compaction.applied.conversation().messages;
    let place = |is: &dyn Fn(&Message) -> bool| after.iter().position(is);
    let request = place(&|message| message.texts().any(|text| text.starts_with("Port the parser")));
    let summary = place(&|message| body_of(message).is_some());
    assert!(request.is_some() && request < summary, "{request:?} {summary:?}");
    let roles: Vec<Role> = after.iter().map(|message| message.role).filter(|role| *role != Role::System).collect();
    assert!(roles.windows(2).all(|pair| pair != [Role::User, Role::User]), "{roles:?}");
}

#[test]
fn what_excerpts_cite_is_among_the_originals() {
    let mut messages = vec![Message::text(Role::User, "Port the parser, please.")];
    turns(&mut messages, 0..80);
    let (conversation, compaction) = compacted(messages, in_window(40_000));
    let cited = originals::cited(&conversation, compaction.applied.edits());
    let known: HashSet<String> = cited.iter().map(|text| ContentHash::of(&**text).short()[..6].to_owned()).collect();
    let summary = compaction.applied.conversation().messages.iter().find_map(body_of).expect("a summary");
    let named: Vec<&str> = summary
        .lines()
        .filter_map(|line| line.strip_prefix("- read_file #"))
        .map(|rest| rest.split(' ').next().unwrap_or_default())
        .collect();
    assert!(named.len() > 3, "{summary}");
    assert!(named.iter().all(|reference| known.contains(*reference)), "{named:?} {known:?}");
}

#[test]
fn an_output_that_is_estimated_badly_does_not_make_the_others_look_large() {
    for odd in ["y".repeat(300_000), "-".repeat(71).repeat(4_000), "0123456789".repeat(30_000)] {
        let mut messages = vec![Message::text(Role::User, "Look at it.")];
        messages.push(message(Role::Assistant, vec![call("odd", "bash", r#"{"command":"yes"}"#)]));
        messages.push(message(Role::Tool, vec![result("odd", &odd)]));
        messages.push(Message::text(Role::Assistant, "That was long."));
        messages.push(Message::text(Role::User, "Next: also handle tabs."));
        turns(&mut messages, 0..20);
        let (_, compaction) = compacted(messages, in_window(32_000));
        assert_eq!(compaction.plan.shortfall, None);
        assert!(count(&compaction) < Tokens(16_000), "{}", count(&compaction));
        let after = &compaction.applied.conversation().messages;
        let says = |message: &Message| message.texts().any(|text| text.contains("also handle tabs"));
        assert!(after.iter().any(says) && after.iter().any(|message| body_of(message).is_some()));
        let kept = after.iter().filter(|message| !is_ours(message)).count();
        assert!(kept >= 20, "{kept} messages are left");
    }
}

#[test]
fn a_local_summary_is_no_echo_of_a_transcript_of_one_output() {
    let mut messages = vec![Message::text(Role::User, "Look at it.")];
    turns(&mut messages, 0..1);
    let filler = "nothing that would be needed again\n".repeat(4_000);
    messages.push(Message::text(Role::Assistant, filler));
    turns(&mut messages, 1..30);
    let (_, compaction) = compacted(messages, in_window(32_000));
    assert!(matches!(compaction.author, Some(Author::Asked { .. })), "{:?}", compaction.author);
}

#[test]
fn small_forced_sizes_are_filled() {
    let mut messages = vec![Message::text(Role::User, "Port the parser, please. ".repeat(60))];
    turns(&mut messages, 0..80);
    for size in (1_000..6_000).step_by(250) {
        let (_, compaction) = compacted(messages.clone(), |used, policy| Budget::forced(Tokens(size), used, policy));
        let after = count(&compaction);
        assert!(after <= Tokens(size) && after >= Tokens(size).share(0.85), "{size}: {after}");
    }
}
