//! Five compactions in a row: what a reader sees, and what holds for all of them (M12).

use proptest::prelude::*;

use super::{Notes, is_excerpt};
use crate::model::{Block, Message, Role, ToolCall, ToolResult};
use crate::summary::template::{Section, Sections};
use crate::summary::{NewestRequest, SummaryRequest, requests};
use crate::tokens::{RoughCounter, TokenCounter, Tokens};

fn says(words: &str) -> Vec<Message> {
    vec![Message::text(Role::Assistant, words)]
}

fn asks(words: &str) -> Vec<Message> {
    vec![Message::text(Role::User, words)]
}

fn calls(tool: &str, arguments: &str, answer: &str) -> Vec<Message> {
    let call = ToolCall { id: "c".into(), name: tool.into(), arguments: arguments.into() };
    let is_error = answer.starts_with("Exit code 1");
    let result = ToolResult { call_id: "c".into(), content: vec![Block::Text(answer.into())], is_error };
    let message = |role, block| Message { blocks: vec![block], ..Message::text(role, "") };
    vec![message(Role::Assistant, Block::ToolCall(call)), message(Role::Tool, Block::ToolResult(result))]
}

fn runs(command: &str, answer: &str) -> Vec<Message> {
    calls("bash", &serde_json::json!({ "command": command }).to_string(), answer)
}

fn edits(path: &str, old: &str, new: &str) -> Vec<Message> {
    let arguments = serde_json::json!({ "file_path": path, "old_string": old, "new_string": new });
    calls("Edit", &arguments.to_string(), "The file has been updated successfully.")
}

fn plans(tasks: &[(&str, &str)]) -> Vec<Message> {
    let todos: Vec<_> =
        tasks.iter().map(|(task, status)| serde_json::json!({ "content": task, "status": status })).collect();
    calls("TodoWrite", &serde_json::json!({ "todos": todos }).to_string(), "Todos have been modified successfully.")
}

/// What is to be summarised, when the newest request is among what goes.
fn request(messages: Vec<Message>, previous: Option<String>, budget: u64) -> SummaryRequest {
    let newest = messages.iter().rev().find_map(requests::typed);
    let newest_request = match newest {
        Some(request) => NewestRequest::Goes { request, answered: None },
        None if previous.is_some() => NewestRequest::InPrevious,
        None => NewestRequest::Stays,
    };
    SummaryRequest { previous, newest_request, ..SummaryRequest::new(messages, Tokens(budget)) }
}

fn written(messages: Vec<Message>, previous: Option<String>, budget: u64, room: u64) -> String {
    let request = request(messages, previous, budget);
    Notes::take(&request, &RoughCounter).fit(Tokens(room)).write()
}

/// The bodies after each of the rounds.
fn rounds(rounds: Vec<Vec<Message>>, budget: u64) -> Vec<String> {
    let mut bodies: Vec<String> = Vec::new();
    for messages in rounds {
        bodies.push(written(messages, bodies.last().cloned(), budget, budget));
    }
    bodies
}

/// A small piece of work, in five parts.
fn work() -> Vec<Vec<Message>> {
    vec![
        [
            asks("Port the parser to Rust. Never touch src/legacy.\nKeep the public names, and use port 8484 for the server."),
            says("As you asked, I will never touch src/legacy. The root cause of the slow start is the regex in `lexer.py`."),
            plans(&[("write the lexer", "in_progress"), ("write the parser", "pending"), ("write docs", "pending")]),
            calls("Read", r#"{"file_path":"/w/lexer.py"}"#, "import re\n"),
            calls("Write", r#"{"file_path":"/w/src/lexer.rs","content":"pub struct Lexer;\n"}"#, "File created successfully at: /w/src/lexer.rs"),
            runs("cd /w && cargo test 2>&1 | tail -5", "Exit code 1\nerror[E0425]: cannot find value `x` in this scope"),
            says("The lexer does not build yet. Next I will fix the missing value in `lexer.rs`."),
        ]
        .concat(),
        [
            edits("/w/src/lexer.rs", "let y = x;", "let y = self.x;"),
            runs("cargo test", "running 12 tests\ntest result: ok. 12 passed; 0 failed; 0 ignored"),
            plans(&[("write the lexer", "completed"), ("write the parser", "in_progress"), ("write docs", "pending")]),
            says("The lexer works. We use a hand-written lexer instead of `logos` because it must not add dependencies."),
        ]
        .concat(),
        [
            asks("continue"),
            edits("/w/src/parser.rs", "", "pub fn parse(tokens: &[Token]) -> Tree {"),
            runs("git mv old/ast.rs src/ast.rs && git commit -m 'add parser'", "[main 1a2b3c4] add parser\n 2 files changed"),
            runs("npm run lint", "Exit code 1\nerror: unused variable `tree`"),
            says("It turned out that `Tree` must be boxed, otherwise the stack overflows at depth 1000."),
        ]
        .concat(),
        [
            asks("continue"),
            runs("cargo test", "test result: ok. 41 passed; 0 failed; 0 ignored"),
            plans(&[("write the parser", "completed"), ("benchmark it", "in_progress")]),
            says("Parsing takes 18 ms for `big.txt` now."),
        ]
        .concat(),
        [
            asks("Now add a benchmark.\nIt should run offline."),
            edits("/w/benches/parse.rs", "", "fn bench_parse(c: &mut Criterion) {"),
            runs("npm run lint", "Exit code 0\nall files pass"),
            says("The benchmark is written. Remaining: run it on `big.txt` and note the numbers."),
        ]
        .concat(),
    ]
}

#[test]
fn five_rounds_read_well() {
    let bodies = rounds(work(), 2_000);
    insta::assert_snapshot!(bodies[0], @"
    ## Goal
    <request>
    Port the parser to Rust. Never touch src/legacy.
    Keep the public names, and use port 8484 for the server.
    </request>
    - this request is being worked on; what was done for it so far is listed below
    ## Constraints & Preferences
    - Never touch src/legacy.
    - Keep the public names, and use port 8484 for the server.
    - As you asked, I will never touch src/legacy.
    ## Progress
    ### Done
    - `cargo test` → failed: error[E0425]: cannot find value `x` in this scope
    ### In Progress
    - [ ] write the lexer
    - last words: The lexer does not build yet.
    ### Blocked
    - `cargo test` fails: error[E0425]: cannot find value `x` in this scope
    ## Key Decisions
    - The root cause of the slow start is the regex in `lexer.py`.
    ## Relevant Files
    - /w/src/lexer.rs (created): last edit `the whole file, 1 lines`; tests failed after
    - /w/lexer.py (read)
    ## Next Steps
    - [ ] write the parser
    - [ ] write docs
    - Next I will fix the missing value in `lexer.rs`.
    ## Critical Context
    (none)
    ");
    insta::assert_snapshot!(bodies[2], @"
    ## Goal
    <earlier-request>
    Port the parser to Rust. Never touch src/legacy.
    Keep the public names, and use port 8484 for the server.
    </earlier-request>
    <request>
    continue
    </request>
    - this request is being worked on; what was done for it so far is listed below
    ## Constraints & Preferences
    - Never touch src/legacy.
    - Keep the public names, and use port 8484 for the server.
    - As you asked, I will never touch src/legacy.
    ## Progress
    ### Done
    - worked on: The lexer does not build yet.
    - worked on: The lexer works. We use a hand-written lexer instead of `logos` because it must not add dependencies.
    - `cargo test` (ran 2×, failed 1×) → passed, test result: ok. 12 passed; 0 failed; 0 ignored
    - `git mv old/ast.rs src/ast.rs && git commit -m 'add parser'` → [main 1a2b3c4] add parser
    - `npm run lint` → failed: error: unused variable `tree`
    - [x] write the lexer
    ### In Progress
    - [ ] write the parser
    - last words: It turned out that `Tree` must be boxed, otherwise the stack overflows at depth 1000.
    ### Blocked
    - `npm run lint` fails: error: unused variable `tree`
    ## Key Decisions
    - The root cause of the slow start is the regex in `lexer.py`.
    - We use a hand-written lexer instead of `logos` because it must not add dependencies.
    - It turned out that `Tree` must be boxed, otherwise the stack overflows at depth 1000.
    ## Relevant Files
    - /w/src/lexer.rs (created, edited): last edit `let y = self.x;`; tests passed after
    - /w/src/parser.rs (edited): last edit `pub fn parse(tokens: &[Token]) -> Tree {`
    - src/ast.rs (created)
    - old/ast.rs (moved to src/ast.rs)
    - /w/lexer.py (read)
    ## Next Steps
    - [ ] write docs
    ## Critical Context
    (none)
    ");
    insta::assert_snapshot!(bodies[4], @"
    ## Goal
    <earlier-request>
    Port the parser to Rust. Never touch src/legacy.
    Keep the public names, and use port 8484 for the server.
    </earlier-request>
    - asked earlier: continue
    <request>
    Now add a benchmark.
    It should run offline.
    </request>
    - this request is being worked on; what was done for it so far is listed below
    ## Constraints & Preferences
    - Never touch src/legacy.
    - Keep the public names, and use port 8484 for the server.
    - As you asked, I will never touch src/legacy.
    ## Progress
    ### Done
    - worked on: The lexer does not build yet.
    - worked on: The lexer works. We use a hand-written lexer instead of `logos` because it must not add dependencies.
    - worked on: It turned out that `Tree` must be boxed, otherwise the stack overflows at depth 1000.
    - worked on: Parsing takes 18 ms for `big.txt` now.
    - `git mv old/ast.rs src/ast.rs && git commit -m 'add parser'` → [main 1a2b3c4] add parser
    - `cargo test` (ran 3×, failed 1×) → passed, test result: ok. 41 passed; 0 failed; 0 ignored
    - `npm run lint` (ran 2×, failed 1×) → passed
    - [x] write the lexer
    - [x] write the parser
    ### In Progress
    - [ ] benchmark it
    - last words: The benchmark is written.
    ### Blocked
    (none)
    ## Key Decisions
    - The root cause of the slow start is the regex in `lexer.py`.
    - We use a hand-written lexer instead of `logos` because it must not add dependencies.
    - It turned out that `Tree` must be boxed, otherwise the stack overflows at depth 1000.
    ## Relevant Files
    - /w/src/lexer.rs (created, edited): last edit `let y = self.x;`; tests passed after
    - /w/src/parser.rs (edited): last edit `pub fn parse(tokens: &[Token]) -> Tree {`; tests passed after
    - src/ast.rs (created); tests passed after
    - old/ast.rs (moved to src/ast.rs)
    - /w/benches/parse.rs (edited): last edit `fn bench_parse(c: &mut Criterion) {`
    - /w/lexer.py (read)
    ## Next Steps
    - Remaining: run it on `big.txt` and note the numbers.
    ## Critical Context
    - Parsing takes 18 ms for `big.txt` now.
    ");
}

#[test]
fn a_models_summary_is_brought_up_to_date() {
    let previous = "## Goal\n- Port the parser\n## Constraints & Preferences\n- No new dependencies\n## Progress\n### Done\n\
                    - Lexer ported\n### In Progress\n- Porting the parser\n  in small steps\n### Blocked\n- `cargo test` fails: error: no field\n\
                    - Waiting for the licence\n## Key Decisions\n- Trees are boxed\n## Relevant Files\n- `src/parser.rs`: the parser\n\
                    ## Next Steps\n1. Write docs\n## Critical Context\n- Port 8484\n- [m3] a.rs\n  fn a() {\n";
    let messages = [runs("cargo test", "test result: ok. 3 passed; 0 failed"), says("The parser is ported.")].concat();
    insta::assert_snapshot!(written(messages, Some(previous.to_owned()), 2_000, 2_000), @"
    ## Goal
    - Port the parser
    ## Constraints & Preferences
    - No new dependencies
    ## Progress
    ### Done
    - Lexer ported
    - worked on: Porting the parser in small steps
    - `cargo test` → passed, test result: ok. 3 passed; 0 failed
    ### In Progress
    - last words: The parser is ported.
    ### Blocked
    - Waiting for the licence
    ## Key Decisions
    - Trees are boxed
    ## Relevant Files
    - `src/parser.rs`: the parser
    ## Next Steps
    1. Write docs
    ## Critical Context
    - Port 8484
    ");
}

#[test]
fn excerpts_are_told_from_notes() {
    assert!(is_excerpt("- [m3] a.rs\n fn a() {"));
    assert!(!is_excerpt("- port 8484"));
    assert!(!is_excerpt("<earlier-request>\na\nb\n</earlier-request>"));
}

#[test]
fn requests_come_before_the_room_for_notes() {
    let wanted: String = (0..60).map(|n| format!("step {n} of what is wanted\n")).collect();
    let messages = [asks(&wanted), says("Yes."), asks("and now?")].concat();
    let request = request(messages, None, 1_000);
    let notes = Notes::take(&request, &RoughCounter);
    for room in [60, 250, 900] {
        let body = notes.fit(Tokens(room)).write();
        let kept = body.split_once("<earlier-request>\n").unwrap().1.split("\n[… ").next().unwrap();
        assert!(wanted.starts_with(kept), "{body}");
        assert!(RoughCounter.estimate(kept) >= Tokens(150), "{body}");
        assert!(body.contains("<request>\nand now?\n</request>"), "{body}");
        assert!(RoughCounter.estimate(&body) <= Tokens(920), "{body}");
    }
}

#[test]
fn what_stays_around_the_summary_is_not_said_again() {
    let messages = [asks("fix it"), runs("cargo build", "Exit code 1\nerror: no"), asks("please hurry")].concat();
    let mut request = request(messages, None, 1_000);
    request.stays = [asks("fix it"), runs("cargo build", "Exit code 0\nFinished")].concat();
    let sections = Notes::take(&request, &RoughCounter).fit(Tokens(1_000));
    assert_eq!(sections.get(Section::Blocked), &[] as &[String]);
    assert!(!sections.write().contains("asked earlier"), "{}", sections.write());
}

#[test]
fn a_refusal_is_a_request() {
    let refusal = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nNever push to main.";
    let body = written([asks("go"), runs("git push", refusal)].concat(), None, 1_000, 1_000);
    assert!(body.contains("- asked earlier: Never push to main."), "{body}");
    assert!(body.contains("## Constraints & Preferences\n- Never push to main.\n"), "{body}");
    assert!(body.contains("- the user refused: bash git push"), "{body}");
}

fn section(messages: Vec<Message>, section: Section) -> Vec<String> {
    let request = request(messages, None, 4_000);
    Notes::take(&request, &RoughCounter).fit(Tokens(4_000)).get(section).to_vec()
}

#[test]
fn what_a_program_said_later_is_told_of_its_command() {
    let started = "Chunk ID: 1\nProcess running with session ID 95492\nOutput:\n";
    let failed = "Chunk ID: 2\nProcess exited with code 1\nOutput:\n--- FAIL: TestA (0.00s)\nFAIL";
    let messages = [
        runs("go test ./...", started),
        calls("write_stdin", r#"{"session_id":95492,"chars":""}"#, started),
        calls("write_stdin", r#"{"session_id":95492,"chars":""}"#, failed),
        runs("pnpm build", "Command running in background with ID: b50b67f. Output is being written to: x"),
        asks("<task-notification>\n<task-id>b50b67f</task-id>\n<summary>\"Build\" completed (exit code 0)</summary>\n</task-notification>"),
        runs("make x", "Command running in background with ID: b1. Output is being written to: x"),
    ]
    .concat();
    assert_eq!(
        section(messages.clone(), Section::Done),
        [
            "- `go test ./...` → failed: --- FAIL: TestA (0.00s)",
            "- `pnpm build` → passed",
            "- `make x` → outcome not known: it was still running",
        ]
    );
    assert_eq!(section(messages, Section::Blocked), ["- `go test ./...` fails: --- FAIL: TestA (0.00s)"]);
}

#[test]
fn a_rerun_that_has_not_ended_puts_nothing_right() {
    let messages = [asks("fix it"), runs("pytest", "Exit code 1\nFAILED tests/a.py::t")].concat();
    let mut request = request(messages, None, 1_000);
    request.stays = runs("pytest", "Command running in background with ID: b1.");
    let blocked = |request: &SummaryRequest| {
        Notes::take(request, &RoughCounter).fit(Tokens(1_000)).get(Section::Blocked).to_vec()
    };
    assert_eq!(blocked(&request), ["- `pytest` fails: FAILED tests/a.py::t"]);
    request.stays.extend(calls(
        "BashOutput",
        r#"{"bash_id":"b1"}"#,
        "<status>completed</status>\n<exit_code>0</exit_code>\n<stdout>\n3 passed\n</stdout>",
    ));
    assert_eq!(blocked(&request), &[] as &[String]);
}

#[test]
fn edits_that_were_not_made_are_not_told() {
    let edit = |path: &str, answer: &str| {
        calls("Edit", &format!(r#"{{"file_path":"{path}","old_string":"a","new_string":"b"}}"#), answer)
    };
    let messages = [
        edit("/w/denied.rs", "Permission to use Edit has been denied."),
        edit("/w/interrupted.rs", "[Request interrupted by user for tool use]"),
        edit("/w/missing.rs", "No replacement was performed, old_str `a` did not appear verbatim."),
        edit("/w/refused.rs", r#"{"success": false, "error": "EACCES"}"#),
        edit("/w/real.rs", "The file /w/real.rs has been updated."),
        runs("mv /w/a.py /w/b.py", "mv: cannot stat '/w/a.py': No such file or directory"),
        calls("create", r#"{"command":"create printenv.pl"}"#, "[File: /ctf/printenv.pl (1 lines total)]\n1:"),
        calls("edit", r#"{"command":"edit 1:1\n#!/usr/bin/perl\nend_of_edit"}"#, "File updated."),
        calls("edit", r#"{"command":"edit 1:1\nx"}"#, "Your proposed edit has introduced new syntax error(s)."),
    ]
    .concat();
    assert_eq!(
        section(messages, Section::Files),
        ["- /w/real.rs (edited): last edit `b`", "- /ctf/printenv.pl (created, edited): last edit `#!/usr/bin/perl`"]
    );
}

#[test]
fn changed_files_that_are_not_named_are_counted() {
    let messages: Vec<Message> = (0..60)
        .flat_map(|n| edits(&format!("/w/src/module_{n}/file.rs"), "a", &format!("let value_{n} = call();")))
        .collect();
    let request = request(messages, None, 4_000);
    let sections = Notes::take(&request, &RoughCounter).fit(Tokens(400));
    let files = sections.get(Section::Files);
    let (others, named) = files.split_first().unwrap();
    assert_eq!(others, &format!("- (and at least {} other files changed, not listed)", 60 - named.len()));
    assert_eq!(named.iter().filter(|line| line.contains("last edit")).count(), 0, "{files:#?}");
    let sections = Notes::take(&request, &RoughCounter).fit(Tokens(3_000));
    assert_eq!(sections.get(Section::Files).len(), 60);
}

#[test]
fn of_what_lies_far_back_the_changes_and_words_are_told() {
    let filler = calls("Read", r#"{"file_path":"/w/big.log"}"#, &"a line of a log\n".repeat(20_000));
    let early = [
        asks("Port it. Never touch src/legacy."),
        runs("npm run lint", "Exit code 1\nerror: unused variable"),
        edits("/w/src/early.rs", "a", "b"),
        runs("git commit -m 'early'", "[main 1a2b3c4] early"),
        says("The root cause is a missing lock in `pool.rs`, and nothing else."),
    ];
    let notes = written([early.concat(), filler, runs("cargo test", "Exit code 0\nok")].concat(), None, 1_000, 1_000);
    for told in ["Never touch src/legacy", "/w/src/early.rs", "git commit -m 'early'", "missing lock", "`cargo test`"] {
        assert!(notes.contains(told), "{told} is not in\n{notes}");
    }
    assert!(!notes.contains("npm run lint") && notes.contains("(and 1 other steps, not listed)"), "{notes}");
}

#[test]
fn what_is_asked_behind_a_reminder_is_a_request_and_a_rule() {
    let reminder = "<system-reminder>\nfile x changed\n</system-reminder>\n\n";
    let messages =
        [asks(&format!("{reminder}Rewrite the lexer. Never use regex.")), says("Yes."), asks("go on")].concat();
    assert_eq!(section(messages.clone(), Section::Constraints), ["- Never use regex."]);
    let mut request = request(messages, None, 1_000);
    request.newest_request = NewestRequest::Stays;
    let goal = |request: &SummaryRequest| {
        Notes::take(request, &RoughCounter).fit(Tokens(1_000)).get(Section::Goal).last().cloned()
    };
    assert_eq!(goal(&request).as_deref(), Some("- asked earlier: go on"));
    request.stays = asks("now this");
    assert_eq!(goal(&request).as_deref(), Some(super::LAST_ELSEWHERE));
}

/// A turn of a session that may be about anything.
fn turn() -> impl Strategy<Value = Vec<Message>> {
    let word = "[a-z]{3,9}";
    prop_oneof![
        (word, 1..60_usize).prop_map(|(word, times)| asks(&format!("please {word} it ").repeat(times))),
        (word, 1..9_usize).prop_map(|(word, times)| asks(&format!("{word} now\r\n  and so on\n").repeat(times))),
        word.prop_map(|word| says(&format!(
            "We decided to use {word} instead of its rival because of size. Next I will test."
        ))),
        (word, any::<bool>()).prop_map(|(word, fails)| {
            runs(&format!("make {word}"), if fails { "Exit code 1\nerror: it broke" } else { "Exit code 0\nfine" })
        }),
        word.prop_map(|word| edits(&format!("/w/{word}.rs"), "a", &word)),
        word.prop_map(|word| plans(&[(&word, "completed"), ("the rest", "pending")])),
    ]
}

fn session() -> impl Strategy<Value = Vec<Vec<Message>>> {
    let round = prop::collection::vec(turn(), 1..25).prop_map(|turns| turns.concat());
    prop::collection::vec(round, 5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn five_rounds_stay_within_their_budget_and_keep_what_came_first(later in session(), budget in 1_200..4_000_u64) {
        let first = [
            asks("Never touch src/legacy."),
            says("The root cause of the hang in `pool.rs` is a missing lock, found at 03:12."),
        ]
        .concat();
        let bodies = rounds([vec![first], later].concat(), budget);
        for body in &bodies {
            prop_assert!(RoughCounter.estimate(body) <= Tokens(budget), "{} of {budget}:\n{body}", RoughCounter.estimate(body));
            let sections = Sections::read(body);
            prop_assert_eq!(&sections.write(), body, "what is written is read back");
            let is_kept = |section: Section, words: &str| sections.get(section).iter().any(|item| item.contains(words));
            // While it is the newest request it is kept word for word, and once.
            let newest = is_kept(Section::Goal, "<request>\nNever touch src/legacy.");
            prop_assert!(newest || is_kept(Section::Constraints, "Never touch src/legacy."), "{body}");
            prop_assert!(is_kept(Section::Decisions, "missing lock"), "{body}");
        }
    }

    #[test]
    fn every_request_keeps_its_beginning(session in session()) {
        let messages: Vec<Message> = session.concat();
        let asked: Vec<String> = messages.iter().filter_map(requests::typed).collect();
        let body = written(messages, None, 60_000, 6_000);
        for words in asked {
            let beginning: String = words.chars().take(250).collect();
            prop_assert!(body.contains(&beginning), "{beginning:?} is not in\n{body}");
        }
    }

    #[test]
    fn notes_fit_whatever_they_are_given(session in session(), budget in 150..3_000_u64, share in 0.05..1.0_f64) {
        let request = request(session.concat(), None, budget);
        let notes = Notes::take(&request, &RoughCounter);
        let body = notes.fit(Tokens(budget).share(share)).write();
        prop_assert!(RoughCounter.estimate(&body) <= Tokens(budget), "{body}");
        prop_assert_eq!(&body, &Notes::take(&request, &RoughCounter).fit(Tokens(budget).share(share)).write());
        prop_assert!(RoughCounter.estimate(&notes.in_one_line(Tokens(40))) <= Tokens(40));
    }
}
