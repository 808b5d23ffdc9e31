//! What became of each message of a history.

use std::collections::HashSet;

use epitome_core::edit::Edit;
use epitome_core::shape::role_name;
use epitome_store::records::OriginalKind;
use serde_json::{Value, json};

use super::{Chapter, Piece, by_id};
use crate::removed::spans;

/// What became of one message of the client's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fate {
    /// Which message: those that say something are counted, from 0, behind the system prompt.
    pub place: usize,
    /// What became of it.
    pub what: What,
    /// The compaction that first touched it.
    pub since: Option<usize>,
    /// The message, or the output in it, as it was, if it is known.
    pub original: Option<Piece>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// It is sent as it comes.
    Kept,
    /// It went, with its neighbours.
    Replaced {
        /// How many characters stand for all of them; none if they were dropped.
        by_characters: usize,
    },
    /// An output in it became shorter.
    Shortened {
        /// To so many characters.
        to_characters: usize,
    },
    /// A call in it got the result that was missing.
    Answered,
    /// A result in it that answered nothing went.
    ResultRemoved,
}

/// No history is longer; what is damaged might say anything.
const MESSAGES_AT_MOST: usize = 1_000_000;

impl Fate {
    pub(super) fn to_json(&self) -> Value {
        let mut told = json!({"message": self.place, "fate": self.what.name(), "since_compaction": self.since});
        let more = match &self.what {
            What::Replaced { by_characters } => json!({"by_characters": by_characters}),
            What::Shortened { to_characters } => json!({"to_characters": to_characters}),
            What::Kept | What::Answered | What::ResultRemoved => json!({}),
        };
        let original = self.original.as_ref().map(|piece| {
            json!({
                "role": piece.role.map(role_name),
                "original": piece.hash.to_string(),
                "characters": piece.characters,
                "opening": piece.opening,
            })
        });
        if let Value::Object(told) = &mut told {
            for more in [Some(more), original].into_iter().flatten() {
                told.extend(more.as_object().cloned().unwrap_or_default());
            }
        }
        told
    }
}

impl What {
    /// Its name, for programs.
    pub fn name(&self) -> &'static str {
        match self {
            What::Kept => "kept",
            What::Replaced { .. } => "replaced",
            What::Shortened { .. } => "shortened",
            What::Answered => "answered",
            What::ResultRemoved => "result_removed",
        }
    }
}

/// The messages that edits replace and the edits before them did not, in the order in which they were stored.
pub fn newly_replaced(edits: &[Edit], earlier: &[Edit]) -> Vec<usize> {
    let before: HashSet<usize> = spans(earlier).flatten().collect();
    spans(edits).flatten().filter(|place| !before.contains(place)).take(MESSAGES_AT_MOST).collect()
}

/// What became of each message that the latest compaction is about.
pub(super) fn fates(chapters: &[Chapter]) -> Vec<Fate> {
    let Some(latest) = chapters.last() else { return Vec::new() };
    let depth = (latest.entry.depth as usize).min(MESSAGES_AT_MOST);
    let kept = |place| Fate { place, what: What::Kept, since: None, original: None };
    let mut fates: Vec<Fate> = (0..depth).map(kept).collect();
    // What became of them …
    for edit in &latest.entry.replay.edits {
        let (places, what) = match edit {
            Edit::NoteInSystem { .. } => continue,
            Edit::Replace { start, end, with } => {
                let by_characters = with.iter().map(|inserted| inserted.text.chars().count()).sum();
                (*start..*end, What::Replaced { by_characters })
            }
            Edit::ShortenOutput { message, text, .. } => {
                (*message..message + 1, What::Shortened { to_characters: text.chars().count() })
            }
            Edit::AnswerCall { message, .. } => (*message..message + 1, What::Answered),
            Edit::RemoveResult { message, .. } => (*message..message + 1, What::ResultRemoved),
        };
        for fate in fates.get_mut(places).unwrap_or_default() {
            fate.what = what.clone();
        }
    }
    // … and since when, with what they were: the first that touched each took it out of the history.
    let known = by_id(chapters);
    let mut line = vec![latest];
    while let Some(parent) = line.last().and_then(|chapter| known.get(&chapter.entry.parent?).copied()) {
        line.push(parent);
    }
    let mut earlier: &[Edit] = &[];
    for chapter in line.into_iter().rev() {
        tell_apart(chapter, earlier, &mut fates);
        earlier = &chapter.entry.replay.edits;
    }
    fates
}

/// Notes what this compaction was the first to touch.
fn tell_apart(chapter: &Chapter, earlier: &[Edit], fates: &mut [Fate]) {
    let gone = newly_replaced(&chapter.entry.replay.edits, earlier);
    let messages = chapter.removed.iter().filter(|piece| piece.kind == OriginalKind::Message && piece.counted);
    let messages: Vec<&Piece> = messages.collect();
    // They were stored in this order; where the numbers differ it cannot be told which is which.
    let pieces = (messages.len() == gone.len()).then_some(messages);
    for (index, place) in gone.into_iter().enumerate() {
        let Some(fate) = fates.get_mut(place) else { continue };
        fate.since.get_or_insert(chapter.number);
        if let Some(piece) = pieces.as_ref().and_then(|pieces| pieces.get(index)) {
            fate.original = Some((*piece).clone());
        }
    }
    for edit in &chapter.entry.replay.edits {
        let Edit::ShortenOutput { message, text, .. } = edit else { continue };
        let Some(fate) = fates.get_mut(*message) else { continue };
        fate.since.get_or_insert(chapter.number);
        // A digest says what it is of.
        let cited = chapter.removed.iter().find(|piece| text.contains(&piece.hash.short()));
        if let (None, Some(piece)) = (&fate.original, cited) {
            fate.original = Some(piece.clone());
        }
    }
}
