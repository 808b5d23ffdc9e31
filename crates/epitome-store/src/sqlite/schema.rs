//! The file: how it is opened, its tables, and how older ones become newer ones.

use std::fs::OpenOptions;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::threads::More;
use crate::format::damaged;
use crate::store::StoreError;

/// "EPIT": tells our files from those of others.
const APPLICATION: i32 = 0x4550_4954;

/// Each brings a file from the version that is its place in the list to the next. What was released is never changed.
const MIGRATIONS: &[&str] = &[include_str!("0001.sql"), include_str!("0002.sql"), include_str!("0003.sql")];

/// The version that this program writes.
pub(super) const VERSION: u32 = MIGRATIONS.len() as u32;

/// A few megabytes.
const PAGES_AT_A_TIME: u32 = 1_000;

/// For the one who writes. Makes the file if there is none.
pub(super) fn open(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    make_private(path)?;
    let mut connection = connect(path, patience)?;
    check(&connection)?;
    // Takes effect in a new file alone: room is given back after something was deleted.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(StoreError::Unavailable { what: format!("its journal cannot be a WAL, it is {mode}") });
    }
    // A deleted session's words are overwritten. After a burst the WAL becomes small again.
    connection.execute_batch("PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 16777216")?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// For one who reads a file that [`open`] has opened.
pub(super) fn open_to_read(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    let connection = connect(path, patience)?;
    connection.execute_batch("PRAGMA query_only = ON")?;
    // Not before its first read does SQLite open the log beside the file: if somebody moves the directory, all who
    // read go on, not only those who have read already.
    can_read(&connection)?;
    Ok(connection)
}

/// Whether something can be read.
pub(super) fn can_read(connection: &Connection) -> Result<(), StoreError> {
    connection.query_row("SELECT count(*) FROM checked", [], |_| Ok(()))?;
    Ok(())
}

/// Whether something can be written: only writing tells.
pub(super) fn can_write(connection: &Connection) -> Result<(), StoreError> {
    connection
        .execute("INSERT INTO checked (one, times) VALUES (1, 1) ON CONFLICT DO UPDATE SET times = times + 1", [])?;
    Ok(())
}

/// Makes the file, and then its WAL, smaller by what was deleted: some at a time, as a write may come to wait for it.
pub(super) fn give_back_room(connection: &Connection) -> Result<More, StoreError> {
    connection.execute_batch("PRAGMA synchronous = NORMAL")?;
    run_to_its_end(connection, &format!("PRAGMA incremental_vacuum({PAGES_AT_A_TIME})"))?;
    let left: i64 = connection.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
    if left > 0 {
        return Ok(More::Yes);
    }
    // Somebody who reads keeps the WAL from being emptied; that is not worth waiting for.
    let patience: u32 = connection.query_row("PRAGMA busy_timeout", [], |row| row.get(0))?;
    connection.busy_timeout(Duration::ZERO)?;
    let emptied = run_to_its_end(connection, "PRAGMA wal_checkpoint(TRUNCATE)");
    connection.busy_timeout(Duration::from_millis(patience.into()))?;
    emptied.map(|()| More::No)
}

fn run_to_its_end(connection: &Connection, pragma: &str) -> Result<(), StoreError> {
    let mut statement = connection.prepare(pragma)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}

/// A new file is its owner's alone; SQLite gives the WAL the same rights. An old one stays as its owner wants it.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(StoreError::Unavailable { what: format!("making {}: {error}", path.display()) }),
    }
}

fn connect(path: &Path, patience: Duration) -> Result<Connection, StoreError> {
    // Each connection belongs to one thread, so that SQLite need not lock it.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.execute_batch("PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY")?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Whether the file is ours to use, before anything is written to it.
fn check(connection: &Connection) -> Result<(), StoreError> {
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application: i32 = connection.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    if tables > 0 && application != APPLICATION {
        return Err(damaged("the file is a database of another program"));
    }
    let found: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if found > VERSION { Err(StoreError::Newer { found, known: VERSION }) } else { Ok(()) }
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    // Two processes may come at once: the version is read when the other can no longer change it.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: u32 = transaction.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if version >= VERSION {
        return Ok(());
    }
    for migration in MIGRATIONS.iter().skip(version as usize) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}
