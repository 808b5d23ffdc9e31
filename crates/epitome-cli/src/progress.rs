//! A sign of life on work that takes over a second, for people at a terminal.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work in progress. Shows itself after a second, and goes away when dropped.
pub(crate) struct Progress {
    done: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts the clock.
    pub(crate) fn start(what: impl Into<String>) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress { done: None, shower: None };
        }
        let what = what.into();
        let (done, waiting) = mpsc::channel::<()>();
        let shower = std::thread::spawn(move || {
            if waiting.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message(what);
            while waiting.recv_timeout(Duration::from_millis(120)) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Progress { done: Some(done), shower: Some(shower) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(shower) = self.shower.take() {
            // A spinner that panicked has nothing to clear.
            drop(shower.join());
        }
    }
}
