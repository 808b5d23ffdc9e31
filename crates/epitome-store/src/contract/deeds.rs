//! What promises are made of: histories, entries, calls; and what is done with them a hundred times.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use epitome_core::edit::{Edit, Inserted};
use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::model::Role;
use epitome_core::money::Dollars;
use epitome_core::statistics::CompactionRecord;
use epitome_core::tokens::Tokens;

use super::Shared;
use crate::records::{
    CompactionLog, Entry, EntryId, Kept, NewEntry, Original, OriginalKind, Replay, SessionId, Spending, Tenant,
    Thinking, Turn, TurnUsage,
};
use crate::store::{Appended, Query};

/// One that nobody else has.
pub(crate) fn tenant() -> Tenant {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    Tenant::new(format!("tenant {}", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

pub(crate) fn session(name: &str) -> SessionId {
    SessionId::new(name)
}

/// A history of `length` messages.
pub(crate) fn history(name: &str, length: usize) -> Vec<PrefixFingerprint> {
    go_on(&[], name, length)
}

/// A history that goes on otherwise after these messages.
pub(crate) fn go_on(before: &[PrefixFingerprint], name: &str, more: usize) -> Vec<PrefixFingerprint> {
    let mut prefixes = before.to_vec();
    for number in 0..more {
        let last = prefixes.last().copied().unwrap_or(PrefixFingerprint::EMPTY);
        prefixes.push(last.followed_by(ContentHash::of(format!("{name} {number}"))));
    }
    prefixes
}

/// A compaction of the first `depth` messages, told apart by `summary`.
pub(crate) fn compaction(id: &SessionId, history: &[PrefixFingerprint], depth: usize, summary: &str) -> NewEntry {
    NewEntry {
        session: id.clone(),
        anchor: history[depth - 1],
        depth: depth as u32,
        parent: None,
        replay: Replay {
            edits: vec![
                Edit::Replace {
                    start: 1,
                    end: depth,
                    with: vec![Inserted { role: Role::User, text: summary.to_owned() }],
                },
                Edit::ShortenOutput { message: depth, block: 0, text: format!("{summary}, shorter") },
            ],
            thinking: Thinking::StrippedBefore(7),
            settled_at: Some(Tokens(1_234)),
        },
        log: log(1_000 + depth as u64),
        archives: false,
        removed: Vec::new(),
        fulfils: None,
    }
}

pub(crate) fn log(at_ms: u64) -> CompactionLog {
    CompactionLog {
        record: CompactionRecord {
            at_ms,
            before: Tokens(100_000),
            after: Tokens(20_000),
            messages_before: 300,
            messages_after: 40,
            messages_compressed: Some(261),
        },
        reason: "filling".to_owned(),
        rungs: vec!["summary".to_owned(), "shorter outputs".to_owned()],
        author: Some("a model".to_owned()),
        stood_in: None,
        wait_ms: 17,
        saved_by: BTreeMap::from([("summaries".to_owned(), 700), ("repairs".to_owned(), -8)]),
        compared: Some("summarising pays".to_owned()),
    }
}

impl NewEntry {
    pub(crate) fn removing(mut self, removed: &[Original]) -> NewEntry {
        self.removed = removed.to_vec();
        self
    }

    pub(crate) fn after(mut self, parent: &Entry) -> NewEntry {
        self.parent = Some(parent.id);
        self
    }

    pub(crate) fn archiving(mut self) -> NewEntry {
        self.archives = true;
        self
    }

    pub(crate) fn at(mut self, at_ms: u64) -> NewEntry {
        self.log.record.at_ms = at_ms;
        self
    }
}

/// A removed output.
pub(crate) fn output(text: &str) -> Original {
    Original::new(OriginalKind::Text, text.as_bytes().to_vec(), text.to_owned())
}

/// A removed or kept message.
pub(crate) fn message(text: &str) -> Kept {
    let bytes = serde_json::to_vec(&serde_json::json!({ "role": "user", "content": text })).unwrap();
    Kept { bytes, words: text.to_owned() }
}

pub(crate) fn turn(at_ms: u64, model: &str) -> Turn {
    Turn {
        at_ms,
        model: model.to_owned(),
        dialect: "anthropic_messages".to_owned(),
        action: "replayed".to_owned(),
        client_tokens: Tokens(1_000),
        sent_tokens: Tokens(300),
        usage: Some(TurnUsage { prompt: 310, cache_read: 200, cache_write: 100, output: 50, ..TurnUsage::default() }),
        spending: Some(Spending {
            paid: Dollars::new(0.25),
            without_us: Dollars::new(0.5),
            prompts: Dollars::new(0.125),
            prompts_uncached: Dollars::new(0.5),
            ..Spending::default()
        }),
        markers: 2,
        broke: None,
        rent: None,
    }
}

pub(crate) fn literal(text: &str) -> Query {
    Query::Literal(text.to_owned())
}

pub(crate) fn pattern(text: &str) -> Query {
    Query::Pattern(text.to_owned())
}

/// Appends what must be stored.
pub(crate) async fn store(
    shared: &Shared,
    tenant: &Tenant,
    history: &[PrefixFingerprint],
    seen: Option<EntryId>,
    entry: NewEntry,
) -> Entry {
    match shared.append(tenant, history, seen, entry).await.unwrap() {
        Appended::Stored(entry) => entry,
        Appended::Overtaken(other) => panic!("overtaken by {}", other.id),
    }
}

/// Appends what must be too late. What was faster.
pub(crate) async fn overtaken(
    shared: &Shared,
    tenant: &Tenant,
    history: &[PrefixFingerprint],
    seen: Option<EntryId>,
    entry: NewEntry,
) -> Entry {
    match shared.append(tenant, history, seen, entry).await.unwrap() {
        Appended::Stored(entry) => panic!("{} is stored", entry.id),
        Appended::Overtaken(other) => other,
    }
}

/// Where something is found: sessions and names.
pub(crate) async fn found(shared: &Shared, tenant: &Tenant, query: &Query) -> Vec<(String, ContentHash)> {
    let found = shared.search(tenant, query, 1_000).await.unwrap();
    found.into_iter().map(|found| (found.session.to_string(), found.hash)).collect()
}
