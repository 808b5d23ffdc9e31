//! From when to when a log goes: the least and the greatest of its times, whatever order its lines are in.

/// Follows the times of a log, line by line.
#[derive(Debug, Default)]
pub(in crate::outputs) struct Times<'text> {
    form: Option<Form>,
    /// Of the last line, with what its clock had gone round before.
    last: f64,
    rounds: f64,
    least: Option<(f64, &'text str)>,
    greatest: Option<(f64, &'text str)>,
}

/// How much of a time is written. Times of different forms cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `12.345678`: since the start.
    Seconds,
    /// `08:00:00`
    Clock,
    /// `Sep 15 08:00:00`
    Yearless,
    /// `2025-09-15T08:00:00Z`
    Dated,
}

impl Form {
    /// After so many seconds it begins again.
    fn round(self) -> Option<f64> {
        match self {
            Form::Seconds | Form::Dated => None,
            Form::Clock => Some(DAY),
            Form::Yearless => Some(12.0 * MONTH),
        }
    }
}

const DAY: f64 = 86_400.0;
/// Months are only compared: all may be as long as the longest.
const MONTH: f64 = 32.0 * DAY;

impl<'text> Times<'text> {
    /// Takes the time of the next line, as it is written. In seconds, to be compared with those of other lines.
    pub(in crate::outputs) fn add(&mut self, written: &'text str) -> Option<f64> {
        let instant = Instant::of(written)?;
        if *self.form.get_or_insert(instant.form) != instant.form {
            return None;
        }
        let mut at = instant.seconds + self.rounds;
        if let (Some(round), Some(_)) = (instant.form.round(), self.least) {
            // Half a round back is midnight, or the new year; half a round ahead is a line from before it.
            if at < self.last - round / 2.0 {
                self.rounds += round;
                at += round;
            } else if at > self.last + round / 2.0 && self.rounds > 0.0 {
                self.rounds -= round;
                at -= round;
            }
        }
        self.last = at;
        if self.least.is_none_or(|(least, _)| at < least) {
            self.least = Some((at, written));
        }
        if self.greatest.is_none_or(|(greatest, _)| at >= greatest) {
            self.greatest = Some((at, written));
        }
        Some(at)
    }

    /// `2025-09-15T08:00:00Z–08:09:59Z`: the day is said once.
    pub(in crate::outputs) fn say(&self) -> Option<String> {
        let ((_, first), (_, last)) = (self.least?, self.greatest?);
        if first == last {
            return Some(first.to_owned());
        }
        let clock = Instant::of(last).map_or(0, |last| last.clock);
        let same_day = clock > 0 && first.len() >= 16 && first.get(..clock) == last.get(..clock);
        Some(format!("{first}–{}", last.get(if same_day { clock } else { 0 }..).unwrap_or(last)))
    }
}

/// A time that can be compared with others of its form.
struct Instant {
    seconds: f64,
    form: Form,
    /// Where the time of day begins.
    clock: usize,
}

impl Instant {
    fn of(written: &str) -> Option<Instant> {
        let Some((hour_at, colon)) = clock(written) else {
            let seconds = written.trim().parse().ok()?;
            return Some(Instant { seconds, form: Form::Seconds, clock: 0 });
        };
        let number = |from: usize, to: usize| written.get(from..to)?.parse::<f64>().ok();
        let rest = written.get(colon + 4..)?;
        let second = rest.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',')).count();
        let second: f64 = rest.get(..second)?.replace(',', ".").parse().ok()?;
        let mut hour = number(hour_at, colon)?;
        if written.ends_with("AM") || written.ends_with("PM") {
            hour = hour % 12.0 + if written.ends_with("PM") { 12.0 } else { 0.0 };
        }
        let of_day = hour * 3600.0 + number(colon + 1, colon + 3)? * 60.0 + second;
        let (mut days, mut form) = date(written.get(..hour_at)?);
        // `Mon Sep 15 08:00:00 2025 +0200`
        let year = rest.split_whitespace().find(|word| word.len() == 4).and_then(|word| word.parse::<u32>().ok());
        if let (Form::Yearless, Some(year)) = (form, year) {
            (days, form) = (days + f64::from(year) * 12.0 * MONTH, Form::Dated);
        }
        Some(Instant { seconds: days + of_day, form, clock: hour_at })
    }
}

/// Where the hour begins, and the colon behind it.
fn clock(written: &str) -> Option<(usize, usize)> {
    let bytes = written.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let colon = memchr::memchr_iter(b':', bytes).find(|at| {
        let before = bytes.get(..*at).unwrap_or_default().iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        (1..=2).contains(&before) && digit(at + 1) && digit(at + 2) && bytes.get(at + 3) == Some(&b':') && digit(at + 4)
    })?;
    let hour = if colon >= 2 && digit(colon - 2) { colon - 2 } else { colon - 1 };
    Some((hour, colon))
}

/// The seconds up to a day.
fn date(written: &str) -> (f64, Form) {
    const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let mut numbers: Vec<f64> = Vec::new();
    let mut named = None;
    for word in written.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if let Ok(number) = word.trim_end_matches('T').parse::<u32>() {
            numbers.push(f64::from(number));
        } else if let Some(name) = word.get(..3) {
            named = named.or(MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name)));
        }
    }
    let year_at = numbers.iter().position(|number| *number >= 1000.0);
    let year = year_at.map(|at| numbers.remove(at));
    let day_first = written.contains('.') || numbers.first().is_some_and(|first| *first > 12.0);
    let (month, day) = match (named, numbers.as_slice()) {
        (Some(month), [day, ..]) => (month as f64 + 1.0, *day),
        // `24-05-15`: a year without its century.
        (None, [year, month, day]) if year_at.is_none() => return (days(*year, *month, *day), Form::Dated),
        (None, [day, month, ..]) if day_first && year_at != Some(0) => (*month, *day),
        (None, [month, day, ..]) => (*month, *day),
        (_, _) => return (0.0, Form::Clock),
    };
    (days(year.unwrap_or_default(), month, day), if year.is_some() { Form::Dated } else { Form::Yearless })
}

fn days(year: f64, month: f64, day: f64) -> f64 {
    (year * 12.0 + month) * MONTH + day * DAY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(written: &[&str], expected: &str) {
        let mut times = Times::default();
        written.iter().for_each(|written| {
            times.add(written);
        });
        assert_eq!(times.say().as_deref(), Some(expected), "{written:?}");
    }

    #[test]
    fn lines_may_be_in_any_order() {
        check(&["2025-09-15 08:02:00", "2025-09-15 07:00:00", "2025-09-15 08:01:00"], "2025-09-15 07:00:00–08:02:00");
        check(&["2025-09-15T08:02:00Z", "2025-09-14T09:00:00Z"], "2025-09-14T09:00:00Z–2025-09-15T08:02:00Z");
        check(
            &["01/Oct/2025:08:00:00 +0000", "30/Sep/2025:09:00:00 +0000"],
            "30/Sep/2025:09:00:00 +0000–01/Oct/2025:08:00:00 +0000",
        );
        check(
            &["15.01.2025 08:00:00", "02.02.2025 08:00:00", "01.02.2025 09:00:00"],
            "15.01.2025 08:00:00–02.02.2025 08:00:00",
        );
        check(
            &["Mon Jan 5 08:00:00 2026 +0100", "Wed Dec 31 08:00:00 2025 +0100"],
            "Wed Dec 31 08:00:00 2025 +0100–Mon Jan 5 08:00:00 2026 +0100",
        );
        check(&["12.500000", "3.250000", "99.000000"], "3.250000–99.000000");
    }

    #[test]
    fn the_half_of_the_day_is_said_with_its_time() {
        check(&["2/13/2026, 3:01:25 PM", "2/13/2026, 9:01:25 AM"], "2/13/2026, 9:01:25 AM–3:01:25 PM");
        check(&["2/13/2026, 12:01:25 AM", "2/13/2026, 12:01:25 PM"], "2/13/2026, 12:01:25 AM–12:01:25 PM");
        check(&["2/13/2026, 3:01:25 AM", "2/13/2026, 3:01:25 AM"], "2/13/2026, 3:01:25 AM");
    }

    #[test]
    fn midnight_and_the_new_year_are_passed() {
        check(&["23:59:50", "00:00:10", "23:59:55", "00:00:12"], "23:59:50–00:00:12");
        check(&["Dec 31 23:59:50", "Jan  1 00:00:10"], "Dec 31 23:59:50–Jan  1 00:00:10");
    }
}
