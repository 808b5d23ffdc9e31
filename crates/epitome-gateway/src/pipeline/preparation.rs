//! Compaction without waiting: when a session nears its trigger, its compaction is prepared in the background, and at the
//! trigger it is there.
//!
//! It begins when a call has ended whose request was large enough. What is prepared is kept in the store, so that any
//! gateway can use it, and a lease keeps two of them from preparing the same. Whatever goes wrong, nobody notices: at the
//! trigger a summary is asked for then, or the local one is written.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use epitome_core::compaction::Author;
use epitome_core::engine::{Occasion, Reason, Rung};
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::tokens::{Calibration, Tokens};
use epitome_provider::Sent;
use epitome_store::records::{NewEntry, Tenant, TurnUsage};
use epitome_store::store::{Appended, StoreError};
use tokio::sync::{Notify, watch};

use super::due::Due;
use super::{Decided, Failure, Gateway, Weighed, Weight, lines};
use crate::clock;
use crate::exchange::Incoming;
use crate::ledger::Replayed;
use crate::received::{Kind, Received};
use crate::report::{self, Action};
use crate::sessions::{Generations, lock};
use crate::turn::Passed;

/// Nobody else prepares the same for so long. Whoever dies meanwhile keeps the others from it no longer than that.
const LEASE: Duration = Duration::from_secs(300);
/// Whoever asks for a summary while a request waits holds the lease for this much longer than the request may wait: it has yet
/// to remember what came.
const REMEMBERING: Duration = Duration::from_secs(10);
/// Work ends before its lease does, whatever the clocks of two machines differ by.
const WORK: Duration = Duration::from_secs(290);
/// What is older is not used. The messages that it is about are the same for ever, but what it was made with is not: the
/// configuration, the model, this program.
const OLDEST_MS: u64 = 24 * 60 * 60 * 1_000;
/// It must leave some room, as every compaction does, or the next turn would trigger again.
const COMFORT: f64 = 0.85;
/// A model that did not deliver is not asked again and again for the same history.
const ATTEMPTS: u32 = 2;
/// How often it is looked whether another gateway is ready.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// What a provider counts may be more than we did by so much.
const MISCOUNT: f64 = 0.7;
/// When the gateway stops, what runs beside requests may take so long to end …
const ENDING: Duration = Duration::from_secs(5);
/// … and then what is noted of the last calls, so long to be stored.
const STORING: Duration = Duration::from_secs(5);

/// What is prepared for a request that must be compacted.
pub(super) enum Prepared {
    /// Its compaction.
    Usable(Box<Usable>),
    /// Nothing that came in time, and no model is to be asked any more: this request has waited for it, or it had failed.
    TooLate,
    /// Others have compacted the history since it was looked up.
    Overtaken,
    /// Nothing, and nobody is at it. Whoever asks a model now holds the lease for that, where one is needed.
    Nothing(Option<Held>),
}

/// A lease that is held while a request's summary is asked for. It is given back when this is dropped.
pub(super) struct Held {
    gateway: Gateway,
    tenant: Tenant,
    since: PrefixFingerprint,
    owner: String,
}

impl Drop for Held {
    fn drop(&mut self) {
        let (gateway, tenant, since, owner) =
            (self.gateway.clone(), self.tenant.clone(), self.since, self.owner.clone());
        let tasks = gateway.0.setup.tasks.clone();
        // A client that goes away drops this too, and nobody waits for it. At the program's end the lease ends with it.
        if tokio::runtime::Handle::try_current().is_ok() {
            tasks.spawn(async move { gateway.give_back(&tenant, since, &owner).await });
        }
    }
}

/// A compaction that was prepared and fits a request.
pub(super) struct Usable {
    entry: NewEntry,
    /// What it makes of the request.
    made: Replayed,
    sent: Weight,
}

/// What is being prepared in this process.
pub(super) struct Preparations {
    /// By whose and since which compaction.
    progress: std::sync::Mutex<Generations<(Tenant, PrefixFingerprint), Progress>>,
    /// Tells the tasks of all gateways apart.
    instance: u64,
    tasks: AtomicU64,
}

#[derive(Clone)]
enum Progress {
    /// Somebody is at it.
    UnderWay(UnderWay),
    /// It did not succeed, so often.
    Failed(u32),
}

#[derive(Clone)]
struct UnderWay {
    /// The history that it is about.
    of: PrefixFingerprint,
    /// Closed when it has ended.
    ended: watch::Receiver<()>,
    /// It is not needed any more.
    cancel: Arc<Notify>,
    failed_before: u32,
}

/// How a preparation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It is in the store.
    Ready,
    /// It is not needed, or somebody else is at it.
    NotNeeded,
    /// The model did not deliver.
    Failed,
}

impl Default for Preparations {
    fn default() -> Preparations {
        Preparations {
            progress: std::sync::Mutex::default(),
            instance: RandomState::new().hash_one(std::process::id()),
            tasks: AtomicU64::new(0),
        }
    }
}

impl Gateway {
    /// Prepares the compaction of a session in the background, if it nears its trigger. A call has just ended, for which
    /// `body` was sent.
    pub(crate) fn prepare(&self, incoming: &Incoming, body: &Bytes, passed: &Passed, usage: Option<TurnUsage>) {
        let setup = &self.0.setup;
        let Some(share) = setup.prepare_at.filter(|_| setup.writer.asks_models()) else { return };
        let as_it_should = match passed.report.action {
            Action::Untouched(report::Reason::BelowThreshold) | Action::Replayed | Action::Compacted => true,
            Action::Untouched(_) | Action::CompactedOnce => false,
        };
        let told = usage.map(|usage| Tokens(usage.prompt)).filter(|prompt| *prompt > Tokens(0));
        let tokens = told.or(passed.report.after).filter(|_| as_it_should && passed.kind == Kind::Turn);
        let (Some(tokens), Some(since)) = (tokens, passed.since) else { return };
        let trigger = self.budget(self.window(incoming, &passed.model), tokens, &passed.model).trigger;
        let soon = tokens >= trigger.share(share)
            || passed.considered.as_ref().is_some_and(|considered| considered.nearly_pays(share));
        if !soon || tokens >= trigger || setup.tasks.are_stopping() {
            return;
        }
        // Only who caches has the whole conversation at hand; elsewhere it is shown in short.
        let cached = usage.is_some_and(|usage| usage.cache_read + usage.cache_write > 0);
        let sent = Sent { body: body.clone(), dialect: incoming.dialect, tokens };
        let (gateway, incoming) = (self.clone(), incoming.clone());
        let work = async move { gateway.prepare_in_background(incoming, since, cached.then_some(sent)).await };
        self.0.setup.tasks.spawn(work);
    }

    /// Whether a compaction may be prepared when a call has ended, so that its bodies are kept until then. They are not where
    /// memory is short: then the summary is asked for when it is due.
    pub(crate) fn may_prepare(&self, incoming: &Incoming, passed: &Passed) -> bool {
        let setup = &self.0.setup;
        let Some(share) = setup.prepare_at.filter(|_| setup.writer.asks_models()) else { return false };
        let nears = || {
            let tokens = passed.report.after?;
            let trigger = self.budget(self.window(incoming, &passed.model), tokens, &passed.model).trigger;
            Some(tokens >= trigger.share(share * MISCOUNT))
        };
        let asked = passed.kind == Kind::Turn && passed.since.is_some();
        asked && (passed.considered.is_some() || nears() == Some(true)) && setup.compute.buffers().are_half_free()
    }

    /// Stops what is being prepared, gives back its leases, and stores what is noted of the last calls.
    pub async fn close(&self) {
        let left = self.0.setup.tasks.close(ENDING).await;
        if left > 0 {
            // They end with the process, and their leases with time.
            tracing::warn!(left, "tasks did not end in time");
        }
        self.0.recorder.close(STORING).await;
    }

    /// Waits so long. `false`: the gateway stops.
    pub(super) async fn pauses_for(&self, wait: Duration) -> bool {
        tokio::select! {
            () = tokio::time::sleep(wait) => true,
            () = self.0.setup.tasks.stopping() => false,
        }
    }

    /// Whether a compaction of a history is ready that leaves it below `limit`.
    pub(super) async fn is_prepared(
        &self,
        received: &Received,
        replayed: &Replayed,
        calibration: &Calibration,
        limit: Tokens,
    ) -> Result<bool, StoreError> {
        let there = self.0.setup.store.prepared(&received.incoming.tenant, &received.prefixes).await?;
        Ok(there.is_some_and(|there| self.usable(received, replayed, calibration, limit, there).is_some()))
    }

    /// Prepares the compaction of a history that had its last one at `since`.
    pub(super) async fn prepare_in_background(&self, incoming: Incoming, since: PrefixFingerprint, sent: Option<Sent>) {
        let (gateway, length) = (self.clone(), incoming.body.len());
        let work = async move { gateway.prepare_now(incoming, since, sent).await };
        match self.0.setup.compute.run_ahead(length, work).await {
            Some(Ok(())) => {}
            Some(Err(fault)) => tracing::error!(error = %fault, "a compaction could not be prepared"),
            None => tracing::info!("too much is being prepared: a summary is asked for when it is due"),
        }
    }

    async fn prepare_now(&self, incoming: Incoming, since: PrefixFingerprint, sent: Option<Sent>) {
        let began = Instant::now();
        let Ok(mut received) = Received::read(incoming, &self.0.known) else { return };
        let outcome = match self.prepare_once(&mut received, since, sent).await {
            Ok(outcome) => outcome,
            Err(failure) => {
                tracing::warn!(session = %received.session, error = %failure, "a compaction could not be prepared");
                return;
            }
        };
        let milliseconds = began.elapsed().as_millis() as u64;
        match outcome {
            Outcome::Ready => tracing::info!(session = %received.session, milliseconds, "a compaction is prepared"),
            Outcome::Failed => {
                self.0.setup.metrics.summary("not_prepared", began.elapsed());
                tracing::info!(session = %received.session, milliseconds, "no summary came for a compaction ahead");
            }
            Outcome::NotNeeded => {}
        }
    }

    /// Prepares a compaction, unless it is there or somebody is at it.
    async fn prepare_once(
        &self,
        received: &mut Received,
        of: PrefixFingerprint,
        sent: Option<Sent>,
    ) -> Result<Outcome, Failure> {
        let (store, tenant) = (&*self.0.setup.store, &received.incoming.tenant.clone());
        let replayed = Replayed::of(received, store).await?;
        received.session = replayed.session_of(received);
        let (Some(since), Some(deepest)) = (since(received, &replayed), received.prefixes.last()) else {
            return Ok(Outcome::NotNeeded);
        };
        let calibration = self.calibration(received).await;
        let limit = self.due_at(&self.weigh(received, &replayed, &calibration).budget);
        // It may have been compacted since it was large.
        if since != of || self.is_prepared(received, &replayed, &calibration, limit).await? {
            return Ok(Outcome::NotNeeded);
        }
        let Some(task) = self.0.preparations.begin(tenant, since, *deepest) else { return Ok(Outcome::NotNeeded) };
        let now_ms = clock::now_ms();
        if !store.lease(tenant, since, &task.owner, now_ms, now_ms + LEASE.as_millis() as u64).await? {
            return Ok(Outcome::NotNeeded);
        }
        let work = async {
            // Who had the lease before may have done it since it was looked up.
            if self.is_prepared(received, &replayed, &calibration, limit).await? {
                return Ok(Outcome::NotNeeded);
            }
            self.write_ahead(received, replayed, sent).await
        };
        let outcome = tokio::select! {
            written = tokio::time::timeout(WORK, work) => {
                written.unwrap_or(Ok(Outcome::Failed))
            }
            () = task.cancel.notified() => Ok(Outcome::NotNeeded),
            () = self.0.setup.tasks.stopping() => Ok(Outcome::NotNeeded),
        };
        self.give_back(tenant, since, &task.owner).await;
        task.ended(&outcome);
        outcome
    }

    /// Gives back a lease.
    async fn give_back(&self, tenant: &Tenant, since: PrefixFingerprint, owner: &str) {
        let now_ms = clock::now_ms();
        // One that ends now is given back.
        if let Err(error) = self.0.setup.store.lease(tenant, since, owner, now_ms, now_ms).await {
            tracing::debug!(%error, "a lease ends with time");
        }
    }

    /// Compacts as it will be done at the trigger, and keeps that.
    async fn write_ahead(
        &self,
        received: &Received,
        replayed: Replayed,
        sent: Option<Sent>,
    ) -> Result<Outcome, Failure> {
        let (store, tenant) = (&*self.0.setup.store, &received.incoming.tenant);
        let window = self.window_for(received);
        let Some(writer) = self.0.setup.writer.of(received, window, sent) else { return Ok(Outcome::NotNeeded) };
        let calibration = self.calibration(received).await;
        let thinking = self.binding(received, &replayed).at_compaction(received, replayed.thinking());
        let replayed = replayed.with_thinking(received, thinking).ok_or(Failure::NoPlace)?;
        let weighed = self.weigh(received, &replayed, &calibration);
        let began = Instant::now();
        let conversation = replayed.conversation(received);
        let compaction = self
            .compact_within(WORK, conversation, &weighed, &Occasion::new(Reason::Threshold), Some(&*writer))
            .await?;
        self.note_summary(received, &compaction);
        match &compaction.author {
            Some(Author::Asked { audit: Some(_), .. }) => {}
            Some(Author::StoodIn { why, .. }) => {
                tracing::info!(session = %received.session, why, "a model did not write a summary ahead");
                return Ok(Outcome::Failed);
            }
            // Nothing that is worth a model's words would go.
            Some(Author::Asked { audit: None, .. }) | None => return Ok(Outcome::NotNeeded),
        }
        // A session is archived when nothing else is left, and not ahead.
        if compaction.plan.restarts() {
            return Ok(Outcome::NotNeeded);
        }
        let (entry, _) = self.entry(received, &replayed, &compaction, Reason::Threshold, began.elapsed(), thinking)?;
        // Whoever has compacted the history meanwhile was faster, and this is about another one now.
        let matches = store.matches(tenant, &received.prefixes).await?;
        if matches.first().map(|entry| entry.id) != replayed.seen {
            return Ok(Outcome::NotNeeded);
        }
        store.put_prepared(tenant, &entry).await?;
        Ok(Outcome::Ready)
    }

    /// What is prepared for a request that must be compacted now. Waits for what is under way, here or at another gateway, as
    /// long as it may.
    pub(super) async fn prepared(&self, received: &Received, replayed: &Replayed, weighed: &Weighed<'_>) -> Prepared {
        let setup = &self.0.setup;
        let asks = setup.writer.asks_models() && received.kind == Kind::Turn;
        let Some(since) = since(received, replayed).filter(|_| asks) else { return Prepared::Nothing(None) };
        if self.observes(received) {
            return Prepared::Nothing(None);
        }
        match self.wait_for_prepared(received, replayed, weighed, since).await {
            Ok(prepared) => prepared,
            Err(error) => {
                setup.metrics.store_error("prepared");
                tracing::warn!(session = %received.session, %error, "what was prepared could not be looked up");
                Prepared::Nothing(None)
            }
        }
    }

    async fn wait_for_prepared(
        &self,
        received: &Received,
        replayed: &Replayed,
        weighed: &Weighed<'_>,
        since: PrefixFingerprint,
    ) -> Result<Prepared, StoreError> {
        let (setup, tenant) = (&self.0.setup, &received.incoming.tenant);
        let until = tokio::time::Instant::now() + setup.max_wait;
        let mut held = None;
        loop {
            // Looked up first: what ends after this is found in the store below.
            let progress = self.0.preparations.progress_of(tenant, since);
            let there = setup.store.prepared(tenant, &received.prefixes).await?;
            if let Some(usable) = there
                .and_then(|there| self.usable(received, replayed, weighed.calibration, weighed.budget.trigger, there))
            {
                return Ok(Prepared::Usable(Box::new(usable)));
            }
            match progress {
                Some(Progress::UnderWay(mut under_way)) if received.prefixes.contains(&under_way.of) => {
                    let ended = async { while under_way.ended.changed().await.is_ok() {} };
                    if tokio::time::timeout_at(until, ended).await.is_err() {
                        under_way.cancel.notify_one();
                        return Ok(Prepared::TooLate);
                    }
                }
                Some(Progress::Failed(_)) => return Ok(Prepared::TooLate),
                // What is prepared of another branch is of no use here.
                Some(Progress::UnderWay(_)) => return Ok(Prepared::Nothing(None)),
                None if held.is_some() => return Ok(Prepared::Nothing(held)),
                None => {}
            }
            held = self.take_lease(tenant, since).await?;
            // Whoever had the lease before has left something to be found: in the ledger, or, when it is looked for once
            // more, prepared.
            let matches = setup.store.matches(tenant, &received.prefixes).await?;
            if matches.first().map(|entry| entry.id) != replayed.seen {
                return Ok(Prepared::Overtaken);
            }
            if held.is_none() {
                if tokio::time::Instant::now() >= until {
                    return Ok(Prepared::TooLate);
                }
                tokio::time::sleep_until(until.min(tokio::time::Instant::now() + LOOK_AGAIN)).await;
            }
        }
    }

    /// The lease for a summary that is asked for while a request waits; `None`: another gateway is at it.
    async fn take_lease(&self, tenant: &Tenant, since: PrefixFingerprint) -> Result<Option<Held>, StoreError> {
        let (setup, owner) = (&self.0.setup, self.0.preparations.owner());
        let now_ms = clock::now_ms();
        let until_ms = now_ms + (setup.max_wait + REMEMBERING).as_millis() as u64;
        let is_ours = setup.store.lease(tenant, since, &owner, now_ms, until_ms).await?;
        Ok(is_ours.then(|| Held { gateway: self.clone(), tenant: tenant.clone(), since, owner }))
    }

    /// What was prepared, if it still fits: made of the same compaction, not too old, borne by the history, and leaving room
    /// below the trigger. That bounds what came since, which stays as it is.
    fn usable(
        &self,
        received: &Received,
        replayed: &Replayed,
        calibration: &Calibration,
        limit: Tokens,
        mut entry: NewEntry,
    ) -> Option<Usable> {
        let is_fresh = clock::now_ms().saturating_sub(entry.log.record.at_ms) <= OLDEST_MS;
        if !is_fresh || !is_about(&entry, replayed) {
            return None;
        }
        // Turns may have ended since.
        let thinking = self.binding(received, replayed).at_compaction(received, replayed.thinking());
        entry.removed.extend(self.thoughts(received, entry.replay.thinking, thinking));
        entry.replay.thinking = thinking;
        let made = Replayed::made(received, &entry.replay)?;
        let sent = self.weigh(received, &made, calibration).weight;
        (sent.tokens < limit.share(COMFORT)).then_some(Usable { entry, made, sent })
    }

    /// Compacts a request by what was prepared. `None`: somebody else was faster.
    pub(super) async fn use_prepared(
        &self,
        received: &Received,
        replayed: &Replayed,
        weighed: &Weighed<'_>,
        usable: Usable,
        due: &Due,
        waited: Duration,
    ) -> Result<Option<Decided>, Failure> {
        let Usable { mut entry, made, sent } = usable;
        let thinking = entry.replay.thinking;
        let applied = made.applied.as_ref().ok_or(Failure::NoPlace)?;
        // Before it is remembered: what cannot be sent is no compaction.
        let spliced = Some(self.spliced(made.base(received), applied, thinking)?);
        let before = replayed.conversation(received);
        lines::compaction_starts(&received.session, &weighed.budget, due.reason);
        let session = replayed.session_of(received);
        entry.session = session.clone();
        entry.log.reason = due.reason.to_string();
        entry.log.compared = due.compared();
        entry.log.wait_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX);
        let record = &mut entry.log.record;
        record.at_ms = clock::now_ms();
        (record.before, record.after) = (weighed.weight.tokens, sent.tokens);
        record.messages_before = before.messages.len();
        record.messages_after = applied.conversation().messages.len();
        lines::compaction_ended(&session, record);
        let since = Some(entry.anchor);
        let (author, rung) = (entry.log.author.clone(), entry.log.rungs.last().cloned());
        let saved_by = entry.log.saved_by.clone();
        let tenant = &received.incoming.tenant;
        match self.0.setup.store.append(tenant, &received.prefixes, replayed.seen, entry).await? {
            Appended::Overtaken(_) => return Ok(None),
            Appended::Stored(_) => {}
        }
        due.tell(received);
        self.0.setup.metrics.summary("prepared", waited);
        self.0.setup.metrics.edited(&saved_by);
        if let Some(rung) = Rung::ALL.into_iter().find(|known| rung.as_deref() == Some(&known.to_string())) {
            self.0.setup.metrics.compaction(rung);
        }
        let milliseconds = waited.as_millis() as u64;
        tracing::info!(session = %received.session, author, milliseconds, "prepared: a compaction was there when it was due");
        let own = self.own_weight(received, weighed.calibration);
        let (action, session) = (Action::Compacted, Some(session));
        Ok(Some(Decided { spliced, thinking, action, own, sent, since, session, considered: None }))
    }
}

/// What a preparation is named by: the last compaction that the history had, or its first message. All that is prepared
/// until the next compaction is the same work, however long the history is by then.
pub(super) fn since(received: &Received, replayed: &Replayed) -> Option<PrefixFingerprint> {
    let compacted = replayed.entry.as_ref().map(|entry| entry.anchor);
    compacted.or_else(|| received.prefixes.first().copied())
}

/// Whether it goes on from the compaction that the history has.
fn is_about(entry: &NewEntry, replayed: &Replayed) -> bool {
    entry.parent == replayed.entry.as_ref().map(|entry| entry.id)
}

/// One preparation under way, known to those who wait for it until it is dropped.
struct Task<'a> {
    preparations: &'a Preparations,
    key: (Tenant, PrefixFingerprint),
    owner: String,
    cancel: Arc<Notify>,
    failed_before: u32,
    _ended: watch::Sender<()>,
}

impl Preparations {
    /// Begins a preparation, if nobody is at it and it has not failed too often.
    fn begin(&self, tenant: &Tenant, since: PrefixFingerprint, of: PrefixFingerprint) -> Option<Task<'_>> {
        let key = (tenant.clone(), since);
        let mut progress = lock(&self.progress);
        let failed_before = match progress.get(&key) {
            Some(Progress::UnderWay(_)) => return None,
            Some(Progress::Failed(times)) if times >= ATTEMPTS => return None,
            Some(Progress::Failed(times)) => times,
            None => 0,
        };
        let (ending, ended) = watch::channel(());
        let cancel = Arc::new(Notify::new());
        let under_way = UnderWay { of, ended, cancel: cancel.clone(), failed_before };
        progress.put(key.clone(), Progress::UnderWay(under_way));
        Some(Task { preparations: self, key, owner: self.owner(), cancel, failed_before, _ended: ending })
    }

    fn progress_of(&self, tenant: &Tenant, since: PrefixFingerprint) -> Option<Progress> {
        lock(&self.progress).get(&(tenant.clone(), since))
    }

    /// A name that nobody else has.
    fn owner(&self) -> String {
        format!("{:016x}-{}", self.instance, self.tasks.fetch_add(1, Ordering::Relaxed))
    }
}

impl Task<'_> {
    fn ended(self, outcome: &Result<Outcome, Failure>) {
        let failed = matches!(outcome, Ok(Outcome::Failed) | Err(_));
        if failed {
            let times = self.failed_before + 1;
            lock(&self.preparations.progress).put(self.key.clone(), Progress::Failed(times));
        }
    }
}

impl Drop for Task<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.preparations.progress);
        if let Some(Progress::UnderWay(under_way)) = progress.get(&self.key) {
            match under_way.failed_before {
                0 => progress.remove(&self.key),
                times => progress.put(self.key.clone(), Progress::Failed(times)),
            }
        }
    }
}
