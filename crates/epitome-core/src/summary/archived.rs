//! What people are told of a session that was archived, and of the new one that began from its summary (M17).

use super::unseal;
use crate::edit::Edit;
use crate::outputs::cut_to_chars;

/// How it begins.
pub const ARCHIVED: &str = "[New session created] Original session archived. Summary: ";
/// So many characters of the summary are shown.
const SHOWN: usize = 200;

/// The sentence, with the beginning of the summary that the edits put in; `None`: they put in none.
pub fn notice(edits: &[Edit]) -> Option<String> {
    let summary = summary(edits)?;
    // On one line, and nothing that a terminal would obey.
    let words = summary.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    Some(format!("{ARCHIVED}{}", cut_to_chars(&words.collect::<Vec<_>>().join(" "), SHOWN)))
}

/// How many words the summary has that the edits put in.
pub fn words(edits: &[Edit]) -> usize {
    summary(edits).map_or(0, |summary| summary.split_whitespace().count())
}

fn summary(edits: &[Edit]) -> Option<&str> {
    edits.iter().find_map(|edit| match edit {
        Edit::Replace { with, .. } => with.iter().find_map(|inserted| unseal(&inserted.text)),
        Edit::ShortenOutput { .. }
        | Edit::NoteInSystem { .. }
        | Edit::AnswerCall { .. }
        | Edit::RemoveResult { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Inserted;
    use crate::model::Role;
    use crate::summary::seal;

    #[test]
    fn people_read_the_first_200_characters_of_the_summary() {
        let put_in = |text: String| Edit::Replace { start: 1, end: 9, with: vec![Inserted { role: Role::User, text }] };
        let body = format!("## Goal\n- Port it to Rust.\n## Progress\n### Done\n{}", "- one step\n".repeat(60));
        let edits = [
            Edit::NoteInSystem { text: "a note".to_owned() },
            put_in("no summary".to_owned()),
            put_in(seal(&body, "8 messages")),
        ];
        let said = notice(&edits).expect("a summary");
        let beginning =
            "[New session created] Original session archived. Summary: ## Goal - Port it to Rust. ## Progress ### Done";
        assert!(said.starts_with(beginning), "{said}");
        let shown = said.trim_start_matches(ARCHIVED);
        assert!(shown.ends_with('…') && (195..=201).contains(&shown.chars().count()), "{shown}");
        assert_eq!(words(&edits), 2 + 5 + 2 + 2 + 3 * 60);
        assert_eq!((notice(&edits[..2]), words(&edits[..2])), (None, 0));
    }
}
