//! JSON: its shape once, the records that are unlike the others, and every error in it.
//!
//! Whole documents, broken ones, several in a row, JSON lines; with a few lines of something else around them.

mod fields;
mod notebook;
mod odd;
mod printed;
mod reader;
mod records;
mod scan;
mod show;
mod unlike;

use super::reading::{Reading, lines};
use super::{Effort, OutputKind, ToolOutput};
use reader::Reader;
use scan::{Document, Tree, number_prefix};

/// Documents of JSON, and JSON lines.
pub struct Json;

/// A document begins on one of the first lines.
const FIRST_LINES: usize = 30;
/// A line of this length is no line that somebody wrote.
const LONG_LINE: usize = 400;

impl OutputKind for Json {
    fn name(&self) -> &'static str {
        "JSON"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let text = &*output.text;
        let numbered = number_prefix(text) > 0;
        lines(text)
            .take(FIRST_LINES)
            .find(|line| begins_document(text.get(line.clone()).unwrap_or_default(), numbered))?;
        let mut tree = Tree::new(text, numbered);
        let documents = documents(&mut tree, numbered);
        let json: usize = documents.iter().map(|document| document.span.len()).sum();
        let empty = |document: &Document| tree.node(document.root).is_none_or(|node| node.children == 0);
        let others = text.trim().len().saturating_sub(json);
        let broken = documents.iter().filter(|document| !document.complete).count();
        if broken > 1 + documents.len() / 4
            || others * 2 > json
            || documents.iter().all(empty)
            || is_told_about(text, &documents)
        {
            return None;
        }
        Some(Reader::new(&tree, &output.arguments, effort).read(&documents))
    }
}

/// Whether the documents are examples in a text about them.
fn is_told_about(text: &str, documents: &[Document]) -> bool {
    let starts = std::iter::once(0).chain(documents.iter().map(|document| document.span.end));
    let ends = documents.iter().map(|document| document.span.start).chain(std::iter::once(text.len()));
    starts.zip(ends).any(|(start, end)| text.get(start..end).is_some_and(|between| between.contains("```")))
}

fn begins_document(line: &str, numbered: bool) -> bool {
    let prefix = if numbered { number_prefix(line) } else { 0 };
    let line = line.get(prefix..).unwrap_or_default().trim();
    match line.as_bytes() {
        [b'{'] | [b'['] | [b'{', b'}'] => true,
        [b'{', rest @ ..] => rest.trim_ascii_start().first() == Some(&b'"'),
        [b'[', rest @ ..] => matches!(
            rest.trim_ascii_start().first(),
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b']')
        ),
        _ => false,
    }
}

/// Every document of the text. Each byte is looked at once: behind something that is no JSON the next line is tried.
fn documents(tree: &mut Tree<'_>, numbered: bool) -> Vec<Document> {
    let text = tree.text;
    let line_end = |at: usize| text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end);
    let mut documents: Vec<Document> = Vec::new();
    let mut at = 0;
    // A line may hold any number of documents, so that its end is looked for once.
    let mut end_of_line = line_end(at);
    while at < text.len() {
        if at > end_of_line {
            end_of_line = line_end(at);
        }
        let line = text.get(at..end_of_line).unwrap_or_default();
        if begins_document(line, numbered) {
            let prefix = if numbered { number_prefix(line) } else { 0 };
            let inner = line.get(prefix..).unwrap_or_default();
            let start = at + prefix + inner.len() - inner.trim_start().len();
            if let Some(document) = tree.scan(start) {
                let (end, complete) = (document.span.end.max(at + 1), document.complete);
                documents.push(document);
                if end > end_of_line {
                    end_of_line = line_end(end);
                }
                at = next_start(text, end, end_of_line, complete);
                continue;
            }
        }
        at = end_of_line + 1;
    }
    documents
}

/// Where the next document may begin: on the same line behind a comma, or behind what somebody has cut out; else on the
/// next line.
fn next_start(text: &str, end: usize, end_of_line: usize, complete: bool) -> usize {
    let line = text.get(end..end_of_line).unwrap_or_default();
    let spaces = line.len() - line.trim_start_matches([' ', ',', '\t', '}', ']']).len();
    if line.get(spaces..).is_some_and(|rest| rest.starts_with(['{', '['])) {
        return end + spaces;
    }
    let next = line.find("{\"").filter(|_| !complete || line.len() > LONG_LINE);
    next.map_or(end_of_line + 1, |next| end + next)
}

#[cfg(test)]
mod tests;
