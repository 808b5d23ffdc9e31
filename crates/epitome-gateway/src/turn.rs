//! One call on its way: what is learnt from its end, and what is sent if the provider says that it does not fit.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use bytes::Bytes;
use epitome_core::tokens::Tokens;
use epitome_store::records::{self, SessionId, TurnUsage};
use epitome_wire::asking::TooLong;

use crate::clock;
use crate::exchange::{End, Incoming, Outgoing, Pipeline, Turn};
use crate::pipeline::Gateway;
use crate::received::Kind;
use crate::report::Report;

/// What is known of a call that was understood.
pub(crate) struct Passed {
    pub(crate) model: String,
    pub(crate) session: SessionId,
    /// What was sent, counted by us and not corrected.
    pub(crate) counted: Tokens,
    pub(crate) report: Report,
    pub(crate) kind: Kind,
}

/// One call on its way.
pub(crate) struct Call {
    gateway: Gateway,
    incoming: Incoming,
    /// What was sent.
    body: Bytes,
    passed: Option<Passed>,
    sent_again: AtomicBool,
}

/// Where a provider does not tell its window, the prompt was too long by this much at least.
const TOO_LONG_BY: f64 = 0.1;

impl Call {
    pub(crate) fn new(gateway: Gateway, incoming: Incoming, body: Bytes, passed: Option<Passed>) -> Call {
        Call { gateway, incoming, body, passed, sent_again: AtomicBool::new(false) }
    }
}

#[async_trait]
impl Turn for Call {
    async fn too_long(&self, told: TooLong) -> Option<Outgoing> {
        let passed = self.passed.as_ref()?;
        if self.sent_again.swap(true, Ordering::Relaxed) {
            return None;
        }
        let sent = passed.report.after?;
        let window = told.window.map_or_else(|| sent.share(1.0 - TOO_LONG_BY), Tokens);
        // What it says it takes is less than what we counted: then we count too little, and the window is smaller for us.
        let window = if window > sent { sent.share(1.0 - TOO_LONG_BY) } else { window };
        tracing::info!(session = %passed.session, model = passed.model, window = window.0, "the provider told its window");
        self.gateway.sessions().learn_window(&passed.model, window);
        let again = self.gateway.outgoing(self.incoming.clone()).await;
        (again.body != self.body).then_some(again)
    }

    fn ended(&self, end: End, usage: Option<TurnUsage>) {
        let Some(passed) = &self.passed else { return };
        let tenant = self.incoming.tenant.clone();
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
        let turn = records::Turn {
            at_ms: clock::now_ms(),
            model: passed.model.clone(),
            dialect: self.incoming.dialect.name().to_owned(),
            action: passed.report.action.name().to_owned(),
            client_tokens: passed.report.before.unwrap_or_default(),
            sent_tokens: passed.report.after.unwrap_or_default(),
            usage,
        };
        let (store, session) = (self.gateway.store().clone(), passed.session.clone());
        // The answer is not held up by the store; what is lost if it fails is a line in a list.
        tokio::spawn(async move {
            if let Err(error) = store.note_turn(&tenant, &session, &turn, calibration.as_ref()).await {
                tracing::warn!(%session, %error, "a call could not be noted");
            }
        });
    }
}
