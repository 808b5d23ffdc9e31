//! `epitome config check|show|schema`: whether a configuration is right, what it comes to, and how to write one.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use epitome_core::budget::Budget;
use epitome_core::tokens::Tokens;
use serde_json::{Map, Value as Json, json};

use crate::arguments::{Common, ConfigArguments, ConfigCommand};
use crate::config::settings::SETTINGS;
use crate::config::{self, Config, ConfigErrors, Loaded, Origin, Remark, Sources, docs, schema, shown};
use crate::engine::find_engine;
use crate::failure::Failure;
use crate::session::policy;
use crate::units::counted;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// As asked.
    Done,
    /// The configuration is wrong.
    Wrong,
    /// The file cannot be read.
    Unreadable,
}

/// For whom the output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// People.
    Text,
    /// Programs: `--json`.
    Json,
}

/// How much is said of where values came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origins {
    /// The source that counts.
    InShort,
    /// The same to the column, and what it overruled: `--origin`.
    InFull,
}

impl Outcome {
    fn of(errors: &ConfigErrors) -> Outcome {
        if errors.is_about_reading() { Outcome::Unreadable } else { Outcome::Wrong }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Done => ExitCode::SUCCESS,
            Outcome::Wrong => ExitCode::from(2),
            Outcome::Unreadable => ExitCode::from(1),
        }
    }
}

/// The command line's part.
pub(crate) fn run(arguments: &ConfigArguments, common: &Common) -> Result<ExitCode, Failure> {
    let format = if common.json { Format::Json } else { Format::Text };
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    let sources =
        |file: Option<&PathBuf>| Sources::of_process(file.cloned().or_else(|| common.config.clone()), common.flags());
    let outcome = match &arguments.command {
        ConfigCommand::Check { file } => check(&sources(file.as_ref()), format, &mut out, &mut err),
        ConfigCommand::Show { origin } => {
            let origins = if *origin { Origins::InFull } else { Origins::InShort };
            show(&sources(None), format, origins, &mut out, &mut err)
        }
        ConfigCommand::Schema => schema(&mut out),
        ConfigCommand::Docs => docs(&mut out),
    };
    outcome.map(ExitCode::from).map_err(|error| Failure::outside("stdout", &error))
}

/// `epitome config check [FILE]`: an OK line, or everything that is wrong. FILE goes to `sources.file`.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn check(
    sources: &Sources,
    format: Format,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Outcome> {
    let loaded = config::load(sources).and_then(|loaded| engine_exists(loaded, sources));
    let outcome = loaded.as_ref().map_or_else(Outcome::of, |_| Outcome::Done);
    match (format, loaded) {
        (Format::Text, Ok(loaded)) => {
            let name = loaded.file.as_ref().map_or("no file".to_owned(), |path| path.display().to_string());
            let values = counted(config::set_keys(&loaded).count() as u64, "value");
            remarks(&loaded.warnings, &loaded.notes, err)?;
            writeln!(out, "OK: {name}, {values} set")?;
        }
        (Format::Text, Err(errors)) => write_errors(&errors, err)?,
        (Format::Json, Ok(loaded)) => {
            let file = loaded.file.as_ref().map(|path| path.display().to_string());
            let report = json!({
                "ok": true,
                "file": file,
                "values_set": config::set_keys(&loaded).map(|setting| setting.path).collect::<Vec<_>>(),
                "errors": [],
                "warnings": as_json(&loaded.warnings),
                "notes": as_json(&loaded.notes),
            });
            write_json(&report, out)?;
        }
        (Format::Json, Err(errors)) => {
            let report = json!({
                "ok": false,
                "errors": as_json(&errors.errors),
                "warnings": as_json(&errors.warnings),
                "notes": as_json(&errors.notes),
            });
            write_json(&report, out)?;
        }
    }
    Ok(outcome)
}

/// An engine that does not exist is no error to who can do without it, and one to who asks what is wrong.
fn engine_exists(loaded: Loaded, sources: &Sources) -> Result<Loaded, ConfigErrors> {
    match find_engine(&loaded, &sources.directory).missing {
        Some(missing) => {
            let Loaded { warnings, notes, .. } = loaded;
            Err(ConfigErrors { errors: vec![missing.remark], warnings, notes })
        }
        None => Ok(loaded),
    }
}

/// `epitome config show`: every value, and what they come to for one window.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn show(
    sources: &Sources,
    format: Format,
    origins: Origins,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<Outcome> {
    let loaded = match config::load(sources) {
        Ok(loaded) => loaded,
        Err(errors) => {
            write_errors(&errors, err)?;
            return Ok(Outcome::of(&errors));
        }
    };
    remarks(&loaded.warnings, &loaded.notes, err)?;
    match format {
        Format::Text => show_text(&loaded, origins, out)?,
        Format::Json => write_json(&show_json(&loaded), out)?,
    }
    Ok(Outcome::Done)
}

/// `epitome config schema`: a JSON schema for editors.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn schema(out: &mut dyn Write) -> io::Result<Outcome> {
    write_json(&schema::schema(), out)?;
    Ok(Outcome::Done)
}

/// `epitome config docs`, hidden: the text of `docs/configuration.md`.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn docs(out: &mut dyn Write) -> io::Result<Outcome> {
    out.write_all(docs::markdown().as_bytes())?;
    Ok(Outcome::Done)
}

/// Errors, warnings and notes as a person reads them; for any command that loads a configuration.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn write_errors(errors: &ConfigErrors, err: &mut dyn Write) -> io::Result<()> {
    for error in &errors.errors {
        writeln!(err, "error: {}", error.in_full())?;
    }
    remarks(&errors.warnings, &errors.notes, err)
}

fn remarks(warnings: &[Remark], notes: &[Remark], err: &mut dyn Write) -> io::Result<()> {
    for warning in warnings {
        writeln!(err, "warning: {}", warning.in_full())?;
    }
    for note in notes {
        writeln!(err, "note: {}", note.in_full())?;
    }
    Ok(())
}

fn show_text(loaded: &Loaded, origins: Origins, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<(&str, String, String)> = SETTINGS
        .iter()
        .map(|setting| {
            let origin = loaded.origins.get(setting.path).unwrap_or(&Origin::Default);
            let overruled = loaded.overruled.get(setting.path).into_iter().flatten().rev();
            let origin = match origins {
                Origins::InShort => place(origin),
                Origins::InFull => {
                    let weaker = overruled.map(|(value, origin)| format!(", over {} ({origin})", shown(value)));
                    std::iter::once(origin.to_string()).chain(weaker).collect()
                }
            };
            (setting.path, shown(&(setting.of)(&loaded.config)), origin)
        })
        .collect();
    let keys = rows.iter().map(|(key, _, _)| key.chars().count()).max().unwrap_or(0);
    let values = rows.iter().map(|(_, value, _)| value.chars().count()).max().unwrap_or(0);
    for (key, value, origin) in rows {
        writeln!(out, "{key:keys$}  {value:values$}  {origin}")?;
    }
    let computed = Computed::of(&loaded.config);
    let known = match loaded.config.model.context_length {
        Some(_) => "the configured window",
        None => "a window",
    };
    writeln!(out, "\nFor {known} of {}:", counted(computed.window.0, "token"))?;
    for (name, tokens) in computed.rows() {
        writeln!(out, "{name:keys$}  {tokens}")?;
    }
    Ok(())
}

fn show_json(loaded: &Loaded) -> Json {
    let mut values = Map::new();
    for setting in SETTINGS {
        let value = schema::value(&(setting.of)(&loaded.config));
        let origin = loaded.origins.get(setting.path).unwrap_or(&Origin::Default);
        let mut said = json!({"value": value, "origin": origin_json(origin)});
        if let Some(overruled) = loaded.overruled.get(setting.path) {
            let weaker = overruled.iter().rev();
            said["overruled"] = weaker
                .map(|(value, origin)| json!({"value": schema::value(value), "origin": origin_json(origin)}))
                .collect();
        }
        values.insert(setting.path.to_owned(), said);
    }
    let computed = Computed::of(&loaded.config);
    let mut computed_json = Map::new();
    computed_json.insert("context_length".to_owned(), json!(computed.window.0));
    for (name, Tokens(tokens)) in computed.rows() {
        computed_json.insert(name.replace(' ', "_"), json!(tokens));
    }
    let file = loaded.file.as_ref().map(|path| path.display().to_string());
    json!({"file": file, "values": values, "computed": computed_json})
}

/// What the settings come to for one window.
struct Computed {
    window: Tokens,
    threshold: Tokens,
    tail: Tokens,
    summary: Tokens,
    hygiene: Option<Tokens>,
}

impl Computed {
    fn of(config: &Config) -> Computed {
        // The window of the documents' example.
        let window = config.model.context_length.unwrap_or(Tokens(200_000));
        let policy = policy(config).for_model(config.model.name.as_deref().unwrap_or_default());
        let budget = Budget::new(window, Tokens(0), &policy);
        Computed {
            window,
            threshold: budget.trigger,
            tail: budget.tail,
            summary: budget.summary_ceiling,
            hygiene: config.compression.hygiene.then(|| window.share(0.85)),
        }
    }

    fn rows(&self) -> Vec<(&'static str, Tokens)> {
        let mut rows =
            vec![("compaction at", self.threshold), ("protected tail", self.tail), ("summary at most", self.summary)];
        rows.extend(self.hygiene.map(|tokens| ("safety net at", tokens)));
        rows
    }
}

fn place(origin: &Origin) -> String {
    match origin {
        Origin::File { path, line, .. } => format!("file {}:{line}", path.display()),
        Origin::Default | Origin::Environment { .. } | Origin::Flag { .. } => origin.to_string(),
    }
}

fn origin_json(origin: &Origin) -> Json {
    match origin {
        Origin::Default => json!({"from": "default"}),
        Origin::File { path, line, column } => {
            json!({"from": "file", "path": path.display().to_string(), "line": line, "column": column})
        }
        Origin::Environment { name } => json!({"from": "environment", "name": name}),
        Origin::Flag { name } => json!({"from": "flag", "name": name}),
    }
}

fn as_json(remarks: &[Remark]) -> Json {
    remarks
        .iter()
        .map(|remark| {
            json!({
                "origin": remark.origin.as_ref().map(origin_json),
                "key": remark.key,
                "message": remark.matter.to_string(),
                "hint": remark.hint,
            })
        })
        .collect()
}

fn write_json(json: &Json, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, json)?;
    writeln!(out)
}
