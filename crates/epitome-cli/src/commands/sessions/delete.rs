//! `epitome sessions delete`: forgets sessions, after asking.

use std::io::{self, IsTerminal, Write};

use epitome_store::records::{Session, SessionId};
use serde_json::{Value, json};

use super::Archive;
use crate::arguments::DeleteArguments;
use crate::commands::{print, print_json, say};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::units::counted;

pub(super) async fn run(arguments: &DeleteArguments, archive: &Archive) -> Result<(), Failure> {
    let mut sessions: Vec<Session> = Vec::new();
    // All are found before the first is deleted: a slip in one name deletes nothing.
    for name in &arguments.sessions {
        let session = archive.find(name).await?;
        if !sessions.iter().any(|known| known.id == session.id) {
            sessions.push(session);
        }
    }
    if !arguments.yes && !asked(&sessions)? {
        say("nothing was deleted");
        return Ok(());
    }
    let progress = Progress::start("deleting");
    let mut deleted = Vec::new();
    for session in &sessions {
        progress.said().say(format!("deleting {}", session.id));
        let gone = archive.store.delete(&archive.tenant, &session.id).await.map_err(|error| archive.failed(&error))?;
        if gone {
            deleted.push(session.id.as_str());
        }
    }
    drop(progress);
    for session in sessions.iter().filter(|session| deleted.contains(&session.id.as_str())) {
        let stays = session.continued_by.iter().filter(|next| !deleted.contains(&next.as_str()));
        let stays: Vec<&str> = stays.map(SessionId::as_str).collect();
        if !stays.is_empty() {
            let stays = stays.join(" ");
            say(&format!("{stays} goes on from {} and stays: `epitome sessions delete {stays}`", session.id));
        }
    }
    if archive.json {
        return print_json(&json!({"deleted": deleted.into_iter().map(Value::from).collect::<Vec<_>>()}));
    }
    print(&deleted.iter().map(|id| format!("deleted {id}\n")).collect::<String>())
}

/// Asks whoever sits at the terminal.
fn asked(sessions: &[Session]) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::input("sessions are deleted for ever, and there is nobody to ask").hint("say --yes"));
    }
    let mut stderr = io::stderr().lock();
    let question = sessions.iter().map(|session| {
        let (calls, compactions) = (counted(session.turns, "call"), counted(session.compactions, "compaction"));
        format!("  {} ({calls}, {compactions})\n", session.id)
    });
    let question: String = question.collect();
    let said = write!(stderr, "{question}Delete, with everything that was removed from them? [y/N] ");
    said.and_then(|()| stderr.flush()).map_err(|error| Failure::outside("stderr", &error))?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer).map_err(|error| Failure::outside("stdin", &error))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}
