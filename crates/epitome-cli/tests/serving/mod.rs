//! A real `epitome serve` before a provider that says the same to everybody.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// It runs until it is dropped.
pub(crate) struct Gateway {
    process: Child,
    address: SocketAddr,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Longer than anything here takes, on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(120);

impl Gateway {
    /// Starts one that remembers in `store.db` and has a small window.
    pub(crate) fn start(place: &Path) -> Gateway {
        let upstream = provider();
        let mut process = Command::new(env!("CARGO_BIN_EXE_epitome"))
            .args(["serve", "--listen", "127.0.0.1:0", "--store", "store.db", "--context-length", "64000"])
            .args(["--upstream", &format!("http://{upstream}"), "--set", "compression.protect_last_n=4"])
            .args(["--set", "auxiliary.compression.provider=local"])
            .current_dir(place)
            .env_clear()
            .env("HOME", place)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut said = BufReader::new(process.stderr.take().expect("stderr is piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("it says where it listens");
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(',').next()?.parse().ok());
        let address = address.unwrap_or_else(|| panic!("it says {line:?}"));
        // Somebody must read what else it says.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Gateway { process, address }
    }

    /// Asks the model what comes after these messages.
    pub(crate) fn send(&self, session: &str, messages: &[Value]) -> Answer {
        let body = json!({"model": "gpt-4o", "messages": messages}).to_string();
        let answer = self.ask(&format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer k\r\nconnection: close\r\n\
             x-epitome-session: {session}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ));
        assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
        answer
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let length = body.len();
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        ))
    }

    /// A call is noted after its answer has ended: the next one would not find what was learnt from it.
    pub(crate) fn wait_for_calls(&self, session: &str, calls: usize) {
        let began = Instant::now();
        let path = format!("/epitome/sessions/{session}");
        loop {
            let told = self.ask(&format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"));
            if told.status == 200 && told.json()["calls"] == calls {
                return;
            }
            assert!(began.elapsed() < PATIENCE, "{} calls of {session}", calls);
            // Not to take the processor from what is waited for.
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn ask(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it reads");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).expect("it answers");
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8(all[..end].to_vec()).expect("text");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Answer { status, headers: lines.filter_map(pair).collect(), body: all[end + 4..].to_vec() }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // Nothing is lost by it: what was acknowledged is stored.
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }
}

/// A provider that counts four characters as a token, and has read half of each prompt from its cache.
fn provider() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(stream) = stream else { continue };
            std::thread::spawn(move || answer(stream));
        }
    });
    address
}

fn answer(mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().expect("a length");
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole body");
    let tokens = length / 4;
    let answer = json!({
        "id": "a",
        "object": "chat.completion",
        "model": "gpt-4o",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Go on."}}],
        "usage": {
            "prompt_tokens": tokens,
            "completion_tokens": 10,
            "total_tokens": tokens + 10,
            "prompt_tokens_details": {"cached_tokens": tokens / 2},
        },
    })
    .to_string();
    let length = answer.len();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
    );
    // The gateway may be gone by now.
    drop(stream.write_all(format!("{head}{answer}").as_bytes()));
}
