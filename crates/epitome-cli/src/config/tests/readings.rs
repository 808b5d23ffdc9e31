//! What is read although it is spelled otherwise: older names, older YAML, the file of Hermes.

use super::*;

#[test]
fn older_spellings_are_read_with_a_hint() {
    let loaded = of_text("compression:\n  summary_model: small/one\nmodel:\n  cache_ttl: \"1h\"\n").unwrap();
    assert_eq!(loaded.config.auxiliary.compression.model.as_deref(), Some("small/one"));
    assert_eq!(loaded.config.prompt_caching.cache_ttl, CacheTtl::OneHour);
    insta::assert_snapshot!(told(Ok(loaded)), @r#"
    warning: config.yaml:2:3: compression.summary_model: an older spelling of `auxiliary.compression.model`
      2 |   summary_model: small/one
        |   ^^^^^^^^^^^^^
      hint: write `auxiliary.compression.model`
    warning: config.yaml:4:3: model.cache_ttl: an older spelling of `prompt_caching.cache_ttl`
      4 |   cache_ttl: "1h"
        |   ^^^^^^^^^
      hint: write `prompt_caching.cache_ttl`
    "#);
}

#[test]
fn todays_spelling_wins_over_the_older() {
    let text = "model:\n  cache_ttl: 1h\nprompt_caching:\n  cache_ttl: 5m\n";
    let loaded = of_text(text).unwrap();
    assert_eq!(loaded.config.prompt_caching.cache_ttl, CacheTtl::FiveMinutes);
    assert!(told(Ok(loaded)).contains("ignored, because `prompt_caching.cache_ttl` is set too"));
}

#[test]
fn hermes_wrote_it_and_we_read_it() {
    let loaded = of_text(HERMES).unwrap();
    assert_eq!(loaded.warnings, []);
    assert_eq!(loaded.notes.len(), 1);
    insta::assert_snapshot!(told(Ok(loaded.clone())), @"note: config.yaml: 36 keys are not used by Epitome: model.provider, model.base_url, model.max_tokens, providers, fallback_providers, custom_providers, toolsets, agent, terminal, browser, checkpoints, compression.hygiene_hard_message_limit, compression.abort_on_summary_failure, compression.codex_gpt55_autoraise, compression.codex_gpt55_autoraise_notice, compression.codex_app_server_auto, compression.in_place, compression.threshold_tokens, compression.min_tail_user_messages, compression.tail_mode, auxiliary.transient_retries, auxiliary.vision, auxiliary.web_extract, auxiliary.compression.api_key, auxiliary.compression.extra_body, auxiliary.compression.reasoning_effort, auxiliary.compression.api_mode, auxiliary.compression.key_env, display, tts, memory, plugins, security, platform_toolsets, mcp_servers, _config_version");
    let config = loaded.config;
    assert_eq!(config.model.name.as_deref(), Some("anthropic/claude-opus-4.6"));
    assert_eq!(config.model.context_length, Some(Tokens(200_000)));
    assert_eq!(config.compression.protect_last_n, 25);
    assert_eq!(config.auxiliary.compression.base_url, None);
}

#[test]
fn words_of_older_yaml_are_understood() {
    let text =
        "compression: {enabled: off, hygiene: Yes, controller: false}\nstore: {originals: off}\nmodel: some/model\n";
    let config = of_text(text).unwrap().config;
    assert_eq!((config.compression.enabled, config.compression.hygiene), (false, true));
    assert_eq!((config.compression.controller, config.store.originals), (Controller::Off, Originals::Off));
    assert_eq!(config.model.name.as_deref(), Some("some/model"));
}

#[test]
fn a_mark_at_the_beginning_and_other_line_ends_do_not_matter() {
    let loaded = of_text("\u{feff}compression:\r\n  threshold: 0.6\r\n").unwrap();
    assert_eq!(loaded.config.compression.threshold, 0.6);
    assert_eq!(loaded.origins["compression.threshold"].to_string(), "config.yaml:2:14");
}

#[test]
fn sections_may_be_empty_and_values_merged() {
    let text = "compression:\nauxiliary:\n  compression:\nbase: &base {threshold: 0.7, tail: adaptive}\n";
    assert!(of_text(text).is_ok());
    let merged =
        of_text("base: &base {threshold: 0.7, tail: adaptive}\ncompression:\n  <<: *base\n  tail: fixed\n").unwrap();
    assert_eq!((merged.config.compression.threshold, merged.config.compression.tail), (0.7, Tail::Fixed));
}

/// As `hermes setup` and a few months of use leave it.
const HERMES: &str = r#"# Hermes Agent 0.19
model:
  default: anthropic/claude-opus-4.6
  provider: openrouter
  base_url: https://openrouter.ai/api/v1
  context_length: 200000
  max_tokens: 8192
providers: {}
fallback_providers: []
custom_providers:
  - name: local
    base_url: http://localhost:11434/v1
    models:
      qwen3: {context_length: 131072}
toolsets:
  - hermes-cli
agent:
  max_turns: 90
  reasoning_effort: medium
  personalities:
    helpful: You are a helpful, friendly AI assistant.
terminal:
  backend: local
  cwd: .
  timeout: 180
  docker_volumes: []
browser:
  inactivity_timeout: 120
checkpoints: {enabled: true, max_snapshots: 50}
compression:
  enabled: true
  threshold: 0.50
  target_ratio: 0.20
  protect_last_n: 25
  protect_first_n: 3
  hygiene_hard_message_limit: 5000
  abort_on_summary_failure: false
  codex_gpt55_autoraise: true
  codex_gpt55_autoraise_notice: true
  codex_app_server_auto: native
  in_place: true
  threshold_tokens: null
  min_tail_user_messages: 1
  tail_mode: lean
context:
  engine: compressor
prompt_caching:
  cache_ttl: 5m
auxiliary:
  transient_retries: 2
  vision: {provider: auto, model: '', base_url: '', api_key: '', timeout: 120}
  web_extract:
    provider: auto
    model: ''
  compression:
    provider: auto
    model: ''
    base_url: ''
    api_key: ''
    timeout: 120
    extra_body: {}
    reasoning_effort: ''
    context_length: 128000
    api_mode: chat_completions
    key_env: OPENROUTER_API_KEY
display:
  compact: no
  personality: kawaii
  skin: default
tts: {provider: edge, edge: {voice: en-US-AriaNeural}}
memory:
  memory_enabled: true
  memory_char_limit: 2200
plugins:
  enabled: []
security:
  redact_secrets: true
  tirith_enabled: true
platform_toolsets:
  telegram: [hermes-telegram]
mcp_servers:
  time: {command: uvx, args: [mcp-server-time]}
_config_version: 23
"#;
