//! The files that calls named: what was done to each, how often, and what was done last.

mod change;

use std::collections::{BTreeSet, HashMap, HashSet};

use change::{Change, change_in_patch};
pub(super) use change::{changed, tidy};
use serde_json::Value;

use super::shell::Effect;
use super::{EARLIER, LATER, SAID, SALIENT};
use crate::arguments::{self, CallKind, PATH_KEYS};
use crate::model::ToolCall;

/// What can be done to a file, in the order in which it is told.
const VERBS: [&str; 6] = ["created", "edited", "appended to", "deleted", "read", "used"];
const CREATED: usize = 0;
const EDITED: usize = 1;
const APPENDED: usize = 2;
const DELETED: usize = 3;
const READ: usize = 4;
const USED: usize = 5;

/// Longer ones are no paths.
const LONGEST_PATH: usize = 300;

const LAST_EDIT: &str = "last edit ";
const TESTS_PASSED: &str = "tests passed after";
const TESTS_FAILED: &str = "tests failed after";
const MOVED_TO: &str = "moved to ";

/// What is known of a path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct FileTrail {
    counts: [usize; 6],
    moved_to: Option<String>,
    last_edit: Option<String>,
    tests: Option<&'static str>,
    rank: u8,
    last_touched: usize,
    last_changed: usize,
    /// Changes since something was recorded for the last time, and how often that had been done before them.
    unrecorded: [usize; 3],
    recordings: usize,
    /// An earlier summary told it.
    is_carried: bool,
}

/// The files that calls named, and what was done to them.
#[derive(Default)]
pub(super) struct FileTrails {
    trails: HashMap<String, FileTrail>,
    touches: usize,
    /// The last tests, as how many touches came before them, and what they said.
    tests: Option<(usize, &'static str)>,
    /// What an earlier summary says of files in words of its own.
    told: Vec<String>,
    /// Files that an earlier summary did not name.
    others: usize,
    /// The paths of each name that are spelled from the root.
    by_name: HashMap<String, BTreeSet<String>>,
    /// When a file of this name was changed last, in calls.
    changed: HashMap<String, usize>,
    /// Calls so far.
    calls: usize,
    /// How often something was recorded, or everything was put back.
    recordings: usize,
    /// The times between recordings whose changes were put back.
    put_back: HashSet<usize>,
}

impl FileTrails {
    /// A call that succeeded.
    pub(super) fn note(&mut self, call: &ToolCall, kind: CallKind, answer: &str) {
        if call.arguments.contains("*** Begin Patch") {
            return self.read_patch(&call.arguments);
        }
        let Some(path) = arguments::string_argument(&call.arguments, PATH_KEYS) else { return };
        match kind {
            CallKind::Reads => self.touch(&path, READ, 1),
            CallKind::Runs => self.touch(&path, USED, 1),
            CallKind::Writes => {
                let created = answer.get(..answer.len().min(200)).is_some_and(|begins| begins.contains("created"));
                self.touch(&path, if created { CREATED } else { EDITED }, 1);
                let change = changed(&call.arguments);
                if let (Some(change), Some(trail)) = (change, self.trails.get_mut(&*path)) {
                    trail.last_edit = Some(change);
                }
            }
        }
    }

    /// What a shell command did.
    pub(super) fn apply(&mut self, effect: Effect) {
        match effect {
            Effect::Writes(path) => self.touch(&path, CREATED, 1),
            Effect::Appends(path) => self.touch(&path, APPENDED, 1),
            Effect::Deletes(path) => self.touch(&path, DELETED, 1),
            Effect::Restores(path) => self.restore(&path),
            Effect::RestoresAll => {
                self.put_back.insert(self.recordings);
                self.recordings += 1;
            }
            Effect::Moves(from, to) => {
                let known = self.trails.get(&from).cloned();
                self.touch(&to, CREATED, 1);
                self.touch(&from, EDITED, 0);
                if let (Some(known), Some(trail)) = (known, self.trails.get_mut(&to)) {
                    *trail = FileTrail { last_touched: trail.last_touched, ..known };
                }
                if let Some(trail) = self.trails.get_mut(&from) {
                    *trail = FileTrail { moved_to: Some(to), rank: rank_of_change(&from), ..FileTrail::default() };
                    trail.last_touched = self.touches;
                }
            }
        }
    }

    /// So many calls were made.
    pub(super) fn at(&mut self, calls: usize) {
        self.calls = calls;
    }

    /// When a file of this name was changed last, in calls.
    pub(super) fn changed(&self, name: &str) -> Option<usize> {
        self.changed.get(name).copied()
    }

    /// A change that an editor made to the file it has open.
    pub(super) fn edited(&mut self, path: &str, change: Option<String>) {
        self.touch(path, EDITED, 1);
        if let Some(trail) = self.trails.get_mut(path) {
            trail.last_edit = change;
        }
    }

    pub(super) fn opened(&mut self, path: &str) {
        self.touch(path, READ, 1);
    }

    pub(super) fn created(&mut self, path: &str) {
        self.touch(path, CREATED, 1);
    }

    /// What was changed so far is recorded: it is not put back any more.
    pub(super) fn recorded(&mut self) {
        self.recordings += 1;
    }

    /// A file is again as it was recorded last.
    fn restore(&mut self, path: &str) {
        let whole = if self.trails.contains_key(path) { None } else { self.whole_of(path).cloned() };
        let path = whole.unwrap_or_else(|| path.to_owned());
        let Some(trail) = self.trails.get_mut(&path) else { return };
        if trail.recordings == self.recordings {
            trail.take_back();
        }
        (trail.last_edit, trail.tests) = (None, None);
        if trail.counts.iter().all(|count| *count == 0) && trail.moved_to.is_none() {
            self.trails.remove(&path);
        }
    }

    /// Tests ran: everything that was edited before them stands as they say.
    pub(super) fn tested(&mut self, passed: bool) {
        self.tests = Some((self.touches, if passed { TESTS_PASSED } else { TESTS_FAILED }));
    }

    fn apply_tests(&mut self) {
        let Some((touches, said)) = self.tests else { return };
        for (path, trail) in &mut self.trails {
            if trail.last_changed <= touches && trail.is_changed() && is_code(path) {
                trail.tests = Some(said);
            }
        }
    }

    fn read_patch(&mut self, arguments: &str) {
        // In JSON, or as it is.
        let patch = serde_json::from_str::<Value>(arguments).ok();
        let patch = patch.as_ref().and_then(|value| match value {
            Value::Object(fields) => fields.values().filter_map(Value::as_str).find(|text| text.contains("*** ")),
            Value::String(text) => Some(text.as_str()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        });
        let mut path: Option<String> = None;
        let mut found: Option<Change> = None;
        for line in patch.unwrap_or(arguments).lines() {
            let opens = [("*** Update File: ", EDITED), ("*** Add File: ", CREATED), ("*** Delete File: ", DELETED)];
            if let Some((name, verb)) = opens.iter().find_map(|(marker, verb)| Some((line.strip_prefix(marker)?, verb)))
            {
                self.touch(name.trim(), *verb, 1);
                (path, found) = (Some(name.trim().to_owned()), None);
            } else if let (Some(to), Some(from)) = (line.strip_prefix("*** Move to: "), path.clone()) {
                self.apply(Effect::Moves(from, to.trim().to_owned()));
                path = Some(to.trim().to_owned());
            } else if let (Some(path), Some(change)) = (&path, change_in_patch(line)) {
                // What a line was replaced by says more than what it was.
                if found.as_ref().is_some_and(|found| found.adds || !change.adds) {
                    continue;
                }
                if let Some(trail) = self.trails.get_mut(path).filter(|trail| trail.counts[EDITED] > 0) {
                    trail.last_edit = Some(change.line.clone());
                }
                found = Some(change);
            }
        }
    }

    fn touch(&mut self, path: &str, verb: usize, times: usize) {
        if path.is_empty() || path.len() > LONGEST_PATH || path.contains('\n') {
            return;
        }
        self.touches += 1;
        if path.starts_with('/') && !self.trails.contains_key(path) {
            self.by_name.entry(name_of(path).to_owned()).or_default().insert(path.to_owned());
        }
        let trail = self.trails.entry(path.to_owned()).or_default();
        trail.settle(self.recordings, &self.put_back);
        if let Some(count) = trail.unrecorded.get_mut(verb) {
            *count += times;
        }
        if let Some(count) = trail.counts.get_mut(verb) {
            *count += times;
        }
        match verb {
            READ | USED => {}
            _ => {
                self.changed.insert(name_of(path).to_owned(), self.calls);
                // What was said of an older state no longer holds.
                (trail.tests, trail.last_edit, trail.moved_to) = (None, None, None);
                trail.last_changed = self.touches;
                // A file that is made again is there again.
                trail.counts[DELETED] = usize::from(verb == DELETED);
            }
        }
        trail.rank = match verb {
            READ | USED if trail.counts[READ] + trail.counts[USED] > 1 => trail.rank.max(LATER),
            READ | USED => trail.rank.max(SAID),
            _ => trail.rank.max(rank_of_change(path)),
        };
        trail.last_touched = self.touches;
    }

    /// Reads what [`FileTrails::in_order`] wrote into an earlier summary.
    pub(super) fn carry_over(&mut self, item: &str) {
        match (read_back(item), read_other_files(item)) {
            (Some((path, trail)), _) => {
                self.touch(path, READ, 0);
                let (last_touched, last_changed) = (self.touches, self.touches);
                let trail = FileTrail { last_touched, last_changed, is_carried: true, ..trail };
                self.trails.insert(path.to_owned(), trail);
            }
            (None, Some(others)) => self.others = self.others.max(others),
            (None, None) => self.told.push(item.to_owned()),
        }
    }

    /// So many files at least were changed before, and are not told any more.
    pub(super) fn others(&self) -> usize {
        // A file that is new here may be one of them.
        let new = self.trails.values().filter(|trail| trail.is_changed() && !trail.is_carried).count();
        self.others.saturating_sub(new)
    }

    /// One line a file: those that were changed, then those that were read, the last touched last.
    pub(super) fn in_order(mut self) -> Vec<(u8, String)> {
        for trail in self.trails.values_mut() {
            trail.settle(self.recordings, &self.put_back);
        }
        self.trails.retain(|_, trail| trail.counts.iter().any(|count| *count > 0) || trail.moved_to.is_some());
        self.apply_tests();
        self.join_spellings();
        let mut trails: Vec<(String, FileTrail)> = self.trails.into_iter().collect();
        trails.sort_by_key(|(_, trail)| (trail.is_only_read(), trail.last_touched));
        let told = self.told.into_iter().map(|item| (EARLIER, item));
        told.chain(trails.into_iter().map(|(path, trail)| (trail.rank, trail.write(&path)))).collect()
    }
}

impl FileTrails {
    /// The absolute path of a file that is known, if a relative one ends it and no other.
    fn whole_of(&self, path: &str) -> Option<&String> {
        let spelled = self.by_name.get(name_of(path)).into_iter().flatten();
        let ends = |whole: &&String| whole.strip_suffix(path).is_some_and(|up| up.ends_with('/'));
        let mut known = spelled.filter(ends).filter(|whole| self.trails.contains_key(*whole));
        known.next().filter(|_| known.next().is_none())
    }

    /// A relative path that ends an absolute one is the same file, if it ends but one.
    fn join_spellings(&mut self) {
        let relative = self.trails.keys().filter(|path| !path.starts_with(['/', '~']));
        let mut same: Vec<(String, String)> =
            relative.filter_map(|path| Some((path.clone(), self.whole_of(path)?.clone()))).collect();
        same.sort();
        for (path, whole) in same {
            let Some(other) = self.trails.remove(&path) else { continue };
            if let Some(trail) = self.trails.get_mut(&whole) {
                trail.join(other);
            }
        }
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What is made for the moment is hardly worth telling.
fn rank_of_change(path: &str) -> u8 {
    if path.starts_with("/tmp/") { SAID } else { SALIENT }
}

/// Tests speak of code, not of notes and directories.
fn is_code(path: &str) -> bool {
    let extension = name_of(path).rsplit_once('.').map(|(_, extension)| extension);
    !path.starts_with("/tmp/") && extension.is_some_and(|extension| !["md", "txt", "log", "json"].contains(&extension))
}

impl FileTrail {
    /// The same file by another spelling; what was done last is what holds.
    fn join(&mut self, other: FileTrail) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count += more;
        }
        if other.last_touched > self.last_touched {
            self.last_touched = other.last_touched;
            self.moved_to = other.moved_to.or(self.moved_to.take());
            self.last_edit = other.last_edit.or(self.last_edit.take());
            self.tests = other.tests.or(self.tests);
        }
        self.rank = self.rank.max(other.rank);
    }

    /// Takes back what was changed and put back since, and counts anew behind a recording.
    fn settle(&mut self, recordings: usize, put_back: &HashSet<usize>) {
        if self.recordings == recordings {
            return;
        }
        if put_back.contains(&self.recordings) {
            self.take_back();
        }
        (self.recordings, self.unrecorded) = (recordings, [0; 3]);
    }

    fn take_back(&mut self) {
        let unrecorded = std::mem::take(&mut self.unrecorded);
        if unrecorded.iter().all(|count| *count == 0) {
            return;
        }
        for (count, back) in self.counts.iter_mut().zip(unrecorded) {
            *count = count.saturating_sub(back);
        }
        (self.last_edit, self.tests) = (None, None);
        if self.is_only_read() {
            self.rank = SAID;
        }
    }

    fn is_only_read(&self) -> bool {
        let changes = self.counts[CREATED] + self.counts[EDITED] + self.counts[APPENDED] + self.counts[DELETED];
        changes == 0 && self.moved_to.is_none()
    }

    fn is_changed(&self) -> bool {
        self.counts[CREATED] + self.counts[EDITED] + self.counts[APPENDED] > 0 && self.counts[DELETED] == 0
    }

    fn write(&self, path: &str) -> String {
        let counted = VERBS.iter().zip(self.counts).enumerate().filter(|(_, (_, count))| *count > 0);
        let mut said: Vec<String> = self.moved_to.iter().map(|to| format!("{MOVED_TO}{to}")).collect();
        // What was changed was read; how often does not matter then.
        let changed = self.is_changed();
        said.extend(counted.filter(|(verb, _)| !changed || *verb < READ).map(|(_, (verb, count))| match count {
            1 => (*verb).to_owned(),
            count => format!("{verb} {count}×"),
        }));
        let mut line = format!("- {path} ({})", said.join(", "));
        if let Some(edit) = self.last_edit.as_ref().filter(|_| self.counts[DELETED] == 0) {
            line.push_str(&format!(": {LAST_EDIT}`{edit}`"));
        }
        if let Some(tests) = self.tests {
            line.push_str(&format!("; {tests}"));
        }
        line
    }
}

/// The same line without what was edited last and what tests said after it.
pub(super) fn shorter(item: &str) -> Option<String> {
    let (path, trail) = read_back(item)?;
    Some(FileTrail { last_edit: None, tests: None, ..trail }.write(path))
}

const OTHER_FILES: (&str, &str) = ("- (and at least ", " other files changed, not listed)");

/// Said where not every file that was changed is told.
pub(super) fn other_files(count: usize) -> String {
    format!("{}{count}{}", OTHER_FILES.0, OTHER_FILES.1)
}

fn read_other_files(item: &str) -> Option<usize> {
    item.strip_prefix(OTHER_FILES.0)?.strip_suffix(OTHER_FILES.1)?.parse().ok()
}

/// `- path (edited 3×, deleted): last edit `x`; tests passed after` as it was before it was written.
fn read_back(item: &str) -> Option<(&str, FileTrail)> {
    let line = item.strip_prefix("- ").filter(|line| !line.contains('\n'))?;
    line.match_indices(" (").find_map(|(at, open)| {
        let (path, rest) = (line.get(..at)?, line.get(at + open.len()..)?);
        let (said, rest) = rest.match_indices(')').find_map(|(end, _)| {
            let behind = rest.get(end + 1..)?;
            let ends = behind.is_empty() || behind.starts_with(": ") || behind.starts_with("; ");
            ends.then(|| Some((rest.get(..end)?, behind)))?
        })?;
        let mut trail = FileTrail::default();
        for part in said.split(", ") {
            if let Some(to) = part.strip_prefix(MOVED_TO) {
                trail.moved_to = Some(to.to_owned());
                continue;
            }
            let known = VERBS.iter().enumerate().find_map(|(verb, name)| {
                let count = part.strip_prefix(name)?.trim();
                let count = if count.is_empty() { 1 } else { count.strip_suffix('×')?.parse().ok()? };
                Some((verb, count))
            });
            let (verb, count) = known?;
            *trail.counts.get_mut(verb)? = count;
        }
        let changed = trail.is_changed() || trail.counts[DELETED] > 0 || trail.moved_to.is_some();
        trail.rank = match trail.counts[READ] + trail.counts[USED] {
            _ if changed => rank_of_change(path),
            0 | 1 => SAID,
            _ => LATER,
        };
        let edit = rest.split_once(&format!(": {LAST_EDIT}`")).and_then(|(_, edit)| edit.rsplit_once('`'));
        trail.last_edit = edit.map(|(edit, _)| edit.to_owned());
        trail.tests = [TESTS_PASSED, TESTS_FAILED].into_iter().find(|tests| rest.ends_with(tests));
        Some((path, trail))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1".into(), name: name.into(), arguments: arguments.into() }
    }

    fn lines(files: FileTrails) -> Vec<String> {
        files.in_order().into_iter().map(|(_, line)| line).collect()
    }

    fn noted(calls: &[(&str, &str)]) -> FileTrails {
        let mut files = FileTrails::default();
        for (name, arguments) in calls {
            files.note(&call(name, arguments), CallKind::of(name), "");
        }
        files
    }

    #[test]
    fn a_file_is_told_with_what_was_done_to_it_last() {
        let mut files = noted(&[
            ("Read", r#"{"file_path":"a.rs"}"#),
            ("Edit", r#"{"file_path":"a.rs","old_string":"fn a() {\n  1","new_string":"fn a() {\n  2"}"#),
            ("Edit", r#"{"file_path":"a.rs","old_string":"x","new_string":"let y = 3;"}"#),
            ("Write", r##"{"file_path":"b.md","content":"# b\n\nc"}"##),
            ("Read", r#"{"file_path":"c (1).rs"}"#),
            ("Read", r#"{"file_path":"c (1).rs"}"#),
        ]);
        files.tested(true);
        assert_eq!(
            lines(files),
            [
                "- a.rs (edited 2×): last edit `let y = 3;`; tests passed after",
                "- b.md (edited): last edit `the whole file, 3 lines`",
                "- c (1).rs (read 2×)",
            ]
        );
    }

    #[test]
    fn a_file_is_told_once_however_it_is_spelled() {
        let files = noted(&[
            ("Read", r#"{"file_path":"/w/src/a.rs"}"#),
            ("Read", r#"{"file_path":"src/a.rs"}"#),
            ("Read", r#"{"file_path":"/w/x/b.rs"}"#),
            ("Read", r#"{"file_path":"/w/y/b.rs"}"#),
            ("Read", r#"{"file_path":"b.rs"}"#),
        ]);
        assert_eq!(
            lines(files),
            ["- /w/src/a.rs (read 2×)", "- /w/x/b.rs (read)", "- /w/y/b.rs (read)", "- b.rs (read)"]
        );
    }

    #[test]
    fn patches_and_commands_name_files() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@ fn\n-old\n+new `x`\n*** Add File: b.rs\n+fn b() {}\n\
                     *** Delete File: c.rs\n*** Update File: d.rs\n*** Move to: e.rs\n@@\n+two\n*** End Patch";
        let mut files = noted(&[("apply_patch", patch)]);
        files.apply(Effect::Moves("src/a.rs".into(), "src/z.rs".into()));
        files.apply(Effect::Appends("log".into()));
        assert_eq!(
            lines(files),
            [
                "- b.rs (created)",
                "- c.rs (deleted)",
                "- e.rs (edited): last edit `two`",
                "- d.rs (moved to e.rs)",
                "- src/z.rs (edited): last edit `new 'x'`",
                "- src/a.rs (moved to src/z.rs)",
                "- log (appended to)",
            ]
        );
    }

    #[test]
    fn what_is_put_back_was_not_changed() {
        let edit = |path: &str| format!(r#"{{"file_path":"{path}","old_string":"1","new_string":"2"}}"#);
        let (c, d) = (edit("/w/src/c.rs"), edit("/w/d.rs"));
        let mut files = noted(&[("Read", r#"{"file_path":"/w/src/c.rs"}"#), ("Edit", &c), ("Edit", &d)]);
        files.recorded();
        files.note(&call("Edit", &c), CallKind::Writes, "");
        files.note(&call("Edit", &edit("/w/e.rs")), CallKind::Writes, "");
        files.apply(Effect::Restores("src/c.rs".into()));
        files.apply(Effect::Restores("main".into()));
        files.apply(Effect::RestoresAll);
        files.note(&call("Edit", &edit("/w/f.rs")), CallKind::Writes, "");
        assert_eq!(
            lines(files),
            ["- /w/d.rs (edited): last edit `2`", "- /w/src/c.rs (edited)", "- /w/f.rs (edited): last edit `2`"]
        );
    }

    #[test]
    fn files_that_are_not_named_are_counted_and_not_twice() {
        let mut files = FileTrails::default();
        files.carry_over(&other_files(5));
        files.carry_over("- a.rs (edited): last edit `x`; tests passed after");
        assert_eq!(files.others(), 5);
        files.created("b.rs");
        files.opened("c.rs");
        assert_eq!(files.others(), 4);
        assert_eq!(
            shorter("- a.rs (edited 2×): last edit `x`; tests passed after").as_deref(),
            Some("- a.rs (edited 2×)")
        );
        assert_eq!(shorter("- `src/x.rs`: the parser"), None);
    }

    #[test]
    fn what_was_written_is_read_back_and_added_to() {
        let written = [
            "- a (b).rs (created, edited 3×): last edit `x (y): `; tests failed after",
            "- gone.rs (deleted)",
            "- old.rs (moved to new.rs)",
            "- c.rs (read 2×)",
        ];
        let mut files = FileTrails::default();
        written.iter().for_each(|line| files.carry_over(line));
        files.carry_over("- `src/x.rs`: the parser (see above)");
        assert_eq!(lines(files), [&["- `src/x.rs`: the parser (see above)"], &written[..]].concat());
        let mut files = FileTrails::default();
        written.iter().for_each(|line| files.carry_over(line));
        files.note(&call("Read", r#"{"path":"c.rs"}"#), CallKind::Reads, "");
        files.note(&call("edit", r#"{"path":"a (b).rs","oldText":"1","newText":"2"}"#), CallKind::Writes, "");
        assert_eq!(
            lines(files),
            [
                "- gone.rs (deleted)",
                "- old.rs (moved to new.rs)",
                "- a (b).rs (created, edited 4×): last edit `2`",
                "- c.rs (read 3×)",
            ]
        );
    }
}
