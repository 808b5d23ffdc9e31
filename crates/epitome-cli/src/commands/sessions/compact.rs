//! `epitome sessions compact`: a compaction by hand, with the session's next request.

use epitome_gateway::clock;
use epitome_gateway::pages::wished;
use epitome_store::records::Wish;

use super::Archive;
use crate::arguments::CompactArguments;
use crate::commands::{print, print_json};
use crate::failure::Failure;

pub(super) async fn run(arguments: &CompactArguments, archive: &Archive) -> Result<(), Failure> {
    let session = archive.find(&arguments.session).await?;
    let focus = arguments.focus.as_deref().map(str::trim).filter(|focus| !focus.is_empty());
    let wish = Wish { at_ms: clock::now_ms(), focus: focus.map(str::to_owned) };
    let known = archive.store.put_wish(&archive.tenant, &session.id, &wish).await;
    if !known.map_err(|error| archive.failed(&error))? {
        return Err(Failure::input(format!("the session {} was deleted meanwhile", session.id)));
    }
    if archive.json {
        return print_json(&wished(session.id.as_str(), &wish));
    }
    let about = focus.map(|focus| format!(", above all keeping what is about {focus:?}")).unwrap_or_default();
    print(&format!("{} will be compacted with its next request{about}\n", session.id))
}
