//! When a compaction is worth its price: rent or buy, decided anew at each call.
//!
//! A long request is rent: every call pays for reading what a compaction would have taken out. A compaction is a
//! purchase: a summary, and a part of the cache that is written anew. [`Rule`] adds up the rent that was paid in vain and
//! buys when it reaches the price. Whatever comes later, that costs at most twice what hindsight would have.
//!
//! All amounts are in tokens of uncached input, so that no currency is needed: [`Rates`] say what the others cost.

use std::fmt;

use serde::{Deserialize, Serialize};

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

/// How the summariser reads what it is to summarise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// Behind the last request, through its cache.
    Forked,
    /// A prompt of its own, which no cache knows.
    Apart,
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
    /// What would be left if old outputs were shortened, if any could be.
    pub trimmed: Option<Outcome>,
    /// What would be left if it were summarised, if it can be.
    pub summarized: Option<Outcome>,
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
/// Of the pauses in recorded sessions that outlast a cache of five minutes, most are not the end.
const RETURNS: f64 = 0.7;
/// Shortening outputs is enough at the ceiling if it leads this far below: the next turns must fit, too.
const COMFORT: f64 = 0.93;

impl Rates {
    /// From a model's prices, if all that is needed is known.
    pub fn of(prices: &Prices) -> Option<Rates> {
        let input = prices.input.filter(|input| *input > 0.0)?;
        let output = prices.output? / input;
        let read = prices.cache_read? / input;
        // Where writing has no price of its own it is input.
        let write = prices.cache_write_5m.map_or(1.0, |price| price / input);
        Some(Rates { read, write, output })
    }

    /// What a request costs of whose beginning so much is cached.
    fn request(&self, size: Tokens, cached: Tokens) -> f64 {
        let read = cached.min(size);
        self.read * amount(read) + self.write * amount(size - read)
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
        let mut compared = Vec::new();
        if let Some(outcome) = now.trimmed {
            foregone.trimming += self.saved_a_call(now.size, outcome);
            let price = self.price(now, outcome);
            compared.push(numbers(Action::Trim, now.size, outcome, foregone.trimming, price));
        }
        if let Some(outcome) = now.summarized {
            foregone.summarizing += self.saved_a_call(now.size, outcome);
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
                let summarize = now.summarized.map(|_| Action::Summarize);
                (summarize.or(now.trimmed.map(|_| Action::Trim)), Because::Ceiling)
            }
            Some(_) | None => (None, Because::NotYet),
        };
        foregone.settle(action);
        Decision { action, because, compared }
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
        let read = match self.reading {
            Reading::Forked => self.rates.read * amount(cached) + amount(size - cached),
            Reading::Apart => amount(size + outcome.written - outcome.size),
        };
        read + amount(self.instruction) + self.rates.output * amount(outcome.written)
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

impl fmt::Display for Decision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.action, self.because) {
            (None, _) => write!(formatter, "wait")?,
            (Some(action), Because::Ceiling) => write!(formatter, "{action}, or it does not fit")?,
            (Some(action), Because::Pays | Because::NotYet) => write!(formatter, "{action} pays")?,
        }
        self.compared.iter().try_for_each(|numbers| write!(formatter, " ({numbers})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { read: 0.1, write: 1.25, output: 5.0 };

    fn outcome(size: u64, kept: u64, written: u64) -> Outcome {
        Outcome { size: Tokens(size), kept: Tokens(kept), written: Tokens(written) }
    }

    /// A prompt of 12,000, a tail of 20,000 and a summary of 4,000: what a compaction of anything leaves.
    fn request(size: u64, cached: u64) -> Situation {
        Situation {
            size: Tokens(size),
            cached: Tokens(cached),
            trimmed: None,
            summarized: (size > 36_000).then(|| outcome(36_000, 12_000, 4_000)),
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
        let trimmed = Some(outcome(50_000, 14_000, 0));
        let cold = Situation { trimmed, ..request(80_000, 0) };
        let decision = check(cold, Foregone::default(), Some(Action::Trim));
        assert!(decision.compared.iter().any(|numbers| numbers.price < 0.0), "{decision}");
        check(Situation { cached: Tokens(79_000), ..cold }, Foregone::default(), None);
    }

    #[test]
    fn what_takes_nothing_away_is_never_done() {
        let trimmed = Some(outcome(30_000, 30_000, 0));
        let wasted = Foregone { trimming: 1e9, summarizing: 0.0 };
        check(Situation { trimmed, ..request(30_000, 0) }, wasted, None);
    }

    #[test]
    fn at_the_ceiling_something_is_done_whatever_it_costs() {
        let ceiling = Tokens(60_000);
        let full = Situation { ceiling, ..request(61_000, 60_000) };
        let decision = check(full, Foregone::default(), Some(Action::Summarize));
        assert_eq!(decision.because, Because::Ceiling);
        // Shortening is worth it, but would not last.
        let trimmed = Some(outcome(59_000, 10_000, 0));
        check(Situation { trimmed, cached: Tokens(0), ..full }, Foregone::default(), Some(Action::Summarize));
        let trimmed = Some(outcome(40_000, 10_000, 0));
        check(Situation { trimmed, cached: Tokens(0), ..full }, Foregone::default(), Some(Action::Trim));
        // Where nothing can be summarised, what can be done is done.
        let trimmed = Some(outcome(59_000, 10_000, 0));
        check(Situation { trimmed, summarized: None, ..full }, Foregone::default(), Some(Action::Trim));
        check(Situation { summarized: None, ..full }, Foregone::default(), None);
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
        rule.reading = Reading::Apart;
        let apart = rule.consider(&mut Foregone::default(), &now).compared[0].price;
        assert!(apart > forked + 60_000.0, "{apart} {forked}");
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
            cache_write_1h: None,
        };
        assert_eq!(Rates::of(&prices), Some(RATES));
        assert_eq!(Rates::of(&Prices { cache_write_5m: None, ..prices }), Some(Rates { write: 1.0, ..RATES }));
        assert_eq!(Rates::of(&Prices { cache_read: None, ..prices }), None);
        assert_eq!(Rates::of(&Prices { input: Some(0.0), ..prices }), None);
    }

    #[test]
    fn a_decision_says_what_it_compared() {
        let decision = check(request(50_000, 49_000), Foregone::default(), None);
        let said = "wait (summarising: 50,000 to 36,000 tokens; waiting has cost 1,400, acting costs 51,250)";
        assert_eq!(decision.to_string(), said);
    }
}
