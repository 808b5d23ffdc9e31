//! What the agent is looking for now: the words of its recent messages and calls, and the lines it edits.

use std::borrow::Cow;

use crate::arguments::{CallKind, string_argument};
use crate::model::{Block, Conversation, Message, Role};
use crate::outputs::Interest;
use crate::summary::requests;

/// Recent messages that say what is being done.
const RECENT_MESSAGES: usize = 8;
/// Messages in which edits count as work in hand.
const RECENT_EDITS: usize = 40;
/// Of one text, so much says what it is about.
const CHARS_OF_A_TEXT: usize = 1_000;
/// Arguments that hold the lines of an edit.
const EDIT_KEYS: &[&str] = &["old_string", "old_str", "oldText", "old_text", "search", "patch", "diff", "input"];
/// The same, as they are after it.
const EDITED_KEYS: &[&str] = &["new_string", "new_str", "newText", "new_text", "replace"];
/// Arguments that say what is looked for.
const QUESTION_KEYS: &[&[&str]] =
    &[&["pattern", "query", "regex"], &["command", "cmd"], &["file_path", "path", "filePath", "file"]];

/// What matters now in a conversation; what the person asked to keep comes first.
pub(super) fn interest(conversation: &Conversation, focus: Option<&str>) -> Interest {
    let messages = &conversation.messages;
    let recent = || messages.iter().rev().take(RECENT_MESSAGES);
    let mut texts: Vec<Cow<'_, str>> = focus.map(Cow::Borrowed).into_iter().collect();
    texts.extend(requests::newest(conversation).map(|(_, request)| Cow::Owned(request)));
    texts.extend(recent().filter(|message| message.role != Role::Tool).flat_map(said));
    texts.extend(
        recent()
            .flat_map(Message::calls)
            .flat_map(|call| QUESTION_KEYS.iter().filter_map(|keys| string_argument(&call.arguments, keys))),
    );
    // A short answer may be all that is recent; the task is what the session is about.
    let first = requests::first(conversation).and_then(|index| messages.get(index));
    texts.extend(first.into_iter().flat_map(said));
    let beginnings = texts.iter().map(|text| beginning(text));
    Interest::in_texts(beginnings).working_on(edited_lines(messages).iter().map(|text| &**text))
}

fn said(message: &Message) -> impl Iterator<Item = Cow<'_, str>> {
    message.blocks.iter().filter_map(Block::as_text).map(|text| Cow::Borrowed(&**text))
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(CHARS_OF_A_TEXT).map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

/// The lines that recent edits replaced and wrote; a patch without its signs.
fn edited_lines(messages: &[Message]) -> Vec<Cow<'_, str>> {
    let calls = messages.iter().rev().take(RECENT_EDITS).flat_map(Message::calls);
    let mut texts = Vec::new();
    for call in calls {
        let writes = CallKind::of(&call.name) == CallKind::Writes;
        let patches = call.arguments.contains("*** Begin Patch");
        if !writes && !patches {
            continue;
        }
        let keys = if patches { &[EDIT_KEYS, &["command", "cmd"]].concat() } else { EDIT_KEYS };
        let texts_of_call = [keys, EDITED_KEYS].into_iter().filter_map(|keys| string_argument(&call.arguments, keys));
        texts.extend(texts_of_call.map(|text| if patches { Cow::Owned(without_signs(&text)) } else { text }));
    }
    texts
}

fn without_signs(patch: &str) -> String {
    let lines = patch.lines().map(|line| line.strip_prefix(['+', '-', ' ']).unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}
