//! The gateway over real sockets: a provider and a client that do exactly what a test says, byte by byte.
//!
//! Nothing here waits for a time to pass in order to be in step: each side waits for what the other one sends.

mod access;
mod bodies;
mod connections;
mod ends;
mod faults;
mod gateway;
mod headers;
mod heavy;
mod histories;
mod logs;
mod pages;
mod passing;
mod peer;
mod refused_thinking;
mod sessions;
mod streams;
mod too_long;
mod windows;
