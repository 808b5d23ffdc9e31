//! Secrets known by the place they stand in: cookies, XML, `.netrc`, `.pgpass`, the line below `password:`, a sentence.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{is_escape, is_placeholder, is_secret_name, is_word, name_before, run};

/// Finds them all.
pub(super) fn find_in(text: &str, spans: &mut Vec<Range<usize>>) {
    for at in memchr::memchr2_iter(b':', b'>', text.as_bytes()) {
        if text.as_bytes().get(at) == Some(&b'>') {
            spans.extend(element(text, at));
        } else {
            cookies(text, at, spans);
            spans.extend(telegram(text, at));
            spans.extend(pgpass(text, at));
            spans.extend(line_below(text, at));
        }
    }
    named_in_words(text, spans);
}

/// `<password>x</password>`.
fn element(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let name = name_back(text, at)?;
    let before = at.checked_sub(name.len() + 1)?;
    let start = at + 1;
    let length = run(bytes, start, 512, |byte| byte > b' ' && byte != b'<');
    let value = text.get(start..start + length)?;
    let closed = bytes.get(start + length..)?.starts_with(b"</");
    let opened = bytes.get(before) == Some(&b'<');
    (opened && closed && length >= 6 && is_secret_name(name) && !is_placeholder(value)).then_some(start..start + length)
}

/// The values behind `Cookie:`, and the one behind `Set-Cookie:`.
fn cookies(text: &str, at: usize, spans: &mut Vec<Range<usize>>) {
    let Some(name) = name_before(text, at) else { return };
    let most = match name.len() {
        6 if name.eq_ignore_ascii_case("cookie") => 50,
        10 if name.eq_ignore_ascii_case("set-cookie") => 1,
        _ => return,
    };
    let bytes = text.as_bytes();
    let mut from = at + 1;
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
            spans.push(start..from);
        }
        if bytes.get(from) != Some(&b';') {
            return;
        }
    }
}

/// `123456789:AA…`, the token of a bot.
fn telegram(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let rest = bytes.get(at + 1..)?;
    if !rest.starts_with(b"AA") {
        return None;
    }
    let digits = bytes.get(..at)?.iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let length = run(bytes, at + 1, 40, is_word);
    ((8..=10).contains(&digits) && (33..=36).contains(&length)).then(|| at - digits..at + 1 + length)
}

/// `host:5432:database:user:x`; `at` is the first colon.
fn pgpass(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_field = |byte: u8| is_word(byte) || byte == b'*' || byte == b'.';
    let port = run(bytes, at + 1, 6, |byte| byte.is_ascii_digit() || byte == b'*');
    let any = bytes.get(at + 1) == Some(&b'*');
    if !(any && port == 1 || !any && (4..=5).contains(&port)) || bytes.get(at + 1 + port) != Some(&b':') {
        return None;
    }
    let host = bytes.get(..at)?.iter().rev().take(100).take_while(|byte| is_field(**byte)).count();
    // More before it is an address of IPv6, or a place in a file.
    let before = at.checked_sub(host + 1).and_then(|before| bytes.get(before));
    if host == 0 || before.is_some_and(|byte| b":[/".contains(byte)) {
        return None;
    }
    let mut from = at + port + 2;
    for _ in 0..2 {
        let field = run(bytes, from, 64, is_field);
        let digits = run(bytes, from, 64, |byte| byte.is_ascii_digit());
        if field == 0 || digits == field || bytes.get(from + field) != Some(&b':') {
            return None;
        }
        from += field + 1;
    }
    let length = run(bytes, from, 128, |byte| byte > b' ' && !b"\"'\\`".contains(&byte));
    let value = text.get(from..from + length).filter(|value| !value.contains(':'))?;
    let telling = value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^&+~".contains(&byte));
    (length >= 4 && telling && !is_placeholder(value)).then_some(from..from + length)
}

/// The only word on the line below `password:`.
fn line_below(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let blanks = run(bytes, at + 1, 4, |byte| b" \t\r".contains(&byte));
    if bytes.get(at + 1 + blanks) != Some(&b'\n') {
        return None;
    }
    let name = name_back(text, at).filter(|name| is_secret_name(name))?;
    let before = at.checked_sub(name.len() + 1).and_then(|before| bytes.get(before));
    let below = at + 2 + blanks;
    let start = below + run(bytes, below, 40, |byte| b" \t".contains(&byte));
    let length = run(bytes, start, 200, |byte| byte > b' ' && !b"\"'\\`()[]{}<>,;:=".contains(&byte));
    let end = start + length;
    let after = end + run(bytes, end, 8, |byte| b" \t\r".contains(&byte));
    let alone = bytes.get(after).is_none_or(|byte| b"\n\"'".contains(byte));
    let value = text.get(start..end)?;
    let secret = length >= 8 && has_letter_and_digit(value) && !value.starts_with(['-', '/', '#', '.', '*']);
    (alone && secret && before != Some(&b'.') && !is_placeholder(value)).then_some(start..end)
}

/// `login user password x` of a `.netrc`, and `the password is x`.
fn named_in_words(text: &str, spans: &mut Vec<Range<usize>>) {
    static NAMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let names =
            ["password is ", "passphrase is ", "passwort ist ", "token is ", "key is ", "secret is ", "password "];
        let built = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(aho_corasick::MatchKind::LeftmostLongest)
            .build(names);
        built.expect("few short words")
    });
    let bytes = text.as_bytes();
    for found in NAMES.find_iter(text) {
        let inside_word =
            found.start().checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
        if inside_word && !found.start().checked_sub(1).is_some_and(|before| is_escape(bytes, before)) {
            continue;
        }
        let filler = run(bytes, found.end(), 3, |byte| b"\"'`\\: ".contains(&byte));
        let start = found.end() + filler;
        let length = run(bytes, start, 256, |byte| byte > b' ' && !b"\"'`\\,;<>".contains(&byte));
        let end = (start..=start + length).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(start);
        // A full stop ends the sentence, not the password.
        let word = text.get(start..end).unwrap_or_default().trim_end_matches(['.', ')', '?', '!', ':']);
        let secret = match found.pattern().as_usize() {
            0..=2 => word.len() >= 6 && has_letter_and_digit(word) && !is_about_passwords(word),
            3..=5 => word.len() >= 16 && has_letter_and_digit(word) && !is_about_passwords(word),
            _ => {
                let line = before_in_line(text, found.start());
                word.len() >= 4
                    && follows_login(text, found.start())
                    && (line.trim_start().starts_with("machine ") || has_letter_and_digit(word))
            }
        };
        if secret && !is_placeholder(word) && !word.contains(['(', '/']) {
            spans.push(start..start + word.len());
        }
    }
}

/// Whether `login someone`, or `machine host`, stands right before.
fn follows_login(text: &str, at: usize) -> bool {
    let before = before_in_line(text, at);
    // In a file with one word a line, the line above says it.
    let before = if before.trim().is_empty() {
        let above = at - before.len();
        let cut = text.get(..above).unwrap_or_default().trim_end();
        before_in_line(cut, cut.len())
    } else {
        before
    };
    let mut words = before.split_whitespace().rev();
    let named = words.next().is_some_and(|word| !matches!(word, "and" | "or" | "with"));
    named && matches!(words.next(), Some("login" | "machine"))
}

/// What stands before a place in its line, as far as it is worth looking.
fn before_in_line(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes().get(..at).unwrap_or_default();
    let length = bytes.iter().rev().take(200).take_while(|byte| **byte != b'\n' && **byte < 128).count();
    text.get(at - length..at).unwrap_or_default()
}

/// `the password is base64-encoded`, `the token is sha256-signed`.
fn is_about_passwords(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    ["sha", "md5", "bcrypt", "base64", "argon", "utf", "aes", "hs256", "rs256", "oauth"]
        .iter()
        .any(|way| lower.starts_with(way))
        || lower.contains("-char")
        || lower.contains("-byte")
        || lower.contains("-bit")
        || lower.starts_with('_')
}

fn has_letter_and_digit(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && word.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^*+~".contains(&byte))
}

/// The word that ends right before `at`.
fn name_back(text: &str, at: usize) -> Option<&str> {
    let before = text.as_bytes().get(..at)?;
    let length = before.iter().rev().take(super::LONGEST_NAME).take_while(|byte| is_word(**byte)).count();
    text.get(at - length..at).filter(|name| !name.is_empty())
}
