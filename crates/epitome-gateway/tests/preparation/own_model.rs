//! The request's own model writes its summaries, at its own upstream and with its own credential.

use std::sync::Arc;
use std::time::Duration;

use epitome_core::catalogue::Catalogue;
use epitome_gateway::writer::{Asked as When, Writer};
use epitome_provider::cooldown::Cooldown;
use epitome_provider::retry::Retry;
use epitome_provider::{OwnModels, Settings};
use epitome_wire::Dialect;
use tokio::sync::Semaphore;

use crate::fault_server::{Act, Asked, Server};
use crate::session::{Session, messages_of};
use crate::world::{World, check_prefixes, is_about_a_summary, summary, turn};

fn own(asked: When) -> Writer {
    let settings = Settings {
        model: None,
        context_length: None,
        progress: Duration::from_secs(20),
        retry: Retry::default(),
        cooldown: Cooldown::default(),
        max_spend: None,
    };
    Writer::OfRequest { models: Box::new(OwnModels::new(settings, Catalogue::embedded())), asked }
}

/// A provider whose model answers turns, and writes summaries when it is allowed to.
async fn provider(dialect: Dialect, cached: bool, permits: &Arc<Semaphore>) -> Server {
    let permits = permits.clone();
    let answers = move |asked: &Asked, _: usize| {
        if !is_about_a_summary(asked) {
            return turn(dialect, asked, cached);
        }
        let said = summary("the worker restarts");
        let says = match dialect {
            Dialect::OpenAiChat => Act::Says(said),
            Dialect::AnthropicMessages => Act::SaysAnthropic(said),
            Dialect::OpenAiResponses => Act::SaysResponses(said),
        };
        Act::WhenAllowed(permits.clone(), Box::new(says))
    };
    Server::answering(Arc::new(answers)).await
}

fn parted(server: &Server) -> (Vec<Asked>, Vec<Asked>) {
    server.asked().into_iter().partition(|asked| !is_about_a_summary(asked))
}

/// Plays a session until what was prepared of it is used.
async fn play(dialect: Dialect, cached: bool) -> (Vec<Asked>, Vec<Asked>) {
    let permits = Arc::new(Semaphore::new(9));
    let provider = provider(dialect, cached, &permits).await;
    let world = World::start(&provider, own(When::WithCredential), |_| {}).await;
    let mut session = Session::new(dialect);
    world.until_large(&mut session).await;
    world.until_prepared(&session).await;
    let compacted = world.until_compacted(&mut session).await;
    let (turns, summaries) = parted(&provider);
    assert_eq!(world.turns(&compacted, turns.len()).await, turns.len(), "what we ask is no turn of the session");
    assert_eq!(summaries.len(), 1);
    let log = world.logs(&compacted).await.remove(0);
    assert_eq!(log.stood_in, None);
    assert!(world.metric("epitome_summaries_total{outcome=\"prepared\"} 1"));
    let sent = turns.last().expect("a turn").body.to_string();
    assert!(sent.contains("the worker restarts"));
    check_prefixes(dialect, &turns);
    (turns, summaries)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_caches_is_asked_behind_what_it_has_read() {
    for dialect in Dialect::ALL {
        let (turns, summaries) = play(dialect, true).await;
        let asked = &summaries[0];
        assert_eq!(asked.head.matches("authorization: bearer theirs").count(), 1, "{}", asked.head);
        let first_line = |asked: &Asked| asked.head.lines().next().expect("a line").to_owned();
        assert_eq!(first_line(asked), first_line(&turns[0]));
        // It is one of the turns, with a question more.
        let behind = messages_of(asked.body.to_string().as_bytes());
        let same = |turn: &&Asked| {
            let sent = messages_of(turn.body.to_string().as_bytes());
            let before_last = sent.len() - 1;
            behind.len() >= sent.len() && behind[..before_last] == sent[..before_last]
        };
        let forked = turns.iter().rfind(same).expect("a turn that it is a fork of");
        assert!(turns.iter().position(|turn| std::ptr::eq(turn, forked)) > Some(0));
        for key in ["system", "instructions", "model", "tools"] {
            assert_eq!(asked.body[key], forked.body[key], "{dialect}: {key}");
        }
        assert!(asked.body.get("x_unknown").is_none(), "{dialect}: what is not known is the client's alone");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_does_not_cache_is_shown_the_transcript() {
    for dialect in Dialect::ALL {
        let (turns, summaries) = play(dialect, false).await;
        let asked = summaries[0].body.to_string();
        assert!(asked.contains("<transcript-") && !asked.contains("x_unknown"), "{dialect}: {asked}");
        assert_eq!(summaries[0].body["model"], turns[0].body["model"]);
        assert_eq!(summaries[0].head.matches("authorization: bearer theirs").count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_credential_nobody_is_asked_unless_always() {
    for (asked, summaries) in [(When::WithCredential, 0), (When::Always, 1)] {
        let permits = Arc::new(Semaphore::new(9));
        let provider = provider(Dialect::OpenAiChat, false, &permits).await;
        let world = World::start(&provider, own(asked), |setup| setup.prepare_at = None).await;
        let mut session = Session::new(Dialect::OpenAiChat);
        let compacted = loop {
            let answered = world.turn_with(&mut session, &[]).await;
            if answered.action() == "compacted" {
                break answered;
            }
        };
        assert_eq!(parted(&provider).1.len(), summaries);
        let author = world.logs(&compacted).await.remove(0).author;
        let expected = if summaries == 0 { "local" } else { "gpt-5.1" };
        assert_eq!(author.as_deref(), Some(expected));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_in_no_record() {
    let permits = Arc::new(Semaphore::new(9));
    let provider = provider(Dialect::OpenAiChat, false, &permits).await;
    let refuses = Act::Status(401, Vec::new(), r#"{"error":{"code":"theirs","type":"bad key theirs"}}"#.to_owned());
    let refusing = Server::answering(Arc::new(move |asked: &Asked, _: usize| {
        if is_about_a_summary(asked) { refuses.clone() } else { turn(Dialect::OpenAiChat, asked, false) }
    }))
    .await;
    for server in [&provider, &refusing] {
        let world = World::start(server, own(When::Always), |setup| setup.prepare_at = None).await;
        let mut session = Session::new(Dialect::OpenAiChat);
        let compacted = world.until_compacted(&mut session).await;
        let log = format!("{:?}", world.logs(&compacted).await);
        assert!(!log.contains("theirs") && !world.metrics.to_string().contains("theirs"), "{log}");
        let stood_in = world.logs(&compacted).await.remove(0).stood_in;
        assert_eq!(stood_in.is_some(), std::ptr::eq(server, &refusing));
    }
}
