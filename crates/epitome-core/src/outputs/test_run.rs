//! Test runs: the totals, and every failure once with its name, message and place. Tests that passed are counted.

mod alike;
mod counters;
mod failure;
mod records;
mod result;
mod told;
mod totals;
mod why;

use std::collections::HashSet;

use super::place::placed;
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, build, diagnostics, durations, events, prefixed};
use result::{Outcome, Status};

/// What test runners print, whatever the language.
pub struct TestRun;

impl OutputKind for TestRun {
    fn name(&self) -> &'static str {
        "test run"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        if let Some(reading) = records::read(text) {
            return Some(reading);
        }
        let plain = |text: &str| read_lines(text, tests(&output.tool, &output.arguments));
        prefixed::read(text, plain).or_else(|| plain(text))
    }
}

fn read_lines(text: &str, tests: bool) -> Option<Reading> {
    if !looks_like_run(text, tests) {
        return None;
    }
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
    let lines: Vec<Line<'_>> = reading.pieces.iter().map(|piece| line(piece.text(text))).collect();
    tell_results(&mut reading, text, &lines);
    let blocks = failure::blocks(&reading, text, &lines);
    let mut passed_logs = logs_of_passed(&lines);
    passed_logs.extend(blocks_of_passed(&lines));
    told::rank(&mut reading, text, &blocks);
    keep_slow(&mut reading, text, &lines);
    totals::say_totals(&mut reading, text, &lines);
    let mut quiet: HashSet<usize> = passed_logs.into_iter().collect();
    for block in &blocks {
        quiet.extend(block.header..=block.header);
        quiet.extend(block.lines.clone());
        quiet.extend(&block.titles);
    }
    for index in &quiet {
        // What a test that passed has printed is told by its passing.
        if let Some(piece) = reading.pieces.get_mut(*index).filter(|piece| piece.rank == Rank::Ordinary) {
            piece.rank = Rank::Told;
        }
    }
    build::tell_repeated(&mut reading, text);
    let may_report = |index: usize| matches!(lines.get(index), Some(Line::Other)) && !quiet.contains(&index);
    let said = mark_messages(&mut reading, text, may_report);
    let end = reading.pieces.len();
    events::mark_where(&mut reading, text, 0..end, |index| may_report(index) && !said.contains(&index));
    Some(reading)
}

/// What does not compile is not tested, and not every compiler says `error`. Returns the lines that are messages.
fn mark_messages(reading: &mut Reading, text: &str, may_report: impl Fn(usize) -> bool) -> HashSet<usize> {
    let mut said: HashSet<&str> = HashSet::new();
    let mut messages = HashSet::new();
    for index in 0..reading.pieces.len() {
        let message = reading.pieces.get(index).map_or("", |piece| piece.text(text));
        if said.contains(message) {
            messages.insert(index);
            if let Some(piece) = reading.pieces.get_mut(index).filter(|piece| piece.rank == Rank::Ordinary) {
                piece.rank = Rank::Told;
            }
        } else if may_report(index) && diagnostics::is_message(message) {
            said.insert(message);
            messages.insert(index);
            reading.raise(index, Rank::Finding(Finding::Error));
        }
    }
    messages
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
    let said = text.trim().trim_start_matches("[INFO]").trim_start();
    if said.is_empty() {
        return Line::Blank;
    }
    if counters::is_summary(text) {
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
    if failure::is_rule(said) { Line::Rule } else { Line::Other }
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
                strong += usize::from(counters::is_strong_summary(text));
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

/// A test, a package or a class that took far longer than the others.
fn keep_slow(reading: &mut Reading, text: &str, lines: &[Line<'_>]) {
    // What failed is told with its details.
    let passed = |line: &Line<'_>| match line {
        Line::Result(outcome) if outcome.status == Status::Passed => Some(outcome.package),
        Line::Result(_) | Line::Header(_) | Line::Progress | Line::Rule | Line::Summary | Line::Blank | Line::Other => {
            None
        }
    };
    let is_package = |line: &Line<'_>| passed(line) == Some(true);
    let is_test = |line: &Line<'_>| passed(line) == Some(false);
    let is_class = |line: &Line<'_>| *line == Line::Summary;
    for of in [&is_test as &dyn Fn(&Line<'_>) -> bool, &is_package, &is_class] {
        let lines = lines.iter().enumerate().filter(|(_, line)| of(line));
        let timed =
            lines.filter_map(|(index, _)| Some((index, durations::duration(reading.pieces.get(index)?.text(text))?)));
        for index in durations::far_longer(timed.collect()) {
            reading.raise(index, Rank::Finding(Finding::Outlier));
        }
    }
}

fn tell_results(reading: &mut Reading, text: &str, lines: &[Line<'_>]) {
    for (piece, line) in reading.pieces.iter_mut().zip(lines) {
        piece.rank = match line {
            Line::Result(outcome) if matches!(outcome.status, Status::Todo | Status::ExpectedFailure) => {
                Rank::Telling(1)
            }
            Line::Result(_) | Line::Progress | Line::Rule | Line::Blank => Rank::Told,
            Line::Summary if counters::is_bare(piece.text(text)) => Rank::Told,
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
                Status::Passed | Status::Skipped | Status::Todo | Status::ExpectedFailure => {
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

/// Catch2, doctest: what was asked, and between rules above it of which test it is.
fn blocks_of_passed(lines: &[Line<'_>]) -> Vec<usize> {
    let mut told = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        // Named by a place.
        let passed = |outcome: &Outcome<'_>| outcome.status == Status::Passed && placed(outcome.name).is_some();
        if matches!(line, Line::Result(outcome) if passed(outcome)) {
            told.extend(failure::titles(lines, index));
            told.extend((index + 1..lines.len()).take_while(|at| lines.get(*at) == Some(&Line::Other)));
        }
    }
    told
}

#[cfg(test)]
mod tests;
