//! The lines of a transcript that are most likely needed again, in readable pieces, each with where it came from.
//!
//! An excerpt is an item of a summary: a heading that names the call and ends in the beginning of the hash of the whole,
//! then lines as they stood, indented by one blank, with a mark where lines were left out.

mod choice;
mod lexicon;
mod salience;
mod sources;

#[cfg(test)]
mod tests;

use choice::Choice;
use salience::Salience;
use sources::Transcript;

use super::SummaryRequest;
use super::notes::is_excerpt;
use super::template::{Section, Sections};
use crate::fingerprint::ContentHash;
use crate::keys::{KeyMap, key};
use crate::outputs::Interest;
use crate::tokens::{Precision, TokenCounter, Tokens, message_tokens};

/// Between lines that did not stand beside each other.
const GAP: &str = "…";
/// Between what was given to a call and what it printed.
const THEN: &str = "→";
/// Behind the heading of an edit of which only what it replaced is shown …
const OLD: &str = ", old text";
/// … or that too, before what it put there.
const OLD_AND_NEW: &str = ", old and new text";
/// Above the agent's own words.
const SAID: &str = "said";
/// Above a person's.
const WROTE: &str = "the user wrote";
/// Above anybody else's.
const TOLD: &str = "told";
/// Enough digits of a hash to find one text among those of a session.
const REFERENCE_DIGITS: usize = 6;
/// What a heading costs, roughly.
const HEADING_COST: f32 = 9.0;

/// What a passage is worth beside the names in it: a share of the room there is …
const PASSAGE_BY_ROOM: f32 = 3.0;
/// … within bounds. With little room names come first, with much of it what stands around them.
const PASSAGE: std::ops::RangeInclusive<f32> = 0.1..=0.8;

/// Everything that could be taken from the transcript of a request.
pub(super) struct Excerpts<'a> {
    request: &'a SummaryRequest,
    transcript: Transcript<'a>,
    salience: Salience,
}

impl<'a> Excerpts<'a> {
    /// Reads the transcript, and the excerpts of the summary that is updated.
    pub(super) fn of(request: &'a SummaryRequest, previous: &'a Sections, counter: &dyn TokenCounter) -> Excerpts<'a> {
        let earlier = previous.get(Section::Critical).iter().filter(|item| is_excerpt(item));
        let messages = request.messages.iter().chain(&request.shortened);
        let mut transcript = Transcript::read(earlier, messages, request.budget, counter);
        mark_repeated(&mut transcript);
        let stays = request.stays.iter().map(|message| message_tokens(message, counter, Precision::Estimate));
        let stays = stays.sum::<Tokens>().0 as f32;
        let focus = request.focus.as_deref().map(Interest::in_text).unwrap_or_default();
        let salience = Salience::of(&transcript, &request.stays, &focus, stays);
        Excerpts { request, transcript, salience }
    }

    /// Chooses lines for about `room` tokens; what `said` says is shown already.
    pub(super) fn choose(&'a self, room: Tokens, said: &str) -> Chosen<'a> {
        let all: f32 = self.transcript.lines.iter().map(|line| line.cost).sum();
        let passage = PASSAGE_BY_ROOM * room.0 as f32 / all.max(1.0);
        let passage = passage.clamp(*PASSAGE.start(), *PASSAGE.end());
        let mut choice = Choice::new(&self.transcript, &self.salience, passage);
        choice.is_shown(said, false);
        self.request.stays.iter().for_each(|message| message.each_text(|text| choice.is_shown(text, true)));
        choice.fill(room.0 as f32);
        Chosen { transcript: &self.transcript, choice }
    }
}

/// Lines that were chosen.
pub(super) struct Chosen<'a> {
    transcript: &'a Transcript<'a>,
    choice: Choice<'a>,
}

impl Chosen<'_> {
    /// Chooses more.
    pub(super) fn grow(&mut self, tokens: Tokens) {
        self.choice.fill(tokens.0 as f32);
    }

    /// Gives back what was chosen last, for at least `tokens`. `false`: nothing is left.
    pub(super) fn shrink(&mut self, tokens: Tokens) -> bool {
        let mut left = tokens.0 as f32;
        let mut some = false;
        while left > 0.0 {
            let Some(cost) = self.choice.give_back() else { return some };
            left -= cost;
            some = true;
        }
        some
    }

    /// The excerpts, in the order of the transcript.
    pub(super) fn items(&self) -> Vec<String> {
        let mut items = vec![Vec::new(); self.transcript.sources.len()];
        for (index, part) in self.transcript.parts.iter().enumerate() {
            if part.lines.clone().any(|line| self.choice.taken[line]) {
                items[part.source].push(index);
            }
        }
        let items = items.into_iter().enumerate().filter(|(source, _)| self.choice.open[*source]);
        items.filter_map(|(source, parts)| self.item(source, &parts)).collect()
    }

    fn item(&self, source: usize, parts: &[usize]) -> Option<String> {
        let mut text = self.transcript.sources.get(source)?.heading().to_owned();
        text.push_str(self.age(source, parts));
        let mut had_output = false;
        for (nth, part) in parts.iter().map(|part| &self.transcript.parts[*part]).enumerate() {
            if part.is_output && !had_output {
                had_output = true;
                text.push_str(if nth == 0 { " →" } else { "\n →" });
            } else if nth > 0 {
                text.push_str("\n …");
            }
            self.write_lines(part.lines.clone(), &mut text);
        }
        Some(text)
    }

    /// Whether lines are shown that an edit replaced: they must not be taken for what is there now.
    fn age(&self, source: usize, parts: &[usize]) -> &'static str {
        let naming = self.transcript.sources.get(source).and_then(|source| source.naming);
        let lines = parts.iter().map(|part| &self.transcript.parts[*part]).filter(|part| !part.is_output);
        let shown = lines.flat_map(|part| part.lines.clone()).filter(|line| self.choice.taken[*line]);
        let (mut old, mut new) = (false, false);
        for line in shown.filter(|line| Some(*line) != naming) {
            let replaced = self.transcript.is_replaced(&self.transcript.lines[line]);
            old |= replaced;
            new |= !replaced;
        }
        match (old, new) {
            (false, _) => "",
            (true, false) => OLD,
            (true, true) => OLD_AND_NEW,
        }
    }

    fn write_lines(&self, lines: std::ops::Range<usize>, text: &mut String) {
        let mut last = None;
        for line in lines.clone().filter(|line| self.choice.taken[*line]) {
            let piece = &self.transcript.lines[line];
            let follows = last.is_some_and(|last| last + 1 == line);
            if !(follows && piece.continues) {
                text.push_str(if follows || last.is_none() { "\n " } else { "\n …\n " });
                if piece.continues {
                    text.push_str(GAP);
                }
            }
            text.push_str(self.transcript.text(piece));
            let next = line + 1;
            let goes_on = lines.contains(&next) && self.transcript.lines[next].continues;
            if goes_on && !self.choice.taken[next] {
                text.push_str(GAP);
            }
            last = Some(line);
        }
    }
}

/// The beginning of a text's hash, by which excerpts name where they are from.
pub(crate) fn reference(text: &str) -> String {
    let mut digits = ContentHash::of(text).short();
    digits.truncate(REFERENCE_DIGITS);
    digits
}

/// The beginnings of hashes by which the excerpts in a summary name where they are from.
pub(crate) fn references(text: &str) -> impl Iterator<Item = &str> {
    let headings = text.lines().filter(|line| line.starts_with("- "));
    headings.filter_map(|line| {
        let (_, behind) = line.rsplit_once(" #")?;
        let digits = behind.get(..REFERENCE_DIGITS)?;
        let ends = matches!(behind.get(REFERENCE_DIGITS..), Some("" | OLD | OLD_AND_NEW) | Some(" →"));
        (ends && digits.bytes().all(|digit| digit.is_ascii_hexdigit())).then_some(digits)
    })
}

/// Of equal lines, the newest is the one to take.
fn mark_repeated(transcript: &mut Transcript<'_>) {
    let mut seen: KeyMap<u32> = KeyMap::with_capacity_and_hasher(transcript.lines.len(), Default::default());
    for line in 0..transcript.lines.len() {
        let text = transcript.text(&transcript.lines[line]).trim_ascii_start();
        let earlier = seen.insert(key(text), line as u32);
        transcript.lines[line].earlier = earlier;
        if let Some(earlier) = earlier {
            transcript.lines[earlier as usize].repeated = true;
        }
    }
}
