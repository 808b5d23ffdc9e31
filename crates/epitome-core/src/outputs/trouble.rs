//! Records and rows that say that something went wrong, by the name of a field and its value.

use std::collections::BTreeMap;

use super::events;
use super::outliers::{Cell, Column};
use super::reading::Finding;
use super::template::template_id;

/// Longer texts speak about errors rather than report one.
const MESSAGE_CHARS: usize = 400;
/// Of repeats, all are shown up to this number.
const ALL_REPEATS: usize = 3;
/// Rows that are shown at most.
const SHOWN_AT_MOST: usize = 16;
/// What so many rows of a table say is what the table is about: two in five.
const USUAL: (usize, usize) = (2, 5);

/// What the field `name` reports by its value.
pub fn reported(name: &str, cell: &Cell<'_>) -> Option<Finding> {
    reported_as(&last_word(name), cell)
}

fn reported_as(name: &str, cell: &Cell<'_>) -> Option<Finding> {
    match cell {
        Cell::Text(text) => reported_by_text(name, text),
        Cell::Flag(flag) => {
            let wrong = match flag.to_ascii_lowercase().as_str() {
                "false" => is_success(name),
                _ => is_error_name(name),
            };
            wrong.then_some(Finding::Error)
        }
        Cell::Number(number) if is_exit(name) => {
            number.bytes().any(|byte| matches!(byte, b'1'..=b'9')).then_some(Finding::Error)
        }
        Cell::Number(number) if is_full(name, number) => Some(Finding::Outlier),
        Cell::Number(number) => {
            (is_status(name) && number.len() == 3 && number.starts_with('5')).then_some(Finding::Error)
        }
        Cell::List(length) => (*length > 0 && is_error_name(name)).then_some(Finding::Error),
        Cell::Object => is_error_name(name).then_some(Finding::Error),
        Cell::Absent | Cell::Empty => None,
    }
}

fn reported_by_text(name: &str, text: &str) -> Option<Finding> {
    if ["Traceback (most recent call last)", " panicked at ", "\\n    at ", "\n    at ", "\\nCaused by: "]
        .iter()
        .any(|trace| text.contains(trace))
    {
        return Some(Finding::Error);
    }
    if let Some(state) = reported_by_state(text) {
        return Some(state);
    }
    let short = text.len() <= MESSAGE_CHARS;
    if is_error_name(name) && short {
        let none = matches!(
            text.to_ascii_lowercase().as_str(),
            "none" | "<none>" | "no" | "ok" | "0" | "false" | "no error" | "success"
        );
        return (!none && !text.trim().is_empty()).then_some(Finding::Error);
    }
    let tells = matches!(
        name,
        "status"
            | "state"
            | "phase"
            | "level"
            | "severity"
            | "conclusion"
            | "result"
            | "outcome"
            | "health"
            | "reason"
            | "message"
            | "msg"
            | "detail"
            | "details"
            | "info"
            | "output"
            | "stderr"
            | "log"
    );
    let severity = if tells && short { events::severity(text) } else { None };
    severity.or_else(|| (is_state(name) && is_not_well(text)).then_some(Finding::Outlier))
}

fn is_state(name: &str) -> bool {
    matches!(name, "status" | "state" | "phase" | "health" | "ready" | "active" | "condition")
}

/// How a program ended: any number but zero is a failure.
fn is_exit(name: &str) -> bool {
    matches!(name, "exitcode" | "exitstatus" | "returncode" | "exit" | "rc" | "lastexitcode")
}

/// A disk, a processor or a memory that has no more room.
fn is_full(name: &str, number: &str) -> bool {
    const USED: &[&str] = &["use", "iuse", "used", "capacity", "cpu", "mem", "memory", "disk", "swap", "util", "usage"];
    let percent = name.contains('%') || number.ends_with('%') || name.ends_with("pct") || name.ends_with("percent");
    let bare = name.trim_matches('%').trim_end_matches("pct").trim_end_matches("percent");
    percent && USED.contains(&bare) && number.trim_end_matches('%').parse::<f64>().is_ok_and(|full| full >= 95.0)
}

/// What a line of a report states by its key and its value, of those keys that state a condition of something. A setting
/// is none: `log_level: error`, `on_failure: retry`.
pub fn stated(key: &str, value: &str) -> Option<Finding> {
    let name = last_word(key);
    let states = is_state(&name)
        || is_error_name(&name)
        || is_success(&name)
        || is_end(key)
        || matches!(name.as_str(), "reason" | "result" | "conclusion" | "outcome" | "message" | "stderr" | "oomkilled");
    if !states {
        return None;
    }
    let value = value.trim().trim_matches(['"', '\'']);
    let first = value.split([' ', '(']).next().unwrap_or_default();
    let cell = Cell::of_text(value);
    let by_exit = is_end(key).then(|| reported_as("exitcode", &cell)).flatten();
    // `Active: failed (Result: exit-code) since Monday`
    by_exit
        .or_else(|| reported_as(&name, &cell))
        .or_else(|| is_state(&name).then(|| reported_by_state(first)).flatten())
}

/// `Exit Code`, `last.exit_code`, `terminated.exitCode`.
fn is_end(key: &str) -> bool {
    let words: Vec<&str> = key.rsplit(' ').take(2).collect();
    let two: String = words.into_iter().rev().collect();
    is_exit(&last_word(key)) || is_exit(&last_word(&two))
}

/// A state that a thing is not meant to stay in, as programs write it.
fn is_not_well(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    matches!(
        first,
        "Exited"
            | "Restarting"
            | "Dead"
            | "NotReady"
            | "Pending"
            | "Terminating"
            | "Unknown"
            | "Paused"
            | "Removing"
            | "Lost"
            | "Stopped"
            | "Suspended"
            | "Terminated"
    )
}

/// A cell that is nothing but the name of a bad state.
fn reported_by_state(text: &str) -> Option<Finding> {
    if text.len() > 40 || text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let lower = text.trim().to_ascii_lowercase();
    if matches!(lower.as_str(), "warning" | "warn") {
        return Some(Finding::Warning);
    }
    let whole = matches!(
        lower.as_str(),
        "error"
            | "errored"
            | "failed"
            | "failure"
            | "fail"
            | "fatal"
            | "critical"
            | "down"
            | "dead"
            | "unreachable"
            | "offline"
            | "timeout"
            | "timed_out"
            | "timed out"
            | "aborted"
            | "killed"
            | "panic"
            | "degraded"
            | "<defunct>"
    );
    let backed_off = lower.ends_with("backoff") || lower.starts_with("errimage");
    let within = ["unhealthy", "notready", "oomkilled", "evicted"].iter().any(|state| lower.contains(state));
    let exited = lower.strip_prefix("exited (").is_some_and(|code| !code.starts_with('0'));
    (whole || backed_off || within || exited || lower.starts_with("restarting (")).then_some(Finding::Error)
}

/// `responseStatus`, `response_status` and `response.status` are a status.
fn last_word(name: &str) -> String {
    let last = name.rsplit(['.', '/', ' ']).next().unwrap_or(name).trim_end_matches("[]");
    last.replace(['-', '_'], "").to_ascii_lowercase()
}

fn is_error_name(name: &str) -> bool {
    matches!(
        name,
        "error"
            | "errors"
            | "err"
            | "exception"
            | "exceptions"
            | "failure"
            | "failures"
            | "stacktrace"
            | "traceback"
            | "errormessage"
            | "errmsg"
            | "errormsg"
            | "lasterror"
            | "failed"
            | "failurereason"
            | "errordetails"
            | "errordetail"
            | "failuremessage"
            | "oomkilled"
            | "crashed"
            | "timedout"
    )
}

fn is_success(name: &str) -> bool {
    matches!(name, "success" | "ok" | "succeeded" | "passed" | "healthy" | "successful" | "ready")
}

fn is_status(name: &str) -> bool {
    matches!(name, "status" | "statuscode" | "httpstatus" | "code" | "responsestatus" | "responsecode" | "httpcode")
}

/// A row that reports something.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Its index.
    pub row: usize,
    /// What it reports.
    pub finding: Finding,
    /// How many rows report the same, if this one stands for them.
    pub repeats: Option<usize>,
}

/// Which rows are shown for what they report. Of repeats the first and the last; nothing where it is the usual.
#[derive(Default)]
pub struct Reports {
    by_message: BTreeMap<(usize, u64), Vec<(usize, Finding)>>,
}

impl Reports {
    /// Looks at all cells of a column.
    pub fn look_at(&mut self, index: usize, column: &Column<'_>) {
        let name = last_word(&column.name);
        for (row, cell) in column.cells.iter().enumerate() {
            self.look(row, index, &name, cell);
        }
    }

    /// Looks at one cell, of a field whose name is in lower case.
    pub fn look(&mut self, row: usize, column: usize, name: &str, cell: &Cell<'_>) {
        if let Some(finding) = reported_as(name, cell) {
            let message = cell.written().map_or(0, |text| template_id(text.trim()));
            self.by_message.entry((column, message)).or_default().push((row, finding));
        }
    }

    /// The rows to be shown, from top to bottom.
    pub fn shown(self, rows: usize) -> Vec<Report> {
        let mut of_column: BTreeMap<usize, usize> = BTreeMap::new();
        for ((column, _), reports) in &self.by_message {
            *of_column.entry(*column).or_default() += reports.len();
        }
        let usual = |column: usize| {
            let count = of_column.get(&column).copied().unwrap_or_default();
            rows >= 5 && count * USUAL.1 > rows * USUAL.0
        };
        let mut groups: Vec<Vec<(usize, Finding)>> = self
            .by_message
            .into_iter()
            // In a list of failures the rare ones still tell; the usual ones are told by the column.
            .filter(|((column, _), reports)| !usual(*column) || reports.len() * 20 <= rows)
            // A state that many are in is none to speak of.
            .filter(|(_, reports)| {
                reports.len() * 5 <= rows || reports.iter().any(|(_, finding)| *finding != Finding::Outlier)
            })
            .map(|(_, reports)| reports)
            .collect();
        // The rarest first: what happens often is told by the column.
        groups.sort_by_key(|reports| {
            (reports.first().map(|(_, finding)| *finding), reports.len(), reports.first().map(|(row, _)| *row))
        });
        let mut shown: BTreeMap<usize, Report> = BTreeMap::new();
        for reports in groups {
            let all = reports.len() <= ALL_REPEATS;
            for (position, (row, finding)) in reports.iter().enumerate() {
                if (all || position == 0 || position + 1 == reports.len())
                    && (shown.len() < SHOWN_AT_MOST || shown.contains_key(row))
                {
                    let repeats = (!all && position == 0).then_some(reports.len());
                    let report = shown.entry(*row).or_insert(Report { row: *row, finding: *finding, repeats });
                    report.finding = report.finding.min(*finding);
                }
            }
        }
        shown.into_values().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, cell: Cell<'_>, expected: Option<Finding>) {
        assert_eq!(reported(name, &cell), expected, "{name}: {cell:?}");
    }

    #[test]
    fn a_report_is_known_by_field_and_value() {
        check("error", Cell::Text("connection refused"), Some(Finding::Error));
        check("meta.errorMessage", Cell::Text("boom"), Some(Finding::Error));
        check("error", Cell::Empty, None);
        check("errors", Cell::List(0), None);
        check("errors", Cell::List(2), Some(Finding::Error));
        check("success", Cell::Flag("false"), Some(Finding::Error));
        check("beta", Cell::Flag("false"), None);
        check("status", Cell::Number("503"), Some(Finding::Error));
        check("status", Cell::Number("200"), None);
        check("price", Cell::Number("503"), None);
        check("STATUS", Cell::Text("CrashLoopBackOff"), Some(Finding::Error));
        check("STATUS", Cell::Text("Up 3 hours (unhealthy)"), Some(Finding::Error));
        check("STATUS", Cell::Text("Exited (137) 2 hours ago"), Some(Finding::Error));
        check("STATUS", Cell::Text("Exited (0) 2 hours ago"), Some(Finding::Outlier));
        check("STATUS", Cell::Text("NotReady,SchedulingDisabled"), Some(Finding::Error));
        check("STATUS", Cell::Text("Pending"), Some(Finding::Outlier));
        check("status", Cell::Text("pending"), None);
        check("TYPE", Cell::Text("Warning"), Some(Finding::Warning));
        check("body", Cell::Text("how to treat an error"), None);
        check("message", Cell::Text("payment failed: card declined"), Some(Finding::Error));
        check("State.ExitCode", Cell::Number("137"), Some(Finding::Error));
        check("State.ExitCode", Cell::Number("0"), None);
        check("State.OOMKilled", Cell::Flag("true"), Some(Finding::Error));
        check("Use%", Cell::Number("100%"), Some(Finding::Outlier));
        check("Use%", Cell::Number("61%"), None);
        check("Cover", Cell::Number("100%"), None);
        check("note", Cell::Text("Traceback (most recent call last):\\n  x"), Some(Finding::Error));
    }

    #[test]
    fn a_condition_is_stated_by_its_key() {
        for (key, value) in [
            ("Active", "failed (Result: exit-code) since Mon"),
            ("Reason", "CrashLoopBackOff"),
            ("Last State.Reason", "OOMKilled"),
            ("Exit Code", "137"),
            ("lastState.terminated.exitCode", "2"),
            ("Ready", "False"),
            ("STATUS", "failed"),
            ("Health", "degraded"),
        ] {
            assert_eq!(stated(key, value), Some(Finding::Error), "{key}");
        }
        for (key, value) in [
            ("log_level", "error"),
            ("on_failure", "retry"),
            ("Status", "Running"),
            ("Exit Code", "0"),
            ("Ready", "True"),
            ("no-console", "error"),
            ("Active", "active (running) since Mon"),
            ("Error", "<none>"),
        ] {
            assert_eq!(stated(key, value), None, "{key}");
        }
    }

    #[test]
    fn repeats_are_shown_by_the_first_and_the_last() {
        let mut reports = Reports::default();
        (10..30).for_each(|row| reports.look(row, 0, "error", &Cell::Text("timeout after 30s")));
        reports.look(3, 0, "error", &Cell::Text("disk full"));
        let shown: Vec<(usize, Option<usize>)> =
            reports.shown(500).iter().map(|report| (report.row, report.repeats)).collect();
        assert_eq!(shown, [(3, None), (10, Some(20)), (29, None)]);
    }

    #[test]
    fn a_table_of_errors_is_not_repeated() {
        let mut reports = Reports::default();
        (0..100).for_each(|row| reports.look(row, 0, "error", &Cell::Text("timeout")));
        assert_eq!(reports.shown(100), []);
    }
}
