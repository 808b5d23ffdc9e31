//! Reads the requests of LLM providers and splices edits into the client's own bytes.
//!
//! The only crate that knows providers' field names. No request is parsed and written out again: what is not edited
//! leaves as it came, to the byte.
//!
//! Reading order: [`Request`] (read, look, splice) → [`Dialect`] and one file a dialect → [`Spliced`] → [`convert`].
//! A question of our own to a model: [`asking`], and its answer as it streams in: [`sse`]. What an answer cost, read as
//! it passes by: [`usage`].
//! Underneath: a JSON reader that knows where everything stands, JSON strings, and the prices of images and documents.

mod anthropic_messages;
pub mod asking;
pub mod convert;
mod detect;
mod dialect;
mod error;
mod json;
mod media;
mod openai_chat;
mod openai_responses;
mod prefixes;
mod request;
mod splice;
pub mod sse;
mod strings;
pub mod usage;

pub use dialect::{Dialect, NotADialect};
pub use error::{Position, ReadError, SpliceError};
pub use json::{DuplicateKeys, JsonError, JsonProblem};
pub use request::{Container, Envelope, Format, Request};
pub use splice::{Patch, Spliced, unsplice};

/// The README's example is compiled, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
