//! The JSON schema (draft 2020-12) of the configuration file, for editors.
//!
//! It allows what the reader allows: anything at the top and in sections shared with other programs; in our own
//! sections our keys, older spellings (marked as deprecated) and the keys of Hermes Agent which we do not use.

use epitome_core::budget::Threshold;
use serde_json::{Map, Value as Json, json};

use super::settings::{Form, Kind, SECTIONS, SETTINGS, Section, Setting, Strangers, Value, leaf};

/// The whole schema.
pub(crate) fn schema() -> Json {
    let mut root = object("", None);
    let mut whole = Map::new();
    whole.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
    whole.insert("title".to_owned(), json!("Configuration of Epitome"));
    whole.append(&mut root);
    // An empty file is a configuration too.
    whole.insert("type".to_owned(), json!(["object", "null"]));
    Json::Object(whole)
}

fn object(path: &str, section: Option<&Section>) -> Map<String, Json> {
    let mut properties = Map::new();
    for setting in SETTINGS.iter().filter(|setting| parent(setting.path) == path) {
        properties.insert(leaf(setting.path).to_owned(), property(setting));
    }
    for old in SETTINGS.iter().flat_map(|setting| setting.older.iter().map(move |old| (setting, *old))) {
        let (setting, old) = old;
        if parent(old) == path {
            let mut older = constraint(&setting.kind);
            older.insert("description".to_owned(), json!(format!("An older spelling of `{}`.", setting.path)));
            older.insert("deprecated".to_owned(), json!(true));
            properties.insert(leaf(old).to_owned(), Json::Object(older));
        }
    }
    for inner in SECTIONS.iter().filter(|inner| parent(inner.path) == path) {
        properties.insert(leaf(inner.path).to_owned(), Json::Object(object(inner.path, Some(inner))));
    }
    let strangers = section.map_or(Strangers::Foreign, |section| section.strangers);
    let mut patterns = Map::new();
    let open = match strangers {
        Strangers::Foreign => true,
        Strangers::Mistakes { but_for } => {
            for key in but_for {
                let unused = json!({"description": "Hermes Agent reads this; Epitome does not."});
                match key.strip_suffix('*') {
                    Some(beginning) => patterns.insert(format!("^{beginning}"), unused),
                    None => properties.insert((*key).to_owned(), unused),
                };
            }
            false
        }
    };
    let mut object = Map::new();
    if let Some(section) = section {
        object.insert("description".to_owned(), json!(section.doc));
        // The model's name may stand alone.
        let kinds =
            if section.path == "model" { json!(["object", "null", "string"]) } else { json!(["object", "null"]) };
        object.insert("type".to_owned(), kinds);
    }
    object.insert("properties".to_owned(), Json::Object(properties));
    if !patterns.is_empty() {
        object.insert("patternProperties".to_owned(), Json::Object(patterns));
    }
    object.insert("additionalProperties".to_owned(), json!(open));
    object
}

fn property(setting: &Setting) -> Json {
    let mut property = Map::new();
    property.insert("description".to_owned(), json!(setting.doc));
    property.append(&mut constraint(&setting.kind));
    property.insert("default".to_owned(), value(&setting.default));
    Json::Object(property)
}

fn constraint(kind: &Kind) -> Map<String, Json> {
    let constraint = match kind {
        Kind::Switch => json!({"type": "boolean"}),
        Kind::Share { least, most } => json!({"type": "number", "minimum": least, "maximum": most}),
        Kind::Count { least, most: None } => json!({"type": "integer", "minimum": least}),
        Kind::Count { least, most: Some(most) } => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Tokens { least, most } => {
            let mut tokens = json!({"type": ["integer", "string"], "minimum": least, "pattern": TOKENS});
            if let Some(most) = most {
                tokens["maximum"] = json!(most);
            }
            tokens
        }
        Kind::Thresholds => json!({
            "type": ["object", "null"],
            "additionalProperties": {"type": ["number", "string"], "minimum": 0, "pattern": TOKENS},
        }),
        Kind::Seconds { least, most } => json!({
            "type": ["number", "string"], "minimum": least, "maximum": most, "pattern": r"^[0-9]+(\.[0-9]+)? *[smh]$"
        }),
        Kind::Dollars { most } => json!({"type": "number", "minimum": 0, "maximum": most}),
        // What is written `off` is a boolean to a reader of YAML 1.1.
        Kind::Choice(words) if words.contains(&"false") => {
            let words = words.iter().map(|word| json!(word));
            json!({"enum": words.chain([json!(false)]).collect::<Vec<_>>()})
        }
        Kind::Choice(words) => json!({"enum": words}),
        Kind::ChoiceOrName(words) => json!({"type": "string", "examples": words}),
        Kind::Text(Form::Any | Form::Listen | Form::Store) => json!({"type": "string"}),
        Kind::Text(Form::PlainName) => json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]*$"}),
        Kind::Text(Form::Variable) => json!({"type": "string", "pattern": "^([A-Za-z_][A-Za-z0-9_]*)?$"}),
        Kind::Text(Form::Url) => json!({"type": "string", "pattern": "^([Hh][Tt][Tt][Pp][Ss]?://.+)?$"}),
        Kind::Optional(inner) => {
            let mut constraint = constraint(inner);
            let nullable = match constraint.get("type") {
                Some(Json::Array(kinds)) => Some(kinds.iter().cloned().chain([json!("null")]).collect()),
                Some(single) => Some(json!([single, "null"])),
                None => None,
            };
            if let Some(nullable) = nullable {
                constraint.insert("type".to_owned(), nullable);
            }
            return constraint;
        }
    };
    match constraint {
        Json::Object(constraint) => constraint,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => Map::new(),
    }
}

/// A value as JSON.
pub(crate) fn value(value: &Value) -> Json {
    match value {
        Value::Nothing => Json::Null,
        Value::Switch(value) => json!(value),
        // 30 seconds, not 30.0.
        Value::Number(value) if value.fract() == 0.0 && value.abs() < 1e9 => json!(*value as i64),
        Value::Number(value) => json!(value),
        Value::Count(value) => json!(value),
        Value::Text(value) => json!(value),
        Value::Thresholds(models) => {
            let number = |threshold: &Threshold| match threshold {
                Threshold::Share(share) => json!(share),
                Threshold::Tokens(tokens) => json!(tokens),
            };
            models.iter().map(|(model, threshold)| (model.clone(), number(threshold))).collect()
        }
    }
}

/// How numbers of tokens are written where they are no numbers to YAML.
const TOKENS: &str = r"^[0-9][0-9_,.]*[kKmM]$";

fn parent(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(parent, _)| parent)
}
