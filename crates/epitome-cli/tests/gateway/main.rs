//! The gateway as a process of its own: `epitome serve` and `epitome wrap` between a provider and an agent, over real sockets.

mod client;
mod crowd;
mod faults;
mod process;
mod provider;
mod question;
mod wrap;
