//! Retention: what is older or more than the configuration says is forgotten while the gateway runs.

use std::sync::Arc;
use std::time::Duration;

use epitome_store::store::{Store, StoreError};

use crate::clock;

/// How much is kept, of each tenant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Sessions that were not seen for so many days go.
    pub days: Option<u64>,
    /// The longest unseen go until originals and kept histories take no more than this, as stored.
    pub bytes: Option<u64>,
}

/// How often it is looked.
const EVERY: Duration = Duration::from_secs(60 * 60);

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

impl Retention {
    /// Whether everything is kept.
    pub fn is_unlimited(&self) -> bool {
        self.days.is_none() && self.bytes.is_none()
    }

    /// Sessions that were seen last before this time are too old.
    pub fn not_seen_since(&self, now_ms: u64) -> Option<u64> {
        self.days.map(|days| now_ms.saturating_sub(days.saturating_mul(DAY_MS)))
    }

    /// Forgets what is too old or too much. How many sessions went.
    pub async fn tidy(&self, store: &dyn Store, now_ms: u64) -> Result<u64, StoreError> {
        let mut gone = 0;
        for tenant in store.tenants().await? {
            gone += store.prune(&tenant, self.not_seen_since(now_ms), self.bytes).await?;
        }
        Ok(gone)
    }
}

/// Tidies at once and then every hour, for ever. A store that fails is tried again the next time.
pub async fn keep_tidy(store: Arc<dyn Store>, retention: Retention) {
    if retention.is_unlimited() {
        return;
    }
    loop {
        match retention.tidy(&*store, clock::now_ms()).await {
            Ok(0) => {}
            Ok(sessions) => tracing::info!(sessions, "sessions were forgotten: they are too old, or too much"),
            Err(error) => tracing::warn!(%error, "what is too old could not be forgotten"),
        }
        tokio::time::sleep(EVERY).await;
    }
}

#[cfg(test)]
mod tests {
    use epitome_core::tokens::Tokens;
    use epitome_store::memory::MemoryStore;
    use epitome_store::records::{SessionId, Tenant, Turn};
    use epitome_store::store::{SessionIndex, SessionStore};

    use super::*;

    #[tokio::test]
    async fn what_is_too_old_goes_whosever_it_is() {
        let store = MemoryStore::new();
        let tenants = [Tenant::only(), Tenant::new("another")];
        for tenant in &tenants {
            for (name, day) in [("old", 1), ("new", 30)] {
                let turn = Turn {
                    at_ms: day * DAY_MS,
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
                store.note_turn(tenant, &SessionId::new(name), &turn, None).await.unwrap();
            }
        }
        assert_eq!(Retention::default().tidy(&store, 40 * DAY_MS).await, Ok(0));
        let month = Retention { days: Some(30), bytes: None };
        assert_eq!(month.tidy(&store, 40 * DAY_MS).await, Ok(2));
        for tenant in &tenants {
            let left = store.sessions(tenant, 10).await.unwrap();
            assert_eq!(left.iter().map(|session| session.id.as_str()).collect::<Vec<_>>(), ["new"]);
        }
    }
}
