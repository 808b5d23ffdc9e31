//! `epitome sessions search`: where something that was removed is.

use epitome_store::records::OriginalKind;
use epitome_store::store::Query;
use serde_json::{Value, json};

use super::Archive;
use crate::arguments::SearchArguments;
use crate::commands::{print, print_json, say};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::table::{Column, rows};

pub(super) async fn run(arguments: &SearchArguments, archive: &Archive) -> Result<(), Failure> {
    let words = arguments.words.join(" ");
    let query = if arguments.regex { Query::Pattern(words.clone()) } else { Query::Literal(words.clone()) };
    let found = {
        let _a_pattern_reads_everything = Progress::start("searching");
        archive.store.search(&archive.tenant, &query, arguments.most).await
    };
    let found = found.map_err(|error| archive.failed(&error))?;
    if archive.json {
        let found = found.iter().map(|found| {
            json!({
                "session": found.session.as_str(),
                "hash": found.hash.to_string(),
                "kind": found.kind,
                "excerpt": found.excerpt,
            })
        });
        return print_json(&Value::Array(found.collect()));
    }
    if found.is_empty() {
        say(&format!("{words:?} is in nothing that was removed"));
        return Ok(());
    }
    let row = |found: &epitome_store::records::Found| {
        let kind = match found.kind {
            OriginalKind::Message => "message",
            OriginalKind::Text => "output",
        };
        vec![found.session.to_string(), found.hash.short(), kind.to_owned(), found.excerpt.trim().to_owned()]
    };
    let lines = rows(&[Column::Left; 4], &found.iter().map(row).collect::<Vec<_>>());
    print(&format!("{}\n", lines.join("\n")))?;
    if found.len() == arguments.most {
        say(&format!("there may be more than these {}: say -n", arguments.most));
    }
    Ok(())
}
