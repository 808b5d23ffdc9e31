//! The server: who listens, what a request is, and who answers it.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use epitome_provider::http::{Body, Encryption, Http};
use epitome_wire::Dialect;
use http::{Request, Response, StatusCode};
use http_body::Body as _;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::auth::{Access, Auth, Secret, Whose, Zone};
use crate::compute::Compute;
pub use crate::connections::Silence;
use crate::connections::{Answering, Closed, Connection, Connections, Patient};
use crate::encoding::{Coding, unpacked};
use crate::exchange::{self, Pipeline, Purpose};
use crate::forward::{Call, Forwarder, passed_on, refuse};
use crate::held::{Held, Whole};
use crate::metrics::Metrics;
use crate::readiness::{self, EngineNames, Ready};
use crate::record::Record;
use crate::respond::{self, Trouble};
use crate::route::{Page, Route};
use crate::switch::Switch;
use crate::upstream::{Upstream, Upstreams};

/// How a gateway is set up.
pub struct Settings {
    /// Where it listens. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Where requests go.
    pub upstreams: Upstreams,
    /// Who may ask.
    pub auth: Auth,
    /// What tenants are named by.
    pub secret: Secret,
    /// How much, and how long.
    pub limits: Limits,
    /// Where is counted.
    pub metrics: Arc<Metrics>,
    /// What works on heavy requests, and the memory that bodies are read into.
    pub compute: Compute,
    /// Whether requests can be served well.
    pub ready: Ready,
    /// Which engine decides.
    pub engine: EngineNames,
    /// What answers at `/epitome` and below. Requests have a [`Tenant`](epitome_store::records::Tenant) in their
    /// extensions: whose data is asked for.
    pub pages: Option<Router>,
}

/// How much, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// A body that is larger is passed through unread. Also after decompression.
    pub body: usize,
    /// A provider that has not begun to answer by then is given up. Longer than any client waits, so that it is the
    /// client who decides.
    pub answer: Duration,
    /// When the gateway is stopped, answers may take so long to end.
    pub grace: Duration,
    /// So many connections of clients there are at most.
    pub connections: usize,
    /// How long clients may be silent.
    pub silence: Silence,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            body: 64 * 1024 * 1024,
            answer: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(120),
            connections: 1024,
            silence: Silence::default(),
        }
    }
}

/// A gateway that listens.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    gateway: Arc<Gateway>,
    connections: Connections,
    grace: Duration,
}

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Others could reach it.
    #[error("{0} can be reached by other machines")]
    NeedsToken(SocketAddr),
    /// A token that anybody could guess.
    #[error("a token is empty")]
    EmptyToken,
    /// The address is not free, or not ours.
    #[error("cannot listen on {address}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// An upstream is spoken to with https, and nobody can be trusted.
    #[error("the machine has no certificates")]
    Certificates(#[source] io::Error),
}

impl StartError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            StartError::NeedsToken(_) => "set a token (auth.token_env or auth.token_file), or say --insecure",
            StartError::EmptyToken => "put a long random text where auth.token_env or auth.token_file says",
            StartError::Listen { .. } => "choose another address with --listen; port 0 takes a free one",
            StartError::Certificates(_) => "install the package of CA certificates (ca-certificates)",
        }
    }
}

/// How a gateway stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Every answer came to its end.
    Finished,
    /// Some took too long and were cut.
    Cut {
        /// On so many connections.
        connections: usize,
    },
}

impl Server {
    /// Listens, and serves nobody yet.
    pub async fn bind(settings: Settings, pipeline: Arc<dyn Pipeline>) -> Result<Server, StartError> {
        let Settings { listen, upstreams, auth, secret, limits, metrics, compute, ready, engine, pages } = settings;
        match &auth {
            Auth::Loopback if !listen.ip().to_canonical().is_loopback() => return Err(StartError::NeedsToken(listen)),
            Auth::Tokens(tokens) if tokens.is_empty() || tokens.iter().any(|token| token.trim().is_empty()) => {
                return Err(StartError::EmptyToken);
            }
            Auth::Loopback | Auth::Tokens(_) | Auth::Insecure => {}
        }
        let any_encrypted = upstreams.all().into_iter().any(Upstream::is_encrypted);
        let encryption = if any_encrypted { Encryption::Possible } else { Encryption::Never };
        let http = Http::for_streams(encryption).map_err(StartError::Certificates)?;
        let in_use = |source| StartError::Listen { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(in_use)?;
        let address = listener.local_addr().map_err(in_use)?;
        let gateway = Gateway {
            upstreams,
            access: Access::new(&auth, secret),
            forwarder: Forwarder { http, patience: limits.answer, compute: compute.clone() },
            body_limit: limits.body.min(compute.buffers().largest()),
            compute,
            pipeline,
            metrics,
            ready,
            engine,
            pages,
        };
        let connections = Connections::new(limits.connections, limits.silence);
        Ok(Server { listener, address, gateway: Arc::new(gateway), connections, grace: limits.grace })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` comes; then takes no more connections and lets answers end, as long as they may take.
    pub async fn serve(self, stop: impl Future<Output = ()>) -> Stopped {
        let Server { listener, address: _, gateway, connections, grace } = self;
        let mut stop = pin!(stop);
        let mut tasks = JoinSet::new();
        let (stopping, stopped) = watch::channel(false);
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().timer(TokioTimer::new()).header_read_timeout(connections.idle());
        builder.http2().timer(TokioTimer::new());
        loop {
            let stream = tokio::select! {
                () = &mut stop => break,
                Some(_) = tasks.join_next(), if !tasks.is_empty() => continue,
                // Who comes while there is no room waits to be accepted.
                accepted = listener.accept(), if connections.room_for_one() => accepted,
                () = connections.room_may_be_made() => continue,
            };
            let stream = match stream {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Too many open files, mostly. One that nobody uses is closed; others will be.
                    tracing::warn!(target: "epitome::server", %error, "a connection was not accepted");
                    connections.make_room();
                    tokio::time::sleep(AFTER_ERROR).await;
                    continue;
                }
            };
            let connection = Arc::new(connections.begin(gateway.access.newcomer()));
            tasks.spawn(serve_connection(builder.clone(), stream, gateway.clone(), connection, stopped.clone()));
        }
        drop(listener);
        // Nobody listens if there is no connection.
        let _nobody_listens = stopping.send(true);
        match tokio::time::timeout(grace, async { while tasks.join_next().await.is_some() {} }).await {
            Ok(()) => Stopped::Finished,
            Err(_) => {
                let cut = Stopped::Cut { connections: tasks.len() };
                // When this has ended, all that is to be noted of their calls was told.
                tasks.shutdown().await;
                cut
            }
        }
    }
}

/// Serves a connection until it ends, its client is silent for too long, another one needs its place, or the gateway stops.
async fn serve_connection(
    builder: auto::Builder<TokioExecutor>,
    stream: TcpStream,
    gateway: Arc<Gateway>,
    connection: Arc<Connection>,
    mut stopping: watch::Receiver<bool>,
) {
    let mut served = pin!(builder.serve_connection(ready_stream(stream), service(gateway, connection.clone())));
    let ended = tokio::select! {
        ended = served.as_mut() => Some(ended),
        closed = connection.is_to_close() => {
            tracing::debug!(target: "epitome::server", ?closed, "a connection is closed");
            match closed {
                Closed::MakesRoom => return,
                Closed::Silent => None,
            }
        }
        // An error: the server is gone, and this with it.
        _ = stopping.changed() => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            // A request that came just now is still answered.
            served.as_mut().graceful_shutdown();
            tokio::select! {
                ended = served => ended,
                () = connection.is_abandoned() => return,
            }
        }
    };
    if let Err(error) = ended {
        // The client went away, or spoke no HTTP.
        tracing::debug!(target: "epitome::server", %error, "a connection ended");
    }
}

/// After a connection could not be accepted.
const AFTER_ERROR: Duration = Duration::from_millis(100);

fn ready_stream(stream: TcpStream) -> TokioIo<TcpStream> {
    // An event must not wait for the acknowledgement of the one before. A stream on which that fails is broken anyway.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(target: "epitome::server", %error, "no delay could not be set");
    }
    TokioIo::new(stream)
}

type Answered = Result<Response<Answering<Body>>, Infallible>;
type ClientBody = Patient<Incoming>;

fn service(
    gateway: Arc<Gateway>,
    connection: Arc<Connection>,
) -> impl Service<
    Request<Incoming>,
    Response = Response<Answering<Body>>,
    Error = Infallible,
    Future: Future<Output = Answered> + Send,
> {
    service_fn(move |request| {
        let (gateway, connection) = (gateway.clone(), connection.clone());
        let in_progress = connection.request();
        async move {
            let request = request.map(|body| Patient::new(body, connection.patience()));
            let response = gateway.answer(request, &connection).await;
            Ok(response.map(|body| Answering::new(body, in_progress)))
        }
    })
}

/// What answers requests.
struct Gateway {
    upstreams: Upstreams,
    access: Access,
    forwarder: Forwarder,
    body_limit: usize,
    compute: Compute,
    pipeline: Arc<dyn Pipeline>,
    metrics: Arc<Metrics>,
    ready: Ready,
    engine: EngineNames,
    pages: Option<Router>,
}

impl Gateway {
    async fn answer(&self, request: Request<ClientBody>, connection: &Connection) -> Response<Body> {
        let route = Route::of(request.method(), request.uri().path(), request.headers());
        let record = Record::begin(self.metrics.clone(), request.method().clone(), route);
        let whose = match self.access.admit(request.uri(), request.headers(), route.zone()) {
            Ok(whose) => whose,
            Err(trouble) => return refuse(&trouble, route.dialect(), record),
        };
        if route.zone() != Zone::Probe {
            connection.is_a_clients();
        }
        match route {
            Route::Own(page) => self.page(page, whose, request, record).await,
            Route::WebSocket => refuse(&Trouble::WebSocket, Some(Dialect::OpenAiResponses), record),
            Route::Talk(dialect, purpose) if Switch::of(request.headers()) != Switch::Off => {
                self.talk(dialect, purpose, whose, request, record).await
            }
            Route::Talk(dialect, _) => {
                record.metrics().untouched("off");
                self.pass(self.upstreams.of(dialect), Some(dialect), request, record).await
            }
            Route::Other => self.pass(self.upstreams.by_headers(request.headers()), None, request, record).await,
        }
    }

    /// Passes a request through untouched.
    async fn pass(
        &self,
        upstream: &Upstream,
        dialect: Option<Dialect>,
        request: Request<ClientBody>,
        mut record: Record,
    ) -> Response<Body> {
        let Some(call) = call(upstream, dialect, &request) else { return refuse(&Trouble::NotAPath, dialect, record) };
        let body = request.into_body();
        if let Some(length) = body.size_hint().exact() {
            record.received(length);
        }
        self.forwarder.pass(call, body.boxed_unsync(), record).await
    }

    /// Sends what the pipeline makes of a request.
    async fn talk(
        &self,
        dialect: Dialect,
        purpose: Purpose,
        whose: Whose,
        request: Request<ClientBody>,
        mut record: Record,
    ) -> Response<Body> {
        let Some(call) = call(self.upstreams.of(dialect), Some(dialect), &request) else {
            return refuse(&Trouble::NotAPath, Some(dialect), record);
        };
        let (parts, body) = request.into_parts();
        let client = match Held::read(body, self.body_limit, self.compute.buffers().nothing()).await {
            Held::Whole(client) => client,
            Held::Begun(begun) if begun.is_broken() => return refuse(&Trouble::BodyLost, Some(dialect), record),
            Held::Begun(begun) => {
                record.metrics().untouched("too_large");
                return self.forwarder.pass(call, begun.boxed_unsync(), record).await;
            }
        };
        record.received(client.bytes.len() as u64);
        let text = match Coding::of(&parts.headers) {
            Coding::Plain => Some(client.bytes.clone()),
            Coding::Packed(encoding) => {
                let unpacked =
                    unpacked(encoding, client.bytes.clone(), self.body_limit, self.compute.buffers().nothing());
                // What cannot even be tried to be unpacked is passed on as it came.
                self.compute.run(0, unpacked).await.ok().flatten()
            }
            Coding::Unknown => None,
        };
        let Some(text) = text else {
            record.metrics().untouched("encoding");
            return self.forwarder.pass(call, untouched(client), record).await;
        };
        let incoming = exchange::Incoming {
            dialect,
            purpose,
            tenant: whose.ledger,
            owner: whose.sessions,
            headers: parts.headers,
            upstream: call.uri.clone(),
            body: text,
        };
        let began = Instant::now();
        let (pipeline, length) = (self.pipeline.clone(), incoming.body.len());
        let outgoing = self.compute.run(length, async move { pipeline.outgoing(incoming).await }).await;
        record.in_pipeline(began.elapsed());
        let Ok(outgoing) = outgoing else {
            // A fault of ours is not to be the reason that a request fails.
            tracing::error!(target: "epitome::server", route = "pipeline", "a fault: the request is sent as it came");
            record.metrics().panicked();
            return self.forwarder.pass(call, untouched(client), record).await;
        };
        self.forwarder.exchange(call, client, outgoing, record).await
    }

    async fn page(
        &self,
        page: Page,
        whose: Whose,
        mut request: Request<ClientBody>,
        mut record: Record,
    ) -> Response<Body> {
        const TEXT: &str = "text/plain; charset=utf-8";
        let response = match page {
            Page::Healthz => respond::text(StatusCode::OK, "ok\n", TEXT),
            Page::Readyz => {
                let ready = (self.ready)();
                let status = if ready.is_ok() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
                let page = readiness::page(&ready, &self.engine);
                respond::text(status, format!("{page}\n"), "application/json")
            }
            Page::Metrics => {
                respond::text(StatusCode::OK, self.metrics.to_string(), "text/plain; version=0.0.4; charset=utf-8")
            }
            Page::Epitome => {
                let Some(pages) = &self.pages else { return refuse(&Trouble::NotFound, None, record) };
                request.extensions_mut().insert(whose.sessions);
                let answered = TowerToHyperService::new(pages.clone()).call(request).await;
                let response = answered.unwrap_or_else(|never| match never {});
                response.map(|body| body.map_err(Into::into).boxed_unsync())
            }
        };
        record.answers(response.status(), response.headers());
        record.ended("own");
        response
    }
}

/// How a request is sent on. `None`: it asks for no path.
fn call(upstream: &Upstream, dialect: Option<Dialect>, request: &Request<ClientBody>) -> Option<Call> {
    let uri = upstream.join(request.uri().path_and_query()?)?;
    Some(Call { method: request.method().clone(), uri, headers: passed_on(request.headers()), dialect })
}

fn untouched(client: Whole) -> Body {
    crate::held::Begun::from(client).boxed_unsync()
}
