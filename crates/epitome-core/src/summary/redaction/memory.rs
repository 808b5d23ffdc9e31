//! The secrets of one transcript: one that is known by its name in one place is known in every other.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};

use super::keys::is_key_line;
use super::matching::{bits_of, is_no_word};
use super::{Rank, Span, is_word, merged, secrets};

/// Takes secrets out of the texts of one transcript, each in the same words wherever it stands.
#[derive(Default, Clone)]
pub struct Redactor {
    kinds: HashMap<String, &'static str>,
    /// Those that can be told from other text by themselves, in the order of the finder's patterns.
    found_again: Vec<&'static str>,
    finder: Option<AhoCorasick>,
}

/// More secrets than this are not looked for in other places.
const MOST: usize = 2_000;

impl Redactor {
    /// Knows the secrets of all texts of a transcript.
    pub fn of(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Redactor {
        let mut redactor = Redactor::default();
        let mut patterns: Vec<String> = Vec::new();
        for text in texts {
            let text = text.as_ref();
            for span in secrets(text) {
                let secret = plain(text.get(span.range).unwrap_or_default());
                if redactor.kinds.contains_key(&secret) {
                    continue;
                }
                if patterns.len() < MOST && is_its_own(&secret) {
                    patterns.push(secret.clone());
                    redactor.found_again.push(span.kind);
                }
                redactor.kinds.insert(secret, span.kind);
            }
        }
        if !patterns.is_empty() {
            let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns);
            // More than can be searched for: each is still found in the place where it was found.
            redactor.finder = built.ok();
        }
        redactor
    }

    /// The text without its secrets.
    pub fn redact<'text>(&self, text: &'text str) -> Cow<'text, str> {
        let mut spans = secrets(text);
        if let Some(finder) = &self.finder {
            let again = finder.find_iter(text).filter(|hit| stands_alone(text, hit.start(), hit.end()));
            let kind = |hit: &aho_corasick::Match| self.found_again.get(hit.pattern().as_usize()).copied();
            spans.extend(
                again.filter_map(|hit| Some(Span { kind: kind(&hit)?, range: hit.range(), rank: Rank::Known })),
            );
            spans = merged(spans);
        }
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut done = 0;
        for span in spans {
            let secret = text.get(span.range.clone()).unwrap_or_default();
            let kind = self.kinds.get(&plain(secret)).copied().unwrap_or(span.kind);
            clean.push_str(text.get(done..span.range.start).unwrap_or_default());
            clean.push_str(&format!("[redacted: {kind}]"));
            done = span.range.end;
        }
        clean.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(clean)
    }
}

impl Redactor {
    /// The same for a summary, which may hold a line out of the middle of a key.
    pub fn redact_summary(&self, text: &str) -> String {
        let lines = text.split_inclusive('\n').map(|line| {
            let said = line.trim().trim_start_matches("- ").trim_end_matches('…').trim();
            if is_key_line(said.as_bytes()) {
                Cow::Owned(line.replace(said, "[redacted: private key]"))
            } else {
                Cow::Borrowed(line)
            }
        });
        let lines: String = lines.collect();
        self.redact(&lines).into_owned()
    }
}

impl PartialEq for Redactor {
    fn eq(&self, other: &Redactor) -> bool {
        self.kinds == other.kinds
    }
}

impl Eq for Redactor {}

/// Nobody reads secrets in a report of an error.
impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Redactor").field("secrets", &self.kinds.len()).finish()
    }
}

/// A secret without what breaks it over lines.
fn plain(secret: &str) -> String {
    secret.replace("\\n", "").chars().filter(|c| !c.is_whitespace() && !"\\\"'`+".contains(*c)).collect()
}

/// Whether it is so random that the same letters elsewhere are the same secret.
fn is_its_own(secret: &str) -> bool {
    (10..=4096).contains(&secret.len()) && is_no_word(secret.as_bytes()) && bits_of(secret.as_bytes()) >= 2.8
}

/// A longer word that holds it is something else.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let at = |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).copied();
    let opens = super::matching::opens_word(text.as_bytes(), start);
    opens && !at(Some(end)).is_some_and(is_word)
}
