//! Where requests are sent. Upstreams come from the settings alone: nothing a client sends can name another.

use epitome_wire::Dialect;
use http::uri::{Authority, Parts, PathAndQuery, Scheme};
use http::{HeaderMap, Uri};

/// A provider's address. Holding one means that it was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstream {
    scheme: Scheme,
    authority: Authority,
    /// Without a slash at its end.
    path: String,
    query: Option<String>,
}

/// An address that nothing is sent to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpstreamError {
    /// It is no http or https address with a host.
    #[error("the upstream is not of the form https://host/path")]
    NotAnAddress,
    /// It holds a user name or a password, which would show up in logs.
    #[error("the upstream holds credentials; let the client send them in a header")]
    Credentials,
}

/// The upstream of each dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upstreams {
    /// For `/v1/messages`, and for other paths asked with Anthropic's headers.
    pub anthropic: Upstream,
    /// For `/chat/completions`, and for all other paths.
    pub openai_chat: Upstream,
    /// For `/responses`.
    pub openai_responses: Upstream,
}

impl Upstream {
    /// Reads `https://host`, `https://host/base` and the like.
    pub fn new(address: &str) -> Result<Upstream, UpstreamError> {
        let uri: Uri = address.trim().parse().map_err(|_| UpstreamError::NotAnAddress)?;
        let Parts { scheme, authority, path_and_query, .. } = uri.into_parts();
        let scheme = scheme.filter(|scheme| *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS);
        let authority = authority.filter(|authority| !authority.host().is_empty());
        let (Some(scheme), Some(authority)) = (scheme, authority) else { return Err(UpstreamError::NotAnAddress) };
        if authority.as_str().contains('@') {
            return Err(UpstreamError::Credentials);
        }
        let path = path_and_query.as_ref().map_or("", PathAndQuery::path).trim_end_matches('/').to_owned();
        let query = path_and_query.as_ref().and_then(PathAndQuery::query).map(str::to_owned);
        Ok(Upstream { scheme, authority, path, query })
    }

    /// For people: the host, with its port if one is given.
    pub fn host(&self) -> &str {
        self.authority.as_str()
    }

    /// The host alone.
    pub fn domain(&self) -> &str {
        self.authority.host()
    }

    /// Whether it is spoken to with encryption.
    pub fn is_encrypted(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    /// The address of a client's path here. Where the end of ours is the beginning of theirs, it stands once.
    ///
    /// `None`: the path is none that can be asked for.
    pub(crate) fn join(&self, asked: &PathAndQuery) -> Option<Uri> {
        let path = asked.path();
        if !path.starts_with('/') {
            return None;
        }
        let behind = path.get(overlap(&self.path, path)..)?;
        let queries: Vec<&str> = [self.query.as_deref(), asked.query()].into_iter().flatten().collect();
        let together = if self.path.is_empty() && self.query.is_none() {
            asked.clone()
        } else if queries.is_empty() {
            PathAndQuery::try_from(format!("{}{behind}", self.path)).ok()?
        } else {
            PathAndQuery::try_from(format!("{}{behind}?{}", self.path, queries.join("&"))).ok()?
        };
        let uri = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone());
        uri.path_and_query(together).build().ok()
    }
}

/// How many bytes at the beginning of `path`, in whole segments, are the end of `base`.
fn overlap(base: &str, path: &str) -> usize {
    let ends = path.char_indices().skip(1).filter(|(_, c)| *c == '/').map(|(at, _)| at).chain([path.len()]);
    ends.filter(|end| path.get(..*end).is_some_and(|start| start.len() > 1 && base.ends_with(start)))
        .max()
        .unwrap_or_default()
}

impl Upstreams {
    /// The same for all dialects.
    pub fn one(upstream: Upstream) -> Upstreams {
        Upstreams { anthropic: upstream.clone(), openai_chat: upstream.clone(), openai_responses: upstream }
    }

    pub(crate) fn all(&self) -> [&Upstream; 3] {
        [&self.anthropic, &self.openai_chat, &self.openai_responses]
    }

    pub(crate) fn of(&self, dialect: Dialect) -> &Upstream {
        match dialect {
            Dialect::AnthropicMessages => &self.anthropic,
            Dialect::OpenAiChat => &self.openai_chat,
            Dialect::OpenAiResponses => &self.openai_responses,
        }
    }

    /// Where a path goes that is of no dialect.
    pub(crate) fn by_headers(&self, headers: &HeaderMap) -> &Upstream {
        let anthropic = headers.contains_key("anthropic-version") || headers.contains_key("x-api-key");
        if anthropic { &self.anthropic } else { &self.openai_chat }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(upstream: &str, asked: &str, expected: &str) {
        let upstream = Upstream::new(upstream).expect("an address");
        let asked = asked.parse().expect("a path");
        assert_eq!(upstream.join(&asked).map(|uri| uri.to_string()).as_deref(), Some(expected));
    }

    #[test]
    fn what_stands_in_both_stands_once() {
        check("https://h", "/v1/messages?beta=true", "https://h/v1/messages?beta=true");
        check("https://h/", "/v1/messages", "https://h/v1/messages");
        check("https://h/v1", "/v1/messages?beta=true", "https://h/v1/messages?beta=true");
        check("https://h/v1/", "/v1/messages", "https://h/v1/messages");
        check("https://h/api/v1", "/api/v1/chat/completions", "https://h/api/v1/chat/completions");
        check("https://h/api/v1", "/v1/chat/completions", "https://h/api/v1/chat/completions");
        check("https://h/api/v1", "/chat/completions", "https://h/api/v1/chat/completions");
        check("https://h/anthropic", "/v1/messages", "https://h/anthropic/v1/messages");
        check("https://h/v1", "/", "https://h/v1/");
        check("https://h", "/", "https://h/");
        check("https://h/v1", "/v1", "https://h/v1");
        check("https://h/xv1", "/v1/models", "https://h/xv1/v1/models");
        check("https://h:8443/x?api-version=2", "/y?z=1", "https://h:8443/x/y?api-version=2&z=1");
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in ["", "h", "ftp://h", "https://", "/v1", "http://a b"] {
            assert_eq!(Upstream::new(wrong), Err(UpstreamError::NotAnAddress), "{wrong}");
        }
        assert_eq!(Upstream::new("https://user:secret@h"), Err(UpstreamError::Credentials));
    }
}
