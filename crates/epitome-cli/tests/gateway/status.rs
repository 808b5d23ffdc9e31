//! Whether a model is marked for the provider's cache is said at start where it is known, else at its first request (M22).

use std::io::{BufRead, BufReader, Lines};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;

use crate::client::{Asked, get};
use crate::process::PATH;
use crate::provider::{Does, Provider};

const CHAT: &str = r#"{"choices":[{"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}]}"#;

/// A gateway that says everything that it has to say.
struct Talking {
    address: SocketAddr,
    process: Child,
    said: Lines<BufReader<ChildStderr>>,
}

impl Talking {
    fn start(home: &TempDir, settings: &[&str]) -> Talking {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(settings.iter().flat_map(|setting| ["--set", setting]));
        command.current_dir(home.path()).env_clear().env("HOME", home.path()).env("PATH", PATH);
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let mut said = BufReader::new(process.stderr.take().expect("it is piped")).lines();
        let listening = said.next().expect("it says something").expect("text");
        let address = listening.split(['/', ',']).nth(2).and_then(|address| address.parse().ok());
        Talking { address: address.unwrap_or_else(|| panic!("it does not listen: {listening}")), process, said }
    }

    /// What it has said about prompt caching by now.
    fn told(mut self) -> Vec<String> {
        // It answers when it has said what it says at start.
        assert_eq!(get(self.address, "/healthz").status, Some(200));
        self.process.kill().expect("it runs");
        self.process.wait().expect("it has ended");
        self.said.map_while(Result::ok).filter(|line| line.contains("Prompt caching")).collect()
    }
}

#[track_caller]
fn check_at_start(settings: &[&str], expected: &[&str]) {
    let told = Talking::start(&TempDir::new().expect("a directory"), settings).told();
    let told: Vec<&str> = told.iter().filter_map(|line| line.strip_prefix("epitome: ")).collect();
    assert_eq!(told, expected, "{settings:?}");
}

#[test]
fn a_configured_model_is_told_at_start() {
    let openrouter = "gateway.upstream=https://openrouter.ai/api";
    check_at_start(
        &["model.default=anthropic/claude-sonnet-4.5", openrouter],
        &["💾 Prompt caching: ENABLED (Claude via OpenRouter, 5m TTL)"],
    );
    check_at_start(
        &[
            "model.default=anthropic/claude-sonnet-4.5",
            "gateway.upstream_chat=https://openrouter.ai/api",
            "prompt_caching.cache_ttl=1h",
        ],
        &["💾 Prompt caching: ENABLED (Claude via OpenRouter, 1h TTL)"],
    );
    check_at_start(&["model.default=claude-opus-4-8"], &["💾 Prompt caching: ENABLED (Claude via Anthropic, 5m TTL)"]);
    check_at_start(
        &["model.default=z-ai/glm-5", openrouter],
        &["💾 Prompt caching: NO MARKERS (z-ai/glm-5 is no Claude model)"],
    );
    check_at_start(
        &["model.default=gpt-4.1"],
        &["💾 Prompt caching: NO MARKERS (api.openai.com takes none in this dialect, or caches by itself)"],
    );
    check_at_start(&[openrouter], &[]);
}

#[test]
fn other_models_are_told_at_their_first_request_and_each_once() {
    let home = TempDir::new().expect("a directory");
    let provider = Provider::start(Does::Answers("200 OK", "content-type: application/json\r\n", CHAT.into()));
    let upstream = format!("gateway.upstream={}", provider.url());
    let settings = [&upstream, "model.default=anthropic/claude-sonnet-4.5", "prompt_caching.rules=openrouter"];
    let gateway = Talking::start(&home, &settings);
    for model in ["anthropic/claude-sonnet-4.5", "anthropic/claude-opus-4.8", "anthropic/claude-opus-4.8", "z-ai/glm-5"]
    {
        let body = json!({"model": model, "messages": [{"role": "user", "content": "go"}]}).to_string();
        let answer = Asked::begin(gateway.address, "POST /v1/chat/completions", body.as_bytes()).answer();
        assert_eq!(answer.status, Some(200));
    }
    let told = gateway.told();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[0], "epitome: 💾 Prompt caching: ENABLED (Claude via OpenRouter, 5m TTL)");
    assert!(told[1].contains("anthropic/claude-opus-4.8") && told[1].contains("ENABLED"), "{told:?}");
    assert!(told[2].contains("z-ai/glm-5 is no Claude model"), "{told:?}");
}
