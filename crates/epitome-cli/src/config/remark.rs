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
    /// Not an http address.
    #[error("not an http or https address")]
    NotAUrl,
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
    #[error("{}: {} not used by Epitome: {}", path.display(), if keys.len() == 1 { "1 key is".to_owned() } else { format!("{} keys are", keys.len()) }, keys.join(", "))]
    Foreign {
        /// Of the file.
        path: PathBuf,
        /// In the order of the file.
        keys: Vec<String>,
    },
    /// A provider that cannot be asked without a key.
    #[error("`{provider}` needs a key, and none is named")]
    NoKey {
        /// As it is written.
        provider: &'static str,
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
