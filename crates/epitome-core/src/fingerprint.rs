//! Names of content: the same text has the same name everywhere, and so has the same beginning of a conversation.

use std::fmt;
use std::str::FromStr;

/// The name of a piece of content: its blake3 hash.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash([u8; 32]);

/// Not the name of any content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a content hash: 64 hexadecimal digits are expected")]
pub struct NotAHash(String);

impl ContentHash {
    /// From what a hasher was fed piece by piece.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        ContentHash(bytes)
    }

    /// As it is stored.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Names `content`.
    pub fn of(content: impl AsRef<[u8]>) -> Self {
        ContentHash(*blake3::hash(content.as_ref()).as_bytes())
    }

    /// The first 12 digits, enough to tell apart what one person will ever store, and cheap in tokens.
    pub fn short(&self) -> String {
        self.to_string().chars().take(Self::SHORT_DIGITS).collect()
    }

    /// How many digits a whole hash has.
    pub const DIGITS: usize = 64;

    /// How many digits [`ContentHash::short`] gives.
    pub const SHORT_DIGITS: usize = 12;
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ContentHash({self})")
    }
}

impl FromStr for ContentHash {
    type Err = NotAHash;

    fn from_str(digits: &str) -> Result<Self, NotAHash> {
        let wrong = || NotAHash(digits.to_owned());
        if digits.len() != Self::DIGITS || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| wrong())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
        }
        Ok(ContentHash(bytes))
    }
}

/// The name of the first messages of a conversation, as a client would send them again: each message's name is chained
/// to what stands before it, so that one name stands for all of them, in their order.
///
/// What does not change what was said is not part of it; `epitome-wire`, which knows the dialects, leaves it out.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrefixFingerprint([u8; 16]);

impl PrefixFingerprint {
    /// Of no messages.
    pub const EMPTY: PrefixFingerprint = PrefixFingerprint([0; 16]);

    /// With one message more.
    #[must_use]
    pub fn followed_by(self, message: ContentHash) -> PrefixFingerprint {
        let mut both = [0; 48];
        both[..16].copy_from_slice(&self.0);
        both[16..].copy_from_slice(&message.0);
        PrefixFingerprint::from_hash(blake3::hash(&both))
    }

    /// As it is stored.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// From what was stored.
    pub fn from_bytes(bytes: [u8; 16]) -> PrefixFingerprint {
        PrefixFingerprint(bytes)
    }

    fn from_hash(hash: blake3::Hash) -> PrefixFingerprint {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.as_bytes()[..16]);
        PrefixFingerprint(bytes)
    }
}

impl fmt::Display for PrefixFingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for PrefixFingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PrefixFingerprint({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_survives_being_written_down() {
        let hash = ContentHash::of("some output");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert!(hash.to_string().starts_with(&hash.short()));
    }

    #[test]
    fn a_prefix_is_known_by_its_messages_and_their_order() {
        let [first, second] = ["first", "second"].map(ContentHash::of);
        let both = PrefixFingerprint::EMPTY.followed_by(first).followed_by(second);
        assert_eq!(both, PrefixFingerprint::EMPTY.followed_by(first).followed_by(second));
        assert_ne!(both, PrefixFingerprint::EMPTY.followed_by(second).followed_by(first));
        assert_ne!(both, PrefixFingerprint::EMPTY.followed_by(first));
        assert_eq!(PrefixFingerprint::from_bytes(*both.as_bytes()), both);
    }

    #[test]
    fn what_is_no_hash_is_refused() {
        for wrong in ["", "abc", &"+1".repeat(32), &"g".repeat(64), &"é".repeat(32)] {
            assert!(wrong.parse::<ContentHash>().is_err(), "{wrong}");
        }
    }
}
