//! `gateway_load`: what a gateway costs, whether it holds, and whether it changes anything. A provider, two minimal proxies to
//! compare with, a hop that records, and the load; each a process of its own, so that the CPU time of the one between can be
//! read. See bench/gateway.
//!
//! Reading order: `question` (what is asked) → `upstream`, `proxy`, `recorder` (who answers) → `load`, `sessions` (who asks) →
//! `compare` (what two hops have recorded) → `process`, `serve`.

mod compare;
mod load;
mod process;
mod proxy;
mod question;
mod recorder;
mod serve;
mod sessions;
mod upstream;

use clap::Parser;

/// What a gateway costs, whether it holds, and whether it changes anything.
#[derive(Parser)]
enum Role {
    /// A provider that answers every question with the same: a small answer, or a stream for who asks for `stream`.
    Upstream(upstream::Upstream),
    /// A minimal proxy.
    Proxy(proxy::Proxy),
    /// A proxy that changes nothing and writes down what passes.
    Recorder(recorder::Recorder),
    /// Asks the same session again and again, and prints one line of JSON.
    Load(load::Load),
    /// Many sessions at once, each of which grows past its window, and prints one line of JSON.
    Sessions(sessions::Sessions),
    /// Whether two recorders saw the same.
    Compare(compare::Compare),
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Role::parse() {
        Role::Upstream(upstream) => upstream.run().await,
        Role::Proxy(proxy) => proxy.run().await,
        Role::Recorder(recorder) => recorder.run().await,
        Role::Load(load) => load.run().await,
        Role::Sessions(sessions) => sessions.run().await,
        Role::Compare(compare) => compare.run(),
    }
}
