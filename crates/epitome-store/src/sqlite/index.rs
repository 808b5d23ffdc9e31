//! Search. An index of trigrams leaves out most of what does not match; what is left is read.

use std::collections::HashMap;

use epitome_core::fingerprint::ContentHash;
use rusqlite::{Connection, params};

use super::threads::More;
use crate::format;
use crate::records::{Found, OriginalKind, SessionId, Tenant};
use crate::search::{Matcher, indexed};
use crate::store::StoreError;

/// So many bytes of words are indexed at a time: about 50 ms, which a write may have to wait.
const BYTES_AT_A_TIME: usize = 256 << 10;

/// What has more words is always read: that takes milliseconds, and to index it a second, which a write would wait.
const MOST_BYTES: usize = 1 << 20;

/// And so many contents.
const CONTENTS_AT_A_TIME: i64 = 64;

/// Of the column `indexed`.
const INDEXED: i64 = 1;
const TOO_LARGE: i64 = 2;

pub(super) fn search(
    connection: &Connection,
    tenant: &Tenant,
    matcher: &Matcher,
    most: usize,
) -> Result<Vec<Found>, StoreError> {
    let mut looked_at: HashMap<i64, Option<(ContentHash, OriginalKind, String)>> = HashMap::new();
    let mut found = Vec::new();
    for (session, content) in candidates(connection, tenant, matcher)? {
        if found.len() >= most {
            break;
        }
        // Several sessions may refer to it.
        let hit = match looked_at.get(&content) {
            Some(hit) => hit,
            None => {
                let hit = look_at(connection, matcher, content)?;
                looked_at.entry(content).or_insert(hit)
            }
        };
        if let Some((hash, kind, excerpt)) = hit {
            found.push(Found { session, hash: *hash, kind: *kind, excerpt: excerpt.clone() });
        }
    }
    Ok(found)
}

/// Indexes some of what is not, in a transaction of its own. Losing it costs nothing.
pub(super) fn index_some(connection: &Connection) -> Result<More, StoreError> {
    if to_index(connection)?.is_empty() {
        return Ok(More::No);
    }
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    let transaction = rusqlite::Transaction::new_unchecked(connection, rusqlite::TransactionBehavior::Immediate)?;
    let mut bytes = 0;
    // Read again: before, another process might have been at it.
    for content in to_index(&transaction)? {
        let select = "SELECT frame, split FROM contents WHERE key = ?1";
        let (frame, split): (Vec<u8>, _) =
            transaction.prepare_cached(select)?.query_row([content], |row| Ok((row.get(0)?, row.get(1)?)))?;
        // What is damaged is said when it is read, and must not keep the rest from being indexed.
        let words = format::unpack_words(&frame, split).unwrap_or_default();
        let state = if words.len() <= MOST_BYTES {
            let insert = "INSERT INTO words (rowid, folded) VALUES (?1, ?2)";
            transaction.prepare_cached(insert)?.execute(params![content, indexed(&words)])?;
            bytes += words.len();
            INDEXED
        } else {
            TOO_LARGE
        };
        let update = "UPDATE contents SET indexed = ?2 WHERE key = ?1";
        transaction.prepare_cached(update)?.execute([content, state])?;
        if bytes >= BYTES_AT_A_TIME {
            break;
        }
    }
    transaction.commit()?;
    Ok(More::Yes)
}

fn to_index(connection: &Connection) -> Result<Vec<i64>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT key FROM contents WHERE indexed = 0 ORDER BY key LIMIT ?1")?;
    let keys = statement.query_map([CONTENTS_AT_A_TIME], |row| row.get(0))?;
    Ok(keys.collect::<Result<_, _>>()?)
}

/// What may match and where it stands, newest session first.
fn candidates(
    connection: &Connection,
    tenant: &Tenant,
    matcher: &Matcher,
) -> Result<Vec<(SessionId, i64)>, StoreError> {
    // Each trigram is a word of the index; what is not indexed yet has to be read.
    let quoted = |trigrams: Vec<String>| {
        let quoted = trigrams.iter().map(|trigram| format!("\"{}\"", trigram.replace('"', "\"\"")));
        quoted.collect::<Vec<_>>().join(" AND ")
    };
    let (which, expression) = match (matcher, matcher.trigrams()) {
        (Matcher::Nothing, _) => return Ok(Vec::new()),
        (Matcher::Literal(_) | Matcher::Pattern(_), Some(trigrams)) => (
            "SELECT rowid FROM words WHERE words MATCH ?2
                UNION ALL SELECT key FROM contents WHERE indexed = 0
                UNION ALL SELECT key FROM contents WHERE indexed = 2",
            quoted(trigrams),
        ),
        (Matcher::Literal(_) | Matcher::Pattern(_), None) => {
            ("SELECT key FROM contents WHERE tenant = ?1 OR ?2 IS NULL", String::new())
        }
    };
    let select = format!(
        "WITH which (content) AS ({which}),
        places (session, content) AS (
            SELECT e.session, r.content FROM which w
                JOIN removed r ON r.content = w.content JOIN entries e ON e.key = r.entry
            UNION SELECT h.session, h.content FROM which w JOIN history h ON h.content = w.content
        )
        SELECT s.id, p.content FROM places p JOIN sessions s ON s.key = p.session
        WHERE s.tenant = ?1 ORDER BY s.last_ms DESC, s.id, p.content"
    );
    let mut statement = connection.prepare_cached(&select)?;
    let candidates = statement.query_map(params![tenant.as_str(), expression], |row| {
        Ok((SessionId::new(row.get::<_, String>(0)?), row.get(1)?))
    })?;
    Ok(candidates.collect::<Result<_, _>>()?)
}

fn look_at(
    connection: &Connection,
    matcher: &Matcher,
    content: i64,
) -> Result<Option<(ContentHash, OriginalKind, String)>, StoreError> {
    let select = "SELECT hash, kind, frame, split FROM contents WHERE key = ?1";
    let mut statement = connection.prepare_cached(select)?;
    let (hash, kind, frame, split): (Vec<u8>, i16, Vec<u8>, Option<i64>) =
        statement.query_row([content], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    let Some(excerpt) = matcher.excerpt(&format::unpack_words(&frame, split)?) else { return Ok(None) };
    let hash = ContentHash::from_bytes(format::thirty_two(&hash)?);
    Ok(Some((hash, format::kind(kind)?, excerpt)))
}
