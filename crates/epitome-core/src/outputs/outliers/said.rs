//! What is said of a column: its words with their numbers, its range.

use super::column::FEW;
use super::forms;
use crate::outputs::cut_to_chars;
use crate::tokens::Tokens;

/// So many words are named.
const NAMED: usize = 6;
/// A value of a vocabulary, shown with so many characters.
const VALUE_CHARS: usize = 40;

/// `active 499×`, `free 170×|pro 165×|team 165×`; a constant without its number. The rare ones are shown themselves.
pub(super) fn said_of_words(vocabulary: &[(&str, usize)], rare: &[&str]) -> String {
    let common: Vec<&(&str, usize)> = vocabulary.iter().filter(|(word, _)| !rare.contains(word)).collect();
    if let ([(only, _)], true) = (common.as_slice(), rare.is_empty()) {
        return value(only);
    }
    let mut words: Vec<String> =
        common.iter().take(NAMED).map(|(word, count)| format!("{} {}×", value(word), Tokens(*count as u64))).collect();
    if common.len() > NAMED {
        words.push(format!("{} more", common.len() - NAMED));
    }
    words.join("|")
}

pub(super) fn value(text: &str) -> String {
    cut_to_chars(text.lines().next().unwrap_or_default(), VALUE_CHARS)
}

/// The least and the greatest as they are written, without those that are shown themselves.
pub(super) fn range(written: &[(usize, &str)], numbers: &[f64], beyond: &[&str]) -> String {
    let mut usual: Vec<(f64, &str)> = written
        .iter()
        .zip(numbers)
        .filter(|((_, text), _)| !beyond.contains(text))
        .map(|((_, text), number)| (*number, *text))
        .collect();
    usual.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (Some(least), Some(greatest)) = (usual.first(), usual.last()) else { return "number".to_owned() };
    if least.0 == greatest.0 {
        return value(least.1);
    }
    let median = usual.get(usual.len() / 2).map_or("", |(_, text)| *text);
    let skewed = usual
        .get(usual.len() / 2)
        .is_some_and(|(median, _)| least.0 >= 0.0 && greatest.0 > 8.0 * median && usual.len() >= FEW && *median >= 0.0);
    let said = format!("{}–{}", value(least.1), value(greatest.1));
    if skewed { format!("{said} (median {})", value(median)) } else { said }
}

/// Small numbers that count something have a tail: one more retry than usual is no outlier.
pub(super) fn without_tail<'text>(vocabulary: &[(&'text str, usize)], rare: Vec<&'text str>) -> Vec<&'text str> {
    let mut common: Vec<f64> = vocabulary
        .iter()
        .filter(|(word, _)| !rare.contains(word))
        .filter_map(|(word, _)| forms::number(word))
        .collect();
    common.sort_by(f64::total_cmp);
    let (Some(least), Some(greatest)) = (common.first(), common.last()) else { return rare };
    let beyond = |word: &&str| {
        let number = forms::number(word).unwrap_or_default();
        let distance = (least - number).max(number - greatest);
        let wrong_sign = number < 0.0 && *least >= 0.0;
        common.len() == 1 || wrong_sign || distance < 0.0 || distance > 2.0 * (greatest - least)
    };
    rare.into_iter().filter(beyond).collect()
}
