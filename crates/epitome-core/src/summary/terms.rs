//! The terms of a text: what an agent names when it needs something again. Paths, names, hashes, numbers.
//!
//! Plain words are no terms: nothing tells those that matter from the others. Sentences that state decisions and facts are
//! found otherwise, in the notes.

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

/// Letters, digits and marks without a blank between them, in which there may be terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'text> {
    pub(crate) text: &'text str,
    /// The classes of its bytes.
    classes: u8,
}

/// Calls `found` with each term of a text, in order. A path is one term, and so is each name in it.
pub(crate) fn each<'text>(text: &'text str, mut found: impl FnMut(Term<'text>)) {
    each_run(text, |run| run.each_term(&mut found));
}

/// Calls `found` with each run of a text, in order. Equal runs hold equal terms.
pub(crate) fn each_run<'text>(text: &'text str, mut found: impl FnMut(Run<'text>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if CLASS[usize::from(*byte)] == OTHER {
            at += 1;
            continue;
        }
        let start = at;
        let mut classes = 0;
        while let Some(byte) = bytes.get(at) {
            let class = CLASS[usize::from(*byte)];
            if class == OTHER {
                break;
            }
            classes |= class;
            at += 1;
        }
        // A plain word in small letters, the most frequent run by far, is no term, nor is what is too short for one.
        if classes != LOWER
            && at - start >= SHORTEST_NAME
            && let Some(text) = text.get(start..at)
        {
            found(Run { text, classes });
        }
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
/// What names are joined with.
const JOINTS: u8 = SLASH | DOT | DASH | MARK;

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

impl<'text> Run<'text> {
    /// Whether it may hold more than one term.
    pub(crate) fn is_joined(self) -> bool {
        self.classes & JOINTS != 0
    }

    /// The one term that a run may be that is not joined.
    pub(crate) fn word(self) -> Option<Term<'text>> {
        let may_name = self.classes & (UNDERSCORE | DIGIT) != 0 || self.classes & (LOWER | UPPER) == LOWER | UPPER;
        if may_name { word_of(self.text) } else { None }
    }

    /// Calls `found` with each term of the run: the whole, and the names in it.
    pub(crate) fn each_term(self, mut found: impl FnMut(Term<'text>)) {
        let run = self.text;
        if !self.is_joined() {
            return self.word().into_iter().for_each(found);
        }
        let bytes = run.as_bytes();
        let start = bytes.iter().position(|byte| !b"-:@".contains(byte)).unwrap_or(bytes.len());
        let end = bytes.iter().rposition(|byte| !b".:-@~".contains(byte)).map_or(0, |last| last + 1);
        let whole = run.get(start..end).unwrap_or_default();
        let whole = if self.classes & MARK == 0 { whole } else { without_position(whole) };
        if let Some(kind) = kind_of_joined(whole) {
            found(Term { text: whole, kind });
        }
        let mut start = 0;
        for (at, byte) in bytes.iter().enumerate() {
            if CLASS[usize::from(*byte)] & JOINTS != 0 {
                word_of(&run[start..at]).into_iter().for_each(&mut found);
                start = at + 1;
            }
        }
        word_of(&run[start..]).into_iter().for_each(&mut found);
    }
}

fn kind_of_joined(whole: &str) -> Option<Kind> {
    let bytes = whole.as_bytes();
    if bytes.len() < SHORTEST_NAME || bytes.len() > LONGEST {
        return None;
    }
    let (mut classes, mut digits, mut dots, mut last_dot) = (OTHER, 0, 0, None);
    let (mut longest_part, mut part) = (0, 0);
    for (at, byte) in bytes.iter().enumerate() {
        let class = CLASS[usize::from(*byte)];
        classes |= class;
        digits += usize::from(class == DIGIT);
        part = if class == SLASH { 0 } else { part + 1 };
        longest_part = part.max(longest_part);
        if class == DOT {
            dots += 1;
            last_dot = Some(at);
        }
    }
    let has_letters = classes & (LOWER | UPPER) != 0;
    if !has_letters && digits == 0 {
        return None;
    }
    let has_extension = last_dot.is_some_and(|dot| {
        let extension = &bytes[dot + 1..];
        let like_one = (1..=5).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphanumeric);
        like_one && dot > 0 && extension.iter().any(u8::is_ascii_alphabetic)
    });
    if classes & SLASH != 0 {
        let is_address = classes & MARK != 0 && whole.contains("://");
        let kind = if has_extension && !is_address { Kind::File } else { Kind::Path };
        return (longest_part > 2).then_some(kind);
    }
    if !has_letters {
        return (digits >= SHORTEST_NUMBER).then_some(Kind::Number);
    }
    if has_extension && dots == 1 {
        return Some(Kind::File);
    }
    let is_joined = whole.trim_start_matches(['.', '~']).contains(['.', '-', '@', ':']);
    is_joined.then_some(Kind::Joined)
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

fn word_of(word: &str) -> Option<Term<'_>> {
    if word.len() < SHORTEST_NAME {
        return None;
    }
    let word = if word.starts_with('_') || word.ends_with('_') { word.trim_matches('_') } else { word };
    if word.len() < SHORTEST_NAME || word.len() > LONGEST {
        return None;
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
        Kind::Number
    } else if seen & UNDERSCORE != 0 || inner_capital {
        Kind::Name
    } else if seen & DIGIT != 0 {
        let is_hash = word.len() >= 7 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_hash { Kind::Number } else { Kind::Name }
    } else {
        return None;
    };
    Some(Term { text: word, kind })
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
