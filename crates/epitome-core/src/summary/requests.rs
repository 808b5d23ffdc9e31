//! What a person asked for: telling requests from what a harness puts into the user's mouth.

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

/// The first request of a person; harnesses often speak before it.
pub fn first(conversation: &Conversation) -> Option<usize> {
    conversation.messages.iter().position(|message| typed(message).is_some())
}

/// The newest request of a person, and the message it stands in.
pub fn newest(conversation: &Conversation) -> Option<(usize, String)> {
    let numbered = conversation.messages.iter().enumerate().rev();
    numbered.into_iter().find_map(|(index, message)| typed(message).map(|text| (index, text)))
}

/// The lines of a request that hold for everything that follows: bans, demands and preferences.
pub fn constraints(request: &str) -> impl Iterator<Item = &str> {
    request.lines().flat_map(sentences).map(str::trim).filter(|sentence| is_constraint(sentence))
}

/// Cuts at the end of a sentence; keeps `e.g.`, versions and file names whole by asking for a blank and a capital.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
        let cut = ends.map(|(at, c)| at + c.len_utf8()).find(|end| {
            let after = rest.get(*end..).unwrap_or_default();
            let wide = rest.get(..*end).is_some_and(|before| before.ends_with(['。', '！', '？']));
            let mut next = after.chars();
            wide || (next.next() == Some(' ') && next.next().is_some_and(char::is_uppercase))
        });
        let (sentence, left) = rest.split_at(cut.unwrap_or(rest.len()));
        rest = left;
        Some(sentence)
    })
}

fn is_constraint(sentence: &str) -> bool {
    const WORDS: &[&str] = &[
        "must",
        "never",
        "always",
        "don't",
        "dont",
        "do not",
        "should not",
        "shouldn't",
        "only",
        "prefer",
        "avoid",
        "make sure",
        "ensure",
        "without",
        "required",
        "forbidden",
        "not allowed",
        "no more than",
        "at least",
        "at most",
        "instead of",
        "keep",
        "不要",
        "必须",
        "只",
        "总是",
    ];
    if sentence.chars().count() > 600 || sentence.len() < 6 {
        return false;
    }
    let lower = sentence.to_lowercase();
    let mut found = WORDS.iter().filter_map(|word| lower.find(word).map(|at| (at, word)));
    found.any(|(at, word)| {
        let before = lower.get(..at).and_then(|text| text.chars().next_back());
        let after = lower.get(at + word.len()..).and_then(|text| text.chars().next());
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric());
        !word.is_ascii() || (!is_word(before) && !is_word(after))
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
