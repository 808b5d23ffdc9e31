//! What we answer ourselves: our own errors, each in the shape that the client's dialect gives to errors.

use std::time::Duration;

use bytes::Bytes;
use epitome_core::tokens::Tokens;
use epitome_provider::http::{Body, whole};
use epitome_wire::Dialect;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use crate::exchange::NotKept;

/// The header that tells an error of ours from one of the provider's: the error's name.
pub const ERROR_HEADER: HeaderName = HeaderName::from_static("x-epitome-error");

/// Why a request is not answered by its provider.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// The token is missing or wrong.
    #[error("epitome: the header x-epitome-token is missing or wrong; send the gateway's token in it")]
    NoToken,
    /// A name that is not of this machine was asked for: a page in a browser may have been given our address.
    #[error("epitome: this gateway answers to localhost alone; use http://127.0.0.1 as base URL, or set a token")]
    ForeignHost,
    /// A page of another site asks from a browser.
    #[error("epitome: pages of other sites may not ask this gateway")]
    ForeignOrigin,
    /// The client's body did not arrive.
    #[error("epitome: the request's body broke off; send it again")]
    BodyLost,
    /// A session that is not known, or not to this tenant.
    #[error("epitome: there is no such session; GET /epitome/sessions lists them")]
    NoSession,
    /// What came with a request for a compaction.
    #[error("epitome: a compaction takes {{\"focus\": \"a few words\"}}, or nothing")]
    NotAWish,
    /// The store did not answer.
    #[error("epitome: the store is not available; try again")]
    NoStore,
    /// The provider has answered, and the answer could not be added to the history that is kept here.
    #[error("epitome: the answer is not kept: {0}")]
    NotKept(NotKept),
    /// There is no such page of ours.
    #[error("epitome: there is nothing at this path")]
    NotFound,
    /// The address cannot be asked for.
    #[error("epitome: this is a gateway, not a proxy; ask for a path")]
    NotAPath,
    /// A WebSocket was asked for.
    #[error("epitome: WebSockets are not spoken here; use HTTP with server-sent events")]
    WebSocket,
    /// The provider was not reached.
    #[error("epitome: {host} cannot be reached: {why}; check that it is up and that the upstream is set right")]
    Unreachable {
        /// The provider's.
        host: String,
        /// What went wrong.
        why: &'static str,
    },
    /// The provider said nothing.
    #[error("epitome: {host} did not answer within {} seconds; try again, or allow it more time", after.as_secs_f32())]
    Silent {
        /// The provider's.
        host: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// Something answered that is no web server, or wants to be spoken to with encryption.
    #[error("epitome: {host} does not answer with HTTP; check that the upstream is set right, https included")]
    NotHttp {
        /// The provider's.
        host: String,
    },
    /// The provider hung up.
    #[error("epitome: {host} closed the connection before it answered; try again")]
    HungUp {
        /// The provider's.
        host: String,
    },
    /// The provider finds the prompt too long, and nothing smaller can be sent.
    #[error("{}", too_long(*sent, *window, why))]
    TooLong {
        /// What the prompt takes.
        sent: Tokens,
        /// The window, where it is known.
        window: Option<Tokens>,
        /// What is too large.
        why: String,
    },
}

impl Trouble {
    /// Its status. The only place where errors become statuses.
    pub fn status(&self) -> StatusCode {
        match self {
            Trouble::NoToken => StatusCode::UNAUTHORIZED,
            Trouble::ForeignHost | Trouble::ForeignOrigin => StatusCode::FORBIDDEN,
            Trouble::BodyLost | Trouble::NotAPath | Trouble::NotAWish | Trouble::TooLong { .. } => {
                StatusCode::BAD_REQUEST
            }
            Trouble::NotFound | Trouble::NoSession => StatusCode::NOT_FOUND,
            Trouble::NoStore | Trouble::NotKept(NotKept::Store) => StatusCode::SERVICE_UNAVAILABLE,
            Trouble::NotKept(NotKept::Overtaken) => StatusCode::CONFLICT,
            Trouble::NotKept(NotKept::Unreadable | NotKept::TooLarge) => StatusCode::BAD_GATEWAY,
            // Codex 0.166 falls back to HTTP at the first one of these. On 404, 405, 501 and 503 it tries for seven
            // seconds before, and on 400 it gives up.
            Trouble::WebSocket => StatusCode::UPGRADE_REQUIRED,
            Trouble::Unreachable { .. } | Trouble::NotHttp { .. } | Trouble::HungUp { .. } => StatusCode::BAD_GATEWAY,
            Trouble::Silent { .. } => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    /// Its name, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Trouble::NoToken => "token_required",
            Trouble::ForeignHost => "foreign_host",
            Trouble::ForeignOrigin => "foreign_origin",
            Trouble::BodyLost => "body_lost",
            Trouble::NotFound => "not_found",
            Trouble::NoSession => "no_such_session",
            Trouble::NotAWish => "not_a_wish",
            Trouble::NoStore => "store_unavailable",
            Trouble::NotKept(_) => "history_not_stored",
            Trouble::NotAPath => "not_a_path",
            Trouble::WebSocket => "no_websockets",
            Trouble::Unreachable { .. } => "upstream_unreachable",
            Trouble::Silent { .. } => "upstream_silent",
            Trouble::NotHttp { .. } => "upstream_not_http",
            Trouble::HungUp { .. } => "upstream_hung_up",
            Trouble::TooLong { .. } => "prompt_too_long",
        }
    }

    /// Its name in the body of OpenAI's dialects: the one that clients know, where there is one.
    fn code(&self) -> &'static str {
        if matches!(self, Trouble::TooLong { .. }) { "context_length_exceeded" } else { self.name() }
    }

    /// The answer. Without a dialect it has the shape that most clients read.
    pub(crate) fn response(&self, dialect: Option<Dialect>) -> Response<Body> {
        let mut response = Response::new(whole(Bytes::from(self.json(dialect).to_string())));
        *response.status_mut() = self.status();
        if *self == Trouble::NotKept(NotKept::Store) {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(STORE_AGAIN));
        }
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response.headers_mut().insert(ERROR_HEADER, HeaderValue::from_static(self.name()));
        response
    }

    /// The event that ends a stream of this dialect, as its provider would report an error in it.
    pub(crate) fn event(&self, dialect: Dialect) -> Vec<u8> {
        let event = match dialect {
            Dialect::AnthropicMessages => format!("event: error\ndata: {}\n\n", self.json(Some(dialect))),
            Dialect::OpenAiChat => format!("data: {}\n\n", self.json(Some(dialect))),
            Dialect::OpenAiResponses => {
                let error = json!({"type": "error", "code": self.name(), "message": self.to_string(), "param": null});
                format!("event: error\ndata: {error}\n\n")
            }
        };
        event.into_bytes()
    }

    fn json(&self, dialect: Option<Dialect>) -> Value {
        let (status, message) = (self.status(), self.to_string());
        match dialect {
            Some(Dialect::AnthropicMessages) => {
                json!({"type": "error", "error": {"type": anthropic_type(status), "message": message}})
            }
            Some(Dialect::OpenAiChat | Dialect::OpenAiResponses) | None => {
                let kind = if status.is_server_error() { "server_error" } else { "invalid_request_error" };
                json!({"error": {"message": message, "type": kind, "param": null, "code": self.code()}})
            }
        }
    }
}

/// Seconds until a store that could not be written is tried again: as long as it waits for a lock.
const STORE_AGAIN: u32 = 5;
/// Begins as providers begin, so that a client understands it and can compact its history itself.
fn too_long(sent: Tokens, window: Option<Tokens>, why: &str) -> String {
    let numbers = window.map(|window| format!(": {} tokens > {} maximum", sent.0, window.0)).unwrap_or_default();
    format!("prompt is too long{numbers} (maximum context length exceeded); epitome cannot make it smaller: {why}")
}

fn anthropic_type(status: StatusCode) -> &'static str {
    match status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::NOT_FOUND => "not_found_error",
        StatusCode::GATEWAY_TIMEOUT => "timeout_error",
        other if other.is_server_error() => "api_error",
        _ => "invalid_request_error",
    }
}

/// A text of ours.
pub(crate) fn text(status: StatusCode, text: impl Into<Bytes>, content_type: &'static str) -> Response<Body> {
    let mut response = Response::new(whole(text.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
