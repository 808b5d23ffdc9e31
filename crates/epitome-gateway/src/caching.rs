//! Marks requests for the provider's prompt cache, as far as it takes marks (M19–M22).
//!
//! The client's own markers stay. What was written is remembered by session, in memory: after a restart the client's own
//! prefix says where earlier requests ended.

use bytes::Bytes;
use epitome_core::cache::{
    Breakpoint, EXPECTED_PAUSES, End, Memory, Prompt, ProviderCache, Rules, Ttl, Unmarkable, Wanted, long_pays,
    stateful, system_and_3,
};
use epitome_core::catalogue::ModelFacts;
use epitome_core::summary::is_ours;
use epitome_core::tokens::Tokens;
use epitome_wire::caching::{Cached, Layout};
use epitome_wire::{Dialect, DuplicateKeys, Format, Known, Request};

use crate::received::Received;

/// How requests are marked for the provider's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptCaching {
    /// Where markers go.
    pub strategy: Strategy,
    /// How long what they mark is kept.
    pub ttl: Ttl,
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
}

/// What a provider does with markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Where it reads them.
    pub layout: Layout,
    /// What it accepts and promises.
    pub rules: Rules,
    /// Whether we set any.
    pub marks: Marks,
}

/// Whether markers are set for a model at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marks {
    /// They are; the words say for whom.
    Set(String),
    /// They are not; the words say why.
    Unset(String),
}

/// A shorter prefix is not cached by most models.
const USUAL_MINIMUM: Tokens = Tokens(1_024);

impl Default for PromptCaching {
    fn default() -> PromptCaching {
        PromptCaching { strategy: Strategy::Auto, ttl: Ttl::Short }
    }
}

impl PromptCaching {
    /// What people are told, once for each model and provider (M22).
    pub fn status(&self, support: &Support) -> String {
        let ttl = match self.ttl {
            Ttl::Short => "5m",
            Ttl::Long => "1h",
        };
        match (&support.marks, self.strategy) {
            (Marks::Set(_), Strategy::Client) => {
                "💾 Prompt caching: LEFT TO THE CLIENT (prompt_caching.strategy: client)".to_owned()
            }
            (Marks::Set(whom), Strategy::Auto | Strategy::Stateful | Strategy::SystemAndThree) => {
                format!("💾 Prompt caching: ENABLED ({whom}, {ttl} TTL)")
            }
            (Marks::Unset(why), _) => format!("💾 Prompt caching: NO MARKERS ({why})"),
        }
    }

    /// The markers that a prompt gets.
    fn plan(&self, prompt: &Prompt, support: &Support, facts: &ModelFacts, memory: Memory<'_>) -> Vec<Breakpoint> {
        let rules = &support.rules;
        match (&support.marks, self.strategy) {
            (Marks::Unset(_), _) | (_, Strategy::Client) => Vec::new(),
            (Marks::Set(_), Strategy::SystemAndThree) => system_and_3(prompt, rules, self.ttl),
            (Marks::Set(_), Strategy::Auto | Strategy::Stateful) => {
                let pays = support.layout != Layout::OpenAi && long_pays(&facts.prices, EXPECTED_PAUSES);
                let prefix = if pays { Ttl::Long } else { self.ttl };
                // Through OpenRouter a tool's message carries no marker, but the provider can be asked to mark the end.
                let end = if support.layout == Layout::OpenRouter { End::Automatic } else { End::Walk };
                stateful(prompt, rules, memory, Wanted { rolling: self.ttl, prefix: prefix.max(self.ttl), end })
            }
        }
    }
}

impl Support {
    /// What the provider at `host` does with markers in requests of this dialect for this model.
    pub fn of(dialect: Dialect, host: &str, model: &str, facts: &ModelFacts) -> Support {
        let minimum = facts.cache_min.unwrap_or(USUAL_MINIMUM);
        let is_claude = model.to_ascii_lowercase().contains("claude");
        // Clients name models as they like, and this is read in a terminal.
        let no_claude = || Marks::Unset(format!("{} is no Claude model", model.escape_debug()));
        let is_at = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
        let anthropic = Rules::anthropic(minimum);
        match dialect {
            Dialect::AnthropicMessages => {
                let whom = if is_at("anthropic.com") { "Anthropic" } else { provider_name(host) };
                let marks = if is_claude { Marks::Set(format!("Claude via {whom}")) } else { no_claude() };
                Support { layout: Layout::Messages, rules: anthropic, marks }
            }
            Dialect::OpenAiChat if is_at("openrouter.ai") => {
                let rules = Rules { unmarkable: Unmarkable::Counted, ..anthropic };
                let marks = if is_claude { Marks::Set("Claude via OpenRouter".to_owned()) } else { no_claude() };
                let rules = if is_claude { rules } else { Rules::automatic() };
                Support { layout: Layout::OpenRouter, rules, marks }
            }
            Dialect::OpenAiChat | Dialect::OpenAiResponses => {
                // Writing costs extra where it can be asked for.
                let asks = is_at("openai.com") && facts.prices.cache_write_5m.is_some();
                let (rules, marks) = if asks {
                    (Rules::openai_marked(), Marks::Set("breakpoints at OpenAI".to_owned()))
                } else {
                    let host = provider_name(host);
                    (
                        Rules::automatic(),
                        Marks::Unset(format!("{host} takes none in this dialect, or caches by itself")),
                    )
                };
                let layout =
                    if asks || dialect == Dialect::OpenAiResponses { Layout::OpenAi } else { Layout::OpenRouter };
                Support { layout, rules, marks }
            }
        }
    }
}

fn provider_name(host: &str) -> &str {
    match host {
        "" => "a provider that is not named",
        "openrouter.ai" => "OpenRouter",
        named => named,
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
    pub(crate) facts: &'a ModelFacts,
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
        let added = self.caching.plan(&weighed.prompt, self.support, self.facts, memory);
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

    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, host: &str, model: &str, expected: &str) {
        let lookup = Catalogue::embedded().lookup(model);
        let support = Support::of(dialect, host, model, lookup.facts());
        assert_eq!(PromptCaching::default().status(&support), format!("💾 Prompt caching: {expected}"));
    }

    #[test]
    fn people_are_told_for_whom_or_why_not() {
        use Dialect::{AnthropicMessages, OpenAiChat, OpenAiResponses};
        let claude = "anthropic/claude-sonnet-4.6";
        check(OpenAiChat, "openrouter.ai", claude, "ENABLED (Claude via OpenRouter, 5m TTL)");
        check(AnthropicMessages, "api.anthropic.com", "claude-opus-4-8", "ENABLED (Claude via Anthropic, 5m TTL)");
        check(AnthropicMessages, "10.0.0.1", "claude-opus-4-8", "ENABLED (Claude via 10.0.0.1, 5m TTL)");
        check(AnthropicMessages, "10.0.0.1", "kimi-k2", "NO MARKERS (kimi-k2 is no Claude model)");
        check(OpenAiChat, "openrouter.ai", "z-ai/glm-5", "NO MARKERS (z-ai/glm-5 is no Claude model)");
        check(OpenAiResponses, "api.openai.com", "gpt-6-luna", "ENABLED (breakpoints at OpenAI, 5m TTL)");
        check(
            OpenAiChat,
            "notopenrouter.ai",
            claude,
            "NO MARKERS (notopenrouter.ai takes none in this dialect, or caches by itself)",
        );
        check(
            OpenAiResponses,
            "api.openai.com",
            "gpt-4.1",
            "NO MARKERS (api.openai.com takes none in this dialect, or caches by itself)",
        );
    }

    #[test]
    fn what_was_configured_is_told() {
        let lookup = Catalogue::embedded().lookup("claude-opus-4-8");
        let support = Support::of(Dialect::AnthropicMessages, "api.anthropic.com", "claude-opus-4-8", lookup.facts());
        let status = |strategy, ttl| PromptCaching { strategy, ttl }.status(&support);
        let hour = "💾 Prompt caching: ENABLED (Claude via Anthropic, 1h TTL)";
        assert_eq!(status(Strategy::SystemAndThree, Ttl::Long), hour);
        let client = "💾 Prompt caching: LEFT TO THE CLIENT (prompt_caching.strategy: client)";
        assert_eq!(status(Strategy::Client, Ttl::Short), client);
    }
}
