//! Looking into a tool call's arguments without reading all of them.

use std::borrow::Cow;
use std::fmt;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::outputs::cut_to_chars;

/// Names under which tools take a path.
pub const PATH_KEYS: &[&str] = &["path", "file_path", "filepath", "filename", "file", "notebook_path", "target_file"];
/// Names of the argument that says most about a call, best first.
const TELLING_KEYS: &[&str] = &[
    "command",
    "cmd",
    "file_path",
    "path",
    "filepath",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "input",
    "name",
    "skill",
];

/// What a call is for, as far as its name tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CallKind {
    /// Looks at something.
    Reads,
    /// Runs something, which may change something.
    Runs,
    /// Changes something.
    Writes,
}

impl CallKind {
    /// By the tool's name.
    pub fn of(tool: &str) -> CallKind {
        let found = TOOL_WORDS.find_overlapping_iter(tool).map(|hit| KINDS[hit.pattern().as_usize()].1);
        found.max().unwrap_or(CallKind::Runs)
    }
}

/// What is in a tool's name, and what it is for then; of several kinds the last in their order counts.
const KINDS: &[(&str, CallKind)] = &[
    ("write", CallKind::Writes),
    ("edit", CallKind::Writes),
    ("patch", CallKind::Writes),
    ("create", CallKind::Writes),
    ("replace", CallKind::Writes),
    ("insert", CallKind::Writes),
    ("update", CallKind::Writes),
    ("delete", CallKind::Writes),
    ("move", CallKind::Writes),
    ("bash", CallKind::Runs),
    ("shell", CallKind::Runs),
    ("exec", CallKind::Runs),
    ("run", CallKind::Runs),
    ("terminal", CallKind::Runs),
    ("command", CallKind::Runs),
    ("python", CallKind::Runs),
    ("read", CallKind::Reads),
    ("view", CallKind::Reads),
    ("open", CallKind::Reads),
    ("cat", CallKind::Reads),
    ("list", CallKind::Reads),
    ("glob", CallKind::Reads),
    ("grep", CallKind::Reads),
    ("search", CallKind::Reads),
    ("find", CallKind::Reads),
    ("fetch", CallKind::Reads),
    ("get", CallKind::Reads),
    ("ls", CallKind::Reads),
];

static TOOL_WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let words = KINDS.iter().map(|(word, _)| word);
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("a short list of words")
});

/// The first of `keys` (in their order) that the arguments hold as a non-empty string, or as a list of strings.
pub fn string_argument<'a>(arguments: &'a str, keys: &[&str]) -> Option<Cow<'a, str>> {
    let mut reader = serde_json::Deserializer::from_str(arguments);
    let found = reader.deserialize_map(Pick { keys }).ok()?;
    found.into_iter().flatten().find(|value| !value.trim().is_empty())
}

/// What was given to a call, as far as it says something.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Given<'a> {
    /// In order: strings as they were meant, without JSON's escapes, anything else as it stands. Arguments that are no
    /// JSON are one value.
    pub values: Vec<Cow<'a, str>>,
    /// Which of them says most about the call.
    pub telling: Option<usize>,
    /// Which of them an edit replaces: they are not there any more.
    pub replaced: Vec<usize>,
}

/// Reads the values of arguments.
pub fn given(arguments: &str) -> Given<'_> {
    let mut reading = Reading::default();
    match serde_json::from_str::<serde_json::Value>(arguments) {
        Ok(value) => reading.push(value, None),
        Err(_) => reading.values.push(arguments.into()),
    }
    let Reading { values, replaced, telling } = reading;
    Given { values, telling: telling.map(|(_, at)| at), replaced }
}

/// The values of arguments while they are read.
#[derive(Default)]
struct Reading<'a> {
    values: Vec<Cow<'a, str>>,
    replaced: Vec<usize>,
    /// The rank of the most telling key so far, and where its value is.
    telling: Option<(usize, usize)>,
}

/// What an edit replaces.
const OLD_KEYS: &[&str] = &["old_string", "old_str", "oldText", "old_text", "oldString"];

impl Reading<'_> {
    fn push(&mut self, value: serde_json::Value, key: Option<&str>) {
        match value {
            serde_json::Value::String(text) => {
                let rank = key.and_then(|key| TELLING_KEYS.iter().position(|telling| *telling == key));
                if let Some(rank) = rank.filter(|rank| self.telling.is_none_or(|(best, _)| *rank < best)) {
                    self.telling = Some((rank, self.values.len()));
                }
                if key.is_some_and(|key| OLD_KEYS.contains(&key)) {
                    self.replaced.push(self.values.len());
                }
                self.values.push(text.into());
            }
            serde_json::Value::Array(items) => items.into_iter().for_each(|item| self.push(item, key)),
            serde_json::Value::Object(fields) => {
                fields.into_iter().for_each(|(key, value)| self.push(value, Some(&key)));
            }
            serde_json::Value::Null => {}
            serde_json::Value::Bool(_) | serde_json::Value::Number(_) => self.values.push(value.to_string().into()),
        }
    }
}

/// A call as a person would name it: `bash cargo test --all`.
pub fn describe(tool: &str, arguments: &str, chars: usize) -> String {
    let tool = if tool.is_empty() { "an unknown call" } else { tool };
    let telling = string_argument(arguments, TELLING_KEYS).unwrap_or_else(|| {
        let raw = arguments.trim();
        if raw == "{}" { "".into() } else { raw.into() }
    });
    // A written file or a patch may be long: only its beginning names the call.
    let beginning =
        telling.char_indices().nth(4 * chars).map_or(&*telling, |(end, _)| telling.get(..end).unwrap_or_default());
    let one_line = beginning.split_whitespace().collect::<Vec<_>>().join(" ");
    if one_line.is_empty() { tool.to_owned() } else { format!("{tool} {}", cut_to_chars(&one_line, chars)) }
}

/// Picks the values of some keys out of a JSON object; skips the others without copying them.
struct Pick<'keys> {
    keys: &'keys [&'keys str],
}

impl<'de> Visitor<'de> for Pick<'_> {
    type Value = Vec<Option<Cow<'de, str>>>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of arguments")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = vec![None; self.keys.len()];
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let slot = self.keys.iter().position(|wanted| *wanted == key).and_then(|at| found.get_mut(at));
            match slot {
                Some(slot) => *slot = map.next_value::<Words<'de>>()?.0,
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// A string, or strings joined by blanks (`["git", "status"]`); anything else is nothing.
struct Words<'de>(Option<Cow<'de, str>>);

impl<'de> serde::Deserialize<'de> for Words<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(Words(match value {
            serde_json::Value::String(text) => Some(text.into()),
            serde_json::Value::Array(items) => {
                let words: Option<Vec<&str>> = items.iter().map(serde_json::Value::as_str).collect();
                words.map(|words| words.join(" ").into())
            }
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::Object(_) => None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tool: &str, arguments: &str, expected: &str) {
        assert_eq!(describe(tool, arguments, 40), expected);
    }

    #[test]
    fn what_says_most_and_what_is_replaced_is_known() {
        let check = |arguments: &str, values: &[&str], telling: Option<usize>, replaced: &[usize]| {
            let values = values.iter().map(|text| Cow::Borrowed(*text)).collect();
            assert_eq!(given(arguments), Given { values, telling, replaced: replaced.to_vec() });
        };
        let edit = r#"{"replace_all":false,"file_path":"/w/x.rs","old_string":"a\nb","new_string":"c"}"#;
        check(edit, &["false", "/w/x.rs", "a\nb", "c"], Some(1), &[2]);
        let edits = r#"{"edits":[{"oldText":"1","newText":"2"},{"oldText":"3","newText":"4"}],"path":"x"}"#;
        check(edits, &["1", "2", "3", "4", "x"], Some(4), &[0, 2]);
        check(r#"{"command":["git","status"],"timeout":5}"#, &["git", "status", "5"], Some(0), &[]);
        check(r#"{"id":7}"#, &["7"], None, &[]);
        check("not json", &["not json"], None, &[]);
        check("{}", &[], None, &[]);
    }

    #[test]
    fn a_call_is_named_as_a_person_would() {
        check("bash", r#"{"timeout": 5, "command": "cargo  test\n --all"}"#, "bash cargo test --all");
        check("shell", r#"{"command": ["git", "status"]}"#, "shell git status");
        check("Read", r#"{"file_path": "src/lib.rs", "limit": 3}"#, "Read src/lib.rs");
        check("now", "{}", "now");
        check("odd", r#"{"n": 3}"#, r#"odd {"n": 3}"#);
        check("", "not json", "an unknown call not json");
    }
}
