//! What a provider reported for one call, as recordings keep it.

use serde_json::Value;

/// What a provider reported for one call. The whole prompt is `read + written + uncached`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Of the prompt, whether anything is known.
    pub prompt: Option<PromptUsage>,
    /// The answer.
    pub output: Option<u64>,
}

/// What became of a prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptUsage {
    /// Read from the cache.
    pub read: u64,
    /// Written to it.
    pub written: u64,
    /// Of that, for an hour.
    pub written_1h: u64,
    /// Neither.
    pub uncached: u64,
}

impl PromptUsage {
    /// The whole prompt.
    pub fn total(&self) -> u64 {
        self.read + self.written + self.uncached
    }
}

impl Usage {
    /// Reads the `usage` of a message, in the corpus's words or a provider's.
    pub(super) fn of(usage: &Value) -> Usage {
        let number = |key: &str| usage.get(key).and_then(Value::as_u64);
        let output = number("output_tokens").or_else(|| number("completion_tokens"));
        let prompt = if let Some(prompt) = number("prompt_tokens") {
            let details = usage.get("prompt_tokens_details");
            let detail = |key: &str| details.and_then(|details| details.get(key)).and_then(Value::as_u64);
            inclusive(prompt, detail("cached_tokens"), detail("cache_write_tokens"))
        } else if let Some(input) = number("input_tokens") {
            let inclusively_cached = usage.get("input_tokens_details").and_then(|details| details.get("cached_tokens"));
            match inclusively_cached.and_then(Value::as_u64).or_else(|| number("cached_input_tokens")) {
                Some(cached) => inclusive(input, Some(cached), None),
                None => exclusive(usage, input),
            }
        } else {
            None
        };
        Usage { prompt, output }
    }
}

/// Input that counts what was cached, too.
fn inclusive(input: u64, read: Option<u64>, written: Option<u64>) -> Option<PromptUsage> {
    let (read, written) = (read.unwrap_or(0), written.unwrap_or(0));
    let uncached = input.saturating_sub(read).saturating_sub(written);
    (input > 0).then_some(PromptUsage { read, written, written_1h: 0, uncached })
}

/// Input without what was cached, as Anthropic and the corpus count.
fn exclusive(usage: &Value, uncached: u64) -> Option<PromptUsage> {
    let either = |one: &str, other: &str| usage.get(one).or_else(|| usage.get(other)).and_then(Value::as_u64);
    let read = either("cache_read_tokens", "cache_read_input_tokens").unwrap_or(0);
    let written = either("cache_write_tokens", "cache_creation_input_tokens").unwrap_or(0);
    let split = usage.get("cache_creation").or_else(|| usage.get("raw")?.get("cache_creation"));
    let written_1h = split.and_then(|split| split.get("ephemeral_1h_input_tokens")).and_then(Value::as_u64);
    let prompt = PromptUsage { read, written, written_1h: written_1h.unwrap_or(0), uncached };
    (prompt.total() > 0).then_some(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(usage: Value, expected: Option<(u64, u64, u64, u64)>, output: Option<u64>) {
        let prompt =
            expected.map(|(read, written, written_1h, uncached)| PromptUsage { read, written, written_1h, uncached });
        assert_eq!(Usage::of(&usage), Usage { prompt, output }, "{usage}");
    }

    #[test]
    fn every_spelling_means_the_same() {
        check(
            json!({"input_tokens": 3, "cache_read_tokens": 28_621, "cache_write_tokens": 16_635, "output_tokens": 285,
                "raw": {"cache_creation": {"ephemeral_1h_input_tokens": 16_635}}}),
            Some((28_621, 16_635, 16_635, 3)),
            Some(285),
        );
        check(
            json!({"input_tokens": 3, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 5,
                "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 0}, "output_tokens": 1}),
            Some((7, 5, 0, 3)),
            Some(1),
        );
        check(
            json!({"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 60}, "completion_tokens": 9}),
            Some((60, 0, 0, 40)),
            Some(9),
        );
        check(json!({"input_tokens": 12_368, "cached_input_tokens": 9_600}), Some((9_600, 0, 0, 2_768)), None);
        check(json!({"output_tokens": 12}), None, Some(12));
        check(json!({"input_tokens": 0, "output_tokens": 0}), None, Some(0));
    }
}
