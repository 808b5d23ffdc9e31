//! Finds the values of a JSON document in its text, without building them; a document that breaks off is still one.

use std::ops::Range;

/// All values of all documents of a text.
pub(super) struct Tree<'text> {
    pub(super) text: &'text str,
    nodes: Vec<Node>,
    /// Each line begins with its number.
    pub(super) numbered: bool,
}

/// Names a value.
pub(super) type Id = usize;

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
    key: Option<Range<usize>>,
    first: Option<Id>,
    next: Option<Id>,
    pub(super) children: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    Flag,
    Null,
}

/// One document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Document {
    pub(super) root: Id,
    pub(super) span: Range<usize>,
    /// It does not break off.
    pub(super) complete: bool,
}

/// Why a document ends.
enum End {
    Complete,
    BreaksOff,
    NotJson,
}

impl<'text> Tree<'text> {
    /// A tree without documents. With `numbered`, each line begins with its number.
    pub(super) fn new(text: &'text str, numbered: bool) -> Tree<'text> {
        Tree { text, nodes: Vec::new(), numbered }
    }

    pub(super) fn node(&self, id: Id) -> Option<&Node> {
        self.nodes.get(id)
    }

    /// The document that begins at `start`, at a brace or bracket. What is not JSON ends it.
    pub(super) fn scan(&mut self, start: usize) -> Option<Document> {
        let root = self.nodes.len();
        let mut scanner = Scanner { tree: self, at: start, open: Vec::new(), key: None, comma_due: false };
        let end = scanner.run();
        let at = scanner.at.min(scanner.tree.text.len());
        let open = std::mem::take(&mut scanner.open);
        for (id, _) in open {
            if let Some(node) = self.nodes.get_mut(id) {
                node.span.end = at;
            }
        }
        let children = self.node(root)?.children;
        let complete = match end {
            End::Complete => true,
            End::BreaksOff => false,
            End::NotJson if children == 0 => return None,
            End::NotJson => false,
        };
        Some(Document { root, span: start..at, complete })
    }

    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        let mut next = self.node(id).and_then(|node| node.first);
        std::iter::from_fn(move || {
            let id = next?;
            next = self.node(id).and_then(|node| node.next);
            Some(id)
        })
    }

    /// Its text as it is written; of a string with its quotes.
    pub(super) fn written(&self, id: Id) -> &'text str {
        self.node(id).and_then(|node| self.text.get(node.span.clone())).unwrap_or_default()
    }

    /// A string without its quotes.
    pub(super) fn unquoted(&self, id: Id) -> &'text str {
        let written = self.written(id);
        let inner = written.strip_prefix('"').unwrap_or(written);
        inner.strip_suffix('"').unwrap_or(inner)
    }

    pub(super) fn key(&self, id: Id) -> Option<&'text str> {
        self.text.get(self.node(id)?.key.clone()?)
    }

    /// Where it begins, with its key.
    pub(super) fn start(&self, id: Id) -> usize {
        self.node(id).map_or(0, |node| node.key.as_ref().map_or(node.span.start, |key| key.start.saturating_sub(1)))
    }

    pub(super) fn kind(&self, id: Id) -> Kind {
        self.node(id).map_or(Kind::Null, |node| node.kind)
    }
}

struct Scanner<'tree, 'text> {
    tree: &'tree mut Tree<'text>,
    at: usize,
    /// Objects and arrays that are not closed yet, each with its last child.
    open: Vec<(Id, Option<Id>)>,
    key: Option<Range<usize>>,
    comma_due: bool,
}

impl Scanner<'_, '_> {
    fn run(&mut self) -> End {
        loop {
            self.skip_space();
            let Some(byte) = self.byte(self.at) else { return End::BreaksOff };
            let went = match byte {
                b',' if self.comma_due => {
                    self.comma_due = false;
                    self.at += 1;
                    Some(())
                }
                b'}' | b']' => self.close(byte),
                _ if self.comma_due => None,
                b'"' if self.in_object() && self.key.is_none() => self.read_key(),
                _ if self.in_object() && self.key.is_none() => None,
                b'{' => self.enter(Kind::Object),
                b'[' => self.enter(Kind::Array),
                b'"' => self.read_string(),
                b'-' | b'0'..=b'9' => self.word(Kind::Number),
                b't' | b'f' => self.word(Kind::Flag),
                b'n' => self.word(Kind::Null),
                _ => None,
            };
            match went {
                None if self.at >= self.tree.text.len() => return End::BreaksOff,
                None => return End::NotJson,
                Some(()) if self.open.is_empty() => return End::Complete,
                Some(()) => {}
            }
        }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.tree.text.as_bytes().get(at).copied()
    }

    fn in_object(&self) -> bool {
        self.open.last().and_then(|(id, _)| self.tree.node(*id)).is_some_and(|node| node.kind == Kind::Object)
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.byte(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    if self.tree.numbered {
                        self.at += number_prefix(self.tree.text.get(self.at..).unwrap_or_default());
                    }
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                // Configuration files have comments.
                b'/' if self.byte(self.at + 1) == Some(b'/') => {
                    let rest = self.tree.text.as_bytes().get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => break,
            }
        }
    }

    fn add(&mut self, kind: Kind, span: Range<usize>) -> Id {
        let id = self.tree.nodes.len();
        let key = self.key.take();
        self.tree.nodes.push(Node { kind, span, key, first: None, next: None, children: 0 });
        if let Some((parent, last)) = self.open.last_mut() {
            let before = last.replace(id);
            if let Some(parent) = self.tree.nodes.get_mut(*parent) {
                parent.children += 1;
                parent.first.get_or_insert(id);
            }
            if let Some(before) = before.and_then(|before| self.tree.nodes.get_mut(before)) {
                before.next = Some(id);
            }
        }
        id
    }

    fn enter(&mut self, kind: Kind) -> Option<()> {
        let id = self.add(kind, self.at..self.at);
        self.open.push((id, None));
        self.at += 1;
        Some(())
    }

    fn close(&mut self, byte: u8) -> Option<()> {
        let kind = if byte == b'}' { Kind::Object } else { Kind::Array };
        let (id, _) = *self.open.last()?;
        let node = self.tree.nodes.get_mut(id).filter(|node| node.kind == kind)?;
        self.key.is_none().then_some(())?;
        self.at += 1;
        node.span.end = self.at;
        self.open.pop();
        self.comma_due = true;
        Some(())
    }

    /// Behind the closing quote, or the end of the text.
    fn string_end(&self) -> (usize, bool) {
        let bytes = self.tree.text.as_bytes();
        let mut at = self.at + 1;
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
            at += found;
            if bytes.get(at) == Some(&b'"') {
                return (at + 1, true);
            }
            at += 2;
        }
        // What follows on other lines was added by somebody who cut the document.
        let rest = bytes.get(self.at..).unwrap_or_default();
        (memchr::memchr(b'\n', rest).map_or(bytes.len(), |end| self.at + end), false)
    }

    fn read_key(&mut self) -> Option<()> {
        let (end, complete) = self.string_end();
        let key = self.at + 1..end.saturating_sub(1).max(self.at + 1);
        self.at = end;
        complete.then_some(())?;
        self.skip_space();
        (self.byte(self.at)? == b':').then_some(())?;
        self.at += 1;
        self.key = Some(key);
        Some(())
    }

    fn read_string(&mut self) -> Option<()> {
        let (end, complete) = self.string_end();
        self.add(Kind::String, self.at..end);
        self.at = end;
        self.comma_due = true;
        complete.then_some(())
    }

    fn word(&mut self, kind: Kind) -> Option<()> {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let rest = self.tree.text.as_bytes().get(self.at..)?;
        let word = rest.get(..rest.iter().take_while(|byte| is_word(byte)).count())?;
        let fits = match kind {
            Kind::Number => std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok()),
            Kind::Flag => matches!(word, b"true" | b"false"),
            Kind::Null => word == b"null",
            Kind::Object | Kind::Array | Kind::String => false,
        };
        let (start, end) = (self.at, self.at + word.len());
        let delimited =
            self.byte(end).is_none_or(|byte| matches!(byte, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t'));
        if !(fits && delimited) {
            // Broken off within a word.
            self.at = if end == self.tree.text.len() { end } else { self.at };
            return None;
        }
        self.add(kind, start..end);
        self.at = end;
        self.comma_due = true;
        Some(())
    }
}

/// The length of a line number at the beginning of a line: `   12→`, `    12\t`.
pub(super) fn number_prefix(line: &str) -> usize {
    let rest = line.trim_start_matches(' ');
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = rest.get(digits..).unwrap_or_default();
    let mark = ["→", "\t"].iter().find(|mark| behind.starts_with(**mark));
    match mark {
        Some(mark) if digits > 0 => line.len() - rest.len() + digits + mark.len(),
        Some(_) | None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, bool, usize)>) {
        let mut tree = Tree::new(text, false);
        let document = tree.scan(0);
        let found = document.as_ref().map(|document| {
            (&text[document.span.clone()], document.complete, tree.node(document.root).unwrap().children)
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn a_document_is_found_with_its_end() {
        check(r#"{"a": [1, "}\"", null], "b": {}} rest"#, Some((r#"{"a": [1, "}\"", null], "b": {}}"#, true, 2)));
        check("[]", Some(("[]", true, 0)));
        check("[1, 2, // a comment\n 3]", Some(("[1, 2, // a comment\n 3]", true, 3)));
    }

    #[test]
    fn what_breaks_off_is_still_a_document() {
        for text in
            [r#"{"a": 1, "b": "unfini"#, r#"{"a": 1, "b"#, r#"{"a": 1, "b": tr"#, r#"{"a": 1,"#, r#"{"a": [1, {"#]
        {
            let mut tree = Tree::new(text, false);
            let document = tree.scan(0).expect("a document");
            assert_eq!((document.span, document.complete), (0..text.len(), false), "{text}");
        }
        check("[1, 2, … 300 more lines]", Some(("[1, 2, ", false, 2)));
    }

    #[test]
    fn what_looks_like_it_is_not_json() {
        for text in ["[INFO] x", "[2025-01-01] x", "{x}", "{ let a = 1; }", "[a-z]+"] {
            check(text, None);
        }
        check("[1/5] compiling", None);
    }

    #[test]
    fn line_numbers_are_skipped() {
        let text = "     1→{\n     2→  \"a\": 12\n     3→}";
        let mut tree = Tree::new(text, true);
        let document = tree.scan(number_prefix(text)).expect("a document");
        assert!(document.complete);
        let id = tree.children(document.root).next().unwrap();
        assert_eq!((tree.key(id), tree.written(id)), (Some("a"), "12"));
    }
}
