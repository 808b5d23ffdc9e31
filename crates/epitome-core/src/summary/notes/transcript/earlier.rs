//! What the last summary said (M12), brought up to date.

use super::{LAST_WORDS, Reader, SAID_OPENING, WORKED_ON, one_line};
use crate::summary::NewestRequest;
use crate::summary::notes::statements::{self, WEIGHTY};
use crate::summary::notes::todo::State;
use crate::summary::notes::{ELSEWHERE, FIRST, LAST_ELSEWHERE, LATER, SAID, SALIENT, is_excerpt, read_other_steps};
use crate::summary::template::{STANDING, Section, Sections, unfence};

impl Reader<'_, '_> {
    /// What the last summary said (M12). What was in progress then has been worked on since.
    pub(super) fn carry_over(&mut self, previous: &Sections) {
        for section in Section::ALL {
            for item in previous.get(section) {
                match section {
                    Section::Goal => self.carry_over_goal(item),
                    Section::Constraints => self.notes.add(section, SALIENT, item.clone()),
                    Section::Done => self.carry_over_done(item),
                    Section::InProgress => self.carry_over_progress(item),
                    Section::Blocked if self.commands.carry_over(item, LATER) => {}
                    Section::Blocked => self.notes.add(section, LATER, item.clone()),
                    Section::Decisions => self.notes.add(section, rank_of(item), item.clone()),
                    Section::Files => self.files.carry_over(item),
                    Section::NextSteps if self.tasks.carry_over(item, State::Open) => {}
                    // What was about to be done is done, or was given up.
                    Section::NextSteps if statements::intends(item) => {}
                    Section::NextSteps => self.steps_before.push(item.clone()),
                    Section::Critical if is_excerpt(item) => {}
                    Section::Critical => self.notes.add(section, LATER, item.clone()),
                }
            }
        }
    }

    fn carry_over_goal(&mut self, item: &str) {
        let in_previous = self.request.newest_request == NewestRequest::InPrevious;
        if let (true, Some(newest)) = (in_previous, unfence(item)) {
            self.notes.newest = Some(newest.to_owned());
        } else if let Some(request) = unfence(item) {
            // It is not the newest any more: what it demands must be told elsewhere.
            self.read_demands(request);
            self.notes.asked.carry_over(item);
        } else if self.notes.asked.carry_over(item) || [ELSEWHERE, LAST_ELSEWHERE].contains(&item) {
            // Where the requests stand is said afresh.
        } else if item.starts_with(STANDING) {
            // Whether it is answered is said afresh of the request that is the newest now.
            if in_previous {
                self.notes.add(Section::Goal, FIRST, item.to_owned());
            }
        } else {
            self.notes.add(Section::Goal, SALIENT, item.to_owned());
        }
    }

    fn carry_over_done(&mut self, item: &str) {
        if let Some(count) = read_other_steps(item) {
            self.notes.left_out += count;
        } else if !self.tasks.carry_over(item, State::Open) && !self.commands.carry_over(item, LATER) {
            let rank = match item {
                _ if item.starts_with(SAID_OPENING) => SAID,
                _ if item.starts_with(WORKED_ON) => LATER,
                _ => SALIENT,
            };
            self.notes.add(Section::Done, rank, item.to_owned());
        }
    }

    fn carry_over_progress(&mut self, item: &str) {
        if self.tasks.carry_over(item, State::InProgress) {
            return;
        }
        if self.request.messages.is_empty() {
            return self.notes.add(Section::InProgress, LATER, item.to_owned());
        }
        let words = item.strip_prefix(LAST_WORDS).unwrap_or(item).trim_start_matches("- ");
        self.notes.add(Section::Done, LATER, format!("{WORKED_ON}{}", one_line(words, 240)));
    }
}

/// What an earlier summary keeps as a decision ranks as it did when it was read; what a model wrote ranks high.
fn rank_of(decision: &str) -> u8 {
    match statements::weight(decision) {
        Some(weight) if weight < WEIGHTY => LATER,
        Some(_) | None => SALIENT,
    }
}
