//! What a session is called, for people and for lists. Edits are never found by it.

use epitome_core::fingerprint::PrefixFingerprint;
use epitome_store::records::SessionId;
use epitome_wire::Envelope;
use http::HeaderMap;

/// Headers by which agents name their sessions, the surest first. A name in the body stands between the first and the rest.
const NAMING_HEADERS: &[&str] = &["session-id", "thread-id", "x-session-id", "x-session-affinity"];

/// Longer names are cut: they are typed by people.
const LONGEST: usize = 64;

/// The header by which a client tells us the name itself.
pub const SESSION_HEADER: &str = "x-epitome-session";

/// What the session of a request is called: as the client calls it, else by how it begins.
pub fn session_of(headers: &HeaderMap, envelope: &Envelope, first: Option<&PrefixFingerprint>) -> SessionId {
    let header = |name: &&str| headers.get(*name).and_then(|value| value.to_str().ok());
    let told = header(&SESSION_HEADER).or_else(|| header(&"x-claude-code-session-id"));
    let told = told.or(envelope.session.as_deref()).or_else(|| NAMING_HEADERS.iter().find_map(header));
    match told.map(tidy).filter(|name| !name.is_empty()) {
        Some(name) => SessionId::new(name),
        None => {
            let digits = first.unwrap_or(&PrefixFingerprint::EMPTY).to_string();
            SessionId::new(format!("begins-{}", digits.get(..12).unwrap_or(&digits)))
        }
    }
}

/// The session that a client names to us, if it does.
pub(crate) fn named_session(headers: &HeaderMap) -> Option<SessionId> {
    let told = headers.get(SESSION_HEADER)?.to_str().ok().map(tidy);
    told.filter(|name| !name.is_empty()).map(SessionId::new)
}

/// Only what can be typed and cannot be mistaken for something else.
fn tidy(name: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.:".contains(*c);
    name.chars().filter(plain).take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(session: Option<&str>) -> Envelope {
        Envelope { session: session.map(Into::into), ..Envelope::default() }
    }

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn the_surest_name_wins() {
        let named = headers(&[("x-session-id", "weak"), ("x-claude-code-session-id", "strong")]);
        assert_eq!(session_of(&named, &envelope(Some("body")), None).as_str(), "strong");
        let named = headers(&[("x-session-id", "weak")]);
        assert_eq!(session_of(&named, &envelope(Some("body")), None).as_str(), "body");
        assert_eq!(session_of(&named, &envelope(None), None).as_str(), "weak");
    }

    #[test]
    fn a_session_without_a_name_is_known_by_its_beginning() {
        let name = session_of(&HeaderMap::new(), &envelope(None), Some(&PrefixFingerprint::EMPTY));
        assert_eq!(name.as_str(), "begins-000000000000");
    }

    #[test]
    fn a_name_holds_nothing_odd() {
        let odd = headers(&[("x-session-id", "a b/../c")]);
        assert_eq!(session_of(&odd, &envelope(None), None).as_str(), "ab..c");
        let empty = headers(&[("x-session-id", "//")]);
        assert!(session_of(&empty, &envelope(None), None).as_str().starts_with("begins-"));
    }
}
