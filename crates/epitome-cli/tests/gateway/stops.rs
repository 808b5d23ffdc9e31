//! The gateway is asked to end right behind an answer: nothing of what it knows is lost.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::client::ask;
use crate::process::Gateway;
use crate::provider::{Does, Provider};
use crate::question::{SMALL, session};
use crate::server::Server;

const STOPS: u64 = 20;

#[test]
fn every_call_is_recorded_in_a_file_however_soon_the_gateway_is_stopped() {
    let home = TempDir::new().expect("a directory");
    every_call_is_recorded(home.path(), "store.db");
}

#[test]
fn every_call_is_recorded_in_postgresql_however_soon_the_gateway_is_stopped() {
    let (home, server) = (TempDir::new().expect("a directory"), Server::start());
    let place = server.url("postgres");
    let place = place.split_whitespace().find_map(|part| part.strip_prefix("host=")).expect("a directory");
    every_call_is_recorded(home.path(), &format!("postgres:///postgres?user=postgres&host={place}"));
}

fn every_call_is_recorded(home: &Path, store: &str) {
    let provider = Provider::start(Does::answers());
    for stops in 1..=STOPS {
        let mut gateway = Gateway::start(home, &provider.url(), &[&format!("store.location={store}")]);
        assert_eq!(ask(gateway.address, &session(SMALL)).status, Some(200));
        gateway.terminate();
        assert_eq!(calls(home, store), stops);
    }
}

/// The calls that are stored, and that each has what it used.
fn calls(home: &Path, store: &str) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.args(["sessions", "list", "--json", "--store", store]).current_dir(home).env_clear().env("HOME", home);
    let said = command.output().expect("it starts");
    let listed: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    let sessions = listed["sessions"].as_array().expect("a list");
    let sum = |of: &dyn Fn(&Value) -> u64| sessions.iter().map(of).sum::<u64>();
    let calls = sum(&|session| session["calls"].as_u64().expect("a number"));
    assert_eq!(sum(&|session| session["usage"]["prompt"].as_u64().expect("a number")), 700 * calls);
    calls
}
