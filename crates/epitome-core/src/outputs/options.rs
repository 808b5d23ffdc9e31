//! Manuals and help texts: how a program is called, its options and commands by name, and which of them are dangerous.

use super::reading::{Events, Fact, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, cut_to_chars};

/// Fewer are no list.
const AT_LEAST: usize = 8;
/// Named at most.
const NAMED: usize = 80;

/// A call is told within the first lines.
const FIRST_LINES: usize = 40;
/// Lines of a call.
const CALLS: usize = 6;
/// A short table is kept whole.
const TABLE: usize = 12;
/// So many dangers are always shown.
const DANGERS: usize = 6;
/// `force updates` says all that there is to say.
const FORCED_CHARS: usize = 32;
/// What is shown of an explanation.
const EXPLAINED_CHARS: usize = 160;
/// Words of options that one should know before using them.
const DANGER: &[&str] = &[
    "delet",
    "destroy",
    "overwrit",
    "danger",
    "irrevers",
    "undone",
    "without asking",
    "without confirm",
    "wipe",
    "erase",
    "insecure",
    "deprecated",
    "caution",
    "data loss",
];

/// What explains the options of a program.
pub struct Manual;

impl OutputKind for Manual {
    fn name(&self) -> &'static str {
        "manual"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        let calls = |line: &str| {
            let line = line.trim();
            line.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("usage")) || line == "SYNOPSIS"
        };
        let is_page = || text.lines().any(|line| line.starts_with("```") || line.starts_with("# "));
        if !text.lines().take(FIRST_LINES).any(calls) || is_page() {
            return None;
        }
        options(text).map(|options| read(text, options))
    }
}

/// An option with what is said of it.
struct Explained {
    piece: usize,
    name: String,
    words: String,
}

/// What the lines below a heading are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Call,
    Commands,
    /// What the numbers mean with which it ends.
    Ends,
    Other,
}

fn read(text: &str, options: Fact) -> Reading {
    let mut reading = Reading::of_lines(text);
    (reading.events, reading.layout, reading.ends) = (Events::Quiet, Layout::Bare, false);
    let mut part = Part::Other;
    let (mut commands, mut ends): (Vec<String>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut explained: Vec<Explained> = Vec::new();
    // Lines of the call, and whether it is over.
    let (mut calls, mut told) = (0, false);
    for (index, piece) in reading.pieces.iter_mut().enumerate() {
        let line = piece.text(text);
        let words = line.trim();
        if let Some(found) = heading(line) {
            part = found;
            let frame = matches!(part, Part::Call | Part::Ends);
            piece.rank = if frame { Rank::Frame } else { Rank::Telling(2) };
            (calls, told) = (0, false);
            continue;
        }
        match (name(line), part) {
            _ if words.is_empty() => told = calls > 0,
            (Some(name), _) => {
                let words = words.split_once("  ").map_or("", |(_, words)| words.trim()).to_owned();
                piece.rank = if explained.len() < NAMED { Rank::Told } else { Rank::Ordinary };
                explained.push(Explained { piece: index, name, words });
            }
            // What stands below the call is a description.
            (None, Part::Call) if told || calls >= CALLS => piece.rank = Rank::Telling(3),
            (None, Part::Call) => (piece.rank, calls) = (Rank::Frame, calls + 1),
            (None, Part::Ends) => ends.push(index),
            (None, Part::Commands) => commands.extend(command(line)),
            (None, Part::Other) => {
                if let Some(last) = explained.last_mut().filter(|_| line.starts_with([' ', '\t'])) {
                    piece.rank = Rank::Told;
                    last.words.push(' ');
                    last.words.push_str(words);
                }
            }
        }
    }
    for piece in ends.iter().filter(|_| ends.len() <= TABLE) {
        reading.raise(*piece, Rank::Frame);
    }
    mark_explained(&mut reading, &explained);
    if !commands.is_empty() {
        commands.truncate(NAMED);
        reading.say_always(format!("commands: {}", commands.join(", ")));
    }
    reading.facts.push(Fact { always: true, ..options });
    reading
}

/// Options that are dangerous, and those that say what is usual.
fn mark_explained(reading: &mut Reading, explained: &[Explained]) {
    let mut dangers = 0;
    for Explained { piece, name, words } in explained {
        let sentence = |marks: &[&str]| {
            let is_marked = |sentence: &&str| marks.iter().any(|mark| sentence.to_lowercase().contains(mark));
            words.split_inclusive(". ").find(is_marked).map(str::trim)
        };
        let forces = name.contains("force") || (words.starts_with("force") && words.len() <= FORCED_CHARS);
        let forced = || words.split_inclusive(". ").next().filter(|_| forces);
        let danger = sentence(DANGER).or_else(forced);
        let Some(told) = danger.or_else(|| sentence(&["default"])) else { continue };
        dangers += usize::from(danger.is_some());
        let rank = match danger {
            Some(_) if dangers <= DANGERS => Rank::Finding(Finding::Outlier),
            Some(_) => Rank::Telling(0),
            None => Rank::Telling(1),
        };
        if let Some(piece) = reading.pieces.get_mut(*piece) {
            piece.full = Some(format!("{name}: {}", cut_to_chars(told, EXPLAINED_CHARS)));
            piece.rank = rank;
        }
    }
}

/// `EXIT STATUS`, `Options:`, `Usage: tool [options]`
fn heading(line: &str) -> Option<Part> {
    let words = line.trim();
    let usage = words.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("usage"));
    let capitals = line.starts_with(|c: char| c.is_ascii_uppercase())
        && words.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ');
    let named = words.ends_with(':') && words.split_whitespace().count() <= 4;
    if !(usage || capitals || named) {
        return None;
    }
    let lower = words.to_ascii_lowercase();
    Some(match () {
        () if usage || lower == "synopsis" || lower == "name" => Part::Call,
        () if lower.contains("exit") || lower.contains("return") => Part::Ends,
        () if lower.contains("command") => Part::Commands,
        () => Part::Other,
    })
}

/// `  build, b    Compile the package`
fn command(line: &str) -> Option<String> {
    let words = line.strip_prefix("  ")?;
    let (name, _) = words.trim_start().split_once("  ")?;
    let name = name.split([',', ' ']).next().unwrap_or_default();
    let deep = words.len() - words.trim_start().len() > 6;
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.'));
    (plain && !deep && !name.is_empty()).then(|| name.to_owned())
}

/// `options: -a/--all, --color, …`, if the text explains options.
pub(super) fn options(text: &str) -> Option<Fact> {
    let mut names: Vec<String> = Vec::new();
    let (mut lines, mut other) = (0, 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        lines += 1;
        match name(line) {
            Some(name) if !names.contains(&name) && names.len() < NAMED => names.push(name),
            Some(_) => {}
            None => other += 1,
        }
        // Prose has no options: no need to look on.
        if lines == 200 && names.len() < AT_LEAST / 2 {
            return None;
        }
    }
    (names.len() >= AT_LEAST && names.len() * 12 >= other)
        .then(|| Fact { text: format!("options: {}", names.join(", ")), always: false })
}

/// The names at the beginning of an indented line: `  -a, --all=WHEN   do …` is `-a/--all`.
fn name(line: &str) -> Option<String> {
    let option = line.trim_start();
    if option.len() == line.len() || !option.starts_with('-') {
        return None;
    }
    let is_name = |word: &str| {
        let bare = word.trim_start_matches('-');
        let dashes = word.len() - bare.len();
        let plain = bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.'));
        // `-save-temps` of programs that know no double dash.
        let long = bare.len() > 1 && (dashes == 2 || bare.starts_with(|c: char| c.is_ascii_lowercase()));
        plain && matches!(dashes, 1 | 2) && (long || bare.len() == 1 && dashes == 1)
    };
    // `--[no-]verify` is two names of one option.
    let option = option.strip_prefix("--[no-]").map_or(option.to_owned(), |name| format!("--{name}"));
    let words = option.split([' ', ',', '|', '/', '\t']).filter(|word| !word.is_empty());
    let words = words.map(|word| word.split(['=', '[', '<']).next().unwrap_or_default());
    let names: Vec<&str> = words.take(3).take_while(|word| is_name(word)).collect();
    (!names.is_empty()).then(|| names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outputs::testing::{check, made};

    #[test]
    fn options_are_named() {
        let text = "Usage: tool [options]\n\n  -a, --all        do all of it\n  -b               less\n      --color[=WHEN]  paint\n      --depth <n>  how deep\n  -e, --exclude=GLOB\n      --file NAME\n  -g\n  -h, --help\n";
        let said = options(text).expect("options are found").text;
        assert_eq!(said, "options: -a/--all, -b, --color, --depth, -e/--exclude, --file, -g, -h/--help");
        let names = ["--[no-]verify", "-save-temps", "--http1.1", "-x", "--yes", "--no", "--all", "--none"];
        let others = options(&names.map(|name| format!("  {name}  of it\n")).concat()).expect("options are found").text;
        assert_eq!(others, "options: --verify, -save-temps, --http1.1, -x, --yes, --no, --all, --none");
        assert_eq!(options("- one\n- two\n"), None);
        assert_eq!(options(""), None);
    }

    #[test]
    fn a_manual_keeps_the_call_every_option_what_is_dangerous_and_how_it_ends() {
        let option = |n: usize| match n {
            9 => "       --prune-all\n              Erases snapshots that are older than 30 days. Use with care.\n\n"
                .to_owned(),
            _ => format!(
                "       --part-{n}=SIZE\n              Says how a part of the archive is written, and with how many of the\n              threads that there are on the machine.\n\n"
            ),
        };
        let text = format!(
            "KEEP(1)                 User Commands                 KEEP(1)\n\nNAME\n       keep - write archives\n\nSYNOPSIS\n       keep [OPTION]... DIRECTORY\n\nDESCRIPTION\n       Writes what is in a directory to an archive that can be read again.\n\nOPTIONS\n{}EXIT STATUS\n       0      all is written\n       74     the archive is in use\n\nSEE ALSO\n       tar(1)\n",
            (0..20).map(option).collect::<String>()
        );
        insta::assert_snapshot!(check("man keep", &text), @"
        [digest of manual: 12 of 97 lines kept, 857 tokens; original 18323795292b]
        options: --part-0, --part-1, --part-2, --part-3, --part-4, --part-5, --part-6, --part-7, --part-8, --prune-all, --part-10, --part-11, --part-12, --part-13, --part-14, --part-15, --part-16, --part-17, --part-18, --part-19
        NAME
               keep - write archives
        SYNOPSIS
               keep [OPTION]... DIRECTORY
        DESCRIPTION
               Writes what is in a directory to an archive that can be read again.
        OPTIONS
        --prune-all: Erases snapshots that are older than 30 days.
        EXIT STATUS
               0      all is written
               74     the archive is in use
        SEE ALSO
        ");
    }

    #[test]
    fn a_help_text_names_its_commands() {
        let commands = ["init", "plan", "apply", "destroy", "import", "show"];
        let commands: String =
            commands.iter().map(|name| format!("  {name:<10}  Does what has to be done to {name}\n")).collect();
        let option = |n: usize| format!("      --setting-{n:<4}  How a thing is set that has many of these settings\n");
        let text = format!(
            "Builds what is described.\n\nUsage: build [OPTIONS] <COMMAND>\n\nCommands:\n{commands}\nOptions:\n{}  -j, --jobs <N>      So many at a time [default: 8]\n",
            (0..30).map(option).collect::<String>()
        );
        let digest = check("build --help", &text);
        for part in ["commands: init, plan, apply, destroy, import, show", "--setting-29", "[default: 8]"] {
            assert!(digest.contains(part), "{part}: {digest}");
        }
    }

    #[test]
    fn a_page_with_some_options_is_no_manual() {
        let options: String = (0..20).map(|n| format!("  --flag-{n}   what it does\n")).collect();
        let page =
            format!("# Tool\n\nUsage: tool\n\n{options}{}", "Some words about it, and some more of them.\n".repeat(60));
        assert_ne!(made("", "cat README.md", &page).expect("a digest").kind, "manual");
    }
}
