//! One commit of a history, as `git log` writes it.

use std::ops::Range;

/// A commit with the lines below it.
pub(super) struct Commit<'text> {
    /// All of its lines.
    pub(super) span: Range<usize>,
    pub(super) lines: usize,
    hash: &'text str,
    pub(super) author: &'text str,
    pub(super) date: &'text str,
    pub(super) subject: &'text str,
    /// Those its statistics name.
    pub(super) files: Vec<&'text str>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// Digits of a hash that tell it from others.
const HASH_DIGITS: usize = 8;

impl Commit<'_> {
    /// `12ab34cd Ann: subject`
    pub(super) fn short(&self) -> String {
        let hash = self.hash.get(..HASH_DIGITS).unwrap_or(self.hash);
        format!("{hash} {}{}", self.subject, self.changed())
    }

    /// With its author and its date.
    pub(super) fn whole(&self) -> String {
        let hash = self.hash.get(..HASH_DIGITS).unwrap_or(self.hash);
        let parts = [hash, self.author, self.date, self.subject];
        let said: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}{}", said.join(" "), self.changed())
    }

    fn changed(&self) -> String {
        match (self.added, self.removed) {
            (0, 0) => String::new(),
            (added, removed) => format!(" (+{added} −{removed})"),
        }
    }

    /// `fix` of `fix(core): …`, where subjects begin like that.
    pub(super) fn sort(&self) -> &str {
        let sort = self.subject.split_once(": ").map_or("", |(sort, _)| sort);
        let sort = sort.split('(').next().unwrap_or_default();
        let word = sort.len() <= 20 && sort.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_/!".contains(&byte));
        if word { sort } else { "" }
    }
}

/// How a commit begins.
pub(super) enum Opening<'text> {
    /// `commit 12ab…`: what else there is stands below.
    Long(&'text str),
    /// `12ab34c subject`
    Short(&'text str, &'text str),
}

/// The hash a line opens a commit with, behind what a graph draws.
pub(super) fn opening(line: &str) -> Option<Opening<'_>> {
    let line = line.trim_start_matches(['*', '|', '/', '\\', '_', ' ']);
    let (long, rest) = match line.strip_prefix("commit ") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    let digits = rest.bytes().take_while(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte)).count();
    let (hash, rest) = rest.split_at_checked(digits)?;
    let ends = rest.is_empty() || rest.starts_with(' ');
    if !(7..=40).contains(&digits) || !ends || !hash.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match (long, rest.trim()) {
        (true, _) => Some(Opening::Long(hash)),
        (false, "") => None,
        (false, subject) => Some(Opening::Short(hash, subject)),
    }
}

/// All commits of a text, if it is nothing but commits with their messages and statistics.
pub(super) fn commits<'text>(text: &'text str, lines: &[Range<usize>]) -> Option<Vec<Commit<'text>>> {
    let mut commits: Vec<Commit<'text>> = Vec::new();
    let mut long = None;
    let mut other = 0;
    for span in lines {
        let line = text.get(span.clone()).unwrap_or_default();
        match opening(line) {
            Some(Opening::Long(hash)) if long != Some(false) => {
                long = Some(true);
                commits.push(Commit::of(span.clone(), hash, ""));
            }
            Some(Opening::Short(hash, subject)) if long != Some(true) => {
                long = Some(false);
                commits.push(Commit::of(span.clone(), hash, subject));
            }
            Some(_) | None => {
                // What is a diff is read as one.
                if line.starts_with("@@ -") || line.starts_with("diff --git ") {
                    return None;
                }
                let Some(commit) = commits.last_mut() else {
                    if line.trim().is_empty() {
                        continue;
                    }
                    return None;
                };
                commit.span.end = span.end;
                commit.lines += 1;
                other += usize::from(!commit.take(line));
            }
        }
    }
    (other * 10 <= lines.len()).then_some(commits)
}

impl<'text> Commit<'text> {
    fn of(span: Range<usize>, hash: &'text str, subject: &'text str) -> Commit<'text> {
        Commit { span, lines: 1, hash, author: "", date: "", subject, files: Vec::new(), added: 0, removed: 0 }
    }

    /// Takes a line below; whether it is one that a history has.
    fn take(&mut self, line: &'text str) -> bool {
        let bare = line.trim_start_matches(['*', '|', '/', '\\', '_']);
        let body = bare.trim();
        if body.is_empty()
            || body.starts_with("Merge:")
            || body.starts_with("Commit:")
            || body.starts_with("CommitDate:")
        {
            return true;
        }
        if let Some(author) = body.strip_prefix("Author:") {
            self.author = author.split('<').next().unwrap_or(author).trim();
            return true;
        }
        if let Some(date) = body.strip_prefix("Date:").or(body.strip_prefix("AuthorDate:")) {
            self.date = date.trim();
            return true;
        }
        if body.contains(" changed, ") && bare.starts_with(' ') {
            (self.added, self.removed) = changed(body);
            return true;
        }
        if let Some((file, _)) = body.split_once(" | ").filter(|_| bare.starts_with(' ')) {
            self.files.push(file.trim());
            return true;
        }
        if let Some((counts, file)) = body.rsplit_once('\t') {
            let mut counts = counts.split('\t').filter_map(|count| count.trim().parse::<usize>().ok());
            self.added += counts.next().unwrap_or_default();
            self.removed += counts.next().unwrap_or_default();
            self.files.push(file);
            return true;
        }
        if bare.starts_with("    ") {
            if self.subject.is_empty() {
                self.subject = body;
            }
            return true;
        }
        false
    }
}

/// ` 3 files changed, 10 insertions(+), 2 deletions(-)`
fn changed(line: &str) -> (usize, usize) {
    let number = |of: &str| {
        let part = line.split(", ").find(|part| part.contains(of))?;
        part.split_whitespace().next()?.parse().ok()
    };
    (number("insertion").unwrap_or_default(), number("deletion").unwrap_or_default())
}
