//! `epitome sessions show`: one session, its calls, its compactions, and what became of each message.

use epitome_core::shape::role_name;
use epitome_core::tokens::Tokens;
use epitome_gateway::story::{Chapter, Fate, Story, What, opening, share};
use epitome_store::records::{CacheBreak, Turn};

use super::{Archive, list, money};
use crate::arguments::ShowArguments;
use crate::commands::{print, print_json};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Column, rows};
use crate::terminal::{Style, plain};
use crate::units::{counted, shown_moment, shown_share};

/// So many of the latest calls are shown.
const CALLS: usize = 20;

pub(super) async fn run(arguments: &ShowArguments, archive: &Archive) -> Result<(), Failure> {
    let id = archive.find(&arguments.session).await?.id;
    let story = {
        let _much_may_have_been_removed = Progress::start("reading what was removed");
        Story::of(&*archive.store, &archive.tenant, &id).await.map_err(|error| archive.failed(&error))?
    };
    let Some(story) = story else {
        return Err(Failure::input(format!("the session {id} was deleted while it was read")));
    };
    if archive.json {
        return print_json(&story.to_json());
    }
    let calls = if arguments.all { usize::MAX } else { CALLS };
    print(&as_text(&story, calls, archive.style))
}

fn as_text(story: &Story, calls: usize, style: Style) -> String {
    let mut lines = head(story, style);
    if !story.chapters.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("compactions"));
        lines.extend(compactions(&story.chapters));
    }
    lines.push(String::new());
    lines.push(style.bold("what it cost"));
    lines.extend(money::lines(&story.session.spending));
    let breaks = cache_breaks(&story.calls);
    if !breaks.is_empty() {
        lines.push(String::new());
        lines.push(style.bold("what broke the client's own cache"));
        lines.extend(breaks);
    }
    let fates = story.fates();
    if let Some(latest) = story.chapters.last().filter(|_| !fates.is_empty()) {
        lines.push(String::new());
        lines.push(style.bold("what became of its messages"));
        lines.extend(messages(&fates, style));
        lines.push(style.dim(&format!(
            "  as of compaction {}; messages are counted behind the system prompt, and later ones are sent as they come",
            latest.number
        )));
    }
    lines.push(String::new());
    lines.push(style.bold("calls"));
    let skipped = story.calls.len().saturating_sub(calls);
    if skipped > 0 {
        lines.push(style.dim(&format!("  {skipped} earlier ones: say --all")));
    }
    lines.extend(calls_table(&story.calls, skipped));
    lines.push(String::new());
    lines.join("\n")
}

fn head(story: &Story, style: Style) -> Vec<String> {
    let session = &story.session;
    let usage = &session.usage;
    let saved = share(session.client_tokens.saturating_sub(session.sent_tokens), session.client_tokens);
    let mut lines = vec![
        style.bold(session.id.as_str()),
        format!("  seen      {} to {} UTC", shown_moment(session.first_ms), shown_moment(session.last_ms)),
        format!("  model     {} ({})", plain(&session.model), session.dialect),
        format!("  calls     {}, with {}", Tokens(session.turns), counted(session.compactions, "compaction")),
        format!(
            "  tokens    {} of the client's, {} sent: {} saved",
            Tokens(session.client_tokens),
            Tokens(session.sent_tokens),
            shown_share(saved)
        ),
        format!(
            "  reported  {} of prompts, {} read from the cache and {} written to it; {} of answers",
            Tokens(usage.prompt),
            shown_share(share(usage.cache_read, usage.prompt)),
            shown_share(share(usage.cache_write, usage.prompt)),
            Tokens(usage.output)
        ),
    ];
    let linked = list::linked(session);
    if !linked.is_empty() {
        lines.push(format!("  archive   {linked}"));
    }
    lines.extend(story.archives.iter().map(|archive| style.yellow(&format!("  {}", plain(&archive.notice)))));
    if let Some(wish) = &story.wish {
        let about = wish.focus.as_ref().map(|focus| format!(", above all {focus:?}")).unwrap_or_default();
        lines.push(style.yellow(&format!(
            "  asked for {} UTC: a compaction with the next request{about}",
            shown_moment(wish.at_ms)
        )));
    }
    lines
}

fn compactions(chapters: &[Chapter]) -> Vec<String> {
    let row = |chapter: &Chapter| {
        let record = &chapter.log.record;
        let author = chapter.log.author.clone().unwrap_or_else(|| "no summary".to_owned());
        let stood_in = if chapter.log.stood_in.is_some() { " stood in" } else { "" };
        vec![
            format!("  {}", chapter.number),
            shown_moment(record.at_ms),
            format!("{} → {}", record.before, counted(record.after.0, "token")),
            shown_share(Some(record.ratio())),
            format!("{} → {}", record.messages_before, counted(record.messages_after as u64, "message")),
            format!("{author}{stood_in}"),
            format!("{} ms", Tokens(chapter.log.wait_ms)),
            chapter.log.reason.clone(),
        ]
    };
    let columns = [
        Column::Right,
        Column::Left,
        Column::Right,
        Column::Right,
        Column::Right,
        Column::Left,
        Column::Right,
        Column::Left,
    ];
    rows(&columns, &chapters.iter().map(row).collect::<Vec<_>>())
}

/// One line a message; neighbours that are kept, of which nothing else is known, share one.
fn messages(fates: &[Fate], style: Style) -> Vec<String> {
    let mut cells: Vec<Vec<String>> = Vec::new();
    for run in fates.chunk_by(|one, next| one.what == What::Kept && next.what == What::Kept) {
        let [first, ..] = run else { continue };
        let places = match run {
            [_, .., last] => format!("  {}–{}", first.place, last.place),
            [_] | [] => format!("  {}", first.place),
        };
        let original = first.original.as_ref();
        cells.push(vec![
            places,
            original.and_then(|piece| piece.role).map(role_name).unwrap_or_default().to_owned(),
            became(first),
            first.since.map(|number| format!("by {number}")).unwrap_or_default(),
            original.map(|piece| piece.hash.short()).unwrap_or_default(),
            original.map(|piece| piece.opening.clone()).unwrap_or_default(),
        ]);
    }
    let kept: Vec<bool> = cells.iter().map(|row| row.get(2).is_some_and(|what| what == "kept")).collect();
    let lines = rows(&[Column::Left; 6], &cells);
    lines.into_iter().zip(kept).map(|(line, kept)| if kept { style.dim(&line) } else { line }).collect()
}

fn became(fate: &Fate) -> String {
    match &fate.what {
        What::Kept => "kept".to_owned(),
        What::Replaced { by_characters: 0 } => "dropped".to_owned(),
        What::Replaced { .. } => "in the summary".to_owned(),
        What::Shortened { to_characters } => match &fate.original {
            Some(piece) => {
                format!("shortened {} → {}", Tokens(piece.characters as u64), Tokens(*to_characters as u64))
            }
            None => format!("shortened to {}", Tokens(*to_characters as u64)),
        },
        What::Answered => "a missing result added".to_owned(),
        What::ResultRemoved => "a stray result removed".to_owned(),
    }
}

/// So many of the latest breaks are shown.
const BREAKS: usize = 5;

/// Where the client's requests parted from the ones before them, latest last.
fn cache_breaks(calls: &[Turn]) -> Vec<String> {
    let broken: Vec<_> = (1..).zip(calls).filter_map(|(number, call)| Some((number, call.broke.as_ref()?))).collect();
    let skipped = broken.len().saturating_sub(BREAKS);
    let line = |(number, broke): &(usize, &CacheBreak)| {
        let (place, at, lost) = (&broke.place, Tokens(broke.at), counted(broke.lost.0, "token"));
        format!("  call {number}: {place}, from character {at} on ({lost} lost): {:?}", opening(&broke.excerpt))
    };
    let earlier = (skipped > 0).then(|| format!("  {skipped} earlier ones"));
    earlier.into_iter().chain(broken.iter().skip(skipped).map(line)).collect()
}

fn calls_table(calls: &[Turn], skipped: usize) -> Vec<String> {
    let head =
        ["  call", "when (UTC)", "done", "client's", "sent", "prompt", "read", "written", "answer", "marks", "cost"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    for (number, call) in (1..).zip(calls).skip(skipped) {
        let usage = call.usage.unwrap_or_default();
        let reported = |tokens: u64| if call.usage.is_some() { Tokens(tokens).to_string() } else { "–".to_owned() };
        cells.push(vec![
            format!("  {number}"),
            shown_moment(call.at_ms),
            call.action.clone(),
            call.client_tokens.to_string(),
            call.sent_tokens.to_string(),
            reported(usage.prompt),
            reported(usage.cache_read),
            reported(usage.cache_write),
            reported(usage.output),
            if call.markers > 0 { format!("+{}", call.markers) } else { String::new() },
            call.spending.map_or_else(|| "–".to_owned(), |spending| (spending.paid + spending.summaries).to_string()),
        ]);
    }
    let columns = [&[Column::Right, Column::Left, Column::Left][..], &[Column::Right; 8]].concat();
    rows(&columns, &cells)
}
