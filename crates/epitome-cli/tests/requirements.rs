//! `docs/requirements.md` names the tests that prove each requirement; this checks the names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const REQUIREMENTS: usize = 23;

#[test]
fn every_test_that_the_requirements_name_exists() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of the crates");
    let document = crates.with_file_name("docs").join("requirements.md");
    let document = fs::read_to_string(document).expect("docs/requirements.md");
    let rows: Vec<Vec<&str>> = document.lines().filter(|line| line.starts_with("| M")).map(cells).collect();
    let mut wrong = Vec::new();
    for number in 1..=REQUIREMENTS {
        let requirement = format!("M{number}");
        if !rows.iter().any(|row| row[0] == requirement) {
            wrong.push(format!("{requirement} has no row"));
        }
    }
    let mut tests_by_crate: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for row in &rows {
        let &[requirement, promise, tests, _] = row.as_slice() else {
            wrong.push(format!("{}: a row has {} cells instead of 4", row[0], row.len()));
            continue;
        };
        // Every second part stands between backticks.
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        if named.is_empty() && !tests.contains("(issue ") {
            wrong.push(format!("{requirement} names neither a test nor an issue: {promise}"));
        }
        for name in named {
            let Some((package, test)) = name.split_once(": ") else {
                wrong.push(format!("{requirement}: `{name}` is not of the form `crate: test`"));
                continue;
            };
            let tests = tests_by_crate.entry(package).or_insert_with(|| {
                let mut tests = BTreeSet::new();
                collect_tests(&crates.join(format!("epitome-{package}")), &mut tests);
                tests
            });
            if !tests.contains(test) {
                wrong.push(format!("{requirement}: crates/epitome-{package} has no test `{test}`"));
            }
        }
    }
    assert!(wrong.is_empty(), "docs/requirements.md:\n{}", wrong.join("\n"));
}

/// The cells of a row of a table.
fn cells(row: &str) -> Vec<&str> {
    row.trim().trim_start_matches('|').trim_end_matches('|').split('|').map(str::trim).collect()
}

/// The names of the tests in all sources below a directory.
fn collect_tests(directory: &Path, tests: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries {
        let path = entry.expect("an entry of a directory").path();
        if path.is_dir() {
            collect_tests(&path, tests);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            tests.extend(tests_in(&fs::read_to_string(&path).expect("a source")));
        }
    }
}

/// The functions behind `#[test]` and `#[tokio::test]`.
fn tests_in(source: &str) -> Vec<String> {
    let mut is_test = false;
    let mut tests = Vec::new();
    for line in source.lines().map(str::trim) {
        is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
        let function = line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ");
        if let Some((name, _)) = function.and_then(|function| function.split_once('(')) {
            if is_test {
                tests.push(name.to_owned());
            }
            is_test = false;
        }
    }
    tests
}
