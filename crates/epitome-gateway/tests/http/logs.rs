//! What is written down of a request.

use std::sync::Arc;

use crate::gateway::{Gateway, post};
use crate::peer::Provider;

#[tokio::test]
async fn a_request_is_one_line_without_content_credentials_or_query() {
    let written = tempfile::NamedTempFile::new().expect("a temporary file");
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(Arc::new(written.reopen().expect("it is there")))
        .finish();
    // Everything runs on this thread.
    let _guard = tracing::subscriber::set_default(subscriber);
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let headers = "x-api-key: secret-key\r\nauthorization: Bearer secret-token\r\ncookie: secret-cookie\r\n";
    let (mut client, mut call) =
        gateway.ask(&provider, post("/v1/messages?key=secret-query", headers, "{\"secret\":\"content\"}")).await;
    call.body().await;
    call.answer("200 OK", "set-cookie: secret-answer\r\n", "secret words").await;
    let head = client.head().await.expect("an answer");
    client.body(&head).await;
    gateway.finish().await;
    let log = std::fs::read_to_string(written.path()).expect("text");
    // What libraries write at their most talkative is theirs; ours is what stands in files.
    let ours: Vec<&str> = log.lines().filter(|line| line.contains("\"target\":\"epitome")).collect();
    let requests: Vec<&&str> = ours.iter().filter(|line| line.contains("epitome::request")).collect();
    assert!(ours.iter().all(|line| !line.contains("secret")), "{ours:#?}");
    assert_eq!(requests.len(), 1, "{ours:#?}");
    let line: serde_json::Value = serde_json::from_str(requests[0]).expect("JSON");
    let fields = &line["fields"];
    assert_eq!(fields["method"], "POST");
    assert_eq!((&fields["route"], &fields["dialect"]), (&"messages".into(), &"anthropic".into()));
    assert_eq!((&fields["status"], &fields["end"]), (&200.into(), &"complete".into()));
    assert_eq!((&fields["received"], &fields["sent"]), (&20.into(), &12.into()));
    assert_eq!(fields["action"], "untouched");
    assert!(fields["pipeline_ms"].is_number() && fields["upstream_ms"].is_number() && fields["total_ms"].is_number());
}
