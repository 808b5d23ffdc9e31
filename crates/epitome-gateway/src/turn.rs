//! One call on its way: what is learnt from its end, and what is sent if the provider says that it does not fit.

use std::sync::Mutex;

use async_trait::async_trait;
use bytes::Bytes;
use epitome_core::fingerprint::PrefixFingerprint;
use epitome_core::tokens::Tokens;
use epitome_store::records::{self, CacheBreak, SessionId, Thinking, TurnUsage};
use epitome_wire::asking::AboutThinking;

use crate::clock;
use crate::exchange::{Complaint, End, Incoming, Outgoing, Turn};
use crate::money::Expected;
use crate::pipeline::{Considered, Gateway, lines};
use crate::received::Kind;
use crate::recorder::EndedCall;
use crate::report::Report;
use crate::respond::Trouble;
use crate::sessions::lock;
use crate::thinking::Binding;

/// What is known of a call that was understood.
pub(crate) struct Passed {
    pub(crate) model: String,
    pub(crate) session: SessionId,
    /// What was sent, counted by us and not corrected.
    pub(crate) counted: Tokens,
    pub(crate) report: Report,
    pub(crate) kind: Kind,
    /// What was done about thinking; `None`: it was sent as it came.
    pub(crate) thinking: Option<Thinking>,
    /// What a provider's cache is expected to do with it; `None`: nobody asks.
    pub(crate) expected: Option<Expected>,
    /// Where it parted from the client's last request.
    pub(crate) broke: Option<CacheBreak>,
    /// The last compaction that its history had then, or its first message.
    pub(crate) since: Option<PrefixFingerprint>,
    /// What the cost rule said, where prices decide.
    pub(crate) considered: Option<Considered>,
}

/// One call on its way.
pub(crate) struct Call {
    gateway: Gateway,
    /// The client's request, without its body.
    envelope: Incoming,
    bodies: Mutex<Option<Bodies>>,
    passed: Option<Passed>,
}

/// What is kept of a call while it may be sent again, and until it has ended if a compaction may be prepared then.
#[derive(Clone)]
struct Bodies {
    client: Bytes,
    sent: Bytes,
}

impl Call {
    pub(crate) fn new(gateway: Gateway, mut incoming: Incoming, sent: Bytes, passed: Option<Passed>) -> Call {
        let bodies = Mutex::new(Some(Bodies { client: std::mem::take(&mut incoming.body), sent }));
        Call { gateway, envelope: incoming, bodies, passed }
    }

    /// The client's request and what was sent, as long as they are kept.
    fn kept(&self) -> Option<(Incoming, Bytes)> {
        let Bodies { client, sent } = lock(&self.bodies).clone()?;
        Some((Incoming { body: client, ..self.envelope.clone() }, sent))
    }

    /// What the provider says about thinking is learnt, and something else is done about it.
    async fn with_other_thinking(&self, passed: &Passed, about: AboutThinking) -> Option<Outgoing> {
        let refused = passed.thinking?;
        let learnt = self.gateway.sessions().binding_of(&self.envelope.upstream, &passed.model);
        let binding = Binding::taught(about, refused, learnt, &passed.model)?;
        tracing::info!(session = %passed.session, model = passed.model, "the provider refuses bound thinking");
        self.gateway.sessions().learn_binding(&self.envelope.upstream, &passed.model, binding);
        let (incoming, sent) = self.kept()?;
        let again = self.gateway.outgoing_instead(incoming, refused).await?;
        (again.body != sent).then_some(again)
    }
}

#[async_trait]
impl Turn for Call {
    async fn complained(&self, complaint: Complaint) -> Result<Option<Outgoing>, Trouble> {
        let Some(passed) = &self.passed else { return Ok(None) };
        match complaint {
            Complaint::TooLong(told) => {
                let Some((incoming, _)) = self.kept() else { return Ok(None) };
                self.gateway.shorter(incoming, passed, told).await
            }
            Complaint::Thinking(about) => Ok(self.with_other_thinking(passed, about).await),
        }
    }

    fn not_sent_again(&self) {
        if !self.passed.as_ref().is_some_and(|passed| self.gateway.may_prepare(&self.envelope, passed)) {
            *lock(&self.bodies) = None;
        }
    }

    fn ended(&self, end: End, usage: Option<TurnUsage>) {
        match end {
            End::Failed(_) => {}
            End::Complete | End::Cut | End::ClientGone => lines::call(self.passed.as_ref(), usage.as_ref()),
        }
        let Some(passed) = &self.passed else { return };
        let tenant = self.envelope.owner.clone();
        let sessions = self.gateway.sessions();
        let mut calibration = sessions.calibration(&tenant, &passed.session, &passed.model);
        if let (Some(usage), Some(calibration)) = (usage.filter(|usage| usage.prompt > 0), &mut calibration) {
            calibration.observe(passed.counted, Tokens(usage.prompt));
            sessions.learn(&tenant, &passed.session, &passed.model, calibration.clone());
        }
        match (end, passed.kind) {
            (End::Failed(_), _) | (_, Kind::Aside) => return,
            (End::Complete | End::Cut | End::ClientGone, Kind::Turn) => {}
        }
        let kept = self.kept();
        if let Some((incoming, sent)) = kept.as_ref().filter(|_| end == End::Complete || usage.is_some()) {
            self.gateway.prepare(incoming, sent, passed, usage);
        }
        let rent = self.gateway.paid_rent(&self.envelope, kept, passed, usage.as_ref());
        let spending = usage.map(|usage| self.gateway.spent(&self.envelope, passed, &usage));
        let turn = records::Turn {
            at_ms: clock::now_ms(),
            model: passed.model.clone(),
            dialect: self.envelope.dialect.name().to_owned(),
            action: passed.report.action_name().to_owned(),
            client_tokens: passed.report.before.unwrap_or_default(),
            sent_tokens: passed.report.after.unwrap_or_default(),
            usage,
            spending,
            markers: u8::try_from(passed.report.markers).unwrap_or(u8::MAX),
            broke: passed.broke.clone(),
            rent,
        };
        self.gateway.recorder().record(EndedCall { tenant, session: passed.session.clone(), turn, calibration });
    }
}
