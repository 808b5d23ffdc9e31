//! Promises about entries, leases and what is prepared.

use std::sync::Arc;

use epitome_core::edit::Edit;
use tokio::task::JoinSet;

use super::*;
use crate::records::{EntryId, NewEntry, Original, OriginalKind};
use crate::store::{Appended, MOST_MATCHES};

pub(crate) async fn the_deepest_match_comes_first(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("deepest", 10));
    let first = store(shared, &tenant, &messages[..4], None, compaction(&id, &messages, 3, "first")).await;
    let second = compaction(&id, &messages, 7, "second").after(&first);
    let second = store(shared, &tenant, &messages[..8], Some(first.id), second).await;
    assert_eq!(second.parent, Some(first.id));
    let matches = shared.matches(&tenant, &messages).await.unwrap();
    assert_eq!(matches, [second.clone(), first]);
    assert_eq!(matches[0].replay.edits, compaction(&id, &messages, 7, "second").replay.edits);
    assert_eq!((second.session, second.anchor, second.depth, second.at_ms), (id, messages[6], 7, 1_007));
}

pub(crate) async fn no_more_matches_are_given_than_are_of_use(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("many", 20));
    let mut seen = None;
    for depth in 1..=MOST_MATCHES + 2 {
        let entry = compaction(&id, &messages, depth, "one of many");
        seen = Some(store(shared, &tenant, &messages, seen, entry).await.id);
    }
    let depths: Vec<u32> = shared.matches(&tenant, &messages).await.unwrap().iter().map(|entry| entry.depth).collect();
    let deepest = MOST_MATCHES as u32 + 2;
    assert_eq!(depths, (3..=deepest).rev().collect::<Vec<_>>());
}

pub(crate) async fn of_one_anchor_the_latest_comes_first(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("again", 5));
    let first = store(shared, &tenant, &messages, None, compaction(&id, &messages, 5, "first")).await;
    let second = compaction(&id, &messages, 5, "second").after(&first);
    let second = store(shared, &tenant, &messages, Some(first.id), second).await;
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), [second, first]);
}

pub(crate) async fn a_fork_finds_the_edits_it_shares_and_its_own(shared: &Shared) {
    let (tenant, trunk) = (tenant(), history("trunk", 4));
    let [left, right] = ["left", "right"].map(|name| go_on(&trunk, name, 4));
    let both = store(shared, &tenant, &trunk, None, compaction(&session("trunk"), &trunk, 3, "both")).await;
    for (side, name) in [(&left, "left"), (&right, "right")] {
        let own = compaction(&session(name), side, 6, name).after(&both);
        let own = store(shared, &tenant, side, Some(both.id), own).await;
        assert_eq!(shared.matches(&tenant, side).await.unwrap(), [own, both.clone()], "{name}");
    }
    let third = go_on(&trunk, "third", 9);
    assert_eq!(shared.matches(&tenant, &third).await.unwrap(), [both]);
    assert_eq!(shared.matches(&tenant, &history("elsewhere", 9)).await.unwrap(), []);
}

pub(crate) async fn a_rewound_history_finds_what_is_left_of_it(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("rewound", 9));
    let first = store(shared, &tenant, &messages, None, compaction(&id, &messages, 3, "first")).await;
    let second = store(shared, &tenant, &messages, Some(first.id), compaction(&id, &messages, 6, "second")).await;
    for (length, expected) in [(9, vec![&second, &first]), (6, vec![&second, &first]), (5, vec![&first]), (2, vec![])] {
        let matches = shared.matches(&tenant, &messages[..length]).await.unwrap();
        assert_eq!(matches.iter().collect::<Vec<_>>(), expected, "{length} messages");
    }
}

pub(crate) async fn an_empty_history_matches_nothing(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("some", 3));
    assert_eq!(shared.matches(&tenant, &[]).await.unwrap(), []);
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), []);
    assert_eq!(shared.prepared(&tenant, &[]).await.unwrap(), None);
}

pub(crate) async fn who_is_overtaken_at_the_same_anchor_gets_the_winner(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("same", 6));
    let original = output("removed by who was too late");
    let winner = store(shared, &tenant, &messages, None, compaction(&id, &messages, 5, "winner")).await;
    let late = compaction(&id, &messages, 5, "late").removing(std::slice::from_ref(&original));
    assert_eq!(overtaken(shared, &tenant, &messages, None, late.clone()).await, winner);
    // Nothing of it is stored.
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), std::slice::from_ref(&winner));
    assert_eq!(shared.original(&tenant, original.hash).await.unwrap(), None);
    assert_eq!(shared.session(&tenant, &id).await.unwrap().unwrap().compactions, 1);
    // Having seen the winner, it goes on from it.
    let second = store(shared, &tenant, &messages, Some(winner.id), late.after(&winner)).await;
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), [second, winner]);
}

pub(crate) async fn who_is_overtaken_at_a_deeper_anchor_gets_the_winner(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("deeper", 9));
    let first = store(shared, &tenant, &messages, None, compaction(&id, &messages, 3, "first")).await;
    let winner = store(shared, &tenant, &messages, Some(first.id), compaction(&id, &messages, 8, "winner")).await;
    let late = compaction(&id, &messages, 6, "late").after(&first);
    assert_eq!(overtaken(shared, &tenant, &messages, Some(first.id), late.clone()).await, winner);
    // In a history that ends before the winner's, nobody was faster.
    store(shared, &tenant, &messages[..7], Some(first.id), late).await;
}

pub(crate) async fn a_deeper_match_that_was_seen_does_not_overtake(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("unfit", 9));
    let first = store(shared, &tenant, &messages, None, compaction(&id, &messages, 3, "first")).await;
    let unfit = store(shared, &tenant, &messages, Some(first.id), compaction(&id, &messages, 6, "unfit")).await;
    let better = compaction(&id, &messages, 9, "better").after(&first);
    let better = store(shared, &tenant, &messages, Some(unfit.id), better).await;
    assert_eq!(better.parent, Some(first.id));
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap()[0], better);
}

pub(crate) async fn the_same_compaction_twice_is_one_entry(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("twice", 6));
    let entry = compaction(&id, &messages, 5, "same").removing(&[output("removed once")]);
    let first = store(shared, &tenant, &messages, None, entry.clone()).await;
    // As after a connection that broke before the answer came; another session may do it, too.
    let again = NewEntry { session: session("other"), ..entry.clone() };
    assert_eq!(store(shared, &tenant, &messages, None, again.clone()).await, first);
    assert_eq!(store(shared, &tenant, &messages, Some(first.id), again.clone()).await, first);
    // Nor does it come back on top of what went on from it.
    let second = store(shared, &tenant, &messages, Some(first.id), compaction(&id, &messages, 5, "next")).await;
    assert_eq!(store(shared, &tenant, &messages, Some(second.id), again).await, first);
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), [second, first]);
    assert_eq!(shared.holdings(&tenant).await.unwrap().entries, 2);
    assert_eq!(shared.session(&tenant, &session("other")).await.unwrap(), None);
}

pub(crate) async fn an_entry_stays_when_its_parent_is_forgotten(shared: &Shared) {
    let (tenant, trunk) = (tenant(), history("forgotten", 4));
    let fork = go_on(&trunk, "fork", 4);
    let parent = store(shared, &tenant, &trunk, None, compaction(&session("trunk"), &trunk, 3, "parent")).await;
    let child = compaction(&session("fork"), &fork, 6, "child").after(&parent);
    let child = store(shared, &tenant, &fork, Some(parent.id), child).await;
    assert!(shared.delete(&tenant, &session("trunk")).await.unwrap());
    assert_eq!(shared.matches(&tenant, &fork).await.unwrap(), std::slice::from_ref(&child));
    assert_eq!(shared.matches(&tenant, &trunk).await.unwrap(), []);
    // Who has seen what is gone is not overtaken by nothing.
    store(shared, &tenant, &trunk, Some(parent.id), compaction(&session("trunk"), &trunk, 4, "new")).await;
}

pub(crate) async fn of_many_at_once_one_is_stored_and_the_others_get_it(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("race", 30));
    let mut seen = None;
    for round in 0..3usize {
        let mut racers = JoinSet::new();
        for racer in 0..16usize {
            let (shared, tenant, messages) = (shared.clone(), tenant.clone(), messages.clone());
            // Some at the same anchor and some at others.
            let depth = 10 * (round + 1) - racer % 3;
            let entry = compaction(&session(&format!("racer {racer}")), &messages, depth, &format!("{round} {racer}"));
            let entry = entry.removing(&[output(&format!("removed by {round} {racer}"))]);
            racers.spawn(async move { shared.append(&tenant, &messages, seen, entry).await.unwrap() });
        }
        let appended = racers.join_all().await;
        let stored: Vec<_> = appended
            .iter()
            .filter_map(|one| match one {
                Appended::Stored(entry) => Some(entry),
                Appended::Overtaken(_) => None,
            })
            .collect();
        assert_eq!(stored.len(), 1);
        let winner = stored[0].clone();
        let told = appended.iter().filter(|one| matches!(one, Appended::Overtaken(entry) if *entry == winner)).count();
        assert_eq!(told, 15);
        assert_eq!(shared.matches(&tenant, &messages).await.unwrap()[0], winner);
        seen = Some(winner.id);
    }
    let holdings = shared.holdings(&tenant).await.unwrap();
    assert_eq!((holdings.entries, holdings.originals), (3, 3));
}

pub(crate) async fn appends_to_many_histories_at_once_lose_nothing(shared: &Shared) {
    let tenant = tenant();
    let shared_output = output("what all of them removed");
    let mut writers = JoinSet::new();
    for writer in 0..12usize {
        let (shared, tenant, shared_output) = (shared.clone(), tenant.clone(), shared_output.clone());
        writers.spawn(async move {
            // A request of each history looks, goes on from what it sees, and tries again when it was overtaken.
            let messages = history(&format!("history {}", writer % 4), 40);
            let id = session(&format!("session {}", writer % 4));
            let mut own = Vec::new();
            for round in 0..5usize {
                let depth = 1 + round * 3 + writer / 4;
                let entry = compaction(&id, &messages, depth, &format!("{writer} {round}"));
                let entry = entry.removing(&[shared_output.clone(), output(&format!("{writer} {round}"))]);
                let mut seen = shared.matches(&tenant, &messages).await.unwrap().first().map(|entry| entry.id);
                loop {
                    match shared.append(&tenant, &messages, seen, entry.clone()).await.unwrap() {
                        Appended::Stored(entry) => break own.push(entry),
                        Appended::Overtaken(other) => seen = Some(other.id),
                    }
                }
                shared.note_turn(&tenant, &id, &turn(5_000, "model"), None).await.unwrap();
            }
            (id, own)
        });
    }
    let all = writers.join_all().await;
    for (id, own) in all {
        let stored = shared.compactions(&tenant, &id).await.unwrap();
        assert!(own.iter().all(|entry| stored.iter().any(|(there, _)| there == entry)));
        assert_eq!(stored.len(), 15);
        assert_eq!(shared.session(&tenant, &id).await.unwrap().unwrap().turns, 15);
        assert_eq!(shared.turns(&tenant, &id).await.unwrap().len(), 15);
    }
    assert_eq!(shared.holdings(&tenant).await.unwrap().originals, 61);
}

pub(crate) async fn thousands_of_messages_are_no_trouble(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("long"), history("long", 5_000));
    let mut seen = None;
    for depth in [1, 2_500, 4_999, 5_000] {
        let entry = compaction(&id, &messages, depth, "long");
        seen = Some(store(shared, &tenant, &messages, seen, entry).await.id);
    }
    let depths: Vec<u32> = shared.matches(&tenant, &messages).await.unwrap().iter().map(|entry| entry.depth).collect();
    assert_eq!(depths, [5_000, 4_999, 2_500, 1]);
    let prepared = compaction(&id, &messages, 4_000, "prepared");
    shared.put_prepared(&tenant, &prepared).await.unwrap();
    assert_eq!(shared.prepared(&tenant, &messages).await.unwrap(), Some(prepared));
}

pub(crate) async fn large_edits_come_back_whole(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("large"), history("large", 900));
    let edits = (1..800).map(|message| Edit::ShortenOutput {
        message,
        block: 0,
        text: format!("{} line\n", blake3::hash(&[message as u8])).repeat(1 + message % 40),
    });
    let mut entry = compaction(&id, &messages, 900, "large");
    entry.replay.edits = edits.collect();
    entry.removed = (0..500).map(|number| output(&format!("output {number}\n").repeat(100))).collect();
    let stored = store(shared, &tenant, &messages, None, entry.clone()).await;
    assert_eq!(stored.replay, Arc::new(entry.replay));
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), std::slice::from_ref(&stored));
    assert_eq!(shared.removed_by(&tenant, stored.id).await.unwrap(), entry.removed);
}

pub(crate) async fn a_lease_has_one_owner_until_it_ends(shared: &Shared) {
    let (tenant, messages) = (tenant(), history("lease", 2));
    let lease = async |prefix: usize, owner: &str, now_ms, until_ms| {
        shared.lease(&tenant, messages[prefix], owner, now_ms, until_ms).await.unwrap()
    };
    assert!(lease(0, "one", 100, 200).await);
    assert!(!lease(0, "other", 150, 250).await);
    assert!(lease(1, "other", 150, 250).await, "another prefix");
    assert!(lease(0, "one", 150, 300).await, "its owner may go on");
    assert!(!lease(0, "other", 299, 400).await);
    assert!(lease(0, "other", 300, 400).await, "it has ended");
    assert!(!lease(0, "one", 350, 500).await);
}

pub(crate) async fn of_many_who_want_a_lease_one_gets_it(shared: &Shared) {
    let (tenant, prefix) = (tenant(), history("lease", 1)[0]);
    let mut racers = JoinSet::new();
    for racer in 0..16 {
        let (shared, tenant) = (shared.clone(), tenant.clone());
        racers.spawn(async move { shared.lease(&tenant, prefix, &format!("racer {racer}"), 0, 10).await.unwrap() });
    }
    assert_eq!(racers.join_all().await.into_iter().filter(|won| *won).count(), 1);
}

pub(crate) async fn what_is_prepared_is_found_and_the_latest_stays(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("prepared", 9));
    let message = message("a message\0 with “words”");
    let removed = [
        output("an output"),
        Original::new(OriginalKind::Message, message.bytes, message.words),
        Original::new(OriginalKind::Text, vec![0, 255, 10], String::new()),
    ];
    let shallow = compaction(&id, &messages, 3, "shallow").removing(&removed);
    let first = compaction(&id, &messages, 6, "first");
    let second = NewEntry { parent: Some(EntryId::from_bytes([7; 16])), ..compaction(&id, &messages, 6, "second") };
    for prepared in [&first, &second, &shallow] {
        shared.put_prepared(&tenant, prepared).await.unwrap();
    }
    assert_eq!(shared.prepared(&tenant, &messages).await.unwrap(), Some(second));
    assert_eq!(shared.prepared(&tenant, &messages[..5]).await.unwrap(), Some(shallow));
    assert_eq!(shared.prepared(&tenant, &messages[..2]).await.unwrap(), None);
    assert_eq!(shared.prepared(&tenant, &go_on(&messages[..2], "fork", 9)).await.unwrap(), None);
    // What is prepared is not used: no edits, and nothing removed.
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), []);
    assert_eq!(found(shared, &tenant, &literal("an output")).await, []);
    assert_eq!(shared.session(&tenant, &id).await.unwrap().unwrap().compactions, 0);
    assert!(shared.delete(&tenant, &id).await.unwrap());
    assert_eq!(shared.prepared(&tenant, &messages).await.unwrap(), None);
}

pub(crate) async fn what_was_prepared_goes_when_it_is_used(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("used", 9));
    let prepared = [2, 4, 6].map(|depth| compaction(&id, &messages, depth, "prepared"));
    for prepared in &prepared {
        shared.put_prepared(&tenant, prepared).await.unwrap();
    }
    store(shared, &tenant, &messages[..5], None, prepared[1].clone()).await;
    assert_eq!(shared.prepared(&tenant, &messages[..5]).await.unwrap(), None);
    assert_eq!(shared.prepared(&tenant, &messages).await.unwrap().as_ref(), prepared.last());
}
