//! The seams: what the gateway needs of a store. Four traits, as whoever needs one seldom needs the others.

use async_trait::async_trait;
use epitome_core::fingerprint::{ContentHash, PrefixFingerprint};
use epitome_core::tokens::Calibration;

use crate::records::{
    CompactionLog, Entry, EntryId, Found, Holdings, Kept, NewEntry, Original, Prunable, Session, SessionId, Tenant,
    Turn, Wish,
};

/// So many matches are given at most: each is a whole list of edits, and every request asks for them.
pub const MOST_MATCHES: usize = 4;

/// The ledger, and what else a request needs on its way.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// The entries whose anchor is one of `prefixes`, deepest first, and of one anchor's the latest first;
    /// `prefixes[n]` is of `n + 1` messages, and an entry's anchor stands where its depth says.
    ///
    /// Usually the first is the one; the others are for a history that goes on otherwise behind it, so no more than
    /// [`MOST_MATCHES`] are given.
    async fn matches(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Vec<Entry>, StoreError>;

    /// Remembers a compaction of the history `prefixes`, durably, together with what it removed and with its log. What
    /// was prepared for these messages, or fewer, is forgotten, and so is the wish that it fulfils. Makes the session
    /// known if it is new.
    ///
    /// A compaction that archives its session is stored in a new one, which continues it: the entry that is given back
    /// says which. It has the next number that nobody has, and what was learnt about the archived one's counts.
    ///
    /// `seen` is the deepest match that the caller knows. If another one is the deepest by now, somebody else was faster:
    /// nothing is stored, and that one is given back. (It need not be `entry.parent`: the deepest may have been looked at
    /// and not have fitted.) If the deepest is this very compaction, because a first try was cut off, it is stored
    /// already. Atomic against other processes on the same store.
    async fn append(
        &self,
        tenant: &Tenant,
        prefixes: &[PrefixFingerprint],
        seen: Option<EntryId>,
        entry: NewEntry,
    ) -> Result<Appended, StoreError>;

    /// Counts a call of a session, and remembers what was learnt about its counts. Makes the session known if it is new.
    async fn note_turn(
        &self,
        tenant: &Tenant,
        session: &SessionId,
        turn: &Turn,
        calibration: Option<&Calibration>,
    ) -> Result<(), StoreError>;

    /// A session by its name.
    async fn session(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Session>, StoreError>;

    /// The history that is kept for a client, oldest message first.
    async fn history(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Kept>, StoreError>;

    /// Adds to a history that has `expected` messages by now, durably; refused with [`StoreError::Overtaken`] if it has
    /// others. Makes the session known if it is new, and notes that it was seen at `at_ms`.
    async fn extend_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        expected: usize,
        messages: &[Kept],
        at_ms: u64,
    ) -> Result<(), StoreError>;

    /// Takes back the end of a history, if exactly these messages stand there from `from` on, by their hashes. `false`:
    /// something else does, or nothing, and it stays. For what was perhaps added although nobody was told so.
    async fn retract_history(
        &self,
        tenant: &Tenant,
        id: &SessionId,
        from: usize,
        messages: &[ContentHash],
    ) -> Result<bool, StoreError>;

    /// A summary is prepared for these messages: `true` for the one who may do it, until `until_ms`. `now_ms` is the
    /// caller's clock. An owner who asks again while it holds the lease gets it again, so two tasks of one process that
    /// must not both do it need two names. The lease of an owner whose process has ended is free at once, where the store can
    /// tell.
    async fn lease(
        &self,
        tenant: &Tenant,
        prefix: PrefixFingerprint,
        owner: &str,
        now_ms: u64,
        until_ms: u64,
    ) -> Result<bool, StoreError>;

    /// Keeps a compaction that was prepared and is not used yet; one per anchor, the latest stays. Makes the session
    /// known if it is new.
    async fn put_prepared(&self, tenant: &Tenant, prepared: &NewEntry) -> Result<(), StoreError>;

    /// What was prepared for one of `prefixes`, deepest first.
    async fn prepared(&self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Option<NewEntry>, StoreError>;

    /// A secret of this store, made once out of `fresh` and the same for everybody from then on.
    async fn secret(&self, name: &str, fresh: [u8; 32]) -> Result<[u8; 32], StoreError>;

    /// Whether it can be read and written now. A store whose file was replaced says so here for a while, with
    /// [`StoreError::Replaced`], and can be used all the same.
    async fn ready(&self) -> Result<(), StoreError>;
}

/// What edits removed.
#[async_trait]
pub trait Originals: Send + Sync {
    /// An original by the beginning of its name: eight digits at least. None, one, or several that begin so; none for
    /// what is too short or no such digits.
    async fn originals(&self, tenant: &Tenant, hash_begins: &str) -> Result<Vec<Original>, StoreError>;

    /// One original by its name.
    async fn original(&self, tenant: &Tenant, hash: ContentHash) -> Result<Option<Original>, StoreError>;

    /// Where `query` occurs, newest session first: once for each original and session. Every stored literal is found,
    /// whatever characters it has and in any case of its letters; an empty one stands nowhere.
    async fn search(&self, tenant: &Tenant, query: &Query, most: usize) -> Result<Vec<Found>, StoreError>;
}

/// Compactions that people asked for, until a request of the session carries them out.
#[async_trait]
pub trait Wishes: Send + Sync {
    /// Asks for a compaction of a session, durably. An earlier wish for it is forgotten. `false`: there is no such
    /// session.
    async fn put_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<bool, StoreError>;

    /// What is wished for a session. Every request asks, so it must be one look at an index.
    async fn wish(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Wish>, StoreError>;

    /// Forgets this wish, and no other that came meanwhile.
    async fn forget_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<(), StoreError>;
}

/// What people ask for and do by hand.
#[async_trait]
pub trait SessionIndex: Send + Sync {
    /// Everybody who has sessions, by name.
    async fn tenants(&self) -> Result<Vec<Tenant>, StoreError>;

    /// Sessions, latest first.
    async fn sessions(&self, tenant: &Tenant, most: usize) -> Result<Vec<Session>, StoreError>;

    /// The calls of a session, oldest first.
    async fn turns(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<Turn>, StoreError>;

    /// The compactions of a session, oldest first, with how they went.
    async fn compactions(&self, tenant: &Tenant, id: &SessionId) -> Result<Vec<(Entry, CompactionLog)>, StoreError>;

    /// How the compactions of a session went, or those of all sessions, oldest first. Reads no edits.
    async fn logs(&self, tenant: &Tenant, id: Option<&SessionId>) -> Result<Vec<CompactionLog>, StoreError>;

    /// The originals that a compaction removed, in the order in which they stood.
    async fn removed_by(&self, tenant: &Tenant, entry: EntryId) -> Result<Vec<Original>, StoreError>;

    /// Forgets a session: its calls, its entries, its history, and the originals that nobody else refers to. Those that
    /// continue it, or that it continues, stay. `false`: there was none.
    async fn delete(&self, tenant: &Tenant, id: &SessionId) -> Result<bool, StoreError>;

    /// Forgets sessions: first those not seen since `not_seen_since_ms`, then the longest unseen until `most_bytes` are
    /// not exceeded by the tenant's originals and histories. How many went. An archived session is seen whenever one is
    /// that continues it: it is the beginning of the same conversation.
    async fn prune(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<u64, StoreError>;

    /// What [`SessionIndex::prune`] would forget now, in its order.
    async fn prunable(
        &self,
        tenant: &Tenant,
        not_seen_since_ms: Option<u64>,
        most_bytes: Option<u64>,
    ) -> Result<Vec<Prunable>, StoreError>;

    /// What is held.
    async fn holdings(&self, tenant: &Tenant) -> Result<Holdings, StoreError>;
}

/// Everything that a store does.
pub trait Store: SessionStore + Originals + SessionIndex + Wishes {}

impl<S: SessionStore + Originals + SessionIndex + Wishes> Store for S {}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// These very characters, in any case of the letters (one letter for one: `ß` is not `SS`).
    Literal(String),
    /// A regular expression, as the `regex` crate reads it; `^` and `$` are the ends of lines.
    Pattern(String),
}

/// What became of a compaction that was to be remembered.
#[derive(Debug, Clone, PartialEq)]
pub enum Appended {
    /// It is stored.
    Stored(Entry),
    /// This one is the deepest match by now, and the caller had not seen it.
    Overtaken(Entry),
}

/// Why a store did not do it. Nothing of what is stored stands in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// It cannot be opened, reached, read or written: the disk is full, the file is locked, the server is gone.
    #[error("the store is not available: {what}")]
    Unavailable {
        /// What was tried, and what the system said.
        what: String,
    },
    /// A newer version wrote it.
    #[error(
        "the store has version {found}, and this program knows {known} at most\nhint: use the newer program, or another store"
    )]
    Newer {
        /// The version of the stored data.
        found: u32,
        /// The newest that is known here.
        known: u32,
    },
    /// What is stored cannot be read: damaged, or not ours.
    #[error("the store holds something unreadable: {what}")]
    Damaged {
        /// What, in words that hold no content.
        what: String,
    },
    /// Its file was deleted or replaced while it was open. What is there now was opened, or made anew.
    #[error("{what}")]
    Replaced {
        /// What became of it, and what a person can do.
        what: String,
    },
    /// A history has changed since it was read.
    #[error("the history has grown meanwhile")]
    Overtaken,
    /// A regular expression that is none.
    #[error("the pattern cannot be read: {what}")]
    BadPattern {
        /// What is wrong with it.
        what: String,
    },
}
