//! What a tool says around a program's output: how the program ended, and what it printed.

use std::borrow::Cow;

use memchr::memmem;
use serde_json::Value;

/// How a program ended, as far as its tool says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// With this exit code.
    Exited(i64),
    /// It did not end yet; later calls name it so.
    Running(Option<String>),
    /// It was stopped because it took too long.
    TimedOut,
    /// Nobody knows, for this reason.
    Lost(&'static str),
    /// The tool says nothing of it.
    Unsaid,
}

/// An output without what the tool says around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame<'text> {
    pub(super) state: State,
    pub(super) body: Cow<'text, str>,
}

/// What tools say in front of an output is no longer than this.
const HEAD: usize = 1_000;
/// Lines at the end in which tools say something.
const LAST: usize = 6;
const INTERRUPTED: &str = "it was interrupted";

impl<'text> Frame<'text> {
    pub(super) fn read(text: &'text str) -> Frame<'text> {
        let text = text.trim_start_matches(['\n', '\r']);
        in_json(text)
            .or_else(|| in_tags(text))
            .or_else(|| behind_header(text))
            .or_else(|| behind_first_line(text))
            .or_else(|| before_last_lines(text))
            .unwrap_or(Frame { state: State::Unsaid, body: text.into() })
    }
}

/// `{"output": "…", "exit_code": 0}`
fn in_json(text: &str) -> Option<Frame<'_>> {
    const CODES: [&str; 4] = ["exit_code", "exitCode", "returncode", "return_code"];
    let text = text.trim();
    if !text.starts_with('{') || !text.ends_with('}') {
        return None;
    }
    let bytes = text.as_bytes();
    let says = |part: &[u8]| CODES.iter().any(|code| memmem::find(part, code.as_bytes()).is_some());
    if !says(bytes.get(..bytes.len().min(HEAD))?) && !says(bytes.get(bytes.len().saturating_sub(HEAD)..)?) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let code_in = |value: &Value| CODES.iter().find_map(|code| value.get(code).and_then(Value::as_i64));
    let code = code_in(&value).or_else(|| value.get("metadata").and_then(code_in))?;
    let parts = ["output", "stdout", "stderr", "error"].iter().filter_map(|key| value.get(key).and_then(Value::as_str));
    let body = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
    Some(Frame { state: State::Exited(code), body: body.into() })
}

/// `<status>completed</status> <exit_code>0</exit_code> <output>…</output>`
fn in_tags(text: &str) -> Option<Frame<'_>> {
    if !["<retrieval_status>", "<status>", "<returncode>", "<task_id>"].iter().any(|tag| text.starts_with(tag)) {
        return None;
    }
    let (head, body) = ["<output>", "<stdout>"].iter().find_map(|tag| text.split_once(tag)).unwrap_or((text, ""));
    let between = |open: &str, close: &str| Some(head.split_once(open)?.1.split_once(close)?.0.trim());
    let code = between("<exit_code>", "</exit_code>").or_else(|| between("<returncode>", "</returncode>"));
    let state = match (code.and_then(|code| code.parse().ok()), between("<status>", "</status>")) {
        (Some(code), _) => State::Exited(code),
        (None, Some("running")) => State::Running(None),
        (None, Some("killed" | "stopped")) => State::Lost("it was stopped"),
        (None, Some(_) | None) => State::Unsaid,
    };
    let body = body.trim_end();
    let body = ["</output>", "</stdout>"].iter().find_map(|tag| body.strip_suffix(tag)).unwrap_or(body);
    Some(Frame { state, body: body.trim_start_matches('\n').into() })
}

/// Lines about the run, then `Output:`.
fn behind_header(text: &str) -> Option<Frame<'_>> {
    const OUTPUT: &str = "\nOutput:";
    let end = memmem::find(text.as_bytes().get(..text.len().min(HEAD))?, OUTPUT.as_bytes())?;
    let (head, rest) = (text.get(..end)?, text.get(end + OUTPUT.len()..)?);
    if let Some(state) = head.lines().find_map(state_in_header) {
        return Some(Frame { state, body: rest.strip_prefix('\n').unwrap_or(rest).into() });
    }
    // Others say it behind the output.
    text.starts_with("Command: ").then(|| before_last_lines(rest.trim_start())).flatten()
}

fn state_in_header(line: &str) -> Option<State> {
    let line = line.trim();
    if let Some(id) = line.strip_prefix("Process running with session ID ") {
        return Some(State::Running(Some(id.trim().to_owned())));
    }
    let code =
        ["Process exited with code ", "Exit code: ", "Exit code "].iter().find_map(|said| line.strip_prefix(said));
    code.and_then(|code| code.parse().ok()).map(State::Exited)
}

fn behind_first_line(text: &str) -> Option<Frame<'_>> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim();
    let opens = |openings: &[&str]| openings.iter().any(|opening| first.starts_with(opening));
    let state = match state_in_header(first) {
        Some(state) => state,
        None if opens(&[
            "Command running in background",
            "Command did not complete within",
            "The command is still running",
        ]) =>
        {
            let id = first.split_once("with ID: ").map(|(_, id)| {
                id.split(|c: char| c.is_whitespace() || c == ',')
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches('.')
                    .to_owned()
            });
            State::Running(id)
        }
        None if opens(&["[Request interrupted", "Command was aborted", "<error>Command was aborted"]) => {
            State::Lost(INTERRUPTED)
        }
        None if opens(&["[Old tool result", "[Tool result cleared", "[Old tool output"]) => {
            State::Lost("its output was cleared")
        }
        None if opens(&["Command timed out", "Error: Command timed out"]) => State::TimedOut,
        None => return None,
    };
    let body = if matches!(state, State::Exited(_)) { rest } else { text };
    Some(Frame { state, body: body.into() })
}

fn before_last_lines(text: &str) -> Option<Frame<'_>> {
    let mut end = text.len();
    for line in text.trim_end().rsplit('\n').take(LAST) {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        end = end.min(start);
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        if let Some(state) = state_in_last_line(line) {
            return Some(Frame { state, body: text.get(..end).unwrap_or(text).into() });
        }
        // Only what tools say may stand between it and the end.
        let is_framed = line.starts_with(['[', '<']) || line.contains(": ") && line.len() < 60;
        if !is_framed {
            break;
        }
    }
    None
}

/// A whole line that no program would print last.
fn state_in_last_line(line: &str) -> Option<State> {
    if line.starts_with("<command with shellId:") && line.contains("still running")
        || line.starts_with("[Command is still running")
    {
        let id = line.split_once("shellId: ").and_then(|(_, id)| id.split_whitespace().next()).map(str::to_owned);
        return Some(State::Running(id));
    }
    if line.starts_with("Command timed out after ") || line.contains("terminated command after exceeding timeout") {
        return Some(State::TimedOut);
    }
    if line == "Command aborted"
        || line.starts_with("[Request interrupted by user")
        || line.ends_with("aborted the command")
    {
        return Some(State::Lost(INTERRUPTED));
    }
    let framed = line.starts_with(['<', '[']);
    let inner = line.trim_matches(['<', '>', '[', ']', '.']);
    let (before, code) = inner.rsplit_once(' ')?;
    let code = code.trim_end_matches('.').parse().ok()?;
    let before = before.trim_end_matches(':');
    let said = before == "Command exited with code"
        || before == "Exit Code"
        || framed
            && (before.ends_with("exit code") || before.ends_with("Exit code") || before.ends_with("exited with code"));
    said.then_some(State::Exited(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, state: State, body: &str) {
        assert_eq!(Frame::read(text), Frame { state, body: body.into() }, "{text}");
    }

    #[test]
    fn tools_say_how_it_ended_in_many_ways() {
        check("Exit code 2\nmake: no", State::Exited(2), "make: no");
        check("Chunk ID: 1\nProcess exited with code 0\nOriginal token count: 3\nOutput:\nhi", State::Exited(0), "hi");
        check("Exit code: 0\nWall time: 1 seconds\nOutput:\nhi", State::Exited(0), "hi");
        check("hi\n\nCommand exited with code 3", State::Exited(3), "hi\n\n");
        check("hi\n<shellId: 0 completed with exit code 0>", State::Exited(0), "hi\n");
        check(
            "hi\n[Current working directory: /w]\n[The command completed with exit code 1.]",
            State::Exited(1),
            "hi\n[Current working directory: /w]\n",
        );
        check(
            "Command: make\nDirectory: x\nOutput: hi\nError: (none)\nExit Code: 2\nSignal: (none)",
            State::Exited(2),
            "hi\nError: (none)\n",
        );
        check(r#"{"output": "a\nb", "exit_code": 1, "error": null}"#, State::Exited(1), "a\nb");
        check(
            "<retrieval_status>success</retrieval_status>\n<status>completed</status>\n<exit_code>0</exit_code>\n<output>\nok\n</output>",
            State::Exited(0),
            "ok\n",
        );
        check("<returncode>1</returncode>\n<output>\nno\n</output>", State::Exited(1), "no\n");
    }

    #[test]
    fn what_did_not_end_has_no_outcome() {
        check(
            "Chunk ID: 1\nProcess running with session ID 95492\nOutput:\n",
            State::Running(Some("95492".into())),
            "",
        );
        let text = "Command running in background with ID: b50b67f. Output is being written to: x.output";
        check(text, State::Running(Some("b50b67f".into())), text);
        check("<status>running</status>\n<stdout>\n</stdout>", State::Running(None), "");
        check(
            "[Request interrupted by user for tool use]",
            State::Lost(INTERRUPTED),
            "[Request interrupted by user for tool use]",
        );
        check("Command timed out after 2m 0s", State::TimedOut, "Command timed out after 2m 0s");
    }

    #[test]
    fn what_a_program_prints_is_not_what_its_tool_says() {
        for text in [
            "note: the runner returns exit code 0 for warnings\ntest result: FAILED. 3 passed; 1 failed",
            "E2E\tError: timeout\n##[error]Process completed with exit code 1.",
            "a\nexit code 1\nb",
            "{\"a\": \"exit_code\"}",
            "",
        ] {
            check(text, State::Unsaid, text);
        }
    }
}
