//! What a policy did, one JSON line a call, so that somebody else can say what it cost.
//!
//! The lines hold the request's blocks by hash and size, in the trace's tokens, and its breakpoints; see `docs/replay.md`.

use epitome_core::cache::Ttl;
use serde_json::{Value, json};

use crate::play::Seen;
use crate::policies::{Deed, When};

/// The line of a call.
pub fn line(session: &str, seen: &Seen<'_>) -> Value {
    let summaries: Vec<(u64, When, u64)> = seen.deeds.iter().filter_map(summary).collect();
    let action = match (&summaries[..], seen.deeds.is_empty()) {
        ([], true) => "none",
        ([], false) => "trim",
        ([_, ..], _) => "summarize",
    };
    let mut line = json!({"session": session, "call": seen.call, "action": action});
    let mut say = |key: &str, value: Value| {
        if let Some(line) = line.as_object_mut() {
            line.insert(key.to_owned(), value);
        }
    };
    if let Some((written, _, tail)) = summaries.last() {
        say("summary_tokens", json!(written));
        say("tail_tokens", json!(tail));
        let others: Vec<u64> = summaries.iter().rev().skip(1).map(|(written, ..)| *written).collect();
        if !others.is_empty() {
            say("extra_summaries", json!(others));
        }
        if summaries.iter().any(|(_, when, _)| *when == When::InPause) {
            say("idle", json!(true));
        }
    }
    if let Some(request) = seen.request {
        let blocks: Vec<Value> =
            request.pieces.iter().map(|piece| json!([format!("{:016x}", piece.key), piece.tokens])).collect();
        say("blocks", Value::Array(blocks));
        let breakpoints: Vec<Value> = seen.breakpoints.iter().map(|(at, ttl)| json!([at, name(*ttl)])).collect();
        say("breakpoints", Value::Array(breakpoints));
    }
    line
}

fn summary(deed: &Deed) -> Option<(u64, When, u64)> {
    match deed {
        Deed::Trimmed => None,
        Deed::Summarized { written, when, tail } => Some((*written, *when, *tail)),
    }
}

fn name(ttl: Ttl) -> &'static str {
    match ttl {
        Ttl::Short => "5",
        Ttl::Long => "1",
    }
}
