//! Shows a JSON value on one line, as long as there is room for.

use super::scan::{Id, Kind, Tree};
use crate::outputs::write::without_blobs;
use crate::tokens::Tokens;

/// How much of a value is shown.
#[derive(Clone, Copy)]
struct Detail {
    string: usize,
    items: usize,
    depth: usize,
}

/// From everything to hardly anything.
const DETAILS: [Detail; 6] = [
    Detail { string: 100_000, items: 100_000, depth: 30 },
    Detail { string: 200, items: 12, depth: 8 },
    Detail { string: 100, items: 6, depth: 4 },
    Detail { string: 60, items: 4, depth: 2 },
    Detail { string: 40, items: 3, depth: 2 },
    Detail { string: 40, items: 2, depth: 2 },
];

const TRACEBACK: &str = "Traceback (most recent call last):";
/// What was raised, and where: so much of each.
const RAISED_CHARS: usize = 160;

/// The value on one line of about `chars` characters, without white space between its parts. Long strings and lists give
/// way first.
pub(super) fn one_line(tree: &Tree<'_>, id: Id, chars: usize) -> String {
    let mut shown = String::new();
    let written = tree.node(id).map_or(0, |node| node.span.len());
    for detail in DETAILS {
        // White space makes up a good part of a document, but never this much.
        if detail.depth == 30 && written > chars.saturating_mul(12) {
            continue;
        }
        shown.clear();
        write(tree, id, detail, 0, &mut shown);
        if shown.len() <= chars || shown.chars().nth(chars).is_none() {
            break;
        }
    }
    crate::outputs::cut_to_chars(&without_blobs(&shown), chars)
}

/// Whether all of a value can be shown in so many characters.
pub(super) fn fits(tree: &Tree<'_>, id: Id, chars: usize) -> bool {
    let [all, ..] = DETAILS;
    let mut shown = String::new();
    if tree.node(id).is_none_or(|node| node.span.len() > chars.saturating_mul(12)) {
        return false;
    }
    write(tree, id, all, 0, &mut shown);
    shown.chars().nth(chars).is_none()
}

/// A string cut to about `chars` characters: its beginning and its end.
pub(super) fn cut_string(text: &str, chars: usize) -> String {
    let count = text.chars().count();
    if count <= chars {
        return text.to_owned();
    }
    if let Some(raised) = raised_in(text) {
        return raised;
    }
    let (head, tail) = (chars * 2 / 3, chars / 3);
    let first: String = text.chars().take(head).collect();
    let last: String = text.chars().skip(count - tail).collect();
    // Half an escape would be read as another character.
    let first = first.trim_end_matches('\\');
    format!("{first}[… {} chars …]{last}", Tokens((count - head - tail) as u64))
}

/// Of a traceback of Python, the frame that raised, and what was raised.
fn raised_in(text: &str) -> Option<String> {
    let start = text.rfind(TRACEBACK)?;
    let trace = text.get(start + TRACEBACK.len()..)?;
    let end = if trace.contains('\n') { "\n" } else { "\\n" };
    let lines: Vec<&str> = trace.split(end).collect();
    let frame = lines.iter().rposition(|line| line.trim_start().starts_with("File "))?;
    let raised = lines.iter().skip(frame + 1).find(|line| !line.starts_with(' ') && !line.trim().is_empty())?;
    let frame = lines.get(frame).map(|line| line.trim()).unwrap_or_default();
    let cut = |line: &str| crate::outputs::cut_to_chars(line, RAISED_CHARS);
    Some(format!("{TRACEBACK} … {}: {}", cut(frame), cut(raised)))
}

fn write(tree: &Tree<'_>, id: Id, detail: Detail, depth: usize, shown: &mut String) {
    let (open, close) = match tree.kind(id) {
        Kind::Object => ('{', '}'),
        Kind::Array => ('[', ']'),
        Kind::String => {
            shown.push('"');
            shown.push_str(&cut_string(&without_blobs(tree.unquoted(id)), detail.string));
            shown.push('"');
            return;
        }
        Kind::Number | Kind::Flag | Kind::Null => {
            shown.push_str(tree.written(id));
            return;
        }
    };
    let count = tree.node(id).map_or(0, |node| node.children);
    if depth >= detail.depth && count > 0 {
        shown.push_str(&format!("{open}… {}{close}", Tokens(count as u64)));
        return;
    }
    let room = if open == '{' { detail.items.saturating_mul(3) } else { detail.items };
    let shown_items = if count <= room + 1 { count } else { room };
    shown.push(open);
    for (position, child) in tree.children(id).take(shown_items).enumerate() {
        if position > 0 {
            shown.push(',');
        }
        if let Some(key) = tree.key(child) {
            shown.push_str(&format!("\"{key}\":"));
        }
        write(tree, child, detail, depth + 1, shown);
    }
    if shown_items < count {
        shown.push_str(&format!(",… {} more", Tokens((count - shown_items) as u64)));
    }
    shown.push(close);
}
