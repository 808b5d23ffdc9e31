//! Definitions that no keyword of a programming language opens: instructions of an image, properties of a style, calls.

use super::language::Role;
use super::outline::valued;
use crate::outputs::cut_to_chars;

/// Name, role, brief form, parameters.
type Defined = (String, Role, String, &'static str);

/// An instruction is told up to this length.
const INSTRUCTION_CHARS: usize = 100;

/// Whether the rows are instructions by which an image is built, or begin with them.
pub(super) fn builds_image(rows: &[&str]) -> bool {
    let filled = rows.iter().map(|row| row.trim()).filter(|row| !row.is_empty());
    let first = filled.clone().find(|row| !row.starts_with('#') && !row.starts_with("ARG "));
    first.is_some_and(|row| row.starts_with("FROM "))
}

/// `FROM debian:12`, `EXPOSE 8080`: what an image is, how it is run and what it offers.
pub(super) fn instruction(line: &str) -> Option<Defined> {
    let (word, rest) = line.split_once(' ')?;
    let role = match word {
        "FROM" => Role::Type,
        "ENTRYPOINT" | "CMD" | "EXPOSE" | "USER" | "HEALTHCHECK" | "VOLUME" | "ARG" => Role::Value,
        _ => return None,
    };
    let name = if word == "FROM" { rest.split_whitespace().next().unwrap_or_default() } else { word };
    Some((name.to_owned(), role, cut_to_chars(line, INSTRUCTION_CHARS), ""))
}

/// `define('REGION', 'eu');`
pub(super) fn by_call(line: &str) -> Option<Defined> {
    let arguments = line.strip_prefix("define(")?.trim_end_matches([';', ' ']).strip_suffix(')')?;
    let (name, value) = arguments.split_once(',')?;
    let name = name.trim().trim_matches(['"', '\'']);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain.then(|| (name.to_owned(), Role::Value, valued(name, value), ""))
}

/// `--brand: #0a7;` of a style.
pub(super) fn property(line: &str) -> Option<Defined> {
    let (name, value) = line.strip_suffix(';')?.split_once(':')?;
    let plain = name.strip_prefix("--")?.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let told = || format!("{name}: {}", cut_to_chars(value.trim(), INSTRUCTION_CHARS / 2));
    plain.then(|| (name.to_owned(), Role::Value, told(), ""))
}

/// `place(order: NewOrder!): Order`, of a type that says what can be asked for.
pub(super) fn operation(line: &str) -> Option<Defined> {
    let (name, rest) = line.split_once('(')?;
    let (_, result) = rest.split_once("):")?;
    let plain = name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let typed = result.trim_start().trim_start_matches('[').starts_with(char::is_uppercase);
    (plain && typed && !line.ends_with('{')).then(|| (name.to_owned(), Role::Function, name.to_owned(), "(…)"))
}

/// Whether what is given to a name is written out: a number, a text, a truth.
pub(super) fn is_literal(line: &str) -> bool {
    let Some((_, value)) = line.split_once('=') else { return false };
    let value = value.trim().trim_end_matches([';', ',']);
    let first = value.trim_start_matches('-').chars().next();
    matches!(value, "true" | "false") || first.is_some_and(|c| c.is_ascii_digit() || matches!(c, '"' | '\''))
}
