//! What the messages that stay tell of what goes.

use std::collections::HashMap;

use super::Reader;
use super::calls::{COMMAND_KEYS, Running, Tool, followed};
use crate::arguments::{self, CallKind, PATH_KEYS};
use crate::model::ToolCall;
use crate::summary::notes::commands::{self, Outcome};
use crate::summary::notes::shell::Script;
use crate::summary::requests;

/// What a call in the messages that stay is about.
enum Tried {
    Command(Running),
    Edit(String),
    /// A program that runs, by its name.
    Followed(String),
}

impl Reader<'_, '_> {
    /// What is said around the summary need not be said in it, and what was put right there is not in the way.
    pub(super) fn look_at_what_stays(&mut self) {
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
    fn tries_again(&mut self, call: &ToolCall) -> Option<Tried> {
        let Tool { kind, follows, .. } = self.tool(call);
        if follows {
            return followed(&call.arguments).filter(|id| self.running.contains_key(id)).map(Tried::Followed);
        }
        self.commands.open().next()?;
        if let Some(command) = arguments::string_argument(&call.arguments, COMMAND_KEYS) {
            let (name, script) = (commands::named(&command), Script::read(&command));
            return Some(Tried::Command(Running { name, script }));
        }
        let path = arguments::string_argument(&call.arguments, PATH_KEYS);
        path.filter(|_| kind == CallKind::Writes).map(|path| Tried::Edit(commands::editing(&path)))
    }
}
