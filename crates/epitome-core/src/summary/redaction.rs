//! Secrets in a transcript: found by their shape, or by the name they are assigned to, and taken out.
//!
//! A summary model is a third party. What it is shown holds no key, token, password or private key that can be told
//! from other text. Every detector looks at a bounded stretch around what it found, so that the whole is linear.

mod commands;
mod places;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// Stands where a secret stood. No detector takes it for a secret.
pub const REDACTED: &str = "[redacted]";

/// The text without its secrets.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut spans = Vec::new();
    private_keys(text, &mut spans);
    known_shapes(text, &mut spans);
    passwords_in_urls(text, &mut spans);
    assignments(text, &mut spans);
    commands::find_in(text, &mut spans);
    places::find_in(text, &mut spans);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    spans.sort_by_key(|span| span.start);
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        if span.start >= done {
            clean.push_str(text.get(done..span.start).unwrap_or_default());
            clean.push_str(REDACTED);
        }
        done = done.max(span.end);
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(clean)
}

/// How a key begins whose issuer gave it a shape, and how much must follow.
struct Shape {
    opening: &'static str,
    /// Characters behind the opening, at least.
    least: usize,
    body: Body,
}

/// What a key is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters, digits, `_` and `-`.
    Word,
    /// Capitals and digits.
    Capitals,
    /// As a word, in three parts with dots between (a JSON web token).
    Dotted,
}

const SHAPES: &[Shape] = &[
    // OpenAI, Anthropic, OpenRouter and those who follow them.
    Shape { opening: "sk-", least: 20, body: Body::Word },
    Shape { opening: "sess-", least: 24, body: Body::Word },
    // Stripe.
    Shape { opening: "sk_live_", least: 10, body: Body::Word },
    Shape { opening: "sk_test_", least: 10, body: Body::Word },
    Shape { opening: "rk_live_", least: 10, body: Body::Word },
    Shape { opening: "whsec_", least: 16, body: Body::Word },
    // GitHub, GitLab.
    Shape { opening: "ghp_", least: 20, body: Body::Word },
    Shape { opening: "gho_", least: 20, body: Body::Word },
    Shape { opening: "ghu_", least: 20, body: Body::Word },
    Shape { opening: "ghs_", least: 20, body: Body::Word },
    Shape { opening: "ghr_", least: 20, body: Body::Word },
    Shape { opening: "github_pat_", least: 20, body: Body::Word },
    Shape { opening: "glpat-", least: 16, body: Body::Word },
    // Slack.
    Shape { opening: "xoxb-", least: 10, body: Body::Word },
    Shape { opening: "xoxp-", least: 10, body: Body::Word },
    Shape { opening: "xoxa-", least: 10, body: Body::Word },
    Shape { opening: "xoxr-", least: 10, body: Body::Word },
    Shape { opening: "xoxs-", least: 10, body: Body::Word },
    Shape { opening: "xapp-", least: 10, body: Body::Word },
    // Amazon's key ids; the secret itself has no shape and is found by its name.
    Shape { opening: "AKIA", least: 16, body: Body::Capitals },
    Shape { opening: "ASIA", least: 16, body: Body::Capitals },
    // Google.
    Shape { opening: "AIza", least: 30, body: Body::Word },
    Shape { opening: "ya29.", least: 20, body: Body::Word },
    Shape { opening: "GOCSPX-", least: 20, body: Body::Word },
    // Package registries, model hubs, mail.
    Shape { opening: "npm_", least: 30, body: Body::Word },
    Shape { opening: "pypi-", least: 40, body: Body::Word },
    Shape { opening: "hf_", least: 24, body: Body::Word },
    Shape { opening: "SG.", least: 40, body: Body::Word },
    Shape { opening: "eyJ", least: 30, body: Body::Dotted },
];

/// No key is longer; what is longer is data.
const LONGEST_KEY: usize = 4096;

fn known_shapes(text: &str, spans: &mut Vec<Range<usize>>) {
    static OPENINGS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let openings = SHAPES.iter().map(|shape| shape.opening);
        let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(openings);
        built.expect("the openings are few and short")
    });
    let bytes = text.as_bytes();
    let mut done = 0;
    for found in OPENINGS.find_iter(text) {
        let Some(shape) = SHAPES.get(found.pattern().as_usize()) else { continue };
        let inside_word = found.start() > 0 && bytes.get(found.start() - 1).is_some_and(|byte| is_word(*byte));
        // A line break of a quoted text is written as two characters, of which the second looks like a word's.
        let after_escape = found.start() > 1 && is_escape(bytes, found.start() - 1);
        if found.start() < done || (inside_word && !after_escape) {
            continue;
        }
        let rest = bytes.get(found.end()..).unwrap_or_default();
        let dots = shape.body == Body::Dotted || shape.opening.ends_with('.');
        let belongs = |byte: u8| match shape.body {
            Body::Word | Body::Dotted => is_word(byte) || (dots && byte == b'.'),
            Body::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        };
        let length = rest.iter().take(LONGEST_KEY).take_while(|byte| belongs(**byte)).count();
        let body = rest.get(..length).unwrap_or_default();
        let parts = 1 + body.iter().filter(|byte| **byte == b'.').count();
        let fits = match shape.body {
            // A word of prose with hyphens has no digit.
            Body::Word => body.iter().any(u8::is_ascii_digit) || body.iter().any(u8::is_ascii_uppercase),
            Body::Capitals => true,
            Body::Dotted => parts >= 3,
        };
        if length >= shape.least && fits {
            done = found.end() + length;
            spans.push(found.start()..done);
        }
    }
}

/// From `-----BEGIN … PRIVATE KEY-----` to its end, or as far as it looks like one.
fn private_keys(text: &str, spans: &mut Vec<Range<usize>>) {
    const BEGIN: &str = "-----BEGIN ";
    const KIND: &str = "PRIVATE KEY";
    let mut from = 0;
    while let Some(at) = find(text, from, BEGIN) {
        from = at + BEGIN.len();
        let title = text.get(from..).unwrap_or_default();
        let title = title.get(..title.bytes().take(60).take_while(|byte| *byte != b'-').count()).unwrap_or_default();
        if !title.contains(KIND) {
            continue;
        }
        let body = from + title.len();
        let is_key = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-:,. \r\n\t\\\"'>".contains(&byte);
        let length = text.as_bytes().get(body..).unwrap_or_default().iter().take_while(|byte| is_key(**byte)).count();
        let end = find(text.get(..body + length).unwrap_or(text), body, "-----END ").map(|at| {
            let close = text.get(at + 9..).unwrap_or_default();
            let title = close.bytes().take(60).take_while(|byte| *byte != b'-').count();
            let dashes = close.bytes().skip(title).take(5).take_while(|byte| *byte == b'-').count();
            at + 9 + title + dashes
        });
        let end = end.unwrap_or(body + length);
        spans.push(at..end);
        from = end.max(from);
    }
}

/// `postgres://user:password@host`: the password.
fn passwords_in_urls(text: &str, spans: &mut Vec<Range<usize>>) {
    /// Longer than any authority.
    const LOOK_AHEAD: usize = 300;
    let mut from = 0;
    while let Some(at) = find(text, from, "://") {
        from = at + 3;
        let ends = |byte: &u8| !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'`' | b'<' | b'>') && *byte > b' ';
        let rest = text.as_bytes().get(from..).unwrap_or_default();
        let authority = rest.iter().take(LOOK_AHEAD).take_while(|byte| ends(byte)).count();
        let authority = rest.get(..authority).unwrap_or_default();
        let Some(host) = memchr::memrchr(b'@', authority) else { continue };
        let user = authority.get(..host).unwrap_or_default();
        let password = match memchr::memchr(b':', user) {
            Some(colon) => from + colon + 1..from + host,
            // A token alone before the host.
            None if user.len() >= 16 => from..from + host,
            None => continue,
        };
        if !is_placeholder(text.get(password.clone()).unwrap_or_default()) {
            spans.push(password);
        }
    }
}

/// Names, without `_` and `-` and in lower case, whose value is a secret.
const SECRET_NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "signingkey",
    "encryptionkey",
    "authkey",
    "accountkey",
    "dbpass",
    "userpass",
    "smtppass",
    "mysqlpass",
    "credential",
    "credentials",
    "authorization",
];

/// `NAME=value`, `"name": "value"`, `Authorization: Bearer value`.
fn assignments(text: &str, spans: &mut Vec<Range<usize>>) {
    for at in memchr::memchr2_iter(b'=', b':', text.as_bytes()) {
        let Some(name) = name_before(text, at) else { continue };
        if is_secret_name(name)
            && let Some(value) = value_after(text, at + 1, Strictness::of(name))
            && !(name.ends_with("_PASS") && is_constant(text.get(value.clone()).unwrap_or_default()))
        {
            spans.push(value);
        }
    }
    let mut from = 0;
    while let Some(at) = find_bearer(text, from) {
        from = at;
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let is_token = |byte: u8| is_word(byte) || b".~+/=".contains(&byte);
        let length = rest.iter().take(LONGEST_KEY).take_while(|byte| is_token(**byte)).count();
        if length >= 16 {
            spans.push(at..at + length);
        }
    }
}

/// Behind the next `Bearer ` or `Basic `, in either case.
fn find_bearer(text: &str, from: usize) -> Option<usize> {
    static SCHEMES: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let built = AhoCorasick::builder().ascii_case_insensitive(true).build(["bearer ", "basic "]);
        built.expect("two short words")
    });
    let found = SCHEMES.find(text.get(from..)?)?;
    Some(from + found.end())
}

/// How sure the name makes us that a value is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// Capitals: a variable of the environment, whose value is the secret itself.
    Any,
    /// As in source: the value may be a type or a call, and must look like a secret.
    LooksRandom,
}

impl Strictness {
    fn of(name: &str) -> Strictness {
        let capitals = name.bytes().any(|byte| byte.is_ascii_uppercase());
        if capitals && !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
            Strictness::Any
        } else {
            Strictness::LooksRandom
        }
    }
}

/// Longer than any name that is worth looking at.
const LONGEST_NAME: usize = 64;

/// The name that stands before a `=` or `:`, through quotes and blanks.
fn name_before(text: &str, at: usize) -> Option<&str> {
    let before = text.as_bytes().get(..at)?;
    let filler = before.iter().rev().take(4).take_while(|byte| b"\"'`\\ ]".contains(byte)).count();
    let end = at - filler;
    let is_name = |byte: u8| is_word(byte);
    let length = before.get(..end)?.iter().rev().take(LONGEST_NAME).take_while(|byte| is_name(**byte)).count();
    let name = text.get(end - length..end)?;
    (!name.is_empty()).then_some(name)
}

fn is_secret_name(name: &str) -> bool {
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    // `PASS` alone is what a test reports.
    SECRET_NAMES.iter().any(|secret| plain.ends_with(secret)) || name.ends_with("_PASS")
}

/// `FLAGS_PASS = sys::PASS`, `IF_PASS = 0x04`: passes that are no passwords.
fn is_constant(value: &str) -> bool {
    value.contains("::") || value.starts_with("0x")
}

/// The value that stands behind a `=` or `:`, if it is a secret.
fn value_after(text: &str, at: usize, strictness: Strictness) -> Option<Range<usize>> {
    /// Longer than any password.
    const LONGEST_VALUE: usize = 512;
    let bytes = text.as_bytes();
    let filler = bytes.get(at..)?.iter().take(6).take_while(|byte| b"\"'`\\ =>".contains(byte)).count();
    let start = at + filler;
    let quote = bytes.get(start.checked_sub(1)?).filter(|byte| b"\"'`".contains(byte)).filter(|_| filler > 0).copied();
    let ends = |byte: u8| match quote {
        Some(quote) => byte == quote || byte == b'\\' || byte == b'\n',
        None => byte <= b' ' || b"\"'`\\,;)]}<>|&".contains(&byte),
    };
    let rest = bytes.get(start..)?;
    let length = rest.iter().take(LONGEST_VALUE).take_while(|byte| !ends(**byte)).count();
    // What is cut by the limit may end inside a character.
    let end = (start..=start + length).rev().find(|end| text.is_char_boundary(*end))?;
    let value = text.get(start..end)?;
    if is_placeholder(value) {
        return None;
    }
    // `Authorization: Bearer x`: the scheme is no secret, and what follows it is found by it.
    if value.eq_ignore_ascii_case("bearer") || value.eq_ignore_ascii_case("basic") {
        return None;
    }
    let telling = value.bytes().any(|byte| byte.is_ascii_digit() || b"!@#$%^&*+/=~".contains(&byte));
    let secret = match (strictness, quote) {
        (Strictness::Any, _) => value.len() >= 4,
        (Strictness::LooksRandom, Some(_)) => value.len() >= 6 && (telling || !value.contains(' ')),
        (Strictness::LooksRandom, None) => value.len() >= 8 && telling && !value.contains(['(', '[', '{']),
    };
    secret.then_some(start..end)
}

/// What stands for a value and is none.
fn is_placeholder(value: &str) -> bool {
    let opening = value.trim_start();
    opening.is_empty()
        || opening.starts_with(['$', '<', '[', '{', '%', '*', '('])
        || value.contains("environ")
        || value.contains("process.env")
        || value.contains("getenv")
        || value.contains("${")
        || ["true", "false", "null", "none", "undefined", "redacted", "xxx"].iter().any(|word| {
            value.len() >= word.len()
                && value.is_char_boundary(word.len())
                && value[..word.len()].eq_ignore_ascii_case(word)
        })
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Whether the byte is the second of `\n`, `\t` or `\r` in a quoted text.
pub(in crate::summary) fn is_escape(bytes: &[u8], at: usize) -> bool {
    let escaped = bytes.get(at).is_some_and(|byte| b"ntr".contains(byte));
    escaped && at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'\\')
}

/// How many bytes from `start` on, of at most `most`, belong.
fn run(bytes: &[u8], start: usize, most: usize, belongs: impl Fn(u8) -> bool) -> usize {
    bytes.get(start..).unwrap_or_default().iter().take(most).take_while(|byte| belongs(**byte)).count()
}

fn find(text: &str, from: usize, what: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes().get(from..)?, what.as_bytes()).map(|at| from + at)
}

#[cfg(test)]
mod tests;
