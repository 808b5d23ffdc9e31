//! JSON as it stands in a text: what is where, without copying any of it.
//!
//! Strict RFC 8259, with one licence: half a surrogate pair in a string is accepted, because clients cut emoji in two
//! and the request must still pass. There is no recursion, so no depth is too deep.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Position, ReadError};
use crate::strings::{unescape, unescape_into};

/// What to do about an object that has a key twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// An error, as readers differ on which of the two counts.
    Refuse,
    /// Carried as it is; the last one counts, as in JavaScript and Python.
    Carry,
}

/// Why a text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at {position}")]
pub struct JsonError {
    /// What is wrong.
    pub problem: JsonProblem,
    /// Where.
    pub position: Position,
}

/// What is wrong with a text that is not JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JsonProblem {
    /// Nothing that can start a value.
    #[error("expected a value")]
    ExpectedValue,
    /// An object may only go on with a key or end.
    #[error("expected '\"' or '}}'")]
    ExpectedKeyOrEnd,
    /// A comma promises another key.
    #[error("expected '\"'")]
    ExpectedKey,
    /// A key without a value.
    #[error("expected ':'")]
    ExpectedColon,
    /// Inside an object.
    #[error("expected ',' or '}}'")]
    ExpectedCommaOrObjectEnd,
    /// Inside an array.
    #[error("expected ',' or ']'")]
    ExpectedCommaOrArrayEnd,
    /// A second value on the line of the first.
    #[error("expected the end of the line")]
    ExpectedEnd,
    /// The text ends inside a string.
    #[error("a string without an end")]
    UnclosedString,
    /// Raw control characters are not allowed in strings.
    #[error("a control character in a string")]
    ControlCharacter,
    /// A backslash before something else than `"\/bfnrtu`, or `\u` without four digits.
    #[error("an unknown escape")]
    BadEscape,
    /// A sign, point or exponent without digits.
    #[error("expected a digit")]
    ExpectedDigit,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    /// `true`, `false`, `null`.
    Literal,
}

/// A stretch of a text. Half the size of a `Range<usize>`, and there are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// One or more JSON values in a text.
#[derive(Debug)]
pub(crate) struct Document<'text> {
    text: &'text str,
    /// In the order of the text; what an array or object holds stands right behind it, keys before their values.
    nodes: Vec<Node>,
    roots: Vec<u32>,
    /// Where strings are unescaped before they are copied: one allocation for all of them.
    meaning: RefCell<String>,
}

/// The kind is not kept: the first byte tells it.
#[derive(Debug, Clone, Copy)]
struct Node {
    span: Span,
    /// Index behind everything that this node holds.
    next: u32,
}

/// A value of a [`Document`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'doc> {
    document: &'doc Document<'doc>,
    index: u32,
}

impl<'text> Document<'text> {
    /// Reads the value that is the text, or the values that are its lines.
    pub(crate) fn read(text: &'text str, duplicates: DuplicateKeys) -> Result<Document<'text>, ReadError> {
        if u32::try_from(text.len()).is_err() {
            return Err(ReadError::TooLarge { bytes: text.len() });
        }
        let mut reader = Reader { bytes: text.as_bytes(), nodes: Vec::new(), open: Vec::new() };
        let mut roots = Vec::new();
        let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut at = reader.skip_space(mark);
        loop {
            roots.push(offset(reader.nodes.len()));
            let end = reader.value(at)?;
            at = reader.skip_space(end);
            if at == text.len() {
                break;
            }
            let between = reader.bytes.get(end..at).unwrap_or_default();
            if memchr::memchr(b'\n', between).is_none() {
                return Err(reader.error(JsonProblem::ExpectedEnd, at).into());
            }
        }
        let document = Document { text, nodes: reader.nodes, roots, meaning: RefCell::default() };
        match duplicates {
            DuplicateKeys::Refuse => document.refuse_duplicate_keys()?,
            DuplicateKeys::Carry => {}
        }
        Ok(document)
    }

    /// Reads again one value of a text that was read before.
    pub(crate) fn read_value(text: &'text str, span: Span) -> Result<Document<'text>, JsonError> {
        let mut reader = Reader { bytes: text.as_bytes(), nodes: Vec::new(), open: Vec::new() };
        reader.value(span.start as usize)?;
        Ok(Document { text, nodes: reader.nodes, roots: vec![0], meaning: RefCell::default() })
    }

    pub(crate) fn roots(&self) -> impl ExactSizeIterator<Item = Value<'_>> {
        self.roots.iter().map(|index| Value { document: self, index: *index })
    }

    /// The only value, if there is one only.
    pub(crate) fn single_root(&self) -> Option<Value<'_>> {
        let mut roots = self.roots();
        roots.next().filter(|_| roots.next().is_none())
    }

    /// Every value, at any depth, and every key.
    pub(crate) fn values(&self) -> impl Iterator<Item = Value<'_>> {
        (0..offset(self.nodes.len())).map(|index| Value { document: self, index })
    }

    fn refuse_duplicate_keys(&self) -> Result<(), ReadError> {
        let mut keys = Vec::new();
        for object in self.values().filter(|value| value.kind() == Kind::Object) {
            keys.clear();
            keys.extend(object.entries().map(|(key, _)| key));
            if let Some(second) = second_occurrence(&keys) {
                let key = second.str().unwrap_or_default().chars().take(80).collect();
                return Err(ReadError::DuplicateKey { key, position: second.position() });
            }
        }
        Ok(())
    }
}

/// The first key that stood before.
fn second_occurrence<'doc>(keys: &[Value<'doc>]) -> Option<Value<'doc>> {
    // Up to here, comparing all with all is faster than hashing; nearly all objects are this small.
    const FEW: usize = 16;
    let plain = |key: &Value<'_>| memchr::memchr(b'\\', key.raw().as_bytes()).is_none();
    if keys.len() <= FEW && keys.iter().all(plain) {
        let stood_before =
            |(index, key): &(usize, &Value<'doc>)| keys.iter().take(*index).any(|earlier| earlier.raw() == key.raw());
        return keys.iter().enumerate().find(stood_before).map(|(_, key)| *key);
    }
    let mut seen = HashSet::with_capacity(keys.len());
    keys.iter().find(|key| !seen.insert(key.str())).copied()
}

impl<'doc> Value<'doc> {
    pub(crate) fn kind(self) -> Kind {
        match self.document.text.as_bytes().get(self.span().start as usize) {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f' | b'n') => Kind::Literal,
            Some(_) | None => Kind::Number,
        }
    }

    /// What it is, for a person.
    pub(crate) fn description(self) -> &'static str {
        match self.kind() {
            Kind::Object => "an object",
            Kind::Array => "an array",
            Kind::String => "a string",
            Kind::Number => "a number",
            Kind::Literal if self.is_null() => "null",
            Kind::Literal => "a boolean",
        }
    }

    pub(crate) fn span(self) -> Span {
        self.node().span
    }

    pub(crate) fn position(self) -> Position {
        Position::of(self.document.text.as_bytes(), self.span().start as usize)
    }

    /// Its bytes, as the client spelled them.
    pub(crate) fn raw(self) -> &'doc str {
        self.document.text.get(self.span().range()).unwrap_or_default()
    }

    /// What an array holds; nothing for everything else.
    pub(crate) fn items(self) -> impl Iterator<Item = Value<'doc>> {
        let end = if self.kind() == Kind::Array { self.node().next } else { 0 };
        Children { document: self.document, next: self.index + 1, end }
    }

    /// Everything that an array or object holds, at any depth, keys among it, in the order of the text.
    pub(crate) fn inside(self) -> impl Iterator<Item = Value<'doc>> {
        (self.index + 1..self.node().next).map(move |index| Value { document: self.document, index })
    }

    /// Keys and values of an object; nothing for everything else.
    pub(crate) fn entries(self) -> impl Iterator<Item = (Value<'doc>, Value<'doc>)> {
        let end = if self.kind() == Kind::Object { self.node().next } else { 0 };
        let mut children = Children { document: self.document, next: self.index + 1, end };
        std::iter::from_fn(move || Some((children.next()?, children.next()?)))
    }

    /// The value of a key; the last one, if it stands there more than once.
    pub(crate) fn get(self, key: &str) -> Option<Value<'doc>> {
        self.entries().filter(|(found, _)| found.is_string(key)).last().map(|(_, value)| value)
    }

    /// The meaning of a string.
    pub(crate) fn str(self) -> Option<Cow<'doc, str>> {
        self.inner().map(unescape)
    }

    /// The meaning of a string, to keep.
    pub(crate) fn text(self) -> Option<Arc<str>> {
        let inner = self.inner()?;
        if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
            return Some(inner.into());
        }
        let mut meaning = self.document.meaning.borrow_mut();
        meaning.clear();
        unescape_into(inner, &mut meaning);
        Some(meaning.as_str().into())
    }

    /// Whether it is a string that means `expected`.
    pub(crate) fn is_string(self, expected: &str) -> bool {
        // An escape is longer than what it means.
        let escaped = |inner: &str| inner.len() > expected.len() && unescape(inner) == expected;
        self.inner().is_some_and(|inner| inner == expected || escaped(inner))
    }

    pub(crate) fn is_null(self) -> bool {
        self.raw() == "null"
    }

    pub(crate) fn is_true(self) -> bool {
        self.raw() == "true"
    }

    /// A whole number that is not negative.
    pub(crate) fn unsigned(self) -> Option<u64> {
        if self.kind() == Kind::Number { self.raw().parse().ok() } else { None }
    }

    fn inner(self) -> Option<&'doc str> {
        self.raw().strip_prefix('"').and_then(|raw| raw.strip_suffix('"'))
    }

    fn node(self) -> Node {
        const NOTHING: Node = Node { span: Span { start: 0, end: 0 }, next: 0 };
        self.document.nodes.get(self.index as usize).copied().unwrap_or(NOTHING)
    }
}

impl Span {
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

struct Children<'doc> {
    document: &'doc Document<'doc>,
    next: u32,
    end: u32,
}

impl<'doc> Iterator for Children<'doc> {
    type Item = Value<'doc>;

    fn next(&mut self) -> Option<Value<'doc>> {
        if self.next >= self.end {
            return None;
        }
        let child = Value { document: self.document, index: self.next };
        self.next = child.node().next;
        Some(child)
    }
}

/// Offsets and indices fit: texts above 4 GiB are refused, and a node takes a byte at least.
fn offset(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

struct Reader<'text> {
    bytes: &'text [u8],
    nodes: Vec<Node>,
    /// The arrays and objects around us, innermost last.
    open: Vec<u32>,
}

impl Reader<'_> {
    /// Reads one value and returns where it ends.
    fn value(&mut self, start: usize) -> Result<usize, JsonError> {
        let mut at = start;
        loop {
            at = match self.byte(at) {
                Some(b'{') => {
                    self.begin(at);
                    let first = self.skip_space(at + 1);
                    match self.byte(first) {
                        Some(b'}') => self.finish(first + 1),
                        Some(b'"') => {
                            at = self.key(first)?;
                            continue;
                        }
                        Some(_) | None => return Err(self.error(JsonProblem::ExpectedKeyOrEnd, first)),
                    }
                }
                Some(b'[') => {
                    self.begin(at);
                    let first = self.skip_space(at + 1);
                    if self.byte(first) != Some(b']') {
                        at = first;
                        continue;
                    }
                    self.finish(first + 1)
                }
                Some(b'"') => {
                    let end = self.string(at)?;
                    self.leaf(at, end)
                }
                Some(b'-' | b'0'..=b'9') => {
                    let end = self.number(at)?;
                    self.leaf(at, end)
                }
                Some(b't') => self.literal(at, b"true")?,
                Some(b'f') => self.literal(at, b"false")?,
                Some(b'n') => self.literal(at, b"null")?,
                Some(_) | None => return Err(self.error(JsonProblem::ExpectedValue, at)),
            };
            match self.after_value(at)? {
                Next::Value(next) => at = next,
                Next::Done(end) => return Ok(end),
            }
        }
    }

    /// Closes what ends behind a value, up to the comma that promises another one.
    fn after_value(&mut self, mut at: usize) -> Result<Next, JsonError> {
        while let Some(innermost) = self.open.last() {
            let start = self.nodes.get(*innermost as usize).map_or(0, |node| node.span.start as usize);
            let is_object = self.byte(start) == Some(b'{');
            at = self.skip_space(at);
            match (self.byte(at), is_object) {
                (Some(b','), false) => return Ok(Next::Value(self.skip_space(at + 1))),
                (Some(b','), true) => {
                    let key = self.skip_space(at + 1);
                    if self.byte(key) != Some(b'"') {
                        return Err(self.error(JsonProblem::ExpectedKey, key));
                    }
                    return Ok(Next::Value(self.key(key)?));
                }
                (Some(b'}'), true) | (Some(b']'), false) => at = self.finish(at + 1),
                (_, true) => return Err(self.error(JsonProblem::ExpectedCommaOrObjectEnd, at)),
                (_, false) => return Err(self.error(JsonProblem::ExpectedCommaOrArrayEnd, at)),
            }
        }
        Ok(Next::Done(at))
    }

    fn begin(&mut self, start: usize) {
        self.open.push(offset(self.nodes.len()));
        self.nodes.push(Node { span: Span { start: offset(start), end: 0 }, next: 0 });
    }

    fn finish(&mut self, end: usize) -> usize {
        let next = offset(self.nodes.len());
        if let Some(node) = self.open.pop().and_then(|index| self.nodes.get_mut(index as usize)) {
            node.span.end = offset(end);
            node.next = next;
        }
        end
    }

    fn leaf(&mut self, start: usize, end: usize) -> usize {
        let next = offset(self.nodes.len() + 1);
        self.nodes.push(Node { span: Span { start: offset(start), end: offset(end) }, next });
        end
    }

    /// Reads a key and its colon, and returns where the value starts.
    fn key(&mut self, start: usize) -> Result<usize, JsonError> {
        let end = self.string(start)?;
        self.leaf(start, end);
        let colon = self.skip_space(end);
        if self.byte(colon) != Some(b':') {
            return Err(self.error(JsonProblem::ExpectedColon, colon));
        }
        Ok(self.skip_space(colon + 1))
    }

    fn string(&self, start: usize) -> Result<usize, JsonError> {
        let mut at = start + 1;
        loop {
            at = self.skip_plain(at);
            match self.byte(at) {
                Some(b'"') => return Ok(at + 1),
                Some(b'\\') => match self.byte(at + 1) {
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                    Some(b'u') => {
                        let digits = self.bytes.get(at + 2..at + 6).unwrap_or_default();
                        if digits.len() != 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                            return Err(self.error(JsonProblem::BadEscape, at));
                        }
                        at += 6;
                    }
                    Some(_) => return Err(self.error(JsonProblem::BadEscape, at)),
                    None => return Err(self.error(JsonProblem::UnclosedString, at + 1)),
                },
                Some(0..0x20) => return Err(self.error(JsonProblem::ControlCharacter, at)),
                Some(0x20..) => at += 1,
                None => return Err(self.error(JsonProblem::UnclosedString, at)),
            }
        }
    }

    /// Skips what means itself in a string, eight bytes at a time; may stop up to seven bytes before the text's end.
    fn skip_plain(&self, mut at: usize) -> usize {
        const ONES: u64 = u64::MAX / 0xff;
        const HIGH_BITS: u64 = ONES * 0x80;
        while let Some(chunk) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let word = u64::from_le_bytes(*chunk);
            let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
            let quotes = zeros(word ^ (ONES * u64::from(b'"')));
            let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
            let controls = word.wrapping_sub(ONES * 0x20) & !word;
            // A borrow can only make bytes above a true match look like one, and we take the lowest.
            let special = (quotes | backslashes | controls) & HIGH_BITS;
            if special != 0 {
                return at + special.trailing_zeros() as usize / 8;
            }
            at += 8;
        }
        at
    }

    fn number(&self, start: usize) -> Result<usize, JsonError> {
        let mut at = start;
        if self.byte(at) == Some(b'-') {
            at += 1;
        }
        at = if self.byte(at) == Some(b'0') { at + 1 } else { self.digits(at)? };
        if self.byte(at) == Some(b'.') {
            at = self.digits(at + 1)?;
        }
        if let Some(b'e' | b'E') = self.byte(at) {
            at += 1;
            if let Some(b'+' | b'-') = self.byte(at) {
                at += 1;
            }
            at = self.digits(at)?;
        }
        Ok(at)
    }

    fn digits(&self, start: usize) -> Result<usize, JsonError> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        match rest.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => Err(self.error(JsonProblem::ExpectedDigit, start)),
            digits => Ok(start + digits),
        }
    }

    fn literal(&mut self, start: usize, literal: &[u8]) -> Result<usize, JsonError> {
        if self.bytes.get(start..).is_some_and(|rest| rest.starts_with(literal)) {
            Ok(self.leaf(start, start + literal.len()))
        } else {
            Err(self.error(JsonProblem::ExpectedValue, start))
        }
    }

    fn skip_space(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte(at) {
            at += 1;
        }
        at
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    #[cold]
    fn error(&self, problem: JsonProblem, at: usize) -> JsonError {
        JsonError { problem, position: Position::of(self.bytes, at) }
    }
}

/// What follows a value.
enum Next {
    /// Another one, which starts here.
    Value(usize),
    /// Nothing: the outermost value ended here.
    Done(usize),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Document<'_>, ReadError> {
        Document::read(text, DuplicateKeys::Refuse)
    }

    #[track_caller]
    fn check_error(text: &str, expected: &str) {
        assert_eq!(read(text).map(|_| ()).unwrap_err().to_string(), expected);
    }

    /// What serde_json makes of the same text, built from our reading of it.
    fn rebuild(value: Value<'_>) -> serde_json::Value {
        match value.kind() {
            Kind::Object => {
                let entries = value.entries().map(|(key, value)| (key.str().unwrap().into_owned(), rebuild(value)));
                serde_json::Value::Object(entries.collect())
            }
            Kind::Array => serde_json::Value::Array(value.items().map(rebuild).collect()),
            Kind::String => serde_json::Value::String(value.str().unwrap().into_owned()),
            Kind::Number | Kind::Literal => serde_json::from_str(value.raw()).unwrap(),
        }
    }

    #[track_caller]
    fn check_like_serde(text: &str) {
        // Skipping values, serde_json accepts half surrogate pairs, numbers of any size and any depth, as we do.
        let theirs = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        let ours = Document::read(text, DuplicateKeys::Carry);
        // Lines are our own addition.
        let ours_alone = ours.as_ref().is_ok_and(|document| document.roots().len() > 1);
        assert!(ours.is_ok() == theirs || ours_alone, "{text:?}: {ours:?}, serde_json accepts it: {theirs}");
        if let (Ok(document), Ok(value)) = (ours, serde_json::from_str::<serde_json::Value>(text)) {
            assert_eq!(rebuild(document.single_root().unwrap()), value, "{text:?}");
        }
    }

    #[test]
    fn errors_say_what_was_expected_and_where() {
        check_error("", "expected a value at line 1, column 1");
        check_error("{\"a\":1,\n \"b\":[1,2\n  \"ü\"", "expected ',' or ']' at line 3, column 3");
        check_error("{\"ü\" 1}", "expected ':' at line 1, column 6");
        check_error("{\"a\":1 \"b\"", "expected ',' or '}' at line 1, column 8");
        check_error("{\"a\":1,}", "expected '\"' at line 1, column 8");
        check_error("{a:1}", "expected '\"' or '}' at line 1, column 2");
        check_error("[1,]", "expected a value at line 1, column 4");
        check_error("[-]", "expected a digit at line 1, column 3");
        check_error("[1.e3]", "expected a digit at line 1, column 4");
        check_error("\"a\tb\"", "a control character in a string at line 1, column 3");
        check_error("\"中\\x\"", "an unknown escape at line 1, column 3");
        check_error("\"\\u12g4\"", "an unknown escape at line 1, column 2");
        check_error("\"abc", "a string without an end at line 1, column 5");
        check_error("{} {}", "expected the end of the line at line 1, column 4");
        check_error("\u{feff}nul", "expected a value at line 1, column 1");
    }

    #[test]
    fn a_second_key_is_refused_by_its_meaning_at_any_depth() {
        check_error(
            "{\"x\":[{\"key\":1,\"other\":2,\n\"k\\u0065y\":3}]}",
            "the key \"key\" stands a second time in its object at line 2, column 1",
        );
        let many: Vec<String> = (0..100).map(|index| format!("\"{}\":0", index % 99)).collect();
        check_error(
            &format!("{{{}}}", many.join(",")),
            "the key \"0\" stands a second time in its object at line 1, column 685",
        );
        assert!(read(r#"[{"a":"a","b":{"a":"\"a\":"}},{"a":1}]"#).is_ok());
    }

    #[test]
    fn of_carried_duplicates_the_last_counts() {
        let text = r#"{"a":1,"b":2,"\u0061":3}"#;
        let document = Document::read(text, DuplicateKeys::Carry).unwrap();
        assert_eq!(document.single_root().unwrap().get("a").unwrap().raw(), "3");
    }

    #[test]
    fn no_depth_is_too_deep() {
        let deep = 1_000_000;
        let text = format!("{}{}", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(read(&text).unwrap().nodes.len(), deep);
        let text = "{\"a\":".repeat(deep);
        assert!(read(&text).is_err());
    }

    #[test]
    fn lines_are_values_of_their_own() {
        let roots = |text: &str| -> Vec<String> {
            Document::read(text, DuplicateKeys::Refuse).unwrap().roots().map(|root| root.raw().to_owned()).collect()
        };
        assert_eq!(roots("\u{feff}{}\r\n\r\n[1]\n\n2"), ["{}", "[1]", "2"]);
    }

    #[test]
    fn the_tape_is_small() {
        assert_eq!(size_of::<Node>(), 12);
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        use serde_json::Value as Json;
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::Bool),
            any::<i64>().prop_map(Json::from),
            any::<f64>().prop_map(Json::from),
            any::<String>().prop_map(Json::String),
            "[\"\\\\/\u{0}-\u{1f}a]{0,20}".prop_map(Json::String),
        ];
        leaf.prop_recursive(6, 60, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Json::Array),
                prop::collection::vec((any::<String>(), inner), 0..8)
                    .prop_map(|entries| Json::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_json_reads_as_serde_json_reads_it(value in json()) {
            check_like_serde(&value.to_string());
            check_like_serde(&serde_json::to_string_pretty(&value).unwrap());
        }

        #[test]
        fn a_damaged_text_is_accepted_or_refused_as_by_serde_json(
            value in json(),
            damage in prop::collection::vec((any::<prop::sample::Index>(), 0..3u8, any::<prop::sample::Index>()), 1..4),
        ) {
            let mut characters: Vec<char> = value.to_string().chars().collect();
            for (place, way, character) in damage {
                let at = place.index(characters.len() + 1);
                let damage: Vec<char> = "{}[]\",:\\/ \n\t\r0123456789-+.eEtrufalsn\u{0}\u{1f}\u{7f}éud8".chars().collect();
                let character = damage[character.index(damage.len())];
                match way {
                    0 => characters.insert(at, character),
                    1 if at < characters.len() => characters[at] = character,
                    _ if at < characters.len() => drop(characters.remove(at)),
                    _ => {}
                }
            }
            check_like_serde(&characters.into_iter().collect::<String>());
        }

        #[test]
        fn any_soup_of_tokens_is_accepted_or_refused_as_by_serde_json(
            tokens in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"a\"", "\"\\u00e9\"", "\"\\ud800\"", "1", "-0", "01", "1E+2", "1e400", "-", ".5", "1.",
                "true", "null", "nul", " ", "\t", "\"", "123456789012345678901234567890",
            ]), 0..12),
        ) {
            check_like_serde(&tokens.concat());
        }
    }
}
