//! Is the simulation true? The simulated share of a prompt that is read from the cache, against the recorded one.
//!
//! The recorded session is played as it was: with the compactions that the agent made itself, the breakpoints that
//! clients set (system prompt and last two messages), and the lifetime that was recorded.

use std::time::Duration;

use epitome_core::cache::{Rules, Ttl};
use epitome_core::tokens::Tokens;

use crate::provider::{Provider, Strategy};
use crate::trace::{Kind, Piece, Trace, key_of};

/// What was simulated and what was recorded, over the calls whose usage was recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Validated {
    /// Tokens of prompts, simulated.
    pub prompt: u64,
    /// Of these, read from the cache.
    pub read: u64,
    /// Tokens of prompts, recorded.
    pub recorded_prompt: u64,
    /// Of these, read from the cache.
    pub recorded_read: u64,
}

/// A session with usage for fewer of its calls says little.
const RECORDED_AT_LEAST: f64 = 0.9;

impl Validated {
    /// The simulated share that was read.
    pub fn share(&self) -> f64 {
        self.read as f64 / self.prompt.max(1) as f64
    }

    /// The recorded one.
    pub fn recorded_share(&self) -> f64 {
        self.recorded_read as f64 / self.recorded_prompt.max(1) as f64
    }

    /// Adds another session.
    pub fn add(&mut self, other: &Validated) {
        self.prompt += other.prompt;
        self.read += other.read;
        self.recorded_prompt += other.recorded_prompt;
        self.recorded_read += other.recorded_read;
    }
}

/// Plays a session as it was recorded. `None`: too little was, or its provider did not cache.
pub fn validate(trace: &Trace) -> Option<Validated> {
    let recorded = trace.calls.iter().filter_map(|call| call.recorded);
    let known = recorded.clone().count() as f64;
    if known < RECORDED_AT_LEAST * trace.calls.len() as f64 || recorded.map(|usage| usage.read).sum::<u64>() == 0 {
        return None;
    }
    let mut providers = providers(trace);
    let mut pieces =
        vec![Piece { kind: Kind::Prefix, tokens: trace.prefix, key: key_of("prefix", 0), turn: 0, merged: 0 }];
    let mut validated = Validated::default();
    let mut now = 0.0;
    for (index, call) in trace.calls.iter().enumerate() {
        now += call.gap;
        let new = trace.pieces.get(call.pieces.clone()).unwrap_or_default();
        if let Some(usage) = call.recorded.filter(|_| index > 0 && call.reset) {
            // What the agent's own compaction left is known by its size alone.
            let said = new.iter().map(|piece| piece.tokens).sum::<u64>();
            let rest = usage.total().saturating_sub(trace.prefix + said);
            pieces.truncate(1);
            pieces.push(Piece {
                kind: Kind::Summary,
                tokens: rest,
                key: key_of("rest", index as u64),
                turn: 0,
                merged: 0,
            });
        }
        pieces.extend_from_slice(new);
        let long = call.recorded.is_some_and(|usage| usage.written_1h > 0);
        let billed = providers.request(&pieces, long, now);
        let Some(usage) = call.recorded else { continue };
        let prompt: u64 = pieces.iter().map(|piece| piece.tokens).sum();
        // What the first call finds was written by an earlier session.
        let read = if index == 0 { usage.read.min(prompt) } else { billed };
        validated.add(&Validated { prompt, read, recorded_prompt: usage.total(), recorded_read: usage.read });
    }
    Some(validated)
}

/// A provider whose client may change how long things are kept.
struct Simulated {
    provider: Provider,
    marked: bool,
}

impl Simulated {
    fn request(&mut self, pieces: &[Piece], long: bool, now: f64) -> u64 {
        if self.marked {
            let ttl = if long { Ttl::Long } else { Ttl::Short };
            self.provider.set_strategy(Strategy::Client { ttl });
        }
        self.provider.request(pieces, None, now).billed.read.0
    }
}

fn providers(trace: &Trace) -> Simulated {
    let model = trace.model.as_deref().unwrap_or_default().to_ascii_lowercase();
    let anthropic = model.contains("claude") || trace.agent.as_deref() == Some("Claude Code");
    if anthropic {
        let provider = Provider::new(Strategy::Client { ttl: Ttl::Short }).with_rules(Rules::anthropic(Tokens(1_024)));
        return Simulated { provider, marked: true };
    }
    let mut rules = Rules::automatic();
    // Since GPT-5.5 everything is kept for a day.
    if model.contains("5.5") {
        rules.short = Duration::from_secs(24 * 60 * 60);
    }
    Simulated { provider: Provider::new(Strategy::Automatic).with_rules(rules), marked: false }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording;

    fn session(reads: [u64; 3], seconds: u64) -> Trace {
        let long = "word ".repeat(3_000);
        let answer = |read: u64, total: u64, at: u64| {
            format!(
                r#"{{"role":"assistant","content":"ok","timestamp":{at},"usage":{{"input_tokens":0,"cache_read_tokens":{read},"cache_write_tokens":{},"output_tokens":1}}}}"#,
                total - read
            )
        };
        let user = |at: u64| format!(r#"{{"role":"user","content":"{long}","timestamp":{at}}}"#);
        let text = format!(
            r#"{{"model":"claude-opus-4-6","messages":[{},{},{},{},{},{}]}}"#,
            user(1_000),
            answer(reads[0], 13_004, 1_001),
            user(1_010),
            answer(reads[1], 16_009, 1_011),
            user(1_010 + seconds),
            answer(reads[2], 19_014, 1_011 + seconds)
        );
        Trace::of(&recording::read("s", &text).unwrap()).unwrap()
    }

    #[track_caller]
    fn check(reads: [u64; 3], seconds: u64, expected: f64) {
        let validated = validate(&session(reads, seconds)).unwrap();
        let off = validated.share() - validated.recorded_share();
        assert!((off - expected).abs() < 0.002, "{off}");
    }

    #[test]
    fn what_follows_the_rules_is_simulated_truly() {
        check([0, 13_004, 16_009], 60, 0.0);
        check([0, 13_004, 0], 400, 0.0);
    }

    #[test]
    fn what_no_rule_explains_is_a_difference() {
        check([0, 13_004, 0], 60, 16_009.0 / 48_027.0);
    }

    #[test]
    fn a_session_without_usage_says_nothing() {
        let text = r#"{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}"#;
        assert_eq!(validate(&Trace::of(&recording::read("s", text).unwrap()).unwrap()), None);
    }
}
