//! Whatever is done in whatever order: a store answers as the one in memory does.

use epitome_core::fingerprint::PrefixFingerprint;
use proptest::prelude::*;

use super::*;
use crate::memory::MemoryStore;
use crate::records::{EntryId, Original, OriginalKind, SessionId, Tenant, Wish};

/// Something done. Numbers name one of a few sessions, histories and texts, so that deeds meet.
#[derive(Debug, Clone)]
pub(crate) enum Deed {
    Append {
        session: usize,
        history: usize,
        length: usize,
        depth: usize,
        summary: usize,
        texts: Vec<usize>,
        knows: Knows,
        fulfils: Option<u64>,
        archives: bool,
    },
    NoteTurn {
        session: usize,
        at_ms: u64,
    },
    ExtendHistory {
        session: usize,
        expected: usize,
        texts: Vec<usize>,
    },
    Lease {
        history: usize,
        owner: usize,
        now_ms: u64,
    },
    Prepare {
        session: usize,
        history: usize,
        depth: usize,
        texts: Vec<usize>,
    },
    Wish {
        session: usize,
        at_ms: u64,
    },
    ForgetWish {
        session: usize,
        at_ms: u64,
    },
    Delete {
        session: usize,
    },
    Prune {
        since: Option<u64>,
        most: Option<u64>,
    },
}

/// What one who appends has seen.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Knows {
    TheDeepest,
    Nothing,
}

const SESSIONS: [&str; 4] = ["a", "b", "c", "a~2"];
const TEXTS: [&str; 6] = ["needle", "Needle in hay", "hay", "東京の針", "n", "a\n\"quoted\" OR needle-case\nb"];
const QUERIES: [&str; 7] = ["needle", "hay", "n", "東京", "の", "\" OR ", "absent"];
const LENGTH: usize = 6;

/// Sequences of deeds.
pub(crate) fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let (session, history, depth) = (0..SESSIONS.len(), 0..4usize, 1..=LENGTH);
    let texts = || prop::collection::vec(0..TEXTS.len(), 0..4);
    let knows = prop_oneof![4 => Just(Knows::TheDeepest), 1 => Just(Knows::Nothing)];
    let fulfils = prop::option::of(0..3u64);
    let how = (knows, fulfils, prop::bool::weighted(0.3));
    let append = (session.clone(), history.clone(), depth.clone(), depth.clone(), 0..3usize, texts(), how);
    let deed = prop_oneof![
        6 => append.prop_map(|(session, history, one, other, summary, texts, (knows, fulfils, archives))| {
            let (depth, length) = (one.min(other), one.max(other));
            Deed::Append { session, history, length, depth, summary, texts, knows, fulfils, archives }
        }),
        2 => (session.clone(), 0..500u64).prop_map(|(session, at_ms)| Deed::NoteTurn { session, at_ms }),
        3 => (session.clone(), 0..4usize, texts())
            .prop_map(|(session, expected, texts)| Deed::ExtendHistory { session, expected, texts }),
        1 => (history.clone(), 0..2usize, 0..50u64)
            .prop_map(|(history, owner, now_ms)| Deed::Lease { history, owner, now_ms }),
        2 => (session.clone(), history, depth, texts())
            .prop_map(|(session, history, depth, texts)| Deed::Prepare { session, history, depth, texts }),
        2 => (session.clone(), 0..3u64).prop_map(|(session, at_ms)| Deed::Wish { session, at_ms }),
        1 => (session.clone(), 0..3u64).prop_map(|(session, at_ms)| Deed::ForgetWish { session, at_ms }),
        1 => session.prop_map(|session| Deed::Delete { session }),
        1 => (prop::option::of(0..600u64), prop::option::of(0..300u64)).prop_map(|(since, most)| Deed::Prune { since, most }),
    ];
    prop::collection::vec(deed, 1..25)
}

/// Does the same in both, and compares every answer and what is there at the end.
pub(crate) async fn agrees_with_memory(shared: &Shared, deeds: &[Deed]) {
    let memory: Shared = Arc::new(MemoryStore::new());
    let tenant = tenant();
    for (number, deed) in deeds.iter().enumerate() {
        let expected = answer(&memory, &tenant, deed).await;
        assert_eq!(answer(shared, &tenant, deed).await, expected, "deed {number}: {deed:?}");
    }
    assert_eq!(everything(shared, &tenant).await, everything(&memory, &tenant).await);
}

/// Two histories, and a fork of each.
fn histories() -> Vec<Vec<PrefixFingerprint>> {
    let roots = ["one", "two"].map(|name| history(name, LENGTH));
    let forks = roots.each_ref().map(|root| go_on(&root[..3], "fork", LENGTH - 3));
    roots.into_iter().chain(forks).collect()
}

fn name(session: usize) -> SessionId {
    SessionId::new(SESSIONS[session])
}

/// Some are outputs and some messages, always the same.
fn originals(texts: &[usize]) -> Vec<Original> {
    let one = |text: &usize| match text % 2 {
        0 => output(TEXTS[*text]),
        _ => {
            let kept = message(TEXTS[*text]);
            Original::new(OriginalKind::Message, kept.bytes, kept.words)
        }
    };
    texts.iter().map(one).collect()
}

fn wish(at_ms: u64) -> Wish {
    Wish { at_ms, focus: (at_ms > 0).then(|| format!("focus {at_ms}")) }
}

async fn answer(shared: &Shared, tenant: &Tenant, deed: &Deed) -> String {
    let histories = histories();
    match deed {
        Deed::Append { session, history, length, depth, summary, texts, knows, fulfils, archives } => {
            let messages = &histories[*history][..*length];
            let matches = shared.matches(tenant, messages).await;
            let seen: Option<EntryId> = match knows {
                Knows::TheDeepest => matches.as_ref().ok().and_then(|matches| Some(matches.first()?.id)),
                Knows::Nothing => None,
            };
            let entry = compaction(&name(*session), messages, *depth, &format!("summary {summary}"));
            let mut entry = entry.removing(&originals(texts)).at(*depth as u64 * 77);
            entry.parent = seen;
            entry.fulfils = fulfils.map(wish);
            entry.archives = *archives;
            format!("{matches:?} {:?}", shared.append(tenant, messages, seen, entry).await)
        }
        Deed::NoteTurn { session, at_ms } => {
            format!("{:?}", shared.note_turn(tenant, &name(*session), &turn(*at_ms, "model"), None).await)
        }
        Deed::ExtendHistory { session, expected, texts } => {
            let kept: Vec<_> = texts.iter().map(|text| message(TEXTS[*text])).collect();
            format!("{:?}", shared.extend_history(tenant, &name(*session), *expected, &kept, 5).await)
        }
        Deed::Lease { history, owner, now_ms } => {
            let (prefix, owner) = (histories[*history][0], format!("owner {owner}"));
            format!("{:?}", shared.lease(tenant, prefix, &owner, *now_ms, now_ms + 10).await)
        }
        Deed::Prepare { session, history, depth, texts } => {
            let entry = compaction(&name(*session), &histories[*history], *depth, "prepared");
            format!("{:?}", shared.put_prepared(tenant, &entry.removing(&originals(texts)).at(9)).await)
        }
        Deed::Wish { session, at_ms } => {
            format!("{:?}", shared.put_wish(tenant, &name(*session), &wish(*at_ms)).await)
        }
        Deed::ForgetWish { session, at_ms } => {
            format!("{:?}", shared.forget_wish(tenant, &name(*session), &wish(*at_ms)).await)
        }
        Deed::Delete { session } => format!("{:?}", shared.delete(tenant, &name(*session)).await),
        Deed::Prune { since, most } => {
            let prunable = shared.prunable(tenant, *since, *most).await;
            format!("{prunable:?} {:?}", shared.prune(tenant, *since, *most).await)
        }
    }
}

/// All that can be asked.
async fn everything(shared: &Shared, tenant: &Tenant) -> Vec<String> {
    let mut said = vec![
        format!("{:?}", shared.holdings(tenant).await),
        format!("{:?}", shared.sessions(tenant, 100).await),
        format!("{:?}", shared.sessions(tenant, 1).await),
        format!("{:?}", shared.logs(tenant, None).await),
        format!("{:?}", shared.prunable(tenant, Some(300), Some(100)).await),
    ];
    for session in 0..SESSIONS.len() {
        let id = name(session);
        said.push(format!("{:?}", shared.session(tenant, &id).await));
        said.push(format!("{:?}", shared.turns(tenant, &id).await));
        said.push(format!("{:?}", shared.wish(tenant, &id).await));
        said.push(format!("{:?}", shared.logs(tenant, Some(&id)).await));
        said.push(format!("{:?}", shared.history(tenant, &id).await));
        let compactions = shared.compactions(tenant, &id).await.unwrap();
        for (entry, _) in &compactions {
            said.push(format!("{:?}", shared.removed_by(tenant, entry.id).await));
        }
        said.push(format!("{compactions:?}"));
    }
    for messages in histories() {
        said.push(format!("{:?}", shared.matches(tenant, &messages).await));
        said.push(format!("{:?}", shared.prepared(tenant, &messages).await));
        said.push(format!("{:?}", shared.prepared(tenant, &messages[..4]).await));
    }
    for original in originals(&[0, 1, 2, 3, 4, 5]) {
        said.push(format!("{:?}", shared.original(tenant, original.hash).await));
        said.push(format!("{:?}", shared.originals(tenant, &original.hash.short()).await));
    }
    for query in QUERIES {
        said.push(format!("{:?}", shared.search(tenant, &literal(query), 100).await));
        said.push(format!("{:?}", shared.search(tenant, &pattern(query), 3).await));
    }
    said
}
