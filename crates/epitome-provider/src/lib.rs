//! Talks to LLM providers: the HTTP client, and the summariser that asks a model.
//!
//! Reading order: [`Endpoint`] and [`ApiKey`] (where, and with what) → [`http`] → [`call`] (one question, one answer, as it
//! streams in) → [`retry`] → [`spend`] and [`cooldown`] (when not to ask) → [`ModelSummarizer`] (all of it together), and
//! [`Sent`] (asked behind a conversation that the model has read) → [`OwnModels`] (as clients ask them).

pub mod call;
pub mod cooldown;
mod endpoint;
mod error;
mod fork;
pub mod http;
mod key;
mod own_models;
pub mod retry;
pub mod spend;
mod summarizer;

pub use endpoint::{Endpoint, EndpointError, Service};
pub use error::{AskError, ProviderError};
pub use fork::Sent;
pub use key::{ApiKey, NotAKey};
pub use own_models::OwnModels;
pub use summarizer::{DEFAULT_WINDOW, ModelSummarizer, Settings, Stage, Watch};
