//! One session under several policies: everything that a report says about it.

use epitome_core::model::Conversation;
use epitome_core::tokens::{BpeCounter, Precision, Source, Tokens, by_source};

use crate::estimates::{self, Estimate};
use crate::plan;
use crate::play::{Played, play};
use crate::policies::{CostSettings, Name};
use crate::prices::PriceSet;
use crate::provider::{Provider, Strategy};
use crate::trace::Trace;
use crate::validation::{self, Validated};

/// What to find out.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The policies to play.
    pub policies: Vec<Name>,
    /// The window, in tokens.
    pub window: u64,
    /// What tokens cost.
    pub prices: PriceSet,
    /// Who places breakpoints.
    pub strategy: Strategy,
    /// How the cost rule is set up.
    pub cost: CostSettings,
    /// The policy whose decisions are written down, if any are.
    pub plan_of: Option<Name>,
}

/// What was found out about a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// What it is called.
    pub id: String,
    /// Its model.
    pub model: Option<String>,
    /// What was sent last, if nothing had been done about it.
    pub unedited: u64,
    /// Each policy, in the order that was asked for.
    pub runs: Vec<(Name, Played)>,
    /// Where its tokens are, in the provider's.
    pub sources: Vec<(Source, Tokens)>,
    /// The simulated cache against the recorded one.
    pub validated: Option<Validated>,
    /// Sizes estimated before each call against those reported after it.
    pub estimates: Vec<Estimate>,
    /// The decisions of one policy, a line a call.
    pub plan: String,
}

impl Study {
    /// The largest prompt under the policy that keeps it smallest. A window below it cannot hold the session.
    pub fn needs(&self) -> u64 {
        self.runs.iter().map(|(_, run)| run.peak()).min().unwrap_or(0)
    }
}

/// Plays a session under each policy.
pub fn study(trace: &Trace, settings: &Settings) -> Study {
    let mut written = String::new();
    let mut runs = Vec::with_capacity(settings.policies.len());
    for name in &settings.policies {
        let mut policy = name.build(trace, settings.window, &settings.prices, &settings.cost);
        let wanted = settings.plan_of == Some(*name);
        let played = play(trace, &mut *policy, Provider::new(settings.strategy), &settings.prices, &mut |seen| {
            if wanted {
                written.push_str(&plan::line(&trace.id, seen).to_string());
                written.push('\n');
            }
        });
        runs.push((*name, played));
    }
    Study {
        id: trace.id.clone(),
        model: trace.model.clone(),
        unedited: trace.unedited(trace.calls.len().saturating_sub(1)),
        runs,
        sources: sources(trace),
        validated: validation::validate(trace),
        estimates: estimates::estimate(trace),
        plan: written,
    }
}

/// Where the tokens of a session are. What was not recorded is system prompt and tools.
fn sources(trace: &Trace) -> Vec<(Source, Tokens)> {
    let conversation = Conversation { messages: trace.messages.clone(), ..Conversation::default() };
    let counted = by_source(&conversation, &BpeCounter, Precision::Estimate);
    let scaled = counted.into_iter().map(|(source, tokens)| {
        let scaled = Tokens((tokens.0 as f64 * trace.factor).round() as u64);
        (source, if source == Source::System { scaled + Tokens(trace.prefix) } else { scaled })
    });
    scaled.collect()
}
