//! A request as its real messages, compacted by the real engine with the local summariser, so that sizes are real.
//!
//! System prompt and tools are not part of the conversation here: what was recorded of them is not all there was, so they
//! are one block of their own, which no edit touches.

use std::sync::Arc;

use epitome_core::budget::Budget;
use epitome_core::compaction::{Compaction, Endless, Tools, compact};
use epitome_core::cost::trigger::Outlook;
use epitome_core::edit::Origin;
use epitome_core::engine::{ContextEngine, Occasion, Reason, Rung};
use epitome_core::model::{Conversation, Message, Pairing};
use epitome_core::summary::NOTE;
use epitome_core::summary::local::LocalSummarizer;
use epitome_core::tokens::{BpeCounter, ScaledCounter, Sizes, TokenCounter, Tokens};

use crate::trace::{Kind, Piece, Trace, key_of, pieces_of};

/// A request as its real messages.
pub struct Transcript<'a> {
    trace: &'a Trace,
    engine: Arc<dyn ContextEngine>,
    counter: ScaledCounter<BpeCounter>,
    conversation: Conversation,
    /// The blocks of each message.
    pieces: Vec<Vec<Piece>>,
    /// Our note behind the system prompt, from the first summary on.
    note: Option<Piece>,
    /// The message that holds the newest summary.
    summary: Option<usize>,
    /// Calls whose messages are in it.
    calls: usize,
}

/// What a compaction did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Tokens of the summary, if one was written.
    pub summary: Option<u64>,
    /// What stands verbatim behind the summary, or behind the last output that was shortened, at least.
    pub tail: u64,
    /// It ended above its trigger.
    pub fell_short: bool,
}

/// How often a longer tail is asked for.
const TRIES: usize = 4;

impl<'a> Transcript<'a> {
    /// A session that has not begun.
    pub fn new(trace: &'a Trace, engine: Arc<dyn ContextEngine>) -> Transcript<'a> {
        Transcript {
            trace,
            engine,
            counter: ScaledCounter::new(BpeCounter, trace.factor),
            conversation: Conversation::default(),
            pieces: Vec::new(),
            note: None,
            summary: None,
            calls: 0,
        }
    }

    /// The messages of the next call come in.
    pub fn append(&mut self) {
        let Some(call) = self.trace.calls.get(self.calls) else { return };
        self.calls += 1;
        let messages = self.trace.messages.get(call.messages.clone()).unwrap_or_default();
        let blocks = self.trace.blocks.get(call.messages.clone()).unwrap_or_default();
        self.conversation.messages.extend_from_slice(messages);
        let pieces = blocks.iter().map(|range| self.trace.pieces.get(range.clone()).unwrap_or_default().to_vec());
        self.pieces.extend(pieces);
    }

    /// What the request weighs.
    pub fn size(&self) -> u64 {
        self.trace.prefix + self.note.map_or(0, |note| note.tokens) + self.message_sizes().sum::<u64>()
    }

    /// What it weighs up to a message.
    pub fn size_until(&self, message: usize) -> u64 {
        let fixed = self.trace.prefix + self.note.map_or(0, |note| note.tokens);
        fixed + self.message_sizes().take(message).sum::<u64>()
    }

    /// The request, block by block.
    pub fn pieces(&self) -> Vec<Piece> {
        let prefix = piece(Kind::Prefix, self.trace.prefix, key_of("prefix", 0));
        std::iter::once(prefix).chain(self.note).chain(self.pieces.iter().flatten().copied()).collect()
    }

    /// The last block of the newest summary.
    pub fn boundary(&self) -> Option<usize> {
        let summary = self.summary?;
        let blocks: usize = self.pieces.iter().take(summary + 1).map(Vec::len).sum();
        Some(blocks + usize::from(self.note.is_some()))
    }

    /// Where a tail of at least so many tokens begins, and what it weighs. Nothing is cut inside a turn.
    pub fn tail(&self, at_least: u64) -> (usize, u64) {
        let pairing = Pairing::of(&self.conversation.messages);
        let sizes: Vec<u64> = self.message_sizes().collect();
        let mut weight = 0;
        for segment in pairing.segments().iter().rev() {
            weight += sizes.get(segment.start..segment.end).unwrap_or_default().iter().sum::<u64>();
            if weight >= at_least {
                return (segment.start, weight);
            }
        }
        (0, weight)
    }

    /// What the engine's acting would leave.
    pub fn outlook(&self, budget: &Budget) -> Outlook {
        self.engine.outlook(&self.conversation, &self.sizes(), &self.fitted(budget), &self.counter)
    }

    /// Whether the engine would compact on its own.
    pub fn is_due(&self, budget: &Budget) -> bool {
        self.engine.should_compress(&self.fitted(budget)).is_some()
    }

    /// Compacts, and keeps at least `tail` tokens behind the summary as they were, if there are so many.
    /// `None`: nothing could be done.
    pub fn compact(&mut self, budget: &Budget, from: Rung, tail: u64) -> Option<Compacted> {
        let mut budget = self.fitted(budget);
        let mut compaction = self.try_to(&budget, from)?;
        for _ in 0..TRIES {
            // The engine weighs messages by estimates of its own, and may cut a turn too late.
            let kept = self.kept_behind(&compaction);
            if kept >= tail || self.pieces.is_empty() {
                break;
            }
            budget.tail += Tokens(tail - kept) + budget.tail.share(0.05);
            compaction = self.try_to(&budget, from)?;
        }
        let kept = self.kept_behind(&compaction);
        let origins = compaction.applied.origins().to_vec();
        self.conversation = compaction.applied.into_conversation();
        let summary = self.take_over(&origins);
        if summary.is_some() && self.note.is_none() {
            self.note = Some(piece(Kind::Prefix, self.counter.count(NOTE).0, key_of(NOTE, 0)));
        }
        Some(Compacted { summary, tail: kept, fell_short: compaction.plan.shortfall.is_some() })
    }

    fn try_to(&self, budget: &Budget, from: Rung) -> Option<Compaction> {
        let summarizer = LocalSummarizer::new(self.counter);
        let tools =
            Tools { engine: &*self.engine, summarizer: &summarizer, patience: &Endless, counter: &self.counter };
        let (sizes, occasion) = (self.sizes(), occasion(from));
        let work = compact(&self.conversation, &sizes, budget, &occasion, tools);
        // An engine that proposes what would break the conversation has proposed nothing.
        pollster::block_on(work).ok().filter(|compaction| !compaction.applied.edits().is_empty())
    }

    /// What stands behind the last message that a compaction changed or put in.
    fn kept_behind(&self, compaction: &Compaction) -> u64 {
        let kept = compaction.applied.origins().iter().rev().map_while(|origin| match origin {
            Origin::Kept(index) => self.pieces.get(*index),
            Origin::Changed(_) | Origin::Inserted | Origin::Answers(_) => None,
        });
        kept.flatten().map(|piece| piece.tokens).sum()
    }

    /// Follows what became of each message. The size of the summary, if there is a new one.
    fn take_over(&mut self, origins: &[Origin]) -> Option<u64> {
        let before = std::mem::take(&mut self.pieces);
        let mut written: Option<u64> = None;
        let mut summary = None;
        for (at, (message, origin)) in self.conversation.messages.iter().zip(origins).enumerate() {
            let known = |index: &usize| before.get(*index).cloned().unwrap_or_default();
            let pieces = match origin {
                Origin::Kept(index) => {
                    if self.summary == Some(*index) {
                        summary = Some(at);
                    }
                    known(index)
                }
                Origin::Changed(index) => {
                    let mut pieces = self.counted(message);
                    let place = known(index).first().map_or((0, 0), |piece| (piece.turn, piece.merged));
                    pieces.iter_mut().for_each(|piece| (piece.turn, piece.merged) = place);
                    pieces
                }
                Origin::Inserted => {
                    let mut pieces = self.counted(message);
                    pieces.iter_mut().for_each(|piece| piece.kind = Kind::Summary);
                    *written.get_or_insert(0) += pieces.iter().map(|piece| piece.tokens).sum::<u64>();
                    summary = Some(at);
                    pieces
                }
                Origin::Answers(_) => self.counted(message),
            };
            self.pieces.push(pieces);
        }
        self.summary = summary;
        written
    }

    fn counted(&self, message: &Message) -> Vec<Piece> {
        let mut pieces = pieces_of(message, &BpeCounter);
        pieces.iter_mut().for_each(|piece| piece.scale(self.trace.factor));
        pieces
    }

    fn message_sizes(&self) -> impl Iterator<Item = u64> {
        self.pieces.iter().map(|pieces| pieces.iter().map(|piece| piece.tokens).sum())
    }

    fn sizes(&self) -> Sizes {
        Sizes { prefix: Tokens(0), messages: self.message_sizes().map(Tokens).collect() }
    }

    /// The budget, told what the request weighs, of which system prompt and tools are not seen.
    fn fitted(&self, budget: &Budget) -> Budget {
        let unseen = self.trace.prefix + self.note.map_or(0, |note| note.tokens);
        Budget { used: Tokens(self.size()), unseen: Tokens(unseen), ..budget.clone() }
    }
}

fn occasion(from: Rung) -> Occasion {
    Occasion { from, ..Occasion::new(Reason::Threshold) }
}

fn piece(kind: Kind, tokens: u64, key: u64) -> Piece {
    Piece { kind, tokens, key, turn: 0, merged: 0 }
}
