//! What a cell looks like: a number, a time, an address, an id.

use xxhash_rust::xxh3::xxh3_64;

/// What the values of a column have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `550e8400-e29b-41d4-a716-446655440000`
    Uuid,
    /// `2025-09-15`, with or without a time of day.
    Time,
    /// `10.0.0.12`, with or without a port.
    Ip,
    /// `ada@example.org`
    Email,
    /// `https://…`
    Url,
    /// A hash: hexadecimal digits only.
    Hex,
}

impl Form {
    /// The more special first.
    pub(in crate::outputs::outliers) const ALL: [Form; 6] =
        [Form::Uuid, Form::Time, Form::Ip, Form::Email, Form::Url, Form::Hex];

    /// Its name, as a digest shows it.
    pub(in crate::outputs::outliers) fn name(self) -> &'static str {
        match self {
            Form::Uuid => "uuid",
            Form::Time => "time",
            Form::Ip => "ip",
            Form::Email => "email",
            Form::Url => "url",
            Form::Hex => "hex",
        }
    }

    /// Whether `text` is one.
    pub(in crate::outputs::outliers) fn fits(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        match self {
            Form::Uuid => {
                bytes.len() == 36
                    && bytes.iter().enumerate().all(|(at, byte)| match at {
                        8 | 13 | 18 | 23 => *byte == b'-',
                        _ => byte.is_ascii_hexdigit(),
                    })
            }
            Form::Time => seconds(text).is_some(),
            Form::Ip => {
                let host = text.split([':', '/']).next().unwrap_or_default();
                host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
            }
            Form::Email => text.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && host.contains('.') && !text.contains(' ') && !host.contains('@')
            }),
            Form::Url => text.split_once("://").is_some_and(|(scheme, rest)| {
                scheme.bytes().all(|byte| byte.is_ascii_alphabetic()) && !rest.is_empty() && !text.contains(' ')
            }),
            Form::Hex => bytes.len() >= 7 && bytes.iter().all(u8::is_ascii_hexdigit),
        }
    }
}

/// Cells that say that there is nothing.
pub(super) fn is_blank(text: &str) -> bool {
    matches!(
        text,
        "" | "-" | "--" | "NULL" | "null" | "Null" | "None" | "N/A" | "n/a" | "NaN" | "nan" | "\\N" | "<none>"
    )
}

/// The number that a cell is, with its unit: `1,234`, `12.5 %`, `35ms`, `1.5Gi`, `$12.00`, `-3e-05`. Sizes and times
/// are in one unit each, so that they can be compared.
pub(super) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let money = text.strip_prefix(['$', '€', '£']).unwrap_or(text);
    let digits = number_end(money);
    let (number, unit) = money.split_at_checked(digits)?;
    let plain: f64 = match number.contains(',') {
        true if is_grouped(number) => number.replace(',', "").parse().ok()?,
        true => return decimal_comma(text),
        false => number.parse().ok()?,
    };
    let value = scale(unit.trim()).map_or_else(|| duration(money), |scale| Some(plain * scale));
    value.filter(|value| value.is_finite())
}

/// The same where a comma stands before the decimals: `12,5`, `1.234,5`.
pub(super) fn decimal_comma(text: &str) -> Option<f64> {
    let text = text.trim();
    let money = text.strip_prefix(['$', '€', '£']).unwrap_or(text);
    let (number, unit) = money.split_at_checked(number_end(money))?;
    let (whole, decimals) = number.split_once(',').unwrap_or((number, ""));
    let grouped = !whole.contains('.') || is_grouped(&whole.replace('.', ","));
    if !grouped || !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let plain: f64 = format!("{}.{decimals}0", whole.replace('.', "")).parse().ok()?;
    Some(plain * scale(unit.trim())?).filter(|value| value.is_finite())
}

/// Whether the comma in a number can only stand before its decimals.
pub(super) fn has_decimal_comma(text: &str) -> bool {
    let text = text.trim().trim_start_matches(['$', '€', '£']);
    let number = text.get(..number_end(text)).unwrap_or_default();
    number.contains(',') && !is_grouped(number)
}

/// `1h20m`, `2m3.5s`
fn duration(text: &str) -> Option<f64> {
    let mut rest = text.trim();
    let mut sum = 0.0;
    for _ in 0..4 {
        let (number, behind) = rest.split_at_checked(number_end(rest))?;
        let letters = behind.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, behind) = behind.split_at_checked(letters)?;
        let is_time = matches!(unit, "d" | "h" | "m" | "min" | "s" | "ms");
        sum += number.parse::<f64>().ok().filter(|_| is_time)? * scale(unit)?;
        rest = behind.trim_start();
        if rest.is_empty() {
            return Some(sum);
        }
    }
    None
}

fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    while digit(at) || (matches!(bytes.get(at), Some(b'.' | b',')) && digit(at + 1)) {
        at += 1;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        if digit(at + 1 + sign) {
            at += 1 + sign;
            while digit(at) {
                at += 1;
            }
        }
    }
    at
}

fn is_grouped(number: &str) -> bool {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    if decimals.contains(',') {
        return false;
    }
    let whole = whole.trim_start_matches(['-', '+']);
    let mut groups = whole.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

fn scale(unit: &str) -> Option<f64> {
    Some(match unit {
        "" | "%" | "B" | "s" | "x" | "b" | "B/s" | "sec" | "bytes" | "req/s" | "rps" | "€" | "EUR" | "USD" => 1.0,
        "K" | "k" | "KB" | "kB" | "Ki" | "KiB" | "kb" | "KB/s" | "kB/s" | "KiB/s" => 1024.0,
        "M" | "MB" | "Mi" | "MiB" | "mb" | "MB/s" | "MiB/s" => 1024.0 * 1024.0,
        "G" | "GB" | "Gi" | "GiB" | "gb" | "GB/s" | "GiB/s" => 1024.0 * 1024.0 * 1024.0,
        "T" | "TB" | "Ti" | "TiB" | "tb" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    })
}

/// The seconds of a date with or without a time of day, from some fixed day on.
pub(super) fn seconds(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let field = |from: usize, length: usize| -> Option<f64> {
        let digits = bytes.get(from..from + length)?;
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0.0, |sum, digit| sum * 10.0 + f64::from(digit - b'0')))
    };
    let separated = |at: usize, by: &[u8]| bytes.get(at).is_some_and(|byte| by.contains(byte));
    if !separated(4, b"-/") || !separated(7, b"-/") || bytes.len() > 40 {
        return None;
    }
    let (year, month, day) = (field(0, 4)?, field(5, 2)?, field(8, 2)?);
    // Months of 31 days: only the order and rough distances matter.
    let date = (year * 372.0 + month * 31.0 + day) * 86_400.0;
    if bytes.len() == 10 {
        return Some(date);
    }
    let time = || Some(field(11, 2)? * 3_600.0 + field(14, 2)? * 60.0);
    let seconds = || if separated(16, b":") { field(17, 2) } else { None };
    (separated(10, b"T t") && separated(13, b":")).then_some(())?;
    Some(date + time()? + seconds().unwrap_or(0.0))
}

/// How a value that somebody's program has made looks: `ord_88` and `ord_7` are alike. `None`: words, or too long to be
/// an id.
pub(super) fn shape(text: &str) -> Option<u64> {
    if text.len() > 60 {
        return None;
    }
    let mut shape = String::with_capacity(text.len());
    let is_word = |c: char| c.is_alphanumeric();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let end = if is_word(next) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { next.len_utf8() };
        let (part, more) = rest.split_at_checked(end)?;
        rest = more;
        // Part of a hash can be without a digit: `feed`, or twenty letters of an id.
        let hexadecimal = part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        match is_word(next) {
            true if hexadecimal || part.len() >= 16 || part.bytes().any(|byte| byte.is_ascii_digit()) => {
                shape.push('0')
            }
            true => shape.push('a'),
            false => shape.push_str(part),
        }
    }
    shape.contains('0').then(|| xxh3_64(shape.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_units() {
        let read = |text: &str| number(text);
        assert_eq!(read("1,234,567.5"), Some(1_234_567.5));
        assert_eq!(read("-3e-05"), Some(-3e-05));
        assert_eq!(read("2K"), Some(2048.0));
        assert_eq!(read("98%"), Some(98.0));
        assert_eq!(read("$12.00"), Some(12.0));
        assert_eq!(read("90s"), read("1.5m"));
        assert_eq!(read("12,5"), Some(12.5));
        assert_eq!(read("1.234,5 MB"), Some(1234.5 * 1024.0 * 1024.0));
        assert_eq!(decimal_comma("12,500"), Some(12.5));
        assert_eq!(read("12,500"), Some(12_500.0));
        assert_eq!(read("1h20m"), Some(4_800.0));
        for text in ["", "-", "1,2,3", "1.2.3", "v2", "12ab", "2025-01-01", "1e999", "héé"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn forms_are_told_apart() {
        let forms =
            |text: &str| Form::ALL.iter().filter(|form| form.fits(text)).map(|form| form.name()).collect::<Vec<_>>();
        assert_eq!(forms("550e8400-e29b-41d4-a716-446655440000"), ["uuid"]);
        assert_eq!(forms("2025-09-15T08:01:02.123Z"), ["time"]);
        assert_eq!(forms("2025-09-15"), ["time"]);
        assert_eq!(forms("10.0.0.12:5432"), ["ip"]);
        assert_eq!(forms("ada@example.org"), ["email"]);
        assert_eq!(forms("https://example.org/x"), ["url"]);
        assert_eq!(forms("9f3a77c1bb01"), ["hex"]);
        assert_eq!(forms("plain words"), Vec::<&str>::new());
        assert_eq!(forms("2025-é9-15"), Vec::<&str>::new());
    }

    #[test]
    fn ids_of_one_maker_have_one_shape() {
        assert_eq!(shape("ord_88"), shape("ord_12345"));
        assert_eq!(shape("ord_88"), shape("ord_fee"));
        assert_ne!(shape("ord_88"), shape("88"));
        assert_eq!(shape("only words"), None);
    }
}
