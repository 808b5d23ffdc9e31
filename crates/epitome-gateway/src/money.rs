//! What a call cost, what it would have cost without us, and what the session's cache knows by now.

use epitome_core::cache::{Billed, Prompt, ProviderCache, Rules};
use epitome_core::catalogue::ModelFacts;
use epitome_core::money::{self, Dollars, Usage};
use epitome_core::tokens::Tokens;
use epitome_store::records::{Spending, TurnUsage};

use crate::breaks::Trail;

/// What the requests of a session with one model have left in the provider's cache.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// The requests that were sent.
    pub(crate) sent: ProviderCache,
    /// The requests as the client made them, as if they had been sent.
    own: ProviderCache,
    /// The requests as we would have made them, where they are only watched.
    pub(crate) watched: ProviderCache,
    /// The client's last request.
    pub(crate) trail: Trail,
}

/// A request on its way, as a provider's cache sees it.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    pub(crate) rules: Rules,
    pub(crate) sent: Prompt,
    pub(crate) own: Prompt,
    /// What was sent weighs, by our own count …
    pub(crate) sent_tokens: Tokens,
    /// … and what the client had, by the same.
    pub(crate) own_tokens: Tokens,
    pub(crate) at_ms: u64,
    /// What would have been sent, where the request is only watched.
    pub(crate) watched: Option<Watched>,
}

/// A request that would have been sent, were requests not only watched.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    pub(crate) prompt: Prompt,
    /// What it weighs, by our own count.
    pub(crate) tokens: Tokens,
}

impl Caches {
    /// A request was answered: what it cost, and what it would have cost as the client made it.
    ///
    /// Both are played by the same rules, and what was reported is corrected by the difference of the two. So nothing was
    /// saved where nothing was changed, however the provider's cache behaved.
    pub(crate) fn answered(&mut self, expected: &Expected, usage: &TurnUsage, facts: &ModelFacts) -> Spending {
        let cold = self.sent.is_empty();
        let Expected { rules, sent, own, at_ms, .. } = expected;
        // The provider knows best how large it was; what the client had was larger by as much as we think.
        let larger = expected.own_tokens.0 as f64 / expected.sent_tokens.0.max(1) as f64;
        let own_size = Tokens((usage.prompt as f64 * larger).round() as u64);
        let sent = self.sent.request(&sent.clone().scaled_to(Tokens(usage.prompt)), rules, *at_ms);
        let own = self.own.request(&own.clone().scaled_to(own_size), rules, *at_ms);
        let Some(paid) = usage.cost(facts) else { return Spending { unpriced: 1, ..Spending::default() } };
        let (sent, own) = match has_no_cache(&sent, usage) {
            true => (uncached(Tokens(usage.prompt)), uncached(own_size)),
            false => (sent, own),
        };
        let played = |billed: &Billed| money::cost(&usage_of(billed, usage.output), facts).unwrap_or_default();
        let without_us = if cold && usage.cache_read > 0 {
            // Nobody here remembers what the provider does: we were started again in the middle. It is taken to have kept as
            // large a share of the client's own.
            let scaled = |tokens: u64| (tokens as f64 * larger).round() as u64;
            let all = TurnUsage {
                prompt: own_size.0,
                cache_read: scaled(usage.cache_read),
                cache_write: scaled(usage.cache_write),
                cache_write_long: scaled(usage.cache_write_long),
                ..*usage
            };
            all.cost(facts).unwrap_or(paid)
        } else {
            paid + played(&own) - played(&sent)
        };
        let (prompts, prompts_uncached) = usage.prompt_cost(facts).unwrap_or_default();
        Spending { paid, without_us, prompts, prompts_uncached, ..Spending::default() }
    }

    /// A request that was only watched was answered: what it would have cost as we would have made it. `None` where prices are
    /// not known, or nothing was watched.
    ///
    /// To be asked before [`Caches::answered`], which moves the caches of what was sent on.
    pub(crate) fn with_us(&mut self, expected: &Expected, usage: &TurnUsage, facts: &ModelFacts) -> Option<Dollars> {
        let watched = expected.watched.as_ref()?;
        let paid = usage.cost(facts)?;
        let Expected { rules, sent, sent_tokens, at_ms, .. } = expected;
        let smaller = watched.tokens.0 as f64 / sent_tokens.0.max(1) as f64;
        let size = Tokens((usage.prompt as f64 * smaller).round() as u64);
        let with_us = self.watched.request(&watched.prompt.clone().scaled_to(size), rules, *at_ms);
        let sent = self.sent.clone().request(&sent.clone().scaled_to(Tokens(usage.prompt)), rules, *at_ms);
        let (sent, with_us) = match has_no_cache(&sent, usage) {
            true => (uncached(Tokens(usage.prompt)), uncached(size)),
            false => (sent, with_us),
        };
        let played = |billed: &Billed| money::cost(&usage_of(billed, usage.output), facts).unwrap_or_default();
        Some(paid + played(&with_us) - played(&sent))
    }
}

/// Whether a provider reports that it neither read from a cache nor wrote to one, although by the rules it would have.
fn has_no_cache(played: &Billed, usage: &TurnUsage) -> bool {
    let expected = played.read + played.written_short + played.written_long;
    expected > Tokens(0) && usage.cache_read + usage.cache_write == 0
}

fn uncached(prompt: Tokens) -> Billed {
    Billed { plain: prompt, ..Billed::default() }
}

/// What was spent on a summary; nothing if no model was asked.
pub(crate) fn for_summary(cost_usd: Option<f64>) -> Spending {
    match cost_usd {
        Some(dollars) => Spending { summaries: Dollars::new(dollars), ..Spending::default() },
        None => Spending { unpriced: 1, ..Spending::default() },
    }
}

fn usage_of(billed: &Billed, output: u64) -> Usage {
    Usage {
        prompt: billed.prompt().0,
        cache_read: billed.read.0,
        cache_write: (billed.written_short + billed.written_long).0,
        cache_write_long: billed.written_long.0,
        output,
    }
}

#[cfg(test)]
mod tests {
    use epitome_core::cache::{Block, PrefixHash, Section, Ttl};
    use epitome_core::catalogue::Catalogue;

    use super::*;

    /// Blocks of a thousand tokens each; `!` marks one, and what is capital is another text.
    fn prompt(words: &str) -> Prompt {
        let mut prefix = PrefixHash::default();
        let mut blocks = Vec::new();
        for (number, word) in words.split_whitespace().enumerate() {
            prefix = prefix.followed_by(word.trim_end_matches('!').bytes().map(u64::from).sum());
            let marker = word.ends_with('!').then_some(Ttl::Short);
            let section = Section::Message(number);
            blocks.push(Block { section, tokens: Tokens(1_000), prefix, may_carry: true, marker });
        }
        Prompt { blocks, ..Prompt::default() }
    }

    fn expected(sent: &str, own: &str, at_ms: u64) -> Expected {
        let (sent, own) = (prompt(sent), prompt(own));
        let (sent_tokens, own_tokens) = (sent.tokens(), own.tokens());
        Expected { rules: Rules::anthropic(Tokens(0)), sent, own, sent_tokens, own_tokens, at_ms, watched: None }
    }

    fn facts() -> ModelFacts {
        let prices =
            r#"{"m": {"context": 200000, "input": 1000, "output": 5000, "cache_read": 100, "cache_write_5m": 1250}}"#;
        Catalogue::embedded().with_overrides(prices).expect("right").lookup("m").facts().clone()
    }

    /// A dollar buys a thousand tokens of input here.
    fn usage(plain: u64, read: u64, write: u64) -> TurnUsage {
        TurnUsage { prompt: plain + read + write, cache_read: read, cache_write: write, ..TurnUsage::default() }
    }

    #[test]
    fn nothing_is_saved_where_nothing_is_changed() {
        let mut caches = Caches::default();
        for (words, usage) in
            [("a b!", usage(0, 0, 2_000)), ("a b c!", usage(3_000, 0, 0)), ("a b c d!", usage(7, 900, 93))]
        {
            let spending = caches.answered(&expected(words, words, 0), &usage, &facts());
            assert_eq!(spending.net(), Dollars::ZERO);
            assert!(spending.paid > Dollars::ZERO);
        }
    }

    #[test]
    fn a_marker_costs_first_and_saves_then() {
        let mut caches = Caches::default();
        let first = caches.answered(&expected("a b!", "a b", 0), &usage(0, 0, 2_000), &facts());
        assert_eq!((first.paid, first.without_us), (Dollars::new(2.5), Dollars::new(2.0)));
        let second = caches.answered(&expected("a b c!", "a b c", 0), &usage(0, 2_000, 1_000), &facts());
        assert_eq!((second.paid, second.without_us), (Dollars::new(1.45), Dollars::new(3.0)));
        assert_eq!((first.net(), second.net()), (Dollars::new(-0.5), Dollars::new(1.55)));
    }

    #[test]
    fn a_provider_without_a_cache_saves_nothing_by_it() {
        let mut caches = Caches::default();
        let mut sum = Spending::default();
        for (words, own) in [("a b!", "a b"), ("a b c!", "a b c"), ("a b c d!", "a b c d")] {
            let prompt = 1_000 * words.split(' ').count() as u64;
            sum += caches.answered(&expected(words, own, 0), &usage(prompt, 0, 0), &facts());
        }
        assert_eq!((sum.net(), sum.paid), (Dollars::ZERO, Dollars::new(9.0)));
        // A compaction still saves what it takes out.
        let compacted = caches.answered(&expected("s d!", "a b c d", 0), &usage(2_000, 0, 0), &facts());
        assert_eq!(compacted.net(), Dollars::new(2.0));
    }

    #[test]
    fn a_compaction_costs_a_cold_cache_first() {
        let mut caches = Caches::default();
        let own = "a b c d e f g h!";
        caches.answered(&expected(own, own, 0), &usage(0, 0, 8_000), &facts());
        let compacted = caches.answered(&expected("s h i!", "a b c d e f g h i!", 0), &usage(0, 0, 3_000), &facts());
        // The client's own: 8,000 read and 1,000 written.
        assert_eq!(compacted.without_us, Dollars::new(0.8 + 1.25));
        assert_eq!(compacted.net(), Dollars::new(2.05 - 3.75));
        let next = caches.answered(&expected("s h i j!", "a b c d e f g h i j!", 0), &usage(0, 3_000, 1_000), &facts());
        assert_eq!(next.net(), Dollars::new(0.6));
    }

    #[test]
    fn what_is_only_watched_is_priced_as_we_would_have_made_it() {
        let mut caches = Caches::default();
        let watch = |caches: &mut Caches, own: &str, ours: &str, usage: TurnUsage| {
            let prompt = prompt(ours);
            let watched = Some(Watched { tokens: prompt.tokens(), prompt });
            let expected = Expected { watched, ..expected(own, own, 0) };
            let with_us = caches.with_us(&expected, &usage, &facts()).unwrap();
            (caches.answered(&expected, &usage, &facts()).paid, with_us)
        };
        // Nothing is cached without a marker; with one, the first call writes and the second reads.
        let first = watch(&mut caches, "a b", "a b!", usage(2_000, 0, 0));
        assert_eq!(first, (Dollars::new(2.0), Dollars::new(2.5)));
        let second = watch(&mut caches, "a b c", "a b c!", usage(3_000, 0, 0));
        assert_eq!(second, (Dollars::new(3.0), Dollars::new(0.2 + 1.25)));
        // A compaction writes less anew.
        let third = watch(&mut caches, "a b c d e", "s e!", usage(5_000, 0, 0));
        assert_eq!(third, (Dollars::new(5.0), Dollars::new(2.5)));
        let unknown = Catalogue::embedded().lookup("nobody-knows-it").facts().clone();
        assert_eq!(caches.with_us(&expected("a", "a", 0), &usage(1, 0, 0), &unknown), None);
    }

    #[test]
    fn what_the_cache_saves_is_reckoned_by_the_models_own_prices() {
        let mut caches = Caches::default();
        let mut sum = caches.answered(&expected("a b!", "a b!", 0), &usage(0, 0, 2_000), &facts());
        assert_eq!(sum.saved_by_cache(), Some((Dollars::new(-0.5), -0.25)), "writing costs a quarter more");
        sum += caches.answered(&expected("a b c!", "a b c!", 0), &usage(1_000, 2_000, 0), &facts());
        // 2.5 + 1.2 for 5,000 tokens, which are five dollars.
        assert_eq!((sum.prompts, sum.prompts_uncached), (Dollars::new(3.7), Dollars::new(5.0)));
        assert_eq!(sum.saved_by_cache(), Some((Dollars::new(1.3), 0.26)));
        assert_eq!(Spending::default().saved_by_cache(), None);
    }

    #[test]
    fn after_a_restart_the_providers_share_counts() {
        let mut caches = Caches::default();
        let spending = caches.answered(&expected("s h!", "a b c d!", 0), &usage(0, 1_000, 1_000), &facts());
        assert_eq!((spending.paid, spending.without_us), (Dollars::new(1.35), Dollars::new(2.7)));
    }

    #[test]
    fn what_has_no_price_is_counted_and_not_guessed() {
        let unknown = Catalogue::embedded().lookup("nobody-knows-it").facts().clone();
        let spending = Caches::default().answered(&expected("a!", "a", 0), &usage(1, 2, 3), &unknown);
        assert_eq!(spending, Spending { unpriced: 1, ..Spending::default() });
        assert_eq!(for_summary(None).unpriced, 1);
    }
}
