//! When a call that failed is made again: later each time, never in step with others, and as the provider asks.

use std::time::Duration;

use crate::error::AskError;

/// How often, and how long to wait between.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Calls in all, the first included.
    pub calls: u32,
    /// The wait before the second call; it doubles.
    pub first: Duration,
    /// No wait of ours is longer.
    pub longest: Duration,
    /// A provider that asks for a longer wait is not waited for.
    pub longest_asked: Duration,
    /// Tells one process from another, so that not all ask again at once.
    pub seed: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            calls: 4,
            first: Duration::from_secs(1),
            longest: Duration::from_secs(30),
            longest_asked: Duration::from_secs(60),
            seed: 0,
        }
    }
}

impl Retry {
    /// How long to wait before the call after `failed` failed ones. `None`: it is given up.
    pub fn wait(&self, failed: u32, error: &AskError) -> Option<Duration> {
        if failed >= self.calls || !error.is_worth_retrying() {
            return None;
        }
        match error.retry_after() {
            Some(asked) if asked > self.longest_asked => None,
            Some(asked) => Some(asked),
            None => Some(self.backoff(failed)),
        }
    }

    /// Between half and all of a wait that doubles with each failure.
    fn backoff(&self, failed: u32) -> Duration {
        let doubled = self.first.saturating_mul(1 << failed.saturating_sub(1).min(16)).min(self.longest);
        // SplitMix64: the next number after a seed, evenly spread.
        let mut mixed = self.seed.wrapping_add(u64::from(failed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let share = (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64;
        doubled.mul_f64(0.5 + 0.5 * share)
    }
}

/// How long `Retry-After` asks to wait: it says seconds, or a date. A date is compared with the `Date` of the same answer,
/// so that no two clocks must agree; without one, or if it is past, it says nothing.
pub fn retry_after(header: &str, date: Option<&str>) -> Option<Duration> {
    let header = header.trim();
    match header.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => {
            Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
        }
        Ok(_) => None,
        Err(_) => {
            let wait = http_date(header)?.checked_sub(http_date(date?.trim())?)?;
            (wait > 0).then(|| Duration::from_secs(wait))
        }
    }
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the form that RFC 9110 asks for.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let mut words = date.split(' ');
    let mut number = |digits: usize| {
        let word = words.next().filter(|word| word.len() == digits && word.bytes().all(|byte| byte.is_ascii_digit()));
        word.and_then(|word| word.parse::<u64>().ok())
    };
    let day = number(2).filter(|day| (1..=31).contains(day))?;
    let month = words.next().and_then(|name| MONTHS.iter().position(|month| *month == name))? as u64;
    let year = words.next().filter(|year| year.len() == 4)?.parse::<u64>().ok().filter(|year| *year >= 1970)?;
    let mut clock = words.next()?.split(':').map(|part| part.parse::<u64>().ok().filter(|_| part.len() == 2));
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let is_time = hour < 24 && minute < 60 && second <= 60 && clock.next().is_none();
    if !is_time || words.next() != Some("GMT") || words.next().is_some() {
        return None;
    }
    // Years begin in March, so that the day of a leap year is the last; the months then have a rule.
    let (year, month) = if month < 2 { (year - 1, month + 10) } else { (year, month - 2) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    // To the first of January 1970.
    let days = days.checked_sub(719_468)?;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, retry_after: Option<u64>) -> AskError {
        AskError::Status { host: "h".into(), status, kind: None, retry_after: retry_after.map(Duration::from_secs) }
    }

    #[test]
    fn waits_double_and_are_spread() {
        let retry = Retry { calls: 9, seed: 7, ..Retry::default() };
        for (failed, full) in [(1, 1.0), (2, 2.0), (3, 4.0), (4, 8.0), (6, 30.0)] {
            let wait = retry.wait(failed, &status(503, None)).expect("it is tried again").as_secs_f64();
            assert!((full / 2.0..=full).contains(&wait), "{failed}: {wait}");
        }
        let other = Retry { seed: 8, ..retry.clone() };
        assert_ne!(retry.wait(1, &status(503, None)), other.wait(1, &status(503, None)));
        assert_eq!(retry.wait(1, &status(503, None)), retry.clone().wait(1, &status(503, None)));
    }

    #[test]
    fn the_provider_is_heard_within_reason() {
        let retry = Retry::default();
        assert_eq!(retry.wait(1, &status(429, Some(3))), Some(Duration::from_secs(3)));
        assert_eq!(retry.wait(1, &status(429, Some(3_600))), None);
    }

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        let retry = Retry::default();
        for (code, again) in [(429, true), (500, true), (502, true), (503, true), (504, true), (529, true)] {
            assert_eq!(retry.wait(1, &status(code, None)).is_some(), again, "{code}");
        }
        for code in [400, 401, 402, 403, 404, 422] {
            assert_eq!(retry.wait(1, &status(code, Some(1))), None, "{code}");
        }
        assert_eq!(retry.wait(4, &status(503, None)), None, "four calls are enough");
        let broke = AskError::Status {
            host: "h".into(),
            status: 429,
            kind: Some("insufficient_quota".into()),
            retry_after: None,
        };
        assert_eq!(retry.wait(1, &broke), None);
    }

    #[test]
    fn retry_after_is_read() {
        let after = |header: &str| retry_after(header, Some("Wed, 21 Oct 2026 07:27:57 GMT"));
        assert_eq!(retry_after("Wed, 21 Oct 2026 07:28:00 GMT", None), None);
        assert_eq!(after(" 2 "), Some(Duration::from_secs(2)));
        assert_eq!(after("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(after("1e300"), Some(Duration::MAX));
        assert_eq!(after("Wed, 21 Oct 2026 07:28:00 GMT"), Some(Duration::from_secs(3)));
        for nothing in [
            "",
            "-1",
            "NaN",
            "Wed, 21 Oct 2026 07:27:57 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Wed, 21 Oct 2026 07:28:00 CET",
            "Wed, 21 Oct 2026 25:28:00 GMT",
            "Wed, 0 Foo 99999999999999999999 07:28:00 GMT",
            "Wednesday",
        ] {
            assert_eq!(after(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn dates_are_days_since_1970() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(http_date("Tue, 29 Feb 2000 23:59:59 GMT"), Some(951_868_799));
        assert_eq!(http_date("Mon, 01 Mar 2100 00:00:00 GMT"), Some(4_107_542_400));
    }
}
