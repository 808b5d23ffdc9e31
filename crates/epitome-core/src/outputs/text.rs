//! Prose, Markdown and the reports of agents: headings, how it begins and ends, and sentences that decide or count.

mod sentence;

use std::collections::HashMap;

use sentence::Marked;

use super::options::options;
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::template::template_id;
use super::{Effort, OutputKind, ToolOutput, events};

/// The kind of texts that people and agents write.
pub struct Text;

/// Lines looked at before the output is taken for a text.
const SAMPLE: usize = 120;
/// Lines that follow each other are looked at together: texts have a rhythm.
const BLOCK: usize = 10;
/// A line of a text whose lines are broken is so long.
const WRAPPED: usize = 45;
/// So many lines that differ in values only are a program's.
const ALIKE: usize = 8;
/// A line of more characters is a paragraph: its sentences are told apart.
const PARAGRAPH: usize = 240;
/// So many headings are always shown.
const HEADINGS_SHOWN: usize = 14;
impl OutputKind for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        // What a person or an agent wrote is a text even if it lists errors.
        let written = output.arguments.contains(".md") || ["Task", "Agent"].contains(&&*output.tool);
        let by_people =
            || written || is_manual(&output.text) || !(reports(&output.text) || is_by_machine(&output.text));
        (is_text(&output.text) && by_people()).then(|| read(&output.text))
    }
}

/// Whether most of a sample is written for people: sentences, headings, items.
fn is_text(text: &str) -> bool {
    let (mut prose, mut other, mut headings) = (0, 0, 0);
    let mut fenced = false;
    // How long the line above was, if it was prose.
    let mut above = 0;
    let step = (text.lines().count() / SAMPLE).max(1);
    for (number, raw) in text.lines().enumerate() {
        let line = without_number(raw).trim();
        let wrapped = above >= WRAPPED;
        above = 0;
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if !(number / BLOCK).is_multiple_of(step) || line.is_empty() || fenced {
            continue;
        }
        match () {
            () if heading(line).is_some() || titled(raw).is_some() => headings += 1,
            () if is_sentence(line, wrapped) || is_item(line) || line.starts_with("> ") || line.starts_with('|') => {
                above = line.len();
                prose += line.len()
            }
            // How a program is called, in a manual.
            () if line.starts_with('-') => {}
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

/// Whether most lines are sentences that a program made: alike but for a value.
fn is_by_machine(text: &str) -> bool {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *counts.entry(template_id(line)).or_default() += 1;
    }
    let lines: usize = counts.values().sum();
    let alike: usize = counts.values().filter(|count| **count >= ALIKE).sum();
    lines >= ALIKE * 2 && alike * 10 >= lines * 6 && headings(text) < 2
}

/// How many headings there are in one of the ways in which people write them.
fn headings(text: &str) -> usize {
    let ruler = |line: &str| line.len() >= 3 && (line.bytes().all(|c| c == b'=') || line.bytes().all(|c| c == b'-'));
    let below = text.lines().skip(1).map(str::trim_end).chain(std::iter::once(""));
    let underlined = |line: &str, below: &str| ruler(below) && !line.is_empty() && line.len() <= below.len() + 2;
    text.lines()
        .zip(below)
        .filter(|(line, below)| {
            heading(without_number(line)).or_else(|| titled(line)).is_some() || underlined(line.trim_end(), below)
        })
        .count()
}

/// Whether it is a page of a manual, which speaks of errors all the time.
fn is_manual(text: &str) -> bool {
    let heads = ["\nNAME\n", "\nSYNOPSIS\n", "\nDESCRIPTION\n", "\nOPTIONS\n"];
    heads.iter().filter(|head| text.contains(**head)).count() >= 2
}

/// Several words of letters, with a capital at the beginning or a stop at the end, and no code. Where the line above was
/// broken, words are enough.
fn is_sentence(line: &str, wrapped: bool) -> bool {
    let words = line.split_whitespace().filter(|word| is_word(word)).count();
    let all = line.split_whitespace().count();
    let code = line.ends_with([';', '{', '}']) || line.contains("=>") || line.contains("()") && !line.contains('`');
    let first = line.trim_start_matches(['*', '_', '"', '(', '`', '“']).chars().next();
    let opens = first.is_some_and(char::is_uppercase);
    let stops = line.ends_with(['.', '!', '?', ':', ',', '”']);
    let word = line.split_whitespace().next().unwrap_or_default();
    let reported = events::is_error(word) || is_place(word) || line.starts_with("//");
    !code && !reported && words >= if wrapped { 3 } else { 5 } && words * 10 >= all * 7 && (opens || stops || wrapped)
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

/// The depth of a heading that is told by its place and form: `OPTIONS` of a manual, `4.2.  Names` of a standard.
fn titled(line: &str) -> Option<usize> {
    let line = line.trim_end();
    let letters = line.bytes().filter(u8::is_ascii_alphabetic).count();
    let capitals = line.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'-' | b'/'));
    if capitals && letters >= 4 && line.len() <= 40 && line.starts_with(|c: char| c.is_ascii_uppercase()) {
        return (!events::is_error(line)).then_some(1);
    }
    let (number, name) = line.split_once("  ")?;
    let number = number.trim_end_matches('.');
    let numbered = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let named = name.starts_with(char::is_uppercase) && name.len() <= 70 && !name.contains("  ");
    (numbered && named && !name.contains("..")).then(|| number.split('.').count())
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::of_lines(text);
    // Texts speak of errors without reporting them.
    reading.events = Events::Quiet;
    let numbered = text.lines().take(SAMPLE).filter(|line| without_number(line).len() < line.len()).count();
    reading.layout = if numbered * 2 > text.lines().take(SAMPLE).count() { Layout::Bare } else { Layout::Numbered(1) };
    let marked = Marked::of(reading.pieces.iter().map(|piece| without_number(piece.text(text)).trim()));
    let mut fenced = false;
    let (mut opened, mut after_heading) = (false, true);
    let mut headings: Vec<(usize, usize)> = Vec::new();
    let mut traces: Vec<usize> = Vec::new();
    for (index, piece) in reading.pieces.iter_mut().enumerate() {
        let raw = piece.text(text);
        let line = without_number(raw).trim();
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
        if let Some(depth) = heading(line).or_else(|| titled(raw)) {
            headings.push((index, depth));
            after_heading = true;
            continue;
        }
        piece.rank = match (opened, after_heading) {
            (_, _) if marked.is_telling(line) => Rank::Frame,
            (false, _) => Rank::Telling(0),
            (true, _) if sentence::decides(line) => Rank::Telling(1),
            (true, _) if sentence::explains(line) => Rank::Telling(3),
            (true, _) if sentence::counts(line) => Rank::Telling(4),
            (true, true) => Rank::Telling(5),
            (true, false) => Rank::Ordinary,
        };
        piece.full = if piece.rank == Rank::Frame && line.len() > PARAGRAPH { marked.excerpt(line) } else { None };
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

#[cfg(test)]
mod tests;
