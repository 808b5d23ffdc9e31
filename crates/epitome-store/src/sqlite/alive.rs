//! Which of the processes on a file are alive. Each holds a lock on a small file of its own beside the store's, and the
//! system takes that lock away when the process ends, however it ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::holder::Instance;

/// What an instance's file is called: the store's name, and this with the instance.
const SUFFIX: &str = "-alive-";

/// How often making a file is tried again because somebody took it for one that was left behind.
const ATTEMPTS: usize = 3;

/// Shows that this process is alive, and sees which others are.
pub(super) struct Alive {
    store: PathBuf,
    instance: Instance,
    /// Locked as long as it is open.
    shown: Mutex<Option<File>>,
}

impl Alive {
    /// Beside the file of a store that is open.
    pub(super) fn beside(store: &Path) -> Alive {
        // Another process may call it by another name.
        let store = std::fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
        Alive { store, instance: Instance::new(), shown: Mutex::default() }
    }

    /// An owner as it is stored. Where it cannot be shown that this process is alive, a lease ends with time alone.
    pub(super) fn holder(&self, owner: &str) -> String {
        match self.show() {
            Ok(()) => self.instance.holds_for(owner),
            Err(_) => owner.to_owned(),
        }
    }

    /// Whether the process of a holder has ended for sure.
    pub(super) fn has_ended(&self, holder: &str) -> bool {
        let Some(instance) = Instance::of(holder).filter(|instance| *instance != self.instance) else { return false };
        is_left_behind(&self.file_of(instance))
    }

    fn show(&self) -> io::Result<()> {
        let path = self.file_of(self.instance);
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        // It goes with the directory, if somebody removes that.
        if shown.is_some() && path.exists() {
            return Ok(());
        }
        self.remove_what_was_left();
        for _ in 0..ATTEMPTS {
            let file = make_private(&path)?;
            file.try_lock().map_err(io::Error::from)?;
            if path.exists() {
                *shown = Some(file);
                return Ok(());
            }
        }
        Err(io::Error::from(io::ErrorKind::NotFound))
    }

    /// Removes the files of processes that ended without doing so.
    fn remove_what_was_left(&self) {
        let (Some(directory), Some(name)) = (self.store.parent(), self.store.file_name()) else { return };
        let ours = format!("{}{SUFFIX}", name.to_string_lossy());
        let Ok(entries) = std::fs::read_dir(directory) else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&ours) {
                is_left_behind(&entry.path());
            }
        }
    }

    fn file_of(&self, instance: Instance) -> PathBuf {
        let mut path = self.store.clone().into_os_string();
        path.push(format!("{SUFFIX}{:016x}", instance.0));
        PathBuf::from(path)
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        if self.shown.get_mut().unwrap_or_else(PoisonError::into_inner).take().is_some() {
            // If it stays, the next who looks removes it.
            drop(std::fs::remove_file(self.file_of(self.instance)));
        }
    }
}

/// Whether nobody holds the lock of a file, which is removed then.
fn is_left_behind(path: &Path) -> bool {
    let file = match OpenOptions::new().write(true).open(path) {
        Ok(file) => file,
        Err(error) => return error.kind() == io::ErrorKind::NotFound,
    };
    match file.try_lock() {
        Ok(()) => {
            drop(std::fs::remove_file(path));
            true
        }
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

fn make_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
