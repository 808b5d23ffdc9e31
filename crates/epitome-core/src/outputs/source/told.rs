//! How the definitions of a source file are told: with parameters while there are few, folded when there are many.

use std::ops::Range;

use super::language::Role;
use super::outline::{Definition, Outline};
use crate::outputs::reading::Rank;

/// More definitions than this are told without their parameters.
const WITH_PARAMETERS: usize = 25;
/// More definitions than this, or briefs of more bytes, are folded: names of members behind their type.
const UNFOLDED: usize = 60;
const UNFOLDED_BYTES: usize = 1_800;
/// So are briefs that are more than this part of the text.
const DENSE: usize = 4;
/// More names than this are a list that nobody reads: the rest are counted.
const ALL_NAMES: usize = 200;
/// Names on one folded line.
const NAMES_PER_LINE: usize = 12;
/// A value up to this length is told with a folded name.
const VALUE_BYTES: usize = 24;

/// How the definitions are told.
pub(super) struct Told {
    /// In the order of the rows.
    pub(super) heads: Vec<Head>,
    /// Names that were told folded.
    named: usize,
}

/// The head of a definition, as a piece.
pub(super) struct Head {
    pub(super) rows: Range<usize>,
    pub(super) rank: Rank,
    pub(super) brief: String,
    /// The names that it stands for itself.
    pub(super) names: Vec<String>,
    /// Names of definitions that have no head of their own.
    folded: Vec<String>,
    /// How many more there are.
    more: usize,
}

impl Told {
    pub(super) fn of(outline: &Outline, text_bytes: usize) -> Told {
        let mut sorted: Vec<&Definition> = outline.definitions.iter().collect();
        sorted.sort_by_key(|definition| (definition.head.start, definition.depth));
        let frames = sorted.iter().filter(|definition| !definition.local).count();
        let bytes: usize = sorted.iter().filter(|one| !one.local).map(|one| one.brief.len() + 7).sum();
        let folded = frames > UNFOLDED || bytes > UNFOLDED_BYTES.min(text_bytes / DENSE).max(UNFOLDED_BYTES / 3);
        let mut told = Told { heads: Vec::new(), named: 0 };
        // The head that takes the names of what is folded: with its depth, and how many names it has.
        let mut host: Option<(usize, &Definition, usize)> = None;
        for definition in sorted {
            let parameters = if frames > WITH_PARAMETERS { "" } else { definition.parameters };
            let brief = format!("{}{parameters}", definition.brief);
            if definition.local {
                told.push(definition, brief, Rank::Telling(5));
                continue;
            }
            if folded && let Some((head, host_definition, names)) = host {
                let member = definition.depth > host_definition.depth;
                let same = definition.depth == host_definition.depth && definition.role == host_definition.role;
                let room = names < NAMES_PER_LINE || told.named == ALL_NAMES;
                let alike = same && definition.role != Role::Type && room;
                if member || alike {
                    told.fold(head, definition);
                    host = Some((head, host_definition, names + 1));
                    continue;
                }
            }
            let rank = if told.heads.len() < ALL_NAMES { Rank::Frame } else { Rank::Telling(6) };
            let head = told.push(definition, brief, rank);
            host = Some((head, definition, 0));
        }
        told
    }

    /// A head of its own, or a part of the head on the same row.
    fn push(&mut self, definition: &Definition, brief: String, rank: Rank) -> usize {
        let index = self.heads.len();
        match self.heads.last_mut() {
            Some(last) if last.rows.start == definition.head.start => {
                if rank == Rank::Frame {
                    last.brief = format!("{}; {brief}", last.brief);
                    last.rank = last.rank.min(rank);
                    last.names.push(definition.name.clone());
                }
                index - 1
            }
            Some(_) | None => {
                self.heads.push(Head {
                    rows: definition.head.clone(),
                    rank,
                    brief,
                    names: vec![definition.name.clone()],
                    folded: Vec::new(),
                    more: 0,
                });
                index
            }
        }
    }

    fn fold(&mut self, head: usize, definition: &Definition) {
        if let Some(head) = self.heads.get_mut(head) {
            if self.named == ALL_NAMES {
                head.more += 1;
                return;
            }
            self.named += 1;
            // The value of a constant is what it is for.
            let valued =
                definition.role == Role::Value && definition.brief.len() <= definition.name.len() + VALUE_BYTES;
            head.folded.push(if valued { definition.brief.clone() } else { definition.name.clone() });
        }
    }
}

impl Head {
    /// The names that are told behind it.
    pub(super) fn note(&self) -> Option<String> {
        let more = (self.more > 0).then(|| format!("{} more", self.more));
        let names: Vec<&str> = self.folded.iter().map(String::as_str).chain(more.as_deref()).collect();
        (!names.is_empty()).then(|| format!(" [+ {}]", names.join(", ")))
    }
}
