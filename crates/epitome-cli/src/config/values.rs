//! The configuration as the program uses it: every value present, checked and typed.

use std::collections::BTreeMap;
use std::time::Duration;

use epitome_core::budget::Threshold;
use epitome_core::tokens::Tokens;

/// Every setting. Built once by [`load`](super::load); take it apart and hand each part on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Config {
    /// When and how conversations become smaller.
    pub(crate) compression: CompressionConfig,
    /// Models that work for us.
    pub(crate) auxiliary: AuxiliaryConfig,
    /// Which engine decides.
    pub(crate) context: ContextConfig,
    /// Marking requests for the provider's cache.
    pub(crate) prompt_caching: PromptCachingConfig,
    /// What is remembered.
    pub(crate) store: StoreConfig,
    /// Where the gateway listens, and where requests go.
    pub(crate) gateway: GatewayConfig,
    /// Who may use the gateway.
    pub(crate) auth: AuthConfig,
    /// The agent's own model.
    pub(crate) model: ModelConfig,
}

/// Where the gateway listens, and where requests go.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GatewayConfig {
    /// An address and a port.
    pub(crate) listen: String,
    /// For every dialect that has none of its own; `None`: the maker of the dialect.
    pub(crate) upstream: Option<String>,
    /// For Anthropic Messages.
    pub(crate) upstream_anthropic: Option<String>,
    /// For OpenAI Chat Completions.
    pub(crate) upstream_chat: Option<String>,
    /// For OpenAI Responses.
    pub(crate) upstream_responses: Option<String>,
    /// A provider that has not begun to answer by then is given up.
    pub(crate) answer_timeout: Duration,
    /// Connections of clients at the same time.
    pub(crate) max_connections: usize,
    /// Bytes of bodies that are held in memory at once.
    pub(crate) max_buffered: u64,
}

/// Who may use the gateway. The tokens themselves are never part of the configuration.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AuthConfig {
    /// The environment variable that holds one.
    pub(crate) token_env: Option<String>,
    /// The file that holds them.
    pub(crate) token_file: Option<String>,
}

/// When and how conversations become smaller.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CompressionConfig {
    /// Off: requests pass through as they came.
    pub(crate) enabled: bool,
    /// Compaction begins when the prompt fills this share of the window.
    pub(crate) threshold: f64,
    /// … or so many tokens, if that is less.
    pub(crate) threshold_tokens: Option<Tokens>,
    /// Models with a threshold of their own, by the beginning of their name.
    pub(crate) model_thresholds: BTreeMap<String, Threshold>,
    /// The protected tail, as a share of the tokens at the threshold.
    pub(crate) target_ratio: f64,
    /// Opening messages that stay, the system prompt counted.
    pub(crate) protect_first_n: usize,
    /// Latest messages that stay at least.
    pub(crate) protect_last_n: usize,
    /// What becomes of old tool outputs.
    pub(crate) outputs: Outputs,
    /// Whether large outputs are digested before the threshold is reached.
    pub(crate) controller: Controller,
    /// How the protected tail is measured.
    pub(crate) tail: Tail,
    /// The safety net at 85 % of the window.
    pub(crate) hygiene: bool,
    /// What decides that it is time.
    pub(crate) trigger: Trigger,
    /// How compactions are made where their price decides.
    pub(crate) cost: CostConfig,
    /// Share of the threshold at which a summary is prepared in the background; `None` never.
    pub(crate) prepare_at: Option<f64>,
    /// How long a request waits for a summary that is being prepared.
    pub(crate) max_wait: Duration,
}

/// How compactions are made where their price decides when.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CostConfig {
    /// Kept at the end, at least.
    pub(crate) tail: Tokens,
    /// A summary is never longer.
    pub(crate) summary: Tokens,
    /// What sending a token costs beyond its bill, relative to uncached input.
    pub(crate) length_price: f64,
    /// The share of what goes that will be fetched again.
    pub(crate) fetched_again: f64,
}

/// Models that work for us.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AuxiliaryConfig {
    /// Writes the summaries.
    pub(crate) compression: SummaryModelConfig,
}

/// The model that writes summaries.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SummaryModelConfig {
    /// `None`: the provider's choice.
    pub(crate) model: Option<String>,
    /// Who is asked.
    pub(crate) provider: Provider,
    /// An endpoint of one's own: http or https, without credentials.
    pub(crate) base_url: Option<String>,
    /// The environment variable that holds the key. The key itself is never part of the configuration.
    pub(crate) api_key_env: Option<String>,
    /// When a summary is given up: nothing came for so long.
    pub(crate) timeout: Duration,
    /// The model's window; `None`: known by its name.
    pub(crate) context_length: Option<Tokens>,
    /// US dollars that summaries may cost; `None`: no limit.
    pub(crate) max_spend: Option<f64>,
}

/// Which engine decides.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContextConfig {
    /// `compressor` is the built-in; a plain name, safe to use in a path.
    pub(crate) engine: String,
    /// Whether it is an error that there is no such engine.
    pub(crate) strict: bool,
}

/// Marking requests for the provider's cache.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PromptCachingConfig {
    /// How long the provider keeps a prefix.
    pub(crate) cache_ttl: CacheTtl,
    /// Where markers go.
    pub(crate) strategy: CacheStrategy,
    /// Whose rules hold.
    pub(crate) rules: CacheRules,
}

/// What is remembered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoreConfig {
    /// What edits removed.
    pub(crate) originals: Originals,
    /// A path, `postgres://…` or `memory`; `None`: the usual file.
    pub(crate) location: Option<String>,
    /// Sessions that were not seen for so many days are forgotten; `None`: never.
    pub(crate) keep_days: Option<u64>,
    /// The oldest sessions are forgotten when there is more than this; `None`: never.
    pub(crate) keep_bytes: Option<u64>,
}

/// The agent's own model, as far as the configuration knows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ModelConfig {
    /// Its name; `None`: whatever the request says.
    pub(crate) name: Option<String>,
    /// Its window; `None`: known by its name.
    pub(crate) context_length: Option<Tokens>,
}

/// A setting that is one of a few words.
pub(crate) trait Choice: Sized {
    /// The value written so.
    fn named(word: &str) -> Option<Self>;

    /// How it is written.
    fn word(self) -> &'static str;
}

/// An enum, its words, and the list of them for the table of settings.
macro_rules! choice {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $name {
            $($(#[$meaning])* $variant,)+
        }

        impl $name {
            /// How its values are written, in the order of the documentation.
            pub(crate) const NAMES: &'static [&'static str] = &[$($word),+];
        }

        impl Choice for $name {
            fn named(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)+
                    _ => None,
                }
            }

            fn word(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }
    };
}

choice! {
    /// What becomes of old tool outputs.
    Outputs {
        /// The lines that matter, quoted: errors and failures stay.
        Digest = "digest",
        /// `[Old tool output cleared to save context space]`.
        Clear = "clear",
    }
}

choice! {
    /// Whether large outputs are digested before the threshold is reached.
    Controller {
        /// No.
        Off = "off",
        /// Above 75 % of the window the largest old outputs first, until 50 %.
        LargestFirst = "largest_first",
    }
}

choice! {
    /// How the protected tail is measured.
    Tail {
        /// By its share and number of messages.
        Fixed = "fixed",
        /// By what the task needs.
        Adaptive = "adaptive",
    }
}

choice! {
    /// What decides that it is time.
    Trigger {
        /// The share of the window.
        Threshold = "threshold",
        /// What the compaction costs against what it saves.
        Cost = "cost",
    }
}

choice! {
    /// Where markers for the provider's cache go.
    CacheStrategy {
        /// `stateful` where something can be remembered, else `system_and_3`.
        Auto = "auto",
        /// Where the prompt grows, and where it was written before.
        Stateful = "stateful",
        /// The system prompt and the last three messages.
        SystemAndThree = "system_and_3",
        /// Where the client puts them.
        Client = "client",
    }
}

choice! {
    /// Whose rules hold for markers.
    CacheRules {
        /// Those of the upstream's own address.
        Auto = "auto",
        /// Anthropic's.
        Anthropic = "anthropic",
        /// OpenRouter's.
        OpenRouter = "openrouter",
        /// OpenAI's.
        OpenAi = "openai",
    }
}

choice! {
    /// How long the provider keeps a prefix.
    CacheTtl {
        /// Five minutes.
        FiveMinutes = "5m",
        /// One hour.
        OneHour = "1h",
        /// As five minutes: Hermes Agent decides by the kind of session.
        Auto = "auto",
        /// Nothing is marked.
        Off = "false",
    }
}

/// Who writes summaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Provider {
    /// `base_url` if set; else the request's own model; else the local summariser.
    Auto,
    /// As `auto`, without falling back to another endpoint.
    Main,
    /// OpenRouter, with the key of `api_key_env`.
    OpenRouter,
    /// Nous Portal, with the key of `api_key_env`.
    Nous,
    /// Anthropic, with the key of `api_key_env`.
    Anthropic,
    /// OpenAI, with the key of `api_key_env`.
    OpenAi,
    /// No model.
    Local,
    /// Somebody whose address only `base_url` tells.
    Other(String),
}

impl Provider {
    /// Those that we know, in the order of the documentation.
    pub(crate) const NAMES: &'static [&'static str] =
        &["auto", "main", "openrouter", "nous", "anthropic", "openai", "local"];

    /// The provider of this name.
    pub(crate) fn named(name: String) -> Provider {
        match name.as_str() {
            "auto" => Provider::Auto,
            "main" => Provider::Main,
            "openrouter" => Provider::OpenRouter,
            "nous" => Provider::Nous,
            "anthropic" => Provider::Anthropic,
            "openai" => Provider::OpenAi,
            "local" => Provider::Local,
            _ => Provider::Other(name),
        }
    }

    /// How it is written.
    pub(crate) fn name(&self) -> &str {
        match self {
            Provider::Auto => "auto",
            Provider::Main => "main",
            Provider::OpenRouter => "openrouter",
            Provider::Nous => "nous",
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Local => "local",
            Provider::Other(name) => name,
        }
    }

    /// Whether it cannot be asked without a key of its own.
    #[must_use]
    pub(crate) fn needs_key(&self) -> bool {
        match self {
            Provider::OpenRouter | Provider::Nous | Provider::Anthropic | Provider::OpenAi => true,
            Provider::Auto | Provider::Main | Provider::Local | Provider::Other(_) => false,
        }
    }
}

choice! {
    /// What becomes of the originals that edits removed.
    Originals {
        /// Stored, to be fetched, searched and expanded.
        Keep = "keep",
        /// Not stored.
        Off = "off",
    }
}
