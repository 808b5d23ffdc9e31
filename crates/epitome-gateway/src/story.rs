//! What became of a session, as people and programs are told: `GET /epitome/sessions/{id}` and `epitome sessions show`.
//!
//! The store does not hold histories, only what edits did to them and what they took out. From that it follows what
//! became of each message up to the last that an edit touches.

mod fates;

use std::collections::HashMap;

use epitome_core::fingerprint::ContentHash;
use epitome_core::model::{Message, Role};
use epitome_core::places::is_said;
use epitome_core::shape::role_name;
use epitome_core::summary::archived;
use epitome_store::records::{CompactionLog, Entry, Original, OriginalKind, Session, SessionId, Tenant, Turn, Wish};
use epitome_store::store::{Store, StoreError};
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use serde_json::{Value, json};

pub use fates::{Fate, What, newly_replaced};

/// A session, its calls, its compactions, and what became of its messages.
pub struct Story {
    /// Its sums.
    pub session: Session,
    /// Its calls, oldest first.
    pub calls: Vec<Turn>,
    /// Its compactions, oldest first.
    pub chapters: Vec<Chapter>,
    /// A compaction that is asked for and not made yet.
    pub wish: Option<Wish>,
    /// Where it was archived, and where the session that it continues was.
    pub archives: Vec<Archive>,
}

/// A session that was archived (M17).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// The session.
    pub archived: SessionId,
    /// The one that continues it.
    pub continued_by: SessionId,
    /// What people are told, with the beginning of the summary that the new session began from.
    pub notice: String,
}

/// One compaction.
pub struct Chapter {
    /// Which one, counted from 1.
    pub number: usize,
    /// Its edits.
    pub entry: Entry,
    /// How it went.
    pub log: CompactionLog,
    /// What it took out, in the order in which it stood; nothing where originals are not kept.
    pub removed: Vec<Piece>,
}

/// What is told of something that was taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its name, to fetch it by.
    pub hash: ContentHash,
    /// What it is.
    pub kind: OriginalKind,
    /// How many characters of words it has.
    pub characters: usize,
    /// Its first words, on one line.
    pub opening: String,
    /// Who said it, if it is a message.
    pub role: Option<Role>,
    /// Whether ledgers count it: a message that holds nothing but thinking is not counted.
    pub counted: bool,
}

/// An opening has so many characters at most.
const OPENING: usize = 100;

impl Story {
    /// The story of a session; `None` if there is no such.
    pub async fn of(store: &dyn Store, tenant: &Tenant, id: &SessionId) -> Result<Option<Story>, StoreError> {
        let Some(session) = store.session(tenant, id).await? else { return Ok(None) };
        let dialect = session.dialect.parse().ok();
        let mut chapters = Vec::new();
        for (number, (entry, log)) in (1..).zip(store.compactions(tenant, id).await?) {
            // One at a time: what was removed can be large, and little of it is told.
            let removed = store.removed_by(tenant, entry.id).await?;
            let removed = removed.iter().map(|original| Piece::of(original, dialect)).collect();
            chapters.push(Chapter { number, entry, log, removed });
        }
        let (calls, wish) = (store.turns(tenant, id).await?, store.wish(tenant, id).await?);
        let mut archives: Vec<Archive> = Vec::new();
        if let (Some(archived), Some(first)) = (&session.continues, chapters.first()) {
            archives.push(Archive::by(archived, &first.entry));
        }
        for next in &session.continued_by {
            // What it begins with is the compaction that made it.
            let compactions = store.compactions(tenant, next).await?;
            archives.extend(compactions.first().map(|(entry, _)| Archive::by(id, entry)));
        }
        Ok(Some(Story { session, calls, chapters, wish, archives }))
    }

    /// What became of each message, up to the last that an edit of the latest compaction touches.
    pub fn fates(&self) -> Vec<Fate> {
        fates::fates(&self.chapters)
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let mut told = session_json(&self.session);
        let wish = self.wish.as_ref().map(|wish| json!({"at_ms": wish.at_ms, "focus": wish.focus}));
        let more = json!({
            "asked_for": wish,
            "archives": self.archives.iter().map(Archive::to_json).collect::<Vec<_>>(),
            "turns": self.calls,
            "compacted": self.chapters.iter().map(Chapter::to_json).collect::<Vec<_>>(),
            "messages": self.fates().iter().map(Fate::to_json).collect::<Vec<_>>(),
        });
        if let (Value::Object(told), Value::Object(more)) = (&mut told, more) {
            told.extend(more);
        }
        told
    }
}

impl Archive {
    fn by(archived: &SessionId, entry: &Entry) -> Archive {
        let notice = archived::notice(&entry.replay.edits).unwrap_or_else(|| archived::ARCHIVED.trim_end().to_owned());
        Archive { archived: archived.clone(), continued_by: entry.session.clone(), notice }
    }

    fn to_json(&self) -> Value {
        json!({"session": self.archived, "continued_by": self.continued_by, "notice": self.notice})
    }
}

impl Chapter {
    /// For programs.
    pub fn to_json(&self) -> Value {
        let mut told = json!({
            "number": self.number,
            "id": self.entry.id.to_string(),
            "messages_covered": self.entry.depth,
            "ratio": self.log.record.ratio(),
            "removed": self.removed.iter().map(Piece::to_json).collect::<Vec<_>>(),
        });
        if let (Value::Object(told), Ok(Value::Object(log))) = (&mut told, serde_json::to_value(&self.log)) {
            told.extend(log);
        }
        told
    }
}

impl Piece {
    /// What is told of an original of a session in this dialect.
    pub fn of(original: &Original, dialect: Option<Dialect>) -> Piece {
        let message = match original.kind {
            OriginalKind::Message => dialect.and_then(|dialect| message_of(&original.bytes, dialect)),
            OriginalKind::Text => None,
        };
        Piece {
            hash: original.hash,
            kind: original.kind,
            characters: original.words.chars().count(),
            opening: opening(&original.words),
            role: message.as_ref().map(|message| message.role),
            counted: message.is_none_or(|message| message.blocks.iter().any(is_said)),
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "hash": self.hash.to_string(),
            "kind": self.kind,
            "role": self.role.map(role_name),
            "characters": self.characters,
            "opening": self.opening,
        })
    }
}

/// A session of a list, for programs.
pub fn session_json(session: &Session) -> Value {
    json!({
        "session": session.id.as_str(),
        "first_ms": session.first_ms,
        "last_ms": session.last_ms,
        "model": session.model,
        "dialect": session.dialect,
        "calls": session.turns,
        "compactions": session.compactions,
        "client_tokens": session.client_tokens,
        "sent_tokens": session.sent_tokens,
        "saved_share": share(session.client_tokens.saturating_sub(session.sent_tokens), session.client_tokens),
        "usage": session.usage,
        "cache_read_share": share(session.usage.cache_read, session.usage.prompt),
        "spending": session.spending,
        "saved_usd": session.spending.net(),
        "continues": session.continues,
        "continued_by": session.continued_by,
    })
}

/// The session that the requests of this one belong to by now: one that continues it, if the latest call was its.
pub async fn current(store: &dyn Store, tenant: &Tenant, session: Session) -> Result<Session, StoreError> {
    let mut current = session;
    let mut called_ms = last_call(store, tenant, &current).await?;
    loop {
        let mut later: Option<(u64, Session)> = None;
        for id in &current.continued_by {
            let Some(next) = store.session(tenant, id).await? else { continue };
            let at_ms = last_call(store, tenant, &next).await?;
            if at_ms >= later.as_ref().map_or(called_ms, |(at_ms, _)| *at_ms) {
                later = Some((at_ms, next));
            }
        }
        let Some((at_ms, next)) = later else { return Ok(current) };
        (called_ms, current) = (at_ms, next);
    }
}

/// When a session was called last; when it began, if it was not.
async fn last_call(store: &dyn Store, tenant: &Tenant, session: &Session) -> Result<u64, StoreError> {
    let calls = store.turns(tenant, &session.id).await?;
    Ok(calls.iter().map(|call| call.at_ms).max().unwrap_or(session.first_ms))
}

/// A part of a whole; `None` of nothing.
pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// The first words of a text, on one line that a terminal can be shown.
pub fn opening(words: &str) -> String {
    let mut line = String::new();
    let mut room = OPENING;
    for word in words.split(|character: char| character.is_whitespace() || character.is_control()) {
        if word.is_empty() {
            continue;
        }
        let length = word.chars().count() + usize::from(!line.is_empty());
        if !line.is_empty() {
            line.push(' ');
        }
        if length > room {
            line.extend(word.chars().take(room.saturating_sub(1)));
            line.push('…');
            break;
        }
        line.push_str(word);
        room -= length;
    }
    line
}

/// A stored message, as it was understood when it came: an element of its dialect's list, or a list of several.
fn message_of(bytes: &[u8], dialect: Dialect) -> Option<Message> {
    let list = if bytes.starts_with(b"[") { bytes.to_vec() } else { [b"[", bytes, b"]"].concat() };
    let request = Request::read(list, Format::Given(dialect), DuplicateKeys::Carry).ok()?;
    request.conversation().messages.first().cloned()
}

/// Chapters by the name of their entry.
fn by_id(chapters: &[Chapter]) -> HashMap<epitome_store::records::EntryId, &Chapter> {
    chapters.iter().map(|chapter| (chapter.entry.id, chapter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_is_one_short_line() {
        assert_eq!(opening("  one\n\ttwo\u{1b}[31m "), "one two [31m");
        assert_eq!(opening(""), "");
        let long = opening(&"word ".repeat(100));
        assert!(long.chars().count() <= OPENING + 1 && long.ends_with('…'), "{long}");
        assert_eq!(opening(&"é".repeat(500)), format!("{}…", "é".repeat(OPENING - 1)));
    }

    #[test]
    fn a_stored_message_is_understood_in_its_dialect() {
        let role = |bytes: &[u8], dialect| message_of(bytes, dialect).map(|message| message.role);
        let output = br#"{"type":"function_call_output","call_id":"c","output":"ok"}"#;
        assert_eq!(role(output, Dialect::OpenAiResponses), Some(Role::Tool));
        let several = br#"[{"type":"reasoning","id":"r","summary":[]},{"type":"function_call","call_id":"c","name":"n","arguments":"{}"}]"#;
        assert_eq!(role(several, Dialect::OpenAiResponses), Some(Role::Assistant));
        assert_eq!(role(br#"{"role":"user","content":"hi"}"#, Dialect::AnthropicMessages), Some(Role::User));
        assert_eq!(role(b"not JSON", Dialect::OpenAiChat), None);
    }
}
