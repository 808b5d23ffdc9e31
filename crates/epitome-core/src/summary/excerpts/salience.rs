//! How likely each term of a transcript is needed again.
//!
//! What the agent wrote itself, what comes again, what is recent and what is defined is needed more often than the rest;
//! what is rare, less often. Weights are round numbers from an experiment on recorded sessions; fitted ones did no better.

use super::lexicon::Lexicon;
use super::sources::{Transcript, Voice};
use crate::model::{Message, Role};
use crate::outputs::Interest;
use crate::summary::terms::{Kind, each_run};

/// What is known of the terms of a transcript.
pub(super) struct Salience {
    /// What each term is worth.
    pub(super) worth: Vec<f32>,
    pub(super) lexicon: Lexicon,
    /// Terms of each line, one list behind the other.
    of_lines: Vec<u32>,
    ends: Vec<u32>,
}

/// What is known of one term.
#[derive(Clone, Default)]
struct Seen {
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
            lexicon: Lexicon::for_lines(transcript.lines.len()),
            of_lines: Vec::with_capacity(transcript.lines.len()),
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
            salience.read_line(text, line.earlier);
            seen.resize(salience.lexicon.kinds().len(), Seen::default());
            for id in &salience.of_lines[first..] {
                let seen = &mut seen[*id as usize];
                seen.lines += 1;
                seen.last = position;
                seen.by_agent |= by_agent;
                seen.is_defined |= is_defined;
                seen.in_focus |= in_focus;
            }
            salience.ends.push(salience.of_lines.len() as u32);
        }
        for naming in transcript.sources.iter().filter(|source| source.edits).filter_map(|source| source.naming) {
            let terms = slice_of(&salience.of_lines, &salience.ends, naming);
            for id in terms {
                let kind = salience.lexicon.kinds()[*id as usize];
                seen[*id as usize].is_edited |= matches!(kind, Kind::File | Kind::Path);
            }
        }
        let end = position + stays_tokens;
        // What the agent has written since is what it works with.
        for message in stays.iter().filter(|message| message.role == Role::Assistant) {
            message.each_text(|text| salience.lexicon.known_in(text, |id| seen[id as usize].by_agent = true));
        }
        let worth = seen.iter().zip(salience.lexicon.kinds()).map(|(seen, kind)| seen.worth(*kind, end));
        salience.worth = worth.collect();
        salience
    }

    /// Adds the terms of the next line; `earlier` is one that says the same.
    fn read_line(&mut self, text: &str, earlier: Option<u32>) {
        if let Some(earlier) = earlier {
            let known = bounds_of(&self.ends, earlier as usize);
            return self.of_lines.extend_from_within(known);
        }
        let first = self.of_lines.len();
        let (lexicon, of_lines) = (&mut self.lexicon, &mut self.of_lines);
        each_run(text, |run| {
            lexicon.each_of_run(run, |id| {
                if !of_lines[first..].contains(&id) {
                    of_lines.push(id);
                }
            });
        });
    }

    /// The terms of a line.
    pub(super) fn of_line(&self, line: usize) -> &[u32] {
        slice_of(&self.of_lines, &self.ends, line)
    }
}

fn slice_of<'a>(all: &'a [u32], ends: &[u32], at: usize) -> &'a [u32] {
    all.get(bounds_of(ends, at)).unwrap_or_default()
}

fn bounds_of(ends: &[u32], at: usize) -> std::ops::Range<usize> {
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    let end = ends.get(at).copied().unwrap_or(start);
    start as usize..end as usize
}

impl Seen {
    fn worth(&self, kind: Kind, end: f32) -> f32 {
        let kind = match kind {
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
    const WORDS: [u128; 22] = [
        packed(b"fn"),
        packed(b"def"),
        packed(b"class"),
        packed(b"function"),
        packed(b"const"),
        packed(b"let"),
        packed(b"var"),
        packed(b"type"),
        packed(b"struct"),
        packed(b"enum"),
        packed(b"interface"),
        packed(b"impl"),
        packed(b"trait"),
        packed(b"func"),
        packed(b"export"),
        packed(b"pub"),
        packed(b"public"),
        packed(b"private"),
        packed(b"static"),
        packed(b"async"),
        packed(b"abstract"),
        packed(b"module"),
    ];
    let line = line.as_bytes().trim_ascii_start();
    let first = line.iter().take(LONGEST_WORD + 1).take_while(|byte| byte.is_ascii_lowercase()).count();
    first > 0 && first <= LONGEST_WORD && WORDS.contains(&packed(&line[..first]))
}

/// Longer words define nothing.
const LONGEST_WORD: usize = 9;

/// A short word as a number, which is compared at once: every line is asked.
const fn packed(word: &[u8]) -> u128 {
    let mut number = 0;
    let mut at = 0;
    while at < word.len() {
        number = number << 8 | word[at] as u128;
        at += 1;
    }
    number
}
