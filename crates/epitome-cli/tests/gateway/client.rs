//! A client that asks once and tells everything that it saw.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

/// What came back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// `None`: the connection was closed without an answer.
    pub(crate) status: Option<u16>,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
    /// It has no end.
    pub(crate) broken_off: bool,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// What the gateway says that it did.
    pub(crate) fn action(&self) -> &str {
        self.header("x-epitome-action").unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A question that is not answered yet.
pub(crate) struct Asked {
    stream: TcpStream,
    bytes: Vec<u8>,
}

/// Asks, and reads until there is no more.
pub(crate) fn ask(address: SocketAddr, body: &[u8]) -> Answer {
    Asked::begin(address, "POST /v1/messages", body).answer()
}

/// The same, of a session whose history the gateway keeps.
pub(crate) fn ask_in(address: SocketAddr, session: &str, body: &[u8]) -> Answer {
    let headers = format!("x-epitome-session: {session}\r\nx-epitome-history: server\r\n");
    Asked::begin_with(address, "POST /v1/messages", &headers, body).answer()
}

/// The same, of a session by its name.
pub(crate) fn ask_as(address: SocketAddr, session: &str, body: &[u8]) -> Answer {
    Asked::begin_with(address, "POST /v1/messages", &format!("x-epitome-session: {session}\r\n"), body).answer()
}

/// Asks for a page.
pub(crate) fn get(address: SocketAddr, path: &str) -> Answer {
    Asked::begin(address, &format!("GET {path}"), b"").answer()
}

impl Asked {
    /// Asks, and reads nothing yet.
    pub(crate) fn begin(address: SocketAddr, what: &str, body: &[u8]) -> Asked {
        Asked::begin_with(address, what, "", body)
    }

    fn begin_with(address: SocketAddr, what: &str, headers: &str, body: &[u8]) -> Asked {
        let mut stream = TcpStream::connect(address).expect("the gateway listens");
        let head = format!(
            "{what} HTTP/1.1\r\nhost: localhost\r\nx-api-key: secret-of-the-client\r\nconnection: close\r\n{headers}content-type: \
             application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(&[head.as_bytes(), body].concat()).expect("the gateway reads");
        Asked { stream, bytes: Vec::new() }
    }

    /// Reads until these words have come.
    pub(crate) fn until(&mut self, words: &str) {
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&self.bytes).contains(words) {
            let read = self.stream.read(&mut buffer).expect("it is open");
            assert!(read > 0, "it has ended");
            self.bytes.extend_from_slice(&buffer[..read]);
        }
    }

    /// Everything that comes.
    pub(crate) fn answer(mut self) -> Answer {
        // A connection that is reset has ended too.
        drop(self.stream.read_to_end(&mut self.bytes));
        let bytes = self.bytes;
        let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return Answer::default() };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
        let headers: BTreeMap<String, String> =
            lines.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let rest = &bytes[end + 4..];
        let (body, broken_off) = match headers.get("content-length").and_then(|length| length.parse().ok()) {
            Some(length) => (rest.to_vec(), rest.len() < length),
            None => unchunked(rest),
        };
        Answer { status, headers, body, broken_off }
    }
}

/// A chunked body, and whether it has no end.
fn unchunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(line) = rest.windows(2).position(|two| two == b"\r\n") else { return (body, true) };
        let size = usize::from_str_radix(&String::from_utf8_lossy(&rest[..line]), 16).expect("a size");
        let Some(chunk) = rest.get(line + 2..line + 2 + size) else { return (body, true) };
        if size == 0 {
            return (body, false);
        }
        body.extend_from_slice(chunk);
        rest = rest.get(line + 2 + size + 2..).unwrap_or_default();
    }
}
