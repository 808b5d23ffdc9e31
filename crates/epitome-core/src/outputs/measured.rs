//! Measured values far above those of like lines: a request that took a hundred times as long.

use std::collections::BTreeMap;

use super::template;

/// A value so many times larger than all but the highest is unlike the others.
const OUTLIER: f64 = 5.0;
/// Values needed to know what is common.
const VALUES_AT_LEAST: usize = 30;
/// Of each field, at most so many.
const AT_MOST: usize = 2;

/// The lines with such a value. Each line comes with its index and the group of lines it is like.
pub(super) fn far_above<'text>(lines: impl Iterator<Item = (usize, usize, &'text str)>) -> Vec<usize> {
    let mut fields: BTreeMap<(usize, usize), Vec<(f64, usize)>> = BTreeMap::new();
    for (index, group, line) in lines {
        for (field, number) in numbers(line) {
            fields.entry((group, field)).or_default().push((number, index));
        }
    }
    let mut found = Vec::new();
    for values in fields.values_mut().filter(|values| values.len() >= VALUES_AT_LEAST) {
        values.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        let high = values.get(values.len() * 97 / 100).map_or(f64::MAX, |value| value.0);
        let above = |(value, _): &&(f64, usize)| high > 0.0 && *value >= high * OUTLIER;
        found.extend(values.iter().rev().take(AT_MOST).filter(above).map(|(_, index)| *index));
    }
    found
}

/// What was measured, with the number of its field: values with a unit, and what a server wrote behind a status.
fn numbers(line: &str) -> Vec<(usize, f64)> {
    let answered = line.find("\" ").filter(|_| line.contains(" HTTP/"));
    let mut numbers = Vec::new();
    for (field, value) in template::values(line).into_iter().enumerate() {
        let end = value.as_ptr() as usize - line.as_ptr() as usize + value.len();
        let unit =
            line.get(end..).and_then(|rest| rest.strip_prefix(' ')).and_then(|rest| rest.split_whitespace().next());
        let spaced = || measured(&format!("{value}{}", unit.filter(|unit| unit.len() == 2)?));
        let counted = || value.parse::<f64>().ok().filter(|_| answered.is_some_and(|at| end > at + 6));
        numbers.extend(measured(value).or_else(spaced).or_else(counted).map(|number| (field, number)));
    }
    numbers
}

/// A number with a unit: `35ms`, `0.4s`, `12MB`. Ids and ports have none.
fn measured(value: &str) -> Option<f64> {
    let digits = value.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    let (number, unit) = value.split_at_checked(digits)?;
    let factor = match unit {
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" | "B" | "b" => 1.0,
        "m" | "min" => 60.0,
        "kB" | "KB" | "KiB" | "k" => 1e3,
        "MB" | "MiB" | "M" => 1e6,
        "GB" | "GiB" | "G" => 1e9,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &[f64]) {
        assert_eq!(numbers(line).into_iter().map(|(_, number)| number).collect::<Vec<_>>(), expected, "{line}");
    }

    #[test]
    fn numbers_with_units_are_measured() {
        check("GET /a/12 took 35ms, 2MB", &[0.035, 2e6]);
        check("64 bytes from 10.0.0.1: icmp_seq=3 ttl=57 time=40 ms", &[0.04]);
        check("\"GET /a/1 HTTP/1.1\" 200 5120", &[5120.0]);
        check("port 8080 id 12", &[]);
        check("", &[]);
    }

    #[test]
    fn one_of_many_stands_out() {
        let lines: Vec<String> =
            (0..60).map(|n| format!("took {}ms", if n == 31 { 900 } else { 20 + n % 5 })).collect();
        assert_eq!(far_above(lines.iter().enumerate().map(|(index, line)| (index, 0, line.as_str()))), [31]);
    }
}
