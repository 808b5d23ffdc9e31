//! A hop that changes nothing and writes down every request that passes, byte for byte: `0001.json` with its method, path and
//! headers, `0001.body` with its body.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request as AxumRequest, State};
use axum::response::Response;
use clap::Args;
use epitome_provider::http::{Encryption, Http, whole};
use http::header::{CONTENT_LENGTH, HOST, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderValue, Request, StatusCode, Uri};
use http_body_util::BodyExt;
use serde_json::json;

use crate::proxy::failed;
use crate::serve::serve;

/// The first of two recorders numbers requests with this, so that they can be told apart at the second.
pub(crate) const NUMBER: &str = "x-recorded";

#[derive(Args)]
pub(crate) struct Recorder {
    /// Where.
    #[arg(long)]
    listen: SocketAddr,
    /// Where to: `http://host:port`.
    #[arg(long)]
    upstream: String,
    /// The directory that is written to.
    #[arg(long)]
    into: PathBuf,
}

struct Passing {
    http: Http,
    upstream: String,
    into: PathBuf,
    number: AtomicU64,
}

impl Recorder {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let Recorder { listen, upstream, into } = self;
        std::fs::create_dir_all(&into).with_context(|| into.display().to_string())?;
        let http = Http::for_streams(Encryption::Never)?;
        let passing = Arc::new(Passing { http, upstream, into, number: AtomicU64::new(0) });
        serve(listen, Router::new().fallback(pass).with_state(passing)).await
    }
}

async fn pass(State(recorder): State<Arc<Passing>>, request: AxumRequest) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(body) = body.collect().await.map(|body| body.to_bytes()) else { return failed(StatusCode::BAD_REQUEST) };
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let Ok(number) = recorder.write(&parts, &path, &body) else { return failed(StatusCode::INTERNAL_SERVER_ERROR) };
    let Ok(uri) = format!("{}{path}", recorder.upstream).parse::<Uri>() else { return failed(StatusCode::BAD_REQUEST) };
    parts.uri = uri;
    parts.headers.remove(HOST);
    parts.headers.entry(NUMBER).or_insert(number);
    if parts.headers.remove(TRANSFER_ENCODING).is_some() {
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    }
    match recorder.http.send(Request::from_parts(parts, whole(body))).await {
        Ok(response) => response.map(Body::new),
        Err(_) => failed(StatusCode::BAD_GATEWAY),
    }
}

impl Passing {
    fn write(&self, parts: &Parts, path: &str, body: &[u8]) -> anyhow::Result<HeaderValue> {
        let own = format!("{:06}", self.number.fetch_add(1, Ordering::Relaxed) + 1);
        let given = parts.headers.get(NUMBER).and_then(|number| number.to_str().ok()).map(str::to_owned);
        let number = given.unwrap_or(own);
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        let headers: Vec<(String, String)> =
            parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
        let head = json!({"method": parts.method.as_str(), "path": path, "headers": headers});
        std::fs::write(self.into.join(format!("{number}.body")), body)?;
        std::fs::write(self.into.join(format!("{number}.json")), format!("{head:#}\n"))?;
        Ok(number.parse()?)
    }
}
