//! Finding lines in long texts without looking at every line.

use std::collections::HashSet;

use memchr::{memchr, memmem, memrchr};
use xxhash_rust::xxh3::xxh3_64;

/// The line that holds the byte at `at`, without its end.
pub fn line_around(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes();
    let before = bytes.get(..at).unwrap_or(bytes);
    let start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let rest = bytes.get(start..).unwrap_or_default();
    let end = memchr(b'\n', rest).map_or(text.len(), |newline| start + newline);
    text.get(start..end).unwrap_or_default()
}

/// The first `limit` lines that hold one of `needles`, in the order of the text.
pub fn lines_with<'text>(text: &'text str, needles: &[&str], limit: usize) -> Vec<&'text str> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for needle in needles {
        let mut from = 0;
        let mut hits = 0;
        while let Some(at) = text.as_bytes().get(from..).and_then(|rest| memmem::find(rest, needle.as_bytes())) {
            let line = line_around(text, from + at);
            let start = line.as_ptr() as usize - text.as_ptr() as usize;
            found.push((start, line));
            hits += 1;
            if hits == limit {
                break;
            }
            from = start + line.len();
        }
    }
    found.sort_unstable_by_key(|(start, _)| *start);
    found.dedup_by_key(|(start, _)| *start);
    found.into_iter().take(limit).map(|(_, line)| line).collect()
}

/// How many bytes of each text are in lines that come neither later in it nor in a later text.
pub fn distinct_bytes<'text>(texts: impl DoubleEndedIterator<Item = &'text str>) -> Vec<usize> {
    let mut seen = HashSet::new();
    let distinct = texts.rev().map(|text| {
        let new = text.lines().rev().filter(|line| seen.insert(xxh3_64(line.trim().as_bytes())));
        new.map(|line| line.len() + 1).sum()
    });
    let mut distinct: Vec<usize> = distinct.collect();
    distinct.reverse();
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_around_a_byte_is_found() {
        let text = "one\ntwo\n\nfour";
        let lines: Vec<&str> = (0..text.len()).map(|at| line_around(text, at)).collect();
        assert_eq!(lines[0], "one");
        assert_eq!(lines[5], "two");
        assert_eq!(lines[8], "");
        assert_eq!(lines[12], "four");
    }

    #[test]
    fn repeated_lines_count_where_they_stand_last() {
        assert_eq!(distinct_bytes(["a\nb\na", " a\nccc"].into_iter()), [2, 7]);
    }

    #[test]
    fn lines_are_found_once_and_in_order() {
        let text = "b a\nnothing\na b a\nb\na";
        assert_eq!(lines_with(text, &["a", "b"], 3), ["b a", "a b a", "b"]);
        assert_eq!(lines_with(text, &["x"], 3), Vec::<&str>::new());
        assert_eq!(lines_with("", &["x"], 3), Vec::<&str>::new());
    }
}
