//! An agent, a gateway, a provider and a model that writes summaries, each on a socket of its own.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use epitome_core::budget::Policy;
use epitome_core::catalogue::Catalogue;
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::places::Places;
use epitome_core::tokens::{RoughCounter, Tokens};
use epitome_gateway::auth::{Auth, Secret};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_gateway::readiness::EngineNames;
use epitome_gateway::server::{Limits, Server, Settings};
use epitome_gateway::upstream::{Upstream, Upstreams};
use epitome_gateway::writer::Writer;
use epitome_provider::cooldown::Cooldown;
use epitome_provider::http::{Http, whole};
use epitome_provider::retry::Retry;
use epitome_provider::{self as provider, Endpoint, ModelSummarizer};
use epitome_store::memory::MemoryStore;
use epitome_store::records::{CompactionLog, SessionId, Tenant, Turn};
use epitome_store::store::{SessionIndex, SessionStore};
use epitome_wire::asking::AskDialect;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use http::{HeaderMap, Method, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::fault_server::{Act, Asked, Server as Scripted};
use crate::session::{Session, messages_of, refusal};

pub(crate) const WINDOW: u64 = 24_000;
/// A preparation begins at this share of what triggers a compaction.
pub(crate) const PREPARE_AT: f64 = 0.7;
/// Who waits does not take the processor from what it waits for.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// What models write here. Its words are plain, so that none of them is looked up.
pub(crate) fn summary(told: &str) -> String {
    format!("## Goal\n- find out why records are dropped\n## Critical Context\n- {told}\n")
}

/// A gateway that listens.
pub(crate) struct World {
    pub(crate) gateway: Gateway,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) store: Arc<MemoryStore>,
    address: std::net::SocketAddr,
    http: Http,
    provider: Scripted,
}

/// What became of a request.
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

impl Answered {
    pub(crate) fn action(&self) -> &str {
        self.headers.get("x-epitome-action").and_then(|action| action.to_str().ok()).unwrap_or_default()
    }

    fn session(&self) -> SessionId {
        SessionId::new(self.headers["x-epitome-session"].to_str().expect("a name").to_owned())
    }
}

/// Whether a request is ours, for a summary.
pub(crate) fn is_about_a_summary(asked: &Asked) -> bool {
    asked.body.to_string().contains("## Goal (")
}

/// What a provider counts in a request.
fn prompt_of(asked: &Asked) -> u64 {
    asked.body.to_string().len() as u64 / 3
}

/// A provider that answers turns, and reports what they took and what of that it had in its cache.
pub(crate) fn turn(dialect: Dialect, asked: &Asked, cached: bool) -> Act {
    let prompt = prompt_of(asked);
    let read = if cached { prompt / 2 } else { 0 };
    let answer = match dialect {
        Dialect::OpenAiChat => json!({
            "choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": prompt, "prompt_tokens_details": {"cached_tokens": read}, "completion_tokens": 1},
        }),
        Dialect::AnthropicMessages => json!({
            "content": [{"type": "text", "text": "ok"}],
            "usage": {"input_tokens": prompt - read, "cache_read_input_tokens": read, "output_tokens": 1},
        }),
        Dialect::OpenAiResponses => json!({
            "output": [],
            "usage": {"input_tokens": prompt, "input_tokens_details": {"cached_tokens": read}, "output_tokens": 1},
        }),
    };
    Act::Status(200, vec![("content-type", "application/json".to_owned())], answer.to_string())
}

/// A provider that does nothing else.
pub(crate) async fn provider(dialect: Dialect) -> Scripted {
    Scripted::answering(Arc::new(move |asked: &Asked, _: usize| turn(dialect, asked, false))).await
}

/// A model of its own that writes summaries.
pub(crate) fn model_at(server: &Scripted) -> Writer {
    let settings = provider::Settings {
        model: Some("scripted".to_owned()),
        context_length: Some(Tokens(60_000)),
        progress: Duration::from_secs(20),
        retry: Retry { first: Duration::from_millis(2), longest: Duration::from_millis(4), ..Retry::default() },
        cooldown: Cooldown { after: 99, ..Cooldown::default() },
        max_spend: None,
    };
    let endpoint = Endpoint::new(AskDialect::OpenAiChat, &server.base_url, None).expect("an address");
    let summarizer = ModelSummarizer::new(endpoint, settings, &Catalogue::embedded(), Arc::new(RoughCounter));
    Writer::Model(Arc::new(summarizer.expect("no certificates are needed")))
}

impl World {
    /// A gateway before a provider, whose summaries `writer` writes ahead.
    pub(crate) async fn start(provider: &Scripted, writer: Writer, change: impl FnOnce(&mut Setup)) -> World {
        World::beside(Arc::new(MemoryStore::new()), provider, writer, change).await
    }

    /// The same, on a store that others use too.
    pub(crate) async fn beside(
        store: Arc<MemoryStore>,
        provider: &Scripted,
        writer: Writer,
        change: impl FnOnce(&mut Setup),
    ) -> World {
        let policy = Policy { protect_last_n: 3, ..Policy::default() };
        let metrics = Arc::new(Metrics::new());
        let mut setup = Setup {
            context_length: Some(Tokens(WINDOW)),
            writer,
            max_wait: Duration::from_secs(60),
            prepare_at: Some(PREPARE_AT),
            ..Setup::local(store.clone(), policy, metrics.clone())
        };
        change(&mut setup);
        let compute = setup.compute.clone();
        let gateway = Gateway::new(setup);
        let settings = Settings {
            listen: "127.0.0.1:0".parse().expect("an address"),
            upstreams: Upstreams::one(Upstream::new(&provider.base_url).expect("an address")),
            auth: Auth::Loopback,
            secret: Secret([1; 32]),
            limits: Limits::default(),
            metrics: metrics.clone(),
            compute,
            ready: Arc::new(|| Ok(())),
            engine: EngineNames { wanted: "compressor".to_owned(), used: "compressor".to_owned() },
            pages: None,
        };
        let server = Server::bind(settings, Arc::new(gateway.clone())).await.expect("it starts");
        let address = server.address();
        tokio::spawn(server.serve(std::future::pending()));
        World { gateway, metrics, store, address, http: Http::plain(), provider: provider.clone() }
    }

    /// Sends the next turn of a session. Whatever happens behind it, the agent is answered.
    pub(crate) async fn turn(&self, session: &mut Session) -> Answered {
        self.turn_with(session, &[("authorization", "Bearer theirs")]).await
    }

    pub(crate) async fn turn_with(&self, session: &mut Session, headers: &[(&str, &str)]) -> Answered {
        session.next_input();
        let path = match session.dialect {
            Dialect::OpenAiChat => "chat/completions",
            Dialect::AnthropicMessages => "messages",
            Dialect::OpenAiResponses => "responses",
        };
        let uri = format!("http://{}/v1/{path}", self.address);
        let mut request = http::Request::builder().method(Method::POST).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(whole(Bytes::from(session.body()))).expect("a request");
        let response = self.http.send(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        body.collect().await.expect("a whole answer");
        session.answer();
        let answered = Answered { status: parts.status, headers: parts.headers };
        assert_eq!(answered.status, StatusCode::OK);
        answered
    }

    /// Goes on until a request is compacted.
    pub(crate) async fn until_compacted(&self, session: &mut Session) -> Answered {
        for _ in 0..60 {
            let answered = self.turn(session).await;
            if answered.action() == "compacted" {
                return answered;
            }
        }
        panic!("nothing was compacted");
    }

    /// Goes on until a turn is so large that its session's compaction is prepared.
    pub(crate) async fn until_large(&self, session: &mut Session) {
        for _ in 0..60 {
            let answered = self.turn(session).await;
            assert_ne!(answered.action(), "compacted", "it was never large enough");
            let turns = self.provider.asked();
            let turn = turns.iter().rfind(|asked| !is_about_a_summary(asked)).expect("a turn");
            if prompt_of(turn) >= (WINDOW as f64 * 0.5 * PREPARE_AT) as u64 {
                return;
            }
        }
        panic!("it was never large enough");
    }

    /// Goes on until a model was asked so often to prepare a compaction.
    pub(crate) async fn until_asked(&self, session: &mut Session, model: &Scripted, times: usize) {
        self.until_large(session).await;
        model.until_asked(times).await;
    }

    /// Waits until something is prepared for a session.
    pub(crate) async fn until_prepared(&self, session: &Session) {
        let prefixes = prefixes(session);
        while self.store.prepared(&Tenant::only(), &prefixes).await.expect("a store").is_none() {
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Whether somebody holds the lease of a session's first preparation.
    pub(crate) async fn is_leased(&self, session: &Session) -> bool {
        let (tenant, first) = (Tenant::only(), prefixes(session)[0]);
        // A minute after the last turn that was noted a lease has not ended by itself, and one that was given back has.
        let noted = self.store.sessions(&tenant, 1).await.expect("a store");
        let later = noted[0].last_ms + 60_000;
        // Who looks takes it if it is free, and must keep nobody from it.
        let ended_long_ago = 0;
        !self.store.lease(&tenant, first, "somebody", later, ended_long_ago).await.expect("a store")
    }

    /// Waits until nobody holds the lease of a session's first preparation.
    pub(crate) async fn until_given_back(&self, session: &Session) {
        while self.is_leased(session).await {
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// How the compactions of a session went, latest last.
    pub(crate) async fn logs(&self, answered: &Answered) -> Vec<CompactionLog> {
        let compactions = self.store.compactions(&Tenant::only(), &answered.session()).await.expect("a store");
        compactions.into_iter().map(|(_, log)| log).collect()
    }

    /// The words that the first compaction of a session removed.
    pub(crate) async fn removed(&self, answered: &Answered) -> Vec<String> {
        let compactions = self.store.compactions(&Tenant::only(), &answered.session()).await.expect("a store");
        let originals = self.store.removed_by(&Tenant::only(), compactions[0].0.id).await.expect("a store");
        originals.into_iter().map(|original| original.words).collect()
    }

    /// How many turns of a session are noted, when it is that many. A turn is noted behind its answer.
    pub(crate) async fn turns(&self, answered: &Answered, at_least: usize) -> usize {
        loop {
            let turns = self.store.turns(&Tenant::only(), &answered.session()).await.expect("a store");
            let of_the_client = turns.iter().filter(|turn| turn.action != Turn::SUMMARY).count();
            if of_the_client >= at_least {
                return of_the_client;
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// A line of the metrics.
    pub(crate) fn metric(&self, line: &str) -> bool {
        self.metrics.to_string().lines().any(|found| found == line)
    }
}

/// The names of a session's history.
fn prefixes(session: &Session) -> Vec<PrefixFingerprint> {
    let format = Format::Given(session.dialect);
    let request = Request::read(session.body(), format, DuplicateKeys::Carry).expect("a request");
    request.prefixes(&Places::of(request.conversation()))
}

/// Checks what a provider got: valid, and between two compactions each request begins with the one before.
pub(crate) fn check_prefixes(dialect: Dialect, asked: &[Asked]) {
    let mut before: Vec<Value> = Vec::new();
    let mut compactions = 0;
    for asked in asked {
        let body = asked.body.to_string();
        assert_eq!(refusal(dialect, body.as_bytes()), None);
        let now = messages_of(body.as_bytes());
        if !now.starts_with(&before) {
            assert!(now.len() < before.len() || body.contains("CONTEXT COMPACTION"), "the prefix moved");
            compactions += 1;
        }
        before = now;
    }
    assert!(compactions >= 1, "nothing was compacted");
}
