//! Plays recorded sessions, call by call, through a simulated provider cache, to see what a policy would have cost.
//!
//! No I/O, no clock: sessions come in as text, reports go out as text.
//!
//! Reading order: [`recording`] (what an agent left) → [`trace`] (its calls, in the provider's tokens) → [`provider`]
//! (its simulated cache) → [`context`] (what a policy may do to a request) → [`policies`] → [`play`].
//! Beside it: [`optimum`] (what hindsight would have done), [`validation`] (is the simulation true?), [`estimates`] (are
//! sizes known before a call?), [`generator`] (sessions nobody recorded), and what people see: [`plan`], [`report`].

pub mod context;
pub mod estimates;
pub mod generator;
pub mod optimum;
pub mod plan;
pub mod play;
pub mod policies;
pub mod prices;
pub mod provider;
pub mod recording;
pub mod report;
pub mod study;
pub mod trace;
pub mod validation;
