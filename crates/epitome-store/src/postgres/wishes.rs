//! Compactions that people asked for.

use deadpool_postgres::{Client, GenericClient};

use super::connection::Failure;
use crate::format::{damaged, signed, unsigned};
use crate::records::{SessionId, Tenant, Wish};

/// Notes a wish. `false`: there is no such session.
pub(super) async fn put(client: &Client, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<bool, Failure> {
    let insert = "INSERT INTO epitome.wishes (session, at_ms, focus)
        SELECT key, $3, $4 FROM epitome.sessions WHERE tenant = $1 AND id = $2
        ON CONFLICT (session) DO UPDATE SET at_ms = excluded.at_ms, focus = excluded.focus";
    let insert = client.prepare_cached(insert).await?;
    let (tenant, id) = (tenant.as_str().as_bytes(), id.as_str().as_bytes());
    Ok(client.execute(&insert, &[&tenant, &id, &signed(wish.at_ms), &focus(wish)]).await? == 1)
}

pub(super) async fn wish(client: &Client, tenant: &Tenant, id: &SessionId) -> Result<Option<Wish>, Failure> {
    let select = "SELECT w.at_ms, w.focus FROM epitome.sessions s JOIN epitome.wishes w ON w.session = s.key
        WHERE s.tenant = $1 AND s.id = $2";
    let select = client.prepare_cached(select).await?;
    let row = client.query_opt(&select, &[&tenant.as_str().as_bytes(), &id.as_str().as_bytes()]).await?;
    let Some(row) = row else { return Ok(None) };
    let focus: Option<Vec<u8>> = row.try_get(1)?;
    let focus = focus.map(String::from_utf8).transpose().map_err(|_| damaged("a wish"))?;
    Ok(Some(Wish { at_ms: unsigned(row.try_get(0)?), focus }))
}

/// Forgets this wish and no other.
pub(super) async fn forget(
    client: &impl GenericClient,
    tenant: &Tenant,
    id: &SessionId,
    wish: &Wish,
) -> Result<(), Failure> {
    let delete = "DELETE FROM epitome.wishes
        WHERE session = (SELECT key FROM epitome.sessions WHERE tenant = $1 AND id = $2)
        AND at_ms = $3 AND focus IS NOT DISTINCT FROM $4";
    let delete = client.prepare_cached(delete).await?;
    let (tenant, id) = (tenant.as_str().as_bytes(), id.as_str().as_bytes());
    client.execute(&delete, &[&tenant, &id, &signed(wish.at_ms), &focus(wish)]).await?;
    Ok(())
}

/// As bytes: a text of PostgreSQL cannot hold every character.
fn focus(wish: &Wish) -> Option<&[u8]> {
    wish.focus.as_deref().map(str::as_bytes)
}
