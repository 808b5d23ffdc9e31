//! A gateway that is killed while it prepares a summary, and started again: nobody waits for the one that is dead.

use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::client::{ask, get};
use crate::process::Gateway;
use crate::provider::{Does, Provider};
use crate::question::{LARGE, WINDOW, session};

/// Between the share of the trigger at which a summary is prepared, and the trigger.
const NEARLY_LARGE: usize = 13;
/// Far longer than a start and a compaction take.
const MAX_WAIT: u64 = 100;

#[test]
fn nobody_waits_for_a_gateway_that_was_killed() {
    let home = TempDir::new().expect("a directory");
    // It reports nothing, so that the gateway's own count says how large the session is.
    let answer = br#"{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}]}"#;
    let provider = Provider::start(Does::Answers("200 OK", "content-type: application/json\r\n", answer.to_vec()));
    let summariser = Provider::start(Does::Hangs);
    let url = format!("auxiliary.compression.base_url={}/v1", summariser.url());
    let wait = format!("compression.max_wait={MAX_WAIT}");
    let settings = [
        WINDOW,
        "store.location=store/epitome.db",
        "compression.protect_last_n=3",
        "auxiliary.compression.model=small",
        &url,
        &wait,
    ];
    let mut gateway = Gateway::start(home.path(), &provider.url(), &settings);
    assert_eq!(ask(gateway.address, &session(NEARLY_LARGE)).status, Some(200));
    // It prepares, and holds the lease for that.
    summariser.is_called();
    gateway.kill();
    summariser.does(Does::fails("400 Bad Request", ""));
    let gateway = Gateway::start(home.path(), &provider.url(), &settings);
    let began = Instant::now();
    assert_eq!(ask(gateway.address, &session(LARGE)).action(), "compacted");
    assert!(began.elapsed() < Duration::from_secs(MAX_WAIT / 2), "it took {:?}", began.elapsed());
    // It asked the model at once, and did not wait until it gave up.
    let metrics = get(gateway.address, "/metrics").text();
    let line = "epitome_summaries_total{outcome=\"stood_in\"} 1";
    assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
}
