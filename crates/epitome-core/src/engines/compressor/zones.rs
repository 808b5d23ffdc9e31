//! Head, middle, tail and newest exchange of a conversation (M8), and what each weighs.

use std::collections::BTreeSet;

use super::{BRIDGE, SMALLEST_SUMMARY};
use crate::budget::Budget;
use crate::live;
use crate::model::{Block, Conversation, Message, Pairing, ResultStyle, Role, Segment};
use crate::summary::{self, requests};
use crate::tokens::{Sizes, Tokens};

/// Instructions that hold stay as they are while they take no more than this share of the window together.
const MOST_INSTRUCTIONS: f64 = 0.10;

/// Where a conversation may be cut, and what its parts weigh.
pub(super) struct Zones<'a> {
    pub(super) conversation: &'a Conversation,
    pub(super) pairing: Pairing,
    /// What the messages before each message weigh; one entry more than there are messages.
    sums: Vec<Tokens>,
    /// What is not in a message: system prompt, tools, and what only the provider knows of.
    pub(super) fixed: Tokens,
    /// Messages `..head_end` are the head.
    pub(super) head_end: usize,
    /// Messages `newest_input..` are the newest input, which no rung removes.
    pub(super) newest_input: usize,
    /// Messages that stay in the middle, as they are and where they are.
    islands: BTreeSet<usize>,
}

impl<'a> Zones<'a> {
    pub(super) fn of(conversation: &'a Conversation, sizes: &Sizes, budget: &Budget) -> Self {
        let pairing = Pairing::of(&conversation.messages);
        let mut sums = Vec::with_capacity(conversation.messages.len() + 1);
        let mut sum = Tokens(0);
        sums.push(sum);
        for size in &sizes.messages {
            sum += *size;
            sums.push(sum);
        }
        let fixed = sizes.prefix + budget.unseen;
        let newest_input = live::newest_input(&conversation.messages, &pairing);
        let islands = BTreeSet::new();
        let mut zones = Zones { conversation, pairing, sums, fixed, head_end: 0, newest_input, islands };
        zones.head_end = zones.find_head_end(budget.protect_first_n);
        zones.islands = zones.find_islands(budget);
        zones
    }

    /// The first words of a user and the first request of a person, which a harness may have spoken before; the newest
    /// request; the instructions that hold; and what only the provider can read.
    fn find_islands(&self, budget: &Budget) -> BTreeSet<usize> {
        let conversation = self.conversation;
        let first = conversation.first_user_message().into_iter().chain(requests::first(conversation));
        let state = conversation.messages.iter().enumerate().filter(|(_, message)| is_state(message));
        let mut islands: BTreeSet<usize> = first.chain(state.map(|(index, _)| index)).collect();
        if let Some(request) = live::request(conversation) {
            let kept: Vec<(usize, usize)> = islands.iter().map(|index| (*index, index + 1)).collect();
            let beside = self.weight(0, conversation.leading_system_messages()) + self.weight_of(&kept);
            let least = self.fixed + beside + self.weight_from(self.newest_input) + SMALLEST_SUMMARY;
            // A size that was asked for may have no room for it. Otherwise it stays, whatever it weighs.
            if !budget.forced || least + self.weight(request.start, request.end) <= budget.context_length {
                islands.extend(request);
            }
        }
        islands.extend(self.instructions_that_hold(budget.context_length.share(MOST_INSTRUCTIONS)));
        islands
    }

    /// The newest instruction of each form, newest first as far as there is room.
    fn instructions_that_hold(&self, mut room: Tokens) -> Vec<usize> {
        let overtaken = live::overtaken(self.conversation);
        let leading = self.conversation.leading_system_messages();
        let behind_prompt = self.conversation.messages.iter().enumerate().skip(leading).rev();
        let instructions = behind_prompt.filter(|(_, message)| live::is_instruction(message));
        let holding = instructions.map(|(index, _)| index).filter(|index| !overtaken.contains(index));
        let around = match self.conversation.results {
            ResultStyle::OwnMessage => Tokens(0),
            // There it needs neighbours, which may have to be ours.
            ResultStyle::NextUserMessage => BRIDGE + BRIDGE,
        };
        let fits = |index: &usize| {
            let size = self.size(*index) + around;
            let fits = size <= room;
            room = if fits { room - size } else { room };
            fits
        };
        holding.filter(fits).collect()
    }

    /// The system prompt counts as one protected message. A head that would end inside a group ends before it.
    fn find_head_end(&self, protect_first_n: usize) -> usize {
        let system = self.conversation.leading_system_messages();
        let mut end = system;
        for message in self.conversation.messages.iter().skip(system).take(protect_first_n.saturating_sub(1)) {
            let in_group = message.calls().next().is_some() || message.results().next().is_some();
            if in_group || summary::is_ours(message) {
                break;
            }
            end += 1;
        }
        // The newest input belongs to the tail; where it reaches into the system prompt, what is behind that.
        let last = self.conversation.messages.len().saturating_sub(1);
        end.min(if self.newest_input < system { last } else { self.newest_input })
    }

    /// Walks back from the end while the tail stays within `room` or has fewer than `at_least` messages. The newest
    /// input is always in.
    pub(super) fn tail_start(&self, room: Tokens, at_least: usize, saved: &dyn Fn(usize) -> Tokens) -> usize {
        let mut weight = Tokens(0);
        let mut start = self.conversation.messages.len();
        let end = start;
        for segment in self.pairing.segments().iter().rev() {
            if segment.start < self.head_end {
                // A newest input that reaches into the head is the tail behind it.
                return if start == end { self.head_end } else { start };
            }
            weight += (segment.start..segment.end).map(|index| self.size(index) - saved(index)).sum();
            if start <= self.newest_input && weight > room && end - start >= at_least {
                break;
            }
            start = segment.start;
        }
        start
    }

    /// What the shortest tail weighs that has at least so many tokens and begins with a segment; all there is, if there
    /// are fewer.
    pub(super) fn tail_of_at_least(&self, tokens: Tokens) -> Tokens {
        let segments = self.pairing.segments().iter().rev();
        let weights = segments.filter(|segment| segment.start >= self.head_end);
        let weights = weights.map(|segment| self.weight_from(segment.start));
        let mut most = Tokens(0);
        for weight in weights {
            most = weight;
            if weight >= tokens {
                break;
            }
        }
        most
    }

    /// Where the newest exchange starts, behind the head.
    pub(super) fn newest_exchange(&self) -> usize {
        live::newest_exchange(&self.conversation.messages, &self.pairing).max(self.head_end)
    }

    /// What the newest request weighs where it stays in the middle.
    pub(super) fn request_in_middle(&self) -> Tokens {
        let middle = self.head_end..self.newest_exchange();
        let request = live::request(self.conversation).into_iter().flatten();
        request
            .filter(|index| middle.contains(index) && self.islands.contains(index))
            .map(|index| self.size(index))
            .sum()
    }

    /// What may go between head and `tail_start`: everything but the islands.
    pub(super) fn spans(&self, from: usize, tail_start: usize) -> Vec<(usize, usize)> {
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for segment in self.pairing.segments() {
            if segment.start < from || segment.end > tail_start || self.is_island(*segment) {
                continue;
            }
            match spans.last_mut() {
                Some((_, end)) if *end == segment.start => *end = segment.end,
                Some(_) | None => spans.push((segment.start, segment.end)),
            }
        }
        spans
    }

    fn is_island(&self, segment: Segment) -> bool {
        self.islands.range(segment.start..segment.end).next().is_some()
    }

    pub(super) fn size(&self, message: usize) -> Tokens {
        self.weight(message, message + 1)
    }

    /// What messages `start..end` weigh.
    pub(super) fn weight(&self, start: usize, end: usize) -> Tokens {
        let sum = |index: usize| self.sums.get(index).or(self.sums.last()).copied().unwrap_or_default();
        sum(end) - sum(start)
    }

    /// What messages `start..` weigh.
    pub(super) fn weight_from(&self, start: usize) -> Tokens {
        self.weight(start, self.conversation.messages.len())
    }

    /// What some spans weigh together.
    pub(super) fn weight_of(&self, spans: &[(usize, usize)]) -> Tokens {
        spans.iter().map(|(start, end)| self.weight(*start, *end)).sum()
    }
}

/// Whether a message holds what only the provider can read and nobody can put into words: its own compaction of earlier
/// turns, nothing but blocks that we do not know, or an instruction that is more than text.
fn is_state(message: &Message) -> bool {
    if message.role == Role::System {
        return !live::is_instruction(message);
    }
    let opaque = |block: &Block| match block {
        Block::Opaque(opaque) => Some(&*opaque.kind == "compaction"),
        Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Media(_) => None,
    };
    let kinds: Vec<Option<bool>> = message.blocks.iter().map(opaque).collect();
    kinds.contains(&Some(true)) || (!kinds.is_empty() && kinds.iter().all(Option::is_some))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Policy;
    use crate::model::{ToolCall, ToolResult};
    use crate::tokens::TokenCounter;

    struct OneEach;

    impl TokenCounter for OneEach {
        fn count(&self, text: &str) -> Tokens {
            Tokens(text.len() as u64)
        }

        fn estimate(&self, text: &str) -> Tokens {
            self.count(text)
        }
    }

    fn conversation(roles: &str) -> Conversation {
        let message = |(index, role): (usize, char)| {
            let block = match role {
                'c' => Block::ToolCall(ToolCall {
                    id: format!("{index}").into(),
                    name: "t".into(),
                    arguments: "{}".into(),
                }),
                't' => Block::ToolResult(ToolResult {
                    call_id: format!("{}", index - 1).into(),
                    content: vec![],
                    is_error: false,
                }),
                _ => Block::Text("text".into()),
            };
            let role = match role {
                's' => Role::System,
                'u' => Role::User,
                't' => Role::Tool,
                _ => Role::Assistant,
            };
            Message { role, blocks: vec![block], injected: false, reported_prompt_tokens: None }
        };
        Conversation { messages: roles.chars().enumerate().map(message).collect(), ..Conversation::default() }
    }

    #[track_caller]
    fn check_head(roles: &str, protect_first_n: usize, expected: usize) {
        let conversation = conversation(roles);
        let policy = Policy { protect_first_n, ..Policy::default() };
        let budget = Budget::new(Tokens(1_000), Tokens(1_000), &policy);
        let sizes = Sizes::of(&conversation, &OneEach);
        assert_eq!(Zones::of(&conversation, &sizes, &budget).head_end, expected, "{roles}");
    }

    #[test]
    fn the_head_is_the_prompt_and_the_first_exchange() {
        check_head("suauau", 3, 3);
        check_head("uauauau", 3, 2);
        check_head("ssuaua", 3, 4);
    }

    #[test]
    fn a_head_that_would_end_in_a_group_ends_before_it() {
        check_head("suctctau", 3, 2);
        check_head("suauau", 2, 2);
        check_head("suausa", 9, 5);
        check_head("suau", 9, 3);
        check_head("suaus", 9, 3);
        check_head("sctctau", 3, 1);
    }

    #[track_caller]
    fn check_tail(roles: &str, room: u64, at_least: usize, expected: usize) {
        let conversation = conversation(roles);
        let budget = Budget::new(Tokens(1_000), Tokens(1_000), &Policy::default());
        let sizes = Sizes::of(&conversation, &OneEach);
        let zones = Zones::of(&conversation, &sizes, &budget);
        assert_eq!(zones.tail_start(Tokens(room), at_least, &|_| Tokens(0)), expected, "{roles}");
    }

    #[test]
    fn the_tail_holds_at_least_its_messages_and_whole_groups() {
        check_tail("suctctctctau", 0, 3, 8);
        check_tail("suctctctctau", 0, 1, 11);
        check_tail("suctctctctau", 1_000, 1, 2);
    }

    #[test]
    fn a_newest_group_that_reaches_into_the_head_is_the_tail() {
        // The last message answers a call of the prompt: nothing lies between head and tail.
        let mut conversation = conversation("suau");
        let call = ToolCall { id: "1".into(), name: "t".into(), arguments: "{}".into() };
        let result = ToolResult { call_id: "1".into(), content: vec![], is_error: false };
        conversation.messages[0].blocks.push(Block::ToolCall(call));
        conversation.messages[3].blocks.push(Block::ToolResult(result));
        let budget = Budget::new(Tokens(1_000), Tokens(1_000), &Policy::default());
        let sizes = Sizes::of(&conversation, &OneEach);
        let zones = Zones::of(&conversation, &sizes, &budget);
        assert_eq!((zones.head_end, zones.tail_start(Tokens(0), 1, &|_| Tokens(0))), (3, 3));
    }

    #[test]
    fn instructions_and_the_first_request_stay_where_they_are() {
        let conversation = conversation("ctuctsctau");
        let policy = Policy { protect_first_n: 1, ..Policy::default() };
        let budget = Budget::new(Tokens(1_000), Tokens(1_000), &policy);
        let sizes = Sizes::of(&conversation, &OneEach);
        let zones = Zones::of(&conversation, &sizes, &budget);
        assert_eq!(zones.spans(zones.head_end, 8), [(0, 2), (3, 5), (6, 8)]);
    }
}
