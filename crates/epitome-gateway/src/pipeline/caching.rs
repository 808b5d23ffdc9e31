//! The last step of a request: it is marked for the provider's cache, and what that does is noted when it was answered.

use bytes::Bytes;
use epitome_core::compaction::{Author, Compaction};
use epitome_core::edit::Applied;
use epitome_core::tokens::Tokens;
use epitome_store::records::{CacheBreak, SessionId, Spending, Thinking, Turn, TurnUsage};
use epitome_wire::caching::with_cache_key;
use epitome_wire::{Dialect, SpliceError};
use http::uri::Authority;

use super::{Gateway, Setup};
use crate::caching::{Marker, Marks, PromptCaching, Strategy, Support};
use crate::clock;
use crate::exchange::Incoming;
use crate::money::{self, Expected, Watched};
use crate::received::{Kind, Received};
use crate::recorder::EndedCall;
use crate::sessions::lock;
use crate::thinking;
use crate::turn::Passed;
use crate::upstream::Upstreams;

/// What a request of more blocks did in the cache is not worked out: no window holds it, and it would be held until the answer ends.
const MOST_BLOCKS: usize = 100_000;

/// A request as it is sent.
pub(super) struct Cached {
    pub(super) body: Bytes,
    /// What the provider's cache is expected to do with it.
    pub(super) expected: Option<Expected>,
    /// How many markers were added.
    pub(super) markers: usize,
    /// Where it parted from the client's last request.
    pub(super) broke: Option<CacheBreak>,
}

/// A request that is only watched, as it would have been sent.
struct Unsent {
    /// With edits in it; `None`: the client's own.
    edited: Option<Bytes>,
    tokens: Tokens,
}

impl Gateway {
    /// The request as it is sent: the client's own or its edited bytes, with markers for the provider's cache.
    ///
    /// What is only watched is sent as it came, and so are questions about a session: nothing goes on from them.
    pub(super) fn cached(&self, received: &Received, edited: Option<Bytes>, own: Tokens, sent: Tokens) -> Cached {
        let sent = if edited.is_some() { sent } else { own };
        let (edited, sent, watched) = match self.observes(received) {
            true => (None, own, Some(Unsent { edited, tokens: sent })),
            false => (edited, sent, None),
        };
        let unmarked = edited.clone().unwrap_or_else(|| received.incoming.body.clone());
        if received.kind == Kind::Aside {
            return Cached { body: unmarked, expected: None, markers: 0, broke: None };
        }
        let setup = &self.0.setup;
        let (owner, model, upstream) = (&received.incoming.owner, received.model(), &received.incoming.upstream);
        let support = self.support(received);
        let authority = upstream.authority().map(Authority::as_str).unwrap_or_default();
        if self.0.sessions.tell_once(authority, model) {
            let host = upstream.host().unwrap_or_default();
            tracing::info!(model, host, "{}", setup.caching.status(&support));
        }
        let caching = match self.observes(received) {
            true => PromptCaching { strategy: Strategy::Client, ..setup.caching },
            false => setup.caching,
        };
        let caches = self.0.sessions.caches(owner, &received.session, model);
        // A copy: nobody waits for the lock while a large request is marked.
        let cache = lock(&caches).sent.clone();
        let marker =
            Marker { caching, support: &support, cache: &cache, known: &self.0.known, now_ms: clock::now_ms() };
        let marked = marker.mark(received, edited.as_ref(), sent);
        let watched = watched.map(|Unsent { edited, tokens }| {
            let watched = lock(&caches).watched.clone();
            let marker = Marker { caching: setup.caching, cache: &watched, ..marker };
            Watched { prompt: marker.mark(received, edited.as_ref(), tokens).sent, tokens }
        });
        let broke = lock(&caches).trail.follow(received, &marked.own);
        if let Some(broke) = &broke {
            // What stands there is for the store alone.
            let (place, lost) = (&broke.place, broke.lost.0);
            tracing::info!(session = %received.session, place, lost, "the client's own request lost the cache");
        }
        setup.metrics.marked(marked.added);
        let body = marked.body.unwrap_or(unmarked);
        let body = keyed(received, caching, body);
        let expected = Expected {
            rules: support.rules,
            sent: marked.sent,
            own: marked.own,
            sent_tokens: sent,
            own_tokens: own,
            at_ms: clock::now_ms(),
            watched,
        };
        let is_told = expected.sent.blocks.len().max(expected.own.blocks.len()) <= MOST_BLOCKS;
        Cached { body, expected: Some(expected).filter(|_| is_told), markers: marked.added, broke }
    }

    /// The client's bytes with the edits in them, and what is asked about thinking.
    pub(super) fn spliced(&self, base: &Received, applied: &Applied, thinking: Thinking) -> Result<Bytes, SpliceError> {
        let note = self.0.setup.caching.note(&self.support(base));
        Ok(base.request.splice_asking(applied, note, thinking::asked(thinking))?.bytes.into())
    }

    /// Whether the configured model is marked for (M22), told before there is a request; `dialects` are those that it may be
    /// asked in. That it was told is remembered.
    pub fn caching_status(&self, model: &str, upstreams: &Upstreams, dialects: &[Dialect]) -> Option<String> {
        let Setup { catalogue, caching, .. } = &self.0.setup;
        let lookup = catalogue.lookup(model);
        let of = |dialect: &Dialect| {
            let upstream = upstreams.of(*dialect);
            let host = caching.provider.unwrap_or(upstream.domain());
            (upstream, Support::of(*dialect, host, model, lookup.facts()))
        };
        let marked = dialects.iter().map(of).find(|(_, support)| matches!(support.marks, Marks::Set(_)));
        let (upstream, support) = marked.or_else(|| dialects.last().map(of))?;
        self.0.sessions.tell_once(upstream.host(), model);
        Some(caching.status(&support))
    }

    /// What the provider of a request does with markers.
    fn support(&self, received: &Received) -> Support {
        let Setup { catalogue, caching, .. } = &self.0.setup;
        let host = caching.host(&received.incoming.upstream);
        let lookup = catalogue.lookup(received.model());
        Support::of(received.incoming.dialect, host, received.model(), lookup.facts())
    }

    /// A call was answered: what it cost is counted.
    pub(crate) fn spent(&self, incoming: &Incoming, passed: &Passed, usage: &TurnUsage) -> Spending {
        let lookup = self.0.setup.catalogue.lookup(&passed.model);
        let caches = self.0.sessions.caches(&incoming.owner, &passed.session, &passed.model);
        let spending = match &passed.expected {
            Some(expected) => {
                let mut caches = lock(&caches);
                let with_us = caches.with_us(expected, usage, lookup.facts());
                let spending = caches.answered(expected, usage, lookup.facts());
                if let Some(with_us) = with_us {
                    self.0.setup.metrics.watched(spending.paid, with_us);
                }
                spending
            }
            None => Spending::default(),
        };
        self.count_spending(incoming, &passed.session, spending);
        spending
    }

    /// A compaction was made: what a model's summary cost is noted with the session.
    pub(super) fn note_summary(&self, received: &Received, compaction: &Compaction) {
        let (name, work) = match &compaction.author {
            Some(Author::Asked { name, work, .. } | Author::StoodIn { name, work, .. }) if work.calls > 0 => {
                (name, work)
            }
            Some(Author::Asked { .. } | Author::StoodIn { .. }) | None => return,
        };
        let spending = money::for_summary(work.cost_usd);
        self.count_spending(&received.incoming, &received.session, spending);
        let usage = TurnUsage { prompt: work.input.0, output: work.output.0, ..TurnUsage::default() };
        let turn = Turn {
            at_ms: clock::now_ms(),
            model: name.clone(),
            dialect: received.incoming.dialect.name().to_owned(),
            action: Turn::SUMMARY.to_owned(),
            client_tokens: Tokens(0),
            sent_tokens: Tokens(0),
            usage: Some(usage),
            spending: Some(spending),
            markers: 0,
            broke: None,
            rent: None,
        };
        let (tenant, session) = (received.incoming.owner.clone(), received.session.clone());
        self.0.recorder.record(EndedCall { tenant, session, turn, calibration: None });
    }

    fn count_spending(&self, incoming: &Incoming, session: &SessionId, spending: Spending) {
        self.0.setup.metrics.spent(spending);
        self.0.sessions.spend(&incoming.owner, session, spending);
    }
}

/// With a key by which OpenAI finds the machine that has the session's cache, if the client names none.
fn keyed(received: &Received, caching: PromptCaching, body: Bytes) -> Bytes {
    let speaks_openai = received.incoming.dialect != Dialect::AnthropicMessages;
    let at_openai = caching.host(&received.incoming.upstream) == "api.openai.com";
    if !speaks_openai || !at_openai || matches!(caching.strategy, Strategy::Client | Strategy::Off) {
        return body;
    }
    // What is left of an archived session, its system prompt, is cached where the session was.
    let key = blake3::hash(received.session.of_client().as_str().as_bytes()).to_hex();
    let key = format!("epitome-{}", key.get(..16).unwrap_or_default());
    with_cache_key(&body, received.own.envelope(), &key).map_or(body, Bytes::from)
}
