//! The program as a person runs it: what goes in, what comes out, and with which exit code.

mod program;

use std::path::PathBuf;

use program::{epitome, run_in, sample, sample_bytes};
use tempfile::TempDir;

/// One line a message of a Chat session: what the model will see.
fn shape(session: &[u8]) -> String {
    let format = epitome_wire::Format::Detect;
    let request = epitome_wire::Request::read(session.to_vec(), format, epitome_wire::DuplicateKeys::Refuse);
    epitome_core::shape::shape(request.expect("a valid session").conversation(), 60)
}

#[test]
fn the_guides_example_becomes_what_the_guide_shows() {
    let run = epitome(&["compress", "--context-length", "128000", "--report"], &sample_bytes());
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stderr, @"
    epitome: stdin: ≈ 95,392 → ≈ 40,281 tokens (57.8 % saved), 45 → 25 messages
      74.5 % of a window of 128,000 before, 22 messages compressed
      before ████████████████████████████████████████
      after  ████████████████▉
      summarise the middle
      summary by: local
    ");
    insta::assert_snapshot!(shape(&run.stdout), @r#"
    00 system    "You are a helpful assistant. You work on a project in /srv/p…"
    01 user      "Help me set up a FastAPI project. Use SQLAlchemy 2 with asyn…"
    02 assistant "[CONTEXT COMPACTION] Earlier turns were compacted into this…"
    03 user      "[The conversation goes on below.]"
    04 assistant call terminal#call_024
    05 tool      output #call_024 " app/routers/users.py | 86 +++++-----\n app/routers/orders.py…"
    06 assistant call read_file#call_026
    07 tool      output #call_026 "\"\"\"Routes for shipments.\"\"\"\n\nfrom datetime import datetime\nf…"
    08 assistant call read_file#call_028
    09 tool      output #call_028 "\"\"\"Routes for reviews.\"\"\"\n\nfrom datetime import datetime\nfro…"
    10 assistant call read_file#call_030
    11 tool      output #call_030 "\"\"\"Routes for coupons.\"\"\"\n\nfrom datetime import datetime\nfro…"
    12 assistant call write_file#call_032
    13 tool      output #call_032 "file written (4.0KB)"
    14 assistant call read_file#call_034
    15 tool      output #call_034 "2026-03-01T10:00:00.732Z INFO    uvicorn.access 24.0.0.16:61…"
    16 assistant call terminal#call_036
    17 tool      output #call_036 "app/routers/coupons.py:88:5: F841 local variable `rows` is a…"
    18 assistant call terminal#call_038
    19 tool      output #call_038 "============================= test session starts ==========…"
    20 user      "Fix the failing tests"
    21 assistant call read_file#call_041
    22 tool      output #call_041 "import pytest\n\"\"\"Routes for addresss.\"\"\"\n\nfrom datetime impo…"
    23 assistant "I see the issue with the test fixtures: `session` is defined…"
    24 user      "Great, also add error handling"
    "#);
}

#[test]
fn below_the_trigger_nothing_changes() {
    let run = epitome(&["compress", "--context-length", "400000", "--report"], &sample_bytes());
    assert_eq!((run.code, run.stdout == sample_bytes()), (0, true));
    insta::assert_snapshot!(run.stderr, @"epitome: stdin: ≈ 95,392 tokens, below the trigger of 200,000; nothing to do");
}

#[test]
fn a_result_compressed_again_is_itself() {
    let arguments = ["compress", "--context-length", "128000"];
    let once = epitome(&arguments, &sample_bytes());
    let twice = epitome(&arguments, &once.stdout);
    assert!(once.stdout != sample_bytes());
    assert!(once.stdout == twice.stdout);
}

#[test]
fn a_plan_is_shown_and_nothing_is_done() {
    let run = epitome(&["compress", "--context-length", "64000", "--plan"], &sample_bytes());
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.text(), @"
    stdin: ≈ 95,392 tokens, trigger 32,000, window 64,000 (flag --context-length): the threshold is reached
      head    messages 0–1        65
      middle  messages 2–23   61,387
      tail    messages 24–44  33,940
    steps:
      add a note to the system prompt
      summarise messages 2–23 in at most 3,200 tokens, said as assistant
      shorten 2 tool outputs:
        message 29: [digest of source: 67 of 800 lines kept, 8,193 tokens; original 37ce07ed0562]
        message 35: [digest of log: 6 of 140 lines kept, 8,410 tokens; original 2c0bb647b708]
    rungs, with the size each leads to at most:
      summarise the middle         37,276
      shorten outputs in the tail  21,755
    ");
    let json = epitome(&["compress", "--context-length", "64000", "--plan", "--json"], &sample_bytes());
    let plan: serde_json::Value = serde_json::from_str(json.text()).expect("--json gives JSON");
    assert_eq!(plan["action"], "plan");
    assert!(plan["plan"]["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
}

#[test]
fn a_plan_says_what_prices_were_compared() {
    let cost = |window: &str, more: &[&str]| {
        let arguments = ["compress", "--model", "claude-opus-4-6", "--context-length", window, "--plan"];
        epitome(&[&arguments[..], &["--set", "compression.trigger=cost"], more].concat(), &sample_bytes())
    };
    insta::assert_snapshot!(cost("1000000", &[]).text(), @"
    stdin: ≈ 122,991 tokens, window 1,000,000 (flag --context-length): it pays for itself
      prices, in tokens of uncached input: summarising pays
        shortening old outputs: 122,991 to 29,258 tokens; waiting has cost 99,945, acting costs 22,991
        summarising: 122,991 to 27,484 tokens; waiting has cost 100,117, acting costs 21,963
      head    messages 0–1        82
      middle  messages 2–29   99,592
      tail    messages 30–44  23,317
    steps:
      add a note to the system prompt
      summarise messages 2–29 in at most 4,000 tokens, said as assistant
    rungs, with the size each leads to at most:
      summarise the middle  27,484
    ");
    // What is fetched again makes it dearer.
    insta::assert_snapshot!(cost("1000000", &["--set", "compression.cost.fetched_again=0.9"]).text(), @"
    stdin: ≈ 122,991 tokens; nothing to do yet
      prices, in tokens of uncached input: wait
        shortening old outputs: 122,991 to 29,258 tokens; waiting has cost 99,945, acting costs 128,441
        summarising: 122,991 to 27,484 tokens; waiting has cost 100,117, acting costs 129,408
    ");
    // The threshold is a ceiling.
    insta::assert_snapshot!(cost("100000", &["--set", "compression.cost.fetched_again=0.9"]).text(), @"
    stdin: ≈ 122,991 tokens, trigger 50,000, window 100,000 (flag --context-length): the threshold is reached
      head    messages 0–1        82
      middle  messages 2–29   99,592
      tail    messages 30–44  23,317
    steps:
      add a note to the system prompt
      summarise messages 2–29 in at most 4,000 tokens, said as assistant
    rungs, with the size each leads to at most:
      summarise the middle  27,484
    ");
    let json: serde_json::Value = serde_json::from_str(cost("1000000", &["--json"]).text()).expect("--json gives JSON");
    assert_eq!((&json["action"], &json["prices"]["because"]), (&"plan".into(), &"pays".into()));
}

#[test]
fn expand_gives_the_original_back_to_the_byte() {
    let home = TempDir::new().expect("a temporary directory");
    for window in ["32000", "64000", "128000", "1000000"] {
        let arguments = ["compress", "--context-length", window, "--originals", "kept", "-o", "small.json"];
        let run = run_in(home.path(), &arguments, &sample_bytes());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let run = run_in(home.path(), &["expand", "small.json", "--originals", "kept"], b"");
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout == sample_bytes(), "a window of {window}");
    }
}

#[test]
fn a_session_that_grew_is_expanded_with_what_was_added() {
    let home = TempDir::new().expect("a temporary directory");
    let arguments = ["compress", "--context-length", "64000", "--originals", "kept"];
    let small = run_in(home.path(), &arguments, &sample_bytes()).stdout;
    let add = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).expect("JSON is UTF-8");
        let (before, after) = text.rsplit_once("\n ]").expect("the sample is indented");
        format!("{before},\n  {{\"role\": \"user\", \"content\": \"and now?\"}}\n ]{after}").into_bytes()
    };
    let run = run_in(home.path(), &["expand", "--originals", "kept"], &add(&small));
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout == add(&sample_bytes()));
    insta::assert_snapshot!(run.stderr, @"epitome: note: the session has grown since it was compressed; what was added is kept behind the original");
}

#[test]
fn a_removed_output_is_found_by_the_hash_that_its_digest_cites() {
    let home = TempDir::new().expect("a temporary directory");
    let arguments = ["compress", "--context-length", "32000", "--originals", "kept"];
    let small = run_in(home.path(), &arguments, &sample_bytes());
    let text = small.text();
    let (_, after) = text.split_once("; original ").expect("a digest cites its original");
    let hash = after.get(..12).expect("twelve digits");
    let piece = run_in(home.path(), &["expand", "--originals", "kept", "--hash", hash], b"");
    assert_eq!(piece.code, 0, "{}", piece.stderr);
    let sample = serde_json::from_slice::<serde_json::Value>(&sample_bytes()).expect("JSON");
    let outputs = sample["messages"].as_array().expect("messages").iter().map(|message| &message["content"]);
    assert!(outputs.into_iter().any(|content| content.as_str() == Some(piece.text())));
}

#[track_caller]
fn check_refused(arguments: &[&str], stdin: &[u8]) -> String {
    let run = epitome(arguments, stdin);
    assert_eq!((run.code, run.stdout.len()), (2, 0), "{}", run.stderr);
    run.stderr
}

#[test]
fn malformed_input_is_refused_with_its_place() {
    let cases: [&[u8]; 7] = [
        b"{\"messages\": [\n  {\"role\": \"user\" \"content\": 1}]}",
        b"",
        b"{\"messages\": [{\"role\": \"user\", \"content\": \"a\", \"content\": \"b\"}]}",
        b"{\"question\": 42}",
        b"{\"messages\": [{\"role\": \"user\", \"content\": \"\xff\"}]}",
        b"{\"messages\": []}\n{\"messages\": []}\n",
        b"{\"messages\": [42]}",
    ];
    let refusals: Vec<String> = cases.iter().map(|case| check_refused(&["compress"], case)).collect();
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    epitome: stdin: expected ',' or '}' at line 2, column 19

    epitome: stdin: the session is empty

    epitome: stdin: the key "content" stands a second time in its object at line 1, column 48

    epitome: stdin: expected an object with "messages" or "input", an array of messages, or one message a line, found an object without them at line 1, column 1
      hint: a session is an object with "messages" or "input", an array of messages, or JSON lines

    epitome: stdin: bytes that are not UTF-8 at line 1, column 44

    epitome: stdin: 2 sessions found, one is expected
      hint: take one line, for example: sed -n 1p FILE | epitome compress

    epitome: stdin: expected a message, found a number at line 1, column 15
    "#);
}

#[test]
fn a_wrong_command_line_is_refused() {
    check_refused(&["compress", "--context-length", "none"], b"");
    check_refused(&["compress", "--format", "gemini"], b"");
    check_refused(&["compress", "--set", "compression.threshold=2"], b"");
    check_refused(&["expand"], b"");
    check_refused(&["expand", "--originals", "nowhere"], b"{}");
}

#[test]
fn a_missing_file_is_named() {
    let run = epitome(&["compress", "no-such-session.json"], b"");
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.stderr, @"epitome: no-such-session.json: no such file or directory");
}

#[test]
fn exit_codes_are_as_the_help_says() {
    let home = TempDir::new().expect("a temporary directory");
    let file = |name: &str, bytes: &[u8]| std::fs::write(home.path().join(name), bytes).expect("a file");
    file("s.json", &sample_bytes());
    file("wrong.yaml", b"compression: {threshold: 2}");
    file("binary", b"\xff\xfe\x00");
    std::fs::create_dir(home.path().join("dir")).expect("a directory");
    for (code, arguments) in [
        (0, "config check"),
        (0, "compress s.json -o small.json"),
        (1, "compress gone.json"),
        (1, "compress dir"),
        (1, "compress s.json -o gone/small.json"),
        (1, "compress s.json --config gone.yaml"),
        (1, "config check gone.yaml"),
        (1, "config check dir"),
        (1, "config show --config gone.yaml"),
        (1, "compress s.json --models gone.json"),
        (1, "replay gone.json"),
        (1, "digest gone.log"),
        (1, "inspect s.json --next gone.json"),
        (2, "config check wrong.yaml"),
        (2, "config check binary"),
        (2, "compress s.json --config wrong.yaml"),
        (2, "compress binary"),
        (2, "compress s.json --nonsense"),
        (2, "digest s.json --above 500"),
        (2, "serve --listen 0.0.0.0:0"),
        (2, "sessions show nothing"),
        (3, "compress s.json --strict --context-length 500"),
    ] {
        let run = run_in(home.path(), &arguments.split(' ').collect::<Vec<_>>(), b"");
        assert_eq!(run.code, code, "{arguments}: {}", run.stderr);
        assert!(!run.stderr.contains("os error"), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn what_can_be_done_about_a_place_that_is_missing_is_said() {
    let home = TempDir::new().expect("a temporary directory");
    let run = run_in(home.path(), &["compress", "-o", "gone/small.json", "--context-length", "64k"], &sample_bytes());
    insta::assert_snapshot!(run.stderr, @"
    epitome: gone/small.json: no such file or directory
      hint: make the directory first: mkdir -p gone
    ");
}

#[test]
fn an_empty_output_is_said_to_be_empty() {
    let run = epitome(&["digest"], b"\n");
    assert_eq!((run.code, run.text()), (0, "\n"));
    insta::assert_snapshot!(run.stderr, @"epitome: stdin: there is nothing in it to digest");
}

#[test]
fn an_address_that_is_in_use_is_said_to_be() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    let run = epitome(&["serve", "--listen", &address, "--store", "memory"], b"");
    assert_eq!(run.code, 1);
    insta::assert_snapshot!(run.stderr.replace(&address, "ADDRESS"), @"
    epitome: cannot listen on ADDRESS: the address is in use
      hint: choose another address with --listen; port 0 takes a free one
    ");
}

#[test]
fn one_is_no_plural_in_what_is_printed() {
    let session = br#"{"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}"#;
    let home = TempDir::new().expect("a temporary directory");
    std::fs::write(home.path().join("s.json"), session).expect("a file");
    let runs = ["inspect s.json", "compress s.json --report", "digest --sessions s.json", "config check"];
    let said = runs.map(|arguments| {
        let run = run_in(home.path(), &arguments.split(' ').collect::<Vec<_>>(), b"");
        format!("{}{}", run.text(), run.stderr)
    });
    let digest = run_in(home.path(), &["digest"], b"x");
    let all = format!("{}{}", said.concat(), digest.stderr);
    let words: Vec<&str> = all.split_whitespace().collect();
    let wrong: Vec<_> =
        words.windows(2).filter(|pair| pair[0] == "1" && pair[1].trim_end_matches(',').ends_with('s')).collect();
    assert!(wrong.is_empty() && all.contains("1 message,") && all.contains("1 session"), "{wrong:?} in {all}");
}

#[test]
fn a_trigger_out_of_reach_is_explained_and_strictly_an_error() {
    let arguments = ["compress", "--context-length", "500"];
    let run = epitome(&arguments, &sample_bytes());
    assert_eq!(run.code, 0);
    assert!(run.stdout.len() < sample_bytes().len());
    insta::assert_snapshot!(run.stderr, @"
    epitome: the trigger, 250, is out of reach: the newest exchange (10 tokens) does not fit beside system prompt and tools (28) and the protected first messages (37)
      hint: use a larger window
    ");
    let strict = epitome(&[&arguments[..], &["--strict"]].concat(), &sample_bytes());
    assert_eq!((strict.code, strict.stdout == run.stdout), (3, true));
}

#[test]
fn a_size_that_is_asked_for_is_met() {
    for target in ["4000", "12000", "30000"] {
        let run = epitome(&["compress", "--target-tokens", target, "--report", "--json"], &sample_bytes());
        assert_eq!(run.code, 0, "{}", run.stderr);
        let report: serde_json::Value = serde_json::from_str(&run.stderr).expect("--json gives JSON");
        let after = report["tokens_after"].as_u64().expect("a number");
        let target: u64 = target.parse().expect("a number");
        assert!(after <= target && after * 10 >= target * 5, "{after} of {target}");
    }
}

#[test]
fn an_unknown_model_is_said_to_be_unknown() {
    let session = br#"{"model": "quux-9", "messages": [{"role": "user", "content": "hi"}]}"#;
    let run = epitome(&["compress"], session);
    assert_eq!((run.code, run.stdout.as_slice()), (0, &session[..]));
    insta::assert_snapshot!(run.stderr, @r#"epitome: warning: the model "quux-9" is not known: a window of 128,000 tokens is assumed; say --context-length, or model.context_length in the configuration"#);
}

#[test]
fn inspect_shows_where_the_tokens_are() {
    let home = TempDir::new().expect("a temporary directory");
    std::fs::copy(sample(), home.path().join("session.json")).expect("a copy");
    let run = run_in(home.path(), &["inspect", "session.json", "--top", "3"], b"");
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.text(), @"
    session.json: 45 messages, 93,950 tokens, 73 % of a window of 128,000 (the catalogue)
    format openai, model gpt-4o

    tokens by source
      system              26   0.0 %
      user                54   0.1 %
      text               180   0.2 %
      tool arguments   2,769   2.9 %  ▉
      tool results    90,921  96.8 %  ██████████████████████████████

    largest outputs
      message 13  10,236  read_file app/routers/products.py
      message 19  10,190  read_file logs/server.log
      message 9    8,806  read_file app/routers/orders.py

    what a compaction would do
      summarise the middle: at most 40,476 tokens would be left (the trigger is 64,000)

    prompt cache
      💾 Prompt caching: NO MARKERS (api.openai.com takes none in this dialect, or caches by itself)
      no cache_control markers in the request
      62 tokens at the start would stay cached across a compaction
    ");
    let json = run_in(home.path(), &["inspect", "session.json", "--json"], b"");
    let report: serde_json::Value = serde_json::from_str(json.text()).expect("--json gives JSON");
    let by_source = report["tokens_by_source"].as_object().expect("an object");
    let sum: u64 = by_source.values().filter_map(serde_json::Value::as_u64).sum();
    assert_eq!(report["tokens"].as_u64(), Some(sum));
}

#[test]
fn engines_are_listed() {
    let run = epitome(&["engines"], b"");
    insta::assert_snapshot!(run.text(), @"
    *  compressor  keeps the beginning and the recent turns, shortens old tool outputs, summarises what lies between
    * chosen by context.engine
    ");
    let run = epitome(&["engines", "--set", "context.engine=lcm"], b"");
    insta::assert_snapshot!(format!("{}{}", run.text(), run.stderr), @r#"
    *  compressor  keeps the beginning and the recent turns, shortens old tool outputs, summarises what lies between
    * works in place of context.engine
    epitome: warning: flag --set: context.engine: there is no engine "lcm"; looked in plugins/context_engine/lcm/ (there is no such directory), registered engines (there are none), the built-in engine (compressor)
      hint: set context.engine to one that `epitome engines` lists
    "#);
}

#[test]
fn engines_check_fails_for_a_name_that_nothing_answers_to() {
    let run = epitome(&["engines", "check", "--set", "context.engine=lcm"], b"");
    assert_eq!((run.code, run.text()), (2, ""));
    insta::assert_snapshot!(run.stderr, @r#"
    epitome: flag --set: context.engine: there is no engine "lcm"; looked in plugins/context_engine/lcm/ (there is no such directory), registered engines (there are none), the built-in engine (compressor)
      hint: set context.engine to one that `epitome engines` lists
    "#);
    let json = epitome(&["engines", "check", "--json", "--set", "context.engine=lcm"], b"");
    let report: serde_json::Value = serde_json::from_str(json.text()).expect("--json gives JSON");
    assert_eq!((json.code, &report["ok"], &report["wanted"]), (2, &false.into(), &"lcm".into()));
    let right = epitome(&["engines", "check"], b"");
    assert_eq!((right.code, right.text()), (0, "OK: compressor\n"));
}

#[test]
fn compress_and_inspect_warn_of_an_engine_that_does_not_exist_and_strictly_refuse_it() {
    for command in [&["compress", "--context-length", "128k"][..], &["inspect"]] {
        let run = epitome(&[command, &["--set", "context.engine=lcm"]].concat(), &sample_bytes());
        let usual = epitome(command, &sample_bytes());
        assert_eq!((run.code, run.stdout == usual.stdout), (0, true), "{command:?}: {}", run.stderr);
        assert!(
            run.stderr.contains("warning: flag --set: context.engine: there is no engine \"lcm\""),
            "{}",
            run.stderr
        );
        let strict = ["--set", "context.engine=lcm", "--set", "context.strict=true"];
        check_refused(&[command, &strict].concat(), &sample_bytes());
    }
    let arguments = ["compress", "--context-length", "128k", "--report", "--json", "--set", "context.engine=lcm"];
    let run = epitome(&arguments, &sample_bytes());
    let report: serde_json::Value = serde_json::from_str(run.stderr.lines().last().expect("a line")).expect("JSON");
    assert_eq!(report["engine"], serde_json::json!({"wanted": "lcm", "used": "compressor"}));
}

#[test]
fn wrap_warns_of_an_engine_that_does_not_exist_and_strictly_runs_no_agent() {
    let home = TempDir::new().expect("a temporary directory");
    let wrap = ["wrap", "--store", "memory", "--set", "context.engine=lcm"];
    let agent = ["/bin/sh", "-c", "echo ran"];
    let run = run_in(home.path(), &[&wrap[..], &agent].concat(), b"");
    assert_eq!((run.code, run.text()), (0, "ran\n"), "{}", run.stderr);
    assert!(run.stderr.contains("there is no engine \"lcm\""), "{}", run.stderr);
    let strict = run_in(home.path(), &[&wrap[..], &["--set", "context.strict=true"], &agent].concat(), b"");
    assert_eq!((strict.code, strict.text()), (2, ""), "{}", strict.stderr);
}

/// Where a compaction of the sample, whose model is gpt-4o, would begin.
#[track_caller]
fn check_trigger(setting: &str, expected: u64) {
    let arguments = ["--context-length", "128k", "--json", "--set", setting];
    let plan = epitome(&[&["compress", "--plan"], &arguments[..]].concat(), &sample_bytes());
    let inspected = epitome(&[&["inspect"], &arguments[..]].concat(), &sample_bytes());
    for run in [plan, inspected] {
        let report: serde_json::Value = serde_json::from_str(run.text()).expect("--json gives JSON");
        assert_eq!(report["trigger"], expected, "{setting}: {}", run.stderr);
    }
}

#[test]
fn a_cap_in_tokens_and_a_models_own_threshold_decide_when_a_session_is_compressed() {
    check_trigger("compression.threshold_tokens=256000", 64_000);
    check_trigger("compression.threshold_tokens=30k", 30_000);
    check_trigger("compression.model_thresholds={gpt-4o: 0.25, gpt: 0.4}", 32_000);
    check_trigger("compression.model_thresholds={gpt-4o: 20k, claude: 0.4}", 20_000);
    check_trigger("compression.model_thresholds={claude: 0.4}", 64_000);
    let shown =
        ["config", "show", "--set", "model.default=gpt-4o", "--set", "compression.model_thresholds={gpt-4o: 20k}"];
    let shown = epitome(&shown, b"");
    let lines: Vec<&str> =
        shown.text().lines().filter(|line| line.contains("gpt-4o") || line.contains("compaction")).collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    compression.model_thresholds          {gpt-4o: 20000}  flag --set
    model.default                         gpt-4o           flag --set
    compaction at                         20,000
    ");
}

#[test]
fn numbers_of_tokens_are_flags_as_people_say_them() {
    for (said, number) in [("128k", "128000"), ("0.128M", "128000"), ("128,000", "128000")] {
        let run = |window| epitome(&["compress", "--plan", "--context-length", window], &sample_bytes()).stdout;
        assert!(run(said) == run(number), "{said}");
    }
    assert_eq!(epitome(&["compress", "--target-tokens", "12k"], &sample_bytes()).code, 0);
    assert_eq!(epitome(&["digest", "--tokens", "1k"], b"ready\n").code, 0);
    for wrong in ["0", "12x", "", "-1"] {
        check_refused(&["compress", &format!("--context-length={wrong}")], &sample_bytes());
    }
    let run = check_refused(&["replay", "--window", "1k", "nowhere.json"], b"");
    assert!(run.contains("less than 8000"), "{run}");
}

#[test]
fn a_store_of_an_unknown_kind_is_refused_and_nothing_is_made() {
    let store = ["--store", "mysql://root:hunter2@host/db"];
    for command in [
        [&["serve", "--listen", "127.0.0.1:0"], &store[..]].concat(),
        [&["sessions", "list"], &store[..]].concat(),
        [&["wrap"], &store[..], &["true"]].concat(),
    ] {
        let home = TempDir::new().expect("a temporary directory");
        let run = run_in(home.path(), &command, b"");
        assert_eq!(run.code, 2, "{}", run.stderr);
        assert!(run.stderr.contains("mysql:// is not a store that Epitome knows"), "{}", run.stderr);
        assert!(run.stderr.contains("hint: the path of an SQLite file, postgres://"), "{}", run.stderr);
        assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        assert_eq!(std::fs::read_dir(home.path()).expect("a directory").count(), 0);
    }
}

#[test]
fn every_dialect_is_compressed_and_stays_what_it_is() {
    for dialect in ["openai", "anthropic", "responses"] {
        let converted = epitome(&["convert", "--to", dialect], &sample_bytes()).stdout;
        let run = epitome(&["compress", "--context-length", "128000"], &converted);
        assert_eq!(run.code, 0, "{dialect}: {}", run.stderr);
        assert!(run.stdout.len() < converted.len(), "{dialect}");
        let report = epitome(&["inspect", "--json", "--context-length", "128000"], &run.stdout);
        let report: serde_json::Value = serde_json::from_str(report.text()).expect("--json gives JSON");
        assert_eq!(report["format"], dialect);
        assert!(report["tokens"].as_u64().is_some_and(|tokens| tokens < 64_000), "{dialect}: {}", report["tokens"]);
    }
}

#[test]
fn a_topic_in_focus_is_kept() {
    let focus = epitome(&["compress", "--context-length", "40000", "--focus", "pool_id"], &sample_bytes());
    assert!(focus.text().contains("pool_id=7f3a"), "the line about the topic");
}

#[test]
fn compressing_a_result_again_does_not_lose_the_way_back() {
    let home = TempDir::new().expect("a temporary directory");
    let arguments = ["compress", "--context-length", "64000", "--originals", "kept"];
    let small = run_in(home.path(), &arguments, &sample_bytes()).stdout;
    let again = run_in(home.path(), &arguments, &small);
    assert!(again.stdout == small, "there is nothing left to do");
    let run = run_in(home.path(), &["expand", "--originals", "kept"], &small);
    assert!(run.stdout == sample_bytes(), "{}", run.stderr);
}

/// The sample with `turns` of its own turns behind it.
fn grown(session: &[u8], turns: usize) -> Vec<u8> {
    let mut session: serde_json::Value = serde_json::from_slice(session).expect("JSON");
    let sample: serde_json::Value = serde_json::from_slice(&sample_bytes()).expect("JSON");
    let messages = session["messages"].as_array_mut().expect("messages");
    let more = sample["messages"].as_array().expect("messages").iter().skip(2).take(2 * turns).cloned();
    messages.extend(more);
    serde_json::to_vec(&session).expect("JSON")
}

#[test]
fn a_session_compressed_and_grown_many_times_is_expanded_to_its_beginning() {
    for policy in ["compression.controller=off", "compression.controller=largest_first"] {
        let home = TempDir::new().expect("a temporary directory");
        let flags = ["--context-length", "40000", "--set", policy, "--set", "compression.protect_last_n=4"];
        let mut session = grown(&sample_bytes(), 0);
        let mut whole = session.clone();
        for _ in 0..4 {
            let arguments = [&["compress", "--originals", "kept"], &flags[..]].concat();
            session = grown(&run_in(home.path(), &arguments, &session).stdout, 8);
            whole = grown(&whole, 8);
        }
        let run = run_in(home.path(), &["expand", "--originals", "kept", "--all"], &session);
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout == whole, "{policy}");
    }
}

/// The files in a directory of originals.
fn objects(home: &TempDir) -> Vec<PathBuf> {
    let directories = std::fs::read_dir(home.path().join("kept/objects")).expect("objects");
    let files = directories.flat_map(|entry| std::fs::read_dir(entry.expect("an entry").path()).expect("a directory"));
    files.map(|entry| entry.expect("an entry").path()).collect()
}

#[test]
fn a_killed_process_leaves_originals_that_can_be_followed() {
    let home = TempDir::new().expect("a temporary directory");
    let arguments = ["compress", "--context-length", "64000", "--originals", "kept"];
    let small = run_in(home.path(), &arguments, &sample_bytes()).stdout;
    for object in objects(&home) {
        let unfinished = format!("{}.4711.unfinished", object.display());
        std::fs::write(unfinished, b"half of i").expect("a file");
    }
    let run = run_in(home.path(), &["expand", "--originals", "kept"], &small);
    assert!(run.stdout == sample_bytes(), "{}", run.stderr);
}

#[test]
fn a_damaged_original_is_not_given_back() {
    let home = TempDir::new().expect("a temporary directory");
    let arguments = ["compress", "--context-length", "64000", "--originals", "kept"];
    let small = run_in(home.path(), &arguments, &sample_bytes()).stdout;
    for object in objects(&home) {
        std::fs::write(object, b"something else").expect("a file");
    }
    let run = run_in(home.path(), &["expand", "--originals", "kept"], &small);
    assert_eq!((run.code, run.stdout.len()), (2, 0));
    assert!(run.stderr.contains("damaged"), "{}", run.stderr);
}

#[cfg(unix)]
#[test]
fn a_private_file_that_is_replaced_stays_private() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = TempDir::new().expect("a temporary directory");
    let (file, link) = (home.path().join("session.json"), home.path().join("link.json"));
    std::fs::write(&file, sample_bytes()).expect("a file");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("permissions");
    symlink(&file, &link).expect("a link");
    let arguments = ["compress", "link.json", "--context-length", "64000", "-o", "link.json"];
    assert_eq!(run_in(home.path(), &arguments, b"").code, 0);
    assert!(std::fs::symlink_metadata(&link).expect("a link").file_type().is_symlink());
    let written = std::fs::metadata(&file).expect("a file");
    assert_eq!(written.permissions().mode() & 0o777, 0o600);
    assert!(written.len() < sample_bytes().len() as u64);
}

#[test]
fn text_that_the_estimate_was_not_made_for_is_counted() {
    let finnish = "Sähköpostiosoitteesi vahvistaminen epäonnistui, koska linkki on vanhentunut tai jo käytetty. ";
    let mut messages = vec![serde_json::json!({"role": "user", "content": "Käännä tämä."})];
    for turn in 0..60 {
        let role = if turn % 2 == 0 { "assistant" } else { "user" };
        messages.push(serde_json::json!({"role": role, "content": finnish.repeat(20)}));
    }
    let session = serde_json::to_vec(&serde_json::json!({"messages": messages})).expect("JSON");
    let run = epitome(&["compress", "--context-length", "60000", "--report", "--json"], &session);
    let report: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON");
    assert_eq!(report["tokens_before_estimated"], false, "{report}");
    assert_eq!(report["action"], "compacted", "{report}");
}

#[test]
fn the_report_of_a_session_that_begins_anew_says_so_with_the_beginning_of_its_summary() {
    let words = |name: &str, tokens: usize| -> String {
        (0..tokens / 8).map(|number| format!("{name} word {number:05} of many. ")).collect()
    };
    let mut messages = vec![("user", "Find out why the import drops records.".to_owned())];
    for number in 0..4 {
        messages.push(("assistant", format!("I read part {number}.")));
        messages.push(("user", words("head", 1_100)));
    }
    for number in 0..8 {
        messages.push(("assistant", format!("I compared batch {number}. Next I will compare batch {}.", number + 1)));
        messages.push(("user", words("work", 800)));
    }
    messages.push(("assistant", "The batches differ. Next I will fix the size.".to_owned()));
    messages.push(("user", words("pasted", 14_300)));
    let messages: Vec<_> =
        messages.iter().map(|(role, content)| serde_json::json!({"role": role, "content": content})).collect();
    let session = serde_json::json!({"model": "gpt-4o", "messages": messages}).to_string();
    let compress = |more: &[&str]| {
        let asked = ["compress", "--context-length", "20000", "--set", "compression.protect_first_n=10", "--report"];
        epitome(&[&asked, more].concat(), session.as_bytes())
    };
    let notice =
        "[New session created] Original session archived. Summary: ## Goal - Find out why the import drops records.";
    let run = compress(&[]);
    let line = run.stderr.lines().find(|line| line.trim_start().starts_with(notice));
    assert!(line.is_some_and(|line| line.trim().chars().count() <= 58 + 201), "{}", run.stderr);
    assert!(run.stderr.contains("% of a window of 20,000 before, "), "{}", run.stderr);
    assert!(run.stderr.contains("restart from a short summary"), "{}", run.stderr);
    // Behind the report it says that the trigger is out of reach.
    let json = compress(&["--json"]).stderr;
    let report = json.lines().next().unwrap_or_default();
    let report: serde_json::Value = serde_json::from_str(report).expect("JSON");
    assert_eq!(report["archived"].as_str().map(str::trim), line.map(str::trim));
    assert!(
        report["messages_compressed"].as_u64() > Some(20) && report["window_usage"].as_f64() > Some(1.0),
        "{report}"
    );
}

#[test]
fn what_serves_help_says_of_agents_can_be_pasted() {
    let help = epitome(&["serve", "--help"], b"");
    let (_, agents) = help.text().split_once("which does it all:\n").expect("it speaks of agents");
    let (agents, _) = agents.split_once("Codex does not").expect("and of Codex");
    // As a shell reads it.
    let lines = agents.replace("\\\n", "");
    let guide = include_str!("../../../docs/gateway.md");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for line in lines.lines() {
        assert!(guide.lines().any(|said| words(said) == words(line)), "docs/gateway.md does not say: {line}");
    }
    assert_eq!(lines.lines().count(), 6);
}
