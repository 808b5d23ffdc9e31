//! What the configuration file says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::excerpt::Excerpt;
use super::gather::{Gathered, hint, key_hint};
use super::nearest::nearest;
use super::remark::{Matter, Origin, Remark};
use super::settings::{SECTIONS, SETTINGS, Setting, Strangers, Value, formerly, leaf, section, setting};
use super::yaml::{self, Content, Entry, Node, Spot};

/// A file's name and text.
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// Adds what the document says to what is known.
pub(crate) fn read(document: &Document, gathered: &mut Gathered) {
    let mut reader =
        Reader { document, gathered, foreign: Vec::new(), no_effect: Vec::new(), credential: false, older: Vec::new() };
    match yaml::parse(&document.text) {
        Ok(root) => reader.root(&root),
        Err(error) => {
            let hint = syntax_hint(&error.message);
            reader.gathered.errors.push(Remark {
                origin: error.spot.map(|spot| origin(&document.path, spot)),
                // Without a spot, the file's name has to come from somewhere.
                key: error.spot.is_none().then(|| document.path.display().to_string()),
                matter: Matter::Syntax { message: error.message },
                hint: hint.map(str::to_owned),
                excerpt: error.spot.and_then(|spot| Excerpt::of(&document.text, spot)),
            });
        }
    }
}

struct Reader<'a> {
    document: &'a Document,
    gathered: &'a mut Gathered,
    /// Keys of other programs.
    foreign: Vec<String>,
    /// Keys of Hermes Agent in our sections.
    no_effect: Vec<String>,
    /// Whether a key for summaries stands in the file, where we do not read it.
    credential: bool,
    /// Older spellings, which give way to today's wherever that stands.
    older: Vec<OlderKey>,
}

struct OlderKey {
    key: String,
    setting: &'static Setting,
    spot: Spot,
    value: Result<Value, Matter>,
}

impl Reader<'_> {
    fn root(&mut self, root: &Node) {
        match &root.content {
            Content::Null => {}
            Content::Section(entries) => self.section("", Strangers::Foreign, entries),
            Content::Boolean(_) | Content::Integer(_) | Content::Number(_) | Content::Text(_) | Content::List => {
                let remark = self.remark(None, root.spot, not_a_section(&root.content));
                self.gathered.errors.push(Remark { hint: Some("begin with `compression:`".to_owned()), ..remark });
            }
        }
        self.settle_older();
        let path = || self.document.path.clone();
        let (no_effect, foreign) = (std::mem::take(&mut self.no_effect), std::mem::take(&mut self.foreign));
        let hint = self.credential.then(key_hint);
        let mut note = |matter, hint| {
            self.gathered.notes.push(Remark { origin: None, key: None, matter, hint, excerpt: None });
        };
        if !no_effect.is_empty() {
            note(Matter::NoEffect { path: path(), keys: no_effect }, hint);
        }
        if !foreign.is_empty() {
            note(Matter::Foreign { path: path(), keys: foreign }, None);
        }
    }

    fn section(&mut self, path: &str, strangers: Strangers, entries: &[Entry]) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in entries {
            let full = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
            let ours = setting(&full).is_some() || super::settings::section(&full).is_some();
            if let Some(&first_line) = seen.get(entry.key.as_str()) {
                // Other programs' sections are theirs to judge.
                if ours || strangers != Strangers::Foreign {
                    let remark = self.remark(Some(&full), entry.spot, Matter::Twice { first_line });
                    self.gathered
                        .errors
                        .push(Remark { hint: Some("keep one of them, or join the two sections".to_owned()), ..remark });
                    continue;
                }
            }
            seen.insert(&entry.key, entry.spot.line);
            self.entry(path, &full, strangers, entry);
        }
    }

    fn entry(&mut self, path: &str, full: &str, strangers: Strangers, entry: &Entry) {
        if let Some(setting) = setting(full) {
            self.value(setting, &entry.value);
        } else if let Some(inner) = section(full) {
            match &entry.value.content {
                Content::Section(entries) => self.section(full, inner.strangers, entries),
                // A section whose keys are all commented out.
                Content::Null => {}
                // Hermes also takes the model's name alone.
                Content::Text(_) if full == "model" => {
                    if let Some(setting) = setting("model.default") {
                        self.value(setting, &entry.value);
                    }
                }
                Content::Boolean(_) | Content::Integer(_) | Content::Number(_) | Content::Text(_) | Content::List => {
                    let remark = self.remark(Some(full), entry.value.spot, not_a_section(&entry.value.content));
                    let children = children(full).next().unwrap_or_default();
                    self.gathered.errors.push(Remark {
                        hint: Some(format!("indent its keys below it, such as `{children}`")),
                        ..remark
                    });
                }
            }
        } else if let Some(setting) = formerly(full) {
            let value = setting.kind.read(&entry.value.content);
            self.older.push(OlderKey { key: full.to_owned(), setting, spot: entry.value.spot, value });
            let remark = self.remark(Some(full), entry.spot, Matter::Older { now: setting.path });
            self.gathered.warnings.push(Remark { hint: Some(format!("write `{}`", setting.path)), ..remark });
        } else {
            self.stranger(path, full, strangers, entry);
        }
    }

    fn stranger(&mut self, path: &str, full: &str, strangers: Strangers, entry: &Entry) {
        let suggestion = suggestion(path, strangers, &entry.key);
        match strangers {
            Strangers::Foreign => match suggestion {
                // It may be somebody else's all the same, so it is no error.
                Some(suggestion) => {
                    let remark = self.remark(Some(full), entry.spot, Matter::Misspelt);
                    self.gathered.warnings.push(Remark { hint: Some(did_you_mean(&suggestion)), ..remark });
                }
                None => self.foreign.push(super::remark::printable(full)),
            },
            Strangers::Mistakes { .. } if strangers.has_no_effect(&entry.key) => {
                // Hermes writes "" where there is none.
                let filled = matches!(&entry.value.content, Content::Text(text) if !text.is_empty());
                self.credential |= entry.key == "api_key" && filled;
                self.no_effect.push(full.to_owned());
            }
            Strangers::Mistakes { .. } => {
                let remark = self.remark(Some(full), entry.spot, Matter::UnknownKey);
                let hint = suggestion
                    .map_or_else(|| "`epitome config show` lists every key".to_owned(), |near| did_you_mean(&near));
                self.gathered.errors.push(Remark { hint: Some(hint), ..remark });
            }
        }
    }

    fn value(&mut self, setting: &'static Setting, node: &Node) {
        match setting.kind.read(&node.content) {
            Ok(value) => self.gathered.say(setting, value, origin(&self.document.path, node.spot)),
            Err(matter) => {
                let hint = hint(setting, &matter);
                let remark = self.remark(Some(setting.path), node.spot, matter);
                self.gathered.errors.push(Remark { hint, ..remark });
            }
        }
    }

    fn settle_older(&mut self) {
        for OlderKey { key, setting, spot, value } in std::mem::take(&mut self.older) {
            match value {
                Ok(_) if self.gathered.said(setting) => {
                    let remark = self.remark(Some(&key), spot, Matter::OlderIgnored { now: setting.path });
                    self.gathered.warnings.push(remark);
                }
                Ok(value) => self.gathered.say(setting, value, origin(&self.document.path, spot)),
                Err(matter) => {
                    let hint = hint(setting, &matter);
                    let remark = self.remark(Some(&key), spot, matter);
                    self.gathered.errors.push(Remark { hint, ..remark });
                }
            }
        }
    }

    fn remark(&self, key: Option<&str>, spot: Spot, matter: Matter) -> Remark {
        let excerpt = if matter.may_be_about_a_credential() {
            Excerpt::before(&self.document.text, spot)
        } else {
            Excerpt::of(&self.document.text, spot)
        };
        Remark {
            origin: Some(origin(&self.document.path, spot)),
            key: key.map(str::to_owned),
            matter,
            hint: None,
            excerpt,
        }
    }
}

fn not_a_section(content: &Content) -> Matter {
    Matter::NotASection { found: if matches!(content, Content::List) { "a list" } else { "a single value" } }
}

fn origin(path: &Path, spot: Spot) -> Origin {
    Origin::File { path: path.to_owned(), line: spot.line, column: spot.column }
}

/// What somebody who wrote `key` in the section `path` may have meant.
fn suggestion(path: &str, strangers: Strangers, key: &str) -> Option<String> {
    if let Some(near) = nearest(key, children(path)) {
        return Some(near.to_owned());
    }
    // A right key in a wrong place, such as one that lost its indentation.
    SETTINGS
        .iter()
        .find(|setting| {
            let ambiguous = strangers == Strangers::Foreign && !distinctive(setting);
            leaf(setting.path) == key && !ambiguous
        })
        .map(|setting| setting.path.to_owned())
}

/// Whether nobody else would give a key of their own this name.
fn distinctive(setting: &Setting) -> bool {
    let section = setting.path.split('.').next().unwrap_or_default();
    matches!(section, "compression" | "prompt_caching") && leaf(setting.path) != "enabled"
}

/// The names that may stand directly in a section.
fn children(path: &str) -> impl Iterator<Item = &'static str> {
    let depth = if path.is_empty() { 0 } else { path.len() + 1 };
    let path = path.to_owned();
    SETTINGS
        .iter()
        .map(|setting| setting.path)
        .chain(SECTIONS.iter().map(|section| section.path))
        .filter(move |full| full.len() > depth && (path.is_empty() || full.starts_with(&format!("{path}."))))
        .filter_map(move |full| full.get(depth..))
        .filter(|rest| !rest.contains('.'))
}

fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

fn syntax_hint(message: &str) -> Option<&'static str> {
    if message.contains("tab") {
        Some("indent with spaces")
    } else if message.contains("quoted scalar") {
        Some("close the quotes")
    } else if message.contains("mapping values are not allowed") {
        Some("keys of one section begin in the same column; put quotes around a text that contains `: `")
    } else if message.contains("expected key") || message.contains("indent") {
        Some("keys of one section begin in the same column")
    } else if message.contains("more than one") {
        Some("remove the line `---` and what does not belong")
    } else {
        None
    }
}
