//! Two rounds of edits as one: edits of what the first round made become edits of the client's own conversation.
//!
//! A client sends its whole history again and again, and knows nothing of our edits. So each compaction is written down
//! as *all* edits from the client's messages to what the provider is sent, however many compactions there were before.

use std::collections::BTreeMap;

use super::{Applied, Edit, EditError, Inserted, Origin, apply, joins_next, position};
use crate::model::{Conversation, ResultStyle};

/// Why two rounds of edits could not become one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// A place of the second round is none of the client's, and no edit of the first round made it.
    #[error("an edit touches message {message}, of which the client has nothing")]
    NotTheClients {
        /// The message, as the second round counts.
        message: usize,
    },
    /// The edits that were found break the client's conversation.
    #[error("the edits together are refused")]
    Refused(#[from] EditError),
    /// They lead elsewhere than the two rounds one after the other. A defect of ours.
    #[error("the edits together lead elsewhere")]
    LeadsElsewhere,
}

/// The edits that make of `client` what `second` makes of the outcome of `first`. Proved by applying them.
pub fn compose(client: &Conversation, first: &Applied, second: &Applied) -> Result<Applied, ComposeError> {
    let mut rounds = Rounds::new(client, first);
    for edit in second.edits() {
        rounds.add(edit)?;
    }
    let composed = apply(client, rounds.edits())?;
    if composed.conversation() == second.conversation() { Ok(composed) } else { Err(ComposeError::LeadsElsewhere) }
}

/// The place of a block in the client's conversation.
type Place = (usize, usize);

struct Rounds<'a> {
    client: &'a Conversation,
    origins: &'a [Origin],
    note: Option<&'a str>,
    /// What each message of the first round's outcome becomes in the second, if it goes; only the first of a span has words.
    replaced: BTreeMap<usize, &'a [Inserted]>,
    shortened: BTreeMap<Place, &'a str>,
    answered: BTreeMap<Place, &'a str>,
    removed: Vec<Place>,
    /// What the first round put in place of the client's messages, by the first that went.
    inserted: BTreeMap<usize, &'a [Inserted]>,
}

impl<'a> Rounds<'a> {
    fn new(client: &'a Conversation, first: &'a Applied) -> Rounds<'a> {
        let mut rounds = Rounds {
            client,
            origins: first.origins(),
            note: None,
            replaced: BTreeMap::new(),
            shortened: BTreeMap::new(),
            answered: BTreeMap::new(),
            removed: Vec::new(),
            inserted: BTreeMap::new(),
        };
        for edit in first.edits() {
            match edit {
                Edit::NoteInSystem { text } => rounds.note = Some(text),
                Edit::Replace { start, with, .. } => {
                    rounds.inserted.insert(*start, with);
                }
                Edit::ShortenOutput { message, block, text } => {
                    rounds.shortened.insert((*message, *block), text);
                }
                Edit::AnswerCall { message, block, text } => {
                    rounds.answered.insert((*message, *block), text);
                }
                Edit::RemoveResult { message, block } => rounds.removed.push((*message, *block)),
            }
        }
        rounds
    }

    fn add(&mut self, edit: &'a Edit) -> Result<(), ComposeError> {
        match edit {
            Edit::NoteInSystem { text } => self.note = Some(text),
            Edit::Replace { start, end, with } => {
                for index in *start..*end {
                    self.replaced.insert(index, if index == *start { with } else { &[] });
                }
            }
            Edit::ShortenOutput { message, block, text } => match self.place(*message, *block)? {
                Placed::Block(place) => {
                    self.shortened.insert(place, text);
                }
                Placed::AnswerTo(call) => {
                    self.answered.insert(call, text);
                }
            },
            Edit::AnswerCall { message, block, text } => match self.place(*message, *block)? {
                Placed::Block(place) => {
                    self.answered.insert(place, text);
                }
                Placed::AnswerTo(_) => return Err(ComposeError::NotTheClients { message: *message }),
            },
            Edit::RemoveResult { message, block } => match self.place(*message, *block)? {
                Placed::Block(place) => self.removed.push(place),
                Placed::AnswerTo(call) => {
                    self.answered.remove(&call);
                }
            },
        }
        Ok(())
    }

    /// What a block of the first round's outcome is in the client's conversation.
    fn place(&self, message: usize, block: usize) -> Result<Placed, ComposeError> {
        let unknown = ComposeError::NotTheClients { message };
        match self.origins.get(message) {
            Some(Origin::Kept(client)) => Ok(Placed::Block((*client, block))),
            Some(Origin::Changed(client)) => {
                let answers = self.answers_before(*client);
                if let Some(call) = answers.get(block) {
                    return Ok(Placed::AnswerTo(*call));
                }
                let wanted = block - answers.len();
                let blocks = self.client.messages.get(*client).map_or(0, |message| message.blocks.len());
                let mut left = (0..blocks).filter(|block| !self.removed.contains(&(*client, *block)));
                left.nth(wanted).map(|block| Placed::Block((*client, block))).ok_or(unknown)
            }
            Some(Origin::Answers(client)) => {
                // One message each, or one for all of them.
                let before = self.origins.iter().take(message).rev();
                let earlier = before.take_while(|origin| **origin == Origin::Answers(*client)).count();
                let nth = match self.client.results {
                    ResultStyle::OwnMessage => earlier,
                    ResultStyle::NextUserMessage => block,
                };
                let mut answers = self.answers_to(*client);
                answers.nth(nth).map(Placed::AnswerTo).ok_or(unknown)
            }
            Some(Origin::Inserted) | None => Err(unknown),
        }
    }

    /// The calls of the message before that were answered inside of a message, in order.
    fn answers_before(&self, message: usize) -> Vec<Place> {
        match message.checked_sub(1).filter(|before| joins_next(self.client, *before)) {
            Some(before) => self.answers_to(before).collect(),
            None => Vec::new(),
        }
    }

    fn answers_to(&self, message: usize) -> impl Iterator<Item = Place> {
        self.answered.range((message, 0)..(message + 1, 0)).map(|(call, _)| *call)
    }

    /// All edits, in terms of the client's messages.
    fn edits(self) -> Vec<Edit> {
        let gaps = self.gaps();
        let stays = |message: usize| !gaps.iter().any(|gap| (gap.start..gap.end).contains(&message));
        let mut edits: Vec<Edit> = Vec::new();
        edits.extend(self.note.map(|text| Edit::NoteInSystem { text: text.to_owned() }));
        let inside = self.shortened.iter().filter(|((message, _), _)| stays(*message));
        edits.extend(inside.map(|((message, block), text)| Edit::ShortenOutput {
            message: *message,
            block: *block,
            text: (*text).to_owned(),
        }));
        let answered = self.answered.iter().filter(|((message, _), _)| stays(*message));
        edits.extend(answered.map(|((message, block), text)| Edit::AnswerCall {
            message: *message,
            block: *block,
            text: (*text).to_owned(),
        }));
        let removed = self.removed.iter().filter(|(message, _)| stays(*message));
        edits.extend(removed.map(|(message, block)| Edit::RemoveResult { message: *message, block: *block }));
        edits.extend(gaps.into_iter().map(|Gap { start, end, with }| Edit::Replace { start, end, with }));
        edits.sort_by_key(position);
        edits
    }

    /// The runs of the client's messages that are gone after both rounds, and what stands in their places.
    fn gaps(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = Vec::new();
        let mut next = 0;
        let mut with: Vec<Inserted> = Vec::new();
        let mut inserted = self.inserted.values().flat_map(|with| with.iter());
        for (index, origin) in self.origins.iter().enumerate() {
            let second = self.replaced.get(&index);
            with.extend(second.into_iter().flat_map(|with| with.iter().cloned()));
            match (origin, second) {
                (Origin::Kept(client) | Origin::Changed(client), None) => {
                    self.close(next, *client, std::mem::take(&mut with), &mut gaps);
                    next = client + 1;
                }
                (Origin::Inserted, second) => {
                    let first = inserted.next().filter(|_| second.is_none());
                    with.extend(first.cloned());
                }
                (Origin::Kept(_) | Origin::Changed(_), Some(_)) | (Origin::Answers(_), _) => {}
            }
        }
        gaps
    }

    /// A result that answered nothing may have been a message: where it is all that went, it is no gap.
    fn close(&self, start: usize, end: usize, with: Vec<Inserted>, gaps: &mut Vec<Gap>) {
        let was_removed = |message: usize| self.removed.iter().any(|(removed, _)| *removed == message);
        if start < end && !(with.is_empty() && (start..end).all(was_removed)) {
            gaps.push(Gap { start, end, with });
        }
    }
}

enum Placed {
    /// It is the client's block.
    Block(Place),
    /// It is our answer to this call.
    AnswerTo(Place),
}

struct Gap {
    start: usize,
    end: usize,
    with: Vec<Inserted>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Block, Message, Role, ToolCall, ToolResult};

    fn call(id: &str) -> Block {
        Block::ToolCall(ToolCall { id: id.into(), name: "bash".into(), arguments: "{}".into() })
    }

    fn result(id: &str) -> Block {
        Block::ToolResult(ToolResult { call_id: id.into(), content: vec![Block::Text("long".into())], is_error: false })
    }

    fn message(role: Role, blocks: Vec<Block>) -> Message {
        Message { role, blocks, injected: false, reported_prompt_tokens: None }
    }

    /// 0 system, 1 request, then twelve calls with their results, and a question at the end.
    fn conversation(results: ResultStyle) -> Conversation {
        let mut messages = vec![Message::text(Role::System, "be brief"), Message::text(Role::User, "go")];
        let role = match results {
            ResultStyle::OwnMessage => Role::Tool,
            ResultStyle::NextUserMessage => Role::User,
        };
        for number in 0..12 {
            let id = format!("call {number}");
            messages.push(message(Role::Assistant, vec![Block::Thinking("hm".into()), call(&id)]));
            messages.push(message(role, vec![result(&id)]));
        }
        messages.push(message(Role::Assistant, vec![call("lost")]));
        messages.push(Message::text(Role::User, "well?"));
        messages.push(Message::text(Role::Assistant, "hm"));
        messages.push(Message::text(Role::User, "and now?"));
        Conversation { messages, results, ..Conversation::default() }
    }

    fn said(role: Role, text: &str) -> Inserted {
        Inserted { role, text: text.to_owned() }
    }

    fn replace(start: usize, end: usize, with: &[Inserted]) -> Edit {
        Edit::Replace { start, end, with: with.to_vec() }
    }

    fn shorten(message: usize, text: &str) -> Edit {
        Edit::ShortenOutput { message, block: 0, text: text.to_owned() }
    }

    #[track_caller]
    fn check(client: &Conversation, first: Vec<Edit>, second: Vec<Edit>) -> Vec<Edit> {
        let first = apply(client, first).unwrap();
        let second = apply(first.conversation(), second).unwrap();
        let composed = compose(client, &first, &second).unwrap();
        assert_eq!(composed.conversation(), second.conversation());
        composed.edits().to_vec()
    }

    #[test]
    fn a_summary_of_a_summary_stands_for_all_that_went() {
        let client = conversation(ResultStyle::OwnMessage);
        let note = Edit::NoteInSystem { text: "noted".to_owned() };
        let first = vec![note.clone(), replace(2, 8, &[said(Role::Assistant, "once"), said(Role::User, "on")])];
        // What the first round made: 0 system, 1 request, 2 "once", 3 "on", 4 call 3, 5 its result, …
        let twice = [said(Role::Assistant, "twice"), said(Role::User, "on")];
        let second = vec![replace(2, 8, &twice), shorten(9, "short")];
        let expected = vec![note, replace(2, 12, &twice), shorten(13, "short")];
        assert_eq!(check(&client, first, second), expected);
    }

    #[test]
    fn what_the_second_round_leaves_of_the_first_stays() {
        let client = conversation(ResultStyle::OwnMessage);
        let first = vec![replace(2, 4, &[said(Role::Assistant, "first"), said(Role::User, "on")]), shorten(7, "short")];
        // 0 system, 1 request, 2 "first", 3 "on", 4 call 1, …: the summary stays, and what stood behind it goes.
        let second = vec![replace(4, 6, &[said(Role::Assistant, "second"), said(Role::User, "on")])];
        let all = [said(Role::Assistant, "first"), said(Role::User, "on"), said(Role::Assistant, "second")];
        let with: Vec<Inserted> = all.into_iter().chain([said(Role::User, "on")]).collect();
        assert_eq!(check(&client, first, second), [replace(2, 6, &with), shorten(7, "short")]);
    }

    #[test]
    fn an_output_that_became_shorter_may_become_shorter_still() {
        for style in [ResultStyle::OwnMessage, ResultStyle::NextUserMessage] {
            let client = conversation(style);
            let edits = check(&client, vec![shorten(3, "short")], vec![shorten(3, "s"), shorten(5, "t")]);
            assert_eq!(edits, [shorten(3, "s"), shorten(5, "t")]);
        }
    }

    #[test]
    fn answers_of_ours_keep_their_place() {
        for style in [ResultStyle::OwnMessage, ResultStyle::NextUserMessage] {
            let client = conversation(style);
            let answer = Edit::AnswerCall { message: 26, block: 0, text: "unknown".to_owned() };
            let second = vec![replace(2, 4, &[])];
            let edits = check(&client, vec![answer.clone(), shorten(5, "short")], second);
            assert_eq!(edits, [replace(2, 4, &[]), shorten(5, "short"), answer.clone()]);
            let shorter = Edit::AnswerCall { message: 26, block: 0, text: "?".to_owned() };
            assert_eq!(check(&client, vec![answer], vec![shorten(27, "?")]), [shorter]);
        }
    }

    #[test]
    fn an_answer_of_ours_goes_with_its_call() {
        let client = conversation(ResultStyle::OwnMessage);
        let answer = Edit::AnswerCall { message: 26, block: 0, text: "unknown".to_owned() };
        let second = vec![replace(26, 28, &[said(Role::Assistant, "asked in vain")])];
        let expected = [replace(26, 27, &[said(Role::Assistant, "asked in vain")])];
        assert_eq!(check(&client, vec![answer], second), expected);
    }

    #[test]
    fn a_removed_result_is_no_gap() {
        let mut client = conversation(ResultStyle::OwnMessage);
        client.messages.insert(4, message(Role::Tool, vec![result("nobody asked")]));
        let orphan = Edit::RemoveResult { message: 4, block: 0 };
        assert_eq!(check(&client, vec![orphan.clone()], vec![shorten(3, "s")]), [shorten(3, "s"), orphan.clone()]);
        // Between two that go, it goes with them.
        let second = vec![replace(2, 6, &[said(Role::Assistant, "both"), said(Role::User, "on")])];
        let with = [said(Role::Assistant, "both"), said(Role::User, "on")];
        assert_eq!(check(&client, vec![orphan], second), [replace(2, 7, &with)]);
    }
}
