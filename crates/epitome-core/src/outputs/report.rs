//! Reports of keys and values: what state something is in, what is wrong with it, and what happened to it.
//!
//! `kubectl describe`, `docker info`, `lscpu`, `smartctl`: fields below each other, some of them with fields, rows or
//! texts of their own below them.

use std::collections::HashSet;

use super::reading::{Events, Finding, Layout, Rank, Reading, Section};
use super::template::template_id;
use super::{Effort, OutputKind, ToolOutput, cut_to_chars, events, trouble};
use crate::tokens::Tokens;

/// What a program says of one thing, field by field.
pub struct Report;

/// Lines that are looked at first.
const SAMPLE: usize = 200;
/// The first lines of a report are fields.
const OPENING: usize = 20;
/// Fewer fields are no report.
const FEWEST_FIELDS: usize = 6;
/// So many different keys are no list of like things.
const MANY_KEYS: usize = 12;
/// A longer key is a sentence.
const KEY_CHARS: usize = 40;
const KEY_WORDS: usize = 5;
/// A field that is shown.
const FIELD_CHARS: usize = 200;
/// A value of so many words is a message.
const MESSAGE_WORDS: usize = 3;
/// Names of parts that are told.
const PARTS: usize = 12;

impl OutputKind for Report {
    fn name(&self) -> &'static str {
        "report"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        is_report(&output.text).then(|| read(output))
    }
}

/// A line with a key.
#[derive(Clone, Copy)]
struct Field<'line> {
    indent: usize,
    key: &'line str,
    value: &'line str,
    /// The value stands in a column.
    aligned: bool,
}

/// `  Exit Code:    137`
fn field(line: &str) -> Option<Field<'_>> {
    let words = line.trim_start();
    let (key, rest) = words.split_once(':')?;
    let good = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/' | '(' | ')' | '%' | '#' | '\'');
    let named = !key.is_empty()
        && key.chars().count() <= KEY_CHARS
        && key.chars().all(good)
        && key.split_whitespace().count() <= KEY_WORDS
        && key.contains(char::is_alphabetic)
        && !key.ends_with(' ');
    let spaced = rest.is_empty() || rest.starts_with([' ', '\t']);
    let value = rest.trim();
    (named && spaced).then_some(Field {
        indent: line.len() - words.len(),
        key,
        value,
        aligned: !value.is_empty() && (rest.starts_with("  ") || rest.starts_with('\t')),
    })
}

/// Whether most lines are fields with names as people write them: `Restart Count:  14`.
fn is_report(text: &str) -> bool {
    let (mut lines, mut opening, mut fields, mut titled, mut told, mut valued, mut code) = (0, 0, 0, 0, 0, 0, 0);
    let mut keys: HashSet<u64> = HashSet::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(SAMPLE) {
        lines += 1;
        let Some(field) = field(line) else { continue };
        fields += 1;
        opening += usize::from(lines <= OPENING);
        titled += usize::from(field.key.starts_with(char::is_uppercase));
        valued += usize::from(!field.value.is_empty());
        // A column of values, or a name of several words with capitals: no setting and no message is written so.
        told += usize::from(field.aligned || (is_title(field.key) && !field.value.is_empty()));
        code += usize::from(field.value.ends_with([',', '{', ';', '(']));
        keys.insert(template_id(field.key));
    }
    let opens = opening * 10 >= OPENING.min(lines) * 7 && fields * 4 >= lines;
    fields >= FEWEST_FIELDS
        && titled * 10 >= fields * 6
        && (keys.len() * 2 >= fields || keys.len() >= MANY_KEYS)
        && told * 2 >= valued
        && code * 5 <= fields
        && (opens || fields * 2 >= lines)
}

/// `Server Version`
fn is_title(key: &str) -> bool {
    key.contains(' ') && key.split_whitespace().all(|word| !word.starts_with(char::is_lowercase))
}

fn read(output: &ToolOutput) -> Reading {
    let text = &*output.text;
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
    // The keys around a line, each with its indentation and its piece.
    let mut open: Vec<(usize, &str, usize)> = Vec::new();
    let mut parts: Vec<&str> = Vec::new();
    let (mut fields, mut others) = (0, Vec::new());
    for (index, line) in text.lines().enumerate() {
        let Some(field) = field(line) else {
            others.push(index);
            mark_other(&mut reading, output, index, line);
            continue;
        };
        fields += 1;
        while open.last().is_some_and(|(indent, _, _)| *indent >= field.indent) {
            close(&mut reading, &mut open, index);
        }
        if field.indent == 0 && field.value.is_empty() {
            parts.push(field.key);
        }
        mark_field(&mut reading, index, &field, &open);
        open.push((field.indent, field.key, index));
    }
    while !open.is_empty() {
        let end = reading.pieces.len();
        close(&mut reading, &mut open, end);
    }
    let named: Vec<&str> = parts.iter().take(PARTS).copied().collect();
    let of = if named.is_empty() { String::new() } else { format!("; {}", named.join(", ")) };
    reading.say_always(format!("{} fields{of}", Tokens(fields as u64)));
    let all = 0..reading.pieces.len();
    events::mark_where(&mut reading, text, all, |index| others.binary_search(&index).is_ok());
    reading
}

/// What is below a key belongs to it.
fn close(reading: &mut Reading, open: &mut Vec<(usize, &str, usize)>, end: usize) {
    let Some((_, name, start)) = open.pop() else { return };
    if end > start + 1 {
        reading.sections.push(Section { name: name.to_owned(), pieces: start..end });
    }
}

fn mark_field(reading: &mut Reading, index: usize, field: &Field<'_>, open: &[(usize, &str, usize)]) {
    let Some(piece) = reading.pieces.get_mut(index) else { return };
    let message = field.value.split_whitespace().take(MESSAGE_WORDS).count() == MESSAGE_WORDS;
    let stated = trouble::stated(field.key, field.value);
    let finding = stated.or_else(|| if message { events::severity(field.value) } else { None });
    let states = ["state", "status", "phase", "health", "ready", "active", "reason", "restart count"];
    let key = field.key.to_ascii_lowercase();
    let is_state = states.iter().any(|state| key.ends_with(state)) && !field.value.is_empty();
    piece.rank = match (finding, field.indent) {
        (Some(finding), _) => Rank::Finding(finding),
        (None, _) if is_state => Rank::Telling(0),
        (None, 0) if !field.value.is_empty() => Rank::Telling(1),
        (None, _) => Rank::Ordinary,
    };
    if finding.is_some() || is_state {
        let above: String = open.iter().map(|(_, key, _)| format!("{key}.")).collect();
        piece.full = Some(format!("{above}{}: {}", field.key, cut_to_chars(field.value, FIELD_CHARS)));
    }
}

/// Messages of the command, and conditions that are not as they should be: `Ready   False`.
fn mark_other(reading: &mut Reading, output: &ToolOutput, index: usize, line: &str) {
    let mut words = line.split_whitespace();
    let (condition, flag) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let ends = |names: &[&str]| names.iter().any(|name| condition.ends_with(name));
    let bad = match flag {
        "False" => ends(&["Ready", "Available", "Initialized", "Scheduled", "Healthy", "Synced", "Established"]),
        "True" => ends(&["Pressure", "Unavailable", "Failed", "Failure", "Degraded", "Stalled"]),
        "Unknown" => ends(&["Ready", "Available", "Healthy"]),
        _ => false,
    };
    let finding = events::tool_message(line, &output.arguments).or(bad.then_some(Finding::Error));
    finding.into_iter().for_each(|finding| reading.raise(index, Rank::Finding(finding)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, output};

    fn described() -> String {
        let variables: String = (0..30).map(|n| format!("      OPTION_{n}:  value of option {n}\n")).collect();
        let events: String =
            (0..20).map(|n| format!("  Normal   Pulled     {n}m   kubelet  Image was there\n")).collect();
        format!(
            "Name:             mailer-5f6\nNamespace:        shop\nNode:             n7/10.0.0.7\nStart Time:       Tue, 04 Mar 2025 09:00:00 +0000\nStatus:           Running\nContainers:\n  mailer:\n    Image:          registry.example.org/mailer:2.1\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Ready:          False\n    Restart Count:  14\n    Environment:\n{variables}Conditions:\n  Type              Status\n  Initialized       True\n  Ready             False\nEvents:\n  Type     Reason     Age  From     Message\n{events}  Warning  Unhealthy  3m   kubelet  Readiness probe failed: connection refused\n"
        )
    }

    #[test]
    fn a_report_keeps_what_is_wrong_and_what_happened() {
        insta::assert_snapshot!(check("kubectl describe pod mailer-5f6", &described()), @"
        [digest of report: 13 of 73 lines kept, 703 tokens; original 437feca306b1]
        48 fields; Containers, Conditions, Events
        Name:             mailer-5f6
        Namespace:        shop
        Node:             n7/10.0.0.7
        Status: Running
        Containers.mailer.State: Waiting
        Containers.mailer.State.Reason: CrashLoopBackOff
        Containers.mailer.Last State: Terminated
        Containers.mailer.Last State.Reason: OOMKilled
        Containers.mailer.Last State.Exit Code: 137
        Containers.mailer.Ready: False
        Containers.mailer.Restart Count: 14
          Ready             False
          Warning  Unhealthy  3m   kubelet  Readiness probe failed: connection refused
        ");
    }

    #[test]
    fn a_report_of_nothing_wrong_keeps_its_first_fields() {
        let text: String =
            ["Architecture", "CPU op-mode(s)", "Byte Order", "Vendor ID", "Model name", "Socket(s)", "L1d cache"]
                .iter()
                .map(|key| format!("{:<24}some value of it\n", format!("{key}:")))
                .collect();
        let flags =
            format!("Flags:                  {}\n", "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr ".repeat(20));
        let digest = check("lscpu", &format!("{text}{flags}"));
        assert!(digest.contains("digest of report") && digest.contains("Vendor ID:"), "{digest}");
    }

    #[track_caller]
    fn no_report(text: &str) {
        assert_eq!(Report.read(&output("x", text), Effort::Full), None);
    }

    #[test]
    fn other_outputs_are_left_to_other_kinds() {
        no_report("");
        no_report("Name: x\n");
        no_report(&"\t\tOrder{\n\t\t\tSource:  one,\n\t\t\tTarget:  two,\n\t\t\tKind:    small,\n\t\t\tPrice:   12,\n\t\t\tTotal:   24,\n\t\t\tOwner:   ann,\n\t\t},\n".repeat(3));
        no_report(&(0..40).map(|n| format!("  Line {n}:      state: null\n")).collect::<String>());
        no_report(
            "Copied transcript to: a.txt\nExtracted summary to: b.txt\nUsing commit message: c\nFiles modified during session: 3\nLoaded state: old\nSession found: yes\nSaved to: d\n",
        );
        no_report(&"INFO: started the worker\nWARN: slow answer\n".repeat(40));
        no_report(&"Ann: did you see it?\nBob: not yet, I was away\n".repeat(40));
        no_report(&"commit 1234567\nAuthor: Ann <ann@example.org>\nDate:   Mon May 6\n\n    Text: more\n".repeat(20));
        no_report(&"services:\n  web:\n    image: nginx\n    restart: always\n    user: web\n    port: 80\n".repeat(9));
        no_report(
            "Subject: the plan\nFrom: ann@example.org\nTo: bob@example.org\nDate: today\n\nHi Bob,\nthis is the plan.\nIt has many lines.\nThey are prose.\nAll of them.\nAnd so on.\nAnd on.\n",
        );
    }
}
