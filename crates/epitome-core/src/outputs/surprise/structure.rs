//! Where the lines of an output are, and which stands below which. Judges nothing: a wrong level only moves a line's
//! neighbours.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

use xxhash_rust::xxh3::xxh3_64;

use super::hashed::{Hashed, mix};
use super::respelling::respell;
use super::symbols::{Class, Symbols, Token, tokens};
use crate::outputs::{numbers, place, rows};

/// A line, or an element of a line that holds many.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// Where it stands in the text, without what was written before every line.
    pub(super) span: Range<usize>,
    /// How deep it stands.
    pub(super) level: u16,
    /// The nearest line above that is less deep.
    pub(super) parent: Option<u32>,
    /// How many lines it stands under.
    pub(super) depth: u16,
    /// Its tokens.
    pub(super) tokens: Range<u32>,
    /// It heads deeper lines.
    pub(super) opens: bool,
    /// It stands in what another line defines.
    pub(super) inside: bool,
    /// It defines something that has a name.
    pub(super) defines: bool,
    /// It is a comment of a program.
    pub(super) remarks: bool,
    /// It begins as the lines of a program do that define nothing.
    pub(super) imports: bool,
}

/// Lines that belong together under a name.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::outputs) struct Section {
    /// As the agent would name it.
    pub(in crate::outputs) name: String,
    pub(in crate::outputs) lines: Range<usize>,
}

/// An output with its structure.
#[derive(Debug)]
pub(super) struct Structure {
    /// Where the lines stand with what was written before them.
    pub(super) pieces: Vec<Range<usize>>,
    pub(super) lines: Vec<Line>,
    pub(super) tokens: Vec<Token>,
    /// A program's source.
    pub(super) code: bool,
    /// A number was written before every line.
    pub(super) numbered: bool,
    /// A list of changes.
    pub(super) diff: bool,
}

/// A longer line may hold a whole document.
const LONG_LINE: usize = 600;
/// Of such a line, one character of so many is a bracket or a separator.
const SEPARATED: usize = 40;
/// A sentence of a longer line is a piece of its own.
const LONG_SENTENCES: usize = 160;
/// Blank lines between a definition and its body are fewer.
const BODY_WITHIN: usize = 4;
/// A program's source has so many definitions at least.
const DEFINITIONS: usize = 4;
/// Of a hundred lines, so many begin with `if`, `return` and the like where a program's source has no known definitions.
const CONTROLS: usize = 10;
/// Where more lines, of a hundred, begin with a place, they speak of a source and are none.
const PLACED: usize = 15;
/// Records that follow each other are so many at least, and none is longer.
const RECORDS: usize = 4;
const LONGEST_RECORD: usize = 80;
/// Tokens by which two lines begin alike.
const BEGINNING: usize = 2;
/// Where records follow each other on one level, so many of a hundred lines stand on it.
const OUTER: usize = 15;
/// So many of a hundred of these lines are fields that come as often as the first.
const FIELDS: usize = 50;
/// More lines are no section: nobody asks for all of them.
const LONGEST_SECTION: usize = 200;
/// An element of a line is shorter than this, or it is cut.
const LONGEST_ELEMENT: usize = 4_000;

/// The pieces of an output, in order and without holes but for white space.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    for span in lines(text) {
        let line = text.get(span.clone()).unwrap_or_default();
        let separators =
            || line.bytes().filter(|byte| matches!(byte, b'{' | b'}' | b'[' | b']' | b'<' | b',' | b';')).count();
        if line.len() > LONG_LINE && (separators() * SEPARATED > line.len() || line.matches("\\n").count() >= 5) {
            elements(line, span.start, &mut pieces);
        } else if line.len() > LONG_SENTENCES && sentence_ends(line).nth(1).is_some() {
            let mut from = 0;
            for end in sentence_ends(line).chain([line.len()]) {
                if end > from {
                    pieces.push(span.start + from..span.start + end);
                }
                from = end;
            }
        } else {
            pieces.push(span);
        }
    }
    pieces
}

/// Where the lines of a text are, without their ends (`\n`, `\r\n`).
fn lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.lines().map(move |line| {
        let start = line.as_ptr() as usize - base;
        start..start + line.len()
    })
}

/// Behind a stop, a blank, and before a capital.
fn sentence_ends(line: &str) -> impl Iterator<Item = usize> {
    let stops = line.char_indices().filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。' | '！' | '？'));
    stops.filter_map(|(at, stop)| {
        let behind = at + stop.len_utf8();
        let rest = line.get(behind..)?;
        if stop.len_utf8() > 1 {
            return Some(behind);
        }
        let mut letters = rest.chars();
        let parted = letters.next()? == ' ';
        (parted && letters.next()?.is_uppercase()).then_some(behind + 1)
    })
}

/// The elements of a long line: one for each opening bracket, separator and tag.
fn elements(line: &str, base: usize, into: &mut Vec<Range<usize>>) {
    let bytes = line.as_bytes();
    let breaks = line.matches("\\n").count() >= 5;
    let (mut from, mut at, mut quoted) = (0, 0, false);
    let first = into.len();
    let mut push = |from: usize, to: usize| {
        let element = line.get(from..to).unwrap_or_default();
        if element.trim().is_empty() {
            return;
        }
        // A bracket that closes belongs to what it closes.
        let closes = element.bytes().all(|byte| matches!(byte, b'}' | b']' | b',' | b';' | b' ' | b')'));
        match into.last_mut().filter(|_| closes) {
            Some(last) if last.end <= base + from => last.end = base + to,
            Some(_) | None => into.push(base + from..base + to),
        }
    };
    while let Some(byte) = bytes.get(at) {
        let end = match byte {
            b'\\' if quoted && breaks && bytes.get(at + 1) == Some(&b'n') => Some(at + 2),
            b'\\' if quoted => {
                at += 2;
                continue;
            }
            b'"' => {
                quoted = !quoted;
                None
            }
            b'{' | b'[' | b',' | b';' if !quoted => Some(at + 1),
            b'}' | b']' if !quoted => {
                push(from, at);
                from = at;
                Some(at + 1)
            }
            // A tag that closes belongs to what it closes, too.
            b'<' if !quoted && at > from && bytes.get(at + 1) != Some(&b'/') => Some(at),
            _ if at - from >= LONGEST_ELEMENT && line.is_char_boundary(at) => {
                quoted = false;
                Some(at)
            }
            _ => None,
        };
        at += 1;
        if let Some(end) = end {
            push(from, end);
            (from, at) = (end, at.max(end));
        }
    }
    push(from, line.len());
    if into.len() == first {
        into.push(base..base + line.len());
    }
}

impl Structure {
    /// The structure of `text`, whose pieces are given.
    pub(super) fn of(text: &str) -> Structure {
        let pieces = pieces(text);
        let skipped = gutter(text, &pieces);
        let mut symbols = Symbols::new();
        let mut all = Vec::with_capacity(text.len() / 3);
        let mut lines = Vec::with_capacity(pieces.len());
        let mut nesting = 0_u16;
        let mut previous_end = 0;
        let (mut previous, mut after_blank) = ("", true);
        for piece in &pieces {
            let whole = text.get(piece.clone()).unwrap_or_default();
            let skip = skipped.of(whole);
            let span = piece.start + skip..piece.end;
            let line = text.get(span.clone()).unwrap_or_default();
            let from = all.len() as u32;
            tokens(line, span.start, &mut symbols, &mut all);
            // An element of a line stands as deep as its brackets say.
            let newline = begins_line(text, piece.start);
            if newline {
                nesting = 0;
            } else {
                let between = text.get(previous_end..piece.start).unwrap_or_default();
                nesting = after_brackets(nesting, between, false);
            }
            // What only opens a body belongs to the line above.
            let own = if newline { indentation(line) } else { 0 };
            let brace = line.trim() == "{" && previous.ends_with(|c: char| c.is_alphanumeric() || c == ')');
            let body = brace || opens_body(line) && !after_blank;
            let level = own + nesting * 2 + u16::from(body);
            after_blank = line.trim().is_empty();
            if !after_blank {
                previous = line.trim_end();
            }
            if !newline || next_is_element(text, piece.end) {
                nesting = after_brackets(nesting, whole, true);
            }
            previous_end = piece.end;
            let tokens = from..all.len() as u32;
            lines.push(Line {
                span,
                level,
                parent: None,
                depth: 0,
                tokens,
                opens: false,
                inside: false,
                defines: false,
                imports: false,
                remarks: false,
            });
        }
        respell(&symbols, &mut all, text);
        let mut structure =
            Structure { pieces, lines, tokens: all, code: false, numbered: skipped.numbered, diff: false };
        structure.diff = structure.level_by_diff(text);
        if !structure.diff {
            structure.find_definitions(text);
        }
        if !structure.diff && !structure.code {
            let leveled = structure.level_by_headings(text) || structure.level_by_repetition();
            if !leveled {
                structure.level_by_records(text);
            }
        }
        structure.link();
        structure
    }

    /// What stands under a name: the lines of a function, of a record.
    pub(super) fn sections(&self, text: &str) -> Vec<Section> {
        let mut sections = Vec::new();
        for (index, line) in self.lines.iter().enumerate().filter(|(_, line)| line.opens || line.defines) {
            let below = self.lines.iter().skip(index + 1).take(LONGEST_SECTION);
            let deeper = below.take_while(|below| below.level > line.level || self.is_blank(below)).count();
            let last = self.lines.get(index + 1 + deeper);
            let closes = last
                .is_some_and(|line| !self.has_words(line) || is_end(text.get(line.span.clone()).unwrap_or_default()));
            // What is said of it stands above it.
            let said = |line: &Line| is_remark(text.get(line.span.clone()).unwrap_or_default());
            let above =
                self.lines.get(..index).unwrap_or_default().iter().rev().take(6).take_while(|line| said(line)).count();
            let end = index + 1 + deeper + usize::from(closes);
            let name = name_of(text.get(line.span.clone()).unwrap_or_default());
            if deeper < LONGEST_SECTION && !name.is_empty() {
                sections.push(Section { name: name.to_owned(), lines: index - above..end.min(self.lines.len()) });
            }
        }
        sections
    }

    /// Whether most lines have a time near their beginning.
    pub(super) fn is_log(&self) -> bool {
        let timed = |line: &&Line| self.tokens_of(line).iter().take(4).any(|token| token.class == Class::Time);
        let filled = self.lines.iter().filter(|line| !self.is_blank(line)).count();
        self.lines.iter().filter(timed).count() * 2 > filled
    }

    /// How much memory it takes, about.
    pub(super) fn bytes(&self) -> usize {
        self.lines.len() * (size_of::<Line>() + size_of::<Range<usize>>()) + self.tokens.len() * size_of::<Token>()
    }

    pub(super) fn is_blank(&self, line: &Line) -> bool {
        line.tokens.is_empty()
    }

    /// The tokens of a line.
    pub(super) fn tokens_of(&self, line: &Line) -> &[Token] {
        self.tokens.get(line.tokens.start as usize..line.tokens.end as usize).unwrap_or_default()
    }

    /// Whether a line has a word, and not signs alone.
    pub(super) fn has_words(&self, line: &Line) -> bool {
        self.tokens_of(line).iter().any(|token| token.class != Class::Sign)
    }

    fn link(&mut self) {
        let mut above: Vec<(u16, u32)> = Vec::new();
        for index in 0..self.lines.len() {
            let Some(line) = self.lines.get(index) else { break };
            let level = line.level;
            if self.is_blank(line) {
                continue;
            }
            while above.last().is_some_and(|(other, _)| *other >= level) {
                above.pop();
            }
            let parent = above.last().map(|(_, parent)| *parent);
            let depth = above.len() as u16;
            let mut inside = false;
            if let Some(parent) = parent.and_then(|parent| self.lines.get_mut(parent as usize)) {
                parent.opens = true;
                inside = parent.inside || parent.defines;
            }
            if let Some(line) = self.lines.get_mut(index) {
                (line.parent, line.depth, line.inside) = (parent, depth, inside);
            }
            above.push((level, index as u32));
        }
        // What heads lines at the top of a program is a definition in any language, unless it holds the whole program.
        let code = self.code;
        let on_top = |line: &Line| code && line.depth == 0 && line.opens && !line.remarks;
        if self.lines.iter().filter(|line| on_top(line)).nth(DEFINITIONS - 1).is_some() {
            self.lines.iter_mut().filter(|line| on_top(line)).for_each(|line| line.defines = true);
        }
    }

    /// Files, hunks, lines.
    fn level_by_diff(&mut self, text: &str) -> bool {
        let line_of = |line: &Line| text.get(line.span.clone()).unwrap_or_default();
        let hunks = self.lines.iter().filter(|line| line_of(line).starts_with("@@ ")).count();
        let files = self.lines.iter().filter(|line| {
            let line = line_of(line);
            line.starts_with("diff --git ") || line.starts_with("+++ ") || line.starts_with("Index: ")
        });
        if hunks == 0 || files.count() == 0 {
            return false;
        }
        let mut inside = false;
        for line in &mut self.lines {
            let words = text.get(line.span.clone()).unwrap_or_default();
            let begins = |start: &str| words.starts_with(start);
            let head = begins("diff --git ") || begins("Index: ") || begins("commit ");
            if head {
                (line.level, inside) = (0, true);
            } else if begins("--- ")
                || begins("+++ ")
                || begins("index ")
                || begins("new file")
                || begins("deleted file")
            {
                (line.level, inside) = (1, true);
            } else if begins("@@ ") {
                (line.level, inside) = (2, true);
            } else if inside && (begins("+") || begins("-") || begins(" ")) {
                line.level = 3 + indentation(words.get(1..).unwrap_or_default());
            }
        }
        true
    }

    /// What stands below a heading is deeper.
    fn level_by_headings(&mut self, text: &str) -> bool {
        let lines: Vec<&str> =
            self.lines.iter().map(|line| text.get(line.span.clone()).unwrap_or_default().trim_end()).collect();
        let mut headings: Vec<Option<u16>> = lines.iter().map(|line| heading(line)).collect();
        for (index, pair) in lines.windows(2).enumerate() {
            if let [title, ruler] = pair
                && is_ruler(ruler)
                && title.chars().any(char::is_alphabetic)
                && !title.starts_with(' ')
                && title.chars().count() <= ruler.chars().count() + 2
                && let Some(heading) = headings.get_mut(index)
            {
                *heading = Some(u16::from(ruler.starts_with('-')));
            }
        }
        let filled = lines.iter().filter(|line| !line.is_empty()).count();
        let found = headings.iter().flatten().count();
        if found < 2 || found * 2 > filled {
            return false;
        }
        let mut below = 0;
        for (line, heading) in self.lines.iter_mut().zip(headings) {
            match heading {
                Some(depth) => (line.level, below) = (depth * 2, (depth + 1) * 2),
                None => line.level += below,
            }
        }
        true
    }

    /// Paragraphs that begin alike are records: what follows their first line is deeper.
    fn level_by_records(&mut self, text: &str) {
        let first_word = |line: &Line| self.tokens_of(line).first().map(|token| token.symbol);
        let mut starts: Vec<usize> = Vec::new();
        let mut after_blank = true;
        for (index, line) in self.lines.iter().enumerate() {
            let blank = self.is_blank(line);
            if after_blank && !blank {
                starts.push(index);
            }
            after_blank = blank;
        }
        let level_of = |at: usize| self.lines.get(at).map(|line| line.level);
        let outermost = starts.iter().filter_map(|at| level_of(*at)).min();
        starts.retain(|at| level_of(*at) == outermost);
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for word in starts.iter().filter_map(|index| first_word(self.lines.get(*index)?)) {
            *counts.entry(word).or_default() += 1;
        }
        let blocks = counts.into_iter().max_by_key(|(word, count)| (*count, *word));
        let Some((word, count)) = blocks.filter(|(_, count)| *count >= 3 && count * 2 >= starts.len()) else { return };
        let everywhere = self.lines.iter().filter(|line| first_word(line) == Some(word)).count();
        let longer = self.lines.iter().filter(|line| !self.is_blank(line)).count() >= count * 2;
        if everywhere > count + count / 4 || !longer {
            return;
        }
        let mut is_start: Vec<bool> = self.lines.iter().map(|line| first_word(line) == Some(word)).collect();
        // A comment above a record is not its first line.
        let is_remark = |line: &Line| is_remark(text.get(line.span.clone()).unwrap_or_default());
        for (at, pair) in self.lines.windows(2).enumerate() {
            if let ([line, next], Some([start, start_next])) = (pair, is_start.get_mut(at..at + 2))
                && *start
                && is_remark(line)
                && !self.is_blank(next)
            {
                (*start, *start_next) = (false, true);
            }
        }
        for (line, start) in self.lines.iter_mut().zip(is_start) {
            line.level = if start { 0 } else { line.level + 1 };
        }
    }

    /// Records that follow each other on one level: lines that begin alike come again and again at even distances. They
    /// are the fields of a record, and the first of them heads the others.
    fn level_by_repetition(&mut self) -> bool {
        let filled: Vec<usize> = (0..self.lines.len()).filter(|at| !self.is_blank(&self.lines[*at])).collect();
        let Some(outermost) = filled.iter().map(|at| self.lines[*at].level).min() else { return false };
        let begins = |line: &Line| {
            let symbols = self.tokens_of(line).iter().take(BEGINNING).map(|token| u64::from(token.symbol));
            symbols.reduce(mix).filter(|_| line.level == outermost)
        };
        let mut places: Hashed<Vec<usize>> = Hashed::default();
        for (number, at) in filled.iter().enumerate() {
            if let Some(beginning) = begins(&self.lines[*at]) {
                places.entry(beginning).or_default().push(number);
            }
        }
        let outer: usize = places.values().map(Vec::len).sum();
        if outer * 100 < filled.len() * OUTER {
            return false;
        }
        let fields: Vec<Vec<usize>> = places.into_values().filter(|places| are_even(places)).collect();
        let others = |field: &Vec<usize>| {
            let alike = |other: &&Vec<usize>| other.len() * 5 >= field.len() * 4 && other.len() * 4 <= field.len() * 5;
            fields.iter().filter(alike).map(Vec::len).sum::<usize>()
        };
        let heads = fields
            .iter()
            .filter(|field| others(field) * 100 >= outer * FIELDS && others(field) >= field.len() * 2)
            .min_by_key(|field| field.first().copied());
        let Some(heads) = heads else { return false };
        let heads: HashSet<usize> = heads.iter().filter_map(|number| filled.get(*number).copied()).collect();
        let fields = self.lines.iter_mut().enumerate().filter(|(at, _)| !heads.contains(at));
        fields.for_each(|(_, line)| line.level += 1);
        true
    }

    /// The lines that head deeper ones, as far out as there are several of them: what a program in an unknown language defines.
    fn heads_of_blocks(&self, text: &str) -> Vec<usize> {
        let words_of = |line: &Line| text.get(line.span.clone()).unwrap_or_default();
        let newline = |at: usize| self.pieces.get(at).is_some_and(|piece| begins_line(text, piece.start));
        let heads = self.lines.iter().enumerate().filter(|(at, line)| {
            // A body begins within a few lines.
            let mut below = self.lines.iter().skip(at + 1).take(BODY_WITHIN);
            let below = below.find(|below| !self.is_blank(below));
            let opens = below.is_some_and(|below| below.level > line.level);
            let words = words_of(line);
            opens && newline(*at) && self.has_words(line) && !is_control(words) && !is_remark(words)
        });
        let heads: Vec<(u16, usize)> = heads.map(|(at, line)| (line.level, at)).collect();
        let mut levels: BTreeMap<u16, usize> = BTreeMap::new();
        heads.iter().for_each(|(level, _)| *levels.entry(*level).or_default() += 1);
        let outermost = levels.into_iter().find(|(_, count)| *count >= DEFINITIONS).map(|(level, _)| level);
        heads.into_iter().filter(|(level, _)| Some(*level) == outermost).map(|(_, at)| at).collect()
    }

    /// Which lines define something, and whether it is a program's source.
    fn find_definitions(&mut self, text: &str) {
        let (mut definitions, mut bodies, mut controls, mut filled) = (0, 0, 0, 0);
        let mut defines: Vec<(bool, bool)> = Vec::with_capacity(self.lines.len());
        let words_of = |line: &Line| text.get(line.span.clone()).unwrap_or_default();
        for (index, line) in self.lines.iter().enumerate() {
            let words = words_of(line);
            filled += usize::from(!self.is_blank(line));
            let below = self.lines.get(index + 1).map(words_of).unwrap_or_default();
            let rule = || below.starts_with('\t') && is_rule(words);
            let definition = is_definition(words, below.trim() == "{") || rule();
            // A body begins within a few lines.
            let mut below = self.lines.iter().skip(index + 1).take(BODY_WITHIN);
            let below = definition.then(|| below.find(|below| !self.is_blank(below))).flatten();
            bodies += usize::from(below.is_some_and(|below| below.level > line.level));
            definitions += usize::from(definition);
            let control = is_control(words);
            controls += usize::from(control);
            defines.push((definition, control));
        }
        if definitions < DEFINITIONS && controls > 0 && controls * 100 >= filled * CONTROLS {
            let heads = self.heads_of_blocks(text);
            (definitions, bodies) = (heads.len(), heads.len());
            for head in heads {
                if let Some((defines, _)) = defines.get_mut(head) {
                    *defines = true;
                }
            }
        }
        let placed = || self.lines.iter().filter(|line| place::placed(words_of(line)).is_some()).count();
        self.code = definitions >= DEFINITIONS
            && bodies * 2 >= definitions
            && (definitions + controls) * 100 >= filled * 6
            && placed() * 100 < filled * PLACED;
        if self.code {
            self.lines.iter_mut().zip(defines).for_each(|(line, (defines, imports))| {
                (line.defines, line.imports) = (defines, imports);
                line.remarks = is_remark(text.get(line.span.clone()).unwrap_or_default());
            });
        }
    }
}

/// Whether places are at even distances, more than a line apart.
fn are_even(places: &[usize]) -> bool {
    let mut gaps: Vec<usize> = places.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    let median = gaps.get(gaps.len() / 2).copied().unwrap_or_default();
    let even = gaps.iter().filter(|gap| **gap * 10 >= median * 6 && **gap * 10 <= median * 17).count();
    places.len() >= RECORDS && (2..=LONGEST_RECORD).contains(&median) && even * 10 >= gaps.len() * 6
}

fn begins_line(text: &str, at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| text.as_bytes().get(before) == Some(&b'\n'))
}

fn next_is_element(text: &str, end: usize) -> bool {
    let rest = text.as_bytes().get(end..).unwrap_or_default();
    !matches!(rest.first(), None | Some(b'\n' | b'\r'))
}

/// How deep what follows stands.
fn after_brackets(mut nesting: u16, element: &str, tags: bool) -> u16 {
    let mut quoted = false;
    let mut escaped = false;
    for byte in element.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' if !quoted => nesting = nesting.saturating_add(1),
            b'}' | b']' if !quoted => nesting = nesting.saturating_sub(1),
            _ => {}
        }
    }
    if tags && (element.starts_with('<') || element.contains("</")) {
        for tag in element.split('<').skip(1).map(|rest| rest.split('>').next().unwrap_or_default()) {
            let alone = tag.ends_with('/') || tag.starts_with(['!', '?']);
            nesting = match tag.starts_with('/') {
                true => nesting.saturating_sub(1),
                false if alone => nesting,
                false => nesting.saturating_add(1),
            };
        }
    }
    nesting.min(60)
}

/// Whether a line says only that what is under the line above begins.
fn opens_body(line: &str) -> bool {
    ["begin", "var", "is", "as", "declare"].iter().any(|word| line.trim().eq_ignore_ascii_case(word))
}

/// How far a line is indented. The lines of a tree count as blanks up to a branch, so the lines under an item are deeper
/// than the item, and an item is deeper than its list.
fn indentation(line: &str) -> u16 {
    let mut columns = 0_u16;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        columns += match c {
            '├' | '└' => {
                columns += 1;
                break;
            }
            '|' | '`' | '+' if rest.peek() == Some(&'-') => {
                columns += 1;
                break;
            }
            ' ' | '│' | '─' | '|' | '>' | '\u{a0}' => 1,
            '\t' => 4,
            '-' | '*' if rest.peek() == Some(&' ') => {
                columns += 1;
                break;
            }
            _ => break,
        };
        if columns > 200 {
            break;
        }
    }
    columns
}

/// The depth of a heading.
fn heading(line: &str) -> Option<u16> {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&hashes) {
        return line.get(hashes..)?.strip_prefix(' ').map(|_| hashes as u16 - 1);
    }
    let titled = || {
        let bar = line.chars().next().filter(|first| "=_-*~+".contains(*first))?;
        let bars = line.len() - line.trim_start_matches(bar).len();
        let words = line.get(bars..)?;
        let both = bars >= 3 && words.ends_with(bar);
        let title = words.starts_with(' ') && words.contains(char::is_alphanumeric);
        // As test runners do: `=== FAILURES ===`, `___ test_x ___`, `--- Captured ---`.
        let depth = match bar {
            '_' => 1,
            '-' => 2,
            _ => 0,
        };
        (title && (both || bar == '=' && bars >= 2)).then_some(depth)
    };
    let boxed = line.starts_with('[')
        && line.ends_with(']')
        && line.contains(char::is_alphabetic)
        && line.len() < 80
        && !line.contains([',', '"']);
    titled().or(boxed.then_some(0))
}

fn is_ruler(line: &str) -> bool {
    line.len() >= 3 && (line.bytes().all(|byte| byte == b'=') || line.bytes().all(|byte| byte == b'-'))
}

/// What was written before every line.
struct Gutter {
    numbered: bool,
}

fn gutter(text: &str, pieces: &[Range<usize>]) -> Gutter {
    let lines = pieces.iter().map(|piece| text.get(piece.clone()).unwrap_or_default());
    Gutter { numbered: numbers::is_numbered(lines) }
}

impl Gutter {
    fn of(&self, line: &str) -> usize {
        match self.numbered {
            true => line.len() - numbers::without_number(line).len(),
            false => 0,
        }
    }
}

/// What a word does at the beginning of a line of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Defines,
    Modifies,
    Controls,
}

static WORDS: LazyLock<Hashed<Role>> = LazyLock::new(|| {
    let role = |name: &str| match name {
        "defines" => Role::Defines,
        "modifies" => Role::Modifies,
        _ => Role::Controls,
    };
    rows(include_str!("../words/source.txt")).map(|[word, does, _]| (xxh3_64(word.as_bytes()), role(does))).collect()
});

fn has_role(word: &str, role: Role) -> bool {
    WORDS.get(&xxh3_64(word.as_bytes())) == Some(&role)
}

fn is_definition(line: &str, body_below: bool) -> bool {
    let line = line.trim_start_matches([' ', '\t', '+', '-', '(']).trim_end();
    let begins = line.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '~' | '<' | '*' | '&'));
    if !begins || line.len() > 400 {
        return false;
    }
    let mut words =
        line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '!'))).filter(|word| !word.is_empty());
    let mut first = words.next().unwrap_or_default();
    // `type: x` is a value.
    if line.as_bytes().get(first.len()).is_some_and(|byte| *byte != b' ') && has_role(first, Role::Defines) {
        return false;
    }
    while has_role(first, Role::Modifies) {
        first = words.next().unwrap_or_default();
    }
    let named = words.next().is_some_and(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let small = line.starts_with(|c: char| c.is_ascii_lowercase());
    // `struct order *order = first();` is a variable.
    let value = ["struct", "enum", "union", "class"].contains(&first) && line.ends_with(';');
    let sentence = line.ends_with('.') || line.ends_with(',') || line.contains(". ");
    if small && named && has_role(first, Role::Defines) {
        return !value && !sentence;
    }
    // `settle <- function(order) {`, `settle = async (order) => {`
    let assigned = [" <- function(", " = function(", ": function("].iter().any(|sign| line.contains(sign));
    let arrow = line.ends_with("=> {") && line.contains(" = ") && !first.is_empty();
    if (assigned || arrow) && line.starts_with(|c: char| c.is_alphabetic()) {
        return true;
    }
    // `static int settle(struct order *order) {`, `public void settle() {`, `settle(order) {`
    let opens = line.ends_with('{') || body_below;
    let Some((before, _)) = line.split_once('(') else { return false };
    let plain =
        before.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '*' | '<' | '>' | ':' | '~' | '&'));
    opens
        && plain
        && !first.is_empty()
        && !has_role(first, Role::Controls)
        && before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>'))
}

/// Whether a line only closes what stands above it.
fn is_end(line: &str) -> bool {
    matches!(line.trim().trim_end_matches([';', ',', ')']), "end" | "fi" | "done" | "esac" | "}" | "")
}

/// A comment, or what is noted of a definition.
fn is_remark(line: &str) -> bool {
    ["//", "#", "@", "/*", "*", "--", "\"\"\"", "%"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// `target: what it needs`
fn is_rule(line: &str) -> bool {
    let Some((target, needs)) = line.split_once(':') else { return false };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '%' | '$' | '(' | ')' | ' ');
    !target.is_empty() && !target.starts_with([' ', '.']) && target.chars().all(plain) && !needs.starts_with(['=', ':'])
}

/// As much of a line as names what it heads: not what a function takes.
pub(in crate::outputs) fn outline(line: &str) -> &str {
    let line = line.lines().next().unwrap_or_default().trim_end();
    let called = |(at, _): &(usize, &str)| {
        line.get(..*at)
            .is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | ']' | '$')))
    };
    if is_remark(line) {
        return line;
    }
    let end = line.match_indices('(').find(called).map_or(line.len(), |(at, _)| at + 1).min(OUTLINE_BYTES);
    line.get(..line.floor_char_boundary(end)).unwrap_or(line)
}

/// Of a line that heads others, so much.
const OUTLINE_BYTES: usize = 90;

/// The name of what a line defines or heads.
fn name_of(line: &str) -> &str {
    let head = outline(line).trim_end_matches(['(', '{', ':', ' ', '<']);
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '!');
    let mut words = head.split(|c: char| !is_part(c)).filter(|word| word.len() > 1);
    let plain = |word: &&str| !has_role(word, Role::Defines) && !has_role(word, Role::Modifies);
    match outline(line).ends_with('(') {
        true => words.next_back().unwrap_or_default(),
        false => words.find(plain).unwrap_or_default(),
    }
}

fn is_control(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '+', '-', '}']);
    let word = line.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    has_role(word, Role::Controls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_levels(text: &str, expected: &[(&str, u16)]) {
        let structure = Structure::of(text);
        let found: Vec<(&str, u16)> =
            structure.lines.iter().map(|line| (text[line.span.clone()].trim(), line.depth)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn indentation_tells_what_stands_under_what() {
        check_levels("a:\n  b: 1\n  c:\n    - d\n", &[("a:", 0), ("b: 1", 1), ("c:", 1), ("- d", 2)]);
        check_levels("a\n├── b\n│   └── c\n", &[("a", 0), ("├── b", 1), ("│   └── c", 2)]);
    }

    #[test]
    fn a_long_line_of_elements_is_read_as_many() {
        let text = format!("{{\"name\": \"a, b\", \"list\": [{}], \"end\": {{\"x\": 1}}}}", "1, ".repeat(400));
        let found = pieces(&text);
        let shown = |at: usize| text[found[at].clone()].trim();
        assert_eq!((shown(0), shown(1), shown(2)), ("{", "\"name\": \"a, b\",", "\"list\": ["));
        let structure = Structure::of(&text);
        let depths: Vec<u16> = structure.lines.iter().map(|line| line.depth).collect();
        assert_eq!(depths[..4], [0, 1, 1, 2]);
        assert_eq!(depths[depths.len() - 2..], [1, 2], "{:?}", shown(found.len() - 1));
    }

    #[test]
    fn every_word_does_what_its_row_says() {
        for [word, does, example] in rows(include_str!("../words/source.txt")) {
            let fits = match does {
                "defines" | "modifies" => is_definition(example, false),
                "controls" => is_control(example),
                _ => false,
            };
            assert!(fits, "{word} {does}: {example}");
        }
    }

    #[test]
    fn pieces_hold_the_whole_text_but_white_space() {
        let long = format!("<a href=\"x;y\">{}</a>", "<b>1</b>; ".repeat(100));
        for text in ["", "\n\n", "one. Two. Three", &long, &format!("é{}", "ü[,".repeat(400))] {
            let found = pieces(text);
            let mut end = 0;
            for piece in &found {
                assert!(text[end..piece.start].trim().is_empty(), "{text}");
                end = piece.end;
            }
            assert!(text[end..].trim().is_empty(), "{text}");
        }
    }
}
