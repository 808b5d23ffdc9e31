//! Histories that are kept for clients, over real sockets: a client sends what is new, the provider gets all of it.

use std::sync::Arc;
use std::time::Duration;

use epitome_core::budget::Policy;
use epitome_gateway::history::Histories;
use epitome_gateway::pipeline::{self, Setup};
use epitome_store::memory::MemoryStore;
use epitome_store::records::{SessionId, Tenant};
use epitome_store::store::{Originals, Query, SessionStore};
use serde_json::{Value, json};

use crate::gateway::{Gateway, post, settings};
use crate::peer::{Peer, Provider};

async fn gateway(provider: &Provider, store: Arc<MemoryStore>) -> Gateway {
    let settings = settings(provider.address);
    let policy = Policy::default();
    let metrics = settings.metrics.clone();
    let pipeline = pipeline::Gateway::new(Setup {
        max_wait: Duration::from_secs(1),
        ..Setup::local(store.clone(), policy, metrics.clone())
    });
    Gateway::with(settings, Arc::new(Histories::new(Arc::new(pipeline), store, metrics))).await
}

const KEPT: &str = "x-epitome-session: bot-1\r\nx-epitome-history: server\r\n";

fn ask(path: &str, body: &Value) -> String {
    post(path, KEPT, &body.to_string())
}

/// What the client is answered, and what the provider got.
async fn exchange(
    gateway: &Gateway,
    provider: &Provider,
    request: &str,
    headers: &str,
    answer: &str,
) -> (Value, Vec<u8>) {
    let (mut client, mut call) = gateway.ask(provider, request).await;
    let got = serde_json::from_slice(&call.body().await).expect("JSON");
    call.answer("200 OK", headers, answer).await;
    let head = client.head().await.expect("an answer");
    assert_eq!(head.value("x-epitome-history"), Some("kept"));
    (got, client.body(&head).await.bytes)
}

const JSON: &str = "content-type: application/json\r\n";
const EVENTS: &str = "content-type: text/event-stream\r\n";

#[tokio::test]
async fn a_client_of_messages_sends_only_what_is_new() {
    let provider = Provider::start().await;
    let store = Arc::new(MemoryStore::new());
    let gateway = gateway(&provider, store.clone()).await;
    let new = |text: &str| {
        json!({"model": "claude-x", "max_tokens": 9, "system": "s", "messages": [
            {"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]},
        ]})
    };
    let stream = concat!(
        "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"s1\"}}\n\n",
        "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
        "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"one\"}}\n\n",
        "data: {\"type\":\"message_stop\"}\n\n",
    );
    let (got, answered) = exchange(&gateway, &provider, &ask("/v1/messages", &new("first")), EVENTS, stream).await;
    assert_eq!((got, String::from_utf8(answered).expect("text")), (new("first"), stream.to_owned()));
    let whole = json!({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "two"}]});
    let request = ask("/v1/messages", &new("second"));
    let (got, answered) = exchange(&gateway, &provider, &request, JSON, &whole.to_string()).await;
    assert_eq!(serde_json::from_slice::<Value>(&answered).expect("JSON"), whole);
    // The markers of earlier requests are not kept: a provider takes four at most.
    let expected = json!([
        {"role": "user", "content": [{"type": "text", "text": "first"}]},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "hm", "signature": "s1"}, {"type": "text", "text": "one"},
        ]},
        new("second")["messages"][0],
    ]);
    assert_eq!(got["messages"], expected);
    let kept = store.history(&Tenant::only(), &SessionId::new("bot-1")).await.expect("it is there");
    assert_eq!(kept.len(), 4);
    let found =
        store.search(&Tenant::only(), &Query::Literal("second".to_owned()), 5).await.expect("it can be searched");
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn a_client_of_chat_sends_only_what_is_new() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let path = "/v1/chat/completions";
    let system = json!({"role": "system", "content": "s"});
    let new = |text: &str| json!({"model": "m", "messages": [system, {"role": "user", "content": text}]});
    let stream = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"o\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"ne\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    );
    exchange(&gateway, &provider, &ask(path, &new("first")), EVENTS, stream).await;
    let calls = json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let whole =
        json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": calls}}]});
    exchange(&gateway, &provider, &ask(path, &new("second")), JSON, &whole.to_string()).await;
    let result = json!({"model": "m", "messages": [system, {"role": "tool", "tool_call_id": "c", "content": "r"}]});
    let (got, _) = exchange(&gateway, &provider, &ask(path, &result), JSON, &whole.to_string()).await;
    let expected = json!([
        system,
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "second"},
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    ]);
    assert_eq!(got["messages"], expected);
}

#[tokio::test]
async fn a_client_of_responses_sends_only_what_is_new() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let new = |text: &str| json!({"model": "m", "instructions": "s", "store": false, "input": text});
    let items = [
        json!({"type": "reasoning", "id": "r1", "summary": [], "encrypted_content": "e"}),
        json!({"type": "message", "id": "m1", "role": "assistant", "content": [{"type": "output_text", "text": "one"}]}),
    ];
    let done = |index: usize| json!({"type": "response.output_item.done", "output_index": index, "item": items[index]});
    let stream = format!(
        "data: {}\n\ndata: {}\n\ndata: {}\n\n",
        done(0),
        done(1),
        json!({"type": "response.completed", "response": {"status": "completed"}})
    );
    exchange(&gateway, &provider, &ask("/v1/responses", &new("first")), EVENTS, &stream).await;
    let whole = json!({"status": "completed", "output": items}).to_string();
    let (got, _) = exchange(&gateway, &provider, &ask("/v1/responses", &new("second")), JSON, &whole).await;
    let said = |text: &str| json!({"type": "message", "role": "user", "content": text});
    assert_eq!(got["input"], json!([said("first"), items[0], items[1], said("second")]));
}

fn hello(text: &str) -> String {
    ask("/v1/chat/completions", &json!({"model": "m", "messages": [{"role": "user", "content": text}]}))
}

fn said(text: &str) -> String {
    json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}).to_string()
}

/// What the provider gets with the next message.
async fn next(gateway: &Gateway, provider: &Provider) -> Value {
    let (got, _) = exchange(gateway, provider, &hello("next"), JSON, &said("fine")).await;
    got["messages"].clone()
}

#[tokio::test]
async fn an_answer_that_is_cut_refused_or_left_adds_nothing() {
    let provider = Provider::start().await;
    let store = Arc::new(MemoryStore::new());
    let gateway = gateway(&provider, store.clone()).await;
    // Cut.
    let (mut client, mut call) = gateway.ask(&provider, hello("cut")).await;
    call.body().await;
    call.begin_stream("").await;
    call.chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"o\"}}]}\n\n").await;
    let head = client.head().await.expect("an answer");
    drop(call);
    client.body(&head).await;
    // Refused.
    let (mut client, mut call) = gateway.ask(&provider, hello("refused")).await;
    call.body().await;
    call.answer("429 Too Many Requests", JSON, &said("never said")).await;
    let head = client.head().await.expect("an answer");
    assert_eq!(head.status(), 429);
    client.body(&head).await;
    // The client went away.
    let (mut client, mut call) = gateway.ask(&provider, hello("left")).await;
    call.body().await;
    call.begin_stream("").await;
    call.chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"o\"}}]}\n\n").await;
    client.head().await.expect("an answer");
    drop(client);
    assert_eq!(next(&gateway, &provider).await, json!([{"role": "user", "content": "next"}]));
}

#[tokio::test]
async fn two_at_once_are_answered_one_after_the_other() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let (mut first, mut call) = gateway.ask(&provider, hello("first")).await;
    let mut second: Peer = gateway.client().await;
    second.write(hello("second")).await;
    call.body().await;
    call.answer("200 OK", JSON, said("one")).await;
    let head = first.head().await.expect("an answer");
    first.body(&head).await;
    drop(first);
    let mut call = provider.call().await;
    let got: Value = serde_json::from_slice(&call.body().await).expect("JSON");
    let expected = json!([
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "one"},
        {"role": "user", "content": "second"},
    ]);
    assert_eq!(got["messages"], expected);
    call.answer("200 OK", JSON, said("two")).await;
    let head = second.head().await.expect("an answer");
    second.body(&head).await;
    drop(second);
    assert_eq!(next(&gateway, &provider).await.as_array().map(Vec::len), Some(5));
}

#[tokio::test]
async fn two_gateways_on_one_store_lose_nothing() {
    let provider = Provider::start().await;
    let store = Arc::new(MemoryStore::new());
    let gateways = [gateway(&provider, store.clone()).await, gateway(&provider, store.clone()).await];
    let (mut one, mut call_of_one) = gateways[0].ask(&provider, hello("one")).await;
    let (mut other, mut call_of_other) = gateways[1].ask(&provider, hello("other")).await;
    for (client, call, text) in [(&mut one, &mut call_of_one, "1"), (&mut other, &mut call_of_other, "2")] {
        call.body().await;
        call.answer("200 OK", JSON, said(text)).await;
        let head = client.head().await.expect("an answer");
        client.body(&head).await;
    }
    drop((one, other));
    let expected = json!([
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "other"},
        {"role": "assistant", "content": "2"},
        {"role": "user", "content": "next"},
    ]);
    assert_eq!(next(&gateways[0], &provider).await, expected);
}

#[tokio::test]
async fn a_request_without_a_place_for_a_history_goes_as_it_came() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let chat = "/v1/chat/completions";
    let body = r#"{"model":"m", "messages":[{"role":"user","content":"hi"}]}"#;
    let elsewhere = r#"{"input":"x","previous_response_id":"r"}"#;
    for (path, headers, body, reason) in [
        (chat, "x-epitome-history: server\r\n", body, Some("no_session")),
        (chat, KEPT, r#"{"messages":[]}"#, Some("unreadable")),
        (chat, KEPT, "no JSON", Some("unreadable")),
        ("/v1/responses", KEPT, elsewhere, Some("server_state")),
        (chat, "x-epitome-session: bot-1\r\n", body, None),
    ] {
        let (mut client, mut call) = gateway.ask(&provider, post(path, headers, body)).await;
        assert_eq!(call.body().await, body.as_bytes());
        assert_eq!(call.head.value("x-epitome-history"), None);
        call.answer("200 OK", JSON, said("fine")).await;
        let head = client.head().await.expect("an answer");
        assert_eq!(head.value("x-epitome-history"), reason, "{body}");
        client.body(&head).await;
    }
    assert_eq!(next(&gateway, &provider).await, json!([{"role": "user", "content": "next"}]));
}
