//! Sessions: their sums, calls and kept histories, and how they are forgotten.

use epitome_core::fingerprint::ContentHash;
use epitome_core::tokens::Calibration;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::contents;
use crate::format::{self, damaged, signed, unsigned};
use crate::records::{CONTINUATION, Holdings, Kept, OriginalKind, Session, SessionId, Tenant, Turn};
use crate::retention::{self, Seen, Stock};
use crate::store::StoreError;

/// The columns that [`read`] reads.
const COLUMNS: &str =
    "s.key, s.id, s.first_ms, s.last_ms, (SELECT count(*) FROM entries e WHERE e.session = s.key), s.body";

/// Notes that a session was seen, which is made known if it was not. Its key.
pub(super) fn seen(connection: &Connection, tenant: &Tenant, id: &SessionId, at_ms: u64) -> Result<i64, StoreError> {
    change(connection, tenant, id, at_ms, |session| session.seen(at_ms))
}

pub(super) fn note_turn(
    connection: &Connection,
    tenant: &Tenant,
    id: &SessionId,
    turn: &Turn,
    calibration: Option<&Calibration>,
) -> Result<(), StoreError> {
    let key = change(connection, tenant, id, turn.at_ms, |session| session.count(turn, calibration))?;
    let insert = "INSERT INTO turns (session, number, turn)
        SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM turns WHERE session = ?1";
    connection.prepare_cached(insert)?.execute(params![key, format::turn_json(turn)])?;
    Ok(())
}

pub(super) fn session(connection: &Connection, tenant: &Tenant, id: &SessionId) -> Result<Option<Session>, StoreError> {
    let Some((key, session)) = find(connection, tenant, id)? else { return Ok(None) };
    Ok(format::linked(vec![session], links(connection, tenant, Some(key))?).pop())
}

pub(super) fn sessions(connection: &Connection, tenant: &Tenant, most: usize) -> Result<Vec<Session>, StoreError> {
    let select = format!("SELECT {COLUMNS} FROM sessions s WHERE s.tenant = ?1 ORDER BY s.last_ms DESC, s.id LIMIT ?2");
    let mut statement = connection.prepare_cached(&select)?;
    let mut rows = statement.query(params![tenant.as_str(), signed(most as u64)])?;
    let mut sessions = Vec::new();
    while let Some(row) = rows.next()? {
        sessions.push(read(row)?.1);
    }
    Ok(format::linked(sessions, links(connection, tenant, None)?))
}

/// When each was seen last, longest ago first.
pub(super) fn longest_unseen(connection: &Connection, tenant: &Tenant) -> Result<Vec<(u64, SessionId)>, StoreError> {
    let select = "SELECT s.id, s.last_ms, a.id FROM sessions s
        LEFT JOIN continuations c ON c.session = s.key LEFT JOIN sessions a ON a.key = c.archived WHERE s.tenant = ?1";
    let mut statement = connection.prepare_cached(select)?;
    let seen = statement.query_map([tenant.as_str()], |row| {
        let continues: Option<String> = row.get(2)?;
        Ok(Seen {
            id: SessionId::new(row.get::<_, String>(0)?),
            last_ms: unsigned(row.get(1)?),
            continues: continues.map(SessionId::new),
        })
    })?;
    Ok(retention::longest_unseen(seen.collect::<Result<_, _>>()?))
}

/// Sessions that continue others, and which: those of a tenant, or the one or the other of whom is this session.
fn links(connection: &Connection, tenant: &Tenant, of: Option<i64>) -> Result<Vec<(SessionId, SessionId)>, StoreError> {
    let which = match of {
        Some(_) => "c.session = ?2 OR c.archived = ?2",
        None => "s.tenant = ?1 AND ?2 IS NULL",
    };
    let select = format!(
        "SELECT s.id, a.id FROM continuations c JOIN sessions s ON s.key = c.session JOIN sessions a ON a.key = c.archived
        WHERE {which}"
    );
    let mut statement = connection.prepare_cached(&select)?;
    let links = statement.query_map(params![tenant.as_str(), of], |row| {
        Ok((SessionId::new(row.get::<_, String>(0)?), SessionId::new(row.get::<_, String>(1)?)))
    })?;
    Ok(links.collect::<Result<_, _>>()?)
}

/// Archives a session that is known: makes the one that continues it. Its name and its key.
pub(super) fn archive(
    connection: &Connection,
    tenant: &Tenant,
    archived: &SessionId,
    at_ms: u64,
) -> Result<(SessionId, i64), StoreError> {
    let (key, session) = find(connection, tenant, archived)?.ok_or_else(|| damaged("a session that was just seen"))?;
    let client = archived.of_client();
    // Names that go on with a digit: `:` is the next character behind the digits.
    let select = "SELECT id FROM sessions WHERE tenant = ?1 AND id >= ?2 AND id < ?3";
    let mut statement = connection.prepare_cached(select)?;
    let (first, behind) = (format!("{client}{CONTINUATION}0"), format!("{client}{CONTINUATION}:"));
    let taken = statement.query_map([tenant.as_str(), &first, &behind], |row| row.get::<_, String>(0))?;
    let taken: Vec<SessionId> = taken.map(|id| id.map(SessionId::new)).collect::<Result<_, _>>()?;
    let next = session.continuation(client.next_number(&taken), at_ms);
    let insert = "INSERT INTO sessions (tenant, id, first_ms, last_ms, body) VALUES (?1, ?2, ?3, ?3, ?4)";
    let body = format::session_body(&next);
    connection.prepare_cached(insert)?.execute(params![tenant.as_str(), next.id.as_str(), signed(at_ms), body])?;
    let next_key = connection.last_insert_rowid();
    let link = "INSERT INTO continuations (session, archived) VALUES (?1, ?2)";
    connection.prepare_cached(link)?.execute([next_key, key])?;
    Ok((next.id, next_key))
}

pub(super) fn turns(connection: &Connection, tenant: &Tenant, id: &SessionId) -> Result<Vec<Turn>, StoreError> {
    let select = "SELECT t.turn FROM sessions s JOIN turns t ON t.session = s.key
        WHERE s.tenant = ?1 AND s.id = ?2 ORDER BY t.number";
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query(params![tenant.as_str(), id.as_str()])?;
    let mut turns = Vec::new();
    while let Some(row) = rows.next()? {
        turns.push(format::turn(&row.get::<_, Vec<u8>>(0)?)?);
    }
    Ok(turns)
}

pub(super) fn history(connection: &Connection, tenant: &Tenant, id: &SessionId) -> Result<Vec<Kept>, StoreError> {
    let select = "SELECT c.frame, c.split FROM sessions s
        JOIN history h ON h.session = s.key JOIN contents c ON c.key = h.content
        WHERE s.tenant = ?1 AND s.id = ?2 ORDER BY h.position";
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query(params![tenant.as_str(), id.as_str()])?;
    let mut history = Vec::new();
    while let Some(row) = rows.next()? {
        let (bytes, words) = format::unpack(&row.get::<_, Vec<u8>>(0)?, row.get(1)?)?;
        history.push(Kept { bytes, words });
    }
    Ok(history)
}

pub(super) fn extend_history(
    connection: &Connection,
    tenant: &Tenant,
    id: &SessionId,
    expected: usize,
    messages: &[Kept],
    at_ms: u64,
) -> Result<(), StoreError> {
    let key = seen(connection, tenant, id, at_ms)?;
    let count = "SELECT count(*) FROM history WHERE session = ?1";
    let there: i64 = connection.prepare_cached(count)?.query_row([key], |row| row.get(0))?;
    if unsigned(there) != expected as u64 {
        // Undone with what else was written, the session itself if it was new.
        return Err(StoreError::Overtaken);
    }
    for (position, kept) in (there..).zip(messages) {
        let hash = ContentHash::of(&kept.bytes);
        let content = contents::keep(connection, tenant, hash, OriginalKind::Message, (&kept.bytes, &kept.words))?;
        let insert = "INSERT INTO history (session, position, content) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(insert)?.execute([key, position, content])?;
    }
    Ok(())
}

pub(super) fn retract_history(
    connection: &Connection,
    tenant: &Tenant,
    id: &SessionId,
    from: usize,
    messages: &[ContentHash],
) -> Result<bool, StoreError> {
    let select = "SELECT h.session, h.content, c.hash FROM sessions s
        JOIN history h ON h.session = s.key JOIN contents c ON c.key = h.content
        WHERE s.tenant = ?1 AND s.id = ?2 AND h.position >= ?3 ORDER BY h.position";
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query(params![tenant.as_str(), id.as_str(), signed(from as u64)])?;
    let (mut sessions, mut contents, mut hashes) = (Vec::<i64>::new(), Vec::<i64>::new(), Vec::new());
    while let Some(row) = rows.next()? {
        sessions.push(row.get(0)?);
        contents.push(row.get(1)?);
        hashes.push(ContentHash::from_bytes(format::thirty_two(&row.get::<_, Vec<u8>>(2)?)?));
    }
    if hashes != messages {
        return Ok(false);
    }
    if let Some(session) = sessions.first() {
        let delete = "DELETE FROM history WHERE session = ?1 AND position >= ?2";
        connection.prepare_cached(delete)?.execute([*session, signed(from as u64)])?;
        contents::collect(connection, &contents)?;
    }
    Ok(true)
}

/// Forgets a session that was not seen after `unseen_since_ms`. How many bytes that gave; `None` if there is no such.
pub(super) fn forget(
    connection: &Connection,
    tenant: &Tenant,
    id: &SessionId,
    unseen_since_ms: u64,
) -> Result<Option<u64>, StoreError> {
    let Some((key, session)) = find(connection, tenant, id)? else { return Ok(None) };
    if session.last_ms > unseen_since_ms {
        return Ok(None);
    }
    let contents = contents::of_session(connection, key)?;
    // Its calls, entries and history go with it.
    connection.prepare_cached("DELETE FROM sessions WHERE key = ?1")?.execute([key])?;
    contents::collect(connection, &contents).map(Some)
}

/// Everybody who has sessions.
pub(super) fn tenants(connection: &Connection) -> Result<Vec<Tenant>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT tenant FROM sessions ORDER BY tenant")?;
    let tenants = statement.query_map([], |row| Ok(Tenant::new(row.get::<_, String>(0)?)))?;
    Ok(tenants.collect::<Result<_, _>>()?)
}

/// What a tenant has, and who holds it.
pub(super) fn stock(connection: &Connection, tenant: &Tenant) -> Result<Stock, StoreError> {
    let mut stock = Stock::default();
    let size = "SELECT length(frame) FROM contents WHERE key = ?1";
    for (last_ms, id) in longest_unseen(connection, tenant)? {
        let Some((key, _)) = find(connection, tenant, &id)? else { continue };
        let mut held = Vec::new();
        for content in contents::of_session(connection, key)? {
            let bytes: i64 = connection.prepare_cached(size)?.query_row([content], |row| row.get(0))?;
            held.push((content, unsigned(bytes)));
        }
        stock.add(id, last_ms, held);
    }
    Ok(stock)
}

pub(super) fn holdings(connection: &Connection, tenant: &Tenant) -> Result<Holdings, StoreError> {
    let select = "SELECT (SELECT count(*) FROM sessions WHERE tenant = ?1),
        (SELECT count(*) FROM entries WHERE tenant = ?1),
        (SELECT count(*) FROM contents WHERE tenant = ?1),
        (SELECT coalesce(sum(length(frame)), 0) FROM contents WHERE tenant = ?1)";
    Ok(connection.prepare_cached(select)?.query_row([tenant.as_str()], |row| {
        Ok(Holdings {
            sessions: unsigned(row.get(0)?),
            entries: unsigned(row.get(1)?),
            originals: unsigned(row.get(2)?),
            bytes: unsigned(row.get(3)?),
        })
    })?)
}

pub(super) fn secret(connection: &Connection, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StoreError> {
    connection
        .execute("INSERT INTO secrets (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING", params![name, fresh])?;
    let value: Vec<u8> = connection.query_row("SELECT value FROM secrets WHERE name = ?1", [name], |row| row.get(0))?;
    format::thirty_two(&value)
}

/// Changes a session, which is made known if it was not. Its key.
fn change(
    connection: &Connection,
    tenant: &Tenant,
    id: &SessionId,
    at_ms: u64,
    change: impl FnOnce(&mut Session),
) -> Result<i64, StoreError> {
    if let Some((key, mut session)) = find(connection, tenant, id)? {
        change(&mut session);
        let update = "UPDATE sessions SET first_ms = ?2, last_ms = ?3, body = ?4 WHERE key = ?1";
        let (first, last) = (signed(session.first_ms), signed(session.last_ms));
        connection.prepare_cached(update)?.execute(params![key, first, last, format::session_body(&session)])?;
        return Ok(key);
    }
    let mut session = Session::new(id.clone(), at_ms);
    change(&mut session);
    let insert = "INSERT INTO sessions (tenant, id, first_ms, last_ms, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let (first, last) = (signed(session.first_ms), signed(session.last_ms));
    let body = format::session_body(&session);
    connection.prepare_cached(insert)?.execute(params![tenant.as_str(), id.as_str(), first, last, body])?;
    Ok(connection.last_insert_rowid())
}

fn find(connection: &Connection, tenant: &Tenant, id: &SessionId) -> Result<Option<(i64, Session)>, StoreError> {
    let select = format!("SELECT {COLUMNS} FROM sessions s WHERE s.tenant = ?1 AND s.id = ?2");
    let mut statement = connection.prepare_cached(&select)?;
    let found = statement.query_row(params![tenant.as_str(), id.as_str()], |row| Ok(read(row))).optional()?;
    found.transpose()
}

fn read(row: &Row<'_>) -> Result<(i64, Session), StoreError> {
    let id = SessionId::new(row.get::<_, String>(1)?);
    let body: Vec<u8> = row.get(5)?;
    Ok((row.get(0)?, format::session(id, (row.get(2)?, row.get(3)?), row.get(4)?, &body)?))
}
