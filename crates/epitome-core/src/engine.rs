//! The seam behind which a strategy decides: a [`ContextEngine`] proposes a [`Plan`], which is data.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::budget::Budget;
use crate::cost::trigger::Outlook;
use crate::edit::Edit;
use crate::engines;
use crate::model::{Conversation, Role};
use crate::outputs::Loss;
use crate::tokens::{Sizes, TokenCounter, Tokens, counted};

/// Decides when a conversation is compacted, and proposes how.
///
/// Deterministic in its arguments. It is never given a client or a store, and changes nothing itself: the driver in
/// [`crate::compaction`] carries a plan out, and [`crate::edit::apply`] refuses what would break a conversation.
pub trait ContextEngine: Send + Sync {
    /// What `context.engine` calls it.
    fn name(&self) -> &str;

    /// One sentence for `epitome engines`.
    fn description(&self) -> &str;

    /// Whether this request is compacted now.
    fn should_compress(&self, budget: &Budget) -> Option<Reason>;

    /// What acting would leave of a conversation, by the sizes of its parts alone: it is asked at every call where prices
    /// decide when to act (`compression.trigger: cost`). An engine that cannot tell says nothing, and acts at its threshold.
    fn outlook(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        budget: &Budget,
        counter: &dyn TokenCounter,
    ) -> Outlook;

    /// Proposes edits to a conversation whose parts weigh `sizes`. Starts at `occasion.from`: the rungs below were tried and were not enough.
    fn plan(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        budget: &Budget,
        occasion: &Occasion,
        counter: &dyn TokenCounter,
    ) -> Plan;
}

/// Why, and how far, a compaction is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occasion {
    /// Why.
    pub reason: Reason,
    /// What the person wants to keep above all (`/compress <topic>`).
    pub focus: Option<String>,
    /// The first rung that may end the compaction.
    pub from: Rung,
}

/// Why a compaction is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The request reached the threshold (M6).
    Threshold,
    /// It costs no more than not having done it has cost.
    Pays,
    /// The session escaped the threshold and nears its window (M2).
    Hygiene,
    /// A person asked for it.
    Asked,
    /// A size was asked for.
    TargetSize,
}

/// The rungs of the ladder (M17), mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rung {
    /// 1: old tool outputs are shortened.
    Prune,
    /// 2: the middle is summarised.
    Summarize,
    /// 3: oversized outputs inside the tail are shortened too.
    ShortenTail,
    /// 4: the tail shrinks to its token budget.
    ShrinkTail,
    /// Outputs of the newest message are shortened: where it would not fit the window even if nothing else were left.
    ShortenNewest,
    /// Everything outside head and newest exchange goes to its minimum.
    Aggressive,
    /// 5: one sentence each of goal, constraints, state and open work stands for what lies between head and newest exchange.
    Drop,
    /// 6: the session is archived, and a new one begins from a short summary.
    Restart,
}

/// What an engine proposes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// Why.
    pub reason: Reason,
    /// Messages `..head_end` are protected at the start.
    pub head_end: usize,
    /// Messages `tail_start..` are protected at the end.
    pub tail_start: usize,
    /// The rungs climbed, with the size that each leads to at most.
    pub rungs: Vec<Climbed>,
    /// What to do.
    pub steps: Vec<Step>,
    /// The outputs that become shorter by it, and what is lost of each (M18).
    pub shortened: Vec<ShortenedOutput>,
    /// Why the trigger cannot be reached, if so.
    pub shortfall: Option<Shortfall>,
}

/// A tool output that becomes shorter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ShortenedOutput {
    /// Its message.
    pub message: usize,
    /// Its block in the message.
    pub block: usize,
    /// The call, as a person would name it.
    pub call: String,
    /// What became of it.
    #[serde(flatten)]
    pub how: How,
    /// What it weighed.
    pub before: Tokens,
    /// What is left.
    pub after: Tokens,
}

/// What becomes of a tool output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum How {
    /// Its digest.
    Digest {
        /// The kind it was read as.
        kind: &'static str,
        /// What was kept.
        loss: Loss,
        /// Digests that lost something and were made larger.
        refused: usize,
    },
    /// A line that says that a newer reading follows.
    ReadAgain,
    /// A line that names call, outcome and size.
    OneLine,
    /// A fixed sentence.
    Cleared,
}

/// A rung that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Climbed {
    /// Which.
    pub rung: Rung,
    /// The request's size after it, at most: a summary counts with its whole budget.
    pub at_most: Tokens,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// An edit that is ready.
    Edit(Edit),
    /// A summary that is still to be written.
    Summarize(SummaryOrder),
}

/// A summary that is to be written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SummaryOrder {
    /// The messages it stands for. It takes the place of the last gap.
    pub gaps: Vec<Gap>,
    /// What it may take, marker and headings included.
    pub budget: Tokens,
    /// What it may take in words (rung 6).
    pub words: Option<usize>,
    /// The role in which it is said.
    pub role: Role,
}

/// Messages that go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// The first.
    pub start: usize,
    /// Behind the last.
    pub end: usize,
    /// The roles of lines of ours at the end of the gap, where neighbours would meet otherwise that may not.
    pub bridges: Vec<Role>,
}

/// Why a compaction ends above its trigger: what may not be touched is too large by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Shortfall {
    /// What weighs most.
    pub cause: Cause,
    /// System prompt and tool definitions.
    pub system_and_tools: Tokens,
    /// The protected head.
    pub head: Tokens,
    /// The newest exchange.
    pub newest: Tokens,
    /// What should have been reached.
    pub trigger: Tokens,
}

/// What keeps a request above its trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// System prompt and tool definitions alone reach it.
    SystemAndTools,
    /// They and the protected first messages reach it.
    Head,
    /// The newest exchange does not fit beside them.
    NewestExchange,
    /// What is left is protected, and there is nothing old enough to compact.
    NothingOld,
    /// The parts weigh more than was estimated, and there is no harder rung.
    Misjudged,
}

/// The engines that can be named by `context.engine`.
#[derive(Clone)]
pub struct Registry {
    engines: BTreeMap<String, Arc<dyn ContextEngine>>,
}

/// An engine by name, or the built-in one in its place.
pub struct Resolved {
    /// The engine to use.
    pub engine: Arc<dyn ContextEngine>,
    /// The name that was asked for, if nothing goes by it and the built-in engine stands in.
    pub missing: Option<String>,
}

/// A name that cannot be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// `compressor` always means the built-in engine (M3).
    #[error("the name {BUILT_IN:?} always means the built-in engine")]
    Reserved,
    /// Two engines of one name.
    #[error("an engine named {0:?} is registered already")]
    Taken(String),
}

/// The name that always means the built-in engine.
pub const BUILT_IN: &str = "compressor";

impl Registry {
    /// The built-in engines.
    pub fn new(policy: &crate::budget::Policy) -> Registry {
        let compressor: Arc<dyn ContextEngine> = Arc::new(engines::compressor::Compressor::new(policy.clone()));
        Registry { engines: BTreeMap::from([(BUILT_IN.to_owned(), compressor)]) }
    }

    /// Makes an engine known by its name. It is used only where the configuration names it.
    pub fn register_context_engine(&mut self, engine: Arc<dyn ContextEngine>) -> Result<(), RegisterError> {
        let name = engine.name().to_owned();
        if name == BUILT_IN {
            return Err(RegisterError::Reserved);
        }
        if self.engines.contains_key(&name) {
            return Err(RegisterError::Taken(name));
        }
        self.engines.insert(name, engine);
        Ok(())
    }

    /// The engine that goes by `name`; the built-in one if there is none.
    pub fn resolve(&self, name: &str) -> Resolved {
        match self.engines.get(name) {
            Some(engine) => Resolved { engine: engine.clone(), missing: None },
            None => Resolved { engine: self.built_in(), missing: Some(name.to_owned()) },
        }
    }

    /// All engines, by name.
    pub fn engines(&self) -> impl Iterator<Item = &Arc<dyn ContextEngine>> {
        self.engines.values()
    }

    fn built_in(&self) -> Arc<dyn ContextEngine> {
        self.engines.get(BUILT_IN).cloned().expect("the built-in engine is registered by the only constructor")
    }
}

impl Occasion {
    /// A compaction from the first rung on.
    pub fn new(reason: Reason) -> Occasion {
        Occasion { reason, focus: None, from: Rung::Prune }
    }
}

impl Plan {
    /// Whether the session is archived, and a new one begins from a short summary (rung 6).
    pub fn restarts(&self) -> bool {
        self.rungs.iter().any(|climbed| climbed.rung == Rung::Restart)
    }
}

impl Rung {
    /// All rungs, mildest first.
    pub const ALL: [Rung; 8] = [
        Rung::Prune,
        Rung::Summarize,
        Rung::ShortenTail,
        Rung::ShrinkTail,
        Rung::ShortenNewest,
        Rung::Aggressive,
        Rung::Drop,
        Rung::Restart,
    ];

    /// The next harder rung.
    pub fn next(self) -> Option<Rung> {
        Rung::ALL.into_iter().find(|rung| *rung > self)
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Rung::Prune => "shorten old outputs",
            Rung::Summarize => "summarise the middle",
            Rung::ShortenTail => "shorten outputs in the tail",
            Rung::ShrinkTail => "shrink the tail",
            Rung::ShortenNewest => "shorten outputs in the newest message",
            Rung::Aggressive => "keep head and newest exchange only",
            Rung::Drop => "drop the oldest messages",
            Rung::Restart => "restart from a short summary",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Reason::Threshold => "the threshold is reached",
            Reason::Pays => "it pays for itself",
            Reason::Hygiene => "the window is nearly full",
            Reason::Asked => "asked for",
            Reason::TargetSize => "a size was asked for",
        })
    }
}

impl fmt::Display for Shortfall {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shortfall { cause, system_and_tools, head, newest, trigger: _ } = self;
        match cause {
            Cause::SystemAndTools => {
                let tokens = counted(system_and_tools.0, "token");
                write!(formatter, "system prompt and tool definitions alone take {tokens}")
            }
            Cause::Head => write!(
                formatter,
                "system prompt and tools ({}) and the protected first messages ({head}) take {}",
                counted(system_and_tools.0, "token"),
                *system_and_tools + *head
            ),
            Cause::NewestExchange => write!(
                formatter,
                "the newest exchange ({}) does not fit beside system prompt and tools \
                 ({system_and_tools}) and the protected first messages ({head})",
                counted(newest.0, "token")
            ),
            Cause::NothingOld => write!(formatter, "nothing is old enough to be compacted"),
            Cause::Misjudged => write!(formatter, "its parts weigh more than was estimated"),
        }
    }
}
