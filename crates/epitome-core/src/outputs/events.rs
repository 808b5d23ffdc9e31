//! Errors and warnings in any output: which lines report one, and which lines around them belong to it.

mod around;
mod strays;
mod tool;
mod words;

use std::collections::BTreeMap;

use super::log::templates::Repeats;
use super::reading::{Finding, Rank, Reading};
use super::template::values;
use crate::lines::line_around;
pub use around::keep_around;
pub use strays::keep_strays;
pub use tool::tool_message;
use words::find_error;

/// Repeats of one error are all kept up to this number; beyond it the first and the last stand for them.
const ALL_REPEATS: usize = 3;
/// Values in which repeats differ, at most so many.
const DIFFERING_VALUES: usize = 12;
/// A longer value tells nothing.
const LONGEST_VALUE: usize = 40;
/// Of a long stack trace, so many lines next to the error.
const TRACE_LINES: usize = 4;
/// Of exceptions that led to each other, so many.
const TRACEBACKS: usize = 3;
/// Of its calls.
const TRACE_FRAMES: usize = 2;
/// A trace longer than this is looked at no further.
const TRACE_LOOK: usize = 400;

/// The first line that speaks of an error.
pub fn first_error(text: &str) -> Option<&str> {
    error_lines(text).next().map(str::trim)
}

/// The lines that speak of an error, a failure or a warning.
pub fn error_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = find_error(text.as_bytes(), from)?;
        let line = line_around(text, at);
        from = line.as_ptr() as usize - text.as_ptr() as usize + line.len();
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

/// What a line reports, if it speaks of an error, a failure or a warning.
pub fn severity(line: &str) -> Option<Finding> {
    let bytes = line.as_bytes();
    let mut worst: Option<Finding> = None;
    let mut from = 0;
    while let Some(at) = find_error(bytes, from) {
        let warns = words::warns(bytes.get(at..).unwrap_or_default());
        let found = if warns { Finding::Warning } else { Finding::Error };
        worst = Some(worst.map_or(found, |worst| worst.min(found)));
        if worst == Some(Finding::Error) {
            break;
        }
        from = at + 1;
    }
    worst
}

/// Whether a line speaks of an error, a failure or a warning.
pub fn is_error(line: &str) -> bool {
    error_word(line).is_some()
}

/// Whether a line begins with a cross: what did not go well among what did (`✗ answers in time`, `× No solution`).
pub fn is_crossed(line: &str) -> bool {
    let said = line.trim_start().strip_prefix(['✗', '✘', '✕', '✖', '❌', '×']);
    said.is_some_and(|said| said.starts_with(' ') && said.contains(char::is_alphabetic))
}

/// Whether a line reports an error beyond doubt: by a level in capitals or behind a key, by a message that begins with
/// `error:`, by the first line of a trace.
pub fn is_strong(line: &str) -> bool {
    words::is_strong(line)
}

/// Where in a line the word stands by which it speaks of an error.
pub fn error_word(line: &str) -> Option<usize> {
    find_error(line.as_bytes(), 0)
}

/// Marks the lines of a reading that report errors and warnings as findings, each kind of event once: of repeats the
/// first and the last, with their number and what they differ in. Lines of stack traces close to the error are kept too.
pub fn mark(reading: &mut Reading, text: &str) {
    mark_within(reading, text, 0..reading.pieces.len());
}

/// The same for some of the pieces.
pub fn mark_within(reading: &mut Reading, text: &str, within: std::ops::Range<usize>) {
    mark_where(reading, text, within, |_| true);
}

/// The same for those of the pieces that may report something: the name of a test that passed does not.
pub fn mark_where(
    reading: &mut Reading,
    text: &str,
    within: std::ops::Range<usize>,
    may_report: impl Fn(usize) -> bool,
) {
    let mut repeats = Repeats::default();
    let mut found: Vec<(usize, (usize, Finding))> = Vec::new();
    for index in within.clone().filter(|index| may_report(*index)) {
        let Some(piece) = reading.pieces.get(index) else { break };
        if piece.rank.finding().is_some() {
            continue;
        }
        let line = piece.text(text);
        if let Some(finding) = severity(line) {
            found.push((repeats.add(finding, line.trim()), (index, finding)));
        }
    }
    let one_of = repeats.finish();
    let mut events: BTreeMap<usize, Vec<(usize, Finding)>> = BTreeMap::new();
    for (group, event) in found {
        events.entry(one_of.of(group)).or_default().push(event);
    }
    let mut kept = Vec::new();
    for repeats in events.values() {
        let all = repeats.len() <= ALL_REPEATS;
        for (position, (index, finding)) in repeats.iter().enumerate() {
            let shown = all || position == 0 || position + 1 == repeats.len();
            let Some(piece) = reading.pieces.get_mut(*index) else { continue };
            piece.rank = if shown { Rank::Finding(*finding) } else { Rank::Told };
            if shown {
                kept.push(*index);
            }
        }
        if !all {
            note_repeats(reading, text, repeats);
        }
    }
    for index in kept {
        keep_trace(reading, text, index, within.end);
    }
}

pub(super) fn note_repeats(reading: &mut Reading, text: &str, repeats: &[(usize, Finding)]) {
    let pieces: Vec<&str> =
        repeats.iter().filter_map(|(index, _)| reading.pieces.get(*index)).map(|piece| piece.text(text)).collect();
    let note = match differing(&pieces) {
        Some(seen) => format!(" [×{}: {}]", repeats.len(), seen.join(", ")),
        None => format!(" [×{}]", repeats.len()),
    };
    if let Some(piece) = repeats.first().and_then(|(index, _)| reading.pieces.get_mut(*index)) {
        piece.note = Some(note);
    }
}

/// In what lines of one template differ: the values, or else the words, of the field that has the fewest. Times and
/// traces differ in every line and say nothing.
fn differing<'text>(lines: &[&'text str]) -> Option<Vec<&'text str>> {
    fewest(lines.iter().map(|line| values(line)))
        .or_else(|| fewest(lines.iter().map(|line| line.split_whitespace().collect())))
}

fn fewest<'text>(lines: impl Iterator<Item = Vec<&'text str>>) -> Option<Vec<&'text str>> {
    let mut fields: Vec<Vec<&str>> = Vec::new();
    for (position, values) in lines.enumerate() {
        if position == 0 {
            fields = vec![Vec::new(); values.len()];
        }
        for (seen, value) in fields.iter_mut().zip(values) {
            if seen.len() <= DIFFERING_VALUES && !seen.contains(&value) {
                seen.push(value);
            }
        }
    }
    // Times and traces: other in every line.
    let random = |value: &&str| {
        let hexadecimal = value.len() >= 10 && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        hexadecimal || value.matches(':').count() >= 2 || value.len() > LONGEST_VALUE
    };
    let tells = |seen: &Vec<&str>| (2..=DIFFERING_VALUES).contains(&seen.len()) && !seen.iter().any(random);
    fields.into_iter().filter(tells).min_by_key(Vec::len)
}

/// Keeps what belongs to an error: the message below a panic, the frames next to an exception.
pub(super) fn keep_trace(reading: &mut Reading, text: &str, error: usize, end: usize) {
    let line = |index: usize| reading.pieces.get(index).map(|piece| piece.text(text)).filter(|_| index < end);
    let Some(first) = line(error) else { return };
    let finding = reading.pieces.get(error).and_then(|piece| piece.rank.finding()).unwrap_or(Finding::Error);
    let own_indent = indent(first);
    let belongs = |other: &str| !other.trim().is_empty() && (indent(other) > own_indent || is_frame(other));
    let run = |from: usize| (from..end).map_while(line).take_while(|other| belongs(other)).take(TRACE_LOOK).count();
    let followers = run(error + 1);
    let mut keep: Vec<usize> = Vec::new();
    let tracebacks = (error..=error + followers).filter(|at| line(*at).is_some_and(is_traceback));
    let tracebacks: Vec<usize> = tracebacks.take(TRACEBACKS).collect();
    if !tracebacks.is_empty() {
        for at in tracebacks {
            // The exception stands below its frames, the frame that raised it right above.
            let depth = line(at).map_or(0, indent);
            let is_below =
                |index: &usize| line(*index).is_some_and(|other| indent(other) <= depth && !other.trim().is_empty());
            let Some(exception) = (at + 1..end.min(at + TRACE_LOOK)).find(is_below) else { continue };
            let frame = (at + 1..exception).rev().find(|index| line(*index).is_some_and(is_call));
            keep.extend([at, exception]);
            keep.extend(frame.into_iter().flat_map(|at| at..exception.min(at + 2)));
        }
    } else {
        let mut frames = 0;
        for index in error + 1..=error + followers {
            frames += usize::from(line(index).is_some_and(is_call));
            if keep.len() < TRACE_LINES && frames <= TRACE_FRAMES {
                keep.push(index);
            }
        }
        let panicked = first.contains(" panicked at ");
        let announces = first.trim_end().ends_with(':') || panicked;
        if followers == 0 && announces && line(error + 1).is_some_and(|next| !next.trim().is_empty()) {
            keep.push(error + 1);
            if panicked {
                // The two sides of an assertion.
                keep.extend((error + 2..error + 2 + run(error + 2)).take(TRACE_FRAMES));
            }
        }
        if first.trim_start().starts_with("panic: ") || first.trim_start().starts_with("fatal error: ") {
            // Go tells below the message where it was.
            let goroutine =
                (error + 1..error + 6).find(|index| line(*index).is_some_and(|line| line.starts_with("goroutine ")));
            keep.extend(goroutine.into_iter().flat_map(|at| at + 1..=at + 2).filter(|index| line(*index).is_some()));
        }
    }
    for index in keep {
        reading.raise(index, Rank::Finding(finding));
    }
}

fn is_traceback(line: &str) -> bool {
    line.contains("Traceback (most recent call last)")
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// A line of a stack trace that names a call.
fn is_call(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ") || line.starts_with("File \"") || line.starts_with("... ")
}

/// Lines that belong to the error above them though they are not indented.
pub(super) fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    ["at ", "File \"", "--> ", "| ", "... ", "Caused by", "caused by", "During handling", "The above exception"]
        .iter()
        .any(|opening| line.starts_with(opening))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_known_by_its_words() {
        for line in [
            "ERROR x",
            "  error: no",
            "java.io.IOException: y",
            "2 tests FAILED",
            "has_failed=true",
            "error_count=3",
            "event=payment_failed user=7",
            "{\"event\": \"payment_failed\"}",
            "npm ERR! code ELIFECYCLE",
            "make: *** [Makefile:3: all] Error 2",
            "E: Unable to locate package x",
            "E0915 08:00:01.123456       1 reflector.go:138] x",
            "W0915 08:00:01.123456       1 y",
            "Killed",
            "write: No space left on device",
            "job done exit=1",
            "rc=2",
            "exited with code 137",
            "panic: runtime error: index out of range [3]",
            "ERR_MODULE_NOT_FOUND",
            "\"error\": \"disk full\"",
            "FAILED tests/test_errors.py::test_on_error",
            "TypeError",
            "W: warning",
            "10 errors",
            "exit code 10",
            "OOMKilled",
            "web5 : ok=12 changed=2 unreachable=1 failed=0",
            "web3 : ok=7 unreachable=0 failed=1 skipped=0",
            "packets dropped: 3",
        ] {
            assert!(is_error(line), "{line}");
        }
        assert_eq!(error_lines("fine\nError: a\nfine\nb failed\n").collect::<Vec<_>>(), ["Error: a", "b failed"]);
        assert_eq!(error_lines("fine\r\nError: a\r\n").collect::<Vec<_>>(), ["Error: a"]);
        for line in [
            "2> stderr",
            "all good",
            "",
            "terror",
            "é",
            "unwarned",
            "E 12",
            "src=2 exit=0",
            "web5 : ok=12 unreachable=0 failed=0",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn other_languages_speak_of_errors_too() {
        for line in [
            "Fehler beim Lesen der Datei",
            "Zugriff verweigert: C:\\Daten",
            "Erreur : fichier introuvable",
            "Échec de la connexion",
            "No se pudo abrir el archivo",
            "Ошибка: файл занят",
            "не удалось открыть порт",
            "エラー: 接続できません",
            "连接失败",
            "오류가 발생했습니다",
        ] {
            assert_eq!(severity(line), Some(Finding::Error), "{line}");
        }
        for line in
            ["Warnung: fast voll", "Avertissement : disque plein", "Предупреждение: мало места", "警告: 残りわずか"]
        {
            assert_eq!(severity(line), Some(Finding::Warning), "{line}");
        }
    }

    #[test]
    fn a_name_with_the_word_in_it_is_no_error() {
        for line in [
            "internal/errors.go",
            "ok errors.go:12 parsed",
            "go test --fail-fast ./...",
            "registered on_error hook",
            "test_error_handling PASSED",
            "src/errors/mod.rs",
            "see docs/error-handling",
            "called onError and setFailed",
            "ErrorBoundary mounted",
            "failover done",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn a_letter_at_the_beginning_of_a_later_line_is_found() {
        let text = "I0915 08:00:00.1 fine\nE0915 08:00:01.2 lost\nE: none\nEach: x";
        assert_eq!(error_lines(text).collect::<Vec<_>>(), ["E0915 08:00:01.2 lost", "E: none"]);
    }

    #[test]
    fn none_is_no_error() {
        for line in [
            "0 errors",
            "no warnings",
            "failed: 0",
            "0 failed, 0 errors",
            "Process exited with code 0",
            "exit code: 0",
            "errors=0",
            "error_count=0",
            "\"errors\": [], \"error\": null",
            "0 tests failed",
            "finished without errors",
            "# fail 0",
            "exit=0 rc=0",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn the_worse_of_two_words_counts() {
        assert_eq!(severity("warning: treat as error"), Some(Finding::Error));
        assert_eq!(severity("warning: unused"), Some(Finding::Warning));
        assert_eq!(severity("fine"), None);
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let mut reading = Reading::of_lines(text);
        mark(&mut reading, text);
        let kept: Vec<String> = reading
            .pieces
            .iter()
            .filter(|piece| piece.rank.finding().is_some())
            .map(|piece| format!("{}{}", piece.text(text), piece.note.as_deref().unwrap_or_default()))
            .collect();
        assert_eq!(kept.join("\n"), expected);
    }

    #[test]
    fn repeats_are_told_once_with_what_they_differ_in() {
        let text: String = (0..20).map(|n| format!("12:00:{n:02} ERROR host {} is down\nfine\n", n % 3)).collect();
        check(&text, "12:00:00 ERROR host 0 is down [×20: 0, 1, 2]\n12:00:19 ERROR host 1 is down");
    }

    #[test]
    fn long_messages_with_another_word_are_repeats() {
        let packages = ["runtime", "weak", "iter", "sync"];
        let line = |n: usize| {
            format!(
                "warning: the facts of package {} were not saved to the cache below the home of the user",
                packages[n % 4]
            )
        };
        let text: String = (0..8).map(|n| line(n) + "\n").collect();
        check(&text, &format!("{} [×8: runtime, weak, iter, sync]\n{}", line(0), line(3)));
    }

    #[test]
    fn the_cause_comes_with_its_trace() {
        check(
            "start\nTraceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    f()\n  File \"b.py\", line 7, in f\n    x[1]\nKeyError: 1\ndone",
            "Traceback (most recent call last):\n  File \"b.py\", line 7, in f\n    x[1]\nKeyError: 1",
        );
        check(
            "thread 'main' panicked at src/a.rs:3:5:\nindex out of bounds\nnote: run with …",
            "thread 'main' panicked at src/a.rs:3:5:\nindex out of bounds",
        );
        check(
            "panic: nil map\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/a.go:3 +0x1d\nmain.main()\n\t/a.go:9 +0x2",
            "panic: nil map\nmain.f(0x1)\n\t/a.go:3 +0x1d",
        );
        check(
            "java.lang.IllegalStateException: a\n\tat x.A.f(A.java:1)\n\tat x.B.g(B.java:2)\n\tat x.C.h(C.java:3)\nCaused by: java.io.IOException: b\n\tat x.D.i(D.java:4)\n\t... 12 more\nready",
            "java.lang.IllegalStateException: a\n\tat x.A.f(A.java:1)\n\tat x.B.g(B.java:2)\nCaused by: java.io.IOException: b\n\tat x.D.i(D.java:4)\n\t... 12 more",
        );
    }
}
