//! Secrets known by the place they stand in, or by what stands in their middle.

use std::ops::Range;

use super::matching::{bits_of, is_no_word, opens_word};
use super::values::{is_a_word, is_placeholder, is_telling};
use super::{Found, Rank, is_escape, is_word, piece, run, run_back};

/// `postgres://user:password@host`: the password; `https://token@host`: the token.
pub(super) fn address(text: &str, hit: Range<usize>, found: &mut Found) {
    /// Longer than any authority.
    const LOOK_AHEAD: usize = 300;
    let from = hit.end;
    let parts = |byte: u8| b"/\"'`<>\\".contains(&byte) || byte <= b' ';
    let bytes = text.as_bytes();
    let strict = run(bytes, from, LOOK_AHEAD, |byte| !parts(byte) && !b"?#".contains(&byte));
    // A password may have a `#` or a `?` of its own; a port has not.
    let wide = run(bytes, from, LOOK_AHEAD, |byte| !parts(byte));
    let authority = [strict, wide].into_iter().find_map(|length| {
        let authority = bytes.get(from..from + length)?;
        Some((authority, memchr::memrchr(b'@', authority)?))
    });
    let Some((authority, host)) = authority else { return };
    let user = authority.get(..host).unwrap_or_default();
    let (password, kind) = match memchr::memchr(b':', user) {
        Some(colon) if host > strict && user.get(colon + 1).is_some_and(u8::is_ascii_digit) => return,
        Some(colon) => (from + colon + 1..from + host, "password"),
        // A token alone before the host.
        None if user.len() >= 16 && is_no_word(user) => (from..from + host, "token"),
        None => return,
    };
    let word = text.get(password.clone()).unwrap_or_default();
    if !is_placeholder(word) && !is_a_word(word) && !["pass", "pw", "x-oauth-basic"].contains(&word) {
        found.push(password, kind, Rank::Place);
    }
}

/// Behind `Bearer ` or `Basic `.
pub(super) fn scheme(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    if !opens_word(bytes, hit.start) {
        return;
    }
    let length = run(bytes, hit.end, 4096, |byte| is_word(byte) || b".~+/=".contains(&byte));
    let value = text.get(hit.end..hit.end + length).unwrap_or_default();
    if length >= 16 && !is_placeholder(value) && is_no_word(value.as_bytes()) {
        found.push(hit.end..hit.end + length, "credential", Rank::Place);
    }
}

/// The values behind `Cookie:`, and the one behind `Set-Cookie:`.
pub(super) fn cookies(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let is_set = text.get(..hit.start).is_some_and(|before| before.ends_with('-'));
    let most = if is_set { 1 } else { 50 };
    let filler = run(bytes, hit.end, 3, |byte| b"\"'\\ ".contains(&byte));
    if bytes.get(hit.end + filler) != Some(&b':') {
        return;
    }
    let mut from = hit.end + filler + 1;
    for _ in 0..most {
        from += run(bytes, from, 4, |byte| b" \"'\\;".contains(&byte));
        let name = run(bytes, from, 80, |byte| is_word(byte) || byte == b'.');
        if name == 0 || bytes.get(from + name) != Some(&b'=') {
            return;
        }
        let start = from + name + 1;
        let length = run(bytes, start, 4096, |byte| byte > b' ' && !b";\"'\\,`".contains(&byte));
        from = start + length;
        let value = text.get(start..from).unwrap_or_default();
        let telling = length >= 16 || (length >= 6 && value.bytes().any(|byte| byte.is_ascii_digit()));
        if telling && !is_placeholder(value) {
            found.push(start..from, "cookie", Rank::Place);
        }
        if bytes.get(from) != Some(&b';') {
            return;
        }
    }
}

/// `123456789:AA…`, the token of a bot.
pub(super) fn telegram(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let digits = run_back(bytes, hit.start, 12, |byte| byte.is_ascii_digit());
    let length = run(bytes, hit.start + 1, 40, is_word);
    if (8..=10).contains(&digits) && (33..=36).contains(&length) {
        found.push(hit.start - digits..hit.start + 1 + length, "telegram token", Rank::Format);
    }
}

/// `M….x.y`: the token of a bot begins with its number in base64, and its time stamp has six characters.
pub(super) fn discord(text: &str, found: &mut Found) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'.', bytes) {
        if bytes.get(at + 7) != Some(&b'.') {
            continue;
        }
        let id = run_back(bytes, at, 30, is_word);
        let stamp = run(bytes, at + 1, 7, is_word);
        let rest = run(bytes, at + 8, 50, is_word);
        let escape = usize::from(is_escape(bytes, at - id));
        let (start, id) = (at - id + escape, id - escape);
        let opens = bytes.get(start).is_some_and(|byte| b"MNO".contains(byte));
        if (22..=28).contains(&id) && opens && stamp == 6 && (27..=40).contains(&rest) {
            found.push(start..at + 8 + rest, "discord token", Rank::Format);
        }
    }
}

/// `abc8Q~…`, the secret of an application.
pub(super) fn azure(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let belongs = |byte: u8| is_word(byte) || b"~.".contains(&byte);
    let before = run_back(bytes, hit.start, 3, belongs);
    let length = run(bytes, hit.end, 40, belongs);
    if before == 3 && (31..=37).contains(&length) {
        found.push(hit.start - 3..hit.end + length, "azure secret", Rank::Format);
    }
}

/// `0123…cdef-us12`.
pub(super) fn mailchimp(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let key = run_back(bytes, hit.start, 33, |byte| byte.is_ascii_hexdigit());
    let digits = run(bytes, hit.end, 3, |byte| byte.is_ascii_digit());
    let more = bytes.get(hit.end + digits).copied().is_some_and(is_word);
    if key == 32 && (1..=2).contains(&digits) && !more {
        found.push(hit.start - 32..hit.end + digits, "mailchimp key", Rank::Format);
    }
}

/// The secret that stands beside the id of a key of Amazon: it has no form of its own.
pub(super) fn beside_key_id(text: &str, hit: Range<usize>, found: &mut Found) {
    /// Names and prompts stand between the two.
    const LOOK_AHEAD: usize = 120;
    let bytes = text.as_bytes();
    let id = run(bytes, hit.end, 17, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if id != 16 {
        return;
    }
    let mut at = hit.end + id;
    let most = at + LOOK_AHEAD;
    while at < most {
        at += run(bytes, at, LOOK_AHEAD, |byte| !is_base64(byte));
        let length = run(bytes, at, 41, is_base64);
        let word = bytes.get(at..at + length).unwrap_or_default();
        let has = |is: fn(&u8) -> bool| word.iter().any(is);
        let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
        if length == 40 && mixed && bits_of(word) >= 3.8 && at < most {
            found.push(at..at + length, "aws secret key", Rank::Format);
            return;
        }
        if length == 0 {
            return;
        }
        at += length;
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/".contains(&byte)
}

/// `host:5432:database:user:x`; the hit is the port with its colons.
pub(super) fn pgpass(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let is_field = |byte: u8| is_word(byte) || byte == b'*' || byte == b'.';
    let host = run_back(bytes, hit.start, 100, is_field);
    // More before it is an address of IPv6, or a place in a file.
    let before = hit.start.checked_sub(host + 1).and_then(|before| bytes.get(before));
    if host == 0 || before.is_some_and(|byte| b":[/".contains(byte)) {
        return;
    }
    let mut from = hit.end;
    for _ in 0..2 {
        let field = run(bytes, from, 64, is_field);
        let digits = run(bytes, from, 64, |byte| byte.is_ascii_digit());
        if field == 0 || digits == field || bytes.get(from + field) != Some(&b':') {
            return;
        }
        from += field + 1;
    }
    let length = run(bytes, from, 128, |byte| byte > b' ' && !b"\"'\\`".contains(&byte));
    let range = piece(text, from, from + length);
    let value = text.get(range.clone()).unwrap_or_default();
    if value.len() >= 4 && !value.contains(':') && is_telling(value) && !is_placeholder(value) {
        found.push(range, "password", Rank::Place);
    }
}
