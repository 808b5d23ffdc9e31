//! Secrets of Kubernetes: every value below `data` and `stringData`, whatever its name.

use std::ops::Range;

use super::values::is_placeholder;
use super::{Found, Rank, is_word, keys, run};

const KIND: &str = "kubernetes secret";
/// No document that matters is longer, before or behind its kind.
const LONGEST: usize = 64_000;

/// Reads the document that says that it is a secret.
pub(super) fn look(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    if hit.start < found.manifest || bytes.get(hit.end).copied().is_some_and(is_word) {
        return;
    }
    let from = hit.start.saturating_sub(LONGEST).max(found.manifest);
    let before = bytes.get(from..hit.start).unwrap_or_default();
    let start = memchr::memmem::rfind(before, b"\n---").map_or(from, |at| from + at + 4);
    let behind = bytes.get(hit.end..(hit.end + LONGEST).min(bytes.len())).unwrap_or_default();
    let end = hit.end + memchr::memmem::find(behind, b"\n---").unwrap_or(behind.len());
    found.manifest = end;
    for name in ["data", "stringData"] {
        let mut done = start;
        for at in memchr::memmem::find_iter(bytes.get(start..end).unwrap_or_default(), name.as_bytes()) {
            let at = start + at;
            let opens =
                at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|byte| b" \n\"-".contains(byte));
            if opens && at >= done {
                done = values(text, at, at + name.len(), end, name == "data", found);
            }
        }
    }
}

/// The values below one of the two names; returns where they end.
fn values(text: &str, name: usize, at: usize, end: usize, is_encoded: bool, found: &mut Found) -> usize {
    let bytes = text.as_bytes();
    let quote = at + run(bytes, at, 2, |byte| b"\\\"".contains(&byte));
    if bytes.get(quote) != Some(&b':') {
        return at;
    }
    let open = quote + 1 + run(bytes, quote + 1, 40, |byte| b" \t\r\n".contains(&byte));
    let mut take = |range: Range<usize>| {
        let value = text.get(range.clone()).unwrap_or_default();
        let letters = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
        let is_value = if is_encoded {
            value.len().is_multiple_of(4) && letters && keys::decode(value.as_bytes()).is_some()
        } else {
            !is_placeholder(value)
        };
        if value.len() >= 4 && is_value {
            found.push(range, KIND, Rank::Place);
        }
    };
    if bytes.get(open) == Some(&b'{') {
        // Names and values by turns.
        let length = run(bytes, open, end.saturating_sub(open), |byte| byte != b'}');
        let mut from = open;
        let mut is_name = true;
        while let Some(start) = memchr::memchr(b'"', bytes.get(from..open + length).unwrap_or_default()) {
            let start = from + start + 1;
            let word = run(bytes, start, open + length - start, |byte| byte != b'"' && byte != b'\\');
            if !is_name {
                take(start..start + word);
            }
            is_name = !is_name;
            from = start + word + 1;
        }
        return open + length;
    }
    // Lines that are indented deeper than the name.
    let line_start =
        |at: usize| memchr::memrchr(b'\n', bytes.get(..at).unwrap_or_default()).map_or(0, |newline| newline + 1);
    let indent = name - line_start(name);
    let mut next = at + memchr::memchr(b'\n', bytes.get(at..end).unwrap_or_default()).unwrap_or(end - at) + 1;
    while next < end {
        let length = memchr::memchr(b'\n', bytes.get(next..end).unwrap_or_default()).unwrap_or(end - next);
        let Some(line) = text.get(next..next + length) else { break };
        let own = line.len() - line.trim_start().len();
        if own <= indent && !line.trim().is_empty() {
            break;
        }
        if let Some((before, value)) = line.split_once(": ") {
            let value = value.trim().trim_matches(['"', '\'']);
            let start =
                next + before.len() + line.get(before.len()..).and_then(|rest| rest.find(value)).unwrap_or_default();
            take(start..start + value.len());
        }
        next += length + 1;
    }
    next.min(end)
}
