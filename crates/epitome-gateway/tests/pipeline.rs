//! Sessions that grow past their window, as the gateway passes them on: always valid, always under the window, and between
//! two compactions every request begins with the one before.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

#[path = "pipeline/archives.rs"]
mod archives;
mod session;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use epitome_core::budget::{Policy, Threshold};
use epitome_core::tokens::Tokens;
use epitome_gateway::exchange::{Complaint, End, Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_store::memory::MemoryStore;
use epitome_store::records::{SessionId, Tenant, TurnUsage};
use epitome_store::store::{SessionIndex, Store};
use epitome_wire::Dialect;
use epitome_wire::asking::TooLong;
use http::{HeaderMap, Uri};
use serde_json::{Value, json};
use session::{Session, messages_of, refusal, unmarked};

const WINDOW: u64 = 24_000;

fn gateway(store: Arc<dyn Store>) -> Gateway {
    gateway_with(store, |_| {})
}

fn gateway_with(store: Arc<dyn Store>, change: impl FnOnce(&mut Setup)) -> Gateway {
    let policy = Policy { protect_last_n: 3, ..Policy::default() };
    let mut setup = Setup {
        context_length: Some(Tokens(WINDOW)),
        max_wait: Duration::from_secs(1),
        ..Setup::local(store, policy, Arc::new(Metrics::new()))
    };
    change(&mut setup);
    Gateway::new(setup)
}

fn incoming(dialect: Dialect, body: Vec<u8>) -> Incoming {
    Incoming {
        dialect,
        purpose: Purpose::Answer,
        tenant: Tenant::only(),
        owner: Tenant::only(),
        headers: HeaderMap::new(),
        upstream: Uri::from_static("http://127.0.0.1:1/"),
        body: Bytes::from(body),
    }
}

fn header<'a>(outgoing: &'a Outgoing, name: &str) -> Option<&'a str> {
    let found = outgoing.answer_headers.iter().find(|(known, _)| known == name);
    found.and_then(|(_, value)| value.to_str().ok())
}

/// What the provider has seen of a session so far.
#[derive(Default, Clone)]
struct Seen {
    messages: Vec<Value>,
    compactions: usize,
    /// How often a compaction of another branch was taken over.
    taken_over: usize,
    session: Option<String>,
}

/// Sends the next turn, and checks what the provider gets.
async fn turn(gateway: &Gateway, session: &mut Session, seen: &mut Seen) -> Outgoing {
    session.next_input();
    let outgoing = send(gateway, session, seen).await;
    session.answer();
    outgoing
}

async fn send(gateway: &Gateway, session: &Session, seen: &mut Seen) -> Outgoing {
    let outgoing = gateway.outgoing(incoming(session.dialect, session.body())).await;
    assert_eq!(refusal(session.dialect, &outgoing.body), None);
    let after: u64 = header(&outgoing, "x-epitome-tokens-after").expect("a size").parse().expect("a number");
    assert!(after < WINDOW / 2, "{after} tokens are sent");
    let messages = messages_of(&outgoing.body);
    if header(&outgoing, "x-epitome-action") == Some("compacted") {
        seen.compactions += 1;
    } else {
        let common = messages.iter().zip(&seen.messages).take_while(|(now, before)| now == before).count();
        if common < seen.messages.len() {
            assert!(messages.len() < seen.messages.len(), "the prefix moved without a compaction");
            seen.taken_over += 1;
        }
    }
    assert_eq!(messages.last(), messages_of(&session.body()).last(), "the newest message is as it came");
    assert!(String::from_utf8_lossy(&outgoing.body).contains("\"x_unknown\":1.5"));
    seen.messages = messages;
    seen.session = header(&outgoing, "x-epitome-session").map(str::to_owned);
    outgoing
}

async fn play(gateway: &Gateway, session: &mut Session, seen: &mut Seen, turns: usize) {
    for _ in 0..turns {
        turn(gateway, session, seen).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_runs_on_past_its_window_in_every_dialect() {
    for dialect in Dialect::ALL {
        let store = Arc::new(MemoryStore::new());
        let (mut session, mut seen) = (Session::new(dialect), Seen::default());
        play(&gateway(store.clone()), &mut session, &mut seen, 60).await;
        assert!(seen.compactions >= 3, "{dialect}: {} compactions", seen.compactions);
        assert!(seen.compactions <= 20 && seen.taken_over == 0, "{dialect}: {} compactions", seen.compactions);
        // What it began with is still there, and what was removed can be found.
        let last = serde_json::to_string(&seen.messages).unwrap();
        assert!(last.contains("4711") && last.contains("src/import.rs"));
        let id = SessionId::new(seen.session.unwrap());
        let compactions = store.compactions(&Tenant::only(), &id).await.unwrap();
        assert_eq!(compactions.len(), seen.compactions);
        let (first, log) = &compactions[0];
        assert!(log.record.after < log.record.before);
        let removed = store.removed_by(&Tenant::only(), first.id).await.unwrap();
        assert!(removed.iter().any(|original| original.words.contains("key-0-main")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_live_request_and_the_newest_input_go_out_whatever_a_harness_says_behind_them() {
    for dialect in Dialect::ALL {
        let store = Arc::new(MemoryStore::new());
        let gateway = gateway(store.clone());
        let (mut session, mut seen) = (Session::new(dialect), Seen::default());
        let mut turns = 0;
        session.next_input();
        for task in 0..3 {
            if task > 0 {
                session.conclude("That is done.");
                session.ask(&format!("Now look into import {task}, and change nothing."));
            }
            let live = unmarked(session.history.last().expect("a request"));
            for _ in 0..40 {
                let input = unmarked(session.history.last().expect("an input"));
                turns += 1;
                session.remind(&format!("{} tokens are left.", 900_000 - 1_000 * turns));
                send(&gateway, &session, &mut seen).await;
                let count = |message: &Value| seen.messages.iter().filter(|sent| *sent == message).count();
                assert_eq!((count(&live), count(&input)), (1, 1), "{dialect}, {turns}");
                let reminders =
                    seen.messages.iter().filter(|sent| sent.to_string().contains("tokens are left")).count();
                assert!(reminders < 41, "{dialect}: {reminders} reminders");
                session.answer();
                session.next_input();
            }
            session.remind("The turn ends soon.");
            send(&gateway, &session, &mut seen).await;
        }
        assert!(seen.compactions >= 6, "{dialect}: {} compactions", seen.compactions);
        assert!(seen.compactions <= 40, "{dialect}: {} compactions", seen.compactions);
        // Instructions that went can be found as messages can.
        let compactions = store.compactions(&Tenant::only(), &SessionId::new(seen.session.unwrap())).await.unwrap();
        let removed = store.removed_by(&Tenant::only(), compactions[0].0.id).await.unwrap();
        assert!(removed.iter().any(|original| original.words.contains("898000 tokens are left")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cap_in_tokens_and_a_models_own_threshold_decide_when_a_session_is_compacted() {
    let of_models = |beginning: &str, threshold: Threshold| {
        let policy = Policy { protect_last_n: 3, ..Policy::default() };
        Policy { model_thresholds: [(beginning.to_owned(), threshold)].into(), ..policy }
    };
    let capped = Policy { threshold_tokens: Some(Tokens(6_000)), protect_last_n: 3, ..Policy::default() };
    // As a share of the window, or as a number of tokens; half of the window, where another model has a threshold.
    for (policy, trigger) in [
        (capped, 6_000),
        (of_models("claude-", Threshold::Share(0.25)), 6_000),
        (of_models("claude-", Threshold::Tokens(Tokens(6_000))), 6_000),
        (of_models("gpt-", Threshold::Share(0.25)), WINDOW / 2),
    ] {
        let gateway = gateway_with(Arc::new(MemoryStore::new()), |setup| setup.policy = policy.clone());
        let (mut session, mut seen) = (Session::new(Dialect::AnthropicMessages), Seen::default());
        let mut largest = 0;
        let compacted = loop {
            let outgoing = turn(&gateway, &mut session, &mut seen).await;
            let size = header(&outgoing, "x-epitome-tokens-before").expect("a size").parse().expect("a number");
            if seen.compactions > 0 {
                break size;
            }
            largest = size;
        };
        assert!((largest..=compacted).contains(&trigger), "{policy:?}: {largest} is left alone, {compacted} is not");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_does_not_exist_is_reported_with_every_answer() {
    let metrics = Arc::new(Metrics::new());
    let counted = metrics.clone();
    let missing = |setup: &mut Setup| {
        setup.missing_engine = Some("lcm".to_owned());
        setup.metrics = counted.clone();
    };
    let session = {
        let mut session = Session::new(Dialect::AnthropicMessages);
        session.next_input();
        session
    };
    let answered = |gateway: Gateway, body: Vec<u8>| async move {
        let outgoing = gateway.outgoing(incoming(Dialect::AnthropicMessages, body)).await;
        header(&outgoing, "x-epitome-engine").map(str::to_owned)
    };
    let store = || Arc::new(MemoryStore::new());
    let off = gateway_with(store(), |setup| {
        missing(setup);
        setup.enabled = false;
    });
    let said = [
        answered(gateway_with(store(), missing), session.body()).await,
        answered(gateway_with(store(), missing), b"not a request".to_vec()).await,
        answered(off, session.body()).await,
    ];
    assert_eq!(said, [(); 3].map(|()| Some("compressor; wanted=lcm".to_owned())));
    assert_eq!(answered(gateway(store()), session.body()).await.as_deref(), Some("compressor"));
    let metrics = metrics.to_string();
    assert!(metrics.lines().any(|line| line == "epitome_engine_fallbacks_total 3"), "{metrics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_instance_goes_on_where_this_one_was() {
    for dialect in Dialect::ALL {
        let store = Arc::new(MemoryStore::new());
        let (mut session, mut seen) = (Session::new(dialect), Seen::default());
        for _ in 0..50 {
            turn(&gateway(store.clone()), &mut session, &mut seen).await;
        }
        assert!(seen.compactions >= 3);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retry_is_sent_as_the_first_try_was() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let (mut session, mut seen) = (Session::new(Dialect::AnthropicMessages), Seen::default());
    for _ in 0..40 {
        session.next_input();
        let first = send(&gateway, &session, &mut seen).await;
        let again = send(&gateway, &session, &mut seen).await;
        assert_eq!(first.body, again.body);
        session.answer();
    }
    assert!(seen.compactions >= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn forks_and_rewinds_find_their_own_edits() {
    for dialect in Dialect::ALL {
        let gateway = gateway(Arc::new(MemoryStore::new()));
        let (mut session, mut seen) = (Session::new(dialect), Seen::default());
        play(&gateway, &mut session, &mut seen, 30).await;
        assert!(seen.compactions >= 1);
        let (mut fork, mut seen_by_fork) = (session.clone().on_branch("fork"), seen.clone());
        play(&gateway, &mut session, &mut seen, 30).await;
        assert_eq!(seen.taken_over, 0);
        // Back to where the fork is: at most it begins with a compaction of what both have.
        play(&gateway, &mut fork, &mut seen_by_fork, 30).await;
        let last = serde_json::to_string(&seen_by_fork.messages).unwrap();
        assert!(seen_by_fork.taken_over <= 1 && !last.contains("key-40-main") && last.contains("key-58-fork"));
        assert!(seen.compactions >= 2 && seen_by_fork.compactions >= 2, "{dialect}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_may_change_what_does_not_matter() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let (mut session, mut seen) = (Session::new(Dialect::AnthropicMessages), Seen::default());
    play(&gateway, &mut session, &mut seen, 30).await;
    let before = seen.compactions;
    assert!(before >= 1);
    session.system = "You are another agent now.".to_owned();
    for message in &mut session.history {
        let blocks = message["content"].as_array_mut().unwrap();
        blocks.retain(|block| block["type"] != "thinking");
        for block in blocks {
            if let Some(input) = block.get_mut("input") {
                *input = serde_json::json!({"limit": input["limit"], "command": input["command"]});
            }
        }
    }
    session.next_input();
    let outgoing = gateway.outgoing(incoming(session.dialect, session.body())).await;
    assert_eq!(header(&outgoing, "x-epitome-action"), Some("replayed"));
    assert_eq!(refusal(session.dialect, &outgoing.body), None);
    assert!(messages_of(&outgoing.body).len() < session.history.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_at_the_same_time_compact_once() {
    let store = Arc::new(MemoryStore::new());
    let gateway = gateway(store.clone());
    let (mut session, mut seen) = (Session::new(Dialect::OpenAiChat), Seen::default());
    loop {
        session.next_input();
        let body = session.body();
        let asked: Vec<_> = (0..8)
            .map(|_| {
                let (gateway, body, dialect) = (gateway.clone(), body.clone(), session.dialect);
                tokio::spawn(async move { gateway.outgoing(incoming(dialect, body)).await })
            })
            .collect();
        let mut bodies = Vec::new();
        let mut compacted = 0;
        for asked in asked {
            let outgoing = asked.await.unwrap();
            compacted += usize::from(header(&outgoing, "x-epitome-action") == Some("compacted"));
            bodies.push(outgoing.body);
        }
        bodies.dedup();
        assert_eq!(bodies.len(), 1, "all of them send the same");
        assert!(compacted <= 1);
        seen.compactions += compacted;
        if seen.compactions == 3 {
            break;
        }
        session.answer();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tenants_share_nothing() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let (mut session, mut seen) = (Session::new(Dialect::OpenAiChat), Seen::default());
    while header(&turn(&gateway, &mut session, &mut seen).await, "x-epitome-action") != Some("replayed") {}
    session.next_input();
    let mut theirs = incoming(session.dialect, session.body());
    theirs.tenant = Tenant::new("somebody else");
    // Their history is too long as well, and is compacted for them: nothing was found.
    assert_eq!(header(&gateway.outgoing(theirs).await, "x-epitome-action"), Some("compacted"));
    let ours = incoming(session.dialect, session.body());
    assert_eq!(header(&gateway.outgoing(ours).await, "x-epitome-action"), Some("replayed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_observed_is_not_changed() {
    let gateway = gateway_with(Arc::new(MemoryStore::new()), |setup| setup.observe = true);
    let mut session = Session::new(Dialect::AnthropicMessages);
    let mut saved = 0;
    for _ in 0..40 {
        session.next_input();
        let outgoing = gateway.outgoing(incoming(session.dialect, session.body())).await;
        assert_eq!(outgoing.body, session.body());
        assert_eq!(header(&outgoing, "x-epitome-reason"), Some("observe"));
        let size = |name| header(&outgoing, name).unwrap().parse::<u64>().unwrap();
        saved += size("x-epitome-tokens-before") - size("x-epitome-tokens-after");
        session.answer();
    }
    assert!(saved > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_a_session_gets_its_edits_and_no_more() {
    let store = Arc::new(MemoryStore::new());
    let gateway = gateway(store.clone());
    let (mut session, mut seen) = (Session::new(Dialect::AnthropicMessages), Seen::default());
    while header(&turn(&gateway, &mut session, &mut seen).await, "x-epitome-action") != Some("replayed") {}
    session.next_input();
    let mut count = incoming(session.dialect, session.body());
    count.purpose = Purpose::Count;
    let counted = gateway.outgoing(count).await;
    assert_eq!(header(&counted, "x-epitome-action"), Some("replayed"));
    let common =
        messages_of(&counted.body).into_iter().zip(&seen.messages).filter(|(now, before)| now == *before).count();
    assert_eq!(common, seen.messages.len());
    let id = SessionId::new(seen.session.unwrap());
    assert_eq!(store.compactions(&Tenant::only(), &id).await.unwrap().len(), seen.compactions);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_with_a_smaller_window_gets_less() {
    let gateway = gateway_with(Arc::new(MemoryStore::new()), |setup| setup.context_length = Some(Tokens(200_000)));
    let mut session = Session::new(Dialect::AnthropicMessages);
    for _ in 0..25 {
        session.next_input();
        session.answer();
    }
    session.next_input();
    let outgoing = gateway.outgoing(incoming(session.dialect, session.body())).await;
    assert_eq!(header(&outgoing, "x-epitome-action"), Some("untouched"));
    let told = Complaint::TooLong(TooLong { window: Some(20_000), ..TooLong::default() });
    let again = outgoing.turn.complained(told).await.expect("no error").expect("something smaller");
    assert_eq!(header(&again, "x-epitome-action"), Some("compacted"));
    assert!(again.body.len() < outgoing.body.len() / 2);
    // Whatever it says: what is sent next is smaller again.
    let once_more = again.turn.complained(told).await.expect("no error").expect("something smaller");
    assert!(once_more.body.len() < again.body.len());
}

/// A short session, and what a provider says of it.
async fn refused(gateway: &Gateway, tenant: &str, words: &str, error: &str) {
    let body = serde_json::json!({"model": "gpt-5.1", "messages": [{"role": "user", "content": words}]});
    let mut incoming = incoming(Dialect::OpenAiChat, body.to_string().into_bytes());
    incoming.tenant = Tenant::new(tenant);
    let outgoing = gateway.outgoing(incoming).await;
    let complaint = epitome_wire::asking::complaint(error.as_bytes());
    let told = Complaint::TooLong(complaint.too_long.expect("it is too long"));
    // There is nothing to shorten in it.
    assert!(outgoing.turn.complained(told).await.is_err());
}

/// What becomes of a session of about 12,000 tokens.
async fn action(gateway: &Gateway, tenant: &str) -> String {
    let mut session = Session::new(Dialect::OpenAiChat);
    for _ in 0..12 {
        session.next_input();
        session.answer();
    }
    session.next_input();
    let mut incoming = incoming(session.dialect, session.body());
    incoming.tenant = Tenant::new(tenant);
    header(&gateway.outgoing(incoming).await, "x-epitome-action").expect("an action").to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_is_learnt_for_one_tenant_and_only_from_the_providers_own_words() {
    let long = "batch worker import record ".repeat(2_200);
    let error =
        |words: &str| serde_json::json!({"error": {"message": words, "code": "context_length_exceeded"}}).to_string();
    let says = "This model's maximum context length is 8192 tokens. However, your messages resulted in 8820 tokens.";
    let learnt = |words: String, error: String| async move {
        let gateway = gateway_with(Arc::new(MemoryStore::new()), |setup| setup.context_length = Some(Tokens(100_000)));
        refused(&gateway, "one", &words, &error).await;
        assert_eq!(action(&gateway, "another").await, "untouched", "{error}");
        action(&gateway, "one").await == "compacted"
    };
    assert!(learnt(long.clone(), error(says)).await);
    // The client's own words, as they stand in the error.
    assert!(!learnt(format!("{long} {says}"), error(&format!("too long: {long} {says}"))).await);
    // Nothing in it is a window.
    assert!(!learnt(long.clone(), error("maximum context length exceeded by 4 tokens of 8820")).await);
    // It cannot be true of what was sent.
    let far = "This model's maximum context length is 2048 tokens. However, your messages resulted in 90000 tokens.";
    assert!(!learnt(long.clone(), error(far)).await);
    let larger =
        "This model's maximum context length is 100001 tokens. However, your messages resulted in 8820 tokens.";
    assert!(!learnt(long.clone(), error(larger)).await);
    let both = "This model's maximum context length is 9000 tokens. However, you requested 9820 tokens (8796 in the messages, 1024 in the completion).";
    assert!(learnt(long, error(both)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_understood_is_sent_as_it_came() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let cases = [
        (Dialect::OpenAiResponses, r#"{"input":[],"previous_response_id":"r1"}"#, "server_state"),
        (Dialect::OpenAiResponses, r#"{"input":[],"conversation":{"id":"c"}}"#, "server_state"),
        (Dialect::OpenAiChat, "not json", "unreadable"),
        (Dialect::OpenAiChat, r#"{"prompt":"x"}"#, "unreadable"),
        (Dialect::AnthropicMessages, r#"{"messages":[]}"#, "below_threshold"),
        (Dialect::AnthropicMessages, r#"{"messages":[{"role":"user","content":"hi"}]}"#, "below_threshold"),
    ];
    for (dialect, body, reason) in cases {
        let outgoing = gateway.outgoing(incoming(dialect, body.into())).await;
        assert_eq!(outgoing.body, body.as_bytes());
        assert_eq!((header(&outgoing, "x-epitome-reason"), outgoing.edited), (Some(reason), false), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn watching_thousands_of_sessions_keeps_their_edits_alone_and_no_more_than_there_is_room_for() {
    const SESSIONS: usize = 3_000;
    let gateway = gateway_with(Arc::new(MemoryStore::new()), |setup| {
        setup.observe = true;
        setup.context_length = Some(Tokens(4_000));
    });
    // What tools print is no text that compresses well.
    let noise = |session: usize, message: usize| -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&session.to_le_bytes()).update(&message.to_le_bytes());
        let mut bytes = vec![0; 1_500];
        hasher.finalize_xof().fill(&mut bytes);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let mut clients_bytes = 0;
    for session in 0..SESSIONS {
        let messages: Vec<Value> = (0..9)
            .map(|message| {
                let role = if message % 2 == 0 { "user" } else { "assistant" };
                serde_json::json!({"role": role, "content": noise(session, message)})
            })
            .collect();
        let body = serde_json::json!({"model": "gpt-5.1", "messages": messages}).to_string().into_bytes();
        clients_bytes += body.len();
        let outgoing = gateway.outgoing(incoming(Dialect::OpenAiChat, body)).await;
        let size = |name| header(&outgoing, name).unwrap().parse::<u64>().unwrap();
        assert!(size("x-epitome-tokens-after") < size("x-epitome-tokens-before"));
    }
    let held = gateway.watched_bytes();
    assert!(held > SESSIONS * 100, "{held} bytes: nothing was watched");
    assert!(held <= 32 << 20, "{held} bytes");
    assert!(held < clients_bytes / 10, "{held} bytes of {clients_bytes}");
}

impl Session {
    /// A request of the person, as the client spells it.
    pub(crate) fn ask(&mut self, text: &str) -> Value {
        let asked = self.message("user", "input_text", text);
        self.history.push(asked.clone());
        asked
    }

    /// The model ends its turn.
    pub(crate) fn conclude(&mut self, text: &str) {
        self.history.push(self.message("assistant", "output_text", text));
    }

    /// The harness says something behind the newest input.
    pub(crate) fn remind(&mut self, text: &str) {
        let role = if self.dialect == Dialect::OpenAiResponses { "developer" } else { "system" };
        self.history.push(self.message(role, "input_text", text));
    }

    fn message(&self, role: &str, part: &str, text: &str) -> Value {
        match self.dialect {
            Dialect::AnthropicMessages => json!({"role": role, "content": [{"type": "text", "text": text}]}),
            Dialect::OpenAiChat => json!({"role": role, "content": text}),
            Dialect::OpenAiResponses => {
                json!({"type": "message", "role": role, "content": [{"type": part, "text": text}]})
            }
        }
    }
}

/// A talk of so many messages, of so many lines each.
fn talk(messages: usize, lines: usize) -> Vec<Value> {
    let message = |index: usize| {
        let text: String = (0..lines).map(|line| format!("step {line} of part {index} is made\n")).collect();
        let role = if index.is_multiple_of(2) { "user" } else { "assistant" };
        json!({"role": role, "content": text})
    };
    (0..messages).map(message).collect()
}

async fn send_talk(gateway: &Gateway, messages: &[Value]) -> Outgoing {
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 1000, "system": "You are a careful agent.", "messages": messages,
    });
    gateway.outgoing(incoming(Dialect::AnthropicMessages, body.to_string().into_bytes())).await
}

/// A gateway whose compressor alone would wait for the whole window.
fn safety_net_alone(hygiene: bool) -> Gateway {
    gateway_with(Arc::new(MemoryStore::new()), |setup| {
        setup.policy.threshold = 1.0;
        setup.hygiene = hygiene;
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_safety_net_is_at_85_percent_of_the_window_from_four_messages_on() {
    for (messages, lines, hygiene, compacted) in
        [(9, 175, true, false), (9, 190, true, true), (9, 190, false, false), (3, 580, true, false)]
    {
        let outgoing = send_talk(&safety_net_alone(hygiene), &talk(messages, lines)).await;
        let case = format!("{messages} messages of {lines} lines, {hygiene}");
        let size: u64 = header(&outgoing, "x-epitome-tokens-before").expect("a size").parse().expect("a number");
        assert_eq!(size >= WINDOW * 85 / 100, lines > 175, "{case}: {size} tokens");
        assert!(size < WINDOW, "{case}: {size} tokens");
        assert_eq!(header(&outgoing, "x-epitome-action") == Some("compacted"), compacted, "{case}");
        if compacted {
            let left: u64 = header(&outgoing, "x-epitome-tokens-after").expect("a size").parse().expect("a number");
            assert!(left < WINDOW * 85 / 100, "{case}: {left} tokens are left");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_safety_net_goes_by_what_the_provider_reported() {
    for (prompt, compacted) in [(12_500, false), (22_000, true)] {
        let gateway = safety_net_alone(true);
        let mut messages = talk(9, 110);
        let first = send_talk(&gateway, &messages).await;
        assert_ne!(header(&first, "x-epitome-action"), Some("compacted"));
        first.turn.ended(End::Complete, Some(TurnUsage { prompt, ..TurnUsage::default() }));
        messages.push(json!({"role": "assistant", "content": "Done."}));
        messages.push(json!({"role": "user", "content": "Go on."}));
        let next = send_talk(&gateway, &messages).await;
        let is_compacted = header(&next, "x-epitome-action") == Some("compacted");
        assert_eq!(is_compacted, compacted, "{prompt} tokens were reported");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_safety_net_takes_the_place_of_the_compressor() {
    let store = Arc::new(MemoryStore::new());
    // Both are due: the compressor at half of the window, and the safety net.
    let outgoing = send_talk(&gateway(store.clone()), &talk(9, 190)).await;
    let id = SessionId::new(header(&outgoing, "x-epitome-session").expect("a name"));
    let compactions = store.compactions(&Tenant::only(), &id).await.unwrap();
    let reasons: Vec<&str> = compactions.iter().map(|(_, log)| log.reason.as_str()).collect();
    assert_eq!(reasons, ["the window is nearly full"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_removed_is_not_stored_where_originals_are_off() {
    let store = Arc::new(MemoryStore::new());
    let gateway = gateway_with(store.clone(), |setup| setup.keep_originals = false);
    let (mut session, mut seen) = (Session::new(Dialect::OpenAiChat), Seen::default());
    while seen.compactions == 0 {
        turn(&gateway, &mut session, &mut seen).await;
    }
    let id = SessionId::new(seen.session.unwrap());
    let compactions = store.compactions(&Tenant::only(), &id).await.unwrap();
    let removed = store.removed_by(&Tenant::only(), compactions[0].0.id).await.unwrap();
    assert!(removed.is_empty(), "{} originals are stored", removed.len());
}
