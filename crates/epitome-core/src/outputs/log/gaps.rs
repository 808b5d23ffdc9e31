//! Where the times of a log jump: a long silence, a clock that was set back, a line from another time.

/// Fewer lines say nothing of how often one is written.
const LINES_AT_LEAST: usize = 20;
/// A step so many times as long as nearly all others is a jump.
const LONGER: f64 = 20.0;
/// A shorter one is not worth telling, in seconds.
const SHORTEST: f64 = 60.0;
/// More jumps than these are how the log is written.
const AT_MOST: usize = 3;

/// The lines that jumps lead to, by their index, with what is to be said of them. Times are in seconds, with the index of
/// their line.
pub(super) fn jumps(times: &[(usize, f64)]) -> Vec<(usize, String)> {
    let mut steps: Vec<f64> = times.iter().zip(times.iter().skip(1)).map(|(one, next)| next.1 - one.1).collect();
    // Some logs begin with the newest line.
    if steps.iter().filter(|step| **step < 0.0).count() * 2 > steps.len() {
        steps.iter_mut().for_each(|step| *step = -*step);
    }
    let mut lengths: Vec<f64> = steps.iter().map(|step| step.abs()).collect();
    lengths.sort_by(f64::total_cmp);
    let usual = lengths.get(lengths.len() * 19 / 20).copied().unwrap_or_default();
    let far = |step: f64| step.abs() >= SHORTEST && step.abs() >= LONGER * usual;
    if times.len() < LINES_AT_LEAST || steps.iter().filter(|step| far(**step)).count() > AT_MOST * 2 {
        return Vec::new();
    }
    let step = |at: usize| steps.get(at).copied().unwrap_or_default();
    let mut found = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let Some((line, _)) = times.get(at + 1).filter(|_| far(step(at))) else {
            at += 1;
            continue;
        };
        // There and back again: only this line is from another time.
        let alone = far(step(at + 1)) && (step(at) + step(at + 1)).abs() * 4.0 <= step(at).abs();
        let note = match step(at) {
            _ if alone => " [from another time]".to_owned(),
            silence if silence > 0.0 => format!(" [after {} of silence]", written(silence)),
            back => format!(" [the time goes back {}]", written(-back)),
        };
        found.push((*line, note));
        at += if alone { 2 } else { 1 };
    }
    if found.len() > AT_MOST { Vec::new() } else { found }
}

/// `3h12m`
fn written(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes}m"),
        (0, hours, minutes) => format!("{hours}h{minutes:02}m"),
        (days, hours, _) => format!("{days}d{hours:02}h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(times: impl Iterator<Item = f64>, expected: &[(usize, &str)]) {
        let times: Vec<(usize, f64)> = times.enumerate().collect();
        let expected: Vec<(usize, String)> = expected.iter().map(|(at, note)| (*at, (*note).to_owned())).collect();
        assert_eq!(jumps(&times), expected);
    }

    #[test]
    fn a_silence_a_clock_set_back_and_a_line_from_another_time_are_told() {
        let each = |n: usize| n as f64 * 2.0;
        check((0..50).map(|n| each(n) + if n >= 30 { 11_000.0 } else { 0.0 }), &[(30, " [after 3h03m of silence]")]);
        check((0..50).map(|n| -each(n) - if n >= 30 { 11_000.0 } else { 0.0 }), &[(30, " [after 3h03m of silence]")]);
        check((0..50).map(|n| each(n) - if n >= 30 { 3_600.0 } else { 0.0 }), &[(30, " [the time goes back 1h00m]")]);
        check((0..50).map(|n| if n == 30 { -90_000.0 } else { each(n) }), &[(30, " [from another time]")]);
    }

    #[test]
    fn regular_irregular_and_short_logs_do_not_jump() {
        check((0..50).map(|n| n as f64 * 86_400.0), &[]);
        check((0..50).map(|n| (n * n * n) as f64), &[]);
        check((0..50).map(|n| (n + n / 5 * 4_000) as f64), &[]);
        check((0..5).map(|n| (n + n / 4 * 90_000) as f64), &[]);
    }
}
