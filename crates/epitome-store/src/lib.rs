//! What Epitome remembers: ledgers of edits, what calls used, what edits removed, and histories kept for chat bots.
//!
//! Reading order: [`records`] (what is stored) → [`store`] (the seams) → `format` (how it is written down) → `search` (what
//! a query matches) → `holder` (who holds a lease) → [`shadow`] (of requests that are only watched) → [`memory`], [`sqlite`], `postgres` (one file or room each) → `contract` (what all of them must do).

#[cfg(test)]
mod contract;
mod format;
mod holder;
pub mod memory;
#[cfg(feature = "postgres")]
pub mod postgres;
pub mod records;
mod replays;
mod retention;
mod search;
pub mod shadow;
pub mod sqlite;
pub mod store;
