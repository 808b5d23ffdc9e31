//! Writes a digest: what must not be lost, what the agent works on, and the lines that tell the most of the rest.

mod cut;
mod edited;

pub(super) use cut::cut_lines;

use std::collections::HashMap;
use std::ops::Range;

use super::interest::Interest;
use super::surprise::{Choosing, Cost, Taken, Weighed, outline};
use super::{FINDING_CHARS, Room};
use crate::tokens::{TokenCounter, Tokens, counted};

/// Longer lines are cut: minified files and encoded data put a whole output on one line.
const LINE_CHARS: usize = 240;
/// What must not be lost takes no more than this. Nobody reads thousands of different errors, and a digest that is as
/// large as its output would be given up for a single line.
const MUST_AT_MOST: Tokens = Tokens(4_000);
/// Of the room, what counts and the names of records may take.
const FACTS: f64 = 0.3;
/// Of a long line, so many places are shown that the agent looks for.
const ASKED_AT_MOST: usize = 3;
/// So many bytes behind such a place, and half as many before it.
const AROUND_ASKED: usize = 80;

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    /// Without the first line.
    pub(super) body: String,
    /// Lines in it, shown at least in short.
    pub(super) lines: usize,
    /// There was no room for some of what must not be lost. The body says how many lines that are.
    pub(super) left_out: usize,
}

/// How much of a line is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Out,
    Short,
    Whole,
    /// It must not be lost: cut later than others.
    Must,
    /// As it stands in the text: the agent edits it.
    Verbatim,
}

/// How a digest tells where something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gaps {
    /// The lines have numbers of their own.
    Told,
    /// The first line behind a gap has its number.
    Numbered,
    /// A line with an ellipsis.
    Marked,
}

struct Writing<'a> {
    weighed: &'a Weighed,
    text: &'a str,
    interest: &'a Interest,
    counter: &'a dyn TokenCounter,
    gaps: Gaps,
    shown: Vec<Shown>,
    spent: Tokens,
}

/// Writes a digest's body. The lines of `must` are in it whatever they tell, as far as there is room.
pub(super) fn write(
    weighed: &Weighed,
    text: &str,
    room: Room,
    must: &[usize],
    interest: &Interest,
    counter: &dyn TokenCounter,
) -> Written {
    let gaps = match () {
        () if weighed.is_numbered() => Gaps::Told,
        () if weighed.is_code() => Gaps::Numbered,
        () => Gaps::Marked,
    };
    let shown = vec![Shown::Out; weighed.pieces().len()];
    let mut writing = Writing { weighed, text, interest, counter, gaps, shown, spent: Tokens(0) };
    let (room, at_most) = match room {
        Room::Usual(room) => (room, None),
        Room::AtMost(room) => (room, Some(room)),
    };
    let left_out = writing.take_musts(must, at_most.unwrap_or(MUST_AT_MOST));
    writing.take_edited(at_most);
    let free = match at_most {
        Some(room) => room - writing.spent,
        // Errors come on top, but then less of the rest is needed.
        None => (room - writing.spent).max(room.share(ORIENTATION)),
    };
    let (facts, listed) = weighed.facts(text, free.share(FACTS));
    let for_facts = facts.as_ref().map_or(Tokens(0), |facts| counter.estimate(facts) + Tokens(1));
    writing.fill(free - for_facts, at_most.is_none(), listed);
    writing.render(facts, left_out)
}

/// Of the room, what is left for orientation when errors have taken all of it.
const ORIENTATION: f64 = 0.3;

impl Writing<'_> {
    /// Takes what must not be lost, one of each form first. Returns how many lines there was no room for.
    fn take_musts(&mut self, must: &[usize], at_most: Tokens) -> usize {
        let mut forms: HashMap<u64, usize> = HashMap::new();
        let mut ordered: Vec<(usize, usize)> = Vec::with_capacity(must.len());
        for line in must {
            let before = forms.entry(self.weighed.form(*line)).or_default();
            ordered.push((*before, *line));
            *before += 1;
        }
        ordered.sort_unstable();
        let mut left_out = 0;
        for (_, line) in ordered {
            // One of them is shown, however long it is.
            if self.spent > Tokens(0) && self.spent + self.cost(line, Shown::Must) > at_most {
                left_out += 1;
            } else {
                self.take(line, Shown::Must);
            }
        }
        left_out
    }

    /// Fills the room with the lines that tell the most; a list of contents may take some more.
    fn fill(&mut self, free: Tokens, may_exceed: bool, listed: bool) {
        let already = self.shown.iter().map(|shown| match shown {
            Shown::Out => Taken::Out,
            Shown::Short => Taken::Short,
            Shown::Whole | Shown::Must | Shown::Verbatim => Taken::Whole,
        });
        let already: Vec<Taken> = already.collect();
        let taken = Choosing::new(self.weighed, self.text, self.interest, free, &*self, (already, listed))
            .fill(free, may_exceed);
        for (line, taken) in taken.into_iter().enumerate() {
            match taken {
                Taken::Out => {}
                Taken::Short => self.take(line, Shown::Short),
                Taken::Whole => self.take(line, Shown::Whole),
            }
        }
        // A text of nothing but white space still has lines.
        if self.shown.iter().all(|shown| *shown == Shown::Out) {
            self.take(0, Shown::Whole);
        }
    }

    fn take(&mut self, line: usize, as_much: Shown) {
        let before = self.shown.get(line).map_or(Tokens(0), |shown| self.cost(line, *shown));
        let Some(shown) = self.shown.get_mut(line) else { return };
        *shown = as_much.max(*shown);
        let now = *shown;
        self.spent = self.spent + self.cost(line, now) - before;
    }

    fn cost(&self, line: usize, shown: Shown) -> Tokens {
        let mark = match self.gaps {
            Gaps::Told => 1,
            Gaps::Marked => 2,
            Gaps::Numbered => 3,
        };
        match shown {
            Shown::Out => Tokens(0),
            Shown::Short | Shown::Whole | Shown::Must | Shown::Verbatim => {
                self.counter.estimate(&self.said(line, shown)) + Tokens(mark)
            }
        }
    }

    fn text_of(&self, line: usize) -> &str {
        let span = self.weighed.pieces().get(line).cloned().unwrap_or_default();
        self.text.get(span).unwrap_or_default()
    }

    fn said(&self, line: usize, shown: Shown) -> String {
        let text = self.text_of(line).trim_end();
        match shown {
            Shown::Out => String::new(),
            Shown::Short if self.weighed.is_diff() => cut_lines(text, LINE_CHARS).into_owned(),
            Shown::Short => cut_lines(outline(text), LINE_CHARS).into_owned(),
            Shown::Whole => {
                let said = cut_lines(text, LINE_CHARS);
                let asked_for = self.asked_for(text, &said);
                format!("{said}{asked_for}")
            }
            Shown::Must => cut_lines(text, FINDING_CHARS).into_owned(),
            Shown::Verbatim => text.to_owned(),
        }
    }

    /// What stands around the words that the agent looks for, where it was cut away.
    fn asked_for(&self, text: &str, said: &str) -> String {
        let mut shown = String::new();
        if text.len() <= LINE_CHARS || self.interest.is_empty() {
            return shown;
        }
        let mut found = 0;
        for hit in self.interest.hits(text) {
            let word = text.get(hit.at..).unwrap_or_default();
            let end = word.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-')).unwrap_or(word.len());
            let word = word.get(..end).unwrap_or_default();
            if said.contains(word) || shown.contains(word) {
                continue;
            }
            let from = text.floor_char_boundary(hit.at.saturating_sub(AROUND_ASKED / 2));
            let to = text.floor_char_boundary((hit.at + word.len() + AROUND_ASKED).min(text.len()));
            let around = text.get(from..to).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
            shown.push_str(&format!(" [… {around} …]"));
            found += 1;
            if found == ASKED_AT_MOST {
                break;
            }
        }
        shown
    }

    fn render(self, facts: Option<String>, left_out: usize) -> Written {
        let mut body = String::new();
        if let Some(facts) = facts {
            body.push_str(&facts);
            body.push('\n');
        }
        let (mut lines, mut number, mut missing) = (0, 0, false);
        let mut previous: Range<usize> = 0..0;
        for (line, (piece, shown)) in self.weighed.pieces().iter().zip(&self.shown).enumerate() {
            // A long line may be several pieces.
            let begins = line == 0 || self.text.get(previous.end..piece.start).is_some_and(|gap| gap.contains('\n'));
            number += usize::from(begins);
            let goes_on = !begins && !missing && previous.end > 0;
            previous = piece.clone();
            if *shown == Shown::Out {
                // A gap of nothing but empty lines needs no mark.
                missing |= !self.text_of(line).trim().is_empty();
                continue;
            }
            match self.gaps {
                Gaps::Marked if missing => body.push_str("…\n"),
                Gaps::Numbered if missing || lines == 0 => body.push_str(&format!("{number}: ")),
                Gaps::Marked | Gaps::Numbered | Gaps::Told => {}
            }
            if goes_on && lines > 0 {
                body.truncate(body.trim_end_matches('\n').len());
                body.push(' ');
                body.push_str(self.said(line, *shown).trim_start());
            } else {
                body.push_str(&self.said(line, *shown));
            }
            missing = false;
            body.push('\n');
            lines += 1;
        }
        if missing && self.gaps == Gaps::Marked {
            body.push_str("…\n");
        }
        if left_out > 0 {
            body.push_str(&format!("[… {} more in the original …]\n", counted(left_out as u64, "error")));
        }
        body.truncate(body.trim_end_matches('\n').len());
        Written { body, lines, left_out }
    }
}

impl Cost for Writing<'_> {
    fn whole(&self, line: usize) -> Tokens {
        self.cost(line, Shown::Whole)
    }

    fn short(&self, line: usize) -> Tokens {
        self.cost(line, Shown::Short)
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::{check_for, made};

    #[test]
    fn thousands_of_different_errors_are_shown_up_to_a_limit_and_counted() {
        let word = |n: usize| ["disk", "cable", "queue", "lamp", "door", "pump", "valve"][n % 7];
        let error = |n: usize| format!("ERROR {} {} of {} is {}\n", word(n), word(n / 7), word(n / 49), word(n / 343));
        let text: String = (0..2401).map(error).collect();
        let digest = made("", "cat errors", &text).expect("a digest is made");
        assert!((9_000..24_000).contains(&digest.text.len()), "{}", digest.text.len());
        assert_eq!(digest.loss.errors.of, 2401);
        assert!(
            digest.loss.errors.kept < 1_400 && digest.text.contains(" errors more in the original …]"),
            "{}",
            digest.text
        );
    }

    #[test]
    fn what_is_asked_for_is_shown_in_the_midst_of_a_long_line() {
        let words = |n: usize| (0..n).map(|n| format!("word{} ", n % 37)).collect::<String>();
        let text = format!("{}pool_size=41 {}", words(700), words(900));
        let digest = check_for("what is the pool_size", "cat long", &text);
        assert!(digest.contains("pool_size=41") && digest.len() < 900, "{digest}");
    }

    #[test]
    fn a_line_with_more_of_the_words_comes_first() {
        let line = |n: usize| {
            let what = if n == 277 { "refund" } else { "sale" };
            format!("10:{:02}:{:02} DEBUG {what} customer={} amount={}\n", n / 60, n % 60, n % 9, n * 7 % 1000)
        };
        let text: String = (0..400).map(line).collect();
        let digest = check_for("the refund with amount=939 of customer=7", "cat sales.log", &text);
        assert!(digest.contains("refund customer=7 amount=939"), "{digest}");
    }
}
