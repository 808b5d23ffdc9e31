//! `epitome sessions`: what the gateway remembers, for people and for their programs.

mod compact;
mod delete;
mod diff;
mod export;
mod list;
pub(super) mod money;
mod original;
mod prune;
mod search;
mod show;
mod stats;

use std::process::ExitCode;
use std::sync::Arc;

use epitome_store::records::{Session, SessionId, Tenant};
use epitome_store::store::{Store, StoreError};

use super::configuration;
use crate::arguments::{Common, SessionsArguments, SessionsCommand};
use crate::config::nearest;
use crate::config::values::StoreConfig;
use crate::failure::Failure;
use crate::progress::Progress;
use crate::store::{self, Opened};
use crate::terminal::Style;

/// What is remembered, and for whom it is asked.
struct Archive {
    store: Arc<dyn Store>,
    /// What people call the store.
    name: String,
    tenant: Tenant,
    retention: StoreConfig,
    style: Style,
    json: bool,
}

/// So many names are given in a hint.
const NAMES: usize = 5;

/// Does what is asked.
pub(crate) fn run(arguments: &SessionsArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, sources) = configuration(common, arguments.flags())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::outside("the runtime", &error))?;
    runtime.block_on(async {
        let config = loaded.config.store;
        let Opened { store, name } = {
            let _older_data_may_be_migrated = Progress::start("opening the store");
            store::open_existing(config.location.as_deref(), &sources.environment).await?
        };
        let archive = Archive {
            store,
            name,
            tenant: arguments.tenant.as_deref().map_or_else(Tenant::only, Tenant::new),
            retention: config,
            style: Style::of_stdout(&sources.environment),
            json: common.json,
        };
        match &arguments.command {
            SessionsCommand::List(arguments) => list::run(arguments, &archive).await,
            SessionsCommand::Show(arguments) => show::run(arguments, &archive).await,
            SessionsCommand::Diff(arguments) => diff::run(arguments, &archive).await,
            SessionsCommand::Search(arguments) => search::run(arguments, &archive).await,
            SessionsCommand::Original(arguments) => original::run(arguments, &archive).await,
            SessionsCommand::Export(arguments) => export::run(arguments, &archive).await,
            SessionsCommand::Stats(arguments) => stats::run(arguments, &archive).await,
            SessionsCommand::Compact(arguments) => compact::run(arguments, &archive).await,
            SessionsCommand::Delete(arguments) => delete::run(arguments, &archive).await,
            SessionsCommand::Prune(arguments) => prune::run(arguments, &archive).await,
        }?;
        Ok(ExitCode::SUCCESS)
    })
}

impl Archive {
    fn failed(&self, error: &StoreError) -> Failure {
        Failure::store(&self.name, error)
    }

    /// The session of this name, or the only one whose name begins so.
    async fn find(&self, name: &str) -> Result<Session, Failure> {
        let exact = self.store.session(&self.tenant, &SessionId::new(name)).await;
        if let Some(session) = exact.map_err(|error| self.failed(&error))? {
            return Ok(session);
        }
        let all = self.store.sessions(&self.tenant, usize::MAX).await.map_err(|error| self.failed(&error))?;
        let begins = |session: &&Session| !name.is_empty() && session.id.as_str().starts_with(name);
        let found: Vec<&Session> = all.iter().filter(begins).collect();
        match found.as_slice() {
            [session] => Ok((*session).clone()),
            // Sessions that continue each other are one conversation, and are meant by the first.
            [first, others @ ..] if others.iter().all(|other| other.id.of_client() == first.id.of_client()) => {
                let first = found.iter().min_by_key(|session| session.id.number()).unwrap_or(first);
                Ok((*first).clone())
            }
            [] => Err(self.no_such(name, &all)),
            [_, _, ..] => {
                let names = names(found.iter().map(|session| session.id.as_str()));
                Err(Failure::input(format!("{} sessions begin with {name:?}", found.len()))
                    .hint(format!("give more of the name: {names}")))
            }
        }
    }

    fn no_such(&self, name: &str, all: &[Session]) -> Failure {
        if all.is_empty() {
            return self.nothing_yet();
        }
        let known: Vec<&str> = all.iter().map(|session| session.id.as_str()).collect();
        let near = nearest(name, known.iter().copied());
        // Names are chosen by agents, and often nothing like each other: then the latest are the likeliest.
        let near = near.or_else(|| known.iter().copied().find(|known| !name.is_empty() && known.contains(name)));
        let hint = match near {
            Some(near) => format!("did you mean {near}? `epitome sessions list` shows all"),
            None => format!("the latest are {}; `epitome sessions list` shows all", names(known.into_iter())),
        };
        Failure::input(format!("there is no session {name:?} in {}", self.name)).hint(hint)
    }

    fn nothing_yet(&self) -> Failure {
        Failure::input(format!("no session of {:?} is stored in {}", self.tenant.as_str(), self.name))
            .hint("`epitome sessions list --tenants` shows who has some")
    }
}

fn names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.take(NAMES + 1).collect();
    match names.get(..NAMES).filter(|_| names.len() > NAMES) {
        Some(some) => format!("{}, …", some.join(", ")),
        None => names.join(", "),
    }
}
