//! A key that cannot be printed.

use std::fmt;

use ::http::HeaderValue;

/// A provider's key. It is shown by nothing: it can only be put into a header.
#[derive(Clone)]
pub struct ApiKey(String);

/// Not a key: empty, or with characters that no header can carry. What it was is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the key is empty, or has blanks or characters that a header cannot carry")]
pub struct NotAKey;

impl ApiKey {
    /// A key, without blanks around it.
    pub fn new(text: &str) -> Result<ApiKey, NotAKey> {
        let text = text.trim();
        let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(ApiKey(text.to_owned())) } else { Err(NotAKey) }
    }

    /// The header's value, which is marked so that no log of the client's shows it.
    pub(crate) fn header(&self, scheme: &str) -> Result<HeaderValue, NotAKey> {
        let mut value = HeaderValue::from_str(&format!("{scheme}{}", self.0)).map_err(|_| NotAKey)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_prints_nothing() {
        let key = ApiKey::new(" sk-123 \n").expect("a key");
        assert_eq!(format!("{key:?}"), "ApiKey(…)");
        let header = key.header("Bearer ").expect("a header");
        assert_eq!((header.as_bytes(), header.is_sensitive()), (b"Bearer sk-123".as_slice(), true));
        assert!(!format!("{header:?}").contains("sk-123"));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for wrong in ["", "  ", "two words", "line\nbreak", "ключ"] {
            assert_eq!(ApiKey::new(wrong).err(), Some(NotAKey), "{wrong}");
        }
    }
}
