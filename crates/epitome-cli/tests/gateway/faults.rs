//! What happens at each fault: of the provider, of the store, of the summariser and of the gateway itself. The table stands in
//! docs/gateway.md, and this test makes it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::client::{Answer, Asked, ask, ask_in, get};
use crate::process::Gateway;
use crate::provider::{ANSWER, Does, EVENT, Provider};
use crate::question::{HUGE, LARGE, SMALL, WINDOW, message, messages, session};

/// Nobody listens here. A port that was free a moment ago may be somebody's by now.
const NOBODY: &str = "127.0.0.1:1";

/// A provider, a gateway before it, and a place for its store.
struct Stage {
    home: TempDir,
    provider: Provider,
    gateway: Gateway,
    table: Vec<String>,
}

impl Stage {
    fn new(does: Does, settings: &[&str]) -> Stage {
        let home = TempDir::new().expect("a directory");
        let provider = Provider::start(does);
        let gateway = start(home.path(), &provider, settings);
        Stage { home, provider, gateway, table: Vec::new() }
    }

    fn store(&self) -> std::path::PathBuf {
        self.home.path().join("store/epitome.db")
    }

    /// Asks, and notes what everybody saw.
    fn ask(&mut self, fault: &str, exchanges: usize) -> Answer {
        let sent = session(exchanges);
        let answer = ask(self.gateway.address, &sent);
        self.note(fault, &answer, &sent);
        answer
    }

    /// Says something in a history that the gateway keeps, and notes what everybody saw.
    fn say(&mut self, fault: &str, words: &str) -> Answer {
        let sent = message(words);
        let answer = ask_in(self.gateway.address, "bot", &sent);
        self.note(fault, &answer, &sent);
        answer
    }

    /// Waits until the gateway says that it is not ready, and why.
    fn is_not_ready(&self, why: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let ready = get(self.gateway.address, "/readyz");
            if ready.status == Some(503) && ready.text().contains(why) {
                return;
            }
            assert!(Instant::now() < until, "{:?} {}", ready.status, ready.text());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn note(&mut self, fault: &str, answer: &Answer, sent: &[u8]) {
        let got: Vec<String> = self.provider.got().iter().map(|got| what(got, sent)).collect();
        let got = if got.is_empty() { "nothing".to_owned() } else { got.join(", then ") };
        let row = format!("| {fault} | {} | {got} | {} |", saw(answer), told(answer));
        self.table.push(row.replace(&self.provider.address.to_string(), "HOST"));
    }

    /// As another process: nothing but the store is left.
    fn starts_again(&mut self, settings: &[&str]) {
        self.gateway = start(self.home.path(), &self.provider, settings);
    }

    fn metrics(&self) -> String {
        get(self.gateway.address, "/metrics").text()
    }

    /// Whether a counter says so.
    fn counted(&self, line: &str) {
        let metrics = self.metrics();
        assert!(metrics.lines().any(|found| found == line), "{line} is not in\n{metrics}");
    }
}

fn start(home: &Path, provider: &Provider, settings: &[&str]) -> Gateway {
    let local = "auxiliary.compression.provider=local";
    let fixed = [WINDOW, "store.location=store/epitome.db", "compression.protect_last_n=3", local];
    let all: Vec<&str> = fixed.iter().chain(settings).copied().collect();
    Gateway::start(home, &provider.url(), &all)
}

/// What the client saw.
fn saw(answer: &Answer) -> String {
    let Some(status) = answer.status else { return "the connection closed".to_owned() };
    let whose = if answer.header("x-epitome-error").is_some() { "ours" } else { "the provider's" };
    let retry = answer.header("retry-after").map(|after| format!(", retry-after {after}")).unwrap_or_default();
    let end = if answer.broken_off { ", broken off" } else { "" };
    let words = match (answer.header("content-encoding"), answer.header("x-epitome-error")) {
        (Some(encoding), _) => format!(", {encoding} as it came"),
        (None, Some(_)) => {
            let body: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
            format!(": “{}”", body["error"]["message"].as_str().expect("a message"))
        }
        (None, None) => String::new(),
    };
    format!("{status}, {whose}{retry}{end}{words}")
}

/// What the provider got, beside what the client sent.
fn what(got: &[u8], sent: &[u8]) -> String {
    if got == sent {
        return "the client's bytes".to_owned();
    }
    let (got, sent) = (messages(got), messages(sent));
    if got.len() > sent.len() {
        assert!(got.last() == sent.last(), "the newest message is the client's");
        return "the history with it".to_owned();
    }
    if got.last() == sent.last() { "a compaction" } else { "a compaction, the newest output shortened" }.to_owned()
}

/// What the headers say.
fn told(answer: &Answer) -> String {
    let action = answer.header("x-epitome-action");
    let reason = answer.header("x-epitome-reason").map(|reason| format!(": {reason}")).unwrap_or_default();
    let history = answer.header("x-epitome-history").map(|history| format!(", history `{history}`"));
    let history = history.unwrap_or_default();
    action.map_or("–".to_owned(), |action| format!("`{action}{reason}`{history}"))
}

#[test]
fn what_everybody_sees_of_each_fault() {
    let rows = [provider(), full_store(), locked_store(), lost_store(), histories(), summariser(), killed()].concat();
    let mut table = "| fault | the client saw | the provider got | the headers say |\n|---|---|---|---|\n".to_owned();
    rows.iter().for_each(|row| writeln!(table, "{row}").expect("in memory"));
    insta::assert_snapshot!("faults", table);
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gateway.md"));
    assert!(docs.expect("the docs").contains(&table), "docs/gateway.md has another table:\n{table}");
}

fn provider() -> Vec<String> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(ANSWER.as_bytes()).expect("in memory");
    let packed = packed.finish().expect("in memory");
    let json = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n";
    let too_long = r#"{"error":{"message":"prompt is too long: 9000 tokens > 8000 maximum"}}"#;
    let faults = [
        ("provider answers 429", Does::fails("429 Too Many Requests", "retry-after: 7\r\n")),
        ("provider answers 500", Does::fails("500 Internal Server Error", "")),
        ("provider answers 529", Does::fails("529 Overloaded", "")),
        ("provider hangs (longer than `gateway.answer_timeout`)", Does::Hangs),
        ("provider closes the connection", Does::HangsUp),
        ("provider cuts its stream", Does::Cuts),
        (
            "provider reports an error in its stream",
            Does::Answers("200 OK", "content-type: text/event-stream\r\n", error.into()),
        ),
        ("provider answers with gzip", Does::Answers("200 OK", json, packed)),
    ];
    let mut stage = Stage::new(Does::answers(), &[]);
    for (name, does) in faults {
        if matches!(does, Does::Hangs) {
            // Only who hangs is waited for: of the others each may take as long on a busy machine.
            let mut hanging = Stage::new(does, &["gateway.answer_timeout=2"]);
            hanging.ask(name, SMALL);
            stage.table.extend(hanging.table);
        } else {
            stage.provider.does(does);
            stage.ask(name, SMALL);
        }
    }
    // What it used was read through the compression.
    stage.counted("epitome_tokens_total{direction=\"in\"} 700");
    stage.provider.does(Does::Answers("400 Bad Request", "", too_long.into()));
    stage.ask("provider says that the prompt is too long, whatever is sent", LARGE / 2);
    stage.counted("epitome_too_long_total 3");
    let Stage { home, provider, gateway, mut table } = stage;
    drop(gateway);
    let settings = [WINDOW, "store.location=memory"];
    let gateway = Gateway::start(home.path(), &format!("http://{NOBODY}"), &settings);
    let mut stage = Stage { home, provider, gateway, table: Vec::new() };
    stage.ask("provider refuses connections", SMALL);
    table.extend(stage.table.iter().map(|row| row.replace(NOBODY, "HOST")));
    table
}

fn full_store() -> Vec<String> {
    let mut stage = Stage::new(Does::answers(), &[]);
    stage.gateway.files_may_have("0");
    stage.ask("store full, the request fits the window", LARGE);
    stage.ask("store full, the request does not fit", HUGE);
    stage.counted("epitome_store_errors_total{operation=\"ledger\"} 2");
    stage.gateway.files_may_have("unlimited");
    let answer = stage.ask("store has room again", HUGE);
    assert_eq!(answer.action(), "compacted");
    stage.table
}

fn locked_store() -> Vec<String> {
    let mut stage = Stage::new(Does::answers(), &[]);
    let other = Connection::open(stage.store()).expect("the store is a file");
    other.execute_batch("BEGIN EXCLUSIVE").expect("nobody else writes");
    stage.ask("store locked by another process, the request fits (waits 5 s)", LARGE);
    stage.ask("store locked by another process, the request does not fit (waits 5 s)", HUGE);
    stage.counted("epitome_store_errors_total{operation=\"ledger\"} 2");
    other.execute_batch("ROLLBACK").expect("it is ours");
    stage.ask("store free again", HUGE);
    stage.table
}

fn lost_store() -> Vec<String> {
    let mut stage = Stage::new(Does::answers(), &[]);
    assert_eq!(ask(stage.gateway.address, &session(LARGE)).action(), "compacted");
    let first = stage.provider.got();
    std::fs::remove_dir_all(stage.store().parent().expect("a directory")).expect("it is ours");
    let answer = stage.ask("store's directory removed: a new store is begun, `/readyz` says so", LARGE);
    assert_eq!(answer.action(), "compacted");
    stage.is_not_ready("was deleted");
    // The same history leads to the same compaction, so that even here the provider's cache may hit.
    ask(stage.gateway.address, &session(LARGE));
    assert_eq!(first, stage.provider.got());
    let (copy, place) = (stage.home.path().join("copy.db"), stage.store());
    // All that it holds stands in the file then.
    let store = Connection::open(&place).expect("the store is a file");
    store.execute("VACUUM INTO ?1", [copy.to_str().expect("a name")]).expect("it is a store");
    store.close().expect("nothing is left to do");
    std::fs::remove_file(&place).expect("it is there");
    let answer = stage.ask("store's file deleted", LARGE);
    assert_eq!(answer.action(), "compacted");
    std::fs::rename(copy, &place).expect("it is ours");
    let answer = stage.ask("store's file replaced by another store: that one is used", LARGE);
    assert_eq!(answer.action(), "replayed");
    stage.is_not_ready("was replaced");
    let garbage = stage.home.path().join("garbage");
    let text = "no store\n".repeat(5_000);
    std::fs::write(&garbage, &text).expect("there is room");
    std::fs::rename(garbage, &place).expect("it is ours");
    stage.ask("store's file replaced by something else: it is left alone, `/readyz` says so", SMALL);
    stage.is_not_ready("unreadable");
    assert_eq!(std::fs::read_to_string(&place).expect("it is there"), text);
    stage.table
}

fn histories() -> Vec<String> {
    let mut stage = Stage::new(Does::answers(), &[]);
    stage.gateway.files_may_have("0");
    let answer = stage.say("store full, the gateway keeps the history", "one");
    assert_eq!(answer.header("retry-after"), Some("5"));
    let answer = stage.say("… and the same message again: nothing is promised", "one");
    assert_eq!(answer.header("x-epitome-history"), Some("store_unavailable"));
    let stream = "event: message_start\ndata: {\"type\":\"message_start\"}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    stage.gateway.files_may_have("unlimited");
    stage.say("… and when there is room again", "one");
    stage.gateway.files_may_have("0");
    stage.provider.does(Does::Answers("200 OK", "content-type: text/event-stream\r\n", stream.into()));
    let answer = stage.say("store full, a stream: the last event is an error of ours", "two");
    assert!(!answer.broken_off && !answer.text().contains("message_stop"), "{}", answer.text());
    assert!(answer.text().contains("the answer is not kept: the store could not be written"), "{}", answer.text());
    stage.gateway.files_may_have("unlimited");
    // What was promised is there, and once; what was not is not.
    let answer = stage.say("… and when there is room again", "two");
    assert!(answer.text().contains("message_stop"), "{}", answer.text());
    stage.provider.got();
    ask_in(stage.gateway.address, "bot", &message("three"));
    let kept = messages(&stage.provider.got()[0]);
    let said: Vec<_> = kept.iter().filter(|one| one["role"] == "user").map(|one| one["content"].clone()).collect();
    assert_eq!(said, ["one", "two", "three"]);
    let packed = "content-type: application/json\r\ncontent-encoding: br\r\n";
    stage.provider.does(Does::Answers("200 OK", packed, ANSWER.into()));
    stage.say("an answer that is not packed as it says, the gateway keeps the history", "four");
    stage.table
}

fn summariser() -> Vec<String> {
    let mut table = Vec::new();
    let faults = [
        ("summariser dead", None),
        ("summariser answers 500", Some(Does::fails("500 Internal Server Error", ""))),
        ("summariser echoes", Some(Does::Echoes)),
        ("summariser slow (longer than `compression.max_wait`)", Some(Does::Hangs)),
    ];
    for (name, does) in faults {
        let summariser = does.map(Provider::start);
        let url = summariser.as_ref().map_or_else(|| format!("http://{NOBODY}"), Provider::url);
        let url = format!("auxiliary.compression.base_url={url}/v1");
        let model = "auxiliary.compression.model=small";
        let mut stage = Stage::new(
            Does::answers(),
            &["auxiliary.compression.provider=auto", &url, model, "compression.max_wait=5"],
        );
        let answer = stage.ask(name, LARGE);
        assert_eq!(answer.action(), "compacted", "{name}");
        stage.counted("epitome_summaries_total{outcome=\"stood_in\"} 1");
        // It was really asked.
        assert!(summariser.is_none_or(|summariser| !summariser.got().is_empty()), "{name}");
        table.extend(stage.table);
    }
    table
}

fn killed() -> Vec<String> {
    let mut stage = Stage::new(Does::StopsInStream, &[]);
    let sent = session(LARGE);
    let mut client = Asked::begin(stage.gateway.address, "POST /v1/messages", &sent);
    client.until(EVENT);
    let first = stage.provider.got();
    stage.gateway.kill();
    stage.provider.gets(&first);
    stage.note("gateway killed in a stream", &client.answer(), &sent);
    stage.provider.does(Does::answers());
    stage.starts_again(&[]);
    let answer = stage.ask("… and started again: the session goes on as it was", LARGE);
    assert_eq!(answer.action(), "replayed");
    ask(stage.gateway.address, &sent);
    assert_eq!(first, stage.provider.got());
    let table = stage.table;
    // In a compaction: the summariser has been asked and does not answer.
    let summariser = Provider::start(Does::Hangs);
    let url = format!("auxiliary.compression.base_url={}/v1", summariser.url());
    let asking = ["auxiliary.compression.provider=auto", &url, "auxiliary.compression.model=small"];
    let mut stage = Stage::new(Does::answers(), &asking);
    stage.table = table;
    let client = Asked::begin(stage.gateway.address, "POST /v1/messages", &sent);
    summariser.is_called();
    stage.gateway.kill();
    stage.note("gateway killed in a compaction", &client.answer(), &sent);
    stage.starts_again(&[]);
    let answer = stage.ask("… and started again: it is compacted then", LARGE);
    assert_eq!(answer.action(), "compacted");
    stage.table
}
