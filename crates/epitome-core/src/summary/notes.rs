//! What a transcript says without a model, sorted under the headings of a summary.
//!
//! Requests and constraints are kept word for word, files and commands are told once with what became of them, what the
//! agent said in plain words is kept as whole sentences, and an earlier summary is read back and brought up to date.

mod asked;
mod choice;
mod commands;
mod files;
mod shell;
mod statements;
#[cfg(test)]
mod tests;
mod todo;
mod transcript;

use std::collections::HashMap;

use asked::Asked;
use choice::{Choice, SHARES, share_of};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::template::{self, Fence, Section, Sections, fence, unfence};
use super::{NewestRequest, SummaryRequest, requests};
use crate::outputs::{Interest, cut_to_chars};
use crate::tokens::{TokenCounter, Tokens};
pub(super) use todo::keeps_tasks;
use transcript::Reader;

/// A candidate for the summary.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    text: String,
    /// Higher is kept first; of equals new ones and old ones take turns.
    rank: u8,
    cost: Tokens,
}

/// Everything that could be said, by section, oldest first.
pub(super) struct Notes<'counter> {
    counter: &'counter dyn TokenCounter,
    items: [Vec<Item>; 9],
    /// Where each text stands, by section and the text's hash.
    known: [HashMap<u64, usize>; 9],
    asked: Asked,
    /// The newest request, if the summary must say it.
    newest: Option<String>,
    /// What the whole summary may take.
    limit: Tokens,
    /// Whether a new session begins from it: then it says what was done, how things stand and what is next, whatever was
    /// asked (M17).
    begins_anew: bool,
    /// Steps that earlier summaries left out.
    left_out: usize,
    /// Files that earlier summaries left out, at least.
    other_files: usize,
    /// The files, told more briefly: for when there is not room for all.
    brief_files: [Vec<Item>; 2],
}

/// Said of a request that need not be repeated.
const ELSEWHERE: &str = "- what was asked first and what was asked last stand in the messages around this summary";

/// The same where the first one may be told here.
const LAST_ELSEWHERE: &str = "- what was asked last stands in the messages around this summary";

/// Said again later: the later one counts.
const SUPERSEDED: u8 = 0;
const SAID: u8 = 1;
const LATER: u8 = 2;
const EARLIER: u8 = 3;
const SALIENT: u8 = 4;
const FOCUS: u8 = 5;
const FIRST: u8 = 6;

/// The task from which a new session begins is said in so many characters.
const TASK_CHARS: usize = 240;

/// What requests and constraints may take of the whole summary, before anything else.
const PROMISED: f64 = 0.60;
/// The same where a new session begins from it.
const PROMISED_ANEW: f64 = 0.30;
/// There, what is taken before all other notes, as shares of the room for notes.
const STATE: [(Section, f64); 4] =
    [(Section::Goal, 0.3), (Section::InProgress, 0.3), (Section::NextSteps, 0.2), (Section::Done, 0.3)];
/// Of that, constraints.
const CONSTRAINTS: f64 = 0.25;
/// Of the room for notes, what requests may fill where they are not pressed, and must leave to the others.
const COMFORT: f64 = 0.40;
/// Estimates of parts add up to a little more or less than the whole.
const AT_MOST: f64 = 0.92;
/// What changed files may take of the whole summary, beyond their share.
const CHANGED_FILES: f64 = 0.05;
/// So many files are told with what was changed, whatever the room is.
const FILES_WITH_EDIT: usize = 5;

/// Whether an item of an earlier summary is an excerpt of lines, which the notes leave to whoever chooses those: under
/// critical context, every item of several lines.
pub(super) fn is_excerpt(item: &str) -> bool {
    item.contains('\n') && Fence::open(item).is_none()
}

impl<'counter> Notes<'counter> {
    /// Reads the messages that go and the summary that is to be updated.
    pub(super) fn take(request: &SummaryRequest, counter: &'counter dyn TokenCounter) -> Notes<'counter> {
        let begins_anew = request.task.is_some();
        // Every word is a token at least: what fits in tokens fits in words. Where little is to be said of much, four tokens
        // in three words, as in English, and whoever asks counts the words.
        let tokens = |words: usize| Tokens(if begins_anew { words as u64 * 4 / 3 } else { words as u64 });
        let words = request.words.map_or(request.budget, tokens);
        let mut notes = Notes {
            counter,
            items: Default::default(),
            known: Default::default(),
            asked: Asked::default(),
            newest: None,
            limit: request.budget.min(words),
            begins_anew,
            left_out: 0,
            other_files: 0,
            brief_files: Default::default(),
        };
        if let Some(task) = &request.task {
            let task = task.split_whitespace().collect::<Vec<_>>().join(" ");
            notes.add(Section::Goal, FOCUS, format!("- {}", cut_to_chars(&task, TASK_CHARS)));
        }
        Reader::new(&mut notes, request).read();
        let focus = request.focus.as_deref().map(Interest::in_text).unwrap_or_default();
        notes.raise(&focus);
        notes.shorten_files();
        notes
    }

    /// The files without what was changed last, but for the newest of them; and for all of them.
    fn shorten_files(&mut self) {
        let shortened = |kept: usize| {
            let mut newest = 0;
            let items = self.items(Section::Files).iter().rev().map(|item| {
                newest += usize::from(item.rank >= SALIENT);
                match files::shorter(&item.text).filter(|_| newest > kept || item.rank < SALIENT) {
                    Some(text) => Item { cost: self.counter.estimate(&text) + Tokens(1), text, rank: item.rank },
                    None => item.clone(),
                }
            });
            let mut items: Vec<Item> = items.collect();
            items.reverse();
            items
        };
        self.brief_files = [shortened(FILES_WITH_EDIT), shortened(0)];
    }

    fn add(&mut self, section: Section, rank: u8, text: String) {
        let (items, known) = (&mut self.items[section as usize], &mut self.known[section as usize]);
        let cost = self.counter.estimate(&text) + Tokens(1);
        // Said again, it is news again; said twice it would only cost.
        let earlier = known.insert(likeness(section, &text), items.len()).and_then(|at| items.get_mut(at));
        let rank = earlier.map_or(rank, |earlier| rank.max(std::mem::replace(&mut earlier.rank, SUPERSEDED)));
        items.push(Item { text, rank, cost });
    }

    fn items(&self, section: Section) -> &[Item] {
        &self.items[section as usize]
    }

    /// The files with what was done last, if the changed ones fit into `room` so; else more briefly.
    fn files_within(&self, room: Tokens) -> &[Item] {
        let [brief, briefer] = &self.brief_files;
        let fits = |items: &&[Item]| {
            items.iter().filter(|item| item.rank >= SALIENT).map(|item| item.cost).sum::<Tokens>() <= room
        };
        [self.items(Section::Files), brief].into_iter().find(fits).unwrap_or(briefer)
    }

    /// The newest request, and where it stands.
    fn ask_newest(&mut self, request: &SummaryRequest) {
        let standing = match &request.newest_request {
            NewestRequest::Goes { request, answered } => {
                self.asked.remove(request);
                self.newest = Some(request.trim().to_owned());
                let last_words = answered.as_deref().map(|words| statements::first_sentences(words, 300));
                template::standing(last_words.as_deref())
            }
            NewestRequest::Stays => {
                let around = request.stays.iter().filter(|message| requests::typed(message).is_some()).take(2).count();
                match (around, self.asked.has_persons()) {
                    // Nobody asked for anything, or nobody knows where.
                    (0, _) => return,
                    (1, true) => LAST_ELSEWHERE.to_owned(),
                    (_, _) => ELSEWHERE.to_owned(),
                }
            }
            NewestRequest::InPrevious => return,
        };
        self.add(Section::Goal, FIRST, standing);
    }

    fn raise(&mut self, focus: &Interest) {
        for item in self.items.iter_mut().flatten() {
            if item.rank != SUPERSEDED && focus.matches(&item.text) {
                item.rank = item.rank.max(FOCUS);
            }
        }
    }

    /// Chooses what is said in about `room` tokens, headings included.
    ///
    /// The contract: what comes back takes at most `room`, by estimate, unless requests and constraints need more. Those
    /// come before everything else: the newest request word for word, the first 150 tokens of each other one, and
    /// constraints may together take up to 60 % of [`SummaryRequest::budget`] (and of its words) whatever the room is. The
    /// other notes then still have 60 % of `room`, changed files another 5 % of the budget, and all together stay within 92 % of the budget. So a `room` of up to a
    /// quarter of the budget leads to at most three quarters of it; whoever asks measures what came back, and fills what is
    /// left. Asking again with less room gives less, down to what is promised.
    pub(super) fn fit(&self, room: Tokens) -> Sections {
        let mut empty = Sections::default();
        empty.of(Section::Done).push(other_steps(100));
        empty.of(Section::Files).push(files::other_files(100));
        let headings = self.counter.estimate(&empty.write());
        let room = room.min(self.limit);
        let whole = self.limit.share(AT_MOST) - headings;
        let ceiling = match self.begins_anew {
            true => self.limit.share(PROMISED_ANEW).min(whole),
            false => self.limit.share(PROMISED).max(room.share(COMFORT)).min(whole),
        };
        let mut choice = Choice { left: ceiling, taken: self.items.each_ref().map(|items| vec![false; items.len()]) };
        let constraints = self.items(Section::Constraints);
        let mut promised = choice.take(Section::Constraints, constraints, ceiling.share(CONSTRAINTS), LATER);
        let newest = self.newest_within((ceiling - promised).share(0.75));
        promised += newest.as_ref().map_or(Tokens(0), |item| self.counter.estimate(item) + Tokens(1));
        let kept = self.asked.fit(room.share(COMFORT) - promised, ceiling - promised, self.counter);
        promised += kept.cost;
        let others = (room - headings - promised).max(room.share(1.0 - COMFORT) - headings);
        choice.left = others.min(whole - promised);
        let others = choice.left;
        let more_files = self.limit.share(CHANGED_FILES).min(whole - promised - others);
        let files = self.files_within(others.share(share_of(Section::Files)) + more_files);
        let items = |section: Section| if section == Section::Files { files } else { self.items(section) };
        for (section, share) in STATE.into_iter().filter(|_| self.begins_anew) {
            choice.take(section, items(section), others.share(share), SAID);
        }
        for (section, share) in SHARES {
            choice.take(section, items(section), others.share(share), SAID);
        }
        for (section, _) in SHARES {
            let left = choice.left;
            // What was said in passing is worth less than the lines that fill what is left.
            choice.take(section, items(section), left, LATER);
        }
        // Which files were changed must be known, whatever the room is.
        choice.left += more_files;
        let left = choice.left;
        choice.take(Section::Files, files, left, SALIENT);
        self.say(&choice, items, kept.items, newest)
    }

    fn say<'a>(
        &'a self,
        choice: &Choice,
        items: impl Fn(Section) -> &'a [Item],
        asked: Vec<String>,
        newest: Option<String>,
    ) -> Sections {
        let mut sections = Sections::default();
        for section in Section::ALL {
            let said = items(section).iter().zip(&choice.taken[section as usize]);
            let said = said.filter(|(item, _)| item.rank != SUPERSEDED);
            let not_said = said.clone().filter(|(_, taken)| !**taken).map(|(item, _)| item);
            let left_out = not_said.clone().count() + self.left_out;
            let other_files = not_said.filter(|item| item.rank >= SALIENT).count().max(self.other_files);
            let kept = said.filter(|(_, taken)| **taken).map(|(item, _)| item);
            let texts = |first: bool| {
                let kept = kept.clone().filter(move |item| (item.rank == FIRST) == first);
                kept.map(|item| item.text.clone()).collect::<Vec<String>>()
            };
            match section {
                Section::Goal => {
                    // The newest request last, and behind it where it stands.
                    let items = [texts(false), asked.clone(), newest.clone().into_iter().collect(), texts(true)];
                    sections.of(section).extend(items.into_iter().flatten());
                    continue;
                }
                Section::Done if left_out > 0 => sections.of(section).push(other_steps(left_out)),
                Section::Files if other_files > 0 => sections.of(section).push(files::other_files(other_files)),
                Section::Done
                | Section::Constraints
                | Section::InProgress
                | Section::Blocked
                | Section::Decisions
                | Section::Files
                | Section::NextSteps
                | Section::Critical => {}
            }
            sections.of(section).extend(kept.map(|item| item.text.clone()));
        }
        sections
    }

    /// The newest request between its tags; one that is too long keeps its beginning and its end.
    fn newest_within(&self, room: Tokens) -> Option<String> {
        let request = self.newest.as_deref()?;
        let whole = fence(request);
        let size = self.counter.estimate(&whole);
        if size <= room {
            return Some(whole);
        }
        let chars: Vec<char> = request.chars().collect();
        let keep = (chars.len() as u64 * room.0 / size.0.max(1)) as usize * 8 / 10;
        let (first, last) = (keep * 2 / 3, keep / 3);
        let beginning: String = chars.iter().take(first).collect();
        let end: String = chars.iter().skip(chars.len() - last.min(chars.len())).collect();
        let left_out = chars.len().saturating_sub(first + last);
        Some(fence(&format!("{beginning}\n[… {left_out} characters left out …]\n{end}")))
    }

    /// One sentence each of goal, constraints, state and open work, as long as the budget allows: for when there is room for
    /// nothing else.
    pub(super) fn in_sentences(&self, budget: Tokens) -> String {
        let fits = |body: &String| self.counter.estimate(body) <= budget;
        let lengths = std::iter::successors(Some(LONGEST_SENTENCE), |chars| Some(chars * 3 / 4));
        let mut bodies = lengths.take_while(|chars| *chars >= SHORTEST_SENTENCE).map(|chars| self.sentences(chars));
        bodies.find(fits).unwrap_or_else(|| self.in_one_line(budget))
    }

    fn sentences(&self, chars: usize) -> String {
        let newest = |section: Section| {
            let items = self.items(section).iter().filter(|item| item.rank != SUPERSEDED);
            items.max_by_key(|item| item.rank).map(|item| item.text.as_str())
        };
        let first_of = |sections: &[Section]| sections.iter().find_map(|section| newest(*section));
        let done = (Section::Done, first_of(&[Section::Done]));
        let said = [
            Some((Section::Goal, Some(self.goal()))),
            Some((Section::Constraints, first_of(&[Section::Constraints, Section::Decisions]))),
            Some(done).filter(|_| self.begins_anew),
            Some((Section::InProgress, first_of(&[Section::InProgress, Section::Blocked, Section::Done]))),
            Some((Section::NextSteps, first_of(&[Section::NextSteps]))),
        ];
        let mut body = String::new();
        for (section, text) in said.into_iter().flatten() {
            let words = text.map(|text| text.trim_start_matches("- ").split_whitespace().collect::<Vec<_>>().join(" "));
            let sentence = words.map(|words| format!("- {}", cut_to_chars(&words, chars)));
            body.push_str(&format!("{}\n{}\n", section.heading(), sentence.as_deref().unwrap_or(template::NOTHING)));
        }
        body
    }

    /// What the person wants, in the words that are nearest to theirs.
    fn goal(&self) -> &str {
        let goal = self.newest.as_deref().or_else(|| self.asked.last()).filter(|_| !self.begins_anew);
        // Where a new session begins from it, the task was noted first.
        let noted = if self.begins_anew { self.items(Section::Goal).first() } else { self.items(Section::Goal).last() };
        let goal = goal.or_else(|| noted.map(|item| item.text.as_str()));
        goal.map_or("see the messages", |item| unfence(item).unwrap_or(item).trim_start_matches("- "))
    }

    /// What is left when there is no room even for that.
    fn in_one_line(&self, budget: Tokens) -> String {
        let words = self.goal().split_whitespace().collect::<Vec<_>>().join(" ");
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

/// What a sentence of the shortest summary may take, in characters, and what it needs to say anything.
const LONGEST_SENTENCE: usize = 240;
const SHORTEST_SENTENCE: usize = 24;

/// Sentences that differ in case and punctuation alone are the same; paths and commands that do are not.
fn likeness(section: Section, text: &str) -> u64 {
    match section {
        Section::Constraints | Section::Decisions | Section::Critical => {
            let mut hash = Xxh3::new();
            let letters = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase);
            letters.for_each(|c| hash.update(&u32::from(c).to_le_bytes()));
            hash.digest()
        }
        Section::Goal
        | Section::Done
        | Section::InProgress
        | Section::Blocked
        | Section::Files
        | Section::NextSteps => xxh3_64(text.as_bytes()),
    }
}

const OTHER_STEPS: (&str, &str) = ("- (and ", " other steps, not listed)");

fn other_steps(count: usize) -> String {
    format!("{}{count}{}", OTHER_STEPS.0, OTHER_STEPS.1)
}

fn read_other_steps(item: &str) -> Option<usize> {
    item.strip_prefix(OTHER_STEPS.0)?.strip_suffix(OTHER_STEPS.1)?.parse().ok()
}
