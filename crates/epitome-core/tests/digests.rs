//! What holds for the digest of any output, whatever format it has.

use epitome_core::outputs::{self, Interest, Readings, Room, ToolOutput, reported};
use epitome_core::tokens::{RoughCounter, TokenCounter, Tokens};
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

/// Words without what differs from line to line.
fn message(line: &str) -> String {
    let words = line.split(|c: char| !c.is_ascii_alphabetic() && c != '_');
    words.filter(|word| word.len() > 2).collect::<Vec<_>>().join(" ")
}

fn usual(text: &str) -> Room {
    Room::usual(RoughCounter.estimate(text))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_digest_is_shorter_names_its_original_and_keeps_every_error(text in text(), command in command()) {
        let output = output(command, &text);
        let make = || outputs::digest(&output, usual(&text), &Interest::default(), &RoughCounter, &Readings::default());
        let Some(digest) = make() else { return Ok(()) };
        prop_assert!(make() == Some(digest.clone()), "not deterministic");
        prop_assert!(digest.text.len() < text.len());
        prop_assert!(RoughCounter.estimate(&digest.text) < RoughCounter.estimate(&text));
        let again = ToolOutput { text: digest.text.as_str().into(), ..output.clone() };
        prop_assert!(again.is_shortened(), "{}", digest.text);
        prop_assert!(digest.loss.units.kept > 0, "no line is left: {}", digest.text);
        if digest.text.contains(" more in the original …]") {
            return Ok(());
        }
        prop_assert!(digest.loss.survived(), "{:?}\n{}", digest.loss, digest.text);
        // Looked for once more, by their words alone.
        let told: Vec<String> = digest.text.lines().map(message).collect();
        let shown = text.replace("\u{1b}[31m", "").replace("\u{1b}[0m", "");
        for line in shown.lines().filter(|line| line.len() < 200 && line.is_ascii() && reported(line).is_some()) {
            // A word that differs from line to line may be any.
            let forms = message(line).split(' ').filter(|word| told.iter().any(|told| told.contains(word))).count();
            prop_assert!(forms > 0, "{line:?} is lost in\n{}", digest.text);
        }
    }

    #[test]
    fn a_digest_asked_for_so_many_tokens_has_no_more(text in text(), command in command(), room in 150..800u64) {
        let output = output(command, &text);
        let room = Tokens(room);
        let digest = outputs::digest(&output, Room::AtMost(room), &Interest::default(), &RoughCounter, &Readings::default());
        if let Some(digest) = digest {
            let size = RoughCounter.estimate(&digest.text);
            // One line is there whatever it takes.
            let one_line = digest.loss.units.kept <= 1;
            prop_assert!(size <= room || one_line, "{size} of {room}:\n{}", digest.text);
        }
    }

    #[test]
    fn what_the_agent_asks_for_survives(lines in proptest::collection::vec("DEBUG cache [a-f]{3,8} hit", 60..200), at in 0..1000usize) {
        let mut lines = lines;
        let at = at % lines.len();
        lines[at] = "DEBUG pool_size_zq = 4711".to_owned();
        let interest = Interest::in_text("What is pool_size_zq now?");
        let text = lines.join("\n");
        let digest = outputs::digest(&output("cat app.log", &text), usual(&text), &interest, &RoughCounter, &Readings::default());
        let Some(digest) = digest else { return Ok(()) };
        prop_assert!(digest.text.contains("pool_size_zq = 4711"), "{}", digest.text);
    }
}
