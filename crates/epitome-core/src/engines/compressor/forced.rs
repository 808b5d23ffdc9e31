//! Sharing out a size that was asked for: how much of it the tail takes, and how much the summary.
//!
//! Lines chosen from all over the transcript are worth more than the same room of whole turns, until they have shown what
//! is worth showing. So the tail takes more of the room the more there is, and all that a summary could not use.

use super::rereads::Place;
use super::{Draft, Middle, SMALLEST_SUMMARY, reach};
use crate::lines::distinct_bytes;
use crate::model::Block;
use crate::outputs::{Room, SMALLEST_DIGEST};
use crate::tokens::Tokens;

/// What the tail takes at most of the room that it shares with the summary …
const TAIL: f64 = 0.5;
/// … less this, over the share of the transcript that there is room for …
const TAIL_FALLS_BY: f64 = 0.065;
/// … but at least this.
const SMALLEST_TAIL: f64 = 0.05;
/// What a newest exchange may take that is too long for the share of the tail.
const NEWEST: f64 = 0.25;
/// A summary of lines can use this much of what it stands for, repeated lines apart.
const USABLE: f64 = 0.9;

impl Draft<'_> {
    /// Where the tail of a forced size starts.
    pub(super) fn forced_tail_start(&self) -> usize {
        let free = self.free();
        let mut wanted = free.share(self.tail_share());
        if self.adapts {
            let before = |message: usize| self.zones.weight(0, message);
            wanted = reach::adapted(self.zones.conversation, wanted, before);
        }
        let start = self.zones.tail_start(wanted, 1, &|_| Tokens(0));
        let usable = self.usable();
        let usable_in = |start: usize, end: usize| usable.iter().take(end).skip(start).copied().sum::<Tokens>();
        let mut left = usable_in(self.zones.head_end, start);
        let mut tail_start = start;
        // What a summary could not use is better spent on whole turns.
        let before = self.zones.pairing.segments().iter().rev().skip_while(|segment| segment.end > start);
        for segment in before {
            let tail = self.zones.weight_from(segment.start);
            if free - self.zones.weight_from(tail_start) <= left || tail > free || segment.start < self.zones.head_end {
                break;
            }
            left = left - usable_in(segment.start, tail_start);
            tail_start = segment.start;
        }
        tail_start
    }

    /// Cuts the outputs of the tail to one length, so that it takes no more than its share of a forced size; the summary
    /// takes what is left.
    pub(super) fn shorten_to_forced_size(&mut self) -> bool {
        let in_tail = |(message, _): &Place| *message >= self.tail_start;
        let places: Vec<Place> = self.outputs().into_iter().filter(in_tail).collect();
        let weights: Vec<Tokens> = places.iter().map(|place| self.output_weight(*place)).collect();
        let others = self.zones.weight_from(self.tail_start) - weights.iter().copied().sum();
        let free = self.free();
        let head_end = self.zones.head_end;
        let usable = self.usable().iter().take(self.tail_start).skip(head_end).copied().sum();
        let room = free.share(NEWEST.max(self.tail_share())).max(free - usable) - others;
        let length = length_to_fit(&weights, room).max(SMALLEST_DIGEST);
        let mut changed = false;
        for (place, weight) in places.into_iter().zip(weights) {
            if weight > length {
                changed |= self.digest_to(place, Room::AtMost(length));
            }
        }
        if let Middle::Summarized { from, .. } = self.middle {
            let tail = self.zones.weight_from(self.tail_start) - self.saved;
            let budget = (free - tail).max(SMALLEST_SUMMARY);
            self.set(Middle::Summarized { from, budget, words: None }, self.tail_start);
        }
        changed
    }

    /// However high it was climbed, the summary takes what is left of a forced size.
    pub(super) fn fill_forced_size(&mut self) {
        if let (true, Middle::Summarized { from, budget, .. }) = (self.budget.forced, self.middle.clone()) {
            let left = self.budget.trigger - Tokens(1) - self.size();
            let filled = (budget + left).min(self.zones.weight_of(&self.spans).share(USABLE));
            if filled > budget {
                self.set(Middle::Summarized { from, budget: filled, words: None }, self.tail_start);
            }
        }
    }

    fn tail_share(&self) -> f64 {
        let all = self.zones.weight_from(self.zones.head_end);
        let there_is_room_for = self.free().0 as f64 / all.0.max(1) as f64;
        (TAIL - TAIL_FALLS_BY / there_is_room_for).max(SMALLEST_TAIL)
    }

    /// What a summary could use of each message: lines that do not stand further below.
    fn usable(&self) -> &[Tokens] {
        self.usable.get_or_init(|| self.find_usable())
    }

    fn find_usable(&self) -> Vec<Tokens> {
        let texts = self.zones.conversation.messages.iter().map(|message| {
            let text = |block: &Block| match block {
                Block::Text(text) => text.to_string(),
                Block::ToolCall(call) => call.arguments.replace("\\n", "\n"),
                Block::ToolResult(result) => result.text().into_owned(),
                Block::Thinking(_) | Block::Media(_) | Block::Opaque(_) => String::new(),
            };
            message.blocks.iter().map(text).collect::<Vec<_>>().join("\n")
        });
        let texts: Vec<String> = texts.collect();
        let distinct = distinct_bytes(texts.iter().map(String::as_str));
        let usable = distinct.into_iter().zip(&texts).enumerate().map(|(message, (distinct, text))| {
            self.zones.size(message).share(USABLE * distinct as f64 / text.len().max(1) as f64)
        });
        usable.collect()
    }

    pub(super) fn output_weight(&self, place: Place) -> Tokens {
        let output = self.output(place);
        output.map_or(Tokens(0), |output| self.counter.estimate(&output.text).share(self.scale(place.0)))
    }
}

/// The length to which weights are to be cut so that they fit into `room` together.
pub(super) fn length_to_fit(weights: &[Tokens], room: Tokens) -> Tokens {
    let mut sorted = weights.to_vec();
    sorted.sort_unstable();
    let mut left = room;
    for (at, weight) in sorted.iter().enumerate() {
        let each = Tokens(left.0 / (sorted.len() - at) as u64);
        if *weight > each {
            return each;
        }
        left = left - *weight;
    }
    sorted.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_outputs_give_way_to_short_ones() {
        let fit = |weights: &[u64], room| {
            length_to_fit(&weights.iter().map(|w| Tokens(*w)).collect::<Vec<_>>(), Tokens(room)).0
        };
        assert_eq!(fit(&[10, 100, 1_000], 210), 100);
        assert_eq!(fit(&[10, 100, 1_000], 110), 50);
        assert_eq!(fit(&[10, 100, 1_000], 2_000), 1_000);
        assert_eq!(fit(&[], 5), 0);
    }
}
