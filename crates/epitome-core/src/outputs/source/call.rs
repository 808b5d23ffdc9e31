//! What a call says of the file that it shows: its path, and the number of its first line.

use serde_json::Value;

use super::language::{Named, by_path};
use crate::outputs::ToolOutput;

/// The file that a call shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Its path; empty if it is not known.
    pub path: String,
    /// The number of the first line; `None` where several files or parts are shown.
    pub first: Option<usize>,
    /// The call does nothing but show files.
    pub only_shows: bool,
    /// A file of settings was printed beside others.
    pub with_settings: bool,
}

/// Arguments that hold a path.
const PATHS: &[&str] =
    &["file_path", "filePath", "path", "filename", "file", "target_file", "absolute_path", "relative_path", "uri"];
/// Arguments that hold a command line.
const COMMANDS: &[&str] = &["command", "cmd", "script", "commands"];
/// Arguments that hold the number of the first line.
const FIRSTS: &[&str] =
    &["offset", "start_line", "startLine", "line_start", "start", "from_line", "view_range", "start_line_one_indexed"];
/// Commands that show files as they are.
const SHOWING: &[&str] = &[
    "cat",
    "sed",
    "nl",
    "head",
    "tail",
    "bat",
    "awk",
    "less",
    "more",
    "type",
    "Get-Content",
    "gc",
    "git",
    "cd",
    "echo",
    "printf",
    "true",
    "wc",
    "pwd",
    "export",
];

/// What the arguments of a call say.
pub fn shown(output: &ToolOutput) -> Shown {
    let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(&output.arguments) else {
        return Shown::default();
    };
    let text = |keys: &[&str]| keys.iter().find_map(|key| arguments.get(*key)).map(words);
    if let Some(command) = text(COMMANDS).filter(|command| !command.is_empty()) {
        return by_command(&command);
    }
    let first = FIRSTS.iter().find_map(|key| arguments.get(*key)).and_then(|value| match value {
        Value::Array(range) => range.first().and_then(Value::as_u64),
        Value::String(number) => number.parse().ok(),
        Value::Number(_) | Value::Null | Value::Bool(_) | Value::Object(_) => value.as_u64(),
    });
    let path = text(PATHS).unwrap_or_default();
    // Searches and edits take a path too; they have a pattern or a new text beside it.
    let only_shows = !path.is_empty()
        && !["pattern", "regex", "query", "old_string", "oldText", "content"]
            .iter()
            .any(|key| arguments.contains_key(*key));
    let first = first.map_or(1, |first| usize::try_from(first).unwrap_or(1).max(1));
    Shown { path, first: Some(first), only_shows, with_settings: false }
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

fn by_command(command: &str) -> Shown {
    let mut shown = Shown { only_shows: true, ..Shown::default() };
    let (mut paths, mut parts): (Vec<&str>, Vec<usize>) = (Vec::new(), Vec::new());
    for step in command.split(['|', ';', '&', '\n']).map(str::trim).filter(|step| !step.is_empty()) {
        let mut words = step.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        let program = words.next().unwrap_or_default();
        let program = program.rsplit('/').next().unwrap_or(program);
        let git_shows = program != "git" || step.contains("git show ") || step.contains("git cat-file ");
        shown.only_shows &= SHOWING.contains(&program) && git_shows && !step.contains("<<");
        for word in words {
            if let Some(first) = first_of_range(word) {
                parts.push(first);
            } else if !matches!(by_path(word), Named::Nothing) && !paths.contains(&word) && !word.starts_with('-') {
                paths.push(word);
            }
        }
    }
    shown.first = match (paths.len(), parts.as_slice()) {
        (0 | 1, []) => Some(1),
        (0 | 1, [first]) => Some(*first),
        _ => None,
    };
    let named = |path: &&&str| matches!(by_path(path), Named::Code(_));
    let settings = |path: &&str| path.ends_with(".yaml") || path.ends_with(".yml");
    shown.with_settings = paths.len() > 1 && paths.iter().any(settings);
    shown.path = paths.iter().find(named).or(paths.first()).map(|path| (*path).to_owned()).unwrap_or_default();
    shown
}

/// `1,200p`, `+40` (of `tail -n`), `NR>=7`.
fn first_of_range(word: &str) -> Option<usize> {
    let number = |text: &str| text.parse::<usize>().ok();
    if let Some((first, last)) = word.split_once(',') {
        let closed = last.strip_suffix('p').is_some_and(|last| last == "$" || number(last).is_some());
        return number(first).filter(|_| closed);
    }
    word.strip_prefix('+').or_else(|| word.strip_prefix("NR>=")).and_then(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::output;

    #[track_caller]
    fn check(command: &str, path: &str, first: Option<usize>, only_shows: bool) {
        let found = shown(&output(command, ""));
        let expected = Shown { path: path.into(), first, only_shows, with_settings: found.with_settings };
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn a_command_names_the_file_and_its_first_line() {
        check("sed -n '120,200p' a/b.go", "a/b.go", Some(120), true);
        check("cd x && cat y.py", "y.py", Some(1), true);
        check("nl -ba x.ts | sed -n '7,9p'", "x.ts", Some(7), true);
        check("git show HEAD:src/x.rs", "HEAD:src/x.rs", Some(1), true);
        check("awk 'NR>=15 && NR<=20' x.go", "x.go", Some(15), false);
    }

    #[test]
    fn several_parts_have_no_first_line() {
        check("sed -n '1,9p' a.go; sed -n '40,60p' a.go", "a.go", None, true);
        check("cat a.go b.go", "a.go", None, true);
    }

    #[test]
    fn a_search_does_not_only_show() {
        check("grep -n foo src/x.rs", "src/x.rs", Some(1), false);
        check("go test ./x.go", "./x.go", Some(1), false);
    }

    #[test]
    fn arguments_name_the_file_too() {
        let of = |arguments: &str| shown(&ToolOutput { arguments: arguments.into(), ..output("", "") });
        assert_eq!(
            of(r#"{"file_path":"/a.rs","offset":40}"#),
            Shown { path: "/a.rs".into(), first: Some(40), only_shows: true, with_settings: false }
        );
        assert_eq!(of(r#"{"path":"a.go","view_range":[5,9]}"#).first, Some(5));
        assert!(!of(r#"{"path":"src","pattern":"x"}"#).only_shows);
        assert_eq!(of("no object"), Shown::default());
    }
}
