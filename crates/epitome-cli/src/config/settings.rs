//! The one table of settings: the reader, the ranges, `show`, the schema and the documentation are made from it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use epitome_core::budget::Threshold;
use epitome_core::tokens::Tokens;

use super::values::{
    CacheRules, CacheStrategy, CacheTtl, Choice, Config, Controller, Originals, Outputs, Provider, Tail, Trigger,
};

/// One setting, and everything that is known about it.
pub(crate) struct Setting {
    /// As it stands in the file, sections joined by dots.
    pub(crate) path: &'static str,
    pub(crate) kind: Kind,
    pub(crate) default: Value,
    pub(crate) asked_by: AskedBy,
    /// Spellings of earlier versions, accepted with a hint.
    pub(crate) older: &'static [&'static str],
    /// One sentence for people.
    pub(crate) doc: &'static str,
    /// Its value in a finished configuration.
    pub(crate) of: fn(&Config) -> Value,
}

/// What a setting may hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Switch,
    /// A part of something, not of a hundred: 0.5 is half.
    Share {
        least: f64,
        most: f64,
    },
    Count {
        least: u64,
        most: Option<u64>,
    },
    /// A number of tokens, also as `128k` or `1M`.
    Tokens {
        least: u64,
        most: Option<u64>,
    },
    /// A section of models, each with a share of its window or a number of tokens.
    Thresholds,
    /// A number of seconds, or a number with `s`, `m` or `h`.
    Seconds {
        least: f64,
        most: f64,
    },
    /// US dollars, from nothing on.
    Dollars {
        most: f64,
    },
    Choice(&'static [&'static str]),
    /// One of these words, or a name that somebody else has given.
    ChoiceOrName(&'static [&'static str]),
    Text(Form),
    /// As the inner kind, or nothing.
    Optional(&'static Kind),
}

/// What a text must look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Anything but nothing.
    Any,
    /// Letters, digits, `_`, `-` and inner dots: safe to use in a path.
    PlainName,
    /// The name of an environment variable.
    Variable,
    /// http or https, without credentials.
    Url,
    /// A host and a port.
    Listen,
    /// A path, an address of PostgreSQL, or `memory`.
    Store,
}

/// A value that passed the checks of its kind.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Nothing,
    Switch(bool),
    Number(f64),
    Count(u64),
    Text(Cow<'static, str>),
    Thresholds(BTreeMap<String, Threshold>),
}

/// Where the wish for a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskedBy {
    /// The documents that describe the system.
    Documents,
    /// Added by Epitome.
    Epitome,
    /// A key of Hermes Agent that we read too.
    Hermes,
}

const HOUR: f64 = 3600.0;

/// Every setting, in the order in which people read them.
pub(crate) static SETTINGS: &[Setting] = &[
    Setting {
        path: "compression.enabled",
        kind: Kind::Switch,
        default: Value::Switch(true),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "Whether conversations are compressed at all. Prompt caching is another matter: see `prompt_caching.strategy`.",
        of: |config| Value::Switch(config.compression.enabled),
    },
    Setting {
        path: "compression.threshold",
        kind: Kind::Share { least: 0.0, most: 1.0 },
        default: Value::Number(0.5),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "Share of the context window at which compaction begins.",
        of: |config| Value::Number(config.compression.threshold),
    },
    Setting {
        path: "compression.threshold_tokens",
        kind: Kind::Optional(&Kind::Tokens { least: 0, most: None }),
        default: Value::Nothing,
        asked_by: AskedBy::Hermes,
        older: &[],
        doc: "Tokens at which compaction begins at the latest: the smaller of this and the threshold's share counts; null or \
              0 leaves it to the share.",
        of: |config| config.compression.threshold_tokens.map_or(Value::Nothing, |Tokens(cap)| Value::Count(cap)),
    },
    Setting {
        path: "compression.model_thresholds",
        kind: Kind::Thresholds,
        default: Value::Thresholds(BTreeMap::new()),
        asked_by: AskedBy::Hermes,
        older: &[],
        doc: "Thresholds of single models in place of `threshold`: the beginning of a model's name, and a share of its window \
              or a number of tokens. The longest beginning that fits counts; a provider before the name (`anthropic/`) may be left out.",
        of: |config| Value::Thresholds(config.compression.model_thresholds.clone()),
    },
    Setting {
        path: "compression.target_ratio",
        kind: Kind::Share { least: 0.1, most: 0.8 },
        default: Value::Number(0.2),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "Share of the threshold's tokens that the protected tail may hold.",
        of: |config| Value::Number(config.compression.target_ratio),
    },
    Setting {
        path: "compression.protect_last_n",
        kind: Kind::Count { least: 1, most: None },
        default: Value::Count(20),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "Latest messages that stay as they are, at least.",
        of: |config| Value::Count(config.compression.protect_last_n as u64),
    },
    Setting {
        path: "compression.protect_first_n",
        kind: Kind::Count { least: 2, most: None },
        default: Value::Count(3),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "Opening messages that stay as they are; the system prompt counts as one, and the first request stays always.",
        of: |config| Value::Count(config.compression.protect_first_n as u64),
    },
    Setting {
        path: "compression.outputs",
        kind: Kind::Choice(Outputs::NAMES),
        default: Value::Text(Cow::Borrowed("digest")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "What becomes of old tool outputs: a digest that keeps errors and what is unlike the rest, or a one-line placeholder.",
        of: |config| word(config.compression.outputs),
    },
    Setting {
        path: "compression.controller",
        kind: Kind::Choice(Controller::NAMES),
        default: Value::Text(Cow::Borrowed("off")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Whether, above 75 % of the window, the largest old outputs are digested first until 50 % is reached. \
              With `largest_first` that decides when to act, and `compression.threshold` does not.",
        of: |config| word(config.compression.controller),
    },
    Setting {
        path: "compression.tail",
        kind: Kind::Choice(Tail::NAMES),
        default: Value::Text(Cow::Borrowed("fixed")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Whether the protected tail has a fixed size or adapts to the task.",
        of: |config| word(config.compression.tail),
    },
    Setting {
        path: "compression.hygiene",
        kind: Kind::Switch,
        default: Value::Switch(true),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The safety net before a request is processed, at 85 % of the window.",
        of: |config| Value::Switch(config.compression.hygiene),
    },
    Setting {
        path: "compression.trigger",
        kind: Kind::Choice(Trigger::NAMES),
        default: Value::Text(Cow::Borrowed("threshold")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Whether the threshold decides that it is time, or what a compaction costs against what it saves: then the \
              threshold is a ceiling, and the tail is that of `compression.cost`.",
        of: |config| word(config.compression.trigger),
    },
    Setting {
        path: "compression.cost.tail",
        kind: Kind::Tokens { least: 1_000, most: None },
        default: Value::Count(20_000),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "With `trigger: cost`, tokens at the end that stay as they are, at least; in place of `target_ratio` and \
              `protect_last_n`.",
        of: |config| Value::Count(config.compression.cost.tail.0),
    },
    Setting {
        path: "compression.cost.summary",
        kind: Kind::Tokens { least: 500, most: Some(12_000) },
        default: Value::Count(4_000),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "With `trigger: cost`, tokens that a summary has at most.",
        of: |config| Value::Count(config.compression.cost.summary.0),
    },
    Setting {
        path: "compression.cost.length_price",
        kind: Kind::Share { least: 0.0, most: 1.0 },
        default: Value::Number(0.0),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "What sending a token costs beyond its bill, as a share of the price of uncached input, because models do worse in \
              long contexts. More compacts sooner.",
        of: |config| Value::Number(config.compression.cost.length_price),
    },
    Setting {
        path: "compression.cost.fetched_again",
        kind: Kind::Share { least: 0.0, most: 1.0 },
        default: Value::Number(0.0),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Which share of what a compaction takes out will be fetched, and paid for, again. More compacts later.",
        of: |config| Value::Number(config.compression.cost.fetched_again),
    },
    Setting {
        path: "compression.prepare_at",
        kind: Kind::Optional(&Kind::Share { least: 0.0, most: 1.0 }),
        default: Value::Number(0.8),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Share of the threshold at which a model's summary is prepared in the background; null never prepares one.",
        of: |config| config.compression.prepare_at.map_or(Value::Nothing, Value::Number),
    },
    Setting {
        path: "compression.max_wait",
        kind: Kind::Seconds { least: 0.0, most: HOUR },
        default: Value::Number(30.0),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Seconds that a request waits for a summary before the local summariser takes over.",
        of: |config| Value::Number(config.compression.max_wait.as_secs_f64()),
    },
    Setting {
        path: "auxiliary.compression.model",
        kind: Kind::Optional(&Kind::Text(Form::Any)),
        default: Value::Nothing,
        asked_by: AskedBy::Documents,
        older: &["compression.summary_model"],
        doc: "The model that writes summaries; null leaves it to the provider.",
        of: |config| text(config.auxiliary.compression.model.as_ref()),
    },
    Setting {
        path: "auxiliary.compression.provider",
        kind: Kind::ChoiceOrName(Provider::NAMES),
        default: Value::Text(Cow::Borrowed("auto")),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "Who writes summaries: `auto` uses `base_url` if set, else the request's own model, else no model; \
              `main` is that without another endpoint to fall back to; `local` uses no model; `openrouter`, `nous`, `anthropic` \
              and `openai` need `api_key_env`. Any other name is used with `base_url`, and counts as `auto` without it.",
        of: |config| Value::Text(config.auxiliary.compression.provider.name().to_owned().into()),
    },
    Setting {
        path: "auxiliary.compression.base_url",
        kind: Kind::Optional(&Kind::Text(Form::Url)),
        default: Value::Nothing,
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "An endpoint of your own that writes summaries: OpenAI-compatible, or Anthropic's with `provider: anthropic`.",
        of: |config| text(config.auxiliary.compression.base_url.as_ref()),
    },
    Setting {
        path: "auxiliary.compression.api_key_env",
        kind: Kind::Optional(&Kind::Text(Form::Variable)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The name of the environment variable that holds the key; the key itself never stands in the file.",
        of: |config| text(config.auxiliary.compression.api_key_env.as_ref()),
    },
    Setting {
        path: "auxiliary.compression.timeout",
        kind: Kind::Seconds { least: 1.0, most: HOUR },
        // As in Hermes 0.19.
        default: Value::Number(120.0),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Seconds without a byte from the model after which a summary is given up.",
        of: |config| Value::Number(config.auxiliary.compression.timeout.as_secs_f64()),
    },
    Setting {
        path: "auxiliary.compression.context_length",
        // A prompt without any transcript takes most of 2,000.
        kind: Kind::Optional(&Kind::Tokens { least: 2_000, most: None }),
        default: Value::Nothing,
        asked_by: AskedBy::Hermes,
        older: &[],
        doc: "The context window of the model that writes summaries, in tokens; null goes by the model's name, and takes \
              16,384 for one that is not known. What does not fit is summarised in parts.",
        of: |config| {
            let length = config.auxiliary.compression.context_length;
            length.map_or(Value::Nothing, |Tokens(length)| Value::Count(length))
        },
    },
    Setting {
        path: "auxiliary.compression.max_spend",
        kind: Kind::Optional(&Kind::Dollars { most: 1_000_000.0 }),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "US dollars that summaries may cost from the start of the program to its end; the call that could exceed \
              it is not made. Needs a model whose price is known.",
        of: |config| config.auxiliary.compression.max_spend.map_or(Value::Nothing, Value::Number),
    },
    Setting {
        path: "context.engine",
        kind: Kind::Text(Form::PlainName),
        default: Value::Text(Cow::Borrowed("compressor")),
        asked_by: AskedBy::Documents,
        older: &[],
        doc: "The engine that decides what is compressed; `compressor` is always the built-in one.",
        of: |config| Value::Text(config.context.engine.clone().into()),
    },
    Setting {
        path: "context.strict",
        kind: Kind::Switch,
        default: Value::Switch(false),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Whether a `context.engine` that does not exist is an error. Without it the built-in engine works in its place, with a warning.",
        of: |config| Value::Switch(config.context.strict),
    },
    Setting {
        path: "prompt_caching.cache_ttl",
        kind: Kind::Choice(CacheTtl::NAMES),
        default: Value::Text(Cow::Borrowed("5m")),
        asked_by: AskedBy::Documents,
        older: &["model.cache_ttl"],
        doc: "How long the provider keeps a cached prefix. With `5m` tools and system prompt are kept for an hour once a \
              session has paused for more than five minutes; `auto` is `5m`, and `false` sets no markers at all.",
        of: |config| word(config.prompt_caching.cache_ttl),
    },
    Setting {
        path: "prompt_caching.strategy",
        kind: Kind::Choice(CacheStrategy::NAMES),
        default: Value::Text(Cow::Borrowed("auto")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Where requests are marked for the provider's cache: `stateful` remembers what was written, `system_and_3` \
              needs no memory, `client` leaves it to the client; `auto` is `stateful` where something can be remembered.",
        of: |config| word(config.prompt_caching.strategy),
    },
    Setting {
        path: "prompt_caching.rules",
        kind: Kind::Choice(CacheRules::NAMES),
        default: Value::Text(Cow::Borrowed("auto")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Whose rules hold for markers. `auto` goes by the upstream's address; name the provider where a proxy of \
              your own stands before it.",
        of: |config| word(config.prompt_caching.rules),
    },
    Setting {
        path: "store.originals",
        kind: Kind::Choice(Originals::NAMES),
        default: Value::Text(Cow::Borrowed("keep")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Whether what an edit removed is stored, to be fetched and searched later.",
        of: |config| word(config.store.originals),
    },
    Setting {
        path: "store.location",
        kind: Kind::Optional(&Kind::Text(Form::Store)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Where the gateway remembers: the path of an SQLite file, `postgres://user@host/database` (the password in \
              PGPASSWORD), or `memory`; null is `epitome.db` in the user's data directory.",
        of: |config| text(config.store.location.as_ref()),
    },
    Setting {
        path: "store.keep_days",
        kind: Kind::Optional(&Kind::Count { least: 1, most: None }),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Sessions that were not seen for so many days are forgotten while the gateway runs; null keeps them.",
        of: |config| config.store.keep_days.map_or(Value::Nothing, Value::Count),
    },
    Setting {
        path: "store.keep_bytes",
        kind: Kind::Optional(&Kind::Count { least: 1, most: None }),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The longest unseen sessions of a tenant are forgotten while its originals and kept histories take more \
              bytes than this, as stored; null sets no limit.",
        of: |config| config.store.keep_bytes.map_or(Value::Nothing, Value::Count),
    },
    Setting {
        path: "gateway.listen",
        kind: Kind::Text(Form::Listen),
        default: Value::Text(Cow::Borrowed("127.0.0.1:8484")),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Where the gateway listens, as `127.0.0.1:8484` or `localhost:8484`. An address that other machines can reach needs a token, or `--insecure`.",
        of: |config| Value::Text(config.gateway.listen.clone().into()),
    },
    Setting {
        path: "gateway.upstream",
        kind: Kind::Optional(&Kind::Text(Form::Url)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The provider that requests go to, for every dialect that has none of its own; null is the maker of the \
              dialect, api.anthropic.com or api.openai.com.",
        of: |config| text(config.gateway.upstream.as_ref()),
    },
    Setting {
        path: "gateway.upstream_anthropic",
        kind: Kind::Optional(&Kind::Text(Form::Url)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The provider for Anthropic Messages.",
        of: |config| text(config.gateway.upstream_anthropic.as_ref()),
    },
    Setting {
        path: "gateway.upstream_chat",
        kind: Kind::Optional(&Kind::Text(Form::Url)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The provider for OpenAI Chat Completions.",
        of: |config| text(config.gateway.upstream_chat.as_ref()),
    },
    Setting {
        path: "gateway.upstream_responses",
        kind: Kind::Optional(&Kind::Text(Form::Url)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The provider for OpenAI Responses.",
        of: |config| text(config.gateway.upstream_responses.as_ref()),
    },
    Setting {
        path: "gateway.answer_timeout",
        kind: Kind::Seconds { least: 0.1, most: 24.0 * HOUR },
        default: Value::Number(1_800.0),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Seconds that a provider may take to begin its answer. Longer than any client waits, so that it is the client who decides.",
        of: |config| Value::Number(config.gateway.answer_timeout.as_secs_f64()),
    },
    Setting {
        path: "gateway.max_connections",
        kind: Kind::Count { least: 1, most: Some(1_000_000) },
        default: Value::Count(1_024),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Connections of clients at the same time; more wait until one ends. Where a token is asked for, a quarter of them are for clients that have not shown one yet.",
        of: |config| Value::Count(config.gateway.max_connections as u64),
    },
    Setting {
        path: "gateway.max_buffered",
        kind: Kind::Count { least: 16_000_000, most: None },
        default: Value::Count(256_000_000),
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "Bytes of bodies that are held in memory at once. Who finds no room waits; a body that is larger than seven \
              eighths of this passes through unread.",
        of: |config| Value::Count(config.gateway.max_buffered),
    },
    Setting {
        path: "auth.token_env",
        kind: Kind::Optional(&Kind::Text(Form::Variable)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "The environment variable that holds the token which clients of the gateway send as `x-epitome-token`.",
        of: |config| text(config.auth.token_env.as_ref()),
    },
    Setting {
        path: "auth.token_file",
        kind: Kind::Optional(&Kind::Text(Form::Any)),
        default: Value::Nothing,
        asked_by: AskedBy::Epitome,
        older: &[],
        doc: "A file that holds such tokens, one a line.",
        of: |config| text(config.auth.token_file.as_ref()),
    },
    Setting {
        path: "model.default",
        kind: Kind::Optional(&Kind::Text(Form::Any)),
        default: Value::Nothing,
        asked_by: AskedBy::Hermes,
        older: &[],
        doc: "The agent's model; null goes by what each request says.",
        of: |config| text(config.model.name.as_ref()),
    },
    Setting {
        path: "model.context_length",
        kind: Kind::Optional(&Kind::Tokens { least: 1, most: None }),
        default: Value::Nothing,
        asked_by: AskedBy::Hermes,
        older: &[],
        doc: "The model's context window in tokens; null goes by the model's name.",
        of: |config| config.model.context_length.map_or(Value::Nothing, |Tokens(length)| Value::Count(length)),
    },
];

/// A section of the file that we read, and how we treat what we do not know in it.
pub(crate) struct Section {
    pub(crate) path: &'static str,
    pub(crate) strangers: Strangers,
    /// One sentence for people.
    pub(crate) doc: &'static str,
}

/// What a key in a section means that is none of our settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strangers {
    /// The section is shared: it belongs to somebody else.
    Foreign,
    /// A mistake, apart from these keys of Hermes Agent which have no effect here. `*` at the end stands for anything.
    Mistakes { but_for: &'static [&'static str] },
}

/// Every section that holds settings, outer before inner.
pub(crate) static SECTIONS: &[Section] = &[
    Section {
        path: "compression",
        // Hermes Agent 0.19, and what its later versions added.
        strangers: Strangers::Mistakes {
            but_for: &[
                "abort_on_summary_failure",
                "checkpoint_required",
                "codex_app_server_auto",
                "codex_gpt55_autoraise",
                "codex_gpt55_autoraise_notice",
                "codex_responses_compact_threshold",
                "codex_responses_native",
                "context_timeout_seconds",
                "context_total_ceiling_seconds",
                "hygiene_failure_cooldown_seconds",
                "hygiene_hard_message_limit",
                "hygiene_max_turn_hold_seconds",
                "hygiene_timeout_seconds",
                "hygiene_total_ceiling_seconds",
                "idle_compact_after_seconds",
                "in_place",
                "max_attempts",
                "micro_compact*",
                "min_tail_user_messages",
                "proactive_prune_min_reclaim_tokens",
                "proactive_prune_min_result_chars",
                "proactive_prune_tokens",
                "progress_notices",
                "summary_base_url",
                "summary_provider",
                "tail_mode",
            ],
        },
        doc: "When and how conversations become smaller.",
    },
    Section {
        path: "compression.cost",
        strangers: Strangers::Mistakes { but_for: &[] },
        doc: "How compactions are made, and what they are taken to cost, where `compression.trigger` is `cost`.",
    },
    Section { path: "auxiliary", strangers: Strangers::Foreign, doc: "Models that work beside the agent's own." },
    Section {
        path: "auxiliary.compression",
        strangers: Strangers::Mistakes {
            but_for: &[
                "api_key",
                "api_mode",
                "extra_body",
                "fallback_chain",
                "key_env",
                "no_progress_timeout",
                "reasoning_effort",
            ],
        },
        doc: "The model that writes summaries.",
    },
    Section {
        path: "context",
        strangers: Strangers::Mistakes { but_for: &[] },
        doc: "The engine that decides what is compressed.",
    },
    Section {
        path: "prompt_caching",
        strangers: Strangers::Mistakes { but_for: &[] },
        doc: "Marks for the provider's prompt cache.",
    },
    Section { path: "store", strangers: Strangers::Mistakes { but_for: &[] }, doc: "What Epitome remembers." },
    Section {
        path: "gateway",
        // Hermes Agent has a section of this name too.
        strangers: Strangers::Foreign,
        doc: "The gateway: where it listens, and where requests go.",
    },
    Section { path: "auth", strangers: Strangers::Foreign, doc: "Who may use the gateway." },
    Section {
        path: "model",
        strangers: Strangers::Foreign,
        doc: "The agent's own model; a plain text is read as `default`.",
    },
];

impl Strangers {
    /// Whether a key that is none of our settings is one of Hermes Agent's which has no effect here.
    pub(crate) fn has_no_effect(self, key: &str) -> bool {
        let is = |known: &str| known.strip_suffix('*').map_or(known == key, |beginning| key.starts_with(beginning));
        match self {
            Strangers::Foreign => false,
            Strangers::Mistakes { but_for } => but_for.iter().any(|known| is(known)),
        }
    }
}

impl Setting {
    /// The environment variable that sets it.
    pub(crate) fn variable(&self) -> String {
        variable_of(self.path)
    }
}

/// `EPITOME_COMPRESSION_THRESHOLD` for `compression.threshold`.
pub(crate) fn variable_of(path: &str) -> String {
    format!("EPITOME_{}", path.replace('.', "_").to_uppercase())
}

/// The setting of this path.
pub(crate) fn setting(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.path == path)
}

/// The setting that had this path in an earlier version.
pub(crate) fn formerly(path: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.older.contains(&path))
}

/// The section of this path.
pub(crate) fn section(path: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.path == path)
}

/// The last part of a path.
pub(crate) fn leaf(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn word<C: Choice>(choice: C) -> Value {
    Value::Text(Cow::Borrowed(choice.word()))
}

fn text(text: Option<&String>) -> Value {
    text.map_or(Value::Nothing, |text| Value::Text(text.clone().into()))
}
