//! The commands, one a file.

pub(crate) mod compress;
pub(crate) mod config;
pub(crate) mod convert;
pub(crate) mod digest;
pub(crate) mod engines;
pub(crate) mod expand;
pub(crate) mod inspect;
pub(crate) mod replay;
pub(crate) mod serve;
pub(crate) mod sessions;
pub(crate) mod wrap;

use std::io::{self, Write};

use crate::arguments::Common;
use crate::config::{Flag, Loaded, Sources, load};
use crate::failure::Failure;

/// Reads the configuration, and says on stderr what there is to say about it.
fn configuration(common: &Common, named: Vec<Flag>) -> Result<(Loaded, Sources), Failure> {
    let flags = common.flags().into_iter().chain(named).collect();
    let sources = Sources::of_process(common.config.clone(), flags);
    let loaded = load(&sources)?;
    for warning in &loaded.warnings {
        say(&format!("warning: {}", warning.in_full()));
    }
    for note in &loaded.notes {
        say(&format!("note: {}", note.in_full()));
    }
    Ok((loaded, sources))
}

/// Says a line on stderr.
pub(crate) fn say(line: &str) {
    // There is nobody left to tell if stderr is gone.
    drop(writeln!(io::stderr().lock(), "epitome: {line}"));
}

/// Writes JSON to stderr, one line without a name before it, for programs.
fn say_json(value: &serde_json::Value) {
    // There is nobody left to tell if stderr is gone.
    drop(writeln!(io::stderr().lock(), "{value}"));
}

/// Writes lines to stdout.
fn print(text: &str) -> Result<(), Failure> {
    crate::files::write(None, text.as_bytes())
}

/// Writes JSON to stdout, for programs and for people who look at what programs get.
fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
