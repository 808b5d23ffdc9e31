//! What a terminal would have shown: colours taken out, overwritten progress lines gone.

use std::borrow::Cow;

use super::events;
use super::template::template;

/// Of the parts of an overwritten line, one in so many at most may be more than progress.
const SAID_BETWEEN: usize = 8;

/// The text without escape sequences and without what a carriage return or a backspace has overwritten. What was said
/// between two steps of a progress bar is a line of its own.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte != 0x1b && byte != 0x08 && byte != b'\r' && byte != 0x9b;
    if text.bytes().all(plain) || !has_screen_codes(text) {
        return Cow::Borrowed(text);
    }
    let mut screen = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line.strip_suffix('\r').unwrap_or(line), "\n"),
            None => (line, ""),
        };
        if line.contains('\r') {
            screen.push_str(&left_standing(line).join("\n"));
        } else {
            screen.push_str(&without_escapes(line));
        }
        screen.push_str(end);
    }
    Cow::Owned(screen)
}

/// What is left of a line that was written again and again. What was written last is what was seen, but an error is kept,
/// and so is a message that is unlike the steps around it. An empty part only moved the cursor.
fn left_standing(line: &str) -> Vec<Cow<'_, str>> {
    let parts: Vec<Cow<'_, str>> =
        line.split('\r').map(without_escapes).filter(|part| !part.trim().is_empty()).collect();
    let Some(last) = parts.len().checked_sub(1) else { return Vec::new() };
    let templates: Vec<String> = parts.iter().map(|part| template(part.trim())).collect();
    let of = |at: Option<usize>| at.and_then(|at| templates.get(at)).map(String::as_str);
    // Without any progress, these are lines with the ends that old systems wrote.
    let steps = (1..parts.len()).filter(|at| is_step(of(Some(at - 1)), of(Some(*at)))).count();
    if steps * 2 < last && last >= SAID_BETWEEN {
        return parts;
    }
    let between =
        |at: &usize| !is_step(of(at.checked_sub(1)), of(Some(*at))) && !is_step(of(Some(*at)), of(Some(at + 1)));
    let mut said: Vec<usize> = (0..last).filter(between).collect();
    if said.len() * SAID_BETWEEN > parts.len() {
        said.clear();
    }
    // What the last step still says need not be said before it: `3 done, 1 failed`.
    let reports =
        |(at, part): &(usize, &Cow<'_, str>)| *at < last && events::is_error(part) && of(Some(*at)) != of(Some(last));
    said.extend(parts.iter().enumerate().filter(reports).map(|(at, _)| at));
    said.push(last);
    said.sort_unstable();
    said.dedup();
    let mut parts: Vec<Option<Cow<'_, str>>> = parts.into_iter().map(Some).collect();
    said.into_iter().filter_map(|at| parts.get_mut(at)?.take()).collect()
}

/// Whether two parts, by their templates, are steps of one progress bar: they open with the same word, or have no words.
fn is_step(one: Option<&str>, next: Option<&str>) -> bool {
    let opening = |part: &str| -> String {
        let letters = part.trim_start_matches(|c: char| !c.is_alphabetic());
        letters.chars().take_while(|c| c.is_alphabetic()).collect()
    };
    matches!((one, next), (Some(one), Some(next)) if opening(one) == opening(next))
}

/// Whether there is anything to take out: a carriage return before a newline is only an end of line.
fn has_screen_codes(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr2(0x1b, 0x08, bytes).is_some()
        || memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1).is_some_and(|next| *next != b'\n'))
        || text.contains('\u{9b}')
}

fn without_escapes(line: &str) -> Cow<'_, str> {
    if !line.contains(['\u{1b}', '\u{08}', '\u{9b}']) {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(char) = rest.next() {
        match char {
            '\u{1b}' => match rest.next() {
                // CSI: parameters up to a letter.
                Some('[') => {
                    rest.by_ref().find(|char| ('@'..='~').contains(char));
                }
                // OSC: a title or a link, up to its end.
                Some(']') => {
                    while let Some(char) = rest.next() {
                        if char == '\u{07}' {
                            break;
                        }
                        if char == '\u{1b}' {
                            rest.next_if_eq(&'\\');
                            break;
                        }
                    }
                }
                // A character set: one more letter.
                Some('(' | ')' | '#') => {
                    rest.next();
                }
                Some(_) | None => {}
            },
            '\u{9b}' => {
                rest.by_ref().find(|char| ('@'..='~').contains(char));
            }
            '\u{08}' => {
                plain.pop();
            }
            char => plain.push(char),
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(shown(text), expected);
    }

    #[test]
    fn colours_links_and_titles_go() {
        check("\u{1b}[1;31merror\u{1b}[0m: no", "error: no");
        check("\u{1b}]8;;file:///x\u{1b}\\x.rs\u{1b}]8;;\u{1b}\\ ok", "x.rs ok");
        check("\u{1b}]0;title\u{07}$ ls", "$ ls");
    }

    #[test]
    fn what_was_overwritten_goes() {
        check("10 %\r50 %\r100 %\ndone\n", "100 %\ndone\n");
        check("one\r\ntwo\r\n", "one\r\ntwo\r\n");
        check("working…\r\n\u{1b}[32mok\u{1b}[0m\r\n", "working…\nok\n");
    }

    #[test]
    fn what_is_said_between_two_steps_stays() {
        let step = |n: usize| format!("\rFetching part {n} of 40");
        let steps = |from: usize, to: usize| (from..to).map(step).collect::<String>();
        let text = format!("{}\rERROR part 17 has a wrong checksum{}\n", steps(0, 17), steps(17, 41));
        check(&text, "ERROR part 17 has a wrong checksum\nFetching part 40 of 40\n");
        let text = format!("{}\rmirror changed to eu-2{}\r\ndone\n", steps(0, 9), steps(9, 41));
        check(&text, "mirror changed to eu-2\nFetching part 40 of 40\ndone\n");
        let bars: String = (0..30).map(|n| format!("\r[{}{}] {n}/30", "#".repeat(n), " ".repeat(30 - n))).collect();
        check(&format!("{bars}\r{}\rok", " ".repeat(40)), "ok");
    }

    #[test]
    fn a_count_of_failures_is_told_by_the_last_step() {
        check("1 done, 0 failed\r2 done, 1 failed\r3 done, 1 failed\n", "3 done, 1 failed\n");
    }

    #[test]
    fn names_that_differ_in_every_step_are_progress() {
        let names = ["serde", "tokio", "hyper", "axum", "rand", "libc", "syn", "quote"];
        let text: String =
            (0..40).map(|n| format!("\rBuilding [{}] {n}/40: {}", "=".repeat(n), names[n % 8])).collect();
        check(&text, &format!("Building [{}] 39/40: quote", "=".repeat(39)));
    }

    #[test]
    fn carriage_returns_alone_may_be_ends_of_lines() {
        let lines: String = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"].join("\r");
        check(&lines, &lines.replace('\r', "\n"));
    }

    #[test]
    fn plain_text_is_not_copied() {
        assert!(matches!(shown("plain\ntext\r\n"), Cow::Borrowed(_)));
    }
}
