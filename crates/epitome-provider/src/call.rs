//! One question and its answer, read as it streams in.

use std::time::Duration;

use ::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, DATE, RETRY_AFTER};
use ::http::{HeaderMap, Method, Request, Response};
use bytes::Bytes;
use epitome_core::tokens::Tokens;
use epitome_wire::asking::{AskDialect, Ending, Piece, TooLong, complaint};
use epitome_wire::sse::{Event, EventReader};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout};

use crate::endpoint::{Credential, Endpoint};
use crate::error::AskError;
use crate::http::{Body, Http, whole};
use crate::retry::retry_after;

/// What a model answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// Its words.
    pub text: String,
    /// It stopped because it reached its limit.
    pub at_limit: bool,
    /// Prompt tokens, as reported.
    pub input: Option<u64>,
    /// Of the prompt, what was read from a cache …
    pub cache_read: u64,
    /// … what was written to one …
    pub cache_write: u64,
    /// … and of that, what was written for longer than usual.
    pub cache_write_long: u64,
    /// Tokens of the answer, as reported.
    pub output: Option<u64>,
}

/// A call that brought no answer.
#[derive(Debug)]
pub struct Unanswered {
    /// Why.
    pub why: AskError,
    /// What it may have cost all the same.
    pub billed: Billed,
}

/// What a call that brought no answer is paid for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Billed {
    /// It did not arrive, or was turned away.
    Nothing,
    /// The model may have worked on it.
    Perhaps {
        /// What came of the answer.
        so_far: Reply,
        /// It came to its end, so that its reported tokens are all there are.
        ended: bool,
    },
}

/// Of an error's body, read at most.
const ERROR_BYTES: usize = 64 * 1024;
/// An event of a stream is not larger.
const EVENT_BYTES: usize = 1024 * 1024;
/// What a stream takes beside words, for each token it may have: endpoints repeat ids and names in every event.
const BYTES_PER_TOKEN: usize = 2 * 1024;
/// A token's words, at most.
const WORDS_PER_TOKEN: usize = 64;
/// A sign of life that says nothing is believed this many times as long as silence.
const PATIENCE_WITH_SIGNS_OF_LIFE: u32 = 10;

/// Asks one question: `body` is in the endpoint's dialect, and its answer may take `most_tokens`. Gives up when nothing
/// comes for `progress`.
pub async fn ask(
    http: &Http,
    endpoint: &Endpoint,
    body: Bytes,
    most_tokens: u64,
    progress: Duration,
) -> Result<Reply, Unanswered> {
    let host = endpoint.host().to_owned();
    let free = |why: AskError| Unanswered { why, billed: Billed::Nothing };
    let unknown = |why: AskError| Answer::default().unanswered(why);
    let request = request(endpoint, body).map_err(free)?;
    let silent = |_| unknown(AskError::NoProgress { host: host.clone(), after: progress });
    let response = timeout(progress, http.send(request)).await.map_err(silent)?;
    let response = response.map_err(|error| {
        let never_arrived = error.is_connect();
        let why = AskError::Unreachable { host: host.clone(), source: error.into() };
        if never_arrived { free(why) } else { unknown(why) }
    })?;
    let status = response.status();
    if status.is_redirection() {
        return Err(free(AskError::Redirected { host, status: status.as_u16() }));
    }
    let is_stream = content_type(response.headers()).contains("text/event-stream");
    let limit = EVENT_BYTES + BYTES_PER_TOKEN * usize::try_from(most_tokens).unwrap_or(usize::MAX / 4096);
    let mut reading = Reading { host, dialect: endpoint.dialect, progress, limit };
    if !status.is_success() {
        return Err(free(reading.refusal(response).await));
    }
    let words = EVENT_BYTES.min(WORDS_PER_TOKEN * usize::try_from(most_tokens).unwrap_or(EVENT_BYTES));
    if let Some(how) = compression(response.headers()) {
        return Err(unknown(AskError::Compressed { host: reading.host, how }));
    }
    let mut answer = Answer::default();
    let read = if is_stream {
        reading.stream(response, words, &mut answer).await
    } else {
        reading.whole(response, &mut answer).await
    };
    match read.and_then(|()| answer.check(&reading.host, Tokens(most_tokens))) {
        Ok(()) => Ok(answer.reply()),
        Err(why) => Err(answer.unanswered(why)),
    }
}

fn request(endpoint: &Endpoint, body: Bytes) -> Result<Request<Body>, AskError> {
    let wrong = |what: &'static str| AskError::NotUnderstood { host: endpoint.host().to_owned(), what };
    let mut request = Request::builder().method(Method::POST).uri(endpoint.url.clone());
    request = request.header(CONTENT_TYPE, "application/json").header(ACCEPT, "text/event-stream, application/json");
    // Without a word any compression would be welcome.
    request = request.header(ACCEPT_ENCODING, "identity");
    let client = match &endpoint.credential {
        Credential::Headers(headers) => Some(headers),
        Credential::Nothing | Credential::Key(_) => None,
    };
    let of_dialect = endpoint.dialect.headers().iter();
    for (name, value) in of_dialect.filter(|(name, _)| !client.is_some_and(|client| client.contains_key(*name))) {
        request = request.header(*name, *value);
    }
    for (name, value) in client.into_iter().flatten() {
        request = request.header(name, value);
    }
    if let Credential::Key(key) = &endpoint.credential {
        let (name, scheme) = endpoint.dialect.key_header();
        request = request.header(name, key.header(scheme).map_err(|_| wrong("the key fits no header"))?);
    }
    request.body(whole(body)).map_err(|_| wrong("no request can be made of it"))
}

fn content_type(headers: &HeaderMap) -> String {
    headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_lowercase()
}

/// How an answer is compressed, which it should not be.
fn compression(headers: &HeaderMap) -> Option<&'static str> {
    let said = headers.get(CONTENT_ENCODING)?.to_str().unwrap_or_default().trim().to_ascii_lowercase();
    match said.as_str() {
        "" | "identity" => None,
        "gzip" | "x-gzip" => Some("gzip"),
        "br" => Some("br"),
        "deflate" => Some("deflate"),
        "zstd" => Some("zstd"),
        _ => Some("in a way of its own"),
    }
}

struct Reading {
    host: String,
    dialect: AskDialect,
    progress: Duration,
    limit: usize,
}

/// What has come so far.
#[derive(Default)]
struct Answer {
    reply: Reply,
    ending: Option<Ending>,
}

impl Reading {
    /// The next bytes; `None` at the end.
    async fn next(&self, body: &mut Incoming) -> Result<Option<Bytes>, AskError> {
        loop {
            let frame = timeout(self.progress, body.frame()).await;
            let frame = frame.map_err(|_| AskError::NoProgress { host: self.host.clone(), after: self.progress })?;
            match frame {
                None => return Ok(None),
                Some(Err(_)) => return Err(AskError::Cut { host: self.host.clone() }),
                // Trailers say nothing to us.
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    async fn stream(
        &mut self,
        response: Response<Incoming>,
        words: usize,
        answer: &mut Answer,
    ) -> Result<(), AskError> {
        let mut body = response.into_body();
        let mut events = EventReader::new(EVENT_BYTES);
        let mut read = 0;
        let mut last_words = Instant::now();
        while let Some(bytes) = self.next(&mut body).await? {
            read += bytes.len();
            let too_much = || AskError::TooMuch { host: self.host.clone(), limit: self.limit };
            if read > self.limit {
                return Err(too_much());
            }
            let said = answer.reply.text.len();
            for event in events.push(&bytes).map_err(|_| too_much())? {
                answer.take(self.pieces(&event)?, &self.host)?;
            }
            if answer.reply.text.len() > words {
                return Err(too_much());
            }
            if answer.reply.text.len() > said {
                last_words = Instant::now();
            } else if last_words.elapsed() > self.progress * PATIENCE_WITH_SIGNS_OF_LIFE {
                return Err(AskError::NoProgress { host: self.host.clone(), after: last_words.elapsed() });
            }
        }
        if answer.ending.is_none() {
            return Err(AskError::Cut { host: self.host.clone() });
        }
        Ok(())
    }

    fn pieces(&self, event: &Event) -> Result<Vec<Piece>, AskError> {
        let what = "an event of the stream is not in the dialect";
        self.dialect.pieces(event).ok_or_else(|| AskError::NotUnderstood { host: self.host.clone(), what })
    }

    async fn whole(&self, response: Response<Incoming>, answer: &mut Answer) -> Result<(), AskError> {
        let bytes = self.all(response, self.limit).await?;
        let what = "neither a stream of events nor an answer in JSON";
        let pieces = self.dialect.whole(&bytes);
        let pieces = pieces.ok_or_else(|| AskError::NotUnderstood { host: self.host.clone(), what })?;
        answer.take(pieces, &self.host)
    }

    async fn all(&self, response: Response<Incoming>, limit: usize) -> Result<Vec<u8>, AskError> {
        let mut body = response.into_body();
        let mut all = Vec::new();
        while let Some(bytes) = self.next(&mut body).await? {
            if all.len() + bytes.len() > limit {
                return Err(AskError::TooMuch { host: self.host.clone(), limit });
            }
            all.extend_from_slice(&bytes);
        }
        Ok(all)
    }

    /// What a response that is no success says.
    async fn refusal(&self, response: Response<Incoming>) -> AskError {
        let host = self.host.clone();
        let status = response.status().as_u16();
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let retry_after = header(RETRY_AFTER).and_then(|wait| retry_after(wait, header(DATE)));
        // The status says enough if its body cannot be had.
        let body = self.all(response, ERROR_BYTES).await.unwrap_or_default();
        let complaint = complaint(&body);
        match (status, complaint.too_long) {
            (400 | 413 | 422 | 500, Some(told)) => AskError::TooLong { host, told },
            (413, None) => AskError::TooLong { host, told: TooLong::default() },
            (_, _) => AskError::Status { host, status, kind: complaint.kind, retry_after },
        }
    }
}

impl Answer {
    fn take(&mut self, pieces: Vec<Piece>, host: &str) -> Result<(), AskError> {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.reply.text.push_str(&text),
                Piece::Usage { input, output } => {
                    self.reply.input = input.or(self.reply.input);
                    self.reply.output = output.or(self.reply.output);
                }
                Piece::Cached { read, write, write_long } => {
                    self.reply.cache_read = read;
                    self.reply.cache_write = write;
                    self.reply.cache_write_long = write_long;
                }
                // The first ending says why; what closes the stream says only that it is closed.
                Piece::Ended(ending) => self.ending = self.ending.or(Some(ending)),
                Piece::Failed(complaint) => {
                    let host = host.to_owned();
                    return Err(match complaint.too_long {
                        Some(told) => AskError::TooLong { host, told },
                        None => AskError::Failed { host, kind: complaint.kind },
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether it is an answer.
    fn check(&self, host: &str, limit: Tokens) -> Result<(), AskError> {
        let host = host.to_owned();
        let empty = self.reply.text.trim().is_empty();
        match self.ending {
            Some(Ending::Declined) => Err(AskError::Declined { host }),
            Some(Ending::Limit) if empty => Err(AskError::Unfinished { host, limit }),
            Some(Ending::Complete | Ending::Limit) | None if empty => Err(AskError::Empty { host }),
            Some(Ending::Complete | Ending::Limit) | None => Ok(()),
        }
    }

    fn reply(self) -> Reply {
        Reply { at_limit: self.ending == Some(Ending::Limit), ..self.reply }
    }

    fn unanswered(self, why: AskError) -> Unanswered {
        let ended = self.ending.is_some();
        Unanswered { why, billed: Billed::Perhaps { so_far: self.reply(), ended } }
    }
}
