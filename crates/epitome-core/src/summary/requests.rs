//! What a person asked for: telling requests from what a harness puts into the user's mouth.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::lines::line_around;
use crate::model::{Conversation, Message, Role};
use crate::summary::is_ours;

/// How texts begin that harnesses inject as the user. A person rarely opens a message with a tag.
const INJECTED_OPENINGS: &[&str] = &[
    "<system-reminder>",
    "<command-",
    "<local-command-",
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<task-notification>",
    "<subagent_notification>",
    "# AGENTS.md instructions",
    "Caveat: The messages below",
    "[Request interrupted",
    "This session is being continued from a previous conversation",
];

/// The words of a message that a person typed; `None` if there are none.
pub fn typed(message: &Message) -> Option<String> {
    if message.role != Role::User || message.injected || is_ours(message) {
        return None;
    }
    let is_typed = |text: &&std::sync::Arc<str>| {
        let text = text.trim_start();
        !text.is_empty() && !INJECTED_OPENINGS.iter().any(|opening| text.starts_with(opening))
    };
    let words: Vec<&str> = message.texts().filter(is_typed).map(|text| text.trim()).collect();
    (!words.is_empty()).then(|| words.join("\n"))
}

/// The words that a harness said as the user; `None` if a person typed some of them, or we wrote them.
pub fn put_in(message: &Message) -> Option<String> {
    if message.role != Role::User || is_ours(message) || typed(message).is_some() {
        return None;
    }
    let words: Vec<&str> = message.texts().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    (!words.is_empty()).then(|| words.join("\n"))
}

/// The first request of a person; harnesses often speak before it.
pub fn first(conversation: &Conversation) -> Option<usize> {
    conversation.messages.iter().position(|message| typed(message).is_some())
}

/// The newest request of a person, and the message it stands in.
pub fn newest(conversation: &Conversation) -> Option<(usize, String)> {
    let numbered = conversation.messages.iter().enumerate().rev();
    numbered.into_iter().find_map(|(index, message)| typed(message).map(|text| (index, text)))
}

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

/// The same, with how strongly they bind.
pub fn demands(request: &str) -> Vec<(Demand, &str)> {
    let mut found = Vec::new();
    let mut from = 0;
    // A pasted document is long and demands little: only lines with one of the words are taken apart.
    while let Some(hit) = request.get(from..).and_then(|rest| WORDS.finder.find(rest)) {
        let line = line_around(request, from + hit.start());
        let start = line.as_ptr() as usize - request.as_ptr() as usize;
        let sentences = sentences(line).map(str::trim);
        found.extend(sentences.filter_map(|sentence| demand(sentence).map(|demand| (demand, sentence))));
        from = (start + line.len()).max(from + hit.end());
    }
    found
}

/// How strongly a sentence binds; `None` if it does not, or is too long or short for a sentence.
pub fn demand(sentence: &str) -> Option<Demand> {
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
pub(super) fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let bytes = rest.as_bytes();
        let cut = bytes.iter().enumerate().find_map(|(at, byte)| match byte {
            b'.' | b'!' | b'?' if bytes.get(at + 1) == Some(&b' ') => {
                let next = rest.get(at + 2..).and_then(|after| after.chars().next());
                next.is_some_and(char::is_uppercase).then_some(at + 1)
            }
            0xe3 | 0xef => {
                let mark = rest.get(at..).and_then(|after| after.chars().next());
                mark.filter(|mark| matches!(mark, '。' | '！' | '？')).map(|mark| at + mark.len_utf8())
            }
            _ => None,
        });
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
    fn a_word_inside_another_is_no_constraint() {
        check("The mustard is in the commonly used drawer", &[]);
    }

    #[test]
    fn what_a_harness_says_is_no_request() {
        let typed_text = |text: &str| typed(&Message::text(Role::User, text));
        assert_eq!(typed_text("<system-reminder>\nBe nice\n</system-reminder>"), None);
        assert_eq!(typed_text(crate::summary::BRIDGE), None);
        assert_eq!(typed_text(&crate::summary::seal("## Goal\nx", "0 messages")), None);
        assert_eq!(typed_text(&crate::summary::dropped(3, None)), None);
        assert_eq!(typed_text(" fix the tests "), Some("fix the tests".into()));
    }
}
