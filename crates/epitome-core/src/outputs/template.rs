//! What lines have in common: a line with its numbers, times and ids taken out.

/// The line with every number, time and id replaced by `#`. Two lines with the same template say the same of
/// different things.
pub(super) fn template(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    for token in tokens(line) {
        match token {
            Token::Value => {
                if !masked.ends_with('#') {
                    masked.push('#');
                }
            }
            Token::Text(text) => masked.push_str(text),
        }
    }
    masked
}

enum Token<'line> {
    /// Differs from line to line.
    Value,
    Text(&'line str),
}

/// A word with a digit in it is a value if it is a number, a time or an id; `utf8` and `v2` are words.
fn tokens(line: &str) -> impl Iterator<Item = Token<'_>> {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (start, length) = (at, word.max(1));
        if word == 0 {
            // Up to the next word, whole characters at a time.
            let gap = rest.iter().take_while(|byte| !byte.is_ascii_alphanumeric()).count();
            at += gap;
            return Some(Token::Text(line.get(start..at).unwrap_or_default()));
        }
        at += length;
        let text = line.get(start..at).unwrap_or_default();
        Some(if is_value(text) {
            // A number goes on behind a point, a colon or a sign: 10.5, 12:30:01, 2025-09-15, 1e-05.
            while let Some(more) = continued(bytes, at) {
                at = more;
            }
            Token::Value
        } else {
            Token::Text(text)
        })
    })
}

fn continued(bytes: &[u8], at: usize) -> Option<usize> {
    matches!(bytes.get(at), Some(b'.' | b':' | b'-' | b',' | b'+')).then_some(())?;
    let word = bytes.get(at + 1..)?.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let next = bytes.get(at + 1..at + 1 + word)?;
    let text = std::str::from_utf8(next).ok()?;
    (!text.is_empty() && is_value(text)).then_some(at + 1 + word)
}

fn is_value(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return false;
    }
    let starts_with_digit = word.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    let hexadecimal = word.len() >= 6 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    // 30000ms, 15T10, 0x7f: a number with its unit; 01ARZ3NDEKTSV4RRFFQ69G5FAV: an id.
    starts_with_digit || hexadecimal || digits * 2 >= word.len() || (word.len() >= 16 && digits >= 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(template(line), expected);
    }

    #[test]
    fn numbers_times_and_ids_are_taken_out() {
        check("2025-09-15T08:01:02.123Z INFO took 35ms", "# INFO took #");
        check("GET /orders/8842173 200 0.004s", "GET /orders/# # #");
        check("trace=9f3a77c1bb01 user:4411:profile", "trace=# user:#:profile");
        check("10.0.0.12:5432 refused", "# refused");
        check("id 550e8400-e29b-41d4-a716-446655440000", "id #");
    }

    #[test]
    fn words_stay() {
        check("utf8 is not café", "utf8 is not café");
        check("KeyError: 'tenant_id'", "KeyError: 'tenant_id'");
        check("", "");
        check("…→ 12", "…→ #");
    }
}
