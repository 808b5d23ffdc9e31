//! Outputs that were read before: the same output is taken apart and weighed once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::surprise::Weighed;

/// An output, taken apart.
#[derive(Debug)]
pub struct Read {
    /// What it is, as digests and reports name it: `log`, `source`.
    pub kind: &'static str,
    pub(super) weighed: Weighed,
}

/// Remembers what was read by its content, up to a size.
#[derive(Default)]
pub struct Readings {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_content: HashMap<u128, Arc<Read>>,
    bytes: usize,
}

/// What is kept at most.
const BYTES_AT_MOST: usize = 100 << 20;

impl Readings {
    /// The output, taken apart; `is_page` if a web page is shown by it.
    pub(super) fn read(&self, text: &str, is_page: bool) -> Arc<Read> {
        let name = xxh3_128(text.as_bytes());
        // A panic while the lock is held cannot leave half a reading: readings are made outside it.
        let lock = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().by_content.get(&name) {
            return known.clone();
        }
        let weighed = Weighed::of(text);
        let kind = if is_page { "web page" } else { weighed.kind(text) };
        let bytes = weighed.bytes();
        let read = Arc::new(Read { kind, weighed });
        let mut kept = lock();
        kept.bytes += bytes;
        if kept.bytes > BYTES_AT_MOST {
            // Forgetting costs one reading more; which ones are in use is not worth knowing.
            kept.by_content.clear();
            kept.bytes = bytes;
        }
        kept.by_content.insert(name, read.clone());
        read
    }
}
