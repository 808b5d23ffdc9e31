//! The lines of a configuration: keys, blocks and lists, and how deep each of them stands.

use std::collections::HashSet;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::outputs::numbers;
use crate::outputs::reading::lines;

/// How blocks are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// By indentation: YAML.
    Indented,
    /// By headings in brackets: TOML, INI, units.
    Sectioned,
    /// By braces: nginx, HCL.
    Braced,
    /// There are none: `KEY=value`.
    Flat,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A key with its value, or with a block below it.
    Key,
    /// An item of a list, perhaps with the first key of a block.
    Item,
    /// `[name]`
    Section,
    /// A further line of a value.
    Value,
    /// A comment, a closing brace, an empty line.
    Nothing,
    /// None of the configuration.
    Foreign,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry<'text> {
    pub(super) span: Range<usize>,
    pub(super) role: Role,
    pub(super) depth: usize,
    pub(super) key: &'text str,
    pub(super) value: &'text str,
    /// Of an element: `id="7" state="sent"`.
    pub(super) attributes: &'text str,
}

impl<'text> Entry<'text> {
    /// The attributes by name: `state` is `sent`.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'text str, &'text str)> + use<'text> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            let (name, after) = rest.split_once('=')?;
            let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let (value, behind) = after.get(1..)?.split_once(quote)?;
            rest = behind;
            Some((name.trim(), value))
        })
    }
}

/// Lines that are looked at first.
const SAMPLE: usize = 60;
/// Fewer keys are no configuration.
const FEWEST_KEYS: usize = 8;
/// A key is not longer.
const KEY_CHARS: usize = 80;
/// An item with more words is a sentence.
const SENTENCE: usize = 7;
/// What only programs have in their lines.
const CODE: &[&str] = &[
    "fn ",
    "function ",
    "def ",
    "class ",
    "import ",
    "const ",
    "let ",
    "var ",
    "public ",
    "private ",
    "struct ",
    "enum ",
    "interface ",
    "typedef ",
    "func ",
    "package ",
    "#include",
    "return (",
    "=> ",
    " -> ",
    "();",
    " && ",
    " += ",
    " == ",
    "message ",
    "impl ",
    "type ",
];

/// The lines of a configuration, if the text is one.
pub(super) fn entries(text: &str) -> Option<Vec<Entry<'_>>> {
    let numbered = numbers::is_numbered(text.lines().skip(text.lines().count() / 3).take(SAMPLE));
    let plain = |span: &Range<usize>| {
        let line = text.get(span.clone()).unwrap_or_default();
        let prefix = if numbered { numbers::number(line).map_or(0, |number| number.prefix) } else { 0 };
        line.get(prefix..).unwrap_or_default()
    };
    let style = style_of(lines(text).map(|span| plain(&span)))?;
    let mut reader = Reader { style, stack: Vec::new(), value_until: None };
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let (mut good, mut foreign) = (0, 0);
    for span in lines(text) {
        let entry = reader.read(span.clone(), plain(&span));
        match entry.role {
            Role::Key | Role::Item | Role::Section => good += 1,
            Role::Foreign => foreign += 1,
            Role::Value | Role::Nothing => {}
        }
        if foreign > 6 && foreign * 8 > good {
            return None;
        }
        entries.push(entry);
    }
    let values = entries.iter().filter(|entry| entry.role == Role::Value).count();
    (good >= FEWEST_KEYS && foreign * 8 <= good && values <= good * 3 && is_regular(style, &entries)).then_some(entries)
}

/// Keys stand once in their block, and items are no sentences: else these are messages with a word before them.
fn is_regular(style: Style, entries: &[Entry<'_>]) -> bool {
    let mut seen: HashSet<u64> = HashSet::new();
    let (mut keys, mut again, mut items, mut sentences) = (0, 0, 0, 0);
    let mut opened = vec![0_usize];
    for (index, entry) in entries.iter().enumerate() {
        if entry.value == "---" {
            opened = vec![index];
        }
        match entry.role {
            Role::Key | Role::Section => {
                keys += 1;
                opened.truncate(entry.depth + 1);
                let block = opened.last().copied().unwrap_or_default();
                again += usize::from(!seen.insert(xxh3_64_with_seed(entry.key.as_bytes(), block as u64)));
                opened.push(index);
            }
            Role::Item => {
                items += 1;
                keys += usize::from(!entry.key.is_empty());
                opened.truncate(entry.depth + 1);
                opened.push(index);
                let page = entry.value.contains("[ref=") || entry.key.contains(' ');
                sentences += usize::from(page || entry.value.split_whitespace().count() >= SENTENCE);
            }
            Role::Value | Role::Nothing | Role::Foreign => {}
        }
    }
    let repeats = match style {
        Style::Indented | Style::Flat => again * 12 <= keys,
        // Directives are repeated: `Environment=`, `location`.
        Style::Sectioned | Style::Braced => true,
    };
    repeats && sentences * 4 <= items + keys && keys >= FEWEST_KEYS / 2
}

fn style_of<'text>(lines: impl Iterator<Item = &'text str>) -> Option<Style> {
    let (mut colons, mut equals, mut sections, mut opens, mut closes, mut directives, mut code, mut commas, mut all) =
        (0, 0, 0, 0, 0, 0, 0, 0, 0);
    let filled = lines.filter(|line| !line.trim().is_empty() && !is_comment(line.trim()));
    for line in filled.take(SAMPLE) {
        let words = line.trim();
        all += 1;
        commas += usize::from(
            words.ends_with(',') && !words.starts_with(['-', '"', '\''])
                || words.starts_with('"') && words.contains("\": "),
        );
        code += usize::from(CODE.iter().any(|word| {
            words.starts_with(word) || (!word.ends_with(' ') || word.starts_with(' ')) && words.contains(word)
        }));
        sections += usize::from(section(words).is_some());
        closes += usize::from(is_close(words));
        if opens_block(words) {
            opens += 1;
        } else if let Some(directive) = words.strip_suffix(';') {
            directives += usize::from(!directive.contains(" = ") && !directive.contains(": "));
        } else {
            let content = words.trim_start_matches("- ");
            colons += usize::from(colon(content).is_some() || words.starts_with("- "));
            equals += usize::from(equal(words).is_some());
        }
    }
    // Keys of JSON and of programs have a comma behind their values.
    if all < FEWEST_KEYS || code * 20 > all || commas * 4 > all {
        return None;
    }
    if opens > 0 && closes > 0 {
        // Either directives with a semicolon, or keys with an equals sign: a program has both.
        let one_way = (directives == 0) != (equals == 0) || directives * 20 < equals || equals * 20 < directives;
        let braced = (opens + closes + directives + equals) * 10 >= all * 7 && one_way && directives + equals >= 4;
        if braced {
            return Some(Style::Braced);
        }
    }
    match () {
        () if sections > 0 && (sections + equals + colons) * 10 >= all * 5 && equals >= colons => {
            Some(Style::Sectioned)
        }
        () if equals * 10 >= all * 9 => Some(Style::Flat),
        () if colons * 10 >= all * 4 && colons > equals => Some(Style::Indented),
        () => None,
    }
}

fn is_comment(words: &str) -> bool {
    words.starts_with(['#', ';']) || words.starts_with("//")
}

fn is_close(words: &str) -> bool {
    !words.is_empty()
        && words.contains('}')
        && words.bytes().all(|byte| matches!(byte, b'}' | b']' | b')' | b',' | b';'))
}

fn opens_block(words: &str) -> bool {
    words.strip_suffix('{').is_some_and(|head| head.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '"')))
}

/// `[name]`, `[[name]]`, `[remote "origin"]`
fn section(words: &str) -> Option<&str> {
    let words = words.split(" #").next().unwrap_or(words).trim_end();
    let name = words.strip_prefix('[')?.strip_suffix(']')?;
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let good = |c: char| {
        c.is_alphanumeric()
            || matches!(c, '_' | '-' | '.' | ':' | '/' | '"' | '\'' | ' ' | '@' | '*' | '&' | '(' | ')' | '=' | '+')
    };
    (!name.is_empty()
        && name.len() <= KEY_CHARS
        && name.chars().all(good)
        && name.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"' | '\'' | '*')))
    .then_some(name)
}

/// The key and what stands behind it.
fn key_before(words: &str, by: char) -> Option<(&str, &str)> {
    let quote = words.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (key, rest) = match quote {
        Some(quote) => {
            let end = words.get(1..)?.find(quote)? + 1;
            (words.get(1..end)?, words.get(end + 1..)?)
        }
        None => words.split_at_checked(words.find([by, ' ', '\t'])?)?,
    };
    let good = |c: char| {
        c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '$' | '*' | '<' | '~' | '+' | '[' | ']' | '%')
    };
    let named = !key.is_empty() && key.len() <= KEY_CHARS && (quote.is_some() || key.chars().all(good));
    let value = rest.trim_start().strip_prefix(by)?;
    (named && key.contains(|c: char| c.is_alphanumeric() || c == '<' || c == '*')).then_some((key, value))
}

fn colon(words: &str) -> Option<(&str, &str)> {
    let (key, value) = key_before(words, ':')?;
    let digits = key.bytes().all(|byte| byte.is_ascii_digit());
    ((value.is_empty() || value.starts_with([' ', '\t'])) && !(digits && key.len() < 3)).then(|| (key, value.trim()))
}

fn equal(words: &str) -> Option<(&str, &str)> {
    let words = words.strip_prefix("export ").unwrap_or(words);
    let (key, value) = key_before(words, '=')?;
    (!value.starts_with(['=', '>', '~'])).then(|| (key, value.trim()))
}

/// Where a value of several lines ends.
enum Until {
    /// At a line that is not indented further.
    Indent(usize),
    /// At a line that begins with it.
    Mark(String),
}

struct Reader {
    style: Style,
    /// Blocks around the line: their indentation, and whether each is an item.
    stack: Vec<(usize, bool)>,
    value_until: Option<Until>,
}

impl Reader {
    fn read<'text>(&mut self, span: Range<usize>, line: &'text str) -> Entry<'text> {
        let words = line.trim();
        let indent = line.len() - line.trim_start().len();
        let found = |role: Role, depth: usize, key: &'text str, value: &'text str| Entry {
            span: span.clone(),
            role,
            depth,
            key,
            value,
            attributes: "",
        };
        if words.is_empty() {
            return found(Role::Nothing, 0, "", "");
        }
        if let Some(until) = &self.value_until {
            let (goes_on, is_last) = match until {
                Until::Indent(than) => (indent > *than, false),
                Until::Mark(mark) => (true, words.starts_with(mark.as_str()) || words.ends_with(mark.as_str())),
            };
            if !goes_on || is_last {
                self.value_until = None;
            }
            if goes_on {
                return found(Role::Value, self.stack.len(), "", words);
            }
        }
        if is_comment(words) {
            return found(Role::Nothing, 0, "", words);
        }
        match self.style {
            Style::Indented => self.indented(indent, words, found),
            Style::Sectioned => match (section(words), equal(words).or_else(|| colon(words))) {
                (Some(name), None) => {
                    self.stack = vec![(0, false)];
                    found(Role::Section, 0, name, "")
                }
                (_, Some((key, value))) => {
                    self.value_goes_on(indent, value);
                    found(Role::Key, self.stack.len(), key, value)
                }
                (None, None) if indent > 0 || words.starts_with(']') => found(Role::Value, 1, "", words),
                // A switch: `skip-name-resolve`.
                (None, None) if !words.contains(' ') && words.len() < 40 => {
                    found(Role::Key, self.stack.len(), words, "")
                }
                (None, None) => found(Role::Foreign, 0, "", words),
            },
            Style::Braced => self.braced(words, found),
            Style::Flat => match equal(words) {
                Some((key, value)) => found(Role::Key, 0, key, value),
                None => found(Role::Foreign, 0, "", words),
            },
        }
    }

    fn value_goes_on(&mut self, indent: usize, value: &str) {
        let opens = value.starts_with('[') && !value.contains(']');
        let quotes = ["\"\"\"", "'''"].iter().find(|quote| value.matches(**quote).count() == 1);
        self.value_until = match (self.style, value.strip_prefix("<<")) {
            (Style::Indented, _) => value.starts_with(['|', '>']).then_some(Until::Indent(indent)),
            (_, Some(mark)) => Some(Until::Mark(mark.trim_start_matches(['-', '~']).trim().to_owned())),
            (_, None) if opens => Some(Until::Mark("]".to_owned())),
            (_, None) => quotes.map(|quote| Until::Mark((*quote).to_owned())),
        };
    }

    fn indented<'text>(
        &mut self,
        indent: usize,
        words: &'text str,
        found: impl Fn(Role, usize, &'text str, &'text str) -> Entry<'text>,
    ) -> Entry<'text> {
        if words == "---" || words == "..." {
            self.stack.clear();
            return found(Role::Nothing, 0, "", "---");
        }
        let item = words.strip_prefix("- ").or((words == "-").then_some(""));
        if let Some(content) = item {
            while self.stack.last().is_some_and(|(above, is_item)| *above > indent || (*above == indent && *is_item)) {
                self.stack.pop();
            }
            let depth = self.stack.len();
            self.stack.push((indent, true));
            let content = content.trim();
            let (key, value) = colon(content).unwrap_or(("", content));
            self.value_goes_on(indent, value);
            return found(Role::Item, depth, key, value);
        }
        match colon(words) {
            Some((key, value)) => {
                while self.stack.last().is_some_and(|(above, _)| *above >= indent) {
                    self.stack.pop();
                }
                let depth = self.stack.len();
                self.stack.push((indent, false));
                self.value_goes_on(indent, value);
                found(Role::Key, depth, key, value)
            }
            // A value that goes on below its key.
            None if indent > 0 && !self.stack.is_empty() => found(Role::Value, self.stack.len(), "", words),
            None if words.starts_with([']', '}']) => found(Role::Nothing, 0, "", words),
            None => found(Role::Foreign, 0, "", words),
        }
    }

    fn braced<'text>(
        &mut self,
        words: &'text str,
        found: impl Fn(Role, usize, &'text str, &'text str) -> Entry<'text>,
    ) -> Entry<'text> {
        let depth = self.stack.len();
        if is_close(words) {
            self.stack.pop();
            return found(Role::Nothing, depth, "", "");
        }
        if let Some(head) = words.strip_suffix('{') {
            self.stack.push((0, false));
            return found(Role::Key, depth, head.trim().trim_end_matches('=').trim(), "");
        }
        if let Some(directive) = words.split(" #").next().and_then(|words| words.trim_end().strip_suffix(';')) {
            let (key, value) = directive.split_once(char::is_whitespace).unwrap_or((directive, ""));
            return found(Role::Key, depth, key, value.trim());
        }
        match equal(words).or_else(|| colon(words)) {
            Some((key, value)) => {
                self.value_goes_on(0, value);
                found(Role::Key, depth, key, value)
            }
            // A value that goes on, or a list within brackets.
            None if depth > 0 => found(Role::Value, depth, "", words),
            None => found(Role::Foreign, 0, "", words),
        }
    }
}
