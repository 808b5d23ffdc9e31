//! Promises about archived sessions and those that continue them.

use epitome_core::tokens::{Calibration, Tokens};
use tokio::task::JoinSet;

use super::*;
use crate::records::{NewEntry, SessionId, Tenant, Wish};
use crate::store::Appended;

/// Every session with the one that it continues and those that continue it.
async fn links(shared: &Shared, tenant: &Tenant) -> Vec<(String, Option<String>, Vec<String>)> {
    let mut links = Vec::new();
    for session in shared.sessions(tenant, 100).await.unwrap() {
        assert_eq!(shared.session(tenant, &session.id).await.unwrap().as_ref(), Some(&session));
        let names = session.continued_by.iter().map(SessionId::to_string).collect();
        links.push((session.id.to_string(), session.continues.map(|id| id.to_string()), names));
    }
    links.sort();
    links
}

fn link(name: &str, continues: Option<&str>, continued_by: &[&str]) -> (String, Option<String>, Vec<String>) {
    (name.to_owned(), continues.map(str::to_owned), continued_by.iter().map(|name| (*name).to_owned()).collect())
}

pub(crate) async fn an_archived_session_and_the_one_that_continues_it_know_each_other(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("s.1"), history("archived", 9));
    let mut calibration = Calibration::of_model("claude-opus-4-5");
    calibration.observe(Tokens(10_007), Tokens(13_331));
    shared.note_turn(&tenant, &id, &turn(1_000, "model"), Some(&calibration)).await.unwrap();
    let wish = Wish { at_ms: 3, focus: None };
    shared.put_wish(&tenant, &id, &wish).await.unwrap();
    let first = store(shared, &tenant, &messages, None, compaction(&id, &messages, 4, "first")).await;
    let entry = NewEntry { fulfils: Some(wish), ..compaction(&id, &messages, 6, "archives").archiving().at(2_000) };
    let archiving = store(shared, &tenant, &messages, Some(first.id), entry.clone().after(&first)).await;
    assert_eq!((first.session.as_str(), archiving.session.as_str()), ("s.1", "s.1~2"));
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), [archiving.clone(), first.clone()]);
    assert_eq!(links(shared, &tenant).await, [link("s.1", None, &["s.1~2"]), link("s.1~2", Some("s.1"), &[])]);
    assert_eq!(shared.compactions(&tenant, &id).await.unwrap().len(), 1);
    assert_eq!(shared.compactions(&tenant, &archiving.session).await.unwrap(), [(archiving.clone(), entry.log)]);
    assert_eq!(shared.wish(&tenant, &id).await.unwrap(), None);
    let next = shared.session(&tenant, &archiving.session).await.unwrap().unwrap();
    assert_eq!((next.first_ms, next.last_ms, next.turns, next.compactions), (2_000, 2_000, 0, 1));
    assert_eq!((next.model.as_str(), next.calibration), ("model", Some(calibration)));
    // A call of the new session is its own.
    shared.note_turn(&tenant, &archiving.session, &turn(3_000, "model"), None).await.unwrap();
    let calls = async |id| shared.session(&tenant, id).await.unwrap().unwrap().turns;
    assert_eq!((calls(&id).await, calls(&archiving.session).await), (1, 1));

    // Archived again, the third continues the second.
    let again = compaction(&archiving.session, &messages, 8, "again").archiving();
    let third = store(shared, &tenant, &messages, Some(archiving.id), again.after(&archiving)).await;
    assert_eq!(third.session.as_str(), "s.1~3");
    let expected =
        [link("s.1", None, &["s.1~2"]), link("s.1~2", Some("s.1"), &["s.1~3"]), link("s.1~3", Some("s.1~2"), &[])];
    assert_eq!(links(shared, &tenant).await, expected);
}

pub(crate) async fn a_client_that_went_back_is_in_the_old_session_again(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("rewinds", 9));
    let first = store(shared, &tenant, &messages[..5], None, compaction(&id, &messages, 3, "first")).await;
    let archiving = compaction(&id, &messages, 6, "archives").archiving().after(&first);
    let archiving = store(shared, &tenant, &messages, Some(first.id), archiving).await;
    let before = shared.matches(&tenant, &messages[..5]).await.unwrap();
    assert_eq!(before, std::slice::from_ref(&first));
    let other = go_on(&messages[..5], "otherwise", 4);
    let again = compaction(&id, &other, 7, "archives otherwise").archiving().after(&first);
    let again = store(shared, &tenant, &other, Some(first.id), again).await;
    assert_eq!((archiving.session.as_str(), again.session.as_str()), ("one~2", "one~3"));
    let expected =
        [link("one", None, &["one~2", "one~3"]), link("one~2", Some("one"), &[]), link("one~3", Some("one"), &[])];
    assert_eq!(links(shared, &tenant).await, expected);
}

pub(crate) async fn the_same_archiving_twice_makes_one_session(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("twice", 9));
    let entry = compaction(&id, &messages, 6, "archives").archiving();
    let once = store(shared, &tenant, &messages, None, entry.clone()).await;
    assert_eq!(store(shared, &tenant, &messages, None, entry).await, once);
    let slower = compaction(&id, &messages, 6, "another").archiving();
    assert_eq!(overtaken(shared, &tenant, &messages, None, slower).await, once);
    assert_eq!(links(shared, &tenant).await, [link("one", None, &["one~2"]), link("one~2", Some("one"), &[])]);
}

pub(crate) async fn no_two_archived_histories_share_a_continuation(shared: &Shared) {
    let (tenant, id) = (tenant(), session("agents"));
    let mut racers = JoinSet::new();
    for racer in 0..12 {
        let (shared, tenant, id) = (shared.clone(), tenant.clone(), id.clone());
        let messages = history(&format!("agent {racer}"), 9);
        let entry = compaction(&id, &messages, 6, "archives").archiving();
        racers.spawn(async move { shared.append(&tenant, &messages, None, entry).await.unwrap() });
    }
    let mut numbers: Vec<u32> = Vec::new();
    for appended in racers.join_all().await {
        let Appended::Stored(entry) = appended else { panic!("{appended:?}") };
        assert_eq!(entry.session.of_client(), id);
        numbers.push(entry.session.number());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (2..14).collect::<Vec<_>>());
    let archived = shared.session(&tenant, &id).await.unwrap().unwrap();
    assert_eq!(archived.continued_by.iter().map(SessionId::number).collect::<Vec<_>>(), numbers);
}

pub(crate) async fn a_link_goes_with_either_session_and_a_number_is_not_given_again(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("links", 9));
    let archiving = compaction(&id, &messages, 4, "archives").archiving();
    let second = store(shared, &tenant, &messages, None, archiving).await;
    let again = compaction(&second.session, &messages, 6, "again").archiving().after(&second);
    let third = store(shared, &tenant, &messages, Some(second.id), again).await;
    assert!(shared.delete(&tenant, &second.session).await.unwrap());
    assert_eq!(links(shared, &tenant).await, [link("one", None, &[]), link("one~3", None, &[])]);
    let once_more = compaction(&third.session, &messages, 8, "once more").archiving().after(&third);
    store(shared, &tenant, &messages, Some(third.id), once_more).await;
    assert!(shared.delete(&tenant, &id).await.unwrap());
    assert_eq!(links(shared, &tenant).await, [link("one~3", None, &["one~4"]), link("one~4", Some("one~3"), &[])]);
}

pub(crate) async fn what_is_continued_is_kept_as_long_as_what_continues_it(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("kept", 9));
    let first = compaction(&id, &messages, 4, "first").removing(&[output("the needle")]).at(100);
    let first = store(shared, &tenant, &messages, None, first).await;
    let archiving = compaction(&id, &messages, 6, "archives").archiving().after(&first).at(200);
    let second = store(shared, &tenant, &messages, Some(first.id), archiving).await;
    let again = compaction(&second.session, &messages, 8, "again").archiving().after(&second).at(300);
    let third = store(shared, &tenant, &messages, Some(second.id), again).await;
    shared.note_turn(&tenant, &session("other"), &turn(400, "model"), None).await.unwrap();
    shared.note_turn(&tenant, &third.session, &turn(900, "model"), None).await.unwrap();
    let prunable = async |since| {
        let prunable = shared.prunable(&tenant, Some(since), None).await.unwrap();
        prunable.into_iter().map(|session| (session.id.to_string(), session.last_ms)).collect::<Vec<_>>()
    };
    assert_eq!(prunable(500).await, [("other".to_owned(), 400)]);
    assert_eq!(shared.prune(&tenant, Some(500), None).await.unwrap(), 1);
    assert_eq!(found(shared, &tenant, &literal("needle")).await.len(), 1, "the archived session's originals are there");
    let all = [("one".to_owned(), 900), ("one~2".to_owned(), 900), ("one~3".to_owned(), 900)];
    assert_eq!(prunable(901).await, all);
    assert_eq!(shared.prune(&tenant, Some(901), None).await.unwrap(), 3);
    assert_eq!(shared.sessions(&tenant, 10).await.unwrap(), []);
}
