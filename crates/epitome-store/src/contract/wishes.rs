//! Promises about compactions that people asked for.

use epitome_core::fingerprint::PrefixFingerprint;

use super::*;
use crate::records::{NewEntry, SessionId, Tenant, Wish};

fn wish(at_ms: u64, focus: Option<&str>) -> Wish {
    Wish { at_ms, focus: focus.map(str::to_owned) }
}

/// A session that is known, and one of its histories.
async fn known(shared: &Shared) -> (Tenant, SessionId, Vec<PrefixFingerprint>) {
    let (tenant, id) = (tenant(), session("one"));
    shared.note_turn(&tenant, &id, &turn(1, "model"), None).await.unwrap();
    (tenant, id, history("wished for", 9))
}

pub(crate) async fn a_wish_waits_until_it_is_fulfilled(shared: &Shared) {
    let (tenant, id, messages) = known(shared).await;
    let before = shared.session(&tenant, &id).await.unwrap();
    for wished in [wish(7, None), wish(u64::MAX / 4, Some("nul\0, 東京 and '; DROP TABLE wishes; --"))] {
        assert_eq!(shared.wish(&tenant, &id).await.unwrap(), None);
        assert!(shared.put_wish(&tenant, &id, &wished).await.unwrap());
        assert_eq!(shared.wish(&tenant, &id).await.unwrap(), Some(wished.clone()));
        assert_eq!(shared.session(&tenant, &id).await.unwrap().unwrap().last_ms, before.as_ref().unwrap().last_ms);
        let seen = shared.matches(&tenant, &messages).await.unwrap().first().map(|entry| entry.id);
        let depth = if seen.is_some() { 8 } else { 5 };
        let entry = NewEntry { fulfils: Some(wished), ..compaction(&id, &messages, depth, "wished for").at(1) };
        store(shared, &tenant, &messages, seen, entry).await;
    }
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), None);
}

pub(crate) async fn a_later_wish_takes_the_place_of_an_earlier_one(shared: &Shared) {
    let (tenant, id, messages) = known(shared).await;
    let (first, second) = (wish(1, Some("the first")), wish(2, Some("the second")));
    assert!(shared.put_wish(&tenant, &id, &first).await.unwrap());
    assert!(shared.put_wish(&tenant, &id, &second).await.unwrap());
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), Some(second.clone()));
    // One who read the first and is done only now has not done what was wished since.
    let entry = NewEntry { fulfils: Some(first), ..compaction(&id, &messages, 5, "the first") };
    store(shared, &tenant, &messages, None, entry).await;
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), Some(second));
}

pub(crate) async fn what_is_forgotten_is_that_wish_and_no_other(shared: &Shared) {
    let (tenant, id, _) = known(shared).await;
    let wished = wish(5, Some("this"));
    shared.put_wish(&tenant, &id, &wished).await.unwrap();
    for other in [wish(4, Some("this")), wish(5, Some("that")), wish(5, None)] {
        shared.forget_wish(&tenant, &id, &other).await.unwrap();
        assert_eq!(shared.wish(&tenant, &id).await.unwrap().as_ref(), Some(&wished));
    }
    shared.forget_wish(&tenant, &id, &wished).await.unwrap();
    shared.forget_wish(&tenant, &id, &wished).await.unwrap();
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), None);
    let without_focus = wish(5, None);
    shared.put_wish(&tenant, &id, &without_focus).await.unwrap();
    shared.forget_wish(&tenant, &id, &without_focus).await.unwrap();
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), None);
}

pub(crate) async fn nothing_is_wished_for_what_is_not_there(shared: &Shared) {
    let (tenant, _, _) = known(shared).await;
    let stranger = session("another");
    assert!(!shared.put_wish(&tenant, &stranger, &wish(1, None)).await.unwrap());
    assert_eq!(shared.wish(&tenant, &stranger).await.unwrap(), None);
    assert_eq!(shared.session(&tenant, &stranger).await.unwrap(), None);
}

pub(crate) async fn a_wish_goes_with_its_session(shared: &Shared) {
    let (tenant, id, _) = known(shared).await;
    shared.put_wish(&tenant, &id, &wish(1, None)).await.unwrap();
    assert!(shared.delete(&tenant, &id).await.unwrap());
    shared.note_turn(&tenant, &id, &turn(1, "model"), None).await.unwrap();
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), None);
}

pub(crate) async fn who_is_overtaken_leaves_the_wish(shared: &Shared) {
    let (tenant, id, messages) = known(shared).await;
    let wished = wish(1, None);
    store(shared, &tenant, &messages, None, compaction(&id, &messages, 5, "faster")).await;
    shared.put_wish(&tenant, &id, &wished).await.unwrap();
    let late = NewEntry { fulfils: Some(wished.clone()), ..compaction(&id, &messages, 6, "late") };
    overtaken(shared, &tenant, &messages, None, late).await;
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), Some(wished));
}
