//! A line as the model of expectation sees it: words and signs as they are, and values by their class.

use xxhash_rust::xxh3::xxh3_64;

use super::hashed::Hashed;

/// A word, a sign or a value of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Token {
    /// Where it begins in the text, in bytes.
    pub(super) at: u32,
    /// Stands for it where it is the context of others: of a value only the class.
    pub(super) symbol: u32,
    /// Stands for it where it is foretold itself.
    pub(super) text: u32,
    /// How many bytes it has.
    pub(super) length: u16,
    /// What it is.
    pub(super) class: Class,
}

impl Token {
    pub(super) fn is_sign(&self, sign: &str) -> bool {
        SIGNS.iter().position(|known| *known == sign).is_some_and(|at| self.symbol == CLASSES + at as u32)
    }
}

/// Signs with numbers of their own, behind those of the classes.
const SIGNS: [&str; 4] = [":", "=", "<", ">"];
const CLASSES: u32 = Class::Id as u32 + 1;

/// The different words, signs and values of an output, each with a number.
#[derive(Debug)]
pub(super) struct Symbols {
    numbers: Hashed<u32>,
    met: Vec<Met>,
}

/// How often a symbol was met, and which token was the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Met {
    pub(super) count: u32,
    pub(super) first: u32,
}

impl Symbols {
    pub(super) fn new() -> Symbols {
        let mut symbols = Symbols { numbers: Hashed::default(), met: vec![Met::default(); CLASSES as usize] };
        SIGNS.iter().for_each(|sign| _ = symbols.number(sign.as_bytes(), 0));
        symbols
    }

    /// The number of a word, a sign or a value, which stands in the token at `at`.
    fn number(&mut self, text: &[u8], at: usize) -> u32 {
        let next = self.met.len() as u32;
        let number = *self.numbers.entry(xxh3_64(text)).or_insert(next);
        match self.met.get_mut(number as usize) {
            Some(met) => met.count += 1,
            None => self.met.push(Met { count: 1, first: at as u32 }),
        }
        number
    }

    /// How often each was met, by its number. Classes and a few signs are not counted.
    pub(super) fn met(&self) -> &[Met] {
        &self.met
    }
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Word,
    Sign,
    Number,
    Time,
    Address,
    /// A hash, a UUID, a name of letters and digits: no two are alike, and none is foretold.
    Id,
}

/// A line longer than this is looked at no further.
const TOKENS_AT_MOST: usize = 240;
/// A longer run of letters, digits and a few signs may be encoded data.
const ENCODED: usize = 40;
/// A word longer than this is data.
const LONGEST_WORD: usize = 60;

/// Takes a line apart. `at` is where it begins in the text.
pub(super) fn tokens(line: &str, at: usize, symbols: &mut Symbols, into: &mut Vec<Token>) {
    let bytes = line.as_bytes();
    let full = into.len() + TOKENS_AT_MOST;
    let mut from = 0;
    while let Some(byte) = bytes.get(from).copied() {
        if into.len() == full {
            break;
        }
        if byte.is_ascii_whitespace() {
            from += 1;
            continue;
        }
        let (length, class) = encoded(bytes, from).unwrap_or_else(|| token(bytes, from));
        let text = bytes.get(from..from + length).unwrap_or_default();
        let kind = class as u32;
        let (symbol, own) = match class {
            Class::Word | Class::Sign => {
                let number = symbols.number(text, into.len());
                (number, number)
            }
            Class::Number | Class::Address => (kind, symbols.number(text, into.len())),
            Class::Time | Class::Id => (kind, kind),
        };
        let (at, length_in_line) = ((at + from) as u32, length.min(usize::from(u16::MAX)) as u16);
        into.push(Token { at, length: length_in_line, class, symbol, text: own });
        from += length;
    }
}

/// A long run of what encoded data is made of.
fn encoded(bytes: &[u8], from: usize) -> Option<(usize, Class)> {
    let rest = bytes.get(from..)?;
    if !rest.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-');
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    let run = rest.get(..length).filter(|_| length >= ENCODED)?;
    let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
    let capitals = run.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    (digits * 20 > length && capitals * 20 > length).then_some((length, Class::Id))
}

fn token(bytes: &[u8], from: usize) -> (usize, Class) {
    let rest = bytes.get(from..).unwrap_or_default();
    if let Some(length) = hardware_address(rest) {
        return (length, Class::Address);
    }
    match rest.first() {
        Some(byte) if byte.is_ascii_digit() => value(rest),
        Some(byte) if is_letter(*byte) => word(rest),
        // Rulers and bars are one sign, however long.
        Some(byte) => (rest.iter().take_while(|other| *other == byte).count(), Class::Sign),
        None => (1, Class::Sign),
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn word(rest: &[u8]) -> (usize, Class) {
    // Without spaces between them, characters are words: Chinese, Japanese.
    if rest.first().is_some_and(|byte| *byte >= 0xe3) {
        let length = rest.iter().skip(1).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
        return (1 + length, Class::Word);
    }
    let length = rest.iter().take_while(|byte| is_letter(**byte) || byte.is_ascii_digit()).count();
    let text = rest.get(..length).unwrap_or_default();
    if let Some(length) = uuid(rest) {
        return (length, Class::Id);
    }
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    let hexadecimal = length >= 6 && text.iter().all(u8::is_ascii_hexdigit);
    let mixed = digits >= 2 && (hexadecimal || digits * 3 >= length || length >= 16) && length > 4;
    (length, if mixed || length > LONGEST_WORD { Class::Id } else { Class::Word })
}

fn digits(rest: &[u8]) -> usize {
    rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn uuid(rest: &[u8]) -> Option<usize> {
    const LENGTH: usize = 36;
    let text = rest.get(..LENGTH)?;
    let fits = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    let ends = rest.get(LENGTH).is_none_or(|byte| !is_letter(*byte) && !byte.is_ascii_digit());
    (ends && text.iter().enumerate().all(fits)).then_some(LENGTH)
}

/// What begins with a digit.
fn value(rest: &[u8]) -> (usize, Class) {
    if let Some(length) = uuid(rest) {
        return (length, Class::Id);
    }
    if let Some(length) = time(rest) {
        return (length, Class::Time);
    }
    if let Some(length) = address(rest) {
        return (length, Class::Address);
    }
    let alphanumeric = rest.iter().take_while(|byte| is_letter(**byte) || byte.is_ascii_digit()).count();
    let whole = digits(rest);
    let text = rest.get(..alphanumeric).unwrap_or_default();
    let letters = alphanumeric - whole;
    let more_digits = text.get(whole..).unwrap_or_default().iter().any(u8::is_ascii_digit);
    if letters > 0 && more_digits && !(text.starts_with(b"0x") && alphanumeric <= 6) {
        return (alphanumeric, Class::Id);
    }
    (number(rest), Class::Number)
}

/// `1,204`, `3.25`, `1.2.3`: a number or a version.
fn number(rest: &[u8]) -> usize {
    let mut length = digits(rest);
    loop {
        let more = digits(rest.get(length + 1..).unwrap_or_default());
        match rest.get(length) {
            Some(b'.') if more > 0 => length += 1 + more,
            Some(b',') if more == 3 && length <= 15 => length += 4,
            _ => return length,
        }
    }
}

/// `12:30:01.5`, `2026-01-02`, `2026-01-02T12:30:01Z`.
fn time(rest: &[u8]) -> Option<usize> {
    if let Some(day) = date(rest) {
        let behind = rest.get(day..).unwrap_or_default();
        let clock = match behind.first() {
            Some(b'T' | b' ') => clock(behind.get(1..)?).map(|length| length + 1),
            _ => None,
        };
        return Some(day + clock.unwrap_or(0));
    }
    clock(rest)
}

fn date(rest: &[u8]) -> Option<usize> {
    let sign = *rest.get(4).filter(|sign| matches!(sign, b'-' | b'/'))?;
    let fits =
        digits(rest) == 4 && digits(rest.get(5..)?) == 2 && rest.get(7) == Some(&sign) && digits(rest.get(8..)?) == 2;
    fits.then_some(10)
}

fn clock(rest: &[u8]) -> Option<usize> {
    let hours = digits(rest);
    let fits = (1..=2).contains(&hours) && rest.get(hours) == Some(&b':') && digits(rest.get(hours + 1..)?) == 2;
    let mut length = fits.then_some(hours + 3)?;
    if rest.get(length) == Some(&b':') && digits(rest.get(length + 1..)?) == 2 {
        length += 3;
        let fraction = digits(rest.get(length + 1..).unwrap_or_default());
        if matches!(rest.get(length), Some(b'.' | b',')) && fraction > 0 {
            length += 1 + fraction;
        }
    }
    Some(length + usize::from(rest.get(length) == Some(&b'Z')))
}

/// `0a:1b:2c:3d:4e:5f`, `fe80::1:2`, `2001:db8:0:0:0:0:0:1`.
fn hardware_address(rest: &[u8]) -> Option<usize> {
    let hexadecimal = |from: usize| rest.iter().skip(from).take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let sign = *rest.get(hexadecimal(0)).filter(|sign| matches!(sign, b':' | b'-'))?;
    let (mut length, mut groups, mut doubled) = (0, 0, false);
    loop {
        let digits = hexadecimal(length);
        let fits = if sign == b'-' { digits == 2 } else { digits <= 4 && (digits > 0 || !doubled && groups > 0) };
        if !fits {
            break;
        }
        doubled |= digits == 0;
        (length, groups) = (length + digits, groups + 1);
        if rest.get(length) != Some(&sign) {
            break;
        }
        length += 1;
    }
    let ends = rest.get(length).is_none_or(|byte| !is_letter(*byte) && !byte.is_ascii_digit());
    (ends && (groups >= 6 || doubled && groups >= 3)).then_some(length)
}

fn address(rest: &[u8]) -> Option<usize> {
    let mut length = 0;
    for part in 0..4 {
        if part > 0 {
            (rest.get(length) == Some(&b'.')).then_some(())?;
            length += 1;
        }
        let digits = digits(rest.get(length..)?);
        (1..=3).contains(&digits).then_some(())?;
        length += digits;
    }
    let ends = !matches!(rest.get(length), Some(b'.')) || !rest.get(length + 1).is_some_and(u8::is_ascii_digit);
    ends.then_some(length)
}

/// What a number is worth, if it is one and no version.
pub(super) fn number_of(text: &str) -> Option<f64> {
    let plain: String = text.chars().filter(|c| *c != ',').collect();
    plain.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[(&str, Class)]) {
        let mut found = Vec::new();
        tokens(line, 0, &mut Symbols::new(), &mut found);
        let shown: Vec<(&str, Class)> =
            found.iter().map(|token| (&line[token.at as usize..][..usize::from(token.length)], token.class)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn values_are_told_by_their_class() {
        use Class::{Address, Id, Number, Sign, Time, Word};
        check(
            "2026-01-02T12:30:01.5Z took 35ms",
            &[("2026-01-02T12:30:01.5Z", Time), ("took", Word), ("35", Number), ("ms", Word)],
        );
        check(
            "10.0.0.7:80 v1.2.3",
            &[("10.0.0.7", Address), (":", Sign), ("80", Number), ("v1", Word), (".", Sign), ("2.3", Number)],
        );
        check("=== 9f3a77c1 1,204", &[("===", Sign), ("9f3a77c1", Id), ("1,204", Number)]);
        check("550e8400-e29b-41d4-a716-446655440000!", &[("550e8400-e29b-41d4-a716-446655440000", Id), ("!", Sign)]);
        check(
            "0a:1b:2c:3d:4e:5f fe80::1:2, 00-1B-44-11-3A-B7",
            &[("0a:1b:2c:3d:4e:5f", Address), ("fe80::1:2", Address), (",", Sign), ("00-1B-44-11-3A-B7", Address)],
        );
        check("std::io", &[("std", Word), ("::", Sign), ("io", Word)]);
        check("utf8 pool_size", &[("utf8", Word), ("pool_size", Word)]);
        check("数字", &[("数", Word), ("字", Word)]);
    }

    #[test]
    fn anything_is_taken_apart_to_its_end() {
        for line in ["é1.2.", "1,", "0x", "12:3", "\u{0}", "1.1.1.", "ßa1b2", "…"] {
            let mut found = Vec::new();
            tokens(line, 0, &mut Symbols::new(), &mut found);
            assert_eq!(
                found.last().map(|token| token.at as usize + usize::from(token.length)),
                Some(line.len()),
                "{line}"
            );
        }
    }
}
