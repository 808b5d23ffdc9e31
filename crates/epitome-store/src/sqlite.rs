//! One SQLite file: the default, for one machine. Several processes may share the file.
//!
//! Reading order: [`SqliteStore`] here → `place` (the file, and what is done when it goes) → `threads` (who writes and who reads) → `schema` (tables and migrations) →
//! `ledger`, `sessions`, `wishes`, `contents`, `index` (what is done with them, one table or two a file) → `alive` (who else
//! has the file open).

mod alive;
mod contents;
mod index;
mod ledger;
mod place;
mod schema;
mod sessions;
#[cfg(test)]
mod tests;
mod threads;
mod wishes;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::tokens::Calibration;
use rusqlite::{Connection, ErrorCode};

use crate::format::damaged;
use crate::records::{
    CompactionLog, Entry, EntryId, Found, Holdings, Kept, NewEntry, Original, Prunable, Session, SessionId, Tenant,
    Turn, Wish,
};
use crate::replays::Replays;
use crate::search::Matcher;
use crate::store::{Appended, Originals, Query, SessionIndex, SessionStore, StoreError, Wishes};
use alive::Alive;
use place::Place;
use threads::{Durability, Pace};

/// A store in one file.
///
/// Writes are done by a thread of their own, many in one transaction when many wait; reads by a few others. No caller's
/// thread ever waits for a lock, for a write, or for a long search; what every request asks for (a few rows, by their keys) its own
/// thread looks up. Dropping the store waits until what was begun is written. A file that was deleted or replaced is
/// noticed with the next look or write, and what is at its path is opened, or made anew.
pub struct SqliteStore {
    place: Place,
    replays: Arc<Replays>,
    alive: Arc<Alive>,
}

/// Another process that holds the lock needs milliseconds for a write, and at most this for a very large one.
const PATIENCE: Duration = Duration::from_secs(5);

impl SqliteStore {
    /// Opens the file, or makes it, for its owner alone to read. Blocks while older data are migrated.
    pub fn open(path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_with_patience(path.as_ref(), PATIENCE)
    }

    fn open_with_patience(path: &Path, patience: Duration) -> Result<SqliteStore, StoreError> {
        let (replays, alive) = (Arc::new(Replays::new()), Arc::new(Alive::beside(path)));
        Ok(SqliteStore { place: Place::open(path, patience, replays.clone())?, replays, alive })
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.place.current()?.readers.run(work).await
    }

    /// As [`Self::read`], of a few rows.
    async fn look<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.place.current()?.readers.look(work).await
    }

    async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.place.current()?.writer.run(durability, Pace::Now, work).await
    }

    /// Gives back the room of what was deleted, some time.
    fn tidy(&self) {
        if let Ok(open) = self.place.current() {
            open.writer.tidy();
        }
    }
}

#[cfg(test)]
impl SqliteStore {
    /// Asks the one who writes, outside of a transaction.
    async fn read_by_writer<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let outside = move |connection: &Connection| {
            connection.execute_batch("RELEASE job; COMMIT")?;
            let result = work(connection);
            connection.execute_batch("BEGIN IMMEDIATE; SAVEPOINT job")?;
            result
        };
        self.write(Durability::Crash, outside).await
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => damaged("the file is no SQLite database"),
            Some(ErrorCode::DatabaseCorrupt) => damaged("the database is malformed"),
            // What SQLite says names tables and columns, never values.
            _ => StoreError::Unavailable { what: error.to_string() },
        }
    }
}

#[async_trait]
impl SessionStore for SqliteStore {
    async fn matches(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Vec<Entry>, StoreError> {
        let (tenant, prefixes, replays) = (tenant.clone(), prefixes.to_vec(), self.replays.clone());
        self.look(move |connection| ledger::matches(connection, &replays, &tenant, &prefixes)).await
    }

    async fn append(
        &self,
        tenant: &Tenant,
        prefixes: &[PrefixFingerprint],
        seen: Option<EntryId>,
        entry: NewEntry,
    ) -> Result<Appended, StoreError> {
        let (tenant, prefixes, replays) = (tenant.clone(), prefixes.to_vec(), self.replays.clone());
        self.write(Durability::PowerLoss, move |connection| {
            ledger::append(connection, &replays, &tenant, &prefixes, seen, entry)
        })
        .await
    }

    async fn note_turn(
        &self,
        tenant: &Tenant,
        session: &SessionId,
        turn: &Turn,
        calibration: Option<&Calibration>,
    ) -> Result<(), StoreError> {
        let (tenant, session, turn, calibration) =
            (tenant.clone(), session.clone(), turn.clone(), calibration.cloned());
        let note = move |connection: &Connection| {
            sessions::note_turn(connection, &tenant, &session, &turn, calibration.as_ref())
        };
        // Nobody waits for it: what is noted of several calls is written at once.
        self.place.current()?.writer.run(Durability::Crash, Pace::Soon, note).await
    }

    async fn session(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Session>, StoreError> {
        let (tenant, id) = (tenant.clone(), id.clone());
        self.look(move |connection| sessions::session(connection, &tenant, &id)).await
    }

    async fn history(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Kept>, StoreError> {
        let (tenant, id) = (tenant.clone(), id.clone());
        self.read(move |connection| sessions::history(connection, &tenant, &id)).await
    }

    async fn extend_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        expected: usize,
        messages: &[Kept],
        at_ms: u64,
    ) -> Result<(), StoreError> {
        let (tenant, id, messages) = (tenant.clone(), id.clone(), messages.to_vec());
        self.write(Durability::PowerLoss, move |connection| {
            sessions::extend_history(connection, &tenant, &id, expected, &messages, at_ms)
        })
        .await
    }

    async fn retract_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        from: usize,
        messages: &[ContentHash],
    ) -> Result<bool, StoreError> {
        let (tenant, id, messages) = (tenant.clone(), id.clone(), messages.to_vec());
        self.write(Durability::PowerLoss, move |connection| {
            sessions::retract_history(connection, &tenant, &id, from, &messages)
        })
        .await
    }

    async fn lease(
        &self,
        tenant: &Tenant,
        prefix: PrefixFingerprint,
        owner: &str,
        now_ms: u64,
        until_ms: u64,
    ) -> Result<bool, StoreError> {
        let (tenant, owner, alive) = (tenant.clone(), owner.to_owned(), self.alive.clone());
        self.write(Durability::Crash, move |connection| {
            ledger::lease(connection, &alive, &tenant, prefix, &owner, now_ms, until_ms)
        })
        .await
    }

    async fn put_prepared(&self, tenant: &Tenant, prepared: &NewEntry) -> Result<(), StoreError> {
        let (tenant, prepared) = (tenant.clone(), prepared.clone());
        self.write(Durability::Crash, move |connection| ledger::put_prepared(connection, &tenant, &prepared)).await
    }

    async fn prepared(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Option<NewEntry>, StoreError> {
        let (tenant, prefixes) = (tenant.clone(), prefixes.to_vec());
        self.look(move |connection| ledger::prepared(connection, &tenant, &prefixes)).await
    }

    async fn secret(&self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        let asked = name.to_owned();
        let secret = move |connection: &Connection| sessions::secret(connection, &asked, fresh);
        let value = self.write(Durability::PowerLoss, secret).await?;
        self.place.remember_secret(name, value);
        Ok(value)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.read(schema::can_read).await?;
        self.write(Durability::Crash, schema::can_write).await?;
        self.place.news().map_or(Ok(()), |what| Err(StoreError::Replaced { what }))
    }
}

#[async_trait]
impl Originals for SqliteStore {
    async fn originals(&self, tenant: &Tenant, hash_begins: &str) -> Result<Vec<Original>, StoreError> {
        let (tenant, hash_begins) = (tenant.clone(), hash_begins.to_owned());
        self.read(move |connection| contents::originals(connection, &tenant, &hash_begins)).await
    }

    async fn original(&self, tenant: &Tenant, hash: ContentHash) -> Result<Option<Original>, StoreError> {
        let tenant = tenant.clone();
        self.read(move |connection| contents::original(connection, &tenant, hash)).await
    }

    async fn search(&self, tenant: &Tenant, query: &Query, most: usize) -> Result<Vec<Found>, StoreError> {
        let (tenant, matcher) = (tenant.clone(), Matcher::new(query)?);
        self.read(move |connection| index::search(connection, &tenant, &matcher, most)).await
    }
}

#[async_trait]
impl Wishes for SqliteStore {
    async fn put_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<bool, StoreError> {
        let (tenant, id, wish) = (tenant.clone(), id.clone(), wish.clone());
        self.write(Durability::PowerLoss, move |connection| wishes::put(connection, &tenant, &id, &wish)).await
    }

    async fn wish(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Wish>, StoreError> {
        let (tenant, id) = (tenant.clone(), id.clone());
        self.look(move |connection| wishes::wish(connection, &tenant, &id)).await
    }

    async fn forget_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<(), StoreError> {
        let (tenant, id, wish) = (tenant.clone(), id.clone(), wish.clone());
        self.write(Durability::Crash, move |connection| wishes::forget(connection, &tenant, &id, &wish)).await
    }
}

#[async_trait]
impl SessionIndex for SqliteStore {
    async fn tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        self.read(sessions::tenants).await
    }

    async fn sessions(&self, tenant: &Tenant, most: usize) -> Result<Vec<Session>, StoreError> {
        let tenant = tenant.clone();
        self.read(move |connection| sessions::sessions(connection, &tenant, most)).await
    }

    async fn turns(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Turn>, StoreError> {
        let (tenant, id) = (tenant.clone(), id.clone());
        self.read(move |connection| sessions::turns(connection, &tenant, &id)).await
    }

    async fn compactions(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<(Entry, CompactionLog)>, StoreError> {
        let (tenant, id, replays) = (tenant.clone(), id.clone(), self.replays.clone());
        self.read(move |connection| ledger::compactions(connection, &replays, &tenant, &id)).await
    }

    async fn logs(&self, tenant: &Tenant, id: Option<&SessionId>) -> Result<Vec<CompactionLog>, StoreError> {
        let (tenant, id) = (tenant.clone(), id.cloned());
        self.read(move |connection| ledger::logs(connection, &tenant, id.as_ref())).await
    }

    async fn removed_by(&self, tenant: &Tenant, entry: EntryId) -> Result<Vec<Original>, StoreError> {
        let tenant = tenant.clone();
        self.read(move |connection| contents::removed_by(connection, &tenant, entry)).await
    }

    async fn delete(&self, tenant: &Tenant, id: &SessionId) -> Result<bool, StoreError> {
        let (tenant, id) = (tenant.clone(), id.clone());
        let forget = move |connection: &Connection| sessions::forget(connection, &tenant, &id, u64::MAX);
        let gone = self.write(Durability::PowerLoss, forget).await?;
        self.replays.clear();
        self.tidy();
        Ok(gone.is_some())
    }

    async fn prune(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<u64, StoreError> {
        let mut bytes = self.holdings(tenant).await?.bytes;
        let asked = tenant.clone();
        let longest_unseen = self.read(move |connection| sessions::longest_unseen(connection, &asked)).await?;
        let mut gone = 0;
        for (last_ms, id) in longest_unseen {
            let too_old = not_seen_since_ms.is_some_and(|since| last_ms < since);
            let too_large = most_bytes.is_some_and(|most| bytes > most);
            if !too_old && !too_large {
                break;
            }
            // One at a time, so that no request waits for all of them; and not if it was seen again meanwhile.
            let tenant = tenant.clone();
            let forget = move |connection: &Connection| sessions::forget(connection, &tenant, &id, last_ms);
            if let Some(freed) = self.write(Durability::PowerLoss, forget).await? {
                gone += 1;
                bytes = bytes.saturating_sub(freed);
            }
        }
        self.replays.clear();
        self.tidy();
        Ok(gone)
    }

    async fn prunable(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<Vec<Prunable>, StoreError> {
        let tenant = tenant.clone();
        let stock = self.read(move |connection| sessions::stock(connection, &tenant)).await?;
        Ok(stock.prunable(not_seen_since_ms, most_bytes))
    }

    async fn holdings(&self, tenant: &Tenant) -> Result<Holdings, StoreError> {
        let tenant = tenant.clone();
        self.read(move |connection| sessions::holdings(connection, &tenant)).await
    }
}
