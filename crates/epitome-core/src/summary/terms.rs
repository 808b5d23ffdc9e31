//! The terms of a text: what an agent names when it needs something again. Paths, names, hashes, numbers.
//!
//! Plain words are no terms: nothing tells those that matter from the others. Sentences that state decisions and facts are
//! found otherwise, in the notes.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use xxhash_rust::xxh3::xxh3_64;

/// What a term is, which says how likely it is needed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `src/lib.rs`, `Cargo.toml`.
    File,
    /// `/var/lib`, `https://example.com/x`.
    Path,
    /// `readFile`, `read_file`, `utf8`.
    Name,
    /// `fs.readFile`, `read-file`.
    Joined,
    /// `8484`, `1.2.3`, `0e26d7ce`.
    Number,
}

/// A place in a text that names something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Term<'text> {
    pub(crate) text: &'text str,
    pub(crate) kind: Kind,
}

/// Numbers shorter than this are counts, and everywhere.
const SHORTEST_NUMBER: usize = 4;
/// Shorter names are everywhere, too.
const SHORTEST_NAME: usize = 4;
/// Longer ones are data.
const LONGEST: usize = 160;

/// Calls `found` with each term of a text, in order. A path is one term, and so is each name in it.
pub(crate) fn each<'text>(text: &'text str, mut found: impl FnMut(Term<'text>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if CLASS[usize::from(*byte)] == OTHER {
            at += 1;
            continue;
        }
        let start = at;
        let mut seen = 0;
        while let Some(byte) = bytes.get(at) {
            let class = CLASS[usize::from(*byte)];
            if class == OTHER {
                break;
            }
            seen |= class;
            at += 1;
        }
        // A plain word in small letters, the most frequent run by far, is no term.
        if seen != LOWER
            && let Some(run) = text.get(start..at)
        {
            run_of(run, seen, &mut found);
        }
    }
}

/// A number that names a term by its text: equal texts have equal keys.
pub(crate) fn key(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

/// A map by keys, which are hashes already.
pub(crate) type KeyMap<V> = HashMap<u64, V, BuildHasherDefault<KeyHasher>>;

/// Takes a key as its hash.
#[derive(Default)]
pub(crate) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxh3_64(bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}

const OTHER: u8 = 0;
const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
const SLASH: u8 = 16;
const DOT: u8 = 32;
const DASH: u8 = 64;
/// `:`, `@`, `~`: parts of paths and addresses.
const MARK: u8 = 128;

const CLASS: [u8; 256] = {
    let mut classes = [OTHER; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            b'/' => SLASH,
            b'.' => DOT,
            b'-' => DASH,
            b':' | b'@' | b'~' => MARK,
            _ => OTHER,
        };
        byte += 1;
    }
    classes
};

fn run_of<'text>(run: &'text str, seen: u8, found: &mut impl FnMut(Term<'text>)) {
    let joined = seen & (SLASH | DOT | DASH | MARK) != 0;
    if !joined {
        word_of(run, found);
        return;
    }
    let whole = run.trim_end_matches(['.', ':', '-', '@', '~']).trim_start_matches(['-', ':', '@']);
    let whole = without_position(whole);
    if let Some(kind) = kind_of_joined(whole) {
        found(Term { text: whole, kind });
    }
    run.split(['/', '.', '-', ':', '@', '~']).for_each(|word| word_of(word, found));
}

fn kind_of_joined(whole: &str) -> Option<Kind> {
    if whole.len() < SHORTEST_NAME || whole.len() > LONGEST || !whole.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let has_extension = whole.rsplit_once('.').is_some_and(|(stem, extension)| {
        let like_one = (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
        like_one && !stem.is_empty() && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    });
    if whole.contains('/') {
        let named = whole.split('/').any(|part| part.len() > 2);
        return named.then_some(if has_extension && !whole.contains("://") { Kind::File } else { Kind::Path });
    }
    if whole.bytes().all(|byte| !byte.is_ascii_alphabetic()) {
        return (whole.bytes().filter(u8::is_ascii_digit).count() >= SHORTEST_NUMBER).then_some(Kind::Number);
    }
    let inner = whole.trim_start_matches(['.', '~']);
    let is_joined = inner.contains(['.', '-', '@', ':']);
    match (has_extension, is_joined) {
        (true, _) if whole.rsplit_once('.').is_some_and(|(stem, _)| !stem.contains('.')) => Some(Kind::File),
        (_, true) => Some(Kind::Joined),
        (_, false) => None,
    }
}

/// `src/lib.rs:12:5` names a file; the position moves with every edit.
fn without_position(whole: &str) -> &str {
    let mut rest = whole;
    while let Some((before, digits)) = rest.rsplit_once(':') {
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) || !before.contains(['.', '/']) {
            break;
        }
        rest = before;
    }
    rest
}

fn word_of<'text>(word: &'text str, found: &mut impl FnMut(Term<'text>)) {
    let word = word.trim_matches('_');
    if word.len() < SHORTEST_NAME || word.len() > LONGEST {
        return;
    }
    let mut seen = 0;
    let mut inner_capital = false;
    let mut last = OTHER;
    for byte in word.bytes() {
        let class = CLASS[usize::from(byte)];
        inner_capital |= class == UPPER && last == LOWER;
        seen |= class;
        last = class;
    }
    let kind = if seen == DIGIT {
        Some(Kind::Number)
    } else if seen & UNDERSCORE != 0 || inner_capital {
        Some(Kind::Name)
    } else if seen & DIGIT != 0 {
        let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(if is_hash { Kind::Number } else { Kind::Name })
    } else {
        None
    };
    if let Some(kind) = kind {
        found(Term { text: word, kind });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<(&str, Kind)> {
        let mut terms = Vec::new();
        each(text, |term| terms.push((term.text, term.kind)));
        terms
    }

    #[test]
    fn names_paths_and_numbers_are_terms_and_plain_words_are_not() {
        assert_eq!(
            terms("Run the fooBar of src/my_lib.rs:12:5, not Foo."),
            [("fooBar", Kind::Name), ("src/my_lib.rs", Kind::File), ("my_lib", Kind::Name)]
        );
        assert_eq!(terms("port 8484, 12 of 99"), [("8484", Kind::Number)]);
        assert_eq!(terms("see https://example.com/a?b"), [("https://example.com/a", Kind::Path)]);
        assert_eq!(terms("commit 0e26d7ce"), [("0e26d7ce", Kind::Number)]);
        assert_eq!(terms("npm run test-all; fs.read()"), [("test-all", Kind::Joined), ("fs.read", Kind::File)]);
        assert_eq!(terms("e.g. a/b ... --- // :: é"), []);
    }
}
