//! The sentences of a request that hold for everything that follows.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::lines::line_around;

/// How strongly a sentence binds what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// A preference, or a limit in passing: `only`, `keep`, `at least`.
    Wish,
    /// A ban or a demand: `never`, `must`, `don't`.
    Rule,
}

/// The sentences of a request that hold for everything that follows: bans, demands and preferences.
pub fn constraints(request: &str) -> impl Iterator<Item = &str> {
    demands(request).into_iter().map(|(_, sentence)| sentence)
}

/// The same, with how strongly they bind. A sentence that says nothing alone comes with the one before it.
pub fn demands(request: &str) -> Vec<(Demand, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    let pasted = Pasted::read(request);
    // A pasted document is long and demands little: only lines with one of the words are taken apart.
    while let Some(hit) = request.get(from..).and_then(|rest| WORDS.finder.find(rest)) {
        let line = line_around(request, from + hit.start());
        let start = offset(request, line);
        for sentence in sentences(line).map(str::trim) {
            let addressed = !pasted.is_document || addresses_the_agent(sentence);
            if let Some(demand) = demand(sentence).filter(|_| addressed && !pasted.holds(line, start)) {
                let whole = with_what_it_speaks_of(request, sentence);
                // The sentence before may be a demand of its own.
                let start = offset(request, whole);
                let is_in_it = |(_, last): &(Demand, &str)| offset(request, last) + last.len() > start;
                let last = found.pop_if(|last| whole.len() > sentence.len() && is_in_it(last));
                let (demand, whole) = match last {
                    Some((before, last)) => {
                        let start = offset(request, last).min(start);
                        let end = offset(request, sentence) + sentence.len();
                        (demand.max(before), request.get(start..end).unwrap_or(whole))
                    }
                    None => (demand, whole),
                };
                found.push((demand, whole));
            }
        }
        from = (start + line.len()).max(from + hit.end());
    }
    found
}

fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// What of a long message is no person's own sentence: lists, headings, tables, code.
struct Pasted {
    is_document: bool,
    /// Where code begins and ends.
    code: Vec<(usize, usize)>,
}

impl Pasted {
    /// A shorter message is a request, however it is set.
    const SHORTEST: usize = 1_500;
    /// Lines that are set like a document.
    const SET_LINES: usize = 3;

    fn read(text: &str) -> Pasted {
        let mut pasted = Pasted { is_document: false, code: Vec::new() };
        if text.len() <= Pasted::SHORTEST {
            return pasted;
        }
        let (mut set, mut opened) = (0, None);
        for line in text.lines() {
            let at = offset(text, line);
            let fences = line.trim_start().starts_with("```");
            set += usize::from(fences || is_set(line));
            opened = match (fences, opened) {
                (true, Some(start)) => {
                    pasted.code.push((start, at));
                    None
                }
                (true, None) => Some(at),
                (false, opened) => opened,
            };
        }
        pasted.is_document = set >= Pasted::SET_LINES;
        pasted
    }

    /// Whether a line is a part of it; what is quoted is, in any message.
    fn holds(&self, line: &str, start: usize) -> bool {
        let behind = self.code.partition_point(|(_, end)| *end < start);
        let in_code = self.code.get(behind).is_some_and(|(open, _)| *open <= start);
        line.trim_start().starts_with('>') || self.is_document && (in_code || is_set(line))
    }
}

/// Whether a line is set like one of a document.
fn is_set(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = (1..=3).contains(&digits)
        && line.get(digits..).is_some_and(|rest| rest.starts_with(". ") || rest.starts_with(") "));
    numbered || ["- ", "* ", "• ", "#", "|", "> ", "+ "].iter().any(|mark| line.starts_with(mark))
}

/// `You must …`, `never …`: said to whoever reads it.
fn addresses_the_agent(sentence: &str) -> bool {
    const OPENINGS: &[&str] = &[
        "you must",
        "you should",
        "you have to",
        "you may",
        "do not",
        "don't",
        "don’t",
        "dont ",
        "never",
        "always",
        "make sure",
        "ensure",
        "please",
        "only ",
        "keep ",
        "avoid ",
        "and never",
        "but never",
        "but don't",
        "but do not",
        "bitte",
        "niemals",
        "immer",
        "du ",
        "jamais",
        "toujours",
        "nunca",
        "siempre",
        "不要",
        "必须",
        "请",
    ];
    let opening: String = sentence.chars().take(20).flat_map(char::to_lowercase).collect();
    OPENINGS.iter().any(|words| opening.starts_with(words))
        || sentence.contains("you must")
        || sentence.contains("you should")
}

/// A short sentence about `that`, or the rest of a wrapped one, together with the sentence before it.
fn with_what_it_speaks_of<'text>(request: &'text str, sentence: &'text str) -> &'text str {
    const SHORT: usize = 70;
    const BARE: usize = 36;
    const SENTENCE_BEFORE: usize = 300;
    let start = offset(request, sentence);
    let before = request.get(..start).unwrap_or_default();
    let trimmed = before.trim_end();
    let blank_line = before.get(trimmed.len()..).is_some_and(|between| between.matches('\n').count() > 1);
    let says_nothing_alone = || {
        let mut words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let points =
            words.any(|word| ["that", "this", "it", "those", "these", "them"].contains(&&*word.to_lowercase()));
        let names = |c: char| c == '`' || c == '/' || c == '_' || c.is_ascii_digit();
        let lasts = ["ever", "lways", "niemals", "immer", "jamais", "toujours", "nunca", "siempre"];
        // `Do not make changes.` holds for what was asked for there, `Never push to main.` for everything.
        let is_bare =
            sentence.len() <= BARE && sentence.is_ascii() && !lasts.iter().any(|word| sentence.contains(word));
        (points || is_bare) && sentence.len() <= SHORT && !sentence.contains(names)
    };
    let wraps = || {
        let goes_on = sentence.starts_with(char::is_lowercase) && before.ends_with('\n');
        goes_on && trimmed.ends_with(|c: char| c.is_alphanumeric() || c == ',')
    };
    if trimmed.is_empty() || blank_line || !(says_nothing_alone() || wraps()) {
        return sentence;
    }
    // A line may be a whole document.
    let near = (trimmed.len().saturating_sub(2 * SENTENCE_BEFORE)..).find(|start| trimmed.is_char_boundary(*start));
    let line = near.and_then(|start| trimmed.get(start..)).unwrap_or(trimmed);
    let line = line.rsplit('\n').next().unwrap_or(line);
    let last = sentences(line).map(str::trim).filter(|sentence| !sentence.is_empty()).last();
    let Some(last) = last.filter(|last| last.len() <= SENTENCE_BEFORE && !is_set(line)) else { return sentence };
    request.get(offset(request, last)..start + sentence.len()).unwrap_or(sentence)
}

/// How strongly a sentence binds; `None` if it does not, or is too long or short for a sentence.
pub fn demand(sentence: &str) -> Option<Demand> {
    // What is asked for is no rule.
    if sentence.contains("an you ") || sentence.contains("ould you ") {
        return None;
    }
    if sentence.len() < 6 || sentence.chars().nth(LONGEST_SENTENCE).is_some() {
        return None;
    }
    let hits = WORDS.finder.find_overlapping_iter(sentence);
    let whole = hits.filter(|hit| {
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let before = sentence.get(..hit.start()).and_then(|text| text.chars().next_back());
        let after = sentence.get(hit.end()..).and_then(|text| text.chars().next());
        let whole = WORDS.without_blanks(hit.pattern().as_usize()) || (!is_word(before) && !is_word(after));
        whole && !(is_negation(sentence.get(hit.range())) && speaks_of_itself(sentence.get(..hit.start())))
    });
    whole.map(|hit| WORDS.demand(hit.pattern().as_usize())).max()
}

fn is_negation(word: Option<&str>) -> bool {
    word.is_some_and(|word| ["don't", "don’t", "dont", "do not"].contains(&&*word.to_lowercase()))
}

/// `I don't think so` asks for nothing.
fn speaks_of_itself(before: Option<&str>) -> bool {
    let subject = before.and_then(|before| before.split_whitespace().next_back());
    subject.is_some_and(|subject| ["i", "we", "they", "you"].contains(&&*subject.to_lowercase()))
}

/// A longer sentence is a pasted text.
const LONGEST_SENTENCE: usize = 600;

/// English, German, French, Spanish, Chinese.
const RULES: &[&str] = &[
    "must",
    "never",
    "always",
    "don't",
    "dont",
    "don’t",
    "do not",
    "should not",
    "shouldn't",
    "shouldn’t",
    "make sure",
    "ensure",
    "required",
    "forbidden",
    "not allowed",
    "no more than",
    "at most",
    "under no circumstances",
    "muss",
    "müssen",
    "niemals",
    "nie",
    "immer",
    "darf nicht",
    "dürfen nicht",
    "keinesfalls",
    "auf keinen fall",
    "bitte kein",
    "bitte keine",
    "bitte nicht",
    "verboten",
    "unbedingt",
    "doit",
    "doivent",
    "il faut",
    "jamais",
    "toujours",
    "interdit",
    "ne pas",
    "obligatoire",
    "debe",
    "deben",
    "nunca",
    "siempre",
    "prohibido",
    "no uses",
    "no debes",
    "no toques",
    "hay que",
    "obligatorio",
    "不要",
    "必须",
    "总是",
    "禁止",
    "请勿",
    "务必",
    "一定要",
    "不能",
    "不得",
];
const WISHES: &[&str] = &[
    "only",
    "prefer",
    "preferably",
    "avoid",
    "without",
    "at least",
    "instead of",
    "keep",
    "nur",
    "bevorzugt",
    "vermeide",
    "ohne",
    "mindestens",
    "höchstens",
    "statt",
    "seulement",
    "uniquement",
    "de préférence",
    "évite",
    "évitez",
    "sans",
    "au moins",
    "au lieu de",
    "solo",
    "sólo",
    "preferiblemente",
    "evita",
    "sin",
    "al menos",
    "en lugar de",
    "en vez de",
    "只",
    "尽量",
    "避免",
    "至少",
    "最好",
];

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let all = RULES.iter().chain(WISHES);
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(all);
    Words { finder: finder.expect("a short list of words") }
});

struct Words {
    finder: AhoCorasick,
}

impl Words {
    fn demand(&self, pattern: usize) -> Demand {
        if pattern < RULES.len() { Demand::Rule } else { Demand::Wish }
    }

    /// Chinese has no blanks around words.
    fn without_blanks(&self, pattern: usize) -> bool {
        let word = RULES.get(pattern).or_else(|| WISHES.get(pattern.saturating_sub(RULES.len())));
        word.and_then(|word| word.chars().next()).is_some_and(|first| first >= '\u{2e80}')
    }
}

/// Cuts at the end of a sentence; keeps `e.g.`, versions and file names whole by asking for a blank and a capital.
pub(in crate::summary) fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    // Most lines are: then there are three marks to look for, which is much faster.
    let is_ascii = line.is_ascii();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let end_at = |at: usize| match bytes.get(at) {
            Some(b'.' | b'!' | b'?') if bytes.get(at + 1) == Some(&b' ') => {
                let next = rest.get(at + 2..).and_then(|after| after.chars().next());
                next.is_some_and(char::is_uppercase).then_some(at + 1)
            }
            Some(0xe3 | 0xef) => {
                let mark = rest.get(at..).and_then(|after| after.chars().next());
                mark.filter(|mark| matches!(mark, '。' | '！' | '？')).map(|mark| at + mark.len_utf8())
            }
            _ => None,
        };
        let cut = if is_ascii {
            memchr::memchr3_iter(b'.', b'!', b'?', bytes).find_map(end_at)
        } else {
            (0..bytes.len()).find_map(end_at)
        };
        let (sentence, left) = rest.split_at(cut.unwrap_or(rest.len()));
        rest = left;
        Some(sentence)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(request: &str, expected: &[&str]) {
        assert_eq!(constraints(request).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn bans_demands_and_preferences_are_constraints() {
        check(
            "Please add a flag. Never touch src/legacy. Use Python 3.11, e.g. via pyenv.\nAlways run the tests first",
            &["Never touch src/legacy.", "Always run the tests first"],
        );
        check("不要修改配置。 请继续", &["不要修改配置。"]);
        check("Bitte niemals force-pushen. Danke", &["Bitte niemals force-pushen."]);
        check("N'utilise jamais npm. Merci", &["N'utilise jamais npm."]);
        check("Usa siempre pnpm. Gracias", &["Usa siempre pnpm."]);
    }

    #[test]
    fn a_ban_binds_more_than_a_wish() {
        assert_eq!(demand("Never push, and keep it short"), Some(Demand::Rule));
        assert_eq!(demand("Keep it short"), Some(Demand::Wish));
        assert_eq!(demand("Thanks a lot"), None);
        assert_eq!(demand("hm, i don't think that it works"), None);
        assert_eq!(demand("Please don't change it"), Some(Demand::Rule));
    }

    #[test]
    fn a_sentence_that_says_nothing_alone_comes_with_the_one_before() {
        check(
            "You force-pushed to main. Never do that again on your own. Then go on.",
            &["You force-pushed to main. Never do that again on your own."],
        );
        check(
            "The dialog breaks at the\nnewline and only displays the first line.",
            &["The dialog breaks at the\nnewline and only displays the first line."],
        );
        check("Hi.\n\nNever do that again.", &["Never do that again."]);
        check(
            "Review it. Return findings only, by severity. Do not make changes. Never push to main.",
            &["Return findings only, by severity. Do not make changes.", "Never push to main."],
        );
        check("can you make sure the settings have stuck", &[]);
        check("Please add a flag. Never use `it` here.", &["Never use `it` here."]);
    }

    #[test]
    fn rules_of_a_pasted_document_are_not_the_persons() {
        let review = format!(
            "Never push this.\n\n# Review\n\n- Tests must not sleep.\n- **Risk**: it must never be nil\n\n```\n// never called\n```\n\
             The cache is never filled.\n{}\nDo not make changes here.",
            "Some words about the code that was looked at, and what was found.\n".repeat(25)
        );
        check(&review, &["Never push this.", "Do not make changes here."]);
        check("> never do this\n\nwhat do you think?", &[]);
        check("- never push\n- keep names\n- always test", &["- never push", "- keep names", "- always test"]);
    }

    #[test]
    fn a_word_inside_another_is_no_constraint() {
        check("The mustard is in the commonly used drawer", &[]);
    }
}
