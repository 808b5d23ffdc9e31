//! Bodies that are large, compressed, or both.

use std::io::Write;

use epitome_gateway::exchange::End;
use epitome_gateway::server::{Limits, Settings};
use epitome_store::records::TurnUsage;

use crate::gateway::{Gateway, Script, settings};
use crate::peer::{Ended, Provider};

const ENCODINGS: [&str; 4] = ["gzip", "deflate", "br", "zstd"];

fn packed(encoding: &str, text: &[u8]) -> Vec<u8> {
    let level = flate2::Compression::default();
    match encoding {
        "gzip" => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(text).and_then(|()| encoder.finish()).expect("in memory")
        }
        "deflate" => {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
            encoder.write_all(text).and_then(|()| encoder.finish()).expect("in memory")
        }
        "br" => {
            let mut encoder = brotli::CompressorWriter::new(Vec::new(), 4_096, 5, 22);
            encoder.write_all(text).expect("in memory");
            encoder.into_inner()
        }
        _ => zstd::encode_all(text, 3).expect("in memory"),
    }
}

fn post(encoding: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-encoding: {encoding}\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

#[tokio::test]
async fn a_compressed_request_is_read_and_sent_as_it_came() {
    let provider = Provider::start().await;
    let mut gateway = Gateway::before(&provider).await;
    for encoding in ENCODINGS {
        let text = b"{\"messages\":[]}".repeat(500);
        let body = packed(encoding, &text);
        let (_client, mut call) = gateway.ask(&provider, post(encoding, &body)).await;
        assert_eq!(call.body().await, body, "{encoding}");
        assert_eq!(call.head.value("content-encoding"), Some(encoding));
        assert_eq!(gateway.seen.recv().await.expect("seen").body, text, "{encoding}");
    }
}

#[tokio::test]
async fn a_compressed_request_that_is_edited_is_sent_in_the_clear() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Edits("{}")).await;
    for encoding in ENCODINGS {
        let (_client, mut call) = gateway.ask(&provider, post(encoding, &packed(encoding, b"{\"a\":1}"))).await;
        assert_eq!(call.body().await, b"{}");
        assert_eq!((call.head.value("content-encoding"), call.head.value("content-length")), (None, Some("2")));
    }
}

#[tokio::test]
async fn what_cannot_be_unpacked_is_passed_through() {
    let provider = Provider::start().await;
    let limits = Limits { body: 10_000, ..Limits::default() };
    let gateway = Gateway::start(Settings { limits, ..settings(provider.address) }, Script::Edits("{}")).await;
    let bomb = packed("gzip", &vec![b' '; 1_000_000]);
    assert!(bomb.len() < 10_000);
    for (encoding, body) in [("gzip", b"not packed".to_vec()), ("snappy", b"who knows".to_vec()), ("gzip", bomb)] {
        let (mut client, mut call) = gateway.ask(&provider, post(encoding, &body)).await;
        assert_eq!(call.body().await, body);
        call.answer("200 OK", "", "fine").await;
        assert_eq!(client.head().await.expect("an answer").status(), 200);
    }
    assert!(gateway.metrics.to_string().contains("epitome_untouched_total{reason=\"encoding\"} 3"));
    assert_eq!(gateway.finish().await, vec![]);
}

#[tokio::test]
async fn a_body_that_is_too_large_streams_through_unread() {
    let provider = Provider::start().await;
    let limits = Limits { body: 50_000, ..Limits::default() };
    let gateway = Gateway::start(Settings { limits, ..settings(provider.address) }, Script::Edits("{}")).await;
    let part = "0123456789".repeat(3_000);

    // Its length is told: nothing of it is waited for.
    let mut client = gateway.client().await;
    client.write("POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 90000\r\n\r\n").await;
    let mut call = provider.call().await;
    client.write(part.repeat(3)).await;
    assert_eq!(call.body().await, part.repeat(3).as_bytes());
    call.answer("200 OK", "", "fine").await;
    assert_eq!(client.head().await.expect("an answer").status(), 200);

    // Its length is not told: the provider gets the beginning before the client has sent the end.
    let mut client = gateway.client().await;
    let chunk = format!("{:x}\r\n{part}\r\n", part.len());
    client.write("POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n").await;
    client.write(chunk.repeat(2)).await;
    let mut call = provider.call().await;
    let mut begun = 0;
    while begun < 60_000 {
        let crate::peer::Chunk::Data(data) = call.peer.chunk().await else { panic!("it goes on") };
        begun += data.len();
    }
    client.write(format!("{chunk}0\r\n\r\n")).await;
    let rest = call.peer.body(&call.head).await;
    assert_eq!((begun + rest.bytes.len(), rest.end), (90_000, Ended::Well(String::new())));
    assert!(gateway.metrics.to_string().contains("epitome_untouched_total{reason=\"too_large\"} 2"));
}

#[test]
fn sixty_four_megabytes_are_read() {
    assert_eq!(Limits::default().body, 64 << 20);
}

#[tokio::test]
async fn a_body_as_large_as_allowed_is_read() {
    let provider = Provider::start().await;
    let limits = Limits { body: 50_000, ..Limits::default() };
    let gateway = Gateway::start(Settings { limits, ..settings(provider.address) }, Script::Edits("{}")).await;
    let (_client, mut call) = gateway.ask(&provider, crate::gateway::question(&"x".repeat(50_000))).await;
    assert_eq!(call.body().await, b"{}");
}

#[tokio::test]
async fn usage_is_read_from_compressed_answers_which_arrive_as_they_came() {
    let usage =
        Some(TurnUsage { prompt: 4_312, cache_read: 4_000, cache_write: 300, output: 77, ..TurnUsage::default() });
    let stream = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":12,\
        \"cache_creation_input_tokens\":300,\"cache_read_input_tokens\":4000,\"output_tokens\":1}}}\n\n\
        event: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":77}}\n\n";
    let whole = "{\"usage\":{\"input_tokens\":12,\"cache_creation_input_tokens\":300,\"cache_read_input_tokens\":4000,\
        \"output_tokens\":77}}";
    for encoding in ENCODINGS.into_iter().chain(["identity"]) {
        for (content_type, text) in [("text/event-stream", stream), ("application/json", whole)] {
            let provider = Provider::start().await;
            let gateway = Gateway::before(&provider).await;
            let body =
                if encoding == "identity" { text.as_bytes().to_vec() } else { packed(encoding, text.as_bytes()) };
            let (mut client, mut call) = gateway.ask(&provider, crate::gateway::question("{}")).await;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-encoding: {encoding}\r\n\
                 transfer-encoding: chunked\r\n\r\n"
            );
            call.peer.write(head).await;
            for piece in body.chunks(31) {
                call.chunk(piece).await;
            }
            call.end_stream().await;
            let head = client.head().await.expect("an answer");
            assert_eq!(head.value("content-encoding"), Some(encoding));
            assert_eq!(client.body(&head).await.bytes, body, "{encoding}");
            assert_eq!(gateway.finish().await, vec![("first", End::Complete, usage)], "{encoding} {content_type}");
        }
    }
}
