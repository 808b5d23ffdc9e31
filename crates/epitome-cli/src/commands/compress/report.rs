//! What `compress` says about what it did, or would do: for people, and as JSON.

use epitome_core::compaction::{Author, Compaction, Weight};
use epitome_core::cost::trigger::Decision;
use epitome_core::edit::Edit;
use epitome_core::engine::{Cause, How, Plan, Reason, ShortenedOutput, Shortfall, Step};
use epitome_core::shape::role_name;
use epitome_core::statistics::{CompactionRecord, messages_compressed};
use epitome_core::summary::audit::Audit;
use epitome_core::summary::{Work as SummaryWork, archived};
use epitome_core::tokens::{Precision, Tokens};
use serde_json::{Value, json};

use super::super::digest;
use super::{Work, shown};
use crate::session::Session;
use crate::table::{Column, rows};
use crate::terminal::{Style, bar};
use crate::units::counted;

const BAR: usize = 40;
/// More than this is not read by a person.
const OUTPUTS_SHOWN: usize = 20;

/// Nothing is to be done, and why.
pub(super) fn nothing(session: &Session, work: &Work) -> String {
    let size = weighed(work.weight);
    if !work.enabled {
        return format!("{}: {size}; compression.enabled is false, so nothing is done", session.name);
    }
    match &work.decision {
        Some(decision) => {
            let mut lines = vec![format!("{}: {size}; nothing to do yet", session.name)];
            lines.extend(prices(decision));
            lines.join("\n")
        }
        None => format!("{}: {size}, below the trigger of {}; nothing to do", session.name, work.budget.trigger),
    }
}

/// What prices say, and the numbers that were compared. They are in tokens of uncached input.
fn prices(decision: &Decision) -> Vec<String> {
    let mut lines = vec![format!("  prices, in tokens of uncached input: {}", decision.verdict())];
    lines.extend(decision.compared.iter().map(|numbers| format!("    {numbers}")));
    lines
}

pub(super) fn nothing_json(session: &Session, work: &Work) -> Value {
    let mut report = base(session, work);
    report["action"] = json!("none");
    report["enabled"] = json!(work.enabled);
    report
}

/// A weight and its unit.
fn weighed(weight: Weight) -> String {
    format!("{} {}", shown(weight), if weight.tokens == Tokens(1) { "token" } else { "tokens" })
}

/// What was done.
pub(super) fn done(session: &Session, work: &Work, compaction: &Compaction, style: Style) -> String {
    let record = record(session, compaction);
    let share = compaction.after.tokens.0 as f64 / compaction.before.0.max(1) as f64;
    let mut lines = vec![style.bold(&format!(
        "{}: {} → {} ({:.1} % saved), {} → {}",
        session.name,
        shown(work.weight),
        weighed(compaction.after),
        100.0 * record.ratio(),
        record.messages_before,
        counted(record.messages_after as u64, "message")
    ))];
    lines.push(format!(
        "  {:.1} % of a window of {} before, {} messages compressed",
        100.0 * usage(session, work),
        session.window.length,
        Tokens(record.compressed())
    ));
    lines.extend(archived(compaction).map(|notice| style.yellow(&format!("  {notice}"))));
    lines.extend(work.decision.iter().flat_map(prices));
    lines.push(format!("  before {}", style.yellow(&bar(1.0, BAR))));
    lines.push(format!("  after  {}", style.green(&bar(share, BAR))));
    lines.extend(compaction.plan.rungs.iter().map(|climbed| format!("  {}", climbed.rung)));
    lines.extend(digests(&compaction.plan));
    match &compaction.author {
        Some(Author::Asked { name, work, audit }) => {
            lines.push(style.dim(&format!("  summary by: {name}{}", worked(work))));
            lines.extend(audit.as_ref().map(|audit| style.dim(&format!("  {}", audited(audit)))));
        }
        Some(Author::StoodIn { name, why, work }) => {
            lines.push(style.yellow(&format!("  summary by: local, in place of {name}: {why}{}", worked(work))));
        }
        None => {}
    }
    lines.join("\n")
}

/// What a model was given to do; nothing for who asked none.
fn worked(work: &SummaryWork) -> String {
    if work.calls == 0 {
        return String::new();
    }
    let cost = match work.cost_usd {
        Some(cost) if work.estimated => format!(", ≈ ${cost:.4}"),
        Some(cost) => format!(", ${cost:.4}"),
        None => String::new(),
    };
    let (chunks, calls) = (counted(work.chunks as u64, "part"), counted(work.calls as u64, "call"));
    let about = if work.estimated { "≈ " } else { "" };
    let input = counted(work.input.0, "token");
    format!(" ({chunks}, {calls}, {about}{input} in, {about}{} out{cost})", work.output)
}

/// What of its claims stands nowhere.
fn audited(audit: &Audit) -> String {
    /// More than this is not read by a person.
    const SHOWN: usize = 8;
    let unverified = audit.unverified.len();
    let mut line = format!("audit: {} names and numbers, {unverified} not found in the transcript", audit.checked);
    if unverified > 0 {
        line += &format!(": {}", audit.unverified.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", "));
    }
    if unverified > SHOWN {
        line += ", …";
    }
    line
}

pub(super) fn done_json(session: &Session, work: &Work, compaction: &Compaction) -> Value {
    let record = record(session, compaction);
    let mut report = base(session, work);
    report["action"] = json!("compacted");
    report["tokens_after"] = json!(compaction.after.tokens);
    report["tokens_after_estimated"] = json!(compaction.after.precision == Precision::Estimate);
    report["messages_after"] = json!(record.messages_after);
    report["ratio"] = json!(record.ratio());
    report["messages_compressed"] = json!(record.compressed());
    report["archived"] = json!(archived(compaction));
    report["rungs"] = json!(compaction.plan.rungs);
    report["summary_by"] = json!(compaction.author);
    report["shortfall"] = json!(compaction.plan.shortfall);
    report["outputs_shortened"] = json!(compaction.plan.shortened.len());
    report["shortened"] = json!(compaction.plan.shortened);
    report
}

/// What would be done.
pub(super) fn plan(session: &Session, work: &Work, plan: &Plan) -> String {
    let messages = session.conversation().messages.len();
    let zone = |name: &str, start: usize, end: usize| {
        let weight = weight(session, start, end);
        let which = match end.checked_sub(start) {
            None | Some(0) => "none".to_owned(),
            Some(1) => format!("message {start}"),
            Some(_) => format!("messages {start}–{}", end - 1),
        };
        vec![format!("  {name}"), which, weight.to_string()]
    };
    let zones = [
        zone("head", 0, plan.head_end),
        zone("middle", plan.head_end, plan.tail_start.max(plan.head_end)),
        zone("tail", plan.tail_start, messages),
    ];
    let limits = if work.budget.forced {
        format!("{} at most", work.budget.context_length)
    } else if plan.reason == Reason::Pays {
        format!("window {} ({})", session.window.length, session.window.said_by)
    } else {
        format!("trigger {}, window {} ({})", work.budget.trigger, session.window.length, session.window.said_by)
    };
    let mut lines = vec![format!("{}: {}, {limits}: {}", session.name, weighed(work.weight), plan.reason)];
    lines.extend(work.decision.iter().flat_map(prices));
    lines.extend(rows(&[Column::Left, Column::Left, Column::Right], &zones));
    lines.push("steps:".to_owned());
    let (shortened, others): (Vec<&Step>, Vec<&Step>) =
        plan.steps.iter().partition(|step| matches!(step, Step::Edit(Edit::ShortenOutput { .. })));
    lines.extend(others.iter().map(|step| format!("  {}", step_line(step))));
    if !shortened.is_empty() {
        lines.push(format!("  shorten {}:", counted(shortened.len() as u64, "tool output")));
        lines.extend(shortened.iter().take(10).map(|step| format!("    {}", step_line(step))));
        if shortened.len() > 10 {
            lines.push(format!("    … and {} more", shortened.len() - 10));
        }
    }
    lines.push("rungs, with the size each leads to at most:".to_owned());
    let rungs: Vec<Vec<String>> =
        plan.rungs.iter().map(|climbed| vec![format!("  {}", climbed.rung), climbed.at_most.to_string()]).collect();
    lines.extend(rows(&[Column::Left, Column::Right], &rungs));
    if let Some(shortfall) = &plan.shortfall {
        lines.push(self::shortfall(shortfall, work));
    }
    lines.push(String::new());
    lines.join("\n")
}

pub(super) fn plan_json(session: &Session, work: &Work, plan: &Plan) -> Value {
    let mut report = base(session, work);
    report["action"] = json!("plan");
    report["plan"] = json!(plan);
    report
}

/// Why it is not smaller, and what could be done about it.
pub(super) fn shortfall(shortfall: &Shortfall, work: &Work) -> String {
    let limit = if work.budget.forced {
        format!("the size asked for, {}, is out of reach", work.budget.context_length)
    } else {
        format!("the trigger, {}, is out of reach", work.budget.trigger)
    };
    let next = match shortfall.cause {
        Cause::SystemAndTools => "use a larger window, or fewer tools",
        Cause::Head => "use a larger window, or a smaller compression.protect_first_n",
        Cause::NewestExchange | Cause::NothingOld | Cause::Misjudged => "use a larger window",
    };
    format!("{limit}: {shortfall}\n  hint: {next}")
}

fn base(session: &Session, work: &Work) -> Value {
    session.described(json!({
        "trigger": work.budget.trigger,
        "tokens_before": work.weight.tokens,
        "window_usage": usage(session, work),
        "tokens_before_estimated": work.weight.precision == Precision::Estimate,
        "messages_before": session.conversation().messages.len(),
        "prices": work.decision,
        "engine": {"wanted": work.missing_engine.as_deref().unwrap_or(work.engine.name()), "used": work.engine.name()},
    }))
}

/// What is said where the session was archived, and a new one begins from its summary.
fn archived(compaction: &Compaction) -> Option<String> {
    compaction.plan.restarts().then(|| archived::notice(compaction.applied.edits())).flatten()
}

/// How much of the model's window the session takes before.
fn usage(session: &Session, work: &Work) -> f64 {
    work.weight.tokens.0 as f64 / session.window.length.0.max(1) as f64
}

fn record(session: &Session, compaction: &Compaction) -> CompactionRecord {
    CompactionRecord {
        at_ms: 0,
        before: compaction.before,
        after: compaction.after.tokens,
        messages_before: session.conversation().messages.len(),
        messages_after: compaction.applied.conversation().messages.len(),
        messages_compressed: Some(messages_compressed(compaction.applied.edits())),
    }
}

fn weight(session: &Session, start: usize, end: usize) -> Tokens {
    session.sizes.messages.get(start..end).unwrap_or_default().iter().copied().sum()
}

/// What became of the outputs, the largest first, and what was lost of each (M18).
fn digests(plan: &Plan) -> Vec<String> {
    let mut shortened: Vec<&ShortenedOutput> = plan.shortened.iter().collect();
    let sum = |weight: fn(&ShortenedOutput) -> Tokens| plan.shortened.iter().map(weight).sum::<Tokens>();
    if shortened.is_empty() {
        return Vec::new();
    }
    let (before, after) = (sum(|output| output.before), sum(|output| output.after));
    let mut lines = vec![format!(
        "  {} shortened, ≈ {before} → {}:",
        counted(shortened.len() as u64, "tool output"),
        counted(after.0, "token")
    )];
    shortened.sort_by_key(|output| (std::cmp::Reverse(output.before), output.message, output.block));
    let cells = |output: &&ShortenedOutput| {
        let (kind, kept) = match &output.how {
            How::Digest { kind, loss, .. } => (*kind, digest::kept(loss)),
            How::ReadAgain => ("read again later", String::new()),
            How::OneLine => ("one line", String::new()),
            How::Cleared => ("cleared", String::new()),
        };
        let size = format!("{} → {}", output.before, output.after);
        vec![format!("    message {}", output.message), size, kind.to_owned(), output.call.clone(), kept]
    };
    let table: Vec<Vec<String>> = shortened.iter().take(OUTPUTS_SHOWN).map(cells).collect();
    lines.extend(rows(&[Column::Left, Column::Right, Column::Left, Column::Left, Column::Left], &table));
    if shortened.len() > OUTPUTS_SHOWN {
        lines.push(format!("    … and {} smaller ones; --json shows all", shortened.len() - OUTPUTS_SHOWN));
    }
    lines
}

fn step_line(step: &Step) -> String {
    match step {
        Step::Summarize(order) => {
            let spans: Vec<String> =
                order.gaps.iter().map(|gap| format!("{}–{}", gap.start, gap.end.saturating_sub(1))).collect();
            format!(
                "summarise messages {} in at most {}, said as {}",
                spans.join(", "),
                counted(order.budget.0, "token"),
                role_name(order.role)
            )
        }
        Step::Edit(edit) => match edit {
            Edit::ShortenOutput { message, text, .. } => {
                format!("message {message}: {}", text.lines().next().unwrap_or_default())
            }
            Edit::Replace { start, end, with } => {
                format!("replace messages {start}–{} by {} of ours", end.saturating_sub(1), with.len())
            }
            Edit::NoteInSystem { .. } => "add a note to the system prompt".to_owned(),
            Edit::AnswerCall { message, .. } => format!("answer a call of message {message} that has no result"),
            Edit::RemoveResult { message, .. } => format!("remove a result of message {message} that has no call"),
        },
    }
}
