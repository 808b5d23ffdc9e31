//! What excerpts are taken from: the words, calls and outputs of messages, line by line, and the excerpts of an earlier
//! summary.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::ops::Range;

use super::{GAP, SAID, THEN, TOLD, WROTE, reference};
use crate::arguments::{self, CallKind};
use crate::model::{Block, Message, Role, ToolCall};
use crate::summary::notes::keeps_tasks;
use crate::summary::reach::Reach;
use crate::summary::requests;
use crate::tokens::{TokenCounter, Tokens};

/// Who wrote a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Voice {
    /// The agent, in words or in a call.
    Agent,
    /// Anybody else: a tool, a person.
    Other,
}

/// A call with its output, or words.
pub(super) struct Source<'a> {
    heading: Heading<'a>,
    /// The same as a line, once it was asked for: the whole is hashed for it.
    line: OnceCell<String>,
    /// The part, and the offset in it, of the argument that says most about a call.
    named_at: Option<(usize, usize)>,
    /// The line in which it stands: shown whenever anything of the call is.
    pub(super) naming: Option<usize>,
    pub(super) edits: bool,
}

enum Heading<'a> {
    /// As it stood in the earlier summary.
    Kept(&'a str),
    Words {
        who: &'static str,
        text: &'a str,
    },
    Call {
        call: &'a ToolCall,
        output: Option<Cow<'a, str>>,
    },
}

/// A text of a source: what was said, what was given to a call, or what it printed.
pub(super) struct Part<'a> {
    pub(super) source: usize,
    pub(super) voice: Voice,
    /// Whether it is what a call printed.
    pub(super) is_output: bool,
    /// Where it is what an edit replaced.
    replaced: Vec<Range<usize>>,
    pub(super) text: Cow<'a, str>,
    pub(super) lines: Range<usize>,
}

/// A line, or a piece of a very long one.
pub(super) struct Line {
    pub(super) part: u32,
    start: u32,
    end: u32,
    /// What it costs, roughly.
    pub(super) cost: f32,
    /// The piece before it is of the same line.
    pub(super) continues: bool,
    /// The same line stands further below: that one is the newer.
    pub(super) repeated: bool,
    /// Where the same line stands before it: its terms are known.
    pub(super) earlier: Option<u32>,
}

/// All that excerpts can be taken from, oldest first.
#[derive(Default)]
pub(super) struct Transcript<'a> {
    pub(super) sources: Vec<Source<'a>>,
    pub(super) parts: Vec<Part<'a>>,
    pub(super) lines: Vec<Line>,
}

/// What the number before a line costs, which is left out.
const NUMBER_COST: f32 = 3.0;
/// Lines above the first are cut near the second.
const LONG_LINE: usize = 300;
const PIECE: usize = 220;

impl<'a> Transcript<'a> {
    /// Reads messages, of which about `budget` may be said; `earlier` are the excerpts of a summary before them.
    pub(super) fn read(
        earlier: impl Iterator<Item = &'a String>,
        messages: impl Iterator<Item = &'a Message> + Clone,
        budget: Tokens,
        counter: &dyn TokenCounter,
    ) -> Transcript<'a> {
        let mut transcript = Transcript::default();
        earlier.for_each(|item| transcript.read_earlier(item));
        let mut reach = Reach::of(messages.clone(), budget);
        let mut open: HashMap<&str, usize> = HashMap::new();
        for message in messages {
            for block in &message.blocks {
                let is_old = reach.passes_over(message, block);
                match block {
                    Block::Text(_) if is_old => {}
                    Block::Text(text) => transcript.read_words(who(message), text),
                    Block::ToolCall(_) if is_old => {}
                    Block::ToolCall(call) => {
                        open.insert(&call.id, transcript.sources.len());
                        transcript.read_call(call);
                    }
                    Block::ToolResult(result) => {
                        if let Some(source) = open.remove(&*result.call_id).filter(|_| !is_old) {
                            transcript.read_output(source, result.text());
                        }
                    }
                    Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => {}
                }
            }
        }
        transcript.read_lines(counter);
        transcript
    }

    /// A line's text.
    pub(super) fn text(&self, line: &Line) -> &str {
        self.part(line).and_then(|part| part.text.get(line.start as usize..line.end as usize)).unwrap_or_default()
    }

    /// Whether a line is of what an edit replaced.
    pub(super) fn is_replaced(&self, line: &Line) -> bool {
        let start = line.start as usize;
        self.part(line).is_some_and(|part| part.replaced.iter().any(|replaced| replaced.contains(&start)))
    }

    pub(super) fn part(&self, line: &Line) -> Option<&Part<'a>> {
        self.parts.get(line.part as usize)
    }

    fn read_words(&mut self, who: &'static str, text: &'a str) {
        let source = self.open(Heading::Words { who, text });
        self.add(source, if who == SAID { Voice::Agent } else { Voice::Other }, false, Cow::Borrowed(text));
    }

    fn read_call(&mut self, call: &'a ToolCall) {
        let source = self.open(Heading::Call { call, output: None });
        // The list of tasks is told in the notes, as it stands now.
        if keeps_tasks(&call.name) {
            return;
        }
        let given = arguments::given(&call.arguments);
        let Some(source_of) = self.sources.get_mut(source).filter(|_| !given.values.is_empty()) else { return };
        let mut ends = Vec::with_capacity(given.values.len());
        given.values.iter().fold(0, |start, value| {
            ends.push(start + value.len() + 1);
            start + value.len() + 1
        });
        let start_of = |value: usize| value.checked_sub(1).map_or(0, |before| ends[before]);
        source_of.named_at = Some((self.parts.len(), start_of(given.telling.unwrap_or_default())));
        source_of.edits = CallKind::of(&call.name) == CallKind::Writes;
        let replaced = given.replaced.iter().map(|value| start_of(*value)..ends[*value]).collect();
        let mut values = given.values;
        let text = if values.len() == 1 { values.swap_remove(0) } else { values.join("\n").into() };
        self.add(source, Voice::Agent, false, text);
        if let Some(part) = self.parts.last_mut().filter(|part| part.source == source) {
            part.replaced = replaced;
        }
    }

    fn read_output(&mut self, source: usize, text: Cow<'a, str>) {
        if let Some(Source { heading: Heading::Call { output, .. }, .. }) = self.sources.get_mut(source) {
            *output = Some(text.clone());
        }
        self.add(source, Voice::Other, true, text);
    }

    /// Reads back what [`super::Excerpts::items`] wrote.
    fn read_earlier(&mut self, item: &'a str) {
        let mut lines = item.lines();
        let heading = lines.next().unwrap_or_default();
        let (heading, only_output) = match heading.strip_suffix(THEN) {
            Some(heading) => (heading.trim_end(), true),
            None => (heading, false),
        };
        let said = heading.strip_prefix("- ").and_then(|heading| heading.rsplit_once(" #")).map(|(said, _)| said);
        let agent = said != Some(WROTE) && said != Some(TOLD);
        let is_call = agent && said != Some(SAID);
        let source = self.open(Heading::Kept(heading));
        if let (true, Some(source)) = (is_call, self.sources.get_mut(source)) {
            // The switches and numbers before it name nothing.
            let bare = |line: &str| matches!(line, "true" | "false") || line.bytes().all(|byte| byte.is_ascii_digit());
            let before = lines.clone().map(|line| line.trim_start()).take_while(|line| bare(line));
            source.named_at = Some((self.parts.len(), before.map(|line| line.len() + 1).sum()));
        }
        let mut is_output = only_output;
        let mut run = String::new();
        for line in lines.chain([GAP]) {
            let line = line.strip_prefix(' ').unwrap_or(line);
            if line == GAP || line == THEN {
                if !run.is_empty() {
                    let voice = if agent && !is_output { Voice::Agent } else { Voice::Other };
                    self.add(source, voice, is_output, std::mem::take(&mut run).into());
                }
                is_output |= line == THEN;
            } else {
                run.push_str(line);
                run.push('\n');
            }
        }
    }

    fn open(&mut self, heading: Heading<'a>) -> usize {
        self.sources.push(Source { heading, line: OnceCell::new(), named_at: None, naming: None, edits: false });
        self.sources.len() - 1
    }

    fn add(&mut self, source: usize, voice: Voice, is_output: bool, text: Cow<'a, str>) {
        if !text.trim().is_empty() && u32::try_from(text.len()).is_ok() {
            self.parts.push(Part { source, voice, is_output, replaced: Vec::new(), text, lines: 0..0 });
        }
    }

    fn read_lines(&mut self, counter: &dyn TokenCounter) {
        for (index, part) in self.parts.iter_mut().enumerate() {
            let first = self.lines.len();
            let source = self.sources.get_mut(part.source);
            let named_at = source.as_ref().and_then(|source| source.named_at).filter(|(part, _)| *part == index);
            let (mut bytes, mut numbers) = (0, 0);
            for_each_line(&part.text, |start, end, continues| {
                numbers += usize::from(start > 0 && part.text.as_bytes().get(start - 1) != Some(&b'\n') && !continues);
                let visible = part.text.as_bytes().get(start..end).map_or(0, |line| line.trim_ascii_start().len() + 1);
                bytes += visible;
                self.lines.push(Line {
                    part: index as u32,
                    start: start as u32,
                    end: end as u32,
                    cost: visible as f32,
                    continues,
                    repeated: false,
                    earlier: None,
                });
            });
            part.lines = first..self.lines.len();
            if let (Some((_, at)), Some(source)) = (named_at, source) {
                source.naming = (first..self.lines.len()).find(|line| self.lines[*line].end as usize > at);
            }
            // A part is much alike throughout: one estimate serves all its lines.
            let tokens = counter.estimate(&part.text).0 as f32 - NUMBER_COST * numbers as f32;
            let density = tokens.max(0.0) / bytes.max(1) as f32;
            self.lines.iter_mut().skip(first).for_each(|line| line.cost = (line.cost * density).max(1.0));
        }
    }
}

/// Who said the words of a message.
fn who(message: &Message) -> &'static str {
    match message.role {
        Role::Assistant => SAID,
        Role::User if requests::typed(message).is_some() => WROTE,
        // A harness, or whoever else.
        Role::User | Role::System | Role::Tool => TOLD,
    }
}

impl Source<'_> {
    /// The line above its excerpts: what it is, and the beginning of the hash by which the whole is found.
    pub(super) fn heading(&self) -> &str {
        self.line.get_or_init(|| match &self.heading {
            Heading::Kept(heading) => (*heading).to_owned(),
            Heading::Words { who, text } => format!("- {who} #{}", reference(text)),
            Heading::Call { call, output } => {
                // Of a short answer, like `ok`, the whole is what was given.
                let output = output.as_deref().filter(|output| output.len() > call.arguments.len());
                let whole = output.unwrap_or(&call.arguments);
                let name = if call.name.is_empty() { "call" } else { &*call.name };
                format!("- {name} #{}", reference(whole))
            }
        })
    }
}

/// Calls `found` with start, end and whether it goes on from the piece before, for each line that is not blank. Numbers
/// that file readers put before a line are left out.
fn for_each_line(text: &str, mut found: impl FnMut(usize, usize, bool)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |length| start + length);
        let line = bytes[start..end].trim_ascii_end();
        let kept_end = start + line.len();
        let mut from = start + number_before(line);
        if from < kept_end && !bytes[from..kept_end].trim_ascii_start().is_empty() {
            let mut continues = false;
            while kept_end - from > LONG_LINE {
                let cut = cut_near(text, from, kept_end);
                found(from, cut, continues);
                (from, continues) = (cut, true);
            }
            found(from, kept_end, continues);
        }
        start = end + 1;
    }
}

/// Where a piece of a long line ends: behind a blank or a comma if there is one.
fn cut_near(text: &str, from: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let aim = (from + PIECE).min(end);
    let window = &bytes[from + PIECE / 2..aim];
    let behind = memchr::memrchr3(b' ', b',', b';', window).map(|at| from + PIECE / 2 + at + 1);
    let mut cut = behind.unwrap_or(aim);
    while !text.is_char_boundary(cut) {
        cut += 1;
    }
    cut
}

/// How many bytes a line number takes at the start of a line: `  12→`, `12|`, `12:`, `12` and a tab.
fn number_before(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| **byte == b' ').count();
    let digits = line[blanks..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > 6 {
        return 0;
    }
    let rest = &line[blanks + digits..];
    let mark = match rest {
        [b'|' | b'\t', ..] => 1,
        [b':', next, ..] if !next.is_ascii_digit() => 1,
        _ if rest.starts_with("→".as_bytes()) => "→".len(),
        _ => return 0,
    };
    blanks + digits + mark
}
