//! Edits that were read lately, so that a session's next request does not read and parse them again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::records::{EntryId, Replay};

/// The latest used. An entry never changes under its name, so what is here is right, if the entry still exists.
pub(crate) struct Replays {
    known: Mutex<Known>,
    most_bytes: usize,
}

#[derive(Default)]
struct Known {
    replays: HashMap<EntryId, Remembered>,
    bytes: usize,
    /// Counts uses, to tell the longest unused.
    clock: u64,
}

struct Remembered {
    replay: Arc<Replay>,
    /// As stored.
    bytes: usize,
    used: u64,
}

/// Some hundred sessions' edits; in memory they are about five times as large.
const MOST_BYTES: usize = 4 << 20;

impl Replays {
    pub(crate) fn new() -> Replays {
        Replays::with_room(MOST_BYTES)
    }

    fn with_room(most_bytes: usize) -> Replays {
        Replays { known: Mutex::default(), most_bytes }
    }

    pub(crate) fn get(&self, id: EntryId) -> Option<Arc<Replay>> {
        let known = &mut *self.lock();
        known.clock += 1;
        let remembered = known.replays.get_mut(&id)?;
        remembered.used = known.clock;
        Some(remembered.replay.clone())
    }

    /// Remembers edits that take `bytes` when stored.
    pub(crate) fn put(&self, id: EntryId, replay: Arc<Replay>, bytes: usize) {
        let known = &mut *self.lock();
        known.clock += 1;
        let used = known.clock;
        known.bytes += bytes;
        if let Some(before) = known.replays.insert(id, Remembered { replay, bytes, used }) {
            known.bytes -= before.bytes;
        }
        while known.bytes > self.most_bytes {
            let Some(oldest) = known.replays.iter().min_by_key(|(_, one)| one.used).map(|(id, _)| *id) else { break };
            known.bytes -= known.replays.remove(&oldest).map_or(0, |gone| gone.bytes);
        }
    }

    /// Forgets all: somebody wants something forgotten.
    pub(crate) fn clear(&self) {
        let known = &mut *self.lock();
        known.replays.clear();
        known.bytes = 0;
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_goes_first() {
        let replays = Replays::with_room(100);
        let [first, second, third] = [1, 2, 3].map(|number| EntryId::from_bytes([number; 16]));
        replays.put(first, Arc::default(), 40);
        replays.put(second, Arc::default(), 40);
        assert!(replays.get(first).is_some());
        replays.put(third, Arc::default(), 40);
        assert_eq!([first, second, third].map(|id| replays.get(id).is_some()), [true, false, true]);
        replays.put(second, Arc::default(), 1_000);
        assert_eq!([first, second, third].map(|id| replays.get(id).is_some()), [false, false, false]);
        assert_eq!(replays.lock().bytes, 0);
    }
}
