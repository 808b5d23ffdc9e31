//! Diffs: every file with its numbers, changes made in many places told once, and the changed lines that are unlike them.

mod changes;
mod stat;

use super::place::{by_directory, common_directory, plural};
use super::reading::{Events, Layout, Rank, Reading, Section};
use super::{Effort, OutputKind, ToolOutput, events};
use crate::tokens::Tokens;

/// Unified diffs: `git diff`, `git show`, `git log -p`, patches; and their statistics.
pub struct Diff;

/// More files than this are told by directory; the largest of them are named.
const NAMED_FILES: usize = 40;
/// More commits than this are named while there is room.
const NAMED_COMMITS: usize = 15;

impl OutputKind for Diff {
    fn name(&self) -> &'static str {
        "diff"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let text = &*output.text;
        if !has_hunks(text) {
            return stat::read(text);
        }
        let mut reading = Reading::of_lines(text);
        (reading.layout, reading.events, reading.ends) = (Layout::Bare, Events::Quiet, false);
        let lines = classify(&reading, text);
        if !mostly_diff(&lines) {
            return None;
        }
        let files = files(&reading, text, &lines);
        say_files(&mut reading, &files);
        tell_commits(&mut reading, text, &lines);
        rank_rest(&mut reading, &lines);
        changes::rank(&mut reading, text, &lines, effort);
        name_files_of_findings(&mut reading, &files);
        let sections = files.iter().filter(|file| !file.path.is_empty());
        reading.sections =
            sections.map(|file| Section { name: file.path.clone(), pieces: file.first..file.end }).collect();
        let end = reading.pieces.len();
        events::mark_where(&mut reading, text, 0..end, |index| lines.get(index) == Some(&Line::Other));
        Some(reading)
    }
}

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// `diff --git`, `--- a/x`, `index …`: what a file's part begins with.
    Header,
    /// `@@ -1,7 +1,9 @@ fn x()`
    Hunk,
    Added,
    Removed,
    Context,
    /// `commit …` and the lines below it.
    Commit,
    /// `Only in old: a.conf`, `Files a/x and b/x differ`
    Alone,
    /// Anything else: what a wrapper or another command wrote.
    Other,
}

fn has_hunks(text: &str) -> bool {
    let found = |needle: &[u8]| memchr::memmem::find(text.as_bytes(), needle).is_some();
    let opens = |opening: &str| text.starts_with(opening) || found(format!("\n{opening}").as_bytes());
    (opens("@@ -") && found(b" @@"))
        || opens("Only in ")
        || opens("diff --git ")
        || (opens("--- ") && opens("+++ ") && opens("@@"))
}

/// Reads line by line: inside a hunk its counts say how many lines it has, so that a removed `-- x` is no header.
fn classify(reading: &Reading, text: &str) -> Vec<Line> {
    let mut lines = Vec::with_capacity(reading.pieces.len());
    let (mut old, mut new) = (0usize, 0usize);
    let mut in_commit = false;
    let mut previous = Line::Other;
    let mut all = reading.pieces.iter().map(|piece| piece.text(text)).peekable();
    while let Some(line) = all.next() {
        let kind = if old + new > 0 {
            match line.bytes().next() {
                Some(b'+') => Line::Added,
                Some(b'-') => Line::Removed,
                Some(b'\\') => Line::Context,
                Some(b' ' | b'\t') | None => Line::Context,
                Some(_) => Line::Other,
            }
        } else {
            Line::Other
        };
        let kind = if kind == Line::Other {
            (old, new) = (0, 0);
            outside(line, all.peek().copied(), in_commit, previous)
        } else {
            kind
        };
        match kind {
            Line::Hunk => (old, new) = hunk_sizes(line).unwrap_or((usize::MAX / 4, usize::MAX / 4)),
            Line::Added => new = new.saturating_sub(1),
            Line::Removed => old = old.saturating_sub(1),
            Line::Context if !line.starts_with('\\') => {
                (old, new) = (old.saturating_sub(1), new.saturating_sub(1));
            }
            Line::Header | Line::Commit | Line::Context | Line::Alone | Line::Other => {}
        }
        in_commit = kind == Line::Commit || (in_commit && line.is_empty());
        previous = kind;
        lines.push(kind);
    }
    let first_hunk = lines.iter().position(|line| matches!(line, Line::Hunk | Line::Header));
    begin_of_cut_diff(reading, text, &mut lines, first_hunk.unwrap_or(0));
    lines
}

/// A diff that was cut at its beginning (`| tail`) opens in the middle of a hunk.
fn begin_of_cut_diff(reading: &Reading, text: &str, lines: &mut [Line], until: usize) {
    let signed = |line: &str| match line.bytes().next() {
        Some(b'+') => Some(Line::Added),
        Some(b'-') => Some(Line::Removed),
        Some(b' ' | b'\t') | None => Some(Line::Context),
        Some(_) => None,
    };
    let opening: Vec<Option<Line>> = reading.pieces.iter().take(until).map(|piece| signed(piece.text(text))).collect();
    let changed = opening.iter().any(|line| matches!(line, Some(Line::Added | Line::Removed)));
    if changed && opening.iter().filter(|line| line.is_none()).count() * 10 <= until {
        for (line, found) in lines.iter_mut().zip(opening) {
            *line = found.unwrap_or(Line::Other);
        }
    }
}

const HEADERS: &[&str] = &[
    "diff --git ",
    "diff --cc ",
    "diff -",
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
    "GIT binary patch",
    "Index: ",
    "=======",
    "+++ ",
];

fn outside(line: &str, next: Option<&str>, in_commit: bool, previous: Line) -> Line {
    if line.starts_with("@@ ") || line.starts_with("@@@ ") {
        return Line::Hunk;
    }
    let differ = line.starts_with("Files ") && line.ends_with(" differ");
    if differ || (line.starts_with("Only in ") && line.contains(": ")) {
        return Line::Alone;
    }
    let opens_file = line.starts_with("--- ") && next.is_some_and(|next| next.starts_with("+++ "));
    if opens_file || HEADERS.iter().any(|header| line.starts_with(header)) {
        return Line::Header;
    }
    let hash = line.strip_prefix("commit ").or(line.strip_prefix("From ")).unwrap_or_default();
    if hash.bytes().take_while(u8::is_ascii_hexdigit).count() >= 7 {
        return Line::Commit;
    }
    let below = in_commit && (line.is_empty() || line.starts_with("    ") || line.contains(": "));
    if below {
        return Line::Commit;
    }
    // Lines beyond what the hunk announced: its header was cut or counted wrongly.
    match (previous, line.bytes().next()) {
        (Line::Added | Line::Removed | Line::Context | Line::Hunk, Some(b'+')) => Line::Added,
        (Line::Added | Line::Removed | Line::Context | Line::Hunk, Some(b'-')) => Line::Removed,
        (Line::Added | Line::Removed | Line::Context | Line::Hunk, Some(b' ' | b'\\') | None) => Line::Context,
        _ => Line::Other,
    }
}

/// How many lines of the old and the new file a hunk shows.
fn hunk_sizes(line: &str) -> Option<(usize, usize)> {
    let mut ranges = line.trim_start_matches('@').split_whitespace();
    let mut size = |sign: char| {
        let range = ranges.next()?.strip_prefix(sign)?;
        match range.split_once(',') {
            Some((_, size)) => size.parse().ok(),
            None => Some(1),
        }
    };
    Some((size('-')?, size('+')?))
}

fn mostly_diff(lines: &[Line]) -> bool {
    let other = lines.iter().filter(|line| **line == Line::Other).count();
    let changed = lines.iter().any(|line| matches!(line, Line::Added | Line::Removed | Line::Header | Line::Alone));
    changed && other * 3 <= lines.len()
}

/// A file's part of a diff.
struct File {
    path: String,
    /// New, deleted, renamed and the like.
    fate: String,
    first: usize,
    end: usize,
    added: usize,
    removed: usize,
}

fn files(reading: &Reading, text: &str, lines: &[Line]) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut previous = Line::Other;
    for (index, (kind, piece)) in lines.iter().zip(&reading.pieces).enumerate() {
        let line = piece.text(text);
        let opens = *kind == Line::Header && (previous != Line::Header || line.starts_with("diff --git "));
        if opens || (files.is_empty() && matches!(kind, Line::Hunk | Line::Added | Line::Removed)) {
            files.push(File {
                path: String::new(),
                fate: String::new(),
                first: index,
                end: index,
                added: 0,
                removed: 0,
            });
        }
        previous = *kind;
        let Some(file) = files.last_mut() else { continue };
        match kind {
            Line::Added => file.added += 1,
            Line::Removed => file.removed += 1,
            Line::Header => read_header(file, line),
            Line::Hunk | Line::Context => {}
            // What follows the file's part is not in it.
            Line::Commit | Line::Alone | Line::Other => continue,
        }
        file.end = index + 1;
    }
    files
}

fn read_header(file: &mut File, line: &str) {
    let plain = |path: &str| -> String {
        let path = path.split('\t').next().unwrap_or(path).trim().trim_matches('"');
        let path = path.strip_prefix("a/").or(path.strip_prefix("b/")).unwrap_or(path);
        path.to_owned()
    };
    let mut fate = |word: &str| {
        if !file.fate.contains(word) {
            file.fate.push_str(&format!(" {word}"));
        }
    };
    if let Some(paths) = line.strip_prefix("diff --git ") {
        file.path = paths.find(" b/").and_then(|at| paths.get(at + 1..)).map_or_else(|| plain(paths), plain);
    } else if let Some(path) = line.strip_prefix("+++ ").or(line.strip_prefix("Index: ")) {
        if plain(path) != "/dev/null" {
            file.path = plain(path);
        }
    } else if let Some(path) = line.strip_prefix("--- ") {
        if file.path.is_empty() && plain(path) != "/dev/null" {
            file.path = plain(path);
        }
    } else if let Some(path) = line.strip_prefix("rename from ") {
        fate(&format!("renamed from {path}"));
    } else if let Some(path) = line.strip_prefix("copy from ") {
        fate(&format!("copied from {path}"));
    } else if let Some(mode) = line.strip_prefix("new file mode ") {
        fate(if mode.ends_with("755") { "new, executable" } else { "new" });
    } else if line.starts_with("deleted file mode ") {
        fate("deleted");
    } else if let Some(mode) = line.strip_prefix("old mode ") {
        fate(&format!("mode {mode}"));
    } else if let Some(mode) = line.strip_prefix("new mode ") {
        fate(&format!("→ {mode}"));
    } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
        fate("binary");
    }
}

fn say_files(reading: &mut Reading, files: &[File]) {
    let (added, removed) = files.iter().fold((0, 0), |sum, file| (sum.0 + file.added, sum.1 + file.removed));
    let directory = match files {
        [] | [_] => "",
        several => common_directory(several.iter().map(|file| file.path.as_str())),
    };
    if files.len() != 1 || files.iter().any(|file| file.path.is_empty()) {
        let within = if directory.is_empty() { String::new() } else { format!(" in {directory}") };
        reading.say_always(format!("{}{within}: {}", plural(files.len(), "file", "files"), signed(added, removed)));
    }
    let mut largest: Vec<usize> = (0..files.len()).collect();
    largest.sort_by_key(|index| files.get(*index).map(|file| std::cmp::Reverse(file.added + file.removed)));
    for (position, index) in largest.into_iter().enumerate() {
        let Some(file) = files.get(index) else { continue };
        let Some(piece) = reading.pieces.get_mut(file.first) else { continue };
        // A cut diff has changes before its first header.
        if file.path.is_empty() {
            continue;
        }
        let path = file.path.strip_prefix(directory).unwrap_or(&file.path);
        piece.full = Some(format!("{path} {}{}", signed(file.added, file.removed), file.fate));
        piece.rank = if position < NAMED_FILES { Rank::Frame } else { Rank::Telling(0) };
    }
    if files.len() > NAMED_FILES {
        let paths: Vec<&str> =
            files.iter().map(|file| file.path.strip_prefix(directory).unwrap_or(&file.path)).collect();
        let groups = by_directory(&paths, 10);
        let said = groups.iter().map(|(at, members)| format!("{at} {}", plural(members.len(), "file", "files")));
        let said: Vec<String> = said.collect();
        if !said.is_empty() {
            reading.say(said.join(", "));
        }
    }
}

/// A changed line that is kept in full needs the name of its file.
fn name_files_of_findings(reading: &mut Reading, files: &[File]) {
    for file in files {
        let within = reading.pieces.get(file.first..file.end).unwrap_or_default();
        let found = within.iter().any(|piece| piece.rank.finding().is_some());
        if (found || !file.fate.is_empty()) && !file.path.is_empty() {
            reading.raise(file.first, Rank::Frame);
        }
    }
}

fn signed(added: usize, removed: usize) -> String {
    format!("+{} −{}", Tokens(added as u64), Tokens(removed as u64))
}

/// A commit is one line: hash, author, date and subject.
fn tell_commits(reading: &mut Reading, text: &str, lines: &[Line]) {
    let opens = |index: &usize| {
        let line = reading.pieces.get(*index).map_or("", |piece| piece.text(text));
        lines.get(*index) == Some(&Line::Commit) && (line.starts_with("commit ") || line.starts_with("From "))
    };
    let commits: Vec<usize> = (0..lines.len()).filter(opens).collect();
    for (position, first) in commits.iter().enumerate() {
        let end = lines.iter().skip(*first).take_while(|line| **line == Line::Commit).count() + first;
        let below = || (*first..end).filter_map(|index| reading.pieces.get(index)).map(|piece| piece.text(text));
        let field = |name: &str| below().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim();
        let hash: String =
            below().next().unwrap_or_default().split(' ').nth(1).unwrap_or_default().chars().take(10).collect();
        let author = field("Author:").split('<').next().unwrap_or_default().trim();
        let author =
            if author.is_empty() { field("From:").split('<').next().unwrap_or_default().trim() } else { author };
        let subject = match field("Subject:") {
            "" => below().find(|line| line.starts_with("    ") && !line.trim().is_empty()).unwrap_or_default().trim(),
            subject => subject,
        };
        let said = format!("commit {hash} {author}, {}: {subject}", field("Date:"));
        let mut subject_seen = false;
        for index in *first..end {
            let Some(piece) = reading.pieces.get_mut(index) else { continue };
            let line = piece.text(text);
            let is_body = line.starts_with("    ") && !line.trim().is_empty() && subject_seen;
            subject_seen = subject_seen || line.trim() == subject;
            piece.rank = if is_body { Rank::Telling(2) } else { Rank::Told };
        }
        if let Some(piece) = reading.pieces.get_mut(*first) {
            piece.full = Some(said);
            piece.rank = if position < NAMED_COMMITS { Rank::Frame } else { Rank::Telling(0) };
        }
    }
}

fn rank_rest(reading: &mut Reading, lines: &[Line]) {
    let mut alone = 0;
    for (piece, kind) in reading.pieces.iter_mut().zip(lines) {
        match kind {
            // The file's first line says it all.
            Line::Header if piece.full.is_none() => piece.rank = Rank::Told,
            Line::Hunk => piece.rank = Rank::Telling(5),
            Line::Context => piece.rank = Rank::Told,
            Line::Alone => {
                alone += 1;
                piece.rank = if alone <= NAMED_FILES { Rank::Frame } else { Rank::Telling(0) };
            }
            Line::Header | Line::Added | Line::Removed | Line::Commit | Line::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::{check, made};

    #[test]
    fn a_change_made_everywhere_is_told_once_and_the_odd_one_is_kept() {
        let mut text = String::new();
        for n in 0..40 {
            text.push_str(&format!(
                "diff --git a/src/mod{n}.rs b/src/mod{n}.rs\nindex 1..2 100644\n--- a/src/mod{n}.rs\n+++ b/src/mod{n}.rs\n@@ -1,3 +1,3 @@ fn load()\n fn load() {{\n-    let user{n} = get_user(id);\n+    let user{n} = fetch_user(id);\n }}\n"
            ));
        }
        text.push_str("diff --git a/src/tls.rs b/src/tls.rs\nindex 1..2 100644\n--- a/src/tls.rs\n+++ b/src/tls.rs\n@@ -1,3 +1,3 @@ fn client()\n fn client() {\n-    builder.verify(true)\n+    builder.verify(false)\n }\n");
        insta::assert_snapshot!(check("git diff", &text), @"
        [digest of diff: 48 of 369 lines kept, 2,082 tokens; original 92aa50d09fe6]
        41 files: +41 −41
        repeated: `get_user` → `fetch_user` ×40
        src/mod0.rs +1 −1
        @@ -1,3 +1,3 @@ fn load()
        -    let user0 = get_user(id);
        +    let user0 = fetch_user(id);
        src/mod1.rs +1 −1
        @@ -1,3 +1,3 @@ fn load()
        src/mod2.rs +1 −1
        @@ -1,3 +1,3 @@ fn load()
        src/mod3.rs +1 −1
        src/mod4.rs +1 −1
        src/mod5.rs +1 −1
        src/mod6.rs +1 −1
        src/mod7.rs +1 −1
        src/mod8.rs +1 −1
        src/mod9.rs +1 −1
        src/mod10.rs +1 −1
        src/mod11.rs +1 −1
        src/mod12.rs +1 −1
        src/mod13.rs +1 −1
        src/mod14.rs +1 −1
        src/mod15.rs +1 −1
        src/mod16.rs +1 −1
        src/mod17.rs +1 −1
        src/mod18.rs +1 −1
        src/mod19.rs +1 −1
        src/mod20.rs +1 −1
        src/mod21.rs +1 −1
        src/mod22.rs +1 −1
        src/mod23.rs +1 −1
        src/mod24.rs +1 −1
        src/mod25.rs +1 −1
        src/mod26.rs +1 −1
        src/mod27.rs +1 −1
        src/mod28.rs +1 −1
        src/mod29.rs +1 −1
        src/mod30.rs +1 −1
        src/mod31.rs +1 −1
        src/mod32.rs +1 −1
        src/mod33.rs +1 −1
        src/mod34.rs +1 −1
        src/mod35.rs +1 −1
        src/mod36.rs +1 −1
        src/mod37.rs +1 −1
        src/mod38.rs +1 −1
        src/mod39.rs +1 −1
        src/tls.rs +1 −1
        -    builder.verify(true)
        +    builder.verify(false)
        ");
    }

    #[test]
    fn a_deleted_check_and_a_changed_mode_are_kept() {
        let mut text = String::new();
        for n in 0..12 {
            text.push_str(&format!("diff --git a/app/v{n}.py b/app/v{n}.py\n--- a/app/v{n}.py\n+++ b/app/v{n}.py\n@@ -1,4 +1,6 @@\n def view{n}(request):\n"));
            (0..4).for_each(|k| {
                text.push_str(&format!("+    step_{k} = build_{}(request, {n})\n", ["x", "yy", "zz", "w"][(n + k) % 4]))
            });
            if n == 7 {
                text.push_str("-    if not request.user.has_permission('edit'):\n-        raise Forbidden()\n");
            }
            text.push_str("     return page\n");
        }
        text.push_str("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
        let digest = check("git diff", &text);
        assert!(digest.contains("-    if not request.user.has_permission('edit'):"), "{digest}");
        assert!(digest.contains("run.sh +0 −0 mode 100644 → 100755"), "{digest}");
    }

    #[test]
    fn directories_compared_name_what_only_one_has() {
        let mut text = String::from("Only in old: legacy.conf\n");
        for n in 0..20 {
            text.push_str(&format!("diff -r -u old/f{n}.ini new/f{n}.ini\n--- old/f{n}.ini\t2025-01-01\n+++ new/f{n}.ini\t2025-01-02\n@@ -1,2 +1,2 @@\n [main]\n-level = {n}\n+level = {}\n", n + 1));
        }
        text.push_str("Only in new/keys: deploy.pem\n");
        let digest = check("diff -ru old new", &text);
        assert!(
            digest.contains("Only in old: legacy.conf") && digest.contains("Only in new/keys: deploy.pem"),
            "{digest}"
        );
        assert!((0..20).all(|n| digest.contains(&format!("f{n}.ini"))), "{digest}");
    }

    #[test]
    fn new_renamed_binary_and_deleted_files_are_told() {
        let body: String = (0..60).map(|n| format!("+line number {n} of the new file\n")).collect();
        let text = format!(
            "commit 7b26009144b51471667781924fa5cd34c6d25a6e\nAuthor: Ann <a@b.c>\nDate:   Sun Apr 12 17:04:51 2026 +0200\n\n    Cover failures\n    \n    The body of the message.\n\ndiff --git a/new.txt b/new.txt\nnew file mode 100755\nindex 000..123\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,60 @@\n{body}diff --git a/old.rs b/src/moved.rs\nsimilarity index 100%\nrename from old.rs\nrename to src/moved.rs\ndiff --git a/logo.png b/logo.png\nindex 1..2 100644\nBinary files a/logo.png and b/logo.png differ\ndiff --git a/gone.c b/gone.c\ndeleted file mode 100644\nindex 1..0\n--- a/gone.c\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-int main() {{ return 0; }}\n-assert(ready);\n"
        );
        insta::assert_snapshot!(check("git show", &text), @"
        [digest of diff: 11 of 89 lines kept, 633 tokens; original 8aec465c96ec]
        4 files: +60 −2
        commit 7b26009144 Ann, Sun Apr 12 17:04:51 2026 +0200: Cover failures
            The body of the message.
        new.txt +60 −0 new, executable
        @@ -0,0 +1,60 @@
        +line number 0 of the new file
        src/moved.rs +0 −0 renamed from old.rs
        logo.png +0 −0 binary
        gone.c +0 −2 deleted
        @@ -1,2 +0,0 @@
        -int main() { return 0; }
        -assert(ready);
        ");
    }

    #[test]
    fn a_diff_cut_at_its_beginning_is_still_a_diff() {
        let lines: String =
            (0..50).map(|n| format!("-\tcontent{n}, err := file.Contents()\n \treturn nil\n")).collect();
        let text =
            format!("{lines}@@ -929,2 +850,2 @@ func GetMetadataRef\n-\tif id == \"\" {{\n+\tif id.IsEmpty() {{\n");
        insta::assert_snapshot!(check("git diff | tail", &text), @"
        [digest of diff: 14 of 103 lines kept, 629 tokens; original fda67790601a]
        1 file: +1 −51
        -	content0, err := file.Contents()
        -	content1, err := file.Contents()
        -	content2, err := file.Contents()
        -	content3, err := file.Contents()
        -	content4, err := file.Contents()
        -	content5, err := file.Contents()
        -	content6, err := file.Contents()
        -	content7, err := file.Contents()
        -	content8, err := file.Contents()
        -	content9, err := file.Contents()
        -	content10, err := file.Contents()
        -	content11, err := file.Contents()
        -	content12, err := file.Contents()
        +	if id.IsEmpty() {
        ");
    }

    #[test]
    fn text_that_shows_a_diff_somewhere_is_no_diff() {
        let prose = "Some words about a patch, line by line.\n".repeat(60);
        let text = format!("{prose}@@ -1,2 +1,2 @@\n-a\n+b\n{prose}");
        assert_ne!(made("", "cat notes.md", &text).map(|digest| digest.kind), Some("diff"));
    }
}
