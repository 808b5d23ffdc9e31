//! Who may ask, over the wire.

use epitome_gateway::auth::Auth;
use epitome_gateway::server::{Server, Settings, StartError};
use epitome_store::records::Tenant;
use std::sync::Arc;

use crate::gateway::{Gateway, Script, post, settings};
use crate::peer::Provider;

#[tokio::test]
async fn a_token_is_asked_for_and_not_forwarded() {
    let provider = Provider::start().await;
    let auth = Auth::Tokens(vec!["right".to_owned(), "other".to_owned()]);
    let mut gateway = Gateway::start(Settings { auth, ..settings(provider.address) }, Script::Nothing).await;
    let (head, body) = gateway.ask_alone(post("/v1/messages", "x-api-key: k\r\n", "{}")).await;
    assert_eq!((head.status(), head.value("x-epitome-error")), (401, Some("token_required")));
    insta::assert_snapshot!(String::from_utf8_lossy(&body), @r#"{"type":"error","error":{"type":"authentication_error","message":"epitome: the header x-epitome-token is missing or wrong; send the gateway's token in it"}}"#);
    let (head, body) = gateway.ask_alone(post("/v1/responses", "x-epitome-token: wrong\r\n", "{}")).await;
    assert_eq!(head.status(), 401);
    insta::assert_snapshot!(String::from_utf8_lossy(&body), @r#"{"error":{"message":"epitome: the header x-epitome-token is missing or wrong; send the gateway's token in it","type":"invalid_request_error","param":null,"code":"token_required"}}"#);
    assert_eq!(gateway.ask_alone("GET /v1/models HTTP/1.1\r\nhost: h\r\n\r\n").await.0.status(), 401);
    assert_eq!(gateway.ask_alone("GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n").await.0.status(), 200);

    let mut tenants = Vec::new();
    for token in ["right", "other"] {
        let (_client, call) =
            gateway.ask(&provider, post("/v1/messages", &format!("x-epitome-token: {token}\r\n"), "{}")).await;
        assert_eq!(call.head.value("x-epitome-token"), None);
        tenants.push(gateway.seen.recv().await.expect("seen").tenant);
    }
    assert!(tenants[0] != tenants[1] && !tenants.contains(&Tenant::only()));
}

#[tokio::test]
async fn on_loopback_there_is_one_tenant() {
    let provider = Provider::start().await;
    let mut gateway = Gateway::before(&provider).await;
    for key in ["one", "two"] {
        let (_client, _call) =
            gateway.ask(&provider, post("/v1/messages", &format!("x-api-key: {key}\r\n"), "{}")).await;
        assert_eq!(gateway.seen.recv().await.expect("seen").tenant, Tenant::only());
    }
}

#[tokio::test]
async fn without_a_token_each_credential_is_a_tenant() {
    let provider = Provider::start().await;
    let mut gateway =
        Gateway::start(Settings { auth: Auth::Insecure, ..settings(provider.address) }, Script::Nothing).await;
    let mut tenants = Vec::new();
    for key in ["one", "two", "one"] {
        let (_client, _call) =
            gateway.ask(&provider, post("/v1/messages", &format!("authorization: Bearer {key}\r\n"), "{}")).await;
        tenants.push(gateway.seen.recv().await.expect("seen").tenant);
    }
    assert!(tenants[0] == tenants[2] && tenants[0] != tenants[1]);
}

#[tokio::test]
async fn pages_in_browsers_do_not_reach_us() {
    let provider = Provider::start().await;
    let gateway = Gateway::before(&provider).await;
    for (request, error) in [
        ("GET /metrics HTTP/1.1\r\nhost: rebound.example\r\n\r\n".to_owned(), "foreign_host"),
        (
            "POST /v1/messages HTTP/1.1\r\nhost: rebound.example:8484\r\ncontent-length: 0\r\n\r\n".to_owned(),
            "foreign_host",
        ),
        (
            "GET /metrics HTTP/1.1\r\nhost: localhost\r\norigin: https://evil.example\r\n\r\n".to_owned(),
            "foreign_origin",
        ),
        (post("/epitome/sessions/x/compact", "origin: null\r\n", ""), "foreign_origin"),
        (post("/v1/chat/completions", "origin: https://evil.example\r\n", "{}"), "foreign_origin"),
    ] {
        let (head, _) = gateway.ask_alone(request).await;
        assert_eq!((head.status(), head.value("x-epitome-error")), (403, Some(error)));
    }
}

#[tokio::test]
async fn others_are_not_listened_to_without_a_token() {
    struct Nobody;
    #[async_trait::async_trait]
    impl epitome_gateway::exchange::Pipeline for Nobody {
        async fn outgoing(&self, _: epitome_gateway::exchange::Incoming) -> epitome_gateway::exchange::Outgoing {
            unreachable!("nobody asks")
        }
    }
    let provider = Provider::start().await;
    let start = async |listen: &str, auth| {
        let listen = listen.parse().expect("an address");
        Server::bind(Settings { listen, auth, ..settings(provider.address) }, Arc::new(Nobody)).await
    };
    assert!(matches!(start("0.0.0.0:0", Auth::Loopback).await, Err(StartError::NeedsToken(_))));
    assert!(matches!(start("[::]:0", Auth::Loopback).await, Err(StartError::NeedsToken(_))));
    assert!(matches!(start("0.0.0.0:0", Auth::Tokens(vec![String::new()])).await, Err(StartError::EmptyToken)));
    assert!(start("0.0.0.0:0", Auth::Tokens(vec!["t".to_owned()])).await.is_ok());
    assert!(start("0.0.0.0:0", Auth::Insecure).await.is_ok());
    assert!(start("127.0.0.9:0", Auth::Loopback).await.is_ok());
    let taken = provider.address.to_string();
    assert!(matches!(start(&taken, Auth::Loopback).await, Err(StartError::Listen { .. })));
}
