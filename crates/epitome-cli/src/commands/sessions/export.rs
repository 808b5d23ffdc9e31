//! `epitome sessions export`: everything that is known of a session, one JSON value a line.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::{Path, PathBuf};

use epitome_core::fingerprint::ContentHash;
use epitome_gateway::story::session_json;
use epitome_store::records::{Original, OriginalKind, Session};
use serde_json::{Value, json};

use super::Archive;
use crate::arguments::ExportArguments;
use crate::base64;
use crate::failure::{Failure, shown};
use crate::files::{self, Readers};
use crate::progress::Progress;

pub(super) async fn run(arguments: &ExportArguments, archive: &Archive) -> Result<(), Failure> {
    let session = archive.find(&arguments.session).await?;
    let progress = Progress::start(format!("exporting {}", session.id));
    let mut lines = Lines::begin(arguments.out.as_deref())?;
    let written = write_all(&session, archive, &mut lines).await;
    drop(progress);
    match written {
        Ok(()) => lines.end(),
        Err(failure) => {
            lines.abandon();
            Err(failure)
        }
    }
}

async fn write_all(session: &Session, archive: &Archive, lines: &mut Lines) -> Result<(), Failure> {
    let (store, tenant, id) = (&*archive.store, &archive.tenant, &session.id);
    let failed = |error| archive.failed(&error);

    let mut head = typed("session", session_json(session));
    head["tenant"] = json!(tenant.as_str());
    head["calibration"] = json!(session.calibration);
    lines.write(&head)?;
    if let Some(wish) = store.wish(tenant, id).await.map_err(failed)? {
        lines.write(&json!({"type": "asked_for", "at_ms": wish.at_ms, "focus": wish.focus}))?;
    }
    for call in store.turns(tenant, id).await.map_err(failed)? {
        lines.write(&typed("call", json!(call)))?;
    }
    let mut written: HashSet<ContentHash> = HashSet::new();
    for (number, (entry, log)) in (1..).zip(store.compactions(tenant, id).await.map_err(failed)?) {
        let removed = store.removed_by(tenant, entry.id).await.map_err(failed)?;
        for original in removed.iter().filter(|original| written.insert(original.hash)) {
            lines.write(&original_json(original))?;
        }
        lines.write(&json!({
            "type": "compaction",
            "number": number,
            "id": entry.id.to_string(),
            "anchor": entry.anchor.to_string(),
            "depth": entry.depth,
            "parent": entry.parent.map(|parent| parent.to_string()),
            "replay": *entry.replay,
            "log": log,
            "removed": removed.iter().map(|original| original.hash.to_string()).collect::<Vec<_>>(),
        }))?;
    }
    for (position, kept) in store.history(tenant, id).await.map_err(failed)?.into_iter().enumerate() {
        let original = Original::new(OriginalKind::Message, kept.bytes, kept.words);
        let mut line = original_json(&original);
        (line["type"], line["position"]) = (json!("kept"), json!(position));
        lines.write(&line)?;
    }
    Ok(())
}

fn typed(kind: &str, value: Value) -> Value {
    let mut line = json!({"type": kind});
    if let (Value::Object(line), Value::Object(value)) = (&mut line, value) {
        line.extend(value);
    }
    line
}

/// Its words are left out where they are its bytes.
fn original_json(original: &Original) -> Value {
    let mut line = json!({"type": "original", "hash": original.hash.to_string(), "kind": original.kind});
    match std::str::from_utf8(&original.bytes) {
        Ok(text) => line["text"] = json!(text),
        Err(_) => line["base64"] = json!(base64::encode(&original.bytes)),
    }
    if original.words.as_bytes() != original.bytes {
        line["words"] = json!(original.words);
    }
    line
}

/// Where lines go: to whoever reads stdout, or to a file that is there when it is complete.
enum Lines {
    Stdout(BufWriter<StdoutLock<'static>>),
    File { file: BufWriter<File>, unfinished: PathBuf, place: PathBuf },
}

impl Lines {
    fn begin(place: Option<&Path>) -> Result<Lines, Failure> {
        let Some(place) = place else { return Ok(Lines::Stdout(BufWriter::new(io::stdout().lock()))) };
        let unfinished = files::beside(place);
        let file = files::create(&unfinished, &Readers::Owner);
        let file = file.map_err(|error| Failure::outside(shown(place), &error))?;
        Ok(Lines::File { file: BufWriter::new(file), unfinished, place: place.to_owned() })
    }

    fn write(&mut self, line: &Value) -> Result<(), Failure> {
        match self {
            Lines::Stdout(stdout) => writeln!(stdout, "{line}").map_err(|error| Failure::outside("stdout", &error)),
            Lines::File { file, place, .. } => {
                writeln!(file, "{line}").map_err(|error| Failure::outside(shown(place), &error))
            }
        }
    }

    /// What was written so far is of no use.
    fn abandon(self) {
        match self {
            Lines::Stdout(_) => {}
            // The first error is the one that matters.
            Lines::File { unfinished, .. } => drop(std::fs::remove_file(unfinished)),
        }
    }

    fn end(self) -> Result<(), Failure> {
        match self {
            Lines::Stdout(mut stdout) => stdout.flush().map_err(|error| Failure::outside("stdout", &error)),
            Lines::File { file, unfinished, place } => {
                let whole = file.into_inner().map_err(io::IntoInnerError::into_error);
                let whole = whole.and_then(|file| file.sync_data());
                let moved = whole.and_then(|()| std::fs::rename(&unfinished, &place));
                moved.map_err(|error| Failure::outside(shown(&place), &error))
            }
        }
    }
}
