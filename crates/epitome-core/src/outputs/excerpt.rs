//! Any output: its first lines, every line that speaks of an error, and its last lines.

use super::{Interest, OutputCompressor, ToolOutput, cut_to_chars};
use crate::lines::line_around;
use crate::tokens::{TokenCounter, Tokens};

/// The kind that takes what no other kind knows.
pub struct Excerpt;

/// Longer lines are cut: minified files and base64 put a whole output on one line.
const LINE_CHARS: usize = 240;
/// Error lines kept; the digest says how many more there were.
const ERROR_LINES: usize = 40;

impl OutputCompressor for Excerpt {
    fn name(&self) -> &'static str {
        "excerpt"
    }

    fn compress(
        &self,
        output: &ToolOutput,
        room: Tokens,
        interest: &Interest,
        counter: &dyn TokenCounter,
    ) -> Option<String> {
        let lines: Vec<&str> = output.text.lines().collect();
        let mut kept = vec![false; lines.len()];
        let wanted = |line: &&str| is_error(line) || interest.matches(line);
        let errors = lines.iter().enumerate().filter(|(_, line)| wanted(line)).map(|(index, _)| index);
        errors.take(ERROR_LINES).for_each(|index| mark(&mut kept, index));
        let mut spent = Tokens(0);
        // The end of an output says how it ended, so it is asked first and twice as often as the beginning.
        let mut from_start = 0..lines.len();
        for turn in 0.. {
            let next = if turn % 3 == 2 { from_start.next() } else { from_start.next_back() };
            let Some(index) = next else { break };
            let cost = lines.get(index).map_or(Tokens(0), |line| counter.estimate(&cut_to_chars(line, LINE_CHARS)));
            spent += cost + Tokens(1);
            if spent > room {
                break;
            }
            mark(&mut kept, index);
        }
        Some(render(&lines, &kept))
    }
}

fn mark(kept: &mut [bool], index: usize) {
    if let Some(mark) = kept.get_mut(index) {
        *mark = true;
    }
}

fn render(lines: &[&str], kept: &[bool]) -> String {
    let mut text = String::new();
    let mut left_out = 0;
    let mut errors_left_out = 0;
    let flush = |text: &mut String, left_out: &mut usize, errors: &mut usize| {
        if *left_out > 0 {
            let about = if *errors > 0 { format!(", {errors} of them about errors") } else { String::new() };
            text.push_str(&format!("[… {left_out} lines left out{about} …]\n"));
        }
        (*left_out, *errors) = (0, 0);
    };
    for (line, kept) in lines.iter().zip(kept) {
        if *kept {
            flush(&mut text, &mut left_out, &mut errors_left_out);
            text.push_str(&cut_to_chars(line, LINE_CHARS));
            text.push('\n');
        } else {
            left_out += 1;
            errors_left_out += usize::from(is_error(line));
        }
    }
    flush(&mut text, &mut left_out, &mut errors_left_out);
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// The first line that speaks of an error.
pub fn first_error(text: &str) -> Option<&str> {
    error_lines(text).next().map(str::trim)
}

/// The lines that speak of an error, a failure or a warning.
pub fn error_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + find_error(text.as_bytes().get(from..)?)?;
        let line = line_around(text, at);
        from = line.as_ptr() as usize - text.as_ptr() as usize + line.len();
        Some(line)
    })
}

/// Whether a line speaks of an error, a failure or a warning.
pub fn is_error(line: &str) -> bool {
    find_error(line.as_bytes()).is_some()
}

/// Where the first word of an error begins: behind something that is no letter, or with a capital (`TypeError`, not
/// `stderr`).
fn find_error(bytes: &[u8]) -> Option<usize> {
    bytes.iter().enumerate().find_map(|(index, byte)| {
        if !matches!(byte | 0x20, b'e' | b'f' | b'p' | b't' | b'w' | b'd' | b'c' | b'n' | b'r' | b'u') {
            return None;
        }
        let before = index.checked_sub(1).and_then(|before| bytes.get(before));
        let begins = byte.is_ascii_uppercase() || before.is_none_or(|before| !before.is_ascii_alphabetic());
        (begins && begins_error_word(bytes.get(index..).unwrap_or_default())).then_some(index)
    })
}

fn begins_error_word(text: &[u8]) -> bool {
    let words: &[&[u8]] = match text.first().map(u8::to_ascii_lowercase) {
        Some(b'e') => &[b"error", b"exception", b"exit status", b"exit code", b"exited with"],
        Some(b'f') => &[b"fail", b"fatal"],
        Some(b'p') => &[b"panic"],
        Some(b't') => &[b"traceback", b"timed out"],
        Some(b'w') => &[b"warn"],
        Some(b'd') => &[b"denied"],
        Some(b'c') => &[b"critical", b"cannot ", b"could not "],
        Some(b'n') => &[b"no such ", b"not found", b"not permitted"],
        Some(b'r') => &[b"refused", b"rejected"],
        Some(b'u') => &[b"unable to"],
        Some(_) | None => &[],
    };
    words.iter().any(|word| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::digest;
    use crate::tokens::Tokens;

    /// Four bytes a token: enough to test decisions with.
    struct Quarter;

    impl TokenCounter for Quarter {
        fn count(&self, text: &str) -> Tokens {
            Tokens(text.len().div_ceil(4) as u64)
        }

        fn estimate(&self, text: &str) -> Tokens {
            self.count(text)
        }
    }

    fn output(text: &str) -> ToolOutput {
        ToolOutput {
            tool: "bash".into(),
            arguments: r#"{"command":"make"}"#.into(),
            text: text.into(),
            media: vec![],
            media_tokens: Tokens(0),
            is_error: false,
        }
    }

    #[test]
    fn the_end_the_start_and_every_error_are_kept() {
        let mut lines: Vec<String> = (0..400).map(|n| format!("compiling unit number {n} of four hundred")).collect();
        lines[211] = "error: unit 211 does not type-check".into();
        lines.push("make: done".into());
        let text = digest(&output(&lines.join("\n")), Tokens(60), &Interest::default(), &Quarter).unwrap();
        insta::assert_snapshot!(text, @"
        [digest of 401 lines, 16,694 bytes; original 0e26d7ce045f]
        compiling unit number 0 of four hundred
        [… 210 lines left out …]
        error: unit 211 does not type-check
        [… 185 lines left out …]
        compiling unit number 397 of four hundred
        compiling unit number 398 of four hundred
        compiling unit number 399 of four hundred
        make: done
        ");
    }

    #[test]
    fn what_the_agent_looks_for_is_kept() {
        let text: String = (0..400).map(|n| format!("DEBUG value_{n} = {n}\n")).collect();
        let interest = Interest::in_text("what is value_233?");
        let digest = digest(&output(&text), Tokens(60), &interest, &Quarter).unwrap();
        assert!(digest.contains("DEBUG value_233 = 233"), "{digest}");
    }

    #[test]
    fn an_error_is_known_by_its_words() {
        for line in [
            "ERROR x",
            "  error: no",
            "java.io.IOException: y",
            "2 tests FAILED",
            "has_failed",
            "TypeError",
            "W: warning",
        ] {
            assert!(is_error(line), "{line}");
        }
        assert_eq!(error_lines("fine\nError: a\nfine\nb failed\n").collect::<Vec<_>>(), ["Error: a", "b failed"]);
        for line in ["2> stderr", "all good", "", "terror", "é", "unwarned"] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn a_digest_longer_than_its_original_is_not_made() {
        assert_eq!(digest(&output("ok"), Tokens(150), &Interest::default(), &Quarter), None);
    }
}
