//! What is wrong is told at once, with its place, and without a credential.

use super::*;

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
    error: config.yaml:18:14: auxiliary.compression.timeout: expected a number of seconds, found the string "120"
      18 |     timeout: "120"
         |              ^^^^^
      hint: remove the quotes
    error: config.yaml:19:10: context: expected a section with keys, found a single value
      19 | context: compressor
         |          ^^^^^^^^^^
      hint: indent its keys below it, such as `engine`
    error: config.yaml:21:14: prompt_caching.cache_ttl: "10m" is not one of 5m, 1h, auto, false
      21 |   cache_ttl: 10m
         |              ^^^
      hint: the default is 5m
    error: config.yaml:22:3: prompt_caching.threshold: unknown key
      22 |   threshold: 0.5
         |   ^^^^^^^^^
      hint: did you mean `compression.threshold`?
    "#);
}

#[test]
fn thresholds_of_models_that_are_none_are_refused() {
    let texts = [
        "{claude: 50}",
        "{claude: 1.5}",
        "{claude: -0.1}",
        "{claude: half}",
        "{claude: 0.5, claude: 0.6}",
        "{\"\": 0.5}",
        "{claude: }",
        "0.5",
        "[claude]",
    ];
    let all: String =
        texts.iter().map(|text| told(of_text(&format!("compression: {{model_thresholds: {text}}}")))).collect();
    insta::assert_snapshot!(all, @r#"
    error: config.yaml:1:33: compression.model_thresholds: claude: 50 is neither a share (0.0–1.0) nor a number of tokens (≥ 1000)
      1 | compression: {model_thresholds: {claude: 50}}
        |                                 ^
      hint: a share, not a percentage: 50 % is 0.5
    error: config.yaml:1:33: compression.model_thresholds: claude: 1.5 is neither a share (0.0–1.0) nor a number of tokens (≥ 1000)
      1 | compression: {model_thresholds: {claude: 1.5}}
        |                                 ^
    error: config.yaml:1:33: compression.model_thresholds: claude: -0.1 is neither a share (0.0–1.0) nor a number of tokens (≥ 1000)
      1 | compression: {model_thresholds: {claude: -0.1}}
        |                                 ^
    error: config.yaml:1:33: compression.model_thresholds: claude: "half" is neither a share (0.0–1.0) nor a number of tokens (≥ 1000)
      1 | compression: {model_thresholds: {claude: half}}
        |                                 ^
    error: config.yaml:1:33: compression.model_thresholds: claude stands twice
      1 | compression: {model_thresholds: {claude: 0.5, claude: 0.6}}
        |                                 ^
    error: config.yaml:1:33: compression.model_thresholds: "" is not a plain name
      1 | compression: {model_thresholds: {"": 0.5}}
        |                                 ^
      hint: use letters, digits, `_`, `-` and `.`
    error: config.yaml:1:33: compression.model_thresholds: claude: nothing is neither a share (0.0–1.0) nor a number of tokens (≥ 1000)
      1 | compression: {model_thresholds: {claude: }}
        |                                 ^
    error: config.yaml:1:33: compression.model_thresholds: expected a section of models, found the number 0.5
      1 | compression: {model_thresholds: 0.5}
        |                                 ^^^
      hint: for example {claude-opus: 0.4, gpt-5: 100k}
    error: config.yaml:1:33: compression.model_thresholds: expected a section of models, found a list
      1 | compression: {model_thresholds: [claude]}
        |                                 ^
      hint: for example {claude-opus: 0.4, gpt-5: 100k}
    "#);
}

#[test]
fn addresses_that_lack_something_are_explained() {
    let texts = [
        "gateway: {upstream: localhost:8080}",
        "gateway: {upstream: 192.168.0.2:11434/v1}",
        "gateway: {upstream: openrouter.ai}",
        "gateway: {listen: localhost}",
        "gateway: {listen: 8484}",
        "gateway: {listen: \":8484\"}",
        "gateway: {listen: \"localhost:84840\"}",
        "gateway: {listen: \"http://localhost:8484\"}",
        "gateway: {listen: \"::1:8484\"}",
        "store: {location: \"mysql://root:hunter2@host/db\"}",
        "store: {location: \"sqlite:///tmp/x.db\"}",
    ];
    let all: String = texts.iter().map(|text| told(of_text(text))).collect();
    assert!(!all.contains("hunter2"), "{all}");
    insta::assert_snapshot!(all, @r#"
    error: config.yaml:1:21: gateway.upstream: localhost:8080 has no http:// or https:// before it
      1 | gateway: {upstream: localhost:8080}
        |                     ^^^^^^^^^^^^^^
      hint: write http://localhost:8080
    error: config.yaml:1:21: gateway.upstream: 192.168.0.2:11434/v1 has no http:// or https:// before it
      1 | gateway: {upstream: 192.168.0.2:11434/v1}
        |                     ^^^^^^^^^^^^^^^^^^^^
      hint: write http://192.168.0.2:11434/v1
    error: config.yaml:1:21: gateway.upstream: not an http or https address
      1 | gateway: {upstream: …
        |                     ^
      hint: for example https://openrouter.ai/api/v1
    error: config.yaml:1:19: gateway.listen: "localhost" is not an address and a port
      1 | gateway: {listen: localhost}
        |                   ^^^^^^^^^
      hint: for example 127.0.0.1:8484 or localhost:8484
    error: config.yaml:1:19: gateway.listen: expected an address, found the number 8484
      1 | gateway: {listen: 8484}
        |                   ^^^^
      hint: for example 127.0.0.1:8484 or localhost:8484
    error: config.yaml:1:19: gateway.listen: ":8484" is not an address and a port
      1 | gateway: {listen: ":8484"}
        |                   ^^^^^^^
      hint: for example 127.0.0.1:8484 or localhost:8484
    error: config.yaml:1:19: gateway.listen: "localhost:84840" is not an address and a port
      1 | gateway: {listen: "localhost:84840"}
        |                   ^^^^^^^^^^^^^^^^^
      hint: for example 127.0.0.1:8484 or localhost:8484
    error: config.yaml:1:19: gateway.listen: "http://localhost:8484" is not an address and a port
      1 | gateway: {listen: "http://localhost:8484"}
        |                   ^^^^^^^^^^^^^^^^^^^^^^^
      hint: for example 127.0.0.1:8484 or localhost:8484
    error: config.yaml:1:19: gateway.listen: "::1:8484" is not an address and a port
      1 | gateway: {listen: "::1:8484"}
        |                   ^^^^^^^^^^
      hint: for example 127.0.0.1:8484 or localhost:8484
    error: config.yaml:1:19: store.location: mysql:// is not a store that Epitome knows
      1 | store: {location: "… }
        |                   ^^^^
      hint: the path of an SQLite file, postgres://user@host/database, or memory
    error: config.yaml:1:19: store.location: sqlite:// is not a store that Epitome knows
      1 | store: {location: "sqlite:///tmp/x.db"}
        |                   ^^^^^^^^^^^^^^^^^^^^
      hint: the path of an SQLite file, postgres://user@host/database, or memory
    "#);
    for right in ["localhost:0", "127.0.0.1:8484", "[::1]:8484", "my-host.example:65535"] {
        assert!(of_layers("", &[], &[set(&format!("gateway.listen={right}"))]).is_ok(), "{right}");
    }
}

#[test]
fn a_head_without_the_first_request_is_refused() {
    for head in [0, 1] {
        let errors = of_text(&format!("compression: {{protect_first_n: {head}}}")).unwrap_err().to_string();
        assert!(errors.contains(&format!("compression.protect_first_n: {head} is out of range (≥ 2)")), "{errors}");
    }
    assert!(of_text("compression: {protect_first_n: 2}").is_ok());
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
    error: flag --window: model.context_length: expected a number of tokens, found the string "big"
      hint: give it a number of tokens, or remove the key
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
fn a_section_that_stands_twice_is_an_error_where_it_is_ours() {
    let errors =
        of_text("compression: {enabled: true}\nagent: 1\nagent: 2\ncompression: {enabled: false}\n").unwrap_err();
    let lines: Vec<String> = errors.errors.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["config.yaml:4:1: compression: stands twice, first in line 1"]);
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
                commands::show(sources, format, Origins::InShort, out, err).unwrap()
            });
            assert!(!check.contains("0123456789") && !show.contains("0123456789"), "{check}\n{show}");
        }
        assert!(!format!("{:?}", of_text(text)).contains("0123456789"), "{text}");
    }
    assert!(!format!("{:?}", environment(&[("OPENROUTER_API_KEY", secret)])).contains("0123456789"));
}
