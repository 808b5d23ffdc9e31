//! Streams pass event by event.

use epitome_gateway::exchange::End;
use epitome_gateway::server::Stopped;

use crate::gateway::{Gateway, question};
use crate::peer::{Ended, Provider};

const PING: &str = "event: ping\ndata: {}\n\n: a comment\n\nevent: unheard_of\ndata: x\n\n";

#[tokio::test]
async fn events_arrive_while_the_provider_is_still_streaming() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.begin_stream("").await;
    // The next event is sent when the client has the one before: a gateway that holds one back stands still here.
    let head = client.head().await.expect("an answer");
    for number in 0..50 {
        let event = format!("data: {number}\n\n{PING}");
        call.chunk(&event).await;
        assert_eq!(client.until(PING).await, event);
    }
    call.end_stream().await;
    assert_eq!(client.body(&head).await.end, Ended::Well(String::new()));
    assert_eq!(gateway.finish().await, vec![("first", End::Complete, None)]);
}

#[tokio::test]
async fn a_request_that_streams_arrives_while_the_client_is_still_sending() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let mut client = gateway.client().await;
    client.write("POST /v1/audio HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n").await;
    let mut call = provider.call().await;
    for _ in 0..20 {
        client.write("5\r\nhello\r\n").await;
        assert_eq!(call.peer.until("hello").await, "hello");
    }
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_call_at_once() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    // While the provider has not begun to answer.
    let (client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    drop(client);
    call.peer.gone().await;
    // While it streams.
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    call.begin_stream("").await;
    call.chunk("data: 1\n\n").await;
    client.head().await.expect("an answer");
    client.until("1").await;
    drop(client);
    call.peer.gone().await;
    assert_eq!(gateway.finish().await, vec![("first", End::ClientGone, None), ("first", End::ClientGone, None)]);
}

#[tokio::test]
async fn a_client_that_goes_away_ends_what_is_passed_through_too() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let (client, mut call) = gateway.ask(&provider, "GET /v1/slow HTTP/1.1\r\nhost: localhost\r\n\r\n").await;
    drop(client);
    call.peer.gone().await;
    // And one that goes while it sends.
    let mut client = gateway.client().await;
    client.write("POST /v1/audio HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhello").await;
    let mut call = provider.call().await;
    drop(client);
    assert_eq!(call.peer.body(&call.head).await.end, Ended::Broken);
}

#[tokio::test]
async fn stopping_lets_a_stream_come_to_its_end() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    let idle = gateway.client().await;
    call.begin_stream("").await;
    call.chunk("data: 1\n\n").await;
    let head = client.head().await.expect("an answer");
    client.until("1").await;
    let address = gateway.address;
    let (running, mut told) = gateway.stop();
    // Nobody new is let in. A connection may be made until the listener is closed, so it is asked until it is.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    call.chunk("data: 2\n\n").await;
    client.until("2").await;
    assert!(!running.is_finished());
    call.end_stream().await;
    assert_eq!(client.body(&head).await.end, Ended::Well(String::new()));
    assert_eq!(running.await.expect("it does not panic"), Stopped::Finished);
    assert_eq!(told.recv().await, Some(("first", End::Complete, None)));
    assert_eq!(told.recv().await, None);
    drop(idle);
}

#[tokio::test]
async fn stopping_does_not_wait_for_ever() {
    use std::time::Duration;

    use epitome_gateway::server::{Limits, Settings};

    let provider = Provider::start().await;
    let limits = Limits { grace: Duration::from_millis(50), ..Limits::default() };
    let settings = Settings { limits, ..crate::gateway::settings(provider.address) };
    let gateway = Gateway::start(settings, crate::gateway::Script::Nothing).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.begin_stream("").await;
    let head = client.head().await.expect("an answer");
    let (running, mut told) = gateway.stop();
    assert_eq!(running.await.expect("it does not panic"), Stopped::Cut { connections: 1 });
    assert_eq!(client.body(&head).await.end, Ended::Broken);
    call.peer.gone().await;
    assert_eq!(told.recv().await, Some(("first", End::ClientGone, None)));
}
