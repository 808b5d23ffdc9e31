//! Secrets on command lines: `--password x`, `curl -u user:x`, `sshpass -p x`, `mysql -px`, `ENV DB_PASS x`.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::{is_escape, is_placeholder, is_secret_name, is_word, run};

/// Finds them all.
pub(super) fn find_in(text: &str, spans: &mut Vec<Range<usize>>) {
    flags(text, spans);
    docker_environment(text, spans);
    programs(text, spans);
}

/// `--api-key x`, `--token=x`, `"--password", "x"`.
fn flags(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for at in memchr::memmem::find_iter(bytes, "--") {
        let start = at + 2;
        let inside_word = at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|byte| is_word(*byte));
        let after_escape = at.checked_sub(1).is_some_and(|before| is_escape(bytes, before));
        if (inside_word && !after_escape) || bytes.get(start) == Some(&b'-') {
            continue;
        }
        let length = run(bytes, start, 40, is_word);
        let Some(name) = text.get(start..start + length) else { continue };
        if length == 40 || !is_secret_name(name) || name.starts_with("no-") {
            continue;
        }
        let end = start + length;
        let filler = run(bytes, end, 6, |byte| b"=\"'`\\, ".contains(&byte));
        // Nothing between, or the end of what was quoted: the flag is mentioned, not used.
        let parted = bytes.get(end..end + filler).unwrap_or_default();
        if parted.first().is_none_or(|byte| b"`\\".contains(byte)) {
            continue;
        }
        let Some(value) = value(text, end + filler) else { continue };
        let word = text.get(value.clone()).unwrap_or_default();
        let secret = if parted.contains(&b'=') { word.len() >= 6 && !is_a_kind(word) } else { is_no_word(word) };
        // `docker build --secret id=npm,src=…` names a secret.
        if secret && !word.starts_with("id=") && !word.starts_with("type=") {
            spans.push(value);
        }
    }
}

/// `ENV DB_PASS x` of a Dockerfile; with `=` it is an assignment like others.
fn docker_environment(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    for at in memchr::memmem::find_iter(bytes, "ENV ") {
        let before = at.checked_sub(1);
        let opens = before.is_none_or(|before| {
            bytes.get(before).is_some_and(|byte| b"\n\"'` +".contains(byte)) || is_escape(bytes, before)
        });
        let length = run(bytes, at + 4, 64, is_word);
        let name = text.get(at + 4..at + 4 + length).unwrap_or_default();
        let end = at + 4 + length;
        if !opens || bytes.get(end) != Some(&b' ') || name.bytes().any(|byte| byte.is_ascii_lowercase()) {
            continue;
        }
        if is_secret_name(name)
            && let Some(value) = value(text, end + 1)
            && value.len() >= 4
        {
            spans.push(value);
        }
    }
}

/// Of a command line, what is looked at.
const LINE: usize = 300;

/// Programs that take a password in ways of their own.
fn programs(text: &str, spans: &mut Vec<Range<usize>>) {
    static PROGRAMS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let built = AhoCorasick::new(["curl ", "sshpass ", "mysql", "mariadb", "redis-cli "]);
        built.expect("few short words")
    });
    let bytes = text.as_bytes();
    for found in PROGRAMS.find_iter(text) {
        let word_before = found.start().checked_sub(1).and_then(|before| bytes.get(before));
        let escaped = found.start().checked_sub(1).is_some_and(|before| is_escape(bytes, before));
        if word_before.is_some_and(|byte| byte.is_ascii_alphanumeric()) && !escaped {
            continue;
        }
        let from = found.end().saturating_sub(1);
        // A command ends with its line, but for a line that goes on behind a backslash, or with the next command.
        let length = run(bytes, from, LINE, |byte| !b"|;\n".contains(&byte));
        let line = bytes.get(from..from + length).unwrap_or_default();
        match found.pattern().as_usize() {
            0 => {
                for flag in ["-u", "--user"] {
                    user_and_password(text, from, line, flag, spans);
                }
            }
            1 => after_flag(text, from, line, "-p", Parted::MayBe, spans),
            2 | 3 => after_flag(text, from, line, "-p", Parted::Never, spans),
            _ => after_flag(text, from, line, "-a", Parted::MayBe, spans),
        }
    }
}

/// `-u name:password`.
fn user_and_password(text: &str, from: usize, line: &[u8], flag: &str, spans: &mut Vec<Range<usize>>) {
    for at in flags_in(line, flag) {
        let end = from + at + flag.len();
        let filler = run(text.as_bytes(), end, 4, |byte| b" =\"'\\".contains(&byte));
        let Some(both) = value(text, end + filler) else { continue };
        let word = text.get(both.clone()).unwrap_or_default();
        let Some((name, password)) = word.split_once(':') else { continue };
        if !name.contains('/') && password.len() >= 3 && !is_placeholder(password) {
            spans.push(both.start + name.len() + 1..both.end);
        }
    }
}

/// Whether a blank may stand between a flag and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parted {
    MayBe,
    /// What follows a blank is something else: `mysql -p shop` names a database.
    Never,
}

fn after_flag(text: &str, from: usize, line: &[u8], flag: &str, parted: Parted, spans: &mut Vec<Range<usize>>) {
    for at in flags_in(line, flag) {
        let end = from + at + flag.len();
        let allowed: &[u8] = if parted == Parted::MayBe { b" \"'\\" } else { b"\"'\\" };
        let filler = run(text.as_bytes(), end, 3, |byte| allowed.contains(&byte));
        let Some(value) = value(text, end + filler) else { continue };
        let word = text.get(value.clone()).unwrap_or_default();
        // Ports, and options that begin alike.
        let other = word.starts_with("ort") || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
        if word.len() >= 3 && (!other || parted == Parted::MayBe) {
            spans.push(value);
        }
    }
}

/// Where a flag stands on a line, behind a blank.
fn flags_in(line: &[u8], flag: &str) -> Vec<usize> {
    let found = memchr::memmem::find_iter(line, flag);
    found.filter(|at| at.checked_sub(1).and_then(|before| line.get(before)).is_some_and(|byte| *byte == b' ')).collect()
}

/// One word of a command line that is no placeholder and no further flag.
fn value(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let length = run(bytes, start, 512, |byte| byte > b' ' && !b"\"'`\\,;)]}<>|&".contains(&byte));
    let end = (start..=start + length).rev().find(|end| text.is_char_boundary(*end))?;
    let word = text.get(start..end)?;
    (!word.is_empty() && !word.starts_with('-') && !is_placeholder(word)).then_some(start..end)
}

/// Whether it stands for any value, as in a help text: `--token=TOKEN`, `--password=string`.
fn is_a_kind(word: &str) -> bool {
    !word.bytes().any(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        || ["string", "value", "your", "optional", "file"].iter().any(|kind| word.starts_with(kind))
}

/// Whether it is no word of a sentence and no path, so that it can be what was meant to be secret.
fn is_no_word(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let telling = has(u8::is_ascii_digit)
        || has(|byte| b"!@#$%^*+~".contains(byte))
        || (word.len() >= 12 && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase));
    word.len() >= 4 && telling && has(u8::is_ascii_alphabetic) && !word.starts_with(['/', '.']) && !word.contains('(')
}
