//! Why a model was not asked, or did not answer. No error holds a word of a conversation, a key, or a provider's prose.

use std::time::Duration;

use epitome_core::summary::{Refusal, SummarizeError};
use epitome_core::tokens::Tokens;
use epitome_wire::asking::TooLong;

/// Why one call brought no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No connection.
    #[error("{host} cannot be reached: {}", innermost(&**.source))]
    Unreachable {
        /// Who.
        host: String,
        /// What the client says.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nothing came for too long.
    #[error("{host} sent nothing for {} s (auxiliary.compression.timeout)", seconds(.after))]
    NoProgress {
        /// Who.
        host: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The answer broke off.
    #[error("the answer of {host} broke off")]
    Cut {
        /// Who.
        host: String,
    },
    /// The provider said no.
    #[error("{host} answered {status}{}{}", named(.kind), next_step(*.status))]
    Status {
        /// Who.
        host: String,
        /// The HTTP status.
        status: u16,
        /// The provider's name for it, where it is a plain name.
        kind: Option<String>,
        /// When to ask again, as the provider says.
        retry_after: Option<Duration>,
    },
    /// The provider reported an error inside of its stream.
    #[error("{host} reported an error while it answered{}", named(.kind))]
    Failed {
        /// Who.
        host: String,
        /// The provider's name for it, where it is a plain name.
        kind: Option<String>,
    },
    /// The prompt does not fit the model's window.
    #[error("the prompt does not fit the window of the model at {host}; set auxiliary.compression.context_length")]
    TooLong {
        /// Who.
        host: String,
        /// What it says about that.
        told: TooLong,
    },
    /// It wants to be asked elsewhere, which we do not do: the key is not for others.
    #[error(
        "{host} answered {status}, a redirect, which is not followed; set auxiliary.compression.base_url to where it leads"
    )]
    Redirected {
        /// Who.
        host: String,
        /// The HTTP status.
        status: u16,
    },
    /// The answer is not in the dialect.
    #[error("the answer of {host} is not understood: {what}; is auxiliary.compression.base_url right?")]
    NotUnderstood {
        /// Who.
        host: String,
        /// What was expected.
        what: &'static str,
    },
    /// The answer is compressed.
    #[error("the answer of {host} is compressed ({how}), which was not asked for")]
    Compressed {
        /// Who.
        host: String,
        /// How.
        how: &'static str,
    },
    /// The answer does not end.
    #[error("the answer of {host} is larger than {limit} bytes")]
    TooMuch {
        /// Who.
        host: String,
        /// What is read at most.
        limit: usize,
    },
    /// The model would not, or wanted to call a tool.
    #[error("the model at {host} declined to answer")]
    Declined {
        /// Who.
        host: String,
    },
    /// The answer reached its limit before it was complete.
    #[error("the model at {host} did not finish within {limit}")]
    Unfinished {
        /// Who.
        host: String,
        /// What it was allowed.
        limit: Tokens,
    },
    /// Nothing was said.
    #[error("the model at {host} said nothing")]
    Empty {
        /// Who.
        host: String,
    },
}

/// Why there is no summary from the model.
#[derive(Debug, thiserror::Error)]
pub enum ProviderError {
    /// A call brought nothing.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// It failed several times in a row and is left alone for a while.
    #[error("the model failed {failures} times in a row and is not asked for another {} s", seconds(.left))]
    Cooling {
        /// How often.
        failures: u32,
        /// How long yet.
        left: Duration,
    },
    /// The next call could cost more than is left.
    #[error(
        "summaries may cost ${}, ${spent:.4} is spent and the next call may cost ${next:.4}; raise auxiliary.compression.max_spend",
        dollars(*.cap)
    )]
    SpendCap {
        /// What all may cost.
        cap: f64,
        /// What was spent.
        spent: f64,
        /// What the next call may cost at most.
        next: f64,
    },
    /// There is a limit and no price.
    #[error(
        "the price of {model} is not known, so auxiliary.compression.max_spend cannot be kept; unset it, or tell the price with --models"
    )]
    NoPrice {
        /// The model.
        model: String,
    },
    /// Prompt and answer alone do not fit.
    #[error(
        "a window of {window} is too small to write a summary in; set auxiliary.compression.context_length or use another model"
    )]
    WindowTooSmall {
        /// The model's window.
        window: Tokens,
    },
    /// It would take more calls than is sensible.
    #[error(
        "the transcript would take more than {most} calls with a window of {window}; use a model with a larger one"
    )]
    TooManyChunks {
        /// What is allowed.
        most: usize,
        /// The model's window.
        window: Tokens,
    },
    /// There is no message to summarise.
    #[error("there is nothing to summarise")]
    Nothing,
}

impl AskError {
    /// Whether the same question may well be answered a little later.
    pub fn is_worth_retrying(&self) -> bool {
        match self {
            AskError::Unreachable { .. } | AskError::Cut { .. } => true,
            AskError::Status { status, kind, .. } => {
                // OpenAI says 429 too when the account is empty.
                let spent = kind.as_deref().is_some_and(|kind| kind.contains("quota") || kind.contains("billing"));
                matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504 | 520..=529) && !spent
            }
            AskError::Failed { .. } => true,
            // Was waited for long enough, or will be the same the next time.
            AskError::NoProgress { .. }
            | AskError::TooLong { .. }
            | AskError::Redirected { .. }
            | AskError::NotUnderstood { .. }
            | AskError::Compressed { .. }
            | AskError::TooMuch { .. }
            | AskError::Declined { .. }
            | AskError::Unfinished { .. }
            | AskError::Empty { .. } => false,
        }
    }

    /// When to ask again, as the provider says.
    pub fn retry_after(&self) -> Option<Duration> {
        if let AskError::Status { retry_after, .. } = self { *retry_after } else { None }
    }
}

impl From<ProviderError> for SummarizeError {
    fn from(error: ProviderError) -> SummarizeError {
        if matches!(error, ProviderError::Ask(AskError::Empty { .. })) {
            return SummarizeError::Refused(Refusal::Empty);
        }
        SummarizeError::Unavailable(error.to_string())
    }
}

/// With as many digits as it was set with, and two at least.
fn dollars(sum: f64) -> String {
    let exact = sum.to_string();
    let digits = exact.split_once('.').map_or(0, |(_, digits)| digits.len());
    if digits < 2 { format!("{sum:.2}") } else { exact }
}

fn seconds(duration: &Duration) -> String {
    let seconds = duration.as_secs_f64();
    if seconds >= 10.0 { format!("{seconds:.0}") } else { format!("{seconds:.1}") }
}

/// The last of a chain of errors: the one that says what happened (`Connection refused`).
fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

fn named(kind: &Option<String>) -> String {
    kind.as_ref().map_or(String::new(), |kind| format!(" ({kind})"))
}

fn next_step(status: u16) -> &'static str {
    match status {
        401 | 403 => "; check the key that auxiliary.compression.api_key_env names",
        402 => "; the account has no credit",
        404 => "; check auxiliary.compression.base_url and auxiliary.compression.model",
        400 | 422 => "; check auxiliary.compression.model",
        _ => "",
    }
}
