//! One line of a log: its time, its level, and what of it is the message.

use std::ops::Range;

use memchr::memmem;

use super::super::reading::Finding;

/// Time and level stand in the beginning of a line.
const BEGINNING: usize = 140;

/// What a line says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    /// Where its time stands.
    pub(super) time: Option<Range<usize>>,
    pub(super) level: Option<Level>,
}

/// How bad a line says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Level {
    pub(super) weight: Weight,
    /// As totals name it.
    pub(super) name: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    Error,
    Warning,
    Quiet,
}

impl Weight {
    pub(super) fn finding(self) -> Option<Finding> {
        match self {
            Weight::Error => Some(Finding::Error),
            Weight::Warning => Some(Finding::Warning),
            Weight::Quiet => None,
        }
    }
}

const LEVELS: &[(&str, Weight, &str)] = &[
    ("info", Weight::Quiet, "INFO"),
    ("error", Weight::Error, "ERROR"),
    ("warn", Weight::Warning, "WARN"),
    ("warning", Weight::Warning, "WARN"),
    ("debug", Weight::Quiet, "DEBUG"),
    ("trace", Weight::Quiet, "TRACE"),
    ("log", Weight::Quiet, "LOG"),
    ("notice", Weight::Quiet, "NOTICE"),
    ("err", Weight::Error, "ERROR"),
    ("fatal", Weight::Error, "FATAL"),
    ("critical", Weight::Error, "CRITICAL"),
    ("crit", Weight::Error, "CRITICAL"),
    ("severe", Weight::Error, "SEVERE"),
    ("panic", Weight::Error, "PANIC"),
    ("alert", Weight::Error, "ALERT"),
    ("emerg", Weight::Error, "EMERG"),
    ("dbg", Weight::Quiet, "DEBUG"),
    ("inf", Weight::Quiet, "INFO"),
    ("wrn", Weight::Warning, "WARN"),
    ("ftl", Weight::Error, "FATAL"),
    ("verbose", Weight::Quiet, "VERBOSE"),
    ("audit", Weight::Quiet, "AUDIT"),
    ("fine", Weight::Quiet, "FINE"),
    ("statement", Weight::Quiet, "STATEMENT"),
    ("detail", Weight::Quiet, "DETAIL"),
    ("hint", Weight::Quiet, "HINT"),
];

impl Line {
    pub(super) fn of(line: &str) -> Line {
        let time = time(line);
        let level = level(line, time.as_ref());
        Line { time, level }
    }

    /// What is said: the line without its time, and without the numbers before it.
    pub(super) fn message(&self, line: &str) -> String {
        if let Some(message) = json_message(line) {
            let reason = json_value(line, &["\"err\":", "\"error\":", "\"exception\":", "\"reason\":", "\"cause\":"]);
            let level = self.level.map_or("", |level| level.name);
            return format!("{level} {message} {}", reason.unwrap_or_default()).trim_end().to_owned();
        }
        if let Some(request) = request(line) {
            return request;
        }
        let Some(time) = &self.time else { return line.trim().to_owned() };
        // What stands in columns before the time is the same in most lines.
        let before = line.get(..time.start).filter(|before| !before.contains('\t')).unwrap_or_default();
        let before = before.trim_end_matches(['[', '(', ' ', '"']);
        let after =
            line.get(time.end..).unwrap_or_default().trim_start_matches([']', ')', ' ', ':', ',', '|', '"', '-']);
        let before = before.strip_suffix("ts=").or(before.strip_suffix("time=")).unwrap_or(before);
        format!("{before} {after}").trim().to_owned()
    }
}

/// The words of a record that is JSON.
pub(super) fn json_message(line: &str) -> Option<&str> {
    line.trim_start().starts_with('{').then_some(())?;
    json_value(line, &["\"msg\":", "\"message\":", "\"MESSAGE\":", "\"event\":", "\"log\":"])
}

/// The text behind the first of the keys that is there.
fn json_value<'line>(line: &'line str, keys: &[&str]) -> Option<&'line str> {
    let value = keys.iter().find_map(|key| line.split_once(key)).map(|(_, after)| after.trim_start())?;
    let value = value.strip_prefix('"')?;
    let end = value
        .bytes()
        .zip(std::iter::once(b' ').chain(value.bytes()))
        .position(|(byte, before)| byte == b'"' && before != b'\\');
    value.get(..end?)
}

/// `GET /orders/8`, of a line that a server wrote for a request: `… "GET /orders/8?x=1 HTTP/1.1" 200 12`.
fn request(line: &str) -> Option<String> {
    let at = memmem::find(line.as_bytes(), b" HTTP/")?;
    let (before, path) = line.get(..at)?.rsplit_once(' ')?;
    let method = before.rsplit(['"', ' ', '[']).next().unwrap_or_default();
    let known = (3..=7).contains(&method.len()) && method.bytes().all(|byte| byte.is_ascii_uppercase());
    let path = path.split(['?', '#']).next().unwrap_or_default();
    known.then(|| format!("{method} {path}"))
}

/// A status in letters: numbers are taken out of what lines have in common.
pub(super) fn spelled(status: u16) -> String {
    status.to_string().bytes().map(|digit| char::from(digit.wrapping_add(b'a' - b'0'))).collect()
}

/// Where a time stands: `08:01:02` with its date, seconds since the start in brackets, or seconds since 1970.
pub(super) fn time(line: &str) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    let beginning = bytes.get(..BEGINNING).unwrap_or(bytes);
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let clock = memchr::memchr_iter(b':', beginning).find(|at| {
        let at = *at;
        // An hour has two digits at most: not the year of `15/Sep/2025:08:00:00`.
        at > 0
            && digit(at - 1)
            && !at.checked_sub(3).is_some_and(digit)
            && digit(at + 1)
            && digit(at + 2)
            && bytes.get(at + 3) == Some(&b':')
            && digit(at + 4)
            && digit(at + 5)
            && !digit(at + 6)
    });
    let Some(clock) = clock else { return seconds(line) };
    // A time of day in hexadecimal is a hardware address.
    if bytes.get(clock + 6) == Some(&b':') {
        return None;
    }
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b':' | b'.');
    let token = bytes.get(..clock)?.iter().rev().take_while(|byte| part(byte)).count();
    let mut start = clock - token;
    // The date may be a word of its own: `2025-09-15 08:…`, `02/13/2026, 3:01:25 AM`, `Sep 15 08:…`.
    if token <= 2 {
        let before = line.get(..start).unwrap_or_default().trim_end_matches([' ', ',']);
        let date = before.bytes().rev().take_while(part_of_date).count();
        let word = before.get(before.len() - date..).unwrap_or_default();
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if digits >= 3 && word.contains(['-', '/', '.']) {
            start = before.len() - date;
        } else if (1..=2).contains(&digits) && digits == word.len() {
            let before = before.get(..before.len() - date).unwrap_or_default().trim_end();
            let month = before.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
            if month == 3 {
                start = before.len() - month;
            }
        }
    }
    let mut end = clock + 6;
    if matches!(bytes.get(end), Some(b'.' | b',')) && digit(end + 1) {
        end += 1 + bytes.get(end + 1..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    let rest = line.get(end..).unwrap_or_default();
    let zone = ["Z", " AM", " PM"].iter().find(|zone| rest.starts_with(**zone)).map_or(0, |zone| zone.len());
    end += zone;
    if zone == 0 && matches!(bytes.get(end), Some(b'+' | b'-')) && digit(end + 1) && digit(end + 2) {
        end += 1 + rest.bytes().skip(1).take_while(|byte| byte.is_ascii_digit() || *byte == b':').count();
    }
    // `08:00:00 +0000`
    if zone == 0 && matches!(bytes.get(end..end + 2), Some(b" +" | b" -")) && (end + 2..end + 6).all(digit) {
        end += 6;
    }
    line.is_char_boundary(start).then_some(start..end)
}

fn part_of_date(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'.')
}

/// `[   12.345678]`, `1757923262.123`.
fn seconds(line: &str) -> Option<Range<usize>> {
    let bytes = line.as_bytes();
    let start = bytes.iter().take(12).take_while(|byte| matches!(byte, b'[' | b' ')).count();
    let whole = bytes.get(start..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let point = bytes.get(start + whole) == Some(&b'.');
    let parts =
        bytes.get(start + whole + 1..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let bracketed = bytes.first() == Some(&b'[') && bytes.get(start + whole + 1 + parts) == Some(&b']');
    let kernel = bracketed && point && whole >= 1 && parts >= 3;
    let epoch = whole == 10 && point && parts >= 3 && bytes.first() == Some(&b'1');
    (kernel || epoch).then_some(start..start + whole + 1 + parts)
}

/// How bad the line says it is.
fn level(line: &str, time: Option<&Range<usize>>) -> Option<Level> {
    let bytes = line.as_bytes();
    if let [letter @ (b'I' | b'W' | b'E' | b'F'), a, b, c, d, b' ', ..] = bytes
        && [a, b, c, d].iter().all(|byte| byte.is_ascii_digit())
    {
        return letter_level(*letter);
    }
    if let Some(level) = keyed_level(line) {
        return Some(level);
    }
    let beginning = bytes.get(..BEGINNING).unwrap_or(bytes);
    let mut at = 0;
    while at < beginning.len() {
        let length =
            beginning.get(at..).unwrap_or_default().iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = beginning.get(at..at + length).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| bytes.get(before)).copied().unwrap_or(b' ');
        let after = bytes.get(at + length).copied().unwrap_or(b' ');
        if let Some(level) = word_level(word, before, after, at == 0) {
            return Some(level);
        }
        if let ([letter], Some(time)) = (word, time) {
            let between = bytes.get(time.end..at).unwrap_or(b"x");
            let only_numbers = between.iter().all(|byte| byte.is_ascii_digit() || *byte == b' ');
            let bracketed = before == b'[' && after == b']';
            if (only_numbers && before == b' ' && matches!(after, b' ' | b'/')) || bracketed {
                return letter_level(*letter);
            }
        }
        at += length;
    }
    None
}

fn letter_level(letter: u8) -> Option<Level> {
    let (weight, name) = match letter {
        b'E' => (Weight::Error, "ERROR"),
        b'F' => (Weight::Error, "FATAL"),
        b'W' => (Weight::Warning, "WARN"),
        b'I' => (Weight::Quiet, "INFO"),
        b'D' => (Weight::Quiet, "DEBUG"),
        b'V' => (Weight::Quiet, "VERBOSE"),
        _ => return None,
    };
    Some(Level { weight, name })
}

fn word_level(word: &[u8], before: u8, after: u8, opens: bool) -> Option<Level> {
    let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/' | b'.' | b'-');
    if word.len() < 3 || word.len() > 9 || name(before) || (name(after) && after != b'-') {
        return None;
    }
    let capitals = word.iter().all(u8::is_ascii_uppercase);
    let bracketed = matches!((before, after), (b'[', b']') | (b'<', b'>') | (b'(', b')'));
    let announced = after == b':' && opens && word.len() > 3;
    (capitals || bracketed || announced).then(|| named_level(word)).flatten()
}

fn named_level(word: &[u8]) -> Option<Level> {
    let (_, weight, name) = LEVELS.iter().find(|(level, _, _)| level.as_bytes().eq_ignore_ascii_case(word))?;
    Some(Level { weight: *weight, name })
}

/// `level=warn`, `"level":"error"`, `"level":50`, `"severity": "ERROR"`, `"PRIORITY":"3"`.
fn keyed_level(line: &str) -> Option<Level> {
    let bytes = line.as_bytes();
    let looked = bytes.get(..600).unwrap_or(bytes);
    let key = ["level", "severity", "lvl", "PRIORITY"]
        .iter()
        .find_map(|key| memmem::find(looked, key.as_bytes()).map(|at| (*key, at + key.len())));
    let (key, end) = key?;
    let after = bytes.get(end..)?;
    let skipped = after.iter().take(6).take_while(|byte| matches!(byte, b'"' | b':' | b'=' | b' ' | b'\'')).count();
    if !after.get(..skipped)?.iter().any(|byte| matches!(byte, b':' | b'=')) {
        return None;
    }
    let value = after.get(skipped..)?;
    let word = value.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if word > 0 {
        return named_level(value.get(..word)?);
    }
    let number = value.get(..value.iter().take_while(|byte| byte.is_ascii_digit()).count())?;
    let number: u32 = std::str::from_utf8(number).ok()?.parse().ok()?;
    let letter = match (key, number) {
        ("PRIORITY", 0..=3) => b'E',
        ("PRIORITY", 4) => b'W',
        ("PRIORITY", _) => b'I',
        (_, 50..=60) => b'E',
        (_, 40) => b'W',
        (_, 30) => b'I',
        (_, 10 | 20) => b'D',
        (_, _) => return None,
    };
    letter_level(letter)
}

/// The status a server answered with: `"GET / HTTP/1.1" 503 12`, `status=503`, `"statusCode": 503`.
pub(super) fn http_status(line: &str) -> Option<u16> {
    let bytes = line.as_bytes();
    let number = |at: usize| -> Option<u16> {
        let digits = bytes.get(at..at + 3)?;
        let ends = bytes.get(at + 3).is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
        let status: u16 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        (ends && (100..600).contains(&status)).then_some(status)
    };
    if let Some(at) = memmem::find(bytes, b" HTTP/") {
        let rest = bytes.get(at + 6..)?;
        let version = rest.iter().take(5).take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
        let quote = rest.get(version..)?.iter().take_while(|byte| matches!(byte, b'"' | b' ')).count();
        if let Some(status) = number(at + 6 + version + quote) {
            return Some(status);
        }
    }
    let at = memmem::find(bytes, b"status")? + 6;
    let between = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'"' | b'\'' | b':' | b'=' | b' ');
    let skipped = bytes.get(at..)?.iter().take(10).take_while(|byte| between(byte)).count();
    (skipped > 0).then(|| number(at + skipped)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, time: Option<&str>, level: Option<&str>) {
        let read = Line::of(line);
        assert_eq!(read.time.and_then(|time| line.get(time)), time, "{line}");
        assert_eq!(read.level.map(|level| level.name), level, "{line}");
    }

    #[test]
    fn time_and_level_are_found_in_any_format() {
        check("2025-09-15T08:00:00.123Z INFO [web] ok", Some("2025-09-15T08:00:00.123Z"), Some("INFO"));
        check("2025-09-15 08:00:00,123 - app - WARNING - x", Some("2025-09-15 08:00:00,123"), Some("WARN"));
        check("Sep 15 08:00:00 host sshd[12]: x", Some("Sep 15 08:00:00"), None);
        check("10.0.0.1 - - [15/Sep/2025:08:00:00 +0000] \"GET /\"", Some("15/Sep/2025:08:00:00 +0000"), None);
        check("[Nest] 79324  - 02/13/2026, 3:01:25 AM     LOG [X] y", Some("02/13/2026, 3:01:25 AM"), Some("LOG"));
        check("E0915 08:00:01.123456       1 a.go:138] x", Some("08:00:01.123456"), Some("ERROR"));
        check("a-1  | ts=2026-02-12T22:40:57.4Z level=error msg=x", Some("2026-02-12T22:40:57.4Z"), Some("ERROR"));
        check("{\"level\":50,\"time\":1757923262123,\"msg\":\"x\"}", None, Some("ERROR"));
        check("[   12.345678] usb 1-1: new device", Some("12.345678"), None);
        check("09-15 08:01:02.123  1234  5678 E Tag: x", Some("09-15 08:01:02.123"), Some("ERROR"));
        check("2025/09/15 08:00:00 [error] 12#0: *1 x", Some("2025/09/15 08:00:00"), Some("ERROR"));
        check("[INFO] Building jar", None, Some("INFO"));
        check("no time, an error: none", None, None);
        check("mac 00:11:22:33:44:55", None, None);
        check("", None, None);
    }

    #[test]
    fn the_status_of_an_answer_is_found() {
        assert_eq!(http_status("\"GET /a HTTP/1.1\" 503 12"), Some(503));
        assert_eq!(http_status("GET /a status=404 dur=3ms"), Some(404));
        assert_eq!(http_status("{\"statusCode\": 200}"), Some(200));
        assert_eq!(http_status("status ok 12"), None);
        assert_eq!(http_status(""), None);
    }
}
