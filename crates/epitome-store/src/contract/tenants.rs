//! Promises to tenants: nobody finds, changes or blocks anything of another.

use super::*;
use crate::records::{Holdings, NewEntry, Wish};

pub(crate) async fn nobody_sees_anything_of_another(shared: &Shared) {
    let (owner, other) = (tenant(), tenant());
    let (id, messages) = (session("the same name"), history("the same messages", 6));
    let original = output("what the owner removed");
    let entry = compaction(&id, &messages, 4, "the same summary").removing(std::slice::from_ref(&original));
    let stored = store(shared, &owner, &messages, None, entry.clone()).await;
    shared.note_turn(&owner, &id, &turn(1, "model"), None).await.unwrap();
    shared.extend_history(&owner, &id, 0, &[message("what the owner keeps")], 1).await.unwrap();
    let prepared = compaction(&id, &messages, 5, "prepared");
    shared.put_prepared(&owner, &prepared).await.unwrap();
    assert!(shared.lease(&owner, messages[0], "owner", 0, 100).await.unwrap());
    let wish = Wish { at_ms: 5, focus: Some("what the owner wants".to_owned()) };
    assert!(shared.put_wish(&owner, &id, &wish).await.unwrap());
    let before = shared.holdings(&owner).await.unwrap();

    assert_eq!(shared.matches(&other, &messages).await.unwrap(), []);
    assert_eq!(shared.session(&other, &id).await.unwrap(), None);
    assert_eq!(shared.history(&other, &id).await.unwrap(), []);
    assert_eq!(shared.prepared(&other, &messages).await.unwrap(), None);
    assert_eq!(shared.originals(&other, &original.hash.to_string()).await.unwrap(), []);
    assert_eq!(shared.original(&other, original.hash).await.unwrap(), None);
    for query in [literal("owner"), literal("w"), pattern("own.r")] {
        assert_eq!(shared.search(&other, &query, 10).await.unwrap(), []);
        assert_eq!(shared.search(&owner, &query, 10).await.unwrap().len(), 2);
    }
    assert_eq!(shared.sessions(&other, 10).await.unwrap(), []);
    assert_eq!(shared.turns(&other, &id).await.unwrap(), []);
    assert_eq!(shared.compactions(&other, &id).await.unwrap(), []);
    assert_eq!(shared.logs(&other, None).await.unwrap(), []);
    assert_eq!(shared.logs(&other, Some(&id)).await.unwrap(), []);
    assert_eq!(shared.prunable(&other, Some(u64::MAX), Some(0)).await.unwrap(), []);
    assert_eq!(shared.wish(&other, &id).await.unwrap(), None);
    assert!(!shared.put_wish(&other, &id, &wish).await.unwrap());
    shared.forget_wish(&other, &id, &wish).await.unwrap();
    assert_eq!(shared.removed_by(&other, stored.id).await.unwrap(), []);
    assert_eq!(shared.holdings(&other).await.unwrap(), Holdings::default());
    assert!(!shared.delete(&other, &id).await.unwrap());
    assert_eq!(shared.prune(&other, Some(u64::MAX), Some(0)).await.unwrap(), 0);

    // Nor is anybody in another's way.
    assert!(shared.lease(&other, messages[0], "other", 0, 100).await.unwrap());
    let own = store(shared, &other, &messages, None, NewEntry { fulfils: Some(wish.clone()), ..entry }).await;
    assert_ne!(own.id, stored.id);
    shared.extend_history(&other, &id, 0, &[message("what the other keeps")], 1).await.unwrap();
    shared.put_prepared(&other, &compaction(&id, &messages, 5, "another")).await.unwrap();
    shared.note_turn(&other, &id, &turn(9, "another model"), None).await.unwrap();

    assert_eq!(shared.holdings(&owner).await.unwrap(), before);
    assert_eq!(shared.wish(&owner, &id).await.unwrap(), Some(wish));
    assert_eq!(shared.matches(&owner, &messages).await.unwrap(), [stored]);
    assert_eq!(shared.prepared(&owner, &messages).await.unwrap(), Some(prepared));
    assert_eq!(shared.history(&owner, &id).await.unwrap(), [message("what the owner keeps")]);
    assert_eq!(shared.session(&owner, &id).await.unwrap().unwrap().model, "model");
}

pub(crate) async fn what_one_deletes_another_keeps(shared: &Shared) {
    let (one, other) = (tenant(), tenant());
    let (id, messages, original) = (session("one"), history("both", 6), output("removed by both"));
    let entry = compaction(&id, &messages, 4, "both").removing(std::slice::from_ref(&original));
    for tenant in [&one, &other] {
        store(shared, tenant, &messages, None, entry.clone()).await;
    }
    let before = shared.holdings(&other).await.unwrap();
    assert!(shared.delete(&one, &id).await.unwrap());
    assert_eq!(shared.holdings(&one).await.unwrap(), Holdings::default());
    assert_eq!(shared.holdings(&other).await.unwrap(), before);
    assert_eq!(shared.original(&other, original.hash).await.unwrap(), Some(original));
    assert_eq!(found(shared, &other, &literal("both")).await.len(), 1);
    assert_eq!(shared.matches(&other, &messages).await.unwrap().len(), 1);
}

pub(crate) async fn everybody_who_has_sessions_is_listed(shared: &Shared) {
    let (one, other, gone) = (tenant(), tenant(), tenant());
    for tenant in [&other, &one, &gone] {
        for name in ["a", "b"] {
            shared.note_turn(tenant, &session(name), &turn(1, "model"), None).await.unwrap();
        }
    }
    for name in ["a", "b"] {
        assert!(shared.delete(&gone, &session(name)).await.unwrap());
    }
    // Others use the same store.
    let tenants = shared.tenants().await.unwrap();
    let ours: Vec<_> = tenants.iter().filter(|tenant| [&one, &other, &gone].contains(tenant)).collect();
    let mut expected = [&one, &other];
    expected.sort();
    assert_eq!(ours, expected);
    assert!(tenants.is_sorted());
}
