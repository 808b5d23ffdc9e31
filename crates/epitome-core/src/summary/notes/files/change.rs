//! What an edit changed, in a line.

use serde_json::Value;

use crate::outputs::cut_to_chars;

/// Names under which editors take the old text and the new one.
const OLD_KEYS: &[&str] = &["old_string", "oldText", "old_str", "oldString", "search"];
const NEW_KEYS: &[&str] = &["new_string", "newText", "new_str", "newString", "replace"];
/// Under which they take a whole file.
const WHOLE_KEYS: &[&str] = &["content", "file_text", "contents", "text"];
/// A changed line is cut to this.
const LINE_CHARS: usize = 80;

/// The first line that an edit changed.
pub(in crate::summary::notes) fn changed(arguments: &str) -> Option<String> {
    let value: Value = serde_json::from_str(arguments).ok()?;
    let last = |value: &Value| value.get("edits").and_then(Value::as_array).and_then(|edits| edits.last().cloned());
    let edit = last(&value).unwrap_or(value);
    let text = |keys: &[&str]| keys.iter().find_map(|key| edit.get(key).and_then(Value::as_str));
    let (old, new) = match (text(OLD_KEYS), text(NEW_KEYS)) {
        (old, Some(new)) => (old.unwrap_or_default(), new),
        (_, None) => {
            let lines = text(WHOLE_KEYS)?.lines().count();
            return Some(format!("the whole file, {lines} lines"));
        }
    };
    let same = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let first = |text: &str| text.lines().skip(same).map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    match (first(new), first(old)) {
        (Some(line), _) => Some(tidy(&line)),
        (None, Some(line)) => Some(format!("removed {}", tidy(&line))),
        (None, None) => None,
    }
}

/// A line of a patch that changes something.
pub(super) struct Change {
    pub(super) adds: bool,
    pub(super) line: String,
}

pub(super) fn change_in_patch(line: &str) -> Option<Change> {
    let (added, removed) = (line.strip_prefix('+'), line.strip_prefix('-'));
    let words = |text: &str| text.chars().any(char::is_alphanumeric);
    match (added, removed) {
        (Some(text), _) if words(text) => Some(Change { adds: true, line: tidy(text) }),
        (_, Some(text)) if words(text) => Some(Change { adds: false, line: format!("removed {}", tidy(text)) }),
        (_, _) => None,
    }
}

/// Cut to size, and without what ends it where it is written.
pub(in crate::summary::notes) fn tidy(line: &str) -> String {
    cut_to_chars(line.trim(), LINE_CHARS).replace('`', "'")
}
