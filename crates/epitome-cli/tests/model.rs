//! `epitome compress` with a model that writes the summary: over a real socket, and when it does not.

mod program;

use std::io::{Read, Write};
use std::net::TcpListener;

use program::{epitome, sample_bytes};

/// A server that answers every request with `status` and `body`. It lives as long as the test.
fn server(status: u16, content_type: &'static str, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base_url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut seen = Vec::new();
            let mut buffer = [0; 65_536];
            loop {
                let read = stream.read(&mut buffer).unwrap_or(0);
                seen.extend_from_slice(&buffer[..read]);
                let text = String::from_utf8_lossy(&seen).to_lowercase();
                let length = text
                    .split_once("content-length: ")
                    .and_then(|(_, rest)| rest.lines().next()?.parse::<usize>().ok());
                let whole =
                    text.find("\r\n\r\n").zip(length).is_some_and(|(end, length)| seen.len() >= end + 4 + length);
                if read == 0 || whole {
                    break;
                }
            }
            let head = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            drop(stream.write_all(format!("{head}{body}").as_bytes()));
        }
    });
    base_url
}

fn says(text: &str) -> String {
    let body = serde_json::json!({
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12_345, "completion_tokens": 67},
    });
    server(200, "application/json", body.to_string())
}

fn compress(settings: &[&str], more: &[&str]) -> program::Run {
    let mut arguments = vec!["compress", "--context-length", "128000"];
    settings.iter().for_each(|setting| arguments.extend(["--set", setting]));
    arguments.extend(more);
    epitome(&arguments, &sample_bytes())
}

#[test]
fn a_model_writes_the_summary_and_the_report_says_so() {
    let base_url =
        says("## Goal\n- a FastAPI project with SQLAlchemy 2 in main.py and app/routers/users.py, on INVENTED_PORT\n");
    let set = format!("auxiliary.compression.base_url={base_url}");
    let run = compress(&[&set, "auxiliary.compression.model=small"], &["--report"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let told: Vec<&str> =
        run.stderr.lines().filter(|line| line.contains("summary by") || line.contains("audit")).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    summary by: small (1 part, 1 call, 12,345 tokens in, 67 out)
    audit: 4 names and numbers, 1 not found in the transcript: INVENTED_PORT
    ");
    let text = run.text();
    assert!(text.contains("INVENTED_PORT(?)") && text.contains("### Kept from the transcript"));
}

#[test]
fn for_programs_the_report_tells_the_same() {
    let base_url = says("## Goal\n- a FastAPI project in main.py, on INVENTED_PORT\n");
    let set = format!("auxiliary.compression.base_url={base_url}");
    let run = compress(&[&set, "auxiliary.compression.model=small"], &["--report", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stderr).expect("JSON and nothing else");
    let expected = serde_json::json!({"asked": {
        "name": "small",
        "work": {"chunks": 1, "calls": 1, "input": 12_345, "output": 67, "cost_usd": null, "estimated": false},
        "audit": {"checked": 3, "unverified": ["INVENTED_PORT"]},
    }});
    assert_eq!(report["summary_by"], expected);
}

#[test]
fn when_the_model_fails_the_local_summariser_stands_in_and_it_is_said() {
    let base_url = server(401, "application/json", r#"{"error":{"type":"authentication_error"}}"#.to_owned());
    let set = format!("auxiliary.compression.base_url={base_url}");
    let run = compress(&[&set, "auxiliary.compression.model=small"], &[]);
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.stderr, @"epitome: warning: the local summariser stood in for small: the summariser is not available: 127.0.0.1 answered 401 (authentication_error); check the key that auxiliary.compression.api_key_env names");
    let plain = compress(&["auxiliary.compression.provider=local"], &[]);
    assert!(run.stdout == plain.stdout, "the result is the local summariser's");
    assert_eq!(plain.stderr, "");
}

#[test]
fn without_its_key_a_provider_is_not_asked() {
    let run =
        compress(&["auxiliary.compression.provider=openai", "auxiliary.compression.api_key_env=NO_SUCH_KEY"], &[]);
    assert_eq!(run.code, 0);
    insta::assert_snapshot!(run.stderr, @"epitome: warning: the local summariser stood in for gpt-5-mini: the summariser is not available: the variable NO_SUCH_KEY, named by auxiliary.compression.api_key_env, is not set");
}

#[test]
fn a_provider_of_any_name_is_asked_at_its_address_as_openai_is() {
    let base_url = says("## Goal\n- a FastAPI project in main.py, on INVENTED_PORT\n");
    let set = format!("auxiliary.compression.base_url={base_url}");
    let named = ["auxiliary.compression.provider=zai", "auxiliary.compression.model=glm-5", &set];
    let run = compress(&named, &["--report"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(
        run.stderr.contains("summary by: glm-5 (1 part, 1 call,") && !run.stderr.contains("warning"),
        "{}",
        run.stderr
    );
    assert!(run.text().contains("INVENTED_PORT"));
}

#[test]
fn a_provider_without_an_address_is_noted_and_counts_as_auto() {
    let run = compress(&["auxiliary.compression.provider=zai"], &[]);
    let auto = compress(&[], &[]);
    assert!(run.stdout == auto.stdout, "no model is asked");
    insta::assert_snapshot!(run.stderr, @r#"
    epitome: warning: flag --set: auxiliary.compression.provider: "zai" is no provider that Epitome knows, and auxiliary.compression.base_url is not set: it counts as `auto`
      hint: set auxiliary.compression.base_url to its OpenAI-compatible endpoint
    "#);
}

#[test]
fn main_needs_a_gateway() {
    let run = compress(&["auxiliary.compression.provider=main"], &[]);
    assert_eq!((run.code, run.stdout.len()), (2, 0));
    insta::assert_snapshot!(run.stderr, @"
    epitome: auxiliary.compression.provider is `main`: the model of the request that is served, and a recorded session is served by none
      hint: use `auto` with base_url, a provider by its name, or `local`
    ");
}
