//! Histories that are kept for clients, over real sockets: a client sends what is new, the provider gets all of it.

use std::sync::Arc;
use std::time::Duration;

use epitome_core::budget::Policy;
use epitome_gateway::auth::Auth;
use epitome_gateway::compute::Compute;
use epitome_gateway::history::Histories;
use epitome_gateway::pipeline::{self, Setup};
use epitome_gateway::server::Settings;
use epitome_gateway::tasks::Tasks;
use epitome_store::memory::MemoryStore;
use epitome_store::records::{SessionId, Tenant};
use epitome_store::store::{Originals, Query, SessionStore};
use serde_json::{Value, json};

use crate::gateway::{Gateway, post, settings};
use crate::peer::{Ended, Peer, Provider};

async fn gateway(provider: &Provider, store: Arc<MemoryStore>) -> Gateway {
    gateway_with(settings(provider.address), store).await
}

async fn gateway_with(settings: Settings, store: Arc<MemoryStore>) -> Gateway {
    let policy = Policy::default();
    let metrics = settings.metrics.clone();
    let pipeline = pipeline::Gateway::new(Setup {
        max_wait: Duration::from_secs(1),
        ..Setup::local(store.clone(), policy, metrics.clone())
    });
    Gateway::with(
        settings,
        Arc::new(Histories::new(Arc::new(pipeline), store, metrics.clone(), Tasks::new(), Compute::usual(metrics))),
    )
    .await
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
    let kept = if headers == EVENTS { "pending" } else { "kept" };
    assert_eq!(head.value("x-epitome-history"), Some(kept));
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
    assert_eq!((head.status(), head.value("x-epitome-history")), (429, Some("unchanged")));
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

/// An answer that cannot be kept: what the client sees of it.
struct Refused {
    status: u16,
    error: Option<String>,
    body: String,
    whole: bool,
}

async fn refused(gateway: &Gateway, provider: &Provider, request: &str, headers: &str, answer: &[u8]) -> Refused {
    let (mut client, mut call) = gateway.ask(provider, request).await;
    call.body().await;
    let length = format!("content-length: {}\r\nconnection: close\r\n\r\n", answer.len());
    // What is too large is not read to its end.
    let answer = [b"HTTP/1.1 200 OK\r\n", headers.as_bytes(), length.as_bytes(), answer].concat();
    let (_, head) = tokio::join!(call.peer.write_what_goes(answer), client.head());
    let head = head.expect("an answer");
    let body = client.body(&head).await;
    Refused {
        status: head.status(),
        error: head.value("x-epitome-error").map(str::to_owned),
        body: String::from_utf8_lossy(&body.bytes).into_owned(),
        whole: matches!(body.end, Ended::Well(_)),
    }
}

#[tokio::test]
async fn an_answer_in_one_piece_that_cannot_be_kept_is_an_error() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let plain = said("fine");
    let invalid = [plain.replace("fine", "").as_bytes(), b"\xff"].concat();
    let large = said(&"x".repeat(17 * 1024 * 1024));
    let (gzip, unknown) = (format!("{JSON}content-encoding: gzip\r\n"), format!("{JSON}content-encoding: snappy\r\n"));
    for (headers, answer) in [
        (JSON, invalid.as_slice()),
        (JSON, b"{\"choices\":[]}".as_slice()),
        (JSON, large.as_bytes()),
        (&gzip, plain.as_bytes()),
        (&unknown, plain.as_bytes()),
    ] {
        let seen = refused(&gateway, &provider, &hello("lost"), headers, answer).await;
        assert_eq!((seen.status, seen.error.as_deref()), (502, Some("history_not_stored")), "{headers}");
        let error: Value = serde_json::from_str(&seen.body).expect("JSON");
        assert_eq!(error["error"]["code"], "history_not_stored");
    }
    // A provider that says itself that it failed is heard, with its own words.
    let failed = r#"{"error":{"message":"no","code":502}}"#;
    let seen = refused(&gateway, &provider, &hello("failed"), JSON, failed.as_bytes()).await;
    assert_eq!((seen.status, seen.error, seen.body.as_str()), (200, None, failed));
    // None of them is there, and the same message can be sent again.
    assert_eq!(next(&gateway, &provider).await, json!([{"role": "user", "content": "next"}]));
}

#[tokio::test]
async fn a_stream_that_cannot_be_kept_ends_with_an_error_in_place_of_its_last_event() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let messages = json!({"model": "claude-x", "max_tokens": 9, "messages": [{"role": "user", "content": "lost"}]});
    let responses = json!({"model": "m", "input": "lost"});
    let delta =
        "data: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    let ping = "data: {\"type\":\"ping\"}\n\n";
    let cases = [
        // A piece of a block that never began.
        (ask("/v1/messages", &messages), format!("{ping}{delta}data: {{\"type\":\"message_stop\"}}\n\n"), ping),
        (hello("lost"), "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":TOO_MANY},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n".to_owned(), ""),
        (
            ask("/v1/responses", &responses),
            "data: {\"type\":\"response.output_item.done\"}\n\ndata: {\"type\":\"response.completed\"}\n\n".to_owned(),
            "",
        ),
    ];
    for (request, stream, passed) in cases {
        let calls: Vec<Value> = (0..5_000).map(|index| json!({"index": index})).collect();
        let stream = stream.replace("TOO_MANY", &Value::from(calls).to_string());
        let seen = refused(&gateway, &provider, &request, EVENTS, stream.as_bytes()).await;
        assert_eq!((seen.status, seen.error, seen.whole), (200, None, true));
        let error = seen.body.strip_prefix(passed).expect("what came before is passed on");
        assert!(error.contains("the answer is not kept: it cannot be read"), "{error}");
        assert!(error.ends_with("\n\n") && error.matches("data: ").count() == 1, "{error}");
        let data = error.split_once("data: ").expect("an event").1;
        serde_json::from_str::<Value>(data.trim_end()).expect("JSON");
    }
    // Not packed as it says.
    let packed = format!("{EVENTS}content-encoding: gzip\r\n");
    let seen = refused(&gateway, &provider, &hello("lost"), &packed, ping.as_bytes()).await;
    assert!(seen.body.contains("history_not_stored") && !seen.body.contains("ping"), "{}", seen.body);
    let unknown = format!("{EVENTS}content-encoding: snappy\r\n");
    let seen = refused(&gateway, &provider, &hello("lost"), &unknown, ping.as_bytes()).await;
    assert_eq!((seen.status, seen.error.as_deref()), (502, Some("history_not_stored")));
    // A provider that says itself that it failed is heard, with its own words.
    let failed = "data: {\"error\":{\"message\":\"no\"}}\n\n";
    let seen = refused(&gateway, &provider, &hello("failed"), EVENTS, failed.as_bytes()).await;
    assert_eq!(seen.body, failed);
    assert_eq!(next(&gateway, &provider).await, json!([{"role": "user", "content": "next"}]));
}

#[tokio::test]
async fn a_stream_is_passed_on_event_by_event_wherever_it_is_split_and_packed() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    let stream = concat!(
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"one\"}}]}\n\n",
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\n",
        "data: [DONE]\n\n",
    );
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packer, stream.as_bytes()).expect("in memory");
    let packed = packer.finish().expect("in memory");
    for (headers, bytes, size) in
        [("", stream.as_bytes(), 1), ("", stream.as_bytes(), 70), ("content-encoding: gzip\r\n", packed.as_slice(), 5)]
    {
        let (mut client, mut call) = gateway.ask(&provider, hello("a")).await;
        call.body().await;
        call.begin_stream(headers).await;
        for piece in bytes.chunks(size) {
            call.chunk(piece).await;
        }
        call.end_stream().await;
        let head = client.head().await.expect("an answer");
        assert_eq!((head.value("content-encoding"), head.value("x-epitome-history")), (None, Some("pending")));
        assert_eq!(String::from_utf8(client.body(&head).await.bytes).expect("text"), stream);
    }
    let kept = next(&gateway, &provider).await;
    assert_eq!(kept.as_array().map(Vec::len), Some(7));
    assert_eq!(kept[1], json!({"role": "assistant", "content": "one"}));
}

#[tokio::test]
async fn how_many_messages_were_kept_is_told() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, Arc::new(MemoryStore::new())).await;
    for expected in ["0", "2", "4"] {
        let (mut client, mut call) = gateway.ask(&provider, hello("a")).await;
        call.body().await;
        call.answer("200 OK", JSON, said("b")).await;
        let head = client.head().await.expect("an answer");
        assert_eq!(head.value("x-epitome-history-messages"), Some(expected));
        client.body(&head).await;
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_behind_what_others_said_is_an_error() {
    let provider = Provider::start().await;
    let store = Arc::new(MemoryStore::new());
    let gateways = [gateway(&provider, store.clone()).await, gateway(&provider, store.clone()).await];
    let calls = json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let called =
        json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": calls}}]});
    exchange(&gateways[0], &provider, &hello("call"), JSON, &called.to_string()).await;
    let result = json!({"model": "m", "messages": [{"role": "tool", "tool_call_id": "c", "content": "r"}]});
    let result = ask("/v1/chat/completions", &result);
    // Both answer the same call.
    let (mut one, mut call_of_one) = gateways[0].ask(&provider, &result).await;
    let (mut other, mut call_of_other) = gateways[1].ask(&provider, &result).await;
    call_of_one.body().await;
    call_of_one.answer("200 OK", JSON, said("1")).await;
    let head = one.head().await.expect("an answer");
    assert_eq!(head.value("x-epitome-history"), Some("kept"));
    one.body(&head).await;
    call_of_other.body().await;
    call_of_other.answer("200 OK", JSON, said("2")).await;
    let head = other.head().await.expect("an answer");
    assert_eq!((head.status(), head.value("x-epitome-error")), (409, Some("history_not_stored")));
    let kept = store.history(&Tenant::only(), &SessionId::new("bot-1")).await.expect("it is there");
    assert_eq!(kept.len(), 4);
}

#[tokio::test]
async fn with_insecure_a_history_is_found_by_the_credential_that_wrote_it() {
    let provider = Provider::start().await;
    let store = Arc::new(MemoryStore::new());
    let settings = Settings { auth: Auth::Insecure, ..settings(provider.address) };
    let gateway = gateway_with(settings, store).await;
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "mine"}]}).to_string();
    let asks = |key: &str| {
        let headers = format!("{KEPT}chatgpt-account-id: acc-1\r\nauthorization: Bearer {key}\r\n");
        post("/v1/chat/completions", &headers, &body)
    };
    // Two who name one account; and the first one with a new credential is a stranger too, and is told so.
    for (key, kept) in [("one", 0), ("other", 0), ("one", 2), ("renewed", 0)] {
        let (mut client, mut call) = gateway.ask(&provider, asks(key)).await;
        let got: Value = serde_json::from_slice(&call.body().await).expect("JSON");
        assert_eq!(got["messages"].as_array().map(Vec::len), Some(kept + 1), "{key}");
        call.answer("200 OK", JSON, said("secret")).await;
        let head = client.head().await.expect("an answer");
        assert_eq!(head.value("x-epitome-history-messages"), Some(kept.to_string().as_str()), "{key}");
        client.body(&head).await;
    }
}
