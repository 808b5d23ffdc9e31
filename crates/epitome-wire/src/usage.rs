//! What an answer cost, read from its bytes as they pass by.
//!
//! An answer is a stream of events or one piece of JSON. Memory is bounded: an event that is too large is skipped, and
//! so is an answer. What is not understood says nothing; nothing is an error.

use memchr::memmem::{self, Finder};

use crate::answer::is_stream;
use crate::dialect::Dialect;
use crate::json::{Document, DuplicateKeys, Kind, Value};
use crate::sse::{Scanned, Scanner};

/// An event that is larger is skipped. The last event of the Responses dialect holds the whole answer.
const EVENT_BYTES: usize = 8 * 1024 * 1024;
/// An answer in one piece that is larger is not read.
const WHOLE_BYTES: usize = 8 * 1024 * 1024;

/// What a provider reported for one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// The whole prompt, cached parts included.
    pub prompt: u64,
    /// Of it, read from a cache.
    pub cache_read: u64,
    /// Of it, written to a cache, for however long.
    pub cache_write: u64,
    /// Of what was written, for longer than usual (an hour at Anthropic, twelve at OpenAI).
    pub cache_write_long: u64,
    /// The answer, reasoning included.
    pub output: u64,
    /// Of the answer, what was thought.
    pub reasoning: u64,
    /// What else the provider did for the same request and charges for, such as a compaction of its own.
    pub besides: Besides,
}

/// Calls of the model that a provider made on its own (`usage.iterations`); they are not in the other numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Besides {
    /// Their prompts, cached parts included.
    pub prompt: u64,
    /// Of these, read from a cache.
    pub cache_read: u64,
    /// Of these, written to a cache.
    pub cache_write: u64,
    /// Their answers.
    pub output: u64,
}

/// Reads the usage out of an answer's bytes. Splits anywhere give the same usage.
#[derive(Debug, Clone)]
pub struct UsageReader {
    dialect: Dialect,
    told: Told,
    answer: Answer,
    /// A key of this name with an object: what an event is searched for before it is read.
    key: Finder<'static>,
}

#[derive(Debug, Clone)]
enum Answer {
    Events(Scanner),
    Whole(Vec<u8>),
    TooLarge,
}

/// What was told so far. In a stream the parts come one after the other.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_write: Option<u64>,
    cache_write_long: Option<u64>,
    output: Option<u64>,
    reasoning: Option<u64>,
    besides: Besides,
}

impl UsageReader {
    /// For an answer of this content type: `text/event-stream` is a stream, anything else one piece.
    pub fn new(dialect: Dialect, content_type: &str) -> UsageReader {
        let stream = is_stream(content_type);
        let answer = if stream { Answer::Events(Scanner::new(EVENT_BYTES)) } else { Answer::Whole(Vec::new()) };
        UsageReader { dialect, told: Told::default(), answer, key: Finder::new(b"\"usage\"") }
    }

    /// The next bytes of the answer, decompressed.
    pub fn push(&mut self, bytes: &[u8]) {
        let UsageReader { dialect, told, answer, key } = self;
        match answer {
            Answer::Events(scanner) => {
                let bytes = behind_silent_events(scanner, key, bytes);
                scanner.push(bytes, &mut |scanned| match scanned {
                    Scanned::Event { name: _, data } => told.read(*dialect, key, data),
                    // An event as large as that is no report.
                    Scanned::TooLarge => {}
                });
            }
            Answer::Whole(whole) if whole.len() + bytes.len() <= WHOLE_BYTES => whole.extend_from_slice(bytes),
            Answer::Whole(_) => *answer = Answer::TooLarge,
            Answer::TooLarge => {}
        }
    }

    /// What was reported until now. `None`: nothing was.
    pub fn finish(mut self) -> Option<Usage> {
        match &self.answer {
            // A last event may lack the empty line behind it.
            Answer::Events(_) => self.push(b"\n\n"),
            Answer::Whole(whole) => self.told.read(self.dialect, &self.key, whole),
            Answer::TooLarge => {}
        }
        self.told.usage(self.dialect)
    }
}

impl Told {
    /// Reads an event's data, or a whole answer.
    fn read(&mut self, dialect: Dialect, key: &Finder<'_>, json: &[u8]) {
        if !holds_an_object(key, json) {
            return;
        }
        let Ok(text) = std::str::from_utf8(json) else { return };
        let Ok(document) = Document::read(text, DuplicateKeys::Carry) else { return };
        let Some(root) = document.single_root() else { return };
        let usages = match dialect {
            // The whole answer and the last event, and the first event.
            Dialect::AnthropicMessages => [root.get("usage"), inside(root, "message")],
            // The whole answer and the last event; some put it into the choice.
            Dialect::OpenAiChat => {
                [root.get("usage"), root.get("choices").and_then(|all| all.items().next()?.get("usage"))]
            }
            // The whole answer, and the last event.
            Dialect::OpenAiResponses => [root.get("usage"), inside(root, "response")],
        };
        for usage in usages.into_iter().flatten().filter(|usage| usage.kind() == Kind::Object) {
            self.take(dialect, usage);
        }
    }

    /// Later values win. A zero does not: tokens that were counted once do not vanish.
    fn take(&mut self, dialect: Dialect, usage: Value<'_>) {
        let now = Told::of(dialect, usage);
        let later = |before: &mut Option<u64>, now: Option<u64>| {
            if now.is_some_and(|now| now > 0) || before.is_none() {
                *before = now.or(*before);
            }
        };
        later(&mut self.input, now.input);
        later(&mut self.cache_read, now.cache_read);
        later(&mut self.cache_write, now.cache_write);
        later(&mut self.cache_write_long, now.cache_write_long);
        later(&mut self.output, now.output);
        later(&mut self.reasoning, now.reasoning);
        if now.besides != Besides::default() {
            self.besides = now.besides;
        }
    }

    fn of(dialect: Dialect, usage: Value<'_>) -> Told {
        let tokens = |key: &str| usage.get(key).and_then(Value::unsigned);
        let detail = |of: &str, key: &str| usage.get(of)?.get(key)?.unsigned();
        match dialect {
            Dialect::AnthropicMessages => Told {
                input: tokens("input_tokens"),
                cache_read: tokens("cache_read_input_tokens"),
                cache_write: tokens("cache_creation_input_tokens"),
                cache_write_long: detail("cache_creation", "ephemeral_1h_input_tokens"),
                output: tokens("output_tokens"),
                reasoning: detail("output_tokens_details", "thinking_tokens"),
                besides: Besides::of(usage),
            },
            Dialect::OpenAiChat => Told {
                input: tokens("prompt_tokens"),
                // OpenAI and OpenRouter; DeepSeek; gateways that translate from Anthropic.
                cache_read: detail("prompt_tokens_details", "cached_tokens")
                    .or_else(|| tokens("prompt_cache_hit_tokens"))
                    .or_else(|| tokens("cache_read_input_tokens")),
                cache_write: detail("prompt_tokens_details", "cache_write_tokens")
                    .or_else(|| tokens("cache_creation_input_tokens")),
                cache_write_long: usage.get("prompt_tokens_details").and_then(written_long),
                output: tokens("completion_tokens"),
                reasoning: detail("completion_tokens_details", "reasoning_tokens"),
                besides: Besides::default(),
            },
            Dialect::OpenAiResponses => Told {
                input: tokens("input_tokens"),
                cache_read: detail("input_tokens_details", "cached_tokens"),
                cache_write: detail("input_tokens_details", "cache_write_tokens"),
                cache_write_long: usage.get("input_tokens_details").and_then(written_long),
                output: tokens("output_tokens"),
                reasoning: detail("output_tokens_details", "reasoning_tokens"),
                besides: Besides::default(),
            },
        }
    }

    fn usage(self, dialect: Dialect) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() {
            return None;
        }
        let told = |tokens: Option<u64>| tokens.unwrap_or_default();
        let (input, cache_read, cache_write) = (told(self.input), told(self.cache_read), told(self.cache_write));
        let prompt = match dialect {
            // What was read and written is not in it.
            Dialect::AnthropicMessages => input.saturating_add(cache_read).saturating_add(cache_write),
            Dialect::OpenAiChat | Dialect::OpenAiResponses => input,
        };
        Some(Usage {
            prompt,
            cache_read,
            cache_write,
            cache_write_long: told(self.cache_write_long),
            output: told(self.output),
            reasoning: told(self.reasoning),
            besides: self.besides,
        })
    }
}

impl Besides {
    /// The sampling that is told of nowhere else: all but the iterations of the message itself.
    fn of(usage: Value<'_>) -> Besides {
        let mut besides = Besides::default();
        let iterations = usage.get("iterations").into_iter().flat_map(Value::items);
        // An iteration without a word about its kind may be the message's own, which would be counted twice.
        let is_extra = |kind: Value<'_>| kind.str().is_some_and(|kind| kind != "message");
        for iteration in iterations.filter(|iteration| iteration.get("type").is_some_and(is_extra)) {
            let tokens = |key: &str| iteration.get(key).and_then(Value::unsigned).unwrap_or_default();
            let (read, write) = (tokens("cache_read_input_tokens"), tokens("cache_creation_input_tokens"));
            let prompt = tokens("input_tokens").saturating_add(read).saturating_add(write);
            besides.prompt = besides.prompt.saturating_add(prompt);
            besides.cache_read = besides.cache_read.saturating_add(read);
            besides.cache_write = besides.cache_write.saturating_add(write);
            besides.output = besides.output.saturating_add(tokens("output_tokens"));
        }
        besides
    }
}

/// What OpenAI wrote to its cache for longer than usual.
fn written_long(details: Value<'_>) -> Option<u64> {
    details.get("cache_write_tokens_details")?.get("ttl_12h_tokens")?.unsigned()
}

fn inside<'doc>(root: Value<'doc>, key: &str) -> Option<Value<'doc>> {
    root.get(key)?.get("usage")
}

/// What is left of the bytes when whole events without the key are skipped: nearly all of them have none.
fn behind_silent_events<'a>(scanner: &mut Scanner, key: &Finder<'_>, bytes: &'a [u8]) -> &'a [u8] {
    if !scanner.is_between_events() {
        return bytes;
    }
    let silent = bytes.get(..key.find(bytes).unwrap_or(bytes.len())).unwrap_or_default();
    // Two line feeds end an event, whatever stood before them.
    let Some(end) = memmem::rfind(silent, b"\n\n") else { return bytes };
    scanner.skip_events();
    bytes.get(end + 2..).unwrap_or_default()
}

/// Whether the key stands in there with an object. In a JSON string its quotes would be escaped, so that a text about
/// usage is not read, and neither are the many events that have none yet (`"usage":null`).
fn holds_an_object(key: &Finder<'_>, json: &[u8]) -> bool {
    key.find_iter(json).any(|at| {
        let behind = json.get(at + key.needle().len()..).unwrap_or_default().trim_ascii_start();
        behind.strip_prefix(b":").is_some_and(|value| value.trim_ascii_start().starts_with(b"{"))
    })
}

#[cfg(test)]
mod tests;
