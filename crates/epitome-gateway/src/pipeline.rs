//! The life of one request: what the client sends becomes what the provider gets.
//!
//! Read → find the edits that its history had before, and make them again → weigh → compact if that is due → remember →
//! splice. Whatever fails on the way, the request is sent: see `stand_in`.
//!
//! When it is time: `due`. What is prepared before it is needed: `preparation`. What is done for the provider's cache: `caching`.
//! When the provider refuses what was done: `refused`; when it says that the prompt is too long: `too_long`. What people are told of a session that fills up: `warnings`.
//! What the log says of compactions and calls: `lines`.

mod caching;
mod due;
pub(crate) mod lines;
mod preparation;
mod refused;
mod too_long;
mod warnings;

pub(crate) use due::Considered;
pub(crate) use warnings::Fullness;

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use epitome_core::budget::{Budget, Policy};
use epitome_core::catalogue::{Catalogue, Lookup};
use epitome_core::compaction::{Author, Compaction, Patience, Tools, compact, weigh};
use epitome_core::edit::{Applied, ComposeError, Edit, EditError, apply, compose};
use epitome_core::engine::{BUILT_IN, ContextEngine, Occasion, Reason, Registry};
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::model::Conversation;
use epitome_core::statistics::{CompactionRecord, messages_compressed, saved_by_kind};
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::summary::{Summarizer, archived};
use epitome_core::tokens::{BpeCounter, CachedCounter, Calibration, ScaledCounter, Sizes, TokenCounter, Tokens};
use epitome_store::records::{CompactionLog, NewEntry, Replay, SessionId, Thinking, Wish};
use epitome_store::shadow::Shadow;
use epitome_store::store::{Appended, Store, StoreError};
use epitome_wire::{Known, SpliceError};
use http::{HeaderName, HeaderValue};

use self::caching::Cached;
use self::preparation::{Preparations, Prepared, since};
use crate::caching::PromptCaching;
use crate::compute::{Compute, hold, on_the_pool};
use crate::exchange::{Incoming, Outgoing, Pipeline};
use crate::ledger::{Ledger, Replayed};
use crate::metrics::Metrics;
use crate::received::{Kind, Received, Unread};
use crate::recorder::Recorder;
use crate::removed::removed;
use crate::report::{self, Action, Report};
use crate::sessions::Sessions;
use crate::switch::Switch;
use crate::tasks::Tasks;
use crate::thinking::{self, Binding};
use crate::turn::{Call, Passed};
use crate::wishes;
use crate::writer::Writer;

/// What the gateway works with.
pub struct Setup {
    /// What is remembered.
    pub store: Arc<dyn Store>,
    /// Decides when to compact, and how.
    pub engine: Arc<dyn ContextEngine>,
    /// What was configured and does not exist; `engine` works in its place.
    pub missing_engine: Option<String>,
    /// What the configuration says about compaction.
    pub policy: Policy,
    /// What is known of models.
    pub catalogue: Catalogue,
    /// The window of every model, if somebody said so.
    pub context_length: Option<Tokens>,
    /// Who writes summaries.
    pub writer: Writer,
    /// How long a request waits for a model that does.
    pub max_wait: Duration,
    /// From this share of the trigger on, a model's summary is prepared in the background; `None`: never.
    pub prepare_at: Option<f64>,
    /// Whether there is compression at all; the provider's cache is another matter.
    pub enabled: bool,
    /// Whether the safety net at 85 % is there.
    pub hygiene: bool,
    /// Whether everything is computed and nothing changed.
    pub observe: bool,
    /// Whether what edits remove is stored.
    pub keep_originals: bool,
    /// How requests are marked for the provider's cache.
    pub caching: PromptCaching,
    /// Where is counted.
    pub metrics: Arc<Metrics>,
    /// What prepares compactions.
    pub compute: Compute,
    /// What runs beside the requests: ended and waited for by [`Gateway::close`].
    pub tasks: Tasks,
}

impl Setup {
    /// A gateway of the built-in engine that asks no model for summaries: what it is where nobody configures anything else.
    pub fn local(store: Arc<dyn Store>, policy: Policy, metrics: Arc<Metrics>) -> Setup {
        Setup {
            store,
            engine: Registry::new(&policy).resolve(BUILT_IN).engine,
            missing_engine: None,
            policy,
            catalogue: Catalogue::embedded(),
            context_length: None,
            writer: Writer::Local,
            max_wait: Duration::from_secs(30),
            prepare_at: None,
            enabled: true,
            hygiene: true,
            observe: false,
            keep_originals: true,
            caching: PromptCaching::default(),
            compute: Compute::usual(metrics.clone()),
            metrics,
            tasks: Tasks::new(),
        }
    }
}

/// Decides what becomes of requests.
#[derive(Clone)]
pub struct Gateway(Arc<Inner>);

struct Inner {
    setup: Setup,
    /// Which engine works, as clients are told.
    engine_header: Option<HeaderValue>,
    counter: CachedCounter<BpeCounter>,
    /// Messages that were read before.
    known: Known,
    sessions: Sessions,
    preparations: Preparations,
    /// Stores what is noted of calls.
    recorder: Recorder,
    /// The ledger of what would have been done, for requests that are only watched.
    shadow: Shadow,
}

/// Hygiene fires at this share of the window (M2) …
const HYGIENE: f64 = 0.85;
/// … in histories that have so many messages.
const HYGIENE_MESSAGES: usize = 4;
/// A question about a session is compacted only if it takes more than this of the window.
const ASIDE: f64 = 0.95;
/// How often a compaction is tried again because somebody else was faster.
const ROUNDS: usize = 3;

/// What went wrong on our side. It says nothing of what was said.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a plan was refused: {0}")]
    Refused(#[from] EditError),
    #[error("two rounds of edits: {0}")]
    Compose(#[from] ComposeError),
    #[error("the edits could not be put into the request: {0}")]
    Splice(#[from] SpliceError),
    #[error("an edit has no place in the ledger")]
    NoPlace,
    #[error("others compacted this history again and again")]
    Overtaken,
    #[error("the provider accepts its thinking behind nothing but the client's own messages")]
    Bound,
}

/// What becomes of a request.
struct Decided {
    /// The client's bytes with edits in them; `None`: its own.
    spliced: Option<Bytes>,
    /// What is done about thinking; says nothing of a request that goes as it came.
    thinking: Thinking,
    action: Action,
    /// What the client's own weighs …
    own: Weight,
    /// … and what is sent.
    sent: Weight,
    /// The last compaction that its history has then, or its first message; `None`: that is not known.
    since: Option<PrefixFingerprint>,
    /// The session that it belongs to then; `None`: the one that it was taken to belong to.
    session: Option<SessionId>,
    /// What the cost rule said, where prices decide.
    considered: Option<Considered>,
}

/// What a request weighs.
#[derive(Clone, Copy)]
struct Weight {
    /// As we count it.
    estimated: Tokens,
    /// As the provider does, by what it reported.
    tokens: Tokens,
}

/// A conversation on the scale.
struct Weighed<'a> {
    weight: Weight,
    sizes: Sizes,
    budget: Budget,
    calibration: &'a Calibration,
}

impl Decided {
    fn as_it_came(reason: report::Reason, own: Weight) -> Decided {
        let action = Action::Untouched(reason);
        Decided {
            spliced: None,
            thinking: Thinking::AsItIs,
            action,
            own,
            sent: own,
            since: None,
            session: None,
            considered: None,
        }
    }
}

#[async_trait]
impl Pipeline for Gateway {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        let received = match Received::read(incoming, &self.0.known) {
            Ok(received) => received,
            Err(Unread { incoming, reason }) => return self.as_it_came(*incoming, reason),
        };
        if !self.0.setup.enabled {
            // The provider's cache has nothing to do with compression.
            let calibration = self.calibration(&received).await;
            let own = self.own_weight(&received, &calibration);
            return self.sent(received, Decided::as_it_came(report::Reason::Off, own)).await;
        }
        self.decided(received, None).await
    }
}

impl Gateway {
    /// A gateway that remembers nothing yet.
    pub fn new(setup: Setup) -> Gateway {
        let counter = CachedCounter::new(BpeCounter);
        let (known, sessions, preparations) = (Known::default(), Sessions::default(), Preparations::default());
        let recorder = Recorder::new(setup.store.clone(), setup.metrics.clone());
        let shadow = Shadow::default();
        let engine_header = report::engine_header(setup.engine.name(), setup.missing_engine.as_deref());
        Gateway(Arc::new(Inner { setup, engine_header, counter, known, sessions, preparations, recorder, shadow }))
    }

    /// How many bytes are held of what would have been done to requests that are only watched.
    pub fn watched_bytes(&self) -> usize {
        self.0.shadow.bytes()
    }

    /// What is sent in place of a request which the provider refused with this done about its thinking.
    pub(crate) async fn outgoing_instead(&self, incoming: Incoming, refused: Thinking) -> Option<Outgoing> {
        let received = Received::read(incoming, &self.0.known).ok()?;
        Some(self.decided(received, Some(refused)).await)
    }

    async fn decided(&self, mut received: Received, refused: Option<Thinking>) -> Outgoing {
        let decided = self.decision(&mut received, refused).await;
        self.sent(received, decided).await
    }

    async fn decision(&self, received: &mut Received, refused: Option<Thinking>) -> Decided {
        let replayed = Replayed::from(received, self.ledger_of(received)).await;
        if let Ok(replayed) = &replayed {
            received.session = replayed.session_of(received);
        }
        let calibration = self.calibration(received).await;
        received.wish = self.wish(received).await;
        let mut decided = self.decide(received, replayed, &calibration, refused).await;
        let hopeless =
            matches!(decided, Err(Failure::Refused(_) | Failure::Compose(_) | Failure::NoPlace | Failure::Splice(_)));
        if let Some(wish) = received.wish.take().filter(|_| hopeless) {
            // It would be tried with every request, and each would lose its edits.
            wishes::give_up(received, &*self.0.setup.store, &wish, "it cannot be carried out").await;
            let replayed = Replayed::from(received, self.ledger_of(received)).await;
            decided = self.decide(received, replayed, &calibration, refused).await;
        }
        let mut decided = match decided {
            Ok(decided) => decided,
            Err(failure) => self.stand_in(received, &calibration, &failure).await,
        };
        if let Some(session) = decided.session.take() {
            self.moves_to(received, session);
        }
        self.warn_if_full(received, &decided);
        decided
    }

    /// A request turns out to belong to another session: its own was archived. What is known of that holds for the other.
    fn moves_to(&self, received: &mut Received, session: SessionId) {
        let Incoming { owner, .. } = &received.incoming;
        if session != received.session {
            self.0.sessions.move_on(owner, &received.session, &session, received.model());
            received.session = session;
        }
    }

    /// Makes the edits that the history had before, and compacts it if that is due.
    async fn decide(
        &self,
        received: &Received,
        replayed: Result<Replayed, StoreError>,
        calibration: &Calibration,
        refused: Option<Thinking>,
    ) -> Result<Decided, Failure> {
        let ledger = self.ledger_of(received);
        let replayed = replayed?;
        let weighed = self.weigh(received, &replayed, calibration);
        let considered = self.consider(received, &replayed, &weighed).await;
        let due = self.due(received, &replayed, &weighed, received.wish.as_ref(), considered.as_ref());
        if due.is_none() && !replayed.is_refused(refused) {
            return Ok(Decided { considered, ..self.replayed(received, &replayed, &weighed)? });
        }
        // A compaction takes long, however small its request is.
        on_the_pool(received.incoming.body.len()).await;
        let first = received.prefixes.first().copied();
        let turn = first.map(|first| self.0.sessions.turn_of(&received.incoming.tenant, first));
        let _mine = match &turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        };
        for _ in 0..ROUNDS {
            // Whoever had the turn before may have done it.
            let mut replayed = Replayed::from(received, ledger).await?;
            // Looked for behind the ledger: who carried it out wrote both at once.
            let wish = if received.wish.is_some() { self.wish(received).await } else { None };
            if received.wish.is_some() && wish.is_none() {
                // They may have done so after the ledger was read.
                replayed = Replayed::from(received, ledger).await?;
            }
            let weighed = self.weigh(received, &replayed, calibration);
            let considered = self.consider(received, &replayed, &weighed).await;
            let Some(due) = self.due(received, &replayed, &weighed, wish.as_ref(), considered.as_ref()) else {
                if !replayed.is_refused(refused) {
                    return Ok(Decided { considered, ..self.replayed(received, &replayed, &weighed)? });
                }
                match self.otherwise(received, replayed, &weighed).await? {
                    Some(decided) => return Ok(decided),
                    None => continue,
                }
            };
            let thinking = self.binding(received, &replayed).at_compaction(received, replayed.thinking());
            let replayed = replayed.with_thinking(received, thinking).ok_or(Failure::NoPlace)?;
            let mut weighed = self.weigh(received, &replayed, calibration);
            weighed.budget = due.budget(weighed.budget, received.kind);
            let waited = Instant::now();
            let prepared = match &wish {
                None if due.summarizes() => self.prepared(received, &replayed, &weighed).await,
                // What was prepared knows nothing of what the person wants to keep.
                Some(_) | None => Prepared::Nothing(None),
            };
            // The lease is held until what is written is remembered.
            let (asked, _held) = match prepared {
                Prepared::Usable(usable) => {
                    match self.use_prepared(received, &replayed, &weighed, *usable, &due, waited.elapsed()).await? {
                        Some(decided) => return Ok(Decided { considered: due.settle(considered), ..decided }),
                        None => continue,
                    }
                }
                Prepared::Overtaken => continue,
                Prepared::Nothing(held) if !self.observes(received) => {
                    (self.0.setup.writer.of(received, weighed.budget.context_length, None), held)
                }
                // It need not be now: what was paid for did not come, and the next time is soon enough.
                Prepared::TooLate if due.reason == Reason::Pays => {
                    return self.left_as_it_was(received, &replayed, calibration, considered);
                }
                Prepared::Nothing(_) | Prepared::TooLate => (None, None),
            };
            if wish.is_some() {
                // By what there is, not by what there may be: in a large window, a small session would be all tail.
                let share = weighed.budget.used.share(self.0.setup.policy.target_ratio);
                weighed.budget.tail = weighed.budget.tail.min(share);
            }
            let occasion = wishes::occasion(due.reason, wish.as_ref());
            let compaction = self
                .compact(&received.session, replayed.conversation(received), &weighed, &occasion, asked.as_deref())
                .await?;
            // What makes nothing smaller is none, and would be made again with each request.
            let left = self.after(&compaction.applied, &compaction).estimated;
            if compaction.applied.edits().is_empty() || left >= weighed.weight.estimated {
                if let Some(wish) = &wish {
                    wishes::give_up(received, &*self.0.setup.store, wish, "nothing can be made smaller").await;
                }
                return self.left_as_it_was(received, &replayed, calibration, considered);
            }
            self.count_compaction(&compaction, waited.elapsed());
            self.note_summary(received, &compaction);
            let (mut new, applied) =
                self.entry(received, &replayed, &compaction, due.reason, waited.elapsed(), thinking)?;
            new.log.compared = due.compared();
            let saved_by = new.log.saved_by.clone();
            let new = NewEntry { fulfils: wish.clone(), ..new };
            let (since, archives) = (Some(new.anchor), new.archives);
            // Before it is remembered: what cannot be sent is no compaction.
            let spliced = Some(self.spliced(replayed.base(received), &applied, thinking)?);
            let (action, session) = match received.kind {
                Kind::Aside => (Action::CompactedOnce, None),
                Kind::Turn => {
                    let stored = match ledger.append(received, replayed.seen, new).await? {
                        Appended::Stored(entry) => entry,
                        Appended::Overtaken(_) => continue,
                    };
                    wishes::carried_out(received, &*self.0.setup.store, wish.as_ref()).await;
                    if archives {
                        self.tell_of_archive(received, &stored.session, compaction.applied.edits());
                    }
                    (Action::Compacted, Some(stored.session))
                }
            };
            self.0.setup.metrics.edited(&saved_by);
            due.tell(received);
            let considered = due.settle(considered);
            let own = self.own_weight(received, calibration);
            let sent = self.after(&applied, &compaction);
            return Ok(Decided { spliced, thinking, action, own, sent, since, session, considered });
        }
        Err(Failure::Overtaken)
    }

    /// What was due could not be done, and is not tried again at once.
    fn left_as_it_was(
        &self,
        received: &Received,
        replayed: &Replayed,
        calibration: &Calibration,
        considered: Option<Considered>,
    ) -> Result<Decided, Failure> {
        let weighed = self.weigh(received, replayed, calibration);
        let considered = considered.map(Considered::done);
        Ok(Decided { considered, ..self.replayed(received, replayed, &weighed)? })
    }

    /// What the provider is expected to do about thinking.
    fn binding(&self, received: &Received, replayed: &Replayed) -> Binding {
        let learnt = self.0.sessions.binding_of(&received.incoming.upstream, received.model());
        Binding::expected(received, learnt, replayed.thinking())
    }

    /// What is done when something of ours fails: the client's own request is sent if it fits the window, else a
    /// compaction of it that nobody remembers; only if that fails too, the request is sent although it does not fit.
    async fn stand_in(&self, received: &Received, calibration: &Calibration, failure: &Failure) -> Decided {
        tracing::warn!(session = %received.session, error = %failure, "the request is sent without its ledger");
        if let Failure::Store(_) = failure {
            self.0.setup.metrics.store_error("ledger");
        }
        let weighed = self.weigh(received, &Replayed::default(), calibration);
        let own = weighed.weight;
        let reason = match failure {
            Failure::Store(_) => report::Reason::StoreUnavailable,
            Failure::Refused(_)
            | Failure::Compose(_)
            | Failure::Splice(_)
            | Failure::NoPlace
            | Failure::Overtaken
            | Failure::Bound => report::Reason::Failed,
        };
        let as_it_came = Decided::as_it_came(reason, own);
        if own.tokens < weighed.budget.context_length {
            return as_it_came;
        }
        on_the_pool(received.incoming.body.len()).await;
        let thinking = self.binding(received, &Replayed::default()).at_compaction(received, Thinking::AsItIs);
        let Some(base) = Replayed::default().with_thinking(received, thinking) else { return as_it_came };
        let weighed = self.weigh(received, &base, calibration);
        let compacted = self
            .compact(&received.session, base.conversation(received), &weighed, &Occasion::new(Reason::Hygiene), None)
            .await;
        let compacted = compacted.ok().and_then(|compaction| {
            let spliced = Some(self.spliced(base.base(received), &compaction.applied, thinking).ok()?);
            let sent = self.after(&compaction.applied, &compaction);
            let action = Action::CompactedOnce;
            Some(Decided { spliced, sent, thinking, ..Decided { action, ..Decided::as_it_came(reason, own) } })
        });
        compacted.unwrap_or(as_it_came)
    }

    /// Compacts a conversation. Summaries are written by whoever is asked, else by the local summariser.
    async fn compact(
        &self,
        session: &SessionId,
        conversation: &Conversation,
        weighed: &Weighed<'_>,
        occasion: &Occasion,
        asked: Option<&dyn Summarizer>,
    ) -> Result<Compaction, EditError> {
        lines::compaction_starts(session, &weighed.budget, occasion.reason);
        let compaction = self.compact_within(self.0.setup.max_wait, conversation, weighed, occasion, asked).await?;
        lines::compaction_ended(session, &record(&compaction, conversation));
        Ok(compaction)
    }

    /// The same, and no summary is waited for longer than `patience`.
    async fn compact_within(
        &self,
        patience: Duration,
        conversation: &Conversation,
        weighed: &Weighed<'_>,
        occasion: &Occasion,
        asked: Option<&dyn Summarizer>,
    ) -> Result<Compaction, EditError> {
        let counter = ScaledCounter::new(&self.0.counter, weighed.calibration.factor());
        let local = LocalSummarizer::new(&counter);
        let patience = MaxWait(patience);
        let tools = Tools {
            engine: &*self.0.setup.engine,
            summarizer: asked.unwrap_or(&local),
            patience: &patience,
            counter: &counter,
        };
        compact(conversation, &weighed.sizes, &weighed.budget, occasion, tools).await
    }

    /// What is left after a compaction.
    fn after(&self, applied: &Applied, compaction: &Compaction) -> Weight {
        let estimated = Sizes::of(applied.conversation(), &self.0.counter).total();
        Weight { estimated, tokens: compaction.after.tokens }
    }

    /// A compaction as the ledger keeps it, and as it is made again from there.
    fn entry(
        &self,
        received: &Received,
        replayed: &Replayed,
        compaction: &Compaction,
        reason: Reason,
        waited: Duration,
        thinking: Thinking,
    ) -> Result<(NewEntry, Applied), Failure> {
        let client = replayed.base(received).conversation();
        let composed = match &replayed.applied {
            Some(earlier) => compose(client, earlier, &compaction.applied)?,
            None => compaction.applied.clone(),
        };
        let edits = received.places.to_ledger(client, composed.edits()).ok_or(Failure::NoPlace)?;
        let depth = received.places.depth_of(client, composed.edits()).max(thinking::depth_of(thinking));
        let anchor = depth.checked_sub(1).and_then(|last| received.prefixes.get(last)).ok_or(Failure::NoPlace)?;
        // As everybody will make them who finds the entry.
        let again = received.places.to_client(client, &edits).ok_or(Failure::NoPlace)?;
        let applied = apply(client, again)?;
        let sent = replayed.conversation(received);
        let round = compaction.applied.edits();
        // Of what is only watched nothing was removed.
        let removed = if self.0.setup.keep_originals && !self.observes(received) {
            let mut all = removed(&received.own, replayed.edits(), composed.edits(), sent, round);
            all.extend(self.thoughts(received, replayed.thinking(), thinking));
            all
        } else {
            Vec::new()
        };
        // By our own count, as what the provider reports may correct it until the next request.
        let settled_at = self.after(&compaction.applied, compaction).estimated;
        let settled_at = Some(settled_at).filter(|_| compaction.plan.shortfall.is_some());
        let new = NewEntry {
            session: replayed.session_of(received),
            anchor: *anchor,
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            parent: replayed.entry.as_ref().map(|entry| entry.id),
            replay: Replay { edits, thinking, settled_at },
            log: log(compaction, sent, reason, waited, &self.0.counter),
            // What is only watched happens to no session.
            archives: compaction.plan.restarts() && !self.observes(received),
            removed,
            fulfils: None,
        };
        Ok((new, applied))
    }

    fn weigh<'a>(&self, received: &Received, replayed: &Replayed, calibration: &'a Calibration) -> Weighed<'a> {
        let conversation = replayed.conversation(received);
        let window = self.window_for(received);
        let own = replayed.base(received).request.sizes(&self.0.counter);
        let sizes = match &replayed.applied {
            Some(applied) => own.after(applied, &self.0.counter),
            None => own,
        };
        let counted = self.counted(conversation, &sizes, calibration, window, received.model());
        let used = calibration.apply(counted);
        let policy = match received.kind {
            Kind::Turn => self.0.setup.policy.for_model(received.model()),
            Kind::Aside => Policy { threshold: ASIDE, threshold_tokens: None, ..self.0.setup.policy.clone() },
        };
        let mut budget = Budget::new(window, used, &policy);
        budget.unseen = calibration.hidden().min(used);
        budget.refused = received.limit.is_some();
        let settled_at = replayed.entry.as_ref().and_then(|entry| entry.replay.settled_at);
        budget.settled_at = settled_at.map(|size| calibration.apply(size));
        let weight = Weight { estimated: sizes.total(), tokens: used };
        Weighed { weight, sizes: sizes.scaled_to(used - budget.unseen), budget, calibration }
    }

    /// Our count, as exactly as it must be: what the provider reports makes up for what an estimate is off.
    fn counted(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        calibration: &Calibration,
        window: Tokens,
        model: &str,
    ) -> Tokens {
        if calibration.observations() > 0 {
            return sizes.total();
        }
        let trigger = self.budget(window, Tokens(0), model).trigger;
        let limit = Tokens((trigger.0 as f64 / calibration.factor()) as u64);
        weigh(conversation, sizes, limit, &self.0.counter).tokens
    }

    /// What a request to a model may weigh.
    fn budget(&self, window: Tokens, used: Tokens, model: &str) -> Budget {
        Budget::new(window, used, &self.0.setup.policy.for_model(model))
    }

    /// What the client's own request weighs, where something else was weighed.
    fn own_weight(&self, received: &Received, calibration: &Calibration) -> Weight {
        let estimated = received.own.sizes(&self.0.counter).total();
        Weight { estimated, tokens: calibration.apply(estimated) }
    }

    /// The window of a model, as it was configured or is known, or smaller as its provider has told.
    fn window(&self, incoming: &Incoming, model: &str) -> Tokens {
        let known = match self.0.setup.catalogue.lookup(model) {
            Lookup::Known(facts) | Lookup::Family(facts, _) | Lookup::Unknown(facts) => facts.context_length,
        };
        let said = self.0.setup.context_length.unwrap_or(known);
        let told = self.0.sessions.window_of(&incoming.tenant, &incoming.upstream, model, crate::clock::now_ms());
        told.map_or(said, |told| told.min(said))
    }

    /// The window of a request: that of its model, or what the provider that has refused it leaves of it.
    fn window_for(&self, received: &Received) -> Tokens {
        let window = self.window(&received.incoming, received.model());
        received.limit.map_or(window, |limit| limit.room.min(window))
    }

    async fn calibration(&self, received: &Received) -> Calibration {
        let (tenant, session) = (&received.incoming.owner, &received.session);
        if let Some(known) = self.0.sessions.calibration(tenant, session, received.model()) {
            return known;
        }
        let stored = self.0.setup.store.session(tenant, session).await.ok().flatten();
        if let Some(stored) = &stored {
            self.0.sessions.recall_spending(tenant, session, stored.spending);
        }
        let stored = stored.filter(|stored| stored.model == received.model()).and_then(|stored| stored.calibration);
        let calibration = stored.unwrap_or_else(|| Calibration::of_model(received.model()));
        self.0.sessions.learn(tenant, session, received.model(), calibration.clone());
        calibration
    }

    fn replayed(&self, received: &Received, replayed: &Replayed, weighed: &Weighed<'_>) -> Result<Decided, Failure> {
        self.replayed_with(received, replayed, weighed, replayed.thinking())
    }

    fn replayed_with(
        &self,
        received: &Received,
        replayed: &Replayed,
        weighed: &Weighed<'_>,
        thinking: Thinking,
    ) -> Result<Decided, Failure> {
        let since = since(received, replayed);
        let session = Some(replayed.session_of(received));
        Ok(match &replayed.applied {
            Some(applied) => {
                let own = self.own_weight(received, weighed.calibration);
                let spliced = Some(self.spliced(replayed.base(received), applied, thinking)?);
                let (action, sent) = (Action::Replayed, weighed.weight);
                Decided { spliced, thinking, action, own, sent, since, session, considered: None }
            }
            None => {
                let due = self.due(received, replayed, weighed, None, None).is_some();
                let reason = if due { report::Reason::NothingToDo } else { report::Reason::BelowThreshold };
                Decided { since, session, ..Decided::as_it_came(reason, weighed.weight) }
            }
        })
    }

    /// A compaction that a person asked for.
    async fn wish(&self, received: &Received) -> Option<Wish> {
        if self.observes(received) { None } else { wishes::wish_for(received, &*self.0.setup.store).await }
    }

    fn observes(&self, received: &Received) -> bool {
        self.0.setup.observe || Switch::of(&received.incoming.headers) == Switch::Observe
    }

    fn ledger_of(&self, received: &Received) -> Ledger<'_> {
        if self.observes(received) { Ledger::Shadow(&self.0.shadow) } else { Ledger::Stored(&*self.0.setup.store) }
    }

    async fn sent(&self, received: Received, decided: Decided) -> Outgoing {
        let Decided { spliced, thinking, action, own, sent, since, session: _, considered } = decided;
        let observed = self.observes(&received);
        let action = if observed { Action::Untouched(report::Reason::Observed) } else { action };
        let edited = spliced.is_some() && !observed;
        let counted = if edited { sent.estimated } else { own.estimated };
        let Cached { body, expected, markers, broke } = self.cached(&received, spliced, own.estimated, sent.estimated);
        let is_the_clients = body.as_ptr() == received.incoming.body.as_ptr();
        let body = if is_the_clients { body } else { hold(body).await };
        let changed = !is_the_clients && body != received.incoming.body;
        let report = Report {
            session: Some(received.session.clone()),
            action,
            before: Some(own.tokens),
            after: Some(sent.tokens),
            trigger: Some(self.budget(self.window_for(&received), own.tokens, received.model()).trigger),
            markers,
            marked: changed && !edited,
            spending: Some(self.0.sessions.spending(&received.incoming.owner, &received.session)),
        };
        self.count(&report);
        let passed = Passed {
            model: received.model().to_owned(),
            session: received.session.clone(),
            counted,
            report: report.clone(),
            kind: received.kind,
            thinking: edited.then_some(thinking),
            expected,
            broke,
            since,
            considered,
        };
        let upstream_headers = if edited { thinking::headers(thinking, &received) } else { Vec::new() };
        let edited = edited || changed;
        let turn = Arc::new(Call::new(self.clone(), received.incoming, body.clone(), Some(passed)));
        Outgoing { body, edited, upstream_headers, answer_headers: self.answer_headers(&report), turn, keeper: None }
    }

    fn as_it_came(&self, incoming: Incoming, reason: report::Reason) -> Outgoing {
        let report = Report::untouched(reason);
        self.count(&report);
        let body = incoming.body.clone();
        let turn = Arc::new(Call::new(self.clone(), incoming, body.clone(), None));
        let answer_headers = self.answer_headers(&report);
        Outgoing { body, edited: false, upstream_headers: Vec::new(), answer_headers, turn, keeper: None }
    }

    /// What the client is told: what was done, and which engine works here.
    fn answer_headers(&self, report: &Report) -> Vec<(HeaderName, HeaderValue)> {
        let engine = self.0.engine_header.clone().map(|engine| (report::ENGINE_HEADER, engine));
        report.headers().into_iter().chain(engine).collect()
    }

    fn count(&self, report: &Report) {
        if self.0.setup.missing_engine.is_some() {
            self.0.setup.metrics.engine_fell_back();
        }
        match report.action {
            Action::Untouched(reason) if report.marked => self.0.setup.metrics.marked_only(reason.name()),
            Action::Untouched(reason) => self.0.setup.metrics.untouched(reason.name()),
            Action::Replayed | Action::Compacted | Action::CompactedOnce => {
                let (before, after) = (report.before.unwrap_or_default(), report.after.unwrap_or_default());
                self.0.setup.metrics.saved((before - after).0);
            }
        }
    }

    /// Tells people that a session was archived, and where it goes on. What its summary says is for the store alone.
    fn tell_of_archive(&self, received: &Received, continued_by: &SessionId, edits: &[Edit]) {
        let (session, words) = (&received.session, archived::words(edits));
        tracing::warn!(%session, %continued_by, "{}{words} words", archived::ARCHIVED);
    }

    fn count_compaction(&self, compaction: &Compaction, waited: Duration) {
        let metrics = &self.0.setup.metrics;
        if let Some(climbed) = compaction.plan.rungs.last() {
            metrics.compaction(climbed.rung);
        }
        match &compaction.author {
            Some(Author::Asked { audit: Some(_), .. }) => metrics.summary("model", waited),
            Some(Author::Asked { audit: None, .. }) => metrics.summary("local", waited),
            Some(Author::StoodIn { .. }) => metrics.summary("stood_in", waited),
            None => {}
        }
    }

    pub(crate) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }
}

fn log(
    compaction: &Compaction,
    before: &Conversation,
    reason: Reason,
    waited: Duration,
    counter: &dyn TokenCounter,
) -> CompactionLog {
    let saved = saved_by_kind(before, compaction.applied.edits(), counter);
    let (author, stood_in) = match &compaction.author {
        Some(Author::Asked { name, .. }) => (Some(name.clone()), None),
        Some(Author::StoodIn { name, why, .. }) => (Some("local".to_owned()), Some(format!("{name}: {why}"))),
        None => (None, None),
    };
    CompactionLog {
        record: record(compaction, before),
        reason: reason.to_string(),
        rungs: compaction.plan.rungs.iter().map(|climbed| climbed.rung.to_string()).collect(),
        author,
        stood_in,
        wait_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        saved_by: saved.into_iter().map(|(kind, tokens)| (kind.to_owned(), tokens)).collect(),
        compared: None,
    }
}

fn record(compaction: &Compaction, before: &Conversation) -> CompactionRecord {
    CompactionRecord {
        at_ms: crate::clock::now_ms(),
        before: compaction.before,
        after: compaction.after.tokens,
        messages_before: before.messages.len(),
        messages_after: compaction.applied.conversation().messages.len(),
        messages_compressed: Some(messages_compressed(compaction.applied.edits())),
    }
}

/// Waits so long and no longer.
struct MaxWait(Duration);

impl Patience for MaxWait {
    fn runs_out(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(self.0))
    }
}
