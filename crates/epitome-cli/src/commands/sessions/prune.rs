//! `epitome sessions prune`: forgets what is too old, and the oldest of what is too much.

use epitome_gateway::clock;
use epitome_gateway::retention::Retention;
use epitome_store::records::Prunable;
use serde_json::{Value, json};

use super::Archive;
use crate::arguments::PruneArguments;
use crate::commands::{print, print_json};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Column, rows};
use crate::units::{counted, shown_bytes, shown_moment};

pub(super) async fn run(arguments: &PruneArguments, archive: &Archive) -> Result<(), Failure> {
    let now_ms = clock::now_ms();
    let told = arguments.older_than.is_some() || arguments.larger_than.is_some();
    let (since, most) = if told {
        (arguments.older_than.map(|age| now_ms.saturating_sub(age)), arguments.larger_than)
    } else {
        let configured = Retention { days: archive.retention.keep_days, bytes: archive.retention.keep_bytes };
        if configured.is_unlimited() {
            return Err(Failure::input("neither an age nor a size is given, and none is configured")
                .hint("say --older-than 30d or --larger-than 2GB, or set store.keep_days or store.keep_bytes"));
        }
        (configured.not_seen_since(now_ms), configured.bytes)
    };
    let progress = Progress::start("looking for what is too old or too much");
    let failed = |error| archive.failed(&error);
    let prunable = archive.store.prunable(&archive.tenant, since, most).await.map_err(failed)?;
    let mut forgotten = 0;
    if !arguments.dry_run {
        progress.said().say(format!("forgetting {}", counted(prunable.len() as u64, "session")));
        forgotten = archive.store.prune(&archive.tenant, since, most).await.map_err(failed)?;
    }
    drop(progress);
    if archive.json {
        print_json(&as_json(&prunable, arguments.dry_run, forgotten))
    } else {
        print(&as_text(&prunable, arguments.dry_run))
    }
}

fn as_text(prunable: &[Prunable], dry_run: bool) -> String {
    if prunable.is_empty() {
        return "nothing is too old or too much\n".to_owned();
    }
    let row = |session: &Prunable| {
        vec![session.id.to_string(), format!("seen last {}", shown_moment(session.last_ms)), shown_bytes(session.bytes)]
    };
    let cells: Vec<Vec<String>> = prunable.iter().map(row).collect();
    let lines = rows(&[Column::Left, Column::Left, Column::Right], &cells);
    let bytes = shown_bytes(prunable.iter().map(|session| session.bytes).sum());
    let verb = if dry_run { "would be forgotten" } else { "forgotten" };
    let number = counted(prunable.len() as u64, "session");
    format!("{}\n{number} {verb}, {bytes}\n", lines.join("\n"))
}

fn as_json(prunable: &[Prunable], dry_run: bool, forgotten: u64) -> Value {
    let sessions = prunable
        .iter()
        .map(|session| json!({"session": session.id.as_str(), "last_ms": session.last_ms, "bytes": session.bytes}));
    json!({"dry_run": dry_run, "forgotten": forgotten, "sessions": sessions.collect::<Vec<_>>()})
}
