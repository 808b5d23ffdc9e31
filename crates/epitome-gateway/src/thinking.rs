//! Thinking that is bound to what stands before it: what is done about it where something before it is edited.
//!
//! First the provider is asked to leave out what no longer fits. Where it cannot be asked, a compaction waits for the end
//! of the turn, as then nobody needs the thinking any more: it is left out. A compaction that cannot wait leaves out that
//! of the finished turns, and never that of the turn in progress. What was done is in the ledger, so that every later
//! request is sent the same way.

use epitome_core::model::Role;
use epitome_store::records::Thinking;
use epitome_wire::Dialect;
use epitome_wire::asking::AboutThinking;
use epitome_wire::thinking::{Ask, DROP_BLOCK_BETA, OwnThinking, binds_thinking, may_bind_thinking};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::received::Received;

/// What a provider does about thinking behind another prompt than the one it was made for; each is harder than the last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Binding {
    /// It does not mind.
    #[default]
    Free,
    /// It refuses the request, unless it is asked to leave that thinking out.
    Escapable,
    /// It refuses the request.
    Strict,
}

impl Binding {
    /// What is to be expected for a request: by its model, by what was learnt of the provider, and by what was done for its
    /// history before.
    ///
    /// A model that is not known to bind its thinking may do so all the same, for this account or since last week. As long as
    /// nothing was learnt it is taken to: to ask for something that is not needed is better than to be refused.
    pub(crate) fn expected(received: &Received, learnt: Option<Binding>, before: Thinking) -> Binding {
        if received.incoming.dialect != Dialect::AnthropicMessages {
            return Binding::Free;
        }
        let model = received.model();
        let known = if binds_thinking(model) { Binding::Escapable } else { Binding::Free };
        let guessed = if may_bind_thinking(model) { Binding::Escapable } else { Binding::Free };
        let done = match before {
            // What was asked for then is not known to this provider.
            Thinking::DropBlock if learnt == Some(Binding::Free) => Binding::Free,
            Thinking::AsItIs => Binding::Free,
            Thinking::DropBlock => Binding::Escapable,
            Thinking::StrippedBefore(_) => Binding::Strict,
        };
        match known.max(done).max(learnt.unwrap_or(guessed)) {
            Binding::Escapable if received.own.own_thinking() == OwnThinking::Insists => Binding::Strict,
            expected @ (Binding::Free | Binding::Escapable | Binding::Strict) => expected,
        }
    }

    /// What a complaint teaches about a model, of whose provider `learnt` was known; `None`: it is not about what we did.
    pub(crate) fn taught(
        about: AboutThinking,
        refused: Thinking,
        learnt: Option<Binding>,
        model: &str,
    ) -> Option<Binding> {
        match (about, refused, learnt) {
            // It cannot be asked to leave anything out, as was learnt before.
            (AboutThinking::Bound, Thinking::AsItIs, Some(Binding::Free)) => Some(Binding::Strict),
            (AboutThinking::Bound, Thinking::AsItIs, _) => Some(Binding::Escapable),
            (AboutThinking::Bound, Thinking::DropBlock | Thinking::StrippedBefore(_), _) => Some(Binding::Strict),
            // It was asked in vain, and perhaps without need.
            (AboutThinking::NoEscape, Thinking::DropBlock, None) if !binds_thinking(model) => Some(Binding::Free),
            (AboutThinking::NoEscape, Thinking::DropBlock, _) => Some(Binding::Strict),
            // Whoever asked for it, it was not us.
            (AboutThinking::NoEscape, Thinking::AsItIs | Thinking::StrippedBefore(_), _) => None,
        }
    }

    /// Whether a compaction should wait for the end of the turn.
    pub(crate) fn waits(self, received: &Received) -> bool {
        self == Binding::Strict && received.own.own_thinking() != OwnThinking::Off && is_in_turn(received)
    }

    /// What is done about thinking when a history is compacted, of which `before` was done already.
    pub(crate) fn at_compaction(self, received: &Received, before: Thinking) -> Thinking {
        if before == Thinking::AsItIs && !received.own.has_thinking() {
            return before;
        }
        match (self, before) {
            (Binding::Free, before) => before,
            (Binding::Escapable, _) => Thinking::DropBlock,
            (Binding::Strict, Thinking::StrippedBefore(earlier)) => {
                Thinking::StrippedBefore(earlier.max(turn_begins(received)))
            }
            (Binding::Strict, Thinking::AsItIs | Thinking::DropBlock) => {
                Thinking::StrippedBefore(turn_begins(received))
            }
        }
    }
}

/// What is tried next when `refused` was, of a provider that is known to be so by now; `None`: nothing is left.
pub(crate) fn instead_of(refused: Thinking, binding: Binding, received: &Received) -> Option<Thinking> {
    let begins = turn_begins(received);
    match (refused, binding, received.own.own_thinking()) {
        (Thinking::DropBlock, Binding::Free, _) => Some(Thinking::AsItIs),
        (Thinking::AsItIs, Binding::Free | Binding::Escapable, OwnThinking::On | OwnThinking::Off) => {
            Some(Thinking::DropBlock)
        }
        (Thinking::AsItIs, ..) | (Thinking::DropBlock, Binding::Escapable | Binding::Strict, _) => {
            Some(Thinking::StrippedBefore(begins))
        }
        (Thinking::StrippedBefore(earlier), ..) => {
            let more = received.own.thinking_messages(received.message_at(earlier)..received.message_at(begins));
            let has_more = more.count() > 0;
            has_more.then_some(Thinking::StrippedBefore(begins))
        }
    }
}

/// Before which of the client's messages thinking is left out of a request.
pub(crate) fn left_out_before(thinking: Thinking, received: &Received) -> usize {
    match (thinking, received.own.own_thinking()) {
        (Thinking::AsItIs, _) => 0,
        // Nobody misses it, and there is no place to ask for anything.
        (Thinking::DropBlock | Thinking::StrippedBefore(_), OwnThinking::Off) => received.conversation().messages.len(),
        (Thinking::DropBlock, OwnThinking::On | OwnThinking::Drops | OwnThinking::Insists) => 0,
        (Thinking::StrippedBefore(place), OwnThinking::On | OwnThinking::Drops | OwnThinking::Insists) => {
            received.message_at(place)
        }
    }
}

/// How many places, from the first, this depends on: the words that begin the turn in progress are one of them, so that
/// no history finds it in which that turn is another.
pub(crate) fn depth_of(thinking: Thinking) -> usize {
    match thinking {
        Thinking::AsItIs | Thinking::DropBlock => 0,
        Thinking::StrippedBefore(place) => usize::try_from(place).unwrap_or(usize::MAX).saturating_add(1),
    }
}

/// What the provider is asked for.
pub(crate) fn asked(thinking: Thinking) -> Ask {
    match thinking {
        Thinking::DropBlock => Ask::DropBlock,
        Thinking::AsItIs | Thinking::StrippedBefore(_) => Ask::Nothing,
    }
}

/// The headers without which the provider does not understand what it is asked for: the client's own, and one more name.
pub(crate) fn headers(thinking: Thinking, received: &Received) -> Vec<(HeaderName, HeaderValue)> {
    match (asked(thinking), received.own.own_thinking()) {
        (Ask::DropBlock, OwnThinking::On) => with_beta(&received.incoming.headers).into_iter().collect(),
        (Ask::DropBlock, OwnThinking::Off | OwnThinking::Drops | OwnThinking::Insists) | (Ask::Nothing, _) => {
            Vec::new()
        }
    }
}

const BETA_HEADER: HeaderName = HeaderName::from_static("anthropic-beta");

fn with_beta(client: &HeaderMap) -> Option<(HeaderName, HeaderValue)> {
    let mut names: Vec<&str> = Vec::new();
    for value in client.get_all(BETA_HEADER) {
        // What is no text cannot be joined: the client's headers stay as they are.
        names.extend(value.to_str().ok()?.split(',').map(str::trim).filter(|name| !name.is_empty()));
    }
    if names.contains(&DROP_BLOCK_BETA) {
        return None;
    }
    names.push(DROP_BLOCK_BETA);
    Some((BETA_HEADER, HeaderValue::from_str(&names.join(",")).ok()?))
}

/// The place of the user's words that began the turn in progress; of the newest message, if no turn is in progress.
fn turn_begins(received: &Received) -> u32 {
    let places = received.places.messages();
    let begins = places.iter().rposition(|message| begins_turn(received, *message)).unwrap_or(0);
    u32::try_from(begins).unwrap_or(u32::MAX)
}

fn is_in_turn(received: &Received) -> bool {
    received.places.messages().last().is_some_and(|newest| !begins_turn(received, *newest))
}

fn begins_turn(received: &Received, message: usize) -> bool {
    let message = received.conversation().messages.get(message);
    message.is_some_and(|message| message.role == Role::User && message.results().next().is_none())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use epitome_store::records::Tenant;
    use epitome_wire::Known;
    use http::Uri;
    use serde_json::{Value, json};

    use super::*;
    use crate::exchange::{Incoming, Purpose};

    fn received(model: &str, thinking: Value, messages: Value) -> Received {
        let body = json!({"model": model, "thinking": thinking, "messages": messages});
        let incoming = Incoming {
            dialect: Dialect::AnthropicMessages,
            purpose: Purpose::Answer,
            tenant: Tenant::only(),
            owner: Tenant::only(),
            headers: HeaderMap::new(),
            upstream: Uri::from_static("http://127.0.0.1:1/"),
            body: Bytes::from(body.to_string()),
        };
        Received::read(incoming, &Known::default()).ok().expect("it can be read")
    }

    fn thought() -> Value {
        json!({"type": "thinking", "thinking": "hm", "signature": "s"})
    }

    /// Two turns: one that is finished, and one that has called a tool, and perhaps has its result.
    fn history(newest: Value) -> Value {
        json!([
            {"role": "user", "content": "first"},
            {"role": "assistant", "content": [thought(), {"type": "text", "text": "done"}]},
            {"role": "user", "content": "second"},
            {"role": "assistant", "content": [thought(), {"type": "tool_use", "id": "1", "name": "t", "input": {}}]},
            {"role": "user", "content": newest},
        ])
    }

    fn in_turn(model: &str) -> Received {
        received(model, json!({"type": "enabled"}), history(json!([{"type": "tool_result", "tool_use_id": "1"}])))
    }

    fn at_its_end(model: &str) -> Received {
        received(model, json!({"type": "enabled"}), history(json!("third")))
    }

    #[test]
    fn what_is_done_at_a_compaction_follows_from_the_provider() {
        let model = "claude-sonnet-4-5";
        let middle = in_turn(model);
        for (binding, before, expected) in [
            (Binding::Free, Thinking::AsItIs, Thinking::AsItIs),
            (Binding::Free, Thinking::DropBlock, Thinking::DropBlock),
            (Binding::Escapable, Thinking::AsItIs, Thinking::DropBlock),
            (Binding::Strict, Thinking::AsItIs, Thinking::StrippedBefore(2)),
            (Binding::Strict, Thinking::DropBlock, Thinking::StrippedBefore(2)),
            (Binding::Strict, Thinking::StrippedBefore(3), Thinking::StrippedBefore(3)),
        ] {
            assert_eq!(binding.at_compaction(&middle, before), expected, "{binding:?} {before:?}");
        }
        assert_eq!(Binding::Strict.at_compaction(&at_its_end(model), Thinking::AsItIs), Thinking::StrippedBefore(4));
        let thoughtless = received(model, json!({"type": "enabled"}), json!([{"role": "user", "content": "hi"}]));
        assert_eq!(Binding::Escapable.at_compaction(&thoughtless, Thinking::AsItIs), Thinking::AsItIs);
    }

    #[test]
    fn the_hardest_that_is_known_is_expected() {
        let (old, new) = (in_turn("claude-sonnet-4-5"), in_turn("claude-opus-5-5"));
        let foreign = in_turn("kimi-k3");
        assert_eq!(Binding::expected(&foreign, None, Thinking::AsItIs), Binding::Free);
        assert_eq!(Binding::expected(&foreign, None, Thinking::DropBlock), Binding::Escapable);
        // Not known to bind, but it may; unless it was learnt that this provider knows nothing of it.
        assert_eq!(Binding::expected(&old, None, Thinking::AsItIs), Binding::Escapable);
        for before in [Thinking::AsItIs, Thinking::DropBlock] {
            assert_eq!(Binding::expected(&old, Some(Binding::Free), before), Binding::Free);
        }
        assert_eq!(Binding::expected(&new, Some(Binding::Free), Thinking::AsItIs), Binding::Escapable);
        assert_eq!(Binding::expected(&old, None, Thinking::DropBlock), Binding::Escapable);
        assert_eq!(Binding::expected(&old, Some(Binding::Escapable), Thinking::AsItIs), Binding::Escapable);
        assert_eq!(Binding::expected(&new, None, Thinking::AsItIs), Binding::Escapable);
        assert_eq!(Binding::expected(&new, Some(Binding::Strict), Thinking::DropBlock), Binding::Strict);
        let insists = json!({"type": "enabled", "block_binding": {"prefix_mismatch_behavior": "error"}});
        let insisting = received("claude-opus-5-5", insists, history(json!("third")));
        assert_eq!(Binding::expected(&insisting, None, Thinking::AsItIs), Binding::Strict);
    }

    #[test]
    fn only_a_turn_in_progress_is_waited_for() {
        assert!(Binding::Strict.waits(&in_turn("m")));
        assert!(!Binding::Strict.waits(&at_its_end("m")));
        assert!(!Binding::Escapable.waits(&in_turn("m")));
        assert!(!Binding::Strict.waits(&received("m", Value::Null, history(json!("third")))));
    }

    /// What is tried, one after the other, at a provider that complains about everything so.
    #[track_caller]
    fn check_tried(model: &str, complaints: &[AboutThinking], expected: &[Thinking]) {
        let received = in_turn(model);
        let (mut learnt, mut tried) = (None, Vec::new());
        let mut now = Binding::expected(&received, learnt, Thinking::AsItIs).at_compaction(&received, Thinking::AsItIs);
        for about in complaints {
            tried.push(now);
            learnt = Binding::taught(*about, now, learnt, model);
            let binding = Binding::expected(&received, learnt, now);
            let Some(next) = instead_of(now, binding, &received) else { break };
            now = next;
        }
        assert_eq!(tried, expected);
    }

    #[test]
    fn the_ladder_ends() {
        use AboutThinking::{Bound, NoEscape};
        let stripped = Thinking::StrippedBefore(2);
        check_tried("m", &[Bound; 9], &[Thinking::AsItIs, Thinking::DropBlock, stripped]);
        check_tried("m", &[Bound, NoEscape, Bound, Bound], &[Thinking::AsItIs, Thinking::DropBlock, stripped]);
        check_tried("claude-opus-5-5", &[NoEscape, Bound, Bound], &[Thinking::DropBlock, stripped]);
        let old = "claude-sonnet-4-5";
        check_tried(old, &[NoEscape, Bound, Bound, Bound], &[Thinking::DropBlock, Thinking::AsItIs, stripped]);
        let later = at_its_end("m");
        assert_eq!(instead_of(stripped, Binding::Strict, &later), Some(Thinking::StrippedBefore(4)));
        assert_eq!(instead_of(Thinking::StrippedBefore(4), Binding::Strict, &later), None);
    }

    #[test]
    fn the_clients_own_betas_stay() {
        let check = |client: &[&'static str], expected: Option<&str>| {
            let named = |value: &&'static str| (BETA_HEADER, HeaderValue::from_static(value));
            let headers = client.iter().map(named).collect();
            let merged = with_beta(&headers).map(|(_, value)| value.to_str().unwrap().to_owned());
            assert_eq!(merged.as_deref(), expected);
        };
        check(&[], Some("thinking-binding-controls-2026-08-01"));
        check(&["a-1, b-2"], Some("a-1,b-2,thinking-binding-controls-2026-08-01"));
        check(&["a-1,thinking-binding-controls-2026-08-01"], None);
    }
}
