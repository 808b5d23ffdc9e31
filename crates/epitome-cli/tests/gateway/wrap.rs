//! `epitome wrap`: an agent with a gateway of its own. The agents here are small shell scripts that ask with curl.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::process::PATH;
use crate::provider::{Does, Provider};
use crate::question::{LARGE, SMALL, WINDOW, session};

/// `epitome wrap` in a home of its own, where the questions lie.
fn wrap(home: &Path, upstream: &str, arguments: &[&str]) -> Command {
    for (name, exchanges) in [("small.json", SMALL), ("large.json", LARGE)] {
        std::fs::write(home.join(name), session(exchanges)).expect("it can be written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
    command.args(["wrap", "--set", WINDOW, "--set", "compression.protect_last_n=3"]);
    command.args(["--set", "auxiliary.compression.provider=local"]).args(arguments);
    command.current_dir(home).env_clear().env("HOME", home).env("PATH", PATH).env("ANTHROPIC_BASE_URL", upstream);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(home: &Path, upstream: &str, arguments: &[&str]) -> Output {
    wrap(home, upstream, arguments).output().expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Asks with a file of the home.
const ASKS: &str = "curl -sf -o /dev/null -d @$0 $ANTHROPIC_BASE_URL/v1/messages";

#[test]
fn at_the_end_it_says_what_was_saved() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let script = format!("set -e; for f in small large large; do sh -c '{ASKS}' $f.json; done; echo done");
    let ran = run(home.path(), &provider.url(), &["--", "sh", "-c", &script]);
    assert_eq!((ran.status.code(), text(&ran.stdout).as_str()), (Some(0), "done\n"), "{}", text(&ran.stderr));
    insta::assert_snapshot!(text(&ran.stderr), @"
    epitome: 3 calls, 1 compaction (summarise the middle: 1), session begins-5f39c09cae0a
    epitome: the agent had 37,941 tokens, 5,627 were sent: 85.2 % saved
    epitome: $0.0064 paid; $0.0345 without epitome: $0.0280 saved
    epitome: next: epitome sessions show begins-5f39c09cae0a
    ");
    assert_eq!(provider.got().len(), 3);
    let ran = run(home.path(), &provider.url(), &["--json", "--", "sh", "-c", ASKS, "large.json"]);
    // The store is the usual one: what was compacted in the run before is found.
    insta::assert_snapshot!(text(&ran.stderr), @r#"{"calls":1,"compactions":0,"compactions_by_rung":{},"calls_by_action":{"replayed":1},"client_tokens":17861,"sent_tokens":1005,"observed":false,"sessions":{"begins-5f39c09cae0a":1},"largest_request":17861,"trigger":10000,"tokens_saved_by_edits":{},"spending":{"paid_usd":0.002145,"summaries_usd":0.0,"without_us_usd":0.01617,"saved_usd":0.014025,"unpriced_calls":0},"with_epitome_usd":null}"#);
}

#[test]
fn observing_changes_nothing_and_says_what_would_have_been_saved_and_removed() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let script = format!("set -e; for f in small large large; do sh -c '{ASKS}' $f.json; done");
    let ran = run(home.path(), &provider.url(), &["--observe", "--", "sh", "-c", &script]);
    insta::assert_snapshot!(text(&ran.stderr), @"
    epitome: 3 calls, 1 compaction (summarise the middle: 1), session begins-5f39c09cae0a
    epitome: nothing was changed; with epitome 5,627 of 37,941 tokens would have been sent: 85.2 % saved
    epitome: compactions would have taken out 13,825 tokens of summarised messages
    epitome: $0.0064 paid; with epitome about $0.0028, summaries by a model not counted
    epitome: next: epitome wrap sh
    ");
    let sent = provider.got();
    assert_eq!(sent, [SMALL, LARGE, LARGE].map(session), "each request is sent to the byte");
    let ran = run(home.path(), &provider.url(), &["--observe", "--json", "--", "sh", "-c", ASKS, "large.json"]);
    insta::assert_snapshot!(text(&ran.stderr), @r#"{"calls":1,"compactions":1,"compactions_by_rung":{"summarise the middle":1},"calls_by_action":{"observe":1},"client_tokens":17861,"sent_tokens":2403,"observed":true,"sessions":{"begins-5f39c09cae0a":1},"largest_request":17861,"trigger":10000,"tokens_saved_by_edits":{"summaries":13825},"spending":{"paid_usd":0.002145,"summaries_usd":0.0,"without_us_usd":0.002145,"saved_usd":0.0,"unpriced_calls":0},"with_epitome_usd":0.000318}"#);
}

#[test]
fn it_says_why_nothing_was_compacted_and_what_is_next() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let mut ends = String::new();
    for given in [&[][..], &["--store", "here.db"], &["--store", "memory"], &["--set", "compression.enabled=false"]] {
        let ran = run(home.path(), &provider.url(), &[given, &["--", "sh", "-c", ASKS, "small.json"]].concat());
        ends.push_str(&format!("{}\n{}", given.join(" "), text(&ran.stderr)));
    }
    insta::assert_snapshot!(ends, @"

    epitome: 1 call, 0 compactions, session begins-5f39c09cae0a
    epitome: the agent had 2,219 tokens, 2,219 were sent: 0.0 % saved
    epitome: $0.0021 paid; $0.0021 without epitome: $0.00 saved
    epitome: nothing was compacted: the largest request had 2,219 tokens, compaction begins at 10,000
    epitome: next: epitome sessions show begins-5f39c09cae0a
    --store here.db
    epitome: 1 call, 0 compactions, session begins-5f39c09cae0a
    epitome: the agent had 2,219 tokens, 2,219 were sent: 0.0 % saved
    epitome: $0.0021 paid; $0.0021 without epitome: $0.00 saved
    epitome: nothing was compacted: the largest request had 2,219 tokens, compaction begins at 10,000
    epitome: next: epitome sessions show begins-5f39c09cae0a --store here.db
    --store memory
    epitome: 1 call, 0 compactions, session begins-5f39c09cae0a
    epitome: the agent had 2,219 tokens, 2,219 were sent: 0.0 % saved
    epitome: $0.0021 paid; $0.0021 without epitome: $0.00 saved
    epitome: nothing was compacted: the largest request had 2,219 tokens, compaction begins at 10,000
    epitome: next: --store FILE remembers sessions; epitome sessions shows what was done to each message
    --set compression.enabled=false
    epitome: 1 call, 0 compactions, session begins-5f39c09cae0a
    epitome: the agent had 700 tokens, 700 were sent: 0.0 % saved
    epitome: $0.0021 paid; $0.0021 without epitome: $0.00 saved
    epitome: nothing was compacted: compression is off (compression.enabled)
    epitome: next: epitome sessions show begins-5f39c09cae0a
    ");
    let ran = run(home.path(), &provider.url(), &["--", "sh", "-c", ASKS, "small.json"]);
    let said = text(&ran.stderr);
    let next: Vec<&str> =
        said.lines().last().unwrap().strip_prefix("epitome: next: epitome ").unwrap().split(' ').collect();
    let shown = Command::new(env!("CARGO_BIN_EXE_epitome")).args(next).env_clear().env("HOME", home.path()).output();
    assert_eq!(shown.unwrap().status.code(), Some(0), "the command that is named works");
}

#[test]
fn what_goes_in_and_comes_out_is_the_agents() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let arguments = ["--store", "memory", "--", "sh", "-c", "read line; echo \"$line!\"; echo woe >&2; exit 7"];
    let mut child = wrap(home.path(), &provider.url(), &arguments).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let ran = child.wait_with_output().unwrap();
    assert_eq!((ran.status.code(), text(&ran.stdout).as_str()), (Some(7), "hello!\n"));
    insta::assert_snapshot!(text(&ran.stderr), @"
    woe
    epitome: no call came through the gateway: sh asked nothing, or takes its address from elsewhere
    epitome: next: epitome serve --help shows how each agent is given an address
    ");
    let left: Vec<_> = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "only what was there before is left: {left:?}");
}

#[test]
fn an_agent_that_is_killed_is_told_as_a_shell_tells_it() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let ran = run(home.path(), &provider.url(), &["--store", "memory", "--", "sh", "-c", "kill -KILL $$"]);
    assert_eq!(ran.status.code(), Some(128 + 9));
}

#[test]
fn without_the_program_it_says_what_to_do() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let mut said = String::new();
    for arguments in [
        &["--store", "memory", "--", "no-such-program"][..],
        &["--", "./small.json"],
        &["--contextlength", "9", "sh"],
        &[],
    ] {
        let ran = run(home.path(), &provider.url(), arguments);
        assert_eq!(ran.status.code(), Some(2));
        said.push_str(&text(&ran.stderr));
    }
    insta::assert_snapshot!(said, @r#"
    epitome: there is no program "no-such-program"
      hint: install it, put it into PATH, or say where it is: epitome wrap /path/to/program
    epitome: "./small.json" is not a program that may be run
      hint: make it executable: chmod +x
    epitome: epitome wrap has no option "--contextlength"
      hint: what stands before the agent's name is for Epitome: see epitome wrap --help
    epitome: which agent is to be run?
      hint: epitome wrap claude|codex|opencode|hermes|aider, or epitome wrap PROGRAM ARGUMENTS
    "#);
}

#[test]
fn the_log_goes_to_a_file_and_only_if_one_is_named() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let arguments = ["--store", "memory", "--log", "log.txt", "--", "sh", "-c", ASKS, "small.json"];
    let ran = run(home.path(), &provider.url(), &arguments);
    assert!(text(&ran.stderr).lines().all(|line| line.starts_with("epitome: ")), "{}", text(&ran.stderr));
    let log = std::fs::read_to_string(home.path().join("log.txt")).unwrap();
    assert!(log.contains("messages") && !log.contains("import"), "{log}");
}

#[test]
fn what_stands_behind_the_agents_name_is_the_agents() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let script = "echo $ANTHROPIC_BASE_URL | cut -c-17; echo \"$@\"";
    let claude = home.path().join("claude");
    std::fs::write(&claude, format!("#!/bin/sh\n{script}\n")).unwrap();
    assert!(Command::new("chmod").arg("+x").arg(&claude).status().unwrap().success());
    // An agent of ours by its path, with and without dashes between; and any other program.
    let own = ["--observe", "-p", "--json", "words", "--", "more"];
    let agent = [&["--store", "memory", claude.to_str().unwrap()], &own[..]].concat();
    let dashes = [&["--store", "memory", claude.to_str().unwrap(), "--"], &own[..]].concat();
    let other = [&["--store", "memory", "sh", "-c", script, "sh"], &own[..]].concat();
    let other_behind_dashes = [&["--store", "memory", "--", "sh", "-c", script, "sh"], &own[..]].concat();
    for arguments in [agent, dashes, other, other_behind_dashes] {
        let ran = run(home.path(), &provider.url(), &arguments);
        let said = "http://127.0.0.1:\n--observe -p --json words -- more\n";
        assert_eq!((ran.status.code(), text(&ran.stdout).as_str()), (Some(0), said), "{}", text(&ran.stderr));
    }
}

/// Waits until an agent has said that it is there.
fn started(home: &Path, upstream: &str, script: &str) -> (Child, std::io::BufReader<std::process::ChildStdout>) {
    use std::io::BufRead;
    let mut child = wrap(home, upstream, &["--store", "memory", "--", "sh", "-c", script]).spawn().expect("it starts");
    let mut said = std::io::BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it speaks");
    assert_eq!(line, "here\n");
    (child, said)
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill is there");
    assert!(sent.success());
}

#[test]
fn who_ends_it_ends_the_agent_and_waits_for_it() {
    use std::io::Read;
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    let script = "trap 'echo going; exit 5' TERM; echo here; while :; do sleep 0.01; done";
    let (child, mut said) = started(home.path(), &provider.url(), script);
    send("-TERM", &child);
    let ran = child.wait_with_output().unwrap();
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert_eq!((ran.status.code(), rest.as_str()), (Some(5), "going\n"));
    // It says at the end what it says at every end.
    insta::assert_snapshot!(text(&ran.stderr), @"
    epitome: no call came through the gateway: sh asked nothing, or takes its address from elsewhere
    epitome: next: epitome serve --help shows how each agent is given an address
    ");
}

#[test]
fn an_interrupt_is_the_agents_to_understand() {
    let (home, provider) = (TempDir::new().unwrap(), Provider::start(Does::answers()));
    // One that goes on when it is interrupted, as agents do that stop what they are doing and wait for the next wish.
    let script = "echo here; read line; echo $line";
    let (mut child, mut said) = started(home.path(), &provider.url(), script);
    send("-INT", &child);
    child.stdin.take().unwrap().write_all(b"still here\n").unwrap();
    let mut rest = String::new();
    std::io::Read::read_to_string(&mut said, &mut rest).unwrap();
    assert_eq!((child.wait().unwrap().code(), rest.as_str()), (Some(0), "still here\n"));
}
