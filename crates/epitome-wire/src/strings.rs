//! JSON strings: what they mean, and how a text is written as one.

use std::borrow::Cow;

/// What a string means. `inner` stands between the quotes and was accepted by the reader.
///
/// Half a surrogate pair has no meaning of its own and becomes U+FFFD, as everywhere in the world of UTF-8.
pub(crate) fn unescape(inner: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Cow::Borrowed(inner);
    }
    let mut meaning = String::with_capacity(inner.len());
    unescape_into(inner, &mut meaning);
    Cow::Owned(meaning)
}

/// Appends what a string means.
pub(crate) fn unescape_into(inner: &str, meaning: &mut String) {
    let mut rest = inner;
    loop {
        let next = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let (plain, escaped) = rest.split_at(next);
        meaning.push_str(plain);
        match escaped.strip_prefix('\\') {
            Some(escaped) => rest = unescape_one(escaped, meaning),
            None => return,
        }
    }
}

/// Writes `text` as a JSON string, quotes included. Escapes what must be, and leaves the rest readable.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    write_inner(out, text);
    out.push(b'"');
}

/// Writes `text` as it stands inside a JSON string.
pub(crate) fn write_inner(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut written = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let escape: &[u8] = match byte {
            b'"' => b"\\\"",
            b'\\' => b"\\\\",
            b'\n' => b"\\n",
            b'\r' => b"\\r",
            b'\t' => b"\\t",
            0..0x20 => b"\\u00",
            0x20.. => continue,
        };
        out.extend_from_slice(bytes.get(written..index).unwrap_or_default());
        out.extend_from_slice(escape);
        if escape == b"\\u00" {
            let hexadecimal = |digit: u8| if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
            out.extend([hexadecimal(byte >> 4), hexadecimal(byte & 15)]);
        }
        written = index + 1;
    }
    out.extend_from_slice(bytes.get(written..).unwrap_or_default());
}

/// Writes the meaning of one escape, whose backslash is gone, and returns what stands behind it.
fn unescape_one<'text>(escaped: &'text str, meaning: &mut String) -> &'text str {
    let mut characters = escaped.chars();
    match characters.next() {
        Some('n') => meaning.push('\n'),
        Some('t') => meaning.push('\t'),
        Some('r') => meaning.push('\r'),
        Some('b') => meaning.push('\u{8}'),
        Some('f') => meaning.push('\u{c}'),
        Some('u') => return unescape_unit(characters.as_str(), meaning),
        Some(itself) => meaning.push(itself),
        None => {}
    }
    characters.as_str()
}

/// Writes the meaning of `\uXXXX`, or of two of them that are a surrogate pair.
fn unescape_unit<'text>(digits: &'text str, meaning: &mut String) -> &'text str {
    let Some((unit, rest)) = unit(digits) else { return digits };
    let pair = rest.strip_prefix("\\u").and_then(self::unit);
    let units = match pair {
        Some((second, behind)) if (0xd800..0xdc00).contains(&unit) && (0xdc00..0xe000).contains(&second) => {
            (char::decode_utf16([unit, second]).next(), behind)
        }
        Some(_) | None => (char::decode_utf16([unit]).next(), rest),
    };
    let character = units.0.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER);
    meaning.push(character);
    units.1
}

fn unit(digits: &str) -> Option<(u16, &str)> {
    let (digits, rest) = digits.split_at_checked(4)?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(inner: &str, meaning: &str) {
        assert_eq!(unescape(inner), meaning);
    }

    #[test]
    fn escapes_mean_their_character() {
        check(r#"a\"b\\c\/d\b\f\n\r\te"#, "a\"b\\c/d\u{8}\u{c}\n\r\te");
        check(r"\u0000\u00e9\u4E2d", "\0é中");
        check(r"\ud83d\ude00!", "😀!");
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        check(r"\ud800", "\u{fffd}");
        check(r"\ude00x", "\u{fffd}x");
        check(r"\ud800\ud83d\ude00", "\u{fffd}😀");
        check(r"\ud800\u0041\ud800\n", "\u{fffd}A\u{fffd}\n");
    }

    #[test]
    fn only_what_must_be_escaped_is() {
        let mut out = Vec::new();
        write_string(&mut out, "\"\\/\n\r\t\u{1}\u{1f}\u{7f}é中😀");
        assert_eq!(String::from_utf8(out).unwrap(), "\"\\\"\\\\/\\n\\r\\t\\u0001\\u001f\u{7f}é中😀\"");
    }

    proptest! {
        #[test]
        fn a_written_text_reads_back(text in any::<String>()) {
            let mut out = Vec::new();
            write_string(&mut out, &text);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text.clone());
            let written = String::from_utf8(out).unwrap();
            prop_assert_eq!(unescape(&written[1..written.len() - 1]), text);
        }
    }
}
