//! Compactions that people asked for.

use async_trait::async_trait;

use super::{MemoryStore, Possessions};
use crate::records::{SessionId, Tenant, Wish};
use crate::store::{StoreError, Wishes};

impl Possessions {
    /// Forgets this wish and no other.
    pub(super) fn forget_wish(&mut self, id: &SessionId, wish: &Wish) {
        if let Some(known) = self.sessions.get_mut(id)
            && known.wish.as_ref() == Some(wish)
        {
            known.wish = None;
        }
    }
}

#[async_trait]
impl Wishes for MemoryStore {
    async fn put_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<bool, StoreError> {
        Ok(self.change(tenant, |has| match has.sessions.get_mut(id) {
            Some(known) => {
                known.wish = Some(wish.clone());
                true
            }
            None => false,
        }))
    }

    async fn wish(&self, tenant: &Tenant, id: &SessionId) -> Result<Option<Wish>, StoreError> {
        Ok(self.look(tenant, |has| has.sessions.get(id)?.wish.clone()))
    }

    async fn forget_wish(&self, tenant: &Tenant, id: &SessionId, wish: &Wish) -> Result<(), StoreError> {
        self.change(tenant, |has| has.forget_wish(id, wish));
        Ok(())
    }
}
