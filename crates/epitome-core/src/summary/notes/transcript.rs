//! Reads a transcript, and the summary before it, into notes.

mod calls;
mod earlier;
mod later;

use std::collections::HashMap;
use std::sync::Arc;

use calls::{NOTIFICATION, Running, Tool};

use super::asked::Who;
use super::commands::Commands;
use super::files::FileTrails;
use super::statements::{self, About, WEIGHTY};
use super::todo::{self, State, Tasks};
use super::{FOCUS, LATER, Notes, SAID, SALIENT};
use crate::model::{Block, Message, Role, ToolCall, ToolResult};
use crate::outputs::{Interest, cut_to_chars};
use crate::summary::reach::Reach;
use crate::summary::requests::{self, Demand};
use crate::summary::template::{Section, Sections};
use crate::summary::{NewestRequest, SummaryRequest};

/// An answer or the last words are told in so many characters.
const ANSWER_CHARS: usize = 320;
const SAID_CHARS: usize = 160;
const LAST_WORDS_CHARS: usize = 420;
/// What comes next, at most so many sentences of the last words.
const AHEAD: usize = 6;

/// A demand, with the sentence before it.
const DEMAND_CHARS: usize = 800;

const ANSWERED: &str = "- answered: ";
const SAID_OPENING: &str = "- said: ";
const WORKED_ON: &str = "- worked on: ";
const LAST_WORDS: &str = "- last words: ";
const USER_NAMED: &str = "- the user named: ";

/// What the agent's words are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// They end a turn.
    Answers,
    /// They go with a call.
    Says,
    /// They go with a call that is too old to be told.
    SaidLongAgo,
    /// They are the last ones.
    InProgress,
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
        let mut reach = Reach::of(request.messages.iter(), request.budget);
        for message in &request.messages {
            self.read_request(message, before.replace(message).is_some_and(requests::is_command));
            self.read_media(message);
            // Words without calls end a turn: they are the answer.
            let standing = match message.calls().next() {
                None => Standing::Answers,
                Some(_) if reach.is_behind() => Standing::SaidLongAgo,
                Some(_) => Standing::Says,
            };
            for block in &message.blocks {
                let is_old = reach.passes_over(message, block);
                match block {
                    Block::Text(text) if message.role == Role::Assistant && !is_old => {
                        let is_last = last_words.is_some_and(|last| Arc::ptr_eq(last, text));
                        self.read_words(text, if is_last { Standing::InProgress } else { standing });
                    }
                    Block::ToolCall(call) => {
                        calls.insert(&call.id, call);
                    }
                    Block::ToolResult(result) => {
                        self.read_for_focus(result);
                        if let Some(call) = calls.remove(&*result.call_id) {
                            if is_old {
                                self.read_old_call(call, result);
                            } else {
                                self.read_call(call, &result.text(), result.is_error);
                            }
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

    fn read_request(&mut self, message: &Message, behind_command: bool) {
        if let Some(text) = requests::typed(message) {
            if behind_command && !requests::is_command(message) {
                // What a command stands for.
                return self.notes.asked.add(Who::Harness, &text);
            }
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
            Standing::InProgress | Standing::SaidLongAgo => return,
        };
        let words = statements::other_sentences(text, &found, chars);
        let says_something = words.chars().filter(|c| c.is_alphabetic()).nth(2).is_some();
        if says_something && (standing == Standing::Answers || statements::names_something(&words)) {
            self.notes.add(Section::Done, rank, format!("{opening}{words}"));
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

fn bullet(sentence: &str) -> String {
    format!("- {}", sentence.trim_start_matches("- "))
}

fn one_line(text: &str, chars: usize) -> String {
    let words = cut_to_chars(text.trim(), 3 * chars).split_whitespace().collect::<Vec<_>>().join(" ");
    cut_to_chars(&words, chars)
}
