//! Finds sessions, and plays them on all cores.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use epitome_core::tokens::Tokens;
use epitome_replay::recording;
use epitome_replay::study::{Settings, Study, study};
use epitome_replay::trace::Trace;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Gathered;
use crate::failure::{Failure, reason, shown};
use crate::terminal::shows_progress;

/// The files that were named, and those with the right endings in directories that were, in order.
pub(super) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in named {
        let kind = fs::metadata(path).map_err(|error| {
            Failure::outside(shown(path), &error).hint("name a recorded session, or a directory of them")
        })?;
        if kind.is_dir() {
            let before = found.len();
            walk(path, &mut found)?;
            if found.len() == before {
                return Err(Failure::input(format!("{}: no session in there", shown(path)))
                    .hint("sessions in a directory end in .jsonl or .json"));
            }
        } else {
            found.push(path.clone());
        }
    }
    Ok(found)
}

fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let listed = fs::read_dir(directory).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
    let mut paths: Vec<PathBuf> =
        listed.map_err(|error| Failure::outside(shown(directory), &error))?.iter().map(fs::DirEntry::path).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str());
        // Probes of the benchmark lie beside the sessions, and are none.
        let is_session = matches!(ending, Some("jsonl" | "json")) && !shown(&path).ends_with(".probes.json");
        // A link to a directory may lead back here.
        if path.is_dir() && !path.is_symlink() {
            walk(&path, found)?;
        } else if is_session && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// A session that was played, or its file and why it could not be.
type Studied = Result<Study, (PathBuf, String)>;

/// Plays every session. What cannot be read, or fits the window under no policy, is left out; if nothing is left, that is a
/// failure.
pub(super) fn studies(paths: &[PathBuf], settings: &Settings) -> Result<Gathered, Failure> {
    let bar = progress(paths.len());
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Studied)>> = Mutex::new(Vec::with_capacity(paths.len()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(paths.len());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = paths.get(index) else { return };
                    let studied = one(path, settings).map_err(|why| (path.clone(), why));
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((index, studied));
                    bar.inc(1);
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    let mut gathered = Gathered { studies: Vec::new(), left_out: Vec::new() };
    let mut hint = "sessions are requests with their messages, or files of Claude Code (~/.claude/projects) and Codex (~/.codex/sessions)".to_owned();
    for (path, (_, studied)) in paths.iter().zip(done) {
        match studied {
            Ok(study) if study.needs() > settings.window => {
                let (needs, window) = (Tokens(study.needs()), Tokens(settings.window));
                let why =
                    format!("it does not fit a window of {window} tokens: whatever is done, a prompt has {needs}");
                gathered.left_out.push((path.clone(), why));
                hint = format!("--window {} or more", needs.0);
            }
            Ok(study) => gathered.studies.push(study),
            Err(why) => gathered.left_out.push(why),
        }
    }
    match (gathered.studies.is_empty(), gathered.left_out.first()) {
        (true, Some((path, why))) => Err(Failure::input(format!("{}: {why}", shown(path))).hint(hint)),
        (_, _) => Ok(gathered),
    }
}

fn one(path: &Path, settings: &Settings) -> Result<Study, String> {
    let text = fs::read_to_string(path).map_err(|error| reason(&error))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let trace = recording::read(&name, &text).and_then(|recording| Trace::of(&recording));
    let trace = trace.map_err(|error| chain(&error))?;
    Ok(study(&trace, settings))
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        said.push_str(&format!(": {error}"));
        source = error.source();
    }
    said
}

fn progress(sessions: usize) -> ProgressBar {
    if !shows_progress() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(sessions as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} sessions ({elapsed}, {eta} to go)");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
