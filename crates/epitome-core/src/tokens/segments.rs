//! A text in segments that are counted one by one, so that counting takes time in proportion to the text.
//!
//! The vocabulary's own pattern splits a text into words, but a megabyte of one letter is one word, and merging the parts of
//! a word takes more than twice as long if it is twice as long. A cut at a break that the pattern makes itself changes
//! no count; text without such a break is cut where it is, which may cost a token.

/// A segment ends at the last break within so many bytes …
const SHORT: usize = 768;
/// … or, where there is none, within so many, or there. Every power of two up to 1,024 and three times it divide this
/// number: runs of one character are tokens of such lengths, digits are tokens of three.
pub(super) const LONG: usize = 3 * 1024;

/// `text` in pieces of [`LONG`] bytes at most.
pub(super) fn segments(text: &str) -> impl Iterator<Item = &str> {
    segments_within(text, SHORT, LONG)
}

fn segments_within(text: &str, short: usize, long: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (segment, behind) = rest.split_at_checked(segment_end(rest, short, long))?;
        rest = behind;
        Some(segment).filter(|segment| !segment.is_empty())
    })
}

fn segment_end(text: &str, short: usize, long: usize) -> usize {
    if text.len() <= short {
        return text.len();
    }
    let at_break = last_break(text, short);
    if text.len() <= long {
        return at_break.unwrap_or(text.len());
    }
    at_break.or_else(|| last_break(text, long)).unwrap_or_else(|| text.floor_char_boundary(long))
}

/// The last place up to `within` where no word of the vocabulary's pattern reaches over.
fn last_break(text: &str, within: usize) -> Option<usize> {
    let head = text.get(..text.floor_char_boundary(within))?;
    let mut after = text.get(head.len()..)?.chars().next()?;
    for (at, before) in head.char_indices().rev() {
        if is_break(before, after) {
            return Some(at + before.len_utf8());
        }
        after = before;
    }
    None
}

/// Whether every word that ends with `before` ends there, whatever stands before it, if `after` follows.
///
/// Words of `o200k_base` are letters with one character before them and a `'s` or its like behind; up to three digits;
/// punctuation with a space before it and line ends behind; white space.
fn is_break(before: char, after: char) -> bool {
    match after {
        '\r' | '\n' => before.is_ascii_alphanumeric(),
        _ if after.is_whitespace() => !before.is_whitespace(),
        '0'..='9' => before.is_ascii_alphabetic(),
        'a'..='z' | 'A'..='Z' => before.is_ascii_digit(),
        _ => is_surely_punctuation(after) && (before.is_ascii_alphanumeric() || is_surely_letter(before)),
    }
}

/// Punctuation of which texts without spaces are full. Not `'`, which may belong to the word before it.
fn is_surely_punctuation(character: char) -> bool {
    match character {
        '\'' => false,
        '\u{2010}'..='\u{2027}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' => true,
        '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' => true,
        _ => character.is_ascii_punctuation(),
    }
}

/// Kana, Chinese characters and Korean syllables: the letters of texts without spaces.
fn is_surely_letter(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counted<'text>(segments: impl Iterator<Item = &'text str>) -> usize {
        let vocabulary = tiktoken::get_encoding("o200k_base").unwrap();
        segments.map(|segment| vocabulary.count(segment)).sum()
    }

    #[test]
    fn no_segment_is_longer_than_the_limit() {
        for text in ["a", "中", " ", "\u{a0}", "=-", "aB", "🚀", "x y", "\n", "a\n", "//\n", "1"] {
            let text = text.repeat(10_000);
            assert!(segments(&text).all(|segment| (1..=LONG).contains(&segment.len())), "{text:.10}");
            assert_eq!(segments(&text).collect::<String>(), text);
        }
        assert_eq!(segments("").count(), 0);
    }

    #[test]
    fn a_text_with_breaks_is_cut_at_breaks_alone() {
        let text = "The file a.rs was read, and nothing in it's wrong.\n".repeat(100);
        assert!(segments(&text).all(|segment| segment.len() <= SHORT));
        assert_eq!(counted(segments(&text)), counted(std::iter::once(&*text)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        /// With no limit but the breaks, every cut is one that the vocabulary's pattern makes, too.
        #[test]
        fn a_cut_at_a_break_changes_no_count(
            text in "\\PC{0,40}|[ -~\t\r\n]{0,60}|[a-cA-C'sterv/!.\r\n 0-9]{0,60}|[你好ねこ。、！（ 　\u{a0}\u{300}\r\n/a1'éßЖǅ٣²]{0,60}",
        ) {
            prop_assert_eq!(counted(segments_within(&text, 1, usize::MAX)), counted(std::iter::once(&*text)), "{:?}", text);
            prop_assert_eq!(counted(segments_within(&text, 8, usize::MAX)), counted(std::iter::once(&*text)), "{:?}", text);
        }
    }
}
