//! Our own pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::Extension;
use axum::routing::get;
use epitome_gateway::readiness::EngineNames;
use epitome_gateway::server::Settings;
use epitome_store::records::Tenant;
use serde_json::{Value, json};

use crate::gateway::{Gateway, Script, question, settings};
use crate::peer::Provider;

fn get_page(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n")
}

#[tokio::test]
async fn health_and_readiness_are_told() {
    let provider = Provider::start().await;
    let ready = Arc::new(AtomicBool::new(false));
    let asked = ready.clone();
    let settings = Settings {
        ready: Arc::new(move || if asked.load(Ordering::SeqCst) { Ok(()) } else { Err("it is gone".to_owned()) }),
        // An engine that does not exist is no reason not to serve.
        engine: EngineNames { wanted: "lcm".to_owned(), used: "compressor".to_owned() },
        ..settings(provider.address)
    };
    let gateway = Gateway::start(settings, Script::Nothing).await;
    assert_eq!(gateway.ask_alone(get_page("/healthz")).await.0.status(), 200);
    let readiness = async || {
        let (head, body) = gateway.ask_alone(get_page("/readyz")).await;
        (head.status(), serde_json::from_slice::<Value>(&body).expect("JSON"))
    };
    let engine = json!({"wanted": "lcm", "used": "compressor"});
    assert_eq!(readiness().await, (503, json!({"ready": false, "why": "it is gone", "engine": engine})));
    ready.store(true, Ordering::SeqCst);
    assert_eq!(readiness().await, (200, json!({"ready": true, "engine": engine})));
}

#[tokio::test]
async fn metrics_tell_what_passed() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let (mut client, mut call) = gateway.ask(&provider, question("{}")).await;
    call.body().await;
    let usage = "{\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":40,\"output_tokens\":7}}";
    call.answer("200 OK", "content-type: application/json\r\n", usage).await;
    let head = client.head().await.expect("an answer");
    client.body(&head).await;
    let (head, body) = gateway.ask_alone(get_page("/metrics")).await;
    assert_eq!(head.value("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = String::from_utf8(body).expect("text");
    for line in [
        "epitome_requests_total{dialect=\"anthropic\",status=\"2xx\"} 1",
        "epitome_tokens_total{direction=\"in\"} 45",
        "epitome_tokens_total{direction=\"out\"} 7",
        "epitome_cache_tokens_total{kind=\"read\"} 40",
        "epitome_pipeline_seconds_count 1",
        "epitome_forward_seconds_count 1",
        // The one that asks.
        "epitome_requests_in_flight 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn pages_of_the_settings_are_served_with_the_tenant() {
    let provider = Provider::start().await;
    let name = |Extension(tenant): Extension<Tenant>| async move { tenant.as_str().to_owned() };
    let pages = Some(Router::new().route("/epitome/whose", get(name)));
    let gateway = Gateway::start(Settings { pages, ..settings(provider.address) }, Script::Nothing).await;
    let (head, body) = gateway.ask_alone(get_page("/epitome/whose")).await;
    assert_eq!((head.status(), body), (200, b"local".to_vec()));
    assert_eq!(gateway.ask_alone(get_page("/epitome/other")).await.0.status(), 404);
    let gateway = Gateway::before(&provider).await;
    assert_eq!(gateway.ask_alone(get_page("/epitome/whose")).await.0.status(), 404);
}

#[tokio::test]
async fn a_websocket_is_refused_so_that_http_is_taken() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    let request = "GET /v1/responses HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
        sec-websocket-key: x\r\nsec-websocket-version: 13\r\n\r\n";
    let (head, _) = gateway.ask_alone(request).await;
    assert_eq!((head.status(), head.value("x-epitome-error")), (426, Some("no_websockets")));
}
