//! Test runs written for machines: `go test -json`, JUnit's XML.

use std::collections::HashMap;

use serde_json::Value;

use super::alike::{self, Failure, Told};
use crate::outputs::durations;
use crate::outputs::reading::{Events, Finding, Layout, Piece, Rank, Reading, Unit};

/// Reads a run of JSON lines or of XML.
pub(super) fn read(text: &str) -> Option<Reading> {
    let opening = text.trim_start().get(..400).unwrap_or(text);
    if opening.starts_with('{') && opening.contains("\"Action\":") {
        return json_lines(text);
    }
    let markup = opening.starts_with('<') && (opening.contains("<testsuite") || opening.contains("<testcase"));
    if markup { junit(text) } else { None }
}

fn json_lines(text: &str) -> Option<Reading> {
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events, reading.unit) = (Layout::Bare, Events::Strong, Unit::Record);
    reading.ends = false;
    let records: Vec<Option<Value>> =
        reading.pieces.iter().map(|piece| serde_json::from_str(piece.text(text)).ok()).collect();
    let field = |record: &Value, name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let test = |record: &Value| (field(record, "Package"), field(record, "Test"));
    let of = |action: &'static str| records.iter().flatten().filter(move |record| field(record, "Action") == action);
    if records.iter().flatten().count() * 10 < records.len() * 8 {
        return None;
    }
    let count = |action: &'static str| of(action).filter(|record| !field(record, "Test").is_empty()).count();
    let (passed, failed, skipped) = (count("pass"), count("fail"), count("skip"));
    reading.say_always(format!("{passed} passed, {failed} failed, {skipped} skipped"));
    let mut logs: HashMap<(String, String), Vec<usize>> = of("fail").map(|record| (test(record), Vec::new())).collect();
    let (mut ends, mut times) = (Vec::new(), Vec::new());
    for (index, (piece, record)) in reading.pieces.iter_mut().zip(&records).enumerate() {
        let Some(record) = record else { continue };
        piece.rank = Rank::Told;
        let output = field(record, "Output");
        let said = output.trim();
        let noise = ["=== ", "--- PASS", "--- SKIP", "--- FAIL", "PASS", "FAIL", "ok "];
        let (package, name) = test(record);
        match field(record, "Action").as_str() {
            "fail" => {
                piece.full = Some(format!("FAIL {package} {name}").trim_end().to_owned());
                // What the test has printed until now is its own: it may run again.
                let own = logs.get_mut(&(package, name.clone())).map(std::mem::take).unwrap_or_default();
                ends.push((index, name, own));
            }
            "output"
                if !said.is_empty() && !name.is_empty() && !noise.iter().any(|opening| said.starts_with(opening)) =>
            {
                if let Some(own) = logs.get_mut(&(package, name)) {
                    piece.full = Some(output.trim_end().to_owned());
                    own.push(index);
                }
            }
            "pass" if !name.is_empty() => {
                times.extend(record.get("Elapsed").and_then(Value::as_f64).map(|seconds| (index, seconds)));
            }
            _ => {}
        }
    }
    keep_failures(&mut reading, &ends);
    keep_slow(&mut reading, times);
    Some(reading)
}

/// Of tests that failed, what they printed and how they ended; those that are alike are named.
fn keep_failures(reading: &mut Reading, ends: &[(usize, String, Vec<usize>)]) {
    let message = |(end, name, own): &(usize, String, Vec<usize>)| {
        // Of a package nothing but its name is known.
        let own: &[usize] = if name.is_empty() { &[*end] } else { own };
        own.iter().map(|index| said_at(reading, *index)).collect::<Vec<_>>().join("\n")
    };
    let failures: Vec<Failure<'_>> =
        ends.iter().map(|failure| Failure { name: &failure.1, message: message(failure) }).collect();
    let told = alike::told(&failures);
    for ((end, _, own), told) in ends.iter().zip(told) {
        let Told::Shown(note) = told else { continue };
        for index in own.iter().chain([end]) {
            reading.raise(*index, Rank::Finding(Finding::Failure));
        }
        if let Some(piece) = reading.pieces.get_mut(*end) {
            piece.note = note;
        }
    }
}

fn said_at(reading: &Reading, index: usize) -> &str {
    reading.pieces.get(index).and_then(|piece| piece.full.as_deref()).unwrap_or_default()
}

fn keep_slow(reading: &mut Reading, times: Vec<(usize, f64)>) {
    for index in durations::far_longer(times) {
        reading.raise(index, Rank::Finding(Finding::Outlier));
    }
}

/// Splits at each test. A test that failed is told by its name and its message.
fn junit(text: &str) -> Option<Reading> {
    let starts: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), b"<testcase").collect();
    let mut reading = Reading::empty(Unit::Record);
    (reading.layout, reading.events, reading.ends) = (Layout::Bare, Events::Strong, false);
    let first = *starts.first()?;
    let head = Piece { full: Some(suites(text.get(..first)?)), ..Piece::ordinary(0..first) };
    reading.pieces.push(head.ranked(Rank::Frame));
    let (mut passed, mut skipped, mut expected) = (0usize, 0usize, 0usize);
    let (mut failures, mut failed, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for (position, start) in starts.iter().enumerate() {
        let end = starts.get(position + 1).copied().unwrap_or(text.len());
        let case = text.get(*start..end)?;
        let mut piece = Piece::ordinary(*start..*start + case.trim_end().len()).ranked(Rank::Told);
        let tag = tag(case);
        let index = reading.pieces.len();
        times.extend(attribute(tag, "time").replace(',', "").parse::<f64>().ok().map(|seconds| (index, seconds)));
        if let Some((said, details)) = trouble(case) {
            let name = attribute(tag, "name");
            let head = format!("FAILED {} {name}: {said}", attribute(tag, "classname"));
            let head = head.replace("FAILED  ", "FAILED ");
            piece.full =
                Some(unescaped(&format!("{}\n{details}", head.trim_end_matches([' ', ':']))).trim_end().to_owned());
            failures.push(Failure { name, message: format!("{said}\n{details}") });
            failed.push(index);
        } else if case.contains("pytest.xfail") && case.contains("<skipped") {
            expected += 1;
        } else if case.contains("<skipped") || was_not_run(tag) {
            skipped += 1;
        } else {
            passed += 1;
        }
        reading.pieces.push(piece);
    }
    let expected = if expected > 0 { format!(", {expected} failed as expected") } else { String::new() };
    reading.say_always(format!("{passed} passed, {} failed, {skipped} skipped{expected}", failed.len()));
    for (index, told) in failed.iter().zip(alike::told(&failures)) {
        if let (Told::Shown(note), Some(piece)) = (told, reading.pieces.get_mut(*index)) {
            (piece.rank, piece.note) = (Rank::Finding(Finding::Failure), note);
        }
    }
    keep_slow(&mut reading, times);
    Some(reading)
}

/// gtest, ctest: a test that is disabled is listed among the others.
fn was_not_run(tag: &str) -> bool {
    matches!(attribute(tag, "status"), "notrun" | "disabled" | "skipped" | "ignored")
        || matches!(attribute(tag, "result"), "suppressed" | "skipped")
}

/// What a test that failed says: its message, and the first lines of the details.
fn trouble(case: &str) -> Option<(&str, String)> {
    let at = ["<failure", "<error"].iter().filter_map(|tag| case.find(tag)).min()?;
    let inside = case.get(at..)?;
    let opening = tag(inside);
    // A tag without a body is closed at once.
    let body = inside.get(opening.len() + 1..).filter(|_| !opening.ends_with('/')).unwrap_or_default();
    let body = body.split("</").next().unwrap_or_default().replace("<![CDATA[", "").replace("]]>", "");
    let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).take(6).collect();
    Some((attribute(opening, "message"), lines.join("\n")))
}

/// The numbers of the suites before the first test.
fn suites(head: &str) -> String {
    let tag = head.rfind("<testsuite").and_then(|at| head.get(at..)).unwrap_or_default();
    let fields = ["name", "tests", "failures", "errors", "skipped", "time"];
    let said: Vec<String> = fields
        .iter()
        .map(|field| (field, attribute(tag, field)))
        .filter(|(_, value)| !value.is_empty())
        .map(|(field, value)| format!("{field}={value}"))
        .collect();
    format!("testsuite {}", said.join(" "))
}

/// A tag up to its end; an attribute may hold a `>`.
fn tag(text: &str) -> &str {
    let mut quote = None;
    let end = text.bytes().position(|byte| match quote {
        Some(open) => {
            quote = quote.filter(|_| byte != open);
            false
        }
        None => {
            quote = matches!(byte, b'"' | b'\'').then_some(byte);
            byte == b'>'
        }
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn attribute<'text>(tag: &'text str, name: &str) -> &'text str {
    let after =
        |quote: char| tag.split_once(&format!(" {name}={quote}")).and_then(|(_, rest)| rest.split(quote).next());
    after('"').or_else(|| after('\'')).unwrap_or_default()
}

fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&#10;", "\n")
        .replace("&amp;", "&")
}
