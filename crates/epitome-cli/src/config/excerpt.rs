//! One line of a file with a caret under the place in question, and no credential in it.

use std::fmt;

use super::yaml::Spot;

/// A line to show, and where its caret stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    line: usize,
    text: String,
    /// Characters before the caret.
    indent: usize,
    width: usize,
}

/// Longer than every name of a credential's key that we know.
const LONGEST_NAME: usize = 24;

/// Wider than this, a line is cut around the caret.
const WIDEST: usize = 100;

impl Excerpt {
    /// The line of `text` at `spot`, unless the spot lies outside of it.
    pub(crate) fn of(text: &str, spot: Spot) -> Option<Excerpt> {
        let line = text.lines().nth(spot.line.checked_sub(1)?)?;
        if line.trim().is_empty() {
            return None;
        }
        if continues_credential(text, spot.line) {
            return Excerpt::of_line("…", Spot { column: 1, ..spot });
        }
        Excerpt::of_line(&masked(line), spot)
    }

    /// The same, without anything from the spot on: what stands there may be a credential.
    pub(crate) fn before(text: &str, spot: Spot) -> Option<Excerpt> {
        let line = text.lines().nth(spot.line.checked_sub(1)?)?;
        let kept: String = line.chars().take(spot.column.saturating_sub(1)).collect();
        Excerpt::of_line(&format!("{}…", masked(&kept)), spot)
    }

    fn of_line(line: &str, spot: Spot) -> Option<Excerpt> {
        let masked: Vec<char> = line.chars().map(visible).collect();
        let column = spot.column.saturating_sub(1).min(masked.len());
        let first = if column >= WIDEST { column - WIDEST / 2 } else { 0 };
        let shown: String = masked.iter().skip(first).take(WIDEST).collect();
        let indent = column - first;
        let width = spot.width.min(shown.trim_end().chars().count().saturating_sub(indent)).max(1);
        Some(Excerpt { line: spot.line, text: shown.trim_end().to_owned(), indent, width })
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        writeln!(formatter, "  {number} | {}", self.text)?;
        write!(
            formatter,
            "  {:gutter$} | {:indent$}{}",
            "",
            "",
            "^".repeat(self.width),
            gutter = number.len(),
            indent = self.indent
        )
    }
}

/// Tabs are what people cannot see and YAML cannot stand; the rest must not move the cursor.
fn visible(letter: char) -> char {
    match letter {
        '\t' => '→',
        letter if letter.is_control() => '\u{fffd}',
        letter => letter,
    }
}

/// The line, without what follows a key that names a credential and without words that look like one.
fn masked(line: &str) -> String {
    if let Some(at) = credential_value(line) {
        return format!("{}…", &line[..at]);
    }
    line.split_inclusive([' ', '\t', '"', '\'', ',', '=', '{', '}', '[', ']'])
        .map(|word| if looks_secret(word) { "… " } else { word })
        .collect()
}

/// Whether a line without a key of its own goes on with a credential that began above.
fn continues_credential(text: &str, line: usize) -> bool {
    let above: Vec<&str> = text.lines().take(line).collect();
    let Some((here, above)) = above.split_last() else { return false };
    let beginning = above.iter().rev().find(|line| line.contains(':'));
    !here.contains(':') && beginning.is_some_and(|line| credential_value(line).is_some())
}

/// Where the value of a credential's key begins.
fn credential_value(line: &str) -> Option<usize> {
    const NAMES: &[&str] = &[
        "api_key",
        "apikey",
        "api_key_env",
        "_key",
        "token",
        "secret",
        "password",
        "authorization",
        "credential",
        "auth",
    ];
    line.char_indices().filter(|(_, letter)| matches!(letter, ':' | '=')).find_map(|(at, _)| {
        let before = line[..at].trim_end_matches(|letter: char| letter.is_whitespace() || "\"'".contains(letter));
        // The end of it is enough, and a line may be very long.
        let end = before.char_indices().rev().nth(LONGEST_NAME).map_or(0, |(start, _)| start);
        let key = before[end..].to_ascii_lowercase().replace('-', "_");
        NAMES.iter().any(|name| key.ends_with(name)).then_some(at + 1)
    })
}

/// Whether a text begins as keys of well-known services do, or is an address with a user in it.
pub(crate) fn looks_secret(text: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["sk-", "sk_", "pk-", "gh", "github_pat_", "xox", "AIza", "AKIA", "hf_", "nvapi-", "gsk_", "eyJ", "Bearer "];
    let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
    let long = text.chars().count() >= 12;
    (long && BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)))
        || (text.contains("://") && text.contains('@'))
        || (text.starts_with("//") && text.contains('@'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: &str) {
        assert_eq!(masked(line), expected);
    }

    #[test]
    fn credentials_are_masked() {
        check("  api_key: sk-ant-1234567890", "  api_key:…");
        check("  {model: x, \"api-key\": hunter2, a: b}", "  {model: x, \"api-key\":…");
        check("  timeout: sk-ant-1234567890", "  timeout: … ");
        check("  api_key_env: hunter2", "  api_key_env:…");
        check("  base_url: https://me:hunter2@host/v1", "  base_url: … ");
        check("  base_url: \"https://host/v1?api_key=hunter2\"", "  base_url: \"https://host/v1?api_key=…");
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        check("  threshold: 1.4  # of the window", "  threshold: 1.4  # of the window");
        check("  threshold_tokens: 5", "  threshold_tokens: 5");
    }
}
