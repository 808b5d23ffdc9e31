//! What of a conversation is live, whatever is compacted: the newest request of a person, the newest input of the model,
//! and the instructions that hold.
//!
//! Everybody who asks for "the newest" asks here. Instructions that a harness puts in, as `system` or as the user, stand
//! among and behind what matters; they are never taken for the newest message or for a request.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use crate::model::{Block, Conversation, Message, Pairing, Role, Segment};
use crate::summary::{is_ours, requests};

/// Where the newest input starts: the newest call with its results, or the newest words of a person or of the model, with
/// all instructions behind it. Nothing of it may be removed.
pub fn newest_input(messages: &[Message], pairing: &Pairing) -> usize {
    let segments = pairing.segments();
    let input = segments.iter().rfind(|segment| !all_put_in(messages, segment));
    input.or(segments.last()).map_or(0, |segment| segment.start)
}

/// Where the newest exchange starts: the newest input and, if the model speaks first in it, what it answers.
pub fn newest_exchange(messages: &[Message], pairing: &Pairing) -> usize {
    let input = newest_input(messages, pairing);
    let role = |index: usize| messages.get(index).map(|message| message.role);
    let mut start = input;
    if role(input) != Some(Role::Assistant) {
        return start;
    }
    let before = pairing.segments().iter().rev().skip_while(|segment| segment.start >= input);
    for segment in before {
        match role(segment.start) {
            Some(Role::User) => start = segment.start,
            Some(Role::System) => continue,
            Some(Role::Assistant | Role::Tool) | None => break,
        }
        if !all_put_in(messages, segment) {
            break;
        }
    }
    start
}

/// The newest request of a person: one message, or two where the second is the text that a command stands for.
pub fn request(conversation: &Conversation) -> Option<Range<usize>> {
    let messages = &conversation.messages;
    let newest = messages.iter().rposition(requests::is_request)?;
    let command = newest.checked_sub(1).filter(|before| messages.get(*before).is_some_and(requests::is_command));
    Some(command.unwrap_or(newest)..newest + 1)
}

/// Whether a message instructs and does nothing else: `system` or `developer`, and of text alone.
///
/// In front of the conversation it is the system prompt, which is never touched.
pub fn is_instruction(message: &Message) -> bool {
    message.role == Role::System && message.blocks.iter().all(|block| block.as_text().is_some())
}

/// What instructions have in common that differ in digits alone.
fn form(message: &Message) -> u64 {
    let texts: Vec<&str> = message.texts().map(|text| &**text).collect();
    form_of(&texts.join("\n"))
}

/// The same of a text.
pub fn form_of(text: &str) -> u64 {
    let mut form = Vec::with_capacity(text.len());
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        let after_digit = form.last() == Some(&DIGITS);
        match byte {
            b'0'..=b'9' if after_digit => {}
            b'0'..=b'9' => form.push(DIGITS),
            // 1,200 and 3.5 are numbers as 7 is.
            b',' | b'.' if after_digit && bytes.peek().is_some_and(u8::is_ascii_digit) => {}
            other => form.push(other),
        }
    }
    xxh3_64(&form)
}

/// Stands for digits; no text in UTF-8 has this byte.
const DIGITS: u8 = 0xff;

/// The instructions behind the system prompt that a later one of the same form has overtaken.
pub fn overtaken(conversation: &Conversation) -> BTreeSet<usize> {
    let mut forms = HashSet::new();
    let behind_prompt = conversation.messages.iter().enumerate().skip(conversation.leading_system_messages());
    let instructions = behind_prompt.filter(|(_, message)| is_instruction(message)).rev();
    instructions.filter(|(_, message)| !forms.insert(form(message))).map(|(index, _)| index).collect()
}

/// Whether nobody says anything in a segment but a harness.
fn all_put_in(messages: &[Message], segment: &Segment) -> bool {
    let messages = messages.get(segment.start..segment.end).unwrap_or_default();
    messages.iter().all(is_put_in)
}

/// Whether a message is a harness' and carries nothing but its words.
fn is_put_in(message: &Message) -> bool {
    let is_harness = match message.role {
        Role::System => true,
        Role::User => !is_ours(message) && requests::typed(message).is_none(),
        Role::Assistant | Role::Tool => false,
    };
    let carries = |block: &Block| match block {
        Block::ToolCall(_) | Block::ToolResult(_) => true,
        // A picture that a user shows is a message; what an instruction holds is a part of it.
        Block::Media(_) | Block::Opaque(_) => message.role == Role::User,
        Block::Text(_) | Block::Thinking(_) => false,
    };
    is_harness && !message.blocks.iter().any(carries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ToolCall, ToolResult};

    /// One letter a message: `s`ystem, `r`eminder as the user, `u`ser, `a`ssistant, `c`alls two tools, `t`heir next result,
    /// results and a reminder in a user message as `m`.
    fn messages(letters: &str) -> Vec<Message> {
        let mut open: Vec<String> = Vec::new();
        let mut messages = Vec::new();
        for (index, letter) in letters.chars().enumerate() {
            let text = |text: &str| Block::Text(text.into());
            let (role, blocks) = match letter {
                's' => (Role::System, vec![text("900 tokens left")]),
                'r' => (Role::User, vec![text("<system-reminder>\nsave\n</system-reminder>")]),
                'u' => (Role::User, vec![text("port it")]),
                'a' => (Role::Assistant, vec![text("done")]),
                'c' => {
                    open = vec![format!("{index}a"), format!("{index}b")];
                    let call =
                        |id: &String| ToolCall { id: id.as_str().into(), name: "t".into(), arguments: "".into() };
                    (Role::Assistant, open.iter().map(|id| Block::ToolCall(call(id))).collect())
                }
                't' | 'm' => {
                    let count = if letter == 't' { 1 } else { open.len() };
                    let result = |id: String| {
                        Block::ToolResult(ToolResult { call_id: id.into(), content: vec![], is_error: false })
                    };
                    let mut blocks: Vec<Block> = open.drain(..count).map(result).collect();
                    if letter == 'm' {
                        blocks.push(text("Keep it short."));
                    }
                    (if letter == 't' { Role::Tool } else { Role::User }, blocks)
                }
                other => panic!("{other}"),
            };
            messages.push(Message { role, blocks, injected: false, reported_prompt_tokens: None });
        }
        messages
    }

    #[track_caller]
    fn check(letters: &str, input: usize, exchange: usize, live: Option<Range<usize>>) {
        let messages = messages(letters);
        let pairing = Pairing::of(&messages);
        let found = (newest_input(&messages, &pairing), newest_exchange(&messages, &pairing));
        assert_eq!(found, (input, exchange), "{letters}");
        assert_eq!(request(&Conversation { messages, ..Conversation::default() }), live, "{letters}");
    }

    #[test]
    fn an_instruction_behind_the_newest_input_is_a_part_of_it() {
        check("su", 1, 1, Some(1..2));
        check("sus", 1, 1, Some(1..2));
        check("suactt", 3, 3, Some(1..2));
        check("suacttsrs", 3, 3, Some(1..2));
        check("suactsts", 3, 3, Some(1..2));
        check("sucms", 2, 1, Some(1..2));
        check("suaus", 3, 3, Some(3..4));
        check("suasrs", 2, 1, Some(1..2));
    }

    #[test]
    fn an_unfinished_batch_is_the_newest_input() {
        check("suac", 3, 3, Some(1..2));
        check("suacts", 3, 3, Some(1..2));
    }

    #[test]
    fn the_newest_exchange_opens_with_what_is_answered() {
        check("suausa", 5, 3, Some(3..4));
        check("suaursctts", 6, 3, Some(3..4));
        check("suactturcttcts", 11, 11, Some(6..7));
    }

    #[test]
    fn nobody_asks_with_a_result_or_in_a_harness_tags() {
        check("srcms", 2, 1, None);
        check("ss", 1, 1, None);
        check("", 0, 0, None);
    }

    #[test]
    fn a_command_is_live_with_the_text_that_it_stands_for() {
        let command = "<command-message>go</command-message>\n<command-name>/go</command-name>";
        let messages = vec![
            Message::text(Role::User, "first"),
            Message::text(Role::User, command),
            Message::text(Role::User, "Review everything."),
            Message::text(Role::Assistant, "I will."),
        ];
        assert_eq!(request(&Conversation { messages, ..Conversation::default() }), Some(1..3));
    }

    #[test]
    fn instructions_that_differ_in_digits_are_of_one_form() {
        let same = |one: &str, other: &str| form_of(one) == form_of(other);
        assert!(same("999 tokens left", "12,118 tokens left"));
        assert!(same("It is 10:30, step7.", "It is 9:05, step12."));
        assert!(!same("Read a.rs", "Read b.rs"));
    }

    #[test]
    fn the_newest_of_each_form_holds() {
        let texts = ["5 left", "be brief", "4 left", "3 left", "be kind"];
        let mut messages = vec![Message::text(Role::System, "7 left"), Message::text(Role::User, "go")];
        messages.extend(texts.map(|text| Message::text(Role::System, text)));
        let conversation = Conversation { messages, ..Conversation::default() };
        assert_eq!(overtaken(&conversation), BTreeSet::from([2, 4]));
    }
}
