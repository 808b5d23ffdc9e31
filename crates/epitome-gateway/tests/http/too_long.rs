//! A prompt that is too long is made shorter and sent once more.

use epitome_core::tokens::Tokens;
use epitome_gateway::exchange::End;
use epitome_gateway::respond::Trouble;

use crate::gateway::{Gateway, Script, question};
use crate::peer::{Ended, Provider};

const COMPLAINT: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;

fn shortens() -> Script {
    Script::Shortens(vec!["{\"shorter\":1}", "{\"shorter\":2}"])
}

#[tokio::test]
async fn it_is_sent_once_more_and_the_client_sees_the_second_answer() {
    for (status, headers) in
        [("400 Bad Request", ""), ("413 Payload Too Large", ""), ("400 Bad Request", "content-encoding: gzip\r\n")]
    {
        let provider = Provider::start().await;
        let gateway = Gateway::scripted(&provider, shortens()).await;
        let (mut client, mut call) = gateway.ask(&provider, question("{\"long\":1}")).await;
        assert_eq!(call.body().await, b"{\"long\":1}");
        if headers.is_empty() {
            call.answer(status, headers, COMPLAINT).await;
        } else {
            let mut encoder = flate2::read::GzEncoder::new(COMPLAINT.as_bytes(), flate2::Compression::fast());
            let mut packed = Vec::new();
            std::io::Read::read_to_end(&mut encoder, &mut packed).expect("in memory");
            call.answer(status, headers, packed).await;
        }
        let mut call = provider.call().await;
        assert_eq!(call.body().await, b"{\"shorter\":1}");
        assert_eq!(call.head.value("x-api-key"), Some("k"));
        call.answer("200 OK", "", "fine").await;
        let head = client.head().await.expect("an answer");
        assert_eq!((head.status(), head.value("x-epitome-action")), (200, Some("edited")));
        assert_eq!(client.body(&head).await.bytes, b"fine");
        assert!(gateway.metrics.to_string().contains("epitome_too_long_total 1"));
        assert_eq!(gateway.finish().await, vec![("again", End::Complete, None)]);
    }
}

#[tokio::test]
async fn it_is_shortened_three_times_and_then_the_complaint_is_passed_on() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Shortens(vec!["{\"shorter\":1}"; 9])).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.answer("400 Bad Request", "", COMPLAINT).await;
    for time in 1..=3 {
        let mut call = provider.call().await;
        call.body().await;
        call.answer("400 Bad Request", &format!("x-time: {time}\r\n"), COMPLAINT).await;
    }
    let head = client.head().await.expect("an answer");
    assert_eq!((head.status(), head.value("x-time")), (400, Some("3")));
    assert_eq!(client.body(&head).await.bytes, COMPLAINT.as_bytes());
    assert_eq!(gateway.finish().await, vec![("again", End::Failed(Some(400)), None)]);
}

#[tokio::test]
async fn where_nothing_smaller_can_be_sent_the_client_is_told_what_is_too_large() {
    let provider = Provider::start().await;
    let why = "system prompt and tool definitions alone take 29300 tokens".to_owned();
    let trouble = Trouble::TooLong { sent: Tokens(33_000), window: Some(Tokens(32_000)), why };
    let gateway = Gateway::scripted(&provider, Script::CannotShorten(trouble)).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.answer("400 Bad Request", "content-type: text/plain\r\n", COMPLAINT).await;
    let head = client.head().await.expect("an answer");
    assert_eq!((head.status(), head.value("x-epitome-error")), (400, Some("prompt_too_long")));
    assert_eq!(head.value("x-epitome-action"), Some("untouched"));
    let body = client.body(&head).await.bytes;
    assert_eq!(
        String::from_utf8(body).expect("text"),
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 33000 tokens > 32000 maximum (maximum context length exceeded); epitome cannot make it smaller: system prompt and tool definitions alone take 29300 tokens"}}"#
    );
    assert_eq!(gateway.finish().await, vec![("first", End::Failed(Some(400)), None)]);
}

#[tokio::test]
async fn other_errors_are_passed_on_to_the_byte() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, shortens()).await;
    let large = format!("{COMPLAINT}{}", " ".repeat(1_100_000));
    for (status, body) in [
        ("400 Bad Request", "{\"error\":{\"message\":\"no such model\"}}"),
        ("400 Bad Request", "\u{0}no JSON"),
        ("429 Too Many Requests", COMPLAINT),
        ("500 Internal Server Error", COMPLAINT),
        // Too large to be looked at.
        ("400 Bad Request", large.as_str()),
    ] {
        let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
        call.body().await;
        call.answer(status, "retry-after: 7\r\n", body).await;
        let head = client.head().await.expect("an answer");
        assert!(head.first().contains(&status[..3]));
        assert_eq!(head.value("retry-after"), Some("7"));
        let got = client.body(&head).await;
        assert!(got.bytes == body.as_bytes() && got.end == Ended::Well(String::new()), "{status}");
    }
    assert_eq!(gateway.finish().await.len(), 5);
}

#[tokio::test]
async fn without_anything_shorter_the_complaint_is_passed_on() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.answer("400 Bad Request", "content-type: application/json\r\n", COMPLAINT).await;
    let head = client.head().await.expect("an answer");
    assert_eq!(client.body(&head).await.bytes, COMPLAINT.as_bytes());
    assert_eq!(gateway.finish().await, vec![("first", End::Failed(Some(400)), None)]);
}
