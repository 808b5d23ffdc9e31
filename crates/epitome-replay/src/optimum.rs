//! What hindsight would have done: the cheapest sequence of masks and summaries, by dynamic programming.
//!
//! A state is what was done so far: the first call that is not summarised, and the first whose results are not masked. Before
//! each call one may do nothing, mask all results before the tail, or summarise everything before it. Sizes are fixed:
//! a summary has 4,000 tokens, a masked result 15. It knows all pauses, and has the summary that a pause makes cheaper
//! written while the cache is warm. Breakpoints cost nothing: everything that was sent before is found again, for five
//! minutes.

use std::collections::BTreeMap;

use crate::context::{MASK, SUMMARY, tail_call};
use crate::play::INSTRUCTION;
use crate::prices::PriceSet;
use crate::trace::{Kind, Trace};

/// The best there is.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// What it costs, by this model.
    pub cost: f64,
    /// What is done before which call.
    pub acts: BTreeMap<usize, Act>,
}

/// Something that is done before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// Results before the messages of this call are masked.
    Mask {
        /// The call.
        until: usize,
    },
    /// Everything before the messages of this call is summarised.
    Summarize {
        /// The call.
        until: usize,
    },
}

/// How long messages stay cached, in seconds.
const LIFETIME: f64 = 300.0;

/// Sums over the calls before each call.
struct Sums {
    /// Of what is no result.
    other: Vec<f64>,
    /// Of results, as they are …
    results: Vec<f64>,
    /// … and masked.
    masked: Vec<f64>,
    appended: Vec<u64>,
}

impl Sums {
    fn of(trace: &Trace) -> Sums {
        let mut sums = Sums { other: vec![0.0], results: vec![0.0], masked: vec![0.0], appended: vec![0] };
        let (mut other, mut results, mut masked) = (0, 0, 0);
        for call in &trace.calls {
            for piece in trace.pieces.get(call.pieces.clone()).unwrap_or_default() {
                if piece.kind == Kind::Result {
                    results += piece.tokens;
                    masked += piece.tokens.min(MASK);
                } else {
                    other += piece.tokens;
                }
            }
            sums.other.push(other as f64);
            sums.results.push(results as f64);
            sums.masked.push(masked as f64);
            sums.appended.push(other + results);
        }
        sums
    }

    fn at(sums: &[f64], call: usize) -> f64 {
        sums.get(call).copied().unwrap_or_default()
    }

    /// What calls `from..to` weigh when the results of those before `masked` are masked.
    fn weight(&self, from: usize, masked: usize, to: usize) -> f64 {
        let other = Sums::at(&self.other, to) - Sums::at(&self.other, from);
        let small = Sums::at(&self.masked, masked) - Sums::at(&self.masked, from);
        other + small + Sums::at(&self.results, to) - Sums::at(&self.results, masked)
    }
}

/// A table of costs by state: `(first not summarised, first not masked)`, both as indices into the possible cuts.
#[derive(Clone)]
struct Table {
    side: usize,
    cells: Vec<f64>,
}

impl Table {
    fn new(side: usize) -> Table {
        Table { side, cells: vec![f64::INFINITY; side * side] }
    }

    fn get(&self, summarized: usize, masked: usize) -> f64 {
        self.cells.get(summarized * self.side + masked).copied().unwrap_or(f64::INFINITY)
    }

    fn set(&mut self, summarized: usize, masked: usize, cost: f64) {
        if let Some(cell) = self.cells.get_mut(summarized * self.side + masked) {
            *cell = cost;
        }
    }

    fn grown(&self) -> Table {
        let mut grown = Table::new(self.side + 1);
        for summarized in 0..self.side {
            for masked in 0..self.side {
                grown.set(summarized, masked, self.get(summarized, masked));
            }
        }
        grown
    }

    fn cheapest(&self) -> (usize, usize, f64) {
        let cells = self.cells.iter().enumerate();
        let best =
            cells.min_by(|one, other| one.1.total_cmp(other.1)).map_or((0, f64::INFINITY), |(at, cost)| (at, *cost));
        (best.0 / self.side.max(1), best.0 % self.side.max(1), best.1)
    }
}

/// How the states of one call came about.
struct Step {
    /// The newest cut, and its index.
    until: usize,
    newest: usize,
    /// For each summary, how far results were masked before they were masked up to `until`.
    masked_from: Vec<Option<usize>>,
    /// The state that was summarised up to `until`.
    summarized_from: Option<(usize, usize)>,
}

/// Finds the cheapest sequence.
pub fn best(trace: &Trace, window: u64, prices: &PriceSet) -> Best {
    let sums = Sums::of(trace);
    let (window, prefix, summary) = (window as f64, trace.prefix as f64, SUMMARY as f64);
    let mut cuts = vec![0];
    let mut table = Table::new(1);
    table.set(0, 0, prices.write * (prefix + sums.weight(0, 0, 1)));
    let mut steps = Vec::new();
    for (index, call) in trace.calls.iter().enumerate().skip(1) {
        let until = tail_call(&sums.appended, index + 1);
        if cuts.last().is_none_or(|last| until > *last) {
            cuts.push(until);
            table = table.grown();
        }
        let warm = call.gap <= LIFETIME;
        let newest = cuts.len() - 1;
        let appended = trace.appended(index) as f64;
        // What stands before the messages: the prefix, and a summary if anything was summarised.
        let opening = |from: usize| prefix + if from > 0 { summary } else { 0.0 };
        let last = |from: usize, masked: usize| opening(from) + sums.weight(from, masked, index);
        let pay = |kept: f64, size: f64| {
            if warm { prices.read * kept + prices.write * (size - kept) } else { prices.write * size }
        };
        let mut next = Table::new(table.side);
        for (summarized, from) in cuts.iter().enumerate() {
            for (masked, until) in cuts.iter().enumerate().skip(summarized) {
                let sent = last(*from, *until);
                if sent + appended <= window {
                    next.set(summarized, masked, table.get(summarized, masked) + pay(sent, sent + appended));
                }
            }
        }
        let mut step = Step { until, newest, masked_from: vec![None; cuts.len()], summarized_from: None };
        if newest > 0 {
            mask_to_newest(&table, &mut next, &mut step, &cuts, |from, masked| {
                let kept = opening(from) + sums.weight(from, masked, masked);
                let size = opening(from) + sums.weight(from, until, index + 1);
                (size <= window).then(|| pay(kept, size))
            });
            let after = prefix + summary + sums.weight(until, until, index + 1);
            // Before a pause only the answer is new.
            let unread = if warm { appended } else { trace.answered(index) as f64 };
            let fixed = unread + INSTRUCTION as f64 + prices.output * summary + pay(prefix, after);
            summarize_to_newest(&table, &mut next, &mut step, &cuts, |from, masked| {
                prices.read * last(from, masked) + fixed
            });
        }
        if next.cells.iter().all(|cost| cost.is_infinite()) {
            // Nothing fits the window; the session goes on as it is.
            next = table.clone();
        }
        table = next;
        steps.push((index, step));
    }
    let (summarized, masked, cost) = table.cheapest();
    let output: u64 = trace.calls.iter().map(|call| call.output).sum();
    Best { cost: cost + prices.output * output as f64, acts: trace_back(steps, summarized, masked) }
}

/// Results before the newest cut are masked, from whichever state that is cheapest.
fn mask_to_newest(
    table: &Table,
    next: &mut Table,
    step: &mut Step,
    cuts: &[usize],
    price: impl Fn(usize, usize) -> Option<f64>,
) {
    for (summarized, from) in cuts.iter().enumerate() {
        for (masked, until) in cuts.iter().enumerate().take(step.newest).skip(summarized) {
            let Some(price) = price(*from, *until) else { continue };
            let cost = table.get(summarized, masked) + price;
            if cost < next.get(summarized, step.newest) {
                next.set(summarized, step.newest, cost);
                if let Some(slot) = step.masked_from.get_mut(summarized) {
                    *slot = Some(masked);
                }
            }
        }
    }
}

/// Everything before the newest cut is summarised, from whichever state that is cheapest.
fn summarize_to_newest(
    table: &Table,
    next: &mut Table,
    step: &mut Step,
    cuts: &[usize],
    price: impl Fn(usize, usize) -> f64,
) {
    for (summarized, from) in cuts.iter().enumerate().take(step.newest) {
        for (masked, until) in cuts.iter().enumerate().skip(summarized) {
            let cost = table.get(summarized, masked) + price(*from, *until);
            if cost < next.get(step.newest, step.newest) {
                next.set(step.newest, step.newest, cost);
                step.summarized_from = Some((summarized, masked));
            }
        }
    }
}

fn trace_back(steps: Vec<(usize, Step)>, mut summarized: usize, mut masked: usize) -> BTreeMap<usize, Act> {
    let mut acts = BTreeMap::new();
    for (call, step) in steps.into_iter().rev() {
        let masked_from = step.masked_from.get(summarized).copied().flatten();
        match (step.summarized_from, masked_from) {
            (Some(from), _) if (summarized, masked) == (step.newest, step.newest) => {
                acts.insert(call, Act::Summarize { until: step.until });
                (summarized, masked) = from;
            }
            (_, Some(from)) if masked == step.newest => {
                acts.insert(call, Act::Mask { until: step.until });
                masked = from;
            }
            (_, _) => {}
        }
    }
    acts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::{Shape, generate};
    use crate::play::play;
    use crate::policies::{CostSettings, Name};
    use crate::provider::{Provider, Strategy};
    use epitome_core::cache::Ttl;

    const STRATEGY: Strategy = Strategy::Stateful { prefix_after_pause: Ttl::Short };

    #[test]
    fn what_it_says_it_costs_is_what_playing_it_costs() {
        let prices = PriceSet::anthropic("r0.10", 0.1);
        for seed in 1..6 {
            let trace = generate(&Shape::with_pauses(150), seed);
            let best = best(&trace, 200_000, &prices);
            let mut policy = Name::Optimum.build(&trace, 200_000, &prices, &CostSettings::default());
            let played = play(&trace, &mut *policy, Provider::new(STRATEGY), &prices, &mut |_| {});
            let off = played.bill.total() / best.cost - 1.0;
            assert!(off.abs() < 0.01, "{off}");
            assert!(!best.acts.is_empty());
        }
    }

    #[test]
    fn nobody_is_cheaper_by_sizes_alone() {
        let prices = PriceSet::anthropic("r0.10", 0.1);
        for seed in 1..4 {
            let trace = generate(&Shape::with_pauses(120), seed);
            let best = best(&trace, 200_000, &prices).cost;
            for name in [Name::None, Name::Masking] {
                let mut policy = name.build(&trace, 200_000, &prices, &CostSettings::default());
                let played = play(&trace, &mut *policy, Provider::new(Strategy::Unlimited), &prices, &mut |_| {});
                assert!(played.bill.total() > best * 0.999, "{name:?} {} {best}", played.bill.total());
            }
        }
    }
}
