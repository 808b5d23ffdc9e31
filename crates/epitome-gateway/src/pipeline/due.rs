//! Whether a request is compacted now, and why: its size, a wish, or that it pays for itself (`compression.trigger: cost`).
//!
//! What the cost rule must know of a session's earlier calls is kept with the session: a restart forgets nothing of it, and
//! gateways that share a store know of each other's calls.

use std::time::Duration;

use bytes::Bytes;
use epitome_core::budget::{Budget, Trigger};
use epitome_core::cache::Ttl;
use epitome_core::cost::trigger::{Action, Decision, Foregone, Outlook, Pause, Rates, Reading, Rule, Situation};
use epitome_core::engine::Reason;
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::model::{Conversation, Role};
use epitome_core::tokens::{ScaledCounter, Sizes, Tokens};
use epitome_provider::Sent;
use epitome_store::records::{Rent, SessionId, TurnUsage, Wish};

use super::preparation::since;
use super::{Gateway, HYGIENE, HYGIENE_MESSAGES, Weighed};
use crate::clock;
use crate::exchange::Incoming;
use crate::ledger::Replayed;
use crate::received::{Kind, Limit, Received};
use crate::report;
use crate::turn::Passed;

/// That a request is compacted now.
pub(super) struct Due {
    pub(super) reason: Reason,
    /// What is done about it, and the numbers that were compared, if prices decided.
    paying: Option<(Action, String)>,
}

/// What the cost rule said about a request, and what it must know at the next.
#[derive(Debug, Clone)]
pub(crate) struct Considered {
    decision: Decision,
    rule: Rule,
    since: PrefixFingerprint,
    /// What not acting has cost, when this call is answered.
    foregone: Foregone,
    /// The same if what the rule says was done.
    settled: Foregone,
    size: Tokens,
    /// What was known of the session's calls before.
    before: Option<Rent>,
    /// Whether the provider's cache still holds the last call.
    warm: bool,
    outlook: Outlook,
}

/// A provider that keeps prompts would have kept one of this length …
const SURELY_CACHED: Tokens = Tokens(4_096);
/// … and one that has not kept so many, and never any, keeps none.
const MISSES: u8 = 3;
/// A summary is asked for so long before the provider forgets the prompt: time enough to read it.
const BEFORE_IT_IS_COLD: Duration = Duration::from_secs(30);

impl Due {
    fn by_size(reason: Reason) -> Due {
        Due { reason, paying: None }
    }

    /// The budget of a compaction that is due.
    pub(super) fn budget(&self, mut budget: Budget, kind: Kind) -> Budget {
        if self.reason == Reason::Hygiene && kind == Kind::Turn {
            // The threshold may be configured above the safety net, which then leads below itself.
            budget.trigger = budget.trigger.min(budget.context_length.share(HYGIENE));
        }
        match self.paying {
            Some((action, _)) => budget.paying(action),
            None => budget,
        }
    }

    /// Whether a summary is to be written.
    pub(super) fn summarizes(&self) -> bool {
        self.paying.as_ref().is_none_or(|(action, _)| *action == Action::Summarize)
    }

    /// What is known when it was carried out.
    pub(super) fn settle(&self, considered: Option<Considered>) -> Option<Considered> {
        considered.map(|considered| match self.paying {
            Some(_) => considered.done(),
            // Whatever it was made for, nothing is foregone any more.
            None => Considered { foregone: Foregone::default(), ..considered },
        })
    }

    /// Says in the log what was compared.
    pub(super) fn tell(&self, received: &Received) {
        if let Some((_, compared)) = &self.paying {
            tracing::info!(session = %received.session, compared, "a compaction pays for itself");
        }
    }

    /// The numbers that were compared.
    pub(super) fn compared(&self) -> Option<String> {
        self.paying.as_ref().map(|(_, compared)| compared.clone())
    }
}

impl Considered {
    /// What the rule says was done, or turned out to be impossible: it is not tried again at once.
    pub(super) fn done(self) -> Considered {
        Considered { foregone: self.settled, ..self }
    }

    /// Whether a summary pays soon: not acting has cost this share of its price.
    pub(super) fn nearly_pays(&self, share: f64) -> bool {
        let summary = self.decision.compared.iter().find(|numbers| numbers.action == Action::Summarize);
        self.decision.action.is_none() && summary.is_some_and(|numbers| numbers.foregone >= share * numbers.price)
    }

    /// What is known at the next call, when this one was answered.
    fn rent(&self, since: PrefixFingerprint, usage: Option<&TurnUsage>, at_ms: u64) -> Rent {
        let (cached, misses) = self.before.map_or((false, 0), |rent| (rent.cached, rent.misses));
        let should_have_read = self.warm && self.before.is_some_and(|rent| rent.prompt >= SURELY_CACHED);
        let (cached, misses) = match usage {
            Some(usage) if usage.cache_read + usage.cache_write > 0 => (true, 0),
            Some(_) if should_have_read => (cached, misses.saturating_add(1)),
            Some(_) | None => (cached, misses),
        };
        let prompt = usage.map(|usage| Tokens(usage.prompt)).filter(|prompt| *prompt > Tokens(0));
        Rent {
            since: *since.as_bytes(),
            foregone: self.foregone,
            at_ms,
            prompt: prompt.unwrap_or(self.size),
            cached,
            misses,
        }
    }
}

/// What stands behind the model's last answer: nobody has sent that before.
fn behind_last_answer(conversation: &Conversation, sizes: &Sizes) -> Tokens {
    let messages = conversation.messages.iter().zip(&sizes.messages).rev();
    messages.take_while(|(message, _)| message.role != Role::Assistant).map(|(_, size)| *size).sum()
}

/// Whether the provider keeps prompts, as far as it was seen.
fn provider_caches(rent: Option<&Rent>) -> bool {
    rent.is_none_or(|rent| rent.cached || rent.misses < MISSES)
}

impl Gateway {
    /// Whether a request is compacted now, and why. At most one of the two layers compacts it (M1).
    pub(super) fn due(
        &self,
        received: &Received,
        replayed: &Replayed,
        weighed: &Weighed<'_>,
        wish: Option<&Wish>,
        considered: Option<&Considered>,
    ) -> Option<Due> {
        let budget = &weighed.budget;
        if wish.is_some() {
            return Some(Due::by_size(Reason::Asked));
        }
        let is_refused = |limit: Limit| budget.used >= limit.room || weighed.weight.estimated >= limit.refused;
        if received.limit.is_some_and(is_refused) {
            return Some(Due::by_size(Reason::Hygiene));
        }
        if received.kind == Kind::Aside {
            return (budget.used >= budget.trigger).then(|| Due::by_size(Reason::Hygiene));
        }
        let nearly_full = budget.used >= budget.context_length.share(HYGIENE);
        if !nearly_full && self.binding(received, replayed).waits(received) {
            return None;
        }
        let hygiene = self.0.setup.hygiene && nearly_full && received.prefixes.len() >= HYGIENE_MESSAGES;
        let tried = budget.settled_at.is_some() && !budget.is_due();
        if hygiene && !tried {
            return Some(Due::by_size(Reason::Hygiene));
        }
        if let Some(reason) = self.0.setup.engine.should_compress(budget) {
            return Some(Due::by_size(reason));
        }
        let decision = considered.map(|considered| &considered.decision).filter(|_| !tried)?;
        let paying = decision.action.map(|action| (action, decision.to_string()))?;
        Some(Due { reason: Reason::Pays, paying: Some(paying) })
    }

    /// What the cost rule says about a request; `None`: prices do not decide here.
    pub(super) async fn consider(
        &self,
        received: &Received,
        replayed: &Replayed,
        weighed: &Weighed<'_>,
    ) -> Option<Considered> {
        let setup = &self.0.setup;
        let Trigger::Cost(thrift) = setup.policy.trigger else { return None };
        let since = since(received, replayed).filter(|_| received.kind == Kind::Turn)?;
        let tenant = &received.incoming.tenant;
        if !self.observes(received) {
            // It goes on: nobody need prepare for its return any more.
            self.0.sessions.stop_waiting(tenant, since);
        }
        let rent = self.rent(received, since).await;
        let of_this_history = rent.filter(|rent| rent.since == *since.as_bytes());
        let mut foregone = of_this_history.map(|rent| rent.foregone).unwrap_or_default();
        let size = weighed.budget.used;
        let lifetime_ms = self.lifetime().as_millis() as u64;
        let warm = rent.is_none_or(|rent| clock::now_ms().saturating_sub(rent.at_ms) < lifetime_ms);
        let cached = match rent {
            Some(rent) if warm => rent.prompt.min(size),
            Some(_) => Tokens(0),
            // Nobody here has seen its calls: what an agent sends again was sent a moment ago.
            None => size - behind_last_answer(replayed.conversation(received), &weighed.sizes),
        };
        let mut rule = Rule { shadow: thrift.shadow, ..self.rule(received, provider_caches(rent.as_ref())) };
        if !warm && !self.observes(received) {
            let limit = self.due_at(&weighed.budget);
            match self.is_prepared(received, replayed, weighed.calibration, limit).await {
                Ok(true) => rule.reading = Reading::Free,
                Ok(false) => {}
                Err(error) => tracing::debug!(%error, "whether something is prepared is not known"),
            }
        }
        let counter = ScaledCounter::new(&self.0.counter, weighed.calibration.factor());
        let conversation = replayed.conversation(received);
        let outlook = setup.engine.outlook(conversation, &weighed.sizes, &weighed.budget, &counter);
        let now = Situation { size, cached, outlook, ceiling: weighed.budget.trigger };
        let mut settled = foregone;
        let decision = rule.consider(&mut settled, &now);
        rule.wait(&mut foregone, size, &outlook);
        tracing::debug!(session = %received.session, compared = %decision, "prices were compared");
        Some(Considered { decision, rule, since, foregone, settled, size, before: rent, warm, outlook })
    }

    /// What is known of the calls of a history.
    async fn rent(&self, received: &Received, since: PrefixFingerprint) -> Option<Rent> {
        let tenant = &received.incoming.tenant;
        let known = self.0.sessions.rent(tenant, since);
        let stored = self.0.setup.store.session(&received.incoming.owner, &received.session).await;
        let stored = stored.ok().flatten().and_then(|session| session.rent);
        let is_same = |rent: &Rent| rent.since == *since.as_bytes();
        // Another gateway may have served it since; another branch of the session says nothing of this one.
        let newest = known.into_iter().chain(stored.filter(is_same)).max_by_key(|rent| rent.at_ms);
        let of_this_branch = |rent: &Rent| received.prefixes.iter().any(|prefix| *prefix.as_bytes() == rent.since);
        newest.or(stored.filter(of_this_branch))
    }

    /// The rule for a request: what its model's tokens cost, and what a summary does.
    fn rule(&self, received: &Received, provider_caches: bool) -> Rule {
        let setup = &self.0.setup;
        let lookup = setup.catalogue.lookup(received.model());
        let prices = &lookup.facts().prices;
        let rates = Rates::of(prices, setup.caching.ttl).unwrap_or(Rates::USUAL);
        let rates = if provider_caches { rates } else { rates.uncached() };
        // Only what is prepared is asked behind what the model has read.
        let forks = provider_caches && setup.prepare_at.is_some() && setup.writer.forks(received);
        let reading = match setup.writer.asked_for(received) {
            None => Reading::Free,
            Some(_) if forks => Reading::Forked,
            Some(name) => Reading::by_another(&setup.catalogue.lookup(name).facts().prices, prices),
        };
        Rule { reading, ..Rule::new(rates) }
    }

    /// Where a request is compacted at the latest.
    pub(super) fn due_at(&self, budget: &Budget) -> Tokens {
        match self.0.setup.policy.trigger {
            Trigger::Threshold => budget.trigger,
            Trigger::Cost(_) => budget.trigger.min(budget.used),
        }
    }

    /// How long the provider keeps a conversation.
    fn lifetime(&self) -> Duration {
        match self.0.setup.caching.ttl {
            Ttl::Short => Duration::from_secs(5 * 60),
            Ttl::Long => Duration::from_secs(60 * 60),
        }
    }

    /// A call was answered: what the rule must know at the next is remembered, and if the session is better summarised
    /// before the provider forgets it, that is done should it pause so long.
    pub(crate) fn paid_rent(
        &self,
        incoming: &Incoming,
        kept: Option<(Incoming, Bytes)>,
        passed: &Passed,
        usage: Option<&TurnUsage>,
    ) -> Option<Rent> {
        let observed = passed.report.action == report::Action::Untouched(report::Reason::Observed);
        let considered = passed.considered.as_ref().filter(|_| !observed)?;
        let since = passed.since.unwrap_or(considered.since);
        // The provider read the prompt when it was sent, not when its answer had ended.
        let sent_ms = passed.expected.as_ref().map_or_else(clock::now_ms, |expected| expected.at_ms);
        let rent = considered.rent(since, usage, sent_ms);
        self.0.sessions.remember_rent(&incoming.tenant, since, rent);
        if let (Some(usage), Some((incoming, body))) = (usage, kept) {
            self.prepare_for_a_pause(incoming, body, passed, considered, usage, sent_ms);
        }
        Some(rent)
    }

    /// Whether no later call of a history is known, here or at another gateway.
    async fn was_last(&self, incoming: &Incoming, session: &SessionId, since: PrefixFingerprint, sent_ms: u64) -> bool {
        let stored = self.0.setup.store.session(&incoming.owner, session).await;
        let stored = stored.ok().flatten().and_then(|session| session.rent);
        let known = self.0.sessions.rent(&incoming.tenant, since);
        known.into_iter().chain(stored).all(|rent| rent.at_ms <= sent_ms)
    }

    fn prepare_for_a_pause(
        &self,
        incoming: Incoming,
        body: Bytes,
        passed: &Passed,
        considered: &Considered,
        usage: &TurnUsage,
        sent_ms: u64,
    ) {
        let setup = &self.0.setup;
        let unchanged = match passed.report.action {
            report::Action::Untouched(report::Reason::BelowThreshold) | report::Action::Replayed => true,
            report::Action::Untouched(_) | report::Action::Compacted | report::Action::CompactedOnce => false,
        };
        // Nobody holds a conversation for an hour in case it pauses.
        let asks = setup.prepare_at.is_some()
            && setup.writer.asks_models()
            && setup.caching.ttl == Ttl::Short
            && provider_caches(considered.before.as_ref());
        let Some(summarized) = considered.outlook.summarized.filter(|_| unchanged && asks) else { return };
        let pause = Pause {
            last: Tokens(usage.prompt),
            answer: Tokens(usage.output),
            size_on_return: considered.outlook.trimmed.map_or(considered.size, |trimmed| trimmed.size),
            summarized,
        };
        let mut foregone = considered.foregone;
        let decision = considered.rule.consider_pause(&mut foregone, &pause);
        if decision.action.is_none() {
            return;
        }
        let sent = Sent { body, dialect: incoming.dialect, tokens: Tokens(usage.prompt) };
        let (gateway, session) = (self.clone(), passed.session.clone());
        let (tenant, since) = (incoming.tenant.clone(), considered.since);
        let answered_after = Duration::from_millis(clock::now_ms().saturating_sub(sent_ms));
        let wait = self.lifetime().saturating_sub(BEFORE_IT_IS_COLD + answered_after);
        if wait.is_zero() {
            return;
        }
        let waiting = setup.tasks.spawn(async move {
            if gateway.pauses_for(wait).await && gateway.was_last(&incoming, &session, since, sent_ms).await {
                tracing::info!(%session, compared = %decision, "a session pauses, and is summarised while it is cached");
                // On its own: whoever comes back now stops the waiting, not the work.
                let tasks = gateway.0.setup.tasks.clone();
                tasks.spawn(async move { gateway.prepare_in_background(incoming, since, Some(sent)).await });
            }
        });
        self.0.sessions.waits(&tenant, since, waiting.abort_handle());
    }
}
