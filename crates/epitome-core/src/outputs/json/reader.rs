//! Takes JSON documents apart: records one by one, everything else as an outline of its keys.

use std::ops::Range;

use super::notebook;
use super::odd::{odd_leaves, odd_values};
use super::printed::printed;
use super::records::{Found, Records, breaks_off, glance_at, look_at};
use super::scan::{Document, Id, Kind, Tree, number_prefix};
use super::show::{cut_string, one_line};
use crate::outputs::outliers::Cell;
use crate::outputs::reading::{Finding, Layout, Piece, Rank, Reading, Unit, lines};
use crate::outputs::write::without_blobs;
use crate::outputs::{Effort, events, trouble};

/// A list of records has so many at least.
const FEWEST_RECORDS: usize = 4;
/// Documents in a row are records from this number on.
const FEWEST_DOCUMENTS: usize = 3;
/// Values on one line of an outline.
const OUTLINE_CHARS: usize = 160;
/// A record that is an example.
const EXAMPLE_CHARS: usize = 260;
/// Of few records all are shown, in brief.
const FEW_RECORDS: usize = 12;
const BRIEF_CHARS: usize = 130;
/// A record that must not be lost; less than what the writer cuts.
pub(super) const FINDING_CHARS: usize = 560;
/// Long texts come behind everything that is short, links and numbers of things behind them.
const LONG_TEXT: u8 = 40;
const LINKS: u8 = 80;
/// What is unlike all others is looked for to this depth.
const ODD_DEPTH: usize = 60;
/// An outline is not deeper.
const DEPTH: usize = 12;

/// Takes documents apart.
pub(super) struct Reader<'tree, 'text> {
    tree: &'tree Tree<'text>,
    /// Of the call: they name the programs that may say something beside the documents.
    arguments: &'tree str,
    effort: Effort,
    reading: Reading,
    /// Up to here the text is in pieces.
    at: usize,
    /// Frames that were already made: totals and paging.
    frames: usize,
    has_records: bool,
    /// Values that are unlike all others of a deep tree, with their paths.
    odd: Vec<(Id, String)>,
    /// Records behind a cut, which go on with the list before it.
    joined: Vec<Id>,
}

impl<'tree, 'text> Reader<'tree, 'text> {
    pub(super) fn new(tree: &'tree Tree<'text>, arguments: &'tree str, effort: Effort) -> Reader<'tree, 'text> {
        Reader {
            tree,
            arguments,
            effort,
            reading: Reading::empty(Unit::Line),
            at: 0,
            frames: 0,
            has_records: false,
            odd: Vec::new(),
            joined: Vec::new(),
        }
    }

    pub(super) fn read(mut self, documents: &[Document]) -> Reading {
        let roots: Vec<Id> = documents.iter().map(|document| document.root).collect();
        let text = self.tree.text;
        let in_row = documents.len() >= FEWEST_DOCUMENTS;
        self.has_records = in_row || documents.iter().any(|document| self.main_list(document).is_some());
        if self.effort == Effort::Full {
            self.odd = odd_leaves(self.tree, documents);
        }
        self.reading.unit = match (self.has_records, memchr::memchr_iter(b'\n', text.as_bytes()).nth(3)) {
            (true, _) => Unit::Record,
            (false, Some(_)) => Unit::Line,
            (false, None) => Unit::Passage,
        };
        if !self.has_records {
            self.reading.layout = Layout::Bare;
        }
        if let Some((first, list)) = documents
            .first()
            .filter(|first| in_row && !first.complete)
            .and_then(|first| Some((first, self.main_list(first)?)))
        {
            self.reading.say_always("cut in the middle");
            // One document with something cut out of its middle: the records behind that are found again.
            let kept: Vec<&Document> =
                documents.iter().skip(1).filter(|document| self.belongs_to(document.root, list)).collect();
            self.joined = kept.iter().map(|document| document.root).collect();
            self.lines_until(first.span.start);
            self.walk(first.root, "", 0);
        } else if in_row {
            self.say_broken(documents);
            let records = self.look_at("", &roots);
            self.push_records(&roots, records, &roots);
        } else {
            self.say_broken(documents);
            for document in documents {
                self.lines_until(document.span.start);
                if let Some(cells) = notebook::cells(self.tree, document.root) {
                    self.push_cells(cells);
                    self.swallow(document.span.end);
                    continue;
                }
                let (root, path) = self.first_fork(document.root);
                if !path.is_empty() && !self.is_list(root) {
                    self.reading.say_always(format!("in {path}:"));
                }
                let prefix = if self.is_list(root) { path.as_str() } else { "" };
                self.walk(root, prefix, 0);
                self.swallow(document.span.end);
            }
        }
        self.lines_until(text.len());
        self.reading
    }

    /// Where a document that begins with one key in another really begins.
    fn first_fork(&self, root: Id) -> (Id, String) {
        let (mut id, mut path) = (root, String::new());
        for _ in 0..DEPTH {
            let mut children = self.tree.children(id);
            let (Some(only), None) = (children.next(), children.next()) else { break };
            let Some(key) = self.tree.key(only).filter(|_| matches!(self.tree.kind(only), Kind::Object | Kind::Array))
            else {
                break;
            };
            if self.report(only, key) || self.tree.node(only).is_none_or(|node| node.children == 0) {
                break;
            }
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(key);
            id = only;
        }
        (id, path)
    }

    fn say_broken(&mut self, documents: &[Document]) {
        if let (Some(last), false) = (documents.last(), documents.iter().all(|document| document.complete)) {
            let cut = documents.iter().filter(|document| !document.complete).count();
            let said = if cut == 1 && !last.complete {
                "breaks off".to_owned()
            } else {
                format!("{cut} of {} documents broken", documents.len())
            };
            self.reading.say_always(said);
        }
    }

    fn look_at(&self, path: &str, items: &[Id]) -> Records {
        match self.effort {
            Effort::Full => look_at(self.tree, path, items),
            Effort::Quick => glance_at(self.tree, path, items),
        }
    }

    /// The list of records that makes up half of a document.
    fn main_list(&self, document: &Document) -> Option<Id> {
        let mut open: Vec<(Id, usize)> = vec![(document.root, 0)];
        while let Some((id, depth)) = open.pop() {
            let Some(node) = self.tree.node(id) else { continue };
            if node.span.len() * 2 < document.span.len() || depth > DEPTH {
                continue;
            }
            if self.is_list(id) {
                return Some(id);
            }
            open.extend(self.tree.children(id).map(|child| (child, depth + 1)));
        }
        None
    }

    /// Whether a value has half of the keys that the records of a list have.
    fn belongs_to(&self, id: Id, list: Id) -> bool {
        let keys = |id: Id| self.tree.children(id).take(40).filter_map(|child| self.tree.key(child));
        let Some(first) = self.tree.children(list).next() else { return false };
        let wanted: Vec<&str> = keys(first).collect();
        let found = keys(id).filter(|key| wanted.contains(key)).count();
        found * 2 >= wanted.len().max(1)
    }

    /// An array, or a map, of like records.
    fn is_list(&self, id: Id) -> bool {
        let count = self.tree.node(id).map_or(0, |node| node.children);
        if count < FEWEST_RECORDS {
            return false;
        }
        let containers =
            self.tree.children(id).filter(|child| matches!(self.tree.kind(*child), Kind::Object | Kind::Array)).count();
        match self.tree.kind(id) {
            Kind::Array => containers * 10 >= count * 9,
            Kind::Object => containers == count && count >= 2 * FEWEST_RECORDS && self.share_keys(id),
            Kind::String | Kind::Number | Kind::Flag | Kind::Null => false,
        }
    }

    fn share_keys(&self, id: Id) -> bool {
        let Some(first) = self.tree.children(id).next() else { return false };
        let keys: Vec<&str> = self.tree.children(first).take(24).filter_map(|child| self.tree.key(child)).collect();
        let alike = |child: &Id| {
            self.tree.children(*child).take(24).filter_map(|child| self.tree.key(child)).any(|key| keys.contains(&key))
        };
        !keys.is_empty() && self.tree.children(id).take(20).all(|child| alike(&child))
    }

    /// The cells of a notebook.
    fn push_cells(&mut self, cells: Vec<(Id, String, Rank)>) {
        let failed = cells.iter().filter(|(_, _, rank)| rank.finding().is_some()).count();
        let failed = if failed > 0 { format!(", {}", Finding::Error.count(failed)) } else { String::new() };
        self.reading.unit = Unit::Record;
        self.reading.layout = Layout::Bare;
        self.reading.say_always(format!("{} cells{failed}", cells.len()));
        for (id, shown, rank) in cells {
            let end = self.tree.node(id).map_or(self.at, |node| node.span.end);
            self.push_span(end, Piece { rank, full: Some(shown), ..Piece::ordinary(0..0) });
        }
    }

    /// An outline of a value, or its records.
    fn walk(&mut self, id: Id, path: &str, depth: usize) {
        if self.is_list(id) && self.tree.node(id).is_some_and(|node| node.span.len() > 2 * OUTLINE_CHARS) {
            let mut items: Vec<Id> = self.tree.children(id).collect();
            // Cut through the middle: a part of a record is none.
            let joined = if self.joined.first().is_some_and(|next| self.belongs_to(*next, id)) {
                std::mem::take(&mut self.joined)
            } else {
                Vec::new()
            };
            if !joined.is_empty() && items.last().is_some_and(|last| breaks_off(self.tree, *last)) {
                items.pop();
            }
            items.extend(&joined);
            let records = self.look_at(path, &items);
            self.push_records(&items, records, &joined);
            return;
        }
        let tree = self.tree;
        let mut group: Vec<(Id, String)> = Vec::new();
        let odd_values = if self.effort == Effort::Full { odd_values(tree, id) } else { Vec::new() };
        for (position, child) in tree.children(id).enumerate() {
            let name = tree.key(child).map_or_else(|| format!("[{position}]"), str::to_owned);
            let below = match (path.is_empty(), tree.key(child)) {
                (true, _) => name.clone(),
                (false, Some(_)) => format!("{path}.{name}"),
                (false, None) => format!("{path}{name}"),
            };
            let node = tree.node(child);
            let is_container = matches!(tree.kind(child), Kind::Object | Kind::Array);
            let large = node.is_some_and(|node| node.span.len() > 2 * OUTLINE_CHARS && node.children > 0);
            let plain = tree.kind(child) == Kind::Array
                && tree.children(child).all(|item| !matches!(tree.kind(item), Kind::Object | Kind::Array));
            let odd = self.odd_in(child).next().map(|(id, path)| (*id, path.clone()));
            if let Some((_, whole)) = odd.as_ref().filter(|(id, _)| *id == child) {
                self.push_group(&mut group, path, depth);
                let shown = format!("{whole}: {}", one_line(tree, child, FINDING_CHARS / 2));
                self.push(child, shown, Rank::Finding(Finding::Outlier));
            } else if odd_values.contains(&child) {
                self.push_group(&mut group, path, depth);
                let shown = format!("{below}: {}", one_line(tree, child, FINDING_CHARS / 2));
                self.push(child, shown, Rank::Finding(Finding::Outlier));
            } else if odd.is_some() && is_container && depth < ODD_DEPTH {
                self.push_group(&mut group, path, depth);
                self.walk(child, &below, depth + 1);
            } else if self.report(child, &below) {
                self.push_group(&mut group, path, depth);
                let shown =
                    format!("{below}: {}", one_line(tree, child, FINDING_CHARS.saturating_sub(below.len()).max(200)));
                self.push(child, shown, Rank::Finding(Finding::Error));
            } else if is_container && large && !plain && depth < DEPTH {
                self.push_group(&mut group, path, depth);
                self.walk(child, &below, depth + 1);
            } else if !is_container && node.is_some_and(|node| node.span.len() > OUTLINE_CHARS) {
                self.push_group(&mut group, path, depth);
                self.push_text(child, &below, depth);
            } else {
                let length: usize = group.iter().map(|(_, shown)| shown.len() + 2).sum();
                let shown = format!("{name}: {}", one_line(tree, child, OUTLINE_CHARS));
                let is_link = |id: Id| tree.unquoted(id).contains("://") && tree.kind(id) == Kind::String;
                let other_sort = group.last().is_some_and(|(last, _)| is_link(*last) != is_link(child));
                if length + shown.len() > OUTLINE_CHARS || other_sort {
                    self.push_group(&mut group, path, depth);
                }
                group.push((child, shown));
            }
        }
        self.push_group(&mut group, path, depth);
    }

    /// What is unlike all others in a value, or is the value.
    fn odd_in(&self, id: Id) -> impl Iterator<Item = &(Id, String)> {
        let span = self.tree.node(id).map(|node| node.span.clone()).unwrap_or_default();
        let start = |odd: &Id| self.tree.node(*odd).map_or(usize::MAX, |node| node.span.start);
        self.odd.iter().filter(move |(odd, _)| span.contains(&start(odd)))
    }

    /// Whether a value says that something went wrong, or something in it does. What is large is looked into later.
    fn report(&self, id: Id, path: &str) -> bool {
        let tree = self.tree;
        if tree.node(id).is_none_or(|node| node.span.len() > 2 * FINDING_CHARS && node.children > 0) {
            return false;
        }
        let mut open: Vec<(Id, &str)> = vec![(id, path)];
        while let Some((id, name)) = open.pop() {
            let children = tree.node(id).map_or(0, |node| node.children);
            let cell = match tree.kind(id) {
                Kind::Object if children > 0 => Cell::Object,
                Kind::Array => Cell::List(children),
                Kind::String => Cell::Text(tree.unquoted(id)),
                Kind::Number => Cell::Number(tree.written(id)),
                Kind::Flag => Cell::Flag(tree.written(id)),
                Kind::Object | Kind::Null => Cell::Empty,
            };
            if trouble::reported(name, &cell) == Some(Finding::Error) {
                return true;
            }
            open.extend(tree.children(id).map(|child| (child, tree.key(child).unwrap_or_default())));
        }
        false
    }

    fn push_group(&mut self, group: &mut Vec<(Id, String)>, path: &str, depth: usize) {
        let shown: Vec<&str> = group.iter().map(|(_, shown)| shown.as_str()).collect();
        let Some(last) = group.last().map(|(last, _)| *last) else { return };
        let shown = if path.is_empty() { shown.join(", ") } else { format!("{path}: {{{}}}", shown.join(", ")) };
        let links = self.tree.kind(last) == Kind::String && self.tree.unquoted(last).contains("://");
        // Totals and paging stand beside a list of records.
        let frame = self.has_records && depth <= 1 && self.frames < 3 && !links;
        self.frames += usize::from(frame);
        let rank = match (frame, links) {
            (true, _) => Rank::Frame,
            (false, false) => Rank::Telling(depth as u8),
            (false, true) => Rank::Telling(LINKS.saturating_add(depth as u8)),
        };
        self.push(last, shown, rank);
        group.clear();
    }

    /// A long text: its beginning and end, and the lines in it that report an error.
    fn push_text(&mut self, id: Id, path: &str, depth: usize) {
        let rank = |finding: Option<Finding>, telling: u8| match finding {
            Some(finding) => Rank::Finding(finding),
            None => Rank::Telling(telling.saturating_add(depth as u8)),
        };
        match printed(self.tree.unquoted(id), path) {
            Some((shown, worst)) => self.push(id, shown, rank(worst, LONG_TEXT)),
            None => {
                let words = cut_string(&without_blobs(self.tree.unquoted(id)), OUTLINE_CHARS);
                self.push(id, format!("{path}: \"{words}\""), rank(None, 0));
            }
        }
    }

    /// Pieces for the records. The last ones may stand apart, with lines of something else before each.
    fn push_records(&mut self, items: &[Id], records: Records, apart: &[Id]) {
        self.reading.say_always(records.schema);
        if let Some(more) = records.more {
            self.reading.say(more);
        }
        let text = self.tree.text;
        let mut findings = records.findings;
        for (row, item) in items.iter().enumerate() {
            // Deep in a record, where its columns do not reach.
            let odd: Vec<String> = self
                .odd_in(*item)
                .take(3)
                .map(|(id, path)| format!(" ← {path}: {}", one_line(self.tree, *id, BRIEF_CHARS)))
                .collect();
            if !odd.is_empty() {
                let found = findings.entry(row).or_insert(Found::new(Finding::Outlier, String::new()));
                found.note.push_str(&odd.concat());
            }
            let is_apart = row + apart.len() >= items.len();
            if is_apart {
                self.lines_until(self.tree.start(*item));
            }
            let finding = findings.get(&row);
            let key = self.tree.key(*item).map(|key| format!("\"{key}\":")).unwrap_or_default();
            let chars = match finding {
                Some(_) => FINDING_CHARS,
                None if items.len() <= FEW_RECORDS => BRIEF_CHARS,
                None => EXAMPLE_CHARS,
            };
            let rank = match finding {
                Some(found) => Rank::Finding(found.finding),
                None if row == 0 => Rank::Telling(0),
                None if row + 1 == items.len() => Rank::Telling(1),
                None => Rank::Ordinary,
            };
            let written = self.tree.written(*item);
            let as_it_is = written.len() <= chars.min(110) && !written.contains('\n') && !written.contains(", ");
            let start = self.at.max(if is_apart { 0 } else { self.tree.start(*item) });
            let plain = as_it_is && key.is_empty() && text.get(self.at..start).is_some_and(is_separator);
            if plain {
                self.at = start;
            }
            // What breaks off is shown as far as it goes, not as a whole.
            let broken = breaks_off(self.tree, *item);
            let told = finding.and_then(|found| found.told.as_ref());
            let shown = match plain {
                true => None,
                false if told.is_some() => told.map(|told| format!("{key}{told}")),
                false if broken => {
                    let words: Vec<&str> = written.split_whitespace().collect();
                    Some(format!("{key}{} …", cut_string(&words.join(" "), chars)))
                }
                false => Some(format!("{key}{}", one_line(self.tree, *item, chars))),
            };
            let end = self.tree.node(*item).map_or(self.at, |node| node.span.end);
            let note = finding.map(|found| found.note.clone()).filter(|note| !note.is_empty());
            self.push_span(end, Piece { units: 1, rank, full: shown, note, ..Piece::ordinary(0..0) });
        }
    }

    fn push(&mut self, id: Id, shown: String, rank: Rank) {
        let end = self.tree.node(id).map_or(self.at, |node| node.span.end);
        let shown = crate::outputs::write::without_blobs(&shown).into_owned();
        let lines = self.lines_in(self.at..end);
        let units = match self.reading.unit {
            Unit::Record => 0,
            Unit::Line => lines,
            Unit::Row | Unit::Passage => 1,
        };
        self.push_span(end, Piece { units, rank, full: Some(shown), ..Piece::ordinary(0..0) });
    }

    /// Everything up to `end` that is in no piece yet.
    fn push_span(&mut self, end: usize, piece: Piece) {
        let end = end.max(self.at);
        self.reading.pieces.push(Piece { span: self.at..end, ..piece });
        self.at = end;
    }

    fn lines_in(&self, span: Range<usize>) -> usize {
        let text = self.tree.text.get(span.clone()).unwrap_or_default();
        memchr::memchr_iter(b'\n', text.as_bytes()).count() + usize::from(span.start == 0)
    }

    /// Closing brackets belong to the last piece.
    fn swallow(&mut self, end: usize) {
        let units = if self.reading.unit == Unit::Line { self.lines_in(self.at..end) } else { 0 };
        if let Some(last) = self.reading.pieces.last_mut() {
            last.span.end = last.span.end.max(end);
            last.units += units;
        }
        self.at = self.at.max(end);
    }

    /// Lines of something else, up to `end`.
    fn lines_until(&mut self, end: usize) {
        let text = self.tree.text;
        let between = text.get(self.at..end).unwrap_or_default();
        if is_separator(between) {
            return;
        }
        let first = self.reading.pieces.len();
        for line in lines(between) {
            let span = self.at + line.start..self.at + line.end;
            let words = text.get(span.clone()).unwrap_or_default();
            let prefix = if self.tree.numbered { number_prefix(words) } else { 0 };
            if words.get(prefix..).is_some_and(|words| !words.trim().is_empty()) {
                let units = usize::from(self.reading.unit != Unit::Record);
                let message = events::tool_message(words, self.arguments);
                let rank = message.map_or(Rank::Ordinary, Rank::Finding);
                self.reading.pieces.push(Piece { units, ..Piece::ordinary(span).ranked(rank) });
            }
        }
        self.at = end;
        let until = self.reading.pieces.len();
        events::mark_within(&mut self.reading, text, first..until);
    }
}

/// What may stand between two values.
pub(super) fn is_separator(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'[' | b'{' | b'}'))
}
