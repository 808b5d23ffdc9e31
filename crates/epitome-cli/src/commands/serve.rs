//! `epitome serve`: the gateway between an agent and its provider.

use std::net::{SocketAddr, ToSocketAddrs};
use std::process::ExitCode;
use std::sync::Arc;

use epitome_core::cache::Ttl;
use epitome_gateway::auth::{Auth, Secret};
use epitome_gateway::caching::{PromptCaching, Strategy};
use epitome_gateway::compute::Compute;
use epitome_gateway::exchange::Pipeline;
use epitome_gateway::history::Histories;
use epitome_gateway::metrics::Metrics;
use epitome_gateway::pages;
use epitome_gateway::pipeline::{Gateway, Setup};
use epitome_gateway::readiness::{EngineNames, watch};
use epitome_gateway::retention::{Retention, keep_tidy};
use epitome_gateway::server::{Limits, Server, Settings, Stopped};
use epitome_gateway::tasks::Tasks;
use epitome_gateway::upstream::{Upstream, Upstreams};
use epitome_provider::Service;
use epitome_store::store::Store;
use epitome_wire::Dialect;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::{configuration, say};
use crate::agents;
use crate::arguments::{Common, GatewayArguments, ServeArguments};
use crate::config::values::{
    AuthConfig, CacheRules, CacheStrategy, CacheTtl, GatewayConfig, Originals, PromptCachingConfig,
};
use crate::config::{Config, Environment};
use crate::engine::{Chosen, choose_engine};
use crate::failure::{Failure, shown};
use crate::session::{catalogue, policy};
use crate::store::{self, Opened};
use crate::summaries;
use crate::terminal::Style;
use crate::units::counted;

/// Serves until it is told to stop.
pub(crate) fn run(arguments: &ServeArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, sources) = configuration(common, arguments.gateway.flags(arguments.listen.clone()))?;
    log_to(std::io::stderr, Style::of_stderr(&sources.environment), &sources.environment, common.json);
    open_as_many_files_as_allowed();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::outside("the network", &error))?;
    let engine = choose_engine(&loaded, &sources)?;
    runtime.block_on(serve(arguments, engine, &loaded.config, &sources.environment))
}

/// Each request takes two connections, and many systems allow 1,024 files unless one asks for more.
fn open_as_many_files_as_allowed() {
    let limit = getrlimit(Resource::Nofile);
    // Where that is refused it stays as it was, and the server waits where there are too few.
    let _stays_as_it_was = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

async fn serve(
    arguments: &ServeArguments,
    engine: Chosen,
    config: &Config,
    environment: &Environment,
) -> Result<ExitCode, Failure> {
    let auth = auth(&config.auth, environment, arguments.insecure)?;
    let Prepared { settings, gateway, pipeline, metrics: _, tasks: _, remembers_in } =
        prepare(&arguments.gateway, engine, auth, config, environment).await?;
    let to = hosts(&settings.upstreams);
    let caching = match &config.model.name {
        Some(model) if !arguments.gateway.observe => {
            gateway.caching_status(model, &settings.upstreams, &dialects_of_model(&config.gateway))
        }
        Some(_) | None => None,
    };
    let server = Server::bind(settings, pipeline).await.map_err(|error| Failure::start(&error))?;
    let address = format!("http://{}", server.address());
    say(&format!("listening on {address}, sending to {to}"));
    say(&format!("remembering in {remembers_in}"));
    caching.iter().for_each(|status| say(status));
    if arguments.gateway.observe {
        say("only observing: requests are sent as they come");
    }
    say("start an agent with one of:");
    agents::by_hand(&address).iter().for_each(|line| say(&format!("  {line}")));
    match server.serve(told_to_stop()).await {
        Stopped::Finished => {}
        Stopped::Cut { connections } => {
            let were = if connections == 1 { "was" } else { "were" };
            say(&format!("{} {were} cut: answers took too long to end", counted(connections as u64, "connection")));
        }
    }
    gateway.close().await;
    Ok(ExitCode::SUCCESS)
}

/// A gateway that does not listen yet.
pub(super) struct Prepared {
    pub(super) settings: Settings,
    /// Decides what becomes of requests; to be closed at the end.
    pub(super) gateway: Gateway,
    /// It, and the histories that are kept for clients.
    pub(super) pipeline: Arc<dyn Pipeline>,
    pub(super) metrics: Arc<Metrics>,
    /// What runs beside the requests, until the gateway is closed.
    pub(super) tasks: Tasks,
    /// What people call the store.
    pub(super) remembers_in: String,
}

/// Makes a gateway as the configuration says.
pub(super) async fn prepare(
    arguments: &GatewayArguments,
    engine: Chosen,
    auth: Auth,
    config: &Config,
    environment: &Environment,
) -> Result<Prepared, Failure> {
    let Opened { store, name } = store::open(config.store.location.as_deref(), environment).await?;
    survive_full_files();
    let (metrics, tasks) = (Arc::new(Metrics::new()), Tasks::new());
    let compute = Compute::new(config.gateway.max_buffered, metrics.clone());
    let settings = Settings {
        listen: address(&config.gateway.listen)?,
        upstreams: upstreams(&config.gateway)?,
        auth,
        secret: secret(&*store).await?,
        limits: Limits {
            answer: config.gateway.answer_timeout,
            connections: config.gateway.max_connections,
            ..Limits::default()
        },
        metrics: metrics.clone(),
        compute: compute.clone(),
        ready: watch(store.clone(), &tasks),
        engine: EngineNames { wanted: config.context.engine.clone(), used: engine.engine.name().to_owned() },
        pages: Some(pages::router(store.clone())),
    };
    let retention = Retention { days: config.store.keep_days, bytes: config.store.keep_bytes };
    tasks.spawn_until_stopped(keep_tidy(store.clone(), retention));
    let gateway = Gateway::new(setup(arguments, engine, config, environment, store.clone(), tasks.clone(), &settings)?);
    let histories = Histories::new(Arc::new(gateway.clone()), store, metrics.clone(), tasks.clone(), compute);
    let pipeline = Arc::new(histories);
    Ok(Prepared { settings, gateway, pipeline, metrics, tasks, remembers_in: name })
}

fn setup(
    arguments: &GatewayArguments,
    engine: Chosen,
    config: &Config,
    environment: &Environment,
    store: Arc<dyn Store>,
    tasks: Tasks,
    settings: &Settings,
) -> Result<Setup, Failure> {
    let catalogue = catalogue(arguments.models.as_deref())?;
    let writer = summaries::for_gateway(&config.auxiliary.compression, environment, &catalogue);
    Ok(Setup {
        store,
        engine: engine.engine,
        missing_engine: engine.missing.map(|missing| missing.name),
        policy: policy(config),
        catalogue,
        context_length: config.model.context_length,
        writer,
        max_wait: config.compression.max_wait,
        prepare_at: config.compression.prepare_at,
        enabled: config.compression.enabled,
        hygiene: config.compression.hygiene,
        observe: arguments.observe,
        keep_originals: config.store.originals == Originals::Keep,
        caching: prompt_caching(&config.prompt_caching),
        metrics: settings.metrics.clone(),
        compute: settings.compute.clone(),
        tasks,
    })
}

/// How requests are marked for the provider's cache.
pub(super) fn prompt_caching(config: &PromptCachingConfig) -> PromptCaching {
    PromptCaching {
        strategy: match (config.cache_ttl, config.strategy) {
            (CacheTtl::Off, _) => Strategy::Off,
            (_, CacheStrategy::Auto) => Strategy::Auto,
            (_, CacheStrategy::Stateful) => Strategy::Stateful,
            (_, CacheStrategy::SystemAndThree) => Strategy::SystemAndThree,
            (_, CacheStrategy::Client) => Strategy::Client,
        },
        ttl: match config.cache_ttl {
            CacheTtl::FiveMinutes | CacheTtl::Auto | CacheTtl::Off => Ttl::Short,
            CacheTtl::OneHour => Ttl::Long,
        },
        provider: match config.rules {
            CacheRules::Auto => None,
            CacheRules::Anthropic => Some("api.anthropic.com"),
            CacheRules::OpenRouter => Some("openrouter.ai"),
            CacheRules::OpenAi => Some("api.openai.com"),
        },
    }
}

/// Which dialects the configured model may be asked in: those with an upstream of their own or a common one, else all.
fn dialects_of_model(config: &GatewayConfig) -> Vec<Dialect> {
    let own = [
        (Dialect::AnthropicMessages, &config.upstream_anthropic),
        (Dialect::OpenAiResponses, &config.upstream_responses),
        (Dialect::OpenAiChat, &config.upstream_chat),
    ];
    let none_is_set = config.upstream.is_none() && own.iter().all(|(_, upstream)| upstream.is_none());
    let is_set = |upstream: &Option<String>| none_is_set || config.upstream.is_some() || upstream.is_some();
    own.into_iter().filter(|(_, upstream)| is_set(upstream)).map(|(dialect, _)| dialect).collect()
}

/// Where to listen. A name may have several addresses: the one of IPv4 is what most clients try first.
fn address(listen: &str) -> Result<SocketAddr, Failure> {
    let unknown =
        |why: String| Failure::input(format!("gateway.listen: {listen}: {why}")).hint("for example 127.0.0.1:8484");
    let found: Vec<SocketAddr> = listen.to_socket_addrs().map_err(|error| unknown(error.to_string()))?.collect();
    let first = found.iter().find(|address| address.is_ipv4()).or_else(|| found.first());
    first.copied().ok_or_else(|| unknown("the name has no address".to_owned()))
}

fn upstreams(config: &GatewayConfig) -> Result<Upstreams, Failure> {
    let upstream = |own: &Option<String>, maker: Service| {
        let named = own.as_deref().or(config.upstream.as_deref()).unwrap_or(maker.base_url());
        Upstream::new(named).map_err(|error| Failure::input(format!("{named}: {error}")))
    };
    Ok(Upstreams {
        anthropic: upstream(&config.upstream_anthropic, Service::Anthropic)?,
        openai_chat: upstream(&config.upstream_chat, Service::OpenAi)?,
        openai_responses: upstream(&config.upstream_responses, Service::OpenAi)?,
    })
}

/// The hosts that requests go to.
fn hosts(upstreams: &Upstreams) -> String {
    let mut hosts = vec![upstreams.anthropic.host(), upstreams.openai_chat.host(), upstreams.openai_responses.host()];
    hosts.dedup();
    hosts.join(" and ")
}

fn auth(config: &AuthConfig, environment: &Environment, insecure: bool) -> Result<Auth, Failure> {
    let mut tokens = Vec::new();
    if let Some(variable) = &config.token_env {
        let unset = || Failure::input(format!("the variable {variable}, named by auth.token_env, is not set"));
        tokens.push(environment.get(variable).ok_or_else(unset)?.to_owned());
    }
    if let Some(path) = &config.token_file {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::outside(shown(path.as_ref()), &error))?;
        tokens.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
        if tokens.is_empty() {
            return Err(Failure::input(format!("{path}: there is no token in it")));
        }
    }
    Ok(match (tokens.is_empty(), insecure) {
        (false, _) => Auth::Tokens(tokens),
        (true, true) => Auth::Insecure,
        (true, false) => Auth::Loopback,
    })
}

async fn secret(store: &dyn Store) -> Result<Secret, Failure> {
    let mut fresh = [0; 32];
    getrandom::fill(&mut fresh).map_err(|error| Failure::input(format!("no random numbers can be had: {error}")))?;
    store.secret("tenants", fresh).await.map(Secret).map_err(Failure::input)
}

/// A file that may not grow any more is an error to who writes it, as a full disk is, and not the end of the process.
fn survive_full_files() {
    // Whoever listens to a signal is not ended by it, from then on. If nobody can listen, nothing has changed.
    drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw())));
}

/// Ends when somebody presses Ctrl-C, or the machine asks.
async fn told_to_stop() {
    match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            say("stopping: answers that are on their way may end");
        }
        (_, _) => std::future::pending().await,
    }
}

/// Writes the log. It holds no content.
pub(super) fn log_to<W>(writer: W, style: Style, environment: &Environment, json: bool)
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let wanted = environment.get("EPITOME_LOG").unwrap_or("warn,epitome=info,epitome_gateway=info");
    let filter = EnvFilter::try_new(wanted).unwrap_or_else(|error| {
        say(&format!("warning: EPITOME_LOG: {error}; warnings alone are logged"));
        EnvFilter::new("warn")
    });
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(style.is_coloured());
    if json { log.json().init() } else { log.init() }
}
