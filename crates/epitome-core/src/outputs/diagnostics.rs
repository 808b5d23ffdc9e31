//! Compilers and linters: every error with its message and place, the same message in many places told once.

mod item;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::place::{common_directory, plural};
use super::reading::{Events, Finding, Layout, Rank, Reading};
use super::{Effort, OutputKind, ToolOutput, build, events};
use item::{Item, Severity};

/// What compilers, type checkers and linters print.
pub struct Diagnostics;

/// Lines looked at to see whether this is a compiler's.
const SAMPLE: usize = 120;
/// Messages of one sort are placed one by one up to this number.
const PLACES: usize = 6;
/// Of a sort with more of them, so many places are named.
const FIRST_PLACES: usize = 4;
/// More sorts than this of the same rule differ only in names that their tool does not quote.
const SORTS_OF_A_RULE: usize = 6;

impl OutputKind for Diagnostics {
    fn name(&self) -> &'static str {
        "compiler output"
    }

    fn read(&self, output: &ToolOutput, _: Effort) -> Option<Reading> {
        let text = &*output.text;
        if !looks_like_diagnostics(text) {
            return None;
        }
        let mut reading = Reading::of_lines(text);
        (reading.layout, reading.events) = (Layout::Bare, Events::Strong);
        let lines: Vec<&str> = reading.pieces.iter().map(|piece| piece.text(text)).collect();
        let (items, parts) = item::items(&lines);
        let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
        let known = parts.iter().filter(|part| !matches!(part, Part::Other | Part::Blank)).count();
        if items.is_empty() || known * 10 < filled * 4 {
            return None;
        }
        for (piece, part) in reading.pieces.iter_mut().zip(&parts) {
            piece.rank = match part {
                Part::Item | Part::Frame | Part::Blank | Part::Heading | Part::Step => Rank::Told,
                Part::Help => Rank::Telling(1),
                Part::Total => Rank::Frame,
                Part::Other => Rank::Ordinary,
            };
        }
        let groups = grouped(&items);
        let directory = common_directory(items.iter().map(|item| item.path));
        say_totals(&mut reading, &items, groups.len(), directory);
        for group in &groups {
            tell(&mut reading, text, group, directory);
        }
        let end = reading.pieces.len();
        events::mark_where(&mut reading, text, 0..end, |index| parts.get(index) == Some(&Part::Other));
        Some(reading)
    }
}

/// Whether a line is a message of a compiler, with its place: `a.go:12:3: undefined: x`.
pub(super) fn is_message(line: &str) -> bool {
    item::in_one_line(line)
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A message with a place.
    Item,
    /// The source around it.
    Frame,
    /// More words of a message.
    Help,
    /// The file that the messages below are of.
    Heading,
    /// `Found 3 errors`
    Total,
    /// `Checking foo v0.1`
    Step,
    Blank,
    Other,
}

fn looks_like_diagnostics(text: &str) -> bool {
    let count = text.lines().take(20_000).count();
    let step = (count / SAMPLE).max(1);
    let (mut seen, mut found, mut known) = (0usize, 0usize, 0usize);
    for (index, line) in text.lines().take(20_000).enumerate() {
        if index >= 40 && index % step != 0 {
            continue;
        }
        if line.trim().is_empty() {
            continue;
        }
        seen += 1;
        let is_item = item::opens(line);
        found += usize::from(is_item);
        known += usize::from(is_item || item::is_frame(line) || item::is_total(line) || build::is_step(line));
    }
    found > 0 && known * 2 >= seen && found * 25 >= seen
}

/// Items that say the same of different places.
struct Group<'text> {
    first: usize,
    members: Vec<&'text Item<'text>>,
}

fn grouped<'text>(items: &'text [Item<'text>]) -> Vec<Group<'text>> {
    let mut groups: Vec<Group<'text>> = Vec::new();
    let mut known: HashMap<(Severity, &str, String), usize> = HashMap::new();
    for item in items {
        let name = (item.severity, item.code, item.skeleton());
        let index = *known.entry(name).or_insert_with(|| {
            groups.push(Group { first: item.line, members: Vec::new() });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(index) {
            group.members.push(item);
        }
    }
    merged(groups)
}

/// What a rule says of one name after the other, without quoting them (`undefined: x`), is one sort.
fn merged<'text>(groups: Vec<Group<'text>>) -> Vec<Group<'text>> {
    let rule = |group: &Group<'text>| {
        let first = group.members.first().filter(|_| group.members.len() < FIRST_PLACES)?;
        let opening = if first.code.is_empty() { first.opening() } else { String::new() };
        Some((first.severity, first.code, opening))
    };
    let mut sorts: HashMap<(Severity, &str, String), usize> = HashMap::new();
    groups.iter().filter_map(rule).for_each(|rule| *sorts.entry(rule).or_default() += 1);
    let mut kept: Vec<Group<'_>> = Vec::new();
    let mut known: HashMap<(Severity, &str, String), usize> = HashMap::new();
    for group in groups {
        let rule = rule(&group).filter(|rule| sorts.get(rule).is_some_and(|sorts| *sorts > SORTS_OF_A_RULE));
        let Some(rule) = rule else {
            kept.push(group);
            continue;
        };
        let index = *known.entry(rule).or_insert(kept.len());
        match kept.get_mut(index) {
            Some(first) => first.members.extend(group.members),
            None => kept.push(group),
        }
    }
    kept
}

fn say_totals(reading: &mut Reading, items: &[Item<'_>], sorts: usize, directory: &str) {
    let count = |severity: Severity| items.iter().filter(|item| item.severity == severity).count();
    let mut said = Vec::new();
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        let number = count(severity);
        if number > 0 {
            said.push(plural(number, one, many));
        }
    }
    let files: BTreeSet<&str> = items.iter().map(|item| item.path).collect();
    let files = plural(files.len(), "file", "files");
    let sorts = if sorts < items.len() { format!(", {sorts} different") } else { String::new() };
    let within = if directory.is_empty() { String::new() } else { format!(" under {directory}") };
    reading.say_always(format!("{} in {files}{within}{sorts}", said.join(", ")));
}

fn tell(reading: &mut Reading, text: &str, group: &Group<'_>, directory: &str) {
    let Some(first) = group.members.first() else { return };
    let path = first.path.strip_prefix(directory).unwrap_or(first.path);
    let rank = match first.severity {
        Severity::Error => Rank::Finding(Finding::Error),
        Severity::Warning => Rank::Finding(Finding::Warning),
        Severity::Note => Rank::Telling(0),
    };
    let head = match (first.code, first.severity.word()) {
        ("", word) => word.to_owned(),
        (code, word) => format!("{word} {code}"),
    };
    let Some(piece) = reading.pieces.get_mut(group.first) else { return };
    let line = piece.text(text).trim();
    let message = first.message();
    piece.full = if group.members.len() > 1 {
        let places = places(&group.members, directory);
        Some(format!("{head} ×{}: {message}: {places}", group.members.len()))
    } else if line.contains(first.path) {
        // As the tool wrote it, so that it can be looked for.
        None
    } else {
        let label = message.rsplit_once(" (").map(|(_, label)| label).filter(|label| !line.contains(*label));
        let label = label.map(|label| format!(" ({label}")).unwrap_or_default();
        Some(format!("{line} --> {path}{}{label}", first.at))
    };
    piece.rank = rank;
}

/// `a.ts 10:5, 12:3 'x'; b.ts 1:1; +20 more in 3 files`: the places, with what the message says otherwise there.
fn places(members: &[&Item<'_>], directory: &str) -> String {
    let limit = if members.len() > PLACES { FIRST_PLACES } else { PLACES };
    let usual = members.first().map(|item| item.values()).unwrap_or_default();
    let mut files: BTreeMap<usize, (&str, Vec<String>)> = BTreeMap::new();
    let mut order: HashMap<&str, usize> = HashMap::new();
    let mut seen: BTreeSet<(&str, String)> = BTreeSet::new();
    for item in members.iter().take(limit) {
        let next = order.len();
        let at = *order.entry(item.path).or_insert(next);
        let place = format!("{}{}", item.at, otherwise(&item.values(), &usual));
        // A project built twice says everything twice.
        if seen.insert((item.path, place.clone())) {
            files.entry(at).or_insert_with(|| (item.path, Vec::new())).1.push(place);
        }
    }
    let short = |path: &str| path.strip_prefix(directory).unwrap_or(path).to_owned();
    let mut said: Vec<String> =
        files.into_values().map(|(path, places)| format!("{}{}", short(path), places.join(", "))).collect();
    let more: BTreeSet<&str> = members.iter().skip(limit).map(|item| item.path).collect();
    if !more.is_empty() {
        said.push(format!("+{} more in {}", members.len() - limit, plural(more.len(), "file", "files")));
    }
    said.join("; ")
}

/// The values in which a message differs from the usual one.
fn otherwise(values: &[String], usual: &[String]) -> String {
    let differs = |position: usize, value: &String| usual.get(position) != Some(value) || values.len() != usual.len();
    let other = values.iter().enumerate().filter(|(position, value)| differs(*position, value));
    other.map(|(_, value)| format!(" {value}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::outputs::testing::{check, made};

    #[test]
    fn the_same_message_in_many_places_is_told_once_with_the_first_of_them() {
        let mut text = String::from("> web@1.0.0 build\n> tsc -p .\n\n");
        for n in 0..24 {
            text.push_str(&format!(
                "src/view_{}.ts({},7): error TS2339: Property 'field{n}' does not exist on type 'Props'.\n",
                n % 3,
                n + 10
            ));
        }
        text.push_str("src/api.ts(4,1): error TS2322: Type 'string' is not assignable to type 'number'.\n  Types of property 'id' are incompatible.\nFound 25 errors in 4 files.\n");
        insta::assert_snapshot!(check("npm run build", &text), @"
        [digest of compiler output: 6 of 30 lines kept, 2,236 bytes; original 34d11533143d]
        25 errors in 4 files, 2 different
        > web@1.0.0 build
        > tsc -p .
        error TS2339 ×24: Property 'field0' does not exist on type 'Props'.: src/view_0.ts(10,7), (13,7) 'field3'; src/view_1.ts(11,7) 'field1'; src/view_2.ts(12,7) 'field2'; +20 more in 3 files
        src/api.ts(4,1): error TS2322: Type 'string' is not assignable to type 'number'.
          Types of property 'id' are incompatible.
        Found 25 errors in 4 files.
        ");
    }

    #[test]
    fn rare_errors_stand_beside_one_that_is_everywhere() {
        let mut text = String::new();
        for n in 0..110 {
            text.push_str(&format!(
                "app/views/page_{}.py:{}:80: E501 Line too long ({} > 79)\n",
                n % 40,
                n + 3,
                n + 80
            ));
            match n {
                17 => text.push_str("app/db.py:5:1: F821 undefined name 'sesion'\n"),
                55 => text.push_str("app/auth.py:88:12: E711 comparison to None\n"),
                90 => text.push_str("app/jobs.py:4:9: E722 do not use bare except\n"),
                _ => {}
            }
        }
        insta::assert_snapshot!(check("flake8", &text), @"
        [digest of compiler output: 5 of 113 lines kept, 6,468 bytes; original f16a6d3e0b77]
        113 errors in 43 files, 4 different
        error E501 ×110: Line too long (80 > 79): app/views/page_0.py:3:80; app/views/page_1.py:4:80 81; app/views/page_2.py:5:80 82; app/views/page_3.py:6:80 83; +106 more in 40 files
        app/db.py:5:1: F821 undefined name 'sesion'
        app/auth.py:88:12: E711 comparison to None
        app/jobs.py:4:9: E722 do not use bare except
        app/views/page_29.py:112:80: E501 Line too long (189 > 79)
        ");
        let text: String = (0..60)
            .map(|n| format!("pkg/a{}.go:{n}:2: undefined: {}x{n}\n", n % 9, ["ka", "lo", "mi"][n % 3]))
            .collect();
        let text = format!("{text}pkg/z.go:9:1: missing return\n");
        insta::assert_snapshot!(check("go vet ./...", &text), @"
        [digest of compiler output: 4 of 61 lines kept, 1,989 bytes; original 7b1ca42f1f0f]
        61 errors in 10 files, 4 different
        error ×20: undefined: kax0: pkg/a0.go:0:2, :9:2 9; pkg/a3.go:3:2 3; pkg/a6.go:6:2 6; +16 more in 3 files
        error ×20: undefined: lox1: pkg/a1.go:1:2, :10:2 10; pkg/a4.go:4:2 4; pkg/a7.go:7:2 7; +16 more in 3 files
        error ×20: undefined: mix2: pkg/a2.go:2:2, :11:2 11; pkg/a5.go:5:2 5; pkg/a8.go:8:2 8; +16 more in 3 files
        pkg/z.go:9:1: missing return
        ");
    }

    #[test]
    fn rustc_errors_keep_place_and_label() {
        let mut text = String::from("    Checking ledger v0.1.0\n");
        for n in 0..12 {
            text.push_str(&format!("warning: unused variable: `x{n}`\n  --> src/parse.rs:{}:9\n   |\n{} |     let x{n} = 1;\n   |         ^^ help: if this is intentional, prefix it with an underscore: `_x{n}`\n   |\n   = note: `#[warn(unused_variables)]` on by default\n\n", n + 1, n + 1));
        }
        text.push_str("error[E0308]: mismatched types\n  --> src/settle.rs:42:18\n   |\n42 |     let cents: u32 = \"12\";\n   |                ---   ^^^^ expected `u32`, found `&str`\n   |                |\n   |                expected due to this\n\nFor more information about this error, try `rustc --explain E0308`.\nwarning: `ledger` (lib) generated 12 warnings\nerror: could not compile `ledger` (lib) due to 1 previous error; 12 warnings emitted\n");
        insta::assert_snapshot!(check("cargo check", &text), @"
        [digest of compiler output: 5 of 108 lines kept, 3,096 bytes; original 7e1a6eab6c89]
        1 error, 12 warnings in 2 files, 2 different
        warning ×12: unused variable: `x0`: src/parse.rs:1:9, :2:9 `x1`, :3:9 `x2`, :4:9 `x3`; +8 more in 1 file
        error[E0308]: mismatched types --> src/settle.rs:42:18 (expected `u32`, found `&str`)
        For more information about this error, try `rustc --explain E0308`.
        warning: `ledger` (lib) generated 12 warnings
        error: could not compile `ledger` (lib) due to 1 previous error; 12 warnings emitted
        ");
    }

    #[test]
    fn eslint_names_the_file_above() {
        let mut text = String::new();
        for file in 0..6 {
            text.push_str(&format!("/srv/app/src/page_{file}.js\n"));
            for line in 0..5 {
                text.push_str(&format!("  {}:5  warning  Unexpected console statement  no-console\n", line * 3 + 1));
            }
            text.push('\n');
        }
        text.push_str("/srv/app/src/login.js\n  12:1  error  'token' is not defined  no-undef\n\n✖ 31 problems (1 error, 30 warnings)\n");
        insta::assert_snapshot!(check("npx eslint .", &text), @"
        [digest of compiler output: 3 of 46 lines kept, 1,976 bytes; original 3aa30624a753]
        1 error, 30 warnings in 7 files under /srv/app/src/, 2 different
        warning no-console ×30: Unexpected console statement: page_0.js:1:5, :4:5, :7:5, :10:5; +26 more in 6 files
        12:1  error  'token' is not defined  no-undef --> login.js:12:1
        ✖ 31 problems (1 error, 30 warnings)
        ");
    }

    #[test]
    fn gcc_and_linters_of_python_and_go_are_read() {
        let mut text = String::from(
            "In file included from src/a.h:3,\n                 from src/a.c:1:\nsrc/a.c: In function 'main':\nsrc/a.c:12:5: error: 'count' undeclared (first use in this function)\n   12 |     count = 3;\n      |     ^~~~~\nsrc/a.c:12:5: note: each undeclared identifier is reported only once\n",
        );
        (0..30).for_each(|n| {
            text.push_str(&format!("src/b.c:{n}:9: warning: unused variable 'v{n}' [-Wunused-variable]\n"))
        });
        text.push_str("make: *** [Makefile:12: src/a.o] Error 1\n");
        insta::assert_snapshot!(check("make", &text), @"
        [digest of compiler output: 7 of 38 lines kept, 2,245 bytes; original 92de679d685b]
        1 error, 30 warnings, 1 note in 2 files, 3 different
        In file included from src/a.h:3,
                         from src/a.c:1:
        src/a.c: In function 'main':
        src/a.c:12:5: error: 'count' undeclared (first use in this function)
        src/a.c:12:5: note: each undeclared identifier is reported only once
        warning ×30: unused variable 'v0' [-Wunused-variable]: src/b.c:0:9, :1:9 'v1', :2:9 'v2', :3:9 'v3'; +26 more in 1 file
        make: *** [Makefile:12: src/a.o] Error 1
        ");
        let mut text: String = (0..40)
            .map(|n| {
                format!("app/models/file_{}.py:{}:80: E501 line too long ({} > 79 characters)\n", n % 4, n + 1, n + 80)
            })
            .collect();
        text.push_str("app/main.py:3:1: F401 'os' imported but unused\nFound 41 errors.\n");
        insta::assert_snapshot!(check("ruff check .", &text), @"
        [digest of compiler output: 3 of 42 lines kept, 2,795 bytes; original ef5e3719be64]
        41 errors in 5 files, 2 different
        error E501 ×40: line too long (80 > 79 characters): app/models/file_0.py:1:80; app/models/file_1.py:2:80 81; app/models/file_2.py:3:80 82; app/models/file_3.py:4:80 83; +36 more in 4 files
        app/main.py:3:1: F401 'os' imported but unused
        Found 41 errors.
        ");
        let mut text: String = (0..20).map(|n| format!("internal/gitproto/refs_{n}.go:{}:39: invalid operation: adv.Capabilities == nil (mismatched types)\n", n + 9)).collect();
        text.push_str("internal/gitproto/push.go:69:15: undefined: packp.NewUpdateRequests\nFAIL\texample.org/sync [build failed]\n");
        insta::assert_snapshot!(check("go vet ./...", &text), @"
        [digest of compiler output: 3 of 22 lines kept, 2,054 bytes; original c976c71f07cf]
        21 errors in 21 files, 2 different
        error ×20: invalid operation: adv.Capabilities == nil (mismatched types): internal/gitproto/refs_0.go:9:39; internal/gitproto/refs_1.go:10:39; internal/gitproto/refs_2.go:11:39; internal/gitproto/refs_3.go:12:39; +16 more in 16 files
        internal/gitproto/push.go:69:15: undefined: packp.NewUpdateRequests
        FAIL	example.org/sync [build failed]
        ");
    }

    #[test]
    fn hits_of_a_search_are_no_messages() {
        let text: String = (0..80).map(|n| format!("src/a{n}.rs:{n}:    return Err(error: code)\n")).collect();
        assert_ne!(made("", "rg error", &text).map(|digest| digest.kind), Some("compiler output"));
    }
}
