//! The words of a page, block by block.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::super::odd::odd_ones;
use super::super::reading::{Finding, Piece, Rank, Reading, Section, Unit};
use super::super::template::template_id;
use super::super::{cut_to_chars, events};
use crate::tokens::Tokens;

/// A page says what it is in its first bytes.
const OPENING: usize = 2_000;
/// So many headings are always shown.
const HEADINGS_SHOWN: usize = 10;
/// Longer passages are cut.
const PASSAGE_CHARS: usize = 240;
/// So many passages that differ in values only are told once.
const LIKE: usize = 5;
/// A longer passage speaks of errors rather than report one.
const REPORT_WORDS: usize = 40;
/// More passages that report an error are what the page is about.
const REPORTS: usize = 5;

/// Reads a page; `None` if it is none.
pub(super) fn read(text: &str) -> Option<Reading> {
    is_page(text).then(|| Page::of(text).into_reading(text))
}

fn is_page(text: &str) -> bool {
    let bytes = text.as_bytes();
    let opening = bytes.get(..OPENING).unwrap_or(bytes);
    let has = |tag: &[u8]| {
        memchr::memchr_iter(b'<', opening).any(|at| {
            opening.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag))
                && opening.get(at + tag.len()).is_some_and(|byte| matches!(byte, b' ' | b'>' | b'\n' | b'\r' | b'\t'))
        })
    };
    (has(b"<!doctype html") || has(b"<html")) && (has(b"<head") || has(b"<body") || has(b"<title") || has(b"<div"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Title,
    Heading,
    Row,
    Plain,
}

/// Words between two tags that divide a page.
struct Passage {
    /// Where it stands with its tags.
    span: Range<usize>,
    words: String,
    block: Block,
    /// The page itself marks it as an error.
    alert: bool,
}

struct Page {
    passages: Vec<Passage>,
    links: usize,
    tables: usize,
}

impl Page {
    fn of(text: &str) -> Page {
        let mut page = Page { passages: Vec::new(), links: 0, tables: 0 };
        let (mut at, mut start) = (0, 0);
        let mut words = String::new();
        let (mut block, mut alert) = (Block::Plain, false);
        // Where the words were when a link was closed: another one right behind it is another word.
        let mut link_end = usize::MAX;
        while at < text.len() {
            let rest = text.get(at..).unwrap_or_default();
            if !rest.starts_with('<') {
                let length = memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
                add_words(&mut words, rest.get(..length).unwrap_or_default());
                at += length;
                continue;
            }
            let (tag, length) = Tag::of(rest);
            if tag.breaks() {
                page.flush(start..at, &mut words, (block, alert), &mut start);
                block = tag.block(block);
                alert = !tag.closes && is_alert(rest.get(..length).unwrap_or_default());
            }
            match (tag.name, tag.closes) {
                ("a", true) => link_end = words.len(),
                ("a", false) if link_end == words.len() => add_words(&mut words, " "),
                (_, _) => {}
            }
            if (tag.name == "td" || tag.name == "th") && !tag.closes {
                let between = if words.is_empty() { "" } else { " | " };
                add_words(&mut words, between);
            }
            page.links += usize::from(tag.name == "a" && !tag.closes);
            page.tables += usize::from(tag.name == "table" && !tag.closes);
            at += length;
        }
        page.flush(start..text.len(), &mut words, (block, alert), &mut start);
        page
    }

    fn flush(&mut self, span: Range<usize>, words: &mut String, (block, alert): (Block, bool), start: &mut usize) {
        let said = words.trim().trim_matches(['|', ' ']);
        if said.is_empty() {
            words.clear();
            return;
        }
        *start = span.end;
        self.passages.push(Passage { span, words: decoded(said), block, alert });
        words.clear();
    }

    fn into_reading(self, text: &str) -> Reading {
        let headings = self.passages.iter().filter(|passage| passage.block == Block::Heading).count();
        let words: usize = self.passages.iter().map(|passage| passage.words.split_whitespace().count()).sum();
        let counted = |number: usize, name: &str| match number {
            0 => String::new(),
            1 => format!(", 1 {name}"),
            number => format!(", {} {name}s", Tokens(number as u64)),
        };
        let findings = self.findings();
        let repeats = self.repeats();
        // A page speaks of errors without reporting them, apart from its title, its headings and what is called out.
        let mut reading = Reading::empty(Unit::Passage);
        reading.say_always(format!(
            "{} words{}{}{}",
            Tokens(words as u64),
            counted(headings, "heading"),
            counted(self.links, "link"),
            counted(self.tables, "table"),
        ));
        let mut end = 0;
        let mut opened: Option<(String, usize)> = None;
        for (index, Passage { span, words, block, .. }) in self.passages.into_iter().enumerate() {
            end = span.end;
            let repeated = repeats.get(index).copied().flatten();
            let rank = match block {
                _ if findings.contains_key(&index) => {
                    Rank::Finding(findings.get(&index).copied().unwrap_or(Finding::Error))
                }
                _ if repeated == Some(0) => Rank::Told,
                Block::Title => Rank::Frame,
                Block::Heading if headings <= HEADINGS_SHOWN => Rank::Frame,
                Block::Heading => Rank::Telling(1),
                Block::Plain if words.split_whitespace().count() >= 8 => Rank::Telling(3),
                Block::Plain | Block::Row => Rank::Ordinary,
            };
            if block == Block::Heading {
                let closed = opened.replace((words.clone(), index));
                reading.sections.extend(closed.map(|(name, first)| Section { name, pieces: first..index }));
            }
            let full = Some(cut_to_chars(&words, PASSAGE_CHARS));
            let note = repeated.filter(|count| *count > 1).map(|count| format!(" [×{}]", Tokens(count as u64)));
            reading.pieces.push(Piece { full, note, ..Piece::ordinary(span).ranked(rank) });
        }
        let pieces = reading.pieces.len();
        reading.sections.extend(opened.map(|(name, first)| Section { name, pieces: first..pieces }));
        if end < text.len() {
            let rest = Piece { units: 0, full: Some(String::new()), ..Piece::ordinary(end..text.len()) };
            reading.pieces.push(rest.ranked(Rank::Told));
        }
        reading
    }
}

impl Page {
    /// Passages that report an error, and those that are unlike all others of a regular page.
    fn findings(&self) -> HashMap<usize, Finding> {
        let mut findings: HashMap<usize, Finding> = HashMap::new();
        let mut called: Vec<usize> = Vec::new();
        for (index, Passage { words, block, alert, .. }) in self.passages.iter().enumerate() {
            let failed = is_failed_status(words);
            let short = words.split_whitespace().nth(REPORT_WORDS).is_none();
            match block {
                Block::Title | Block::Heading if failed || events::is_error(words) => {
                    findings.insert(index, Finding::Error);
                }
                Block::Plain | Block::Row if *alert && short => {
                    findings.insert(index, events::severity(words).unwrap_or(Finding::Error));
                }
                Block::Plain | Block::Row if short && (failed || events::is_strong(words)) => called.push(index),
                Block::Title | Block::Heading | Block::Plain | Block::Row => {}
            }
        }
        if called.len() <= REPORTS {
            findings.extend(called.into_iter().map(|index| (index, Finding::Error)));
        }
        let regular = self.repeats().iter().flatten().count();
        if regular * 2 > self.passages.len() {
            let words: Vec<&str> = self.passages.iter().map(|passage| passage.words.as_str()).collect();
            odd_ones(&words).into_iter().for_each(|odd| {
                findings.entry(odd).or_insert(Finding::Outlier);
            });
        }
        findings
    }

    /// Of passages that differ in values only: how many they are for the first, none for the others.
    fn repeats(&self) -> Vec<Option<usize>> {
        let plain = |passage: &Passage| matches!(passage.block, Block::Plain | Block::Row);
        let like: Vec<Option<u64>> =
            self.passages.iter().map(|passage| plain(passage).then(|| template_id(&passage.words))).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        like.iter().flatten().for_each(|id| *counts.entry(*id).or_default() += 1);
        let count = |id: &u64| counts.get(id).copied().filter(|count| *count >= LIKE);
        let mut seen: HashSet<u64> = HashSet::new();
        let told = |id: Option<u64>| {
            let id = id?;
            let count = count(&id)?;
            Some(if seen.insert(id) { count } else { 0 })
        };
        like.into_iter().map(told).collect()
    }
}

/// `502 Bad Gateway`, `Error 404`, `HTTP 503: …`.
fn is_failed_status(words: &str) -> bool {
    let mut words = words.split_whitespace();
    let first = words.next().unwrap_or_default();
    let says = ["error", "http", "status"].iter().any(|word| first.eq_ignore_ascii_case(word));
    let status = if says { words.next().unwrap_or_default() } else { first };
    status.trim_end_matches(':').parse::<u16>().is_ok_and(|status| (400..600).contains(&status))
}

/// Whether a tag says that an error stands in it: `<div class="form-error">`, `<p role="alert">`.
fn is_alert(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    let named = tag.contains("class=") || tag.contains("role=");
    let bad = ["error", "alert", "danger", "exception", "fatal"].iter().any(|word| tag.contains(word));
    named && bad && !["info", "success", "hidden", "no-error"].iter().any(|word| tag.contains(word))
}

struct Tag<'page> {
    name: &'page str,
    closes: bool,
}

impl Tag<'_> {
    /// The tag that opens here, and how far it goes: a script to its end.
    fn of(text: &str) -> (Tag<'_>, usize) {
        if text.starts_with("<!--") {
            let end = memchr::memmem::find(text.as_bytes(), b"-->").map_or(text.len(), |end| end + 3);
            return (Tag { name: "!--", closes: false }, end);
        }
        let inner = text.get(1..).unwrap_or_default();
        let (inner, closes) = inner.strip_prefix('/').map_or((inner, false), |inner| (inner, true));
        let length = inner.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'!').count();
        let name = inner.get(..length).unwrap_or_default();
        if name.is_empty() {
            return (Tag { name, closes }, 1);
        }
        let end = memchr::memchr(b'>', text.as_bytes()).map_or(text.len(), |end| end + 1);
        let silent = ["script", "style", "svg", "noscript", "template"];
        if !closes && silent.iter().any(|silent| name.eq_ignore_ascii_case(silent)) {
            let self_closed = text.get(..end).is_some_and(|tag| tag.ends_with("/>"));
            return (Tag { name: "script", closes }, if self_closed { end } else { closing(text, name, end) });
        }
        (Tag { name, closes }, end)
    }

    /// Whether words before and behind the tag are in different blocks.
    fn breaks(&self) -> bool {
        const INLINE: [&str; 22] = [
            "a", "abbr", "b", "bdi", "code", "em", "font", "i", "img", "input", "kbd", "label", "mark", "s", "small",
            "span", "strong", "sub", "sup", "td", "th", "u",
        ];
        !self.name.is_empty() && self.name != "!--" && !INLINE.iter().any(|name| self.name.eq_ignore_ascii_case(name))
    }

    /// What stands behind the tag.
    fn block(&self, now: Block) -> Block {
        let is = |name: &str| self.name.eq_ignore_ascii_case(name);
        if ["h1", "h2", "h3", "h4", "h5", "h6"].iter().any(|name| is(name)) {
            return if self.closes { Block::Plain } else { Block::Heading };
        }
        match () {
            () if is("title") && !self.closes => Block::Title,
            () if is("tr") && !self.closes => Block::Row,
            () if is("br") => now,
            () => Block::Plain,
        }
    }
}

/// Behind the closing tag of `name`.
fn closing(text: &str, name: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let close = memchr::memmem::find_iter(rest, b"</").find(|at| {
        rest.get(at + 2..at + 2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    });
    let Some(close) = close else { return text.len() };
    let end = rest.get(close..).and_then(|rest| memchr::memchr(b'>', rest));
    end.map_or(text.len(), |end| from + close + end + 1)
}

/// Adds words with single spaces between them.
fn add_words(words: &mut String, text: &str) {
    if text.starts_with(char::is_whitespace) && !words.is_empty() && !words.ends_with(' ') {
        words.push(' ');
    }
    for (position, word) in text.split_whitespace().enumerate() {
        if position > 0 {
            words.push(' ');
        }
        words.push_str(word);
    }
    if text.ends_with(char::is_whitespace) && !words.is_empty() && !words.ends_with(' ') {
        words.push(' ');
    }
}

fn decoded(words: &str) -> String {
    if !words.contains('&') {
        return words.to_owned();
    }
    let plain = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    plain.iter().fold(words.to_owned(), |words, (code, char)| words.replace(code, char))
}
