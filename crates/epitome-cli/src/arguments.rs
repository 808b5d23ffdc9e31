//! What can be typed: the subcommands, their flags, and the help that teaches them.

mod replay;
mod sessions;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use epitome_wire::Dialect;

use crate::agents::by_hand;
use crate::config::Flag;
use crate::units::parse_tokens;

use replay::REPLAY_HELP;
pub(crate) use replay::{BreakpointsName, ReplayArguments};
use sessions::SESSIONS_HELP;
pub(crate) use sessions::{
    CompactArguments, DeleteArguments, DiffArguments, ExportArguments, ListArguments, OriginalArguments,
    PruneArguments, SearchArguments, SessionsArguments, SessionsCommand, ShowArguments, StatsArguments,
};

/// Keeps an LLM agent's conversation inside its context window, without losing what the agent still needs.
#[derive(Debug, Parser)]
#[command(name = "epitome", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  something outside failed: a file could not be read or written, an address is in use; what could be done was done
  2  the input, the configuration or the command line is wrong; nothing was written
  3  with --strict: the trigger could not be reached";

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// Read settings from this file [default: ./epitome.yaml, else ~/.config/epitome/config.yaml]
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Set one setting, as in --set compression.protect_last_n=10; may be repeated
    #[arg(long = "set", global = true, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Write for programs: JSON in place of tables and sentences
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a session smaller: it goes in on stdin or as FILE, and comes out on stdout
    #[command(after_help = COMPRESS_HELP)]
    Compress(CompressArguments),
    /// Shorten one tool output as compress would, and count what is lost; or measure all outputs of sessions
    #[command(after_help = DIGEST_HELP)]
    Digest(DigestArguments),
    /// Get the original back, byte for byte, or one removed piece by its hash
    Expand(ExpandArguments),
    /// Show where the tokens of a session are, and what a compaction would do
    Inspect(InspectArguments),
    /// Stand between an agent and its provider, so that its sessions run on past the window
    #[command(after_help = serve_help())]
    Serve(ServeArguments),
    /// Run an agent with a gateway of its own, and say at the end what was saved
    #[command(after_help = WRAP_HELP)]
    Wrap(WrapArguments),
    /// Look at what the gateway remembers: list, search, compare, export, forget sessions; compact one by hand
    #[command(after_help = SESSIONS_HELP)]
    Sessions(SessionsArguments),
    /// Play recorded sessions again, to see what each policy would have cost
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArguments),
    /// Write a session in another dialect (lossy where the dialects differ)
    Convert(ConvertArguments),
    /// Check, show and describe the configuration
    Config(ConfigArguments),
    /// List the engines that `context.engine` can name, or check that the one it names exists
    Engines(EnginesArguments),
}

const COMPRESS_HELP: &str = "\
Examples:
  epitome compress session.json --context-length 128000 > smaller.json
  epitome compress session.json --plan
  epitome compress session.json --originals kept/ -o smaller.json --report
  epitome compress --target-tokens 20000 < session.json > smaller.json

Accepted: requests of OpenAI Chat, Anthropic Messages and OpenAI Responses, bare arrays of messages, and JSON lines.
Below the trigger (half of the window, unless compression.threshold says otherwise) a session comes out as it went in.
No model is asked and nothing leaves this machine, unless a summary model is configured: auxiliary.compression.base_url or
.provider, by --set, in the environment, or in the file of settings (./epitome.yaml too). The middle of the session is then
sent to it without the secrets that can be told from other text.";

#[derive(Debug, Args)]
pub(crate) struct SessionArguments {
    /// The session [default: stdin]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The dialect, if it should not be detected
    #[arg(long, value_enum)]
    pub(crate) format: Option<DialectName>,
    /// The model's context window, in tokens [default: what the catalogue says of the model]
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub(crate) context_length: Option<u64>,
    /// The model [default: what the session says]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Compact from this share of the window on [default: compression.threshold, 0.5]
    #[arg(long, value_name = "SHARE")]
    pub(crate) threshold: Option<String>,
    /// Facts about models that the catalogue does not know, or has wrong (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompressArguments {
    #[command(flatten)]
    pub(crate) session: SessionArguments,
    /// End at this size, whatever it takes; overrides tail and protect_last_n, and may cut the newest outputs
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub(crate) target_tokens: Option<u64>,
    /// Compact even below the trigger
    #[arg(long)]
    pub(crate) force: bool,
    /// Keep what is about this above all
    #[arg(long, value_name = "TOPIC")]
    pub(crate) focus: Option<String>,
    /// Show what would be done, and do nothing
    #[arg(long)]
    pub(crate) plan: bool,
    /// Say on stderr what was done; with --json in one line of JSON
    #[arg(long)]
    pub(crate) report: bool,
    /// Keep what is removed in this directory, by content hash, so that `expand` can bring it back
    #[arg(long, value_name = "DIR")]
    pub(crate) originals: Option<PathBuf>,
    /// Write to this file in place of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Exit with 3 if the trigger cannot be reached
    #[arg(long)]
    pub(crate) strict: bool,
}

/// The help of `serve`, with the same lines for agents as it prints when it starts. Help is wrapped where it is too wide, and what is
/// pasted has to work: lines that would be are continued as a shell does it.
fn serve_help() -> String {
    let continued = |line: &String| match line.len() {
        ..=96 => format!("  {line}\n"),
        _ => format!("  {}\n", line.replace(' ', "\\\n    ")),
    };
    let agents: String = by_hand("http://127.0.0.1:8484").iter().map(continued).collect();
    format!(
        "\
Examples:
  epitome serve
  epitome serve --upstream https://openrouter.ai/api --context-length 200000
  epitome serve --observe

Agents are started like this, or with `epitome wrap AGENT`, which does it all:
{agents}Codex does not read OPENAI_BASE_URL. Hermes asks OpenRouter: serve with
--upstream https://openrouter.ai/api.

The agent's key goes to the provider as it came and is stored nowhere. Requests that are not
understood, and everything else that an agent asks its provider for, pass through untouched. The
answer's headers x-epitome-* say what was done. A request with the header `x-epitome: off` is left
alone, one with `x-epitome: observe` is only looked at."
    )
}

/// What every gateway can be told, one of its own or that of an agent.
#[derive(Debug, Clone, Args)]
pub(crate) struct GatewayArguments {
    /// Send requests here [default: with `wrap`, where the agent would ask; else gateway.upstream, else api.anthropic.com
    /// and api.openai.com]
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,
    /// Remember here: a file, postgres://user@host/database, or memory [default: store.location]
    #[arg(long, value_name = "PATH|URL")]
    pub(crate) store: Option<String>,
    /// The context window of every model, in tokens [default: what the catalogue says of each]
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub(crate) context_length: Option<u64>,
    /// Change nothing, and count what would be saved
    #[arg(long)]
    pub(crate) observe: bool,
    /// Facts about models that the catalogue does not know, or has wrong (JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Listen here; port 0 takes a free one [default: gateway.listen, 127.0.0.1:8484]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) listen: Option<String>,
    #[command(flatten)]
    pub(crate) gateway: GatewayArguments,
    /// Serve other machines without a token
    #[arg(long)]
    pub(crate) insecure: bool,
}

const WRAP_HELP: &str = "\
Examples:
  epitome wrap --observe claude       a first look: nothing is changed, it ends with what would be
  epitome wrap claude
  epitome wrap codex exec 'fix the tests'
  epitome wrap --context-length 100000 opencode run 'fix the tests'
  epitome wrap my-agent --some-flag

Flags before the agent's name are Epitome's, everything behind it is the agent's. Known agents are
claude, codex, opencode, hermes and aider; every other program gets ANTHROPIC_BASE_URL and
OPENAI_BASE_URL.

The agent keeps its settings, keys and logins; only the address that it asks at is another one.
Where it already has an address of its own (ANTHROPIC_BASE_URL, OPENAI_BASE_URL, or in its
configuration), requests are sent on to that one. Terminal and signals are the agent's, and so is
the exit status. Nothing is left behind but what the store remembers.";

#[derive(Debug, Args)]
pub(crate) struct WrapArguments {
    #[command(flatten)]
    pub(crate) gateway: GatewayArguments,
    /// Append the gateway's log to this file; without it there is none, as the terminal is the agent's
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
    /// The agent or program to run, and its own arguments
    #[arg(value_name = "AGENT [ARGUMENTS]", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<OsString>,
}

const DIGEST_HELP: &str = "\
Examples:
  cargo test 2>&1 | epitome digest --command 'cargo test'
  epitome digest server.log --about 'checkout timeout'
  epitome digest --sessions recorded/*.jsonl
  epitome digest --sessions session.json --json

The digest goes to stdout, what was kept and lost to stderr. An output whose digest
would be no shorter comes out as it went in.";

#[derive(Debug, Args)]
pub(crate) struct DigestArguments {
    /// The output of a tool [default: stdin]
    #[arg(value_name = "FILE", conflicts_with = "sessions")]
    pub(crate) file: Option<PathBuf>,
    /// The command that printed it. Digests do not depend on it any more
    #[arg(long, value_name = "COMMAND", conflicts_with = "sessions")]
    pub(crate) command: Option<String>,
    /// What the agent is looking for: lines about it are kept
    #[arg(long, value_name = "WORDS")]
    pub(crate) about: Option<String>,
    /// No more than this, whatever is lost [default: about 60 and 3.2 times the root of the
    /// output's tokens, more for errors]
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub(crate) tokens: Option<u64>,
    /// Digest every large output of these recorded sessions, and show what that saves by kind
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) sessions: Vec<PathBuf>,
    /// With --sessions: outputs above this size [default: 500]
    #[arg(long, value_name = "TOKENS", conflicts_with = "file", requires = "sessions", value_parser = parse_tokens)]
    pub(crate) above: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ExpandArguments {
    /// The compressed session [default: stdin]
    #[arg(value_name = "FILE", conflicts_with = "hash")]
    pub(crate) file: Option<PathBuf>,
    /// Where `compress --originals` kept what it removed
    #[arg(long, value_name = "DIR")]
    pub(crate) originals: PathBuf,
    /// Print one removed piece: its hash, or the beginning of it as a digest shows it
    #[arg(long, value_name = "HASH")]
    pub(crate) hash: Option<String>,
    /// Undo earlier compactions of the same session too
    #[arg(long)]
    pub(crate) all: bool,
    /// Write to this file in place of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArguments {
    #[command(flatten)]
    pub(crate) session: SessionArguments,
    /// How many of the largest outputs and repeats to show
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = number)]
    pub(crate) top: usize,
    /// The session's next request: says where it parts from this one, which breaks the provider's cache
    #[arg(long, value_name = "FILE")]
    pub(crate) next: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArguments {
    #[command(flatten)]
    pub(crate) session: SessionArguments,
    /// The dialect to write
    #[arg(long, value_enum)]
    pub(crate) to: DialectName,
    /// Write to this file in place of stdout
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EnginesArguments {
    #[command(subcommand)]
    pub(crate) command: Option<EnginesCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EnginesCommand {
    /// Exit with 2 if no engine has the name of `context.engine`, and say where it was looked for
    Check,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Say what is wrong with a configuration, if anything is
    Check {
        /// The file to check [default: the one that would be used]
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
    /// Show every setting and where its value came from
    Show {
        /// Say the column too, and what each value overruled
        #[arg(long)]
        origin: bool,
    },
    /// Print a JSON schema, for editors
    Schema,
    /// Print the reference page of all settings
    #[command(hide = true)]
    Docs,
}

/// The dialects as they are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// OpenAI Chat Completions
    Openai,
    /// Anthropic Messages
    Anthropic,
    /// OpenAI Responses
    Responses,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Dialect {
        match name {
            DialectName::Openai => Dialect::OpenAiChat,
            DialectName::Anthropic => Dialect::AnthropicMessages,
            DialectName::Responses => Dialect::OpenAiResponses,
        }
    }
}

impl Common {
    /// The flags as the configuration takes them.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        self.set.iter().cloned().map(Flag::Set).collect()
    }
}

/// A number of tokens, and not none.
fn tokens(typed: &str) -> Result<u64, String> {
    match parse_tokens(typed)? {
        0 => Err("0 tokens hold nothing; for example 128000, 128k or 1M".to_owned()),
        tokens => Ok(tokens),
    }
}

/// How many.
fn number(typed: &str) -> Result<usize, String> {
    typed.parse().map_err(|_| format!("{typed:?} is no number; for example 20"))
}

/// A flag that stands for a setting.
fn named(name: &str, key: &str, value: Option<String>) -> Option<Flag> {
    value.map(|value| Flag::Named { name: name.to_owned(), key: key.to_owned(), value })
}

impl GatewayArguments {
    /// The flags that stand for a setting. They overrule `--set`.
    pub(crate) fn flags(&self, listen: Option<String>) -> Vec<Flag> {
        let context_length = self.context_length.map(|length| length.to_string());
        let flags = [
            named("--listen", "gateway.listen", listen),
            named("--upstream", "gateway.upstream", self.upstream.clone()),
            named("--store", "store.location", self.store.clone()),
            named("--context-length", "model.context_length", context_length),
        ];
        flags.into_iter().flatten().collect()
    }
}

impl SessionArguments {
    /// The flags that stand for a setting. They overrule `--set`.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        let context_length = self.context_length.map(|length| length.to_string());
        let flags = [
            named("--context-length", "model.context_length", context_length),
            named("--threshold", "compression.threshold", self.threshold.clone()),
        ];
        flags.into_iter().flatten().collect()
    }
}
