//! What a local summary costs, and how often the audit doubts what is true: its words are the transcript's own.
//!
//! `summaries FILE…` writes a local summary of each session and audits it. What is not found is a number that the
//! summariser counted itself, or a mistake of the audit. Times are CPU, the best of three.

use std::process::ExitCode;

use epitome_core::model::Role;
use epitome_core::summary::audit::audit;
use epitome_core::summary::{SummaryRequest, local};
use epitome_core::tokens::{BpeCounter, Sizes, Tokens};
use epitome_wire::{DuplicateKeys, Format, Request};
use rustix::time::{ClockId, clock_gettime};

/// As long as a summary may become.
const BUDGET: Tokens = Tokens(6_000);

#[expect(clippy::print_stdout, reason = "a program that prints what it measured")]
fn main() -> ExitCode {
    let (mut checked, mut unverified, mut sessions, mut tokens) = (0, 0, 0, Tokens(0));
    let (mut writing, mut auditing) = (0.0, 0.0);
    for path in std::env::args().skip(1) {
        let Ok(source) = std::fs::read(&path) else { continue };
        let Ok(request) = Request::read(source, Format::Detect, DuplicateKeys::Refuse) else { continue };
        let size = Sizes::of(request.conversation(), &BpeCounter).total();
        let messages = request.conversation().messages.iter().filter(|message| message.role != Role::System);
        let request = SummaryRequest::new(messages.cloned().collect(), BUDGET);
        let (body, wrote) = timed(|| local::write(&request, &BpeCounter));
        let (mut audited, audit_ms) = timed(|| audit(&request, &body));
        // Hashes by which excerpts are found are ours.
        audited.audit.unverified.retain(|name| !body.contains(&format!("#{name}")));
        println!(
            "{path}: {size} tokens, {:.1} ms per 100K; not found {} of {}: {}",
            wrote * 100_000.0 / size.0.max(1) as f64,
            audited.audit.unverified.len(),
            audited.audit.checked,
            audited.audit.unverified.join(" ")
        );
        writing += wrote;
        auditing += audit_ms;
        tokens += size;
        checked += audited.audit.checked;
        unverified += audited.audit.unverified.len();
        sessions += 1;
    }
    let per_100k = |ms: f64| ms * 100_000.0 / tokens.0.max(1) as f64;
    println!(
        "{sessions} sessions, {tokens} tokens: {:.1} ms per 100K tokens to write, {:.1} to audit; {unverified} of {checked} not found",
        per_100k(writing),
        per_100k(auditing)
    );
    if sessions == 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What `work` gives, and the CPU milliseconds that it takes at best.
fn timed<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let mut once = || {
        let start = clock_gettime(ClockId::ProcessCPUTime);
        let made = work();
        let end = clock_gettime(ClockId::ProcessCPUTime);
        (made, (end.tv_sec - start.tv_sec) as f64 * 1e3 + (end.tv_nsec - start.tv_nsec) as f64 / 1e6)
    };
    let (made, first) = once();
    (made, (0..2).map(|_| once().1).fold(first, f64::min))
}
