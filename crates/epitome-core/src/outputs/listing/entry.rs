//! One line of a list of files.

use crate::outputs::place::is_path;

/// How a list is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `-rw-r--r-- 1 me staff 744 Apr 30 15:41 a.txt`
    Long,
    /// `├── a.txt`
    Tree,
    /// `4.0K<tab>./a`
    Sizes,
    /// One path a line.
    Paths,
}

/// A file or a directory of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'text> {
    pub(super) path: &'text str,
    /// The directory it was listed under, where its path does not say.
    pub(super) parent: &'text str,
    pub(super) is_folder: bool,
    pub(super) depth: usize,
    pub(super) size: Option<u64>,
    /// As the list writes it.
    pub(super) written: &'text str,
    pub(super) mode: &'text str,
    /// Where a link leads.
    pub(super) target: &'text str,
    pub(super) date: &'text str,
    /// To be compared with others of the same list: year, month, day, minutes.
    pub(super) when: Option<(u32, u32, u32, u32)>,
}

impl<'text> Entry<'text> {
    fn of(path: &'text str) -> Entry<'text> {
        let is_folder = path.ends_with('/');
        Entry {
            path,
            parent: "",
            is_folder,
            depth: 0,
            size: None,
            written: "",
            mode: "",
            target: "",
            date: "",
            when: None,
        }
    }

    /// `.rs`, or what it has instead of one.
    pub(super) fn extension(&self) -> &'text str {
        let name = self.path.rsplit('/').next().unwrap_or(self.path);
        match name.rfind('.') {
            Some(0) => "hidden",
            Some(dot) if name.len() - dot <= 12 => name.get(dot..).unwrap_or_default(),
            Some(_) | None => "without extension",
        }
    }

    /// What is left when everybody's links, owner and group are left out.
    pub(super) fn in_short(&self, path: &str) -> String {
        let folder = if self.is_folder && !path.ends_with('/') { "/" } else { "" };
        let target = if self.target.is_empty() { String::new() } else { format!(" -> {}", self.target) };
        format!("{} {} {} {path}{folder}{target}", self.mode, self.written, self.date)
    }
}

/// The entry a line shows, if it is made like that.
pub(super) fn entry(line: &str, shape: Shape) -> Option<Entry<'_>> {
    match shape {
        Shape::Long => long(line),
        Shape::Tree => tree(line),
        Shape::Sizes => {
            let (written, path) = line.trim().split_once('\t').or_else(|| line.trim().split_once("  "))?;
            let size = bytes(written.trim())?;
            let path = path.trim();
            // More columns are a table's.
            let one = !path.contains('\t') && path.contains(|c: char| c.is_alphabetic() || c == '.' || c == '/');
            (one && (is_path(path) || !path.contains(' '))).then_some(Entry {
                size: Some(size),
                written,
                ..Entry::of(path)
            })
        }
        Shape::Paths => {
            let path = line.trim();
            let folder = path.strip_suffix('/').unwrap_or(path);
            (is_name(folder) && !folder.is_empty()).then(|| Entry::of(path))
        }
    }
}

/// Whether a word is a file's path rather than any word.
pub(super) fn is_surely_file(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let extension = name.rfind('.').map_or(0, |dot| name.len() - dot - 1);
    is_name(word) && (word.contains('/') || (1..=6).contains(&extension)) && is_path(word)
}

fn is_name(word: &str) -> bool {
    let odd = |c: char| {
        c.is_whitespace() || matches!(c, '"' | '<' | '>' | '|' | ';' | '(' | ')' | '{' | '}' | '`' | '=' | ',')
    };
    !word.contains(odd) && word.len() < 400 && !word.ends_with(':') && !word.contains("://")
}

fn long(line: &str) -> Option<Entry<'_>> {
    let mode = line.get(..10)?;
    let bits = |bit: u8| matches!(bit, b'r' | b'w' | b'x' | b'-' | b's' | b't' | b'S' | b'T');
    let is_mode = matches!(mode.as_bytes().first(), Some(b'-' | b'd' | b'l' | b'b' | b'c' | b'p' | b's'));
    if !is_mode || !mode.bytes().skip(1).all(bits) {
        return None;
    }
    let mut fields = Fields { line, at: 0 };
    fields.next()?;
    // Links, owner, group; the size is the number before the date. Some lists have no group.
    let mut before: Option<&str> = None;
    let (mut size, mut written) = (None, "");
    for _ in 0..6 {
        let start = fields.at;
        let field = fields.next()?;
        let is_date = month(field).is_some() || field.len() == 10 && field.as_bytes().get(4) == Some(&b'-');
        let day_first = before.is_some() && field.len() <= 2 && {
            let mut ahead = Fields { line, at: fields.at };
            let is_year = |word: &str| word.len() == 4 || word.contains(':');
            field.parse::<u32>().is_ok()
                && ahead.next().is_some_and(|next| month(next).is_some())
                && ahead.next().is_some_and(is_year)
        };
        if is_date || day_first {
            size = before.and_then(bytes);
            written = before.unwrap_or_default();
            fields.at = start;
            break;
        }
        before = Some(field);
    }
    let from = fields.at + line.get(fields.at..)?.len() - line.get(fields.at..)?.trim_start().len();
    let first = fields.next()?;
    let second = fields.next()?;
    let (date, when) = if first.len() == 10 {
        // 2026-05-22 13:18:00.000 +0200
        if line.get(fields.at..)?.trim_start().starts_with(['+', '-']) {
            fields.next()?;
        }
        let mut parts = first.split('-').map(|part| part.parse::<u32>().ok());
        (
            line.get(from..from + first.len())?,
            Some((parts.next()??, parts.next()??, parts.next()??, minutes(second).unwrap_or(0))),
        )
    } else {
        let third = fields.next()?;
        let (month, day) = match (month(first), month(second)) {
            (Some(month), _) => (month, second.parse().ok()?),
            (None, Some(month)) => (month, first.parse().ok()?),
            (None, None) => return None,
        };
        // A time instead of a year: within the last months, so newer than any year.
        let (year, time) =
            minutes(third).map_or_else(|| Some((third.parse().ok()?, 0)), |time| Some((u32::MAX, time)))?;
        (line.get(from..fields.at)?, Some((year, month, day, time)))
    };
    let path = line.get(fields.at..)?.trim_start();
    let (path, target) = path.split_once(" -> ").unwrap_or((path, ""));
    let is_folder = mode.starts_with('d');
    (!path.is_empty()).then_some(Entry { is_folder, size, written, mode, target, date, when, ..Entry::of(path) })
}

struct Fields<'line> {
    line: &'line str,
    at: usize,
}

impl<'line> Fields<'line> {
    fn next(&mut self) -> Option<&'line str> {
        let rest = self.line.get(self.at..)?;
        let start = rest.len() - rest.trim_start().len();
        let length = rest.get(start..)?.find(' ').unwrap_or(rest.len() - start);
        let field = rest.get(start..start + length)?;
        self.at += start + length;
        (!field.is_empty()).then_some(field)
    }
}

fn month(word: &str) -> Option<u32> {
    const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    MONTHS.iter().position(|month| *month == word).map(|position| position as u32 + 1)
}

fn minutes(word: &str) -> Option<u32> {
    let (hours, rest) = word.split_once(':')?;
    Some(hours.parse::<u32>().ok()? * 60 + rest.get(..2)?.parse::<u32>().ok()?)
}

/// `744`, `4.0K`, `1.2G`.
fn bytes(word: &str) -> Option<u64> {
    let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match word.get(number.len()..)?.bytes().next() {
        None | Some(b'B') => 1.0,
        Some(b'K' | b'k') => 1024.0,
        Some(b'M') => 1024.0 * 1024.0,
        Some(b'G') => 1024.0 * 1024.0 * 1024.0,
        Some(b'T') => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        Some(_) => return None,
    };
    Some((number.parse::<f64>().ok().filter(|number| *number >= 0.0)? * factor) as u64)
}

fn tree(line: &str) -> Option<Entry<'_>> {
    let mark = line.find("── ").or_else(|| {
        line.find("-- ").filter(|at| line.get(..*at).is_some_and(|before| before.ends_with(['|', '`', '+'])))
    })?;
    let depth = line.get(..mark)?.chars().count() / 4;
    let name = line.get(mark..)?.split_once(' ')?.1.trim();
    let name = name.split(" -> ").next().unwrap_or(name);
    let name = if name.starts_with('[') { name.split_once("]  ").map_or(name, |(_, name)| name) } else { name };
    let bare = !name.trim_start_matches('.').contains('.') && !name.contains(' ');
    (!name.is_empty()).then(|| Entry { depth, is_folder: bare, ..Entry::of(name) })
}
