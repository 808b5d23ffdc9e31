//! What a terminal would have shown: colours taken out, overwritten progress lines gone.

use std::borrow::Cow;

/// The text without escape sequences and without what a carriage return or a backspace has overwritten. The number of
/// lines stays the same.
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
        // Progress bars write one line again and again; what was written last is what was seen. An empty last part
        // only moved the cursor.
        let last = line.split('\r').rfind(|part| !without_escapes(part).trim().is_empty()).unwrap_or_default();
        screen.push_str(&without_escapes(last));
        screen.push_str(end);
    }
    Cow::Owned(screen)
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
    fn plain_text_is_not_copied() {
        assert!(matches!(shown("plain\ntext\r\n"), Cow::Borrowed(_)));
    }
}
