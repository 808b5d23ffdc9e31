//! Values: where one ends, and whether it is a secret, or a placeholder, a reference, a type or a word.

use std::ops::Range;

use super::matching::{Break, column, line_break};
use super::{piece, run};

/// Longer than any password.
const LONGEST: usize = 512;

/// A value that stands somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) range: Range<usize>,
    pub(super) is_quoted: bool,
}

impl Value {
    /// The value that begins at `at`, behind an opening quote if there is one.
    pub(super) fn read(text: &str, at: usize, whole_line: WholeLine) -> Option<Value> {
        let bytes = text.as_bytes();
        // `f"…"`, `@"…"`, `\"…\"`
        let prefix = run(bytes, at, 2, |byte| b"fbrBFRu@".contains(&byte));
        let quoted = |from: usize| {
            let slashes = run(bytes, from, 4, |byte| byte == b'\\');
            let mark = bytes.get(from + slashes).copied().filter(|byte| b"\"'`".contains(byte))?;
            Some((from + slashes + 1, mark))
        };
        if let Some((start, mark)) = quoted(at).or_else(|| quoted(at + prefix).filter(|_| prefix > 0)) {
            let length = run(bytes, start, LONGEST * 8, |byte| byte != mark && byte != b'\\' && byte != b'\n');
            let end = going_on(bytes, start + length, |byte| byte != mark && byte != b'\\' && byte != b'\n');
            return Some(Value { range: piece(text, start, end), is_quoted: true });
        }
        let ends = |byte: u8| match whole_line {
            WholeLine::Yes => byte <= b' ' || b"\"'`\\<>".contains(&byte),
            WholeLine::No => byte <= b' ' || b"\"'`\\,;)]}<>|&".contains(&byte),
        };
        let length = run(bytes, at, LONGEST * 8, |byte| !ends(byte));
        let end = going_on(bytes, at + length, |byte| !ends(byte));
        Some(Value { range: piece(text, at, end), is_quoted: false })
    }

    pub(super) fn text<'text>(&self, text: &'text str) -> &'text str {
        text.get(self.range.clone()).unwrap_or_default()
    }
}

/// Whether an unquoted value ends with its line, whatever stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WholeLine {
    Yes,
    No,
}

/// Where a value ends that may go on behind a backslash, or in the next line of a terminal that is no wider.
fn going_on(bytes: &[u8], mut end: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte);
    for _ in 0..64 {
        let Some((next, how)) = line_break(bytes, end) else { break };
        let more = run(bytes, next, LONGEST, &belongs);
        let rest = bytes.get(next..next + more).unwrap_or_default();
        let joined = how == Break::Joined && next > end && rest.iter().all(|byte| is_letter(*byte));
        let wrapped = how == Break::Newline
            && more >= 16
            && column(bytes, end) >= 60
            && rest.iter().all(|byte| is_letter(*byte))
            && is_random(std::str::from_utf8(rest).unwrap_or_default())
            && run(bytes, next + more, 1, |byte| byte > b' ' && byte != b'\\') == 0;
        if more == 0 || !(joined || wrapped) {
            break;
        }
        end = next + more;
    }
    end
}

/// What stands for a value and is none.
pub(super) fn is_placeholder(value: &str) -> bool {
    let opening = value.trim_start();
    let starts = |word: &&str| opening.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    opening.is_empty()
        || opening.starts_with(['$', '<', '[', '{', '%', '*', '('])
        || ["environ", "process.env", "getenv", "${", "{{", "secrets."].iter().any(|part| value.contains(part))
        || ["true", "false", "null", "none", "nil", "undefined", "redacted", "xxx", "!vault", "|", ">"]
            .iter()
            .any(starts)
        || value.split(['-', '_', '.']).any(|part| part.len() >= 6 && is_one_character(part))
        || is_one_character(value)
        || (value.len() < 40 && value.ends_with("..."))
        || words(value).any(|word| {
            let placeholders = ["your", "yours", "placeholder", "dummy", "here", "insert", "replace", "todo"];
            placeholders.iter().any(|known| known.eq_ignore_ascii_case(word))
        })
}

/// `****`, `0000`, `----`.
fn is_one_character(value: &str) -> bool {
    let mut chars = value.chars();
    let first = chars.next();
    value.len() >= 3 && chars.all(|c| Some(c) == first)
}

fn words(value: &str) -> impl Iterator<Item = &str> {
    value.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty())
}

/// Names, types and states, that stand behind `password:` in source and prose.
const WORDS: &[&str] = &[
    "string",
    "str",
    "text",
    "char",
    "varchar",
    "bytes",
    "boolean",
    "number",
    "integer",
    "object",
    "optional",
    "required",
    "invalid",
    "missing",
    "incorrect",
    "wrong",
    "expired",
    "changed",
    "updated",
    "accepted",
    "rejected",
    "secret",
    "token",
    "password",
    "passwd",
    "passphrase",
    "credentials",
    "username",
    "default",
    "disabled",
    "enabled",
    "value",
    "unknown",
    "encrypted",
    "plaintext",
    "plain",
    "prompt",
    "input",
    "function",
    "return",
    "readonly",
    "private",
    "public",
    "bearer",
    "basic",
    "unset",
    "empty",
    "hidden",
    "masked",
    "nullable",
    "unique",
    "field",
    "const",
    "static",
    "final",
    "yes",
    "no",
    "on",
    "off",
    "any",
    "self",
    "this",
    "key",
    "apikey",
    "never",
    "always",
    "deprecated",
    "strong",
    "weak",
    "reset",
];

/// `string`, `required`, `password`: what a value is called, and no value.
pub(super) fn is_a_word(value: &str) -> bool {
    let value = value.trim_end_matches(['.', ':', '!', '?', '*']);
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(value))
}

/// `self.password`, `config::TOKEN`, `getToken()`: where a value comes from.
pub(super) fn is_path(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_!?*".contains(&byte))
    };
    if value.len() > LONGEST {
        return false;
    }
    let dots = value.replace("::", ".").replace("->", ".").replace("?.", ".");
    let parts: Vec<&str> = dots.split('.').collect();
    let is_path = parts.len() >= 2 && parts.iter().all(|part| is_name(part) && !is_random(part));
    value.contains(['(', '[', '{']) || is_path
}

/// The same, and `dbPassword`, `auth_token`: the name of another secret.
pub(super) fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_named = ["pass", "pwd", "secret", "token", "key", "cred"].iter().any(|word| lower.contains(word));
    is_path(value) || (is_named && !value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Letters and digits among each other.
pub(super) fn is_random(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic()) && value.bytes().any(|byte| byte.is_ascii_digit())
}

/// A digit, or what a password has and a word has not.
pub(super) fn is_telling(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*+/=~".contains(&byte))
}
