//! What the agent is looking for now, and where it is spoken of in an output.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aho_corasick::AhoCorasick;
use xxhash_rust::xxh3::xxh3_64;

/// What the agent is looking for now. A digest keeps what matches.
#[derive(Clone, Default)]
pub struct Interest {
    /// Words, lower case, in order.
    terms: Vec<String>,
    /// Words that stood side by side.
    pairs: Vec<(usize, usize)>,
    finder: Option<AhoCorasick>,
    /// Lines of what it edits, by their hash: what it works on.
    worked_on: BTreeSet<u64>,
}

/// Words that say nothing of what is looked for.
const EVERYDAY: &[&str] = &[
    "about", "after", "again", "also", "and", "any", "are", "been", "before", "but", "can", "check", "could", "did",
    "does", "done", "file", "files", "find", "first", "fix", "for", "from", "get", "give", "good", "had", "has",
    "have", "here", "how", "into", "its", "just", "last", "let", "like", "line", "lines", "list", "look", "looks",
    "make", "more", "much", "need", "next", "not", "now", "off", "one", "only", "other", "our", "out", "output",
    "over", "please", "run", "see", "should", "show", "some", "step", "still", "sure", "tell", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "time", "use", "used", "using", "very", "want", "was",
    "well", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "work", "would", "you",
    "your",
];
/// More words than this are no longer a question.
const TERMS_AT_MOST: usize = 200;
/// A shorter word behind a point is an ending.
const SHORTEST_LAST: usize = 5;
/// Between two words that stand side by side are no more bytes.
const PARTED: usize = 3;
/// A line shorter than this stands in too many places.
const SHORTEST_WORKED_ON: usize = 8;

impl Interest {
    /// The words of a text that are worth looking for.
    pub fn in_text(text: &str) -> Interest {
        Interest::in_texts([text])
    }

    /// The words of several texts, the most important text first.
    pub fn in_texts<'text>(texts: impl IntoIterator<Item = &'text str>) -> Interest {
        let mut terms: Vec<String> = Vec::new();
        let mut pairs = BTreeSet::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        'texts: for text in texts {
            let mut before = None;
            for word in words(text).flat_map(with_last) {
                let next = terms.len();
                let term = *known.entry(word.clone()).or_insert(next);
                if term == next {
                    if next == TERMS_AT_MOST {
                        break 'texts;
                    }
                    terms.push(word);
                }
                pairs.extend(before.map(|before| (before, term)));
                before = Some(term);
            }
        }
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(&terms);
        let finder = finder.ok().filter(|_| !terms.is_empty());
        Interest { finder, terms, pairs: pairs.into_iter().collect(), worked_on: BTreeSet::new() }
    }

    /// The same, for an agent that works on these lines.
    #[must_use]
    pub fn working_on<'text>(mut self, texts: impl IntoIterator<Item = &'text str>) -> Interest {
        let lines = texts.into_iter().flat_map(str::lines).map(str::trim);
        self.worked_on.extend(lines.filter(|line| line.len() >= SHORTEST_WORKED_ON).map(line_hash));
        self
    }

    /// Whether a term is a name, and not also a word of a sentence. Two words side by side are as telling as a name.
    pub(super) fn is_name(&self, term: usize) -> bool {
        let named = |word: &String| word.contains(|c: char| c.is_ascii_digit() || matches!(c, '_' | '/' | '-' | '.'));
        self.terms.get(term).is_none_or(named)
    }

    /// Nothing in particular.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.worked_on.is_empty()
    }

    /// Whether a line is about it.
    pub fn matches(&self, line: &str) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.is_match(line))
    }

    /// Whether `name` is one of the words.
    pub fn names(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.terms.contains(&name)
    }

    /// Whether the agent edits this line.
    pub fn works_on(&self, line: &str) -> bool {
        !self.worked_on.is_empty() && self.worked_on.contains(&line_hash(line.trim()))
    }

    /// Where whole words stand in a text, in order.
    pub fn hits<'text>(&'text self, text: &'text str) -> impl Iterator<Item = Hit> + 'text {
        let bytes = text.as_bytes();
        let is_word =
            |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric());
        let finder = self.finder.iter();
        finder.flat_map(move |finder| finder.find_iter(text)).filter_map(move |found| {
            let whole = !is_word(found.start().checked_sub(1)) && !is_word(Some(found.end()));
            whole.then(|| Hit { at: found.start(), term: found.pattern().as_usize() })
        })
    }

    /// The same, and where two words stand side by side that do so in what is looked for: those are terms of their own.
    pub(super) fn hits_and_pairs<'text>(&'text self, text: &'text str) -> impl Iterator<Item = Hit> + 'text {
        let mut before: Option<Hit> = None;
        self.hits(text).flat_map(move |hit| {
            let pair = before.and_then(|before| {
                let end = before.at + self.terms.get(before.term)?.len();
                let gap = text.get(end..hit.at).filter(|gap| gap.len() <= PARTED && !gap.contains('\n'))?;
                let pair = self.pairs.binary_search(&(before.term, hit.term)).ok()?;
                let beside = !gap.contains(char::is_alphanumeric);
                beside.then_some(Hit { at: before.at, term: self.terms.len() + pair })
            });
            before = Some(hit);
            pair.into_iter().chain([hit])
        })
    }
}

/// A word of the interest, found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    /// Byte offset.
    pub at: usize,
    /// Which term.
    pub term: usize,
}

impl fmt::Debug for Interest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Interest").field("terms", &self.terms).finish_non_exhaustive()
    }
}

impl PartialEq for Interest {
    fn eq(&self, other: &Interest) -> bool {
        (&self.terms, &self.worked_on) == (&other.terms, &other.worked_on)
    }
}

fn line_hash(line: &str) -> u64 {
    xxh3_64(line.as_bytes())
}

/// A name, and what stands behind its last point: `Washer.start` is `start` where it is defined.
fn with_last(word: String) -> impl Iterator<Item = String> {
    let last = word.rsplit(['.', ':']).next().filter(|last| last.len() < word.len());
    let last = last.filter(|last| last.len() >= SHORTEST_LAST && last.contains(char::is_alphabetic)).map(str::to_owned);
    [word].into_iter().chain(last)
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':')));
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '/'));
    // Longer ones are hashes and encoded data, not words that somebody looks for.
    let words = words.filter(|word| (3..=80).contains(&word.len())).map(str::to_lowercase);
    words.filter(|word| EVERYDAY.binary_search(&word.as_str()).is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_are_sorted_and_not_looked_for() {
        assert!(EVERYDAY.is_sorted());
        assert_eq!(Interest::in_text("What is the value of pool_size?").terms, ["value", "pool_size"]);
    }

    #[test]
    fn whole_words_are_found_in_any_case() {
        let interest = Interest::in_text("pool_size web-07");
        let at = |text: &str| interest.hits(text).map(|hit| hit.at).collect::<Vec<_>>();
        assert_eq!(at("DEBUG POOL_SIZE=7 on web-07"), [6, 21]);
        assert_eq!(at("web-077"), Vec::<usize>::new());
    }

    #[test]
    fn two_words_side_by_side_are_a_term_of_their_own() {
        let interest = Interest::in_text("How long did \"dispatch account\" take?");
        let names = |text: &str| interest.hits_and_pairs(text).filter(|hit| interest.is_name(hit.term)).count();
        assert_eq!(names("dispatch account: 4 ms, Dispatch_Account"), 2);
        assert_eq!(names("dispatch an account, account dispatch, dispatch\naccount"), 0);
    }
}
