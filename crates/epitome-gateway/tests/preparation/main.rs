//! Summaries by models in the gateway, over real sockets: prepared ahead, asked for when it is due, and what becomes of
//! requests when the model does anything wrong.
//!
//! Nothing here waits for a time to pass in order to be in step: servers answer when a test allows it.

#[path = "../../../epitome-provider/tests/fault_server/mod.rs"]
mod fault_server;
mod faults;
mod own_model;
mod prepared;
#[path = "../session/mod.rs"]
mod session;
mod warnings;
mod world;
