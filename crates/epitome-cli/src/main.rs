//! The command `epitome`: makes agents' sessions smaller, as they run or as they were recorded, and shows why.

mod agents;
mod arguments;
mod base64;
mod commands;
mod config;
mod engine;
mod failure;
mod files;
mod originals;
mod progress;
mod session;
mod store;
mod summaries;
mod table;
mod terminal;
mod units;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(arguments: Arguments) -> Result<ExitCode, failure::Failure> {
    let Arguments { command, common } = arguments;
    match command {
        Command::Compress(arguments) => commands::compress::run(&arguments, &common),
        Command::Digest(arguments) => commands::digest::run(&arguments, &common),
        Command::Expand(arguments) => commands::expand::run(&arguments, &common),
        Command::Inspect(arguments) => commands::inspect::run(&arguments, &common),
        Command::Serve(arguments) => commands::serve::run(&arguments, &common),
        Command::Wrap(arguments) => commands::wrap::run(&arguments, &common),
        Command::Sessions(arguments) => commands::sessions::run(&arguments, &common),
        Command::Replay(arguments) => commands::replay::run(&arguments, &common),
        Command::Convert(arguments) => commands::convert::run(&arguments, &common),
        Command::Config(arguments) => commands::config::run(&arguments, &common),
        Command::Engines(arguments) => commands::engines::run(&arguments, &common),
    }
}
