//! Which of the gateways on a database are alive. Each holds an advisory lock on a connection of its own, and the server
//! takes it away when the connection ends: at once, if the process was killed.

use deadpool_postgres::{Client, ClientWrapper, Object, Pool};
use tokio::sync::Mutex;

use super::connection::{self, Failure};
use crate::holder::Instance;

/// Shows that this gateway is alive, and sees which others are.
pub(super) struct Alive {
    instance: Instance,
    /// Holds the lock as long as it is open.
    shown: Mutex<Option<ClientWrapper>>,
}

impl Alive {
    pub(super) fn new() -> Alive {
        Alive { instance: Instance::new(), shown: Mutex::default() }
    }

    /// An owner as it is stored.
    pub(super) async fn holder(&self, pool: &Pool, owner: &str) -> Result<String, Failure> {
        let mut shown = self.shown.lock().await;
        if shown.as_ref().is_none_or(|client| client.is_closed()) {
            let client = Object::take(connection::client(pool).await?);
            let lock = client.query_one("SELECT pg_try_advisory_lock($1)", &[&self.instance.0.cast_signed()]).await?;
            // The server may not have noticed yet that the connection which held it is gone: it is taken with the next lease.
            *shown = lock.try_get::<_, bool>(0)?.then_some(client);
        }
        Ok(self.instance.holds_for(owner))
    }

    /// Whether the gateway of a holder has ended for sure.
    pub(super) async fn has_ended(&self, client: &Client, holder: &str) -> Result<bool, Failure> {
        let Some(Instance(instance)) = Instance::of(holder).filter(|instance| *instance != self.instance) else {
            return Ok(false);
        };
        // The server shows the two halves of a lock's number.
        let (high, low) = ((instance >> 32) as u32, instance as u32);
        let locked = "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid = $2
            AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
        let locked = client.prepare_cached(locked).await?;
        let is_locked: bool = client.query_one(&locked, &[&high, &low]).await?.try_get(0)?;
        Ok(!is_locked)
    }
}
