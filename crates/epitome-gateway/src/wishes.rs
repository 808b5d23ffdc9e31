//! Compactions that a person asked for. The gateway holds no history, so a wish waits in the store until the session's
//! next request brings one.

use epitome_core::engine::{Occasion, Reason};
use epitome_store::records::Wish;
use epitome_store::store::Store;

use crate::exchange::Incoming;
use crate::received::{Kind, Received};

/// A shorter history has nothing to compact: it is a title that the agent asks for beside its session, or a beginning.
const MESSAGES_AT_LEAST: usize = 4;

/// What is wished for the session of a request, if the request is one that can carry it out.
///
/// A store that does not answer here is not the reason that anything else is not done.
pub(crate) async fn wish_for(received: &Received, store: &dyn Store) -> Option<Wish> {
    let may_be_compacted = received.kind == Kind::Turn && received.prefixes.len() >= MESSAGES_AT_LEAST;
    if !may_be_compacted {
        return None;
    }
    let looked = store.wish(&received.incoming.owner, &received.session).await;
    looked.unwrap_or_else(|error| {
        tracing::warn!(session = %received.session, %error, "whether a compaction is wished for is not known");
        None
    })
}

/// Forgets a wish that cannot be carried out, so that it is not tried again with every request.
pub(crate) async fn give_up(received: &Received, store: &dyn Store, wish: &Wish, why: &str) {
    tracing::warn!(session = %received.session, why, "a compaction that was asked for is given up");
    if let Err(error) = store.forget_wish(&received.incoming.owner, &received.session, wish).await {
        tracing::warn!(session = %received.session, %error, "a wish could not be forgotten");
    }
}

/// Forgets a wish that was carried out, where the ledger, which does so as well, is another tenant's.
pub(crate) async fn carried_out(received: &Received, store: &dyn Store, wish: Option<&Wish>) {
    let Incoming { tenant, owner, .. } = &received.incoming;
    if let Some(wish) = wish.filter(|_| tenant != owner)
        && let Err(error) = store.forget_wish(owner, &received.session, wish).await
    {
        tracing::warn!(session = %received.session, %error, "a wish that was carried out could not be forgotten");
    }
}

/// Why a compaction is made, and what to keep above all.
pub(crate) fn occasion(reason: Reason, wish: Option<&Wish>) -> Occasion {
    Occasion { focus: wish.and_then(|wish| wish.focus.clone()), ..Occasion::new(reason) }
}
