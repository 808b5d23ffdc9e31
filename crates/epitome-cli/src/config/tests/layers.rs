//! Every setting is in the table, and its value arrives from wherever it was said.

use super::*;

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
        let text = super::super::shown(&setting.default);
        assert_eq!(setting.kind.read_text(&text).as_ref(), Ok(&setting.default), "{}", setting.path);
    }
}

#[test]
fn every_setting_stands_in_a_section_and_has_a_variable_of_its_own() {
    let mut variables: Vec<String> = SETTINGS.iter().map(|setting| setting.variable()).collect();
    variables.push(super::super::CONFIG_VARIABLE.to_owned());
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
    let Config { compression, prompt_caching, store, auxiliary, model, context, gateway, auth } = loaded.config;
    assert_eq!((compression.enabled, compression.threshold, compression.target_ratio), (true, 0.5, 0.2));
    assert_eq!((compression.protect_first_n, compression.protect_last_n, compression.hygiene), (3, 20, true));
    assert_eq!((compression.outputs, compression.controller), (Outputs::Digest, Controller::Off));
    assert_eq!((compression.tail, compression.trigger), (Tail::Fixed, Trigger::Threshold));
    assert_eq!((prompt_caching.cache_ttl, store.originals), (CacheTtl::FiveMinutes, Originals::Keep));
    assert_eq!((auxiliary.compression.provider, auxiliary.compression.model), (Provider::Auto, None));
    assert_eq!((model.context_length, context.engine.as_str()), (None, "compressor"));
    assert_eq!((gateway.listen.as_str(), gateway.upstream, auth.token_file), ("127.0.0.1:8484", None, None));
}

/// For each setting, a value that is not its default.
fn another(path: &str) -> &'static str {
    match path {
        "compression.enabled" | "compression.hygiene" => "false",
        "compression.threshold" | "compression.target_ratio" | "compression.prepare_at" => "0.75",
        "compression.threshold_tokens" => "250000",
        "compression.model_thresholds" => "{claude-opus: 0.3, gpt-5: 90000}",
        "compression.protect_last_n" | "compression.protect_first_n" => "7",
        "compression.outputs" => "clear",
        "compression.controller" => "largest_first",
        "compression.tail" => "adaptive",
        "compression.trigger" => "cost",
        "compression.cost.tail" | "compression.cost.summary" => "3000",
        "compression.cost.length_price" | "compression.cost.fetched_again" => "0.05",
        "compression.max_wait" | "auxiliary.compression.timeout" | "gateway.answer_timeout" => "2.5",
        "auxiliary.compression.provider" => "local",
        "auxiliary.compression.base_url" => "http://localhost:8080/v1",
        "auxiliary.compression.api_key_env" => "MY_KEY",
        "auxiliary.compression.context_length" => "8192",
        "auxiliary.compression.max_spend" => "2.5",
        "context.engine" => "lcm",
        "context.strict" => "true",
        "prompt_caching.cache_ttl" => "1h",
        "prompt_caching.strategy" => "system_and_3",
        "prompt_caching.rules" => "openrouter",
        "store.originals" => "off",
        "store.location" => "memory",
        "store.keep_days" => "30",
        "store.keep_bytes" => "2000000000",
        "gateway.max_buffered" => "100000000",
        "gateway.listen" => "127.0.0.1:9",
        "gateway.max_connections" => "64",
        "gateway.upstream" | "gateway.upstream_anthropic" | "gateway.upstream_chat" | "gateway.upstream_responses" => {
            "http://localhost:8080/v1"
        }
        "auth.token_env" => "MY_TOKEN",
        "auth.token_file" => "tokens.txt",
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
            assert_eq!(super::super::shown(&(setting.of)(&loaded.config)), text);
            assert_eq!(super::super::set_keys(loaded).map(|setting| setting.path).collect::<Vec<_>>(), [setting.path]);
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
    assert_eq!(
        missing,
        format!("{home}/nowhere.yaml: no such file or directory\n  hint: it was named by the command line")
    );
    let missing = threshold(&sources(None, &[("EPITOME_CONFIG", "/nowhere/at.yaml")])).unwrap_err().to_string();
    assert_eq!(missing, "/nowhere/at.yaml: no such file or directory\n  hint: it was named by EPITOME_CONFIG");

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
