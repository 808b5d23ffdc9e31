//! Asking a model one question: the request's bytes, and what its answer's bytes mean, in each dialect.

mod names;
mod responses;
mod too_long;

pub use too_long::TooLong;

use serde_json::{Value, json};

use crate::dialect::Dialect;
use crate::sse::Event;

/// How a provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskDialect {
    /// `POST …/chat/completions`, as OpenAI and all who follow it.
    OpenAiChat,
    /// `POST …/v1/messages`.
    AnthropicMessages,
    /// `POST …/responses`.
    OpenAiResponses,
}

impl From<Dialect> for AskDialect {
    fn from(dialect: Dialect) -> AskDialect {
        match dialect {
            Dialect::OpenAiChat => AskDialect::OpenAiChat,
            Dialect::AnthropicMessages => AskDialect::AnthropicMessages,
            Dialect::OpenAiResponses => AskDialect::OpenAiResponses,
        }
    }
}

/// How the dialect limits an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKey {
    /// `max_tokens`: what nearly everybody reads.
    MaxTokens,
    /// `max_completion_tokens`: what OpenAI's own models ask for.
    MaxCompletionTokens,
    /// Not at all: endpoints behind a subscription refuse a limit.
    Unsaid,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question<'a> {
    /// `None`: the endpoint has one.
    pub model: Option<&'a str>,
    /// The instructions.
    pub system: &'a str,
    /// What is asked.
    pub user: &'a str,
    /// What the answer may take.
    pub most_tokens: u64,
    /// How that is said in OpenAI's dialects.
    pub limit_key: LimitKey,
}

/// A piece of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Words.
    Text(String),
    /// Tokens used so far; what is not told is `None`.
    Usage {
        /// Of the prompt, cached ones included.
        input: Option<u64>,
        /// Of the answer.
        output: Option<u64>,
    },
    /// What of the prompt had to do with a cache.
    Cached {
        /// Read from it.
        read: u64,
        /// Written to it, for however long.
        write: u64,
        /// Of what was written, for longer than usual.
        write_long: u64,
    },
    /// The answer ended. Where it is said twice, the first time counts.
    Ended(Ending),
    /// The provider reports an error inside of a stream that began well.
    Failed(Complaint),
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It was complete.
    Complete,
    /// It reached its limit.
    Limit,
    /// The provider would not say it, or the model wanted a tool.
    Declined,
}

/// What a provider says when it does not answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Complaint {
    /// Its own name for it (`overloaded_error`, `context_length_exceeded`), where that is made of words that such names
    /// have.
    pub kind: Option<String>,
    /// The prompt does not fit.
    pub too_long: Option<TooLong>,
    /// It is about thinking that is bound to its prompt.
    pub thinking: Option<AboutThinking>,
}

/// What a provider says about thinking that is bound to its prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AboutThinking {
    /// It stands behind another prompt than the one it was made for.
    Bound,
    /// It cannot be asked to leave such thinking out.
    NoEscape,
}

impl AskDialect {
    /// The path behind the base address.
    pub fn path(self) -> &'static str {
        match self {
            AskDialect::OpenAiChat => "/chat/completions",
            AskDialect::AnthropicMessages => "/v1/messages",
            AskDialect::OpenAiResponses => "/responses",
        }
    }

    /// The headers that carry the key: name, and what stands before it.
    pub fn key_header(self) -> (&'static str, &'static str) {
        match self {
            AskDialect::OpenAiChat | AskDialect::OpenAiResponses => ("authorization", "Bearer "),
            AskDialect::AnthropicMessages => ("x-api-key", ""),
        }
    }

    /// Further headers.
    pub fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            AskDialect::OpenAiChat | AskDialect::OpenAiResponses => &[],
            AskDialect::AnthropicMessages => &[("anthropic-version", "2023-06-01")],
        }
    }

    /// The request's body. The answer is streamed.
    pub fn body(self, question: &Question<'_>) -> Vec<u8> {
        let mut body = match self {
            AskDialect::OpenAiChat => {
                let mut body = json!({
                    "messages": [
                        {"role": "system", "content": question.system},
                        {"role": "user", "content": question.user},
                    ],
                    "stream": true,
                    "stream_options": {"include_usage": true},
                });
                match question.limit_key {
                    LimitKey::MaxTokens => body["max_tokens"] = json!(question.most_tokens),
                    LimitKey::MaxCompletionTokens => body["max_completion_tokens"] = json!(question.most_tokens),
                    LimitKey::Unsaid => {}
                }
                body
            }
            AskDialect::AnthropicMessages => json!({
                "max_tokens": question.most_tokens,
                "system": question.system,
                "messages": [{"role": "user", "content": question.user}],
                "stream": true,
            }),
            AskDialect::OpenAiResponses => responses::body(question),
        };
        if let Some(model) = question.model {
            body["model"] = json!(model);
        }
        body.to_string().into_bytes()
    }

    /// What an event of the stream says. `None`: it is no event of this dialect.
    pub fn pieces(self, event: &Event) -> Option<Vec<Piece>> {
        match self {
            AskDialect::OpenAiChat if event.data.trim() == "[DONE]" => Some(vec![Piece::Ended(Ending::Complete)]),
            AskDialect::OpenAiChat => chat_pieces(&serde_json::from_str(&event.data).ok()?, "delta"),
            AskDialect::AnthropicMessages => anthropic_event(&serde_json::from_str(&event.data).ok()?),
            // It has no such end of its own, but those who speak several dialects may send it.
            AskDialect::OpenAiResponses if event.data.trim() == "[DONE]" => Some(Vec::new()),
            AskDialect::OpenAiResponses => responses::event(&serde_json::from_str(&event.data).ok()?),
        }
    }

    /// What an answer says that came in one piece, as some endpoints send it whatever was asked for.
    pub fn whole(self, body: &[u8]) -> Option<Vec<Piece>> {
        let answer: Value = serde_json::from_slice(body).ok()?;
        match self {
            AskDialect::OpenAiChat => chat_pieces(&answer, "message"),
            AskDialect::AnthropicMessages => anthropic_message(&answer),
            AskDialect::OpenAiResponses => responses::whole(&answer),
        }
    }
}

fn chat_pieces(answer: &Value, words: &str) -> Option<Vec<Piece>> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Some(vec![Piece::Failed(complaint_of(error))]);
    }
    let choices = answer.get("choices")?.as_array()?;
    let mut pieces = Vec::new();
    if let Some(choice) = choices.first() {
        if let Some(text) = choice.get(words).and_then(|said| said.get("content")).and_then(Value::as_str) {
            pieces.push(Piece::Text(text.to_owned()));
        }
        match choice.get("finish_reason").and_then(Value::as_str) {
            Some("stop" | "eos" | "end_turn") => pieces.push(Piece::Ended(Ending::Complete)),
            Some("length" | "max_tokens") => pieces.push(Piece::Ended(Ending::Limit)),
            Some(_) => pieces.push(Piece::Ended(Ending::Declined)),
            None => {}
        }
    }
    if let Some(usage) = answer.get("usage").filter(|usage| usage.is_object()) {
        let tokens = |key: &str| usage.get(key).and_then(Value::as_u64);
        pieces.push(Piece::Usage { input: tokens("prompt_tokens"), output: tokens("completion_tokens") });
        pieces.extend(openai_cached(usage.get("prompt_tokens_details")));
    }
    Some(pieces)
}

fn anthropic_event(event: &Value) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    match event.get("type")?.as_str()? {
        "content_block_delta" => {
            if let Some(text) = event.pointer("/delta/text").and_then(Value::as_str) {
                pieces.push(Piece::Text(text.to_owned()));
            }
        }
        "message_start" => pieces.extend(event.pointer("/message/usage").into_iter().flat_map(anthropic_usage)),
        "message_delta" => {
            pieces.extend(event.pointer("/delta/stop_reason").and_then(Value::as_str).map(anthropic_ending));
            pieces.extend(event.get("usage").into_iter().flat_map(anthropic_usage));
        }
        "error" => pieces.push(Piece::Failed(complaint_of(event.get("error").unwrap_or(&Value::Null)))),
        // Pings, beginnings and ends of blocks, and what may come one day.
        _ => {}
    }
    Some(pieces)
}

fn anthropic_message(answer: &Value) -> Option<Vec<Piece>> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Some(vec![Piece::Failed(complaint_of(error))]);
    }
    let blocks = answer.get("content")?.as_array()?;
    let texts = blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str));
    let mut pieces: Vec<Piece> = texts.map(|text| Piece::Text(text.to_owned())).collect();
    pieces.extend(answer.get("stop_reason").and_then(Value::as_str).map(anthropic_ending));
    pieces.extend(answer.get("usage").into_iter().flat_map(anthropic_usage));
    Some(pieces)
}

fn anthropic_ending(reason: &str) -> Piece {
    Piece::Ended(match reason {
        "end_turn" | "stop_sequence" => Ending::Complete,
        "max_tokens" | "model_context_window_exceeded" => Ending::Limit,
        _ => Ending::Declined,
    })
}

fn anthropic_usage(usage: &Value) -> Vec<Piece> {
    let tokens = |key: &str| usage.get(key).and_then(Value::as_u64);
    let told = |key: &str| tokens(key).unwrap_or_default();
    let (read, write) = (told("cache_read_input_tokens"), told("cache_creation_input_tokens"));
    let input = tokens("input_tokens").map(|input| input.saturating_add(read).saturating_add(write));
    let write_long = usage.pointer("/cache_creation/ephemeral_1h_input_tokens").and_then(Value::as_u64);
    let cached = Piece::Cached { read, write, write_long: write_long.unwrap_or_default() };
    let used = Piece::Usage { input, output: tokens("output_tokens") };
    std::iter::once(used).chain((read > 0 || write > 0).then_some(cached)).collect()
}

/// What OpenAI, and who speaks as it does, say about a cache.
fn openai_cached(details: Option<&Value>) -> Option<Piece> {
    let told = |pointer: &str| details?.pointer(pointer)?.as_u64();
    let (read, write) = (told("/cached_tokens").unwrap_or_default(), told("/cache_write_tokens").unwrap_or_default());
    let write_long = told("/cache_write_tokens_details/ttl_12h_tokens").unwrap_or_default();
    (read > 0 || write > 0).then_some(Piece::Cached { read, write, write_long })
}

/// What the body of an error response says.
pub fn complaint(body: &[u8]) -> Complaint {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else {
        return complaint_in(None, &Value::Null, &String::from_utf8_lossy(body));
    };
    // Gemini puts its answer into a list.
    let answer = answer.get(0).unwrap_or(&answer);
    complaint_of(answer.get("error").unwrap_or(answer))
}

fn complaint_of(error: &Value) -> Complaint {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    // OpenAI's code says more than its type; Anthropic has a type alone; some have numbers for codes.
    let kind = text("code").or_else(|| text("type"));
    // OpenRouter repeats what the provider said behind its own words.
    let raw = error.pointer("/metadata/raw").and_then(Value::as_str).unwrap_or_default();
    let message = text("message").or_else(|| text("detail")).or_else(|| error.as_str()).unwrap_or_default();
    let names = format!("{} {}", text("code").unwrap_or_default(), text("type").unwrap_or_default());
    complaint_in(kind, error, &format!("{names} {message} {raw}"))
}

/// How endpoints speak of thinking that is bound; the first that fits counts, as the first tells of the escape too.
const ABOUT_THINKING: &[(&str, AboutThinking)] = &[
    ("bound to a different conversation", AboutThinking::Bound),
    ("block_binding", AboutThinking::NoEscape),
    ("thinking-binding-controls", AboutThinking::NoEscape),
];

fn complaint_in(kind: Option<&str>, error: &Value, text: &str) -> Complaint {
    let lower = text.to_lowercase();
    let thinking = ABOUT_THINKING.iter().find(|(words, _)| lower.contains(words)).map(|(_, about)| *about);
    let kind = kind.filter(|kind| names::is_a_name(kind)).map(str::to_owned);
    Complaint { kind, too_long: TooLong::read(error, text), thinking }
}

#[cfg(test)]
mod tests;
