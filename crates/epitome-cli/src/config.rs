//! Configuration: what file, environment and flags say becomes one checked, typed [`Config`].
//!
//! Flags overrule the environment, which overrules the file, which overrules the defaults. The file is the one
//! named by `--config`, else by `EPITOME_CONFIG`, else `./epitome.yaml` if there is one, else
//! `$XDG_CONFIG_HOME/epitome/config.yaml` or `~/.config/epitome/config.yaml` if there is one. A `config.yaml` of
//! Hermes Agent can be named as it is. This is the only place that reads the process's environment.
//!
//! Reading order: [`values`] → [`settings`] → [`yaml`] → [`kind`] → [`mod@file`] → [`gather`] → [`remark`].

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use epitome_core::budget::Threshold;
use epitome_core::tokens::Tokens;

pub(crate) mod values;

pub(crate) mod settings;

mod yaml;

mod kind;

mod file;

mod gather;

mod nearest;

mod excerpt;

mod remark;

pub(crate) mod docs;

pub(crate) mod schema;

#[cfg(test)]
mod tests;

pub(crate) use remark::{ConfigErrors, Matter, Origin, Remark, shown_text};
pub(crate) use values::Config;

pub(crate) use gather::shown;
pub(crate) use nearest::nearest;

use file::Document;
use gather::Gathered;
use settings::{SETTINGS, Setting, Value, setting};
use values::Choice;

use crate::failure::reason;

/// Names the configuration file.
pub(crate) const CONFIG_VARIABLE: &str = "EPITOME_CONFIG";

/// Everything that may have something to say.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    /// The file of `--config`. It must exist.
    pub(crate) file: Option<PathBuf>,
    /// Where `./epitome.yaml` is looked for.
    pub(crate) directory: PathBuf,
    /// The variables of the process.
    pub(crate) environment: Environment,
    /// In the order of the command line: a later one overrules.
    pub(crate) flags: Vec<Flag>,
}

/// A flag that sets a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flag {
    /// `--set key=value`, as it was typed.
    Set(String),
    /// A flag of its own for one key.
    Named {
        /// As it is typed: `--threshold`.
        name: String,
        /// As it stands in the file: `compression.threshold`.
        key: String,
        /// As it was typed.
        value: String,
    },
}

/// Environment variables, as an argument. `Debug` tells their names alone: some hold credentials.
#[derive(Clone, Default)]
pub(crate) struct Environment(BTreeMap<String, String>);

/// A configuration, and how it came to be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Loaded {
    /// What the program uses.
    pub(crate) config: Config,
    /// The file that was read, if there was one.
    pub(crate) file: Option<PathBuf>,
    /// Where each value came from, by key.
    pub(crate) origins: BTreeMap<&'static str, Origin>,
    /// What weaker sources said, the strongest of them last, by key.
    pub(crate) overruled: BTreeMap<&'static str, Vec<(Value, Origin)>>,
    /// What is good to know.
    pub(crate) notes: Vec<Remark>,
    /// What may be a mistake.
    pub(crate) warnings: Vec<Remark>,
}

/// Reads every source, checks everything, and says all that is wrong at once.
///
/// # Errors
/// When the file cannot be read, is not YAML, or when any source says something that cannot be meant.
pub(crate) fn load(sources: &Sources) -> Result<Loaded, ConfigErrors> {
    let mut gathered = Gathered::default();
    let document = match find_file(sources) {
        Ok(document) => document,
        Err(remark) => {
            gathered.errors.push(*remark);
            None
        }
    };
    resolve(document.as_ref(), &sources.environment, &sources.flags, gathered)
}

impl Sources {
    /// The process's own environment and directory, and what the command line said.
    #[must_use]
    pub(crate) fn of_process(file: Option<PathBuf>, flags: Vec<Flag>) -> Sources {
        // `vars` would panic on a variable that is not UTF-8, whosever it is.
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())));
        Sources { file, directory: PathBuf::from("."), environment: variables.collect(), flags }
    }
}

impl Environment {
    /// The value of a variable, such as the one that `auxiliary.compression.api_key_env` names.
    #[must_use]
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn ours(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .filter(|(name, _)| name.starts_with("EPITOME_"))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Environment {
        Environment(variables.into_iter().collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

/// The file to read, read. `None`: there is none, and nobody named one.
fn find_file(sources: &Sources) -> Result<Option<Document>, Box<Remark>> {
    if let Some(path) = &sources.file {
        return read_named(path, "the command line").map(Some);
    }
    if let Some(path) = sources.environment.get(CONFIG_VARIABLE) {
        return read_named(Path::new(path), CONFIG_VARIABLE).map(Some);
    }
    for path in usual_places(sources) {
        match std::fs::read_to_string(&path) {
            Ok(text) => return Ok(Some(Document { path, text })),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => return Err(unreadable(&path, &error, None)),
        }
    }
    Ok(None)
}

fn usual_places(sources: &Sources) -> Vec<PathBuf> {
    let local = Path::new("epitome.yaml");
    // `./epitome.yaml` reads worse in an error than `epitome.yaml`.
    let here = if sources.directory == Path::new(".") { local.to_owned() } else { sources.directory.join(local) };
    let of_user = sources
        .environment
        .get("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        // The XDG specification: relative paths are to be ignored.
        .filter(|path| path.is_absolute())
        .or_else(|| sources.environment.get("HOME").map(|home| Path::new(home).join(".config")));
    std::iter::once(here).chain(of_user.map(|path| path.join("epitome").join("config.yaml"))).collect()
}

fn read_named(path: &Path, named_by: &str) -> Result<Document, Box<Remark>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Document { path: path.to_owned(), text }),
        Err(error) => Err(unreadable(path, &error, Some(format!("it was named by {named_by}")))),
    }
}

fn unreadable(path: &Path, error: &io::Error, hint: Option<String>) -> Box<Remark> {
    let (path, reason) = (path.to_owned(), reason(error));
    let is_no_text = error.kind() == io::ErrorKind::InvalidData;
    let matter = if is_no_text { Matter::NotAText { path } } else { Matter::Unreadable { path, reason } };
    Box::new(Remark { origin: None, key: None, matter, hint, excerpt: None })
}

fn resolve(
    document: Option<&Document>,
    environment: &Environment,
    flags: &[Flag],
    mut gathered: Gathered,
) -> Result<Loaded, ConfigErrors> {
    if let Some(document) = document {
        file::read(document, &mut gathered);
    }
    gather::read_environment(environment, &mut gathered);
    gather::read_flags(flags, &mut gathered);
    if !gathered.errors.is_empty() {
        let Gathered { errors, warnings, notes, .. } = gathered;
        return Err(ConfigErrors { errors, warnings, notes });
    }
    let config = Config::of(&|path| setting(path).map_or(Value::Nothing, |setting| gathered.value(setting).0));
    let origins = SETTINGS.iter().map(|setting| (setting.path, gathered.value(setting).1)).collect();
    consider(&config, &origins, &mut gathered.warnings);
    let file = document.map(|document| document.path.clone());
    let overruled = gathered.overruled();
    Ok(Loaded { config, file, origins, overruled, notes: gathered.notes, warnings: gathered.warnings })
}

/// Values that are right each and make no sense together.
fn consider(config: &Config, origins: &BTreeMap<&'static str, Origin>, warnings: &mut Vec<Remark>) {
    let mut warn = |key: &str, matter: Matter, hint: &str| {
        let origin = origins.get(key).filter(|origin| **origin != Origin::Default).cloned();
        let hint = Some(hint.to_owned());
        warnings.push(Remark { origin, key: Some(key.to_owned()), matter, hint, excerpt: None });
    };
    let summary = &config.auxiliary.compression;
    if summary.provider.needs_key() && summary.api_key_env.is_none() {
        let matter = Matter::NoKey { provider: summary.provider.name().to_owned() };
        warn("auxiliary.compression.provider", matter, "set auxiliary.compression.api_key_env, or use provider: local");
    }
    if let (values::Provider::Other(name), None) = (&summary.provider, &summary.base_url) {
        let matter = Matter::UnknownProvider { name: shown_text(name) };
        let hint = match nearest(name, values::Provider::NAMES.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? Otherwise set auxiliary.compression.base_url"),
            None => "set auxiliary.compression.base_url to its OpenAI-compatible endpoint".to_owned(),
        };
        warn("auxiliary.compression.provider", matter, &hint);
    }
    let compression = &config.compression;
    let is_capped = compression.threshold_tokens.is_some();
    if compression.enabled && compression.hygiene && compression.threshold > 0.85 && !is_capped {
        let matter = Matter::AboveHygiene { threshold: compression.threshold };
        warn("compression.threshold", matter, "lower it, or set compression.hygiene: false");
    }
}

impl Config {
    /// Puts the values into their places. Each was checked against the kind of its setting.
    fn of(look: &dyn Fn(&'static str) -> Value) -> Config {
        Config {
            compression: values::CompressionConfig {
                enabled: switch(look("compression.enabled")),
                threshold: number(look("compression.threshold")),
                threshold_tokens: tokens_unless_zero(look("compression.threshold_tokens")),
                model_thresholds: thresholds(look("compression.model_thresholds")),
                target_ratio: number(look("compression.target_ratio")),
                protect_first_n: count(look("compression.protect_first_n")),
                protect_last_n: count(look("compression.protect_last_n")),
                outputs: choice(look("compression.outputs")),
                controller: choice(look("compression.controller")),
                tail: choice(look("compression.tail")),
                hygiene: switch(look("compression.hygiene")),
                trigger: choice(look("compression.trigger")),
                cost: values::CostConfig {
                    tail: Tokens(count(look("compression.cost.tail")) as u64),
                    summary: Tokens(count(look("compression.cost.summary")) as u64),
                    length_price: number(look("compression.cost.length_price")),
                    fetched_again: number(look("compression.cost.fetched_again")),
                },
                prepare_at: unless_nothing(look("compression.prepare_at")).map(number),
                max_wait: Duration::from_secs_f64(number(look("compression.max_wait"))),
            },
            auxiliary: values::AuxiliaryConfig {
                compression: values::SummaryModelConfig {
                    model: unless_nothing(look("auxiliary.compression.model")).map(text),
                    provider: values::Provider::named(text(look("auxiliary.compression.provider"))),
                    base_url: unless_nothing(look("auxiliary.compression.base_url")).map(text),
                    api_key_env: unless_nothing(look("auxiliary.compression.api_key_env")).map(text),
                    timeout: Duration::from_secs_f64(number(look("auxiliary.compression.timeout"))),
                    context_length: unless_nothing(look("auxiliary.compression.context_length"))
                        .map(|value| Tokens(count(value) as u64)),
                    max_spend: unless_nothing(look("auxiliary.compression.max_spend")).map(number),
                },
            },
            context: values::ContextConfig {
                engine: text(look("context.engine")),
                strict: switch(look("context.strict")),
            },
            prompt_caching: values::PromptCachingConfig {
                cache_ttl: choice(look("prompt_caching.cache_ttl")),
                strategy: choice(look("prompt_caching.strategy")),
                rules: choice(look("prompt_caching.rules")),
            },
            store: values::StoreConfig {
                originals: choice(look("store.originals")),
                location: unless_nothing(look("store.location")).map(text),
                keep_days: unless_nothing(look("store.keep_days")).map(|value| count(value) as u64),
                keep_bytes: unless_nothing(look("store.keep_bytes")).map(|value| count(value) as u64),
            },
            gateway: values::GatewayConfig {
                listen: text(look("gateway.listen")),
                upstream: unless_nothing(look("gateway.upstream")).map(text),
                upstream_anthropic: unless_nothing(look("gateway.upstream_anthropic")).map(text),
                upstream_chat: unless_nothing(look("gateway.upstream_chat")).map(text),
                upstream_responses: unless_nothing(look("gateway.upstream_responses")).map(text),
                answer_timeout: Duration::from_secs_f64(number(look("gateway.answer_timeout"))),
                max_connections: count(look("gateway.max_connections")),
                max_buffered: count(look("gateway.max_buffered")) as u64,
            },
            auth: values::AuthConfig {
                token_env: unless_nothing(look("auth.token_env")).map(text),
                token_file: unless_nothing(look("auth.token_file")).map(text),
            },
            model: values::ModelConfig {
                name: unless_nothing(look("model.default")).map(text),
                context_length: unless_nothing(look("model.context_length")).map(|value| Tokens(count(value) as u64)),
            },
        }
    }
}

// A value here has the kind of its setting: `Kind::read` made it, or the table has it as a default. A setting
// whose kind does not fit its field makes the test `every_default_arrives` fail.
const FITS: &str = "the table of settings gives each field a value of its kind";

fn unless_nothing(value: Value) -> Option<Value> {
    (value != Value::Nothing).then_some(value)
}

fn switch(value: Value) -> bool {
    let Value::Switch(value) = value else { unreachable!("{FITS}") };
    value
}

fn number(value: Value) -> f64 {
    let Value::Number(value) = value else { unreachable!("{FITS}") };
    value
}

fn count(value: Value) -> usize {
    let Value::Count(value) = value else { unreachable!("{FITS}") };
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// Hermes writes 0 for no limit.
fn tokens_unless_zero(value: Value) -> Option<Tokens> {
    unless_nothing(value).map(|value| Tokens(count(value) as u64)).filter(|tokens| *tokens > Tokens(0))
}

fn thresholds(value: Value) -> BTreeMap<String, Threshold> {
    let Value::Thresholds(value) = value else { unreachable!("{FITS}") };
    value
}

fn text(value: Value) -> String {
    let Value::Text(value) = value else { unreachable!("{FITS}") };
    value.into_owned()
}

fn choice<C: Choice>(value: Value) -> C {
    C::named(&text(value)).expect(FITS)
}

/// The keys whose value did not come from the defaults.
pub(crate) fn set_keys(loaded: &Loaded) -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| loaded.origins.get(setting.path).is_some_and(|origin| *origin != Origin::Default))
}
