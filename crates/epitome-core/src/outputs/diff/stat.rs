//! Statistics of a diff: `git diff --stat`, `--numstat`.

use super::{NAMED_FILES, plural, signed};
use crate::outputs::place::{by_directory, common_directory};
use crate::outputs::reading::{Events, Layout, Rank, Reading};

/// Reads ` src/a.rs | 12 ++--` or `12<tab>3<tab>src/a.rs`, if most lines are made like that.
pub(super) fn read(text: &str) -> Option<Reading> {
    // Numbers behind a bar stand in tables too: without a summary it takes signs behind them.
    let signs = |line: &&str| row(line).is_some() && line.ends_with(['+', '-']);
    let bars = || text.lines().take(60).filter(signs).count() >= 5;
    let stat = memchr::memmem::find(text.as_bytes(), b" | ").is_some() && (has_summary(text) || bars());
    let numbers = || text.lines().take(20).filter(|line| numstat(line).is_some()).count() >= 5;
    if !stat && !numbers() {
        return None;
    }
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events) = (Layout::Bare, Events::Quiet);
    let rows: Vec<Option<(&str, usize)>> =
        reading.pieces.iter().map(|piece| row(piece.text(text)).or_else(|| numstat(piece.text(text)))).collect();
    let found = rows.iter().flatten().count();
    let filled = reading.pieces.iter().filter(|piece| piece.rank != Rank::Told).count();
    if found < 5 || found * 10 < filled * 6 {
        return None;
    }
    let directory = common_directory(rows.iter().flatten().map(|row| row.0));
    if !has_summary(text) {
        let sums = text.lines().filter_map(|line| {
            let mut fields = line.split('\t');
            Some((fields.next()?.parse::<usize>().ok()?, fields.next()?.parse::<usize>().ok()?))
        });
        let (added, removed) = sums.fold((0usize, 0usize), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        let total = if added + removed > 0 { format!(": {}", signed(added, removed)) } else { String::new() };
        reading.say_always(format!("{}{total}", plural(found, "file", "files")));
    }
    let files: Vec<(&str, usize)> = rows.iter().flatten().copied().collect();
    let paths: Vec<&str> = files.iter().map(|(path, _)| path.strip_prefix(directory).unwrap_or(path)).collect();
    let sum =
        |members: &[usize]| members.iter().filter_map(|member| files.get(*member)).map(|file| file.1).sum::<usize>();
    let said: Vec<String> = by_directory(&paths, 8)
        .iter()
        .map(|(at, members)| format!("{at} {} ±{}", plural(members.len(), "file", "files"), sum(members)))
        .collect();
    let within = if directory.is_empty() { String::new() } else { format!("in {directory} ") };
    if !said.is_empty() || !within.is_empty() {
        reading.say(format!("{within}{}", said.join(", ")));
    }
    let mut largest: Vec<usize> =
        (0..rows.len()).filter(|index| rows.get(*index).is_some_and(Option::is_some)).collect();
    largest.sort_by_key(|index| rows.get(*index).and_then(|row| *row).map(|row| std::cmp::Reverse(row.1)));
    for (position, index) in largest.into_iter().enumerate() {
        let (Some(piece), Some(Some((path, _)))) = (reading.pieces.get_mut(index), rows.get(index)) else { continue };
        let line = piece.text(text);
        let numbers = line.rsplit_once(" | ").map_or(line, |(_, numbers)| numbers);
        let path = path.strip_prefix(directory).unwrap_or(path);
        // The bar of signs says less than the number.
        piece.full = Some(match numstat(line) {
            Some(_) => line.to_owned(),
            None => format!("{path} {}", numbers.trim_end_matches(['+', '-', ' ']).trim()),
        });
        piece.rank = match position {
            0..6 => Rank::Telling(0),
            6..NAMED_FILES => Rank::Telling(1),
            _ => Rank::Telling(2),
        };
    }
    for (piece, row) in reading.pieces.iter_mut().zip(&rows) {
        if row.is_some() {
            continue;
        }
        let line = piece.text(text);
        if is_summary(line) || line.starts_with("commit ") {
            piece.rank = Rank::Frame;
        } else if line.trim_start().starts_with("rename ") || line.trim_start().starts_with("delete mode ") {
            piece.rank = Rank::Telling(1);
        }
    }
    Some(reading)
}

fn has_summary(text: &str) -> bool {
    [" files changed", " file changed"]
        .iter()
        .any(|words| memchr::memmem::find(text.as_bytes(), words.as_bytes()).is_some())
}

fn is_summary(line: &str) -> bool {
    line.contains(" file changed") || line.contains(" files changed")
}

fn row(line: &str) -> Option<(&str, usize)> {
    let (path, numbers) = line.rsplit_once(" | ")?;
    let mut words = numbers.split_whitespace();
    let count = words.next()?;
    let size = if count == "Bin" { 0 } else { count.parse().ok()? };
    let bar = words.next().is_none_or(|bar| count == "Bin" || bar.bytes().all(|byte| matches!(byte, b'+' | b'-')));
    (line.starts_with(' ') && bar).then_some((path.trim(), size))
}

fn numstat(line: &str) -> Option<(&str, usize)> {
    let mut fields = line.split('\t');
    let (added, removed, path) = (fields.next()?, fields.next()?, fields.next()?);
    let number = |field: &str| if field == "-" { Some(0) } else { field.parse::<usize>().ok() };
    let size = number(added)? + number(removed)?;
    (fields.next().is_none() && !path.is_empty()).then_some((path, size))
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn of_a_stat_the_largest_files_and_the_total_are_kept() {
        let mut text: String = (0..60)
            .map(|n| format!(" src/module_{n}/implementation.rs          | {:>4} ++++---\n", n * 7 + 1))
            .collect();
        text.push_str(" docs/logo.png | Bin 0 -> 1234 bytes\n 61 files changed, 900 insertions(+), 300 deletions(-)\n delete mode 100644 src/old.rs\n");
        insta::assert_snapshot!(check("git diff --stat", &text), @"
        [digest of diff: 13 of 63 lines kept, 884 tokens; original b94fcb7a76ad]
        src/ 60 files ±12450, docs/ 1 file ±0
        src/module_20/implementation.rs 141
        src/module_21/implementation.rs 148
        src/module_22/implementation.rs 155
        src/module_23/implementation.rs 162
        src/module_24/implementation.rs 169
        src/module_54/implementation.rs 379
        src/module_55/implementation.rs 386
        src/module_56/implementation.rs 393
        src/module_57/implementation.rs 400
        src/module_58/implementation.rs 407
        src/module_59/implementation.rs 414
         61 files changed, 900 insertions(+), 300 deletions(-)
         delete mode 100644 src/old.rs
        ");
    }
}
