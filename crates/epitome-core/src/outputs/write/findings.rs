//! What must not be lost: all of it, but for outputs that are nothing else.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::Xxh3Default;

use super::{Choice, Shown};
use crate::outputs::reading::Finding;
use crate::tokens::Tokens;

/// Findings take no more than this together. Nobody reads thousands of different errors, and a digest that is as large as
/// its output would be given up for a single line.
const FINDINGS_AT_MOST: Tokens = Tokens(4_000);

/// Above this, warnings that differ in names alone are told by a few of them.
const UNFOLDED: Tokens = Tokens(500);
/// So many of them.
const OF_A_FORM: usize = 3;

impl Choice<'_> {
    /// Takes every finding, or of those that are too many the worst, those unlike each other first.
    pub(super) fn take_findings(&mut self, room: Tokens) {
        let pieces = self.reading.pieces.iter().enumerate();
        let findings: Vec<(Finding, usize)> =
            pieces.filter_map(|(index, piece)| Some((piece.rank.finding()?, index))).collect();
        let costs: Vec<Tokens> = findings.iter().map(|(_, index)| self.cost(*index, Shown::Full)).collect();
        let at_most = FINDINGS_AT_MOST.max(room);
        if costs.iter().copied().sum::<Tokens>() <= UNFOLDED.max(room) {
            findings.iter().zip(costs).for_each(|((_, index), cost)| self.show_once(*index, cost));
            return;
        }
        let mut left = at_most;
        for Ordered { like, at } in self.in_order(&findings) {
            let (Some((finding, index)), Some(cost)) = (findings.get(at), costs.get(at)) else { continue };
            if self.is_shown(*index) {
                continue;
            }
            if *finding == Finding::Warning && like >= OF_A_FORM {
                self.folded.push(*index);
            } else if *cost <= left || left == at_most {
                // One of them is shown, however long it is.
                self.show(*index, *cost, Tokens(0));
                left = left - *cost;
            } else {
                self.left_out.push(*index);
            }
        }
        self.left_out.sort_unstable();
        self.folded.sort_unstable();
    }

    fn is_shown(&self, index: usize) -> bool {
        self.shown.get(index) == Some(&Shown::Full)
    }

    /// Shows a finding, unless it is the end and shown already.
    fn show_once(&mut self, index: usize, cost: Tokens) {
        if !self.is_shown(index) {
            self.show(index, cost, Tokens(0));
        }
    }

    /// The findings by their worth: one of every form before the second of any, and errors before warnings.
    fn in_order(&self, findings: &[(Finding, usize)]) -> Vec<Ordered> {
        let mut seen: BTreeMap<(Finding, u64), usize> = BTreeMap::new();
        let mut ordered: Vec<(usize, Finding, usize)> = Vec::with_capacity(findings.len());
        for (at, (finding, index)) in findings.iter().enumerate() {
            let text = self.reading.pieces.get(*index).map_or("", |piece| piece.text(self.text));
            let like = seen.entry((*finding, form(text))).or_default();
            ordered.push((*like, *finding, at));
            *like += 1;
        }
        ordered.sort_unstable();
        ordered.into_iter().map(|(like, _, at)| Ordered { like, at }).collect()
    }

    /// How much must be looked up in the original.
    pub(super) fn said_of_left_out(&self) -> String {
        let mut counts: BTreeMap<Finding, usize> = BTreeMap::new();
        for piece in self.left_out.iter().filter_map(|index| self.reading.pieces.get(*index)) {
            *counts.entry(piece.rank.finding().unwrap_or(Finding::Error)).or_default() += 1;
        }
        let mut said: Vec<String> =
            counts.iter().map(|(finding, count)| format!("{} more", finding.count(*count))).collect();
        if !self.folded.is_empty() {
            said.push(format!("{} like these", Finding::Warning.count(self.folded.len())));
        }
        if said.is_empty() { String::new() } else { format!("[… {} in the original …]\n", said.join(", ")) }
    }
}

/// A finding: how many of its form stand before it, and its place among all.
struct Ordered {
    like: usize,
    at: usize,
}

/// What a message says, whatever it says it of: its plain words, and codes such as `CS8618`. Names, paths, numbers and
/// what stands in quotes are left out.
fn form(text: &str) -> u64 {
    let mut hasher = Xxh3Default::new();
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '"' | '`' | '‘' | '’'));
        let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
        let code = (1..=6).contains(&letters)
            && word.len() > letters
            && word.bytes().skip(letters).all(|byte| byte.is_ascii_digit());
        let plain = word.chars().skip(1).all(char::is_lowercase) && word.chars().all(char::is_alphabetic);
        if plain || code {
            hasher.update(word.as_bytes());
            hasher.update(b" ");
        }
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::made;

    #[test]
    fn thousands_of_different_errors_are_shown_up_to_a_limit_and_counted() {
        let word = |n: usize| ["disk", "cable", "queue", "lamp", "door", "pump", "valve"][n % 7];
        let error = |n: usize| format!("ERROR {} {} of {} is {}\n", word(n), word(n / 7), word(n / 49), word(n / 343));
        let text: String = (0..2401).map(error).collect::<String>() + "WARN the last one\n";
        let digest = made("", "cat errors", &text).expect("a digest is made");
        assert!((9_000..20_000).contains(&digest.text.len()), "{}", digest.text.len());
        assert_eq!((digest.loss.errors.of, digest.loss.warnings.of), (2401, 1));
        let left_out = digest.loss.errors.of - digest.loss.errors.kept;
        let said = format!("[… {} errors more in the original …]", crate::tokens::Tokens(left_out as u64));
        assert!(left_out > 1000 && digest.text.contains(&said), "{said}\n{}", digest.text);
        assert!(digest.text.contains("WARN the last one"), "how it ended: {}", digest.text);
    }

    #[test]
    fn many_warnings_that_differ_in_names_are_told_by_three_and_other_findings_by_all() {
        let name =
            |n: usize| format!("{}{}", ["Order", "Till", "Cart", "Depot"][n % 4], ["Book", "Line", "Part"][n / 4 % 3]);
        let warning = |n: usize| {
            format!("src/{0}_{n}.cs: warning CS8618: property '{0}' of {0}.Main must contain a value\n", name(n))
        };
        let text: String = (0..120)
            .map(|n| match n {
                61 => "src/Odd.cs: warning CS0168: variable 'x' is never used\n".to_owned(),
                62 => "src/Odd.cs: error CS0246: type 'Y' could not be found\n".to_owned(),
                _ => warning(n),
            })
            .collect();
        let digest = made("", "./build.sh", &text).expect("a digest is made").text;
        assert!(digest.contains("CS0168") && digest.contains("CS0246"), "{digest}");
        assert!(digest.len() < 2_000, "{digest}");
    }
}
