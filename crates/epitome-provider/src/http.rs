//! The HTTP client. It follows no redirect, so that a key goes nowhere but where it was meant to go.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use ::http::{Request, Response};
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Builder, Client, Error};
use hyper_util::rt::{TokioExecutor, TokioTimer};

/// A body on its way, whole or streamed.
pub type Body = UnsyncBoxBody<Bytes, Box<dyn StdError + Send + Sync>>;

/// A body that is there already.
pub fn whole(bytes: Bytes) -> Body {
    Full::new(bytes).map_err(|never| match never {}).boxed_unsync()
}

/// A client with its pool of connections. Cheap to clone.
#[derive(Clone)]
pub enum Http {
    /// For http alone: reads no certificates.
    Plain(Client<HttpConnector, Body>),
    /// For https and http.
    Encrypted(Client<HttpsConnector<HttpConnector>, Body>),
}

/// Whether a client can speak https.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// It cannot: no certificates are read.
    Never,
    /// It can.
    Possible,
}

/// A new connection is not waited for longer.
const CONNECT: Duration = Duration::from_secs(15);
/// A connection on which nothing moves is asked this often whether the other side is still there.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// A connection that nobody used for this long is closed.
const IDLE: Duration = Duration::from_secs(60);

impl Http {
    /// For http alone.
    pub fn plain() -> Http {
        Http::Plain(builder().build(connector(Encryption::Never)))
    }

    /// For https too, with the certificates of this machine. An error: there are none.
    pub fn encrypted() -> io::Result<Http> {
        let tls = HttpsConnectorBuilder::new().with_native_roots()?.https_or_http();
        Ok(Http::Encrypted(
            builder().build(tls.enable_http1().enable_http2().wrap_connector(connector(Encryption::Possible))),
        ))
    }

    /// For streams that are passed on: each has a connection of its own (HTTP/1.1), so that a client that reads slowly
    /// holds up no other. An error: certificates are needed, and there are none.
    pub fn for_streams(encryption: Encryption) -> io::Result<Http> {
        match encryption {
            Encryption::Never => Ok(Http::plain()),
            Encryption::Possible => {
                let tls = HttpsConnectorBuilder::new().with_native_roots()?.https_or_http();
                Ok(Http::Encrypted(builder().build(tls.enable_http1().wrap_connector(connector(Encryption::Possible)))))
            }
        }
    }

    /// Sends a request; ends when the response's headers are there.
    pub async fn send(&self, request: Request<Body>) -> Result<Response<Incoming>, Error> {
        match self {
            Http::Plain(client) => client.request(request).await,
            Http::Encrypted(client) => client.request(request).await,
        }
    }
}

fn connector(encryption: Encryption) -> HttpConnector {
    let mut connector = HttpConnector::new();
    // Nobody encrypts above it: an https address must be refused, not spoken to in the clear.
    connector.enforce_http(encryption == Encryption::Never);
    // The end of a body must not wait for the acknowledgement of its beginning.
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(CONNECT));
    connector.set_keepalive(Some(KEEPALIVE));
    connector
}

fn builder() -> Builder {
    let mut builder = Client::builder(TokioExecutor::new());
    builder.pool_idle_timeout(IDLE).pool_timer(TokioTimer::new());
    builder
}
