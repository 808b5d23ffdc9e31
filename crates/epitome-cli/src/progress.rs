//! A sign of life on work that takes over a second, for people at a terminal.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::terminal::shows_progress;

/// Work in progress. Shows itself after a second, and goes away when dropped.
pub(crate) struct Progress {
    said: Said,
    done: Option<Sender<()>>,
    shower: Option<JoinHandle<()>>,
}

/// What is being done, for whoever shows it and whoever knows it.
#[derive(Clone)]
pub(crate) struct Said(Arc<Mutex<String>>);

impl Said {
    /// Something else is being done now.
    pub(crate) fn say(&self, what: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = what;
    }

    fn get(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Progress {
    /// Where to say what is being done.
    pub(crate) fn said(&self) -> Said {
        self.said.clone()
    }

    /// Starts the clock.
    pub(crate) fn start(what: impl Into<String>) -> Progress {
        let said = Said(Arc::new(Mutex::new(what.into())));
        if !shows_progress() {
            return Progress { said, done: None, shower: None };
        }
        let shown = said.clone();
        let (done, waiting) = mpsc::channel::<()>();
        let shower = std::thread::spawn(move || {
            if waiting.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{spinner} {msg} ({elapsed})");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message(shown.get());
            while waiting.recv_timeout(Duration::from_millis(120)) == Err(RecvTimeoutError::Timeout) {
                bar.set_message(shown.get());
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Progress { said, done: Some(done), shower: Some(shower) }
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
