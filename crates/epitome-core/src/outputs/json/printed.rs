//! What a program printed, in a string of a document: its first lines, its last one, and those that report an error.

use super::reader::FINDING_CHARS;
use crate::outputs::reading::{Finding, Reading};
use crate::outputs::write::cut_lines;
use crate::outputs::{cut_to_chars, events};

/// Lines that are shown of its beginning.
const FIRST: usize = 2;

/// The lines that are shown, and the worst that they report. `None`: not what a program printed.
pub(super) fn printed(inner: &str, path: &str) -> Option<(String, Option<Finding>)> {
    let broken = inner.replace("\\r\\n", "\n").replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"");
    let name = path.rsplit('.').next().unwrap_or(path);
    let is_output = matches!(
        name,
        "output" | "stdout" | "stderr" | "log" | "logs" | "message" | "error" | "result" | "traceback" | "stack"
    );
    let count = broken.lines().count();
    if count < 3 || !is_output {
        return None;
    }
    let mut told = Reading::of_lines(&broken);
    events::mark(&mut told, &broken);
    let mut shown = format!("{path}: {count} lines");
    let mut worst: Option<Finding> = None;
    let last = told.pieces.len().saturating_sub(1);
    for (position, piece) in told.pieces.iter().enumerate() {
        let finding = piece.rank.finding();
        worst = worst.into_iter().chain(finding).min();
        if finding.is_some() || position < FIRST || position == last {
            shown.push_str(&format!("\n  {}", cut_to_chars(piece.text(&broken), FINDING_CHARS / 2)));
        }
    }
    Some((cut_lines(&shown, FINDING_CHARS).into_owned(), worst))
}
