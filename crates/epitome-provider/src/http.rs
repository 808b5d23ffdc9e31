//! The HTTP client. It follows no redirect, so that a key goes nowhere but where it was meant to go.

use std::io;

use ::http::{Request, Response};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{Client, Error};
use hyper_util::rt::TokioExecutor;

/// A client with its pool of connections. Cheap to clone.
#[derive(Clone)]
pub enum Http {
    /// For http alone: reads no certificates.
    Plain(Client<HttpConnector, Full<Bytes>>),
    /// For https and http.
    Encrypted(Client<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

impl Http {
    /// For http alone.
    pub fn plain() -> Http {
        Http::Plain(Client::builder(TokioExecutor::new()).build_http())
    }

    /// For https too, with the certificates of this machine. An error: there are none.
    pub fn encrypted() -> io::Result<Http> {
        let connector =
            HttpsConnectorBuilder::new().with_native_roots()?.https_or_http().enable_http1().enable_http2().build();
        Ok(Http::Encrypted(Client::builder(TokioExecutor::new()).build(connector)))
    }

    /// Sends a request; ends when the response's headers are there.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, Error> {
        match self {
            Http::Plain(client) => client.request(request).await,
            Http::Encrypted(client) => client.request(request).await,
        }
    }
}
