//! Times, ages, sizes and numbers of things as people write and read them.

pub(crate) use epitome_core::tokens::counted;

const SECOND_MS: u64 = 1_000;
const MINUTE_MS: u64 = 60 * SECOND_MS;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// The last moment of the year 9999: what comes later is no time that anything was stored at.
const LATEST_MS: u64 = 253_402_300_799_999;

/// An age such as `30d`, in milliseconds.
pub(crate) fn parse_age(text: &str) -> Result<u64, String> {
    let units = [("m", MINUTE_MS), ("h", HOUR_MS), ("d", DAY_MS), ("w", 7 * DAY_MS)];
    parse(text, &units).ok_or_else(|| format!("{text:?} is no age; for example 12h, 30d or 8w"))
}

/// A size such as `2GB`, in bytes.
pub(crate) fn parse_bytes(text: &str) -> Result<u64, String> {
    let units = [
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
        ("tib", 1 << 40),
        ("kb", 1_000),
        ("mb", 1_000_000),
        ("gb", 1_000_000_000),
        ("tb", 1_000_000_000_000),
        ("b", 1),
    ];
    parse(text, &units).ok_or_else(|| format!("{text:?} is no size; for example 500MB, 2GB or 1GiB"))
}

/// A number of tokens such as `128k`, `1M` or `200_000`.
pub(crate) fn parse_tokens(text: &str) -> Result<u64, String> {
    let plain = text.trim().replace([',', '_'], "");
    let number = plain.parse().ok();
    let number = number.or_else(|| parse(&plain, &[("k", 1_000), ("m", 1_000_000)]));
    number.ok_or_else(|| format!("{text:?} is no number of tokens; for example 128000, 128k or 1M"))
}

/// A number with one of these units behind it. Longer units come before those they end with.
fn parse(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let (amount, unit) = units.iter().find_map(|(name, unit)| Some((lower.strip_suffix(name)?.trim_end(), *unit)))?;
    let is_number = amount.starts_with(|first: char| first.is_ascii_digit());
    let amount: f64 = amount.parse().ok().filter(|_| is_number)?;
    let value = amount * unit as f64;
    // Up to here floats tell every integer apart.
    (value.fract() == 0.0 && value < 9e15).then_some(value as u64)
}

/// A size for people.
pub(crate) fn shown_bytes(bytes: u64) -> String {
    let units = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
    match units.into_iter().find(|(_, unit)| bytes as f64 >= *unit) {
        Some((name, unit)) => format!("{:.1} {name}", bytes as f64 / unit),
        None => counted(bytes, "byte"),
    }
}

/// A share for people; a dash where there is none.
pub(crate) fn shown_share(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

/// A moment, in milliseconds since 1970, as `2026-11-16 15:47:10`, in UTC.
pub(crate) fn shown_moment(ms: u64) -> String {
    let ms = ms.min(LATEST_MS);
    let (year, month, day) = date(ms / DAY_MS);
    let (hour, minute, second) = (ms % DAY_MS / HOUR_MS, ms % HOUR_MS / MINUTE_MS, ms % MINUTE_MS / SECOND_MS);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// The year, month and day that so many days after the first of January 1970 are.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if days < length {
            break;
        }
        (days, year) = (days - length, year + 1);
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        (days, month) = (days - length, month + 1);
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_have_units() {
        assert_eq!(parse_age("30d"), Ok(30 * DAY_MS));
        assert_eq!(parse_age("1.5h"), Ok(90 * MINUTE_MS));
        assert_eq!(parse_age("8W"), Ok(56 * DAY_MS));
        assert_eq!(parse_bytes("2GB"), Ok(2_000_000_000));
        assert_eq!(parse_bytes("1 GiB"), Ok(1 << 30));
        assert_eq!(parse_bytes("512b"), Ok(512));
        assert_eq!(parse_bytes("0.5kb"), Ok(500));
        for wrong in ["", "d", "30", "-3d", "infd", "nand", "3 fortnights", "0.0000001h", "1e300w"] {
            assert!(parse_age(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "GB", "2", "0.1b", "-1GB", "2 GBs"] {
            assert!(parse_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn tokens_are_counted_in_thousands_and_millions() {
        for (text, expected) in [
            ("0", 0),
            ("128000", 128_000),
            ("128k", 128_000),
            ("128K", 128_000),
            (" 1.5M ", 1_500_000),
            ("1m", 1_000_000),
            ("200,000", 200_000),
            ("1_000_000", 1_000_000),
        ] {
            assert_eq!(parse_tokens(text), Ok(expected), "{text}");
        }
        for wrong in ["", "k", "-1", "-1k", "128kb", "1.5", "1e3", "infk", "0.0001k", "99999999999999999999"] {
            assert!(parse_tokens(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn moments_are_dates() {
        for (ms, expected) in [
            (0, "1970-01-01 00:00:00"),
            (951_782_400_000, "2000-02-29 00:00:00"),
            (1_709_251_199_999, "2024-02-29 23:59:59"),
            (4_107_542_400_000, "2100-03-01 00:00:00"),
            (1_798_761_599_000, "2026-12-31 23:59:59"),
            (u64::MAX, "9999-12-31 23:59:59"),
        ] {
            assert_eq!(shown_moment(ms), expected);
        }
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(shown_bytes(1), "1 byte");
        assert_eq!(shown_bytes(999), "999 bytes");
        assert_eq!(shown_bytes(1_500), "1.5 KB");
        assert_eq!(shown_bytes(2_000_000_000), "2.0 GB");
    }
}
