//! A summary without a model: the transcript itself, sorted under the headings and cut to its budget.
//!
//! It cannot fail, so every ladder has a floor. Requests and constraints are kept word for word, calls become one line
//! each with their outcome, files are named with what was done to them, and error lines are kept as they were printed.

use std::collections::HashMap;

use async_trait::async_trait;
use xxhash_rust::xxh3::xxh3_64;

use super::template::{REQUEST_OPEN, Section, Sections, fence, unfence};
use super::{NewestRequest, SummarizeError, Summarizer, SummaryRequest, requests};
use crate::arguments::{self, CallKind, PATH_KEYS};
use crate::lines::lines_with;
use crate::model::{Block, Message, Role, ToolCall, ToolResult};
use crate::outputs::events::{error_lines, first_error};
use crate::outputs::{Interest, ToolOutput, cut_to_chars};
use crate::tokens::{TokenCounter, Tokens};

/// The summariser that needs no model.
pub struct LocalSummarizer<C> {
    counter: C,
}

impl<C: TokenCounter> LocalSummarizer<C> {
    /// Counts with `counter`.
    pub fn new(counter: C) -> Self {
        LocalSummarizer { counter }
    }
}

#[async_trait]
impl<C: TokenCounter> Summarizer for LocalSummarizer<C> {
    fn name(&self) -> &str {
        "local"
    }

    async fn summarize(&self, request: &SummaryRequest) -> Result<String, SummarizeError> {
        Ok(write(request, &self.counter))
    }
}

/// Estimates are a little off; a summary that is a little shorter than allowed is still within its budget.
const SAFETY: f64 = 0.94;

/// Writes the body of a summary that fits its budget.
pub fn write(request: &SummaryRequest, counter: &dyn TokenCounter) -> String {
    let notes = Notes::take(request, counter);
    let mut room = request.budget.share(SAFETY);
    // The parts are measured one by one and their sum is a little off, so look at the whole and try again if needed.
    for _ in 0..12 {
        let body = notes.fit(room).write();
        let words = body.split_whitespace().count();
        if counter.estimate(&body) <= request.budget.share(SAFETY) && request.words.is_none_or(|limit| words <= limit) {
            return body;
        }
        room = room.share(0.8);
    }
    notes.in_one_line(request.budget)
}

/// How the budget is shared out first; what a section leaves goes to the others.
const SHARES: [(Section, f64); 9] = [
    (Section::Goal, 0.24),
    (Section::Constraints, 0.14),
    (Section::InProgress, 0.07),
    (Section::NextSteps, 0.05),
    (Section::Blocked, 0.04),
    (Section::Files, 0.12),
    (Section::Decisions, 0.08),
    (Section::Critical, 0.10),
    (Section::Done, 0.16),
];

/// A candidate for the summary.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    text: String,
    /// Higher is kept first; of equals the newest.
    rank: u8,
    cost: Tokens,
}

/// Everything that could be said, by section, oldest first.
struct Notes<'counter> {
    counter: &'counter dyn TokenCounter,
    items: [Vec<Item>; 9],
    /// Where each text stands, by section and the text's hash.
    known: [HashMap<u64, usize>; 9],
}

/// What the files section knows of a path.
struct FileTrail {
    verbs: Vec<(&'static str, usize)>,
    rank: u8,
    last_touched: usize,
}

/// Said of a request that need not be repeated.
const ELSEWHERE: &str = "- what was asked first and what was asked last stand in the messages around this summary";

/// How agents speak of what they decided or found out. The first letter is left out: it may be a capital.
const DECISION_WORDS: [&str; 7] =
    ["ecided", "nstead of", "oot cause", "he issue is", "he problem is", "urns out", "hose to "];

/// Said again later: the later one counts.
const SUPERSEDED: u8 = 0;
const SAID: u8 = 1;
const LATER: u8 = 2;
const EARLIER: u8 = 3;
const SALIENT: u8 = 4;
const FOCUS: u8 = 5;
const FIRST: u8 = 6;

impl<'counter> Notes<'counter> {
    fn take(request: &SummaryRequest, counter: &'counter dyn TokenCounter) -> Notes<'counter> {
        let mut notes = Notes { counter, items: Default::default(), known: Default::default() };
        let focus = request.focus.as_deref().map(Interest::in_text).unwrap_or_default();
        let previous = request.previous.as_deref().map(Sections::read).unwrap_or_default();
        notes.carry_over(&previous, &request.newest_request);
        let mut files = FileTrails::default();
        previous.get(Section::Files).iter().for_each(|line| files.carry_over(line));
        let mut calls: HashMap<&str, &ToolCall> = HashMap::new();
        for message in &request.messages {
            notes.read_request(message, &request.newest_request);
            if message.role == Role::Assistant {
                // Words without calls end a turn: they are the answer.
                let answers = message.calls().next().is_none();
                message.texts().for_each(|text| notes.read_words(text, answers));
            }
            notes.read_media(message);
            for block in &message.blocks {
                match block {
                    Block::ToolCall(call) => {
                        calls.insert(&call.id, call);
                        files.note(call);
                    }
                    Block::ToolResult(result) => {
                        notes.read_result(calls.remove(&*result.call_id), result);
                        notes.read_for(&focus, result);
                    }
                    Block::Text(_) | Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => {}
                }
            }
        }
        match &request.newest_request {
            NewestRequest::Goes { request, answered } => {
                notes.add(Section::Goal, FIRST, fence(request));
                let standing = match answered {
                    Some(words) => {
                        format!("- this request was answered; the last words were: {}", one_line(words, 300))
                    }
                    None => "- this request is being worked on; what was done for it so far is listed below".to_owned(),
                };
                notes.add(Section::Goal, FIRST, standing);
            }
            NewestRequest::Stays => notes.add(Section::Goal, FIRST, ELSEWHERE.to_owned()),
            NewestRequest::InPrevious => {}
        }
        files.in_order().into_iter().for_each(|(rank, line)| notes.add(Section::Files, rank, line));
        notes.close(&request.messages);
        notes.raise(&focus);
        notes
    }

    fn add(&mut self, section: Section, rank: u8, text: String) {
        let (items, known) = (&mut self.items[section as usize], &mut self.known[section as usize]);
        let cost = self.counter.estimate(&text) + Tokens(1);
        // Said again, it is news again; said twice it would only cost.
        let earlier = known.insert(xxh3_64(text.as_bytes()), items.len()).and_then(|at| items.get_mut(at));
        let rank = earlier.map_or(rank, |earlier| rank.max(std::mem::replace(&mut earlier.rank, SUPERSEDED)));
        items.push(Item { text, rank, cost });
    }

    fn items(&self, section: Section) -> &[Item] {
        &self.items[section as usize]
    }

    /// What the last summary said (M12). What was in progress then has been worked on since.
    fn carry_over(&mut self, previous: &Sections, newest: &NewestRequest) {
        for section in Section::ALL {
            for item in previous.get(section) {
                match section {
                    Section::Goal => match unfence(item) {
                        Some(_) if *newest == NewestRequest::InPrevious => self.add(section, FIRST, item.clone()),
                        Some(request) => self.add(section, SALIENT, earlier_request(request)),
                        None if item == ELSEWHERE => {}
                        // Whether it is answered is said afresh of the request that is the newest now.
                        None if item.starts_with("- this request ") => {
                            if *newest == NewestRequest::InPrevious {
                                self.add(section, FIRST, item.clone());
                            }
                        }
                        None => self.add(section, EARLIER, item.clone()),
                    },
                    Section::Constraints => self.add(section, SALIENT, item.clone()),
                    Section::InProgress => self.add(Section::Done, EARLIER, item.clone()),
                    Section::Done | Section::Decisions | Section::Critical => self.add(section, EARLIER, item.clone()),
                    // Told afresh from what happened since.
                    Section::Blocked | Section::NextSteps | Section::Files => {}
                }
            }
        }
    }

    fn read_request(&mut self, message: &Message, newest: &NewestRequest) {
        let Some(text) = requests::typed(message) else { return };
        for constraint in requests::constraints(&text) {
            self.add(Section::Constraints, LATER, format!("- {constraint}"));
        }
        if !matches!(newest, NewestRequest::Goes { request, .. } if *request == text) {
            self.add(Section::Goal, LATER, earlier_request(&text));
        }
    }

    fn read_words(&mut self, text: &str, answers: bool) {
        for line in lines_with(text, &DECISION_WORDS, 10).into_iter().map(str::trim) {
            self.add(Section::Decisions, LATER, format!("- {}", cut_to_chars(line, 240)));
        }
        if let Some(line) = text.lines().map(str::trim).find(|line| !line.is_empty()) {
            if answers {
                self.add(Section::Done, SALIENT, format!("- answered: {}", one_line(text, 240)));
            } else {
                self.add(Section::Done, SAID, format!("- said: {}", cut_to_chars(line, 160)));
            }
        }
    }

    fn read_result(&mut self, call: Option<&ToolCall>, result: &ToolResult) {
        let Some(call) = call else { return };
        let output = ToolOutput::new(Some(call), result);
        let kind = CallKind::of(&call.name);
        let lines = memchr::memchr_iter(b'\n', output.text.as_bytes()).count() + 1;
        // A source file that speaks of errors has not failed; a log that does says so in capitals.
        let errors: Vec<&str> = match (result.is_error, kind) {
            (false, CallKind::Reads) => lines_with(&output.text, &[" ERROR ", " FATAL ", " CRITICAL "], 3),
            (true, _) | (false, CallKind::Writes | CallKind::Runs) => error_lines(&output.text).take(3).collect(),
        };
        let errors: Vec<&str> = errors.into_iter().map(str::trim).collect();
        let named = arguments::describe(&call.name, &call.arguments, 120);
        let outcome = match (result.is_error, errors.first()) {
            (true, Some(error)) => format!("failed: {}", cut_to_chars(error, 140)),
            (true, None) => format!("failed: {}", cut_to_chars(output.text.trim(), 140).replace('\n', " ")),
            (false, Some(error)) => format!("{lines} lines, among them: {}", cut_to_chars(error, 140)),
            (false, None) if lines <= 2 => cut_to_chars(output.text.trim(), 100).replace('\n', " "),
            (false, None) => format!("{lines} lines"),
        };
        // What changed something must not be done again; what failed is worth knowing; what was read can be read again.
        let rank = if kind == CallKind::Writes { SALIENT } else { LATER };
        if kind != CallKind::Reads || result.is_error {
            self.add(Section::Done, rank, format!("- {named} → {outcome}"));
        }
        for error in errors {
            self.add(Section::Critical, LATER, format!("- {}", cut_to_chars(error, 240)));
        }
    }

    /// Images and documents cannot be kept in words; that they were there can.
    fn read_media(&mut self, message: &Message) {
        let media = message.blocks.iter().filter(|block| matches!(block, Block::Media(_))).count();
        if media > 0 {
            let who = if message.role == Role::User { "the user showed" } else { "there were" };
            self.add(Section::Critical, SALIENT, format!("- {who} {media} images or documents that are not kept here"));
        }
    }

    /// What the person wants to keep above all, wherever it was printed.
    fn read_for(&mut self, focus: &Interest, result: &ToolResult) {
        if focus.is_empty() {
            return;
        }
        for line in result.text().lines().filter(|line| focus.matches(line)).take(20) {
            self.add(Section::Critical, FOCUS, format!("- {}", cut_to_chars(line.trim(), 240)));
        }
    }

    /// Where the work stands at the end of what goes.
    fn close(&mut self, messages: &[Message]) {
        let said = messages.iter().rev().filter(|message| message.role == Role::Assistant);
        let last_words = said.filter_map(|message| message.texts().last());
        if let Some(text) = last_words.into_iter().find(|text| !text.trim().is_empty()) {
            self.add(
                Section::InProgress,
                FIRST,
                format!("- {}", cut_to_chars(&text.trim().replace('\n', "\n  "), 500)),
            );
            let ahead = text.lines().map(str::trim).filter(|line| {
                let lower = line.to_lowercase();
                ["next", "todo", "remaining", "still ", "need to", "then i", "let me", "i'll", "- [ ]"]
                    .iter()
                    .any(|word| lower.contains(word))
            });
            for line in ahead.take(6) {
                self.add(Section::NextSteps, LATER, format!("- {}", cut_to_chars(line.trim_start_matches("- "), 200)));
            }
        }
        let last_result = messages.iter().rev().flat_map(Message::results).next();
        if let Some(failed) = last_result.filter(|result| result.is_error) {
            let text = failed.text();
            let line = first_error(&text).unwrap_or(&text);
            self.add(Section::Blocked, FIRST, format!("- the last call failed: {}", cut_to_chars(line.trim(), 240)));
        }
    }

    fn raise(&mut self, focus: &Interest) {
        for item in self.items.iter_mut().flatten() {
            if item.rank != SUPERSEDED && focus.matches(&item.text) {
                item.rank = item.rank.max(FOCUS);
            }
        }
    }

    /// Chooses what fits into `room`.
    fn fit(&self, room: Tokens) -> Sections {
        let room = room - self.counter.estimate(&Sections::default().write());
        let mut choice = Choice { left: room, taken: self.items.each_ref().map(|items| vec![false; items.len()]) };
        for (section, share) in SHARES {
            choice.take(section, self.items(section), room.share(share));
        }
        for (section, _) in SHARES {
            let left = choice.left;
            choice.take(section, self.items(section), left);
        }
        let mut sections = Sections::default();
        for section in Section::ALL {
            let said = self.items(section).iter().zip(&choice.taken[section as usize]);
            let said = said.filter(|(item, _)| item.rank != SUPERSEDED);
            let left_out = said.clone().filter(|(_, taken)| !**taken).count();
            let kept = said.filter(|(_, taken)| **taken).map(|(item, _)| item.text.clone());
            if section == Section::Done && left_out > 0 {
                sections.of(section).push(format!("- (and {left_out} other steps, not listed)"));
            }
            sections.of(section).extend(kept);
        }
        cut_long_requests(&mut sections, room, self.counter);
        sections
    }

    /// What is left when there is room for nothing else.
    fn in_one_line(&self, budget: Tokens) -> String {
        let goal = self.items(Section::Goal).last();
        let goal = goal.map_or("see the messages", |item| unfence(&item.text).unwrap_or(&item.text));
        let words = goal.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut chars = 400;
        loop {
            let body = format!("{}\n- {}", Section::Goal.heading(), cut_to_chars(&words, chars));
            if chars < 8 || self.counter.estimate(&body) <= budget {
                return body;
            }
            chars /= 2;
        }
    }
}

/// Items chosen so far, by section.
struct Choice {
    left: Tokens,
    taken: [Vec<bool>; 9],
}

impl Choice {
    fn take(&mut self, section: Section, items: &[Item], share: Tokens) {
        let taken = &mut self.taken[section as usize];
        let mut room = share.min(self.left);
        let open = |at: &usize| items.get(*at).is_some_and(|item| item.rank != SUPERSEDED);
        let mut order: Vec<usize> = (0..items.len()).filter(open).collect();
        order.sort_by_key(|at| std::cmp::Reverse((items.get(*at).map(|item| item.rank), *at)));
        for at in interleave(order, items) {
            let (Some(item), Some(taken)) = (items.get(at), taken.get_mut(at)) else { continue };
            // The newest request is cut to size later rather than left out.
            let cost = if item.rank == FIRST { item.cost.min(room.share(0.9)) } else { item.cost };
            if *taken || cost > room {
                continue;
            }
            *taken = true;
            room = room - cost;
            self.left = self.left - cost;
        }
    }
}

/// What the last summary knew and what is new take turns, so that neither pushes the other out (M12).
fn interleave(order: Vec<usize>, items: &[Item]) -> Vec<usize> {
    let rank = |at: &usize| items.get(*at).map_or(0, |item| item.rank);
    let (ahead, rest): (Vec<_>, Vec<_>) = order.into_iter().partition(|at| rank(at) > EARLIER);
    let (earlier, later): (Vec<_>, Vec<_>) = rest.into_iter().partition(|at| rank(at) == EARLIER);
    let (mut earlier, mut later) = (earlier.into_iter(), later.into_iter());
    let mut mixed = ahead;
    loop {
        let before = mixed.len();
        mixed.extend(later.next());
        mixed.extend(later.next());
        mixed.extend(earlier.next());
        if mixed.len() == before {
            return mixed;
        }
    }
}

fn one_line(text: &str, chars: usize) -> String {
    let words = cut_to_chars(text.trim(), 3 * chars).split_whitespace().collect::<Vec<_>>().join(" ");
    cut_to_chars(&words, chars)
}

fn earlier_request(text: &str) -> String {
    format!("- asked earlier, and answered or overtaken since: {}", one_line(text, 240))
}

/// A request that is longer than its share keeps its beginning and its end.
fn cut_long_requests(sections: &mut Sections, room: Tokens, counter: &dyn TokenCounter) {
    let share = room.share(0.5);
    for item in sections.of(Section::Goal).iter_mut().filter(|item| item.starts_with(REQUEST_OPEN)) {
        let size = counter.estimate(item);
        if size <= share || size.0 == 0 {
            continue;
        }
        let Some(request) = unfence(item) else { continue };
        let chars: Vec<char> = request.chars().collect();
        let keep = (chars.len() as u64 * share.0 / size.0) as usize * 8 / 10;
        let (first, last) = (keep * 2 / 3, keep / 3);
        let beginning: String = chars.iter().take(first).collect();
        let end: String = chars.iter().skip(chars.len() - last.min(chars.len())).collect();
        let left_out = chars.len().saturating_sub(first + last);
        *item = fence(&format!("{beginning}\n[… {left_out} characters left out …]\n{end}"));
    }
}

/// What was done to a file, in a word.
fn verb(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Reads => "read",
        CallKind::Writes => "edited",
        CallKind::Runs => "used",
    }
}

/// The files that calls named, and what was done to them.
#[derive(Default)]
struct FileTrails {
    trails: HashMap<String, FileTrail>,
    touches: usize,
}

impl FileTrails {
    fn note(&mut self, call: &ToolCall) {
        let kind = CallKind::of(&call.name);
        if let Some(path) = arguments::string_argument(&call.arguments, PATH_KEYS) {
            self.touch(&path, verb(kind), if kind == CallKind::Writes { SALIENT } else { LATER }, 1);
        }
        for marker in ["*** Update File: ", "*** Add File: ", "*** Delete File: "] {
            for (at, _) in call.arguments.match_indices(marker) {
                let rest = call.arguments.get(at + marker.len()..).unwrap_or_default();
                let path = rest.split(['\n', '\\', '"']).next().unwrap_or_default().trim();
                self.touch(path, "edited", SALIENT, 1);
            }
        }
    }

    /// Reads `- path (edited 3×, read 2×)` of an earlier summary.
    fn carry_over(&mut self, line: &str) {
        let line = line.strip_prefix("- ").and_then(|line| line.strip_suffix("×)"));
        let Some((path, verbs)) = line.and_then(|line| line.rsplit_once(" (")) else { return };
        for part in verbs.split("×, ") {
            let known = ["read", "edited", "used"].into_iter().find_map(|verb| {
                let times = part.strip_prefix(verb)?.trim().parse().ok()?;
                Some((verb, times))
            });
            if let Some((verb, times)) = known {
                self.touch(path, verb, if verb == "edited" { SALIENT } else { EARLIER }, times);
            }
        }
    }

    fn touch(&mut self, path: &str, verb: &'static str, rank: u8, times: usize) {
        if path.is_empty() || path.len() > 300 || path.contains('\n') {
            return;
        }
        self.touches += 1;
        let unknown = || FileTrail { verbs: Vec::new(), rank, last_touched: 0 };
        let trail = self.trails.entry(path.to_owned()).or_insert_with(unknown);
        match trail.verbs.iter_mut().find(|(known, _)| *known == verb) {
            Some((_, count)) => *count += times,
            None => trail.verbs.push((verb, times)),
        }
        trail.rank = trail.rank.max(rank);
        trail.last_touched = self.touches;
    }

    /// One line a file, the last touched last.
    fn in_order(self) -> Vec<(u8, String)> {
        let mut trails: Vec<(String, FileTrail)> = self.trails.into_iter().collect();
        trails.sort_by_key(|(_, trail)| trail.last_touched);
        let line = |(path, trail): (String, FileTrail)| {
            let verbs: Vec<String> = trail.verbs.iter().map(|(verb, times)| format!("{verb} {times}×")).collect();
            (trail.rank, format!("- {path} ({})", verbs.join(", ")))
        };
        trails.into_iter().map(line).collect()
    }
}
