//! `epitome serve` as a process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// Where the programs are that the tests use: sh, curl, kill, prlimit.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A gateway that runs. It is ended with the test.
pub(crate) struct Gateway {
    pub(crate) address: SocketAddr,
    /// What it said until it listened.
    pub(crate) said: Vec<String>,
    rest: Option<JoinHandle<Vec<String>>>,
    process: Child,
}

impl Gateway {
    /// Starts one with nothing of this machine's environment or configuration, and without a log.
    pub(crate) fn start(home: &Path, upstream: &str, settings: &[&str]) -> Gateway {
        // What is told is about bytes, and markers are no fault.
        let settings = ["prompt_caching.strategy=client"].into_iter().chain(settings.iter().copied());
        let settings: Vec<&str> = settings.flat_map(|setting| ["--set", setting]).collect();
        Gateway::start_with(home, upstream, "off", &[&["--listen", "127.0.0.1:0"], &settings[..]].concat())
    }

    /// Starts one with these arguments, which logs what `log` says.
    pub(crate) fn start_with(home: &Path, upstream: &str, log: &str, arguments: &[&str]) -> Gateway {
        let mut command = Command::new(env!("CARGO_BIN_EXE_epitome"));
        command.args(["serve", "--upstream", upstream]).args(arguments);
        command.current_dir(home).env_clear().env("HOME", home).env("PATH", PATH).env("EPITOME_LOG", log);
        let mut process = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
        let said = process.stderr.take().expect("it is piped");
        let mut lines = BufReader::new(said).lines().map(|line| line.expect("text"));
        let mut said = Vec::new();
        let address = loop {
            let line = lines.next().unwrap_or_else(|| panic!("it does not listen: {said:?}"));
            let address = line.strip_prefix("epitome: listening on http://").and_then(|rest| rest.split(',').next());
            match address.and_then(|address| address.parse().ok()) {
                Some(address) => break address,
                None => said.push(line),
            }
        };
        // Read on, so that it never waits for somebody to.
        let rest = Some(std::thread::spawn(move || lines.collect()));
        Gateway { address, said, rest, process }
    }

    /// Asks it to end, and waits until it has: what it said since it listened.
    pub(crate) fn end(mut self) -> Vec<String> {
        self.terminate();
        self.rest.take().expect("it ends once").join().expect("nobody panicked")
    }

    /// Ends it as nothing can be ended more suddenly.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it has ended");
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn terminate(&mut self) {
        let asked = Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status();
        assert!(asked.expect("kill is part of every system").success());
        assert!(self.process.wait().expect("it runs").success());
    }

    /// Its files may not grow beyond so many bytes; `unlimited` lifts that.
    pub(crate) fn files_may_have(&self, bytes: &str) {
        self.may_have(&format!("--fsize={bytes}:unlimited"));
    }

    /// It may not have more files and connections open than so many.
    pub(crate) fn may_open(&self, files: usize) {
        self.may_have(&format!("--nofile={files}:"));
    }

    fn may_have(&self, limit: &str) {
        let done = Command::new("prlimit").args(["--pid", &self.process.id().to_string(), limit]).status();
        assert!(done.expect("prlimit is part of util-linux").success());
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
