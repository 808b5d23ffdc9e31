use super::reader::is_separator;
use super::*;
use crate::outputs::testing::{check, check_for, made, output};

fn users(count: usize) -> Vec<String> {
    let plans = ["free", "pro", "team"];
    let user = |n: usize| {
        format!(
            r#"{{"id": {}, "email": "user{n}@example.org", "status": "active", "plan": "{}", "balance_cents": {}, "flags": {{"beta": false, "mfa": true}}}}"#,
            10_000 + n,
            plans[n * 7 % 3],
            n * 7_919 % 9_000
        )
    };
    (0..count).map(user).collect()
}

fn planted() -> Vec<String> {
    let mut users = users(200);
    users[61] = users[61].replace("active", "suspended");
    users[120] = users[120].replace("\"balance_cents\": ", "\"balance_cents\": 95000");
    users[150] = users[150].replace("\"user150@example.org\"", "null");
    users[177] = users[177].replace("{\"id\"", "{\"error\": \"webhook failed: 502\", \"id\"");
    users
}

#[test]
fn a_list_is_told_by_its_schema_and_by_what_is_unlike_it() {
    let text = format!(r#"{{"object": "list", "total": 200, "next": null, "data": [{}]}}"#, planted().join(", "));
    insta::assert_snapshot!(check("curl -s api/users", &text), @r#"
    [digest of JSON: 6 of 200 records kept, 7,220 tokens; original 18ded78f2b66]
    data: 200 × {id: 10000–10199, email: email, status: active 199×, plan: free 67×|pro 67×|team 66×, balance_cents: 0–8975, flags: {beta: false, mfa: true}, error?: 1×}
    object: "list", total: 200, next: null
    {"id":10000,"email":"user0@example.org","status":"active","plan":"free","balance_cents":0,"flags":{"beta":false,"mfa":true}}
    [… 60 records …]
    {"id":10061,"email":"user61@example.org","status":"suspended","plan":"pro","balance_cents":6059,"flags":{"beta":false,"mfa":true}} ← status
    [… 58 records …]
    {"id":10120,"email":"user120@example.org","status":"active","plan":"free","balance_cents":950005280,"flags":{"beta":false,"mfa":true}} ← balance_cents
    [… 29 records …]
    {"id":10150,"email":null,"status":"active","plan":"free","balance_cents":8850,"flags":{"beta":false,"mfa":true}} ← email
    [… 26 records …]
    {"error":"webhook failed: 502","id":10177,"email":"user177@example.org","status":"active","plan":"free","balance_cents":6663,"flags":{"beta":false,"mfa":true}}
    [… 21 records …]
    {"id":10199,"email":"user199@example.org","status":"active","plan":"pro","balance_cents":881,"flags":{"beta":false,"mfa":true}}
    "#);
}

fn tree(depth: usize, label: &str, planted: &str) -> String {
    let own = if label == "r.1.0.1" { planted } else { "" };
    let children: Vec<String> = match depth {
        0 => Vec::new(),
        _ => (0..3).map(|n| tree(depth - 1, &format!("{label}.{n}"), planted)).collect(),
    };
    let size = label.len() * 3;
    format!(r#"{{"name": "{label}", "kind": "folder", "size": {size}{own}, "children": [{}]}}"#, children.join(", "))
}

#[test]
fn what_stands_once_in_a_deep_tree_is_kept_with_its_path() {
    let text = tree(4, "r", r#", "note": "owner left, do not delete""#);
    let digest = check("cat tree.json", &text);
    assert!(digest.contains(r#"children[1].children[0].children[1].note: "owner left, do not delete""#), "{digest}");
    let text = format!(
        "[{}]",
        (0..6)
            .map(|n| tree(3, &format!("{n}"), ""))
            .chain([tree(3, "r", r#", "note": "mind the gap""#)])
            .collect::<Vec<_>>()
            .join(",")
    );
    let digest = check("cat trees.json", &text);
    assert!(digest.contains("mind the gap"), "{digest}");
    // Settings have keys that stand once.
    let settings: Vec<String> = (0..60).map(|n| format!(r#""key_{n}": [[{{"only_{n}": "v"}}]]"#)).collect();
    let digest =
        check("cat settings.json", &format!("{{{}, \"x\": \"{}\"}}", settings.join(", "), "word ".repeat(200)));
    assert!(!digest.contains("only_30"), "{digest}");
}

#[test]
fn a_traceback_in_a_string_keeps_what_was_raised_and_where() {
    let frames: String = (0..12)
        .map(|n| format!("  File \\\"app/part_{n}.py\\\", line {n}, in step_{n}\\n    step_{}()\\n", n + 1))
        .collect();
    let text = format!(
        r#"{{"id": 7, "detail": "Traceback (most recent call last):\n{frames}  File \"app/pay.py\", line 88, in charge\n    raise CardDeclined(code)\nshop.CardDeclined: do_not_honor\n", "body": "{}"}}"#,
        "words of the request ".repeat(100)
    );
    let digest = check("curl", &text);
    assert!(digest.contains("CardDeclined: do_not_honor") && digest.contains("line 88, in charge"), "{digest}");
}

#[test]
fn encoded_data_is_told_by_its_size() {
    let data = "iVBORw0KGgo9AAAB3".repeat(300);
    let digest = check("curl", &format!(r#"{{"name": "logo", "data": "{data}", "type": "png"}}"#));
    assert!(digest.contains("5,100 chars of encoded data") && !digest.contains("iVBOR"), "{digest}");
}

#[test]
fn white_space_changes_nothing_but_the_size() {
    let compact = format!("[{}]", planted().join(","));
    let value: serde_json::Value = serde_json::from_str(&compact).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let body = |text: &str| check("curl", text).lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    // The first and the last record are shown as far as there is room, which differs by a space or two.
    let findings = |text: &str| body(text).into_iter().filter(|line| line.contains('←')).count();
    assert_eq!(findings(&compact), 3);
    assert_eq!(findings(&pretty), 3);
}

#[test]
fn lines_of_json_are_records() {
    insta::assert_snapshot!(check("cat users.jsonl", &planted().join("\n")), @r#"
    [digest of JSON: 6 of 200 records kept, 7,156 tokens; original 0a739dce4f21]
    200 × {id: 10000–10199, email: email, status: active 199×, plan: free 67×|pro 67×|team 66×, balance_cents: 0–8975, flags: {beta: false, mfa: true}, error?: 1×}
    {"id":10000,"email":"user0@example.org","status":"active","plan":"free","balance_cents":0,"flags":{"beta":false,"mfa":true}}
    [… 60 records …]
    {"id":10061,"email":"user61@example.org","status":"suspended","plan":"pro","balance_cents":6059,"flags":{"beta":false,"mfa":true}} ← status
    [… 58 records …]
    {"id":10120,"email":"user120@example.org","status":"active","plan":"free","balance_cents":950005280,"flags":{"beta":false,"mfa":true}} ← balance_cents
    [… 29 records …]
    {"id":10150,"email":null,"status":"active","plan":"free","balance_cents":8850,"flags":{"beta":false,"mfa":true}} ← email
    [… 26 records …]
    {"error":"webhook failed: 502","id":10177,"email":"user177@example.org","status":"active","plan":"free","balance_cents":6663,"flags":{"beta":false,"mfa":true}}
    [… 21 records …]
    {"id":10199,"email":"user199@example.org","status":"active","plan":"pro","balance_cents":881,"flags":{"beta":false,"mfa":true}}
    "#);
}

#[test]
fn one_of_a_few_records_is_kept_if_it_is_unlike_all_others() {
    let record = |n: usize| {
        let (state, code) = if n == 3 { ("gone", 9) } else { ("up", 0) };
        let notes: Vec<String> = (0..20).map(|note| format!("\"note {note} of {n}\"")).collect();
        format!(r#"{{"host": "h{n}", "state": {{"now": "{state}", "code": {code}}}, "notes": [{}]}}"#, notes.join(", "))
    };
    let text = format!("[{}]", (0..7).map(record).collect::<Vec<_>>().join(", "));
    let digest = check("hosts --json", &text);
    assert!(digest.contains(r#"{host: "h3", state.now: "gone", state.code: 9, …}"#), "{digest}");
}

#[test]
fn a_long_record_is_told_by_its_name_and_by_what_is_unlike_the_others() {
    let record = |n: usize| {
        let health = if n == 17 {
            r#", "Health": {"Status": "lagging", "Streak": 41, "Log": [{"Output": "behind by 9 segments"}]}"#
        } else {
            ""
        };
        let labels: Vec<String> = (0..16).map(|label| format!(r#""label.{label}": "of the usual sort""#)).collect();
        format!(
            r#"{{"Digest": "{n:064x}", "Spec": {{"Labels": {{{}}}, "Replicas": 2}}, "State": {{"Up": true{health}}}, "Name": "mirror-{n}"}}"#,
            labels.join(", ")
        )
    };
    let text = format!("[{}]", (0..30).map(record).collect::<Vec<_>>().join(",\n"));
    insta::assert_snapshot!(check("mirrors --json", &text), @r#"
    [digest of JSON: 2 of 30 records kept, 5,113 tokens; original b4293a2b5743]
    30 × {Digest: hex, Name: text, Spec: {Replicas: 2, Labels.label.0: of the usual sort, Labels.label.1: of the usual sort, Labels.label.2: of the usual sort, Labels.label.3: of the usual sort, Labels.label.4: of the usual sort, Labels.label.5: of the usual sort, Labels.label.6: of the usual sort, Labels.label.7: of the usual sort, Labels.label.8: of the usual sort, 7 more}, and 1 more: State}
    [… 17 records …]
    {Name: "mirror-17", State.Health.Status: "lagging", State.Health.Streak: 41, State.Health.Log: [{"Output":"behind by 9 segments"}], Digest: "00000000000000000000000000[… 25 chars …]0000000000011", …}
    [… 11 records …]
    {"Digest":"0000000000000000000000000000000000000000[… 4 chars …]0000000000000000001d","Spec":{"Labels":{… 16},"Replicas":2},"State":{"Up":true},"Name":"mirror-29"}
    "#);
}

#[test]
fn a_notebook_keeps_its_headings_and_the_cell_that_failed() {
    let cell = |n: usize| match n {
        0 | 10 | 20 => {
            serde_json::json!({"cell_type": "markdown", "metadata": {}, "source": [format!("## Step {n}: weigh\n"), "Words about it."]})
        }
        13 => {
            serde_json::json!({"cell_type": "code", "execution_count": 13, "metadata": {}, "source": ["x = 1\n", "df['weight'].sum()"],
            "outputs": [{"output_type": "error", "ename": "KeyError", "evalue": "'weight'", "traceback": ["frame ".repeat(200)]}]})
        }
        _ => {
            serde_json::json!({"cell_type": "code", "execution_count": n, "metadata": {}, "source": [format!("plot({n})")],
            "outputs": [{"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo9AAAB3".repeat(40)}, "metadata": {}}]})
        }
    };
    let text = serde_json::json!({"cells": (0..30).map(cell).collect::<Vec<_>>(), "metadata": {}, "nbformat": 4, "nbformat_minor": 5});
    insta::assert_snapshot!(check("cat study.ipynb", &serde_json::to_string_pretty(&text).unwrap()), @"
    [digest of JSON: 28 of 30 records kept, 6,959 tokens; original 894310a5e83d]
    30 cells, 1 error
    [1] ## Step 0: weigh
    [2] plot(1)
    [3] plot(2)
    [4] plot(3)
    [5] plot(4)
    [6] plot(5)
    [7] plot(6)
    [8] plot(7)
    [9] plot(8)
    [10] plot(9)
    [11] ## Step 10: weigh
    [12] plot(11)
    [13] plot(12)
    [14] df['weight'].sum() → KeyError: 'weight'
    [15] plot(14)
    [16] plot(15)
    [17] plot(16)
    [18] plot(17)
    [19] plot(18)
    [20] plot(19)
    [21] ## Step 20: weigh
    [22] plot(21)
    [23] plot(22)
    [24] plot(23)
    [25] plot(24)
    [26] plot(25)
    [27] plot(26)
    [30] plot(29)
    ");
}

#[test]
fn one_value_of_a_map_that_is_unlike_the_others_is_kept() {
    let flags: Vec<String> = (0..90).map(|n| format!("\"feature_{n}\": {}", n != 47)).collect();
    let digest = check("cat flags.json", &format!("{{{}}}", flags.join(",\n ")));
    assert!(digest.contains("feature_47: false"), "{digest}");
}

#[test]
fn a_document_that_breaks_off_is_read_as_far_as_it_goes() {
    let text = format!("HTTP/1.1 200 OK\ncontent-type: application/json\n\n[{}", users(80).join(",\n"));
    let text = format!("{}\n[output truncated]", &text[..9_000]);
    insta::assert_snapshot!(check("curl -i", &text), @r#"
    [digest of JSON: 3 of 63 records kept, 2,255 tokens; original c7375247776d]
    breaks off
    62 × {id: 10000–10061, email: email, status: active, plan: free 21×|pro 21×|team 20×, balance_cents: 0–8975, flags: {beta: false, mfa: true}} and one that breaks off
    {"id":10000,"email":"user0@example.org","status":"active","plan":"free","balance_cents":0,"flags":{"beta":false,"mfa":true}}
    [… 60 records …]
    {"id":10061,"email":"user61@example.org","status":"active","plan":"pro","balance_cents":6059,"flags":{"beta":false,"mfa":true}}
    {"id": 10062, "email": "user62@example.org", "status": "active …
    [output truncated]
    "#);
}

#[test]
fn records_behind_a_cut_in_the_middle_are_found_again() {
    let text = format!("{{\"total\": 200, \"data\": [{}]}}", planted().join(", "));
    let text = format!("{}… 6000 chars truncated …{}", &text[..7_000], &text[13_000..]);
    insta::assert_snapshot!(check("curl", &text), @r#"
    [digest of JSON: 5 of 157 records kept, 5,719 tokens; original d4d8b12f40b8]
    cut in the middle
    data: 157 × {id: 10000–10199, email: email, status: active, plan: pro 53×|free 52×|team 52×, balance_cents: 0–8975, flags: {beta: false, mfa: true}, error?: 1×}
    total: 200
    {"id":10000,"email":"user0@example.org","status":"active","plan":"free","balance_cents":0,"flags":{"beta":false,"mfa":true}}
    [… 76 records …]
    {"id":10120,"email":"user120@example.org","status":"active","plan":"free","balance_cents":950005280,"flags":{"beta":false,"mfa":true}} ← balance_cents
    [… 29 records …]
    {"id":10150,"email":null,"status":"active","plan":"free","balance_cents":8850,"flags":{"beta":false,"mfa":true}} ← email
    [… 26 records …]
    {"error":"webhook failed: 502","id":10177,"email":"user177@example.org","status":"active","plan":"free","balance_cents":6663,"flags":{"beta":false,"mfa":true}}
    [… 21 records …]
    {"id":10199,"email":"user199@example.org","status":"active","plan":"pro","balance_cents":881,"flags":{"beta":false,"mfa":true}}
    "#);
}

#[test]
fn an_object_is_told_by_its_keys() {
    let document = serde_json::json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "prod", "annotations": {"note": "n".repeat(900)}},
        "spec": {"replicas": 3, "template": {"spec": {"containers": [{"name": "web", "image": "nginx:1.25", "env": [{"name": "A", "value": "1"}]}]}}},
        "status": {
            "replicas": 3,
            "conditions": [
                {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable"},
                {"type": "Progressing", "status": "False", "message": "ReplicaSet web-1 has timed out progressing."},
            ],
            "history": (0..40).collect::<Vec<_>>(),
        },
    });
    insta::assert_snapshot!(check("kubectl get deploy web -o json", &serde_json::to_string_pretty(&document).unwrap()), @r#"
    [digest of JSON: 85 of 87 lines kept, 532 tokens; original 885d09e7d72f]
    apiVersion: "apps/v1", kind: "Deployment"
    metadata: {name: "web", namespace: "prod"}
    spec: {"replicas":3,"template":{"spec":{"containers":[{"name":"web","image":"nginx:1.25","env":[{"name":"A","value":"1"}]}]}}}
    status: {"replicas":3,"conditions":[{"type":"Available","status":"False","reason":"MinimumReplicasUnavailable"},{"type":"Progressing","status":"False","message":"ReplicaSet web-1 has timed out progressing."}],"history":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39]}
    "#);
}

#[test]
fn errors_of_an_answer_are_kept_whole() {
    let document = serde_json::json!({
        "data": null,
        "errors": [{"message": "Field 'plan' doesn't exist on type 'User'", "path": ["query", "user"], "locations": [{"line": 3, "column": 5}]}],
        "extensions": {"trace": "t".repeat(3_000)},
    });
    insta::assert_snapshot!(check("curl graphql", &document.to_string()), @r#"
    [digest of JSON: 3 of 3 passages kept, 792 tokens; original 9c1a7a123237]
    data: null
    errors: [{"message":"Field 'plan' doesn't exist on type 'User'","path":["query","user"],"locations":[{"line":3,"column":5}]}]
    extensions.trace: "tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt[… 2,841 chars …]ttttttttttttttttttttttttttttttttttttttttttttttttttttt"
    "#);
}

#[test]
fn a_log_in_a_string_gives_its_errors() {
    let mut log: Vec<String> = (0..120).map(|n| format!("step {n} of 120 is done")).collect();
    log[70] = "error: step 70 does not link".into();
    let document = serde_json::json!({"exit_code": 1, "stdout": log.join("\n")});
    insta::assert_snapshot!(check("run", &document.to_string()), @"
    [digest of JSON: 2 of 2 passages kept, 731 tokens; original f8cdfcdc24fa]
    exit_code: 1
    stdout: 120 lines
      step 0 of 120 is done
      step 1 of 120 is done
      error: step 70 does not link
      step 119 of 120 is done
    ");
}

#[test]
fn what_the_agent_looks_for_is_shown() {
    let text = format!("[{}]", users(200).join(","));
    assert!(!check("curl", &text).contains("user133@"));
    assert!(check_for("who is user133@example.org?", "curl", &text).contains("user133@example.org"));
}

#[test]
fn a_map_of_records_is_a_list() {
    let entries: Vec<String> = (0..60)
        .map(|n| {
            format!(
                r#""node_modules/p{n}": {{"version": "1.{n}.0", "license": "{}"}}"#,
                if n == 31 { "GPL-3.0" } else { "MIT" }
            )
        })
        .collect();
    let text = format!(r#"{{"name": "app", "lockfileVersion": 3, "packages": {{{}}}}}"#, entries.join(",\n"));
    insta::assert_snapshot!(check("cat package-lock.json", &text), @r#"
    [digest of JSON: 6 of 60 records kept, 924 tokens; original 6f9e5c4a7277]
    packages: 60 × {version: text, license: MIT 59×}
    name: "app", lockfileVersion: 3
    "node_modules/p0":{"version":"1.0.0","license":"MIT"}
    "node_modules/p1":{"version":"1.1.0","license":"MIT"}
    [… 29 records …]
    "node_modules/p31":{"version":"1.31.0","license":"GPL-3.0"} ← license
    [… 25 records …]
    "node_modules/p57":{"version":"1.57.0","license":"MIT"}
    "node_modules/p58":{"version":"1.58.0","license":"MIT"}
    "node_modules/p59":{"version":"1.59.0","license":"MIT"}
    "#);
}

#[track_caller]
fn not_json(text: &str) {
    assert_eq!(Json.read(&output("x", text), Effort::Full), None);
}

#[test]
fn other_outputs_are_left_to_other_kinds() {
    not_json("");
    not_json("{}");
    not_json("one line");
    not_json(&"[INFO] started\n[WARN] slow\n".repeat(50));
    not_json(&"{ let x = [1, 2, 3]; }\n".repeat(50));
    not_json(&format!("# How to\n\n```json\n[{}]\n```\n", users(20).join(",\n")));
    not_json(&format!("{}{{\"a\": 1}}\n", "compiling something\n".repeat(100)));
}

#[test]
fn a_quick_look_still_finds_the_errors() {
    let text = format!("[{}]", planted().join(","));
    let reading = Json.read(&output("x", &text), Effort::Quick).unwrap();
    let found: Vec<usize> = (0..200).filter(|row| reading.pieces[*row].rank.finding().is_some()).collect();
    assert_eq!(found, [177]);
}

proptest::proptest! {
    #[test]
    fn any_text_is_covered_by_its_pieces(text in "[\\[{][\\[{}\\]\", :a1\n→é\\\\-]{0,80}") {
        if let Some(reading) = Json.read(&output("x", &text), Effort::Full) {
            let mut at = 0;
            for piece in &reading.pieces {
                proptest::prop_assert!(text.get(at..piece.span.start).is_some_and(is_separator));
                proptest::prop_assert!(text.get(piece.span.clone()).is_some());
                at = piece.span.end;
            }
            proptest::prop_assert!(is_separator(&text[at..]));
        }
        let _ = made("", "x", &text);
    }
}

#[test]
fn a_line_may_hold_any_number_of_documents() {
    // Looking for the end of the line at each of them would be two hundred thousand times four hundred kilobytes.
    let text = "[1]".repeat(200_000);
    assert_eq!(documents(&mut Tree::new(&text, false), false).len(), 200_000);
    let text = "{\"a\": 1}, x\n[2] [3]\n".repeat(1_000);
    let found = documents(&mut Tree::new(&text, false), false);
    let found: Vec<&str> = found.iter().map(|document| &text[document.span.clone()]).collect();
    assert_eq!(found, ["{\"a\": 1}", "[2]", "[3]"].repeat(1_000));
}
