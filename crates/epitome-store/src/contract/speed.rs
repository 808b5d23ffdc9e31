//! How long a search takes in a store that has much: measured, not promised to every store alike.

use std::time::{Duration, Instant};

use super::*;
use crate::records::Tenant;
use crate::store::Query;

/// Words of logs and programs, as agents read them.
const WORDS: &str = "connection request worker batch import record session timeout retry queue cache fetch update select \
    insert delete index table column schema migration router handler server client socket stream buffer parser token \
    config module package version release branch commit merge error warning info debug trace panic failed passed \
    skipped ignored expected found missing invalid unknown payload header footer invoice order product customer payment";

const AT_A_TIME: usize = 250;

/// So many originals of about four kilobytes, `AT_A_TIME` in a session. Each `every`th holds the needle.
pub(crate) async fn fill(shared: &Shared, tenant: &Tenant, originals: usize, needle: &str, every: usize) {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut random = 1u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for (number, first) in (0..originals).step_by(AT_A_TIME).enumerate() {
        let mut removed = Vec::new();
        for one in first..originals.min(first + AT_A_TIME) {
            let mut text = format!("original {one}\n");
            while text.len() < 4_000 {
                let line: Vec<&str> = (0..6).map(|_| words[next(words.len())]).collect();
                text.push_str(&format!("{} {}={} {}\n", next(100_000), line[0], next(1_000_000), line[1..].join(" ")));
            }
            if one % every == every - 1 {
                text.push_str(needle);
            }
            removed.push(output(&text));
        }
        let messages = history(&format!("session {number}"), 5);
        let id = session(&format!("session {number}"));
        let entry = compaction(&id, &messages, 4, "large").removing(&removed).at(number as u64);
        store(shared, tenant, &messages, None, entry).await;
    }
}

/// The time that finding it takes, the better of two.
pub(crate) async fn time_to_find(shared: &Shared, tenant: &Tenant, query: &Query, expected: usize) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..2 {
        let began = Instant::now();
        assert_eq!(shared.search(tenant, query, 1_000).await.unwrap().len(), expected);
        best = best.min(began.elapsed());
    }
    best
}
