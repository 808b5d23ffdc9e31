//! What file, environment and flags say, the stronger over the weaker, and what is wrong with it.

use std::collections::BTreeMap;

use epitome_core::budget::Threshold;
use epitome_core::tokens::Tokens;

use super::nearest::nearest;
use super::remark::{Matter, Origin, Remark, printable, shown_text};
use super::settings::{Form, Kind, SETTINGS, Setting, Value, formerly, leaf, setting, variable_of};
use super::{Environment, Flag};
use crate::units::parse_tokens;

/// Everything that was said so far. Who speaks later overrules.
#[derive(Default)]
pub(crate) struct Gathered {
    values: BTreeMap<&'static str, (Value, Origin)>,
    /// What weaker sources say, the strongest of them last.
    overruled: BTreeMap<&'static str, Vec<(Value, Origin)>>,
    pub(crate) errors: Vec<Remark>,
    pub(crate) warnings: Vec<Remark>,
    pub(crate) notes: Vec<Remark>,
}

impl Gathered {
    pub(crate) fn say(&mut self, setting: &'static Setting, value: Value, origin: Origin) {
        if let Some(weaker) = self.values.insert(setting.path, (value, origin)) {
            self.overruled.entry(setting.path).or_default().push(weaker);
        }
    }

    /// What weaker sources say of each setting.
    pub(crate) fn overruled(&mut self) -> BTreeMap<&'static str, Vec<(Value, Origin)>> {
        std::mem::take(&mut self.overruled)
    }

    pub(crate) fn said(&self, setting: &Setting) -> bool {
        self.values.contains_key(setting.path)
    }

    /// The value of a setting and where it came from.
    pub(crate) fn value(&self, setting: &Setting) -> (Value, Origin) {
        self.values.get(setting.path).cloned().unwrap_or_else(|| (setting.default.clone(), Origin::Default))
    }
}

/// Adds what the environment says.
pub(crate) fn read_environment(environment: &Environment, gathered: &mut Gathered) {
    for (name, text) in environment.ours() {
        // An empty variable is how a shell says "not set".
        if name == super::CONFIG_VARIABLE || text.is_empty() {
            continue;
        }
        let origin = Origin::Environment { name: name.to_owned() };
        let older = SETTINGS
            .iter()
            .find_map(|setting| setting.older.iter().find(|old| variable_of(old) == name).map(|old| (setting, *old)));
        if let Some(setting) = SETTINGS.iter().find(|setting| setting.variable() == name) {
            say_text(setting, setting.path, text, origin, gathered);
        } else if let Some((setting, old)) = older {
            let hint = Some(format!("set {}", setting.variable()));
            gathered.warnings.push(remark(&origin, Some(old), Matter::Older { now: setting.path }, hint));
            if !environment.has(&setting.variable()) {
                say_text(setting, old, text, origin, gathered);
            }
        } else if name.ends_with("_API_KEY") {
            gathered.warnings.push(remark(&origin, None, Matter::Credential, Some(key_hint())));
        } else {
            let variables: Vec<String> = SETTINGS.iter().map(Setting::variable).collect();
            if let Some(near) = nearest(name, variables.iter().map(String::as_str)) {
                let hint = Some(format!("did you mean {near}?"));
                gathered.warnings.push(remark(&origin, None, Matter::UnknownVariable, hint));
            }
        }
    }
}

/// Adds what the command line says.
pub(crate) fn read_flags(flags: &[Flag], gathered: &mut Gathered) {
    for flag in flags {
        match flag {
            Flag::Named { name, key, value } => {
                let origin = Origin::Flag { name: name.clone() };
                read_flag(key, value, origin, gathered);
            }
            Flag::Set(pair) => {
                let origin = Origin::Flag { name: "--set".to_owned() };
                match pair.split_once('=') {
                    Some((key, value)) => read_flag(key.trim(), value, origin, gathered),
                    None => {
                        let hint = Some("for example --set compression.threshold=0.6".to_owned());
                        let matter = Matter::NotAPair { found: shown_text(pair) };
                        gathered.errors.push(remark(&origin, None, matter, hint));
                    }
                }
            }
        }
    }
}

fn read_flag(key: &str, text: &str, origin: Origin, gathered: &mut Gathered) {
    if let Some(setting) = setting(key) {
        say_text(setting, key, text, origin, gathered);
    } else if let Some(setting) = formerly(key) {
        let hint = Some(format!("write `{}`", setting.path));
        gathered.warnings.push(remark(&origin, Some(key), Matter::Older { now: setting.path }, hint));
        say_text(setting, key, text, origin, gathered);
    } else if leaf(key) == "api_key" {
        gathered.errors.push(remark(&origin, Some(key), Matter::Credential, Some(key_hint())));
    } else {
        let near = nearest(key, SETTINGS.iter().map(|setting| setting.path)).or_else(|| {
            let alike = |setting: &&Setting| nearest(leaf(key), [leaf(setting.path)]).is_some();
            SETTINGS
                .iter()
                .find(|setting| leaf(setting.path) == leaf(key))
                .or_else(|| SETTINGS.iter().find(alike))
                .map(|setting| setting.path)
        });
        let hint = near.map_or_else(
            || "`epitome config show` lists every key".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        gathered.errors.push(remark(&origin, Some(key), Matter::UnknownKey, Some(hint)));
    }
}

fn say_text(setting: &'static Setting, key: &str, text: &str, origin: Origin, gathered: &mut Gathered) {
    match setting.kind.read_text(text) {
        Ok(value) => gathered.say(setting, value, origin),
        Err(matter) => {
            let hint = hint(setting, &matter);
            gathered.errors.push(remark(&origin, Some(key), matter, hint));
        }
    }
}

fn remark(origin: &Origin, key: Option<&str>, matter: Matter, hint: Option<String>) -> Remark {
    Remark { origin: Some(origin.clone()), key: key.map(printable), matter, hint, excerpt: None }
}

pub(crate) fn key_hint() -> String {
    "put the key into a variable of its own, and its name into auxiliary.compression.api_key_env".to_owned()
}

/// What to do about a value that does not fit.
pub(crate) fn hint(setting: &Setting, matter: &Matter) -> Option<String> {
    let default = shown(&setting.default);
    match matter {
        Matter::OutOfRange { found, .. } => Some(match (share(&setting.kind), found.parse::<f64>()) {
            // Below two it is a slip rather than a percentage.
            (true, Ok(number)) if (2.0..=100.0).contains(&number) => {
                format!("a share, not a percentage: {number} % is {}", share_of_percent(number))
            }
            _ => format!("the default is {default}"),
        }),
        Matter::WrongType { found, .. } => Some(wrong_type_hint(setting, found, &default)),
        Matter::NotAChoice { found, words } => {
            let near = nearest(found.trim_matches('"'), words.iter().copied());
            Some(near.map_or_else(|| format!("the default is {default}"), |near| format!("did you mean `{near}`?")))
        }
        Matter::NotAName { .. } => Some("use letters, digits, `_`, `-` and `.`".to_owned()),
        Matter::NotAVariable => {
            Some("name the variable that holds the key, not the key: OPENROUTER_API_KEY".to_owned())
        }
        Matter::NotAUrl => Some("for example https://openrouter.ai/api/v1".to_owned()),
        Matter::NoScheme { address } => Some(format!("write http://{address}")),
        Matter::NotListenable { .. } => Some(LISTEN_EXAMPLE.to_owned()),
        Matter::UnknownStore { .. } => {
            Some("the path of an SQLite file, postgres://user@host/database, or memory".to_owned())
        }
        Matter::NotAThreshold { found, .. } => found
            .parse::<f64>()
            .ok()
            .filter(|number| (2.0..=100.0).contains(number))
            .map(|number| format!("a share, not a percentage: {number} % is {}", share_of_percent(number))),
        Matter::UrlWithCredentials if setting.path.starts_with("gateway.") => {
            Some("leave them out: the agent's own key is sent on as it came".to_owned())
        }
        Matter::UrlWithCredentials => Some(key_hint()),
        Matter::Unreadable { .. }
        | Matter::NotAText { .. }
        | Matter::Syntax { .. }
        | Matter::NotASection { .. }
        | Matter::UnknownKey
        | Matter::Twice { .. }
        | Matter::ModelTwice { .. }
        | Matter::NotAPair { .. }
        | Matter::Credential
        | Matter::Older { .. }
        | Matter::OlderIgnored { .. }
        | Matter::Misspelt
        | Matter::UnknownVariable
        | Matter::Foreign { .. }
        | Matter::NoEffect { .. }
        | Matter::NoKey { .. }
        | Matter::UnknownProvider { .. }
        | Matter::NoEngine { .. }
        | Matter::AboveHygiene { .. } => None,
    }
}

const LISTEN_EXAMPLE: &str = "for example 127.0.0.1:8484 or localhost:8484";

fn wrong_type_hint(setting: &Setting, found: &str, default: &str) -> String {
    let count = matches!(setting.kind, Kind::Count { .. } | Kind::Optional(Kind::Count { .. }));
    let text = found.strip_prefix("the string ").map(|text| text.trim_matches('"'));
    if setting.kind == Kind::Thresholds {
        return "for example {claude-opus: 0.4, gpt-5: 100k}".to_owned();
    }
    if setting.kind == Kind::Text(Form::Listen) {
        return LISTEN_EXAMPLE.to_owned();
    }
    if found == "nothing" {
        return format!("remove the key to use the default {default}");
    }
    if let Some(percent) = text.and_then(|text| text.strip_suffix('%')).and_then(|text| text.trim().parse::<f64>().ok())
    {
        return format!("write {}", share_of_percent(percent));
    }
    if text.is_some_and(|text| text.parse::<f64>().is_ok()) {
        return "remove the quotes".to_owned();
    }
    if let Some(number) = text.filter(|_| count).and_then(|text| parse_tokens(text).ok()) {
        return format!("write {number}");
    }
    if found.starts_with("the number") && matches!(setting.kind, Kind::Text(_) | Kind::Optional(Kind::Text(_))) {
        return "put it in quotes".to_owned();
    }
    if setting.default == Value::Nothing {
        return format!("give it {}, or remove the key", setting.kind.noun());
    }
    format!("the default is {default}")
}

/// Rounded, or 14 % would be 0.14000000000000001.
fn share_of_percent(percent: f64) -> f64 {
    (percent * 100.0).round() / 10_000.0
}

fn share(kind: &Kind) -> bool {
    matches!(kind, Kind::Share { .. } | Kind::Optional(Kind::Share { .. }))
}

/// A value as it is written in the file.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Nothing => "null".to_owned(),
        Value::Switch(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Count(value) => value.to_string(),
        Value::Text(value) => value.to_string(),
        Value::Thresholds(models) => {
            let pairs: Vec<String> =
                models.iter().map(|(model, threshold)| shown_threshold(model, *threshold)).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

fn shown_threshold(model: &str, threshold: Threshold) -> String {
    // A name such as `qwen3:32b` would not be one key without quotes.
    let is_plain = model.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter));
    let model = if is_plain { model.to_owned() } else { format!("{model:?}") };
    match threshold {
        Threshold::Share(share) => format!("{model}: {share}"),
        Threshold::Tokens(Tokens(tokens)) => format!("{model}: {tokens}"),
    }
}
