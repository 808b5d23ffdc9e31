//! Which changed lines matter: those that are unlike the rest, and those at which a reviewer would stop.

use std::collections::{HashMap, HashSet};

use xxhash_rust::xxh3::xxh3_64;

use super::Line;
use crate::outputs::Effort;
use crate::outputs::odd::odd_ones;
use crate::outputs::reading::{Finding, Rank, Reading};
use crate::outputs::template::template;

/// A change in so many places is told once.
const REPEATED: usize = 4;
/// So many lines at which a reviewer would stop are kept in full.
const RISKS: usize = 5;
/// Words replaced by others are told up to this length.
const WORDS_CHARS: usize = 60;

/// Ranks added and removed lines.
pub(super) fn rank(reading: &mut Reading, text: &str, lines: &[Line], effort: Effort) {
    let changed: Vec<usize> =
        (0..lines.len()).filter(|index| matches!(lines.get(*index), Some(Line::Added | Line::Removed))).collect();
    let content = |reading: &Reading, index: usize| {
        reading.pieces.get(index).and_then(|piece| piece.text(text).get(1..)).unwrap_or_default().trim().to_owned()
    };
    let whats: Vec<Change> = match effort {
        Effort::Full => changes(reading, text, lines, &changed),
        Effort::Quick => Vec::new(),
    };
    let mut counts: HashMap<&Change, usize> = HashMap::new();
    whats.iter().for_each(|what| *counts.entry(what).or_default() += 1);
    let repeats = |what: &Change| counts.get(what).copied().unwrap_or_default() >= REPEATED && *what != Change::Blank;
    let repeated = whats.iter().filter(|what| repeats(what)).count();
    let mechanical = whats.len() >= 12 && repeated * 10 >= whats.len() * 6;
    say_repeated(reading, &counts);
    let odd: Vec<usize> = if mechanical {
        let single = |(_, what): &(usize, &Change)| !repeats(what) && **what != Change::Blank;
        whats.iter().enumerate().filter(single).map(|(position, _)| position).collect()
    } else if effort == Effort::Quick {
        Vec::new()
    } else {
        let owned: Vec<String> = changed.iter().map(|index| content(reading, *index)).collect();
        odd_ones(&owned.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let few = odd.len() <= (changed.len() / 20).clamp(4, 16);
    let mut told: HashMap<&Change, usize> = HashMap::new();
    let mut in_hunk = 0usize;
    let mut last = 0;
    for (position, index) in changed.iter().enumerate() {
        in_hunk = if *index == last + 1 { in_hunk + 1 } else { 0 };
        last = *index;
        let line = content(reading, *index);
        let rank = match whats.get(position) {
            Some(Change::Blank) => Rank::Told,
            Some(what) if repeats(what) => {
                let seen = told.entry(what).or_default();
                *seen += 1;
                // A pair shows the change once, its lines twice.
                match what {
                    Change::Words(..) if *seen <= 2 => Rank::Telling(1),
                    Change::Like(_) if *seen == 1 && says_something(&line) => Rank::Telling(4),
                    Change::Words(..) | Change::Like(_) | Change::Blank => Rank::Told,
                }
            }
            Some(_) | None if !says_something(&line) => Rank::Told,
            Some(_) | None if names_something(&line) => Rank::Telling(2),
            Some(_) | None if in_hunk < 2 => Rank::Telling(3),
            Some(_) | None => Rank::Ordinary,
        };
        if let Some(piece) = reading.pieces.get_mut(*index) {
            piece.rank = rank;
        }
    }
    for position in &odd {
        if let Some(index) = changed.get(*position) {
            reading.raise(*index, if few { Rank::Finding(Finding::Outlier) } else { Rank::Telling(0) });
        }
    }
    let repeated_risk = |position: usize| mechanical && whats.get(position).is_some_and(repeats);
    let mut risks: Vec<(u8, usize)> = Vec::new();
    let mut guards: Vec<usize> = Vec::new();
    let is_added = |index: &&usize| lines.get(**index) == Some(&Line::Added);
    let still: HashSet<String> = changed.iter().filter(is_added).map(|index| content(reading, *index)).collect();
    for (position, index) in changed.iter().enumerate() {
        let added = lines.get(*index) == Some(&Line::Added);
        let line = content(reading, *index);
        if let Some(weight) = risk(&line, added).filter(|_| !repeated_risk(position)) {
            risks.push((weight, *index));
        }
        // A check that is gone: neither written otherwise nor moved.
        let gone = !added && !matches!(whats.get(position), Some(Change::Words(..))) && !still.contains(&line);
        if gone && guards.len() < RISKS && is_guard(&line) && !repeated_risk(position) {
            guards.push(*index);
        }
    }
    guards.into_iter().for_each(|index| reading.raise(index, Rank::Finding(Finding::Outlier)));
    risks.sort_unstable();
    for (position, (weight, index)) in risks.into_iter().enumerate() {
        let keep = position < RISKS && weight == 0;
        reading.raise(index, if keep { Rank::Finding(Finding::Outlier) } else { Rank::Telling(weight.min(1)) });
    }
}

/// What was done to a line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Change {
    /// Words replaced by others.
    Words(String, String),
    /// A line like this, by its template, added or removed.
    Like(u64),
    Blank,
}

/// What each changed line is an instance of. Removed lines are paired with the added ones below them.
fn changes(reading: &Reading, text: &str, lines: &[Line], changed: &[usize]) -> Vec<Change> {
    let content =
        |index: usize| reading.pieces.get(index).and_then(|piece| piece.text(text).get(1..)).unwrap_or_default().trim();
    let alone = |index: usize| match content(index) {
        "" => Change::Blank,
        line => {
            let sign = if lines.get(index) == Some(&Line::Added) { "+" } else { "-" };
            Change::Like(xxh3_64(format!("{sign}{}", template(line)).as_bytes()))
        }
    };
    let mut whats: Vec<Change> = Vec::with_capacity(changed.len());
    let mut at = 0;
    while at < changed.len() {
        let run = |from: usize, kind: Line| {
            let mut length = 0;
            while let Some(index) = changed.get(from + length) {
                let next_to = length == 0 || changed.get(from + length - 1).is_some_and(|last| last + 1 == *index);
                if lines.get(*index) != Some(&kind) || !next_to {
                    break;
                }
                length += 1;
            }
            length
        };
        let removed = run(at, Line::Removed);
        let touches = removed == 0
            || changed
                .get(at + removed)
                .is_some_and(|next| changed.get(at + removed - 1).is_some_and(|last| last + 1 == *next));
        let added = if touches { run(at + removed, Line::Added) } else { 0 };
        let index = |position: usize| changed.get(position).copied().unwrap_or_default();
        let paired = removed == added;
        let words: Vec<Option<Change>> = (0..removed)
            .map(|k| replaced(content(index(at + k)), content(index(at + removed + k))).filter(|_| paired))
            .collect();
        for k in 0..removed {
            whats.push(words.get(k).cloned().flatten().unwrap_or_else(|| alone(index(at + k))));
        }
        for k in 0..added {
            let pair = if paired { words.get(k).cloned().flatten() } else { None };
            whats.push(pair.unwrap_or_else(|| alone(index(at + removed + k))));
        }
        at += (removed + added).max(1);
        if removed + added == 0 {
            whats.push(Change::Blank);
        }
    }
    whats
}

/// The words by which two lines differ, if the rest of them is the same.
fn replaced(old: &str, new: &str) -> Option<Change> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let start: usize =
        old.chars().zip(new.chars()).take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8()).sum();
    // Back to the beginning of the word.
    let start = old.get(..start)?.trim_end_matches(is_word).len();
    let (old, new) = (old.get(start..)?, new.get(start..)?);
    let same: usize = old
        .chars()
        .rev()
        .zip(new.chars().rev())
        .take_while(|(one, other)| one == other)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let tail = old.get(old.len() - same..)?;
    let same = tail.trim_start_matches(is_word).len();
    let (old, new) = (old.get(..old.len() - same)?, new.get(..new.len() - same)?);
    let short = |words: &str| words.len() <= WORDS_CHARS;
    // Numbers taken out: versions and sizes that go up are one change.
    (short(old) && short(new)).then(|| Change::Words(template(old.trim()), template(new.trim())))
}

fn say_repeated(reading: &mut Reading, counts: &HashMap<&Change, usize>) {
    let mut repeated: Vec<(usize, String)> = Vec::new();
    for (what, count) in counts {
        if let (Change::Words(old, new), true) = (what, *count >= 2 * REPEATED) {
            let quoted = |words: &str| if words.is_empty() { "nothing".to_owned() } else { format!("`{words}`") };
            // Each pair is two lines.
            repeated.push((count / 2, format!("{} → {} ×{}", quoted(old), quoted(new), count / 2)));
        }
    }
    repeated.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    if !repeated.is_empty() {
        let said: Vec<String> = repeated.into_iter().take(6).map(|(_, said)| said).collect();
        reading.say_always(format!("repeated: {}", said.join(", ")));
    }
}

/// More than brackets and a word.
fn says_something(line: &str) -> bool {
    line.bytes().filter(u8::is_ascii_alphanumeric).count() >= 8
}

/// Whether a line defines something.
fn names_something(line: &str) -> bool {
    const WORDS: &[&str] = &[
        "fn ",
        "def ",
        "class ",
        "func ",
        "function ",
        "struct ",
        "enum ",
        "trait ",
        "impl ",
        "interface ",
        "type ",
        "export ",
        "pub ",
        "public ",
        "private ",
        "const ",
        "module ",
        "## ",
        "# ",
    ];
    WORDS.iter().any(|word| line.starts_with(word))
}

/// Whether a reviewer would stop here: 0 surely, 1 perhaps.
fn risk(line: &str, added: bool) -> Option<u8> {
    let lower = line.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let comment = ["//", "#", "*", "--", "/*", "<!--"].iter().any(|opening| line.starts_with(opening));
    let off = has(&["false", "disable", "none", "ignore", "skip", "allow", "0"]);
    let sure = (added && has(&["todo", "fixme", "hack", "xxx:"]))
        || (!comment
            && ((added
                && has(&[
                    "eval(",
                    "exec(",
                    "unsafe ",
                    "shell=true",
                    "verify=false",
                    "insecure",
                    "nosec",
                    "noverify",
                    "--force",
                    "chmod 777",
                    "innerhtml",
                    "pickle.load",
                    "os.system(",
                    "rm -rf",
                ]))
                || (added && off && has(&["verif", "auth", "csrf", "tls", "ssl", "cert", "cors"]))
                || (added
                    && has(&["password", "secret", "api_key", "apikey", "private_key"])
                    && has(&["= \"", "= '", ": \"", ": '", "=\"", "='"]))
                || (added && has_address(&lower))
                || (!added && begins_check(&lower))));
    let perhaps = !comment
        && has(&[
            "auth",
            "permission",
            "secret",
            "password",
            "token",
            "getenv",
            "environ",
            "process.env",
            "verify",
            "disable",
            "skip",
            "catch",
            "except",
            "timeout",
            "allow",
            "admin",
            "sudo",
            "deprecated",
            "retry",
            "limit",
        ]);
    if sure { Some(0) } else { perhaps.then_some(1) }
}

/// Whether a line tests something and refuses: permissions, input, a state that must not be.
fn is_guard(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    let comment = ["//", "#", "*", "--", "/*", "<!--"].iter().any(|opening| line.starts_with(opening));
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let tests = lower.starts_with("if ") || lower.starts_with("if(") || lower.starts_with("unless ");
    let subject =
        has(&["permission", "authoriz", "authentic", "allowed", "valid", "verif", "is_admin", "can_", "sanitiz"]);
    let refuses = ["raise ", "throw ", "return err", "bail!(", "ensure!(", "panic!(", "abort("]
        .iter()
        .any(|opening| lower.starts_with(opening));
    let calls = ["assert", "require_", "check_", "validate", "verify", "ensure", "@require", "@login_required"]
        .iter()
        .any(|opening| lower.starts_with(opening));
    let method = has(&[".validate(", ".verify(", ".check_", ".authorize(", ".require", "compare_digest("]);
    !comment && ((tests && subject) || refuses || calls || method)
}

/// Checks that were taken out; not those of tests, of which there are many.
fn begins_check(line: &str) -> bool {
    [
        "assert!(",
        "assert ",
        "assert(",
        "debug_assert",
        "require(",
        "ensure!(",
        "bail!(",
        "raise permission",
        "check_permission",
        "validate(",
        "if !is_",
        "if not is_",
    ]
    .iter()
    .any(|opening| line.starts_with(opening))
}

/// A number of a machine, written into the code: `10.0.0.12`, but not a version.
fn has_address(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_ascii_digit() && c != '.');
    let address = words.any(|word| {
        let mut parts = word.split('.');
        let numbers = parts.by_ref().take(5).filter(|part| part.parse::<u8>().is_ok()).count();
        numbers == 4 && word.split('.').count() == 4
    });
    let address = address && !line.contains("127.0.0.1") && !line.contains("0.0.0.0");
    let plain = line.contains("http://") && !line.contains("localhost") && !line.contains("127.0.0.1");
    address || plain
}
