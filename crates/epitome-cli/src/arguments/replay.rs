//! What can be typed behind `epitome replay`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use epitome_replay::policies::Name;

use crate::units::parse_tokens;

pub(crate) const REPLAY_HELP: &str = "\
Examples:
  epitome replay ~/.claude/projects/my-project            every session of a project, under every policy
  epitome replay session.jsonl --window 1000000 --prices r0.05
  epitome replay recorded/ --policy threshold --policy cost --html report.html
  epitome replay recorded/ --policy cost --plan-out plan.jsonl

Policies:
  none               nothing, until the window overflows; then everything but the tail is summarised
  threshold          Epitome as it is shipped: a summary at half of the window
  largest-first      compression.controller: largest_first: the largest old outputs first, from 75 % to 50 % of the window
  masking            tool results older than ten calls are masked, at every call
  provider-clearing  the provider clears all tool results but three, above 100,000 tokens
  cost               Epitome with the cost rule: a compaction when waiting has cost as much as it does
  optimum            what hindsight would have done: the cheapest sequence there is, by dynamic programming

Sessions are files or directories of them: requests of OpenAI and Anthropic with their messages, session files of Claude Code
and Codex. The model's answers stay as they were recorded, whatever a policy took out of the prompt: this is about cost, not
about quality. Costs are in tokens of uncached input, and in dollars where --prices names a model. Nothing leaves this machine.";

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Recorded sessions: files, or directories with *.jsonl and *.json
    #[arg(value_name = "SESSIONS", required = true)]
    pub(crate) sessions: Vec<PathBuf>,
    /// What is done about growing sessions; may be repeated [default: all]
    #[arg(long, value_name = "NAME", value_parser = policy)]
    pub(crate) policy: Vec<Name>,
    /// The model's context window, in tokens
    #[arg(long, value_name = "TOKENS", default_value_t = 200_000, value_parser = window)]
    pub(crate) window: u64,
    /// What tokens cost: r0.10 and r0.05 (reading the cache costs so much of input), or the name of a model
    #[arg(long, value_name = "r0.10|MODEL", default_value = "r0.10")]
    pub(crate) prices: String,
    /// Who places the breakpoints of the provider's cache
    #[arg(long, value_enum, default_value_t = BreakpointsName::Stateful)]
    pub(crate) breakpoints: BreakpointsName,
    /// Write a page with plots, which needs nothing else, to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write what one policy did, a line a call, to this file; needs one --policy
    #[arg(long, value_name = "FILE")]
    pub(crate) plan_out: Option<PathBuf>,
    /// Facts about models that the catalogue does not know, or has wrong (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
}

/// Who places breakpoints, as it is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BreakpointsName {
    /// Epitome, remembering what was written; after a pause of five minutes the system prompt is kept for an hour
    Stateful,
    /// The same, with five minutes for everything
    #[value(name = "stateful-5m")]
    Stateful5m,
    /// The system prompt and the last three messages, results of one turn taken as one
    #[value(name = "system-and-3")]
    SystemAnd3,
    /// The same on OpenAI-shaped messages, where each result is one
    #[value(name = "system-and-3-openai")]
    SystemAnd3Openai,
    /// As Claude Code does: the system prompt and the last two messages
    Client,
    /// Every block, for five minutes: what no provider offers, as a measure
    Unlimited,
    /// None are needed: OpenAI's automatic cache
    Automatic,
}

fn window(typed: &str) -> Result<u64, String> {
    let tokens = parse_tokens(typed)?;
    if tokens < 8_000 { Err(format!("{tokens} is less than 8000, and no session fits that")) } else { Ok(tokens) }
}

fn policy(typed: &str) -> Result<Name, String> {
    typed.parse().map_err(|()| {
        let names: Vec<&str> = Name::ALL.iter().map(|name| name.typed()).collect();
        format!("there is no such policy; one of {}", names.join(", "))
    })
}
