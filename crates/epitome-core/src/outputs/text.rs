//! Prose, Markdown and the reports of agents: headings, how it begins and ends, and sentences that decide or count.

use super::options::options;
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, events};

/// The kind of texts that people and agents write.
pub struct Text;

/// Lines looked at before the output is taken for a text.
const SAMPLE: usize = 120;
/// Lines that follow each other are looked at together: texts have a rhythm.
const BLOCK: usize = 10;
/// So many headings are always shown.
const HEADINGS_SHOWN: usize = 14;
/// Words of sentences that decide something or give it to somebody.
const DECIDING: &[&str] = &[
    "decided",
    "agreed",
    "decision:",
    "concluded",
    "root cause",
    "must ",
    "deadline",
    "action item",
    "action:",
    "owner:",
    "due ",
    "- [ ]",
    "verdict",
    "we will ",
];
/// Words of sentences that say how something came out, or why.
const EXPLAINING: &[&str] = &[
    "decision",
    "conclusion",
    "summary",
    "result",
    "recommend",
    "because",
    "important",
    "todo",
    "next step",
    "blocked",
    "breaking",
    "instead of",
    "fixed",
    "total",
];
const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

impl OutputKind for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        // What a person or an agent wrote is a text even if it lists errors.
        let written = output.arguments.contains(".md") || ["Task", "Agent"].contains(&&*output.tool);
        (is_text(&output.text) && (written || !reports(&output.text))).then(|| read(&output.text))
    }
}

/// Whether most of a sample is written for people: sentences, headings, items.
fn is_text(text: &str) -> bool {
    let (mut prose, mut other, mut headings) = (0, 0, 0);
    let mut fenced = false;
    let step = (text.lines().count() / SAMPLE).max(1);
    for (number, line) in text.lines().enumerate() {
        let line = without_number(line).trim();
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if !(number / BLOCK).is_multiple_of(step) || line.is_empty() || fenced {
            continue;
        }
        match () {
            () if heading(line).is_some() => headings += 1,
            () if is_sentence(line) || is_item(line) || line.starts_with("> ") || line.starts_with('|') => {
                prose += line.len()
            }
            () => other += line.len(),
        }
    }
    // One heading may be a comment of a script.
    let written = if headings >= 2 { 1 } else { 2 };
    prose > 0 && prose >= other * written
}

/// Whether lines report errors in the way of programs: an output of a command, however many words it has.
fn reports(text: &str) -> bool {
    let mut fenced = false;
    let (mut reports, mut headings) = (0, 0);
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        headings += usize::from(!fenced && heading(line).is_some());
        reports += usize::from(!fenced && is_report(line));
    }
    reports > headings
}

/// `error: no`, `a.ts(3,5): error TS12`, `FAIL x`, `npm ERR!`: the word is called out or stands behind a place.
fn is_report(line: &str) -> bool {
    let Some(word) = events::error_word(line).and_then(|at| line.get(at..)) else { return false };
    let letters = word.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (word, after) = word.split_at(letters);
    let called = after.starts_with([':', '[', '!']) && !line.trim_start().starts_with(['-', '*', '#', '>', '|']);
    let capitals = word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    called || capitals || is_place(line.split_whitespace().next().unwrap_or_default())
}

/// `src/a.rs:3:5:`, `a.ts(3,5):`
fn is_place(word: &str) -> bool {
    let Some(at) = word.find([':', '(']) else { return false };
    let (file, rest) = word.split_at(at);
    file.contains('.') && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
}

/// Several words of letters, with a capital at the beginning or a stop at the end, and no code.
fn is_sentence(line: &str) -> bool {
    let words = line.split_whitespace().filter(|word| is_word(word)).count();
    let all = line.split_whitespace().count();
    let code = line.ends_with([';', '{', '}']) || line.contains("=>") || line.contains("()") && !line.contains('`');
    let first = line.trim_start_matches(['*', '_', '"', '(', '`', '“']).chars().next();
    let opens = first.is_some_and(char::is_uppercase);
    let stops = line.ends_with(['.', '!', '?', ':', ',', '”']);
    let word = line.split_whitespace().next().unwrap_or_default();
    let reported = events::is_error(word) || is_place(word) || line.starts_with("//");
    !code && !reported && words >= 5 && words * 10 >= all * 7 && (opens || stops)
}

fn is_word(word: &str) -> bool {
    let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
    !letters.is_empty() && letters.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
}

fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let item = line.strip_prefix("- ").or(line.strip_prefix("* ")).or(line.strip_prefix("• "));
    let item = item.or((1..=2).contains(&digits).then(|| line.get(digits..)?.strip_prefix(". ")).flatten());
    item.is_some_and(|item| {
        item.split_whitespace().filter(|word| is_word(word)).count() >= 2 && !item.ends_with([';', '{'])
    })
}

/// Without the number that a tool for reading files writes before a line: `12→`, `12\t`, `12: `.
fn without_number(line: &str) -> &str {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let rest = trimmed.get(digits..).unwrap_or_default();
    let number = rest.strip_prefix('→').or(rest.strip_prefix('\t')).or(rest.strip_prefix(": "));
    number.filter(|_| digits > 0).unwrap_or(line)
}

/// The depth of a heading.
fn heading(line: &str) -> Option<usize> {
    let depth = line.bytes().take_while(|byte| *byte == b'#').count();
    let named = line.get(depth..)?.strip_prefix(' ')?.trim();
    if (1..=6).contains(&depth) && named.starts_with(|c: char| c.is_alphanumeric() || !c.is_ascii()) {
        return Some(depth);
    }
    None
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::of_lines(text);
    // Texts speak of errors without reporting them.
    reading.events = Events::Quiet;
    let numbered = text.lines().take(SAMPLE).filter(|line| without_number(line).len() < line.len()).count();
    reading.layout = if numbered * 2 > text.lines().take(SAMPLE).count() { Layout::Bare } else { Layout::Numbered(1) };
    let mut fenced = false;
    let (mut opened, mut after_heading) = (false, true);
    let mut headings: Vec<(usize, usize)> = Vec::new();
    let mut traces: Vec<usize> = Vec::new();
    for (index, piece) in reading.pieces.iter_mut().enumerate() {
        let line = without_number(piece.text(text)).trim();
        if line.starts_with("```") {
            fenced = !fenced;
            piece.rank = Rank::Told;
            continue;
        }
        if line.is_empty() && reading.layout == Layout::Bare {
            // Nothing but its number.
            (piece.rank, piece.units) = (Rank::Told, 0);
            continue;
        }
        if line.is_empty() || line.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'|' | b' ' | b':')) {
            piece.rank = Rank::Told;
            continue;
        }
        if line.contains("Traceback (most recent call last)") || line.contains(" panicked at ") {
            traces.push(index);
        }
        if fenced {
            continue;
        }
        if let Some(depth) = heading(line) {
            headings.push((index, depth));
            after_heading = true;
            continue;
        }
        piece.rank = match (opened, after_heading) {
            (false, _) => Rank::Telling(0),
            (true, _) if decides(line) => Rank::Telling(1),
            (true, _) if explains(line) => Rank::Telling(3),
            (true, _) if counts(line) => Rank::Telling(4),
            (true, true) => Rank::Telling(5),
            (true, false) => Rank::Ordinary,
        };
        (opened, after_heading) = (true, false);
    }
    let shallow = headings.iter().map(|(_, depth)| *depth).min().unwrap_or(1);
    for depth in [shallow, shallow + 1, shallow + 2] {
        let to_here = headings.iter().filter(|(_, of)| *of <= depth).count();
        let rank = if to_here <= HEADINGS_SHOWN { Rank::Frame } else { Rank::Telling(2) };
        for (index, _) in headings.iter().filter(|(_, of)| *of == depth) {
            reading.raise(*index, rank);
        }
    }
    for trace in traces {
        reading.raise(trace, Rank::Finding(Finding::Error));
        events::keep_trace(&mut reading, text, trace, usize::MAX);
    }
    sections(&mut reading, text, &headings);
    reading.facts.extend(options(text));
    reading
}

/// What stands below a heading belongs to it.
fn sections(reading: &mut Reading, text: &str, headings: &[(usize, usize)]) {
    for (position, (start, depth)) in headings.iter().enumerate() {
        let below = headings.get(position + 1..).unwrap_or_default();
        let end = below.iter().find(|(_, of)| of <= depth).map_or(reading.pieces.len(), |(end, _)| *end);
        let line = reading.pieces.get(*start).map(|piece| without_number(piece.text(text))).unwrap_or_default();
        let name = line.trim_start_matches(['#', ' ']).trim().to_owned();
        reading.sections.push(super::reading::Section { name, pieces: *start..end });
    }
}

fn decides(line: &str) -> bool {
    let line = line.to_lowercase();
    DECIDING.iter().any(|word| line.contains(word)) || is_dated(&line)
}

fn explains(line: &str) -> bool {
    let line = line.to_lowercase();
    EXPLAINING.iter().any(|word| line.contains(word))
}

/// `2025-09-15`, `15 september`, `sep 15`.
fn is_dated(line: &str) -> bool {
    let mut before = "";
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_day = |word: &str| word.len() <= 4 && word.starts_with(|c: char| c.is_ascii_digit());
        let is_month = |word: &str| {
            word.get(..3).is_some_and(|start| MONTHS.contains(&start))
                && word.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let shape = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
        let iso = word.len() >= 10 && word.bytes().take(10).map(shape).eq(*b"0000-00-00");
        let spelled = is_month(word) && is_day(before) || is_day(word) && is_month(before) && before != "may";
        before = word;
        iso || spelled
    })
}

/// Whether a line has numbers that are not those of a list.
fn counts(line: &str) -> bool {
    line.split_whitespace().skip(1).any(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, output};

    #[test]
    fn a_report_keeps_its_headings_its_opening_and_what_was_decided() {
        let filler = "The module was read and described at some length, and nothing in it was out of the ordinary.\n\n";
        let text = format!(
            "# Review of the cache\n\nThe cache was reviewed for errors and failures.\n\n## Findings\n\n{}- Eviction takes 340 ms with 20,000 entries.\n\n## Decisions\n\n{}We decided to use a ring buffer instead of a list.\n\n## Next\n\nAsk the owner of the queue.\n",
            filler.repeat(9),
            filler.repeat(9)
        );
        insta::assert_snapshot!(check("cat REVIEW.md", &text), @"
        [digest of text: 10 of 51 lines kept, 1,926 bytes; original c772d86441a4]
        1: # Review of the cache
        3: The cache was reviewed for errors and failures.
        5: ## Findings
        7: The module was read and described at some length, and nothing in it was out of the ordinary.
        25: - Eviction takes 340 ms with 20,000 entries.
        27: ## Decisions
        29: The module was read and described at some length, and nothing in it was out of the ordinary.
        47: We decided to use a ring buffer instead of a list.
        49: ## Next
        51: Ask the owner of the queue.
        ");
    }

    #[test]
    fn headings_do_not_take_the_room_of_decisions() {
        let part = |n: usize| {
            format!(
                "## Part number {n} of the minutes of the meeting\n\nThe group spoke about this at length, and nothing came of it.\n\n"
            )
        };
        let text = format!(
            "# Minutes\n\n{}We agreed to move the archive to the second site.\n\n{}- Nora sends the contract to the supplier by 14 March.\n",
            (0..9).map(part).collect::<String>(),
            (9..20).map(part).collect::<String>()
        );
        let digest = check("cat minutes.md", &text);
        for kept in ["# Minutes", "agreed to move the archive", "Nora sends the contract"] {
            assert!(digest.contains(kept), "{kept} in {digest}");
        }
    }

    #[test]
    fn numbers_of_lines_do_not_hide_a_text() {
        let text: String = (1..60)
            .map(|n| {
                format!(
                    "{n:6}→{}\n",
                    if n % 20 == 1 { "## Part of it" } else { "These words are written for people, not for programs." }
                )
            })
            .collect();
        assert!(Text.read(&output("Read", &text), Effort::Full).is_some());
    }

    #[test]
    fn a_trace_in_a_text_is_kept() {
        let text = format!(
            "# Report\n\n{}\n```\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x[1]\nKeyError: 1\n```\n\n{}",
            "These words are written for people, not for programs.\n".repeat(30),
            "The end of it was written for people as well.\n".repeat(30)
        );
        let digest = check("cat REPORT.md", &text);
        for line in ["Traceback (most recent call last):", "  File \"a.py\", line 1, in f", "    x[1]", "KeyError: 1"] {
            assert!(digest.contains(line), "{line} in {digest}");
        }
    }

    #[test]
    fn what_is_no_text_is_not_taken_for_one() {
        let build = "Compiling serde v1.0\nerror: no such file\nwarning: it was not used, and that is all\n".repeat(9);
        let source =
            "fn main() {\n    let x = 1;\n    // The words of a comment, written for people.\n    call(x);\n}\n"
                .repeat(9);
        let types =
            "src/ui/screen.ts(12,3): error TS2345: Argument of type string is not assignable to it.\n".repeat(9);
        let tests = "--- FAIL: TestSync (0.00s)\n    The commit was not signed, because no key was given.\n".repeat(9);
        let listing = "src/a.rs\nsrc/b.rs\n".repeat(30);
        for text in [build.as_str(), &types, &tests, &source, &listing, "", "ok", "{\"a\": 1}"] {
            assert!(Text.read(&output("x", text), Effort::Full).is_none(), "{text}");
        }
    }
}
