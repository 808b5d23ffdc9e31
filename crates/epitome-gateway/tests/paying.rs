//! `compression.trigger: cost`: sessions are compacted when that pays for itself, wherever the threshold is.

#[expect(dead_code, reason = "other tests ask more of a session")]
mod session;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use epitome_core::budget::{Policy, Thrift, Trigger};
use epitome_core::cost::trigger::Foregone;
use epitome_core::summary::{SummarizeError, Summarizer, SummaryRequest};
use epitome_core::tokens::Tokens;
use epitome_gateway::exchange::{End, Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_gateway::writer::Writer;
use epitome_store::memory::MemoryStore;
use epitome_store::records::{CompactionLog, Rent, SessionId, Tenant, Turn, TurnUsage};
use epitome_store::store::{SessionIndex, SessionStore};
use epitome_wire::Dialect;
use http::{HeaderMap, Uri};
use serde_json::{Value, json};
use session::{Session, messages_of, refusal};

/// No session here comes near half of it.
const WINDOW: Tokens = Tokens(1_000_000);
const THRIFT: Thrift = Thrift {
    tail: Tokens(3_000),
    summary: Tokens(1_000),
    shadow: epitome_core::cost::trigger::ShadowPrices { length: 0.0, fetched_again: 0.0 },
};

fn gateway(store: &Arc<MemoryStore>, writer: Writer) -> Gateway {
    let policy = Policy { trigger: Trigger::Cost(THRIFT), ..Policy::default() };
    Gateway::new(Setup {
        context_length: Some(WINDOW),
        prepare_at: Some(0.8),
        writer,
        ..Setup::local(store.clone(), policy, Arc::new(Metrics::new()))
    })
}

fn header(outgoing: &Outgoing, name: &str) -> String {
    let found = outgoing.answer_headers.iter().find(|(known, _)| known == name);
    found.and_then(|(_, value)| value.to_str().ok()).unwrap_or_default().to_owned()
}

/// Sends the next turn, which a provider answers that has the last one in its cache. What it got is valid.
async fn turn(gateway: &Gateway, session: &mut Session, cached: u64) -> Outgoing {
    session.next_input();
    let incoming = Incoming {
        dialect: session.dialect,
        purpose: Purpose::Answer,
        tenant: Tenant::only(),
        owner: Tenant::only(),
        headers: HeaderMap::new(),
        upstream: Uri::from_static("http://127.0.0.1:1/"),
        body: Bytes::from(session.body()),
    };
    let outgoing = gateway.outgoing(incoming).await;
    assert_eq!(refusal(session.dialect, &outgoing.body), None);
    let prompt = size(&outgoing);
    let usage = TurnUsage { prompt, cache_read: cached.min(prompt), output: 50, ..TurnUsage::default() };
    outgoing.turn.ended(End::Complete, Some(usage));
    session.answer();
    outgoing
}

fn size(outgoing: &Outgoing) -> u64 {
    header(outgoing, "x-epitome-tokens-after").parse().expect("a number")
}

fn id(outgoing: &Outgoing) -> SessionId {
    SessionId::new(header(outgoing, "x-epitome-session"))
}

async fn logs(store: &MemoryStore, outgoing: &Outgoing) -> Vec<CompactionLog> {
    let compactions = store.compactions(&Tenant::only(), &id(outgoing)).await.expect("a store");
    compactions.into_iter().map(|(_, log)| log).collect()
}

/// Goes on until something is compacted, and says with which turn. `go_on` has the gateway for each turn.
async fn until_compacted(session: &mut Session, mut go_on: impl AsyncFnMut() -> Gateway) -> (usize, Outgoing) {
    let mut before: Vec<Value> = Vec::new();
    let mut cached = 0;
    for number in 1..200 {
        let outgoing = turn(&go_on().await, session, cached).await;
        cached = size(&outgoing);
        if header(&outgoing, "x-epitome-action") == "compacted" {
            return (number, outgoing);
        }
        let now = messages_of(&outgoing.body);
        assert!(now.starts_with(&before), "the prefix moved without a compaction");
        before = now;
    }
    panic!("nothing was compacted");
}

#[tokio::test]
async fn a_session_is_compacted_when_that_pays_far_below_its_threshold() {
    for dialect in Dialect::ALL {
        let store = Arc::new(MemoryStore::new());
        let gateway = gateway(&store, Writer::Local);
        let mut session = Session::new(dialect);
        let (_, compacted) = until_compacted(&mut session, async || gateway.clone()).await;
        let log = logs(&store, &compacted).await.remove(0);
        assert_eq!(log.reason, "it pays for itself");
        // More than nothing, and far less than where the threshold would be.
        assert!((Tokens(6_000)..Tokens(40_000)).contains(&log.record.before), "{dialect}: {:?}", log.record);
        assert!(log.record.after < log.record.before.share(0.9), "{dialect}: {:?}", log.record);
        let compared = log.compared.expect("what was compared");
        assert!(compared.contains("waiting has cost") && compared.contains("acting costs"), "{compared}");
        // It is sent again as it was, and does not pay again at once.
        let sent = messages_of(&compacted.body);
        for _ in 0..3 {
            let next = turn(&gateway, &mut session, size(&compacted)).await;
            assert_eq!(header(&next, "x-epitome-action"), "replayed");
            assert!(messages_of(&next.body).starts_with(&sent), "{dialect}: the prefix moved");
        }
    }
}

#[tokio::test]
async fn what_was_paid_before_a_restart_counts() {
    let one = Arc::new(MemoryStore::new());
    let gateway_of_one = gateway(&one, Writer::Local);
    let (expected, _) = until_compacted(&mut Session::new(Dialect::OpenAiChat), async || gateway_of_one.clone()).await;
    // Each turn is served by a gateway that has just been started.
    let shared = Arc::new(MemoryStore::new());
    let mut noted = 0;
    let (turns, _) = until_compacted(&mut Session::new(Dialect::OpenAiChat), async || {
        while calls(&shared).await < noted {
            tokio::task::yield_now().await;
        }
        noted += 1;
        gateway(&shared, Writer::Local)
    })
    .await;
    assert_eq!(turns, expected);
}

async fn calls(store: &MemoryStore) -> usize {
    let sessions = store.sessions(&Tenant::only(), 10).await.expect("a store");
    sessions.iter().map(|session| session.turns as usize).sum()
}

/// A session that was last heard of so long ago, and a gateway that has just been started.
async fn after_a_pause(
    store: &Arc<MemoryStore>,
    session: &mut Session,
    minutes: u64,
    writer: impl Fn() -> Writer,
) -> Outgoing {
    let last = turn(&gateway(store, writer()), session, 0).await;
    let of_session = async || store.session(&Tenant::only(), &id(&last)).await.expect("a store");
    let rent = loop {
        if let Some(rent) = of_session().await.and_then(|session| session.rent) {
            break rent;
        }
        tokio::task::yield_now().await;
    };
    let at_ms = rent.at_ms - minutes * 60_000;
    let earlier = Turn {
        at_ms,
        model: "gpt-5.1".to_owned(),
        dialect: session.dialect.name().to_owned(),
        action: "untouched".to_owned(),
        client_tokens: rent.prompt,
        sent_tokens: rent.prompt,
        usage: None,
        spending: None,
        markers: 0,
        broke: None,
        rent: Some(Rent { at_ms, foregone: Foregone::default(), ..rent }),
    };
    store.note_turn(&Tenant::only(), &id(&last), &earlier, None).await.expect("a store");
    turn(&gateway(store, writer()), session, rent.prompt.0).await
}

fn session_of(turns: usize) -> Session {
    let mut session = Session::new(Dialect::OpenAiChat);
    for _ in 0..turns {
        session.next_input();
        session.answer();
    }
    session
}

/// A session of long messages, in which no output could be shortened.
fn long_talk() -> Session {
    let mut session = session_of(1);
    let said = |role: &str, number: usize| {
        let words: Vec<String> = (0..1_200).map(|word| format!("w{}", word * 31 + number)).collect();
        json!({"role": role, "content": words.join(" ")})
    };
    let talk = (0..6).flat_map(|number| [said("user", number), said("assistant", number)]);
    session.history.splice(0..0, talk);
    session
}

#[tokio::test]
async fn a_provider_that_keeps_nothing_makes_every_token_dear() {
    let store = Arc::new(MemoryStore::new());
    let gateway = gateway(&store, Writer::Local);
    let mut session = session_of(8);
    let mut turns = 0;
    loop {
        turns += 1;
        // It reports nothing that was cached.
        let outgoing = turn(&gateway, &mut session, 0).await;
        if header(&outgoing, "x-epitome-action") == "compacted" {
            break;
        }
    }
    // One call that nothing is known before, three that should have been cached.
    assert_eq!(turns, 5);
}

#[tokio::test]
async fn a_cold_cache_is_the_time_to_make_it_smaller() {
    for (minutes, expected) in [(0, "untouched"), (4, "untouched"), (6, "compacted")] {
        let store = Arc::new(MemoryStore::new());
        let outgoing = after_a_pause(&store, &mut session_of(6), minutes, || Writer::Local).await;
        assert_eq!(header(&outgoing, "x-epitome-action"), expected, "after {minutes} minutes");
    }
}

/// A model that costs a third of the session's own, and one that costs four times as much.
const CHEAP: &str = "gpt-4.1-mini";
const DEAR: &str = "claude-opus-4-6";

/// A model that answers at once, and counts.
struct Writes {
    name: &'static str,
    asked: Arc<AtomicUsize>,
}

#[async_trait]
impl Summarizer for Writes {
    fn name(&self) -> &str {
        self.name
    }

    async fn summarize(&self, _: &SummaryRequest) -> Result<String, SummarizeError> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok("## Goal\n- find out why records are dropped\n## Critical Context\n- the worker restarts\n".to_owned())
    }
}

#[tokio::test]
async fn what_was_foregone_by_not_summarising_outlives_a_trim() {
    let (store, asked) = (Arc::new(MemoryStore::new()), Arc::new(AtomicUsize::new(0)));
    let writes = || Writer::Model(Arc::new(Writes { name: DEAR, asked: asked.clone() }));
    let trimmed = after_a_pause(&store, &mut session_of(8), 6, writes).await;
    let log = logs(&store, &trimmed).await.remove(0);
    assert_eq!((log.reason.as_str(), &log.rungs[..]), ("it pays for itself", &["shorten old outputs".to_owned()][..]));
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let entries = store.compactions(&Tenant::only(), &id(&trimmed)).await.expect("a store");
    let anchor = *entries[0].0.anchor.as_bytes();
    let rent = loop {
        let session = store.session(&Tenant::only(), &id(&trimmed)).await.expect("a store").expect("it was seen");
        if let Some(rent) = session.rent.filter(|rent| rent.since == anchor) {
            break rent;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(rent.foregone.trimming, 0.0);
    assert!(rent.foregone.summarizing > 0.0, "{rent:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_pauses_is_summarised_while_it_is_cached() {
    let (store, asked) = (Arc::new(MemoryStore::new()), Arc::new(AtomicUsize::new(0)));
    let writes = || Writer::Model(Arc::new(Writes { name: CHEAP, asked: asked.clone() }));
    let mut session = long_talk();
    let paused = gateway(&store, writes());
    let last = turn(&paused, &mut session, 0).await;
    assert_eq!(header(&last, "x-epitome-action"), "untouched");
    // It goes on in time, and pauses only then.
    tokio::time::sleep(Duration::from_secs(200)).await;
    turn(&paused, &mut session, size(&last)).await;
    tokio::time::sleep(Duration::from_secs(200)).await;
    assert_eq!(asked.load(Ordering::Relaxed), 0, "nobody pays for a summary while it goes on");
    tokio::time::sleep(Duration::from_secs(100)).await;
    assert_eq!(asked.load(Ordering::Relaxed), 1, "just before the cache would be cold");
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(asked.load(Ordering::Relaxed), 1, "once");
    // Whoever comes back finds it.
    let back = after_a_pause(&store, &mut session, 60, writes).await;
    assert_eq!(header(&back, "x-epitome-action"), "compacted");
    assert!(String::from_utf8_lossy(&back.body).contains("the worker restarts"));
    assert_eq!(asked.load(Ordering::Relaxed), 1, "it was paid for before");
}

#[tokio::test(start_paused = true)]
async fn a_gateway_that_stops_waits_for_no_pause() {
    let (store, asked) = (Arc::new(MemoryStore::new()), Arc::new(AtomicUsize::new(0)));
    let stopped = gateway(&store, Writer::Model(Arc::new(Writes { name: CHEAP, asked: asked.clone() })));
    turn(&stopped, &mut long_talk(), 0).await;
    stopped.close().await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}
