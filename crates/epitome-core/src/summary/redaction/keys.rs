//! Private keys in blocks of many lines, in whatever way the lines are broken, numbered or quoted.

use std::ops::Range;

use super::{Found, Rank, run, run_back};

const KIND: &str = "private key";
/// No block is longer.
const LONGEST_BLOCK: usize = 40_000;

/// From `-----BEGIN … PRIVATE KEY-----` to its end, or as far as it looks like one.
pub(super) fn beginning(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let Some(title) = private_title(text, hit.end) else { return };
    let body = title + run(bytes, title, 5, |byte| byte == b'-');
    // The next row of dashes is the end of this block, or this block has none.
    let rest = bytes.get(body..).unwrap_or_default();
    let rest = rest.get(..rest.len().min(LONGEST_BLOCK)).unwrap_or_default();
    let close = memchr::memmem::find(rest, b"-----").map(|at| body + at);
    if let Some(close) = close.filter(|close| bytes.get(*close..).is_some_and(|rest| rest.starts_with(b"-----END "))) {
        let inside = text.get(body..close).unwrap_or_default();
        if holds_key(inside) {
            let title = close + 9 + run(bytes, close + 9, 60, |byte| byte != b'-' && byte != b'\n');
            found.push(hit.start..title + run(bytes, title, 5, |byte| byte == b'-'), KIND, Rank::Format);
        }
        return;
    }
    let end = end_of_material(text, body);
    if end > body {
        found.push(hit.start..end, KIND, Rank::Format);
    }
}

/// What stands above `-----END … PRIVATE KEY-----` if the beginning is not to be seen.
pub(super) fn end(text: &str, hit: Range<usize>, found: &mut Found) {
    if private_title(text, hit.end).is_none() {
        return;
    }
    // Line by line upwards, as long as a line ends in a word that is long and mixed.
    let bytes = text.as_bytes();
    let (mut start, mut first) = (hit.start, hit.start);
    while hit.start - start < LONGEST_BLOCK {
        let breaks = run_back(bytes, start, 12, |byte| !is_letter(byte) && byte != b'-');
        // The `n` of a quoted `\n` looks like a letter of the key.
        let quoted = run_back(bytes, start - breaks, 1, |byte| byte == b'n');
        let escape = quoted == 1 && bytes.get(..start - breaks - 1).is_some_and(|before| before.ends_with(b"\\"));
        let end = if escape {
            let backslashes = run_back(bytes, start - breaks - 1, 4, |byte| byte == b'\\');
            start - breaks - 1 - backslashes
        } else {
            start - breaks
        };
        let length = run_back(bytes, end, 4096, is_letter);
        let word = bytes.get(end - length..end).unwrap_or_default();
        let is_first = first == hit.start;
        // The last line of a block may be short.
        if length == 0
            || !(is_mixed(word, 40) || (is_first && is_mixed(word, 8)) || length == 5 && word.starts_with(b"="))
        {
            break;
        }
        start = end - length;
        first = start;
    }
    if first < hit.start {
        found.push(first..hit.start, KIND, Rank::Format);
    }
}

/// A block that was encoded once more, as in a kubeconfig or in a secret of Kubernetes.
pub(super) fn encoded(text: &str, hit: Range<usize>, found: &mut Found) {
    if hit.start < found.block {
        return;
    }
    let bytes = text.as_bytes();
    let length = run(bytes, hit.start, LONGEST_BLOCK, is_letter);
    found.block = hit.start + length;
    let opening: Vec<u8> = bytes
        .get(hit.start..hit.start + length.min(90))
        .unwrap_or_default()
        .iter()
        .copied()
        .filter(|byte| is_letter(*byte))
        .collect();
    let Some(decoded) = decode(&opening) else { return };
    if memchr::memmem::find(&decoded, b"PRIVATE KEY").is_some() {
        found.push(hit.start..hit.start + length, KIND, Rank::Format);
    }
}

/// The lines below `Private-Lines: 14` of a PuTTY key.
pub(super) fn putty(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let blanks = run(bytes, hit.end, 4, |byte| byte == b' ');
    let digits = run(bytes, hit.end + blanks, 4, |byte| byte.is_ascii_digit());
    let body = hit.end + blanks + digits;
    let end = end_of_material(text, body);
    if end > body {
        found.push(body + run(bytes, body, 4, |byte| b"\r\n\\n".contains(&byte))..end, KIND, Rank::Format);
    }
    let rest = bytes.get(end..end + 40).unwrap_or_default();
    if let Some(at) = memchr::memmem::find(rest, b"Private-MAC: ") {
        let start = end + at + 13;
        found.push(start..start + run(bytes, start, 128, |byte| byte.is_ascii_hexdigit()), KIND, Rank::Format);
    }
}

/// Behind the title of a private key, if one begins here.
fn private_title(text: &str, from: usize) -> Option<usize> {
    let length = run(text.as_bytes(), from, 60, |byte| byte != b'-' && byte != b'\n');
    let title = text.get(from..from + length)?;
    title.contains("PRIVATE KEY").then_some(from + length)
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Long, and with capitals and digits among small letters, as no word is.
fn is_mixed(word: &[u8], least: usize) -> bool {
    let has = |is: fn(&u8) -> bool| word.iter().any(is);
    word.len() >= least
        && has(u8::is_ascii_uppercase)
        && (has(u8::is_ascii_lowercase) || has(u8::is_ascii_digit))
        && (word.len() < 16 || has(u8::is_ascii_digit) || word.len() >= 60)
}

/// The last line of a block is as short as it comes.
fn is_short_end(word: &[u8]) -> bool {
    is_mixed(word, 4) && word.iter().any(|byte| byte.is_ascii_digit() || b"+/=".contains(byte))
}

/// Whether a line can stand in the middle of a key, and is nothing else that one reads.
pub(super) fn is_key_line(line: &[u8]) -> bool {
    line.iter().all(|byte| is_letter(*byte)) && is_mixed(line, 40)
}

/// Whether a block that has an end holds a key, and not only quotes and words between two titles.
fn holds_key(inside: &str) -> bool {
    let mut words = inside.split(|c: char| !c.is_ascii() || !is_letter(c as u8));
    words.any(|word| word.len() >= 16 || word.trim_start_matches('n').starts_with("MI"))
}

/// Where the material ends that begins at `from`: words of base64, line numbers and what quotes and parts lines.
fn end_of_material(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut end) = (from, from);
    let most = (from + LONGEST_BLOCK).min(bytes.len());
    while at < most {
        let parted = run(bytes, at, 40, |byte| !is_letter(byte) && byte != b'-');
        at += parted;
        // The letter of a quoted `\n`, if the word goes on behind it.
        if parted > 0 && bytes.get(at - 1) == Some(&b'\\') && bytes.get(at).is_some_and(|byte| b"nrt".contains(byte)) {
            at += 1;
            continue;
        }
        let length = run(bytes, at, 4096, is_letter);
        let word = bytes.get(at..at + length).unwrap_or_default();
        let is_number = length <= 5 && word.iter().all(u8::is_ascii_digit);
        let last = at + length >= bytes.len();
        let header = ["Proc-Type", "DEK-Info", "Version", "Comment"]
            .iter()
            .any(|name| bytes.get(at..).is_some_and(|rest| rest.starts_with(name.as_bytes())));
        if header {
            at += run(bytes, at, 200, |byte| byte != b'\n' && byte != b'\\');
            end = at;
        } else if length > 0 && is_number {
            at += length;
        } else if length > 0
            && (is_mixed(word, 16)
                || length >= 40
                || word.starts_with(b"MI")
                || (end > from && (last || is_short_end(word))))
        {
            at += length;
            end = at;
        } else {
            break;
        }
    }
    end
}

/// Base64 that is cut anywhere; `None` for what is none.
pub(super) fn decode(encoded: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(encoded.len());
    let (mut bits, mut held) = (0u32, 0);
    for byte in encoded {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            decoded.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(decoded)
}
