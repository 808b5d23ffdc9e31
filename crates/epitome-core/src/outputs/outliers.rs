//! Records and rows that are unlike the others: rare values, far-out numbers, missing keys, other types.
//!
//! Shared by all kinds that have columns. What is unlike is derived from the column itself; if too many are, none is.

mod column;
mod forms;
mod numbers;
mod said;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use column::FEW;
pub use column::{Cell, Column, Summary, Unlike, summarize};
pub use schema::{SCHEMA_CHARS, Schema, schema};

/// At most so many rows that are unlike the others in the same way are shown.
const OF_ONE_GROUP: usize = 3;
/// So many outliers are always outliers.
const ALWAYS: usize = 8;
/// Beyond that, one row in so many at most.
const ONE_IN: usize = 20;
/// More are a distribution, however many rows there are.
const AT_MOST: usize = 20;

/// A row that is unlike the others.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlier {
    /// Its index.
    pub row: usize,
    /// In these columns.
    pub columns: Vec<usize>,
}

/// The rows that are unlike the others in some column, from top to bottom. Where they would be too many, the most
/// extreme of each column.
pub fn outliers(summaries: &[Summary], rows: usize) -> Vec<Outlier> {
    let mut found: BTreeMap<usize, (f64, BTreeSet<usize>)> = BTreeMap::new();
    let mut ranked: Vec<(usize, f64, usize, usize)> = Vec::new();
    for (column, summary) in summaries.iter().enumerate() {
        let mut unlike = summary.unlike.clone();
        unlike.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.row.cmp(&other.row)));
        let mut of_group: BTreeMap<u64, usize> = BTreeMap::new();
        for (position, unlike) in unlike.iter().enumerate() {
            let shown = of_group.entry(unlike.group).or_default();
            *shown += 1;
            if *shown <= OF_ONE_GROUP {
                ranked.push((position, -unlike.score, unlike.row, column));
            }
        }
    }
    // The most extreme of each column before the second of any.
    ranked.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2)));
    let unlike: BTreeSet<usize> = ranked.iter().map(|(_, _, row, _)| *row).collect();
    // Where every second of a few rows is unlike the others, none is.
    if (1..FEW).contains(&rows) && unlike.len() > (rows / 3).max(2) {
        return Vec::new();
    }
    let too_many = unlike.len() > ALWAYS.max((rows / ONE_IN).min(AT_MOST));
    for (_, score, row, column) in ranked {
        if too_many && found.len() >= ALWAYS && !found.contains_key(&row) {
            continue;
        }
        let (sum, columns) = found.entry(row).or_default();
        *sum -= score;
        columns.insert(column);
    }
    found.into_iter().map(|(row, (_, columns))| Outlier { row, columns: columns.into_iter().collect() }).collect()
}

/// Whether a text is a time, an address or an id.
pub fn has_form(text: &str) -> bool {
    forms::Form::ALL.iter().any(|form| form.fits(text))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Regular columns of all sorts, by a seed.
    struct Regular {
        state: u64,
    }

    const SORTS: &[&str] = &[
        "uniform",
        "normal",
        "exponential",
        "lognormal",
        "ids",
        "times",
        "words",
        "skewed words",
        "counts",
        "hex",
        "uuid",
        "labels",
        "flags",
        "names",
        "sentences",
    ];

    impl Regular {
        fn unit(&mut self) -> f64 {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.state >> 33) as f64 + 0.5) / (1u64 << 31) as f64
        }

        fn below(&mut self, end: usize) -> usize {
            (self.unit() * end as f64) as usize
        }

        fn normal(&mut self) -> f64 {
            (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
        }

        fn hex(&mut self, digits: usize) -> String {
            (0..digits).map(|_| format!("{:x}", self.below(16))).collect()
        }

        fn word(&mut self) -> String {
            (0..2 + self.below(8)).map(|_| char::from(b'a' + self.below(26) as u8)).collect()
        }

        fn value(&mut self, sort: &str, row: usize) -> String {
            match sort {
                "uniform" => format!("{}", 100 + self.below(9_000)),
                "normal" => format!("{:.2}", 50.0 + 10.0 * self.normal()),
                "exponential" => format!("{:.3}", -20.0 * self.unit().ln()),
                "lognormal" => format!("{:.2}", (2.0 + self.normal()).exp()),
                "ids" => format!("{}", 10_000 + row * 3 + self.below(3)),
                "times" => format!("2025-03-{:02}T{:02}:{:02}:00Z", 1 + row / 60 % 28, row / 24 % 24, self.below(60)),
                "words" => ["free", "pro", "team"][self.below(3)].into(),
                "skewed words" => ["ok", "ok", "ok", "retry", "late", "ok", "retry", "ok"][self.below(8)].into(),
                "counts" => format!("{}", (-self.unit().ln()) as u64),
                "hex" => self.hex(12),
                "uuid" => format!("{}-{}-4{}-a{}-{}", self.hex(8), self.hex(4), self.hex(3), self.hex(3), self.hex(12)),
                "labels" => format!("host-{}", self.below(5_000)),
                "flags" => {
                    if self.unit() < 0.7 {
                        "true".into()
                    } else {
                        "false".into()
                    }
                }
                "names" => format!("{} {}", self.word(), self.word()),
                _ => (0..3 + self.below(12)).map(|_| self.word() + " ").collect(),
            }
        }
    }

    fn column(sort: &str, rows: usize, seed: u64) -> Vec<String> {
        let mut regular = Regular { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xabcd };
        (0..20).for_each(|_| assert!(regular.unit() > 0.0));
        (0..rows).map(|row| regular.value(sort, row)).collect()
    }

    fn unlike(cells: &[String]) -> Vec<usize> {
        let cells = cells.iter().map(|cell| Cell::of_text(cell)).collect();
        let summary = summarize(&Column { name: "x".into(), cells });
        outliers(&[summary], 0).into_iter().map(|outlier| outlier.row).collect()
    }

    /// Columns with a false alarm, in a thousand.
    fn alarms(sort: &str, rows: usize) -> usize {
        let columns = 200;
        (0..columns).filter(|seed| !unlike(&column(sort, rows, *seed)).is_empty()).count() * 1_000 / columns as usize
    }

    #[test]
    fn regular_columns_raise_few_alarms() {
        for sort in SORTS {
            let of_rows = [20, 50, 200, 500].map(|rows| alarms(sort, rows));
            // Twenty rows say little: one column in ten may be wrong; with more it is one in thirty at most.
            let few = of_rows[0] <= 100 && of_rows[1..].iter().all(|alarms| *alarms <= 30);
            assert!(few, "{sort}: {of_rows:?}");
        }
    }

    #[test]
    fn a_planted_outlier_is_found_in_every_sort_of_column() {
        let long = "a sentence that goes on and on ".repeat(20);
        for (sort, planted) in [
            ("uniform", "950000"),
            ("uniform", "-20"),
            ("uniform", "n/a"),
            ("normal", "950.00"),
            ("normal", "oops"),
            ("exponential", "90000.5"),
            ("exponential", ""),
            ("lognormal", "9000000"),
            ("ids", "99999999"),
            ("times", "1970-01-01T00:00:00Z"),
            ("times", "2099-01-01T00:00:00Z"),
            ("times", "yesterday"),
            ("words", "enterprise"),
            ("skewed words", "lost"),
            ("counts", "4000"),
            ("hex", "not a hash"),
            ("uuid", "42"),
            ("labels", "root"),
            ("flags", "maybe"),
            ("names", ""),
            ("sentences", &long),
        ] {
            for rows in [60, 300, 1_000] {
                // One of eight in sixty rows is rare itself.
                if rows < 100 && sort == "skewed words" {
                    continue;
                }
                let missed: Vec<u64> = (0..50)
                    .filter(|seed| {
                        let mut cells = column(sort, rows, *seed);
                        let at = 3 + (*seed as usize * 7) % (rows - 6);
                        cells[at] = planted.into();
                        !unlike(&cells).contains(&at)
                    })
                    .collect();
                assert!(missed.len() <= 1, "{sort} {planted:?} {rows}: {missed:?}");
            }
        }
    }

    #[test]
    fn one_of_a_few_rows_is_unlike_the_others_if_all_of_them_agree() {
        let check = |cells: &[&str], expected: &[usize]| {
            let cells: Vec<Cell<'_>> = cells.iter().map(|cell| Cell::of_text(cell)).collect();
            let rows = cells.len();
            let found = outliers(&[summarize(&Column { name: "x".into(), cells })], rows);
            assert_eq!(found.into_iter().map(|outlier| outlier.row).collect::<Vec<_>>(), expected);
        };
        check(&["up", "up", "up", "lost", "up"], &[3]);
        check(&["0", "0", "47", "0", "0", "0"], &[2]);
        check(&["", "", "", "", "broken", ""], &[4]);
        check(&["30%", "41%", "100%", "35%", "38%", "33%", "36%"], &[2]);
        check(&["up", "up", "late", "lost", "up"], &[]);
        check(&["up", "up", "lost", "up"], &[]);
        check(&["12", "40", "33", "80", "57", "21"], &[]);
        check(&["ada", "bob", "eve", "kim", "lea", "max"], &[]);
    }

    #[test]
    fn too_many_are_no_outliers() {
        // Each of twenty columns has its own odd row.
        let mut columns: Vec<Vec<String>> = (0..20).map(|seed| column("words", 100, seed)).collect();
        columns.iter_mut().enumerate().for_each(|(at, column)| column[at * 4] = "odd".into());
        let summaries: Vec<Summary> = columns
            .iter()
            .map(|cells| {
                summarize(&Column { name: "x".into(), cells: cells.iter().map(|cell| Cell::of_text(cell)).collect() })
            })
            .collect();
        assert_eq!(outliers(&summaries, 100).len(), ALWAYS);
    }

    #[track_caller]
    fn says(cells: &[&str], expected: &str) {
        let cells = cells.iter().map(|cell| Cell::of_text(cell)).collect();
        assert_eq!(summarize(&Column { name: "x".into(), cells }).says, expected);
    }

    #[test]
    fn a_column_is_told_in_a_few_words() {
        says(&["7", "010", "9.50"], "7–010");
        says(&["a"; 12], "a");
        says(&["a", "b", "a", "a", "b", "a", "a"], "a 5×|b 2×");
        says(&["2025-01-02", "2025-01-01", "2025-03-01"], "2025-01-01–2025-03-01");
        says(&["", "-"], "null");
        says(&["ada", "bob", "eve"], "text");
        says(&["1", "2", "3", "1", "2", "5", "4", "90", "3", "70", "2", "4", "8"], "1–90 (median 3)");
    }

    proptest! {
        #[test]
        fn any_cells_can_be_told(cells in proptest::collection::vec(".{0,12}|[0-9]{1,4}|null", 0..60)) {
            let found = unlike(&cells);
            prop_assert!(found.iter().all(|row| *row < cells.len()));
        }
    }
}
