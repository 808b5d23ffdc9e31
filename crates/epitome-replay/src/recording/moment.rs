//! When something was said: ISO dates, and seconds or milliseconds since 1970.

use serde_json::Value;

/// Later than this in seconds, a number must be milliseconds.
const MILLISECONDS_ABOVE: f64 = 1e11;

/// Seconds since 1970, if `value` is a time.
pub(super) fn seconds(value: Option<&Value>) -> Option<f64> {
    match value? {
        Value::Number(number) => number.as_f64().map(from_number),
        Value::String(text) => iso(text).or_else(|| text.parse().ok().map(from_number)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn from_number(number: f64) -> f64 {
    if number > MILLISECONDS_ABOVE { number / 1_000.0 } else { number }
}

/// `2026-02-21T15:41:34.124Z`, also with an offset such as `+01:00`; without one it is UTC.
fn iso(text: &str) -> Option<f64> {
    let (date, time) = text.split_once(['T', ' '])?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
    let (clock, zone) = time.split_at_checked(end)?;
    let mut clock = clock.splitn(3, ':');
    let (hour, minute) = (clock.next()?.parse::<f64>().ok()?, clock.next()?.parse::<f64>().ok()?);
    let second = clock.next().map_or(Some(0.0), |second| second.parse::<f64>().ok())?;
    let offset = match zone.as_bytes().first() {
        None | Some(b'Z' | b'z') => 0.0,
        Some(sign) => {
            let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
            let (hours, minutes) = digits.split_at_checked(2)?;
            let minutes = if minutes.is_empty() { 0.0 } else { minutes.parse::<f64>().ok()? };
            let size = hours.parse::<f64>().ok()? * 3_600.0 + minutes * 60.0;
            if *sign == b'-' { -size } else { size }
        }
    };
    ((1..=12).contains(&month) && (1..=31).contains(&day))
        .then(|| days(year, month, day) as f64 * 86_400.0 + hour * 3_600.0 + minute * 60.0 + second - offset)
}

/// Days since the first of January 1970. Years start in March here, so that a leap day is the last of its year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: Value, expected: Option<f64>) {
        assert_eq!(seconds(Some(&value)), expected, "{value}");
    }

    #[test]
    fn times_are_read_however_they_were_written() {
        check(json!("1970-01-01T00:00:00Z"), Some(0.0));
        check(json!("2000-02-29T00:00:00Z"), Some(951_782_400.0));
        check(json!("2026-02-21T15:41:34.124Z"), Some(1_771_688_494.124));
        check(json!("2026-02-21T16:41:34+01:00"), Some(1_771_688_494.0));
        check(json!("2026-02-21 15:41"), Some(1_771_688_460.0));
        check(json!(1_771_688_494), Some(1_771_688_494.0));
        check(json!(1_771_688_494_124_u64), Some(1_771_688_494.124));
        check(json!("1771688494"), Some(1_771_688_494.0));
        for none in [json!("yesterday"), json!(null), json!("2026-13-01T00:00:00Z"), json!(""), json!("T-")] {
            check(none, None);
        }
    }
}
