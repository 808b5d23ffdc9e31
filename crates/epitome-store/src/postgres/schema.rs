//! The tables, and how older ones become newer ones.

use deadpool_postgres::Client;

use super::connection::Failure;
use crate::store::StoreError;

/// Each brings a database from the version that is its place in the list to the next. What was released is never changed.
const MIGRATIONS: &[&str] = &[include_str!("0001.sql"), include_str!("0002.sql"), include_str!("0003.sql")];

/// The version that this program writes.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// "EPIT": two gateways that start at once migrate one after the other.
const LOCK: i64 = 0x4550_4954;

pub(super) async fn migrate(client: &mut Client) -> Result<(), Failure> {
    let transaction = client.transaction().await?;
    // Another may have much to migrate.
    transaction.batch_execute("SET LOCAL lock_timeout = 0").await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await?;
    let there = transaction.query_one("SELECT to_regclass('epitome.version') IS NOT NULL", &[]).await?;
    let version = match there.try_get(0)? {
        true => transaction.query_one("SELECT max(version) FROM epitome.version", &[]).await?.try_get(0)?,
        false => 0i32,
    };
    let version = u32::try_from(version).unwrap_or_default();
    if version > VERSION {
        return Err(StoreError::Newer { found: version, known: VERSION }.into());
    }
    if version < VERSION {
        // Not "if not exists": whoever may not make schemas may still use one that was made for them.
        let schema = transaction.query_one("SELECT to_regnamespace('epitome') IS NOT NULL", &[]).await?;
        if !schema.try_get::<_, bool>(0)? {
            transaction.batch_execute("CREATE SCHEMA epitome").await?;
        }
        transaction.batch_execute("CREATE TABLE IF NOT EXISTS epitome.version (version INTEGER NOT NULL)").await?;
        for migration in MIGRATIONS.iter().skip(version as usize) {
            transaction.batch_execute(migration).await?;
        }
        let version = i32::try_from(VERSION).unwrap_or(i32::MAX);
        transaction.execute("INSERT INTO epitome.version (version) VALUES ($1)", &[&version]).await?;
    }
    Ok(transaction.commit().await?)
}
