//! Thinking that a provider binds to its prompt: whatever is compacted, no client sees a request refused for it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use epitome_core::budget::Policy;
use epitome_core::tokens::Tokens;
use epitome_gateway::caching::{PromptCaching, Strategy};
use epitome_gateway::exchange::{Complaint, Incoming, Outgoing, Pipeline, Purpose};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_store::memory::MemoryStore;
use epitome_store::records::Tenant;
use epitome_wire::Dialect;
use epitome_wire::asking::AboutThinking;
use http::{HeaderMap, HeaderValue, Uri};
use serde_json::{Value, json};

const WINDOW: u64 = 24_000;
const BETA: &str = "thinking-binding-controls-2026-08-01";

fn gateway(store: Arc<MemoryStore>) -> Gateway {
    let policy = Policy { protect_last_n: 3, ..Policy::default() };
    Gateway::new(Setup {
        context_length: Some(Tokens(WINDOW)),
        max_wait: Duration::from_secs(1),
        // The provider below binds thinking to bytes, markers among them.
        caching: PromptCaching { strategy: Strategy::Client, ..PromptCaching::default() },
        ..Setup::local(store, policy, Arc::new(Metrics::new()))
    })
}

/// A provider that binds thinking.
#[derive(Clone, Copy, PartialEq)]
enum Provider {
    /// It can be asked to leave out what does not fit.
    Asks,
    /// It does not know what it is asked for.
    Strict,
    /// It neither binds thinking nor knows what it is asked for.
    Unaware,
}

/// A client that works in turns: a wish, some calls, an answer.
#[derive(Clone)]
struct Client {
    model: &'static str,
    history: Vec<Value>,
    steps: usize,
    calls_in_turn: usize,
    /// Told apart from others that begin alike.
    branch: &'static str,
}

/// What was seen of a session.
#[derive(Default)]
struct Seen {
    prompt: Vec<Value>,
    compactions: usize,
    complaints: usize,
    /// Requests that were sent with something left out by the provider.
    dropped: usize,
}

impl Client {
    fn new(model: &'static str, calls_in_turn: usize) -> Client {
        Client { model, history: Vec::new(), steps: 0, calls_in_turn, branch: "main" }
    }

    fn next_input(&mut self) {
        let called =
            self.history.last().and_then(|last| last["content"].as_array()?.last()).map(|last| last["id"].clone());
        let content = match called {
            Some(Value::String(id)) => {
                let rows: String =
                    (0..60).map(|row| format!("{row:04} INFO step {} rows={}\n", self.steps, row * 13)).collect();
                json!([{"type": "tool_result", "tool_use_id": id, "content": rows}])
            }
            _ => {
                json!([{"type": "text", "text": format!("Task {}: look at the next logs of {}.", self.steps, self.branch)}])
            }
        };
        self.history.push(json!({"role": "user", "content": content}));
    }

    fn answer(&mut self, bound_to: &str) {
        let step = self.steps;
        self.steps += 1;
        let thought =
            json!({"type": "thinking", "thinking": format!("What does log {step} say?"), "signature": bound_to});
        let branch = self.branch;
        let said = if step % self.calls_in_turn == self.calls_in_turn - 1 {
            json!({"type": "text", "text": format!("Step {step} of {} is done.", self.branch)})
        } else {
            json!({"type": "tool_use", "id": format!("call_{step}"), "name": "shell", "input": {"command": format!("cat {branch}/{step}.log")}})
        };
        self.history.push(json!({"role": "assistant", "content": [thought, said]}));
    }

    fn body(&self) -> String {
        json!({
            "model": self.model, "max_tokens": 1000, "system": "You are careful.",
            "thinking": {"type": "enabled", "budget_tokens": 1024}, "messages": self.history,
        })
        .to_string()
    }
}

fn messages(body: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(body).expect("as it was made");
    body["messages"].as_array().expect("as it was made").clone()
}

fn name(prompt: &[Value]) -> String {
    let mut hasher = DefaultHasher::new();
    for message in prompt {
        message.to_string().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

impl Provider {
    /// Whether it answers, and how much of the thinking it had to leave out.
    fn judge(self, outgoing: &Outgoing) -> Result<usize, AboutThinking> {
        let body: Value = serde_json::from_slice(&outgoing.body).expect("as it was made");
        let behavior = &body["thinking"]["block_binding"]["prefix_mismatch_behavior"];
        let has_beta = outgoing.upstream_headers.iter().any(|(name, value)| {
            name == "anthropic-beta" && value.to_str().expect("as it was made").split(',').any(|beta| beta == BETA)
        });
        assert_eq!(*behavior == "drop_block", has_beta, "one is nothing without the other");
        if self != Provider::Asks && has_beta {
            return Err(AboutThinking::NoEscape);
        }
        let messages = messages(&outgoing.body);
        let thoughts = |index: usize| {
            messages[index]["content"]
                .as_array()
                .expect("as it was made")
                .iter()
                .filter(|block| block["type"] == "thinking")
        };
        let wrong = (0..messages.len())
            .flat_map(|index| thoughts(index).map(move |thought| (index, thought)))
            .filter(|(index, thought)| thought["signature"] != name(&messages[..*index]))
            .count();
        let answers = messages.last().expect("as it was made")["content"][0]["type"] == "tool_result";
        assert!(!answers || thoughts(messages.len() - 2).count() == 1, "the turn in progress keeps its thinking");
        match self {
            Provider::Unaware => Ok(0),
            Provider::Asks | Provider::Strict if wrong > 0 && !has_beta => Err(AboutThinking::Bound),
            Provider::Asks | Provider::Strict => Ok(wrong),
        }
    }
}

fn header<'a>(outgoing: &'a Outgoing, name: &str) -> Option<&'a str> {
    let found = outgoing.answer_headers.iter().find(|(known, _)| known == name);
    found.and_then(|(_, value)| value.to_str().ok())
}

/// One turn of the client's: it sees an answer, whatever the provider complained about before.
async fn turn(gateway: &Gateway, provider: Provider, client: &mut Client, seen: &mut Seen) {
    client.next_input();
    let mut headers = HeaderMap::new();
    headers.insert("x-claude-code-session-id", HeaderValue::from_static("s"));
    let incoming = Incoming {
        dialect: Dialect::AnthropicMessages,
        purpose: Purpose::Answer,
        tenant: Tenant::only(),
        owner: Tenant::only(),
        headers,
        upstream: Uri::from_static("http://127.0.0.1:1/"),
        body: Bytes::from(client.body()),
    };
    let mut outgoing = gateway.outgoing(incoming).await;
    let mut compacted = header(&outgoing, "x-epitome-action") == Some("compacted");
    let mut refused = 0;
    loop {
        match provider.judge(&outgoing) {
            Ok(dropped) => {
                seen.dropped += dropped;
                break;
            }
            Err(about) => {
                refused += 1;
                assert!(refused < 5, "it is sent a few times at most");
                let again = outgoing.turn.complained(Complaint::Thinking(about)).await.expect("no error of ours");
                outgoing = again.unwrap_or_else(|| panic!("a client sees {about:?} at step {}", client.steps));
                compacted |= header(&outgoing, "x-epitome-action") == Some("compacted");
            }
        }
    }
    seen.complaints += refused;
    seen.compactions += usize::from(compacted);
    let after: u64 =
        header(&outgoing, "x-epitome-tokens-after").expect("as it was made").parse().expect("as it was made");
    assert!(after < WINDOW, "{after} tokens are sent");
    let prompt = messages(&outgoing.body);
    if !compacted && refused == 0 {
        let common = prompt.iter().zip(&seen.prompt).take_while(|(now, before)| now == before).count();
        assert_eq!(common, seen.prompt.len(), "the prefix moved without a compaction, step {}", client.steps);
    }
    client.answer(&name(&prompt));
    seen.prompt = prompt;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_known_to_bind_is_asked_to_drop_from_the_first_compaction_on() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let (mut client, mut seen) = (Client::new("claude-opus-5-5", 500), Seen::default());
    for _ in 0..80 {
        turn(&gateway, Provider::Asks, &mut client, &mut seen).await;
    }
    assert_eq!(seen.complaints, 0);
    assert!(seen.compactions >= 2 && seen.dropped > 0, "{} compactions, {} dropped", seen.compactions, seen.dropped);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_provider_complains_about_is_learnt_and_outlives_a_restart() {
    let store = Arc::new(MemoryStore::new());
    let (mut client, mut seen) = (Client::new("another-thinker", 500), Seen::default());
    for _ in 0..80 {
        turn(&gateway(store.clone()), Provider::Asks, &mut client, &mut seen).await;
    }
    assert_eq!(seen.complaints, 1);
    assert!(seen.compactions >= 2 && seen.dropped > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_may_bind_is_asked_to_drop_and_a_provider_that_knows_nothing_of_it_is_not_asked_again() {
    let (mut client, mut seen) = (Client::new("claude-sonnet-4-5", 500), Seen::default());
    let store = Arc::new(MemoryStore::new());
    for _ in 0..80 {
        turn(&gateway(store.clone()), Provider::Asks, &mut client, &mut seen).await;
    }
    assert_eq!(seen.complaints, 0);
    assert!(seen.compactions >= 2 && seen.dropped > 0, "{} compactions, {} dropped", seen.compactions, seen.dropped);

    let (mut client, mut seen) = (Client::new("claude-sonnet-4-5", 500), Seen::default());
    let gateway = gateway(Arc::new(MemoryStore::new()));
    for _ in 0..80 {
        turn(&gateway, Provider::Unaware, &mut client, &mut seen).await;
    }
    assert_eq!(seen.complaints, 1);
    let thoughts = seen.prompt.iter().filter(|message| message["content"][0]["type"] == "thinking").count();
    assert!(seen.compactions >= 2 && thoughts > 2, "{} compactions, {thoughts} thoughts", seen.compactions);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_cannot_be_asked_gets_no_thinking_of_finished_turns() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let (mut client, mut seen) = (Client::new("claude-opus-5-5", 5), Seen::default());
    for _ in 0..100 {
        turn(&gateway, Provider::Strict, &mut client, &mut seen).await;
    }
    assert!(seen.compactions >= 3, "{} compactions", seen.compactions);
    assert_eq!(seen.dropped, 0);
    // Once it is known, compactions wait for the end of their turn and nothing is refused any more.
    assert!(seen.complaints <= 12, "{} complaints", seen.complaints);
    let before = seen.complaints;
    let compactions = seen.compactions;
    for _ in 0..100 {
        turn(&gateway, Provider::Strict, &mut client, &mut seen).await;
    }
    assert_eq!(seen.complaints, before);
    assert!(seen.compactions > compactions);
    let thoughts = |message: &Value| message["content"][0]["type"] == "thinking";
    assert!(seen.prompt.iter().any(thoughts), "what was thought since is still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewind_finds_nothing_that_leaves_out_the_thinking_of_its_own_turn() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let (mut client, mut seen) = (Client::new("claude-opus-5-5", 5), Seen::default());
    let mut earlier = Vec::new();
    for _ in 0..90 {
        turn(&gateway, Provider::Strict, &mut client, &mut seen).await;
        earlier.push((client.clone(), seen.prompt.clone()));
    }
    for back_to in [2, 13, 33, 47, 61, 74, 88] {
        let (mut client, prompt) = earlier[back_to].clone();
        client.branch = "another way";
        let mut seen = Seen { prompt, ..Seen::default() };
        for _ in 0..7 {
            turn(&gateway, Provider::Strict, &mut client, &mut seen).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_not_edited_is_not_touched() {
    let gateway = gateway(Arc::new(MemoryStore::new()));
    let mut client = Client::new("claude-opus-5-5", 5);
    client.next_input();
    client.answer("of another conversation");
    client.next_input();
    let incoming = Incoming {
        dialect: Dialect::AnthropicMessages,
        purpose: Purpose::Answer,
        tenant: Tenant::only(),
        owner: Tenant::only(),
        headers: HeaderMap::new(),
        upstream: Uri::from_static("http://127.0.0.1:1/"),
        body: Bytes::from(client.body()),
    };
    let outgoing = gateway.outgoing(incoming).await;
    assert_eq!((outgoing.body.as_ref(), outgoing.edited), (client.body().as_bytes(), false));
    assert!(outgoing.upstream_headers.is_empty());
    // And what the provider complains about then is not our doing.
    assert!(matches!(outgoing.turn.complained(Complaint::Thinking(AboutThinking::Bound)).await, Ok(None)));
}
