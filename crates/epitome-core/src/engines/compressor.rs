//! The built-in engine: keeps head and tail, summarises the middle, and climbs a ladder until it fits (M7–M17).
//!
//! Every rung works on a draft, which knows what the request would weigh at most if it were carried out: a summary
//! counts with its whole budget. So the plan is complete before anything is asked of a summariser, and a summariser that
//! fails, or says too much, cannot change where a compaction ends.

mod attention;
mod forced;
mod neighbours;
mod outlook;
mod reach;
mod rereads;
mod shortening;
mod zones;

pub use neighbours::fill_last_gap;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::budget::{Budget, Outputs, Policy, Tail, Trigger};
use crate::cost::trigger::Outlook;
use crate::edit::{Edit, has_note, takes_note};
use crate::engine::{Cause, Climbed, ContextEngine, How, Occasion, Plan, Reason, Rung, Shortfall, Step, SummaryOrder};
use crate::model::{Conversation, Message};
use crate::outputs::{CLEAR_ABOVE_CHARS, CLEARED, Interest, Readings, SMALLEST_DIGEST};
use crate::summary::{self, NOTE};
use crate::tokens::{Sizes, TOKENS_PER_MESSAGE, TokenCounter, Tokens};
use forced::length_to_fit;
use rereads::Place;
use shortening::Shorter;
use zones::Zones;

/// The engine that `context.engine: compressor` always means.
pub struct Compressor {
    policy: Policy,
    readings: Readings,
}

impl Compressor {
    /// Follows `policy`.
    pub fn new(policy: Policy) -> Compressor {
        Compressor { policy, readings: Readings::default() }
    }

    /// A plan in which nothing is done yet.
    fn draft<'a>(
        &'a self,
        zones: &'a Zones<'a>,
        budget: &'a Budget,
        focus: Option<&'a str>,
        counter: &'a dyn TokenCounter,
    ) -> Draft<'a> {
        let before = |message: usize| zones.weight(0, message);
        let tail = match (self.policy.trigger, self.policy.tail) {
            // A size that was asked for leaves what room it leaves.
            (Trigger::Cost(_), _) if !budget.forced => zones.tail_of_at_least(budget.tail),
            (Trigger::Cost(_) | Trigger::Threshold, Tail::Fixed) => budget.tail,
            (Trigger::Cost(_) | Trigger::Threshold, Tail::Adaptive) => {
                reach::adapted(zones.conversation, budget.tail, before)
            }
        };
        let tail_start = zones.tail_start(tail, budget.protect_last_n, &|_| Tokens(0));
        let mut draft = Draft {
            zones,
            budget,
            counter,
            focus,
            interest: OnceCell::new(),
            superseded: OnceCell::new(),
            usable: OnceCell::new(),
            readings: &self.readings,
            note: counter.estimate(NOTE),
            tail,
            adapts: self.policy.tail == Tail::Adaptive,
            tail_start,
            middle: Middle::Stays,
            spans: Vec::new(),
            shortened: BTreeMap::new(),
            saved: Tokens(0),
            bridges: 0,
            answers: 0,
            answer: counter.estimate(MISSING_RESULT) + TOKENS_PER_MESSAGE,
        };
        draft.set(Middle::Stays, tail_start);
        draft
    }
}

/// Summarising less than this is not worth the marker.
const WORTH_SUMMARIZING: Tokens = Tokens(400);
/// What a summary takes at least.
const SMALLEST_SUMMARY: Tokens = Tokens(200);
/// A line in the other role behind a summary, with its message.
const BRIDGE: Tokens = Tokens(24);
/// Shortening inside the tail goes on until there is some room, or the next turn would trigger again.
const COMFORT: f64 = 0.85;
/// A summary that leads below this share of the trigger is enough.
const ROOM_TO_GO_ON: f64 = 0.90;
/// Above this share of the window, compaction turns aggressive (M17).
const AGGRESSIVE_ABOVE: f64 = 0.90;
/// Above this share of the window, messages are dropped (M17).
const DROP_ABOVE: f64 = 0.95;
/// With little room, a summary has this many words: of goal, constraints, state and open work (M17).
const FEW_WORDS: usize = 300;
/// With almost none, it has one sentence of each.
const FEWEST_WORDS: usize = 100;
/// What the summary may take when everything goes to its minimum.
const MINIMAL_SUMMARY: Tokens = Tokens(400);
/// What the summary may take that a new session begins from (M17), and its words: less where it does not fit otherwise.
const NEW_BEGINNINGS: [(Tokens, usize); 3] =
    [(Tokens(600), FEW_WORDS), (MINIMAL_SUMMARY, FEW_WORDS), (SMALLEST_SUMMARY, FEWEST_WORDS)];
/// A newest exchange that does not fit the window is shortened to this share of it. The rest is for the answer.
const NEWEST_FILLS: f64 = 0.85;
/// Where that leaves less than this, the rest is made as small as it can be.
const SMALLEST_NEWEST: Tokens = Tokens(1_000);
/// What a call is told whose result is nowhere (M11).
const MISSING_RESULT: &str = "[The result of this call is not in the transcript.]";

impl ContextEngine for Compressor {
    fn name(&self) -> &str {
        crate::engine::BUILT_IN
    }

    fn description(&self) -> &str {
        "keeps the beginning and the recent turns, shortens old tool outputs, summarises what lies between"
    }

    fn should_compress(&self, budget: &Budget) -> Option<Reason> {
        let reason = if budget.forced { Reason::TargetSize } else { Reason::Threshold };
        budget.is_due().then_some(reason)
    }

    fn outlook(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        budget: &Budget,
        counter: &dyn TokenCounter,
    ) -> Outlook {
        let zones = Zones::of(conversation, sizes, budget);
        self.draft(&zones, budget, None, counter).outlook(self.policy.outputs)
    }

    fn plan(
        &self,
        conversation: &Conversation,
        sizes: &Sizes,
        budget: &Budget,
        occasion: &Occasion,
        counter: &dyn TokenCounter,
    ) -> Plan {
        let zones = Zones::of(conversation, sizes, budget);
        let mut draft = self.draft(&zones, budget, occasion.focus.as_deref(), counter);
        let mut rungs = Vec::new();
        // The result to go back to if what the hardest rungs give up leads nowhere.
        let mut best: Option<(Fit, Reached)> = None;
        for rung in Rung::ALL {
            if rung == Rung::Aggressive {
                best = Some((draft.fit(), draft.reached(rungs.len())));
            }
            let changed = match rung {
                Rung::Prune => draft.prune(self.policy.outputs),
                Rung::Summarize => draft.summarize(),
                Rung::ShortenTail => draft.shorten_tail(),
                Rung::ShrinkTail => draft.shrink_tail(),
                Rung::ShortenNewest => draft.never_fits() && draft.shorten_newest(),
                Rung::Aggressive => draft.exceeds(AGGRESSIVE_ABOVE) && draft.go_to_minimum(),
                Rung::Drop => draft.exceeds(DROP_ABOVE) && draft.drop_oldest(),
                Rung::Restart => draft.exceeds(DROP_ABOVE) && draft.restart(),
            };
            if changed {
                rungs.push(Climbed { rung, at_most: draft.size() });
            }
            if let Some((fit, reached)) = &mut best
                && draft.fit() < *fit
            {
                (*fit, *reached) = (draft.fit(), draft.reached(rungs.len()));
            }
            // Without the controller, pruning alone is no compaction: it would end just below the trigger again.
            let may_end = rung >= Rung::Summarize || budget.shorten_down_to.is_some();
            if may_end && rung >= occasion.from && draft.size() < draft.end_below(rung) {
                break;
            }
            // What pays is shortening, and there was nothing to shorten.
            if budget.pays && budget.shorten_down_to.is_some() {
                break;
            }
        }
        // A size that was asked for comes first, even where it is missed; and what was refused must become smaller.
        if let Some((_, reached)) = best.filter(|_| !budget.forced && !budget.refused) {
            rungs.truncate(reached.rungs);
            draft.go_back_to(reached);
        }
        draft.fill_forced_size();
        let shortfall = (draft.size() >= budget.trigger).then(|| draft.shortfall());
        Plan {
            reason: occasion.reason,
            head_end: zones.head_end,
            tail_start: draft.tail_start,
            steps: draft.steps(),
            shortened: draft.shortened(),
            rungs,
            shortfall,
        }
    }
}

/// What becomes of the messages between head and tail.
#[derive(Clone, PartialEq)]
enum Middle {
    Stays,
    Summarized { from: usize, budget: Tokens, words: Option<usize> },
}

/// How far a compaction gets, best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    BelowTrigger,
    BelowAggressive,
    BelowDrop,
    InWindow,
    TooLarge,
}

/// What a draft was when it had climbed so many rungs.
struct Reached {
    rungs: usize,
    middle: Middle,
    tail_start: usize,
    shortened: BTreeMap<Place, Shorter>,
}

/// A plan in the making.
struct Draft<'a> {
    zones: &'a Zones<'a>,
    budget: &'a Budget,
    counter: &'a dyn TokenCounter,
    focus: Option<&'a str>,
    /// What the agent looks for; found out when the first digest is made.
    interest: OnceCell<Interest>,
    /// Outputs that a later one repeats.
    superseded: OnceCell<BTreeMap<Place, Place>>,
    /// What a summary could use of each message; found out when a size is forced.
    usable: OnceCell<Vec<Tokens>>,
    readings: &'a Readings,
    /// What the note in the system prompt weighs.
    note: Tokens,
    /// What the tail may weigh.
    tail: Tokens,
    /// Whether that depends on the task.
    adapts: bool,
    tail_start: usize,
    middle: Middle,
    /// The messages that go: what `middle` and `tail_start` lead to.
    spans: Vec<(usize, usize)>,
    /// Outputs that become shorter.
    shortened: BTreeMap<Place, Shorter>,
    /// What they save together.
    saved: Tokens,
    /// Lines of ours that keep neighbours apart.
    bridges: usize,
    /// Calls that get a result, as soon as anything is changed.
    answers: usize,
    /// What such a result weighs.
    answer: Tokens,
}

impl Draft<'_> {
    /// What the request will weigh at most.
    fn size(&self) -> Tokens {
        let kept = self.zones.fixed + self.zones.weight_from(0) - self.saved - self.zones.weight_of(&self.spans);
        let bridges = Tokens(BRIDGE.0 * self.bridges as u64);
        kept + match &self.middle {
            Middle::Stays if self.shortened.is_empty() => Tokens(0),
            Middle::Stays => self.repaired(),
            Middle::Summarized { budget, .. } => *budget + bridges + self.note + self.repaired(),
        }
    }

    /// What the results weigh that calls without one get.
    fn repaired(&self) -> Tokens {
        Tokens(self.answer.0 * self.answers as u64)
    }

    /// Where a compaction that has climbed so far may end.
    ///
    /// One that ends just below its trigger has broken the provider's cache and must do so again a turn later. So the
    /// rungs that only shorten or give up a part of the tail are climbed for some room too; those behind them never are.
    fn end_below(&self, rung: Rung) -> Tokens {
        let exact = self.budget.forced || self.budget.pays || self.budget.shorten_down_to.is_some();
        match rung {
            _ if exact => self.budget.trigger,
            Rung::Prune | Rung::Summarize | Rung::ShortenTail => self.budget.trigger.share(ROOM_TO_GO_ON),
            Rung::ShrinkTail | Rung::ShortenNewest | Rung::Aggressive | Rung::Drop | Rung::Restart => {
                self.budget.trigger
            }
        }
    }

    fn exceeds(&self, share: f64) -> bool {
        self.size() > self.budget.context_length.share(share)
    }

    fn fit(&self) -> Fit {
        match self.size() {
            size if size < self.budget.trigger => Fit::BelowTrigger,
            _ if !self.exceeds(AGGRESSIVE_ABOVE) => Fit::BelowAggressive,
            _ if !self.exceeds(DROP_ABOVE) => Fit::BelowDrop,
            size if size < self.budget.context_length => Fit::InWindow,
            _ => Fit::TooLarge,
        }
    }

    fn reached(&self, rungs: usize) -> Reached {
        let (middle, shortened) = (self.middle.clone(), self.shortened.clone());
        Reached { rungs, middle, tail_start: self.tail_start, shortened }
    }

    fn go_back_to(&mut self, reached: Reached) {
        self.shortened = reached.shortened;
        self.set(reached.middle, reached.tail_start);
    }

    /// Changes what goes. Outputs in it need not be shortened any more.
    fn set(&mut self, middle: Middle, tail_start: usize) {
        self.spans = match middle {
            Middle::Stays => Vec::new(),
            Middle::Summarized { from, .. } => self.zones.spans(from, tail_start),
        };
        (self.middle, self.tail_start) = (middle, tail_start);
        let spans = &self.spans;
        self.shortened.retain(|(message, _), _| !within(spans, *message));
        self.saved = self.shortened.values().map(Shorter::saved).sum();
        let gaps = self.gaps().map(|(_, gaps)| gaps).unwrap_or_default();
        self.bridges = gaps.iter().map(|gap| gap.bridges.len()).sum();
        self.answers = self.calls_to_answer().count();
    }

    /// Rung 1: old outputs are shortened (M7). With the controller (M15), the largest first and only as far as needed.
    fn prune(&mut self, outputs: Outputs) -> bool {
        let old = |(message, _): &(usize, usize)| *message < self.tail_start;
        let mut places: Vec<(usize, usize)> = self.outputs().into_iter().filter(old).collect();
        let goal = match self.budget.shorten_down_to {
            Some(goal) => {
                places.sort_by_key(|(message, _)| std::cmp::Reverse(self.zones.size(*message)));
                goal
            }
            // What is summarised from its originals need not be shortened first.
            None if self.worth_summarizing(self.zones.head_end, self.tail_start) => return false,
            None => self.budget.trigger - Tokens(1),
        };
        for place in &places {
            if self.budget.shorten_down_to.is_some() && self.size() <= goal {
                break;
            }
            match outputs {
                Outputs::Digest => self.digest(*place),
                Outputs::Clear => self.shorten(*place, |_, output, _| {
                    let large = output.text.chars().count() > CLEAR_ABOVE_CHARS;
                    large.then(|| (CLEARED.to_owned(), How::Cleared))
                }),
            };
        }
        for place in places {
            if self.size() <= goal {
                break;
            }
            self.make_one_line(place);
        }
        !self.shortened.is_empty()
    }

    /// Rung 2: the middle is summarised (M9).
    fn summarize(&mut self) -> bool {
        if !self.budget.forced {
            return self.order_summary(self.tail_start);
        }
        let tail_start = self.forced_tail_start();
        self.set(Middle::Stays, tail_start);
        let ordered = self.order_summary(tail_start);
        // A newest exchange that takes nearly all there is leaves nothing of what led to it.
        self.shorten_to_forced_size() || ordered
    }

    /// What is there for summary and tail together.
    fn free(&self) -> Tokens {
        self.budget.trigger - Tokens(1) - self.around()
    }

    /// Rung 3: oversized outputs inside the tail are shortened, but for those of the newest input.
    fn shorten_tail(&mut self) -> bool {
        if self.budget.forced {
            // Its tail was cut to its share when the summary was ordered.
            return false;
        }
        // The outputs that came last are what the agent works on now.
        let in_tail = |(message, _): &(usize, usize)| (self.tail_start..self.zones.newest_input).contains(message);
        let mut places: Vec<(usize, usize)> = self.outputs().into_iter().filter(in_tail).collect();
        places.sort_by_key(|(message, block)| {
            let weight = self.zones.size(*message);
            // What was read again is given up first: the newest reading is the one that counts.
            let newest_reading = !self.superseded().contains_key(&(*message, *block));
            (newest_reading, std::cmp::Reverse(weight), *message, *block)
        });
        self.digest_until_comfortable(places)
    }

    fn digest_until_comfortable(&mut self, places: Vec<Place>) -> bool {
        let goal = self.budget.trigger.share(COMFORT);
        let mut changed = false;
        for place in places {
            if self.size() <= goal {
                break;
            }
            changed |= self.digest(place);
        }
        changed
    }

    /// Whether the hardest rung would still not make it fit the window.
    fn never_fits(&self) -> bool {
        self.exceeds(DROP_ABOVE) && self.least() > self.budget.context_length.share(DROP_ABOVE)
    }

    /// What the hardest rung leaves: what no rung removes, and the shortest summary.
    fn least(&self) -> Tokens {
        let from = self.zones.conversation.leading_system_messages();
        let removable = self.zones.weight_of(&self.zones.spans(from, self.zones.newest_input));
        let ours = SMALLEST_SUMMARY + BRIDGE + self.note + self.repaired();
        self.zones.fixed + self.zones.weight_from(0) - removable + ours
    }

    /// Outputs that came last are cut to one length, so that they fill the room that the window has. Without that nothing
    /// could be sent at all.
    fn shorten_newest(&mut self) -> bool {
        let newest = self.zones.newest_input;
        let places: Vec<Place> = self.outputs().into_iter().filter(|(message, _)| *message >= newest).collect();
        let weights: Vec<Tokens> = places.iter().map(|place| self.output_weight(*place)).collect();
        let outputs: Tokens = weights.iter().copied().sum();
        let window = self.budget.context_length;
        let room = match window.share(NEWEST_FILLS) - (self.size() - outputs) {
            _ if self.budget.forced => self.budget.trigger - Tokens(1) - (self.size() - outputs),
            room if room >= SMALLEST_NEWEST => room,
            // Harder rungs make place for them.
            _ => window.share(DROP_ABOVE) - (self.least() - outputs),
        };
        let length = length_to_fit(&weights, room).max(SMALLEST_DIGEST);
        let mut changed = false;
        for (place, weight) in places.into_iter().zip(weights) {
            changed |= weight > length && self.excerpt_to(place, length);
        }
        changed
    }

    /// Rung 4: the tail shrinks to its token budget, or to the room there is; what it frees joins the summary.
    fn shrink_tail(&mut self) -> bool {
        let summary = match &self.middle {
            Middle::Summarized { budget, .. } => *budget,
            Middle::Stays => SMALLEST_SUMMARY,
        };
        let comfort = if self.budget.forced { 1.0 } else { COMFORT };
        let room = self.budget.trigger.share(comfort) - Tokens(1) - self.around() - summary;
        let saved = self.saved_by_message();
        let saved = |message: usize| saved.get(&message).copied().unwrap_or_default();
        let tail_start = self.zones.tail_start(room.min(self.tail), 1, &saved);
        tail_start > self.tail_start && self.order_summary(tail_start)
    }

    /// Aggressive: only head and newest exchange are left beside a short summary.
    fn go_to_minimum(&mut self) -> bool {
        self.keep_the_newest(MINIMAL_SUMMARY, FEW_WORDS)
    }

    /// Rung 5: one sentence each of goal, constraints, state and open work stands for what lies between head and newest
    /// exchange.
    fn drop_oldest(&mut self) -> bool {
        self.keep_the_newest(SMALLEST_SUMMARY, FEWEST_WORDS)
    }

    fn keep_the_newest(&mut self, budget: Tokens, words: usize) -> bool {
        let tail_start = self.tail_start.max(self.zones.newest_exchange());
        self.take_if_smaller(self.zones.head_end, budget, words, tail_start)
    }

    /// Rung 6: the session is archived. A new one begins from system prompt, first request, a short summary, and the newest
    /// segment.
    fn restart(&mut self) -> bool {
        let from = self.zones.conversation.leading_system_messages();
        let mut changed = false;
        for (budget, words) in NEW_BEGINNINGS {
            changed |= self.take_if_smaller(from, budget, words, self.zones.newest_input);
            if changed && !self.exceeds(DROP_ABOVE) {
                break;
            }
        }
        changed
    }

    fn take_if_smaller(&mut self, from: usize, budget: Tokens, words: usize, tail_start: usize) -> bool {
        if self.zones.spans(from, tail_start).is_empty() {
            return false;
        }
        let (before, size) = (self.reached(0), self.size());
        self.set(Middle::Summarized { from, budget, words: Some(words) }, tail_start);
        let is_smaller = self.size() < size;
        if !is_smaller {
            self.go_back_to(before);
        }
        is_smaller
    }

    /// Has the middle before `tail_start` summarised, if that is worth its room.
    fn order_summary(&mut self, tail_start: usize) -> bool {
        let from = self.zones.head_end;
        if !self.worth_summarizing(from, tail_start) {
            return false;
        }
        let spans = self.zones.spans(from, tail_start);
        let content = self.zones.weight_of(&spans);
        let summaries = spans.iter().flat_map(|(start, end)| *start..*end).filter(|index| {
            let message = self.message(*index);
            message.is_some_and(|message| summary::body_of(message).is_some())
        });
        let earlier = summaries.map(|index| self.zones.size(index)).sum();
        let mut budget = self.budget.summary_of(content, earlier);
        if self.budget.forced {
            // What the tail could not use goes to the summary.
            budget = content.share(0.9).min(self.free() - self.zones.weight_from(tail_start));
        }
        self.set(Middle::Summarized { from, budget: budget.max(SMALLEST_SUMMARY), words: None }, tail_start);
        true
    }

    /// Whether there is enough in the middle that is not a summary of ours already.
    fn worth_summarizing(&self, from: usize, tail_start: usize) -> bool {
        let spans = self.zones.spans(from, tail_start);
        let messages = spans.iter().flat_map(|(start, end)| *start..*end);
        let is_new = |index: &usize| self.message(*index).is_some_and(|message| !summary::is_ours(message));
        messages.filter(is_new).map(|index| self.zones.size(index)).sum::<Tokens>() > WORTH_SUMMARIZING
    }

    fn message(&self, index: usize) -> Option<&Message> {
        self.zones.conversation.messages.get(index)
    }

    /// What stands around summary and tail: system prompt, tools, head, what stays in the middle, and our own lines.
    fn around(&self) -> Tokens {
        self.zones.fixed
            + self.zones.weight(0, self.zones.head_end)
            + self.islands()
            + Tokens(BRIDGE.0 * self.bridges.max(1) as u64)
            + self.note
            + self.repaired()
    }

    /// What stays in the middle whatever happens.
    fn islands(&self) -> Tokens {
        let (head_end, newest) = (self.zones.head_end, self.zones.newest_exchange());
        self.zones.weight(head_end, newest) - self.zones.weight_of(&self.zones.spans(head_end, newest))
    }

    fn shortfall(&self) -> Shortfall {
        let system_messages = self.zones.conversation.leading_system_messages();
        let system_and_tools = self.zones.fixed + self.zones.weight(0, system_messages);
        // Wherever the newest request stands, it belongs to the newest exchange.
        let request = self.zones.request_in_middle();
        let head = self.zones.weight(system_messages, self.zones.head_end) + self.islands() - request;
        let newest = self.zones.weight_from(self.zones.newest_exchange()) + request;
        let trigger = self.budget.trigger;
        let cause = if system_and_tools >= trigger {
            Cause::SystemAndTools
        } else if system_and_tools + head >= trigger {
            Cause::Head
        } else if self.middle == Middle::Stays && self.zones.spans(self.zones.head_end, self.tail_start).is_empty() {
            Cause::NothingOld
        } else {
            Cause::NewestExchange
        };
        Shortfall { cause, system_and_tools, head, newest, trigger }
    }

    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        let conversation = self.zones.conversation;
        if let (Middle::Summarized { budget, words, .. }, Some((role, gaps))) = (&self.middle, self.gaps()) {
            if takes_note(conversation) && !has_note(conversation, NOTE) {
                steps.push(Step::Edit(Edit::NoteInSystem { text: NOTE.to_owned() }));
            }
            steps.push(Step::Summarize(SummaryOrder { gaps, role, budget: *budget, words: *words }));
        }
        let shortened = self.shortened.iter().map(|((message, block), shorter)| {
            Step::Edit(Edit::ShortenOutput { message: *message, block: *block, text: shorter.text.clone() })
        });
        steps.extend(shortened);
        if !steps.is_empty() {
            steps.extend(self.repairs());
        }
        steps
    }
}

fn within(spans: &[(usize, usize)], message: usize) -> bool {
    let behind = spans.partition_point(|(_, end)| *end <= message);
    spans.get(behind).is_some_and(|(start, _)| *start <= message)
}
