//! Test runs: the totals, and every failure once with its name, message and place. Tests that passed are counted.

mod failure;
mod records;
mod result;

use std::collections::{BTreeMap, HashMap, HashSet};

use super::place::plural;
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, diagnostics, events};
use result::{Outcome, Status};

/// What test runners print, whatever the language.
pub struct TestRun;

/// More summaries than this, one for each crate or package, are added up.
const SUMMARIES: usize = 4;
/// Files whose passed tests are counted one by one.
const NAMED_FILES: usize = 8;

impl OutputKind for TestRun {
    fn name(&self) -> &'static str {
        "test run"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        if let Some(reading) = records::read(text) {
            return Some(reading);
        }
        if !looks_like_run(text, tests(&output.tool, &output.arguments)) {
            return None;
        }
        let mut reading = Reading::of_lines(text);
        (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
        let lines: Vec<Line<'_>> = reading.pieces.iter().map(|piece| line(piece.text(text))).collect();
        tell_results(&mut reading, text, &lines);
        let blocks = failure::blocks(&reading, text, &lines);
        let passed_logs = logs_of_passed(&lines);
        failure::rank(&mut reading, text, &blocks);
        say_totals(&mut reading, text, &lines);
        let mut quiet: HashSet<usize> = passed_logs.into_iter().collect();
        for block in &blocks {
            quiet.extend(block.header..=block.header);
            quiet.extend(block.lines.clone());
        }
        for index in &quiet {
            // What a test that passed has printed is told by its passing.
            if let Some(piece) = reading.pieces.get_mut(*index).filter(|piece| piece.rank == Rank::Ordinary) {
                piece.rank = Rank::Told;
            }
        }
        let may_report = |index: usize| matches!(lines.get(index), Some(Line::Other)) && !quiet.contains(&index);
        let end = reading.pieces.len();
        // What does not compile is not tested, and not every compiler says `error`.
        let mut said: HashSet<&str> = HashSet::new();
        for index in (0..end).filter(|index| may_report(*index)) {
            let message = reading.pieces.get(index).map_or("", |piece| piece.text(text));
            if diagnostics::is_message(message) && said.insert(message) {
                reading.raise(index, Rank::Finding(Finding::Error));
            }
        }
        for piece in reading.pieces.iter_mut().filter(|piece| piece.rank == Rank::Ordinary) {
            if said.contains(piece.text(text)) {
                piece.rank = Rank::Told;
            }
        }
        let told: HashSet<usize> = (0..end)
            .filter(|index| reading.pieces.get(*index).is_some_and(|piece| said.contains(piece.text(text))))
            .collect();
        events::mark_where(&mut reading, text, 0..end, |index| may_report(index) && !told.contains(&index));
        Some(reading)
    }
}

/// What a line of a test run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'text> {
    /// How one test, file or package ended.
    Result(Outcome<'text>),
    /// What a failure's details begin with, and its name.
    Header(&'text str),
    /// `..F..`, `collected 12 items`, `running 12 tests`.
    Progress,
    /// `====== FAILURES ======`
    Rule,
    /// `3 passed, 1 failed`
    Summary,
    Blank,
    Other,
}

fn line(text: &str) -> Line<'_> {
    if text.trim().is_empty() {
        return Line::Blank;
    }
    if result::is_summary(text) {
        return Line::Summary;
    }
    if let Some(name) = failure::header(text) {
        return Line::Header(name);
    }
    if let Some(outcome) = result::outcome(text) {
        return Line::Result(outcome);
    }
    if result::is_progress(text) {
        return Line::Progress;
    }
    if failure::is_rule(text) { Line::Rule } else { Line::Other }
}

/// Whether the call says that it runs tests.
fn tests(tool: &str, arguments: &str) -> bool {
    let words = ["test", "spec", "jest", "mocha", "tox", "ctest", "check", "verify"];
    words.iter().any(|word| tool.contains(word) || arguments.contains(word))
}

fn looks_like_run(text: &str, tests: bool) -> bool {
    let count = text.lines().count();
    let step = (count / 200).max(1);
    let sample = text.lines().enumerate().filter(|(index, _)| *index < 60 || index + 60 > count || index % step == 0);
    let (mut seen, mut results, mut failures, mut summaries, mut strong, mut marks) = (0, 0, 0, 0, 0, 0);
    for (_, text) in sample {
        match line(text) {
            Line::Result(outcome) => {
                results += 1;
                marks += usize::from(outcome.by_mark);
            }
            Line::Header(_) => failures += 1,
            Line::Progress => results += usize::from(!text.starts_with("running ")),
            Line::Summary => {
                summaries += 1;
                strong += usize::from(result::is_strong_summary(text));
            }
            Line::Blank => continue,
            Line::Rule | Line::Other => {}
        }
        seen += 1;
    }
    // `TAP version 13`, `1..330`: a plan, and numbered results.
    let planned = text.lines().take(60).any(result::is_plan) || text.lines().next_back().is_some_and(result::is_plan);
    if planned && results >= 2 && results * 10 >= seen * 3 {
        return true;
    }
    // Ticks stand before other things too.
    let sure = results - marks;
    let many = results >= 4 && results * 10 >= seen * 3;
    (many && (summaries > 0 || (tests && results * 10 >= seen * 5)) && (sure > 0 || tests || strong > 0))
        || (strong > 0 && (results + failures > 0 || tests))
        || (tests && sure >= 2 && failures + summaries > 0 && (sure + failures + summaries) * 8 >= seen)
        || (tests && sure >= 4 && sure * 10 >= seen)
}

fn tell_results(reading: &mut Reading, text: &str, lines: &[Line<'_>]) {
    for (piece, line) in reading.pieces.iter_mut().zip(lines) {
        piece.rank = match line {
            Line::Result(_) | Line::Progress | Line::Rule | Line::Blank => Rank::Told,
            Line::Summary if result::is_bare(piece.text(text)) => Rank::Told,
            Line::Summary => Rank::Frame,
            Line::Header(_) | Line::Other => Rank::Ordinary,
        };
    }
}

/// Lines that were printed between a test's start and its passing.
fn logs_of_passed(lines: &[Line<'_>]) -> Vec<usize> {
    let mut logs = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut started = false;
    for (index, line) in lines.iter().enumerate() {
        match line {
            Line::Result(outcome) => match outcome.status {
                Status::Started => {
                    started = true;
                }
                Status::Passed | Status::Skipped => {
                    if started {
                        logs.append(&mut open);
                    }
                    open.clear();
                }
                Status::Failed => open.clear(),
            },
            Line::Other if started => open.push(index),
            Line::Header(_) | Line::Rule | Line::Summary => open.clear(),
            Line::Progress | Line::Blank | Line::Other => {}
        }
    }
    logs
}

fn say_totals(reading: &mut Reading, text: &str, lines: &[Line<'_>]) {
    let (mut passed, mut failed, mut skipped) = (0usize, 0usize, 0usize);
    let (mut packages, mut bad_packages) = (0usize, 0usize);
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        let Line::Result(outcome) = line else { continue };
        // go: a package with its tests, told beside them.
        let package = outcome.package;
        match outcome.status {
            Status::Passed | Status::Skipped if package => packages += 1,
            Status::Failed if package => (packages, bad_packages) = (packages + 1, bad_packages + 1),
            Status::Passed => {
                passed += 1;
                *files.entry(outcome.file()).or_default() += 1;
            }
            Status::Failed => failed += 1,
            Status::Skipped => skipped += 1,
            Status::Started => {}
        }
    }
    let summaries: Vec<usize> = (0..lines.len()).filter(|index| lines.get(*index) == Some(&Line::Summary)).collect();
    let counted =
        |index: &usize| reading.pieces.get(*index).is_some_and(|piece| !result::counts(piece.text(text)).is_empty());
    let of_counts: Vec<usize> = summaries.iter().copied().filter(counted).collect();
    if of_counts.len() > SUMMARIES {
        add_up(reading, text, &of_counts);
    } else if of_counts.is_empty() && passed + failed + skipped > 0 {
        reading.say_always(format!("{passed} passed, {failed} failed, {skipped} skipped"));
    }
    if packages > 0 {
        reading.say_always(format!("{}, {bad_packages} failed", plural(packages, "package", "packages")));
    }
    if files.len() > 1 {
        let mut ordered: Vec<(&str, usize)> = files.into_iter().filter(|(file, _)| !file.is_empty()).collect();
        ordered.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        let more = ordered.split_off(ordered.len().min(NAMED_FILES));
        let said: Vec<String> = ordered.iter().map(|(file, count)| format!("{file} {count}")).collect();
        let more = if more.is_empty() { String::new() } else { format!(", {} files more", more.len()) };
        if !said.is_empty() {
            reading.say(format!("passed: {}{more}", said.join(", ")));
        }
    }
}

/// One summary for each crate or package: their sums, and those in which something failed.
fn add_up(reading: &mut Reading, text: &str, summaries: &[usize]) {
    let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: HashMap<&str, usize> = HashMap::new();
    for index in summaries {
        let Some(piece) = reading.pieces.get_mut(*index) else { continue };
        let counts = result::counts(piece.text(text));
        let bad = counts.iter().any(|(count, word)| *count > 0 && result::is_bad(word));
        for (count, word) in counts {
            let next = order.len();
            order.entry(word).or_insert(next);
            let sum = sums.entry(word).or_default();
            *sum = sum.saturating_add(count);
        }
        piece.rank = if bad { Rank::Frame } else { Rank::Told };
    }
    let mut said: Vec<(&str, usize)> = sums.into_iter().filter(|(_, sum)| *sum > 0).collect();
    said.sort_by_key(|(word, _)| order.get(word).copied());
    let said: Vec<String> = said.iter().map(|(word, sum)| format!("{sum} {word}")).collect();
    reading.say_always(format!("in {} runs: {}", summaries.len(), said.join(", ")));
}

#[cfg(test)]
mod tests;
