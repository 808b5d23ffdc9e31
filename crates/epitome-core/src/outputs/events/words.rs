//! The words by which a line speaks of an error, and the names and counts that only contain them.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use crate::outputs::rows;

/// How a word speaks of an error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One word, which may be a part of a name (`on_error`, `errors.go`) that speaks of none.
    Word,
    /// Several words, or one that is never part of a name.
    Phrase,
    /// The beginning of a line.
    Opening,
    /// With the number behind it, if that is not zero.
    Exit,
    /// What is counted as bad: `unreachable=1`, `dropped: 3`, if it is not zero.
    Counted,
}

impl Form {
    fn of(name: &str) -> Form {
        match name {
            "phrase" => Form::Phrase,
            "opening" => Form::Opening,
            "exit" => Form::Exit,
            "counted" => Form::Counted,
            _ => Form::Word,
        }
    }
}

static WORDS: LazyLock<Vec<(String, Form)>> = LazyLock::new(|| {
    let rows = rows(include_str!("../words/errors.txt"));
    rows.map(|[word, form, _]| (word.replace('⏎', "\n"), Form::of(form))).collect()
});

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .kind(Some(AhoCorasickKind::DFA))
        .build(WORDS.iter().map(|(word, _)| word))
        .ok()
});

/// Where the first word of an error begins, at `from` or behind it.
pub(super) fn find_error(bytes: &[u8], from: usize) -> Option<usize> {
    if from == 0 && opens_event(bytes) {
        return Some(0);
    }
    let finder = FINDER.as_ref()?;
    let span = aho_corasick::Span { start: from.min(bytes.len()), end: bytes.len() };
    finder.find_iter(Input::new(bytes).span(span)).find_map(|found| {
        let (_, form) = WORDS.get(found.pattern().as_usize())?;
        let (at, end) = (found.start(), found.end());
        let reports = match form {
            Form::Opening => return opens_event(bytes.get(at + 1..).unwrap_or_default()).then_some(at + 1),
            Form::Word => begins(bytes, at) && is_event_word(bytes, at, end),
            Form::Phrase => begins(bytes, at) && !is_none_counted(bytes, at, end),
            Form::Counted => begins(bytes, at) && has_count(bytes.get(end..).unwrap_or_default()),
            Form::Exit => begins(bytes, at) && has_number(bytes.get(end..).unwrap_or_default()),
        };
        reports.then_some(at)
    })
}

/// Whether the word at the beginning of these bytes warns of something.
pub(super) fn warns(word: &[u8]) -> bool {
    const WARNING: &[&str] =
        &["w", "avert", "advert", "aviso", "avviso", "ostrze", "предупр", "Предупр", "警告", "경고"];
    WARNING
        .iter()
        .any(|warning| word.get(..warning.len()).is_some_and(|start| start.eq_ignore_ascii_case(warning.as_bytes())))
}

/// `E0915 08:00:01`, `W: `: a letter says it.
fn opens_event(line: &[u8]) -> bool {
    let Some([b'E' | b'W' | b'F', rest @ ..]) = line.get(..) else { return false };
    match rest {
        [b':', b' ', ..] => true,
        [a, b, c, d, b' ', e, f, b':', ..] => [a, b, c, d, e, f].iter().all(|byte| byte.is_ascii_digit()),
        _ => false,
    }
}

/// Behind something that is no letter, or with a capital (`TypeError`, not `stderr`).
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|before| {
        let capital = bytes.get(at).is_some_and(u8::is_ascii_uppercase);
        let camel = before.is_ascii_lowercase() || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        !before.is_ascii_alphabetic() || (capital && camel)
    })
}

/// A number that is not zero: `exit code 1`, `exited with status: 2`, `rc=-9`.
fn has_number(after: &[u8]) -> bool {
    let between =
        |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b':' | b'=' | b'"' | b'\'' | b'-' | b'>');
    let skipped = after.iter().take(24).take_while(|byte| between(byte)).count();
    let number = after.get(skipped..).unwrap_or_default();
    let number = number.get(..number.iter().take_while(|byte| byte.is_ascii_digit()).count()).unwrap_or_default();
    number.iter().any(|digit| *digit != b'0')
}

/// A whole number that is not zero.
fn has_count(after: &[u8]) -> bool {
    let after = after.trim_ascii_start();
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (number, rest) = after.split_at(digits);
    let ends = rest.first().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.');
    ends && number.iter().any(|digit| *digit != b'0')
}

/// Whether the word at `at..end` stands for itself, not for a name it is a part of, and was not counted as none.
fn is_event_word(bytes: &[u8], at: usize, end: usize) -> bool {
    let get = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
    let before = |back: usize| at.checked_sub(back).map_or(b' ', get);
    let capitals = bytes.get(at..end).is_some_and(|word| word.iter().all(|byte| !byte.is_ascii_lowercase()));
    let more = |byte: u8| if capitals { byte.is_ascii_uppercase() } else { byte.is_ascii_lowercase() };
    let word_end = (end..).find(|at| !more(get(*at))).unwrap_or(end);
    let suffix = bytes.get(end..word_end).unwrap_or_default();
    let other_word = ["over", "safe", "back", "ph"].iter().any(|other| suffix.eq_ignore_ascii_case(other.as_bytes()));
    if other_word || is_none_counted(bytes, at, word_end) {
        return false;
    }
    let next = get(word_end);
    let glue = |byte: u8| matches!(byte, b'_' | b'-' | b'/');
    let glued_behind = glue(next) && get(word_end + 1).is_ascii_alphabetic();
    let glued_before = glue(before(1)) && (before(2).is_ascii_alphanumeric() || before(2) == b'-');
    let camel_behind = !capitals && next.is_ascii_uppercase();
    let camel_before = before(1).is_ascii_lowercase() && name_begins_small(bytes, at);
    if next == b'.' && is_extension(bytes.get(word_end + 1..).unwrap_or_default()) {
        return false;
    }
    if capitals || !(glued_behind || glued_before || camel_behind || camel_before) {
        return true;
    }
    // A part of a name reports something if the name has a value: `error_count=3`, `has_failed: true`.
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let name_end = (word_end..).find(|at| !in_name(get(*at))).unwrap_or(word_end);
    let value = value_after(bytes.get(name_end..).unwrap_or_default());
    let tells = value.is_some_and(|value| {
        value.first().is_some_and(u8::is_ascii_digit) || value.starts_with(b"true") || !glued_before && !camel_before
    });
    let path = before(1) == b'/' || next == b'/';
    // `event=payment_failed`: it is the value itself.
    let name_start = (0..at).rev().take(64).find(|at| !in_name(get(*at)));
    let is_value = !glued_behind
        && !camel_behind
        && name_start.is_some_and(|at| {
            let quoted =
                get(at) == b'"' && bytes.get(..at).is_some_and(|before| before.trim_ascii_end().ends_with(b":"));
            get(at) == b'=' || quoted
        });
    !path && (tells || is_value)
}

fn name_begins_small(bytes: &[u8], at: usize) -> bool {
    let letters =
        bytes.get(..at).unwrap_or_default().iter().rev().take(40).take_while(|byte| byte.is_ascii_alphabetic());
    letters.last().is_some_and(u8::is_ascii_lowercase)
}

/// Behind the point of a file's name.
fn is_extension(after: &[u8]) -> bool {
    const EXTENSIONS: &[&str] = &[
        "c", "cc", "cjs", "cpp", "cs", "css", "csv", "ex", "exs", "go", "h", "hpp", "html", "java", "js", "json",
        "jsx", "kt", "lock", "log", "lua", "md", "mjs", "php", "proto", "py", "rb", "rs", "rst", "scala", "sh", "snap",
        "spec", "sql", "svelte", "swift", "test", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    ];
    let length = after.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    after.get(..length).is_some_and(|name| EXTENSIONS.iter().any(|extension| extension.as_bytes() == name))
}

/// What stands behind a name, a colon or an equals sign.
fn value_after(after: &[u8]) -> Option<&[u8]> {
    let after = after.strip_prefix(b"\"").or(after.strip_prefix(b"'")).unwrap_or(after).trim_ascii_start();
    Some(after.strip_prefix(b":").or(after.strip_prefix(b"="))?.trim_ascii_start())
}

/// `0 errors`, `no warnings`, `failed: 0`, `"error": null`: there was none.
fn is_none_counted(line: &[u8], at: usize, word_end: usize) -> bool {
    let name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let after = line.get(word_end..).unwrap_or_default();
    let after = after.get(after.iter().take_while(name).count()..).unwrap_or_default();
    let value = value_after(after);
    // `unreachable=0 failed=1`: the number before it is another's.
    let labelled = value.is_some_and(|value| value.first().is_some_and(u8::is_ascii_digit));
    let before = line.get(at.saturating_sub(24)..at).unwrap_or_default().trim_ascii_end();
    // 0 tests failed
    let last_word = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (rest, word) = before.split_at(before.len() - last_word);
    let counted_things: [&[u8]; 9] =
        [b"tests", b"test", b"checks", b"suites", b"jobs", b"files", b"cases", b"specs", b"tasks"];
    let none = [&b"no"[..], b"without", b"zero"].iter().any(|none| word.eq_ignore_ascii_case(none));
    let number = if counted_things.iter().any(|thing| word.eq_ignore_ascii_case(thing)) {
        rest.trim_ascii_end()
    } else {
        before
    };
    let zero = number.strip_suffix(b"0").is_some_and(|rest| {
        rest.last().is_none_or(|byte| !byte.is_ascii_alphanumeric() && *byte != b'.' && *byte != b',')
    });
    if (zero && !labelled) || none {
        return true;
    }
    let is_zero = |value: &[u8], ends: fn(&u8) -> bool| {
        value.strip_prefix(b"0").is_some_and(|rest| rest.first().is_none_or(ends))
    };
    match value {
        Some(value) => {
            let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b':' | b'-' | b'/' | b'%');
            let nothing: [&[u8]; 8] = [b"null", b"none", b"nil", b"false", b"\"\"", b"''", b"[]", b"{}"];
            // `error=nil user=7` has no error, `panic: nil map` is one.
            let spaced = after.trim_ascii_start().starts_with(b"=");
            let is_nothing = nothing.iter().any(|nothing| {
                let (start, rest) = value.split_at(nothing.len().min(value.len()));
                let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && (spaced || *byte != b' ');
                start.eq_ignore_ascii_case(nothing) && rest.first().is_none_or(ends)
            });
            is_zero(value, ends) || is_nothing
        }
        None => after
            .strip_prefix(b" ")
            .is_some_and(|value| is_zero(value, |byte| matches!(byte, b',' | b')' | b'|' | b';' | b'\n' | b'\r'))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_in_its_example() {
        for [word, form, example] in rows(include_str!("../words/errors.txt")) {
            assert!(["word", "phrase", "opening", "exit", "counted"].contains(&form), "{word}: {form}");
            assert!(find_error(example.as_bytes(), 0).is_some(), "{word}: {example}");
        }
    }
}
