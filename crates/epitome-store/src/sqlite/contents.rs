//! Originals and kept messages: stored once however many refer to them, and forgotten with the last who does.

use epitome_core::fingerprint::ContentHash;
use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::format::{self, Packed, unsigned};
use crate::records::{EntryId, Original, OriginalKind, Tenant};
use crate::store::StoreError;

/// Stores content that may be there already. Its key.
pub(super) fn keep(
    connection: &Connection,
    tenant: &Tenant,
    hash: ContentHash,
    kind: OriginalKind,
    (bytes, words): (&[u8], &str),
) -> Result<i64, StoreError> {
    let find = "SELECT key FROM contents WHERE tenant = ?1 AND hash = ?2";
    let known = connection
        .prepare_cached(find)?
        .query_row(params![tenant.as_str(), hash.as_bytes()], |row| row.get(0))
        .optional()?;
    if let Some(key) = known {
        return Ok(key);
    }
    let packed = Packed::of(bytes, words)?;
    let insert = "INSERT INTO contents (tenant, hash, kind, frame, split) VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(insert)?.execute(params![
        tenant.as_str(),
        hash.as_bytes(),
        format::kind_code(kind),
        packed.frame,
        packed.split
    ])?;
    Ok(connection.last_insert_rowid())
}

/// What a session has removed or keeps.
pub(super) fn of_session(connection: &Connection, session: i64) -> Result<Vec<i64>, StoreError> {
    let select = "SELECT content FROM removed WHERE entry IN (SELECT key FROM entries WHERE session = ?1)
        UNION SELECT content FROM history WHERE session = ?1";
    let mut statement = connection.prepare_cached(select)?;
    let keys = statement.query_map([session], |row| row.get(0))?;
    Ok(keys.collect::<Result<_, _>>()?)
}

/// Forgets those that nobody refers to any more. How many bytes they had.
pub(super) fn collect(connection: &Connection, keys: &[i64]) -> Result<u64, StoreError> {
    let alone = "DELETE FROM contents WHERE key = ?1
        AND NOT EXISTS (SELECT 1 FROM removed WHERE content = ?1)
        AND NOT EXISTS (SELECT 1 FROM history WHERE content = ?1)
        RETURNING length(frame)";
    let mut delete = connection.prepare_cached(alone)?;
    let mut delete_words = connection.prepare_cached("DELETE FROM words WHERE rowid = ?1")?;
    let mut freed = 0;
    for key in keys {
        let bytes: Option<i64> = delete.query_row([key], |row| row.get(0)).optional()?;
        if let Some(bytes) = bytes {
            freed += unsigned(bytes);
            delete_words.execute([key])?;
        }
    }
    Ok(freed)
}

pub(super) fn original(
    connection: &Connection,
    tenant: &Tenant,
    hash: ContentHash,
) -> Result<Option<Original>, StoreError> {
    Ok(between(connection, tenant, hash, hash)?.pop())
}

pub(super) fn originals(
    connection: &Connection,
    tenant: &Tenant,
    hash_begins: &str,
) -> Result<Vec<Original>, StoreError> {
    let Some((first, last)) = format::hash_range(hash_begins) else { return Ok(Vec::new()) };
    between(connection, tenant, first, last)
}

pub(super) fn removed_by(
    connection: &Connection,
    tenant: &Tenant,
    entry: EntryId,
) -> Result<Vec<Original>, StoreError> {
    let select = "SELECT c.hash, c.kind, c.frame, c.split FROM entries e
        JOIN removed r ON r.entry = e.key JOIN contents c ON c.key = r.content
        WHERE e.id = ?1 AND e.tenant = ?2 ORDER BY r.position";
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query(params![entry.as_bytes(), tenant.as_str()])?;
    let mut originals = Vec::new();
    while let Some(row) = rows.next()? {
        originals.push(read(row)?);
    }
    Ok(originals)
}

fn between(
    connection: &Connection,
    tenant: &Tenant,
    first: ContentHash,
    last: ContentHash,
) -> Result<Vec<Original>, StoreError> {
    let select = "SELECT hash, kind, frame, split FROM contents
        WHERE tenant = ?1 AND hash BETWEEN ?2 AND ?3 ORDER BY hash";
    let mut statement = connection.prepare_cached(select)?;
    let mut rows = statement.query(params![tenant.as_str(), first.as_bytes(), last.as_bytes()])?;
    let mut originals = Vec::new();
    while let Some(row) = rows.next()? {
        originals.push(read(row)?);
    }
    Ok(originals)
}

/// From the columns hash, kind, frame, split.
fn read(row: &Row<'_>) -> Result<Original, StoreError> {
    let hash: Vec<u8> = row.get(0)?;
    let frame: Vec<u8> = row.get(2)?;
    let (bytes, words) = format::unpack(&frame, row.get(3)?)?;
    let hash = ContentHash::from_bytes(format::thirty_two(&hash)?);
    Ok(Original { hash, kind: format::kind(row.get(1)?)?, bytes, words })
}
