//! Clients that say nothing, clients that are too many, and strangers: none of them harms the others.

use std::time::Duration;

use epitome_gateway::auth::Auth;
use epitome_gateway::server::{Limits, Settings, Silence};

use crate::gateway::{Gateway, Script, post, question, settings};
use crate::peer::{Call, Ended, Peer, Provider};

/// Nothing of what is tested ends by time, unless a test says so.
const NEVER: Duration = Duration::from_secs(3_600);
const SOON: Duration = Duration::from_millis(50);
const PATIENT: Silence = Silence { first: NEVER, idle: NEVER, body: NEVER };

async fn gateway(provider: &Provider, limits: Limits) -> Gateway {
    Gateway::start(Settings { limits, ..settings(provider.address) }, Script::Nothing).await
}

fn silent(silence: Silence) -> Limits {
    Limits { silence, ..Limits::default() }
}

fn at_most(connections: usize) -> Limits {
    Limits { connections, silence: PATIENT, ..Limits::default() }
}

/// The provider answers, and the client has the whole answer.
async fn finish(client: &mut Peer, mut call: Call) {
    call.body().await;
    call.answer("200 OK", "", "fine").await;
    let head = client.head().await.expect("an answer");
    assert_eq!(client.body(&head).await.bytes, b"fine");
}

async fn served(gateway: &Gateway, provider: &Provider) -> Peer {
    let (mut client, call) = gateway.ask(provider, question("{}")).await;
    finish(&mut client, call).await;
    client
}

#[tokio::test]
async fn who_says_nothing_is_closed() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, silent(Silence { first: SOON, ..PATIENT })).await;
    let settings_of_http2 = [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".as_slice(), &[0, 0, 0, 4, 0, 0, 0, 0, 0]].concat();
    for said in [b"".as_slice(), b"POST /v1/mess", b"POST /v1/messages HTTP/1.1\r\nhost: local", &settings_of_http2] {
        let mut client = gateway.client().await;
        client.write(said).await;
        client.gone().await;
    }
    gateway.finish().await;
}

#[tokio::test]
async fn who_is_idle_is_closed_and_who_waits_for_an_answer_is_not() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, silent(Silence { first: NEVER, idle: SOON, body: NEVER })).await;
    let (mut waiting, mut slow) = gateway.ask(&provider, question("{}")).await;
    slow.body().await;
    slow.begin_stream("").await;
    slow.chunk("data: 1\n\n").await;
    // By the time that two others were closed for being idle, this one has waited long enough to be.
    for _ in 0..2 {
        served(&gateway, &provider).await.gone().await;
    }
    slow.chunk("data: 2\n\n").await;
    slow.end_stream().await;
    let head = waiting.head().await.expect("an answer");
    let body = waiting.body(&head).await;
    assert_eq!((&*body.bytes, body.end), (b"data: 1\n\ndata: 2\n\n".as_slice(), Ended::Well(String::new())));
    waiting.gone().await;
    gateway.finish().await;
}

#[tokio::test]
async fn a_body_that_stands_still_is_given_up() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, silent(Silence { body: SOON, ..PATIENT })).await;
    // Held until it is whole, with a length and without one.
    for request in [
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{\"a\"",
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n",
    ] {
        let mut client = gateway.client().await;
        client.write(request).await;
        let head = client.head().await.expect("an answer");
        assert_eq!((head.status(), head.value("x-epitome-error")), (400, Some("body_lost")));
        client.gone().await;
    }
    // Passed on as it comes: the provider sees that it breaks off.
    let mut client = gateway.client().await;
    client.write("POST /v1/files HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf").await;
    let mut call = provider.call().await;
    assert_eq!(call.peer.body(&call.head).await.end, Ended::Broken);
    client.gone().await;
    gateway.finish().await;
}

#[tokio::test]
async fn who_is_one_too_many_is_served_when_another_ends() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, at_most(2)).await;
    let mut busy = Vec::new();
    for _ in 0..2 {
        busy.push(gateway.ask(&provider, question("{}")).await);
    }
    // The machine takes the connection, we do not yet.
    let mut waiting = gateway.client().await;
    waiting.write(post("/v1/messages", "connection: close\r\n", "{}")).await;
    let (mut first, call) = busy.remove(0);
    finish(&mut first, call).await;
    // It is idle now, and makes room.
    first.gone().await;
    let call = provider.call().await;
    finish(&mut waiting, call).await;
    let (mut second, call) = busy.remove(0);
    finish(&mut second, call).await;
    gateway.finish().await;
}

#[tokio::test]
async fn who_is_idle_the_longest_makes_room() {
    let provider = Provider::start().await;
    let gateway = gateway(&provider, at_most(3)).await;
    let mut first = served(&gateway, &provider).await;
    let mut second = served(&gateway, &provider).await;
    let (mut busy, call) = gateway.ask(&provider, question("{}")).await;
    let mut third = served(&gateway, &provider).await;
    first.gone().await;
    let fourth = served(&gateway, &provider).await;
    second.gone().await;
    // Whoever is there still is served.
    third.write(question("{}")).await;
    let another = provider.call().await;
    finish(&mut third, another).await;
    finish(&mut busy, call).await;
    drop(fourth);
    gateway.finish().await;
}

#[tokio::test]
async fn strangers_take_no_place_from_clients() {
    let provider = Provider::start().await;
    let settings =
        Settings { auth: Auth::Tokens(vec!["t".to_owned()]), limits: at_most(8), ..settings(provider.address) };
    let gateway = Gateway::start(settings, Script::Nothing).await;
    let ask = || post("/v1/messages", "x-epitome-token: t\r\n", "{}");
    let mut client = gateway.client().await;
    client.write(ask()).await;
    let call = provider.call().await;
    finish(&mut client, call).await;
    // Two of eight are for strangers: those who say nothing, and those who have no right token.
    let mut strangers = Vec::new();
    for number in 0..30 {
        let mut stranger = gateway.client().await;
        if number % 2 == 0 {
            stranger.write(post("/v1/messages", "x-epitome-token: wrong\r\n", "{}")).await;
            if let Some(head) = stranger.head().await {
                assert_eq!(head.status(), 401);
            }
        }
        strangers.push(stranger);
    }
    for stranger in &mut strangers[..28] {
        stranger.gone().await;
    }
    // Who has been here is here, and who comes anew is served.
    client.write(ask()).await;
    let call = provider.call().await;
    finish(&mut client, call).await;
    let mut newcomer = gateway.client().await;
    newcomer.write(ask()).await;
    let call = provider.call().await;
    finish(&mut newcomer, call).await;
    drop((client, newcomer, strangers));
    gateway.finish().await;
}
