//! Providers' prompt caches, as their documentation describes them. It shares no code with the program.

use std::collections::HashSet;

use serde_json::{Value, json};

/// Who caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keeper {
    /// Anthropic's messages: what ends at a marker is written, and found up to 20 blocks before one.
    Messages,
    /// Chat messages that OpenRouter passes on to Anthropic, with their markers.
    OpenRouter,
    /// OpenAI's responses: the longest known beginning, in steps of 128 tokens, without markers.
    Responses,
}

/// What is in a cache.
pub(crate) struct PromptCache {
    keeper: Keeper,
    written: HashSet<String>,
    prompts: Vec<String>,
}

/// What a call used, in tokens of four characters.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Used {
    pub(crate) prompt: usize,
    pub(crate) read: usize,
    pub(crate) written: usize,
}

/// A shorter beginning is not cached.
const SHORTEST: usize = 1_024;

impl PromptCache {
    pub(crate) fn new(keeper: Keeper) -> PromptCache {
        PromptCache { keeper, written: HashSet::new(), prompts: Vec::new() }
    }

    /// A call comes.
    pub(crate) fn call(&mut self, body: &Value) -> Used {
        match self.keeper {
            Keeper::Messages | Keeper::OpenRouter => self.marked(&blocks(body)),
            Keeper::Responses => self.automatic(body),
        }
    }

    /// The answer to it.
    pub(crate) fn answer(&self, used: Used) -> Vec<u8> {
        let Used { prompt, read, written } = used;
        let answer = match self.keeper {
            Keeper::Messages => json!({
                "type": "message", "role": "assistant", "content": [{"type": "text", "text": "ok"}],
                "usage": {"input_tokens": prompt - read - written, "cache_read_input_tokens": read,
                    "cache_creation_input_tokens": written, "output_tokens": 3},
            }),
            Keeper::OpenRouter => json!({
                "choices": [{"message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": prompt, "completion_tokens": 3,
                    "prompt_tokens_details": {"cached_tokens": read, "cache_write_tokens": written}},
            }),
            Keeper::Responses => json!({
                "id": "resp_1", "object": "response", "status": "completed",
                "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}],
                "usage": {"input_tokens": prompt, "output_tokens": 3, "input_tokens_details": {"cached_tokens": read}},
            }),
        };
        answer.to_string().into_bytes()
    }

    fn marked(&mut self, blocks: &[Block]) -> Used {
        assert!(blocks.iter().filter(|block| block.marked).count() <= 4, "a fifth marker is refused");
        let mut prefix = String::new();
        let mut prefixes = Vec::new();
        for block in blocks {
            prefix += &block.text;
            prefixes.push(prefix.clone());
        }
        let marked: Vec<usize> = (0..blocks.len()).filter(|index| blocks[*index].marked).collect();
        let found =
            |from: usize| (from.saturating_sub(19)..=from).rev().find(|at| self.written.contains(&prefixes[*at]));
        let read = marked.iter().filter_map(|from| found(*from)).max().map_or(0, |at| prefixes[at].len() / 4);
        let long_enough = marked.into_iter().filter(|at| prefixes[*at].len() / 4 >= SHORTEST);
        let ends: Vec<usize> = long_enough.collect();
        self.written.extend(ends.iter().map(|at| prefixes[*at].clone()));
        let last = ends.last().map_or(0, |at| prefixes[*at].len() / 4);
        Used { prompt: prefix.len() / 4, read, written: last.saturating_sub(read) }
    }

    fn automatic(&mut self, body: &Value) -> Used {
        // Instructions stand before the input, and nothing ends between what was there and what is appended to it.
        let prompt = format!("{}{}", body["instructions"].as_str().unwrap_or_default(), body["input"]);
        let common =
            |known: &String| known.bytes().zip(prompt.bytes()).take_while(|(one, other)| one == other).count() / 4;
        let longest = self.prompts.iter().map(common).max().unwrap_or_default();
        let used = Used {
            prompt: prompt.len() / 4,
            read: if longest >= SHORTEST { longest / 128 * 128 } else { 0 },
            written: 0,
        };
        self.prompts.push(prompt);
        used
    }
}

/// A block of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Who says it, and what; without its marker.
    pub(crate) text: String,
    pub(crate) marked: bool,
}

/// The blocks of a prompt, in the order in which a provider reads them. A string is a list of one text.
pub(crate) fn blocks(body: &Value) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut read = |role: &str, content: &Value| {
        let parts = match content {
            Value::String(text) => vec![json!({"type": "text", "text": text})],
            Value::Array(parts) => parts.clone(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => vec![content.clone()],
        };
        for mut part in parts {
            let marked = part.as_object_mut().is_some_and(|part| part.shift_remove("cache_control").is_some());
            blocks.push(Block { text: format!("{role}: {part}\n"), marked });
        }
    };
    for key in ["system", "instructions"] {
        body.get(key).iter().for_each(|system| read("system", system));
    }
    let messages = body.get("messages").or_else(|| body.get("input")).and_then(Value::as_array).expect("messages");
    for message in messages {
        read(message["role"].as_str().unwrap_or_default(), &message["content"]);
    }
    blocks
}
