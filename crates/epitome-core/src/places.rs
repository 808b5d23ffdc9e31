//! Positions that stay the same while a client changes what does not matter.
//!
//! A ledger's edits are replayed on a history that the client sends anew. Between two requests it may have changed its
//! system prompt, and it may have dropped the thinking of older turns. So a ledger counts only messages that say
//! something, behind the system prompt, and in them only blocks that are no thinking.

use crate::edit::{Edit, joins_next};
use crate::model::{Block, Conversation, Message};

/// Which of a client's messages count, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Indices of messages.
    counted: Vec<usize>,
}

/// Whether a message says something besides thinking.
fn says_something(message: &Message) -> bool {
    message.blocks.iter().any(is_said)
}

/// Whether a block is something that a client sends again and again.
pub fn is_said(block: &Block) -> bool {
    match block {
        Block::Thinking(_) => false,
        Block::Text(text) => !text.is_empty(),
        Block::ToolCall(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => true,
    }
}

impl Places {
    /// The places of a client's conversation.
    pub fn of(conversation: &Conversation) -> Places {
        let leading = conversation.leading_system_messages();
        let messages = conversation.messages.iter().enumerate().skip(leading);
        Places { counted: messages.filter(|(_, message)| says_something(message)).map(|(index, _)| index).collect() }
    }

    /// The indices of the messages that count.
    pub fn messages(&self) -> &[usize] {
        &self.counted
    }

    /// How many places, from the first, edits depend on. Edits are the client's.
    pub fn depth_of(&self, conversation: &Conversation, edits: &[Edit]) -> usize {
        let behind = |edit: &Edit| match edit {
            Edit::NoteInSystem { .. } => 0,
            Edit::Replace { end, .. } => *end,
            Edit::ShortenOutput { message, .. } | Edit::RemoveResult { message, .. } => message + 1,
            Edit::AnswerCall { message, .. } => message + 1 + usize::from(joins_next(conversation, *message)),
        };
        let behind = edits.iter().map(behind).max().unwrap_or(0);
        self.counted.partition_point(|index| *index < behind)
    }

    /// The client's edits as a ledger keeps them. `None` if one is about something that does not count.
    pub fn to_ledger(&self, conversation: &Conversation, edits: &[Edit]) -> Option<Vec<Edit>> {
        let message = |message: usize| self.counted.binary_search(&message).ok();
        let block = |message: usize, block: usize| {
            let blocks = &conversation.messages.get(message)?.blocks;
            is_said(blocks.get(block)?).then(|| blocks.iter().take(block).filter(|block| is_said(block)).count())
        };
        let span = |start: usize, end: usize| {
            let [start, end] = [start, end].map(|cut| self.counted.partition_point(|index| *index < cut));
            (start < end).then_some((start, end))
        };
        edits.iter().map(|edit| moved(edit, message, block, span)).collect()
    }

    /// A ledger's edits as edits of the client's messages. `None` if the client has no such place.
    pub fn to_client(&self, conversation: &Conversation, edits: &[Edit]) -> Option<Vec<Edit>> {
        let message = |place: usize| self.counted.get(place).copied();
        let block = |place: usize, block: usize| {
            let blocks = &conversation.messages.get(message(place)?)?.blocks;
            let mut said = blocks.iter().enumerate().filter(|(_, block)| is_said(block));
            said.nth(block).map(|(index, _)| index)
        };
        // What does not count between two that go, goes with them.
        let span = |start: usize, end: usize| {
            let last = self.counted.get(end.checked_sub(1)?)?;
            Some((*self.counted.get(start)?, self.counted.get(end).copied().unwrap_or(last + 1)))
        };
        edits.iter().map(|edit| moved(edit, message, block, span)).collect()
    }
}

/// The edit at another place. `block` is given the message as the edit has it.
fn moved(
    edit: &Edit,
    message: impl Fn(usize) -> Option<usize>,
    block: impl Fn(usize, usize) -> Option<usize>,
    span: impl Fn(usize, usize) -> Option<(usize, usize)>,
) -> Option<Edit> {
    let place = |at: usize, inner: usize| Some((message(at)?, block(at, inner)?));
    let mut moved = edit.clone();
    match &mut moved {
        Edit::NoteInSystem { .. } => {}
        Edit::Replace { start, end, .. } => (*start, *end) = span(*start, *end)?,
        Edit::ShortenOutput { message, block, .. }
        | Edit::AnswerCall { message, block, .. }
        | Edit::RemoveResult { message, block } => (*message, *block) = place(*message, *block)?,
    }
    Some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Inserted;
    use crate::model::{Role, ToolCall, ToolResult};

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, injected: false, reported_prompt_tokens: None }
    }

    fn conversation(system_messages: usize, thinking: bool) -> Conversation {
        let thought = || Block::Thinking("hm".into());
        let call = |id: &str| Block::ToolCall(ToolCall { id: id.into(), name: "t".into(), arguments: "{}".into() });
        let result = |id: &str| Block::ToolResult(ToolResult { call_id: id.into(), content: vec![], is_error: false });
        let mut messages: Vec<Message> = (0..system_messages).map(|_| Message::text(Role::System, "be")).collect();
        messages.push(Message::text(Role::User, "go"));
        for id in ["a", "b"] {
            let mut blocks = vec![call(id)];
            if thinking {
                messages.push(message(Role::Assistant, vec![thought()]));
                blocks.insert(0, thought());
            }
            messages.push(message(Role::Assistant, blocks));
            messages.push(message(Role::Tool, vec![result(id)]));
        }
        messages.push(Message::text(Role::User, "on"));
        Conversation { messages, ..Conversation::default() }
    }

    #[test]
    fn edits_are_found_again_without_thinking_and_with_another_prompt() {
        let before = conversation(1, true);
        let places = Places::of(&before);
        let with = vec![Inserted { role: Role::Assistant, text: "said".into() }];
        let edits = vec![
            Edit::NoteInSystem { text: "noted".into() },
            Edit::Replace { start: 3, end: 5, with: with.clone() },
            Edit::AnswerCall { message: 6, block: 1, text: "?".into() },
            Edit::ShortenOutput { message: 7, block: 0, text: "short".into() },
        ];
        assert_eq!(places.depth_of(&before, &edits), 5);
        let kept = places.to_ledger(&before, &edits).unwrap();
        assert_eq!(places.to_client(&before, &kept).unwrap(), {
            // The thinking between two messages goes with what stands before it.
            let mut again = edits.clone();
            again[1] = Edit::Replace { start: 3, end: 6, with: with.clone() };
            again
        });
        let after = conversation(2, false);
        let again = Places::of(&after).to_client(&after, &kept).unwrap();
        let expected = [
            Edit::NoteInSystem { text: "noted".into() },
            Edit::Replace { start: 3, end: 5, with },
            Edit::AnswerCall { message: 5, block: 0, text: "?".into() },
            Edit::ShortenOutput { message: 6, block: 0, text: "short".into() },
        ];
        assert_eq!(again, expected);
    }

    #[test]
    fn what_a_client_does_not_have_is_not_edited() {
        let conversation = conversation(0, false);
        let places = Places::of(&conversation);
        let shorten = |message| vec![Edit::ShortenOutput { message, block: 0, text: "s".into() }];
        assert_eq!(places.to_client(&conversation, &shorten(9)), None);
        assert!(places.to_client(&conversation, &shorten(2)).is_some());
    }
}
