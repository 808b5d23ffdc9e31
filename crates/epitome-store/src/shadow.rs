//! The edits that would have been made of requests that are only watched: in memory, the latest ones, and nothing else.
//!
//! Nobody depends on them: where they are forgotten, the next request of the session is planned anew.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use epitome_core::fingerprint::PrefixFingerprint;

use crate::format;
use crate::records::{Entry, EntryId, NewEntry, SessionId, Tenant};
use crate::store::{Appended, MOST_MATCHES, StoreError};

/// What would be in a ledger, up to a size.
pub struct Shadow {
    held: Mutex<Held>,
    most_bytes: usize,
}

#[derive(Default)]
struct Held {
    /// By when they came, or were used last.
    entries: BTreeMap<u64, Watched>,
    by_anchor: HashMap<(Tenant, PrefixFingerprint), Vec<u64>>,
    bytes: usize,
    clock: u64,
}

struct Watched {
    tenant: Tenant,
    id: EntryId,
    session: SessionId,
    anchor: PrefixFingerprint,
    depth: u32,
    parent: Option<EntryId>,
    /// The edits, compressed.
    replay: Vec<u8>,
    at_ms: u64,
}

/// Some thousand sessions' edits.
const MOST_BYTES: usize = 32 << 20;
/// What an entry takes beside its edits, names included.
const ENTRY_BYTES: usize = 512;

impl Default for Shadow {
    fn default() -> Shadow {
        Shadow::with_room_for(MOST_BYTES)
    }
}

impl Shadow {
    /// An empty one that holds so many bytes at most.
    pub fn with_room_for(bytes: usize) -> Shadow {
        Shadow { held: Mutex::default(), most_bytes: bytes }
    }

    /// How many bytes are held.
    pub fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// As [`SessionStore::matches`](crate::store::SessionStore::matches).
    pub fn matches(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Vec<Entry>, StoreError> {
        let held = &mut *self.lock();
        let mut found: Vec<u64> = held.matching(tenant, prefixes).take(MOST_MATCHES).collect();
        // The others are for a history that goes on otherwise: they need not stay.
        if let Some(first) = found.first_mut() {
            *first = held.used(*first);
        }
        found.into_iter().map(|key| held.entry(key)).collect()
    }

    /// As [`SessionStore::append`](crate::store::SessionStore::append), but that logs and what was removed are not kept, and
    /// that what was not used for the longest is forgotten where there is no room.
    pub fn append(
        &self,
        tenant: &Tenant,
        prefixes: &[PrefixFingerprint],
        seen: Option<EntryId>,
        entry: NewEntry,
    ) -> Result<Appended, StoreError> {
        let packed = format::pack_replay(tenant, entry.anchor, &entry.replay)?;
        let held = &mut *self.lock();
        if let Some(deepest) = held.matching(tenant, prefixes).next() {
            let deepest = held.entry(deepest)?;
            if deepest.id == packed.id {
                return Ok(Appended::Stored(deepest));
            }
            if Some(deepest.id) != seen {
                return Ok(Appended::Overtaken(deepest));
            }
        }
        let stored = Entry {
            id: packed.id,
            session: entry.session.clone(),
            anchor: entry.anchor,
            depth: entry.depth,
            parent: entry.parent,
            replay: Arc::new(entry.replay),
            at_ms: entry.log.record.at_ms,
        };
        held.put(Watched {
            tenant: tenant.clone(),
            id: packed.id,
            session: entry.session,
            anchor: entry.anchor,
            depth: entry.depth,
            parent: entry.parent,
            replay: packed.frame,
            at_ms: stored.at_ms,
        });
        while held.bytes > self.most_bytes && held.forget_oldest() {}
        Ok(Appended::Stored(stored))
    }

    /// Somebody who panicked under the lock left entries behind that are right one by one.
    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Those of a history, deepest and latest first.
    fn matching<'a>(&'a self, tenant: &'a Tenant, prefixes: &'a [PrefixFingerprint]) -> impl Iterator<Item = u64> + 'a {
        prefixes.iter().enumerate().rev().flat_map(move |(index, anchor)| {
            let there = self.by_anchor.get(&(tenant.clone(), *anchor)).into_iter().flatten().rev().copied();
            there.filter(move |key| self.entries.get(key).is_some_and(|watched| watched.depth as usize == index + 1))
        })
    }

    fn entry(&self, key: u64) -> Result<Entry, StoreError> {
        let missing = || StoreError::Damaged { what: "the edits of a watched request".to_owned() };
        let watched = self.entries.get(&key).ok_or_else(missing)?;
        Ok(Entry {
            id: watched.id,
            session: watched.session.clone(),
            anchor: watched.anchor,
            depth: watched.depth,
            parent: watched.parent,
            replay: Arc::new(format::unpack_replay(&watched.replay)?),
            at_ms: watched.at_ms,
        })
    }

    fn put(&mut self, watched: Watched) {
        self.clock += 1;
        self.bytes += watched.replay.len() + ENTRY_BYTES;
        self.by_anchor.entry((watched.tenant.clone(), watched.anchor)).or_default().push(self.clock);
        self.entries.insert(self.clock, watched);
    }

    /// An entry is used: it becomes the latest, under another key.
    fn used(&mut self, key: u64) -> u64 {
        match self.take(key) {
            Some(watched) => {
                self.put(watched);
                self.clock
            }
            None => key,
        }
    }

    fn forget_oldest(&mut self) -> bool {
        let oldest = self.entries.keys().next().copied();
        oldest.and_then(|oldest| self.take(oldest)).is_some()
    }

    fn take(&mut self, key: u64) -> Option<Watched> {
        let watched = self.entries.remove(&key)?;
        self.bytes -= watched.replay.len() + ENTRY_BYTES;
        let place = (watched.tenant.clone(), watched.anchor);
        if let Some(there) = self.by_anchor.get_mut(&place) {
            there.retain(|one| *one != key);
            if there.is_empty() {
                self.by_anchor.remove(&place);
            }
        }
        Some(watched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{compaction, history, session};

    fn tenant() -> Tenant {
        Tenant::only()
    }

    fn entry(history: &[PrefixFingerprint], summary: &str) -> NewEntry {
        compaction(&session("s"), history, history.len(), summary)
    }

    #[test]
    fn what_would_have_been_done_is_found_deepest_first_and_told_to_who_was_slower() {
        let shadow = Shadow::default();
        let history = history("a", 6);
        let first = shadow.append(&tenant(), &history, None, entry(&history[..2], "one")).unwrap();
        let Appended::Stored(first) = first else { panic!("{first:?}") };
        assert_eq!(shadow.matches(&tenant(), &history).unwrap(), std::slice::from_ref(&first));
        assert_eq!(shadow.matches(&tenant(), &history[..1]).unwrap(), []);
        assert_eq!(shadow.matches(&Tenant::new("other"), &history).unwrap(), []);
        let slower = shadow.append(&tenant(), &history, None, entry(&history[..4], "two")).unwrap();
        assert_eq!(slower, Appended::Overtaken(first.clone()));
        let again = shadow.append(&tenant(), &history[..3], None, entry(&history[..2], "one")).unwrap();
        assert_eq!(again, Appended::Stored(first.clone()));
        let second = shadow.append(&tenant(), &history, Some(first.id), entry(&history[..4], "two")).unwrap();
        let Appended::Stored(second) = second else { panic!("{second:?}") };
        assert_eq!(shadow.matches(&tenant(), &history).unwrap(), [second, first]);
    }

    #[test]
    fn nothing_grows_beyond_the_room_there_is_and_what_is_used_stays() {
        let shadow = Shadow::with_room_for(64 * 1024);
        let used = history("used", 3);
        shadow.append(&tenant(), &used, None, entry(&used, "kept")).unwrap();
        for number in 0..2_000 {
            let other = history(&number.to_string(), 3);
            shadow.append(&tenant(), &other, None, entry(&other, "forgotten")).unwrap();
            assert!(shadow.bytes() <= 64 * 1024, "{}", shadow.bytes());
            assert_eq!(shadow.matches(&tenant(), &used).unwrap().len(), 1);
        }
        let held = shadow.lock();
        assert_eq!(held.entries.len(), held.by_anchor.len());
        assert_eq!(held.bytes, held.entries.values().map(|one| one.replay.len() + ENTRY_BYTES).sum::<usize>());
        assert!((50..200).contains(&held.entries.len()), "{}", held.entries.len());
    }
}
