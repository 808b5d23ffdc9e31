//! One door for the tests of all kinds.

use super::{Digest, Effort, Interest, OutputKind, Readings, ToolOutput, digest};
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

/// Its digest of about 150 tokens, for an agent that looks for nothing in particular.
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
    digest(&output(command, text), Tokens(150), &interest, &Quarter, &Readings::default(), Effort::Full)
}

/// Whether the pieces that a kind makes of a text leave nothing out but white space. True for a text of another kind.
pub fn is_covered(kind: &dyn OutputKind, text: &str) -> bool {
    let Some(reading) = kind.read(&output("x", text), Effort::Full) else { return true };
    let starts = reading.pieces.iter().map(|piece| piece.span.start).chain([text.len()]);
    let ends = std::iter::once(0).chain(reading.pieces.iter().map(|piece| piece.span.end));
    ends.zip(starts).all(|(end, start)| text.get(end..start).is_some_and(|gap| gap.trim().is_empty()))
}
