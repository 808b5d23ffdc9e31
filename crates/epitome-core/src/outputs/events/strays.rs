//! Lines in the midst of a list or of search hits that are made unlike all others: what the tool says of itself.

use std::collections::HashMap;

use super::super::reading::{Finding, Rank, Reading};
use super::super::template::template_id;
use super::tool_message;

/// More sorts of lines than these are no exceptions.
const SORTS: usize = 6;
/// Fewer words are a heading or a total.
const WORDS: usize = 3;

/// Keeps each sort of such lines once, with their number. A message that something went wrong is kept however many sorts
/// there are.
pub fn keep_strays(reading: &mut Reading, text: &str, command: &str, strays: &[usize]) {
    let line = |index: usize| reading.pieces.get(index).map(|piece| piece.text(text).trim()).unwrap_or_default();
    let mut sorts: HashMap<u64, Vec<usize>> = HashMap::new();
    for index in strays.iter().copied().filter(|index| line(*index).split_whitespace().nth(WORDS - 1).is_some()) {
        sorts.entry(template_id(line(index))).or_default().push(index);
    }
    let few = sorts.len() <= SORTS;
    let rank = |index: usize| match tool_message(line(index), command) {
        Some(finding) => Rank::Finding(finding),
        None if few => Rank::Finding(Finding::Outlier),
        None => Rank::Telling(0),
    };
    let ranked: Vec<(Vec<usize>, Rank)> = sorts
        .into_values()
        .map(|sort| {
            let rank = rank(sort.first().copied().unwrap_or_default());
            (sort, rank)
        })
        .collect();
    for (sort, rank) in ranked {
        let count = sort.len();
        for (position, index) in sort.into_iter().enumerate() {
            // What reports an error has its rank.
            let Some(piece) = reading.pieces.get_mut(index).filter(|piece| piece.rank.finding().is_none()) else {
                continue;
            };
            piece.rank = if position == 0 { rank } else { Rank::Told };
            piece.note = (position == 0 && count > 1).then(|| format!(" [×{count}]"));
        }
    }
}
