//! What is known of sessions between two requests, in memory: it can all be found again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::tokens::{Calibration, Tokens};
use epitome_store::records::{SessionId, Tenant};

/// Sessions that are remembered; a young and an old generation of this many each.
const MOST: usize = 4_096;

/// Held by one at a time.
type InTurn = Arc<tokio::sync::Mutex<()>>;

/// What is known of the sessions of everybody.
#[derive(Default)]
pub(crate) struct Sessions {
    counts: Mutex<Generations<(Tenant, SessionId, String), Calibration>>,
    locks: Mutex<Generations<(Tenant, PrefixFingerprint), InTurn>>,
    /// Windows that providers told, by model, where they are smaller than was thought.
    windows: Mutex<HashMap<String, Tokens>>,
}

impl Sessions {
    /// What was learnt about the counts of a session with a model.
    pub(crate) fn calibration(&self, tenant: &Tenant, session: &SessionId, model: &str) -> Option<Calibration> {
        lock(&self.counts).get(&(tenant.clone(), session.clone(), model.to_owned()))
    }

    /// Learns it.
    pub(crate) fn learn(&self, tenant: &Tenant, session: &SessionId, model: &str, calibration: Calibration) {
        lock(&self.counts).put((tenant.clone(), session.clone(), model.to_owned()), calibration);
    }

    /// Who compacts histories that begin so waits for the others who do.
    pub(crate) fn turn_of(&self, tenant: &Tenant, first: PrefixFingerprint) -> InTurn {
        let mut locks = lock(&self.locks);
        let key = (tenant.clone(), first);
        locks.get(&key).unwrap_or_else(|| {
            let made = InTurn::default();
            locks.put(key, made.clone());
            made
        })
    }

    /// The window that the provider told of for a model.
    pub(crate) fn window_of(&self, model: &str) -> Option<Tokens> {
        lock(&self.windows).get(model).copied()
    }

    /// The provider says that a model's window is this large.
    pub(crate) fn learn_window(&self, model: &str, window: Tokens) {
        lock(&self.windows).insert(model.to_owned(), window);
    }
}

/// Remembers a bounded number: when the young are too many they become the old, and what was not asked for goes.
struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V> Default for Generations<K, V> {
    fn default() -> Self {
        Generations { young: HashMap::new(), old: HashMap::new() }
    }
}

impl<K: Eq + std::hash::Hash + Clone, V: Clone> Generations<K, V> {
    fn get(&mut self, key: &K) -> Option<V> {
        if let Some(value) = self.young.get(key) {
            return Some(value.clone());
        }
        let value = self.old.remove(key)?;
        self.put(key.clone(), value.clone());
        Some(value)
    }

    fn put(&mut self, key: K, value: V) {
        if self.young.len() >= MOST {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_not_forgotten() {
        let mut generations = Generations::default();
        for number in 0..10 * MOST {
            generations.put(number, number);
            assert_eq!(generations.get(&0), Some(0));
        }
        assert!(generations.young.len() + generations.old.len() <= 2 * MOST + 1);
        assert_eq!(generations.get(&1), None);
    }
}
