//! The drop-in HTTP gateway: an agent sets a base URL, and its sessions run on past the window.
//!
//! Reading order: [`exchange`] (the seam between the server and what is done with a request) → [`pipeline`] (the life of
//! a request) with `received` (what it says), `ledger` (the edits it had before), `thinking` (what is done about it), `removed`
//! (what can be found again), [`caching`] (marks for the provider's cache), `breaks` (what breaks it), `money` (what it cost), `turn` (what is learnt from its end), `switch` (what the client wants done), [`writer`] (who writes
//! its summary), [`identity`] and `sessions` → [`history`] (histories that are kept for clients) with `keeping` → [`server`] (who
//! listens, what a request is, who
//! answers it) → `connections` (how many, how long they may be silent), `route`, [`auth`], [`upstream`] (what, who, where to) → `forward`, `tap` (to the provider and back,
//! reading usage as it passes) → [`respond`] (what we answer ourselves) → [`report`], [`metrics`], `record` (what is
//! noted of it), `recorder` (calls on their way into the store). By hand: `wishes` (compactions that people ask for), [`pages`] and [`story`] (what they are told),
//! [`retention`] (what is forgotten), [`readiness`] (how the store is). Underneath: [`compute`] (threads for heavy work, memory for bodies), [`tasks`] (what runs beside requests), `held` (bodies that were read), `encoding` (what they are compressed with), `copy` (what reads an answer as it passes).

pub mod auth;
mod breaks;
pub mod caching;
pub mod clock;
pub mod compute;
mod connections;
mod copy;
mod encoding;
pub mod exchange;
mod forward;
mod held;
pub mod history;
pub mod identity;
mod keeping;
mod ledger;
pub mod metrics;
mod money;
pub mod pages;
pub mod pipeline;
pub mod readiness;
mod received;
mod record;
mod recorder;
mod removed;
pub mod report;
pub mod respond;
pub mod retention;
mod route;
pub mod server;
mod sessions;
pub mod story;
mod switch;
mod tap;
pub mod tasks;
mod thinking;
mod turn;
pub mod upstream;
mod wishes;
pub mod writer;
