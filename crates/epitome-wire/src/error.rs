//! What can be wrong with a client's bytes, and with edits that are to go into them.

use std::fmt;

use epitome_core::edit::EditError;

use crate::json::JsonError;

/// A place in a text, as editors show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: usize,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
}

/// Why bytes could not be read as a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Our offsets have 32 bits.
    #[error("the text has {bytes} bytes; 4 GiB is the most that can be read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// JSON is UTF-8.
    #[error("bytes that are not UTF-8 at {position}")]
    NotUtf8 {
        /// The first wrong byte.
        position: Position,
    },
    /// Not JSON.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// Readers differ on which of the two counts, so nobody can say what the request means.
    #[error("the key {key:?} stands a second time in its object at {position}")]
    DuplicateKey {
        /// The key, cut when it is long.
        key: String,
        /// Its second occurrence.
        position: Position,
    },
    /// JSON, but no conversation.
    #[error(
        "expected an object with \"messages\" or \"input\", an array of messages, or one message a line, \
         found {found} at {position}"
    )]
    NotARequest {
        /// What stands there.
        found: &'static str,
        /// Where.
        position: Position,
    },
    /// A request without the list that its dialect keeps the conversation in.
    #[error("expected the key {expected:?} in the object at {position}")]
    NoConversation {
        /// The key.
        expected: &'static str,
        /// The object.
        position: Position,
    },
    /// The conversation is not a list.
    #[error("expected an array under {key:?}, found {found} at {position}")]
    NotAList {
        /// The key.
        key: &'static str,
        /// What stands there.
        found: &'static str,
        /// Where.
        position: Position,
    },
    /// One line, one session: a collection, of which nobody said which one is meant.
    #[error("{count} sessions found, one is expected")]
    SeveralSessions {
        /// How many.
        count: usize,
    },
    /// An element of the conversation is no object.
    #[error("expected a message, found {found} at {position}")]
    NotAMessage {
        /// What stands there.
        found: &'static str,
        /// Where.
        position: Position,
    },
    /// Nobody speaks.
    #[error("a message without a \"role\" that is a string at {position}")]
    NoRole {
        /// The message.
        position: Position,
    },
}

/// Why edits could not be spliced into a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The edits break this conversation, so they were applied to another.
    #[error("the edits belong to another conversation")]
    Refused(#[from] EditError),
    /// The edits fit, but lead elsewhere.
    #[error("the edits were applied to another conversation")]
    AnotherConversation,
    /// The system prompt is an item of a kind that we do not know.
    #[error("the system prompt has no place for a note")]
    NoPlaceForNote,
    /// The answer belongs into a message that another edit takes away.
    #[error("the answer to a call in message {message} has no place")]
    NoPlaceForAnswer {
        /// The message that calls.
        message: usize,
    },
    /// There is nothing new that a history could stand before.
    #[error("the request has no place for a history")]
    NoPlaceForHistory,
    /// What is left of a file of lines would be read as a session, or as several.
    #[error("without these lines, the others would be read as something else")]
    NotLines,
    /// What the request said here when it was read cannot be found again. A defect of ours.
    #[error("message {message} has no such part")]
    Unlocated {
        /// The message.
        message: usize,
    },
}

impl ReadError {
    /// Where the error stands, if it stands somewhere.
    pub fn position(&self) -> Option<Position> {
        match self {
            ReadError::TooLarge { .. } | ReadError::SeveralSessions { .. } => None,
            ReadError::Json(error) => Some(error.position),
            ReadError::NotUtf8 { position }
            | ReadError::DuplicateKey { position, .. }
            | ReadError::NotARequest { position, .. }
            | ReadError::NoConversation { position, .. }
            | ReadError::NotAList { position, .. }
            | ReadError::NotAMessage { position, .. }
            | ReadError::NoRole { position } => Some(*position),
        }
    }
}

impl Position {
    /// The place before which `offset` bytes of `bytes` stand.
    pub(crate) fn of(bytes: &[u8], offset: usize) -> Position {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = before.get(line_start..).unwrap_or_default();
        // Editors do not show a byte order mark.
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        let is_first_byte = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        Position {
            offset,
            line: 1 + memchr::memchr_iter(b'\n', before).count(),
            column: 1 + line.iter().filter(is_first_byte).count(),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}, column {}", self.line, self.column)
    }
}
