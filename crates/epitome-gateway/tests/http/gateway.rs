//! A gateway with a pipeline that does what a test says.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

use std::net::SocketAddr;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use epitome_gateway::auth::{Auth, Secret};
use epitome_gateway::compute::Compute;
use epitome_gateway::exchange::{Complaint, End, Incoming, Outgoing, Pipeline, Turn};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::readiness::EngineNames;
use epitome_gateway::respond::Trouble;
use epitome_gateway::server::{Limits, Server, Settings, Stopped};
use epitome_gateway::upstream::{Upstream, Upstreams};
use epitome_store::records::TurnUsage;
use http::{HeaderName, HeaderValue};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::peer::{Call, Head, Peer, Provider};

/// What the pipeline does.
#[derive(Clone, Default)]
pub(crate) enum Script {
    /// Sends what came.
    #[default]
    Nothing,
    /// Sends this instead.
    Edits(&'static str),
    /// Sends what came, and this if it is too long; and this if that is too long.
    Shortens(Vec<&'static str>),
    /// Sends what came; says this if it is too long.
    CannotShorten(Trouble),
    /// Has a fault.
    Panics,
}

/// What was told when a call had ended: which turn, how, and what it used.
pub(crate) type Told = (&'static str, End, Option<TurnUsage>);

pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) seen: mpsc::UnboundedReceiver<Incoming>,
    pub(crate) told: mpsc::UnboundedReceiver<Told>,
    stop: oneshot::Sender<()>,
    running: JoinHandle<Stopped>,
}

pub(crate) fn settings(upstream: SocketAddr) -> Settings {
    let metrics = Arc::new(Metrics::new());
    Settings {
        listen: "127.0.0.1:0".parse().expect("an address"),
        upstreams: Upstreams::one(Upstream::new(&format!("http://{upstream}")).expect("an address")),
        auth: Auth::Loopback,
        secret: Secret([1; 32]),
        limits: Limits::default(),
        compute: Compute::usual(metrics.clone()),
        metrics,
        ready: Arc::new(|| Ok(())),
        engine: EngineNames { wanted: "compressor".to_owned(), used: "compressor".to_owned() },
        pages: None,
    }
}

impl Gateway {
    pub(crate) async fn before(provider: &Provider) -> Gateway {
        Gateway::start(settings(provider.address), Script::Nothing).await
    }

    pub(crate) async fn scripted(provider: &Provider, script: Script) -> Gateway {
        Gateway::start(settings(provider.address), script).await
    }

    pub(crate) async fn start(settings: Settings, script: Script) -> Gateway {
        let (seeing, seen) = mpsc::unbounded_channel();
        let (telling, told) = mpsc::unbounded_channel();
        let pipeline = Arc::new(Scripted { script, seeing, telling });
        Gateway { seen, told, ..Gateway::with(settings, pipeline).await }
    }

    /// A gateway with a pipeline of its own. Nothing is seen or told of it.
    pub(crate) async fn with(settings: Settings, pipeline: Arc<dyn Pipeline>) -> Gateway {
        let (_, seen) = mpsc::unbounded_channel();
        let (_, told) = mpsc::unbounded_channel();
        let metrics = settings.metrics.clone();
        let server = Server::bind(settings, pipeline).await.expect("it starts");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.serve(async { drop(stopped.await) }));
        Gateway { address, metrics, seen, told, stop, running }
    }

    pub(crate) async fn client(&self) -> Peer {
        Peer::connect(self.address).await
    }

    /// Asks, and gives both ends when the provider has the question.
    pub(crate) async fn ask(&self, provider: &Provider, request: impl AsRef<[u8]>) -> (Peer, Call) {
        let mut client = self.client().await;
        client.write(request).await;
        let call = provider.call().await;
        (client, call)
    }

    /// Asks somebody who answers without the provider.
    pub(crate) async fn ask_alone(&self, request: impl AsRef<[u8]>) -> (Head, Vec<u8>) {
        let mut client = self.client().await;
        client.write(request).await;
        let head = client.head().await.expect("an answer");
        let body = client.body(&head).await;
        (head, body.bytes)
    }

    /// Tells it to stop; it ends when everything has.
    pub(crate) fn stop(self) -> (JoinHandle<Stopped>, mpsc::UnboundedReceiver<Told>) {
        let _already_stopped = self.stop.send(());
        (self.running, self.told)
    }

    /// Stops it, and gives everything that was told.
    pub(crate) async fn finish(self) -> Vec<Told> {
        let (running, mut told) = self.stop();
        running.await.expect("it does not panic");
        let mut all = Vec::new();
        while let Some(one) = told.recv().await {
            all.push(one);
        }
        all
    }
}

struct Scripted {
    script: Script,
    seeing: mpsc::UnboundedSender<Incoming>,
    telling: mpsc::UnboundedSender<Told>,
}

struct ScriptedTurn {
    name: &'static str,
    shorter: Vec<&'static str>,
    nothing_shorter: Option<Trouble>,
    telling: mpsc::UnboundedSender<Told>,
}

fn outgoing(body: Bytes, edited: bool, turn: ScriptedTurn) -> Outgoing {
    let header = |name, value| (HeaderName::from_static(name), HeaderValue::from_static(value));
    Outgoing {
        body,
        edited,
        upstream_headers: vec![header("anthropic-beta", "from-us")],
        answer_headers: vec![header("x-epitome-action", if edited { "edited" } else { "untouched" })],
        turn: Arc::new(turn),
        keeper: None,
    }
}

#[async_trait]
impl Pipeline for Scripted {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        let body = incoming.body.clone();
        drop(self.seeing.send(incoming));
        let turn =
            |shorter| ScriptedTurn { name: "first", shorter, nothing_shorter: None, telling: self.telling.clone() };
        match &self.script {
            Script::Nothing => outgoing(body, false, turn(Vec::new())),
            Script::Edits(text) => outgoing(Bytes::from_static(text.as_bytes()), true, turn(Vec::new())),
            Script::Shortens(texts) => outgoing(body, false, turn(texts.clone())),
            Script::CannotShorten(trouble) => {
                outgoing(body, false, ScriptedTurn { nothing_shorter: Some(trouble.clone()), ..turn(Vec::new()) })
            }
            Script::Panics => panic!("a fault"),
        }
    }
}

#[async_trait]
impl Turn for ScriptedTurn {
    async fn complained(&self, _: Complaint) -> Result<Option<Outgoing>, Trouble> {
        let Some((first, rest)) = self.shorter.split_first() else {
            return self.nothing_shorter.clone().map_or(Ok(None), Err);
        };
        let nothing_shorter = self.nothing_shorter.clone();
        let turn =
            ScriptedTurn { name: "again", shorter: rest.to_vec(), nothing_shorter, telling: self.telling.clone() };
        Ok(Some(outgoing(Bytes::from_static(first.as_bytes()), true, turn)))
    }

    fn not_sent_again(&self) {}

    fn ended(&self, end: End, usage: Option<TurnUsage>) {
        let _nobody_listens = self.telling.send((self.name, end, usage));
    }
}

/// A question in Anthropic's dialect.
pub(crate) fn question(body: &str) -> String {
    post("/v1/messages", "x-api-key: k\r\n", body)
}

pub(crate) fn post(path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nhost: localhost\r\n{headers}content-length: {length}\r\n\r\n{body}")
}
