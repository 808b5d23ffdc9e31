//! Marks requests for the provider's prompt cache, as far as it takes marks (M19–M22).
//!
//! The client's own markers stay. What was written is remembered by session, in memory: after a restart the client's own
//! prefix says where earlier requests ended.

mod support;

pub use support::{Marks, Support};

use bytes::Bytes;
use epitome_core::cache::{Breakpoint, End, Memory, Prompt, ProviderCache, Ttl, Wanted, stateful, system_and_3};
use epitome_core::summary::is_ours;
use epitome_core::tokens::Tokens;
use epitome_wire::caching::{Cached, Layout};
use epitome_wire::{DuplicateKeys, Format, Known, NoteInString, Request};
use http::Uri;

use crate::received::Received;

/// How requests are marked for the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptCaching {
    /// Where markers go.
    pub strategy: Strategy,
    /// How long what they mark is kept.
    pub ttl: Ttl,
    /// The domain of the provider behind the upstream, where the upstream's own does not say who it is.
    pub provider: Option<&'static str>,
}

/// Where markers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// As `stateful`, which a gateway can: it remembers.
    Auto,
    /// Where the prompt grows, and where it was written before.
    Stateful,
    /// The system prompt and the last three messages.
    SystemAndThree,
    /// Where the client puts them, and nowhere else.
    Client,
    /// As `Client`, because prompt caching was switched off (`prompt_caching.cache_ttl: false`).
    Off,
}

impl Default for PromptCaching {
    fn default() -> PromptCaching {
        PromptCaching { strategy: Strategy::Auto, ttl: Ttl::Short, provider: None }
    }
}

impl PromptCaching {
    /// The line that people read, once for each model and provider (M22).
    pub fn status(&self, support: &Support) -> String {
        let ttl = match self.ttl {
            Ttl::Short => "5m",
            Ttl::Long => "1h",
        };
        match (&support.marks, self.strategy) {
            (_, Strategy::Off) => "💾 Prompt caching: OFF (prompt_caching.cache_ttl: false)".to_owned(),
            (Marks::Set(_), Strategy::Client) => {
                "💾 Prompt caching: LEFT TO THE CLIENT (prompt_caching.strategy: client)".to_owned()
            }
            (Marks::Set(whom), Strategy::Auto | Strategy::Stateful | Strategy::SystemAndThree) => {
                format!("💾 Prompt caching: ENABLED ({whom}, {ttl} TTL)")
            }
            (Marks::Unset(why), _) => format!("💾 Prompt caching: NO MARKERS ({why})"),
        }
    }

    /// The host whose rules hold for what is sent to an upstream.
    pub fn host<'a>(&self, upstream: &'a Uri) -> &'a str {
        self.provider.or_else(|| upstream.host()).unwrap_or_default()
    }

    /// How our note gets into a system prompt that is a string. Where we set markers it stands beside the client's text, so
    /// that the marker there finds that text again.
    pub(crate) fn note(&self, support: &Support) -> NoteInString {
        match (&support.marks, self.strategy) {
            (Marks::Unset(_), _) | (Marks::Set(_), Strategy::Client | Strategy::Off) => NoteInString::Inside,
            (Marks::Set(_), Strategy::Auto | Strategy::Stateful | Strategy::SystemAndThree) => support.note,
        }
    }

    /// The markers that a prompt gets.
    fn plan(&self, prompt: &Prompt, support: &Support, memory: Memory<'_>) -> Vec<Breakpoint> {
        let rules = &support.rules;
        match (&support.marks, self.strategy) {
            (Marks::Unset(_), _) | (_, Strategy::Client | Strategy::Off) => Vec::new(),
            (Marks::Set(_), Strategy::SystemAndThree) => system_and_3(prompt, rules, self.ttl),
            (Marks::Set(_), Strategy::Auto | Strategy::Stateful) => {
                // OpenAI's markers say nothing of how long.
                let prefix_after_pause = if support.layout == Layout::OpenAi { self.ttl } else { Ttl::Long };
                // Through OpenRouter a tool's message carries no marker, but the provider can be asked to mark the end.
                let end = if support.layout == Layout::OpenRouter { End::Automatic } else { End::Walk };
                stateful(prompt, rules, memory, Wanted { ttl: self.ttl, prefix_after_pause, end })
            }
        }
    }
}

/// A request as it is sent, and as a provider's cache sees it.
pub(crate) struct Marked {
    /// With markers in it; `None`: none were added.
    pub(crate) body: Option<Bytes>,
    /// How many were added.
    pub(crate) added: usize,
    /// What is sent.
    pub(crate) sent: Prompt,
    /// What the client sent, with its own markers.
    pub(crate) own: Prompt,
}

/// What a request is marked by.
pub(crate) struct Marker<'a> {
    pub(crate) caching: PromptCaching,
    pub(crate) support: &'a Support,
    /// What the session has left in the provider's cache.
    pub(crate) cache: &'a ProviderCache,
    pub(crate) known: &'a Known,
    pub(crate) now_ms: u64,
}

impl Marker<'_> {
    /// Marks a request: the client's own, or `edited`, which is its edited bytes. `sent` is what it weighs.
    pub(crate) fn mark(&self, received: &Received, edited: Option<&Bytes>, sent: Tokens) -> Marked {
        let read_again = |bytes: &Bytes| {
            let format = Format::Given(received.incoming.dialect);
            Request::read_again(bytes.to_vec(), format, DuplicateKeys::Carry, self.known).ok()
        };
        let layout = self.support.layout;
        let own = received.own.cached(layout);
        let edited = edited.and_then(read_again);
        let (request, cached) = match &edited {
            Some(request) => (request, request.cached(layout)),
            None => (&*received.own, own.clone()),
        };
        let mut weighed = cached;
        weighed.prompt = weighed.prompt.scaled_to(sent);
        let memory = Memory { cache: self.cache, boundary: boundary(request, &weighed), now_ms: self.now_ms };
        let added = self.caching.plan(&weighed.prompt, self.support, memory);
        let body = if added.is_empty() { None } else { request.mark(&weighed, &added).ok() };
        let added = if body.is_some() { added } else { Vec::new() };
        let body = body.map(|spliced| Bytes::from(spliced.bytes));
        Marked { body, added: added.len(), sent: weighed.prompt.with(&added), own: own.prompt }
    }
}

/// Where the newest summary of ours ends.
fn boundary(request: &Request, cached: &Cached) -> Option<usize> {
    let summary = request.conversation().messages.iter().rposition(is_ours)?;
    request.last_block_of(cached, summary)
}

#[cfg(test)]
mod tests {
    use epitome_core::catalogue::Catalogue;
    use epitome_wire::Dialect;

    use super::*;

    #[test]
    fn what_was_configured_is_said() {
        let lookup = Catalogue::embedded().lookup("claude-opus-4-8");
        let support = Support::of(Dialect::AnthropicMessages, "api.anthropic.com", "claude-opus-4-8", lookup.facts());
        let status = |strategy, ttl| PromptCaching { strategy, ttl, ..PromptCaching::default() }.status(&support);
        let hour = "💾 Prompt caching: ENABLED (Claude via Anthropic, 1h TTL)";
        assert_eq!(status(Strategy::SystemAndThree, Ttl::Long), hour);
        let client = "💾 Prompt caching: LEFT TO THE CLIENT (prompt_caching.strategy: client)";
        assert_eq!(status(Strategy::Client, Ttl::Short), client);
        let off = "💾 Prompt caching: OFF (prompt_caching.cache_ttl: false)";
        assert_eq!(status(Strategy::Off, Ttl::Short), off);
    }
}
