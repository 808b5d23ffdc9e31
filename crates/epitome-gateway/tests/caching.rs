//! What the gateway does for a provider's prompt cache, and what it says that a session cost.

#[expect(dead_code, reason = "other tests ask more of a session")]
mod session;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use epitome_core::budget::Policy;
use epitome_core::cache::{Place, Section, Ttl};
use epitome_core::catalogue::Catalogue;
use epitome_core::money::Dollars;
use epitome_core::tokens::Tokens;
use epitome_gateway::caching::{PromptCaching, Strategy};
use epitome_gateway::exchange::{End, Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_store::memory::MemoryStore;
use epitome_store::records::{SessionId, Tenant, Turn, TurnUsage};
use epitome_store::store::{SessionIndex, SessionStore};
use epitome_wire::caching::Layout;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use http::{HeaderMap, HeaderValue, Uri};
use serde_json::{Value, json};
use session::Session;

const MODEL: &str = "claude-sonnet-5";

struct World {
    gateway: Gateway,
    store: Arc<MemoryStore>,
    metrics: Arc<Metrics>,
    upstream: &'static str,
}

fn world(change: impl FnOnce(&mut Setup)) -> World {
    let store = Arc::new(MemoryStore::new());
    let metrics = Arc::new(Metrics::new());
    let mut setup = Setup::local(store.clone(), Policy::default(), metrics.clone());
    change(&mut setup);
    World { gateway: Gateway::new(setup), store, metrics, upstream: "http://127.0.0.1:1/v1/messages" }
}

impl World {
    async fn send(&self, dialect: Dialect, body: &Value) -> Outgoing {
        self.send_with(dialect, body.to_string().into_bytes(), HeaderMap::new()).await
    }

    async fn send_with(&self, dialect: Dialect, body: Vec<u8>, headers: HeaderMap) -> Outgoing {
        let incoming = Incoming {
            dialect,
            purpose: Purpose::Answer,
            tenant: Tenant::only(),
            owner: Tenant::only(),
            headers,
            upstream: Uri::from_static(self.upstream),
            body: Bytes::from(body),
        };
        self.gateway.outgoing(incoming).await
    }

    /// The calls of the only session, when all that were told to end are noted.
    async fn calls(&self, expected: usize) -> Vec<Turn> {
        let tenant = Tenant::only();
        loop {
            let sessions = self.store.sessions(&tenant, 10).await.expect("sessions");
            if let Some(session) = sessions.first() {
                let turns = self.store.turns(&tenant, &session.id).await.expect("calls");
                if turns.len() >= expected {
                    return turns;
                }
            }
            // Not to take the processor from what is waited for.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// A conversation of so many exchanges, in Anthropic's words.
fn request(exchanges: usize) -> Value {
    let text = |what: &str, number: usize| format!("{what} {number}: {}", "some words of it ".repeat(60));
    let mut messages = vec![json!({"role": "user", "content": text("question", 0)})];
    for number in 1..=exchanges {
        messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": text("answer", number)}]}));
        messages.push(json!({"role": "user", "content": text("question", number)}));
    }
    json!({"model": MODEL, "max_tokens": 100, "system": "Be brief. ".repeat(800), "messages": messages})
}

/// Where a request has markers, by what carries them, and for how long.
fn markers(dialect: Dialect, layout: Layout, body: &[u8]) -> Vec<String> {
    let request = Request::read(body.to_vec(), Format::Given(dialect), DuplicateKeys::Refuse).expect("a request");
    let prompt = request.cached(layout).prompt;
    let ttl = |ttl| if ttl == Ttl::Long { " 1h" } else { "" };
    let marked = prompt.blocks.iter().filter_map(|block| Some((block.section, block.marker?)));
    let blocks = marked.map(|(section, marker)| match section {
        Section::Tools => format!("tools{}", ttl(marker)),
        Section::System => format!("system{}", ttl(marker)),
        Section::Message(number) | Section::Instruction(number) => format!("{number}{}", ttl(marker)),
    });
    let automatic = prompt.automatic.filter(|_| layout != Layout::OpenAi).map(|_| format!("{:?}", Place::Automatic));
    blocks.chain(automatic).collect()
}

#[tokio::test]
async fn a_session_is_marked_where_it_was_written_and_where_it_grows() {
    let world = world(|_| {});
    let mut seen = Vec::new();
    for exchanges in [0, 1, 2, 3] {
        let outgoing = world.send(Dialect::AnthropicMessages, &request(exchanges)).await;
        outgoing.turn.ended(End::Complete, Some(TurnUsage { prompt: 5_000, ..TurnUsage::default() }));
        seen.push(markers(Dialect::AnthropicMessages, Layout::Messages, &outgoing.body).join(" "));
    }
    assert_eq!(seen, ["system 0", "system 0 2", "system 2 4", "system 4 6"]);
}

#[tokio::test]
async fn what_was_refused_was_not_written() {
    let world = world(|_| {});
    let first = world.send(Dialect::AnthropicMessages, &request(0)).await;
    first.turn.ended(End::Complete, Some(TurnUsage { prompt: 5_000, ..TurnUsage::default() }));
    world.send(Dialect::AnthropicMessages, &request(1)).await.turn.ended(End::Failed(Some(529)), None);
    let again = world.send(Dialect::AnthropicMessages, &request(1)).await;
    assert_eq!(markers(Dialect::AnthropicMessages, Layout::Messages, &again.body), ["system", "0", "2"]);
}

#[tokio::test]
async fn strategies_do_what_they_say() {
    for (strategy, ttl, expected) in [
        (Strategy::SystemAndThree, Ttl::Short, "system 4 5 6"),
        (Strategy::SystemAndThree, Ttl::Long, "system 1h 4 1h 5 1h 6 1h"),
        (Strategy::Stateful, Ttl::Long, "system 1h 4 1h 5 1h 6 1h"),
        (Strategy::Client, Ttl::Short, ""),
        (Strategy::Off, Ttl::Short, ""),
    ] {
        let world = world(|setup| setup.caching = PromptCaching { strategy, ttl, ..PromptCaching::default() });
        let outgoing = world.send(Dialect::AnthropicMessages, &request(3)).await;
        let found = markers(Dialect::AnthropicMessages, Layout::Messages, &outgoing.body).join(" ");
        assert_eq!(found, expected, "{strategy:?}");
    }
}

#[tokio::test]
async fn what_must_not_be_touched_is_sent_to_the_byte() {
    let body = request(3).to_string().into_bytes();
    let observe =
        HeaderMap::from_iter([(http::HeaderName::from_static("x-epitome"), HeaderValue::from_static("observe"))]);
    type Change = fn(&mut Setup);
    let cases: [(&str, Change, HeaderMap); 4] = [
        ("only observed", |setup| setup.observe = true, HeaderMap::new()),
        ("this one is only observed", |_| {}, observe),
        ("switched off", |setup| setup.caching.strategy = Strategy::Off, HeaderMap::new()),
        ("left to the client", |setup| setup.caching.strategy = Strategy::Client, HeaderMap::new()),
    ];
    for (why, change, headers) in cases {
        let outgoing = world(change).send_with(Dialect::AnthropicMessages, body.clone(), headers).await;
        assert!(outgoing.body == body && !outgoing.edited, "{why}");
        assert_eq!(header(&outgoing, "x-epitome-action"), Some("untouched"), "{why}");
    }
    // A model that takes no markers, and a prompt that is too short for them.
    let mut other = request(3);
    other["model"] = json!("kimi-k2");
    let short = json!({"model": MODEL, "system": "s", "messages": [{"role": "user", "content": "hi"}]});
    for body in [other, short] {
        let outgoing = world(|_| {}).send(Dialect::AnthropicMessages, &body).await;
        assert_eq!(outgoing.body, body.to_string());
    }
}

fn header<'a>(outgoing: &'a Outgoing, name: &str) -> Option<&'a str> {
    outgoing.answer_headers.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.to_str().ok())
}

#[tokio::test]
async fn without_compression_prompt_caching_goes_on() {
    let world = world(|setup| {
        setup.enabled = false;
        setup.context_length = Some(Tokens(4_000));
    });
    let mut seen = Vec::new();
    for exchanges in [0, 1, 9] {
        let outgoing = world.send(Dialect::AnthropicMessages, &request(exchanges)).await;
        let told =
            ["x-epitome-action", "x-epitome-reason"].map(|name| header(&outgoing, name).expect("told").to_owned());
        assert_eq!(told, ["marked", "off"]);
        outgoing.turn.ended(End::Complete, Some(TurnUsage { prompt: 5_000, ..TurnUsage::default() }));
        seen.push(markers(Dialect::AnthropicMessages, Layout::Messages, &outgoing.body).join(" "));
    }
    assert_eq!(seen, ["system 0", "system 0 2", "system 2 18"]);
    let turns = world.calls(3).await;
    assert!(turns.iter().all(|turn| turn.spending.expect("noted").paid > Dollars::ZERO));
    assert_eq!(turns.iter().map(|turn| turn.markers).collect::<Vec<_>>(), [2, 3, 3]);
}

#[tokio::test]
async fn a_call_that_got_markers_is_not_reported_as_untouched() {
    let world = world(|_| {});
    let outgoing = world.send(Dialect::AnthropicMessages, &request(1)).await;
    assert!(outgoing.edited);
    assert_eq!(header(&outgoing, "x-epitome-action"), Some("marked"));
    assert_eq!(header(&outgoing, "x-epitome-reason"), Some("below_threshold"));
    assert_eq!(header(&outgoing, "x-epitome-cache-markers"), Some("4"));
    outgoing.turn.ended(End::Complete, Some(TurnUsage { prompt: 5_000, ..TurnUsage::default() }));
    assert_eq!(world.calls(1).await[0].action, "marked");
    let metrics = world.metrics.to_string();
    assert!(metrics.contains("epitome_marked_total{reason=\"below_threshold\"} 1"), "{metrics}");
    assert!(!metrics.contains("epitome_untouched_total{"), "{metrics}");
}

#[tokio::test]
async fn a_client_with_four_markers_is_left_alone_and_none_gets_more_than_four() {
    let mark = json!({"type": "ephemeral"});
    for own in 0..=5 {
        let mut body = request(5);
        for number in 0..own {
            let text = body["messages"][2 * number]["content"].clone();
            body["messages"][2 * number]["content"] = json!([{"type": "text", "text": text, "cache_control": mark}]);
        }
        for strategy in [Strategy::Auto, Strategy::SystemAndThree] {
            let world = world(|setup| setup.caching.strategy = strategy);
            let outgoing = world.send(Dialect::AnthropicMessages, &body).await;
            let found = markers(Dialect::AnthropicMessages, Layout::Messages, &outgoing.body).len();
            assert!(found <= 4.max(own), "{own} of its own, {found} sent");
            assert_eq!(outgoing.edited, own < 4, "{own} of its own");
        }
    }
}

#[tokio::test]
async fn through_openrouter_the_end_is_marked_by_the_provider() {
    let world = World { upstream: "https://openrouter.ai/api/v1/chat/completions", ..world(|_| {}) };
    let call = json!({"id": "c", "type": "function", "function": {"name": "t", "arguments": "{}"}});
    let body = json!({"model": "anthropic/claude-sonnet-4.6", "messages": [
        {"role": "system", "content": "Be brief. ".repeat(2_000)},
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "out ".repeat(2_000)},
    ]});
    let outgoing = world.send(Dialect::OpenAiChat, &body).await;
    let found = markers(Dialect::OpenAiChat, Layout::OpenRouter, &outgoing.body);
    assert_eq!(found, ["system", "1", "2", "Automatic"]);
    // Elsewhere nobody knows what would become of them.
    let elsewhere = World { upstream: "http://127.0.0.1:1/v1/chat/completions", ..self::world(|_| {}) };
    assert_eq!(elsewhere.send(Dialect::OpenAiChat, &body).await.body, body.to_string());
}

#[tokio::test]
async fn openai_gets_a_key_and_where_it_has_them_breakpoints() {
    let body = |model: &str| {
        json!({"model": model, "instructions": "Be brief.", "input": [
            {"role": "developer", "content": "rules ".repeat(2_000)},
            {"role": "user", "content": "go"},
        ]})
    };
    let world = World { upstream: "https://api.openai.com/v1/responses", ..world(|_| {}) };
    let old = world.send(Dialect::OpenAiResponses, &body("gpt-4.1")).await;
    let keyed: Value = serde_json::from_slice(&old.body).expect("JSON");
    let mut without = keyed.clone();
    let key = without.as_object_mut().and_then(|request| request.shift_remove("prompt_cache_key")).expect("a key");
    assert_eq!(without, body("gpt-4.1"));
    let again = world.send(Dialect::OpenAiResponses, &body("gpt-4.1")).await;
    assert_eq!(again.body, old.body, "the same session has the same key, which is {key}");
    let new = world.send(Dialect::OpenAiResponses, &body("gpt-6-luna")).await;
    assert_eq!(markers(Dialect::OpenAiResponses, Layout::OpenAi, &new.body), ["system"]);
}

#[tokio::test]
async fn what_a_session_cost_is_noted_call_by_call() {
    let world = world(|_| {});
    let usages = [
        TurnUsage { prompt: 6_000, cache_write: 6_000, output: 100, ..TurnUsage::default() },
        TurnUsage { prompt: 7_400, cache_read: 6_000, cache_write: 1_400, output: 200, ..TurnUsage::default() },
    ];
    for (exchanges, usage) in usages.into_iter().enumerate() {
        let outgoing = world.send(Dialect::AnthropicMessages, &request(exchanges)).await;
        outgoing.turn.ended(End::Complete, Some(usage));
    }
    let turns = world.calls(2).await;
    let lookup = Catalogue::embedded().lookup(MODEL);
    let paid: Vec<Dollars> = usages.iter().map(|usage| usage.cost(lookup.facts()).expect("a price")).collect();
    let noted: Vec<Dollars> = turns.iter().map(|turn| turn.spending.expect("noted").paid).collect();
    assert_eq!(noted, paid);
    // Without us nothing would have been cached: dearer at first with us, cheaper then.
    let plain = |usage: &TurnUsage| TurnUsage { prompt: usage.prompt, output: usage.output, ..TurnUsage::default() };
    let without: Vec<Dollars> = turns.iter().map(|turn| turn.spending.expect("noted").without_us).collect();
    let first = plain(&usages[0]).cost(lookup.facts()).expect("a price");
    assert!((without[0] - first).as_f64().abs() < 0.001, "{} for {first}", without[0]);
    assert!(turns[0].spending.expect("noted").net() < Dollars::ZERO);
    assert!(turns[1].spending.expect("noted").net() > Dollars::ZERO);
    assert_eq!(turns.iter().map(|turn| turn.markers).collect::<Vec<_>>(), [2, 3]);
    let next = world.send(Dialect::AnthropicMessages, &request(2)).await;
    let header = |name: &str| header(&next, name)?.parse::<f64>().ok();
    let total: Dollars = paid.into_iter().sum();
    assert_eq!(
        header("x-epitome-session-cost-usd").map(Dollars::new),
        Some(Dollars::new((total.as_f64() * 1e6).round() / 1e6))
    );
    assert!(header("x-epitome-session-saved-usd").is_some());
}

#[tokio::test]
async fn what_breaks_a_clients_cache_is_named() {
    let world = world(|_| {});
    let at = |time: &str, exchanges: usize| {
        let mut body = request(exchanges);
        body["system"] = json!(format!("{}It is {time}. Go on.", "Be brief. ".repeat(800)));
        body
    };
    for (time, exchanges) in [("10:31:07", 0), ("10:31:07", 1), ("10:31:42", 2)] {
        let outgoing = world.send(Dialect::AnthropicMessages, &at(time, exchanges)).await;
        outgoing.turn.ended(End::Complete, Some(TurnUsage { prompt: 5_000, ..TurnUsage::default() }));
    }
    let broke: Vec<_> = world.calls(3).await.into_iter().map(|turn| turn.broke).collect();
    assert_eq!(broke[..2], [None, None]);
    let broke = broke[2].as_ref().expect("the time is another one");
    assert_eq!(broke.place, "system");
    assert!(broke.excerpt.contains("10:31:42") && broke.lost > Tokens(1_000), "{broke:?}");
    assert_eq!(broke.at, 8_000 / 64 * 64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_compacted_session_is_marked_at_its_summary_and_never_more_than_four_times() {
    for dialect in [Dialect::AnthropicMessages] {
        let world = world(|setup| {
            setup.context_length = Some(Tokens(24_000));
            setup.policy.protect_last_n = 3;
            // Summaries of a window this small are too short for the model.
            let all = format!(r#"{{"{MODEL}": {{"cache_min": 1}}}}"#);
            setup.catalogue = Catalogue::embedded().with_overrides(&all).expect("right");
        });
        let mut session = Session::new(dialect);
        let mut compacted = 0;
        for _ in 0..60 {
            session.next_input();
            let mut body: Value = serde_json::from_slice(&session.body()).expect("JSON");
            body["model"] = json!(MODEL);
            let outgoing = world.send(dialect, &body).await;
            let prompt = outgoing.body.len() as u64 / 4;
            outgoing.turn.ended(End::Complete, Some(TurnUsage { prompt, ..TurnUsage::default() }));
            let found = markers(dialect, Layout::Messages, &outgoing.body);
            assert!((1..=4).contains(&found.len()), "{found:?}");
            let request = Request::read(outgoing.body.to_vec(), Format::Given(dialect), DuplicateKeys::Refuse);
            let request = request.expect("a request");
            let ours = request.conversation().messages.iter().rposition(epitome_core::summary::is_ours);
            if let Some(summary) = ours {
                compacted += 1;
                assert!(found.contains(&summary.to_string()), "{found:?} without the summary {summary}");
            }
            session.answer();
        }
        assert!(compacted > 10, "{compacted}");
        let sessions = world.store.sessions(&Tenant::only(), 9).await.expect("sessions");
        let logs = world.store.logs(&Tenant::only(), None).await.expect("logs");
        assert!(logs.iter().all(|log| log.saved_by.values().sum::<i64>() > 0), "{logs:?}");
        let stored = world.store.session(&Tenant::only(), &SessionId::new(sessions[0].id.as_str())).await;
        assert!(stored.expect("stored").is_some());
    }
}
