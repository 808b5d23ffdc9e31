//! Calls that have ended, on their way into the store. No answer waits for that, and nothing is lost when the gateway stops.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use epitome_core::tokens::Calibration;
use epitome_store::records::{SessionId, Tenant, Turn};
use epitome_store::store::Store;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::metrics::Metrics;
use crate::tasks::Tasks;

/// So many calls wait at most, while the store is slow. Those beyond are counted and logged, and not stored.
const WAITING: usize = 1_024;
/// So many are given to the store at once: it writes them together.
const TOGETHER: usize = 64;

/// A call that has ended.
pub(crate) struct EndedCall {
    pub(crate) tenant: Tenant,
    pub(crate) session: SessionId,
    pub(crate) turn: Turn,
    /// What was learnt about the session's counts.
    pub(crate) calibration: Option<Calibration>,
}

/// Stores calls that have ended, one task for all of them.
pub(crate) struct Recorder {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    /// There once a call has ended.
    queue: OnceLock<Sender<EndedCall>>,
    writing: Tasks,
}

impl Recorder {
    pub(crate) fn new(store: Arc<dyn Store>, metrics: Arc<Metrics>) -> Recorder {
        Recorder { store, metrics, queue: OnceLock::new(), writing: Tasks::new() }
    }

    /// Takes a call. Never waits.
    pub(crate) fn record(&self, call: EndedCall) {
        let queue = self.queue.get_or_init(|| {
            let (queue, calls) = channel(WAITING);
            let (store, metrics, writing) = (self.store.clone(), self.metrics.clone(), self.writing.clone());
            self.writing.spawn(async move { write_all(calls, &*store, &metrics, &writing).await });
            queue
        });
        if let Err(refused) = queue.try_send(call) {
            self.metrics.store_error("call");
            tracing::warn!(error = %refused, "a call is not noted: too many wait for the store");
        }
    }

    /// Takes no more, and stores those that wait, but no longer than that.
    pub(crate) async fn close(&self, within: Duration) {
        if self.writing.close(within).await > 0 {
            tracing::warn!("the last calls are not noted: the store took too long");
        }
    }
}

async fn write_all(mut calls: Receiver<EndedCall>, store: &dyn Store, metrics: &Metrics, tasks: &Tasks) {
    let mut together = Vec::with_capacity(TOGETHER);
    loop {
        let received = tokio::select! {
            received = calls.recv_many(&mut together, TOGETHER) => received,
            () = tasks.stopping(), if !calls.is_closed() => {
                calls.close();
                continue;
            }
        };
        if received == 0 {
            return;
        }
        all(together.iter().map(|call| Box::pin(write(call, store, metrics)) as Writing<'_>).collect()).await;
        together.clear();
    }
}

async fn write(call: &EndedCall, store: &dyn Store, metrics: &Metrics) {
    let EndedCall { tenant, session, turn, calibration } = call;
    if let Err(error) = store.note_turn(tenant, session, turn, calibration.as_ref()).await {
        metrics.store_error("call");
        tracing::warn!(%session, %error, "a call could not be noted");
    }
}

type Writing<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Ends when all have ended.
async fn all(mut works: Vec<Writing<'_>>) {
    std::future::poll_fn(|context| {
        works.retain_mut(|work| work.as_mut().poll(context).is_pending());
        if works.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use epitome_core::tokens::Tokens;
    use epitome_store::memory::MemoryStore;
    use epitome_store::store::{SessionIndex, SessionStore};

    use super::*;

    fn call(number: u64) -> EndedCall {
        let turn = Turn {
            at_ms: number,
            model: "model".to_owned(),
            dialect: "openai".to_owned(),
            action: "untouched".to_owned(),
            client_tokens: Tokens(1),
            sent_tokens: Tokens(1),
            usage: None,
            spending: None,
            markers: 0,
            broke: None,
            rent: None,
        };
        EndedCall { tenant: Tenant::only(), session: SessionId::new("one"), turn, calibration: None }
    }

    #[tokio::test]
    async fn calls_that_wait_are_stored_when_the_gateway_stops_and_no_more_than_can_wait() {
        let (store, metrics) = (Arc::new(MemoryStore::new()), Arc::new(Metrics::new()));
        let recorder = Recorder::new(store.clone(), metrics.clone());
        // Nothing is written before this task waits for something.
        (0..WAITING as u64 + 3).for_each(|number| recorder.record(call(number)));
        recorder.close(Duration::from_secs(60)).await;
        let turns = store.turns(&Tenant::only(), &SessionId::new("one")).await.expect("it is in memory");
        assert_eq!(turns.iter().map(|turn| turn.at_ms).collect::<Vec<_>>(), (0..WAITING as u64).collect::<Vec<_>>());
        assert!(metrics.to_string().contains("epitome_store_errors_total{operation=\"call\"} 3\n"));
        // Whoever comes too late is told as well.
        recorder.record(call(0));
        assert!(metrics.to_string().contains("epitome_store_errors_total{operation=\"call\"} 4\n"));
        assert!(store.ready().await.is_ok());
    }
}
