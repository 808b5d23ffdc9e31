//! What the agent says in plain words that will be needed: causes, choices, findings, values, and what comes next.

mod cues;

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use cues::{AHEAD, AS_ASKED, CUES};

use crate::summary::requests::{self, sentences};

/// What a sentence is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    /// A cause, a choice or a finding.
    Decision,
    /// A number with its unit, a port, a version, an address.
    Value,
    /// What the person asked for, said again by the agent.
    Constraint,
}

/// A whole sentence, and how much it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Statement<'text> {
    pub(super) about: About,
    pub(super) weight: u8,
    pub(super) sentence: &'text str,
}

/// From this weight on a sentence is worth more than most.
pub(super) const WEIGHTY: u8 = 4;
/// Below this weight it says nothing.
const WORTH_SAYING: u8 = 2;
const SHORTEST: usize = 20;
const LONGEST: usize = 420;

static FINDERS: LazyLock<Finders> = LazyLock::new(|| {
    let finder = |words: Vec<&str>| {
        let mut builder = AhoCorasick::builder();
        // Every sentence of a transcript is looked through: the fastest kind, although it is the largest.
        builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest).kind(Some(AhoCorasickKind::DFA));
        builder.build(words).expect("a short list of words")
    };
    Finders {
        cues: finder(CUES.iter().map(|(cue, _)| *cue).collect()),
        as_asked: finder(AS_ASKED.to_vec()),
        ahead: finder(AHEAD.to_vec()),
    }
});

struct Finders {
    cues: AhoCorasick,
    as_asked: AhoCorasick,
    ahead: AhoCorasick,
}

/// The sentences of an agent's words that are worth keeping, in order.
pub(super) fn statements(text: &str) -> Vec<Statement<'_>> {
    prose(text).flat_map(sentences).filter_map(|sentence| weigh(tidy(sentence))).collect()
}

/// How much a sentence says that an earlier summary kept; `None` if it was not kept for that.
pub(super) fn weight(sentence: &str) -> Option<u8> {
    weigh(tidy(sentence)).map(|statement| statement.weight)
}

/// The sentences that speak of what comes next.
pub(super) fn ahead(text: &str) -> impl Iterator<Item = &str> {
    let sentences = prose(text).flat_map(sentences).map(tidy);
    sentences.filter(|sentence| is_sentence(sentence) && has_word(&FINDERS.ahead, sentence))
}

/// The first sentences that say something, as many as fit into `chars`; the first is cut if it does not.
pub(super) fn first_sentences(text: &str, chars: usize) -> String {
    join(telling(text), chars)
}

/// The same without those that are kept for what they say.
pub(super) fn other_sentences(text: &str, kept: &[Statement<'_>], chars: usize) -> String {
    let is_kept = |sentence: &str| kept.iter().any(|kept| kept.sentence == tidy(sentence));
    join(telling(text).filter(|sentence| !is_kept(sentence)), chars)
}

/// The same without those that speak of what comes next.
pub(super) fn first_of_now(text: &str, chars: usize) -> String {
    join(telling(text).filter(|sentence| !has_word(&FINDERS.ahead, sentence)), chars)
}

/// Whether a sentence names something: a file, a function, a number.
pub(super) fn names_something(sentence: &str) -> bool {
    has_name(sentence) || has_value(sentence)
}

fn has_name(sentence: &str) -> bool {
    memchr::memchr3(b'`', b'/', b'_', sentence.as_bytes()).is_some() || sentence.contains("()")
}

fn telling(text: &str) -> impl Iterator<Item = &str> {
    let lines = prose(text).filter(|line| !line.trim_start().starts_with('#'));
    let sentences = lines.flat_map(sentences).map(str::trim);
    // What ends with a colon says that something follows, which is not told here.
    sentences.filter(|sentence| !sentence.is_empty() && !sentence.ends_with([':', '：']) && !is_chatter(sentence))
}

/// Applause, and what is about to be done: that is seen in what was done.
fn is_chatter(sentence: &str) -> bool {
    let opens = |openings: &[&str]| openings.iter().any(|opening| sentence.starts_with(opening));
    let applause = sentence.ends_with('!') && sentence.len() < 40;
    applause || opens(&["Let me ", "Now let me ", "Now let's ", "Let's ", "First, let me "])
}

/// Whether the agent says what it is about to do this moment.
pub(super) fn intends(sentence: &str) -> bool {
    let sentence = tidy(sentence);
    let openings = [
        "Now I'll ",
        "Now I will ",
        "I'll ",
        "I will now ",
        "Next, let me ",
        "Then let me ",
        "OK, let me ",
        "Good, let me ",
    ];
    is_chatter(sentence)
        || openings.iter().any(|opening| sentence.starts_with(opening))
        || sentence.len() < 160 && (sentence.contains(" let me ") || sentence.contains(" Let me "))
}

fn join<'text>(sentences: impl Iterator<Item = &'text str>, chars: usize) -> String {
    let mut said = String::new();
    for sentence in sentences {
        if !said.is_empty() && said.chars().count() + sentence.chars().count() >= chars {
            break;
        }
        if !said.is_empty() {
            said.push(' ');
        }
        said.push_str(sentence);
    }
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::outputs::cut_to_chars(&words, chars)
}

/// Lines that are neither code nor parts of a table.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let line = line.trim_start();
        let fences = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= fences;
        !in_code && !fences && !line.starts_with('|')
    })
}

/// Without the marks of a list or a heading in front.
fn tidy(sentence: &str) -> &str {
    let sentence = sentence.trim().trim_start_matches('#').trim_start();
    let listed = ["- ", "* ", "• ", "> "].iter().find_map(|mark| sentence.strip_prefix(mark));
    let sentence = listed.unwrap_or(sentence).trim_start();
    let digits = sentence.chars().take_while(char::is_ascii_digit).count();
    let numbered = sentence.get(digits..).and_then(|rest| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")));
    numbered.filter(|_| (1..=2).contains(&digits)).unwrap_or(sentence)
}

fn is_sentence(sentence: &str) -> bool {
    let bytes = sentence.len();
    bytes >= SHORTEST && (bytes <= LONGEST || bytes <= 3 * LONGEST && sentence.chars().nth(LONGEST).is_none())
}

fn weigh(sentence: &str) -> Option<Statement<'_>> {
    /// Fewer words say nothing alone; scripts without blanks are told by their bytes.
    const FEWEST_WORDS: usize = 5;
    let short = || sentence.split_whitespace().nth(FEWEST_WORDS - 1).is_none() && sentence.is_ascii();
    if !is_sentence(sentence) || sentence.ends_with([':', '?', '：', '？']) || short() {
        return None;
    }
    if has_word(&FINDERS.as_asked, sentence) && requests::demand(sentence).is_some() {
        return Some(Statement { about: About::Constraint, weight: WEIGHTY, sentence });
    }
    let cues = words(&FINDERS.cues, sentence).filter_map(|cue| CUES.get(cue)).map(|(_, weight)| *weight).take(3);
    let cues: u8 = cues.sum();
    let has_value = has_value(sentence);
    let (values, names) = (u8::from(has_value), u8::from(has_value || has_name(sentence)));
    let intends = is_chatter(sentence) || ["Now I", "I'll "].iter().any(|opening| sentence.starts_with(opening));
    let weight = (cues + values + names).saturating_sub(2 * u8::from(intends));
    match (cues >= 2 && weight >= WORTH_SAYING, values > 0 && weight >= WORTH_SAYING) {
        (true, _) => Some(Statement { about: About::Decision, weight, sentence }),
        (false, true) => Some(Statement { about: About::Value, weight, sentence }),
        (false, false) => None,
    }
}

fn has_word(finder: &AhoCorasick, sentence: &str) -> bool {
    words(finder, sentence).next().is_some()
}

/// Which words stand in a sentence, as whole words where the script has blanks.
fn words<'text>(finder: &'text AhoCorasick, sentence: &'text str) -> impl Iterator<Item = usize> + 'text {
    let hits = finder.find_iter(sentence).filter(|hit| {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && c < '\u{2e80}');
        let inner = sentence.get(hit.range()).unwrap_or_default();
        let before = sentence.get(..hit.start()).and_then(|text| text.chars().next_back());
        let after = sentence.get(hit.end()..).and_then(|text| text.chars().next());
        !is_word(before) && (!is_word(after) || inner.ends_with([' ', ':']))
    });
    hits.map(|hit| hit.pattern().as_usize())
}

/// Whether a sentence holds a number with its unit, a port, a version or an address.
fn has_value(sentence: &str) -> bool {
    const UNITS: &[&str] = &[
        "%", "ms", "s", "sec", "seconds", "min", "minutes", "h", "hours", "days", "kb", "mb", "gb", "tb", "kib", "mib",
        "gib", "px", "x", "×", "tokens", "bytes", "lines", "tests", "files", "rows", "requests", "errors", "kbps",
        "hz",
    ];
    const NAMED: &[&str] = &["port", "version", "timeout", "limit", "budget", "threshold", "pr", "issue", "commit"];
    if !sentence.bytes().any(|byte| byte.is_ascii_digit()) && !sentence.contains("http") {
        return false;
    }
    let mut before = "";
    for word in sentence.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
        if bare.starts_with("http://") || bare.starts_with("https://") || bare.starts_with("localhost:") {
            return true;
        }
        let digits = bare.trim_start_matches(['v', 'V']);
        let number =
            digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',').len();
        if number > 0 {
            let unit = digits.get(number..).unwrap_or_default().to_lowercase();
            let version = unit.is_empty() && digits.split('.').filter(|part| !part.is_empty()).count() >= 2;
            let named = NAMED.contains(&before.to_lowercase().trim_end_matches([':', '#']));
            if version || named || (!unit.is_empty() && UNITS.contains(&&*unit)) {
                return true;
            }
        } else if before.starts_with(|c: char| c.is_ascii_digit()) && UNITS.contains(&&*bare.to_lowercase()) {
            return true;
        }
        before = bare;
    }
    false
}

/// Addresses that stand in a text.
pub(super) fn addresses(text: &str) -> Vec<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '`');
    let mut found: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices("http") {
        let rest = text.get(at..).unwrap_or_default();
        if !rest.starts_with("http://") && !rest.starts_with("https://") {
            continue;
        }
        let address = rest.split(ends).next().unwrap_or_default().trim_end_matches(['.', ',', ';', ':']);
        if address.len() > 10 && address.len() < 300 && !found.contains(&address) {
            found.push(address);
        }
        if found.len() == 20 {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(About, &str)]) {
        let found: Vec<(About, &str)> = statements(text).iter().map(|found| (found.about, found.sentence)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn causes_choices_and_findings_are_kept_as_whole_sentences() {
        check(
            "Let me look at it.\n\n- The root cause is a missing lock in `pool.rs`. It is short.\n1. We use SQLite instead of \
             Postgres. Is that decided because of size?\n```\nbecause of code\n```\n| decided | in a table, because |",
            &[
                (About::Decision, "The root cause is a missing lock in `pool.rs`."),
                (About::Decision, "We use SQLite instead of Postgres."),
            ],
        );
    }

    #[test]
    fn five_languages_are_understood() {
        for sentence in [
            "Es stellt sich heraus, dass der Port belegt war.",
            "Wir haben uns entschieden, SQLite zu verwenden.",
            "Le problème était un verrou manquant dans le pool.",
            "Decidimos usar SQLite en lugar de Postgres.",
            "根本原因是连接池里缺少一个锁，需要修复。",
        ] {
            check(sentence, &[(About::Decision, sentence)]);
        }
    }

    #[test]
    fn values_are_kept() {
        for sentence in [
            "The server in `main.rs` listens on port 8484 now.",
            "Throughput of the new path/reader is 550 MB per second.",
            "It needs `node` v20.11.1 for the build to work.",
            "See https://example.com/docs/limits for the `rate` limits.",
        ] {
            check(sentence, &[(About::Value, sentence)]);
        }
        check("There are some things to say about the files.", &[]);
    }

    #[test]
    fn what_was_asked_for_is_known_when_it_is_said_again() {
        check(
            "As you asked, I will never touch the legacy module.",
            &[(About::Constraint, "As you asked, I will never touch the legacy module.")],
        );
    }

    #[test]
    fn what_comes_next_is_found() {
        let text = "All done here. Next I will wire the parser into main.\nAls nächstes kommen die Tests dran.";
        let found: Vec<&str> = ahead(text).collect();
        assert_eq!(found, ["Next I will wire the parser into main.", "Als nächstes kommen die Tests dran."]);
    }

    #[test]
    fn what_is_about_to_be_done_is_known() {
        assert!(intends("- Now let me run the tests one more time."));
        assert!(intends("Let me check for existing designs and ask how you'd like to proceed."));
        assert!(!intends("- Remaining: run it on `big.txt`."));
    }

    #[test]
    fn addresses_are_found_once() {
        assert_eq!(
            addresses("see https://a.example/x, (http://b.example/y) and https://a.example/x."),
            ["https://a.example/x", "http://b.example/y"]
        );
    }
}
