//! A recorded session as its calls: what each appended to the prompt, in the provider's tokens, and how long it took.
//!
//! The log is one growing context: summaries that the recorded agent put in are left out, and only told of.

mod factor;
mod pieces;

use std::ops::Range;

use epitome_core::model::{Message, Role};
use epitome_core::tokens::{BpeCounter, TOKENS_PER_MESSAGE, TokenCounter};

use crate::recording::{Compaction, Entry, Recording, RecordingError};
pub use crate::recording::{PromptUsage, Usage};
pub use pieces::{Kind, Piece};
pub(crate) use pieces::{key_of, pieces_of};

/// A session, ready to be played.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What it is called.
    pub id: String,
    /// Who recorded it.
    pub agent: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The provider's tokens for one of `o200k_base`.
    pub factor: f64,
    /// System prompt and tools: what every request opens with. Partly a guess, where they were not recorded.
    pub prefix: u64,
    /// What was recorded of it, in tokens of `o200k_base`.
    pub prefix_counted: u64,
    /// Everything that was said behind it, in order.
    pub messages: Vec<Message>,
    /// The same in blocks.
    pub pieces: Vec<Piece>,
    /// For each message, where its blocks are.
    pub blocks: Vec<Range<usize>>,
    /// The calls.
    pub calls: Vec<Call>,
}

/// A call of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What was said since the call before it, the answer to that one included.
    pub messages: Range<usize>,
    /// The same in blocks.
    pub pieces: Range<usize>,
    /// Seconds since the request before it; 0 where nobody knows.
    pub gap: f64,
    /// Tokens of the answer.
    pub output: u64,
    /// The recorded agent had compacted its prompt just before.
    pub reset: bool,
    /// What was reported.
    pub recorded: Option<PromptUsage>,
    /// What was said since the call before it, in tokens of `o200k_base`, with the agent's own summaries.
    pub counted: u64,
}

impl Trace {
    /// Takes a recording apart. Counting is what takes time here.
    pub fn of(recording: &Recording) -> Result<Trace, RecordingError> {
        let counter = BpeCounter;
        let is_system = |entry: &&Entry| entry.message.role == Role::System;
        let leading = recording.entries.iter().take_while(is_system).count();
        let (system, said) = recording.entries.split_at(leading);
        let markup = TOKENS_PER_MESSAGE.0;
        let in_messages = system.iter().map(|entry| {
            let texts = entry.message.texts().map(|text| counter.count(text).0);
            texts.sum::<u64>() + markup
        });
        let outside = recording.prefix.iter().map(|text| counter.count(text).0 + markup);
        let prefix_counted = in_messages.sum::<u64>() + outside.sum::<u64>();
        let mut building = Building::new(said);
        said.iter().for_each(|entry| building.take(entry, &counter));
        building.finish(recording, prefix_counted)
    }

    /// A session in which nothing was said.
    pub(crate) fn empty() -> Trace {
        Trace {
            id: String::new(),
            agent: None,
            model: None,
            factor: 1.0,
            prefix: 1,
            prefix_counted: 0,
            messages: Vec::new(),
            pieces: Vec::new(),
            blocks: Vec::new(),
            calls: Vec::new(),
        }
    }

    /// What the unedited request of a call weighs.
    pub fn unedited(&self, call: usize) -> u64 {
        let end = self.calls.get(call).map_or(0, |call| call.pieces.end);
        self.prefix + self.pieces.iter().take(end).map(|piece| piece.tokens).sum::<u64>()
    }

    /// What a call appends.
    pub fn appended(&self, call: usize) -> u64 {
        let pieces = self.calls.get(call).and_then(|call| self.pieces.get(call.pieces.clone()));
        pieces.into_iter().flatten().map(|piece| piece.tokens).sum()
    }

    /// What of that the model said.
    pub fn answered(&self, call: usize) -> u64 {
        let pieces = self.calls.get(call).and_then(|call| self.pieces.get(call.pieces.clone()));
        pieces.into_iter().flatten().filter(|piece| piece.kind.is_said_by_model()).map(|piece| piece.tokens).sum()
    }
}

/// A trace in the making, in tokens of `o200k_base`.
struct Building {
    messages: Vec<Message>,
    pieces: Vec<Piece>,
    blocks: Vec<Range<usize>>,
    calls: Vec<Draft>,
    /// Where the messages and blocks of the next call start.
    since: (usize, usize),
    /// Tokens of the agent's own summaries since the last call.
    own_summaries: u64,
    latest: Option<f64>,
    reset: bool,
    turn: usize,
    merged: usize,
    last_said_by_model: Option<bool>,
    /// Calls are known by their usage, if anything has one; else every answer is a call.
    has_usage: bool,
}

/// A call, before the factor is known.
struct Draft {
    messages: Range<usize>,
    pieces: Range<usize>,
    own_summaries: u64,
    at: Option<f64>,
    reset: bool,
    recorded: Option<PromptUsage>,
    output: Option<u64>,
    output_counted: u64,
}

impl Building {
    fn new(said: &[Entry]) -> Building {
        let has_prompt = |entry: &Entry| entry.usage.is_some_and(|usage| usage.prompt.is_some());
        Building {
            messages: Vec::new(),
            pieces: Vec::new(),
            blocks: Vec::new(),
            calls: Vec::new(),
            since: (0, 0),
            own_summaries: 0,
            latest: None,
            reset: false,
            turn: 0,
            merged: 0,
            last_said_by_model: None,
            has_usage: said.iter().any(has_prompt),
        }
    }

    fn take(&mut self, entry: &Entry, counter: &dyn TokenCounter) {
        let by_model = entry.message.role == Role::Assistant;
        self.turn += 1;
        // Providers merge neighbours of one side into one message.
        if by_model || self.last_said_by_model != Some(false) {
            self.merged += 1;
        }
        self.last_said_by_model = Some(by_model);
        if by_model {
            let usage = entry.usage.unwrap_or_default();
            let reported = usage.prompt.is_some() || usage.output.is_some();
            if !self.has_usage || reported || self.calls.is_empty() {
                self.call(entry, usage, counter);
            }
        } else {
            self.latest = match (self.latest, entry.at) {
                (Some(latest), Some(at)) => Some(latest.max(at)),
                (latest, at) => latest.or(at),
            };
            self.reset |= entry.compaction != Compaction::None;
        }
        let mut pieces = pieces_of(&entry.message, counter);
        if entry.compaction == Compaction::Summary {
            self.own_summaries += pieces.iter().map(|piece| piece.tokens).sum::<u64>();
            return;
        }
        for piece in &mut pieces {
            (piece.turn, piece.merged) = (self.turn, self.merged);
        }
        self.blocks.push(self.pieces.len()..self.pieces.len() + pieces.len());
        self.pieces.extend(pieces);
        self.messages.push(without_thinking(&entry.message));
    }

    /// An answer: everything before it was its request.
    fn call(&mut self, entry: &Entry, usage: Usage, counter: &dyn TokenCounter) {
        self.calls.push(Draft {
            messages: self.since.0..self.messages.len(),
            pieces: self.since.1..self.pieces.len(),
            own_summaries: std::mem::take(&mut self.own_summaries),
            at: self.latest.take().or(entry.at),
            reset: std::mem::take(&mut self.reset),
            recorded: usage.prompt,
            output: usage.output,
            output_counted: pieces_of(&entry.message, counter).iter().map(|piece| piece.tokens).sum(),
        });
        self.since = (self.messages.len(), self.pieces.len());
    }

    fn finish(mut self, recording: &Recording, prefix_counted: u64) -> Result<Trace, RecordingError> {
        let counted = |draft: &Draft| -> u64 {
            let pieces = self.pieces.get(draft.pieces.clone()).unwrap_or_default();
            pieces.iter().map(|piece| piece.tokens).sum::<u64>() + draft.own_summaries
        };
        let growth: Vec<factor::Observed> = self
            .calls
            .iter()
            .map(|draft| factor::Observed {
                counted: counted(draft),
                reported: draft.recorded.map(|recorded| recorded.total()),
                reset: draft.reset,
            })
            .collect();
        let learnt = factor::learn(&growth);
        let factor = learnt.factor;
        let first = growth.first().ok_or(RecordingError::NoCalls)?;
        // What the first request held beyond what was recorded is its system prompt and tools.
        let unrecorded = first
            .reported
            .map_or(0.0, |reported| (reported as f64 - factor * (prefix_counted + first.counted) as f64).max(0.0));
        let prefix = ((factor * prefix_counted as f64 + unrecorded).round() as u64).max(1);
        let mut previous: Option<f64> = None;
        let mut calls = Vec::with_capacity(self.calls.len());
        for (index, draft) in self.calls.into_iter().enumerate() {
            let gap = match (previous, draft.at) {
                (Some(previous), Some(at)) if index > 0 => (at - previous).max(0.0),
                (_, _) => 0.0,
            };
            previous = match (previous, draft.at) {
                (Some(previous), Some(at)) => Some(previous.max(at)),
                (previous, at) => previous.or(at),
            };
            calls.push(Call {
                messages: draft.messages,
                pieces: draft.pieces,
                gap,
                output: draft.output.unwrap_or_else(|| (factor * draft.output_counted as f64).round() as u64),
                reset: learnt.resets.get(index).copied().unwrap_or(draft.reset),
                recorded: draft.recorded,
                counted: growth.get(index).map_or(0, |observed| observed.counted),
            });
        }
        // What was said behind the last call was never sent.
        let end = calls.last().map_or((0, 0), |call| (call.messages.end, call.pieces.end));
        self.messages.truncate(end.0);
        self.blocks.truncate(end.0);
        self.pieces.truncate(end.1);
        self.pieces.iter_mut().for_each(|piece| piece.scale(factor));
        Ok(Trace {
            id: recording.id.clone(),
            agent: recording.agent.clone(),
            model: recording.model.clone(),
            factor,
            prefix,
            prefix_counted,
            messages: self.messages,
            pieces: self.pieces,
            blocks: self.blocks,
            calls,
        })
    }
}

/// Recorded thinking is not what is sent: it is signed, encrypted or left out. Its weight is part of the factor.
fn without_thinking(message: &Message) -> Message {
    let mut message = message.clone();
    message.blocks.retain(|block| !matches!(block, epitome_core::model::Block::Thinking(_)));
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording;

    fn trace(messages: &str) -> Trace {
        Trace::of(&recording::read("s", &format!(r#"{{"messages":[{messages}]}}"#)).unwrap()).unwrap()
    }

    #[test]
    fn a_request_holds_everything_before_its_answer() {
        let trace = trace(
            r#"{"role":"system","content":"be brief"},
            {"role":"user","content":"hi","timestamp":10},
            {"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"ls","arguments":"{}"}}]},
            {"role":"tool","tool_call_id":"1","content":"a b c","timestamp":400},
            {"role":"assistant","content":"done"}"#,
        );
        let calls: Vec<(Range<usize>, Range<usize>, f64)> =
            trace.calls.iter().map(|call| (call.messages.clone(), call.pieces.clone(), call.gap)).collect();
        assert_eq!(calls, [(0..1, 0..1, 0.0), (1..3, 1..3, 390.0)]);
        let kinds: Vec<Kind> = trace.pieces.iter().map(|piece| piece.kind).collect();
        assert_eq!(kinds, [Kind::User, Kind::Call, Kind::Result]);
        assert_eq!(trace.unedited(1), trace.prefix + trace.appended(0) + trace.appended(1));
    }

    #[test]
    fn the_agents_own_summaries_are_left_out_and_told_of() {
        let trace = trace(
            r#"{"role":"user","content":"hi"},{"role":"assistant","content":"ho"},
            {"role":"user","content":"a summary of it all","compaction":true},{"role":"user","content":"on"},
            {"role":"assistant","content":"so"}"#,
        );
        assert_eq!(trace.messages.len(), 3);
        assert_eq!(trace.calls.iter().map(|call| call.reset).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn an_answer_without_usage_among_answers_with_it_is_no_call() {
        let trace = trace(
            r#"{"role":"user","content":"hi"},{"role":"assistant","content":"a","usage":{"input_tokens":9,"output_tokens":1}},
            {"role":"assistant","content":"aside"},{"role":"user","content":"on"},
            {"role":"assistant","content":"b","usage":{"input_tokens":19,"output_tokens":1}}"#,
        );
        assert_eq!(trace.calls.iter().map(|call| call.messages.clone()).collect::<Vec<_>>(), [0..1, 1..4]);
    }

    #[test]
    fn a_session_without_an_answer_has_no_calls() {
        let recording = recording::read("s", r#"{"messages":[{"role":"user","content":"hi"}]}"#).unwrap();
        assert!(matches!(Trace::of(&recording), Err(RecordingError::NoCalls)));
    }
}
