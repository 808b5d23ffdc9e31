//! How far back a summary reads.
//!
//! A session that is many times as long as its window was forgotten, for the most part, before anybody compacts it. So it is
//! read from its end, as much as a summary of its size can be about. What people said is read all.

use std::borrow::Cow;

use crate::model::{Block, Message, Role};
use crate::tokens::Tokens;

/// So many bytes of calls and outputs are read for each token that may be said, and as many of the agent's words: each as much
/// as a window holds at four bytes a token, if a summary is a twentieth of it.
const BYTES_A_TOKEN: usize = 80;
/// Half a million tokens: reading costs time.
const READ_AT_MOST: usize = 2 << 20;
/// Of what lies further back, how it begins and how it ends is looked at: how a call ended is told there.
const BEGINNING: usize = 300;
const END: usize = 500;

/// Tells what is too old to be read, as a transcript is gone through from its beginning.
#[derive(Debug, Clone)]
pub(super) struct Reach {
    unread_calls: usize,
    unread_words: usize,
}

impl Reach {
    /// Of these messages, if about `budget` may be said.
    pub(super) fn of<'a>(messages: impl Iterator<Item = &'a Message>, budget: Tokens) -> Reach {
        let read = BYTES_A_TOKEN.saturating_mul(budget.0 as usize).min(READ_AT_MOST);
        let (mut calls, mut words) = (0_usize, 0_usize);
        for message in messages {
            for block in &message.blocks {
                match Share::of(message, block) {
                    Share::Calls(bytes) => calls += bytes,
                    Share::Words(bytes) => words += bytes,
                    Share::Neither => {}
                }
            }
        }
        Reach { unread_calls: calls.saturating_sub(read), unread_words: words.saturating_sub(read) }
    }

    /// Whether the calls that come next are too old to be read.
    pub(super) fn is_behind(&self) -> bool {
        self.unread_calls > 0
    }

    /// Whether a block is too old to be read. To be asked once for each, in their order.
    pub(super) fn passes_over(&mut self, message: &Message, block: &Block) -> bool {
        let (unread, bytes) = match Share::of(message, block) {
            Share::Calls(bytes) => (&mut self.unread_calls, bytes),
            Share::Words(bytes) => (&mut self.unread_words, bytes),
            Share::Neither => return false,
        };
        let passes = *unread > 0 && bytes > 0;
        *unread = unread.saturating_sub(bytes);
        passes
    }
}

/// What a block is, and how many bytes it has.
enum Share {
    Calls(usize),
    Words(usize),
    Neither,
}

impl Share {
    fn of(message: &Message, block: &Block) -> Share {
        match block {
            Block::ToolCall(call) => Share::Calls(call.arguments.len()),
            Block::ToolResult(result) => Share::Calls(result.text().len()),
            Block::Text(text) if message.role == Role::Assistant => Share::Words(text.len()),
            Block::Text(_) | Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => Share::Neither,
        }
    }
}

/// What is looked at of an output that is not read.
pub(super) fn ends_of(text: Cow<'_, str>) -> Cow<'_, str> {
    if text.len() <= BEGINNING + END {
        return text;
    }
    let (beginning, end) = (text.floor_char_boundary(BEGINNING), text.ceil_char_boundary(text.len() - END));
    // Whole lines, or a word cut in two would say something else.
    let beginning = text[..beginning].rfind('\n').unwrap_or(beginning);
    let end = text[end..].find('\n').map_or(end, |line| end + line + 1);
    format!("{}\n{}", &text[..beginning], &text[end..]).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ToolCall, ToolResult};

    fn called(output: &str) -> Message {
        let call = ToolCall { id: "c".into(), name: "run".into(), arguments: "{}".into() };
        let result = ToolResult { call_id: "c".into(), content: vec![Block::Text(output.into())], is_error: false };
        Message { blocks: vec![Block::ToolCall(call), Block::ToolResult(result)], ..Message::text(Role::Tool, "") }
    }

    #[test]
    fn the_newest_is_read_and_what_people_say_is_always() {
        let long = "x".repeat(BYTES_A_TOKEN * 10);
        let says = |role| Message::text(role, long.as_str());
        let messages = [
            says(Role::Assistant),
            called(&long),
            says(Role::User),
            says(Role::User),
            says(Role::Assistant),
            called(&long),
        ];
        let mut reach = Reach::of(messages.iter(), Tokens(11));
        assert!(reach.is_behind());
        let mut passed = Vec::new();
        for message in &messages {
            passed.extend(message.blocks.iter().map(|block| reach.passes_over(message, block)));
        }
        assert_eq!(passed, [true, true, true, false, false, false, false, false]);
        assert!(!reach.is_behind());
    }

    #[test]
    fn of_an_old_output_the_ends_are_looked_at() {
        let lines: String = (0..400).map(|line| format!("line {line} é\n")).collect();
        let ends = ends_of(lines.as_str().into());
        assert!(ends.starts_with("line 0 é\nline 1 é\n") && ends.ends_with("\nline 399 é\n"), "{ends}");
        assert!(ends.len() < BEGINNING + END && ends.lines().all(|line| line.ends_with('é')), "{ends}");
        assert_eq!(ends_of("short".into()), "short");
        assert!(ends_of("é".repeat(4_000).into()).len() <= BEGINNING + END + 4);
    }
}
