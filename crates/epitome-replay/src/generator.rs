//! Sessions that nobody recorded, for what recordings hardly have: turns with many calls at once.

use epitome_core::model::{Block, Message, Role, ToolCall, ToolResult};

use crate::recording::{Compaction, Entry, Recording};
use crate::trace::Trace;

/// What a generated session is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Calls of the model.
    pub calls: usize,
    /// The share of turns with many calls of tools at once.
    pub wide: f64,
    /// The most calls of tools in one turn.
    pub widest: usize,
    /// The share of calls that come after a pause of more than five minutes.
    pub pauses: f64,
}

/// Turns with many calls have at least so many.
const WIDE: usize = 13;
/// System prompt and tools, in words.
const PREFIX_WORDS: usize = 8_000;

impl Shape {
    /// One call a turn.
    pub fn plain(calls: usize) -> Shape {
        Shape { calls, wide: 0.0, widest: 1, pauses: 0.0 }
    }

    /// One call a turn, and a person who goes away now and then.
    pub fn with_pauses(calls: usize) -> Shape {
        Shape { pauses: 0.05, ..Shape::plain(calls) }
    }

    /// One turn in ten has 13 to 30 calls at once.
    pub fn fan_out(calls: usize) -> Shape {
        Shape { wide: 0.10, widest: 30, ..Shape::plain(calls) }
    }
}

/// A session of this shape; the same for the same seed.
pub fn recording(shape: &Shape, seed: u64) -> Recording {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut at = 1_700_000_000.0;
    let mut entry = |message: Message, seconds: f64| {
        at += seconds;
        Entry { message, at: Some(at), usage: None, compaction: Compaction::None }
    };
    let mut entries = vec![entry(Message::text(Role::User, random.words(200)), 0.0)];
    for call in 0..shape.calls {
        let pause = if call > 0 && random.share() < shape.pauses { 400.0 + 6_000.0 * random.share() } else { 0.0 };
        let wide = random.share() < shape.wide && shape.widest > WIDE;
        let many = if wide { WIDE + random.below(shape.widest - WIDE + 1) } else { 1 };
        let ids: Vec<String> = (0..many).map(|number| format!("call_{call}_{number}")).collect();
        let calls = ids.iter().map(|id| {
            let arguments = format!("{{\"path\":\"{}\"}}", random.words(6));
            Block::ToolCall(ToolCall { id: id.as_str().into(), name: "read".into(), arguments: arguments.into() })
        });
        let mut blocks: Vec<Block> = calls.collect();
        blocks.insert(0, Block::Text(random.words(30).into()));
        entries.push(entry(said(Role::Assistant, blocks), 5.0));
        for id in &ids {
            let words = 60 + random.below(if wide { 120 } else { 1_200 });
            let content = vec![Block::Text(random.words(words).into())];
            let result = ToolResult { call_id: id.as_str().into(), content, is_error: false };
            entries.push(entry(said(Role::Tool, vec![Block::ToolResult(result)]), 0.5));
        }
        if let Some(last) = entries.last_mut() {
            last.at = last.at.map(|at| at + pause);
        }
        // The clock goes on from there.
        drop(entry(Message::text(Role::User, ""), pause));
    }
    entries.push(entry(Message::text(Role::Assistant, "done"), 5.0));
    Recording {
        id: format!("generated-{seed}"),
        agent: None,
        model: None,
        prefix: vec![random.words(PREFIX_WORDS).into()],
        entries,
    }
}

/// The same, taken apart.
pub fn generate(shape: &Shape, seed: u64) -> Trace {
    Trace::of(&recording(shape, seed)).unwrap_or_else(|_| Trace::empty())
}

/// A plain session whose provider counts 1.3 tokens for one of ours and puts 5,000 before them; compacted by its agent
/// before one of its calls.
#[cfg(test)]
pub(crate) fn reported(calls: usize, compacted: Option<usize>) -> Trace {
    use crate::recording::{PromptUsage, Usage};
    use epitome_core::tokens::{BpeCounter, TokenCounter};
    let mut recording = recording(&Shape::plain(calls), 1);
    recording.model = Some("claude-opus-4-6".to_owned());
    let mut prompt = 5_000.0;
    let mut answers = 0;
    for entry in &mut recording.entries {
        if entry.message.role == Role::Assistant {
            if compacted == Some(answers) {
                prompt = 9_000.0;
            }
            let prompt_usage = PromptUsage { uncached: prompt as u64, ..PromptUsage::default() };
            entry.usage = Some(Usage { prompt: Some(prompt_usage), output: Some(10) });
            answers += 1;
        } else if compacted == Some(answers) {
            entry.compaction = Compaction::Follows;
        }
        entry.message.each_text(|text| prompt += 1.3 * BpeCounter.count(text).0 as f64);
    }
    Trace::of(&recording).unwrap_or_else(|_| Trace::empty())
}

fn said(role: Role, blocks: Vec<Block>) -> Message {
    Message { role, blocks, injected: false, reported_prompt_tokens: None }
}

/// Numbers that look random (xorshift64*), the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn words(&mut self, many: usize) -> String {
        const WORDS: [&str; 16] = [
            "file", "error", "line", "value", "test", "build", "config", "index", "result", "server", "request",
            "cache", "token", "parse", "module", "branch",
        ];
        let word = |random: &mut Random| WORDS.get(random.below(WORDS.len())).copied().unwrap_or_default();
        (0..many).map(|_| word(self)).collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_session() {
        let shape = Shape::fan_out(30);
        assert_eq!(recording(&shape, 7), recording(&shape, 7));
        assert_ne!(recording(&shape, 7), recording(&shape, 8));
    }

    #[test]
    fn wide_turns_have_up_to_thirty_calls() {
        let recording = recording(&Shape::fan_out(300), 1);
        let widths: Vec<usize> = recording.entries.iter().map(|entry| entry.message.calls().count()).collect();
        let wide = widths.iter().filter(|width| **width > 1).count();
        assert!((15..60).contains(&wide), "{wide}");
        assert_eq!(widths.iter().max(), Some(&30));
    }

    #[test]
    fn pauses_are_pauses() {
        let trace = generate(&Shape::with_pauses(200), 3);
        let pauses = trace.calls.iter().filter(|call| call.gap > 300.0).count();
        assert!((3..25).contains(&pauses), "{pauses}");
    }
}
