//! Who writes the summaries, as the configuration says (M4).

use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use epitome_core::catalogue::Catalogue;
use epitome_core::cost::trigger::Reading;
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::summary::{SummarizeError, Summarizer, SummaryRequest};
use epitome_core::tokens::{BpeCounter, ScaledCounter, TokenCounter, prior_factor};
use epitome_gateway::writer::{self, Asked};
use epitome_provider::cooldown::Cooldown;
use epitome_provider::retry::Retry;
use epitome_provider::{ApiKey, Endpoint, ModelSummarizer, OwnModels, Service, Settings, Stage};

use crate::config::Environment;
use crate::config::values::{Provider, SummaryModelConfig};
use crate::failure::Failure;
use crate::progress::Said;
use crate::session::Session;

/// Whoever writes the summaries, and how to wait for it.
pub(crate) enum Writer<'session> {
    /// No model is asked: there is nothing to wait for.
    AtOnce(Box<dyn Summarizer + 'session>),
    /// A model is asked.
    OverHttp(Box<ModelSummarizer>),
}

impl<'session> Writer<'session> {
    /// As configured. What is wrong with an endpoint or a key does not stop a compaction: it is told as the reason why the
    /// local summariser stands in.
    pub(crate) fn of(
        config: &SummaryModelConfig,
        environment: &Environment,
        session: &'session Session,
        said: Said,
    ) -> Result<Writer<'session>, Failure> {
        Ok(match Configured::of(config, environment, &session.catalogue) {
            Configured::Nobody => Writer::AtOnce(Box::new(LocalSummarizer::new(&*session.counter))),
            Configured::Requests => {
                let message = "auxiliary.compression.provider is `main`: the model of the request that is served, and a recorded session is served by none";
                return Err(
                    Failure::input(message).hint("use `auto` with base_url, a provider by its name, or `local`")
                );
            }
            Configured::Model { name, summarizer } => {
                let watch = move |stage: &Stage| said.say(told(&name, stage));
                Writer::OverHttp(Box::new(summarizer.watched(Arc::new(watch))))
            }
            Configured::Unusable(unusable) => Writer::AtOnce(Box::new(unusable)),
        })
    }

    /// Who writes.
    pub(crate) fn summarizer(&self) -> &(dyn Summarizer + 'session) {
        match self {
            Writer::AtOnce(summarizer) => &**summarizer,
            Writer::OverHttp(summarizer) => &**summarizer,
        }
    }

    /// Waits for work that uses it.
    pub(crate) fn wait_for<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        match self {
            Writer::AtOnce(_) => Ok(pollster::block_on(work)),
            Writer::OverHttp(_) => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime = runtime.map_err(|error| Failure::outside("the network", &error))?;
                Ok(runtime.block_on(work))
            }
        }
    }
}

/// What a model's summaries of a recorded session cost beside its own model; nothing where no model is asked.
pub(crate) fn price(config: &SummaryModelConfig, environment: &Environment, session: &Session) -> Reading {
    match Configured::of(config, environment, &session.catalogue) {
        Configured::Nobody | Configured::Requests | Configured::Unusable(_) => Reading::Free,
        Configured::Model { name, .. } => {
            Reading::by_another(&session.catalogue.lookup(&name).facts().prices, &session.facts.prices)
        }
    }
}

/// Who writes a gateway's summaries. Without an endpoint of its own, `auto` asks each request's own model, and so does
/// `main`.
pub(crate) fn for_gateway(
    config: &SummaryModelConfig,
    environment: &Environment,
    catalogue: &Catalogue,
) -> writer::Writer {
    let of_request = |asked: Asked| {
        let models = Box::new(OwnModels::new(settings(config, config.model.clone()), catalogue.clone()));
        writer::Writer::OfRequest { models, asked }
    };
    match Configured::of(config, environment, catalogue) {
        Configured::Nobody if config.provider != Provider::Local => of_request(Asked::WithCredential),
        Configured::Nobody => writer::Writer::Local,
        Configured::Requests => of_request(Asked::Always),
        Configured::Model { summarizer, .. } => writer::Writer::Model(Arc::new(*summarizer)),
        Configured::Unusable(unusable) => writer::Writer::Model(Arc::new(unusable)),
    }
}

/// Who writes the summaries, as the configuration says.
enum Configured {
    /// No model.
    Nobody,
    /// The model of the request that is served.
    Requests,
    Model {
        name: String,
        summarizer: Box<ModelSummarizer>,
    },
    Unusable(Unusable),
}

impl Configured {
    fn of(config: &SummaryModelConfig, environment: &Environment, catalogue: &Catalogue) -> Configured {
        let (service, base_url) = match (&config.provider, &config.base_url) {
            (Provider::Local, _) | (Provider::Auto | Provider::Other(_), None) => return Configured::Nobody,
            (Provider::Main, _) => return Configured::Requests,
            (Provider::Auto | Provider::Other(_), Some(base_url)) => (None, base_url.as_str()),
            (Provider::OpenAi, base_url) => named(Service::OpenAi, base_url.as_deref()),
            (Provider::Anthropic, base_url) => named(Service::Anthropic, base_url.as_deref()),
            (Provider::OpenRouter, base_url) => named(Service::OpenRouter, base_url.as_deref()),
            (Provider::Nous, base_url) => named(Service::Nous, base_url.as_deref()),
        };
        let model = config.model.clone().or_else(|| service.map(|service| service.usual_model().to_owned()));
        let name = model.clone().unwrap_or_else(|| base_url.to_owned());
        let made = key(config, environment).and_then(|key| {
            let dialect = service.map_or_else(|| Endpoint::dialect_of(base_url), Service::dialect);
            let endpoint = Endpoint::new(dialect, base_url, key).map_err(|error| error.to_string())?;
            let counter = counter(model.as_deref());
            let made = ModelSummarizer::new(endpoint, settings(config, model), catalogue, counter);
            made.map_err(|error| format!("no certificates of this machine can be read: {error}"))
        });
        match made {
            Ok(summarizer) => Configured::Model { name, summarizer: Box::new(summarizer) },
            Err(why) => Configured::Unusable(Unusable { name, why }),
        }
    }
}

fn named(service: Service, base_url: Option<&str>) -> (Option<Service>, &str) {
    (Some(service), base_url.unwrap_or(service.base_url()))
}

/// The key, or why there is none although one is needed.
fn key(config: &SummaryModelConfig, environment: &Environment) -> Result<Option<ApiKey>, String> {
    match &config.api_key_env {
        Some(variable) => {
            let unset = || format!("the variable {variable}, named by auxiliary.compression.api_key_env, is not set");
            let value = environment.get(variable).ok_or_else(unset)?;
            ApiKey::new(value).map(Some).map_err(|error| format!("{variable}: {error}"))
        }
        None if config.provider.needs_key() && config.base_url.is_none() => {
            Err("it needs a key; set auxiliary.compression.api_key_env, or use provider: local".to_owned())
        }
        None => Ok(None),
    }
}

fn settings(config: &SummaryModelConfig, model: Option<String>) -> Settings {
    Settings {
        model,
        context_length: config.context_length,
        progress: config.timeout,
        retry: Retry { seed: u64::from(std::process::id()), ..Retry::default() },
        cooldown: Cooldown::default(),
        max_spend: config.max_spend,
    }
}

/// Counts in the tokens of the model that writes, which need not be the session's.
fn counter(model: Option<&str>) -> Arc<dyn TokenCounter> {
    Arc::new(ScaledCounter::new(BpeCounter, model.map_or(1.0, prior_factor)))
}

fn told(name: &str, stage: &Stage) -> String {
    match stage {
        Stage::Asking { of: 1, .. } => format!("asking {name} for a summary"),
        Stage::Asking { chunk, of } => format!("asking {name} for a summary, part {chunk} of {of}"),
        Stage::Waiting { pause } => format!("waiting {} s to ask {name} again", pause.as_secs_f64().ceil()),
    }
}

/// A model that cannot be asked.
struct Unusable {
    name: String,
    why: String,
}

#[async_trait]
impl Summarizer for Unusable {
    fn name(&self) -> &str {
        &self.name
    }

    async fn summarize(&self, _: &SummaryRequest) -> Result<String, SummarizeError> {
        Err(SummarizeError::Unavailable(self.why.clone()))
    }
}
