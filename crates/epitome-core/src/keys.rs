//! Texts by number, for maps that are asked often: a text is hashed once, and its hash is its name.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// A number that names a text: equal texts have equal keys.
pub(crate) fn key(text: impl AsRef<[u8]>) -> u64 {
    xxh3_64(text.as_ref())
}

/// A map by keys, which are hashes already.
pub(crate) type KeyMap<V, K = u64> = HashMap<K, V, BuildHasherDefault<KeyHasher>>;

/// A set of keys.
pub(crate) type KeySet = HashSet<u64, BuildHasherDefault<KeyHasher>>;

/// Takes a key as its hash.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn write_u128(&mut self, key: u128) {
        // The upper half: who divides keys among several maps does so by the lower bits.
        self.0 = (key >> 64) as u64;
    }
}
