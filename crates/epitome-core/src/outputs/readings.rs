//! Readings that were made before: the same output is taken apart once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::reading::{Events, Reading};
use super::{Effort, KINDS, ToolOutput, mixture};

/// Remembers readings by the content they are of, up to a size.
#[derive(Default)]
pub struct Readings {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_content: HashMap<u128, Arc<Read>>,
    pieces: usize,
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

/// The output as the first kind reads it that takes it whole.
pub(super) fn read_as_one(output: &ToolOutput, effort: Effort) -> Option<Read> {
    KINDS.iter().find_map(|kind| {
        let reading = kind.read(output, effort)?;
        Some(Read { kind: kind.name(), reading, parts: Vec::new() })
    })
}

/// Some 100 bytes each: about 100 MB at most.
const PIECES_AT_MOST: usize = 1_000_000;

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
        kept.pieces += read.reading.pieces.len();
        if kept.pieces > PIECES_AT_MOST {
            // Forgetting costs one reading more; which ones are in use is not worth knowing.
            kept.by_content.clear();
            kept.pieces = read.reading.pieces.len();
        }
        kept.by_content.insert(name, read.clone());
        Some(read)
    }
}
