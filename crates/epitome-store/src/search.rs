//! Finding words again: what a query matches, and the line that is shown for it.

use regex::{Regex, RegexBuilder};

use crate::store::{Query, StoreError};

/// A query that can be asked of words.
pub(crate) enum Matcher {
    /// Folded, and not empty.
    Literal(String),
    /// An empty literal.
    Nothing,
    /// Compiled.
    Pattern(Regex),
}

/// An excerpt has so many characters at most.
pub(crate) const EXCERPT: usize = 200;

/// So many pieces of a literal are enough to leave out what does not match.
const TRIGRAMS_AT_MOST: usize = 32;

impl Matcher {
    /// Reads a query.
    pub(crate) fn new(query: &Query) -> Result<Matcher, StoreError> {
        match query {
            Query::Literal(literal) if literal.is_empty() => Ok(Matcher::Nothing),
            Query::Literal(literal) => Ok(Matcher::Literal(fold(literal))),
            Query::Pattern(pattern) => RegexBuilder::new(pattern)
                .multi_line(true)
                .build()
                .map(Matcher::Pattern)
                .map_err(|error| StoreError::BadPattern { what: error.to_string() }),
        }
    }

    /// The line of the first hit, shortened around it; `None` if there is no hit.
    pub(crate) fn excerpt(&self, words: &str) -> Option<String> {
        let (start, end) = match self {
            Matcher::Literal(literal) => find_folded(words, literal)?,
            Matcher::Nothing => return None,
            Matcher::Pattern(pattern) => pattern.find(words).map(|hit| (hit.start(), hit.end()))?,
        };
        Some(excerpt(words, start, end))
    }

    /// Pieces of three characters, as [`indexed`] has them, that all stand in whatever matches; `None` if there are none,
    /// so that everything has to be read.
    pub(crate) fn trigrams(&self) -> Option<Vec<String>> {
        let literal = match self {
            Matcher::Literal(literal) => indexed(literal),
            Matcher::Nothing | Matcher::Pattern(_) => return None,
        };
        let characters: Vec<char> = literal.chars().collect();
        let mut trigrams: Vec<String> = characters.windows(3).map(|three| three.iter().collect()).collect();
        trigrams.sort();
        trigrams.dedup();
        trigrams.truncate(TRIGRAMS_AT_MOST);
        (!trigrams.is_empty()).then_some(trigrams)
    }
}

/// Words as an index of trigrams gets them: folded, and without the character that indexes skip.
pub(crate) fn indexed(words: &str) -> String {
    fold(words).replace('\0', "\u{fffd}")
}

/// One case for all: a letter for a letter, so that places stay the same.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().map(fold_letter).collect()
}

fn fold_letter(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    // By way of the capital: ſ and s, ς and σ, µ and μ are the same letter.
    lower(only(letter.to_uppercase()).unwrap_or(letter))
}

fn lower(letter: char) -> char {
    only(letter.to_lowercase()).unwrap_or(letter)
}

/// `None` for what is several letters in the other case, like ß.
fn only(mut letters: impl Iterator<Item = char>) -> Option<char> {
    letters.next().filter(|_| letters.next().is_none())
}

/// Where `folded` stands in `words`, in bytes of `words`.
fn find_folded(words: &str, folded: &str) -> Option<(usize, usize)> {
    let all = fold(words);
    let at = all.find(folded)?;
    if words.is_ascii() {
        return Some((at, at + folded.len()));
    }
    // Folding changes the number of bytes, and never that of characters.
    let mut places = words.char_indices().map(|(place, _)| place).skip(all[..at].chars().count());
    let start = places.next().unwrap_or(words.len());
    let end = places.nth(folded.chars().count() - 1).unwrap_or(words.len());
    Some((start, end))
}

fn excerpt(words: &str, start: usize, end: usize) -> String {
    // A hit that begins with the end of a line is shown on the next.
    let hit = words[start..end].trim_start_matches(ends_line);
    let start = if hit.is_empty() { start } else { end - hit.len() };
    let line_start = words[..start].rfind(ends_line).map_or(0, |at| at + 1);
    let line_end = words[start..].find(ends_line).map_or(words.len(), |at| start + at);
    let hit_end = end.clamp(start, line_end);

    let hit_length = words[start..hit_end].chars().count().min(EXCERPT);
    let before = words[line_start..start].chars().rev().take(EXCERPT + 1).count();
    let after = words[start..line_end].chars().take(2 * EXCERPT + 1).count();
    let (skipped_before, cut_after, shown_before) = if before + after <= EXCERPT {
        (false, false, before)
    } else {
        // A mark at each end, and what room is left divided, or given to the side that has more.
        let room = (EXCERPT - 2).saturating_sub(hit_length);
        let behind = after - hit_length.min(after);
        let shown_before = before.min((room / 2).max(room.saturating_sub(behind)));
        (shown_before < before, shown_before + after > EXCERPT - 2, shown_before)
    };
    let first = words[line_start..start]
        .char_indices()
        .rev()
        .take(shown_before)
        .last()
        .map_or(start, |(at, _)| line_start + at);
    let marks = usize::from(skipped_before) + usize::from(cut_after);
    let shown = words[first..line_end].chars().take(EXCERPT - marks).map(printable);
    let mark = |cut: bool| cut.then_some('…');
    mark(skipped_before).into_iter().chain(shown).chain(mark(cut_after)).collect()
}

fn ends_line(character: char) -> bool {
    matches!(character, '\n' | '\r')
}

/// One line stays one line, and a terminal is not told anything.
fn printable(character: char) -> char {
    let breaks = character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    if breaks { ' ' } else { character }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(words: &str, literal: &str, expected: Option<&str>) {
        let matcher = Matcher::new(&Query::Literal(literal.to_owned())).unwrap();
        assert_eq!(matcher.excerpt(words).as_deref(), expected);
    }

    #[track_caller]
    fn check_pattern(words: &str, pattern: &str, expected: Option<&str>) {
        let matcher = Matcher::new(&Query::Pattern(pattern.to_owned())).unwrap();
        assert_eq!(matcher.excerpt(words).as_deref(), expected);
    }

    #[test]
    fn a_literal_is_these_very_characters_in_any_case() {
        check("one\nTwo-Three OR \"four\"\nfive", "two-three or \"FOUR\"", Some("Two-Three OR \"four\""));
        check("a.c", "abc", None);
        check("STRASSE ẞ", "ß", Some("STRASSE ẞ"));
        check("Ὀδυσσεύς", "ὀδυσσεύσ", Some("Ὀδυσσεύς"));
        check("İstanbul 東京 🦀", "京 🦀", Some("İstanbul 東京 🦀"));
        check("anything", "", None);
        check("", "x", None);
    }

    #[test]
    fn a_pattern_is_a_pattern() {
        check_pattern("one\ntwo 42\n", r"^t\w+ \d+$", Some("two 42"));
        check_pattern("one", "ONE", None);
        check_pattern("one", "(?i)ONE", Some("one"));
        check_pattern("one", "", Some("one"));
        check_pattern("", "^$", Some(""));
        assert!(matches!(Matcher::new(&Query::Pattern("(".to_owned())), Err(StoreError::BadPattern { .. })));
    }

    #[test]
    fn an_excerpt_is_one_line_around_the_hit() {
        check("before\r\nthe hit\r\nbehind", "hit", Some("the hit"));
        check("before\nthe\nhit", "\nthe\n", Some("the"));
        check("a\tb\u{1b}[31m\u{2028}c", "b", Some("a b [31m c"));
        check("\n\n", "\n", Some(""));
        let long = format!("{}needle{}", "é".repeat(1_000), "ü".repeat(1_000));
        check(&long, "NEEDLE", Some(&format!("…{}needle{}…", "é".repeat(96), "ü".repeat(96))));
        let early = format!("xneedle{}", "ü".repeat(1_000));
        check(&early, "needle", Some(&format!("xneedle{}…", "ü".repeat(192))));
        let late = format!("{}needley", "é".repeat(1_000));
        check(&late, "needle", Some(&format!("…{}needley", "é".repeat(191))));
        check(&"n".repeat(500), &"n".repeat(400), Some(&format!("{}…", "n".repeat(199))));
    }

    proptest! {
        #[test]
        fn every_part_of_a_text_is_found(text in "\\PC{1,40}(\n\\PC{0,300})?", from in 0usize..40, length in 1usize..20) {
            let part: String = text.chars().skip(from).take(length).collect();
            prop_assume!(!part.is_empty());
            for literal in [part.clone(), part.chars().map(|c| only(c.to_uppercase()).unwrap_or(c)).collect()] {
                let matcher = Matcher::new(&Query::Literal(literal)).unwrap();
                let excerpt = matcher.excerpt(&text);
                prop_assert!(excerpt.is_some_and(|line| line.chars().count() <= EXCERPT));
                let index = indexed(&text);
                for trigram in matcher.trigrams().unwrap_or_default() {
                    prop_assert!(index.contains(&trigram));
                }
            }
        }
    }
}
