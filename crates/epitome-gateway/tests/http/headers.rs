//! Headers, both ways.

use crate::gateway::{Gateway, post, question};
use crate::peer::Provider;

const CLIENT: &str = "connection: keep-alive, x-private\r\nx-private: 1\r\nkeep-alive: timeout=5\r\n\
    proxy-authorization: Basic x\r\nauthorization: Bearer sk-secret\r\nx-api-key: sk-other\r\n\
    anthropic-version: 2026-10-21\r\nanthropic-beta: theirs\r\naccept-encoding: gzip, br\r\nx-twice: 1\r\n\
    x-twice: 2\r\nx-epitome: observe\r\nx-epitome-session: s\r\nuser-agent: test\r\n";

#[tokio::test]
async fn a_provider_gets_the_clients_headers_without_those_between_machines() {
    let provider = Provider::start().await;
    let mut gateway = Gateway::before(&provider).await;
    let (_client, call) = gateway.ask(&provider, post("/v1/messages", CLIENT, "{}")).await;
    let host = format!("host: {}", provider.address);
    let expected = [
        "accept-encoding: gzip, br",
        "anthropic-beta: from-us",
        "anthropic-version: 2026-10-21",
        "authorization: Bearer sk-secret",
        "content-length: 2",
        host.as_str(),
        "user-agent: test",
        "x-api-key: sk-other",
        "x-twice: 1",
        "x-twice: 2",
    ];
    assert_eq!(call.head.headers(), expected);
    // What is meant for us, the pipeline sees.
    let seen = gateway.seen.recv().await.expect("seen");
    assert_eq!(seen.headers.get("x-epitome").and_then(|value| value.to_str().ok()), Some("observe"));
    let (_client, call) = gateway.ask(&provider, post("/v1/other", CLIENT, "{}")).await;
    let expected: Vec<&str> = expected
        .iter()
        .map(|line| if line.starts_with("anthropic-beta") { "anthropic-beta: theirs" } else { line })
        .collect();
    assert_eq!(call.head.headers(), expected);
}

#[tokio::test]
async fn a_client_gets_the_providers_headers_without_those_between_machines() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    let headers = "date: today\r\nrequest-id: r\r\nset-cookie: a\r\nset-cookie: b\r\nkeep-alive: timeout=5\r\n\
        anthropic-ratelimit-tokens-remaining: 7\r\nproxy-authenticate: Basic\r\ncontent-type: application/json\r\n\
        x-private: 1\r\nconnection: x-private\r\n";
    call.answer("200 OK", headers, "{}").await;
    let head = client.head().await.expect("an answer");
    let expected = [
        "anthropic-ratelimit-tokens-remaining: 7",
        "content-length: 2",
        "content-type: application/json",
        "date: today",
        "request-id: r",
        "set-cookie: a",
        "set-cookie: b",
        "x-epitome-action: untouched",
    ];
    assert_eq!(head.headers(), expected);
}

#[tokio::test]
async fn who_waits_to_be_asked_for_the_body_is_asked() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let mut client = gateway.client().await;
    client
        .write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n")
        .await;
    assert_eq!(client.head().await.expect("asked").status(), 100);
    client.write("{}").await;
    let mut call = provider.call().await;
    assert_eq!(call.head.value("expect"), None);
    assert_eq!(call.body().await, b"{}");
}
