//! The life of one request: what the client sends becomes what the provider gets.
//!
//! Read → find the edits that its history had before, and make them again → weigh → compact if that is due → remember →
//! splice. Whatever fails on the way, the request is sent: see `stand_in`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use epitome_core::budget::{Budget, Policy};
use epitome_core::catalogue::{Catalogue, Lookup};
use epitome_core::compaction::{Author, Compaction, Patience, Tools, compact, weigh};
use epitome_core::edit::{Applied, ComposeError, EditError, apply, compose};
use epitome_core::engine::{ContextEngine, Occasion, Reason};
use epitome_core::model::Conversation;
use epitome_core::statistics::CompactionRecord;
use epitome_core::summary::Summarizer;
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::tokens::{BpeCounter, CachedCounter, Calibration, ScaledCounter, Sizes, Tokens};
use epitome_store::memory::MemoryStore;
use epitome_store::records::{CompactionLog, NewEntry, Replay, Thinking};
use epitome_store::store::{Appended, SessionStore, Store, StoreError};

use crate::exchange::{Incoming, Outgoing, Pipeline};
use crate::ledger::Replayed;
use crate::metrics::Metrics;
use crate::received::{Kind, Received, Unread};
use crate::removed::removed;
use crate::report::{self, Action, Report};
use crate::sessions::Sessions;
use crate::turn::{Call, Passed};

/// What the gateway works with.
pub struct Setup {
    /// What is remembered.
    pub store: Arc<dyn Store>,
    /// Decides when to compact, and how.
    pub engine: Arc<dyn ContextEngine>,
    /// What the configuration says about compaction.
    pub policy: Policy,
    /// What is known of models.
    pub catalogue: Catalogue,
    /// The window of every model, if somebody said so.
    pub context_length: Option<Tokens>,
    /// The model that writes summaries; `None`: the local summariser does.
    pub summarizer: Option<Arc<dyn Summarizer>>,
    /// How long a request waits for it.
    pub max_wait: Duration,
    /// Whether there is compression at all.
    pub enabled: bool,
    /// Whether the safety net at 85 % is there.
    pub hygiene: bool,
    /// Whether everything is computed and nothing changed.
    pub observe: bool,
    /// Whether what edits remove is stored.
    pub keep_originals: bool,
    /// Where is counted.
    pub metrics: Arc<Metrics>,
}

/// Decides what becomes of requests.
#[derive(Clone)]
pub struct Gateway(Arc<Inner>);

struct Inner {
    setup: Setup,
    counter: CachedCounter<BpeCounter>,
    sessions: Sessions,
    /// The ledger of what would have been done, for requests that are only watched.
    shadow: MemoryStore,
}

/// Hygiene fires at this share of the window (M2) …
const HYGIENE: f64 = 0.85;
/// … in histories that have so many messages.
const HYGIENE_MESSAGES: usize = 4;
/// A question about a session is compacted only if it takes more than this of the window.
const ASIDE: f64 = 0.95;
/// How often a compaction is tried again because somebody else was faster.
const ROUNDS: usize = 2;

/// What went wrong on our side. It says nothing of what was said.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a plan was refused: {0}")]
    Refused(#[from] EditError),
    #[error("two rounds of edits: {0}")]
    Compose(#[from] ComposeError),
    #[error("an edit has no place in the ledger")]
    NoPlace,
    #[error("others compacted this history again and again")]
    Overtaken,
}

/// What becomes of a request.
struct Decided {
    applied: Option<Applied>,
    action: Action,
    /// What the client's own weighs …
    own: Weight,
    /// … and what is sent.
    sent: Weight,
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

#[async_trait]
impl Pipeline for Gateway {
    async fn outgoing(&self, incoming: Incoming) -> Outgoing {
        if !self.0.setup.enabled {
            return self.as_it_came(incoming, report::Reason::Off);
        }
        let received = match Received::read(incoming) {
            Ok(received) => received,
            Err(Unread { incoming, reason }) => return self.as_it_came(*incoming, reason),
        };
        let calibration = self.calibration(&received).await;
        let decided = match self.decide(&received, &calibration).await {
            Ok(decided) => decided,
            Err(failure) => self.stand_in(&received, &calibration, &failure).await,
        };
        self.sent(received, decided)
    }
}

impl Gateway {
    /// A gateway that remembers nothing yet.
    pub fn new(setup: Setup) -> Gateway {
        let counter = CachedCounter::new(BpeCounter);
        Gateway(Arc::new(Inner { setup, counter, sessions: Sessions::default(), shadow: MemoryStore::default() }))
    }

    /// Makes the edits that the history had before, and compacts it if that is due.
    async fn decide(&self, received: &Received, calibration: &Calibration) -> Result<Decided, Failure> {
        let store = self.ledger_of(received);
        let replayed = Replayed::of(received, store).await?;
        let weighed = self.weigh(received, &replayed, calibration);
        if self.due(received, &weighed).is_none() {
            return Ok(self.replayed(received, replayed, &weighed));
        }
        let first = received.prefixes.first().copied();
        let turn = first.map(|first| self.0.sessions.turn_of(&received.incoming.tenant, first));
        let _mine = match &turn {
            Some(turn) => Some(turn.lock().await),
            None => None,
        };
        for _ in 0..ROUNDS {
            // Whoever had the turn before may have done it.
            let replayed = Replayed::of(received, store).await?;
            let weighed = self.weigh(received, &replayed, calibration);
            let Some(reason) = self.due(received, &weighed) else {
                return Ok(self.replayed(received, replayed, &weighed));
            };
            let waited = Instant::now();
            let asked = self.0.setup.summarizer.as_deref().filter(|_| !self.observes(received));
            let compaction = self.compact(replayed.conversation(received), &weighed, reason, asked).await?;
            if compaction.applied.edits().is_empty() {
                return Ok(self.replayed(received, replayed, &weighed));
            }
            self.count_compaction(&compaction, waited.elapsed());
            let (new, applied) = self.entry(received, &replayed, &compaction, reason, waited.elapsed())?;
            let action = match received.kind {
                Kind::Aside => Action::CompactedOnce,
                Kind::Turn => {
                    let tenant = &received.incoming.tenant;
                    match store.append(tenant, &received.prefixes, replayed.seen, new).await? {
                        Appended::Stored(_) => Action::Compacted,
                        Appended::Overtaken(_) => continue,
                    }
                }
            };
            let own = self.own_weight(received, calibration);
            let sent = self.after(&applied, &compaction);
            return Ok(Decided { applied: Some(applied), action, own, sent });
        }
        Err(Failure::Overtaken)
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
            Failure::Refused(_) | Failure::Compose(_) | Failure::NoPlace | Failure::Overtaken => report::Reason::Failed,
        };
        let as_it_came = Decided { applied: None, action: Action::Untouched(reason), own, sent: own };
        if own.tokens < weighed.budget.context_length {
            return as_it_came;
        }
        match self.compact(received.conversation(), &weighed, Reason::Hygiene, None).await {
            Ok(compaction) => {
                let sent = self.after(&compaction.applied, &compaction);
                Decided { applied: Some(compaction.applied), action: Action::CompactedOnce, own, sent }
            }
            Err(_) => as_it_came,
        }
    }

    /// Compacts a conversation. Summaries are written by whoever is asked, else by the local summariser.
    async fn compact(
        &self,
        conversation: &Conversation,
        weighed: &Weighed<'_>,
        reason: Reason,
        asked: Option<&dyn Summarizer>,
    ) -> Result<Compaction, EditError> {
        let counter = ScaledCounter::new(&self.0.counter, weighed.calibration.factor());
        let local = LocalSummarizer::new(&counter);
        let patience = MaxWait(self.0.setup.max_wait);
        let tools = Tools {
            engine: &*self.0.setup.engine,
            summarizer: asked.unwrap_or(&local),
            patience: &patience,
            counter: &counter,
        };
        compact(conversation, &weighed.sizes, &weighed.budget, &Occasion::new(reason), tools).await
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
    ) -> Result<(NewEntry, Applied), Failure> {
        let client = received.conversation();
        let composed = match &replayed.applied {
            Some(earlier) => compose(client, earlier, &compaction.applied)?,
            None => compaction.applied.clone(),
        };
        let edits = received.places.to_ledger(client, composed.edits()).ok_or(Failure::NoPlace)?;
        let depth = received.places.depth_of(client, composed.edits());
        let anchor = depth.checked_sub(1).and_then(|last| received.prefixes.get(last)).ok_or(Failure::NoPlace)?;
        // As everybody will make them who finds the entry.
        let again = received.places.to_client(client, &edits).ok_or(Failure::NoPlace)?;
        let applied = apply(client, again)?;
        let sent = replayed.conversation(received);
        let round = compaction.applied.edits();
        let removed = if self.0.setup.keep_originals {
            removed(&received.request, replayed.edits(), composed.edits(), sent, round)
        } else {
            Vec::new()
        };
        let settled_at = Some(compaction.after.tokens).filter(|_| compaction.plan.shortfall.is_some());
        let new = NewEntry {
            session: received.session.clone(),
            anchor: *anchor,
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            parent: replayed.entry.as_ref().map(|entry| entry.id),
            replay: Replay { edits, thinking: Thinking::AsItIs, settled_at },
            log: log(compaction, sent, reason, waited),
            removed,
        };
        Ok((new, applied))
    }

    /// Whether a request is compacted now, and why. At most one of the two layers compacts it (M1).
    fn due(&self, received: &Received, weighed: &Weighed<'_>) -> Option<Reason> {
        let budget = &weighed.budget;
        if received.kind == Kind::Aside {
            return (budget.used >= budget.trigger).then_some(Reason::Hygiene);
        }
        let nearly_full = budget.used >= budget.context_length.share(HYGIENE);
        let hygiene = self.0.setup.hygiene && nearly_full && received.prefixes.len() >= HYGIENE_MESSAGES;
        let tried = budget.settled_at.is_some() && !budget.is_due();
        if hygiene && !tried { Some(Reason::Hygiene) } else { self.0.setup.engine.should_compress(budget) }
    }

    fn weigh<'a>(&self, received: &Received, replayed: &Replayed, calibration: &'a Calibration) -> Weighed<'a> {
        let conversation = replayed.conversation(received);
        let window = self.window(received.model());
        let sizes = Sizes::of(conversation, &self.0.counter);
        let counted = self.counted(conversation, &sizes, calibration, window);
        let used = calibration.apply(counted);
        let policy = match received.kind {
            Kind::Turn => self.0.setup.policy.clone(),
            Kind::Aside => Policy { threshold: ASIDE, ..self.0.setup.policy.clone() },
        };
        let mut budget = Budget::new(window, used, &policy);
        budget.unseen = calibration.hidden().min(used);
        budget.settled_at = replayed.entry.as_ref().and_then(|entry| entry.replay.settled_at);
        let weight = Weight { estimated: sizes.total(), tokens: used };
        Weighed { weight, sizes: sizes.scaled_to(used - budget.unseen), budget, calibration }
    }

    /// Our count, as exactly as it must be: what the provider reports makes up for what an estimate is off.
    fn counted(&self, conversation: &Conversation, sizes: &Sizes, calibration: &Calibration, window: Tokens) -> Tokens {
        if calibration.observations() > 0 {
            return sizes.total();
        }
        let trigger = Budget::new(window, Tokens(0), &self.0.setup.policy).trigger;
        let limit = Tokens((trigger.0 as f64 / calibration.factor()) as u64);
        weigh(conversation, sizes, limit, &self.0.counter).tokens
    }

    /// What the client's own request weighs, where something else was weighed.
    fn own_weight(&self, received: &Received, calibration: &Calibration) -> Weight {
        let estimated = Sizes::of(received.conversation(), &self.0.counter).total();
        Weight { estimated, tokens: calibration.apply(estimated) }
    }

    fn window(&self, model: &str) -> Tokens {
        let known = match self.0.setup.catalogue.lookup(model) {
            Lookup::Known(facts) | Lookup::Family(facts, _) | Lookup::Unknown(facts) => facts.context_length,
        };
        let said = self.0.setup.context_length.unwrap_or(known);
        self.0.sessions.window_of(model).map_or(said, |told| told.min(said))
    }

    async fn calibration(&self, received: &Received) -> Calibration {
        let (tenant, session) = (&received.incoming.tenant, &received.session);
        if let Some(known) = self.0.sessions.calibration(tenant, session, received.model()) {
            return known;
        }
        let stored = self.0.setup.store.session(tenant, session).await.ok().flatten();
        let stored = stored.filter(|stored| stored.model == received.model()).and_then(|stored| stored.calibration);
        let calibration = stored.unwrap_or_else(|| Calibration::of_model(received.model()));
        self.0.sessions.learn(tenant, session, received.model(), calibration.clone());
        calibration
    }

    fn replayed(&self, received: &Received, replayed: Replayed, weighed: &Weighed<'_>) -> Decided {
        match replayed.applied {
            Some(applied) => {
                let own = self.own_weight(received, weighed.calibration);
                Decided { applied: Some(applied), action: Action::Replayed, own, sent: weighed.weight }
            }
            None => {
                let due = self.due(received, weighed).is_some();
                let reason = if due { report::Reason::NothingToDo } else { report::Reason::BelowThreshold };
                let own = weighed.weight;
                Decided { applied: None, action: Action::Untouched(reason), own, sent: own }
            }
        }
    }

    fn observes(&self, received: &Received) -> bool {
        let told = received.incoming.headers.get("x-epitome");
        self.0.setup.observe || told.is_some_and(|told| told.as_bytes() == b"observe")
    }

    fn ledger_of(&self, received: &Received) -> &dyn SessionStore {
        if self.observes(received) { &self.0.shadow } else { &*self.0.setup.store }
    }

    fn sent(&self, received: Received, decided: Decided) -> Outgoing {
        let Decided { applied, mut action, own, mut sent } = decided;
        let spliced = applied.as_ref().map(|applied| received.request.splice(applied));
        let (body, edited) = match spliced {
            Some(Ok(_)) if self.observes(&received) => (received.incoming.body.clone(), false),
            Some(Ok(spliced)) => (spliced.bytes.into(), true),
            Some(Err(error)) => {
                tracing::warn!(session = %received.session, %error, "the edits could not be put into the request");
                (action, sent) = (Action::Untouched(report::Reason::Failed), own);
                (received.incoming.body.clone(), false)
            }
            None => (received.incoming.body.clone(), false),
        };
        let counted = if edited { sent.estimated } else { own.estimated };
        if self.observes(&received) {
            action = Action::Untouched(report::Reason::Observed);
        }
        let report = Report {
            session: Some(received.session.clone()),
            action,
            before: Some(own.tokens),
            after: Some(sent.tokens),
        };
        self.count(&report);
        let passed = Passed {
            model: received.model().to_owned(),
            session: received.session.clone(),
            counted,
            report: report.clone(),
            kind: received.kind,
        };
        let turn = Arc::new(Call::new(self.clone(), received.incoming, body.clone(), Some(passed)));
        Outgoing { body, edited, upstream_headers: Vec::new(), answer_headers: report.headers(), turn }
    }

    fn as_it_came(&self, incoming: Incoming, reason: report::Reason) -> Outgoing {
        let report = Report::untouched(reason);
        self.count(&report);
        let body = incoming.body.clone();
        let turn = Arc::new(Call::new(self.clone(), incoming, body.clone(), None));
        Outgoing { body, edited: false, upstream_headers: Vec::new(), answer_headers: report.headers(), turn }
    }

    fn count(&self, report: &Report) {
        match report.action {
            Action::Untouched(reason) => self.0.setup.metrics.untouched(reason.name()),
            Action::Replayed | Action::Compacted | Action::CompactedOnce => {
                let (before, after) = (report.before.unwrap_or_default(), report.after.unwrap_or_default());
                self.0.setup.metrics.saved((before - after).0);
            }
        }
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

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.0.setup.store
    }

    pub(crate) fn sessions(&self) -> &Sessions {
        &self.0.sessions
    }
}

fn log(compaction: &Compaction, before: &Conversation, reason: Reason, waited: Duration) -> CompactionLog {
    let (author, stood_in) = match &compaction.author {
        Some(Author::Asked { name, .. }) => (Some(name.clone()), None),
        Some(Author::StoodIn { name, why, .. }) => (Some("local".to_owned()), Some(format!("{name}: {why}"))),
        None => (None, None),
    };
    CompactionLog {
        record: CompactionRecord {
            at_ms: crate::clock::now_ms(),
            before: compaction.before,
            after: compaction.after.tokens,
            messages_before: before.messages.len(),
            messages_after: compaction.applied.conversation().messages.len(),
        },
        reason: reason.to_string(),
        rungs: compaction.plan.rungs.iter().map(|climbed| climbed.rung.to_string()).collect(),
        author,
        stood_in,
        wait_ms: u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
    }
}

/// Waits so long and no longer.
struct MaxWait(Duration);

impl Patience for MaxWait {
    fn runs_out(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(self.0))
    }
}
