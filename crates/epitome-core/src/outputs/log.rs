//! Logs of any format: totals by level, lines that repeat told once with their number, every error and warning kept.

mod line;
pub(super) mod templates;

use std::collections::{BTreeMap, BTreeSet};

use super::measured::far_above;
use super::odd::odd_ones;
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, cut_to_chars, events};
use crate::tokens::Tokens;
use line::{Level, Line, http_status, json_message};
use templates::{Likeness, Miner, Repeats};

/// The kind of log files and streams.
pub struct Log;

/// Lines looked at before the output is taken for a log: from its beginning, its middle and its end.
const SAMPLE: usize = 40;
/// Fewer lines than these are no log.
const LINES_AT_LEAST: usize = 5;
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

impl OutputKind for Log {
    fn name(&self) -> &'static str {
        "log"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        is_log(&output.text).then(|| Records::of(&output.text, effort).into_reading(&output.text, effort))
    }
}

/// Whether most lines of a sample begin with a time or a level.
fn is_log(text: &str) -> bool {
    let middle = text.len() / 2;
    let middle = (middle..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (first, last) = text.split_at(middle);
    let own = |line: &&str| !line.trim().is_empty() && !line.starts_with([' ', '\t']) && !events::is_frame(line);
    // The end of the first half and the beginning of the second may be halves of one line.
    let sample: Vec<&str> = first
        .lines()
        .filter(own)
        .take(SAMPLE)
        .chain(last.lines().skip(1).filter(own).take(SAMPLE))
        .chain(last.lines().rev().filter(own).take(SAMPLE / 2))
        .collect();
    let (mut logged, mut quiet, mut timed) = (0, 0, 0);
    for line in &sample {
        let read = Line::of(line);
        let message = read.time.as_ref().is_some_and(|time| has_message(line, time.start, time.end));
        let levelled = read.level.is_some() && (leads(line) || json_message(line).is_some());
        logged += usize::from(message || levelled);
        timed += usize::from(message);
        quiet += usize::from(read.level.is_some_and(|level| level.weight == line::Weight::Quiet));
    }
    // Without times, levels alone make a log if some of them are quiet: a compiler's warnings are none.
    let told = timed * 2 >= sample.len() || quiet * 5 >= sample.len();
    text.lines().take(LINES_AT_LEAST).count() == LINES_AT_LEAST
        && logged * 2 > sample.len()
        && told
        && !is_table(&sample)
}

/// Whether words follow a time. In a listing it stands behind rights and sizes, in a table between tabs.
fn has_message(line: &str, start: usize, end: usize) -> bool {
    let before = line.get(..start).unwrap_or_default();
    let after = line.get(end..).unwrap_or_default();
    let rights = line.len() > 10 && line.bytes().take(10).all(|byte| b"-dlrwxsStTbcp".contains(&byte));
    let columns = before.bytes().filter(|byte| *byte == b'\t').count() > 2;
    let words = after.split_whitespace().filter(|word| word.bytes().any(|byte| byte.is_ascii_alphabetic())).count();
    let history = before.starts_with("Date:") || before.starts_with("commit ");
    !(rights || columns || history) && words >= 1
}

/// Whether a level stands at the beginning of a line.
fn leads(line: &str) -> bool {
    let beginning = line.get(..24).unwrap_or(line);
    Line::of(beginning).level.is_some() || line.contains("level=")
}

/// Rows of equal length below a head are a table, whatever is in their columns.
fn is_table(sample: &[&str]) -> bool {
    let Some((head, rows)) = sample.split_first() else { return false };
    let separators = |line: &str| line.bytes().filter(|byte| matches!(byte, b',' | b'\t' | b';')).count();
    let columns = separators(head);
    let like = rows.iter().filter(|row| separators(row) == columns).count();
    columns >= 2 && line::time(head).is_none() && !head.starts_with('{') && like * 10 >= rows.len() * 9
}

/// What is known of the lines before they get their ranks.
struct Records {
    lines: Vec<Record>,
    common: Miner,
    events: Repeats,
}

struct Record {
    level: Option<Level>,
    status: Option<u16>,
    kind: Kind,
}

enum Kind {
    /// Belongs to the line above.
    Follows,
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
        let mut records = Records { lines: Vec::new(), common: Miner::new(common), events };
        for line in text.lines() {
            let read = Line::of(line);
            let record = records.record(line, &read);
            records.lines.push(record);
        }
        records
    }

    fn record(&mut self, line: &str, read: &Line) -> Record {
        let heads = read.time.is_some() || read.level.is_some();
        let indented = line.starts_with([' ', '\t']);
        let status = if heads { http_status(line) } else { None };
        let follows = Record { level: None, status: None, kind: Kind::Follows };
        if !heads && (indented || line.trim().is_empty() || (events::is_frame(line) && !line.contains("aused by"))) {
            return follows;
        }
        let failed = status.filter(|status| *status >= 500).map(|_| Finding::Error);
        let by_words = || events::severity(line);
        let finding = match read.level {
            Some(level) => level.weight.finding().or(failed),
            None => failed.or_else(by_words),
        };
        if !heads && finding.is_none() {
            return follows;
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

    fn into_reading(self, text: &str, effort: Effort) -> Reading {
        let mut reading = Reading::of_lines(text);
        reading.layout = Layout::Numbered(1);
        // Levels decide here, and were asked already.
        reading.events = Events::Strong;
        reading.say_always(self.totals(text));
        let told = self.say_templates(&mut reading);
        self.rank_common(&mut reading, text, &told);
        if effort == Effort::Full {
            self.rank_outliers(&mut reading, text);
        }
        self.rank_events(&mut reading, text);
        reading
    }

    /// `2,000 lines; 12 ERROR, 41 WARN; 08:00:00–10:46:35`
    fn totals(&self, text: &str) -> String {
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
        said.extend(times(text));
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
            if template.bytes().filter(u8::is_ascii_alphabetic).count() < WORDY {
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
                Kind::Follows | Kind::Event(_, _) => continue,
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
                (false, _) if rare_status => Rank::Telling(0),
                (false, _) if odd.contains(&index) && !levelled => Rank::Finding(Finding::Outlier),
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

    /// Values far above those of like lines: a request that took a hundred times as long.
    fn rank_outliers(&self, reading: &mut Reading, text: &str) {
        let lines = self.lines.iter().zip(text.lines()).enumerate().filter_map(|(index, (record, line))| {
            let Kind::Common(group) = record.kind else { return None };
            Some((index, group, line))
        });
        for index in far_above(lines) {
            reading.raise(index, Rank::Finding(Finding::Outlier));
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
                Kind::Follows => reading.pieces.get_mut(index).into_iter().for_each(|piece| piece.rank = Rank::Told),
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

impl Record {
    fn is_below(&self) -> bool {
        match self.kind {
            Kind::Follows => true,
            // The exception below a trace is an event of its own.
            Kind::Event(_, _) => self.level.is_none(),
            Kind::Common(_) | Kind::Mentions(_) => false,
        }
    }
}

/// The first and the last time.
fn times(text: &str) -> Option<String> {
    let at = |line: &'_ str| -> Option<String> { line::time(line).and_then(|time| line.get(time)).map(str::to_owned) };
    let first = text.lines().find_map(at)?;
    let last = text.lines().rev().find_map(at)?;
    // The day is said once.
    let day = first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count();
    let same = first.get(..day).filter(|_| first.len() >= 16).unwrap_or_default();
    let ends = same.rfind(['T', ' ']).or_else(|| same.find(':').filter(|_| same.contains('/')));
    let cut = ends.map_or(0, |at| at + 1);
    Some(format!("{first}–{}", last.get(cut..).unwrap_or(&last)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, output};

    fn service_log() -> String {
        let mut lines = Vec::new();
        for n in 0..600 {
            let (minute, second) = (n / 60, n % 60);
            let user = ["ann", "bob", "eve"][n % 3];
            lines.push(format!(
                "2025-09-15T08:{minute:02}:{second:02}Z INFO [web-{}] GET /orders/{} user={user} status=200 dur={}ms",
                n % 4,
                1000 + n,
                20 + n % 13
            ));
        }
        lines[77] = "2025-09-15T08:01:17Z ERROR [web-1] payment provider answered 502 order=1077".into();
        lines[300] = "2025-09-15T08:05:00Z WARN [web-0] pool almost used up: 19 of 20".into();
        lines[301] = "2025-09-15T08:05:01Z WARN [web-1] pool almost used up: 20 of 20".into();
        lines[302] = "2025-09-15T08:05:02Z WARN [web-2] pool almost used up: 20 of 20".into();
        lines[400] = "2025-09-15T08:06:40Z INFO [web-0] configuration reloaded, errors=0".into();
        lines[500] = "2025-09-15T08:08:20Z INFO [web-0] GET /orders/1500 user=ann status=200 dur=9100ms".into();
        lines.insert(78, "Traceback (most recent call last):\n  File \"pay.py\", line 9, in pay\n    call()\n  File \"net.py\", line 3, in call\n    raise Bad(502)\nBad: 502".into());
        lines.join("\n")
    }

    #[test]
    fn totals_templates_and_every_error_are_told() {
        insta::assert_snapshot!(check("tail -1000 app.log", &service_log()), @r#"
        [digest of log: 10 of 606 lines kept, 48,075 bytes; original e601b0eb09fa]
        606 lines; 1 ERROR, 3 WARN, 596 INFO; 2025-09-15T08:00:00Z–08:09:59Z
        595× INFO [web-*] GET /orders/* user=* status=* dur=*
        78: 2025-09-15T08:01:17Z ERROR [web-1] payment provider answered 502 order=1077
        79: Traceback (most recent call last):
        82:   File "net.py", line 3, in call
        83:     raise Bad(502)
        84: Bad: 502
        307: 2025-09-15T08:05:00Z WARN [web-0] pool almost used up: 19 of 20 [×3: 19, 20]
        309: 2025-09-15T08:05:02Z WARN [web-2] pool almost used up: 20 of 20
        407: 2025-09-15T08:06:40Z INFO [web-0] configuration reloaded, errors=0
        507: 2025-09-15T08:08:20Z INFO [web-0] GET /orders/1500 user=ann status=200 dur=9100ms
        606: 2025-09-15T08:09:59Z INFO [web-3] GET /orders/1599 user=eve status=200 dur=21ms
        "#);
    }

    #[test]
    fn a_server_error_in_an_access_log_is_an_error() {
        let line = |n: usize, status: u16| {
            format!(
                "10.0.0.{} - - [15/Sep/2025:08:{:02}:{:02} +0000] \"GET /a/{n} HTTP/1.1\" {status} {}",
                n % 9,
                n / 60,
                n % 60,
                n * 7
            )
        };
        let text: String = (0..200)
            .map(|n| {
                line(
                    n,
                    if n == 120 {
                        503
                    } else if n % 50 == 1 {
                        404
                    } else {
                        200
                    },
                ) + "\n"
            })
            .collect();
        insta::assert_snapshot!(check("cat access.log", &text), @r#"
        [digest of log: 3 of 200 lines kept, 14,330 bytes; original 31bc65271487]
        200 lines; status 200×195, 404×4, 503×1; 15/Sep/2025:08:00:00 +0000–08:03:19 +0000
        199× GET /a/*
        2: 10.0.0.1 - - [15/Sep/2025:08:00:01 +0000] "GET /a/1 HTTP/1.1" 404 7
        121: 10.0.0.3 - - [15/Sep/2025:08:02:00 +0000] "GET /a/120 HTTP/1.1" 503 840
        200: 10.0.0.1 - - [15/Sep/2025:08:03:19 +0000] "GET /a/199 HTTP/1.1" 200 1393
        "#);
    }

    #[test]
    fn records_in_json_are_lines_of_a_log() {
        let text: String = (0..120)
            .map(|n| {
                let (level, said) = if n == 60 { ("error", "queue full") } else { ("info", "job done") };
                format!(
                    "{{\"ts\":\"2025-09-15T08:00:{:02}Z\",\"level\":\"{level}\",\"msg\":\"{said}\",\"job\":{n}}}\r\n",
                    n % 60
                )
            })
            .collect();
        insta::assert_snapshot!(check("kubectl logs worker", &text), @r#"
        [digest of log: 2 of 120 lines kept, 8,653 bytes; original 852b6c9e4554]
        120 lines; 1 ERROR, 119 INFO; 2025-09-15T08:00:00Z–08:00:59Z
        119× INFO job done
        61: {"ts":"2025-09-15T08:00:00Z","level":"error","msg":"queue full","job":60}
        120: {"ts":"2025-09-15T08:00:59Z","level":"info","msg":"job done","job":119}
        "#);
    }

    #[test]
    fn repeated_errors_of_a_cluster_are_told_once() {
        let text: String = (0..150)
            .map(|n| {
                let letter = if n % 3 == 0 { 'E' } else { 'I' };
                let said = if n % 3 == 0 { format!("cannot reach node-{}", n % 2) } else { format!("synced {n} pods") };
                format!("{letter}0915 08:{:02}:{:02}.000001       1 sync.go:12] {said}\n", n / 60, n % 60)
            })
            .collect();
        insta::assert_snapshot!(check("kubectl logs manager", &text), @"
        [digest of log: 3 of 150 lines kept, 8,828 bytes; original 3c1c1526963e]
        150 lines; 50 ERROR, 100 INFO; 08:00:00.000001–08:02:29.000001
        100× * sync.go:*] synced * pods
        1: E0915 08:00:00.000001       1 sync.go:12] cannot reach node-0 [×50: 0, 1]
        148: E0915 08:02:27.000001       1 sync.go:12] cannot reach node-1
        150: I0915 08:02:29.000001       1 sync.go:12] synced 149 pods
        ");
    }

    #[test]
    fn an_information_that_mentions_an_error_is_kept_if_it_is_rare() {
        let mut lines: Vec<String> =
            (0..200).map(|n| format!("08:00:{:02} INFO request {n} done, error rate {n}%", n % 60)).collect();
        lines[50] = "08:00:50 INFO payment of order 12 failed: card declined".into();
        insta::assert_snapshot!(check("tail app.log", &lines.join("\n")), @"
        [digest of log: 3 of 200 lines kept, 9,389 bytes; original 14421fd4367d]
        200 lines; 200 INFO; 08:00:00–08:00:19
        199× INFO request * done, error rate *%
        1: 08:00:00 INFO request 0 done, error rate 0%
        51: 08:00:50 INFO payment of order 12 failed: card declined
        200: 08:00:19 INFO request 199 done, error rate 199%
        ");
    }

    #[test]
    fn single_errors_are_not_lost_among_many_of_another_kind() {
        let mut lines: Vec<String> = (0..300)
            .map(|n| match n % 7 {
                0 => format!(
                    "2025-09-15 08:{:02}:{:02} ERROR worker {n} could not reach the queue at queue{}.internal because the connection was refused by the peer, retry {n}",
                    n / 60,
                    n % 60,
                    n % 3
                ),
                _ => format!("2025-09-15 08:{:02}:{:02} INFO worker {n} done in {}ms", n / 60, n % 60, n % 9),
            })
            .collect();
        lines[31] = "2025-09-15 08:00:31 ERROR worker 31 could not reach the store at store1.internal because the certificate was refused by the peer, retry 1".into();
        lines[101] = "2025-09-15 08:01:41 ERROR worker 101 level=error msg=timeout job=3".into();
        lines[102] = "2025-09-15 08:01:42 ERROR worker 102 level=error msg=overflow job=4".into();
        let digest = check("cat worker.log", &lines.join("\n"));
        for kept in ["the certificate was refused", "msg=timeout", "msg=overflow", "[×43"] {
            assert!(digest.contains(kept), "{kept} in {digest}");
        }
    }

    #[test]
    fn every_server_error_is_told_with_its_page() {
        let text: String = (0..300)
            .map(|n| {
                let (method, page, status, size) = match n {
                    40..60 => ("GET", format!("/api/cart/{n}"), 503, 90),
                    77 => ("POST", "/api/pay/7".to_owned(), 503, 90),
                    78 => ("GET", "/api/cart/78".to_owned(), 500, 90),
                    150 => ("GET", "/export/all".to_owned(), 200, 912_000_000),
                    _ => ("GET", format!("/item/{n}?q={n}"), if n % 40 == 1 { 404 } else { 200 }, 500 + n),
                };
                format!(
                    "10.0.0.{} - - [15/Sep/2025:08:{:02}:{:02} +0000] \"{method} {page} HTTP/1.1\" {status} {size} \"-\" \"Mozilla/5.0 (X11; Linux)\"\n",
                    n % 9,
                    n / 60,
                    n % 60,
                )
            })
            .collect();
        insta::assert_snapshot!(check("cat access.log", &text), @r#"
        [digest of log: 7 of 300 lines kept, 33,337 bytes; original 9e7d34dc8ebf]
        300 lines; status 200×271, 404×7, 500×1, 503×21; 15/Sep/2025:08:00:00 +0000–08:04:59 +0000
        2: 10.0.0.1 - - [15/Sep/2025:08:00:01 +0000] "GET /item/1?q=1 HTTP/1.1" 404 501 "-" "Mozilla/5.0 (X11; Linux)"
        41: 10.0.0.4 - - [15/Sep/2025:08:00:40 +0000] "GET /api/cart/40 HTTP/1.1" 503 90 "-" "Mozilla/5.0 (X11; Linux)" [×20: 10.0.0.4, 10.0.0.5, 10.0.0.6, 10.0.0.7, 10.0.0.8, 10.0.0.0, 10.0.0.1, 10.0.0.2, 10.0.0.3]
        60: 10.0.0.5 - - [15/Sep/2025:08:00:59 +0000] "GET /api/cart/59 HTTP/1.1" 503 90 "-" "Mozilla/5.0 (X11; Linux)"
        78: 10.0.0.5 - - [15/Sep/2025:08:01:17 +0000] "POST /api/pay/7 HTTP/1.1" 503 90 "-" "Mozilla/5.0 (X11; Linux)"
        79: 10.0.0.6 - - [15/Sep/2025:08:01:18 +0000] "GET /api/cart/78 HTTP/1.1" 500 90 "-" "Mozilla/5.0 (X11; Linux)"
        151: 10.0.0.6 - - [15/Sep/2025:08:02:30 +0000] "GET /export/all HTTP/1.1" 200 912000000 "-" "Mozilla/5.0 (X11; Linux)"
        300: 10.0.0.2 - - [15/Sep/2025:08:04:59 +0000] "GET /item/299?q=299 HTTP/1.1" 200 799 "-" "Mozilla/5.0 (X11; Linux)"
        "#);
    }

    #[test]
    fn a_line_unlike_all_others_survives_without_levels() {
        let mut lines: Vec<String> = (0..400)
            .map(|n| format!("{:02}:{:02}:{:02} pump {} pressure {}.{} bar", n / 60, n % 60, n % 7, n % 4, 4, n % 10))
            .collect();
        lines[222] = "03:42:05 pump 3 lost pressure".into();
        lines[223] = "03:43:05 pump 2 pressure falling fast".into();
        insta::assert_snapshot!(check("cat ship.log", &lines.join("\n")), @"
        [digest of log: 3 of 400 lines kept, 13,201 bytes; original 4418c3aa6712]
        400 lines; 00:00:00–06:39:00
        398× pump * pressure * bar
        223: 03:42:05 pump 3 lost pressure
        224: 03:43:05 pump 2 pressure falling fast
        400: 06:39:00 pump 3 pressure 4.9 bar
        ");
    }

    #[test]
    fn an_exception_is_told_with_the_frame_that_raised_it() {
        let mut lines: Vec<String> =
            (0..120).map(|n| format!("2025-09-15 08:00:{:02},001 - app - INFO - request {n} served", n % 60)).collect();
        lines[60] = "2025-09-15 08:01:00,001 - app - ERROR - request 60 went wrong\n    Traceback (most recent call last):\n      File \"/app/web.py\", line 12, in serve\n        total = price(order)\n      File \"/app/price.py\", line 88, in price\n        return rates[order.currency]\n               ~~~~~^^^^^^^^^^^^^^^^\n    KeyError: 'CHF'".into();
        lines[80] = "ERROR:root:nightly sync broke\nTraceback (most recent call last):\n  File \"/app/sync.py\", line 5, in run\n    pull()\n  File \"/app/net.py\", line 7, in pull\n    raise TimeoutError(host)\n    ^^^^^^^^^^^^^^^^^^^^^^^^\nTimeoutError: db7".into();
        insta::assert_snapshot!(check("cat app.log", &lines.join("\n")), @r#"
        [digest of log: 11 of 134 lines kept, 7,277 bytes; original d2386b41f12b]
        134 lines; 2 ERROR, 118 INFO; 2025-09-15 08:00:00,001–08:00:59,001
        118× app - INFO - request * served
        61: 2025-09-15 08:01:00,001 - app - ERROR - request 60 went wrong
        62:     Traceback (most recent call last):
        65:       File "/app/price.py", line 88, in price
        66:         return rates[order.currency]
        68:     KeyError: 'CHF'
        88: ERROR:root:nightly sync broke
        89: Traceback (most recent call last):
        92:   File "/app/net.py", line 7, in pull
        93:     raise TimeoutError(host)
        95: TimeoutError: db7
        134: 2025-09-15 08:00:59,001 - app - INFO - request 119 served
        "#);
    }

    #[test]
    fn encoded_data_does_not_hide_the_message_behind_it() {
        let mut lines: Vec<String> =
            (0..100).map(|n| format!("Sep 15 08:00:{:02} host app[1]: request {n} served", n % 60)).collect();
        let data = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(60);
        lines[50] = format!("Sep 15 08:00:50 host app[1]: ERROR payload={data} could not be stored: disk is read-only");
        lines[51] = "Sep 15 08:00:51 host kernel: Out of memory: Killed process 4242 (postgres)".into();
        let digest = check("journalctl", &lines.join("\n"));
        for kept in ["could not be stored: disk is read-only", "Killed process 4242 (postgres)"] {
            assert!(digest.contains(kept), "{kept} in {digest}");
        }
        assert!(!digest.contains(&data), "{digest}");
    }

    #[test]
    fn what_is_no_log_is_not_taken_for_one() {
        let listing = "-rw-r--r-- 1 u g 12 2025-09-15 08:00:00.000 +0000 a.txt\n".repeat(20);
        let table = format!("time,host,ms\n{}", "2025-09-15T08:00:00Z,web,12\n".repeat(20));
        let history = "commit 12ab\nAuthor: x\nDate:   Mon Sep 15 08:00:00 2025 +0200\n\n    words\n\n".repeat(9);
        let compiler = "warning: unused variable\n  --> src/a.rs:3\nerror: no\n".repeat(9);
        let few = "2025-09-15T08:00:00Z INFO a\n".repeat(4);
        for text in [listing.as_str(), &table, &history, &compiler, &few, "", "one line", &"plain words\n".repeat(30)] {
            assert!(Log.read(&output("x", text), Effort::Full).is_none(), "{text}");
        }
    }
}
