//! The README's snippets, run as they stand there. The library's example is compiled by the wire's doc tests.

use std::fs::{Permissions, set_permissions, write};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::process::PATH;
use crate::provider::{Does, Provider};
use crate::question::{SMALL, session};

/// What is fenced in the README, with its language.
fn snippets() -> Vec<(String, String)> {
    let readme = std::fs::read_to_string(project().join("README.md")).expect("it is part of the project");
    let mut fenced = readme.split("\n```").skip(1).step_by(2);
    let mut snippets = Vec::new();
    for snippet in &mut fenced {
        let (language, text) = snippet.split_once('\n').expect("a fence stands on a line of its own");
        snippets.push((language.to_owned(), text.to_owned()));
    }
    snippets
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there")
}

fn program(directory: &Path, name: &str, script: &str) {
    let path = directory.join(name);
    write(&path, format!("#!/bin/sh\n{script}\n")).expect("it can be written");
    set_permissions(&path, Permissions::from_mode(0o755)).expect("it is ours");
}

/// A directory that looks like a clone of the project, to people who type what the README says. What is built already is not
/// built again: `cargo run` starts this build, `cargo install` and `./check` are looked up and not run, as this is a part of `./check`.
fn clone_of_the_project() -> TempDir {
    let home = TempDir::new().expect("a temporary directory");
    symlink(project().join("examples"), home.path().join("examples")).expect("a link");
    let programs = home.path().join("bin");
    std::fs::create_dir(&programs).expect("a directory");
    symlink(env!("CARGO_BIN_EXE_epitome"), programs.join("epitome")).expect("a link");
    let project = project();
    let project = project.display();
    program(
        &programs,
        "cargo",
        &format!(
            "case \"$1\" in\n\
             run) [ \"$2 $3 $4\" = '-p epitome-cli --' ] || exit 64; shift 4; exec epitome \"$@\";;\n\
             install) [ \"$2\" = --path ] || exit 64; grep -q '^name = \"epitome\"' {project}/$3/Cargo.toml;;\n\
             *) exit 64;;\n\
             esac"
        ),
    );
    program(home.path(), "check", &format!("test -x {project}/check && grep -q 'cargo nextest run' {project}/check"));
    // An agent whose session is large enough for a compaction at the default settings.
    for (name, exchanges) in [("small.json", SMALL), ("large.json", 170)] {
        write(home.path().join(name), session(exchanges)).expect("it can be written");
    }
    let asks = "for f in small large large; do curl -sf -o /dev/null -d @$f.json $ANTHROPIC_BASE_URL/v1/messages || exit 1; done";
    program(&programs, "claude", asks);
    home
}

/// What an agent's session does not change: numbers and the session's name are left out.
fn without_numbers(text: &str) -> String {
    let is_name = |word: &str| word.starts_with("begins-") || (word.len() == 36 && word.matches('-').count() == 4);
    let is_number = |c: char| c.is_ascii_digit() || c == ',' || c == '.';
    let words = text.split_whitespace().map(|word| match is_name(word) {
        true => "NAME".to_owned(),
        false => word.replace(is_number, "").replace("compactions", "compaction"),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn every_snippet_of_the_readme_works_and_prints_what_stands_there() {
    let (home, provider) = (clone_of_the_project(), Provider::start(Does::answers()));
    let path = format!("{}:{PATH}", home.path().join("bin").display());
    let mut printed: Option<String> = None;
    let mut ran = 0;
    for (language, snippet) in snippets() {
        match language.as_str() {
            "sh" => {
                let output = Command::new("sh")
                    .args(["-euc", &snippet])
                    .current_dir(home.path())
                    .env_clear()
                    .env("HOME", home.path())
                    .env("PATH", &path)
                    .env("ANTHROPIC_BASE_URL", provider.url())
                    .env("EPITOME_AUXILIARY_COMPRESSION_PROVIDER", "local")
                    .output()
                    .expect("there is a shell");
                let said = String::from_utf8(output.stderr).expect("UTF-8");
                assert_eq!(output.status.code(), Some(0), "{snippet}: {said}");
                printed = Some(said);
                ran += 1;
            }
            "text" => {
                // Pictures stand alone; what a command prints stands behind it.
                let Some(printed) = printed.take() else { continue };
                if snippet.contains("examples/") {
                    assert_eq!(printed.trim_end(), snippet);
                }
                assert_eq!(without_numbers(&printed), without_numbers(&snippet));
            }
            other => assert_eq!(other, "rust", "nobody runs this: {snippet}"),
        }
    }
    assert!(ran >= 5, "{ran} snippets");
    assert!(home.path().join("smaller.json").exists());
}
