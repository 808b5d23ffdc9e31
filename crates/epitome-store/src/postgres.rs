//! A PostgreSQL that several gateways share.
//!
//! Reading order: [`PostgresStore`] here → `connection` (and what becomes of errors) → `schema` (tables and migrations) →
//! `ledger`, `sessions`, `wishes`, `contents` (what is done with them, one table or two a file) → `alive` (which gateways are).

mod alive;
mod connection;
mod contents;
mod ledger;
mod schema;
mod sessions;
#[cfg(test)]
mod tests;
mod wishes;

use async_trait::async_trait;
use deadpool_postgres::{Client, Pool};
use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::tokens::Calibration;

use crate::records::{
    CompactionLog, Entry, EntryId, Found, Holdings, Kept, NewEntry, Original, Prunable, Session, SessionId, Tenant,
    Turn, Wish,
};
use crate::replays::Replays;
use crate::search::Matcher;
use crate::store::{Appended, Originals, Query, SessionIndex, SessionStore, StoreError, Wishes};
use alive::Alive;
use connection::Failure;
use sessions::Attempt;

/// A store in a database, in a schema named `epitome`. Connections are not encrypted: it is for a network of one's own.
pub struct PostgresStore {
    pool: Pool,
    replays: Replays,
    alive: Alive,
}

/// Does it again if the server undid it.
macro_rules! until_done {
    ($attempt:expr) => {
        match $attempt.await {
            Err(Failure::Undone(_)) => $attempt.await.map_err(Failure::into_error),
            other => other.map_err(Failure::into_error),
        }
    };
}

/// Does it again if the server undid it or the connection broke: for what may be done twice.
macro_rules! until_answered {
    ($store:ident, $attempt:expr) => {
        match $attempt.await {
            Err(Failure::Undone(_)) => $attempt.await.map_err(Failure::into_error),
            Err(Failure::Lost(_)) => {
                // The server was restarted, and the connections that wait here are of no use either.
                $store.pool.retain(|_, _| false);
                $attempt.await.map_err(Failure::into_error)
            }
            other => other.map_err(Failure::into_error),
        }
    };
}

impl PostgresStore {
    /// Connects, and migrates older data. The URL is `postgres://user@host/database`, or what libpq reads as well.
    pub async fn connect(url: &str) -> Result<PostgresStore, StoreError> {
        PostgresStore::with(connection::config(url)?).await
    }

    /// The same with a password that the URL does not hold.
    pub async fn connect_with_password(url: &str, password: &str) -> Result<PostgresStore, StoreError> {
        let mut config = connection::config(url)?;
        config.password(password);
        PostgresStore::with(config).await
    }

    async fn with(config: tokio_postgres::Config) -> Result<PostgresStore, StoreError> {
        let (pool, replays, alive) = (connection::pool(config)?, Replays::new(), Alive::new());
        let store = PostgresStore { pool, replays, alive };
        let mut client = store.client().await.map_err(Failure::into_error)?;
        schema::migrate(&mut client).await.map_err(Failure::into_error)?;
        Ok(store)
    }

    async fn client(&self) -> Result<Client, Failure> {
        connection::client(&self.pool).await
    }
}

#[async_trait]
impl SessionStore for PostgresStore {
    async fn matches(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Vec<Entry>, StoreError> {
        until_answered!(self, async {
            let client = self.client().await?;
            ledger::matches(&client, &self.replays, tenant, prefixes).await
        })
    }

    async fn append(
        &self,
        tenant: &Tenant,
        prefixes: &[PrefixFingerprint],
        seen: Option<EntryId>,
        entry: NewEntry,
    ) -> Result<Appended, StoreError> {
        let ready = ledger::pack(tenant, entry).await?;
        // If it was stored and the answer was lost, it is found to be stored already.
        until_answered!(self, async {
            let mut client = self.client().await?;
            ledger::append(&mut client, &self.replays, tenant, prefixes, seen, &ready).await
        })
    }

    async fn note_turn(
        &self,
        tenant: &Tenant,
        session: &SessionId,
        turn: &Turn,
        calibration: Option<&Calibration>,
    ) -> Result<(), StoreError> {
        until_done!(async {
            let mut client = self.client().await?;
            sessions::note_turn(&mut client, tenant, session, turn, calibration).await
        })
    }

    async fn session(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Session>, StoreError> {
        until_answered!(self, async { sessions::session(&self.client().await?, tenant, id).await })
    }

    async fn history(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Kept>, StoreError> {
        until_answered!(self, async { sessions::history(&self.client().await?, tenant, id).await })
    }

    async fn extend_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        expected: usize,
        messages: &[Kept],
        at_ms: u64,
    ) -> Result<(), StoreError> {
        let packed = contents::pack_kept(messages).await?;
        let extend = async |attempt| {
            let mut client = self.client().await?;
            sessions::extend_history(&mut client, tenant, id, expected, &packed, at_ms, attempt).await
        };
        let extended = match extend(Attempt::First).await {
            Err(Failure::Undone(_)) => extend(Attempt::First).await,
            Err(Failure::Lost(_)) => {
                self.pool.retain(|_, _| false);
                extend(Attempt::AfterLoss).await
            }
            other => other,
        };
        extended.map_err(Failure::into_error)
    }

    async fn retract_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        from: usize,
        messages: &[ContentHash],
    ) -> Result<bool, StoreError> {
        until_answered!(self, async {
            let mut client = self.client().await?;
            sessions::retract_history(&mut client, tenant, id, from, messages).await
        })
    }

    async fn lease(
        &self,
        tenant: &Tenant,
        prefix: PrefixFingerprint,
        owner: &str,
        now_ms: u64,
        until_ms: u64,
    ) -> Result<bool, StoreError> {
        until_answered!(self, async {
            let holder = self.alive.holder(&self.pool, owner).await?;
            let client = self.client().await?;
            ledger::lease(&client, &self.alive, tenant, prefix, &holder, now_ms, until_ms).await
        })
    }

    async fn put_prepared(&self, tenant: &Tenant, prepared: &NewEntry) -> Result<(), StoreError> {
        let frame = ledger::pack_prepared(prepared).await?;
        until_answered!(self, async {
            let mut client = self.client().await?;
            ledger::put_prepared(&mut client, tenant, prepared, &frame).await
        })
    }

    async fn prepared(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Option<NewEntry>, StoreError> {
        until_answered!(self, async { ledger::prepared(&self.client().await?, tenant, prefixes).await })
    }

    async fn secret(&self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
        until_answered!(self, async { sessions::secret(&self.client().await?, name, fresh).await })
    }

    async fn ready(&self) -> Result<(), StoreError> {
        until_answered!(self, async { sessions::can_write(&self.client().await?).await })
    }
}

#[async_trait]
impl Originals for PostgresStore {
    async fn originals(&self, tenant: &Tenant, hash_begins: &str) -> Result<Vec<Original>, StoreError> {
        until_answered!(self, async { contents::originals(&self.client().await?, tenant, hash_begins).await })
    }

    async fn original(&self, tenant: &Tenant, hash: ContentHash) -> Result<Option<Original>, StoreError> {
        until_answered!(self, async { contents::original(&self.client().await?, tenant, hash).await })
    }

    async fn search(&self, tenant: &Tenant, query: &Query, most: usize) -> Result<Vec<Found>, StoreError> {
        let matcher = std::sync::Arc::new(Matcher::new(query)?);
        until_answered!(self, async { contents::search(&self.client().await?, tenant, &matcher, most).await })
    }
}

#[async_trait]
impl Wishes for PostgresStore {
    async fn put_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<bool, StoreError> {
        until_answered!(self, async { wishes::put(&self.client().await?, tenant, id, wish).await })
    }

    async fn wish(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Wish>, StoreError> {
        until_answered!(self, async { wishes::wish(&self.client().await?, tenant, id).await })
    }

    async fn forget_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<(), StoreError> {
        until_answered!(self, async { wishes::forget(&self.client().await?, tenant, id, wish).await })
    }
}

#[async_trait]
impl SessionIndex for PostgresStore {
    async fn tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        until_answered!(self, async { sessions::tenants(&self.client().await?).await })
    }

    async fn sessions(&self, tenant: &Tenant, most: usize) -> Result<Vec<Session>, StoreError> {
        until_answered!(self, async { sessions::sessions(&self.client().await?, tenant, most).await })
    }

    async fn turns(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Turn>, StoreError> {
        until_answered!(self, async { sessions::turns(&self.client().await?, tenant, id).await })
    }

    async fn compactions(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<(Entry, CompactionLog)>, StoreError> {
        until_answered!(self, async { ledger::compactions(&self.client().await?, &self.replays, tenant, id).await })
    }

    async fn logs(&self, tenant: &Tenant, id: Option<&SessionId>) -> Result<Vec<CompactionLog>, StoreError> {
        until_answered!(self, async { ledger::logs(&self.client().await?, tenant, id).await })
    }

    async fn removed_by(&self, tenant: &Tenant, entry: EntryId) -> Result<Vec<Original>, StoreError> {
        until_answered!(self, async { contents::removed_by(&self.client().await?, tenant, entry).await })
    }

    async fn delete(&self, tenant: &Tenant, id: &SessionId) -> Result<bool, StoreError> {
        let gone = until_done!(async {
            let mut client = self.client().await?;
            sessions::forget(&mut client, tenant, id, u64::MAX).await
        });
        self.replays.clear();
        Ok(gone?.is_some())
    }

    async fn prune(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<u64, StoreError> {
        let mut bytes = self.holdings(tenant).await?.bytes;
        let longest_unseen =
            until_answered!(self, async { sessions::longest_unseen(&self.client().await?, tenant).await })?;
        let mut gone = 0;
        for (last_ms, id) in longest_unseen {
            let too_old = not_seen_since_ms.is_some_and(|since| last_ms < since);
            let too_large = most_bytes.is_some_and(|most| bytes > most);
            if !too_old && !too_large {
                break;
            }
            // One at a time, so that no request waits for all of them; and not if it was seen again meanwhile.
            let freed = until_done!(async {
                let mut client = self.client().await?;
                sessions::forget(&mut client, tenant, &id, last_ms).await
            })?;
            if let Some(freed) = freed {
                gone += 1;
                bytes = bytes.saturating_sub(freed);
            }
        }
        self.replays.clear();
        Ok(gone)
    }

    async fn prunable(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<Vec<Prunable>, StoreError> {
        let stock = until_answered!(self, async { sessions::stock(&self.client().await?, tenant).await })?;
        Ok(stock.prunable(not_seen_since_ms, most_bytes))
    }

    async fn holdings(&self, tenant: &Tenant) -> Result<Holdings, StoreError> {
        until_answered!(self, async { sessions::holdings(&self.client().await?, tenant).await })
    }
}
