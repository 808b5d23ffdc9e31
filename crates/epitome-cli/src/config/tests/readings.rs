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
    assert_eq!(loaded.notes.len(), 2);
    insta::assert_snapshot!(told(Ok(loaded.clone())), @"
    note: config.yaml: 11 keys of Hermes Agent have no effect in Epitome: compression.hygiene_hard_message_limit, compression.abort_on_summary_failure, compression.codex_gpt55_autoraise, compression.codex_gpt55_autoraise_notice, compression.codex_app_server_auto, compression.in_place, auxiliary.compression.api_key, auxiliary.compression.extra_body, auxiliary.compression.reasoning_effort, auxiliary.compression.api_mode, auxiliary.compression.key_env
    note: config.yaml: 22 keys of other programs are not read: model.provider, model.base_url, model.max_tokens, providers, fallback_providers, custom_providers, toolsets, agent and 14 more
    ");
    let config = loaded.config;
    assert_eq!(config.model.name.as_deref(), Some("anthropic/claude-opus-4.6"));
    assert_eq!(config.model.context_length, Some(Tokens(200_000)));
    assert_eq!(config.compression.protect_last_n, 25);
    assert_eq!(config.auxiliary.compression.base_url, None);
}

#[test]
fn what_hermes_has_by_default_is_what_we_have_by_default() {
    // Keys and values of 0.19 where nobody has changed anything.
    let text = "\
model: ''
compression: {enabled: true, threshold: 0.5, target_ratio: 0.2, protect_last_n: 20, protect_first_n: 3}
prompt_caching: {cache_ttl: 5m}
context: {engine: compressor}
auxiliary:
  compression: {provider: auto, model: '', base_url: '', timeout: 120}
gateway: {delivery_ledger: true, platform_connect_timeout: 30}
";
    let loaded = of_text(text).unwrap();
    assert_eq!(loaded.config, of_text("").unwrap().config);
    assert_eq!(loaded.warnings, []);
}

#[test]
fn newer_keys_of_hermes_are_honoured() {
    let loaded = of_text(NEWER_HERMES).unwrap();
    assert_eq!(loaded.warnings, []);
    let config = &loaded.config;
    assert_eq!(config.compression.threshold_tokens, Some(Tokens(256_000)));
    let of_models = [
        ("claude-opus".to_owned(), Threshold::Share(0.3)),
        ("gpt-5".to_owned(), Threshold::Tokens(Tokens(90_000))),
        ("qwen3:32b".to_owned(), Threshold::Tokens(Tokens(20_000))),
    ];
    assert_eq!(config.compression.model_thresholds, of_models.into());
    assert_eq!(config.prompt_caching.cache_ttl, CacheTtl::Off);
    assert_eq!(config.auxiliary.compression.provider, Provider::Other("zai".to_owned()));
}

#[test]
fn keys_of_hermes_without_effect_are_named_in_one_line() {
    let loaded = of_text(NEWER_HERMES).unwrap();
    insta::assert_snapshot!(told(Ok(loaded)), @"note: config.yaml: 13 keys of Hermes Agent have no effect in Epitome: compression.checkpoint_required, compression.micro_compact, compression.micro_compact_every_n_turns, compression.micro_compact_defrag_threshold_tokens, compression.hygiene_max_turn_hold_seconds, compression.context_timeout_seconds, compression.context_total_ceiling_seconds, compression.codex_responses_native, compression.codex_responses_compact_threshold, compression.idle_compact_after_seconds, compression.min_tail_user_messages, compression.tail_mode, auxiliary.compression.no_progress_timeout");
}

#[test]
fn nothing_and_0_set_no_cap_and_every_word_for_no_switches_caching_off() {
    for none in ["null", "0", ""] {
        let loaded = of_text(&format!("compression:\n  threshold_tokens: {none}\n  model_thresholds: {{}}\n")).unwrap();
        assert_eq!(loaded.config.compression.threshold_tokens, None, "{none}");
    }
    for off in ["false", "off", "No", "\"false\""] {
        let loaded = of_text(&format!("prompt_caching: {{cache_ttl: {off}}}")).unwrap();
        assert_eq!(loaded.config.prompt_caching.cache_ttl, CacheTtl::Off, "{off}");
    }
    assert_eq!(of_text("prompt_caching: {cache_ttl: auto}").unwrap().config.prompt_caching.cache_ttl, CacheTtl::Auto);
}

#[test]
fn numbers_of_tokens_may_be_written_as_people_say_them() {
    let text = "model: {context_length: 128k}\ncompression: {threshold_tokens: 1.5M}\n";
    let variables = [("EPITOME_AUXILIARY_COMPRESSION_CONTEXT_LENGTH", "200_000")];
    let flags = [set("compression.cost.tail=20K"), set("compression.model_thresholds={gpt-5: 90k}")];
    let config = of_layers(text, &variables, &flags).unwrap().config;
    assert_eq!(config.model.context_length, Some(Tokens(128_000)));
    assert_eq!(config.compression.threshold_tokens, Some(Tokens(1_500_000)));
    assert_eq!(config.auxiliary.compression.context_length, Some(Tokens(200_000)));
    assert_eq!(config.compression.cost.tail, Tokens(20_000));
    let of_models = [("gpt-5".to_owned(), Threshold::Tokens(Tokens(90_000)))];
    assert_eq!(config.compression.model_thresholds, of_models.into());
}

#[test]
fn any_provider_is_accepted_with_an_address_and_noted_without_one() {
    let of = |more: &str| of_text(&format!("auxiliary:\n  compression:\n    provider: {more}\n")).unwrap();
    let there = of("custom:my-box\n    base_url: http://localhost:11434/v1");
    assert_eq!((there.config.auxiliary.compression.provider.name(), there.warnings.len()), ("custom:my-box", 0));
    assert_eq!(of("''").config.auxiliary.compression.provider, Provider::Auto);
    insta::assert_snapshot!([of("kimi-coding"), of("opnrouter")].map(|loaded| told(Ok(loaded))).concat(), @r#"
    warning: config.yaml:3:15: auxiliary.compression.provider: "kimi-coding" is no provider that Epitome knows, and auxiliary.compression.base_url is not set: it counts as `auto`
      hint: set auxiliary.compression.base_url to its OpenAI-compatible endpoint
    warning: config.yaml:3:15: auxiliary.compression.provider: "opnrouter" is no provider that Epitome knows, and auxiliary.compression.base_url is not set: it counts as `auto`
      hint: did you mean `openrouter`? Otherwise set auxiliary.compression.base_url
    "#);
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

/// What versions after 0.19 added, each with a value that is not its default.
const NEWER_HERMES: &str = r#"
compression:
  threshold_tokens: 256000
  model_thresholds:
    claude-opus: 0.3
    gpt-5: 90000
    "qwen3:32b": 20k
  checkpoint_required: true
  micro_compact: true
  micro_compact_every_n_turns: 2
  micro_compact_defrag_threshold_tokens: 3000
  hygiene_max_turn_hold_seconds: 20
  context_timeout_seconds: 90
  context_total_ceiling_seconds: 300
  codex_responses_native: true
  codex_responses_compact_threshold: 200000
  idle_compact_after_seconds: 1800
  min_tail_user_messages: 2
  tail_mode: legacy
prompt_caching:
  cache_ttl: false
auxiliary:
  compression:
    provider: zai
    model: glm-5
    base_url: https://api.z.ai/api/coding/paas/v4
    no_progress_timeout: 180
"#;
