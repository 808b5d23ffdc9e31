//! Heavy work: it runs on a few threads of its own, so that the threads that serve connections are always free for others.
//!
//! Work is a future. What is light runs where it is asked for. What is heavy is polled on a thread of the pool each time it can
//! go on: while it waits for a store or a model it holds no thread, and its connections stay with the threads that serve
//! connections. A request that turns out to be heavy says so on its way, with `on_the_pool`.
//!
//! Memory is bounded twice: bodies by `Buffers`, and what is made of them while they are worked on by their size in sum.

mod buffers;
mod room;

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

pub(crate) use self::buffers::{Buffers, Reserved};
use self::room::{Place, Room};
use crate::metrics::Metrics;

/// A request whose body is no larger is light: 1.1 ms of work were measured at 210 KB.
pub(crate) const LIGHT: usize = 256 * 1024;

/// Memory for bodies, where nobody says otherwise.
const BUFFERED: u64 = 256_000_000;

/// Of the memory for bodies, so much may be worked on at once. What is made of a body takes several times its size.
const WORKED_ON: u64 = 8;

/// Who needs longer is due later, so that a session's usual requests do not wait for all of the huge ones that came before.
/// In a second, a thread does the work of about so many bytes.
const BYTES_A_SECOND: u64 = 10_000_000;

/// What is done ahead of time can wait so much longer than a request.
const AHEAD: Duration = Duration::from_secs(10);

/// Threads for heavy work, and memory for bodies. Cheap to clone.
#[derive(Clone)]
pub struct Compute(Arc<Inner>);

struct Inner {
    threads: Room,
    /// Bytes of bodies that are worked on.
    working: Room,
    /// The same for what is done ahead of time.
    ahead: Room,
    buffers: Buffers,
    metrics: Arc<Metrics>,
}

/// Work had a fault, or the program is about to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a fault of ours, or the program is about to end")]
pub(crate) struct Panicked;

tokio::task_local! {
    /// How the work that is being polled runs.
    static LANE: Arc<Lane>;
}

struct Lane {
    compute: Compute,
    is_heavy: AtomicBool,
    bytes: AtomicU64,
}

type Work<T> = Pin<Box<dyn Future<Output = Result<T, Panicked>> + Send>>;

/// Work that is heavy, with the memory that it may use. What it leaves behind when it is given up is dropped on the pool.
struct Heavy<T: Send + 'static>(Option<(Work<T>, Place)>);

impl Compute {
    /// Room for bodies of so many bytes in sum, and one thread less than the machine has cores, but one at least.
    pub fn new(buffered: u64, metrics: Arc<Metrics>) -> Compute {
        let cores = available_parallelism().map_or(1, usize::from);
        let threads = Room::of((cores as u64).saturating_sub(1).max(1));
        let worked_on = buffered / WORKED_ON;
        let (working, ahead, buffers) =
            (Room::of(worked_on), Room::of(worked_on), Buffers::of(buffered, metrics.clone()));
        Compute(Arc::new(Inner { threads, working, ahead, buffers, metrics }))
    }

    /// As it is where nobody configures anything else.
    pub fn usual(metrics: Arc<Metrics>) -> Compute {
        Compute::new(BUFFERED, metrics)
    }

    pub(crate) fn buffers(&self) -> &Buffers {
        &self.0.buffers
    }

    /// Does some work for a body of so many bytes. Who drops this ends the work.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Panicked> {
        let began = Instant::now();
        let mut work: Work<T> = Box::pin(without_panic(Box::pin(work)));
        let lane = self.lane(bytes);
        if bytes <= LIGHT {
            let done = poll_fn(|context| match LANE.sync_scope(lane.clone(), || work.as_mut().poll(context)) {
                Poll::Ready(done) => Poll::Ready(Some(done)),
                Poll::Pending if lane.is_heavy.load(Ordering::Relaxed) => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            });
            if let Some(done) = done.await {
                return done;
            }
        }
        lane.is_heavy.store(true, Ordering::Relaxed);
        let bytes = lane.bytes.load(Ordering::Relaxed);
        let due = due(began, bytes);
        let waited = Instant::now();
        let place = self.0.working.take(bytes, due).await;
        self.on_threads(Heavy(Some((work, place))), &lane, due, waited).await
    }

    /// Does some work ahead of time; `None`: there is no room for it now.
    pub(crate) async fn run_ahead<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<Result<T, Panicked>> {
        let began = Instant::now();
        let place = self.0.ahead.try_take(bytes as u64)?;
        let lane = self.lane(bytes);
        lane.is_heavy.store(true, Ordering::Relaxed);
        let work = Heavy(Some((Box::pin(without_panic(Box::pin(work))), place)));
        Some(self.on_threads(work, &lane, due(began, bytes as u64) + AHEAD, began).await)
    }

    /// Polls work on the threads of the pool, each time that it can go on, until it is done.
    async fn on_threads<T: Send + 'static>(
        &self,
        mut work: Heavy<T>,
        lane: &Arc<Lane>,
        due: Instant,
        waited: Instant,
    ) -> Result<T, Panicked> {
        let woken = Arc::new(Woken(Notify::new()));
        let waker = Waker::from(woken.clone());
        let mut waited = Some(waited);
        loop {
            let thread = self.0.threads.take(1, due).await;
            if let Some(waited) = waited.take() {
                self.0.metrics.waited_for_a_thread(waited.elapsed());
            }
            let (lane, waker) = (lane.clone(), waker.clone());
            let polled = spawn_blocking(move || {
                let polled = LANE.sync_scope(lane, || work.poll(&mut Context::from_waker(&waker)));
                drop(thread);
                (work, polled)
            });
            match polled.await.map_err(|_| Panicked)? {
                (_, Poll::Ready(done)) => return done,
                (going_on, Poll::Pending) => work = going_on,
            }
            woken.0.notified().await;
        }
    }

    fn lane(&self, bytes: usize) -> Arc<Lane> {
        Arc::new(Lane { compute: self.clone(), is_heavy: AtomicBool::new(false), bytes: AtomicU64::new(bytes as u64) })
    }
}

/// What follows is heavy work for so many bytes: it goes on on the pool. Where nobody asked for work to be done by
/// [`Compute::run`], it goes on as it did.
pub(crate) async fn on_the_pool(bytes: usize) {
    let moves = LANE.try_with(|lane| {
        lane.bytes.fetch_max(bytes as u64, Ordering::Relaxed);
        !lane.is_heavy.swap(true, Ordering::Relaxed)
    });
    if !moves.unwrap_or(false) {
        return;
    }
    let mut was_left = false;
    poll_fn(move |context| {
        if was_left {
            return Poll::Ready(());
        }
        was_left = true;
        // What is between here and there may poll only who asks for it.
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// The same, if so many bytes are heavy.
pub(crate) async fn on_the_pool_if_heavy(bytes: usize) {
    if bytes > LIGHT {
        on_the_pool(bytes).await;
    }
}

/// Bytes that were made of others: they are counted as long as anybody holds them.
pub(crate) async fn hold(bytes: Bytes) -> Bytes {
    let Ok(mut reserved) = LANE.try_with(|lane| lane.compute.buffers().nothing()) else { return bytes };
    reserved.grow_to(bytes.len()).await;
    reserved.hold(bytes)
}

/// When work for so many bytes is due.
fn due(began: Instant, bytes: u64) -> Instant {
    began + Duration::from_micros(bytes.saturating_mul(1_000_000) / BYTES_A_SECOND)
}

impl<T: Send + 'static> Heavy<T> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<T, Panicked>> {
        let Some((work, _)) = &mut self.0 else { return Poll::Ready(Err(Panicked)) };
        let polled = work.as_mut().poll(context);
        if polled.is_ready() {
            self.0 = None;
        }
        polled
    }
}

impl<T: Send + 'static> Drop for Heavy<T> {
    fn drop(&mut self) {
        if let Some(left) = self.0.take()
            && let Ok(runtime) = Handle::try_current()
        {
            // Nobody waits for it: memory takes its time to be given back.
            drop(runtime.spawn_blocking(move || drop(left)));
        }
    }
}

/// Work was woken, perhaps before anybody waited for that.
struct Woken(Notify);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.notify_one();
    }
}

/// What a future gives; an error if it panicked.
async fn without_panic<T>(mut future: Pin<Box<dyn Future<Output = T> + Send>>) -> Result<T, Panicked> {
    poll_fn(move |context| {
        // It is not polled again after a panic, so that nobody sees what it left behind.
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(polled) => polled.map(Ok),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test's own tasks end with its runtime")]
mod tests {
    use std::sync::mpsc;

    use tokio::sync::oneshot;

    use super::*;

    const HEAVY: usize = LIGHT + 1;

    /// With one thread, and room to work on ten heavy bodies at once.
    fn compute() -> Compute {
        let (working, ahead) = (Room::of(10 * HEAVY as u64), Room::of(10 * HEAVY as u64));
        let (buffers, metrics) = (Buffers::of(80 * HEAVY as u64, Arc::default()), Arc::default());
        Compute(Arc::new(Inner { threads: Room::of(1), working, ahead, buffers, metrics }))
    }

    fn thread() -> std::thread::ThreadId {
        std::thread::current().id()
    }

    /// Keeps the only thread busy until it is told to go on.
    async fn occupied(compute: &Compute) -> (mpsc::Sender<()>, tokio::task::JoinHandle<Result<(), Panicked>>) {
        let (go_on, told) = mpsc::channel();
        let (begins, begun) = oneshot::channel();
        let pool = compute.clone();
        let work = tokio::spawn(async move {
            let work = async move {
                begins.send(()).expect("somebody waits for it");
                told.recv().expect("it is told");
            };
            pool.run(HEAVY, work).await
        });
        begun.await.expect("it begins");
        (go_on, work)
    }

    #[tokio::test]
    async fn light_work_is_done_while_heavy_work_occupies_the_pool() {
        let compute = compute();
        let (go_on, heavy) = occupied(&compute).await;
        // There is one thread for connections here, and it is free.
        let here = thread();
        assert_eq!(compute.run(LIGHT, async { thread() }).await, Ok(here));
        assert!(!heavy.is_finished());
        go_on.send(()).expect("it waits");
        assert_eq!(heavy.await.expect("it ends"), Ok(()));
    }

    #[tokio::test]
    async fn work_that_waits_holds_no_thread_and_goes_on_where_it_was() {
        let compute = compute();
        let (answer, answered) = oneshot::channel();
        let (asks, asked) = oneshot::channel();
        let pool = compute.clone();
        let here = thread();
        let waiting = tokio::spawn(async move {
            let work = async move {
                asks.send(()).expect("somebody listens");
                let answer: u8 = answered.await.expect("an answer");
                (answer, thread() == here)
            };
            pool.run(HEAVY, work).await
        });
        asked.await.expect("it asks");
        // Others use its thread meanwhile.
        let others = compute.run(HEAVY, async move { thread() == here }).await;
        assert_eq!(others, Ok(false));
        answer.send(7).expect("it waits");
        assert_eq!(waiting.await.expect("it ends"), Ok((7, false)));
    }

    #[tokio::test]
    async fn what_turns_out_to_be_heavy_moves_to_the_pool() {
        let here = thread();
        let work = async move {
            let before = thread() == here;
            on_the_pool(HEAVY).await;
            on_the_pool(HEAVY).await;
            (before, thread() == here)
        };
        assert_eq!(compute().run(10, work).await, Ok((true, false)));
        let light = async move {
            on_the_pool_if_heavy(LIGHT).await;
            thread() == here
        };
        assert_eq!(compute().run(10, light).await, Ok(true));
        // Outside of all this it makes no difference.
        on_the_pool(HEAVY).await;
        assert_eq!(thread(), here);
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_the_thread_serves_the_next() {
        let compute = compute();
        for bytes in [LIGHT, HEAVY] {
            let fault = compute.run(bytes, async { panic!("a fault") });
            assert_eq!(fault.await, Err::<(), _>(Panicked));
            assert_eq!(compute.run(bytes, async { 1 }).await, Ok(1));
        }
    }

    #[tokio::test]
    async fn who_leaves_ends_the_work_and_its_memory_is_free() {
        struct Tells(Option<oneshot::Sender<()>>);
        impl Drop for Tells {
            fn drop(&mut self) {
                let _nobody_listens = self.0.take().expect("once").send(());
            }
        }
        let compute = compute();
        let (drops, dropped) = oneshot::channel();
        let (waits, waiting) = oneshot::channel();
        let pool = compute.clone();
        let left = tokio::spawn(async move {
            let work = async move {
                let _tells = Tells(Some(drops));
                waits.send(()).expect("somebody listens");
                std::future::pending::<()>().await;
            };
            pool.run(HEAVY, work).await
        });
        waiting.await.expect("it waits");
        assert_eq!(compute.0.working.free(), 9 * HEAVY as u64);
        left.abort();
        dropped.await.expect("it is dropped");
        // All of it can be had again.
        assert_eq!(compute.0.working.take(u64::MAX, Instant::now()).await.units, 10 * HEAVY as u64);
    }

    #[tokio::test]
    async fn usual_requests_do_not_wait_for_all_the_huge_ones_before_them() {
        let compute = compute();
        let (go_on, first) = occupied(&compute).await;
        let (ends, mut ended) = tokio::sync::mpsc::unbounded_channel();
        let waiting = [8 * HEAVY, HEAVY].map(|bytes| {
            let (pool, ends) = (compute.clone(), ends.clone());
            tokio::spawn(async move { pool.run(bytes, async move { ends.send(bytes) }).await })
        });
        // Both have asked for the thread.
        while compute.0.threads.waiting() < 2 {
            tokio::task::yield_now().await;
        }
        go_on.send(()).expect("it waits");
        assert_eq!([ended.recv().await, ended.recv().await], [Some(HEAVY), Some(8 * HEAVY)]);
        for task in waiting {
            assert!(task.await.expect("it ends").is_ok());
        }
        assert_eq!(first.await.expect("it ends"), Ok(()));
    }

    #[tokio::test]
    async fn what_is_done_ahead_finds_room_or_is_left_out() {
        let compute = compute();
        let all = compute.0.ahead.try_take(u64::MAX);
        assert_eq!(compute.run_ahead(1, async {}).await, None);
        drop(all);
        assert_eq!(compute.run_ahead(1, async {}).await, Some(Ok(())));
    }
}
