//! A request that is refused for its thinking is sent again with something else done about it, as often as there is
//! something else.

use epitome_gateway::exchange::End;

use crate::gateway::{Gateway, Script, question};
use crate::peer::Provider;

const BOUND: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.0: `thinking` block is bound to a different conversation"}}"#;
const NO_ESCAPE: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"thinking.enabled.block_binding: Extra inputs are not permitted"}}"#;

#[tokio::test]
async fn the_client_sees_the_answer_alone() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Shortens(vec!["{\"other\":1}", "{\"other\":2}"])).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{\"own\":1}")).await;
    call.body().await;
    call.answer("400 Bad Request", "", BOUND).await;
    let mut call = provider.call().await;
    assert_eq!(call.body().await, b"{\"other\":1}");
    call.answer("400 Bad Request", "", NO_ESCAPE).await;
    let mut call = provider.call().await;
    assert_eq!(call.body().await, b"{\"other\":2}");
    call.answer("200 OK", "", "fine").await;
    let head = client.head().await.expect("an answer");
    assert_eq!(head.status(), 200);
    assert_eq!(client.body(&head).await.bytes, b"fine");
    let metrics = gateway.metrics.to_string();
    assert!(metrics.contains("epitome_thinking_refused_total 2") && metrics.contains("epitome_too_long_total 0"));
    assert_eq!(gateway.finish().await, vec![("again", End::Complete, None)]);
}

#[tokio::test]
async fn it_is_not_sent_for_ever() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Shortens(vec!["{\"other\":1}"; 20])).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.answer("400 Bad Request", "", BOUND).await;
    for _ in 0..6 {
        let mut call = provider.call().await;
        call.body().await;
        call.answer("400 Bad Request", "", BOUND).await;
    }
    let head = client.head().await.expect("an answer");
    assert_eq!(head.status(), 400);
    assert_eq!(client.body(&head).await.bytes, BOUND.as_bytes());
}
