//! Histories that are kept for clients: a chat bot sends only what is new, and the gateway sends all of it.
//!
//! A wrapper around the pipeline: it puts the kept history before the client's own messages, and everything else happens
//! to that whole request as it does to any. When the answer has come to its end, the client's new messages and the answer
//! are added. A cut or a refused answer adds nothing: the client asks again. Whoever is told that its message is kept can
//! rely on it, and what cannot be kept is said to be so: see `keeping`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use epitome_core::fingerprint::ContentHash;
use epitome_core::model::{Conversation, Pairing, Role};
use epitome_store::records::{self, SessionId, Tenant, TurnUsage};
use epitome_store::store::{Store, StoreError};
use epitome_wire::answer::Answer;
use epitome_wire::history::of_elements;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::sync::OwnedMutexGuard;

use crate::clock;
use crate::compute::{Compute, hold, on_the_pool_if_heavy};
use crate::exchange::{Complaint, End, Incoming, Keeper, NotKept, Outgoing, Pipeline, Purpose, Turn};
use crate::identity::named_session;
use crate::metrics::Metrics;
use crate::removed::words_of;
use crate::respond::Trouble;
use crate::sessions::{Generations, InTurn, lock};
use crate::tasks::Tasks;

/// The header that asks for it, and that tells in the answer whether it is so.
const HISTORY_HEADER: HeaderName = HeaderName::from_static("x-epitome-history");

/// The header that tells how many messages were kept before this request.
const MESSAGES_HEADER: HeaderName = HeaderName::from_static("x-epitome-history-messages");

/// How often words are added to a history that others add to at the same time.
const ROUNDS: usize = 3;

/// A pipeline that keeps histories for clients who ask for it.
pub struct Histories {
    pipeline: Arc<dyn Pipeline>,
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    tasks: Tasks,
    compute: Compute,
    /// Requests of one history come one after the other.
    turns: Mutex<Generations<(Tenant, SessionId), InTurn>>,
    doubts: Arc<Doubts>,
}

/// What failed to be added, as far as anybody knows.
#[derive(Default)]
struct Doubts {
    /// Something was not added. Until the store has shown that it can be written, no client is promised anything.
    failed: AtomicBool,
    /// What may stand in histories although its clients were told that it does not: a connection can break behind a
    /// commit.
    uncertain: Mutex<Generations<(Tenant, SessionId), Uncertain>>,
}

/// Messages that may stand in a history.
#[derive(Clone)]
struct Uncertain {
    from: usize,
    messages: Vec<ContentHash>,
}

/// What became, or becomes, of a request's new messages and of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryStatus {
    /// They are kept.
    Kept,
    /// They are when the last event arrives.
    Pending,
    /// The history stood in the request, and nothing is added to it.
    Unchanged,
}

impl HistoryStatus {
    /// What the client is told.
    pub(crate) fn header(self) -> (HeaderName, HeaderValue) {
        let name = match self {
            HistoryStatus::Kept => "kept",
            HistoryStatus::Pending => "pending",
            HistoryStatus::Unchanged => "unchanged",
        };
        (HISTORY_HEADER, HeaderValue::from_static(name))
    }
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
    /// The store cannot be read; or it cannot be written, and the request is sent with its history all the same.
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
    promise: Promise,
}

/// What the client can be promised before its request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// What is answered will be kept, or it is told.
    ToKeep,
    /// Nothing is added: it is no request for an answer.
    Nothing,
    /// Nothing is added: the store cannot be written now.
    NotToKeep,
}

/// A client's new messages, until they are answered.
struct Exchange {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    doubts: Arc<Doubts>,
    owner: Tenant,
    session: SessionId,
    dialect: Dialect,
    /// How many messages were kept when they came.
    behind: usize,
    new: Vec<Vec<u8>>,
    /// Held until they are.
    _in_turn: Option<OwnedMutexGuard<()>>,
}

impl Histories {
    /// Keeps histories in `store`, and leaves everything else to `pipeline`.
    pub fn new(
        pipeline: Arc<dyn Pipeline>,
        store: Arc<dyn Store>,
        metrics: Arc<Metrics>,
        tasks: Tasks,
        compute: Compute,
    ) -> Histories {
        Histories { pipeline, store, metrics, tasks, compute, turns: Mutex::default(), doubts: Arc::default() }
    }

    async fn joined(&self, incoming: &Incoming) -> Result<Joined, Unkept> {
        let session = named_session(&incoming.headers).ok_or(Unkept::NoSession)?;
        let format = Format::Given(incoming.dialect);
        let request = Request::read(incoming.body.to_vec(), format, DuplicateKeys::Carry);
        let request = request.map_err(|_| Unkept::Unreadable)?;
        if request.envelope().history_elsewhere.is_some() {
            return Err(Unkept::ServerState);
        }
        // Found by a name, so that it takes the credential that wrote it.
        let owner = incoming.owner.clone();
        let in_turn = match incoming.purpose {
            Purpose::Answer => Some(self.turn_of(&owner, &session).lock_owned().await),
            Purpose::Count => None,
        };
        let history = self.history(&owner, &session, incoming.dialect).await?;
        let mut elements: Vec<Vec<u8>> = history.into_iter().map(|kept| kept.bytes).collect();
        on_the_pool_if_heavy(elements.iter().map(Vec::len).sum()).await;
        let new = request.turns();
        let promise = match incoming.purpose {
            Purpose::Count => Promise::Nothing,
            Purpose::Answer => {
                let dialect = incoming.dialect;
                let there_once = self.take_back_what_is_repeated(&owner, &session, dialect, &mut elements, &new).await;
                if there_once && self.can_add(&session).await { Promise::ToKeep } else { Promise::NotToKeep }
            }
        };
        let body = request.behind(&elements).map_err(|_| Unkept::Unreadable)?.bytes;
        let exchange = Exchange {
            store: self.store.clone(),
            metrics: self.metrics.clone(),
            doubts: self.doubts.clone(),
            owner,
            session,
            dialect: incoming.dialect,
            behind: elements.len(),
            new,
            _in_turn: in_turn,
        };
        let incoming = Incoming { body: hold(body.into()).await, ..incoming.clone() };
        Ok(Joined { incoming, exchange: Arc::new(exchange), promise })
    }

    /// Takes the last exchange of a history back if the client surely sends it again: it has not seen the answer's end, or
    /// was told that nothing is kept. A repetition that is not sure stays, and is there twice. `false`: the store still has it.
    async fn take_back_what_is_repeated(
        &self,
        owner: &Tenant,
        session: &SessionId,
        dialect: Dialect,
        elements: &mut Vec<Vec<u8>>,
        new: &[Vec<u8>],
    ) -> bool {
        let key = (owner.clone(), session.clone());
        let doubt = lock(&self.doubts.uncertain).take(&key);
        let Some(from) = last_exchange(dialect, elements, new) else { return true };
        let exchange = elements.get(from..).unwrap_or_default();
        let messages: Vec<ContentHash> = exchange.iter().map(ContentHash::of).collect();
        let was_not_told = doubt.is_some_and(|doubt| doubt.from == from && doubt.messages == messages);
        if !was_not_told && !only_fits_in_place(dialect, elements, from, new) {
            return true;
        }
        match self.store.retract_history(owner, session, from, &messages).await {
            Ok(true) => elements.truncate(from),
            // Others have added to it meanwhile.
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%session, %error, "the end of a history could not be taken back");
                // It is tried again, and this request reads as those that follow.
                elements.truncate(from);
                lock(&self.doubts.uncertain).put(key, Uncertain { from, messages });
                return false;
            }
        }
        true
    }

    /// Whether the store can be written, as far as that is known before it is done.
    async fn can_add(&self, session: &SessionId) -> bool {
        if !self.doubts.failed.load(Ordering::Relaxed) {
            return true;
        }
        match self.store.ready().await {
            Ok(()) | Err(StoreError::Replaced { .. }) => {
                self.doubts.failed.store(false, Ordering::Relaxed);
                true
            }
            Err(error) => {
                tracing::warn!(%session, %error, "a request is sent that will not be kept");
                false
            }
        }
    }

    async fn history(&self, tenant: &Tenant, id: &SessionId, dialect: Dialect) -> Result<Vec<records::Kept>, Unkept> {
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
        lock(&self.turns).get_or_put((tenant.clone(), session.clone()), InTurn::default)
    }
}

#[async_trait]
impl Pipeline for Histories {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        if !asks_for_history(&incoming.headers) {
            return self.pipeline.outgoing(incoming).await;
        }
        match self.joined(&incoming).await {
            Ok(Joined { incoming, exchange, promise }) => {
                let outgoing = self.pipeline.outgoing(incoming).await;
                whole(
                    outgoing,
                    &WholeExchange { exchange, promise, tasks: self.tasks.clone(), compute: self.compute.clone() },
                )
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
fn whole(outgoing: Outgoing, whole: &WholeExchange) -> Outgoing {
    let Outgoing { body, edited: _, upstream_headers, mut answer_headers, turn, keeper: _ } = outgoing;
    answer_headers.push((MESSAGES_HEADER, HeaderValue::from(whole.exchange.behind)));
    let keeper = match whole.promise {
        // Whoever has the answer says what became of it.
        Promise::ToKeep => Some(Arc::new(whole.clone()) as Arc<dyn Keeper>),
        Promise::Nothing => {
            answer_headers.push(HistoryStatus::Unchanged.header());
            None
        }
        Promise::NotToKeep => {
            let name = Unkept::StoreUnavailable.name();
            answer_headers.push((HISTORY_HEADER, HeaderValue::from_static(name)));
            None
        }
    };
    let turn = Arc::new(WholeTurn { turn, whole: whole.clone() });
    Outgoing { body, edited: true, upstream_headers, answer_headers, turn, keeper }
}

/// A whole request on its way.
#[derive(Clone)]
struct WholeExchange {
    exchange: Arc<Exchange>,
    promise: Promise,
    tasks: Tasks,
    compute: Compute,
}

/// A call with a whole request on its way: what is sent instead is a whole one too.
struct WholeTurn {
    turn: Arc<dyn Turn>,
    whole: WholeExchange,
}

#[async_trait]
impl Turn for WholeTurn {
    async fn complained(&self, complaint: Complaint) -> Result<Option<Outgoing>, Trouble> {
        let again = self.turn.complained(complaint).await?;
        Ok(again.map(|again| whole(again, &self.whole)))
    }

    fn not_sent_again(&self) {
        self.turn.not_sent_again();
    }

    fn ended(&self, end: End, usage: Option<TurnUsage>) {
        self.turn.ended(end, usage);
    }
}

#[async_trait]
impl Keeper for WholeExchange {
    async fn keep(&self, answer: Answer) -> Result<(), NotKept> {
        let (exchange, compute) = (self.exchange.clone(), self.compute.clone());
        // A task of its own: a client that goes away now has seen all but the end.
        let work = async move { compute.run(0, async move { exchange.keep(answer).await }).await };
        match self.tasks.spawn(work).await {
            Ok(Ok(kept)) => kept,
            // A panic is a fault of ours, and nobody knows how far it came.
            Ok(Err(_)) | Err(_) => Err(NotKept::Store),
        }
    }
}

impl Exchange {
    /// Adds what is new and what was answered.
    async fn keep(&self, answer: Answer) -> Result<(), NotKept> {
        let kept = self.add(answer).await;
        if let Err(why) = kept {
            tracing::warn!(session = %self.session, %why, "an answer is not in the history that is kept for a client");
        }
        kept
    }

    async fn add(&self, answer: Answer) -> Result<(), NotKept> {
        let mut added = self.new.clone();
        added.extend(answer);
        let kept = self.with_words(&added).ok_or(NotKept::Unreadable)?;
        let mut behind = self.behind;
        for _ in 0..ROUNDS {
            match self.store.extend_history(&self.owner, &self.session, behind, &kept, clock::now_ms()).await {
                Ok(()) => return Ok(()),
                Err(StoreError::Overtaken) => match self.behind_others(&added).await {
                    Ok(Some(others)) => behind = others,
                    Ok(None) => return Err(NotKept::Overtaken),
                    Err(error) => return Err(self.failed(&error)),
                },
                Err(error) => {
                    let messages = kept.iter().map(|kept| ContentHash::of(&kept.bytes)).collect();
                    let key = (self.owner.clone(), self.session.clone());
                    lock(&self.doubts.uncertain).put(key, Uncertain { from: behind, messages });
                    return Err(self.failed(&error));
                }
            }
        }
        Err(NotKept::Overtaken)
    }

    fn failed(&self, error: &StoreError) -> NotKept {
        tracing::warn!(session = %self.session, %error, "the store did not take an answer");
        self.metrics.store_error("history");
        self.doubts.failed.store(true, Ordering::Relaxed);
        NotKept::Store
    }

    /// How long the history is by now, if what was said can stand behind it: another gateway was faster.
    async fn behind_others(&self, added: &[Vec<u8>]) -> Result<Option<usize>, StoreError> {
        let history = self.store.history(&self.owner, &self.session).await?;
        let length = history.len();
        let mut elements: Vec<Vec<u8>> = history.into_iter().map(|kept| kept.bytes).collect();
        on_the_pool_if_heavy(elements.iter().map(Vec::len).sum()).await;
        let open_before =
            conversation(self.dialect, &elements).map(|before| Pairing::of(&before.messages).unanswered_calls.len());
        elements.extend_from_slice(added);
        let fits = conversation(self.dialect, &elements)
            .is_some_and(|all| Pairing::of(&all.messages).orphan_results.is_empty());
        Ok((fits && open_before == Some(0)).then_some(length))
    }

    fn with_words(&self, elements: &[Vec<u8>]) -> Option<Vec<records::Kept>> {
        let kept = |element: &Vec<u8>| {
            let said = conversation(self.dialect, std::slice::from_ref(element))?;
            let words = said.messages.iter().map(words_of).collect();
            Some(records::Kept { bytes: element.clone(), words })
        };
        elements.iter().map(kept).collect()
    }
}

fn conversation(dialect: Dialect, elements: &[Vec<u8>]) -> Option<Conversation> {
    let body = of_elements(dialect, elements);
    let request = Request::read(body, Format::Given(dialect), DuplicateKeys::Carry).ok()?;
    Some(request.conversation().clone())
}

/// Where the last exchange of a history begins, if what is new is what the client said in it.
fn last_exchange(dialect: Dialect, elements: &[Vec<u8>], new: &[Vec<u8>]) -> Option<usize> {
    let last = elements.len().checked_sub(new.len() + 1)?;
    let is_there = |from: &usize| elements.get(*from..*from + new.len()) == Some(new);
    let from = (0..=last).rev().find(is_there).filter(|_| !new.is_empty())?;
    let answer = conversation(dialect, elements.get(from + new.len()..)?)?;
    answer.messages.iter().all(|message| message.role == Role::Assistant).then_some(from)
}

/// Whether no provider takes what is new behind a history, and any takes it in place of the end of it.
fn only_fits_in_place(dialect: Dialect, elements: &[Vec<u8>], from: usize, new: &[Vec<u8>]) -> bool {
    let fits_behind = |elements: &[Vec<u8>]| {
        let all = conversation(dialect, &[elements, new].concat());
        let pairing = all.map(|all| Pairing::of(&all.messages));
        pairing.is_some_and(|it| it.orphan_results.is_empty() && it.unanswered_calls.is_empty())
    };
    !fits_behind(elements) && elements.get(..from).is_some_and(fits_behind)
}

fn asks_for_history(headers: &HeaderMap) -> bool {
    headers.get(HISTORY_HEADER).is_some_and(|asked| asked.as_bytes().trim_ascii().eq_ignore_ascii_case(b"server"))
}

#[cfg(test)]
mod tests {
    use epitome_core::budget::Policy;
    use epitome_store::memory::MemoryStore;
    use epitome_store::records::Kept as KeptMessage;
    use epitome_store::store::SessionStore;
    use http::Uri;

    use super::*;
    use crate::pipeline::{Gateway, Setup};

    fn message(role: &str, text: &str) -> KeptMessage {
        let bytes = format!(r#"{{"role":"{role}","content":"{text}"}}"#).into_bytes();
        KeptMessage { bytes, words: text.to_owned() }
    }

    #[tokio::test]
    async fn what_a_client_was_told_is_not_kept_is_taken_out_of_its_history() {
        let (store, metrics) = (Arc::new(MemoryStore::new()), Arc::new(Metrics::new()));
        let gateway = Gateway::new(Setup::local(store.clone(), Policy::default(), metrics.clone()));
        let histories =
            Histories::new(Arc::new(gateway), store.clone(), metrics.clone(), Tasks::new(), Compute::usual(metrics));
        let (owner, session) = (Tenant::only(), SessionId::new("bot"));
        let kept =
            [message("user", "one"), message("assistant", "1"), message("user", "two"), message("assistant", "2")];
        store.extend_history(&owner, &session, 0, &kept, 1).await.expect("memory takes it");
        let headers = [("x-epitome-session", "bot"), ("x-epitome-history", "server")];
        let incoming = Incoming {
            dialect: Dialect::OpenAiChat,
            purpose: Purpose::Answer,
            tenant: owner.clone(),
            owner: owner.clone(),
            headers: headers
                .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
                .into_iter()
                .collect(),
            upstream: Uri::from_static("http://localhost/"),
            body: r#"{"model":"m","messages":[{"role":"user","content":"two"}]}"#.into(),
        };
        let uncertain = |messages: &[KeptMessage]| {
            let messages = messages.iter().map(|kept| ContentHash::of(&kept.bytes)).collect();
            histories.doubts.failed.store(true, Ordering::Relaxed);
            lock(&histories.doubts.uncertain).put((owner.clone(), session.clone()), Uncertain { from: 2, messages });
        };
        // It was not committed: something else stands there by now.
        uncertain(&[message("user", "two"), message("assistant", "lost")]);
        let Ok(Joined { exchange, promise, .. }) = histories.joined(&incoming).await else { panic!("it is joined") };
        assert_eq!((exchange.behind, promise), (4, Promise::ToKeep));
        drop(exchange);
        // It was committed, and the client goes on: others have told it so.
        uncertain(&kept[2..]);
        let goes_on = r#"{"model":"m","messages":[{"role":"user","content":"three"}]}"#;
        let joined = histories.joined(&Incoming { body: goes_on.into(), ..incoming.clone() }).await;
        let Ok(Joined { exchange, .. }) = joined else { panic!("it is joined") };
        assert_eq!(exchange.behind, 4);
        drop(exchange);
        // It was committed, and the client sends it again: it is there once.
        uncertain(&kept[2..]);
        let Ok(Joined { exchange, promise, .. }) = histories.joined(&incoming).await else { panic!("it is joined") };
        assert_eq!((exchange.behind, promise), (2, Promise::ToKeep));
        assert_eq!(exchange.keep(vec![message("assistant", "again").bytes]).await, Ok(()));
        let words: Vec<String> = store
            .history(&owner, &session)
            .await
            .expect("memory")
            .into_iter()
            .map(|kept| kept.words.trim().to_owned())
            .collect();
        assert_eq!(words, ["one", "1", "two", "again"]);
        // And it is forgotten that there was a doubt.
        assert!(lock(&histories.doubts.uncertain).get(&(owner.clone(), session.clone())).is_none());
        assert!(!histories.doubts.failed.load(Ordering::Relaxed));
    }

    #[test]
    fn an_exchange_that_is_surely_repeated_is_found() {
        let user = |text: &str| format!(r#"{{"role":"user","content":"{text}"}}"#).into_bytes();
        let said = |text: &str| format!(r#"{{"role":"assistant","content":"{text}"}}"#).into_bytes();
        let call = |id: &str| {
            format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"t","arguments":"{{}}"}}}}]}}"#
            )
            .into_bytes()
        };
        let result = |id: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#).into_bytes();
        let check = |history: &[Vec<u8>], new: &[Vec<u8>], expected: Option<usize>| {
            let found = last_exchange(Dialect::OpenAiChat, history, new);
            let found = found.filter(|from| only_fits_in_place(Dialect::OpenAiChat, history, *from, new));
            assert_eq!(found, expected, "{}", String::from_utf8_lossy(&history.concat()));
        };
        // A request behind a call that nobody answered, and a result of a call that has its result.
        check(&[user("a"), said("b"), user("c"), call("1")], &[user("c")], Some(2));
        check(&[user("c"), call("1"), result("1"), said("done")], &[result("1")], Some(2));
        check(&[user("c"), call("1"), result("1"), call("2")], &[result("1")], Some(2));
        // Perhaps it is said twice; and it is not what was said last.
        check(&[user("c"), said("b")], &[user("c")], None);
        check(&[user("c"), call("1")], &[user("d")], None);
        check(&[user("c"), call("1"), result("1"), said("b"), user("d"), said("e")], &[result("1")], None);
        check(&[], &[user("c")], None);
    }
}
