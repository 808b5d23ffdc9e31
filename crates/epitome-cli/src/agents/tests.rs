//! What each agent is told, seen as a whole.

use std::fmt::Write;

use tempfile::TempDir;

use super::*;

/// What an agent is told that runs in an environment, with these files in its home.
fn told(agent: Option<Agent>, variables: &[(&str, &str)], files: &[(&str, &str)], upstream_is_given: bool) -> String {
    let home = TempDir::new().expect("a directory");
    for (path, text) in files {
        let path = home.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    let home_itself = [("HOME", home.path().to_str().expect("a path"))];
    let environment: Environment =
        variables.iter().chain(&home_itself).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let around = Surroundings { environment: &environment, directory: home.path(), upstream_is_given };
    let pointers = match pointers(agent, &around) {
        Ok(pointers) => pointers,
        Err(failure) => return failure.to_string(),
    };
    let mut text = String::new();
    let pointed = pointers.at("http://127.0.0.1:1", &environment);
    let mut line = |name: &str, value: &str| writeln!(text, "{name} {value}").expect("in memory");
    pointed.variables.iter().for_each(|(name, value)| line(name, value));
    pointed.arguments.iter().for_each(|argument| line("argument", argument));
    [("asks anthropic at", &pointers.anthropic), ("asks openai at", &pointers.openai)]
        .iter()
        .filter_map(|(name, address)| Some((name, address.as_deref()?)))
        .for_each(|(name, address)| line(name, address));
    text
}

#[test]
fn claude_code_has_a_variable() {
    insta::assert_snapshot!(told(Some(Agent::Claude), &[], &[], false), @"ANTHROPIC_BASE_URL http://127.0.0.1:1");
    let own = [("ANTHROPIC_BASE_URL", "https://proxy.example/anthropic/")];
    insta::assert_snapshot!(told(Some(Agent::Claude), &own, &[], false), @"
    ANTHROPIC_BASE_URL http://127.0.0.1:1/anthropic
    asks anthropic at https://proxy.example/anthropic/
    ");
    insta::assert_snapshot!(told(Some(Agent::Claude), &own, &[], true), @"ANTHROPIC_BASE_URL http://127.0.0.1:1");
}

#[test]
fn codex_has_a_setting_of_its_provider() {
    insta::assert_snapshot!(told(Some(Agent::Codex), &[], &[], false), @r#"
    argument -c
    argument openai_base_url="http://127.0.0.1:1/v1"
    "#);
    let config = "model_provider = \"mine\"\n[model_providers.mine]\nbase_url = \"http://mine.example/api/v1\"\n";
    insta::assert_snapshot!(told(Some(Agent::Codex), &[], &[(".codex/config.toml", config)], false), @r#"
    argument -c
    argument model_providers.mine.base_url="http://127.0.0.1:1/api/v1"
    asks openai at http://mine.example/api/v1
    "#);
}

#[test]
fn opencode_has_an_address_for_each_provider() {
    insta::assert_snapshot!(told(Some(Agent::Opencode), &[], &[], false), @r#"OPENCODE_CONFIG_CONTENT {"provider":{"anthropic":{"options":{"baseURL":"http://127.0.0.1:1/v1"}},"openai":{"options":{"baseURL":"http://127.0.0.1:1/v1"}}}}"#);
    let config = r#"{"model": "mine/m", "provider": {"mine": {"options": {"baseURL": "http://mine.example/v1"}}}}"#;
    let content = [("OPENCODE_CONFIG_CONTENT", r#"{"theme":"dark","provider":{"openai":{"options":{"timeout":1}}}}"#)];
    insta::assert_snapshot!(told(Some(Agent::Opencode), &content, &[("opencode.json", config)], false), @r#"
    OPENCODE_CONFIG_CONTENT {"theme":"dark","provider":{"openai":{"options":{"timeout":1,"baseURL":"http://127.0.0.1:1/v1"}},"anthropic":{"options":{"baseURL":"http://127.0.0.1:1/v1"}},"mine":{"options":{"baseURL":"http://127.0.0.1:1/v1"}}}}
    asks anthropic at http://mine.example/v1
    asks openai at http://mine.example/v1
    "#);
}

#[test]
fn hermes_has_a_variable_for_two_kinds_of_providers() {
    let told_by = |config: &str| told(Some(Agent::Hermes), &[], &[(".hermes/config.yaml", config)], false);
    insta::assert_snapshot!(told_by("model: some/name\n"), @"
    OPENROUTER_BASE_URL http://127.0.0.1:1/api/v1
    asks anthropic at https://openrouter.ai/api/v1
    asks openai at https://openrouter.ai/api/v1
    ");
    insta::assert_snapshot!(told_by("model:\n  provider: custom\n  base_url: http://mine.example/v1\n"), @"
    CUSTOM_BASE_URL http://127.0.0.1:1/v1
    asks anthropic at http://mine.example/v1
    asks openai at http://mine.example/v1
    ");
    insta::assert_snapshot!(told_by("model:\n  provider: anthropic\n"), @r#"Hermes asks the provider "anthropic" at an address that only its config.yaml can change"#);
}

#[test]
fn any_other_program_has_all_of_them_and_no_proxy_is_between() {
    let variables =
        [("OPENAI_BASE_URL", "https://eu.example/v1"), ("https_proxy", "http://proxy"), ("no_proxy", "a.b")];
    insta::assert_snapshot!(told(None, &variables, &[], false), @"
    ANTHROPIC_BASE_URL http://127.0.0.1:1
    ANTHROPIC_API_BASE http://127.0.0.1:1
    OPENAI_BASE_URL http://127.0.0.1:1/v1
    OPENAI_API_BASE http://127.0.0.1:1/v1
    no_proxy a.b,127.0.0.1
    NO_PROXY 127.0.0.1
    asks openai at https://eu.example/v1
    ");
}

#[test]
fn the_lines_for_a_shell_are_those_of_the_documentation() {
    let lines = by_hand("http://127.0.0.1:8484");
    let programs = Agent::ALL.into_iter().map(Agent::program).chain(["my-program"]);
    for (line, program) in lines.iter().zip(programs) {
        assert!(line.split(' ').any(|word| word == program), "{program}: {line}");
    }
    assert_eq!(lines.len(), Agent::ALL.len() + 1);
    let guide = include_str!("../../../../docs/gateway.md");
    for line in &lines {
        assert!(guide.lines().any(|said| said == line), "docs/gateway.md does not say: {line}");
    }
}

#[test]
fn an_agent_is_known_by_its_program_wherever_that_is() {
    assert_eq!(Agent::of_program("claude".as_ref()), Some(Agent::Claude));
    assert_eq!(Agent::of_program("/opt/bin/codex".as_ref()), Some(Agent::Codex));
    assert_eq!(Agent::of_program("claude-code".as_ref()), None);
}
