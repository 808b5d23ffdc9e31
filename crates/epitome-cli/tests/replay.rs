//! `epitome replay`: tables, pages and plans of recorded sessions, and what it says to what is no session.

mod program;

use program::{epitome, run_in, sample, sample_bytes};
use serde_json::{Value, json};
use tempfile::TempDir;

fn sample_path() -> String {
    sample().display().to_string()
}

#[test]
fn every_policy_has_its_row() {
    let run = epitome(&["replay", &sample_path(), "--window", "16000"], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    for policy in ["none", "threshold", "largest-first", "masking", "provider-clearing", "cost", "optimum"] {
        assert!(run.text().lines().any(|line| line.starts_with(policy)), "{policy}: {}", run.text());
    }
    assert!(run.text().starts_with("1 session, "), "{}", run.text());
}

#[test]
fn a_page_and_a_plan_are_written() {
    let home = TempDir::new().unwrap();
    let arguments = ["replay", &sample_path(), "--window", "16000", "--policy", "threshold"];
    let more = ["--html", "report.html", "--plan-out", "plan.jsonl", "--prices", "claude-opus-4-6", "--json"];
    let run = run_in(home.path(), &[&arguments[..], &more[..]].concat(), b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let page = std::fs::read_to_string(home.path().join("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.matches("<svg").count() == 4);
    let told: Value = serde_json::from_str(run.text()).unwrap();
    assert!(told["policies"][0]["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0), "{told}");
    let plan = std::fs::read_to_string(home.path().join("plan.jsonl")).unwrap();
    let lines: Vec<Value> = plan.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 10, "{}", lines.len());
    assert!(lines.iter().any(|line| line["action"] == "summarize"), "{plan}");
    for line in &lines {
        let (blocks, breakpoints) = (line["blocks"].as_array().unwrap(), line["breakpoints"].as_array().unwrap());
        assert!(!blocks.is_empty() && breakpoints.len() <= 4, "{line}");
        assert!(breakpoints.iter().all(|at| at[0].as_u64().unwrap() < blocks.len() as u64), "{line}");
    }
}

#[track_caller]
fn check_refused(arguments: &[&str], code: i32, expected: &[&str]) {
    let home = TempDir::new().expect("a temporary directory");
    std::fs::create_dir(home.path().join("empty")).expect("a new directory");
    std::fs::write(home.path().join("other.json"), "{\"a\":1}").expect("a new file");
    let run = run_in(home.path(), arguments, b"");
    assert_eq!(run.code, code, "{}", run.stderr);
    for words in expected {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

#[test]
fn what_is_wrong_is_named_with_what_to_do_next() {
    check_refused(&["replay", "gone.jsonl"], 1, &["gone.jsonl", "hint: name a recorded session"]);
    check_refused(&["replay", "empty"], 2, &["empty: no session in there", ".jsonl"]);
    check_refused(&["replay", "other.json"], 2, &["other.json: no format that is known", "hint: sessions are"]);
    check_refused(&["replay", "other.json", "--policy", "magic"], 2, &["one of none, threshold"]);
    check_refused(
        &["replay", "other.json", "--prices", "nobody"],
        2,
        &["no prices are known for \"nobody\"", "hint: r0.10"],
    );
    check_refused(&["replay", "other.json", "--plan-out", "p"], 2, &["--plan-out", "hint: add --policy cost"]);
}

#[test]
fn what_cannot_be_read_is_left_out_and_said() {
    let home = TempDir::new().unwrap();
    std::fs::write(home.path().join("session.json"), sample_bytes()).unwrap();
    std::fs::write(home.path().join("broken.json"), "{\"messages\":").unwrap();
    let run = run_in(home.path(), &["replay", ".", "--policy", "none"], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("broken.json: line 1 is no JSON") && run.stderr.contains("left out"), "{}", run.stderr);
    assert!(run.text().starts_with("1 session, "), "{}", run.text());
    // Who names a file wants to know that it failed.
    let named = run_in(home.path(), &["replay", "session.json", "broken.json", "--policy", "none"], b"");
    assert_eq!((named.code, named.stdout == run.stdout), (1, true), "{}", named.stderr);
}

#[test]
fn a_window_that_no_policy_can_keep_is_refused() {
    let home = TempDir::new().unwrap();
    // What a person asked is never made smaller.
    let request = "Please read each of these lines with care and keep to all of them. ".repeat(1_500);
    let messages: Vec<Value> = (0..4)
        .flat_map(|turn| {
            [
                json!({"role": "user", "content": request}),
                json!({"role": "assistant", "content": format!("Done {turn}.")}),
            ]
        })
        .collect();
    std::fs::write(home.path().join("long.json"), json!({"model": "m", "messages": messages}).to_string()).unwrap();
    let run = run_in(home.path(), &["replay", "long.json", "--window", "8000"], b"");
    assert_eq!(run.code, 2, "{}", run.stderr);
    assert!(run.stderr.contains("long.json: it does not fit a window of 8,000 tokens"), "{}", run.stderr);
    let hint = run.stderr.lines().find_map(|line| line.trim().strip_prefix("hint: --window ")).unwrap_or_default();
    let enough = hint.split(' ').next().unwrap_or_default();
    let run = run_in(home.path(), &["replay", "long.json", "--window", enough], b"");
    assert_eq!(run.code, 0, "the window of the hint is enough: {}", run.stderr);
    // Beside a session that fits it is left out, and that is said.
    std::fs::write(home.path().join("sample.json"), sample_bytes()).unwrap();
    let run = run_in(home.path(), &["replay", ".", "--window", "8000"], b"");
    assert!(run.stderr.contains("left out") && run.text().starts_with("1 session, "), "{}{}", run.stderr, run.text());
}

#[test]
fn a_policy_whose_prompts_are_larger_than_the_window_is_marked() {
    let run = epitome(&["replay", &sample_path(), "--window", "16000"], b"");
    let marked = |text: &str| text.lines().filter(|line| line.contains(" ! ")).count();
    let json = epitome(&["replay", &sample_path(), "--window", "16000", "--json"], b"");
    let json: Value = serde_json::from_str(json.text()).unwrap();
    let beyond =
        json["policies"].as_array().unwrap().iter().filter(|policy| policy["largest_prompt"].as_u64() > Some(16_000));
    assert_eq!(marked(run.text()), beyond.count(), "{}", run.text());
    assert!(marked(run.text()) > 0 && run.text().contains("no provider would have answered"), "{}", run.text());
}
