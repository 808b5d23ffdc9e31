//! The connections of clients: how many there are, which one makes room for another, and when a silent one is closed.
//!
//! Where a token is asked for, a connection belongs to a stranger until a request on it has shown one. Strangers share a
//! quarter of all connections: one more closes the stranger who has been silent the longest. Where there is no room at
//! all, the connection that has been idle the longest makes room; if a request is in progress on each, accepting waits.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::Notify;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::held::BoxError;

/// How long a client may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Silence {
    /// From the connection to the end of its first request's headers.
    pub first: Duration,
    /// From the end of an answer to the end of the next request's headers. Longer than clients keep their connections
    /// (90 seconds are usual), so that none is closed under a request.
    pub idle: Duration,
    /// Between two pieces of a request's body.
    pub body: Duration,
}

impl Default for Silence {
    fn default() -> Silence {
        Silence { first: Duration::from_secs(30), idle: Duration::from_secs(200), body: Duration::from_secs(60) }
    }
}

/// Whose a new connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Newcomer {
    /// Somebody's who may ask.
    Client,
    /// Nobody knows: a token is asked for.
    Stranger,
}

/// Of all connections, strangers have this part.
const STRANGERS: usize = 4;

/// A connection on which nothing is left to do may take so long to end.
const LINGER: Duration = Duration::from_secs(1);

/// All connections there are.
#[derive(Clone)]
pub(crate) struct Connections(Arc<Shared>);

struct Shared {
    most: usize,
    silence: Silence,
    open: Mutex<Open>,
    /// One became idle or busy while there was no room.
    changed: Notify,
}

#[derive(Default)]
struct Open {
    /// By number: who came first has the lowest.
    all: BTreeMap<u64, Entry>,
    next: u64,
}

struct Entry {
    newcomer: Newcomer,
    /// Requests on it that are not answered to the end.
    requests: usize,
    /// A request has begun on it.
    used: bool,
    /// Since when no request is in progress; since it came, if there was none.
    silent_since: Instant,
    /// It is to make room at once.
    closing: bool,
    changed: Arc<Notify>,
}

/// One connection, as long as it is there.
pub(crate) struct Connection {
    connections: Connections,
    number: u64,
    changed: Arc<Notify>,
}

/// A request in progress: until its answer has ended.
pub(crate) struct InProgress(Arc<Connection>);

/// Why a connection is closed by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closed {
    /// Its client said nothing for too long.
    Silent,
    /// Another one needs its place.
    MakesRoom,
}

impl Connections {
    pub(crate) fn new(most: usize, silence: Silence) -> Connections {
        Connections(Arc::new(Shared { most: most.max(1), silence, open: Mutex::default(), changed: Notify::new() }))
    }

    /// Whether one more may come: there is a place, or one whose connection is idle.
    pub(crate) fn room_for_one(&self) -> bool {
        let mut open = self.open();
        let (there, most) = (open.all.len(), self.0.most);
        // One that was taken in for another which then was not idle any more.
        if there > most && !open.all.values().any(|entry| entry.closing) {
            open.close_most_silent(|entry| entry.requests == 0);
        }
        there < most || (there == most && open.all.values().any(|entry| entry.requests == 0 && !entry.closing))
    }

    /// The connection that has been idle the longest is told to go, as something else than places is scarce.
    pub(crate) fn make_room(&self) {
        self.open().close_most_silent(|entry| entry.requests == 0);
    }

    /// Waits until there may be room where there was none.
    pub(crate) async fn room_may_be_made(&self) {
        self.0.changed.notified().await;
    }

    /// How long a connection may be idle.
    pub(crate) fn idle(&self) -> Duration {
        self.0.silence.idle
    }

    /// Takes a new connection in. Where there is no place, it takes that of the one that has been idle the longest; a
    /// stranger too many that of the most silent stranger.
    pub(crate) fn begin(&self, newcomer: Newcomer) -> Connection {
        let changed = Arc::new(Notify::new());
        let mut open = self.open();
        if open.all.len() >= self.0.most {
            open.close_most_silent(|entry| entry.requests == 0);
        }
        let strangers = open.all.values().filter(|entry| entry.newcomer == Newcomer::Stranger && !entry.closing);
        if newcomer == Newcomer::Stranger && strangers.count() >= (self.0.most / STRANGERS).max(1) {
            open.close_most_silent(|entry| entry.newcomer == Newcomer::Stranger);
        }
        let number = open.next;
        open.next += 1;
        let entry = Entry {
            newcomer,
            requests: 0,
            used: false,
            silent_since: Instant::now(),
            closing: false,
            changed: changed.clone(),
        };
        open.all.insert(number, entry);
        Connection { connections: self.clone(), number, changed }
    }

    fn tell_if_full(&self) {
        if self.open().all.len() >= self.0.most {
            self.0.changed.notify_one();
        }
    }

    /// A lock that somebody panicked under guards numbers that are right one by one.
    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    /// Those without a request in progress go first, then who came first.
    fn close_most_silent(&mut self, may_go: impl Fn(&Entry) -> bool) {
        let candidates = self.all.values_mut().filter(|entry| !entry.closing && may_go(entry));
        if let Some(entry) = candidates.min_by_key(|entry| (entry.requests > 0, entry.silent_since)) {
            entry.closing = true;
            entry.changed.notify_one();
        }
    }
}

impl Connection {
    /// A request on it may be asked: it belongs to a client.
    pub(crate) fn is_a_clients(&self) {
        self.change(|entry| entry.newcomer = Newcomer::Client);
    }

    /// A request begins.
    pub(crate) fn request(self: &Arc<Connection>) -> InProgress {
        self.change(|entry| {
            entry.requests += 1;
            entry.used = true;
        });
        self.connections.tell_if_full();
        InProgress(self.clone())
    }

    /// Waits until it is to be closed.
    pub(crate) async fn is_to_close(&self) -> Closed {
        loop {
            let until = {
                let open = self.connections.open();
                let Some(entry) = open.all.get(&self.number) else { return Closed::MakesRoom };
                if entry.closing {
                    return Closed::MakesRoom;
                }
                let silence = self.connections.0.silence;
                let allowed = if entry.used { silence.idle } else { silence.first };
                (entry.requests == 0).then_some(entry.silent_since + allowed)
            };
            let Some(until) = until else {
                self.changed.notified().await;
                continue;
            };
            tokio::select! {
                () = sleep_until(until) => return Closed::Silent,
                () = self.changed.notified() => {}
            }
        }
    }

    /// Waits until no request is in progress, and a moment longer: what is left of it is not worth waiting for.
    pub(crate) async fn is_abandoned(&self) {
        loop {
            tokio::select! {
                () = sleep(LINGER) => {
                    let open = self.connections.open();
                    if open.all.get(&self.number).is_none_or(|entry| entry.requests == 0 || entry.closing) {
                        return;
                    }
                }
                () = self.changed.notified() => {}
            }
        }
    }

    /// How long a body on it may stand still.
    pub(crate) fn patience(&self) -> Duration {
        self.connections.0.silence.body
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        if let Some(entry) = self.connections.open().all.get_mut(&self.number) {
            change(entry);
        }
        self.changed.notify_one();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.open().all.remove(&self.number);
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        self.0.change(|entry| {
            entry.requests = entry.requests.saturating_sub(1);
            entry.silent_since = Instant::now();
        });
        self.0.connections.tell_if_full();
    }
}

/// An answer on its way; its request is in progress until it has ended.
pub(crate) struct Answering<B> {
    body: B,
    _request: InProgress,
}

impl<B> Answering<B> {
    pub(crate) fn new(body: B, request: InProgress) -> Answering<B> {
        Answering { body, _request: request }
    }
}

impl<B: Body + Unpin> Body for Answering<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A request's body that breaks off if nothing comes for too long while somebody waits for it.
pub(crate) struct Patient<B> {
    body: B,
    patience: Duration,
    /// Runs while the next piece is waited for.
    waiting: Option<Pin<Box<Sleep>>>,
}

/// The client sent no more of its body.
#[derive(Debug, thiserror::Error)]
#[error("the client sent nothing more for {} seconds", .0.as_secs_f32())]
pub(crate) struct StoodStill(Duration);

impl<B> Patient<B> {
    pub(crate) fn new(body: B, patience: Duration) -> Patient<B> {
        Patient { body, patience, waiting: None }
    }
}

impl<B> Body for Patient<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.waiting = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        std::task::ready!(waiting.as_mut().poll(context));
        Poll::Ready(Some(Err(StoodStill(patience).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SILENCE: Silence =
        Silence { first: Duration::from_secs(1), idle: Duration::from_secs(10), body: Duration::from_secs(5) };

    fn closing(connections: &Connections) -> Vec<u64> {
        connections.open().all.iter().filter(|(_, entry)| entry.closing).map(|(number, _)| *number).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_a_request_is_closed_and_one_with_a_request_is_not() {
        let connections = Connections::new(4, SILENCE);
        let began = Instant::now();
        let connection = Arc::new(connections.begin(Newcomer::Client));
        assert_eq!(connection.is_to_close().await, Closed::Silent);
        assert_eq!(began.elapsed(), SILENCE.first);
        let request = connection.request();
        let (closed, ()) = tokio::join!(connection.is_to_close(), async {
            sleep(100 * SILENCE.idle).await;
            drop(request);
        });
        assert_eq!((closed, began.elapsed()), (Closed::Silent, SILENCE.first + 101 * SILENCE.idle));
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_idle_the_longest_makes_room_and_nobody_with_a_request() {
        let connections = Connections::new(3, SILENCE);
        let [one, two, three] = [(); 3].map(|()| Arc::new(connections.begin(Newcomer::Client)));
        let busy = one.request();
        sleep(Duration::from_millis(1)).await;
        drop(three.request());
        // As long as nobody comes, nobody goes.
        assert!(connections.room_for_one() && closing(&connections).is_empty());
        let four = Arc::new(connections.begin(Newcomer::Client));
        assert_eq!(closing(&connections), [two.number]);
        assert!(!connections.room_for_one());
        assert_eq!(two.is_to_close().await, Closed::MakesRoom);
        drop(two);
        assert!(connections.room_for_one());
        let all_busy = [busy, three.request(), four.request()];
        assert!(!connections.room_for_one());
        drop(all_busy);
        assert!(connections.room_for_one());
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_take_the_place_of_strangers_alone() {
        let connections = Connections::new(12, SILENCE);
        let client = connections.begin(Newcomer::Stranger);
        client.is_a_clients();
        let mut strangers = Vec::new();
        for _ in 0..3 {
            strangers.push(connections.begin(Newcomer::Stranger));
            sleep(Duration::from_millis(1)).await;
        }
        assert!(closing(&connections).is_empty());
        let fourth = connections.begin(Newcomer::Stranger);
        assert_eq!(closing(&connections), [strangers[0].number]);
        // One that has shown a token is no stranger any more.
        strangers[1].is_a_clients();
        drop((fourth, connections.begin(Newcomer::Stranger)));
        assert_eq!(closing(&connections), [strangers[0].number]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_stand_still_for_so_long_and_no_longer() {
        use http_body_util::BodyExt;
        use tokio::sync::mpsc;

        struct Sent(mpsc::Receiver<Bytes>);

        impl Body for Sent {
            type Data = Bytes;
            type Error = BoxError;

            fn poll_frame(
                mut self: Pin<&mut Self>,
                context: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
                self.0.poll_recv(context).map(|data| data.map(|data| Ok(Frame::data(data))))
            }
        }

        let (sender, sent) = mpsc::channel(1);
        let mut body = Patient::new(Sent(sent), SILENCE.body);
        let began = Instant::now();
        for _ in 0..3 {
            let (frame, sent) = tokio::join!(body.frame(), async {
                sleep(SILENCE.body - Duration::from_millis(1)).await;
                sender.send(Bytes::from_static(b"x")).await
            });
            assert!(sent.is_ok() && frame.is_some_and(|frame| frame.is_ok()));
        }
        assert!(began.elapsed() > 2 * SILENCE.body);
        let error = body.frame().await.expect("an end").expect_err("it stood still");
        assert!(error.is::<StoodStill>());
    }
}
