//! Edits, and the one function that applies them and keeps a conversation valid.
//!
//! An engine can only propose [`Edit`]s. [`apply`] refuses what a provider would reject or a person would miss: a tool
//! call parted from its result, a touched system prompt or first request, a newest input touched other than in its
//! outputs, two new neighbours of one role, an empty text. Instructions behind the system prompt may go as messages do;
//! what stands in them is never edited. What it returns, [`Applied`], is the proof that the checks were passed, and the only thing
//! that `epitome-wire` splices into a client's bytes.
//!
//! Edits of a conversation that was edited before become edits of the client's own in [`compose`].

mod composition;

pub use composition::{ComposeError, compose};
use serde::{Deserialize, Serialize};

use crate::live;
use crate::model::{Block, Conversation, Message, Pairing, ResultStyle, Role, ToolResult};

/// One change to a client's conversation. Positions are those of the client's own messages, before any edit.
///
/// Edits are stored and replayed: changing a variant is a change of the stored format.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "snake_case")]
pub enum Edit {
    /// The content of one tool result becomes `text`.
    ShortenOutput {
        /// The message that carries it.
        message: usize,
        /// The block within the message.
        block: usize,
        /// What the model sees instead.
        text: String,
    },
    /// Messages `start..end` become `with`, which may be nothing.
    Replace {
        /// First message that goes.
        start: usize,
        /// Behind the last message that goes.
        end: usize,
        /// What the model sees instead.
        with: Vec<Inserted>,
    },
    /// A note is added behind the system prompt, as a block of its own where the dialect has blocks.
    NoteInSystem {
        /// The note.
        text: String,
    },
    /// A call that nothing answers gets a result, as providers demand one.
    AnswerCall {
        /// The message that calls.
        message: usize,
        /// The call within the message.
        block: usize,
        /// The result.
        text: String,
    },
    /// A result that answers nothing goes.
    RemoveResult {
        /// The message that carries it.
        message: usize,
        /// The block within the message.
        block: usize,
    },
}

impl Edit {
    /// Whether it mends what was broken in the client's own conversation, and makes nothing smaller.
    pub fn is_repair(&self) -> bool {
        match self {
            Edit::AnswerCall { .. } | Edit::RemoveResult { .. } => true,
            Edit::ShortenOutput { .. } | Edit::Replace { .. } | Edit::NoteInSystem { .. } => false,
        }
    }
}

/// A message of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inserted {
    /// [`Role::User`] or [`Role::Assistant`].
    pub role: Role,
    /// Its words.
    pub text: String,
}

/// Edits that passed every check, and the conversation they lead to.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    edits: Vec<Edit>,
    conversation: Conversation,
    /// For each message of `conversation` where it comes from.
    origins: Vec<Origin>,
}

/// Where a message of an edited conversation comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The client's message of this index, as it was.
    Kept(usize),
    /// The client's message of this index, changed inside.
    Changed(usize),
    /// Ours: it stands for messages that went.
    Inserted,
    /// Ours: it answers calls of the client's message of this index.
    Answers(usize),
}

/// Why edits were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// A position that the conversation does not have, or a block of another kind.
    #[error("there is no {expected} at message {message}, block {block}")]
    NoSuchBlock {
        /// What the edit is about.
        expected: &'static str,
        /// The message.
        message: usize,
        /// The block.
        block: usize,
    },
    /// A span that is empty, reversed or beyond the end.
    #[error("messages {start}..{end} are not a span of a conversation of {len}")]
    NoSuchSpan {
        /// First message.
        start: usize,
        /// Behind the last message.
        end: usize,
        /// Messages there are.
        len: usize,
    },
    /// A cut between a call and its result.
    #[error("a cut before message {message} would part a tool call from its result")]
    SplitsGroup {
        /// The message behind the cut.
        message: usize,
    },
    /// The system prompt, an instruction, the first request or the newest input.
    #[error("message {message} may not be changed: it is {what}")]
    Untouchable {
        /// The message.
        message: usize,
        /// Why not.
        what: &'static str,
    },
    /// Two edits of one place.
    #[error("two edits touch message {message}")]
    Overlap {
        /// The message.
        message: usize,
    },
    /// Two neighbours of one role that were none before.
    #[error("two {role:?} messages would become neighbours before message {message}")]
    SameRole {
        /// The role.
        role: Role,
        /// The client's message behind the new neighbours; the number of messages for the end.
        message: usize,
    },
    /// Providers reject empty text.
    #[error("an edit without text")]
    EmptyText,
    /// An inserted message that is neither a user's nor an assistant's.
    #[error("a {0:?} message cannot be inserted")]
    InsertedRole(Role),
    /// The call has its answer, or the result its call.
    #[error("the call or result at message {message}, block {block} is paired")]
    Paired {
        /// The message.
        message: usize,
        /// The block.
        block: usize,
    },
    /// A note where there is no system prompt that could take one, or a second one.
    #[error("a note needs a system prompt, and stands in it once")]
    Note,
}

impl Applied {
    /// The edits, in the order of the client's messages.
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// The conversation as the model will see it.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// For each message of the conversation, where it comes from.
    pub fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// The conversation, taken out.
    pub fn into_conversation(self) -> Conversation {
        self.conversation
    }
}

/// Whether our note stands in the system prompt already.
pub fn has_note(conversation: &Conversation, note: &str) -> bool {
    let leading = conversation.leading_system_messages();
    let in_messages = conversation.messages.iter().take(leading).flat_map(Message::texts);
    conversation.system.iter().filter_map(Block::as_text).chain(in_messages).any(|text| text.contains(note))
}

/// Whether there is a system prompt that a note can stand behind: an item of a kind that we do not know has no such place.
pub fn takes_note(conversation: &Conversation) -> bool {
    let last = conversation.leading_system_messages().checked_sub(1).and_then(|last| conversation.messages.get(last));
    !conversation.system.is_empty() || last.is_some_and(|last| !matches!(&last.blocks[..], [Block::Opaque(_)]))
}

const NEWEST_INPUT: &str = "the newest input";

/// Applies edits to a conversation, or says why they would break it. The input is not changed.
pub fn apply(conversation: &Conversation, mut edits: Vec<Edit>) -> Result<Applied, EditError> {
    let pairing = Pairing::of(&conversation.messages);
    edits.sort_by_key(position);
    let changes = Changes::check(conversation, &pairing, &edits)?;
    let (conversation, origins) = changes.build(conversation)?;
    Ok(Applied { edits, conversation, origins })
}

/// Sorts edits by where they stand: the note first, then by message and block.
fn position(edit: &Edit) -> (usize, usize, usize) {
    match edit {
        Edit::NoteInSystem { .. } => (0, 0, 0),
        Edit::Replace { start, .. } => (1, *start, 0),
        Edit::ShortenOutput { message, block, .. }
        | Edit::AnswerCall { message, block, .. }
        | Edit::RemoveResult { message, block } => (1, *message, *block),
    }
}

/// What happens to each message, once checked.
struct Changes<'edits> {
    fates: Vec<Fate<'edits>>,
    note: Option<&'edits str>,
    /// Messages from here on are the newest input.
    newest_input: usize,
}

#[derive(Clone, Default)]
struct Fate<'edits> {
    /// Goes; for the first message of a span, with what stands in its place.
    replaced: Option<&'edits [Inserted]>,
    shortened: Vec<(usize, &'edits str)>,
    removed: Vec<usize>,
    answered: Vec<(usize, &'edits str)>,
}

impl<'edits> Changes<'edits> {
    fn check(
        conversation: &Conversation,
        pairing: &Pairing,
        edits: &'edits [Edit],
    ) -> Result<Changes<'edits>, EditError> {
        let messages = &conversation.messages;
        let newest_input = live::newest_input(messages, pairing);
        let mut changes = Changes { fates: vec![Fate::default(); messages.len()], note: None, newest_input };
        for edit in edits {
            match edit {
                Edit::NoteInSystem { text } => {
                    if changes.note.is_some() || !takes_note(conversation) || has_note(conversation, text) {
                        return Err(EditError::Note);
                    }
                    changes.note = Some(non_empty(text)?);
                }
                Edit::Replace { start, end, with } => {
                    changes.check_span(conversation, pairing, *start, *end)?;
                    for inserted in with {
                        non_empty(&inserted.text)?;
                        if !matches!(inserted.role, Role::User | Role::Assistant) {
                            return Err(EditError::InsertedRole(inserted.role));
                        }
                    }
                    for (offset, fate) in changes.fates.iter_mut().take(*end).skip(*start).enumerate() {
                        fate.replaced = Some(if offset == 0 { with } else { &[] });
                    }
                }
                Edit::ShortenOutput { message, block, text } => {
                    // Of the newest input too: an output that does not fit a window cannot be sent as it is.
                    let fate = changes.fate_of_any(conversation, *message)?;
                    result_at(messages, *message, *block)?;
                    if fate.shortened.iter().any(|(other, _)| other == block) || fate.removed.contains(block) {
                        return Err(EditError::Overlap { message: *message });
                    }
                    fate.shortened.push((*block, non_empty(text)?));
                }
                Edit::RemoveResult { message, block } => {
                    let fate = changes.fate(conversation, *message)?;
                    result_at(messages, *message, *block)?;
                    if pairing.orphan_results.binary_search(&(*message, *block)).is_err() {
                        return Err(EditError::Paired { message: *message, block: *block });
                    }
                    if fate.shortened.iter().any(|(other, _)| other == block) || fate.removed.contains(block) {
                        return Err(EditError::Overlap { message: *message });
                    }
                    fate.removed.push(*block);
                }
                Edit::AnswerCall { message, block, text } => {
                    let fate = changes.fate(conversation, *message)?;
                    if pairing.unanswered_calls.binary_search(&(*message, *block)).is_err() {
                        return Err(EditError::Paired { message: *message, block: *block });
                    }
                    if fate.answered.iter().any(|(other, _)| other == block) {
                        return Err(EditError::Overlap { message: *message });
                    }
                    fate.answered.push((*block, non_empty(text)?));
                    // In this dialect the answer goes into the next message, which must not be the newest input.
                    let next = message + 1;
                    if joins_next(conversation, *message) && next >= newest_input {
                        return Err(EditError::Untouchable { message: next, what: NEWEST_INPUT });
                    }
                }
            }
        }
        changes.check_answers(conversation)?;
        Ok(changes)
    }

    /// An answer needs the message that it goes into.
    fn check_answers(&self, conversation: &Conversation) -> Result<(), EditError> {
        for (message, (fate, next)) in self.fates.iter().zip(self.fates.iter().skip(1)).enumerate() {
            if !fate.answered.is_empty() && next.replaced.is_some() && joins_next(conversation, message) {
                return Err(EditError::Overlap { message: message + 1 });
            }
        }
        Ok(())
    }

    /// The fate of a message that stays and may be edited inside.
    fn fate(&mut self, conversation: &Conversation, message: usize) -> Result<&mut Fate<'edits>, EditError> {
        if (self.newest_input..conversation.messages.len()).contains(&message) {
            return Err(EditError::Untouchable { message, what: NEWEST_INPUT });
        }
        self.fate_of_any(conversation, message)
    }

    /// The same, of the newest input too.
    fn fate_of_any(&mut self, conversation: &Conversation, message: usize) -> Result<&mut Fate<'edits>, EditError> {
        let is_instruction = |message: &Message| message.role == Role::System;
        if conversation.messages.get(message).is_some_and(is_instruction) {
            return Err(EditError::Untouchable { message, what: "an instruction" });
        }
        let fate = self.fates.get_mut(message);
        let fate = fate.ok_or(EditError::NoSuchBlock { expected: "message", message, block: 0 })?;
        if fate.replaced.is_some() {
            return Err(EditError::Overlap { message });
        }
        Ok(fate)
    }

    fn check_span(
        &self,
        conversation: &Conversation,
        pairing: &Pairing,
        start: usize,
        end: usize,
    ) -> Result<(), EditError> {
        let messages = &conversation.messages;
        let span = messages.get(start..end).filter(|span| !span.is_empty());
        let span = span.ok_or(EditError::NoSuchSpan { start, end, len: messages.len() })?;
        if end > self.newest_input {
            return Err(EditError::Untouchable { message: end - 1, what: NEWEST_INPUT });
        }
        let leading = conversation.leading_system_messages();
        // A role or a content that we do not know is carried.
        let stays = |(offset, message): (usize, &Message)| {
            start + offset < leading || (message.role == Role::System && !live::is_instruction(message))
        };
        if let Some(offset) = span.iter().enumerate().position(stays) {
            return Err(EditError::Untouchable { message: start + offset, what: "an instruction" });
        }
        if let Some(first) = conversation.first_user_message().filter(|first| (start..end).contains(first)) {
            return Err(EditError::Untouchable { message: first, what: "the first request" });
        }
        for cut in [start, end] {
            if !pairing.may_cut_before(cut) {
                return Err(EditError::SplitsGroup { message: cut });
            }
        }
        let touched = |fate: &Fate<'_>| {
            fate.replaced.is_some()
                || !fate.shortened.is_empty()
                || !fate.removed.is_empty()
                || !fate.answered.is_empty()
        };
        match self.fates.iter().take(end).skip(start).position(touched) {
            Some(offset) => Err(EditError::Overlap { message: start + offset }),
            None => Ok(()),
        }
    }

    fn build(&self, conversation: &Conversation) -> Result<(Conversation, Vec<Origin>), EditError> {
        let mut after = Conversation {
            system: conversation.system.clone(),
            tools: conversation.tools.clone(),
            messages: Vec::with_capacity(conversation.messages.len()),
            results: conversation.results,
        };
        let mut origins = Vec::with_capacity(conversation.messages.len());
        let mut neighbours = Neighbours::default();
        let mut carried_answers: Vec<Block> = Vec::new();
        for (index, (message, fate)) in conversation.messages.iter().zip(&self.fates).enumerate() {
            if let Some(with) = fate.replaced {
                for inserted in with {
                    neighbours.inserted(inserted.role, index)?;
                    after.messages.push(Message::text(inserted.role, inserted.text.as_str()));
                    origins.push(Origin::Inserted);
                }
                continue;
            }
            let mut edited = message.clone();
            for (block, text) in &fate.shortened {
                if let Some(Block::ToolResult(result)) = edited.blocks.get_mut(*block) {
                    result.content = vec![Block::Text((*text).into())];
                }
            }
            edited.blocks = keep_all_but(edited.blocks, &fate.removed);
            let answered = !carried_answers.is_empty();
            edited.blocks.splice(0..0, carried_answers.drain(..));
            if edited.blocks.is_empty() && !message.blocks.is_empty() {
                continue;
            }
            neighbours.kept(message.role, index)?;
            let untouched = fate.shortened.is_empty() && fate.removed.is_empty() && !answered;
            origins.push(if untouched { Origin::Kept(index) } else { Origin::Changed(index) });
            after.messages.push(edited);
            let answers = answers(message, &fate.answered);
            if joins_next(conversation, index) {
                carried_answers = answers;
            } else {
                push_answers(conversation.results, answers, index, &mut after, &mut neighbours)?;
                origins.resize(after.messages.len(), Origin::Answers(index));
            }
        }
        if let Some(note) = self.note {
            let leading = conversation.leading_system_messages();
            add_note(&mut after, leading, note);
            if let Some((last, prompt)) = leading.checked_sub(1).and_then(|last| Some((last, origins.get_mut(last)?)))
                && conversation.system.is_empty()
            {
                *prompt = Origin::Changed(last);
            }
        }
        Ok((after, origins))
    }
}

/// Adds the answers to calls of the message that was added last, the client's `index`.
fn push_answers(
    style: ResultStyle,
    answers: Vec<Block>,
    index: usize,
    after: &mut Conversation,
    neighbours: &mut Neighbours,
) -> Result<(), EditError> {
    let message = |role, blocks| Message { role, blocks, injected: false, reported_prompt_tokens: None };
    match style {
        ResultStyle::OwnMessage => {
            after.messages.extend(answers.into_iter().map(|answer| message(Role::Tool, vec![answer])));
        }
        ResultStyle::NextUserMessage if answers.is_empty() => {}
        ResultStyle::NextUserMessage => {
            neighbours.inserted(Role::User, index + 1)?;
            after.messages.push(message(Role::User, answers));
        }
    }
    Ok(())
}

/// Watches that no two messages of one role become neighbours that were none before.
#[derive(Default)]
struct Neighbours {
    /// Role of the last message, and its index if it is the client's.
    last: Option<(Role, Option<usize>)>,
}

impl Neighbours {
    fn inserted(&mut self, role: Role, before: usize) -> Result<(), EditError> {
        self.check(role, before)?;
        self.last = Some((role, None));
        Ok(())
    }

    fn kept(&mut self, role: Role, index: usize) -> Result<(), EditError> {
        let were_neighbours = matches!(self.last, Some((_, Some(last))) if last + 1 == index);
        if !were_neighbours {
            self.check(role, index)?;
        }
        self.last = Some((role, Some(index)));
        Ok(())
    }

    fn check(&self, role: Role, message: usize) -> Result<(), EditError> {
        let clash = matches!(role, Role::User | Role::Assistant) && self.last.is_some_and(|(last, _)| last == role);
        if clash { Err(EditError::SameRole { role, message }) } else { Ok(()) }
    }
}

fn non_empty(text: &str) -> Result<&str, EditError> {
    if text.trim().is_empty() { Err(EditError::EmptyText) } else { Ok(text) }
}

fn result_at(messages: &[Message], message: usize, block: usize) -> Result<&ToolResult, EditError> {
    match messages.get(message).and_then(|message| message.blocks.get(block)) {
        Some(Block::ToolResult(result)) => Ok(result),
        Some(Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::Media(_) | Block::Opaque(_)) | None => {
            Err(EditError::NoSuchBlock { expected: "tool result", message, block })
        }
    }
}

/// Whether an answer to a call in `message` belongs into the message after it, which the client sent.
pub fn joins_next(conversation: &Conversation, message: usize) -> bool {
    conversation.results == ResultStyle::NextUserMessage
        && conversation.messages.get(message + 1).is_some_and(|next| next.role == Role::User)
}

fn answers(message: &Message, answered: &[(usize, &str)]) -> Vec<Block> {
    let answer = |(block, text): &(usize, &str)| match message.blocks.get(*block) {
        Some(Block::ToolCall(call)) => Some(Block::ToolResult(ToolResult {
            call_id: call.id.clone(),
            content: vec![Block::Text((*text).into())],
            is_error: false,
        })),
        Some(Block::Text(_) | Block::Thinking(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_))
        | None => None,
    };
    answered.iter().filter_map(answer).collect()
}

fn keep_all_but(blocks: Vec<Block>, removed: &[usize]) -> Vec<Block> {
    let kept = blocks.into_iter().enumerate().filter(|(index, _)| !removed.contains(index));
    kept.map(|(_, block)| block).collect()
}

/// The last message of the system prompt is where it was: nothing before it can go or be added.
fn add_note(after: &mut Conversation, leading_system_messages: usize, note: &str) {
    let block = Block::Text(note.into());
    if !after.system.is_empty() {
        after.system.push(block);
    } else if let Some(last) = leading_system_messages.checked_sub(1)
        && let Some(prompt) = after.messages.get_mut(last)
    {
        prompt.blocks.push(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ToolCall;

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, injected: false, reported_prompt_tokens: None }
    }

    fn call(id: &str) -> Block {
        Block::ToolCall(ToolCall { id: id.into(), name: "bash".into(), arguments: "{}".into() })
    }

    fn result(id: &str) -> Block {
        Block::ToolResult(ToolResult { call_id: id.into(), content: vec![Block::Text("done".into())], is_error: false })
    }

    /// 0 system, 1 user, 2 call, 3 its result, 4 assistant, 5 user, 6 assistant, 7 user
    fn conversation() -> Conversation {
        Conversation {
            messages: vec![
                Message::text(Role::System, "be brief"),
                Message::text(Role::User, "go"),
                message(Role::Assistant, vec![call("a")]),
                message(Role::Tool, vec![result("a")]),
                Message::text(Role::Assistant, "gone"),
                Message::text(Role::User, "further"),
                Message::text(Role::Assistant, "far"),
                Message::text(Role::User, "home"),
            ],
            ..Conversation::default()
        }
    }

    fn replace(start: usize, end: usize, roles: &[Role]) -> Edit {
        let with = roles.iter().map(|role| Inserted { role: *role, text: "said".into() }).collect();
        Edit::Replace { start, end, with }
    }

    fn shorten(message: usize, text: &str) -> Edit {
        Edit::ShortenOutput { message, block: 0, text: text.into() }
    }

    #[track_caller]
    fn check(edits: Vec<Edit>, expected: EditError) {
        assert_eq!(apply(&conversation(), edits), Err(expected));
    }

    #[test]
    fn a_call_is_not_parted_from_its_result() {
        check(vec![replace(3, 5, &[])], EditError::SplitsGroup { message: 3 });
        check(vec![replace(2, 3, &[])], EditError::SplitsGroup { message: 3 });
    }

    #[test]
    fn the_prompt_the_first_request_and_the_newest_message_stay() {
        check(vec![replace(0, 1, &[])], EditError::Untouchable { message: 0, what: "an instruction" });
        check(vec![replace(1, 2, &[])], EditError::Untouchable { message: 1, what: "the first request" });
        check(vec![replace(6, 8, &[])], EditError::Untouchable { message: 7, what: NEWEST_INPUT });
    }

    #[test]
    fn no_two_of_one_role_become_neighbours() {
        check(vec![replace(2, 5, &[Role::User])], EditError::SameRole { role: Role::User, message: 2 });
        check(vec![replace(2, 5, &[])], EditError::SameRole { role: Role::User, message: 5 });
        check(vec![replace(2, 4, &[Role::Assistant])], EditError::SameRole { role: Role::Assistant, message: 4 });
    }

    #[test]
    fn nothing_empty_is_sent() {
        check(vec![shorten(3, " \n")], EditError::EmptyText);
    }

    #[test]
    fn one_place_is_edited_once() {
        check(vec![shorten(3, "a"), shorten(3, "b")], EditError::Overlap { message: 3 });
        check(vec![replace(2, 5, &[Role::Assistant]), shorten(3, "a")], EditError::Overlap { message: 3 });
    }

    #[test]
    fn what_is_not_there_cannot_be_edited() {
        check(vec![shorten(4, "a")], EditError::NoSuchBlock { expected: "tool result", message: 4, block: 0 });
        check(vec![replace(5, 4, &[])], EditError::NoSuchSpan { start: 5, end: 4, len: 8 });
        check(vec![replace(5, 99, &[])], EditError::NoSuchSpan { start: 5, end: 99, len: 8 });
    }

    #[test]
    fn a_note_stands_in_the_prompt_once() {
        let note = || Edit::NoteInSystem { text: "noted".into() };
        check(vec![note(), note()], EditError::Note);
        let noted = apply(&conversation(), vec![note()]).unwrap().into_conversation();
        assert_eq!(apply(&noted, vec![note()]), Err(EditError::Note));
    }

    #[test]
    fn an_answer_needs_the_message_that_it_goes_into() {
        let mut conversation = Conversation {
            messages: vec![
                Message::text(Role::User, "go"),
                message(Role::Assistant, vec![call("lost")]),
                Message::text(Role::User, "well?"),
                Message::text(Role::Assistant, "hm"),
                Message::text(Role::User, "home"),
            ],
            results: ResultStyle::NextUserMessage,
            ..Conversation::default()
        };
        let answer = || Edit::AnswerCall { message: 1, block: 0, text: "unknown".into() };
        let edits = vec![answer(), replace(2, 3, &[Role::User])];
        assert_eq!(apply(&conversation, edits), Err(EditError::Overlap { message: 2 }));
        let answered = apply(&conversation, vec![answer()]).unwrap().into_conversation();
        assert_eq!(Pairing::of(&answered.messages).unanswered_calls, []);
        conversation.results = ResultStyle::OwnMessage;
        let answered = apply(&conversation, vec![answer()]).unwrap().into_conversation();
        assert_eq!(answered.messages[2].role, Role::Tool);
    }

    #[test]
    fn a_paired_result_is_not_removed() {
        check(vec![Edit::RemoveResult { message: 3, block: 0 }], EditError::Paired { message: 3, block: 0 });
    }

    #[test]
    fn an_instruction_stays_whatever_it_holds() {
        let mut conversation = conversation();
        conversation.messages[0].blocks.push(result("lost"));
        let untouchable = Err(EditError::Untouchable { message: 0, what: "an instruction" });
        assert_eq!(apply(&conversation, vec![Edit::RemoveResult { message: 0, block: 1 }]), untouchable);
        let shorten = Edit::ShortenOutput { message: 0, block: 1, text: "short".into() };
        assert_eq!(apply(&conversation, vec![shorten]), untouchable);
    }

    #[test]
    fn an_answer_does_not_bring_two_of_one_role_together() {
        let conversation = Conversation {
            messages: vec![
                message(Role::User, vec![call("lost")]),
                Message::text(Role::Assistant, "hm"),
                Message::text(Role::User, "home"),
            ],
            results: ResultStyle::NextUserMessage,
            ..Conversation::default()
        };
        let answer = Edit::AnswerCall { message: 0, block: 0, text: "unknown".into() };
        assert_eq!(apply(&conversation, vec![answer]), Err(EditError::SameRole { role: Role::User, message: 1 }));
    }
}
