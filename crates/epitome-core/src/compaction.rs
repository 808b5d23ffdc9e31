//! The driver: asks an engine for a plan, has its summary written, applies it, and measures where that led.
//!
//! Whatever a summariser does, a compaction ends: what is not accepted is written by the local summariser, which cannot
//! fail and keeps to its budget.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;

use serde::Serialize;

use crate::budget::Budget;
use crate::edit::{Applied, Edit, EditError, Inserted, apply};
use crate::engine::{ContextEngine, Occasion, Plan, Step, SummaryOrder};
use crate::engines::compressor::bridge;
use crate::model::Conversation;
use crate::summary::{
    self, NewestRequest, Refusal, SummarizeError, Summarizer, SummaryRequest, accept, local, requests, seal,
};
use crate::tokens::{Precision, Sizes, TokenCounter, Tokens, conversation_tokens};

/// A finished compaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// What was carried out.
    pub plan: Plan,
    /// The edits, and the conversation they lead to.
    pub applied: Applied,
    /// What the request weighed.
    pub before: Tokens,
    /// What it weighs now.
    pub after: Weight,
    /// Who wrote the summary, if one was written.
    pub author: Option<Author>,
}

/// Who wrote a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The summariser that was asked.
    Asked {
        /// Its name.
        name: String,
    },
    /// The local summariser, as the one that was asked did not deliver.
    StoodIn {
        /// Whom for.
        name: String,
        /// Why.
        why: String,
    },
}

/// How long a summariser is waited for: the edge owns the clock.
pub trait Patience: Send + Sync {
    /// Ends when waiting ends.
    fn runs_out(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// Waits as long as it takes: right for a summariser that cannot hang.
pub struct Endless;

impl Patience for Endless {
    fn runs_out(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::pending())
    }
}

/// What a compaction works with.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Decides.
    pub engine: &'a dyn ContextEngine,
    /// Writes.
    pub summarizer: &'a dyn Summarizer,
    /// Waits.
    pub patience: &'a dyn Patience,
    /// Counts.
    pub counter: &'a dyn TokenCounter,
}

/// What something weighs, and how that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight {
    /// The number.
    pub tokens: Tokens,
    /// How it was found.
    pub precision: Precision,
}

/// How far the estimate of a whole conversation may be off before a decision that rests on it counts as close. Single
/// texts are further off than sums: see `bench/tokens`.
const CLOSE: f64 = 0.06;

/// What a conversation weighs: estimated, and counted exactly only if the estimate is too close to `limit` to tell on
/// which side of it the conversation is.
pub fn weigh(conversation: &Conversation, sizes: &Sizes, limit: Tokens, counter: &dyn TokenCounter) -> Weight {
    let estimate = sizes.total();
    let distance = estimate.0.abs_diff(limit.0);
    if Tokens(distance) > limit.share(CLOSE) {
        return Weight { tokens: estimate, precision: Precision::Estimate };
    }
    Weight { tokens: conversation_tokens(conversation, counter, Precision::Exact), precision: Precision::Exact }
}

/// Compacts a conversation. The input is not changed.
///
/// An error means that the engine proposed what would break the conversation; the conversation is then as it was.
pub async fn compact(
    conversation: &Conversation,
    sizes: &Sizes,
    budget: &Budget,
    occasion: &Occasion,
    tools: Tools<'_>,
) -> Result<Compaction, EditError> {
    let mut occasion = occasion.clone();
    let mut aim = budget.clone();
    let mut aims_left = AIMS;
    // What only the provider knows of the request weighs the same before and after.
    let unseen = budget.used - sizes.total();
    loop {
        let mut plan = tools.engine.plan(conversation, sizes, &aim, &occasion, tools.counter);
        let (edits, author) = carry_out(&plan, conversation, &occasion, tools).await;
        let applied = apply(conversation, edits)?;
        let sizes_after = sizes.after(&applied, tools.counter);
        let mut after = weigh(applied.conversation(), &sizes_after, budget.trigger - unseen, tools.counter);
        after.tokens += unseen;
        let climbed = plan.rungs.last().map_or(occasion.from, |climbed| climbed.rung).max(occasion.from);
        match (after.tokens >= budget.trigger && plan.shortfall.is_none(), climbed.next()) {
            // The plan rested on estimates that were a little off: aim lower by as much before climbing higher.
            (true, Some(_)) if aims_left > 0 => {
                aim.trigger = aim.trigger.share(0.99 * budget.trigger.0 as f64 / after.tokens.0 as f64);
                aims_left -= 1;
            }
            (true, Some(next)) => {
                (aim.trigger, aims_left) = (budget.trigger, AIMS);
                occasion.from = next;
            }
            // Nothing harder is left. The engine thought that this would do: have it say why it does not.
            (true, None) => aim.trigger = aim.trigger.share(0.5),
            (false, _) => {
                if after.tokens < budget.trigger {
                    plan.shortfall = None;
                }
                if let Some(shortfall) = &mut plan.shortfall {
                    shortfall.trigger = budget.trigger;
                }
                return Ok(Compaction { plan, applied, before: budget.used, after, author });
            }
        }
    }
}

/// How often a plan is aimed anew before the next rung is climbed.
const AIMS: usize = 2;

async fn carry_out(
    plan: &Plan,
    conversation: &Conversation,
    occasion: &Occasion,
    tools: Tools<'_>,
) -> (Vec<Edit>, Option<Author>) {
    let mut edits = Vec::with_capacity(plan.steps.len());
    let mut author = None;
    for step in &plan.steps {
        match step {
            Step::Edit(edit) => edits.push(edit.clone()),
            Step::Summarize(order) => {
                let request = request(order, conversation, occasion, tools.counter);
                let (body, by) = write(&request, tools).await;
                author = Some(by);
                edits.extend(fill_gaps(order, &seal(&body)));
            }
        }
    }
    (edits, author)
}

/// Puts the summary into the first gap, and lines that keep neighbours apart where the plan asks for them.
fn fill_gaps(order: &SummaryOrder, text: &str) -> Vec<Edit> {
    let mut said = Some(Inserted { role: order.role, text: text.to_owned() });
    let fill = |gap: &crate::engine::Gap| {
        let with = said.take().into_iter().chain(gap.bridge.map(bridge)).collect();
        Edit::Replace { start: gap.start, end: gap.end, with }
    };
    order.gaps.iter().map(fill).collect()
}

fn request(
    order: &SummaryOrder,
    conversation: &Conversation,
    occasion: &Occasion,
    counter: &dyn TokenCounter,
) -> SummaryRequest {
    let indices = order.gaps.iter().flat_map(|gap| gap.start..gap.end);
    let mut messages = Vec::new();
    let mut bodies: Vec<&str> = Vec::new();
    let mut last_summary = None;
    for index in indices {
        let Some(message) = conversation.messages.get(index) else { continue };
        if let Some(body) = summary::body_of(message) {
            bodies.push(body);
            last_summary = Some(index);
        } else if !summary::is_ours(message) {
            messages.push(message.clone());
        }
    }
    let goes = |index: usize| order.gaps.iter().any(|gap| (gap.start..gap.end).contains(&index));
    let newest = requests::newest(conversation).filter(|(index, _)| last_summary.is_none_or(|last| *index > last));
    let newest_request = match newest {
        Some((index, text)) if goes(index) => NewestRequest::Goes(text),
        None if last_summary.is_some() => NewestRequest::InPrevious,
        Some(_) | None => NewestRequest::Stays,
    };
    SummaryRequest {
        messages,
        previous: (!bodies.is_empty()).then(|| bodies.join("\n")),
        budget: order.budget - summary::seal_overhead(counter),
        words: order.words,
        focus: occasion.focus.clone(),
        newest_request,
    }
}

/// Asks the summariser; whatever it does, there is a summary within the budget afterwards.
async fn write(request: &SummaryRequest, tools: Tools<'_>) -> (String, Author) {
    let name = tools.summarizer.name().to_owned();
    match ask(request, tools).await {
        Ok(body) => (body, Author::Asked { name }),
        Err(error) => (local::write(request, tools.counter), Author::StoodIn { name, why: error.to_string() }),
    }
}

async fn ask(request: &SummaryRequest, tools: Tools<'_>) -> Result<String, SummarizeError> {
    let mut answer = tools.summarizer.summarize(request);
    let mut waiting = pin!(tools.patience.runs_out());
    let answer = std::future::poll_fn(|context| match answer.as_mut().poll(context) {
        Poll::Ready(answer) => Poll::Ready(Some(answer)),
        Poll::Pending => waiting.as_mut().poll(context).map(|()| None),
    });
    let body = answer.await.ok_or(SummarizeError::TimedOut)??;
    let limit = request.words.unwrap_or(usize::MAX);
    if body.split_whitespace().count() > limit {
        let (found, budget) = (tools.counter.estimate(&body), request.budget);
        return Err(Refusal::TooLong { found, budget }.into());
    }
    accept(request, &body, tools.counter)?;
    Ok(body)
}
