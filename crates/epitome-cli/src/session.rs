//! A session as the commands need it: read, with its model's window known and a way to count.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use epitome_core::budget::{Controller, Outputs, Policy, Tail, Thrift, Trigger};
use epitome_core::catalogue::{Catalogue, DEFAULT_CONTEXT_LENGTH, Lookup, ModelFacts};
use epitome_core::compaction::{Weight, weigh};
use epitome_core::cost::trigger::ShadowPrices;
use epitome_core::model::Conversation;
use epitome_core::tokens::{BpeCounter, ScaledCounter, Sizes, TokenCounter, Tokens, prior_factor};
use epitome_wire::{DuplicateKeys, Format, Request};
use serde_json::{Value, json};

use crate::arguments::SessionArguments;
use crate::config::values;
use crate::config::{Config, Loaded, Origin};
use crate::failure::{Failure, shown};
use crate::files;

/// A recorded session, ready to be worked on.
pub(crate) struct Session {
    /// What messages call it.
    pub(crate) name: String,
    /// The client's bytes, and what they say.
    pub(crate) request: Request,
    /// The model, if anybody named one.
    pub(crate) model: Option<String>,
    /// The model's window.
    pub(crate) window: Window,
    /// What is known of models, with what the user says about them.
    pub(crate) catalogue: Catalogue,
    /// Prices and cache rules, as far as they are known.
    pub(crate) facts: ModelFacts,
    /// Counts in the model's tokens.
    pub(crate) counter: Arc<dyn TokenCounter>,
    /// What each part weighs, estimated.
    pub(crate) sizes: Sizes,
}

/// How large a model's window is, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// In tokens.
    pub(crate) length: Tokens,
    /// For people: `flag --context-length`, `the catalogue`, …
    pub(crate) said_by: String,
    /// What a person should be told about it.
    pub(crate) warning: Option<String>,
}

impl Session {
    /// Reads a session, as flags and configuration say.
    pub(crate) fn read(arguments: &SessionArguments, loaded: &Loaded) -> Result<Session, Failure> {
        let (name, bytes) = files::read(arguments.file.as_deref())?;
        if bytes.trim_ascii().is_empty() {
            return Err(Failure::input(format!("{name}: the session is empty")));
        }
        let format = arguments.format.map_or(Format::Detect, |dialect| Format::Given(dialect.into()));
        let request = Request::read(bytes, format, DuplicateKeys::Refuse);
        let request = request.map_err(|error| Failure::unreadable(&name, &error))?;
        let named = arguments.model.as_deref().or(request.model()).or(loaded.config.model.name.as_deref());
        let model = named.map(str::to_owned);
        let catalogue = catalogue(arguments.models.as_deref())?;
        let (window, facts) = window(model.as_deref(), loaded, &catalogue);
        let factor = model.as_deref().map_or(1.0, prior_factor);
        let counter: Arc<dyn TokenCounter> = Arc::new(ScaledCounter::new(BpeCounter, factor));
        let sizes = Sizes::of(request.conversation(), &*counter);
        Ok(Session { name, request, model, window, catalogue, facts, counter, sizes })
    }

    /// What the session says.
    pub(crate) fn conversation(&self) -> &Conversation {
        self.request.conversation()
    }

    /// What every JSON report opens with, and then what `more` says.
    pub(crate) fn described(&self, more: Value) -> Value {
        let mut report = json!({
            "session": self.name,
            "format": self.request.dialect().name(),
            "model": self.model,
            "context_length": self.window.length,
            "context_length_said_by": self.window.said_by,
        });
        if let (Value::Object(report), Value::Object(more)) = (&mut report, more) {
            report.extend(more);
        }
        report
    }

    /// What the configuration says about compaction, for its model.
    pub(crate) fn policy(&self, config: &Config) -> Policy {
        policy(config).for_model(self.model.as_deref().unwrap_or_default())
    }

    /// What it weighs, as exactly as `limit` asks for.
    pub(crate) fn weigh(&self, limit: Tokens) -> Weight {
        weigh(self.conversation(), &self.sizes, limit, &*self.counter)
    }
}

/// What the configuration says about compaction, as the engine takes it.
pub(crate) fn policy(config: &Config) -> Policy {
    let compression = &config.compression;
    Policy {
        threshold: compression.threshold,
        threshold_tokens: compression.threshold_tokens,
        model_thresholds: compression.model_thresholds.clone(),
        target_ratio: compression.target_ratio,
        protect_first_n: compression.protect_first_n,
        protect_last_n: compression.protect_last_n,
        outputs: match compression.outputs {
            values::Outputs::Digest => Outputs::Digest,
            values::Outputs::Clear => Outputs::Clear,
        },
        controller: match compression.controller {
            values::Controller::Off => Controller::Off,
            values::Controller::LargestFirst => Controller::LargestFirst,
        },
        tail: match compression.tail {
            values::Tail::Fixed => Tail::Fixed,
            values::Tail::Adaptive => Tail::Adaptive,
        },
        trigger: match compression.trigger {
            values::Trigger::Threshold => Trigger::Threshold,
            values::Trigger::Cost => Trigger::Cost(thrift(config)),
        },
    }
}

/// How compactions are made whose price decides when.
pub(crate) fn thrift(config: &Config) -> Thrift {
    let cost = &config.compression.cost;
    let shadow = ShadowPrices { length: cost.length_price, fetched_again: cost.fetched_again };
    Thrift { tail: cost.tail, summary: cost.summary, shadow }
}

/// What is known of models, with what a file says about them.
pub(crate) fn catalogue(overrides: Option<&Path>) -> Result<Catalogue, Failure> {
    let Some(path) = overrides else { return Ok(Catalogue::embedded()) };
    let text = fs::read_to_string(path).map_err(|error| Failure::outside(shown(path), &error))?;
    Catalogue::embedded().with_overrides(&text).map_err(|error| Failure::input(format!("{}: {error}", shown(path))))
}

/// What is configured, by flag or file, wins over the catalogue. What nobody knows is said to be a default.
fn window(model: Option<&str>, loaded: &Loaded, catalogue: &Catalogue) -> (Window, ModelFacts) {
    let (facts, known) = match catalogue.lookup(model.unwrap_or_default()) {
        Lookup::Known(facts) => (facts, Known::Exactly),
        Lookup::Family(facts, name) => (facts, Known::As(name)),
        Lookup::Unknown(facts) => (facts, Known::No),
    };
    let said = |length: Tokens, said_by: String| Window { length, said_by, warning: None };
    let window = match (loaded.config.model.context_length, known) {
        (Some(length), _) => {
            let origin = loaded.origins.get("model.context_length").unwrap_or(&Origin::Default);
            said(length, origin.to_string())
        }
        (None, Known::Exactly) => said(facts.context_length, "the catalogue".to_owned()),
        (None, Known::As(name)) => said(facts.context_length, format!("the catalogue, as {name}")),
        (None, Known::No) => {
            let who = model.map_or("no model is named".to_owned(), |model| format!("the model {model:?} is not known"));
            let warning = format!(
                "{who}: a window of {DEFAULT_CONTEXT_LENGTH} tokens is assumed; \
                 say --context-length, or model.context_length in the configuration"
            );
            Window { length: DEFAULT_CONTEXT_LENGTH, said_by: "assumed".to_owned(), warning: Some(warning) }
        }
    };
    (window, facts)
}

enum Known {
    Exactly,
    As(String),
    No,
}
