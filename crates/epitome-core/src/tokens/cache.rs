//! Counts and estimates are remembered by content, since an agent sends the same texts with every call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::{TokenCounter, Tokens};
use crate::keys::KeyMap;

/// Another counter, asked once a text.
///
/// Remembers a bounded number of texts: when the young generation is full it becomes the old one, and what was not asked
/// for since then is forgotten. A session's texts are asked for with every call, so they stay.
#[derive(Debug)]
pub struct CachedCounter<C> {
    counter: C,
    shards: [Mutex<Generations>; SHARDS],
    /// How many texts the young generation of a shard holds.
    young: usize,
}

/// Shorter texts are counted faster than looked up.
const NOT_WORTH_IT: usize = 64;

/// Requests that are served at the same time seldom wait for each other.
const SHARDS: usize = 16;

/// About 10 MB when full; a long session has some 2,000 texts.
const DEFAULT_CAPACITY: usize = 128 * 1024;

/// Not the content hash: this one is many times as fast, and a collision could only miscount.
type Hash = u128;

#[derive(Debug, Default)]
struct Generations {
    young: KeyMap<Tokens, Hash>,
    old: KeyMap<Tokens, Hash>,
}

impl<C: TokenCounter> CachedCounter<C> {
    /// Remembers some hundred long sessions.
    pub fn new(counter: C) -> Self {
        Self::with_capacity(counter, DEFAULT_CAPACITY)
    }

    /// Remembers at most `texts` texts, give or take a few.
    pub fn with_capacity(counter: C, texts: usize) -> Self {
        CachedCounter { counter, shards: Default::default(), young: (texts / SHARDS / 2).max(1) }
    }

    /// How many texts are remembered now.
    pub fn remembered(&self) -> usize {
        self.shards.iter().map(lock).map(|shard| shard.young.len() + shard.old.len()).sum()
    }

    fn remember(&self, text: &str, seed: u64, ask: impl FnOnce(&str) -> Tokens) -> Tokens {
        if text.len() < NOT_WORTH_IT {
            return ask(text);
        }
        let hash = xxh3_128_with_seed(text.as_bytes(), seed);
        if let Some(tokens) = lock(self.shard(hash)).get(hash, self.young) {
            return tokens;
        }
        // Not under the lock: two threads may count the same text, which is better than all of them waiting.
        let tokens = ask(text);
        lock(self.shard(hash)).insert(hash, tokens, self.young);
        tokens
    }

    fn shard(&self, hash: Hash) -> &Mutex<Generations> {
        &self.shards[hash as usize % SHARDS]
    }
}

impl<C: TokenCounter> TokenCounter for CachedCounter<C> {
    fn count(&self, text: &str) -> Tokens {
        self.remember(text, COUNTED, |text| self.counter.count(text))
    }

    fn estimate(&self, text: &str) -> Tokens {
        self.remember(text, ESTIMATED, |text| self.counter.estimate(text))
    }
}

/// Seeds of the hash, so that the count and the estimate of a text are two entries.
const COUNTED: u64 = 1;
const ESTIMATED: u64 = 2;

impl Generations {
    fn get(&mut self, hash: Hash, capacity: usize) -> Option<Tokens> {
        if let Some(tokens) = self.young.get(&hash) {
            return Some(*tokens);
        }
        let tokens = self.old.remove(&hash)?;
        self.insert(hash, tokens, capacity);
        Some(tokens)
    }

    fn insert(&mut self, hash: Hash, tokens: Tokens, capacity: usize) {
        if self.young.len() >= capacity {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(hash, tokens);
    }
}

/// A thread that panicked while it held the lock left a map of true counts behind.
fn lock(shard: &Mutex<Generations>) -> MutexGuard<'_, Generations> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Counts bytes, and how often it was asked.
    #[derive(Default)]
    struct Asked(AtomicUsize);

    impl TokenCounter for Asked {
        fn count(&self, text: &str) -> Tokens {
            self.0.fetch_add(1, Ordering::Relaxed);
            Tokens(text.len() as u64)
        }

        fn estimate(&self, text: &str) -> Tokens {
            self.count(text)
        }
    }

    #[test]
    fn a_text_is_counted_once() {
        let counter = CachedCounter::new(Asked::default());
        let (one, other) = ("a".repeat(100), "b".repeat(100));
        for _ in 0..3 {
            assert_eq!([counter.count(&one), counter.count(&other)], [Tokens(100); 2]);
        }
        assert_eq!(counter.counter.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn short_texts_are_not_kept() {
        let counter = CachedCounter::new(Asked::default());
        counter.count("short");
        assert_eq!(counter.remembered(), 0);
    }

    #[test]
    fn what_is_kept_stays_bounded_and_what_is_used_stays() {
        let counter = CachedCounter::with_capacity(Asked::default(), 1_000);
        let used = "u".repeat(100);
        for number in 0..10_000 {
            counter.count(&format!("{number:0>100}"));
            counter.count(&used);
        }
        assert!(counter.remembered() <= 1_100, "{}", counter.remembered());
        // Once for each of the numbers and once for the text that was always in use.
        assert_eq!(counter.counter.0.load(Ordering::Relaxed), 10_001);
    }

    #[test]
    fn threads_agree() {
        let counter = CachedCounter::new(Asked::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|n| assert_eq!(counter.count(&format!("{n:0>80}")), Tokens(80))));
            }
        });
        assert_eq!(counter.remembered(), 500);
    }
}
