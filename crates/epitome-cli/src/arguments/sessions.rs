//! What can be typed behind `epitome sessions`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::named;
use crate::config::Flag;
use crate::units::{parse_age, parse_bytes};

pub(crate) const SESSIONS_HELP: &str = "\
Examples:
  epitome sessions list
  epitome sessions show 3f2a                      the beginning of a name is enough
  epitome sessions diff 3f2a 2                    its second compaction, before and after
  epitome sessions search 'connection refused'
  epitome sessions original 37ce07ed0562 > out    byte for byte, as the client sent it
  epitome sessions compact 3f2a --focus 'the failing migration'
  epitome sessions prune --older-than 30d --dry-run

They read and write the store that `epitome serve` uses, whether it runs or not. Times are UTC.";

#[derive(Debug, Args)]
pub(crate) struct SessionsArguments {
    #[command(subcommand)]
    pub(crate) command: SessionsCommand,
    /// The store: a file, or postgres://user@host/database [default: store.location]
    #[arg(long, global = true, value_name = "PATH|URL")]
    pub(crate) store: Option<String>,
    /// Whose sessions, as `list --tenants` names them [default: local]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) tenant: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List sessions, latest first, with what was saved
    List(ListArguments),
    /// Show one session: its calls, its compactions, and what became of each message
    Show(ShowArguments),
    /// Show a compaction before and after: what went, and what stands in its place
    Diff(DiffArguments),
    /// Find what was removed: these very words, in any case of the letters
    #[command(after_help = SEARCH_HELP)]
    Search(SearchArguments),
    /// Print something that was removed, byte for byte
    Original(OriginalArguments),
    /// Write everything that is known of a session, as JSON lines
    #[command(after_help = EXPORT_HELP)]
    Export(ExportArguments),
    /// Add up what compactions saved, of all sessions or of one
    Stats(StatsArguments),
    /// Compact a session with its next request, whatever its size
    #[command(after_help = COMPACT_HELP)]
    Compact(CompactArguments),
    /// Forget sessions, with everything that was removed from them
    Delete(DeleteArguments),
    /// Forget the sessions that are too old, and the oldest of what is too much
    #[command(after_help = PRUNE_HELP)]
    Prune(PruneArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// So many at most
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::number)]
    pub(crate) most: usize,
    /// List those who have sessions instead
    #[arg(long)]
    pub(crate) tenants: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The session, or the beginning of its name
    pub(crate) session: String,
    /// All calls, not only the latest
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// The session, or the beginning of its name
    pub(crate) session: String,
    /// Which compaction, counted from 1 [default: the latest]
    #[arg(value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) number: Option<u64>,
    /// Whole texts, not their first lines
    #[arg(long)]
    pub(crate) full: bool,
}

const SEARCH_HELP: &str = "\
Examples:
  epitome sessions search 'E0502'
  epitome sessions search --regex 'timeout after \\d+ ?ms'

Newest session first. Several words are looked for as they stand, with one blank between them.";

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// What to look for
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Read it as a regular expression; ^ and $ are the ends of lines
    #[arg(long)]
    pub(crate) regex: bool,
    /// So many at most
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::number)]
    pub(crate) most: usize,
}

#[derive(Debug, Args)]
pub(crate) struct OriginalArguments {
    /// Its hash, or eight digits of it at least, as digests and `search` show it
    #[arg(value_name = "HASH")]
    pub(crate) hash: String,
    /// Write to this file in place of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

const EXPORT_HELP: &str = "\
One JSON value a line, each with its \"type\": the session, its calls, its compactions with their edits, the messages that
are kept for a chat bot, and every original. Bytes that are no UTF-8 are written as base64.";

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The session, or the beginning of its name
    pub(crate) session: String,
    /// Write to this file, for its owner alone to read, in place of stdout
    #[arg(long, visible_alias = "output", short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// One session, or the beginning of its name [default: all]
    pub(crate) session: Option<String>,
}

const COMPACT_HELP: &str = "\
The gateway holds no histories, so it is a wish: kept in the store, and carried out when the agent sends its next request.
A running gateway need not be told. POST /epitome/sessions/NAME/compact does the same.";

#[derive(Debug, Args)]
pub(crate) struct CompactArguments {
    /// The session, or the beginning of its name
    pub(crate) session: String,
    /// Keep what is about this above all
    #[arg(long, value_name = "TEXT")]
    pub(crate) focus: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DeleteArguments {
    /// The sessions, or the beginnings of their names
    #[arg(required = true, value_name = "SESSION")]
    pub(crate) sessions: Vec<String>,
    /// Do not ask
    #[arg(long, short)]
    pub(crate) yes: bool,
}

const PRUNE_HELP: &str = "\
Without flags, store.keep_days and store.keep_bytes count, by which a running gateway prunes every hour.
Ages: 90m, 12h, 30d, 8w. Sizes: 500MB, 2GB, 1GiB; of originals and kept histories, as they are stored.";

#[derive(Debug, Args)]
pub(crate) struct PruneArguments {
    /// Forget what was not seen for so long
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub(crate) older_than: Option<u64>,
    /// Then the longest unseen, until no more than this is left
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub(crate) larger_than: Option<u64>,
    /// Say what would go, and forget nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

impl SessionsArguments {
    /// The flags that stand for a setting. They overrule `--set`.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        named("--store", "store.location", self.store.clone()).into_iter().collect()
    }
}
