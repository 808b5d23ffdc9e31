//! Colours, only where somebody sees them.

use std::io::{self, IsTerminal};

use crate::config::{Environment, Sources};

/// How to write for the stream at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Style {
    coloured: bool,
}

impl Style {
    /// For stdout.
    pub(crate) fn of_stdout(environment: &Environment) -> Style {
        Style { coloured: io::stdout().is_terminal() && wants_colours(environment) }
    }

    /// For stderr.
    pub(crate) fn of_stderr(environment: &Environment) -> Style {
        Style { coloured: io::stderr().is_terminal() && wants_colours(environment) }
    }

    /// For a file.
    pub(crate) fn plain() -> Style {
        Style { coloured: false }
    }

    /// Whether there are colours.
    pub(crate) fn is_coloured(self) -> bool {
        self.coloured
    }

    /// A heading.
    pub(crate) fn bold(self, text: &str) -> String {
        self.wrap("1", text)
    }

    /// Something of lesser importance.
    pub(crate) fn dim(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// Something good.
    pub(crate) fn green(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// Something that went.
    pub(crate) fn red(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// Something to look at.
    pub(crate) fn yellow(self, text: &str) -> String {
        self.wrap("33", text)
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Whether something that moves can be shown on stderr.
pub(crate) fn shows_progress() -> bool {
    io::stderr().is_terminal() && obeys_codes(&Sources::of_process(None, Vec::new()).environment)
}

fn wants_colours(environment: &Environment) -> bool {
    environment.get("NO_COLOR").is_none() && obeys_codes(environment)
}

/// Whether a terminal does what control codes say, and does not print them.
fn obeys_codes(environment: &Environment) -> bool {
    environment.get("TERM") != Some("dumb")
}

/// A text of somebody else's as a line of ours: what would steer the terminal is shown and does nothing.
pub(crate) fn plain(text: &str) -> String {
    let steers = |character: char| {
        character.is_control() || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|character| if steers(character) { char::REPLACEMENT_CHARACTER } else { character }).collect()
}

/// A bar of at most `width` cells, filled to `share`, in eighths of a cell.
pub(crate) fn bar(share: f64, width: usize) -> String {
    let eighths = (share.clamp(0.0, 1.0) * width as f64 * 8.0).round() as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"].get(eighths % 8).copied().unwrap_or_default();
    format!("{}{part}", "█".repeat(eighths / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_steers_the_terminal() {
        assert_eq!(plain("gpt-5\x1b]0;owned\x07\r\n\u{9b}2J\u{202e}é 東"), "gpt-5�]0;owned����2J�é 東");
    }

    #[test]
    fn there_are_no_codes_for_who_wants_none_and_who_cannot_read_them() {
        let of = |variables: &[(&str, &str)]| {
            let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            let environment: Environment = variables.collect();
            (wants_colours(&environment), obeys_codes(&environment))
        };
        assert_eq!(of(&[("TERM", "xterm")]), (true, true));
        // An empty NO_COLOR counts as not set: https://no-color.org
        assert_eq!(of(&[("NO_COLOR", "")]), (true, true));
        assert_eq!(of(&[("NO_COLOR", "1"), ("TERM", "xterm")]), (false, true));
        assert_eq!(of(&[("TERM", "dumb")]), (false, false));
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(0.0, 4), "");
        assert_eq!(bar(0.5, 4), "██");
        assert_eq!(bar(0.53, 4), "██▏");
        assert_eq!(bar(7.0, 4), "████");
    }
}
