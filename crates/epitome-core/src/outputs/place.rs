//! Places in files, as tools write them at the start of a line: `src/a.rs:12:5: …`, `a.ts(12,5): …`, `a.rs-13-…`.

use std::collections::BTreeMap;

use crate::tokens::Tokens;

/// A line that begins with a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placed<'line> {
    /// The file.
    pub(super) path: &'line str,
    /// `12` or `12:5`.
    pub(super) at: &'line str,
    /// What is said of the place, white space included.
    pub(super) rest: &'line str,
    /// How the place is written.
    pub(super) form: Form,
}

/// How a place is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `path:12:`
    Colons,
    /// `path(12,5):`
    Brackets,
    /// `path-12-`, a line around a hit.
    Dashes,
}

/// The place a line begins with.
pub(super) fn placed(line: &str) -> Option<Placed<'_>> {
    with_colons(line).or_else(|| with_brackets(line)).or_else(|| with_dashes(line))
}

/// Longer ones are no paths.
const PATH_BYTES: usize = 300;

/// Whether a word looks like the path of a file.
pub(super) fn is_path(word: &str) -> bool {
    if word.len() > PATH_BYTES {
        return false;
    }
    let bytes = word.as_bytes();
    let letters = bytes.iter().any(u8::is_ascii_alphabetic) || !word.is_ascii();
    let marked = memchr::memchr3(b'/', b'.', b'\\', bytes).is_some();
    let named = || word.starts_with(|c: char| c.is_ascii_uppercase()) && word.ends_with("file");
    let odd = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '|' | '=' | '`' | ';' | ',' | '\'');
    letters && (marked || named()) && !word.contains(odd) && !word.contains("://")
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn with_colons(line: &str) -> Option<Placed<'_>> {
    // A drive of Windows: `C:\x.rs:12:`.
    let skip = if line.get(1..3) == Some(":\\") { 2 } else { 0 };
    let colon = skip + memchr::memchr(b':', line.as_bytes().get(skip..)?)?;
    let path = line.get(..colon)?;
    let numbers = line.get(colon + 1..)?;
    let row = digits(numbers);
    if row == 0 || row > 7 || !is_path(path.trim_start()) || path.trim_start().len() + 8 < path.len() {
        return None;
    }
    let after = numbers.get(row..)?;
    let (end, rest) = match after.strip_prefix(':') {
        Some(more) => match digits(more) {
            column
                if column > 0
                    && more.get(column..).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ' '])) =>
            {
                let rest = more.get(column..)?;
                (row + 1 + column, rest.strip_prefix(':').unwrap_or(rest))
            }
            _ => (row, more),
        },
        // A place and nothing else, or a sentence behind it.
        None if after.is_empty() || after.starts_with(' ') => (row, after),
        None => return None,
    };
    Some(Placed { path: path.trim_start(), at: numbers.get(..end)?, rest, form: Form::Colons })
}

fn with_brackets(line: &str) -> Option<Placed<'_>> {
    let open = memchr::memchr(b'(', line.as_bytes())?;
    let path = line.get(..open)?;
    let inside = line.get(open + 1..)?;
    let close = inside.find(')').filter(|close| *close <= 15)?;
    let at = inside.get(..close)?;
    let numbers = at.split(',').all(|number| !number.is_empty() && digits(number) == number.len());
    let rest = inside.get(close + 1..)?.trim_start().strip_prefix(':')?;
    (numbers && is_path(path.trim_start())).then_some(Placed {
        path: path.trim_start(),
        at,
        rest,
        form: Form::Brackets,
    })
}

fn with_dashes(line: &str) -> Option<Placed<'_>> {
    let mut from = 0;
    // Names have dashes and numbers of their own: the place is the first `-12-` behind something like a file's name.
    while let Some(dash) = memchr::memchr(b'-', line.as_bytes().get(from..)?).map(|at| from + at) {
        if dash > PATH_BYTES {
            break;
        }
        let row = digits(line.get(dash + 1..)?);
        let path = line.get(..dash)?;
        let ends = dash + 1 + row;
        let name = path.rsplit('/').next().unwrap_or(path);
        if (1..=7).contains(&row)
            && line.get(ends..)?.starts_with('-')
            && is_path(path)
            && name.get(1..).is_some_and(|name| name.contains('.') || name.ends_with("file"))
        {
            return Some(Placed {
                path,
                at: line.get(dash + 1..ends)?,
                rest: line.get(ends + 1..)?,
                form: Form::Dashes,
            });
        }
        from = dash + 1;
    }
    None
}

/// `src/net/ a.rs 40, b.rs 12; docs/ 9 in 4 files`: names with numbers under their directories, the largest first; of
/// what is left over only the numbers.
pub(super) fn counted_paths(counts: &BTreeMap<&str, usize>, at_most: usize) -> String {
    let mut largest: Vec<(&str, usize)> = counts.iter().map(|(path, count)| (*path, *count)).collect();
    largest.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    let mut directories: BTreeMap<&str, Directory> = BTreeMap::new();
    for (position, (path, count)) in largest.iter().enumerate() {
        let (directory, name) = path.rfind('/').map_or(("", *path), |slash| path.split_at(slash + 1));
        let entry = directories.entry(directory).or_default();
        entry.total += count;
        if position < at_most {
            entry.named.push(format!("{name} {count}"));
        } else {
            (entry.files, entry.more) = (entry.files + 1, entry.more + count);
        }
    }
    let mut ordered: Vec<(&str, Directory)> = directories.into_iter().collect();
    ordered.sort_by(|one, other| other.1.total.cmp(&one.1.total).then(one.0.cmp(other.0)));
    // Beside the directories of named files, a few others.
    let others = |(_, directory): &(&str, Directory)| directory.named.is_empty();
    let (unnamed, named): (Vec<_>, Vec<_>) = ordered.into_iter().partition(others);
    let mut said: Vec<String> = Vec::new();
    let mut left: Vec<&Directory> = Vec::new();
    for (path, directory) in named.iter().chain(&unnamed) {
        let length: usize = said.iter().map(String::len).sum();
        if length + path.len() > PATHS_CHARS {
            left.push(directory);
            continue;
        }
        let mut parts = directory.named.clone();
        if directory.files > 0 {
            let also = if directory.named.is_empty() { "" } else { "+" };
            parts.push(format!("{also}{} in {}", directory.more, plural(directory.files, "file", "files")));
        }
        let space = if path.is_empty() { "" } else { " " };
        said.push(format!("{path}{space}{}", parts.join(", ")));
    }
    if !left.is_empty() {
        let files = left.iter().map(|directory| directory.files + directory.named.len()).sum();
        let total: usize = left.iter().map(|directory| directory.total).sum();
        let directories = plural(left.len(), "directory", "directories");
        said.push(format!("{total} in {} of {directories} more", plural(files, "file", "files")));
    }
    said.join("; ")
}

/// Paths are said up to this length.
const PATHS_CHARS: usize = 260;

#[derive(Default)]
struct Directory {
    total: usize,
    named: Vec<String>,
    files: usize,
    more: usize,
}

/// `1 file`, `1,200 files`.
pub(super) fn plural(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", Tokens(number as u64), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, &str, &str, Form)>) {
        assert_eq!(placed(line).map(|found| (found.path, found.at, found.rest, found.form)), expected);
    }

    #[test]
    fn places_are_known_in_every_form() {
        check("src/a.rs:12:5: error: no", Some(("src/a.rs", "12:5", " error: no", Form::Colons)));
        check("src/a.rs:12:    x: 5", Some(("src/a.rs", "12", "    x: 5", Form::Colons)));
        check("a.ts(3,4): error TS1: no", Some(("a.ts", "3,4", " error TS1: no", Form::Brackets)));
        check("x/14-02-PLAN.md-100-   - kid", Some(("x/14-02-PLAN.md", "100", "   - kid", Form::Dashes)));
        check("C:\\x.rs:1:2: no", Some(("C:\\x.rs", "1:2", " no", Form::Colons)));
        check("src/a.ts:12:5 - error TS1: no", Some(("src/a.ts", "12:5", " - error TS1: no", Form::Colons)));
    }

    #[test]
    fn times_and_sentences_are_no_places() {
        check("2025-09-15T08:01:02 INFO x", None);
        check("12:30:01 a.rs", None);
        check("see https://a.b/c:12: x", None);
        check("listening on port: 12", None);
        check("", None);
    }
}
