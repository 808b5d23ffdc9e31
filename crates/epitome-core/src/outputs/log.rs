//! Logs of any format: totals by level, lines that repeat told once with their number, every error and warning kept.

mod gaps;
mod known;
mod line;
pub(super) mod templates;
mod times;

use std::collections::{BTreeMap, BTreeSet};

use super::columns::unlike_in_a_column;
use super::odd::odd_ones;
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, cut_to_chars, events};
use crate::tokens::Tokens;
use line::{Level, Line, http_status};
use templates::{Likeness, Miner, Repeats};
pub(super) use times::Times;

/// The kind of log files and streams.
pub struct Log;

/// Repeats of one error are all kept up to this number; beyond it the first and the last stand for them.
const ALL_REPEATS: usize = 2;
/// Told as templates, at most so many.
const TEMPLATES: usize = 8;
/// A template is told from so many lines on.
const REPEATS: usize = 3;
/// A template with fewer letters tells nothing.
const WORDY: usize = 4;
/// A template longer than this is cut.
const TEMPLATE_CHARS: usize = 110;
/// What occurs in one of so many lines is rare.
const RARE: usize = 20;
/// Of what a line unlike the others goes on with, so many lines.
const GOES_ON: usize = 3;
/// So few lines unlike all others are kept whatever their level.
const ODD: usize = 4;

impl OutputKind for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        known::is_log(&output.text).then(|| Records::of(&output.text, effort).into_reading(&output.text, effort))
    }
}

/// What is known of the lines before they get their ranks.
struct Records {
    lines: Vec<Record>,
    common: Miner,
    below: Miner,
    events: Repeats,
    /// Whether the last line with a time or a level reports something; `None` before the first.
    below_event: Option<bool>,
    /// From when to when.
    span: Option<String>,
    /// Lines with their times in seconds.
    times: Vec<(usize, f64)>,
}

struct Record {
    level: Option<Level>,
    status: Option<u16>,
    kind: Kind,
}

enum Kind {
    /// Stands above the first line of the log.
    Opens,
    /// Belongs to the line above: nothing, or part of what went wrong there.
    Follows,
    /// Goes on with the line above, and its group.
    GoesOn(usize),
    /// One of the lines that nothing is wrong with, and its group.
    Common(usize),
    /// Speaks of an error, but says that it is none.
    Mentions(usize),
    /// Reports an error or a warning.
    Event(Finding, usize),
}

impl Records {
    fn of(text: &str, effort: Effort) -> Records {
        let (common, events) = match effort {
            Effort::Full => (Likeness::Alike, Repeats::default()),
            Effort::Quick => (Likeness::Masked, Repeats::new(Likeness::Masked, Likeness::Masked)),
        };
        let mut records = Records {
            lines: Vec::new(),
            common: Miner::new(common),
            below: Miner::new(common),
            events,
            below_event: None,
            span: None,
            times: Vec::new(),
        };
        let mut times = Times::default();
        for (index, line) in text.lines().enumerate() {
            let read = Line::of(line);
            let time = read.time.clone().and_then(|time| times.add(line.get(time)?));
            records.times.extend(time.map(|time| (index, time)));
            let record = records.record(line, &read);
            records.lines.push(record);
        }
        records.span = times.say();
        records
    }

    fn record(&mut self, line: &str, read: &Line) -> Record {
        let heads = read.time.is_some() || read.level.is_some();
        let indented = line.starts_with([' ', '\t']);
        let status = if heads { http_status(line) } else { None };
        let belongs = indented || line.trim().is_empty() || (events::is_frame(line) && !line.contains("aused by"));
        // What went wrong is told by the line above, or else by this one.
        if !heads
            && belongs
            && (self.below_event == Some(true) || !(events::is_error(line) || events::is_crossed(line)))
        {
            return Record { level: None, status: None, kind: self.below(line) };
        }
        let failed = status.filter(|status| *status >= 500).map(|_| Finding::Error);
        let crossed = || (!heads && events::is_crossed(line)).then_some(Finding::Error);
        let by_words = || events::severity(line).or_else(crossed);
        let finding = match read.level {
            Some(level) => level.weight.finding().or(failed),
            None => failed.or_else(by_words),
        };
        if heads {
            self.below_event = Some(finding.is_some());
        } else if finding.is_none() && self.below_event != Some(false) {
            return Record { level: None, status: None, kind: self.below(line) };
        }
        let mut message = read.message(line);
        if let (Some(status), Some(_)) = (status, failed) {
            // Parts of a path are words here: another page is another error.
            message = format!("{} {}", message.replace('/', " / "), line::spelled(status));
        }
        let kind = match finding {
            Some(finding) => Kind::Event(finding, self.events.add(finding, &message)),
            None if by_words().is_some() => Kind::Mentions(self.common.add(&message)),
            None => Kind::Common(self.common.add(&message)),
        };
        Record { level: read.level, status, kind }
    }

    /// What a line is that has neither time nor level.
    fn below(&mut self, line: &str) -> Kind {
        match self.below_event {
            None => Kind::Opens,
            Some(false) if !line.trim().is_empty() => Kind::GoesOn(self.below.add(line.trim())),
            Some(_) => Kind::Follows,
        }
    }

    fn into_reading(self, text: &str, effort: Effort) -> Reading {
        let mut reading = Reading::of_lines(text);
        reading.layout = Layout::Numbered(1);
        // Levels decide here, and were asked already.
        reading.events = Events::Strong;
        reading.say_always(self.totals());
        let told = self.say_templates(&mut reading);
        self.rank_common(&mut reading, text, &told);
        self.rank_events(&mut reading, text);
        if effort == Effort::Full {
            self.rank_outliers(&mut reading, text);
            self.rank_jumps(&mut reading);
        }
        self.rank_rest_of_outliers(&mut reading);
        let lines: Vec<&str> = text.lines().collect();
        events::keep_around(&mut reading, text, |index| self.is_timeless_event(index, lines.get(index)));
        reading
    }

    /// `2,000 lines; 12 ERROR, 41 WARN; 08:00:00–10:46:35`
    fn totals(&self) -> String {
        let mut levels: BTreeMap<Level, usize> = BTreeMap::new();
        for record in &self.lines {
            record.level.into_iter().for_each(|level| *levels.entry(level).or_default() += 1);
        }
        let statuses = self.statuses();
        let mut said = vec![format!("{} lines", Tokens(self.lines.len() as u64))];
        if !levels.is_empty() {
            let levels = levels.iter().map(|(level, count)| format!("{} {}", Tokens(*count as u64), level.name));
            said.push(levels.collect::<Vec<_>>().join(", "));
        }
        if statuses.len() > 1 {
            let statuses =
                statuses.iter().take(12).map(|(status, count)| format!("{status}×{}", Tokens(*count as u64)));
            said.push(format!("status {}", statuses.collect::<Vec<_>>().join(", ")));
        }
        said.extend(self.span.clone());
        said.join("; ")
    }

    fn statuses(&self) -> BTreeMap<u16, usize> {
        let mut statuses = BTreeMap::new();
        self.lines
            .iter()
            .filter_map(|record| record.status)
            .for_each(|status| *statuses.entry(status).or_default() += 1);
        statuses
    }

    /// Tells the most frequent templates; returns which.
    fn say_templates(&self, reading: &mut Reading) -> Vec<bool> {
        let groups = self.common.groups();
        let mut frequent: Vec<usize> =
            (0..groups.len()).filter(|at| groups.get(*at).is_some_and(|group| group.count >= REPEATS)).collect();
        frequent.sort_by_key(|at| (std::cmp::Reverse(groups.get(*at).map_or(0, |group| group.count)), *at));
        let mut told = vec![false; groups.len()];
        for at in frequent.into_iter().take(TEMPLATES) {
            let Some(group) = groups.get(at) else { continue };
            let template = group.text();
            if template.chars().filter(|c| c.is_alphabetic()).count() < WORDY {
                continue;
            }
            let template = cut_to_chars(&template, TEMPLATE_CHARS);
            reading.say(format!("{}× {template}", Tokens(group.count as u64)));
            told.get_mut(at).into_iter().for_each(|told| *told = true);
        }
        told
    }

    fn rank_common(&self, reading: &mut Reading, text: &str, told: &[bool]) {
        let groups = self.common.groups();
        let single = groups.iter().filter(|group| group.count == 1).count();
        // Where every line is unlike the others, none of them is worth more for it.
        let rare = single * 6 <= self.lines.len();
        let mut rare_statuses: BTreeSet<u16> = self
            .statuses()
            .into_iter()
            .filter(|(_, count)| count * RARE <= self.lines.len())
            .map(|(status, _)| status)
            .collect();
        let mut seen = vec![false; groups.len()];
        let odd = self.odd(text);
        let levelled = self.lines.iter().any(|record| record.level.is_some());
        for (index, (record, piece)) in self.lines.iter().zip(&mut reading.pieces).enumerate() {
            let (group, mentions) = match record.kind {
                Kind::Common(group) => (group, false),
                Kind::Mentions(group) => (group, true),
                Kind::Opens | Kind::Follows | Kind::GoesOn(_) | Kind::Event(_, _) => continue,
            };
            let count = groups.get(group).map_or(0, |group| group.count);
            let first = seen.get_mut(group).is_some_and(|seen| !std::mem::replace(seen, true));
            let is_told = told.get(group).copied().unwrap_or_default();
            let rare_status = record.status.is_some_and(|status| rare_statuses.remove(&status));
            piece.rank = match (mentions && first, count) {
                // Better once too often than a failure that says it is none.
                (true, ..=REPEATS) if events::severity(piece.text(text)) == Some(Finding::Error) => {
                    Rank::Finding(Finding::Outlier)
                }
                (true, _) => Rank::Telling(0),
                (false, _) if rare_status && record.status >= Some(400) => Rank::Finding(Finding::Outlier),
                (false, _) if odd.contains(&index) && (!levelled || odd.len() <= ODD) => {
                    Rank::Finding(Finding::Outlier)
                }
                (false, _) if rare_status => Rank::Telling(0),
                (false, 1) if rare => Rank::Telling(1),
                (false, _) if odd.contains(&index) => Rank::Telling(1),
                (false, _) if is_told => Rank::Told,
                (false, _) => Rank::Ordinary,
            };
        }
    }

    /// Lines that are unlike all others, if they are few: `pump 3 lost pressure` in a log that knows no levels.
    fn odd(&self, text: &str) -> BTreeSet<usize> {
        let common = |record: &Record| matches!(record.kind, Kind::Common(_));
        let lines = self.lines.iter().zip(text.lines()).enumerate().filter(|(_, (record, _))| common(record));
        let (indices, messages): (Vec<usize>, Vec<String>) =
            lines.map(|(index, (_, line))| (index, Line::of(line).message(line))).unzip();
        let messages: Vec<&str> = messages.iter().map(String::as_str).collect();
        odd_ones(&messages).into_iter().filter_map(|at| indices.get(at).copied()).collect()
    }

    /// Lines with a value that is unlike those of like lines: a request that took a hundred times as long.
    fn rank_outliers(&self, reading: &mut Reading, text: &str) {
        let lines = self.lines.iter().zip(text.lines()).enumerate().filter_map(|(index, (record, line))| {
            let group = match record.kind {
                Kind::Common(group) => group * 3,
                Kind::Event(_, group) => group * 3 + 1,
                Kind::GoesOn(group) => group * 3 + 2,
                Kind::Opens | Kind::Follows | Kind::Mentions(_) => return None,
            };
            Some((index, group, without_time(line)))
        });
        for index in unlike_in_a_column(lines) {
            reading.raise(index, Rank::Finding(Finding::Outlier));
        }
    }

    /// Lines that stand behind a silence, or are from another time.
    fn rank_jumps(&self, reading: &mut Reading) {
        for (index, note) in gaps::jumps(&self.times) {
            reading.raise(index, Rank::Finding(Finding::Outlier));
            if let Some(piece) = reading.pieces.get_mut(index) {
                piece.note = Some(piece.note.take().unwrap_or_default() + &note);
            }
        }
    }

    /// An event that begins with no time and no level: what it belongs to stands around it.
    fn is_timeless_event(&self, index: usize, line: Option<&&str>) -> bool {
        let is_event = |record: &Record| matches!(record.kind, Kind::Event(_, _)) && record.level.is_none();
        let timed = |line: &&str| !line.starts_with([' ', '\t']) && line::time(line).is_some();
        self.lines.get(index).is_some_and(is_event) && !line.is_some_and(timed)
    }

    /// What a line unlike the others goes on with belongs to it.
    fn rank_rest_of_outliers(&self, reading: &mut Reading) {
        let mut left = 0;
        for (record, piece) in self.lines.iter().zip(&mut reading.pieces) {
            match record.kind {
                Kind::GoesOn(_) if left > 0 => {
                    left -= 1;
                    piece.rank = piece.rank.min(Rank::Telling(0));
                }
                Kind::GoesOn(_) => {}
                Kind::Common(_) if piece.rank.finding().is_some() => left = GOES_ON,
                Kind::Opens | Kind::Follows | Kind::Common(_) | Kind::Mentions(_) | Kind::Event(_, _) => left = 0,
            }
        }
    }

    fn rank_events(&self, reading: &mut Reading, text: &str) {
        let one_of = self.events.finish();
        let mut repeats: BTreeMap<usize, Vec<(usize, Finding)>> = BTreeMap::new();
        for (index, record) in self.lines.iter().enumerate() {
            match record.kind {
                Kind::Event(finding, group) => {
                    repeats.entry(one_of.of(group)).or_default().push((index, finding));
                }
                Kind::Follows | Kind::GoesOn(_) => {
                    reading.pieces.get_mut(index).into_iter().for_each(|piece| piece.rank = Rank::Told);
                }
                Kind::Opens if reading.pieces.get(index).is_none_or(|piece| piece.rank == Rank::Told) => {}
                Kind::Opens => reading.raise(index, Rank::Telling(2)),
                Kind::Common(_) | Kind::Mentions(_) => {}
            }
        }
        for lines in repeats.values() {
            for (position, (index, finding)) in lines.iter().enumerate() {
                let shown = lines.len() <= ALL_REPEATS || position == 0 || position + 1 == lines.len();
                if let Some(piece) = reading.pieces.get_mut(*index) {
                    piece.rank = if shown { Rank::Finding(*finding) } else { Rank::Told };
                }
            }
            if lines.len() > ALL_REPEATS {
                events::note_repeats(reading, text, lines);
            }
            // What stands below a repeat stood below the first.
            for (index, _) in lines.iter().take(1) {
                let end = (index + 1..self.lines.len())
                    .find(|below| self.lines.get(*below).is_some_and(|record| !record.is_below()))
                    .unwrap_or(self.lines.len());
                events::keep_trace(reading, text, *index, end);
            }
        }
    }
}

/// The larger part of a line, before or behind its time.
fn without_time(line: &str) -> &str {
    let Some(time) = line::time(line) else { return line };
    let (before, after) = (line.get(..time.start).unwrap_or_default(), line.get(time.end..).unwrap_or_default());
    if before.len() > after.len() { before } else { after }
}

impl Record {
    fn is_below(&self) -> bool {
        match self.kind {
            Kind::Follows | Kind::GoesOn(_) => true,
            // The exception below a trace is an event of its own.
            Kind::Event(_, _) => self.level.is_none(),
            Kind::Opens | Kind::Common(_) | Kind::Mentions(_) => false,
        }
    }
}

#[cfg(test)]
mod tests;
