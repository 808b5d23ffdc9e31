//! What the model sees of outputs of many formats, none of which is known by name.

use super::testing::{Quarter, check, check_for, made, output};
use super::{Interest, Readings, Room, digest};
use crate::tokens::Tokens;

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| line(at) + "\n").collect()
}

#[test]
fn a_log_is_told_by_its_levels_its_errors_and_its_odd_lines() {
    let text = lines(300, |at| match at {
        117 => "2026-03-01T10:01:57Z ERROR billing: card declined for order 8842173".to_owned(),
        208 => "2026-03-01T10:03:28Z INFO  web: GET /orders/208 200 in 9417 ms".to_owned(),
        251 => "2026-03-01T10:04:11Z WARN  pool: 3 of 64 connections left".to_owned(),
        at => format!(
            "2026-03-01T10:{:02}:{:02}Z INFO  web: GET /orders/{} 200 in {} ms",
            at / 60,
            at % 60,
            at * 7,
            at % 40
        ),
    });
    insta::assert_snapshot!(check("cat app.log", &text), @"
    [digest of log: 6 of 300 lines kept, 4,592 tokens; original 1b38f59ede48]
    1 ERROR, 1 WARN, 298 INFO
    2026-03-01T10:00:00Z INFO  web: GET /orders/0 200 in 0 ms
    …
    2026-03-01T10:01:57Z ERROR billing: card declined for order 8842173
    …
    2026-03-01T10:03:28Z INFO  web: GET /orders/208 200 in 9417 ms
    …
    2026-03-01T10:04:11Z WARN  pool: 3 of 64 connections left
    …
    2026-03-01T10:04:58Z INFO  web: GET /orders/2086 200 in 18 ms
    2026-03-01T10:04:59Z INFO  web: GET /orders/2093 200 in 19 ms
    ");
}

#[test]
fn a_table_is_told_by_its_header_and_its_odd_rows() {
    let text = format!(
        "{:<24}{:>8}{:>10}  STATUS\n{}",
        "NAME",
        "CPU",
        "RESTARTS",
        lines(80, |at| match at {
            33 => format!("{:<24}{:>8}{:>10}  CrashLoopBackOff", "payments-33", "12m", 214),
            at => format!("{:<24}{:>8}{:>10}  Running", format!("worker-{at}"), format!("{}m", 10 + at % 9), at % 2),
        })
    );
    insta::assert_snapshot!(check("kubectl top pods", &text), @"
    [digest of command output: 4 of 81 lines kept, 1,055 tokens; original 83bb9e2f244b]
    NAME                         CPU  RESTARTS  STATUS
    …
    payments-33                  12m       214  CrashLoopBackOff
    …
    worker-78                    16m         0  Running
    worker-79                    17m         1  Running
    ");
}

#[test]
fn json_is_told_by_what_is_unlike_it_under_the_name_of_its_record() {
    let record = |at: usize| {
        let state = if at == 40 { "seized" } else { "moored" };
        format!(
            " {{\n  \"ship\": \"Vessel {at}\",\n  \"imo\": {},\n  \"state\": \"{state}\",\n  \"crew\": 14\n }}",
            9_000_000 + at * 17
        )
    };
    let text = format!("[\n{}\n]\n", (0..90).map(record).collect::<Vec<_>>().join(",\n"));
    insta::assert_snapshot!(check("curl ships", &text), @r#"
    [digest of JSON: 14 of 542 lines kept, 1,844 tokens; original 175c3ab5eafd]
    [
     {
      "ship": "Vessel 0",
      "imo": 9000000,
      "state": "moored",
      "crew": 14
     },
    …
      "imo": 9000680,
      "state": "seized",
    …
      "imo": 9001513,
      "state": "moored",
      "crew": 14
     }
    ]
    "#);
}

#[test]
fn source_keeps_its_definitions_and_what_the_agent_asks_about() {
    let function = |at: usize| {
        format!(
            "def settle_{at}(order, limit=3):\n    total = {at}\n    for row in order.rows:\n        total += row.price * {at}\n    return min(total, limit)\n\n"
        )
    };
    let text = format!("import os\n\n{}", (0..24).map(function).collect::<String>());
    insta::assert_snapshot!(check_for("What does settle_17 return?", "cat orders.py", &text), @"
    [digest of source: 33 of 146 lines kept, 806 tokens; original 7c98c7c1cd10]
    1: import os
    def settle_0(order, limit=3):
    9: def settle_1(order, limit=3):
    15: def settle_2(order, limit=3):
    21: def settle_3(order, limit=3):
    27: def settle_4(order, limit=3):
    33: def settle_5(order, limit=3):
    39: def settle_6(order, limit=3):
    45: def settle_7(order, limit=3):
    51: def settle_8(order, limit=3):
    57: def settle_9(order, limit=3):
    63: def settle_10(order, limit=3):
    69: def settle_11(order, limit=3):
    75: def settle_12(
    81: def settle_13(
    87: def settle_14(
    93: def settle_15(
    99: def settle_16(
    105: def settle_17(order, limit=3):
        total = 17
        for row in order.rows:
            total += row.price * 17
        return min(total, limit)

    def settle_18(
    117: def settle_19(
    123: def settle_20(
    129: def settle_21(
    135: def settle_22(
    141: def settle_23(
    143:     for row in order.rows:
            total += row.price * 23
        return min(total, limit)
    ");
}

#[test]
fn a_diff_keeps_its_files_and_the_odd_change() {
    let file = |at: usize| {
        let line = if at == 9 { "    verify=False," } else { "    timeout=30," };
        format!(
            "diff --git a/src/job{at}.py b/src/job{at}.py\n--- a/src/job{at}.py\n+++ b/src/job{at}.py\n@@ -1,4 +1,4 @@ def run():\n     url=URL,\n-    timeout=10,\n+{line}\n     retries=3,\n"
        )
    };
    insta::assert_snapshot!(check("git diff", &(0..16).map(file).collect::<String>()), @"
    [digest of diff: 19 of 128 lines kept, 671 tokens; original 80146362e6a0]
    diff --git a/src/job0.py b/src/job0.py
    …
    diff --git a/src/job1.py b/src/job1.py
    …
    diff --git a/src/job2.py b/src/job2.py
    …
    diff --git a/src/job3.py b/src/job3.py
    …
    diff --git a/src/job4.py b/src/job4.py
    …
    diff --git a/src/job5.py b/src/job5.py
    …
    diff --git a/src/job6.py b/src/job6.py
    …
    diff --git a/src/job7.py b/src/job7.py
    …
    diff --git a/src/job9.py b/src/job9.py
    …
    +++ b/src/job9.py
    @@ -1,4 +1,4 @@ def run():
    …
    +    verify=False,
    …
    diff --git a/src/job15.py b/src/job15.py
    …
    +++ b/src/job15.py
    @@ -1,4 +1,4 @@ def run():
         url=URL,
    -    timeout=10,
    +    timeout=30,
         retries=3,
    ");
}

#[test]
fn search_hits_are_counted_by_file() {
    let text = lines(90, |at| match at {
        52 => "src/till.py:612:    retry(times=-1)  # HACK".to_owned(),
        at => format!("src/{}.py:{}:    retry(times={})", ["till", "dock", "crane"][at % 3], at * 11, at % 5),
    });
    insta::assert_snapshot!(check("grep -rn retry src", &text), @"
    [digest of command output: 5 of 90 lines kept, 795 tokens; original 2718abf903e9]
    90 lines of 3 files: src/ till.py 31, crane.py 30, dock.py 29
    src/till.py:0:    retry(times=0)
    …
    src/till.py:612:    retry(times=-1)  # HACK
    src/crane.py:583:    retry(times=3)
    …
    src/dock.py:968:    retry(times=3)
    src/crane.py:979:    retry(times=4)
    ");
}

#[test]
fn a_page_is_shown_without_its_tags() {
    let part = |at: usize| {
        format!(
            "<h2 class=\"x\">Part {at}</h2><p>In part {at} the <b>rules</b> of berth {at} are told once more, as before.</p>"
        )
    };
    let text = format!(
        "<!DOCTYPE html><html><head><title>Fees &amp; rules</title><style>p {{ color: red }}</style></head><body><nav><a href=/>Home</a></nav>{}<table><tr><td>Pass</td><td>12 EUR</td></tr></table></body></html>",
        (0..30).map(part).collect::<String>()
    );
    insta::assert_snapshot!(check("curl page", &text), @"
    [digest of web page: 34 of 63 lines kept, 815 tokens; original fbc83f925015]
    # Fees & rules
    Home
    ## Part 0
    …
    ## Part 1
    …
    ## Part 2
    …
    ## Part 3
    …
    ## Part 4
    …
    ## Part 5
    …
    ## Part 6
    …
    ## Part 7
    …
    ## Part 8
    …
    ## Part 9
    …
    ## Part 10
    …
    ## Part 11
    …
    ## Part 12
    …
    ## Part 13
    …
    ## Part 14
    …
    ## Part 15
    …
    ## Part 16
    …
    ## Part 17
    …
    ## Part 18
    …
    ## Part 19
    …
    ## Part 20
    …
    ## Part 21
    …
    ## Part 22
    …
    ## Part 23
    …
    ## Part 24
    …
    ## Part 25
    …
    ## Part 26
    …
    ## Part 27
    …
    ## Part 28
    …
    ## Part 29
    In part 29 the rules of berth 29 are told once more, as before.
    Pass | 12 EUR
    ");
}

#[test]
fn the_names_of_records_are_listed() {
    let words =
        "amber birch cedar delta ember frost grove hazel inlet jetty knoll larch maple north ochre pearl quill ridge";
    let record = |(at, name): (usize, &str)| {
        let limits = "  limits: {cpu: 500m, memory: 256Mi}\n  probe: /healthz\n  policy: Always\n";
        format!("- name: {name}\n  image: registry/app:4711\n  replicas: 2\n  port: {}\n{limits}", 8000 + at)
    };
    let text = format!("services:\n{}", words.split(' ').enumerate().map(record).collect::<String>());
    insta::assert_snapshot!(check("cat services.yaml", &text), @"
    [digest of command output: 8 of 127 lines kept, 633 tokens; original 03319c3652a8]
    18 records: amber, birch, cedar, delta, ember, frost, grove, hazel, inlet, jetty, knoll, larch, maple, north, ochre, pearl, quill, ridge
    services:
    - name: amber
      image: registry/app:4711
      replicas: 2
      port: 8000
    …
    - name: ridge
    …
      probe: /healthz
      policy: Always
    ");
}

#[test]
fn a_traceback_keeps_the_line_that_says_what_went_wrong() {
    let text = format!(
        "{}Traceback (most recent call last):\n  File \"/srv/job.py\", line 41, in run\n    settle(order)\n  File \"/srv/orders.py\", line 7, in settle\n    return order[key]\nmy.orders.Missing: 'tenant_id'\n{}",
        lines(60, |at| format!("step {at} of the import is done, {} rows", at * 10)),
        lines(60, |at| format!("step {} of the clean-up is done", at))
    );
    let digest = check("python job.py", &text);
    assert!(digest.contains("my.orders.Missing: 'tenant_id'") && digest.contains("Traceback"), "{digest}");
}

#[test]
fn thirty_lines_and_five_hundred_tokens_stay_as_they_are() {
    let long = |count: usize| {
        lines(count, |at| format!("row {at}: {}", "some words of a line that is long but no document ".repeat(4)))
    };
    assert!(made("", "cat rows", &long(30)).is_none());
    assert!(made("", "cat rows", &long(60)).is_some());
    assert!(made("", "cat rows", &lines(90, |at| format!("{at} x"))).is_none(), "fewer than 500 tokens");
}

#[test]
fn an_output_without_a_word_is_made_short_too() {
    let digest = check("cat blank", &"\n".repeat(200_000));
    assert!(digest.starts_with("[digest of command output: 1 of 200,000 lines kept"), "{digest}");
}

#[test]
fn an_error_in_a_document_on_one_line_is_kept_and_counted_once() {
    let entry = |at: usize| match at {
        70 | 130 => format!("{{\"at\": {at}, \"level\": \"error\", \"msg\": \"disk {at} of rack {at} is gone\"}}"),
        at => format!("{{\"at\": {at}, \"level\": \"info\", \"msg\": \"request {at} was served\"}}"),
    };
    let text = format!("[{}]", (0..200).map(entry).collect::<Vec<_>>().join(", "));
    let digest = made("", "cat log.json", &text).expect("a digest is made");
    assert!(digest.text.contains("disk 70 of") && digest.text.contains("disk 130 of"), "{}", digest.text);
    assert!(digest.loss.survived() && digest.refused == 0, "{:?}", digest.loss);
}

#[test]
fn what_is_left_out_of_a_small_digest_is_counted() {
    let words = ["disk", "cable", "queue", "lamp", "door", "pump", "valve", "rack", "fan", "board"];
    let text = lines(200, |at| match at % 20 {
        7 => format!("ERROR the {} of the depot is gone", words[at / 20]),
        _ => format!("step {at} of the long import of the depot is done"),
    });
    let digest =
        digest(&output("make", &text), Room::AtMost(Tokens(90)), &Interest::default(), &Quarter, &Readings::default());
    let digest = digest.expect("a digest is made");
    let shown = words.iter().filter(|word| digest.text.contains(&format!("the {word} of"))).count();
    assert_eq!((digest.loss.errors.of, digest.loss.errors.kept), (10, shown), "{}", digest.text);
    assert!(
        digest.text.contains(&format!("[… {} errors more in the original …]", 10 - shown)),
        "{shown}: {}",
        digest.text
    );
}
