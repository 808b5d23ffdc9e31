//! A request as sizes: results become masks of a fixed size, and everything before a call becomes a summary of one.
//!
//! For policies that are not ours, and for hindsight, which needs numbers that it can add up.

use super::TAIL;
use crate::trace::{Kind, Piece, Trace, key_of};

/// What is left of a result that is masked.
pub(crate) const MASK: u64 = 15;

/// A request as sizes.
#[derive(Debug, Clone)]
pub struct Outline<'a> {
    trace: &'a Trace,
    /// Calls whose messages are in it.
    calls: usize,
    /// What the summary weighs, if there is one.
    summary: Option<u64>,
    /// The first call whose messages are not in the summary.
    first: usize,
    /// What each block of the trace weighs now.
    sizes: Vec<u64>,
    /// Blocks before this one are masked, if they are results.
    masked: usize,
    /// Where the last change ends, in blocks of the request.
    boundary: Option<usize>,
    /// What was appended before each call.
    appended: Vec<u64>,
}

impl<'a> Outline<'a> {
    /// A session that has not begun.
    pub fn new(trace: &'a Trace) -> Outline<'a> {
        let mut appended = vec![0];
        let mut sum = 0;
        for call in 0..trace.calls.len() {
            sum += trace.appended(call);
            appended.push(sum);
        }
        let sizes = trace.pieces.iter().map(|piece| piece.tokens).collect();
        Outline { trace, calls: 0, summary: None, first: 0, sizes, masked: 0, boundary: None, appended }
    }

    /// The messages of the next call come in.
    pub fn append(&mut self) {
        self.calls += 1;
    }

    /// What the request weighs.
    pub fn size(&self) -> u64 {
        self.trace.prefix + self.summary.unwrap_or(0) + self.live().iter().sum::<u64>()
    }

    /// What it would weigh if no result in it had been masked.
    pub fn unmasked_size(&self) -> u64 {
        let at = |call: usize| self.appended.get(call).copied().unwrap_or_default();
        self.trace.prefix + self.summary.unwrap_or(0) + at(self.calls) - at(self.first)
    }

    /// The call with whose messages a tail of at least [`TAIL`] begins.
    pub fn tail_call(&self) -> usize {
        tail_call(&self.appended, self.calls)
    }

    /// The first call that is not in the summary.
    pub fn first_call(&self) -> usize {
        self.first
    }

    /// The request, block by block.
    pub fn pieces(&self) -> Vec<Piece> {
        let start = self.start_of(self.first);
        let prefix =
            Piece { kind: Kind::Prefix, tokens: self.trace.prefix, key: key_of("prefix", 0), turn: 0, merged: 0 };
        let summary = self.summary.map(|tokens| Piece {
            kind: Kind::Summary,
            tokens,
            key: key_of("summary", self.first as u64),
            turn: 0,
            merged: 0,
        });
        let originals = self.trace.pieces.iter().skip(start);
        let live = originals.zip(self.live()).map(|(piece, size)| {
            let changed = *size != piece.tokens;
            let key = if changed { key_of("masked", piece.key) } else { piece.key };
            Piece { tokens: *size, key, ..*piece }
        });
        std::iter::once(prefix).chain(summary).chain(live).collect()
    }

    /// Where the last change ends.
    pub fn boundary(&self) -> Option<usize> {
        self.boundary
    }

    /// Everything before a call becomes a summary.
    pub fn summarize(&mut self, until: usize, tokens: u64) -> bool {
        if until <= self.first {
            return false;
        }
        (self.first, self.summary) = (until, Some(tokens));
        self.masked = self.masked.max(self.start_of(until));
        self.boundary = Some(1);
        true
    }

    /// Results before a call are masked.
    pub fn mask_until_call(&mut self, until: usize) -> bool {
        self.mask(self.start_of(until))
    }

    /// All results but the newest `keep` are masked.
    pub fn mask_but_newest(&mut self, keep: usize) -> bool {
        let end = self.start_of(self.calls);
        let results =
            self.trace.pieces.iter().enumerate().take(end).rev().filter(|(_, piece)| piece.kind == Kind::Result);
        let Some(first_kept) = keep.checked_sub(1).and_then(|skip| results.map(|(at, _)| at).nth(skip)) else {
            return false;
        };
        self.mask(first_kept)
    }

    fn mask(&mut self, until: usize) -> bool {
        let from = self.masked.max(self.start_of(self.first));
        let mut changed = false;
        for at in from..until {
            let is_result = self.trace.pieces.get(at).is_some_and(|piece| piece.kind == Kind::Result);
            if let Some(size) = self.sizes.get_mut(at).filter(|size| is_result && **size > MASK) {
                *size = MASK;
                changed = true;
            }
        }
        self.masked = self.masked.max(until);
        if changed {
            let before = 1 + usize::from(self.summary.is_some());
            self.boundary = (until - self.start_of(self.first) + before).checked_sub(1);
        }
        changed
    }

    fn live(&self) -> &[u64] {
        self.sizes.get(self.start_of(self.first)..self.start_of(self.calls)).unwrap_or_default()
    }

    /// The first block of a call's messages.
    fn start_of(&self, call: usize) -> usize {
        self.trace.calls.get(call).map_or(self.trace.pieces.len(), |call| call.pieces.start)
    }
}

/// The last call from whose messages on there are [`TAIL`] tokens before those of call `calls`.
pub(crate) fn tail_call(appended: &[u64], calls: usize) -> usize {
    let total = appended.get(calls).copied().unwrap_or_default();
    let Some(limit) = total.checked_sub(TAIL) else { return 0 };
    appended.partition_point(|before| *before <= limit).saturating_sub(1).min(calls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};

    #[test]
    fn what_is_masked_or_summarised_is_smaller_and_the_rest_is_as_it_was() {
        let trace = generate(&Shape::plain(40), 1);
        let mut outline = Outline::new(&trace);
        for call in 0..trace.calls.len() {
            outline.append();
            assert_eq!(outline.size(), trace.unedited(call));
        }
        let (size, pieces) = (outline.size(), outline.pieces());
        let tail = outline.tail_call();
        assert!(tail > 0 && outline.mask_until_call(tail));
        assert!(outline.size() < size);
        assert_eq!(outline.unmasked_size(), size);
        assert_eq!(outline.pieces().last(), pieces.last());
        assert!(!outline.mask_until_call(tail));
        assert!(outline.summarize(tail, 4_000));
        let tail_tokens: u64 = outline.pieces().iter().skip(2).map(|piece| piece.tokens).sum();
        assert!(tail_tokens >= TAIL, "{tail_tokens}");
        assert_eq!(outline.size(), trace.prefix + 4_000 + tail_tokens);
        assert!(!outline.summarize(tail, 4_000));
    }
}
