//! What a policy may do to a request: either to sizes alone, or to the real messages with the real engine.

mod outline;
mod transcript;

pub use outline::Outline;
pub(crate) use outline::{MASK, tail_call};
pub use transcript::{Compacted, Transcript};

/// Kept at the end by whoever has no rule of their own, in tokens.
pub const TAIL: u64 = 20_000;
/// A summary, where nobody says how long it is.
pub const SUMMARY: u64 = 4_000;
