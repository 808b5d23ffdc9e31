//! Configuration in tags, one element on a line: `pom.xml`, project files, settings.

use std::collections::HashMap;
use std::ops::Range;

use super::entry::{Entry, Role};
use crate::outputs::numbers;
use crate::outputs::reading::lines;

/// Lines that are looked at first.
const SAMPLE: usize = 60;
/// Fewer elements are no configuration.
const FEWEST: usize = 8;
/// Elements within each other, at most.
const DEPTH: usize = 100;

/// The lines of a document of tags, if the text is one.
pub(super) fn entries(text: &str) -> Option<Vec<Entry<'_>>> {
    let numbered = numbers::is_numbered(text.lines().skip(text.lines().count() / 3).take(SAMPLE));
    let plain = |span: &Range<usize>| {
        let line = text.get(span.clone()).unwrap_or_default();
        let prefix = if numbered { numbers::number(line).map_or(0, |number| number.prefix) } else { 0 };
        line.get(prefix..).unwrap_or_default().trim()
    };
    let filled = || lines(text).map(|span| plain(&span)).filter(|line| !line.is_empty()).take(SAMPLE);
    let tagged = filled().filter(|line| line.starts_with('<') && line.ends_with('>')).count();
    let closed = filled().filter(|line| line.contains("</") || line.ends_with("/>")).count();
    if tagged < FEWEST || tagged * 10 < filled().count() * 8 || closed * 3 < tagged {
        return None;
    }
    let mut reader = Reader::default();
    for span in lines(text) {
        let line = plain(&span);
        reader.read(span, line);
    }
    let named = |entry: &&Entry<'_>| matches!(entry.role, Role::Key | Role::Item);
    (reader.entries.iter().filter(named).count() >= FEWEST).then_some(reader.entries)
}

#[derive(Default)]
struct Reader<'text> {
    entries: Vec<Entry<'text>>,
    /// Elements that are not closed, by their entries.
    open: Vec<usize>,
    /// The first element of each name within another: a second one makes both of them items.
    first: HashMap<(usize, &'text str), usize>,
}

impl<'text> Reader<'text> {
    fn read(&mut self, span: Range<usize>, line: &'text str) {
        let depth = self.open.len();
        let plain =
            |role: Role, value: &'text str| Entry { span: span.clone(), role, depth, key: "", value, attributes: "" };
        let Some(inner) = line.strip_prefix('<') else {
            let role = if line.is_empty() { Role::Nothing } else { Role::Value };
            self.entries.push(plain(role, line));
            return;
        };
        if inner.starts_with(['?', '!']) {
            self.entries.push(plain(Role::Nothing, ""));
            return;
        }
        if inner.starts_with('/') {
            self.open.pop();
            self.entries.push(plain(Role::Nothing, ""));
            return;
        }
        let end = inner.find('>').unwrap_or(inner.len());
        let (head, rest) = inner.split_at_checked(end).unwrap_or((inner, ""));
        let (key, attributes) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
        let key = key.trim_end_matches('/');
        let content = rest.strip_prefix('>').and_then(|rest| rest.rsplit_once("</")).map(|(content, _)| content);
        // Elements within the line are told with the attributes before them.
        let whole = || inner.get(key.len()..).and_then(|rest| rest.rsplit_once("</")).map(|(value, _)| value);
        let nested = content.filter(|content| content.contains('<')).and_then(|_| whole());
        let value = nested.or(content).unwrap_or(attributes).trim_end_matches('/').trim();
        let index = self.entries.len();
        let role = self.role(index, key);
        let attributes = attributes.trim_end_matches('/').trim();
        self.entries.push(Entry { span: span.clone(), role, depth, key, value, attributes });
        if content.is_none() && !head.ends_with('/') && self.open.len() < DEPTH {
            self.open.push(index);
        }
    }

    fn role(&mut self, index: usize, key: &'text str) -> Role {
        let parent = self.open.last().copied().unwrap_or(usize::MAX);
        let first = *self.first.entry((parent, key)).or_insert(index);
        if first == index {
            return Role::Key;
        }
        self.entries.get_mut(first).into_iter().for_each(|entry| entry.role = Role::Item);
        Role::Item
    }
}
