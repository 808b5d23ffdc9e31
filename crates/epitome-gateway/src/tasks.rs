//! What runs beside the requests. Every task is known, is asked to end when the gateway stops, and is waited for then.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The tasks of one gateway. Clones share them.
///
/// Each task holds a receiver: who closes the tasks tells all of them, and sees when the last has gone.
#[derive(Debug, Clone, Default)]
pub struct Tasks(Arc<watch::Sender<bool>>);

impl Tasks {
    /// None yet.
    pub fn new() -> Tasks {
        Tasks::default()
    }

    /// Runs something beside the requests. What may take long, or never ends by itself, must end with [`Tasks::stopping`].
    #[expect(clippy::disallowed_methods, reason = "the one place where tasks begin, so that each is waited for")]
    pub fn spawn<F>(&self, work: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send + 'static> + Send + 'static,
    {
        let running = self.0.subscribe();
        tokio::spawn(async move {
            let output = work.await;
            drop(running);
            output
        })
    }

    /// The same for what is to be dropped, wherever it waits, when the gateway stops.
    pub fn spawn_until_stopped(&self, work: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
        let tasks = self.clone();
        self.spawn(async move {
            tokio::select! {
                () = work => {}
                () = tasks.stopping() => {}
            }
        })
    }

    /// Ends when the gateway stops.
    pub async fn stopping(&self) {
        // It cannot be closed: we hold the sender.
        drop(self.0.subscribe().wait_for(|stopping| *stopping).await);
    }

    /// Whether the gateway stops.
    pub fn are_stopping(&self) -> bool {
        *self.0.borrow()
    }

    /// Asks all to end, and waits for them, but no longer than that. How many are left.
    pub async fn close(&self, within: Duration) -> usize {
        self.0.send_replace(true);
        match tokio::time::timeout(within, self.0.closed()).await {
            Ok(()) => 0,
            Err(_) => self.0.receiver_count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn whoever_closes_waits_for_all() {
        let tasks = Tasks::new();
        let (done, was_done) = oneshot::channel();
        let inner = tasks.clone();
        tasks.spawn(async move {
            inner.stopping().await;
            // A task that begins while the others end is waited for as well.
            inner.spawn(async move {
                tokio::task::yield_now().await;
                done.send(()).expect("it is waited for");
            });
        });
        tasks.spawn_until_stopped(std::future::pending());
        assert!(!tasks.are_stopping());
        assert_eq!(tasks.close(LONG).await, 0);
        assert!(tasks.are_stopping());
        was_done.await.expect("it was done");
    }

    #[tokio::test(start_paused = true)]
    async fn what_does_not_end_is_counted_and_left() {
        let tasks = Tasks::new();
        tasks.spawn(std::future::pending::<()>());
        assert_eq!(tasks.close(LONG).await, 1);
    }
}
