//! What a person asked for: telling requests from what a harness puts into the user's mouth.

mod demands;

use std::borrow::Cow;

pub(super) use demands::sentences;
pub use demands::{Demand, constraints, demand, demands};

use crate::live;
use crate::model::{Conversation, Message, Role};
use crate::summary::is_ours;

/// How texts begin that harnesses inject as the user, and where that ends; what comes behind it is typed. A person rarely
/// opens a message with a tag.
const INJECTED: &[(&str, &str)] = &[
    ("<system-reminder>", "</system-reminder>"),
    ("<system_reminder>", "</system_reminder>"),
    ("<local-command-caveat>", "</local-command-caveat>"),
    ("<local-command-stdout>", "</local-command-stdout>"),
    ("<local-command-stderr>", "</local-command-stderr>"),
    ("<local-command-", TO_THE_END),
    ("<bash-stdout>", "</bash-stdout>"),
    ("<bash-stderr>", "</bash-stderr>"),
    ("<environment_context>", "</environment_context>"),
    ("<user_instructions>", "</user_instructions>"),
    ("<permissions", "</permissions"),
    ("<turn_aborted>", "</turn_aborted>"),
    ("<task-notification>", "</task-notification>"),
    ("<subagent_notification>", "</subagent_notification>"),
    ("<current_datetime>", "</current_datetime>"),
    ("<ide_opened_file>", "</ide_opened_file>"),
    ("<ide_selection>", "</ide_selection>"),
    ("<user-prompt-submit-hook>", "</user-prompt-submit-hook>"),
    ("# AGENTS.md instructions", "</INSTRUCTIONS>"),
    ("Read the output file to retrieve the result", "\n"),
    ("Caveat: The messages below", TO_THE_END),
    ("[Request interrupted", "]"),
    ("This session is being continued from a previous conversation", TO_THE_END),
];
const TO_THE_END: &str = "";

/// Commands of clients that ask the agent for nothing.
const CLIENT_COMMANDS: &[&str] = &[
    "/add-dir",
    "/agents",
    "/clear",
    "/compact",
    "/config",
    "/context",
    "/cost",
    "/doctor",
    "/effort",
    "/exit",
    "/export",
    "/fast",
    "/help",
    "/hooks",
    "/ide",
    "/login",
    "/logout",
    "/mcp",
    "/memory",
    "/model",
    "/permissions",
    "/plugin",
    "/quit",
    "/rename",
    "/resume",
    "/rewind",
    "/status",
    "/theme",
    "/usage",
    "/vim",
];

/// Whose words a text is.
enum Spoken<'text> {
    /// A person's, or nobody's.
    Typed(Vec<&'text str>),
    /// A command that a person gave, as they typed it; what it stands for follows.
    Command(String),
}

/// The words of a message that a person typed; `None` if there are none.
pub fn typed(message: &Message) -> Option<String> {
    if message.role != Role::User || message.injected || is_ours(message) {
        return None;
    }
    let mut words: Vec<Cow<'_, str>> = Vec::new();
    for text in message.texts() {
        match words_in(text) {
            Spoken::Typed(parts) => words.extend(parts.into_iter().map(Cow::Borrowed)),
            Spoken::Command(command) => {
                words.push(Cow::Owned(command));
                break;
            }
        }
    }
    (!words.is_empty()).then(|| words.join("\n"))
}

/// Whether a message is a request of a person: what is said beside a tool's results is an aside.
pub fn is_request(message: &Message) -> bool {
    message.results().next().is_none() && typed(message).is_some()
}

/// Whether a message is a command, whose text the client puts in behind it.
pub(crate) fn is_command(message: &Message) -> bool {
    message.role == Role::User && message.texts().any(|text| matches!(words_in(text), Spoken::Command(_)))
}

fn words_in(text: &str) -> Spoken<'_> {
    let mut rest = text.trim();
    let mut words = Vec::new();
    while !rest.is_empty() {
        if let Some((command, behind)) = command(rest) {
            match command {
                Some(command) => return Spoken::Command(command),
                None => rest = behind.trim_start(),
            }
        } else if let Some((_, close)) = INJECTED.iter().find(|(open, _)| rest.starts_with(open)) {
            let behind = if close.is_empty() { None } else { rest.split_once(close) };
            // Some closing tags go on behind their name.
            let behind = behind.map_or("", |(_, behind)| behind);
            rest = if close.starts_with('<') && !close.ends_with('>') {
                behind.split_once('>').map_or("", |(_, behind)| behind)
            } else {
                behind
            };
            rest = rest.trim_start();
        } else {
            // Reminders are put behind a person's words too.
            let reminder =
                ["\n<system-reminder>", "\n<system_reminder>"].iter().filter_map(|open| rest.find(open)).min();
            let (typed, behind) = rest.split_at(reminder.unwrap_or(rest.len()));
            words.push(typed.trim());
            rest = behind.trim_start();
        }
    }
    Spoken::Typed(words)
}

/// A slash command: its name with what was typed behind it, if it asks the agent for something, and what follows it.
fn command(text: &str) -> Option<(Option<String>, &str)> {
    if !text.starts_with("<command-") {
        return None;
    }
    let mut rest = text;
    let (mut name, mut arguments) = ("", "");
    while let Some((tag, behind)) = rest.strip_prefix("<command-").and_then(|behind| behind.split_once('>')) {
        let Some((inner, behind)) = behind.split_once(&format!("</command-{tag}>")) else { return Some((None, "")) };
        match tag {
            "name" => name = inner.trim(),
            "args" => arguments = inner.trim(),
            _ => {}
        }
        rest = behind.trim_start();
    }
    // Commands that a client carries out itself open with their name; those that stand for a text, with a message.
    let asks = !CLIENT_COMMANDS.contains(&name) && (!arguments.is_empty() || text.starts_with("<command-message>"));
    let name = if name.starts_with('/') || name.is_empty() { name.to_owned() } else { format!("/{name}") };
    let typed = format!("{name} {arguments}");
    Some(((asks && !name.is_empty()).then(|| typed.trim().to_owned()), rest))
}

/// The words that a harness said, as the user or in an instruction; `None` if a person typed some of them, or we wrote them.
pub fn put_in(message: &Message) -> Option<String> {
    let is_harness = match message.role {
        Role::System => true,
        Role::User => !is_ours(message) && typed(message).is_none(),
        Role::Assistant | Role::Tool => false,
    };
    let words: Vec<&str> = message.texts().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
    (is_harness && !words.is_empty()).then(|| words.join("\n"))
}

/// The first request of a person; harnesses often speak before it.
pub fn first(conversation: &Conversation) -> Option<usize> {
    conversation.messages.iter().position(|message| typed(message).is_some())
}

/// The newest request of a person, and the message it stands in.
pub fn newest(conversation: &Conversation) -> Option<(usize, String)> {
    // A client says what a command stands for as if the person had typed it: the command is what they typed.
    let index = live::request(conversation)?.start;
    Some((index, typed(conversation.messages.get(index)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_harness_says_is_no_request() {
        let typed_text = |text: &str| typed(&Message::text(Role::User, text));
        assert_eq!(typed_text("<system-reminder>\nBe nice\n</system-reminder>"), None);
        assert_eq!(typed_text(crate::summary::BRIDGE), None);
        assert_eq!(typed_text(&crate::summary::seal("## Goal\nx", "0 messages")), None);
        assert_eq!(typed_text("[3 earlier messages were removed to fit the context window.]"), None);
        assert_eq!(typed_text(" fix the tests "), Some("fix the tests".into()));
        assert_eq!(typed_text("<bash-stdout>Already up to date.</bash-stdout><bash-stderr></bash-stderr>"), None);
        assert_eq!(typed_text("# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>"), None);
        assert_eq!(typed_text("<system-reminder>\nthat does not end"), None);
        assert_eq!(typed_text("<command-name>/model</command-name>\n<command-args>opus</command-args>"), None);
    }

    #[test]
    fn what_stands_behind_a_reminder_is_typed() {
        let typed_text = |text: &str| typed(&Message::text(Role::User, text));
        let reminder = "<system-reminder>\nfile x changed\n</system-reminder>";
        assert_eq!(typed_text(&format!("{reminder}\n\nStop that.")), Some("Stop that.".into()));
        assert_eq!(typed_text(&format!("{reminder}\n{reminder}\nStop that.\n{reminder}")), Some("Stop that.".into()));
        assert_eq!(typed_text("<current_datetime>1</current_datetime>\n\ngo on"), Some("go on".into()));
        assert_eq!(typed_text("[Request interrupted by user]\nuse tabs"), Some("use tabs".into()));
    }

    #[test]
    fn a_slash_command_is_typed_with_what_follows_it() {
        let command = "<command-message>review</command-message>\n<command-name>/review</command-name>\n\
                       <command-args>only look at src/auth</command-args>";
        let message = Message::text(Role::User, command);
        assert_eq!(typed(&message), Some("/review only look at src/auth".into()));
        let bare = "<command-message>gsd:go is running…</command-message>\n<command-name>/gsd:go</command-name>";
        assert_eq!(typed(&Message::text(Role::User, bare)), Some("/gsd:go".into()));
        let text = Message::text(Role::User, "<objective>\nReview everything.\n</objective>");
        let messages = vec![message, text];
        let conversation = Conversation { messages, ..Conversation::default() };
        assert_eq!(newest(&conversation), Some((0, "/review only look at src/auth".into())));
    }
}
