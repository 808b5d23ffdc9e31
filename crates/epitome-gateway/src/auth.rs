//! Who may ask, and whose data a request is about.
//!
//! On loopback the gateway trusts the machine, but not the pages in its browsers: they may neither ask from another
//! site nor under a name that was pointed at us (DNS rebinding). Elsewhere a token is needed.

use std::fmt;
use std::net::IpAddr;

use epitome_store::records::Tenant;
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderName, Uri};

use crate::connections::Newcomer;
use crate::respond::Trouble;

/// The header that the gateway's token comes in. It is not forwarded, as no header that begins like it.
pub const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-epitome-token");

/// Who may ask.
#[derive(Clone)]
pub enum Auth {
    /// Everybody on this machine. The gateway listens on loopback only.
    Loopback,
    /// Who sends one of these tokens. Each has data of its own, and with it each account that a client names.
    Tokens(Vec<String>),
    /// Everybody, from anywhere. Who names another account, or else sends another credential to the provider, has data
    /// of their own.
    Insecure,
}

/// What tenants are named by, so that their names tell nothing about credentials. Made once and kept.
#[derive(Clone)]
pub struct Secret(pub [u8; 32]);

/// What a request is for, as far as who may ask differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// Whether we are alive: tells nothing.
    Probe,
    /// Our own pages, where sessions are read. No provider's credential is needed.
    Own,
    /// A model is asked, with the client's own credential.
    Api,
    /// Anything else of the provider's.
    Other,
}

/// Whose data a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whose {
    /// Whose ledgers it finds: by what it says, so that only who has a history finds its edits.
    pub(crate) ledger: Tenant,
    /// Whose sessions it finds: by their names, which anybody can say. This takes the token, or the credential that wrote
    /// them.
    pub(crate) sessions: Tenant,
}

impl Whose {
    fn all(tenant: Tenant) -> Whose {
        Whose { ledger: tenant.clone(), sessions: tenant }
    }
}

/// Decides who may ask.
pub(crate) struct Access {
    guard: Guard,
    secret: Secret,
}

enum Guard {
    /// No token, on loopback.
    Loopback,
    /// Keyed hashes of the tokens: comparing hashes takes the same time wherever they differ.
    Tokens(Vec<blake3::Hash>),
    Insecure,
}

impl Access {
    pub(crate) fn new(auth: &Auth, secret: Secret) -> Access {
        let guard = match auth {
            Auth::Loopback => Guard::Loopback,
            Auth::Insecure => Guard::Insecure,
            Auth::Tokens(tokens) => Guard::Tokens(tokens.iter().map(|token| secret.hash(token.as_bytes())).collect()),
        };
        Access { guard, secret }
    }

    /// Whose a connection is on which no request came yet.
    pub(crate) fn newcomer(&self) -> Newcomer {
        match self.guard {
            Guard::Loopback | Guard::Insecure => Newcomer::Client,
            Guard::Tokens(_) => Newcomer::Stranger,
        }
    }

    /// Whose request it is, if it may be asked.
    pub(crate) fn admit(&self, uri: &Uri, headers: &HeaderMap, zone: Zone) -> Result<Whose, Trouble> {
        let host = uri.authority().cloned().or_else(|| authority(headers));
        if let Guard::Loopback = self.guard
            && host.as_ref().is_some_and(|host| !is_this_machine(host.host()))
        {
            return Err(Trouble::ForeignHost);
        }
        if zone != Zone::Probe && is_foreign_page(headers, host.as_ref()) {
            match zone {
                // A page cannot send a credential without being allowed to by the provider.
                Zone::Api if credential(headers).is_some() => {}
                Zone::Probe | Zone::Own | Zone::Api | Zone::Other => return Err(Trouble::ForeignOrigin),
            }
        }
        match &self.guard {
            Guard::Loopback => Ok(Whose::all(Tenant::only())),
            Guard::Tokens(_) if zone == Zone::Probe => Ok(Whose::all(Tenant::only())),
            Guard::Tokens(tokens) => {
                let sent = headers.get(&TOKEN_HEADER).map(|token| token.as_bytes());
                // On paths of our own the usual header is free for it.
                let sent = sent.or_else(|| if zone == Zone::Own { bearer(headers) } else { None });
                let hash = self.secret.hash(sent.ok_or(Trouble::NoToken)?);
                // No early end: which token it was is told by nothing.
                let known = tokens.iter().fold(false, |known, token| known | (*token == hash));
                match (known, account(headers)) {
                    (false, _) => Err(Trouble::NoToken),
                    (true, None) => Ok(Whose::all(named("token", hash))),
                    // People who share a token, each with an account of their own.
                    (true, Some(account)) => Ok(Whose::all(self.secret.account(hash.as_bytes(), account))),
                }
            }
            Guard::Insecure => {
                let Some(credential) = credential(headers) else { return Ok(Whose::all(Tenant::new("nobody"))) };
                let own = named("credential", self.secret.hash(credential));
                // An account stays when its credential is renewed. But anybody can name it: it opens ledgers alone, whose
                // edits are found only by who sends the same history.
                let ledger = match account(headers) {
                    Some(account) if zone == Zone::Api => self.secret.account(b"", account),
                    Some(_) | None => own.clone(),
                };
                Ok(Whose { ledger, sessions: own })
            }
        }
    }
}

impl Secret {
    fn hash(&self, of: &[u8]) -> blake3::Hash {
        blake3::keyed_hash(&self.0, of)
    }

    /// The tenant of an account, among those who came in the same way.
    fn account(&self, way: &[u8], account: &[u8]) -> Tenant {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(b"account\0").update(&(way.len() as u64).to_le_bytes()).update(way).update(account);
        named("account", hasher.finalize())
    }
}

fn named(by: &str, hash: blake3::Hash) -> Tenant {
    let hex = hash.to_hex();
    Tenant::new(format!("{by}-{}", hex.get(..32).unwrap_or(&hex)))
}

/// The account that the client says it works for: Codex with a ChatGPT login, and OpenAI's SDKs where an organization is
/// set. Anthropic's clients name none.
fn account(headers: &HeaderMap) -> Option<&[u8]> {
    let value = ACCOUNT_HEADERS.iter().find_map(|name| headers.get(*name))?;
    Some(value.as_bytes()).filter(|value| !value.is_empty())
}

const ACCOUNT_HEADERS: [&str; 2] = ["chatgpt-account-id", "openai-organization"];

/// What the client shows to the provider.
pub(crate) fn credential(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get("x-api-key").or_else(|| headers.get(AUTHORIZATION)).or_else(|| headers.get("api-key"))?;
    Some(value.as_bytes()).filter(|value| !value.is_empty())
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    headers.get(AUTHORIZATION)?.as_bytes().strip_prefix(b"Bearer ")
}

fn authority(headers: &HeaderMap) -> Option<Authority> {
    headers.get(HOST).map(|host| {
        // What is no name is not the name of this machine.
        Authority::try_from(host.as_bytes()).unwrap_or_else(|_| Authority::from_static("invalid"))
    })
}

/// Whether a page in a browser asks that is neither ours nor of this machine.
fn is_foreign_page(headers: &HeaderMap, host: Option<&Authority>) -> bool {
    let Some(origin) = headers.get(ORIGIN) else { return false };
    let origin: Option<Uri> = origin.to_str().ok().and_then(|origin| origin.parse().ok());
    let Some(origin) = origin.as_ref().and_then(Uri::authority) else { return true };
    !is_this_machine(origin.host()) && Some(origin) != host
}

/// A name that only this machine, or a container on it, has for itself.
fn is_this_machine(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => {
            let name = bare.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost"
                || name.ends_with(".localhost")
                || name == "host.docker.internal"
                || name == "host.containers.internal"
        }
    }
}

impl fmt::Debug for Auth {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Auth::Loopback => "Loopback",
            Auth::Tokens(_) => "Tokens(…)",
            Auth::Insecure => "Insecure",
        })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn admit(auth: &Auth, zone: Zone, headers: &[(&'static str, &'static str)]) -> Result<Tenant, Trouble> {
        Ok(whose(auth, zone, headers)?.ledger)
    }

    fn whose(auth: &Auth, zone: Zone, headers: &[(&'static str, &'static str)]) -> Result<Whose, Trouble> {
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Access::new(auth, Secret([7; 32])).admit(&Uri::from_static("/v1/x"), &headers.collect(), zone)
    }

    #[test]
    fn on_loopback_there_is_one_tenant_and_no_other_name() {
        for host in ["127.0.0.1:8484", "localhost:8484", "[::1]:8484", "agent.localhost", "host.docker.internal:8484"] {
            assert_eq!(admit(&Auth::Loopback, Zone::Api, &[("host", host)]), Ok(Tenant::only()), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8484", "10.0.0.1", "a b"] {
            assert_eq!(admit(&Auth::Loopback, Zone::Api, &[("host", host)]), Err(Trouble::ForeignHost), "{host}");
        }
        assert_eq!(admit(&Auth::Loopback, Zone::Api, &[]), Ok(Tenant::only()));
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let ask = |zone, origin, more: &[(&'static str, &'static str)]| {
            admit(&Auth::Loopback, zone, &[&[("host", "localhost:8484"), ("origin", origin)], more].concat()).is_ok()
        };
        for zone in [Zone::Own, Zone::Other, Zone::Api] {
            assert!(ask(zone, "http://localhost:3000", &[]), "{zone:?}");
            assert!(!ask(zone, "https://evil.example", &[]), "{zone:?}");
            assert!(!ask(zone, "null", &[]), "{zone:?}");
        }
        assert!(ask(Zone::Api, "https://app.example", &[("x-api-key", "mine")]));
        assert!(!ask(Zone::Own, "https://app.example", &[("x-api-key", "mine")]));
        // Our own pages, reached by another name with a token.
        let tokens = Auth::Tokens(vec!["t".to_owned()]);
        let own = [("host", "gw.example:8484"), ("origin", "http://gw.example:8484"), ("x-epitome-token", "t")];
        assert!(admit(&tokens, Zone::Own, &own).is_ok());
    }

    #[test]
    fn tokens_are_asked_for_and_tell_tenants_apart() {
        let auth = Auth::Tokens(vec!["one".to_owned(), "two".to_owned()]);
        let with = |zone, name, token| admit(&auth, zone, &[("host", "gw.example"), (name, token)]);
        let one = with(Zone::Api, "x-epitome-token", "one").expect("right");
        let two = with(Zone::Other, "x-epitome-token", "two").expect("right");
        assert_ne!(one, two);
        assert!(!one.as_str().contains("one"));
        assert_eq!(with(Zone::Api, "x-epitome-token", "three"), Err(Trouble::NoToken));
        assert_eq!(with(Zone::Api, "x-api-key", "one"), Err(Trouble::NoToken));
        // The provider's credential is none of ours, but on our own pages there is no provider.
        assert_eq!(with(Zone::Api, "authorization", "Bearer one"), Err(Trouble::NoToken));
        assert_eq!(with(Zone::Own, "authorization", "Bearer one"), Ok(one));
        assert_eq!(with(Zone::Own, "authorization", "Bearer wrong"), Err(Trouble::NoToken));
        assert!(with(Zone::Probe, "accept", "*/*").is_ok());
    }

    #[test]
    fn without_a_token_credentials_tell_tenants_apart() {
        let with = |name, value| admit(&Auth::Insecure, Zone::Api, &[("host", "gw.example"), (name, value)]);
        let one = with("x-api-key", "k1").expect("admitted");
        assert_ne!(Ok(one.clone()), with("x-api-key", "k2"));
        assert_eq!(Ok(one), with("x-api-key", "k1"));
        assert_ne!(with("authorization", "Bearer k1"), with("authorization", "Bearer k2"));
        assert_eq!(with("accept", "*/*"), Ok(Tenant::new("nobody")));
    }

    #[test]
    fn what_is_found_by_name_takes_the_credential_that_wrote_it() {
        let ask = |auth: &Auth, token, key| {
            let headers = [("x-epitome-token", token), ("chatgpt-account-id", "acc-1"), ("authorization", key)];
            whose(auth, Zone::Api, &[&[("host", "gw.example")], &headers[..]].concat()).expect("admitted")
        };
        let [one, other] = ["Bearer one", "Bearer other"].map(|key| ask(&Auth::Insecure, "", key));
        assert_eq!(one.ledger, other.ledger);
        assert_ne!(one.sessions, other.sessions);
        // It is the same tenant that sees the pages.
        assert_eq!(Ok(&one.sessions), admit(&Auth::Insecure, Zone::Own, &[("authorization", "Bearer one")]).as_ref());
        // A token proves who asks, whatever credential the provider gets.
        let tokens = Auth::Tokens(vec!["t".to_owned()]);
        let [one, other] = ["Bearer one", "Bearer other"].map(|key| ask(&tokens, "t", key));
        assert_eq!(one, other);
        assert_eq!(one.ledger, one.sessions);
    }

    #[test]
    fn accounts_are_tenants_that_outlive_their_credentials() {
        let codex = |auth: &Auth, zone, account, key| {
            admit(auth, zone, &[("host", "gw.example"), ("chatgpt-account-id", account), ("authorization", key)])
        };
        let insecure = |account, key| codex(&Auth::Insecure, Zone::Api, account, key).expect("admitted");
        let one = insecure("acc-1", "Bearer old");
        assert_eq!(one, insecure("acc-1", "Bearer new"));
        assert_ne!(one, insecure("acc-2", "Bearer old"));
        assert!(one.as_str().starts_with("account-") && !one.as_str().contains("acc-1"));
        // Whoever names an account has not shown that it is theirs: our pages go by the credential.
        let pages = codex(&Auth::Insecure, Zone::Own, "acc-1", "Bearer old").expect("admitted");
        assert_ne!(pages, one);
        assert_eq!(Ok(pages), admit(&Auth::Insecure, Zone::Own, &[("authorization", "Bearer old")]));
        let nameless = admit(&Auth::Insecure, Zone::Api, &[("chatgpt-account-id", "acc-1")]);
        assert_eq!(nameless, Ok(Tenant::new("nobody")));

        let tokens = Auth::Tokens(vec!["t1".to_owned(), "t2".to_owned()]);
        let with = |token, more: &[(&'static str, &'static str)]| {
            let headers = [&[("host", "gw.example"), ("x-epitome-token", token)], more].concat();
            admit(&tokens, Zone::Api, &headers).expect("admitted")
        };
        let tenants = [
            with("t1", &[]),
            with("t1", &[("openai-organization", "acc-1")]),
            with("t1", &[("openai-organization", "acc-2")]),
            with("t2", &[("openai-organization", "acc-1")]),
            with("t2", &[]),
            one,
        ];
        for (index, tenant) in tenants.iter().enumerate() {
            assert!(!tenants[..index].contains(tenant), "{index}");
        }
        // On loopback there is one tenant, whatever is named.
        let loopback = admit(&Auth::Loopback, Zone::Api, &[("host", "localhost"), ("chatgpt-account-id", "acc-1")]);
        assert_eq!(loopback, Ok(Tenant::only()));
    }
}
