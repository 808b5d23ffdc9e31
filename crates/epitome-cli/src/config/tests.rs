//! What the configuration promises, from the outside: texts in, remarks and tables out.

use std::path::PathBuf;

use epitome_core::tokens::Tokens;
use proptest::prelude::*;

use super::file::Document;
use super::gather::Gathered;
use super::settings::{SECTIONS, SETTINGS, Value};
use super::values::{CacheTtl, Controller, Originals, Outputs, Provider, Tail, Trigger};
use super::{Config, ConfigErrors, Environment, Flag, Loaded, Origin, Sources, docs, load, resolve, schema};
use crate::commands::config::{self as commands, Format, Outcome};

/// Every key of the mission's M4, literally, those of Hermes that we read, and the limit to what summaries cost.
const KEYS: &[&str] = &[
    "compression.enabled",
    "compression.threshold",
    "compression.target_ratio",
    "compression.protect_last_n",
    "compression.protect_first_n",
    "auxiliary.compression.model",
    "auxiliary.compression.provider",
    "auxiliary.compression.base_url",
    "context.engine",
    "prompt_caching.cache_ttl",
    "compression.outputs",
    "compression.controller",
    "compression.tail",
    "compression.hygiene",
    "compression.trigger",
    "compression.prepare_at",
    "compression.max_wait",
    "auxiliary.compression.api_key_env",
    "auxiliary.compression.timeout",
    "auxiliary.compression.context_length",
    "auxiliary.compression.max_spend",
    "store.originals",
    "model.default",
    "model.context_length",
];

fn environment(variables: &[(&str, &str)]) -> Environment {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn of_text(text: &str) -> Result<Loaded, ConfigErrors> {
    of_layers(text, &[], &[])
}

fn of_layers(text: &str, variables: &[(&str, &str)], flags: &[Flag]) -> Result<Loaded, ConfigErrors> {
    let document = Document { path: PathBuf::from("config.yaml"), text: text.to_owned() };
    resolve(Some(&document), &environment(variables), flags, Gathered::default())
}

fn set(pair: &str) -> Flag {
    Flag::Set(pair.to_owned())
}

/// Everything there is to say, as it stands in a terminal.
fn told(loaded: Result<Loaded, ConfigErrors>) -> String {
    let errors = match loaded {
        Ok(Loaded { warnings, notes, .. }) => ConfigErrors { errors: Vec::new(), warnings, notes },
        Err(errors) => errors,
    };
    let mut text = Vec::new();
    commands::write_errors(&errors, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

/// Runs a command on a file of its own; what it wrote, its directory left out.
fn run(
    text: Option<&str>,
    variables: &[(&str, &str)],
    flags: &[Flag],
    command: impl FnOnce(&Sources, &mut Vec<u8>, &mut Vec<u8>) -> Outcome,
) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("config.yaml");
    if let Some(text) = text {
        std::fs::write(&path, text).unwrap();
    }
    let sources = Sources {
        file: text.map(|_| path),
        directory: directory.path().to_owned(),
        environment: environment(variables),
        flags: flags.to_vec(),
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let outcome = command(&sources, &mut out, &mut err);
    let whole = format!("{}{}{outcome:?}", String::from_utf8(err).unwrap(), String::from_utf8(out).unwrap());
    whole.replace(&format!("{}/", directory.path().display()), "")
}

fn run_check(text: Option<&str>, format: Format) -> String {
    run(text, &[], &[], |sources, out, err| commands::check(sources, format, out, err).unwrap())
}

#[test]
fn every_key_of_the_mission_is_in_the_table() {
    let mut table: Vec<&str> = SETTINGS.iter().map(|setting| setting.path).collect();
    let mut mission = KEYS.to_vec();
    table.sort_unstable();
    mission.sort_unstable();
    assert_eq!(table, mission);
}

#[test]
fn every_default_passes_its_own_range() {
    for setting in SETTINGS {
        let text = super::shown(&setting.default);
        assert_eq!(setting.kind.read_text(&text).as_ref(), Ok(&setting.default), "{}", setting.path);
    }
}

#[test]
fn every_setting_stands_in_a_section_and_has_a_variable_of_its_own() {
    let mut variables: Vec<String> = SETTINGS.iter().map(|setting| setting.variable()).collect();
    variables.push(super::CONFIG_VARIABLE.to_owned());
    variables.sort();
    variables.dedup();
    assert_eq!(variables.len(), SETTINGS.len() + 1);
    for setting in SETTINGS {
        let section = setting.path.rsplit_once('.').unwrap().0;
        assert!(SECTIONS.iter().any(|known| known.path == section), "{}", setting.path);
        assert!(setting.doc.ends_with('.'), "{}", setting.path);
    }
}

#[test]
fn every_default_arrives() {
    let loaded = of_text("").unwrap();
    for setting in SETTINGS {
        assert_eq!((setting.of)(&loaded.config), setting.default, "{}", setting.path);
        assert_eq!(loaded.origins[setting.path], Origin::Default);
    }
    let Config { compression, prompt_caching, store, auxiliary, model, context } = loaded.config;
    assert_eq!((compression.enabled, compression.threshold, compression.target_ratio), (true, 0.5, 0.2));
    assert_eq!((compression.protect_first_n, compression.protect_last_n, compression.hygiene), (3, 20, true));
    assert_eq!((compression.outputs, compression.controller), (Outputs::Digest, Controller::Off));
    assert_eq!((compression.tail, compression.trigger), (Tail::Fixed, Trigger::Threshold));
    assert_eq!((prompt_caching.cache_ttl, store.originals), (CacheTtl::FiveMinutes, Originals::Keep));
    assert_eq!((auxiliary.compression.provider, auxiliary.compression.model), (Provider::Auto, None));
    assert_eq!((model.context_length, context.engine.as_str()), (None, "compressor"));
}

/// For each setting, a value that is not its default.
fn another(path: &str) -> &'static str {
    match path {
        "compression.enabled" | "compression.hygiene" => "false",
        "compression.threshold" | "compression.target_ratio" | "compression.prepare_at" => "0.75",
        "compression.protect_last_n" | "compression.protect_first_n" => "7",
        "compression.outputs" => "clear",
        "compression.controller" => "largest_first",
        "compression.tail" => "adaptive",
        "compression.trigger" => "cost",
        "compression.max_wait" | "auxiliary.compression.timeout" => "2.5",
        "auxiliary.compression.provider" => "local",
        "auxiliary.compression.base_url" => "http://localhost:8080/v1",
        "auxiliary.compression.api_key_env" => "MY_KEY",
        "auxiliary.compression.context_length" => "8192",
        "auxiliary.compression.max_spend" => "2.5",
        "context.engine" => "lcm",
        "prompt_caching.cache_ttl" => "1h",
        "store.originals" => "off",
        "auxiliary.compression.model" | "model.default" => "some/model",
        "model.context_length" => "128000",
        _ => panic!("a new setting: {path}"),
    }
}

#[test]
fn each_value_arrives_in_its_own_field_from_every_layer() {
    for setting in SETTINGS {
        let text = another(setting.path);
        let depth = setting.path.split('.').count();
        let yaml: String = setting
            .path
            .split('.')
            .enumerate()
            .map(|(level, key)| {
                let value = if level + 1 == depth { text } else { "" };
                format!("{}{key}: {value}\n", "  ".repeat(level))
            })
            .collect();
        let variable = setting.variable();
        let from_file = of_text(&yaml).unwrap();
        let from_environment = of_layers("", &[(&variable, text)], &[]).unwrap();
        let from_flag = of_layers("", &[], &[set(&format!("{}={text}", setting.path))]).unwrap();
        for loaded in [&from_file, &from_environment, &from_flag] {
            let changed: Vec<&str> = SETTINGS
                .iter()
                .filter(|setting| (setting.of)(&loaded.config) != setting.default)
                .map(|setting| setting.path)
                .collect();
            assert_eq!(changed, [setting.path]);
            assert_eq!(super::shown(&(setting.of)(&loaded.config)), text);
            assert_eq!(super::set_keys(loaded).map(|setting| setting.path).collect::<Vec<_>>(), [setting.path]);
        }
    }
}

#[test]
fn the_stronger_layer_wins_and_is_told() {
    let file = "compression:\n  threshold: 0.6\n  target_ratio: 0.3\n  protect_last_n: 5\n";
    let variables = [("EPITOME_COMPRESSION_TARGET_RATIO", "0.4"), ("EPITOME_COMPRESSION_PROTECT_LAST_N", "6")];
    let flags = [
        set("compression.protect_last_n=7"),
        Flag::Named { name: "--last".into(), key: "compression.protect_last_n".into(), value: "8".into() },
    ];
    let loaded = of_layers(file, &variables, &flags).unwrap();
    let compression = &loaded.config.compression;
    assert_eq!((compression.threshold, compression.target_ratio, compression.protect_last_n), (0.6, 0.4, 8));
    assert_eq!(
        loaded.origins["compression.threshold"],
        Origin::File { path: "config.yaml".into(), line: 2, column: 14 }
    );
    assert_eq!(
        loaded.origins["compression.target_ratio"],
        Origin::Environment { name: "EPITOME_COMPRESSION_TARGET_RATIO".into() }
    );
    assert_eq!(loaded.origins["compression.protect_last_n"], Origin::Flag { name: "--last".into() });
    assert_eq!(loaded.origins["compression.enabled"], Origin::Default);
}

#[test]
fn everything_wrong_is_told_at_once_with_its_place() {
    let text = r#"compression:
  enabled: maybe
  threshold: 1.4
  treshold: 0.5
  colour: red
  target_ratio: "half"
  outputs: digets
  controller: [off]
  protect_last_n: 0
  protect_last_n: 3
  protect_first_n: 2.5
  max_wait: 2d
  prepare_at: 80
  hygiene:
auxiliary:
  compression:
    provider: opnrouter
    timeout: "120"
context: compressor
prompt_caching:
  cache_ttl: 10m
  threshold: 0.5
model:
  context_length: 200K
"#;
    insta::assert_snapshot!(told(of_text(text)), @r#"
    error: config.yaml:2:12: compression.enabled: expected true or false, found the string "maybe"
      2 |   enabled: maybe
        |            ^^^^^
      hint: the default is true
    error: config.yaml:3:14: compression.threshold: 1.4 is out of range (0.0–1.0)
      3 |   threshold: 1.4
        |              ^^^
      hint: the default is 0.5
    error: config.yaml:4:3: compression.treshold: unknown key
      4 |   treshold: 0.5
        |   ^^^^^^^^
      hint: did you mean `threshold`?
    error: config.yaml:5:3: compression.colour: unknown key
      5 |   colour: red
        |   ^^^^^^
      hint: `epitome config show` lists every key
    error: config.yaml:6:17: compression.target_ratio: expected a number, found the string "half"
      6 |   target_ratio: "half"
        |                 ^^^^^^
      hint: the default is 0.2
    error: config.yaml:7:12: compression.outputs: "digets" is not one of digest, clear
      7 |   outputs: digets
        |            ^^^^^^
      hint: did you mean `digest`?
    error: config.yaml:8:15: compression.controller: expected a word, found a list
      8 |   controller: [off]
        |               ^
      hint: the default is off
    error: config.yaml:9:19: compression.protect_last_n: 0 is out of range (≥ 1)
      9 |   protect_last_n: 0
        |                   ^
      hint: the default is 20
    error: config.yaml:10:3: compression.protect_last_n: stands twice, first in line 9
      10 |   protect_last_n: 3
         |   ^^^^^^^^^^^^^^
      hint: keep one of them, or join the two sections
    error: config.yaml:11:20: compression.protect_first_n: expected a whole number, found the number 2.5
      11 |   protect_first_n: 2.5
         |                    ^^^
      hint: the default is 3
    error: config.yaml:12:13: compression.max_wait: expected a number of seconds, found the string "2d"
      12 |   max_wait: 2d
         |             ^^
      hint: the default is 30
    error: config.yaml:13:15: compression.prepare_at: 80 is out of range (0.0–1.0)
      13 |   prepare_at: 80
         |               ^^
      hint: a share, not a percentage: 80 % is 0.8
    error: config.yaml:14:10: compression.hygiene: expected true or false, found nothing
      14 |   hygiene:
         |          ^
      hint: remove the key to use the default true
    error: config.yaml:17:15: auxiliary.compression.provider: "opnrouter" is not one of auto, main, openrouter, nous, anthropic, openai, local
      17 |     provider: opnrouter
         |               ^^^^^^^^^
      hint: did you mean `openrouter`?
    error: config.yaml:18:14: auxiliary.compression.timeout: expected a number of seconds, found the string "120"
      18 |     timeout: "120"
         |              ^^^^^
      hint: remove the quotes
    error: config.yaml:19:10: context: expected a section with keys, found a single value
      19 | context: compressor
         |          ^^^^^^^^^^
      hint: indent its keys below it, such as `engine`
    error: config.yaml:21:14: prompt_caching.cache_ttl: "10m" is not one of 5m, 1h
      21 |   cache_ttl: 10m
         |              ^^^
      hint: the default is 5m
    error: config.yaml:22:3: prompt_caching.threshold: unknown key
      22 |   threshold: 0.5
         |   ^^^^^^^^^
      hint: did you mean `compression.threshold`?
    error: config.yaml:24:19: model.context_length: expected a whole number, found the string "200K"
      24 |   context_length: 200K
         |                   ^^^^
      hint: write 200000
    "#);
}

#[test]
fn wrong_numbers_are_out_of_range_whatever_they_are() {
    for number in [".nan", ".inf", "-.inf", "1e999", "-0.1", "1.0000001", "99999999999999999999999999999999999999999"] {
        let errors = of_text(&format!("compression: {{threshold: {number}}}")).unwrap_err();
        let message = errors.to_string();
        assert!(message.contains("is out of range (0.0–1.0)"), "{message}");
    }
    for number in ["nan", "inf", "1e999"] {
        assert!(of_layers("", &[("EPITOME_COMPRESSION_MAX_WAIT", number)], &[]).is_err());
        assert!(of_layers("", &[], &[set(&format!("auxiliary.compression.timeout={number}h"))]).is_err());
    }
}

#[test]
fn what_is_not_yaml_has_a_line_and_a_column() {
    let texts = [
        "compression:\n\tthreshold: 0.5\n",
        "compression:\n  threshold: 0.5\n enabled: true\n",
        "compression:\n  threshold: 0.5\n    enabled: true\n",
        "compression: {threshold: 0.5\n",
        "model: \"unclosed\n",
        "a: *nothing\n",
        "a: 1\n---\nb: 2\n",
        "- a\n- b\n",
        "just a text\n",
    ];
    let all: String = texts.iter().map(|text| told(of_text(text))).collect();
    insta::assert_snapshot!(all, @r#"
    error: config.yaml:2:2: not valid YAML: tabs disallowed within this context (block indentation)
      2 | →threshold: 0.5
        |  ^
      hint: indent with spaces
    error: config.yaml:3:2: not valid YAML: while parsing a block mapping, did not find expected key
      3 |  enabled: true
        |  ^
      hint: keys of one section begin in the same column
    error: config.yaml:3:12: not valid YAML: mapping values are not allowed in this context
      3 |     enabled: true
        |            ^
      hint: keys of one section begin in the same column; put quotes around a text that contains `: `
    error: config.yaml:1:14: not valid YAML: unclosed bracket '{'
      1 | compression: {threshold: 0.5
        |              ^
    error: config.yaml:2:1: not valid YAML: invalid indentation in multiline quoted scalar
      hint: close the quotes
    error: config.yaml:1:4: not valid YAML: alias references unknown anchor
      1 | a: *nothing
        |    ^
    error: config.yaml:3:1: not valid YAML: more than one YAML document
      3 | b: 2
        | ^
      hint: remove the line `---` and what does not belong
    error: config.yaml:1:1: expected a section with keys, found a list
      1 | - a
        | ^
      hint: begin with `compression:`
    error: config.yaml:1:1: expected a section with keys, found a single value
      1 | just a text
        | ^^^^^^^^^^^
      hint: begin with `compression:`
    "#);
}

#[test]
fn other_layers_tell_their_name() {
    let variables = [
        ("EPITOME_COMPRESSION_THRESHOLD", "half"),
        ("EPITOME_COMPRESION_THRESHOLD", "0.5"),
        ("EPITOME_COMPRESSION_SUMMARY_MODEL", "some/model"),
        ("EPITOME_AUXILIARY_COMPRESSION_API_KEY", "hunter2"),
        ("EPITOME_COMPRESSION_TAIL", ""),
        ("EPITOME_LOG", "debug"),
        ("COMPRESSION_THRESHOLD", "9"),
    ];
    let flags = [
        set("compression.threshold"),
        set("compression.threshold=50%"),
        set("compression.treshold=0.5"),
        set("threshold=0.5"),
        set("unheard.of=0.5"),
        set("model.cache_ttl=1h"),
        set("auxiliary.compression.api_key=hunter2"),
        Flag::Named { name: "--window".into(), key: "model.context_length".into(), value: "big".into() },
    ];
    insta::assert_snapshot!(told(of_layers("", &variables, &flags)), @r#"
    error: environment EPITOME_COMPRESSION_THRESHOLD: compression.threshold: expected a number, found the string "half"
      hint: the default is 0.5
    error: flag --set: expected key=value, found "compression.threshold"
      hint: for example --set compression.threshold=0.6
    error: flag --set: compression.threshold: expected a number, found the string "50%"
      hint: write 0.5
    error: flag --set: compression.treshold: unknown key
      hint: did you mean `compression.threshold`?
    error: flag --set: threshold: unknown key
      hint: did you mean `compression.threshold`?
    error: flag --set: unheard.of: unknown key
      hint: `epitome config show` lists every key
    error: flag --set: auxiliary.compression.api_key: credentials are not read from here
      hint: put the key into a variable of its own, and its name into auxiliary.compression.api_key_env
    error: flag --window: model.context_length: expected a whole number, found the string "big"
      hint: give it a whole number, or remove the key
    warning: environment EPITOME_AUXILIARY_COMPRESSION_API_KEY: credentials are not read from here
      hint: put the key into a variable of its own, and its name into auxiliary.compression.api_key_env
    warning: environment EPITOME_COMPRESION_THRESHOLD: not a variable of Epitome, and not used
      hint: did you mean EPITOME_COMPRESSION_THRESHOLD?
    warning: environment EPITOME_COMPRESSION_SUMMARY_MODEL: compression.summary_model: an older spelling of `auxiliary.compression.model`
      hint: set EPITOME_AUXILIARY_COMPRESSION_MODEL
    warning: flag --set: model.cache_ttl: an older spelling of `prompt_caching.cache_ttl`
      hint: write `prompt_caching.cache_ttl`
    "#);
}

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
fn what_looks_like_ours_elsewhere_is_a_warning() {
    let text =
        "compresion:\n  threshold: 0.7\nthreshold: 0.7\nauxiliary:\n  compresssion: {}\nmodel:\n  context_lenght: 5\n";
    insta::assert_snapshot!(told(of_text(text)), @r#"
    warning: config.yaml:1:1: compresion: not a key of Epitome, and not used
      1 | compresion:
        | ^^^^^^^^^^
      hint: did you mean `compression`?
    warning: config.yaml:3:1: threshold: not a key of Epitome, and not used
      3 | threshold: 0.7
        | ^^^^^^^^^
      hint: did you mean `compression.threshold`?
    warning: config.yaml:5:3: auxiliary.compresssion: not a key of Epitome, and not used
      5 |   compresssion: {}
        |   ^^^^^^^^^^^^
      hint: did you mean `compression`?
    warning: config.yaml:7:3: model.context_lenght: not a key of Epitome, and not used
      7 |   context_lenght: 5
        |   ^^^^^^^^^^^^^^
      hint: did you mean `context_length`?
    "#);
}

#[test]
fn values_that_make_no_sense_together_are_a_warning() {
    let text = "compression:\n  threshold: 0.9\nauxiliary:\n  compression:\n    provider: openrouter\n";
    insta::assert_snapshot!(told(of_text(text)), @r#"
    warning: config.yaml:5:15: auxiliary.compression.provider: `openrouter` needs a key, and none is named
      hint: set auxiliary.compression.api_key_env, or use provider: local
    warning: config.yaml:2:14: compression.threshold: 0.9 is never reached: the safety net compresses at 0.85
      hint: lower it, or set compression.hygiene: false
    "#);
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
fn a_section_that_stands_twice_is_an_error_where_it_is_ours() {
    let errors =
        of_text("compression: {enabled: true}\nagent: 1\nagent: 2\ncompression: {enabled: false}\n").unwrap_err();
    let lines: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["config.yaml:4:1: compression: stands twice, first in line 1"]);
}

#[test]
fn a_mark_at_the_beginning_and_other_line_ends_do_not_matter() {
    let loaded = of_text("\u{feff}compression:\r\n  threshold: 0.6\r\n").unwrap();
    assert_eq!(loaded.config.compression.threshold, 0.6);
    assert_eq!(loaded.origins["compression.threshold"].to_string(), "config.yaml:2:14");
}

#[test]
fn a_bottomless_file_is_an_error() {
    for text in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000), "? ".repeat(100_000)] {
        assert!(of_text(&text).is_err());
    }
    let bomb: String = (1..40).map(|level| format!("a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)).collect();
    assert!(of_text(&format!("a0: &a0 x\n{bomb}")).is_err());
}

#[test]
fn sections_may_be_empty_and_values_merged() {
    let text = "compression:\nauxiliary:\n  compression:\nbase: &base {threshold: 0.7, tail: adaptive}\n";
    assert!(of_text(text).is_ok());
    let merged =
        of_text("base: &base {threshold: 0.7, tail: adaptive}\ncompression:\n  <<: *base\n  tail: fixed\n").unwrap();
    assert_eq!((merged.config.compression.threshold, merged.config.compression.tail), (0.7, Tail::Fixed));
}

#[test]
fn no_credential_is_ever_told() {
    let secret = "sk-or-v1-0123456789abcdef";
    // It does not look like one, but stands where one would.
    let plain = "hunter0123456789";
    let texts = [
        format!("auxiliary:\n  compression:\n    api_key: {plain}: x\n"),
        format!("auxiliary:\n  compression:\n    api_key: {plain}\n    api_key: {plain}\n"),
        format!("auxiliary:\n  compression:\n    api_key: [{plain}\n"),
        format!("auxiliary:\n  compression:\n    api_key: \"\n{plain}\n"),
        format!("auxiliary:\n  compression:\n    api_key: |\n      x\n\t{plain}\n"),
        format!("auxiliary:\n  compression:\n    api_key_env: {plain}-\n"),
        format!("auxiliary:\n  compression:\n    base_url: {plain}\n"),
        format!("auxiliary:\n  compression:\n    base_url: https://{plain}@host\n"),
        format!("auxiliary:\n  compression:\n    api_key: {secret}\n"),
        format!("auxiliary:\n  compression:\n    api_key: {secret}\n    api_key: {secret}\n"),
        format!("auxiliary:\n  compression:\n    api_key_env: {secret}\n"),
        format!("auxiliary:\n  compression:\n    base_url: {secret}\n"),
        format!("auxiliary:\n  compression:\n    base_url: https://me:{secret}@host/v1\n"),
        format!("auxiliary:\n  compression:\n    base_url: https://host/v1?sig={secret}\n"),
        format!("auxiliary:\n  compression:\n    timeout: {secret}\n"),
        format!("auxiliary:\n  compression:\n    provider: {secret}\n"),
        format!("auxiliary: {{compression: {{colour: red, api_key: {secret}}}}}\n"),
        format!("auxiliary:\n  compression:\n    api_key: \"{secret}\n"),
        format!("auxiliary:\n  compression:\n    api_key: {secret}: {secret}\n"),
        format!("auxiliary:\n  compression:\n    api_key: [{secret}\n"),
        format!("auxiliary:\n\tapi_key: {secret}\n"),
        format!("context:\n  engine: {secret}/x\n"),
        format!("auxiliary: {secret}\n"),
    ];
    for text in &texts {
        for format in [Format::Text, Format::Json] {
            let check =
                run(Some(text), &[], &[], |sources, out, err| commands::check(sources, format, out, err).unwrap());
            let show = run(Some(text), &[("A", secret)], &[], |sources, out, err| {
                commands::show(sources, format, out, err).unwrap()
            });
            assert!(!check.contains("0123456789") && !show.contains("0123456789"), "{check}\n{show}");
        }
        assert!(!format!("{:?}", of_text(text)).contains("0123456789"), "{text}");
    }
    assert!(!format!("{:?}", environment(&[("OPENROUTER_API_KEY", secret)])).contains("0123456789"));
}

#[test]
fn a_named_file_must_exist_and_the_usual_ones_need_not() {
    let directory = tempfile::tempdir().unwrap();
    let home = directory.path().to_str().unwrap().to_owned();
    let sources = |file: Option<&str>, variables: &[(&str, &str)]| Sources {
        file: file.map(|name| directory.path().join(name)),
        directory: directory.path().to_owned(),
        environment: environment(variables),
        flags: Vec::new(),
    };
    let threshold = |sources: &Sources| load(sources).map(|loaded| loaded.config.compression.threshold);

    assert_eq!(threshold(&sources(None, &[("HOME", &home)])).unwrap(), 0.5);
    let missing = threshold(&sources(Some("nowhere.yaml"), &[])).unwrap_err().to_string();
    assert_eq!(missing, format!("{home}/nowhere.yaml: no such file\n  hint: it was named by the command line"));
    let missing = threshold(&sources(None, &[("EPITOME_CONFIG", "/nowhere/at.yaml")])).unwrap_err().to_string();
    assert_eq!(missing, "/nowhere/at.yaml: no such file\n  hint: it was named by EPITOME_CONFIG");

    // Somebody else's.
    std::fs::write(directory.path().join("config.yaml"), "compression: {threshold: 0.1}").unwrap();
    assert_eq!(threshold(&sources(None, &[("HOME", &home)])).unwrap(), 0.5);

    std::fs::create_dir_all(directory.path().join(".config/epitome")).unwrap();
    std::fs::write(directory.path().join(".config/epitome/config.yaml"), "compression: {threshold: 0.2}").unwrap();
    assert_eq!(threshold(&sources(None, &[("HOME", &home)])).unwrap(), 0.2);
    std::fs::create_dir_all(directory.path().join("xdg/epitome")).unwrap();
    std::fs::write(directory.path().join("xdg/epitome/config.yaml"), "compression: {threshold: 0.3}").unwrap();
    let xdg = format!("{home}/xdg");
    assert_eq!(threshold(&sources(None, &[("HOME", &home), ("XDG_CONFIG_HOME", &xdg)])).unwrap(), 0.3);
    std::fs::write(directory.path().join("epitome.yaml"), "compression: {threshold: 0.4}").unwrap();
    assert_eq!(threshold(&sources(None, &[("HOME", &home), ("XDG_CONFIG_HOME", &xdg)])).unwrap(), 0.4);
    let named = format!("{home}/config.yaml");
    assert_eq!(threshold(&sources(None, &[("HOME", &home), ("EPITOME_CONFIG", &named)])).unwrap(), 0.1);
}

#[test]
fn check_says_ok_and_how_much_is_set() {
    insta::assert_snapshot!(run_check(Some("compression:\n  threshold: 0.6\nagent: {}\n"), Format::Text), @r#"
    note: config.yaml: 1 key is not used by Epitome: agent
    OK: config.yaml, 1 value set
    Done
    "#);
    insta::assert_snapshot!(run_check(Some(""), Format::Text), @r#"
    OK: config.yaml, 0 values set
    Done
    "#);
    insta::assert_snapshot!(run_check(None, Format::Text), @r#"
    OK: no file, 0 values set
    Done
    "#);
}

#[test]
fn check_fails_with_everything_wrong() {
    insta::assert_snapshot!(run_check(Some("compression:\n  threshold: 1.4\n"), Format::Text), @r#"
    error: config.yaml:2:14: compression.threshold: 1.4 is out of range (0.0–1.0)
      2 |   threshold: 1.4
        |              ^^^
      hint: the default is 0.5
    Wrong
    "#);
    insta::assert_snapshot!(run_check(Some("compression:\n  threshold: 1.4\nagent: {}\n"), Format::Json), @r#"
    {
      "ok": false,
      "errors": [
        {
          "origin": {
            "from": "file",
            "path": "config.yaml",
            "line": 2,
            "column": 14
          },
          "key": "compression.threshold",
          "message": "1.4 is out of range (0.0–1.0)",
          "hint": "the default is 0.5"
        }
      ],
      "warnings": [],
      "notes": [
        {
          "origin": null,
          "key": null,
          "message": "config.yaml: 1 key is not used by Epitome: agent",
          "hint": null
        }
      ]
    }
    Wrong
    "#);
}

#[test]
fn show_tells_values_and_what_they_come_to() {
    let shown = run(None, &[], &[], |sources, out, err| commands::show(sources, Format::Text, out, err).unwrap());
    insta::assert_snapshot!(shown, @"
    compression.enabled                   true        default
    compression.threshold                 0.5         default
    compression.target_ratio              0.2         default
    compression.protect_last_n            20          default
    compression.protect_first_n           3           default
    compression.outputs                   digest      default
    compression.controller                off         default
    compression.tail                      fixed       default
    compression.hygiene                   true        default
    compression.trigger                   threshold   default
    compression.prepare_at                null        default
    compression.max_wait                  30          default
    auxiliary.compression.model           null        default
    auxiliary.compression.provider        auto        default
    auxiliary.compression.base_url        null        default
    auxiliary.compression.api_key_env     null        default
    auxiliary.compression.timeout         120         default
    auxiliary.compression.context_length  null        default
    auxiliary.compression.max_spend       null        default
    context.engine                        compressor  default
    prompt_caching.cache_ttl              5m          default
    store.originals                       keep        default
    model.default                         null        default
    model.context_length                  null        default

    For a window of 200,000 tokens:
    compaction at                         100,000
    protected tail                        20,000
    summary at most                       10,000
    safety net at                         170,000
    Done
    ");
}

#[test]
fn show_tells_where_values_came_from() {
    let text = "compression:\n  enabled: true\n  threshold: 0.6\nmodel:\n  context_length: 100000\n";
    let variables = [("EPITOME_COMPRESSION_OUTPUTS", "clear")];
    let flags = [set("compression.hygiene=false"), set("auxiliary.compression.timeout=1.5m")];
    let shown = run(Some(text), &variables, &flags, |sources, out, err| {
        commands::show(sources, Format::Text, out, err).unwrap()
    });
    insta::assert_snapshot!(shown, @"
    compression.enabled                   true        file config.yaml:2
    compression.threshold                 0.6         file config.yaml:3
    compression.target_ratio              0.2         default
    compression.protect_last_n            20          default
    compression.protect_first_n           3           default
    compression.outputs                   clear       environment EPITOME_COMPRESSION_OUTPUTS
    compression.controller                off         default
    compression.tail                      fixed       default
    compression.hygiene                   false       flag --set
    compression.trigger                   threshold   default
    compression.prepare_at                null        default
    compression.max_wait                  30          default
    auxiliary.compression.model           null        default
    auxiliary.compression.provider        auto        default
    auxiliary.compression.base_url        null        default
    auxiliary.compression.api_key_env     null        default
    auxiliary.compression.timeout         90          flag --set
    auxiliary.compression.context_length  null        default
    auxiliary.compression.max_spend       null        default
    context.engine                        compressor  default
    prompt_caching.cache_ttl              5m          default
    store.originals                       keep        default
    model.default                         null        default
    model.context_length                  100000      file config.yaml:5

    For the configured window of 100,000 tokens:
    compaction at                         60,000
    protected tail                        12,000
    summary at most                       5,000
    Done
    ");
    let json = run(Some(text), &variables, &flags, |sources, out, err| {
        commands::show(sources, Format::Json, out, err).unwrap()
    });
    let json: serde_json::Value = serde_json::from_str(json.strip_suffix("Done").unwrap()).unwrap();
    assert_eq!(
        json["values"]["compression.threshold"],
        serde_json::json!({"value": 0.6, "origin": {"from": "file", "path": "config.yaml", "line": 3, "column": 14}})
    );
    assert_eq!(json["computed"]["compaction_at"], 60_000);
}

#[test]
fn the_schema_says_what_the_table_says() {
    let mut text = Vec::new();
    commands::schema(&mut text).unwrap();
    let schema: serde_json::Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(schema, schema::schema());
    for setting in SETTINGS {
        let mut place = &schema;
        for key in setting.path.split('.') {
            place = &place["properties"][key];
        }
        assert_eq!(place["description"], setting.doc);
        assert_eq!(place["default"], schema::value(&setting.default));
    }
    let compression = &schema["properties"]["compression"];
    let part = serde_json::json!({
        "$schema": schema["$schema"],
        "top": schema["additionalProperties"],
        "compression": compression["additionalProperties"],
        "auxiliary": schema["properties"]["auxiliary"]["additionalProperties"],
        "threshold": compression["properties"]["threshold"],
        "outputs": compression["properties"]["outputs"],
        "summary_model": compression["properties"]["summary_model"],
        "in_place": compression["properties"]["in_place"],
        "max_wait": compression["properties"]["max_wait"],
        "context_length": schema["properties"]["model"]["properties"]["context_length"],
    });
    insta::assert_snapshot!(serde_json::to_string_pretty(&part).unwrap(), @r#"
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "top": true,
      "compression": false,
      "auxiliary": true,
      "threshold": {
        "description": "Share of the context window at which compaction begins.",
        "type": "number",
        "minimum": 0.0,
        "maximum": 1.0,
        "default": 0.5
      },
      "outputs": {
        "description": "What becomes of old tool outputs: a digest that keeps errors and outliers, or a one-line placeholder.",
        "enum": [
          "digest",
          "clear"
        ],
        "default": "digest"
      },
      "summary_model": {
        "type": [
          "string",
          "null"
        ],
        "description": "An older spelling of `auxiliary.compression.model`.",
        "deprecated": true
      },
      "in_place": {
        "description": "Hermes Agent reads this; Epitome does not."
      },
      "max_wait": {
        "description": "Seconds that a request waits for a summary before the local summariser takes over.",
        "type": [
          "number",
          "string"
        ],
        "minimum": 0.0,
        "maximum": 3600.0,
        "pattern": "^[0-9]+(\\.[0-9]+)? *[smh]$",
        "default": 30
      },
      "context_length": {
        "description": "The model's context window in tokens; null goes by the model's name.",
        "type": [
          "integer",
          "null"
        ],
        "minimum": 1,
        "default": null
      }
    }
    "#);
}

#[test]
fn the_documentation_is_made_from_the_table() {
    let committed = include_str!("../../../../docs/configuration.md");
    assert!(committed == docs::markdown(), "write it anew: epitome config docs > docs/configuration.md");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = told(of_text(&text));
    }

    #[test]
    fn no_yaml_makes_it_panic(lines in proptest::collection::vec(line(), 0..12)) {
        let _ = told(of_text(&lines.concat()));
    }

    #[test]
    fn no_variable_or_flag_makes_it_panic(value in any::<String>(), pair in any::<String>(), index in 0..SETTINGS.len()) {
        let variable = SETTINGS[index].variable();
        let flags = [set(&pair), set(&format!("{}={value}", SETTINGS[index].path))];
        let _ = told(of_layers("", &[(&variable, &value)], &flags));
    }

    #[test]
    fn what_is_accepted_is_in_its_range(value in -2.0..2.0_f64) {
        let accepted = of_layers("", &[], &[set(&format!("compression.target_ratio={value}"))]).is_ok();
        prop_assert_eq!(accepted, (0.1..=0.8).contains(&value));
        let read = SETTINGS[1].kind.read_text(&value.to_string()).ok();
        prop_assert_eq!(read, (0.0..=1.0).contains(&value).then_some(Value::Number(value)));
    }
}

/// Lines that are nearly a configuration.
fn line() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        proptest::sample::select(KEYS).prop_map(|path| path.rsplit('.').next().unwrap_or(path).to_owned()),
        (0..SECTIONS.len()).prop_map(|index| SECTIONS[index].path.to_owned()),
        Just("<<".to_owned()),
        Just("? ".to_owned()),
        "[a-zäé\"'&*!|>%@`-]{0,6}",
    ];
    let value = prop_oneof![
        Just(String::new()),
        Just("&a".to_owned()),
        Just("*a".to_owned()),
        Just("{".to_owned()),
        Just("[1, {a: b}]".to_owned()),
        Just("|".to_owned()),
        any::<f64>().prop_map(|number| number.to_string()),
        any::<i128>().prop_map(|number| number.to_string()),
        "[ -~äé日本\t]{0,12}",
    ];
    (0..4_usize, key, value).prop_map(|(indent, key, value)| format!("{}{key}: {value}\n", "  ".repeat(indent)))
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
