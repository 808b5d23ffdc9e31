//! What a request is, as far as its method, path and headers tell.

use epitome_wire::Dialect;
use http::header::UPGRADE;
use http::{HeaderMap, Method};

use crate::auth::Zone;
use crate::exchange::Purpose;

/// What a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// A model is asked.
    Talk(Dialect, Purpose),
    /// A page of ours.
    Own(Page),
    /// A WebSocket is wanted.
    WebSocket,
    /// Something else of the provider's.
    Other,
}

/// A page of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Page {
    Healthz,
    Readyz,
    Metrics,
    /// What is given with the settings.
    Epitome,
}

impl Route {
    /// A prefix before the path of a dialect is the provider's affair.
    pub(crate) fn of(method: &Method, path: &str, headers: &HeaderMap) -> Route {
        if path == "/epitome" || path.starts_with("/epitome/") {
            return Route::Own(Page::Epitome);
        }
        if method == Method::POST {
            return match () {
                () if path.ends_with("/v1/messages") => Route::Talk(Dialect::AnthropicMessages, Purpose::Answer),
                () if path.ends_with("/v1/messages/count_tokens") => {
                    Route::Talk(Dialect::AnthropicMessages, Purpose::Count)
                }
                () if path.ends_with("/chat/completions") => Route::Talk(Dialect::OpenAiChat, Purpose::Answer),
                () if path.ends_with("/responses") => Route::Talk(Dialect::OpenAiResponses, Purpose::Answer),
                () => Route::Other,
            };
        }
        if method == Method::GET || method == Method::HEAD {
            match path {
                "/healthz" => return Route::Own(Page::Healthz),
                "/readyz" => return Route::Own(Page::Readyz),
                "/metrics" => return Route::Own(Page::Metrics),
                _ => {}
            }
        }
        let upgrade = headers.get(UPGRADE).and_then(|value| value.to_str().ok());
        if upgrade.is_some_and(|to| to.to_ascii_lowercase().contains("websocket")) {
            return Route::WebSocket;
        }
        Route::Other
    }

    pub(crate) fn dialect(self) -> Option<Dialect> {
        match self {
            Route::Talk(dialect, _) => Some(dialect),
            Route::Own(_) | Route::WebSocket | Route::Other => None,
        }
    }

    pub(crate) fn zone(self) -> Zone {
        match self {
            Route::Talk(_, _) => Zone::Api,
            Route::Own(Page::Healthz | Page::Readyz) => Zone::Probe,
            Route::Own(Page::Metrics | Page::Epitome) => Zone::Own,
            Route::WebSocket | Route::Other => Zone::Other,
        }
    }

    /// For logs. The path itself may hold names of others' things.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Route::Talk(Dialect::AnthropicMessages, Purpose::Answer) => "messages",
            Route::Talk(Dialect::AnthropicMessages, Purpose::Count) => "count_tokens",
            Route::Talk(Dialect::OpenAiChat, _) => "chat_completions",
            Route::Talk(Dialect::OpenAiResponses, _) => "responses",
            Route::Own(Page::Healthz) => "healthz",
            Route::Own(Page::Readyz) => "readyz",
            Route::Own(Page::Metrics) => "metrics",
            Route::Own(Page::Epitome) => "epitome",
            Route::WebSocket => "websocket",
            Route::Other => "other",
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[track_caller]
    fn check(method: Method, path: &str, expected: &str) {
        assert_eq!(Route::of(&method, path, &HeaderMap::new()).name(), expected, "{method} {path}");
    }

    #[test]
    fn paths_of_dialects_are_known_behind_any_prefix() {
        for prefix in ["", "/api", "/x/y"] {
            check(Method::POST, &format!("{prefix}/v1/messages"), "messages");
            check(Method::POST, &format!("{prefix}/v1/messages/count_tokens"), "count_tokens");
            check(Method::POST, &format!("{prefix}/v1/chat/completions"), "chat_completions");
            check(Method::POST, &format!("{prefix}/v1/responses"), "responses");
            check(Method::POST, &format!("{prefix}/responses"), "responses");
        }
    }

    #[test]
    fn everything_else_is_the_providers() {
        check(Method::GET, "/v1/messages", "other");
        check(Method::HEAD, "/", "other");
        check(Method::POST, "/v1/messages/batches", "other");
        check(Method::POST, "/v1/responses/compact", "other");
        check(Method::POST, "/metrics", "other");
        check(Method::GET, "/v1/metrics", "other");
        check(Method::GET, "/epitomes", "other");
    }

    #[test]
    fn a_few_paths_are_ours() {
        check(Method::GET, "/healthz", "healthz");
        check(Method::GET, "/readyz", "readyz");
        check(Method::GET, "/metrics", "metrics");
        check(Method::POST, "/epitome/sessions/x/compact", "epitome");
    }

    #[test]
    fn a_websocket_is_known_by_its_header() {
        let mut headers = HeaderMap::new();
        headers.insert(UPGRADE, HeaderValue::from_static("WebSocket"));
        assert_eq!(Route::of(&Method::GET, "/v1/responses", &headers), Route::WebSocket);
    }
}
