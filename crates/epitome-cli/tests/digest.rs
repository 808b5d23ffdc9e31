//! `epitome digest`, and what `compress --report` says of digests.

mod program;

use program::{epitome, run_in, sample, sample_bytes};
use serde_json::Value;
use tempfile::TempDir;

/// A log of 400 lines with two errors in it.
fn log() -> String {
    let lines = (0..400).map(|n| match n {
        117 => "2026-03-01T10:01:57Z ERROR billing: card declined for order 8842173".to_owned(),
        301 => "2026-03-01T10:05:01Z ERROR stock: reservation 77 is gone".to_owned(),
        n => {
            format!("2026-03-01T10:{:02}:{:02}Z INFO  web: GET /orders/{} 200 in {} ms", n / 60, n % 60, n * 7, n % 90)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_output_is_digested_and_its_loss_counted() {
    let run = epitome(&["digest", "--command", "cat app.log"], log().as_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.text(), @"
    [digest of log: 5 of 400 lines kept, 11,896 tokens; original d442af19f200]
    2 ERROR, 398 INFO
    2026-03-01T10:00:00Z INFO  web: GET /orders/0 200 in 0 ms
    …
    2026-03-01T10:01:57Z ERROR billing: card declined for order 8842173
    …
    2026-03-01T10:05:01Z ERROR stock: reservation 77 is gone
    …
    2026-03-01T10:06:38Z INFO  web: GET /orders/2786 200 in 38 ms
    2026-03-01T10:06:39Z INFO  web: GET /orders/2793 200 in 39 ms
    ");
    insta::assert_snapshot!(run.stderr, @"epitome: log: 11,844 → 172 tokens (98.5 % saved); kept 2 of 2 errors, 5 of 400 parts, 6 % of the words");
}

#[test]
fn what_is_asked_for_is_kept() {
    let wanted = "GET /orders/1421 200";
    let plain = epitome(&["digest"], log().as_bytes());
    assert!(!plain.text().contains(wanted), "{}", plain.text());
    let run = epitome(&["digest", "--about", "what happened to /orders/1421 ?"], log().as_bytes());
    assert!(run.text().contains(wanted), "{}", run.text());
}

#[test]
fn an_output_that_is_short_already_stays_as_it_is() {
    let run = epitome(&["digest"], b"all good\n");
    assert_eq!((run.code, run.text()), (0, "all good\n"));
    insta::assert_snapshot!(run.stderr, @"epitome: stdin: 3 tokens, as it was: it is short, or a digest would be no shorter");
}

#[test]
fn programs_get_json() {
    let run = epitome(&["digest", "--json"], log().as_bytes());
    let report: Value = serde_json::from_str(run.text()).expect("--json gives JSON");
    assert_eq!(report["loss"]["errors"], serde_json::json!({ "kept": 2, "of": 2 }), "{report:#}");
    let (before, after) = (report["tokens_before"].as_u64().unwrap(), report["tokens_after"].as_u64().unwrap());
    assert!(after * 10 < before, "{before} → {after}");
    assert!(report["digest"].as_str().unwrap().contains("order 8842173"));
}

#[test]
fn the_outputs_of_sessions_are_measured_by_kind() {
    let session = sample();
    let run = epitome(&["digest", "--sessions", session.to_str().unwrap(), "--json"], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let report: Value = serde_json::from_str(run.text()).expect("--json gives JSON");
    let outputs = report["outputs"].as_array().unwrap();
    assert_eq!(report["all"]["outputs"], outputs.len());
    assert!(outputs.len() > 5, "the sample has large outputs");
    assert!(outputs.iter().all(|output| output["tokens_before"].as_u64().unwrap() > 500));
    let kinds = report["kinds"].as_object().unwrap();
    assert!(kinds.len() >= 3, "{kinds:?}");
    let table = epitome(&["digest", "--sessions", session.to_str().unwrap()], b"");
    assert!(kinds.keys().all(|kind| table.text().contains(kind.as_str())), "{}", table.text());
}

#[test]
fn a_file_that_is_no_session_is_named_and_left_out() {
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("notes.txt"), "no session").unwrap();
    std::fs::write(home.path().join("session.json"), sample_bytes()).unwrap();
    let run = run_in(home.path(), &["digest", "--sessions", "notes.txt", "session.json"], b"");
    assert_eq!((run.code, run.text().starts_with("kind ")), (1, true), "{}", run.stderr);
    assert!(run.stderr.contains("left out: notes.txt"), "{}", run.stderr);
    let alone = run_in(home.path(), &["digest", "--sessions", "notes.txt"], b"");
    assert_eq!(alone.code, 2, "{}", alone.stderr);
    let missing = run_in(home.path(), &["digest", "nowhere.log"], b"");
    assert_eq!((missing.code, missing.stderr.contains("nowhere.log")), (1, true), "{}", missing.stderr);
}

#[test]
fn bytes_that_are_no_text_are_shown_as_such() {
    let mut bytes = log().into_bytes();
    bytes.extend(b"\n\xff\xfe done\n");
    let run = epitome(&["digest"], &bytes);
    assert_eq!(run.code, 0);
    assert!(run.stderr.contains("is not all text"), "{}", run.stderr);
    assert!(run.text().contains("done"), "{}", run.text());
}

#[test]
fn a_report_tells_what_each_digest_kept() {
    let run = epitome(&["compress", "--context-length", "64000", "--report"], &sample_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stderr, @"
    epitome: stdin: ≈ 95,392 → ≈ 21,714 tokens (77.2 % saved), 45 → 25 messages
      149.0 % of a window of 64,000 before, 24 messages compressed
      before ████████████████████████████████████████
      after  █████████▏
      summarise the middle
      shorten outputs in the tail
      2 tool outputs shortened, ≈ 16,603 → 1,082 tokens:
        message 35  8,410 → 394  log     read_file logs/server.log         kept 1 of 1 error, 6 of 140 parts, 7 % of the words
        message 29  8,193 → 688  source  read_file app/routers/reviews.py  kept 67 of 800 parts, 42 % of the words
      summary by: local
    ");
    let json = epitome(&["compress", "--context-length", "64000", "--report", "--json"], &sample_bytes());
    let line = json.stderr.lines().last().unwrap();
    let report: Value = serde_json::from_str(line).expect("--json gives JSON");
    let shortened = report["shortened"].as_array().unwrap();
    assert!(!shortened.is_empty());
    assert!(
        shortened.iter().all(|output| output["how"] == "digest" && output["loss"]["units"]["of"].as_u64() > Some(0))
    );
}
