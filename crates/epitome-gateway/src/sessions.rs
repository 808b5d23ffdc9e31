//! What is known of sessions between two requests, in memory: it can all be found again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::tokens::{Calibration, Tokens};
use epitome_store::records::{Rent, SessionId, Spending, Tenant};
use http::Uri;
use tokio::task::AbortHandle;

use crate::money::Caches;
use crate::pipeline::Fullness;
use crate::thinking::Binding;

/// Sessions that are remembered; a young and an old generation of this many each.
const MOST: usize = 4_096;
/// Fewer where much is remembered of each: about 8 KB of a long session, 500 KB at most.
const MOST_CACHES: usize = 1_024;
/// Longer names of models are cut, and told apart by a hash: a client may send a name of any length.
const LONGEST_MODEL: usize = 128;

/// Held by one at a time.
pub(crate) type InTurn = Arc<tokio::sync::Mutex<()>>;

/// A session with one of its models.
type OfModel = (Tenant, SessionId, String);

/// A history of a session, by its first message.
type OfHistory = (Tenant, SessionId, Option<PrefixFingerprint>);

/// A tenant's model at a provider, by the provider's address.
type AtProvider = (Tenant, String, String);

/// A window that a provider told.
#[derive(Debug, Clone, Copy)]
struct ToldWindow {
    window: Tokens,
    at_ms: u64,
}

/// A window that was told is believed for so long: a provider changes what it serves, and may have been wrong.
const WINDOW_HOLDS_MS: u64 = 60 * 60 * 1_000;

/// Used by the requests of a session, one after the other.
pub(crate) type SharedCaches = Arc<Mutex<Caches>>;

/// What is known of the sessions of everybody.
#[derive(Default)]
pub(crate) struct Sessions {
    counts: Mutex<Generations<OfModel, Calibration>>,
    locks: Mutex<Generations<(Tenant, PrefixFingerprint), InTurn>>,
    /// Windows that providers told, where they are smaller than was thought.
    windows: Mutex<Generations<AtProvider, ToldWindow>>,
    /// What providers, by their address, do with the thinking of a model, where they have complained.
    bindings: Mutex<Generations<(String, String), Binding>>,
    /// By session and first message: the agents of one session have histories of their own.
    full: Mutex<Generations<OfHistory, Fullness>>,
    /// What is in providers' caches, by session and model.
    caches: Mutex<Generations<OfModel, SharedCaches, MOST_CACHES>>,
    /// What sessions have cost so far.
    spending: Mutex<Generations<(Tenant, SessionId), Spending>>,
    /// What not compacting histories has cost, where prices decide when to.
    rents: Mutex<Generations<(Tenant, PrefixFingerprint), Rent>>,
    /// Who waits whether a session pauses.
    pauses: Mutex<Generations<(Tenant, PrefixFingerprint), AbortHandle>>,
    /// The models and providers of which people were told whether they are marked for.
    told: Mutex<Generations<(String, String), ()>>,
}

impl Sessions {
    /// What was learnt about the counts of a session with a model.
    pub(crate) fn calibration(&self, tenant: &Tenant, session: &SessionId, model: &str) -> Option<Calibration> {
        lock(&self.counts).get(&(tenant.clone(), session.clone(), short(model)))
    }

    /// Learns it.
    pub(crate) fn learn(&self, tenant: &Tenant, session: &SessionId, model: &str, calibration: Calibration) {
        lock(&self.counts).put((tenant.clone(), session.clone(), short(model)), calibration);
    }

    /// A session goes on as another: what was learnt about its counts, and what the provider has cached of it, still holds.
    pub(crate) fn move_on(&self, tenant: &Tenant, from: &SessionId, to: &SessionId, model: &str) {
        let key = |session: &SessionId| (tenant.clone(), session.clone(), short(model));
        let (from, to) = (key(from), key(to));
        let mut counts = lock(&self.counts);
        if let (Some(calibration), None) = (counts.get(&from), counts.get(&to)) {
            counts.put(to.clone(), calibration);
        }
        drop(counts);
        let mut caches = lock(&self.caches);
        if let (Some(shared), None) = (caches.get(&from), caches.get(&to)) {
            caches.put(to, shared);
        }
    }

    /// What a session with a model has left in the provider's cache.
    pub(crate) fn caches(&self, tenant: &Tenant, session: &SessionId, model: &str) -> SharedCaches {
        lock(&self.caches).get_or_put((tenant.clone(), session.clone(), short(model)), Arc::default)
    }

    /// What a session has cost so far; nothing, if nobody knows of it.
    pub(crate) fn spending(&self, tenant: &Tenant, session: &SessionId) -> Spending {
        lock(&self.spending).get(&(tenant.clone(), session.clone())).unwrap_or_default()
    }

    /// What the store knows that a session has cost, where nothing is known here.
    pub(crate) fn recall_spending(&self, tenant: &Tenant, session: &SessionId, stored: Spending) {
        lock(&self.spending).get_or_put((tenant.clone(), session.clone()), || stored);
    }

    /// A session has cost so much more.
    pub(crate) fn spend(&self, tenant: &Tenant, session: &SessionId, more: Spending) {
        let mut spending = lock(&self.spending);
        let key = (tenant.clone(), session.clone());
        let mut sum = spending.get(&key).unwrap_or_default();
        sum += more;
        spending.put(key, sum);
    }

    /// What not compacting a history has cost.
    pub(crate) fn rent(&self, tenant: &Tenant, since: PrefixFingerprint) -> Option<Rent> {
        lock(&self.rents).get(&(tenant.clone(), since))
    }

    /// It has cost so much by now.
    pub(crate) fn remember_rent(&self, tenant: &Tenant, since: PrefixFingerprint, rent: Rent) {
        lock(&self.rents).put((tenant.clone(), since), rent);
    }

    /// Somebody waits whether a session pauses; whoever waited for it before does so no longer.
    pub(crate) fn waits(&self, tenant: &Tenant, since: PrefixFingerprint, waiting: AbortHandle) {
        let key = (tenant.clone(), since);
        let mut pauses = lock(&self.pauses);
        if let Some(before) = pauses.get(&key) {
            before.abort();
        }
        pauses.put(key, waiting);
    }

    /// A session goes on: nobody waits for its pause any more.
    pub(crate) fn stop_waiting(&self, tenant: &Tenant, since: PrefixFingerprint) {
        let key = (tenant.clone(), since);
        let mut pauses = lock(&self.pauses);
        if let Some(waiting) = pauses.get(&key) {
            waiting.abort();
            pauses.remove(&key);
        }
    }

    /// Whether people have yet to be told about a model at a provider; they are told once.
    pub(crate) fn tell_once(&self, authority: &str, model: &str) -> bool {
        let mut told = lock(&self.told);
        let key = (authority.to_owned(), short(model));
        let first = told.get(&key).is_none();
        if first {
            told.put(key, ());
        }
        first
    }

    /// Who compacts histories that begin so waits for the others who do.
    pub(crate) fn turn_of(&self, tenant: &Tenant, first: PrefixFingerprint) -> InTurn {
        lock(&self.locks).get_or_put((tenant.clone(), first), InTurn::default)
    }

    /// How full a history is taken to be; `next` says what it is taken to be from now on. Gives both.
    pub(crate) fn fullness(
        &self,
        tenant: &Tenant,
        session: &SessionId,
        first: Option<PrefixFingerprint>,
        next: impl FnOnce(Fullness) -> Fullness,
    ) -> (Fullness, Fullness) {
        let mut full = lock(&self.full);
        let key = (tenant.clone(), session.clone(), first);
        let before = full.get(&key).unwrap_or_default();
        let now = next(before);
        if before != now {
            full.put(key, now);
        }
        (before, now)
    }

    /// The window that the provider told for a tenant's model, as long as that holds.
    pub(crate) fn window_of(&self, tenant: &Tenant, upstream: &Uri, model: &str, now_ms: u64) -> Option<Tokens> {
        let told = lock(&self.windows).get(&(tenant.clone(), host(upstream), model.to_owned()))?;
        (now_ms.saturating_sub(told.at_ms) < WINDOW_HOLDS_MS).then_some(told.window)
    }

    /// What the provider was learnt to do with the thinking of a model.
    pub(crate) fn binding_of(&self, upstream: &Uri, model: &str) -> Option<Binding> {
        lock(&self.bindings).get(&(host(upstream), short(model)))
    }

    /// The provider has complained: it is at least as hard as this.
    pub(crate) fn learn_binding(&self, upstream: &Uri, model: &str, binding: Binding) {
        let known = self.binding_of(upstream, model).unwrap_or_default();
        lock(&self.bindings).put((host(upstream), short(model)), known.max(binding));
    }

    /// The provider says that the window of a tenant's model is this large.
    pub(crate) fn learn_window(&self, tenant: &Tenant, upstream: &Uri, model: &str, window: Tokens, now_ms: u64) {
        let key = (tenant.clone(), host(upstream), model.to_owned());
        lock(&self.windows).put(key, ToldWindow { window, at_ms: now_ms });
    }
}

/// Remembers a bounded number: when the young are too many they become the old, and what was not asked for goes.
pub(crate) struct Generations<K, V, const MOST: usize = { self::MOST }> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V, const MOST: usize> Default for Generations<K, V, MOST> {
    fn default() -> Self {
        Generations { young: HashMap::new(), old: HashMap::new() }
    }
}

impl<K: Eq + std::hash::Hash + Clone, V: Clone, const MOST: usize> Generations<K, V, MOST> {
    pub(crate) fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let value = self.old.remove(key)?;
        self.put(key.clone(), value.clone());
        Some(value)
    }

    pub(crate) fn get_or_put(&mut self, key: K, make: impl FnOnce() -> V) -> V {
        self.get(&key).unwrap_or_else(|| {
            let made = make();
            self.put(key, made.clone());
            made
        })
    }

    pub(crate) fn put(&mut self, key: K, value: V) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    pub(crate) fn take(&mut self, key: &K) -> Option<V> {
        let value = self.get(key);
        self.remove(key);
        value
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.young.remove(key);
        self.old.remove(key);
    }
}

/// A model's name as it is remembered.
fn short(model: &str) -> String {
    match model.len() {
        0..=LONGEST_MODEL => model.to_owned(),
        _ => {
            let start = model.get(..model.floor_char_boundary(LONGEST_MODEL)).unwrap_or_default();
            format!("{start}…{:016x}", xxhash_rust::xxh3::xxh3_64(model.as_bytes()))
        }
    }
}

fn host(upstream: &Uri) -> String {
    upstream.authority().map(ToString::to_string).unwrap_or_default()
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_was_told_holds_for_an_hour_for_one_tenant_model_and_provider() {
        let sessions = Sessions::default();
        let (tenant, upstream) = (Tenant::only(), Uri::from_static("https://one.example/v1/messages"));
        sessions.learn_window(&tenant, &upstream, "m", Tokens(8_192), 1_000);
        let same_host = Uri::from_static("https://one.example/v1/other");
        assert_eq!(sessions.window_of(&tenant, &same_host, "m", 1_000), Some(Tokens(8_192)));
        assert_eq!(sessions.window_of(&tenant, &upstream, "m", 1_000 + WINDOW_HOLDS_MS - 1), Some(Tokens(8_192)));
        assert_eq!(sessions.window_of(&tenant, &upstream, "m", 1_000 + WINDOW_HOLDS_MS), None);
        let elsewhere = Uri::from_static("https://two.example/v1/messages");
        assert_eq!(sessions.window_of(&tenant, &elsewhere, "m", 1_000), None);
        assert_eq!(sessions.window_of(&Tenant::new("another"), &upstream, "m", 1_000), None);
        assert_eq!(sessions.window_of(&tenant, &upstream, "n", 1_000), None);
    }

    #[test]
    fn what_is_asked_for_is_not_forgotten() {
        let mut generations: Generations<usize, usize> = Generations::default();
        for number in 0..10 * MOST {
            generations.put(number, number);
            assert_eq!(generations.get(&0), Some(0));
        }
        assert!(generations.young.len() + generations.old.len() <= 2 * MOST + 1);
        assert_eq!(generations.get(&1), None);
    }

    #[test]
    fn a_model_with_a_long_name_takes_no_more_room_and_is_no_other() {
        let (one, other) = ("é".repeat(1_000_000), format!("{}x", "é".repeat(1_000_000)));
        assert!(short(&one).len() < 200);
        assert_eq!(short(&one), short(&one.clone()));
        assert_ne!(short(&one), short(&other));
        assert_eq!(short("gpt-5.1"), "gpt-5.1");
    }
}
