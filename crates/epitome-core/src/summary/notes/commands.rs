//! Commands and other calls with their outcome: repeated runs are told once, and what failed and was not put right since
//! stands in the way.

mod frame;
mod outcome;
mod totals;

use std::collections::{BTreeMap, HashMap};

pub(super) use outcome::{End, Outcome};

use super::shell::Script;
use super::{LATER, SALIENT};
use crate::outputs::cut_to_chars;

/// A command is named by so many characters.
const NAME_CHARS: usize = 120;
const FAILED: &str = "failed: ";
const FAILS: &str = " fails: ";
const PUT_RIGHT: &str = " (put right since)";

/// What is called again is told once.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    ran: usize,
    failed: usize,
    /// The last outcome.
    said: String,
    /// What it said when it failed last.
    error: String,
    /// It failed, and something that includes it went well since.
    put_right: bool,
    /// An edit that failed is told if it stands in the way, and not as something done.
    is_listed: bool,
    rank: u8,
    step: usize,
}

/// Everything that was called and may have changed something.
#[derive(Debug, Default)]
pub(super) struct Commands {
    runs: HashMap<String, Run>,
    /// What failed, and nothing has put right since, with the calls that came before.
    open: BTreeMap<String, usize>,
    steps: usize,
    /// Calls so far, of any kind.
    calls: usize,
}

/// After so many calls of other things, what failed is hardly in the way.
const LONG_AGO: usize = 100;

/// What a shell command is called in a summary.
pub(super) fn named(command: &str) -> String {
    cut_to_chars(&Script::name(command), NAME_CHARS).replace('`', "'")
}

/// What a change to a file is called.
pub(super) fn editing(path: &str) -> String {
    format!("editing {}", path.replace('`', "'"))
}

impl Commands {
    /// A call was made.
    pub(super) fn tick(&mut self) {
        self.calls += 1;
    }

    /// How many were made.
    pub(super) fn calls(&self) -> usize {
        self.calls
    }

    /// A command, or another call that may have changed something.
    pub(super) fn note(&mut self, name: &str, rank: u8, outcome: &Outcome) {
        let run = self.run(name, rank);
        run.ran += 1;
        run.is_listed = true;
        run.rank = run.rank.max(rank);
        self.learn(name, outcome);
    }

    /// How a command ended that was noted before.
    pub(super) fn learn(&mut self, name: &str, outcome: &Outcome) {
        if let Some(run) = self.runs.get_mut(name) {
            run.said.clone_from(&outcome.said);
            run.put_right = false;
            if outcome.failed() {
                run.failed += 1;
                run.error = error_of(&outcome.said);
            }
        }
        match outcome.end {
            End::Failed => {
                self.open.insert(name.to_owned(), self.calls);
            }
            End::Well | End::Unsaid | End::NotKnown => self.tried_again(name, outcome.end),
        }
    }

    /// A change to a file; told only while it stands in the way.
    pub(super) fn note_edit(&mut self, path: &str, outcome: &Outcome) {
        let name = editing(path);
        match outcome.end {
            End::Failed => {
                self.run(&name, LATER).error = error_of(&outcome.said);
                self.open.insert(name, self.calls);
            }
            End::Well | End::Unsaid => {
                self.open.remove(&name);
            }
            End::NotKnown => {}
        }
    }

    /// What may have failed before ended so.
    pub(super) fn tried_again(&mut self, name: &str, end: End) {
        match end {
            End::Well => self.put_right(name),
            // The same did not fail again, but nobody knows what it included.
            End::Unsaid => {
                self.open.remove(name);
            }
            End::Failed | End::NotKnown => {}
        }
    }

    /// What went well is no longer in the way, nor is what it includes.
    fn put_right(&mut self, name: &str) {
        let Commands { open, runs, .. } = self;
        open.retain(|failed, _| {
            let included = includes(name, failed);
            if let Some(run) = runs.get_mut(failed).filter(|_| included) {
                run.put_right = true;
            }
            !included
        });
    }

    /// What stands in the way now.
    pub(super) fn open(&self) -> impl Iterator<Item = &str> {
        self.open.keys().map(String::as_str)
    }

    fn run(&mut self, name: &str, rank: u8) -> &mut Run {
        self.steps += 1;
        let new = Run {
            ran: 0,
            failed: 0,
            said: String::new(),
            error: String::new(),
            put_right: false,
            is_listed: false,
            rank,
            step: 0,
        };
        let run = self.runs.entry(name.to_owned()).or_insert(new);
        run.step = self.steps;
        run
    }

    /// Reads what [`Commands::done`] and [`Commands::in_the_way`] wrote; `false`: it is none of that.
    pub(super) fn carry_over(&mut self, item: &str, rank: u8) -> bool {
        if let Some((name, error)) = read_open(item) {
            self.run(name, rank).error = error.to_owned();
            self.open.insert(name.to_owned(), self.calls);
            return true;
        }
        let Some((name, ran, failed, said)) = read_done(item) else { return false };
        let run = self.run(name, rank);
        (run.ran, run.failed, run.is_listed) = (run.ran + ran, run.failed + failed, true);
        run.said = said.strip_suffix(PUT_RIGHT).unwrap_or(said).to_owned();
        run.error = error_of(&run.said);
        // Whether it is still in the way is told elsewhere.
        run.put_right = said.ends_with(PUT_RIGHT);
        true
    }

    /// One line a command, the last run last.
    pub(super) fn done(&self) -> Vec<(u8, String)> {
        let listed = self.in_order().into_iter().filter(|(_, run)| run.is_listed);
        let line = |(name, run): (&String, &Run)| {
            let times = match (run.ran, run.failed) {
                (0 | 1, _) => String::new(),
                (ran, 0) => format!(" (ran {ran}×)"),
                (ran, failed) => format!(" (ran {ran}×, failed {failed}×)"),
            };
            let later = if run.said.starts_with(FAILED) && run.put_right { PUT_RIGHT } else { "" };
            (run.rank, format!("- `{name}`{times} → {}{later}", run.said))
        };
        listed.map(line).collect()
    }

    /// One line for each failure that nothing has put right; `changed` says when a file of a name was changed last.
    pub(super) fn in_the_way(&self, changed: impl Fn(&str) -> Option<usize>) -> Vec<String> {
        let is_open = |name: &String, run: &Run| {
            let Some(since) = self.open.get(name) else { return false };
            // A check that failed long ago may fail again; what it was about may have been changed since.
            self.calls <= since + LONG_AGO
                || run.rank >= SALIENT
                    && !file_names(name).chain(file_names(&run.error)).any(|file| changed(file) > Some(*since))
        };
        let open = self.in_order().into_iter().filter(|(name, run)| is_open(name, run));
        open.map(|(name, run)| format!("- `{name}`{FAILS}{}", run.error)).collect()
    }

    fn in_order(&self) -> Vec<(&String, &Run)> {
        let mut runs: Vec<(&String, &Run)> = self.runs.iter().collect();
        runs.sort_by_key(|(_, run)| run.step);
        runs
    }
}

/// What looks like the name of a file, without its directories.
fn file_names(text: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '`' | '(' | ')' | ':' | ',' | ';' | '=');
    let names = text.split(ends).map(|word| word.trim_end_matches('.').rsplit('/').next().unwrap_or(word));
    names
        .filter(|name| name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && !extension.is_empty()))
}

fn error_of(said: &str) -> String {
    said.strip_prefix(FAILED).unwrap_or(said).to_owned()
}

fn read_open(item: &str) -> Option<(&str, &str)> {
    let (name, error) = item.strip_prefix("- `")?.split_once(&format!("`{FAILS}"))?;
    (!name.contains('`')).then_some((name, error))
}

fn read_done(item: &str) -> Option<(&str, usize, usize, &str)> {
    let (name, rest) = item.strip_prefix("- `")?.split_once('`')?;
    let (times, said) = rest.split_once(" → ")?;
    if times.is_empty() {
        return Some((name, 1, usize::from(said.starts_with(FAILED)), said));
    }
    let times = times.strip_prefix(" (ran ")?.strip_suffix("×)")?;
    let (ran, failed) = match times.split_once("×, failed ") {
        Some((ran, failed)) => (ran.parse().ok()?, failed.parse().ok()?),
        None => (times.parse().ok()?, 0),
    };
    Some((name, ran, failed, said))
}

/// Whether what `name` does includes what `other` does: it is the same, is asked for less in particular, or is asked for
/// everything.
fn includes(name: &str, other: &str) -> bool {
    if name == other {
        return true;
    }
    if other.strip_prefix(name).is_some_and(|more| more.starts_with(' ')) {
        return true;
    }
    let everything = ["./...", "--all", "--workspace", "-r "].iter().any(|all| name.contains(all));
    let head = |name: &str| name.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    everything && head(name) == head(other)
}

/// What a command is worth: what builds, tests or records something must be known, the rest can be run again.
pub(super) fn rank(script: &Script, name: &str) -> u8 {
    let records = ["git ", "gh ", "npm install", "pip install", "docker ", "kubectl "];
    if script.checks() || records.iter().any(|opening| name.starts_with(opening)) { SALIENT } else { LATER }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(commands: &mut Commands, command: &str, text: &str, is_error: bool) {
        let script = Script::read(command);
        let outcome = Outcome::of_command(&script, text, is_error);
        commands.note(&named(command), rank(&script, command), &outcome);
    }

    fn told(commands: &Commands) -> (Vec<String>, Vec<String>) {
        (commands.done().into_iter().map(|(_, line)| line).collect(), commands.in_the_way(|_| None))
    }

    #[test]
    fn repeated_runs_are_told_once_with_their_last_outcome() {
        let mut commands = Commands::default();
        run(&mut commands, "cargo test", "error[E0382]: borrow of moved value\nerror: could not compile", true);
        run(
            &mut commands,
            "cargo test 2>&1 | tail",
            "test a ... FAILED\ntest result: FAILED. 40 passed; 1 failed",
            true,
        );
        run(&mut commands, "git commit -m x", "[main 1234567] x", false);
        assert_eq!(
            told(&commands),
            (
                vec![
                    "- `cargo test` (ran 2×, failed 2×) → failed: test a ... FAILED".into(),
                    "- `git commit -m x` → [main 1234567] x".into()
                ],
                vec!["- `cargo test` fails: test a ... FAILED".into()]
            )
        );
        run(
            &mut commands,
            "cargo test",
            "test result: ok. 41 passed; 0 failed\ntest result: ok. 0 passed; 0 failed",
            false,
        );
        assert_eq!(
            told(&commands),
            (
                vec![
                    "- `git commit -m x` → [main 1234567] x".into(),
                    "- `cargo test` (ran 3×, failed 2×) → passed, test result: ok. 41 passed; 0 failed".into(),
                ],
                vec![]
            )
        );
    }

    #[test]
    fn what_includes_a_failed_command_puts_it_right() {
        for (failed, passed, is_open) in [
            ("go test ./a", "go test ./...", false),
            ("cargo test -p core", "cargo test", false),
            ("cargo test -p core", "cargo test -p cli", true),
            ("npm run lint", "npm run build", true),
        ] {
            let mut commands = Commands::default();
            run(&mut commands, failed, "Exit code 1\nFAIL", false);
            run(&mut commands, passed, "Exit code 0", false);
            assert_eq!(commands.in_the_way(|_| None).is_empty(), !is_open, "{failed} {passed}");
        }
        let mut commands = Commands::default();
        commands.note_edit("a.rs", &Outcome::of_call("<tool_use_error>String to replace not found", false));
        assert_eq!(commands.in_the_way(|_| None).len(), 1);
        commands.note_edit("a.rs", &Outcome::of_call("ok", false));
        assert_eq!(told(&commands), (vec![], vec![]));
    }

    #[test]
    fn what_failed_long_ago_is_not_in_the_way() {
        for (command, changed, is_open) in [
            ("npx tsx -e 'import x'", None, false),
            ("cargo test", None, true),
            ("cargo test", Some(50), false),
            ("cargo test", Some(0), true),
        ] {
            let mut commands = Commands::default();
            run(&mut commands, command, "Exit code 1\nerror: no field `x` in src/a.rs:3", false);
            (0..101).for_each(|_| commands.tick());
            let open = commands.in_the_way(|name| changed.filter(|_| name == "a.rs"));
            assert_eq!(!open.is_empty(), is_open, "{command} {changed:?}");
            assert!(!commands.done()[0].1.ends_with(PUT_RIGHT));
            let mut again = Commands::default();
            commands.done().iter().for_each(|(_, item)| assert!(again.carry_over(item, LATER)));
            assert_eq!(again.done()[0].1, commands.done()[0].1);
            assert!(again.in_the_way(|_| None).is_empty());
        }
    }

    #[test]
    fn only_what_is_known_to_have_gone_well_puts_right() {
        let failing = "Exit code 1\nFAILED tests/a.py::t";
        for (text, said, is_open) in [
            ("Command running in background with ID: b1.", "outcome not known: it was still running", true),
            ("3 passed in 0.1s", "passed, 3 passed in 0.1s", false),
            ("collected", "collected", false),
        ] {
            let mut commands = Commands::default();
            run(&mut commands, "pytest a.py", failing, false);
            run(&mut commands, "pytest a.py", text, false);
            let blocked = if is_open { vec!["- `pytest a.py` fails: FAILED tests/a.py::t".to_owned()] } else { vec![] };
            assert_eq!(told(&commands), (vec![format!("- `pytest a.py` (ran 2×, failed 1×) → {said}")], blocked));
            let mut again = Commands::default();
            told(&commands).0.iter().chain(&told(&commands).1).for_each(|item| assert!(again.carry_over(item, LATER)));
            assert_eq!(told(&again), told(&commands));
        }
        let mut commands = Commands::default();
        run(&mut commands, "go test ./a", failing, false);
        run(&mut commands, "go test ./...", "no test files", false);
        assert_eq!(commands.in_the_way(|_| None).len(), 1);
    }

    #[test]
    fn what_was_told_is_read_back_and_added_up() {
        let mut commands = Commands::default();
        run(&mut commands, "cargo test", "Exit code 1\nerror: no", false);
        run(&mut commands, "git push", "done", false);
        for _ in 0..3 {
            let mut again = Commands::default();
            for item in told(&commands).0.iter().chain(&told(&commands).1) {
                assert!(again.carry_over(item, LATER), "{item}");
            }
            let mut before = told(&commands);
            before.0.sort();
            let mut after = told(&again);
            after.0.sort();
            assert_eq!(before, after);
            commands = again;
            run(&mut commands, "cargo test", "Exit code 1\nerror: no", false);
        }
        assert_eq!(commands.done()[1].1, "- `cargo test` (ran 4×, failed 4×) → failed: error: no");
        assert!(!commands.carry_over("- said: `x` → y", LATER));
    }
}
