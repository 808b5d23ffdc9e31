//! How each agent is pointed at a gateway, and where it would have asked without one.
//!
//! An agent keeps its own settings, keys and logins. Only the address that it asks at is another one, and the path in it is the
//! one that it had: `https://host/some/v1` becomes `http://127.0.0.1:port/some/v1`, and `https://host` is where the gateway asks.

mod codex;
mod hermes;
mod opencode;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::config::Environment;
use crate::failure::Failure;

/// The agents that we know how to point at a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agent {
    Claude,
    Codex,
    Opencode,
    Hermes,
    Aider,
}

impl Agent {
    pub(crate) const ALL: [Agent; 5] = [Agent::Claude, Agent::Codex, Agent::Opencode, Agent::Hermes, Agent::Aider];

    /// The name of its program.
    pub(crate) fn program(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Codex => "codex",
            Agent::Opencode => "opencode",
            Agent::Hermes => "hermes",
            Agent::Aider => "aider",
        }
    }

    /// The agent that a program is, wherever it is installed.
    pub(crate) fn of_program(program: &OsStr) -> Option<Agent> {
        let name = Path::new(program).file_name()?;
        Agent::ALL.into_iter().find(|agent| name == agent.program())
    }
}

/// How each agent is started against a gateway at `http://address:port`, as it is typed into a shell: for agents without
/// settings of their own.
pub(crate) fn by_hand(gateway: &str) -> Vec<String> {
    let environment = Environment::default();
    // Files of the user's are not looked for: what is shown is the same on every machine.
    let around = Surroundings { environment: &environment, directory: Path::new(""), upstream_is_given: false };
    let agents = Agent::ALL.into_iter().map(|agent| (Some(agent), agent.program()));
    let lines = agents
        .chain([(None, "my-program")])
        .filter_map(|(agent, program)| Some(pointers(agent, &around).ok()?.at(gateway, &environment).typed(program)));
    lines.collect()
}

/// What an agent is told, and what it would have done by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pointers {
    pointers: Vec<Pointer>,
    /// Where it would have asked Anthropic's dialect …
    pub(crate) anthropic: Option<String>,
    /// … and OpenAI's two.
    pub(crate) openai: Option<String>,
}

/// One thing that names the address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Pointer {
    how: How,
    /// Behind the gateway's address.
    path: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum How {
    /// An environment variable.
    Variable(&'static str),
    /// A setting of Codex, on its command line.
    CodexSetting(String),
    /// A provider in the configuration of OpenCode, which takes some of it from a variable.
    OpencodeProvider(String),
}

/// What an agent is started with besides what the user gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pointed {
    /// Environment variables.
    pub(crate) variables: Vec<(String, String)>,
    /// Arguments that stand before the user's.
    pub(crate) arguments: Vec<String>,
}

impl Pointed {
    /// As it is typed into a shell.
    fn typed(&self, program: &str) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
        let arguments = self.arguments.iter().map(|argument| quoted(argument));
        variables.chain([program.to_owned()]).chain(arguments).collect::<Vec<_>>().join(" ")
    }
}

/// A word as a shell reads it, in quotes where it needs them. Nothing of ours holds a single quote.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

/// Where things stand that an agent reads.
pub(crate) struct Surroundings<'a> {
    /// The variables that it will have.
    pub(crate) environment: &'a Environment,
    /// Where it will be started.
    pub(crate) directory: &'a Path,
    /// Whether its own address is not asked for, as the user named another one.
    pub(crate) upstream_is_given: bool,
}

impl Surroundings<'_> {
    /// The first of these variables that is set.
    fn first(&self, names: &[&str]) -> Option<String> {
        if self.upstream_is_given {
            return None;
        }
        names.iter().find_map(|name| self.environment.get(name)).map(str::to_owned)
    }

    /// A directory that a variable names, or one in the user's home.
    fn directory_of(&self, variable: &str, in_home: &str) -> Option<PathBuf> {
        let named = self.environment.get(variable).map(PathBuf::from);
        named.or_else(|| self.environment.get("HOME").map(|home| Path::new(home).join(in_home)))
    }

    /// An address of the agent's own, unless the user named another one.
    fn own(&self, address: Option<String>) -> Option<String> {
        address.filter(|_| !self.upstream_is_given)
    }
}

/// How an agent is pointed at a gateway. `None` is any other program: it is given all the usual variables.
pub(crate) fn pointers(agent: Option<Agent>, around: &Surroundings<'_>) -> Result<Pointers, Failure> {
    let anthropic = || around.first(&["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"]);
    let openai = || around.first(&["OPENAI_BASE_URL", "OPENAI_API_BASE"]);
    match agent {
        Some(Agent::Claude) => Ok(Pointers::to(&["ANTHROPIC_BASE_URL"], &[], anthropic(), None)),
        Some(Agent::Codex) => Ok(codex::pointers(around)),
        Some(Agent::Opencode) => Ok(opencode::pointers(around)),
        Some(Agent::Hermes) => hermes::pointers(around),
        Some(Agent::Aider) | None => Ok(Pointers::to(
            &["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"],
            &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
            anthropic(),
            openai(),
        )),
    }
}

impl Pointers {
    /// By environment variables.
    fn to(
        of_anthropic: &[&'static str],
        of_openai: &[&'static str],
        anthropic: Option<String>,
        openai: Option<String>,
    ) -> Pointers {
        let pointer = |names: &[&'static str], path: String| {
            names.iter().map(|name| Pointer { how: How::Variable(name), path: path.clone() }).collect::<Vec<_>>()
        };
        let mut pointers = pointer(of_anthropic, path_of(anthropic.as_deref(), ""));
        pointers.extend(pointer(of_openai, path_of(openai.as_deref(), OPENAI_PATH)));
        Pointers { pointers, anthropic, openai }
    }

    /// What the agent is started with, for a gateway at `http://address:port`.
    pub(crate) fn at(&self, gateway: &str, environment: &Environment) -> Pointed {
        let mut pointed = Pointed::default();
        let mut providers = Vec::new();
        for Pointer { how, path } in &self.pointers {
            let address = format!("{gateway}{path}");
            match how {
                How::Variable(name) => pointed.variables.push(((*name).to_owned(), address)),
                How::CodexSetting(key) => pointed.arguments.extend(["-c".to_owned(), format!("{key}=\"{address}\"")]),
                How::OpencodeProvider(name) => providers.push((name.clone(), address)),
            }
        }
        pointed.variables.extend(opencode::content(&providers, environment));
        pointed.variables.extend(past_proxies(environment));
        pointed
    }
}

/// Where OpenAI's paths begin.
const OPENAI_PATH: &str = "/v1";

/// The path of an address, without a slash at its end.
fn path_of(address: Option<&str>, otherwise: &str) -> String {
    let Some(address) = address else { return otherwise.to_owned() };
    let behind_scheme = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = behind_scheme.find('/').and_then(|slash| behind_scheme.get(slash..)).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').to_owned()
}

/// A proxy of the machine's would be asked for the gateway, and does not know it.
fn past_proxies(environment: &Environment) -> Vec<(String, String)> {
    const PROXIES: [&str; 6] = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    if !PROXIES.iter().any(|name| environment.get(name).is_some()) {
        return Vec::new();
    }
    let without = |name: &str| {
        let before = environment.get(name).map(|before| format!("{before},")).unwrap_or_default();
        (name.to_owned(), format!("{before}127.0.0.1"))
    };
    vec![without("no_proxy"), without("NO_PROXY")]
}

#[cfg(test)]
mod tests;
