//! How long something took, by what a line says, and what took far longer than the rest.

/// Fewer durations say nothing of what is usual.
const DURATIONS: usize = 8;
/// What takes so many times as long as the most is unlike them.
const FAR_LONGER: f64 = 10.0;
/// So many at most, each this many times as long as those below them.
const LONGEST: (usize, f64) = (3, 3.0);
/// In seconds: nobody minds less.
const NOTICED: f64 = 0.5;

/// Which of some durations, each with its index, are far above the others.
pub(super) fn far_longer(mut durations: Vec<(usize, f64)>) -> Vec<usize> {
    if durations.len() < DURATIONS {
        return Vec::new();
    }
    durations.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let (at_most, times) = LONGEST;
    let at = |position: usize| durations.get(position).map_or(0.0, |(_, seconds)| *seconds);
    let least = (at(durations.len() / 2) * FAR_LONGER).max(at(at_most) * times).max(NOTICED);
    durations.iter().take(at_most).filter(|(_, seconds)| *seconds >= least).map(|(index, _)| *index).collect()
}

/// The last duration that a line says, in seconds: `(0.01s)`, `12 ms`, `14m41s`.
pub(super) fn duration(line: &str) -> Option<f64> {
    let mut unit = "";
    for word in line.rsplit(|c: char| c.is_whitespace() || "()[],=".contains(c)).filter(|word| !word.is_empty()).take(8)
    {
        let number = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let spaced = || seconds(&format!("{word}{unit}")).filter(|_| number && !unit.is_empty());
        if let Some(found) = seconds(word).or_else(spaced) {
            return Some(found);
        }
        unit = word;
    }
    None
}

/// `1.5s`, `14m41s`
fn seconds(word: &str) -> Option<f64> {
    let digits = |rest: &str| rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (mut rest, mut sum) = (word, None);
    while !rest.is_empty() {
        let number = digits(rest);
        let unit = rest.get(number..)?.bytes().take_while(|byte| !byte.is_ascii_digit()).count();
        let (value, after) = rest.split_at_checked(number + unit)?;
        sum = Some(sum.unwrap_or(0.0) + time(value).filter(|_| number > 0)?);
        rest = after;
    }
    sum
}

/// A number with a unit of time: `35ms`, `0.4s`. Ids and ports have none.
fn time(value: &str) -> Option<f64> {
    let digits = value.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = value.split_at_checked(digits)?;
    let factor = match unit {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" | "secs" | "seconds" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_duration_of_a_line_is_found() {
        for (line, expected) in [
            ("12/90 Test #12: net ......   Passed    0.25 sec", Some(0.25)),
            ("--- PASS: TestNet (3.50s)", Some(3.5)),
            ("    ✓ settles (12 ms)", Some(0.012)),
            ("PASS [   0.125s] ledger net::case_3", Some(0.125)),
            ("Tests run: 3, Time elapsed: 14m41s - in NetTest", Some(881.0)),
            ("test net::case_12 ... ok", None),
            ("loaded 12MB", None),
        ] {
            assert_eq!(duration(line), expected, "{line}");
        }
    }

    #[test]
    fn what_takes_far_longer_than_the_rest_is_found() {
        let usual = || (0..20).map(|n| 0.9 + f64::from(n) / 100.0);
        let taken = |long: Vec<f64>| long.into_iter().chain(usual()).enumerate();
        assert_eq!(far_longer(taken(vec![881.0]).collect()), [0]);
        assert_eq!(far_longer(taken(vec![881.0, 20.0]).collect()), [0, 1]);
        // Times of all sizes: none is odd.
        assert_eq!(far_longer((0..20).map(|n| (n, 1.2_f64.powi(n as i32))).collect()), [0usize; 0]);
        assert_eq!(far_longer(vec![(0, 881.0), (1, 1.0)]), [0usize; 0]);
    }
}
