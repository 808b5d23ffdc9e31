//! A server on this machine that does what its script says, one line of it a request. The gateway's tests use it too.

#![expect(clippy::disallowed_methods, reason = "a test's tasks end with it")]

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// What is done with one request.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// A status with headers and a body.
    Status(u16, Vec<(&'static str, String)>, String),
    /// A stream of words that ends as it should.
    Says(String),
    /// The same, with the tokens that it reports.
    SaysOf(String, u64, u64),
    /// A stream that ends because the answer reached its limit.
    SaysUntilLimit(String),
    /// In one piece of JSON, whatever was asked for.
    SaysAtOnce(String),
    /// The headers and these bytes, and then nothing more while the connection stays open.
    SaysAndHangs(String),
    /// The headers and these bytes, and then the connection is closed.
    SaysAndCuts(String),
    /// Words without end.
    SaysForever,
    /// Not even headers.
    Hangs,
    /// Answers in the dialect of Anthropic.
    SaysAnthropic(String),
    /// Answers in the dialect of Responses.
    SaysResponses(String),
    /// What was asked.
    Echoes,
    /// Does something when somebody allows it, once for each permit.
    WhenAllowed(Arc<Semaphore>, Box<Act>),
}

/// What was asked.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) head: String,
    pub(crate) body: serde_json::Value,
}

/// What a server does with a request, which is the so manieth.
pub(crate) type Script = Arc<dyn Fn(&Asked, usize) -> Act + Send + Sync>;

/// A server with its script.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) base_url: String,
    asked: watch::Receiver<Vec<Asked>>,
}

impl Server {
    /// Does one act a request; the last is repeated.
    pub(crate) async fn start(script: Vec<Act>) -> Server {
        let act = move |_: &Asked, number: usize| script.get(number).or(script.last()).expect("an act").clone();
        Server::answering(Arc::new(act)).await
    }

    pub(crate) async fn answering(script: Script) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
        let (seen, asked) = watch::channel(Vec::new());
        let seen = Arc::new(seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, script.clone(), seen.clone()));
            }
        });
        Server { base_url, asked }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.borrow().clone()
    }

    /// Waits until it was asked so often.
    pub(crate) async fn until_asked(&self, times: usize) {
        let mut asked = self.asked.clone();
        asked.wait_for(|asked| asked.len() >= times).await.expect("the server lives");
    }
}

async fn serve(mut stream: TcpStream, script: Script, seen: Arc<watch::Sender<Vec<Asked>>>) {
    let Some(asked) = read_request(&mut stream).await else { return };
    let mut number = 0;
    seen.send_modify(|seen| {
        number = seen.len();
        seen.push(asked.clone());
    });
    // A client that has heard enough closes the connection, and writing to it fails: that is no failure of the server.
    drop(perform(&mut stream, &script(&asked, number), &asked).await);
}

async fn read_request(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        let read = stream.read(&mut buffer).await.ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length =
            head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse::<usize>().ok())?;
        if bytes.len() >= end + 4 + length {
            let body = serde_json::from_slice(&bytes[end + 4..end + 4 + length]).expect("requests are JSON");
            return Some(Asked { head, body });
        }
    }
}

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

async fn perform(stream: &mut TcpStream, act: &Act, asked: &Asked) -> std::io::Result<()> {
    match act {
        Act::Status(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            let text =
                format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
            stream.write_all(text.as_bytes()).await
        }
        Act::Says(text) => says(stream, text, "stop", None).await,
        Act::SaysOf(text, input, output) => says(stream, text, "stop", Some((*input, *output))).await,
        Act::SaysUntilLimit(text) => says(stream, text, "length", None).await,
        Act::SaysAtOnce(text) => {
            let answer = serde_json::json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]});
            let act = Act::Status(200, vec![("content-type", "application/json".into())], answer.to_string());
            Box::pin(perform(stream, &act, asked)).await
        }
        Act::SaysAndHangs(text) => {
            stream.write_all(format!("{STREAM}{}", words(text)).as_bytes()).await?;
            until_closed(stream).await
        }
        Act::SaysAndCuts(text) => stream.write_all(format!("{STREAM}{}", words(text)).as_bytes()).await,
        Act::SaysForever => {
            stream.write_all(STREAM.as_bytes()).await?;
            let much = words(&"and so on ".repeat(1_000));
            loop {
                stream.write_all(much.as_bytes()).await?;
            }
        }
        Act::Hangs => until_closed(stream).await,
        Act::SaysAnthropic(text) => {
            let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":900,"output_tokens":1}}}"#;
            let delta =
                serde_json::json!({"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}});
            let end = r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":30}}"#;
            let text = format!(
                "{STREAM}event: message_start\ndata: {start}\n\nevent: content_block_delta\ndata: {delta}\n\nevent: message_delta\ndata: {end}\n\n"
            );
            stream.write_all(text.as_bytes()).await
        }
        Act::SaysResponses(text) => {
            let delta = serde_json::json!({"type": "response.output_text.delta", "delta": text});
            let usage = r#"{"input_tokens":900,"output_tokens":30}"#;
            let end = format!(r#"{{"type":"response.completed","response":{{"output":[],"usage":{usage}}}}}"#);
            let text = format!("{STREAM}event: x\ndata: {delta}\n\nevent: y\ndata: {end}\n\n");
            stream.write_all(text.as_bytes()).await
        }
        Act::WhenAllowed(permits, act) => {
            permits.acquire().await.expect("it is never closed").forget();
            Box::pin(perform(stream, act, asked)).await
        }
        Act::Echoes => {
            let text = asked.body["messages"][1]["content"].as_str().unwrap_or_default().to_owned();
            says(stream, &text, "stop", None).await
        }
    }
}

fn words(text: &str) -> String {
    let pieces = text.split_inclusive(' ').map(|piece| {
        format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"content": piece}, "finish_reason": null}]}))
    });
    pieces.collect()
}

async fn says(stream: &mut TcpStream, text: &str, reason: &str, usage: Option<(u64, u64)>) -> std::io::Result<()> {
    let end = serde_json::json!({"choices": [{"delta": {}, "finish_reason": reason}]});
    let usage = usage.map(|(input, output)| {
        let usage = serde_json::json!({"choices": [], "usage": {"prompt_tokens": input, "completion_tokens": output}});
        format!("data: {usage}\n\n")
    });
    let usage = usage.unwrap_or_default();
    stream.write_all(format!("{STREAM}{}data: {end}\n\n{usage}data: [DONE]\n\n", words(text)).as_bytes()).await
}

/// Holds the connection until the client has had enough.
async fn until_closed(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut buffer = [0; 64];
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}
