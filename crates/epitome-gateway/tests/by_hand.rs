//! Compactions that people ask for: carried out with the session's next request, once, whatever its size.

#[expect(dead_code, reason = "some of it is for other tests")]
mod session;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use epitome_core::budget::Policy;
use epitome_core::engine::{BUILT_IN, Registry};
use epitome_core::summary::{SummarizeError, Summarizer, SummaryRequest};
use epitome_core::tokens::Tokens;
use epitome_gateway::exchange::{Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_gateway::writer::Writer;
use epitome_store::memory::MemoryStore;
use epitome_store::records::{SessionId, Tenant, Turn, Wish};
use epitome_store::store::{SessionIndex, SessionStore, Store, Wishes};
use epitome_wire::Dialect;
use http::{HeaderMap, Uri};
use session::{Session, messages_of};

fn gateway_with(store: Arc<MemoryStore>, change: impl FnOnce(&mut Setup)) -> Gateway {
    let policy = Policy { protect_last_n: 3, ..Policy::default() };
    let store: Arc<dyn Store> = store;
    let mut setup = Setup {
        context_length: Some(Tokens(200_000)),
        max_wait: Duration::from_secs(1),
        ..Setup::local(store, policy, Arc::new(Metrics::new()))
    };
    change(&mut setup);
    Gateway::new(setup)
}

async fn send(gateway: &Gateway, tenant: &Tenant, session: &Session, headers: &[(&'static str, &str)]) -> Outgoing {
    send_as(gateway, tenant, tenant, session, headers).await
}

async fn send_as(
    gateway: &Gateway,
    tenant: &Tenant,
    owner: &Tenant,
    session: &Session,
    headers: &[(&'static str, &str)],
) -> Outgoing {
    let named = [("x-epitome-session", "ours")];
    let headers = named
        .iter()
        .chain(headers)
        .map(|(name, value)| (name.parse().expect("a header"), value.parse().expect("a value")));
    let incoming = Incoming {
        dialect: session.dialect,
        purpose: Purpose::Answer,
        tenant: tenant.clone(),
        owner: owner.clone(),
        headers: headers.collect::<HeaderMap>(),
        upstream: Uri::from_static("http://127.0.0.1:1/"),
        body: Bytes::from(session.body()),
    };
    gateway.outgoing(incoming).await
}

fn action(outgoing: &Outgoing) -> &str {
    let found = outgoing.answer_headers.iter().find(|(known, _)| known == "x-epitome-action");
    found.and_then(|(_, value)| value.to_str().ok()).expect("what was done is told")
}

/// A session of some turns that the store knows.
async fn known(store: &MemoryStore, tenant: &Tenant, dialect: Dialect, turns: usize) -> (Session, SessionId) {
    let mut session = Session::new(dialect);
    for _ in 1..turns {
        session.next_input();
        session.answer();
    }
    session.next_input();
    let id = SessionId::new("ours");
    let turn = Turn {
        at_ms: 1,
        model: "model".to_owned(),
        dialect: dialect.name().to_owned(),
        action: "untouched".to_owned(),
        client_tokens: Tokens(1),
        sent_tokens: Tokens(1),
        usage: None,
        spending: None,
        markers: 0,
        broke: None,
        rent: None,
    };
    store.note_turn(tenant, &id, &turn, None).await.expect("memory takes it");
    (session, id)
}

fn wish(focus: Option<&str>) -> Wish {
    Wish { at_ms: 7, focus: focus.map(str::to_owned) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_is_carried_out_with_the_next_request_whatever_its_size() {
    for dialect in Dialect::ALL {
        let (store, tenant) = (Arc::new(MemoryStore::new()), Tenant::only());
        let gateway = gateway_with(store.clone(), |_| {});
        let (mut session, id) = known(&store, &tenant, dialect, 12).await;
        assert_eq!(action(&send(&gateway, &tenant, &session, &[]).await), "untouched", "{dialect}");

        assert!(store.put_wish(&tenant, &id, &wish(None)).await.unwrap());
        let outgoing = send(&gateway, &tenant, &session, &[]).await;
        assert_eq!(action(&outgoing), "compacted", "{dialect}");
        assert!(outgoing.body.len() < session.body().len() / 2, "{dialect}");
        assert_eq!(store.wish(&tenant, &id).await.unwrap(), None);
        let logs = store.logs(&tenant, Some(&id)).await.unwrap();
        assert_eq!(logs.iter().map(|log| log.reason.as_str()).collect::<Vec<_>>(), ["asked for"]);

        // From here on nothing moves.
        let before = messages_of(&outgoing.body);
        session.answer();
        session.next_input();
        let outgoing = send(&gateway, &tenant, &session, &[]).await;
        assert_eq!(action(&outgoing), "replayed", "{dialect}");
        assert!(messages_of(&outgoing.body).starts_with(&before), "{dialect}: the prefix moved");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_requests_at_once_one_carries_it_out() {
    let (store, tenant) = (Arc::new(MemoryStore::new()), Tenant::only());
    // Two gateways on one store, which know nothing of each other.
    let gateways = [gateway_with(store.clone(), |_| {}), gateway_with(store.clone(), |_| {})];
    let (session, id) = known(&store, &tenant, Dialect::AnthropicMessages, 12).await;
    store.put_wish(&tenant, &id, &wish(None)).await.unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for racer in 0..8 {
        let (gateway, tenant, session) = (gateways[racer % 2].clone(), tenant.clone(), session.clone());
        tasks.spawn(async move {
            let outgoing = send(&gateway, &tenant, &session, &[]).await;
            (action(&outgoing).to_owned(), outgoing.body)
        });
    }
    let sent = tasks.join_all().await;
    assert_eq!(store.logs(&tenant, Some(&id)).await.unwrap().len(), 1);
    // Two may have made the same one at the same time: it is one entry, and one prompt for all.
    let compacted = &sent.iter().find(|(action, _)| action == "compacted").expect("one of them did").1;
    for (action, body) in &sent {
        assert!(["compacted", "replayed"].contains(&action.as_str()), "{action}");
        assert_eq!(body, compacted, "{action}");
    }
}

/// A summariser that is not there, and hears what it is asked to keep.
struct Hears(Mutex<Vec<Option<String>>>);

#[async_trait]
impl Summarizer for Hears {
    fn name(&self) -> &str {
        "hears"
    }

    async fn summarize(&self, request: &SummaryRequest) -> Result<String, SummarizeError> {
        self.0.lock().expect("nobody panics").push(request.focus.clone());
        Err(SummarizeError::Unavailable("it only hears".to_owned()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_to_keep_above_all_is_told_to_whoever_writes_the_summary() {
    let (store, tenant, hears) = (Arc::new(MemoryStore::new()), Tenant::only(), Arc::new(Hears(Mutex::default())));
    let summarizer: Arc<dyn Summarizer> = hears.clone();
    let gateway = gateway_with(store.clone(), |setup| setup.writer = Writer::Model(summarizer));
    let (session, id) = known(&store, &tenant, Dialect::OpenAiChat, 12).await;
    store.put_wish(&tenant, &id, &wish(Some("batch 00001eef"))).await.unwrap();
    assert_eq!(action(&send(&gateway, &tenant, &session, &[]).await), "compacted");
    assert!(hears.0.lock().unwrap().contains(&Some("batch 00001eef".to_owned())));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_beside_the_session_or_only_watched_leaves_the_wish() {
    let (store, tenant) = (Arc::new(MemoryStore::new()), Tenant::only());
    let gateway = gateway_with(store.clone(), |_| {});
    let (session, id) = known(&store, &tenant, Dialect::AnthropicMessages, 12).await;
    store.put_wish(&tenant, &id, &wish(None)).await.unwrap();

    // The agent asks for a title under the same name.
    let mut title = Session::new(Dialect::AnthropicMessages);
    title.next_input();
    assert_eq!(action(&send(&gateway, &tenant, &title, &[]).await), "untouched");
    assert_eq!(action(&send(&gateway, &tenant, &session, &[("x-epitome", "observe")]).await), "untouched");
    // Somebody else's session of the same name.
    let other = Tenant::new("another");
    assert_eq!(action(&send(&gateway, &other, &session, &[]).await), "untouched");
    assert_eq!(store.wish(&tenant, &id).await.unwrap(), Some(wish(None)));
    assert_eq!(action(&send(&gateway, &tenant, &session, &[]).await), "compacted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_that_changes_nothing_is_not_tried_for_ever() {
    let (store, tenant) = (Arc::new(MemoryStore::new()), Tenant::only());
    let gateway = gateway_with(store.clone(), |setup| {
        setup.policy = Policy { protect_last_n: 500, ..Policy::default() };
        setup.engine = Registry::new(&setup.policy).resolve(BUILT_IN).engine;
    });
    let (session, id) = known(&store, &tenant, Dialect::OpenAiChat, 4).await;
    store.put_wish(&tenant, &id, &wish(None)).await.unwrap();
    let outgoing = send(&gateway, &tenant, &session, &[]).await;
    assert_eq!((action(&outgoing), &outgoing.body[..]), ("untouched", &session.body()[..]));
    assert_eq!(store.wish(&tenant, &id).await.unwrap(), None);
    assert_eq!(store.logs(&tenant, None).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_is_its_owners_alone_and_is_carried_out_once_where_the_ledger_is_an_accounts() {
    let store = Arc::new(MemoryStore::new());
    let [account, owner, stranger] = ["account", "owner", "stranger"].map(Tenant::new);
    let gateway = gateway_with(store.clone(), |_| {});
    let (session, id) = known(&store, &owner, Dialect::OpenAiChat, 12).await;
    store.put_wish(&owner, &id, &wish(None)).await.unwrap();
    assert_eq!(action(&send_as(&gateway, &account, &stranger, &session, &[]).await), "untouched");
    assert_eq!(store.wish(&owner, &id).await.unwrap(), Some(wish(None)));
    assert_eq!(action(&send_as(&gateway, &account, &owner, &session, &[]).await), "compacted");
    assert_eq!(store.wish(&owner, &id).await.unwrap(), None);
    // Whoever has the same history finds its edits, by what it says.
    assert_eq!(action(&send_as(&gateway, &account, &stranger, &session, &[]).await), "replayed");
    assert_eq!(action(&send_as(&gateway, &stranger, &stranger, &session, &[]).await), "untouched");
}
