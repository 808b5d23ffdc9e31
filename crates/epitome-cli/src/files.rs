//! Reading sessions and writing results, so that a crash leaves either the old file or the new one.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, shown};

/// What a session without a file is called in messages.
pub(crate) const STDIN: &str = "stdin";

/// Reads a session from a file, or from stdin.
pub(crate) fn read(path: Option<&Path>) -> Result<(String, Vec<u8>), Failure> {
    let missing = Failure::input("no session: neither FILE was given, nor anything on stdin")
        .hint("epitome compress session.json, or epitome compress < session.json");
    read_or(path, missing)
}

/// Reads a file, or stdin unless somebody sits there and types: then `missing` is the answer.
pub(crate) fn read_or(path: Option<&Path>, missing: Failure) -> Result<(String, Vec<u8>), Failure> {
    match path {
        Some(path) => {
            let bytes = fs::read(path).map_err(|error| Failure::outside(shown(path), &error))?;
            Ok((shown(path), bytes))
        }
        None => {
            let mut stdin = io::stdin().lock();
            if stdin.is_terminal() {
                return Err(missing);
            }
            let mut bytes = Vec::new();
            stdin.read_to_end(&mut bytes).map_err(|error| Failure::outside(STDIN, &error))?;
            Ok((STDIN.to_owned(), bytes))
        }
    }
}

/// Writes to a file, or to stdout.
pub(crate) fn write(path: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    match path {
        Some(path) => replace(path, bytes).map_err(|error| {
            let failure = Failure::outside(shown(path), &error);
            match path.parent().filter(|directory| error.kind() == io::ErrorKind::NotFound && !directory.exists()) {
                Some(directory) => failure.hint(format!("make the directory first: mkdir -p {}", shown(directory))),
                None => failure,
            }
        }),
        None => {
            let mut stdout = io::stdout().lock();
            let written = stdout.write_all(bytes).and_then(|()| stdout.flush());
            written.map_err(|error| Failure::outside("stdout", &error))
        }
    }
}

/// Writes where the user said: a link is followed, a file keeps its permissions, and what is no file (a pipe, a device)
/// is written to as it is.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Ok(known) = fs::metadata(path) else { return write_file(path, bytes, Readers::Everyone) };
    if !known.is_file() {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let place = fs::canonicalize(path)?;
    write_file(&place, bytes, Readers::Like(known.permissions()))
}

/// Who may read a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Whom the process's umask allows.
    Everyone,
    /// The owner: it holds what a conversation said.
    Owner,
    /// Those who may read the file that is replaced.
    Like(Permissions),
}

/// Writes a file beside its place and moves it there.
pub(crate) fn write_file(path: &Path, bytes: &[u8], readers: Readers) -> io::Result<()> {
    let unfinished = beside(path);
    let written = create(&unfinished, &readers).and_then(|mut file| {
        if let Readers::Like(permissions) = readers {
            file.set_permissions(permissions)?;
        }
        file.write_all(bytes)?;
        file.sync_data()
    });
    let moved = written.and_then(|()| fs::rename(&unfinished, path));
    if moved.is_err() {
        // The first error is the one that matters; a file that was never made cannot be removed.
        drop(fs::remove_file(&unfinished));
    }
    moved
}

/// Where a file is written before it is moved to its place.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.unfinished", std::process::id()));
    path.with_file_name(name)
}

/// A new file, for these readers.
pub(crate) fn create(path: &Path, readers: &Readers) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if *readers != Readers::Everyone {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let (Readers::Everyone | Readers::Owner | Readers::Like(_)) = readers;
    options.open(path)
}
