//! What a single line of text looks like: code, a message about code, or something else.

/// Nothing but brackets, or a word that only opens or closes a group.
pub(super) fn is_closing(code: &str) -> bool {
    code.trim().chars().all(|c| matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | ',' | '<' | '>' | '/'))
        || matches!(code.trim(), "end" | "const (" | "var (" | "type (" | "import (" | "do" | "then" | "fi" | "done")
}

/// A line that a statement or a comment of some language could be.
pub(super) fn is_code_line(line: &str) -> bool {
    let line = line.trim();
    let ends = line.ends_with(['{', '}', ';', ',', '(', ')', ':', '[', ']', '=', '\\', '>']);
    let comment = ["//", "#", "/*", "*", "--", "\"\"\"", "'''"].iter().any(|opening| line.starts_with(opening));
    let operators = [" = ", " := ", " + ", " == ", " != ", " && ", " || ", " += ", "::"];
    let statement = operators.iter().any(|operator| line.contains(operator))
        || (line.contains('(') && line.contains(')') && !line.contains(". "));
    let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    let keyword = matches!(
        word,
        "return"
            | "import"
            | "from"
            | "use"
            | "package"
            | "if"
            | "else"
            | "for"
            | "while"
            | "let"
            | "const"
            | "var"
            | "def"
            | "class"
            | "end"
            | "case"
            | "fi"
            | "then"
            | "done"
            | "raise"
            | "throw"
            | "break"
            | "continue"
            | "pass"
            | "type"
            | "func"
            | "fn"
            | "pub"
            | "export"
    );
    ends || comment || statement || keyword
}

/// A line of search hits or of a diff: it holds code but is none.
pub(super) fn is_about_code(line: &str) -> bool {
    let mut parts = line.splitn(3, ':');
    let path = parts.next().is_some_and(|path| path.contains(['.', '/']) && !path.contains([' ', '"', '\'', '\t']));
    let number =
        parts.next().is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    let diff = ["diff --git", "@@ -", "+++ ", "--- a/", "index "].iter().any(|opening| line.starts_with(opening))
        || (line.starts_with(['+', '-']) && !line.starts_with("--"));
    (path && number) || diff
}

/// A line of a log, of JSON or of Markdown.
pub(super) fn is_other_line(line: &str) -> bool {
    let trimmed = line.trim_start();
    let data = trimmed.starts_with('"') && trimmed.split_once("\": ").is_some();
    let prose =
        ["# ", "## ", "### ", "- ", "* ["].iter().any(|opening| line.starts_with(opening)) || trimmed.starts_with("| ");
    let dated =
        line.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit())) && line.get(4..5) == Some("-");
    data || prose || dated
}

/// `[1178 more lines in file]`, `(truncated …)`: a tool says that it did not show all.
pub(super) fn says_more(line: &str) -> bool {
    let bracketed = line.starts_with(['[', '(', '…', '.', '<']) && line.len() < 200;
    bracketed && ["more lines", "truncated", "omitted"].iter().any(|word| line.contains(word))
}

/// A message of a command about what it could not do: `sed: can't read x: No such file or directory`.
pub(super) fn is_complaint(line: &str) -> bool {
    let code =
        line.ends_with(['{', '}', ';', ',', ')', '(']) || line.starts_with([' ', '\t', '/', '#', '*', '"', '\'']);
    let opens = line
        .split_once(": ")
        .is_some_and(|(word, _)| !word.contains(['(', '=', '"', '\'']) && word.split_whitespace().count() <= 2);
    let says = ["can't", "cannot", "No such", "denied", "not found", "rror"].iter().any(|word| line.contains(word));
    !code && opens && says
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_hits_and_diffs_are_about_code() {
        for line in ["src/a.rs:12:fn main() {", "a.go:7: x", "@@ -1,2 +1,3 @@", "+    added", "diff --git a/x b/x"] {
            assert!(is_about_code(line), "{line}");
        }
        for line in ["case x:12:", "fn main() {", "    - 1", "--limit;", "a ? b:12:c"] {
            assert!(!is_about_code(line), "{line}");
        }
    }

    #[test]
    fn a_complaint_is_no_code() {
        assert!(is_complaint("sed: can't read x.go: No such file or directory"));
        assert!(is_complaint("cat: b.py: Permission denied"));
        assert!(!is_complaint("        raise Error(\"x: not found\")"));
        assert!(!is_complaint("return errors.New(\"cannot: no\")"));
    }
}
