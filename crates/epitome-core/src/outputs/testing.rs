//! One door for the tests of digests.

use super::{Digest, Interest, Readings, Room, ToolOutput, digest};
use crate::tokens::{TokenCounter, Tokens};

/// Four bytes a token: enough to test decisions with.
pub struct Quarter;

impl TokenCounter for Quarter {
    fn count(&self, text: &str) -> Tokens {
        Tokens(text.len().div_ceil(4) as u64)
    }

    fn estimate(&self, text: &str) -> Tokens {
        self.count(text)
    }
}

/// The output of a command line.
pub fn output(command: &str, text: &str) -> ToolOutput {
    ToolOutput::of_call("bash", &serde_json::json!({ "command": command }).to_string(), text)
}

/// Its digest, for an agent that looks for nothing in particular.
#[track_caller]
pub fn check(command: &str, text: &str) -> String {
    check_for("", command, text)
}

/// The same for an agent that looks for something.
#[track_caller]
pub fn check_for(interest: &str, command: &str, text: &str) -> String {
    made(interest, command, text).expect("a digest is made").text
}

/// The whole digest, if one is made.
pub fn made(interest: &str, command: &str, text: &str) -> Option<Digest> {
    let interest = Interest::in_text(interest);
    let room = Room::usual(Quarter.count(text));
    digest(&output(command, text), room, &interest, &Quarter, &Readings::default())
}
