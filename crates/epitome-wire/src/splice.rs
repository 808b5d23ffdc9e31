//! Puts edits into the client's own bytes: what is not edited comes out as it came in, to the byte.

use std::collections::BTreeMap;
use std::ops::Range;

use epitome_core::edit::{Applied, Edit, Inserted, apply, joins_next};
use epitome_core::model::{Block, ResultStyle, ToolCall};

use crate::anthropic_messages::write_results_message;
use crate::dialect::{NoteInString, Rules};
use crate::error::SpliceError;
use crate::json::{Document, DuplicateKeys, Kind, Span, Value};
use crate::request::{Container, Format, Request};
use crate::strings::{write_inner, write_string};

/// A request with edits in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spliced {
    /// The new request.
    pub bytes: Vec<u8>,
    /// What differs, in order; no two touch.
    pub patches: Vec<Patch>,
}

/// A stretch of the client's bytes, and what stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// In the client's bytes.
    pub original: Range<usize>,
    /// In the new ones.
    pub replacement: Range<usize>,
}

impl Request {
    /// Puts edits into this request. They must have been applied to its own conversation, which is proved by applying
    /// them again.
    ///
    /// Reading the result gives the conversation of `applied`, with one exception: a note inside a system prompt that is a
    /// string is read as the end of that string, behind an empty line. Whether it is put inside is decided by the dialect:
    /// Messages takes a list everywhere, of those who speak the others some take a string alone.
    ///
    /// Refused, though `apply` accepts it, is removing lines so that those left would be read as something else.
    pub fn splice(&self, applied: &Applied) -> Result<Spliced, SpliceError> {
        self.splice_with(applied, self.dialect().rules().note_in_string(), Vec::new())
    }

    /// As [`Request::splice`], where it is known what the provider takes, and with changes elsewhere than in the
    /// conversation.
    pub(crate) fn splice_with(
        &self,
        applied: &Applied,
        note: NoteInString,
        changes: Vec<Change>,
    ) -> Result<Spliced, SpliceError> {
        if apply(self.conversation(), applied.edits().to_vec())? != *applied {
            return Err(SpliceError::AnotherConversation);
        }
        let mut splicer = Splicer { request: self, rules: self.dialect().rules(), note, changes };
        splicer.splice(applied)?;
        let spliced = finish(self.bytes(), splicer.changes)?;
        if self.container() == Container::Lines && !applied.edits().is_empty() && !applied.edits().iter().any(inserts) {
            // What we insert is a message for sure; the client's own lines may be read as sessions once they are alone.
            let again = Request::read(spliced.bytes.clone(), Format::Given(self.dialect()), DuplicateKeys::Carry);
            if again.ok().is_none_or(|again| again.container() != Container::Lines) {
                return Err(SpliceError::NotLines);
            }
        }
        Ok(spliced)
    }
}

/// Puts pieces of the original back: each range of `bytes` becomes the piece beside it. `None` if the ranges are not in
/// order, overlap or are not in `bytes`.
pub fn unsplice(bytes: &[u8], pieces: &[(Range<usize>, &[u8])]) -> Option<Vec<u8>> {
    let mut original = Vec::new();
    let mut done = 0;
    for (range, piece) in pieces {
        original.extend_from_slice(bytes.get(done..range.start)?);
        original.extend_from_slice(piece);
        bytes.get(range.clone())?;
        done = range.end;
    }
    original.extend_from_slice(bytes.get(done..)?);
    Some(original)
}

/// A stretch of the client's bytes, and the bytes that take its place.
pub(crate) struct Change {
    pub(crate) range: Range<usize>,
    pub(crate) bytes: Vec<u8>,
}

pub(crate) struct Splicer<'request> {
    pub(crate) request: &'request Request,
    pub(crate) rules: &'static dyn Rules,
    pub(crate) note: NoteInString,
    pub(crate) changes: Vec<Change>,
}

/// What happens inside one message.
#[derive(Default)]
struct Inside<'edits> {
    shortened: Vec<(usize, &'edits str)>,
    removed: Vec<usize>,
    /// Answers to calls of the message before, as blocks.
    answers: Vec<Vec<u8>>,
}

impl<'request> Splicer<'request> {
    fn splice(&mut self, applied: &Applied) -> Result<(), SpliceError> {
        let edits = applied.edits();
        let mut inside: BTreeMap<usize, Inside<'_>> = BTreeMap::new();
        let mut answered: BTreeMap<usize, Vec<(usize, &str)>> = BTreeMap::new();
        for edit in edits {
            match edit {
                Edit::NoteInSystem { text } => self.note(text)?,
                Edit::Replace { start, end, with } => self.replace(*start, *end, with)?,
                Edit::ShortenOutput { message, block, text } => {
                    inside.entry(*message).or_default().shortened.push((*block, text));
                }
                Edit::RemoveResult { message, block } => inside.entry(*message).or_default().removed.push(*block),
                Edit::AnswerCall { message, block, text } => {
                    answered.entry(*message).or_default().push((*block, text));
                }
            }
        }
        for (message, calls) in answered {
            let answers = self.answers(message, &calls)?;
            if joins_next(self.request.conversation(), message) {
                if edits.iter().any(|edit| replaces(edit, message + 1)) {
                    return Err(SpliceError::NoPlaceForAnswer { message });
                }
                inside.entry(message + 1).or_default().answers = answers;
            } else {
                self.insert_behind(message, answers)?;
            }
        }
        for (message, inside) in inside {
            match self.request.conversation().results {
                ResultStyle::OwnMessage => self.edit_result_message(message, &inside)?,
                ResultStyle::NextUserMessage => self.edit_blocks(message, inside)?,
            }
        }
        Ok(())
    }

    fn note(&mut self, note: &str) -> Result<(), SpliceError> {
        let conversation = self.request.conversation();
        if !conversation.system.is_empty() {
            let span = self.request.system_span().ok_or(SpliceError::NoPlaceForNote)?;
            let document = self.document(span, 0)?;
            let prompt = document.single_root().ok_or(SpliceError::NoPlaceForNote)?;
            let form = if self.request.dialect().system_takes_parts() { self.note } else { NoteInString::Inside };
            self.note_in(prompt, note, form);
            return Ok(());
        }
        // No edit can take an instruction away or put something before it, so the last one is where it was.
        let last = conversation.leading_system_messages().checked_sub(1).ok_or(SpliceError::NoPlaceForNote)?;
        let document = self.document(self.only_element(last)?, last)?;
        let element = document.single_root().ok_or(SpliceError::NoPlaceForNote)?;
        let blocks = conversation.messages.get(last).map(|message| &message.blocks[..]).unwrap_or_default();
        if matches!(blocks, [Block::Opaque(unknown)] if *unknown.text == *element.raw()) {
            // We cannot know where in it a note would be read.
            return Err(SpliceError::NoPlaceForNote);
        }
        match element.get("content") {
            Some(prompt) => self.note_in(prompt, note, self.note),
            None => self.set_key(element, "content", json_string(note)),
        }
        Ok(())
    }

    fn note_in(&mut self, prompt: Value<'_>, note: &str, form: NoteInString) {
        let Range { start, end } = prompt.span().range();
        let mut part = Vec::new();
        self.rules.write_system_part(&mut part, note);
        match (prompt.kind(), form) {
            (Kind::String, _) if prompt.is_string("") => self.change(start..end, json_string(note)),
            (Kind::String, NoteInString::Inside) => {
                let mut inner = br"\n\n".to_vec();
                write_inner(&mut inner, note);
                self.change(end - 1..end - 1, inner);
            }
            (Kind::String, NoteInString::AsPart) => {
                let opening = format!(r#"[{{"type":{},"text":"#, self.request.dialect().text_type());
                self.change(start..start, opening.into_bytes());
                self.change(end..end, [b"},", &part[..], b"]"].concat());
            }
            (Kind::Array, _) => {
                let parts: Vec<Span> = prompt.items().map(Value::span).collect();
                match parts.last() {
                    Some(last) => {
                        let at = last.end as usize;
                        self.change(at..at, [self.comma_like_first(&parts), part].concat());
                    }
                    None => self.change(start + 1..start + 1, part),
                }
            }
            (Kind::Literal, _) if prompt.is_null() => self.change(start..end, json_string(note)),
            (Kind::Object | Kind::Number | Kind::Literal, _) => {
                self.change(start..start, b"[".to_vec());
                self.change(end..end, [b",", &part[..], b"]"].concat());
            }
        }
    }

    fn replace(&mut self, start: usize, end: usize, with: &[Inserted]) -> Result<(), SpliceError> {
        let unlocated = || SpliceError::Unlocated { message: start };
        let first = self.request.elements_of(start).ok_or_else(unlocated)?.start;
        let last = end.checked_sub(1).and_then(|last| self.request.elements_of(last)).ok_or_else(unlocated)?.end;
        let encode = |inserted: &Inserted| {
            let mut out = Vec::new();
            self.rules.write_message(&mut out, inserted.role, &inserted.text);
            out
        };
        let with: Vec<Vec<u8>> = with.iter().map(encode).collect();
        self.replace_elements(first..last, &with).ok_or_else(unlocated)
    }

    /// The answers to calls of a message: elements, or blocks where results are blocks.
    fn answers(&self, message: usize, calls: &[(usize, &str)]) -> Result<Vec<Vec<u8>>, SpliceError> {
        let unlocated = || SpliceError::Unlocated { message };
        let asked = self.request.conversation().messages.get(message).ok_or_else(unlocated)?;
        let mut answers = Vec::new();
        let mut blocks_before = 0;
        for element in self.request.elements_of(message).ok_or_else(unlocated)? {
            let span = *self.request.elements().get(element).ok_or_else(unlocated)?;
            let document = self.document(span, message)?;
            let element = document.single_root().ok_or_else(unlocated)?;
            let blocks = self.rules.decode(element).map_err(|_| unlocated())?.blocks.len();
            for (block, text) in calls {
                if (blocks_before..blocks_before + blocks).contains(block) {
                    let call = asked.blocks.get(*block).and_then(as_call).ok_or_else(unlocated)?;
                    let mut out = Vec::new();
                    self.rules.write_answer(&mut out, element, call, text);
                    answers.push(out);
                }
            }
            blocks_before += blocks;
        }
        if answers.len() == calls.len() { Ok(answers) } else { Err(unlocated()) }
    }

    fn insert_behind(&mut self, message: usize, answers: Vec<Vec<u8>>) -> Result<(), SpliceError> {
        let unlocated = || SpliceError::Unlocated { message };
        let elements = match self.request.conversation().results {
            ResultStyle::OwnMessage => answers,
            ResultStyle::NextUserMessage => {
                let mut out = Vec::new();
                write_results_message(&mut out, &answers);
                vec![out]
            }
        };
        let last = self.request.elements_of(message).ok_or_else(unlocated)?.end.checked_sub(1).ok_or_else(unlocated)?;
        let at = self.request.elements().get(last).ok_or_else(unlocated)?.end as usize;
        // As between this element and the one behind it: that is where the new ones stand.
        let separator = self.separator(last + 1);
        let bytes = elements.iter().flat_map(|element| [&separator[..], element].concat()).collect();
        self.change(at..at, bytes);
        Ok(())
    }

    /// Edits a message that is one tool result.
    fn edit_result_message(&mut self, message: usize, inside: &Inside<'_>) -> Result<(), SpliceError> {
        let unlocated = || SpliceError::Unlocated { message };
        let span = self.only_element(message)?;
        if !inside.removed.is_empty() {
            let elements = self.request.elements_of(message).ok_or_else(unlocated)?;
            return self.replace_elements(elements, &[]).ok_or_else(unlocated);
        }
        let document = self.document(span, message)?;
        let element = document.single_root().ok_or_else(unlocated)?;
        for (block, text) in &inside.shortened {
            if *block != 0 {
                return Err(unlocated());
            }
            self.set_key(element, self.rules.result_key(), json_string(text));
        }
        Ok(())
    }

    /// Edits a message whose results are blocks among others.
    fn edit_blocks(&mut self, message: usize, inside: Inside<'_>) -> Result<(), SpliceError> {
        let unlocated = || SpliceError::Unlocated { message };
        let document = self.document(self.only_element(message)?, message)?;
        let element = document.single_root().ok_or_else(unlocated)?;
        let content = element.get("content");
        let list = content.filter(|content| content.kind() == Kind::Array);
        // A block that stands alone in the place of a list counts as a list of one.
        let alone = content.filter(|content| content.kind() == Kind::Object);
        let blocks: Vec<Value<'_>> = list.into_iter().flat_map(Value::items).chain(alone).collect();
        if inside.removed.len() > blocks.len() {
            return Err(unlocated());
        }
        let all_go = !blocks.is_empty() && inside.removed.len() == blocks.len();
        if all_go && inside.answers.is_empty() {
            let elements = self.request.elements_of(message).ok_or_else(unlocated)?;
            return self.replace_elements(elements, &[]).ok_or_else(unlocated);
        }
        for (block, text) in &inside.shortened {
            let result = *blocks.get(*block).ok_or_else(unlocated)?;
            self.set_key(result, self.rules.result_key(), json_string(text));
        }
        match (list, alone) {
            (Some(list), _) => {
                let spans: Vec<Span> = blocks.into_iter().map(Value::span).collect();
                self.change_list(list, &spans, &inside.removed, &inside.answers);
            }
            (None, Some(block)) if all_go => {
                let answers = [b"[", &inside.answers.join(&b","[..])[..], b"]"].concat();
                self.change(block.span().range(), answers);
            }
            (None, _) if inside.answers.is_empty() => {}
            (None, _) => self.wrap_content(element, content, &inside.answers),
        }
        Ok(())
    }

    /// Makes a content that is no list into one, behind `answers`. The content's own bytes stay.
    fn wrap_content(&mut self, element: Value<'_>, content: Option<Value<'_>>, answers: &[Vec<u8>]) {
        let answers = answers.join(&b","[..]);
        let said = content.filter(|content| !content.is_null() && !content.is_string(""));
        let Some(said) = said else {
            self.set_key(element, "content", [b"[", &answers[..], b"]"].concat());
            return;
        };
        let (opening, closing): (&[u8], &[u8]) = match said.kind() {
            Kind::String => (br#"{"type":"text","text":"#, b"}]"),
            Kind::Object | Kind::Array | Kind::Number | Kind::Literal => (b"", b"]"),
        };
        let Range { start, end } = said.span().range();
        self.change(start..start, [b"[", &answers[..], b",", opening].concat());
        self.change(end..end, closing.to_vec());
    }

    /// Removes some elements of a JSON array and puts others at its front.
    pub(crate) fn change_list(&mut self, list: Value<'_>, spans: &[Span], removed: &[usize], front: &[Vec<u8>]) {
        let comma = self.comma_like_first(spans);
        let joined = front.join(&comma[..]);
        let Some((first, last)) = spans.first().zip(spans.last()) else {
            let inside = list.span().start as usize + 1;
            self.change(inside..inside, joined);
            return;
        };
        if removed.len() == spans.len() {
            self.change(first.start as usize..last.end as usize, joined);
            return;
        }
        if !front.is_empty() {
            let at = first.start as usize;
            self.change(at..at, [joined, comma].concat());
        }
        let mut index = 0;
        while let Some(span) = spans.get(index) {
            let run = (index..spans.len()).take_while(|index| removed.contains(index)).count();
            if run > 0 {
                let before = index.checked_sub(1).and_then(|before| spans.get(before));
                let range = match (spans.get(index + run), before) {
                    (Some(next), _) => span.start..next.start,
                    (None, Some(before)) => before.end..last.end,
                    (None, None) => span.start..last.end,
                };
                self.change(range.start as usize..range.end as usize, Vec::new());
            }
            index += run + 1;
        }
    }

    /// Puts `with` in the place of some elements of the outer list; takes a separator along if there is nothing to put.
    fn replace_elements(&mut self, range: Range<usize>, with: &[Vec<u8>]) -> Option<()> {
        let elements = self.request.elements();
        let first = *elements.get(range.start)?;
        let last = *elements.get(range.end.checked_sub(1)?)?;
        if !with.is_empty() {
            let bytes = with.join(&self.separator(range.start)[..]);
            self.change(first.start as usize..last.end as usize, bytes);
            return Some(());
        }
        let before = range.start.checked_sub(1).and_then(|before| elements.get(before));
        let gone = match (elements.get(range.end), before) {
            (Some(next), _) => first.start..next.start,
            (None, Some(before)) => before.end..last.end,
            (None, None) => first.start..last.end,
        };
        self.change(gone.start as usize..gone.end as usize, Vec::new());
        Some(())
    }

    /// What parts an element of the outer list from the one before it; for the first, from the one behind.
    fn separator(&self, element: usize) -> Vec<u8> {
        let elements = self.request.elements();
        let between = |index: usize| elements.get(index.checked_sub(1)?).zip(elements.get(index));
        let between = between(element).or_else(|| between(element + 1));
        let text = between.and_then(|(left, right)| self.between(*left, *right)).unwrap_or_default();
        match self.request.container() {
            Container::Object | Container::Array if text.is_empty() => b",".to_vec(),
            Container::Object | Container::Array => text.to_vec(),
            Container::Lines if text.contains(&b'\r') => b"\r\n".to_vec(),
            Container::Lines => b"\n".to_vec(),
        }
    }

    /// What parts the first two elements of an array.
    fn comma_like_first(&self, spans: &[Span]) -> Vec<u8> {
        let between = spans.first().zip(spans.get(1)).and_then(|(left, right)| self.between(*left, *right));
        between.unwrap_or(b",").to_vec()
    }

    fn between(&self, left: Span, right: Span) -> Option<&[u8]> {
        self.request.bytes().get(left.end as usize..right.start as usize)
    }

    fn set_key(&mut self, object: Value<'_>, key: &str, value: Vec<u8>) {
        match object.get(key) {
            Some(old) => self.change(old.span().range(), value),
            None => {
                // Not empty: it has a role or a type.
                let inside = object.span().start as usize + 1;
                let mut bytes = json_string(key);
                bytes.push(b':');
                bytes.extend(value);
                bytes.push(b',');
                self.change(inside..inside, bytes);
            }
        }
    }

    fn change(&mut self, range: Range<usize>, bytes: Vec<u8>) {
        self.changes.push(Change { range, bytes });
    }

    pub(crate) fn only_element(&self, message: usize) -> Result<Span, SpliceError> {
        let elements = self.request.elements_of(message).filter(|elements| elements.len() == 1);
        let element = elements.and_then(|elements| self.request.elements().get(elements.start));
        element.copied().ok_or(SpliceError::Unlocated { message })
    }

    pub(crate) fn document(&self, span: Span, message: usize) -> Result<Document<'request>, SpliceError> {
        Document::read_value(self.request.text(), span).map_err(|_| SpliceError::Unlocated { message })
    }
}

/// Writes the client's bytes with the changes in them.
pub(crate) fn finish(original: &[u8], mut changes: Vec<Change>) -> Result<Spliced, SpliceError> {
    changes.sort_by_key(|change| (change.range.start, change.range.end));
    let added: usize = changes.iter().map(|change| change.bytes.len()).sum();
    let gone: usize = changes.iter().map(|change| change.range.len()).sum();
    let mut bytes = Vec::with_capacity((original.len() + added).saturating_sub(gone));
    let mut patches: Vec<Patch> = Vec::with_capacity(changes.len());
    let mut done = 0;
    for change in changes {
        let kept = original.get(done..change.range.start).ok_or(SpliceError::AnotherConversation)?;
        bytes.extend_from_slice(kept);
        let start = bytes.len();
        bytes.extend_from_slice(&change.bytes);
        done = change.range.end;
        match patches.last_mut() {
            Some(last) if last.original.end == change.range.start => {
                last.original.end = change.range.end;
                last.replacement.end = bytes.len();
            }
            Some(_) | None => patches.push(Patch { original: change.range, replacement: start..bytes.len() }),
        }
    }
    bytes.extend_from_slice(original.get(done..).ok_or(SpliceError::AnotherConversation)?);
    Ok(Spliced { bytes, patches })
}

/// Whether an edit puts a message of ours among the client's.
fn inserts(edit: &Edit) -> bool {
    match edit {
        Edit::Replace { with, .. } => !with.is_empty(),
        Edit::AnswerCall { .. } => true,
        Edit::ShortenOutput { .. } | Edit::NoteInSystem { .. } | Edit::RemoveResult { .. } => false,
    }
}

fn replaces(edit: &Edit, message: usize) -> bool {
    match edit {
        Edit::Replace { start, end, .. } => (*start..*end).contains(&message),
        Edit::ShortenOutput { .. }
        | Edit::NoteInSystem { .. }
        | Edit::AnswerCall { .. }
        | Edit::RemoveResult { .. } => false,
    }
}

fn as_call(block: &Block) -> Option<&ToolCall> {
    match block {
        Block::ToolCall(call) => Some(call),
        Block::Text(_) | Block::Thinking(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_) => None,
    }
}

pub(crate) fn json_string(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}
