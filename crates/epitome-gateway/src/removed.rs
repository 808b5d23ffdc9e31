//! What a compaction takes out of a history, so that it can be found again.

use epitome_core::edit::Edit;
use epitome_core::model::{Conversation, Message};
use epitome_core::originals::cited;
use epitome_store::records::{Original, OriginalKind};
use epitome_wire::Request;

/// What `now` takes out of the client's history that `earlier` did not: whole messages as the client wrote them, and the
/// texts that `round`, the newest edits of `sent`, refers to.
pub(crate) fn removed(
    request: &Request,
    earlier: &[Edit],
    now: &[Edit],
    sent: &Conversation,
    round: &[Edit],
) -> Vec<Original> {
    let gone = spans(now).flatten().filter(|message| !spans(earlier).any(|span| span.contains(message)));
    let messages = removed_messages(request, gone);
    let texts = cited(sent, round).into_iter();
    let texts = texts.map(|text| Original::new(OriginalKind::Text, text.as_bytes().to_vec(), text.to_string()));
    messages.into_iter().chain(texts).collect()
}

/// Messages as the client wrote them.
pub(crate) fn removed_messages(request: &Request, messages: impl Iterator<Item = usize>) -> Vec<Original> {
    let original = |index| {
        let json = request.message_json(index)?;
        let words = request.conversation().messages.get(index).map(words_of).unwrap_or_default();
        Some(Original::new(OriginalKind::Message, json.into_owned().into_bytes(), words))
    };
    messages.filter_map(original).collect()
}

/// The messages that are replaced.
pub(crate) fn spans(edits: &[Edit]) -> impl Iterator<Item = std::ops::Range<usize>> {
    edits.iter().filter_map(|edit| match edit {
        Edit::Replace { start, end, .. } => Some(*start..*end),
        Edit::ShortenOutput { .. }
        | Edit::NoteInSystem { .. }
        | Edit::AnswerCall { .. }
        | Edit::RemoveResult { .. } => None,
    })
}

/// What a person would search for in a message.
pub(crate) fn words_of(message: &Message) -> String {
    let mut words = String::new();
    message.each_text(|text| {
        words.push_str(text);
        words.push('\n');
    });
    words
}
