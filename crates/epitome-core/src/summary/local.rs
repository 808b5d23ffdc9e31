//! A summary without a model: the transcript itself, sorted under the headings and cut to its budget.
//!
//! It cannot fail, so every ladder has a floor.

use async_trait::async_trait;

use super::excerpts::Excerpts;
use super::notes::Notes;
use super::template::{Section, Sections};
use super::{SummarizeError, Summarizer, SummaryRequest};
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
const SAFETY: f64 = 0.99;
/// What the notes take of a summary; the lines of the transcript take the rest.
const NOTES: f64 = 0.15;
/// A summary that leaves no more than this of its budget is full.
const FULL: f64 = 0.01;
/// How often it is filled up.
const GROWN_AT_MOST: usize = 4;
/// With less room than this, the headings alone would take a third of it: one sentence each is all that is said.
const FEW_SENTENCES: Tokens = Tokens(160);
/// Lines of the transcript say little in less room.
const SMALLEST_EXCERPTS: Tokens = Tokens(200);

/// Whether there is room for nothing but a sentence each of goal, constraints, state and open work. No model is asked
/// for so little.
pub(crate) fn is_too_short_for_models(request: &SummaryRequest) -> bool {
    request.budget < FEW_SENTENCES
}

/// Writes the body of a summary that fits its budget.
pub fn write(request: &SummaryRequest, counter: &dyn TokenCounter) -> String {
    let notes = Notes::take(request, counter);
    let budget = request.budget.share(SAFETY);
    if is_too_short_for_models(request) {
        return notes.in_sentences(budget);
    }
    let mut room = budget;
    let words = |body: &str| body.split_whitespace().count();
    let fits = |body: &str| counter.estimate(body) <= budget && request.words.is_none_or(|limit| words(body) <= limit);
    if request.words.is_none()
        && budget.share(1.0 - NOTES) >= SMALLEST_EXCERPTS
        && let Some(body) = with_excerpts(request, notes.fit(budget.share(NOTES)), budget, counter)
    {
        return body;
    }
    // The parts are measured one by one and their sum is a little off, so look at the whole and try again if needed.
    for _ in 0..12 {
        let body = notes.fit(room).write();
        if fits(&body) {
            return body;
        }
        room = room.share(0.8);
    }
    notes.in_sentences(request.budget)
}

fn with_excerpts(
    request: &SummaryRequest,
    mut sections: Sections,
    budget: Tokens,
    counter: &dyn TokenCounter,
) -> Option<String> {
    let previous = request.previous.as_deref().map(Sections::read).unwrap_or_default();
    let excerpts = Excerpts::of(request, &previous, counter);
    let noted = sections.write();
    let facts = sections.get(Section::Critical).len();
    fill_up(&excerpts, budget, &noted, counter, |items| {
        sections.of(Section::Critical).truncate(facts);
        sections.of(Section::Critical).extend_from_slice(items);
        sections.write()
    })
}

/// Takes excerpts until what `write` makes of them fills `budget`. `None`: it is too long without any.
pub(super) fn fill_up(
    excerpts: &Excerpts<'_>,
    budget: Tokens,
    said: &str,
    counter: &dyn TokenCounter,
    mut write: impl FnMut(&[String]) -> String,
) -> Option<String> {
    let mut chosen = excerpts.choose(budget - counter.estimate(&write(&[])), said);
    let mut grown = 0;
    loop {
        let text = write(&chosen.items());
        let size = counter.estimate(&text);
        // What lines cost is known roughly, so look at the whole and give back, or take more.
        if size > budget {
            grown = GROWN_AT_MOST;
            if !chosen.shrink(size - budget) {
                return None;
            }
        } else if grown < GROWN_AT_MOST && budget - size > budget.share(FULL) {
            grown += 1;
            chosen.grow(budget - size);
        } else {
            return Some(text);
        }
    }
}
