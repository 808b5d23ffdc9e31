//! What was done with a request, for the answer's headers, the log, the metrics and the store.

use epitome_core::money::Dollars;
use epitome_core::tokens::Tokens;
use epitome_store::records::{SessionId, Spending};
use http::{HeaderName, HeaderValue};

use crate::identity::SESSION_HEADER;

/// The header that says what was done.
pub(crate) const ACTION_HEADER: HeaderName = HeaderName::from_static("x-epitome-action");

/// The header that names the engine that works here.
pub(crate) const ENGINE_HEADER: HeaderName = HeaderName::from_static("x-epitome-engine");

/// What was done with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The session.
    pub session: Option<SessionId>,
    /// What was done.
    pub action: Action,
    /// What the client's own request weighs, if that is known.
    pub before: Option<Tokens>,
    /// What was sent weighs.
    pub after: Option<Tokens>,
    /// From which size on a request is compacted, if that is known.
    pub trigger: Option<Tokens>,
    /// How many markers for the provider's cache were added.
    pub markers: usize,
    /// Whether the request was changed for the provider's cache: by markers, or by a key.
    pub marked: bool,
    /// What the session has cost before this call, if anything is known of it.
    pub spending: Option<Spending>,
}

/// What was done with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Its conversation was sent as it came.
    Untouched(Reason),
    /// The edits of earlier compactions were made again.
    Replayed,
    /// It was compacted, and that is remembered.
    Compacted,
    /// It was compacted, and that is forgotten: for a question about the session, or while the store is not available.
    CompactedOnce,
}

/// Why a conversation was sent as it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// There is room.
    BelowThreshold,
    /// Compression is switched off, or was for this request.
    Off,
    /// Only watched: what would have been done is told beside it.
    Observed,
    /// A part of the history is at the provider, so that nobody here can see it.
    ServerState,
    /// It is no request that we understand.
    Unreadable,
    /// Nothing in it can be made smaller.
    NothingToDo,
    /// The store could not be read or written, and the request fits.
    StoreUnavailable,
    /// A defect of ours, and the request fits.
    Failed,
}

impl Reason {
    /// Its name in headers and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Reason::BelowThreshold => "below_threshold",
            Reason::Off => "off",
            Reason::Observed => "observe",
            Reason::ServerState => "server_state",
            Reason::Unreadable => "unreadable",
            Reason::NothingToDo => "nothing_to_do",
            Reason::StoreUnavailable => "store_unavailable",
            Reason::Failed => "failed",
        }
    }
}

impl Report {
    /// A request that was sent as it came before anything was known of it.
    pub fn untouched(reason: Reason) -> Report {
        let action = Action::Untouched(reason);
        Report {
            session: None,
            action,
            before: None,
            after: None,
            trigger: None,
            markers: 0,
            marked: false,
            spending: None,
        }
    }

    /// The name of what was done, in headers, the log and the store.
    pub fn action_name(&self) -> &'static str {
        match self.action {
            Action::Untouched(_) if self.marked => "marked",
            Action::Untouched(_) => "untouched",
            Action::Replayed => "replayed",
            Action::Compacted => "compacted",
            Action::CompactedOnce => "compacted-once",
        }
    }

    /// As the client is told.
    pub fn headers(&self) -> Vec<(HeaderName, HeaderValue)> {
        let mut headers = vec![(ACTION_HEADER, HeaderValue::from_static(self.action_name()))];
        if let Action::Untouched(reason) = self.action {
            headers.push(named("x-epitome-reason", reason.name()));
        }
        let session = self.session.as_ref().and_then(|session| HeaderValue::from_str(session.as_str()).ok());
        headers.extend(session.map(|session| (HeaderName::from_static(SESSION_HEADER), session)));
        let sizes = [
            ("x-epitome-tokens-before", self.before),
            ("x-epitome-tokens-after", self.after),
            ("x-epitome-trigger", self.trigger),
        ];
        let known = sizes.into_iter().filter_map(|(name, tokens)| Some((name, tokens?)));
        headers.extend(known.map(|(name, Tokens(tokens))| (HeaderName::from_static(name), HeaderValue::from(tokens))));
        if self.markers > 0 {
            headers.push((HeaderName::from_static("x-epitome-cache-markers"), HeaderValue::from(self.markers)));
        }
        if let Some(spending) = self.spending.filter(|spending| *spending != Spending::default()) {
            let dollars = |dollars: Dollars| HeaderValue::from_str(&format!("{:.6}", dollars.as_f64())).ok();
            let paid = dollars(spending.paid + spending.summaries);
            headers.extend(paid.map(|paid| (HeaderName::from_static("x-epitome-session-cost-usd"), paid)));
            let saved = dollars(spending.net());
            headers.extend(saved.map(|saved| (HeaderName::from_static("x-epitome-session-saved-usd"), saved)));
        }
        headers
    }
}

/// The value of [`ENGINE_HEADER`]: the engine that works, and the one that was configured where that does not exist.
pub(crate) fn engine_header(used: &str, missing: Option<&str>) -> Option<HeaderValue> {
    let value = missing.map_or_else(|| used.to_owned(), |wanted| format!("{used}; wanted={wanted}"));
    HeaderValue::from_str(&value).ok()
}

fn named(name: &'static str, value: &'static str) -> (HeaderName, HeaderValue) {
    (HeaderName::from_static(name), HeaderValue::from_static(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_told_what_was_done() {
        let report = Report {
            session: Some(SessionId::new("s-1")),
            action: Action::Compacted,
            before: Some(Tokens(90_000)),
            after: Some(Tokens(30_000)),
            trigger: Some(Tokens(50_000)),
            markers: 0,
            marked: true,
            spending: None,
        };
        let told: Vec<String> =
            report.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        assert_eq!(
            told,
            [
                "x-epitome-action: compacted",
                "x-epitome-session: s-1",
                "x-epitome-tokens-before: 90000",
                "x-epitome-tokens-after: 30000",
                "x-epitome-trigger: 50000",
            ]
        );
        let untouched = Report::untouched(Reason::ServerState);
        assert_eq!(untouched.headers()[1].1, "server_state");
        assert_eq!(untouched.headers()[0].1, "untouched");
        let marked = Report { marked: true, markers: 2, ..untouched }.headers();
        assert_eq!(marked[0].1, "marked");
        assert_eq!(marked[1].1, "server_state");
    }
}
