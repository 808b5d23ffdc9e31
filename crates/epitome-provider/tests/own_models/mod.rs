//! Models that are asked with a client's own credential, over real sockets.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use epitome_core::catalogue::Catalogue;
use epitome_core::model::{Message, Role};
use epitome_core::summary::{Summarizer, SummaryRequest};
use epitome_core::tokens::Tokens;
use epitome_provider::cooldown::Cooldown;
use epitome_provider::retry::Retry;
use epitome_provider::{Endpoint, ModelSummarizer, OwnModels, Sent, Settings};
use epitome_wire::Dialect;
use http::{HeaderMap, HeaderValue, Uri};
use tokio::sync::Semaphore;

use crate::fault_server::{Act, Server};

const SUMMARY: &str = "## Goal\n- port it\n## Critical Context\n- port 8484";
const WINDOW: Tokens = Tokens(20_000);

fn settings() -> Settings {
    Settings {
        model: None,
        context_length: None,
        progress: Duration::from_secs(20),
        retry: Retry { first: Duration::from_millis(2), longest: Duration::from_millis(8), ..Retry::default() },
        cooldown: Cooldown { after: 1, ..Cooldown::default() },
        max_spend: None,
    }
}

fn models(settings: Settings) -> OwnModels {
    let priced = r#"{"priced": {"context": 8192, "input": 10.0, "output": 100.0}}"#;
    OwnModels::new(settings, Catalogue::embedded().with_overrides(priced).expect("right"))
}

fn endpoint(server: &Server, dialect: Dialect, path: &str) -> Endpoint {
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", HeaderValue::from_static("theirs"));
    headers.insert("anthropic-version", HeaderValue::from_static("2026-10-21"));
    headers.insert("content-length", HeaderValue::from_static("3"));
    let url: Uri = format!("{}{path}", server.base_url).parse().expect("an address");
    Endpoint::of_request(dialect.into(), url, &headers)
}

fn model(models: &OwnModels, server: &Server, client: &str, model: &str) -> ModelSummarizer {
    let endpoint = endpoint(server, Dialect::AnthropicMessages, "/messages?beta=true");
    models.of_request(client, model, WINDOW, endpoint, None).expect("no certificates are needed")
}

fn request() -> SummaryRequest {
    let said = |n: usize| Message::text(Role::Assistant, format!("step {n}: {}", "the port is 8484 ".repeat(20)));
    SummaryRequest::new((0..5).map(said).collect(), Tokens(1_000))
}

fn refuses() -> Act {
    Act::Status(401, Vec::new(), String::new())
}

#[tokio::test]
async fn a_model_is_asked_as_the_client_asks_it() {
    let server = Server::start(vec![Act::SaysAnthropic(SUMMARY.to_owned())]).await;
    let answer = model(&models(settings()), &server, "one", "claude-sonnet-4-5").ask(&request()).await;
    assert_eq!(answer.body, Ok(SUMMARY.to_owned()));
    let asked = server.asked().remove(0);
    assert!(asked.head.starts_with("post /v1/messages?beta=true "), "{}", asked.head);
    assert_eq!(asked.head.matches("anthropic-version: 2026-10-21").count(), 1);
    assert_eq!(asked.head.matches("anthropic-version").count(), 1);
    assert_eq!((asked.head.matches("x-api-key: theirs").count(), asked.head.matches("content-length").count()), (1, 1));
    assert_eq!(asked.body["model"], "claude-sonnet-4-5");
}

#[tokio::test]
async fn another_model_of_the_same_endpoint_can_be_named() {
    let server = Server::start(vec![Act::SaysAnthropic(SUMMARY.to_owned())]).await;
    let models = models(Settings { model: Some("claude-haiku-4-5".to_owned()), ..settings() });
    let endpoint = endpoint(&server, Dialect::AnthropicMessages, "/messages");
    let sent = Sent { body: Bytes::from_static(b"{}"), dialect: Dialect::AnthropicMessages, tokens: Tokens(10) };
    let model = models.of_request("one", "claude-opus-4-5", WINDOW, endpoint, Some(sent)).expect("plain");
    assert_eq!(model.name(), "claude-haiku-4-5");
    assert!(model.ask(&request()).await.body.is_ok());
    let asked = server.asked().remove(0);
    assert_eq!(asked.body["model"], "claude-haiku-4-5");
    assert!(asked.body["messages"][0]["content"].as_str().expect("a text").contains("<transcript-"));
}

#[tokio::test]
async fn who_was_refused_is_left_alone_and_others_are_not() {
    let server = Server::start(vec![refuses(), Act::SaysAnthropic(SUMMARY.to_owned())]).await;
    let models = models(settings());
    assert!(model(&models, &server, "one", "m").ask(&request()).await.body.is_err());
    assert!(model(&models, &server, "one", "m").ask(&request()).await.body.is_err());
    assert_eq!(server.asked().len(), 1, "the second summariser knows of the first one's failure");
    assert!(model(&models, &server, "other", "m").ask(&request()).await.body.is_ok());
}

#[tokio::test]
async fn the_limit_of_what_is_spent_is_one_for_all() {
    let server = Server::start(vec![Act::SaysAnthropic(SUMMARY.to_owned())]).await;
    let models = models(Settings { max_spend: Some(0.3), ..settings() });
    let mut reasons = Vec::new();
    for client in 0..60 {
        let answer = model(&models, &server, &client.to_string(), "priced").ask(&request()).await;
        reasons.extend(answer.body.err().map(|error| error.to_string()));
    }
    assert!(reasons.len() < 60 && reasons.iter().all(|reason| reason.contains("max_spend")), "{reasons:?}");
    assert!(!reasons.is_empty());
}

/// What a client sent in each dialect, where it went, and what its model says.
fn conversations() -> [(Dialect, &'static str, &'static str, Act); 3] {
    let says = SUMMARY.to_owned();
    [
        (
            Dialect::OpenAiChat,
            "/chat/completions",
            r#"{"model":"m","messages":[{"role":"user","content":"port it"}],"tools":[{"type":"function"}]}"#,
            Act::Says(says.clone()),
        ),
        (
            Dialect::AnthropicMessages,
            "/messages",
            r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"port it"}]}]}"#,
            Act::SaysAnthropic(says.clone()),
        ),
        (
            Dialect::OpenAiResponses,
            "/responses",
            r#"{"model":"m","instructions":"be","input":[{"type":"message","role":"user","content":"port it"}]}"#,
            Act::SaysResponses(says),
        ),
    ]
}

#[tokio::test]
async fn a_summary_is_asked_for_behind_what_was_sent() {
    for (dialect, path, body, act) in conversations() {
        let server = Server::start(vec![act]).await;
        let sent = Sent { body: Bytes::from_static(body.as_bytes()), dialect, tokens: Tokens(9_000) };
        let models = models(settings());
        let model = models.of_request("one", "m", WINDOW, endpoint(&server, dialect, path), Some(sent)).expect("plain");
        let answer = model.ask(&request()).await;
        assert_eq!(answer.body, Ok(SUMMARY.to_owned()), "{dialect}");
        assert_eq!((answer.work.calls, answer.work.chunks), (1, 1));
        let asked = server.asked().remove(0).body;
        let text = asked.to_string();
        assert!(text.contains("port it") && text.contains("## Goal (") && !text.contains("<transcript-"), "{text}");
        assert_eq!(asked["stream"], true);
        assert!(asked["max_tokens"].is_null() || asked["max_tokens"].as_u64() > Some(9));
    }
}

#[tokio::test]
async fn where_that_brings_nothing_the_transcript_is_shown() {
    let does_not_fit = Tokens(19_500);
    let cases = [
        (Act::Status(400, Vec::new(), String::new()), Tokens(9_000), 2),
        (Act::Says(" ".to_owned()), Tokens(9_000), 2),
        (Act::SaysUntilLimit("## Goal\n- po".to_owned()), Tokens(9_000), 2),
        (Act::Says(SUMMARY.to_owned()), does_not_fit, 1),
    ];
    for (first, tokens, calls) in cases {
        let server = Server::start(vec![first, Act::Says(SUMMARY.to_owned())]).await;
        let [(dialect, path, body, _), _, _] = conversations();
        let sent = Sent { body: Bytes::from_static(body.as_bytes()), dialect, tokens };
        let models = models(settings());
        let model = models.of_request("one", "m", WINDOW, endpoint(&server, dialect, path), Some(sent)).expect("plain");
        assert_eq!(model.ask(&request()).await.body, Ok(SUMMARY.to_owned()));
        let asked = server.asked();
        assert_eq!(asked.len(), calls);
        let last = asked.last().expect("a call").body.to_string();
        assert!(last.contains("<transcript-") && !last.contains("\"tools\""), "{last}");
    }
    // Whoever cannot be reached with one prompt cannot be reached with another.
    let server = Server::start(vec![refuses()]).await;
    let [(dialect, path, body, _), _, _] = conversations();
    let sent = Sent { body: Bytes::from_static(body.as_bytes()), dialect, tokens: Tokens(9_000) };
    let models = models(settings());
    let model = models.of_request("one", "m", WINDOW, endpoint(&server, dialect, path), Some(sent)).expect("plain");
    assert!(model.ask(&request()).await.body.is_err());
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn whoever_stops_waiting_hangs_up() {
    let permits = Arc::new(Semaphore::new(0));
    let server = Server::start(vec![
        Act::WhenAllowed(permits.clone(), Box::new(Act::Hangs)),
        Act::SaysAnthropic(SUMMARY.to_owned()),
    ])
    .await;
    let models = models(settings());
    let first = model(&models, &server, "one", "m");
    let (request, first) = (request(), &first);
    tokio::select! {
        answer = first.ask(&request) => panic!("{answer:?}"),
        () = server.until_asked(1) => {}
    }
    // It was no failure: the model is asked again at once.
    assert!(model(&models, &server, "one", "m").ask(&request).await.body.is_ok());
}
