//! `epitome sessions compact`: a compaction by hand, with the session's next request.

use epitome_gateway::clock;
use epitome_gateway::pages::{put_wish, wished};
use epitome_store::records::Wish;

use super::Archive;
use crate::arguments::CompactArguments;
use crate::commands::{print, print_json};
use crate::failure::Failure;

pub(super) async fn run(arguments: &CompactArguments, archive: &Archive) -> Result<(), Failure> {
    let session = archive.find(&arguments.session).await?;
    let focus = arguments.focus.as_deref().map(str::trim).filter(|focus| !focus.is_empty());
    let wish = Wish { at_ms: clock::now_ms(), focus: focus.map(str::to_owned) };
    let asked = put_wish(&*archive.store, &archive.tenant, &session.id, &wish).await;
    let Some(current) = asked.map_err(|error| archive.failed(&error))? else {
        return Err(Failure::input(format!("the session {} was deleted meanwhile", session.id)));
    };
    if archive.json {
        return print_json(&wished(current.as_str(), &wish));
    }
    let about = focus.map(|focus| format!(", above all keeping what is about {focus:?}")).unwrap_or_default();
    let goes_on = if current == session.id { String::new() } else { format!("{} goes on as {current}: ", session.id) };
    print(&format!("{goes_on}{current} will be compacted with its next request{about}\n"))
}
