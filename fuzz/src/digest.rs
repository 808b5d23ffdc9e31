//! Digests of outputs that nobody would print.

use std::sync::LazyLock;

use epitome_core::outputs::{self, DIGEST_TARGET, Effort, Interest, KINDS, OutputKind, Readings, ToolOutput};
use epitome_core::tokens::RoughCounter;

/// The kind under test, by `EPITOME_KIND`; without it, whichever takes the input.
static KIND: LazyLock<Option<&'static dyn OutputKind>> = LazyLock::new(|| {
    let name = std::env::var("EPITOME_KIND").ok()?;
    let kind = KINDS.iter().find(|kind| kind.name() == name).copied();
    Some(kind.unwrap_or_else(|| panic!("no kind is named {name:?}")))
});

/// What the agent looks for: nothing, or some words. Made once, which is what takes time.
static INTERESTS: LazyLock<[Interest; 2]> =
    LazyLock::new(|| [Interest::default(), Interest::in_text("value of main test_one a1")]);

/// Commands that printed it: the first byte chooses.
const COMMANDS: &[&str] = &[
    "",
    "cat x.py",
    "cat x.rs",
    "cat x.ts",
    "cat x.go",
    "cat X.java",
    "cat x.cpp",
    "pytest",
    "make",
    "git diff",
    "rg x",
    "ls",
];

/// No panic, whole pieces in order, and nothing longer than its original.
pub fn check_digest(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let command = COMMANDS.get(*first as usize % COMMANDS.len()).copied().unwrap_or_default();
    let effort = if first & 0x80 == 0 { Effort::Full } else { Effort::Quick };
    // Short inputs are what a fuzzer is good at; repeated, they are what an output looks like.
    let times = 1 + (*first as usize >> 4) % 4 * 3;
    let text = text.repeat(times);
    let output = ToolOutput::of_call(
        if command.is_empty() { "" } else { "bash" },
        &serde_json::json!({ "command": command }).to_string(),
        text.as_str(),
    );
    let [nothing, words] = &*INTERESTS;
    let interest = if first & 1 == 0 { nothing } else { words };
    let digest = match *KIND {
        Some(kind) => {
            // One in four: reading is most of the work, and is done again below.
            let looked_at = first & 0x06 == 0;
            if let Some(reading) = looked_at.then(|| kind.read(&output, effort)).flatten() {
                whole_pieces(&reading, &text);
            }
            outputs::digest_as(kind, &output, DIGEST_TARGET, interest, &RoughCounter, effort)
        }
        None => {
            let readings = Readings::default();
            outputs::digest(&output, DIGEST_TARGET, interest, &RoughCounter, &readings, effort)
        }
    };
    if let Some(digest) = digest {
        assert!(digest.text.len() < text.len(), "longer than its original");
        assert!(digest.loss.survived(), "something was lost");
        let again = ToolOutput { text: digest.text.as_str().into(), ..output };
        assert!(again.is_shortened(), "not known as ours");
    }
}

fn whole_pieces(reading: &outputs::reading::Reading, text: &str) {
    let mut end = 0;
    for piece in &reading.pieces {
        assert!(piece.span.start >= end, "pieces out of order");
        assert!(text.get(piece.span.clone()).is_some(), "a piece beyond the text, or inside a character");
        end = piece.span.end;
    }
    for section in &reading.sections {
        assert!(
            section.pieces.start <= section.pieces.end && section.pieces.end <= reading.pieces.len(),
            "a section beyond the end"
        );
    }
}
