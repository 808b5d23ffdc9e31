//! Failures as a person at a terminal sees them: what happened, and what to do next.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use epitome_gateway::server::StartError;
use epitome_store::store::StoreError;
use epitome_wire::ReadError;

use crate::config::ConfigErrors;

/// Exit code where something was left out because its file failed.
pub(crate) const LEFT_OUT: u8 = 1;

/// Why a command ended early.
#[derive(Debug)]
pub(crate) struct Failure {
    kind: FailureKind,
    message: String,
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailureKind {
    /// A file could not be read or written.
    Outside,
    /// The input, the configuration or the command line is wrong.
    Input,
    /// The reader of our output went away, which is its right.
    NobodyListens,
}

impl Failure {
    /// The input is wrong.
    pub(crate) fn input(message: impl fmt::Display) -> Failure {
        Failure { kind: FailureKind::Input, message: message.to_string(), hint: None }
    }

    /// Reading or writing `what` failed.
    pub(crate) fn outside(what: impl fmt::Display, error: &io::Error) -> Failure {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Failure { kind: FailureKind::NobodyListens, message: String::new(), hint: None };
        }
        Failure { kind: FailureKind::Outside, message: format!("{what}: {}", reason(error)), hint: None }
    }

    /// A gateway cannot start.
    pub(crate) fn start(error: &StartError) -> Failure {
        let failure = match error {
            StartError::Listen { source, .. } => {
                Failure { kind: FailureKind::Outside, message: format!("{error}: {}", reason(source)), hint: None }
            }
            StartError::Certificates(_) | StartError::NeedsToken(_) | StartError::EmptyToken => Failure::input(error),
        };
        failure.hint(error.hint())
    }

    /// The store called `name` did not do it.
    pub(crate) fn store(name: &str, error: &StoreError) -> Failure {
        let message = format!("{name}: {error}");
        match error {
            StoreError::Unavailable { what } if what.contains("locked") => {
                Failure { kind: FailureKind::Outside, message, hint: None }
                    .hint("another program holds it; try again, or see who has the file open")
            }
            StoreError::Unavailable { .. } => Failure { kind: FailureKind::Outside, message, hint: None }
                .hint("say which store with --store, or store.location in the configuration"),
            StoreError::Damaged { .. } => {
                Failure::input(message).hint("name another file with --store, or move this one away")
            }
            StoreError::Newer { .. }
            | StoreError::Replaced { .. }
            | StoreError::Overtaken
            | StoreError::BadPattern { .. } => Failure::input(message),
        }
    }

    /// What to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// A session could not be read.
    pub(crate) fn unreadable(name: &str, error: &ReadError) -> Failure {
        let failure = Failure::input(format!("{name}: {error}"));
        match error {
            ReadError::SeveralSessions { .. } => {
                failure.hint("take one line, for example: sed -n 1p FILE | epitome compress")
            }
            ReadError::NotARequest { .. } | ReadError::NoConversation { .. } | ReadError::NotAList { .. } => failure
                .hint("a session is an object with \"messages\" or \"input\", an array of messages, or JSON lines"),
            ReadError::TooLarge { .. }
            | ReadError::NotUtf8 { .. }
            | ReadError::Json(_)
            | ReadError::DuplicateKey { .. }
            | ReadError::NotAMessage { .. }
            | ReadError::NoRole { .. } => failure,
        }
    }

    /// Says it on stderr.
    pub(crate) fn report(self) -> ExitCode {
        let mut stderr = io::stderr().lock();
        // Nobody can be told that stderr is gone.
        let said = match (self.kind, &self.hint) {
            (FailureKind::NobodyListens, _) => Ok(()),
            (_, None) => writeln!(stderr, "epitome: {}", self.message),
            (_, Some(hint)) => writeln!(stderr, "epitome: {}\n  hint: {hint}", self.message),
        };
        drop(said);
        match self.kind {
            FailureKind::NobodyListens => ExitCode::SUCCESS,
            FailureKind::Outside => ExitCode::from(1),
            FailureKind::Input => ExitCode::from(2),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl From<ConfigErrors> for Failure {
    fn from(errors: ConfigErrors) -> Failure {
        if errors.is_about_reading() {
            return Failure { kind: FailureKind::Outside, message: errors.to_string(), hint: None };
        }
        Failure::input(format!("the configuration is wrong\n{errors}"))
    }
}

/// Why a file or an address cannot be used, without numbers of the operating system.
pub(crate) fn reason(error: &io::Error) -> String {
    let reasons = [
        (io::ErrorKind::NotFound, "no such file or directory"),
        (io::ErrorKind::IsADirectory, "a directory, not a file"),
        (io::ErrorKind::NotADirectory, "a part of the path is a file, not a directory"),
        (io::ErrorKind::PermissionDenied, "permission denied"),
        (io::ErrorKind::AddrInUse, "the address is in use"),
        (io::ErrorKind::AddrNotAvailable, "the address is none of this machine"),
        (io::ErrorKind::InvalidData, "not a UTF-8 text"),
    ];
    let known = reasons.into_iter().find(|(kind, _)| *kind == error.kind());
    known.map_or_else(|| error.to_string(), |(_, reason)| reason.to_owned())
}

/// A path as messages show it.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
