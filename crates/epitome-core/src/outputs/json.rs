//! JSON: its shape once, the records that are unlike the others, and every error in it.
//!
//! Whole documents, broken ones, several in a row, JSON lines; with a few lines of something else around them.

mod odd;
mod reader;
mod records;
mod scan;
mod show;

use super::reading::{Reading, lines};
use super::{Effort, OutputKind, ToolOutput};
use reader::Reader;
use scan::{Document, Tree, number_prefix};

/// Documents of JSON, and JSON lines.
pub struct Json;

/// A document begins on one of the first lines.
const FIRST_LINES: usize = 30;
/// A line of this length is no line that somebody wrote.
const LONG_LINE: usize = 400;

impl OutputKind for Json {
    fn name(&self) -> &'static str {
        "JSON"
    }

    fn read(&self, output: &ToolOutput, effort: Effort) -> Option<Reading> {
        let text = &*output.text;
        let numbered = number_prefix(text) > 0;
        lines(text)
            .take(FIRST_LINES)
            .find(|line| begins_document(text.get(line.clone()).unwrap_or_default(), numbered))?;
        let mut tree = Tree::new(text, numbered);
        let documents = documents(&mut tree, numbered);
        let json: usize = documents.iter().map(|document| document.span.len()).sum();
        let empty = |document: &Document| tree.node(document.root).is_none_or(|node| node.children == 0);
        let others = text.trim().len().saturating_sub(json);
        let broken = documents.iter().filter(|document| !document.complete).count();
        if broken > 1 + documents.len() / 4
            || others * 2 > json
            || documents.iter().all(empty)
            || is_told_about(text, &documents)
        {
            return None;
        }
        Some(Reader::new(&tree, effort).read(&documents))
    }
}

/// Whether the documents are examples in a text about them.
fn is_told_about(text: &str, documents: &[Document]) -> bool {
    let starts = std::iter::once(0).chain(documents.iter().map(|document| document.span.end));
    let ends = documents.iter().map(|document| document.span.start).chain(std::iter::once(text.len()));
    starts.zip(ends).any(|(start, end)| text.get(start..end).is_some_and(|between| between.contains("```")))
}

fn begins_document(line: &str, numbered: bool) -> bool {
    let prefix = if numbered { number_prefix(line) } else { 0 };
    let line = line.get(prefix..).unwrap_or_default().trim();
    match line.as_bytes() {
        [b'{'] | [b'['] | [b'{', b'}'] => true,
        [b'{', rest @ ..] => rest.trim_ascii_start().first() == Some(&b'"'),
        [b'[', rest @ ..] => matches!(
            rest.trim_ascii_start().first(),
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b']')
        ),
        _ => false,
    }
}

/// Every document of the text. Each byte is looked at once: behind something that is no JSON the next line is tried.
fn documents(tree: &mut Tree<'_>, numbered: bool) -> Vec<Document> {
    let text = tree.text;
    let mut documents: Vec<Document> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line = text.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let next_line = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| at + end + 1);
        if begins_document(line, numbered) {
            let prefix = if numbered { number_prefix(line) } else { 0 };
            let inner = line.get(prefix..).unwrap_or_default();
            let start = at + prefix + inner.len() - inner.trim_start().len();
            if let Some(document) = tree.scan(start) {
                let (end, complete) = (document.span.end, document.complete);
                documents.push(document);
                at = next_start(text, end.max(at + 1), complete);
                continue;
            }
        }
        at = next_line;
    }
    documents
}

/// Where the next document may begin: on the same line behind a comma, or behind what somebody has cut out; else on the
/// next line.
fn next_start(text: &str, end: usize, complete: bool) -> usize {
    let behind = text.get(end..).unwrap_or_default();
    let line = behind.lines().next().unwrap_or_default();
    let spaces = line.len() - line.trim_start_matches([' ', ',', '\t', '}', ']']).len();
    if line.get(spaces..).is_some_and(|rest| rest.starts_with(['{', '['])) {
        return end + spaces;
    }
    let next = line.find("{\"").filter(|_| !complete || line.len() > LONG_LINE);
    next.map_or_else(|| behind.find('\n').map_or(text.len(), |line| end + line + 1), |next| end + next)
}

#[cfg(test)]
mod tests {
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
        [digest of JSON: 6 of 200 records kept, 28,878 bytes; original 18ded78f2b66]
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
        format!(
            r#"{{"name": "{label}", "kind": "folder", "size": {size}{own}, "children": [{}]}}"#,
            children.join(", ")
        )
    }

    #[test]
    fn what_stands_once_in_a_deep_tree_is_kept_with_its_path() {
        let text = tree(4, "r", r#", "note": "owner left, do not delete""#);
        let digest = check("cat tree.json", &text);
        assert!(
            digest.contains(r#"children[1].children[0].children[1].note: "owner left, do not delete""#),
            "{digest}"
        );
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
        [digest of JSON: 6 of 200 records kept, 28,621 bytes; original 0a739dce4f21]
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
    fn a_document_that_breaks_off_is_read_as_far_as_it_goes() {
        let text = format!("HTTP/1.1 200 OK\ncontent-type: application/json\n\n[{}", users(80).join(",\n"));
        let text = format!("{}\n[output truncated]", &text[..9_000]);
        insta::assert_snapshot!(check("curl -i", &text), @r#"
        [digest of JSON: 3 of 63 records kept, 9,019 bytes; original c7375247776d]
        breaks off
        63 × {id: 10000–10061, email: email, status: active, plan: free 21×|pro 21×|team 20×, balance_cents: 0–8975, flags: {beta: false, mfa: true}}
        {"id":10000,"email":"user0@example.org","status":"active","plan":"free","balance_cents":0,"flags":{"beta":false,"mfa":true}}
        [… 60 records …]
        {"id":10061,"email":"user61@example.org","status":"active","plan":"pro","balance_cents":6059,"flags":{"beta":false,"mfa":true}}
        {"id":10062,"email":"user62@example.org","status":"active"}
        [output truncated]
        "#);
    }

    #[test]
    fn records_behind_a_cut_in_the_middle_are_found_again() {
        let text = format!("{{\"total\": 200, \"data\": [{}]}}", planted().join(", "));
        let text = format!("{}… 6000 chars truncated …{}", &text[..7_000], &text[13_000..]);
        insta::assert_snapshot!(check("curl", &text), @r#"
        [digest of JSON: 5 of 157 records kept, 22,874 bytes; original d4d8b12f40b8]
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
        [digest of JSON: 85 of 87 lines kept, 2,127 bytes; original 885d09e7d72f]
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
        [digest of JSON: 3 of 3 passages kept, 3,166 bytes; original 9c1a7a123237]
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
        [digest of JSON: 2 of 2 passages kept, 2,921 bytes; original f8cdfcdc24fa]
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
        [digest of JSON: 6 of 60 records kept, 3,695 bytes; original 6f9e5c4a7277]
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
}
