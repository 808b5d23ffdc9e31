//! The files that calls named: what was done to each, how often, and what was done last.

mod change;

use std::collections::HashMap;

use change::{change_in_patch, changed};
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
            Effect::Restores(_) | Effect::RestoresAll => {}
            Effect::Moves(from, to) => {
                let known = self.trails.get(&from).cloned();
                self.touch(&to, CREATED, 1);
                self.touch(&from, EDITED, 0);
                if let (Some(known), Some(trail)) = (known, self.trails.get_mut(&to)) {
                    *trail = FileTrail { last_touched: trail.last_touched, ..known };
                }
                if let Some(trail) = self.trails.get_mut(&from) {
                    *trail = FileTrail { moved_to: Some(to), rank: SALIENT, ..FileTrail::default() };
                    trail.last_touched = self.touches;
                }
            }
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
        let mut changed = false;
        for line in patch.unwrap_or(arguments).lines() {
            let opens = [("*** Update File: ", EDITED), ("*** Add File: ", CREATED), ("*** Delete File: ", DELETED)];
            if let Some((name, verb)) = opens.iter().find_map(|(marker, verb)| Some((line.strip_prefix(marker)?, verb)))
            {
                self.touch(name.trim(), *verb, 1);
                (path, changed) = (Some(name.trim().to_owned()), false);
            } else if let (Some(to), Some(from)) = (line.strip_prefix("*** Move to: "), path.clone()) {
                self.apply(Effect::Moves(from, to.trim().to_owned()));
                path = Some(to.trim().to_owned());
            } else if let (false, Some(path), Some(change)) = (changed, &path, change_in_patch(line)) {
                changed = true;
                if let Some(trail) = self.trails.get_mut(path).filter(|trail| trail.counts[EDITED] > 0) {
                    trail.last_edit = Some(change);
                }
            }
        }
    }

    fn touch(&mut self, path: &str, verb: usize, times: usize) {
        if path.is_empty() || path.len() > LONGEST_PATH || path.contains('\n') {
            return;
        }
        self.touches += 1;
        let trail = self.trails.entry(path.to_owned()).or_default();
        if let Some(count) = trail.counts.get_mut(verb) {
            *count += times;
        }
        match verb {
            READ | USED => {}
            _ => {
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
            _ if path.starts_with("/tmp/") => trail.rank.max(SAID),
            _ => SALIENT,
        };
        trail.last_touched = self.touches;
    }

    /// Reads what [`FileTrails::in_order`] wrote into an earlier summary.
    pub(super) fn carry_over(&mut self, item: &str) {
        match read_back(item) {
            Some((path, trail)) => {
                self.touches += 1;
                self.trails.insert(
                    path.to_owned(),
                    FileTrail { last_touched: self.touches, last_changed: self.touches, ..trail },
                );
            }
            None => self.told.push(item.to_owned()),
        }
    }

    /// One line a file, the last touched last.
    pub(super) fn in_order(mut self) -> Vec<(u8, String)> {
        self.apply_tests();
        self.join_spellings();
        let mut trails: Vec<(String, FileTrail)> = self.trails.into_iter().collect();
        trails.sort_by_key(|(_, trail)| trail.last_touched);
        let told = self.told.into_iter().map(|item| (EARLIER, item));
        told.chain(trails.into_iter().map(|(path, trail)| (trail.rank, trail.write(&path)))).collect()
    }
}

impl FileTrails {
    /// A relative path that ends an absolute one is the same file, if it ends but one.
    fn join_spellings(&mut self) {
        let mut by_name: HashMap<&str, Vec<&String>> = HashMap::new();
        for path in self.trails.keys().filter(|path| path.starts_with('/')) {
            by_name.entry(path.rsplit('/').next().unwrap_or(path)).or_default().push(path);
        }
        let mut same: Vec<(String, String)> = Vec::new();
        for path in self.trails.keys().filter(|path| !path.starts_with(['/', '~'])) {
            let whole = by_name.get(path.rsplit('/').next().unwrap_or(path)).into_iter().flatten();
            let mut whole = whole.filter(|whole| whole.strip_suffix(path.as_str()).is_some_and(|up| up.ends_with('/')));
            if let (Some(whole), None) = (whole.next(), whole.next()) {
                same.push((path.clone(), (*whole).clone()));
            }
        }
        same.sort();
        for (path, whole) in same {
            let Some(other) = self.trails.remove(&path) else { continue };
            if let Some(trail) = self.trails.get_mut(&whole) {
                trail.join(other);
            }
        }
    }
}

/// Tests speak of code, not of notes and directories.
fn is_code(path: &str) -> bool {
    let extension = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension);
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
            _ if changed => SALIENT,
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
                "- src/z.rs (edited): last edit `removed old`",
                "- src/a.rs (moved to src/z.rs)",
                "- log (appended to)",
            ]
        );
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
                "- c.rs (read 3×)",
                "- a (b).rs (created, edited 4×): last edit `2`",
            ]
        );
    }
}
