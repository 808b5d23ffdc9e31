//! A session that only a new beginning makes fit, as its agent and the person at the terminal see it: archived, linked,
//! found, and gone on with after a restart.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Answer, ask_as, get};
use crate::process::Gateway;
use crate::program::run_in;
use crate::provider::{Does, Provider};
use crate::question::{WINDOW, messages};

const STORE: &str = "store/epitome.db";
const NOTICE: &str = "[New session created] Original session archived. Summary: ";

/// About so many tokens.
fn words(name: &str, tokens: usize) -> String {
    (0..tokens / 8).map(|number| format!("{name} word {number:05} of many. ")).collect()
}

/// A message of a person and the answer, in turn.
fn talk(history: &mut Vec<Value>, asks: &str, answers: &str) {
    history.push(json!({"role": "user", "content": asks}));
    history.push(json!({"role": "assistant", "content": answers}));
}

fn send(gateway: &Gateway, history: &[Value], asks: &str) -> Answer {
    let mut messages = history.to_vec();
    messages.push(json!({"role": "user", "content": asks}));
    let system = "You are a careful agent.";
    let body = json!({"model": "claude-sonnet-4-5", "max_tokens": 1000, "system": system, "messages": messages});
    let answer = ask_as(gateway.address, "import", body.to_string().as_bytes());
    assert_eq!(answer.status, Some(200), "{}", answer.text());
    answer
}

fn sessions(home: &Path, arguments: &[&str]) -> String {
    let run = run_in(home, &[&["sessions", "--store", STORE], arguments].concat(), b"");
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
    run.text().to_owned()
}

fn sent(provider: &Provider) -> Vec<Value> {
    let bodies = provider.got();
    let [body] = &bodies[..] else { panic!("{} requests", bodies.len()) };
    messages(body)
}

#[test]
fn a_session_that_begins_anew_is_listed_shown_and_goes_on_after_a_restart() {
    let home = TempDir::new().expect("a directory");
    // It reports nothing, so that the gateway's own count says how large the session is.
    let answer = br#"{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}]}"#;
    let provider = Provider::start(Does::Answers("200 OK", "content-type: application/json\r\n", answer.to_vec()));
    let location = format!("store.location={STORE}");
    let settings = [
        WINDOW,
        &location,
        "compression.protect_first_n=10",
        "compression.protect_last_n=3",
        "auxiliary.compression.provider=local",
    ];
    let mut gateway = Gateway::start(home.path(), &provider.url(), &settings);

    // A head that is kept as long as possible, work that is compacted, and then a text that takes most of the window.
    let mut history = Vec::new();
    talk(&mut history, "Find out why the import drops records.", "I read the logs first.");
    (0..4).for_each(|number| talk(&mut history, &words("head", 1_100), &format!("Read part {number}.")));
    (0..8).for_each(|number| talk(&mut history, &words("work", 800), &format!("I compared batch {number}.")));
    let first = send(&gateway, &history, "Go on.");
    assert_eq!((first.action(), first.header("x-epitome-session")), ("compacted", Some("import")));
    provider.got();
    talk(&mut history, "Go on.", "Next I will fix the batch size.");
    let archiving = send(&gateway, &history, &words("pasted", 11_500));
    assert_eq!((archiving.action(), archiving.header("x-epitome-session")), ("compacted", Some("import~2")));
    let mut before = sent(&provider);
    let summary = before.iter().filter(|message| message.to_string().contains("[CONTEXT COMPACTION] Earlier turns"));
    assert_eq!(summary.count(), 1);

    // Killed and started again, it goes on in the new session, and the prefix does not move.
    talk(&mut history, &words("pasted", 11_500), "It is read.");
    for (kill, asks) in [(false, "Now fix it."), (true, "And test it."), (true, "Is it done?")] {
        if kill {
            gateway.kill();
            gateway = Gateway::start(home.path(), &provider.url(), &settings);
        }
        let next = send(&gateway, &history, asks);
        assert_eq!((next.action(), next.header("x-epitome-session")), ("replayed", Some("import~2")), "{asks}");
        let now = sent(&provider);
        assert_eq!(now[..before.len()], before[..], "{asks}: the prefix moved");
        before = now;
        talk(&mut history, asks, "Yes.");
    }
    gateway.terminate();

    let list = sessions(home.path(), &["list"]);
    let line = |name: &str| list.lines().find(|line| line.split(' ').next() == Some(name)).unwrap_or(&list).to_owned();
    assert!(line("import").ends_with("archived, continued by import~2"), "{list}");
    assert!(line("import~2").ends_with("continues import"), "{list}");
    let listed: Value = serde_json::from_str(&sessions(home.path(), &["list", "--json"])).expect("JSON");
    let links: Vec<Value> = listed["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| json!([one["session"], one["continues"], one["continued_by"]]))
        .collect();
    assert_eq!(links, [json!(["import~2", "import", []]), json!(["import", null, ["import~2"]])]);
    for name in ["import", "import~2", "impo"] {
        let shown = sessions(home.path(), &["show", name]);
        let notice =
            shown.lines().find(|line| line.trim_start().starts_with(NOTICE)).unwrap_or_else(|| panic!("{shown}"));
        assert!(notice.contains("Find out why the import drops records."), "{notice}");
        let told: Value = serde_json::from_str(&sessions(home.path(), &["show", name, "--json"])).expect("JSON");
        let archive = &told["archives"][0];
        assert_eq!((&archive["session"], &archive["continued_by"]), (&"import".into(), &"import~2".into()));
        assert_eq!(archive["notice"].as_str().map(str::trim), Some(notice.trim()));
    }
    // What the archived session removed is found, and in an export both say where they belong.
    assert!(sessions(home.path(), &["search", "work word 00042"]).contains("import "));
    let exported = sessions(home.path(), &["export", "import~2"]);
    let head: Value = serde_json::from_str(exported.lines().next().expect("a line")).expect("JSON");
    assert_eq!(head["continues"], "import");
    // Without the archived one, the new one goes on.
    let deleted = run_in(home.path(), &["sessions", "--store", STORE, "delete", "import", "--yes"], b"");
    assert_eq!((deleted.code, deleted.text()), (0, "deleted import\n"));
    assert!(deleted.stderr.contains("import~2 goes on from import and stays"), "{}", deleted.stderr);
    let gateway = Gateway::start(home.path(), &provider.url(), &settings);
    let next = send(&gateway, &history, "Anything else?");
    assert_eq!((next.action(), next.header("x-epitome-session")), ("replayed", Some("import~2")));
    assert_eq!(sent(&provider)[..before.len()], before[..], "the prefix moved");
    let shown = get(gateway.address, "/epitome/sessions/import~2").text();
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!((&shown["continues"], &shown["session"]), (&Value::Null, &"import~2".into()));
}
