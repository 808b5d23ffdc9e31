//! Whether what stands behind an opening is a key of that format, and where it ends: it may go on in the next line.

use super::formats::{Demand, Format, Letters, Taken};
use super::{Found, Rank, is_escape, is_word, run};

/// No key is longer; what is longer is data.
pub(super) const LONGEST_KEY: usize = 4096;
/// So long a stretch is not read twice.
pub(super) const LONG: usize = 512;
/// From this column on a line may have ended because a terminal is no wider.
const WRAPS_FROM: usize = 60;

impl Letters {
    fn has(self, byte: u8) -> bool {
        match self {
            Letters::Plain => byte.is_ascii_alphanumeric(),
            Letters::Word => is_word(byte),
            Letters::Dotted | Letters::ThreeParts => is_word(byte) || byte == b'.',
            Letters::Hex => byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase(),
            Letters::HexParts => (byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase()) || byte == b'-',
            Letters::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Letters::Base64 => byte.is_ascii_alphanumeric() || b"+/=_-,".contains(&byte),
            Letters::Path => is_word(byte) || b"/@.".contains(&byte),
            Letters::Query => is_word(byte) || b"%+/=.~".contains(&byte),
        }
    }
}

/// Looks behind an opening.
pub(super) fn look(text: &str, opening: std::ops::Range<usize>, format: &Format, found: &mut Found) {
    let bytes = text.as_bytes();
    let exact = format.openings.iter().any(|known| text.get(opening.clone()) == Some(*known));
    // What stands before the key itself may be part of a longer name.
    let bounded = format.taken == Taken::Rest
        || !bytes.get(opening.start).copied().is_some_and(is_word)
        || opens_word(bytes, opening.start);
    if !exact || !bounded {
        return;
    }
    if found.key.0 == format.kind && opening.start < found.key.1 {
        return;
    }
    let key = Key::read(bytes, opening.end, format);
    if key.body.len() >= LONG {
        found.key = (format.kind, key.end);
    }
    // What a bracket follows is called, not kept.
    if key.body.len() < format.least || !format.is_met(&key.body) || bytes.get(key.end) == Some(&b'(') {
        return;
    }
    let start = match format.taken {
        Taken::Rest => opening.end,
        // The name before it belongs to it.
        Taken::All if bytes.get(opening.start) == Some(&b'.') => opening.start - before(bytes, opening.start, 14),
        Taken::All => opening.start,
    };
    found.push(start..key.end, format.kind, Rank::Format);
}

/// Whether no word goes on at `at`; the second character of `\n` in a quoted text is none of a word.
pub(super) fn opens_word(bytes: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1) else { return true };
    !bytes.get(before).copied().is_some_and(is_word) || is_escape(bytes, before)
}

/// How many letters and digits end right before `at`.
fn before(bytes: &[u8], at: usize, most: usize) -> usize {
    bytes.get(..at).unwrap_or_default().iter().rev().take(most).take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

impl Format {
    fn is_met(&self, body: &[u8]) -> bool {
        let parts = body.split(|byte| *byte == b'.').filter(|part| !part.is_empty()).count();
        if self.letters == Letters::ThreeParts && parts < 3 {
            return false;
        }
        match self.demand {
            Demand::Bits(bits) => bits_of(body) >= bits,
            Demand::NoWord => bits_of(body) >= 3.0 && is_no_word(body),
            Demand::Strict => {
                let count = |is: fn(&u8) -> bool| body.iter().filter(|byte| is(byte)).count();
                count(u8::is_ascii_digit) >= 2
                    && count(u8::is_ascii_uppercase) >= 3
                    && count(u8::is_ascii_lowercase) >= 3
            }
        }
    }
}

/// Bits for each character, by how often each stands in it.
pub(super) fn bits_of(body: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for byte in body {
        counts[usize::from(*byte)] += 1;
    }
    let all = body.len() as f32;
    counts.iter().filter(|count| **count > 0).map(|count| *count as f32 / all).map(|share| -share * share.log2()).sum()
}

/// Whether a stretch of letters and digits among the parts is mixed as no word is.
pub(super) fn is_no_word(body: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| body.iter().filter(|byte| is(byte)).count();
    let mixed = |part: &[u8]| {
        part.len() >= 10 && part.iter().any(u8::is_ascii_digit) && part.iter().any(u8::is_ascii_alphabetic)
    };
    body.split(|byte| !byte.is_ascii_alphanumeric()).any(mixed)
        || (count(u8::is_ascii_digit) >= 4 && count(u8::is_ascii_uppercase) >= 4)
}

/// What stands behind an opening, over as many lines as it takes.
struct Key {
    body: Vec<u8>,
    end: usize,
}

impl Key {
    fn read(bytes: &[u8], start: usize, format: &Format) -> Key {
        let take = |from: usize, most: usize| run(bytes, from, most, |byte| format.letters.has(byte));
        let mut key = Key { body: Vec::new(), end: start };
        let mut next = start;
        loop {
            let length = take(next, LONGEST_KEY - key.body.len());
            key.body.extend_from_slice(bytes.get(next..next + length).unwrap_or_default());
            key.end = next + length;
            if length == 0 || key.body.len() >= format.whole {
                break;
            }
            let Some((end, how)) = line_break(bytes, key.end) else { break };
            let more = take(end, LONGEST_KEY);
            let piece = bytes.get(end..end + more).unwrap_or_default();
            let goes_on = match how {
                Break::Joined => more > 0,
                Break::Newline => {
                    let whole = key.body.len() + more == format.whole;
                    let fits = key.body.len() < format.least || column(bytes, key.end) >= WRAPS_FROM;
                    (whole || fits) && is_rest(piece)
                }
            };
            if !goes_on || key.body.len() + more > LONGEST_KEY {
                break;
            }
            next = end;
        }
        // A full stop, comma or hyphen ends a sentence, not a key.
        while key.body.len() > format.least && key.body.last().is_some_and(|last| b".,-/".contains(last)) {
            key.body.pop();
            key.end -= 1;
        }
        key
    }
}

/// Whether it can be the rest of a key: no word is mixed like this.
fn is_rest(piece: &[u8]) -> bool {
    piece.len() >= 4 && piece.iter().any(u8::is_ascii_digit) && piece.iter().any(u8::is_ascii_alphabetic)
}

/// How a line ends within a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Break {
    /// Behind a backslash, or between two strings that make one.
    Joined,
    /// By itself.
    Newline,
}

/// The place where the next line begins, if a line ends here: newlines, those of quoted texts, `\` before them, `" + "`.
pub(super) fn line_break(bytes: &[u8], at: usize) -> Option<(usize, Break)> {
    let blanks = |from: usize| from + run(bytes, from, 40, |byte| byte == b' ' || byte == b'\t');
    let newline = |from: usize| match bytes.get(from..)? {
        [b'\r', b'\n', ..] => Some(from + 2),
        [b'\n', ..] => Some(from + 1),
        [b'\\', b'r', b'\\', b'n', ..] => Some(from + 4),
        [b'\\', b'n', ..] => Some(from + 2),
        [b'\\', b'\\', b'n', ..] => Some(from + 3),
        _ => None,
    };
    // A backslash, itself written as two in a quoted text.
    let backslashes = run(bytes, at, 2, |byte| byte == b'\\');
    for count in (1..=backslashes).rev() {
        if let Some(end) = newline(at + count).filter(|_| bytes.get(at + count) != Some(&b'\\') || count == 2) {
            return Some((blanks(end), Break::Joined));
        }
    }
    if let Some(end) = newline(at) {
        return Some((blanks(end), Break::Newline));
    }
    // `"abc" + "def"`, with a newline somewhere between.
    let quote = at + run(bytes, at, 1, |byte| byte == b'\\');
    let mark = bytes.get(quote).filter(|byte| b"\"'`".contains(byte))?;
    let between = run(bytes, quote + 1, 60, |byte| b" \t\r\n+.\\".contains(&byte));
    let end = quote + 1 + between;
    let inside = bytes.get(quote + 1..end)?;
    (bytes.get(end) == Some(mark) && inside.contains(&b'\n')).then_some((end + 1, Break::Joined))
}

/// How far into its line a place is.
pub(super) fn column(bytes: &[u8], at: usize) -> usize {
    let line = bytes.get(..at).unwrap_or_default().iter().rev().take(200);
    let plain = line.take_while(|byte| **byte != b'\n').count();
    // In a quoted text the line begins behind a `\n`.
    let start = at - plain;
    let quoted = memchr::memmem::rfind(bytes.get(start..at).unwrap_or_default(), b"\\n");
    quoted.map_or(plain, |newline| plain - newline - 2)
}
