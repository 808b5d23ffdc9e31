//! A provider that answers every question with the same. It can look at what it is asked: whether each request of a session
//! begins with the one before.

#![expect(clippy::disallowed_methods, reason = "a benchmark ends with its tasks")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use clap::Args;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use http_body::Frame;
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::serve::serve;

/// Says whether the beginning of a session was another one than in the request before.
pub(crate) const MOVED: &str = "x-upstream-moved";
/// By which sessions are told apart.
pub(crate) const SESSION: &str = "x-session-id";

#[derive(Args)]
pub(crate) struct Upstream {
    /// Where.
    #[arg(long)]
    listen: SocketAddr,
    /// Events of a stream are so many milliseconds apart.
    #[arg(long, default_value_t = 0)]
    pace: u64,
    /// So many events are in a stream.
    #[arg(long, default_value_t = 200)]
    events: usize,
    /// Looks at each request of a session (`x-session-id`), and says whether its beginning has moved (`x-upstream-moved`).
    #[arg(long)]
    watch: bool,
}

struct Provider {
    pace: Duration,
    events: usize,
    /// What each session consisted of, message by message.
    seen: Option<Mutex<HashMap<String, Vec<u64>>>>,
}

impl Upstream {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let provider = Provider {
            pace: Duration::from_millis(self.pace),
            events: self.events,
            seen: self.watch.then(Mutex::default),
        };
        serve(self.listen, Router::new().fallback(answer).with_state(Arc::new(provider))).await
    }
}

async fn answer(State(provider): State<Arc<Provider>>, request: Request) -> Response {
    let stream = request.uri().query() == Some("stream");
    let session = request.headers().get(SESSION).and_then(|name| name.to_str().ok()).map(str::to_owned);
    let body = request.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let moved = provider.seen.as_ref().zip(session).map(|(seen, session)| moved(seen, session, &body));
    // A provider counts what it was sent; what it reports is believed by some.
    let tokens = body.len() / 4;
    let (content_type, body) = if stream {
        ("text/event-stream", provider.stream(tokens))
    } else {
        let usage = usage(tokens);
        let text = format!(
            "{{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-opus-4-6\",\"content\":[\
             {{\"type\":\"text\",\"text\":\"ok\"}}],\"stop_reason\":\"end_turn\",\"stop_sequence\":null,{usage}}}"
        );
        ("application/json", Body::from(text))
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(moved) = moved {
        response.headers_mut().insert(MOVED, HeaderValue::from_static(if moved { "yes" } else { "no" }));
    }
    response
}

impl Provider {
    fn stream(&self, tokens: usize) -> Body {
        let start = format!(
            "event: message_start\ndata: {{\"type\":\"message_start\",\"message\":{{\"id\":\"msg_1\",\"type\":\"message\",\
             \"role\":\"assistant\",\"model\":\"claude-opus-4-6\",\"content\":[],\"stop_reason\":null,{}}}}}\n\n\
             event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\
             \"content_block\":{{\"type\":\"text\",\"text\":\"\"}}}}\n\n",
            usage(tokens)
        );
        let event = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
            {\"type\":\"text_delta\",\"text\":\" and so on\"}}\n\n";
        let end = format!(
            "event: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n\
             event: message_delta\ndata: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"end_turn\"}},{}}}\n\n\
             event: message_stop\ndata: {{\"type\":\"message_stop\"}}\n\n",
            usage(tokens)
        );
        if self.pace.is_zero() {
            return Body::from(format!("{start}{}{end}", event.repeat(self.events)));
        }
        let (sending, coming) = mpsc::channel::<Bytes>(1);
        let (pace, events) = (self.pace, self.events);
        tokio::spawn(async move {
            let all = std::iter::once(start).chain(std::iter::repeat_n(event.to_owned(), events)).chain([end]);
            for event in all {
                if sending.send(Bytes::from(event)).await.is_err() {
                    return;
                }
                tokio::time::sleep(pace).await;
            }
        });
        Body::new(Events(coming))
    }
}

fn usage(tokens: usize) -> String {
    format!("\"usage\":{{\"input_tokens\":12,\"cache_read_input_tokens\":{tokens},\"output_tokens\":200}}")
}

/// A body that comes as it is made.
struct Events(mpsc::Receiver<Bytes>);

impl http_body::Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
}

/// Whether a session does not begin as it did in the request before.
fn moved(seen: &Mutex<HashMap<String, Vec<u64>>>, session: String, body: &[u8]) -> bool {
    let Ok(document) = serde_json::from_slice::<Document<'_>>(body) else { return true };
    let messages: Vec<u64> = document
        .messages
        .iter()
        .map(|message| xxhash_rust::xxh3::xxh3_64(without_markers(message.get()).as_bytes()))
        .collect();
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    let before = seen.insert(session, messages.clone()).unwrap_or_default();
    !messages.starts_with(&before)
}

/// A message as the provider's cache sees it: marks for the cache are no part of it, and a text is a list of one text.
fn without_markers(message: &str) -> Cow<'_, str> {
    let Ok(mut message) = serde_json::from_str::<Value>(message) else { return message.into() };
    if let Some(text) = message.get("content").and_then(Value::as_str) {
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    for block in message.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(block) = block.as_object_mut() {
            block.shift_remove("cache_control");
        }
    }
    message.to_string().into()
}
