//! How likely each term of a transcript is needed again.
//!
//! What the agent wrote itself, what comes again, what is recent and what is defined is needed more often than the rest;
//! what is rare, less often. Weights are round numbers from an experiment on recorded sessions; fitted ones did no better.

use super::sources::{Transcript, Voice};
use crate::model::{Message, Role};
use crate::outputs::Interest;
use crate::summary::terms::{self, KeyMap, Kind, Term};

/// What is known of the terms of a transcript.
pub(super) struct Salience {
    /// What each term is worth.
    pub(super) worth: Vec<f32>,
    ids: KeyMap<u32>,
    /// Terms of each line, one list behind the other.
    of_lines: Vec<u32>,
    ends: Vec<u32>,
}

/// What is known of one term.
struct Seen {
    kind: Kind,
    lines: u32,
    /// Tokens before its last occurrence.
    last: f32,
    by_agent: bool,
    is_defined: bool,
    is_edited: bool,
    in_focus: bool,
}

/// A term this many tokens ago is half as recent.
const HALF_RECENT: f32 = 20_000.0;
/// What is left for the oldest.
const OLDEST: f32 = 0.2;

impl Salience {
    pub(super) fn of(transcript: &Transcript<'_>, stays: &[Message], focus: &Interest, stays_tokens: f32) -> Salience {
        let mut salience = Salience {
            worth: Vec::new(),
            ids: KeyMap::default(),
            of_lines: Vec::new(),
            ends: Vec::with_capacity(transcript.lines.len()),
        };
        let mut seen: Vec<Seen> = Vec::new();
        let mut position = 0.0;
        for line in &transcript.lines {
            position += line.cost;
            let text = transcript.text(line);
            let by_agent = transcript.part(line).is_some_and(|part| part.voice == Voice::Agent);
            let is_defined = is_definition(text);
            let in_focus = !focus.is_empty() && focus.matches(text);
            let first = salience.of_lines.len();
            let (ids, of_lines) = (&mut salience.ids, &mut salience.of_lines);
            terms::each(text, |term| {
                let id = id_of(ids, &mut seen, term);
                if of_lines[first..].contains(&id) {
                    return;
                }
                of_lines.push(id);
                let seen = &mut seen[id as usize];
                seen.lines += 1;
                seen.last = position;
                seen.by_agent |= by_agent;
                seen.is_defined |= is_defined;
                seen.in_focus |= in_focus;
            });
            salience.ends.push(salience.of_lines.len() as u32);
        }
        for naming in transcript.sources.iter().filter(|source| source.edits).filter_map(|source| source.naming) {
            let terms = slice_of(&salience.of_lines, &salience.ends, naming);
            for id in terms {
                let seen = &mut seen[*id as usize];
                seen.is_edited |= matches!(seen.kind, Kind::File | Kind::Path);
            }
        }
        let end = position + stays_tokens;
        // What the agent has written since is what it works with.
        for message in stays.iter().filter(|message| message.role == Role::Assistant) {
            message.each_text(|text| salience.known_in(text, |id| seen[id as usize].by_agent = true));
        }
        salience.worth = seen.iter().map(|seen| seen.worth(end)).collect();
        salience
    }

    /// The terms of a line.
    pub(super) fn of_line(&self, line: usize) -> &[u32] {
        slice_of(&self.of_lines, &self.ends, line)
    }

    /// Calls `found` with each known term of a text.
    pub(super) fn known_in(&self, text: &str, mut found: impl FnMut(u32)) {
        terms::each(text, |term| {
            if let Some(id) = self.ids.get(&terms::key(term.text)) {
                found(*id);
            }
        });
    }
}

fn id_of(ids: &mut KeyMap<u32>, seen: &mut Vec<Seen>, term: Term<'_>) -> u32 {
    *ids.entry(terms::key(term.text)).or_insert_with(|| {
        seen.push(Seen {
            kind: term.kind,
            lines: 0,
            last: 0.0,
            by_agent: false,
            is_defined: false,
            is_edited: false,
            in_focus: false,
        });
        seen.len() as u32 - 1
    })
}

fn slice_of<'a>(all: &'a [u32], ends: &[u32], at: usize) -> &'a [u32] {
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    let end = ends.get(at).copied().unwrap_or(start);
    all.get(start as usize..end as usize).unwrap_or_default()
}

impl Seen {
    fn worth(&self, end: f32) -> f32 {
        let kind = match self.kind {
            Kind::File => 1.8,
            Kind::Path => 1.2,
            Kind::Name => 1.0,
            Kind::Joined => 0.6,
            Kind::Number => 0.5,
        };
        let age = (end - self.last).max(0.0);
        let recency = OLDEST + 1.0 / (1.0 + age / HALF_RECENT);
        let repetition = if self.lines <= 1 { 0.6 } else { (0.6 + 0.35 * (self.lines as f32).log2()).min(2.0) };
        let times = |is: bool, factor: f32| if is { factor } else { 1.0 };
        kind * recency
            * repetition
            * times(self.by_agent, 4.0)
            * times(self.is_edited, 2.0)
            * times(self.is_defined, 1.3)
            * times(self.in_focus, 8.0)
    }
}

/// Whether a line defines something, in one of the usual languages.
fn is_definition(line: &str) -> bool {
    const WORDS: [&str; 22] = [
        "fn",
        "def",
        "class",
        "function",
        "const",
        "let",
        "var",
        "type",
        "struct",
        "enum",
        "interface",
        "impl",
        "trait",
        "func",
        "export",
        "pub",
        "public",
        "private",
        "static",
        "async",
        "abstract",
        "module",
    ];
    let first = line.trim_start().split(|c: char| !c.is_ascii_lowercase()).next().unwrap_or_default();
    WORDS.contains(&first)
}
