//! What the configuration promises, from the outside: texts in, remarks and tables out.

mod laws;
mod layers;
mod printed;
mod readings;
mod remarks;

use std::path::PathBuf;

use epitome_core::budget::Threshold;
use epitome_core::tokens::Tokens;
use epitome_gateway::server::StartError;

use super::file::Document;
use super::gather::Gathered;
use super::settings::{SECTIONS, SETTINGS, Value};
use super::values::{CacheTtl, Controller, Originals, Outputs, Provider, Tail, Trigger};
use super::{Config, ConfigErrors, Environment, Flag, Loaded, Origin, Sources, docs, load, resolve, schema};
use crate::commands::config::{self as commands, Format, Origins, Outcome};

/// Every key of the mission's M4, literally, those of Hermes that we read, the limit to what summaries cost, and the gateway's.
const KEYS: &[&str] = &[
    "compression.enabled",
    "compression.threshold",
    "compression.threshold_tokens",
    "compression.model_thresholds",
    "compression.target_ratio",
    "compression.protect_last_n",
    "compression.protect_first_n",
    "auxiliary.compression.model",
    "auxiliary.compression.provider",
    "auxiliary.compression.base_url",
    "context.engine",
    "context.strict",
    "prompt_caching.cache_ttl",
    "prompt_caching.strategy",
    "prompt_caching.rules",
    "compression.outputs",
    "compression.controller",
    "compression.tail",
    "compression.hygiene",
    "compression.trigger",
    "compression.cost.tail",
    "compression.cost.summary",
    "compression.cost.length_price",
    "compression.cost.fetched_again",
    "compression.prepare_at",
    "compression.max_wait",
    "auxiliary.compression.api_key_env",
    "auxiliary.compression.timeout",
    "auxiliary.compression.context_length",
    "auxiliary.compression.max_spend",
    "store.originals",
    "store.location",
    "store.keep_days",
    "store.keep_bytes",
    "gateway.answer_timeout",
    "gateway.max_connections",
    "gateway.listen",
    "gateway.max_buffered",
    "gateway.upstream",
    "gateway.upstream_anthropic",
    "gateway.upstream_chat",
    "gateway.upstream_responses",
    "auth.token_env",
    "auth.token_file",
    "model.default",
    "model.context_length",
];

fn environment(variables: &[(&str, &str)]) -> Environment {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn of_text(text: &str) -> Result<Loaded, ConfigErrors> {
    of_layers(text, &[], &[])
}

fn of_layers(text: &str, variables: &[(&str, &str)], flags: &[Flag]) -> Result<Loaded, ConfigErrors> {
    let document = Document { path: PathBuf::from("config.yaml"), text: text.to_owned() };
    resolve(Some(&document), &environment(variables), flags, Gathered::default())
}

fn set(pair: &str) -> Flag {
    Flag::Set(pair.to_owned())
}

/// Everything there is to say, as it stands in a terminal.
fn told(loaded: Result<Loaded, ConfigErrors>) -> String {
    let errors = match loaded {
        Ok(Loaded { warnings, notes, .. }) => ConfigErrors { errors: Vec::new(), warnings, notes },
        Err(errors) => errors,
    };
    let mut text = Vec::new();
    commands::write_errors(&errors, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Runs a command on a file of its own; what it wrote, its directory left out.
fn run(
    text: Option<&str>,
    variables: &[(&str, &str)],
    flags: &[Flag],
    command: impl FnOnce(&Sources, &mut Vec<u8>, &mut Vec<u8>) -> Outcome,
) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.yaml");
    if let Some(text) = text {
        std::fs::write(&path, text).unwrap();
    }
    let sources = Sources {
        file: text.map(|_| path),
        directory: directory.path().to_owned(),
        environment: environment(variables),
        flags: flags.to_vec(),
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = command(&sources, &mut out, &mut err);
    let whole = format!("{}{}{outcome:?}", String::from_utf8(err).unwrap(), String::from_utf8(out).unwrap());
    whole.replace(&format!("{}/", directory.path().display()), "")
}

fn run_check(text: Option<&str>, format: Format) -> String {
    run(text, &[], &[], |sources, out, err| commands::check(sources, format, out, err).unwrap())
}

#[test]
fn hints_of_a_gateway_that_does_not_start_name_settings_that_exist() {
    let elsewhere = "0.0.0.0:1".parse().unwrap();
    for error in [StartError::NeedsToken(elsewhere), StartError::EmptyToken] {
        let told = error.hint();
        let words = told.split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '_');
        let named: Vec<&str> = words.filter(|word| word.starts_with("auth.")).collect();
        assert!(!named.is_empty() && named.iter().all(|path| KEYS.contains(path)), "{told}");
    }
}
