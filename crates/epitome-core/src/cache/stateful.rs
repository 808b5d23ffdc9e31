//! The strategy `stateful`: remembers what was written, and marks where that is found again.

use super::slots::Slots;
use super::system_and_3::last_messages;
use super::{Breakpoint, Prompt, ProviderCache, Rules, Section, Ttl};

/// What is known of a session when its next request is marked.
#[derive(Debug, Clone, Copy)]
pub struct Memory<'a> {
    /// What its requests have left in the provider's cache.
    pub cache: &'a ProviderCache,
    /// The last block of the newest summary of ours: a later compaction leaves everything before its own as it is.
    pub boundary: Option<usize>,
    /// Now, in milliseconds, by the clock that `cache` was told.
    pub now_ms: u64,
}

/// For how long things are written, and who marks the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Everything, as long as the session has not paused for longer than [`Ttl::Short`].
    pub ttl: Ttl,
    /// Tools and system prompt, once it has: who paused once will do so again.
    pub prefix_after_pause: Ttl,
    /// What becomes of an end that we cannot mark.
    pub end: End,
}

/// What becomes of a prompt's end that cannot carry a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The last block that can carry one has it.
    Walk,
    /// The provider is asked to mark it itself.
    Automatic,
}

/// Marks, as far as slots are free and in this order of importance:
///
/// 1. the last block, so that the next request finds this one;
/// 2. the deepest earlier write that still matches, if no other marker finds it within the provider's lookback;
/// 3. the end of the system prompt, for longer than the rest if the session has paused; the end of the tools, if a marker
///    of the client's that lives shorter stands before it;
/// 4. the boundary of the last compaction;
/// 5. the deepest earlier write, if another marker finds it too: no provider's count of blocks is quite ours. It alone is
///    no reason to change a request.
///
/// Where nothing is remembered, the client's own prefix says what was sent: earlier requests ended with earlier messages.
pub fn stateful(prompt: &Prompt, rules: &Rules, memory: Memory<'_>, wanted: Wanted) -> Vec<Breakpoint> {
    let mut slots = Slots::new(prompt, rules);
    mark_end(&mut slots, prompt, wanted);
    let written = memory.cache.deepest(prompt, rules, memory.now_ms);
    let anchor = written.and_then(|written| first_markable(prompt, written, rules.lookback()));
    let far = written.filter(|written| !slots.finds(*written, rules.lookback()));
    if let Some(anchor) = anchor.filter(|_| far.is_some()) {
        slots.mark(anchor, wanted.ttl);
    }
    let paused = memory.cache.has_paused_by(rules, memory.now_ms);
    mark_prefix(&mut slots, prompt, if paused { wanted.prefix_after_pause.max(wanted.ttl) } else { wanted.ttl });
    if let Some(boundary) = memory.boundary.and_then(|boundary| first_markable(prompt, boundary, 1)) {
        slots.mark(boundary, wanted.ttl);
    }
    if slots.has_added() {
        match anchor {
            Some(anchor) => {
                slots.mark(anchor, wanted.ttl);
            }
            None if memory.cache.is_empty() => {
                for earlier in last_messages(prompt, rules.unmarkable).into_iter().flatten() {
                    slots.mark(earlier, wanted.ttl);
                }
            }
            None => {}
        }
    }
    slots.into_added()
}

fn mark_end(slots: &mut Slots<'_>, prompt: &Prompt, wanted: Wanted) {
    let Some(last) = prompt.last_block() else { return };
    let markable = prompt.blocks.get(last).is_some_and(|block| block.may_carry);
    if slots.is_marked(last) {
        return;
    }
    match wanted.end {
        End::Automatic if !markable => {
            slots.mark_automatically(wanted.ttl);
        }
        End::Automatic | End::Walk => {
            let Some(last) = prompt.blocks.iter().rposition(|block| block.may_carry) else { return };
            slots.mark(last, wanted.ttl);
        }
    }
}

fn mark_prefix(slots: &mut Slots<'_>, prompt: &Prompt, ttl: Ttl) {
    let (tools, system) = (prompt.end_of(Section::Tools), prompt.end_of(Section::System));
    // One marker for both: what is found at the end of the system prompt holds the tools.
    let ends = || [system, tools].into_iter().flatten();
    let Some(last) = ends().next() else { return };
    let lives_long_enough = |end: usize| slots.ttl_at(end) >= Some(ttl);
    let can_live_long_enough = |end: &usize| slots.longest_at(*end) >= Some(ttl) && !slots.is_marked(*end);
    let end = match ends().any(lives_long_enough) {
        // A marker on the tools alone does not keep the system prompt.
        true => last,
        false => ends().find(can_live_long_enough).unwrap_or(last),
    };
    slots.mark(end, ttl);
}

/// The first block from here on that can carry a marker which finds what was written up to here.
fn first_markable(prompt: &Prompt, from: usize, within: usize) -> Option<usize> {
    let reach = prompt.blocks.iter().enumerate().skip(from).take(within);
    reach.filter(|(_, block)| block.may_carry).map(|(index, _)| index).next()
}
