//! `gateway_load`: what a gateway costs. A provider, two minimal proxies to compare with, and the load; each a process
//! of its own, so that the CPU time of the one between can be read. See bench/gateway.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use axum::Router;
use axum::body::Body as AxumBody;
use axum::extract::{Request as AxumRequest, State};
use axum::response::Response as AxumResponse;
use bytes::Bytes;
use clap::{Args, Parser};
use epitome_provider::http::{Encryption, Http, whole};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST};
use http::{HeaderValue, Request, Uri};
use http_body_util::BodyExt;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

/// What a gateway costs.
#[derive(Parser)]
enum Role {
    /// A provider that answers every question with the same: a small answer, or a stream for who asks for `stream`.
    Upstream {
        /// Where.
        #[arg(long)]
        listen: SocketAddr,
    },
    /// A minimal proxy.
    Proxy {
        /// Where.
        #[arg(long)]
        listen: SocketAddr,
        /// Where to: `http://host:port`.
        #[arg(long)]
        upstream: String,
        /// Reads the body, finds the contents of messages by their spans and replaces one.
        #[arg(long)]
        edit: bool,
    },
    /// Asks, and prints one line of JSON.
    Load(Load),
}

#[derive(Args)]
struct Load {
    /// Whom: `http://host:port`.
    #[arg(long)]
    url: String,
    /// The process whose CPU time is read.
    #[arg(long)]
    pid: Option<u32>,
    /// So many questions.
    #[arg(long, default_value_t = 2_000)]
    requests: usize,
    /// So many at once.
    #[arg(long, default_value_t = 1)]
    concurrency: usize,
    /// Of this size.
    #[arg(long, default_value_t = 200)]
    kilobytes: usize,
    /// Answers are streams of 200 events.
    #[arg(long)]
    stream: bool,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    match Role::parse() {
        Role::Upstream { listen } => serve(listen, Router::new().fallback(answer)).await,
        Role::Proxy { listen, upstream, edit } => {
            let http = Http::for_streams(Encryption::Never)?;
            let proxy = Arc::new(Proxy { http, upstream, edit });
            serve(listen, Router::new().fallback(pass).with_state(proxy)).await
        }
        Role::Load(load) => load.run().await,
    }
}

async fn serve(listen: SocketAddr, router: Router) -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind(listen).await.with_context(|| listen.to_string())?;
    let listener = axum::serve::ListenerExt::tap_io(listener, |stream| {
        // Only the times suffer where this is not possible.
        drop(stream.set_nodelay(true));
    });
    Ok(axum::serve(listener, router).await?)
}

async fn answer(request: AxumRequest) -> AxumResponse {
    const USAGE: &str = r#""usage":{"input_tokens":12,"cache_read_input_tokens":50000,"output_tokens":200}"#;
    let stream = request.uri().query() == Some("stream");
    let mut body = request.into_body();
    while let Some(Ok(_)) = body.frame().await {}
    let (content_type, text) = if stream {
        let event = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":\
            {\"type\":\"text_delta\",\"text\":\" and so on\"}}\n\n";
        let end = format!("event: message_delta\ndata: {{\"type\":\"message_delta\",{USAGE}}}\n\n");
        ("text/event-stream", format!("{}{end}", event.repeat(200)))
    } else {
        ("application/json", format!("{{\"content\":[{{\"type\":\"text\",\"text\":\"ok\"}}],{USAGE}}}"))
    };
    let mut response = AxumResponse::new(AxumBody::from(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

struct Proxy {
    http: Http,
    upstream: String,
    edit: bool,
}

async fn pass(State(proxy): State<Arc<Proxy>>, mut request: AxumRequest) -> AxumResponse {
    let failed = |status: u16| {
        let mut response = AxumResponse::new(AxumBody::empty());
        *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
        response
    };
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let Ok(uri) = format!("{}{path}", proxy.upstream).parse::<Uri>() else { return failed(400) };
    *request.uri_mut() = uri;
    request.headers_mut().remove(HOST);
    let request = if proxy.edit {
        let (mut parts, body) = request.into_parts();
        let Ok(body) = body.collect().await else { return failed(400) };
        let body = edited(body.to_bytes());
        parts.headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        Request::from_parts(parts, whole(body))
    } else {
        request.map(|body| body.map_err(Into::into).boxed_unsync())
    };
    match proxy.http.send(request).await {
        Ok(response) => response.map(AxumBody::new),
        Err(_) => failed(502),
    }
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

impl Load {
    async fn run(self) -> anyhow::Result<()> {
        let path = if self.stream { "/v1/messages?stream" } else { "/v1/messages" };
        let uri: Uri = format!("{}{path}", self.url).parse()?;
        let body = question(self.kilobytes);
        let http = Http::for_streams(Encryption::Never)?;
        // Connections are made and code is warm before anything is measured.
        ask_all(&http, &uri, &body, self.concurrency * 20, self.concurrency).await?;
        let before = self.pid.map(cpu).transpose()?;
        let began = Instant::now();
        let mut times = ask_all(&http, &uri, &body, self.requests, self.concurrency).await?;
        let took = began.elapsed();
        let after = self.pid.map(cpu).transpose()?;
        times.sort_unstable();
        let at = |share: f64| times.get(((times.len() - 1) as f64 * share) as usize).map(Duration::as_micros);
        let spent = before
            .zip(after)
            .map(|(before, after)| (after.saturating_sub(before)).as_secs_f64() * 1e6 / self.requests as f64);
        let line = json!({
            "url": self.url,
            "concurrency": self.concurrency,
            "requests": self.requests,
            "body_bytes": body.len(),
            "stream": self.stream,
            "p50_us": at(0.5),
            "p99_us": at(0.99),
            "per_second": (self.requests as f64 / took.as_secs_f64()).round(),
            "cpu_us_per_request": spent.map(f64::round),
            "memory_mb": self.pid.and_then(memory),
        });
        writeln!(std::io::stdout(), "{line}")?;
        Ok(())
    }
}

async fn ask_all(http: &Http, uri: &Uri, body: &Bytes, all: usize, at_once: usize) -> anyhow::Result<Vec<Duration>> {
    let left = Arc::new(AtomicUsize::new(all));
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..at_once {
        let (http, uri, body, left) = (http.clone(), uri.clone(), body.clone(), left.clone());
        asking.spawn(async move {
            let mut times = Vec::new();
            while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
                let began = Instant::now();
                let request =
                    Request::post(uri.clone()).header(CONTENT_TYPE, "application/json").header("x-api-key", "k");
                let response = http.send(request.body(whole(body.clone()))?).await?;
                ensure!(response.status().is_success(), "{}", response.status());
                let mut body = response.into_body();
                while let Some(frame) = body.frame().await {
                    frame?;
                }
                times.push(began.elapsed());
            }
            Ok(times)
        });
    }
    let mut times = Vec::with_capacity(all);
    while let Some(done) = asking.join_next().await {
        times.extend(done??);
    }
    Ok(times)
}

/// A session of about this size, as an agent sends it.
fn question(kilobytes: usize) -> Bytes {
    let output = "fn main() {\n    println!(\"it is so, and 7 * 6 = 42\");\n}\n".repeat(20);
    let mut messages = vec![json!({"role": "user", "content": "make it work"})];
    let mut size = 0;
    while size < kilobytes * 1_000 {
        let id = format!("toolu_{}", messages.len());
        let call = json!({"type": "tool_use", "id": id, "name": "read", "input": {"path": "src/main.rs"}});
        messages.push(json!({"role": "assistant", "content": [{"type": "text", "text": "I read it."}, call]}));
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": output});
        messages.push(json!({"role": "user", "content": [result]}));
        size += output.len() + 300;
    }
    let body = json!({"model": "claude-opus-4-6", "max_tokens": 8192, "system": "be brief", "messages": messages});
    Bytes::from(body.to_string())
}

/// The CPU time that a process has used.
fn cpu(pid: u32) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The second field is a name in brackets, which may hold anything; user and system time are the 14th and 15th.
    let behind = stat.rsplit_once(')').context("no name in it")?.1;
    let ticks: u64 = behind.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    // Linux counts in hundredths here, whatever its clock does.
    Ok(Duration::from_millis(ticks * 10))
}

/// The memory that a process has in use, in megabytes.
fn memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}
