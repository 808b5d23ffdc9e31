//! The gateway as a process of its own: `epitome serve` and `epitome wrap` between a provider and an agent, over real sockets.

mod archives;
mod client;
mod configured;
mod crowd;
mod faults;
mod process;
#[path = "../program/mod.rs"]
#[expect(dead_code, reason = "of other tests, which ask more of it")]
mod program;
mod prompt_cache;
mod provider;
mod question;
mod readme;
mod restarts;
#[path = "../../../epitome-store/src/postgres/tests/server.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "of the stores, whose tests ask more of it")]
mod server;
mod status;
mod stops;
mod survives;
mod wrap;
