//! `epitome engines`: what `context.engine` can name, and whether what it names exists.

use std::process::ExitCode;

use epitome_core::engine::{ContextEngine, Registry};
use serde_json::json;

use super::{configuration, print, print_json, say};
use crate::arguments::{Common, EnginesArguments, EnginesCommand};
use crate::engine::{Chosen, find_engine};
use crate::failure::Failure;
use crate::session::policy;
use crate::table::{Column, rows};

/// Lists the engines, or checks the configured one.
pub(crate) fn run(arguments: &EnginesArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, sources) = configuration(common, Vec::new())?;
    let chosen = find_engine(&loaded, &sources.directory);
    match arguments.command {
        Some(EnginesCommand::Check) => check(&chosen, common),
        None => list(&Registry::new(&policy(&loaded.config)), &chosen, common),
    }
}

fn check(chosen: &Chosen, common: &Common) -> Result<ExitCode, Failure> {
    let used = chosen.engine.name();
    match &chosen.missing {
        Some(missing) if common.json => {
            let remark = &missing.remark;
            let (error, hint) = (remark.matter.to_string(), &remark.hint);
            print_json(&json!({"ok": false, "wanted": missing.name, "used": used, "error": error, "hint": hint}))?;
            Ok(ExitCode::from(2))
        }
        Some(missing) => Err(Failure::input(missing.remark.in_full())),
        None if common.json => {
            print_json(&json!({"ok": true, "wanted": used, "used": used}))?;
            Ok(ExitCode::SUCCESS)
        }
        None => {
            print(&format!("OK: {used}\n"))?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(registry: &Registry, chosen: &Chosen, common: &Common) -> Result<ExitCode, Failure> {
    let is_chosen = |engine: &dyn ContextEngine| engine.name() == chosen.engine.name();
    if common.json {
        let engines = registry.engines().map(|engine| {
            json!({"name": engine.name(), "description": engine.description(), "chosen": is_chosen(&**engine)})
        });
        let missing = chosen.missing.as_ref().map(|missing| &missing.name);
        print_json(&json!({"engines": engines.collect::<Vec<_>>(), "missing": missing}))?;
    } else {
        let cells: Vec<Vec<String>> = registry
            .engines()
            .map(|engine| {
                let mark = if is_chosen(&**engine) { "*" } else { "" };
                vec![mark.to_owned(), engine.name().to_owned(), engine.description().to_owned()]
            })
            .collect();
        let lines = rows(&[Column::Left, Column::Left, Column::Left], &cells);
        let why = if chosen.missing.is_some() { "works in place of" } else { "chosen by" };
        print(&format!("{}\n* {why} context.engine\n", lines.join("\n")))?;
    }
    if let Some(missing) = &chosen.missing {
        say(&format!("warning: {}", missing.remark.in_full()));
    }
    Ok(ExitCode::SUCCESS)
}
