//! Minimal proxies, to compare with: one that reads nothing, and one that edits the body.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request as AxumRequest, State};
use axum::response::Response;
use bytes::Bytes;
use clap::Args;
use epitome_provider::http::{Encryption, Http, whole};
use http::header::{CONTENT_LENGTH, HOST};
use http::{HeaderValue, Request, StatusCode, Uri};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::serve::serve;

#[derive(Args)]
pub(crate) struct Proxy {
    /// Where.
    #[arg(long)]
    listen: SocketAddr,
    /// Where to: `http://host:port`.
    #[arg(long)]
    upstream: String,
    /// Reads the body, finds the contents of messages by their spans and replaces one.
    #[arg(long)]
    edit: bool,
}

struct Passing {
    http: Http,
    upstream: String,
    edit: bool,
}

impl Proxy {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let Proxy { listen, upstream, edit } = self;
        let http = Http::for_streams(Encryption::Never)?;
        let passing = Arc::new(Passing { http, upstream, edit });
        serve(listen, Router::new().fallback(pass).with_state(passing)).await
    }
}

async fn pass(State(proxy): State<Arc<Passing>>, mut request: AxumRequest) -> Response {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let Ok(uri) = format!("{}{path}", proxy.upstream).parse::<Uri>() else { return failed(StatusCode::BAD_REQUEST) };
    *request.uri_mut() = uri;
    request.headers_mut().remove(HOST);
    let request = if proxy.edit {
        let (mut parts, body) = request.into_parts();
        let Ok(body) = body.collect().await else { return failed(StatusCode::BAD_REQUEST) };
        let body = edited(body.to_bytes());
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        Request::from_parts(parts, whole(body))
    } else {
        request.map(|body| body.map_err(Into::into).boxed_unsync())
    };
    match proxy.http.send(request).await {
        Ok(response) => response.map(Body::new),
        Err(_) => failed(StatusCode::BAD_GATEWAY),
    }
}

/// An answer of the proxy's own.
pub(crate) fn failed(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    messages: Vec<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

/// The body with the content of its third message replaced, by its span.
fn edited(body: Bytes) -> Bytes {
    let Ok(document) = serde_json::from_slice::<Document<'_>>(&body) else { return body };
    let Some(content) = document.messages.get(2).map(|message| message.content.get()) else { return body };
    let start = content.as_ptr().addr() - body.as_ptr().addr();
    let (Some(before), Some(after)) = (body.get(..start), body.get(start + content.len()..)) else { return body };
    [before, b"\"replaced\"", after].concat().into()
}
