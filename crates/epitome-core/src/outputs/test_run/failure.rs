//! The details of failures: which lines belong to one, and which of them say why.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::Line;
use super::result::{Status, without_time};
use crate::outputs::events;
use crate::outputs::place::{Form, is_path, placed};
use crate::outputs::reading::{Finding, Rank, Reading};

/// Of one failure, so many lines must not be lost.
const KEPT: usize = 6;
/// And so many more are telling.
const TELLING: usize = 4;

/// A failure that is mentioned, with the lines that tell of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block<'text> {
    pub(super) header: usize,
    pub(super) name: &'text str,
    pub(super) lines: Range<usize>,
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
    line.chars().take(4).filter(|c| rule(*c)).count() == 4
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
        // go: a panic is not indented below its test.
        let is_header = matches!(line, Line::Header(_)) || next.starts_with("panic: ");
        let first = index + 1 + usize::from(is_header && lines.get(index + 1) == Some(&Line::Rule));
        let own_indent = indent(reading.pieces.get(index).map_or("", |piece| piece.text(text)));
        // Below a line of a list only what is indented belongs to it.
        let belongs = |below: &usize| {
            let line = reading.pieces.get(*below).map_or("", |piece| piece.text(text));
            plain(*below) && (is_header || line.trim().is_empty() || indent(line) > own_indent)
        };
        let below = (first..lines.len()).take_while(belongs).count();
        let told = |range: Range<usize>| {
            range.filter_map(|index| reading.pieces.get(index)).any(|piece| !piece.text(text).trim().is_empty())
        };
        let range = if above > 0 && told(index - above..index) { index - above..index } else { first..first + below };
        free = range.end.max(index + 1);
        blocks.push(Block { header: index, name, lines: range });
    }
    blocks
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Ranks what tells of failures: each once, with the lines that say why and where.
pub(super) fn rank(reading: &mut Reading, text: &str, blocks: &[Block<'_>]) {
    let content = |reading: &Reading, block: &Block<'_>| {
        block
            .lines
            .clone()
            .filter_map(|index| reading.pieces.get(index))
            .any(|piece| !piece.text(text).trim().is_empty())
    };
    let rich: Vec<bool> = blocks.iter().map(|block| content(reading, block)).collect();
    let mut details: HashMap<String, usize> = HashMap::new();
    let mut names: HashMap<String, HashSet<&str>> = HashMap::new();
    let mut seen_blocks: HashSet<(&str, u64)> = HashSet::new();
    let mut doubled: Vec<bool> = Vec::new();
    for (block, rich) in blocks.iter().zip(&rich) {
        let key = key(block.name);
        if *rich {
            let lines =
                block.lines.clone().filter_map(|index| reading.pieces.get(index)).map(|piece| piece.text(text).trim());
            let words: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
            let again = !seen_blocks.insert((plain_name(block.name), xxh3_64(words.join("\n").as_bytes())));
            doubled.push(again);
            *details.entry(key).or_default() += usize::from(!again);
        } else {
            doubled.push(false);
            names.entry(key).or_default().insert(plain_name(block.name));
        }
    }
    let known: HashSet<&str> = blocks.iter().map(|block| plain_name(block.name)).collect();
    for piece in reading.pieces.iter_mut().filter(|piece| piece.rank == Rank::Ordinary) {
        // A list of the failed names and nothing else.
        if known.contains(piece.text(text).trim()) {
            piece.rank = Rank::Told;
        }
    }
    let mut said: HashSet<u64> = HashSet::new();
    // Of several mentions without details the longest has the message.
    let mut longest: HashMap<&str, (usize, Reverse<usize>)> = HashMap::new();
    for (block, _) in blocks.iter().zip(&rich).filter(|(_, rich)| !**rich) {
        let length = reading.pieces.get(block.header).map_or(0, |piece| piece.text(text).trim().len());
        let best = longest.entry(plain_name(block.name)).or_default();
        *best = (*best).max((length, Reverse(block.header)));
    }
    for ((block, rich), doubled) in blocks.iter().zip(&rich).zip(&doubled) {
        if *doubled {
            continue;
        }
        let key = key(block.name);
        let told = details.get(&key).copied().unwrap_or_default();
        let mentions = names.get(&key);
        // One failure of this name: the list's name for it says more, and is what it can be run again by.
        let only = mentions.filter(|names| told == 1 && names.len() == 1).and_then(|names| names.iter().next());
        if *rich {
            rank_details(reading, text, block, &mut said);
            let longer = only.filter(|name| name.len() > plain_name(block.name).len());
            if let (Some(name), Some(header)) = (longer, reading.pieces.get_mut(block.header)) {
                header.full = Some((*name).to_owned());
            }
        } else if only.is_none() {
            let best = longest.get(plain_name(block.name)).is_some_and(|(_, header)| header.0 == block.header);
            if best {
                reading.raise(block.header, Rank::Finding(Finding::Failure));
            }
        }
    }
}

fn rank_details(reading: &mut Reading, text: &str, block: &Block<'_>, said: &mut HashSet<u64>) {
    let lines: Vec<(usize, &str)> =
        block.lines.clone().filter_map(|index| Some((index, reading.pieces.get(index)?.text(text)))).collect();
    let messages: BTreeSet<usize> = reasons(&lines).into_iter().collect();
    let place = own_place(&lines);
    let why: BTreeSet<usize> = messages.iter().copied().chain(place).collect();
    let mut kept = 0;
    let mut new = 0;
    let mut elsewhere = String::new();
    for index in &why {
        let Some(line) = reading.pieces.get(*index).map(|piece| piece.text(text).trim()) else { continue };
        // The same message in many tests is said once; where it was is said of each.
        let message = placed(line).map_or(line, |found| found.rest.trim());
        if !said.insert(xxh3_64(message.as_bytes())) && messages.contains(index) {
            reading.raise(*index, Rank::Told);
            if message.len() < line.len() && said.insert(xxh3_64(line.as_bytes())) {
                elsewhere.push_str(line.get(..line.len() - message.len()).unwrap_or_default().trim_end());
                elsewhere.push(' ');
            }
            continue;
        }
        said.insert(xxh3_64(line.as_bytes()));
        new += usize::from(messages.contains(index));
        if kept < KEPT || Some(*index) == place {
            kept += 1;
            reading.raise(*index, Rank::Finding(Finding::Failure));
        } else {
            reading.raise(*index, Rank::Telling(1));
        }
    }
    reading.raise(block.header, Rank::Finding(Finding::Failure));
    if let Some(header) = reading.pieces.get_mut(block.header) {
        let name = header.text(text).trim().trim_matches(|c: char| matches!(c, '_' | '─' | '=')).trim();
        header.full = Some(name.to_owned());
        header.note = (new == 0 && !messages.is_empty()).then(|| format!(" [{elsewhere}as above]"));
    }
    let others =
        lines.iter().filter(|(index, line)| !why.contains(index) && !line.trim().is_empty() && !is_frame(line));
    for (index, _) in others.take(TELLING) {
        reading.raise(*index, Rank::Telling(3));
    }
}

/// The lines that say why a test failed.
fn reasons(lines: &[(usize, &str)]) -> Vec<usize> {
    let of_pytest: Vec<usize> =
        lines.iter().filter(|(_, line)| line.starts_with("E  ")).map(|(index, _)| *index).collect();
    if !of_pytest.is_empty() {
        return of_pytest;
    }
    let mut why = Vec::new();
    let mut below_panic = false;
    let mut first = true;
    let mut group: Option<(usize, Vec<usize>)> = None;
    for (index, line) in lines {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if below_panic {
            why.push(*index);
            below_panic = false;
            continue;
        }
        if is_frame(line) {
            continue;
        }
        // go: `    x_test.go:12: message`, with more of it indented below. The last one ended the test.
        let logged = placed(trimmed).is_some_and(|found| {
            found.form == Form::Colons && found.rest.starts_with(' ') && found.path.ends_with(".go")
        });
        let indent = indent(line);
        if logged {
            group = Some((indent, vec![*index]));
            continue;
        }
        if let Some((logged_indent, members)) = &mut group
            && indent > *logged_indent
            && members.len() < KEPT
        {
            members.push(*index);
            continue;
        }
        let announces = trimmed.contains("panicked at ") && trimmed.ends_with(':');
        below_panic = announces;
        if announces || compares(trimmed) || events::is_error(trimmed) || first {
            why.push(*index);
        }
        first = false;
    }
    why.extend(group.into_iter().flat_map(|(_, members)| members));
    why
}

/// `left: 1`, `Expected: 2`, `got 3`: what was compared.
fn compares(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "left",
        "right",
        "expected",
        "received",
        "actual",
        "got",
        "want",
        "wanted",
        "diff",
        "- expected",
        "+ received",
        "+ actual",
    ];
    let lower = line.get(..line.len().min(24)).unwrap_or_default().to_ascii_lowercase();
    let opens = |word: &&str| {
        lower.strip_prefix(*word).is_some_and(|rest| {
            rest.trim_start().starts_with([':', '=']) || rest.starts_with(" to ") || rest.is_empty()
        })
    };
    WORDS.iter().any(opens) || (line.contains("expected") && line.contains("to ")) || line.contains(" != ")
}

/// Lines of source around the failure, frames of a stack, and what was captured.
fn is_frame(line: &str) -> bool {
    let trimmed = line.trim_start();
    let numbered = {
        let rest = trimmed.trim_start_matches(['>', '❯', ' ']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.get(digits..).is_some_and(|rest| rest.trim_start().starts_with(['|', '│']))
    };
    numbered
        || trimmed.starts_with("at ")
        || trimmed.starts_with("File \"")
        || trimmed.starts_with("note: run with ")
        || trimmed.starts_with("stack backtrace")
        || trimmed.starts_with("Traceback (")
        || trimmed.starts_with("goroutine ")
        || trimmed.starts_with("created by ")
        || trimmed.starts_with("panic({")
        || trimmed.contains(" +0x")
}

/// Where in the project's own code it failed.
fn own_place(lines: &[(usize, &str)]) -> Option<usize> {
    const FOREIGN: &[&str] = &[
        "node_modules",
        "site-packages",
        "dist-packages",
        "/rustc/",
        "node:",
        "internal/process",
        ".cargo/",
        "/usr/lib",
        "<frozen",
        "/vendor/",
        "/gems/",
        "java.base",
        "org.junit",
        "sun.reflect",
        "jdk.internal",
        "/go/src/",
        "/src/testing/",
        "/src/runtime/",
        "/src/net/",
    ];
    let own = |line: &str| !FOREIGN.iter().any(|word| line.contains(word));
    let is_python = |line: &str| line.trim_start().starts_with("File \"");
    // pytest: `tests/a.py:88: KeyError`, the last one is where it was raised.
    let raised = |line: &str| {
        !line.starts_with([' ', '\t', '>', 'E'])
            && placed(line).is_some_and(|found| found.form == Form::Colons && is_path(found.path))
    };
    let last = |test: &dyn Fn(&str) -> bool| {
        lines.iter().rev().find(|(_, line)| test(line) && own(line)).map(|(index, _)| *index)
    };
    let framed = |line: &str| {
        let trimmed = line.trim_start();
        let opens = ["at ", "# ", "--> ", "❯ "].iter().any(|opening| trimmed.starts_with(opening));
        let numbered =
            trimmed.rsplit(':').nth(1).is_some_and(|part| part.ends_with(|c: char| c.is_ascii_alphanumeric()));
        let of_go = line.starts_with('\t') && trimmed.contains(".go:");
        of_go || (opens && numbered)
    };
    last(&raised)
        .or_else(|| last(&is_python))
        .or_else(|| lines.iter().find(|(_, line)| framed(line) && own(line)).map(|(index, _)| *index))
}

/// A test's name without numbers and times around it.
fn plain_name(name: &str) -> &str {
    let name = name.split(" - ").next().unwrap_or(name);
    let name = without_time(name.trim_end_matches(['─', '-', ' ', '.']));
    // playwright, TAP: a number before it.
    name.trim_start_matches(|c: char| c.is_ascii_digit()).trim()
}

/// The last part of a name: lists, details and summaries write what is before it in different ways.
fn key(name: &str) -> String {
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
    last.trim().to_owned()
}
