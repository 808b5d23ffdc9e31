//! `epitome sessions` as a person runs it, on a store that a real gateway filled.

mod program;
mod serving;

use std::path::Path;

use program::{Run, epitome, run_in};
use serde_json::Value;
use serving::Gateway;
use tempfile::TempDir;

/// What is different each time.
macro_rules! snapshot {
    ($text:expr, @$expected:literal) => {
        insta::with_settings!({filters => vec![
            (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "[moment]"),
            (r" +[\d,]+ ms", " [n] ms"),
            (r"[\d,]+ at most", "[n] at most"),
        ]}, { insta::assert_snapshot!($text, @$expected); });
    };
}

fn sessions(place: &Path, arguments: &[&str]) -> Run {
    run_in(place, &[&["sessions", "--store", "store.db"], arguments].concat(), b"")
}

#[track_caller]
fn told(place: &Path, arguments: &[&str]) -> String {
    let run = sessions(place, arguments);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{arguments:?}");
    run.text().to_owned()
}

#[track_caller]
fn json(place: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&told(place, &[arguments, &["--json"]].concat())).expect("--json gives JSON")
}

#[track_caller]
fn refused(place: &Path, arguments: &[&str], code: i32) -> String {
    let run = sessions(place, arguments);
    assert_eq!((run.code, run.text()), (code, ""), "{arguments:?}");
    run.stderr
}

/// A session that is compacted as it grows and once by hand, and one that is too short for that.
fn filled(place: &Path) {
    let gateway = Gateway::start(place);
    let session: Value = serde_json::from_slice(&program::sample_bytes()).expect("JSON");
    let messages = session["messages"].as_array().expect("messages");
    // A request ends with what somebody else than the assistant said.
    for (number, end) in [2, 10, 12, 14, 16, 18, 20, 24, 28, 30].into_iter().enumerate() {
        gateway.send("shop-session", &messages[..end]);
        gateway.wait_for_calls("shop-session", number + 1);
    }
    let asked = gateway.post("/epitome/sessions/shop-session/compact", r#"{"focus": "the pool"}"#);
    assert_eq!((asked.status, asked.json()["asked_for"]["focus"].as_str()), (202, Some("the pool")));
    let answer = gateway.send("shop-session", &messages[..32]);
    assert_eq!(answer.header("x-epitome-action"), Some("compacted"));
    gateway.wait_for_calls("shop-session", 11);
    gateway.send("short", &messages[..2]);
    gateway.wait_for_calls("short", 1);
}

#[test]
fn what_a_gateway_remembered_is_told() {
    let home = TempDir::new().expect("a temporary directory");
    let place = home.path();
    filled(place);

    snapshot!(told(place, &["list"]), @"
    session       last seen (UTC)      model   calls  compactions  client's     sent   saved  read from cache
    short         [moment]  gpt-4o      1            0        65       65   0.0 %           49.4 %
    shop-session  [moment]  gpt-4o     11            4   471,669  212,474  55.0 %           50.0 %
    ");
    let list = json(place, &["list"]);
    assert_eq!((&list["tenant"], list["sessions"].as_array().map(Vec::len)), (&Value::from("local"), Some(2)));
    snapshot!(told(place, &["list", "--tenants"]), @"
    tenant  sessions  compactions  originals     size
    local          2            4         37  62.0 KB
    ");

    snapshot!(told(place, &["show", "shop"]), @r#"
    shop-session
      seen      [moment] to [moment] UTC
      model     gpt-4o (openai)
      calls     11, with 4 compactions
      tokens    471,669 of the client's, 212,474 sent: 55.0 % saved
      reported  208,752 of prompts, 50.0 % read from the cache and 0.0 % written to it; 110 of answers

    compactions
      1  [moment]  36,083 → 22,190 tokens  38.5 %  16 → 8 messages  local [n] ms  the threshold is reached
      2  [moment]  38,912 → 18,814 tokens  51.6 %  12 → 8 messages  local [n] ms  the threshold is reached
      3  [moment]  39,885 → 17,801 tokens  55.4 %  18 → 8 messages  local [n] ms  the threshold is reached
      4  [moment]  22,548 → 16,012 tokens  29.0 %  10 → 8 messages  local [n] ms  asked for

    what it cost
      calls                        $0.3925
      summaries that we asked for    $0.00
      the same calls without us    $0.6319
      saved                        $0.2394

    what became of its messages
      0              kept
      1   assistant  in the summary  by 1  0f09eb826ae5  {"command": "mkdir project"}
      2   tool       in the summary  by 1  006101d812b6  directory created
      3   assistant  in the summary  by 1  14aeec30790c  {"path": "main.py", "content": "\"\"\"Routes for users.\"\"\"\n\nfrom datetime import datetime\nfrom …
      4   tool       in the summary  by 1  495f061cbb7d  file written (2.3KB)
      5   assistant  in the summary  by 1  5f4681fb2a6f  {"path": "requirements.txt", "content": "fastapi==0.115.0\nsqlalchemy[asyncio]==2.0.35\npytest==8.3.…
      6   tool       in the summary  by 1  d2ef575ee9d3  file written (0.1KB)
      7   assistant  in the summary  by 1  afe3cee5de59  Let me look at the order routes before I change them. {"path": "app/routers/orders.py"}
      8   tool       in the summary  by 1  115de30df09f  """Routes for orders.""" from datetime import datetime from typing import Annotated from fastapi imp…
      9   assistant  in the summary  by 1  bd7a8d7084e3  Let me look at the invoice routes before I change them. {"path": "app/routers/invoices.py"}
      10  tool       in the summary  by 1  8e9bf4254a50  """Routes for invoices.""" from datetime import datetime from typing import Annotated from fastapi i…
      11  assistant  in the summary  by 2  5068563a43af  Let me look at the product routes before I change them. {"path": "app/routers/products.py"}
      12  tool       in the summary  by 2  89f5c8cd12c7  """Routes for products.""" from datetime import datetime from typing import Annotated from fastapi i…
      13  assistant  in the summary  by 2  357086ef1a2e  {"command": "curl -s localhost:8000/openapi.json"}
      14  tool       in the summary  by 2  1b49925b2318  { "openapi": "3.1.0", "info": { "title": "shop", "version": "0.4.2" }, "paths": { "/users/create/0": …
      15  assistant  in the summary  by 3  b3defe05e901  I decided to use an async session fixture instead of a global engine, because the tests run in paral…
      16  tool       in the summary  by 3  2d903286ecbc  ============================= test session starts ============================== platform linux -- P…
      17  assistant  in the summary  by 3  ff5da19ec839  The pool is exhausted under load. Let me find out since when. {"path": "logs/server.log"}
      18  tool       in the summary  by 3  6850cea2d61b  2026-03-01T10:00:00.533Z INFO uvicorn.access 76.0.0.198:36344 "GET /invoices/4955 HTTP/1.1" 200 274m…
      19  assistant  in the summary  by 3  7e96ec16f3e0  {"path": "app/db.py", "content": "\"\"\"Routes for sessions.\"\"\"\n\nfrom datetime import datetime\…
      20  tool       in the summary  by 3  442fba4cf81c  file written (3.1KB)
      21  assistant  in the summary  by 3  8c5c772ffea0  {"path": "app/routers/payments.py"}
      22  tool       in the summary  by 3  1ebd61e0be58  """Routes for payments.""" from datetime import datetime from typing import Annotated from fastapi i…
      23  assistant  in the summary  by 3  486cab6b4c65  {"command": "git diff HEAD~1 --stat && git status"}
      24  tool       in the summary  by 3  3980cf4bd725  app/routers/users.py | 86 +++++----- app/routers/orders.py | 35 +++++----- app/routers/invoices.py | …
      25  assistant  in the summary  by 4  107e21ca7fd8  {"path": "app/routers/shipments.py"}
      26  tool       in the summary  by 4  e4919643f736  """Routes for shipments.""" from datetime import datetime from typing import Annotated from fastapi …
      as of compaction 4; messages are counted behind the system prompt, and later ones are sent as they come

    calls
      call  when (UTC)           done       client's    sent  prompt    read  written  answer  marks     cost
         1  [moment]  untouched        65      65      79      39        0      10         $0.0002
         2  [moment]  untouched     9,874   9,874   9,402   4,701        0      10         $0.0177
         3  [moment]  untouched    17,309  17,309  16,986   8,493        0      10         $0.0319
         4  [moment]  untouched    27,465  27,465  27,172  13,586        0      10         $0.0510
         5  [moment]  compacted    36,083  22,190  22,047  11,023        0      10         $0.0414
         6  [moment]  replayed     40,719  26,424  28,444  14,222        0      10         $0.0534
         7  [moment]  compacted    53,702  18,814  14,991   7,495        0      10         $0.0282
         8  [moment]  replayed     60,478  24,651  23,910  11,955        0      10         $0.0449
         9  [moment]  replayed     67,506  31,869  31,344  15,672        0      10         $0.0589
        10  [moment]  compacted    75,366  17,801  17,602   8,801        0      10         $0.0331
        11  [moment]  compacted    83,102  16,012  16,775   8,387        0      10         $0.0316
    "#);
    snapshot!(told(place, &["show", "short"]), @"
    short
      seen      [moment] to [moment] UTC
      model     gpt-4o (openai)
      calls     1, with 0 compactions
      tokens    65 of the client's, 65 sent: 0.0 % saved
      reported  79 of prompts, 49.4 % read from the cache and 0.0 % written to it; 10 of answers

    what it cost
      calls                        $0.0002
      summaries that we asked for    $0.00
      the same calls without us    $0.0002
      saved                          $0.00

    calls
      call  when (UTC)           done       client's  sent  prompt  read  written  answer  marks     cost
         1  [moment]  untouched        65    65      79    39        0      10         $0.0002
    ");
    let shown = json(place, &["show", "shop"]);
    assert_eq!(shown["turns"].as_array().map(Vec::len), Some(11));

    snapshot!(told(place, &["diff", "shop", "1"]), @r#"
    shop-session, compaction 1 of 4
      [moment] UTC, the threshold is reached: 36,083 → 22,190 tokens (38.5 % saved), 16 → 8 messages
      summarise the middle
      summary by local

    added to the system prompt
    + [Note: Some earlier conversation turns have been compacted into a summary that stands among the messages and begins with "[CONTEXT COMPACTION]". Treat it as a r…

    messages 1–10
    - 1 assistant, original 0f09eb826ae5
    -   {"command": "mkdir project"}
    - 2 tool, original 006101d812b6
    -   directory created
    - 3 assistant, original 14aeec30790c
    -   {"path": "main.py", "content": "\"\"\"Routes for users.\"\"\"\n\nfrom datetime import datetime\nfrom typing import Annotated\n\nfrom fastapi import APIRouter, D…
    - 4 tool, original 495f061cbb7d
    -   file written (2.3KB)
    - 5 assistant, original 5f4681fb2a6f
    -   {"path": "requirements.txt", "content": "fastapi==0.115.0\nsqlalchemy[asyncio]==2.0.35\npytest==8.3.2\nhttpx==0.27.2\n"}
    - 6 tool, original d2ef575ee9d3
    -   file written (0.1KB)
    - 7 assistant, original afe3cee5de59
    -   Let me look at the order routes before I change them.
    -   {"path": "app/routers/orders.py"}
    - 8 tool, original 115de30df09f
    -   """Routes for orders."""
    -   from datetime import datetime
    -   from typing import Annotated
    -   from fastapi import APIRouter, Depends, HTTPException, Query
    -   … 697 more lines
    - 9 assistant, original bd7a8d7084e3
    -   Let me look at the invoice routes before I change them.
    -   {"path": "app/routers/invoices.py"}
    - 10 tool, original 8e9bf4254a50
    -   """Routes for invoices."""
    -   from datetime import datetime
    -   from typing import Annotated
    -   from fastapi import APIRouter, Depends, HTTPException, Query
    -   … 601 more lines
    + assistant
    + [CONTEXT COMPACTION] Earlier turns were compacted into this summary, to save space. It is a record, not a request: what it lists as done is done and is not to b…
    + ## Goal
    + - what was asked first and what was asked last stand in the messages around this summary
    + ## Constraints & Preferences
    + … 475 more lines
    + user
    + [The conversation goes on below.]
    "#);
    let full = told(place, &["diff", "shop", "1", "--full"]);
    assert!(full.lines().count() > 1_000 && !full.contains("more lines"), "{} lines", full.lines().count());
    let latest = json(place, &["diff", "shop"]);
    assert_eq!((&latest["number"], &latest["log"]["reason"]), (&latest["compactions"], &Value::from("asked for")));

    snapshot!(told(place, &["stats"]), @"
    over all calls
      12 calls of 2 sessions
      471,734 tokens of the clients', 212,539 sent: 259,195 not sent (54.9 %)
      208,831 tokens of prompts reported: 50.0 % read from the cache, 0.0 % written to it

    in short
      total_compressions         4
      total_tokens_saved         62,611
      average_compression_ratio  43.6 %
      messages_compressed        32
      cache_hit_rate             50.0 %
      estimated_savings          25.0 % of what prompts cost without a cache, $0.1305

    what it cost
      calls                        $0.3928
      summaries that we asked for    $0.00
      the same calls without us    $0.6322
      saved                        $0.2394

    compactions
     [n] ms waited for each, [n] at most
                                        times  tokens saved  on average
      all                                   4        62,611      43.6 %
      because asked for                     1         6,536      29.0 %
      because the threshold is reached      3        56,075      48.5 %
      written by local                      4        62,611      43.6 %
      tokens saved by repairs -47, summaries 66,475

    stored
      37 originals, 62.0 KB
    ");
    snapshot!(told(place, &["stats", "short"]), @"
    over all calls
      1 call of 1 session
      65 tokens of the clients', 65 sent: 0 not sent (0.0 %)
      79 tokens of prompts reported: 49.4 % read from the cache, 0.0 % written to it

    in short
      total_compressions         0
      total_tokens_saved         0
      average_compression_ratio  0.0 %
      messages_compressed        0
      cache_hit_rate             49.4 %
      estimated_savings          24.7 % of what prompts cost without a cache, $0.0000

    what it cost
      calls                        $0.0002
      summaries that we asked for    $0.00
      the same calls without us    $0.0002
      saved                          $0.00

    compactions
      none yet
    ");
    let stats = json(place, &["stats"]);
    assert_eq!(stats["compactions"]["total_compressions"], shown["compactions"]);
    assert_eq!((&stats["messages_compressed"], &stats["estimated_savings"]["percent"]), (&32.into(), &25.0.into()));
    let rounded = |value: &Value| (value.as_f64().expect("a number") * 1e4).round();
    assert_eq!([&stats["cache_hit_rate"], &stats["estimated_savings"]["dollars"]].map(rounded), [5_000.0, 1_305.0]);

    what_was_removed_is_found_and_comes_back_to_the_byte(place);
    nothing_is_missing_in_an_export(place, &shown);
    wishes_are_kept(place);
    mistakes_are_told_apart(place);
    what_is_forgotten_is_gone(place);
}

fn what_was_removed_is_found_and_comes_back_to_the_byte(place: &Path) {
    snapshot!(told(place, &["search", "invoice", "routes"]), @"shop-session  bd7a8d7084e3  message  Let me look at the invoice routes before I change them.");
    let found = json(place, &["search", "--regex", r#"^"""Routes for invoices"#]);
    let hash = found[0]["hash"].as_str().expect("a hit");
    let session: Value = serde_json::from_slice(&program::sample_bytes()).expect("JSON");
    let original = sessions(place, &["original", &hash[..12]]);
    assert_eq!(original.code, 0, "{}", original.stderr);
    let messages = session["messages"].as_array().expect("messages");
    let same = messages.iter().any(|message| {
        let text = message["content"].as_str().unwrap_or_default();
        let bytes = original.text();
        text == bytes || serde_json::from_str::<Value>(bytes).is_ok_and(|stored| stored == *message)
    });
    assert!(same, "{}", original.text());
    let none = sessions(place, &["search", "nobody said this"]);
    assert_eq!((none.code, none.text()), (0, ""));
    snapshot!(none.stderr, @r#"epitome: "nobody said this" is in nothing that was removed"#);
}

fn nothing_is_missing_in_an_export(place: &Path, shown: &Value) {
    let exported = told(place, &["export", "shop"]);
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).expect("JSON lines")).collect();
    let of_type = |kind: &str| lines.iter().filter(|line| line["type"] == kind).collect::<Vec<_>>();
    assert_eq!(of_type("session").len(), 1);
    assert_eq!(of_type("call").len(), 11);
    let compactions = of_type("compaction");
    assert_eq!(shown["compactions"], compactions.len());
    let originals: Vec<&str> = of_type("original").iter().filter_map(|line| line["hash"].as_str()).collect();
    let mut removed = 0;
    for compaction in compactions {
        assert!(!compaction["replay"]["edits"].as_array().expect("edits").is_empty());
        for hash in compaction["removed"].as_array().expect("a list") {
            assert!(originals.contains(&hash.as_str().expect("a hash")));
            removed += 1;
        }
    }
    assert!(removed > 10, "{removed}");
    assert_eq!(told(place, &["export", "shop", "--out", "shop.jsonl"]), "");
    assert_eq!(std::fs::read_to_string(place.join("shop.jsonl")).expect("written"), exported);
    use std::os::unix::fs::PermissionsExt;
    let rights = std::fs::metadata(place.join("shop.jsonl")).expect("written").permissions().mode();
    assert_eq!(rights & 0o777, 0o600);
}

fn wishes_are_kept(place: &Path) {
    snapshot!(told(place, &["compact", "short", "--focus", "SQLAlchemy"]), @r#"short will be compacted with its next request, above all keeping what is about "SQLAlchemy""#);
    let asked = json(place, &["compact", "short"]);
    assert_eq!((&asked["session"], &asked["asked_for"]["focus"]), (&Value::from("short"), &Value::Null));
    assert!(told(place, &["show", "short"]).contains("a compaction with the next request"));
}

fn mistakes_are_told_apart(place: &Path) {
    snapshot!(refused(place, &["show", "shop-sesion"], 2), @r#"
    epitome: there is no session "shop-sesion" in store.db
      hint: did you mean shop-session? `epitome sessions list` shows all
    "#);
    snapshot!(refused(place, &["show", "sh"], 2), @r#"
    epitome: 2 sessions begin with "sh"
      hint: give more of the name: short, shop-session
    "#);
    snapshot!(refused(place, &["show", "zebra"], 2), @r#"
    epitome: there is no session "zebra" in store.db
      hint: the latest are short, shop-session; `epitome sessions list` shows all
    "#);
    snapshot!(refused(place, &["diff", "shop", "9"], 2), @"
    epitome: shop-session was compacted 4 times, and has no compaction 9
      hint: `epitome sessions show shop-session` lists them
    ");
    snapshot!(refused(place, &["diff", "short"], 2), @"
    epitome: short was not compacted yet
      hint: `epitome sessions show short` lists them
    ");
    snapshot!(refused(place, &["original", "0123456789ab"], 2), @"
    epitome: nothing is kept under 0123456789ab in store.db
      hint: it may be another tenant's, pruned since, or not kept (store.originals: off)
    ");
    snapshot!(refused(place, &["original", "xyz"], 2), @r#"
    epitome: "xyz" is not a hash: 8 to 64 hexadecimal digits are expected
      hint: digests name it (original 37ce07ed0562), and `epitome sessions search` does
    "#);
    snapshot!(refused(place, &["search", "--regex", "("], 2), @"
    epitome: store.db: the pattern cannot be read: regex parse error:
        (
        ^
    error: unclosed group
    ");
    snapshot!(refused(place, &["show", "shop", "--tenant", "nobody"], 2), @r#"
    epitome: no session of "nobody" is stored in store.db
      hint: `epitome sessions list --tenants` shows who has some
    "#);
    snapshot!(refused(place, &["delete", "shop"], 2), @"
    epitome: sessions are deleted for ever, and there is nobody to ask
      hint: say --yes
    ");
    snapshot!(refused(place, &["prune"], 2), @"
    epitome: neither an age nor a size is given, and none is configured
      hint: say --older-than 30d or --larger-than 2GB, or set store.keep_days or store.keep_bytes
    ");
    snapshot!(refused(place, &["prune", "--older-than", "soon"], 2), @r#"
    error: invalid value 'soon' for '--older-than <AGE>': "soon" is no age; for example 12h, 30d or 8w

    For more information, try '--help'.
    "#);
}

fn what_is_forgotten_is_gone(place: &Path) {
    snapshot!(told(place, &["prune", "--older-than", "30d"]), @"nothing is too old or too much");
    snapshot!(told(place, &["prune", "--larger-than", "1KB", "--dry-run"]), @"
    shop-session  seen last [moment]  62.0 KB
    1 session would be forgotten, 62.0 KB
    ");
    assert_eq!(json(place, &["list"])["sessions"].as_array().map(Vec::len), Some(2));
    snapshot!(told(place, &["prune", "--larger-than", "1KB"]), @"
    shop-session  seen last [moment]  62.0 KB
    1 session forgotten, 62.0 KB
    ");
    snapshot!(told(place, &["delete", "short", "--yes"]), @"deleted short");
    let none = sessions(place, &["list"]);
    assert_eq!((none.code, none.text()), (0, ""));
    snapshot!(none.stderr, @r#"epitome: no session of "local" is stored in store.db"#);
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let home = TempDir::new().expect("a temporary directory");
    snapshot!(refused(home.path(), &["list"], 2), @"
    epitome: store.db: nothing is stored yet
      hint: `epitome serve` makes it when an agent talks through it; or say which with --store
    ");
    assert!(!home.path().join("store.db").exists());
    let run = |arguments: &[&str]| run_in(home.path(), arguments, b"").stderr;
    snapshot!(run(&["sessions", "list", "--store", "memory"]), @"
    epitome: a store in memory is the running gateway's alone
      hint: ask the gateway: GET /epitome/sessions; or give it a store that stays with --store
    ");
    snapshot!(run(&["sessions", "list", "--store", "postgres://nobody@127.0.0.1:1/none"]), @"
    epitome: postgres://nobody@127.0.0.1:1/none: the store is not available: error connecting to server: Connection refused (os error 111)
      hint: say which store with --store, or store.location in the configuration
    ");
    std::fs::write(home.path().join("store.db"), "this is no database\n".repeat(1_000)).expect("written");
    snapshot!(refused(home.path(), &["list"], 2), @"
    epitome: store.db: the store holds something unreadable: the file is no SQLite database
      hint: name another file with --store, or move this one away
    ");
}

#[test]
fn help_teaches() {
    snapshot!(epitome(&["sessions", "--help"], b"").text(), @"
    Look at what the gateway remembers: list, search, compare, export, forget sessions; compact one by
    hand

    Usage: epitome sessions [OPTIONS] <COMMAND>

    Commands:
      list      List sessions, latest first, with what was saved
      show      Show one session: its calls, its compactions, and what became of each message
      diff      Show a compaction before and after: what went, and what stands in its place
      search    Find what was removed: these very words, in any case of the letters
      original  Print something that was removed, byte for byte
      export    Write everything that is known of a session, as JSON lines
      stats     Add up what compactions saved, of all sessions or of one
      compact   Compact a session with its next request, whatever its size
      delete    Forget sessions, with everything that was removed from them
      prune     Forget the sessions that are too old, and the oldest of what is too much
      help      Print this message or the help of the given subcommand(s)

    Options:
          --store <PATH|URL>  The store: a file, or postgres://user@host/database [default:
                              store.location]
          --config <FILE>     Read settings from this file [default: ./epitome.yaml, else
                              ~/.config/epitome/config.yaml]
          --tenant <NAME>     Whose sessions, as `list --tenants` names them [default: local]
          --set <KEY=VALUE>   Set one setting, as in --set compression.protect_last_n=10; may be
                              repeated
          --json              Write for programs: JSON in place of tables and sentences
      -h, --help              Print help

    Examples:
      epitome sessions list
      epitome sessions show 3f2a                      the beginning of a name is enough
      epitome sessions diff 3f2a 2                    its second compaction, before and after
      epitome sessions search 'connection refused'
      epitome sessions original 37ce07ed0562 > out    byte for byte, as the client sent it
      epitome sessions compact 3f2a --focus 'the failing migration'
      epitome sessions prune --older-than 30d --dry-run

    They read and write the store that `epitome serve` uses, whether it runs or not. Times are UTC.
    ");
    snapshot!(epitome(&["sessions", "prune", "--help"], b"").text(), @"
    Forget the sessions that are too old, and the oldest of what is too much

    Usage: epitome sessions prune [OPTIONS]

    Options:
          --older-than <AGE>    Forget what was not seen for so long
          --larger-than <SIZE>  Then the longest unseen, until no more than this is left
          --dry-run             Say what would go, and forget nothing
          --store <PATH|URL>    The store: a file, or postgres://user@host/database [default:
                                store.location]
          --config <FILE>       Read settings from this file [default: ./epitome.yaml, else
                                ~/.config/epitome/config.yaml]
          --tenant <NAME>       Whose sessions, as `list --tenants` names them [default: local]
          --set <KEY=VALUE>     Set one setting, as in --set compression.protect_last_n=10; may be
                                repeated
          --json                Write for programs: JSON in place of tables and sentences
      -h, --help                Print help

    Without flags, store.keep_days and store.keep_bytes count, by which a running gateway prunes every
    hour.
    Ages: 90m, 12h, 30d, 8w. Sizes: 500MB, 2GB, 1GiB; of originals and kept histories, as they are
    stored.
    ");
}
