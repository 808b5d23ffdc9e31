//! How the store is, as it was when it was asked last.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use epitome_store::store::{Store, StoreError};

use crate::sessions::lock;
use crate::tasks::Tasks;

/// Whether requests can be served well, or why not, in words that strangers may hear. Asked for each `GET /readyz`, so it
/// answers at once.
pub type Ready = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

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
