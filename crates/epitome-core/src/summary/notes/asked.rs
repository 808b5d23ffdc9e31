//! What people asked for, and what harnesses said in their place: the beginning of each, word for word.

use crate::live;
use crate::summary::template::Fence;
use crate::tokens::{TokenCounter, Tokens};

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Person,
    Harness,
}

/// Something that was said in the user's place, or what an earlier summary kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Said {
    who: Who,
    beginning: String,
    /// Characters that an earlier summary left out behind the beginning.
    left_out: usize,
    end: String,
    /// Of what a harness said, how it begins.
    opening: Option<u64>,
}

/// How much of each is kept, in tokens of its beginning and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    beginning: u64,
    end: u64,
}

/// Every request that goes keeps this much at least, while there is room for that.
const PROMISED: Extent = Extent { beginning: 150, end: 0 };
/// Where there is room for more.
const GENEROUS: [Extent; 4] = [
    Extent { beginning: 1_200, end: 400 },
    Extent { beginning: 600, end: 200 },
    Extent { beginning: 300, end: 100 },
    Extent { beginning: 150, end: 60 },
];
/// Where there is not room for all: rather a little of each than all of some.
const MEAGRE: [Extent; 4] = [
    Extent { beginning: 100, end: 0 },
    Extent { beginning: 60, end: 0 },
    Extent { beginning: 30, end: 0 },
    Extent { beginning: 15, end: 0 },
];

/// What a harness says may take so much of what requests may take.
const HARNESS: f64 = 0.80;
const HARNESS_EXTENTS: [Extent; 2] = [PROMISED, Extent { beginning: 60, end: 0 }];

const ASKED: &str = "- asked earlier: ";
const PUT_IN: &str = "- put in by the harness: ";
const GAP_OPEN: &str = "[… ";
const GAP_CLOSE: &str = " characters left out …]";

/// All of it, oldest first.
#[derive(Debug, Default)]
pub(super) struct Asked {
    said: Vec<Said>,
}

/// What fits, oldest first, and what it takes.
pub(super) struct Kept {
    pub(super) items: Vec<String>,
    pub(super) cost: Tokens,
}

impl Asked {
    /// Said again, it is news again: the earlier one goes.
    pub(super) fn add(&mut self, who: Who, words: &str) {
        let words = words.trim();
        if !words.is_empty() {
            self.said.retain(|said| !said.is(words));
            self.push(Said::new(who, words.to_owned(), 0, String::new()));
        }
    }

    /// Leaves out what is said elsewhere.
    pub(super) fn remove(&mut self, words: &str) {
        self.said.retain(|said| !said.is(words.trim()));
    }

    /// Takes an item of an earlier summary, if it is of this kind.
    pub(super) fn carry_over(&mut self, item: &str) -> bool {
        let found = match Fence::open(item) {
            Some((Fence::Request | Fence::EarlierRequest, words)) => Some((Who::Person, words)),
            Some((Fence::Harness, words)) => Some((Who::Harness, words)),
            None => {
                let asked = item.strip_prefix(ASKED).map(|words| (Who::Person, words));
                asked.or_else(|| item.strip_prefix(PUT_IN).map(|words| (Who::Harness, words)))
            }
        };
        let Some((who, words)) = found else { return false };
        let said = Said::read(who, words);
        self.said.retain(|known| *known != said);
        self.push(said);
        true
    }

    /// What a harness says again and again goes: the newest holds.
    fn push(&mut self, said: Said) {
        if said.opening.is_some() {
            self.said.retain(|known| known.opening != said.opening);
        }
        self.said.push(said);
    }

    /// Whether a person asked for something that is told here.
    pub(super) fn has_persons(&self) -> bool {
        self.said.iter().any(|said| said.who == Who::Person)
    }

    /// What was said last.
    pub(super) fn last(&self) -> Option<&str> {
        self.said.last().map(|said| said.beginning.as_str())
    }

    /// What fits: of a person's as much as fits into `comfort`, at least what is promised if that fits into `ceiling`; of
    /// a harness' what is promised, or less, the newest first, within its share of the ceiling.
    pub(super) fn fit(&self, comfort: Tokens, ceiling: Tokens, counter: &dyn TokenCounter) -> Kept {
        let persons: Vec<usize> = self.by(Who::Person);
        let mut chosen: Vec<(usize, String, Tokens)> = self.fit_all(&persons, comfort, ceiling, counter);
        let spent = |chosen: &[(usize, String, Tokens)]| chosen.iter().map(|(_, _, cost)| *cost).sum::<Tokens>();
        let mut room = (ceiling - spent(&chosen)).min(ceiling.share(HARNESS));
        let harness = self.by(Who::Harness);
        let whole = HARNESS_EXTENTS.into_iter().map(|extent| self.at(&harness, extent, counter));
        let mut whole = whole.filter(|all| spent(all) <= room);
        match whole.next() {
            Some(all) => chosen.extend(all),
            None => {
                let least = HARNESS_EXTENTS[HARNESS_EXTENTS.len() - 1];
                for (at, item, cost) in self.at(&harness, least, counter).into_iter().rev() {
                    if cost <= room {
                        room = room - cost;
                        chosen.push((at, item, cost));
                    }
                }
            }
        }
        let cost = spent(&chosen);
        // A person's words stand last, next to the newest request.
        let is_person = |at: usize| self.said.get(at).is_some_and(|said| said.who == Who::Person);
        chosen.sort_by_key(|(at, _, _)| (is_person(*at), *at));
        Kept { items: chosen.into_iter().map(|(_, item, _)| item).collect(), cost }
    }

    fn by(&self, who: Who) -> Vec<usize> {
        self.said.iter().enumerate().filter(|(_, said)| said.who == who).map(|(at, _)| at).collect()
    }

    fn at(&self, which: &[usize], extent: Extent, counter: &dyn TokenCounter) -> Vec<(usize, String, Tokens)> {
        let item = |at: &usize| {
            let item = self.said.get(*at)?.cut(extent, counter).write();
            let cost = counter.estimate(&item) + Tokens(1);
            Some((*at, item, cost))
        };
        which.iter().filter_map(item).collect()
    }

    fn fit_all(
        &self,
        which: &[usize],
        comfort: Tokens,
        ceiling: Tokens,
        counter: &dyn TokenCounter,
    ) -> Vec<(usize, String, Tokens)> {
        let generous = GENEROUS.into_iter().map(|extent| (extent, comfort));
        let rest = std::iter::once(PROMISED).chain(MEAGRE).map(|extent| (extent, ceiling));
        let whole: Vec<Tokens> =
            which.iter().filter_map(|at| self.said.get(*at)).map(|said| counter.estimate(&said.beginning)).collect();
        // Each takes so much, or is shorter as a whole.
        let at_least =
            |extent: Extent| whole.iter().map(|whole| Tokens(extent.beginning).min(*whole).share(0.8)).sum::<Tokens>();
        let mut smallest = Vec::new();
        for (extent, room) in generous.chain(rest) {
            if at_least(extent) > room && extent != MEAGRE[MEAGRE.len() - 1] {
                continue;
            }
            smallest = self.at(which, extent, counter);
            if smallest.iter().map(|(_, _, cost)| *cost).sum::<Tokens>() <= room {
                return smallest;
            }
        }
        // Too many: the first ones say what it is all about, the last ones where it stands.
        let mut left = ceiling;
        let order = super::choice::newest_and_oldest(smallest.len());
        let mut taken = vec![false; smallest.len()];
        for at in order {
            if let (Some((_, _, cost)), Some(taken)) = (smallest.get(at), taken.get_mut(at)) {
                *taken = *cost <= left;
                left = if *taken { left - *cost } else { left };
            }
        }
        smallest.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(item, _)| item).collect()
    }
}

impl Said {
    fn new(who: Who, beginning: String, left_out: usize, end: String) -> Said {
        let opening = (who == Who::Harness).then(|| opening(&beginning));
        Said { who, beginning, left_out, end, opening }
    }

    /// Whether this is, or is what is left of, these words.
    fn is(&self, words: &str) -> bool {
        if self.left_out == 0 {
            return self.beginning == words;
        }
        words.starts_with(&*self.beginning)
            && words.ends_with(&*self.end)
            && chars(words) == chars(&self.beginning) + self.left_out + chars(&self.end)
    }

    fn read(who: Who, words: &str) -> Said {
        let gap = words.match_indices(GAP_OPEN).find_map(|(at, _)| {
            let rest = words.get(at + GAP_OPEN.len()..)?;
            let (number, end) = rest.split_once(GAP_CLOSE)?;
            Some((words.get(..at)?, number.parse().ok()?, end))
        });
        match gap {
            Some((beginning, left_out, end)) => {
                Said::new(who, beginning.trim_end().to_owned(), left_out, end.trim_start().to_owned())
            }
            None => Said::new(who, words.trim_end().to_owned(), 0, String::new()),
        }
    }

    /// No more than `extent` of it; whole if it is not much longer.
    fn cut(&self, extent: Extent, counter: &dyn TokenCounter) -> Said {
        let beginning = first_tokens(&self.beginning, extent.beginning, counter).trim_end();
        let behind = self.beginning.get(beginning.len()..).unwrap_or_default();
        // What an earlier summary kept of the end is the end; otherwise what stands there now.
        let end = match (self.left_out, behind.is_empty()) {
            (0, true) => return self.clone(),
            (0, false) => last_tokens(behind, extent.end),
            (_, _) => last_tokens(&self.end, extent.end),
        };
        let all = chars(&self.beginning) + self.left_out + chars(&self.end);
        let left_out = all - chars(beginning) - chars(end);
        Said { beginning: beginning.to_owned(), left_out, end: end.to_owned(), ..*self }
    }

    fn write(&self) -> String {
        let several = |text: &str| text.contains(['\n', '\r']);
        let several = several(&self.beginning) || several(&self.end);
        let between = if several { "\n" } else { " " };
        let mut words = self.beginning.clone();
        if self.left_out > 0 {
            words.push_str(&format!("{between}{GAP_OPEN}{}{GAP_CLOSE}", self.left_out));
        }
        if !self.end.is_empty() {
            words.push_str(between);
            words.push_str(&self.end);
        }
        match (self.who, several) {
            (Who::Person, false) => format!("{ASKED}{words}"),
            (Who::Person, true) => Fence::EarlierRequest.around(&words),
            (Who::Harness, false) => format!("{PUT_IN}{words}"),
            (Who::Harness, true) => Fence::Harness.around(&words),
        }
    }
}

/// As much of a text as is promised to be kept: those that differ in digits alone so far are told once.
fn opening(words: &str) -> u64 {
    const CHARS: usize = 700;
    let end = words.char_indices().nth(CHARS).map_or(words.len(), |(end, _)| end);
    live::form_of(words.get(..end).unwrap_or(words))
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The shortest beginning that holds `tokens` and ends with a word; all of it if little would be left.
fn first_tokens<'text>(text: &'text str, tokens: u64, counter: &dyn TokenCounter) -> &'text str {
    /// Steps of the search; each is a count of a short text.
    const STEPS: usize = 10;
    // A text that is cut is counted a little differently at its end.
    let wanted = tokens + tokens / 50 + 2;
    // No token is shorter than a byte, and few texts have more tokens than a fifth over their estimate.
    if text.len() as u64 <= wanted || counter.estimate(text).0 * 6 / 5 < wanted {
        return text;
    }
    // What is promised is counted; more or less than that need not be exact.
    let measure = |text: &str| if tokens == PROMISED.beginning { counter.count(text) } else { counter.estimate(text) };
    let (mut too_short, mut enough) = (0, text.len());
    let mut bytes = tokens as usize * 4;
    for _ in 0..STEPS {
        if enough <= too_short + 8 {
            break;
        }
        bytes = if bytes > too_short && bytes < enough { bytes } else { (too_short + enough) / 2 };
        let found = measure(up_to_word(text, bytes)).0;
        if found < wanted {
            too_short = bytes;
        } else {
            enough = bytes;
            if found <= wanted + wanted / 10 + 2 {
                break;
            }
        }
        bytes = bytes * (wanted as usize + wanted as usize / 20 + 1) / (found as usize).max(1);
    }
    whole_if_close(text, up_to_word(text, enough))
}

/// A gap must be worth what saying so takes.
fn whole_if_close<'text>(text: &'text str, beginning: &'text str) -> &'text str {
    const WORTH_A_GAP: usize = 60;
    if text.len() - beginning.len() < WORTH_A_GAP { text } else { beginning }
}

/// The first `bytes`, and the rest of the word that they end in if it is not long.
fn up_to_word(text: &str, bytes: usize) -> &str {
    const LONGEST_WORD: usize = 40;
    if bytes >= text.len() {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let rest = text.get(end..).unwrap_or_default();
    match rest.find(char::is_whitespace) {
        Some(more) if more <= LONGEST_WORD => text.get(..end + more).unwrap_or(text),
        Some(_) => text.get(..end).unwrap_or(text),
        None if rest.len() <= LONGEST_WORD => text,
        None => text.get(..end).unwrap_or(text),
    }
}

/// About the last `tokens`, from the beginning of a word.
fn last_tokens(text: &str, tokens: u64) -> &str {
    let bytes = tokens as usize * 4;
    if bytes >= text.len() {
        return text.trim_start();
    }
    let mut start = text.len() - bytes;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = text.get(start..).unwrap_or_default();
    let word = tail.find(char::is_whitespace).unwrap_or(0);
    tail.get(word..).unwrap_or_default().trim_start()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::RoughCounter;

    const PLENTY: Tokens = Tokens(100_000);

    fn asked(words: &[&str]) -> Asked {
        let mut asked = Asked::default();
        words.iter().for_each(|words| asked.add(Who::Person, words));
        asked
    }

    fn long(lines: usize) -> String {
        (0..lines).map(|n| format!("line {n} of what is wanted, with words\n")).collect()
    }

    #[test]
    fn short_requests_are_kept_whole_and_once() {
        let kept = asked(&["go on", "fix it\n  now", "go on"]).fit(PLENTY, PLENTY, &RoughCounter);
        assert_eq!(kept.items, ["<earlier-request>\nfix it\n  now\n</earlier-request>", "- asked earlier: go on"]);
    }

    #[test]
    fn a_long_request_keeps_its_beginning_as_it_was_written() {
        let text = long(200);
        let kept = asked(&[&text]).fit(Tokens(20), Tokens(200), &RoughCounter);
        let (_, words) = Fence::open(&kept.items[0]).unwrap();
        let beginning = words.split(GAP_OPEN).next().unwrap().trim_end();
        assert!(text.starts_with(beginning), "{words}");
        assert!((150..180).contains(&RoughCounter.count(beginning).0), "{}", RoughCounter.count(beginning).0);
    }

    #[test]
    fn with_room_the_end_is_kept_too() {
        let text = long(200);
        let kept = asked(&[&text]).fit(Tokens(500), Tokens(500), &RoughCounter);
        assert!(kept.items[0].contains("line 199 of what is wanted"), "{}", kept.items[0]);
        assert!(kept.cost <= Tokens(500));
    }

    #[test]
    fn what_was_kept_is_read_back_and_cut_again() {
        for text in [long(300), "word ".repeat(3_000), "单词".repeat(2_000), "x".repeat(9_000)] {
            let mut asked = asked(&[&text]);
            for room in [3_000, 700, 350, 260, 120, 60] {
                let kept = asked.fit(Tokens(room), Tokens(room), &RoughCounter);
                assert!(kept.cost <= Tokens(room), "{} in {room}", kept.cost);
                let mut again = Asked::default();
                kept.items.iter().for_each(|item| assert!(again.carry_over(item)));
                let said = &again.said[0];
                assert!(said.is(text.trim()), "{said:?}");
                assert_eq!(chars(&said.beginning) + said.left_out + chars(&said.end), chars(text.trim()), "about");
                asked = again;
            }
        }
    }

    #[test]
    fn too_many_requests_keep_a_little_of_each_then_the_first_and_the_last() {
        let texts: Vec<String> = (0..40).map(|n| format!("request {n} {}", "and more of it ".repeat(40))).collect();
        let asked = asked(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let some = asked.fit(Tokens(100), Tokens(3_000), &RoughCounter);
        assert_eq!(some.items.len(), 40);
        let few = asked.fit(Tokens(100), Tokens(200), &RoughCounter);
        assert!(few.cost <= Tokens(200));
        assert!(few.items[0].contains("request 0 "));
        assert!(few.items.last().unwrap().contains("request 39 "));
    }

    #[test]
    fn what_a_harness_says_comes_after_what_people_say() {
        let mut asked = asked(&["fix it"]);
        asked.add(Who::Harness, &"reminder ".repeat(400));
        asked.add(Who::Harness, "note");
        let kept = asked.fit(Tokens(30), Tokens(60), &RoughCounter);
        assert_eq!(kept.items, ["- put in by the harness: note", "- asked earlier: fix it"]);
    }

    #[test]
    fn what_a_harness_says_again_and_again_is_kept_once_and_within_its_share() {
        let mut asked = asked(&[&long(40)]);
        for n in 0..30 {
            asked.add(Who::Harness, &format!("<system-reminder>\nthe list of tasks:\n{}\nread {n}×", long(30)));
        }
        for word in ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"] {
            asked.add(Who::Harness, &format!("<system-reminder>\n{word} tool says:\n{}", long(30)));
        }
        let harness = |ceiling: u64| {
            let items = asked.fit(Tokens(1_000), Tokens(ceiling), &RoughCounter).items.into_iter();
            items.filter(|item| !item.contains("earlier-request")).collect::<Vec<String>>()
        };
        let all = harness(30_000);
        assert_eq!(all.len(), 9, "{all:#?}");
        let few = harness(1_000);
        assert!(few.last().is_some_and(|item| item.contains("theta tool")), "{few:#?}");
        let cost: u64 = few.iter().map(|item| RoughCounter.estimate(item).0 + 1).sum();
        assert!(cost <= 800, "{cost}");
    }
}
