//! The file at its path: whether it is still the one that was opened, and what is done when it is not.
//!
//! A file that was deleted or replaced goes on for those who have it open, and nobody will ever read what they write. So
//! each look and each write asks the file system first; it costs about a microsecond.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::threads::{Readers, Writer};
use super::{schema, sessions};
use crate::replays::Replays;
use crate::store::StoreError;

/// What is open.
pub(super) struct Open {
    pub(super) writer: Writer,
    pub(super) readers: Readers,
    files: Files,
}

/// A store's file, opened again when another one stands at its path.
pub(super) struct Place {
    path: PathBuf,
    patience: Duration,
    state: Mutex<State>,
    replays: Arc<Replays>,
}

struct State {
    open: Option<Arc<Open>>,
    /// Why it could not be opened again, and when.
    failed: Option<(Instant, StoreError)>,
    /// What became of the file before, and when that was found.
    news: Option<(Instant, String)>,
    /// Secrets that were given out. A store that is made anew has to have the same ones.
    secrets: BTreeMap<String, [u8; 32]>,
}

/// Which files they are, by the file system. On other systems than Unix nobody can delete a file that is open.
#[derive(Debug)]
struct Files {
    database: Option<FileId>,
    log: Option<FileId>,
    index: Option<FileId>,
}

/// Its device and its number there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId(u64, u64);

/// A store that cannot be opened is not tried again before.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// So long whoever asks how the store is hears that its file was replaced.
const NEWS: Duration = Duration::from_secs(10);

impl Place {
    /// Opens the file, or makes it.
    pub(super) fn open(path: &Path, patience: Duration, replays: Arc<Replays>) -> Result<Place, StoreError> {
        let open = Arc::new(Open::new(path, patience, &BTreeMap::new())?.0);
        let state = State { open: Some(open), failed: None, news: None, secrets: BTreeMap::new() };
        Ok(Place { path: path.to_owned(), patience, state: Mutex::new(state), replays })
    }

    /// What is open at the path now.
    pub(super) fn current(&self) -> Result<Arc<Open>, StoreError> {
        let mut state = self.lock();
        let there = FileId::of(&self.path);
        if let Some(open) = &state.open
            && there == open.files.database
        {
            return Ok(open.clone());
        }
        if let Some((when, error)) = &state.failed
            && when.elapsed() < TRY_AGAIN
        {
            return Err(error.clone());
        }
        self.open_again(&mut state, there.is_some())
    }

    /// What became of the file that was open before, if that was found a moment ago.
    pub(super) fn news(&self) -> Option<String> {
        let state = self.lock();
        state.news.as_ref().filter(|(when, _)| when.elapsed() < NEWS).map(|(_, what)| what.clone())
    }

    /// A secret was given out.
    pub(super) fn remember_secret(&self, name: &str, value: [u8; 32]) {
        self.lock().secrets.insert(name.to_owned(), value);
    }

    fn open_again(&self, state: &mut State, is_there: bool) -> Result<Arc<Open>, StoreError> {
        if let Some(old) = state.open.take() {
            old.files.remove_what_belongs_to_it(&self.path);
            // It ends when the last has ended who uses it, and nobody waits for that.
            let ending = thread::Builder::new().name("store-closer".to_owned());
            drop(ending.spawn(move || drop(old)));
            self.replays.clear();
        }
        let opened = make_room(&self.path).and_then(|()| Open::new(&self.path, self.patience, &state.secrets));
        match opened {
            Ok((open, kept_secrets)) => {
                let open = Arc::new(open);
                let what = what_became_of_it(is_there, kept_secrets);
                *state = State {
                    open: Some(open.clone()),
                    failed: None,
                    news: Some((Instant::now(), what)),
                    secrets: std::mem::take(&mut state.secrets),
                };
                Ok(open)
            }
            Err(error) => {
                state.failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Opens the file with the secrets that it should have. Whether it has them.
    fn new(path: &Path, patience: Duration, secrets: &BTreeMap<String, [u8; 32]>) -> Result<(Open, bool), StoreError> {
        let writing = schema::open(path, patience)?;
        let mut kept = true;
        for (name, value) in secrets {
            kept &= sessions::secret(&writing, name, *value)? == *value;
        }
        let readers = Readers::start(|| schema::open_to_read(path, patience))?;
        let files = Files::of(path);
        Ok((Open { writer: Writer::start(writing)?, readers, files }, kept))
    }
}

/// Strangers may hear it, so that no path stands in it.
fn what_became_of_it(was_there: bool, kept_secrets: bool) -> String {
    let what = if was_there {
        "the store's file was replaced while it was open; the new one is used from now on\n\
         hint: stop the gateway before you replace its store, or its last lines are lost"
    } else {
        "the store's file was deleted while it was open; a new one is begun, what was stored is lost\n\
         hint: if there is a copy, stop the gateway and put it there"
    };
    match kept_secrets {
        true => what.to_owned(),
        false => format!(
            "{what}\nhint: it names tenants otherwise; start the gateway again, so that they find what is theirs"
        ),
    }
}

impl Files {
    fn of(path: &Path) -> Files {
        Files {
            database: FileId::of(path),
            log: FileId::of(&beside(path, "-wal")),
            index: FileId::of(&beside(path, "-shm")),
        }
    }

    /// Takes away the log and the index that this database has left at its path: SQLite would read them as those of the
    /// next one. What came with a file that replaces it stays.
    fn remove_what_belongs_to_it(&self, path: &Path) {
        for (file, ending) in [(self.log, "-wal"), (self.index, "-shm")] {
            let left = beside(path, ending);
            if file.is_some() && FileId::of(&left) == file {
                // If this fails, opening says why.
                drop(fs::remove_file(left));
            }
        }
    }
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl FileId {
    fn of(path: &Path) -> Option<FileId> {
        fs::metadata(path).ok().map(|metadata| identity(&metadata))
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> FileId {
    use std::os::unix::fs::MetadataExt;
    FileId(metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> FileId {
    FileId(0, 0)
}

/// The directory may be gone with the file. Nobody else may look into it.
fn make_room(path: &Path) -> Result<(), StoreError> {
    let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let failed =
        |error: io::Error| StoreError::Unavailable { what: format!("making {}: {error}", directory.display()) };
    builder.create(directory).map_err(failed)
}
