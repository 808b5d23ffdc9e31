//! Recorded sessions, in whatever format an agent left them: messages, when they came, and what the provider reported.
//!
//! One format a file. A reader says `None` to what is not its format.

mod claude_code;
mod codex;
mod elements;
mod moment;
mod request;
mod usage;

use std::sync::Arc;

use epitome_core::model::Message;
use serde_json::Value;

pub use usage::{PromptUsage, Usage};

/// A session as it was recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// What the recording calls itself, or the name of its file.
    pub id: String,
    /// The agent, if the recording says which.
    pub agent: Option<String>,
    /// The model that was asked.
    pub model: Option<String>,
    /// System prompt and tools outside the messages, as far as they were recorded.
    pub prefix: Vec<Arc<str>>,
    /// Everything that was said, oldest first.
    pub entries: Vec<Entry>,
}

/// A message of a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// What was said.
    pub message: Message,
    /// When, in seconds since 1970.
    pub at: Option<f64>,
    /// What the provider reported for the call that produced it.
    pub usage: Option<Usage>,
    /// What it has to do with a compaction by the agent itself.
    pub compaction: Compaction,
}

/// What a message has to do with a compaction by the recorded agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compaction {
    /// Nothing.
    None,
    /// It is the summary that the agent put in.
    Summary,
    /// It is the first message behind a compaction whose summary was not recorded.
    Follows,
}

/// Why a file is no session.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// Neither JSON nor lines of it.
    #[error("line {line} is no JSON")]
    NotJson {
        /// The first line that is not.
        line: usize,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// Nothing in it.
    #[error("the file is empty")]
    Empty,
    /// JSON, but of no kind that we know.
    #[error("no format that is known: neither a request with messages, nor a session file of Claude Code or Codex")]
    UnknownFormat,
    /// Messages that cannot be read.
    #[error("its messages cannot be read")]
    Messages(#[source] epitome_wire::ReadError),
    /// A session in which no model was asked.
    #[error("no model answers in it, so there is no call to replay")]
    NoCalls,
}

/// The JSON of a file: one value, or one a line.
pub(crate) enum Json {
    Whole(Value),
    Lines(Vec<Value>),
}

/// A reader of one format; `None`: it is another.
type Reader = fn(&str, &Json) -> Option<Result<Recording, RecordingError>>;

/// The formats, those that can be told from others first.
const READERS: [Reader; 3] = [claude_code::read, codex::read, request::read];

/// Reads a recording. `name` is what it is called if it does not say so itself.
pub fn read(name: &str, text: &str) -> Result<Recording, RecordingError> {
    let json = parse(text)?;
    READERS.iter().find_map(|reader| reader(name, &json)).unwrap_or(Err(RecordingError::UnknownFormat))
}

fn parse(text: &str) -> Result<Json, RecordingError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(RecordingError::Empty);
    }
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        return Ok(Json::Whole(whole));
    }
    let lines: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    let mut values = Vec::with_capacity(lines.len());
    for (place, (number, line)) in lines.iter().enumerate() {
        match serde_json::from_str(line) {
            Ok(value) => values.push(value),
            // A session that is still being written may end in the middle of a line.
            Err(_) if place > 0 && place + 1 == lines.len() => {}
            Err(source) => return Err(RecordingError::NotJson { line: number + 1, source }),
        }
    }
    Ok(Json::Lines(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_session_is_said_to_be_none() {
        assert!(matches!(read("a", "  \n"), Err(RecordingError::Empty)));
        assert!(matches!(read("a", "[1, 2"), Err(RecordingError::NotJson { line: 1, .. })));
        assert!(matches!(read("a", "{\"a\":1}\nnot\n{\"b\":1}"), Err(RecordingError::NotJson { line: 2, .. })));
        assert!(matches!(read("a", "{\"a\":1}"), Err(RecordingError::UnknownFormat)));
        assert!(matches!(read("a", "{\"type\":\"a\"}\n{\"type\":\"b\"}"), Err(RecordingError::UnknownFormat)));
    }
}
