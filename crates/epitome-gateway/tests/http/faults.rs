//! What a client sees of each fault. The table stands in the docs.

use std::fmt::Write;
use std::net::SocketAddr;
use std::time::Duration;

use epitome_gateway::server::{Limits, Settings};

use crate::gateway::{Gateway, Script, question, settings};
use crate::peer::{Call, Ended, Head, Peer, Provider};

/// What the provider does with a call.
enum Fault {
    Down,
    Answers(&'static str, &'static str, &'static str),
    Hangs,
    HangsUp,
    SpeaksNoHttp,
    CutsStream,
    StreamsError,
    TooLongTwice,
}

/// Longer than any fault takes, on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(60);
const TOO_LONG: &str = r#"{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#;

async fn perform(fault: &Fault, provider: &Provider, mut call: Call) {
    call.body().await;
    match fault {
        Fault::Down => unreachable!("nobody is called"),
        Fault::Answers(status, headers, body) => call.answer(status, headers, body).await,
        Fault::Hangs => call.peer.gone().await,
        Fault::HangsUp => drop(call),
        Fault::SpeaksNoHttp => call.peer.write_what_goes("SSH-2.0-x\r\n\r\n").await,
        Fault::CutsStream => {
            call.begin_stream("").await;
            call.chunk("data: {}\n\n").await;
        }
        Fault::StreamsError => {
            call.begin_stream("").await;
            call.chunk("event: error\ndata: {\"type\":\"error\"}\n\n").await;
            call.end_stream().await;
        }
        Fault::TooLongTwice => {
            call.answer("400 Bad Request", "", TOO_LONG).await;
            let mut call = provider.call().await;
            call.body().await;
            call.answer("400 Bad Request", "", TOO_LONG).await;
        }
    }
}

async fn saw(client: &mut Peer) -> String {
    let Some(head) = client.head().await else { return "the connection closed".to_owned() };
    let body = client.body(&head).await;
    let end = match body.end {
        Ended::Well(_) => "",
        Ended::Broken => ", broken off",
    };
    let whose = |head: &Head| if head.value("x-epitome-error").is_some() { "ours" } else { "the provider's" };
    let retry = head.value("retry-after").map(|after| format!(", retry-after {after}")).unwrap_or_default();
    let text = String::from_utf8_lossy(&body.bytes).replace('\n', "\\n").replace('|', "\\|");
    format!("{}{end}, {}{retry} | `{text}`", head.status(), whose(&head))
}

#[tokio::test]
async fn what_the_client_sees_of_each_fault() {
    let faults = [
        ("refuses connections", Fault::Down),
        ("answers 429", Fault::Answers("429 Too Many Requests", "retry-after: 7\r\n", "{\"error\":\"slow\"}")),
        ("answers 500", Fault::Answers("500 Internal Server Error", "", "{\"error\":\"oh\"}")),
        ("answers 529", Fault::Answers("529 Overloaded", "", "{\"error\":\"busy\"}")),
        ("never answers", Fault::Hangs),
        ("closes the connection", Fault::HangsUp),
        ("speaks no HTTP", Fault::SpeaksNoHttp),
        ("cuts its stream", Fault::CutsStream),
        ("reports an error in its stream", Fault::StreamsError),
        ("finds the prompt too long, twice", Fault::TooLongTwice),
    ];
    let mut table = "| The provider… | The client sees | Body | The turn is told |\n|---|---|---|---|\n".to_owned();
    for (name, fault) in faults {
        let provider = Provider::start().await;
        let is_down = matches!(fault, Fault::Down);
        // Nobody listens at port 1. A port that was free a moment ago may be somebody's by now.
        let address = if is_down { SocketAddr::from(([127, 0, 0, 1], 1)) } else { provider.address };
        // Only the one that hangs is waited for; the others answer long before, on any machine.
        let answer = if matches!(fault, Fault::Hangs) { Duration::from_secs(2) } else { Duration::from_secs(600) };
        let limits = Limits { answer, ..Limits::default() };
        let gateway = Gateway::start(Settings { limits, ..settings(address) }, Script::Shortens(vec!["{}"])).await;
        let mut client = gateway.client().await;
        client.write(question("{}")).await;
        let seen = if is_down {
            saw(&mut client).await
        } else {
            let provide = async {
                let call = provider.call().await;
                perform(&fault, &provider, call).await;
            };
            // A call that never comes would be waited for for ever.
            let (provided, seen) = tokio::join!(tokio::time::timeout(PATIENCE, provide), saw(&mut client));
            provided.unwrap_or_else(|_| panic!("{name}: the provider was not called, or its call did not end"));
            seen
        };
        let told = gateway.finish().await;
        let told: Vec<String> = told.iter().map(|(turn, end, _)| format!("{turn}: {end:?}")).collect();
        let seen = seen.replace(&address.to_string(), "HOST");
        writeln!(table, "| {name} | {seen} | {} |", told.join(", ")).expect("in memory");
    }
    insta::assert_snapshot!("faults", table);
}
