//! `epitome engines`: what `context.engine` can name.

use std::process::ExitCode;

use epitome_core::engine::{ContextEngine, Registry};
use serde_json::json;

use super::{configuration, print, print_json};
use crate::arguments::Common;
use crate::failure::Failure;
use crate::session::policy;
use crate::table::{Column, rows};

/// Lists the engines.
pub(crate) fn run(common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, _) = configuration(common, Vec::new())?;
    let registry = Registry::new(&policy(&loaded.config));
    let chosen = registry.resolve(&loaded.config.context.engine);
    let is_chosen = |engine: &dyn ContextEngine| engine.name() == chosen.engine.name();
    if common.json {
        let engines = registry.engines().map(|engine| {
            json!({"name": engine.name(), "description": engine.description(), "chosen": is_chosen(&**engine)})
        });
        print_json(&json!({"engines": engines.collect::<Vec<_>>(), "missing": chosen.missing}))?;
    } else {
        let cells: Vec<Vec<String>> = registry
            .engines()
            .map(|engine| {
                let mark = if is_chosen(&**engine) { "*" } else { "" };
                vec![mark.to_owned(), engine.name().to_owned(), engine.description().to_owned()]
            })
            .collect();
        let lines = rows(&[Column::Left, Column::Left, Column::Left], &cells);
        print(&format!("{}\n* chosen by context.engine\n", lines.join("\n")))?;
    }
    if let Some(missing) = chosen.missing {
        super::say(&format!("warning: no engine is named {missing:?}; the built-in one stands in"));
    }
    Ok(ExitCode::SUCCESS)
}
