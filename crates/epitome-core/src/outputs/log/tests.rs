use super::*;
use crate::outputs::testing::{check, made, output};

fn service_log() -> String {
    let mut lines = Vec::new();
    for n in 0..600 {
        let (minute, second) = (n / 60, n % 60);
        let user = ["ann", "bob", "eve"][n % 3];
        lines.push(format!(
            "2025-09-15T08:{minute:02}:{second:02}Z INFO [web-{}] GET /orders/{} user={user} status=200 dur={}ms",
            n % 4,
            1000 + n,
            20 + n % 13
        ));
    }
    lines[77] = "2025-09-15T08:01:17Z ERROR [web-1] payment provider answered 502 order=1077".into();
    lines[300] = "2025-09-15T08:05:00Z WARN [web-0] pool almost used up: 19 of 20".into();
    lines[301] = "2025-09-15T08:05:01Z WARN [web-1] pool almost used up: 20 of 20".into();
    lines[302] = "2025-09-15T08:05:02Z WARN [web-2] pool almost used up: 20 of 20".into();
    lines[400] = "2025-09-15T08:06:40Z INFO [web-0] configuration reloaded, errors=0".into();
    lines[500] = "2025-09-15T08:08:20Z INFO [web-0] GET /orders/1500 user=ann status=200 dur=9100ms".into();
    lines.insert(78, "Traceback (most recent call last):\n  File \"pay.py\", line 9, in pay\n    call()\n  File \"net.py\", line 3, in call\n    raise Bad(502)\nBad: 502".into());
    lines.join("\n")
}

#[test]
fn totals_templates_and_every_error_are_told() {
    insta::assert_snapshot!(check("tail -1000 app.log", &service_log()), @r#"
    [digest of log: 10 of 606 lines kept, 12,019 tokens; original e601b0eb09fa]
    606 lines; 1 ERROR, 3 WARN, 596 INFO; 2025-09-15T08:00:00Z–08:09:59Z
    595× INFO [web-*] GET /orders/* user=* status=* dur=*
    78: 2025-09-15T08:01:17Z ERROR [web-1] payment provider answered 502 order=1077
    79: Traceback (most recent call last):
    82:   File "net.py", line 3, in call
    83:     raise Bad(502)
    84: Bad: 502
    307: 2025-09-15T08:05:00Z WARN [web-0] pool almost used up: 19 of 20 [×3: 19, 20]
    309: 2025-09-15T08:05:02Z WARN [web-2] pool almost used up: 20 of 20
    407: 2025-09-15T08:06:40Z INFO [web-0] configuration reloaded, errors=0
    507: 2025-09-15T08:08:20Z INFO [web-0] GET /orders/1500 user=ann status=200 dur=9100ms
    606: 2025-09-15T08:09:59Z INFO [web-3] GET /orders/1599 user=eve status=200 dur=21ms
    "#);
}

#[test]
fn a_server_error_in_an_access_log_is_an_error() {
    let line = |n: usize, status: u16| {
        format!(
            "10.0.0.{} - - [15/Sep/2025:08:{:02}:{:02} +0000] \"GET /a/{n} HTTP/1.1\" {status} {}",
            n % 9,
            n / 60,
            n % 60,
            n * 7
        )
    };
    let text: String = (0..200)
        .map(|n| {
            line(
                n,
                if n == 120 {
                    503
                } else if n % 50 == 1 {
                    404
                } else {
                    200
                },
            ) + "\n"
        })
        .collect();
    insta::assert_snapshot!(check("cat access.log", &text), @r#"
    [digest of log: 3 of 200 lines kept, 3,583 tokens; original 31bc65271487]
    200 lines; status 200×195, 404×4, 503×1; 15/Sep/2025:08:00:00 +0000–08:03:19 +0000
    199× GET /a/*
    2: 10.0.0.1 - - [15/Sep/2025:08:00:01 +0000] "GET /a/1 HTTP/1.1" 404 7
    121: 10.0.0.3 - - [15/Sep/2025:08:02:00 +0000] "GET /a/120 HTTP/1.1" 503 840
    200: 10.0.0.1 - - [15/Sep/2025:08:03:19 +0000] "GET /a/199 HTTP/1.1" 200 1393
    "#);
}

#[test]
fn records_in_json_are_lines_of_a_log() {
    let text: String = (0..120)
        .map(|n| {
            let (level, said) = if n == 60 { ("error", "queue full") } else { ("info", "job done") };
            format!(
                "{{\"ts\":\"2025-09-15T08:00:{:02}Z\",\"level\":\"{level}\",\"msg\":\"{said}\",\"job\":{n}}}\r\n",
                n % 60
            )
        })
        .collect();
    insta::assert_snapshot!(check("kubectl logs worker", &text), @r#"
    [digest of log: 2 of 120 lines kept, 2,164 tokens; original 852b6c9e4554]
    120 lines; 1 ERROR, 119 INFO; 2025-09-15T08:00:00Z–08:00:59Z
    119× INFO job done
    61: {"ts":"2025-09-15T08:00:00Z","level":"error","msg":"queue full","job":60}
    120: {"ts":"2025-09-15T08:00:59Z","level":"info","msg":"job done","job":119}
    "#);
}

#[test]
fn repeated_errors_of_a_cluster_are_told_once() {
    let text: String = (0..150)
        .map(|n| {
            let letter = if n % 3 == 0 { 'E' } else { 'I' };
            let said = if n % 3 == 0 { format!("cannot reach node-{}", n % 2) } else { format!("synced {n} pods") };
            format!("{letter}0915 08:{:02}:{:02}.000001       1 sync.go:12] {said}\n", n / 60, n % 60)
        })
        .collect();
    insta::assert_snapshot!(check("kubectl logs manager", &text), @"
    [digest of log: 3 of 150 lines kept, 2,207 tokens; original 3c1c1526963e]
    150 lines; 50 ERROR, 100 INFO; 08:00:00.000001–08:02:29.000001
    100× * sync.go:*] synced * pods
    1: E0915 08:00:00.000001       1 sync.go:12] cannot reach node-0 [×50: 0, 1]
    148: E0915 08:02:27.000001       1 sync.go:12] cannot reach node-1
    150: I0915 08:02:29.000001       1 sync.go:12] synced 149 pods
    ");
}

#[test]
fn an_information_that_mentions_an_error_is_kept_if_it_is_rare() {
    let mut lines: Vec<String> =
        (0..200).map(|n| format!("08:00:{:02} INFO request {n} done, error rate {n}%", n % 60)).collect();
    lines[50] = "08:00:50 INFO payment of order 12 failed: card declined".into();
    insta::assert_snapshot!(check("tail app.log", &lines.join("\n")), @"
    [digest of log: 3 of 200 lines kept, 2,348 tokens; original 14421fd4367d]
    200 lines; 200 INFO; 08:00:00–08:00:59
    199× INFO request * done, error rate *%
    1: 08:00:00 INFO request 0 done, error rate 0%
    51: 08:00:50 INFO payment of order 12 failed: card declined
    200: 08:00:19 INFO request 199 done, error rate 199%
    ");
}

#[test]
fn single_errors_are_not_lost_among_many_of_another_kind() {
    let mut lines: Vec<String> = (0..300)
        .map(|n| match n % 7 {
            0 => format!(
                "2025-09-15 08:{:02}:{:02} ERROR worker {n} could not reach the queue at queue{}.internal because the connection was refused by the peer, retry {n}",
                n / 60,
                n % 60,
                n % 3
            ),
            _ => format!("2025-09-15 08:{:02}:{:02} INFO worker {n} done in {}ms", n / 60, n % 60, n % 9),
        })
        .collect();
    lines[31] = "2025-09-15 08:00:31 ERROR worker 31 could not reach the store at store1.internal because the certificate was refused by the peer, retry 1".into();
    lines[101] = "2025-09-15 08:01:41 ERROR worker 101 level=error msg=timeout job=3".into();
    lines[102] = "2025-09-15 08:01:42 ERROR worker 102 level=error msg=overflow job=4".into();
    let digest = check("cat worker.log", &lines.join("\n"));
    for kept in ["the certificate was refused", "msg=timeout", "msg=overflow", "[×43"] {
        assert!(digest.contains(kept), "{kept} in {digest}");
    }
}

#[test]
fn every_server_error_is_told_with_its_page() {
    let text: String = (0..300)
        .map(|n| {
            let (method, page, status, size) = match n {
                40..60 => ("GET", format!("/api/cart/{n}"), 503, 90),
                77 => ("POST", "/api/pay/7".to_owned(), 503, 90),
                78 => ("GET", "/api/cart/78".to_owned(), 500, 90),
                150 => ("GET", "/export/all".to_owned(), 200, 912_000_000),
                _ => ("GET", format!("/item/{n}?q={n}"), if n % 40 == 1 { 404 } else { 200 }, 500 + n),
            };
            format!(
                "10.0.0.{} - - [15/Sep/2025:08:{:02}:{:02} +0000] \"{method} {page} HTTP/1.1\" {status} {size} \"-\" \"Mozilla/5.0 (X11; Linux)\"\n",
                n % 9,
                n / 60,
                n % 60,
            )
        })
        .collect();
    insta::assert_snapshot!(check("cat access.log", &text), @r#"
    [digest of log: 8 of 300 lines kept, 8,335 tokens; original 9e7d34dc8ebf]
    300 lines; status 200×271, 404×7, 500×1, 503×21; 15/Sep/2025:08:00:00 +0000–08:04:59 +0000
    2: 10.0.0.1 - - [15/Sep/2025:08:00:01 +0000] "GET /item/1?q=1 HTTP/1.1" 404 501 "-" "Mozilla/5.0 (X11; Linux)"
    41: 10.0.0.4 - - [15/Sep/2025:08:00:40 +0000] "GET /api/cart/40 HTTP/1.1" 503 90 "-" "Mozilla/5.0 (X11; Linux)" [×20: 10.0.0.4, 10.0.0.5, 10.0.0.6, 10.0.0.7, 10.0.0.8, 10.0.0.0, 10.0.0.1, 10.0.0.2, 10.0.0.3]
    60: 10.0.0.5 - - [15/Sep/2025:08:00:59 +0000] "GET /api/cart/59 HTTP/1.1" 503 90 "-" "Mozilla/5.0 (X11; Linux)"
    78: 10.0.0.5 - - [15/Sep/2025:08:01:17 +0000] "POST /api/pay/7 HTTP/1.1" 503 90 "-" "Mozilla/5.0 (X11; Linux)"
    79: 10.0.0.6 - - [15/Sep/2025:08:01:18 +0000] "GET /api/cart/78 HTTP/1.1" 500 90 "-" "Mozilla/5.0 (X11; Linux)"
    151: 10.0.0.6 - - [15/Sep/2025:08:02:30 +0000] "GET /export/all HTTP/1.1" 200 912000000 "-" "Mozilla/5.0 (X11; Linux)"
    299: 10.0.0.1 - - [15/Sep/2025:08:04:58 +0000] "GET /item/298?q=298 HTTP/1.1" 200 798 "-" "Mozilla/5.0 (X11; Linux)"
    300: 10.0.0.2 - - [15/Sep/2025:08:04:59 +0000] "GET /item/299?q=299 HTTP/1.1" 200 799 "-" "Mozilla/5.0 (X11; Linux)"
    "#);
}

#[test]
fn a_line_unlike_all_others_survives_without_levels() {
    let mut lines: Vec<String> = (0..400)
        .map(|n| format!("{:02}:{:02}:{:02} pump {} pressure {}.{} bar", n / 60, n % 60, n % 7, n % 4, 4, n % 10))
        .collect();
    lines[222] = "03:42:05 pump 3 lost pressure".into();
    lines[223] = "03:43:05 pump 2 pressure falling fast".into();
    insta::assert_snapshot!(check("cat ship.log", &lines.join("\n")), @"
    [digest of log: 3 of 400 lines kept, 3,301 tokens; original 4418c3aa6712]
    400 lines; 00:00:00–06:39:00
    398× pump * pressure * bar
    223: 03:42:05 pump 3 lost pressure
    224: 03:43:05 pump 2 pressure falling fast
    400: 06:39:00 pump 3 pressure 4.9 bar
    ");
}

#[test]
fn an_exception_is_told_with_the_frame_that_raised_it() {
    let mut lines: Vec<String> =
        (0..120).map(|n| format!("2025-09-15 08:00:{:02},001 - app - INFO - request {n} served", n % 60)).collect();
    lines[60] = "2025-09-15 08:01:00,001 - app - ERROR - request 60 went wrong\n    Traceback (most recent call last):\n      File \"/app/web.py\", line 12, in serve\n        total = price(order)\n      File \"/app/price.py\", line 88, in price\n        return rates[order.currency]\n               ~~~~~^^^^^^^^^^^^^^^^\n    KeyError: 'CHF'".into();
    lines[80] = "ERROR:root:nightly sync broke\nTraceback (most recent call last):\n  File \"/app/sync.py\", line 5, in run\n    pull()\n  File \"/app/net.py\", line 7, in pull\n    raise TimeoutError(host)\n    ^^^^^^^^^^^^^^^^^^^^^^^^\nTimeoutError: db7".into();
    insta::assert_snapshot!(check("cat app.log", &lines.join("\n")), @r#"
    [digest of log: 11 of 134 lines kept, 1,820 tokens; original d2386b41f12b]
    134 lines; 2 ERROR, 118 INFO; 2025-09-15 08:00:00,001–08:01:00,001
    118× app - INFO - request * served
    61: 2025-09-15 08:01:00,001 - app - ERROR - request 60 went wrong
    62:     Traceback (most recent call last):
    65:       File "/app/price.py", line 88, in price
    66:         return rates[order.currency]
    68:     KeyError: 'CHF'
    88: ERROR:root:nightly sync broke
    89: Traceback (most recent call last):
    92:   File "/app/net.py", line 7, in pull
    93:     raise TimeoutError(host)
    95: TimeoutError: db7
    134: 2025-09-15 08:00:59,001 - app - INFO - request 119 served
    "#);
}

#[test]
fn encoded_data_does_not_hide_the_message_behind_it() {
    let mut lines: Vec<String> =
        (0..100).map(|n| format!("Sep 15 08:00:{:02} host app[1]: request {n} served", n % 60)).collect();
    let data = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0".repeat(60);
    lines[50] = format!("Sep 15 08:00:50 host app[1]: ERROR payload={data} could not be stored: disk is read-only");
    lines[51] = "Sep 15 08:00:51 host kernel: Out of memory: Killed process 4242 (postgres)".into();
    let digest = check("journalctl", &lines.join("\n"));
    for kept in ["could not be stored: disk is read-only", "Killed process 4242 (postgres)"] {
        assert!(digest.contains(kept), "{kept} in {digest}");
    }
    assert!(!digest.contains(&data), "{digest}");
}

#[test]
fn one_value_unlike_all_others_is_kept_whatever_its_unit() {
    let line = |n: usize, mode: &str, took: usize| {
        format!("2025-09-15T08:{:02}:{:02}Z INFO sync shard={n} mode={mode} rows={took}\n", n / 60, n % 60)
    };
    let text: String = (0..180)
        .map(|n| match n {
            70 => line(n, "delta", 90_000),
            120 => line(n, "full", 14),
            _ => line(n, "delta", 10 + n % 9),
        })
        .collect();
    insta::assert_snapshot!(check("cat sync.log", &text), @"
    [digest of log: 3 of 180 lines kept, 2,673 tokens; original 225ad092176b]
    180 lines; 180 INFO; 2025-09-15T08:00:00Z–08:02:59Z
    180× INFO sync shard=* mode=* rows=*
    71: 2025-09-15T08:01:10Z INFO sync shard=70 mode=delta rows=90000
    121: 2025-09-15T08:02:00Z INFO sync shard=120 mode=full rows=14
    180: 2025-09-15T08:02:59Z INFO sync shard=179 mode=delta rows=18
    ");
}

#[test]
fn times_out_of_order_and_what_stands_above_the_log_are_told() {
    let mut text = String::from("unit backup.service\n   State: failed (result 3)\n\n");
    for n in 0..60 {
        text.push_str(&format!("Sep 15 {:02}:00:{n:02} host backup[7]: 已复制 {n} 个文件\n", (n + 12) % 24));
    }
    insta::assert_snapshot!(check("status backup", &text), @"
    [digest of log: 5 of 63 lines kept, 835 tokens; original e85cffc86d3c]
    63 lines; Sep 15 00:00:12–Sep 15 23:00:59
    60× host backup[*]: 已复制 * 个文件
    1: unit backup.service
    2:    State: failed (result 3)
    16: Sep 15 00:00:12 host backup[7]: 已复制 12 个文件 [the time goes back 23h00m]
    40: Sep 15 00:00:36 host backup[7]: 已复制 36 个文件 [the time goes back 23h00m]
    63: Sep 15 23:00:59 host backup[7]: 已复制 59 个文件
    ");
}

#[test]
fn a_rare_status_is_kept_with_its_line() {
    let text: String = (0..120)
        .map(|n| {
            let page = ["cart", "item", "user", "help"][n % 4];
            let status = if n == 77 { 403 } else { 200 };
            format!(
                "10.0.0.{} - - [15/Sep/2025:08:00:{:02} +0000] \"GET /{page} HTTP/1.1\" {status} {}\n",
                n % 9,
                n % 60,
                500 + n % 40
            )
        })
        .collect();
    assert!(check("cat access.log", &text).contains("\n78: 10.0.0.5"));
}

#[test]
fn who_wrote_which_line_is_no_log() {
    let text: String =
        (0..40).map(|n| format!("{n:08x} (Ann Lee 2025-09-15 08:00:{n:02} +0200 {n:3}) let x = {n};\n")).collect();
    assert!(Log.read(&output("git blame a.rs", &text), Effort::Full).is_none());
}

#[test]
fn what_is_no_log_is_not_taken_for_one() {
    let listing = "-rw-r--r-- 1 u g 12 2025-09-15 08:00:00.000 +0000 a.txt\n".repeat(20);
    let table = format!("time,host,ms\n{}", "2025-09-15T08:00:00Z,web,12\n".repeat(20));
    let history = "commit 12ab\nAuthor: x\nDate:   Mon Sep 15 08:00:00 2025 +0200\n\n    words\n\n".repeat(9);
    let compiler = "warning: unused variable\n  --> src/a.rs:3\nerror: no\n".repeat(9);
    let few = "2025-09-15T08:00:00Z INFO a\n".repeat(4);
    for text in [listing.as_str(), &table, &history, &compiler, &few, "", "one line", &"plain words\n".repeat(30)] {
        assert!(Log.read(&output("x", text), Effort::Full).is_none(), "{text}");
    }
}

#[test]
fn an_odd_value_below_a_line_is_kept() {
    let text: String = (0..60)
        .map(|n| {
            let (free, query) = match n {
                21 => (3, "DROP INDEX\n\t  ON parts"),
                _ => (700 + n % 9, "SELECT id\n\t  FROM parts"),
            };
            format!("2025-09-15 08:00:{n:02} INFO report {n} for {query}\n  used: 12\n  free: {free} MB\n")
        })
        .collect();
    let digest = check("cat reports.log", &text);
    for kept in ["DROP INDEX", "ON parts", "free: 3 MB"] {
        assert!(digest.contains(kept), "{kept} in {digest}");
    }
}

#[test]
fn a_silence_is_told_with_the_line_behind_it() {
    let text: String =
        (0..90).map(|n| format!("2025-09-15 {:02}:00:{:02} INFO poll {n} done\n", 8 + n / 60 * 4, n % 60)).collect();
    insta::assert_snapshot!(check("cat poll.log", &text), @"
    [digest of log: 2 of 90 lines kept, 853 tokens; original 0b96fb3b0318]
    90 lines; 90 INFO; 2025-09-15 08:00:00–12:00:29
    90× INFO poll * done
    61: 2025-09-15 12:00:00 INFO poll 60 done [after 3h59m of silence]
    90: 2025-09-15 12:00:29 INFO poll 89 done
    ");
}

#[test]
fn line_ends_of_windows_count_the_same() {
    let text: String = (0..80)
        .map(|n| match n % 20 {
            7 => format!("08:00:{:02} ERROR disk sd{} is full\n", n % 60, ["a", "b"][n / 20 % 2]),
            _ => format!("08:00:{:02} INFO wrote {n} blocks\n", n % 60),
        })
        .collect();
    let loss = |text: &str| made("", "cat disk.log", text).expect("a digest is made").loss;
    let kept = |loss: crate::outputs::Loss| (loss.errors, loss.failures, loss.outliers, loss.warnings, loss.units);
    assert_eq!(kept(loss(&text)), kept(loss(&text.replace('\n', "\r\n"))));
}
