//! Digests of outputs that nobody would print.

use std::sync::LazyLock;

use epitome_core::outputs::{self, Interest, Readings, Room, ToolOutput};
use epitome_core::tokens::{RoughCounter, TokenCounter, Tokens};

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

/// No panic, nothing longer than its original or than was asked for, and nothing lost that must not be.
pub fn check_digest(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(rest) else { return };
    let command = COMMANDS.get(*first as usize % COMMANDS.len()).copied().unwrap_or_default();
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
    let usual = first & 0x80 == 0;
    let room = if usual { Room::usual(RoughCounter.estimate(&text)) } else { Room::AtMost(Tokens(300)) };
    let digest = outputs::digest(&output, room, interest, &RoughCounter, &Readings::default());
    if let Some(digest) = digest {
        assert!(digest.text.len() < text.len(), "longer than its original");
        let left_out = digest.text.contains(" more in the original …]");
        assert!(digest.loss.survived() || left_out, "something was lost");
        let size = RoughCounter.estimate(&digest.text);
        assert!(usual || size <= room.tokens() || digest.loss.units.kept <= 1, "{size:?} is more than was asked for");
        let again = ToolOutput { text: digest.text.as_str().into(), ..output };
        assert!(again.is_shortened(), "not known as ours");
    }
}
