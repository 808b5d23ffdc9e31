//! A web page as text: its words without tags, headings marked, rows on one line.

/// A page says what it is in its first bytes.
const OPENING: usize = 2_000;

/// The words of a page; none if the text is no page.
pub(super) fn shown(text: &str) -> Option<String> {
    if !is_page(text) {
        return None;
    }
    let (mut page, mut words) = (String::with_capacity(text.len() / 4), String::new());
    let (mut at, mut block) = (0, Block::Plain);
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
            flush(&mut page, &mut words, block);
            block = tag.block(block);
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
        at += length;
    }
    flush(&mut page, &mut words, block);
    Some(page)
}

fn flush(page: &mut String, words: &mut String, block: Block) {
    let said = words.trim().trim_matches(['|', ' ']);
    if !said.is_empty() {
        match block {
            Block::Heading(depth) => (0..depth).for_each(|_| page.push('#')),
            Block::Item => page.push('-'),
            Block::Plain => {}
        }
        if block != Block::Plain {
            page.push(' ');
        }
        page.push_str(&decoded(said));
        page.push('\n');
    }
    words.clear();
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
    Heading(usize),
    Item,
    Plain,
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
        let depth = ["h1", "h2", "h3", "h4", "h5", "h6"].iter().position(|name| is(name));
        match depth {
            _ if is("br") => now,
            _ if is("title") && !self.closes => Block::Heading(1),
            _ if is("li") && !self.closes => Block::Item,
            Some(depth) if !self.closes => Block::Heading(depth + 1),
            Some(_) | None => Block::Plain,
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
