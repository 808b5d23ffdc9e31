//! `epitome digest`: one tool output made short, with what was lost of it; or all outputs of sessions, measured by kind.

use std::borrow::Cow;
use std::path::Path;
use std::process::ExitCode;

use epitome_core::outputs::{self, Digest, Interest, Loss, Readings, Room, ToolOutput};
use epitome_core::tokens::{BpeCounter, TokenCounter, Tokens};
use serde_json::json;

use super::{print, print_json, say};
use crate::arguments::{Common, DigestArguments};
use crate::failure::Failure;
use crate::files;
use crate::progress::Progress;
use crate::units::counted;

mod survey;

/// Digests an output, or the outputs of sessions.
pub(crate) fn run(arguments: &DigestArguments, common: &Common) -> Result<ExitCode, Failure> {
    let interest = arguments.about.as_deref().map(Interest::in_text).unwrap_or_default();
    let room = arguments.tokens.map(Tokens);
    if !arguments.sessions.is_empty() {
        return survey::run(&arguments.sessions, Tokens(arguments.above.unwrap_or(500)), room, &interest, common);
    }
    let missing = Failure::input("no output: neither FILE was given, nor anything on stdin")
        .hint("epitome digest server.log, or make 2>&1 | epitome digest --command make");
    let (name, bytes) = files::read_or(arguments.file.as_deref(), missing)?;
    let text = String::from_utf8_lossy(&bytes);
    if let Cow::Owned(_) = text {
        say(&format!("warning: {name} is not all text; what is no UTF-8 is shown as \u{fffd}"));
    }
    let output = as_output(arguments.command.as_deref(), arguments.file.as_deref(), &text);
    let progress = Progress::start("reading");
    let before = BpeCounter.count(&text);
    let room = room.map_or_else(|| Room::usual(before), Room::AtMost);
    let digest = outputs::digest(&output, room, &interest, &BpeCounter, &Readings::default());
    drop(progress);
    if common.json {
        print_json(&as_json(&name, before, digest.as_ref()))?;
        return Ok(ExitCode::SUCCESS);
    }
    match digest {
        Some(digest) => {
            print(&format!("{}\n", digest.text))?;
            say(&told(before, &digest));
        }
        None if text.trim().is_empty() => {
            print(&text)?;
            say(&format!("{name}: there is nothing in it to digest"));
        }
        None => {
            print(&text)?;
            let before = counted(before.0, "token");
            say(&format!("{name}: {before}, as it was: it is short, or a digest would be no shorter"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The output as an agent would have it: of the command that was named, else of reading the file.
fn as_output(command: Option<&str>, file: Option<&Path>, text: &str) -> ToolOutput {
    let (tool, arguments) = match (command, file) {
        (Some(command), _) => ("bash", json!({ "command": command })),
        (None, Some(file)) => ("read", json!({ "path": file.display().to_string() })),
        (None, None) => ("", json!({})),
    };
    ToolOutput::of_call(tool, &arguments.to_string(), text)
}

fn told(before: Tokens, digest: &Digest) -> String {
    let after = BpeCounter.count(&digest.text);
    let again = if digest.refused > 0 { ", made larger for what it would have lost" } else { "" };
    format!(
        "{}: {before} → {} ({:.1} % saved){again}; {}",
        digest.kind,
        counted(after.0, "token"),
        saved(before, after),
        kept(&digest.loss)
    )
}

fn as_json(name: &str, before: Tokens, digest: Option<&Digest>) -> serde_json::Value {
    let mut report = json!({ "output": name, "tokens_before": before, "action": "none" });
    if let Some(digest) = digest {
        report["action"] = json!("digested");
        report["kind"] = json!(digest.kind);
        report["tokens_after"] = json!(BpeCounter.count(&digest.text));
        report["refused"] = json!(digest.refused);
        report["loss"] = json!(digest.loss);
        report["digest"] = json!(digest.text);
    }
    report
}

/// What was kept, in words: `kept 12 of 12 errors, 24 of 2,000 lines, 31 % of the words`.
pub(super) fn kept(loss: &Loss) -> String {
    let kinds = [(loss.errors, "error"), (loss.failures, "failure"), (loss.units, "part")];
    let kinds = kinds.iter().filter(|(kept, _)| kept.of > 0);
    let said = kinds.map(|(kept, what)| format!("{} of {}", Tokens(kept.kept as u64), counted(kept.of as u64, what)));
    let mut said: Vec<String> = said.collect();
    said.push(format!("{:.0} % of the words", 100.0 * loss.words.kept as f64 / loss.words.of.max(1) as f64));
    format!("kept {}", said.join(", "))
}

fn saved(before: Tokens, after: Tokens) -> f64 {
    100.0 * (1.0 - after.0 as f64 / before.0.max(1) as f64)
}
