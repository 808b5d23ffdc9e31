//! Sentences: which of them decide, explain or count something, and which are rare enough in a text to be always shown.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Words of sentences that decide something or give it to somebody, in some languages.
const DECIDING: &[&str] = &[
    "decided",
    "agreed",
    "decision:",
    "concluded",
    "root cause",
    "must ",
    "deadline",
    "action item",
    "action:",
    "owner:",
    "due ",
    "- [ ]",
    "verdict",
    "we will ",
    "vote:",
    "vote :",
    "warning:",
    "attention",
    "do not ",
    "beschluss",
    "beschlossen",
    "entschieden",
    "aufgabe",
    "frist ",
    "achtung",
    "wichtig",
    "décid",
    "décision",
    "échéance",
    "important :",
    "decidi",
    "decisión",
    "decisão",
    "acuerdo",
    "tarea",
    "plazo",
    "atenci",
    "deciso",
    "scadenza",
];
/// Words of sentences that say how something came out, or why.
const EXPLAINING: &[&str] = &[
    "decision",
    "conclusion",
    "summary",
    "result",
    "recommend",
    "because",
    "important",
    "todo",
    "next step",
    "blocked",
    "breaking",
    "instead of",
    "fixed",
    "total",
];
const MONTHS: &[&str] = &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// So many sentences that decide are what a text is about; more are its style.
const RARE: usize = 5;
/// Rare is also what one of so many sentences does.
const ONE_OF: usize = 10;

/// What stands out in a text: the few sentences that decide something, or have figures where the others have none.
pub(super) struct Marked {
    decisions: bool,
    figures: bool,
}

impl Marked {
    /// Looks at all lines of a text.
    pub(super) fn of<'text>(lines: impl Iterator<Item = &'text str>) -> Marked {
        let (mut all, mut deciding, mut counting) = (0, 0, 0);
        for sentence in lines.flat_map(sentences) {
            all += 1;
            deciding += usize::from(decides(sentence));
            counting += usize::from(counts(sentence));
        }
        let rare = |some: usize| some <= RARE && some * ONE_OF <= all;
        Marked { decisions: rare(deciding), figures: rare(counting) }
    }

    /// Whether one of the sentences of a line stands out.
    pub(super) fn is_telling(&self, line: &str) -> bool {
        sentences(line).any(|sentence| self.stands_out(sentence))
    }

    /// The sentences of a paragraph that stand out.
    pub(super) fn excerpt(&self, line: &str) -> Option<String> {
        let mut excerpt = String::new();
        let mut gap = false;
        for sentence in sentences(line) {
            let stands_out = self.stands_out(sentence);
            if stands_out {
                excerpt.push_str(if gap { "[…] " } else { "" });
                excerpt.push_str(sentence);
                excerpt.push(' ');
            }
            gap = !stands_out;
        }
        excerpt.push_str(if gap { "[…]" } else { "" });
        (!excerpt.is_empty()).then(|| excerpt.trim_end().to_owned())
    }

    fn stands_out(&self, sentence: &str) -> bool {
        (self.decisions && decides(sentence)) || (self.figures && counts(sentence))
    }
}

/// The sentences of a line.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        let end = loop {
            let Some(stop) = rest.get(from..).and_then(|more| more.find(['.', '!', '?'])) else { break rest.len() };
            let behind = from + stop + 1;
            // `v1.2`, `z. B.`, `14. Januar`: a stop ends a sentence before a space and a capital, behind a word.
            let next = rest.get(behind..).unwrap_or_default();
            let word = rest.get(..behind - 1).and_then(|before| before.rsplit(' ').next()).unwrap_or_default();
            let ends = next.is_empty()
                || next.starts_with(' ')
                    && next.trim_start().starts_with(|c: char| !c.is_lowercase())
                    && word.chars().count() > 2;
            if ends {
                break behind;
            }
            from = behind;
        };
        let sentence = rest.get(..end).unwrap_or(rest);
        rest = rest.get(end..).unwrap_or_default().trim_start();
        Some(sentence.trim())
    })
}

/// Whether a sentence decides something, or gives it to somebody.
pub(super) fn decides(line: &str) -> bool {
    let required = ["MUST ", "SHALL ", "REQUIRED"].iter().any(|word| line.contains(word));
    required || DECISIONS.as_ref().is_some_and(|words| words.is_match(line)) || is_dated(&line.to_lowercase())
}

/// Whether it says how something came out, or why.
pub(super) fn explains(line: &str) -> bool {
    EXPLANATIONS.as_ref().is_some_and(|words| words.is_match(line))
}

/// Finds any of many words in one pass.
type Words = LazyLock<Option<AhoCorasick>>;
static DECISIONS: Words = LazyLock::new(|| any_of(DECIDING));
static EXPLANATIONS: Words = LazyLock::new(|| any_of(EXPLAINING));

fn any_of(words: &[&str]) -> Option<AhoCorasick> {
    AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok()
}

/// `2025-09-15`, `15 september`, `sep 15`.
fn is_dated(line: &str) -> bool {
    let mut before = "";
    line.split_whitespace().any(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_day = |word: &str| word.len() <= 4 && word.starts_with(|c: char| c.is_ascii_digit());
        let is_month = |word: &str| {
            word.get(..3).is_some_and(|start| MONTHS.contains(&start))
                && word.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        let shape = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
        let iso = word.len() >= 10 && word.bytes().take(10).map(shape).eq(*b"0000-00-00");
        let spelled = is_month(word) && is_day(before) || is_day(word) && is_month(before) && before != "may";
        before = word;
        iso || spelled
    })
}

/// Whether a line has numbers that are not those of a list.
pub(super) fn counts(line: &str) -> bool {
    line.split_whitespace().skip(1).any(|word| word.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_a_stop_before_a_capital() {
        let all = |line| sentences(line).collect::<Vec<_>>();
        assert_eq!(all("It is v1.2. It works! Does it? yes"), ["It is v1.2.", "It works!", "Does it? yes"]);
        assert_eq!(all("Am 14. Januar, z. B. heute."), ["Am 14. Januar, z. B. heute."]);
        assert_eq!(all(""), [""; 0]);
        assert_eq!(all("…. .. ."), ["…. .. ."]);
    }

    #[test]
    fn the_rare_sentence_stands_out() {
        let plain = "Everything went as usual. Nobody had anything to add. ".repeat(10);
        let line = format!("{plain}The bill comes to 92,830 euros. {plain}");
        let marked = Marked::of(line.lines());
        assert!(marked.is_telling(&line) && !marked.is_telling(&plain));
        assert_eq!(marked.excerpt(&line).as_deref(), Some("[…] The bill comes to 92,830 euros. […]"));
        let figures = "There were 12 of 40 on day 3. ".repeat(10);
        assert!(!Marked::of(figures.lines()).is_telling(&figures), "figures in every sentence are its style");
    }
}
