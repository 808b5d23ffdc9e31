//! The column of line numbers that tools print before each line of a file: `   12→`, `12\t`, `12: `, `12| `, `12. `.

/// A line taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbered {
    /// The number before the line.
    pub(super) number: usize,
    /// Bytes before the line itself.
    pub(super) prefix: usize,
}

/// Of the lines that are looked at, so many of ten must be numbered.
const MOST: usize = 7;
/// Lines that are looked at.
const LOOKED_AT: usize = 60;

/// The number that opens a line, if one does.
pub(super) fn number(line: &str) -> Option<Numbered> {
    let bytes = line.as_bytes();
    let blanks = bytes.iter().take_while(|byte| **byte == b' ').count();
    let digits = bytes.get(blanks..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=7).contains(&digits) {
        return None;
    }
    let number = line.get(blanks..blanks + digits)?.parse().ok()?;
    let rest = line.get(blanks + digits..)?;
    let separator = ["→", "\t", ": ", "| ", ". ", " | ", ":", "|", "."].iter().find(|one| rest.starts_with(**one))?;
    // Without a blank behind it, only an empty line is meant: `12:` but not `12:30`.
    let alone = matches!(*separator, ":" | "|" | ".") && rest.len() > 1;
    (!alone || *separator == "|").then_some(Numbered { number, prefix: blanks + digits + separator.len() })
}

/// The line without the number before it.
pub(super) fn without_number(line: &str) -> &str {
    number(line).and_then(|numbered| line.get(numbered.prefix..)).unwrap_or(line)
}

/// Whether most lines have a number in front that is larger than the one of the line before.
pub(super) fn is_numbered<'text>(lines: impl Iterator<Item = &'text str>) -> bool {
    let (mut looked_at, mut rising, mut last) = (0, 0, None);
    for line in lines.filter(|line| !line.trim().is_empty()).take(LOOKED_AT) {
        looked_at += 1;
        let number = number(line).map(|numbered| numbered.number);
        rising += usize::from(number.is_some_and(|number| last.is_none_or(|last| number > last)));
        last = number;
    }
    rising >= 2 && rising * 10 >= looked_at * MOST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(usize, &str)>) {
        let found = number(line).map(|found| (found.number, &line[found.prefix..]));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn the_number_before_a_line_is_found() {
        check("     1→use std;", Some((1, "use std;")));
        check("    12\t\treturn", Some((12, "\treturn")));
        check("12: fn", Some((12, "fn")));
        check("12:", Some((12, "")));
        check("155. func", Some((155, "func")));
        check("7|x", Some((7, "x")));
    }

    #[test]
    fn other_numbers_are_no_line_numbers() {
        check("12:30:01 INFO", None);
        check("3.14", None);
        check("12 apples", None);
        check("", None);
        check("2025-01-01\t", None);
    }

    #[test]
    fn a_column_rises() {
        assert!(is_numbered("1\ta\n2\tb\n3\tc".lines()));
        assert!(!is_numbered("7\ta\n7\tb\n7\tc".lines()));
        assert!(!is_numbered("a\nb\n3\tc".lines()));
    }
}
