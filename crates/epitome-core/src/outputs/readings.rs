//! Readings that were made before: the same output is taken apart once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::reading::{Events, Piece, Rank, Reading, Unit};
use super::{Effort, KINDS, ToolOutput, command, mixture};

/// Remembers readings by the content they are of, up to a size.
#[derive(Default)]
pub struct Readings {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_content: HashMap<u128, Arc<Read>>,
    bytes: usize,
}

/// An output as one of the kinds has read it.
#[derive(Debug, PartialEq)]
pub struct Read {
    /// The kind's name.
    pub kind: &'static str,
    /// What it found.
    pub reading: Reading,
    /// Which lines report errors, where that differs from part to part: source among the outputs of commands.
    /// In order.
    pub parts: Vec<(Range<usize>, Events)>,
}

impl Read {
    /// How much memory it takes, about.
    fn bytes(&self) -> usize {
        let of_piece = |piece: &Piece| {
            let words =
                [&piece.full, &piece.brief, &piece.note].into_iter().flatten().map(String::capacity).sum::<usize>();
            size_of::<Piece>() + words
        };
        size_of::<Read>() + self.reading.pieces.iter().map(of_piece).sum::<usize>()
    }
}

/// The output as the first kind reads it that takes it whole.
pub(super) fn read_as_one(output: &ToolOutput, effort: Effort) -> Option<Read> {
    if output.text.trim().is_empty() {
        return Some(blank(&output.text));
    }
    KINDS.iter().find_map(|kind| {
        let reading = kind.read(output, effort)?;
        Some(Read { kind: kind.name(), reading, parts: Vec::new() })
    })
}

/// An output without a word: no kind need look at millions of empty lines.
fn blank(text: &str) -> Read {
    let mut reading = Reading::empty(Unit::Line);
    reading.say_always("white space only");
    // One line is kept: a digest is never without.
    let first = text.lines().next().map_or(0, str::len);
    let rest = Piece { units: text.lines().count().saturating_sub(1), ..Piece::ordinary(first..text.len()) };
    reading.pieces = vec![Piece::ordinary(0..first), rest.ranked(Rank::Told)];
    Read { kind: command::NAME, reading, parts: Vec::new() }
}

/// What is kept at most.
const BYTES_AT_MOST: usize = 100 << 20;

impl Readings {
    /// The output without what was written around it, each part as the first kind reads it that takes it.
    pub fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Arc<Read>> {
        let call = xxh3_128(format!("{}\0{}\0{effort:?}", output.tool, output.arguments).as_bytes());
        let name = call.rotate_left(1) ^ xxh3_128(output.text.as_bytes());
        // A panic while the lock is held cannot leave half a reading: readings are made outside it.
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().by_content.get(&name) {
            return Some(known.clone());
        }
        let read = Arc::new(mixture::read(output, effort)?);
        let mut kept = lock();
        kept.bytes += read.bytes();
        if kept.bytes > BYTES_AT_MOST {
            // Forgetting costs one reading more; which ones are in use is not worth knowing.
            kept.by_content.clear();
            kept.bytes = read.bytes();
        }
        kept.by_content.insert(name, read.clone());
        Some(read)
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn an_output_without_a_word_is_told_as_such() {
        insta::assert_snapshot!(check("cat blank", &"\n".repeat(3_000)), @"
        [digest of command output: 1 of 3,000 lines kept, 750 tokens; original ed99aaf7b066]
        white space only

        [… 2,999 lines …]
        ");
    }
}
