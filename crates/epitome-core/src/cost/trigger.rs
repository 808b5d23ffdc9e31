//! When a compaction is worth its price: rent or buy, decided anew at each call.
//!
//! A long request is rent: every call pays for reading what a compaction would have taken out. A compaction is a
//! purchase: a summary, and a part of the cache that is written anew. [`Rule`] adds up the rent that was paid in vain and
//! buys when it reaches the price. Whatever comes later, that costs at most twice what hindsight would have.
//!
//! All amounts are in tokens of uncached input, so that no currency is needed: [`Rates`] say what the others cost.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::cache::Ttl;
use crate::catalogue::Prices;
use crate::tokens::Tokens;

/// What tokens cost, relative to one token of uncached input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Read from the cache.
    pub read: f64,
    /// Written to the cache, for as long as messages are kept there.
    pub write: f64,
    /// Said by the model.
    pub output: f64,
}

/// What a token costs beyond its bill.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ShadowPrices {
    /// Added to the price of reading a token: long contexts make models worse.
    pub length: f64,
    /// The share of what goes that will be fetched, and written, again.
    pub fetched_again: f64,
}

/// How the summariser reads what it is to summarise, and what it takes for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reading {
    /// Behind the last request, through its cache.
    Forked,
    /// A prompt of its own, which no cache knows.
    Apart {
        /// What it is paid for a token of input, relative to the session's own model …
        input: f64,
        /// … and what for a token that it writes.
        output: f64,
    },
    /// For nothing: no model is asked, or it was paid before.
    Free,
}

/// The rule: its prices, and how it weighs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// What tokens cost.
    pub rates: Rates,
    /// What they cost beyond that.
    pub shadow: ShadowPrices,
    /// How the summariser reads.
    pub reading: Reading,
    /// What it is told beside the conversation.
    pub instruction: Tokens,
    /// How probable it is that a session that pauses goes on.
    pub returns: f64,
}

/// What not having compacted has cost since the last compaction. Kept with a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Foregone {
    /// By not shortening old outputs.
    pub trimming: f64,
    /// By not summarising.
    pub summarizing: f64,
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// What it weighs.
    pub size: Tokens,
    /// What the provider's cache still holds of its beginning; nothing when too much time has passed.
    pub cached: Tokens,
    /// What can be done about it.
    pub outlook: Outlook,
    /// Above this something must be done, whatever it costs.
    pub ceiling: Tokens,
}

/// A session in which nothing happens, shortly before the provider forgets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pause {
    /// The last request, which is still cached.
    pub last: Tokens,
    /// What the model answered to it.
    pub answer: Tokens,
    /// What would be written anew if the session went on, with all that is free then: outputs can be shortened.
    pub size_on_return: Tokens,
    /// The same if it is summarised now.
    pub summarized: Outcome,
}

/// What an engine could do about a request, and what that would leave of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outlook {
    /// If old outputs were shortened, if any could be.
    pub trimmed: Option<Outcome>,
    /// If it were summarised, if it can be.
    pub summarized: Option<Outcome>,
}

/// What an action leaves of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// What it weighs then.
    pub size: Tokens,
    /// What of its beginning stays as it was.
    pub kept: Tokens,
    /// What a model writes for it.
    pub written: Tokens,
}

/// What can be done about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Old outputs are shortened.
    Trim,
    /// All but the tail is summarised.
    Summarize,
}

/// Why something is done, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// Nothing pays for itself yet.
    NotYet,
    /// Waiting has cost as much as acting does.
    Pays,
    /// The request would not fit otherwise.
    Ceiling,
}

/// The numbers of one action.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Compared {
    /// Which.
    pub action: Action,
    /// What the request weighs.
    pub size: Tokens,
    /// What it would weigh.
    pub size_after: Tokens,
    /// What waiting has cost, this call included. For a pause: what the next call is expected to save, too.
    pub foregone: f64,
    /// What acting costs now beyond not acting; negative where the cache is cold and less must be written.
    pub price: f64,
}

/// What the rule says, and what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// What to do; `None`: wait.
    pub action: Option<Action>,
    /// Why.
    pub because: Because,
    /// What was compared, shortening first.
    pub compared: Vec<Compared>,
}

/// An instruction to summarise, as ours.
const INSTRUCTION: Tokens = Tokens(300);
/// Of 342 times that 57 recorded sessions fell silent for more than five minutes, 57 were their end.
const RETURNS: f64 = 0.83;
/// Shortening outputs is enough at the ceiling if it leads this far below: the next turns must fit, too.
const COMFORT: f64 = 0.93;

impl Rates {
    /// Where no price is known: as most models that cache have been priced.
    pub const USUAL: Rates = Rates { read: 0.1, write: 1.25, output: 5.0 };

    /// The same at a provider that caches nothing: whatever is sent is paid for in full.
    #[must_use]
    pub fn uncached(self) -> Rates {
        Rates { read: 1.0, write: 1.0, ..self }
    }

    /// From a model's prices, if all that is needed is known, for messages that are kept so long.
    pub fn of(prices: &Prices, kept: Ttl) -> Option<Rates> {
        let input = prices.input.filter(|input| *input > 0.0)?;
        let output = prices.output? / input;
        let read = prices.cache_read? / input;
        let write = match kept {
            Ttl::Short => prices.cache_write_5m,
            Ttl::Long => prices.cache_write_1h.or(prices.cache_write_5m),
        };
        // Where writing has no price of its own it is input.
        let write = write.map_or(1.0, |price| price / input);
        Some(Rates { read, write, output })
    }

    /// What a request costs of whose beginning so much is cached.
    fn request(&self, size: Tokens, cached: Tokens) -> f64 {
        let read = cached.min(size);
        self.read * amount(read) + self.write * amount(size - read)
    }
}

impl Reading {
    /// A model of its own. One whose price nobody knows is taken to cost as much as the session's own.
    pub fn by_another(model: &Prices, own: &Prices) -> Reading {
        let relative = own.input.filter(|own| *own > 0.0).zip(model.input).zip(model.output);
        match relative {
            Some(((own, input), output)) => Reading::Apart { input: input / own, output: output / own },
            None => {
                let output = Rates::of(own, Ttl::Short).unwrap_or(Rates::USUAL).output;
                Reading::Apart { input: 1.0, output }
            }
        }
    }
}

impl Rule {
    /// By the bill alone, with a summariser that reads through the cache.
    pub fn new(rates: Rates) -> Rule {
        let shadow = ShadowPrices::default();
        Rule { rates, shadow, reading: Reading::Forked, instruction: INSTRUCTION, returns: RETURNS }
    }

    /// Decides about a request, once for each: what waiting costs on this call is added to `foregone`.
    pub fn consider(&self, foregone: &mut Foregone, now: &Situation) -> Decision {
        self.wait(foregone, now.size, &now.outlook);
        let mut compared = Vec::new();
        let Outlook { trimmed, summarized } = now.outlook;
        if let Some(outcome) = trimmed {
            let price = self.price(now, outcome);
            compared.push(numbers(Action::Trim, now.size, outcome, foregone.trimming, price));
        }
        if let Some(outcome) = summarized {
            let price = self.price(now, outcome) + self.summary(now.size, now.cached, outcome);
            compared.push(numbers(Action::Summarize, now.size, outcome, foregone.summarizing, price));
        }
        // Whoever summarises need not shorten before it.
        let pays = compared.iter().rev().find(|numbers| numbers.pays()).map(|numbers| numbers.action);
        let fits = |action: Action| {
            let after = compared.iter().find(|numbers| numbers.action == action).map(|numbers| numbers.size_after);
            action == Action::Summarize || after.is_some_and(|after| after < now.ceiling.share(COMFORT))
        };
        let (action, because) = match pays {
            Some(action) if now.size <= now.ceiling || fits(action) => (Some(action), Because::Pays),
            Some(_) | None if now.size > now.ceiling => {
                let summarize = summarized.map(|_| Action::Summarize);
                (summarize.or(trimmed.map(|_| Action::Trim)), Because::Ceiling)
            }
            Some(_) | None => (None, Because::NotYet),
        };
        foregone.settle(action);
        Decision { action, because, compared }
    }

    /// A call passes in which nothing is done: what acting would have saved on it is foregone.
    pub fn wait(&self, foregone: &mut Foregone, size: Tokens, outlook: &Outlook) {
        let saved = |outcome: Option<Outcome>| outcome.map_or(0.0, |outcome| self.saved_a_call(size, outcome));
        foregone.trimming += saved(outlook.trimmed);
        foregone.summarizing += saved(outlook.summarized);
    }

    /// Whether to summarise a session that pauses, while its cache is warm: afterwards everything is read, and written,
    /// at full price.
    pub fn consider_pause(&self, foregone: &mut Foregone, pause: &Pause) -> Decision {
        let Pause { last, answer, size_on_return, summarized } = *pause;
        let saved_on_return = amount(size_on_return) - amount(summarized.size);
        let expected = self.returns * self.rates.write * saved_on_return;
        let price = self.summary(last + answer, last, summarized);
        let numbers = numbers(Action::Summarize, size_on_return, summarized, expected + foregone.summarizing, price);
        let action = (saved_on_return > 0.0 && numbers.pays()).then_some(Action::Summarize);
        foregone.settle(action);
        let because = if action.is_some() { Because::Pays } else { Because::NotYet };
        Decision { action, because, compared: vec![numbers] }
    }

    /// What an action would have saved on this call.
    fn saved_a_call(&self, size: Tokens, outcome: Outcome) -> f64 {
        (self.rates.read + self.shadow.length) * amount(size - outcome.size)
    }

    /// What sending the request after an action costs beyond sending it as it is.
    fn price(&self, now: &Situation, outcome: Outcome) -> f64 {
        let as_it_is = self.rates.request(now.size, now.cached);
        let after = self.rates.request(outcome.size, outcome.kept.min(now.cached));
        let fetched_again = self.shadow.fetched_again * self.rates.write * amount(now.size - outcome.size);
        after - as_it_is + fetched_again
    }

    /// What a summary of a conversation of this size costs, of which so much is cached.
    fn summary(&self, size: Tokens, cached: Tokens, outcome: Outcome) -> f64 {
        match self.reading {
            Reading::Forked => {
                let read = self.rates.read * amount(cached) + amount(size - cached);
                read + amount(self.instruction) + self.rates.output * amount(outcome.written)
            }
            Reading::Apart { input, output } => {
                let goes = size + outcome.written - outcome.size;
                input * amount(goes + self.instruction) + output * amount(outcome.written)
            }
            Reading::Free => 0.0,
        }
    }
}

impl Foregone {
    /// What was done is not foregone any more. A summary takes the outputs with it.
    fn settle(&mut self, action: Option<Action>) {
        match action {
            None => {}
            Some(Action::Trim) => self.trimming = 0.0,
            Some(Action::Summarize) => *self = Foregone::default(),
        }
    }
}

impl Compared {
    /// Whether waiting has cost as much as acting does. What takes nothing away never pays.
    fn pays(&self) -> bool {
        self.size_after < self.size && self.foregone >= self.price
    }
}

fn numbers(action: Action, size: Tokens, outcome: Outcome, foregone: f64, price: f64) -> Compared {
    Compared { action, size, size_after: outcome.size, foregone, price }
}

fn amount(tokens: Tokens) -> f64 {
    tokens.0 as f64
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Action::Trim => "shortening old outputs",
            Action::Summarize => "summarising",
        })
    }
}

impl fmt::Display for Compared {
    /// `summarising: 142,000 to 61,000 tokens; waiting has cost 31,200, acting costs 30,800`
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compared { action, size, size_after, foregone, price } = self;
        let foregone = Tokens(foregone.max(0.0).round() as u64);
        write!(formatter, "{action}: {size} to {size_after} tokens; waiting has cost {foregone}, acting ")?;
        if *price < 0.0 {
            write!(formatter, "saves {} at once", Tokens(price.abs().round() as u64))
        } else {
            write!(formatter, "costs {}", Tokens(price.round() as u64))
        }
    }
}

impl Decision {
    /// What it comes to, without the numbers: `summarising pays`.
    pub fn verdict(&self) -> String {
        match (self.action, self.because) {
            (None, _) => "wait".to_owned(),
            (Some(action), Because::Ceiling) => format!("{action}, or it does not fit"),
            (Some(action), Because::Pays | Because::NotYet) => format!("{action} pays"),
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.verdict())?;
        self.compared.iter().try_for_each(|numbers| write!(formatter, " ({numbers})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates::USUAL;

    impl Situation {
        fn with_trimmed(mut self, size: u64, kept: u64) -> Situation {
            self.outlook.trimmed = Some(outcome(size, kept, 0));
            self
        }
    }

    fn outcome(size: u64, kept: u64, written: u64) -> Outcome {
        Outcome { size: Tokens(size), kept: Tokens(kept), written: Tokens(written) }
    }

    /// A prompt of 12,000, a tail of 20,000 and a summary of 4,000: what a compaction of anything leaves.
    fn request(size: u64, cached: u64) -> Situation {
        Situation {
            size: Tokens(size),
            cached: Tokens(cached),
            outlook: Outlook { trimmed: None, summarized: (size > 36_000).then(|| outcome(36_000, 12_000, 4_000)) },
            ceiling: Tokens(1_000_000),
        }
    }

    /// The size at which a session that grows by `step` a call is summarised, call after call.
    fn summarized_at(rates: Rates, step: usize) -> u64 {
        let rule = Rule::new(rates);
        let mut foregone = Foregone::default();
        let step = step as u64;
        let mut size = 36_000;
        loop {
            let decision = rule.consider(&mut foregone, &request(size + step, size));
            size += step;
            if decision.action.is_some() {
                assert_eq!((decision.action, decision.because), (Some(Action::Summarize), Because::Pays));
                assert_eq!(foregone, Foregone::default());
                return size;
            }
        }
    }

    #[test]
    fn the_size_of_a_steady_session_at_its_compaction_is_that_of_the_order_quantity() {
        // √(2·c0·a/r) above what is left, with the summariser's reading in c0: about 67,000 to 81,000, whatever the window.
        let classic = summarized_at(RATES, 1_000);
        assert!((66_000..72_000).contains(&classic), "{classic}");
        let cheap_reads = summarized_at(Rates { read: 0.05, ..RATES }, 1_000);
        assert!((78_000..86_000).contains(&cheap_reads), "{cheap_reads}");
    }

    #[track_caller]
    fn check(now: Situation, foregone: Foregone, expected: Option<Action>) -> Decision {
        let decision = Rule::new(RATES).consider(&mut foregone.clone(), &now);
        assert_eq!(decision.action, expected, "{decision}");
        decision
    }

    #[test]
    fn a_short_session_is_left_alone() {
        check(request(30_000, 29_000), Foregone::default(), None);
        check(request(50_000, 49_000), Foregone::default(), None);
    }

    #[test]
    fn outputs_are_shortened_at_once_when_the_cache_is_cold() {
        let cold = request(80_000, 0).with_trimmed(50_000, 14_000);
        let decision = check(cold, Foregone::default(), Some(Action::Trim));
        assert!(decision.compared.iter().any(|numbers| numbers.price < 0.0), "{decision}");
        check(Situation { cached: Tokens(79_000), ..cold }, Foregone::default(), None);
    }

    #[test]
    fn what_takes_nothing_away_is_never_done() {
        let wasted = Foregone { trimming: 1e9, summarizing: 0.0 };
        check(request(30_000, 0).with_trimmed(30_000, 30_000), wasted, None);
    }

    #[test]
    fn at_the_ceiling_something_is_done_whatever_it_costs() {
        let ceiling = Tokens(60_000);
        let full = Situation { ceiling, ..request(61_000, 60_000) };
        let decision = check(full, Foregone::default(), Some(Action::Summarize));
        assert_eq!(decision.because, Because::Ceiling);
        // Shortening is worth it, but would not last.
        let cold = Situation { cached: Tokens(0), ..full };
        check(cold.with_trimmed(59_000, 10_000), Foregone::default(), Some(Action::Summarize));
        check(cold.with_trimmed(40_000, 10_000), Foregone::default(), Some(Action::Trim));
        // Where nothing can be summarised, what can be done is done.
        let short = Situation { outlook: Outlook::default(), ..full };
        check(short.with_trimmed(59_000, 10_000), Foregone::default(), Some(Action::Trim));
        check(short, Foregone::default(), None);
    }

    #[test]
    fn a_price_on_length_acts_sooner_and_one_on_losses_later() {
        let now = request(70_000, 69_000);
        let paid = Foregone { trimming: 0.0, summarizing: 46_000.0 };
        check(now, paid, None);
        let mut rule = Rule::new(RATES);
        rule.shadow.length = 0.1;
        assert_eq!(rule.consider(&mut paid.clone(), &now).action, Some(Action::Summarize));
        let paid = Foregone { trimming: 0.0, summarizing: 54_000.0 };
        check(now, paid, Some(Action::Summarize));
        rule.shadow = ShadowPrices { length: 0.0, fetched_again: 0.2 };
        assert_eq!(rule.consider(&mut paid.clone(), &now).action, None);
    }

    #[test]
    fn a_summariser_that_reads_apart_is_dearer_here() {
        let now = request(120_000, 119_000);
        let forked = check(now, Foregone::default(), None).compared[0].price;
        let mut rule = Rule::new(RATES);
        rule.reading = Reading::Apart { input: 1.0, output: 5.0 };
        let apart = rule.consider(&mut Foregone::default(), &now).compared[0].price;
        assert!(apart > forked + 60_000.0, "{apart} {forked}");
        rule.reading = Reading::Apart { input: 0.05, output: 0.25 };
        let cheap = rule.consider(&mut Foregone::default(), &now).compared[0].price;
        assert!(cheap < forked, "{cheap} {forked}");
        // What is left is the cache that is written anew.
        rule.reading = Reading::Free;
        let free = rule.consider(&mut Foregone::default(), &now).compared[0].price;
        assert_eq!(free, 0.1 * 12_000.0 + 1.25 * 24_000.0 - (0.1 * 119_000.0 + 1.25 * 1_000.0));
    }

    #[track_caller]
    fn check_pause(size_on_return: u64, summarizing: f64, expected: Option<Action>) {
        let pause = Pause {
            last: Tokens(size_on_return),
            answer: Tokens(500),
            size_on_return: Tokens(size_on_return),
            summarized: outcome(36_000, 12_000, 4_000),
        };
        let mut foregone = Foregone { trimming: 0.0, summarizing };
        let decision = Rule::new(RATES).consider_pause(&mut foregone, &pause);
        assert_eq!(decision.action, expected, "{decision}");
        assert_eq!(foregone.summarizing, if expected.is_some() { 0.0 } else { summarizing });
    }

    #[test]
    fn a_long_session_that_pauses_is_summarised_while_it_is_cached() {
        check_pause(120_000, 0.0, Some(Action::Summarize));
        check_pause(50_000, 0.0, None);
        check_pause(50_000, 20_000.0, Some(Action::Summarize));
        check_pause(30_000, 1e9, None);
    }

    #[test]
    fn rates_are_prices_by_the_price_of_input() {
        let prices = Prices {
            input: Some(5.0),
            output: Some(25.0),
            cache_read: Some(0.5),
            cache_write_5m: Some(6.25),
            cache_write_1h: Some(10.0),
        };
        assert_eq!(Rates::of(&prices, Ttl::Short), Some(RATES));
        assert_eq!(Rates::of(&prices, Ttl::Long), Some(Rates { write: 2.0, ..RATES }));
        assert_eq!(
            Rates::of(&Prices { cache_write_5m: None, ..prices }, Ttl::Short),
            Some(Rates { write: 1.0, ..RATES })
        );
        assert_eq!(Rates::of(&Prices { cache_read: None, ..prices }, Ttl::Short), None);
        assert_eq!(Rates::of(&Prices { input: Some(0.0), ..prices }, Ttl::Short), None);
    }

    #[test]
    fn another_model_reads_at_its_own_price() {
        let prices =
            |input, output| Prices { input, output, cache_read: None, cache_write_5m: None, cache_write_1h: None };
        let own = prices(Some(5.0), Some(25.0));
        assert_eq!(
            Reading::by_another(&prices(Some(1.0), Some(5.0)), &own),
            Reading::Apart { input: 0.2, output: 1.0 }
        );
        assert_eq!(Reading::by_another(&prices(None, None), &own), Reading::Apart { input: 1.0, output: 5.0 });
    }

    #[test]
    fn where_nothing_is_cached_a_compaction_pays_at_once() {
        let mut rule = Rule::new(RATES.uncached());
        rule.reading = Reading::Free;
        let decision = rule.consider(&mut Foregone::default(), &request(50_000, 49_000));
        assert_eq!((decision.action, decision.because), (Some(Action::Summarize), Because::Pays), "{decision}");
    }

    #[test]
    fn a_decision_says_what_it_compared() {
        let decision = check(request(50_000, 49_000), Foregone::default(), None);
        let said = "wait (summarising: 50,000 to 36,000 tokens; waiting has cost 1,400, acting costs 51,250)";
        assert_eq!(decision.to_string(), said);
    }
}
