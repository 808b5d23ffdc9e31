//! Source files: every name that is defined, constants with their values, and what the agent works on; bodies go.

pub mod call;
pub mod grammar;
pub mod indentation;
pub mod language;
mod line;
pub mod outline;
mod special;
mod told;

use std::ops::Range;

use language::{Language, Named, Role};
use line::{is_about_code, is_closing, is_code_line, is_complaint, is_other_line, says_more};
use outline::Outline;
use told::Told;

use super::reading::{Finding, Layout, Piece, Rank, Reading, Section, Unit, lines};
use super::{Effort, OutputKind, ToolOutput, events, numbers};

/// Source code in any language.
pub struct Source;

/// Longer texts are read by their indentation: a grammar takes too long.
const GRAMMAR_BYTES: usize = 256 * 1024;
/// Lines that are looked at to tell code from other text.
const SAMPLE: usize = 60;
/// A head of more bytes is told in brief only.
const LONG_HEAD: usize = 600;
/// A longer line would be cut.
const LONG_LINE: usize = 240;
/// A text with fewer definitions is part of something larger: its statements tell what it is.
const FEW: usize = 3;
/// Imported names that are told.
const IMPORTED: usize = 12;
/// Keys of settings that are shown beside source.
const KEYS_BESIDE: usize = 24;
/// Words that mark a line as unfinished or dangerous.
const MARKS: &[&str] = &["TODO", "FIXME", "HACK", "XXX", "WARNING", "DANGER", "careful"];
/// So many of them are always shown.
const FEW_MARKS: usize = 3;

impl OutputKind for Source {
    fn name(&self) -> &'static str {
        "source"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let call = call::shown(output);
        let named = language::by_path(&call.path);
        if matches!(named, Named::NotCode) && call.only_shows {
            return None;
        }
        let file = File::of(&output.text, &output.arguments)?;
        let language = file.language(named, call.only_shows)?;
        let path =
            if call.path.is_empty() { language.extensions.first().copied().unwrap_or_default() } else { &call.path };
        let outline = file.outline(language, path, effort);
        let mut reading = file.reading(&outline, call.first);
        if call.with_settings {
            keep_keys(&mut reading, &output.text);
        }
        Some(reading)
    }
}

/// The upper keys of settings that were printed behind or before a source file: `services:`, `  web:`.
fn keep_keys(reading: &mut Reading, text: &str) {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let is_key = |line: &str| {
        let name = line.trim().strip_suffix(':').unwrap_or_default();
        let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
        plain && !name.is_empty() && indent(line) <= 2 && !matches!(name, "else" | "try" | "default" | "finally")
    };
    let below = reading.pieces.iter().skip(1).map(|piece| indent(piece.text(text))).chain([0]);
    let below: Vec<usize> = below.collect();
    let keys = reading.pieces.iter_mut().zip(below).filter(|(piece, below)| {
        let line = piece.text(text);
        is_key(line) && *below > indent(line)
    });
    keys.take(KEYS_BESIDE).for_each(|(piece, _)| piece.rank = piece.rank.min(Rank::Frame));
}

/// A text as lines of a file.
struct File<'text> {
    text: &'text str,
    rows: Vec<Row>,
    /// The text brings line numbers of its own.
    numbered: bool,
}

/// One line.
struct Row {
    /// All of it.
    span: Range<usize>,
    /// Without the number before it; empty for a line that is none of the file.
    code: Range<usize>,
    /// What a tool wrote before or behind the file.
    foreign: bool,
    /// What it reports, if it is a message of the command in the midst of the file.
    message: Option<Finding>,
}

impl<'text> File<'text> {
    fn of(text: &'text str, arguments: &str) -> Option<File<'text>> {
        let spans: Vec<Range<usize>> = lines(text).collect();
        let line = |span: &Range<usize>| text.get(span.clone()).unwrap_or_default();
        // Some agents say how the command went before its output.
        let opening = spans.iter().take(12).position(|span| line(span) == "Output:").map_or(0, |at| at + 1);
        let middle = spans.len() / 3;
        let numbered = numbers::is_numbered(spans.iter().skip(opening.max(middle)).map(line));
        let rows = spans.iter().enumerate().map(|(row, span)| {
            let text = line(span);
            // Some tools put the file into a tag that opens on its first line.
            let tag = if text.starts_with("<content>") { "<content>".len() } else { 0 };
            let number = numbers::number(text.get(tag..).unwrap_or_default()).filter(|_| numbered);
            let message = events::tool_message(text, arguments);
            let foreign = row < opening || (numbered && number.is_none()) || message.is_some();
            let start = if foreign { span.end } else { span.start + tag + number.map_or(0, |number| number.prefix) };
            Row { span: span.clone(), code: start.min(span.end)..span.end, foreign, message }
        });
        let rows: Vec<Row> = rows.collect();
        (rows.len() >= 2).then_some(File { text, rows, numbered })
    }

    fn code(&self, row: usize) -> &'text str {
        self.rows.get(row).and_then(|row| self.text.get(row.code.clone())).unwrap_or_default()
    }

    /// The language, if this is code. A path says which, but only the text says that the file is what was printed.
    fn language(&self, named: Named, only_shows: bool) -> Option<&'static Language> {
        // A word or a number alone may be anything.
        let tells = |line: &&str| line.trim().contains(|c: char| !c.is_alphanumeric());
        let filled = || (0..self.rows.len()).map(|row| self.code(row)).filter(tells);
        let count = filled().count();
        // The first lines, some of the middle, the last ones.
        let step = (count / SAMPLE).max(1);
        let sample = || filled().step_by(step).take(SAMPLE);
        let looked_at = sample().count();
        let likely = sample().filter(|line| is_code_line(line)).count();
        let about_code = sample().filter(|line| is_about_code(line)).count();
        if looked_at == 0 || about_code * 5 > looked_at {
            return None;
        }
        match named {
            Named::Code(language)
                if only_shows && special::builds_image(&filled().take(SAMPLE).collect::<Vec<_>>()) =>
            {
                Some(language)
            }
            // Lists of names and tables look like nothing, so little is asked of them.
            Named::Code(language) if only_shows => (likely * 100 >= looked_at * 15).then_some(language),
            Named::Code(language) if likely * 100 >= looked_at * 70 => {
                let seems = language::by_content(filled().take(10 * SAMPLE))?;
                (seems.name == language.name || !seems.rules.is_empty()).then_some(language)
            }
            Named::NotCode | Named::Nothing | Named::Code(_) => {
                let other = sample().filter(|line| is_other_line(line)).count();
                // A report with pieces of code in it is a text.
                let quotes = filled().any(|line| line.trim_start().starts_with("```"));
                let sure = likely * 100 >= looked_at * 75 && other * 5 <= looked_at && !quotes && self.rows.len() >= 8;
                // Other kinds know data, logs and text better: only a language with a grammar is sure enough.
                let seems = || language::by_content(filled().take(10 * SAMPLE)).filter(|it| !it.rules.is_empty());
                let database = || self.is_database().then(|| language::by_extension("sql")).flatten();
                sure.then(|| seems().or_else(database)).flatten()
            }
        }
    }

    /// Whether these are statements of a database, which need no file: `.schema`, `pg_dump`.
    fn is_database(&self) -> bool {
        let at_margin =
            (0..self.rows.len()).map(|row| self.code(row)).filter(|line| line.starts_with(char::is_alphabetic));
        let changes = |line: &str| ["CREATE ", "ALTER ", "DROP "].iter().any(|verb| line.starts_with(verb));
        let (all, changing) = at_margin.fold((0, 0), |(all, some), line| (all + 1, some + usize::from(changes(line))));
        changing * 2 > all
    }

    fn outline(&self, language: &'static Language, path: &str, effort: Effort) -> Outline {
        let rows: Vec<&str> = (0..self.rows.len()).map(|row| self.code(row)).collect();
        let small = self.text.len() <= GRAMMAR_BYTES && effort == Effort::Full;
        let parsed = small.then(|| grammar::outline(language, path, &rows.join("\n"))).flatten();
        match parsed {
            Some(outline) if !outline.has_errors => outline,
            // A part of a file: a method without its class is none to the grammar.
            Some(outline) => with_missed(outline, indentation::outline(&rows)),
            None => indentation::outline(&rows),
        }
    }

    fn reading(&self, outline: &Outline, first: Option<usize>) -> Reading {
        let mut reading = Reading {
            layout: match first {
                _ if self.numbered => Layout::Bare,
                Some(first) => Layout::Numbered(first),
                None => Layout::Bare,
            },
            ends: false,
            ..Reading::empty(Unit::Line)
        };
        self.say_imports(&mut reading, outline);
        let told = Told::of(outline, self.text.len());
        let ranks = self.ranks(outline);
        let mut piece_of: Vec<usize> = Vec::with_capacity(self.rows.len());
        let mut heads = told.heads.iter().peekable();
        let mut row = 0;
        while let Some(at) = self.rows.get(row) {
            while heads.next_if(|head| head.rows.start < row).is_some() {}
            let index = reading.pieces.len();
            if let Some(head) = heads.next_if(|head| head.rows.start == row) {
                // A head ends where the next one begins.
                let next = heads.peek().map_or(self.rows.len(), |next| next.rows.start);
                let end = head.rows.end.min(next).min(self.rows.len()).max(row + 1);
                let last = self.rows.get(end - 1).unwrap_or(at);
                let number = self.text.get(at.span.start..at.code.start).unwrap_or_default().trim_start();
                let blanks = self.code(row).len() - self.code(row).trim_start().len();
                let indent =
                    if head.rank == Rank::Frame { self.code(row).get(..blanks).unwrap_or_default() } else { "" };
                let brief = format!("{number}{indent}{}", head.brief);
                let text = self.text.get(at.span.start..last.span.end).unwrap_or_default();
                // `typedef struct {` has its name behind its body; a very long line would be cut.
                let long = text.len() > LONG_HEAD || text.lines().any(|line| line.len() > LONG_LINE);
                let hides = long || !head.names.iter().all(|name| text.contains(name.as_str()));
                let told = head.rank == Rank::Frame && hides;
                let shorter = head.rank == Rank::Frame && !told && brief.len() < text.len();
                let (full, brief) = if told { (Some(brief), None) } else { (None, shorter.then_some(brief)) };
                reading.pieces.push(Piece {
                    units: end - row,
                    rank: head.rank,
                    full,
                    brief,
                    note: head.note(),
                    ..Piece::ordinary(at.span.start..last.span.end)
                });
                piece_of.extend((row..end).map(|_| index));
                row = end;
                continue;
            }
            let rank = ranks.get(row).copied().unwrap_or(Rank::Told);
            // What a tool wrote before the file is not counted as its lines.
            let units = usize::from(!at.foreign || self.numbered);
            // An empty line is empty, though it has a number.
            let blank = !at.foreign && at.code.is_empty();
            let span = if blank { at.code.clone() } else { at.span.clone() };
            reading.pieces.push(Piece { units, ..Piece::ordinary(span).ranked(if blank { Rank::Told } else { rank }) });
            piece_of.push(index);
            row += 1;
        }
        let piece = |row: usize| piece_of.get(row).copied().unwrap_or(reading.pieces.len());
        let named = outline.definitions.iter().filter(|definition| definition.role != Role::Value);
        reading.sections = named
            .map(|definition| {
                // Its documentation and attributes belong to it.
                let start = self.documented_from(outline, definition.rows.start);
                Section { name: definition.name.clone(), pieces: piece(start)..piece(definition.rows.end) }
            })
            .collect();
        reading
    }

    fn documented_from(&self, outline: &Outline, row: usize) -> usize {
        let before = |ranges: &[Range<usize>], row: usize| {
            let at = ranges.partition_point(|range| range.end < row);
            ranges.get(at).filter(|range| range.end == row && range.start < row).map(|range| range.start)
        };
        let mut start = row;
        for _ in 0..40 {
            match before(&outline.attributes, start).or_else(|| before(&outline.comments, start)) {
                Some(earlier) => start = earlier,
                None => break,
            }
        }
        start
    }

    fn say_imports(&self, reading: &mut Reading, outline: &Outline) {
        if outline.imported.is_empty() {
            return;
        }
        // The last part of a path names what is brought in.
        let short = |name: &String| -> String {
            let name = name.trim_end_matches([';', '*', '.', ':', '{', '}', ' ', '/']);
            let name = name.split([',', '{']).next().unwrap_or(name).trim_end_matches(':');
            name.rsplit('/').next().unwrap_or(name).to_owned()
        };
        let mut names: Vec<String> = Vec::new();
        for name in outline.imported.iter().map(short) {
            if !name.is_empty() && !names.contains(&name) && names.len() < IMPORTED {
                names.push(name);
            }
        }
        let more = if outline.imported.len() > names.len() { ", …" } else { "" };
        reading.say(format!("imports {}: {}{more}", outline.imported.len(), names.join(", ")));
    }

    /// What each row is worth that is no head of a definition.
    fn ranks(&self, outline: &Outline) -> Vec<Rank> {
        let mut ranks: Vec<Rank> = vec![Rank::Ordinary; self.rows.len()];
        let mut set = |rows: Range<usize>, rank: Rank| {
            let end = rows.end.min(self.rows.len());
            ranks.get_mut(rows.start.min(end)..end).into_iter().flatten().for_each(|one| *one = rank);
        };
        let frames = outline.definitions.iter().filter(|definition| !definition.local).count();
        for definition in &outline.definitions {
            set(definition.rows.clone(), Rank::Told);
        }
        outline.attributes.iter().for_each(|rows| set(rows.clone(), Rank::Telling(5)));
        for rows in &outline.comments {
            set(rows.clone(), Rank::Told);
        }
        // The first line of documentation with words says what the file is, and what follows.
        let words = |rows: Range<usize>| {
            rows.into_iter().find(|row| self.code(*row).chars().filter(|c| c.is_alphabetic()).count() > 3)
        };
        let opening = outline.comments.first().filter(|rows| rows.start == 0);
        if let Some(row) = opening.and_then(|rows| words(rows.clone())) {
            set(row..row + 1, Rank::Telling(3));
        }
        for definition in outline.definitions.iter().filter(|definition| !definition.local) {
            let start = self.documented_from(outline, definition.rows.start);
            if let Some(row) = words(start..definition.rows.start) {
                set(row..row + 1, Rank::Telling(4));
            }
        }
        outline.fields.iter().for_each(|row| set(*row..row + 1, Rank::Telling(2)));
        outline.imports.iter().for_each(|rows| set(rows.clone(), Rank::Told));
        self.rank_statements(&mut ranks, frames < FEW);
        let marks = (0..self.rows.len()).filter(|row| is_marked(self.code(*row))).take(FEW_MARKS + 1).count();
        let marked = if marks <= FEW_MARKS { Rank::Frame } else { Rank::Telling(0) };
        for (row, rank) in ranks.iter_mut().enumerate() {
            let code = self.code(row);
            let at = self.rows.get(row);
            if at.is_some_and(|at| at.foreign) {
                *rank = self.rank_foreign(row);
            } else if self.is_edge(row) && says_more(code) {
                *rank = Rank::Frame;
            } else if is_closing(code) {
                *rank = Rank::Told;
            } else if *rank != Rank::Told && is_complaint(code) && self.is_edge(row) {
                *rank = Rank::Finding(events::severity(code).unwrap_or(Finding::Error));
            } else if is_marked(code) {
                *rank = (*rank).min(marked);
            }
        }
        ranks
    }

    /// Of a part of a function, the statements at its margin say what it does; then those one step inside.
    fn rank_statements(&self, ranks: &mut [Rank], of_bodies: bool) {
        let indent = |row: usize| {
            let code = self.code(row);
            code.len() - code.trim_start().len()
        };
        let filled = |row: &usize| !is_closing(self.code(*row));
        let mut steps: Vec<usize> = (0..self.rows.len()).filter(filled).map(indent).collect();
        steps.sort_unstable();
        steps.dedup();
        for (row, rank) in ranks.iter_mut().enumerate() {
            let step = steps.partition_point(|step| *step < indent(row));
            let told = is_closing(self.code(row)) || step > 2;
            if *rank == Rank::Ordinary || (of_bodies && *rank == Rank::Told) {
                *rank = if told { Rank::Told } else { Rank::Telling(u8::try_from(step).map_or(9, |step| 6 + step)) };
            }
        }
    }

    /// A line before or behind the file: what it complains about must not be lost.
    fn rank_foreign(&self, row: usize) -> Rank {
        let line = self.rows.get(row).and_then(|row| self.text.get(row.span.clone())).unwrap_or_default();
        let message = self.rows.get(row).and_then(|row| row.message);
        match message.or_else(|| events::severity(line)) {
            Some(finding) if !line.trim_start().starts_with('<') && line.len() < 400 => Rank::Finding(finding),
            Some(_) | None if says_more(line) => Rank::Frame,
            Some(_) | None => Rank::Told,
        }
    }

    /// One of the first or the last lines.
    fn is_edge(&self, row: usize) -> bool {
        row < 3 || row + 3 >= self.rows.len()
    }
}

/// Whether a comment says that something is unfinished or dangerous.
fn is_marked(code: &str) -> bool {
    MARKS.iter().any(|mark| code.contains(mark))
        && ["//", "#", "--", "/*", "* ", ";"].iter().any(|comment| code.contains(comment))
}

/// Takes in what the grammar missed: definitions in rows where it found none.
fn with_missed(mut outline: Outline, by_rows: Outline) -> Outline {
    let definitions = outline.definitions.iter().map(|one| &one.rows);
    let known = definitions.chain(&outline.imports).chain(&outline.comments);
    let mut known: Vec<(usize, usize)> = known.map(|rows| (rows.start, rows.end)).collect();
    known.sort_unstable();
    // Where what is known and begins before a row ends.
    let mut reach = 0;
    let mut next = known.iter().peekable();
    for definition in by_rows.definitions {
        while let Some((_, end)) = next.next_if(|(start, _)| *start <= definition.rows.start) {
            reach = reach.max(*end);
        }
        if definition.rows.start >= reach && definition.role != Role::Value {
            outline.definitions.push(definition);
        }
    }
    outline.definitions.sort_by_key(|definition| (definition.rows.start, std::cmp::Reverse(definition.rows.end)));
    outline
}

#[cfg(test)]
mod tests;
