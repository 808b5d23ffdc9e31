//! Reads a transcript, and the summary before it, into notes.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::asked::Who;
use super::commands::{self, Commands, End, Outcome};
use super::files::{self, FileTrails};
use super::shell::Script;
use super::statements::{self, About, WEIGHTY};
use super::todo::{self, State, Tasks};
use super::{ELSEWHERE, FIRST, FOCUS, LAST_ELSEWHERE, LATER, Notes, SAID, SALIENT, is_excerpt, read_other_steps};
use crate::arguments::{self, CallKind, PATH_KEYS};
use crate::lines::lines_with;
use crate::model::{Block, Message, Role, ToolCall, ToolResult};
use crate::outputs::{Interest, cut_to_chars};
use crate::summary::requests::{self, Demand};
use crate::summary::template::{STANDING, Section, Sections, unfence};
use crate::summary::{NewestRequest, SummaryRequest};

/// Names under which tools take a shell command.
const COMMAND_KEYS: &[&str] = &["command", "cmd", "script"];
/// How a refusal by the person reads, and where their words begin in it.
const REFUSED: &str = "The user doesn't want to proceed";
const USER_SAID: &str = "the user said:";
/// An answer or the last words are told in so many characters.
const ANSWER_CHARS: usize = 320;
const SAID_CHARS: usize = 160;
const LAST_WORDS_CHARS: usize = 420;
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
const NOTIFICATION: &str = "<task-notification>";
/// What comes next, at most so many sentences of the last words.
const AHEAD: usize = 6;

/// A demand, with the sentence before it.
const DEMAND_CHARS: usize = 800;

const ANSWERED: &str = "- answered: ";
const SAID_OPENING: &str = "- said: ";
const WORKED_ON: &str = "- worked on: ";
const LAST_WORDS: &str = "- last words: ";
const USER_ANSWERED: &str = "- the user answered: ";
const USER_REFUSED: &str = "- the user refused: ";
const USER_NAMED: &str = "- the user named: ";

/// What the agent's words are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// They end a turn.
    Answers,
    /// They go with a call.
    Says,
    /// They are the last ones.
    InProgress,
}

/// What a tool is for, as far as its name tells.
#[derive(Clone, Copy)]
struct Tool {
    kind: CallKind,
    /// It names where it looked, which is not what it read.
    searches: bool,
    /// It asks the person.
    asks: bool,
    /// It types into a program that runs, or asks how it goes on.
    follows: bool,
}

impl Tool {
    fn of(name: &str) -> Tool {
        let name = name.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
        Tool {
            kind: CallKind::of(&name),
            searches: has(&["grep", "glob", "search", "find", "list", "ls"]),
            asks: has(&["question", "ask_user"]),
            follows: has(FOLLOWING),
        }
    }
}

/// A program that had not ended.
struct Running {
    name: String,
    script: Script,
}

/// What a call in the messages that stay is about.
enum Tried {
    Command(Running),
    Edit(String),
    /// A program that runs, by its name.
    Followed(String),
}

/// Reads in order, so that what comes later overtakes what came before.
pub(super) struct Reader<'a, 'counter> {
    notes: &'a mut Notes<'counter>,
    request: &'a SummaryRequest,
    focus: Interest,
    files: FileTrails,
    commands: Commands,
    tasks: Tasks,
    tools: HashMap<Arc<str>, Tool>,
    /// The file that an editor of lines has open.
    open_file: Option<String>,
    /// Programs that had not ended, by the name under which they are followed.
    running: HashMap<String, Running>,
    /// Next steps of the earlier summary: obsolete as soon as others are named.
    steps_before: Vec<String>,
}

impl<'a, 'counter> Reader<'a, 'counter> {
    pub(super) fn new(notes: &'a mut Notes<'counter>, request: &'a SummaryRequest) -> Reader<'a, 'counter> {
        Reader {
            notes,
            request,
            focus: request.focus.as_deref().map(Interest::in_text).unwrap_or_default(),
            files: FileTrails::default(),
            commands: Commands::default(),
            tasks: Tasks::default(),
            tools: HashMap::new(),
            open_file: None,
            running: HashMap::new(),
            steps_before: Vec::new(),
        }
    }

    pub(super) fn read(mut self) {
        let request = self.request;
        if let Some(previous) = &request.previous {
            self.carry_over(&Sections::read(previous));
        }
        let last_words = self.last_words();
        let mut calls: HashMap<&str, &ToolCall> = HashMap::new();
        let mut before: Option<&Message> = None;
        for message in &request.messages {
            self.read_request(message, before.replace(message).is_some_and(requests::is_command));
            if message.role == Role::Assistant {
                // Words without calls end a turn: they are the answer.
                let standing = if message.calls().next().is_none() { Standing::Answers } else { Standing::Says };
                for text in message.texts() {
                    let is_last = last_words.is_some_and(|last| Arc::ptr_eq(last, text));
                    self.read_words(text, if is_last { Standing::InProgress } else { standing });
                }
            }
            self.read_media(message);
            for block in &message.blocks {
                match block {
                    Block::ToolCall(call) => {
                        calls.insert(&call.id, call);
                    }
                    Block::ToolResult(result) => {
                        self.read_for_focus(result);
                        if let Some(call) = calls.remove(&*result.call_id) {
                            self.read_call(call, result);
                        }
                    }
                    Block::Text(_) | Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => {}
                }
            }
        }
        self.look_at_what_stays();
        self.notes.ask_newest(request);
        self.close(last_words);
    }

    /// The agent's last words, if what they are about may still be going on.
    fn last_words(&self) -> Option<&'a Arc<str>> {
        if matches!(self.request.newest_request, NewestRequest::Goes { answered: Some(_), .. }) {
            return None;
        }
        let said = self.request.messages.iter().rev().filter(|message| message.role == Role::Assistant);
        said.filter_map(|message| message.texts().last()).find(|text| !text.trim().is_empty())
    }

    /// What the last summary said (M12). What was in progress then has been worked on since.
    fn carry_over(&mut self, previous: &Sections) {
        for section in Section::ALL {
            for item in previous.get(section) {
                match section {
                    Section::Goal => self.carry_over_goal(item),
                    Section::Constraints => self.notes.add(section, SALIENT, item.clone()),
                    Section::Done => self.carry_over_done(item),
                    Section::InProgress => self.carry_over_progress(item),
                    Section::Blocked if self.commands.carry_over(item, LATER) => {}
                    Section::Blocked => self.notes.add(section, LATER, item.clone()),
                    Section::Decisions => self.notes.add(section, rank_of(item), item.clone()),
                    Section::Files => self.files.carry_over(item),
                    Section::NextSteps if self.tasks.carry_over(item, State::Open) => {}
                    // What was about to be done is done, or was given up.
                    Section::NextSteps if statements::intends(item) => {}
                    Section::NextSteps => self.steps_before.push(item.clone()),
                    Section::Critical if is_excerpt(item) => {}
                    Section::Critical => self.notes.add(section, LATER, item.clone()),
                }
            }
        }
    }

    fn carry_over_goal(&mut self, item: &str) {
        let in_previous = self.request.newest_request == NewestRequest::InPrevious;
        if let (true, Some(newest)) = (in_previous, unfence(item)) {
            self.notes.newest = Some(newest.to_owned());
        } else if let Some(request) = unfence(item) {
            // It is not the newest any more: what it demands must be told elsewhere.
            self.read_demands(request);
            self.notes.asked.carry_over(item);
        } else if self.notes.asked.carry_over(item) || [ELSEWHERE, LAST_ELSEWHERE].contains(&item) {
            // Where the requests stand is said afresh.
        } else if item.starts_with(STANDING) {
            // Whether it is answered is said afresh of the request that is the newest now.
            if in_previous {
                self.notes.add(Section::Goal, FIRST, item.to_owned());
            }
        } else {
            self.notes.add(Section::Goal, SALIENT, item.to_owned());
        }
    }

    fn carry_over_done(&mut self, item: &str) {
        if let Some(count) = read_other_steps(item) {
            self.notes.left_out += count;
        } else if !self.tasks.carry_over(item, State::Open) && !self.commands.carry_over(item, LATER) {
            let rank = match item {
                _ if item.starts_with(SAID_OPENING) => SAID,
                _ if item.starts_with(WORKED_ON) => LATER,
                _ => SALIENT,
            };
            self.notes.add(Section::Done, rank, item.to_owned());
        }
    }

    fn carry_over_progress(&mut self, item: &str) {
        if self.tasks.carry_over(item, State::InProgress) {
            return;
        }
        if self.request.messages.is_empty() {
            return self.notes.add(Section::InProgress, LATER, item.to_owned());
        }
        let words = item.strip_prefix(LAST_WORDS).unwrap_or(item).trim_start_matches("- ");
        self.notes.add(Section::Done, LATER, format!("{WORKED_ON}{}", one_line(words, 240)));
    }

    fn read_request(&mut self, message: &Message, behind_command: bool) {
        if let Some(text) = requests::typed(message).filter(|_| behind_command && !requests::is_command(message)) {
            // What a command stands for.
            self.notes.asked.add(Who::Harness, &text);
        } else if let Some(text) = requests::typed(message) {
            self.read_demands(&text);
            for address in statements::addresses(&text) {
                self.notes.add(Section::Critical, LATER, format!("{USER_NAMED}{address}"));
            }
            self.notes.asked.add(Who::Person, &text);
        } else if let Some(text) = requests::put_in(message) {
            if text.starts_with(NOTIFICATION) {
                self.read_notification(&text);
            }
            self.notes.asked.add(Who::Harness, &text);
        }
    }

    fn read_demands(&mut self, text: &str) {
        // What is kept word for word, and is nothing but a demand, is not said twice.
        let newest = match &self.request.newest_request {
            NewestRequest::Goes { request, .. } => request.trim(),
            NewestRequest::Stays | NewestRequest::InPrevious => "",
        };
        // In a pasted document, rules are its own rather than the person's.
        let pasted = text.len() > 8_000;
        for (demand, sentence) in requests::demands(text) {
            if newest.starts_with(sentence) && 10 * sentence.len() >= 9 * newest.len() {
                continue;
            }
            let rank = match (demand, pasted) {
                // A question wants an answer.
                (Demand::Wish, _) if sentence.ends_with(['?', '？']) => continue,
                (Demand::Rule, false) => SALIENT,
                (Demand::Wish, false) | (Demand::Rule, true) => LATER,
                (Demand::Wish, true) => SAID,
            };
            self.notes.add(Section::Constraints, rank, bullet(&one_line(sentence, DEMAND_CHARS)));
        }
    }

    fn read_words(&mut self, text: &str, standing: Standing) {
        self.tasks.read_boxes(text);
        let found = statements::statements(text);
        for found in &found {
            let rank = if found.weight >= WEIGHTY { SALIENT } else { LATER };
            let (section, rank) = match found.about {
                About::Decision => (Section::Decisions, rank),
                About::Value => (Section::Critical, LATER),
                About::Constraint => (Section::Constraints, LATER),
            };
            self.notes.add(section, rank, bullet(found.sentence));
        }
        let (opening, chars, rank) = match standing {
            Standing::Answers => (ANSWERED, ANSWER_CHARS, SALIENT),
            Standing::Says => (SAID_OPENING, SAID_CHARS, SAID),
            // Done when it is overtaken.
            Standing::InProgress => return,
        };
        let words = statements::other_sentences(text, &found, chars);
        let says_something = words.chars().filter(|c| c.is_alphabetic()).nth(2).is_some();
        if says_something && (standing == Standing::Answers || statements::names_something(&words)) {
            self.notes.add(Section::Done, rank, format!("{opening}{words}"));
        }
    }

    fn read_call(&mut self, call: &ToolCall, result: &ToolResult) {
        let text = result.text();
        self.commands.tick();
        self.files.at(self.commands.calls());
        if todo::keeps_tasks(&call.name) {
            return self.tasks.note(call, &text);
        }
        if text.starts_with(REFUSED) {
            return self.read_refusal(call, &text);
        }
        let tool = self.tools.entry(call.name.clone()).or_insert_with(|| Tool::of(&call.name));
        let Tool { kind, searches, asks, follows } = *tool;
        if asks {
            return self.notes.add(Section::Decisions, SALIENT, format!("{USER_ANSWERED}{}", one_line(&text, 400)));
        }
        // How a program goes on is no step of its own.
        if follows {
            return self.follow(&followed(&call.arguments).unwrap_or_default(), &text, result.is_error);
        }
        let path = || arguments::string_argument(&call.arguments, PATH_KEYS);
        if path().is_none() && self.read_line_editor(call, &text, result.is_error) {
            return;
        }
        match kind {
            CallKind::Reads => {
                if !searches && !Outcome::is_failure(&text, result.is_error) {
                    self.files.note(call, kind, "");
                }
                // A source file that speaks of errors has not failed; a log that does says so in capitals.
                for line in lines_with(&text, &[" ERROR ", " FATAL ", " CRITICAL "], 3) {
                    self.notes.add(Section::Critical, LATER, format!("- {}", cut_to_chars(line.trim(), 240)));
                }
            }
            CallKind::Writes if path().is_some() || call.arguments.contains("*** Begin Patch") => {
                let outcome = Outcome::of_call(&text, result.is_error);
                if outcome.is_done() {
                    self.files.note(call, kind, &text);
                }
                self.commands.note_edit(path().as_deref().unwrap_or("files with a patch"), &outcome);
            }
            CallKind::Writes | CallKind::Runs => self.read_run(call, kind, &text, result.is_error),
        }
    }

    /// An editor that keeps a file open: `open a.py`, `edit 3:4`. Says whether the call is one of its.
    fn read_line_editor(&mut self, call: &ToolCall, text: &str, is_error: bool) -> bool {
        let verb = &*call.name;
        if !["open", "create", "edit"].contains(&verb) {
            return false;
        }
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

    fn read_run(&mut self, call: &ToolCall, kind: CallKind, text: &str, is_error: bool) {
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

    fn read_effects(&mut self, script: &Script, outcome: &Outcome) {
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
    fn follow(&mut self, id: &str, text: &str, is_error: bool) {
        let Some(running) = self.running.remove(id) else { return };
        let outcome = Outcome::of_command(&running.script, text, is_error);
        self.read_effects(&running.script, &outcome);
        self.commands.learn(&running.name, &outcome);
        if outcome.end == End::NotKnown {
            self.running.insert(id.to_owned(), running);
        }
    }

    /// `<task-id>b1</task-id> … <summary>… completed (exit code 0)</summary>`
    fn read_notification(&mut self, text: &str) {
        let between = |open: &str, close: &str| Some(text.split_once(open)?.1.split_once(close)?.0.trim());
        let code =
            text.rsplit_once("exit code ").and_then(|(_, code)| code.split(|c: char| !c.is_ascii_digit()).next());
        if let (Some(id), Some(code)) = (between("<task-id>", "</task-id>"), code.filter(|code| !code.is_empty())) {
            self.follow(id, &format!("Exit code {code}\n"), false);
        }
    }

    /// A person refused a call, and perhaps said why: that is a request too.
    fn read_refusal(&mut self, call: &ToolCall, text: &str) {
        let named = arguments::describe(&call.name, &call.arguments, 100);
        self.notes.add(Section::Decisions, SALIENT, format!("{USER_REFUSED}{named}"));
        if let Some((_, words)) = text.split_once(USER_SAID) {
            self.read_demands(words.trim());
            self.notes.asked.add(Who::Person, words);
        }
    }

    /// Images and documents cannot be kept in words; that they were there can.
    fn read_media(&mut self, message: &Message) {
        let media = message.blocks.iter().filter(|block| matches!(block, Block::Media(_))).count();
        if media > 0 {
            let who = if message.role == Role::User { "the user showed" } else { "there were" };
            let said = format!("- {who} {media} images or documents that are not kept here");
            self.notes.add(Section::Critical, SALIENT, said);
        }
    }

    /// What the person wants to keep above all, wherever it was printed.
    fn read_for_focus(&mut self, result: &ToolResult) {
        if self.focus.is_empty() {
            return;
        }
        for line in result.text().lines().filter(|line| self.focus.matches(line)).take(20) {
            self.notes.add(Section::Critical, FOCUS, format!("- {}", cut_to_chars(line.trim(), 240)));
        }
    }

    /// What is said around the summary need not be said in it, and what was put right there is not in the way.
    fn look_at_what_stays(&mut self) {
        let mut tried: HashMap<&str, Tried> = HashMap::new();
        for message in &self.request.stays {
            if let Some(words) = requests::typed(message).or_else(|| requests::put_in(message)) {
                self.notes.asked.remove(&words);
            }
            for call in message.calls() {
                if let Some(again) = self.tries_again(call) {
                    tried.insert(&call.id, again);
                }
            }
            for result in message.results() {
                let Some(again) = tried.remove(&*result.call_id) else { continue };
                self.learn_from_what_stays(again, &result.text(), result.is_error);
            }
        }
    }

    fn learn_from_what_stays(&mut self, again: Tried, text: &str, is_error: bool) {
        match again {
            Tried::Command(running) => {
                let outcome = Outcome::of_command(&running.script, text, is_error);
                self.commands.tried_again(&running.name, outcome.end);
                if let Some(id) = outcome.runs_as {
                    self.running.insert(id, running);
                }
            }
            Tried::Edit(name) => self.commands.tried_again(&name, Outcome::of_call(text, is_error).end),
            Tried::Followed(id) => self.follow(&id, text, is_error),
        }
    }

    /// What a call tries again, or follows.
    fn tries_again(&self, call: &ToolCall) -> Option<Tried> {
        if Tool::of(&call.name).follows {
            return followed(&call.arguments).filter(|id| self.running.contains_key(id)).map(Tried::Followed);
        }
        self.commands.open().next()?;
        if let Some(command) = arguments::string_argument(&call.arguments, COMMAND_KEYS) {
            let (name, script) = (commands::named(&command), Script::read(&command));
            return Some(Tried::Command(Running { name, script }));
        }
        let path = arguments::string_argument(&call.arguments, PATH_KEYS);
        path.filter(|_| CallKind::of(&call.name) == CallKind::Writes).map(|path| Tried::Edit(commands::editing(&path)))
    }

    /// Where the work stands at the end of what goes.
    fn close(mut self, last_words: Option<&Arc<str>>) {
        for (rank, line) in self.commands.done() {
            self.notes.add(Section::Done, rank, line);
        }
        for line in self.commands.in_the_way(|name| self.files.changed(name)) {
            self.notes.add(Section::Blocked, LATER, line);
        }
        self.close_tasks();
        if let Some(words) = last_words {
            self.close_words(words);
        }
        self.notes.other_files = self.files.others();
        for (rank, line) in self.files.in_order() {
            self.notes.add(Section::Files, rank, line);
        }
        if self.notes.items(Section::NextSteps).is_empty() {
            for step in std::mem::take(&mut self.steps_before) {
                self.notes.add(Section::NextSteps, LATER, step);
            }
        }
    }

    fn close_tasks(&mut self) {
        // A newer state of the list stands in the messages that follow.
        let told_later = self.request.stays.iter().flat_map(Message::calls).any(|call| todo::keeps_tasks(&call.name));
        for task in self.tasks.all() {
            match task.state {
                State::Done => self.notes.add(Section::Done, LATER, task.write()),
                State::InProgress | State::Open if told_later => {}
                State::InProgress => self.notes.add(Section::InProgress, SALIENT, task.write()),
                State::Open => self.notes.add(Section::NextSteps, SALIENT, task.write()),
            }
        }
    }

    /// Whether nothing was done behind the agent's last words.
    fn ends_with_words(&self) -> bool {
        let acts = |message: &Message| matches!(message.role, Role::Assistant | Role::Tool);
        let last = self.request.messages.iter().rev().find(|message| acts(message));
        let says = last.is_some_and(|last| last.role == Role::Assistant && last.calls().next().is_none());
        says && !self.request.stays.last().is_some_and(acts)
    }

    fn close_words(&mut self, text: &str) {
        let words = statements::first_of_now(text, LAST_WORDS_CHARS);
        if !words.is_empty() {
            self.notes.add(Section::InProgress, SALIENT, format!("{LAST_WORDS}{words}"));
        }
        // What was about to be done is seen in what follows.
        let is_last = self.ends_with_words();
        let ahead = statements::ahead(text).filter(|sentence| is_last || !statements::intends(sentence));
        for sentence in ahead.take(AHEAD) {
            self.notes.add(Section::NextSteps, LATER, bullet(sentence));
        }
    }
}

/// Which program a call follows.
fn followed(arguments: &str) -> Option<String> {
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    let id = RUN_KEYS.iter().find_map(|key| arguments.get(key))?;
    id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string()))
}

/// What an earlier summary keeps as a decision ranks as it did when it was read; what a model wrote ranks high.
fn rank_of(decision: &str) -> u8 {
    match statements::weight(decision) {
        Some(weight) if weight < WEIGHTY => LATER,
        Some(_) | None => SALIENT,
    }
}

fn bullet(sentence: &str) -> String {
    format!("- {}", sentence.trim_start_matches("- "))
}

fn one_line(text: &str, chars: usize) -> String {
    let words = cut_to_chars(text.trim(), 3 * chars).split_whitespace().collect::<Vec<_>>().join(" ");
    cut_to_chars(&words, chars)
}
