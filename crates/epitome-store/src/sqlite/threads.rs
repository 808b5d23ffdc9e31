//! One thread that writes and a few that read, so that nobody else waits for the disk. A look at a few rows is done at
//! once by who asks, where nothing is in its way: to wake another thread would take several times as long.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::{index, schema};
use crate::store::StoreError;

/// What a write survives once it is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Durability {
    /// The end of the process, however sudden.
    Crash,
    /// That of the machine, too: it is on the disk.
    PowerLoss,
}

/// Whether something is left to do of what is done some at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum More {
    Yes,
    No,
}

/// Writes in the order in which it was asked to; what waits together is committed together.
pub(super) struct Writer {
    queue: Option<Sender<Task>>,
    thread: Option<JoinHandle<()>>,
}

/// How long a write may wait for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// Somebody waits for it.
    Now,
    /// Nobody does: it is written with what comes in the next moments, in one transaction.
    Soon,
}

/// Read at the same time, each from a state of its own.
pub(super) struct Readers {
    queue: Option<Sender<Read>>,
    threads: Vec<JoinHandle<()>>,
    /// For looks at a few rows. They wait for no lock.
    at_hand: Mutex<Vec<Connection>>,
}

enum Task {
    Job(Box<dyn Job>),
    /// Gives back the room of what was deleted, when there is nothing else to do.
    Tidy,
}

/// What is to be done when nobody waits.
struct Chores {
    index: bool,
    tidy: bool,
}

type Read = Box<dyn FnOnce(&Connection) + Send>;

/// A write that waits for its turn.
trait Job: Send {
    fn durability(&self) -> Durability;
    fn pace(&self) -> Pace;
    /// Writes, within a transaction of somebody else's.
    fn run(&mut self, connection: &Connection) -> Ran;
    /// Tells the one who waits, when the transaction has ended.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

enum Ran {
    Well,
    /// What it wrote is to be undone, and nobody else's.
    Badly,
}

struct Write<T, W> {
    durability: Durability,
    pace: Pace,
    work: Option<W>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

/// One search or two may run, and requests are still served.
const READERS: usize = 4;

/// When nobody has asked for anything for so long, there is time for chores.
const QUIET: Duration = Duration::from_millis(100);

/// After so many transactions in a row some chores are done all the same, or a busy store would never come to them.
const BUSY: u32 = 200;

/// One transaction takes so many writes at most.
const TOGETHER: usize = 64;

/// Writes that nobody waits for are kept back so long, so that others come with them.
const SOON: Duration = Duration::from_millis(20);

impl Writer {
    pub(super) fn start(connection: Connection) -> Result<Writer, StoreError> {
        let (queue, tasks) = mpsc::channel();
        let thread = spawn("store-writer", move || write_all(&connection, &tasks))?;
        Ok(Writer { queue: Some(queue), thread: Some(thread) })
    }

    /// What `work` gave, after it is committed. It is done even if the caller goes away.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        durability: Durability,
        pace: Pace,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job = Write { durability, pace, work: Some(work), result: None, reply };
        let queue = self.queue.as_ref().ok_or_else(ended)?;
        queue.send(Task::Job(Box::new(job))).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }

    /// Something was deleted.
    pub(super) fn tidy(&self) {
        if let Some(queue) = &self.queue {
            // If the writer has ended there is nothing to tidy.
            let _ = queue.send(Task::Tidy);
        }
    }
}

impl Readers {
    pub(super) fn start(open: impl Fn() -> Result<Connection, StoreError>) -> Result<Readers, StoreError> {
        let at_hand = (0..READERS).map(|_| {
            let connection = open()?;
            connection.busy_timeout(Duration::ZERO)?;
            Ok(connection)
        });
        let at_hand = Mutex::new(at_hand.collect::<Result<_, StoreError>>()?);
        let (queue, reads) = mpsc::channel::<Read>();
        let reads = Arc::new(Mutex::new(reads));
        let reader = || {
            let (connection, reads) = (open()?, reads.clone());
            spawn("store-reader", move || read_all(&connection, &reads))
        };
        let threads = (0..READERS).map(|_| reader()).collect::<Result<_, _>>()?;
        Ok(Readers { queue: Some(queue), threads, at_hand })
    }

    /// What `work` gave, which looks at a few rows: all that it reads is of one moment.
    ///
    /// If somebody is in its way it is done by one of the threads, which wait as long as it takes.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let free = self.at_hand().pop();
        if let Some(connection) = free {
            let looked = at_one_moment(&connection, &work);
            self.at_hand().push(connection);
            if !matches!(looked, Err(StoreError::Unavailable { .. })) {
                return looked;
            }
        }
        self.run(work).await
    }

    fn at_hand(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.at_hand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What `work` gave: all that it reads is of one moment.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let read: Read = Box::new(move |connection| {
            // Who went away does not want to know.
            let _ = reply.send(at_one_moment(connection, work));
        });
        self.queue.as_ref().ok_or_else(ended)?.send(read).map_err(|_| ended())?;
        answer.await.map_err(|_| ended())?
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl<T: Send, W: FnOnce(&Connection) -> Result<T, StoreError> + Send> Job for Write<T, W> {
    fn durability(&self) -> Durability {
        self.durability
    }

    fn pace(&self) -> Pace {
        self.pace
    }

    fn run(&mut self, connection: &Connection) -> Ran {
        let result = self.work.take().map(|work| work(connection));
        let ran = if matches!(result, Some(Ok(_))) { Ran::Well } else { Ran::Badly };
        self.result = result;
        ran
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let result = match (self.result, committed) {
            (Some(Err(own)), _) => Err(own),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (Some(Ok(_)) | None, Err(error)) => Err(error),
            (None, Ok(())) => Err(ended()),
        };
        // Who went away does not want to know.
        let _ = self.reply.send(result);
    }
}

/// Until nobody can ask any more.
fn write_all(connection: &Connection, tasks: &Receiver<Task>) {
    // What an earlier process did not come to is caught up on.
    let mut chores = Chores { index: true, tidy: false };
    let mut quiet = QUIET;
    let mut busy = 0;
    loop {
        let task =
            if chores.index || chores.tidy { tasks.recv_timeout(quiet) } else { tasks.recv().map_err(Into::into) };
        let task = match task {
            Ok(task) => task,
            Err(RecvTimeoutError::Timeout) => {
                chores.do_some(connection);
                (quiet, busy) = (Duration::ZERO, 0);
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        quiet = QUIET;
        let mut jobs: Vec<Box<dyn Job>> = Vec::new();
        let until = Instant::now() + SOON;
        let mut next = Some(task);
        while let Some(task) = next {
            match task {
                Task::Job(job) => jobs.push(job),
                Task::Tidy => chores.tidy = true,
            }
            let may_wait = !jobs.is_empty() && jobs.iter().all(|job| job.pace() == Pace::Soon);
            next = match jobs.len() {
                TOGETHER => None,
                _ if may_wait => tasks.recv_timeout(until.saturating_duration_since(Instant::now())).ok(),
                _ => tasks.try_recv().ok(),
            };
        }
        if !jobs.is_empty() {
            let committed = commit_together(connection, &mut jobs);
            jobs.into_iter().for_each(|job| job.answer(committed.clone()));
            chores.index = true;
        }
        busy += 1;
        if busy == BUSY {
            chores.do_some(connection);
            busy = 0;
        }
    }
    // Who prunes and ends wants a small file. The index can wait for the next time.
    chores.index = false;
    while chores.tidy {
        chores.do_some(connection);
    }
}

impl Chores {
    /// Some of what nobody waits for. If it cannot be done now, it is tried again after the next write or deletion: what
    /// is not indexed is found all the same.
    fn do_some(&mut self, connection: &Connection) {
        if self.index {
            self.index = index::index_some(connection).is_ok_and(|more| more == More::Yes);
        } else if self.tidy {
            self.tidy = schema::give_back_room(connection).is_ok_and(|more| more == More::Yes);
        }
    }
}

/// All in one transaction; who fails is undone alone.
fn commit_together(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    let durability = jobs.iter().map(|job| job.durability()).max().unwrap_or(Durability::Crash);
    connection.execute_batch(match durability {
        Durability::Crash => "PRAGMA synchronous = NORMAL",
        Durability::PowerLoss => "PRAGMA synchronous = FULL",
    })?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let result = run_each(connection, jobs).and_then(|()| Ok(connection.execute_batch("COMMIT")?));
    if result.is_err() && !connection.is_autocommit() {
        // If this fails too, the next BEGIN says so.
        let _ = connection.execute_batch("ROLLBACK");
    }
    result
}

fn run_each(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), StoreError> {
    for job in jobs {
        connection.execute_batch("SAVEPOINT job")?;
        match job.run(connection) {
            Ran::Well => connection.execute_batch("RELEASE job")?,
            // A full disk ends the whole transaction; then there is no such savepoint, and all are told.
            Ran::Badly => connection.execute_batch("ROLLBACK TO job; RELEASE job")?,
        }
    }
    Ok(())
}

fn read_all(connection: &Connection, reads: &Mutex<Receiver<Read>>) {
    loop {
        // The lock is free again before the reading begins.
        let next = reads.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(read) = next else { return };
        read(connection);
    }
}

fn at_one_moment<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection.unchecked_transaction()?;
    let result = work(&transaction);
    transaction.finish()?;
    result
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(body)
        .map_err(|error| StoreError::Unavailable { what: format!("starting a thread: {error}") })
}

fn ended() -> StoreError {
    StoreError::Unavailable { what: "its thread has ended".to_owned() }
}
