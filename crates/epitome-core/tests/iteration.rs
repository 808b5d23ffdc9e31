//! Compacted again and again with a model (M12): its part is updated, ours is told apart from it, and nothing grows.

#[expect(dead_code, reason = "other tests need the rest of it")]
mod support;

use std::sync::Mutex;

use async_trait::async_trait;
use epitome_core::budget::{Budget, Policy};
use epitome_core::compaction::{Author, Compaction, Endless, Tools, compact};
use epitome_core::engine::{BUILT_IN, Occasion, Reason, Registry};
use epitome_core::model::{Conversation, Message, Role};
use epitome_core::summary::template::{KEPT, Section, Sections, parts};
use epitome_core::summary::{self, SummarizeError, Summarizer, SummaryRequest};
use epitome_core::tokens::{Sizes, Tokens};
use support::{Quarter, call, message, result, weight};

/// Does what a good model does: updates what it is given, and keeps what still holds.
#[derive(Default)]
struct Updates {
    asked: Mutex<Vec<SummaryRequest>>,
}

#[async_trait]
impl Summarizer for Updates {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn summarize(&self, request: &SummaryRequest) -> Result<String, SummarizeError> {
        let mut asked = self.asked.lock().expect("nobody panics");
        asked.push(request.clone());
        let round = asked.len();
        let mut sections = request.previous.as_deref().map(Sections::read).unwrap_or_default();
        let finished = std::mem::take(sections.of(Section::InProgress));
        let done = sections.of(Section::Done);
        done.extend(finished);
        let too_many = done.len().saturating_sub(3);
        done.drain(..too_many);
        if round == 1 {
            sections.of(Section::Constraints).push("- Never touch schema_v1.".to_owned());
            sections.of(Section::Critical).push("- the service listens on port 8484".to_owned());
        }
        sections.of(Section::InProgress).push(format!("- round {round} of the work, and INVENTED_{round}"));
        Ok(sections.write())
    }
}

fn work(round: usize, messages: &mut Vec<Message>) {
    for turn in 0..40 {
        let id = format!("r{round}c{turn}");
        let arguments = format!(r#"{{"command":"make part{round} step{turn}"}}"#);
        messages.push(message(Role::Assistant, vec![call(&id, "bash", &arguments)]));
        let output: String = (0..50).map(|line| format!("part {round} step {turn} line {line:05}\n")).collect();
        messages.push(message(Role::Tool, vec![result(&id, &output)]));
    }
    messages.push(Message::text(Role::Assistant, format!("Part {round} is made.")));
}

fn compacted(conversation: &Conversation, window: u64, model: &Updates) -> Compaction {
    let policy = Policy::default();
    let engine = Registry::new(&policy).resolve(BUILT_IN).engine;
    let tools = Tools { engine: &*engine, summarizer: model, patience: &Endless, counter: &Quarter };
    let budget = Budget::new(Tokens(window), weight(conversation), &policy);
    let occasion = Occasion::new(Reason::Asked);
    pollster::block_on(compact(conversation, &Sizes::of(conversation, &Quarter), &budget, &occasion, tools))
        .expect("the built-in engine breaks nothing")
}

fn body(conversation: &Conversation) -> &str {
    let bodies: Vec<&str> = conversation.messages.iter().filter_map(summary::body_of).collect();
    assert_eq!(bodies.len(), 1, "there is one summary, whatever came before");
    bodies[0]
}

#[test]
fn five_compactions_keep_the_first_facts_and_do_not_grow() {
    const WINDOW: u64 = 30_000;
    let model = Updates::default();
    let mut conversation = Conversation {
        messages: vec![
            Message::text(Role::System, "You are an agent."),
            Message::text(Role::User, "Port it. Never touch schema_v1. It listens on port 8484."),
            Message::text(Role::Assistant, "I will."),
            Message::text(Role::User, "Never touch schema_v1; the service listens on port 8484."),
        ],
        ..Conversation::default()
    };
    let mut sizes = Vec::new();
    for round in 1..=5 {
        work(round, &mut conversation.messages);
        let compaction = compacted(&conversation, WINDOW, &model);
        assert!(compaction.plan.shortfall.is_none());
        let Some(Author::Asked { audit: Some(audit), .. }) = &compaction.author else {
            panic!("round {round}: {:?}", compaction.author)
        };
        // What was invented in an earlier round and is still said is still not verified.
        assert!(audit.unverified.contains(&format!("INVENTED_{round}")), "round {round}: {audit:?}");
        assert_eq!(audit.unverified.len(), round.min(4), "round {round}: {audit:?}");
        conversation = compaction.applied.conversation().clone();
        let body = body(&conversation);
        sizes
            .push(weight(&Conversation { messages: vec![Message::text(Role::User, body)], ..Conversation::default() }));
        let sections = Sections::read(&parts(body).told);
        assert!(sections.get(Section::Constraints).iter().any(|item| item.contains("schema_v1")), "{body}");
        assert!(sections.get(Section::Critical).iter().any(|item| item.contains("port 8484")), "{body}");
        assert!(sections.get(Section::InProgress).iter().all(|item| item.contains(&format!("round {round} "))));
        assert_eq!(body.matches(KEPT).count(), 1, "{body}");
        assert!(parts(body).kept.contains(&format!("part{round}")), "the newest commands are kept: {body}");
    }
    let ceiling = Tokens(WINDOW).share(0.05);
    assert!(sizes.iter().all(|size| *size <= ceiling), "{sizes:?}");
    let asked = model.asked.lock().expect("nobody panics");
    assert_eq!(asked.len(), 5, "a plan that is made again does not ask again");
    assert!(asked.iter().all(|request| !request.previous.as_deref().unwrap_or_default().contains(KEPT)));
    assert!(asked.iter().skip(1).all(|request| request.previous.is_some()));
}
