//! Messages that were read before: an agent sends its whole history with every call, and nearly all of it is known.
//!
//! What an element of the list says, what the message is called and what it weighs depends on its bytes and its dialect alone.
//! So they are kept by them. A message is known only if all of its bytes are the same: no hash is trusted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use epitome_core::fingerprint::ContentHash;
use epitome_core::model::Message;
use epitome_core::tokens::Tokens;
use xxhash_rust::xxh3::xxh3_64;

use crate::caching::Piece;
use crate::dialect::Dialect;
use crate::error::ReadError;

/// Remembers messages, up to a bounded size: when the young generation is full it becomes the old one, and what was not sent
/// again since then is forgotten.
#[derive(Debug)]
pub struct Known {
    shards: [Mutex<Generations>; SHARDS],
    /// How many bytes of requests the young generation of a shard holds.
    young: usize,
}

/// One element of a list, as it was read.
#[derive(Debug)]
pub(crate) struct Element {
    /// Its bytes; none where it is too short or too long to be remembered.
    raw: Box<str>,
    dialect: Dialect,
    pub(crate) message: Message,
    /// What a message of this element alone is called.
    pub(crate) name: OnceLock<ContentHash>,
    /// What it weighs, by the one counter that is asked about what is remembered.
    pub(crate) weight: OnceLock<Tokens>,
    /// What a provider's cache sees of it.
    pub(crate) pieces: OnceLock<Box<[Piece]>>,
}

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<u64, Arc<Element>>,
    old: HashMap<u64, Arc<Element>>,
    bytes: usize,
}

/// Requests that are read at the same time seldom wait for each other.
const SHARDS: usize = 16;

/// Shorter ones are read faster than looked up.
const NOT_WORTH_IT: usize = 128;

/// Of requests; what is kept of them takes about twice as much, in each of the two generations.
const DEFAULT_BYTES: usize = 16 * 1024 * 1024;

impl Default for Known {
    /// Some hundred sessions.
    fn default() -> Known {
        Known::with_room_for(DEFAULT_BYTES)
    }
}

impl Known {
    /// Remembers messages of so many bytes, as clients spell them, and as many again that are on their way out.
    pub fn with_room_for(bytes: usize) -> Known {
        Known { shards: Default::default(), young: (bytes / SHARDS).max(1) }
    }

    /// The bytes of what is remembered now.
    pub fn bytes(&self) -> usize {
        let of =
            |generation: &HashMap<u64, Arc<Element>>| generation.values().map(|known| known.raw.len()).sum::<usize>();
        self.shards.iter().map(lock).map(|shard| of(&shard.young) + of(&shard.old)).sum()
    }

    /// What an element says: as it was read before, else as `decode` reads it.
    pub(crate) fn element(
        &self,
        dialect: Dialect,
        raw: &str,
        decode: impl FnOnce() -> Result<Message, ReadError>,
    ) -> Result<Arc<Element>, ReadError> {
        let hash = xxh3_64(raw.as_bytes());
        let shard = &self.shards[hash as usize % SHARDS];
        if raw.len() >= NOT_WORTH_IT {
            let found = lock(shard).get(hash, self.young);
            if let Some(known) = found.filter(|known| known.dialect == dialect && *known.raw == *raw) {
                return Ok(known);
            }
        }
        // Not under the lock: two threads may read the same, which is better than all of them waiting.
        let is_kept = (NOT_WORTH_IT..=self.young).contains(&raw.len());
        let element = Element {
            raw: if is_kept { raw.into() } else { Box::default() },
            dialect,
            message: decode()?,
            name: OnceLock::new(),
            weight: OnceLock::new(),
            pieces: OnceLock::new(),
        };
        let element = Arc::new(element);
        if is_kept {
            lock(shard).insert(hash, element.clone(), self.young);
        }
        Ok(element)
    }
}

impl Generations {
    fn get(&mut self, hash: u64, capacity: usize) -> Option<Arc<Element>> {
        if let Some(known) = self.young.get(&hash) {
            return Some(known.clone());
        }
        let known = self.old.remove(&hash)?;
        self.insert(hash, known.clone(), capacity);
        Some(known)
    }

    fn insert(&mut self, hash: u64, element: Arc<Element>, capacity: usize) {
        let length = element.raw.len();
        if self.bytes + length > capacity {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += length;
        self.young.insert(hash, element);
    }
}

/// A thread that panicked while it held the lock left a map of true elements behind.
fn lock(shard: &Mutex<Generations>) -> MutexGuard<'_, Generations> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use epitome_core::places::Places;
    use epitome_core::tokens::{Sizes, TokenCounter};
    use proptest::prelude::*;

    use super::*;
    use crate::json::DuplicateKeys;
    use crate::request::{Format, Request};

    fn read(known: &Known, dialect: Dialect, body: &str) -> Request {
        Request::read_again(body.into(), Format::Given(dialect), DuplicateKeys::Carry, known).expect("a request")
    }

    /// What is known must make no difference to what is read.
    fn check(known: &Known, dialect: Dialect, body: &str) {
        let fresh = Request::read(body.into(), Format::Given(dialect), DuplicateKeys::Carry).expect("a request");
        let places = Places::of(fresh.conversation());
        for _ in 0..2 {
            let again = read(known, dialect, body);
            assert_eq!(again.conversation(), fresh.conversation());
            assert_eq!(again.prefixes(&places), fresh.prefixes(&places));
            assert_eq!(again.sizes(&Asked::default()), fresh.sizes(&Asked::default()));
        }
    }

    fn message() -> impl Strategy<Value = String> {
        let text = || prop::collection::vec(prop::sample::select(vec!["word ", "\\n", "\\u00e9", "{", "x"]), 0..60);
        let plain = (prop::bool::ANY, text()).prop_map(|(user, text)| {
            let role = if user { "user" } else { "assistant" };
            format!(r#"{{"role":"{role}","content":"{}"}}"#, text.concat())
        });
        let result = (0..5u8, text()).prop_map(|(id, text)| {
            let text = text.concat();
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{id}","content":"{text}"}}]}}"#
            )
        });
        let odd = (0..5u8, text()).prop_map(|(number, text)| {
            let text = text.concat();
            format!(r#"{{"role":"user","content":[{{"type":"unheard_of_{number}","data":"{text}"}}]}}"#)
        });
        prop_oneof![plain, result, odd]
    }

    proptest! {
        #[test]
        fn what_is_known_makes_no_difference(sessions in prop::collection::vec(prop::collection::vec(message(), 0..8), 1..6)) {
            // So little room that much is forgotten on the way.
            let known = Known::with_room_for(16 * 600);
            for session in sessions {
                let body = format!(r#"{{"messages":[{}]}}"#, session.join(","));
                check(&known, Dialect::AnthropicMessages, &body);
                check(&known, Dialect::OpenAiChat, &body);
                check(&known, Dialect::OpenAiResponses, &body.replacen("messages", "input", 1));
            }
            prop_assert!(known.bytes() <= 2 * 16 * 600);
        }
    }

    #[test]
    fn what_is_sent_again_is_not_read_again() {
        let known = Known::default();
        let long = "x".repeat(500);
        let body = format!(r#"{{"messages":[{{"role":"user","content":"{long}"}}]}}"#);
        let text = |request: &Request| request.conversation().messages[0].blocks[0].as_text().map(|text| text.as_ptr());
        let [one, other] = [(); 2].map(|()| read(&known, Dialect::AnthropicMessages, &body));
        assert_eq!(text(&one), text(&other), "the same text in memory");
        assert!(known.bytes() > 500);
        let changed = body.replacen("xx", "xy", 1);
        assert_ne!(text(&one), text(&read(&known, Dialect::AnthropicMessages, &changed)));
    }

    /// Says how often it was asked.
    #[derive(Default)]
    struct Asked(std::sync::atomic::AtomicU64);

    impl TokenCounter for Asked {
        fn count(&self, text: &str) -> Tokens {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Tokens(text.len() as u64)
        }

        fn estimate(&self, text: &str) -> Tokens {
            self.count(text)
        }
    }

    #[test]
    fn what_is_sent_again_is_not_weighed_again() {
        let (known, counter) = (Known::default(), Asked::default());
        let long = "x".repeat(500);
        let message = format!(r#"{{"role":"user","content":"{long}"}}"#);
        let body = |messages: &[&str]| format!(r#"{{"messages":[{}]}}"#, messages.join(","));
        let short = r#"{"role":"assistant","content":"y"}"#;
        for body in [body(&[&message]), body(&[&message, short]), body(&[&message, short, &message])] {
            let request = read(&known, Dialect::OpenAiChat, &body);
            assert_eq!(request.sizes(&counter), Sizes::of(request.conversation(), &Asked::default()));
        }
        // The long one once, and the short one, which is not remembered, twice.
        assert_eq!(counter.0.into_inner(), 3);
    }

    #[test]
    fn what_is_used_stays_and_what_is_kept_is_bounded() {
        let known = Known::with_room_for(100_000);
        let body = |text: &str| format!(r#"{{"messages":[{{"role":"user","content":"{text:0>400}"}}]}}"#);
        let used = read(&known, Dialect::OpenAiChat, &body("used"));
        for number in 0..2_000 {
            read(&known, Dialect::OpenAiChat, &body(&number.to_string()));
            let again = read(&known, Dialect::OpenAiChat, &body("used"));
            let same =
                again.known_message(0).zip(used.known_message(0)).is_some_and(|(one, other)| std::ptr::eq(one, other));
            assert!(same, "{number}");
        }
        assert!(known.bytes() <= 200_000);
    }
}
