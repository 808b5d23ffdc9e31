//! What a kind found in an output: its pieces with their worth, and what is to be said of the rest.
//!
//! A reading knows neither how much room a digest has nor what the agent looks for, so it can be kept and used again.
//! Choosing and writing is done in one place for all kinds ([`super::write`]).

use std::ops::Range;

use crate::tokens::Tokens;

/// An output, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// What one piece is called when pieces are counted.
    pub unit: Unit,
    /// How kept pieces are told apart from what is missing between them.
    pub layout: Layout,
    /// Which lines report errors, by the words of the line alone.
    pub events: Events,
    /// Whether its last line tells how it ended. A file does not end in that sense.
    pub ends: bool,
    /// Said before the pieces, the most important first: totals, columns, a schema, repeated lines with their number.
    pub facts: Vec<Fact>,
    /// The whole text, in its order, without holes: what is in no piece could be lost without a word.
    pub pieces: Vec<Piece>,
    /// Pieces that belong together under a name: a function's lines, a file of a diff.
    pub sections: Vec<Section>,
}

/// Which lines of an output report an error. The survival check looks for them by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Events {
    /// Every line that speaks of one.
    Any,
    /// Those that say so by a level or by strong words; the kind decides over the others.
    Strong,
    /// None: a source file or a list of search hits only speaks of errors.
    Quiet,
}

/// What one piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A line of text.
    Line,
    /// A row of a table.
    Row,
    /// An element of a JSON array, or a line of JSON lines.
    Record,
    /// Words: of text without lines.
    Passage,
}

/// How a digest shows what is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Whole stretches are kept, and a mark says how much is missing between them.
    Gaps,
    /// Single lines are kept, each with its number, so that marks are not needed; the first line has this number.
    Numbered(usize),
    /// Single lines are kept as they are: they carry numbers or places of their own.
    Bare,
}

/// Something said of the output as a whole, in our words.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// One line, or a few.
    pub text: String,
    /// Said whatever room there is.
    pub always: bool,
}

/// The smallest thing that is kept or left out whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Where it stands in the text, in bytes, without the end of its last line.
    pub span: Range<usize>,
    /// How many units it is.
    pub units: usize,
    /// What it is worth.
    pub rank: Rank,
    /// Shown instead of the text. Must say all of a finding.
    pub full: Option<String>,
    /// Shown where there is no room for all of it. Never for a finding.
    pub brief: Option<String>,
    /// Shown behind it: how often it occurs, what it stands for.
    pub note: Option<String>,
}

/// What a piece is worth. The order is the order of choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Kept in full whatever it costs. The survival check looks for it.
    Finding(Finding),
    /// Kept whatever it costs, in brief if room is scarce: how the output ended, the names of what is in it.
    Frame,
    /// Kept while there is room, the smaller number first.
    Telling(u8),
    /// Kept if there is room at the end; from the ends of the output inwards.
    Ordinary,
    /// Told already by a fact, a note or a brief. Kept only for an agent that looks for it.
    Told,
}

/// Why a piece must not be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// Something went wrong.
    Error,
    /// A test or a check that did not pass.
    Failure,
    /// Unlike everything around it.
    Outlier,
    /// Something may go wrong.
    Warning,
}

/// Pieces under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Section {
    /// As the agent would name it: `settle`, `src/main.rs`.
    pub name: String,
    /// Indices of its pieces.
    pub pieces: Range<usize>,
}

impl Reading {
    /// Nothing yet, of an output whose lines report no events and whose end tells something.
    pub fn empty(unit: Unit) -> Reading {
        Reading {
            unit,
            layout: Layout::Gaps,
            events: Events::Quiet,
            ends: true,
            facts: Vec::new(),
            pieces: Vec::new(),
            sections: Vec::new(),
        }
    }

    /// Every line a piece, none of them better than another; empty lines are told already.
    pub fn of_lines(text: &str) -> Reading {
        let pieces = lines(text).map(Piece::ordinary_or_blank(text)).collect();
        Reading { events: Events::Any, pieces, ..Reading::empty(Unit::Line) }
    }

    /// Raises a piece; a finding stays a finding.
    pub fn raise(&mut self, piece: usize, rank: Rank) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.rank = piece.rank.min(rank);
        }
    }

    /// Makes a piece something that is kept in full, as it stands in the text.
    pub fn keep_whole(&mut self, piece: usize) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            let finding = piece.rank.finding().unwrap_or(Finding::Error);
            (piece.rank, piece.full) = (Rank::Finding(finding), None);
        }
    }

    /// Says something of the whole, whatever room there is.
    pub fn say_always(&mut self, text: impl Into<String>) {
        self.facts.push(Fact { text: text.into(), always: true });
    }

    /// Says something of the whole if there is room.
    pub fn say(&mut self, text: impl Into<String>) {
        self.facts.push(Fact { text: text.into(), always: false });
    }

    /// How many units the pieces are.
    pub fn units(&self) -> usize {
        self.pieces.iter().map(|piece| piece.units).sum()
    }
}

impl Piece {
    /// A piece of `span` that is nothing special.
    pub fn ordinary(span: Range<usize>) -> Piece {
        Piece { span, units: 1, rank: Rank::Ordinary, full: None, brief: None, note: None }
    }

    fn ordinary_or_blank(text: &str) -> impl Fn(Range<usize>) -> Piece {
        |span| {
            let blank = text.get(span.clone()).is_none_or(|line| line.trim().is_empty());
            let rank = if blank { Rank::Told } else { Rank::Ordinary };
            Piece { rank, ..Piece::ordinary(span) }
        }
    }

    /// The same with another rank.
    #[must_use]
    pub fn ranked(self, rank: Rank) -> Piece {
        Piece { rank, ..self }
    }

    /// Its text in the output.
    pub fn text<'text>(&self, text: &'text str) -> &'text str {
        text.get(self.span.clone()).unwrap_or_default()
    }
}

impl Rank {
    /// Why it must not be lost, if it must not.
    pub fn finding(self) -> Option<Finding> {
        match self {
            Rank::Finding(finding) => Some(finding),
            Rank::Frame | Rank::Telling(_) | Rank::Ordinary | Rank::Told => None,
        }
    }
}

impl Finding {
    /// A number of them: `1 error`, `2,000 warnings`.
    pub fn count(self, number: usize) -> String {
        let one = match self {
            Finding::Error => "error",
            Finding::Failure => "failure",
            Finding::Outlier => "outlier",
            Finding::Warning => "warning",
        };
        format!("{} {one}{}", Tokens(number as u64), if number == 1 { "" } else { "s" })
    }
}

impl Unit {
    /// A number of them: `1 line`, `2,000 rows`.
    pub fn count(self, number: usize) -> String {
        let (one, many) = match self {
            Unit::Line => ("line", "lines"),
            Unit::Row => ("row", "rows"),
            Unit::Record => ("record", "records"),
            Unit::Passage => ("passage", "passages"),
        };
        format!("{} {}", Tokens(number as u64), if number == 1 { one } else { many })
    }
}

/// Where the lines of a text are, without their ends (`\n`, `\r\n`).
pub fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.lines().map(move |line| {
        let start = line.as_ptr() as usize - base;
        start..start + line.len()
    })
}
