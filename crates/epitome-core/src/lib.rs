//! Keeps an LLM agent's conversation inside its context window, without losing what the agent still needs.
//!
//! This crate decides; it touches no network, no disk, no clock and no environment.
//!
//! Reading order: [`model`] → [`tokens`] → [`fingerprint`] → [`live`] (what may not be lost) → [`edit`] → [`outputs`] → [`summary`] → [`engine`] →
//! [`engines`] → [`compaction`] (the driver: plan, carry out, apply, measure) → [`cache`] (where a provider's cache is told to
//! end) → [`money`] (what calls cost) → [`shape`] (for people and tests).

pub mod arguments;
pub mod budget;
pub mod cache;
pub mod catalogue;
pub mod compaction;
pub mod cost;
pub mod edit;
pub mod engine;
pub mod engines;
pub mod fingerprint;
mod keys;
pub mod lines;
pub mod live;
pub mod model;
pub mod money;
pub mod originals;
pub mod outputs;
pub mod places;
pub mod shape;
pub mod statistics;
pub mod summary;
pub mod tokens;
