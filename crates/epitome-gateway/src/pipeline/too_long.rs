//! When the provider says that a prompt is too long: what it says is learnt as far as it can be true, and something smaller
//! is sent.

use epitome_core::engine::{Cause, Occasion, Reason, Shortfall};
use epitome_core::model::{Block, Conversation, Message};
use epitome_core::tokens::{Calibration, ScaledCounter, Tokens};
use epitome_wire::asking::TooLong;

use super::Gateway;
use crate::clock;
use crate::exchange::{Incoming, Outgoing};
use crate::ledger::Replayed;
use crate::received::{Limit, Received};
use crate::report::{Action, Reason as Why};
use crate::respond::Trouble;
use crate::turn::Passed;

/// Where a provider does not tell its window, the prompt was too long by this much at least.
const TOO_LONG_BY: f64 = 0.1;
/// With less room than this for the prompt it is the answer that is too large, and that is for the client to change.
const LEAST_ROOM: Tokens = Tokens(1_024);

impl Gateway {
    /// What is sent in place of a request that the provider refused as too long; `None`: it is not ours to change. An error
    /// says that nothing smaller can be sent.
    pub(crate) async fn shorter(
        &self,
        incoming: Incoming,
        passed: &Passed,
        told: TooLong,
    ) -> Result<Option<Outgoing>, Trouble> {
        let untouchable = matches!(passed.report.action, Action::Untouched(Why::Observed | Why::Off));
        let Some(sent) = passed.report.after.filter(|_| !untouchable) else { return Ok(None) };
        let Ok(mut received) = Received::read(incoming, &self.0.known) else { return Ok(None) };
        received.session.clone_from(&passed.session);
        // The client's own words may be in an error. What they say too, the provider need not have said.
        let told = told.believed(sent.0).filter(|told| !says(received.own.conversation(), told));
        let room = match told {
            Some(told) => self.learn_from(&received, passed, &told),
            None => Some(sent.share(1.0 - TOO_LONG_BY)),
        };
        let Some(room) = room else { return Ok(None) };
        received.limit = Some(Limit { room, refused: passed.counted });
        let decided = self.decision(&mut received, None).await;
        if decided.sent.estimated < passed.counted {
            return Ok(Some(self.sent(received, decided).await));
        }
        let calibration = self.calibration(&received).await;
        let why = self.what_is_too_large(&received, &calibration);
        let sent = told.and_then(|told| told.prompt).map_or(sent, Tokens);
        tracing::info!(session = %received.session, why, "a request is too long, and nothing smaller can be sent");
        Err(Trouble::TooLong { sent, window: told.and_then(|told| told.window).map(Tokens), why })
    }

    /// Learns the window of the model, and how its provider counts. Gives the room that there is for the prompt; `None`: there
    /// is none, as the answer takes it.
    fn learn_from(&self, received: &Received, passed: &Passed, told: &TooLong) -> Option<Tokens> {
        let (incoming, sessions) = (&received.incoming, &self.0.sessions);
        let (owner, upstream, model) = (&incoming.owner, &incoming.upstream, passed.model.as_str());
        let window = told.window.map(Tokens).filter(|window| *window < self.window(incoming, model));
        if let Some(window) = window {
            tracing::info!(session = %received.session, model, window = window.0, "the provider told its window");
            sessions.learn_window(&incoming.tenant, upstream, model, window, clock::now_ms());
        }
        let mut now = passed.report.after.unwrap_or(passed.counted);
        if let (Some(prompt), Some(mut calibration)) =
            (told.prompt, sessions.calibration(owner, &received.session, model))
        {
            calibration.observe(passed.counted, Tokens(prompt));
            now = calibration.apply(passed.counted);
            sessions.learn(owner, &received.session, model, calibration);
        }
        let room = told.room().map(Tokens).filter(|room| *room >= LEAST_ROOM)?;
        // We count less than the provider: then what it calls room is less for us.
        Some(if room < now { room } else { now.share(1.0 - TOO_LONG_BY) })
    }

    /// Why nothing smaller can be sent, for people.
    fn what_is_too_large(&self, received: &Received, calibration: &Calibration) -> String {
        let weighed = self.weigh(received, &Replayed::default(), calibration);
        let counter = ScaledCounter::new(&self.0.counter, calibration.factor());
        let (conversation, occasion) = (received.conversation(), Occasion::new(Reason::Hygiene));
        let plan = self.0.setup.engine.plan(conversation, &weighed.sizes, &weighed.budget, &occasion, &counter);
        plan.shortfall.map_or_else(|| "nothing in it can be made smaller".to_owned(), |shortfall| in_words(&shortfall))
    }
}

/// What is too large, by name.
fn in_words(shortfall: &Shortfall) -> String {
    let Shortfall { cause, system_and_tools, head, newest, trigger: _ } = shortfall;
    match cause {
        Cause::SystemAndTools | Cause::Head | Cause::NewestExchange => shortfall.to_string(),
        Cause::NothingOld | Cause::Misjudged => format!(
            "system prompt and tools take {system_and_tools} tokens, the protected first messages {head}, and the newest \
             exchange {newest}"
        ),
    }
}

/// Whether a text of the conversation says the same of a window as the provider does.
fn says(conversation: &Conversation, told: &TooLong) -> bool {
    let says = |text: &str| told.is_said_in(text);
    let of_messages = conversation.messages.iter().flat_map(|message: &Message| &message.blocks);
    of_messages.chain(&conversation.system).any(|block| block_says(block, &says))
}

fn block_says(block: &Block, says: &impl Fn(&str) -> bool) -> bool {
    match block {
        Block::Text(text) | Block::Thinking(text) => says(text),
        Block::ToolCall(call) => says(&call.arguments),
        Block::ToolResult(result) => result.content.iter().any(|block| block_says(block, says)),
        Block::Opaque(opaque) => says(&opaque.text),
        Block::Media(_) => false,
    }
}
