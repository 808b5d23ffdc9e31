//! What of an output is worth keeping, whatever format it has: what its own pattern did not foretell, what the agent asks
//! for, and the lines that give both their place.
//!
//! Readers find structure and judge nothing ([`structure`]); one model weighs every line in bits ([`model`]); one choice
//! fills the room by worth per token ([`choice`]).

mod choice;
mod facts;
mod hashed;
mod model;
mod names;
mod respelling;
mod structure;
mod symbols;

pub(super) use choice::{Choosing, Cost, Taken};
pub(super) use structure::{Section, outline};

use std::ops::Range;

use model::Surprises;
use names::Names;
use structure::Structure;

use super::events::{self, Severity};
use crate::tokens::Tokens;

/// An output, weighed without regard to room and to what the agent asks for.
#[derive(Debug)]
pub(super) struct Weighed {
    structure: Structure,
    surprises: Surprises,
    /// What every line says that is usual: the bits below which nothing is odd.
    usual: f32,
    /// Bits for words of errors and for standing at an end.
    errors: Vec<f32>,
    ends: Vec<f32>,
    outline: Vec<f32>,
    names: Names,
    counts: Option<String>,
}

/// Symbols that make the form of a line.
const FORM: usize = 6;
/// Lines, of a hundred, that are usual.
const USUAL: usize = 85;
/// The same of a program's source, whose lines differ.
const USUAL_IN_CODE: usize = 96;
/// Bits of the first lines, and of the last, the last first.
const FIRST: [f32; 2] = [4.0, 2.0];
const LAST: [f32; 2] = [8.0, 4.0];
const ERROR_AT_MOST: f32 = 10.0;
/// Bits of a definition, and of a line that heads deeper ones by how deep it stands itself.
const DEFINITION: f32 = 14.0;
const HEAD: f32 = 6.0;
const HEAD_BY_DEPTH: [f32; 4] = [1.0, 0.7, 0.3, 0.1];
/// Bits of a line that stands under none, where few do.
const TOP: f32 = 2.4;
/// Lines of fewer bits are not part of a list of contents.
const HEADINGS: f32 = 4.0;

impl Weighed {
    /// What stands under a name.
    pub(super) fn sections(&self, text: &str) -> Vec<Section> {
        self.structure.sections(text)
    }

    /// What quoting cannot say: counts of its lines, or the names of its records; and whether it is the names.
    pub(super) fn facts(&self, text: &str, room: Tokens) -> (Option<String>, bool) {
        if self.structure.diff || self.structure.code {
            return (None, false);
        }
        match &self.counts {
            Some(counts) => (Some(counts.clone()), false),
            None => {
                let names = self.names.list(&self.structure, text, room);
                let listed = names.is_some();
                (names, listed)
            }
        }
    }

    /// Its lines, and the elements and sentences of long ones: in order, and without holes but for white space.
    pub(super) fn pieces(&self) -> &[Range<usize>] {
        &self.structure.pieces
    }

    /// The lines that make a list of contents.
    pub(super) fn contents(&self) -> impl Iterator<Item = usize> + '_ {
        self.outline.iter().enumerate().filter(|(_, bits)| **bits >= HEADINGS).map(|(line, _)| line)
    }

    /// What a line is like, whatever values it has.
    pub(super) fn form(&self, line: usize) -> u64 {
        let tokens = self.structure.lines.get(line).map(|line| self.structure.tokens_of(line)).unwrap_or_default();
        tokens
            .iter()
            .take(FORM)
            .fold(0, |form, token| (form ^ u64::from(token.symbol)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.surprises.bytes() + self.structure.bytes() + self.structure.lines.len() * 40
    }

    /// What digests and reports call it.
    pub(super) fn kind(&self, text: &str) -> &'static str {
        let opening = text.trim_start().bytes().next();
        match () {
            () if self.structure.diff => "diff",
            () if self.structure.code => "source",
            () if matches!(opening, Some(b'{' | b'[')) && text.trim_end().ends_with(['}', ']']) => "JSON",
            () if self.structure.is_log() => "log",
            () => "command output",
        }
    }

    /// Whether it is a list of changes.
    pub(super) fn is_diff(&self) -> bool {
        self.structure.diff
    }

    /// Whether it is a program's source.
    pub(super) fn is_code(&self) -> bool {
        self.structure.code
    }

    /// Whether a number stands before every line.
    pub(super) fn is_numbered(&self) -> bool {
        self.structure.numbered
    }

    /// Weighs an output.
    pub(super) fn of(text: &str) -> Weighed {
        let structure = Structure::of(text);
        let surprises = model::surprises(&structure, text);
        let filled = structure.lines.iter().enumerate().filter(|(_, line)| !structure.is_blank(line));
        let mut bits: Vec<f32> = filled.map(|(line, _)| surprises.bits(line, |_| 0)).collect();
        let share = if structure.code { USUAL_IN_CODE } else { USUAL };
        let at = bits.len() * share / 100;
        let usual = match at < bits.len() {
            true => *bits.select_nth_unstable_by(at, f32::total_cmp).1,
            false => 0.0,
        };
        let errors = errors(&structure, text);
        let ends = ends(&structure);
        let outline = outline_bits(&structure);
        let names = Names::of(&structure, text);
        let lines = structure.lines.iter().filter(|line| !structure.is_blank(line));
        let lines: Vec<&str> = lines.map(|line| text.get(line.span.clone()).unwrap_or_default()).collect();
        let counts = facts::counts(&lines).or_else(|| facts::levels(&lines));
        Weighed { counts, names, structure, surprises, usual, errors, ends, outline }
    }
}

/// Words of errors are worth more the fewer lines have one.
fn errors(structure: &Structure, text: &str) -> Vec<f32> {
    let severity = |span: &Range<usize>| events::severity(text.get(span.clone()).unwrap_or_default());
    let found: Vec<Option<Severity>> = structure.lines.iter().map(|line| severity(&line.span)).collect();
    let filled = structure.lines.iter().filter(|line| !structure.is_blank(line)).count();
    let speak = found.iter().flatten().count();
    let bits = ((filled as f32 / speak.max(1) as f32).log2() + 1.0).clamp(0.0, ERROR_AT_MOST);
    let of = |severity: &Option<Severity>| match severity {
        None => 0.0,
        Some(Severity::Warning) => bits / 2.0,
        Some(Severity::Error) => bits,
    };
    found.iter().map(of).collect()
}

fn ends(structure: &Structure) -> Vec<f32> {
    let mut ends = vec![0.0_f32; structure.lines.len()];
    let filled: Vec<usize> = (0..structure.lines.len())
        .filter(|at| structure.lines.get(*at).is_some_and(|line| structure.has_words(line)))
        .collect();
    let mut add = |at: Option<&usize>, bits: f32| {
        if let Some(end) = at.and_then(|at| ends.get_mut(*at)) {
            *end = end.max(bits);
        }
    };
    FIRST.iter().enumerate().for_each(|(at, bits)| add(filled.get(at), *bits));
    LAST.iter().zip(filled.iter().rev()).for_each(|(bits, at)| add(Some(at), *bits));
    ends
}

fn outline_bits(structure: &Structure) -> Vec<f32> {
    let filled = structure.lines.iter().filter(|line| !structure.is_blank(line)).count();
    let at_top = |line: &&structure::Line| line.depth == 0 && !structure.is_blank(line);
    let few_at_top = structure.lines.iter().filter(at_top).count() * 10 < filled * 3;
    let of = |line: &structure::Line| match () {
        () if !structure.has_words(line) => 0.0,
        () if line.defines => DEFINITION,
        () if line.inside => 0.0,
        () if structure.code && line.remarks => 0.0,
        () if structure.code && (line.depth > 0 || line.imports) && !line.opens => 0.0,
        () if structure.code && line.imports => 0.0,
        () if structure.code && !line.opens => {
            if line.depth == 0 {
                TOP
            } else {
                0.0
            }
        }
        () if line.opens && structure.has_words(line) => {
            HEAD * HEAD_BY_DEPTH.get(usize::from(line.depth)).copied().unwrap_or(0.1)
        }
        () if line.depth == 0 && few_at_top => TOP,
        () => 0.0,
    };
    structure.lines.iter().map(of).collect()
}
