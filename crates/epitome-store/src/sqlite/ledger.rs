//! Entries of the ledger, what is prepared for it, and leases.

use std::sync::Arc;

use epitome_core::fingerprint::PrefixFingerprint;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::alive::Alive;
use super::{contents, sessions, wishes};
use crate::format::{self, signed, unsigned};
use crate::records::{CompactionLog, Entry, EntryId, NewEntry, SessionId, Tenant};
use crate::replays::Replays;
use crate::store::{Appended, MOST_MATCHES, StoreError};

/// The columns that [`read`] reads. The edits come last, as they are read only if they are not known.
const COLUMNS: &str = "e.id, s.id, e.anchor, e.depth, e.parent, e.at_ms, e.replay";

pub(super) fn matches(
    connection: &Connection,
    replays: &Replays,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
) -> Result<Vec<Entry>, StoreError> {
    let keys = matching(connection, tenant, prefixes, MOST_MATCHES)?;
    keys.into_iter().map(|key| by_key(connection, replays, key)).collect()
}

pub(super) fn append(
    connection: &Connection,
    replays: &Replays,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
    seen: Option<EntryId>,
    entry: NewEntry,
) -> Result<Appended, StoreError> {
    let packed = format::pack_replay(tenant, entry.anchor, &entry.replay)?;
    if let Some(deepest) = matching(connection, tenant, prefixes, 1)?.pop() {
        let deepest = by_key(connection, replays, deepest)?;
        if deepest.id == packed.id {
            return Ok(Appended::Stored(deepest));
        }
        if Some(deepest.id) != seen {
            return Ok(Appended::Overtaken(deepest));
        }
    }
    let find = "SELECT key FROM entries WHERE id = ?1";
    let known = connection.prepare_cached(find)?.query_row([packed.id.as_bytes()], |row| row.get(0)).optional()?;
    if let Some(key) = known {
        return Ok(Appended::Stored(by_key(connection, replays, key)?));
    }

    let at_ms = entry.log.record.at_ms;
    let known = sessions::seen(connection, tenant, &entry.session, at_ms)?;
    let (session_id, session) = match entry.archives {
        true => sessions::archive(connection, tenant, &entry.session, at_ms)?,
        false => (entry.session.clone(), known),
    };
    let insert = "INSERT INTO entries (id, tenant, session, root, depth, anchor, parent, at_ms, replay, log)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    connection.prepare_cached(insert)?.execute(params![
        packed.id.as_bytes(),
        tenant.as_str(),
        session,
        prefixes.first().unwrap_or(&PrefixFingerprint::EMPTY).as_bytes(),
        entry.depth,
        entry.anchor.as_bytes(),
        entry.parent.as_ref().map(EntryId::as_bytes),
        signed(at_ms),
        packed.frame,
        format::log_json(&entry.log),
    ])?;
    let key = connection.last_insert_rowid();
    for (position, original) in (0i64..).zip(&entry.removed) {
        let (bytes, words) = (&original.bytes[..], &original.words[..]);
        let content = contents::keep(connection, tenant, original.hash, original.kind, (bytes, words))?;
        let insert = "INSERT INTO removed (entry, position, content) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(insert)?.execute([key, position, content])?;
    }
    forget_prepared(connection, tenant, prefixes.get(..entry.depth as usize).unwrap_or(prefixes))?;
    if let Some(fulfilled) = &entry.fulfils {
        wishes::forget(connection, tenant, &entry.session, fulfilled)?;
    }

    let replay = Arc::new(entry.replay);
    replays.put(packed.id, replay.clone(), packed.frame.len());
    Ok(Appended::Stored(Entry {
        id: packed.id,
        session: session_id,
        anchor: entry.anchor,
        depth: entry.depth,
        parent: entry.parent,
        replay,
        at_ms,
    }))
}

pub(super) fn compactions(
    connection: &Connection,
    replays: &Replays,
    tenant: &Tenant,
    id: &SessionId,
) -> Result<Vec<(Entry, CompactionLog)>, StoreError> {
    let select = format!(
        "SELECT {COLUMNS}, e.log FROM sessions s JOIN entries e ON e.session = s.key
        WHERE s.tenant = ?1 AND s.id = ?2 ORDER BY e.key"
    );
    let mut statement = connection.prepare_cached(&select)?;
    let mut rows = statement.query(params![tenant.as_str(), id.as_str()])?;
    let mut compactions = Vec::new();
    while let Some(row) = rows.next()? {
        let log: Vec<u8> = row.get(7)?;
        compactions.push((read(row, replays)?, format::log(&log)?));
    }
    Ok(compactions)
}

pub(super) fn logs(
    connection: &Connection,
    tenant: &Tenant,
    id: Option<&SessionId>,
) -> Result<Vec<CompactionLog>, StoreError> {
    let select = match id {
        Some(_) => {
            "SELECT e.log FROM sessions s JOIN entries e ON e.session = s.key
            WHERE s.tenant = ?1 AND s.id = ?2 ORDER BY e.key"
        }
        None => "SELECT log FROM entries WHERE tenant = ?1 AND ?2 IS NULL ORDER BY key",
    };
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query(params![tenant.as_str(), id.map(SessionId::as_str)])?;
    let mut logs = Vec::new();
    while let Some(row) = rows.next()? {
        logs.push(format::log(&row.get::<_, Vec<u8>>(0)?)?);
    }
    Ok(logs)
}

pub(super) fn lease(
    connection: &Connection,
    alive: &Alive,
    tenant: &Tenant,
    prefix: PrefixFingerprint,
    owner: &str,
    now_ms: u64,
    until_ms: u64,
) -> Result<bool, StoreError> {
    let ended = "DELETE FROM leases WHERE tenant = ?1 AND until_ms <= ?2";
    connection.prepare_cached(ended)?.execute(params![tenant.as_str(), signed(now_ms)])?;
    let holder = alive.holder(owner);
    let held = "SELECT owner FROM leases WHERE tenant = ?1 AND prefix = ?2";
    let before =
        connection.prepare_cached(held)?.query_row(params![tenant.as_str(), prefix.as_bytes()], |row| row.get(0));
    let before: Option<String> = before.optional()?;
    if before.is_some_and(|before| before != holder && !alive.has_ended(&before)) {
        return Ok(false);
    }
    let take = "INSERT OR REPLACE INTO leases (tenant, prefix, owner, until_ms) VALUES (?1, ?2, ?3, ?4)";
    let values = params![tenant.as_str(), prefix.as_bytes(), holder, signed(until_ms)];
    connection.prepare_cached(take)?.execute(values)?;
    Ok(true)
}

pub(super) fn put_prepared(connection: &Connection, tenant: &Tenant, prepared: &NewEntry) -> Result<(), StoreError> {
    let session = sessions::seen(connection, tenant, &prepared.session, prepared.log.record.at_ms)?;
    let insert = "INSERT OR REPLACE INTO prepared (tenant, anchor, depth, session, frame) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(insert)?.execute(params![
        tenant.as_str(),
        prepared.anchor.as_bytes(),
        prepared.depth,
        session,
        format::pack_prepared(prepared)?
    ])?;
    Ok(())
}

pub(super) fn prepared(
    connection: &Connection,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
) -> Result<Option<NewEntry>, StoreError> {
    let mut find =
        connection.prepare_cached("SELECT frame FROM prepared WHERE tenant = ?1 AND depth = ?2 AND anchor = ?3")?;
    for (depth, anchor) in prepared_places(connection, tenant, prefixes)? {
        let frame: Option<Vec<u8>> =
            find.query_row(params![tenant.as_str(), depth, anchor.as_bytes()], |row| row.get(0)).optional()?;
        if let Some(frame) = frame {
            return format::unpack_prepared(anchor, &frame).map(Some);
        }
    }
    Ok(None)
}

fn forget_prepared(connection: &Connection, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<(), StoreError> {
    let mut delete = connection.prepare_cached("DELETE FROM prepared WHERE tenant = ?1 AND anchor = ?2")?;
    for (_, anchor) in prepared_places(connection, tenant, prefixes)? {
        delete.execute(params![tenant.as_str(), anchor.as_bytes()])?;
    }
    Ok(())
}

/// Where in the history something may be prepared: at the depths at which anything is, deepest first.
fn prepared_places(
    connection: &Connection,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
) -> Result<Vec<(u32, PrefixFingerprint)>, StoreError> {
    let select = "SELECT DISTINCT depth FROM prepared WHERE tenant = ?1 AND depth <= ?2 ORDER BY depth DESC";
    let mut statement = connection.prepare_cached(select)?;
    let depths = statement.query_map(params![tenant.as_str(), signed(prefixes.len() as u64)], |row| row.get(0))?;
    let depths: Vec<u32> = depths.collect::<Result<_, _>>()?;
    Ok(depths.into_iter().filter_map(|depth| Some((depth, at_depth(prefixes, depth)?))).collect())
}

/// The keys of entries that match, deepest and latest first.
///
/// A history has thousands of places and a few entries. So the depths at which histories with this beginning have
/// entries are looked up first, and then these places alone.
fn matching(
    connection: &Connection,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
    most: usize,
) -> Result<Vec<i64>, StoreError> {
    let Some(root) = prefixes.first() else { return Ok(Vec::new()) };
    let select =
        "SELECT DISTINCT depth FROM entries WHERE tenant = ?1 AND root = ?2 AND depth <= ?3 ORDER BY depth DESC";
    let mut statement = connection.prepare_cached(select)?;
    let asked = params![tenant.as_str(), root.as_bytes(), signed(prefixes.len() as u64)];
    let depths: Vec<u32> = statement.query_map(asked, |row| row.get(0))?.collect::<Result<_, _>>()?;

    let select = "SELECT key FROM entries WHERE tenant = ?1 AND root = ?2 AND depth = ?3 AND anchor = ?4
        ORDER BY key DESC LIMIT ?5";
    let mut statement = connection.prepare_cached(select)?;
    let mut keys = Vec::new();
    for depth in depths {
        let Some(anchor) = at_depth(prefixes, depth) else { continue };
        let left = signed((most - keys.len()) as u64);
        let asked = params![tenant.as_str(), root.as_bytes(), depth, anchor.as_bytes(), left];
        for key in statement.query_map(asked, |row| row.get(0))? {
            keys.push(key?);
        }
        if keys.len() == most {
            break;
        }
    }
    Ok(keys)
}

fn at_depth(prefixes: &[PrefixFingerprint], depth: u32) -> Option<PrefixFingerprint> {
    prefixes.get((depth as usize).checked_sub(1)?).copied()
}

fn by_key(connection: &Connection, replays: &Replays, key: i64) -> Result<Entry, StoreError> {
    let select = format!("SELECT {COLUMNS} FROM entries e JOIN sessions s ON s.key = e.session WHERE e.key = ?1");
    connection.prepare_cached(&select)?.query_row([key], |row| Ok(read(row, replays)))?
}

fn read(row: &Row<'_>, replays: &Replays) -> Result<Entry, StoreError> {
    let name = |column| format::sixteen(&row.get::<_, Vec<u8>>(column)?);
    let id = EntryId::from_bytes(name(0)?);
    let parent: Option<Vec<u8>> = row.get(4)?;
    let replay = match replays.get(id) {
        Some(replay) => replay,
        None => {
            let frame: Vec<u8> = row.get(6)?;
            let replay = Arc::new(format::unpack_replay(&frame)?);
            replays.put(id, replay.clone(), frame.len());
            replay
        }
    };
    Ok(Entry {
        id,
        session: SessionId::new(row.get::<_, String>(1)?),
        anchor: PrefixFingerprint::from_bytes(name(2)?),
        depth: row.get(3)?,
        parent: parent.map(|parent| format::sixteen(&parent)).transpose()?.map(EntryId::from_bytes),
        replay,
        at_ms: unsigned(row.get(5)?),
    })
}
