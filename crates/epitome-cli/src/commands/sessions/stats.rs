//! `epitome sessions stats`: what compactions saved (M16).

use std::collections::BTreeMap;

use epitome_core::statistics::Statistics;
use epitome_core::tokens::Tokens;
use epitome_gateway::story::share;
use epitome_store::records::{CompactionLog, Holdings, Session, Spending, TurnUsage};
use serde_json::{Value, json};

use super::{Archive, money};
use crate::arguments::StatsArguments;
use crate::commands::{print, print_json};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Column, rows};
use crate::terminal::Style;
use crate::units::{counted, shown_bytes, shown_share};

/// What is added up.
struct Sums {
    sessions: u64,
    calls: u64,
    client_tokens: u64,
    sent_tokens: u64,
    usage: TurnUsage,
    spending: Spending,
    /// Tokens that each kind of edit saved.
    saved_by: BTreeMap<String, i64>,
    all: Statistics,
    by_reason: BTreeMap<String, Statistics>,
    by_author: BTreeMap<String, Statistics>,
    longest_wait_ms: u64,
    waited_ms: u64,
    /// Of all sessions alone: what several share belongs to none.
    holdings: Option<Holdings>,
}

pub(super) async fn run(arguments: &StatsArguments, archive: &Archive) -> Result<(), Failure> {
    let progress = Progress::start("adding up");
    let failed = |error| archive.failed(&error);
    let (sessions, logs, holdings) = match &arguments.session {
        Some(name) => {
            let session = archive.find(name).await?;
            let logs = archive.store.logs(&archive.tenant, Some(&session.id)).await.map_err(failed)?;
            (vec![session], logs, None)
        }
        None => {
            let sessions = archive.store.sessions(&archive.tenant, usize::MAX).await.map_err(failed)?;
            let logs = archive.store.logs(&archive.tenant, None).await.map_err(failed)?;
            (sessions, logs, Some(archive.store.holdings(&archive.tenant).await.map_err(failed)?))
        }
    };
    drop(progress);
    let sums = Sums::of(&sessions, &logs, holdings);
    if archive.json { print_json(&sums.to_json()) } else { print(&sums.to_text(archive.style)) }
}

/// With two digits behind the point.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

impl Sums {
    fn of(sessions: &[Session], logs: &[CompactionLog], holdings: Option<Holdings>) -> Sums {
        let mut sums = Sums {
            sessions: sessions.len() as u64,
            calls: 0,
            client_tokens: 0,
            sent_tokens: 0,
            usage: TurnUsage::default(),
            spending: Spending::default(),
            saved_by: BTreeMap::new(),
            all: Statistics::default(),
            by_reason: BTreeMap::new(),
            by_author: BTreeMap::new(),
            longest_wait_ms: 0,
            waited_ms: 0,
            holdings,
        };
        for session in sessions {
            sums.calls += session.turns;
            sums.client_tokens = sums.client_tokens.saturating_add(session.client_tokens);
            sums.sent_tokens = sums.sent_tokens.saturating_add(session.sent_tokens);
            sums.usage += session.usage;
            sums.spending += session.spending;
        }
        for log in logs {
            let author = match (&log.author, &log.stood_in) {
                (Some(author), Some(_)) => format!("{author}, standing in"),
                (Some(author), None) => author.clone(),
                (None, _) => "no summary".to_owned(),
            };
            sums.all.add(&log.record);
            for (kind, tokens) in &log.saved_by {
                *sums.saved_by.entry(kind.clone()).or_default() += tokens;
            }
            sums.by_reason.entry(log.reason.clone()).or_default().add(&log.record);
            sums.by_author.entry(author).or_default().add(&log.record);
            sums.longest_wait_ms = sums.longest_wait_ms.max(log.wait_ms);
            sums.waited_ms = sums.waited_ms.saturating_add(log.wait_ms);
        }
        sums
    }

    fn average_wait_ms(&self) -> u64 {
        self.waited_ms.checked_div(self.all.total_compressions).unwrap_or_default()
    }

    fn to_json(&self) -> Value {
        json!({
            "sessions": self.sessions,
            "calls": self.calls,
            "client_tokens": self.client_tokens,
            "sent_tokens": self.sent_tokens,
            "saved_share": share(self.client_tokens.saturating_sub(self.sent_tokens), self.client_tokens),
            "usage": self.usage,
            "messages_compressed": self.all.messages_compressed,
            "cache_hit_rate": self.usage.cache_hit_rate(),
            "estimated_savings": self.spending.saved_by_cache().map(|(dollars, share)| {
                json!({"percent": rounded(100.0 * share), "dollars": dollars})
            }),
            "cache_read_share": share(self.usage.cache_read, self.usage.prompt),
            "cache_write_share": share(self.usage.cache_write, self.usage.prompt),
            "spending": money::to_json(&self.spending),
            "tokens_saved_by_edits": self.saved_by,
            "compactions": self.all,
            "by_reason": self.by_reason,
            "by_author": self.by_author,
            "wait_ms": {"average": self.average_wait_ms(), "longest": self.longest_wait_ms},
            "holdings": self.holdings,
        })
    }

    fn to_text(&self, style: Style) -> String {
        let saved = self.client_tokens.saturating_sub(self.sent_tokens);
        let mut lines = vec![
            style.bold("over all calls"),
            format!("  {} of {}", counted(self.calls, "call"), counted(self.sessions, "session")),
            format!(
                "  {} of the clients', {} sent: {} not sent ({})",
                counted(self.client_tokens, "token"),
                Tokens(self.sent_tokens),
                Tokens(saved),
                shown_share(share(saved, self.client_tokens))
            ),
            format!(
                "  {} of prompts reported: {} read from the cache, {} written to it",
                counted(self.usage.prompt, "token"),
                shown_share(share(self.usage.cache_read, self.usage.prompt)),
                shown_share(share(self.usage.cache_write, self.usage.prompt))
            ),
            String::new(),
            style.bold("in short"),
        ];
        lines.extend(self.in_short());
        lines.push(String::new());
        lines.push(style.bold("what it cost"));
        lines.extend(money::lines(&self.spending));
        lines.push(String::new());
        lines.push(style.bold("compactions"));
        if self.all.total_compressions == 0 {
            lines.push("  none yet".to_owned());
        } else {
            lines.push(format!(
                "  {} ms waited for each, {} at most",
                Tokens(self.average_wait_ms()),
                Tokens(self.longest_wait_ms)
            ));
            lines.extend(self.table(style));
            if !self.saved_by.is_empty() {
                lines.push(format!("  tokens saved by {}", money::saved_by(&self.saved_by)));
            }
        }
        if let Some(holdings) = &self.holdings {
            lines.push(String::new());
            lines.push(style.bold("stored"));
            lines.push(format!("  {}, {}", counted(holdings.originals, "original"), shown_bytes(holdings.bytes)));
        }
        lines.push(String::new());
        lines.join("\n")
    }

    /// The statistics that can be asked for (M16), under their names.
    fn in_short(&self) -> Vec<String> {
        let saved = self.spending.saved_by_cache();
        let saved = saved.map(|(dollars, share)| {
            format!("{} of what prompts cost without a cache, {dollars}", shown_share(Some(share)))
        });
        let cells = [
            ("total_compressions", Tokens(self.all.total_compressions).to_string()),
            ("total_tokens_saved", self.all.total_tokens_saved.to_string()),
            ("average_compression_ratio", shown_share(Some(self.all.average_compression_ratio))),
            ("messages_compressed", Tokens(self.all.messages_compressed).to_string()),
            ("cache_hit_rate", shown_share(self.usage.cache_hit_rate())),
            ("estimated_savings", saved.unwrap_or_else(|| "nothing is known of prices yet".to_owned())),
        ];
        let cells: Vec<Vec<String>> = cells.into_iter().map(|(name, value)| vec![format!("  {name}"), value]).collect();
        rows(&[Column::Left, Column::Left], &cells)
    }

    fn table(&self, style: Style) -> Vec<String> {
        let row = |name: &str, statistics: &Statistics| {
            vec![
                format!("  {name}"),
                Tokens(statistics.total_compressions).to_string(),
                statistics.total_tokens_saved.to_string(),
                shown_share(Some(statistics.average_compression_ratio)),
            ]
        };
        let mut cells = vec![["  ", "times", "tokens saved", "on average"].map(str::to_owned).to_vec()];
        cells.push(row("all", &self.all));
        cells.extend(self.by_reason.iter().map(|(reason, statistics)| row(&format!("because {reason}"), statistics)));
        cells
            .extend(self.by_author.iter().map(|(author, statistics)| row(&format!("written by {author}"), statistics)));
        let mut lines = rows(&[Column::Left, Column::Right, Column::Right, Column::Right], &cells);
        if let Some(head) = lines.first_mut() {
            *head = style.dim(head);
        }
        lines
    }
}
