//! From what was said to a value of the right kind and in its range, or the reason why not.

use std::borrow::Cow;
use std::collections::BTreeMap;

use epitome_core::budget::Threshold;
use epitome_core::tokens::Tokens;

use super::excerpt::looks_secret;
use super::remark::{Matter, printable, shown_text};
use super::settings::{Form, Kind, Value};
use super::yaml::{self, Content, Entry};
use crate::units::parse_tokens;

impl Kind {
    /// Checks what a file says.
    pub(crate) fn read(&self, content: &Content) -> Result<Value, Matter> {
        match self {
            Kind::Optional(inner) => match content {
                Content::Null => Ok(Value::Nothing),
                // Hermes writes "" for a model or an endpoint that is not set.
                Content::Text(text) if matches!(inner, Kind::Text(_)) && text.trim().is_empty() => Ok(Value::Nothing),
                // Nor is a model named `auto` to Hermes.
                Content::Text(text) if matches!(inner, Kind::Text(Form::Any)) && text == "auto" => Ok(Value::Nothing),
                Content::Boolean(_)
                | Content::Integer(_)
                | Content::Number(_)
                | Content::Text(_)
                | Content::List
                | Content::Section(_) => inner.read(content),
            },
            Kind::Switch => match content {
                Content::Boolean(value) => Ok(Value::Switch(*value)),
                Content::Text(text) => switch(text).map(Value::Switch).ok_or_else(|| self.not(content)),
                Content::Null | Content::Integer(_) | Content::Number(_) | Content::List | Content::Section(_) => {
                    Err(self.not(content))
                }
            },
            Kind::Share { least, most } => {
                let number = number(content).ok_or_else(|| self.not(content))?;
                // A NaN is in no range.
                if number >= *least && number <= *most { Ok(Value::Number(number)) } else { Err(self.outside(content)) }
            }
            Kind::Dollars { most } => {
                let number = number(content).ok_or_else(|| self.not(content))?;
                if number >= 0.0 && number <= *most { Ok(Value::Number(number)) } else { Err(self.outside(content)) }
            }
            Kind::Seconds { least, most } => {
                let seconds = seconds(content).ok_or_else(|| self.not(content))?;
                if seconds >= *least && seconds <= *most {
                    Ok(Value::Number(seconds))
                } else {
                    Err(self.outside(content))
                }
            }
            Kind::Count { least, most } => {
                let number = whole(content).ok_or_else(|| self.not(content))?;
                match u64::try_from(number) {
                    Ok(count) if count >= *least && most.is_none_or(|most| count <= most) => Ok(Value::Count(count)),
                    Ok(_) | Err(_) => Err(self.outside(content)),
                }
            }
            Kind::Tokens { least, most } => {
                let number = tokens(content).ok_or_else(|| self.not(content))?;
                match u64::try_from(number) {
                    Ok(count) if count >= *least && most.is_none_or(|most| count <= most) => Ok(Value::Count(count)),
                    Ok(_) | Err(_) => Err(self.outside(content)),
                }
            }
            Kind::Thresholds => match content {
                Content::Section(entries) => thresholds(entries).map(Value::Thresholds),
                Content::Null => Ok(Value::Thresholds(BTreeMap::new())),
                Content::Boolean(_) | Content::Integer(_) | Content::Number(_) | Content::Text(_) | Content::List => {
                    Err(self.not(content))
                }
            },
            Kind::ChoiceOrName(words) => {
                let Content::Text(text) = content else { return Err(self.not(content)) };
                // Hermes writes "" where nothing is chosen.
                let text =
                    if text.trim().is_empty() { words.first().copied().unwrap_or_default() } else { text.trim() };
                if let Some(known) = chosen(words, &text.to_lowercase()) {
                    return Ok(known);
                }
                if looks_secret(text) {
                    return Err(Matter::NotAChoice { found: shown_text(text), words });
                }
                Form::Any.check(text).map(|()| Value::Text(text.to_owned().into()))
            }
            Kind::Choice(words) => match content {
                Content::Text(text) => {
                    let lower = text.to_lowercase();
                    let found = chosen(words, &lower).or_else(|| off(words).filter(|_| switch(&lower) == Some(false)));
                    found.ok_or_else(|| Matter::NotAChoice { found: shown_text(text), words })
                }
                // A program that reads YAML 1.1 and writes the file again turns `off` into `false`.
                Content::Boolean(false) => off(words).ok_or_else(|| self.not(content)),
                Content::Null
                | Content::Boolean(true)
                | Content::Integer(_)
                | Content::Number(_)
                | Content::List
                | Content::Section(_) => Err(self.not(content)),
            },
            Kind::Text(form) => {
                let Content::Text(text) = content else { return Err(self.not(content)) };
                form.check(text.trim())?;
                Ok(Value::Text(text.trim().to_owned().into()))
            }
        }
    }

    /// Checks what a variable or a flag says.
    pub(crate) fn read_text(&self, text: &str) -> Result<Value, Matter> {
        self.read(&self.understood(text.trim()))
    }

    /// What a text would be if it stood in a file, where this kind is expected.
    fn understood(&self, text: &str) -> Content {
        match self {
            Kind::Optional(_) if matches!(text, "" | "null" | "~") => Content::Null,
            Kind::Optional(inner) => inner.understood(text),
            Kind::Switch if text == "1" => Content::Boolean(true),
            Kind::Switch if text == "0" => Content::Boolean(false),
            Kind::Switch | Kind::Choice(_) | Kind::ChoiceOrName(_) | Kind::Text(_) => Content::Text(text.to_owned()),
            Kind::Thresholds => yaml::parse(text).map_or_else(|_| Content::Text(text.to_owned()), |node| node.content),
            Kind::Share { .. }
            | Kind::Count { .. }
            | Kind::Tokens { .. }
            | Kind::Seconds { .. }
            | Kind::Dollars { .. } => {
                if let Ok(integer) = text.replace('_', "").parse() {
                    Content::Integer(integer)
                } else {
                    text.parse().map_or_else(|_| Content::Text(text.to_owned()), Content::Number)
                }
            }
        }
    }

    /// The values it may have, as people write them; empty when there is no limit to tell.
    pub(crate) fn range(&self) -> String {
        match self {
            Kind::Switch => "true or false".to_owned(),
            Kind::Share { least, most } => format!("{least:?}–{most:?}"),
            Kind::Seconds { least, most } => format!("{least}–{most} seconds"),
            Kind::Dollars { most } => format!("0–{most} US dollars"),
            Kind::Count { least, most: None } | Kind::Tokens { least, most: None } => format!("≥ {least}"),
            Kind::Count { least, most: Some(most) } | Kind::Tokens { least, most: Some(most) } => {
                format!("{least}–{most}")
            }
            Kind::Thresholds => "a section of models".to_owned(),
            Kind::Choice(words) | Kind::ChoiceOrName(words) => {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            }
            Kind::Text(_) => String::new(),
            Kind::Optional(inner) => inner.range(),
        }
    }

    /// What it is, with its article: "expected …".
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Kind::Switch => "true or false",
            Kind::Share { .. } => "a number",
            Kind::Count { .. } => "a whole number",
            Kind::Tokens { .. } => "a number of tokens",
            Kind::Thresholds => "a section of models",
            Kind::Seconds { .. } => "a number of seconds",
            Kind::Dollars { .. } => "a number of US dollars",
            Kind::Choice(_) | Kind::ChoiceOrName(_) => "a word",
            Kind::Text(Form::Any) => "a text",
            Kind::Text(Form::PlainName) => "a name",
            Kind::Text(Form::Variable) => "the name of an environment variable",
            Kind::Text(Form::Url | Form::Listen) => "an address",
            Kind::Text(Form::Store) => "a path or an address",
            Kind::Optional(inner) => inner.noun(),
        }
    }

    fn not(&self, content: &Content) -> Matter {
        Matter::WrongType { expected: self.noun(), found: described(content) }
    }

    fn outside(&self, content: &Content) -> Matter {
        Matter::OutOfRange { found: literal(content), range: self.range() }
    }
}

impl Form {
    fn check(self, text: &str) -> Result<(), Matter> {
        let fits = match self {
            Form::Any => is_printable(text),
            Form::PlainName => {
                text.starts_with(|first: char| first.is_ascii_alphanumeric())
                    && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter))
            }
            Form::Variable => {
                text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                    && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            }
            Form::Url => return check_url(text),
            Form::Listen => return check_listen(text),
            Form::Store => {
                let scheme = text.split_once("://").map(|(scheme, _)| scheme);
                if let Some(scheme) = scheme.filter(|scheme| !["postgres", "postgresql"].contains(scheme)) {
                    return Err(Matter::UnknownStore { scheme: printable(scheme) });
                }
                is_printable(text)
            }
        };
        match (fits, self) {
            (true, _) => Ok(()),
            // Somebody may have put the key itself here.
            (false, Form::Variable) => Err(Matter::NotAVariable),
            (false, Form::Any | Form::PlainName | Form::Url | Form::Listen | Form::Store) => {
                Err(Matter::NotAName { found: shown_text(text) })
            }
        }
    }
}

fn check_url(text: &str) -> Result<(), Matter> {
    let lower = text.to_lowercase();
    let Some(rest) = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")) else {
        // What is no address may be anything, a key among it.
        return Err(if is_host_and_port(text) {
            Matter::NoScheme { address: text.to_owned() }
        } else {
            Matter::NotAUrl
        });
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let query = rest.split_once('?').map_or("", |(_, query)| query);
    let secret = ["key", "token", "secret", "password", "sig"];
    let tells_secret = query
        .split('&')
        .any(|pair| pair.split_once('=').is_some_and(|(name, _)| secret.iter().any(|word| name.ends_with(word))));
    if authority.contains('@') || tells_secret {
        return Err(Matter::UrlWithCredentials);
    }
    if authority.is_empty() || text.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
        return Err(Matter::NotAUrl);
    }
    Ok(())
}

/// `localhost:8080`, `192.168.0.2:11434/v1`: an address from which only the scheme is missing.
fn is_host_and_port(text: &str) -> bool {
    let authority = text.split('/').next().unwrap_or_default();
    let Some((host, port)) = authority.rsplit_once(':') else { return authority == "localhost" };
    let is_host =
        !host.is_empty() && host.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.".contains(letter));
    is_host && port.parse::<u16>().is_ok() && is_printable(text)
}

fn check_listen(text: &str) -> Result<(), Matter> {
    let is_one = match text.rsplit_once(':') {
        // `[::1]:8484`, as every program writes it: without the brackets the port could not be told from the address.
        Some((host, port)) if !host.contains(':') || host.starts_with('[') => {
            !host.is_empty() && port.parse::<u16>().is_ok() && !host.contains(['/', '@']) && is_printable(host)
        }
        Some(_) | None => false,
    };
    if is_one { Ok(()) } else { Err(Matter::NotListenable { found: shown_text(text) }) }
}

/// A terminal would obey control characters.
fn is_printable(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

/// The word of a choice for nothing, if it has one.
fn off(words: &'static [&'static str]) -> Option<Value> {
    chosen(words, "off").or_else(|| chosen(words, "false"))
}

/// The thresholds of models.
fn thresholds(entries: &[Entry]) -> Result<BTreeMap<String, Threshold>, Matter> {
    let mut thresholds = BTreeMap::new();
    for Entry { key, value, spot: _ } in entries {
        // Every name begins with nothing.
        if key.trim().is_empty() {
            return Err(Matter::NotAName { found: shown_text(key) });
        }
        let share = number(&value.content).filter(|share| (0.0..=1.0).contains(share)).map(Threshold::Share);
        let number = || u64::try_from(tokens(&value.content)?).ok().filter(|tokens| *tokens >= LEAST_THRESHOLD);
        let threshold = share.or_else(|| number().map(|tokens| Threshold::Tokens(Tokens(tokens))));
        let wrong = || Matter::NotAThreshold { model: printable(key), found: literal(&value.content) };
        if thresholds.insert(key.clone(), threshold.ok_or_else(wrong)?).is_some() {
            return Err(Matter::ModelTwice { model: printable(key) });
        }
    }
    Ok(thresholds)
}

/// Fewer tokens are a share or a percentage that was written wrong.
const LEAST_THRESHOLD: u64 = 1_000;

fn chosen(words: &'static [&'static str], text: &str) -> Option<Value> {
    words.iter().find(|word| **word == text).map(|word| Value::Text(Cow::Borrowed(word)))
}

fn switch(text: &str) -> Option<bool> {
    // The words of YAML 1.1, which Hermes reads.
    match text.to_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn number(content: &Content) -> Option<f64> {
    match content {
        Content::Integer(value) => Some(*value as f64),
        Content::Number(value) => Some(*value),
        Content::Null | Content::Boolean(_) | Content::Text(_) | Content::List | Content::Section(_) => None,
    }
}

fn whole(content: &Content) -> Option<i128> {
    match content {
        Content::Integer(value) => Some(*value),
        // 20.0 is 20. Beyond this, floats skip integers.
        Content::Number(value) if value.fract() == 0.0 && value.abs() < 9e15 => Some(*value as i128),
        Content::Null
        | Content::Boolean(_)
        | Content::Number(_)
        | Content::Text(_)
        | Content::List
        | Content::Section(_) => None,
    }
}

/// A number of tokens, which people also write as `128k`.
fn tokens(content: &Content) -> Option<i128> {
    let Content::Text(text) = content else { return whole(content) };
    // A number in quotes is told to be one.
    let has_unit = text.trim().ends_with(['k', 'K', 'm', 'M']);
    parse_tokens(text).ok().filter(|_| has_unit).map(i128::from)
}

fn seconds(content: &Content) -> Option<f64> {
    let Content::Text(text) = content else { return number(content) };
    let unit = text.chars().next_back()?;
    let factor = match unit {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return None,
    };
    let amount = text.strip_suffix(unit)?.trim();
    // `inf` and `nan` would parse too.
    if !amount.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    amount.parse::<f64>().ok().map(|amount| amount * factor)
}

/// What was found, with its article: "found …".
fn described(content: &Content) -> String {
    match content {
        Content::Null => "nothing".to_owned(),
        Content::Boolean(value) => value.to_string(),
        Content::Integer(_) | Content::Number(_) => format!("the number {}", literal(content)),
        Content::Text(text) => format!("the string {}", shown_text(text)),
        Content::List => "a list".to_owned(),
        Content::Section(_) => "a section".to_owned(),
    }
}

fn literal(content: &Content) -> String {
    match content {
        Content::Integer(value) => value.to_string(),
        Content::Number(value) => value.to_string(),
        Content::Text(text) => shown_text(text),
        Content::Null | Content::Boolean(_) | Content::List | Content::Section(_) => described(content),
    }
}
