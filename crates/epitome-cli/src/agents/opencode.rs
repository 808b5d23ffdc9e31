//! OpenCode: an address belongs to a provider in its configuration, of which a variable can give a part.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{How, OPENAI_PATH, Pointer, Pointers, Surroundings, path_of};
use crate::config::Environment;

/// Configuration that overrules what stands in files.
const CONTENT: &str = "OPENCODE_CONFIG_CONTENT";

pub(super) fn pointers(around: &Surroundings<'_>) -> Pointers {
    let configs: Vec<Value> = files(around)
        .into_iter()
        .filter_map(|path| serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok())
        .collect();
    let said = |pointer: &str| configs.iter().rev().find_map(|config| config.pointer(pointer)?.as_str());
    let base_url = |provider: &str| {
        let own = said(&format!("/provider/{provider}/options/baseURL")).map(str::to_owned);
        around.own(own)
    };
    let chosen = said("/model").and_then(|model| model.split_once('/')).map(|(provider, _)| provider.to_owned());
    let mut pointers = Vec::new();
    let mut point = |provider: &str, own: Option<&str>| {
        let path = path_of(own, OPENAI_PATH);
        pointers.push(Pointer { how: How::OpencodeProvider(provider.to_owned()), path });
    };
    let (mut anthropic, mut openai) = (base_url("anthropic"), base_url("openai"));
    point("anthropic", anthropic.as_deref());
    point("openai", openai.as_deref());
    if let Some(provider) = chosen.filter(|provider| provider != "anthropic" && provider != "openai") {
        let own = base_url(&provider);
        // Which dialect it speaks is not told here: all go to the provider that is used.
        if own.is_some() || around.upstream_is_given {
            point(&provider, own.as_deref());
            (anthropic, openai) = (own.clone().or(anthropic), own.or(openai));
        }
    }
    Pointers { pointers, anthropic, openai }
}

/// The files that OpenCode reads, the weakest first.
fn files(around: &Surroundings<'_>) -> Vec<PathBuf> {
    let of_user = around.directory_of("XDG_CONFIG_HOME", ".config").map(|config| config.join("opencode/opencode.json"));
    let named = around.environment.get("OPENCODE_CONFIG").map(PathBuf::from);
    of_user.into_iter().chain(named).chain([around.directory.join("opencode.json")]).collect()
}

/// The variable that tells OpenCode where its providers are, together with what the user told there.
pub(super) fn content(providers: &[(String, String)], environment: &Environment) -> Option<(String, String)> {
    if providers.is_empty() {
        return None;
    }
    let told = environment.get(CONTENT).and_then(|told| serde_json::from_str::<Value>(told).ok());
    let mut content = told.filter(Value::is_object).unwrap_or_else(|| json!({}));
    for (provider, address) in providers {
        set(&mut content, &["provider", provider, "options", "baseURL"], json!(address));
    }
    Some((CONTENT.to_owned(), content.to_string()))
}

/// Sets a value in objects within objects; what is in the way and no object is replaced.
fn set(object: &mut Value, path: &[&str], value: Value) {
    let Some((first, rest)) = path.split_first() else {
        *object = value;
        return;
    };
    if !object.is_object() {
        *object = json!({});
    }
    if let Some(object) = object.as_object_mut() {
        set(object.entry(*first).or_insert(Value::Null), rest, value);
    }
}
