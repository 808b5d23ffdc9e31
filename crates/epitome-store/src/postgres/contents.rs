//! Originals and kept messages: stored once however many refer to them, and forgotten with the last who does. And search.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use deadpool_postgres::{Client, Transaction};
use epitome_core::fingerprint::ContentHash;
use tokio_postgres::Row;

use super::connection::Failure;
use crate::format::{self, Packed, unsigned};
use crate::records::{EntryId, Found, Kept, Original, OriginalKind, SessionId, Tenant};
use crate::search::Matcher;
use crate::store::StoreError;

/// A content, ready to be stored.
pub(super) struct Content {
    hash: ContentHash,
    kind: OriginalKind,
    packed: Packed,
}

impl Content {
    pub(super) fn hash(&self) -> &ContentHash {
        &self.hash
    }
}

/// A content that may match, as it is stored.
struct Candidate {
    key: i64,
    hash: Vec<u8>,
    kind: i16,
    frame: Vec<u8>,
    split: Option<i64>,
}

/// What was found in a content.
type Hit = (ContentHash, OriginalKind, String);

/// So many contents are fetched at a time to be searched: a few hundred kilobytes.
const AT_A_TIME: usize = 64;

/// Compresses what was removed, on a thread that may take its time.
pub(super) async fn pack_originals(originals: Vec<Original>) -> Result<Vec<Content>, StoreError> {
    aside(move || {
        let pack = |original: Original| {
            let packed = Packed::of(&original.bytes, &original.words)?;
            Ok(Content { hash: original.hash, kind: original.kind, packed })
        };
        originals.into_iter().map(pack).collect()
    })
    .await
}

/// Compresses what is to be kept.
pub(super) async fn pack_kept(messages: &[Kept]) -> Result<Vec<Content>, StoreError> {
    let named = |kept: &Kept| Original::new(OriginalKind::Message, kept.bytes.clone(), kept.words.clone());
    pack_originals(messages.iter().map(named).collect()).await
}

/// Does what takes long where it holds nobody up.
pub(super) async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let gone = |_| StoreError::Unavailable { what: "the runtime is shutting down".to_owned() };
    tokio::task::spawn_blocking(work).await.map_err(gone)?
}

/// Stores contents that may be there already. Their keys, in the same order.
pub(super) async fn keep(
    transaction: &Transaction<'_>,
    tenant: &Tenant,
    contents: &[Content],
) -> Result<Vec<i64>, Failure> {
    let all: Vec<ContentHash> = contents.iter().map(|content| content.hash).collect();
    let known = known(transaction, tenant, &all).await?;
    let mut taken = HashSet::new();
    let is_new = |content: &&Content| !known.contains_key(&content.hash) && taken.insert(content.hash);
    let new: Vec<&Content> = contents.iter().filter(is_new).collect();
    if new.is_empty() {
        return contents.iter().map(|content| found(&known, content)).collect();
    }
    // New contents of a tenant come one after the other, so that no two wait for each other's. Nothing is waited for
    // behind this lock.
    super::sessions::lock(transaction, &[b"contents", tenant.as_str().as_bytes()]).await?;
    let hashes: Vec<&[u8]> = new.iter().map(|content| &content.hash.as_bytes()[..]).collect();
    let kinds: Vec<i16> = new.iter().map(|content| format::kind_code(content.kind)).collect();
    let frames: Vec<&[u8]> = new.iter().map(|content| &content.packed.frame[..]).collect();
    let splits: Vec<Option<i64>> = new.iter().map(|content| content.packed.split).collect();
    let insert = "INSERT INTO epitome.contents (tenant, hash, kind, frame, split)
        SELECT $1, hash, kind, frame, split
        -- In this order, as the key tells which came first.
        FROM unnest($2::bytea[], $3::smallint[], $4::bytea[], $5::bigint[]) WITH ORDINALITY
            AS new (hash, kind, frame, split, number)
        ORDER BY number
        ON CONFLICT DO NOTHING";
    let insert = transaction.prepare_cached(insert).await?;
    transaction.execute(&insert, &[&tenant.as_str().as_bytes(), &hashes, &kinds, &frames, &splits]).await?;
    let known = self::known(transaction, tenant, &all).await?;
    contents.iter().map(|content| found(&known, content)).collect()
}

/// What a session has removed or keeps.
pub(super) async fn of_session(transaction: &Transaction<'_>, session: i64) -> Result<Vec<i64>, Failure> {
    let select =
        "SELECT content FROM epitome.removed WHERE entry IN (SELECT key FROM epitome.entries WHERE session = $1)
        UNION SELECT content FROM epitome.history WHERE session = $1";
    let select = transaction.prepare_cached(select).await?;
    let rows = transaction.query(&select, &[&session]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

/// Forgets those that nobody refers to any more. How many bytes they had.
pub(super) async fn collect(transaction: &Transaction<'_>, keys: &[i64]) -> Result<u64, Failure> {
    let delete = "WITH gone AS (
            DELETE FROM epitome.contents c WHERE c.key = ANY($1)
            AND NOT EXISTS (SELECT 1 FROM epitome.removed r WHERE r.content = c.key)
            AND NOT EXISTS (SELECT 1 FROM epitome.history h WHERE h.content = c.key)
            RETURNING octet_length(c.frame) AS bytes
        )
        SELECT coalesce(sum(bytes), 0)::bigint FROM gone";
    let delete = transaction.prepare_cached(delete).await?;
    Ok(unsigned(transaction.query_one(&delete, &[&keys]).await?.try_get(0)?))
}

pub(super) async fn original(client: &Client, tenant: &Tenant, hash: ContentHash) -> Result<Option<Original>, Failure> {
    Ok(between(client, tenant, hash, hash).await?.pop())
}

pub(super) async fn originals(client: &Client, tenant: &Tenant, hash_begins: &str) -> Result<Vec<Original>, Failure> {
    match format::hash_range(hash_begins) {
        Some((first, last)) => between(client, tenant, first, last).await,
        None => Ok(Vec::new()),
    }
}

pub(super) async fn removed_by(client: &Client, tenant: &Tenant, entry: EntryId) -> Result<Vec<Original>, Failure> {
    let select = "SELECT c.hash, c.kind, c.frame, c.split FROM epitome.entries e
        JOIN epitome.removed r ON r.entry = e.key JOIN epitome.contents c ON c.key = r.content
        WHERE e.id = $1 AND e.tenant = $2 ORDER BY r.position";
    let select = client.prepare_cached(select).await?;
    let rows = client.query(&select, &[&&entry.as_bytes()[..], &tenant.as_str().as_bytes()]).await?;
    read_all(rows).await
}

pub(super) async fn search(
    client: &Client,
    tenant: &Tenant,
    matcher: &Arc<Matcher>,
    most: usize,
) -> Result<Vec<Found>, Failure> {
    let mut found = Vec::new();
    if matches!(**matcher, Matcher::Nothing) || most == 0 {
        return Ok(found);
    }
    let places = places(client, tenant).await?;
    let mut looked_at: HashMap<i64, Option<Hit>> = HashMap::new();
    for some in places.chunks(AT_A_TIME) {
        // Several sessions may refer to the same.
        let new = some.iter().map(|(_, key)| *key).filter(|key| !looked_at.contains_key(key)).collect();
        looked_at.extend(look_at(client, matcher, new).await?);
        for (session, key) in some {
            // One that is not there any more was deleted meanwhile.
            if let Some(Some((hash, kind, excerpt))) = looked_at.get(key) {
                found.push(Found { session: session.clone(), hash: *hash, kind: *kind, excerpt: excerpt.clone() });
                if found.len() == most {
                    return Ok(found);
                }
            }
        }
    }
    Ok(found)
}

/// What stands where, newest session first.
async fn places(client: &Client, tenant: &Tenant) -> Result<Vec<(SessionId, i64)>, Failure> {
    let select = "SELECT s.id, p.content FROM epitome.sessions s JOIN (
            SELECT e.session, r.content FROM epitome.entries e JOIN epitome.removed r ON r.entry = e.key
                WHERE e.tenant = $1
            UNION SELECT h.session, h.content FROM epitome.sessions k JOIN epitome.history h ON h.session = k.key
                WHERE k.tenant = $1
        ) p ON p.session = s.key
        WHERE s.tenant = $1 ORDER BY s.last_ms DESC, s.id, p.content";
    let select = client.prepare_cached(select).await?;
    let rows = client.query(&select, &[&tenant.as_str().as_bytes()]).await?;
    rows.iter().map(|row| Ok((super::sessions::name(row.try_get(0)?)?, row.try_get(1)?))).collect()
}

async fn look_at(
    client: &Client,
    matcher: &Arc<Matcher>,
    keys: Vec<i64>,
) -> Result<HashMap<i64, Option<Hit>>, Failure> {
    let select = "SELECT key, hash, kind, frame, split FROM epitome.contents WHERE key = ANY($1)";
    let select = client.prepare_cached(select).await?;
    let mut candidates = Vec::new();
    for row in client.query(&select, &[&keys]).await? {
        let (key, hash, kind) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        candidates.push(Candidate { key, hash, kind, frame: row.try_get(3)?, split: row.try_get(4)? });
    }
    let matcher = matcher.clone();
    let look = move |candidate: Candidate| {
        let words = format::unpack_words(&candidate.frame, candidate.split)?;
        let Some(excerpt) = matcher.excerpt(&words) else { return Ok((candidate.key, None)) };
        let hash = ContentHash::from_bytes(format::thirty_two(&candidate.hash)?);
        Ok((candidate.key, Some((hash, format::kind(candidate.kind)?, excerpt))))
    };
    Ok(aside(move || candidates.into_iter().map(look).collect()).await?)
}

async fn known(
    transaction: &Transaction<'_>,
    tenant: &Tenant,
    hashes: &[ContentHash],
) -> Result<HashMap<ContentHash, i64>, Failure> {
    let hashes: Vec<&[u8]> = hashes.iter().map(|hash| &hash.as_bytes()[..]).collect();
    let select = "SELECT hash, key FROM epitome.contents WHERE tenant = $1 AND hash = ANY($2)";
    let select = transaction.prepare_cached(select).await?;
    let rows = transaction.query(&select, &[&tenant.as_str().as_bytes(), &hashes]).await?;
    let read = |row: &Row| Ok((ContentHash::from_bytes(format::thirty_two(row.try_get(0)?)?), row.try_get(1)?));
    rows.iter().map(read).collect()
}

fn found(known: &HashMap<ContentHash, i64>, content: &Content) -> Result<i64, Failure> {
    let key = known.get(&content.hash).copied();
    key.ok_or_else(|| {
        Failure::Undone(StoreError::Unavailable { what: "a content went while it was referred to".to_owned() })
    })
}

async fn between(
    client: &Client,
    tenant: &Tenant,
    first: ContentHash,
    last: ContentHash,
) -> Result<Vec<Original>, Failure> {
    let select = "SELECT hash, kind, frame, split FROM epitome.contents
        WHERE tenant = $1 AND hash BETWEEN $2 AND $3 ORDER BY hash";
    let select = client.prepare_cached(select).await?;
    let (first, last) = (&first.as_bytes()[..], &last.as_bytes()[..]);
    read_all(client.query(&select, &[&tenant.as_str().as_bytes(), &first, &last]).await?).await
}

/// From the columns hash, kind, frame, split.
async fn read_all(rows: Vec<Row>) -> Result<Vec<Original>, Failure> {
    let mut stored = Vec::new();
    for row in rows {
        let (hash, kind): (Vec<u8>, i16) = (row.try_get(0)?, row.try_get(1)?);
        let (frame, split): (Vec<u8>, Option<i64>) = (row.try_get(2)?, row.try_get(3)?);
        stored.push((hash, kind, frame, split));
    }
    let read = |(hash, kind, frame, split): (Vec<u8>, i16, Vec<u8>, Option<i64>)| {
        let (bytes, words) = format::unpack(&frame, split)?;
        let hash = ContentHash::from_bytes(format::thirty_two(&hash)?);
        Ok(Original { hash, kind: format::kind(kind)?, bytes, words })
    };
    Ok(aside(move || stored.into_iter().map(read).collect()).await?)
}
