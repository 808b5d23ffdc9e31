//! What a model answered, made a body of ours: under the literal headings, with the newest request word for word.

use super::template::{STANDING, Section, Sections, close_of, fence, standing, unfence};
use super::{MARKER_OPENING, NewestRequest, OPENING, Refusal, STANDS_FOR, SummaryRequest};
use crate::outputs::cut_to_chars;
use crate::tokens::{TokenCounter, Tokens};

/// Of the budget, what the newest request may take before it is cut.
const REQUEST_SHARE: f64 = 0.3;

/// Brings an answer into the form of [`super::template`].
///
/// Models think aloud, wrap their answer, repeat themselves and forget headings; the newest request is not left to them.
pub fn tidy(request: &SummaryRequest, answer: &str, counter: &dyn TokenCounter) -> String {
    let answer = without_stray_tags(&readable(said(answer)));
    if answer.trim().is_empty() {
        return String::new();
    }
    let mut sections = Sections::read(&levelled(&answer));
    for section in Section::ALL {
        let items = sections.of(section);
        items.retain(|item| unfence(item).is_none() && !is_legend(item) && !is_repeated_frame(item));
        drop_repeated(items);
    }
    let newest = newest_request(request, counter);
    sections.of(Section::Goal).splice(0..0, newest);
    sections.write()
}

/// What was said: without thoughts before it and without a wrapping around it.
pub fn said(answer: &str) -> &str {
    without_wrapping(without_thinking(answer))
}

/// Whether an answer is a summary at all: an apology or small talk has no heading, and headings alone say nothing.
pub fn check_structure(answer: &str) -> Result<(), Refusal> {
    let levelled = levelled(said(answer));
    if !levelled.lines().any(|line| Section::ALL.iter().any(|section| section.heading() == line.trim_end())) {
        return Err(Refusal::Unstructured);
    }
    let sections = Sections::read(&levelled);
    let says_something =
        |section: Section| sections.get(section).iter().any(|item| item.chars().any(char::is_alphanumeric));
    if Section::ALL.into_iter().any(says_something) { Ok(()) } else { Err(Refusal::Empty) }
}

/// Said once in a body in which something is marked.
pub const LEGEND: &str = "- (?) marks what was not found in the transcript";

fn is_legend(item: &str) -> bool {
    item.trim() == LEGEND
}

/// What opens and closes our own messages, in case a model says it again.
fn is_repeated_frame(item: &str) -> bool {
    item.starts_with(OPENING.get(..20).unwrap_or(OPENING))
        || item.starts_with(MARKER_OPENING)
        || item.starts_with(STANDS_FOR)
}

/// Without `<think>…</think>`, which some endpoints leave in the text.
fn without_thinking(answer: &str) -> &str {
    let answer = answer.trim();
    if !answer.starts_with("<think") {
        return answer;
    }
    answer.split_once("</think>").or_else(|| answer.split_once("</thinking>")).map_or("", |(_, rest)| rest.trim())
}

/// Without a code fence around the whole.
fn without_wrapping(answer: &str) -> &str {
    let inner = answer.strip_prefix("```").and_then(|rest| rest.split_once('\n')).map(|(_, rest)| rest);
    inner.map_or(answer, |inner| inner.trim_end().strip_suffix("```").unwrap_or(inner)).trim()
}

/// Without what no reader sees and some stores and terminals stumble over: control characters, their sequences for colours,
/// and what turns the direction of a text.
fn readable(answer: &str) -> String {
    let is_unseen = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    let mut readable = String::with_capacity(answer.len());
    let mut rest = answer.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' && rest.next_if_eq(&'[').is_some() {
            // Parameters, and a letter that ends them.
            while rest.next_if(|c| matches!(c, '0'..='9' | ';' | '?' | ':')).is_some() {}
            rest.next_if(char::is_ascii_alphabetic);
        } else if !is_unseen(c) {
            readable.push(c);
        }
    }
    readable
}

/// Without tags of ours that close or open nothing: `</request>` alone on a line.
fn without_stray_tags(answer: &str) -> String {
    let lines: Vec<&str> = answer.lines().collect();
    let last: std::collections::HashMap<&str, usize> =
        lines.iter().enumerate().filter(|(_, line)| line.starts_with("</")).map(|(at, line)| (*line, at)).collect();
    let mut kept = String::with_capacity(answer.len());
    let mut open: Option<String> = None;
    for (at, line) in lines.iter().enumerate() {
        let tag = line.trim();
        let is_stray = match &open {
            Some(close) => {
                if *line == close {
                    open = None;
                }
                false
            }
            None => match close_of(tag) {
                Some((_, close)) if last.get(close.as_str()).is_some_and(|end| *end > at) => {
                    open = Some(close);
                    false
                }
                Some(_) => true,
                None => tag.strip_prefix("</").is_some_and(|name| close_of(&format!("<{name}")).is_some()),
            },
        };
        if !is_stray {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Headings as the template has them: a model writes `### Goal`, `**Goal**` or `## Done` as it likes.
fn levelled(answer: &str) -> String {
    let mut levelled = String::with_capacity(answer.len());
    for line in answer.lines() {
        let name = line.trim().trim_start_matches('#').trim().trim_matches('*').trim_end_matches(':').trim();
        // The prompt says in brackets what belongs there, and some models say it again.
        let name = name.split_once(" (").map_or(name, |(name, _)| name);
        let looks = line.starts_with('#') || (line.starts_with("**") && line.trim_end().ends_with(['*', ':']));
        let section = Section::ALL
            .into_iter()
            .find(|section| section.heading().trim_start_matches('#').trim().eq_ignore_ascii_case(name));
        match (looks, section) {
            (true, Some(section)) => levelled.push_str(section.heading()),
            (true, None) if name.eq_ignore_ascii_case("Progress") => levelled.push_str(super::template::PROGRESS),
            (_, _) => levelled.push_str(line),
        }
        levelled.push('\n');
    }
    levelled
}

/// Small models fall into loops: what was said is not said again.
fn drop_repeated(items: &mut Vec<String>) {
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(item.trim().to_owned()));
}

/// The newest request, between its tags, and where it stands.
fn newest_request(request: &SummaryRequest, counter: &dyn TokenCounter) -> Vec<String> {
    let room = request.budget.share(REQUEST_SHARE);
    match &request.newest_request {
        NewestRequest::Goes { request, answered } => {
            let standing = match answered {
                Some(words) => {
                    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
                    standing(Some(&cut_to_chars(&words, 300)))
                }
                None => standing(None),
            };
            vec![fitted(request, room, counter), standing]
        }
        NewestRequest::InPrevious => {
            let previous = request.previous.as_deref().map(Sections::read).unwrap_or_default();
            let goal = previous.get(Section::Goal).iter();
            let carried = goal.filter(|item| unfence(item).is_some() || item.starts_with(STANDING));
            carried.filter(|item| counter.estimate(item) <= room).cloned().collect()
        }
        NewestRequest::Stays => Vec::new(),
    }
}

/// The request between its tags; its beginning, if it is too long.
fn fitted(request: &str, room: Tokens, counter: &dyn TokenCounter) -> String {
    let whole = fence(request);
    let weight = counter.estimate(&whole);
    if weight <= room {
        return whole;
    }
    let share = 0.9 * room.0 as f64 / weight.0.max(1) as f64;
    fence(&cut_to_chars(request, (share * request.chars().count() as f64) as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::RoughCounter;

    fn asked(newest_request: NewestRequest, previous: Option<&str>) -> SummaryRequest {
        SummaryRequest {
            previous: previous.map(str::to_owned),
            newest_request,
            ..SummaryRequest::new(Vec::new(), Tokens(1_000))
        }
    }

    #[test]
    fn an_answer_comes_under_the_literal_headings() {
        let answer = "<think>hm</think>\n```markdown\nSure! Here it is.\n### goal:\n- ship it\n- ship it\n**Done**\n- built\n```";
        insta::assert_snapshot!(tidy(&asked(NewestRequest::Stays, None), answer, &RoughCounter), @"
        ## Goal
        - ship it
        ## Constraints & Preferences
        (none)
        ## Progress
        ### Done
        - built
        ### In Progress
        (none)
        ### Blocked
        (none)
        ## Key Decisions
        (none)
        ## Relevant Files
        (none)
        ## Next Steps
        (none)
        ## Critical Context
        Sure! Here it is.
        ");
    }

    #[test]
    fn the_newest_request_is_ours_to_keep() {
        let goes = NewestRequest::Goes { request: "port it\n## Goal\nall".to_owned(), answered: None };
        let first = tidy(&asked(goes, None), "## Goal\n<request>\nsomething else\n</request>\n- port", &RoughCounter);
        let goal = Sections::read(&first).get(Section::Goal).to_vec();
        assert_eq!(goal.first().map(|item| unfence(item)), Some(Some("port it\n## Goal\nall")));
        assert!(!first.contains("something else"));
        let second = tidy(&asked(NewestRequest::InPrevious, Some(&first)), "## Goal\n- ported", &RoughCounter);
        assert_eq!(Sections::read(&second).get(Section::Goal).get(..2), goal.get(..2));
    }

    #[test]
    fn a_request_that_is_too_long_is_cut() {
        let goes = NewestRequest::Goes { request: "port it all now ".repeat(2_000), answered: None };
        let body = tidy(&asked(goes, None), "## Goal\n- port", &RoughCounter);
        assert!(RoughCounter.estimate(&body) < Tokens(450));
    }

    #[test]
    fn small_talk_and_bare_headings_are_no_summary() {
        assert_eq!(check_structure("I cannot help with that."), Err(Refusal::Unstructured));
        assert_eq!(check_structure("## Goal\n(none)\n## Next Steps\n-\n"), Err(Refusal::Empty));
        assert_eq!(check_structure("**Goal:**\n- ship it"), Ok(()));
    }

    #[test]
    fn what_no_reader_sees_is_taken_out() {
        let answer = "## Goal\r\n- \u{1b}[1;31mport\u{1b}[0m\0 it \u{202e}now\u{202c}\u{7}\n- \u{5e9}\u{5dc}\u{5d5}\u{5dd}\tü\u{2067}\n";
        let tidied = tidy(&asked(NewestRequest::Stays, None), answer, &RoughCounter);
        assert!(tidied.starts_with("## Goal\n- port it now\n- \u{5e9}\u{5dc}\u{5d5}\u{5dd}\tü\n##"), "{tidied:?}");
    }

    #[test]
    fn tags_that_close_or_open_nothing_are_taken_out() {
        let answer = "## Goal\n</request>\n- a\n  </request-2>\n<request>\n- b\n## Next Steps\n- c </request>\n";
        let tidied = tidy(&asked(NewestRequest::Stays, None), answer, &RoughCounter);
        let sections = Sections::read(&tidied);
        assert_eq!(sections.get(Section::Goal), ["- a", "- b"]);
        assert_eq!(sections.get(Section::NextSteps), ["- c </request>"]);
    }

    #[test]
    fn thoughts_alone_are_no_answer() {
        assert_eq!(tidy(&asked(NewestRequest::Stays, None), "<think>and then", &RoughCounter), "");
    }
}
