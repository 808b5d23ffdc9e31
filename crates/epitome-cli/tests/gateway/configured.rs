//! A gateway with a configuration that names what does not exist, or that was written for Hermes Agent.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::client::{ask, get};
use crate::process::{Gateway, PATH};
use crate::provider::{Does, Provider};

/// A question about nothing.
const QUESTION: &[u8] =
    br#"{"model": "claude-opus-4-6", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}"#;

/// `epitome serve` that ends by itself.
fn serve(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.arg("serve").args(arguments).current_dir(home).env_clear().env("HOME", home).env("PATH", PATH);
    command.stdin(Stdio::null()).output().expect("it ends")
}

#[test]
fn an_engine_that_does_not_exist_is_reported_wherever_somebody_may_look() {
    let home = TempDir::new().expect("a directory");
    let provider = Provider::start(Does::answers());
    let gateway = Gateway::start(home.path(), &provider.url(), &["context.engine=lcm"]);
    insta::assert_snapshot!(gateway.said.join("\n"), @r#"
    epitome: warning: flag --set: context.engine: there is no engine "lcm"; looked in plugins/context_engine/lcm/ (there is no such directory), registered engines (there are none), the built-in engine (compressor)
      hint: set context.engine to one that `epitome engines` lists
      the built-in engine `compressor` works in its place; context.strict: true makes this an error
    "#);

    let ready = get(gateway.address, "/readyz");
    let page: serde_json::Value = serde_json::from_slice(&ready.body).expect("JSON");
    let expected = serde_json::json!({"ready": true, "engine": {"wanted": "lcm", "used": "compressor"}});
    assert_eq!((ready.status, page), (Some(200), expected));

    for _ in 0..2 {
        assert_eq!(ask(gateway.address, QUESTION).header("x-epitome-engine"), Some("compressor; wanted=lcm"));
    }
    let metrics = get(gateway.address, "/metrics").text();
    assert!(metrics.lines().any(|line| line == "epitome_engine_fallbacks_total 2"), "{metrics}");
}

#[test]
fn strictly_an_engine_that_does_not_exist_is_an_error_before_anything_is_done() {
    let home = TempDir::new().expect("a directory");
    let strict = ["--listen", "127.0.0.1:0", "--store", "store.db", "--set", "context.strict=true"];
    let ended = serve(home.path(), &[&strict[..], &["--set", "context.engine=lcm"]].concat());
    let said = String::from_utf8(ended.stderr).expect("text");
    assert_eq!(ended.status.code(), Some(2), "{said}");
    assert!(said.contains("there is no engine \"lcm\"; looked in plugins/context_engine/lcm/"), "{said}");
    assert_eq!(std::fs::read_dir(home.path()).expect("a directory").count(), 0);
}

#[test]
fn the_configuration_of_hermes_serves() {
    let home = TempDir::new().expect("a directory");
    let hermes = "\
model: ''
providers: {}
agent: {max_turns: 90}
compression: {enabled: true, threshold: 0.5, threshold_tokens: 256000, in_place: true, micro_compact: false}
prompt_caching: {cache_ttl: false}
context: {engine: compressor}
auxiliary: {compression: {provider: zai, model: '', base_url: '', api_key: '', timeout: 120}}
gateway: {delivery_ledger: true}
";
    std::fs::write(home.path().join("config.yaml"), hermes).expect("a file");
    let provider = Provider::start(Does::answers());
    let gateway = Gateway::start_with(
        home.path(),
        &provider.url(),
        "off",
        &["--config", "config.yaml", "--listen", "127.0.0.1:0"],
    );
    insta::assert_snapshot!(gateway.said.join("\n"), @r#"
    epitome: warning: config.yaml:7:37: auxiliary.compression.provider: "zai" is no provider that Epitome knows, and auxiliary.compression.base_url is not set: it counts as `auto`
      hint: set auxiliary.compression.base_url to its OpenAI-compatible endpoint
    epitome: note: config.yaml: 3 keys of Hermes Agent have no effect in Epitome: compression.in_place, compression.micro_compact, auxiliary.compression.api_key
    epitome: note: config.yaml: 3 keys of other programs are not read: providers, agent, gateway.delivery_ledger
    "#);
    assert_eq!(ask(gateway.address, QUESTION).status, Some(200));
}

#[test]
fn a_name_of_this_machine_can_be_listened_on() {
    let home = TempDir::new().expect("a directory");
    let provider = Provider::start(Does::answers());
    let gateway = Gateway::start_with(home.path(), &provider.url(), "off", &["--listen", "localhost:0"]);
    assert!(gateway.address.ip().is_loopback());
    assert_eq!(get(gateway.address, "/healthz").status, Some(200));
}

#[test]
fn a_log_filter_that_cannot_be_read_is_said() {
    let home = TempDir::new().expect("a directory");
    let provider = Provider::start(Does::answers());
    let gateway = Gateway::start_with(home.path(), &provider.url(), "epitome=loud", &["--listen", "127.0.0.1:0"]);
    insta::assert_snapshot!(gateway.said.join("\n"), @r#"epitome: warning: EPITOME_LOG: error parsing level filter: expected one of "off", "error", "warn", "info", "debug", "trace", or a number 0-5; warnings alone are logged"#);
}

#[test]
fn a_log_that_nobody_reads_in_a_terminal_has_no_colours() {
    let home = TempDir::new().expect("a directory");
    let provider = Provider::start(Does::answers());
    let gateway = Gateway::start_with(home.path(), &provider.url(), "info", &["--listen", "127.0.0.1:0"]);
    assert_eq!(ask(gateway.address, QUESTION).status, Some(200));
    let log = gateway.end().join("\n");
    assert!(log.contains("INFO") && !log.contains('\u{1b}'), "{log}");
}
