//! Where a model is asked, in which dialect, and with which key.

use std::fmt;
use std::net::IpAddr;

use ::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST};
use ::http::uri::{Parts, PathAndQuery, Scheme};
use ::http::{HeaderMap, HeaderName, Uri};
use epitome_wire::asking::{AskDialect, LimitKey};

use crate::key::ApiKey;

/// Where a model is asked. Holding one means that its address was checked.
#[derive(Debug, Clone)]
pub struct Endpoint {
    pub(crate) url: Uri,
    pub(crate) dialect: AskDialect,
    pub(crate) limit_key: LimitKey,
    pub(crate) credential: Credential,
}

/// What shows that we may ask.
#[derive(Clone)]
pub(crate) enum Credential {
    /// Nothing: it is not asked for.
    Nothing,
    /// A key of our own.
    Key(ApiKey),
    /// The headers of somebody whose request is served, for as long as that takes.
    Headers(HeaderMap),
}

impl fmt::Debug for Credential {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Credential::Nothing => "nothing",
            Credential::Key(_) => "a key",
            Credential::Headers(_) => "a client's headers",
        })
    }
}

/// An address that nobody is asked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It is no http or https address with a host.
    #[error("the address is not of the form https://host/path")]
    NotAnAddress,
    /// The key would travel in the clear through networks of others.
    #[error("the key would be sent to {host} without encryption; use https, or an address of your own network")]
    KeyInTheClear {
        /// Where to.
        host: String,
    },
}

/// A provider that is known by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// api.openai.com.
    OpenAi,
    /// api.anthropic.com.
    Anthropic,
    /// openrouter.ai.
    OpenRouter,
    /// Nous Portal.
    Nous,
}

impl Service {
    /// Its address.
    pub fn base_url(self) -> &'static str {
        match self {
            Service::OpenAi => "https://api.openai.com/v1",
            Service::Anthropic => "https://api.anthropic.com",
            Service::OpenRouter => "https://openrouter.ai/api/v1",
            Service::Nous => "https://inference-api.nousresearch.com/v1",
        }
    }

    /// How it is asked.
    pub fn dialect(self) -> AskDialect {
        match self {
            Service::OpenAi | Service::OpenRouter | Service::Nous => AskDialect::OpenAiChat,
            Service::Anthropic => AskDialect::AnthropicMessages,
        }
    }

    /// A small and cheap model of its own that follows instructions; for who names none.
    pub fn usual_model(self) -> &'static str {
        match self {
            Service::OpenAi => "gpt-5-mini",
            Service::Anthropic => "claude-haiku-4-5",
            Service::OpenRouter => "google/gemini-2.5-flash",
            Service::Nous => "Hermes-4-70B",
        }
    }
}

impl Endpoint {
    /// The endpoint behind a base address, as clients take it: `https://host/v1`, `http://localhost:11434`.
    ///
    /// Plain http is for one's own machine and network. Elsewhere it is accepted only without a key.
    pub fn new(dialect: AskDialect, base_url: &str, key: Option<ApiKey>) -> Result<Endpoint, EndpointError> {
        let base: Uri = base_url.trim().parse().map_err(|_| EndpointError::NotAnAddress)?;
        let host = base.host().filter(|host| !host.is_empty()).ok_or(EndpointError::NotAnAddress)?.to_owned();
        let encrypted = match base.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(EndpointError::NotAnAddress),
        };
        if key.is_some() && !encrypted && !is_own_network(&host) {
            return Err(EndpointError::KeyInTheClear { host });
        }
        let credential = key.map_or(Credential::Nothing, Credential::Key);
        Ok(Endpoint { url: joined(base, dialect)?, dialect, limit_key: limit_key(&host), credential })
    }

    /// The endpoint that a client's request goes to, asked as the client asks it: at the same address, and with the
    /// client's own headers, apart from those that are about its request alone. Nothing is kept of them but here.
    pub fn of_request(dialect: AskDialect, url: Uri, client: &HeaderMap) -> Endpoint {
        let about_us = |name: &HeaderName| !is_about_one_request(name);
        let headers = client.iter().filter(|(name, _)| about_us(name));
        let headers = headers.map(|(name, value)| (name.clone(), value.clone())).collect();
        let limit_key = limit_key(url.host().unwrap_or_default());
        Endpoint { url, dialect, limit_key, credential: Credential::Headers(headers) }
    }

    /// The dialect that an address speaks, as far as it tells.
    pub fn dialect_of(base_url: &str) -> AskDialect {
        let lower = base_url.to_lowercase();
        let path = lower.split('?').next().unwrap_or_default().trim_end_matches('/');
        let anthropic =
            lower.contains("//api.anthropic.com") || path.ends_with("/anthropic") || path.ends_with("/messages");
        if anthropic { AskDialect::AnthropicMessages } else { AskDialect::OpenAiChat }
    }

    /// For people: the host.
    pub fn host(&self) -> &str {
        self.url.host().unwrap_or_default()
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        self.url.scheme() == Some(&Scheme::HTTPS)
    }
}

/// How an answer is limited there.
fn limit_key(host: &str) -> LimitKey {
    match host {
        // OpenAI's own models refuse the older key; others know only that.
        "api.openai.com" => LimitKey::MaxCompletionTokens,
        // What is behind a subscription is not limited by whoever asks.
        "chatgpt.com" => LimitKey::Unsaid,
        _ => LimitKey::MaxTokens,
    }
}

/// Headers that say something of one request and its body, and would be wrong with another.
const ABOUT_ONE_REQUEST: [HeaderName; 6] =
    [ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST];
/// The same, by how they are called. A key for repeated requests would bring the answer to another question.
const ABOUT_ONE_REQUEST_BEGIN: [&str; 4] = ["idempotency-key", "x-stainless-", "x-codex-turn-", "x-client-request-id"];

fn is_about_one_request(name: &HeaderName) -> bool {
    ABOUT_ONE_REQUEST.contains(name) || ABOUT_ONE_REQUEST_BEGIN.iter().any(|begin| name.as_str().starts_with(begin))
}

/// The address that is posted to: what clients of either dialect make of a base address.
fn joined(base: Uri, dialect: AskDialect) -> Result<Uri, EndpointError> {
    let full = dialect.path();
    let path = base.path().trim_end_matches('/');
    let last = full.rsplit('/').next().unwrap_or_default();
    let path = match dialect {
        _ if path.ends_with(full) || (dialect == AskDialect::AnthropicMessages && path.ends_with("/messages")) => {
            path.to_owned()
        }
        AskDialect::OpenAiChat | AskDialect::OpenAiResponses if path.is_empty() => format!("/v1{full}"),
        AskDialect::OpenAiChat | AskDialect::OpenAiResponses => format!("{path}{full}"),
        AskDialect::AnthropicMessages if path.ends_with("/v1") => format!("{path}/{last}"),
        AskDialect::AnthropicMessages => format!("{path}{full}"),
    };
    let path = base.query().map_or(path.clone(), |query| format!("{path}?{query}"));
    let mut parts: Parts = base.into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).map_err(|_| EndpointError::NotAnAddress)?);
    Uri::from_parts(parts).map_err(|_| EndpointError::NotAnAddress)
}

/// This machine, a private address, or a name that only one's own network knows.
fn is_own_network(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback() || address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.is_unique_local() || address.is_unicast_link_local()
        }
        Err(_) => {
            let name = bare.trim_end_matches('.').to_lowercase();
            !name.contains('.') || [".local", ".localhost", ".internal", ".lan"].iter().any(|end| name.ends_with(end))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: AskDialect, base: &str, expected: &str) {
        assert_eq!(
            Endpoint::new(dialect, base, None).map(|endpoint| endpoint.url.to_string()),
            Ok(expected.to_owned())
        );
    }

    #[test]
    fn base_addresses_are_taken_as_clients_take_them() {
        check(AskDialect::OpenAiChat, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions");
        check(AskDialect::OpenAiChat, "http://localhost:11434", "http://localhost:11434/v1/chat/completions");
        check(AskDialect::OpenAiChat, "http://h/v1/chat/completions", "http://h/v1/chat/completions");
        check(AskDialect::OpenAiChat, "https://h/x/?api-version=1", "https://h/x/chat/completions?api-version=1");
        check(AskDialect::AnthropicMessages, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages");
        check(AskDialect::AnthropicMessages, "https://h/v1/", "https://h/v1/messages");
        check(AskDialect::AnthropicMessages, "https://h/anthropic", "https://h/anthropic/v1/messages");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in ["", "h", "ftp://h/x", "https://", "/v1", "http://a b"] {
            assert_eq!(
                Endpoint::new(AskDialect::OpenAiChat, wrong, None).err(),
                Some(EndpointError::NotAnAddress),
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_key_does_not_travel_in_the_clear() {
        let with_key = |base: &str| {
            let key = ApiKey::new("k").expect("a key");
            Endpoint::new(AskDialect::OpenAiChat, base, Some(key)).err()
        };
        for own in [
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://192.168.1.5/v1",
            "http://vllm:8000",
            "http://box.local",
            "https://far.example",
        ] {
            assert_eq!(with_key(own), None, "{own}");
        }
        for far in ["http://far.example/v1", "http://8.8.8.8"] {
            assert!(matches!(with_key(far), Some(EndpointError::KeyInTheClear { .. })), "{far}");
        }
        assert!(Endpoint::new(AskDialect::OpenAiChat, "http://far.example/v1", None).is_ok());
    }

    #[test]
    fn a_client_is_asked_for_as_it_asks() {
        let client = [
            ("authorization", "Bearer sk-1"),
            ("anthropic-beta", "a"),
            ("anthropic-beta", "b"),
            ("content-length", "5"),
            ("accept-encoding", "gzip"),
            ("idempotency-key", "k"),
            ("x-stainless-retry-count", "0"),
        ];
        let mut headers = HeaderMap::new();
        for (name, value) in client {
            headers.append(name, ::http::HeaderValue::from_static(value));
        }
        let url = Uri::from_static("https://h/api/v1/messages?beta=true");
        let endpoint = Endpoint::of_request(AskDialect::AnthropicMessages, url.clone(), &headers);
        assert_eq!((&endpoint.url, endpoint.host()), (&url, "h"));
        assert!(!format!("{endpoint:?}").contains("sk-1"));
        let Credential::Headers(kept) = endpoint.credential else { panic!("headers") };
        let kept: Vec<&str> = kept.iter().map(|(_, value)| value.to_str().expect("text")).collect();
        assert_eq!(kept, ["Bearer sk-1", "a", "b"]);
    }

    #[test]
    fn an_address_tells_its_dialect() {
        assert_eq!(Endpoint::dialect_of("https://api.anthropic.com"), AskDialect::AnthropicMessages);
        assert_eq!(Endpoint::dialect_of("https://h/anthropic/"), AskDialect::AnthropicMessages);
        assert_eq!(Endpoint::dialect_of("https://h/v1"), AskDialect::OpenAiChat);
    }
}
