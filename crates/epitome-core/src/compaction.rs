//! The driver: asks an engine for a plan, has its summary written, applies it, and measures where that led.
//!
//! Whatever a summariser does, a compaction ends: what is not accepted is written by the local summariser, which cannot
//! fail and keeps to its budget.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use crate::budget::Budget;
use crate::edit::{Applied, Edit, EditError, Inserted, apply};
use crate::engine::{Cause, ContextEngine, Occasion, Plan, Shortfall, Step, SummaryOrder};
use crate::engines::compressor::bridge;
use crate::model::{Block, Conversation, Role};
use crate::summary::{
    self, NewestRequest, Refusal, SummarizeError, Summarizer, SummaryRequest, accept, local, requests, seal,
};
use crate::tokens::{ESTIMATE_MARGIN, Precision, Sizes, TokenCounter, Tokens, conversation_tokens, doubtful_share};

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

/// What a conversation weighs: estimated, and counted exactly only if the estimate is too close to `limit` to tell on
/// which side of it the conversation is. Text of a kind that the estimate was not made for widens what counts as close.
pub fn weigh(conversation: &Conversation, sizes: &Sizes, limit: Tokens, counter: &dyn TokenCounter) -> Weight {
    let estimate = sizes.total();
    let distance = estimate.0.abs_diff(limit.0);
    let doubt = doubtful_share(conversation);
    let is_close = Tokens(distance) <= limit.share(ESTIMATE_MARGIN + 2.0 * doubt);
    if !is_close && doubt < TOO_DOUBTFUL {
        return Weight { tokens: estimate, precision: Precision::Estimate };
    }
    Weight { tokens: conversation_tokens(conversation, counter, Precision::Exact), precision: Precision::Exact }
}

/// From this share of doubtful text on, an estimate tells nothing.
const TOO_DOUBTFUL: f64 = 0.25;

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
    // Where the whole was counted and not estimated, its parts are taken to be off by as much as their sum.
    let sizes = &sizes.scaled_to(budget.used - budget.unseen);
    loop {
        let mut plan = tools.engine.plan(conversation, sizes, &aim, &occasion, tools.counter);
        let (edits, author) = carry_out(&plan, conversation, &occasion, tools).await;
        let applied = apply(conversation, edits.clone()).or_else(|_| apply(conversation, without_repairs(edits)))?;
        let sizes_after = sizes.after(&applied, tools.counter);
        let mut after = weigh(applied.conversation(), &sizes_after, budget.trigger - budget.unseen, tools.counter);
        after.tokens += budget.unseen;
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
            (true | false, _) => {
                plan.shortfall = shortfall(plan.shortfall, after.tokens, sizes, budget);
                return Ok(Compaction { plan, applied, before: budget.used, after, author });
            }
        }
    }
}

/// Whoever ends above the trigger says why, and in terms of the trigger that was asked for.
fn shortfall(planned: Option<Shortfall>, after: Tokens, sizes: &Sizes, budget: &Budget) -> Option<Shortfall> {
    if after < budget.trigger {
        return None;
    }
    let misjudged = Shortfall {
        cause: Cause::Misjudged,
        system_and_tools: sizes.prefix,
        head: Tokens(0),
        newest: sizes.messages.last().copied().unwrap_or_default(),
        trigger: budget.trigger,
    };
    Some(Shortfall { trigger: budget.trigger, ..planned.unwrap_or(misjudged) })
}

/// What is broken in the client's own transcript cannot always be repaired; that is no reason not to compact it.
fn without_repairs(edits: Vec<Edit>) -> Vec<Edit> {
    let is_repair = |edit: &Edit| matches!(edit, Edit::RemoveResult { .. } | Edit::AnswerCall { .. });
    edits.into_iter().filter(|edit| !is_repair(edit)).collect()
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
                edits.extend(fill_gaps(order, &seal(&body, &trace(&request))));
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
        Some((index, request)) if goes(index) => NewestRequest::Goes { request, answered: answer(conversation) },
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

/// The agent's last words, if the conversation ends with them: then nothing is left to be done.
fn answer(conversation: &Conversation) -> Option<String> {
    let last = conversation.messages.last()?;
    let answers = last.role == Role::Assistant && last.calls().next().is_none();
    let words: Vec<&str> = last.texts().map(|text| &**text).collect();
    (answers && !words.is_empty()).then(|| words.join("\n"))
}

/// Tells apart summaries that read the same but stand for different messages.
fn trace(request: &SummaryRequest) -> String {
    let mut hash = Xxh3::new();
    request.previous.iter().for_each(|body| hash.update(body.as_bytes()));
    for block in request.messages.iter().flat_map(|message| &message.blocks) {
        match block {
            Block::Text(text) | Block::Thinking(text) => hash.update(text.as_bytes()),
            Block::ToolCall(call) => hash.update(call.arguments.as_bytes()),
            Block::ToolResult(result) => hash.update(result.text().as_bytes()),
            Block::Media(media) => hash.update(&media.tokens.to_le_bytes()),
            Block::Opaque(opaque) => hash.update(opaque.text.as_bytes()),
        }
    }
    format!("{} messages, {:012x}", request.messages.len(), hash.digest() >> 16)
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
