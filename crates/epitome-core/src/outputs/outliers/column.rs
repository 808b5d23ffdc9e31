//! One column of records or rows: what its values are, and which of them are unlike the others.

use std::collections::{BTreeMap, HashMap};

use xxhash_rust::xxh3::xxh3_64;

use super::forms::{self, Form};
use super::numbers::{Sides, far_out};
use super::said::{range, said_of_words, value, without_tail};
use crate::tokens::Tokens;

/// One value of a record or row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'text> {
    /// The record does not have this key.
    Absent,
    /// `null`, or nothing between the separators.
    Empty,
    /// As it is written.
    Number(&'text str),
    /// `true` or `false`.
    Flag(&'text str),
    /// Without quotes.
    Text(&'text str),
    /// An array of so many elements.
    List(usize),
    /// An object that is not looked into.
    Object,
}

/// A column with a cell for each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<'text> {
    /// Its heading, or the path of keys.
    pub name: String,
    /// From top to bottom.
    pub cells: Vec<Cell<'text>>,
}

/// What is to be said of a column.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Type, range or vocabulary, in a few words.
    pub says: String,
    /// Some records lack the key.
    pub optional: bool,
    /// Cells that are unlike the others.
    pub unlike: Vec<Unlike>,
}

/// A cell that is unlike the others of its column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unlike {
    /// Its row.
    pub row: usize,
    /// How much: beyond one.
    pub score: f64,
    /// Cells of one group are unlike the others in the same way.
    pub group: u64,
}

/// So many values are a vocabulary.
const VOCABULARY: usize = 12;
/// A vocabulary's words occur so often at least.
const COMMON: usize = 7;
/// And so many times as often as a rare one.
const COMMONER: usize = 5;
/// Fewer cells than these are few: one is unlike the others only if all others agree.
pub(super) const FEW: usize = 12;
/// Fewer cells than these have no outliers.
const FEWEST: usize = 5;
/// A text that is longer than the others by less is not worth telling.
const LONGER: f64 = 40.0;

/// How many cells of a column may be unlike the others.
pub(super) fn rare(rows: usize) -> usize {
    if rows < FEWEST { 0 } else { (rows / 40).max(1) }
}

impl<'text> Cell<'text> {
    /// The cell of a table, where everything is text.
    pub fn of_text(text: &'text str) -> Cell<'text> {
        let text = text.trim();
        match text {
            _ if forms::is_blank(text) => Cell::Empty,
            "true" | "false" | "True" | "False" | "TRUE" | "FALSE" => Cell::Flag(text),
            _ if forms::number(text).is_some() => Cell::Number(text),
            _ => Cell::Text(text),
        }
    }

    fn class(&self) -> Class {
        match self {
            Cell::Absent => Class::Absent,
            Cell::Empty => Class::Empty,
            Cell::Number(_) => Class::Number,
            Cell::Flag(_) => Class::Flag,
            Cell::Text(_) => Class::Text,
            Cell::List(_) => Class::List,
            Cell::Object => Class::Object,
        }
    }

    /// What is written in it, if it is one value.
    pub fn written(&self) -> Option<&'text str> {
        match self {
            Cell::Number(text) | Cell::Flag(text) | Cell::Text(text) => Some(text),
            Cell::Absent | Cell::Empty | Cell::List(_) | Cell::Object => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Number,
    Flag,
    Text,
    List,
    Object,
    Empty,
    Absent,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Class::Number => "number",
            Class::Flag => "bool",
            Class::Text => "text",
            Class::List => "list",
            Class::Object => "object",
            Class::Empty => "null",
            Class::Absent => "absent",
        }
    }
}

/// Looks at a whole column.
pub fn summarize(column: &Column<'_>) -> Summary {
    let rows = column.cells.len();
    let limit = rare(rows);
    let mut classes: BTreeMap<Class, Vec<usize>> = BTreeMap::new();
    for (row, cell) in column.cells.iter().enumerate() {
        classes.entry(cell.class()).or_default().push(row);
    }
    join_ids(column, &mut classes);
    let mut unlike = rare_classes(&classes, rows, limit);
    let optional = classes.contains_key(&Class::Absent);
    let of = |class: Class| classes.get(&class).map(Vec::as_slice).unwrap_or_default();
    let values = classes.iter().filter(|(class, _)| !matches!(class, Class::Empty | Class::Absent));
    let Some((class, members)) = values.max_by_key(|(class, rows)| (rows.len(), std::cmp::Reverse(**class))) else {
        return Summary { says: "null".to_owned(), optional, unlike };
    };
    let common = Values { column, rows: members, limit: limit.min(rare(members.len())) };
    if members.len() <= limit {
        // They are shown themselves.
        return Summary { says: format!("{}×", members.len()), optional, unlike };
    }
    let (mut says, more) = match class {
        Class::Number => common.numbers(),
        Class::Flag => common.words(),
        Class::Text => common.texts(),
        Class::List => common.lists(),
        Class::Object | Class::Empty | Class::Absent => ("{…}".to_owned(), Vec::new()),
    };
    unlike.extend(more);
    for other in [Class::Number, Class::Flag, Class::Text, Class::List, Class::Object, Class::Empty] {
        let count = of(other).len();
        // A few of another type are shown themselves.
        if other != *class && count > limit {
            says.push_str(&format!(", {} {}×", other.name(), Tokens(count as u64)));
        }
    }
    Summary { says, optional, unlike }
}

/// An id without a letter in it is no number.
fn join_ids(column: &Column<'_>, classes: &mut BTreeMap<Class, Vec<usize>>) {
    let of = |class: Class| classes.get(&class).map(Vec::as_slice).unwrap_or_default();
    let (texts, numbers) = (of(Class::Text), of(Class::Number));
    let is_id = |row: &&usize| {
        let text = column.cells.get(**row).and_then(Cell::written).unwrap_or_default();
        text.bytes().any(|byte| byte.is_ascii_digit()) && !text.contains(' ')
    };
    if numbers.is_empty() || texts.len() <= numbers.len() || texts.iter().filter(is_id).count() * 2 < texts.len() {
        return;
    }
    let mut joined: Vec<usize> = texts.iter().chain(numbers).copied().collect();
    joined.sort_unstable();
    classes.remove(&Class::Number);
    classes.insert(Class::Text, joined);
}

/// Another type, nothing where there is always something, something where there is never anything.
fn rare_classes(classes: &BTreeMap<Class, Vec<usize>>, rows: usize, limit: usize) -> Vec<Unlike> {
    let rare = |members: &&Vec<usize>| members.len() <= limit;
    let rare_ones: usize = classes.values().filter(rare).map(Vec::len).sum();
    if rare_ones > limit || rows < FEWEST || (rows < FEW && classes.len() > 2) {
        return Vec::new();
    }
    let unlike = |class: &Class, members: &Vec<usize>| -> Vec<Unlike> {
        let score = 3.0 + 1.0 / members.len() as f64;
        members.iter().map(|row| Unlike { row: *row, score, group: *class as u64 }).collect()
    };
    classes.iter().filter(|(_, members)| rare(members)).flat_map(|(class, members)| unlike(class, members)).collect()
}

/// The cells of a column that are of its usual type.
struct Values<'column, 'text> {
    column: &'column Column<'text>,
    rows: &'column [usize],
    limit: usize,
}

type Said = (String, Vec<Unlike>);

impl<'text> Values<'_, 'text> {
    fn written(&self) -> impl Iterator<Item = (usize, &'text str)> + '_ {
        self.rows.iter().filter_map(|row| Some((*row, self.column.cells.get(*row)?.written()?)))
    }

    /// How often each value occurs, the most frequent first; `None`: too many to be a vocabulary.
    fn vocabulary(&self) -> Option<Vec<(&'text str, usize)>> {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for (_, text) in self.written() {
            *counts.entry(text).or_default() += 1;
            if counts.len() > VOCABULARY + self.limit {
                return None;
            }
        }
        let mut vocabulary: Vec<(&str, usize)> = counts.into_iter().collect();
        vocabulary.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        Some(vocabulary)
    }

    /// The words of a vocabulary that hardly ever occur, while all others do often.
    fn rare_words(&self, vocabulary: &[(&'text str, usize)]) -> Vec<&'text str> {
        let mut left = self.limit;
        let all_others = self.rows.len().saturating_sub(1);
        let (common, commoner) =
            if self.rows.len() < FEW { (all_others, COMMONER.min(all_others)) } else { (COMMON, COMMONER) };
        let mut rare: Vec<&str> = Vec::new();
        let mut found: Vec<&str> = Vec::new();
        for (position, (word, count)) in vocabulary.iter().enumerate().rev() {
            let Some(less) = left.checked_sub(*count) else { break };
            left = less;
            rare.push(word);
            let next = position.checked_sub(1).and_then(|next| vocabulary.get(next)).map_or(0, |(_, count)| *count);
            if next >= common.max(commoner * count) {
                found.clone_from(&rare);
            }
        }
        found
    }

    fn unlike_words(&self, words: &[&str]) -> Vec<Unlike> {
        let mut unlike: Vec<Unlike> = Vec::new();
        if words.is_empty() {
            return unlike;
        }
        let counts: HashMap<&str, usize> =
            self.written().filter(|(_, text)| words.contains(text)).fold(HashMap::new(), |mut counts, (_, text)| {
                *counts.entry(text).or_default() += 1;
                counts
            });
        for (row, text) in self.written() {
            if let Some(count) = counts.get(text) {
                unlike.push(Unlike { row, score: 3.0 + 1.0 / *count as f64, group: xxh3_64(text.as_bytes()) });
            }
        }
        unlike
    }

    fn words(&self) -> Said {
        let vocabulary = self.vocabulary().unwrap_or_default();
        let rare = self.rare_words(&vocabulary);
        (said_of_words(&vocabulary, &rare), self.unlike_words(&rare))
    }

    fn numbers(&self) -> Said {
        let written: Vec<(usize, &str)> = self.written().collect();
        // `12,500` is a small number where others are `12,5`.
        let comma = written.iter().any(|(_, text)| forms::has_decimal_comma(text));
        let read = if comma { forms::decimal_comma } else { forms::number };
        let numbers: Vec<f64> = written.iter().map(|(_, text)| read(text).unwrap_or_default()).collect();
        let far = far_out(&numbers, self.limit, Sides::Both);
        let mut beyond: Vec<&str> =
            far.iter().filter_map(|far| written.get(far.index)).map(|(_, text)| *text).collect();
        let unlike = far.iter().filter_map(|far| {
            let (row, text) = written.get(far.index)?;
            Some(Unlike { row: *row, score: 2.0 + far.by.min(4.0), group: xxh3_64(text.as_bytes()) })
        });
        let mut unlike: Vec<Unlike> = unlike.collect();
        let vocabulary = self.vocabulary().filter(|vocabulary| self.is_vocabulary(vocabulary)).unwrap_or_default();
        let rare = without_tail(&vocabulary, self.rare_words(&vocabulary));
        unlike.extend(
            self.unlike_words(&rare)
                .into_iter()
                .filter(|more| far.iter().all(|far| written.get(far.index).map(|(row, _)| *row) != Some(more.row))),
        );
        beyond.extend(rare);
        let kept: Vec<(&str, usize)> = vocabulary.iter().filter(|(word, _)| !beyond.contains(word)).copied().collect();
        let says =
            if (1..=3).contains(&kept.len()) { said_of_words(&kept, &[]) } else { range(&written, &numbers, &beyond) };
        (says, unlike)
    }

    fn is_vocabulary(&self, vocabulary: &[(&str, usize)]) -> bool {
        let rare: usize = vocabulary.iter().filter(|(_, count)| *count < COMMON).map(|(_, count)| count).sum();
        vocabulary.len() <= 2 || (vocabulary.len() <= VOCABULARY && rare <= self.limit)
    }

    fn texts(&self) -> Said {
        let vocabulary = self.vocabulary();
        if let Some(vocabulary) =
            vocabulary.filter(|vocabulary| self.is_vocabulary(vocabulary) || self.repeats(vocabulary))
        {
            let rare = self.rare_words(&vocabulary);
            return (said_of_words(&vocabulary, &rare), self.unlike_words(&rare));
        }
        let fits = |form: &Form| {
            let unfit: Vec<usize> = self.written().filter(|(_, text)| !form.fits(text)).map(|(row, _)| row).collect();
            let limit = if self.rows.len() < FEW { 0 } else { self.limit };
            (unfit.len() <= limit && unfit.len() * 2 < self.rows.len()).then_some((*form, unfit))
        };
        if let Some((form, unfit)) = Form::ALL.iter().find_map(fits) {
            let unlike = unfit.iter().map(|row| Unlike { row: *row, score: 3.0, group: 0 });
            let mut unlike: Vec<Unlike> = unlike.collect();
            let mut says = form.name().to_owned();
            if form == Form::Time {
                let (range, far) = self.times();
                says = range;
                unlike.extend(far);
            }
            return (says, unlike);
        }
        let mut unlike = self.other_shapes();
        unlike.extend(self.other_openings());
        unlike.extend(self.longer());
        let longest = self.written().map(|(_, text)| text.chars().count()).max().unwrap_or_default();
        let says = match longest {
            _ if self.rows.len() == 1 => self.written().next().map(|(_, text)| value(text)).unwrap_or_default(),
            0..=60 => "text".to_owned(),
            _ => format!("text ≤{} chars", Tokens(longest as u64)),
        };
        (says, unlike)
    }

    /// Few rows, but words that occur again and again.
    fn repeats(&self, vocabulary: &[(&str, usize)]) -> bool {
        vocabulary.len() * 3 <= self.rows.len()
    }

    fn times(&self) -> Said {
        let written: Vec<(usize, &str)> = self.written().filter(|(_, text)| Form::Time.fits(text)).collect();
        let seconds: Vec<f64> = written.iter().filter_map(|(_, text)| forms::seconds(text)).collect();
        let far = far_out(&seconds, self.limit, Sides::Both);
        let beyond: Vec<&str> = far.iter().filter_map(|far| written.get(far.index)).map(|(_, text)| *text).collect();
        let unlike = far.iter().filter_map(|far| {
            let (row, _) = written.get(far.index)?;
            Some(Unlike { row: *row, score: 2.0 + far.by.min(4.0), group: *row as u64 })
        });
        (range(&written, &seconds, &beyond), unlike.collect())
    }

    /// Ids that do not look like all others.
    fn other_shapes(&self) -> Vec<Unlike> {
        let mut shapes: HashMap<Option<u64>, usize> = HashMap::new();
        self.written().for_each(|(_, text)| *shapes.entry(forms::shape(text)).or_default() += 1);
        let usual =
            shapes.iter().max_by_key(|(shape, count)| (**count, **shape)).map(|(shape, count)| (*shape, *count));
        let Some((Some(usual), count)) = usual else { return Vec::new() };
        let others = self.rows.len() - count;
        if others == 0 || others > self.limit || self.rows.len() < 2 * FEW {
            return Vec::new();
        }
        let other = self.written().filter(|(_, text)| forms::shape(text) != Some(usual));
        other.map(|(row, text)| Unlike { row, score: 2.0, group: forms::shape(text).unwrap_or_default() }).collect()
    }

    /// `Up 3 hours` and `Exited (0) 2 days ago`: what is said of each begins with one of a few words.
    fn other_openings(&self) -> Vec<Unlike> {
        let opening = |text: &'text str| text.split_once(' ').map_or(text, |(first, _)| first);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, text) in self.written() {
            *counts.entry(opening(text)).or_default() += 1;
            if counts.len() > VOCABULARY {
                return Vec::new();
            }
        }
        let is_rare = |count: usize| count <= self.limit;
        let rare: usize = counts.values().filter(|count| is_rare(**count)).sum();
        let common = counts.values().filter(|count| !is_rare(**count)).all(|count| *count >= COMMON);
        if rare == 0 || rare > self.limit || !common {
            return Vec::new();
        }
        let others = self.written().filter(|(_, text)| counts.get(opening(text)).is_some_and(|count| is_rare(*count)));
        others.map(|(row, text)| Unlike { row, score: 3.0, group: xxh3_64(opening(text).as_bytes()) }).collect()
    }

    fn longer(&self) -> Vec<Unlike> {
        let written: Vec<(usize, &str)> = self.written().collect();
        let lengths: Vec<f64> = written.iter().map(|(_, text)| text.len() as f64).collect();
        let far = far_out(&lengths, self.limit, Sides::Upper);
        let usual = lengths.iter().enumerate().filter(|(index, _)| far.iter().all(|far| far.index != *index));
        let longest = usual.map(|(_, length)| *length).fold(0.0, f64::max);
        let far =
            far.into_iter().filter(|far| lengths.get(far.index).is_some_and(|length| *length >= longest + LONGER));
        far.filter_map(|far| Some(Unlike { row: written.get(far.index)?.0, score: 1.0 + far.by.min(2.0), group: 1 }))
            .collect()
    }

    fn lists(&self) -> Said {
        let lengths: Vec<(usize, f64)> = self
            .rows
            .iter()
            .filter_map(|row| match self.column.cells.get(*row) {
                Some(Cell::List(length)) => Some((*row, *length as f64)),
                Some(_) | None => None,
            })
            .collect();
        let numbers: Vec<f64> = lengths.iter().map(|(_, length)| *length).collect();
        let far = far_out(&numbers, self.limit, Sides::Both);
        let unlike: Vec<Unlike> = far
            .iter()
            .filter_map(|far| Some(Unlike { row: lengths.get(far.index)?.0, score: 1.5 + far.by.min(3.0), group: 2 }))
            .collect();
        let usual = || numbers.iter().enumerate().filter(|(index, _)| far.iter().all(|far| far.index != *index));
        let least = usual().map(|(_, length)| *length).fold(f64::MAX, f64::min);
        let most = usual().map(|(_, length)| *length).fold(0.0, f64::max);
        let says = if least == most { format!("[{most}]") } else { format!("[{least}–{most}]") };
        (says, unlike)
    }
}
