//! Whether requests can be served well: how the store was when it was asked last, and which engine works.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use epitome_store::store::{Store, StoreError};
use serde::Serialize;
use serde_json::{Value, json};

use crate::sessions::lock;
use crate::tasks::Tasks;

/// Whether requests can be served well, or why not, in words that strangers may hear. Asked for each `GET /readyz`, so it
/// answers at once.
pub type Ready = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Which engine decides. The names differ where the one that was configured does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EngineNames {
    /// As `context.engine` says.
    pub wanted: String,
    /// The engine that works.
    pub used: String,
}

/// How often the store is asked.
const EVERY: Duration = Duration::from_secs(5);

/// Asks the store again and again. What is not well is logged once, and so is that it is well again.
pub fn watch(store: Arc<dyn Store>, tasks: &Tasks) -> Ready {
    let trouble: Arc<Mutex<Option<StoreError>>> = Arc::default();
    let noted = trouble.clone();
    tasks.spawn_until_stopped(async move {
        loop {
            let now = store.ready().await.err();
            let before = std::mem::replace(&mut *lock(&noted), now.clone());
            match now {
                Some(error) if before.as_ref() != Some(&error) => tracing::warn!(%error, "the store is not ready"),
                None if before.is_some() => tracing::info!("the store is ready again"),
                Some(_) | None => {}
            }
            tokio::time::sleep(EVERY).await;
        }
    });
    Arc::new(move || lock(&trouble).as_ref().map_or(Ok(()), |error| Err(plain(error))))
}

/// What `GET /readyz` says.
pub(crate) fn page(ready: &Result<(), String>, engine: &EngineNames) -> Value {
    match ready {
        Ok(()) => json!({"ready": true, "engine": engine}),
        Err(why) => json!({"ready": false, "why": why, "engine": engine}),
    }
}

/// Why it is not ready. Anybody may ask, so no path or address of this machine stands in it: the log has these.
fn plain(error: &StoreError) -> String {
    match error {
        StoreError::Unavailable { .. } => "the store cannot be read or written; the log says why".to_owned(),
        StoreError::Newer { .. }
        | StoreError::Damaged { .. }
        | StoreError::Replaced { .. }
        | StoreError::Overtaken
        | StoreError::BadPattern { .. } => error.to_string(),
    }
}
