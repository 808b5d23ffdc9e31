//! What `epitome config` prints: remarks, values, the schema, the reference page.

use super::*;

#[test]
fn check_says_ok_and_how_much_is_set() {
    insta::assert_snapshot!(run_check(Some("compression:\n  threshold: 0.6\nagent: {}\n"), Format::Text), @"
    note: config.yaml: 1 key of other programs is not read: agent
    OK: config.yaml, 1 value set
    Done
    ");
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
          "message": "config.yaml: 1 key of other programs is not read: agent",
          "hint": null
        }
      ]
    }
    Wrong
    "#);
}

#[test]
fn show_tells_values_and_what_they_come_to() {
    let shown = run(None, &[], &[], |sources, out, err| {
        commands::show(sources, Format::Text, Origins::InShort, out, err).unwrap()
    });
    insta::assert_snapshot!(shown, @"
    compression.enabled                   true            default
    compression.threshold                 0.5             default
    compression.threshold_tokens          null            default
    compression.model_thresholds          {}              default
    compression.target_ratio              0.2             default
    compression.protect_last_n            20              default
    compression.protect_first_n           3               default
    compression.outputs                   digest          default
    compression.controller                off             default
    compression.tail                      fixed           default
    compression.hygiene                   true            default
    compression.trigger                   threshold       default
    compression.cost.tail                 20000           default
    compression.cost.summary              4000            default
    compression.cost.length_price         0               default
    compression.cost.fetched_again        0               default
    compression.prepare_at                0.8             default
    compression.max_wait                  30              default
    auxiliary.compression.model           null            default
    auxiliary.compression.provider        auto            default
    auxiliary.compression.base_url        null            default
    auxiliary.compression.api_key_env     null            default
    auxiliary.compression.timeout         120             default
    auxiliary.compression.context_length  null            default
    auxiliary.compression.max_spend       null            default
    context.engine                        compressor      default
    context.strict                        false           default
    prompt_caching.cache_ttl              5m              default
    prompt_caching.strategy               auto            default
    prompt_caching.rules                  auto            default
    store.originals                       keep            default
    store.location                        null            default
    store.keep_days                       null            default
    store.keep_bytes                      null            default
    gateway.listen                        127.0.0.1:8484  default
    gateway.upstream                      null            default
    gateway.upstream_anthropic            null            default
    gateway.upstream_chat                 null            default
    gateway.upstream_responses            null            default
    gateway.answer_timeout                1800            default
    gateway.max_connections               1024            default
    gateway.max_buffered                  256000000       default
    auth.token_env                        null            default
    auth.token_file                       null            default
    model.default                         null            default
    model.context_length                  null            default

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
        commands::show(sources, Format::Text, Origins::InShort, out, err).unwrap()
    });
    insta::assert_snapshot!(shown, @"
    compression.enabled                   true            file config.yaml:2
    compression.threshold                 0.6             file config.yaml:3
    compression.threshold_tokens          null            default
    compression.model_thresholds          {}              default
    compression.target_ratio              0.2             default
    compression.protect_last_n            20              default
    compression.protect_first_n           3               default
    compression.outputs                   clear           environment EPITOME_COMPRESSION_OUTPUTS
    compression.controller                off             default
    compression.tail                      fixed           default
    compression.hygiene                   false           flag --set
    compression.trigger                   threshold       default
    compression.cost.tail                 20000           default
    compression.cost.summary              4000            default
    compression.cost.length_price         0               default
    compression.cost.fetched_again        0               default
    compression.prepare_at                0.8             default
    compression.max_wait                  30              default
    auxiliary.compression.model           null            default
    auxiliary.compression.provider        auto            default
    auxiliary.compression.base_url        null            default
    auxiliary.compression.api_key_env     null            default
    auxiliary.compression.timeout         90              flag --set
    auxiliary.compression.context_length  null            default
    auxiliary.compression.max_spend       null            default
    context.engine                        compressor      default
    context.strict                        false           default
    prompt_caching.cache_ttl              5m              default
    prompt_caching.strategy               auto            default
    prompt_caching.rules                  auto            default
    store.originals                       keep            default
    store.location                        null            default
    store.keep_days                       null            default
    store.keep_bytes                      null            default
    gateway.listen                        127.0.0.1:8484  default
    gateway.upstream                      null            default
    gateway.upstream_anthropic            null            default
    gateway.upstream_chat                 null            default
    gateway.upstream_responses            null            default
    gateway.answer_timeout                1800            default
    gateway.max_connections               1024            default
    gateway.max_buffered                  256000000       default
    auth.token_env                        null            default
    auth.token_file                       null            default
    model.default                         null            default
    model.context_length                  100000          file config.yaml:5

    For the configured window of 100,000 tokens:
    compaction at                         60,000
    protected tail                        12,000
    summary at most                       5,000
    Done
    ");
    let json = run(Some(text), &variables, &flags, |sources, out, err| {
        commands::show(sources, Format::Json, Origins::InShort, out, err).unwrap()
    });
    let json: serde_json::Value = serde_json::from_str(json.strip_suffix("Done").unwrap()).unwrap();
    assert_eq!(
        json["values"]["compression.threshold"],
        serde_json::json!({"value": 0.6, "origin": {"from": "file", "path": "config.yaml", "line": 3, "column": 14}})
    );
    assert_eq!(json["computed"]["compaction_at"], 60_000);
}

#[test]
fn show_with_origin_tells_the_column_and_what_was_overruled() {
    let text = "compression:\n  threshold: 0.6\n";
    let variables = [("EPITOME_COMPRESSION_THRESHOLD", "0.7")];
    let flags = [set("compression.threshold=0.4")];
    let shown = |format| {
        run(Some(text), &variables, &flags, |sources, out, err| {
            commands::show(sources, format, Origins::InFull, out, err).unwrap()
        })
    };
    let text = shown(Format::Text);
    let line = text.lines().find(|line| line.starts_with("compression.threshold ")).unwrap();
    insta::assert_snapshot!(line, @"compression.threshold                 0.4             flag --set, over 0.7 (environment EPITOME_COMPRESSION_THRESHOLD), over 0.6 (config.yaml:2:14)");
    let json = shown(Format::Json);
    let json: serde_json::Value = serde_json::from_str(json.strip_suffix("Done").unwrap()).unwrap();
    let overruled = json["values"]["compression.threshold"]["overruled"].as_array().unwrap();
    assert_eq!(overruled.iter().map(|weaker| &weaker["value"]).collect::<Vec<_>>(), [0.7, 0.6]);
}

#[test]
fn check_fails_for_an_engine_that_does_not_exist_and_says_where_it_looked() {
    let check = |text| run_check(Some(text), Format::Text);
    insta::assert_snapshot!(check("context:\n  engine: lcm\n"), @r#"
    error: config.yaml:2:11: context.engine: there is no engine "lcm"; looked in plugins/context_engine/lcm/ (there is no such directory), registered engines (there are none), the built-in engine (compressor)
      hint: set context.engine to one that `epitome engines` lists
    Wrong
    "#);
    assert!(check("context: {engine: compresor}").contains("hint: did you mean `compressor`?"));
    let json = run_check(Some("context:\n  engine: lcm\n"), Format::Json);
    let json: serde_json::Value = serde_json::from_str(json.strip_suffix("Wrong").unwrap()).unwrap();
    assert_eq!((&json["ok"], &json["errors"][0]["key"]), (&false.into(), &"context.engine".into()));
}

#[test]
fn check_says_that_an_engine_in_a_directory_is_not_run() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(directory.path().join("plugins/context_engine/lcm")).unwrap();
    let sources = Sources {
        file: None,
        directory: directory.path().to_owned(),
        environment: Environment::default(),
        flags: vec![set("context.engine=lcm")],
    };
    let mut said = Vec::new();
    let outcome = commands::check(&sources, Format::Text, &mut Vec::new(), &mut said).unwrap();
    let said = String::from_utf8(said).unwrap();
    assert_eq!(outcome, Outcome::Wrong);
    assert!(said.contains("(it is there, but engines in directories are not run)"), "{said}");
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
        "description": "What becomes of old tool outputs: a digest that keeps errors and what is unlike the rest, or a one-line placeholder.",
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
          "string",
          "null"
        ],
        "minimum": 1,
        "pattern": "^[0-9][0-9_,.]*[kKmM]$",
        "default": null
      }
    }
    "#);
}

#[test]
fn the_documentation_is_made_from_the_table() {
    let committed = include_str!("../../../../../docs/configuration.md");
    assert!(committed == docs::markdown(), "write it anew: epitome config docs > docs/configuration.md");
}
