//! Histories that are kept for clients: a chat bot sends only what is new, and the gateway sends all of it.
//!
//! A wrapper around the pipeline: it puts the kept history before the client's own messages, and everything else happens
//! to that whole request as it does to any. When the answer has come to its end, the client's new messages and the answer
//! are added. A cut or a refused answer adds nothing: the client asks again.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use epitome_core::model::{Conversation, Pairing};
use epitome_store::records::{Kept, SessionId, Tenant, TurnUsage};
use epitome_store::store::{Store, StoreError};
use epitome_wire::answer::Answer;
use epitome_wire::history::of_elements;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::OwnedMutexGuard;

use crate::clock;
use crate::compute::{hold, on_the_pool_if_heavy};
use crate::exchange::{Complaint, End, Incoming, Keeper, Outgoing, Pipeline, Purpose, Turn};
use crate::identity::named_session;
use crate::metrics::Metrics;
use crate::removed::words_of;
use crate::sessions::{Generations, InTurn};

/// The header that asks for it, and that tells in the answer whether it is so.
const HISTORY_HEADER: HeaderName = HeaderName::from_static("x-epitome-history");

/// How often words are added to a history that others add to at the same time.
const ROUNDS: usize = 3;

/// A pipeline that keeps histories for clients who ask for it.
pub struct Histories {
    pipeline: Arc<dyn Pipeline>,
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    /// Requests of one history come one after the other.
    turns: Mutex<Generations<(Tenant, SessionId), InTurn>>,
}

/// Why a request is sent without a history, though it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unkept {
    /// Nobody said whose: `x-epitome-session` is missing.
    NoSession,
    /// It is no request that we understand, or says nothing new.
    Unreadable,
    /// A part of the history is at the provider.
    ServerState,
    /// The history is in another dialect.
    OtherDialect,
    /// The store could not be read.
    StoreUnavailable,
}

impl Unkept {
    fn name(self) -> &'static str {
        match self {
            Unkept::NoSession => "no_session",
            Unkept::Unreadable => "unreadable",
            Unkept::ServerState => "server_state",
            Unkept::OtherDialect => "other_dialect",
            Unkept::StoreUnavailable => "store_unavailable",
        }
    }
}

/// A whole request, and what will be added to its history.
struct Joined {
    incoming: Incoming,
    exchange: Arc<Exchange>,
}

/// A client's new messages, until they are answered.
struct Exchange {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    tenant: Tenant,
    session: SessionId,
    dialect: Dialect,
    purpose: Purpose,
    /// How many messages were kept when they came.
    behind: usize,
    new: Vec<Vec<u8>>,
    /// Held until they are.
    _in_turn: Option<OwnedMutexGuard<()>>,
}

impl Histories {
    /// Keeps histories in `store`, and leaves everything else to `pipeline`.
    pub fn new(pipeline: Arc<dyn Pipeline>, store: Arc<dyn Store>, metrics: Arc<Metrics>) -> Histories {
        Histories { pipeline, store, metrics, turns: Mutex::default() }
    }

    async fn joined(&self, incoming: &Incoming) -> Result<Joined, Unkept> {
        let session = named_session(&incoming.headers).ok_or(Unkept::NoSession)?;
        let format = Format::Given(incoming.dialect);
        let request = Request::read(incoming.body.to_vec(), format, DuplicateKeys::Carry);
        let request = request.map_err(|_| Unkept::Unreadable)?;
        if request.envelope().history_elsewhere.is_some() {
            return Err(Unkept::ServerState);
        }
        let tenant = incoming.tenant.clone();
        let in_turn = match incoming.purpose {
            Purpose::Answer => Some(self.turn_of(&tenant, &session).lock_owned().await),
            Purpose::Count => None,
        };
        let history = self.history(&tenant, &session, incoming.dialect).await?;
        let elements: Vec<Vec<u8>> = history.into_iter().map(|kept| kept.bytes).collect();
        on_the_pool_if_heavy(elements.iter().map(Vec::len).sum()).await;
        let body = request.behind(&elements).map_err(|_| Unkept::Unreadable)?.bytes;
        let exchange = Exchange {
            store: self.store.clone(),
            metrics: self.metrics.clone(),
            tenant,
            session,
            dialect: incoming.dialect,
            purpose: incoming.purpose,
            behind: elements.len(),
            new: request.turns(),
            _in_turn: in_turn,
        };
        let incoming = Incoming { body: hold(body.into()).await, ..incoming.clone() };
        Ok(Joined { incoming, exchange: Arc::new(exchange) })
    }

    async fn history(&self, tenant: &Tenant, id: &SessionId, dialect: Dialect) -> Result<Vec<Kept>, Unkept> {
        let unavailable = |error: StoreError| {
            tracing::warn!(session = %id, %error, "a history could not be read: the request is sent as it came");
            self.metrics.store_error("history");
            Unkept::StoreUnavailable
        };
        let history = self.store.history(tenant, id).await.map_err(unavailable)?;
        let session = self.store.session(tenant, id).await.map_err(unavailable)?;
        // A session of which no call is noted yet has no dialect.
        let spoken = session.map(|session| session.dialect).filter(|spoken| !spoken.is_empty());
        if !history.is_empty() && spoken.is_some_and(|spoken| spoken != dialect.name()) {
            return Err(Unkept::OtherDialect);
        }
        Ok(history)
    }

    fn turn_of(&self, tenant: &Tenant, session: &SessionId) -> InTurn {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.get_or_put((tenant.clone(), session.clone()), InTurn::default)
    }
}

#[async_trait]
impl Pipeline for Histories {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        if !asks_for_history(&incoming.headers) {
            return self.pipeline.outgoing(incoming).await;
        }
        match self.joined(&incoming).await {
            Ok(Joined { incoming, exchange }) => {
                let outgoing = self.pipeline.outgoing(incoming).await;
                whole(outgoing, exchange)
            }
            Err(unkept) => {
                let mut outgoing = self.pipeline.outgoing(incoming).await;
                outgoing.answer_headers.push((HISTORY_HEADER, HeaderValue::from_static(unkept.name())));
                outgoing
            }
        }
    }
}

/// What is sent for a whole request: never the client's own bytes, as they are a part of it.
fn whole(outgoing: Outgoing, exchange: Arc<Exchange>) -> Outgoing {
    let Outgoing { body, edited: _, upstream_headers, mut answer_headers, turn, keeper: _ } = outgoing;
    answer_headers.push((HISTORY_HEADER, HeaderValue::from_static("kept")));
    let keeper = match exchange.purpose {
        Purpose::Answer => Some(exchange.clone() as Arc<dyn Keeper>),
        Purpose::Count => None,
    };
    let turn = Arc::new(WholeTurn { turn, exchange });
    Outgoing { body, edited: true, upstream_headers, answer_headers, turn, keeper }
}

/// A call with a whole request on its way: what is sent instead is a whole one too.
struct WholeTurn {
    turn: Arc<dyn Turn>,
    exchange: Arc<Exchange>,
}

#[async_trait]
impl Turn for WholeTurn {
    async fn complained(&self, complaint: Complaint) -> Option<Outgoing> {
        let again = self.turn.complained(complaint).await?;
        Some(whole(again, self.exchange.clone()))
    }

    fn not_sent_again(&self) {
        self.turn.not_sent_again();
    }

    fn ended(&self, end: End, usage: Option<TurnUsage>) {
        self.turn.ended(end, usage);
    }
}

#[async_trait]
impl Keeper for Exchange {
    async fn keep(&self, answer: Answer) {
        let mut added = self.new.clone();
        added.extend(answer);
        on_the_pool_if_heavy(added.iter().map(Vec::len).sum()).await;
        let Some(kept) = self.with_words(&added) else { return self.lost("it could not be read") };
        let mut behind = self.behind;
        for _ in 0..ROUNDS {
            let extended = self.store.extend_history(&self.tenant, &self.session, behind, &kept, clock::now_ms()).await;
            match extended {
                Ok(()) => return,
                Err(StoreError::Overtaken) => match self.behind_others(&added).await {
                    Ok(Some(others)) => behind = others,
                    Ok(None) => return self.lost("it does not fit behind what others said meanwhile"),
                    Err(_) => break,
                },
                Err(
                    StoreError::Unavailable { .. }
                    | StoreError::Newer { .. }
                    | StoreError::Damaged { .. }
                    | StoreError::BadPattern { .. },
                ) => break,
            }
        }
        self.metrics.store_error("history");
        self.lost("the store did not take it");
    }
}

impl Exchange {
    /// How long the history is by now, if what was said can stand behind it: another gateway was faster.
    async fn behind_others(&self, added: &[Vec<u8>]) -> Result<Option<usize>, StoreError> {
        let history = self.store.history(&self.tenant, &self.session).await?;
        let length = history.len();
        let mut elements: Vec<Vec<u8>> = history.into_iter().map(|kept| kept.bytes).collect();
        on_the_pool_if_heavy(elements.iter().map(Vec::len).sum()).await;
        let open_before =
            self.conversation(&elements).map(|before| Pairing::of(&before.messages).unanswered_calls.len());
        elements.extend_from_slice(added);
        let fits = self.conversation(&elements).is_some_and(|all| Pairing::of(&all.messages).orphan_results.is_empty());
        Ok((fits && open_before == Some(0)).then_some(length))
    }

    fn conversation(&self, elements: &[Vec<u8>]) -> Option<Conversation> {
        let body = of_elements(self.dialect, elements);
        let request = Request::read(body, Format::Given(self.dialect), DuplicateKeys::Carry).ok()?;
        Some(request.conversation().clone())
    }

    fn with_words(&self, elements: &[Vec<u8>]) -> Option<Vec<Kept>> {
        let kept = |element: &Vec<u8>| {
            let said = self.conversation(std::slice::from_ref(element))?;
            let words = said.messages.iter().map(words_of).collect();
            Some(Kept { bytes: element.clone(), words })
        };
        elements.iter().map(kept).collect()
    }

    fn lost(&self, why: &'static str) {
        tracing::warn!(session = %self.session, why, "an answer is not in the history that is kept for a client");
    }
}

fn asks_for_history(headers: &HeaderMap) -> bool {
    headers.get(HISTORY_HEADER).is_some_and(|asked| asked.as_bytes().trim_ascii().eq_ignore_ascii_case(b"server"))
}
