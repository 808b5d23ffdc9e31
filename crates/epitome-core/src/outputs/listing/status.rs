//! `git status`, long and short: how many files of each sort, conflicts first.

use std::collections::BTreeMap;

use crate::outputs::place::is_path;
use crate::outputs::reading::{Events, Finding, Layout, Rank, Reading};

/// So few files of a sort are told one by one, where another sort has so many times as many.
const RARE: usize = 2;
const COMMONER: usize = 5;

/// Reads the state of a working tree.
pub(super) fn read(text: &str) -> Option<Reading> {
    let long = text.lines().take(12).any(|line| {
        let line = line.trim_end();
        line.starts_with("On branch ")
            || line.starts_with("HEAD detached ")
            || line == "Changes not staged for commit:"
            || line == "Changes to be committed:"
            || line == "Untracked files:"
    });
    if !long && !is_short(text) {
        return None;
    }
    let mut reading = Reading::of_lines(text);
    (reading.layout, reading.events, reading.ends) = (Layout::Bare, Events::Quiet, false);
    let mut group = "";
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut known = 0;
    let mut sorts: Vec<Option<String>> = vec![None; reading.pieces.len()];
    for (piece, of) in reading.pieces.iter_mut().zip(&mut sorts) {
        let line = piece.text(text);
        let body = line.trim();
        if body.is_empty() {
            continue;
        }
        known += 1;
        if !long {
            let Some(sort) = short(line) else {
                known -= 1;
                continue;
            };
            *counts.entry(sort.to_owned()).or_default() += 1;
            *of = Some(sort.to_owned());
            piece.rank = if sort == "conflict" { Rank::Finding(Finding::Error) } else { Rank::Telling(1) };
        } else if let Some(heading) = heading(body) {
            group = heading;
            piece.rank = Rank::Told;
        } else if body.starts_with('(') {
            piece.rank = Rank::Told;
        } else if line.starts_with(['\t', ' ']) && !group.is_empty() {
            let sort = match body.split_once(':') {
                Some((word, _)) if !word.contains(['/', '.']) => format!("{group} {word}"),
                Some(_) | None => group.to_owned(),
            };
            let conflict = group == "unmerged";
            piece.rank = if conflict { Rank::Finding(Finding::Error) } else { Rank::Telling(1) };
            piece.full = Some(if group == "untracked" { format!("? {body}") } else { body.replacen(":   ", ":", 1) });
            *counts.entry(sort.clone()).or_default() += 1;
            *of = Some(sort);
        } else {
            let state =
                ["On branch", "Your branch", "HEAD detached", "and have", "nothing to", "no changes", "You are"];
            piece.rank =
                if state.iter().any(|opening| body.starts_with(opening)) { Rank::Frame } else { Rank::Ordinary };
            known -= usize::from(piece.rank == Rank::Ordinary);
        }
    }
    let filled = reading.pieces.iter().filter(|piece| !piece.text(text).trim().is_empty()).count();
    if counts.is_empty() || known * 10 < filled * 7 {
        return None;
    }
    keep_rare(&mut reading, &counts, &sorts);
    let said: Vec<String> = counts.iter().map(|(sort, count)| format!("{count} {sort}")).collect();
    reading.say_always(said.join(", "));
    Some(reading)
}

/// One deleted file among many changed ones.
fn keep_rare(reading: &mut Reading, counts: &BTreeMap<String, usize>, sorts: &[Option<String>]) {
    let most = counts.values().max().copied().unwrap_or_default();
    let is_rare = |sort: &String| counts.get(sort).is_some_and(|count| *count <= RARE && most >= RARE * COMMONER);
    for (piece, sort) in reading.pieces.iter_mut().zip(sorts) {
        if piece.rank == Rank::Telling(1) && sort.as_ref().is_some_and(is_rare) {
            piece.rank = Rank::Finding(Finding::Outlier);
        }
    }
}

fn heading(line: &str) -> Option<&'static str> {
    match line {
        "Changes to be committed:" => Some("staged"),
        "Changes not staged for commit:" => Some("unstaged"),
        "Untracked files:" => Some("untracked"),
        "Unmerged paths:" => Some("unmerged"),
        _ => None,
    }
}

fn is_short(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty()).take(40);
    let known = lines().filter(|line| short(line).is_some()).count();
    let signed = lines().any(|line| line.starts_with("?? ") || line.starts_with(" M ") || line.starts_with("M  "));
    signed && known >= 5 && known * 10 >= lines().count() * 8
}

/// What ` M path` says of the path.
fn short(line: &str) -> Option<&'static str> {
    let (state, path) = (line.get(..2)?, line.get(2..)?);
    let path = path.strip_prefix(' ').filter(|path| is_path(path) || !path.starts_with(' '))?;
    match state {
        _ if path.is_empty() => None,
        "??" => Some("untracked"),
        "!!" => Some("ignored"),
        "##" => Some("branch"),
        "UU" | "AA" | "DD" | "AU" | "UA" | "DU" | "UD" => Some("conflict"),
        " M" | " T" => Some("modified"),
        "MM" | "AM" | "RM" => Some("staged and modified"),
        " D" => Some("deleted"),
        "M " | "T " => Some("staged"),
        "A " => Some("added"),
        "D " => Some("staged deletion"),
        "R " | "C " => Some("renamed"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::check;

    #[test]
    fn a_conflict_is_kept_and_the_rest_is_counted() {
        let mut text = String::from(" M src/lib.rs\nUU src/merge.rs\n");
        (0..70).for_each(|n| text.push_str(&format!("?? assets/generated/image_number_{n}.png\n")));
        insta::assert_snapshot!(check("git status --short", &text), @"
        [digest of listing: 13 of 72 lines kept, 705 tokens; original fec2478144ff]
        1 conflict, 1 modified, 70 untracked
         M src/lib.rs
        UU src/merge.rs
        ?? assets/generated/image_number_0.png
        ?? assets/generated/image_number_1.png
        ?? assets/generated/image_number_2.png
        ?? assets/generated/image_number_3.png
        ?? assets/generated/image_number_4.png
        ?? assets/generated/image_number_5.png
        ?? assets/generated/image_number_6.png
        ?? assets/generated/image_number_7.png
        ?? assets/generated/image_number_8.png
        ?? assets/generated/image_number_9.png
        ?? assets/generated/image_number_10.png
        ");
    }

    #[test]
    fn the_long_form_is_told_by_groups() {
        let mut text = String::from(
            "On branch main\nYour branch is ahead of 'origin/main' by 2 commits.\n  (use \"git push\" to publish your local commits)\n\nChanges not staged for commit:\n  (use \"git add <file>...\" to update what will be committed)\n",
        );
        (0..60).for_each(|n| text.push_str(&format!("\tmodified:   crates/core/src/some_module_{n}.rs\n")));
        text.push_str("\nUntracked files:\n  (use \"git add <file>...\" to include in what will be committed)\n\tnotes.md\n\nno changes added to commit (use \"git add\" and/or \"git commit -a\")\n");
        insta::assert_snapshot!(check("git status", &text), @r#"
        [digest of listing: 12 of 72 lines kept, 795 tokens; original facc5b4cf520]
        60 unstaged modified, 1 untracked
        On branch main
        Your branch is ahead of 'origin/main' by 2 commits.
        modified:crates/core/src/some_module_0.rs
        modified:crates/core/src/some_module_1.rs
        modified:crates/core/src/some_module_2.rs
        modified:crates/core/src/some_module_3.rs
        modified:crates/core/src/some_module_4.rs
        modified:crates/core/src/some_module_5.rs
        modified:crates/core/src/some_module_6.rs
        modified:crates/core/src/some_module_7.rs
        ? notes.md
        no changes added to commit (use "git add" and/or "git commit -a")
        "#);
    }

    #[test]
    fn a_conflict_does_not_make_every_changed_file_odd() {
        let mut text = String::from(
            "On branch main\n\nUnmerged paths:\n\tboth modified:   lib/a.py\n\nChanges not staged for commit:\n",
        );
        (0..90).for_each(|n| text.push_str(&format!("\tmodified:   lib/a_part_of_the_library_{n}.py\n")));
        let digest = check("git status", &text);
        assert!(digest.contains("both modified:lib/a.py") && !digest.contains("_50.py"), "{digest}");
    }

    #[test]
    fn the_only_deleted_file_is_told() {
        let mut text: String = (0..60).map(|n| format!(" M lib/part{n}.py\n")).collect();
        text.insert_str(0, "?? notes.txt\n");
        text.push_str(" D lib/keep.py\n");
        assert!(check("git status --short", &text).contains("D lib/keep.py"));
    }
}
