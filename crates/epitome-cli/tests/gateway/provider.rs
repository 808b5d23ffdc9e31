//! A provider that does what a test says, on a socket of this machine.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is done with a call.
#[derive(Clone)]
pub(crate) enum Does {
    /// Status, further headers, body.
    Answers(&'static str, &'static str, Vec<u8>),
    /// Says again what it was told, as an answer of OpenAI Chat.
    Echoes,
    /// Answers with what this makes of the request.
    AnswersBy(Make),
    /// Waits until the other side is gone.
    Hangs,
    /// Closes the connection.
    HangsUp,
    /// Begins a stream, and closes the connection in it.
    Cuts,
    /// Begins a stream, and waits in it until the other side is gone.
    StopsInStream,
}

/// Makes an answer's body of a request's.
pub(crate) type Make = Arc<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;

impl Does {
    /// An answer of Anthropic's, with what it used.
    pub(crate) fn answers() -> Does {
        Does::Answers("200 OK", "content-type: application/json\r\n", ANSWER.as_bytes().to_vec())
    }

    pub(crate) fn fails(status: &'static str, headers: &'static str) -> Does {
        Does::Answers(status, headers, b"{\"error\":\"of the provider\"}".to_vec())
    }
}

pub(crate) const ANSWER: &str = r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"usage":{"input_tokens":700,"output_tokens":3}}"#;
const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
pub(crate) const EVENT: &str = "data: {\"type\":\"ping\"}\n\n";

pub(crate) struct Provider {
    pub(crate) address: SocketAddr,
    does: Arc<Mutex<Does>>,
    bodies: Arc<Mutex<Vec<Vec<u8>>>>,
    arrived: Receiver<()>,
}

impl Provider {
    pub(crate) fn start(does: Does) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (does, bodies) = (Arc::new(Mutex::new(does)), Arc::new(Mutex::new(Vec::new())));
        let (arriving, arrived) = mpsc::channel();
        let (doing, noted) = (does.clone(), bodies.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (doing, noted, arriving) = (doing.clone(), noted.clone(), arriving.clone());
                std::thread::spawn(move || serve(stream.expect("a connection"), &doing, &noted, &arriving));
            }
        });
        Provider { address, does, bodies, arrived }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn does(&self, does: Does) {
        *self.does.lock().expect("nobody panicked") = does;
    }

    /// What it got since it was asked last.
    pub(crate) fn got(&self) -> Vec<Vec<u8>> {
        std::mem::take(&mut *self.bodies.lock().expect("nobody panicked"))
    }

    /// Puts back what was taken.
    pub(crate) fn gets(&self, bodies: &[Vec<u8>]) {
        self.bodies.lock().expect("nobody panicked").extend_from_slice(bodies);
    }

    /// Waits until it is called.
    pub(crate) fn is_called(&self) {
        self.arrived.recv_timeout(Duration::from_secs(60)).expect("a call");
    }
}

fn serve(mut stream: TcpStream, does: &Mutex<Does>, noted: &Mutex<Vec<Vec<u8>>>, arriving: &Sender<()>) {
    // A connection that was made and not used is none.
    let Some(body) = request(&mut stream) else { return };
    let does = does.lock().expect("nobody panicked").clone();
    noted.lock().expect("nobody panicked").push(body.clone());
    // Not every test waits for it.
    let _ = arriving.send(());
    match does {
        Does::Answers(status, headers, body) => answer(&mut stream, status, headers, &body),
        Does::Echoes => {
            let told: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            let said = told["messages"].as_array().and_then(|all| all.last()).map(|last| last["content"].clone());
            let again = serde_json::json!({"choices": [{"message": {"content": said}, "finish_reason": "stop"}]});
            answer(&mut stream, "200 OK", "content-type: application/json\r\n", again.to_string().as_bytes());
        }
        Does::AnswersBy(make) => answer(&mut stream, "200 OK", "content-type: application/json\r\n", &make(&body)),
        Does::Hangs => gone(stream),
        Does::HangsUp => {}
        Does::Cuts => event(&mut stream),
        Does::StopsInStream => {
            event(&mut stream);
            gone(stream);
        }
    }
}

fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    drop(stream.write_all(&[head.as_bytes(), body].concat()));
}

fn event(stream: &mut TcpStream) {
    drop(stream.write_all(format!("{STREAM}{:x}\r\n{EVENT}\r\n", EVENT.len()).as_bytes()));
}

fn gone(mut stream: TcpStream) {
    let mut bytes = [0; 1024];
    while stream.read(&mut bytes).is_ok_and(|read| read > 0) {}
}

/// The body of a request; `None`: there was none.
fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length = length.map_or(0, |length| length.parse::<usize>().expect("a length"));
            if bytes.len() >= end + 4 + length {
                return Some(bytes[end + 4..end + 4 + length].to_vec());
            }
        }
        let read = stream.read(&mut buffer).ok().filter(|read| *read > 0)?;
        bytes.extend_from_slice(&buffer[..read]);
    }
}
