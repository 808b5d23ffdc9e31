//! Misspelt words: an output full of them (text recognition, a bad line) would have a surprise in every line.

use xxhash_rust::xxh3::xxh3_64;

use super::hashed::Hashed;
use super::symbols::{Class, Met, Symbols, Token};

/// Shorter words are too much alike.
const SHORTEST: u16 = 3;
/// A misspelt word is met so often at most, and what it was meant to be so many times as often for each time.
const MISSPELT: u32 = 3;
const MEANT: u32 = 3;
/// A number is meant only if it comes again and again, as a status does.
const MEANT_NUMBER: u32 = 20;
/// So many words, and so many of a hundred rare ones, must look misspelt: else names that differ in a letter are names.
const LEAST: usize = 10;
const SHARE: usize = 20;
/// Rare words that are looked at to decide it.
const LOOKED_AT: usize = 2_000;

/// Gives rare words the spelling of a frequent one that differs in one letter, if the output has many of them.
pub(super) fn respell(symbols: &Symbols, tokens: &mut [Token], text: &str) {
    let token_of = |met: &Met| tokens.get(met.first as usize).filter(|token| is_spelt(token));
    let spelled = |token: &Token| {
        let at = token.at as usize;
        text.as_bytes().get(at..at + usize::from(token.length)).unwrap_or_default()
    };
    let mut frequent: Hashed<Met> = Hashed::default();
    for met in symbols.met().iter().filter(|met| met.count >= MEANT) {
        let Some(token) = token_of(met).filter(|token| token.class == Class::Word || met.count >= MEANT_NUMBER) else {
            continue;
        };
        for blank in blanked(spelled(token)) {
            let known = frequent.entry(blank).or_insert(*met);
            *known = (*known).max(*met);
        }
    }
    let meant = |rare: &Met| {
        let token = token_of(rare)?;
        let like = blanked(spelled(token)).into_iter().filter_map(|blank| frequent.get(&blank)).max()?;
        let like = token_of(like).filter(|_| like.count >= MEANT * rare.count * rare.count)?;
        (like.class == token.class).then_some((u64::from(token.text), *like))
    };
    let seldom = |met: &&Met| (1..=MISSPELT).contains(&met.count) && token_of(met).is_some();
    let rare: Vec<Met> = symbols.met().iter().filter(seldom).copied().collect();
    let look: Vec<&Met> = rare.iter().step_by(rare.len() / LOOKED_AT + 1).collect();
    let misspelt = look.iter().filter(|met| meant(met).is_some()).count();
    if misspelt < LEAST || misspelt * 100 < look.len() * SHARE {
        return;
    }
    let meant: Hashed<Token> = rare.iter().filter_map(meant).collect();
    for token in tokens.iter_mut().filter(|token| is_spelt(token)) {
        if let Some(like) = meant.get(&u64::from(token.text)) {
            (token.symbol, token.text) = (like.symbol, like.text);
        }
    }
}

fn is_spelt(token: &Token) -> bool {
    matches!(token.class, Class::Word | Class::Number) && token.length >= SHORTEST
}

/// The word with each of its letters and digits left out in turn: two words that differ in one share one of these.
fn blanked(word: &[u8]) -> Vec<u64> {
    let mut copy = word.to_vec();
    let at = (0..word.len()).filter(|at| word.get(*at).is_some_and(u8::is_ascii_alphanumeric));
    at.map(|at| {
        let letter = std::mem::take(&mut copy[at]);
        let blank = xxh3_64(&copy);
        copy[at] = letter;
        blank
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::super::symbols;
    use super::*;

    /// How many different words a text has for the model.
    fn different(text: &str) -> usize {
        let (mut symbols, mut tokens) = (Symbols::new(), Vec::new());
        for (at, word) in
            text.split(' ').scan(0, |end, word| Some((std::mem::replace(end, *end + word.len() + 1), word)))
        {
            symbols::tokens(word, at, &mut symbols, &mut tokens);
        }
        respell(&symbols, &mut tokens, text);
        let mut words: Vec<u32> = tokens.iter().map(|token| token.text).collect();
        words.sort_unstable();
        words.dedup();
        words.len()
    }

    #[test]
    fn misspelt_words_are_what_they_were_meant_to_be() {
        let misspelt: String = ('a'..='l').map(|letter| format!("acce{letter}ted ")).collect();
        assert_eq!(different(&format!("{}{misspelt}", "accepted ".repeat(40))), 1);
    }

    #[test]
    fn a_few_names_that_differ_in_a_letter_are_names() {
        assert_eq!(different(&format!("{}eth1 eth2 read", "eth0 dead ".repeat(40))), 5);
    }
}
