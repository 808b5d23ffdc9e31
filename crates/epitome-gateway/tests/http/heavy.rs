//! Heavy requests among small ones: nobody waits for the work or the memory of others, and nobody is refused.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

use std::io::Write;
use std::sync::{Arc, Mutex, mpsc};

use async_trait::async_trait;
use bytes::Bytes;
use epitome_gateway::compute::Compute;
use epitome_gateway::exchange::{Complaint, End, Incoming, Outgoing, Pipeline, Turn};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::respond::Trouble;
use epitome_gateway::server::Settings;
use epitome_store::records::TurnUsage;
use tokio::sync::mpsc as events;

use crate::gateway::{Gateway, Script, question, settings};
use crate::peer::{Call, Peer, Provider};

const HEAVY: usize = 1_500_000;

/// Works on heavy requests until it is told to go on, as one that computes does: without giving its thread away.
struct Works {
    begins: events::UnboundedSender<()>,
    go_on: Mutex<mpsc::Receiver<()>>,
}

struct NobodyAsks;

#[async_trait]
impl Pipeline for Works {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        if incoming.body.len() >= HEAVY {
            self.begins.send(()).expect("somebody listens");
            self.go_on.lock().expect("one at a time").recv().expect("it is told");
        }
        Outgoing {
            body: incoming.body,
            edited: false,
            upstream_headers: Vec::new(),
            answer_headers: Vec::new(),
            turn: Arc::new(NobodyAsks),
            keeper: None,
        }
    }
}

#[async_trait]
impl Turn for NobodyAsks {
    async fn complained(&self, _: Complaint) -> Result<Option<Outgoing>, Trouble> {
        Ok(None)
    }

    fn not_sent_again(&self) {}

    fn ended(&self, _: End, _: Option<TurnUsage>) {}
}

fn heavy() -> String {
    question(&"x".repeat(HEAVY))
}

async fn answered(client: &mut Peer, call: &mut Call) {
    call.answer("200 OK", "", "fine").await;
    let head = client.head().await.expect("an answer");
    assert_eq!((head.status(), client.body(&head).await.bytes), (200, b"fine".to_vec()));
}

/// A gateway with memory for one heavy body at a time.
async fn with_little_memory(provider: &Provider, script: Script) -> Gateway {
    let metrics = Arc::new(Metrics::new());
    let compute = Compute::new(2_400_000, metrics.clone());
    Gateway::start(Settings { compute, metrics, ..settings(provider.address) }, script).await
}

/// The length of the body that the pipeline sees next.
async fn next_seen(gateway: &mut Gateway) -> usize {
    gateway.seen.recv().await.expect("it goes on").body.len()
}

// All connections are served by the one thread of this test.
#[tokio::test]
async fn small_requests_are_answered_while_a_heavy_one_is_worked_on() {
    let provider = Provider::start().await;
    let (begins, mut begun) = events::unbounded_channel();
    let (go_on, told) = mpsc::channel();
    let gateway = Gateway::with(settings(provider.address), Arc::new(Works { begins, go_on: Mutex::new(told) })).await;
    let mut slow = gateway.client().await;
    slow.write(heavy()).await;
    begun.recv().await.expect("it is worked on");
    for _ in 0..5 {
        let (mut client, mut call) = gateway.ask(&provider, question("{\"small\":1}")).await;
        assert_eq!(call.body().await, b"{\"small\":1}");
        answered(&mut client, &mut call).await;
    }
    go_on.send(()).expect("it waits");
    let mut call = provider.call().await;
    assert_eq!(call.body().await.len(), HEAVY);
    answered(&mut slow, &mut call).await;
    assert!(gateway.metrics.to_string().contains("epitome_thread_wait_seconds_count 1"));
}

#[tokio::test]
async fn bodies_wait_for_memory_and_small_ones_do_not() {
    let provider = Provider::start().await;
    let mut gateway = with_little_memory(&provider, Script::Nothing).await;
    let (mut first, mut first_call) = gateway.ask(&provider, heavy()).await;
    assert_eq!((first_call.body().await.len(), next_seen(&mut gateway).await), (HEAVY, HEAVY));
    // There is no memory for this one until the first is answered.
    let mut second = gateway.client().await;
    let second = tokio::spawn(async move {
        second.write(heavy()).await;
        second
    });
    for _ in 0..20 {
        let (mut client, mut call) = gateway.ask(&provider, question("{\"small\":1}")).await;
        call.body().await;
        answered(&mut client, &mut call).await;
        assert_eq!(next_seen(&mut gateway).await, 11);
    }
    answered(&mut first, &mut first_call).await;
    assert_eq!(next_seen(&mut gateway).await, HEAVY);
    let mut call = provider.call().await;
    assert_eq!(call.body().await.len(), HEAVY);
    answered(&mut second.await.expect("it is written"), &mut call).await;
    assert!(gateway.metrics.to_string().contains("epitome_memory_wait_seconds_count 22"));
}

#[tokio::test]
async fn who_leaves_gives_memory_back() {
    let provider = Provider::start().await;
    let mut gateway = with_little_memory(&provider, Script::Nothing).await;
    let (left, mut unanswered) = gateway.ask(&provider, heavy()).await;
    assert_eq!((unanswered.body().await.len(), next_seen(&mut gateway).await), (HEAVY, HEAVY));
    drop(left);
    let (mut client, mut call) = gateway.ask(&provider, heavy()).await;
    assert_eq!(call.body().await.len(), HEAVY);
    answered(&mut client, &mut call).await;
}

#[tokio::test]
async fn a_body_for_which_there_is_never_memory_streams_through_unread() {
    let provider = Provider::start().await;
    let gateway = with_little_memory(&provider, Script::Edits("{}")).await;
    let large = "x".repeat(2_200_000);
    let mut client = gateway.client().await;
    let asks = question(&large);
    let client = tokio::spawn(async move {
        client.write(asks).await;
        client
    });
    let mut call = provider.call().await;
    assert_eq!(call.body().await, large.as_bytes());
    answered(&mut client.await.expect("it is written"), &mut call).await;
    assert!(gateway.metrics.to_string().contains("epitome_untouched_total{reason=\"too_large\"} 1"));
}

#[tokio::test]
async fn a_fault_in_the_pool_sends_the_request_as_it_came() {
    let provider = Provider::start().await;
    let gateway = Gateway::scripted(&provider, Script::Panics).await;
    for _ in 0..2 {
        let (mut client, mut call) = gateway.ask(&provider, heavy()).await;
        assert_eq!(call.body().await, "x".repeat(HEAVY).as_bytes());
        answered(&mut client, &mut call).await;
    }
    assert!(gateway.metrics.to_string().contains("epitome_panics_total 2"));
}

#[tokio::test]
async fn a_small_body_that_unpacks_to_a_heavy_one_is_read_and_counted() {
    let provider = Provider::start().await;
    let mut gateway = with_little_memory(&provider, Script::Nothing).await;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&[b'x'; HEAVY]).expect("in memory");
    let packed = encoder.finish().expect("in memory");
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        packed.len()
    );
    let request = [head.as_bytes(), &packed].concat();
    let mut held: Vec<Bytes> = Vec::new();
    for _ in 0..2 {
        let (mut client, mut call) = gateway.ask(&provider, &request).await;
        assert_eq!(call.body().await, packed);
        answered(&mut client, &mut call).await;
        held.push(gateway.seen.recv().await.expect("seen").body);
        assert_eq!(held.last().map(Bytes::len), Some(HEAVY));
    }
    // One has taken what there was, and one has gone beyond: a third waits until there is memory again.
    let mut third = gateway.client().await;
    third.write(&request).await;
    for _ in 0..20 {
        let (mut client, mut call) = gateway.ask(&provider, question("{\"small\":1}")).await;
        call.body().await;
        answered(&mut client, &mut call).await;
        assert_eq!(next_seen(&mut gateway).await, 11);
    }
    held.clear();
    assert_eq!(next_seen(&mut gateway).await, HEAVY);
}
