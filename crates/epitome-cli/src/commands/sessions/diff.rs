//! `epitome sessions diff`: a compaction before and after.

use std::collections::HashMap;

use epitome_core::edit::{Edit, Inserted};
use epitome_core::shape::role_name;
use epitome_gateway::story::{Piece, newly_replaced};
use epitome_store::records::{CompactionLog, Entry, Original, OriginalKind};
use serde_json::{Value, json};

use super::Archive;
use crate::arguments::DiffArguments;
use crate::commands::{print, print_json};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::terminal::Style;
use crate::units::{counted, shown_moment, shown_share};

/// A compaction, as what it changed.
struct Difference {
    session: String,
    number: usize,
    of: usize,
    log: CompactionLog,
    changes: Changes,
}

/// What edits change that the edits before them did not.
#[derive(Default)]
struct Changes {
    /// What is added to the system prompt.
    note: Option<String>,
    replaced: Vec<Replaced>,
    shortened: Vec<Shortened>,
    /// Messages that went and whose place is not known: the history before is forgotten, or began elsewhere.
    unplaced: Vec<Removed>,
    /// Calls that got an answer, and answers that went: how many.
    mended: usize,
}

/// Messages that went, and what stands for them.
struct Replaced {
    /// Those that stood for the rest went before.
    start: usize,
    end: usize,
    removed: Vec<Removed>,
    with: Vec<Inserted>,
}

struct Removed {
    place: Option<usize>,
    piece: Piece,
    original: Original,
}

struct Shortened {
    message: usize,
    original: Option<Original>,
    text: String,
}

/// Of a text, unless `--full`.
const LINES: usize = 4;
/// Of a line, unless `--full`.
const CHARACTERS: usize = 160;

pub(super) async fn run(arguments: &DiffArguments, archive: &Archive) -> Result<(), Failure> {
    let session = archive.find(&arguments.session).await?;
    let progress = Progress::start("reading what was removed");
    let failed = |error| archive.failed(&error);
    let compactions = archive.store.compactions(&archive.tenant, &session.id).await.map_err(failed)?;
    let latest = compactions.len();
    let number = arguments.number.map_or(latest, |number| usize::try_from(number).unwrap_or(usize::MAX));
    let Some((entry, log)) = number.checked_sub(1).and_then(|index| compactions.get(index)) else {
        let message = match latest {
            0 => format!("{} was not compacted yet", session.id),
            1 => format!("{} was compacted once, and has no compaction {number}", session.id),
            _ => format!("{} was compacted {latest} times, and has no compaction {number}", session.id),
        };
        return Err(Failure::input(message).hint(format!("`epitome sessions show {}` lists them", session.id)));
    };
    let removed = archive.store.removed_by(&archive.tenant, entry.id).await.map_err(failed)?;
    let dialect = session.dialect.parse().ok();
    let removed = removed.into_iter().map(|original| (Piece::of(&original, dialect), original)).collect();
    let by_id: HashMap<_, &Entry> = compactions.iter().map(|(entry, _)| (entry.id, entry)).collect();
    let before = entry.parent.and_then(|parent| by_id.get(&parent)).map(|entry| &entry.replay.edits[..]);
    let changes = Changes::between(before.unwrap_or_default(), &entry.replay.edits, removed);
    let difference = Difference { session: session.id.to_string(), number, of: latest, log: log.clone(), changes };
    drop(progress);
    if archive.json {
        return print_json(&difference.to_json());
    }
    let cut = if arguments.full { Cut::Nowhere } else { Cut::Short };
    print(&difference.to_text(cut, archive.style))
}

impl Changes {
    fn between(before: &[Edit], edits: &[Edit], removed: Vec<(Piece, Original)>) -> Changes {
        let is_message = |(piece, _): &(Piece, Original)| piece.kind == OriginalKind::Message;
        let (messages, texts): (Vec<_>, Vec<_>) = removed.into_iter().partition(is_message);
        let gone = newly_replaced(edits, before);
        let counted = messages.iter().filter(|(piece, _)| piece.counted).count();
        let mut places = gone.iter().copied();
        let placed = messages.into_iter().map(|(piece, original)| {
            // One that holds thinking alone stands beside its neighbour, and is not counted.
            let place = if counted == gone.len() && piece.counted { places.next() } else { None };
            Removed { place, piece, original }
        });
        let all_placed = counted == gone.len();
        let (placed, unplaced): (Vec<_>, Vec<_>) = placed.partition(|_| all_placed);
        let mut changes = Changes { unplaced, ..Changes::default() };
        let mut placed = placed.into_iter().peekable();
        for edit in edits.iter().filter(|edit| !before.contains(edit)) {
            match edit {
                Edit::NoteInSystem { text } => changes.note = Some(text.clone()),
                Edit::Replace { start, end, with } => {
                    let mut removed: Vec<Removed> = Vec::new();
                    while let Some(next) =
                        placed.next_if(|next| next.place.is_none_or(|place| (*start..*end).contains(&place)))
                    {
                        removed.push(next);
                    }
                    changes.replaced.push(Replaced { start: *start, end: *end, removed, with: with.clone() });
                }
                Edit::ShortenOutput { message, text, .. } => {
                    let cited = texts.iter().find(|(piece, _)| text.contains(&piece.hash.short()));
                    let original = cited.map(|(_, original)| original.clone());
                    changes.shortened.push(Shortened { message: *message, original, text: text.clone() });
                }
                Edit::AnswerCall { .. } | Edit::RemoveResult { .. } => changes.mended += 1,
            }
        }
        changes
    }
}

impl Difference {
    fn to_json(&self) -> Value {
        let removed = |removed: &Removed| {
            json!({
                "message": removed.place,
                "role": removed.piece.role.map(role_name),
                "original": removed.piece.hash.to_string(),
                "words": removed.original.words,
            })
        };
        let replaced = self.changes.replaced.iter().map(|replaced| {
            json!({
                "start": replaced.start,
                "end": replaced.end,
                "removed": replaced.removed.iter().map(removed).collect::<Vec<_>>(),
                "with": replaced.with,
            })
        });
        let shortened = self.changes.shortened.iter().map(|shortened| {
            json!({
                "message": shortened.message,
                "original": shortened.original.as_ref().map(|original| original.hash.to_string()),
                "before": shortened.original.as_ref().map(|original| &original.words),
                "after": shortened.text,
            })
        });
        json!({
            "session": self.session,
            "number": self.number,
            "compactions": self.of,
            "log": self.log,
            "note_in_system": self.changes.note,
            "replaced": replaced.collect::<Vec<_>>(),
            "shortened": shortened.collect::<Vec<_>>(),
            "removed_elsewhere": self.changes.unplaced.iter().map(removed).collect::<Vec<_>>(),
            "mended": self.changes.mended,
        })
    }

    fn to_text(&self, cut: Cut, style: Style) -> String {
        let record = &self.log.record;
        let mut lines = vec![
            style.bold(&format!("{}, compaction {} of {}", self.session, self.number, self.of)),
            format!(
                "  {} UTC, {}: {} → {} ({} saved), {} → {}",
                shown_moment(record.at_ms),
                self.log.reason,
                record.before,
                counted(record.after.0, "token"),
                shown_share(Some(record.ratio())),
                record.messages_before,
                counted(record.messages_after as u64, "message")
            ),
            format!("  {}", self.log.rungs.join(", then ")),
        ];
        lines.extend(self.log.compared.as_ref().map(|compared| format!("  {compared}")));
        if let Some(author) = &self.log.author {
            lines.push(format!("  summary by {author}"));
        }
        if let Some(why) = &self.log.stood_in {
            lines.push(style.yellow(&format!("  in place of {why}")));
        }
        let added = |lines: &mut Vec<String>, text: &str| {
            lines.extend(cut.lines(text).iter().map(|line| style.green(&format!("+ {line}"))));
        };
        if let Some(note) = &self.changes.note {
            lines.push(String::new());
            lines.push(style.bold("added to the system prompt"));
            added(&mut lines, note);
        }
        for replaced in &self.changes.replaced {
            lines.push(String::new());
            lines.push(style.bold(&format!("messages {}–{}", replaced.start, replaced.end.saturating_sub(1))));
            for removed in &replaced.removed {
                lines.extend(removed.to_lines(cut, style));
            }
            for inserted in &replaced.with {
                lines.push(style.green(&format!("+ {}", role_name(inserted.role))));
                added(&mut lines, &inserted.text);
            }
        }
        for shortened in &self.changes.shortened {
            lines.push(String::new());
            let name = shortened.original.as_ref().map(|original| format!(", original {}", original.hash.short()));
            lines.push(style.bold(&format!("an output in message {}{}", shortened.message, name.unwrap_or_default())));
            if let Some(original) = &shortened.original {
                lines.extend(cut.lines(&original.words).iter().map(|line| style.red(&format!("- {line}"))));
            }
            added(&mut lines, &shortened.text);
        }
        if !self.changes.unplaced.is_empty() {
            lines.push(String::new());
            lines.push(style.bold("messages whose place is not known any more"));
            for removed in &self.changes.unplaced {
                lines.extend(removed.to_lines(cut, style));
            }
        }
        if self.changes.mended > 0 {
            lines.push(String::new());
            lines.push(format!(
                "calls without a result, or results without a call, that were mended: {}",
                self.changes.mended
            ));
        }
        lines.push(String::new());
        lines.join("\n")
    }
}

impl Removed {
    fn to_lines(&self, cut: Cut, style: Style) -> Vec<String> {
        let place = self.place.map(|place| format!("{place} ")).unwrap_or_default();
        let role = self.piece.role.map_or("message", role_name);
        let head = style.red(&format!("- {place}{role}, original {}", self.piece.hash.short()));
        let said = cut.lines(&self.original.words);
        [head].into_iter().chain(said.iter().map(|line| style.red(&format!("-   {line}")))).collect()
    }
}

/// How much of a text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nowhere,
    Short,
}

impl Cut {
    /// The lines of a text that are shown. Control characters would be obeyed by a terminal.
    fn lines(self, text: &str) -> Vec<String> {
        let plain = |line: &str| line.chars().map(|c| if c.is_control() && c != '\t' { ' ' } else { c }).collect();
        let all: Vec<&str> = text.lines().collect();
        match self {
            Cut::Nowhere => all.into_iter().map(plain).collect(),
            Cut::Short => {
                let some = all.iter().filter(|line| !line.trim().is_empty()).take(LINES);
                let mut shown: Vec<String> = some
                    .map(|line| match line.char_indices().nth(CHARACTERS) {
                        Some((at, _)) => format!("{}…", plain(&line[..at])),
                        None => plain(line),
                    })
                    .collect();
                let left = all.iter().filter(|line| !line.trim().is_empty()).count().saturating_sub(LINES);
                if left > 0 {
                    shown.push(format!("… {}", counted(left as u64, "more line")));
                }
                shown
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_to_its_first_lines() {
        let text = "one\n\ntwo\x1b[31m\nthree\nfour\nfive\nsix\n";
        assert_eq!(Cut::Short.lines(text), ["one", "two [31m", "three", "four", "… 2 more lines"]);
        assert_eq!(Cut::Nowhere.lines(text).len(), 7);
        assert_eq!(Cut::Short.lines(&"é".repeat(200)), [format!("{}…", "é".repeat(160))]);
    }
}
