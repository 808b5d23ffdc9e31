//! Everything in memory: for tests, and for who wants nothing written down.

mod wishes;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::tokens::Calibration;

use crate::format::{self, Packed};
use crate::records::{
    CompactionLog, Entry, EntryId, Found, Holdings, Kept, NewEntry, Original, OriginalKind, Prunable, Session,
    SessionId, Tenant, Turn, Wish,
};
use crate::retention::{Seen, Stock, longest_unseen};
use crate::search::Matcher;
use crate::store::{Appended, MOST_MATCHES, Originals, Query, SessionIndex, SessionStore, StoreError};

/// A store that ends with the process.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    tenants: HashMap<Tenant, Possessions>,
    secrets: HashMap<String, [u8; 32]>,
}

/// What one tenant has.
#[derive(Default)]
struct Possessions {
    sessions: BTreeMap<SessionId, Known>,
    /// By when they came.
    entries: BTreeMap<u64, Stored>,
    by_anchor: HashMap<PrefixFingerprint, Vec<u64>>,
    contents: HashMap<ContentHash, Content>,
    leases: HashMap<PrefixFingerprint, Lease>,
    prepared: HashMap<PrefixFingerprint, NewEntry>,
    /// Counts what came, to tell what came first.
    clock: u64,
}

struct Known {
    session: Session,
    turns: Vec<Turn>,
    history: Vec<ContentHash>,
    wish: Option<Wish>,
}

struct Stored {
    entry: Entry,
    log: CompactionLog,
    removed: Vec<ContentHash>,
}

/// Compressed, as it is in the other stores: it is read seldom, and there can be much of it.
struct Content {
    kind: OriginalKind,
    packed: Packed,
    came: u64,
}

struct Lease {
    owner: String,
    until_ms: u64,
}

impl MemoryStore {
    /// An empty one.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what a tenant has; at nothing if it has nothing.
    fn look<T>(&self, tenant: &Tenant, read: impl FnOnce(&Possessions) -> T) -> T {
        match self.lock().tenants.get(tenant) {
            Some(possessions) => read(possessions),
            None => read(&Possessions::default()),
        }
    }

    fn change<T>(&self, tenant: &Tenant, write: impl FnOnce(&mut Possessions) -> T) -> T {
        write(self.lock().tenants.entry(tenant.clone()).or_default())
    }
}

impl Possessions {
    /// Entries that match, deepest and latest first.
    fn matches<'a>(&'a self, prefixes: &'a [PrefixFingerprint]) -> impl Iterator<Item = &'a Entry> {
        deepest_first(prefixes).flat_map(|(anchor, depth)| {
            let there = self.by_anchor.get(anchor).into_iter().flatten().rev();
            let entries = there.filter_map(|key| self.entries.get(key)).map(|stored| &stored.entry);
            entries.filter(move |entry| entry.depth as usize == depth)
        })
    }

    fn next(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// The session, which is made known if it was not.
    fn known(&mut self, id: &SessionId, at_ms: u64) -> &mut Known {
        let fresh = || {
            let session = Session::new(id.clone(), at_ms);
            Known { session, turns: Vec::new(), history: Vec::new(), wish: None }
        };
        let known = self.sessions.entry(id.clone()).or_insert_with(fresh);
        known.session.seen(at_ms);
        known
    }

    /// The session that continues one that is archived: with the next number that nobody has.
    fn archive(&mut self, archived: &SessionId, at_ms: u64) -> SessionId {
        let id = archived.of_client().next_number(self.sessions.keys());
        let session = self.known(archived, at_ms).session.continuation(id.clone(), at_ms);
        self.sessions.insert(id.clone(), Known { session, turns: Vec::new(), history: Vec::new(), wish: None });
        id
    }

    fn keep(&mut self, hash: ContentHash, kind: OriginalKind, bytes: &[u8], words: &str) -> Result<(), StoreError> {
        if !self.contents.contains_key(&hash) {
            let (packed, came) = (Packed::of(bytes, words)?, self.next());
            self.contents.insert(hash, Content { kind, packed, came });
        }
        Ok(())
    }

    fn original(&self, hash: ContentHash) -> Result<Option<Original>, StoreError> {
        let Some(content) = self.contents.get(&hash) else { return Ok(None) };
        let (bytes, words) = format::unpack(&content.packed.frame, content.packed.split)?;
        Ok(Some(Original { hash, kind: content.kind, bytes, words }))
    }

    /// What each session has removed or keeps.
    fn referred(&self) -> BTreeMap<&SessionId, HashSet<ContentHash>> {
        let mut referred: BTreeMap<&SessionId, HashSet<ContentHash>> =
            self.sessions.iter().map(|(id, known)| (id, known.history.iter().copied().collect())).collect();
        for stored in self.entries.values() {
            referred.entry(&stored.entry.session).or_default().extend(stored.removed.iter().copied());
        }
        referred
    }

    fn forget(&mut self, id: &SessionId) -> bool {
        if self.sessions.remove(id).is_none() {
            return false;
        }
        for known in self.sessions.values_mut() {
            known.session.continues.take_if(|archived| archived == id);
        }
        self.entries.retain(|_, stored| stored.entry.session != *id);
        let entries = &self.entries;
        self.by_anchor.retain(|_, keys| {
            keys.retain(|key| entries.contains_key(key));
            !keys.is_empty()
        });
        self.prepared.retain(|_, prepared| prepared.session != *id);
        self.collect();
        true
    }

    /// Forgets contents that nobody refers to any more.
    fn collect(&mut self) {
        let referred: HashSet<ContentHash> = self.referred().into_values().flatten().collect();
        self.contents.retain(|hash, _| referred.contains(hash));
    }

    fn stock(&self) -> Stock {
        let mut referred = self.referred();
        let mut stock = Stock::default();
        for (last_ms, id) in self.longest_unseen() {
            let hashes = referred.remove(&id).unwrap_or_default();
            let sizes = hashes.iter().filter_map(|hash| {
                let content = self.contents.get(hash)?;
                // The clock gives each its own number.
                Some((i64::try_from(content.came).ok()?, content.packed.frame.len() as u64))
            });
            stock.add(id, last_ms, sizes);
        }
        stock
    }

    /// When each session was seen last, longest ago first.
    fn longest_unseen(&self) -> Vec<(u64, SessionId)> {
        let seen = self.sessions.values().map(|Known { session, .. }| Seen {
            id: session.id.clone(),
            last_ms: session.last_ms,
            continues: session.continues.clone(),
        });
        longest_unseen(seen.collect())
    }

    fn bytes(&self) -> u64 {
        self.contents.values().map(|content| content.packed.frame.len() as u64).sum()
    }

    fn session(&self, id: &SessionId) -> Option<Session> {
        let mut session = self.sessions.get(id)?.session.clone();
        session.compactions = self.entries.values().filter(|stored| stored.entry.session == *id).count() as u64;
        let others = self.sessions.values().map(|known| &known.session);
        let continuing = others.filter(|other| other.continues.as_ref() == Some(id));
        session.continued_by = continuing.map(|other| other.id.clone()).collect();
        session.continued_by.sort_by_key(SessionId::number);
        Some(session)
    }
}

/// Each place of a history, with how many messages there are up to it.
fn deepest_first(prefixes: &[PrefixFingerprint]) -> impl Iterator<Item = (&PrefixFingerprint, usize)> {
    prefixes.iter().enumerate().rev().map(|(index, anchor)| (anchor, index + 1))
}

#[async_trait]
impl SessionStore for MemoryStore {
    async fn matches(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Vec<Entry>, StoreError> {
        Ok(self.look(tenant, |has| has.matches(prefixes).take(MOST_MATCHES).cloned().collect()))
    }

    async fn append(
        &self,
        tenant: &Tenant,
        prefixes: &[PrefixFingerprint],
        seen: Option<EntryId>,
        entry: NewEntry,
    ) -> Result<Appended, StoreError> {
        let id = format::pack_replay(tenant, entry.anchor, &entry.replay)?.id;
        self.change(tenant, |has| {
            if let Some(deepest) = has.matches(prefixes).next() {
                if deepest.id == id {
                    return Ok(Appended::Stored(deepest.clone()));
                }
                if Some(deepest.id) != seen {
                    return Ok(Appended::Overtaken(deepest.clone()));
                }
            }
            if let Some(stored) = has.entries.values().find(|stored| stored.entry.id == id) {
                return Ok(Appended::Stored(stored.entry.clone()));
            }
            for original in &entry.removed {
                has.keep(original.hash, original.kind, &original.bytes, &original.words)?;
            }
            let at_ms = entry.log.record.at_ms;
            has.known(&entry.session, at_ms);
            if let Some(fulfilled) = &entry.fulfils {
                has.forget_wish(&entry.session, fulfilled);
            }
            let session = if entry.archives { has.archive(&entry.session, at_ms) } else { entry.session };
            let stored = Stored {
                entry: Entry {
                    id,
                    session,
                    anchor: entry.anchor,
                    depth: entry.depth,
                    parent: entry.parent,
                    replay: Arc::new(entry.replay),
                    at_ms,
                },
                log: entry.log,
                removed: entry.removed.iter().map(|original| original.hash).collect(),
            };
            for prefix in prefixes.iter().take(entry.depth as usize) {
                has.prepared.remove(prefix);
            }
            let key = has.next();
            has.by_anchor.entry(entry.anchor).or_default().push(key);
            let answer = Appended::Stored(stored.entry.clone());
            has.entries.insert(key, stored);
            Ok(answer)
        })
    }

    async fn note_turn(
        &self,
        tenant: &Tenant,
        session: &SessionId,
        turn: &Turn,
        calibration: Option<&Calibration>,
    ) -> Result<(), StoreError> {
        self.change(tenant, |has| {
            let known = has.known(session, turn.at_ms);
            known.session.count(turn, calibration);
            known.turns.push(turn.clone());
        });
        Ok(())
    }

    async fn session(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Session>, StoreError> {
        Ok(self.look(tenant, |has| has.session(id)))
    }

    async fn history(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Kept>, StoreError> {
        self.look(tenant, |has| {
            let history = has.sessions.get(id).map(|known| &known.history[..]).unwrap_or_default();
            let contents = history.iter().filter_map(|hash| has.contents.get(hash));
            contents
                .map(|content| {
                    let (bytes, words) = format::unpack(&content.packed.frame, content.packed.split)?;
                    Ok(Kept { bytes, words })
                })
                .collect()
        })
    }

    async fn extend_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        expected: usize,
        messages: &[Kept],
        at_ms: u64,
    ) -> Result<(), StoreError> {
        self.change(tenant, |has| {
            if has.sessions.get(id).map_or(0, |known| known.history.len()) != expected {
                return Err(StoreError::Overtaken);
            }
            let mut hashes = Vec::with_capacity(messages.len());
            for kept in messages {
                let hash = ContentHash::of(&kept.bytes);
                has.keep(hash, OriginalKind::Message, &kept.bytes, &kept.words)?;
                hashes.push(hash);
            }
            has.known(id, at_ms).history.append(&mut hashes);
            Ok(())
        })
    }

    async fn retract_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        from: usize,
        messages: &[ContentHash],
    ) -> Result<bool, StoreError> {
        Ok(self.change(tenant, |has| {
            let Some(known) = has.sessions.get_mut(id) else { return false };
            if known.history.get(from..) != Some(messages) {
                return false;
            }
            known.history.truncate(from);
            has.collect();
            true
        }))
    }

    async fn lease(
        &self,
        tenant: &Tenant,
        prefix: PrefixFingerprint,
        owner: &str,
        now_ms: u64,
        until_ms: u64,
    ) -> Result<bool, StoreError> {
        Ok(self.change(tenant, |has| {
            has.leases.retain(|_, lease| lease.until_ms > now_ms);
            if has.leases.get(&prefix).is_some_and(|lease| lease.owner != owner) {
                return false;
            }
            has.leases.insert(prefix, Lease { owner: owner.to_owned(), until_ms });
            true
        }))
    }

    async fn put_prepared(&self, tenant: &Tenant, prepared: &NewEntry) -> Result<(), StoreError> {
        self.change(tenant, |has| {
            has.known(&prepared.session, prepared.log.record.at_ms);
            has.prepared.insert(prepared.anchor, prepared.clone());
        });
        Ok(())
    }

    async fn prepared(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Option<NewEntry>, StoreError> {
        Ok(self.look(tenant, |has| {
            let at = |anchor, depth| has.prepared.get(anchor).filter(|one| one.depth as usize == depth);
            deepest_first(prefixes).find_map(|(anchor, depth)| at(anchor, depth)).cloned()
        }))
    }

    async fn secret(&self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        Ok(*self.lock().secrets.entry(name.to_owned()).or_insert(fresh))
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

#[async_trait]
impl Originals for MemoryStore {
    async fn originals(&self, tenant: &Tenant, hash_begins: &str) -> Result<Vec<Original>, StoreError> {
        let Some((first, last)) = format::hash_range(hash_begins) else { return Ok(Vec::new()) };
        self.look(tenant, |has| {
            let mut hashes: Vec<_> =
                has.contents.keys().copied().filter(|hash| (first..=last).contains(hash)).collect();
            hashes.sort();
            hashes.into_iter().filter_map(|hash| has.original(hash).transpose()).collect()
        })
    }

    async fn original(&self, tenant: &Tenant, hash: ContentHash) -> Result<Option<Original>, StoreError> {
        self.look(tenant, |has| has.original(hash))
    }

    async fn search(&self, tenant: &Tenant, query: &Query, most: usize) -> Result<Vec<Found>, StoreError> {
        let matcher = Matcher::new(query)?;
        self.look(tenant, |has| {
            let mut referred = has.referred();
            let mut found = Vec::new();
            let mut sessions: Vec<&Session> = has.sessions.values().map(|known| &known.session).collect();
            sessions.sort_by(|one, other| other.last_ms.cmp(&one.last_ms).then_with(|| one.id.cmp(&other.id)));
            for session in sessions {
                let hashes = referred.remove(&session.id).unwrap_or_default();
                let mut contents: Vec<_> =
                    hashes.iter().filter_map(|hash| Some((*hash, has.contents.get(hash)?))).collect();
                contents.sort_by_key(|(_, content)| content.came);
                for (hash, content) in contents {
                    if found.len() >= most {
                        return Ok(found);
                    }
                    let words = format::unpack_words(&content.packed.frame, content.packed.split)?;
                    if let Some(excerpt) = matcher.excerpt(&words) {
                        found.push(Found { session: session.id.clone(), hash, kind: content.kind, excerpt });
                    }
                }
            }
            Ok(found)
        })
    }
}

#[async_trait]
impl SessionIndex for MemoryStore {
    async fn tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        let state = self.lock();
        let with_sessions = state.tenants.iter().filter(|(_, has)| !has.sessions.is_empty());
        let mut tenants: Vec<Tenant> = with_sessions.map(|(tenant, _)| tenant.clone()).collect();
        tenants.sort();
        Ok(tenants)
    }

    async fn sessions(&self, tenant: &Tenant, most: usize) -> Result<Vec<Session>, StoreError> {
        Ok(self.look(tenant, |has| {
            let mut sessions: Vec<Session> = has.sessions.keys().filter_map(|id| has.session(id)).collect();
            sessions.sort_by(|one, other| other.last_ms.cmp(&one.last_ms).then_with(|| one.id.cmp(&other.id)));
            sessions.truncate(most);
            sessions
        }))
    }

    async fn turns(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Turn>, StoreError> {
        Ok(self.look(tenant, |has| has.sessions.get(id).map(|known| known.turns.clone()).unwrap_or_default()))
    }

    async fn compactions(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<(Entry, CompactionLog)>, StoreError> {
        Ok(self.look(tenant, |has| {
            let of_session = has.entries.values().filter(|stored| stored.entry.session == *id);
            of_session.map(|stored| (stored.entry.clone(), stored.log.clone())).collect()
        }))
    }

    async fn logs(&self, tenant: &Tenant, id: Option<&SessionId>) -> Result<Vec<CompactionLog>, StoreError> {
        Ok(self.look(tenant, |has| {
            let asked_for = has.entries.values().filter(|stored| id.is_none_or(|id| stored.entry.session == *id));
            asked_for.map(|stored| stored.log.clone()).collect()
        }))
    }

    async fn removed_by(&self, tenant: &Tenant, entry: EntryId) -> Result<Vec<Original>, StoreError> {
        self.look(tenant, |has| {
            let stored = has.entries.values().find(|stored| stored.entry.id == entry);
            let removed = stored.map(|stored| &stored.removed[..]).unwrap_or_default();
            removed.iter().filter_map(|hash| has.original(*hash).transpose()).collect()
        })
    }

    async fn delete(&self, tenant: &Tenant, id: &SessionId) -> Result<bool, StoreError> {
        Ok(self.change(tenant, |has| has.forget(id)))
    }

    async fn prune(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<u64, StoreError> {
        Ok(self.change(tenant, |has| {
            let mut gone = 0;
            for (last_ms, id) in has.longest_unseen() {
                let too_old = not_seen_since_ms.is_some_and(|since| last_ms < since);
                let too_large = most_bytes.is_some_and(|most| has.bytes() > most);
                if too_old || too_large {
                    gone += u64::from(has.forget(&id));
                }
            }
            gone
        }))
    }

    async fn prunable(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<Vec<Prunable>, StoreError> {
        Ok(self.look(tenant, |has| has.stock().prunable(not_seen_since_ms, most_bytes)))
    }

    async fn holdings(&self, tenant: &Tenant) -> Result<Holdings, StoreError> {
        Ok(self.look(tenant, |has| Holdings {
            sessions: has.sessions.len() as u64,
            entries: has.entries.len() as u64,
            originals: has.contents.len() as u64,
            bytes: has.bytes(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract;

    fn shared() -> contract::Shared {
        Arc::new(MemoryStore::new())
    }

    macro_rules! tests {
        ($($room:ident::$promise:ident,)*) => {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $promise() {
                    contract::$room::$promise(&shared()).await;
                }
            )*
        };
    }
    contract::promises!(tests);
}
