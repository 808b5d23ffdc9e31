//! Codex: an address is a setting of its provider, and settings can be given on the command line.

use super::{How, OPENAI_PATH, Pointer, Pointers, Surroundings, path_of};

pub(super) fn pointers(around: &Surroundings<'_>) -> Pointers {
    let home = around.directory_of("CODEX_HOME", ".codex");
    let config = home.and_then(|home| std::fs::read_to_string(home.join("config.toml")).ok()).unwrap_or_default();
    let (key, own) = address_of(&config);
    let openai = around.own(own).or_else(|| around.first(&["OPENAI_BASE_URL"]));
    let path = path_of(openai.as_deref(), OPENAI_PATH);
    Pointers { pointers: vec![Pointer { how: How::CodexSetting(key), path }], anthropic: None, openai }
}

/// The setting that holds the address that Codex asks at, and its value if it has one.
///
/// Only the lines that say it are read, as people and Codex itself write them: a whole reader of TOML is not worth it, and
/// what is not understood leaves OpenAI's own address.
fn address_of(config: &str) -> (String, Option<String>) {
    let mut provider = None;
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut section = String::new();
    for line in config.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = name.replace('"', "");
        } else if let Some((key, value)) = line.split_once('=') {
            let value = value.trim().trim_start_matches(['"', '\'']).split(['"', '\'']).next().unwrap_or_default();
            match (section.as_str(), key.trim()) {
                ("", "model_provider") => provider = Some(value.to_owned()),
                ("", key) => settings.push((key.to_owned(), value.to_owned())),
                (section, key) => settings.push((format!("{section}.{key}"), value.to_owned())),
            }
        }
    }
    let find = |key: &str| settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
    match provider.map(|provider| format!("model_providers.{provider}.base_url")) {
        Some(key) if find(&key).is_some() => {
            let value = find(&key);
            (key, value)
        }
        Some(_) | None => ("openai_base_url".to_owned(), find("openai_base_url")),
    }
}

#[cfg(test)]
mod tests {
    use super::address_of;

    #[test]
    fn the_address_of_the_chosen_provider_is_found() {
        let config = "model = \"m\"\nmodel_provider = \"mine\"\n\n[model_providers.other]\nbase_url = \"http://other/v1\"\n\
                      [model_providers.mine] # chosen\nname = 'Mine'\nbase_url = 'http://mine/v1' # here\n";
        let expected = ("model_providers.mine.base_url".to_owned(), Some("http://mine/v1".to_owned()));
        assert_eq!(address_of(config), expected);
    }

    #[test]
    fn without_one_it_is_openai() {
        assert_eq!(address_of(""), ("openai_base_url".to_owned(), None));
        let config = "openai_base_url = \"https://eu.example/v1\"\n[profiles.x]\nmodel_provider = \"y\"\n";
        assert_eq!(address_of(config), ("openai_base_url".to_owned(), Some("https://eu.example/v1".to_owned())));
    }
}
