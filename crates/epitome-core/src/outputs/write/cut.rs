//! Lines that are too long for a digest: their beginning, their end, and what stands around the word of an error.

use std::borrow::Cow;

use crate::outputs::events;
use crate::tokens::Tokens;

/// A run of letters and digits this long is encoded data.
const BLOB_CHARS: usize = 120;

/// Each line cut to `limit` characters, with encoded data told by its size.
pub(in crate::outputs) fn cut_lines(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit.min(BLOB_CHARS) {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.lines().map(|line| cut_line(line, limit)).collect();
    match lines.as_slice() {
        [only] => only.clone(),
        lines => Cow::Owned(lines.join("\n")),
    }
}

/// Keeps the beginning, the end, and what stands around the word of an error.
fn cut_line(line: &str, limit: usize) -> Cow<'_, str> {
    let line = without_blobs(line);
    if line.chars().nth(limit).is_none() {
        return line;
    }
    let around = events::error_word(&line).unwrap_or(0);
    let start = line.get(..around).map_or(0, |before| before.chars().count());
    let length = line.chars().count();
    let (head, window) = if start > limit / 2 { (limit / 4, limit / 2) } else { (limit * 3 / 4, 0) };
    let take = |from: usize, count: usize| line.chars().skip(from).take(count).collect::<String>();
    let mut cut = take(0, head);
    let mut at = head;
    if window > 0 {
        let from = start.saturating_sub(window / 4).max(head);
        if from > at {
            cut.push_str(&format!("[… {} chars …]", Tokens((from - at) as u64)));
        }
        cut.push_str(&take(from, window));
        at = from + window;
    }
    let end = limit - head - window;
    let tail = length.saturating_sub(end).max(at);
    if tail > at {
        cut.push_str(&format!("[… {} chars …]", Tokens((tail - at) as u64)));
    }
    if length > tail {
        cut.push_str(&take(tail, length - tail));
    }
    Cow::Owned(cut)
}

/// Encoded data (base64 and the like) is told by its size.
fn without_blobs(line: &str) -> Cow<'_, str> {
    if line.len() < BLOB_CHARS {
        return Cow::Borrowed(line);
    }
    let is_code = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let mut shorter = String::new();
    let (mut at, mut copied) = (0, 0);
    let bytes = line.as_bytes();
    while at < bytes.len() {
        let run = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| is_code(**byte)).count();
        let word = line.get(at..at + run).unwrap_or_default();
        let mixed = |test: fn(&u8) -> bool| word.as_bytes().iter().filter(|byte| test(byte)).count() * 20 > run;
        let encoded = mixed(u8::is_ascii_digit) && mixed(u8::is_ascii_alphabetic);
        if run >= BLOB_CHARS && encoded {
            shorter.push_str(line.get(copied..at).unwrap_or_default());
            shorter.push_str(&format!("[{} chars of encoded data]", Tokens(run as u64)));
            copied = at + run;
        }
        at += run.max(1);
    }
    if copied == 0 {
        return Cow::Borrowed(line);
    }
    shorter.push_str(line.get(copied..).unwrap_or_default());
    Cow::Owned(shorter)
}
