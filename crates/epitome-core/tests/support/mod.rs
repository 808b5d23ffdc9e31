//! Conversations and summarisers to test with.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use epitome_core::budget::{Budget, Policy};
use epitome_core::compaction::{Compaction, Patience, Tools, compact};
use epitome_core::engine::{BUILT_IN, Occasion, Reason, Registry};
use epitome_core::model::{Block, Conversation, Message, Role, ToolCall, ToolResult};
use epitome_core::summary::{SummarizeError, Summarizer, SummaryRequest};
use epitome_core::tokens::{Precision, Sizes, TokenCounter, Tokens, conversation_tokens};

/// Four bytes a token: decisions can be checked by head, and both ways of counting agree.
pub(crate) struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, text: &str) -> Tokens {
        Tokens(text.len().div_ceil(4) as u64)
    }

    fn estimate(&self, text: &str) -> Tokens {
        self.count(text)
    }
}

/// A summariser that behaves badly in one way, or well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behaviour {
    Good,
    Fails,
    Hangs,
    Echoes,
    SaysNothing,
    SaysTooMuch,
}

impl Behaviour {
    pub(crate) const ALL: [Behaviour; 6] = [
        Behaviour::Good,
        Behaviour::Fails,
        Behaviour::Hangs,
        Behaviour::Echoes,
        Behaviour::SaysNothing,
        Behaviour::SaysTooMuch,
    ];
}

#[async_trait]
impl Summarizer for Behaviour {
    fn name(&self) -> &str {
        "model"
    }

    async fn summarize(&self, request: &SummaryRequest) -> Result<String, SummarizeError> {
        match self {
            Behaviour::Good => Ok("## Goal\n- to be good".to_owned()),
            Behaviour::Fails => Err(SummarizeError::Unavailable("HTTP 529".to_owned())),
            Behaviour::Hangs => std::future::pending().await,
            Behaviour::Echoes => Ok(request.messages.iter().flat_map(Message::texts).map(|text| &**text).collect()),
            Behaviour::SaysNothing => Ok("  \n".to_owned()),
            Behaviour::SaysTooMuch => Ok("and then it was said that ".repeat(request.budget.0 as usize)),
        }
    }
}

/// Gives up the second time it is asked: no clock needed.
#[derive(Default)]
pub(crate) struct AsksTwice {
    asked: AtomicUsize,
}

impl Patience for AsksTwice {
    fn runs_out(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::poll_fn(|context| {
            context.waker().wake_by_ref();
            match self.asked.fetch_add(1, Ordering::Relaxed) {
                0 => std::task::Poll::Pending,
                _ => std::task::Poll::Ready(()),
            }
        }))
    }
}

pub(crate) fn weight(conversation: &Conversation) -> Tokens {
    conversation_tokens(conversation, &Quarter, Precision::Estimate)
}

pub(crate) fn budget(conversation: &Conversation, window: u64, policy: &Policy) -> Budget {
    Budget::new(Tokens(window), weight(conversation), policy)
}

/// Compacts with the built-in engine, whatever the trigger says.
pub(crate) fn compacted(
    conversation: &Conversation,
    budget: &Budget,
    policy: &Policy,
    summarizer: Behaviour,
) -> Compaction {
    let engine = Registry::new(policy).resolve(BUILT_IN).engine;
    let patience = AsksTwice::default();
    let tools = Tools { engine: &*engine, summarizer: &summarizer, patience: &patience, counter: &Quarter };
    let occasion = Occasion::new(Reason::Threshold);
    pollster::block_on(compact(conversation, &Sizes::of(conversation, &Quarter), budget, &occasion, tools))
        .expect("the built-in engine breaks nothing")
}

pub(crate) fn message(role: Role, blocks: Vec<Block>) -> Message {
    Message { role, blocks, injected: false, reported_prompt_tokens: None }
}

pub(crate) fn call(id: &str, name: &str, arguments: &str) -> Block {
    Block::ToolCall(ToolCall { id: id.into(), name: name.into(), arguments: arguments.into() })
}

pub(crate) fn result(id: &str, text: &str) -> Block {
    Block::ToolResult(ToolResult { call_id: id.into(), content: vec![Block::Text(text.into())], is_error: false })
}
