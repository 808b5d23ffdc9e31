//! Sessions: their sums, calls and kept histories, and how they are forgotten.

use std::collections::HashMap;

use deadpool_postgres::{Client, Transaction};
use epitome_core::fingerprint::ContentHash;
use epitome_core::tokens::Calibration;
use tokio_postgres::Row;

use super::connection::Failure;
use super::contents::{self, Content};
use crate::format::{self, damaged, signed, unsigned};
use crate::records::{CONTINUATION, Holdings, Kept, Session, SessionId, Tenant, Turn};
use crate::retention::{self, Seen, Stock};
use crate::store::StoreError;

/// The columns that [`read`] reads.
const COLUMNS: &str =
    "s.key, s.id, s.first_ms, s.last_ms, (SELECT count(*) FROM epitome.entries e WHERE e.session = s.key), s.body";

/// Waits until nobody else is at what these names stand for, and keeps others away until the transaction ends.
pub(super) async fn lock(transaction: &Transaction<'_>, names: &[&[u8]]) -> Result<(), Failure> {
    let lock = transaction.prepare_cached("SELECT pg_advisory_xact_lock($1)").await?;
    transaction.execute(&lock, &[&number(names)]).await?;
    Ok(())
}

/// While somebody refers to contents, nobody collects those of the same tenant.
pub(super) async fn keep_collectors_away(transaction: &Transaction<'_>, tenant: &Tenant) -> Result<(), Failure> {
    let lock = transaction.prepare_cached("SELECT pg_advisory_xact_lock_shared($1)").await?;
    transaction.execute(&lock, &[&number(&[b"collect", tenant.as_str().as_bytes()])]).await?;
    Ok(())
}

/// Notes that a session was seen, which is made known if it was not. Its key; it is locked until the transaction ends.
pub(super) async fn seen(
    transaction: &Transaction<'_>,
    tenant: &Tenant,
    id: &SessionId,
    at_ms: u64,
) -> Result<i64, Failure> {
    change(transaction, tenant, id, at_ms, |session| session.seen(at_ms)).await
}

pub(super) async fn note_turn(
    client: &mut Client,
    tenant: &Tenant,
    id: &SessionId,
    turn: &Turn,
    calibration: Option<&Calibration>,
) -> Result<(), Failure> {
    let transaction = client.transaction().await?;
    // A machine that loses its power may lose the last calls' numbers.
    transaction.batch_execute("SET LOCAL synchronous_commit = off").await?;
    let key = change(&transaction, tenant, id, turn.at_ms, |session| session.count(turn, calibration)).await?;
    let insert = "INSERT INTO epitome.turns (session, number, turn)
        SELECT $1, coalesce(max(number), 0) + 1, $2 FROM epitome.turns WHERE session = $1";
    let insert = transaction.prepare_cached(insert).await?;
    transaction.execute(&insert, &[&key, &format::turn_json(turn)]).await?;
    Ok(transaction.commit().await?)
}

pub(super) async fn session(client: &Client, tenant: &Tenant, id: &SessionId) -> Result<Option<Session>, Failure> {
    let select = format!("SELECT {COLUMNS} FROM epitome.sessions s WHERE s.tenant = $1 AND s.id = $2");
    let select = client.prepare_cached(&select).await?;
    let row = client.query_opt(&select, &[&tenant.as_str().as_bytes(), &id.as_str().as_bytes()]).await?;
    let Some(row) = row else { return Ok(None) };
    let (key, session) = read(&row)?;
    Ok(format::linked(vec![session], links(client, tenant, Some(key)).await?).pop())
}

pub(super) async fn sessions(client: &Client, tenant: &Tenant, most: usize) -> Result<Vec<Session>, Failure> {
    let select =
        format!("SELECT {COLUMNS} FROM epitome.sessions s WHERE s.tenant = $1 ORDER BY s.last_ms DESC, s.id LIMIT $2");
    let select = client.prepare_cached(&select).await?;
    let rows = client.query(&select, &[&tenant.as_str().as_bytes(), &signed(most as u64)]).await?;
    let sessions = rows.iter().map(|row| Ok(read(row)?.1)).collect::<Result<_, Failure>>()?;
    Ok(format::linked(sessions, links(client, tenant, None).await?))
}

/// When each was seen last, longest ago first.
pub(super) async fn longest_unseen(client: &Client, tenant: &Tenant) -> Result<Vec<(u64, SessionId)>, Failure> {
    let select = "SELECT s.id, s.last_ms, a.id FROM epitome.sessions s
        LEFT JOIN epitome.continuations c ON c.session = s.key LEFT JOIN epitome.sessions a ON a.key = c.archived
        WHERE s.tenant = $1";
    let select = client.prepare_cached(select).await?;
    let rows = client.query(&select, &[&tenant.as_str().as_bytes()]).await?;
    let seen = rows.iter().map(|row| {
        let continues: Option<&[u8]> = row.try_get(2)?;
        let (id, last_ms) = (name(row.try_get(0)?)?, unsigned(row.try_get(1)?));
        Ok(Seen { id, last_ms, continues: continues.map(name).transpose()? })
    });
    Ok(retention::longest_unseen(seen.collect::<Result<_, Failure>>()?))
}

/// Sessions that continue others, and which: those of a tenant, or the one or the other of whom is this session.
async fn links(client: &Client, tenant: &Tenant, of: Option<i64>) -> Result<Vec<(SessionId, SessionId)>, Failure> {
    let select = "SELECT s.id, a.id FROM epitome.continuations c
        JOIN epitome.sessions s ON s.key = c.session JOIN epitome.sessions a ON a.key = c.archived
        WHERE s.tenant = $1 AND ($2::bigint IS NULL OR c.session = $2 OR c.archived = $2)";
    let select = client.prepare_cached(select).await?;
    let rows = client.query(&select, &[&tenant.as_str().as_bytes(), &of]).await?;
    rows.iter().map(|row| Ok((name(row.try_get(0)?)?, name(row.try_get(1)?)?))).collect()
}

/// Archives a session that is known: makes the one that continues it. Its name and its key.
pub(super) async fn archive(
    transaction: &Transaction<'_>,
    tenant: &Tenant,
    archived: &SessionId,
    at_ms: u64,
) -> Result<(SessionId, i64), Failure> {
    let client = archived.of_client();
    let owner = tenant.as_str().as_bytes();
    // Two histories of one session may be archived at once: one gets its number after the other.
    lock(transaction, &[b"archive", owner, client.as_str().as_bytes()]).await?;
    let select = format!("SELECT {COLUMNS} FROM epitome.sessions s WHERE s.tenant = $1 AND s.id = $2");
    let select = transaction.prepare_cached(&select).await?;
    let (key, session) = read(&transaction.query_one(&select, &[&owner, &archived.as_str().as_bytes()]).await?)?;
    // Names that go on with a digit: `:` is the next character behind the digits.
    let select = "SELECT id FROM epitome.sessions WHERE tenant = $1 AND id >= $2 AND id < $3";
    let select = transaction.prepare_cached(select).await?;
    let (first, behind) = (format!("{client}{CONTINUATION}0"), format!("{client}{CONTINUATION}:"));
    let rows = transaction.query(&select, &[&owner, &first.as_bytes(), &behind.as_bytes()]).await?;
    let taken: Vec<SessionId> = rows.iter().map(|row| Ok(name(row.try_get(0)?)?)).collect::<Result<_, Failure>>()?;
    let next = session.continuation(client.next_number(&taken), at_ms);
    let insert = "INSERT INTO epitome.sessions (tenant, id, first_ms, last_ms, body) VALUES ($1, $2, $3, $3, $4)
        RETURNING key";
    let insert = transaction.prepare_cached(insert).await?;
    let (id, body) = (next.id.as_str().as_bytes(), format::session_body(&next));
    let next_key: i64 = transaction.query_one(&insert, &[&owner, &id, &signed(at_ms), &body]).await?.try_get(0)?;
    let link = "INSERT INTO epitome.continuations (session, archived) VALUES ($1, $2)";
    let link = transaction.prepare_cached(link).await?;
    transaction.execute(&link, &[&next_key, &key]).await?;
    Ok((next.id, next_key))
}

pub(super) async fn turns(client: &Client, tenant: &Tenant, id: &SessionId) -> Result<Vec<Turn>, Failure> {
    let select = "SELECT t.turn FROM epitome.sessions s JOIN epitome.turns t ON t.session = s.key
        WHERE s.tenant = $1 AND s.id = $2 ORDER BY t.number";
    let select = client.prepare_cached(select).await?;
    let rows = client.query(&select, &[&tenant.as_str().as_bytes(), &id.as_str().as_bytes()]).await?;
    rows.iter().map(|row| Ok(format::turn(row.try_get(0)?)?)).collect()
}

pub(super) async fn history(client: &Client, tenant: &Tenant, id: &SessionId) -> Result<Vec<Kept>, Failure> {
    let select = "SELECT c.frame, c.split FROM epitome.sessions s
        JOIN epitome.history h ON h.session = s.key JOIN epitome.contents c ON c.key = h.content
        WHERE s.tenant = $1 AND s.id = $2 ORDER BY h.position";
    let select = client.prepare_cached(select).await?;
    let mut frames: Vec<(Vec<u8>, Option<i64>)> = Vec::new();
    for row in client.query(&select, &[&tenant.as_str().as_bytes(), &id.as_str().as_bytes()]).await? {
        frames.push((row.try_get(0)?, row.try_get(1)?));
    }
    let unpack = |(frame, split): (Vec<u8>, Option<i64>)| {
        let (bytes, words) = format::unpack(&frame, split)?;
        Ok(Kept { bytes, words })
    };
    Ok(contents::aside(move || frames.into_iter().map(unpack).collect()).await?)
}

/// Whether somebody has tried the same before, and does not know what became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    First,
    /// The connection broke, perhaps behind the commit.
    AfterLoss,
}

pub(super) async fn extend_history(
    client: &mut Client,
    tenant: &Tenant,
    id: &SessionId,
    expected: usize,
    messages: &[Content],
    at_ms: u64,
    attempt: Attempt,
) -> Result<(), Failure> {
    let transaction = client.transaction().await?;
    keep_collectors_away(&transaction, tenant).await?;
    // The session is locked by now, so nobody else is at its history.
    let key = seen(&transaction, tenant, id, at_ms).await?;
    let count = transaction.prepare_cached("SELECT count(*) FROM epitome.history WHERE session = $1").await?;
    let there: i64 = transaction.query_one(&count, &[&key]).await?.try_get(0)?;
    if unsigned(there) != expected as u64 {
        let stored = attempt == Attempt::AfterLoss
            && standing(&transaction, key, expected, messages.len())
                .await?
                .1
                .iter()
                .eq(messages.iter().map(Content::hash));
        return if stored { Ok(()) } else { Err(StoreError::Overtaken.into()) };
    }
    let contents = contents::keep(&transaction, tenant, messages).await?;
    let insert = "INSERT INTO epitome.history (session, position, content)
        SELECT $1, $2 + number - 1, content FROM unnest($3::bigint[]) WITH ORDINALITY AS new (content, number)";
    let insert = transaction.prepare_cached(insert).await?;
    transaction.execute(&insert, &[&key, &there, &contents]).await?;
    Ok(transaction.commit().await?)
}

/// The contents that stand in a history from a place on, and their hashes; so many at most.
async fn standing(
    transaction: &Transaction<'_>,
    session: i64,
    from: usize,
    most: usize,
) -> Result<(Vec<i64>, Vec<ContentHash>), Failure> {
    let select = "SELECT h.content, c.hash FROM epitome.history h JOIN epitome.contents c ON c.key = h.content
        WHERE h.session = $1 AND h.position >= $2 ORDER BY h.position LIMIT $3";
    let select = transaction.prepare_cached(select).await?;
    let (mut contents, mut hashes) = (Vec::new(), Vec::new());
    for row in transaction.query(&select, &[&session, &signed(from as u64), &signed(most as u64)]).await? {
        contents.push(row.try_get(0)?);
        hashes.push(ContentHash::from_bytes(format::thirty_two(row.try_get(1)?)?));
    }
    Ok((contents, hashes))
}

pub(super) async fn retract_history(
    client: &mut Client,
    tenant: &Tenant,
    id: &SessionId,
    from: usize,
    messages: &[ContentHash],
) -> Result<bool, Failure> {
    let transaction = client.transaction().await?;
    lock(&transaction, &[b"collect", tenant.as_str().as_bytes()]).await?;
    let select = "SELECT key FROM epitome.sessions WHERE tenant = $1 AND id = $2 FOR UPDATE";
    let select = transaction.prepare_cached(select).await?;
    let row = transaction.query_opt(&select, &[&tenant.as_str().as_bytes(), &id.as_str().as_bytes()]).await?;
    let Some(row) = row else { return Ok(false) };
    let key: i64 = row.try_get(0)?;
    let (contents, hashes) = standing(&transaction, key, from, usize::MAX).await?;
    if hashes != messages {
        return Ok(false);
    }
    let delete = "DELETE FROM epitome.history WHERE session = $1 AND position >= $2";
    let delete = transaction.prepare_cached(delete).await?;
    transaction.execute(&delete, &[&key, &signed(from as u64)]).await?;
    contents::collect(&transaction, &contents).await?;
    transaction.commit().await?;
    Ok(true)
}

/// Forgets a session that was not seen after `unseen_since_ms`. How many bytes that gave; `None` if there is no such.
pub(super) async fn forget(
    client: &mut Client,
    tenant: &Tenant,
    id: &SessionId,
    unseen_since_ms: u64,
) -> Result<Option<u64>, Failure> {
    let transaction = client.transaction().await?;
    lock(&transaction, &[b"collect", tenant.as_str().as_bytes()]).await?;
    let select = "SELECT key FROM epitome.sessions WHERE tenant = $1 AND id = $2 AND last_ms <= $3 FOR UPDATE";
    let select = transaction.prepare_cached(select).await?;
    let asked = (tenant.as_str().as_bytes(), id.as_str().as_bytes(), signed(unseen_since_ms));
    let Some(row) = transaction.query_opt(&select, &[&asked.0, &asked.1, &asked.2]).await? else { return Ok(None) };
    let key: i64 = row.try_get(0)?;
    let contents = contents::of_session(&transaction, key).await?;
    // Its calls, entries and history go with it.
    let delete = transaction.prepare_cached("DELETE FROM epitome.sessions WHERE key = $1").await?;
    transaction.execute(&delete, &[&key]).await?;
    let freed = contents::collect(&transaction, &contents).await?;
    transaction.commit().await?;
    Ok(Some(freed))
}

/// Everybody who has sessions.
pub(super) async fn tenants(client: &Client) -> Result<Vec<Tenant>, Failure> {
    let select = client.prepare_cached("SELECT DISTINCT tenant FROM epitome.sessions ORDER BY tenant").await?;
    let rows = client.query(&select, &[]).await?;
    let tenant = |row: &Row| {
        let name = std::str::from_utf8(row.try_get(0)?).map_err(|_| damaged("the name of a tenant"))?;
        Ok(Tenant::new(name))
    };
    rows.iter().map(tenant).collect()
}

/// What a tenant has, and who holds it.
pub(super) async fn stock(client: &Client, tenant: &Tenant) -> Result<Stock, Failure> {
    let select = "SELECT p.session, p.content, octet_length(c.frame)::bigint FROM (
            SELECT e.session, r.content FROM epitome.entries e JOIN epitome.removed r ON r.entry = e.key
                WHERE e.tenant = $1
            UNION SELECT h.session, h.content FROM epitome.sessions k JOIN epitome.history h ON h.session = k.key
                WHERE k.tenant = $1
        ) p JOIN epitome.contents c ON c.key = p.content";
    let select = client.prepare_cached(select).await?;
    let unseen = longest_unseen(client, tenant).await?;
    let tenant = tenant.as_str().as_bytes();
    let mut held: HashMap<i64, Vec<(i64, u64)>> = HashMap::new();
    for row in client.query(&select, &[&tenant]).await? {
        let content = (row.try_get(1)?, unsigned(row.try_get(2)?));
        held.entry(row.try_get(0)?).or_default().push(content);
    }
    let select = client.prepare_cached("SELECT id, key FROM epitome.sessions WHERE tenant = $1").await?;
    let mut keys: HashMap<SessionId, i64> = HashMap::new();
    for row in client.query(&select, &[&tenant]).await? {
        keys.insert(name(row.try_get(0)?)?, row.try_get(1)?);
    }
    let mut stock = Stock::default();
    for (last_ms, id) in unseen {
        let contents = keys.get(&id).and_then(|key| held.remove(key)).unwrap_or_default();
        stock.add(id, last_ms, contents);
    }
    Ok(stock)
}

pub(super) async fn holdings(client: &Client, tenant: &Tenant) -> Result<Holdings, Failure> {
    let select = "SELECT (SELECT count(*) FROM epitome.sessions WHERE tenant = $1),
        (SELECT count(*) FROM epitome.entries WHERE tenant = $1),
        (SELECT count(*) FROM epitome.contents WHERE tenant = $1),
        (SELECT coalesce(sum(octet_length(frame)), 0)::bigint FROM epitome.contents WHERE tenant = $1)";
    let select = client.prepare_cached(select).await?;
    let row = client.query_one(&select, &[&tenant.as_str().as_bytes()]).await?;
    Ok(Holdings {
        sessions: unsigned(row.try_get(0)?),
        entries: unsigned(row.try_get(1)?),
        originals: unsigned(row.try_get(2)?),
        bytes: unsigned(row.try_get(3)?),
    })
}

pub(super) async fn secret(client: &Client, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], Failure> {
    let (name, fresh) = (name.as_bytes(), &fresh[..]);
    let insert = "INSERT INTO epitome.secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    client.execute(insert, &[&name, &fresh]).await?;
    let row = client.query_one("SELECT value FROM epitome.secrets WHERE name = $1", &[&name]).await?;
    Ok(format::thirty_two(row.try_get(0)?)?)
}

/// Whether something can be written: only writing tells.
pub(super) async fn can_write(client: &Client) -> Result<(), Failure> {
    let write = "INSERT INTO epitome.checked (one, times) VALUES (1, 1)
        ON CONFLICT (one) DO UPDATE SET times = checked.times + 1";
    client.execute(write, &[]).await?;
    Ok(())
}

/// The name of a session, as it is stored.
pub(super) fn name(bytes: &[u8]) -> Result<SessionId, StoreError> {
    std::str::from_utf8(bytes).map(SessionId::new).map_err(|_| damaged("the name of a session"))
}

/// Changes a session, which is made known if it was not. Its key; it is locked until the transaction ends.
async fn change(
    transaction: &Transaction<'_>,
    tenant: &Tenant,
    id: &SessionId,
    at_ms: u64,
    change: impl FnOnce(&mut Session),
) -> Result<i64, Failure> {
    let fresh = Session::new(id.clone(), at_ms);
    let (at_ms, body) = (signed(at_ms), format::session_body(&fresh));
    let (tenant, id) = (tenant.as_str().as_bytes(), id.as_str().as_bytes());
    let insert = "INSERT INTO epitome.sessions (tenant, id, first_ms, last_ms, body) VALUES ($1, $2, $3, $3, $4)
        ON CONFLICT DO NOTHING";
    let insert = transaction.prepare_cached(insert).await?;
    transaction.execute(&insert, &[&tenant, &id, &at_ms, &body]).await?;
    let select =
        format!("SELECT {COLUMNS} FROM epitome.sessions s WHERE s.tenant = $1 AND s.id = $2 FOR NO KEY UPDATE OF s");
    let select = transaction.prepare_cached(&select).await?;
    let Some(row) = transaction.query_opt(&select, &[&tenant, &id]).await? else {
        // Somebody deleted it between the two.
        return Err(Failure::Undone(StoreError::Unavailable {
            what: "a session went while it was changed".to_owned(),
        }));
    };
    let (key, mut session) = read(&row)?;
    change(&mut session);
    let update = "UPDATE epitome.sessions SET first_ms = $2, last_ms = $3, body = $4 WHERE key = $1";
    let update = transaction.prepare_cached(update).await?;
    let (first, last, body) = (signed(session.first_ms), signed(session.last_ms), format::session_body(&session));
    transaction.execute(&update, &[&key, &first, &last, &body]).await?;
    Ok(key)
}

fn read(row: &Row) -> Result<(i64, Session), Failure> {
    let times = (row.try_get(2)?, row.try_get(3)?);
    let session = format::session(name(row.try_get(1)?)?, times, row.try_get(4)?, row.try_get(5)?)?;
    Ok((row.try_get(0)?, session))
}

/// The number of a lock. That two names share one is possible, and costs no more than waiting.
fn number(names: &[&[u8]]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(&(name.len() as u64).to_le_bytes()).update(name);
    }
    let mut eight = [0; 8];
    eight.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(eight)
}
