//! Maps of what is a hash already.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hashes of hashes: nothing is to be done.
#[derive(Default)]
pub(super) struct Plain(u64);

impl Hasher for Plain {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = mix(self.0, u64::from(*byte)));
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub(super) type Hashed<V> = HashMap<u64, V, BuildHasherDefault<Plain>>;

pub(super) fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one.rotate_left(23) ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
