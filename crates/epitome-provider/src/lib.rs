//! Talks to LLM providers: the HTTP client, and the summariser that asks a model.
//!
//! Reading order: [`Endpoint`] and [`ApiKey`] (where, and with what) → [`http`] → [`call`] (one question, one answer, as it
//! streams in) → [`retry`] → [`spend`] and [`cooldown`] (when not to ask) → [`ModelSummarizer`] (all of it together).

pub mod call;
pub mod cooldown;
mod endpoint;
mod error;
pub mod http;
mod key;
pub mod retry;
pub mod spend;
mod summarizer;

pub use endpoint::{Endpoint, EndpointError, Service};
pub use error::{AskError, ProviderError};
pub use key::{ApiKey, NotAKey};
pub use summarizer::{DEFAULT_WINDOW, ModelSummarizer, Settings, Stage, Watch};
