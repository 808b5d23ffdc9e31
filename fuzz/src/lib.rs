//! What each fuzz target promises, as a function of bytes; and requests and edits that are made up from bytes.
//!
//! Reading order: one `check_*` a target → [`wild`] (requests and edits from bytes).

mod compact;
mod decoder;
mod digest;
mod json;
mod nest;
mod splice;
mod sse;
mod summary;
pub mod wild;

pub use compact::check_compact;
pub use decoder::check_decoder;
pub use digest::check_digest;
pub use json::check_json;
pub use nest::check_nest;
pub use splice::check_splice;
pub use sse::check_sse;
pub use summary::check_summary;

use epitome_core::tokens::{Tokens, estimate};

/// An estimate is at least one token unless there is no text, and never more than the text's bytes.
pub fn check_estimate(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Tokens(tokens) = estimate(&text);
    let most = text.len() as u64;
    assert!((most.min(1)..=most).contains(&tokens), "{tokens} tokens of {most} bytes");
    assert_eq!(estimate(&text), Tokens(tokens), "same text, another estimate");
}
