//! Where the estimate cannot be trusted: other languages, sequences, long runs, random strings.
//!
//! The estimate was fitted to what coding agents read and write. Finnish prose has as many letters and three times as
//! many tokens. So a conversation is sampled, and a sample in which hardly any of the words occurs that agents' texts are
//! full of is doubtful: then the exact count decides, whatever it costs.

use std::slice::from_ref;
use std::sync::LazyLock;

use crate::keys::{KeySet, key};
use crate::model::{Block, Conversation, Message};

/// One sample, in bytes: enough words to judge by.
const SAMPLE: usize = 400;
/// Samples of a conversation. More would cost as much as the estimate itself on small ones.
const SAMPLES: usize = 96;
/// Words of three letters and more that a sample must have to be judged by its words.
const FEW_WORDS: usize = 8;
/// One in so many of them is common in texts like those the estimate was fitted to. (Checked on the other half of the
/// recorded sessions, and on prose of other languages: see the tests.)
const COMMON_ONE_IN: usize = 9;
/// A run of one character from this length on is told badly by the estimate …
const LONG_RUN: usize = 24;
/// … and makes a sample doubtful if a fifth of it is such runs.
const RUNS_ONE_IN: usize = 5;

/// Words of three to twelve letters that occur in most sessions of one half of the recorded ones.
static COMMON: LazyLock<KeySet> =
    LazyLock::new(|| include_str!("estimate/common_words.txt").split_whitespace().map(key).collect());

/// The share of a conversation's text whose estimate is in doubt: 0 to 1.
pub fn doubtful_share(conversation: &Conversation) -> f64 {
    let texts: Vec<&str> = texts(conversation).filter(|text| !text.is_empty()).collect();
    let total: usize = texts.iter().map(|text| text.len()).sum();
    if total == 0 {
        return 0.0;
    }
    // At even distances over all texts, so that a text is looked at as often as it weighs.
    let step = (total / SAMPLES).max(SAMPLE);
    let (mut looked_at, mut doubtful) = (0, 0);
    let (mut next, mut before) = (0, 0);
    for text in texts {
        while next < before + text.len() {
            let sample = text.as_bytes().get(next - before..).unwrap_or_default();
            let sample = sample.get(..SAMPLE).unwrap_or(sample);
            looked_at += sample.len();
            doubtful += if is_doubtful(sample) { sample.len() } else { 0 };
            next += step;
        }
        before += text.len();
    }
    doubtful as f64 / looked_at.max(1) as f64
}

fn texts(conversation: &Conversation) -> impl Iterator<Item = &str> {
    let messages = conversation.messages.iter().flat_map(|message: &Message| &message.blocks);
    let blocks = conversation.system.iter().chain(messages).flat_map(|block| match block {
        Block::ToolResult(result) => &*result.content,
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Media(_) | Block::Opaque(_) => {
            from_ref(block)
        }
    });
    let words = blocks.filter_map(|block| match block {
        Block::Text(text) | Block::Thinking(text) => Some(&**text),
        Block::ToolCall(call) => Some(&*call.arguments),
        Block::Opaque(opaque) => Some(&*opaque.text),
        Block::ToolResult(_) | Block::Media(_) => None,
    });
    words.chain(conversation.tools.iter().map(|tool| &*tool.text))
}

fn is_doubtful(sample: &[u8]) -> bool {
    let runs = sample.chunk_by(|one, other| one == other).filter(|run| run.len() >= LONG_RUN);
    // Indentation and empty space are told well.
    let in_runs: usize = runs.filter(|run| !run.starts_with(b" ")).map(<[u8]>::len).sum();
    if in_runs * RUNS_ONE_IN > sample.len() {
        return true;
    }
    let words = sample.split(|byte| !byte.is_ascii_alphabetic()).filter(|word| word.len() >= 3);
    let (mut number, mut common) = (0, 0);
    let mut lower = [0_u8; 12];
    for word in words {
        number += 1;
        if let Some(place) = lower.get_mut(..word.len()) {
            place.copy_from_slice(word);
            place.make_ascii_lowercase();
            common += usize::from(COMMON.contains(&key(&*place)));
        }
    }
    // Few words: digits, identifiers and punctuation, which the estimate was shown, or one long string, which it was not.
    if number < FEW_WORDS {
        sample.len() >= SAMPLE && number * 100 < sample.len()
    } else {
        common * COMMON_ONE_IN < number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Role;

    #[track_caller]
    fn check(text: &str, doubtful: bool) {
        let conversation =
            Conversation { messages: vec![Message::text(Role::User, text.repeat(20))], ..Conversation::default() };
        let share = doubtful_share(&conversation);
        assert_eq!(share > 0.5, doubtful, "{share}: {text}");
    }

    #[test]
    fn what_agents_read_and_write_is_vouched_for() {
        check(
            "The build failed because the file was not found in this directory; run the tests again and check.",
            false,
        );
        check("    def read(self, path: str) -> None:\n        if not path:\n            return self.name\n", false);
        check(
            "2026-03-01T10:12:13Z INFO server: request id=12 user=7 status=200 path=/api/v1/items time=12ms\n",
            false,
        );
        check("{\"name\": \"a\", \"type\": \"string\", \"value\": 1, \"path\": \"src/main.rs\"}, ", false);
    }

    #[test]
    fn other_languages_are_not() {
        check(
            "Sähköpostiosoitteesi vahvistaminen epäonnistui, koska linkki on vanhentunut tai jo käytetty aiemmin. ",
            true,
        );
        check("Nie udało się zapisać zmian, ponieważ połączenie z serwerem zostało przerwane podczas zapisu. ", true);
        check("Die Bestellung konnte leider nicht abgeschlossen werden, weil die Zahlung abgelehnt wurde. ", true);
    }

    #[test]
    fn runs_and_sequences_are_not() {
        check(&"x".repeat(500), true);
        check(&"#".repeat(500), true);
        check("ACGTTGCAACGGTATTAGCCATGACCGATTACAGGATCCATTAGACCA", true);
    }
}
