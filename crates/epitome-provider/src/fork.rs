//! A summary that is asked for behind the conversation itself: where the provider has it in its cache, that costs a tenth of
//! what it would cost to show it again, and the model sees everything as it was.

use bytes::Bytes;
use epitome_core::summary::prompt;
use epitome_core::summary::{SummaryRequest, Work};
use epitome_core::tokens::Tokens;
use epitome_wire::Dialect;
use epitome_wire::forking::fork;

use crate::error::{AskError, ProviderError};
use crate::summarizer::{ANSWER_SHARE, Asking, ModelSummarizer, room_for, whole_lines};

/// A request that the model has just answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// What was sent.
    pub body: Bytes,
    /// How it speaks.
    pub dialect: Dialect,
    /// What it takes, by the model's count.
    pub tokens: Tokens,
}

/// Of the window, what is used: what was sent has been counted by the provider itself.
const USED_SHARE: f64 = 0.97;

impl ModelSummarizer {
    /// Asks behind what was sent, where that is possible.
    #[must_use]
    pub fn behind(mut self, sent: Sent) -> ModelSummarizer {
        self.sent = Some(sent);
        self
    }

    /// The summary, asked for behind what the model has read; `None`: that is not possible, or did not bring one.
    pub(crate) async fn ask_behind(
        &self,
        request: &SummaryRequest,
        work: &mut Work,
    ) -> Result<Option<String>, ProviderError> {
        let Some(asking) = self.sent.as_ref().and_then(|sent| self.asking_behind(sent, request)) else {
            return Ok(None);
        };
        match self.ask_again_and_again(&asking, work).await {
            Ok(reply) => {
                let summary = whole_lines(&reply).map(str::to_owned);
                work.chunks += usize::from(summary.is_some());
                Ok(summary)
            }
            Err(ProviderError::Ask(error)) if is_about_the_prompt(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn asking_behind(&self, sent: &Sent, request: &SummaryRequest) -> Option<Asking> {
        let window = self.window();
        let aim = request.budget.min(window.share(ANSWER_SHARE));
        let most_tokens = self.most_tokens(room_for(aim));
        let task = prompt::behind_conversation(request, aim);
        let weight = sent.tokens + self.counter().estimate(&task);
        if weight + Tokens(most_tokens) > window.share(USED_SHARE) {
            return None;
        }
        let body = Bytes::from(fork(&sent.body, sent.dialect, &task, most_tokens)?);
        Some(Asking { body, weight, scale: 1.0, most_tokens })
    }
}

/// Whether another prompt may bring an answer where this one brought none.
fn is_about_the_prompt(error: &AskError) -> bool {
    match error {
        AskError::Declined { .. }
        | AskError::Unfinished { .. }
        | AskError::Empty { .. }
        | AskError::TooLong { .. }
        | AskError::TooMuch { .. } => true,
        AskError::Status { status, .. } => matches!(status, 400 | 413 | 422),
        AskError::Unreachable { .. }
        | AskError::NoProgress { .. }
        | AskError::Cut { .. }
        | AskError::Failed { .. }
        | AskError::Redirected { .. }
        | AskError::NotUnderstood { .. }
        | AskError::Compressed { .. } => false,
    }
}
