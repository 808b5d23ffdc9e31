//! Names of content: the same text has the same name everywhere.

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
    fn what_is_no_hash_is_refused() {
        for wrong in ["", "abc", &"+1".repeat(32), &"g".repeat(64), &"é".repeat(32)] {
            assert!(wrong.parse::<ContentHash>().is_err(), "{wrong}");
        }
    }
}
