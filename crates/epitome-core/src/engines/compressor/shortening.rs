//! Outputs made shorter: as digests, as single lines, and what that saves.

use std::collections::BTreeMap;

use super::rereads::{self, Place};
use super::{Draft, attention, within};
use crate::arguments;
use crate::engine::{How, ShortenedOutput};
use crate::outputs::{self, CLEAR_ABOVE_CHARS, DIGEST_ABOVE, Digest, Interest, Readings, Room, ToolOutput};
use crate::tokens::{Precision, TokenCounter, Tokens, message_tokens};

/// One way to make an output shorter.
type Shortening = fn(&ToolOutput, Room, &Interest, &dyn TokenCounter, &Readings) -> Option<Digest>;

/// An output made shorter.
#[derive(Clone)]
pub(super) struct Shorter {
    pub(super) text: String,
    how: How,
    before: Tokens,
    after: Tokens,
}

impl Shorter {
    pub(super) fn saved(&self) -> Tokens {
        self.before - self.after
    }
}

impl Draft<'_> {
    pub(super) fn digest(&mut self, place: Place) -> bool {
        let size = self.output_weight(place);
        self.digest_to(place, Room::usual(size))
    }

    /// Makes a digest in a room.
    pub(super) fn digest_to(&mut self, place: Place, room: Room) -> bool {
        self.shorten_by(place, room, outputs::digest)
    }

    /// Keeps beginning and end, in `room` at most if errors and failures leave that.
    pub(super) fn excerpt_to(&mut self, place: Place, room: Tokens) -> bool {
        self.shorten_by(place, Room::AtMost(room), outputs::excerpt)
    }

    fn shorten_by(&mut self, place: Place, room: Room, shortened: Shortening) -> bool {
        let read_again = self.superseded().contains_key(&place);
        self.shorten(place, |draft, output, size| {
            if size <= DIGEST_ABOVE && output.media.is_empty() {
                return None;
            }
            if read_again && output.media.is_empty() {
                return Some((outputs::read_again(output, draft.counter), How::ReadAgain));
            }
            let interest = draft.interest.get_or_init(|| attention::interest(draft.zones.conversation, draft.focus));
            let digest = shortened(output, room, interest, draft.counter, draft.readings)?;
            let outputs::Digest { text, kind, loss, refused } = digest;
            Some((text, How::Digest { kind, loss, refused }))
        })
    }

    pub(super) fn make_one_line(&mut self, place: Place) -> bool {
        self.shorten(place, |draft, output, _| {
            let large = output.text.chars().count() > CLEAR_ABOVE_CHARS;
            large.then(|| (outputs::one_line(output, draft.counter), How::OneLine))
        })
    }

    pub(super) fn shorten(
        &mut self,
        place: Place,
        with: impl FnOnce(&mut Self, &ToolOutput, Tokens) -> Option<(String, How)>,
    ) -> bool {
        // Shortened twice, it would count as saved twice.
        if self.shortened.contains_key(&place) {
            return false;
        }
        let Some(output) = self.output(place) else { return false };
        if output.is_shortened() {
            return false;
        }
        let size = self.counter.estimate(&output.text);
        let Some((text, how)) = with(self, &output, size) else { return false };
        // Sizes may be scaled to an exact count of text that estimates get wrong; what is saved is, too.
        let scale = self.scale(place.0);
        let before = (size + output.media_tokens).share(scale);
        let after = self.counter.estimate(&text).share(scale);
        if after >= before {
            return false;
        }
        self.saved += before - after;
        self.shortened.insert(place, Shorter { text, how, before, after });
        true
    }

    /// What a message weighs by its size, against its estimate.
    pub(super) fn scale(&self, message: usize) -> f64 {
        let estimate = self.message(message).map(|message| message_tokens(message, self.counter, Precision::Estimate));
        match estimate {
            Some(Tokens(estimate)) if estimate > 0 => self.zones.size(message).0 as f64 / estimate as f64,
            Some(_) | None => 1.0,
        }
    }

    pub(super) fn superseded(&self) -> &BTreeMap<Place, Place> {
        self.superseded.get_or_init(|| {
            // What goes into the summary has no newer reading that stays.
            let places = self.outputs().into_iter().filter(|(message, _)| !within(&self.spans, *message));
            let outputs: Vec<(Place, ToolOutput)> = places
                .filter_map(|place| Some((place, self.output(place)?)))
                .filter(|(_, output)| !output.is_shortened())
                .collect();
            rereads::superseded(outputs.iter().map(|(place, output)| (*place, output)))
        })
    }

    pub(super) fn output(&self, place: Place) -> Option<ToolOutput> {
        ToolOutput::at(&self.zones.conversation.messages, &self.zones.pairing, place)
    }

    /// Where tool outputs stand that may be shortened, oldest first.
    pub(super) fn outputs(&self) -> Vec<Place> {
        ToolOutput::places(&self.zones.conversation.messages).collect()
    }

    pub(super) fn saved_by_message(&self) -> BTreeMap<usize, Tokens> {
        let mut saved = BTreeMap::new();
        for ((message, _), shorter) in &self.shortened {
            *saved.entry(*message).or_insert(Tokens(0)) += shorter.saved();
        }
        saved
    }

    pub(super) fn shortened(&self) -> Vec<ShortenedOutput> {
        let told = |(place, shorter): (&Place, &Shorter)| {
            let output = self.output(*place)?;
            Some(ShortenedOutput {
                message: place.0,
                block: place.1,
                call: arguments::describe(&output.tool, &output.arguments, 60),
                how: shorter.how.clone(),
                before: shorter.before,
                after: shorter.after,
            })
        };
        self.shortened.iter().filter_map(told).collect()
    }
}
