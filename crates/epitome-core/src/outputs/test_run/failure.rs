//! The details of failures: where one is mentioned, under which name, and which lines belong to it.

use std::ops::Range;

use super::Line;
use super::result::{Status, without_time};
use crate::outputs::place::{is_path, placed};
use crate::outputs::reading::Reading;

/// A failure that is mentioned, with the lines that tell of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'text> {
    pub(super) header: usize,
    pub(super) name: &'text str,
    pub(super) lines: Range<usize>,
    /// The lines between rules above it that say of which test it is.
    pub(super) titles: Vec<usize>,
}

/// Lines above a result in which the rule is looked for that its block begins with.
const TITLE_LOOK: usize = 40;
/// More lines are no title.
const TITLES: usize = 5;

/// What stands between the rule that a block begins with and a result in it. Catch2, doctest: the name of the test, its
/// sections and their place.
pub(super) fn titles(lines: &[Line<'_>], result: usize) -> Vec<usize> {
    let mut titles = Vec::new();
    for index in (0..result).rev().take(TITLE_LOOK) {
        match lines.get(index) {
            Some(Line::Other) => titles.push(index),
            Some(Line::Rule) => {
                let above = index.checked_sub(1).and_then(|above| lines.get(above));
                if above.is_none_or(|above| matches!(above, Line::Blank | Line::Progress)) {
                    return if titles.len() <= TITLES { titles } else { Vec::new() };
                }
            }
            Some(Line::Blank | Line::Progress) => {}
            // Another check of the same test, with its own lines.
            Some(Line::Result(other)) if placed(other.name).is_some() => titles.clear(),
            Some(Line::Result(_) | Line::Header(_) | Line::Summary) | None => break,
        }
    }
    Vec::new()
}

/// The name of the failure whose details begin here.
pub(super) fn header(line: &str) -> Option<&str> {
    let trimmed = line.trim();
    // pytest: `_____ test_x _____`
    if trimmed.starts_with("___") && trimmed.ends_with("___") {
        let name = trimmed.trim_matches('_').trim();
        return (!name.is_empty()).then_some(name);
    }
    // cargo: `---- a::b stdout ----`; nextest: `--- STDERR:  crate a::b ---`
    if let Some(name) = trimmed.strip_prefix("---").and_then(|rest| rest.strip_suffix("---")) {
        let name = name.trim_matches('-').trim();
        let name = name.strip_suffix("stdout").or(name.strip_suffix("stderr")).unwrap_or(name);
        let name = name.trim_start_matches("STDERR:").trim_start_matches("STDOUT:").trim();
        return (!name.is_empty()).then_some(name);
    }
    // bazel: `===== Test output for //cart:tax_test:`
    if let Some((rule, name)) = trimmed.split_once(" Test output for ").filter(|(rule, _)| rule.ends_with("===")) {
        return rule.bytes().all(|byte| byte == b'=').then_some(name.trim_end_matches(':'));
    }
    // busted: `Failure → spec/cart_spec.lua @ 12`
    if let Some(name) = trimmed.strip_prefix("Failure → ").or(trimmed.strip_prefix("Error → ")) {
        return Some(name);
    }
    // jest: `● Suite › test`
    if let Some(name) = trimmed.strip_prefix("● ") {
        return Some(name);
    }
    // unittest: `FAIL: test_x (module.Class)`
    if let Some(name) = line.strip_prefix("FAIL: ").or(line.strip_prefix("ERROR: ")) {
        return (name.contains('(') || !name.contains(' ')).then_some(name);
    }
    // vitest: `FAIL  src/a.test.ts > suite > test`
    if let Some(name) = trimmed.strip_prefix("FAIL ").filter(|name| name.contains(" > ")) {
        return Some(name.trim());
    }
    // mocha, rspec, playwright, phpunit: `  1) name`
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let name = trimmed.get(digits..)?.strip_prefix(") ")?;
    (digits > 0 && digits <= 4).then_some(name.trim_end_matches(['─', '-', ' ']))
}

/// `=====`, `-----`, `====== FAILURES ======`
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    let rule = |c: char| matches!(c, '=' | '-' | '─' | '━' | '*' | '⎯');
    let closed = line.starts_with("===") && line.ends_with("===");
    closed
        || line.chars().take(4).filter(|c| rule(*c)).count() == 4
        || ["failures:", "successes:", "Failed Tests", "Failures:"].contains(&line)
}

/// Every mention of a failure. The details stand below it, or, where tests say that they start, above.
pub(super) fn blocks<'text>(reading: &Reading, text: &'text str, lines: &[Line<'text>]) -> Vec<Block<'text>> {
    let mut blocks = Vec::new();
    let starts = |line: &Line<'_>| matches!(line, Line::Result(outcome) if outcome.status == Status::Started);
    let announced = lines.iter().any(starts);
    let plain = |index: usize| matches!(lines.get(index), Some(Line::Other | Line::Blank));
    let mut free = 0;
    for (index, line) in lines.iter().enumerate() {
        let name = match line {
            Line::Header(name) => name,
            Line::Result(outcome) if outcome.status == Status::Failed => outcome.name,
            Line::Result(_) | Line::Progress | Line::Rule | Line::Summary | Line::Blank | Line::Other => continue,
        };
        let above = if announced { (free..index).rev().take_while(|above| plain(*above)).count() } else { 0 };
        let next = reading.pieces.get(index + 1).map_or("", |piece| piece.text(text));
        let own = reading.pieces.get(index).map_or("", |piece| piece.text(text));
        // go: a panic is not indented below its test. dotnet announces what it has to say; Robot's lines are a table.
        let own_end = own.trim_end();
        let announced_below = next.trim_end().ends_with(" Message:") || own_end.ends_with([':', '|']);
        let is_header = matches!(line, Line::Header(_)) || next.starts_with("panic: ") || announced_below;
        let first = index + 1 + usize::from(is_header && lines.get(index + 1) == Some(&Line::Rule));
        let own_indent = indent(own);
        // TAP: remarks below a result are of it.
        let is_planned = own.trim_start().starts_with("not ok");
        // Below a line of a list only what is indented belongs to it.
        let belongs = |below: &usize| {
            let line = reading.pieces.get(*below).map_or("", |piece| piece.text(text));
            let remark = is_planned && line.trim_start().starts_with("# ");
            plain(*below) && (is_header || line.trim().is_empty() || remark || indent(line) > own_indent)
        };
        let below = (first..lines.len()).take_while(belongs).count();
        let told = |range: Range<usize>| {
            range.filter_map(|index| reading.pieces.get(index)).any(|piece| !piece.text(text).trim().is_empty())
        };
        let range = if above > 0 && told(index - above..index) { index - above..index } else { first..first + below };
        free = range.end.max(index + 1);
        blocks.push(Block { header: index, name, lines: range, titles: titles(lines, index) });
    }
    blocks
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A test's name without numbers and times around it.
pub(super) fn plain_name(name: &str) -> &str {
    // pytest gives the message behind it; other names have dashes of their own.
    let messaged = |(name, _): &(&str, &str)| name.contains("::") || is_path(name);
    let name = name.split_once(" - ").filter(messaged).map_or(name, |(name, _)| name);
    let name = without_time(name.trim_end_matches(['─', '-', ' ', '.']));
    // playwright: a number before it.
    let bare = name.trim_start_matches(|c: char| c.is_ascii_digit()).trim();
    if bare.is_empty() { name } else { bare }
}

/// The last part of a name: lists, details and summaries write what is before it in different ways.
pub(super) fn key(name: &str) -> &str {
    let name = plain_name(name);
    let name = name.split(" (").next().unwrap_or(name);
    let bracket = name.find('[').unwrap_or(name.len());
    let head = name.get(..bracket).unwrap_or(name);
    let cut = [" › ", " > ", "::", ".", " » ", "/"]
        .iter()
        .filter_map(|mark| head.rfind(mark).map(|at| at + mark.len()))
        .max()
        .unwrap_or(0);
    let last = if bracket == 0 { name.rsplit(" › ").next().unwrap_or(name) } else { name.get(cut..).unwrap_or(name) };
    last.trim()
}
