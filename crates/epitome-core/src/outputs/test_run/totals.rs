//! What a run adds up to: its own totals, their sums, or the lines of single tests counted.

use std::collections::BTreeMap;

use super::Line;
use super::counters::{counts, is_bad};
use super::result::Status;
use crate::outputs::place::plural;
use crate::outputs::reading::{Rank, Reading};

/// More summaries than this, one for each crate or package, are added up.
const SUMMARIES: usize = 4;
/// Of those in which something failed, so many are shown.
const BAD_SUMMARIES: usize = 8;
/// Files whose passed tests are counted one by one.
const NAMED_FILES: usize = 8;

/// Says what the run added up to.
pub(super) fn say_totals(reading: &mut Reading, text: &str, lines: &[Line<'_>]) {
    let totals = totals(reading, text, lines);
    if totals.is_empty() {
        say_counted(reading, lines);
    } else {
        add_up(reading, &totals);
    }
    say_packages(reading, lines);
    say_files(reading, lines);
}

/// What the lines of single tests add up to, where the run itself does not say so. Of passed tests nothing is known
/// where only failures are listed.
fn say_counted(reading: &mut Reading, lines: &[Line<'_>]) {
    let count = |status: Status| {
        let is = |line: &&Line<'_>| matches!(line, Line::Result(one) if one.status == status && !one.package);
        lines.iter().filter(is).count()
    };
    // go without `-v`: of those that passed, only parts of failed tests are listed.
    let all_listed =
        !lines.iter().any(|line| matches!(line, Line::Result(one) if one.package)) || count(Status::Started) > 0;
    let (passed, failed) = (if all_listed { count(Status::Passed) } else { 0 }, count(Status::Failed));
    let mut said = Vec::new();
    if passed > 0 {
        said.push(format!("{passed} passed"));
    }
    if passed + failed > 0 {
        said.push(format!("{failed} failed"));
    }
    for (status, word) in
        [(Status::Skipped, "skipped"), (Status::Todo, "todo"), (Status::ExpectedFailure, "failed as expected")]
    {
        match count(status) {
            0 => {}
            number => said.push(format!("{number} {word}")),
        }
    }
    if !said.is_empty() {
        reading.say_always(said.join(", "));
    }
}

/// go: a package with its tests, told beside them.
fn say_packages(reading: &mut Reading, lines: &[Line<'_>]) {
    let package = |line: &Line<'_>| match line {
        Line::Result(outcome) if outcome.package => Some(outcome.status),
        Line::Result(_) | Line::Header(_) | Line::Progress | Line::Rule | Line::Summary | Line::Blank | Line::Other => {
            None
        }
    };
    let statuses: Vec<Status> = lines.iter().filter_map(package).collect();
    if !statuses.is_empty() {
        let failed = statuses.iter().filter(|status| **status == Status::Failed).count();
        reading.say_always(format!("{}, {failed} failed", plural(statuses.len(), "package", "packages")));
    }
}

fn say_files(reading: &mut Reading, lines: &[Line<'_>]) {
    let mut files: BTreeMap<&str, usize> = BTreeMap::new();
    for line in lines {
        if let Line::Result(outcome) = line
            && outcome.status == Status::Passed
            && !outcome.package
        {
            *files.entry(outcome.file()).or_default() += 1;
        }
    }
    if files.len() < 2 {
        return;
    }
    let mut ordered: Vec<(&str, usize)> = files.into_iter().filter(|(file, _)| !file.is_empty()).collect();
    ordered.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let more = ordered.split_off(ordered.len().min(NAMED_FILES));
    let said: Vec<String> = ordered.iter().map(|(file, count)| format!("{file} {count}")).collect();
    let more = if more.is_empty() { String::new() } else { format!(", {} files more", more.len()) };
    if !said.is_empty() {
        reading.say(format!("passed: {}{more}", said.join(", ")));
    }
}

/// What one run, suite or class adds up to, on one line or on a few.
struct Total<'text> {
    lines: Vec<usize>,
    counts: Vec<(usize, &'text str)>,
    /// It says of which suite or class it is.
    named: bool,
}

impl Total<'_> {
    fn is_bad(&self) -> bool {
        self.counts.iter().any(|(count, word)| *count > 0 && is_bad(word))
    }

    fn counts_like(&self, sums: &BTreeMap<String, usize>) -> bool {
        self.counts.iter().any(|(count, _)| *count > 0)
            && self.counts.iter().all(|(count, word)| sums.get(&word.to_ascii_lowercase()) == Some(count))
    }
}

fn totals<'text>(reading: &Reading, text: &'text str, lines: &[Line<'_>]) -> Vec<Total<'text>> {
    let mut totals: Vec<Total<'text>> = Vec::new();
    for index in (0..lines.len()).filter(|index| lines.get(*index) == Some(&Line::Summary)) {
        let line = reading.pieces.get(index).map_or("", |piece| piece.text(text));
        let counts = counts(line);
        if counts.is_empty() || counts_suites(line) {
            continue;
        }
        // mocha, TAP: each number on a line of its own.
        let goes_on = |before: &&mut Total<'_>| {
            let near = before.lines.last().is_some_and(|last| index <= last + 2);
            let other = |(_, word): &(usize, &str)| before.counts.iter().all(|(_, known)| known != word);
            near && counts.len() == 1 && counts.iter().all(other)
        };
        match totals.last_mut().filter(goes_on) {
            Some(before) => {
                before.lines.push(index);
                before.counts.extend(counts);
            }
            None => totals.push(Total { lines: vec![index], counts, named: is_named(line) }),
        }
    }
    totals
}

/// jest, vitest: files are counted beside the tests in them.
fn counts_suites(line: &str) -> bool {
    ["Test Suites:", "Test Files ", "Snapshots:"].iter().any(|opening| line.trim_start().starts_with(opening))
}

/// Whether a line of counters says what it counts the tests of: `- in com.x.OrderTest`, `src/order.spec.ts: …`.
fn is_named(line: &str) -> bool {
    let words = line.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let dotted = |word: &str| {
        word.starts_with(|c: char| c.is_alphabetic())
            && word.contains(['.', '/', ':'])
            && word.contains(char::is_alphabetic)
    };
    line.contains("<<<") || line.contains(" - in ") || words.into_iter().any(dotted)
}

/// Many summaries are told by their sums, and those in which something failed. What is a sum already is not added again.
fn add_up(reading: &mut Reading, totals: &[Total<'_>]) {
    let (parts, grand) = parts_and_grand(totals);
    let summed = if grand.is_empty() { &parts } else { &grand };
    if !grand.is_empty() {
        let good = parts.iter().filter(|total| !total.is_bad()).count();
        if good > 0 {
            reading.say_always(format!("{} without failures", plural(good, "suite", "suites")));
        }
        tell(reading, &parts);
    }
    if summed.len() > SUMMARIES {
        tell(reading, summed);
        let mut sums = Sums::default();
        summed.iter().for_each(|total| sums.add(total));
        reading.say_always(format!("in {} runs: {}", summed.len(), sums.said()));
    }
}

fn tell(reading: &mut Reading, totals: &[&Total<'_>]) {
    let mut shown: Vec<&[(usize, &str)]> = Vec::new();
    for total in totals {
        let new = total.is_bad() && shown.len() < BAD_SUMMARIES && !shown.contains(&total.counts.as_slice());
        if new {
            shown.push(&total.counts);
        }
        let rank = if new { Rank::Frame } else { Rank::Told };
        for index in &total.lines {
            if let Some(piece) = reading.pieces.get_mut(*index).filter(|piece| piece.rank.finding().is_none()) {
                piece.rank = rank;
            }
        }
    }
}

/// Which of the totals are of single suites, and which add those up.
fn parts_and_grand<'a, 'text>(totals: &'a [Total<'text>]) -> (Vec<&'a Total<'text>>, Vec<&'a Total<'text>>) {
    let any_named = totals.iter().any(|total| total.named);
    let (mut parts, mut grand) = (Vec::new(), Vec::new());
    let (mut sums, mut added) = (Sums::default(), 0);
    for total in totals {
        let sums_up = added >= 2 && total.counts_like(&sums.by_word);
        let is_grand = if any_named { !total.named } else { sums_up };
        if is_grand {
            grand.push(total);
            (sums, added) = (Sums::default(), 0);
        } else {
            sums.add(total);
            added += 1;
            parts.push(total);
        }
    }
    (parts, grand)
}

#[derive(Default)]
struct Sums {
    by_word: BTreeMap<String, usize>,
    order: Vec<String>,
}

impl Sums {
    fn add(&mut self, total: &Total<'_>) {
        for (count, word) in &total.counts {
            let word = word.to_ascii_lowercase();
            if !self.by_word.contains_key(&word) {
                self.order.push(word.clone());
            }
            let sum = self.by_word.entry(word).or_default();
            *sum = sum.saturating_add(*count);
        }
    }

    fn said(&self) -> String {
        let counted = self.order.iter().filter_map(|word| Some((word, self.by_word.get(word)?)));
        let said: Vec<String> =
            counted.filter(|(_, sum)| **sum > 0).map(|(word, sum)| format!("{sum} {word}")).collect();
        said.join(", ")
    }
}
