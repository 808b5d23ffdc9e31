//! Outputs with several parts: what agents write around an output is taken off, and the outputs of several commands are
//! read each as its own kind.

use std::ops::Range;

use memchr::memmem;

use super::reading::{Events, Fact, Finding, Layout, Piece, Rank, Reading, Section, Unit, lines};
use super::{Effort, Read, ToolOutput, command, cut_to_chars, read_as_one};

/// What several parts of different kinds are called.
const NAME: &str = "mixture";
/// More parts than these are read as one.
const PARTS_AT_MOST: usize = 40;
/// So many heads of parts are always shown.
const HEADS_SHOWN: usize = 12;
/// Of so many parts, each may say something whatever room there is.
const EACH_MAY_SAY: usize = 3;
/// A longer command is data.
const LONGEST_COMMAND: usize = 10_000;
/// Where agents write around an output: its first and its last lines.
const AROUND: usize = 12;

/// The output as the kind that takes it reads it, without what was written around it.
pub(super) fn read(output: &ToolOutput, effort: Effort) -> Option<Read> {
    let text = &*output.text;
    let (inner, mut parts) = without_wrapper(text);
    let mut contents = 0;
    for span in without_reminders(text, inner, &mut parts) {
        let content = part_of(output, &span);
        let divided = divide_surely(&content);
        let whole = if divided.len() > 1 { None } else { Some(read_as_one(&content, effort)?) };
        let may_divide = whole.as_ref().is_none_or(|whole| whole.kind == command::NAME);
        let sections = match divided.len() {
            0 | 1 if may_divide => divide_by_heads(&content.text),
            _ => divided,
        };
        match whole {
            Some(whole) if sections.len() <= 1 || sections.len() > PARTS_AT_MOST => {
                contents += 1;
                parts.push(Part { span, found: Found::Content(None, whole) });
            }
            Some(_) | None => {
                for section in sections.into_iter().take(PARTS_AT_MOST * 8) {
                    let shifted = shift(section.span, span.start);
                    let found = match section.head {
                        true => Found::Head,
                        false => {
                            contents += 1;
                            let name = section.name;
                            Found::Content(name, read_as_one(&part_of(output, &shifted), effort)?)
                        }
                    };
                    parts.push(Part { span: shifted, found });
                }
            }
        }
    }
    match (contents, parts.len()) {
        (0, _) => read_as_one(output, effort),
        (_, _) => Some(join(text, parts, contents)),
    }
}

struct Part {
    span: Range<usize>,
    found: Found,
}

enum Found {
    /// Written around the output.
    Wrapper(Rank),
    /// Names the part below.
    Head,
    /// With its name.
    Content(Option<String>, Read),
}

fn part_of(output: &ToolOutput, span: &Range<usize>) -> ToolOutput {
    match output.text.get(span.clone()) {
        Some(part) if part.len() < output.text.len() => ToolOutput { text: part.into(), ..output.clone() },
        Some(_) | None => output.clone(),
    }
}

fn shift(span: Range<usize>, by: usize) -> Range<usize> {
    span.start + by..span.end + by
}

/// What was written before and behind an output, and where the output itself is.
fn without_wrapper(text: &str) -> (Range<usize>, Vec<Part>) {
    let mut parts = Vec::new();
    let (mut start, mut end) = (0, text.len());
    let preamble = preamble_lines(text);
    for (number, span) in lines(text).take(preamble.max(AROUND)).enumerate() {
        let line = text.get(span.clone()).unwrap_or_default();
        let rank = if number < preamble { Some(said_rank(line)) } else { wrapper_rank(line) };
        match rank {
            Some(_) if line.trim().is_empty() => {}
            Some(rank) => {
                start = (span.end + 1).min(text.len());
                parts.push(Part { span, found: Found::Wrapper(rank) });
            }
            None if line.trim().is_empty() => {}
            None => {
                // `<content>1: the first line`
                if let Some(tag) = open_tag(line) {
                    start = span.start + tag;
                    parts.push(Part { span: span.start..start, found: Found::Wrapper(Rank::Told) });
                }
                break;
            }
        }
    }
    let mut behind = Vec::new();
    while behind.len() < AROUND {
        let rest = text.get(start..end).unwrap_or_default().trim_end();
        let line = rest.rsplit('\n').next().unwrap_or_default();
        let Some(rank) = wrapper_rank(line).filter(|_| !rest.is_empty()) else { break };
        let at = start + rest.len() - line.len();
        behind.push(Part { span: at..at + line.len(), found: Found::Wrapper(rank) });
        end = at;
    }
    behind.reverse();
    parts.append(&mut behind);
    (start..end.max(start), parts)
}

/// How many lines a program wrote before `Output:`, if it did: the id, the time it took, how it ended.
fn preamble_lines(text: &str) -> usize {
    const OPENINGS: [&str; 6] =
        ["Chunk ID: ", "Command: ", "Exit code: ", "Wall time: ", "Process exited with code ", "Process running with "];
    if !OPENINGS.iter().any(|opening| text.starts_with(opening)) {
        return 0;
    }
    text.lines().take(AROUND * 4).position(|line| line == "Output:").map_or(0, |at| at + 1)
}

/// What a line is worth that says how a command ended.
fn said_rank(line: &str) -> Rank {
    match exit_code(line) {
        Some(0) | None => Rank::Told,
        Some(_) => Rank::Finding(Finding::Error),
    }
}

/// `Process exited with code 1`, `[exit code: 1]`, `Error: Exit code 1`, `<exit_code>1</exit_code>`.
fn exit_code(line: &str) -> Option<i64> {
    let line = line.trim().trim_start_matches(['[', '(', '<']);
    let line = line.strip_prefix("Error: ").unwrap_or(line);
    const OPENINGS: [&str; 6] =
        ["process exited with code", "command exited with code", "exit code", "exit_code>", "exit status", "exitcode"];
    let opening = OPENINGS
        .iter()
        .find(|opening| line.get(..opening.len()).is_some_and(|start| start.eq_ignore_ascii_case(opening)))?;
    let rest = line.get(opening.len()..)?.trim_start_matches([':', ' ', '=']);
    let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'-').count();
    let ends = rest.get(number..)?.trim_matches([']', ')', '.', ' ']);
    (ends.is_empty() || ends.starts_with("</")).then(|| rest.get(..number)?.parse().ok()).flatten()
}

/// What a line is worth that an agent's tool wrote around an output; `None` if it is part of the output.
fn wrapper_rank(line: &str) -> Option<Rank> {
    let line = line.trim();
    if exit_code(line).is_some() {
        return Some(said_rank(line));
    }
    if ["[stdout]", "[stderr]", "stdout:", "stderr:", "STDOUT:", "STDERR:", "Output:"].contains(&line) {
        return Some(Rank::Told);
    }
    let truncated = (line.starts_with(['[', '(']) && line.ends_with([']', ')']))
        && ["runcated", "nd of file", "more lines", "capped at"].iter().any(|said| line.contains(said));
    if (truncated || line.starts_with("Output too large (")) && line.len() < 300 {
        return Some(Rank::Telling(0));
    }
    if line.starts_with("Total output lines: ") || line.starts_with("Preview (first ") {
        return Some(Rank::Told);
    }
    // `<output>`, `<task_id>b50b67f</task_id>`; what may be a page's own tag is left to it.
    const TAGS: [&str; 15] = [
        "output",
        "stdout",
        "stderr",
        "result",
        "results",
        "content",
        "path",
        "file",
        "type",
        "status",
        "task_id",
        "task_type",
        "retrieval_status",
        "exit_code",
        "persisted-output",
    ];
    let tag = line.strip_prefix('<').map(|tag| tag.strip_prefix('/').unwrap_or(tag))?;
    let (name, rest) = tag.split_once('>')?;
    let closed = rest.is_empty() || rest.strip_suffix('>').is_some_and(|rest| rest.ends_with(name));
    (TAGS.contains(&name) && closed && line.len() < 300).then_some(Rank::Told)
}

/// The length of a tag that opens an output on its first line.
fn open_tag(line: &str) -> Option<usize> {
    ["<content>", "<output>", "<stdout>", "<result>"].iter().find(|tag| line.starts_with(**tag)).map(|tag| tag.len())
}

/// The rest of an output, without the blocks in which an agent's program tells the agent something.
fn without_reminders(text: &str, inner: Range<usize>, parts: &mut Vec<Part>) -> Vec<Range<usize>> {
    let mut contents = vec![inner];
    for (open, close) in [("<system-reminder>", "</system-reminder>"), ("<usage>", "</usage>")] {
        contents = contents.into_iter().flat_map(|content| without_blocks(text, content, open, close, parts)).collect();
    }
    let trimmed = |span: Range<usize>| {
        let length = text.get(span.clone()).map_or(0, |content| content.trim_end().len());
        (length > 0).then_some(span.start..span.start + length)
    };
    contents.into_iter().filter_map(trimmed).collect()
}

fn without_blocks(
    text: &str,
    inner: Range<usize>,
    open: &str,
    close: &str,
    parts: &mut Vec<Part>,
) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let find = |from: usize, needle: &str| {
        bytes.get(from..inner.end).and_then(|rest| memmem::find(rest, needle.as_bytes())).map(|at| from + at)
    };
    let mut contents = Vec::new();
    let (mut from, mut look) = (inner.start, inner.start);
    while let Some(at) = find(look, open) {
        if at > 0 && bytes.get(at - 1) != Some(&b'\n') {
            look = at + open.len();
            continue;
        }
        // A block that is not closed has no end to look for again.
        let Some(end) = find(at, close).map(|end| end + close.len()) else { break };
        contents.push(from..at);
        parts.push(Part { span: at..end, found: Found::Wrapper(Rank::Told) });
        (from, look) = (end, end);
    }
    contents.push(from..inner.end);
    contents
}

/// A head, or what stands below one.
struct Divided {
    span: Range<usize>,
    head: bool,
    name: Option<String>,
}

/// Divides at lines that are certainly no part of an output: `==> file <==`, and what the command itself echoes.
fn divide_surely(content: &ToolOutput) -> Vec<Divided> {
    // What was written into a file is not searched for every line.
    let echoes = content.arguments.len() < LONGEST_COMMAND && content.arguments.contains("echo");
    divide(&content.text, |line| {
        let line = line.trim();
        if let Some(name) = line.strip_prefix("==> ").and_then(|name| name.strip_suffix(" <==")) {
            return Some(name.to_owned());
        }
        let stream = ["[stderr]", "[stdout]", "STDERR:", "STDOUT:"].contains(&line);
        let rule = line.len() >= 3 && line.starts_with(['=', '-', '#', '*', '~']) && line.len() < 120;
        let echoed = rule && echoes && content.arguments.contains(line);
        (stream || echoed).then(|| name_in(line))
    })
}

/// Divides at lines that look like heads: `=== name ===`, `$ command`, `+ command`.
fn divide_by_heads(text: &str) -> Vec<Divided> {
    let ruled = divide(text, |line| {
        let line = line.trim();
        let rule = line.bytes().take_while(|byte| matches!(byte, b'=' | b'-')).count();
        let closes = line.ends_with("==") || line.ends_with("--");
        let name = name_in(line);
        (rule >= 3 && closes && !name.is_empty() && line.len() < 120).then_some(name)
    });
    let heads = |divided: &[Divided]| divided.iter().filter(|part| part.head).count();
    // The trace of a shell begins with a command.
    let opens = |divided: &[Divided]| divided.len() > 1 && divided.first().is_some_and(|part| part.head);
    if heads(&ruled) > 1 || opens(&ruled) {
        return ruled;
    }
    let begins = |opening: &str, line: &str| {
        let command = line.strip_prefix(opening)?;
        command
            .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '.' | '/'))
            .then(|| cut_to_chars(command, 40))
    };
    let prompted = divide(text, |line| begins("$ ", line));
    if opens(&prompted) {
        return prompted;
    }
    if text.lines().any(|line| line.starts_with("- ") || line.starts_with("@@")) {
        return Vec::new();
    }
    let traced = divide(text, |line| begins("+ ", line).or_else(|| begins("++ ", line)));
    if opens(&traced) { traced } else { Vec::new() }
}

fn name_in(line: &str) -> String {
    cut_to_chars(line.trim_matches(|c: char| matches!(c, '=' | '-' | '#' | '*' | '~' | ' ' | '[' | ']' | ':')), 40)
}

/// Heads and what stands below them. Nothing if there is no head.
fn divide(text: &str, head: impl Fn(&str) -> Option<String>) -> Vec<Divided> {
    let mut divided: Vec<Divided> = Vec::new();
    let mut heads = 0;
    let mut open: Option<Divided> = None;
    for span in lines(text) {
        let line = text.get(span.clone()).unwrap_or_default();
        if let Some(name) = head(line) {
            heads += 1;
            divided.extend(open.take());
            divided.push(Divided { span, head: true, name: Some(name) });
        } else if let Some(open) = &mut open {
            open.span.end = span.end;
        } else if !line.trim().is_empty() {
            let name = divided.last().and_then(|head| head.name.clone()).filter(|name| !name.is_empty());
            open = Some(Divided { span, head: false, name });
        }
    }
    divided.extend(open);
    if heads == 0 || heads > PARTS_AT_MOST { Vec::new() } else { divided }
}

/// One reading of all parts.
fn join(text: &str, mut parts: Vec<Part>, contents: usize) -> Read {
    parts.sort_by_key(|part| part.span.start);
    let heads = parts.iter().filter(|part| matches!(part.found, Found::Head)).count();
    let mut joined =
        Joined { text, contents, heads, kind: None, layouts: Vec::new(), units: Vec::new(), read: Vec::new() };
    let mut reading = Reading::empty(Unit::Line);
    for part in parts {
        joined.add(&mut reading, part);
    }
    joined.finish(reading)
}

struct Joined<'text> {
    text: &'text str,
    contents: usize,
    heads: usize,
    kind: Option<&'static str>,
    layouts: Vec<Layout>,
    units: Vec<Unit>,
    /// Where parts are, and whether a word of an error reports one there.
    read: Vec<(Range<usize>, Events)>,
}

impl Joined<'_> {
    fn add(&mut self, reading: &mut Reading, part: Part) {
        match part.found {
            Found::Wrapper(rank) => {
                // Not a line of the output: it counts for none.
                reading.pieces.push(Piece { units: 0, ..Piece::ordinary(part.span.clone()).ranked(rank) });
                self.read.push((part.span, Events::Quiet));
            }
            Found::Head => {
                let rank = if self.heads <= HEADS_SHOWN { Rank::Frame } else { Rank::Telling(0) };
                reading.pieces.push(Piece::ordinary(part.span.clone()).ranked(rank));
                self.read.push((part.span, Events::Quiet));
            }
            Found::Content(name, read) => self.add_content(reading, part.span, name, read),
        }
    }

    fn add_content(&mut self, reading: &mut Reading, span: Range<usize>, name: Option<String>, read: Read) {
        let first = reading.pieces.len();
        let inner = read.reading;
        self.kind = Some(match self.kind {
            None => read.kind,
            Some(kind) if kind == read.kind => kind,
            Some(_) => NAME,
        });
        self.layouts.push(inner.layout);
        self.units.push(inner.unit);
        let label = name.as_ref().filter(|_| self.contents > 1).map(|name| format!("{name}: ")).unwrap_or_default();
        let may_say = self.contents <= EACH_MAY_SAY;
        reading.facts.extend(
            inner
                .facts
                .into_iter()
                .map(|fact| Fact { text: format!("{label}{}", fact.text), always: fact.always && may_say }),
        );
        reading.pieces.extend(inner.pieces.into_iter().map(|piece| {
            let moved = shift(piece.span.clone(), span.start);
            Piece { span: moved, ..piece }
        }));
        reading.sections.extend(
            inner.sections.into_iter().map(|section| Section { pieces: shift(section.pieces, first), ..section }),
        );
        if let Some(name) = name {
            reading.sections.push(Section { name, pieces: first..reading.pieces.len() });
        }
        reading.ends = inner.ends;
        self.read.push((span.clone(), inner.events));
    }

    fn finish(self, mut reading: Reading) -> Read {
        let same = |layout: &&Layout| self.layouts.first() == Some(layout);
        reading.layout = match self.layouts.first() {
            Some(only) if self.layouts.len() == 1 => *only,
            Some(Layout::Bare) if self.layouts.iter().all(|layout| same(&layout)) => Layout::Bare,
            Some(_) | None => Layout::Gaps,
        };
        if let Some(unit) = self.units.first().filter(|unit| self.units.iter().all(|other| other == *unit)) {
            reading.unit = *unit;
        }
        reading.events = self.read.iter().map(|(_, events)| *events).min().unwrap_or(Events::Quiet);
        debug_assert!(reading.pieces.iter().all(|piece| piece.span.end <= self.text.len()));
        Read { kind: self.kind.unwrap_or(NAME), reading, parts: self.read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, made, output};

    fn kind(text: &str) -> &'static str {
        read(&output("x", text), Effort::Full).expect("it is read").kind
    }

    fn log(lines: usize) -> String {
        (0..lines).map(|n| format!("2025-09-15 08:00:{:02} INFO request {n} served in {}ms\n", n % 60, n % 7)).collect()
    }

    #[test]
    fn what_an_agent_writes_around_an_output_does_not_hide_its_kind() {
        let text = format!(
            "Chunk ID: 8a48d4\nWall time: 0.6 seconds\nProcess exited with code 3\nOriginal token count: 2349\nOutput:\n{}\n<system-reminder>\nan error in a reminder is none\n</system-reminder>\n",
            log(90)
        );
        insta::assert_snapshot!(check("journalctl -n 90", &text), @"
        [digest of log: 1 of 90 lines kept, 1,166 tokens; original 83b42088dfd7]
        90 lines; 90 INFO; 2025-09-15 08:00:00–08:00:59
        90× INFO request * served in *
        Process exited with code 3
        90: 2025-09-15 08:00:29 INFO request 89 served in 5ms
        ");
    }

    #[test]
    fn each_part_is_read_as_its_own_kind() {
        let listing: String = (0..80).map(|n| format!("src/errors/part_{n}.rs\n")).collect();
        let text = format!("==> app.log <==\n{}\n==> files <==\n{listing}", log(60));
        insta::assert_snapshot!(check("tail -n 80 app.log files", &text), @"
        [digest of mixture: 12 of 142 lines kept, 1,193 tokens; original e6088e15999a]
        app.log: 60 lines; 60 INFO; 2025-09-15 08:00:00–08:00:59
        app.log: 60× INFO request * served in *
        files: 80 entries: .rs 80
        ==> app.log <==
        [… 60 lines …]
        ==> files <==
        src/errors/part_0.rs
        src/errors/part_1.rs
        src/errors/part_2.rs
        [… 70 lines …]
        src/errors/part_73.rs
        src/errors/part_74.rs
        src/errors/part_75.rs
        src/errors/part_76.rs
        src/errors/part_77.rs
        src/errors/part_78.rs
        src/errors/part_79.rs
        ");
    }

    #[test]
    fn what_a_command_echoes_divides_its_output() {
        let text = format!("{}---ENV CHECK---\nPOOL=7\nerror: no such host\n", log(60));
        let echoed = "tail app.log; echo '---ENV CHECK---'; env";
        insta::assert_snapshot!(check(echoed, &text), @"
        [digest of mixture: 3 of 63 lines kept, 759 tokens; original 1c00fc272459]
        60 lines; 60 INFO; 2025-09-15 08:00:00–08:00:59
        60× INFO request * served in *
        [… 60 lines …]
        ---ENV CHECK---
        POOL=7
        error: no such host
        ");
    }

    #[test]
    fn wrappers_of_other_agents_are_known() {
        assert_eq!(kind(&format!("<status>completed</status>\n\n<output>\n{}</output>", log(30))), "log");
        assert_eq!(kind(&format!("{}[exit code: 2]\n", log(30))), "log");
        assert_eq!(exit_code("Process exited with code 0"), Some(0));
        assert_eq!(exit_code("[exit code: 2]"), Some(2));
        assert_eq!(exit_code("Error: Exit code 127"), Some(127));
        assert_eq!(exit_code("<exit_code>1</exit_code>"), Some(1));
        assert_eq!(exit_code("exit code 1 means that nothing was found"), None);
    }

    #[test]
    fn an_output_of_wrappers_only_is_an_output() {
        for text in
            ["", "Output:", "Chunk ID: 1\nOutput:\n", "<system-reminder>x</system-reminder>", "<output>\n</output>"]
        {
            assert!(read(&output("x", text), Effort::Full).is_some(), "{text}");
        }
    }

    #[test]
    fn encoded_data_on_one_long_line_is_told_by_its_size() {
        let data: String = (0..4000u32).map(|n| char::from(b"aB3dE5gH9k+/"[(n * 7 % 12) as usize])).collect();
        let text =
            format!("{{\"image\": \"data:image/png;base64,{data}==\", \"width\": 12, \"note\": \"error: too large\"}}");
        insta::assert_snapshot!(check("cat image.json", &text), @r#"
        [digest of JSON: 2 of 2 passages kept, 1,020 tokens; original 7bb38192f6d9]
        image: "data:image/png;base64,[4,002 chars of encoded data]"
        width: 12, note: "error: too large"
        "#);
        let words = "many words on one line without an end ".repeat(200);
        assert!(made("", "cat words", &words).expect("a digest is made").text.len() < 900);
    }
}
