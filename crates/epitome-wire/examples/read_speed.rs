//! Reads files as requests, says how fast, and checks that nothing changed when nothing is edited.
#![expect(clippy::print_stdout, reason = "a measurement is for a person")]

use std::time::Instant;

use epitome_core::edit::apply;
use epitome_wire::{DuplicateKeys, Format, Request};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut files, mut bytes, mut messages, mut seconds) = (0, 0, 0, 0.0);
    for path in std::env::args().skip(1) {
        let content = std::fs::read(&path)?;
        let size = content.len();
        let mut best = f64::INFINITY;
        let mut request = Request::read(content, Format::Detect, DuplicateKeys::Refuse)?;
        for _ in 0..5 {
            let content = request.into_bytes();
            let start = Instant::now();
            request = Request::read(content, Format::Detect, DuplicateKeys::Refuse)?;
            best = best.min(start.elapsed().as_secs_f64());
        }
        seconds += best;
        files += 1;
        bytes += size;
        messages += request.conversation().messages.len();
        let spliced = request.splice(&apply(request.conversation(), Vec::new())?)?;
        if spliced.bytes != request.bytes() || !spliced.patches.is_empty() {
            return Err(format!("{path}: changed without an edit").into());
        }
        if files == 1 {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM: unknown");
            println!("{} {size} bytes, {peak}", request.dialect());
        }
    }
    println!("{files} files, {messages} messages, {bytes} bytes: {:.0} MB/s", bytes as f64 / seconds / 1e6);
    Ok(())
}
