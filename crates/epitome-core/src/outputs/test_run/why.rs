//! Which lines of a failure's details say why and where it failed.

use super::failure::indent;
use crate::outputs::events;
use crate::outputs::place::{Form, is_path, placed};

/// Of what a test logged last, so many lines.
const LOGGED: usize = 6;

/// Of so few lines each says why.
const SHORT: usize = 3;

/// The lines that say why a test failed.
pub(super) fn reasons(lines: &[(usize, &str)]) -> Vec<usize> {
    let of_pytest: Vec<usize> =
        lines.iter().filter(|(_, line)| line.starts_with("E  ")).map(|(index, _)| *index).collect();
    if !of_pytest.is_empty() {
        return of_pytest;
    }
    let telling: Vec<usize> =
        lines.iter().filter(|(_, line)| !line.trim().is_empty() && !is_frame(line)).map(|(index, _)| *index).collect();
    if telling.len() <= SHORT {
        return telling;
    }
    let mut why = Vec::new();
    let mut below_panic = false;
    let mut first = true;
    let mut group: Option<(usize, Vec<usize>)> = None;
    for (index, line) in lines {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if below_panic {
            why.push(*index);
            below_panic = false;
            continue;
        }
        if is_frame(line) {
            continue;
        }
        // go: `    x_test.go:12: message`, with more of it indented below. The last one ended the test.
        let logged = placed(trimmed).is_some_and(|found| {
            found.form == Form::Colons && found.rest.starts_with(' ') && found.path.ends_with(".go")
        });
        let indent = indent(line);
        if logged {
            group = Some((indent, vec![*index]));
            continue;
        }
        if let Some((logged_indent, members)) = &mut group
            && indent > *logged_indent
            && members.len() < LOGGED
        {
            members.push(*index);
            continue;
        }
        let announces = trimmed.contains("panicked at ") && trimmed.ends_with(':');
        below_panic = announces;
        if announces || compares(trimmed) || events::is_error(trimmed) || first {
            why.push(*index);
        }
        first = false;
    }
    why.extend(group.into_iter().flat_map(|(_, members)| members));
    why
}

/// `left: 1`, `Expected: 2`, `got 3`: what was compared.
pub(super) fn compares(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "left",
        "right",
        "expected",
        "received",
        "actual",
        "got",
        "want",
        "wanted",
        "diff",
        "- expected",
        "+ received",
        "+ actual",
    ];
    let lower = line.get(..line.len().min(24)).unwrap_or_default().to_ascii_lowercase();
    let opens = |word: &&str| {
        lower.strip_prefix(*word).is_some_and(|rest| {
            rest.trim_start().starts_with([':', '=']) || rest.starts_with(" to ") || rest.is_empty()
        })
    };
    WORDS.iter().any(opens) || (line.contains("expected") && line.contains("to ")) || line.contains(" != ")
}

/// Lines of source around the failure, frames of a stack, and what was captured.
pub(super) fn is_frame(line: &str) -> bool {
    let trimmed = line.trim_start();
    let numbered = {
        let rest = trimmed.trim_start_matches(['>', '❯', ' ']);
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.get(digits..).is_some_and(|rest| rest.trim_start().starts_with(['|', '│']))
    };
    numbered
        || trimmed.starts_with("at ")
        || trimmed.starts_with("File \"")
        || trimmed.starts_with("note: run with ")
        || trimmed.starts_with("stack backtrace")
        || trimmed.starts_with("Traceback (")
        || trimmed.starts_with("goroutine ")
        || trimmed.starts_with("created by ")
        || trimmed.starts_with("panic({")
        || trimmed.contains(" +0x")
}

/// Where in the project's own code it failed.
pub(super) fn own_place(lines: &[(usize, &str)]) -> Option<usize> {
    const FOREIGN: &[&str] = &[
        "node_modules",
        "site-packages",
        "dist-packages",
        "/rustc/",
        "node:",
        "internal/process",
        ".cargo/",
        "/usr/lib",
        "<frozen",
        "/vendor/",
        "/gems/",
        "java.base",
        "org.junit",
        "sun.reflect",
        "jdk.internal",
        "/go/src/",
        "/src/testing/",
        "/src/runtime/",
        "/src/net/",
    ];
    let own = |line: &str| !FOREIGN.iter().any(|word| line.contains(word));
    let is_python = |line: &str| line.trim_start().starts_with("File \"");
    // pytest: `tests/a.py:88: KeyError`, the last one is where it was raised.
    let raised = |line: &str| {
        !line.starts_with([' ', '\t', '>', 'E'])
            && placed(line).is_some_and(|found| found.form == Form::Colons && is_path(found.path))
    };
    let last = |test: &dyn Fn(&str) -> bool| {
        lines.iter().rev().find(|(_, line)| test(line) && own(line)).map(|(index, _)| *index)
    };
    let framed = |line: &str| {
        let trimmed = line.trim_start();
        let opens = ["at ", "# ", "--> ", "❯ "].iter().any(|opening| trimmed.starts_with(opening));
        let numbered =
            trimmed.rsplit(':').nth(1).is_some_and(|part| part.ends_with(|c: char| c.is_ascii_alphanumeric()));
        let of_go = line.starts_with('\t') && trimmed.contains(".go:");
        of_go || (opens && numbered)
    };
    last(&raised)
        .or_else(|| last(&is_python))
        .or_else(|| lines.iter().find(|(_, line)| framed(line) && own(line)).map(|(index, _)| *index))
}
