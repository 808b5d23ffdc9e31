//! Compactions that people asked for.

use rusqlite::{Connection, OptionalExtension, params};

use crate::format::{signed, unsigned};
use crate::records::{SessionId, Tenant, Wish};
use crate::store::StoreError;

/// Notes a wish. `false`: there is no such session.
pub(super) fn put(connection: &Connection, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<bool, StoreError> {
    let insert = "INSERT INTO wishes (session, at_ms, focus)
        SELECT key, ?3, ?4 FROM sessions WHERE tenant = ?1 AND id = ?2
        ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, focus = excluded.focus";
    let wished = params![tenant.as_str(), id.as_str(), signed(wish.at_ms), wish.focus];
    Ok(connection.prepare_cached(insert)?.execute(wished)? == 1)
}

pub(super) fn wish(connection: &Connection, tenant: &Tenant, id: &SessionId) -> Result<Option<Wish>, StoreError> {
    let select = "SELECT w.at_ms, w.focus FROM sessions s JOIN wishes w ON w.session = s.key
        WHERE s.tenant = ?1 AND s.id = ?2";
    let mut statement = connection.prepare_cached(select)?;
    let read = |row: &rusqlite::Row<'_>| Ok(Wish { at_ms: unsigned(row.get(0)?), focus: row.get(1)? });
    Ok(statement.query_row(params![tenant.as_str(), id.as_str()], read).optional()?)
}

/// Forgets this wish and no other.
pub(super) fn forget(connection: &Connection, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<(), StoreError> {
    let delete = "DELETE FROM wishes WHERE session = (SELECT key FROM sessions WHERE tenant = ?1 AND id = ?2)
        AND at_ms = ?3 AND focus IS ?4";
    let fulfilled = params![tenant.as_str(), id.as_str(), signed(wish.at_ms), wish.focus];
    connection.prepare_cached(delete)?.execute(fulfilled)?;
    Ok(())
}
