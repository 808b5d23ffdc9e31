//! What there is to say about a configuration: the place, the key, what is the matter, and what to do next.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use super::excerpt::Excerpt;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Nobody said otherwise.
    Default,
    /// The configuration file. Lines and columns count from one.
    File {
        /// As it was given or found.
        path: PathBuf,
        /// Of the value.
        line: usize,
        /// Of the value, in characters.
        column: usize,
    },
    /// An environment variable.
    Environment {
        /// Of the variable.
        name: String,
    },
    /// The command line.
    Flag {
        /// As it is typed: `--set`.
        name: String,
    },
}

/// An error, a warning or a note.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remark {
    /// The place it is about, if there is one.
    pub(crate) origin: Option<Origin>,
    /// The key it is about, sections joined by dots.
    pub(crate) key: Option<String>,
    /// What is the matter.
    pub(crate) matter: Matter,
    /// What to do next.
    pub(crate) hint: Option<String>,
    /// The line it is about. Credentials are masked in it.
    pub(crate) excerpt: Option<Excerpt>,
}

/// What can be the matter with a configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum Matter {
    /// The named file cannot be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// Of the file.
        path: PathBuf,
        /// In the words of the system.
        reason: String,
    },
    /// The named file holds something else than text.
    #[error("{}: not a UTF-8 text", path.display())]
    NotAText {
        /// Of the file.
        path: PathBuf,
    },
    /// The file is not YAML.
    #[error("not valid YAML: {message}")]
    Syntax {
        /// In the words of the YAML library.
        message: String,
    },
    /// The right kind of value, but too small or too large.
    #[error("{found} is out of range ({range})")]
    OutOfRange {
        /// As it was written.
        found: String,
        /// Smallest and largest.
        range: String,
    },
    /// Another kind of value.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// With its article.
        expected: &'static str,
        /// With its article.
        found: String,
    },
    /// A word that the setting does not have.
    #[error("{found} is not one of {}", words.join(", "))]
    NotAChoice {
        /// As it was written.
        found: String,
        /// Those that it has.
        words: &'static [&'static str],
    },
    /// A text that cannot be a name.
    #[error("{found} is not a plain name")]
    NotAName {
        /// As it was written.
        found: String,
    },
    /// Not the name of a variable; perhaps the key itself, so it is not repeated.
    #[error("not the name of an environment variable")]
    NotAVariable,
    /// Not an http address; perhaps a key, so it is not repeated.
    #[error("not an http or https address")]
    NotAUrl,
    /// An address without its scheme.
    #[error("{address} has no http:// or https:// before it")]
    NoScheme {
        /// As it was written.
        address: String,
    },
    /// Nowhere to listen.
    #[error("{found} is not an address and a port")]
    NotListenable {
        /// As it was written.
        found: String,
    },
    /// A store of a kind that does not exist.
    #[error("{scheme}:// is not a store that Epitome knows")]
    UnknownStore {
        /// What stands before `://`. What follows may hold a password.
        scheme: String,
    },
    /// A threshold of a model that is neither a share nor a number of tokens.
    #[error("{model}: {found} is neither a share (0.0–1.0) nor a number of tokens (≥ 1000)")]
    NotAThreshold {
        /// As it was written.
        model: String,
        /// As it was written.
        found: String,
    },
    /// An address with a user, a password or a key in it.
    #[error("the address contains credentials")]
    UrlWithCredentials,
    /// A key whose value should be a section.
    #[error("expected a section with keys, found {found}")]
    NotASection {
        /// With its article.
        found: &'static str,
    },
    /// A key that does not exist.
    #[error("unknown key")]
    UnknownKey,
    /// A key that stands twice in one section.
    #[error("stands twice, first in line {first_line}")]
    Twice {
        /// Where it stood first.
        first_line: usize,
    },
    /// A model with two thresholds.
    #[error("{model} stands twice")]
    ModelTwice {
        /// As it was written.
        model: String,
    },
    /// `--set` without a key or a value.
    #[error("expected key=value, found {found}")]
    NotAPair {
        /// As it was written.
        found: String,
    },
    /// A credential where none is read.
    #[error("credentials are not read from here")]
    Credential,
    /// A spelling of an earlier version.
    #[error("an older spelling of `{now}`")]
    Older {
        /// The key today.
        now: &'static str,
    },
    /// An older and today's spelling at once.
    #[error("ignored, because `{now}` is set too")]
    OlderIgnored {
        /// The key today.
        now: &'static str,
    },
    /// A key that might be somebody else's, but looks like one of ours.
    #[error("not a key of Epitome, and not used")]
    Misspelt,
    /// An environment variable that looks like one of ours.
    #[error("not a variable of Epitome, and not used")]
    UnknownVariable,
    /// Keys of other programs.
    #[error("{}: {} not read: {}", path.display(), number_of(keys.len(), "key of other programs is", "keys of other programs are"), some(keys))]
    Foreign {
        /// Of the file.
        path: PathBuf,
        /// In the order of the file.
        keys: Vec<String>,
    },
    /// Keys of Hermes Agent in our sections.
    #[error("{}: {} no effect in Epitome: {}", path.display(), number_of(keys.len(), "key of Hermes Agent has", "keys of Hermes Agent have"), keys.join(", "))]
    NoEffect {
        /// Of the file.
        path: PathBuf,
        /// In the order of the file.
        keys: Vec<String>,
    },
    /// A provider that cannot be asked without a key.
    #[error("`{provider}` needs a key, and none is named")]
    NoKey {
        /// As it is written.
        provider: String,
    },
    /// A provider whose address nobody has told.
    #[error(
        "{name} is no provider that Epitome knows, and auxiliary.compression.base_url is not set: it counts as `auto`"
    )]
    UnknownProvider {
        /// As it was written.
        name: String,
    },
    /// An engine that does not exist.
    #[error("there is no engine {name:?}; looked in {looked_in}")]
    NoEngine {
        /// As it was written.
        name: String,
        /// Each place, and what is there.
        looked_in: String,
    },
    /// A threshold above the safety net is never reached.
    #[error("{threshold} is never reached: the safety net compresses at 0.85")]
    AboveHygiene {
        /// As it is set.
        threshold: f64,
    },
}

impl Matter {
    /// Whether the value in question could be a key that somebody put in the wrong place.
    pub(crate) fn may_be_about_a_credential(&self) -> bool {
        matches!(self, Matter::NotAVariable | Matter::NotAUrl | Matter::UrlWithCredentials | Matter::Credential)
    }
}

/// Everything that is wrong with a configuration, and what else there was to say about it.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", in_full(errors))]
pub(crate) struct ConfigErrors {
    /// At least one, in the order of file, environment and flags.
    pub(crate) errors: Vec<Remark>,
    /// What may be a mistake.
    pub(crate) warnings: Vec<Remark>,
    /// What is good to know.
    pub(crate) notes: Vec<Remark>,
}

impl ConfigErrors {
    /// Whether the file could not be read, and nothing that was read is wrong.
    pub(crate) fn is_about_reading(&self) -> bool {
        self.errors.iter().all(|error| matches!(error.matter, Matter::Unreadable { .. }))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => formatter.write_str("default"),
            Origin::File { path, line, column } => write!(formatter, "{}:{line}:{column}", path.display()),
            Origin::Environment { name } => write!(formatter, "environment {name}"),
            Origin::Flag { name } => write!(formatter, "flag {name}"),
        }
    }
}

impl fmt::Display for Remark {
    /// One line: place, key, matter.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(origin) = &self.origin {
            write!(formatter, "{origin}: ")?;
        }
        if let Some(key) = &self.key {
            write!(formatter, "{}: ", printable(key))?;
        }
        write!(formatter, "{}", self.matter)
    }
}

impl Remark {
    /// For a person at a terminal: the line, the excerpt with its caret, and the hint.
    #[must_use]
    pub(crate) fn in_full(&self) -> String {
        let mut text = self.to_string();
        if let Some(excerpt) = &self.excerpt {
            write!(text, "\n{excerpt}").expect("writing to a String cannot fail");
        }
        if let Some(hint) = &self.hint {
            write!(text, "\n  hint: {hint}").expect("writing to a String cannot fail");
        }
        text
    }
}

/// A number and what is counted.
fn number_of(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// The first of many names: whoever reads the line knows the rest, or does not care.
fn some(keys: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown = keys.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match keys.len().checked_sub(SHOWN) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}

fn in_full(remarks: &[Remark]) -> String {
    remarks.iter().map(Remark::in_full).collect::<Vec<_>>().join("\n")
}

/// A text of the user in quotes, cut when it is long; not at all when it looks like a credential.
pub(crate) fn shown_text(text: &str) -> String {
    const LONGEST: usize = 40;
    if super::excerpt::looks_secret(text) {
        return "a text that looks like a credential".to_owned();
    }
    if text.chars().count() > LONGEST {
        let cut: String = text.chars().take(LONGEST).collect();
        return format!("\"{}…\"", printable(&cut));
    }
    format!("\"{}\"", printable(text))
}

/// Without characters that would move the cursor or change colours.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}
