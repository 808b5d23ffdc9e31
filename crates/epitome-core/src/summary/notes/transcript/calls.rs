//! What calls did, and how they ended.

use serde_json::Value;

use super::{Reader, one_line};
use crate::arguments::{self, CallKind, PATH_KEYS};
use crate::lines::lines_with;
use crate::model::{ToolCall, ToolResult};
use crate::outputs::cut_to_chars;
use crate::summary::notes::asked::Who;
use crate::summary::notes::commands::{self, End, Outcome};
use crate::summary::notes::shell::Script;
use crate::summary::notes::{LATER, SALIENT, files, todo};
use crate::summary::reach::ends_of;
use crate::summary::template::Section;

/// Names under which tools take a shell command.
pub(super) const COMMAND_KEYS: &[&str] = &["command", "cmd", "script"];
/// What an editor that keeps a file open is told to do.
const LINE_EDITOR: &[&str] = &["open", "create", "edit"];
/// How a refusal by the person reads, and where their words begin in it.
const REFUSED: &str = "The user doesn't want to proceed";
const USER_SAID: &str = "the user said:";
/// In the names of tools that follow a program that runs.
const FOLLOWING: &[&str] = &[
    "stdin",
    "bashoutput",
    "bash_output",
    "taskoutput",
    "task_output",
    "read_bash",
    "write_bash",
    "shell_output",
    "agentoutput",
];
/// Names under which they take which one.
const RUN_KEYS: &[&str] = &["session_id", "bash_id", "shell_id", "shellId", "task_id", "process_id", "sessionId", "id"];
/// How a harness says that a program has ended.
pub(super) const NOTIFICATION: &str = "<task-notification>";
const USER_ANSWERED: &str = "- the user answered: ";
const USER_REFUSED: &str = "- the user refused: ";

/// What a tool is for, as far as its name tells.
#[derive(Clone, Copy)]
pub(super) struct Tool {
    pub(super) kind: CallKind,
    keeps_tasks: bool,
    /// It names where it looked, which is not what it read.
    searches: bool,
    /// It asks the person.
    asks: bool,
    /// It types into a program that runs, or asks how it goes on.
    pub(super) follows: bool,
}

impl Tool {
    fn of(name: &str) -> Tool {
        let name = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        Tool {
            kind: CallKind::of(&name),
            keeps_tasks: todo::keeps_tasks(&name),
            searches: has(&["grep", "glob", "search", "find", "list", "ls"]),
            asks: has(&["question", "ask_user"]),
            follows: has(FOLLOWING),
        }
    }
}

/// A program that had not ended.
pub(super) struct Running {
    pub(super) name: String,
    pub(super) script: Script,
}

impl Reader<'_, '_> {
    /// What the tool of a call is for, found out once.
    pub(super) fn tool(&mut self, call: &ToolCall) -> Tool {
        *self.tools.entry(call.name.clone()).or_insert_with(|| Tool::of(&call.name))
    }

    /// A call, and what is read of its output.
    pub(super) fn read_call(&mut self, call: &ToolCall, text: &str, is_error: bool) {
        self.commands.tick();
        self.files.at(self.commands.calls());
        let Tool { kind, keeps_tasks, searches, asks, follows } = self.tool(call);
        if keeps_tasks {
            return self.tasks.note(call, text);
        }
        if text.starts_with(REFUSED) {
            return self.read_refusal(call, text);
        }
        if asks {
            return self.notes.add(Section::Decisions, SALIENT, format!("{USER_ANSWERED}{}", one_line(text, 400)));
        }
        // How a program goes on is no step of its own.
        if follows {
            return self.follow(&followed(&call.arguments).unwrap_or_default(), text, is_error);
        }
        let path = || arguments::string_argument(&call.arguments, PATH_KEYS);
        if LINE_EDITOR.contains(&&*call.name) && path().is_none() && self.read_line_editor(call, text, is_error) {
            return;
        }
        match kind {
            CallKind::Reads => {
                if !searches && !Outcome::is_failure(text, is_error) {
                    self.files.note(call, kind, "");
                }
                // A source file that speaks of errors has not failed; a log that does says so in capitals.
                for line in lines_with(text, &[" ERROR ", " FATAL ", " CRITICAL "], 3) {
                    self.notes.add(Section::Critical, LATER, format!("- {}", cut_to_chars(line.trim(), 240)));
                }
            }
            CallKind::Writes => {
                let path = path();
                if path.is_none() && !call.arguments.contains("*** Begin Patch") {
                    return self.read_run(call, kind, text, is_error);
                }
                let outcome = Outcome::of_call(text, is_error);
                if outcome.is_done() {
                    self.files.note(call, kind, text);
                }
                self.commands.note_edit(path.as_deref().unwrap_or("files with a patch"), &outcome);
            }
            CallKind::Runs => self.read_run(call, kind, text, is_error),
        }
    }

    /// A call that is too old to be told, unless it left something behind: a file, a commit, an answer.
    pub(super) fn read_old_call(&mut self, call: &ToolCall, result: &ToolResult) {
        let tool = self.tool(call);
        let speaks = tool.keeps_tasks || tool.asks || tool.follows;
        let script = || arguments::string_argument(&call.arguments, COMMAND_KEYS).map(|command| Script::read(&command));
        let (leaves_nothing, is_step) = match tool.kind {
            CallKind::Reads => (true, false),
            CallKind::Writes => (false, true),
            CallKind::Runs => match script() {
                Some(script) => (script.leaves_nothing(), !script.only_looks()),
                None => (true, true),
            },
        };
        if leaves_nothing && !speaks && !result.text().starts_with(REFUSED) {
            self.commands.tick();
            self.notes.left_out += usize::from(is_step);
            return;
        }
        self.read_call(call, &ends_of(result.text()), result.is_error);
    }

    /// An editor that keeps a file open: `open a.py`, `edit 3:4`. Says whether the call is one of its.
    pub(super) fn read_line_editor(&mut self, call: &ToolCall, text: &str, is_error: bool) -> bool {
        let verb = &*call.name;
        let command = arguments::string_argument(&call.arguments, COMMAND_KEYS);
        let command =
            command.as_deref().and_then(|command| command.trim_start().strip_prefix(verb)).unwrap_or_default();
        let (first, rest) = command.split_once('\n').unwrap_or((command, ""));
        let named = first.split_whitespace().next().map(str::to_owned);
        // `[File: /w/a.py (10 lines total)]`
        let shown =
            text.split_once("[File: ").and_then(|(_, path)| path.split_once(" (")).map(|(path, _)| path.to_owned());
        let outcome = Outcome::of_call(text, is_error);
        let path = if verb == "edit" { shown.or_else(|| self.open_file.clone()) } else { shown.or(named) };
        let Some(path) = path.filter(|path| !path.contains('\n')) else { return false };
        if outcome.is_done() {
            match verb {
                "open" => self.files.opened(&path),
                "create" => self.files.created(&path),
                _ => {
                    let line = rest.lines().map(str::trim).find(|line| !line.is_empty() && *line != "end_of_edit");
                    let change = line.map(files::tidy).or_else(|| files::changed(&call.arguments));
                    self.files.edited(&path, change);
                }
            }
            self.open_file = Some(path.clone());
        }
        if verb != "open" {
            self.commands.note_edit(&path, &outcome);
        }
        true
    }

    pub(super) fn read_run(&mut self, call: &ToolCall, kind: CallKind, text: &str, is_error: bool) {
        let Some(command) = arguments::string_argument(&call.arguments, COMMAND_KEYS) else {
            let name = arguments::describe(&call.name, &call.arguments, 100).replace('`', "'");
            let rank = if kind == CallKind::Writes { SALIENT } else { LATER };
            let outcome = Outcome::of_call(text, is_error);
            if outcome.is_done() {
                self.files.note(call, kind, text);
            }
            return self.commands.note(&name, rank, &outcome);
        };
        let script = Script::read(&command);
        if script.only_looks() {
            return;
        }
        let outcome = Outcome::of_command(&script, text, is_error);
        self.read_effects(&script, &outcome);
        if script.only_arranges_files() && !outcome.failed() {
            return;
        }
        let name = commands::named(&command);
        self.commands.note(&name, commands::rank(&script, &name), &outcome);
        if let Some(id) = outcome.runs_as {
            self.running.insert(id, Running { name, script });
        }
    }

    pub(super) fn read_effects(&mut self, script: &Script, outcome: &Outcome) {
        if outcome.is_done() {
            script.effects().into_iter().for_each(|effect| self.files.apply(effect));
            if script.records() {
                self.files.recorded();
            }
        }
        match outcome.end {
            End::Well if script.tests() => self.files.tested(true),
            End::Failed if script.tests() => self.files.tested(false),
            End::Well | End::Failed | End::Unsaid | End::NotKnown => {}
        }
    }

    /// How a program went on that had not ended.
    pub(super) fn follow(&mut self, id: &str, text: &str, is_error: bool) {
        let Some(running) = self.running.remove(id) else { return };
        let outcome = Outcome::of_command(&running.script, text, is_error);
        self.read_effects(&running.script, &outcome);
        self.commands.learn(&running.name, &outcome);
        if outcome.end == End::NotKnown {
            self.running.insert(id.to_owned(), running);
        }
    }

    /// `<task-id>b1</task-id> … <summary>… completed (exit code 0)</summary>`
    pub(super) fn read_notification(&mut self, text: &str) {
        let between = |open: &str, close: &str| Some(text.split_once(open)?.1.split_once(close)?.0.trim());
        let code =
            text.rsplit_once("exit code ").and_then(|(_, code)| code.split(|c: char| !c.is_ascii_digit()).next());
        if let (Some(id), Some(code)) = (between("<task-id>", "</task-id>"), code.filter(|code| !code.is_empty())) {
            self.follow(id, &format!("Exit code {code}\n"), false);
        }
    }

    /// A person refused a call, and perhaps said why: that is a request too.
    pub(super) fn read_refusal(&mut self, call: &ToolCall, text: &str) {
        let named = arguments::describe(&call.name, &call.arguments, 100);
        self.notes.add(Section::Decisions, SALIENT, format!("{USER_REFUSED}{named}"));
        if let Some((_, words)) = text.split_once(USER_SAID) {
            self.read_demands(words.trim());
            self.notes.asked.add(Who::Person, words);
        }
    }
}

/// Which program a call follows.
pub(super) fn followed(arguments: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let id = RUN_KEYS.iter().find_map(|key| arguments.get(key))?;
    id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string()))
}
