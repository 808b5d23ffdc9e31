//! JSON that comes in pieces: strings grow, lists get longer, and what is said again replaces what was said.

use crate::json::{Kind, Value};
use crate::strings::write_string;

/// What is deeper is kept as it is spelled and does not grow: nobody streams into it, and depth must not be a stack.
const DEPTH: usize = 16;
/// A list of more things that are told apart by number is none that anybody means; nor is an object of more keys.
const MOST_NUMBERED: usize = 4_096;

/// A value that grows.
#[derive(Debug, Clone)]
pub(crate) enum Growing {
    /// As it is spelled.
    Fixed(String),
    /// A string; what stands between its quotes, as it is spelled.
    Words(String),
    List(Vec<Growing>),
    Object(Object),
}

/// An object that grows, in the order in which its keys came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Object(Vec<(String, Growing)>);

/// Keys whose strings are said once: repeated they mean the same, and are not to be joined.
const SAID_ONCE: [&str; 4] = ["role", "type", "id", "name"];

impl Growing {
    pub(crate) fn of(value: Value<'_>) -> Growing {
        Growing::at(value, DEPTH)
    }

    fn at(value: Value<'_>, depth: usize) -> Growing {
        match (value.kind(), depth.checked_sub(1)) {
            (Kind::String, _) => Growing::Words(inner(value).to_owned()),
            (Kind::Array, Some(depth)) => Growing::List(value.items().map(|item| Growing::at(item, depth)).collect()),
            (Kind::Object, Some(depth)) => Growing::Object(Object::at(value, depth)),
            (Kind::Array | Kind::Object, None) | (Kind::Number | Kind::Literal, _) => {
                Growing::Fixed(value.raw().to_owned())
            }
        }
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Growing::Fixed(raw) => out.extend_from_slice(raw.as_bytes()),
            Growing::Words(inner) => {
                out.push(b'"');
                out.extend_from_slice(inner.as_bytes());
                out.push(b'"');
            }
            Growing::List(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    item.write(out);
                }
                out.push(b']');
            }
            Growing::Object(object) => object.write(out),
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Growing::Fixed(raw) if raw == "null")
    }

    /// Whether it holds nothing: an empty string, list or object, or null.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Growing::Fixed(raw) => raw == "null",
            Growing::Words(inner) => inner.is_empty(),
            Growing::List(items) => items.is_empty(),
            Growing::Object(object) => object.0.is_empty(),
        }
    }

    /// Takes more of the same in. `None`: it makes no sense.
    fn take(&mut self, key: &str, more: Value<'_>) -> Option<()> {
        match (&mut *self, more.kind()) {
            (Growing::Words(inner), Kind::String) => {
                let more = self::inner(more);
                if !SAID_ONCE.contains(&key) || *inner != more {
                    inner.push_str(more);
                }
            }
            (Growing::Object(object), Kind::Object) => object.merge(more)?,
            (Growing::List(items), Kind::Array) => merge_list(items, more)?,
            (Growing::Fixed(_) | Growing::Words(_) | Growing::List(_) | Growing::Object(_), _) => {
                *self = Growing::of(more);
            }
        }
        Some(())
    }
}

impl Object {
    pub(crate) fn of(object: Value<'_>) -> Object {
        Object::at(object, DEPTH)
    }

    fn at(object: Value<'_>, depth: usize) -> Object {
        let entry = |(key, value): (Value<'_>, Value<'_>)| {
            (key.str().unwrap_or_default().into_owned(), Growing::at(value, depth))
        };
        Object(object.entries().map(entry).collect())
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Growing> {
        self.0.iter().rfind(|(known, _)| known == key).map(|(_, value)| value)
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut Growing> {
        self.0.iter_mut().rfind(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Whether the value of a key is this string.
    pub(crate) fn says(&self, key: &str, words: &str) -> bool {
        matches!(self.get(key), Some(Growing::Words(inner)) if inner == words)
    }

    pub(crate) fn set(&mut self, key: &str, value: Growing) {
        match self.get_mut(key) {
            Some(known) => *known = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// The entries of another, behind its own.
    pub(crate) fn append(&mut self, other: Object) {
        other.0.into_iter().for_each(|(key, value)| self.set(&key, value));
    }

    pub(crate) fn retain(&mut self, keep: impl Fn(&str, &Growing) -> bool) {
        self.0.retain(|(key, value)| keep(key, value));
    }

    /// Lengthens the string of a key, or sets it.
    pub(crate) fn lengthen(&mut self, key: &str, more: Value<'_>) {
        match self.get_mut(key) {
            Some(Growing::Words(inner)) if more.kind() == Kind::String => inner.push_str(self::inner(more)),
            Some(_) | None => self.set(key, Growing::of(more)),
        }
    }

    /// One more thing in the list of a key.
    pub(crate) fn push(&mut self, key: &str, item: Value<'_>) {
        match self.get_mut(key) {
            Some(Growing::List(items)) => items.push(Growing::of(item)),
            Some(_) | None => self.set(key, Growing::List(vec![Growing::of(item)])),
        }
    }

    /// Takes in what a chunk adds: strings are joined, lists merged by the number that their things have. `None`: it makes
    /// no sense.
    pub(crate) fn merge(&mut self, more: Value<'_>) -> Option<()> {
        for (key, value) in more.entries() {
            let key = key.str().unwrap_or_default();
            match self.get_mut(&key) {
                // Told once, it is not taken back.
                Some(known) if value.is_null() && !known.is_null() => {}
                Some(known) => known.take(&key, value)?,
                None if value.kind() == Kind::Array => {
                    let mut items = Vec::new();
                    merge_list(&mut items, value)?;
                    self.set(&key, Growing::List(items));
                }
                None => self.set(&key, Growing::of(value)),
            }
            if self.0.len() > MOST_NUMBERED {
                return None;
            }
        }
        Some(())
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (index, (key, value)) in self.0.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write_string(out, key);
            out.push(b':');
            value.write(out);
        }
        out.push(b'}');
    }

    pub(crate) fn to_json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }
}

fn merge_list(items: &mut Vec<Growing>, more: Value<'_>) -> Option<()> {
    for item in more.items() {
        let number = item.get("index").map(Value::raw);
        let is_it = |known: &Growing| match (known, number) {
            (Growing::Object(known), Some(number)) => {
                matches!(known.get("index"), Some(Growing::Fixed(known)) if known == number)
            }
            (Growing::Object(_) | Growing::Fixed(_) | Growing::Words(_) | Growing::List(_), _) => false,
        };
        let known = items.iter().position(is_it).and_then(|at| items.get_mut(at));
        match known {
            Some(Growing::Object(known)) => known.merge(item)?,
            Some(Growing::Fixed(_) | Growing::Words(_) | Growing::List(_)) | None => items.push(Growing::of(item)),
        }
        if items.len() > MOST_NUMBERED {
            return None;
        }
    }
    Some(())
}

/// What stands between the quotes of a string, as it is spelled.
fn inner(string: Value<'_>) -> &str {
    string.raw().strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or_default()
}
