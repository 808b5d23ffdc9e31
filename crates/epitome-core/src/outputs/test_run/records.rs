//! Test runs written for machines: `go test -json`, JUnit's XML.

use std::collections::HashSet;

use serde_json::Value;

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
    let records: Vec<Option<Value>> =
        reading.pieces.iter().map(|piece| serde_json::from_str(piece.text(text)).ok()).collect();
    let field = |record: &Value, name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let test = |record: &Value| (field(record, "Package"), field(record, "Test"));
    let of = |action: &'static str| records.iter().flatten().filter(move |record| field(record, "Action") == action);
    if records.iter().flatten().count() * 10 < records.len() * 8 {
        return None;
    }
    let failed: HashSet<(String, String)> = of("fail").map(test).collect();
    let count = |action: &'static str| of(action).filter(|record| !field(record, "Test").is_empty()).count();
    reading.say_always(format!("{} passed, {} failed, {} skipped", count("pass"), count("fail"), count("skip")));
    for (piece, record) in reading.pieces.iter_mut().zip(&records) {
        let Some(record) = record else { continue };
        piece.rank = Rank::Told;
        let (package, name) = test(record);
        let output = field(record, "Output");
        let said = output.trim();
        let noise = ["=== ", "--- PASS", "--- SKIP", "PASS", "ok "].iter().any(|opening| said.starts_with(opening));
        match field(record, "Action").as_str() {
            "fail" => {
                piece.full = Some(format!("FAIL {package} {name}").trim_end().to_owned());
                piece.rank = Rank::Finding(Finding::Failure);
            }
            "output" if !said.is_empty() && !noise && !name.is_empty() && failed.contains(&(package, name)) => {
                piece.full = Some(output.trim_end().to_owned());
                piece.rank = Rank::Finding(Finding::Failure);
            }
            _ => {}
        }
    }
    Some(reading)
}

/// Splits at each test. A test that failed is told by its name and its message.
fn junit(text: &str) -> Option<Reading> {
    let starts: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), b"<testcase").collect();
    let mut reading = Reading::empty(Unit::Record);
    (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
    let first = *starts.first()?;
    let head = Piece { full: Some(suites(text.get(..first)?)), ..Piece::ordinary(0..first) };
    reading.pieces.push(head.ranked(Rank::Frame));
    let (mut passed, mut failed, mut skipped) = (0usize, 0usize, 0usize);
    for (position, start) in starts.iter().enumerate() {
        let end = starts.get(position + 1).copied().unwrap_or(text.len());
        let case = text.get(*start..end)?;
        let mut piece = Piece::ordinary(*start..*start + case.trim_end().len()).ranked(Rank::Told);
        let tag = tag(case);
        let trouble = ["<failure", "<error"].iter().filter_map(|tag| case.find(tag)).min();
        if let Some(at) = trouble {
            failed += 1;
            let inside = case.get(at..).unwrap_or_default();
            let opening = self::tag(inside);
            let body = inside.get(opening.len() + 1..).unwrap_or_default().split("</").next().unwrap_or_default();
            let body = body.replace("<![CDATA[", "").replace("]]>", "");
            let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).take(6).collect();
            let said = format!(
                "{} {}: {}",
                attribute(tag, "classname"),
                attribute(tag, "name"),
                attribute(opening, "message")
            );
            piece.full =
                Some(unescaped(&format!("FAILED {}\n{}", said.trim(), lines.join("\n"))).trim_end().to_owned());
            piece.rank = Rank::Finding(Finding::Failure);
        } else if case.contains("<skipped") {
            skipped += 1;
        } else {
            passed += 1;
        }
        reading.pieces.push(piece);
    }
    reading.say_always(format!("{passed} passed, {failed} failed, {skipped} skipped"));
    Some(reading)
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
