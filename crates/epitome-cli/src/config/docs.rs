//! `docs/configuration.md`, made from the table of settings.

use std::fmt::{self, Write};

use super::settings::{AskedBy, Form, Kind, SECTIONS, SETTINGS, Setting, Strangers};
use super::shown;

/// The whole document. `epitome config docs > docs/configuration.md` writes it anew.
pub(crate) fn markdown() -> String {
    let mut text = String::new();
    write_all(&mut text).expect("writing to a String cannot fail");
    text
}

const OPENING: &str = "\
# Configuration

<!-- Made by `epitome config docs`. Change crates/epitome-cli/src/config/settings.rs instead. -->

Everything has a default: an empty file, and no file, are a configuration.

## Where a value comes from

The stronger first:

1. a flag: `--set compression.threshold=0.6`, as often as you like, or a flag of its own; a later one overrules;
2. an environment variable: `EPITOME_` and the key in capitals, `EPITOME_COMPRESSION_THRESHOLD=0.6`; an empty one counts as not set;
3. the file;
4. the default.

The file is the first of these: the one named by `--config`, the one named by `EPITOME_CONFIG` (a named file must exist),
`./epitome.yaml`, `$XDG_CONFIG_HOME/epitome/config.yaml` (`~/.config/epitome/config.yaml` when `XDG_CONFIG_HOME` is not set).
A `config.yaml` in the current directory is read only when it is named.

`epitome config check` says everything that is wrong with it, `epitome config show --origin` what counts and why,
and `epitome config schema` prints a JSON schema for your editor.

## Keys
";

const CLOSING: &str = "
## The `config.yaml` of Hermes Agent

It can be named as it is: `epitome config check ~/.hermes/config.yaml`, `epitome serve --config ~/.hermes/config.yaml`. Keys of
Hermes in our sections that have no effect here are accepted with one note that names them, and so are the sections of other
programs. A key in our sections that neither knows is an error. A key or section elsewhere that looks like one of ours is a warning, for it may be somebody else's. Where Hermes, which
reads YAML 1.1, wrote `false` for `off` or `yes` for `true`, that is understood.

Credentials are never read from the file. Name the variable that holds the key in `auxiliary.compression.api_key_env`.
";

fn write_all(text: &mut dyn Write) -> fmt::Result {
    text.write_str(OPENING)?;
    for section in SECTIONS {
        let settings: Vec<&Setting> = SETTINGS
            .iter()
            .filter(|setting| setting.path.rsplit_once('.').is_some_and(|(path, _)| path == section.path))
            .collect();
        if settings.is_empty() {
            continue;
        }
        write!(text, "\n### `{}`\n\n{}\n\n", section.path, section.doc)?;
        text.write_str("| Key | Value | Default | Meaning | Asked for by |\n| --- | --- | --- | --- | --- |\n")?;
        for setting in settings {
            writeln!(
                text,
                "| `{}` | {} | `{}` | {} | {} |",
                setting.path,
                allowed(&setting.kind),
                shown(&setting.default),
                setting.doc,
                asked_by(setting.asked_by),
            )?;
        }
        if let Strangers::Mistakes { but_for: [first, rest @ ..] } = section.strangers {
            write!(text, "\nAccepted without effect: `{first}`")?;
            for key in rest {
                write!(text, ", `{key}`")?;
            }
            text.write_str(".\n")?;
        }
    }
    text.write_str("\n## Environment variables\n\n| Variable | Key |\n| --- | --- |\n")?;
    for setting in SETTINGS {
        writeln!(text, "| `{}` | `{}` |", setting.variable(), setting.path)?;
    }
    text.write_str("\n## Older spellings\n\nAccepted, with a warning.\n\n| Older | Today |\n| --- | --- |\n")?;
    for setting in SETTINGS {
        for old in setting.older {
            writeln!(text, "| `{old}` | `{}` |", setting.path)?;
        }
    }
    text.write_str(CLOSING)
}

fn allowed(kind: &Kind) -> String {
    match kind {
        Kind::Switch => "true or false".to_owned(),
        Kind::Share { .. } => format!("number, {}", kind.range()),
        Kind::Count { .. } => format!("whole number, {}", kind.range()),
        Kind::Tokens { .. } => format!("tokens, {}, also as `128k` or `1M`", kind.range()),
        Kind::Thresholds => "names of models, each with a share (0.0–1.0) or a number of tokens (≥ 1000)".to_owned(),
        Kind::Seconds { .. } => format!("{}, or `90s`, `2m`, `1h`", kind.range()),
        Kind::Dollars { .. } => kind.range(),
        Kind::Choice(_) => kind.range(),
        Kind::ChoiceOrName(_) => format!("{}, or another name", kind.range()),
        Kind::Text(Form::Any) => "text".to_owned(),
        Kind::Text(Form::PlainName) => "letters, digits, `_`, `-`, `.`".to_owned(),
        Kind::Text(Form::Variable) => "name of a variable".to_owned(),
        Kind::Text(Form::Listen) => "address and port".to_owned(),
        Kind::Text(Form::Store) => "path, address of PostgreSQL, or `memory`".to_owned(),
        Kind::Text(Form::Url) => "http or https address without credentials".to_owned(),
        Kind::Optional(inner) => format!("{}, or null", allowed(inner)),
    }
}

fn asked_by(asked_by: AskedBy) -> &'static str {
    match asked_by {
        AskedBy::Documents => "documents",
        AskedBy::Epitome => "Epitome",
        AskedBy::Hermes => "Hermes Agent",
    }
}
