//! What a program of the command says of itself in the midst of what it shows: `sed: read error on b.rs: Is a directory`.

use super::super::reading::Finding;
use super::{error_word, severity};

/// A program's name is not longer, with its directory.
const NAME_CHARS: usize = 60;
/// Longer lines are no messages.
const LINE_CHARS: usize = 400;
/// Longer arguments hold a file: its words name no programs.
const LONGEST_COMMAND: usize = 10_000;
/// Words of a message; fewer are a key and its value.
const FEWEST_WORDS: usize = 3;

/// Programs that show, find and fetch things, and the shells that start them.
const KNOWN: &[&str] = &[
    "awk", "base64", "bash", "bat", "bzip2", "cat", "cd", "chmod", "chown", "cmp", "comm", "cp", "curl", "cut", "dash",
    "date", "dd", "df", "diff", "dig", "du", "env", "fatal", "fd", "fdfind", "file", "find", "fish", "gawk", "git",
    "grep", "egrep", "fgrep", "gunzip", "gzip", "head", "jq", "kill", "ksh", "less", "ln", "ls", "lsof", "mawk",
    "mkdir", "more", "mv", "nl", "od", "paste", "perl", "ps", "readlink", "realpath", "rg", "rm", "rmdir", "rsync",
    "scp", "sed", "sh", "sort", "ssh", "stat", "strings", "sudo", "tac", "tail", "tar", "tee", "timeout", "touch",
    "tr", "tree", "uniq", "unzip", "wc", "wget", "which", "xargs", "xxd", "yq", "zcat", "zip", "zsh",
];

/// How the system says what went wrong, where no other word does.
const REASONS: &[&str] = &[
    "s a directory",
    "ot a directory",
    "nvalid ",
    "llegal ",
    "nrecognized ",
    "nknown ",
    "nput/output",
    "oo many ",
    "oo long",
    "missing ",
    "busy",
    "not a ",
    "unexpected ",
    "does not exist",
    "did not ",
    "omitting ",
    "skipp",
    "inary file",
    "truncated",
    "omitted",
    "stale ",
    "changed as we read",
    "removing leading",
    "unterminated ",
    "is required",
    "interrupted",
    "terminated",
];

/// What a line reports if a program says there, at the left margin, that something went wrong: one that the `command`
/// names, a shell, or one that shows and finds files. `command` may be the arguments of a call as they are.
pub fn tool_message(line: &str, command: &str) -> Option<Finding> {
    if let Some(status) = line.strip_prefix("HTTP/") {
        // The first line of an answer: `HTTP/1.1 503 Service Unavailable`.
        let failed = status.split(' ').nth(1).is_some_and(|code| code.len() == 3 && code.starts_with(['4', '5']));
        return failed.then_some(Finding::Error);
    }
    let (name, message) = line.get(..LINE_CHARS).unwrap_or(line).split_once(": ")?;
    let name = name.strip_prefix('-').unwrap_or(name);
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    if name.is_empty() || name.len() > NAME_CHARS || line.len() > LINE_CHARS || !name.chars().all(in_name) {
        return None;
    }
    let program = name.rsplit('/').next().unwrap_or(name);
    if message.split_whitespace().take(FEWEST_WORDS).count() < FEWEST_WORDS {
        return None;
    }
    let complains = error_word(message).is_some() || REASONS.iter().any(|reason| message.contains(reason));
    let known = KNOWN.contains(&program);
    let named = || command.len() < LONGEST_COMMAND && names(command, program);
    let complains = complains || (program == "curl" && message.starts_with('('));
    let says = (complains && (known || named() || at_line(message))) || (known && named() && !is_value(message));
    says.then(|| severity(message).unwrap_or(Finding::Error))
}

/// `./run.sh: line 3: foo: command not found`
fn at_line(message: &str) -> bool {
    let number = message.strip_prefix("line ").unwrap_or_default();
    let digits = number.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && number.get(digits..).is_some_and(|rest| rest.starts_with(": "))
}

/// What stands behind a key of a configuration or a field of a report, not a message.
fn is_value(message: &str) -> bool {
    message.starts_with(['"', '\'', '[', '{', '|', '>', '&', '*', '#', '$']) || message.ends_with([',', ';', '{', '['])
}

/// Whether a word of the command is this program.
fn names(command: &str, program: &str) -> bool {
    let whole = |byte: Option<&u8>| byte.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"_-.".contains(byte));
    let bytes = command.as_bytes();
    memchr::memmem::find_iter(bytes, program.as_bytes())
        .any(|at| whole(at.checked_sub(1).and_then(|before| bytes.get(before))) && whole(bytes.get(at + program.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, line: &str, expected: Option<Finding>) {
        assert_eq!(tool_message(line, command), expected, "{line}");
    }

    #[test]
    fn a_program_of_the_command_says_what_went_wrong() {
        let command = r#"{"command":"cat a.rs lib && tool-x --all"}"#;
        for line in [
            "cat: lib: Is a directory",
            "tool-x: cannot open the index",
            "/usr/bin/tool-x: unexpected end of input",
            "bash: tool-y: command not found",
            "-bash: line 1: tool-y: command not found",
            "/bin/sh: 1: tool-y: not found",
            "./build.sh: line 12: tool-y: command not found",
            "find: ‘/root’: Permission denied",
            "rg: lib/x: No such file or directory (os error 2)",
            "fatal: not a git repository (or any of the parent directories): .git",
            "cat: the file has changed on disk",
        ] {
            check(command, line, Some(Finding::Error));
        }
        check("curl -i x", "HTTP/1.1 503 Service Unavailable", Some(Finding::Error));
        check("curl -i x", "HTTP/2 200 ", None);
        check("tar cf x.tar .", "tar: ./app.log: file changed as we read it", Some(Finding::Error));
        check("sort x", "sort: warning: input is not sorted", Some(Finding::Warning));
    }

    #[test]
    fn other_lines_are_none() {
        for line in [
            "",
            "cat",
            "cat: ",
            "cat: true",
            "  cat: a: No such file or directory",
            "// cat: a: No such file or directory",
            "grep: \"how to find a word that is missing\",",
            "sort: by the name of the customer",
            "error handling: cannot be done here",
            "other-x: cannot open the index",
            "http://cat: a missing thing",
        ] {
            check("cat a.rs", line, None);
        }
    }
}
