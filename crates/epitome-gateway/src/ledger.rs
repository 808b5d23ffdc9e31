//! Replaying: a client's history with the edits that it had before.

use epitome_core::edit::{Applied, Edit, apply};
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::model::Conversation;
use epitome_store::records::{Entry, EntryId, NewEntry, Replay, SessionId, Tenant, Thinking};
use epitome_store::shadow::Shadow;
use epitome_store::store::{Appended, SessionStore, StoreError};

use crate::received::Received;

/// Where the edits of a request are found and remembered.
#[derive(Clone, Copy)]
pub(crate) enum Ledger<'gateway> {
    Stored(&'gateway dyn SessionStore),
    /// It is only watched.
    Shadow(&'gateway Shadow),
}

impl Ledger<'_> {
    async fn matches(self, tenant: &Tenant, prefixes: &[PrefixFingerprint]) -> Result<Vec<Entry>, StoreError> {
        match self {
            Ledger::Stored(store) => store.matches(tenant, prefixes).await,
            Ledger::Shadow(shadow) => shadow.matches(tenant, prefixes),
        }
    }

    pub(crate) async fn append(
        self,
        received: &Received,
        seen: Option<EntryId>,
        entry: NewEntry,
    ) -> Result<Appended, StoreError> {
        let (tenant, prefixes) = (&received.incoming.tenant, &received.prefixes);
        match self {
            Ledger::Stored(store) => store.append(tenant, prefixes, seen, entry).await,
            Ledger::Shadow(shadow) => shadow.append(tenant, prefixes, seen, entry),
        }
    }
}

/// A history as the provider knows it.
#[derive(Default)]
pub(crate) struct Replayed {
    /// The deepest entry that there is, whether its edits could be made or not.
    pub(crate) seen: Option<EntryId>,
    /// The entry whose edits were made; `None`: there were none.
    pub(crate) entry: Option<Entry>,
    /// The edits, and where they lead.
    pub(crate) applied: Option<Applied>,
    /// What they were made in, where that is not all that the client said.
    base: Option<Received>,
}

impl Replayed {
    /// The deepest entry whose edits can be made.
    ///
    /// Usually that is the first. A history that goes on otherwise than the one that was compacted may not bear the
    /// edits, for example because a user speaks where an assistant spoke: then an earlier compaction is looked for.
    pub(crate) async fn of(received: &Received, store: &dyn SessionStore) -> Result<Replayed, StoreError> {
        Replayed::from(received, Ledger::Stored(store)).await
    }

    /// The same, of the ledger that the request has.
    pub(crate) async fn from(received: &Received, ledger: Ledger<'_>) -> Result<Replayed, StoreError> {
        let entries = ledger.matches(&received.incoming.tenant, &received.prefixes).await?;
        let seen = entries.first().map(|entry| entry.id);
        for entry in entries {
            if let Some(replayed) = Replayed::by(received, seen, entry) {
                return Ok(replayed);
            }
        }
        Ok(Replayed { seen, ..Replayed::default() })
    }

    /// Makes the edits of an entry, if the history bears them.
    fn by(received: &Received, seen: Option<EntryId>, entry: Entry) -> Option<Replayed> {
        let base = received.with_thinking(entry.replay.thinking).ok()?;
        let applied = replay(base.as_ref().unwrap_or(received), &entry)?;
        Some(Replayed { seen, entry: Some(entry), applied: Some(applied), base })
    }

    /// Makes edits that are not in the ledger yet, if the history bears them.
    pub(crate) fn made(received: &Received, replay: &Replay) -> Option<Replayed> {
        let base = received.with_thinking(replay.thinking).ok()?;
        let client = base.as_ref().unwrap_or(received).conversation();
        let applied = apply(client, received.places.to_client(client, &replay.edits)?).ok()?;
        Some(Replayed { applied: Some(applied), base, ..Replayed::default() })
    }

    /// The same, with something else done about thinking. `None`: the history does not bear that.
    pub(crate) fn with_thinking(self, received: &Received, thinking: Thinking) -> Option<Replayed> {
        if thinking == self.thinking() {
            return Some(self);
        }
        let base = received.with_thinking(thinking).ok()?;
        let applied = match &self.entry {
            Some(entry) => Some(replay(base.as_ref().unwrap_or(received), entry)?),
            None => None,
        };
        Some(Replayed { applied, base, ..self })
    }

    /// The session that a request with this history belongs to: the client's own, or the one that continues it where the
    /// history was archived. Another session that a history was forked from says nothing of that.
    pub(crate) fn session_of(&self, received: &Received) -> SessionId {
        let own = received.session.of_client();
        let of_entry = self.entry.as_ref().map(|entry| &entry.session);
        of_entry.filter(|session| session.of_client() == own).cloned().unwrap_or(own)
    }

    /// What was done about thinking.
    pub(crate) fn thinking(&self) -> Thinking {
        self.entry.as_ref().map(|entry| entry.replay.thinking).unwrap_or_default()
    }

    /// Whether this is what the provider refused.
    pub(crate) fn is_refused(&self, refused: Option<Thinking>) -> bool {
        self.applied.is_some() && refused == Some(self.thinking())
    }

    /// What the edits are made in: the client's messages, perhaps without some thinking.
    pub(crate) fn base<'a>(&'a self, received: &'a Received) -> &'a Received {
        self.base.as_ref().unwrap_or(received)
    }

    /// The history as the provider knows it.
    pub(crate) fn conversation<'a>(&'a self, received: &'a Received) -> &'a Conversation {
        self.applied.as_ref().map_or_else(|| self.base(received).conversation(), Applied::conversation)
    }

    pub(crate) fn edits(&self) -> &[Edit] {
        self.applied.as_ref().map(Applied::edits).unwrap_or_default()
    }
}

/// Makes the edits of an entry, if the history bears them.
fn replay(received: &Received, entry: &Entry) -> Option<Applied> {
    let conversation = received.conversation();
    let edits = received.places.to_client(conversation, &entry.replay.edits)?;
    match apply(conversation, edits.clone()) {
        Ok(applied) => Some(applied),
        // The client has answered a call that we answered, or the like: its own answer is better.
        Err(_) => apply(conversation, edits.into_iter().filter(|edit| !edit.is_repair()).collect()).ok(),
    }
}
