//! YAML text as a tree that remembers the line and column of every key and value.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, NonFiniteFloatPolicy, Spanned};

/// Where something stands in a file. Lines and columns count from one, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// How many characters of the line belong to it.
    pub(crate) width: usize,
}

/// A value and where it stands. No `Debug`: it may hold a foreign credential until `load` drops it.
pub(crate) struct Node {
    pub(crate) spot: Spot,
    pub(crate) content: Content,
}

/// What a file, a variable or a flag says, before anybody knows what it was meant to be.
pub(crate) enum Content {
    Null,
    Boolean(bool),
    Integer(i128),
    Number(f64),
    Text(String),
    List,
    Section(Vec<Entry>),
}

/// A key of a section and its value, in the order of the file; a key may stand twice.
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) spot: Spot,
    pub(crate) value: Node,
}

/// Text that is not YAML: what is wrong, and where if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) spot: Option<Spot>,
    pub(crate) message: String,
}

/// Reads one YAML document. An empty text is `Content::Null`.
pub(crate) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let options = serde_saphyr::options! {
        // We look for keys that stand twice ourselves: in our sections alone, and all of them at once.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
        // `off` is a word to us, as in YAML 1.2. Switches accept the old words nevertheless.
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        // Its snippets would show neighbouring lines, and with them perhaps a credential.
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Spanned<Content>>(text, options) {
        Ok(root) => Ok(node(root)),
        Err(error) => Err(syntax_error(error.without_snippet())),
    }
}

fn syntax_error(error: &serde_saphyr::Error) -> SyntaxError {
    let location = error.location();
    let whole = error.to_string();
    // The place goes to the front of our own message.
    let message = location
        .map(|location| format!(" at line {}, column {}", location.line(), location.column()))
        .and_then(|suffix| whole.find(&suffix).map(|at| whole[..at].to_owned()))
        .unwrap_or(whole);
    let message = if matches!(error, serde_saphyr::Error::MultipleDocuments { .. }) {
        // Its own words name functions of the library.
        "more than one YAML document".to_owned()
    } else if message.starts_with("budget breached") || message.starts_with("recursion limit") {
        "too large, or too deeply nested".to_owned()
    } else {
        message.lines().next().unwrap_or_default().to_owned()
    };
    SyntaxError { spot: location.map(spot).filter(|spot| spot.line > 0), message }
}

fn spot(location: Location) -> Spot {
    let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    Spot {
        line: small(location.line()),
        column: small(location.column()),
        width: usize::try_from(location.span().len()).unwrap_or(1).max(1),
    }
}

fn node(spanned: Spanned<Content>) -> Node {
    // Where it was written, not where an alias repeats it: that is the place to mend.
    Node { spot: spot(spanned.defined), content: spanned.value }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Content, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any YAML value")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_none<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Content, D::Error> {
        Content::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Content, E> {
        Ok(Content::Boolean(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Content, E> {
        Ok(Content::Integer(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Content, E> {
        Ok(Content::Integer(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Content, E> {
        Ok(Content::Integer(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Content, E> {
        Ok(i128::try_from(value).map_or(Content::Number(value as f64), Content::Integer))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Content, E> {
        Ok(Content::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Content, E> {
        Ok(Content::Text(value.to_owned()))
    }

    fn visit_bytes<E>(self, _value: &[u8]) -> Result<Content, E> {
        Ok(Content::List)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Content, A::Error> {
        // None of our settings is a list, so what is in it does not matter.
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Content::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Content, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = pairs.next_key::<Spanned<Content>>()? {
            let value = node(pairs.next_value::<Spanned<Content>>()?);
            entries.push(Entry { key: key_name(&key.value), spot: spot(key.defined), value });
        }
        Ok(Content::Section(entries))
    }
}

/// Our keys are words. Others may be anything; they only need a name to be told by.
fn key_name(key: &Content) -> String {
    match key {
        Content::Null => "null".to_owned(),
        Content::Boolean(value) => value.to_string(),
        Content::Integer(value) => value.to_string(),
        Content::Number(value) => value.to_string(),
        Content::Text(value) => value.clone(),
        Content::List => "[…]".to_owned(),
        Content::Section(_) => "{…}".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(node: &Node) -> String {
        let place = |spot: &Spot| format!("{}:{}+{}", spot.line, spot.column, spot.width);
        let here = place(&node.spot);
        match &node.content {
            Content::Null => format!("null@{here}"),
            Content::Boolean(value) => format!("{value}@{here}"),
            Content::Integer(value) => format!("{value}@{here}"),
            Content::Number(value) => format!("{value:?}@{here}"),
            Content::Text(value) => format!("{value:?}@{here}"),
            Content::List => format!("list@{here}"),
            Content::Section(entries) => {
                let inner: Vec<String> = entries
                    .iter()
                    .map(|entry| format!("{}@{} = {}", entry.key, place(&entry.spot), outline(&entry.value)))
                    .collect();
                format!("{{{}}}", inner.join(", "))
            }
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match parse(text) {
            Ok(node) => outline(&node),
            Err(error) => format!("{:?} {}", error.spot.map(|spot| (spot.line, spot.column)), error.message),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_without_a_value_is_null() {
        check("", "null@1:1+1");
        check("# nothing\n", "null@2:1+1");
    }

    #[test]
    fn every_key_and_value_knows_its_place() {
        check(
            "a:\n  b: 0.5\n  c: off\n  d: \"0.5\"\n  e:\n  f: [1, 2]\n  g: .nan\n  1: 2\n",
            "{a@1:1+1 = {b@2:3+1 = 0.5@2:6+3, c@3:3+1 = \"off\"@3:6+3, d@4:3+1 = \"0.5\"@4:6+5, \
             e@5:3+1 = null@5:4+1, f@6:3+1 = list@6:6+1, g@7:3+1 = NaN@7:6+4, 1@8:3+1 = 2@8:6+1}}",
        );
    }

    #[test]
    fn merged_keys_give_way_and_doubled_keys_stay_visible() {
        check(
            "a: 1\na: 2\nb: &x {c: 1, d: 2}\ne:\n  <<: *x\n  d: 3\n",
            "{a@1:1+1 = 1@1:4+1, a@2:1+1 = 2@2:4+1, b@3:1+1 = {c@3:8+1 = 1@3:11+1, d@3:14+1 = 2@3:17+1}, \
             e@4:1+1 = {d@6:3+1 = 3@6:6+1, c@3:8+1 = 1@3:11+1}}",
        );
    }

    #[test]
    fn errors_have_a_place() {
        check("a:\n\tb: 1\n", "Some((2, 2)) tabs disallowed within this context (block indentation)");
        check("a:\n  b: 1\n c: 2\n", "Some((3, 2)) while parsing a block mapping, did not find expected key");
        check("a: 1\n---\nb: 2\n", "Some((3, 1)) more than one YAML document");
        check("[1, 2\n", "Some((1, 1)) unclosed bracket '['");
    }
}
