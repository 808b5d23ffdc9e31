//! How a call ended is told exactly once.

use epitome_gateway::exchange::End;

use crate::gateway::{Gateway, question};
use crate::peer::{Ended, Provider};

#[tokio::test]
async fn a_cut_arrives_as_a_cut() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    // In a stream.
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.begin_stream("").await;
    call.chunk("data: 1\n\n").await;
    drop(call);
    let head = client.head().await.expect("an answer");
    let body = client.body(&head).await;
    assert_eq!((body.bytes, body.end), (b"data: 1\n\n".to_vec(), Ended::Broken));
    // In an answer whose length was told.
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.peer.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf").await;
    drop(call);
    let head = client.head().await.expect("an answer");
    let body = client.body(&head).await;
    assert_eq!((body.bytes, body.end), (b"half".to_vec(), Ended::Broken));
    // In an error that might have said something about length.
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.peer.write("HTTP/1.1 400 Bad Request\r\ncontent-length: 100\r\n\r\nhalf").await;
    drop(call);
    let head = client.head().await.expect("an answer");
    let body = client.body(&head).await;
    assert_eq!((head.status(), body.bytes, body.end), (400, b"half".to_vec(), Ended::Broken));
    let told = gateway.finish().await;
    assert_eq!(
        told,
        vec![("first", End::Cut, None), ("first", End::Cut, None), ("first", End::Failed(Some(400)), None)]
    );
}

#[tokio::test]
async fn every_kind_of_body_comes_to_its_end() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    for answer in [
        // A length that is told; none at all; nothing; a stream; a stream of nothing.
        "content-length: 2\r\n\r\n{}",
        "connection: close\r\n\r\n{}",
        "content-length: 0\r\n\r\n",
        "transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    ] {
        let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
        call.body().await;
        call.peer.write(format!("HTTP/1.1 200 OK\r\n{answer}")).await;
        drop(call);
        let head = client.head().await.expect("an answer");
        let body = client.body(&head).await;
        assert_eq!(body.end, Ended::Well(String::new()), "{answer:?}");
    }
    assert_eq!(gateway.finish().await, vec![("first", End::Complete, None); 5]);
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let mut client = gateway.client().await;
    for _ in 0..3 {
        client.write(question("{}")).await;
        let mut call = provider.call().await;
        call.body().await;
        call.answer("200 OK", "", "fine").await;
        let head = client.head().await.expect("an answer");
        assert_eq!(client.body(&head).await.bytes, b"fine");
    }
    assert_eq!(gateway.finish().await, vec![("first", End::Complete, None); 3]);
}
