//! What holds for the digest of any output, whatever kind it is read as.

use epitome_core::outputs::events::{error_lines, severity};
use epitome_core::outputs::reading::{Finding, Unit};
use epitome_core::outputs::template::template;
use epitome_core::outputs::{self, DIGEST_TARGET, Effort, Interest, Readings, ToolOutput};
use epitome_core::tokens::{RoughCounter, TokenCounter};
use proptest::prelude::*;

fn output(command: &str, text: &str) -> ToolOutput {
    ToolOutput::of_call("bash", &serde_json::json!({ "command": command }).to_string(), text)
}

/// Lines as tools print them, of many kinds, so that whole outputs look like one kind or like several.
fn line() -> impl Strategy<Value = String> {
    let word = "[a-z_]{1,12}";
    prop_oneof![
        (word, 0..999u32).prop_map(|(word, n)| format!("2025-09-15T08:01:{:02}Z INFO {word} took {n}ms", n % 60)),
        (word, 0..999u32)
            .prop_map(|(word, n)| format!("2025-09-15T08:01:{:02}Z ERROR {word} failed after {n}", n % 60)),
        (word, 0..99u32).prop_map(|(word, n)| format!("tests/test_{word}.py::test_{word} PASSED [{n}%]")),
        (word, 0..99u32).prop_map(|(word, n)| format!("FAILED tests/test_{word}.py::test_{word} - assert {n} == 0")),
        (word, 1..500u32).prop_map(|(word, n)| format!("src/{word}.rs:{n}:    let {word} = {n};")),
        (word, 1..500u32).prop_map(|(word, n)| format!("src/{word}.c:{n}:5: error: unknown type {word}")),
        (word, 0..999u32).prop_map(|(word, n)| format!("{word},{n},{}.5,true", n * 2)),
        (word, 0..999u32).prop_map(|(word, n)| format!("{{\"id\": {n}, \"name\": \"{word}\", \"ok\": true}}")),
        (word, 0..9u32).prop_map(|(word, n)| format!("{}def {word}(self, x):", "    ".repeat(n as usize % 2))),
        (word, 0..9u32).prop_map(|(word, n)| format!("    return {word} + {n}")),
        word.prop_map(|word| format!("diff --git a/{word}.py b/{word}.py")),
        word.prop_map(|word| format!("@@ -1,2 +1,2 @@ def {word}():")),
        word.prop_map(|word| format!("+    {word}()")),
        word.prop_map(|word| format!("-rw-r--r-- 1 me me 120 Sep 15 08:01 {word}.txt")),
        word.prop_map(|word| format!("<p>{word} <a href=\"/{word}\">more</a></p>")),
        word.prop_map(|word| format!("| {word} | 12 | yes |")),
        Just("Traceback (most recent call last):".to_owned()),
        Just("  File \"a.py\", line 3, in f".to_owned()),
        Just("KeyError: 'tenant'".to_owned()),
        Just(String::new()),
        Just("\u{1b}[31mred\u{1b}[0m é → 漢字\r".to_owned()),
        "[A-Za-z0-9+/]{200,600}",
        "\\PC{0,80}",
    ]
}

/// Mostly of one kind, with others in between, repeated: an output is long and regular.
fn text() -> impl Strategy<Value = String> {
    let blocks = proptest::collection::vec((proptest::collection::vec(line(), 1..4), 1..60usize), 1..6);
    let end = prop_oneof![Just(""), Just("\n"), Just("\r\n")];
    (blocks, end).prop_map(|(blocks, end)| {
        let lines = blocks.iter().flat_map(|(lines, times)| std::iter::repeat_n(lines, *times).flatten());
        format!("{}{end}", lines.cloned().collect::<Vec<_>>().join("\n"))
    })
}

fn command() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "cat a.py", "pytest -v", "git diff", "grep -rn x .", "ls -lR", "make", "cat x.csv"])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_reading_covers_its_text_in_order(text in text(), command in command(), quick: bool) {
        let effort = if quick { Effort::Quick } else { Effort::Full };
        // As a terminal shows it: a reading is of that.
        let text = text.replace(['\u{1b}', '\r'], "");
        let read = outputs::read(&output(command, &text), effort, &Readings::default()).expect("some kind takes anything");
        let mut end = 0;
        for piece in &read.reading.pieces {
            prop_assert!(piece.span.start >= end && piece.span.end >= piece.span.start, "{}: {:?} behind {end}", read.kind, piece.span);
            let between = text.get(end..piece.span.start);
            let nothing = between.is_some_and(|between| !between.contains(char::is_alphanumeric));
            prop_assert!(nothing, "{}: {between:?} is in no piece", read.kind);
            prop_assert!(text.get(piece.span.clone()).is_some(), "{}: a piece ends inside a character", read.kind);
            end = piece.span.end;
        }
        let rest = text.get(end..).unwrap_or_default();
        prop_assert!(!rest.contains(char::is_alphanumeric), "{}: {rest:?} is in no piece", read.kind);
        for section in &read.reading.sections {
            prop_assert!(section.pieces.end <= read.reading.pieces.len(), "{}: a section beyond the end", read.kind);
        }
    }

    #[test]
    fn a_digest_is_shorter_names_its_original_and_keeps_every_error(text in text(), command in command(), quick: bool) {
        let effort = if quick { Effort::Quick } else { Effort::Full };
        let output = output(command, &text);
        let make = || outputs::digest(&output, DIGEST_TARGET, &Interest::default(), &RoughCounter, &Readings::default(), effort);
        let Some(digest) = make() else { return Ok(()) };
        prop_assert!(make() == Some(digest.clone()), "not deterministic");
        prop_assert!(digest.text.len() < text.len());
        prop_assert!(RoughCounter.estimate(&digest.text) < RoughCounter.estimate(&text));
        let again = ToolOutput { text: digest.text.as_str().into(), ..output.clone() };
        prop_assert!(again.is_shortened(), "{}", digest.text);
        prop_assert!(digest.loss.survived());
        prop_assert!(digest.loss.units.kept > 0, "no row is left: {}", digest.text);
        let read = outputs::read(&output, effort, &Readings::default()).expect("it was read before");
        if read.reading.events == epitome_core::outputs::reading::Events::Any {
            let told = template(&digest.text.split_whitespace().collect::<Vec<_>>().join(" "));
            let shown = text.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
            for line in error_lines(&shown).filter(|line| line.len() < 200 && severity(line) == Some(Finding::Error)) {
                let at = outputs::events::error_word(line).unwrap_or(0);
                let message = template(&line[at..].split_whitespace().collect::<Vec<_>>().join(" "));
                prop_assert!(told.contains(&message), "{}: {line:?} is lost in\n{}", digest.kind, digest.text);
            }
        }
        if read.reading.unit == Unit::Line && read.reading.ends {
            // An end without letters and digits says nothing, as in `a_reading_covers_its_text_in_order`.
            let end = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
            let says = |end: &&str| end.len() < 100 && !end.contains('\u{1b}') && end.contains(char::is_alphanumeric);
            if let Some(end) = end.filter(says) {
                prop_assert!(digest.text.contains(end), "{}: the end is lost in\n{}", digest.kind, digest.text);
            }
        }
    }

    #[test]
    fn what_the_agent_asks_for_survives(lines in proptest::collection::vec("DEBUG cache [a-f]{3,8} hit", 60..200), at in 0..1000usize) {
        let mut lines = lines;
        let at = at % lines.len();
        lines[at] = "DEBUG pool_size_zq = 4711".to_owned();
        let interest = Interest::in_text("What is pool_size_zq now?");
        let output = output("cat app.log", &lines.join("\n"));
        let digest = outputs::digest(&output, DIGEST_TARGET, &interest, &RoughCounter, &Readings::default(), Effort::Full);
        let digest = digest.expect("so many lines are made shorter");
        prop_assert!(digest.text.contains("pool_size_zq = 4711"), "{}", digest.text);
    }
}
