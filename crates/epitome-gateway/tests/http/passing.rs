//! What is passed through arrives as it was sent, to the byte.

use epitome_gateway::upstream::{Upstream, Upstreams};
use proptest::prelude::*;

use crate::gateway::{Gateway, Script, post, question, settings};
use crate::peer::{Ended, Provider};

/// Bytes that no text has.
fn odd_bytes() -> Vec<u8> {
    (0..=255).cycle().take(100_003).collect()
}

#[tokio::test]
async fn every_method_and_path_arrives_as_it_was_sent() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let odd = odd_bytes();
    for (method, path) in [
        ("GET", "/v1/models?limit=20&after=x%20y"),
        ("HEAD", "/"),
        ("PUT", "/v1/files/a%2Fb"),
        ("PATCH", "/x"),
        ("DELETE", "/v1/responses/resp_1"),
        ("OPTIONS", "/v1/messages"),
        ("POST", "/v1/embeddings"),
        ("POST", "/v1/messages/batches?beta=true"),
        ("GET", "/v1/responses/resp_1?stream=true"),
        ("REPORT", "/../odd//path;x=1"),
    ] {
        let body: &[u8] = if matches!(method, "GET" | "HEAD") { b"" } else { &odd };
        let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
        let head = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{length}\r\n");
        let (mut client, mut call) = gateway.ask(&provider, [head.as_bytes(), body].concat()).await;
        assert_eq!(call.head.first(), format!("{method} {path} HTTP/1.1"));
        assert_eq!(call.body().await, body, "{method}");
        if method == "HEAD" {
            call.peer.write("HTTP/1.1 200 OK\r\ncontent-length: 77\r\nconnection: close\r\n\r\n").await;
            let head = client.head().await.expect("an answer");
            assert_eq!((head.status(), head.value("content-length")), (200, Some("77")));
        } else {
            call.answer("203 Said Otherwise", "x-odd: ÿ\r\n".replace('ÿ', "y").as_str(), &odd).await;
            let head = client.head().await.expect("an answer");
            assert_eq!(head.status(), 203, "{method}");
            assert_eq!(client.body(&head).await.bytes, odd, "{method}");
        }
    }
    // None of these is the pipeline's.
    assert_eq!(gateway.finish().await, vec![]);
}

#[tokio::test]
async fn requests_of_dialects_arrive_as_they_were_sent() {
    let provider = Provider::start().await;
    let mut gateway = Gateway::before(&provider).await;
    for path in [
        "/v1/messages?beta=true",
        "/v1/messages/count_tokens",
        "/v1/chat/completions",
        "/api/v1/chat/completions",
        "/v1/responses",
        "/openai/deployments/x/responses?api-version=1",
    ] {
        let body = "{\"model\" : 1E+2,\n\"x\":2.50, \"ü\":\"\\u00fc\"}";
        let (mut client, mut call) = gateway.ask(&provider, post(path, "", body)).await;
        assert_eq!(call.head.first(), format!("POST {path} HTTP/1.1"));
        assert_eq!(call.body().await, body.as_bytes());
        call.answer("200 OK", "content-type: application/json\r\n", "{}").await;
        let head = client.head().await.expect("an answer");
        assert_eq!(head.value("x-epitome-action"), Some("untouched"));
        assert_eq!(client.body(&head).await.bytes, b"{}");
        let seen = gateway.seen.recv().await.expect("seen");
        assert_eq!(seen.body, body.as_bytes());
        assert_eq!(seen.upstream.to_string(), format!("http://{}{path}", provider.address));
    }
    assert_eq!(gateway.finish().await.len(), 6);
}

#[tokio::test]
async fn what_is_edited_is_sent_with_its_own_length() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Edits("{\"shorter\":true}")).await;
    let (mut client, mut call) = gateway.ask(&provider, question(&"x".repeat(50_000))).await;
    assert_eq!(call.head.values("content-length").collect::<Vec<_>>(), ["16"]);
    assert_eq!(call.body().await, b"{\"shorter\":true}");
    call.answer("200 OK", "x-epitome-action: from another gateway\r\n", "{}").await;
    let head = client.head().await.expect("an answer");
    assert_eq!(head.values("x-epitome-action").collect::<Vec<_>>(), ["edited"]);
}

#[tokio::test]
async fn a_request_that_is_switched_off_skips_the_pipeline() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Edits("{}")).await;
    let (mut client, mut call) = gateway.ask(&provider, post("/v1/messages", "x-epitome: off\r\n", "mine")).await;
    assert_eq!(call.body().await, b"mine");
    assert_eq!(call.head.value("x-epitome"), None);
    call.answer("200 OK", "", "yours").await;
    let head = client.head().await.expect("an answer");
    assert_eq!((head.value("x-epitome-action"), client.body(&head).await.bytes), (None, b"yours".to_vec()));
    assert_eq!(gateway.finish().await, vec![]);
}

#[tokio::test]
async fn each_dialect_has_its_upstream_and_no_client_can_choose_another() {
    let anthropic = Provider::start().await;
    let openai = Provider::start().await;
    let at = |provider: &Provider, path: &str| Upstream::new(&format!("http://{}{path}", provider.address));
    let upstreams = Upstreams {
        anthropic: at(&anthropic, "").expect("an address"),
        openai_chat: at(&openai, "/v1").expect("an address"),
        openai_responses: at(&openai, "/other/v1").expect("an address"),
    };
    let gateway =
        Gateway::start(epitome_gateway::server::Settings { upstreams, ..settings(openai.address) }, Script::Nothing)
            .await;
    for (provider, method, path, headers, expected) in [
        (&anthropic, "POST", "/v1/messages", "", "/v1/messages"),
        (&openai, "POST", "/v1/chat/completions", "x-api-key: k\r\n", "/v1/chat/completions"),
        (&openai, "POST", "/v1/responses", "", "/other/v1/responses"),
        (&openai, "GET", "/v1/models", "", "/v1/models"),
        (&anthropic, "GET", "/v1/models", "anthropic-version: 2023-06-01\r\n", "/v1/models"),
        (&anthropic, "GET", "/v1/models", "x-api-key: k\r\n", "/v1/models"),
        (&openai, "GET", "http://localhost:1/v1/models", "x-forwarded-host: evil.example\r\n", "/v1/models"),
    ] {
        let request = format!("{method} {path} HTTP/1.1\r\nhost: localhost:1\r\n{headers}content-length: 0\r\n\r\n");
        let (_client, call) = gateway.ask(provider, request).await;
        assert_eq!(call.head.first(), format!("{method} {expected} HTTP/1.1"));
        assert_eq!(call.head.value("host"), Some(provider.address.to_string().as_str()));
    }
}

#[tokio::test]
async fn trailers_are_passed_both_ways() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    for path in ["/v1/other", "/v1/messages"] {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nte: trailers\r\ntrailer: x-sum\r\n\
             transfer-encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nx-sum: 1\r\n\r\n"
        );
        let (mut client, mut call) = gateway.ask(&provider, request).await;
        let body = call.peer.body(&call.head).await;
        assert_eq!((body.bytes, body.end), (b"hi".to_vec(), Ended::Well("x-sum: 1".to_owned())), "{path}");
        call.begin_stream("trailer: x-end\r\n").await;
        call.chunk("x").await;
        call.peer.write("0\r\nx-end: 2\r\n\r\n").await;
        let head = client.head().await.expect("an answer");
        assert_eq!(client.body(&head).await.end, Ended::Well("x-end: 2".to_owned()), "{path}");
    }
}

#[tokio::test]
async fn a_fault_of_the_pipeline_is_not_felt() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Panics).await;
    let (mut client, mut call) = gateway.ask(&provider, question("mine")).await;
    assert_eq!(call.body().await, b"mine");
    call.answer("200 OK", "", "fine").await;
    let head = client.head().await.expect("an answer");
    assert_eq!((head.status(), client.body(&head).await.bytes), (200, b"fine".to_vec()));
    assert!(gateway.metrics.to_string().contains("epitome_panics_total 1"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn any_body_in_any_pieces_arrives_as_it_was_sent(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..3_000), 1..6),
        path in prop::sample::select(vec!["/v1/messages", "/v1/chat/completions", "/v1/other"]),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let provider = Provider::start().await;
            let gateway = Gateway::before(&provider).await;
            let mut request =
                format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes();
            for piece in &pieces {
                request.extend(format!("{:x}\r\n", piece.len()).into_bytes());
                request.extend(piece);
                request.extend(b"\r\n");
            }
            request.extend(b"0\r\n\r\n");
            let (mut client, mut call) = gateway.ask(&provider, &request).await;
            assert_eq!(call.body().await, pieces.concat());
            call.begin_stream("").await;
            for piece in &pieces {
                call.chunk(piece).await;
            }
            call.end_stream().await;
            let head = client.head().await.expect("an answer");
            assert_eq!(client.body(&head).await.bytes, pieces.concat());
        });
    }
}

#[tokio::test]
async fn a_length_beside_chunks_breaks_no_framing() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let request = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n\
                   5\r\nhello\r\n0\r\n\r\n";
    for length in ["3", "900"] {
        let (mut client, mut call) = gateway.ask(&provider, request).await;
        assert_eq!(call.body().await, b"hello");
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\ntransfer-encoding: chunked\r\n\r\n");
        call.peer.write(head).await;
        call.chunk("a whole answer").await;
        call.end_stream().await;
        let head = client.head().await.expect("an answer");
        assert_eq!((head.value("content-length"), head.value("transfer-encoding")), (None, Some("chunked")));
        assert_eq!(client.body(&head).await.bytes, b"a whole answer");
    }
}
