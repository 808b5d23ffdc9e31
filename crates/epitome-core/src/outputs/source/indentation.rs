//! Reads a source file by its indentation and the words that open definitions: for any language, and for any size.

use std::ops::Range;

use super::language::Role;
use super::outline::{Definition, MODIFIERS, NAME_CHARS, Outline, brief, parameters, valued};
use super::special::{builds_image, by_call, instruction, is_literal, operation, property};
use crate::outputs::cut_to_chars;

/// Words that open a definition, and what it is.
const KEYWORDS: &[(&str, Role)] = &[
    ("class", Role::Type),
    ("struct", Role::Type),
    ("enum", Role::Type),
    ("trait", Role::Type),
    ("interface", Role::Type),
    ("impl", Role::Type),
    ("module", Role::Type),
    ("mod", Role::Type),
    ("namespace", Role::Type),
    ("object", Role::Type),
    ("protocol", Role::Type),
    ("extension", Role::Type),
    ("record", Role::Type),
    ("union", Role::Type),
    ("message", Role::Type),
    ("service", Role::Type),
    ("contract", Role::Type),
    ("defmodule", Role::Type),
    ("model", Role::Type),
    ("describe", Role::Type),
    ("type", Role::Alias),
    ("typealias", Role::Alias),
    ("scalar", Role::Alias),
    ("directive", Role::Alias),
    ("input", Role::Type),
    ("fn", Role::Function),
    ("func", Role::Function),
    ("fun", Role::Function),
    ("function", Role::Function),
    ("def", Role::Function),
    ("defp", Role::Function),
    ("defmacro", Role::Function),
    ("sub", Role::Function),
    ("proc", Role::Function),
    ("procedure", Role::Function),
    ("macro", Role::Function),
    ("rpc", Role::Function),
    ("init", Role::Function),
    ("resource", Role::Type),
    ("data", Role::Type),
    ("newtype", Role::Type),
    ("instance", Role::Type),
    ("variable", Role::Type),
    ("const", Role::Value),
    ("val", Role::Value),
    ("let", Role::Value),
    ("var", Role::Value),
    ("static", Role::Value),
];
/// Words that come before those, beside the modifiers of all languages.
const MORE_MODIFIERS: &[&str] =
    &["case", "companion", "data", "implicit", "infix", "inner", "lazy", "local", "operator"];
/// Words that open a statement with a block, not a definition.
const STATEMENTS: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "else",
    "return",
    "with",
    "do",
    "try",
    "match",
    "case",
    "elif",
    "except",
    "finally",
    "foreach",
    "loop",
    "until",
    "unless",
    "when",
    "guard",
    "select",
    "defer",
    "go",
    "await",
    "yield",
    "throw",
    "new",
    "using",
    "lock",
    "synchronized",
    "elsif",
    "begin",
    "describe",
    "expect",
    "import",
    "export",
    "assert",
    "console",
    "super",
    "delete",
    "not",
    "and",
    "or",
    "in",
    "is",
    "then",
    "default",
    "end",
];
/// Openings of comments.
const COMMENTS: &[&str] = &["//", "#", "/*", "*/", "* ", "--", ";;", "\"\"\"", "'''", "<!--", "%"];
/// Openings of lines that bring names in.
const IMPORTS: &[&str] = &[
    "import ",
    "from ",
    "use ",
    "#include",
    "require ",
    "require_relative ",
    "using ",
    "include ",
    "package ",
    "require(",
    "load(",
    "source ",
    "extern crate ",
    "const {",
    "} from ",
];

/// A statement that changes a table is told up to this length.
const CHANGE_CHARS: usize = 100;
/// A text with fewer definitions than one in so many rows is in a language whose words are not known.
const ROWS_PER_DEFINITION: usize = 60;
/// A definition inside so many others is no longer one that somebody looks for.
const DEEPEST: usize = 32;

/// What the rows of a text define. `rows` are its lines.
pub fn outline(rows: &[&str]) -> Outline {
    let mut outline = Outline::default();
    // Definitions that are still open: their indentation and their place in the outline.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let outer = rows.iter().filter(|row| !row.trim().is_empty()).map(|row| indent(row)).min().unwrap_or(0);
    let image = builds_image(rows);
    for (row, line) in rows.iter().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        let indent = indent(line);
        // A brace or a word that closes belongs to what it closes.
        let closes = trimmed == "{"
            || trimmed.starts_with(['}', ')', ']'])
            || matches!(trimmed, "end" | "end;" | "fi" | "done" | "esac" | "EOF");
        while let Some((at, definition)) = open.last().copied() {
            if at < indent || (closes && at == indent) {
                break;
            }
            if let Some(definition) = outline.definitions.get_mut(definition) {
                definition.rows.end = last_filled(rows, definition.rows.start, row);
            }
            open.pop();
        }
        if closes && !trimmed.contains("from ") {
            continue;
        }
        // Some styles put the brace on a line of its own.
        let braced = rows.get(row + 1).is_some_and(|next| next.trim() == "{").then(|| format!("{trimmed} {{"));
        let margin = indent == outer;
        let local =
            open.iter().any(|(_, at)| outline.definitions.get(*at).is_some_and(|around| around.role == Role::Function));
        let in_type = !open.is_empty() && !local;
        let line = braced.as_deref().unwrap_or(trimmed);
        let named =
            constant(trimmed, in_type).or_else(|| property(trimmed)).or_else(|| operation(trimmed)).filter(|_| in_type);
        let instructs = || instruction(trimmed).filter(|_| image && margin);
        let kept = |role: Role| role != Role::Value || margin || (in_type && is_literal(trimmed));
        let defines = named.or_else(instructs).or_else(|| defined(line, margin).filter(|(_, role, _, _)| kept(*role)));
        if let Some((name, role, brief, parameters)) = defines.filter(|_| open.len() < DEEPEST) {
            open.push((indent, outline.definitions.len()));
            outline.definitions.push(Definition {
                name,
                role,
                depth: open.len() - 1,
                local,
                rows: row..rows.len(),
                head: row..row + 1,
                brief,
                parameters,
            });
        } else if in_type && defined(line, true).is_some_and(|(_, role, _, _)| role == Role::Value) {
            outline.fields.push(row);
        } else if COMMENTS.iter().any(|opening| trimmed.starts_with(opening)) || trimmed == "*" {
            outline.comments.push(row..row + 1);
        } else if indent == outer && IMPORTS.iter().any(|opening| trimmed.starts_with(opening)) {
            outline.imports.push(row..row + 1);
            let word = trimmed.split_whitespace().nth(1).unwrap_or_default();
            outline.imported.extend(
                Some(word.trim_matches(['"', '\'', ';', '<', '>', '{', '(']).to_owned())
                    .filter(|word| !word.is_empty()),
            );
        }
    }
    for (_, definition) in open {
        if let Some(definition) = outline.definitions.get_mut(definition) {
            definition.rows.end = last_filled(rows, definition.rows.start, rows.len());
        }
    }
    merge(&mut outline.comments);
    let defined = outline.definitions.iter().filter(|one| one.role != Role::Value).count();
    if defined * ROWS_PER_DEFINITION < rows.len() {
        outline.definitions.extend(blocks(rows, outer));
        outline.definitions.sort_by_key(|definition| definition.rows.start);
        outline.definitions.dedup_by_key(|definition| definition.rows.start);
    }
    outline
}

/// What stands at the margin with something indented below it: a target with its recipe, a form of a Lisp.
fn blocks(rows: &[&str], outer: usize) -> Vec<Definition> {
    let filled: Vec<usize> =
        (0..rows.len()).filter(|row| rows.get(*row).is_some_and(|row| !row.trim().is_empty())).collect();
    let at_margin = |row: usize| rows.get(row).is_some_and(|line| indent(line) == outer);
    let heads: Vec<usize> = filled
        .windows(2)
        .filter_map(|pair| match pair {
            [head, below] if at_margin(*head) && !at_margin(*below) => Some(*head),
            _ => None,
        })
        .collect();
    let ends = heads.iter().skip(1).copied().chain([rows.len()]);
    let block = |(start, next): (usize, usize)| {
        let line = rows.get(start)?.trim();
        let name = head_name(line)?;
        // It ends before whatever stands at the margin next.
        let end =
            (start + 1..next).find(|row| at_margin(*row) && rows.get(*row).is_some_and(|line| !line.trim().is_empty()));
        let end = last_filled(rows, start, end.unwrap_or(next));
        // Up to what it needs or takes; a form of a Lisp begins with a bracket.
        let short = line.get(1..).and_then(|rest| rest.find([':', '=', '(', '{'])).filter(|_| !line.starts_with('('));
        let brief = cut_to_chars(short.and_then(|at| line.get(..at + 2)).unwrap_or(line), NAME_CHARS / 4);
        let (head, rows) = (start..start + 1, start..end);
        Some(Definition { name, role: Role::Function, depth: 0, local: false, rows, head, brief, parameters: "" })
    };
    heads.iter().copied().zip(ends).filter_map(block).collect()
}

/// The name in the head of a block in an unknown language: its first word, or the second behind a bracket.
fn head_name(line: &str) -> Option<String> {
    let comment = COMMENTS.iter().any(|opening| line.starts_with(opening));
    let words = line.split(|c: char| !(c.is_alphanumeric() || "_-./$%".contains(c))).filter(|word| !word.is_empty());
    let name = words.clone().nth(usize::from(line.starts_with('('))).or_else(|| words.clone().next())?;
    let named = name.chars().any(char::is_alphabetic) && !STATEMENTS.contains(&name);
    (named && !comment).then(|| name.to_owned())
}

fn last_filled(rows: &[&str], start: usize, end: usize) -> usize {
    let filled = rows.get(start..end).and_then(|rows| rows.iter().rposition(|row| !row.trim().is_empty()));
    filled.map_or(end, |last| start + last + 1)
}

fn merge(ranges: &mut Vec<Range<usize>>) {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges.drain(..) {
        match merged.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            Some(_) | None => merged.push(range),
        }
    }
    *ranges = merged;
}

fn indent(line: &str) -> usize {
    line.bytes().map_while(|byte| matches!(byte, b' ' | b'\t').then_some(if byte == b'\t' { 4 } else { 1 })).sum()
}

/// What a line defines: name, role, brief form, parameters.
fn defined(line: &str, outermost: bool) -> Option<(String, Role, String, &'static str)> {
    if COMMENTS.iter().any(|opening| line.starts_with(opening)) && !line.starts_with("#define ") {
        return rule_of_style(line, outermost);
    }
    if let Some(found) = of_database(line) {
        return Some(found);
    }
    let mut rest = line;
    let mut at = 0;
    // Modifiers, then a keyword and a name.
    loop {
        let word = word(rest);
        let (after, known) =
            (rest.get(word.len()..).unwrap_or_default(), KEYWORDS.iter().find(|(keyword, _)| *keyword == word));
        if let Some((keyword, role)) = known
            && after.starts_with([' ', '(', '<', '!', '\t', '"'])
            && let Some(found) = behind_keyword(line, at + word.len(), keyword, *role)
        {
            return Some(found);
        }
        if !MODIFIERS.contains(&word) && !MORE_MODIFIERS.contains(&word) {
            break;
        }
        let after = match after.strip_prefix('(') {
            Some(visibility) => visibility.split_once(')').map_or("", |(_, after)| after),
            None => after,
        };
        rest = after.trim_start();
        at = line.len() - rest.len();
    }
    let signature = || signature(line).filter(|_| outermost);
    let called = || by_call(line).filter(|_| outermost);
    let found = of_block(line).or_else(called);
    found.or_else(signature).or_else(|| rule_of_style(line, outermost)).or_else(|| constant(line, outermost))
}

fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

fn behind_keyword(line: &str, at: usize, keyword: &str, role: Role) -> Option<(String, Role, String, &'static str)> {
    let after = line.get(at..)?;
    let mut start = at + after.len() - after.trim_start_matches([' ', '\t', '!', '"', '@']).len();
    let mut rest = line.get(start..)?;
    // Generics of an impl, the receiver of a Go method.
    let skip = match rest.chars().next() {
        Some('<') => rest.find('>'),
        Some('(') if keyword == "func" => rest.find(')'),
        Some(_) | None => None,
    };
    if let Some(end) = skip {
        start += end + 1 + rest.get(end + 1..)?.len() - rest.get(end + 1..)?.trim_start().len();
        rest = line.get(start..)?;
    }
    // `enum class`, `data class`, `data object`.
    let second = word(rest);
    if matches!(keyword, "enum" | "data") && matches!(second, "class" | "object") {
        return behind_keyword(line, start + second.len(), "class", role);
    }
    let length = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '?' | '!' | '$' | '-')))
        .unwrap_or(rest.len());
    let name = rest.get(..length)?.trim_end_matches([':', '.', '-', '?', '!']);
    let begins = name.chars().next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'));
    if !begins
        || matches!(name, "from" | "of" | "is" | "in" | "and" | "for" | "the") && keyword != "fn" && keyword != "func"
    {
        return (keyword == "init").then(|| ("init".to_owned(), role, "init".to_owned(), parameters(after)));
    }
    let behind = line.get(start + name.len()..).unwrap_or_default();
    if role == Role::Value {
        let value = behind.split_once('=').map(|(_, value)| value)?;
        let function = value.contains("=>") || value.trim_start().starts_with("function") || value.contains("async (");
        if function {
            return Some((name.to_owned(), Role::Function, format!("{keyword} {name}"), "(…)"));
        }
        let opens = value.trim_end().ends_with(['{', '[', '(']);
        return Some((name.to_owned(), role, if opens { name.to_owned() } else { valued(name, value) }, ""));
    }
    // A sentence that begins with such a word ends with a full stop and has no brackets.
    let sentence = line.ends_with('.') || (role != Role::Function && behind.split_whitespace().count() > 12);
    let found = (
        name.to_owned(),
        role,
        brief(line.get(..start)?, name),
        if role == Role::Function { parameters(behind) } else { "" },
    );
    (!sentence).then_some(found)
}

/// `name(…) {`: a method, a shell function.
fn of_block(line: &str) -> Option<(String, Role, String, &'static str)> {
    let opens = line.ends_with('{') || line.ends_with("=> {");
    let (before, after) = line.split_once('(')?;
    let name_start = before
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '-' | ':' | '~')))
        .map_or(0, |at| at + 1);
    let name = before.get(name_start..)?;
    let first = word(before);
    let plain = before.chars().all(|c| c.is_alphanumeric() || " _$#*&<>,:[]?-~\t".contains(c));
    let begins =
        name.chars().next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$' | '#' | '~'));
    let defines = opens
        && plain
        && begins
        && !STATEMENTS.contains(&first)
        && !STATEMENTS.contains(&name)
        && !line.starts_with('}');
    // `foo(bar, function() {` calls; the parameters of a definition are closed before its block.
    let closed = after.contains(')') && after.matches('(').count() < after.matches(')').count();
    (defines && closed).then(|| {
        let parameters = if after.trim_start().starts_with(')') { "()" } else { "(…)" };
        (name.to_owned(), Role::Function, brief(before.get(..name_start).unwrap_or_default(), name), parameters)
    })
}

/// `settle :: Order -> Either Text Int`: a name with its type on a line of its own.
fn signature(line: &str) -> Option<(String, Role, String, &'static str)> {
    let (name, of_type) = line.split_once(" :: ")?;
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\''));
    (plain && !of_type.is_empty()).then(|| (name.to_owned(), Role::Function, name.to_owned(), ""))
}

/// `CREATE TABLE orders (`, `ALTER TABLE orders DROP COLUMN note`.
fn of_database(line: &str) -> Option<(String, Role, String, &'static str)> {
    let mut words = line.split_whitespace();
    let verb = words.next()?;
    let creates = verb.eq_ignore_ascii_case("create");
    if !creates && !["alter", "drop", "truncate"].iter().any(|one| verb.eq_ignore_ascii_case(one)) {
        return None;
    }
    let what = words.by_ref().find(|word| {
        ["table", "view", "index", "function", "procedure", "trigger", "type", "policy", "schema", "extension"]
            .iter()
            .any(|one| word.eq_ignore_ascii_case(one))
    })?;
    let name = words.find(|word| {
        !["if", "not", "exists", "concurrently", "only"].iter().any(|one| word.eq_ignore_ascii_case(one))
    })?;
    let name = name.split('(').next().unwrap_or(name).trim_matches(['"', '`', ';']);
    // What is changed or goes matters as much as where.
    let brief = if creates { format!("{verb} {what} {name}") } else { cut_to_chars(line, CHANGE_CHARS) };
    (!name.is_empty()).then(|| (name.to_owned(), Role::Type, brief, ""))
}

/// `.class {` at the margin: a rule, a block of a configuration language.
fn rule_of_style(line: &str, outermost: bool) -> Option<(String, Role, String, &'static str)> {
    // `@keyframes fade { from { … } }` may stand on one line.
    let named = line.strip_suffix('}').filter(|_| line.starts_with('@')).and_then(|line| line.split('{').next());
    let selector = named.or_else(|| line.strip_suffix('{'))?.trim_end();
    let style = selector.starts_with(['.', '#', '@', ':', '*', '[', '&'])
        || selector.chars().all(|c| c.is_alphanumeric() || " -_,>+~:\"".contains(c));
    let statement = STATEMENTS.contains(&word(selector))
        || selector.is_empty()
        || selector.starts_with("//")
        || selector.starts_with("/*");
    let comment = selector.starts_with("# ") || selector.starts_with("* ") || selector.starts_with("*/");
    (outermost && style && !statement && !comment)
        .then(|| (selector.to_owned(), Role::Type, cut_to_chars(selector, 60), ""))
}

/// `MAX_RETRY = 7`, `readonly LIMIT=5`, `#define N 3`.
fn constant(line: &str, outermost: bool) -> Option<(String, Role, String, &'static str)> {
    if let Some(rest) = line.strip_prefix("#define ") {
        let name = word(rest);
        return Some((name.to_owned(), Role::Value, valued(name, rest.get(name.len()..)?), ""));
    }
    let (before, value) = line.split_once('=')?;
    let name = before.split([':', ' ']).rfind(|word| !word.is_empty())?;
    let named =
        name.len() >= 2 && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let plain = !value.starts_with('=') && before.split_whitespace().count() <= 3 && !before.contains('(');
    (outermost && named && plain).then(|| (name.to_owned(), Role::Value, valued(name, value), ""))
}

#[cfg(test)]
mod tests;
