//! Sessions that fill their window with what may not be touched, before a provider that counts exactly and refuses what does
//! not fit. Whatever can be made to fit is answered.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use epitome_core::budget::Policy;
use epitome_core::tokens::{BpeCounter, Precision, TokenCounter, Tokens, conversation_tokens};
use epitome_gateway::pipeline::{Gateway as Real, Setup};
use epitome_store::memory::MemoryStore;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use serde_json::{Value, json};

use crate::gateway::{Gateway, post, settings};
use crate::peer::{Head, Provider};

/// How the provider refuses.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    /// In its dialect's words, with the window and what was sent.
    Numbers,
    /// That it is too long, and no more.
    Nothing,
}

/// A provider with a window.
struct Strict {
    address: std::net::SocketAddr,
    refusals: Arc<AtomicUsize>,
}

/// A session as its client keeps it.
struct Session {
    dialect: Dialect,
    system: String,
    history: Vec<Value>,
    turns: usize,
}

impl Strict {
    async fn start(dialect: Dialect, window: u64, says: Says) -> Strict {
        let provider = Provider::start().await;
        let (address, refusals) = (provider.address, Arc::new(AtomicUsize::new(0)));
        let refused = refusals.clone();
        tokio::spawn(async move {
            loop {
                let mut call = provider.call().await;
                let prompt = tokens_of(dialect, &call.body().await);
                if prompt <= window {
                    call.answer("200 OK", "content-type: application/json\r\n", answer(dialect, prompt)).await;
                } else {
                    refused.fetch_add(1, Ordering::Relaxed);
                    let error = refusal(dialect, says, prompt, window);
                    call.answer("400 Bad Request", "content-type: application/json\r\n", error).await;
                }
            }
        });
        Strict { address, refusals }
    }

    fn refusals(&self) -> usize {
        self.refusals.load(Ordering::Relaxed)
    }
}

/// What a provider counts in a request: exactly, and in its own tokens.
fn tokens_of(dialect: Dialect, body: &[u8]) -> u64 {
    let request = Request::read(body.to_vec(), Format::Given(dialect), DuplicateKeys::Carry).expect("a request");
    let tokens = conversation_tokens(request.conversation(), &BpeCounter, Precision::Exact);
    match dialect {
        Dialect::AnthropicMessages => tokens.share(1.22).0,
        Dialect::OpenAiChat | Dialect::OpenAiResponses => tokens.0,
    }
}

fn answer(dialect: Dialect, prompt: u64) -> String {
    match dialect {
        Dialect::OpenAiChat => json!({
            "choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": prompt, "completion_tokens": 1},
        }),
        Dialect::AnthropicMessages => {
            json!({"content": [{"type": "text", "text": "ok"}], "usage": {"input_tokens": prompt, "output_tokens": 1}})
        }
        Dialect::OpenAiResponses => json!({"output": [], "usage": {"input_tokens": prompt, "output_tokens": 1}}),
    }
    .to_string()
}

fn refusal(dialect: Dialect, says: Says, prompt: u64, window: u64) -> String {
    let message = match (says, dialect) {
        (Says::Nothing, _) => "Your input exceeds the context window of this model.".to_owned(),
        (Says::Numbers, Dialect::AnthropicMessages) => {
            format!("prompt is too long: {prompt} tokens > {window} maximum")
        }
        (Says::Numbers, Dialect::OpenAiChat | Dialect::OpenAiResponses) => format!(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {prompt} tokens."
        ),
    };
    json!({"error": {"type": "invalid_request_error", "message": message}}).to_string()
}

/// Words that take so many tokens, and are not said elsewhere.
fn words(tokens: u64, of: &str) -> String {
    let mut text = format!("{of}:");
    let mut number = 0;
    while BpeCounter.count(&text) < Tokens(tokens) {
        for _ in 0..(tokens / 200).max(1) {
            const WORDS: [&str; 8] = ["batch", "worker", "import", "record", "retry", "queue", "shard", "limit"];
            text.push_str(&format!(" {} {}", WORDS[number % WORDS.len()], number % 97));
            number += 1;
        }
    }
    text
}

impl Session {
    fn new(dialect: Dialect, system: u64, first: u64) -> Session {
        let mut session = Session { dialect, system: words(system, "rules"), history: Vec::new(), turns: 0 };
        session.says("user", &words(first, "the task"));
        session
    }

    fn says(&mut self, role: &str, text: &str) {
        self.history.push(match self.dialect {
            Dialect::AnthropicMessages | Dialect::OpenAiChat => json!({"role": role, "content": text}),
            Dialect::OpenAiResponses => {
                let kind = if role == "user" { "input_text" } else { "output_text" };
                json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
            }
        });
    }

    /// The model asks for a tool, and that says so much.
    fn calls(&mut self, tokens: u64) {
        let (turn, id) = (self.turns, format!("call_{}", self.turns));
        self.turns += 1;
        let output = words(tokens, &format!("log {turn}"));
        let arguments = json!({"command": format!("cat logs/{turn}.log")});
        match self.dialect {
            Dialect::AnthropicMessages => self.history.extend([
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "shell", "input": arguments}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]}),
            ]),
            Dialect::OpenAiChat => self.history.extend([
                json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "shell", "arguments": arguments.to_string()}}]}),
                json!({"role": "tool", "tool_call_id": id, "content": output}),
            ]),
            Dialect::OpenAiResponses => self.history.extend([
                json!({"type": "function_call", "call_id": id, "name": "shell", "arguments": arguments.to_string()}),
                json!({"type": "function_call_output", "call_id": id, "output": output}),
            ]),
        }
    }

    fn body(&self) -> String {
        let messages = self.history.clone();
        match self.dialect {
            Dialect::AnthropicMessages => {
                json!({"model": "claude-sonnet-4-5", "max_tokens": 1000, "system": self.system, "messages": messages})
            }
            Dialect::OpenAiChat => {
                let all = [vec![json!({"role": "system", "content": self.system})], messages].concat();
                json!({"model": "gpt-5.1", "messages": all})
            }
            Dialect::OpenAiResponses => {
                json!({"model": "gpt-5.1", "instructions": self.system, "input": messages, "store": false})
            }
        }
        .to_string()
    }

    fn size(&self) -> u64 {
        tokens_of(self.dialect, self.body().as_bytes())
    }
}

/// A gateway that takes this for the window of every model.
async fn before(strict: &Strict, window: u64) -> Gateway {
    let settings = settings(strict.address);
    let policy = Policy { protect_last_n: 3, ..Policy::default() };
    let mut setup = Setup::local(Arc::new(MemoryStore::new()), policy, settings.metrics.clone());
    setup.context_length = Some(Tokens(window));
    Gateway::with(settings, Arc::new(Real::new(setup))).await
}

async fn send(gateway: &Gateway, session: &Session) -> (Head, Value) {
    let path = match session.dialect {
        Dialect::AnthropicMessages => "/v1/messages",
        Dialect::OpenAiChat => "/v1/chat/completions",
        Dialect::OpenAiResponses => "/v1/responses",
    };
    let (head, body) = gateway.ask_alone(post(path, "connection: close\r\n", &session.body())).await;
    (head, serde_json::from_slice(&body).expect("JSON"))
}

/// Sends it, and it is answered.
async fn is_answered(gateway: &Gateway, session: &Session, what: &str) {
    let (head, body) = send(gateway, session).await;
    assert_eq!(head.status(), 200, "{what}: {body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_above_nine_tenths_of_its_window_goes_on() {
    for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses] {
        let strict = Strict::start(dialect, 10_000, Says::Numbers).await;
        let gateway = before(&strict, 10_000).await;
        let mut session = Session::new(dialect, 20, 6_500);
        session.calls(2_400);
        for turn in 0..34 {
            is_answered(&gateway, &session, &format!("{dialect} {turn}")).await;
            session.calls(150);
        }
        assert_eq!(strict.refusals(), 0, "{dialect}");
        assert!(session.size() > 13_000);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_system_prompt_that_takes_nearly_the_whole_window_leaves_room_for_turns() {
    let strict = Strict::start(Dialect::OpenAiChat, 32_000, Says::Numbers).await;
    let gateway = before(&strict, 32_000).await;
    let mut session = Session::new(Dialect::OpenAiChat, 29_300, 60);
    for turn in 0..40 {
        is_answered(&gateway, &session, &turn.to_string()).await;
        session.calls(150);
    }
    assert_eq!(strict.refusals(), 0);
    assert!(session.size() > 35_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_run_in_a_window_little_larger_than_what_may_not_be_touched_is_never_refused() {
    for dialect in Dialect::ALL {
        for percent in [115, 120, 130, 150] {
            let mut session = Session::new(dialect, 2_000, 3_000);
            session.calls(4_000);
            let window = session.size() * percent / 100;
            let strict = Strict::start(dialect, window, Says::Numbers).await;
            let gateway = before(&strict, window).await;
            for turn in 0..30 {
                is_answered(&gateway, &session, &format!("{dialect} {percent} {turn}")).await;
                session.calls([4_000, 150, 1_200][turn % 3]);
            }
            assert_eq!(strict.refusals(), 0, "{dialect}, {percent} %");
            assert!(session.size() > 3 * window);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_nobody_tells_is_found_by_sending_less() {
    for dialect in Dialect::ALL {
        let strict = Strict::start(dialect, 8_000, Says::Nothing).await;
        let gateway = before(&strict, 200_000).await;
        let mut session = Session::new(dialect, 200, 300);
        for _ in 0..40 {
            session.calls(1_000);
        }
        for turn in 0..6 {
            is_answered(&gateway, &session, &format!("{dialect} {turn}")).await;
            session.calls(500);
        }
        assert!((1..=4).contains(&strict.refusals()), "{dialect}: {}", strict.refusals());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_is_told_is_learnt() {
    for dialect in Dialect::ALL {
        let strict = Strict::start(dialect, 8_000, Says::Numbers).await;
        let gateway = before(&strict, 200_000).await;
        let mut session = Session::new(dialect, 200, 300);
        session.calls(10_000);
        for turn in 0..30 {
            is_answered(&gateway, &session, &format!("{dialect} {turn}")).await;
            session.calls(500);
        }
        assert_eq!(strict.refusals(), 1, "{dialect}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_made_smaller_is_answered_with_an_error_that_clients_understand() {
    for dialect in Dialect::ALL {
        for says in [Says::Numbers, Says::Nothing] {
            let strict = Strict::start(dialect, 10_000, says).await;
            let gateway = before(&strict, 10_000).await;
            let session = Session::new(dialect, 200, 12_000);
            let (head, body) = send(&gateway, &session).await;
            assert_eq!((head.status(), head.value("x-epitome-error")), (400, Some("prompt_too_long")), "{body}");
            assert_eq!(head.value("x-epitome-reason"), Some("nothing_to_do"));
            let message = body["error"]["message"].as_str().expect("a message");
            assert!(message.starts_with("prompt is too long"), "{message}");
            assert!(message.contains("the newest exchange"), "{message}");
            match dialect {
                Dialect::AnthropicMessages => {
                    assert_eq!(body["type"], "error");
                    assert_eq!(body["error"]["type"], "invalid_request_error");
                }
                Dialect::OpenAiChat | Dialect::OpenAiResponses => {
                    assert_eq!(body["error"]["code"], "context_length_exceeded");
                }
            }
            assert_eq!(message.contains("> 10000 maximum"), says == Says::Numbers, "{message}");
            assert_eq!(strict.refusals(), 1, "nothing was sent again in vain");
        }
    }
}
