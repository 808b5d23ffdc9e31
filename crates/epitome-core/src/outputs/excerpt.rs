//! Outputs that are too large for all the room there is: beginning and end stand word for word, and a digest of what lies
//! between stands in the middle.

use super::{Digest, Interest, Kept, Loss, Readings, Room, ToolOutput, digest, digest_of, header, shown, survival};
use crate::tokens::{TokenCounter, Tokens};

/// With less room, beginning and end say too little: then all of the output is read for a digest.
const SMALLEST: Tokens = Tokens(600);
/// What the middle takes of the room, unless more must not be lost …
const BETWEEN: f64 = 0.2;
/// … and what the beginning takes. The end takes the rest.
const BEGINNING: f64 = 0.4;
/// Texts differ in their tokens from part to part: how often a cut is tried …
const ATTEMPTS: usize = 8;
/// … until this much of the room is used.
const FULL: f64 = 0.95;

/// Makes an output about as large as `room`. `None`: nothing is gained.
pub fn excerpt(
    output: &ToolOutput,
    room: Room,
    interest: &Interest,
    counter: &dyn TokenCounter,
    readings: &Readings,
) -> Option<Digest> {
    let size = counter.estimate(&output.text);
    if room.tokens() < SMALLEST || size <= room.tokens() {
        return digest(output, room, interest, counter, readings);
    }
    let room = room.tokens();
    let (text, _) = shown(&output.text);
    let text = &*text;
    let mut share = room.0 as f64 / size.0 as f64;
    let mut made = None;
    for _ in 0..ATTEMPTS {
        let bytes = |of_room: f64| (text.len() as f64 * share * of_room) as usize;
        let beginning = cut_before(text, bytes(BEGINNING));
        let end = cut_before(text, text.len().saturating_sub(bytes(1.0 - BETWEEN - BEGINNING))).max(beginning);
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        let middle = ToolOutput { text: part(beginning, end).into(), media: Vec::new(), ..output.clone() };
        let read = readings.read(&middle.text, false);
        let between = Room::AtMost(room.share(BETWEEN));
        let shortened = digest_of(&middle, &middle.text, &read, between, interest, counter);
        let (kind, loss, between) = match &shortened {
            // Its first line names an original that nobody keeps.
            Some(digest) => (digest.kind, digest.loss, digest.text.split_once('\n').map_or("", |(_, body)| body)),
            None => ("excerpt", Loss::default(), ""),
        };
        let (first, last) = (part(0, beginning), part(end, text.len()));
        let body = format!(
            "{}\n[… {} bytes are shortened to the lines below …]\n{between}\n[… from here on all of it …]\n{last}",
            first.trim_end_matches('\n'),
            Tokens(middle.text.len() as u64),
        );
        let lines = |text: &str| text.lines().count();
        let kept = lines(first) + lines(last) + loss.units.kept;
        let units = Kept { kept: kept.min(lines(text)), of: lines(text) };
        let loss = Loss { units, words: survival::words_kept(text, &body), ..loss };
        let text = format!("{}\n{body}", header(output, kind, units, counter));
        let taken = counter.estimate(&text);
        let is_full = taken >= room.share(FULL);
        if taken <= room || made.is_none() {
            made = Some(Digest { text, kind, loss, refused: 0 });
        }
        if taken <= room && is_full {
            break;
        }
        share *= 0.99 * room.0 as f64 / taken.0.max(1) as f64;
    }
    made.filter(|made| counter.estimate(&made.text) < size && made.text.len() < output.text.len())
}

/// The last place up to `at` where a text can be cut: behind a line, or behind a character where lines are long.
fn cut_before(text: &str, at: usize) -> usize {
    let at = text.floor_char_boundary(at);
    let line = text.get(..at).and_then(|before| before.rfind('\n')).map(|newline| newline + 1);
    line.filter(|line| at - line < LONG_LINE).unwrap_or(at)
}

/// A line of so many bytes is cut rather than left out.
const LONG_LINE: usize = 400;
