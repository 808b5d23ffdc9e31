//! What is told of sessions over HTTP, and compaction by hand.

use std::sync::Arc;

use epitome_core::tokens::Tokens;
use epitome_gateway::auth::Auth;
use epitome_gateway::pages;
use epitome_gateway::server::Settings;
use epitome_store::memory::MemoryStore;
use epitome_store::records::{SessionId, Tenant, Turn, TurnUsage};
use epitome_store::store::{SessionStore, Wishes};
use serde_json::{Value, json};

use crate::gateway::{Gateway, Script, post, settings};
use crate::peer::Provider;

fn turn(at_ms: u64) -> Turn {
    Turn {
        at_ms,
        model: "gpt-5.1".to_owned(),
        dialect: "openai".to_owned(),
        action: "replayed".to_owned(),
        client_tokens: Tokens(1_000),
        sent_tokens: Tokens(250),
        usage: Some(TurnUsage { prompt: 200, cache_read: 150, cache_write: 0, output: 7, ..TurnUsage::default() }),
        spending: None,
        markers: 0,
        broke: None,
        rent: None,
    }
}

async fn serving(store: &Arc<MemoryStore>, auth: Auth) -> (Gateway, Provider) {
    let provider = Provider::start().await;
    let pages = Some(pages::router(store.clone()));
    let gateway = Gateway::start(Settings { pages, auth, ..settings(provider.address) }, Script::Nothing).await;
    (gateway, provider)
}

async fn ask(gateway: &Gateway, request: String) -> (u16, Value) {
    let (head, body) = gateway.ask_alone(request).await;
    assert_eq!(head.value("content-type"), Some("application/json"));
    (head.status(), serde_json::from_slice(&body).expect("JSON"))
}

fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n")
}

#[tokio::test]
async fn sessions_are_told_and_a_compaction_is_asked_for() {
    let (store, tenant, id) = (Arc::new(MemoryStore::new()), Tenant::only(), SessionId::new("one.two:3"));
    store.note_turn(&tenant, &id, &turn(5), None).await.unwrap();
    store.note_turn(&tenant, &SessionId::new("later"), &turn(9), None).await.unwrap();
    let (gateway, _provider) = serving(&store, Auth::Loopback).await;

    let (status, list) = ask(&gateway, get("/epitome/sessions", "")).await;
    assert_eq!((status, &list["tenant"], list["sessions"].as_array().unwrap().len()), (200, &json!("local"), 2));
    assert_eq!(list["sessions"][1]["session"], "one.two:3");
    assert_eq!(list["sessions"][1]["saved_share"], 0.75);
    assert_eq!(list["sessions"][1]["cache_read_share"], 0.75);
    let (_, list) = ask(&gateway, get("/epitome/sessions?most=1", "")).await;
    assert_eq!(list["sessions"].as_array().unwrap().len(), 1);

    let asked = post("/epitome/sessions/one.two:3/compact", "", r#"{"focus": " the failing test "}"#);
    let (status, answer) = ask(&gateway, asked).await;
    assert_eq!((status, &answer["asked_for"]["focus"]), (202, &json!("the failing test")));
    assert_eq!(store.wish(&tenant, &id).await.unwrap().unwrap().focus.as_deref(), Some("the failing test"));
    let (status, shown) = ask(&gateway, get("/epitome/sessions/one.two%3A3", "")).await;
    assert_eq!((status, &shown["asked_for"]["focus"]), (200, &json!("the failing test")));
    assert_eq!(shown["turns"].as_array().unwrap().len(), 1);
    assert_eq!((&shown["compacted"], &shown["messages"]), (&json!([]), &json!([])));

    // Without a focus, and without a body.
    for body in ["{}", "", " "] {
        assert_eq!(ask(&gateway, post("/epitome/sessions/later/compact", "", body)).await.0, 202);
    }
    assert_eq!(store.wish(&tenant, &SessionId::new("later")).await.unwrap().unwrap().focus, None);
}

#[tokio::test]
async fn what_is_wrong_is_said() {
    let store = Arc::new(MemoryStore::new());
    store.note_turn(&Tenant::only(), &SessionId::new("one"), &turn(5), None).await.unwrap();
    let (gateway, _provider) = serving(&store, Auth::Loopback).await;
    let long = json!({"focus": "long ".repeat(1_000)}).to_string();
    for (request, status, error) in [
        (get("/epitome/sessions/two", ""), 404, "no_such_session"),
        (get("/epitome/nothing", ""), 404, "not_found"),
        (post("/epitome/sessions/two/compact", "", ""), 404, "no_such_session"),
        (post("/epitome/sessions/one/compact", "", "compact it"), 400, "not_a_wish"),
        (post("/epitome/sessions/one/compact", "", r#"{"fokus": "x"}"#), 400, "not_a_wish"),
        (post("/epitome/sessions/one/compact", "", &long), 400, "not_a_wish"),
    ] {
        let (found, body) = ask(&gateway, request.clone()).await;
        assert_eq!((found, &body["error"]["code"]), (status, &json!(error)), "{request}");
    }
    assert_eq!(store.wish(&Tenant::only(), &SessionId::new("one")).await.unwrap(), None);
}

#[tokio::test]
async fn tenants_are_told_of_their_own_alone() {
    let store = Arc::new(MemoryStore::new());
    let tokens = vec!["one".to_owned(), "two".to_owned()];
    let (mut gateway, provider) = serving(&store, Auth::Tokens(tokens)).await;
    // Whose a request is, is told to the pipeline.
    let mut tenants = Vec::new();
    for headers in
        ["x-epitome-token: one\r\n", "x-epitome-token: two\r\n", "x-epitome-token: one\r\nchatgpt-account-id: a\r\n"]
    {
        let (_client, _call) = gateway.ask(&provider, post("/v1/messages", headers, "{}")).await;
        tenants.push((headers, gateway.seen.recv().await.expect("seen").tenant));
    }
    for (number, (_, tenant)) in tenants.iter().enumerate() {
        store.note_turn(tenant, &SessionId::new(format!("of-{number}")), &turn(1), None).await.unwrap();
    }
    for (number, (headers, tenant)) in tenants.iter().enumerate() {
        let (status, list) = ask(&gateway, get("/epitome/sessions", headers)).await;
        let names: Vec<&str> =
            list["sessions"].as_array().unwrap().iter().filter_map(|session| session["session"].as_str()).collect();
        assert_eq!((status, names), (200, vec![format!("of-{number}").as_str()]));
        for other in (0..tenants.len()).filter(|other| *other != number) {
            let path = format!("/epitome/sessions/of-{other}");
            assert_eq!(ask(&gateway, get(&path, headers)).await.0, 404);
            assert_eq!(ask(&gateway, post(&format!("{path}/compact"), headers, "")).await.0, 404);
            assert_eq!(store.wish(tenant, &SessionId::new(format!("of-{other}"))).await.unwrap(), None);
        }
    }
    assert_eq!(ask(&gateway, get("/epitome/sessions", "")).await.0, 401);
}
