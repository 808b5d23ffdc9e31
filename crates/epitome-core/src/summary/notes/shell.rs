//! What a shell command is called, whether it only looks, and what it certainly does to files.

mod reader;

use reader::Reader;

/// What a command does to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// It is there now, and was not, or was replaced.
    Writes(String),
    /// Something was added to it.
    Appends(String),
    /// It is gone.
    Deletes(String),
    /// It has another name now.
    Moves(String, String),
    /// It is again as it was recorded last.
    Restores(String),
    /// Every file is.
    RestoresAll,
}

/// Programs that change nothing.
const LOOKING: &[&str] = &[
    "ag", "awk", "bat", "cat", "cd", "column", "cut", "date", "df", "diff", "du", "echo", "env", "fd", "file", "find",
    "grep", "egrep", "head", "hexdump", "id", "jq", "less", "ls", "lsof", "nl", "printf", "ps", "pwd", "rg", "sed",
    "sleep", "sort", "stat", "strings", "tail", "test", "tr", "tree", "true", "type", "uname", "uniq", "wc", "which",
    "whoami", "xxd", "[",
];
/// Of `git`, what changes nothing.
const LOOKING_GIT: &[&str] = &[
    "blame",
    "branch",
    "describe",
    "diff",
    "grep",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "reflog",
    "remote",
    "rev-list",
    "rev-parse",
    "show",
    "show-ref",
    "status",
    "cat-file",
    "config",
];
/// Words of commands that build, test or check.
const CHECKING: &[&str] = &[
    "test",
    "tests",
    "check",
    "build",
    "lint",
    "clippy",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "tsc",
    "tsgo",
    "eslint",
    "biome",
    "ruff",
    "mypy",
    "make",
    "cmake",
    "ninja",
    "ctest",
    "tox",
    "nextest",
    "vet",
    "golangci-lint",
    "rspec",
    "phpunit",
    "gradle",
    "gradlew",
    "mvn",
    "typecheck",
    "compile",
    "playwright",
    "bazel",
];
/// Of these, the words of those that test.
const TESTING: &[&str] = &[
    "test",
    "tests",
    "pytest",
    "jest",
    "vitest",
    "mocha",
    "ctest",
    "tox",
    "nextest",
    "rspec",
    "phpunit",
    "playwright",
];

/// Programs whose words say nothing of builds and tests.
const NOT_CHECKING: &[&str] = &[
    "chmod", "code", "cp", "git", "gh", "kill", "ln", "mkdir", "mv", "nano", "open", "pkill", "rm", "rmdir", "rsync",
    "scp", "ssh", "tar", "touch", "vi", "vim", "zip",
];
/// What only shows what others did, by its first words.
const SHOWING: &[&[&str]] = &[
    &["gh", "run"],
    &["gh", "pr"],
    &["gh", "api"],
    &["gh", "issue"],
    &["kubectl", "logs"],
    &["kubectl", "get"],
    &["kubectl", "describe"],
    &["docker", "logs"],
    &["docker", "ps"],
    &["docker", "inspect"],
    &["docker", "compose", "logs"],
    &["docker-compose", "logs"],
    &["journalctl"],
    &["pm2", "logs"],
    &["az", "pipelines"],
    &["glab", "ci"],
];
/// How a program says under its own name that it could not do it.
const COMPLAINTS: &[&str] = &[
    "cannot ",
    "can't ",
    "could not ",
    "No such file",
    "ermission denied",
    "not found",
    "unrecognized",
    "invalid option",
    "unknown option",
    "illegal option",
    "missing operand",
    "not permitted",
    "Is a directory",
    "failed",
];

/// How a command hangs on the one before it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Joined {
    #[default]
    First,
    And,
    Or,
    Pipe,
    Then,
}

/// One simple command: its words without quotes, and where its output goes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Simple {
    joined: Joined,
    words: Vec<String>,
    writes: Vec<String>,
    appends: Vec<String>,
}

/// A command line, taken apart as far as that is certain.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Script {
    commands: Vec<Simple>,
    /// The last command of its last pipe, if there is one.
    behind_pipe: Option<usize>,
}

/// Only the beginning of a long script is read.
const READ_AT_MOST: usize = 4_000;
/// It is called by what stands in the first bytes.
const NAMED_BY: usize = 1_000;

impl Script {
    pub(super) fn read(text: &str) -> Script {
        let mut reader = Reader::default();
        let mut here: Option<String> = None;
        let mut read = 0;
        for line in text.lines() {
            read += line.len() + 1;
            if let Some(end) = &here {
                if line.trim() == end {
                    here = None;
                }
                continue;
            }
            if read > READ_AT_MOST {
                break;
            }
            here = reader.line(line);
        }
        reader.end_of_command();
        Script { commands: reader.commands, behind_pipe: reader.behind_pipe }
    }

    /// Whether nothing is changed by it.
    pub(super) fn only_looks(&self) -> bool {
        self.commands.iter().all(|command| {
            let in_place = || command.words.iter().any(|word| word.starts_with("-i") || word == "-delete");
            let looks = match command.program() {
                Some("git") => command.git().is_none_or(|word| LOOKING_GIT.contains(&word)),
                Some("sed" | "find") => !in_place(),
                Some("go") => matches!(command.arguments().next(), Some("env" | "version" | "list" | "doc")),
                Some(_) if command.asks_about_itself() => true,
                Some(program) => LOOKING.contains(&program),
                None => true,
            };
            looks && command.writes.iter().chain(&command.appends).all(|path| path.starts_with("/dev/"))
        })
    }

    /// Whether the exit code is that of what it checks, or of all that it does: where it is none, all of that went well.
    pub(super) fn code_is_its_own(&self) -> bool {
        let first = self.commands.iter().position(|command| command.has(CHECKING)).unwrap_or_default();
        let strict = self.commands.iter().any(|command| command.words.iter().any(|word| word == "pipefail"));
        self.commands.iter().skip(first + 1).all(|command| match command.joined {
            Joined::And => true,
            Joined::Pipe => strict,
            Joined::First | Joined::Or | Joined::Then => false,
        })
    }

    /// Whether what it prints is about something else: a log, the run of another machine.
    pub(super) fn shows(&self) -> bool {
        let shows = |command: &Simple| {
            let words: Vec<&str> = command.program().into_iter().chain(command.arguments()).collect();
            SHOWING.iter().any(|opening| words.starts_with(opening))
        };
        let looks = |command: &Simple| command.program().is_none_or(|program| LOOKING.contains(&program));
        self.commands.iter().any(shows) && self.commands.iter().all(|command| shows(command) || looks(command))
    }

    /// Whether it runs this program.
    pub(super) fn runs(&self, program: &str) -> bool {
        self.commands.iter().any(|command| command.program() == Some(program))
    }

    /// Whether one of its programs, or the shell, says in this line that it could not do it.
    pub(super) fn complains(&self, line: &str) -> bool {
        let Some((program, rest)) = line.split_once(": ") else { return false };
        let named = || matches!(program, "bash" | "sh" | "zsh" | "/bin/sh" | "/bin/bash") || self.runs(program);
        COMPLAINTS.iter().any(|said| rest.contains(said)) && named()
    }

    /// Whether only some lines of its output are shown: what is not shown may say that it failed.
    pub(super) fn is_filtered(&self) -> bool {
        let last = self.behind_pipe.and_then(|at| self.commands.get(at)).and_then(Simple::program);
        last.is_some_and(|program| !matches!(program, "tail" | "tee" | "cat"))
    }

    /// Whether it does nothing but what the files tell: they were made, moved or removed.
    pub(super) fn only_arranges_files(&self) -> bool {
        let arranges = |command: &Simple| {
            matches!(command.program(), Some("mkdir" | "rmdir" | "touch" | "mv" | "cp" | "rm" | "cd"))
                || matches!((command.program(), command.git()), (Some("git"), Some("mv" | "rm")))
        };
        !self.effects().is_empty() && self.commands.iter().all(arranges)
    }

    /// Whether it records something for good.
    pub(super) fn records(&self) -> bool {
        self.commands.iter().any(|command| command.program() == Some("git") && command.git() == Some("commit"))
    }

    /// Whether it builds, tests or checks something: its last outcome is worth knowing.
    pub(super) fn checks(&self) -> bool {
        self.has(CHECKING)
    }

    /// Whether it runs tests.
    pub(super) fn tests(&self) -> bool {
        self.has(TESTING)
    }

    fn has(&self, words: &[&str]) -> bool {
        self.commands.iter().any(|command| command.has(words))
    }

    /// Whether nothing of it is there later: no file that is known to be its doing, no commit.
    pub(super) fn leaves_nothing(&self) -> bool {
        self.effects().is_empty() && !self.records()
    }

    /// What it does to files, where that is certain.
    pub(super) fn effects(&self) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut directory: Option<String> = None;
        for command in &self.commands {
            let words: Vec<&str> = command.arguments().collect();
            if command.program() == Some("cd") {
                match words.as_slice() {
                    [path] if is_certain(path) => match entered(directory.as_deref(), path) {
                        Some(path) => directory = Some(path),
                        None => return effects,
                    },
                    // Nobody knows where the rest happens.
                    _ => return effects,
                }
            }
            let place = |path: &str| placed(directory.as_deref(), path);
            match (command.program(), words.as_slice()) {
                (Some("rm" | "rmdir"), paths) => {
                    effects.extend(paths.iter().filter_map(|path| place(path)).map(Effect::Deletes));
                }
                (Some("touch" | "mkdir"), paths) => {
                    effects.extend(paths.iter().filter_map(|path| place(path)).map(Effect::Writes));
                }
                (Some("mv"), [from, to]) => effects.extend(moved(place(from), place(to))),
                (Some("git"), ["mv", from, to]) => effects.extend(moved(place(from), place(to))),
                (Some("git"), ["rm", paths @ ..]) => {
                    effects.extend(paths.iter().filter_map(|path| place(path)).map(Effect::Deletes));
                }
                (Some("git"), ["checkout" | "restore", paths @ ..]) if command.takes_back() => {
                    if paths.contains(&".") {
                        effects.push(Effect::RestoresAll);
                    }
                    effects.extend(paths.iter().filter_map(|path| place(path)).map(Effect::Restores));
                }
                (Some("git"), ["reset", ..]) if command.words.iter().any(|word| word == "--hard") => {
                    effects.push(Effect::RestoresAll);
                }
                (Some("cp"), [_, to]) => effects.extend(place(to).map(Effect::Writes)),
                (Some(_) | None, _) => {}
            }
            effects.extend(command.writes.iter().filter_map(|path| place(path)).map(Effect::Writes));
            effects.extend(command.appends.iter().filter_map(|path| place(path)).map(Effect::Appends));
        }
        effects
    }

    /// What it is called: without comments and changes of directory before it, and without cuts of its output and words
    /// of its own about it behind it.
    pub(super) fn name(text: &str) -> String {
        let mut name = text.trim();
        // Of a long script only the beginning is told.
        name = name.get(..name.floor_char_boundary(NAMED_BY)).unwrap_or(name);
        loop {
            let before = name;
            if name.starts_with('#') {
                name = name.split_once('\n').map_or(name, |(_, rest)| rest).trim_start();
            }
            if name.starts_with("cd ") {
                let cut = [("&&", 2), (";", 1), ("\n", 1)]
                    .iter()
                    .filter_map(|(end, skip)| Some(name.find(end)? + skip))
                    .min();
                name = cut.and_then(|at| name.get(at..)).unwrap_or(name).trim_start();
            }
            for end in [" 2>&1", " 2>/dev/null", " || true"] {
                name = name.strip_suffix(end).unwrap_or(name).trim_end();
            }
            name = without_comment_of_its_own(name);
            if let Some((command, filter)) = name.rsplit_once('|') {
                let mut words = filter.split_whitespace();
                let cuts = matches!(words.next(), Some("tail" | "head")) && words.count() <= 2;
                name = if cuts && !command.ends_with('|') { command.trim_end() } else { name };
            }
            if name == before || name.is_empty() {
                break;
            }
        }
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// `cmd && echo ok || echo no` is `cmd`.
fn without_comment_of_its_own(name: &str) -> &str {
    let last = ["&&", "||", ";"].iter().filter_map(|operator| Some((name.rfind(operator)?, operator.len()))).max();
    let Some((at, length)) = last else { return name };
    let (command, said) =
        (name.get(..at).unwrap_or(name).trim_end(), name.get(at + length..).unwrap_or_default().trim());
    let whole = |quote: char| said.matches(quote).count() % 2 == 0;
    let is_comment = said.starts_with("echo ") || said.is_empty();
    if is_comment && whole('"') && whole('\'') && !said.contains(['>', '|', '\n']) && !command.is_empty() {
        command
    } else {
        name
    }
}

impl Simple {
    fn program(&self) -> Option<&str> {
        let words = self.words.iter().map(String::as_str);
        let mut words =
            words.skip_while(|word| is_assignment(word) || matches!(*word, "sudo" | "time" | "env" | "nohup"));
        words.next().map(|word| word.rsplit('/').next().unwrap_or(word))
    }

    /// The words behind the program that are no flags.
    fn arguments(&self) -> impl Iterator<Item = &str> {
        let words = self.words.iter().map(String::as_str).skip_while(|word| is_assignment(word) || *word == "sudo");
        words.skip(1).filter(|word| !word.starts_with('-'))
    }

    /// Whether it is one of those that build, test or check, which these words tell.
    fn has(&self, words: &[&str]) -> bool {
        let Some(program) =
            self.program().filter(|program| !LOOKING.contains(program) && !NOT_CHECKING.contains(program))
        else {
            return false;
        };
        if self.asks_about_itself() {
            return false;
        }
        // Words with blanks were in quotes: they are a message or a script of another program.
        let said = self.words.iter().filter(|word| !is_assignment(word)).take(4);
        let said = said.filter(|word| !word.contains(char::is_whitespace));
        words.contains(&program) || said.flat_map(|word| word.split(':')).any(|part| words.contains(&part))
    }

    /// `tsc --version`, `golangci-lint version`
    fn asks_about_itself(&self) -> bool {
        let asks = |word: &String| matches!(word.as_str(), "--version" | "--help" | "-V");
        self.words.iter().any(asks) || self.words.get(1..).is_some_and(|rest| rest == ["version"])
    }

    /// Whether `git` is asked to put files back as they were.
    fn takes_back(&self) -> bool {
        let has = |flag: &str| self.words.iter().any(|word| word == flag);
        let elsewhere = has("--staged") || has("-S");
        !has("-b") && !has("-B") && !has("--orphan") && (!elsewhere || has("--worktree") || has("-W"))
    }

    /// What `git` is asked for; `-C` and its directory stand before it.
    fn git(&self) -> Option<&str> {
        self.arguments().find(|word| !word.contains('/') && !word.contains('='))
    }
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Whether a path means what it says: nothing is filled in by the shell.
fn is_certain(path: &str) -> bool {
    !path.is_empty() && !path.contains(['$', '*', '?', '`', '{', '(', '<', '&', '\n']) && !path.starts_with("/dev/")
}

/// The directory that `cd` leads to; `None` if nobody knows.
fn entered(directory: Option<&str>, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return Some(path.to_owned());
    }
    let mut parts: Vec<&str> = directory.unwrap_or_default().split('/').collect();
    if directory.is_none() {
        parts.clear();
    }
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match part {
            "-" => return None,
            ".." => {
                parts.pop().filter(|part| !part.is_empty() && *part != "..")?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn placed(directory: Option<&str>, path: &str) -> Option<String> {
    let path = Some(path).filter(|path| is_certain(path) && *path != "." && *path != "..")?;
    Some(match directory {
        Some(directory) if !path.starts_with(['/', '~']) && !directory.is_empty() => {
            format!("{}/{}", directory.trim_end_matches('/'), path.trim_start_matches("./"))
        }
        Some(_) | None => path.trim_start_matches("./").to_owned(),
    })
}

fn moved(from: Option<String>, to: Option<String>) -> Option<Effect> {
    let (from, mut to) = (from?, to?);
    // Into a directory it takes its name along; without the slash nobody knows whether that is one.
    if to.ends_with('/') {
        to.push_str(from.rsplit('/').next().unwrap_or_default());
    }
    Some(Effect::Moves(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[Effect]) {
        assert_eq!(Script::read(command).effects(), expected, "{command}");
    }

    fn writes(path: &str) -> Effect {
        Effect::Writes(path.into())
    }

    #[test]
    fn what_a_command_does_to_files_is_found() {
        check("mv a.rs b.rs", &[Effect::Moves("a.rs".into(), "b.rs".into())]);
        check("mv x/a.rs y/", &[Effect::Moves("x/a.rs".into(), "y/a.rs".into())]);
        check("cd src && git mv a.rs 'b c.rs'", &[Effect::Moves("src/a.rs".into(), "src/b c.rs".into())]);
        check("rm -rf build dist", &[Effect::Deletes("build".into()), Effect::Deletes("dist".into())]);
        check("mkdir -p out; touch out/x", &[writes("out"), writes("out/x")]);
        check("echo hi > notes.txt 2>&1", &[writes("notes.txt")]);
        check("date >> log.txt", &[Effect::Appends("log.txt".into())]);
        check("cat > a.py <<'EOF'\nrm -rf x > y\nEOF\nrm b.py", &[writes("a.py"), Effect::Deletes("b.py".into())]);
        check("cp a.rs b.rs", &[writes("b.rs")]);
        check("cd /tmp && rm -rf t && cd t && touch x", &[Effect::Deletes("/tmp/t".into()), writes("/tmp/t/x")]);
        check("cd a && touch x && cd ../b && touch y", &[writes("a/x"), writes("b/y")]);
        check("make &> log", &[writes("log")]);
        check("git checkout -- src/c.rs", &[Effect::Restores("src/c.rs".into())]);
        check("cd w && git restore a.rs", &[Effect::Restores("w/a.rs".into())]);
        check("git reset --hard HEAD~1", &[Effect::RestoresAll]);
        check("git checkout -b a.rs && git restore --staged b.rs", &[]);
    }

    #[test]
    fn what_is_not_certain_is_not_said() {
        for command in [
            "rm *.o",
            "rm $FILE",
            "ls > /dev/null 2>err.txt",
            "echo 'mv a b'",
            "mv a b c",
            "grep -c 'a > b' x",
            "cd $X && true",
        ] {
            check(command, &[]);
        }
    }

    #[test]
    fn looking_changes_nothing() {
        for command in ["find $(go env X) -name 'a(b' | sort", "go version", "npx tsc --version"] {
            assert!(Script::read(command).only_looks(), "{command}");
        }
        for command in
            ["ls -la | head -3", "git -C a/b status", "sed -n 1,5p a 2>/dev/null", "cd x && rg foo", "FOO=1 cat a"]
        {
            assert!(Script::read(command).only_looks(), "{command}");
        }
        for command in ["sed -i s/a/b/ x", "git commit -m x", "cat a > b", "cargo test", "find . -delete"] {
            assert!(!Script::read(command).only_looks(), "{command}");
        }
    }

    #[test]
    fn pipes_are_known() {
        for (command, filtered) in [
            ("make | tail -3", false),
            ("make 2>&1 | grep x | head", true),
            ("make || true", false),
            ("make | tee log && ls", false),
        ] {
            assert_eq!(Script::read(command).is_filtered(), filtered, "{command}");
        }
        assert!(Script::read("mkdir -p a && mv b a/").only_arranges_files());
        assert!(!Script::read("mv a b && make").only_arranges_files());
    }

    #[test]
    fn checks_and_tests_are_known() {
        for command in ["cargo test --all", "npm run test:unit", "go test ./...", "FOO=1 python -m pytest -x"] {
            assert!(Script::read(command).tests(), "{command}");
        }
        assert!(Script::read("cd a && npm run build").checks());
        assert!(!Script::read("git commit -m 'add test'").tests());
        for command in [
            "git push",
            "git commit -m 'lint: fix findings'",
            "golangci-lint version",
            "npx tsc --version",
            "rm -rf build",
            "mkdir test",
            "vim test.py",
            "node x.js 'run the test'",
        ] {
            assert!(!Script::read(command).checks(), "{command}");
        }
    }

    #[test]
    fn what_is_only_shown_is_known() {
        for command in ["gh run view 2 --log-failed | tail -5", "kubectl logs -f x", "cd a && docker compose logs api"]
        {
            assert!(Script::read(command).shows(), "{command}");
        }
        for command in ["kubectl apply -f x", "docker logs x && make", "ls"] {
            assert!(!Script::read(command).shows(), "{command}");
        }
    }

    #[test]
    fn an_exit_code_is_that_of_what_is_checked() {
        for (command, own) in [
            ("cargo test", true),
            ("cd a && cargo test && ls", true),
            ("cd a; cargo test", true),
            ("cargo test; echo $?", false),
            ("cargo test | tail", false),
            ("set -o pipefail; cargo test | tail", true),
            ("cargo test && echo ok || echo no", false),
            ("cargo test\nls", false),
        ] {
            assert_eq!(Script::read(command).code_is_its_own(), own, "{command}");
        }
    }

    #[test]
    fn a_command_has_one_name_however_its_output_is_cut() {
        for command in
            ["cargo test", "cd /a/b && cargo  test 2>&1 | tail -20", "cargo test | head -n 5", "cargo test 2>&1"]
        {
            assert_eq!(Script::name(command), "cargo test", "{command}");
        }
        for command in [
            "# run them all\ncargo test",
            "cd /a; cargo test && echo \"ALL PASS\" || echo \"FAILURES\"",
            "cargo test; echo \"exit: $?\"",
        ] {
            assert_eq!(Script::name(command), "cargo test", "{command}");
        }
        assert_eq!(Script::name("a || tail -3"), "a || tail -3");
        assert_eq!(Script::name("echo hi"), "echo hi");
    }
}
