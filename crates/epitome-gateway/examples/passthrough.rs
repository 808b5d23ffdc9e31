//! A gateway that changes nothing: `passthrough --listen 127.0.0.1:8484 --upstream http://127.0.0.1:8080`.
//!
//! Shows that the server alone is transparent to real clients, and what it costs.

use std::error::Error;
use std::future::pending;
use std::sync::Arc;

use async_trait::async_trait;
use epitome_gateway::auth::{Auth, Secret};
use epitome_gateway::compute::Compute;
use epitome_gateway::exchange::{Complaint, End, Incoming, Outgoing, Pipeline, Turn};
use epitome_gateway::metrics::Metrics;
use epitome_gateway::readiness::EngineNames;
use epitome_gateway::respond::Trouble;
use epitome_gateway::server::{Limits, Server, Settings};
use epitome_gateway::upstream::{Upstream, Upstreams};
use epitome_store::records::TurnUsage;

struct Identity;

#[async_trait]
impl Pipeline for Identity {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        Outgoing {
            body: incoming.body,
            edited: false,
            upstream_headers: Vec::new(),
            answer_headers: Vec::new(),
            turn: Arc::new(Identity),
            keeper: None,
        }
    }
}

#[async_trait]
impl Turn for Identity {
    async fn complained(&self, _: Complaint) -> Result<Option<Outgoing>, Trouble> {
        Ok(None)
    }

    fn not_sent_again(&self) {}

    fn ended(&self, _: End, _: Option<TurnUsage>) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut listen = "127.0.0.1:8484".to_owned();
    let mut upstream = None;
    let mut arguments = std::env::args().skip(1);
    while let (Some(flag), Some(value)) = (arguments.next(), arguments.next()) {
        match flag.as_str() {
            "--listen" => listen = value,
            "--upstream" => upstream = Some(value),
            _ => return Err(format!("{flag} is not known: --listen, --upstream").into()),
        }
    }
    let metrics = Arc::new(Metrics::new());
    let settings = Settings {
        listen: listen.parse()?,
        upstreams: Upstreams::one(Upstream::new(&upstream.ok_or("--upstream is needed")?)?),
        auth: Auth::Loopback,
        secret: Secret([0; 32]),
        limits: Limits::default(),
        compute: Compute::usual(metrics.clone()),
        metrics,
        ready: Arc::new(|| Ok(())),
        engine: EngineNames { wanted: "compressor".to_owned(), used: "compressor".to_owned() },
        pages: None,
    };
    Server::bind(settings, Arc::new(Identity)).await?.serve(pending()).await;
    Ok(())
}
