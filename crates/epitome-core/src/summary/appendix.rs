//! What the local summariser adds to a model's summary: models lose the trail of files, commands and errors.

use super::excerpts::Excerpts;
use super::local::fill_up;
use super::notes::Notes;
use super::template::{Section, Sections};
use super::{NewestRequest, SummaryRequest};
use crate::tokens::{TokenCounter, Tokens};

/// What the trail takes; lines of the transcript take the rest.
const TRAIL: f64 = 0.5;

/// Files, commands, errors and lines that `body` does not hold yet, within `room`. Empty if there is nothing to add.
///
/// `previous` is what an earlier appendix said.
pub fn write(
    request: &SummaryRequest,
    previous: Option<String>,
    body: &str,
    room: Tokens,
    counter: &dyn TokenCounter,
) -> String {
    let request = SummaryRequest { previous, budget: room, newest_request: NewestRequest::Stays, ..request.clone() };
    let sections = Notes::take(&request, counter).fit(room);
    let mut left = room.share(TRAIL);
    let mut trail: Vec<&str> = Vec::new();
    for section in [Section::Files, Section::Blocked, Section::Done, Section::Critical] {
        for item in sections.get(section).iter().filter(|item| !body.contains(item.as_str())) {
            let cost = counter.estimate(item) + Tokens(1);
            if cost <= left {
                left = left - cost;
                trail.push(item);
            }
        }
    }
    let previous = request.previous.as_deref().map(Sections::read).unwrap_or_default();
    let excerpts = Excerpts::of(&request, &previous, counter);
    let lines = |items: &[String]| {
        let all = trail.iter().copied().chain(items.iter().map(String::as_str));
        all.flat_map(|item| [item, "\n"]).collect::<String>()
    };
    let said = format!("{body}\n{}", lines(&[]));
    fill_up(&excerpts, room, &said, counter, lines).unwrap_or_default()
}
