//! One message of a compiler or linter, in any of the forms they use.

use super::Part;
use crate::outputs::build;
use crate::outputs::place::{Form, Placed, is_path, placed};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    pub(super) fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A message with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item<'text> {
    /// The line of the output it begins at.
    pub(super) line: usize,
    pub(super) path: &'text str,
    /// As its tool writes it: `:12:5`, `(12,5)`.
    pub(super) at: String,
    pub(super) severity: Severity,
    pub(super) code: &'text str,
    said: &'text str,
    /// What is written under the source: `expected `u32`, found `&str``.
    label: &'text str,
}

impl Item<'_> {
    pub(super) fn message(&self) -> String {
        if self.label.is_empty() { self.said.to_owned() } else { format!("{} ({})", self.said, self.label) }
    }

    /// The message without what is quoted and counted in it.
    pub(super) fn skeleton(&self) -> String {
        split(&self.message()).0
    }

    /// Its first two words, without what is quoted and counted in them.
    pub(super) fn opening(&self) -> String {
        split(self.said).0.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    }

    /// What is quoted and counted in it.
    pub(super) fn values(&self) -> Vec<String> {
        split(&self.message()).1
    }
}

/// Of a message, so much is compared with others.
const MESSAGE_CHARS: usize = 1_000;

/// A text with quoted parts and numbers taken out, and those.
pub(super) fn split(text: &str) -> (String, Vec<String>) {
    let (mut skeleton, mut values) = (String::new(), Vec::new());
    // Longer ones are no messages that others repeat.
    let end = text.char_indices().nth(MESSAGE_CHARS).map_or(text.len(), |(end, _)| end);
    let (mut rest, tail) = text.split_at(end);
    while let Some(first) = rest.chars().next() {
        let quoted = match first {
            '\'' | '"' | '`' => rest.get(1..).and_then(|inside| inside.find(first)).map(|end| end + 2),
            '‘' => rest.find('’').map(|end| end + '’'.len_utf8()),
            c if c.is_ascii_digit() => Some(rest.bytes().take_while(|byte| byte.is_ascii_digit()).count()),
            _ => None,
        };
        // An apostrophe opens no quotation.
        let apostrophe = first == '\'' && skeleton.ends_with(|c: char| c.is_alphanumeric());
        match quoted.filter(|length| !apostrophe && *length <= 200).and_then(|length| rest.get(..length)) {
            Some(value) => {
                values.push(value.to_owned());
                skeleton.push('#');
                rest = rest.get(value.len()..).unwrap_or_default();
            }
            None => {
                skeleton.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    skeleton.push_str(tail);
    (skeleton, values)
}

/// Whether a message begins at this line.
pub(super) fn opens(line: &str) -> bool {
    in_line(line).is_some() || headline(line).is_some() || under_heading(line).is_some()
}

/// Whether a line holds a message and its place.
pub(super) fn in_one_line(line: &str) -> bool {
    in_line(line).is_some_and(|(_, severity, _, _)| severity != Severity::Note)
}

/// Severity, code and message of the words behind a place.
fn severity_of(rest: &str) -> Option<(Severity, &str, &str)> {
    let rest = rest.trim_start_matches([' ', '-', ':']).trim();
    let (word, after) = rest.split_at(rest.bytes().take_while(u8::is_ascii_alphabetic).count());
    // rubocop: `C: Style/…`
    if let Some((letter, message)) = rest.split_once(": ").filter(|(letter, _)| letter.len() == 1) {
        let severity = match letter {
            "E" | "F" => Severity::Error,
            "W" | "C" | "R" => Severity::Warning,
            "I" => Severity::Note,
            _ => return None,
        };
        return Some((severity, "", message.trim()));
    }
    let severity = match word.to_ascii_lowercase().as_str() {
        "error" | "fatal" | "err" => Severity::Error,
        "warning" | "warn" | "style" | "convention" | "refactor" => Severity::Warning,
        "note" | "info" | "hint" | "remark" | "help" | "information" => Severity::Note,
        _ => return None,
    };
    let after = after.strip_prefix(" error").unwrap_or(after);
    // `error[E0308]: …`, `error TS2322: …`, `error: …`
    let (code, message) = if let Some(inside) = after.strip_prefix('[').or(after.strip_prefix('(')) {
        let end = inside.find([']', ')'])?;
        (inside.get(..end)?, inside.get(end + 1..)?.strip_prefix(':')?)
    } else {
        let (code, message) = after.split_once(':')?;
        let code = code.trim();
        (code.len() <= 24 && !code.contains(' ')).then_some((code, message))?
    };
    Some((severity, code, message.trim().trim_end_matches(['━', '─', ' '])))
}

/// `E501 line too long`, `C0114: missing …`: a code and no word.
fn code_of(rest: &str) -> Option<(Severity, &str, &str)> {
    let (code, message) = rest.trim_start().split_once(' ')?;
    let code = code.trim_end_matches(':');
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = code.bytes().skip(letters).filter(u8::is_ascii_digit).count();
    let known = (1..=5).contains(&letters) && digits >= 1 && letters + digits == code.len();
    let severity = if matches!(code.bytes().next(), Some(b'F' | b'E')) { Severity::Error } else { Severity::Warning };
    // hadolint: `DL3008 warning: …`
    match severity_of(message).filter(|(_, other, _)| known && other.is_empty()) {
        Some((severity, _, said)) => Some((severity, code, said)),
        None => known.then_some((severity, code, message.trim())),
    }
}

/// A place and a message in one line.
fn in_line(line: &str) -> Option<(Placed<'_>, Severity, &str, &str)> {
    // golangci and others begin with white space; a stack frame does too, so only a little of it.
    let Some(found) = placed(line).filter(|found| found.form != Form::Dashes) else { return of_a_tool(line) };
    let spaced = found.rest.starts_with(' ') && !found.rest.starts_with("  ");
    if !spaced {
        return None;
    }
    let (severity, code, message) = severity_of(found.rest).or_else(|| code_of(found.rest)).or_else(|| {
        // go: `a.go:12:3: undefined: x`; without a column it could be anything.
        let precise = found.at.contains([':', ',']) && !line.starts_with([' ', '\t']);
        let message = found.rest.trim();
        (precise && !message.is_empty()).then_some((Severity::Error, "", message))
    })?;
    Some((found, severity, code, message))
}

/// `main.obj : error LNK2019: unresolved …`, `LINK : fatal error LNK1181: …`: a file or a tool without a line.
fn of_a_tool(line: &str) -> Option<(Placed<'_>, Severity, &str, &str)> {
    let (path, rest) = line.split_once(" : ")?;
    let named = !path.trim().is_empty() && !path.trim().contains(' ');
    let (severity, code, message) = severity_of(rest).filter(|(_, code, _)| named && !code.is_empty())?;
    Some((Placed { path: path.trim(), at: "", rest, form: Form::Colons }, severity, code, message))
}

/// `error[E0308]: mismatched types`: the place stands below.
fn headline(line: &str) -> Option<(Severity, &str, &str)> {
    if line.starts_with([' ', '\t']) {
        return None;
    }
    severity_of(line).or_else(|| code_of(line)).filter(|(_, code, _)| !code.contains('/'))
}

/// eslint: `  12:5  error  message  rule`, the file stands above.
fn under_heading(line: &str) -> Option<(&str, Severity, &str, &str)> {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b':').count();
    let at = trimmed.get(..digits).filter(|at| at.contains(':') && !at.ends_with(':') && !at.starts_with(':'))?;
    let rest = trimmed.get(digits..)?.trim_start();
    let (word, rest) = rest.split_once(' ')?;
    let severity = match word {
        "error" | "✖" => Severity::Error,
        "warning" | "⚠" => Severity::Warning,
        "info" | "hint" => Severity::Note,
        _ => return None,
    };
    let rest = rest.trim();
    let (message, code) = rest.rsplit_once("  ").map_or((rest, ""), |(message, code)| (message.trim(), code.trim()));
    (line.starts_with(' ')).then_some((at, severity, code, message))
}

/// `--> src/a.rs:12:5`, `╭─[src/a.ts:12:5]`
fn arrow(line: &str) -> Option<(&str, &str)> {
    let trimmed = line.trim_start();
    let place = ["--> ", "-->", "╭─[", "┌─ ", ":::"].iter().find_map(|arrow| trimmed.strip_prefix(arrow))?;
    let found = placed(place.trim().trim_end_matches(']'))?;
    Some((found.path, found.at))
}

/// Source around a message: `12 | let x`, `   |   ^^^`, carets.
pub(super) fn is_frame(line: &str) -> bool {
    let trimmed = line.trim_start();
    if arrow(line).is_some() {
        return true;
    }
    let digits = trimmed.trim_start_matches(['>', ' ']).trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let ruled = digits.starts_with(['|', '│', '┆', '╰', '·']) && !trimmed.is_empty();
    let carets = !trimmed.is_empty() && trimmed.chars().all(|c| matches!(c, '^' | '~' | '-' | ' ' | '|' | '.'));
    ruled || carets || trimmed == "..." || trimmed.starts_with("= note: `#[")
}

/// How many there were, and how it ended.
pub(super) fn is_total(line: &str) -> bool {
    let trimmed = line.trim().trim_start_matches(['✖', '✗', ' ']);
    let counted = trimmed.bytes().any(|byte| byte.is_ascii_digit());
    let lower = trimmed.to_ascii_lowercase();
    let words = ["error", "warning", "problem", "issue", "violation"].iter().any(|word| lower.contains(word));
    let opens = [
        "found ",
        "error: aborting",
        "error: could not compile",
        "make: ***",
        "make[",
        "warning: `",
        "your code has been rated",
    ];
    let number = lower.bytes().take_while(u8::is_ascii_digit).count();
    let opens_with_number = number > 0 && lower.get(number..).is_some_and(|rest| rest.starts_with(' '));
    trimmed.len() < 200
        && ((counted && words && (opens_with_number || lower.starts_with("found ")))
            || opens.iter().any(|opening| lower.starts_with(opening) && (counted || words)))
}

/// Every message, and what each line is.
pub(super) fn items<'text>(lines: &[&'text str]) -> (Vec<Item<'text>>, Vec<Part>) {
    let mut items: Vec<Item<'text>> = Vec::new();
    let mut parts: Vec<Part> = Vec::with_capacity(lines.len());
    let mut heading = "";
    // A headline that waits for its place.
    let mut waiting: Option<(usize, Severity, &'text str, &'text str)> = None;
    let mut inside = false;
    for (index, line) in lines.iter().copied().enumerate() {
        let next = lines.get(index + 1).copied().unwrap_or_default();
        let item = |path, at, severity, code, said| Item { line: index, path, at, severity, code, said, label: "" };
        let part = if line.trim().is_empty() {
            Part::Blank
        } else if is_total(line) && under_heading(line).is_none() {
            inside = false;
            Part::Total
        } else if let Some((found, severity, code, said)) = in_line(line) {
            (inside, waiting) = (true, None);
            let at = match found.form {
                Form::Brackets => format!("({})", found.at),
                Form::Colons | Form::Dashes if found.at.is_empty() => String::new(),
                Form::Colons | Form::Dashes => format!(":{}", found.at),
            };
            items.push(item(found.path, at, severity, code, said));
            Part::Item
        } else if let Some((at, severity, code, said)) = under_heading(line).filter(|_| !heading.is_empty()) {
            items.push(item(heading, format!(":{at}"), severity, code, said));
            Part::Item
        } else if let Some((path, at)) = arrow(line) {
            if let Some((line, severity, code, said)) = waiting.take() {
                let at = format!(":{at}");
                items.push(Item { line, path, at, severity, code, said, label: "" });
            }
            Part::Frame
        } else if inside && is_frame(line) {
            let label = label(line);
            if let Some(item) = items.last_mut().filter(|item| item.label.is_empty() && waiting.is_none()) {
                item.label = label;
            }
            Part::Frame
        } else if let Some((severity, code, said)) = headline(line) {
            let placed_below = lines.iter().skip(index + 1).take(4).any(|below| arrow(below).is_some());
            inside = placed_below;
            waiting = placed_below.then_some((index, severity, code, said));
            if placed_below { Part::Item } else { Part::Other }
        } else if is_path(line.trim()) && under_heading(next).is_some() {
            heading = line.trim();
            Part::Heading
        } else if inside && (line.starts_with([' ', '\t']) || line.starts_with("help: ")) {
            Part::Help
        } else if build::is_trailer(line) {
            inside = false;
            Part::Help
        } else if build::is_step(line) {
            inside = false;
            Part::Step
        } else {
            Part::Other
        };
        parts.push(part);
    }
    (items, parts)
}

/// The words behind the carets.
fn label(line: &str) -> &str {
    let Some(caret) = line.rfind(['^', '~']) else { return "" };
    let words = line.get(caret + 1..).unwrap_or_default().trim();
    if words.starts_with("help: ") { "" } else { words }
}
