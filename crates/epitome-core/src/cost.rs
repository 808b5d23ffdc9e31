//! What a session costs, and when a compaction pays for itself.

pub mod recorded;
pub mod trigger;
