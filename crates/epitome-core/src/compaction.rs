//! The driver: asks an engine for a plan, has its summary written, applies it, and measures where that led.
//!
//! Whatever a summariser does, a compaction ends: what is not accepted is written by the local summariser, which cannot
//! fail and keeps to its budget. What a model wrote is looked over and completed in `writing`.

mod writing;

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use crate::budget::Budget;
use crate::edit::{Applied, Edit, EditError, Inserted, apply};
use crate::engine::{Cause, ContextEngine, Occasion, Plan, Shortfall, Step, SummaryOrder};
use crate::engines::compressor::fill_last_gap;
use crate::live;
use crate::model::{Block, Conversation, Message, Pairing, Role};
use crate::summary::audit::Audit;
use crate::summary::template::{Section, Sections, unfence};
use crate::summary::{self, NewestRequest, Summarizer, SummaryRequest, Work, requests, seal};
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The summariser that was asked.
    Asked {
        /// Its name.
        name: String,
        /// What it took, over all attempts at this compaction.
        work: Work,
        /// What it claims that its sources do not; `None` for the local summariser, whose words are the transcript's.
        audit: Option<Audit>,
    },
    /// The local summariser, as the one that was asked did not deliver.
    StoodIn {
        /// Whom for.
        name: String,
        /// Why.
        why: String,
        /// What was spent on it nevertheless.
        work: Work,
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

/// From this share of doubtful text on, the parts of a conversation are counted.
const SOME_DOUBT: f64 = 0.05;
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
    // An odd part that is estimated badly must not make the others look odd: where one may be, all are counted.
    let counted = (doubtful_share(conversation) > SOME_DOUBT).then(|| Sizes::counted(conversation, tools.counter));
    // What is off then is off everywhere: a provider that counts otherwise, and what it puts around messages.
    let sizes = &counted.as_ref().unwrap_or(sizes).scaled_to(budget.used - budget.unseen);
    let mut writer = writing::Writer::new(tools);
    let mut fits: Option<Compaction> = None;
    loop {
        let mut plan = tools.engine.plan(conversation, sizes, &aim, &occasion, tools.counter);
        let (edits, author) = carry_out(&plan, conversation, &occasion, &mut writer).await;
        let applied = apply(conversation, edits.clone()).or_else(|_| apply(conversation, without_repairs(edits)))?;
        let sizes_after = sizes.after(&applied, tools.counter);
        let mut after = weigh(applied.conversation(), &sizes_after, budget.trigger - budget.unseen, tools.counter);
        after.tokens += budget.unseen;
        let climbed = plan.rungs.last().map_or(occasion.from, |climbed| climbed.rung).max(occasion.from);
        // What pays was weighed by the same estimates before and after, and is done as it is: an exact count of what is left
        // says nothing against an estimate of what there was.
        let too_large = !budget.pays && after.tokens >= budget.trigger;
        // Filling up what was left went too far: what was there before it fits.
        if let Some(fits) = fits.take_if(|_| too_large && aims_left == 0) {
            return Ok(fits);
        }
        match (too_large && plan.shortfall.is_none(), climbed.next()) {
            // The plan rested on estimates that were a little off: aim lower by as much before climbing higher.
            (true, Some(_)) if aims_left > 0 => {
                aim.trigger = aim.trigger.share(0.99 * budget.trigger.0 as f64 / after.tokens.0 as f64);
                aims_left -= 1;
            }
            (true, Some(next)) => {
                (aim.trigger, aims_left) = (budget.trigger, AIMS);
                occasion.from = next;
            }
            // A size was asked for, and there is room: summaries cost less than was estimated.
            (false, _) if budget.forced && aims_left == AIMS && after.tokens < budget.trigger.share(FULL) => {
                let short_by = 0.995 * budget.trigger.0 as f64 / after.tokens.0.max(1) as f64;
                aim.trigger = aim.trigger.share(short_by.min(LARGEST_CORRECTION));
                aims_left -= 1;
                plan.shortfall = None;
                fits = Some(Compaction { plan, applied, before: budget.used, after, author });
            }
            (true | false, _) => {
                plan.shortfall = shortfall(plan.shortfall, after.tokens, conversation, sizes, budget);
                return Ok(Compaction { plan, applied, before: budget.used, after, author });
            }
        }
    }
}

/// Whoever ends above the trigger says why, and in terms of the trigger that was asked for.
fn shortfall(
    planned: Option<Shortfall>,
    after: Tokens,
    conversation: &Conversation,
    sizes: &Sizes,
    budget: &Budget,
) -> Option<Shortfall> {
    if after < budget.trigger || budget.pays {
        return None;
    }
    let newest = live::newest_input(&conversation.messages, &Pairing::of(&conversation.messages));
    let misjudged = Shortfall {
        cause: Cause::Misjudged,
        system_and_tools: sizes.prefix,
        head: Tokens(0),
        newest: sizes.messages.iter().skip(newest).copied().sum(),
        trigger: budget.trigger,
    };
    Some(Shortfall { trigger: budget.trigger, ..planned.unwrap_or(misjudged) })
}

/// What is broken in the client's own transcript cannot always be repaired; that is no reason not to compact it.
fn without_repairs(edits: Vec<Edit>) -> Vec<Edit> {
    edits.into_iter().filter(|edit| !edit.is_repair()).collect()
}

/// A forced size that is filled this far is full.
const FULL: f64 = 0.98;
/// Estimates are not off by more: what is missing beyond it was not there to be said.
const LARGEST_CORRECTION: f64 = 1.1;

/// How often a plan is aimed anew before the next rung is climbed.
const AIMS: usize = 2;

async fn carry_out(
    plan: &Plan,
    conversation: &Conversation,
    occasion: &Occasion,
    writer: &mut writing::Writer<'_>,
) -> (Vec<Edit>, Option<Author>) {
    let mut edits = Vec::with_capacity(plan.steps.len());
    let mut author = None;
    for step in &plan.steps {
        match step {
            Step::Edit(edit) => edits.push(edit.clone()),
            Step::Summarize(order) => {
                let request = request(order, plan, conversation, occasion, writer.counter());
                let trace = trace(&request);
                let (body, by) = writer.write(&request, &trace).await;
                author = Some(by);
                edits.extend(fill_gaps(order, &seal(&body, &trace)));
            }
        }
    }
    (edits, author)
}

/// Puts the summary into the last gap, and lines that keep neighbours apart where the plan asks for them.
fn fill_gaps(order: &SummaryOrder, text: &str) -> Vec<Edit> {
    fill_last_gap(&order.gaps, &Inserted { role: order.role, text: text.to_owned() }).collect()
}

fn request(
    order: &SummaryOrder,
    plan: &Plan,
    conversation: &Conversation,
    occasion: &Occasion,
    counter: &dyn TokenCounter,
) -> SummaryRequest {
    let indices = order.gaps.iter().flat_map(|gap| gap.start..gap.end);
    let overtaken = live::overtaken(conversation);
    let mut messages = Vec::new();
    let mut bodies: Vec<&str> = Vec::new();
    let mut last_summary = None;
    for index in indices {
        let Some(message) = conversation.messages.get(index) else { continue };
        if let Some(body) = summary::body_of(message) {
            bodies.push(body);
            last_summary = Some(index);
        } else if !summary::is_ours(message) && !overtaken.contains(&index) {
            messages.push(message.clone());
        }
    }
    let goes = |index: usize| order.gaps.iter().any(|gap| (gap.start..gap.end).contains(&index));
    let newest = requests::newest(conversation);
    // A summary quotes the newest request only if it stood for it: that was asked after all that stands before the summary.
    let quotes = |body: &&str| Sections::read(body).get(Section::Goal).iter().any(|item| unfence(item).is_some());
    let in_previous = bodies.iter().any(quotes)
        && newest.as_ref().is_none_or(|(index, _)| last_summary.is_some_and(|last| *index < last));
    let newest_request = match newest {
        _ if in_previous => NewestRequest::InPrevious,
        Some((index, request)) if goes(index) => NewestRequest::Goes { request, answered: answer(conversation) },
        Some(_) | None => NewestRequest::Stays,
    };
    let (stays, shortened) = staying(plan, conversation, goes);
    SummaryRequest {
        messages,
        stays,
        shortened,
        previous: (!bodies.is_empty()).then(|| bodies.join("\n")),
        budget: order.budget - summary::seal_overhead(counter),
        words: order.words,
        focus: occasion.focus.clone(),
        newest_request,
        task: plan.restarts().then(|| task(conversation)).flatten(),
    }
}

/// What the person asked for first.
fn task(conversation: &Conversation) -> Option<String> {
    let first = requests::first(conversation)?;
    requests::typed(conversation.messages.get(first)?)
}

/// The messages that do not go, as they will read, and the calls whose outputs become shorter, with the whole outputs.
fn staying(plan: &Plan, conversation: &Conversation, goes: impl Fn(usize) -> bool) -> (Vec<Message>, Vec<Message>) {
    let messages =
        conversation.messages.iter().enumerate().map(|(index, message)| (!goes(index)).then(|| message.clone()));
    let mut stays: Vec<Option<Message>> = messages.collect();
    let mut whole = Vec::new();
    for step in &plan.steps {
        let Step::Edit(Edit::ShortenOutput { message, block, text }) = step else { continue };
        let stays_here = stays.get_mut(*message).and_then(Option::as_mut);
        let Some(Block::ToolResult(result)) = stays_here.and_then(|message| message.blocks.get_mut(*block)) else {
            continue;
        };
        let before = conversation.messages.iter().take(*message).rev();
        let call = before.flat_map(Message::calls).find(|call| call.id == result.call_id).cloned();
        let said = |role, block| Message { role, blocks: vec![block], injected: false, reported_prompt_tokens: None };
        whole.extend(call.map(|call| said(Role::Assistant, Block::ToolCall(call))));
        whole.push(said(Role::Tool, Block::ToolResult(result.clone())));
        result.content = vec![Block::Text(text.as_str().into())];
    }
    (stays.into_iter().flatten().collect(), whole)
}

/// The agent's last words, if the conversation ends with them: then nothing is left to be done.
fn answer(conversation: &Conversation) -> Option<String> {
    let pairing = Pairing::of(&conversation.messages);
    let last = conversation.messages.get(live::newest_input(&conversation.messages, &pairing))?;
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
