//! Hermes Agent: its address is in its `config.yaml`, and for two kinds of providers a variable overrules it.

use serde::Deserialize;

use super::{How, Pointer, Pointers, Surroundings, path_of};
use crate::failure::Failure;

const OPENROUTER: &str = "https://openrouter.ai/api/v1";

#[derive(Deserialize)]
struct HermesConfig {
    model: Option<Model>,
}

/// As it is written: a name alone, or more.
#[derive(Deserialize)]
#[serde(untagged)]
enum Model {
    Named { provider: Option<String>, base_url: Option<String> },
    Name(#[expect(dead_code, reason = "only its form matters")] String),
}

pub(super) fn pointers(around: &Surroundings<'_>) -> Result<Pointers, Failure> {
    let home = around.directory_of("HERMES_HOME", ".hermes");
    let config = home.and_then(|home| std::fs::read_to_string(home.join("config.yaml")).ok()).unwrap_or_default();
    let config = serde_saphyr::from_str::<HermesConfig>(&config).ok().and_then(|config| config.model);
    let (provider, base_url) = match config {
        Some(Model::Named { provider, base_url }) => (provider, base_url),
        Some(Model::Name(_)) | None => (None, None),
    };
    let provider = provider.unwrap_or_else(|| "auto".to_owned());
    let pointer = |name, address: &str| vec![Pointer { how: How::Variable(name), path: path_of(Some(address), "") }];
    match (provider.as_str(), base_url) {
        ("custom" | "auto", Some(own)) => {
            let pointers = pointer("CUSTOM_BASE_URL", &own);
            let own = around.own(Some(own));
            Ok(Pointers { pointers, anthropic: own.clone(), openai: own })
        }
        ("openrouter" | "auto", _) => {
            let own = around.environment.get("OPENROUTER_BASE_URL").unwrap_or(OPENROUTER).to_owned();
            let pointers = pointer("OPENROUTER_BASE_URL", &own);
            let own = around.own(Some(own));
            Ok(Pointers { pointers, anthropic: own.clone(), openai: own })
        }
        (other, _) => {
            let message =
                format!("Hermes asks the provider {other:?} at an address that only its config.yaml can change");
            Err(Failure::input(message).hint(
                "use `epitome serve`, and in config.yaml model.provider: custom with model.base_url: http://127.0.0.1:8484/v1",
            ))
        }
    }
}
