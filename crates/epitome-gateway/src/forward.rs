//! To the provider and back: what is sent, what is passed on, and what is said when the provider says nothing.

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use epitome_provider::http::{Body, Http, whole};
use epitome_wire::Dialect;
use epitome_wire::answer::{ANSWER_BYTES, NoAnswer, is_stream};
use epitome_wire::asking::complaint;
use http::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, EXPECT, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION,
    TE, TRANSFER_ENCODING, UPGRADE,
};
use http::response::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::compute::{Buffers, Compute, Reserved};
use crate::encoding::{Coding, decoded};
use crate::exchange::{Complaint, End, Keeper, NotKept, Outgoing};
use crate::held::{Begun, BoxError, Held, Whole};
use crate::history::HistoryStatus;
use crate::keeping::{self, Keeping};
use crate::record::Record;
use crate::respond::Trouble;
use crate::tap::{Tap, TurnGuard, usage_of};

/// An error's body is read up to this size, to see what the provider complains about.
const ERROR_BYTES: usize = 1024 * 1024;

/// A request is shortened this often at most: a provider that does not tell its window may need more than one try.
const MOST_SHORTENED: usize = 3;
/// A request is sent this often at most: as it is, shortened, and with each of the three things that can be done about
/// thinking.
const MOST_SENDS: usize = 1 + MOST_SHORTENED + 3;

/// Sends requests on.
pub(crate) struct Forwarder {
    pub(crate) http: Http,
    /// An answer's headers are not waited for longer.
    pub(crate) patience: Duration,
    pub(crate) compute: Compute,
}

/// Where and how a request is sent on.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    /// The client's, as far as they are passed on.
    pub(crate) headers: HeaderMap,
    pub(crate) dialect: Option<Dialect>,
}

impl Forwarder {
    /// Passes a request through as it comes, and its answer.
    pub(crate) async fn pass(&self, call: Call, body: Body, mut record: Record) -> Response<Body> {
        let Call { method, uri, headers, dialect } = call;
        match self.send(method, uri, headers, body, &mut record).await {
            Ok(response) => {
                let (mut parts, body) = response.into_parts();
                strip(&mut parts.headers);
                answer(parts, body, dialect, None, record)
            }
            Err(trouble) => refuse(&trouble, dialect, record),
        }
    }

    /// Sends what the pipeline made of a request, and something else if the provider complains of what can be mended.
    pub(crate) async fn exchange(
        &self,
        call: Call,
        client: Whole,
        outgoing: Outgoing,
        mut record: Record,
    ) -> Response<Body> {
        let mut turn = TurnGuard::new(outgoing.turn.clone());
        let mut outgoing = outgoing;
        let mut shortened = 0;
        let mut sends = 0;
        loop {
            sends += 1;
            let (headers, body) = request(&call.headers, &client, &outgoing);
            let sent = self.send(call.method.clone(), call.uri.clone(), headers, body, &mut record).await;
            let response = match sent {
                Ok(response) => response,
                Err(trouble) => {
                    turn.end(End::Failed(None), None);
                    return refuse(&trouble, call.dialect, record);
                }
            };
            let (mut parts, body) = response.into_parts();
            strip(&mut parts.headers);
            if sends == MOST_SENDS || !may_be_mended(parts.status) {
                tell(&mut parts.headers, outgoing.answer_headers);
                outgoing.turn.not_sent_again();
                return match (outgoing.keeper, call.dialect) {
                    (Some(keeper), Some(dialect)) if parts.status.is_success() => {
                        let (host, reserved) = (host(&call.uri), self.compute.buffers().nothing());
                        Answered { parts, body, dialect, keeper, turn, record, host, reserved }.kept().await
                    }
                    (keeper, dialect) => {
                        let unchanged = keeper.map(|_| HistoryStatus::Unchanged.header());
                        tell(&mut parts.headers, unchanged.into_iter().collect());
                        answer(parts, body, dialect, Some(turn), record)
                    }
                };
            }
            let (error, told) = read_complaint(&parts, body, self.compute.buffers()).await;
            let told = told.filter(|told| shortened < MOST_SHORTENED || !matches!(told, Complaint::TooLong(_)));
            let again = match (told, turn.turn()) {
                (Some(told), Some(turn)) => {
                    let (turn, length) = (turn.clone(), client.bytes.len().max(outgoing.body.len()));
                    let again = self.compute.run(length, async move { turn.complained(told).await }).await;
                    // After a fault of ours, the provider's own words are the answer.
                    again.unwrap_or(Ok(None)).map(|again| again.map(|again| (told, again)))
                }
                (Some(_) | None, Some(_) | None) => Ok(None),
            };
            let again = match again {
                Ok(again) => again,
                Err(trouble) => {
                    turn.end(End::Failed(Some(parts.status.as_u16())), None);
                    let mut response = refuse(&trouble, call.dialect, record);
                    tell(response.headers_mut(), outgoing.answer_headers);
                    let unchanged = outgoing.keeper.map(|_| HistoryStatus::Unchanged.header());
                    tell(response.headers_mut(), unchanged.into_iter().collect());
                    return response;
                }
            };
            let Some((told, again)) = again else {
                tell(&mut parts.headers, outgoing.answer_headers);
                outgoing.turn.not_sent_again();
                let unchanged = outgoing.keeper.map(|_| HistoryStatus::Unchanged.header());
                tell(&mut parts.headers, unchanged.into_iter().collect());
                return answer(parts, error, call.dialect, Some(turn), record);
            };
            shortened += usize::from(matches!(told, Complaint::TooLong(_)));
            record.metrics().sent_again(told);
            turn.taken_over();
            turn = TurnGuard::new(again.turn.clone());
            outgoing = again;
        }
    }

    async fn send(
        &self,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Body,
        record: &mut Record,
    ) -> Result<Response<Incoming>, Trouble> {
        let host = host(&uri);
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        record.asks();
        let sent = timeout(self.patience, self.http.send(request)).await;
        let answered = match sent {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) if error.is_connect() => Err(Trouble::Unreachable { host, why: why(&error) }),
            Ok(Err(error)) if is_not_http(&error) => Err(Trouble::NotHttp { host }),
            Ok(Err(_)) => Err(Trouble::HungUp { host }),
            Err(_) => Err(Trouble::Silent { host, after: self.patience }),
        };
        if answered.is_ok() {
            record.answered();
        }
        answered
    }
}

/// What an answer of ours looks like on its way.
pub(crate) fn refuse(trouble: &Trouble, dialect: Option<Dialect>, mut record: Record) -> Response<Body> {
    let response = trouble.response(dialect);
    record.answers(response.status(), response.headers());
    record.ended(trouble.name());
    response
}

fn answer<B>(
    parts: Parts,
    body: B,
    dialect: Option<Dialect>,
    turn: Option<TurnGuard>,
    mut record: Record,
) -> Response<Body>
where
    B: http_body::Body<Data = bytes::Bytes> + Unpin + Send + 'static,
    B::Error: Into<BoxError>,
{
    record.answers(parts.status, &parts.headers);
    let body = Tap::new(&parts, body, dialect, turn, record).boxed_unsync();
    Response::from_parts(parts, body)
}

/// An answer that is to be kept.
struct Answered {
    parts: Parts,
    body: Incoming,
    dialect: Dialect,
    keeper: Arc<dyn Keeper>,
    turn: TurnGuard,
    record: Record,
    host: String,
    /// For an answer that is held until it is kept.
    reserved: Reserved,
}

impl Answered {
    /// What the client sees: the answer, when it is kept, or an error.
    async fn kept(self) -> Response<Body> {
        let content_type = self.parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        if content_type.is_some_and(is_stream) { self.stream() } else { self.whole().await }
    }

    fn stream(self) -> Response<Body> {
        let Answered { mut parts, body, dialect, keeper, turn, mut record, host: _, reserved: _ } = self;
        let unreadable = Trouble::NotKept(NotKept::Unreadable);
        if Coding::of(&parts.headers) == Coding::Unknown {
            turn.end(End::Cut, None);
            return refuse(&unreadable, Some(dialect), record);
        }
        tell(&mut parts.headers, vec![HistoryStatus::Pending.header()]);
        record.answers(parts.status, &parts.headers);
        let tap = Tap::new(&parts, body, Some(dialect), Some(turn), record);
        match Keeping::new(&parts, tap, dialect, keeper) {
            Some(keeping) => {
                // It is unpacked, and may end otherwise.
                parts.headers.remove(CONTENT_ENCODING);
                parts.headers.remove(CONTENT_LENGTH);
                Response::from_parts(parts, keeping.boxed_unsync())
            }
            None => unreadable.response(Some(dialect)),
        }
    }

    async fn whole(self) -> Response<Body> {
        let Answered { mut parts, body, dialect, keeper, turn, record, host, reserved } = self;
        let body = match Held::read(body, ANSWER_BYTES, reserved).await {
            Held::Whole(body) => body,
            Held::Begun(begun) => {
                turn.end(End::Cut, None);
                let broken = begun.is_broken();
                let trouble = if broken { Trouble::HungUp { host } } else { Trouble::NotKept(NotKept::TooLarge) };
                return refuse(&trouble, Some(dialect), record);
            }
        };
        let kept = match keeping::whole(&parts, &body.bytes, dialect) {
            Ok(answer) => keeper.keep(answer).await.map(|()| HistoryStatus::Kept),
            // The provider says so itself, and the client reads it.
            Err(NoAnswer::Failed) => Ok(HistoryStatus::Unchanged),
            Err(why) => Err(why.into()),
        };
        match kept {
            Ok(kept) => {
                tell(&mut parts.headers, vec![kept.header()]);
                answer(parts, Begun::from(body), Some(dialect), Some(turn), record)
            }
            Err(why) => {
                // It is paid for all the same.
                let usage = usage_of(&parts, &body.bytes, dialect);
                if let Some(usage) = usage {
                    record.metrics().reported(usage);
                }
                turn.end(End::Complete, usage);
                refuse(&Trouble::NotKept(why), Some(dialect), record)
            }
        }
    }
}

fn host(uri: &Uri) -> String {
    uri.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default()
}

/// The statuses with which providers say that a prompt is too long, or not as it must be.
fn may_be_mended(status: StatusCode) -> bool {
    matches!(status, StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE | StatusCode::UNPROCESSABLE_ENTITY)
}

/// An error's body, which can be passed on as it came, and whether it says something that can be mended.
async fn read_complaint(parts: &Parts, body: Incoming, buffers: &Buffers) -> (Begun, Option<Complaint>) {
    match Held::read(body, ERROR_BYTES, buffers.nothing()).await {
        Held::Begun(begun) => (begun, None),
        Held::Whole(error) => {
            let text = match Coding::of(&parts.headers) {
                Coding::Plain => Some(error.bytes.clone()),
                Coding::Packed(encoding) => decoded(encoding, &error.bytes, ERROR_BYTES),
                Coding::Unknown => None,
            };
            let told = text.map(|text| complaint(&text)).and_then(|told| {
                let thinking = told.thinking.map(Complaint::Thinking);
                thinking.or(told.too_long.map(Complaint::TooLong))
            });
            (error.into(), told)
        }
    }
}

/// The headers and the body that the provider gets.
fn request(headers: &HeaderMap, client: &Whole, outgoing: &Outgoing) -> (HeaderMap, Body) {
    let mut headers = headers.clone();
    tell(&mut headers, outgoing.upstream_headers.clone());
    if !outgoing.edited {
        return (headers, Begun::from(client.clone()).boxed_unsync());
    }
    headers.remove(CONTENT_ENCODING);
    headers.insert(CONTENT_LENGTH, HeaderValue::from(outgoing.body.len()));
    (headers, whole(outgoing.body.clone()))
}

/// Sets headers in place of those of the same names.
fn tell(headers: &mut HeaderMap, told: Vec<(HeaderName, HeaderValue)>) {
    for (name, _) in &told {
        headers.remove(name);
    }
    for (name, value) in told {
        headers.append(name, value);
    }
}

/// The client's headers that a provider gets: neither what is between the client and us, nor what is meant for us.
pub(crate) fn passed_on(client: &HeaderMap) -> HeaderMap {
    let wants_trailers = client.get(TE).and_then(|value| value.to_str().ok()).is_some_and(|te| te.contains("trailers"));
    let named = named_by_connection(client);
    let is_overruled = client.contains_key(TRANSFER_ENCODING);
    let mut headers = HeaderMap::with_capacity(client.len());
    for (name, value) in client {
        let ours = *name == HOST || *name == EXPECT || name.as_str().starts_with("x-epitome");
        let ours = ours || (*name == CONTENT_LENGTH && is_overruled);
        if !ours && !is_hop_by_hop(name) && !named.contains(name) {
            headers.append(name, value.clone());
        }
    }
    if wants_trailers {
        headers.insert(TE, HeaderValue::from_static("trailers"));
    }
    headers
}

/// Takes out what is between the provider and us.
fn strip(headers: &mut HeaderMap) {
    if headers.contains_key(TRANSFER_ENCODING) {
        // The length is overruled by the chunks that came (RFC 9112, 6.3), and would be a lie about what is sent on.
        headers.remove(CONTENT_LENGTH);
    }
    for name in named_by_connection(headers) {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

/// Headers that are meant for the next machine alone. `trailer` is not: it announces what we pass on.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("http2-settings"),
];

fn is_hop_by_hop(name: &HeaderName) -> bool {
    HOP_BY_HOP.contains(name)
}

fn named_by_connection(headers: &HeaderMap) -> Vec<HeaderName> {
    let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let names = values.flat_map(|value| value.split(',')).map(str::trim);
    names
        .filter(|name| !name.eq_ignore_ascii_case("keep-alive") && !name.eq_ignore_ascii_case("close"))
        .filter_map(|name| name.parse().ok())
        .collect()
}

fn is_not_http(error: &(dyn StdError + 'static)) -> bool {
    error.source().and_then(|source| source.downcast_ref()).is_some_and(hyper::Error::is_parse)
}

/// Why a connection was not made, in words that hold nothing of the machine's.
fn why(error: &(dyn StdError + 'static)) -> &'static str {
    const KINDS: [(io::ErrorKind, &str); 4] = [
        (io::ErrorKind::ConnectionRefused, "the connection was refused"),
        (io::ErrorKind::TimedOut, "the connection took too long"),
        (io::ErrorKind::NetworkUnreachable, "there is no way to it"),
        (io::ErrorKind::HostUnreachable, "there is no way to it"),
    ];
    let mut source = Some(error);
    while let Some(error) = source {
        let kind = error.downcast_ref::<io::Error>().filter(|error| error.get_ref().is_none()).map(io::Error::kind);
        if let Some((_, words)) = KINDS.iter().find(|(known, _)| Some(*known) == kind) {
            return words;
        }
        // These have types of their own, which are not ours to name.
        let told = error.to_string();
        if told.starts_with("dns error") {
            return "its name was not found";
        }
        if told.contains("corrupt message") {
            return "it does not speak https";
        }
        if told.starts_with("invalid peer certificate") {
            return "its certificate is not trusted by this machine";
        }
        // What an I/O error was made of is not its source, but what its source is asked of.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        source = inner.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| error.source());
    }
    "no connection could be made"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn what_is_between_the_client_and_us_is_not_passed_on() {
        let client = headers(&[
            ("host", "localhost"),
            ("connection", "keep-alive, X-Private"),
            ("x-private", "1"),
            ("keep-alive", "timeout=5"),
            ("te", "trailers, deflate"),
            ("transfer-encoding", "chunked"),
            ("expect", "100-continue"),
            ("proxy-authorization", "Basic x"),
            ("x-epitome", "observe"),
            ("x-epitome-token", "t"),
            ("authorization", "Bearer k"),
            ("x-twice", "1"),
            ("x-twice", "2"),
        ]);
        let expected =
            headers(&[("authorization", "Bearer k"), ("x-twice", "1"), ("x-twice", "2"), ("te", "trailers")]);
        assert_eq!(passed_on(&client), expected);
    }

    #[test]
    fn a_length_beside_chunks_is_believed_by_nobody() {
        let both = headers(&[("content-length", "3"), ("transfer-encoding", "chunked"), ("x", "1")]);
        assert_eq!(passed_on(&both), headers(&[("x", "1")]));
        let alone = headers(&[("content-length", "3")]);
        assert_eq!(passed_on(&alone), alone);
        let mut answer = both;
        strip(&mut answer);
        assert_eq!(answer, headers(&[("x", "1")]));
    }

    #[test]
    fn told_headers_replace_those_of_their_name() {
        let mut all = headers(&[("a", "1"), ("a", "2"), ("b", "1")]);
        tell(
            &mut all,
            vec![
                (HeaderName::from_static("a"), HeaderValue::from_static("3")),
                (HeaderName::from_static("a"), HeaderValue::from_static("4")),
            ],
        );
        assert_eq!(all, headers(&[("a", "3"), ("a", "4"), ("b", "1")]));
    }
}
