//! Reads the requests of LLM providers and splices edits into the client's own bytes.
//!
//! The only crate that knows providers' field names. No request is parsed and written out again: what is not edited
//! leaves as it came, to the byte.
//!
//! Reading order: [`Request`] (read, look, splice) → [`Dialect`] and one file a dialect → [`Spliced`] → [`convert`].
//! A question of our own to a model: [`asking`], or [`forking`] behind a conversation that it has read, and its answer as it
//! streams in: [`sse`]. What an answer cost, read as it passes by: [`usage`]; and what it said: [`answer`]. What is done about
//! thinking that is bound to its prompt: [`thinking`]. Where the marks of a provider's cache go: [`caching`]. Histories that are kept for clients: [`history`]. What was read before is
//! read sooner: [`Known`].
//! Underneath: a JSON reader that knows where everything stands, JSON strings, and the prices of images and documents.

pub mod answer;
mod anthropic_messages;
pub mod asking;
pub mod caching;
pub mod convert;
mod detect;
mod dialect;
mod error;
pub mod forking;
pub mod history;
mod json;
mod known;
mod media;
mod openai_chat;
mod openai_responses;
mod prefixes;
mod request;
mod splice;
pub mod sse;
mod strings;
pub mod thinking;
pub mod usage;

pub use dialect::{Dialect, NotADialect, NoteInString};
pub use error::{Position, ReadError, SpliceError};
pub use json::{DuplicateKeys, JsonError, JsonProblem};
pub use known::Known;
pub use request::{Container, Envelope, Format, OwnCache, Request};
pub use splice::{Patch, Spliced, unsplice};

/// The README's example is compiled, so that it stays true.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
