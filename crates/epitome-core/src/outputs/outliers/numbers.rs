//! Numbers that are far from all others of their column.
//!
//! Far is measured by the numbers themselves: how far the tail of the others reaches decides how far is too far. A column
//! of durations has a long tail, and its longest is no outlier; a column of ages has none.

/// A tail so many times as long as the middle is wide asks for a gap of one more tail.
const TAIL: f64 = 3.0;
/// Few numbers say little about their tail.
const FEW: f64 = 30.0;
/// Beyond the quartiles by this many times their distance.
const FENCE: f64 = 2.0;
/// A monotone column ends somewhere: its last value must be this much farther away.
const AT_THE_END: f64 = 5.0;
/// A zero among others is told if it is this many usual distances away from them.
const ZERO_GAP: f64 = 8.0;

/// A number and how far out it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FarOut {
    /// Index into the numbers.
    pub index: usize,
    /// How many tails of the others away.
    pub by: f64,
}

/// Which sides of a column are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sides {
    /// Too small and too large.
    Both,
    /// Too large.
    Upper,
}

/// The numbers that are far from all others, at most `limit` on each side.
pub(super) fn far_out(numbers: &[f64], limit: usize, sides: Sides) -> Vec<FarOut> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    let at = |index: usize| numbers.get(index).copied().unwrap_or_default();
    order.sort_by(|one, other| at(*one).total_cmp(&at(*other)));
    let sorted: Vec<f64> = order.iter().map(|index| at(*index)).collect();
    let Some(middle) = Middle::of(&sorted) else { return Vec::new() };
    let upper = tail(&sorted, &middle, limit);
    let mut far: Vec<FarOut> = upper.iter().filter_map(|(at, by)| found(&order, *at, *by)).collect();
    if sides == Sides::Both {
        let mirrored: Vec<f64> = sorted.iter().rev().map(|number| -number).collect();
        let lower = tail(&mirrored, &middle.mirrored(), limit);
        let last = order.len().saturating_sub(1);
        far.extend(lower.iter().filter_map(|(at, by)| found(&order, last.checked_sub(*at)?, *by)));
        far.extend(wrong_sign(&sorted, &middle).into_iter().filter_map(|at| found(&order, at, 1.0)));
    }
    if is_monotone(numbers) {
        far.retain(|far| breaks_order(numbers, far.index) || (far.by >= AT_THE_END && is_end(numbers, far.index)));
    }
    far.sort_by_key(|far| far.index);
    far.dedup_by_key(|far| far.index);
    far
}

fn found(order: &[usize], at: usize, by: f64) -> Option<FarOut> {
    order.get(at).map(|index| FarOut { index: *index, by })
}

struct Middle {
    lower: f64,
    median: f64,
    upper: f64,
}

impl Middle {
    fn of(sorted: &[f64]) -> Option<Middle> {
        let quartile = |of_four: usize| sorted.get((sorted.len().saturating_sub(1)) * of_four / 4).copied();
        Some(Middle { lower: quartile(1)?, median: quartile(2)?, upper: quartile(3)? })
    }

    fn mirrored(&self) -> Middle {
        Middle { lower: -self.upper, median: -self.median, upper: -self.lower }
    }

    fn width(&self) -> f64 {
        self.upper - self.lower
    }
}

/// Positions of the largest numbers that a gap separates from all others, with the size of the gap in tails.
fn tail(sorted: &[f64], middle: &Middle, limit: usize) -> Vec<(usize, f64)> {
    let count = sorted.len();
    let width = middle.width();
    let half = (middle.upper - middle.median).max(width / 4.0);
    for group in (1..=limit.min(count.saturating_sub(4))).rev() {
        let (Some(number), Some(next)) = (sorted.get(count - group), sorted.get(count - group - 1)) else { continue };
        let reach = next - middle.median;
        if *number <= middle.upper + FENCE * width || reach < 0.0 {
            continue;
        }
        if width == 0.0 {
            // Nearly all are one number: then any other is unlike it, but a tail of others is none.
            if reach == 0.0 {
                return (count - group..count).map(|at| (at, 1.0)).collect();
            }
            continue;
        }
        let tail = (reach / half).max(2.0);
        let needed = 1.0 + (tail / TAIL + 0.5) * (1.0 + FEW / count as f64);
        let by = (number - middle.median) / reach.max(half);
        if by >= needed {
            return (count - group..count).map(|at| (at, by / needed)).collect();
        }
    }
    Vec::new()
}

/// One negative number among positive ones; a zero that stands alone.
fn wrong_sign(sorted: &[f64], middle: &Middle) -> Vec<usize> {
    let negative = sorted.partition_point(|number| *number < 0.0);
    let zero = sorted.partition_point(|number| *number <= 0.0) - negative;
    let alone = (sorted.len() / 200).max(1);
    if sorted.len() < 20 {
        return Vec::new();
    }
    if (1..=alone).contains(&negative) && middle.lower > 0.0 {
        return (0..negative).collect();
    }
    let next = sorted.get(negative + zero).copied().unwrap_or_default();
    let usual = 2.0 * middle.width() / sorted.len() as f64;
    if negative == 0 && (1..=alone).contains(&zero) && next > ZERO_GAP * usual && next > 0.0 {
        return (0..zero).collect();
    }
    Vec::new()
}

/// Counters and times go one way, with few exceptions.
pub(super) fn is_monotone(numbers: &[f64]) -> bool {
    let steps = numbers.len().saturating_sub(1);
    let pairs = || numbers.iter().zip(numbers.iter().skip(1));
    let up = pairs().filter(|(one, next)| one <= next).count();
    let down = pairs().filter(|(one, next)| one >= next).count();
    steps >= 4 && up.max(down) * 20 >= steps * 19 && up != down
}

fn breaks_order(numbers: &[f64], index: usize) -> bool {
    let (Some(before), Some(own), Some(after)) =
        (index.checked_sub(1).and_then(|at| numbers.get(at)), numbers.get(index), numbers.get(index + 1))
    else {
        return false;
    };
    (own > before && own > after) || (own < before && own < after)
}

fn is_end(numbers: &[f64], index: usize) -> bool {
    index == 0 || index + 1 == numbers.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(numbers: &[f64], expected: &[usize]) {
        let far: Vec<usize> = far_out(numbers, 3, Sides::Both).iter().map(|far| far.index).collect();
        assert_eq!(far, expected);
    }

    #[test]
    fn one_far_number_is_found_on_either_side() {
        let mut numbers: Vec<f64> = (0..40).map(|n| f64::from(n * 37 % 41)).collect();
        check(&numbers, &[]);
        numbers[17] = 900.0;
        check(&numbers, &[17]);
        numbers[23] = -300.0;
        check(&numbers, &[17, 23]);
    }

    #[test]
    fn a_counter_that_goes_on_has_no_outlier() {
        let mut numbers: Vec<f64> = (0..60).map(f64::from).collect();
        numbers.extend((0..60).map(|n| f64::from(n) + 50_000.0));
        check(&numbers, &[]);
        numbers[30] = 1e9;
        check(&numbers, &[30]);
    }

    #[test]
    fn a_wrong_sign_is_told() {
        let mut numbers: Vec<f64> = (0..40).map(|n| f64::from(n * 7 % 20 + 1)).collect();
        numbers[5] = -1.0;
        check(&numbers, &[5]);
    }

    #[test]
    fn few_or_equal_numbers_have_no_outliers() {
        check(&[], &[]);
        check(&[1.0, 900.0], &[]);
        check(&[3.0; 30], &[]);
    }
}
