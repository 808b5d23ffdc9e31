//! Entries of the ledger, what is prepared for it, and leases.

use std::collections::HashMap;
use std::sync::Arc;

use deadpool_postgres::{Client, GenericClient};
use epitome_core::fingerprint::PrefixFingerprint;
use tokio_postgres::Row;

use super::alive::Alive;
use super::connection::Failure;
use super::contents::{self, Content};
use super::{sessions, wishes};
use crate::format::{self, PackedReplay, signed, unsigned};
use crate::records::{CompactionLog, Entry, EntryId, NewEntry, Replay, SessionId, Tenant};
use crate::replays::Replays;
use crate::store::{Appended, MOST_MATCHES, StoreError};

/// The columns that [`Head::read`] reads: all but the edits, which may be known.
const COLUMNS: &str = "e.id, s.id, e.anchor, e.depth, e.parent, e.at_ms";

/// A compaction, ready to be stored.
pub(super) struct Ready {
    entry: NewEntry,
    replay: Arc<Replay>,
    packed: PackedReplay,
    removed: Vec<Content>,
}

/// An entry without its edits.
struct Head {
    id: EntryId,
    session: SessionId,
    anchor: PrefixFingerprint,
    depth: u32,
    parent: Option<EntryId>,
    at_ms: u64,
}

/// Compresses a compaction and what it removed, on a thread that may take its time.
pub(super) async fn pack(tenant: &Tenant, mut entry: NewEntry) -> Result<Ready, StoreError> {
    let removed = contents::pack_originals(std::mem::take(&mut entry.removed)).await?;
    let tenant = tenant.clone();
    contents::aside(move || {
        let packed = format::pack_replay(&tenant, entry.anchor, &entry.replay)?;
        let replay = Arc::new(std::mem::take(&mut entry.replay));
        Ok(Ready { entry, replay, packed, removed })
    })
    .await
}

pub(super) async fn pack_prepared(prepared: &NewEntry) -> Result<Vec<u8>, StoreError> {
    let prepared = prepared.clone();
    contents::aside(move || format::pack_prepared(&prepared)).await
}

pub(super) async fn matches(
    client: &Client,
    replays: &Replays,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
) -> Result<Vec<Entry>, Failure> {
    let heads = matching(client, tenant, prefixes, MOST_MATCHES).await?;
    with_replays(client, replays, heads).await
}

pub(super) async fn append(
    client: &mut Client,
    replays: &Replays,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
    seen: Option<EntryId>,
    ready: &Ready,
) -> Result<Appended, Failure> {
    let Ready { entry, replay, packed, removed } = ready;
    let transaction = client.transaction().await?;
    sessions::keep_collectors_away(&transaction, tenant).await?;
    // Histories that begin alike are appended to one after the other, whoever asks.
    let root = prefixes.first().copied().unwrap_or(PrefixFingerprint::EMPTY);
    sessions::lock(&transaction, &[b"append", tenant.as_str().as_bytes(), root.as_bytes()]).await?;

    if let Some(deepest) = matching(&transaction, tenant, prefixes, 1).await?.pop() {
        let stored = deepest.id == packed.id;
        if stored || Some(deepest.id) != seen {
            let deepest = one_with_replay(&transaction, replays, deepest).await?;
            return Ok(if stored { Appended::Stored(deepest) } else { Appended::Overtaken(deepest) });
        }
    }
    if let Some(known) = by_id(&transaction, packed.id).await? {
        return Ok(Appended::Stored(one_with_replay(&transaction, replays, known).await?));
    }

    let at_ms = entry.log.record.at_ms;
    let known = sessions::seen(&transaction, tenant, &entry.session, at_ms).await?;
    let (session_id, session) = match entry.archives {
        true => sessions::archive(&transaction, tenant, &entry.session, at_ms).await?,
        false => (entry.session.clone(), known),
    };
    let insert = "INSERT INTO epitome.entries (id, tenant, session, root, depth, anchor, parent, at_ms, replay, log)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING key";
    let insert = transaction.prepare_cached(insert).await?;
    let id = &packed.id.as_bytes()[..];
    let (root, anchor) = (&root.as_bytes()[..], &entry.anchor.as_bytes()[..]);
    let parent = entry.parent.as_ref().map(|parent| &parent.as_bytes()[..]);
    let depth = i64::from(entry.depth);
    let row = transaction
        .query_one(
            &insert,
            &[
                &id,
                &tenant.as_str().as_bytes(),
                &session,
                &root,
                &depth,
                &anchor,
                &parent,
                &signed(at_ms),
                &packed.frame,
                &format::log_json(&entry.log),
            ],
        )
        .await?;
    let key: i64 = row.try_get(0)?;
    if !removed.is_empty() {
        let contents = contents::keep(&transaction, tenant, removed).await?;
        let insert = "INSERT INTO epitome.removed (entry, position, content)
            SELECT $1, number, content FROM unnest($2::bigint[]) WITH ORDINALITY AS new (content, number)";
        let insert = transaction.prepare_cached(insert).await?;
        transaction.execute(&insert, &[&key, &contents]).await?;
    }
    let used =
        places_of_prepared(&transaction, tenant, prefixes.get(..entry.depth as usize).unwrap_or(prefixes)).await?;
    if !used.is_empty() {
        let anchors: Vec<&[u8]> = used.iter().map(|anchor| &anchor.as_bytes()[..]).collect();
        let delete = "DELETE FROM epitome.prepared WHERE tenant = $1 AND anchor = ANY($2)";
        let delete = transaction.prepare_cached(delete).await?;
        transaction.execute(&delete, &[&tenant.as_str().as_bytes(), &anchors]).await?;
    }
    if let Some(fulfilled) = &entry.fulfils {
        wishes::forget(&transaction, tenant, &entry.session, fulfilled).await?;
    }
    transaction.commit().await?;

    replays.put(packed.id, replay.clone(), packed.frame.len());
    Ok(Appended::Stored(Entry {
        id: packed.id,
        session: session_id,
        anchor: entry.anchor,
        depth: entry.depth,
        parent: entry.parent,
        replay: replay.clone(),
        at_ms,
    }))
}

pub(super) async fn compactions(
    client: &Client,
    replays: &Replays,
    tenant: &Tenant,
    id: &SessionId,
) -> Result<Vec<(Entry, CompactionLog)>, Failure> {
    let select = format!(
        "SELECT {COLUMNS}, e.log FROM epitome.sessions s JOIN epitome.entries e ON e.session = s.key
        WHERE s.tenant = $1 AND s.id = $2 ORDER BY e.key"
    );
    let select = client.prepare_cached(&select).await?;
    let rows = client.query(&select, &[&tenant.as_str().as_bytes(), &id.as_str().as_bytes()]).await?;
    let mut logs: HashMap<EntryId, CompactionLog> = HashMap::new();
    let mut heads = Vec::new();
    for row in &rows {
        let head = Head::read(row)?;
        logs.insert(head.id, format::log(row.try_get(6)?)?);
        heads.push(head);
    }
    let entries = with_replays(client, replays, heads).await?;
    Ok(entries.into_iter().filter_map(|entry| logs.remove(&entry.id).map(|log| (entry, log))).collect())
}

pub(super) async fn logs(
    client: &Client,
    tenant: &Tenant,
    id: Option<&SessionId>,
) -> Result<Vec<CompactionLog>, Failure> {
    let tenant = tenant.as_str().as_bytes();
    let rows = match id {
        Some(id) => {
            let select = "SELECT e.log FROM epitome.sessions s JOIN epitome.entries e ON e.session = s.key
                WHERE s.tenant = $1 AND s.id = $2 ORDER BY e.key";
            let select = client.prepare_cached(select).await?;
            client.query(&select, &[&tenant, &id.as_str().as_bytes()]).await?
        }
        None => {
            let select =
                client.prepare_cached("SELECT log FROM epitome.entries WHERE tenant = $1 ORDER BY key").await?;
            client.query(&select, &[&tenant]).await?
        }
    };
    rows.iter().map(|row| Ok(format::log(row.try_get(0)?)?)).collect()
}

pub(super) async fn lease(
    client: &Client,
    alive: &Alive,
    tenant: &Tenant,
    prefix: PrefixFingerprint,
    holder: &str,
    now_ms: u64,
    until_ms: u64,
) -> Result<bool, Failure> {
    let (tenant, prefix, owner) = (tenant.as_str().as_bytes(), &prefix.as_bytes()[..], holder.as_bytes());
    let (now, until) = (signed(now_ms), signed(until_ms));
    // Those that somebody takes over at this moment are skipped, so that no two wait for each other.
    let ended = "DELETE FROM epitome.leases WHERE (tenant, prefix) IN (
            SELECT tenant, prefix FROM epitome.leases WHERE tenant = $1 AND until_ms <= $2 FOR UPDATE SKIP LOCKED)";
    let ended = client.prepare_cached(ended).await?;
    client.execute(&ended, &[&tenant, &now]).await?;
    let take = "INSERT INTO epitome.leases (tenant, prefix, owner, until_ms) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant, prefix) DO UPDATE SET owner = excluded.owner, until_ms = excluded.until_ms
        WHERE leases.owner = excluded.owner OR leases.until_ms <= $5";
    let take = client.prepare_cached(take).await?;
    if client.execute(&take, &[&tenant, &prefix, &owner, &until, &now]).await? == 1 {
        return Ok(true);
    }
    let held = client.prepare_cached("SELECT owner FROM epitome.leases WHERE tenant = $1 AND prefix = $2").await?;
    let Some(held) = client.query_opt(&held, &[&tenant, &prefix]).await? else { return Ok(false) };
    let before: &[u8] = held.try_get(0)?;
    if !alive.has_ended(client, &String::from_utf8_lossy(before)).await? {
        return Ok(false);
    }
    // Others may have seen the same: one of them takes it over.
    let take_over =
        "UPDATE epitome.leases SET owner = $3, until_ms = $4 WHERE tenant = $1 AND prefix = $2 AND owner = $5";
    let take_over = client.prepare_cached(take_over).await?;
    Ok(client.execute(&take_over, &[&tenant, &prefix, &owner, &until, &before]).await? == 1)
}

pub(super) async fn put_prepared(
    client: &mut Client,
    tenant: &Tenant,
    prepared: &NewEntry,
    frame: &[u8],
) -> Result<(), Failure> {
    let transaction = client.transaction().await?;
    let session = sessions::seen(&transaction, tenant, &prepared.session, prepared.log.record.at_ms).await?;
    let insert = "INSERT INTO epitome.prepared (tenant, anchor, depth, session, frame) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (tenant, anchor) DO UPDATE
        SET depth = excluded.depth, session = excluded.session, frame = excluded.frame";
    let insert = transaction.prepare_cached(insert).await?;
    let (anchor, depth) = (&prepared.anchor.as_bytes()[..], i64::from(prepared.depth));
    transaction.execute(&insert, &[&tenant.as_str().as_bytes(), &anchor, &depth, &session, &frame]).await?;
    Ok(transaction.commit().await?)
}

pub(super) async fn prepared(
    client: &Client,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
) -> Result<Option<NewEntry>, Failure> {
    let places = places_of_prepared(client, tenant, prefixes).await?;
    let anchors: Vec<&[u8]> = places.iter().map(|anchor| &anchor.as_bytes()[..]).collect();
    if anchors.is_empty() {
        return Ok(None);
    }
    let select = "SELECT anchor, frame, depth FROM epitome.prepared WHERE tenant = $1 AND anchor = ANY($2)
        ORDER BY depth DESC";
    let select = client.prepare_cached(select).await?;
    for row in client.query(&select, &[&tenant.as_str().as_bytes(), &anchors]).await? {
        let anchor = PrefixFingerprint::from_bytes(format::sixteen(row.try_get(0)?)?);
        if at_depth(prefixes, row.try_get(2)?) == Some(anchor) {
            let frame: Vec<u8> = row.try_get(1)?;
            return Ok(contents::aside(move || format::unpack_prepared(anchor, &frame)).await.map(Some)?);
        }
    }
    Ok(None)
}

/// Where in the history something may be prepared: at the depths at which anything is.
async fn places_of_prepared(
    client: &impl GenericClient,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
) -> Result<Vec<PrefixFingerprint>, Failure> {
    let select = "SELECT DISTINCT depth FROM epitome.prepared WHERE tenant = $1 AND depth <= $2";
    let select = client.prepare_cached(select).await?;
    let length = signed(prefixes.len() as u64);
    let mut places = Vec::new();
    for row in client.query(&select, &[&tenant.as_str().as_bytes(), &length]).await? {
        places.extend(at_depth(prefixes, row.try_get(0)?));
    }
    Ok(places)
}

/// Entries that match, deepest and latest first.
///
/// A history has thousands of places and a few entries. So the depths at which histories with this beginning have
/// entries are looked up first, and then these places alone.
async fn matching(
    client: &impl GenericClient,
    tenant: &Tenant,
    prefixes: &[PrefixFingerprint],
    most: usize,
) -> Result<Vec<Head>, Failure> {
    let Some(root) = prefixes.first() else { return Ok(Vec::new()) };
    let (tenant, root) = (tenant.as_str().as_bytes(), &root.as_bytes()[..]);
    let select = "SELECT DISTINCT depth FROM epitome.entries WHERE tenant = $1 AND root = $2 AND depth <= $3";
    let select = client.prepare_cached(select).await?;
    let mut depths: Vec<i64> = Vec::new();
    let mut anchors = Vec::new();
    for row in client.query(&select, &[&tenant, &root, &signed(prefixes.len() as u64)]).await? {
        let depth = row.try_get(0)?;
        if let Some(anchor) = at_depth(prefixes, depth) {
            depths.push(depth);
            anchors.push(anchor);
        }
    }
    if anchors.is_empty() {
        return Ok(Vec::new());
    }
    let anchors: Vec<&[u8]> = anchors.iter().map(|anchor| &anchor.as_bytes()[..]).collect();
    let select = format!(
        "SELECT {COLUMNS} FROM unnest($3::bigint[], $4::bytea[]) AS place (depth, anchor)
        JOIN epitome.entries e ON e.tenant = $1 AND e.root = $2 AND e.depth = place.depth AND e.anchor = place.anchor
        JOIN epitome.sessions s ON s.key = e.session
        ORDER BY e.depth DESC, e.key DESC LIMIT $5"
    );
    let select = client.prepare_cached(&select).await?;
    let rows = client.query(&select, &[&tenant, &root, &depths, &anchors, &signed(most as u64)]).await?;
    rows.iter().map(Head::read).collect()
}

async fn by_id(client: &impl GenericClient, id: EntryId) -> Result<Option<Head>, Failure> {
    let select =
        format!("SELECT {COLUMNS} FROM epitome.entries e JOIN epitome.sessions s ON s.key = e.session WHERE e.id = $1");
    let select = client.prepare_cached(&select).await?;
    let row = client.query_opt(&select, &[&&id.as_bytes()[..]]).await?;
    row.as_ref().map(Head::read).transpose()
}

fn at_depth(prefixes: &[PrefixFingerprint], depth: i64) -> Option<PrefixFingerprint> {
    prefixes.get(usize::try_from(depth).ok()?.checked_sub(1)?).copied()
}

async fn one_with_replay(client: &impl GenericClient, replays: &Replays, head: Head) -> Result<Entry, Failure> {
    let gone = || Failure::Undone(StoreError::Unavailable { what: "an entry went while it was read".to_owned() });
    with_replays(client, replays, vec![head]).await?.pop().ok_or_else(gone)
}

/// The entries, with edits that are known or fetched. One that was deleted meanwhile is left out.
async fn with_replays(client: &impl GenericClient, replays: &Replays, heads: Vec<Head>) -> Result<Vec<Entry>, Failure> {
    let mut known: HashMap<EntryId, Arc<Replay>> =
        heads.iter().filter_map(|head| Some((head.id, replays.get(head.id)?))).collect();
    let unknown: Vec<&[u8]> =
        heads.iter().filter(|head| !known.contains_key(&head.id)).map(|head| &head.id.as_bytes()[..]).collect();
    if !unknown.is_empty() {
        let select = client.prepare_cached("SELECT id, replay FROM epitome.entries WHERE id = ANY($1)").await?;
        let mut frames: Vec<(EntryId, Vec<u8>)> = Vec::new();
        for row in client.query(&select, &[&unknown]).await? {
            frames.push((EntryId::from_bytes(format::sixteen(row.try_get(0)?)?), row.try_get(1)?));
        }
        let unpack = |(id, frame): (EntryId, Vec<u8>)| Ok((id, Arc::new(format::unpack_replay(&frame)?), frame.len()));
        let fetched: Vec<_> =
            contents::aside(move || frames.into_iter().map(unpack).collect::<Result<_, StoreError>>()).await?;
        for (id, replay, bytes) in fetched {
            replays.put(id, replay.clone(), bytes);
            known.insert(id, replay);
        }
    }
    Ok(heads.into_iter().filter_map(|head| known.get(&head.id).cloned().map(|replay| head.with(replay))).collect())
}

impl Head {
    fn read(row: &Row) -> Result<Head, Failure> {
        let parent: Option<&[u8]> = row.try_get(4)?;
        let depth: i64 = row.try_get(3)?;
        Ok(Head {
            id: EntryId::from_bytes(format::sixteen(row.try_get(0)?)?),
            session: sessions::name(row.try_get(1)?)?,
            anchor: PrefixFingerprint::from_bytes(format::sixteen(row.try_get(2)?)?),
            depth: u32::try_from(depth).map_err(|_| format::damaged("the depth of an entry"))?,
            parent: parent.map(format::sixteen).transpose()?.map(EntryId::from_bytes),
            at_ms: unsigned(row.try_get(5)?),
        })
    }

    fn with(self, replay: Arc<Replay>) -> Entry {
        let Head { id, session, anchor, depth, parent, at_ms } = self;
        Entry { id, session, anchor, depth, parent, replay, at_ms }
    }
}
