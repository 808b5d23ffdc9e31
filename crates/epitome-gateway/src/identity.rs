//! What a session is called, for people and for lists. Edits are never found by it.

use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_store::records::SessionId;
use epitome_wire::Envelope;
use http::HeaderMap;

/// Headers by which agents name their sessions, the surest first. A name in the body stands between the first and the rest.
const NAMING_HEADERS: &[&str] = &["session-id", "thread-id", "x-session-id", "x-session-affinity"];

/// Longer names are cut, with a hash behind them: they are typed by people.
const LONGEST: usize = 64;

/// The header by which a client tells us the name itself.
pub const SESSION_HEADER: &str = "x-epitome-session";

/// What the session of a request is called: as the client calls it, else by how it begins.
pub fn session_of(headers: &HeaderMap, envelope: &Envelope, first: Option<&PrefixFingerprint>) -> SessionId {
    let header = |name: &&str| headers.get(*name).and_then(|value| value.to_str().ok());
    let told = header(&SESSION_HEADER).or_else(|| header(&"x-claude-code-session-id"));
    let told = told.or(envelope.session.as_deref()).or_else(|| NAMING_HEADERS.iter().find_map(header));
    match told.and_then(typeable) {
        Some(name) => SessionId::new(name),
        None => {
            let digits = first.unwrap_or(&PrefixFingerprint::EMPTY).to_string();
            SessionId::new(format!("begins-{}", digits.get(..12).unwrap_or(&digits)))
        }
    }
}

/// The session that a client names to us, if it does.
pub(crate) fn named_session(headers: &HeaderMap) -> Option<SessionId> {
    headers.get(SESSION_HEADER)?.to_str().ok().and_then(typeable).map(SessionId::new)
}

/// A name that can be typed and cannot be mistaken for something else. One that had to be changed for that ends with a hash
/// of itself, so that two sessions never share a name. `None`: nothing is said.
fn typeable(name: &str) -> Option<String> {
    let name = name.trim();
    let plain = |c: &char| c.is_ascii_alphanumeric() || "-_.:".contains(*c);
    if !name.is_empty() && name.len() <= LONGEST && name.chars().all(|c| plain(&c)) {
        return Some(name.to_owned());
    }
    let kept: String = name.chars().filter(plain).take(LONGEST - 1 - ContentHash::SHORT_DIGITS).collect();
    (!name.is_empty()).then(|| format!("{kept}-{}", ContentHash::of(name).short()))
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
        let name = session_of(&odd, &envelope(None), None);
        assert_eq!(name.as_str(), format!("ab..c-{}", ContentHash::of("a b/../c").short()));
        let empty = headers(&[("x-session-id", " ")]);
        assert!(session_of(&empty, &envelope(None), None).as_str().starts_with("begins-"));
    }

    #[test]
    fn no_client_names_a_session_that_continues_another() {
        for name in ["s~2", "begins-012~3", "a b~2", &format!("{}~2", "x".repeat(LONGEST))] {
            let session = SessionId::new(typeable(name).unwrap());
            assert_eq!((session.number(), session.of_client()), (1, session.clone()), "{name}");
        }
    }

    #[test]
    fn two_sessions_with_two_names_are_never_one() {
        let long = "x".repeat(LONGEST);
        let names = ["anna@example.com", "annaexample.com", "a b", "ab", "user/1", "user1", "//", "@", &long];
        let longer = [format!("{long}1"), format!("{long}2")];
        let names = names.into_iter().chain(longer.iter().map(String::as_str));
        let names: Vec<String> = names.map(|name| typeable(name).unwrap()).collect();
        let different: std::collections::BTreeSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{names:?}");
        assert!(names.iter().all(|name| name.len() <= LONGEST && typeable(name).as_ref() == Some(name)), "{names:?}");
    }
}
