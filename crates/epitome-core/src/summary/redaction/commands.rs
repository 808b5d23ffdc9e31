//! Passwords on command lines that no name tells: `curl -u user:x`, `sshpass -p x`, `mysql -px`, `redis-cli -a x`.

use std::ops::Range;

use super::values::is_placeholder;
use super::{Found, Rank, is_escape, run};

/// Of a command line, what is looked at.
const LINE: usize = 300;

/// Programs that take a password in ways of their own, in the order of the anchors.
pub(super) fn look(text: &str, hit: Range<usize>, found: &mut Found) {
    let bytes = text.as_bytes();
    let word_before = hit.start.checked_sub(1).and_then(|before| bytes.get(before));
    let escaped = hit.start.checked_sub(1).is_some_and(|before| is_escape(bytes, before));
    if word_before.is_some_and(|byte| byte.is_ascii_alphanumeric()) && !escaped {
        return;
    }
    let from = hit.end.saturating_sub(1);
    // The flags behind another command of the same length and line were seen with it.
    if found.command.0 == hit.len() && from < found.command.1 {
        return;
    }
    // A command ends with its line, but for a line that goes on behind a backslash, or with the next command.
    let length = run(bytes, from, LINE, |byte| !b"|;\n".contains(&byte));
    let line = bytes.get(from..from + length).unwrap_or_default();
    found.command = (hit.len(), from + length);
    match text.get(hit) {
        Some("curl ") => {
            for flag in ["-u", "--user"] {
                user_and_password(text, from, line, flag, found);
            }
        }
        Some("sshpass " | "docker login") => after_flag(text, from, line, "-p", Parted::MayBe, found),
        Some("mysql" | "mariadb") => after_flag(text, from, line, "-p", Parted::Never, found),
        Some("redis-cli ") => after_flag(text, from, line, "-a", Parted::MayBe, found),
        Some(_) | None => {}
    }
}

/// `-u name:password`.
fn user_and_password(text: &str, from: usize, line: &[u8], flag: &str, found: &mut Found) {
    for at in flags_in(line, flag) {
        let end = from + at + flag.len();
        let filler = run(text.as_bytes(), end, 4, |byte| b" =\"'\\".contains(&byte));
        let Some(both) = value(text, end + filler) else { continue };
        let word = text.get(both.clone()).unwrap_or_default();
        let Some((name, password)) = word.split_once(':') else { continue };
        if !name.contains('/') && password.len() >= 3 && !is_placeholder(password) {
            found.push(both.start + name.len() + 1..both.end, "password", Rank::Place);
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

fn after_flag(text: &str, from: usize, line: &[u8], flag: &str, parted: Parted, found: &mut Found) {
    for at in flags_in(line, flag) {
        let end = from + at + flag.len();
        let allowed: &[u8] = if parted == Parted::MayBe { b" \"'\\" } else { b"\"'\\" };
        let filler = run(text.as_bytes(), end, 3, |byte| allowed.contains(&byte));
        let Some(value) = value(text, end + filler) else { continue };
        let word = text.get(value.clone()).unwrap_or_default();
        // Ports, and options that begin alike.
        let other = word.starts_with("ort") || word.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
        if word.len() >= 3 && (!other || parted == Parted::MayBe) {
            found.push(value, "password", Rank::Place);
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
