//! The drop-in HTTP gateway: an agent sets a base URL, and its sessions run on past the window.
//!
//! Reading order: [`exchange`] (the seam between the server and what is done with a request) → [`pipeline`] (the life of
//! a request) with `received` (what it says), `ledger` (the edits it had before), `removed` (what can be found again),
//! `turn` (what is learnt from its end), [`identity`] and `sessions` → [`server`] (who listens, what a request is, who
//! answers it) → `route`, [`auth`], [`upstream`] (what, who, where to) → `forward`, `tap` (to the provider and back,
//! reading usage as it passes) → [`respond`] (what we answer ourselves) → [`report`], [`metrics`], `record` (what is
//! noted of it). Underneath: `held` (bodies that were read), `encoding` (what they are compressed with).

pub mod auth;
mod clock;
mod encoding;
pub mod exchange;
mod forward;
mod held;
pub mod identity;
mod ledger;
pub mod metrics;
pub mod pipeline;
mod received;
mod record;
mod removed;
pub mod report;
pub mod respond;
mod route;
pub mod server;
mod sessions;
mod tap;
mod turn;
pub mod upstream;
