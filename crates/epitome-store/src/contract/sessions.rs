//! Promises about sessions: sums, histories, and what is forgotten.

use epitome_core::cost::trigger::Foregone;
use epitome_core::fingerprint::ContentHash;
use epitome_core::money::Dollars;
use epitome_core::tokens::{Calibration, Tokens};
use tokio::task::JoinSet;

use super::*;
use crate::records::{
    CacheBreak, Holdings, Kept, Original, OriginalKind, Rent, Session, Spending, Tenant, Turn, TurnUsage,
};
use crate::store::StoreError;

pub(crate) async fn calls_are_counted_and_summed(shared: &Shared) {
    let (tenant, id) = (tenant(), session("one"));
    assert_eq!(shared.session(&tenant, &id).await.unwrap(), None);
    assert_eq!(shared.turns(&tenant, &id).await.unwrap(), []);
    let without_usage = Turn { usage: None, dialect: "openai_chat".to_owned(), ..turn(3_000, "second") };
    let turns = [turn(2_000, "first"), turn(1_000, "late"), without_usage];
    for turn in &turns {
        shared.note_turn(&tenant, &id, turn, None).await.unwrap();
    }
    let expected = Session {
        id: id.clone(),
        first_ms: 1_000,
        last_ms: 3_000,
        model: "second".to_owned(),
        dialect: "openai_chat".to_owned(),
        turns: 3,
        compactions: 0,
        client_tokens: 3_000,
        sent_tokens: 900,
        usage: TurnUsage { prompt: 620, cache_read: 400, cache_write: 200, output: 100, ..TurnUsage::default() },
        spending: Spending {
            paid: Dollars::new(0.75),
            without_us: Dollars::new(1.5),
            prompts: Dollars::new(0.375),
            prompts_uncached: Dollars::new(1.5),
            ..Spending::default()
        },
        calibration: None,
        rent: None,
        continues: None,
        continued_by: Vec::new(),
    };
    assert_eq!(shared.session(&tenant, &id).await.unwrap().as_ref(), Some(&expected));
    assert_eq!(shared.sessions(&tenant, 10).await.unwrap(), [expected]);
    assert_eq!(shared.turns(&tenant, &id).await.unwrap(), turns);
}

pub(crate) async fn summaries_cost_and_are_no_calls_of_the_client(shared: &Shared) {
    let (tenant, id) = (tenant(), session("one"));
    let spending = Spending { summaries: Dollars::new(0.75), unpriced: 1, ..Spending::default() };
    let summary = Turn { action: Turn::SUMMARY.to_owned(), spending: Some(spending), ..turn(2_000, "writer") };
    let broke =
        CacheBreak { place: "system".to_owned(), at: 64, excerpt: "It is 10:31:07.".to_owned(), lost: Tokens(900) };
    let client = Turn { broke: Some(broke), ..turn(1_000, "model") };
    for turn in [&client, &summary] {
        shared.note_turn(&tenant, &id, turn, None).await.unwrap();
    }
    let session = shared.session(&tenant, &id).await.unwrap().unwrap();
    assert_eq!((session.turns, session.model.as_str(), session.usage.prompt), (1, "model", 310));
    // A loss is a loss: 0.5 − 0.25 − 0.75.
    assert_eq!((session.spending.net(), session.spending.unpriced), (Dollars::new(-0.5), 1));
    assert_eq!(shared.turns(&tenant, &id).await.unwrap(), [client, summary]);
}

pub(crate) async fn absurd_numbers_do_no_harm(shared: &Shared) {
    let (tenant, id) = (tenant(), session("one"));
    let most = u64::MAX;
    let absurd = Turn {
        client_tokens: Tokens(most),
        usage: Some(TurnUsage {
            prompt: most,
            cache_read: most,
            cache_write: most,
            output: most,
            ..TurnUsage::default()
        }),
        ..turn(1_000, "model")
    };
    shared.note_turn(&tenant, &id, &absurd, None).await.unwrap();
    shared.note_turn(&tenant, &id, &absurd, None).await.unwrap();
    let session = shared.session(&tenant, &id).await.unwrap().unwrap();
    assert_eq!((session.client_tokens, session.usage.prompt, session.turns), (most, most, 2));
    assert_eq!(shared.turns(&tenant, &id).await.unwrap(), [absurd.clone(), absurd]);
    assert_eq!(shared.prune(&tenant, Some(0), Some(most)).await.unwrap(), 0);
}

pub(crate) async fn what_was_learnt_stays_until_something_new_is(shared: &Shared) {
    let (tenant, id) = (tenant(), session("one"));
    let mut calibration = Calibration::of_model("claude-opus-4-5");
    calibration.observe(Tokens(10_007), Tokens(13_331));
    shared.note_turn(&tenant, &id, &turn(1, "model"), Some(&calibration)).await.unwrap();
    shared.note_turn(&tenant, &id, &turn(2, "model"), None).await.unwrap();
    let learnt = async || shared.session(&tenant, &id).await.unwrap().unwrap().calibration;
    assert_eq!(learnt().await.as_ref(), Some(&calibration));
    calibration.observe(Tokens(20_011), Tokens(26_003));
    shared.note_turn(&tenant, &id, &turn(3, "model"), Some(&calibration)).await.unwrap();
    assert_eq!(learnt().await, Some(calibration));
    let foregone = Foregone { trimming: 0.1 + 0.2, summarizing: 31_200.5 };
    let rent = Rent { since: [7; 16], foregone, at_ms: 5, prompt: Tokens(61_000), cached: true, misses: 2 };
    shared.note_turn(&tenant, &id, &Turn { rent: Some(rent), ..turn(4, "model") }, None).await.unwrap();
    shared.note_turn(&tenant, &id, &turn(5, "model"), None).await.unwrap();
    assert_eq!(shared.session(&tenant, &id).await.unwrap().unwrap().rent, Some(rent));
}

pub(crate) async fn sessions_come_latest_first(shared: &Shared) {
    let tenant = tenant();
    for (name, at_ms) in [("b", 2), ("c", 3), ("a", 2), ("d", 1)] {
        shared.note_turn(&tenant, &session(name), &turn(at_ms, "model"), None).await.unwrap();
    }
    let names = async |most| {
        let sessions = shared.sessions(&tenant, most).await.unwrap();
        sessions.into_iter().map(|session| session.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(10).await, ["c", "a", "b", "d"]);
    assert_eq!(names(2).await, ["c", "a"]);
    assert_eq!(names(0).await, [""; 0]);
    assert_eq!(names(usize::MAX).await.len(), 4);
}

pub(crate) async fn compactions_come_oldest_first_with_their_logs(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("logs", 9));
    let first = compaction(&id, &messages, 6, "first").at(9_000);
    let mut second = compaction(&id, &messages, 8, "second").at(8_000);
    second.log.author = None;
    second.log.stood_in = Some("the model was too slow".to_owned());
    let other = history("other", 9);
    let stored_first = store(shared, &tenant, &messages, None, first.clone()).await;
    store(shared, &tenant, &other, None, compaction(&session("other"), &other, 3, "other")).await;
    let stored_second = store(shared, &tenant, &messages, Some(stored_first.id), second.clone()).await;
    let expected = [(stored_first, first.log), (stored_second, second.log)];
    assert_eq!(shared.compactions(&tenant, &id).await.unwrap(), expected);
    let known = shared.session(&tenant, &id).await.unwrap().unwrap();
    assert_eq!((known.compactions, known.turns, known.first_ms, known.last_ms), (2, 0, 8_000, 9_000));
    assert_eq!(shared.compactions(&tenant, &session("none")).await.unwrap(), []);
}

pub(crate) async fn logs_come_without_edits_of_one_session_or_of_all(shared: &Shared) {
    let tenant = tenant();
    let mut all = Vec::new();
    for (number, name) in (1u64..).zip(["b", "a", "c"]) {
        let messages = history(name, 9);
        let entry = compaction(&session(name), &messages, 6, name).at(number);
        all.push(entry.log.clone());
        store(shared, &tenant, &messages, None, entry).await;
    }
    assert_eq!(shared.logs(&tenant, None).await.unwrap(), all);
    assert_eq!(shared.logs(&tenant, Some(&session("a"))).await.unwrap(), all[1..2]);
    assert_eq!(shared.logs(&tenant, Some(&session("none"))).await.unwrap(), []);
}

pub(crate) async fn what_would_be_pruned_is_what_is_pruned(shared: &Shared) {
    let tenant = tenant();
    four_sessions(shared, &tenant).await;
    shared.extend_history(&tenant, &session("b"), 0, &[message("kept")], 200).await.unwrap();
    let all = shared.holdings(&tenant).await.unwrap().bytes;
    assert_eq!(shared.prunable(&tenant, None, None).await.unwrap(), []);
    assert_eq!(shared.prunable(&tenant, None, Some(all)).await.unwrap(), []);
    for (since, most) in [(Some(101), None), (None, Some(all / 2)), (Some(u64::MAX), Some(0))] {
        let before = (names(shared, &tenant).await, shared.holdings(&tenant).await.unwrap().bytes);
        let prunable = shared.prunable(&tenant, since, most).await.unwrap();
        assert!(!prunable.is_empty());
        assert_eq!(shared.prune(&tenant, since, most).await.unwrap(), prunable.len() as u64);
        let gone: Vec<String> = prunable.iter().map(|session| session.id.to_string()).collect();
        let left: Vec<String> = before.0.into_iter().filter(|name| !gone.contains(name)).collect();
        assert_eq!(names(shared, &tenant).await, left);
        let freed: u64 = prunable.iter().map(|session| session.bytes).sum();
        assert_eq!(shared.holdings(&tenant).await.unwrap().bytes, before.1 - freed);
    }
}

pub(crate) async fn a_history_grows_at_its_end_alone(shared: &Shared) {
    let (tenant, id) = (tenant(), session("bot"));
    let kept = ["hello", "hello", "how are you?", ""].map(message);
    let extend = async |expected, messages: &[Kept]| shared.extend_history(&tenant, &id, expected, messages, 50).await;
    assert_eq!(shared.history(&tenant, &id).await.unwrap(), []);
    assert_eq!(extend(1, &kept[..1]).await, Err(StoreError::Overtaken));
    assert_eq!(shared.session(&tenant, &id).await.unwrap(), None);
    assert_eq!(extend(0, &kept[..3]).await, Ok(()));
    assert_eq!(extend(0, &kept[..1]).await, Err(StoreError::Overtaken));
    assert_eq!(extend(2, &kept[..1]).await, Err(StoreError::Overtaken));
    assert_eq!(extend(3, &[]).await, Ok(()));
    assert_eq!(extend(3, &kept[3..]).await, Ok(()));
    assert_eq!(shared.history(&tenant, &id).await.unwrap(), kept);
    let known = shared.session(&tenant, &id).await.unwrap().unwrap();
    assert_eq!((known.first_ms, known.last_ms), (50, 50));
}

pub(crate) async fn of_many_who_extend_a_history_one_does(shared: &Shared) {
    let (tenant, id) = (tenant(), session("bot"));
    for round in 0..3usize {
        let mut racers = JoinSet::new();
        for racer in 0..12 {
            let (shared, tenant, id) = (shared.clone(), tenant.clone(), id.clone());
            let kept = [message(&format!("{round} {racer}")), message("the same")];
            racers.spawn(async move { shared.extend_history(&tenant, &id, round * 2, &kept, 1).await });
        }
        let results = racers.join_all().await;
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        assert!(results.iter().all(|result| matches!(result, Ok(()) | Err(StoreError::Overtaken))), "{results:?}");
        assert_eq!(shared.history(&tenant, &id).await.unwrap().len(), round * 2 + 2);
    }
    // What was refused left nothing behind.
    assert_eq!(shared.holdings(&tenant).await.unwrap().originals, 4);
}

pub(crate) async fn the_end_of_a_history_is_taken_back_if_it_is_what_was_added(shared: &Shared) {
    let (tenant, id) = (tenant(), session("bot"));
    let kept = ["hello", "hi", "how are you?", "hello"].map(message);
    let hashes = kept.each_ref().map(|kept| ContentHash::of(&kept.bytes));
    let retract =
        async |from, hashes: &[ContentHash]| shared.retract_history(&tenant, &id, from, hashes).await.unwrap();
    assert!(!retract(0, &hashes[..1]).await);
    assert_eq!(shared.session(&tenant, &id).await.unwrap(), None);
    shared.extend_history(&tenant, &id, 0, &kept, 50).await.unwrap();
    // Something else stands there, more, less, or nothing.
    for (from, messages) in
        [(1, &hashes[2..]), (2, &hashes[2..3]), (3, &hashes[2..]), (4, &hashes[3..]), (9, &hashes[3..])]
    {
        assert!(!retract(from, messages).await, "{from}");
    }
    assert_eq!(shared.history(&tenant, &id).await.unwrap(), kept);
    assert!(retract(2, &hashes[2..]).await);
    assert!(!retract(2, &hashes[2..]).await);
    assert_eq!(shared.history(&tenant, &id).await.unwrap(), kept[..2]);
    // What only that end had is gone; what the rest has too is not.
    assert_eq!(shared.holdings(&tenant).await.unwrap().originals, 2);
    // It goes on from there.
    shared.extend_history(&tenant, &id, 2, &kept[2..], 60).await.unwrap();
    assert_eq!(shared.history(&tenant, &id).await.unwrap(), kept);
}

pub(crate) async fn kept_messages_can_be_searched_and_fetched(shared: &Shared) {
    let (tenant, id) = (tenant(), session("bot"));
    let kept = [message("a Needle is kept"), message("hay")];
    shared.extend_history(&tenant, &id, 0, &kept, 1).await.unwrap();
    let hash = ContentHash::of(&kept[0].bytes);
    assert_eq!(found(shared, &tenant, &literal("needle")).await, [("bot".to_owned(), hash)]);
    let Kept { bytes, words } = kept[0].clone();
    let original = Original { hash, kind: OriginalKind::Message, bytes, words };
    assert_eq!(shared.original(&tenant, hash).await.unwrap(), Some(original));
}

pub(crate) async fn a_deleted_session_is_gone_with_what_it_alone_had(shared: &Shared) {
    let tenant = tenant();
    let shared_output = output("shared by both");
    for name in ["gone", "stays"] {
        let (id, messages) = (session(name), history(name, 5));
        let removed = [shared_output.clone(), output(&format!("of {name} alone"))];
        store(shared, &tenant, &messages, None, compaction(&id, &messages, 4, name).removing(&removed)).await;
        shared.note_turn(&tenant, &id, &turn(1, "model"), None).await.unwrap();
        let kept = [message("kept by both"), message(&format!("kept by {name}"))];
        shared.extend_history(&tenant, &id, 0, &kept, 1).await.unwrap();
        shared.put_prepared(&tenant, &compaction(&id, &messages, 5, "prepared")).await.unwrap();
    }
    let (gone, messages) = (session("gone"), history("gone", 5));
    let entry = shared.matches(&tenant, &messages).await.unwrap()[0].id;
    assert_eq!(shared.holdings(&tenant).await.unwrap().originals, 6);
    assert!(shared.delete(&tenant, &gone).await.unwrap());
    assert!(!shared.delete(&tenant, &gone).await.unwrap());
    assert!(!shared.delete(&tenant, &session("never there")).await.unwrap());

    assert_eq!(shared.session(&tenant, &gone).await.unwrap(), None);
    assert_eq!(shared.turns(&tenant, &gone).await.unwrap(), []);
    assert_eq!(shared.history(&tenant, &gone).await.unwrap(), []);
    assert_eq!(shared.compactions(&tenant, &gone).await.unwrap(), []);
    assert_eq!(shared.removed_by(&tenant, entry).await.unwrap(), []);
    assert_eq!(shared.matches(&tenant, &messages).await.unwrap(), []);
    assert_eq!(shared.prepared(&tenant, &messages).await.unwrap(), None);
    assert_eq!(shared.original(&tenant, output("of gone alone").hash).await.unwrap(), None);
    assert_eq!(found(shared, &tenant, &literal("gone")).await, []);

    let stays = history("stays", 5);
    let holdings = shared.holdings(&tenant).await.unwrap();
    assert_eq!((holdings.sessions, holdings.entries, holdings.originals), (1, 1, 4));
    assert_eq!(shared.original(&tenant, shared_output.hash).await.unwrap(), Some(shared_output));
    assert_eq!(found(shared, &tenant, &literal("both")).await.len(), 2);
    assert_eq!(shared.matches(&tenant, &stays).await.unwrap().len(), 1);
    assert!(shared.prepared(&tenant, &stays).await.unwrap().is_some());
    assert!(shared.delete(&tenant, &session("stays")).await.unwrap());
    assert_eq!(shared.holdings(&tenant).await.unwrap(), Holdings::default());
}

pub(crate) async fn a_deleted_session_can_begin_again(shared: &Shared) {
    let (tenant, id, messages) = (tenant(), session("one"), history("again", 5));
    let entry = compaction(&id, &messages, 4, "again").removing(&[output("needle")]);
    for _ in 0..2 {
        store(shared, &tenant, &messages, None, entry.clone()).await;
        assert_eq!(found(shared, &tenant, &literal("needle")).await.len(), 1);
        assert!(shared.delete(&tenant, &id).await.unwrap());
        assert_eq!(found(shared, &tenant, &literal("needle")).await, []);
    }
}

pub(crate) async fn deleting_and_appending_at_once_leaves_nothing_half_done(shared: &Shared) {
    let tenant = tenant();
    let both = output("what all of them removed");
    let mut workers = JoinSet::new();
    for worker in 0..8usize {
        let (shared, tenant, both) = (shared.clone(), tenant.clone(), both.clone());
        workers.spawn(async move {
            let (id, messages) = (session(&format!("worker {worker}")), history(&format!("worker {worker}"), 5));
            let removed = [both, output(&format!("of {worker}"))];
            let entry = compaction(&id, &messages, 4, "short-lived").removing(&removed);
            for _ in 0..6 {
                let stored = store(&shared, &tenant, &messages, None, entry.clone()).await;
                shared.extend_history(&tenant, &id, 0, &[message("kept by all")], 1).await.unwrap();
                assert_eq!(shared.removed_by(&tenant, stored.id).await.unwrap(), removed);
                assert_eq!(shared.history(&tenant, &id).await.unwrap(), [message("kept by all")]);
                assert!(shared.delete(&tenant, &id).await.unwrap());
            }
        });
    }
    workers.join_all().await;
    assert_eq!(shared.holdings(&tenant).await.unwrap(), Holdings::default());
}

/// Sessions with an output each that does not become smaller, seen at 100, 200, …
async fn four_sessions(shared: &Shared, tenant: &Tenant) {
    for (number, name) in (1u64..).zip(["a", "b", "c", "d"]) {
        let messages = history(name, 5);
        let noise: String =
            (0..100u64).map(|index| blake3::hash(&(number * 1_000 + index).to_le_bytes()).to_string()).collect();
        let entry = compaction(&session(name), &messages, 4, name).removing(&[output(&noise), output("of all")]);
        store(shared, tenant, &messages, None, entry.at(number * 100)).await;
    }
}

async fn names(shared: &Shared, tenant: &Tenant) -> Vec<String> {
    let sessions = shared.sessions(tenant, 10).await.unwrap();
    sessions.into_iter().map(|session| session.id.to_string()).collect()
}

pub(crate) async fn what_is_old_is_pruned_first(shared: &Shared) {
    let tenant = tenant();
    four_sessions(shared, &tenant).await;
    assert_eq!(shared.prune(&tenant, Some(201), None).await.unwrap(), 2);
    assert_eq!(names(shared, &tenant).await, ["d", "c"]);
    assert_eq!(shared.holdings(&tenant).await.unwrap().originals, 3);
    // One that was seen again is not old.
    shared.note_turn(&tenant, &session("c"), &turn(1_000, "model"), None).await.unwrap();
    assert_eq!(shared.prune(&tenant, Some(1_000), None).await.unwrap(), 1);
    assert_eq!(names(shared, &tenant).await, ["c"]);
}

pub(crate) async fn what_is_too_much_is_pruned_oldest_first(shared: &Shared) {
    let tenant = tenant();
    four_sessions(shared, &tenant).await;
    let all = shared.holdings(&tenant).await.unwrap().bytes;
    assert_eq!(shared.prune(&tenant, None, Some(all - 1)).await.unwrap(), 1);
    assert_eq!(names(shared, &tenant).await, ["d", "c", "b"]);
    let most = all / 2;
    assert_eq!(shared.prune(&tenant, Some(150), Some(most)).await.unwrap(), 2);
    assert_eq!(names(shared, &tenant).await, ["d"]);
    assert!(shared.holdings(&tenant).await.unwrap().bytes <= most);
    assert_eq!(shared.prune(&tenant, None, Some(0)).await.unwrap(), 1);
    assert_eq!(shared.holdings(&tenant).await.unwrap(), Holdings::default());
}

pub(crate) async fn nothing_is_pruned_that_need_not_be(shared: &Shared) {
    let tenant = tenant();
    four_sessions(shared, &tenant).await;
    let before = shared.holdings(&tenant).await.unwrap();
    for (since, most) in [(None, None), (Some(100), None), (Some(0), Some(before.bytes)), (None, Some(u64::MAX))] {
        assert_eq!(shared.prune(&tenant, since, most).await.unwrap(), 0);
    }
    assert_eq!(shared.holdings(&tenant).await.unwrap(), before);
}

pub(crate) async fn names_may_hold_any_character(shared: &Shared) {
    let tenant = tenant();
    let strange = ["", "nul\0inside", "'; DROP TABLE sessions; --", "東京 🦀", "%_\\\"", "\u{10ffff}"];
    for name in strange {
        let messages = history(name, 3);
        let entry = compaction(&session(name), &messages, 2, name).removing(&[output(&format!("removed in {name}"))]);
        store(shared, &tenant, &messages, None, entry).await;
        let call = Turn { action: name.to_owned(), dialect: name.to_owned(), ..turn(1, name) };
        shared.note_turn(&tenant, &session(name), &call, None).await.unwrap();
        assert!(shared.lease(&tenant, messages[0], name, 0, 1).await.unwrap());
        let known = shared.session(&tenant, &session(name)).await.unwrap().unwrap();
        assert_eq!((known.id, known.model.as_str()), (session(name), name));
        assert_eq!(shared.turns(&tenant, &session(name)).await.unwrap(), [call]);
        let secret = format!("{} {name}", tenant.as_str());
        assert_eq!(shared.secret(&secret, [1; 32]).await.unwrap(), [1; 32]);
    }
    assert_eq!(shared.sessions(&tenant, 10).await.unwrap().len(), strange.len());
    for name in strange {
        assert!(shared.delete(&tenant, &session(name)).await.unwrap(), "{name:?}");
    }
}

pub(crate) async fn a_secret_is_one_for_all(shared: &Shared) {
    let name = tenant().as_str().to_owned();
    let mut racers = JoinSet::new();
    for racer in 1..16u8 {
        let (shared, name) = (shared.clone(), name.clone());
        racers.spawn(async move { shared.secret(&name, [racer; 32]).await.unwrap() });
    }
    let secrets = racers.join_all().await;
    assert!(secrets.iter().all(|secret| *secret == secrets[0] && secret[0] != 0));
    assert_eq!(shared.secret(&name, [99; 32]).await.unwrap(), secrets[0]);
    assert_eq!(shared.secret(&format!("{name}, another"), [99; 32]).await.unwrap(), [99; 32]);
}

pub(crate) async fn it_says_that_it_is_ready(shared: &Shared) {
    assert_eq!(shared.ready().await, Ok(()));
    assert_eq!(shared.ready().await, Ok(()));
}
