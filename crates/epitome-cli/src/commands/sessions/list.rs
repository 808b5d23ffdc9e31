//! `epitome sessions list`: sessions, latest first, or those who have some.

use epitome_core::tokens::Tokens;
use epitome_gateway::story::{session_json, share};
use epitome_store::records::{Session, SessionId};
use serde_json::{Value, json};

use super::Archive;
use crate::arguments::ListArguments;
use crate::commands::{print, print_json, say};
use crate::failure::Failure;
use crate::table::{Column, rows};
use crate::units::{shown_bytes, shown_moment, shown_share};

pub(super) async fn run(arguments: &ListArguments, archive: &Archive) -> Result<(), Failure> {
    if arguments.tenants { tenants(archive).await } else { sessions(arguments.most, archive).await }
}

async fn sessions(most: usize, archive: &Archive) -> Result<(), Failure> {
    // One more than is shown, to tell whether there are more.
    let sessions = archive.store.sessions(&archive.tenant, most.saturating_add(1)).await;
    let mut sessions = sessions.map_err(|error| archive.failed(&error))?;
    let more = sessions.len() > most;
    sessions.truncate(most);
    if archive.json {
        let sessions: Vec<Value> = sessions.iter().map(session_json).collect();
        return print_json(&json!({"tenant": archive.tenant.as_str(), "sessions": sessions}));
    }
    if sessions.is_empty() {
        say(&archive.nothing_yet().to_string());
        return Ok(());
    }
    let head =
        ["session", "last seen (UTC)", "model", "calls", "compactions", "client's", "sent", "saved", "read from cache"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    cells.extend(sessions.iter().map(row));
    if sessions.iter().any(|session| !linked(session).is_empty()) {
        let column = ["archive".to_owned()].into_iter().chain(sessions.iter().map(linked));
        cells.iter_mut().zip(column).for_each(|(row, cell)| row.push(cell));
    }
    let numbers = [Column::Right; 6];
    let columns = [&[Column::Left, Column::Left, Column::Left][..], &numbers, &[Column::Left]].concat();
    let mut lines = rows(&columns, &cells);
    if let Some(head) = lines.first_mut() {
        *head = archive.style.bold(head);
    }
    print(&format!("{}\n", lines.join("\n")))?;
    if more {
        say(&format!("there are more than these {most}: say -n"));
    }
    Ok(())
}

fn row(session: &Session) -> Vec<String> {
    let saved = share(session.client_tokens.saturating_sub(session.sent_tokens), session.client_tokens);
    vec![
        session.id.to_string(),
        shown_moment(session.last_ms),
        session.model.clone(),
        Tokens(session.turns).to_string(),
        Tokens(session.compactions).to_string(),
        Tokens(session.client_tokens).to_string(),
        Tokens(session.sent_tokens).to_string(),
        shown_share(saved),
        shown_share(share(session.usage.cache_read, session.usage.prompt)),
    ]
}

/// Which session it continues, and which continue it.
pub(super) fn linked(session: &Session) -> String {
    let continues = session.continues.iter().map(|archived| format!("continues {archived}"));
    let by = session.continued_by.iter().map(SessionId::as_str).collect::<Vec<_>>().join(", ");
    let archived = (!by.is_empty()).then(|| format!("archived, continued by {by}"));
    continues.chain(archived).collect::<Vec<_>>().join("; ")
}

async fn tenants(archive: &Archive) -> Result<(), Failure> {
    let failed = |error| archive.failed(&error);
    let mut held = Vec::new();
    for tenant in archive.store.tenants().await.map_err(failed)? {
        let holdings = archive.store.holdings(&tenant).await.map_err(failed)?;
        held.push((tenant, holdings));
    }
    if archive.json {
        let tenants: Vec<Value> =
            held.iter().map(|(tenant, holdings)| json!({"tenant": tenant.as_str(), "holdings": holdings})).collect();
        return print_json(&json!({"tenants": tenants}));
    }
    let mut cells = vec![["tenant", "sessions", "compactions", "originals", "size"].map(str::to_owned).to_vec()];
    cells.extend(held.iter().map(|(tenant, holdings)| {
        let counts = [holdings.sessions, holdings.entries, holdings.originals];
        let counts = counts.into_iter().map(|count| Tokens(count).to_string());
        [tenant.as_str().to_owned()].into_iter().chain(counts).chain([shown_bytes(holdings.bytes)]).collect()
    }));
    let numbers = [Column::Right; 4];
    let mut lines = rows(&[&[Column::Left][..], &numbers].concat(), &cells);
    if let Some(head) = lines.first_mut() {
        *head = archive.style.bold(head);
    }
    print(&format!("{}\n", lines.join("\n")))
}
