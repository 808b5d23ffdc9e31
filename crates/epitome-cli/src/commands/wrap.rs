//! `epitome wrap`: an agent with a gateway of its own, for as long as it runs.

mod tally;

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitCode, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use epitome_gateway::auth::Auth;
use epitome_gateway::server::Server;
use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};
use tokio::signal::unix::{Signal as UnixSignal, SignalKind, signal};
use tokio::sync::oneshot;

use super::serve::{Prepared, log_to, prepare};
use super::{configuration, say, say_json};
use crate::agents::{Agent, Pointers, Surroundings, pointers};
use crate::arguments::{Common, GatewayArguments, WrapArguments};
use crate::config::{Config, Environment, Flag, Sources};
use crate::engine::{Chosen, choose_engine};
use crate::failure::{Failure, shown};
use crate::terminal::Style;
use tally::{Counted, Next, Tally};

/// An agent that has ended may have left answers behind that nobody reads.
const GRACE: Duration = Duration::from_secs(2);
/// Whoever asks us to stop asks the agent; one that does not end is killed after this.
const STOPPING: Duration = Duration::from_secs(10);

/// Runs an agent against a gateway of its own. Its exit status is ours.
pub(crate) fn run(arguments: &WrapArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (program, given) = program(&arguments.command)?;
    let pointers = {
        let environment = Sources::of_process(None, Vec::new()).environment;
        let upstream_is_given = arguments.gateway.upstream.is_some();
        let around = Surroundings { environment: &environment, directory: Path::new("."), upstream_is_given };
        pointers(Agent::of_program(program), &around)?
    };
    // On a free port, for this machine alone.
    let flags = arguments.gateway.flags(Some("127.0.0.1:0".to_owned()));
    let (loaded, sources) = configuration(common, flags.into_iter().chain(upstreams(&pointers)).collect())?;
    if let Some(file) = &arguments.log {
        log_into(file, &sources.environment, common.json)?;
    }
    let engine = choose_engine(&loaded, &sources)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::outside("the network", &error))?;
    let run = Run { program, given, pointers, gateway: &arguments.gateway, json: common.json };
    runtime.block_on(run.until_the_agent_ends(engine, &loaded.config, &sources.environment))
}

/// What is run, and with what.
fn program(command: &[OsString]) -> Result<(&OsStr, &[OsString]), Failure> {
    if let Some(flag) = command.first().filter(|word| *word != "--" && word.as_encoded_bytes().starts_with(b"-")) {
        let hint = "what stands before the agent's name is for Epitome: see epitome wrap --help";
        return Err(Failure::input(format!("epitome wrap has no option {flag:?}")).hint(hint));
    }
    // In `wrap -- my-agent` and `wrap codex -- exec`, the `--` says that what follows is not for us. We know that anyway.
    let command = behind_dashes(command);
    let Some((program, given)) = command.split_first() else {
        let names: Vec<&str> = Agent::ALL.into_iter().map(Agent::program).collect();
        let hint = format!("epitome wrap {}, or epitome wrap PROGRAM ARGUMENTS", names.join("|"));
        return Err(Failure::input("which agent is to be run?").hint(hint));
    };
    let given = if Agent::of_program(program).is_some() { behind_dashes(given) } else { given };
    Ok((program, given))
}

fn behind_dashes(words: &[OsString]) -> &[OsString] {
    match words {
        [dashes, rest @ ..] if dashes == "--" => rest,
        _ => words,
    }
}

/// Where the agent would have asked, as settings of the gateway.
fn upstreams(pointers: &Pointers) -> Vec<Flag> {
    let settings = [
        ("gateway.upstream_anthropic", &pointers.anthropic),
        ("gateway.upstream_chat", &pointers.openai),
        ("gateway.upstream_responses", &pointers.openai),
    ];
    let flag = |(key, address): (&str, &Option<String>)| {
        let value = address.clone()?;
        Some(Flag::Named { name: "the agent's own address".to_owned(), key: key.to_owned(), value })
    };
    settings.into_iter().filter_map(flag).collect()
}

/// The log may be read by others later: by its owner alone.
fn log_into(file: &Path, environment: &Environment, json: bool) -> Result<(), Failure> {
    let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(file);
    let opened = opened.map_err(|error| Failure::outside(shown(file), &error))?;
    log_to(Arc::new(opened), Style::plain(), environment, json);
    Ok(())
}

/// An agent that is to be run.
struct Run<'a> {
    program: &'a OsStr,
    given: &'a [OsString],
    pointers: Pointers,
    gateway: &'a GatewayArguments,
    json: bool,
}

impl Run<'_> {
    async fn until_the_agent_ends(
        self,
        engine: Chosen,
        config: &Config,
        environment: &Environment,
    ) -> Result<ExitCode, Failure> {
        let Prepared { mut settings, gateway, pipeline, metrics, tasks, remembers_in: _ } =
            // It listens on this machine alone, and no agent knows the token that others are asked for.
            prepare(self.gateway, engine, Auth::Loopback, config, environment).await?;
        settings.limits.grace = GRACE;
        let tally = Arc::new(Mutex::new(Tally::default()));
        let counted = Counted { pipeline, tally: tally.clone() };
        let server = Server::bind(settings, Arc::new(counted)).await.map_err(|error| Failure::start(&error))?;
        let address = format!("http://{}", server.address());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tasks.spawn(server.serve(async { drop(stopped.await) }));
        // Before there is an agent that they could be meant for.
        let signals = Signals::listen().map_err(|error| Failure::outside("signals", &error))?;
        let ended = match self.start(&address, environment) {
            Ok(child) => Ok(signals.wait_for(child).await),
            Err(failure) => Err(failure),
        };
        // Whether it is still there to be told does not matter: it is waited for.
        let _ = stop.send(());
        drop(serving.await);
        gateway.close().await;
        let status = ended?.map_err(|error| Failure::outside(self.program.to_string_lossy(), &error))?;
        let tally = tally.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let program = self.program.to_string_lossy();
        let next = Next {
            program: &program,
            store: self.gateway.store.as_deref(),
            remembered: config.store.location.as_deref() != Some("memory"),
            observed: self.gateway.observe,
        };
        if self.json {
            say_json(&tally.json(&metrics, &next));
        } else {
            tally.lines(&metrics, &next).iter().for_each(|line| say(line));
        }
        Ok(code(status))
    }

    fn start(&self, gateway: &str, environment: &Environment) -> Result<Child, Failure> {
        let pointed = self.pointers.at(gateway, environment);
        let mut command = Command::new(self.program);
        command.args(&pointed.arguments).args(self.given).envs(pointed.variables);
        command.spawn().map_err(|error| {
            let program = self.program.to_string_lossy();
            if error.kind() == ErrorKind::NotFound {
                return Failure::input(format!("there is no program {program:?}"))
                    .hint("install it, put it into PATH, or say where it is: epitome wrap /path/to/program");
            }
            if error.kind() == ErrorKind::PermissionDenied {
                return Failure::input(format!("{program:?} is not a program that may be run"))
                    .hint("make it executable: chmod +x");
            }
            Failure::outside(program, &error)
        })
    }
}

/// What we may be sent while the agent runs.
struct Signals {
    interrupt: UnixSignal,
    quit: UnixSignal,
    terminate: UnixSignal,
    hang_up: UnixSignal,
}

impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits until the agent has ended. Keys of the terminal (Ctrl-C, Ctrl-\) reach the agent without us, and it decides what
    /// they mean: we only stay. Who asks us to end asks the agent.
    async fn wait_for(mut self, mut child: Child) -> io::Result<ExitStatus> {
        let wanted = loop {
            tokio::select! {
                ended = child.wait() => return ended,
                _ = self.interrupt.recv() => {}
                _ = self.quit.recv() => {}
                _ = self.terminate.recv() => break Signal::TERM,
                _ = self.hang_up.recv() => break Signal::HUP,
            }
        };
        if let Some(pid) = child.id().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            // It has ended already if it cannot be told.
            let _ = kill_process(pid, wanted);
        }
        if let Ok(ended) = tokio::time::timeout(STOPPING, child.wait()).await {
            return ended;
        }
        child.kill().await?;
        child.wait().await
    }
}

/// As a shell tells it: that of the agent, or 128 and the signal that ended it.
fn code(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
