//! Opening the store that the configuration names.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use epitome_store::memory::MemoryStore;
use epitome_store::postgres::PostgresStore;
use epitome_store::sqlite::SqliteStore;
use epitome_store::store::Store;

use crate::config::Environment;
use crate::failure::{Failure, shown};

/// A store, and what people call it.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) name: String,
}

/// Opens the store at `location`: `memory`, an address of PostgreSQL, or the path of an SQLite file.
pub(crate) async fn open(location: Option<&str>, environment: &Environment) -> Result<Opened, Failure> {
    match location {
        Some("memory") => {
            let store = Arc::new(MemoryStore::new());
            Ok(Opened { store, name: "memory: forgotten when the gateway stops".to_owned() })
        }
        Some(url) if is_postgres(url) => {
            if has_password(url) {
                let message = "the store's address holds a password, which would be seen by others";
                return Err(Failure::input(message).hint("leave it out, and set PGPASSWORD"));
            }
            let opened = match environment.get("PGPASSWORD") {
                Some(password) => PostgresStore::connect_with_password(url, password).await,
                None => PostgresStore::connect(url).await,
            };
            Ok(Opened { store: Arc::new(opened.map_err(|error| Failure::store(url, &error))?), name: url.to_owned() })
        }
        path => {
            let path = path.map_or_else(|| usual_place(environment), |path| Ok(PathBuf::from(path)))?;
            let name = shown(&path).to_string();
            make_room(&path)?;
            let opened = SqliteStore::open(&path).map_err(|error| Failure::store(&name, &error))?;
            Ok(Opened { store: Arc::new(opened), name })
        }
    }
}

/// Opens a store that a gateway has made: nothing is made by looking.
pub(crate) async fn open_existing(location: Option<&str>, environment: &Environment) -> Result<Opened, Failure> {
    match location {
        Some("memory") => {
            let message = "a store in memory is the running gateway's alone";
            return Err(Failure::input(message)
                .hint("ask the gateway: GET /epitome/sessions; or give it a store that stays with --store"));
        }
        Some(url) if is_postgres(url) => {}
        path => {
            let path = path.map_or_else(|| usual_place(environment), |path| Ok(PathBuf::from(path)))?;
            if !path.exists() {
                return Err(Failure::input(format!("{}: nothing is stored yet", shown(&path)))
                    .hint("`epitome serve` makes it when an agent talks through it; or say which with --store"));
            }
        }
    }
    open(location, environment).await
}

fn is_postgres(location: &str) -> bool {
    location.starts_with("postgres://") || location.starts_with("postgresql://")
}

/// `postgres://user:password@host`.
fn has_password(url: &str) -> bool {
    let authority = url.split_once("://").map_or(url, |(_, rest)| rest).split(['/', '?']).next().unwrap_or_default();
    let user = authority.rsplit_once('@').map(|(user, _)| user);
    user.is_some_and(|user| user.contains(':')) || url.contains("password=")
}

fn usual_place(environment: &Environment) -> Result<PathBuf, Failure> {
    let data = environment.get("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let data = data.or_else(|| environment.get("HOME").map(|home| Path::new(home).join(".local/share")));
    let missing = || {
        let failure = Failure::input("there is no place for the store: neither XDG_DATA_HOME nor HOME is set");
        failure.hint("say where with --store FILE, or --store memory")
    };
    Ok(data.ok_or_else(missing)?.join("epitome").join("epitome.db"))
}

/// Directories that are missing, for nobody else to look into.
fn make_room(path: &Path) -> Result<(), Failure> {
    let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) else { return Ok(()) };
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| Failure::outside(shown(directory), &error))
}

#[cfg(test)]
mod tests {
    use super::has_password;

    #[test]
    fn a_password_in_an_address_is_seen() {
        for with in ["postgres://u:p@h/d", "postgresql://u:p@h", "postgres://h/d?password=p"] {
            assert!(has_password(with), "{with}");
        }
        for without in ["postgres://u@h:5432/d", "postgres://h/d", "postgres:///d?host=/run"] {
            assert!(!has_password(without), "{without}");
        }
    }
}
