//! Replaying: a client's history with the edits that it had before.

use epitome_core::edit::{Applied, Edit, apply};
use epitome_core::model::Conversation;
use epitome_store::records::{Entry, EntryId};
use epitome_store::store::{SessionStore, StoreError};

use crate::received::Received;

/// A history as the provider knows it.
#[derive(Default)]
pub(crate) struct Replayed {
    /// The deepest entry that there is, whether its edits could be made or not.
    pub(crate) seen: Option<EntryId>,
    /// The entry whose edits were made; `None`: there were none.
    pub(crate) entry: Option<Entry>,
    /// The edits, and where they lead.
    pub(crate) applied: Option<Applied>,
}

impl Replayed {
    /// The deepest entry whose edits can be made.
    ///
    /// Usually that is the first. A history that goes on otherwise than the one that was compacted may not bear the
    /// edits, for example because a user speaks where an assistant spoke: then an earlier compaction is looked for.
    pub(crate) async fn of(received: &Received, store: &dyn SessionStore) -> Result<Replayed, StoreError> {
        let entries = store.matches(&received.incoming.tenant, &received.prefixes).await?;
        let seen = entries.first().map(|entry| entry.id);
        for entry in entries {
            if let Some(applied) = replay(received, &entry) {
                return Ok(Replayed { seen, entry: Some(entry), applied: Some(applied) });
            }
        }
        Ok(Replayed { seen, ..Replayed::default() })
    }

    /// The history as the provider knows it.
    pub(crate) fn conversation<'a>(&'a self, received: &'a Received) -> &'a Conversation {
        self.applied.as_ref().map_or_else(|| received.conversation(), Applied::conversation)
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
