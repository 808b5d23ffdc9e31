//! One end of a connection, and HTTP/1.1 as it stands on it.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One end of a connection.
pub(crate) struct Peer {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The lines before a body.
#[derive(Debug, Clone)]
pub(crate) struct Head(String);

/// A body, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: Ended,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// As it should; with these trailers.
    Well(String),
    /// The connection was gone before the end.
    Broken,
}

/// A piece of a chunked body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Chunk {
    Data(Vec<u8>),
    End(Ended),
}

impl Peer {
    pub(crate) async fn connect(address: SocketAddr) -> Peer {
        Peer::new(TcpStream::connect(address).await.expect("somebody listens"))
    }

    pub(crate) fn new(stream: TcpStream) -> Peer {
        Peer { stream, buffer: Vec::new() }
    }

    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.expect("the other side listens");
    }

    /// Writes as much as the other side takes.
    pub(crate) async fn write_what_goes(&mut self, bytes: impl AsRef<[u8]>) {
        drop(self.stream.write_all(bytes.as_ref()).await);
    }

    async fn more(&mut self) -> bool {
        let mut bytes = [0; 16 * 1024];
        match self.stream.read(&mut bytes).await {
            Ok(read) => {
                self.buffer.extend_from_slice(&bytes[..read]);
                read > 0
            }
            Err(_) => false,
        }
    }

    /// Waits until the other side is gone.
    pub(crate) async fn gone(&mut self) {
        while self.more().await {}
    }

    /// The lines before a body; `None`: the other side is gone.
    pub(crate) async fn head(&mut self) -> Option<Head> {
        loop {
            if let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                let head: Vec<u8> = self.buffer.drain(..end + 4).collect();
                return Some(Head(String::from_utf8(head).expect("a head is text")));
            }
            if !self.more().await {
                return None;
            }
        }
    }

    async fn exactly(&mut self, length: usize) -> Result<Vec<u8>, Vec<u8>> {
        while self.buffer.len() < length {
            if !self.more().await {
                return Err(std::mem::take(&mut self.buffer));
            }
        }
        Ok(self.buffer.drain(..length).collect())
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|two| two == b"\r\n") {
                let line: Vec<u8> = self.buffer.drain(..end + 2).collect();
                return Some(String::from_utf8(line).expect("a line is text").trim_end().to_owned());
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// The next piece of a chunked body.
    pub(crate) async fn chunk(&mut self) -> Chunk {
        let Some(size) = self.line().await else { return Chunk::End(Ended::Broken) };
        let size = usize::from_str_radix(&size, 16).expect("a size");
        if size > 0 {
            return match self.exactly(size + 2).await {
                Ok(mut data) => {
                    data.truncate(size);
                    Chunk::Data(data)
                }
                Err(_) => Chunk::End(Ended::Broken),
            };
        }
        let mut trailers = Vec::new();
        loop {
            match self.line().await {
                None => return Chunk::End(Ended::Broken),
                Some(line) if line.is_empty() => return Chunk::End(Ended::Well(trailers.join("\n"))),
                Some(line) => trailers.push(line),
            }
        }
    }

    /// Reads until these words stand in what was read of a chunked body.
    pub(crate) async fn until(&mut self, words: &str) -> String {
        let mut read = String::new();
        while !read.contains(words) {
            match self.chunk().await {
                Chunk::Data(data) => read.push_str(&String::from_utf8_lossy(&data)),
                Chunk::End(end) => panic!("{end:?} after {read:?}"),
            }
        }
        read
    }

    /// The rest of a body.
    pub(crate) async fn body(&mut self, head: &Head) -> Body {
        if head.value("transfer-encoding") == Some("chunked") {
            let mut bytes = Vec::new();
            loop {
                match self.chunk().await {
                    Chunk::Data(data) => bytes.extend(data),
                    Chunk::End(end) => return Body { bytes, end },
                }
            }
        }
        let length = head.value("content-length").map_or(0, |length| length.parse().expect("a length"));
        match self.exactly(length).await {
            Ok(bytes) => Body { bytes, end: Ended::Well(String::new()) },
            Err(bytes) => Body { bytes, end: Ended::Broken },
        }
    }
}

impl Head {
    /// Method and path, or status and its words.
    pub(crate) fn first(&self) -> &str {
        self.0.lines().next().expect("a first line")
    }

    pub(crate) fn status(&self) -> u16 {
        self.first().split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
    }

    /// Of a name, the first value.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.values(name).next()
    }

    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let lines = self.0.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(move |(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All names and values, sorted.
    pub(crate) fn headers(&self) -> Vec<String> {
        let lines = self.0.lines().skip(1).filter(|line| !line.is_empty());
        let mut all: Vec<String> = lines
            .map(|line| {
                let (name, value) = line.split_once(": ").unwrap_or((line, ""));
                format!("{}: {value}", name.to_lowercase())
            })
            .collect();
        all.sort();
        all
    }
}

/// A provider on this machine.
pub(crate) struct Provider {
    listener: TcpListener,
    pub(crate) address: SocketAddr,
}

/// A call that the provider got: the connection, when its head was read.
pub(crate) struct Call {
    pub(crate) peer: Peer,
    pub(crate) head: Head,
}

impl Provider {
    pub(crate) async fn start() -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        Provider { listener, address }
    }

    /// The next call, on a connection of its own.
    pub(crate) async fn call(&self) -> Call {
        loop {
            let (stream, _) = self.listener.accept().await.expect("a connection");
            let mut peer = Peer::new(stream);
            // A connection that was made and not used is none.
            if let Some(head) = peer.head().await {
                return Call { peer, head };
            }
        }
    }
}

impl Call {
    pub(crate) async fn body(&mut self) -> Vec<u8> {
        let body = self.peer.body(&self.head).await;
        assert_eq!(body.end, Ended::Well(String::new()));
        body.bytes
    }

    /// A whole answer, and the end of the connection.
    pub(crate) async fn answer(&mut self, status: &str, headers: &str, body: impl AsRef<[u8]>) {
        let body = body.as_ref();
        let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
        self.peer.write([head.as_bytes(), body].concat()).await;
    }

    /// The beginning of a stream.
    pub(crate) async fn begin_stream(&mut self, headers: &str) {
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{headers}transfer-encoding: chunked\r\n\r\n"
        );
        self.peer.write(head).await;
    }

    pub(crate) async fn chunk(&mut self, data: impl AsRef<[u8]>) {
        let data = data.as_ref();
        self.peer.write([format!("{:x}\r\n", data.len()).as_bytes(), data, b"\r\n"].concat()).await;
    }

    pub(crate) async fn end_stream(&mut self) {
        self.peer.write("0\r\n\r\n").await;
    }
}
